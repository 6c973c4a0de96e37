//! Fitting the document under a number of tokens: how much of each resource is shown. Pure.
//!
//! The ladder of a resource is full → outline → frame → name only; a rung that does not exist, or that is no shorter
//! than the one above, is passed over. Resources go down rung by rung: those of the global scope first, then of the
//! session, then of the turn; within a scope the largest first; and everybody stands on a rung before anybody goes
//! further down. It stops as soon as the document fits.

use std::fmt;

use super::scope::Scope;

/// How much of a resource is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// All of it.
    Full,
    /// What it declares.
    Outline,
    /// What is said about it.
    Frame,
    /// Its name in the summary.
    Name,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full text",
            Self::Outline => "outline",
            Self::Frame => "frame",
            Self::Name => "name only",
        })
    }
}

/// What a resource costs at each level, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Its strongest scope.
    pub scope: Scope,
    /// The whole block.
    pub full: u64,
    /// The block with the outline, if there is one.
    pub outline: Option<u64>,
    /// The block with the frame, if there is one.
    pub frame: Option<u64>,
    /// The line that says it was reduced, which every level but the full one adds.
    pub line: u64,
}

impl Cost {
    /// What a level costs with its line; `None` when there is no such level.
    #[must_use]
    pub fn at(&self, level: Level) -> Option<u64> {
        match level {
            Level::Full => Some(self.full),
            Level::Outline => self.outline.map(|tokens| tokens + self.line),
            Level::Frame => self.frame.map(|tokens| tokens + self.line),
            Level::Name => Some(self.line),
        }
    }
}

/// A way to show all resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The level of each resource.
    pub levels: Vec<Level>,
    /// Those that are not shown in full, in the order in which they were reduced first.
    pub reduced: Vec<usize>,
    /// Tokens of all blocks and lines.
    pub tokens: u64,
}

/// Chooses levels so that all blocks together take at most `tokens_max`; where names alone take more, they stay.
#[must_use]
pub fn fit(costs: &[Cost], tokens_max: u64) -> Fit {
    let mut fit =
        Fit { levels: vec![Level::Full; costs.len()], reduced: Vec::new(), tokens: costs.iter().map(|cost| cost.full).sum() };
    for scope in Scope::ALL.into_iter().rev() {
        for level in [Level::Outline, Level::Frame, Level::Name] {
            let mut order: Vec<usize> = (0..costs.len()).filter(|at| costs[*at].scope == scope).collect();
            order.sort_by_key(|at| (std::cmp::Reverse(costs[*at].at(fit.levels[*at])), *at));
            for at in order {
                if fit.tokens <= tokens_max {
                    return fit;
                }
                fit.lower(costs, at, level);
            }
        }
    }
    fit
}

impl Fit {
    fn lower(&mut self, costs: &[Cost], at: usize, level: Level) {
        let now = costs[at].at(self.levels[at]).expect("a level that was chosen exists");
        let Some(then) = costs[at].at(level).filter(|then| *then < now) else { return };
        if self.levels[at] == Level::Full {
            self.reduced.push(at);
        }
        self.levels[at] = level;
        self.tokens = self.tokens - now + then;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Level::{Frame, Full, Name, Outline};
    use super::*;

    fn cost(scope: Scope, full: u64, outline: Option<u64>, frame: Option<u64>) -> Cost {
        Cost { scope, full, outline, frame, line: 2 }
    }

    #[test]
    fn the_ladder_goes_global_first_and_largest_first() {
        let costs = [
            cost(Scope::Turn, 1_000, Some(100), Some(50)),
            cost(Scope::Global, 200, Some(40), Some(300)),
            cost(Scope::Global, 500, None, Some(60)),
        ];
        let levels = |tokens_max| fit(&costs, tokens_max).levels;
        assert_eq!(levels(1_700), [Full, Full, Full]);
        assert_eq!(levels(1_690), [Full, Outline, Full]);
        assert_eq!(levels(1_500), [Full, Outline, Frame]);
        assert_eq!(levels(1_050), [Full, Outline, Name]);
        assert_eq!(levels(1_010), [Full, Name, Name]);
        assert_eq!(levels(110), [Outline, Name, Name]);
        assert_eq!(levels(0), [Name, Name, Name]);
        assert_eq!(fit(&costs, 110).reduced, [1, 2, 0]);
    }

    prop_compose! {
        fn any_cost()(scope in 0_usize..3, full in 0_u64..1_000, outline in proptest::option::of(0_u64..500), frame in proptest::option::of(0_u64..500)) -> Cost {
            cost(Scope::ALL[scope], full, outline, frame)
        }
    }

    proptest! {
        #[test]
        fn it_fits_or_only_names_are_left(costs in proptest::collection::vec(any_cost(), 0..20), tokens_max in 0_u64..8_000) {
            let fit = fit(&costs, tokens_max);
            let sum: u64 = costs.iter().zip(&fit.levels).map(|(cost, level)| cost.at(*level).expect("exists")).sum();
            prop_assert_eq!(fit.tokens, sum);
            let least: u64 = costs.iter().map(|cost| cost.full.min(cost.line)).sum();
            prop_assert!(sum <= tokens_max || sum == least);
            prop_assert_eq!(fit.reduced.len(), fit.levels.iter().filter(|level| **level != Full).count());
        }
    }
}

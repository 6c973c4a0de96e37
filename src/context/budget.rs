//! Fitting the document under a number of tokens: how much of each resource is shown. Pure.
//!
//! The ladder of a resource is full → outline → frame → name only; a rung that does not exist, or that is no shorter
//! than the one above, is passed over. Resources go down rung by rung: those of the global scope first, then of the
//! session, then of the turn; within a scope the largest first; and everybody stands on a rung before anybody goes
//! further down. It stops as soon as the document fits.
//!
//! Then what fits is put back, the strongest scope first and in it the cheapest: the last step down may have been a large
//! one. What is left at the end goes to the beginning of one text that does not fit.

use std::fmt;

use super::scope::Scope;

/// Fewer tokens than these are no beginning worth a line about it.
const BEGINNING_MIN: u64 = 40;
/// What the lines around a beginning take.
const BEGINNING_AROUND: u64 = 24;

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

/// How a resource is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// How much of it.
    pub level: Level,
    /// The beginning of its text besides, in this many tokens.
    pub beginning: Option<u64>,
}

impl From<Level> for Form {
    fn from(level: Level) -> Self {
        Self {
            level,
            beginning: None,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.level, self.beginning) {
            (Level::Name, Some(_)) => f.write_str("beginning"),
            (level, Some(_)) => write!(f, "{level} and beginning"),
            (level, None) => level.fmt(f),
        }
    }
}

/// What a resource costs at each level, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCost {
    /// Its strongest scope.
    pub scope: Scope,
    /// The whole block.
    pub full: u64,
    /// The block with the outline, if there is one.
    pub outline: Option<u64>,
    /// The block with the frame, if there is one.
    pub frame: Option<u64>,
    /// What is shown with its name: people's notes.
    pub name: u64,
    /// The words that say it was reduced, which every level but the full one adds.
    pub line: u64,
    /// The header of a block.
    pub header: u64,
    /// True when it has a text of which a beginning can be shown.
    pub has_text: bool,
}

impl TokenCost {
    /// What a level costs with its line; `None` when there is no such level.
    #[must_use]
    pub fn at(&self, level: Level) -> Option<u64> {
        match level {
            Level::Full => Some(self.full),
            Level::Outline => self.outline.map(|tokens| tokens + self.line),
            Level::Frame => self.frame.map(|tokens| tokens + self.line),
            Level::Name => Some(self.name + self.line),
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
    /// The one of which a beginning is shown besides, and the tokens of that.
    pub beginning: Option<(usize, u64)>,
    /// Tokens of all blocks and lines.
    pub tokens: u64,
}

/// Chooses levels so that all blocks together take at most `tokens_max`; where names alone take more, they stay.
#[must_use]
pub fn fit(costs: &[TokenCost], tokens_max: u64) -> Fit {
    let mut fit = Fit {
        levels: vec![Level::Full; costs.len()],
        reduced: Vec::new(),
        beginning: None,
        tokens: costs.iter().map(|cost| cost.full).sum(),
    };
    if fit.reduce(costs, tokens_max) {
        fit.put_back(costs, tokens_max);
        fit.begin(costs, tokens_max);
    }
    fit
}

impl Fit {
    /// How a resource is shown.
    #[must_use]
    pub fn form(&self, at: usize) -> Form {
        let beginning = self
            .beginning
            .filter(|(number, _)| *number == at)
            .map(|(_, tokens)| tokens);
        Form {
            level: self.levels[at],
            beginning,
        }
    }

    /// Goes down the ladder until everything fits; true when it does and something was reduced.
    fn reduce(&mut self, costs: &[TokenCost], tokens_max: u64) -> bool {
        for scope in Scope::ALL.into_iter().rev() {
            for level in [Level::Outline, Level::Frame, Level::Name] {
                let mut order: Vec<usize> = (0..costs.len())
                    .filter(|at| costs[*at].scope == scope)
                    .collect();
                order.sort_by_key(|at| (std::cmp::Reverse(costs[*at].at(self.levels[*at])), *at));
                for at in order {
                    if self.tokens <= tokens_max {
                        return !self.reduced.is_empty();
                    }
                    self.lower(costs, at, level);
                }
            }
        }
        self.tokens <= tokens_max
    }

    fn lower(&mut self, costs: &[TokenCost], at: usize, level: Level) {
        let now = costs[at]
            .at(self.levels[at])
            .expect("a level that was chosen exists");
        let Some(then) = costs[at].at(level).filter(|then| *then < now) else {
            return;
        };
        if self.levels[at] == Level::Full {
            self.reduced.push(at);
        }
        self.levels[at] = level;
        self.tokens = self.tokens - now + then;
    }

    /// Raises what can be raised: the strongest scope first, in it what gains the most text for the fewest tokens first.
    fn put_back(&mut self, costs: &[TokenCost], tokens_max: u64) {
        let mut order = self.reduced.clone();
        order.sort_by_key(|at| (costs[*at].scope, costs[*at].full, *at));
        for at in order {
            let now = costs[at]
                .at(self.levels[at])
                .expect("a level that was chosen exists");
            let fits = |level: &Level| {
                let then = costs[at].at(*level);
                *level < self.levels[at]
                    && then.is_some_and(|then| self.tokens - now + then <= tokens_max)
            };
            let Some(level) = [Level::Full, Level::Outline, Level::Frame]
                .into_iter()
                .find(fits)
            else {
                continue;
            };
            self.tokens = self.tokens - now + costs[at].at(level).expect("it fits");
            self.levels[at] = level;
        }
        self.reduced.retain(|at| self.levels[*at] != Level::Full);
    }

    /// Gives what is left to the beginning of the first text that is not there in full.
    fn begin(&mut self, costs: &[TokenCost], tokens_max: u64) {
        let first = self
            .reduced
            .iter()
            .copied()
            .filter(|at| costs[*at].has_text)
            .min_by_key(|at| (costs[*at].scope, *at));
        let Some(at) = first else { return };
        let has_block = self.levels[at] != Level::Name || costs[at].name > 0;
        let around = BEGINNING_AROUND + if has_block { 0 } else { costs[at].header };
        let left = (tokens_max - self.tokens).saturating_sub(around);
        if left >= BEGINNING_MIN {
            self.beginning = Some((at, left));
            self.tokens += around + left;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Level::{Full, Name, Outline};
    use super::*;

    fn cost(scope: Scope, full: u64, outline: Option<u64>, frame: Option<u64>) -> TokenCost {
        TokenCost {
            scope,
            full,
            outline,
            frame,
            name: 0,
            line: 2,
            header: 10,
            has_text: true,
        }
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
        assert_eq!(levels(1_050), [Full, Outline, Name]);
        assert_eq!(levels(1_010), [Full, Name, Name]);
        assert_eq!(levels(110), [Outline, Name, Name]);
        assert_eq!(levels(0), [Name, Name, Name]);
        assert_eq!(fit(&costs, 110).reduced, [1, 2, 0]);
    }

    /// Before, what a large step down had set free stayed unused.
    #[test]
    fn what_fits_is_put_back_and_the_rest_begins_a_text() {
        let costs = [
            cost(Scope::Turn, 10_000, None, None),
            cost(Scope::Global, 300, Some(30), None),
            cost(Scope::Global, 5_000, None, None),
        ];
        let fit = fit(&costs, 9_000);
        assert_eq!(
            (fit.levels.as_slice(), fit.reduced.len()),
            (&[Name, Full, Full][..], 1)
        );
        assert_eq!(fit.beginning, Some((0, 9_000 - 5_302 - 34)));
        assert_eq!(fit.form(0).to_string(), "beginning");
    }

    prop_compose! {
        fn any_cost()(scope in 0_usize..3, full in 0_u64..1_000, outline in proptest::option::of(0_u64..500), frame in proptest::option::of(0_u64..500)) -> TokenCost {
            cost(Scope::ALL[scope], full, outline, frame)
        }
    }

    proptest! {
        #[test]
        fn it_fits_and_is_filled_or_only_names_are_left(costs in proptest::collection::vec(any_cost(), 0..20), tokens_max in 0_u64..8_000) {
            let fit = fit(&costs, tokens_max);
            let sum: u64 = costs.iter().zip(&fit.levels).map(|(cost, level)| cost.at(*level).expect("exists")).sum();
            let beginning = fit.beginning.map_or(0, |(_, tokens)| tokens);
            prop_assert!((sum..=sum + beginning + 34).contains(&fit.tokens));
            let least: u64 = costs.iter().map(|cost| cost.full.min(cost.line)).sum();
            prop_assert!(fit.tokens <= tokens_max || sum == least);
            prop_assert_eq!(fit.reduced.len(), fit.levels.iter().filter(|level| **level != Full).count());
            if fit.tokens <= tokens_max && !fit.reduced.is_empty() {
                prop_assert!(fit.tokens + 34 + BEGINNING_MIN > tokens_max, "{} of {}", fit.tokens, tokens_max);
            }
        }
    }
}

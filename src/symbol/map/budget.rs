//! A map within a number of tokens: the files that most others refer to come first, and give way last.
//!
//! The rank is the number of other files that refer to a file, then the order of paths. In this order each file gets
//! the most that still fits: everything, its public declarations, its path, nothing. What was chosen is printed in
//! the order of paths, so that a larger budget changes no order.

use super::legend::{KEY, Legend};
use super::notation::{Detail, Level, SymbolMap};
use crate::base::token::estimate;

/// A file of a map within a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    /// Its number.
    pub number: u32,
    /// How much of it.
    pub level: Level,
}

/// What an earlier map says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Just what this one would say at this level.
    Same(Level),
    /// Something else.
    Changed,
    /// Nothing.
    New,
}

impl Known {
    fn order(self) -> u8 {
        match self {
            Self::Same(_) => 0,
            Self::Changed => 1,
            Self::New => 2,
        }
    }
}

/// What fits into a budget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    /// The files, in the order of paths.
    pub files: Vec<Shown>,
    /// How many found no place.
    pub left: usize,
    /// Legend, blocks, and a line about the files that found no place; empty when not even the legend fits.
    pub text: String,
}

impl SymbolMap<'_> {
    /// Chooses among some of the files, given in their order, what fits into so many tokens.
    #[must_use]
    pub fn within(&self, numbers: &[u32], tokens_max: u64, detail: Detail) -> Chosen {
        let head = estimate(KEY) + estimate("\n") + estimate(&rest_line(numbers.len()));
        let none = || Chosen { left: numbers.len(), ..Chosen::default() };
        let Some(mut tokens_left) = tokens_max.checked_sub(head).filter(|_| !numbers.is_empty()) else { return none() };
        let mut is_wanted = vec![false; self.references().files.len()];
        for number in numbers {
            is_wanted[*number as usize] = true;
        }
        let mut files = Vec::new();
        for number in self.references().ranked().into_iter().filter(|number| is_wanted[*number as usize]) {
            if tokens_left == 0 {
                break;
            }
            let fitting = [Level::Full, Level::Public, Level::Name].into_iter().find_map(|level| {
                let cost = estimate(&self.block(number, &Legend::default(), Detail { level, ..detail }));
                (cost <= tokens_left).then_some((level, cost))
            });
            if let Some((level, cost)) = fitting {
                tokens_left -= cost;
                files.push(Shown { number, level });
            }
        }
        if files.is_empty() {
            return none();
        }
        files.sort_unstable();
        let left = numbers.len() - files.len();
        let chosen: Vec<u32> = files.iter().map(|file| file.number).collect();
        let with_aliases = self.chosen_text(&files, &self.legend(&chosen), (left, detail));
        let text = if estimate(&with_aliases) <= tokens_max {
            with_aliases
        } else {
            self.chosen_text(&files, &Legend::default(), (left, detail))
        };
        Chosen { files, left, text }
    }

    /// Chooses again, where an earlier map is to stay as it is: what it says is said again as long as that fits, then what has
    /// changed of it, then whatever else fits.
    ///
    /// `known` tells what the earlier map says of a file. A file is there in full, by its public declarations, or not at all.
    #[must_use]
    pub fn again(&self, numbers: &[u32], tokens_max: u64, known: &dyn Fn(u32) -> Known) -> Vec<Shown> {
        let mut tokens_left = tokens_max.saturating_sub(estimate(KEY));
        let mut order: Vec<(Known, u32)> = Vec::new();
        let ranks = self.references().ranked();
        let mut known_of = vec![None; self.references().files.len()];
        for number in numbers {
            known_of[*number as usize] = Some(known(*number));
        }
        order.extend(ranks.into_iter().filter_map(|number| Some((known_of[number as usize]?, number))));
        order.sort_by_key(|(known, _)| known.order());
        let mut files = Vec::new();
        for (known, number) in order {
            let levels: &[Level] = match known {
                Known::Same(Level::Full) => &[Level::Full],
                Known::Same(_) => &[Level::Public],
                Known::Changed | Known::New => &[Level::Full, Level::Public],
            };
            let fitting = levels.iter().find_map(|level| {
                let cost = estimate(&self.block(number, &Legend::default(), Detail { level: *level, ..Detail::KEPT }));
                (cost <= tokens_left).then_some((*level, cost))
            });
            if let Some((level, cost)) = fitting {
                tokens_left -= cost;
                files.push(Shown { number, level });
            }
        }
        files.sort_unstable();
        files
    }

    fn chosen_text(&self, files: &[Shown], legend: &Legend, (left, detail): (usize, Detail)) -> String {
        let mut text = legend.text();
        text.push('\n');
        for file in files {
            text.push_str(&self.block(file.number, legend, Detail { level: file.level, ..detail }));
        }
        if left > 0 {
            text.push_str(&rest_line(left));
        }
        text
    }
}

/// The line about files that found no place.
fn rest_line(count: usize) -> String {
    format!("+{count} files\n")
}

//! The legend of a map: what its marks mean, and short names for long directories where these save tokens.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::base::number::to_u32;
use crate::base::quick_hash::QuickHash;

/// What the marks of a map mean.
pub const KEY: &str = "\
c class/struct/enum/trait/module, m method, f function, af/am async, v variable/constant, p property/field, \
i import, i→ local import
(params), ->T result, ? optional, ←N files that refer to it, → refers to in other files, +N more
";

/// Most aliases of one legend.
const ALIASES_MAX: usize = 12;
/// What an alias must save beyond its own line, in tenths of a token, so that small edits do not bring it or take it.
const SAVING_MIN: i64 = 200;
/// Most directories that are looked at for aliases.
const DIRECTORIES_MAX: usize = 20_000;
/// Letters of a name that are one token.
const LETTERS: usize = 8;

/// Short names of directories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Legend {
    /// Directories that end in a slash, in order; the first is `@1`.
    directories: Vec<String>,
}

/// A directory that paths stand in, while aliases are chosen.
struct Candidate<'p> {
    path: &'p str,
    /// What its path costs, in tenths of a token, and what it costs with the aliases so far.
    cost: i64,
    cost_now: i64,
    uses: i64,
    /// It and the directories above it.
    above: Vec<usize>,
}

impl Legend {
    /// Chooses aliases for paths as they will be printed, each as often as it is in the list.
    #[must_use]
    pub fn choose<'p>(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let mut uses: HashMap<&str, i64, QuickHash> = HashMap::default();
        for path in paths.into_iter().filter(|path| !path.starts_with('"')) {
            if let Some((directory, _)) = path.rsplit_once('/') {
                *uses.entry(directory).or_default() += 1;
            }
        }
        let mut candidates = candidates(&uses.into_iter().collect());
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < ALIASES_MAX {
            let Some(best) = best(&candidates) else { break };
            let saved = candidates[best].cost - ALIAS_COST;
            for candidate in candidates
                .iter_mut()
                .filter(|candidate| candidate.above.contains(&best))
            {
                candidate.cost_now = candidate.cost_now.min(candidate.cost - saved);
            }
            chosen.push(best);
        }
        let mut directories: Vec<String> = chosen
            .into_iter()
            .map(|at| format!("{}/", candidates[at].path))
            .collect();
        directories.sort_unstable();
        Self { directories }
    }

    /// The legend of an earlier map, by its directories.
    #[must_use]
    pub fn of(directories: &[String]) -> Self {
        Self {
            directories: directories.to_vec(),
        }
    }

    /// The directories that have an alias, in the order of the aliases.
    #[must_use]
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// The legend: what marks mean, then a line for each alias.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = KEY.to_owned();
        for (number, directory) in self.directories.iter().enumerate() {
            let _ = writeln!(text, "@{}/={directory}", number + 1);
        }
        text
    }

    /// The aliases, first `@1/`, with the directories that they stand for.
    pub fn aliases(&self) -> impl Iterator<Item = (String, &str)> {
        self.directories
            .iter()
            .enumerate()
            .map(|(number, directory)| (format!("@{}/", number + 1), directory.as_str()))
    }

    /// A path with the longest alias that fits.
    #[must_use]
    pub fn shorten<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let fits = self
            .directories
            .iter()
            .enumerate()
            .filter(|(_, directory)| path.starts_with(directory.as_str()));
        match fits.max_by_key(|(_, directory)| directory.len()) {
            Some((number, directory)) => {
                Cow::Owned(format!("@{}/{}", number + 1, &path[directory.len()..]))
            }
            None => Cow::Borrowed(path),
        }
    }
}

/// What `@1/` costs, in tenths of a token.
const ALIAS_COST: i64 = 30;
/// What the line of an alias costs beside its directory.
const ALIAS_LINE_COST: i64 = 40;

/// About what a directory and the slash behind it cost, in tenths of a token: a token for most names and for each mark
/// within. Choosing does not need to count.
fn directory_cost(path: &str) -> i64 {
    let name = |name: &str| {
        1 + name.len().saturating_sub(1) / LETTERS + name.matches(['_', '-', '.']).count()
    };
    10 * (i64::from(to_u32(path.split('/').map(name).sum())) + 1)
}

/// All directories of the paths and those above them.
fn candidates<'p>(uses: &BTreeMap<&'p str, i64>) -> Vec<Candidate<'p>> {
    let mut all: BTreeMap<&str, i64> = BTreeMap::new();
    for (path, count) in uses.iter().take(DIRECTORIES_MAX) {
        *all.entry(path).or_default() += count;
        for (at, _) in path.match_indices('/') {
            all.entry(&path[..at]).or_default();
        }
    }
    let numbers: BTreeMap<&str, usize> = all
        .keys()
        .enumerate()
        .map(|(number, path)| (*path, number))
        .collect();
    let candidate = |(path, uses): (&'p str, i64)| {
        let ends = path
            .match_indices('/')
            .map(|(at, _)| &path[..at])
            .chain([path]);
        let cost = directory_cost(path);
        Candidate {
            path,
            cost,
            cost_now: cost,
            uses,
            above: ends.filter_map(|end| numbers.get(end).copied()).collect(),
        }
    };
    all.into_iter().map(candidate).collect()
}

/// The directory whose alias saves most; the first among equals, none when none pays.
fn best(candidates: &[Candidate<'_>]) -> Option<usize> {
    let mut savings = vec![0_i64; candidates.len()];
    for candidate in candidates {
        for above in &candidate.above {
            let with_alias = ALIAS_COST + candidate.cost - candidates[*above].cost;
            savings[*above] += candidate.uses * (candidate.cost_now - with_alias).max(0);
        }
    }
    let line = |candidate: &Candidate<'_>| candidate.cost + ALIAS_LINE_COST;
    let net = savings
        .iter()
        .zip(candidates)
        .map(|(saving, candidate)| saving - line(candidate));
    let (at, saving) = net
        .enumerate()
        .max_by_key(|(at, saving)| (*saving, std::cmp::Reverse(*at)))?;
    (saving >= SAVING_MIN).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::token::estimate;
    use proptest::prelude::*;

    #[test]
    fn aliases_stand_where_they_pay() {
        assert_eq!(Legend::choose(["src/symbol/a.rs"; 3]), Legend::default());
        let legend = Legend::choose(
            ["src/symbol/extract/tests/a.rs"; 40]
                .into_iter()
                .chain(["README.md"]),
        );
        assert_eq!(
            legend.text(),
            format!("{KEY}@1/=src/symbol/extract/tests/\n")
        );
        assert_eq!(legend.shorten("src/symbol/extract/tests/b.rs"), "@1/b.rs");
        assert_eq!(legend.shorten("src/symbol/b.rs"), "src/symbol/b.rs");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_legend_never_costs_more_than_it_saves(paths in prop::collection::vec("(ab|cdefgh|i_j/k){1,3}/(lm/){0,3}n", 0..80)) {
            let legend = Legend::choose(paths.iter().map(String::as_str));
            let lines = |legend: &Legend| {
                paths.iter().fold(legend.text(), |text, path| text + &legend.shorten(path) + "\n")
            };
            prop_assert!(estimate(&lines(&legend)) <= estimate(&lines(&Legend::default())));
        }
    }
}

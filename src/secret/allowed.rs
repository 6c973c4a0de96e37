//! The findings that the user has allowed: a set of ids, never of secrets.

use std::collections::BTreeSet;

use super::finding::{Finding, FindingId};

/// The ids that are let through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(BTreeSet<FindingId>);

impl Allowed {
    /// Reads a file of one id per line; damaged lines allow nothing.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        text.lines()
            .filter_map(|line| line.trim().parse().ok())
            .collect()
    }

    /// The bytes of the file, one id per line, in order.
    #[must_use]
    pub fn render(&self) -> String {
        self.0.iter().flat_map(|id| [id.as_str(), "\n"]).collect()
    }

    /// True when a finding may pass.
    #[must_use]
    pub fn allows(&self, finding: &Finding) -> bool {
        self.0.contains(&finding.id)
    }

    /// Adds an id; false when it was there.
    pub fn insert(&mut self, id: FindingId) -> bool {
        self.0.insert(id)
    }
}

impl FromIterator<FindingId> for Allowed {
    fn from_iter<I: IntoIterator<Item = FindingId>>(ids: I) -> Self {
        Self(ids.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_back_without_its_damage() {
        let ids: Allowed = [FindingId::of("a", b"1"), FindingId::of("b", b"2")]
            .into_iter()
            .collect();
        assert_eq!(Allowed::parse(&ids.render()), ids);
        assert_eq!(
            Allowed::parse(&format!("{}junk\n\n\u{1b}\n", ids.render())),
            ids
        );
    }
}

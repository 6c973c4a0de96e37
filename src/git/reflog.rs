//! The logs of this program's own refs: where each stood before, so that what a forced fetch has thrown away is found.
//!
//! git keeps logs of branches and the like only, unless one is there already; then it adds to it as well. The lines are
//! git's, and `git reflog` reads and expires them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::child::GitCommand;
use super::commit::identity;
use super::repo::Repository;
use crate::base::{NodeId, clock};

/// What every ref of this program begins with.
const OWN: &str = "refs/merkle";
/// Most entries of a log that are looked at.
const ENTRIES_MAX: &str = "--max-count=200";

impl Repository {
    /// True for a ref of this program whose log is there already, as git asks it.
    ///
    /// None is begun: `git gc` locks every ref that has a log, so it would fail beside the lock of a killed writer.
    pub(super) fn keeps_log(&self, name: &str) -> bool {
        let is_wanted =
            name.starts_with(OWN) && self.config_bool("core.logAllRefUpdates") != Some(false);
        is_wanted && self.log_of(name).is_file()
    }

    pub(super) fn log_of(&self, name: &str) -> PathBuf {
        self.common_dir().join("logs").join(name)
    }

    /// Adds a line to a ref's log; the caller holds the ref's lock and has seen that no link leads elsewhere.
    pub(super) fn log_ref(&self, name: &str, old: Option<NodeId>, new: &NodeId) -> io::Result<()> {
        let path = self.log_of(name);
        let folder = path.parent().expect("a log has a folder");
        fs::create_dir_all(folder)?;
        let old = old.map_or_else(
            || "0".repeat(2 * self.hash_kind().id_bytes()),
            |old| old.to_string(),
        );
        let (who, mail) = self.signature();
        let line = format!(
            "{old} {new} {}\tgit-merkle\n",
            identity(&who, &mail, clock::now_seconds())
        );
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)?
            .write_all(line.as_bytes())
    }

    /// True when git knows where a ref has stood before.
    #[must_use]
    pub fn has_log(&self, name: &str) -> bool {
        !self.logged(name).is_empty()
    }

    /// Commits at which a ref has stood and that neither it nor the given commits reach now; empty where no log is kept.
    #[must_use]
    pub fn left_behind(&self, name: &str, settled: &[NodeId]) -> Vec<NodeId> {
        let logged = self.logged(name);
        let Ok(Some(now)) = self.find_direct_ref(name) else {
            return logged;
        };
        let before: Vec<&NodeId> = logged
            .iter()
            .filter(|commit| matches!(self.header(commit), Ok(Some(_))))
            .collect();
        let mut input = format!("^{now}\n");
        for commit in settled {
            input.extend(["^", &commit.to_string(), "\n"]);
        }
        for commit in &before {
            input.extend([&commit.to_string(), "\n"]);
        }
        let commits = GitCommand::new(self, "rev-list")
            .option("--stdin")
            .run_ids(input.as_bytes())
            .unwrap_or_default();
        commits
            .into_iter()
            .filter(|commit| before.contains(&commit))
            .collect()
    }

    /// Where a ref has stood, newest first; empty where no log is kept.
    fn logged(&self, name: &str) -> Vec<NodeId> {
        let command = GitCommand::new(self, "reflog")
            .option("show")
            .option("--format=%H")
            .option(ENTRIES_MAX)
            .operand(name);
        command.run_ids(b"").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::super::refs::Expected;

    const NAME: &str = "refs/merkle/frames";

    /// Before, what a forced fetch threw away was found by `git fsck --lost-found` alone.
    #[test]
    fn git_adds_to_the_log_and_reads_it() {
        let fixture = Fixture::new();
        let [one, two] = ["one", "two"].map(|text| fixture.commit(text));
        let repo = fixture.open();
        assert_eq!(repo.logged(NAME), []);
        fixture.git(&["config", "core.logAllRefUpdates", "always"]);
        let repo = fixture.open();
        repo.update_ref(NAME, &one, Expected::Absent).unwrap();
        fixture.git(&["update-ref", NAME, &two.to_string()]);
        repo.update_ref(NAME, &one, Expected::At(two)).unwrap();
        assert_eq!(repo.logged(NAME), [one, two, one]);
        assert_eq!(
            repo.left_behind(NAME, &[]),
            [two],
            "'two' is a child of 'one'"
        );
        fixture.git(&["reflog", "expire", "--expire=all", NAME]);
        assert_eq!(repo.logged(NAME), []);
        repo.delete_ref(NAME).unwrap();
        assert!(
            !repo.log_of(NAME).exists(),
            "a log of no ref would be in the way of refs below that name"
        );
    }
}

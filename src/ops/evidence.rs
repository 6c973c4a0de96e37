//! What git's history says about how files change: which of the newest commits touched which path.
//!
//! One bounded walk back along first parents, comparing trees; equal subtrees are never read. A merge counts as one
//! commit that touched what it brought in. A shallow clone simply has fewer commits.

use std::collections::BTreeMap;

use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, Repository, diff_trees};
use crate::tier::Touches;

/// Commits that are looked at: the oldest of them weighs about a twentieth of the newest.
pub const COMMITS_MAX: u32 = 500;
/// Changes of one commit that are looked at; one that touches more is an import or a reformatting, and ends the walk.
const CHANGES_MAX: usize = 50_000;

/// The newest commits, and who was touched by them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// How many commits were looked at.
    pub commits: u32,
    touches: BTreeMap<TreePath, Touches>,
    list: Touches,
}

impl Evidence {
    /// Walks back from a commit, which counts as the newest.
    pub fn of_history(
        repo: &Repository,
        commit: &NodeId,
        commits_max: u32,
    ) -> Result<Self, ObjectError> {
        let mut evidence = Self::default();
        let mut newer: Option<NodeId> = None;
        let mut is_whole = true;
        for step in repo.first_parents(commit) {
            let (_, tree) = step?;
            if let Some(newer) = newer
                && (evidence.commits >= commits_max || !evidence.add(repo, Some(tree), newer)?)
            {
                is_whole = false;
                break;
            }
            newer = Some(tree);
        }
        // A root commit creates everything; so does the edge of a shallow clone seem to, which says nothing.
        if let Some(root) =
            newer.filter(|_| is_whole && !repo.is_shallow() && evidence.commits < commits_max)
        {
            evidence.add(repo, None, root)?;
        }
        Ok(evidence)
    }

    /// What is known of a path; nothing for one that no commit touched.
    #[must_use]
    pub fn touches(&self, path: &TreePath) -> Touches {
        self.touches.get(path).cloned().unwrap_or_default()
    }

    /// What is known of the list of all files: the commits in which a file came or went.
    #[must_use]
    pub fn list(&self) -> &Touches {
        &self.list
    }

    /// Adds the next older commit; false when it changes too much to say anything.
    fn add(
        &mut self,
        repo: &Repository,
        old: Option<NodeId>,
        new: NodeId,
    ) -> Result<bool, ObjectError> {
        let (mut changed, mut is_listed_anew) = (Vec::new(), false);
        diff_trees(repo, old, Some(new), &mut |change| {
            let is_file = |side: &(EntryMode, NodeId)| side.0 != EntryMode::Directory;
            if change.old.iter().chain(&change.new).any(is_file) {
                is_listed_anew |= !(change.old.as_ref().is_some_and(is_file)
                    && change.new.as_ref().is_some_and(is_file));
                changed.push(change.path);
            }
            changed.len() <= CHANGES_MAX
        })?;
        if changed.len() > CHANGES_MAX {
            return Ok(false);
        }
        for path in changed {
            self.touches
                .entry(path)
                .or_default()
                .commits_ago
                .push(self.commits);
        }
        if is_listed_anew {
            self.list.commits_ago.push(self.commits);
        }
        self.commits += 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Location;
    use std::path::Path;
    use std::process::Command;

    #[expect(clippy::disallowed_methods, reason = "stock git makes the history")]
    fn git(at: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        let settings = [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        let output = command
            .current_dir(at)
            .env("HOME", at)
            .args(settings)
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn history(commits: &[&[(&str, &str)]]) -> (tempfile::TempDir, Repository, NodeId) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        git(at, &["init", "-q", "."]);
        for files in commits {
            for (path, text) in *files {
                std::fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
                std::fs::write(at.join(path), text).unwrap();
            }
            git(at, &["add", "-A"]);
            git(at, &["commit", "-q", "--allow-empty", "-m", "step"]);
        }
        let head = git(at, &["rev-parse", "HEAD"]).parse().unwrap();
        let repo = Repository::open(&Location {
            directory: at.to_owned(),
            ..Location::default()
        })
        .unwrap();
        (folder, repo, head)
    }

    #[test]
    fn says_which_commits_touched_a_path() {
        let commits: &[&[(&str, &str)]] = &[
            &[("a", "1"), ("d/b", "1")],
            &[("d/b", "2")],
            &[],
            &[("d/b", "3"), ("c", "1")],
        ];
        let (_folder, repo, head) = history(commits);
        let evidence = Evidence::of_history(&repo, &head, COMMITS_MAX).unwrap();
        assert_eq!(evidence.commits, 4);
        let told = |path: &str| evidence.touches(&path.into()).commits_ago;
        assert_eq!(told("a"), [3]);
        assert_eq!(told("d/b"), [0, 2, 3]);
        assert_eq!(told("c"), [0]);
        assert_eq!(told("d"), [0; 0]);
        assert_eq!(
            evidence.list().commits_ago,
            [0, 3],
            "the commits in which a file came or went"
        );
    }

    #[test]
    fn looks_at_no_more_commits_than_wanted() {
        let (_folder, repo, head) = history(&[&[("a", "1")], &[("a", "2")], &[("a", "3")]]);
        let evidence = Evidence::of_history(&repo, &head, 2).unwrap();
        assert_eq!(
            (evidence.commits, evidence.touches(&"a".into()).commits_ago),
            (2, vec![0, 1])
        );
    }
}

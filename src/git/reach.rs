//! Which objects the user's refs reach. The refs of this program do not count, they are not the user's.

use std::collections::HashSet;

use super::child::{ChildError, GitCommand, failed};
use super::remote::{Prompt, network};
use super::repo::Repository;
use super::walk::{find, revisions};
use crate::base::NodeId;

/// git's pattern for the refs of this program.
const OWN_REFS: &str = "--exclude=refs/merkle*";

/// How far back from the refs, `HEAD` of each work tree and the commits that are named besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach<'a> {
    /// What stands in their own trees, and in the index.
    Tips,
    /// What stands in the trees of commits since a time, as git reads it.
    Since(&'a str),
    /// Everything.
    History,
}

impl Repository {
    /// Which of the wanted objects are in reach; the walk ends when all are found.
    ///
    /// In a partial clone what is absent is found by its name in a tree, and not what is below it; elsewhere it is an error.
    pub fn in_reach(
        &self,
        reach: Reach<'_>,
        more: &[NodeId],
        wanted: HashSet<NodeId>,
    ) -> Result<HashSet<NodeId>, ChildError> {
        let command = GitCommand::new(self, "rev-list")
            .option("--objects")
            .option("--no-object-names")
            .option("--stdin");
        let command = if self.is_partial() {
            command.option("--missing=print")
        } else {
            command
        };
        match reach {
            Reach::Tips => find(
                command
                    .option("--no-walk")
                    .option(OWN_REFS)
                    .option("--all")
                    .option("--indexed-objects"),
                more,
                &[],
                wanted,
            ),
            Reach::History => find(command.option(OWN_REFS).option("--all"), more, &[], wanted),
            // '--objects --since' leaves out what the commits before that time have, though it may still be there.
            Reach::Since(time) => match self.commits_since(time, more)?.as_slice() {
                [] => Ok(HashSet::new()),
                commits => find(command.option("--no-walk"), commits, &[], wanted),
            },
        }
    }

    fn commits_since(&self, time: &str, more: &[NodeId]) -> Result<Vec<NodeId>, ChildError> {
        let command = GitCommand::new(self, "rev-list")
            .option_value("--since", time)
            .option("--stdin");
        command
            .option(OWN_REFS)
            .option("--all")
            .run_ids(revisions(more, &[]).as_bytes())
    }

    /// Where the branches and tags of a remote stand.
    pub fn remote_tips(&self, remote: &str, prompt: Prompt) -> Result<Vec<NodeId>, ChildError> {
        let command = network(self, "ls-remote", remote, prompt)
            .option("--heads")
            .option("--tags")
            .option("--refs");
        let output = command.operand(remote).output(b"")?;
        if !output.status.success() {
            return Err(failed("ls-remote", &output));
        }
        let listed = String::from_utf8_lossy(&output.stdout);
        let mut tips: Vec<NodeId> = listed
            .lines()
            .filter_map(|line| line.split('\t').next()?.parse().ok())
            .collect();
        tips.sort_unstable();
        tips.dedup();
        Ok(tips)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn what_stood_within_a_time_is_in_reach_and_refs_of_this_program_are_not() {
        let fixture = Fixture::new();
        let commits: Vec<NodeId> = ["one", "two", "three"]
            .map(|text| {
                std::fs::write(fixture.root.join("file"), text).unwrap();
                fixture.commit(text)
            })
            .into();
        let repo = fixture.open();
        let trees: Vec<NodeId> = commits
            .iter()
            .map(|commit| repo.tree_of(commit).unwrap())
            .collect();
        fixture.git(&["update-ref", "refs/merkle/frames", &commits[2].to_string()]);
        fixture.git(&["reset", "-q", "--hard", &commits[1].to_string()]);
        let wanted = || trees.iter().copied().collect::<HashSet<_>>();
        let of = |reach, more: &[NodeId]| {
            let found = repo.in_reach(reach, more, wanted()).unwrap();
            trees
                .iter()
                .map(|tree| found.contains(tree))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(Reach::Tips, &[]), [false, true, false]);
        assert_eq!(of(Reach::Tips, &commits[2..]), [false, true, true]);
        assert_eq!(of(Reach::History, &[]), [true, true, false]);
        assert_eq!(of(Reach::Since("2000-01-01"), &[]), [true, true, false]);
        assert_eq!(of(Reach::Since("2099-01-01"), &[]), [false, false, false]);
    }
}

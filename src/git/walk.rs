//! What histories reach: objects, and all paths that they ever had. git walks, and stops when all is found.

use std::collections::HashSet;

use super::child::{ChildError, GitCommand};
use super::repo::Repository;
use crate::base::NodeId;

impl Repository {
    /// At which of the wanted paths the histories of some commits, and not those of others, have begun to have something.
    ///
    /// A walk that this clone lacks objects for finds what it can.
    pub fn paths_of(
        &self,
        tips: &[NodeId],
        not: &[NodeId],
        mut wanted: HashSet<Vec<u8>>,
    ) -> Result<HashSet<Vec<u8>>, ChildError> {
        let mut found = HashSet::new();
        // git reads paths line by line here.
        wanted.retain(|path| !path.contains(&b'\n'));
        if tips.is_empty() || wanted.is_empty() {
            return Ok(found);
        }
        let mut input = revisions(tips, not).into_bytes();
        input.extend_from_slice(b"--\n");
        for path in &wanted {
            input.extend([&path[..], b"\n"].concat());
        }
        let command = GitCommand::new(self, "log")
            .setting("log.showRoot=true")
            .setting("core.quotePath=false")
            .option("--format=")
            .option("--name-only")
            .option("-z")
            .option("--no-renames")
            .option("--diff-filter=A")
            .option("--diff-merges=separate")
            .option("--stdin")
            .literal_paths();
        let walked = command.run_records(&input, 0, &mut |path| {
            let folders = path
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'/')
                .map(|(at, _)| &path[..at]);
            for known in folders.chain([path]) {
                found.extend(wanted.take(known));
            }
            !wanted.is_empty()
        });
        match walked {
            Err(ChildError::Failed { .. }) if self.is_partial() => Ok(found),
            walked => walked.map(|()| found),
        }
    }

    /// Which of the wanted objects some commits reach and others do not; the walk ends when all are found.
    ///
    /// An object that is absent from this clone, as in a partial one, is found by its name in a tree. Of what both reach
    /// some may be found, too.
    pub fn reachable_of(
        &self,
        tips: &[NodeId],
        not: &[NodeId],
        wanted: HashSet<NodeId>,
    ) -> Result<HashSet<NodeId>, ChildError> {
        if tips.is_empty() {
            return Ok(HashSet::new());
        }
        let command = GitCommand::new(self, "rev-list")
            .option("--objects")
            .option("--no-object-names")
            .option("--in-commit-order")
            .option("--missing=print")
            .option("--stdin");
        find(command, tips, not, wanted)
    }
}

/// Which of the wanted objects a list of git names, whose walk ends when all are found.
pub(super) fn find(
    command: GitCommand,
    tips: &[NodeId],
    not: &[NodeId],
    mut wanted: HashSet<NodeId>,
) -> Result<HashSet<NodeId>, ChildError> {
    let mut found = HashSet::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    command.run_records(revisions(tips, not).as_bytes(), b'\n', &mut |line| {
        let digits = std::str::from_utf8(line.strip_prefix(b"?").unwrap_or(line));
        let id = digits.ok().and_then(|digits| digits.parse::<NodeId>().ok());
        found.extend(id.filter(|id| wanted.remove(id)));
        !wanted.is_empty()
    })?;
    Ok(found)
}

/// Commits to begin at and to end before, as `--stdin` takes them.
pub(super) fn revisions(tips: &[NodeId], not: &[NodeId]) -> String {
    let not = not.iter().map(|commit| format!("^{commit}\n"));
    tips.iter()
        .map(|commit| format!("{commit}\n"))
        .chain(not)
        .collect::<Vec<_>>()
        .concat()
}

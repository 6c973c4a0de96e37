//! What is said where this clone does not hold files: how many, and the command that brings exactly those.

use crate::base::count::counted;
use crate::git::{HashKind, Repository};

/// The command that brings the files of a revision which a partial clone does not hold, and no others.
///
/// `git diff` asks for all blobs that it needs at once, and the empty tree differs from a revision in all of its files;
/// `git fetch --refetch` would bring the whole history. In a clone that should hold everything it is the repair.
#[must_use]
pub fn fetch_command(repo: &Repository, revision: &str) -> String {
    if !repo.is_partial() {
        return "git fetch --refetch".to_owned();
    }
    let empty_tree = match repo.hash_kind() {
        HashKind::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        HashKind::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    };
    format!("git diff --shortstat {empty_tree} {revision}")
}

/// A sentence about files that this clone does not hold; `None` where it holds all.
#[must_use]
pub fn note(repo: &Repository, count: usize, revision: &str) -> Option<String> {
    let many = counted(count, "file", "files");
    let fetch = fetch_command(repo, revision);
    (count > 0)
        .then(|| format!("the content of {many} is missing in this clone; '{fetch}' brings it"))
}

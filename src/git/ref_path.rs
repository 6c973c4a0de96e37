//! Links on the way to what git keeps for a ref: its file, its log, the tables of a reftable repository.
//!
//! A git directory that another person has packed can hold a link in the place of `refs`, `logs` or a folder below. Git
//! follows it: a ref that moves is then one of another repository, and the line of a log, with a committer's name that the
//! local configuration chooses, is added to any file of the user. So this program follows none, with one exception.
//! `git-new-workdir` and Android's `repo` share these folders between work trees by links on purpose. There the objects are
//! shared as well, and the link leads to the folder of the same name beside them.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders that such layouts link.
const SHARED: [&str; 4] = ["refs", "logs", "logs/refs", "reftable"];

/// The first link between the git directory and a path below it that is no such folder; `None` when there is none.
pub(super) fn link_on_the_way(common_dir: &Path, below: &str) -> Option<PathBuf> {
    let ends = below
        .match_indices('/')
        .map(|(end, _)| end)
        .chain([below.len()]);
    ends.map(|end| &below[..end]).find_map(|place| {
        let path = common_dir.join(place);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        (is_link && !is_shared(common_dir, place)).then_some(path)
    })
}

/// True when a link leads to the same folder of a repository with the same objects.
fn is_shared(common_dir: &Path, place: &str) -> bool {
    let Ok(target) = common_dir.join(place).canonicalize() else {
        return false;
    };
    if !SHARED.contains(&place) || !target.ends_with(place) || !target.is_dir() {
        return false;
    }
    let objects = |folder: &Path| folder.join("objects").canonicalize().ok();
    let other = target.ancestors().nth(place.split('/').count());
    other
        .and_then(objects)
        .is_some_and(|there| objects(common_dir) == Some(there))
}

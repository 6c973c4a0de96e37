//! The work tree as this process saw it last: where nothing has changed since, its root tree is known.

use std::sync::Arc;

use crate::base::Shelf;
use crate::git::{Repository, Sweep};
use crate::node::{Snapshot, SnapshotError, SnapshotRoot};

/// A look at the work tree, and what git made of it afterwards.
struct Seen {
    sweep: Sweep,
    root: SnapshotRoot,
}

/// The root of the work tree, by what is on the shelf or by git.
pub(super) fn work_tree(repo: &Repository, shelf: &Shelf) -> Result<SnapshotRoot, SnapshotError> {
    let before = shelf.find::<Seen>(|_| true);
    if let Some(before) = &before
        && before.sweep.is_settled()
        // Nothing leads to the tree of a changed work tree, so `git gc` may have removed it.
        && matches!(repo.header(&before.root.tree), Ok(Some(_)))
        && let Some(open) = before.sweep.begin_look(repo)
        && shelf.check({
            let before = Arc::clone(before);
            move || before.sweep.holds_below(&open)
        })
    {
        return Ok(SnapshotRoot {
            history: repo.resolve_commit("HEAD").ok(),
            ..before.root.clone()
        });
    }
    let sweep = Sweep::of(repo, before.as_ref().map(|before| &before.sweep));
    drop(before);
    let root = Snapshot::Worktree.root(repo)?;
    match sweep {
        Some(sweep) => drop(shelf.put(
            Arc::new(Seen {
                sweep,
                root: root.clone(),
            }),
            1,
        )),
        None => shelf.clear::<Seen>(),
    }
    Ok(root)
}

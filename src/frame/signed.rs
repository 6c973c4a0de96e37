//! The folder `signed` of a store's tree: manifests at `signed/<aa>/<digest>`, read in bounded work.
//!
//! The digest is the SHA-256 of the manifest's bytes, so a name says all that must be in the blob. Two stores unite here as they do
//! for frames, with directories like theirs. A manifest none of whose statements is left goes with `gc`.

use std::collections::HashSet;

use super::directory;
use super::entry::{FOLDER, ManifestEntry, StoreError};
use super::fault::{BadEntry, Fault};
use super::manifest::MANIFESTS_MAX;
use crate::base::{Digest, NodeId, TreePath};
use crate::git::{EntryMode, Repository, tree_entries};

/// Most names in the folder that are looked at, good or bad.
const NAMES_MAX: usize = 4 * MANIFESTS_MAX;

/// True for a path below the folder.
#[must_use]
pub fn is_path(path: &[u8]) -> bool {
    path.strip_prefix(FOLDER.as_bytes())
        .is_some_and(|rest| rest.starts_with(b"/"))
}

/// All manifests of a store's tree whose names are good.
pub fn list(repo: &Repository, tree: Option<NodeId>) -> Result<Vec<ManifestEntry>, StoreError> {
    let mut bad = Vec::new();
    let Some(folder) = directory::signed_folder(repo, tree)? else {
        return Ok(Vec::new());
    };
    added(repo, [None, Some(folder)], &mut bad)
}

/// The manifests in one store's tree that another one lacks.
pub fn gained(
    repo: &Repository,
    old: Option<NodeId>,
    new: Option<NodeId>,
) -> Result<Vec<ManifestEntry>, StoreError> {
    let folders = [
        directory::signed_folder(repo, old)?,
        directory::signed_folder(repo, new)?,
    ];
    added(repo, folders, &mut Vec::new())
}

/// The manifests in one folder `signed` that another one lacks, and what else is new there, which is bad.
pub(super) fn added(
    repo: &Repository,
    [old, new]: [Option<NodeId>; 2],
    bad: &mut Vec<BadEntry>,
) -> Result<Vec<ManifestEntry>, StoreError> {
    let mut look = Look {
        repo,
        names: 0,
        bad,
    };
    let above = TreePath::from(FOLDER);
    let mut found = Vec::new();
    let before = look.folders(old, &above, false)?;
    for (name, tree) in look.folders(new, &above, true)? {
        let there = before
            .iter()
            .find(|(other, _)| *other == name)
            .map(|(_, tree)| *tree);
        if there == Some(tree) {
            continue;
        }
        let known: HashSet<ManifestEntry> =
            look.manifests(there, name, None)?.into_iter().collect();
        let place = above.join(&name);
        found.extend(
            look.manifests(Some(tree), name, Some(&place))?
                .into_iter()
                .filter(|entry| !known.contains(entry)),
        );
    }
    if look.names > NAMES_MAX || found.len() > MANIFESTS_MAX {
        directory::note(look.bad, || above.clone(), Fault::Manifests);
        found.truncate(MANIFESTS_MAX);
    }
    Ok(found)
}

/// Takes an entry by name, mode and id, and says what is wrong with it.
type Visit<'v> = dyn FnMut(&[u8], EntryMode, NodeId) -> Option<Fault> + 'v;

struct Look<'a> {
    repo: &'a Repository,
    /// Names that were looked at.
    names: usize,
    bad: &'a mut Vec<BadEntry>,
}

impl Look<'_> {
    /// The directories of two hex digits; everything else is bad, where it is new.
    fn folders(
        &mut self,
        tree: Option<NodeId>,
        above: &TreePath,
        is_new: bool,
    ) -> Result<Vec<([u8; 2], NodeId)>, StoreError> {
        let mut folders = Vec::new();
        self.visit(
            tree,
            above,
            &mut |name, mode, id| match directory::two_digits(name) {
                Some(digits) if mode == EntryMode::Directory => {
                    folders.push((digits, id));
                    None
                }
                _ => is_new.then_some(Fault::Name),
            },
        )?;
        Ok(folders)
    }

    /// The well named manifests of a directory; everything else is bad, where a place for it is given.
    fn manifests(
        &mut self,
        tree: Option<NodeId>,
        above: [u8; 2],
        place: Option<&TreePath>,
    ) -> Result<Vec<ManifestEntry>, StoreError> {
        let mut entries = Vec::new();
        let path = place.cloned().unwrap_or_default();
        self.visit(tree, &path, &mut |name, mode, blob| {
            let digest = std::str::from_utf8(name)
                .ok()
                .and_then(Digest::from_hex)
                .filter(|_| name.starts_with(&above));
            match (digest, mode) {
                (Some(digest), EntryMode::File | EntryMode::Executable) => {
                    entries.push(ManifestEntry { digest, blob });
                    None
                }
                (Some(_), mode) => place.map(|_| Fault::Mode(mode)),
                (None, _) => place.map(|_| Fault::Name),
            }
        })?;
        Ok(entries)
    }

    fn visit(
        &mut self,
        tree: Option<NodeId>,
        above: &TreePath,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        let Some(tree) = tree.filter(|_| self.names <= NAMES_MAX) else {
            return Ok(());
        };
        let mut data = Vec::new();
        if let Err(fault) = directory::read_tree(self.repo, &tree, &mut data)? {
            directory::note(self.bad, || above.clone(), fault);
            return Ok(());
        }
        for entry in tree_entries(tree, &data, self.repo.hash_kind()) {
            let entry = entry?;
            self.names += 1;
            if self.names > NAMES_MAX {
                break;
            }
            if let Some(fault) = visit(entry.name, entry.mode, entry.id) {
                directory::note(self.bad, || above.join(entry.name), fault);
            }
        }
        Ok(())
    }
}

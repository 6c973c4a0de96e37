//! Lists of signed statements of which none is left: they go with the frames.

use std::collections::{BTreeSet, HashSet};

use super::entry::StoreError;
use super::listing;
use super::manifest::{Manifest, StatementKey};
use super::name::FrameName;
use super::signed::list;
use crate::base::NodeId;
use crate::git::Repository;

/// The paths of a tree's manifests none of whose statements is left once those at `gone` are.
pub fn orphans(
    repo: &Repository,
    tree: NodeId,
    gone: &BTreeSet<Vec<u8>>,
) -> Result<BTreeSet<Vec<u8>>, StoreError> {
    let entries = list(repo, Some(tree))?;
    if entries.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut left: HashSet<StatementKey> = HashSet::new();
    listing::visit_added(repo, None, Some(tree), &mut |listed| {
        let stays = |name: &FrameName| gone.is_empty() || !gone.contains(name.path().as_bytes());
        let names = listed
            .entries
            .into_iter()
            .map(|entry| entry.name)
            .filter(stays);
        left.extend(names.map(|name| StatementKey {
            frame: name.frame,
            seq: name.seq,
        }));
        Ok(())
    })?;
    // What this program cannot read it does not judge.
    let names_none = |manifest: Manifest| manifest.lines.iter().all(|(key, _)| !left.contains(key));
    let orphans = entries
        .iter()
        .filter(|entry| entry.read(repo).is_ok_and(names_none));
    Ok(orphans.map(|entry| entry.path().into_bytes()).collect())
}

//! What stands for a file in the bases of an agent to whom only outlines matter: an edit inside a function body is none.

use super::plan::file_name;
use crate::base::cores::on_all_cores;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{Digest, TreePath};
use crate::git::{ObjectKind, Repository};
use crate::node::Scan;
use crate::symbol::OutlineCache;
use crate::synthesis::outline;

/// The digests of the outlines of a scan's files, by number, made on all cores.
///
/// `None` for directories, and for files without an outline that could stand for them: no language, over the size
/// cap, not in this partial clone. Those are known by their ids.
#[must_use]
pub fn outlines(repo: &Repository, scan: &Scan, root: &TreePath, cache: &OutlineCache) -> Vec<Option<Digest>> {
    let is_wanted = |number: &u32| !scan.node(*number).is_directory;
    let files: Vec<u32> = scan.bottom_up().iter().copied().filter(is_wanted).collect();
    let mut digests = vec![None; scan.len()];
    let work = |repo: &Repository, at: usize| digest(repo, scan, root, cache, files[at]);
    for (number, digest) in files.iter().zip(on_all_cores(files.len(), repo, || repo.fork(), work)) {
        digests[*number as usize] = digest;
    }
    digests
}

fn digest(repo: &Repository, scan: &Scan, root: &TreePath, cache: &OutlineCache, number: u32) -> Option<Digest> {
    let id = scan.node(number).id;
    let name = file_name(scan, root, number);
    let language = outline::language(name, b"")?;
    if let Some(known) = cache.get(id, Some(language)) {
        return Some(known.digest());
    }
    let header = repo.header(&id).ok()??;
    if header.size_bytes > FILE_BYTES_MAX {
        return None;
    }
    let mut data = Vec::with_capacity(header.size_bytes as usize);
    repo.read(&id, ObjectKind::Blob, &mut data).ok()?;
    let outline = outline::outline(name, &data);
    cache.put(id, Some(language), &outline);
    Some(outline.digest())
}

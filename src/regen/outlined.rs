//! What stands for a file in the bases of an agent to whom only outlines matter: an edit inside a function body is none.

use super::plan::file_name;
use crate::base::cores::on_all_cores;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{Digest, TreePath};
use crate::git::{ObjectKind, Repository, StateDir};
use crate::node::Scan;
use crate::symbol::{Cached, ObjectCache, OutlineCache};
use crate::synthesis::outline;

/// Purpose of the key under which what is read from objects is kept.
const KEY_CONTEXT: &str = "git-merkle 2026 object cache/2";

/// The values of a kind that were read from objects before; where the file cannot be had, there are none.
#[must_use]
pub fn object_cache<T: Cached>(cache: &StateDir) -> ObjectCache<T> {
    let file = cache.create().and_then(|()| cache.open_to_append(T::FILE_NAME)).ok();
    ObjectCache::open(file, cache.key(KEY_CONTEXT))
}

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

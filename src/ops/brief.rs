//! What the beginning of each file costs in a map that is kept, so that a map within a budget reads the files that it shows.
//!
//! Sealed, derived, and deletable at any time: `cache/brief` is `git-merkle brief 1 <version of symbols>`, a line feed, then for each file
//! eight bytes of a keyed digest of its path, content and language, and its tokens in four, little endian, in order. A cost follows from
//! these alone, so what an edit leaves as it is does not have to be counted again.

use super::files::Files;
use crate::base::HashKey;
use crate::base::cores::on_all_cores;
use crate::base::number::IndexVec;
use crate::git::StateDir;
use crate::symbol::map::{FileNumber, FileSymbols, SymbolMap};
use crate::symbol::{Cached as _, Language};

const FILE_NAME: &str = "brief";
const KEY_CONTEXT: &str = "git-merkle 2026 brief/1";
const FILE_BYTES_MAX: u64 = 64 << 20;
const KEY_BYTES: usize = 8;
const COST_BYTES: usize = 4;

type FileKey = [u8; KEY_BYTES];

/// The tokens of the beginnings of some files, by the files' numbers; 0 for all others.
pub(super) fn costs(
    cache: &StateDir,
    files: &Files,
    map: &SymbolMap<'_>,
    wanted: &[FileNumber],
) -> IndexVec<FileNumber, u64> {
    let key = cache.key(KEY_CONTEXT);
    let keys: Vec<FileKey> = wanted
        .iter()
        .map(|number| file_key(&key, files, *number))
        .collect();
    let known = load(cache);
    let find = |key: &FileKey| {
        let at = known.binary_search_by_key(key, |(key, _)| *key).ok()?;
        Some(known[at].1)
    };
    let mut found: Vec<Option<u32>> = keys.iter().map(find).collect();
    let new: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
    let counted = on_all_cores(
        new.len(),
        &(),
        || (),
        |(), at| map.brief_cost(wanted[new[at]]),
    );
    for (at, cost) in new.iter().zip(counted) {
        found[*at] = Some(u32::try_from(cost).unwrap_or(u32::MAX));
    }
    let found: Vec<u32> = found.into_iter().flatten().collect();
    if !new.is_empty() {
        save(cache, keys.into_iter().zip(found.iter().copied()).collect());
    }
    let mut costs = IndexVec::from_vec(vec![0; files.paths.len()]);
    for (number, cost) in wanted.iter().zip(found) {
        costs[*number] = u64::from(cost);
    }
    costs
}

fn file_key(key: &HashKey, files: &Files, number: FileNumber) -> FileKey {
    let (path, content) = files.at(number);
    let language = content.language.map_or(0, Language::code);
    let bytes = [content.id.as_bytes(), &[language], path].concat();
    *key.digest(&bytes)
        .0
        .first_chunk()
        .expect("a digest is longer")
}

fn head() -> String {
    format!("git-merkle brief 1 {}\n", FileSymbols::VERSION)
}

fn load(cache: &StateDir) -> Vec<(FileKey, u32)> {
    let bytes = cache
        .read_sealed(FILE_NAME, FILE_BYTES_MAX)
        .unwrap_or_default();
    let Some(rows) = bytes.strip_prefix(head().as_bytes()) else {
        return Vec::new();
    };
    let row = |row: &[u8]| {
        let (key, cost) = row.split_at(KEY_BYTES);
        let cost = cost.try_into().expect("a row has four bytes for it");
        (
            key.try_into().expect("and eight for its key"),
            u32::from_le_bytes(cost),
        )
    };
    rows.chunks_exact(KEY_BYTES + COST_BYTES).map(row).collect()
}

/// A disk that refuses only costs time.
fn save(cache: &StateDir, mut rows: Vec<(FileKey, u32)>) {
    rows.sort_unstable();
    rows.dedup_by_key(|(key, _)| *key);
    let mut bytes = head().into_bytes();
    for (key, cost) in rows {
        bytes.extend_from_slice(&key);
        bytes.extend_from_slice(&cost.to_le_bytes());
    }
    let _ = cache.keep(FILE_NAME, &bytes);
}

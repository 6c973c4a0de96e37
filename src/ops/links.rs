//! What follows from all files of a tree together, kept from one process to the next: a file for each of the newest trees.
//!
//! Sealed, derived, and deletable at any time: `git-merkle references 2 <tree> <version of symbols>`, then `cut` where the tree has more
//! files than a map, then the numbers of contents that are not in this clone, a line feed, for each content the [`CachePlace`] of
//! its symbols, and the bytes of [`MapLinks`]. They do while those contents are still missing. A place is only a hint.

use std::io::{BufRead as _, BufReader, Read as _};
use std::sync::Arc;

use super::files::Files;
use crate::base::NodeId;
use crate::base::number::IndexVec;
use crate::git::{Repository, StateDir};
use crate::symbol::map::{ContentNumber, FileSymbols, MapLinks};
use crate::symbol::{CachePlace, Cached as _};

/// Trees whose references are kept: those of a review's two sides, or of a work tree and its last commit.
pub(super) const KEPT_MAX: usize = 2;
/// The files; the one that was written longest ago is written anew.
const FILE_NAMES: [&str; KEPT_MAX] = ["references-1", "references-2"];
/// More than any snapshot's references take.
const FILE_BYTES_MAX: u64 = 512 << 20;
/// Most contents that may be missing: each is looked for again.
const ABSENT_MAX: usize = 100;
const HEAD_BYTES_MAX: u64 = 4_096;

/// References of a tree.
pub(super) struct KeptLinks {
    pub tree: NodeId,
    pub links: Arc<MapLinks>,
    /// Where the symbols of each content are kept.
    pub places: Arc<IndexVec<ContentNumber, CachePlace>>,
    /// The contents that were not in this clone, in order.
    pub absent: Vec<ContentNumber>,
    /// True when the tree has more files than a map.
    pub is_cut: bool,
}

/// The line in front of the references of a tree, up to what is said of its contents.
fn head(tree: NodeId) -> String {
    format!("git-merkle references 2 {tree} {}", FileSymbols::VERSION)
}

/// Takes the references of a tree from the cache, where they are and still hold.
pub(super) fn load(
    repo: &Repository,
    cache: &StateDir,
    tree: NodeId,
    files: &Files,
) -> Option<KeptLinks> {
    let head = head(tree);
    let name = FILE_NAMES
        .into_iter()
        .find(|name| first_line(cache, name).is_some_and(|line| line.starts_with(&head)))?;
    let mut bytes = cache.read_sealed(name, FILE_BYTES_MAX)?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut words = line
        .strip_prefix(&head)?
        .split_ascii_whitespace()
        .peekable();
    let is_cut = words.next_if_eq(&"cut").is_some();
    let number = |word: &str| word.parse().ok().map(ContentNumber::from_raw);
    let absent: Vec<ContentNumber> = words.map(number).collect::<Option<_>>()?;
    let is_missing = |content: &ContentNumber| {
        let content = files.contents.get(*content)?;
        Some(!matches!(repo.header(&content.id), Ok(Some(_))))
    };
    if absent
        .iter()
        .any(|content| is_missing(content) != Some(true))
    {
        return None;
    }
    bytes.drain(..=end);
    let places = bytes.get(..files.contents.len() * CachePlace::BYTES)?;
    let places: IndexVec<_, CachePlace> = places.as_chunks().0.iter().map(CachePlace::of).collect();
    bytes.drain(..places.len() * CachePlace::BYTES);
    Some(KeptLinks {
        tree,
        places: Arc::new(places),
        links: Arc::new(MapLinks::decode(bytes, files.paths.len())?),
        absent,
        is_cut,
    })
}

/// Keeps references that were found out from all symbols; a failure to write only costs time.
pub(super) fn save(cache: &StateDir, kept: &KeptLinks) {
    if kept.absent.len() > ABSENT_MAX {
        return;
    }
    let cut = kept.is_cut.then(|| "cut".to_owned());
    let absent = kept.absent.iter().map(|content| content.raw().to_string());
    let words: Vec<String> = std::iter::once(head(kept.tree))
        .chain(cut)
        .chain(absent)
        .collect();
    let mut bytes = (words.join(" ") + "\n").into_bytes();
    bytes.extend(kept.places.iter().flat_map(CachePlace::bytes));
    bytes.extend(kept.links.encode());
    let written = |name: &&str| {
        let file = cache.open(name, FILE_BYTES_MAX).ok()?;
        file.metadata().ok()?.modified().ok()
    };
    let name = FILE_NAMES.into_iter().min_by_key(written);
    let _ = cache.keep(name.expect("there are two names"), &bytes);
}

/// The line behind the seal.
fn first_line(cache: &StateDir, name: &str) -> Option<String> {
    let file = cache.open(name, FILE_BYTES_MAX).ok()?;
    let mut reader = BufReader::with_capacity(512, file.take(HEAD_BYTES_MAX));
    let mut line = String::new();
    for _ in 0..2 {
        line.clear();
        reader.read_line(&mut line).ok()?;
    }
    Some(line)
}

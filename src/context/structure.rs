//! The project structure: the tree as lines, whole or folded into a number of tokens.
//!
//! Folding opens directories from the top, at each depth those with few entries first, for as long as there is room. A
//! directory that has too many files for what is left shows its directories alone; one that is not opened is one line
//! with the number of files below it. So every reader sees how large everything is, and the top of it in full. In the default
//! payload a directory of many files is folded even where there is room: the map has those of them that say something.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, Write};

use super::markdown;
use super::secrets::Guard;
use super::tree::{STRUCTURE_LINES_MAX, Tree, WalkedPath};
use crate::base::TreePath;
use crate::base::count::counted;
use crate::base::number::IndexVec;
use crate::base::token::estimate;
use crate::git::EntryMode;
use crate::node::NodeNumber;
use crate::symbol::Language;

/// Directories that are opened at most.
const OPEN_MAX: usize = 20_000;
/// More files than these make a directory large.
const FILES_MAX: usize = 80;
/// More files than these without a grammar make a directory of data.
const DATA_MIN: usize = 24;
/// What ` (12345 files)` takes.
const COUNT_TOKENS: u64 = 5;

/// How much of an open directory is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Every entry.
    Whole,
    /// Its directories, and how many files there are besides.
    Directories(u64),
}

/// Which directories of a tree are open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    open: BTreeMap<Vec<u8>, Open>,
    /// Files below each node of the scan.
    counts: IndexVec<NodeNumber, u64>,
    /// True when nothing is folded.
    pub is_whole: bool,
}

impl Folded {
    /// Folds a tree so that its lines take about this many tokens at most.
    #[must_use]
    pub fn new(tree: &Tree, tokens_max: u64, folds_large: bool) -> Self {
        let mut folded = Self {
            open: BTreeMap::new(),
            counts: tree.file_counts().to_vec(),
            is_whole: true,
        };
        let mut tokens_left = tokens_max;
        // The smallest first: by depth, then by entries, then by path.
        let mut waiting = BinaryHeap::from([Reverse((
            0_usize,
            0_usize,
            Vec::<u8>::new(),
            tree.root_number(),
        ))]);
        while let Some(Reverse((depth, _, path, number))) = waiting.pop() {
            let lines =
                |only_directories| lines(tree, number, depth, only_directories, tokens_left);
            let (whole, directories) = (lines(false), lines(true));
            let open =
                if whole <= tokens_left && !(folds_large && depth > 0 && is_large(tree, number)) {
                    tokens_left -= whole;
                    Open::Whole
                } else if directories > 0 && directories <= tokens_left || depth == 0 {
                    folded.is_whole = false;
                    tokens_left = tokens_left.saturating_sub(directories);
                    let files = tree
                        .entries(number)
                        .filter(|entry| entry.mode != EntryMode::Directory)
                        .count();
                    Open::Directories(files as u64)
                } else {
                    folded.is_whole = false;
                    continue;
                };
            for entry in tree
                .entries(number)
                .filter(|entry| entry.mode == EntryMode::Directory)
            {
                if let Some(below) = entry.node {
                    let name = if path.is_empty() {
                        entry.name.to_vec()
                    } else {
                        [&path, &b"/"[..], entry.name].concat()
                    };
                    waiting.push(Reverse((
                        depth + 1,
                        tree.entries(below).count(),
                        name,
                        below,
                    )));
                }
            }
            folded.open.insert(path, open);
            if folded.open.len() == OPEN_MAX {
                folded.is_whole = false;
                break;
            }
        }
        folded
    }
}

/// Tokens of the lines of a directory, counted until they are more than `tokens_max`.
fn lines(
    tree: &Tree,
    number: NodeNumber,
    depth: usize,
    only_directories: bool,
    tokens_max: u64,
) -> u64 {
    let mut tokens = 0;
    for entry in tree.entries(number) {
        let is_directory = entry.mode == EntryMode::Directory;
        if tokens > tokens_max {
            break;
        }
        if is_directory || !only_directories {
            let line = format!(
                "{:width$}{}\n",
                "",
                markdown::plain(entry.name),
                width = 2 * depth
            );
            tokens += estimate(&line) + if is_directory { COUNT_TOKENS } else { 0 };
        }
    }
    tokens
}

impl Tree {
    /// Writes the tree as lines with two spaces of indentation for each level; directories end in `/`. With a guard,
    /// names have markers.
    pub fn write_structure(
        &self,
        out: &mut dyn Write,
        folded: Option<&Folded>,
        guard: Option<&Guard<'_>>,
    ) -> io::Result<()> {
        let opened =
            |path: &[u8]| folded.map_or(Some(Open::Whole), |folded| folded.open.get(path).copied());
        if let Some(Open::Directories(files)) = opened(b"") {
            writeln!(out, "… ({})", counted(files, "file", "files"))?;
        }
        let mut below = self.all();
        let mut lines = 0;
        while let Some(WalkedPath {
            path,
            name_at,
            depth,
            entry,
        }) = below.next_path()
        {
            let is_directory = entry.mode == EntryMode::Directory;
            if !is_directory {
                let parent = TreePath::new(path).parent().unwrap_or_default();
                if folded.is_some()
                    && matches!(opened(parent.as_bytes()), Some(Open::Directories(_)))
                {
                    continue;
                }
            }
            let name = &path[name_at..];
            let name =
                markdown::plain(&guard.map_or(Cow::Borrowed(name), |guard| guard.shown(name)));
            let open = if is_directory { opened(path) } else { None };
            let is_closed = is_directory && open.is_none();
            let end = match open {
                _ if !is_directory => String::new(),
                Some(Open::Whole) => "/".to_owned(),
                Some(Open::Directories(files)) => {
                    format!("/ ({} not listed)", counted(files, "file", "files"))
                }
                None => {
                    let counts = folded.map(|folded| &folded.counts).zip(entry.number());
                    let files = counts
                        .and_then(|(counts, number)| counts.get(number))
                        .copied();
                    format!(
                        "/ ({})",
                        counted(files.unwrap_or_default(), "file", "files")
                    )
                }
            };
            writeln!(out, "{:width$}{name}{end}", "", width = 2 * depth)?;
            if is_closed {
                below.skip();
            }
            lines += 1;
            if lines == STRUCTURE_LINES_MAX.min(self.paths_max()) {
                return writeln!(out, "… (only the first {lines} paths are shown)");
            }
        }
        Ok(())
    }
}

/// True for a directory of many files, of fewer where most have no grammar: data or pictures.
fn is_large(tree: &Tree, number: NodeNumber) -> bool {
    let files = tree
        .entries(number)
        .filter(|entry| entry.mode != EntryMode::Directory);
    let (mut all, mut without) = (0, 0);
    for file in files {
        all += 1;
        without +=
            usize::from(!crate::symbol::detect(file.name, b"").is_some_and(Language::has_grammar));
    }
    all > FILES_MAX || without > DATA_MIN && 2 * without > all
}

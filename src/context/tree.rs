//! A tree with its ignore rules applied, looked up by path and walked path by path.
//!
//! A scan knows each object once; here its paths are unfolded again, one at a time, without recursion.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use super::markdown;
use super::secrets::Guard;
use super::style::Markup;
use crate::base::fence::longest_run;
use crate::base::number::{IndexSlice, IndexVec};
use crate::base::{NodeId, Shelf, TreePath, locked};
use crate::git::{EntryMode, Repository};
use crate::node::scan::NodeEntry;
use crate::node::{IgnoreRules, NodeNumber, Scan, ScanError, scan};
use crate::secret::{Allowed, Scanner, find_in_names};

/// The most lines that the project structure has: a repository can have far more paths than objects.
pub const STRUCTURE_LINES_MAX: usize = 500_000;

/// The most paths that are looked at for one pattern, for the same reason.
pub const PATHS_MAX: usize = 1_000_000;
/// How often an object may stand in the tree on average before its paths are no longer looked at one by one.
const PATHS_PER_NODE_MAX: usize = 8;
/// Most paths that are looked at in a tree.
const PATHS_MIN: usize = 20_000;

/// Trees that stay in memory between two answers: that of the work tree and that of the last commit.
const TREES_KEPT_MAX: usize = 2;

/// A tree and what stands in it.
pub struct Tree {
    /// Its id.
    pub id: NodeId,
    read: Arc<ReadTree>,
    /// The entries of directories that paths were looked up in, by name.
    names: RefCell<HashMap<NodeNumber, HashMap<Vec<u8>, PathEntry>>>,
}

/// What is read of a tree, and what follows from that alone: the same for every answer about it.
struct ReadTree {
    id: NodeId,
    scan: Scan,
    fence: OnceLock<String>,
    has_secret_names: OnceLock<bool>,
    file_counts: OnceLock<IndexVec<NodeNumber, u64>>,
    /// The tokens of all its lines, by style.
    structure_tokens: [OnceLock<u64>; 2],
    /// The rules by which, and what was let through when, no name held a secret.
    clean_names: Mutex<Option<(String, Allowed)>>,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathEntry {
    /// File, directory, symlink, submodule.
    pub mode: EntryMode,
    /// Its object.
    pub id: NodeId,
    node: Option<NodeNumber>,
}

impl PathEntry {
    /// Its number in the scan of its tree.
    #[must_use]
    pub fn number(&self) -> Option<NodeNumber> {
        self.node
    }
}

impl From<NodeEntry<'_>> for PathEntry {
    fn from(entry: NodeEntry<'_>) -> Self {
        Self {
            mode: entry.mode,
            id: entry.id,
            node: entry.node,
        }
    }
}

impl Tree {
    /// Reads a root tree that is not on the shelf.
    pub fn read(repo: &Repository, shelf: &Shelf, id: NodeId) -> Result<Self, ScanError> {
        let read = match shelf.find(|read: &ReadTree| read.id == id) {
            Some(read) => read,
            None => shelf.put(Arc::new(ReadTree::of(repo, id)?), TREES_KEPT_MAX),
        };
        Ok(Self {
            id,
            read,
            names: RefCell::default(),
        })
    }

    fn scan(&self) -> &Scan {
        &self.read.scan
    }

    /// The most paths of this tree that are looked at: a few objects can expand to any number of paths.
    #[must_use]
    pub fn paths_max(&self) -> usize {
        (PATHS_PER_NODE_MAX * self.scan().len()).clamp(PATHS_MIN, PATHS_MAX)
    }

    /// What stands at a path and is not ignored.
    pub fn find(&self, path: &TreePath) -> Option<PathEntry> {
        let mut at = PathEntry {
            mode: EntryMode::Directory,
            id: self.id,
            node: Some(self.scan().root()),
        };
        for name in path.names() {
            if at.mode != EntryMode::Directory {
                return None;
            }
            let number = at.node?;
            let mut known = self.names.borrow_mut();
            let names = known.entry(number).or_insert_with(|| {
                self.scan()
                    .entries(number)
                    .map(|entry| (entry.name.to_vec(), PathEntry::from(entry)))
                    .collect()
            });
            at = *names.get(name)?;
        }
        Some(at)
    }

    /// The names of the root directory's files, in tree order.
    pub fn root_files(&self) -> impl Iterator<Item = &[u8]> {
        let files = self.scan().entries(self.scan().root());
        files
            .filter(|entry| entry.mode.is_file())
            .map(|entry| entry.name)
    }

    /// Everything below a directory in tree order, directories before what is in them.
    #[must_use]
    pub fn below(&self, path: &TreePath, directory: PathEntry) -> Below<'_> {
        let mut below = Below {
            scan: self.scan(),
            open: Vec::new(),
            path: path.as_bytes().to_vec(),
        };
        if let Some(number) = directory
            .node
            .filter(|_| directory.mode == EntryMode::Directory)
        {
            below.enter(number);
        }
        below
    }

    /// Everything in the tree.
    #[must_use]
    pub fn all(&self) -> Below<'_> {
        self.below(
            &TreePath::root(),
            PathEntry {
                mode: EntryMode::Directory,
                id: self.id,
                node: Some(self.scan().root()),
            },
        )
    }

    /// The fence that all names of the tree fit into.
    #[must_use]
    pub fn fence(&self) -> &str {
        self.read.fence.get_or_init(|| {
            let numbers = self.scan().numbers();
            let names = numbers
                .flat_map(|number| self.scan().entries(number))
                .map(|entry| longest_run(entry.name));
            markdown::fence(names.max().unwrap_or(0))
        })
    }

    /// Where the first entry stands whose name holds a secret, and its object: each directory is searched once.
    pub fn find_secret_name(&self, guard: &Guard<'_>) -> Option<(TreePath, NodeId)> {
        let clean = || locked(&self.read.clean_names);
        let by = |(rules, allowed): &(String, Allowed)| {
            rules == guard.scanner.digest() && *allowed == guard.allowed
        };
        if clean().as_ref().is_some_and(by) {
            return None;
        }
        let found = self.scan().numbers().find_map(|number| {
            let at = guard.find_in_names(|| self.names_in(number))?;
            self.scan().entries(number).nth(at)
        });
        let Some(found) = found else {
            *clean() = Some((guard.scanner.digest().to_owned(), guard.allowed.clone()));
            return None;
        };
        let (mut all, mut looked_at) = (self.all(), 0);
        while let Some(walked) = all.next_path().filter(|_| looked_at < PATHS_MAX) {
            if walked.entry.id == found.id && &walked.path[walked.name_at..] == found.name {
                return Some((TreePath::new(walked.path), found.id));
            }
            looked_at += 1;
        }
        Some((TreePath::new(found.name), found.id))
    }

    /// True when what an outline says of this tree has markers in names, which it has by the built-in rules alone.
    #[must_use]
    pub fn has_secret_names(&self) -> bool {
        let (scanner, allowed) = (Scanner::built_in(), Allowed::default());
        let is_secret =
            |number| find_in_names(|| self.names_in(number), scanner, &allowed).is_some();
        *self
            .read
            .has_secret_names
            .get_or_init(|| self.scan().numbers().any(is_secret))
    }

    /// The tokens of all lines in a style; `count` counts them the first time.
    pub(super) fn structure_tokens(&self, style: Markup, count: impl FnOnce() -> u64) -> u64 {
        *self.read.structure_tokens[style as usize].get_or_init(count)
    }

    fn names_in(&self, number: NodeNumber) -> impl Iterator<Item = &[u8]> {
        self.scan().entries(number).map(|entry| entry.name)
    }

    /// The number of the root's node.
    #[must_use]
    pub fn root_number(&self) -> NodeNumber {
        self.scan().root()
    }

    /// The entries of a directory by its number, in tree order.
    pub fn entries(&self, number: NodeNumber) -> impl Iterator<Item = NodeEntry<'_>> {
        self.scan().entries(number)
    }

    /// How many files stand below each node, by its number; what is no directory counts for one.
    #[must_use]
    pub fn file_counts(&self) -> &IndexSlice<NodeNumber, [u64]> {
        self.read.file_counts.get_or_init(|| {
            let mut counts = self.scan().list_of(1_u64);
            for number in self
                .scan()
                .bottom_up()
                .iter()
                .filter(|number| self.scan().node(**number).is_directory)
            {
                let below = |entry: NodeEntry<'_>| match (entry.mode, entry.node) {
                    (EntryMode::Directory, Some(below)) => counts[below],
                    (EntryMode::Directory, None) => 0,
                    _ => 1,
                };
                counts[*number] = self
                    .scan()
                    .entries(*number)
                    .map(below)
                    .fold(0, u64::saturating_add);
            }
            counts
        })
    }

    /// The README of the root.
    #[must_use]
    pub fn readme(&self) -> Option<&[u8]> {
        let is_readme = |name: &&[u8]| {
            let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
            stem.eq_ignore_ascii_case(b"readme")
        };
        self.root_files()
            .filter(is_readme)
            .min_by_key(|name| *name != b"README.md")
    }
}

impl ReadTree {
    fn of(repo: &Repository, id: NodeId) -> Result<Self, ScanError> {
        Ok(Self {
            id,
            scan: scan(repo, id, &TreePath::root(), IgnoreRules::default(), None)?,
            fence: OnceLock::new(),
            has_secret_names: OnceLock::new(),
            file_counts: OnceLock::new(),
            structure_tokens: Default::default(),
            clean_names: Mutex::default(),
        })
    }
}

/// A walk over paths.
pub struct Below<'t> {
    scan: &'t Scan,
    open: Vec<Open<'t>>,
    /// The path of the entry that was met last, or of the directory that it was in.
    path: Vec<u8>,
}

struct Open<'t> {
    entries: Box<dyn Iterator<Item = NodeEntry<'t>> + 't>,
    path_bytes: usize,
}

/// What a walk has come to.
pub struct WalkedPath<'p> {
    /// The path from the root of the tree.
    pub path: &'p [u8],
    /// Where its last name begins.
    pub name_at: usize,
    /// How many directories were entered on the way from where the walk began.
    pub depth: usize,
    /// What stands there.
    pub entry: PathEntry,
}

impl Below<'_> {
    fn enter(&mut self, number: NodeNumber) {
        let scan = self.scan;
        self.open.push(Open {
            entries: Box::new(scan.entries(number)),
            path_bytes: self.path.len(),
        });
    }

    /// Stays out of the directory that was met last.
    pub fn skip(&mut self) {
        self.open.pop();
    }

    /// The next path, with what stands there.
    pub fn next_path(&mut self) -> Option<WalkedPath<'_>> {
        loop {
            let depth = self.open.len().wrapping_sub(1);
            let open = self.open.last_mut()?;
            self.path.truncate(open.path_bytes);
            let Some(entry) = open.entries.next() else {
                self.open.pop();
                continue;
            };
            if !self.path.is_empty() {
                self.path.push(b'/');
            }
            let name_at = self.path.len();
            self.path.extend_from_slice(entry.name);
            if entry.mode == EntryMode::Directory
                && let Some(number) = entry.node
            {
                self.enter(number);
            }
            return Some(WalkedPath {
                path: &self.path,
                name_at,
                depth,
                entry: entry.into(),
            });
        }
    }
}

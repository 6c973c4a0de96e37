//! The walk: a snapshot's files and directories, each object once, children before their directory.
//!
//! Work grows with distinct objects, not with paths: ten objects that expand to 10^10 paths are ten nodes. A node
//! is entered at the first path, in tree order, at which the ignore rules let it in; that path is its hint. With
//! an older tree to compare with, whatever stands unchanged at its place is noted and not entered, so that work
//! grows with the change. No recursion: depth is bounded by [`TREE_DEPTH_MAX`] and costs no stack.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;

use super::ignore::{FILE_NAME, IgnoreRules, TooManyRules};
use crate::base::limit::{IGNORE_BYTES_MAX, NODES_MAX, TREE_DEPTH_MAX, TREE_ENTRIES_MAX};
use crate::base::number::{IndexVec, define_index_type, to_u32};
use crate::base::quick_hash::QuickHash;
use crate::base::{NodeId, NodeKind, TreePath};
use crate::git::{EntryMode, HashKind, ObjectError, ObjectKind, Repository, tree_entries};

/// Why a snapshot cannot be walked; nothing has been spent then.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// A tree is missing or damaged.
    #[error("cannot read directory '{}'", .path.to_text())]
    Object {
        /// Where it stands.
        path: TreePath,
        /// What failed.
        #[source]
        source: ObjectError,
    },
    /// More ignore rules than are kept.
    #[error(transparent)]
    Rules(#[from] TooManyRules),
    /// Deeper than git itself goes.
    #[error("directories are nested deeper than {TREE_DEPTH_MAX} levels")]
    Depth,
    /// More distinct nodes than [`NODES_MAX`].
    #[error("the snapshot has more than {NODES_MAX} distinct files and directories")]
    Nodes,
    /// One directory with more entries than [`TREE_ENTRIES_MAX`].
    #[error("directory '{}' has more than {TREE_ENTRIES_MAX} entries", .0.to_text())]
    Entries(TreePath),
    /// Names that are longer together than a place in them can say.
    #[error("the names of all files and directories take more than 4 GiB")]
    Names,
}

define_index_type! {
    /// The number of a file or directory in its scan.
    pub struct NodeNumber = u32;
}

/// A file or directory of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Its git object.
    pub id: NodeId,
    /// True for a tree, false for a blob.
    pub is_directory: bool,
    /// True when it stood at the same path in the older tree: then its entries were not read.
    pub is_unchanged: bool,
    parent: NodeNumber,
    name: Span,
    entries: Span,
    paths: u64,
}

impl Node {
    /// What it is.
    #[must_use]
    pub fn kind(&self) -> NodeKind {
        if self.is_directory {
            NodeKind::Directory
        } else {
            NodeKind::File
        }
    }
}

/// One entry of a directory, in tree order. Ignored ones are not among them.
#[derive(Debug, Clone, Copy)]
pub struct NodeEntry<'s> {
    /// Its name in the directory.
    pub name: &'s [u8],
    /// File, directory, symlink, submodule.
    pub mode: EntryMode,
    /// Its object.
    pub id: NodeId,
    /// Its node's number; `None` for symlinks and submodules, which are leaves without frames.
    pub node: Option<NodeNumber>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    at: u32,
    len: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        let (at, len) = (self.at as usize, self.len as usize);
        at..at + len
    }
}

struct RawEntry {
    name: Span,
    mode: EntryMode,
    id: NodeId,
    node: NodeNumber,
}

const ROOT: NodeNumber = NodeNumber::from_raw(0);
const NO_NODE: NodeNumber = NodeNumber::from_raw(u32::MAX);

/// How many of what a scan met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Distinct files.
    pub files: u64,
    /// Distinct directories.
    pub directories: u64,
    /// Symlink entries.
    pub symlinks: u64,
    /// Submodule entries.
    pub submodules: u64,
    /// Entries left out by `.teddyignore`.
    pub ignored: u64,
    /// Paths at which files stand; saturates.
    pub paths: u64,
}

/// The nodes of a snapshot.
#[derive(Default)]
pub struct Scan {
    nodes: IndexVec<NodeNumber, Node>,
    entries: Vec<RawEntry>,
    names: Vec<u8>,
    order: Vec<NodeNumber>,
    by_id: HashMap<NodeId, NodeNumber, QuickHash>,
    /// How many of what was met.
    pub counts: Counts,
}

impl Scan {
    /// The scan of a single file.
    #[must_use]
    pub fn of_file(id: NodeId) -> Self {
        let node = Node {
            id,
            is_directory: false,
            is_unchanged: false,
            parent: NO_NODE,
            name: Span::default(),
            entries: Span::default(),
            paths: 1,
        };
        let counts = Counts {
            files: 1,
            paths: 1,
            ..Counts::default()
        };
        Self {
            nodes: vec![node].into(),
            order: vec![ROOT],
            by_id: HashMap::from_iter([(id, ROOT)]),
            counts,
            ..Self::default()
        }
    }

    /// The number of the root directory.
    #[must_use]
    pub fn root(&self) -> NodeNumber {
        ROOT
    }

    /// All nodes that were entered, or noted as unchanged, children before the directories that hold them.
    #[must_use]
    pub fn bottom_up(&self) -> &[NodeNumber] {
        &self.order
    }

    /// A node by its number.
    #[must_use]
    pub fn node(&self, number: NodeNumber) -> &Node {
        &self.nodes[number]
    }

    /// How many nodes there are; numbers run from 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The numbers of all nodes, in the order in which they were met.
    #[must_use]
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = NodeNumber> + use<> {
        self.nodes.indices()
    }

    /// A list with a value for each node.
    #[must_use]
    pub fn list_of<T: Clone>(&self, value: T) -> IndexVec<NodeNumber, T> {
        vec![value; self.len()].into()
    }

    /// True for a scan of nothing; a scan of a tree has its root at least.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of an object's node.
    #[must_use]
    pub fn find(&self, id: &NodeId) -> Option<NodeNumber> {
        self.by_id.get(id).copied()
    }

    /// The entries of a directory in git's tree order; none for files and for unchanged directories.
    pub fn entries(&self, number: NodeNumber) -> impl Iterator<Item = NodeEntry<'_>> {
        let span = self.node(number).entries;
        self.entries[span.range()].iter().map(|entry| NodeEntry {
            name: self.bytes(entry.name),
            mode: entry.mode,
            id: entry.id,
            node: (entry.node != NO_NODE).then_some(entry.node),
        })
    }

    /// The files and directories among the entries of a directory.
    pub fn children(&self, number: NodeNumber) -> impl Iterator<Item = NodeNumber> + '_ {
        self.entries(number).filter_map(|entry| entry.node)
    }

    /// The name under which a node was first met: empty for the root, and a whole path for each of several places.
    #[must_use]
    pub fn name(&self, number: NodeNumber) -> &[u8] {
        self.bytes(self.node(number).name)
    }

    /// The path at which a node was first met, below `root`: the path that was scanned, or the root of the snapshot for a
    /// scan of several places.
    #[must_use]
    pub fn path(&self, root: &TreePath, mut number: NodeNumber) -> TreePath {
        let mut names = Vec::new();
        while number != NO_NODE {
            names.push(self.name(number));
            number = self.node(number).parent;
        }
        names
            .iter()
            .rev()
            .filter(|name| !name.is_empty())
            .fold(root.clone(), |path, name| path.join(name))
    }

    /// At how many paths below the root a directory's files stand; 1 for a file. Saturates.
    #[must_use]
    pub fn paths(&self, number: NodeNumber) -> u64 {
        self.node(number).paths
    }

    fn bytes(&self, span: Span) -> &[u8] {
        &self.names[span.range()]
    }

    fn keep_name(&mut self, name: &[u8]) -> Span {
        let span = Span {
            at: to_u32(self.names.len()),
            len: to_u32(name.len()),
        };
        self.names.extend_from_slice(name);
        span
    }
}

/// A directory that the walk is inside of.
struct Open {
    number: NodeNumber,
    /// Of its entries those that are still to be entered.
    left: Range<usize>,
    /// What stood there before, by name.
    old: HashMap<Vec<u8>, NodeId>,
}

/// Walks the tree that stands at `root_path` of a snapshot. `old` is the tree that stood there before, if that
/// is known to be dealt with already.
///
/// `.teddyignore` files above `root_path` are the caller's to pass in `rules`.
pub fn scan(
    repo: &Repository,
    tree: NodeId,
    root_path: &TreePath,
    rules: IgnoreRules,
    old: Option<NodeId>,
) -> Result<Scan, ScanError> {
    let mut walk = Walk::new(repo, root_path, rules);
    walk.run(tree, Span::default(), old)?;
    Ok(walk.scan)
}

/// A file or directory that a scan of several places starts from.
pub struct Start {
    /// Its object.
    pub id: NodeId,
    /// True for a tree, false for a blob.
    pub is_directory: bool,
    /// Where it stands in the snapshot.
    pub path: TreePath,
    /// The ignore rules of the directories above it.
    pub rules: IgnoreRules,
    /// What stood there before, if that is known to be dealt with already.
    pub old: Option<NodeId>,
}

/// Walks several files and directories as one: what two of them hold is one node. Its paths begin at the root.
pub fn scan_all(repo: &Repository, starts: Vec<Start>) -> Result<Scan, ScanError> {
    let root_path = &TreePath::root();
    let mut walk = Walk::new(repo, root_path, IgnoreRules::default());
    for Start {
        id,
        is_directory,
        path,
        rules,
        old,
    } in starts
    {
        if walk.scan.find(&id).is_some() {
            continue;
        }
        walk.rules = rules;
        let name = walk.scan.keep_name(path.as_bytes());
        if is_directory {
            walk.run(id, name, old)?;
        } else {
            let file = walk.add_node(id, EntryMode::File, NO_NODE, name)?;
            walk.close(file);
        }
    }
    Ok(walk.scan)
}

/// Looks at a directory and its entries only; the entries count as unchanged.
pub fn scan_entries(
    repo: &Repository,
    tree: NodeId,
    root_path: &TreePath,
    rules: IgnoreRules,
) -> Result<Scan, ScanError> {
    let mut walk = Walk::new(repo, root_path, rules);
    walk.is_shallow = true;
    walk.run(tree, Span::default(), None)?;
    Ok(walk.scan)
}

/// The ignore rules of the directories above a path, and not of the path itself.
pub fn rules_above(
    repo: &Repository,
    root: NodeId,
    path: &TreePath,
) -> Result<IgnoreRules, ScanError> {
    let mut rules = IgnoreRules::default();
    let (mut directory, mut tree) = (TreePath::root(), root);
    for name in path.names() {
        let find = |name| {
            repo.find_entry(&tree, name)
                .map_err(|source| ScanError::Object {
                    path: directory.clone(),
                    source,
                })
        };
        if let Some((EntryMode::File | EntryMode::Executable, blob)) = find(FILE_NAME)? {
            push_rules(repo, &mut rules, directory.clone(), &blob)?;
        }
        match find(name)? {
            Some((EntryMode::Directory, below)) => tree = below,
            _ => break,
        }
        directory = directory.join(name);
    }
    Ok(rules)
}

fn push_rules(
    repo: &Repository,
    rules: &mut IgnoreRules,
    directory: TreePath,
    blob: &NodeId,
) -> Result<(), ScanError> {
    let mut text = Vec::new();
    match repo.read_at_most(blob, ObjectKind::Blob, IGNORE_BYTES_MAX, &mut text) {
        // In a partial clone that never had it.
        Err(ObjectError::Missing(_)) => Ok(()),
        Err(ObjectError::Size { .. }) => Err(TooManyRules(directory.join(FILE_NAME)).into()),
        Err(source) => Err(ScanError::Object {
            path: directory,
            source,
        }),
        Ok(()) => Ok(rules.push(directory, &text)?),
    }
}

/// The file of ignore rules in a directory: what stands behind its place in git's order is not looked at.
fn rules_in(tree: NodeId, data: &[u8], hash: HashKind) -> Option<NodeId> {
    let before = tree_entries(tree, data, hash)
        .filter_map(Result::ok)
        .take_while(|entry| entry.name <= FILE_NAME);
    before
        .filter(|entry| entry.name == FILE_NAME && entry.mode.is_file())
        .map(|entry| entry.id)
        .last()
}

struct Walk<'w> {
    repo: &'w Repository,
    root_path: &'w TreePath,
    rules: IgnoreRules,
    is_shallow: bool,
    scan: Scan,
    data: Vec<u8>,
}

impl<'w> Walk<'w> {
    fn new(repo: &'w Repository, root_path: &'w TreePath, rules: IgnoreRules) -> Self {
        Self {
            repo,
            root_path,
            rules,
            is_shallow: false,
            scan: Scan::default(),
            data: Vec::new(),
        }
    }

    fn run(&mut self, tree: NodeId, name: Span, old: Option<NodeId>) -> Result<(), ScanError> {
        let is_unchanged = old == Some(tree);
        let root = self.add_node(tree, EntryMode::Directory, NO_NODE, name)?;
        self.scan.nodes[root].is_unchanged = is_unchanged;
        if is_unchanged {
            self.close(root);
            return Ok(());
        }
        let mut open = vec![self.open(root, old)?];
        while let Some(inside) = open.last_mut() {
            let Some(at) = inside.left.next() else {
                let done = inside.number;
                open.pop();
                self.close(done);
                continue;
            };
            let before = inside
                .old
                .get(self.scan.bytes(self.scan.entries[at].name))
                .copied();
            let number = inside.number;
            if let Some(child) = self.enter(at, number, before)? {
                if open.len() >= TREE_DEPTH_MAX {
                    return Err(ScanError::Depth);
                }
                open.push(self.open(child, before)?);
            }
        }
        Ok(())
    }

    /// Gives the entry its node; returns it when it is a directory to go into.
    fn enter(
        &mut self,
        at: usize,
        parent: NodeNumber,
        before: Option<NodeId>,
    ) -> Result<Option<NodeNumber>, ScanError> {
        let RawEntry { name, mode, id, .. } = self.scan.entries[at];
        match mode {
            EntryMode::Symlink => self.scan.counts.symlinks += 1,
            EntryMode::Submodule => self.scan.counts.submodules += 1,
            EntryMode::File | EntryMode::Executable | EntryMode::Directory => {}
        }
        if matches!(mode, EntryMode::Symlink | EntryMode::Submodule) {
            return Ok(None);
        }
        if let Some(known) = self.scan.find(&id) {
            self.scan.entries[at].node = known;
            return Ok(None);
        }
        let is_unchanged = self.is_shallow || before == Some(id);
        let number = self.add_node(id, mode, parent, name)?;
        self.scan.nodes[number].is_unchanged = is_unchanged;
        self.scan.entries[at].node = number;
        if mode == EntryMode::Directory && !is_unchanged {
            return Ok(Some(number));
        }
        self.close(number);
        Ok(None)
    }

    fn add_node(
        &mut self,
        id: NodeId,
        mode: EntryMode,
        parent: NodeNumber,
        name: Span,
    ) -> Result<NodeNumber, ScanError> {
        if self.scan.nodes.len() >= NODES_MAX {
            return Err(ScanError::Nodes);
        }
        let is_directory = mode == EntryMode::Directory;
        *(if is_directory {
            &mut self.scan.counts.directories
        } else {
            &mut self.scan.counts.files
        }) += 1;
        let number = self.scan.nodes.push(Node {
            id,
            is_directory,
            is_unchanged: false,
            parent,
            name,
            entries: Span::default(),
            paths: u64::from(!is_directory),
        });
        self.scan.by_id.insert(id, number);
        Ok(number)
    }

    /// Reads a directory's entries, rules first, and leaves out what they ignore.
    fn open(&mut self, number: NodeNumber, old: Option<NodeId>) -> Result<Open, ScanError> {
        let mut data = std::mem::take(&mut self.data);
        let read = self.read_entries(number, old, &mut data);
        self.data = data;
        let (span, old) = read?;
        if span.len as usize > TREE_ENTRIES_MAX {
            return Err(ScanError::Entries(self.scan.path(self.root_path, number)));
        }
        self.scan.nodes[number].entries = span;
        Ok(Open {
            number,
            left: span.range(),
            old,
        })
    }

    fn read_entries(
        &mut self,
        number: NodeNumber,
        old: Option<NodeId>,
        data: &mut Vec<u8>,
    ) -> Result<(Span, HashMap<Vec<u8>, NodeId>), ScanError> {
        let id = self.scan.node(number).id;
        let read_old = |data: &mut Vec<u8>| {
            old.map_or_else(|| Ok(HashMap::new()), |old| self.read_old(&old, data))
        };
        let mut before = read_old(data).map_err(|source| self.failed(number, source))?;
        self.repo
            .read(&id, ObjectKind::Tree, data)
            .map_err(|source| self.failed(number, source))?;
        if u32::try_from(self.scan.names.len() + data.len()).is_err() {
            return Err(ScanError::Names);
        }
        let rules = rules_in(id, data, self.repo.hash_kind());
        if rules != before.get(FILE_NAME).copied() {
            // Other rules can let other things in, however unchanged they are.
            before.clear();
        }
        if let Some(blob) = rules {
            let directory = self.scan.path(self.root_path, number);
            push_rules(self.repo, &mut self.rules, directory, &blob)?;
        }
        let added = self.add_entries(number, id, data);
        added
            .map(|span| (span, before))
            .map_err(|source| self.failed(number, source))
    }

    fn failed(&self, number: NodeNumber, source: ObjectError) -> ScanError {
        ScanError::Object {
            path: self.scan.path(self.root_path, number),
            source,
        }
    }

    fn read_old(
        &self,
        old: &NodeId,
        data: &mut Vec<u8>,
    ) -> Result<HashMap<Vec<u8>, NodeId>, ObjectError> {
        self.repo.read(old, ObjectKind::Tree, data)?;
        let is_node = |mode| !matches!(mode, EntryMode::Symlink | EntryMode::Submodule);
        tree_entries(*old, data, self.repo.hash_kind())
            .filter(|entry| entry.as_ref().is_ok_and(|entry| is_node(entry.mode)))
            .map(|entry| entry.map(|entry| (entry.name.to_vec(), entry.id)))
            .collect()
    }

    fn add_entries(
        &mut self,
        number: NodeNumber,
        id: NodeId,
        data: &[u8],
    ) -> Result<Span, ObjectError> {
        let path = (!self.rules.is_empty()).then(|| self.scan.path(self.root_path, number));
        if let Some(path) = &path {
            self.rules.retain_above(&path.join(b"x"));
        }
        let start = self.scan.entries.len();
        for entry in tree_entries(id, data, self.repo.hash_kind()) {
            let entry = entry?;
            let is_directory = entry.mode == EntryMode::Directory;
            if let Some(path) = &path
                && self.rules.matched(&path.join(entry.name), is_directory) == Some(true)
            {
                self.scan.counts.ignored += 1;
                continue;
            }
            let name = self.scan.keep_name(entry.name);
            self.scan.entries.push(RawEntry {
                name,
                mode: entry.mode,
                id: entry.id,
                node: NO_NODE,
            });
            if self.scan.entries.len() - start > TREE_ENTRIES_MAX {
                break;
            }
        }
        Ok(Span {
            at: to_u32(start),
            len: to_u32(self.scan.entries.len() - start),
        })
    }

    /// Everything below is done: counts its paths and puts it into the order.
    fn close(&mut self, number: NodeNumber) {
        if self.scan.node(number).is_directory {
            let paths = self
                .scan
                .children(number)
                .map(|child| self.scan.paths(child));
            let sum = paths.fold(0, u64::saturating_add);
            self.scan.nodes[number].paths = sum;
        }
        self.scan.order.push(number);
        if self.scan.node(number).parent == NO_NODE {
            self.scan.counts.paths = self
                .scan
                .counts
                .paths
                .saturating_add(self.scan.paths(number));
        }
    }
}

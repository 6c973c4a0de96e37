//! Reading objects: headers, bodies, tree entries. Buffers are the caller's, so that a walk allocates once.
//!
//! Nothing here fetches: in a partial clone an object that is not there is [`ObjectError::Missing`]. Trees are
//! decoded entry by entry and never trusted: a malformed one is an error, not a short list. An object is read as its
//! id names it; `git replace` is off.

use std::cmp::Ordering;
use std::sync::Arc;

use gix::objs::Kind;
use gix::objs::{Find as _, FindHeader as _};

use super::repo::{HashKind, Repository, open_objects};
use super::system::{is_system_error, system_cause};
use crate::base::{NodeId, NodeKind};

/// Longest mode of a tree entry: six octal digits, and a zero before them in old trees.
const MODE_DIGITS_MAX: usize = 7;

/// The four kinds of git objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// File content.
    Blob,
    /// Directory.
    Tree,
    /// Commit.
    Commit,
    /// Annotated tag.
    Tag,
}

impl ObjectKind {
    pub(super) fn to_gix(self) -> Kind {
        match self {
            Self::Blob => Kind::Blob,
            Self::Tree => Kind::Tree,
            Self::Commit => Kind::Commit,
            Self::Tag => Kind::Tag,
        }
    }
}

impl From<Kind> for ObjectKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Blob => Self::Blob,
            Kind::Tree => Self::Tree,
            Kind::Commit => Self::Commit,
            Kind::Tag => Self::Tag,
        }
    }
}

impl std::fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_gix().fmt(f)
    }
}

/// Kind and size of an object, read without its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: ObjectKind,
    /// Size of the body in bytes, uncompressed.
    pub size_bytes: u64,
}

/// What a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryMode {
    /// 100644.
    File,
    /// 100755.
    Executable,
    /// 40000.
    Directory,
    /// 120000.
    Symlink,
    /// 160000.
    Submodule,
}

impl EntryMode {
    /// The mode as it stands in a tree object.
    #[must_use]
    pub fn octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Directory => "40000",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// True for a file, whether it can be run or not.
    #[must_use]
    pub fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }

    /// The kind of node that an entry of this mode is; `None` for symbolic links and submodules.
    #[must_use]
    pub fn node_kind(self) -> Option<NodeKind> {
        match self {
            Self::File | Self::Executable => Some(NodeKind::File),
            Self::Directory => Some(NodeKind::Directory),
            Self::Symlink | Self::Submodule => None,
        }
    }

    /// Reads any mode that git accepts, the way git's `canon_mode` does: what is nothing else is a submodule.
    fn from_bits(bits: u32) -> Self {
        match bits & 0o170_000 {
            0o100_000 if bits & 0o100 != 0 => Self::Executable,
            0o100_000 => Self::File,
            0o040_000 => Self::Directory,
            0o120_000 => Self::Symlink,
            _ => Self::Submodule,
        }
    }
}

/// One entry of a tree, borrowed from the tree's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// File, directory, …
    pub mode: EntryMode,
    /// Name, any bytes but NUL and `/`.
    pub name: &'a [u8],
    /// The entry's object id.
    pub id: NodeId,
}

impl TreeEntry<'_> {
    /// Compares as git orders the entries of a tree: by name, a directory as if `/` followed its name.
    #[must_use]
    pub fn tree_order(&self, other: &TreeEntry<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        let end = |entry: &TreeEntry<'_>| match entry.name.get(common) {
            Some(byte) => *byte,
            None if entry.mode == EntryMode::Directory => b'/',
            None => 0,
        };
        self.name[..common]
            .cmp(&other.name[..common])
            .then_with(|| end(self).cmp(&end(other)))
    }

    /// Appends the entry to the bytes of a tree object; the caller adds entries in [tree order](Self::tree_order).
    pub fn encode(&self, tree: &mut Vec<u8>) {
        tree.extend_from_slice(self.mode.octal().as_bytes());
        tree.push(b' ');
        tree.extend_from_slice(self.name);
        tree.push(0);
        tree.extend_from_slice(self.id.as_bytes());
    }
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// Not in the object database (in a partial clone: not fetched).
    #[error("object {0} is missing")]
    Missing(NodeId),
    /// There, but it cannot be decoded.
    #[error("object {id} is damaged")]
    Damaged {
        /// Which.
        id: NodeId,
        /// What failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The system did not let it be read; it may be there and whole.
    #[error("object {id} cannot be read")]
    Io {
        /// Which.
        id: NodeId,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// There, but of another kind than requested.
    #[error("object {id} is a {actual}, not a {expected}")]
    Kind {
        /// Which.
        id: NodeId,
        /// Requested.
        expected: ObjectKind,
        /// Found.
        actual: ObjectKind,
    },
    /// Larger than its reader takes; it was not read.
    #[error("object {id} has {size_bytes} bytes, over the limit of {max}")]
    Size {
        /// Which.
        id: NodeId,
        /// What it has.
        size_bytes: u64,
        /// The limit.
        max: u64,
    },
    /// Directories inside each other beyond git's own limit.
    #[error("tree {id} is nested more than {max} directories deep")]
    TooDeep {
        /// The directory that is too deep.
        id: NodeId,
        /// The limit.
        max: usize,
    },
}

impl ObjectError {
    pub(super) fn damaged(
        id: NodeId,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        match system_cause(source.as_ref()) {
            Some(source) => Self::Io { id, source },
            None => Self::Damaged { id, source },
        }
    }
}

impl Repository {
    /// True when an object is here; where it is in sight nothing of it is read. Never fetches.
    pub fn has(&self, id: &NodeId) -> Result<bool, ObjectError> {
        let oid = self.known_id(id)?;
        let is_in_sight = self.with_objects(&oid, |store| {
            store.is_some_and(|store| gix::objs::Exists::exists(store, &oid))
        });
        Ok(is_in_sight || self.header(id)?.is_some())
    }

    /// Kind and size of an object; `None` when it is absent. Never fetches.
    pub fn header(&self, id: &NodeId) -> Result<Option<Header>, ObjectError> {
        let oid = self.known_id(id)?;
        let mut found = self
            .with_objects(&oid, |store| match store {
                Some(store) => gix::objs::FindHeader::try_header(store, &oid),
                None => self.inner.try_header(&oid),
            })
            .map_err(|error| ObjectError::damaged(*id, error))?;
        for (_, store) in &self.alternates {
            if found.is_none() {
                found = gix::objs::FindHeader::try_header(store, &oid)
                    .map_err(|error| ObjectError::damaged(*id, error))?;
            }
        }
        if found.is_none()
            && let Some(store) = self.second_look(id)?
        {
            found = gix::objs::FindHeader::try_header(&store, &oid)
                .map_err(|error| ObjectError::damaged(*id, error))?;
        }
        Ok(found.map(|header| Header {
            kind: header.kind.into(),
            size_bytes: header.size,
        }))
    }

    /// The object store opened anew, for an object that was not found in it.
    ///
    /// A pack that could not be opened for want of a file descriptor counts as gone from then on; so nothing is called
    /// missing after one look. In a partial clone objects are missing on purpose, and one look has to do.
    fn second_look(&self, id: &NodeId) -> Result<Option<gix::OdbHandle>, ObjectError> {
        if self.is_partial() {
            return Ok(None);
        }
        match std::fs::read_dir(self.objects_dir.join("pack")) {
            Err(source) if is_system_error(&source) => {
                return Err(ObjectError::Io { id: *id, source });
            }
            _ => {}
        }
        open_objects(&self.objects_dir, self.inner.object_hash())
            .map(Some)
            .map_err(|error| ObjectError::damaged(*id, error))
    }

    /// Reads from the object store whose turn it is; `None` stands for the repository itself, which knows the empty tree.
    fn with_objects<R>(
        &self,
        oid: &gix::oid,
        read: impl FnOnce(Option<&gix::OdbHandle>) -> R,
    ) -> R {
        let hash = self.inner.object_hash();
        let open = || open_objects(&self.objects_dir, hash).ok();
        self.window
            .with(open, |store| read(store.filter(|_| !oid.is_empty_tree())))
    }

    /// Gives back what is mapped of packs, before work that reads no object; handles of other threads follow with their next read.
    pub fn leave_packs(&self) {
        let hash = self.inner.object_hash();
        self.window
            .leave(|| open_objects(&self.objects_dir, hash).ok());
    }

    /// Reads an object's body into the cleared buffer. Never fetches.
    pub fn read(
        &self,
        id: &NodeId,
        kind: ObjectKind,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ObjectError> {
        let actual = self.read_any(id, buffer)?;
        if actual == kind {
            Ok(())
        } else {
            Err(ObjectError::Kind {
                id: *id,
                expected: kind,
                actual,
            })
        }
    }

    /// The same for an object of at most `max` bytes; the size is looked up before anything is read.
    pub fn read_at_most(
        &self,
        id: &NodeId,
        kind: ObjectKind,
        max: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ObjectError> {
        let header = self.header(id)?.ok_or(ObjectError::Missing(*id))?;
        if header.size_bytes > max {
            return Err(ObjectError::Size {
                id: *id,
                size_bytes: header.size_bytes,
                max,
            });
        }
        self.read(id, kind, buffer)
    }

    /// Reads an object of any kind into the cleared buffer and says which it is. Never fetches.
    pub fn read_any(&self, id: &NodeId, buffer: &mut Vec<u8>) -> Result<ObjectKind, ObjectError> {
        let oid = self.known_id(id)?;
        let failed = |error: gix::Error| ObjectError::damaged(*id, error);
        let found = self.with_objects(&oid, |store| {
            let found = match store {
                Some(store) => store.try_find(&oid, buffer),
                None => self.inner.try_find(&oid, buffer),
            };
            found.map(|found| found.map(|found| found.kind))
        });
        if let Some(kind) = found.map_err(failed)? {
            return Ok(kind.into());
        }
        for (_, store) in &self.alternates {
            if let Some(found) = store.try_find(&oid, buffer).map_err(failed)? {
                return Ok(found.kind.into());
            }
        }
        if let Some(store) = self.second_look(id)?
            && let Some(found) = store.try_find(&oid, buffer).map_err(failed)?
        {
            return Ok(found.kind.into());
        }
        Err(ObjectError::Missing(*id))
    }

    /// The bytes of a tree, which are kept for the next lookup; an error for one of more than `bytes_max`.
    pub fn tree(&self, id: &NodeId, bytes_max: u64) -> Result<Arc<Vec<u8>>, ObjectError> {
        if let Some(tree) = self.trees.get(id)
            && tree.len() as u64 <= bytes_max
        {
            return Ok(tree);
        }
        let mut data = Vec::new();
        if bytes_max == u64::MAX {
            self.read(id, ObjectKind::Tree, &mut data)?;
        } else {
            self.read_at_most(id, ObjectKind::Tree, bytes_max, &mut data)?;
        }
        Ok(self.trees.keep(id, data))
    }

    /// Finds the entry at a path below a tree; `None` when there is none. The empty path is the tree itself.
    pub fn find_entry(
        &self,
        tree: &NodeId,
        path: &[u8],
    ) -> Result<Option<(EntryMode, NodeId)>, ObjectError> {
        let mut at = (EntryMode::Directory, *tree);
        for name in path
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty())
        {
            if at.0 != EntryMode::Directory {
                return Ok(None);
            }
            let data = self.tree(&at.1, u64::MAX)?;
            let mut entries = tree_entries(at.1, &data, self.hash_kind());
            match entries
                .find(|entry| entry.as_ref().map_or(true, |entry| entry.name == name))
                .transpose()?
            {
                Some(entry) => at = (entry.mode, entry.id),
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The id for gix, which panics over one of another hash than the repository's: such an object is missing.
    fn known_id(&self, id: &NodeId) -> Result<gix::ObjectId, ObjectError> {
        let oid = to_oid(id);
        if oid.kind() == self.inner.object_hash() {
            Ok(oid)
        } else {
            Err(ObjectError::Missing(*id))
        }
    }
}

pub(super) fn to_oid(id: &NodeId) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(id.as_bytes())
}

pub(super) fn from_oid(id: &gix::oid) -> NodeId {
    NodeId::from_bytes(id.as_bytes()).expect("git's ids have 20 or 32 bytes")
}

/// Iterates over the entries of a tree's bytes; `id` names the tree in errors. Ends after the first error.
pub fn tree_entries(
    id: NodeId,
    data: &[u8],
    hash: HashKind,
) -> impl Iterator<Item = Result<TreeEntry<'_>, ObjectError>> + '_ {
    let (mut rest, id_bytes) = (data, hash.id_bytes());
    std::iter::from_fn(move || {
        let entry = next_entry(id, &mut rest, id_bytes);
        if entry.is_err() {
            rest = &[];
        }
        entry.transpose()
    })
}

/// Takes one entry off the front of the bytes of a tree; `None` at the end.
pub(super) fn next_entry<'a>(
    tree: NodeId,
    rest: &mut &'a [u8],
    id_bytes: usize,
) -> Result<Option<TreeEntry<'a>>, ObjectError> {
    if rest.is_empty() {
        return Ok(None);
    }
    let malformed = || ObjectError::damaged(tree, "malformed tree entry");
    let (mut bits, mut at) = (0_u32, 0);
    while let Some(digit @ b'0'..=b'7') = rest.get(at).filter(|_| at < MODE_DIGITS_MAX) {
        bits = bits << 3 | u32::from(digit - b'0');
        at += 1;
    }
    if at == 0 || rest.get(at) != Some(&b' ') {
        return Err(malformed());
    }
    let after = &rest[at + 1..];
    let end = after
        .iter()
        .position(|byte| *byte == 0)
        .filter(|end| *end > 0)
        .ok_or_else(malformed)?;
    let id = after
        .get(end + 1..end + 1 + id_bytes)
        .ok_or_else(malformed)?;
    let id = NodeId::from_bytes(id).expect("the length of the repository's hash");
    *rest = &after[end + 1 + id_bytes..];
    Ok(Some(TreeEntry {
        mode: EntryMode::from_bits(bits),
        name: &after[..end],
        id,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    /// A tree with every kind of entry, names that sort oddly and one that is not UTF-8.
    fn tree_of_all_kinds(fixture: &Fixture) -> NodeId {
        let blob = fixture.git(&["hash-object", "-w", "--stdin"]);
        let tree = fixture.git(&["mktree"]);
        let commit = fixture.git(&["commit-tree", "-m", "c", &tree]);
        let mut listing = Vec::new();
        for (mode, kind, id, name) in [
            ("100644", "blob", &blob, &b"a"[..]),
            ("100755", "blob", &blob, b"a-b"),
            ("040000", "tree", &tree, b"a.d"),
            ("040000", "tree", &tree, b"a0"),
            ("120000", "blob", &blob, b"link\xff\n"),
            ("160000", "commit", &commit, b"module"),
        ] {
            listing.extend_from_slice(format!("{mode} {kind} {id}\t").as_bytes());
            listing.extend_from_slice(name);
            listing.push(0);
        }
        std::fs::write(fixture.root.join("listing"), listing).unwrap();
        let mut command = fixture.command(&fixture.root, &["mktree", "-z"]);
        let output = command
            .stdin(std::fs::File::open(fixture.root.join("listing")).unwrap())
            .output()
            .unwrap();
        std::str::from_utf8(&output.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    }

    #[test]
    fn entries_are_what_ls_tree_lists() {
        for fixture in Fixture::both() {
            let tree = tree_of_all_kinds(&fixture);
            let repo = fixture.open();
            let mut body = Vec::new();
            repo.read(&tree, ObjectKind::Tree, &mut body).unwrap();
            let (mut listed, mut encoded) = (Vec::new(), Vec::new());
            for entry in tree_entries(tree, &body, repo.hash_kind()) {
                let entry = entry.unwrap();
                let kind = match entry.mode {
                    EntryMode::Directory => "tree",
                    EntryMode::Submodule => "commit",
                    _ => "blob",
                };
                listed.extend_from_slice(
                    format!("{:0>6} {kind} {}\t", entry.mode.octal(), entry.id).as_bytes(),
                );
                listed.extend_from_slice(entry.name);
                listed.push(0);
                entry.encode(&mut encoded);
            }
            let mut command = fixture.command(&fixture.root, &["ls-tree", "-z", &tree.to_string()]);
            assert_eq!(listed, command.output().unwrap().stdout);
            assert_eq!(encoded, body);
            let entries: Vec<_> = tree_entries(tree, &body, repo.hash_kind())
                .map(Result::unwrap)
                .collect();
            assert!(entries.is_sorted_by(|one, two| one.tree_order(two).is_lt()));
        }
    }

    #[test]
    fn malformed_trees_are_errors_and_end_the_iteration() {
        let id = NodeId::from_bytes(&[1; 20]).unwrap();
        let good = [b"100644 a\0", &[7; 20][..]].concat();
        let bad = [
            &b"100644 a\0short"[..],
            &[b"100644 \0", &[7; 20][..]].concat(),
            &[b"108644 a\0", &[7; 20][..]].concat(),
            &[b" a\0", &[7; 20][..]].concat(),
            &[b"10064400000 a\0", &[7; 20][..]].concat(),
            b"100644",
            b"100644 name-without-end",
        ];
        for bytes in bad {
            let data = [&good, bytes].concat();
            let entries: Vec<_> = tree_entries(id, &data, HashKind::Sha1).collect();
            assert_eq!(entries.len(), 2, "{bytes:?}");
            assert!(matches!(entries[1], Err(ObjectError::Damaged { .. })));
        }
        let legacy = [b"100664 a\0", &[7; 20][..]].concat();
        assert_eq!(
            tree_entries(id, &legacy, HashKind::Sha1)
                .next()
                .unwrap()
                .unwrap()
                .mode,
            EntryMode::File
        );
    }

    #[test]
    fn headers_and_bodies_are_what_cat_file_says() {
        for fixture in Fixture::both() {
            fixture.file("small", "x");
            fixture.file("large", "line\n".repeat(100_000));
            fixture.commit("one");
            fixture.git(&["tag", "-a", "-m", "t", "v1"]);
            let repo = fixture.open();
            let mut body = Vec::new();
            for packed in [false, true] {
                if packed {
                    fixture.git(&["repack", "-adq"]);
                }
                for revision in ["v1", "HEAD", "HEAD^{tree}", "HEAD:small", "HEAD:large"] {
                    let id = fixture.id(revision);
                    let header = repo.header(&id).unwrap().unwrap();
                    assert_eq!(
                        header.kind.to_string(),
                        fixture.git(&["cat-file", "-t", revision])
                    );
                    assert_eq!(
                        header.size_bytes.to_string(),
                        fixture.git(&["cat-file", "-s", revision])
                    );
                    repo.read(&id, header.kind, &mut body).unwrap();
                    let kind = header.kind.to_string();
                    let mut command =
                        fixture.command(&fixture.root, &["cat-file", &kind, &id.to_string()]);
                    assert_eq!(body, command.output().unwrap().stdout);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let fixture = Fixture::new();
        fixture.file("file", "x");
        let commit = fixture.commit("one");
        let repo = fixture.open();
        let mut buffer = Vec::new();
        let absent = NodeId::from_bytes(&[9; 20]).unwrap();
        let foreign = NodeId::from_bytes(&[9; 32]).unwrap();
        for id in [absent, foreign] {
            assert!(matches!(
                repo.read(&id, ObjectKind::Blob, &mut buffer),
                Err(ObjectError::Missing(_))
            ));
        }
        assert_eq!(repo.header(&absent).unwrap(), None);
        let error = repo
            .read(&commit, ObjectKind::Blob, &mut buffer)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("object {commit} is a commit, not a blob")
        );
        let hex = fixture.id("HEAD:file").to_string();
        let path = fixture
            .root
            .join(".git/objects")
            .join(&hex[..2])
            .join(&hex[2..]);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "garbage").unwrap();
        let error = repo
            .read(&fixture.id("HEAD:file"), ObjectKind::Blob, &mut buffer)
            .unwrap_err();
        assert!(matches!(error, ObjectError::Damaged { .. }), "{error}");
        let empty = fixture
            .git(&["hash-object", "-t", "tree", "/dev/null"])
            .parse()
            .unwrap();
        assert!(
            repo.header(&empty).unwrap().is_some(),
            "the empty tree is there without being there"
        );
    }

    #[test]
    fn paths_lead_to_entries() {
        let fixture = Fixture::new();
        fixture.file("a/b/c", "x");
        fixture.file("a.b", "y");
        fixture.commit("one");
        let (repo, tree) = (fixture.open(), fixture.id("HEAD^{tree}"));
        let find = |path: &str| repo.find_entry(&tree, path.as_bytes()).unwrap();
        assert_eq!(find(""), Some((EntryMode::Directory, tree)));
        assert_eq!(
            find("a/b"),
            Some((EntryMode::Directory, fixture.id("HEAD:a/b")))
        );
        assert_eq!(find("a/b/"), find("a/b"));
        assert_eq!(
            find("a/b/c"),
            Some((EntryMode::File, fixture.id("HEAD:a/b/c")))
        );
        for absent in ["b", "a/c", "a/b/c/d", "a.b/c"] {
            assert_eq!(find(absent), None, "{absent}");
        }
    }
}

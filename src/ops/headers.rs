//! The headers that a library of C gives to others, found in a tree from the folder of a file upwards.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository, Side, tree_entries};
use crate::regen::record::{Blob, Records, with_blob};
use crate::review;
use crate::synthesis::outline;

/// Headers that are read at most for what they declare: of more nothing is known.
const HEADERS_MAX: usize = 256;
/// Most folders around one another.
const DEPTH_MAX: usize = 32;
/// Build files that say what is installed.
const BUILD_FILES: [&str; 5] = [
    "Makefile",
    "GNUmakefile",
    "Makefile.am",
    "CMakeLists.txt",
    "meson.build",
];

/// A file of a tree.
type Placed = (TreePath, Side);

/// What is for others, as seen from one folder.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The headers; `None` where none is known to be.
    headers: Option<BTreeSet<TreePath>>,
    /// What they declare.
    pub(super) names: Option<BTreeSet<String>>,
}

impl Given {
    /// Whether what a header declares is for others.
    pub(super) fn has(&self, header: &TreePath) -> bool {
        match &self.headers {
            Some(headers) => headers.contains(header),
            None => !review::is_internal_header(&header.to_text()),
        }
    }
}

/// Reads of a tree what is needed to know that.
pub(super) struct Headers<'r> {
    repo: &'r Repository,
    records: &'r Records,
    tree: NodeId,
    known: HashMap<TreePath, Rc<Given>>,
}

impl<'r> Headers<'r> {
    pub(super) fn of(repo: &'r Repository, records: &'r Records, tree: NodeId) -> Self {
        Self {
            repo,
            records,
            tree,
            known: HashMap::new(),
        }
    }

    /// What is for others, as seen from the folder of a file.
    pub(super) fn given(&mut self, path: &TreePath) -> Result<Rc<Given>, ObjectError> {
        let folder = path.parent().unwrap_or_default();
        if let Some(given) = self.known.get(&folder) {
            return Ok(given.clone());
        }
        let given = Rc::new(self.look(&folder)?);
        self.known.insert(folder, given.clone());
        Ok(given)
    }

    fn look(&self, folder: &TreePath) -> Result<Given, ObjectError> {
        let (mut included, mut beside) = (Vec::new(), Vec::new());
        let mut installed: BTreeSet<String> = BTreeSet::new();
        let mut at = Some(folder.clone());
        for _ in 0..DEPTH_MAX {
            let Some(folder) = at else { break };
            for (path, side) in self.entries(&folder)? {
                let name = name_of(&path);
                if side.0 == EntryMode::Directory {
                    if name == "include" && !self.add_headers(&path, side.1, &mut included)? {
                        return Ok(Given::default());
                    }
                } else if BUILD_FILES.contains(&&*name) {
                    installed.extend(self.installed(side)?);
                } else if path.as_bytes().ends_with(b".h") {
                    beside.push((path, side));
                }
            }
            at = folder.parent();
        }
        let is_internal = |path: &TreePath| review::is_internal_header(&path.to_text());
        included.retain(|(path, _)| !is_internal(path));
        if included.is_empty() {
            included = beside;
            included.retain(|(path, _)| installed.contains(&*name_of(path)));
        }
        if included.is_empty() {
            return Ok(Given::default());
        }
        let mut names = BTreeSet::new();
        for (path, side) in &included {
            names.extend(self.declared(path, *side)?);
        }
        Ok(Given {
            headers: Some(included.into_iter().map(|(path, _)| path).collect()),
            names: Some(names),
        })
    }

    /// The names of the headers that a build file installs.
    fn installed(&self, side: Side) -> Result<BTreeSet<String>, ObjectError> {
        with_blob(self.repo, &side.1, |blob| match blob {
            Blob::Data(data) => review::installed(&String::from_utf8_lossy(data)),
            _ => BTreeSet::new(),
        })
    }

    /// The names that a header declares.
    fn declared(&self, path: &TreePath, side: Side) -> Result<Vec<String>, ObjectError> {
        with_blob(self.repo, &side.1, |blob| {
            let Blob::Data(data) = blob else {
                return Vec::new();
            };
            let outline = self
                .records
                .read(&side.1, path.name(), &outline::shown(data));
            let names = outline.symbols.iter().map(|symbol| symbol.name.clone());
            names.collect()
        })
    }

    /// The entries of a folder; none where there is no such folder.
    fn entries(&self, folder: &TreePath) -> Result<Vec<Placed>, ObjectError> {
        match self.repo.find_entry(&self.tree, folder.as_bytes())? {
            Some((EntryMode::Directory, id)) => self.entries_of(folder, id),
            _ => Ok(Vec::new()),
        }
    }

    fn entries_of(&self, folder: &TreePath, id: NodeId) -> Result<Vec<Placed>, ObjectError> {
        let mut buffer = Vec::new();
        self.repo.read(&id, ObjectKind::Tree, &mut buffer)?;
        let entries = tree_entries(id, &buffer, self.repo.hash_kind());
        entries
            .map(|entry| entry.map(|entry| (folder.join(entry.name), (entry.mode, entry.id))))
            .collect()
    }

    /// Adds the headers below a folder; false where there are too many.
    fn add_headers(
        &self,
        folder: &TreePath,
        id: NodeId,
        found: &mut Vec<Placed>,
    ) -> Result<bool, ObjectError> {
        let mut waiting = vec![(folder.clone(), id)];
        let mut read = 0;
        while let Some((folder, id)) = waiting.pop() {
            read += 1;
            for (path, side) in self.entries_of(&folder, id)? {
                match side.0 {
                    EntryMode::Directory => waiting.push((path, side.1)),
                    EntryMode::File if path.as_bytes().ends_with(b".h") => found.push((path, side)),
                    _ => {}
                }
            }
            if found.len() > HEADERS_MAX || read > HEADERS_MAX {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn name_of(path: &TreePath) -> Cow<'_, str> {
    String::from_utf8_lossy(path.name())
}

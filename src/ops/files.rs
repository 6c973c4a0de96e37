//! The files of a snapshot: its paths, and each distinct content once for each language that its names say.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::base::number::IndexVec;
use crate::base::path::last_name;
use crate::base::{NodeId, Shelf, TreePath};
use crate::context::tree::{PATHS_MAX, Tree};
use crate::git::{ObjectError, Repository};
use crate::node::ScanError;
use crate::symbol::Language;
use crate::symbol::map::{ContentNumber, FileNumber};
use crate::synthesis::outline;

/// Why the files of a snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The snapshot cannot be walked.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// A file cannot be read.
    #[error("cannot read '{}'", .path.to_text())]
    Object {
        /// Where it stands.
        path: TreePath,
        /// What failed.
        #[source]
        source: ObjectError,
    },
}

/// The files of a snapshot; what is ignored, links and submodules are left out.
#[derive(Debug, Default)]
pub struct Files {
    /// Paths in their order, each with the number of its content.
    pub paths: IndexVec<FileNumber, (Vec<u8>, ContentNumber)>,
    /// Distinct contents.
    pub contents: IndexVec<ContentNumber, Content>,
    /// True when there are more files than the limit, or more paths than are looked at.
    pub is_cut: bool,
    /// True when a path has a marker in the place of a secret.
    pub is_redacted: bool,
}

/// One content, and where it was met first.
#[derive(Debug, Clone, Copy)]
pub struct Content {
    /// Its object.
    pub id: NodeId,
    /// What its name says.
    pub language: Option<Language>,
    /// Its first path.
    pub first: FileNumber,
}

/// The files of a tree up to a limit, on the shelf.
struct KeptFiles {
    tree: NodeId,
    files_max: usize,
    files: Arc<Files>,
}

/// Snapshots whose files stay in memory between two answers.
const KEPT_MAX: usize = 2;

impl Files {
    /// Reads the paths of a root tree, up to a limit, where they are not on the shelf.
    pub fn read(
        repo: &Repository,
        shelf: &Shelf,
        tree: NodeId,
        files_max: usize,
    ) -> Result<Arc<Self>, FilesError> {
        Self::read_in(shelf, tree, files_max, || Tree::read(repo, shelf, tree))
    }

    /// The same of a tree that may be there already.
    pub fn read_in<T: Borrow<Tree>>(
        shelf: &Shelf,
        tree: NodeId,
        files_max: usize,
        read: impl FnOnce() -> Result<T, ScanError>,
    ) -> Result<Arc<Self>, FilesError> {
        // Where nothing was cut off, the limit makes no difference.
        let fits = |kept: &KeptFiles| {
            let is_whole = !kept.files.is_cut && kept.files.paths.len() <= files_max;
            kept.tree == tree && (kept.files_max == files_max || is_whole)
        };
        if let Some(kept) = shelf.find(fits) {
            return Ok(Arc::clone(&kept.files));
        }
        let files = Arc::new(Self::of(read()?.borrow(), files_max));
        let kept = KeptFiles {
            tree,
            files_max,
            files: Arc::clone(&files),
        };
        shelf.put(Arc::new(kept), KEPT_MAX);
        Ok(files)
    }

    /// Notes the paths of a tree, up to a limit.
    fn of(tree: &Tree, files_max: usize) -> Self {
        let mut files = Self::default();
        let mut numbers: HashMap<(NodeId, Option<Language>), ContentNumber> = HashMap::new();
        files.is_redacted = tree.has_secret_names();
        let mut all = tree.all();
        for _ in 0..PATHS_MAX {
            let Some(walked) = all.next_path() else {
                files.paths.shrink_to_fit();
                files.contents.shrink_to_fit();
                return files;
            };
            if !walked.entry.mode.is_file() {
                continue;
            }
            if files.paths.len() == files_max {
                break;
            }
            let (id, language) = (
                walked.entry.id,
                outline::language(&walked.path[walked.name_at..], b""),
            );
            let number = *numbers.entry((id, language)).or_insert_with(|| {
                files.contents.push(Content {
                    id,
                    language,
                    first: files.paths.next_idx(),
                })
            });
            let path = if files.is_redacted {
                outline::shown_path(walked.path)
            } else {
                walked.path.to_vec()
            };
            files.paths.push((path, number));
        }
        files.is_cut = true;
        files
    }

    /// The path of a file, and its content.
    #[must_use]
    pub fn at(&self, number: FileNumber) -> (&[u8], &Content) {
        let (path, content) = &self.paths[number];
        (path, &self.contents[*content])
    }

    /// The first name of a content.
    #[must_use]
    pub fn name(&self, content: &Content) -> &[u8] {
        last_name(&self.paths[content.first].0)
    }
}

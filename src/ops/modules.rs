//! The modules around a file of Rust, found in a tree by the names of files.
//!
//! | file | stands in the module that is in |
//! |---|---|
//! | `a/b.rs`, `a/b/mod.rs` | `a/mod.rs`, `a.rs`, `a/lib.rs`; for `a/b.rs` in the order of names that there are |
//!
//! A file that no library leads to, as those of a program, has none: there everything counts as it is written.

use std::collections::HashMap;

use crate::base::TreePath;
use crate::review::{Declaration, Exposed, ModuleAround, exposed};

/// Reads what a file declares; `None` where there is no such file, or it cannot be read.
pub(super) type ReadModule<'r, E> =
    dyn FnMut(&TreePath) -> Result<Option<Vec<Declaration>>, E> + 'r;

/// The files of one tree that were read, by their paths.
#[derive(Default)]
pub(super) struct Modules {
    read: HashMap<TreePath, Option<Vec<Declaration>>>,
}

/// Most modules around one another.
const DEPTH_MAX: usize = 32;

impl Modules {
    /// Which items of a file others can name.
    pub(super) fn exposed<E>(
        &mut self,
        path: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Exposed, E> {
        let mut around: Vec<(TreePath, String)> = Vec::new();
        let mut at = path.to_text().into_owned();
        while !is_crate(&at) {
            let Some((folder, child)) = place(&at).filter(|_| around.len() < DEPTH_MAX) else {
                return Ok(Exposed::All);
            };
            let mut found = None;
            for candidate in candidates(&folder) {
                let candidate = TreePath::new(candidate);
                if !self.read.contains_key(&candidate) {
                    let declared = read(&candidate)?;
                    self.read.insert(candidate.clone(), declared);
                }
                if self.read[&candidate].is_some() {
                    found = Some(candidate);
                    break;
                }
            }
            let Some(found) = found else {
                return Ok(Exposed::All);
            };
            at = found.to_text().into_owned();
            around.push((found, child));
        }
        let around: Vec<ModuleAround<'_>> = around
            .iter()
            .filter_map(|(path, child)| {
                Some(ModuleAround {
                    declarations: self.read[path].as_deref()?,
                    child,
                })
            })
            .collect();
        Ok(exposed(&around))
    }
}

fn is_crate(path: &str) -> bool {
    path == "lib.rs" || path.ends_with("/lib.rs")
}

/// The folder of the module around, and the name of the module in a file.
fn place(path: &str) -> Option<(String, String)> {
    let (folder, name) = path.rsplit_once('/')?;
    let stem = name.strip_suffix(".rs")?;
    if stem != "mod" {
        return Some((folder.to_owned(), stem.to_owned()));
    }
    let (folder, name) = folder.rsplit_once('/')?;
    Some((folder.to_owned(), name.to_owned()))
}

/// The files in which the module of a folder may be.
fn candidates(folder: &str) -> [String; 3] {
    [
        format!("{folder}/mod.rs"),
        format!("{folder}.rs"),
        format!("{folder}/lib.rs"),
    ]
}

//! The modules around a file of Rust, and the packages around one of Python, found in a tree by the names of files.
//!
//! | file | stands in the module that is in |
//! |---|---|
//! | `a/b.rs`, `a/b/mod.rs` | `a/mod.rs`, `a.rs`, `a/lib.rs`; for `a/b.rs` in the order of names that there are |
//! | `a/b.py`, `a/b/__init__.py` | `a/__init__.py`, or the stub `a/__init__.pyi` |
//!
//! A file of Rust that no library leads to, as those of a program, has none: there everything counts as it is written. So it does
//! in Python where no name on the way begins with an underscore.

use std::collections::{BTreeSet, HashMap};

use crate::base::TreePath;
use crate::review::{
    Code, Declaration, Exposed, ModuleAround, Origin, PackageAround, exposed, implemented,
    is_private_name, origin, reachable,
};

/// Reads a file; `None` where there is no such file, or it cannot be read.
pub(super) type ReadModule<'r, E> = dyn FnMut(&TreePath) -> Result<Option<Code>, E> + 'r;

/// The files of one tree that were read, by their paths.
#[derive(Default)]
pub(super) struct Modules {
    read: HashMap<TreePath, Option<Code>>,
}

/// Most modules around one another.
const DEPTH_MAX: usize = 32;
/// Most imports of one another that are followed to where a name stands.
const IMPORTS_DEPTH_MAX: usize = 8;

impl Modules {
    /// Which items of a file others can name.
    pub(super) fn exposed<E>(
        &mut self,
        path: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Exposed, E> {
        if path.as_bytes().ends_with(b".rs") {
            self.of_rust(path, read)
        } else {
            self.of_python(path, read)
        }
    }

    fn of_rust<E>(&mut self, path: &TreePath, read: &mut ReadModule<'_, E>) -> Result<Exposed, E> {
        let mut around: Vec<(TreePath, String)> = Vec::new();
        let mut at = path.to_text().into_owned();
        while !is_crate(&at) {
            let Some((folder, child)) = place(&at).filter(|_| around.len() < DEPTH_MAX) else {
                return Ok(Exposed::All);
            };
            let Some(found) = self.first(candidates(&folder), read)? else {
                return Ok(Exposed::All);
            };
            at = found.to_text().into_owned();
            around.push((found, child));
        }
        let around: Vec<ModuleAround<'_>> = around
            .iter()
            .filter_map(|(path, child)| {
                Some(ModuleAround {
                    declarations: &self.read[path].as_ref()?.declarations,
                    child,
                })
            })
            .collect();
        Ok(exposed(&around))
    }

    /// The traits and types of its own crate that a file of Rust implements or adds to and no other crate can name.
    pub(super) fn hidden<E>(
        &mut self,
        path: &TreePath,
        declarations: &[Declaration],
        read: &mut ReadModule<'_, E>,
    ) -> Result<BTreeSet<String>, E> {
        let mut hidden = BTreeSet::new();
        for name in implemented(declarations) {
            if self.is_hidden(path, &name, read, 0)? == Some(true) {
                hidden.insert(name);
            }
        }
        Ok(hidden)
    }

    /// Whether a name that a file uses is one that no other crate can name; `None` where it stands in a way that is not read.
    fn is_hidden<E>(
        &mut self,
        path: &TreePath,
        name: &str,
        read: &mut ReadModule<'_, E>,
        depth: usize,
    ) -> Result<Option<bool>, E> {
        if self.first([path.to_text().into_owned()], read)?.is_none() {
            return Ok(None);
        }
        match self.read[path].as_ref().map(|code| origin(code, name)) {
            Some(Origin::Here(is_public)) if depth > 0 => {
                let is_seen = is_public && self.of_rust(path, read)?.has(name);
                Ok(Some(!is_seen))
            }
            Some(Origin::Elsewhere(paths)) if depth < IMPORTS_DEPTH_MAX => {
                for written in paths {
                    if let Some((file, name)) = self.module(path, &written, read)?
                        && let Some(found) = self.is_hidden(&file, &name, read, depth + 1)?
                    {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The file of the module that a path in a file leads to, and the name in it.
    fn module<E>(
        &mut self,
        from: &TreePath,
        written: &str,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Option<(TreePath, String)>, E> {
        let mut parts: Vec<&str> = written.split("::").collect();
        let Some(name) = parts.pop() else {
            return Ok(None);
        };
        let mut parts = parts.into_iter().peekable();
        let mut folder = own_folder(&from.to_text());
        if parts.next_if_eq(&"crate").is_some() {
            let Some(root) = self.root(from, read)? else {
                return Ok(None);
            };
            folder = root;
        }
        parts.next_if_eq(&"self");
        while parts.next_if_eq(&"super").is_some() {
            folder = folder.rsplit_once('/').map_or("", |(up, _)| up).to_owned();
        }
        for part in parts {
            folder = format!("{folder}/{part}");
        }
        let file = self.first(candidates(&folder), read)?;
        Ok(file.map(|file| (file, name.to_owned())))
    }

    /// The folder of the crate of a file.
    fn root<E>(
        &mut self,
        from: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Option<String>, E> {
        let mut folder = own_folder(&from.to_text());
        for _ in 0..DEPTH_MAX {
            if self.first([format!("{folder}/lib.rs")], read)?.is_some() {
                return Ok(Some(folder));
            }
            match folder.rsplit_once('/') {
                Some((up, _)) => folder = up.to_owned(),
                None => break,
            }
        }
        Ok(None)
    }

    fn of_python<E>(
        &mut self,
        path: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Exposed, E> {
        let text = path.to_text();
        let mut parts: Vec<&str> = text.split('/').collect();
        if !parts.iter().any(|part| is_private_name(part)) {
            return Ok(Exposed::All);
        }
        let file = parts.pop().unwrap_or_default();
        let stem = file.split('.').next().unwrap_or_default();
        let mut child = match stem {
            "__init__" => parts.pop().unwrap_or_default(),
            stem => stem,
        };
        // The file, how many parts of the path lead to its package, and the name below.
        let mut around: Vec<(TreePath, Option<usize>, &str)> = Vec::new();
        while around.len() < DEPTH_MAX
            && !parts.is_empty()
            && let Some(found) = self.first(inits(&parts.join("/")), read)?
        {
            around.push((found, Some(parts.len()), child));
            child = parts.pop().unwrap_or_default();
        }
        let outermost = parts.len();
        if let Some(shown) = child.strip_prefix('_').filter(|_| is_private_name(child)) {
            // As `pytest` does for `_pytest`.
            let beside = [&parts[..], &[shown]].concat().join("/");
            let Some(found) = self.first(inits(&beside), read)? else {
                return Ok(Exposed::nothing());
            };
            around.push((found, None, child));
        }
        if parts.iter().any(|part| is_private_name(part)) {
            return Ok(Exposed::nothing());
        }
        let all: Vec<&str> = text.split('/').collect();
        let around: Vec<PackageAround<'_>> = around
            .iter()
            .filter_map(|(path, end, child)| {
                Some(PackageAround {
                    code: self.read[path].as_ref()?,
                    name: end.map_or_else(String::new, |end| all[outermost..end].join(".")),
                    child,
                })
            })
            .collect();
        Ok(reachable(&around))
    }

    /// The first of some files that there is.
    fn first<E>(
        &mut self,
        candidates: impl IntoIterator<Item = String>,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Option<TreePath>, E> {
        for candidate in candidates {
            let candidate = TreePath::new(candidate);
            if !self.read.contains_key(&candidate) {
                let code = read(&candidate)?;
                self.read.insert(candidate.clone(), code);
            }
            if self.read[&candidate].is_some() {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }
}

/// The files in which the package of a folder may say what it passes on.
fn inits(folder: &str) -> [String; 2] {
    [
        format!("{folder}/__init__.py"),
        format!("{folder}/__init__.pyi"),
    ]
}

fn is_crate(path: &str) -> bool {
    path == "lib.rs" || path.ends_with("/lib.rs")
}

/// The folder in which the modules of a file stand.
fn own_folder(path: &str) -> String {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let is_folder = |end| stem.strip_suffix(end);
    is_folder("/mod")
        .or_else(|| is_folder("/lib"))
        .unwrap_or(stem)
        .to_owned()
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

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
use std::rc::Rc;

use crate::base::TreePath;
use crate::review::{
    Code, Declaration, Exposed, ModuleAround, Origins, PackageAround, exposed, implemented,
    is_private_name, reachable,
};
use crate::symbol::Kind;

/// Reads a file; `None` where there is no such file, or it cannot be read.
pub(super) type ReadModule<'r, E> = dyn FnMut(&TreePath) -> Result<Option<Code>, E> + 'r;

/// The files of one tree that were read, by their paths.
#[derive(Default)]
pub(super) struct Modules {
    read: HashMap<TreePath, Option<Code>>,
    origins: HashMap<TreePath, Option<Rc<Origins>>>,
}

/// A declaration, found by its name.
struct Found {
    file: TreePath,
    name: String,
    is_public: bool,
}

/// Most modules around one another.
const DEPTH_MAX: usize = 32;
/// Most files that are looked into for where a name stands.
const IMPORTS_MAX: usize = 64;

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
        let alone = vec![Vec::new(); around.len()];
        if self.exposed_by(&around, &alone) == Exposed::All {
            return Ok(Exposed::All);
        }
        let mut beside = Vec::with_capacity(around.len());
        for (module, child) in &around {
            beside.push(self.public_modules(module, child, read)?);
        }
        Ok(self.exposed_by(&around, &beside))
    }

    /// The same, given the modules around, innermost first, and the public modules beside the one that leads on in each.
    fn exposed_by(&self, around: &[(TreePath, String)], beside: &[Vec<TreePath>]) -> Exposed {
        let declarations = |path: &TreePath| Some(&self.read.get(path)?.as_ref()?.declarations[..]);
        let around = around.iter().zip(beside);
        let around = around.filter_map(|((path, child), beside)| {
            Some(ModuleAround {
                declarations: declarations(path)?,
                child,
                beside: beside.iter().filter_map(declarations).collect(),
            })
        });
        exposed(&around.collect::<Vec<_>>())
    }

    /// The files of the public modules below a file, if the one of a name is not among them.
    fn public_modules<E>(
        &mut self,
        path: &TreePath,
        private: &str,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Vec<TreePath>, E> {
        let (mut found, mut next) = (Vec::new(), 0);
        let mut at = path.clone();
        loop {
            let code = self.read.get(&at).and_then(Option::as_ref);
            let declarations = code.map_or(&[][..], |code| &code.declarations);
            let is_module = |one: &&Declaration| {
                one.kind == Kind::Module && one.owner.is_none() && one.is_public()
            };
            let modules = declarations.iter().filter(is_module);
            if at == *path && modules.clone().any(|one| one.own == private) {
                // All that the module has is seen in this one already.
                return Ok(found);
            }
            let folder = own_folder(&at.to_text());
            let folders: Vec<String> = modules.map(|one| format!("{folder}/{}", one.own)).collect();
            for folder in folders {
                if found.len() < IMPORTS_MAX {
                    found.extend(self.first(candidates(&folder), read)?);
                }
            }
            let Some(module) = found.get(next) else {
                return Ok(found);
            };
            at = module.clone();
            next += 1;
        }
    }

    /// Puts the names that a module has in the place of a `pub use` of all of them, where its file is found and the other side of
    /// the file passes some of them on one by one: `other` has the signatures there.
    pub(super) fn spell_out<E>(
        &mut self,
        path: &TreePath,
        declarations: &mut Vec<Declaration>,
        other: &BTreeSet<String>,
        read: &mut ReadModule<'_, E>,
    ) -> Result<(), E> {
        for at in 0..declarations.len() {
            let one = &declarations[at];
            let is_export = one.kind == Kind::Export && one.owner.is_none();
            let all = one.signature.strip_suffix('*');
            let is_spelled = |all: &&str| {
                let mut behind = other.range(all.to_string()..);
                !other.contains(&one.signature)
                    && behind.next().is_some_and(|next| next.starts_with(*all))
            };
            let Some(all) = all.filter(|all| is_export && is_spelled(all)) else {
                continue;
            };
            let all = all.to_owned();
            let Some((_, module)) = all.split_once("use ") else {
                continue;
            };
            let mut names = self.names(path, module, read)?.into_iter();
            let glob = declarations[at].clone();
            let named = |name: String| Declaration {
                signature: format!("{all}{name}"),
                form: None,
                own: name.clone(),
                name,
                ..glob.clone()
            };
            let Some(first) = names.next() else { continue };
            declarations[at] = named(first);
            declarations.extend(names.map(named));
        }
        Ok(())
    }

    /// The names that others can use of the module that a path in a file leads to.
    fn names<E>(
        &mut self,
        path: &TreePath,
        module: &str,
        read: &mut ReadModule<'_, E>,
    ) -> Result<BTreeSet<String>, E> {
        let Some((file, _)) = self.module(path, module, read)? else {
            return Ok(BTreeSet::new());
        };
        let code = self.read.get(&file).and_then(Option::as_ref);
        let declarations = code.map_or(&[][..], |code| &code.declarations);
        let is_named = |one: &&Declaration| {
            one.owner.is_none()
                && one.is_public()
                && one.own == one.name
                && !matches!(one.kind, Kind::Macro | Kind::Implementation)
                && !one.own.ends_with('*')
        };
        let names = declarations.iter().filter(is_named);
        Ok(names.map(|one| one.own.clone()).collect())
    }

    /// The traits and types of its own crate that a file of Rust implements or adds to and no other crate can name. What stands in
    /// a way that is not read counts as what others can name.
    pub(super) fn hidden<E>(
        &mut self,
        path: &TreePath,
        declarations: &[Declaration],
        read: &mut ReadModule<'_, E>,
    ) -> Result<BTreeSet<String>, E> {
        let mut hidden = BTreeSet::new();
        // The modules around a file are found by its name.
        if std::str::from_utf8(path.as_bytes()).is_err() {
            return Ok(hidden);
        }
        for name in implemented(declarations) {
            if let Some(file) = self.find(path, &name, read)?
                && !self.is_seen(&file, read)?
            {
                hidden.insert(name);
            }
        }
        Ok(hidden)
    }

    /// Where a name that a file uses is declared: imports, and what is passed on, are followed; a file is looked into once for a name.
    fn find<E>(
        &mut self,
        path: &TreePath,
        name: &str,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Option<Found>, E> {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![(path.clone(), name.to_owned())];
        while let Some((file, name)) = waiting.pop() {
            if seen.len() > IMPORTS_MAX || !seen.insert((file.clone(), name.clone())) {
                continue;
            }
            let Some(origins) = self.origins(&file, read)? else {
                continue;
            };
            if let Some(is_public) = origins.here.get(&name).filter(|_| seen.len() > 1) {
                let is_public = *is_public;
                return Ok(Some(Found {
                    file,
                    name,
                    is_public,
                }));
            }
            // A name that is imported by itself is that one, whatever a `*` gives.
            let written: Vec<String> = match origins.imported.get(&name) {
                Some(written) => vec![written.clone()],
                None => origins
                    .globs
                    .iter()
                    .rev()
                    .map(|module| format!("{module}{name}"))
                    .collect(),
            };
            for written in written {
                waiting.extend(self.module(&file, &written, read)?);
            }
        }
        Ok(None)
    }

    fn is_seen<E>(&mut self, found: &Found, read: &mut ReadModule<'_, E>) -> Result<bool, E> {
        Ok(found.is_public && self.of_rust(&found.file, read)?.has(&found.name))
    }

    fn origins<E>(
        &mut self,
        path: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Option<Rc<Origins>>, E> {
        if let Some(known) = self.origins.get(path) {
            return Ok(known.clone());
        }
        self.first([path.to_text().into_owned()], read)?;
        let code = self.read.get(path).and_then(Option::as_ref);
        let origins = code.map(|code| Rc::new(Origins::of(code)));
        self.origins.insert(path.clone(), origins.clone());
        Ok(origins)
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
                Some((up, _)) => folder.truncate(up.len()),
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

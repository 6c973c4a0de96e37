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
use crate::base::number::IndexVec;
use crate::review::{
    Code, Declaration, DeclarationNumber, Exposed, FileDeclarations, ModuleAround, Origins,
    PackageAround, exposed, implemented, is_private_name, reachable,
};
use crate::symbol::{BodyDigest, Kind};

/// Reads a file; `None` where there is no such file, or it cannot be read.
pub(super) type ReadModule<'r, E> = dyn FnMut(&TreePath) -> Result<Option<Code>, E> + 'r;

/// The files of one tree that were read, by their paths.
#[derive(Default)]
pub(super) struct Modules {
    read: HashMap<TreePath, Option<Code>>,
    origins: HashMap<TreePath, Option<Rc<Origins>>>,
    exposed: HashMap<TreePath, Rc<Exposed>>,
    /// The public modules of files.
    public: HashMap<TreePath, Rc<[TreePath]>>,
}

/// A declaration, found by its name.
struct Found {
    file: TreePath,
    name: String,
    is_public: bool,
}

/// Most modules around one another.
const DEPTH_MAX: usize = 32;
/// Most modules beside one another that are looked into for what they pass on.
const BESIDE_MAX: usize = 64;
/// Most files that are looked into for where a name stands.
const IMPORTS_MAX: usize = 64;

impl Modules {
    /// Which items of a file others can name.
    pub(super) fn exposed<E>(
        &mut self,
        path: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Rc<Exposed>, E> {
        if let Some(known) = self.exposed.get(path) {
            return Ok(known.clone());
        }
        let found = Rc::new(if path.as_bytes().ends_with(b".rs") {
            self.of_rust(path, read)?
        } else {
            self.of_python(path, read)?
        });
        self.exposed.insert(path.clone(), found.clone());
        Ok(found)
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
        let mut beside = Vec::with_capacity(around.len());
        for (module, _) in &around {
            beside.push(self.public_modules(module, read)?);
        }
        let declarations = |path: &TreePath| Some(&self.read.get(path)?.as_ref()?.declarations[..]);
        let around = around.iter().zip(&beside);
        let around = around.filter_map(|((path, child), beside)| {
            Some(ModuleAround {
                declarations: declarations(path)?,
                child,
                beside: beside.iter().filter_map(declarations).collect(),
            })
        });
        Ok(exposed(&around.collect::<Vec<_>>()))
    }

    /// The files of the public modules that a file declares, of the first that there are.
    fn public_modules<E>(
        &mut self,
        path: &TreePath,
        read: &mut ReadModule<'_, E>,
    ) -> Result<Rc<[TreePath]>, E> {
        if let Some(known) = self.public.get(path) {
            return Ok(known.clone());
        }
        let code = self.read.get(path).and_then(Option::as_ref);
        let declarations = code.into_iter().flat_map(|code| &code.declarations);
        let is_module = |one: &&Declaration| {
            let is_file = one.kind == Kind::Module && one.body == BodyDigest::default();
            is_file && one.owner.is_none() && one.is_public()
        };
        let folder = own_folder(&path.to_text());
        let modules = declarations.filter(is_module).take(BESIDE_MAX);
        let folders: Vec<String> = modules.map(|one| format!("{folder}/{}", one.own)).collect();
        let mut found = Vec::new();
        for folder in folders {
            found.extend(self.first(candidates(&folder), read)?);
        }
        let found: Rc<[TreePath]> = found.into();
        self.public.insert(path.clone(), found.clone());
        Ok(found)
    }

    /// Puts the names that a module has in the place of a `pub use` of all of them, where its file is found and says them all, and
    /// the other side of the file passes some of them on one by one: `other` has the signatures there.
    pub(super) fn spell_out<E>(
        &mut self,
        path: &TreePath,
        declarations: &mut IndexVec<DeclarationNumber, Declaration>,
        other: &BTreeSet<String>,
        read: &mut ReadModule<'_, E>,
    ) -> Result<(), E> {
        let passed_on: BTreeSet<&str> = other.iter().filter_map(|one| written_path(one)).collect();
        for at in declarations.indices() {
            let one = &declarations[at];
            let is_export = one.kind == Kind::Export && one.owner.is_none();
            let all = one.signature.strip_suffix('*');
            let Some(module) = all.and_then(written_path).filter(|_| is_export) else {
                continue;
            };
            let mut behind = passed_on.range(module..);
            let is_spelled = !passed_on.contains(&*format!("{module}*"))
                && behind.next().is_some_and(|next| next.starts_with(module));
            if !is_spelled {
                continue;
            }
            // What the file declares or passes on by itself hides what a `*` gives; a module hides no function of its name.
            let is_outer = |one: &&Declaration| one.owner.is_none() && one.kind != Kind::Module;
            let outer = declarations.iter().filter(is_outer);
            let own: BTreeSet<&str> = outer.map(|one| one.own.as_str()).collect();
            let glob = one.clone();
            let lead = glob.signature.trim_end_matches('*');
            let (_, module) = lead.split_once("use ").unwrap_or_default();
            let names = self.names(path, module, read)?;
            let names = names.into_iter().filter(|name| !own.contains(&**name));
            let named = |name: String| Declaration {
                signature: format!("{lead}{name}"),
                form: None,
                own: name.clone(),
                name,
                ..glob.clone()
            };
            let mut named: Vec<Declaration> = names.map(named).collect();
            if let Some(first) = named.pop() {
                declarations[at] = first;
                declarations.extend(named);
            }
        }
        Ok(())
    }

    /// The names that others can use of the module that a path in a file leads to; none where the module itself passes on all that
    /// another has.
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
        let declarations = code.into_iter().flat_map(|code| &code.declarations);
        let is_named = |one: &&Declaration| {
            one.owner.is_none()
                && one.is_public()
                && one.own == one.name
                && one.own != "_"
                && !matches!(one.kind, Kind::Macro | Kind::Implementation)
        };
        let names = declarations.filter(is_named);
        let names: BTreeSet<String> = names.map(|one| one.own.clone()).collect();
        let is_whole = !names.iter().any(|name| name.ends_with('*'));
        Ok(if is_whole { names } else { BTreeSet::new() })
    }

    /// The traits and types of its own crate that a file of Rust implements or adds to and no other crate can name. What stands in
    /// a way that is not read counts as what others can name.
    pub(super) fn hidden<E>(
        &mut self,
        path: &TreePath,
        declarations: &FileDeclarations,
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
        Ok(found.is_public && self.exposed(&found.file, read)?.has(&found.name))
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

/// The path of a `use`, from the crate or the module on.
fn written_path(signature: &str) -> Option<&str> {
    let (_, path) = signature.split_once("use ")?;
    let starts = ["crate::", "self::"];
    Some(
        starts
            .iter()
            .fold(path, |path, start| path.strip_prefix(start).unwrap_or(path)),
    )
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

//! Where an import leads to within a snapshot: a file, a directory of files, or out of it.
//!
//! Nothing is read but paths. What a build file could say (aliases of paths, search paths, names of modules) is not
//! known, so what is ambiguous leads nowhere. The table in `docs/decisions/0022-symbol-map.md` says what is covered.

use std::collections::HashMap;

use super::file::FileNumber;
use super::import::Import;
use crate::base::number::{IndexVec, define_index_type};
use crate::base::quick_hash::QuickHash;
use crate::symbol::language::Language;

/// Most files of one name that are looked at for one import.
const CANDIDATES_MAX: usize = 64;

/// Most names of a path of modules that are looked at.
const DEPTH_MAX: usize = 16;

/// Endings that imports of scripts leave out, in the order in which they are tried.
const ENDINGS: [&str; 9] = [
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".vue",
];

define_index_type! {
    /// The number of a directory that files stand in.
    pub(super) struct DirectoryNumber = u32;
}

/// What an import leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A file.
    File(FileNumber),
    /// All files of a directory.
    Directory(DirectoryNumber),
}

/// The paths of a snapshot, ready to be looked up.
pub(super) struct Paths<'p> {
    files: HashMap<&'p str, FileNumber, QuickHash>,
    by_name: HashMap<&'p str, Vec<FileNumber>, QuickHash>,
    directories: HashMap<&'p str, DirectoryNumber, QuickHash>,
    by_directory_name: HashMap<&'p str, Vec<&'p str>, QuickHash>,
    directory_texts: IndexVec<DirectoryNumber, &'p str>,
    /// The directory of each file.
    pub directory_of: IndexVec<FileNumber, DirectoryNumber>,
    /// For each directory where the modules of the crate start that it belongs to as source.
    crates: IndexVec<DirectoryNumber, Option<&'p str>>,
    /// The root of a package's library by the name of its directory; `None` where several have this name.
    packages: HashMap<&'p str, Option<FileNumber>, QuickHash>,
    /// For each directory below which the library of its package stands.
    libraries: IndexVec<DirectoryNumber, Option<String>>,
    texts: IndexVec<FileNumber, &'p str>,
}

/// The directory and the name of a path.
fn cut(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl<'p> Paths<'p> {
    /// `texts` are the paths in their order; what is not UTF-8 is an empty text and found by nothing.
    pub(super) fn new(texts: IndexVec<FileNumber, &'p str>) -> Self {
        let mut paths = Self {
            files: HashMap::with_capacity_and_hasher(texts.len(), QuickHash::default()),
            by_name: HashMap::default(),
            directories: HashMap::default(),
            by_directory_name: HashMap::default(),
            directory_texts: IndexVec::new(),
            directory_of: IndexVec::with_capacity(texts.len()),
            crates: IndexVec::new(),
            packages: HashMap::default(),
            libraries: IndexVec::new(),
            texts: IndexVec::new(),
        };
        for (number, text) in texts.iter_enumerated() {
            let (directory, name) = cut(text);
            paths.files.insert(text, number);
            paths.by_name.entry(name).or_default().push(number);
            if let Some(package) = text.strip_suffix("/src/lib.rs") {
                paths
                    .packages
                    .entry(cut(package).1)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(number));
            }
            let known = paths.directory_texts.next_idx();
            let directory_number = *paths.directories.entry(directory).or_insert(known);
            if directory_number == known {
                paths.directory_texts.push(directory);
                paths
                    .by_directory_name
                    .entry(cut(directory).1)
                    .or_default()
                    .push(directory);
            }
            paths.directory_of.push(directory_number);
        }
        paths.files.remove("");
        paths.texts = texts;
        paths.crates = paths
            .directory_texts
            .iter()
            .map(|directory| paths.crate_of(directory))
            .collect();
        paths.libraries = paths
            .directory_texts
            .iter()
            .map(|directory| paths.library_of(directory))
            .collect();
        paths
    }

    /// The directory at or above this one that holds the root of a crate.
    fn crate_of(&self, directory: &'p str) -> Option<&'p str> {
        above(directory).find(|at| {
            ["lib.rs", "main.rs"]
                .iter()
                .any(|name| self.file(&join(at, name)).is_some())
        })
    }

    /// The source of the library in the package that a directory belongs to.
    fn library_of(&self, directory: &str) -> Option<String> {
        let directory = format!("/{directory}/");
        let root = ["/tests/", "/benches/", "/examples/", "/src/"]
            .iter()
            .find_map(|part| directory.find(part))?;
        let source = join(directory[..root].trim_start_matches('/'), "src");
        self.file(&join(&source, "lib.rs")).map(|_| source)
    }

    /// Where an import of a file leads to; nothing when it leads out of the snapshot or could mean several.
    pub(super) fn resolve(
        &self,
        from: FileNumber,
        language: Language,
        import: &Import,
        out: &mut Vec<Place>,
    ) {
        let directory = cut(self.texts[from]).0;
        let path = import.path.as_str();
        match language {
            Language::Rust => out.extend(self.rust(from, path)),
            Language::Python => self.python(directory, import, out),
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                out.extend(self.script(directory, path));
            }
            Language::Go => out.extend(self.go(path)),
            Language::Java => out.extend(self.java(path)),
            Language::C | Language::Cpp => out.extend(self.include(directory, path)),
            Language::Ruby => out.extend(self.ruby(directory, path)),
            Language::Php => out.extend(self.php(directory, path)),
            Language::Bash => out.extend(self.shell(directory, path)),
            _ => {}
        }
    }

    /// A directory by its number, with a slash at its end.
    pub(super) fn directory(&self, number: DirectoryNumber) -> String {
        format!("{}/", self.directory_texts[number])
    }

    fn file(&self, path: &str) -> Option<Place> {
        self.files.get(path).copied().map(Place::File)
    }

    fn first<S: AsRef<str>>(&self, candidates: impl IntoIterator<Item = S>) -> Option<Place> {
        candidates
            .into_iter()
            .find_map(|path| self.file(path.as_ref()))
    }

    /// The only file whose path ends so, at a whole name.
    fn ending(&self, tail: &str) -> Option<Place> {
        let candidates = self
            .by_name
            .get(cut(tail).1)
            .filter(|found| found.len() <= CANDIDATES_MAX)?;
        let mut fits = candidates
            .iter()
            .filter(|number| ends_with(self.texts[**number], tail));
        let found = *fits.next()?;
        fits.next().is_none().then_some(Place::File(found))
    }

    /// The only directory whose path ends so.
    fn directory_ending(&self, tail: &str) -> Option<Place> {
        let candidates = self
            .by_directory_name
            .get(cut(tail).1)
            .filter(|found| found.len() <= CANDIDATES_MAX)?;
        let mut fits = candidates
            .iter()
            .filter(|directory| ends_with(directory, tail));
        let found = fits.next()?;
        fits.next()
            .is_none()
            .then(|| Place::Directory(self.directories[found]))
    }

    /// `crate::…`, `self::…`, `super::…`, a module beside, or the library of the package; the longest path that is a file.
    fn rust(&self, from: FileNumber, path: &str) -> Option<Place> {
        let path = path.strip_suffix("::*").unwrap_or(path);
        let (first, mut rest) = first_name(path);
        let text = self.texts[from];
        match first {
            "std" | "core" | "alloc" => None,
            "crate" => self.module(self.crates[self.directory_of[from]]?, rest),
            "self" => self.module(&own_module(text), rest),
            "super" => {
                let own = own_module(text);
                let mut at = cut(&own).0;
                while let ("super", further) = first_name(rest) {
                    (at, rest) = (cut(at).0, further);
                }
                self.module(at, rest)
            }
            name => self.rust_by_name(from, name, path),
        }
    }

    /// A path that starts with the name of a module beside, of the package's library, or of another package here.
    fn rust_by_name(&self, from: FileNumber, name: &str, path: &str) -> Option<Place> {
        let own = own_module(self.texts[from]);
        let beside = self
            .module_file(&mut join(&own, name))
            .and_then(|_| self.module(&own, path));
        let (_, rest) = first_name(path);
        let package = || {
            let library = self
                .packages
                .get(name)
                .or_else(|| self.packages.get(name.replace('_', "-").as_str()))?;
            self.module(cut(self.texts[(*library)?]).0, rest)
        };
        // A test or program beside the library: `package::module::Name`, where the module exists.
        let library = || {
            let source = self.libraries[self.directory_of[from]].as_ref()?;
            let (module, _) = first_name(rest);
            self.module_file(&mut join(
                source,
                Some(module).filter(|module| !module.is_empty())?,
            ))?;
            self.module(source, rest)
        };
        beside.or_else(package).or_else(library)
    }

    /// The deepest module of a path below a directory of modules.
    fn module(&self, start: &str, path: &str) -> Option<Place> {
        let mut at = start.to_owned();
        for name in path
            .split("::")
            .filter(|name| !name.is_empty())
            .take(DEPTH_MAX)
        {
            at.push_str(if at.is_empty() { "" } else { "/" });
            at.push_str(name);
        }
        loop {
            let found = self.module_file(&mut at);
            if found.is_some() || at.len() == start.len() {
                return found;
            }
            at.truncate(at.rfind('/').unwrap_or(0).max(start.len()));
        }
    }

    /// The file of a module: beside its directory, or the first one in it. The path is the same afterwards.
    fn module_file(&self, module: &mut String) -> Option<Place> {
        let len = module.len();
        let try_with = |module: &mut String, end: &str| {
            module.push_str(end);
            let found = self.file(module);
            module.truncate(len);
            found
        };
        let beside = if len == 0 {
            None
        } else {
            try_with(module, ".rs")
        };
        if beside.is_some() || !self.directories.contains_key(module.as_str()) {
            return beside;
        }
        ["/mod.rs", "/lib.rs", "/main.rs"]
            .into_iter()
            .find_map(|end| try_with(module, &end[usize::from(len == 0)..]))
    }

    /// Relative by its dots, else below any directory above the file, or `src` and `lib` there.
    fn python(&self, directory: &str, import: &Import, out: &mut Vec<Place>) {
        let dots = import.path.bytes().take_while(|byte| *byte == b'.').count();
        let tail = import.path[dots..].replace('.', "/");
        let starts: Vec<String> = if dots > 0 {
            let up = (1..dots).fold(directory, |at, _| cut(at).0);
            vec![up.to_owned()]
        } else {
            above(directory)
                .flat_map(|start| [start.to_owned(), join(start, "src"), join(start, "lib")])
                .collect()
        };
        let package = |path: &str| {
            self.first([
                format!("{path}.py"),
                join(path, "__init__.py"),
                format!("{path}.pyi"),
            ])
        };
        for start in starts {
            let base = join(&start, &tail);
            let before = out.len();
            out.extend(
                import
                    .names
                    .iter()
                    .filter_map(|name| package(&join(&base, name))),
            );
            out.extend(package(&base));
            if out.len() > before {
                return;
            }
        }
    }

    /// Relative paths, with the endings that may be left out, or written as what they compile to.
    fn script(&self, directory: &str, path: &str) -> Option<Place> {
        if !path.starts_with('.') {
            return None;
        }
        let base = normal(directory, path)?;
        let bare = [".js", ".jsx", ".mjs", ".cjs"]
            .iter()
            .find_map(|ending| base.strip_suffix(ending));
        let with_endings = |base: &str| ENDINGS.map(|ending| format!("{base}{ending}"));
        let index = ENDINGS.map(|ending| join(&base, &format!("index{ending}")));
        self.file(&base)
            .or_else(|| self.first(with_endings(&base)))
            .or_else(|| self.first(with_endings(bare?)))
            .or_else(|| self.first(index))
    }

    /// A directory here that ends in what follows the name of the module.
    fn go(&self, path: &str) -> Option<Place> {
        let is_module = path
            .split('/')
            .next()
            .is_some_and(|first| first.contains('.'));
        let tails = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        if is_module {
            tails.take(8).find_map(|tail| self.directory_ending(tail))
        } else {
            None
        }
    }

    /// `a.b.C` as `…/a/b/C.java`, its members too; `a.b.*` as a directory.
    fn java(&self, path: &str) -> Option<Place> {
        if let Some(package) = path.strip_suffix(".*") {
            let tail = package.replace('.', "/");
            return self
                .directory_ending(&tail)
                .or_else(|| self.ending(&format!("{tail}.java")));
        }
        let tail = path.replace('.', "/");
        self.ending(&format!("{tail}.java"))
            .or_else(|| self.ending(&format!("{}.java", cut(&tail).0)))
    }

    /// Beside the file, then below `include` or `src`, then the only file that ends so; `<…>` below `include` only.
    fn include(&self, directory: &str, path: &str) -> Option<Place> {
        let is_system = path.starts_with('<');
        let path = path.trim_matches(['"', '<', '>']);
        let below =
            |name: &str| self.first(above(directory).map(|start| join(&join(start, name), path)));
        let searched = || below("include").or_else(|| self.ending(&join("include", path)));
        if is_system {
            return searched();
        }
        normal(directory, path)
            .and_then(|path| self.file(&path))
            .or_else(searched)
            .or_else(|| below("src"))
            .or_else(|| self.ending(path))
    }

    fn ruby(&self, directory: &str, path: &str) -> Option<Place> {
        let file = format!("{}.rb", path.strip_suffix(".rb").unwrap_or(path));
        let beside = normal(directory, &file).and_then(|path| self.file(&path));
        let library = || self.first(above(directory).map(|start| join(&join(start, "lib"), &file)));
        beside
            .or_else(library)
            .or_else(|| self.ending(&join("lib", &file)))
    }

    /// A class by the longest end of its name that is the only file to end so; a file by its path.
    fn php(&self, directory: &str, path: &str) -> Option<Place> {
        if path.strip_suffix(".php").is_some() {
            let relative = path.trim_start_matches('/');
            let beside = normal(directory, relative).and_then(|path| self.file(&path));
            return beside
                .or_else(|| self.file(relative))
                .or_else(|| self.ending(relative).filter(|_| relative.contains('/')));
        }
        let file = format!("{}.php", path.replace('\\', "/"));
        let tails = std::iter::once(0).chain(file.match_indices('/').map(|(at, _)| at + 1));
        tails
            .map(|at| &file[at..])
            .filter(|tail| tail.contains('/'))
            .find_map(|tail| self.ending(tail))
    }

    /// What follows a variable counts from the directory of the file.
    fn shell(&self, directory: &str, path: &str) -> Option<Place> {
        let written = path;
        let path = path.rfind(['}', ')']).map_or(path, |at| &path[at + 1..]);
        let path = if path.starts_with('$') {
            path.split_once('/')?.1
        } else {
            path
        };
        let relative = path.trim_start_matches('/');
        // The variable may also stand for a directory above, or for where all of it gets installed.
        let installed = || {
            self.ending(relative)
                .filter(|_| written.starts_with('$') && relative.contains('/'))
        };
        normal(directory, relative)
            .and_then(|path| self.file(&path))
            .or_else(|| self.file(relative))
            .or_else(installed)
    }
}

/// The first name of a path of modules, and the path behind it.
fn first_name(path: &str) -> (&str, &str) {
    path.split_once("::").unwrap_or((path, ""))
}

fn ends_with(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail)
        .is_some_and(|head| head.is_empty() || head.ends_with('/'))
}

fn join(directory: &str, name: &str) -> String {
    match (directory.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// A directory and all above it, the root last.
fn above(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| (!at.is_empty()).then(|| cut(at).0)).take(32)
}

/// A relative path from a directory, without `.` and `..`; `None` when it leads out.
fn normal(directory: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = directory
        .split('/')
        .filter(|name| !name.is_empty())
        .collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// The directory that the modules of a file stand in: `src/a` for `src/a.rs` and `src/a/mod.rs`.
fn own_module(path: &str) -> String {
    let (directory, name) = cut(path);
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => directory.to_owned(),
        _ => join(directory, name.strip_suffix(".rs").unwrap_or(name)),
    }
}

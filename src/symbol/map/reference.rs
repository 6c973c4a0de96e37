//! Who refers to whom: names that one file uses and another declares, as far as names and imports can tell.
//!
//! A name refers to the declarations of it in files that the using file imports, in what these pass on, or beside it
//! where its language shares a directory. Where there is none, it refers to the only declaration in the snapshot, if
//! it is used in a way that is hardly a local variable. Members need more: their type is named in the using file, or
//! nothing else there could be meant. A file that declares a name itself refers to no other file by it.
//!
//! Too few references are wanted rather than wrong ones. Nothing here knows types.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use super::declared::{Declarations, Declared, Names};
use super::entry::FileSymbols;
use super::file::MapFile;
use super::kept::{FileReferences, KeptReferences};
use super::resolve::{Paths, Place};
use super::uses::{Use, Ways};
use crate::base::cores::{beside, on_all_cores};
use crate::symbol::language::Language;

/// Most files that one file passes on.
const PASSED_ON_MAX: usize = 400;
/// How often what is passed on is passed on again.
pub(super) const PASSES_MAX: usize = 3;

/// Who refers to whom in a snapshot: something for each file, in the order of the files.
#[derive(Debug)]
pub struct References(Stored);

#[derive(Debug)]
enum Stored {
    Read(Vec<FileReferences>),
    Kept(Box<KeptReferences>),
}

/// A declaration that is referred to: the file and the entry.
type Target = (u32, u32);

/// Whether files of one directory see each other without an import.
pub(super) fn shares_directory(language: Language) -> bool {
    matches!(
        language,
        Language::Go
            | Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::Swift
            | Language::Terraform
    )
}

/// Finds all references between files, which are in the order of their paths.
#[must_use]
pub fn references(files: &[MapFile<'_>]) -> References {
    let paths = paths_of(files);
    let (links, passed_on, declarations) = std::thread::scope(|scope| {
        let declarations = beside(scope, || Declarations::of(files));
        let links = on_all_cores(
            files.len(),
            &(),
            || (),
            |(), number| Links::of(&paths, files, number as u32),
        );
        let passed_on = passed_on(&links);
        (links, passed_on, declarations.join())
    });
    let directories = files.iter().map(|file| directory(file.path)).collect();
    let index = Index {
        files,
        paths: &paths,
        links: &links,
        passed_on: &passed_on,
        directories,
        declarations,
    };
    let seen = || RefCell::new(index.nothing_seen());
    let read = on_all_cores(files.len(), &seen(), seen, |seen, number| {
        index.read(number as u32, &mut seen.borrow_mut())
    });
    let mut found = read;
    for number in 0..found.len() {
        let targets = std::mem::take(&mut found[number].targets);
        for (file, entry) in &targets {
            found[*file as usize].counts[*entry as usize] += 1;
        }
        found[number].targets = targets;
    }
    let mut referring = vec![0; found.len()];
    for target in found.iter().flat_map(|file| &file.files) {
        referring[*target as usize] += 1;
    }
    for (file, referring) in found.iter_mut().zip(referring) {
        file.referring = referring;
    }
    References(Stored::Read(found))
}

/// The paths of files. No import can name a path that is not UTF-8.
pub(super) fn paths_of<'p>(files: &[MapFile<'p>]) -> Paths<'p> {
    let text = |file: &MapFile<'p>| std::str::from_utf8(file.path).unwrap_or_default();
    Paths::new(files.iter().map(text).collect())
}

/// Where the imports of a file lead.
#[derive(Default)]
pub(super) struct Links {
    pub files: Vec<u32>,
    pub directories: Vec<u32>,
    pub passed_on: Vec<u32>,
    outside: Vec<u32>,
}

impl Links {
    pub(super) fn of(paths: &Paths<'_>, files: &[MapFile<'_>], number: u32) -> Self {
        let mut links = Self::default();
        let symbols = files[number as usize].symbols();
        let Some(language) = symbols
            .language
            .filter(|_| !files[number as usize].path.is_empty())
        else {
            return links;
        };
        let mut places = Vec::new();
        for (at, import) in symbols.imports.iter().enumerate() {
            places.clear();
            paths.resolve(number, language, import, &mut places);
            if places.is_empty() {
                links.outside.push(at as u32);
            }
            for place in &places {
                match place {
                    Place::File(file) if *file != number => {
                        links.files.push(*file);
                        if import.is_passed_on {
                            links.passed_on.push(*file);
                        }
                    }
                    Place::Directory(directory) => links.directories.push(*directory),
                    Place::File(_) => {}
                }
            }
        }
        for list in [
            &mut links.files,
            &mut links.directories,
            &mut links.passed_on,
        ] {
            list.sort_unstable();
            list.dedup();
        }
        links
    }
}

/// For each file the files whose names it passes on, directly or through others.
fn passed_on(links: &[Links]) -> Vec<Vec<u32>> {
    let mut reached: Vec<Vec<u32>> = links.iter().map(|links| links.passed_on.clone()).collect();
    for _ in 1..PASSES_MAX {
        reached = (0..links.len())
            .map(|number| {
                let direct = &links[number].passed_on;
                let mut all: Vec<u32> = direct
                    .iter()
                    .flat_map(|next| reached[*next as usize].iter().copied())
                    .collect();
                all.extend(direct);
                all.sort_unstable();
                all.dedup();
                all.truncate(PASSED_ON_MAX);
                all
            })
            .collect();
    }
    reached
}

struct Index<'i> {
    files: &'i [MapFile<'i>],
    paths: &'i Paths<'i>,
    links: &'i [Links],
    passed_on: &'i [Vec<u32>],
    /// The directory of each file, with the slash at its end.
    directories: Vec<&'i [u8]>,
    declarations: Declarations<'i>,
}

/// What one file sees, for many files one after the other: each number holds the last file that saw it.
struct FileScope {
    /// By the number of a name: the file uses or declares it.
    names: Vec<u32>,
    /// By the number of a file: its names can be used, for they are imported, or passed on by what is.
    files: Vec<u32>,
}

impl Index<'_> {
    fn nothing_seen(&self) -> FileScope {
        FileScope {
            names: vec![u32::MAX; self.declarations.numbers_end()],
            files: vec![u32::MAX; self.files.len()],
        }
    }

    /// What one file refers to, each declaration once.
    fn read(&self, number: u32, seen: &mut FileScope) -> FileReferences {
        let symbols = self.files[number as usize].symbols();
        let links = &self.links[number as usize];
        let directories = links
            .directories
            .iter()
            .map(|number| self.paths.directory(*number));
        let mut references = FileReferences {
            imports: links.files.clone(),
            directories: directories.collect(),
            outside: links.outside.clone(),
            counts: vec![0; symbols.entries.len()],
            files: links.files.clone(),
            ..FileReferences::default()
        };
        let mut all: Vec<Target> = Vec::new();
        let names = symbols
            .language
            .and_then(|language| Some((language, self.declarations.names(language)?)));
        if let Some((language, names)) = names {
            let number_of =
                |(at, used): (usize, Use<'_>)| Some((at, names.number(used.parts().1)?));
            let uses = self.files[number as usize].uses();
            let used: Vec<(usize, u32)> = uses.iter().enumerate().filter_map(number_of).collect();
            for name in used
                .iter()
                .map(|(_, name)| name)
                .chain(self.declarations.own(number))
            {
                seen.names[*name as usize] = number;
            }
            for file in &links.files {
                for file in self.passed_on[*file as usize].iter().chain([file]) {
                    seen.files[*file as usize] = number;
                }
            }
            let mut foreign: Vec<u32> = foreign(symbols, &links.outside, language)
                .filter_map(|name| names.number(name))
                .collect();
            foreign.sort_unstable();
            let reader = ByteReader {
                index: self,
                number,
                language,
                foreign,
                seen,
            };
            let mut meant: Vec<Declared> = Vec::new();
            for (at, name) in used {
                let candidates = names.candidates(name);
                if candidates.is_empty() || reader.foreign.binary_search(&name).is_ok() {
                    continue;
                }
                let used = uses.get(at);
                meant.clear();
                reader.declarations(&UsedName::of(used, language, names), candidates, &mut meant);
                if meant.iter().any(|declared| !declared.is_property) {
                    let calls = used.places.iter().map(|entry| (*entry, at as u32));
                    references.calls.extend(calls);
                }
                all.extend(meant.iter().map(|declared| (declared.file, declared.entry)));
            }
        }
        all.sort_unstable();
        all.dedup();
        references.calls.sort_unstable();
        references.files.extend(all.iter().map(|(file, _)| *file));
        references.files.sort_unstable();
        references.files.dedup();
        references.targets = all;
        references
    }
}

/// A name that a file uses, and what it is asked of.
struct UsedName<'u> {
    name: &'u str,
    ways: Ways,
    of: Receiver,
}

/// What a name is asked of.
#[derive(Clone, Copy)]
enum Receiver {
    /// A value, or nothing.
    Value,
    /// The type of the name with this number.
    Type(u32),
    /// A type that no file declares.
    ForeignType,
}

impl<'u> UsedName<'u> {
    fn of(used: Use<'u>, language: Language, names: &Names<'_>) -> Self {
        let (of, name) = used.parts();
        // There a field may have the name of a type.
        let may_be_field = matches!(language, Language::CSharp | Language::Go);
        let of = match of.map(|of| names.number(of)) {
            Some(Some(number)) => Receiver::Type(number),
            Some(None) if !may_be_field => Receiver::ForeignType,
            _ => Receiver::Value,
        };
        Self {
            name,
            ways: used.ways,
            of,
        }
    }
}

struct ByteReader<'r, 'i> {
    index: &'r Index<'i>,
    number: u32,
    language: Language,
    /// The numbers of names that its imports take from outside of the snapshot, in order.
    foreign: Vec<u32>,
    seen: &'r FileScope,
}

impl ByteReader<'_, '_> {
    /// Adds those declarations of a name that it refers to.
    fn declarations(&self, used: &UsedName<'_>, known: &[Declared], out: &mut Vec<Declared>) {
        let may_be_own = |declared: &Declared| match used.of {
            Receiver::Value => true,
            Receiver::Type(of) => declared.owner == Some(of),
            Receiver::ForeignType => false,
        };
        let is_own = |declared: &Declared| declared.file == self.number && may_be_own(declared);
        if known.iter().any(is_own) {
            return;
        }
        let is_only = known.iter().all(|declared| declared.file == known[0].file);
        let in_reach = known
            .iter()
            .filter(|declared| self.reaches(declared.file) && self.sees(declared));
        out.extend(in_reach.filter(|declared| self.is_meant(declared, used, is_only)));
        if out.is_empty() && is_only {
            let is_bare = used.ways.has(Ways::BARE) && matches!(used.of, Receiver::Value);
            let is_meant = |declared: &&Declared| match declared.owner {
                Some(_) => self.is_meant(declared, used, false),
                // A variable of a script that is not exported is seen by those that read the script, by no other.
                None => is_bare && (self.language != Language::Bash || declared.is_public),
            };
            out.extend(
                known
                    .iter()
                    .filter(|declared| self.sees(declared))
                    .filter(is_meant),
            );
        }
    }

    /// What is private may be used in its own directory and below at most.
    fn sees(&self, declared: &Declared) -> bool {
        let directory = |file: u32| self.index.directories[file as usize];
        declared.is_public || directory(self.number).starts_with(directory(declared.file))
    }

    /// Whether the names of a file can be used without saying where they are from.
    fn reaches(&self, file: u32) -> bool {
        let directory = |file: u32| self.index.paths.directory_of[file as usize];
        let directories = &self.index.links[self.number as usize].directories;
        self.seen.files[file as usize] == self.number
            || !directories.is_empty() && directories.binary_search(&directory(file)).is_ok()
            || shares_directory(self.language) && directory(file) == directory(self.number)
    }

    /// A member is meant when it is asked of its type. Asked of a value it is meant when its type is named as well, or when
    /// it is called and nothing else can be meant: no other file declares it, and its name has several words, unlike
    /// those of the types that every language brings along.
    fn is_meant(&self, declared: &Declared, used: &UsedName<'_>, is_only: bool) -> bool {
        let Some(owner) = declared.owner else {
            return declared.file != self.number;
        };
        if self.foreign.binary_search(&owner).is_ok() {
            return false;
        }
        match used.of {
            Receiver::Type(of) => of == owner,
            Receiver::ForeignType => false,
            Receiver::Value => {
                let is_clear =
                    is_only && used.ways.has(Ways::CALLED.and(Ways::BARE)) && has_words(used.name);
                let is_named = used.ways.has(Ways::ASKED.and(Ways::BARE))
                    && self.seen.names[owner as usize] == self.number;
                !OF_EVERY_OBJECT.contains(&used.name) && (is_clear || is_named)
            }
        }
    }
}

/// The names that imports take from outside, where that is certain: Java says the whole name, Rust and C++ name
/// their own libraries.
fn foreign<'i>(
    symbols: &'i FileSymbols,
    outside: &'i [u32],
    language: Language,
) -> Box<dyn Iterator<Item = &'i str> + 'i> {
    let separator = match language {
        Language::Java => ".",
        Language::Rust => "::",
        // What a file adds to the library's namespace is not what all others mean by it.
        Language::Cpp => return Box::new(std::iter::once("std")),
        _ => return Box::new(std::iter::empty()),
    };
    let paths = outside
        .iter()
        .filter_map(|at| symbols.imports.get(*at as usize))
        .map(|import| import.path.as_str());
    let is_whole = move |path: &&str| {
        language == Language::Java
            || ["std::", "core::", "alloc::"]
                .iter()
                .any(|own| path.starts_with(own))
    };
    Box::new(
        paths
            .filter(is_whole)
            .filter_map(move |path| path.rsplit(separator).next()),
    )
}

/// Names that the objects of Java, JavaScript and C# bring along: asked of a value, they say nothing about whose they are.
#[rustfmt::skip]
const OF_EVERY_OBJECT: &[&str] = &[
    "addEventListener", "charAt", "charCodeAt", "compareTo", "endsWith", "equals", "equalsIgnoreCase", "findIndex",
    "forEach", "getBytes", "getClass", "getMessage", "getName", "getOrDefault", "hasNext", "hasOwnProperty", "hashCode",
    "indexOf", "isEmpty", "keySet", "lastIndexOf", "length", "notifyAll", "printStackTrace", "putAll", "replaceAll",
    "size", "startsWith", "subList", "toArray", "toCharArray", "toList", "toLowerCase", "toString", "toUpperCase",
    "valueOf",
];

/// True for `from_bytes` and `fromBytes`, not for `find` and `_find`.
fn has_words(name: &str) -> bool {
    let name = name.trim_matches('_');
    name.contains('_')
        || name
            .chars()
            .skip(1)
            .zip(name.chars())
            .any(|(c, before)| c.is_uppercase() && before.is_lowercase())
}

impl References {
    /// Those that were written down.
    pub(super) fn kept(kept: KeptReferences) -> Self {
        Self(Stored::Kept(Box::new(kept)))
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Stored::Read(files) => files.len(),
            Stored::Kept(kept) => kept.len(),
        }
    }

    /// True when there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the file with this number has to do with the others.
    #[must_use]
    pub fn of(&self, number: u32) -> &FileReferences {
        match &self.0 {
            Stored::Read(files) => &files[number as usize],
            Stored::Kept(kept) => kept.of(number),
        }
    }

    /// The same of all files, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FileReferences> {
        (0..self.len() as u32).map(|number| self.of(number))
    }

    /// The same for one look at each: what is read of a file does not stay for the next one.
    pub fn looks(&self) -> impl Iterator<Item = Cow<'_, FileReferences>> {
        (0..self.len() as u32).map(|number| match &self.0 {
            Stored::Read(files) => Cow::Borrowed(&files[number as usize]),
            Stored::Kept(kept) => Cow::Owned(kept.look(number)),
        })
    }

    /// The groups of files that refer to each other, each other's ways included; a file with no such partner is in none.
    ///
    /// Two files are partners when each refers to the other. Files in order, groups by their first file.
    #[must_use]
    pub fn partners(&self) -> Vec<Vec<u32>> {
        let files = match &self.0 {
            Stored::Read(files) => files,
            Stored::Kept(kept) => return kept.partners.clone(),
        };
        let refers = |from: u32, to: u32| files[from as usize].files.binary_search(&to).is_ok();
        let mut parent: Vec<u32> = (0..files.len() as u32).collect();
        for (number, file) in files.iter().enumerate() {
            for target in file
                .files
                .iter()
                .copied()
                .filter(|target| refers(*target, number as u32))
            {
                let (one, other) = (root(&mut parent, number as u32), root(&mut parent, target));
                parent[one.max(other) as usize] = one.min(other);
            }
        }
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for number in 0..files.len() as u32 {
            let first = root(&mut parent, number);
            groups.entry(first).or_default().push(number);
        }
        groups.retain(|_, group| group.len() > 1);
        groups.into_values().collect()
    }
}

/// The directory of a path, with the slash at its end.
fn directory(path: &[u8]) -> &[u8] {
    &path[..path
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |at| at + 1)]
}

/// The first member of a group, with the way to it made short.
fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        let above = parent[parent[at as usize] as usize];
        parent[at as usize] = above;
        at = above;
    }
    at
}

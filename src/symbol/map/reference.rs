//! Who refers to whom: names that one file uses and another declares, as far as names and imports can tell.
//!
//! A name refers to the declarations of it in files that the using file imports, in what these pass on, or beside it
//! where its language shares a directory. Where there is none, it refers to the only declaration in the snapshot, if
//! it is used in a way that is hardly a local variable. Members need more: their type is named in the using file, or
//! nothing else there could be meant. A file that declares a name itself refers to no other file by it.
//!
//! Too few references are wanted rather than wrong ones. Nothing here knows types.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use super::declared::{Declarations, Declared, NameNumber, Names};
use super::entries::EntryNumber;
use super::entry::FileSymbols;
use super::file::{FileNumber, MapFile, MapFiles};
use super::import::ImportNumber;
use super::kept::{FileReferences, References, put_counts, put_found};
use super::resolve::{DirectoryNumber, Paths, Place};
use super::uses::{Use, UseNumber, Uses, Ways};
use crate::base::cores::on_all_cores;
use crate::base::number::{IndexSlice, IndexVec, to_u32};
use crate::base::numbered::range_of;
use crate::symbol::language::Language;

/// Most files that one file passes on.
const PASSED_ON_MAX: usize = 400;
/// How often what is passed on is passed on again.
pub(super) const PASSES_MAX: usize = 3;
/// Files whose declarations are in memory at once.
const FILES_AT_ONCE: usize = 2_048;
/// Files whose references are in memory at once before they are written down.
const READ_AT_ONCE: usize = 8_192;

/// No file: nothing was seen yet.
const NO_FILE: FileNumber = FileNumber::from_raw(u32::MAX);

/// A declaration that is referred to: the file and the entry.
type Target = (FileNumber, EntryNumber);

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
///
/// Each file is looked at twice: for what it declares and imports, and for what the names mean that it uses. What stays of it is
/// numbers, so that the memory grows with the names of a snapshot and not with its symbols.
#[must_use]
pub fn references(files: &MapFiles<'_>) -> References {
    let mut index = Index::of(files);
    let counts = Counts::new(std::mem::take(&mut index.entry_ends));
    let (mut found, mut refers) = (Lists::new(), Lists::new());
    for from in (0..files.len()).step_by(READ_AT_ONCE) {
        let count = READ_AT_ONCE.min(files.len() - from);
        let seen = || RefCell::new(index.nothing_seen());
        let read = on_all_cores(count, &seen(), seen, |seen, at| {
            let file = index.read(FileNumber::new(from + at), &mut seen.borrow_mut());
            counts.add(&file);
            let mut bytes = Vec::new();
            put_found(&mut bytes, &file);
            (bytes, file.files)
        });
        for (bytes, files) in read {
            found.push(&bytes);
            refers.push(&files);
        }
    }
    drop(index);
    let partners = partners(&refers);
    drop(refers);
    let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(files.len()));
    for number in files.indices() {
        bytes.extend_from_slice(found.get(number));
        counts.put(&mut bytes, number);
        ends.push(bytes.len());
    }
    bytes.shrink_to_fit();
    References::new(bytes, 0, ends, partners)
}

/// A list for each file, one behind the other.
struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T: Copy> Lists<T> {
    fn new() -> Self {
        let (items, ends) = (Vec::new(), Vec::new());
        Self { items, ends }
    }

    fn push(&mut self, list: &[T]) {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len());
    }

    fn get(&self, file: FileNumber) -> &[T] {
        &self.items[range_of(&self.ends, file.index())]
    }
}

/// How many files refer to each entry of each file, and to each file.
struct Counts {
    /// Where the entries of each file end in the list.
    ends: Vec<usize>,
    entries: Vec<AtomicU32>,
    files: IndexVec<FileNumber, AtomicU32>,
}

impl Counts {
    fn new(ends: Vec<usize>) -> Self {
        let zeros =
            |count: usize| -> Vec<AtomicU32> { (0..count).map(|_| AtomicU32::new(0)).collect() };
        Self {
            entries: zeros(ends.last().copied().unwrap_or(0)),
            files: zeros(ends.len()).into(),
            ends,
        }
    }

    /// Counts what a file refers to.
    fn add(&self, file: &FileReferences) {
        for (target, entry) in &file.targets {
            let entries = &self.entries[range_of(&self.ends, target.index())];
            entries[entry.index()].fetch_add(1, Ordering::Relaxed);
        }
        for target in &file.files {
            self.files[*target].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes what was counted for a file.
    fn put(&self, out: &mut Vec<u8>, file: FileNumber) {
        let entries = &self.entries[range_of(&self.ends, file.index())];
        let count = |count: &AtomicU32| count.load(Ordering::Relaxed);
        put_counts(out, &entries.iter().map(count), count(&self.files[file]));
    }
}

/// Groups of files that refer to each other: see [`References::partners`]. `files` are those that each refers to, in order.
fn partners(files: &Lists<FileNumber>) -> Vec<Vec<FileNumber>> {
    let refers = |from, to| files.get(from).binary_search(&to).is_ok();
    let all = || (0..files.ends.len()).map(FileNumber::new);
    let mut parent: IndexVec<FileNumber, FileNumber> = all().collect();
    for number in all() {
        let targets = files.get(number).iter();
        for target in targets.filter(|target| refers(**target, number)) {
            let (one, other) = (root(&mut parent, number), root(&mut parent, *target));
            parent[one.max(other)] = one.min(other);
        }
    }
    let mut groups: BTreeMap<FileNumber, Vec<FileNumber>> = BTreeMap::new();
    for number in all() {
        let first = root(&mut parent, number);
        groups.entry(first).or_default().push(number);
    }
    groups.retain(|_, group| group.len() > 1);
    groups.into_values().collect()
}

/// The paths of files. No import can name a path that is not UTF-8.
pub(super) fn paths_of<'p>(files: &MapFiles<'p>) -> Paths<'p> {
    let text = |file: &MapFile<'p>| std::str::from_utf8(file.path).unwrap_or_default();
    Paths::new(files.iter().map(text).collect())
}

/// Where the imports of a file lead.
#[derive(Default)]
pub(super) struct Links {
    pub files: Vec<FileNumber>,
    pub directories: Vec<DirectoryNumber>,
    pub passed_on: Vec<FileNumber>,
    outside: Vec<ImportNumber>,
}

impl Links {
    /// Resolves the imports of a file, which are those of its symbols.
    pub(super) fn of(
        paths: &Paths<'_>,
        file: &MapFile<'_>,
        number: FileNumber,
        symbols: &FileSymbols,
    ) -> Self {
        let mut links = Self::default();
        let Some(language) = symbols.language.filter(|_| !file.path.is_empty()) else {
            return links;
        };
        let mut places = Vec::new();
        for (at, import) in symbols.imports.iter_enumerated() {
            places.clear();
            paths.resolve(number, language, import, &mut places);
            if places.is_empty() {
                links.outside.push(at);
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
        links.directories.sort_unstable();
        links.directories.dedup();
        for list in [&mut links.files, &mut links.passed_on] {
            list.sort_unstable();
            list.dedup();
        }
        links
    }
}

/// For each file the files whose names it passes on, directly or through others.
fn passed_on(links: &IndexSlice<FileNumber, [Links]>) -> IndexVec<FileNumber, Vec<FileNumber>> {
    let mut reached: IndexVec<FileNumber, Vec<FileNumber>> =
        links.iter().map(|links| links.passed_on.clone()).collect();
    for _ in 1..PASSES_MAX {
        reached = links
            .iter()
            .map(|links| {
                let direct = &links.passed_on;
                let mut all: Vec<FileNumber> = direct
                    .iter()
                    .flat_map(|next| reached[*next].iter().copied())
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
    files: &'i MapFiles<'i>,
    paths: Paths<'i>,
    links: IndexVec<FileNumber, Links>,
    passed_on: IndexVec<FileNumber, Vec<FileNumber>>,
    /// The directory of each file, with the slash at its end.
    directories: IndexVec<FileNumber, &'i [u8]>,
    declarations: Declarations,
    /// Where the entries of each file end, counted through all files.
    entry_ends: Vec<usize>,
}

/// What one file sees, for many files one after the other: each number holds the last file that saw it.
struct FileScope {
    /// The file uses or declares the name.
    names: IndexVec<NameNumber, FileNumber>,
    /// The names of a file can be used, for they are imported, or passed on by what is.
    files: IndexVec<FileNumber, FileNumber>,
}

impl<'i> Index<'i> {
    fn of(files: &'i MapFiles<'i>) -> Self {
        let (paths, mut declarations) = (paths_of(files), Declarations::default());
        let mut links = IndexVec::with_capacity(files.len());
        let mut entry_ends = Vec::with_capacity(files.len());
        let mut entries = 0;
        for from in (0..files.len()).step_by(FILES_AT_ONCE) {
            let part = &files.as_raw_slice()[from..files.len().min(from + FILES_AT_ONCE)];
            let read = on_all_cores(
                part.len(),
                &(),
                || (),
                |(), at| {
                    let symbols = part[at].look();
                    let number = FileNumber::new(from + at);
                    let links = Links::of(&paths, &part[at], number, &symbols);
                    (symbols, links)
                },
            );
            for (symbols, own) in read {
                declarations.add(&symbols);
                links.push(own);
                entries += symbols.entries.len();
                entry_ends.push(entries);
            }
        }
        declarations.put_together();
        Self {
            files,
            paths,
            passed_on: passed_on(&links),
            links,
            directories: files.iter().map(|file| directory(file.path)).collect(),
            declarations,
            entry_ends,
        }
    }

    fn nothing_seen(&self) -> FileScope {
        FileScope {
            names: vec![NO_FILE; self.declarations.numbers_end()].into(),
            files: vec![NO_FILE; self.files.len()].into(),
        }
    }

    /// Marks what a file sees: names that it uses or declares, and the files whose names it can use.
    fn mark_seen(
        &self,
        number: FileNumber,
        names: impl Iterator<Item = NameNumber>,
        seen: &mut FileScope,
    ) {
        for name in names {
            seen.names[name] = number;
        }
        for file in &self.links[number].files {
            for file in self.passed_on[*file].iter().chain([file]) {
                seen.files[*file] = number;
            }
        }
    }

    /// What one file refers to, each declaration once.
    fn read(&self, number: FileNumber, seen: &mut FileScope) -> FileReferences {
        let symbols = &*self.files[number].look();
        let links = &self.links[number];
        let directories = links
            .directories
            .iter()
            .map(|number| self.paths.directory(*number));
        let public = symbols.entries.forms().filter(|form| form.is_public);
        let mut references = FileReferences {
            imports: links.files.clone(),
            directories: directories.collect(),
            outside: links.outside.clone(),
            files: links.files.clone(),
            public: to_u32(public.count()),
            ..FileReferences::default()
        };
        let mut all: Vec<Target> = Vec::new();
        let names = symbols
            .language
            .and_then(|language| Some((language, self.declarations.names(language)?)));
        if let Some((language, names)) = names {
            let uses = &symbols.uses;
            let used = used_names(uses, language, names);
            let own = symbols.entries.iter().filter(|_| symbols.is_parsed);
            let own = own.filter_map(|entry| names.number(entry.name));
            self.mark_seen(number, used.iter().map(|(_, name)| *name).chain(own), seen);
            let mut foreign: Vec<NameNumber> = foreign(symbols, &links.outside, language)
                .filter_map(|name| names.number(name))
                .collect();
            foreign.sort_unstable();
            let reader = Reader {
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
                let wanted = UsedName::of(used, name, language, names);
                reader.declarations(&wanted, candidates, &mut meant);
                if meant.iter().any(|declared| !declared.is_property) {
                    let call = |entry: &u32| (EntryNumber::from_raw(*entry), at);
                    references.calls.extend(used.places.iter().map(call));
                }
                all.extend(
                    meant
                        .iter()
                        .map(|declared| (declared.file, declared.entry())),
                );
            }
        }
        all.sort_unstable();
        all.dedup();
        references.calls.sort_unstable();
        references.calls.dedup();
        references.files.extend(all.iter().map(|(file, _)| *file));
        references.files.sort_unstable();
        references.files.dedup();
        references.targets = all;
        references
    }
}

/// The names that a file uses, of those that files declare; an attribute of C# stands for its class as well.
fn used_names(uses: &Uses, language: Language, names: &Names) -> Vec<(UseNumber, NameNumber)> {
    let numbers_of = |(at, used): (UseNumber, Use<'_>)| {
        let name = used.parts().1;
        let may_be_short = language == Language::CSharp && used.ways.has(Ways::ATTRIBUTE);
        let whole = may_be_short.then(|| names.number(&format!("{name}Attribute")));
        let numbers = [names.number(name), whole.flatten()];
        numbers
            .into_iter()
            .flatten()
            .map(move |number| (at, number))
    };
    uses.numbers()
        .zip(uses.iter())
        .flat_map(numbers_of)
        .collect()
}

/// A name that a file uses, and what it is a member of.
struct UsedName<'u> {
    name: &'u str,
    number: NameNumber,
    ways: Ways,
    of: Receiver,
}

/// What a name is a member of.
#[derive(Clone, Copy)]
enum Receiver {
    /// A value, or nothing.
    Value,
    /// The type of the name with this number.
    Type(NameNumber),
    /// A type that no file declares.
    ForeignType,
}

impl<'u> UsedName<'u> {
    fn of(used: Use<'u>, number: NameNumber, language: Language, names: &Names) -> Self {
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
            number,
            ways: used.ways,
            of,
        }
    }
}

struct Reader<'r, 'i> {
    index: &'r Index<'i>,
    number: FileNumber,
    language: Language,
    /// The numbers of names that its imports take from outside of the snapshot, in order.
    foreign: Vec<NameNumber>,
    seen: &'r FileScope,
}

impl Reader<'_, '_> {
    /// Adds those declarations of a name that it refers to.
    fn declarations(&self, used: &UsedName<'_>, known: &[Declared], out: &mut Vec<Declared>) {
        let may_be_own = |declared: &Declared| match used.of {
            Receiver::Value => true,
            Receiver::Type(of) => declared.owner() == Some(of),
            Receiver::ForeignType => false,
        };
        let is_own = |declared: &Declared| declared.file == self.number && may_be_own(declared);
        if known.iter().any(is_own) {
            return;
        }
        let is_only = known.iter().all(|declared| declared.file == known[0].file)
            || self.language == Language::CSharp && self.is_partial(used, known);
        let in_reach = known
            .iter()
            .filter(|declared| self.reaches(declared.file) && self.sees(declared));
        out.extend(in_reach.filter(|declared| self.is_meant(declared, used, is_only)));
        if out.is_empty() && is_only {
            let is_bare = used.ways.has(Ways::BARE) && matches!(used.of, Receiver::Value);
            let is_meant = |declared: &&Declared| match declared.owner() {
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

    /// Whether declarations are parts of one type of C#, which may stand in several files of a directory, or of one member of it.
    fn is_partial(&self, used: &UsedName<'_>, known: &[Declared]) -> bool {
        let directory = |declared: &Declared| self.index.paths.directory_of[declared.file];
        // A constructor has the name of its type.
        let owner = |declared: &Declared| declared.owner().filter(|owner| *owner != used.number);
        known.iter().all(|declared| {
            directory(declared) == directory(&known[0]) && owner(declared) == owner(&known[0])
        })
    }

    /// What is private may be used in its own directory and below at most.
    fn sees(&self, declared: &Declared) -> bool {
        let directory = |file: FileNumber| self.index.directories[file];
        declared.is_public || directory(self.number).starts_with(directory(declared.file))
    }

    /// Whether the names of a file can be used without saying where they are from.
    fn reaches(&self, file: FileNumber) -> bool {
        let directory = |file: FileNumber| self.index.paths.directory_of[file];
        let directories = &self.index.links[self.number].directories;
        self.seen.files[file] == self.number
            || !directories.is_empty() && directories.binary_search(&directory(file)).is_ok()
            || shares_directory(self.language) && directory(file) == directory(self.number)
    }

    /// A member is meant when its type stands in front. Behind a value it is meant when its type is named as well, or when
    /// it is called and nothing else can be meant: no other file declares it, and its name has several words, unlike
    /// those of the types that every language brings along.
    fn is_meant(&self, declared: &Declared, used: &UsedName<'_>, is_only: bool) -> bool {
        let Some(owner) = declared.owner() else {
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
                let is_named = used.ways.has(Ways::MEMBER.and(Ways::BARE))
                    && self.seen.names[owner] == self.number;
                !OF_EVERY_OBJECT.contains(&used.name) && (is_clear || is_named)
            }
        }
    }
}

/// The names that imports take from outside, where that is certain: Java says the whole name, Rust and C++ name
/// their own libraries.
fn foreign<'i>(
    symbols: &'i FileSymbols,
    outside: &'i [ImportNumber],
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
        .filter_map(|at| symbols.imports.get(*at))
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

/// Names that the objects of Java, JavaScript and C# bring along: behind a value, they say nothing about whose they are.
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

/// The directory of a path, with the slash at its end.
fn directory(path: &[u8]) -> &[u8] {
    &path[..path
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |at| at + 1)]
}

/// The first member of a group, with the way to it made short.
fn root(parent: &mut IndexSlice<FileNumber, [FileNumber]>, mut at: FileNumber) -> FileNumber {
    while parent[at] != at {
        let above = parent[parent[at]];
        parent[at] = above;
        at = above;
    }
    at
}

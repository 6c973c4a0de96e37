//! Who refers to whom: names that one file uses and another declares, as far as names and imports can tell.
//!
//! A name refers to the declarations of it in files that the using file imports, in what these pass on, or beside it
//! where its language shares a directory. Where there is none, it refers to the only declaration in the snapshot, if
//! it is used in a way that is hardly a local variable. Members need more: their type is named in the using file, or
//! nothing else there could be meant. A file that declares a name itself refers to nobody by it.
//!
//! Too few references are wanted rather than wrong ones. Nothing here knows types.

use std::collections::{HashMap, HashSet};

use super::entry::{Entry, FileSymbols, Mark};
use super::resolve::{Paths, Place};
use super::uses::{Use, Ways};
use crate::symbol::language::Language;

/// Most declarations of one name that are looked through one by one.
const CANDIDATES_MAX: usize = 24;
/// Most files that one file passes on.
const PASSED_ON_MAX: usize = 400;
/// How often what is passed on is passed on again.
const PASSES_MAX: usize = 3;

/// One file of a snapshot. The same symbols may stand at many paths.
#[derive(Debug, Clone, Copy)]
pub struct MapFile<'f> {
    /// Its path.
    pub path: &'f [u8],
    /// What it declares, imports and uses.
    pub symbols: &'f FileSymbols,
}

/// What one file has to do with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileReferences {
    /// The files that its imports lead to, in order.
    pub imports: Vec<u32>,
    /// The directories that its imports lead to, with a slash at the end, in order.
    pub directories: Vec<String>,
    /// The imports that lead out of the snapshot, by their place in the list of imports.
    pub outside: Vec<u32>,
    /// For each entry how many other files refer to it.
    pub counts: Vec<u32>,
    /// Which entries refer to what stands in other files, with the number of the name, in order; fields are left out.
    pub calls: Vec<(u32, u32)>,
    /// The files that it refers to by imports or names, in order.
    pub files: Vec<u32>,
    /// How many other files refer to it.
    pub referring: u32,
}

/// Who refers to whom in a snapshot: one element for each file, in the order of the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct References {
    /// Of each file.
    pub files: Vec<FileReferences>,
}

/// A declaration: the file and the entry.
type Declared = (u32, u32);

/// Languages that refer to each other's files.
fn family(language: Language) -> Language {
    match language {
        Language::Cpp => Language::C,
        Language::TypeScript | Language::Tsx => Language::JavaScript,
        other => other,
    }
}

/// Whether files of one directory see each other without an import.
fn shares_directory(language: Language) -> bool {
    matches!(language, Language::Go | Language::Java)
}

/// Finds all references between files, which are in the order of their paths.
#[must_use]
pub fn references(files: &[MapFile<'_>]) -> References {
    // No import can name a path that is not UTF-8.
    let paths = Paths::new(files.iter().map(|file| std::str::from_utf8(file.path).unwrap_or_default()).collect());
    let links: Vec<Links> = (0..files.len() as u32).map(|number| Links::of(&paths, files, number)).collect();
    let passed_on: Vec<Vec<u32>> = passed_on(&links);
    let index = Index { files, paths: &paths, links: &links, passed_on: &passed_on, declared: declared(files) };
    let mut found: Vec<FileReferences> = Vec::with_capacity(files.len());
    let mut refers: Vec<Vec<Declared>> = Vec::with_capacity(files.len());
    for number in 0..files.len() as u32 {
        let (references, declarations) = index.read(number);
        found.push(references);
        refers.push(declarations);
    }
    for declaration in refers.iter().flatten() {
        found[declaration.0 as usize].counts[declaration.1 as usize] += 1;
    }
    let mut referring = vec![0; found.len()];
    for target in found.iter().flat_map(|file| &file.files) {
        referring[*target as usize] += 1;
    }
    for (file, referring) in found.iter_mut().zip(referring) {
        file.referring = referring;
    }
    References { files: found }
}

/// All declarations by family and name, in the order of files.
fn declared<'f>(files: &[MapFile<'f>]) -> HashMap<(Language, &'f str), Vec<Declared>> {
    let mut declared: HashMap<(Language, &str), Vec<Declared>> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        let Some(language) = file.symbols.language.filter(|_| file.symbols.is_parsed) else { continue };
        for (entry, found) in file.symbols.entries.iter().enumerate() {
            let known = declared.entry((family(language), &found.name)).or_default();
            // One more than is looked through shows that there are too many.
            if known.len() <= CANDIDATES_MAX {
                known.push((number as u32, entry as u32));
            }
        }
    }
    declared
}

/// Where the imports of a file lead.
#[derive(Default)]
struct Links {
    files: Vec<u32>,
    directories: Vec<u32>,
    passed_on: Vec<u32>,
    outside: Vec<u32>,
}

impl Links {
    fn of(paths: &Paths<'_>, files: &[MapFile<'_>], number: u32) -> Self {
        let mut links = Self::default();
        let symbols = files[number as usize].symbols;
        let Some(language) = symbols.language.filter(|_| !files[number as usize].path.is_empty()) else { return links };
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
        for list in [&mut links.files, &mut links.directories, &mut links.passed_on] {
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
                let mut all: Vec<u32> = direct.iter().flat_map(|next| reached[*next as usize].iter().copied()).collect();
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
    declared: HashMap<(Language, &'i str), Vec<Declared>>,
}

impl<'i> Index<'i> {
    /// What one file refers to, and the declarations that it refers to, each once.
    fn read(&self, number: u32) -> (FileReferences, Vec<Declared>) {
        let symbols = self.files[number as usize].symbols;
        let links = &self.links[number as usize];
        let mut references = FileReferences {
            imports: links.files.clone(),
            directories: links.directories.iter().map(|number| self.paths.directory(*number)).collect(),
            outside: links.outside.clone(),
            counts: vec![0; symbols.entries.len()],
            files: links.files.clone(),
            ..FileReferences::default()
        };
        let mut all: Vec<Declared> = Vec::new();
        if let Some(language) = symbols.language {
            let foreign = foreign(symbols, &links.outside, language);
            let reader = Reader { index: self, number, language, symbols, reach: self.reach(number), foreign };
            for (name, used) in symbols.uses.iter().enumerate() {
                let before = all.len();
                reader.declarations(used, &mut all);
                if all[before..].iter().any(|declared| self.entry(*declared).mark != Mark::Property) {
                    references.calls.extend(used.places.iter().map(|entry| (*entry, name as u32)));
                }
            }
        }
        references.calls.sort_unstable();
        references.files.extend(all.iter().map(|(file, _)| *file));
        references.files.sort_unstable();
        references.files.dedup();
        (references, all)
    }

    /// The files whose names a file can use: those that it imports, and what these pass on.
    fn reach(&self, number: u32) -> Vec<u32> {
        let direct = &self.links[number as usize].files;
        let mut reach: Vec<u32> = direct.iter().flat_map(|file| self.passed_on[*file as usize].iter().copied()).collect();
        reach.extend(direct);
        reach.sort_unstable();
        reach.dedup();
        reach
    }

    fn entry(&self, (file, entry): Declared) -> &'i Entry {
        &self.files[file as usize].symbols.entries[entry as usize]
    }

    /// The type that a member belongs to; `None` at the level of the file.
    fn owner(&self, (file, entry): Declared) -> Option<&'i Entry> {
        let entries = &self.files[file as usize].symbols.entries;
        let depth = entries[entry as usize].depth.checked_sub(1)?;
        entries[..entry as usize].iter().rev().find(|before| before.depth == depth)
    }
}

struct Reader<'r, 'i> {
    index: &'r Index<'i>,
    number: u32,
    language: Language,
    symbols: &'i FileSymbols,
    reach: Vec<u32>,
    /// Names that its imports take from outside of the snapshot.
    foreign: HashSet<&'i str>,
}

impl Reader<'_, '_> {
    /// Adds the declarations that a name refers to.
    fn declarations(&self, used: Use<'_>, out: &mut Vec<Declared>) {
        let Some(known) = self.index.declared.get(&(family(self.language), used.name)) else { return };
        if known.len() > CANDIDATES_MAX || self.foreign.contains(used.name) || known.iter().any(|(file, _)| *file == self.number)
        {
            return;
        }
        let before = out.len();
        let is_only = known.iter().all(|(file, _)| *file == known[0].0);
        let visible = known.iter().copied().filter(|declared| self.sees(*declared));
        let in_reach = visible.clone().filter(|declared| self.reaches(declared.0));
        out.extend(in_reach.filter(|declared| self.is_meant(*declared, used, is_only)));
        if out.len() == before && is_only {
            let is_bare = used.ways.has(Ways::BARE);
            out.extend(visible.filter(|declared| match self.index.owner(*declared) {
                Some(_) => self.is_meant(*declared, used, false),
                // A variable of a script that is not exported is seen by those that read the script, by no other.
                None => is_bare && (self.language != Language::Bash || self.index.entry(*declared).is_public),
            }));
        }
    }

    /// What is private may be used in its own directory and below at most.
    fn sees(&self, declared: Declared) -> bool {
        let directory = |file: u32| directory(self.index.files[file as usize].path);
        self.index.entry(declared).is_public || directory(self.number).starts_with(directory(declared.0))
    }

    /// Whether the names of a file can be used without saying where they are from.
    fn reaches(&self, file: u32) -> bool {
        let directory = |file: u32| self.index.paths.directory_of[file as usize];
        let links = &self.index.links[self.number as usize];
        self.reach.binary_search(&file).is_ok()
            || links.directories.binary_search(&directory(file)).is_ok()
            || shares_directory(self.language) && directory(file) == directory(self.number)
    }

    /// A member is meant when its type is named as well, or when it is called and nothing else can be meant: no other
    /// file declares it, and its name has several words, unlike those of the types that every language brings along.
    fn is_meant(&self, declared: Declared, used: Use<'_>, is_only: bool) -> bool {
        let Some(owner) = self.index.owner(declared) else { return true };
        if self.foreign.contains(owner.name.as_str()) {
            return false;
        }
        let is_named = self.symbols.uses.contains(&owner.name) || self.symbols.entries.iter().any(|own| own.name == owner.name);
        is_named && used.ways.has(Ways::ASKED.and(Ways::BARE))
            || is_only && used.ways.has(Ways::CALLED.and(Ways::BARE)) && has_words(used.name)
    }
}

/// The names that imports take from outside, where that is certain: Java says the whole name, Rust and C++ name
/// their own libraries.
fn foreign<'i>(symbols: &'i FileSymbols, outside: &[u32], language: Language) -> HashSet<&'i str> {
    let paths = outside.iter().filter_map(|at| symbols.imports.get(*at as usize)).map(|import| import.path.as_str());
    let separator = match language {
        Language::Java => ".",
        Language::Rust => "::",
        // What a file adds to the library's namespace is not what all others mean by it.
        Language::Cpp => return HashSet::from(["std"]),
        _ => return HashSet::new(),
    };
    let is_whole =
        |path: &&str| language == Language::Java || ["std::", "core::", "alloc::"].iter().any(|own| path.starts_with(own));
    paths.filter(is_whole).filter_map(|path| path.rsplit(separator).next()).collect()
}

/// True for `from_bytes` and `fromBytes`, not for `find` and `_find`.
fn has_words(name: &str) -> bool {
    let name = name.trim_matches('_');
    name.contains('_') || name.chars().skip(1).zip(name.chars()).any(|(c, before)| c.is_uppercase() && before.is_lowercase())
}

impl References {
    /// The groups of files that refer to each other, each other's ways included; a file with no such partner is alone.
    ///
    /// Two files are partners when each refers to the other. Files in order, groups by their first file; every file
    /// is in exactly one group.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<u32>> {
        let refers = |from: u32, to: u32| self.files[from as usize].files.binary_search(&to).is_ok();
        let mut parent: Vec<u32> = (0..self.files.len() as u32).collect();
        for (number, file) in self.files.iter().enumerate() {
            for target in file.files.iter().copied().filter(|target| refers(*target, number as u32)) {
                let (one, other) = (root(&mut parent, number as u32), root(&mut parent, target));
                parent[one.max(other) as usize] = one.min(other);
            }
        }
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); self.files.len()];
        for number in 0..self.files.len() as u32 {
            groups[root(&mut parent, number) as usize].push(number);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// The numbers of files, those that most others refer to first; among equals in their order.
    #[must_use]
    pub fn ranked(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.files.len() as u32).collect();
        order.sort_by_key(|number| std::cmp::Reverse(self.files[*number as usize].referring));
        order
    }
}

/// The directory of a path, with the slash at its end.
fn directory(path: &[u8]) -> &[u8] {
    &path[..path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)]
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

impl FileReferences {
    /// The numbers of the names by which an entry refers to other files, in order.
    pub fn calls_of(&self, entry: u32) -> impl Iterator<Item = u32> {
        let from = self.calls.partition_point(|(other, _)| *other < entry);
        self.calls[from..].iter().take_while(move |(other, _)| *other == entry).map(|(_, name)| *name)
    }
}

//! The files that some files see: what they import, what that passes on, and what stands beside them in languages without imports.
//!
//! A map of a few files of a large snapshot is made of these alone, as if all others were empty. Where an import leads to
//! follows from the paths of all files, so that it is the same as in a map of everything.

use super::file::{FileNumber, MapFiles};
use super::reference::{Links, PASSES_MAX, paths_of, shares_directory};
use super::resolve::DirectoryNumber;
use crate::base::number::IndexVec;
use crate::symbol::language::Language;

/// Some files and those that they see, in order.
///
/// `language` is what the name of a file says. Symbols are read on demand; `prepare` learns beforehand which files it will be.
#[must_use]
pub fn near(
    files: &MapFiles<'_>,
    wanted: &[FileNumber],
    language: &dyn Fn(FileNumber) -> Option<Language>,
    prepare: &dyn Fn(&[FileNumber]),
) -> Vec<FileNumber> {
    let paths = paths_of(files);
    let mut is_near = IndexVec::from_vec(vec![false; files.len()]);
    let mut take = |numbers: Vec<FileNumber>| -> Vec<FileNumber> {
        let is_new = |number: &FileNumber| !std::mem::replace(&mut is_near[*number], true);
        let new: Vec<_> = numbers.into_iter().filter(is_new).collect();
        prepare(&new);
        new
    };
    let wanted = take(wanted.to_vec());
    let links_of = |number: FileNumber| {
        let file = &files[number];
        Links::of(&paths, file, number, file.symbols())
    };
    let links: Vec<Links> = wanted.iter().map(|number| links_of(*number)).collect();
    let shares = |number: &&FileNumber| language(**number).is_some_and(shares_directory);
    let beside = wanted.iter().filter(shares);
    let beside = beside.map(|number| paths.directory_of[*number]);
    let imported = links
        .iter()
        .flat_map(|links| links.directories.iter().copied());
    let mut directories: Vec<DirectoryNumber> = beside.chain(imported).collect();
    directories.sort_unstable();
    let in_them = |number: &FileNumber| {
        let directory = paths.directory_of[*number];
        directories.binary_search(&directory).is_ok()
    };
    take(files.indices().filter(in_them).collect());
    let mut imported: Vec<FileNumber> = links.into_iter().flat_map(|links| links.files).collect();
    for _ in 0..=PASSES_MAX {
        imported.sort_unstable();
        imported.dedup();
        take(imported.clone());
        let passed_on = |number| links_of(number).passed_on;
        imported = imported.into_iter().flat_map(passed_on).collect();
        if imported.is_empty() {
            break;
        }
    }
    files.indices().filter(|number| is_near[*number]).collect()
}

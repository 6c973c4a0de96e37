//! The files that some files see: what they import, what that passes on, and what stands beside them in languages without imports.
//!
//! A map of a few files of a large snapshot is made of these alone, as if all others were empty. Where an import leads to
//! follows from the paths of all files, so that it is the same as in a map of everything.

use super::file::MapFile;
use super::reference::{Links, PASSES_MAX, paths_of, shares_directory};
use crate::symbol::language::Language;

/// The files that some files see, and these, in order.
///
/// `language` is what the name of a file says. Symbols are read when they are needed; `prepare` is told beforehand which are.
#[must_use]
pub fn near(
    files: &[MapFile<'_>],
    wanted: &[u32],
    language: &dyn Fn(u32) -> Option<Language>,
    prepare: &dyn Fn(&[u32]),
) -> Vec<u32> {
    let paths = paths_of(files);
    let mut is_near = vec![false; files.len()];
    let mut take = |numbers: Vec<u32>| -> Vec<u32> {
        let is_new = |number: &u32| !std::mem::replace(&mut is_near[*number as usize], true);
        let new: Vec<u32> = numbers.into_iter().filter(is_new).collect();
        prepare(&new);
        new
    };
    let wanted = take(wanted.to_vec());
    let links_of = |number: u32| {
        let file = &files[number as usize];
        Links::of(&paths, file, number, file.symbols())
    };
    let links: Vec<Links> = wanted.iter().map(|number| links_of(*number)).collect();
    let shares = |number: &&u32| language(**number).is_some_and(shares_directory);
    let beside = wanted.iter().filter(shares);
    let beside = beside.map(|number| paths.directory_of[*number as usize]);
    let imported = links
        .iter()
        .flat_map(|links| links.directories.iter().copied());
    let mut directories: Vec<u32> = beside.chain(imported).collect();
    directories.sort_unstable();
    let in_them = |number: &u32| {
        let directory = paths.directory_of[*number as usize];
        directories.binary_search(&directory).is_ok()
    };
    take((0..files.len() as u32).filter(in_them).collect());
    let mut imported: Vec<u32> = links.into_iter().flat_map(|links| links.files).collect();
    for _ in 0..=PASSES_MAX {
        imported.sort_unstable();
        imported.dedup();
        take(imported.clone());
        let passed_on = |number: u32| links_of(number).passed_on;
        imported = imported.into_iter().flat_map(passed_on).collect();
        if imported.is_empty() {
            break;
        }
    }
    let all = 0..files.len() as u32;
    all.filter(|number| is_near[*number as usize]).collect()
}

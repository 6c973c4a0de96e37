//! What may stand below the state directory: by this list derived data is cleared, and what is strange is named.

use std::io;

use super::open::Workspace;
use crate::git::{Refused, StateDir};
use crate::regen::memory;

/// Folders below the state directory, each by its names from there on.
const FOLDERS: [&[&str]; 14] = [
    &["answers"],
    &["applied"],
    &["batches"],
    &["cache"],
    &["cache", PAGES],
    &["damaged"],
    &["hooks"],
    &["log"],
    &["log", "refused"],
    &["pending"],
    &["queue"],
    &["sessions"],
    &["spool"],
    &["tiers"],
];
/// The folder of the site that `browse` writes, whose files are for others to read.
pub(crate) const SITE: &str = "site";
/// The folder of pages, below the cache.
pub(crate) const PAGES: &str = "pages";
/// Files of the cache that have one name.
const CACHED: [&str; 25] = [
    "autosync",
    "branches",
    "brief",
    "clean-of-secrets",
    "declarations",
    "declarations-keys",
    "definitions",
    "definitions-keys",
    "index",
    "index-news",
    "outlines",
    "outlines-keys",
    "past",
    "readings",
    "readings-keys",
    "references-1",
    "references-2",
    "refers",
    "remotes",
    "small-pack",
    "symbols",
    "symbols-keys",
    "synthesized",
    "words",
    "words-keys",
];

/// Digits of a page's name: those of a hash.
const PAGE_DIGITS: usize = 64;

impl Workspace {
    /// Removes the files of the cache that this program made; what else is there stays.
    pub fn clear_cache(&self) -> io::Result<()> {
        let cache = self.state.cache();
        cache.remove_abandoned();
        for name in cache
            .names()?
            .iter()
            .filter(|name| CACHED.contains(&name.as_str()) || memory::is_name(name))
        {
            cache.remove(name)?;
        }
        let pages = cache.folder(PAGES);
        pages.remove_abandoned();
        pages
            .names()?
            .iter()
            .filter(|name| is_page(name))
            .try_for_each(|name| pages.remove(name))
    }

    /// What this program cannot have made: links, pipes, files of other users, and folders where files should be.
    #[must_use]
    pub fn strange_state(&self) -> Vec<Refused> {
        let mut strange = Vec::new();
        if note(self.state.exists().map(drop), &mut strange) {
            return strange;
        }
        for path in [&[][..]].into_iter().chain(FOLDERS) {
            let below = |folder: StateDir, name: &&'static str| folder.folder(name);
            let folder = path.iter().fold(self.state.clone(), below);
            let names = folder.names();
            let files = names.iter().flatten().filter(|name| !is_folder(path, name));
            let files: Vec<_> = files
                .map(|name| folder.open(name, u64::MAX).map(drop))
                .collect();
            note(names.map(drop), &mut strange);
            for opened in files {
                note(opened, &mut strange);
            }
        }
        strange
    }
}

/// True for a name that a folder of ours has in the folder at a path.
fn is_folder(path: &[&str], name: &str) -> bool {
    (path.is_empty() && name == SITE)
        || FOLDERS
            .iter()
            .any(|folder| folder.split_last() == Some((&name, path)))
}

/// Takes a refusal down; true when there was one.
fn note(done: io::Result<()>, strange: &mut Vec<Refused>) -> bool {
    let refused = done
        .err()
        .and_then(|error| error.into_inner()?.downcast::<Refused>().ok());
    let is_refused = refused.is_some();
    strange.extend(refused.map(|refused| *refused));
    is_refused
}

/// True for a name that a page has.
pub(crate) fn is_page(name: &str) -> bool {
    name.len() == PAGE_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

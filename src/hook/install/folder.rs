//! A hooks folder as a value: what stands at each name that matters.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::event::Event;

/// Hooks larger than this are not read; no script that a person wrote is.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;
/// The bits of a mode that `chmod` sets.
const MODE_BITS: u32 = 0o7777;

/// A folder with the hooks of our events and those that were renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// Its mode; `None` when it is not there.
    pub mode: Option<u32>,
    /// What stands in it, by name.
    pub entries: BTreeMap<String, Entry>,
    /// Hooks that have their other name already and have kept their own: renaming was cut off. Not among the entries.
    pub twins: BTreeSet<Event>,
}

/// What stands at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file with a size that scripts have.
    File {
        /// All of it.
        bytes: Vec<u8>,
        /// Its mode.
        mode: u32,
        /// True when it has another name as well, so that replacing it would part the two.
        is_shared: bool,
    },
    /// A symbolic link; what it leads to, when that is a file that can be read.
    Link(Option<Vec<u8>>),
    /// A file that is too large for a script.
    Large {
        /// Its mode.
        mode: u32,
    },
    /// A directory, a pipe, something.
    Other,
}

impl Entry {
    /// The bytes that would run, where they are known.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            Self::Link(target) => target.as_deref(),
            Self::Large { .. } | Self::Other => None,
        }
    }

    /// True when git would run it.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        match self {
            Self::File { mode, .. } | Self::Large { mode } => mode & 0o111 != 0,
            Self::Link(target) => target.is_some(),
            Self::Other => false,
        }
    }
}

impl Folder {
    /// Looks at a folder; one that is not there is empty.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mode = match fs::metadata(path) {
            Ok(found) => Some(found.permissions().mode() & MODE_BITS),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let names = Event::ALL.into_iter().flat_map(|event| [event.name().to_owned(), event.chained_name()]);
        let mut entries = BTreeMap::new();
        for name in names {
            if let Some(entry) = entry(&path.join(&name))? {
                entries.insert(name, entry);
            }
        }
        let mut twins = BTreeSet::new();
        for event in Event::ALL {
            if is_same_file(&path.join(event.name()), &path.join(event.chained_name())) {
                entries.remove(&event.chained_name());
                twins.insert(event);
            }
        }
        Ok(Self { path: path.to_owned(), mode, entries, twins })
    }

    /// The hook of an event.
    #[must_use]
    pub fn hook(&self, event: Event) -> Option<&Entry> {
        self.entries.get(event.name())
    }

    /// The hook of an event that was renamed.
    #[must_use]
    pub fn chained(&self, event: Event) -> Option<&Entry> {
        self.entries.get(&event.chained_name())
    }

    /// True when its owner closed it for writing, whatever the user may do besides.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.mode.is_some_and(|mode| mode & 0o222 == 0)
    }
}

/// True for two names of one file, or of one link.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| fs::symlink_metadata(path).map(|found| (found.dev(), found.ino())).ok();
    id(one).is_some_and(|found| Some(found) == id(other))
}

fn entry(path: &Path) -> io::Result<Option<Entry>> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(error),
    };
    if found.is_symlink() {
        return Ok(Some(Entry::Link(target(path))));
    }
    if !found.is_file() {
        return Ok(Some(Entry::Other));
    }
    let mode = found.permissions().mode() & MODE_BITS;
    if found.len() > SCRIPT_BYTES_MAX {
        return Ok(Some(Entry::Large { mode }));
    }
    Ok(Some(Entry::File { bytes: fs::read(path)?, mode, is_shared: found.nlink() > 1 }))
}

/// What a link leads to, when git would run that; nothing is known of a large one.
fn target(path: &Path) -> Option<Vec<u8>> {
    let runs = |found: &Metadata| found.is_file() && found.permissions().mode() & 0o111 != 0;
    let found = fs::metadata(path).ok().filter(runs)?;
    if found.len() > SCRIPT_BYTES_MAX { Some(Vec::new()) } else { fs::read(path).ok() }
}

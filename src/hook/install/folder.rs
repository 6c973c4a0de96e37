//! A hooks folder as a value: what stands at each name that matters.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::event::HookEvent;
use super::script;
use crate::base::absent::is_absent;

/// Hooks larger than this are not read; no script that a person wrote is.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;
/// What hook managers put behind the name of a hook that they move out of their way: lefthook, pre-commit.
const MOVED_ENDS: [&str; 2] = [".old", LEGACY_END];
/// That of pre-commit, which still runs it.
const LEGACY_END: &str = ".legacy";
/// The bits of a mode that `chmod` sets.
const MODE_BITS: u32 = 0o7777;

/// A folder with the hooks of our events and those that were renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFolder {
    /// Where it is.
    pub path: PathBuf,
    /// Its mode; `None` when it is not there.
    pub mode: Option<u32>,
    /// What stands in it, by name.
    pub entries: BTreeMap<String, HookFile>,
    /// Hooks that have their other name already and have kept their own: renaming was cut off. Not among the entries.
    pub twins: BTreeSet<HookEvent>,
}

/// What stands at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookFile {
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

impl HookFile {
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

impl HookFolder {
    /// Looks at a folder; one that is not there is empty.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mode = match fs::metadata(path) {
            Ok(found) => Some(found.permissions().mode() & MODE_BITS),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let names = HookEvent::ALL.into_iter().flat_map(|event| {
            let moved = MOVED_ENDS.map(|end| format!("{}{end}", event.name()));
            [event.name().to_owned(), event.chained_name()]
                .into_iter()
                .chain(moved)
        });
        let mut entries = BTreeMap::new();
        for name in names {
            if let Some(entry) = entry(&path.join(&name))? {
                entries.insert(name, entry);
            }
        }
        let mut twins = BTreeSet::new();
        for event in HookEvent::ALL {
            if is_twin(&path.join(event.name()), &path.join(event.chained_name())) {
                entries.remove(&event.chained_name());
                twins.insert(event);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            mode,
            entries,
            twins,
        })
    }

    /// The hook of an event.
    #[must_use]
    pub fn hook(&self, event: HookEvent) -> Option<&HookFile> {
        self.entries.get(event.name())
    }

    /// The hook of an event that was renamed.
    #[must_use]
    pub fn chained(&self, event: HookEvent) -> Option<&HookFile> {
        self.entries.get(&event.chained_name())
    }

    /// The names of an event's hooks that a hook manager has moved out of its way.
    pub fn moved(&self, event: HookEvent) -> impl Iterator<Item = String> {
        let names = MOVED_ENDS
            .into_iter()
            .map(move |end| format!("{}{end}", event.name()));
        names.filter(|name| self.entries.contains_key(name))
    }

    /// What pre-commit runs before its own hook: the one that it moved out of its way.
    #[must_use]
    pub fn legacy(&self, event: HookEvent) -> Option<&HookFile> {
        let is_called = self
            .hook(event)
            .and_then(HookFile::bytes)
            .is_some_and(script::is_pre_commit);
        self.entries
            .get(&format!("{}{LEGACY_END}", event.name()))
            .filter(|_| is_called)
    }

    /// True when its owner closed it for writing, whatever the user may do besides.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.mode.is_some_and(|mode| mode & 0o222 == 0)
    }
}

/// True for two names of one file, or of one link; also for a copy with the same mode, where there are no second names.
pub(super) fn is_twin(one: &Path, other: &Path) -> bool {
    is_same_file(one, other) || is_copy(one, other)
}

fn is_copy(one: &Path, other: &Path) -> bool {
    let Ok(abouts) =
        fs::symlink_metadata(one).and_then(|found| Ok([found, fs::symlink_metadata(other)?]))
    else {
        return false;
    };
    let [first, second] = abouts;
    let same = |read: fn(&Path) -> io::Result<Vec<u8>>| {
        read(one).is_ok_and(|bytes| read(other).is_ok_and(|others| bytes == others))
    };
    match (first.file_type(), second.file_type()) {
        (a, b) if a.is_symlink() && b.is_symlink() => {
            same(|path| Ok(fs::read_link(path)?.into_os_string().into_encoded_bytes()))
        }
        (a, b) if a.is_file() && b.is_file() => {
            first.mode() == second.mode() && same(|path| fs::read(path))
        }
        _ => false,
    }
}

/// True for two names of one file, or of one link.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| {
        fs::symlink_metadata(path)
            .map(|found| (found.dev(), found.ino()))
            .ok()
    };
    id(one).is_some_and(|found| Some(found) == id(other))
}

fn entry(path: &Path) -> io::Result<Option<HookFile>> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if found.is_symlink() {
        return Ok(Some(HookFile::Link(target(path))));
    }
    if !found.is_file() {
        return Ok(Some(HookFile::Other));
    }
    let mode = found.permissions().mode() & MODE_BITS;
    if found.len() > SCRIPT_BYTES_MAX {
        return Ok(Some(HookFile::Large { mode }));
    }
    Ok(Some(HookFile::File {
        bytes: fs::read(path)?,
        mode,
        is_shared: found.nlink() > 1,
    }))
}

/// What a link leads to, when git would run that; nothing is known of a large one.
fn target(path: &Path) -> Option<Vec<u8>> {
    let runs = |found: &Metadata| found.is_file() && found.permissions().mode() & 0o111 != 0;
    let found = fs::metadata(path).ok().filter(runs)?;
    if found.len() > SCRIPT_BYTES_MAX {
        Some(Vec::new())
    } else {
        fs::read(path).ok()
    }
}

//! Markers: "something happened in this worktree". One file for each worktree, so that a storm of commits is one marker.
//!
//! A marker is an accelerator: what it would have told is found again by comparing tree and store. It names no commit;
//! the worker that takes it looks at what the worktree has checked out by then. A marker that is taken stays under another name
//! until its work is done, so that the next worker finds what a dead one has left.

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::base::Digest;
use crate::base::absent::absent_is_fine;
use crate::git::StateDir;

/// The first line of a marker.
const FORMAT: &str = "git-merkle/marker/1";
/// Digits of the name: a worktree is told by the digest of its git directory.
const NAME_DIGITS: usize = 16;
/// What the name of a marker ends with while its work is done.
const TAKEN: &str = ".taken";
/// Room for two paths, however long.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// Something that happened in a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The worktree's own git directory.
    pub git_dir: PathBuf,
    /// Where a command for it is started: its root, or the git directory of a bare repository.
    pub directory: PathBuf,
    /// The hook that was called last, such as `post-commit`.
    pub event: String,
}

/// Leaves a marker; one of the same worktree is replaced.
pub fn leave(state: &StateDir, marker: &Marker) -> io::Result<()> {
    let queue = queue(state);
    queue.create()?;
    let event: String = marker
        .event
        .chars()
        .filter(|c| c.is_ascii_lowercase() || *c == '-')
        .collect();
    queue.replace(&name(&marker.git_dir), |open| {
        writeln!(open, "{FORMAT}\n{event}")?;
        open.write_all(marker.git_dir.as_os_str().as_bytes())?;
        open.write_all(b"\0")?;
        open.write_all(marker.directory.as_os_str().as_bytes())
    })
}

/// The markers of work that is not done, each with its age.
///
/// Those that a worker has taken come last: one whose work kills the worker must not hold up the others.
pub fn list(state: &StateDir) -> io::Result<Vec<(Marker, Duration)>> {
    let queue = queue(state);
    let mut markers = Vec::new();
    for name in queue.names()?.iter().filter(|name| is_name(name)) {
        // Not there any more, because it was taken or its work done since the folder was read; or no file of ours.
        let Ok((bytes, age)) = read(&queue, name) else {
            continue;
        };
        match parse(&bytes).filter(|marker| is_named(name, marker) && is_of(state, marker)) {
            Some(marker) => markers.push((name.ends_with(TAKEN), marker, age)),
            // Damage tells nothing; what it stood for is found by comparing. Nor is a worktree of another repository
            // looked at from here: such a marker came with this repository, or this one was moved.
            None => drop(queue.remove(name)),
        }
    }
    markers.sort_by(|a, b| (a.0, &a.1.git_dir).cmp(&(b.0, &b.1.git_dir)));
    let mut seen = BTreeSet::new();
    let first = |(_, marker, _): &(bool, Marker, Duration)| seen.insert(marker.git_dir.clone());
    Ok(markers
        .into_iter()
        .filter(first)
        .map(|(_, marker, age)| (marker, age))
        .collect())
}

/// Takes a marker. One that is left while its work is done is another one, and waits.
pub fn take(state: &StateDir, marker: &Marker) -> io::Result<()> {
    let name = name(&marker.git_dir);
    // Nothing to rename: a worker that has died had taken it.
    queue(state)
        .rename(&name, &(name.clone() + TAKEN))
        .or_else(absent_is_fine)
}

/// Forgets a marker that was taken, because its work is done.
pub fn finish(state: &StateDir, marker: &Marker) -> io::Result<()> {
    queue(state).remove(&(name(&marker.git_dir) + TAKEN))
}

/// Removes what hooks that were killed while they left a marker have not finished.
pub fn clear_abandoned(state: &StateDir) {
    queue(state).remove_abandoned();
}

fn queue(state: &StateDir) -> StateDir {
    state.folder("queue")
}

fn read(queue: &StateDir, name: &str) -> io::Result<(Vec<u8>, Duration)> {
    let mut open = queue.open(name, FILE_BYTES_MAX)?;
    let age = open.metadata()?.modified().map_or(Duration::ZERO, age);
    let mut bytes = Vec::new();
    open.read_to_end(&mut bytes)?;
    Ok((bytes, age))
}

/// True for a worktree of the repository that the queue is in: its common git directory, or one below `worktrees`.
fn is_of(state: &StateDir, marker: &Marker) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(common) = real(state.git_dir()) else {
        return false;
    };
    let Some(git_dir) = real(&marker.git_dir) else {
        return false;
    };
    git_dir == common || git_dir.parent() == Some(&common.join("worktrees"))
}

/// True for a name that a marker can have.
fn is_name(name: &str) -> bool {
    let digits = name.strip_suffix(TAKEN).unwrap_or(name);
    digits.len() == NAME_DIGITS
        && digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn name(git_dir: &Path) -> String {
    let digest =
        Digest::of("git-merkle 2026 worktree/1", git_dir.as_os_str().as_bytes()).to_string();
    digest[..NAME_DIGITS].to_owned()
}

/// True for a file that [`take`] and [`finish`] find again.
fn is_named(found: &str, marker: &Marker) -> bool {
    found.strip_suffix(TAKEN).unwrap_or(found) == name(&marker.git_dir)
}

fn parse(bytes: &[u8]) -> Option<Marker> {
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let (format, event, places) = (parts.next()?, parts.next()?, parts.next()?);
    let event = std::str::from_utf8(event).ok()?.to_owned();
    let at = places.iter().position(|byte| *byte == 0)?;
    let path = |bytes: &[u8]| PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
    let (git_dir, directory) = (path(&places[..at]), path(&places[at + 1..]));
    let is_marker = format == FORMAT.as_bytes() && git_dir.is_absolute() && directory.is_absolute();
    is_marker.then_some(Marker {
        git_dir,
        directory,
        event,
    })
}

/// The time since then. A marker of the future was left before the clock was set back: long enough ago.
fn age(left: SystemTime) -> Duration {
    left.elapsed().unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before, such a marker was as young as can be, and the worker looked at it ten times a second for ten minutes.
    #[test]
    fn a_marker_of_the_future_waits_no_longer() {
        assert!(
            age(SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 365 * 500))
                > Duration::from_hours(1)
        );
    }

    #[test]
    fn a_marker_reads_back_whatever_the_path() {
        let git_dir = PathBuf::from(std::ffi::OsString::from_vec(b"/a\nb/\xff".to_vec()));
        let bytes = [
            b"git-merkle/marker/1\npost-commit\n",
            git_dir.as_os_str().as_bytes(),
            b"\0/w",
        ]
        .concat();
        assert_eq!(
            parse(&bytes),
            Some(Marker {
                git_dir,
                directory: "/w".into(),
                event: "post-commit".to_owned()
            })
        );
        for damage in [
            "",
            "x\ny\n/z",
            "git-merkle/marker/1\npost-commit\nrelative\0/w",
            "git-merkle/marker/1\npost-commit\n/a",
        ] {
            assert_eq!(parse(damage.as_bytes()), None);
        }
    }
}

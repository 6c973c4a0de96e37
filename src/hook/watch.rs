//! Telling when files of a work tree have changed, and have been left alone again for a moment.
//!
//! The only home of the library that listens to the file system. Knows no frames: it says "look again". What is below
//! the git directory never counts, so that this program's own writing wakes no watcher.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// How long changes may go on without a pause before they are processed anyway.
const STORM_MAX: Duration = Duration::from_secs(5);

/// The file system cannot be listened to.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch '{}': {reason}", path.display())]
pub struct WatchError {
    path: PathBuf,
    reason: String,
}

/// A listener over a work tree; it listens until it is dropped.
pub struct Watch {
    _watcher: RecommendedWatcher,
    changes: Receiver<()>,
}

impl Watch {
    /// Listens to everything below a work tree's root but its git directory.
    pub fn start(root: &Path, git_dir: &Path) -> Result<Self, WatchError> {
        let failed = |error: notify::Error| WatchError {
            path: root.to_owned(),
            reason: error.to_string(),
        };
        let (sender, changes) = channel();
        let (git_dir, dot_git) = (git_dir.to_owned(), root.join(".git"));
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                let is_change = match &event {
                    Ok(event) => changes_something(event, &[&git_dir, &dot_git]),
                    // Events were lost: look at everything.
                    Err(_) => true,
                };
                if is_change {
                    // The receiver is dropped only at the end.
                    let _ = sender.send(());
                }
            })
            .map_err(failed)?;
        watcher
            .watch(root, RecursiveMode::Recursive)
            .map_err(failed)?;
        Ok(Self {
            _watcher: watcher,
            changes,
        })
    }

    /// Waits for a change, and then for quiet; false when no change can come any more.
    #[must_use]
    pub fn wait(&self, quiet: Duration) -> bool {
        if self.changes.recv().is_err() {
            return false;
        }
        let begun = Instant::now();
        while begun.elapsed() < STORM_MAX {
            match self.changes.recv_timeout(quiet) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }
}

/// True for an event after which a file may hold something else, somewhere that is not git's own.
fn changes_something(event: &notify::Event, own: &[&PathBuf]) -> bool {
    let is_reading = matches!(event.kind, EventKind::Access(kind) if !matches!(kind, AccessKind::Close(notify::event::AccessMode::Write)));
    !is_reading
        && event
            .paths
            .iter()
            .any(|path| !own.iter().any(|own| path.starts_with(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_what_git_writes_are_no_changes() {
        let event = |kind, path: &str| notify::Event::new(kind).add_path(PathBuf::from(path));
        let own = PathBuf::from("/w/.git");
        let modified = EventKind::Modify(notify::event::ModifyKind::Any);
        assert!(changes_something(&event(modified, "/w/a"), &[&own]));
        assert!(!changes_something(
            &event(modified, "/w/.git/index"),
            &[&own]
        ));
        assert!(!changes_something(
            &event(EventKind::Access(AccessKind::Read), "/w/a"),
            &[&own]
        ));
    }

    #[test]
    fn a_change_is_told_once_it_is_quiet() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join(".git")).expect("writable");
        let watch = Watch::start(&root, &root.join(".git")).expect("the kernel tells");
        for number in 0..20 {
            std::fs::write(root.join("a"), number.to_string()).expect("writable");
        }
        assert!(watch.wait(Duration::from_millis(20)));
        assert!(
            watch.changes.try_recv().is_err(),
            "the whole storm was one change"
        );
    }
}

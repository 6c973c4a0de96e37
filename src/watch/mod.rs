//! Work: telling when files of a work tree have changed, and have been left alone again for a moment.
//!
//! The only home of the library that listens to the file system. Knows no frames: it says "look again". What is below
//! the git directory never counts, so that this program's own writing wakes no watcher. Start with [`Watch`].

mod listen;

pub use listen::{Watch, WatchError};

//! The tokio runtime of a command: one thread that waits for sockets, and a pool for calls that block.

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Longer than any command runs.
const KEPT: Duration = Duration::from_hours(24 * 365);

/// Starts a runtime on this thread; an error when the system gives the process no thread.
///
/// tokio panics when a call that blocks finds an empty pool and the system refuses a thread. The pool therefore gets its
/// first thread here, where a refusal is an error, and keeps it: later calls wait for it when there are no more.
pub fn runtime() -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().thread_keep_alive(KEPT).build()?;
    std::thread::Builder::new().spawn(|| {})?.join().expect("it does nothing");
    runtime.block_on(async { tokio::task::spawn_blocking(|| {}).await }).map_err(io::Error::other)?;
    Ok(runtime)
}

//! The tokio runtime of a command: one thread that waits for sockets, and a pool for calls that block.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Longer than any command runs.
const KEPT: Duration = Duration::from_hours(24 * 365);

/// Starts a runtime on this thread; an error when the system gives the process no thread.
///
/// tokio panics when a call that blocks finds an empty pool and the system refuses a thread. The pool therefore gets its
/// first thread here, where the panic is caught, and keeps it: later calls wait for it when there are no more.
pub fn runtime() -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .thread_keep_alive(KEPT)
        .build()?;
    let first = || runtime.block_on(async { tokio::task::spawn_blocking(|| {}).await });
    // What the panic would print is no help to a user.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let started = panic::catch_unwind(AssertUnwindSafe(first));
    panic::set_hook(hook);
    match started {
        Ok(joined) => joined.map_err(io::Error::other)?,
        Err(_) => {
            return Err(io::Error::other(
                "the system gives this process no further thread",
            ));
        }
    }
    Ok(runtime)
}

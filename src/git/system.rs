//! Errors of the system that say nothing about what is on the disk.
//!
//! A process without free file descriptors, a disk that fails once, a directory that may not be read: none of them makes an
//! object missing, a repository foreign or a store damaged. Those who turn errors into such words ask here first.

use std::error::Error;
use std::io;

use rustix::io::Errno;

/// What the system says when it lacks something or may not look: nothing about what is on the disk.
const SYSTEM_ERRORS: [Errno; 13] = [
    Errno::ACCESS,
    Errno::AGAIN,
    Errno::BUSY,
    Errno::INTR,
    Errno::IO,
    Errno::MFILE,
    Errno::NFILE,
    Errno::NOBUFS,
    Errno::NOLCK,
    Errno::NOMEM,
    Errno::PERM,
    Errno::STALE,
    Errno::TIMEDOUT,
];

/// True for an error that says nothing about what is on the disk.
pub(super) fn is_system_error(error: &io::Error) -> bool {
    error
        .raw_os_error()
        .is_some_and(|code| SYSTEM_ERRORS.contains(&Errno::from_raw_os_error(code)))
}

/// The system's error below another one, as a value of its own.
#[must_use]
pub fn system_cause(error: &(dyn Error + 'static)) -> Option<io::Error> {
    let own = |error: &(dyn Error + 'static)| {
        let code = error
            .downcast_ref::<io::Error>()
            .filter(|error| is_system_error(error))?
            .raw_os_error()?;
        Some(io::Error::from_raw_os_error(code))
    };
    let mut next = Some(error);
    while let Some(error) = next {
        let inner = error
            .downcast_ref::<gix::Error>()
            .and_then(|error| error.iter_errors().find_map(own));
        if let Some(cause) = own(error).or(inner) {
            return Some(cause);
        }
        next = error.source();
    }
    None
}

//! Reading one variable of the environment that git gives a meaning to.

use std::ffi::OsString;

/// Reads an environment variable; the environment's home below this module.
#[expect(
    clippy::disallowed_methods,
    reason = "opening a repository depends on git's environment"
)]
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

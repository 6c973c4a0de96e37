//! Starting the worker so that no process waits for it: a session of its own, nothing open, nothing of the hook's variables.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::base::variable::holds_key;
use crate::config::Environment;

/// Variables of git that say where things are for the user, not for one command; all others of a hook are taken away.
const KEPT: [&str; 6] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
];

/// Starts a program with arguments, apart from this one, and does not wait for it.
#[expect(
    clippy::disallowed_methods,
    reason = "the worker is this program itself"
)]
pub fn start(program: &Path, arguments: &[&OsStr], environment: &Environment) -> io::Result<()> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for (name, _) in environment.variables() {
        let text = name.to_string_lossy();
        let is_git = text.starts_with("GIT_")
            && !text.starts_with("GIT_MERKLE_")
            && !KEPT.contains(&text.as_ref());
        if is_git || holds_key(name) {
            command.env_remove(name);
        }
    }
    command.env("GIT_OPTIONAL_LOCKS", "0");
    command.spawn().map(drop)
}

/// Leaves the session of the parent process, closes what was inherited, and lets others go first.
///
/// To be called before anything is opened: a descriptor of this process itself would be closed behind its owner's back.
pub fn settle() {
    // A process that leads a group already cannot leave; its parent has detached it.
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(10);
    let descriptors = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers: Vec<i32> = descriptors
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        // The directory's own is closed by now.
        let _ = nix::unistd::close(number);
    }
}

//! Programs that the user has chosen: editor, pager, clipboard, browser. They get no keys.
//!
//! A name without a path is looked for as git does it: not in the directory where the user stands, nor in the work tree.

use std::path::Path;
use std::process::Command;

use crate::base::variable::holds_key;
use crate::config::Environment;
use crate::git::program;

/// What reads a command line, by its absolute path, as in git.
const SHELL: &str = "/bin/sh";

/// A program with the environment that it may have.
#[expect(
    clippy::disallowed_methods,
    reason = "what the user has chosen belongs to the surface, not to git or a provider"
)]
pub(super) fn command(program: &Path, environment: &Environment) -> Command {
    let mut command = Command::new(program);
    for (name, _) in environment.variables().filter(|(name, _)| holds_key(name)) {
        command.env_remove(name);
    }
    command.env("PATH", program::search_path());
    command
}

/// The shell, which reads a command line and gets what is added as its arguments.
pub(super) fn shell(line: &str, environment: &Environment) -> Command {
    let mut shell = command(Path::new(SHELL), environment);
    shell.arg("-c").arg(line);
    shell
}

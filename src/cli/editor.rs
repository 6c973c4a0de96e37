//! The editor, as git chooses it: `GIT_EDITOR`, `core.editor`, `VISUAL`, `EDITOR`, `vi`.
//!
//! As with the pager, the environment and the user's own configuration name it, never that of a repository.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Command;

use super::{CliError, Exit, outside};
use crate::config::Environment;
use crate::workspace::Workspace;

/// The first line of what is no part of the text. Markdown has no comments that begin with '#'.
const SCISSORS: &str = "<!-- what stands below this line is left out -->";
/// The file with the text that was edited last.
const KEPT: &str = "edited.md";
/// The largest text that is read back: far more than a frame may have.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// Lets the user edit a text, below which `help` stands; what stood above the help when the editor was closed.
pub fn edit(
    workspace: &Workspace,
    environment: &Environment,
    text: &str,
    help: &str,
) -> Result<String, CliError> {
    let command = choose(
        environment,
        workspace.repository.protected_string("core.editor"),
    );
    let state = &workspace.state;
    let failed = |error: io::Error| CliError::io("cannot edit the text", error);
    state.create().map_err(failed)?;
    let name = format!("note-{}.md", std::process::id());
    let Some(mut file) = state.create_new(&name).map_err(failed)? else {
        let path = state.shown_file(&name).display().to_string();
        return Err(CliError::new(
            Exit::Refused,
            format!("'{path}' exists: a text that was not stored; move it away"),
        ));
    };
    write!(file, "{text}\n\n{SCISSORS}\n{help}\n").map_err(failed)?;
    drop(file);
    let status = shell(&command, environment)
        .arg(state.shown_file(&name))
        .status()
        .map_err(failed)?;
    let edited = state.read_text(&name, TEXT_BYTES_MAX).map_err(failed)?;
    if !status.success() {
        let path = state.shown_file(&name).display().to_string();
        return Err(
            CliError::new(Exit::Refused, format!("the editor '{command}' failed"))
                .hint(format!("the text is in '{path}'")),
        );
    }
    // As git keeps COMMIT_EDITMSG: what fails afterwards does not take the text along.
    state.rename(&name, KEPT).map_err(failed)?;
    let kept = edited
        .split_once(SCISSORS)
        .map_or(edited.as_str(), |(kept, _)| kept);
    Ok(kept.trim().to_owned())
}

/// Lets the user edit files where they are.
pub fn open(
    workspace: &Workspace,
    environment: &Environment,
    files: &[PathBuf],
) -> Result<(), CliError> {
    let setting = workspace.repository.protected_string("core.editor");
    let command = choose(environment, setting);
    let status = shell(&command, environment)
        .args(files)
        .status()
        .map_err(|error| CliError::io("cannot edit the files", error))?;
    if status.success() {
        return Ok(());
    }
    let message = format!("the editor '{command}' failed");
    Err(CliError::new(Exit::Refused, message))
}

fn choose(environment: &Environment, setting: Option<String>) -> String {
    let own = |name| environment.text(name).map(str::to_owned);
    let chosen = own("GIT_EDITOR")
        .or(setting)
        .or_else(|| own("VISUAL"))
        .or_else(|| own("EDITOR"));
    chosen.unwrap_or_else(|| "vi".to_owned())
}

fn shell(command: &str, environment: &Environment) -> Command {
    // As git does it: the command is a line for the shell, and the file its argument.
    let mut shell = outside::shell(&format!("{command} \"$@\""), environment);
    shell.arg(command);
    shell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_gits() {
        let chosen = |variables: &[(&str, &str)], setting: Option<&str>| {
            choose(
                &variables.iter().copied().collect(),
                setting.map(str::to_owned),
            )
        };
        let all = [("GIT_EDITOR", "a"), ("VISUAL", "b"), ("EDITOR", "c")];
        assert_eq!(chosen(&all, Some("core")), "a");
        assert_eq!(chosen(&all[1..], Some("core")), "core");
        assert_eq!(chosen(&all[1..], None), "b");
        assert_eq!(chosen(&all[2..], None), "c");
        assert_eq!(chosen(&[], None), "vi");
    }
}

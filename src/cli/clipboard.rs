//! The user's clipboard: a program of the desktop, else the terminal itself by OSC 52.
//!
//! The environment says which desktop there is. What is copied goes to no shell, and the programs are found as every other
//! program is, never in a work tree. A terminal that knows OSC 52 takes the text through ssh as well; one that does not
//! ignores it, and nothing tells which it is.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{CliError, Exit, outside};
use crate::config::Environment;
use crate::git::program;

/// The terminal of this process, whatever the standard streams are.
const TERMINAL: &str = "/dev/tty";
/// The most bytes that go through a terminal: xterm's limit for one sequence is 100,000 characters of base64.
const TERMINAL_BYTES_MAX: usize = 74_994;

/// Copies a text; the answer names what took it.
pub(super) fn copy(text: &[u8], environment: &Environment) -> Result<String, CliError> {
    for (name, arguments) in programs(environment) {
        let Some(path) = program::find(name) else {
            continue;
        };
        let mut command = outside::command(&path, environment);
        if run(command.args(*arguments), text).is_ok_and(|is_done| is_done) {
            return Ok((*name).to_owned());
        }
    }
    let none = |why: &str| {
        CliError::new(Exit::Refused, format!("there is no clipboard: {why}"))
            .hint("install wl-copy, xclip or xsel, or write to a file with -o")
    };
    if text.len() > TERMINAL_BYTES_MAX {
        return Err(none(&format!(
            "{} bytes are too many for a terminal, which takes {TERMINAL_BYTES_MAX}",
            text.len()
        )));
    }
    let mut terminal = OpenOptions::new()
        .write(true)
        .open(TERMINAL)
        .map_err(|_| none("no program and no terminal"))?;
    let sequence = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    terminal
        .write_all(sequence.as_bytes())
        .map_err(|error| CliError::io("cannot write to the terminal", error))?;
    Ok("the terminal (OSC 52)".to_owned())
}

/// The programs of the desktop that the environment names, best first.
fn programs(environment: &Environment) -> Vec<&'static (&'static str, &'static [&'static str])> {
    const MAC: (&str, &[&str]) = ("pbcopy", &[]);
    const WAYLAND: (&str, &[&str]) = ("wl-copy", &[]);
    const X11: [(&str, &[&str]); 2] = [
        ("xclip", &["-selection", "clipboard"]),
        ("xsel", &["--clipboard", "--input"]),
    ];
    let is_set = |name| environment.get(name).is_some_and(|value| !value.is_empty());
    let mut programs = Vec::new();
    programs.extend(cfg!(target_os = "macos").then_some(&MAC));
    programs.extend(is_set("WAYLAND_DISPLAY").then_some(&WAYLAND));
    programs.extend(X11.iter().filter(|_| is_set("DISPLAY")));
    programs
}

/// True when the program took all of the text. It may stay and serve the clipboard, so nothing of it is waited for but its end.
fn run(command: &mut Command, text: &[u8]) -> io::Result<bool> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = child
        .stdin
        .take()
        .map_or(Ok(()), |mut input| input.write_all(text));
    Ok(child.wait()?.success() && written.is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn the_desktop_chooses_the_program() {
        let chosen = |variables: &[(&str, &str)]| -> Vec<&str> {
            programs(&variables.iter().copied().collect())
                .iter()
                .map(|(name, _)| *name)
                .collect()
        };
        assert_eq!(
            chosen(&[("WAYLAND_DISPLAY", "wayland-0"), ("DISPLAY", ":0")]),
            ["wl-copy", "xclip", "xsel"]
        );
        assert_eq!(
            chosen(&[("WAYLAND_DISPLAY", ""), ("DISPLAY", ":0")]),
            ["xclip", "xsel"]
        );
        assert_eq!(chosen(&[]), [""; 0]);
    }
}

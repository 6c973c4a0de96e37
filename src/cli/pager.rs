//! The pager, as git chooses it: `GIT_PAGER`, `pager.merkle`, `core.pager`, `PAGER`, `less`.
//!
//! The environment and the user's own configuration name it, never that of a repository: who wrote that may be a stranger.
//!
//! The program does not wait for its pager, it becomes the pager: a second process of the same program, with the same
//! arguments, writes into it. So the shell waits for the pager itself, and an interrupt in the pager leaves no process
//! behind that fights for the terminal.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::outside;
use crate::config::Environment;
use crate::workspace::PagerSetting;

/// Set for everything below a pager, by git and by this program.
const IN_USE: &str = "GIT_PAGER_IN_USE";

/// What a pager gets unless the user has said otherwise; git's own defaults.
const DEFAULTS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// The pager's command line; `None` when there is to be none.
#[must_use]
pub(super) fn choose(environment: &Environment, setting: &PagerSetting) -> Option<String> {
    if *setting == PagerSetting::Off {
        return None;
    }
    let from_environment = |name| {
        environment
            .get(name)
            .and_then(|value| value.to_str())
            .map(str::to_owned)
    };
    let from_setting = || match setting {
        PagerSetting::Command(command) => Some(command.clone()),
        PagerSetting::Default | PagerSetting::Off => None,
    };
    let command = from_environment("GIT_PAGER")
        .or_else(from_setting)
        .or_else(|| from_environment("PAGER"))
        .unwrap_or("less".to_owned());
    (!command.is_empty() && command != "cat").then_some(command)
}

/// Replaces this process by the pager, with a second process writing into it; returns only when that failed.
///
/// To be called before anything was written. The shell reads the command line, as with git.
pub(super) fn become_pager(command: &str, environment: &Environment) -> io::Error {
    let mut writer = match start_writer() {
        Ok(writer) => writer,
        Err(error) => return error,
    };
    let Some(pages) = writer.stdout.take() else {
        return io::Error::other("the writer has no output");
    };
    let defaults = DEFAULTS
        .iter()
        .filter(|(name, _)| environment.get(name).is_none())
        .copied();
    let mut pager = outside::shell(command, environment);
    pager.envs(defaults).env(IN_USE, "true").stdin(pages).exec()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the second process is this very program, no child of git"
)]
fn start_writer() -> io::Result<std::process::Child> {
    let own = std::env::current_exe()?;
    Command::new(own)
        .args(std::env::args_os().skip(1))
        .env(IN_USE, "true")
        .stdout(Stdio::piped())
        .spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)], setting: &PagerSetting) -> Option<String> {
        choose(&variables.iter().copied().collect(), setting)
    }

    #[test]
    fn the_order_is_gits() {
        let core = || PagerSetting::Command("most".to_owned());
        assert_eq!(
            chosen(&[("GIT_PAGER", "a"), ("PAGER", "b")], &core()).as_deref(),
            Some("a")
        );
        assert_eq!(chosen(&[("PAGER", "b")], &core()).as_deref(), Some("most"));
        assert_eq!(
            chosen(&[("PAGER", "b")], &PagerSetting::Default).as_deref(),
            Some("b")
        );
        assert_eq!(chosen(&[], &PagerSetting::Default).as_deref(), Some("less"));
    }

    #[test]
    fn an_empty_command_and_cat_are_no_pager() {
        assert_eq!(
            chosen(&[("GIT_PAGER", ""), ("PAGER", "b")], &PagerSetting::Default),
            None
        );
        assert_eq!(chosen(&[("PAGER", "cat")], &PagerSetting::Default), None);
        assert_eq!(chosen(&[("GIT_PAGER", "a")], &PagerSetting::Off), None);
    }
}

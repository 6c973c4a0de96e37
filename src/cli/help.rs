//! Help: the short and the long help of each command, and which command a command line means.

use std::ffi::OsString;

use clap::error::ContextKind;

use super::args::definition;
use super::error::CliError;
use super::exit::Exit;

/// The names of the command that a command line means, as far as it can be understood: `turn`, `run`.
pub(super) fn named_command(error: &clap::Error, arguments: &[OsString]) -> Vec<String> {
    let mut definition = definition();
    definition.build();
    let failed = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    let is_only_here = |option: &clap::Arg| {
        !option.is_global_set() && failed.as_ref() == Some(&option.to_string())
    };
    let (mut at, mut names) = (&definition, Vec::new());
    if definition.get_arguments().any(is_only_here) {
        return names;
    }
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if let Some(below) = at.find_subcommand(&*word) {
            names.push(below.get_name().to_owned());
            at = below;
        } else if takes_next(at, &word) {
            words.next();
        }
    }
    names
}

/// A command as it is typed.
pub(super) fn shown(names: &[String]) -> String {
    let words = ["git", "merkle"].into_iter();
    words
        .chain(names.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The help of a command: what `-h` shows are the options of each day; the long one has all, and those that every command
/// has at its end. The program's own is always whole.
pub fn help(names: &[String], is_long: bool) -> Result<String, CliError> {
    let mut definition = definition();
    definition.build();
    let found = names.iter().try_fold(&mut definition, |command, name| {
        command.find_subcommand_mut(name).ok_or_else(|| {
            CliError::new(Exit::Usage, format!("there is no command '{name}'"))
                .hint("see 'git merkle -h'")
        })
    })?;
    if !is_long && !names.is_empty() {
        return Ok(found.render_help().to_string());
    }
    let mut whole = found
        .clone()
        .mut_args(|option| option.hide_short_help(false));
    let text = whole.render_help().to_string();
    Ok(text.replace(" (see more with '--help')", ""))
}

/// True for an option whose value is the next word.
fn takes_next(command: &clap::Command, word: &str) -> bool {
    command.get_opts().any(|option| {
        let long = word.strip_prefix("--").map(Some) == Some(option.get_long());
        let short = option
            .get_short()
            .is_some_and(|short| word == format!("-{short}"));
        (long || short) && !option.is_require_equals_set()
    })
}

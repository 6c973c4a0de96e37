//! The command line read: a command to run, a text to print, or a mistake with a hint.

use std::ffi::OsString;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::{Arguments, definition};
use super::error::CliError;
use super::exit::Exit;
use super::help::{help, named_command, shown};
use super::shell::quote_word;

/// What the command line says.
#[derive(Debug)]
pub enum Invocation {
    /// Run a command.
    Run(Box<Arguments>),
    /// Print this on standard output and be done.
    Print(String),
}

/// Reads the command line, program name first.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, CliError> {
    match definition()
        .try_get_matches_from(arguments)
        .and_then(|matches| Arguments::from_arg_matches(&matches))
    {
        Ok(parsed) => Ok(Invocation::Run(Box::new(parsed))),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            let is_long = arguments.iter().any(|word| word == "--help");
            let names = named_command(&error, arguments);
            Ok(Invocation::Print(help(&names, is_long)?))
        }
        Err(error) if !error.use_stderr() => Ok(Invocation::Print(error.render().to_string())),
        Err(error) => Err(usage_error(&error, arguments)),
    }
}

/// Turns clap's several paragraphs into one message and hints.
fn usage_error(error: &clap::Error, arguments: &[OsString]) -> CliError {
    let text = error.render().to_string();
    let is_bare = matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    );
    let failed = if is_bare {
        CliError::new(Exit::Usage, "no command given")
    } else {
        let first = text
            .strip_prefix("error: ")
            .unwrap_or(&text)
            .lines()
            .take_while(|line| !line.is_empty());
        CliError::new(
            Exit::Usage,
            first.map(str::trim).collect::<Vec<_>>().join(" "),
        )
    };
    let tips = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tip: "))
        .filter(|tip| !is_about_a_value(tip));
    let command = shown(&named_command(error, arguments));
    if error.kind() == ErrorKind::InvalidUtf8 {
        let message = "an argument is not UTF-8";
        return CliError::new(Exit::Usage, message)
            .hint("name such a path by a pattern, as in 'caf*.txt', or by its object id");
    }
    let failed = match error.get(ContextKind::InvalidArg) {
        // `--hidden` is a question, too.
        Some(ContextValue::String(word))
            if command.ends_with(" find") && error.kind() == ErrorKind::UnknownArgument =>
        {
            let word = quote_word(word);
            failed.hint(format!(
                "a question that begins with a dash: {command} -- {word}"
            ))
        }
        _ => failed,
    };
    tips.fold(failed, CliError::hint)
        .hint(format!("see '{command} -h'"))
}

/// True for clap's advice on how a word that begins with a dash is no option: a name behind the dash means one.
fn is_about_a_value(tip: &str) -> bool {
    tip.strip_prefix("to pass '-")
        .is_some_and(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::workspace::When;

    fn read(line: &str) -> Result<Invocation, CliError> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        parse(&words)
    }

    fn arguments(line: &str) -> Arguments {
        match read(line) {
            Ok(Invocation::Run(arguments)) => *arguments,
            other => panic!("'{line}' does not run: {other:?}"),
        }
    }

    #[test]
    fn directories_add_up_as_with_git() {
        let location =
            arguments("git-merkle -C a -C b --git-dir c.git -c merkle.notes -c merkle.x=1=2 init")
                .global
                .location();
        assert_eq!(location.directory, Path::new("a/b"));
        assert_eq!(location.git_dir.as_deref(), Some(Path::new("a/b/c.git")));
        assert_eq!(location.settings, ["merkle.notes", "merkle.x=1=2"]);
        assert_eq!(
            arguments("git-merkle -C a -C /b init")
                .global
                .location()
                .directory,
            Path::new("/b")
        );
        assert_eq!(
            arguments("git-merkle init").global.location().directory,
            Path::new("")
        );
    }

    #[test]
    fn output_options_stand_on_either_side() {
        for line in [
            "git-merkle --json -z --color init",
            "git-merkle init --json -z --color=always",
        ] {
            let output = arguments(line).global.output;
            assert!(
                output.json && output.nul && output.color == Some(When::Always),
                "{line}"
            );
        }
    }

    #[test]
    fn an_option_that_a_command_does_not_have_is_not_called_a_value() {
        let error = read("git-merkle invalidate --worktree a.rs").expect_err("no such option");
        assert_eq!(
            error.render_text(),
            "error: unexpected argument '--worktree' found\nhint: see 'git merkle invalidate -h'\n"
        );
    }

    #[test]
    fn a_question_may_begin_with_a_dash() {
        let error = read("git-merkle find --hidden").expect_err("no such option");
        let told = error.render_text();
        let way = "hint: a question that begins with a dash: git merkle find -- --hidden\n";
        assert!(told.contains(way), "{told}");
        assert!(matches!(
            read("git-merkle find -- --hidden"),
            Ok(Invocation::Run(_))
        ));
        let error = read("git-merkle find x --budget y").expect_err("no number");
        assert!(!error.render_text().contains("a dash"));
    }

    #[test]
    fn help_is_an_answer_and_usage_an_error_with_a_hint() {
        assert!(
            matches!(read("git-merkle -h"), Ok(Invocation::Print(text)) if text.contains("\neveryday\n   init "))
        );
        assert!(
            matches!(read("git-merkle init -h"), Ok(Invocation::Print(text)) if text.contains("Usage: git merkle init"))
        );
        for (line, message, hint) in [
            (
                "git-merkle ini",
                "unrecognized subcommand 'ini'",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle init --bogus",
                "unexpected argument '--bogus' found",
                "hint: see 'git merkle init -h'",
            ),
            (
                "git-merkle --color=mauve init",
                "expected auto, always or never",
                "hint: see 'git merkle init -h'",
            ),
            (
                "git-merkle -C show map --budget x",
                "expected a number, such as 8000 or 8k",
                "hint: see 'git merkle map -h'",
            ),
            (
                "git-merkle turn run --max-calls",
                "a value is required",
                "hint: see 'git merkle turn run -h'",
            ),
            (
                "git-merkle -c x init",
                "expected <section>.<key>=<value>",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle",
                "no command given",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle --json",
                "no command given",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle config",
                "no command given",
                "hint: see 'git merkle config -h'",
            ),
            (
                "git-merkle config lis",
                "a similar subcommand exists: 'list'",
                "hint: see 'git merkle config -h'",
            ),
        ] {
            let error = read(line).expect_err(line);
            let text = error.render_text();
            assert!(
                text.contains(message) && text.contains(hint),
                "{line}: {text}"
            );
            assert_eq!(error.exit(), Exit::Usage);
        }
    }
}

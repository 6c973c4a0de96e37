//! What a command says when it fails: how the program ends, the message, what was underneath, what to try.
//!
//! Printed as git prints errors, `error: …` and then a `hint: …` line for each command that may help; with
//! `--json` as one object. Errors of lower modules are turned into this type in the files below `error/`: the whole table
//! of "which failure ends how".

/// Errors that pass on those of lower modules, whichever it is.
macro_rules! passed_on {
    ($($error:ident: $($case:ident)+;)+) => {$(
        impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                match error {
                    $($error::$case(inner) => inner.into(),)+
                }
            }
        }
    )+};
}

mod asking;
mod compared;
mod site;
mod table;
mod target;

use std::error::Error;
use std::{fmt, io};

use serde::Serialize;

use super::exit::Exit;
use super::json;
use crate::base::printable;
use crate::git::system_cause;

/// A failed command.
#[derive(Debug)]
pub struct CliError {
    kind: Exit,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    details: Vec<String>,
    hints: Vec<String>,
    silent: bool,
}

impl CliError {
    /// An error of a kind; the message is lower case without a full stop, with its subject in single quotes.
    #[must_use]
    pub fn new(kind: Exit, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            details: Vec::new(),
            hints: Vec::new(),
            silent: false,
        }
    }

    /// Wraps an error of a lower module; its text is the message and its sources are printed behind it.
    ///
    /// Where the system failed underneath, git did not: that is no statement about the repository.
    pub fn from_source(kind: Exit, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let source = source.into();
        let kind = if kind == Exit::Git && system_cause(source.as_ref()).is_some() {
            Exit::Io
        } else {
            kind
        };
        Self {
            source: Some(source),
            ..Self::new(kind, "")
        }
    }

    /// A file that could not be read or written: `cannot <verb> '<subject>': <reason>`.
    #[must_use]
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self {
            message: what.into(),
            ..Self::from_source(Exit::Io, source)
        }
    }

    /// Puts what was being done in front of the message.
    #[must_use]
    pub fn context(mut self, doing: &str) -> Self {
        self.message = if self.message.is_empty() {
            doing.to_owned()
        } else {
            format!("{doing}: {}", self.message)
        };
        self
    }

    /// Adds one of several things that are wrong, as a line of its own.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// Adds what to try next; it names a command that can be run.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same, where there is something to try.
    #[must_use]
    pub fn hint_any(self, hint: Option<impl Into<String>>) -> Self {
        hint.into_iter().fold(self, Self::hint)
    }

    /// What to try next.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Says who names damage, unless it was the system that failed.
    fn damage_hint(self) -> Self {
        if self.kind == Exit::Io {
            self
        } else {
            self.hint("'git merkle validate' names everything that is damaged")
        }
    }

    /// How the program ends on it.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.kind
    }

    /// True when there is nothing to say: the reader of our output went away.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// The lines for a person, safe for a terminal.
    #[must_use]
    pub fn render_text(&self) -> String {
        let hints = self
            .hints
            .iter()
            .flat_map(|hint| hint.lines())
            .map(|line| format!("hint: {}\n", printable(line)));
        let details = self
            .details
            .iter()
            .map(|detail| format!("  {}\n", printable(detail)));
        std::iter::once(format!("error: {}\n", printable(&self.to_string())))
            .chain(details)
            .chain(hints)
            .collect()
    }

    /// The object for a program: `code`, `message` and `hint`, which is null when there is none.
    ///
    /// What is wrong in particular stands behind the message, line by line.
    #[must_use]
    pub fn render_json(&self) -> String {
        let hint = (!self.hints.is_empty()).then(|| self.hints.join("\n"));
        json::document(
            "error",
            &ErrorDocument {
                code: self.kind.code(),
                message: std::iter::once(self.to_string())
                    .chain(self.details.iter().cloned())
                    .collect::<Vec<_>>()
                    .join("\n"),
                hint,
            },
        )
    }
}

/// What `--json` prints of an error.
#[derive(Serialize)]
struct ErrorDocument {
    code: u8,
    message: String,
    hint: Option<String>,
}

impl fmt::Display for CliError {
    /// The message and then what was underneath, from the outside in, each once, without the numbers of the system.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.message.clone();
        let mut next = self.source.as_deref().map(|source| source as &dyn Error);
        while let Some(error) = next {
            let part = error.to_string();
            let part = part.split(" (os error ").next().unwrap_or(&part);
            if !text.ends_with(part) {
                text = if text.is_empty() {
                    part.to_owned()
                } else {
                    format!("{text}: {part}")
                };
            }
            next = error.source();
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TreePath;
    use crate::cli::ui::OutputError;
    use crate::git::{ChildError, ObjectError};
    use crate::ops::FilesError;
    use crate::sync::SyncError;

    #[test]
    fn an_error_is_a_line_with_its_causes_and_then_hints() {
        let cause = io::Error::other("no space left on device");
        let error = CliError::io("cannot write 'a\u{1b}b'", cause).hint("git merkle doctor");
        assert_eq!(
            error.render_text(),
            "error: cannot write 'a\\u{1b}b': no space left on device\nhint: git merkle doctor\n"
        );
        assert_eq!(error.exit(), Exit::Io);
    }

    #[test]
    fn causes_that_only_repeat_are_printed_once() {
        let inner = io::Error::other("denied");
        assert_eq!(
            CliError::io("cannot open 'x': denied", inner).to_string(),
            "cannot open 'x': denied"
        );
    }

    #[test]
    fn json_has_code_message_and_hint() {
        let error = CliError::new(Exit::Usage, "unknown option '--x'");
        assert_eq!(
            error.render_json(),
            r#"{"schema":"git-merkle/error/1","code":129,"message":"unknown option '--x'","hint":null}"#
        );
        assert!(
            error
                .hint("git merkle -h")
                .render_json()
                .ends_with(r#""hint":"git merkle -h"}"#)
        );
    }

    /// Before, `map` and `find` named `git fsck` alone, which does not help in a partial clone.
    #[test]
    fn a_file_that_is_missing_is_fetched_as_its_own_command_says() {
        let id = "1".repeat(40).parse().expect("an id");
        let path = TreePath::from("a.rs");
        let error = FilesError::Object {
            path,
            source: ObjectError::Missing(id),
        };
        assert!(
            CliError::from(error).hints()[0].starts_with("in a partial clone 'git cat-file -e 111")
        );
    }

    /// Before, a filter that was refused and a disk that was full ended a transfer as a connection that failed.
    #[test]
    fn a_transfer_ends_as_the_git_that_it_is_done_with() {
        let ended = |source| {
            let remote = "origin".to_owned();
            let error = CliError::from(SyncError::Transfer { remote, source });
            (error.exit(), error.hints().concat())
        };
        let (path, filter, allow) = ("a".to_owned(), "f".to_owned(), "git config".to_owned());
        let filter = ended(ChildError::Filter {
            path,
            filter,
            allow,
        });
        let hint = "if you trust the program, name it in your own configuration:\ngit config";
        assert_eq!(filter, (Exit::NotTrusted, hint.to_owned()));
        let copy = ended(ChildError::Copy(io::Error::other("full")));
        assert_eq!(copy, (Exit::Io, String::new()));
        let (exit, hint) = ended(ChildError::Start(io::Error::other("gone")));
        assert_eq!(exit, Exit::Git);
        assert!(hint.starts_with("'git ls-remote origin'"), "{hint}");
    }

    #[test]
    fn a_reader_that_went_away_ends_it_silently_as_git() {
        let error = CliError::from(OutputError::Closed);
        assert!(error.is_silent());
        assert_eq!(error.exit(), Exit::ReaderGone);
    }
}

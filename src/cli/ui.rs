//! How the program speaks: answers on standard output, everything else on standard error.
//!
//! Owns colour, quoting, record ends, and what happens when the reader goes away: output never panics, a closed
//! pipe ends the program silently, a full disk is an error. Text from a repository, a frame or a model reaches a
//! terminal only through [`Ui::styled`], [`Ui::path`] or [`printable()`]. Start with [`Ui::new`].
//!
//! Colour is decided by the first of these that says something:
//! `--color` · `NO_COLOR` · `color.merkle` · `color.ui` · whether standard output is a terminal (or a pager on one).

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::mem;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::global::Output;
use super::json;
use crate::base::path::quote;
use crate::base::{locked, printable};
use crate::config::Environment;
use crate::workspace::{Presentation, When};

/// Most bytes of an answer that is kept.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// Why an answer could not be printed.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The reader has seen enough and is gone: nothing is wrong.
    #[error("standard output is closed")]
    Closed,
    /// The disk is full, for example.
    #[error("cannot write standard output")]
    Failed(#[source] io::Error),
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Failed(error)
        }
    }
}

/// What a piece of text is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No colour; still escaped.
    Plain,
    /// Titles.
    Heading,
    /// Ids.
    Id,
    /// Fresh, added, passed.
    Good,
    /// Outdated, stale.
    Caution,
    /// Missing, removed, failed.
    Bad,
    /// What can be skipped by the eye.
    Dim,
}

impl Style {
    fn sequence(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Heading => "\x1b[1m",
            Self::Id | Self::Caution => "\x1b[33m",
            Self::Good => "\x1b[32m",
            Self::Bad => "\x1b[31m",
            Self::Dim => "\x1b[2m",
        }
    }
}

/// What the program stands in: which ends are terminals, and what the environment says about them.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings {
    stdout_terminal: bool,
    stderr_terminal: bool,
    pager_in_use: bool,
    no_color: bool,
    dumb: bool,
}

impl Surroundings {
    fn detect(environment: &Environment) -> Self {
        Self {
            stdout_terminal: io::stdout().is_terminal(),
            stderr_terminal: io::stderr().is_terminal(),
            pager_in_use: environment
                .text("GIT_PAGER_IN_USE")
                .is_some_and(|text| text == "true" || text == "1"),
            no_color: environment.text("NO_COLOR").is_some(),
            dumb: environment.text("TERM").is_none_or(|term| term == "dumb"),
        }
    }
}

/// Text that is kept for another reader instead of being written to a stream; clones share it.
#[derive(Debug, Clone, Default)]
pub struct SharedText(Arc<Mutex<Vec<u8>>>);

impl SharedText {
    /// Takes the text out; what is not UTF-8 is replaced.
    #[must_use]
    pub fn take(&self) -> String {
        let bytes = mem::take(&mut *locked(&self.0));
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl Write for SharedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = locked(&self.0);
        if kept.len() + bytes.len() > KEPT_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("the answer is over the limit of {KEPT_BYTES_MAX} bytes"),
            ));
        }
        kept.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The two ends of the program that people and programs read.
pub struct Ui {
    out: BufWriter<Box<dyn Write + Send>>,
    /// Where warnings and notes go instead of standard error.
    remarks: Option<SharedText>,
    output: Output,
    surroundings: Surroundings,
    presentation: Presentation,
}

impl Ui {
    /// Speaks as the command line and the environment say; [`adopt`](Self::adopt) adds what configuration says.
    #[must_use]
    pub fn new(output: Output, environment: &Environment) -> Self {
        Self {
            out: BufWriter::with_capacity(64 * 1024, stdout()),
            remarks: None,
            output,
            surroundings: Surroundings::detect(environment),
            presentation: Presentation::default(),
        }
    }

    /// Keeps the answer and the remarks instead of writing them to the process's streams; asks nothing and draws nothing.
    #[must_use]
    pub fn keeping(output: Output, answer: SharedText, remarks: SharedText) -> Self {
        Self {
            out: BufWriter::with_capacity(64 * 1024, Box::new(answer)),
            remarks: Some(remarks),
            output,
            surroundings: Surroundings::default(),
            presentation: Presentation::default(),
        }
    }

    /// True when the process ends after this command, so that the system frees its memory at once.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.remarks.is_none()
    }

    /// Takes over what git's configuration says about colour and quoting.
    pub fn adopt(&mut self, presentation: Presentation) {
        self.presentation = presentation;
    }

    /// True when the answer is to be one JSON document.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.output.json
    }

    /// True when records end with NUL and hold plain bytes (`-z`).
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.output.nul
    }

    /// True when progress may be drawn: on a terminal, unless an option says no.
    #[must_use]
    pub fn shows_progress(&self) -> bool {
        let silenced = self.output.quiet || self.output.no_progress || !self.presentation.progress;
        self.surroundings.stderr_terminal && !self.surroundings.dumb && !silenced
    }

    /// The pager to start before a long answer: none unless a person sits at the other end.
    #[must_use]
    pub fn pager(&self, environment: &Environment) -> Option<String> {
        let wanted = self.surroundings.stdout_terminal
            && !self.output.no_pager
            && !self.output.json
            && !self.output.nul;
        if wanted {
            super::pager::choose(environment, &self.presentation.pager)
        } else {
            None
        }
    }

    /// True when the repository's own configuration names a pager, which is not run.
    #[must_use]
    pub fn has_local_pager(&self) -> bool {
        self.presentation.has_local_pager
    }

    /// Writes a part of the answer; `write!` and `writeln!` end up here.
    ///
    /// What is formatted must be the program's own text, or foreign text that went through [`printable()`].
    pub fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> Result<(), OutputError> {
        Ok(self.out.write_fmt(arguments)?)
    }

    /// Writes bytes as they are, for answers that are someone's exact bytes.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        Ok(self.out.write_all(bytes)?)
    }

    /// Whether the answer goes to a terminal, or to a pager that shows it on one.
    #[must_use]
    pub fn is_on_screen(&self) -> bool {
        self.surroundings.stdout_terminal || self.surroundings.pager_in_use
    }

    /// Writes foreign text: exact bytes for programs, escaped on a screen.
    pub fn write_text(&mut self, text: &str) -> Result<(), OutputError> {
        if self.is_on_screen() {
            return write!(self, "{}", printable(text));
        }
        self.write_bytes(text.as_bytes())
    }

    /// Writes a document with its version; see [`json::document`].
    pub fn write_json(&mut self, name: &str, body: &impl Serialize) -> Result<(), OutputError> {
        let mut text = json::document(name, body);
        text.push('\n');
        self.write_bytes(text.as_bytes())
    }

    /// Ends a record: a line feed, or NUL with `-z`.
    pub fn end_record(&mut self) -> Result<(), OutputError> {
        self.write_bytes(if self.output.nul { b"\0" } else { b"\n" })
    }

    /// Hands everything written so far to the reader; to be called before the program ends.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        Ok(self.out.flush()?)
    }

    /// A path as git prints it: quoted by `core.quotePath` and safe for a terminal, or the plain bytes with `-z`.
    #[must_use]
    pub fn path<'a>(&self, path: &'a [u8]) -> Cow<'a, [u8]> {
        if self.output.nul {
            return Cow::Borrowed(path);
        }
        Cow::Owned(
            printable(&quote(path, self.presentation.quote_path))
                .to_string()
                .into_bytes(),
        )
    }

    /// The same as text.
    #[must_use]
    pub fn path_text(&self, path: &[u8]) -> String {
        String::from_utf8_lossy(&self.path(path)).into_owned()
    }

    /// Foreign text in a colour, escaped.
    #[must_use]
    pub fn styled(&self, style: Style, text: &str) -> String {
        let sequence = style.sequence();
        if sequence.is_empty() || !self.is_colored() {
            return printable(text).to_string();
        }
        format!("{sequence}{}\x1b[m", printable(text))
    }

    /// Says each of these as [`Self::warn`] does.
    pub fn warn_all(&self, texts: impl IntoIterator<Item = impl AsRef<str>>) {
        for text in texts {
            self.warn(text.as_ref());
        }
    }

    /// Says that something is odd but the command goes on.
    pub fn warn(&self, text: &str) {
        self.remark(&format!("warning: {}\n", printable(text)));
    }

    fn remark(&self, text: &str) {
        match self.remarks.clone() {
            // Remarks beyond the limit are lost, as those to a closed standard error are.
            Some(mut kept) => drop(kept.write_all(text.as_bytes())),
            None => complain(text),
        }
    }

    /// True when [`Self::note`] says nothing.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.output.quiet
    }

    /// Says something that `--quiet` silences.
    pub fn note(&self, text: &str) {
        if !self.is_quiet() {
            self.remark(&format!("{}\n", printable(text)));
        }
    }

    /// True when a person sits at both ends of a question.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        !self.output.json && self.surroundings.stderr_terminal && io::stdin().is_terminal()
    }

    /// Asks a person on standard error; anything but `y` or `yes` is no, the end of input too.
    pub fn ask(&mut self, question: &str) -> Result<bool, OutputError> {
        self.flush()?;
        complain(&format!("{} [y/N] ", printable(question)));
        Ok(is_yes(&mut io::stdin().lock()))
    }

    fn is_colored(&self) -> bool {
        !self.output.json && decide_color(self.output.color, &self.presentation, self.surroundings)
    }
}

/// True when the next line says `y` or `yes`.
fn is_yes(answers: &mut dyn BufRead) -> bool {
    let mut line = String::new();
    answers.read_line(&mut line).is_ok()
        && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Writes to standard error; when that is gone too, the failure cannot be reported.
pub(super) fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Standard output without the line buffering of the standard library.
fn stdout() -> Box<dyn Write + Send> {
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(descriptor) => Box::new(File::from(descriptor)),
        Err(_) => Box::new(io::stdout()),
    }
}

fn decide_color(
    asked: Option<When>,
    presentation: &Presentation,
    surroundings: Surroundings,
) -> bool {
    let when = asked.unwrap_or(if surroundings.no_color {
        When::Never
    } else {
        presentation.color
    });
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let paged = surroundings.pager_in_use && presentation.color_pager;
            (surroundings.stdout_terminal || paged) && !surroundings.dumb
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Surroundings = Surroundings {
        stdout_terminal: true,
        stderr_terminal: true,
        pager_in_use: false,
        no_color: false,
        dumb: false,
    };

    fn ui(output: Output, surroundings: Surroundings, out: impl Write + Send + 'static) -> Ui {
        Ui {
            out: BufWriter::new(Box::new(out)),
            remarks: None,
            output,
            surroundings,
            presentation: Presentation::default(),
        }
    }

    #[test]
    fn the_first_that_speaks_decides_colour() {
        let pipe = Surroundings {
            stdout_terminal: false,
            ..TERMINAL
        };
        let no_color = Surroundings {
            no_color: true,
            ..TERMINAL
        };
        let paged = Surroundings {
            pager_in_use: true,
            ..pipe
        };
        let dumb = Surroundings {
            dumb: true,
            ..TERMINAL
        };
        let config = |color| Presentation {
            color,
            ..Presentation::default()
        };
        for (asked, configured, around, expected) in [
            (None, When::Auto, TERMINAL, true),
            (None, When::Auto, pipe, false),
            (None, When::Auto, paged, true),
            (None, When::Auto, dumb, false),
            (None, When::Always, pipe, true),
            (None, When::Never, TERMINAL, false),
            (None, When::Always, no_color, false),
            (Some(When::Always), When::Never, no_color, true),
            (Some(When::Never), When::Always, TERMINAL, false),
            (Some(When::Auto), When::Always, pipe, false),
        ] {
            assert_eq!(
                decide_color(asked, &config(configured), around),
                expected,
                "{asked:?} {configured:?} {around:?}"
            );
        }
        let unpaged = Presentation {
            color_pager: false,
            ..Presentation::default()
        };
        assert!(!decide_color(None, &unpaged, paged));
    }

    #[test]
    fn foreign_text_is_escaped_with_and_without_colour() {
        let colored = ui(Output::default(), TERMINAL, io::sink());
        assert_eq!(
            colored.styled(Style::Bad, "a\x1b[0mb"),
            "\x1b[31ma\\u{1b}[0mb\x1b[m"
        );
        let json = ui(
            Output {
                json: true,
                ..Output::default()
            },
            TERMINAL,
            io::sink(),
        );
        assert_eq!(json.styled(Style::Bad, "x"), "x");
    }

    #[test]
    fn paths_are_quoted_as_git_does_and_raw_with_nul() {
        let mut text = ui(Output::default(), TERMINAL, io::sink());
        assert_eq!(&*text.path("ä\n".as_bytes()), b"\"\\303\\244\\n\"");
        text.adopt(Presentation {
            quote_path: false,
            ..Presentation::default()
        });
        assert_eq!(&*text.path("ä\u{202e}".as_bytes()), "ä\\u{202e}".as_bytes());
        let nul = ui(
            Output {
                nul: true,
                ..Output::default()
            },
            TERMINAL,
            io::sink(),
        );
        assert_eq!(&*nul.path(b"\xff\n"), b"\xff\n");
    }

    #[test]
    fn progress_needs_a_terminal_and_consent() {
        assert!(ui(Output::default(), TERMINAL, io::sink()).shows_progress());
        for output in [
            Output {
                quiet: true,
                ..Output::default()
            },
            Output {
                no_progress: true,
                ..Output::default()
            },
        ] {
            assert!(!ui(output, TERMINAL, io::sink()).shows_progress());
        }
        assert!(!ui(Output::default(), Surroundings::default(), io::sink()).shows_progress());
    }

    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_told_from_a_full_disk() {
        let mut closed = ui(
            Output::default(),
            TERMINAL,
            Failing(io::ErrorKind::BrokenPipe),
        );
        write!(closed, "x").expect("buffered");
        assert!(matches!(closed.flush(), Err(OutputError::Closed)));
        let mut full = ui(
            Output::default(),
            TERMINAL,
            Failing(io::ErrorKind::StorageFull),
        );
        write!(full, "x").expect("buffered");
        assert!(matches!(full.flush(), Err(OutputError::Failed(_))));
    }

    #[test]
    fn only_yes_is_yes() {
        for (answer, expected) in [
            ("y\n", true),
            ("Yes\n", true),
            (" YES ", true),
            ("", false),
            ("\n", false),
            ("yep\n", false),
        ] {
            assert_eq!(is_yes(&mut answer.as_bytes()), expected, "{answer:?}");
        }
        assert!(!is_yes(&mut [0xff, b'y', b'\n'].as_slice()));
    }
}

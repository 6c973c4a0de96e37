//! Answers that were paid for and are no frames: too long, cut at a limit, empty of words of their own.
//!
//! Each is kept as a file of the machine's own state, `log/refused/<key>.md`, and is what a later run remembers the
//! refusal by: the same request is not sent to the same provider again unless the user forces it. What makes a request
//! another one (the node, the words, a raised limit) makes another key. The oldest files go when there are too many.
//!
//! The file is sealed: one that came with a repository is not believed. Below the line of the seal stand:
//!
//! | line | |
//! |---|---|
//! | 1 | `git-merkle/refused/1` |
//! | 2 | `about: ` the node's path |
//! | 3 | `by: ` the provider |
//! | 4 | `because: ` why it is no frame |
//! | 5 | empty; the answer follows |

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::base::{Digest, FieldHasher, TreePath, printable};
use crate::chat::Request;
use crate::git::StateDir;

const FORMAT: &str = "git-merkle/refused/1";
const SUFFIX: &str = ".md";
/// Files that are kept, at most.
const FILES_MAX: usize = 64;
/// Most of one answer that is kept.
const TEXT_BYTES_MAX: usize = 512 << 10;
/// Largest file that is read back: the answer, and some lines.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What was refused before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file with the answer, as messages show it.
    pub file: PathBuf,
    /// The provider that gave it.
    pub provider: String,
    /// Why it is no frame.
    pub reason: String,
}

/// An answer that was paid for and is no frame.
pub(super) struct Answer<'a> {
    /// The node that it is about.
    pub path: &'a TreePath,
    /// Who gave it.
    pub provider: &'a str,
    /// Why it is no frame.
    pub reason: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// Where such answers are kept.
#[derive(Debug, Clone)]
pub struct RefusedAnswers(StateDir);

/// What a question and its answer are known by.
pub(super) fn key(request: &Request, provider: &str) -> Digest {
    FieldHasher::new("git-merkle 2026 refused/1")
        .field(&request.digest().0)
        .field(provider.as_bytes())
        .finish()
}

impl RefusedAnswers {
    /// The answers that a repository's state holds.
    #[must_use]
    pub fn of(state: &StateDir) -> Self {
        Self(state.folder("log").folder("refused"))
    }

    /// What was refused under a key; `None` for what was not, and for what cannot be believed.
    pub(super) fn find(&self, key: &Digest) -> Option<Kept> {
        self.read(&file_name(key)).map(|(_, kept)| kept)
    }

    /// The newest answer about a path, whatever the question was.
    #[must_use]
    pub fn about(&self, path: &TreePath) -> Option<Kept> {
        let path = line(&path.to_text());
        let newest_first = self.by_age().into_iter().rev();
        newest_first
            .filter_map(|name| self.read(&name))
            .find(|(about, _)| *about == path)
            .map(|(_, kept)| kept)
    }

    /// A file's path and what was kept.
    fn read(&self, name: &str) -> Option<(String, Kept)> {
        let bytes = self.0.read_sealed(name, FILE_BYTES_MAX)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        lines.next().filter(|first| *first == FORMAT)?;
        let mut value = |key| Some(lines.next()?.strip_prefix(key)?.to_owned());
        let (about, provider, reason) = (value("about: ")?, value("by: ")?, value("because: ")?);
        Some((
            about,
            Kept {
                provider,
                reason,
                file: self.0.shown_file(name),
            },
        ))
    }

    /// Keeps an answer, private to the user; where.
    pub(super) fn keep(&self, key: &Digest, answer: &Answer<'_>) -> io::Result<PathBuf> {
        self.0.create()?;
        let (path, provider, reason) = (
            line(&answer.path.to_text()),
            line(answer.provider),
            line(&printable(answer.reason).to_string()),
        );
        let text = answer.text;
        let shown = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        let name = file_name(key);
        let kept = format!("{FORMAT}\nabout: {path}\nby: {provider}\nbecause: {reason}\n\n{shown}");
        self.0.write_sealed(&name, kept.as_bytes())?;
        self.remove_oldest();
        Ok(self.0.shown_file(&name))
    }

    /// Removes files of its own kind beyond the most that are kept.
    fn remove_oldest(&self) {
        let files = self.by_age();
        let surplus = files.len().saturating_sub(FILES_MAX);
        for name in files.into_iter().take(surplus) {
            let _ = self.0.remove(&name);
        }
    }

    /// The files' names, the oldest first.
    fn by_age(&self) -> Vec<String> {
        let names = self
            .0
            .names()
            .unwrap_or_default()
            .into_iter()
            .filter(|name| name.ends_with(SUFFIX));
        let aged = names.filter_map(|name| {
            let modified = self
                .0
                .open(&name, FILE_BYTES_MAX)
                .and_then(|file| file.metadata()?.modified())
                .ok()?;
            Some((modified, name))
        });
        let mut files: Vec<(SystemTime, String)> = aged.collect();
        files.sort();
        files.into_iter().map(|(_, name)| name).collect()
    }
}

/// A value as it stands in a line.
fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn file_name(key: &Digest) -> String {
    let digits = key.to_string();
    format!("{}{SUFFIX}", &digits[..32])
}

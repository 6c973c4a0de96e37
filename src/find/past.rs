//! What the past says about files: the messages of the commits that changed them, ancestors of the snapshot only.
//!
//! A commit is kept under its id as the terms of its message and the paths that it changed; merges, and commits that changed very
//! many files, say nothing about any of them. Trailers and addresses are no words about the change.

use std::collections::HashMap;

use super::term::{self, Term, terms};
use crate::base::NodeId;
use crate::base::codec::{ByteReader, put_number, put_text};
use crate::git::{EntryMode, ObjectError, Repository, diff_trees};
use crate::symbol::Cached;

/// Paths above which a commit says nothing about any of them.
const PATHS_MAX: usize = 40;
/// How much of a message is read, in bytes.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// One commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// Its parents.
    pub parents: Vec<NodeId>,
    /// When it was committed, in seconds since 1970.
    pub seconds: u64,
    /// A digest of the first line of its message.
    pub subject: u32,
    /// The terms of its message with their counts, in order of terms.
    pub terms: Vec<(Term, u8)>,
    /// The files that it changed.
    pub paths: Vec<String>,
}

impl Past {
    /// Reads a commit.
    pub fn read(repo: &Repository, commit: &NodeId) -> Result<Self, ObjectError> {
        let entry = repo.log_entry(commit)?;
        let mut past = Self {
            seconds: entry.seconds,
            subject: subject(&entry.message),
            ..Self::default()
        };
        if let [] | [_] = entry.parents.as_slice() {
            past.terms = message_terms(&entry.message);
            // The first commit of a shallow clone adds everything, and so says nothing either.
            if let Some(parent) = entry.parents.first() {
                past.paths = changed(repo, repo.tree_of(parent)?, entry.tree)?;
            }
        }
        past.parents = entry.parents;
        Ok(past)
    }

    /// How many terms its message has.
    #[must_use]
    pub fn length(&self) -> u32 {
        term::length(&self.terms)
    }

    /// How often a term stands in its message.
    #[must_use]
    pub fn count(&self, term: Term) -> u8 {
        term::count(&self.terms, term)
    }
}

/// A digest of the first line of a message.
#[must_use]
pub fn subject(message: &str) -> u32 {
    let line = message.lines().next().unwrap_or_default().trim();
    line.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

fn message_terms(message: &str) -> Vec<(Term, u8)> {
    let mut counts: HashMap<Term, u8> = HashMap::new();
    let said = &message[..message.floor_char_boundary(MESSAGE_BYTES_MAX)];
    for line in said.lines().filter(|line| !is_trailer(line)) {
        for word in line.split_whitespace().filter(|word| !word.contains("://")) {
            terms(word, |_, term| {
                let count = counts.entry(term).or_default();
                *count = count.saturating_add(1);
            });
        }
    }
    let mut terms: Vec<(Term, u8)> = counts.into_iter().collect();
    terms.sort_unstable();
    terms
}

/// `Signed-off-by: …` and its like.
pub(super) fn is_trailer(line: &str) -> bool {
    let is_key = |key: &str| {
        key.len() > 3
            && key.contains('-')
            && key
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    };
    line.split_once(": ").is_some_and(|(key, _)| is_key(key))
}

/// The files that differ; none when there are too many.
fn changed(repo: &Repository, old: NodeId, new: NodeId) -> Result<Vec<String>, ObjectError> {
    let mut paths = Vec::new();
    diff_trees(repo, Some(old), Some(new), &mut |change| {
        let is_file =
            |side: &Option<(EntryMode, NodeId)>| side.is_some_and(|(mode, _)| mode.is_file());
        if paths.len() <= PATHS_MAX
            && (is_file(&change.new) || is_file(&change.old))
            && let Ok(path) = std::str::from_utf8(change.path.as_bytes())
        {
            paths.push(path.to_owned());
        }
        paths.len() <= PATHS_MAX
    })?;
    if paths.len() > PATHS_MAX {
        paths.clear();
    }
    Ok(paths)
}

impl Cached for Past {
    const FILE_NAME: &'static str = "past";
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.seconds);
        put_number(&mut out, self.subject.into());
        put_number(&mut out, self.parents.len() as u64);
        for parent in &self.parents {
            put_text(&mut out, &parent.to_string());
        }
        put_number(&mut out, self.terms.len() as u64);
        for (term, count) in &self.terms {
            put_number(&mut out, (*term).into());
            out.push(*count);
        }
        put_number(&mut out, self.paths.len() as u64);
        for path in &self.paths {
            put_text(&mut out, path);
        }
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = ByteReader(bytes);
        let (seconds, subject) = (rest.number()?, rest.small()?);
        let parents = (0..rest.number()?)
            .map(|_| rest.text()?.parse().ok())
            .collect::<Option<_>>()?;
        let terms = (0..rest.number()?)
            .map(|_| Some((rest.small()?, rest.byte()?)))
            .collect::<Option<_>>()?;
        let paths = (0..rest.number()?)
            .map(|_| rest.text())
            .collect::<Option<_>>()?;
        rest.0.is_empty().then_some(Self {
            parents,
            seconds,
            subject,
            terms,
            paths,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_read_back_and_every_cut_is_refused() {
        let id = NodeId::from_bytes(&[7; 20]).expect("twenty bytes");
        let terms = message_terms(
            "fix: walk hidden files\n\nSee https://example.com/words\nSigned-off-by: A <a@b>\n",
        );
        let past = Past {
            parents: vec![id],
            seconds: 9,
            subject: subject("x"),
            terms,
            paths: vec!["a/b.rs".to_owned()],
        };
        assert_eq!(past.length(), 5, "the address and the trailer are none");
        let bytes = past.encode();
        assert_eq!(Past::decode(&bytes), Some(past));
        for len in 0..bytes.len() {
            assert_eq!(Past::decode(&bytes[..len]), None, "{len}");
        }
    }
}

//! Who refers to what changed, as it was found before: a review is printed in several forms, by people and by jobs.
//!
//! The answer follows from a tree and from what is looked for in it, so it never gets old. The newest few are kept in one
//! sealed file of the cache; where that cannot be read, the answer is found again.

use crate::base::codec::{ByteReader, put_number, put_text};
use crate::base::hash::FieldHasher;
use crate::base::{Digest, NodeId, TreePath};
use crate::git::StateDir;
use crate::review::{Declaration, Refers};
use crate::symbol::Cached;
use crate::symbol::map::FileSymbols;

/// The file in the directory of caches.
const FILE: &str = "refers";
/// Answers that are kept: both trees of the last reviews.
const ANSWERS_MAX: usize = 16;
/// Bytes of all of them.
const BYTES_MAX: usize = 4 * 1024 * 1024;
/// Raise the number when the same snapshot comes to give other references.
const PURPOSE: &str = "git-merkle 2026 refers/3";

/// What is looked for in a tree: declarations by their files.
pub(super) struct Question(Digest);

impl Question {
    /// The question for these declarations, in order.
    pub(super) fn of<'d>(
        tree: &NodeId,
        wanted: impl Iterator<Item = (&'d TreePath, &'d Declaration)>,
    ) -> Self {
        let mut hasher = FieldHasher::new(PURPOSE);
        hasher.add(&[FileSymbols::VERSION]);
        hasher.add(tree.to_string().as_bytes());
        for (path, declaration) in wanted {
            hasher.add(path.as_bytes());
            hasher.add(declaration.own.as_bytes());
            hasher.add(&declaration.line.to_le_bytes());
        }
        Self(hasher.finish())
    }

    /// The answer that was kept: by the place of each declaration in the question, who refers to it.
    pub(super) fn recall(&self, cache: &StateDir) -> Option<Vec<(usize, Refers)>> {
        let bytes = cache.read_sealed(FILE, BYTES_MAX as u64)?;
        let (_, body) = answers(&bytes).find(|(digest, _)| *digest == self.0)?;
        decode(body)
    }

    /// Keeps an answer before the others. What cannot be written is found again.
    pub(super) fn keep(&self, cache: &StateDir, answer: &[(usize, Refers)]) {
        let Some(body) = encode(answer).filter(|body| body.len() <= BYTES_MAX / 4) else {
            return;
        };
        let known = cache
            .read_sealed(FILE, BYTES_MAX as u64)
            .unwrap_or_default();
        let mut out = Vec::new();
        put_answer(&mut out, &self.0, &body);
        let others = answers(&known).filter(|(digest, _)| *digest != self.0);
        for (digest, body) in others.take(ANSWERS_MAX - 1) {
            if out.len() + body.len() + 64 > BYTES_MAX {
                break;
            }
            put_answer(&mut out, &digest, body);
        }
        let _ = cache.keep(FILE, &out);
    }
}

fn put_answer(out: &mut Vec<u8>, digest: &Digest, body: &[u8]) {
    out.extend(digest.0);
    put_number(out, body.len() as u64);
    out.extend(body);
}

/// The answers of a file, newest first, up to the first that is cut off.
fn answers(bytes: &[u8]) -> impl Iterator<Item = (Digest, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (digest, behind) = rest.split_first_chunk::<32>()?;
        let mut reader = ByteReader(behind);
        let length = reader.size()?;
        let (body, behind) = reader.0.split_at_checked(length)?;
        rest = behind;
        Some((Digest(*digest), body))
    })
}

/// `None` where a path is not UTF-8: such answers are not kept.
fn encode(answer: &[(usize, Refers)]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    put_number(&mut out, answer.len() as u64);
    for (place, refers) in answer {
        put_number(&mut out, *place as u64);
        put_number(&mut out, refers.tests as u64);
        put_number(&mut out, refers.files.len() as u64);
        for path in &refers.files {
            put_text(&mut out, std::str::from_utf8(path.as_bytes()).ok()?);
        }
    }
    Some(out)
}

fn decode(bytes: &[u8]) -> Option<Vec<(usize, Refers)>> {
    let mut reader = ByteReader(bytes);
    let number = |reader: &mut ByteReader<'_>| usize::try_from(reader.number()?).ok();
    let mut answer = Vec::new();
    for _ in 0..number(&mut reader)? {
        let (place, tests) = (number(&mut reader)?, number(&mut reader)?);
        let mut files = Vec::new();
        for _ in 0..number(&mut reader)? {
            files.push(TreePath::new(reader.text()?));
        }
        answer.push((place, Refers { files, tests }));
    }
    reader.0.is_empty().then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_read_back_and_what_is_cut_off_is_none() {
        let answer = vec![
            (0, Refers::default()),
            (
                7,
                Refers {
                    files: vec![TreePath::new("src/a.rs"), TreePath::new("b")],
                    tests: 300,
                },
            ),
        ];
        let body = encode(&answer).expect("paths are UTF-8");
        assert_eq!(decode(&body), Some(answer));
        for end in 0..body.len() {
            assert_eq!(decode(&body[..end]), None);
        }
        let mut file = Vec::new();
        put_answer(&mut file, &Digest([1; 32]), &body);
        put_answer(&mut file, &Digest([2; 32]), b"");
        let whole: Vec<_> = answers(&file).map(|(digest, _)| digest).collect();
        assert_eq!(whole, [Digest([1; 32]), Digest([2; 32])]);
        assert_eq!(answers(&file[..file.len() - 1]).count(), 1);
    }
}

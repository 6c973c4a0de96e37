//! Blocks on all cores: bodies are read and fenced ahead in batches and written in order.
//!
//! Each thread has a repository handle of its own and takes every n-th batch. A batch is about a megabyte, and each
//! thread has at most one finished batch waiting, so memory is bounded by the largest file and not by their number.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};

use super::body::Reader;
use super::budget::{Form, Level};
use super::counted::{Counted, Part};
use super::outlined::Outlined;
use super::resource::{Body, Resource};
use super::secrets::{Guard, SecretsFound};
use super::style::Markup;
use crate::base::NodeId;
use crate::base::cores::{beside, cores};
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::number::to_index;
use crate::base::token::{self, Sample};
use crate::frame::StoreError;
use crate::frame::manifest::AttestedStatements;
use crate::git::Repository;
use crate::secret::{SecretFound, redact};

/// Bytes of content in a batch, and resources in one.
const BATCH_BYTES: u64 = 1 << 20;
const BATCH_RESOURCES_MAX: usize = 256;
/// What a frame is taken to be long.
const FRAME_BYTES: u64 = 4 << 10;

/// The resources of a document and how much of each is shown.
pub struct Blocks<'d> {
    /// Where objects are read; threads have a handle of their own.
    pub repo: &'d Repository,
    /// What is shown, and how.
    pub shown: ShownBlocks<'d>,
}

/// What threads share.
#[derive(Clone, Copy)]
pub struct ShownBlocks<'d> {
    /// The commit of the store that frames are read from.
    pub store_commit: Option<NodeId>,
    /// What is shown.
    pub resources: &'d [Resource],
    /// How each is shown; empty for all of all.
    pub forms: &'d [Form],
    /// Resources that are shown without their secrets.
    pub redacted: Option<(&'d Guard<'d>, &'d SecretsFound)>,
    /// Outlines that are known.
    pub outlined: &'d Outlined,
    /// What signatures say.
    pub attested: &'d AttestedStatements,
    /// How each is marked up.
    pub style: Markup,
}

impl Blocks<'_> {
    fn form(&self, at: usize) -> Form {
        form_of(self.shown.forms, at)
    }

    /// About how many bytes each resource has.
    pub fn sizes(&self) -> io::Result<Vec<u64>> {
        self.map(&|reader, at| Ok(reader.size_bytes(&self.shown.resources[at])))
    }

    /// Writes all blocks in order.
    pub fn write(&self, out: &mut Counted<'_>, sizes: &[u64]) -> io::Result<()> {
        let batches = batches(sizes);
        let (threads, sample) = (cores().min(batches.len()), out.sample());
        if threads <= 1 {
            let mut reader = self.reader()?;
            return batches.iter().try_for_each(|batch| {
                out.write_part(&self.render(batch.clone(), &mut reader, sample))
            });
        }
        std::thread::scope(|scope| {
            let batches = &batches;
            let finished: Vec<Option<Receiver<io::Result<Part>>>> = (0..threads)
                .map(|first| {
                    let (sender, receiver) = sync_channel(1);
                    let (repo, shown) = (self.repo.fork(), self.shown);
                    let work = move || {
                        let blocks = Blocks { repo: &repo, shown };
                        let mut reader = blocks.reader();
                        for batch in batches.iter().skip(first).step_by(threads) {
                            let part = match &mut reader {
                                Ok(reader) => Ok(blocks.render(batch.clone(), reader, sample)),
                                Err(error) => Err(io::Error::other(error.to_string())),
                            };
                            if sender.send(part).is_err() {
                                // The reader of the document has gone.
                                return;
                            }
                        }
                    };
                    std::thread::Builder::new()
                        .spawn_scoped(scope, work)
                        .is_ok()
                        .then_some(receiver)
                })
                .collect();
            // Reads what would have been the part of a thread that the system did not give.
            let mut own: Option<Reader<'_>> = None;
            for (at, batch) in batches.iter().enumerate() {
                let part = match (&finished[at % threads], &mut own) {
                    (Some(thread), _) => thread
                        .recv()
                        .map_err(|_| io::Error::other("a reading thread ended early"))??,
                    (None, Some(reader)) => self.render(batch.clone(), reader, sample),
                    (None, own) => self.render(batch.clone(), own.insert(self.reader()?), sample),
                };
                out.write_part(&part)?;
            }
            Ok(())
        })
    }

    /// The tokens of each block at a level; `None` where there is no such level.
    pub fn measure(&self, level: Level) -> io::Result<Vec<Option<u64>>> {
        self.map(&|reader, at| {
            let mut block = Vec::new();
            let exists = reader.push_block(&mut block, &self.shown.resources[at], level.into());
            Ok(exists.then(|| token::estimate(&String::from_utf8_lossy(&block))))
        })
    }

    /// All bodies as far as they are shown, or why they are not, as Markdown on one line each.
    pub fn bodies(&self) -> io::Result<Vec<Result<String, String>>> {
        let (redacted, forms) = (self.shown.redacted, self.shown.forms);
        self.map(&|reader, at| {
            let body = reader.body(&self.shown.resources[at], form_of(forms, at));
            let Some((guard, _)) = redacted_at(redacted, at) else {
                return Ok(body);
            };
            let shown = |text: String| {
                redact(&text, guard.scanner, &guard.allowed)
                    .text
                    .into_owned()
            };
            Ok(body.map(shown).map_err(shown))
        })
    }

    /// Why bodies are not shown; `None` for those that are.
    pub fn withheld(&self) -> io::Result<Vec<Option<String>>> {
        self.map(&|reader, at| {
            Ok(reader
                .body(&self.shown.resources[at], Level::Full.into())
                .err())
        })
    }

    /// Why resources cannot be shown at all; `None` for those that can, and for those that are shown as what they are: a
    /// link, a binary file.
    pub fn missing(&self) -> io::Result<Vec<Option<String>>> {
        self.map(&|reader, at| Ok(reader.missing(&self.shown.resources[at])))
    }

    /// What looks like a secret in each block, and the objects in which there is nothing of the kind.
    pub fn find_secrets(
        &self,
        guard: &Guard<'_>,
    ) -> io::Result<(BTreeMap<usize, SecretFound>, Vec<NodeId>)> {
        let (resources, forms) = (self.shown.resources, self.shown.forms);
        let all = self
            .map(&|reader, at| Ok(reader.find_secret(&resources[at], form_of(forms, at), guard)))?;
        let (mut found, mut clean) = (BTreeMap::new(), Vec::new());
        for (at, (secret, id)) in all.into_iter().enumerate() {
            found.extend(secret.map(|secret| (at, secret)));
            clean.extend(id);
        }
        Ok((found, clean))
    }

    /// Does something for each resource on all cores; the results stand in the order of the resources.
    fn map<T: Send>(
        &self,
        each: &(dyn Fn(&mut Reader<'_>, usize) -> io::Result<T> + Sync),
    ) -> io::Result<Vec<T>> {
        let (count, threads, shown) = (self.shown.resources.len(), cores(), self.shown);
        let part = count.div_ceil(threads).max(BATCH_RESOURCES_MAX);
        let run = |repo: &Repository, range: Range<usize>| -> io::Result<Vec<T>> {
            let blocks = Blocks { repo, shown };
            let mut reader = blocks.reader()?;
            range.map(|at| each(&mut reader, at)).collect()
        };
        if count <= part {
            return run(self.repo, 0..count);
        }
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..count)
                .step_by(part)
                .map(|start| {
                    let (repo, run) = (self.repo.fork(), &run);
                    beside(scope, move || run(&repo, start..count.min(start + part)))
                })
                .collect();
            let mut all = Vec::with_capacity(count);
            for handle in handles {
                all.extend(handle.join()?);
            }
            Ok(all)
        })
    }

    fn reader(&self) -> io::Result<Reader<'_>> {
        Reader::new(
            self.repo,
            self.shown.store_commit,
            self.shown.outlined,
            self.shown.attested,
            self.shown.style,
        )
        .map_err(|error: StoreError| io::Error::other(error))
    }

    fn render<'a>(
        &'a self,
        batch: Range<usize>,
        reader: &mut Reader<'a>,
        sample: Option<Sample>,
    ) -> Part {
        let mut out = Vec::with_capacity(to_index(BATCH_BYTES));
        for at in batch {
            match redacted_at(self.shown.redacted, at) {
                Some((guard, _)) => {
                    reader.push_redacted(&mut out, &self.shown.resources[at], self.form(at), guard);
                }
                None => drop(reader.push_block(&mut out, &self.shown.resources[at], self.form(at))),
            }
        }
        Part::new(out, sample)
    }
}

impl Reader<'_> {
    /// About how many bytes a resource has.
    fn size_bytes(&self, resource: &Resource) -> u64 {
        match &resource.body {
            Body::File(id) => self
                .file_bytes(id)
                .filter(|bytes| *bytes <= FILE_BYTES_MAX)
                .unwrap_or(0),
            Body::Frame(..) => FRAME_BYTES,
            Body::Page(shown) => shown.text.len() as u64,
            Body::Outline(text) => text.len() as u64,
            Body::Part(part) => part.text.len() as u64,
            Body::Symlink(_) | Body::Submodule(_) | Body::Refused(_) => 0,
        }
    }
}

/// What a resource is shown without, if something was found in its body.
fn redacted_at<'d>(
    redacted: Option<(&'d Guard<'d>, &'d SecretsFound)>,
    at: usize,
) -> Option<(&'d Guard<'d>, &'d SecretsFound)> {
    redacted.filter(|(_, found)| found.bodies.contains_key(&at))
}

fn form_of(forms: &[Form], at: usize) -> Form {
    forms.get(at).copied().unwrap_or(Level::Full.into())
}

/// Cuts the resources into stretches of about [`BATCH_BYTES`].
fn batches(sizes: &[u64]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, size) in sizes.iter().enumerate() {
        if at > start && (bytes + size > BATCH_BYTES || at - start == BATCH_RESOURCES_MAX) {
            batches.push(start..at);
            (start, bytes) = (at, 0);
        }
        bytes += size;
    }
    if start < sizes.len() {
        batches.push(start..sizes.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_small_and_leave_nothing_out() {
        let big = BATCH_BYTES * 5;
        assert!(batches(&[]).is_empty());
        assert_eq!(batches(&[1, 2, big, 1, 1]), [0..2, 2..3, 3..5]);
        let many = batches(&[0; 1_000]);
        assert_eq!((many.len(), many[3].clone()), (4, 768..1_000));
    }
}

//! Does everything that an answer says, in memory: what each file was, and what it becomes.
//!
//! Files move first, then they change, then they go. All passages of a file are found in the file as it is, whatever
//! order they stand in, so that each says what it was shown.

use std::collections::{BTreeMap, BTreeSet};

use super::{Act, Demand, Misfit, Passage, Wrong, fit};
use crate::base::TreePath;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::path::quote;
use crate::git::{Unreachable, WorkChange, WorkFile};

/// What a file is: on the disk, and after what was done so far.
struct State {
    before: Option<WorkFile>,
    after: Option<WorkFile>,
    /// The line of the answer that speaks of it first.
    line: usize,
}

type Read<'r> = dyn Fn(&TreePath) -> Result<Option<WorkFile>, Unreachable> + 'r;

/// What changes when an answer is applied to the files that `read` knows.
pub fn plan(wanted: &[Demand], read: &Read<'_>) -> Result<Vec<WorkChange>, Vec<Misfit>> {
    let mut planner = Planner {
        read,
        files: BTreeMap::new(),
        misfits: Vec::new(),
    };
    planner.check_once(wanted);
    let is_move = |wanted: &&Demand| matches!(wanted.act, Act::Rename(_));
    let is_end = |wanted: &&Demand| matches!(wanted.act, Act::Delete);
    let changes = wanted
        .iter()
        .filter(|wanted| !is_move(wanted) && !is_end(wanted));
    wanted
        .iter()
        .filter(is_move)
        .for_each(|wanted| planner.act(wanted));
    let mut passages: BTreeMap<&TreePath, (usize, Vec<Passage>)> = BTreeMap::new();
    for wanted in changes {
        if let Act::Edit(more) = &wanted.act {
            let (_, all) = passages
                .entry(&wanted.path)
                .or_insert((wanted.line, Vec::new()));
            all.extend_from_slice(more);
        } else {
            planner.act(wanted);
        }
    }
    for (path, (line, passages)) in passages {
        planner.act(&Demand {
            path: path.clone(),
            line,
            act: Act::Edit(passages),
        });
    }
    wanted
        .iter()
        .filter(is_end)
        .for_each(|wanted| planner.act(wanted));
    planner.check_folders();
    planner.finish()
}

struct Planner<'r> {
    read: &'r Read<'r>,
    files: BTreeMap<TreePath, State>,
    misfits: Vec<Misfit>,
}

impl Planner<'_> {
    fn act(&mut self, wanted: &Demand) {
        if let Err(misfits) = self.done(wanted) {
            self.misfits
                .extend(misfits.into_iter().map(|misfit| Misfit {
                    path: misfit.path.or_else(|| Some(wanted.path.clone())),
                    ..misfit
                }));
        }
    }

    fn done(&mut self, wanted: &Demand) -> Result<(), Vec<Misfit>> {
        let wrong = |wrong: Wrong| {
            vec![Misfit {
                path: None,
                place: None,
                line: wanted.line,
                wrong,
            }]
        };
        let there = self.state(wanted).map_err(&wrong)?.after.clone();
        let becomes = match (&wanted.act, there) {
            (Act::Create(_), Some(_)) => return Err(wrong(Wrong::Exists)),
            (Act::Whole(text), there) => {
                let bytes = fit::whole(there.as_ref().map(|file| &file.bytes[..]), text);
                Some(with_bytes(there, bytes))
            }
            (Act::Create(passages), None) => Some(with_bytes(None, fit::fit(b"", passages)?)),
            (_, None) => return Err(wrong(Wrong::Absent)),
            (Act::Edit(passages), Some(file)) => {
                let bytes = fit::fit(&file.bytes, passages)?;
                Some(with_bytes(Some(file), bytes))
            }
            (Act::Empty(passages), Some(file)) => {
                if !fit::fit(&file.bytes, passages)?.is_empty() {
                    return Err(wrong(Wrong::Left));
                }
                None
            }
            (Act::Mode(is_executable), Some(file)) => Some(with_mode(file, *is_executable)),
            (Act::Delete, Some(_)) => None,
            (Act::Rename(to), Some(file)) => {
                let moved = Demand {
                    path: to.clone(),
                    ..wanted.clone()
                };
                let place = self.state(&moved).map_err(|fault| misfit(&moved, fault))?;
                if place.after.is_some() {
                    return Err(misfit(&moved, Wrong::Exists));
                }
                place.after = Some(file);
                None
            }
        };
        let is_large = |file: &WorkFile| file.bytes.len() as u64 > FILE_BYTES_MAX;
        if becomes.as_ref().is_some_and(is_large) {
            return Err(wrong(Wrong::Large));
        }
        self.state(wanted).map_err(wrong)?.after = becomes;
        Ok(())
    }

    fn state(&mut self, wanted: &Demand) -> Result<&mut State, Wrong> {
        if !self.files.contains_key(&wanted.path) {
            let before = (self.read)(&wanted.path)?;
            let state = State {
                after: before.clone(),
                before,
                line: wanted.line,
            };
            self.files.insert(wanted.path.clone(), state);
        }
        Ok(self
            .files
            .get_mut(&wanted.path)
            .expect("it was just put there"))
    }

    /// What says all of a file stands alone: a second word about it would win or lose by its place.
    fn check_once(&mut self, wanted: &[Demand]) {
        let mut said: BTreeMap<&TreePath, bool> = BTreeMap::new();
        for one in wanted {
            let is_whole = match one.act {
                Act::Mode(_) | Act::Rename(_) => continue,
                Act::Edit(_) => false,
                Act::Whole(_) | Act::Create(_) | Act::Empty(_) | Act::Delete => true,
            };
            let before = said.insert(&one.path, is_whole);
            if before.is_some_and(|was_whole| was_whole || is_whole) {
                self.misfits.extend(misfit(one, Wrong::Twice));
            }
        }
    }

    /// No file may stand where another one needs a folder.
    fn check_folders(&mut self) {
        let files: BTreeSet<&TreePath> = self
            .files
            .iter()
            .filter(|(_, state)| state.after.is_some())
            .map(|(path, _)| path)
            .collect();
        for path in &files {
            let mut above = std::iter::successors(path.parent(), TreePath::parent);
            if let Some(folder) = above.find(|folder| files.contains(folder)) {
                self.misfits.push(Misfit {
                    path: Some((*path).clone()),
                    place: None,
                    line: self.files[*path].line,
                    wrong: Wrong::Folder(quote(folder.as_bytes(), false)),
                });
            }
        }
    }

    fn finish(self) -> Result<Vec<WorkChange>, Vec<Misfit>> {
        if !self.misfits.is_empty() {
            return Err(self.misfits);
        }
        let changed = self
            .files
            .into_iter()
            .filter(|(_, state)| state.before != state.after);
        Ok(changed
            .map(|(path, State { before, after, .. })| WorkChange {
                path,
                before,
                after,
            })
            .collect())
    }
}

fn misfit(wanted: &Demand, wrong: Wrong) -> Vec<Misfit> {
    vec![Misfit {
        path: Some(wanted.path.clone()),
        place: None,
        line: wanted.line,
        wrong,
    }]
}

/// A file with other bytes: its own permissions, or those of a new one.
fn with_bytes(file: Option<WorkFile>, bytes: Vec<u8>) -> WorkFile {
    match file {
        Some(file) => WorkFile { bytes, ..file },
        None => WorkFile {
            bytes,
            mode: None,
            is_executable: false,
        },
    }
}

/// A file that can be run, or not: by those who may read it, as `git checkout` does it.
fn with_mode(file: WorkFile, is_executable: bool) -> WorkFile {
    let mode = file.mode.map(|mode| {
        if is_executable {
            mode | (mode & 0o444) >> 2
        } else {
            mode & !0o111
        }
    });
    WorkFile {
        mode,
        is_executable,
        ..file
    }
}

//! What people say side by side: of each author, and about each path, the last statement that was not ended.
//!
//! A slot of a node holds what all of them say. Generations put these in an order within one clone; in another one the same
//! author may have said less, and so has lower ones. Therefore of one author the later statement counts, by the time that it
//! states, and of two of one second the higher generation.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::model::{BasisKind, Frame, Head, Slot};
use crate::base::TreePath;

/// A person who speaks in a slot; no author means all of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Voice {
    /// Where.
    pub slot: Slot,
    /// Who, by the mail address where there is one.
    pub author: Option<String>,
}

impl Voice {
    /// The one who made a frame by hand.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        // Frames without an author, of an older program, have one voice.
        Self::new(frame.slot(), &frame.author().unwrap_or_default())
    }

    /// The one whose name and mail address a header has.
    #[must_use]
    pub fn new(slot: Slot, author: &str) -> Self {
        let mail = author
            .rsplit_once('<')
            .map(|(_, mail)| mail.trim_end_matches('>').to_lowercase())
            .filter(|mail| !mail.is_empty());
        Self {
            slot,
            author: Some(mail.unwrap_or_else(|| author.to_owned())),
        }
    }

    /// Everyone who speaks in the same slot.
    #[must_use]
    pub fn of_all(&self) -> Self {
        Self {
            slot: self.slot.clone(),
            author: None,
        }
    }
}

/// What people say about a node, side by side.
#[derive(Debug, Default)]
pub struct Voices {
    /// What each said last about each path, where that was not ended, by agent and type, newest first.
    pub heads: Vec<Head>,
    /// Whose statements were all ended, whatever path they are about.
    ended: HashSet<Voice>,
}

impl Voices {
    /// What the one who spoke last says in a slot, and has not retracted.
    #[must_use]
    pub fn stands(&self, slot: &Slot) -> Option<&Head> {
        self.heads.iter().find(|head| {
            (&head.frame.agent, &head.frame.frame_type) == (&slot.agent, &slot.frame_type)
        })
    }

    /// Whether all that people said in a slot was declared void.
    #[must_use]
    pub fn is_void(&self, slot: &Slot) -> bool {
        let all = Voice {
            slot: slot.clone(),
            author: None,
        };
        self.ended.contains(&all)
    }

    /// Adds what stands of a slot: the frames that people made, in any order.
    pub(super) fn add(&mut self, mut frames: Vec<Frame>, seq_max: u32) {
        newest_first(&mut frames);
        let mut silent = Silent::default();
        for frame in frames {
            if silent.hears(&frame, frame.path.as_ref()) {
                self.heads.push(Head {
                    frame,
                    invalidated: false,
                    seq_max,
                });
            }
        }
        self.ended.extend(silent.all);
    }
}

/// Sorts what people said of a node: the latest first.
pub fn newest_first(frames: &mut [Frame]) {
    frames.sort_by_cached_key(|frame| Reverse((frame.created.clone(), frame.seq, frame.id)));
}

/// Whose older statements do not count any more, on the way from the newest to the oldest.
#[derive(Debug, Default, Clone)]
pub struct Silent {
    /// About one path; about any without one.
    of_path: HashSet<(Voice, Option<TreePath>)>,
    /// About one path or more.
    some: HashSet<Voice>,
    /// All in a slot.
    all: HashSet<Voice>,
}

impl Silent {
    /// Whether a statement counts beside newer ones under the path that it counts for. From then on its author is silent about
    /// that, or all are whom it ends.
    pub fn hears(&mut self, frame: &Frame, path: Option<&TreePath>) -> bool {
        let voice = Voice::of(frame);
        if frame.basis_kind == BasisKind::Invalidation && frame.author().is_none() {
            self.all.insert(voice.of_all());
            return false;
        }
        let spoke = match path {
            Some(_) => self.of_path.contains(&(voice.clone(), None)),
            None => self.some.contains(&voice),
        };
        let is_silent = spoke || self.all.contains(&voice.of_all());
        self.some.insert(voice.clone());
        let is_new = self.of_path.insert((voice, path.cloned()));
        is_new && !is_silent && frame.basis_kind == BasisKind::Written
    }
}

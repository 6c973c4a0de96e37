//! A frame that may be shown: where it comes from, and how it stands to its node today.

use std::fmt;
use std::str::FromStr;

use crate::base::TreePath;
use crate::frame::Frame;

/// A frame that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameCandidate {
    /// The frame.
    pub frame: Frame,
    /// How it stands to its node today.
    pub state: FrameState,
    /// Where it comes from.
    pub source: FrameSource,
    /// Where its node stands in the snapshot, when that is known.
    pub path: Option<TreePath>,
    /// Steps from the node that the view is of, up and down through directories.
    pub distance: u32,
}

/// Where a candidate comes from; the order is that of nearness, for a frame that comes from several.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FrameSource {
    /// The node itself.
    Node,
    /// The directory that it stands in.
    Parent,
    /// The other entries of that directory.
    Siblings,
    /// A node that was named.
    Related(TreePath),
}

impl FrameSource {
    /// The word for it in options and JSON.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Parent => "parent",
            Self::Siblings => "siblings",
            Self::Related(_) => "related",
        }
    }
}

/// How a frame stands to its node today, as the caller that gathers it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameState {
    /// The head, made from what there is today.
    Fresh,
    /// The head, made from something that has changed since.
    Outdated,
    /// The head, taken back.
    Invalidated,
    /// Not the head: its agent has said something newer of this type.
    Superseded,
    /// A person said it about an earlier content of the path, and has not ended it.
    Carried,
}

impl FromStr for FrameState {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .iter()
            .find(|(_, word)| *word == text)
            .map(|(state, _)| *state)
            .ok_or(())
    }
}

impl fmt::Display for FrameState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, word) = Self::ALL
            .iter()
            .find(|(state, _)| state == self)
            .expect("every state is listed");
        f.write_str(word)
    }
}

impl FrameState {
    /// Every state with its word.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Fresh, "fresh"),
        (Self::Outdated, "outdated"),
        (Self::Invalidated, "invalidated"),
        (Self::Superseded, "superseded"),
        (Self::Carried, "carried"),
    ];
}

//! Why a frame is to be made.

use std::fmt;

/// The reason why a (node, agent, type) is not fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// There is no frame, and none of what stood at the path before.
    Missing,
    /// There is none of what stands at the path now: the agent spoke of what stood there before.
    Changed,
    /// The agent's instructions, or what else it reads of the node, are not those that the head was made from.
    Instructions,
    /// A directory's children have come, gone, or say something else.
    Children,
    /// A child is to be made first; whether the directory changes shows then.
    Waiting,
    /// The head was declared void.
    Invalidated,
    /// Requested explicitly.
    Forced,
    /// The head does not say what is made from the same inputs.
    Forged,
}

impl Reason {
    /// The word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Instructions => "instructions",
            Self::Children => "children",
            Self::Waiting => "waiting",
            Self::Invalidated => "invalidated",
            Self::Forced => "forced",
            Self::Forged => "forged",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "no frame yet",
            Self::Changed => "it has changed since it was described",
            Self::Instructions => "made from other instructions",
            Self::Children => "its children say something else now",
            Self::Waiting => "a child is to be made first",
            Self::Invalidated => "it was invalidated",
            Self::Forced => "asked for with --force",
            Self::Forged => "it does not say what is made from the same inputs",
        })
    }
}

//! Choice: which frames a reader sees of a node and its surroundings, in which order, and how much of each.
//!
//! A view is a policy; composing it is a pure function of the candidates and the policy, whatever order the
//! candidates come in. Nothing is stored and nothing is written. Only [`gather()`] reads the repository.
//!
//! | step | decides | where |
//! |---|---|---|
//! | gather | candidates: every frame of the node itself, the heads of the nodes that the sources name | [`gather()`] |
//! | filter | type, agent, age, basis kind, state; AND-ed | [`policy`] |
//! | order | one number per candidate, larger first; then generation and frame id, larger first | [`policy`], [`relevance`] |
//! | cap | at most [`ContextView::frames_max`] | [`compose()`] |
//! | fit | whole bodies, then first sections, within a number of tokens | [`fit()`] |
//!
//! Start with [`ContextView`] and [`compose()`].

pub mod candidate;
pub mod compose;
pub mod fit;
pub mod gather;
pub mod place;
pub mod policy;
pub mod relevance;

pub use candidate::{FrameCandidate, FrameSource, FrameState};
pub use compose::{View, compose};
pub use fit::{FittedFrame, first_section, fit};
pub use gather::{FrameChoices, Subject, gather};
pub use place::{Extent, LocatedNode};
pub use policy::{ContextView, FRAMES_MAX, FrameFilter, FrameOrder, FrameRank, Orders};

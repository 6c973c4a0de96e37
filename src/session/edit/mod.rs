//! The edit protocol: what an answer says about files, read from its Markdown, and fitted to the files that there are.
//!
//! Pure: text and bytes in, bytes or misfits out. Decision 53 says which forms are accepted and why; the prompt that asks
//! for them is `prompt/system.md`.
//!
//! | an answer says | read by | becomes |
//! |---|---|---|
//! | a path, and a fenced block under it | [`answer`] | [`Act::Whole`] |
//! | a path, and edit blocks in a fence: `<<<<<<< EDIT`, `=======`, `>>>>>>> REPLACE` | [`block`] | [`Act::Edit`] |
//! | a unified diff in a fence | [`diff`] | [`Act::Edit`], [`Act::Create`], [`Act::Empty`], [`Act::Mode`] |
//! | ``- delete `path` `` or ``- rename `path` to `path` `` | [`answer`] | [`Act::Delete`], [`Act::Rename`] |
//!
//! [`demand`] has the values; [`fit`] finds where an edit or a hunk goes; [`plan()`] does everything that an answer says, in memory.

pub mod answer;
pub mod block;
pub mod demand;
pub mod diff;
pub mod fit;
pub mod misfit;
pub mod plan;

pub use answer::Reading;
pub use demand::{Act, Demand, Passage, Row};
pub use misfit::{Misfit, Where, Wrong};
pub use plan::plan;

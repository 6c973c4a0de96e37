//! Work: sessions, in which turns of planning, generating, reviewing and revising follow one another.
//!
//! Owns the files of a session, the order of its phases, what is said in a turn beside the payload `input.md`, what a
//! review's verdict is, the report of a turn and the history of all of them, and the steps of a turn, each of which can be
//! killed and run again. Files are the truth: a person with an editor can do every step, and what a kill left half done
//! is done by the next command. Only [`answer`] asks a model, and only for `turn run`.
//!
//! | step | what | where |
//! |---|---|---|
//! | name | sessions and turns | [`name`] |
//! | find | what there is, what comes next | [`folder`], [`flow`] |
//! | open | one session, for changing it | [`open`] |
//! | step | begin a turn, take its answer, judge it | [`turn`] |
//! | say | the world of a turn, built in one place, and its renderings | [`gather`], [`world`], [`question`], [`tiers`] |
//! | | its task, and what of earlier turns is said again | [`task`], [`conversation`] |
//! | look | what would be sent | [`preview`] |
//! | hear | the answer, a review's verdict | [`answer`], [`record`], [`verdict`] |
//! | keep | the report, the history | [`report`], [`history`] |
//!
//! Start with [`folder::SessionFolder`] and [`flow::next`].

pub mod answer;
pub mod apply;
pub mod conversation;
pub mod edit;
pub mod flow;
pub mod folder;
pub mod gather;
pub mod history;
pub mod name;
pub mod open;
pub mod preview;
pub mod question;
pub mod record;
pub mod report;
pub mod summary;
pub mod task;
pub mod tiers;
pub mod turn;
mod turn_error;
pub mod verdict;
pub mod world;

pub use answer::{Decision, Listener};
pub use flow::Next;
pub use folder::{SessionError, SessionFolder};
pub use name::{SessionName, TurnNumber};
pub use open::{ChoiceError, OpenSession};
pub use preview::{Preview, PreviewOptions};
pub use question::{Addressee, Question, TurnAsking, Words};
pub use record::{AnswerRecord, Charged, Closed, SessionLimits, SessionRecord, Status, TurnRecord};
pub use summary::DueSummary;
pub use tiers::Placed;
pub use turn::{Judgement, TurnOptions};
pub use turn_error::TurnError;
pub use verdict::Verdict;
pub use world::World;

//! Work: sessions, in which turns of planning, generating, reviewing and revising follow one another.
//!
//! Owns the files of a session, the order of its phases, what is said in a turn beside the payload `input.md`, what a
//! review's verdict is, the report of a turn and the history of all of them. Files are the truth: a person with an editor
//! can do every step, and what a kill left half done is done by the next command. Nothing is sent from here.
//!
//! | step | what | where |
//! |---|---|---|
//! | name | sessions and turns | [`name`] |
//! | find | what there is, what comes next | [`folder`], [`flow`] |
//! | say | the bundle of a turn | [`words`] |
//! | hear | the answer, a review's verdict | [`record`], [`verdict`] |
//! | keep | the report, the history | [`report`], [`history`] |
//!
//! Start with [`folder::SessionFolder`] and [`flow::next`].

pub mod flow;
pub mod folder;
pub mod history;
pub mod name;
pub mod record;
pub mod report;
pub mod verdict;
pub mod words;

pub use flow::Next;
pub use folder::{SessionError, SessionFolder};
pub use name::{SessionName, TurnNumber};
pub use record::{Answered, Charged, Closed, SessionLimits, SessionRecord, Status, TurnRecord};
pub use verdict::Verdict;

//! Words: `input.md`, the complete view of the world for one turn, as one Markdown document.
//!
//! Owns context lists and their precedence, what an entry of a list stands for, and the document's bytes. The same
//! state of the repository gives the same bytes on every machine, section 1 apart. Nothing is dropped silently:
//! what is not shown keeps its header and a reason. What entries name is found inside git trees only.
//!
//! | step | what | where |
//! |---|---|---|
//! | read | lists by scope: turn, session, global | [`scope`], [`people`] |
//! | resolve | entries to resources, each once | [`resource`], [`pattern`], [`tree`] |
//! | ask | pages of the web, from the caller that fetches them | [`pages`] |
//! | plan | sizes, warnings, and with a budget how much of each | [`document`], [`budget`], [`structure`] |
//! | default | what is shown where nothing is listed | [`overview`] |
//! | guard | what looks like a secret, before anything is written | [`secrets`] |
//! | write | sections in order, bodies read ahead and counted on all cores | [`render`], [`body`], [`style`], [`counted`] |
//!
//! Memory does not grow with the bytes of the resources, a bounded number of pages apart. Start with [`Document::plan`].

pub mod body;
pub mod budget;
pub mod counted;
pub mod document;
mod fill;
pub mod markdown;
mod outlined;
pub mod overview;
pub mod pages;
pub mod pattern;
pub mod people;
pub mod render;
pub mod resource;
pub mod scope;
pub mod secrets;
pub mod structure;
pub mod style;
pub mod system;
pub mod tree;

pub use document::{Accepted, ContextError, Document, DocumentRequest};
pub use people::PeopleFiles;
pub use scope::{List, Scope};
pub use style::Markup;
pub use system::System;

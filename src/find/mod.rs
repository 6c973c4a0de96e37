//! Questions to definitions: which files and which parts of them matter for a question, in few tokens.
//!
//! Owns the terms of texts, what is kept of each object to be searched ([`Words`], [`Definitions`]) and of each commit
//! ([`Past`]), the rank of files, and the answer that grows with its budget. Everything is derived and pure: the same
//! snapshot and question give the same answer on every machine. Must never ask a model, nor reach for the network.
//!
//! Start with [`read()`], [`rank()`] and [`Ladder`].

mod definition;
mod document;
mod draft;
mod index;
mod ladder;
mod name;
mod past;
mod phrase;
mod postings;
mod question;
mod rank;
mod reading;
mod region;
pub mod score;
mod sequence;
mod stem;
mod term;
pub mod truth;
mod words;

pub use definition::{Definition, DefinitionNumber, Definitions};
pub use document::{path_terms, read, words_of};
pub use draft::IndexDraft;
pub use index::{IndexBytes, IndexFile, IndexStamp, IndexedFile, IndexedTree, WordIndex};
pub use ladder::{Hit, Ladder, Line, Steps};
pub use name::{Mentions, Name, NameUse, NamingFile};
pub use past::{Past, subject};
pub use phrase::{PhraseFit, Phrases};
pub use postings::{COUNTS, CandidateNumber, TermCounts};
pub use question::Query;
pub use rank::{Occurrences, Ranked, Searched, Terms, Weights, add_looked_into, rank};
pub use reading::ContentReading;
pub use region::{FIELDS, Field};
pub use sequence::PhraseWord;
pub use term::Term;
pub use words::{Hits, Words};

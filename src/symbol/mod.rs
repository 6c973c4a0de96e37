//! Symbols: what a file declares, read from its text with a grammar of its language. The only home of tree-sitter.
//!
//! Owns the table of languages, the walk from text to [`Outline`] (it enters function bodies only for fields that
//! constructors set, for tests and for uses), the Markdown that an outline frame says, the bytes of an outline and their cache by object id. Everything but the cache is
//! pure: the same bytes give the same outline on every machine, however long it takes. Hostile text costs a bounded
//! amount of work and falls back to a plain outline; nothing here fails.
//!
//! Knows neither git nor frames nor paths: an outline is about the content of one object, wherever it stands.
//! Start with [`detect`], [`extract()`] and [`render()`].

mod appendix;
mod attribute;
mod brackets;
mod cache;
mod codec;
mod comment;
mod extract;
mod head;
mod instruction;
mod keys;
mod language;
mod licence;
pub mod map;
mod markdown;
mod once;
mod order;
mod outline;
mod phrase;
mod plain;
mod render;
mod ruler;
mod scan;
mod sentence;

pub use attribute::is_test;
pub(crate) use brackets::{closing, split, string_length, value_at};
pub use cache::{Cached, ObjectCache, OutlineCache};
pub use codec::{decode, encode};
pub use comment::Marks;
pub(crate) use extract::WORKFLOW;
pub use extract::{extract, grammars_loaded, lfs_pointer};
pub use keys::{CachePlace, KeyStore};
pub use language::{Language, detect};
pub(crate) use markdown::code as markdown_code;
pub use outline::{BodyDigest, Content, Kind, Outline, Span, Symbol, Visibility};
pub use phrase::shown_signature;
pub use render::render;
pub(crate) use scan::{Part, parts};
pub use sentence::first_sentence;

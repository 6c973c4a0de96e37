//! Pages for people: values in, the bytes of HTML files out; escaping, Markdown, file names, treemaps, the index of a search.
//!
//! Pure. Everything that comes from a repository or from a frame is text: it is escaped, or it is Markdown whose raw HTML is
//! shown as it is written, whose pictures are their descriptions, and whose links lead to http(s), mailto or pages of the same site.
//! Must not read the repository and must not write files: `ops/browse.rs` does. Start with [`page`].

pub mod address;
pub mod escape;
pub mod freshness;
pub mod map;
pub mod markdown;
pub mod page;
pub mod search;
pub mod shade;
pub mod sheet;
pub mod treemap;

pub use escape::escaped;
pub use freshness::{Freshness, FreshnessCounts};

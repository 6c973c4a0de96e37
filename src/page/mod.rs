//! Pages of the web, fetched without being led astray: https, public addresses only, small, quick, text.
//!
//! Owns which URLs and addresses may be reached at all, the fetch itself, and the Markdown of an HTML page. Must never
//! decide *whether* something is fetched: the caller decides that. Knows no repository, keeps nothing.
//!
//! | step | what | where |
//! |---|---|---|
//! | judge | scheme, port, user, host of a URL, before it and each redirect is followed | [`link`] |
//! | resolve | every address of a name is judged; the socket gets these addresses and no others | [`address`], [`fetch`] |
//! | read | 15 seconds, 2 MiB, text in UTF-8 | [`fetch`] |
//! | convert | HTML to Markdown, in bounds whatever the page is | [`html`] |
//!
//! What is public is a value that only tests of this module can widen. Start with [`Fetcher`].

pub mod address;
pub mod fetch;
pub mod html;
pub mod link;
mod plain;

#[cfg(test)]
mod tests;

pub use fetch::{Fetcher, Page, PageError};
pub use link::{LinkError, Prefix};
pub use url::Url;

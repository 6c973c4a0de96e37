//! Outlines without a grammar: small readers that go through a text line by line.
//!
//! Each format has one reader; the programming languages without a grammar share one, [`source`], with a row for each
//! language in [`rows`]. A reader leaves out what it cannot tell. All of
//! them take linear time, keep no line longer than [`LINE_BYTES_MAX`], and never call themselves on what they read.
//!
//! | what | reader | says |
//! |---|---|---|
//! | documents, typeset ones, pages of HTML | [`document`], [`typeset`], [`page`] | headings, the first paragraph |
//! | YAML, TOML, INI, JSON, XML, CSV, translations | [`sections`], [`tree`] | keys with those below them, what names the whole |
//! | makefiles, containers, Kconfig, devicetrees, lists, patches | [`build`], [`list`] | targets, entries |
//! | style sheets, components | [`web`] | selectors, what a component takes |
//! | programming languages | [`source`] | declarations with their first sentence |
//! | everything else | [`text`], [`terms`] | the licence it is, the first paragraph, or how it begins |

mod build;
mod document;
mod found;
mod line;
mod list;
mod lua;
mod m4;
mod mask;
mod page;
mod prose;
mod reader;
mod rows;
mod sections;
mod source;
mod special;
mod terms;
mod text;
mod tree;
mod typeset;
mod web;

pub(super) use reader::{begin, read, uses};
pub(crate) use tree::WORKFLOW;

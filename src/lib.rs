//! `git merkle` keeps what agents say about a repository inside the repository.
//!
//! The flow, one way through the house: **scan** a snapshot into nodes · **compose** nodes, frames and symbols
//! into a view · **lay out** the view as messages · **ask** for a reply · **record** the reply as a frame in the
//! store. One snapshot goes in, one compare-and-swap comes out; everything between is pure.

pub mod agent;
pub mod base;
pub mod chat;
pub mod cli;
pub mod config;
pub mod context;
pub mod find;
pub mod frame;
pub mod git;
pub mod hook;
pub mod node;
pub mod ops;
pub mod page;
pub mod profile;
pub mod prompt;
pub mod provider;
pub mod regen;
pub mod review;
pub mod secret;
pub mod session;
pub mod site;
pub mod symbol;
pub mod sync;
pub mod synthesis;
pub mod tier;
pub mod view;
pub mod workspace;

//! What the tests stand on: a world of their own for git and the program, fixtures as text, and death by system call.
//!
//! A [`Sandbox`] is a temporary folder with a home, a clock that ticks one second per command, and nothing of the
//! machine's own configuration. A [`Repo`] in it is made by stock git and filled from a fixture: one string that
//! describes commits, branches and merges. Nothing here knows a frame's bytes or an answer of the program.
//! Start with [`Sandbox::repo`].

pub(crate) mod batches;
mod fixture;
pub(crate) mod loopback;
mod output;
mod repo;
mod sandbox;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) mod trace;

pub(crate) use fixture::SAMPLE;
pub(crate) use output::Output;
pub(crate) use repo::Repo;
pub(crate) use sandbox::{PROGRAM, Run, Sandbox};

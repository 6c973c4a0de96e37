//! Work: what starts a run: hooks as accelerators, and a watcher. A hook leaves a marker and goes; a worker apart from the
//! terminal does what is to be done.
//!
//! Owns how hooks are put into a repository and taken out again, the markers, the worker's lock, its patience, its log,
//! and what it hands over to the next command. Never makes a frame by itself, and never touches the index or the work
//! tree: what is to be done with a marker is handed in. Start with [`install`], [`marker`], [`worker`] and
//! [`watch`].

pub mod detach;
pub mod install;
pub mod log;
pub mod marker;
pub mod progress;
pub mod watch;
pub mod worker;

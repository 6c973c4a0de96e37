//! The command line: arguments in, one answer out.
//!
//! Owns arguments, help, output, colour, pager, progress, exit codes, and the wording of errors; the only home of clap
//! and indicatif, and the only place that prints. Knows no rule of the domain: a command reads its arguments, calls
//! the modules below, and renders what they return. Start with [`run()`], then `commands/<verb>.rs`.

pub mod absent;
pub mod advice;
pub mod amount;
pub mod args;
pub mod asker;
mod clipboard;
pub mod commands;
pub mod consent;
pub mod editor;
pub mod error;
pub mod exit;
pub mod faults;
pub mod frames;
pub mod given;
pub mod global;
mod groups;
pub mod help;
pub mod json;
mod outside;
mod pager;
pub mod parse;
pub mod program;
pub mod progress;
mod range;
pub mod run;
mod secret_line;
pub mod shell;
pub mod snapshot;
pub mod ui;
mod words;

pub use error::CliError;
pub use exit::Exit;
pub use program::Program;
pub use progress::{Progress, ProgressStep};
pub use run::run;
pub use ui::{Style, Ui};

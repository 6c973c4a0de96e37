//! One call of `regenerate`, as every step of it gets it.

use super::args::Args;
use crate::cli::program::Program;
use crate::workspace::Workspace;

/// One call of the command: what it was given, where it works, and what prints.
pub(super) struct Job<'j> {
    pub(super) args: &'j Args,
    pub(super) workspace: &'j Workspace,
    pub(super) program: &'j mut Program,
}

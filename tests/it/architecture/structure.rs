//! Rules about what stands in which room: methods of the workspace.

use super::rule::{Fault, fault};
use super::source::Source;

/// The room in which the workspace has its methods, and the most it may have.
const WORKSPACE_ROOM: &str = "workspace";
pub(crate) const WORKSPACE_METHODS_MAX: usize = 25;

/// Methods that are given to the workspace outside of its room: what is done with one is a free function in `ops/`.
pub(crate) fn workspace_faults(source: &Source) -> Vec<Fault> {
    let is_home = source
        .module
        .first()
        .is_some_and(|room| room == WORKSPACE_ROOM);
    if is_home {
        return Vec::new();
    }
    workspace_impls(source)
        .map(|index| {
            let message = "an operation is a free function that takes the few things it needs";
            let line = source.tokens[index].line;
            fault(source, line, "workspace", message.to_owned())
        })
        .collect()
}

/// How many functions the workspace's own blocks hold in a file.
pub(crate) fn workspace_methods(source: &Source) -> usize {
    let functions = |start: usize| {
        let depth = source.tokens[start].depth;
        let body = source.tokens[start + 2..]
            .iter()
            .skip(1)
            .take_while(|token| token.depth > depth);
        body.filter(|token| token.depth == depth + 1 && token.text == "fn")
            .count()
    };
    workspace_impls(source).map(functions).sum()
}

/// Where `impl Workspace` stands.
fn workspace_impls(source: &Source) -> impl Iterator<Item = usize> {
    (0..source.tokens.len())
        .filter(|index| source.at(*index) == "impl" && source.at(index + 1) == "Workspace")
}

//! Rules about how things are cut: methods of the workspace, parameters of functions, names of types.

use super::rule::{Fault, fault};
use super::source::Source;

/// The room in which the workspace has its methods, and the most it may have.
const WORKSPACE_ROOM: &str = "workspace";
pub(crate) const WORKSPACE_METHODS_MAX: usize = 25;

/// Public types whose names more than one room uses, each with the reason. None is added.
pub(crate) const SHARED_NAMES: &[(&str, &str)] = &[
    (
        "Content",
        "what the room is about, in each case: of a file, of a tier's item, of a review's entry; no better noun is in use",
    ),
    (
        "Definition",
        "the providers' and the languages' own word: of a provider in settings, of a function in a file",
    ),
    ("Definitions", "the lists of both"),
    (
        "Key",
        "of a setting as git names it, of an item of a prompt",
    ),
    (
        "Level",
        "how much of a file a budget and a map show: two scales that are never converted",
    ),
    (
        "Request",
        "one call of a chat, and its blocks as tiers lay them out",
    ),
    (
        "State",
        "of a frame for people, of the tiers of a session: git's and the caches' word",
    ),
    (
        "Usage",
        "the providers' word for tokens of an answer; a frame keeps it in its own format",
    ),
    ("Words", "of a question's phases, of a file for the search"),
    (
        "Writer",
        "who writes requests, who writes the store's remote: Rust's word",
    ),
];

/// The names of the public types that a file defines.
pub(crate) fn public_types(source: &Source) -> Vec<String> {
    (0..source.tokens.len())
        .filter(|index| {
            matches!(source.at(*index), "struct" | "enum" | "trait" | "type")
                && source.before(*index) == "pub"
                && !source.tokens[*index].in_test
        })
        .map(|index| source.at(index + 1).to_owned())
        .collect()
}

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

/// Parameters of functions that are tuples, by pattern or by type: their parts have no names where the function is called.
pub(crate) fn tuple_faults(source: &Source) -> Vec<Fault> {
    let functions = (0..source.tokens.len()).filter(|index| {
        source.at(*index) == "fn"
            && !source.tokens[*index].in_test
            && source.at(index + 1) != "("
            && source.before(*index) != "!"
    });
    functions
        .flat_map(|index| parameters(source, index))
        .filter(|start| is_tuple(source, *start))
        .map(|start| {
            let message =
                "a tuple as a parameter: give its parts names, as parameters or as a struct";
            let line = source.tokens[start].line;
            fault(source, line, "tuples", message.to_owned())
        })
        .collect()
}

/// Where the parameters of the function at `fn` begin.
fn parameters(source: &Source, function: usize) -> Vec<usize> {
    let depth = source.tokens[function].depth;
    let opens = |index: &usize| source.at(*index) == "(" && source.tokens[*index].depth == depth;
    let Some(open) = (function..source.tokens.len()).find(opens) else {
        return Vec::new();
    };
    let mut starts = Vec::new();
    let (mut angles, mut is_start) = (0_i32, true);
    for index in open + 1..source.tokens.len() {
        let token = &source.tokens[index];
        if token.depth <= depth {
            break;
        }
        if is_start {
            starts.push(index);
        }
        let is_outer = token.depth == depth + 1;
        match token.text.as_str() {
            "<" if is_outer => angles += 1,
            ">" if is_outer && source.before(index) != "-" => angles -= 1,
            _ => {}
        }
        is_start = is_outer && angles == 0 && token.text == ",";
    }
    starts
}

/// True for `(a, b): …`, and for `a: (A, B)` and `a: &(A, B)`; not for `a: &(dyn A + B)`.
fn is_tuple(source: &Source, start: usize) -> bool {
    if opens_tuple(source, start) {
        return true;
    }
    let depth = source.tokens[start].depth;
    let ends = |index: &usize| {
        let token = &source.tokens[*index];
        token.depth < depth || token.depth == depth && matches!(token.text.as_str(), ":" | ",")
    };
    let Some(colon) = (start..source.tokens.len()).find(ends) else {
        return false;
    };
    let mut at = colon + 1;
    while matches!(source.at(at), "&" | "mut" | "'") || source.before(at) == "'" {
        at += 1;
    }
    source.at(colon) == ":" && opens_tuple(source, at)
}

/// True for a parenthesis that holds a comma of its own.
fn opens_tuple(source: &Source, open: usize) -> bool {
    let depth = source.tokens.get(open).map_or(0, |token| token.depth);
    source.at(open) == "("
        && source.tokens[open + 1..]
            .iter()
            .take_while(|token| token.depth > depth)
            .any(|token| token.depth == depth + 1 && token.text == ",")
}

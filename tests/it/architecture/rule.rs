//! The rules themselves: tables of layers and homes, and one function per kind of fault.

use std::collections::BTreeSet;
use std::fmt;

use super::source::{Source, Token, is_test_module};

/// Top modules and their layers, bottom first. A module uses lower layers only: no arrow up, none sideways.
const LAYERS: &[(usize, &[&str])] = &[
    (0, &["base"]),
    (1, &["git", "config", "symbol", "chat", "secret", "page"]),
    (2, &["node", "frame", "agent", "provider", "profile"]),
    (3, &["view"]),
    (4, &["synthesis", "prompt", "tier", "context", "site"]),
    (5, &["regen", "find", "sync", "review", "hook"]),
    (6, &["workspace"]),
    (7, &["ops"]),
    (8, &["session"]),
    (9, &["cli"]),
];

/// Modules in which a thing is at home; `ANYWHERE` for what shapes no module.
const ANYWHERE: &[&str] = &[];

/// Outside crates and their homes: a top module, or one file of it. A name that ends in `*` is a prefix.
const CRATE_HOMES: &[(&str, &[&str])] = &[
    ("aho_corasick", &["secret"]),
    ("async_nats", &["provider::queue"]),
    ("base64", &["chat", "cli", "git", "provider::queue"]),
    ("blake3", &["base"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("flate2", &["git"]),
    ("futures_util", &["provider", "regen", "session"]),
    ("gix", &["git"]),
    ("gix_pathspec", &["git"]),
    ("htmd", &["page"]),
    ("icu_properties", &["base"]),
    ("ignore", &["node", "agent", "synthesis", "context"]),
    ("indicatif", &["cli"]),
    ("markup5ever_rcdom", &["page"]),
    ("memchr", &["secret"]),
    ("nix", &["git", "hook"]),
    ("notify", &["hook::watch"]),
    ("oxc_index", &["base"]),
    ("percent_encoding", &["cli::commands::mcp"]),
    ("pulldown_cmark", &["site"]),
    ("regex", &["secret"]),
    ("reqwest", &["provider", "page"]),
    ("rmcp", &["cli::commands::mcp"]),
    (
        "rustix",
        &["git", "config", "frame", "provider", "hook", "cli"],
    ),
    ("rustls", &["provider", "page"]),
    ("serde", ANYWHERE),
    ("serde_json", ANYWHERE),
    ("serde_yaml", &["profile", "context", "session"]),
    ("sha2", &["base"]),
    ("similar", &["cli", "ops::evaluate"]),
    ("strsim", &["config"]),
    ("thiserror", ANYWHERE),
    (
        "tokio",
        &["base", "page", "provider", "regen", "session", "ops", "cli"],
    ),
    (
        "toml",
        &["config", "agent", "provider", "secret", "workspace"],
    ),
    ("tree_sitter*", &["symbol"]),
    ("url", &["page", "provider", "git", "context"]),
];

/// Where the environment of the process is read, its arguments included. Compile-time `env!` is free.
const ENVIRONMENT_HOMES: &[&str] = &[
    "base::clock",
    "config",
    "git",
    "ops::machine",
    "cli",
    "main",
];
/// Where text is printed.
const PRINT_HOMES: &[&str] = &["cli"];
/// Where the standard streams are touched.
const STREAM_HOMES: &[&str] = &["cli"];

/// Where files outside of the state directory are opened beside it: those of git itself, the system's release, and the
/// ignore file of the work tree.
const OWN_FILES_HOMES: &[&str] = &["git", "ops::machine", "session::open"];

/// Rooms above those of words, in which messages could be made a second time.
const TURN_ROOMS: &[&str] = &["regen", "workspace", "ops", "session", "cli"];
/// Where messages of a session are made: the world of a turn, what is said again, and the block for readers without a
/// protocol. `provider test` asks for one word, of no session.
const MESSAGE_HOMES: &[&str] = &[
    "session::world",
    "session::conversation",
    "session::question",
    "cli::commands::provider",
];

/// Words that say nothing about what a module holds.
const EMPTY_NAMES: &[&str] = &[
    "common", "data", "helper", "helpers", "manager", "misc", "service", "shared", "types", "util",
    "utils",
];
const FILE_LINES_MAX: usize = 700;
const MAIN_LINES_MAX: usize = 20;

/// One place that breaks a rule.
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) rule: &'static str,
    message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}:{}: {}: {}",
            self.path, self.line, self.rule, self.message
        )
    }
}

pub(super) fn fault(source: &Source, line: usize, rule: &'static str, message: String) -> Fault {
    Fault {
        path: source.path.clone(),
        line,
        rule,
        message,
    }
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS
        .iter()
        .find(|(_, modules)| modules.contains(&module))
        .map(|(layer, _)| *layer)
}

/// Documentation, length, name, syntax, and what may stand in a `mod.rs`.
pub(crate) fn file_faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(error) = &source.syntax_error {
        faults.push(fault(
            source,
            1,
            "syntax",
            format!("cannot be read as Rust: {error}"),
        ));
    }
    if !source.text.starts_with("//! ") {
        faults.push(fault(
            source,
            1,
            "docs",
            "a file opens with '//! ' and one sentence for a stranger".to_owned(),
        ));
    }
    let (lines, lines_max) = (source.text.lines().count(), lines_max(&source.path));
    if lines > lines_max {
        faults.push(fault(
            source,
            lines,
            "length",
            format!("{lines} lines, at most {lines_max}: split it by question"),
        ));
    }
    if let Some(name) = source
        .module
        .iter()
        .find(|name| EMPTY_NAMES.contains(&name.as_str()))
    {
        faults.push(fault(
            source,
            1,
            "names",
            format!("'{name}' does not say what the module holds"),
        ));
    }
    let is_front = source.path.ends_with("/mod.rs") || source.path == "src/lib.rs";
    if is_front && !is_test_module(&source.module) {
        faults.extend(front_faults(source));
    }
    faults
}

fn lines_max(path: &str) -> usize {
    if path == "src/main.rs" {
        MAIN_LINES_MAX
    } else {
        FILE_LINES_MAX
    }
}

/// Items of a `mod.rs` that are neither `mod name;` nor `pub use …;`.
fn front_faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut item: Vec<&str> = Vec::new();
    let mut line = 1;
    for (index, token) in source
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| token.depth == 0)
    {
        if item.is_empty() {
            line = token.line;
        }
        item.push(&token.text);
        let closes_body = token.text == "}" && source.at(index + 1) != ";";
        if token.text == ";" || closes_body {
            if !is_front_item(&item) {
                faults.push(fault(
                    source,
                    line,
                    "mod.rs",
                    "holds only docs, 'mod name;' and 'pub use'".to_owned(),
                ));
            }
            item.clear();
        } else if token.text == "]" && matches!(item.first(), Some(&"#")) {
            item.clear();
        }
    }
    faults
}

fn is_front_item(item: &[&str]) -> bool {
    let body = match item {
        ["pub", "(", ")", rest @ ..] | ["pub", rest @ ..] => rest,
        _ => item,
    };
    matches!(body, ["mod", _, ";"]) || (matches!(body, ["use", ..]) && body.len() < item.len())
}

/// Arrows to other top modules, written `crate::x`, `crate::{x, y}`, or climbing out with `super`.
pub(crate) fn path_faults(source: &Source) -> Vec<Fault> {
    let Some(own) = source.module.first() else {
        return Vec::new();
    };
    if layer_of(own).is_none() {
        let message = format!(
            "module '{own}' has no layer: put it on the map of docs/architecture.md and into LAYERS"
        );
        return vec![fault(source, 1, "layers", message)];
    }
    let mut faults = Vec::new();
    for (index, token) in source.tokens.iter().enumerate() {
        let starts_path = source.before(index) != "::";
        if token.text == "crate" && source.at(index + 1) == "::" {
            for target in roots_after(source, index + 2) {
                faults.extend(arrow_fault(source, own, target));
            }
        } else if token.text == "super" && starts_path && climbs_out(source, index) {
            let message = "climbs out of its top module: write 'crate::…'".to_owned();
            faults.push(fault(source, token.line, "layers", message));
        } else if token.text == "git_merkle" && starts_path && source.at(index + 1) == "::" {
            let message = "the library names itself 'crate'".to_owned();
            faults.push(fault(source, token.line, "layers", message));
        }
    }
    faults
}

/// The first names of a path or of each path in a group: `a` of `a::b`, `a` and `c` of `{a::b, c}`.
fn roots_after(source: &Source, start: usize) -> Vec<&Token> {
    if source.at(start) != "{" {
        return source.tokens.get(start).into_iter().collect();
    }
    let inside = source.tokens[start].depth + 1;
    let group = source
        .tokens
        .iter()
        .enumerate()
        .skip(start + 1)
        .take_while(|(_, token)| token.depth >= inside);
    let first_names = group.filter(|(index, token)| {
        token.depth == inside && token.text != "," && matches!(source.before(*index), "{" | ",")
    });
    first_names.map(|(_, token)| token).collect()
}

fn arrow_fault(source: &Source, own: &str, target: &Token) -> Option<Fault> {
    let from = layer_of(own)?;
    let message = match layer_of(&target.text) {
        _ if target.text == own => return None,
        Some(to) if to < from => return None,
        Some(to) => {
            let way = if to == from { "sideways" } else { "upwards" };
            format!(
                "'{own}' (layer {from}) uses '{}' (layer {to}), {way}: a module uses lower layers only",
                target.text
            )
        }
        None => format!("'crate::{}' is not a module with a layer", target.text),
    };
    Some(fault(source, target.line, "layers", message))
}

/// True when a chain of `super` leaves the top module.
fn climbs_out(source: &Source, index: usize) -> bool {
    let mut steps = 1;
    while source.at(index + 2 * steps - 1) == "::" && source.at(index + 2 * steps) == "super" {
        steps += 1;
    }
    steps >= source.module.len() + source.tokens[index].inline_modules
}

/// Outside crates and the environment, used away from home. Tests beside the code are free.
pub(crate) fn home_faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, token) in source
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !token.in_test)
    {
        if names_outside_crate(source, index) {
            let homes = CRATE_HOMES
                .iter()
                .find(|(name, _)| is_named(name, &token.text))
                .map_or(ANYWHERE, |(_, homes)| *homes);
            if !homes.is_empty() && !lives_in(source, homes) {
                faults.push(home_fault(source, token, &token.text, homes));
            }
        }
        if names_environment(source, index) && !lives_in(source, ENVIRONMENT_HOMES) {
            faults.push(home_fault(source, token, "std::env", ENVIRONMENT_HOMES));
        }
    }
    faults
}

fn home_fault(source: &Source, token: &Token, name: &str, homes: &[&str]) -> Fault {
    fault(
        source,
        token.line,
        "homes",
        format!("'{name}' is at home in {} only", homes.join(", ")),
    )
}

/// True for the first name of a path: `gix::x`, `::gix::x`, `use gix as g`; not for `self::gix::x`.
fn names_outside_crate(source: &Source, index: usize) -> bool {
    let leading_colons = source.before(index) == "::" && !is_path_end(source, index);
    let starts_path = leading_colons || !matches!(source.before(index), "::" | "." | "mod" | "fn");
    starts_path && (source.at(index + 1) == "::" || source.before(index) == "use")
}

/// True when the `::` before a token belongs to a longer path on its left.
fn is_path_end(source: &Source, index: usize) -> bool {
    let left = index.checked_sub(2).map_or("", |left| source.at(left));
    left == ">"
        || (left != "use"
            && left.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !left.is_empty())
}

/// True for `env` of `std::env`, `std::{env, …}` and `env::var`; not for the macro `env!` or a module's own `env`.
fn names_environment(source: &Source, index: usize) -> bool {
    if source.at(index) != "env" {
        return false;
    }
    let in_std = source.before(index) == "::"
        && index
            .checked_sub(2)
            .is_some_and(|left| source.at(left) == "std");
    let depth = source.tokens[index].depth;
    let mut group = source.tokens[..index]
        .iter()
        .enumerate()
        .rev()
        .skip_while(|(_, token)| token.depth >= depth);
    let opening = if depth > 0 { group.next() } else { None };
    let in_std_group = opening.is_some_and(|(open, token)| {
        token.text == "{" && open >= 2 && source.at(open - 2) == "std"
    });
    in_std || (in_std_group && matches!(source.before(index), "{" | ","))
}

fn is_named(pattern: &str, name: &str) -> bool {
    pattern
        .strip_suffix('*')
        .map_or(pattern == name, |prefix| name.starts_with(prefix))
}

/// True when the file is one of the homes or below one; the program itself is `main`.
fn lives_in(source: &Source, homes: &[&str]) -> bool {
    let module = if source.path == "src/main.rs" {
        "main".to_owned()
    } else {
        source.module.join("::")
    };
    homes.iter().any(|home| {
        module == *home
            || module
                .strip_prefix(home)
                .is_some_and(|rest| rest.starts_with("::"))
    })
}

/// Print macros and the standard streams outside the surfaces.
pub(crate) fn print_faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, token) in source
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !token.in_test)
    {
        let macro_call = source.at(index + 1) == "!";
        let prints = macro_call
            && matches!(
                token.text.as_str(),
                "print" | "println" | "eprint" | "eprintln" | "dbg"
            );
        let stream = matches!(token.text.as_str(), "stdout" | "stderr" | "stdin")
            && source.before(index) != ".";
        let opens_stream = stream && source.at(index + 1) == "(" && source.at(index + 2) == ")";
        if prints && !lives_in(source, PRINT_HOMES) {
            let message = format!(
                "'{}!' prints: only cli does, return a value instead",
                token.text
            );
            faults.push(fault(source, token.line, "prints", message));
        } else if opens_stream && source.before(index) != "fn" && !lives_in(source, STREAM_HOMES) {
            let message = format!(
                "standard stream '{}': only the surfaces touch it",
                token.text
            );
            faults.push(fault(source, token.line, "prints", message));
        }
    }
    faults
}

/// The state directory may hold what another person put there: its one room is `git::state`, and a file that knows it
/// opens nothing by itself. The room's path is built there alone.
pub(crate) fn state_faults(source: &Source) -> Vec<Fault> {
    let lines = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let tokens = source
            .tokens
            .iter()
            .enumerate()
            .filter(|(index, token)| !token.in_test && is_wanted(*index));
        tokens.map(|(_, token)| token.line).collect()
    };
    let at = |index: usize, words: &[&str]| {
        words
            .iter()
            .enumerate()
            .all(|(step, word)| source.at(index + step) == *word)
    };
    let joins = lines(&|index| at(index, &["join", "(", "\"merkle\"", ")"]));
    let knows = lines(&|index| {
        matches!(source.at(index), "StateDir" | "shown_file") || at(index, &[".", "state", "."])
    });
    let opens = lines(&|index| {
        let is_file = at(index, &["File", "::"])
            && matches!(
                source.at(index + 2),
                "open" | "create" | "options" | "create_new"
            );
        let is_path =
            at(index, &["file", "::", "replace"]) || at(index, &["file", "::", "replace_durably"]);
        at(index, &["fs", "::"])
            && !at(index, &["fs", "::", "File"])
            && !at(index, &["fs", "::", "TryLockError"])
            && !at(index, &["fs", "::", "MetadataExt"])
            || is_file
            || is_path
            || source.at(index) == "OpenOptions"
    });
    let message = |what: &str| {
        format!("{what}: what is below the state directory is reached through 'git::state' alone")
    };
    let mut faults = Vec::new();
    if !lives_in(source, &["git::state"]) {
        faults.extend(
            joins
                .iter()
                .map(|line| fault(source, *line, "state", message("joins \"merkle\""))),
        );
    }
    if !knows.is_empty() && !lives_in(source, OWN_FILES_HOMES) {
        faults.extend(opens.iter().map(|line| {
            fault(
                source,
                *line,
                "state",
                message("knows the state directory, and opens by itself"),
            )
        }));
    }
    faults
}

/// Messages that are made, and renderings of bundles and layouts that are called, away from the one way to a model.
pub(crate) fn message_faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    let room = source
        .module
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    if !TURN_ROOMS.contains(&room) || lives_in(source, MESSAGE_HOMES) {
        return faults;
    }
    for (index, token) in source
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !token.in_test)
    {
        let next = source.at(index + 1);
        let is_type = matches!(source.before(index), ">" | "->");
        let is_made = token.text == "Message"
            && (next == "::" && source.at(index + 2) == "new" || next == "{" && !is_type);
        let is_rendered = matches!(token.text.as_str(), "array" | "Texts")
            && source.before(index) == "::"
            && matches!(next, "(" | "{");
        if is_made || is_rendered {
            let message = format!(
                "'{}' makes a message: the world of a turn is the only way to a model",
                token.text
            );
            faults.push(fault(source, token.line, "messages", message));
        }
    }
    faults
}

/// Dependencies of the manifest without a row in the table of homes, and rows without a dependency.
pub(crate) fn manifest_faults(manifest: &str) -> Vec<Fault> {
    let parsed: toml::Table = manifest.parse().expect("Cargo.toml is TOML");
    let dependencies = parsed["dependencies"]
        .as_table()
        .expect("a table of dependencies");
    let names: BTreeSet<String> = dependencies
        .keys()
        .map(|name| name.replace('-', "_"))
        .collect();
    let homeless = names.iter().filter(|name| {
        !CRATE_HOMES
            .iter()
            .any(|(pattern, _)| is_named(pattern, name))
    });
    let idle = CRATE_HOMES
        .iter()
        .filter(|(pattern, _)| !names.iter().any(|name| is_named(pattern, name)));
    let homeless = homeless.map(|name| {
        format!("dependency '{name}' has no home: give it one in CRATE_HOMES, and a decision")
    });
    let idle =
        idle.map(|(pattern, _)| format!("'{pattern}' has a home and is no dependency any more"));
    let path = "Cargo.toml".to_owned();
    homeless
        .chain(idle)
        .map(|message| Fault {
            path: path.clone(),
            line: 1,
            rule: "homes",
            message,
        })
        .collect()
}

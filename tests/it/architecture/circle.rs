//! Circles: files of one room that use each other, directly or through others, so that none can be read first.
//!
//! An arrow is a path of the code (`crate::…`, `super::…`, `self::…`, or a name that a `use` brought in). A name that a
//! `mod.rs` hands on counts for the file that defines it, so that a re-export hides nothing. Tests beside the code are free.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::{Fault, fault};
use super::source::{Source, is_test_module};

/// The one circle that stays: clap's table names every command, and commands read what the table has parsed.
const COMMAND_TABLE: (&str, &str) = ("src/cli/args.rs", "src/cli/commands/");

/// Re-exports that are followed for one name; more is a re-export of itself.
const HOPS_MAX: usize = 12;

type Path = Vec<String>;

/// What a file brings in and defines.
#[derive(Default)]
struct Names {
    /// Names that a `use` binds, with the whole path behind each.
    bound: BTreeMap<String, Path>,
    /// Modules of which a `use` takes everything.
    globs: Vec<Path>,
    defined: BTreeSet<String>,
}

struct House<'a> {
    /// By module path.
    sources: BTreeMap<&'a [String], &'a Source>,
    names: BTreeMap<&'a [String], Names>,
}

/// All uses of one other file.
struct Arrow<'a> {
    to: &'a str,
    names: BTreeSet<String>,
    /// Of the first use.
    line: usize,
}

/// A fault for each file that can reach itself, at the line of the first arrow that leads around.
pub(crate) fn circle_faults(sources: &[Source]) -> Vec<Fault> {
    let house = House::of(sources);
    let arrows: BTreeMap<&str, Vec<Arrow>> = house
        .sources
        .values()
        .filter(|source| !is_front(source))
        .map(|source| (source.path.as_str(), house.arrows(source)))
        .collect();
    let mut faults = Vec::new();
    for source in sources {
        let around = arrows
            .get(source.path.as_str())
            .into_iter()
            .flatten()
            .filter(|arrow| reaches(&arrows, arrow.to, &source.path));
        let around: Vec<&Arrow> = around.collect();
        if let Some(first) = around.first() {
            let shown: Vec<String> = around.iter().map(|arrow| arrow.shown()).collect();
            let message = format!(
                "uses {}, from where a chain of uses leads back here: move what both need to where neither uses the other",
                shown.join("; ")
            );
            faults.push(fault(source, first.line, "circles", message));
        }
    }
    faults
}

impl Arrow<'_> {
    fn shown(&self) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        format!("{} of {}", names.join(", "), self.to)
    }
}

fn reaches(arrows: &BTreeMap<&str, Vec<Arrow>>, from: &str, to: &str) -> bool {
    let (mut pending, mut seen) = (vec![from], BTreeSet::from([from]));
    while let Some(file) = pending.pop() {
        if file == to {
            return true;
        }
        for arrow in arrows.get(file).into_iter().flatten() {
            if seen.insert(arrow.to) {
                pending.push(arrow.to);
            }
        }
    }
    false
}

/// True for files that only hand names on.
fn is_front(source: &Source) -> bool {
    source.path.ends_with("/mod.rs") || matches!(source.path.as_str(), "src/lib.rs" | "src/main.rs")
}

impl<'a> House<'a> {
    fn of(sources: &'a [Source]) -> Self {
        let code = || {
            sources
                .iter()
                .filter(|source| !is_test_module(&source.module) && source.path != "src/main.rs")
        };
        let sources: BTreeMap<&[String], &Source> = code()
            .map(|source| (source.module.as_slice(), source))
            .collect();
        let mut house = Self {
            sources,
            names: BTreeMap::new(),
        };
        for source in code() {
            let names = house.names_of(source);
            house.names.insert(&source.module, names);
        }
        house
    }

    fn names_of(&self, source: &Source) -> Names {
        let mut names = Names::default();
        for index in uses(source) {
            for (path, alias) in leaves(source, index + 1) {
                let Some(path) = self.absolute(source, &Names::default(), &path) else {
                    continue;
                };
                if alias == "*" {
                    names.globs.push(path);
                } else {
                    names.bound.insert(alias, path);
                }
            }
        }
        let defines = |index: &usize| {
            matches!(
                source.at(*index),
                "struct" | "enum" | "trait" | "type" | "fn" | "const" | "static"
            ) && source.tokens[*index].depth == 0
                && source.before(*index) != "'"
        };
        let defined = (0..source.tokens.len()).filter(defines);
        names
            .defined
            .extend(defined.map(|index| source.at(index + 1).to_owned()));
        names
    }

    /// The path from the root of the crate; none for a path of another crate.
    fn absolute(&self, source: &Source, names: &Names, path: &[String]) -> Option<Path> {
        let own = source.module.as_slice();
        let climbs = path.iter().take_while(|name| *name == "super").count();
        let (base, rest) = match path.first()?.as_str() {
            "crate" => (&own[..0], &path[1..]),
            "self" => (own, &path[1..]),
            "super" => (&own[..own.len().checked_sub(climbs)?], &path[climbs..]),
            first => {
                if let Some(bound) = names.bound.get(first) {
                    return Some([bound.as_slice(), &path[1..]].concat());
                }
                let child = [own, &path[..1]].concat();
                if !self.sources.contains_key(child.as_slice()) {
                    return None;
                }
                (own, path)
            }
        };
        Some([base, rest].concat())
    }

    /// The file that defines what a path names, through re-exports.
    fn home(&self, path: &[String], hops: usize) -> Option<&'a Source> {
        let depth = (0..=path.len())
            .rev()
            .find(|depth| self.sources.contains_key(&path[..*depth]))?;
        let (module, rest) = path.split_at(depth);
        let source = self.sources[module];
        let (Some(name), Some(names)) = (rest.first(), self.names.get(module)) else {
            return Some(source);
        };
        if names.defined.contains(name) || hops == 0 {
            return Some(source);
        }
        if let Some(bound) = names.bound.get(name) {
            return self.home(&[bound.as_slice(), &rest[1..]].concat(), hops - 1);
        }
        let through = names.globs.iter().filter_map(|glob| {
            let home = self.home(&[glob.as_slice(), rest].concat(), hops - 1)?;
            let defined = &self.names.get(home.module.as_slice())?.defined;
            defined.contains(name).then_some(home)
        });
        through.into_iter().next().or(Some(source))
    }

    /// Each file of the same room that a file uses, with the name and the first line.
    fn arrows(&self, source: &'a Source) -> Vec<Arrow<'a>> {
        let names = &self.names[source.module.as_slice()];
        let mut arrows: Vec<Arrow> = Vec::new();
        for (path, line) in paths(source) {
            let Some(path) = self.absolute(source, names, &path) else {
                continue;
            };
            let Some(home) = self.home(&path, HOPS_MAX) else {
                continue;
            };
            let is_table = source.path == COMMAND_TABLE.0 && home.path.starts_with(COMMAND_TABLE.1);
            let leaves = home.path != source.path && home.module.first() == source.module.first();
            if !leaves || is_table || is_front(home) {
                continue;
            }
            let name = path[home.module.len().min(path.len() - 1)].clone();
            match arrows.iter_mut().find(|arrow| arrow.to == home.path) {
                Some(known) => {
                    known.names.insert(name);
                }
                None => arrows.push(Arrow {
                    to: &home.path,
                    names: BTreeSet::from([name]),
                    line,
                }),
            }
        }
        arrows
    }
}

/// Where the `use` items of the code stand; `use<'a>` of a type is none.
fn uses(source: &Source) -> impl Iterator<Item = usize> {
    (0..source.tokens.len()).filter(|index| {
        source.at(*index) == "use" && !source.tokens[*index].in_test && source.at(index + 1) != "<"
    })
}

/// Every path of a file with its line: the leaves of `use`, and those written in the code.
fn paths(source: &Source) -> Vec<(Path, usize)> {
    let mut found = Vec::new();
    for index in uses(source) {
        let line = source.tokens[index].line;
        let leaves = leaves(source, index + 1).into_iter();
        found.extend(leaves.map(|(path, _)| (path, line)));
    }
    for (index, token) in source.tokens.iter().enumerate() {
        let starts = !token.in_test
            && is_name(&token.text)
            && !matches!(source.before(index), "::" | "." | "use" | "in");
        if starts && source.at(index + 1) == "::" {
            found.push((written(source, index).0, token.line));
        }
    }
    found
}

/// The path that begins at a name, and the place behind it.
fn written(source: &Source, start: usize) -> (Path, usize) {
    let (mut path, mut index) = (vec![source.at(start).to_owned()], start + 1);
    while source.at(index) == "::" && is_name(source.at(index + 1)) {
        path.push(source.at(index + 1).to_owned());
        index += 2;
    }
    (path, index)
}

/// The paths of a `use` tree with the name that each binds (`*` for all).
fn leaves(source: &Source, start: usize) -> Vec<(Path, String)> {
    let start = start + usize::from(source.at(start) == "::");
    let (path, end) = match source.at(start) {
        "{" | "*" => (Path::new(), start),
        _ => written(source, start),
    };
    let tail = end + usize::from(source.at(end) == "::");
    match source.at(tail) {
        "{" => {
            let inside = source.tokens[tail].depth + 1;
            let members = (tail + 1..source.tokens.len())
                .take_while(|index| source.tokens[*index].depth >= inside)
                .filter(|index| {
                    source.tokens[*index].depth == inside
                        && matches!(source.before(*index), "{" | ",")
                        && source.at(*index) != ","
                });
            let below = members.flat_map(|index| leaves(source, index));
            below
                .map(|(rest, alias)| joined(&path, &rest, alias))
                .collect()
        }
        "*" => vec![(path, "*".to_owned())],
        "as" => vec![(path, source.at(tail + 1).to_owned())],
        _ => {
            let alias = path.last().cloned().unwrap_or_default();
            vec![(path, alias)]
        }
    }
}

/// `{self}` in a group is the group's own module.
fn joined(path: &[String], rest: &[String], alias: String) -> (Path, String) {
    if rest == ["self"] {
        let own = path.last().cloned().unwrap_or_default();
        let alias = if alias == "self" { own } else { alias };
        return (path.to_vec(), alias);
    }
    ([path, rest].concat(), alias)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

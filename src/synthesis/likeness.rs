//! What the children of a directory share, as one sentence: for a directory without documentation of its own.
//!
//! It says what the files are (tests, documents, a language), what their names have in common, what all of them list, and
//! then what the most important of them declare or are about. A list of bare names is no sentence: without more
//! there is none. It reads nothing but what the children say, so it changes only when they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::child::{ChildNode, PartKind};
use super::facts::Facts;
use super::hosting::workflows;
use super::names::{
    AMONG, HELPERS, POINTS_MAX, SUBJECTS_MAX, common_names, frequent_names, is_collected, is_image,
    is_licence, is_main, listing, pattern, stem, subject, tested,
};
use super::nested::holds;
use super::reading::{
    POINT_BYTES_MAX, about, about_only, code, declared, ended, first_line, is_named_after,
    is_start, is_type, listed, signatures, speaks_beyond, tells_apart,
};
use super::short::{cut, first_span, head};

/// Longest first paragraph that is a title.
const TITLE_BYTES_MAX: usize = 48;
/// Most files for which what one of them says may stand.
const TOGETHER_MAX: usize = 3;
/// Fewest files of a directory that go before the directories in it.
const OWN_MIN: usize = 3;
/// The sentence about children in the order of their importance: about its own files, and about the directories that
/// hold more than these.
pub(super) fn likeness(ranked: &[&ChildNode<'_>]) -> Option<String> {
    let files: Vec<&ChildNode<'_>> = of_kind(ranked, PartKind::File);
    let directories: Vec<&ChildNode<'_>> = of_kind(ranked, PartKind::Directory);
    let held = holds(&directories);
    if files.is_empty() {
        let others = || {
            links(ranked, PartKind::Submodule, "Submodules")
                .or_else(|| links(ranked, PartKind::Symlink, "Symlinks"))
        };
        return held.or_else(others);
    }
    let said = files_likeness(&files, &directories);
    match (held, said) {
        (Some(held), Some(said))
            if held != said && count_below(&directories) > files.len() as u64 =>
        {
            Some(if files.len() < OWN_MIN {
                format!("{held} {said}")
            } else {
                format!("{said} {held}")
            })
        }
        (held, said) => said.or(held),
    }
}

/// What stands in a directory of nothing but other repositories, or of nothing but links.
fn links(ranked: &[&ChildNode<'_>], kind: PartKind, word: &str) -> Option<String> {
    let names = of_kind(ranked, kind);
    let names: Vec<&str> = names.iter().map(|part| &*part.name).collect();
    (!names.is_empty()).then(|| format!("{word}: {}.", listing(&names, SUBJECTS_MAX)))
}

/// The names of files none of which has any content.
fn empty(files: &[&ChildNode<'_>]) -> Option<String> {
    let are_empty = files
        .iter()
        .all(|part| part.body().trim_end() == "Empty file.");
    let names: Vec<&str> = files.iter().map(|part| &*part.name).collect();
    let word = if names.len() == 1 { "file" } else { "files" };
    are_empty.then(|| format!("Empty {word}: {}.", listing(&names, SUBJECTS_MAX)))
}

/// Files below directories, as far as their frames say.
fn count_below(directories: &[&ChildNode<'_>]) -> u64 {
    let bodies = directories.iter().filter_map(|part| part.bodies.first());
    let counts = bodies.filter_map(|(_, body)| Facts::parse(body));
    counts.map(|facts| facts.files).sum()
}

/// What the files of a directory share.
fn files_likeness(files: &[&ChildNode<'_>], directories: &[&ChildNode<'_>]) -> Option<String> {
    let nothing = || empty(files).filter(|_| directories.is_empty());
    let of_one_kind = images(files).or_else(nothing).or_else(|| tests(files));
    if let Some(said) = of_one_kind.or_else(|| workflows(files)) {
        return Some(said);
    }
    if let [file] = files[..]
        && directories.is_empty()
        && let Some(says) = about_only(file).or_else(|| declared(file))
    {
        return Some(format!("{}: {}", what(files), ended(&says)));
    }
    // Tests beside other files say nothing of these, and a licence nothing of any.
    let mut own = files.to_vec();
    own.retain(|part| !is_licence(&part.name));
    let tests = own.iter().filter(|part| subject(&part.name).is_some());
    let is_tested = own.iter().any(|part| is_main(&part.name)) || stand_beside(&own);
    if 2 * tests.count() <= own.len() || is_tested {
        own.retain(|part| subject(&part.name).is_none());
    }
    let speaking = if own.is_empty() { files } else { &own };
    if let [file] = speaking[..]
        && directories.is_empty()
        && let Some(says) = declared(file).filter(|says| says.contains(": "))
    {
        return Some(format!("{}: {}", what(files), ended(&says)));
    }
    let pattern = pattern(files);
    let mut keys = common_names(files);
    let language = one_language(files);
    let count = language.as_ref().map_or(files.len(), |(_, count)| *count);
    let counts = |part: &ChildNode<'_>| {
        let own = language.as_ref().map(|(language, _)| language);
        own.is_none_or(|own| of_language(part).is_some_and(|other| other == *own))
    };
    // What is said of files of one language is not what another file says.
    let mut own = speaking.to_vec();
    own.retain(|part| counts(part));
    let own = if own.is_empty() { speaking } else { &own };
    let mut points = points(own, count, &counts);
    if points.is_empty() && keys.is_none() {
        keys = frequent_names(files);
    }
    if points.is_empty() && pattern.is_none() && keys.is_none() {
        // Programs that declare nothing which tells them apart are told by their names.
        let programs = speaking
            .iter()
            .filter(|part| signatures(part).next().is_some());
        let names: Vec<&str> = programs.map(|part| &*part.name).collect();
        if names.len() >= OWN_MIN {
            let names = listing(&names, POINTS_MAX);
            return Some(format!("{}: {names}.", what(files)));
        }
        if !directories.is_empty() && holds(directories).is_some() {
            // Where more stands here than below, it is told by name.
            let is_more = speaking.len() > 1 && count_below(directories) < files.len() as u64;
            let names: Vec<&str> = speaking.iter().map(|part| &*part.name).collect();
            let names = listing(&names, POINTS_MAX);
            return is_more.then(|| format!("{}: {names}.", what(speaking)));
        }
        points = told_by_contents(files, count, &counts);
        if points.is_empty() {
            points.extend(
                files
                    .iter()
                    .filter_map(|part| signatures(part).next().map(head))
                    .take(2),
            );
            points.dedup();
        }
        if points.is_empty() {
            return None;
        }
    }
    Some(joined(what(files), pattern, keys, &points))
}

/// One sentence of all that is said of files: what they are, what their names and keys share, what each is about.
fn joined(
    what: String,
    pattern: Option<String>,
    keys: Option<String>,
    points: &[String],
) -> String {
    // What is said of all files does not stand behind the names of some.
    let (among, named) = match pattern {
        Some(some) if some.starts_with(AMONG) && !points.is_empty() => (Some(some), None),
        named => (None, named),
    };
    let mut text = what;
    for more in [named, keys].into_iter().flatten() {
        text.push_str(&more);
    }
    if !points.is_empty() {
        text.push_str(": ");
        let is_code = points.iter().all(|point| point.starts_with('`'));
        text.push_str(&points.join(if is_code { ", " } else { "; " }));
    }
    if let Some(among) = among {
        text.push_str(&among.replacen(AMONG, "; among them ", 1));
    }
    ended(&text)
}

/// What the most important of a directory's files are about, each thing once, and how many of those that count are left.
fn points(
    speaking: &[&ChildNode<'_>],
    files: usize,
    counts: &dyn Fn(&ChildNode<'_>) -> bool,
) -> Vec<String> {
    let mut points: Vec<String> = Vec::new();
    let (mut owner, mut told) = (None, 0);
    for part in speaking {
        match point(part) {
            Some(point) if points.contains(&point) => told += usize::from(counts(part)),
            Some(point) if points.len() < POINTS_MAX => {
                points.push(point);
                owner = Some(part);
                told += usize::from(counts(part));
            }
            _ => {}
        }
    }
    // Tests and licences beside them are files, too.
    let left = files - told;
    // A project speaks where its sources do not.
    if points.len() > 1 {
        points.retain(|point| !point.starts_with("MSBuild project"));
    }
    // What one of many says speaks for that one.
    if let ([point], Some(owner), true) = (&mut points[..], owner, files > TOGETHER_MAX) {
        *point = format!("{}: {point}", code(owner));
    }
    if let Some(last) = points.last_mut().filter(|_| left > 0) {
        // Behind a sentence it would be a part of that.
        let sign = if last.ends_with('`') { "" } else { ";" };
        let _ = write!(last, "{sign} and {left} more");
    }
    points
}

/// Whether a quarter of the files or more have a test beside them that is named after them, as in packages of Go.
fn stand_beside(files: &[&ChildNode<'_>]) -> bool {
    let tests = files.iter().filter_map(|part| subject(&part.name));
    let subjects: BTreeSet<&str> = tests.collect();
    let is_tested = |part: &&&ChildNode<'_>| {
        subject(&part.name).is_none() && subjects.contains(stem(&part.name))
    };
    4 * files.iter().filter(is_tested).count() >= files.len()
}

/// What is tested, where most files are tests and none is what the directory offers.
fn tests(files: &[&ChildNode<'_>]) -> Option<String> {
    // What tests are made from is none: `abstract class TillTest`.
    let is_abstract = |part: &ChildNode<'_>| {
        let first = signatures(part).next();
        first.is_some_and(|first| first.starts_with("abstract class"))
    };
    let mut tests: Vec<&str> = files
        .iter()
        .filter(|part| !is_abstract(part))
        .filter_map(|part| subject(&part.name).or_else(|| tested(part)))
        .collect();
    let is_tests = 5 * tests.len() >= 3 * files.len();
    let all: BTreeSet<&str> = tests.iter().copied().collect();
    // `AbstractTillTest` beside `TillTest` is what that is made from.
    let is_base = |subject: &str| {
        let made = subject.strip_prefix("Abstract");
        made.is_some_and(|made| all.contains(made))
    };
    let mut seen = BTreeSet::new();
    // `test_utils.py` is found by its name and run.
    let is_run = |subject: &str| files.iter().any(|part| is_collected(&part.name, subject));
    tests.retain(|subject| {
        let is_helper = HELPERS.contains(subject) && !is_run(subject) || is_base(subject);
        !is_helper && seen.insert(*subject)
    });
    let is_tested = files
        .iter()
        .any(|part| is_main(&part.name) && stem(&part.name) != "main");
    (is_tests && !is_tested && !tests.is_empty() && !stand_beside(files))
        .then(|| format!("Tests: {}.", listing(&tests, SUBJECTS_MAX)))
}

/// The names of pictures, where most files are some; where there is one document beside them, what that says goes first.
fn images(files: &[&ChildNode<'_>]) -> Option<String> {
    let names = files.iter().map(|part| &*part.name);
    let (images, others): (Vec<&str>, Vec<&str>) = names.partition(|name| is_image(name));
    if 5 * images.len() < 3 * files.len() {
        return None;
    }
    let images = listing(&images, SUBJECTS_MAX);
    let says = match others[..] {
        [name] => files
            .iter()
            .find(|part| part.name == name)
            .and_then(|part| about(part)),
        _ => None,
    };
    if let Some(says) = says {
        return Some(format!("{} Images: {images}.", ended(&says)));
    }
    let beside = match others.len() {
        0 => String::new(),
        _ => format!("; beside them {}", listing(&others, POINTS_MAX)),
    };
    Some(format!("Images: {images}{beside}."))
}

fn of_kind<'a, 'p>(ranked: &[&'a ChildNode<'p>], kind: PartKind) -> Vec<&'a ChildNode<'p>> {
    ranked
        .iter()
        .copied()
        .filter(|part| part.kind == kind)
        .collect()
}

/// The type that a file declares, what it is about, what else it declares, or what it is called.
fn point(part: &ChildNode<'_>) -> Option<String> {
    let about = about(part);
    let sentence = || {
        let text = about.as_deref().filter(|text| speaks_beyond(text));
        text.map(|text| text.trim_end_matches('.').to_owned())
    };
    let mut declared = signatures(part)
        .filter(|signature| !is_start(signature))
        .peekable();
    // A type that its file is named after says more than a sentence about it, any other less.
    if let Some(first) = declared.peek().filter(|first| is_type(first))
        && let Some(said) = sentence()
            .filter(|_| !is_named_after(stem(&part.name), first))
            .or_else(|| Some(head(first)))
    {
        return Some(said);
    }
    if let Some(first) = declared.peek() {
        let only = first.strip_prefix("module.exports = function (");
        let only = only.map(|rest| head(&format!("{}({rest}", stem(&part.name))));
        let first = || declared.find(|signature| tells_apart(signature)).map(head);
        return sentence().or(only).or_else(first);
    }
    // What a document is called above its text says more than its first section.
    let is_title =
        |text: &&str| text.len() <= TITLE_BYTES_MAX && text.ends_with(char::is_alphanumeric);
    let title = about.as_deref().filter(is_title).map(str::to_owned);
    // `HIGHLIGHTS` is a part of a page.
    let is_heading = |text: &&str| {
        let is_part = !text.contains(char::is_lowercase)
            && text.contains(char::is_uppercase)
            && !text.eq_ignore_ascii_case(stem(&part.name));
        !text.contains('`') && !text.ends_with('?') && !is_part
    };
    let heading = listed(part).next().filter(is_heading);
    title
        .or_else(|| heading.map(|text| cut(text, POINT_BYTES_MAX)))
        .or_else(|| called(part))
        .or_else(|| {
            let is_told = |line: &&str| line.starts_with("route") || line.starts_with("command");
            listed(part)
                .find(is_told)
                .map(|line| first_span(line, POINT_BYTES_MAX))
        })
        .or_else(sentence)
}

/// Keys of packages and workflows, which have a name; a sample of data may have a key of that name, too.
const BESIDE_NAMES: [&str; 6] = [
    "version",
    "private",
    "scripts",
    "dependencies",
    "jobs",
    "runs",
];

/// The name that a file of keys gives itself.
fn called(part: &ChildNode<'_>) -> Option<String> {
    let keys = listed(part).flat_map(|line| line.split('`').skip(1).step_by(2));
    let all: Vec<&str> = keys.collect();
    let has = |wanted: &str| all.iter().any(|key| key.split(' ').next() == Some(wanted));
    let is_named = BESIDE_NAMES
        .iter()
        .any(|key| has(key) || has(&format!("{key}:")));
    let name = all
        .iter()
        .find_map(|key| key.strip_prefix("name "))
        .filter(|_| is_named)?;
    Some(cut(name, POINT_BYTES_MAX))
}

/// What the first two files list of which nothing else is said, and how many of those that count are left.
fn told_by_contents(
    files: &[&ChildNode<'_>],
    count: usize,
    counts: &dyn Fn(&ChildNode<'_>) -> bool,
) -> Vec<String> {
    let told = files
        .iter()
        .filter_map(|part| Some((part, contents(part)?)));
    let told: Vec<_> = told.take(2).collect();
    let shown = told.iter().filter(|(part, _)| counts(part)).count();
    let mut points: Vec<String> = told.into_iter().map(|(_, says)| says).collect();
    if let Some(last) = points
        .last_mut()
        .filter(|_| files.len() > 2 && count > shown)
    {
        let _ = write!(last, "; and {} more", count - shown);
    }
    points
}

/// What a file of which nothing else is said lists.
fn contents(part: &ChildNode<'_>) -> Option<String> {
    let line = listed(part).next().or_else(|| first_line(part))?;
    let short = first_span(line, POINT_BYTES_MAX);
    // A key of which nothing would be left says nothing.
    let is_told = (short.contains('`') || !line.contains('`')) && !short.contains("` …`");
    (is_told && !is_image(&part.name)).then(|| format!("{} with {short}", code(part)))
}

/// The class or module that all of the files open, which the rest of the sentence leaves out: ` of `class Shop``.
fn opened(files: &[&ChildNode<'_>]) -> String {
    let place = |part: &&ChildNode<'_>| {
        let lines = part.body().lines();
        let mut places =
            lines.filter_map(|line| line.strip_prefix("- members of ")?.strip_suffix('`'));
        let place = places.next()?.strip_prefix('`')?;
        (place.starts_with("class ") || place.starts_with("module ")).then(|| place.to_owned())
    };
    let first = files.first().and_then(place);
    let first = first.filter(|first| files.iter().all(|part| place(part).as_ref() == Some(first)));
    first.map_or_else(String::new, |place| format!(" of `{place}`"))
}

/// `Python files`, where nearly all are of one language.
fn what(files: &[&ChildNode<'_>]) -> String {
    let word = if files.len() == 1 { "file" } else { "files" };
    match one_language(files) {
        Some((language, _)) => format!("{language} {word}{}", opened(files)),
        None if files.len() == 1 => "A file".to_owned(),
        None => "Files".to_owned(),
    }
}

/// The language of a file, as its first statement says it, else its name.
fn of_language(part: &ChildNode<'_>) -> Option<String> {
    let stated = part.bodies.first().and_then(|(_, body)| Facts::parse(body));
    let facts = stated.unwrap_or_else(|| Facts::by_name(&part.name));
    facts.languages.into_keys().next()
}

/// The language of nearly all files, and how many have it.
fn one_language(files: &[&ChildNode<'_>]) -> Option<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for language in files.iter().filter_map(|part| of_language(part)) {
        *counts.entry(language).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| 5 * count >= 4 * files.len())
}

#[cfg(test)]
mod tests;

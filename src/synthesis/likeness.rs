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
    POINT_BYTES_MAX, about, about_only, code, cut, declared, ended, first_line, first_span, head,
    is_named_after, is_start, is_type, listed, signatures, speaks_beyond, tells_apart,
};

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
        return held.or_else(|| submodules(ranked));
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

/// What stands in a directory of nothing but other repositories.
fn submodules(ranked: &[&ChildNode<'_>]) -> Option<String> {
    let names = of_kind(ranked, PartKind::Submodule);
    let names: Vec<&str> = names.iter().map(|part| &*part.name).collect();
    (!names.is_empty()).then(|| format!("Submodules: {}.", listing(&names, SUBJECTS_MAX)))
}

/// Files below directories, as far as their frames say.
fn count_below(directories: &[&ChildNode<'_>]) -> u64 {
    let bodies = directories.iter().filter_map(|part| part.bodies.first());
    let counts = bodies.filter_map(|(_, body)| Facts::parse(body));
    counts.map(|facts| facts.files).sum()
}

/// What the files of a directory share.
fn files_likeness(files: &[&ChildNode<'_>], directories: &[&ChildNode<'_>]) -> Option<String> {
    if let Some(images) = images(files) {
        return Some(images);
    }
    if let Some(said) = tests(files).or_else(|| workflows(files)) {
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
    if 2 * tests.count() <= own.len() || own.iter().any(|part| is_main(&part.name)) {
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
    let mut points = points(speaking, count, &counts);
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
        points.extend(files.iter().filter_map(|part| contents(part)).take(2));
        if points.is_empty() {
            points.extend(
                files
                    .iter()
                    .filter_map(|part| signatures(part).next().map(head))
                    .take(2),
            );
            points.dedup();
        }
        let is_held = || !directories.is_empty() && holds(directories).is_some();
        // Where more stands here than below, it is told by name.
        if speaking.len() > 1 && count_below(directories) < files.len() as u64 && is_held() {
            let names: Vec<&str> = speaking.iter().map(|part| &*part.name).collect();
            return Some(format!(
                "{}: {}.",
                what(speaking),
                listing(&names, POINTS_MAX)
            ));
        }
        if points.is_empty() || is_held() {
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

/// What is tested, where most files are tests and none is what the directory offers.
fn tests(files: &[&ChildNode<'_>]) -> Option<String> {
    let mut tests: Vec<&str> = files
        .iter()
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
    (is_tests && !is_tested && !tests.is_empty())
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

/// The name that a file of keys gives itself.
fn called(part: &ChildNode<'_>) -> Option<String> {
    let mut keys = listed(part).flat_map(|line| line.split('`').skip(1).step_by(2));
    let name = keys.find_map(|key| key.strip_prefix("name "))?;
    Some(cut(name, POINT_BYTES_MAX))
}

/// What a file of which nothing else is said lists.
fn contents(part: &ChildNode<'_>) -> Option<String> {
    let line = listed(part).next().or_else(|| first_line(part))?;
    let short = first_span(line, POINT_BYTES_MAX);
    // A key of which nothing would be left says nothing.
    let is_told = short.contains('`') || !line.contains('`');
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

/// The language of a file, as its first statement says it.
fn of_language(part: &ChildNode<'_>) -> Option<String> {
    let (_, body) = part.bodies.first()?;
    Facts::parse(body)?.languages.into_keys().next()
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(parts: &[(&str, &str)]) -> Option<String> {
        let kind = |name: &str| {
            if name.ends_with('/') {
                PartKind::Directory
            } else {
                PartKind::File
            }
        };
        let parts: Vec<ChildNode<'_>> = parts
            .iter()
            .map(|(name, body)| ChildNode::outlined(name.trim_end_matches('/'), kind(name), body))
            .collect();
        likeness(&parts.iter().collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(parts: &[(&str, &str)], expected: &str) {
        assert_eq!(said(parts).as_deref().unwrap_or_default(), expected);
    }

    #[test]
    fn directories_that_hold_more_go_before_the_files_beside_them() {
        let below = "Keeps items.\n\nDirectory of 20 files: Java 20.\n";
        check(
            &[
                ("ClassTest.java", "Java source, 10+ lines.\n"),
                ("com/", below),
            ],
            "Holds `com/`: Keeps items. Tests: `Class`.",
        );
        check(
            &[(
                "Gemfile",
                "Ruby source, under 10 lines.\n\n- lines `gem 'puma', path: 'here'`, `gem 'nio'`\n",
            )],
            "Ruby file: `Gemfile` with lines `gem 'puma', path: 'here'`, `gem 'nio'`.",
        );
        check(&[("a.result", "Text file, 10+ lines.\n\n- line `│`\n")], "");
        // Before, a directory of two scripts and a patch said what the patch is.
        let script = "Ruby source, under 10 lines.\n\n- lines `register :rack`, `end`\n";
        let patch = "Ruby file: `class Socket`.\n\nDirectory of 1 file: Ruby 1.\n";
        check(
            &[
                ("servers.rb", script),
                ("drivers.rb", script),
                ("LICENSE", "MIT licence.\n\nLicence file, 10+ lines.\n"),
                ("patches/", patch),
            ],
            "Ruby files: `servers.rb`, `drivers.rb`.",
        );
        let test = "Python source, 10+ lines.\n\n- `def test_sell()`\n";
        check(
            &[
                ("test_utils.py", test),
                ("test_till.py", test),
                ("utils_test.go", test),
            ],
            "Tests: `utils`, `till`.",
        );
        let caps = |title: &str| format!("Markdown file, 10+ lines.\n\n- {title}\n");
        let (api, faq) = (caps("API"), caps("FAQ"));
        check(
            &[("api.md", &api), ("faq.md", &faq)],
            "Markdown files: API; FAQ.",
        );
        let java = "Java source, 10+ lines.\n\nNot public:\n\n- `class T`\n";
        check(
            &[
                ("AbstractTillTest.java", java),
                ("TillTest.java", java),
                ("BedTest.java", java),
            ],
            "Tests: `Till`, `Bed`.",
        );
        // Before, the macros beside them were among the pages that are left.
        let page = |title: &str| format!("HTML file, 10+ lines.\n\n- {title}\n");
        let pages: Vec<String> = (0..8).map(|at| page(&format!("Page {at}"))).collect();
        let named: Vec<String> = (0..8).map(|at| format!("{at}.html")).collect();
        let mut parts: Vec<(&str, &str)> = named
            .iter()
            .map(|name| &**name)
            .zip(pages.iter().map(|page| &**page))
            .collect();
        let script =
            "Makes the pages.\n\nPython source, 10+ lines, 1 public item.\n\n- `def make()`\n";
        parts.insert(0, ("0.py", script));
        check(
            &parts,
            "HTML files: Makes the pages; Page 0; Page 1; Page 2; Page 3; and 4 more.",
        );
    }

    #[test]
    fn tests_licences_and_hooks_do_not_speak_for_a_directory() {
        let licences = ["LICENSE-MIT", "COPYING.md", "licenses.rs"].map(is_licence);
        assert_eq!(licences, [true, true, false]);
        check(
            &[
                (
                    "codec.go",
                    "Go source, 20+ lines, 1 public item.\n\n- `type Codec struct`: Codec encodes YAML.\n",
                ),
                (
                    "codec_test.go",
                    "Go source, 20+ lines, 1 public item.\n\n- `func TestCodec(t *testing.T)`\n",
                ),
            ],
            "Go files: `type Codec struct`: Codec encodes YAML.",
        );
        check(
            &[
                (
                    "__init__.py",
                    "Python source, 20+ lines, 1 public item.\n\n- `def __getattr__(name: str)`\n",
                ),
                (
                    "fields.py",
                    "Python source, 20+ lines, 1 public item.\n\n- `class Field`\n",
                ),
                (
                    "util.py",
                    "This is a drawer.\n\nPython source, 20+ lines, 1 public item.\n\n- `def flat(list)`\n",
                ),
            ],
            "Python files: `class Field`, `def flat(list)` and 1 more.",
        );
        check(
            &[
                (
                    "LICENSE.md",
                    "Creative Commons licence.\n\nLicence file, 10+ lines.\n",
                ),
                (
                    "rack.css",
                    "CSS file, 10+ lines, 1 item.\n\n- rule `body`\n",
                ),
            ],
            "Files: `rack.css` with rule `body`.",
        );
        check(
            &[("c.jq", "Text file, under 10 lines.\n\n- line `def g: 1;`\n")],
            "Text file: `c.jq` with line `def g: 1;`.",
        );
    }

    #[test]
    fn programs_share_tests_names_and_declarations() {
        let php = |class: &str| format!("PHP source, 50+ lines.\n\n- `class {class}`\n");
        let php = [php("AmqpHandler"), php("FleepHandler"), php("Utils")];
        let tests = [
            ("test_app.py", ""),
            ("test_cli.py", ""),
            ("conftest.py", ""),
        ];
        check(&tests, "Tests: `app`, `cli`.");
        check(
            &[
                ("AmqpHandler.php", &php[0]),
                ("FleepHandler.php", &php[1]),
                ("NullHandler.php", "PHP source, 10+ lines.\n"),
                ("Utils.php", &php[2]),
            ],
            "PHP files: `class AmqpHandler`, `class FleepHandler`, `class Utils` and 1 more; among them `*Handler` (3).",
        );
    }

    #[test]
    fn what_tells_no_file_from_others_is_no_point() {
        let js =
            |list: &str| format!("JavaScript source, 10+ lines, 1 public item.\n\n- `{list}`\n");
        let nameless = js("module.exports = function ()");
        check(
            &[("a.js", &nameless), ("b.js", &nameless)],
            "JavaScript files: `a()`, `b()`.",
        );
        let value = "Shell source, 10+ lines.\n\nNot public:\n\n- `HERE=\"$(pwd)\"`\n- `run()`\n";
        let says = "Cleans up.\n\nShell source, 10+ lines.\n\nNot public:\n\n- `usage()`\n";
        check(
            &[
                ("a.js", &nameless),
                ("b.sh", value),
                ("d.sh", says),
                ("e.js", &js("class Long")),
            ],
            "Files: `a()`; `run()`; Cleans up; `class Long`.",
        );
        let ruby = "Ruby source, 10+ lines, 1 public item.\n\n- `module A`\n  - `module Procs`\n    - `def setup`\n";
        check(&[("a.rb", ruby)], "Ruby file: `module Procs`.");
        let names = ["a_test.rb", "b_test.rb", "test_helper.rb"].map(|name| (name, ""));
        check(&names, "Tests: `a`, `b`.");
        let names = ["a_test.rb", "a_test.py", "test_spec.rb"].map(|name| (name, ""));
        check(&names, "Tests: `a`, `test`.");
    }

    #[test]
    fn a_pattern_counts_every_name_that_it_fits() {
        let body = "Text file, 10+ lines.\n";
        let named = |names: &[&'static str]| {
            said(&names.iter().map(|name| (*name, body)).collect::<Vec<_>>())
        };
        assert_eq!(
            named(&[
                "Gemfile.rails-5.2.x",
                "Gemfile.rails-6.0.x",
                "Gemfile.rails-7.0.x",
                "Gemfile.rails-main"
            ])
            .as_deref(),
            Some("Text files named `Gemfile.*` (4).")
        );
        let java =
            |class: &str| format!("Java source, 10+ lines, 1 public item.\n\n- `class {class}`\n");
        let java = ["Args1", "ArgsA", "ArgsList", "ArgsSlave", "Main"]
            .map(|name| (name.to_owned() + ".java", java(name)));
        let java: Vec<(&str, &str)> = java
            .iter()
            .map(|(name, body)| (name.as_str(), body.as_str()))
            .collect();
        assert!(said(&java).is_some_and(|said| {
            said.starts_with("Java files: `class Args1`")
                && said.ends_with("; among them `Args*` (4).")
        }));
        let many: Vec<(String, String)> = ["A", "B", "C", "D", "E", "F", "G"]
            .map(|name| {
                (
                    name.to_owned() + ".java",
                    format!("Java source, 10+ lines, 1 public item.\n\n- `class {name}`\n"),
                )
            })
            .into();
        let many: Vec<(&str, &str)> = many
            .iter()
            .map(|(name, body)| (name.as_str(), body.as_str()))
            .collect();
        check(
            &many,
            "Java files: `class A`, `class B`, `class C`, `class D`, `class E` and 2 more.",
        );
    }

    #[test]
    fn keys_of_most_files_are_counted() {
        let yaml = |keys: &str| format!("YAML file, under 10 lines, 1 key.\n\n- {keys}\n");
        let (fixes, other) = (yaml("key `fixes: It`"), yaml("key `other`"));
        let files = [
            ("a.yaml", &*fixes),
            ("b.yaml", &*fixes),
            ("c.yaml", &*fixes),
            ("d.yaml", &*other),
        ];
        check(&files, "YAML files with `fixes` (3).");
    }

    #[test]
    fn data_and_documents_share_keys_and_say_what_they_are_called() {
        let yaml =
            |more: &str| format!("YAML file, 20+ lines.\n\n- keys `name`, {more}`jobs: test`\n");
        check(
            &[("a.yml", &yaml("`on`, ")), ("b.yml", &yaml(""))],
            "YAML files with `name`, `jobs`.",
        );
        let named =
            |name: &str| format!("YAML file, 20+ lines.\n\n- keys `name {name}`, `jobs: a`\n");
        let list = "List file, under 10 lines, 1 entry.\n\n- entry `* @a`\n";
        check(
            &[
                ("a.yml", &named("Test")),
                ("b.yml", &named("Lint")),
                ("OWNERS", list),
            ],
            "Files: Test; Lint; and 1 more.",
        );
        let document = |says: &str, heading: &str| {
            format!("{says}reStructuredText file, 50+ lines.\n\n- {heading}\n  - Simple\n")
        };
        let flashing = document("", "Flashing");
        check(
            &[
                ("a.rst", &document("Imagine.\n\n", "Large apps")),
                ("b.rst", &flashing),
            ],
            "reStructuredText files: Large apps; Flashing.",
        );
        check(
            &[
                ("a.rst", &document("A first look\n\n", "Data")),
                ("b.rst", &flashing),
            ],
            "reStructuredText files: A first look; Flashing.",
        );
    }

    #[test]
    fn one_file_speaks_for_its_directory() {
        for (name, body, expected) in [
            (
                "a.css",
                "CSS file, 20+ lines, 2 rules.\n\n- rules `html`, `body`\n",
                "CSS file: rules `html`, `body`.",
            ),
            (
                "A.php",
                "PHP source, 50+ lines, 1 public item.\n\n- `class A`: Logs to A.\n",
                "PHP file: `class A`: Logs to A.",
            ),
            (
                "a.h",
                "Mocks of classes. More.\n\nC++ source, 20+ lines.\n\n- `class A`\n",
                "C++ file: Mocks of classes.",
            ),
        ] {
            check(&[(name, body)], expected);
        }
        let js = "JavaScript source, 50+ lines, 1 public item.\n\n- route `GET /`\n";
        let inner = ("b/", "Says more.\n\nDirectory of 1 file.\n");
        check(&[("a.js", js), inner], "JavaScript file: route `GET /`.");
        let flask = (
            "flask/",
            "Makes servers. And more.\n\nDirectory of 3 files.\n",
        );
        check(&[flask], "Holds `flask/`: Makes servers.");
    }

    #[test]
    fn what_one_of_many_says_is_not_said_of_all() {
        let (js, index) = (
            "JavaScript source, 10+ lines.\n",
            "JavaScript source, 10+ lines, 1 public item.\n\n- `export function useIt(a)`\n",
        );
        check(
            &[("a.js", js), ("b.js", js), ("c.js", js), ("d.js", index)],
            "JavaScript files: `d.js`: `function useIt(a)` and 3 more.",
        );
        check(
            &[("index.js", index), ("a.test.js", js), ("b.test.js", js)],
            "JavaScript files: `function useIt(a)` and 2 more.",
        );
        let picture = "Binary file (3 bytes).\n";
        let note = "What is new in it. More.\n\nMarkdown file, 10+ lines.\n";
        check(
            &[("a.png", picture), ("b.png", picture), ("note.md", note)],
            "What is new in it. Images: `a.png`, `b.png`.",
        );
    }

    #[test]
    fn names_alone_are_no_sentence_but_for_pictures() {
        let picture = ("a.png", "Binary file (3 bytes).\n");
        check(
            &[picture, ("b.SVG", "XML file, under 10 lines.\n")],
            "Images: `a.png`, `b.SVG`.",
        );
        check(
            &[("a.bin", picture.1), ("b/", "Directory of 1 file.\n")],
            "",
        );
        check(&[("link", "")], "");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_names_and_bodies_make_one_line(
            parts in prop::collection::vec(("[A-Za-z_.é`-]{1,9}", "[-`a:. \n#é]{0,30}"), 1..8),
        ) {
            let parts: Vec<_> = parts.iter().map(|(name, body)| (name.as_str(), body.as_str())).collect();
            if let Some(text) = said(&parts) {
                prop_assert!(!text.contains('\n') && !text.is_empty(), "{text}");
            }
        }
    }
}

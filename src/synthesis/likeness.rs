//! What the children of a directory share, as one sentence: for a directory without documentation of its own.
//!
//! It says what the files are (tests, documents, a language), what their names have in common, what all of them list, and
//! then what the most important of them declare or are about. A list of bare names is no sentence: without more
//! there is none. It reads nothing but what the children say, so it changes only when they do.

use std::collections::BTreeMap;

use super::child::{ChildNode, PartKind};
use super::facts::Facts;
use super::reading::{beginning, code, cut, declared, head, listed, purpose, sentence, signatures};

/// Children that are named with what they declare or are about.
const POINTS_MAX: usize = 5;
/// Subjects of tests that are named.
const SUBJECTS_MAX: usize = 12;
/// Bytes of what one child is about.
const POINT_BYTES_MAX: usize = 90;
/// Longest first paragraph that is a title.
const TITLE_BYTES_MAX: usize = 48;
/// Fewest names of those that GitHub looks for, in a directory of more.
const GITHUB_MIN: usize = 2;
/// Fewest files whose names can have something in common.
const NAMED_MIN: usize = 3;

/// The sentence about children in the order of their importance: about the directories first that hold more than it has itself.
pub(super) fn likeness(ranked: &[&ChildNode<'_>]) -> Option<String> {
    let files: Vec<&ChildNode<'_>> = of_kind(ranked, PartKind::File);
    let directories: Vec<&ChildNode<'_>> = of_kind(ranked, PartKind::Directory);
    let held = holds(&directories);
    if files.is_empty() {
        return held;
    }
    let said = files_likeness(&files, &directories);
    match (held, said) {
        (Some(held), Some(said))
            if held != said && count_below(&directories) > files.len() as u64 =>
        {
            Some(format!("{held} {said}"))
        }
        (held, said) => said.or(held),
    }
}

/// What is in a directory that GitHub reads: a README among it speaks for the whole repository.
pub(super) fn read_by_github(ranked: &[&ChildNode<'_>]) -> Option<String> {
    const NAMES: [&str; 5] = [
        "workflows",
        "issue_template",
        "funding.yml",
        "dependabot.yml",
        "pull_request_template.md",
    ];
    let is_known = |part: &&&ChildNode<'_>| {
        NAMES
            .iter()
            .any(|name| part.name.eq_ignore_ascii_case(name))
    };
    let known = ranked.iter().filter(is_known).count();
    let names: Vec<String> = ranked.iter().map(|part| code(part)).collect();
    (known >= GITHUB_MIN.min(names.len()) && known > 0).then(|| {
        let names = some_of(&names, SUBJECTS_MAX);
        format!("What GitHub reads of the repository: {names}.")
    })
}

/// Files below directories, as far as their frames say.
fn count_below(directories: &[&ChildNode<'_>]) -> u64 {
    let bodies = directories.iter().filter_map(|part| part.bodies.first());
    let counts = bodies.filter_map(|(_, body)| Facts::parse(body));
    counts.map(|facts| facts.files).sum()
}

/// What the files of a directory share.
fn files_likeness(files: &[&ChildNode<'_>], directories: &[&ChildNode<'_>]) -> Option<String> {
    if files.iter().all(|part| is_image(&part.name)) {
        let names: Vec<&str> = files.iter().map(|part| &*part.name).collect();
        return Some(format!("Images: {}.", listing(&names, SUBJECTS_MAX)));
    }
    let tests: Vec<&str> = files
        .iter()
        .filter_map(|part| subject(&part.name))
        .collect();
    if 5 * tests.len() >= 3 * files.len() {
        return Some(format!("Tests: {}.", listing(&tests, SUBJECTS_MAX)));
    }
    if let [file] = files[..]
        && directories.is_empty()
        && let Some(says) = about(file).or_else(|| declared(file))
    {
        let end = if says.ends_with(['.', '…', '!', '?']) {
            ""
        } else {
            "."
        };
        return Some(format!("{}: {says}{end}", what(files)));
    }
    let pattern = pattern(files);
    let keys = common_names(files);
    let mut points: Vec<String> = Vec::new();
    for point in files.iter().filter_map(|part| point(part)) {
        if points.len() < POINTS_MAX && !points.contains(&point) {
            points.push(point);
        }
    }
    if points.is_empty() && pattern.is_none() && keys.is_none() {
        points.extend(files.iter().filter_map(|part| contents(part)).take(2));
        if points.is_empty() || !directories.is_empty() && holds(directories).is_some() {
            return None;
        }
    }
    let mut text = what(files);
    for more in [pattern, keys].into_iter().flatten() {
        text.push(' ');
        text.push_str(&more);
    }
    if !points.is_empty() {
        text.push_str(": ");
        text.push_str(&points.join(if is_code(files) { ", " } else { "; " }));
    }
    if !text.ends_with(['.', '…', '!', '?']) {
        text.push('.');
    }
    Some(text)
}

fn of_kind<'a, 'p>(ranked: &[&'a ChildNode<'p>], kind: PartKind) -> Vec<&'a ChildNode<'p>> {
    ranked
        .iter()
        .copied()
        .filter(|part| part.kind == kind)
        .collect()
}

/// What a directory of directories holds: what the only one says, or each with its sentence.
fn holds(directories: &[&ChildNode<'_>]) -> Option<String> {
    let said: Vec<(String, String)> = directories
        .iter()
        .filter_map(|part| Some((code(part), about(part)?)))
        .take(POINTS_MAX)
        .collect();
    match (said.as_slice(), directories.len()) {
        ([], _) => None,
        // One in one in one is one path.
        ([(name, says)], 1) => match says.strip_prefix("Holds `") {
            Some(inner) if inner.contains("/`: ") => {
                Some(format!("Holds {}{inner}", name.trim_end_matches('`')))
            }
            _ => Some(format!("Holds {name}: {says}")),
        },
        _ => {
            let said: Vec<String> = said
                .iter()
                .map(|(name, says)| format!("{name}: {}", says.trim_end_matches('.')))
                .collect();
            Some(format!("Holds {}.", said.join("; ")))
        }
    }
}

/// The first sentence of a child, short.
fn about(part: &ChildNode<'_>) -> Option<String> {
    purpose(part).map(|text| sentence(&text, POINT_BYTES_MAX))
}

/// What a file declares first, is called, or is about.
fn point(part: &ChildNode<'_>) -> Option<String> {
    if let Some(signature) = signatures(part).next() {
        return Some(head(signature));
    }
    let about = about(part);
    // What a document is called above its text says more than its first section.
    let is_title =
        |text: &String| text.len() <= TITLE_BYTES_MAX && text.ends_with(char::is_alphanumeric);
    let title = about.clone().filter(is_title);
    let heading = listed(part).next().filter(|text| !text.contains('`'));
    title
        .or_else(|| heading.map(|text| cut(text, POINT_BYTES_MAX)))
        .or_else(|| called(part))
        .or_else(|| {
            let routes = listed(part).find(|line| line.starts_with("route"));
            routes.map(|line| cut(line, POINT_BYTES_MAX))
        })
        .or_else(|| about.map(|text| text.trim_end_matches('.').to_owned()))
}

/// The name that a file of keys gives itself.
fn called(part: &ChildNode<'_>) -> Option<String> {
    let mut keys = listed(part).flat_map(|line| line.split('`').skip(1).step_by(2));
    let name = keys.find_map(|key| key.strip_prefix("name "))?;
    Some(cut(name, POINT_BYTES_MAX))
}

/// What a file of which nothing else is said lists.
fn contents(part: &ChildNode<'_>) -> Option<String> {
    let line = listed(part).next().or_else(|| beginning(part))?;
    Some(format!(
        "{} with {}",
        code(part),
        cut(line, POINT_BYTES_MAX)
    ))
}

fn is_image(name: &str) -> bool {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    ["png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "bmp"]
        .iter()
        .any(|known| end.eq_ignore_ascii_case(known))
}

fn is_code(files: &[&ChildNode<'_>]) -> bool {
    let declare = files
        .iter()
        .filter(|part| signatures(part).next().is_some());
    2 * declare.count() >= files.len()
}

/// `Python files`, where nearly all are of one language.
fn what(files: &[&ChildNode<'_>]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let bodies = files.iter().filter_map(|part| part.bodies.first());
    for facts in bodies.filter_map(|(_, body)| Facts::parse(body)) {
        for language in facts.languages.into_keys() {
            *counts.entry(language).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    let word = if files.len() == 1 { "file" } else { "files" };
    match most {
        Some((language, count)) if 5 * count >= 4 * files.len() => format!("{language} {word}"),
        _ if files.len() == 1 => "A file".to_owned(),
        _ => "Files".to_owned(),
    }
}

/// What a file tests, by its name; `None` for a file that is not named like a test.
fn subject(name: &str) -> Option<&str> {
    const BEFORE: [&str; 3] = ["test_", "test-", "tests_"];
    const BEHIND: [&str; 10] = [
        "_test", "-test", ".test", "_tests", "_spec", "-spec", ".spec", "Test", "Tests", "Spec",
    ];
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let before = BEFORE.iter().find_map(|mark| stem.strip_prefix(mark));
    before
        .or_else(|| BEHIND.iter().find_map(|mark| stem.strip_suffix(mark)))
        .filter(|subject| !subject.is_empty())
}

/// What most names have in common: how they end, or how they begin.
fn pattern(files: &[&ChildNode<'_>]) -> Option<String> {
    let stems: Vec<&str> = files
        .iter()
        .filter(|part| !part.name.starts_with('.'))
        .map(|part| {
            part.name
                .rsplit_once('.')
                .map_or(&*part.name, |(stem, _)| stem)
        })
        .collect();
    let ends = groups(stems.iter().filter_map(|stem| last_word(stem)));
    let starts = groups(stems.iter().filter_map(|stem| first_word(stem)));
    let covered = |groups: &[(&str, usize)]| groups.iter().map(|(_, count)| count).sum::<usize>();
    let (shown, is_end) = if covered(&ends) >= covered(&starts) {
        (ends, true)
    } else {
        (starts, false)
    };
    if shown.is_empty() || 5 * covered(&shown) < 3 * files.len() {
        return None;
    }
    let one = |(word, count): &(&str, usize)| {
        let name = if is_end {
            format!("*{word}")
        } else {
            format!("{word}*")
        };
        format!("`{}` ({count})", name.replace('`', ""))
    };
    let others = if covered(&shown) < files.len() {
        " and others"
    } else {
        ""
    };
    Some(format!(
        "named {}{others}",
        shown.iter().map(one).collect::<Vec<_>>().join(", ")
    ))
}

/// The three words that most names share, with their counts.
fn groups<'s>(words: impl Iterator<Item = &'s str>) -> Vec<(&'s str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<_> = counts
        .into_iter()
        .filter(|(_, count)| *count >= NAMED_MIN)
        .collect();
    counts.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
    counts.truncate(3);
    counts
}

/// `Handler` of `AmqpHandler`, `-api` of `colwise-api`.
fn last_word(stem: &str) -> Option<&str> {
    let at = stem.rfind(|c: char| c.is_uppercase() || matches!(c, '_' | '-' | '.'))?;
    (at > 0 && stem.len() - at > 2).then(|| &stem[at..])
}

/// `req.` of `req.get`, `grouped-` of `grouped-df`.
fn first_word(stem: &str) -> Option<&str> {
    let mut breaks = stem.char_indices().skip(1);
    let (at, c) = breaks.find(|(_, c)| c.is_uppercase() || matches!(c, '_' | '-' | '.'))?;
    let end = if c.is_uppercase() {
        at
    } else {
        at + c.len_utf8()
    };
    (at > 1 && end < stem.len()).then(|| &stem[..end])
}

/// Names that all of at least two files list on one line: keys, blocks of templates.
fn common_names(files: &[&ChildNode<'_>]) -> Option<String> {
    let mut lists = files.iter().map(|part| {
        let names = listed(part).filter(|line| line.contains('`'));
        let mut names: Vec<&str> = names
            .flat_map(|line| line.split('`').skip(1).step_by(2))
            .filter_map(|name| name.split([':', ' ']).next())
            .collect();
        names.dedup();
        names
    });
    let mut common = lists.next().filter(|_| files.len() > 1)?;
    for names in lists {
        common.retain(|name| names.contains(name));
    }
    common.retain(|name| !name.is_empty());
    (!common.is_empty()).then(|| format!("with {}", listing(&common, SUBJECTS_MAX)))
}

/// `a`, `b` and 3 more.
fn listing(names: &[&str], max: usize) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.replace('`', "")))
        .collect();
    some_of(&names, max)
}

/// The first of them, and how many more there are.
fn some_of(names: &[String], max: usize) -> String {
    let shown = &names[..names.len().min(max)];
    let left = names.len().saturating_sub(max);
    if left == 0 {
        shown.join(", ")
    } else {
        format!("{} and {left} more", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part<'p>(name: &'p str, kind: PartKind, body: &str) -> ChildNode<'p> {
        ChildNode {
            name: name.into(),
            kind,
            bodies: vec![("outline".parse().expect("a word"), body.into())],
        }
    }

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
            .map(|(name, body)| part(name.trim_end_matches('/'), kind(name), body))
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
                "Ruby source, under 10 lines.\n\n- first lines `gem 'puma', path: 'here'`, `gem 'nio'`\n",
            )],
            "Ruby file: first lines `gem 'puma', path: 'here'`, `gem 'nio'`.",
        );
        check(
            &[("a.result", "Text file, 10+ lines.\n\n- first line `│`\n")],
            "",
        );
    }

    #[test]
    fn what_github_reads_is_said_to_be_that() {
        let body = "Text file, 10+ lines.\n";
        let parts = [
            part(
                "workflows",
                PartKind::Directory,
                "Directory of 2 files: YAML 2.\n",
            ),
            part("FUNDING.yml", PartKind::File, body),
            part("README.md", PartKind::File, body),
        ];
        let ranked: Vec<&ChildNode<'_>> = parts.iter().collect();
        assert_eq!(
            read_by_github(&ranked).as_deref(),
            Some("What GitHub reads of the repository: `workflows/`, `FUNDING.yml`, `README.md`.")
        );
        assert_eq!(read_by_github(&ranked[1..]), None);
        assert_eq!(read_by_github(&[]), None);
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
            "PHP files named `*Handler` (3) and others: `class AmqpHandler`, `class FleepHandler`, `class Utils`.",
        );
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
            "Files: Test; Lint.",
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

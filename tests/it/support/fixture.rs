//! The fixture language: a history as one string.
//!
//! ```text
//! commit <subject>         a commit of the changes in the lines below it
//! + <path> = <line>        writes a file of one line
//! + <path>                 writes a file of the lines below it that start with `|` (`| text`, `|` for an empty line)
//! +x <path> …              the same, executable
//! @ <path> -> <target>     writes a symbolic link
//! - <path>                 removes a file or a directory
//! > <path> -> <path>       renames
//! branch <name> [<rev>]    creates a branch there (at HEAD unless said) and switches to it
//! switch <name>            switches to a branch
//! merge <name>…            merges branches, always with a merge commit
//! tag <name>               tags HEAD
//! ```
//!
//! Indentation and empty lines mean nothing. A path or content that starts with `"` is a JSON string, taken as it is
//! (no end of line is added), so that every name and every text can be written.

/// What many tests look at: two levels, two languages, a link.
pub(crate) const SAMPLE: &str = "
    commit first
    + README.md
      | # Sample
      |
      | Says what it is.
    + src/lib.rs
      | //! A crate that adds.
      |
      | /// Adds two numbers.
      | pub fn add(a: u8, b: u8) -> u8 {
      |     a + b
      | }
    + src/deep/mod.rs
      | /// Deep down.
      | pub struct Deep;
    @ link -> README.md
";

/// One line of a fixture, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Commit {
        subject: String,
    },
    Write {
        path: String,
        content: String,
        executable: bool,
    },
    Link {
        path: String,
        target: String,
    },
    Remove {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    Branch {
        name: String,
        at: Option<String>,
    },
    Switch {
        name: String,
    },
    Merge {
        names: Vec<String>,
    },
    Tag {
        name: String,
    },
}

/// Reads a fixture; a mistake in it fails the test with its line.
#[track_caller]
pub(crate) fn parse(fixture: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, line) in fixture
        .lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let understood = parse_line(line, &mut steps);
        assert!(
            understood.is_some(),
            "line {} of a fixture is not understood: '{line}'",
            index + 1
        );
    }
    steps
}

/// Adds what a line says; `None` when it says nothing.
fn parse_line(line: &str, steps: &mut Vec<Step>) -> Option<()> {
    if let Some(text) = line.strip_prefix('|') {
        let Some(Step::Write { content, .. }) = steps.last_mut() else {
            return None;
        };
        content.push_str(text.strip_prefix(' ').unwrap_or(text));
        content.push('\n');
        return Some(());
    }
    let (word, rest) = line.split_once(' ')?;
    let rest = rest.trim();
    let step = match word {
        "commit" => Step::Commit {
            subject: rest.to_owned(),
        },
        "+" | "+x" => parse_write(rest, word == "+x")?,
        "-" => Step::Remove {
            path: parse_text(rest)?,
        },
        "@" => {
            let (path, target) = parse_arrow(rest)?;
            Step::Link { path, target }
        }
        ">" => {
            let (from, to) = parse_arrow(rest)?;
            Step::Rename { from, to }
        }
        "branch" => {
            let (name, at) = rest
                .split_once(' ')
                .map_or((rest, None), |(name, at)| (name, Some(at.to_owned())));
            Step::Branch {
                name: name.to_owned(),
                at,
            }
        }
        "switch" => Step::Switch {
            name: rest.to_owned(),
        },
        "merge" => Step::Merge {
            names: rest.split_whitespace().map(ToOwned::to_owned).collect(),
        },
        "tag" => Step::Tag {
            name: rest.to_owned(),
        },
        _ => return None,
    };
    steps.push(step);
    Some(())
}

fn parse_write(rest: &str, executable: bool) -> Option<Step> {
    let (path, rest) = split_text(rest, " = ")?;
    let content = match rest {
        Some(content) if content.starts_with('"') => serde_json::from_str(content).ok()?,
        Some(line) => format!("{line}\n"),
        None => String::new(),
    };
    Some(Step::Write {
        path,
        content,
        executable,
    })
}

fn parse_arrow(rest: &str) -> Option<(String, String)> {
    let (left, right) = split_text(rest, " -> ")?;
    Some((left, parse_text(right?)?))
}

/// Cuts at the first separator behind a leading text; `None` behind it when there is no separator.
fn split_text<'t>(rest: &'t str, separator: &str) -> Option<(String, Option<&'t str>)> {
    if !rest.starts_with('"') {
        let (left, right) = rest
            .split_once(separator)
            .map_or((rest, None), |(left, right)| (left, Some(right)));
        return Some((left.to_owned(), right));
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let left = values.next()?.ok()?;
    let behind = &rest[values.byte_offset()..];
    if behind.is_empty() {
        Some((left, None))
    } else {
        Some((left, Some(behind.strip_prefix(separator)?)))
    }
}

/// A plain word, or a JSON string when it starts with a quotation mark.
fn parse_text(text: &str) -> Option<String> {
    if text.starts_with('"') {
        serde_json::from_str(text).ok()
    } else {
        Some(text.to_owned())
    }
}

#[test]
fn every_kind_of_line_is_understood() {
    let text = r#"
        commit a first one
        + src/lib.rs
          | fn f() {
          |
          |     g()
        +x run = exit 0
        + "a\tb = c" = "\u0000 no end of line"
        @ link -> src/lib.rs
        - old
        > src/lib.rs -> src/main.rs
        branch topic HEAD~1
        branch other
        switch main
        merge topic other
        tag v1
    "#;
    let steps = parse(text);
    insta::assert_snapshot!(steps.iter().map(|step| format!("{step:?}")).collect::<Vec<_>>().join("\n"), @r#"
    Commit { subject: "a first one" }
    Write { path: "src/lib.rs", content: "fn f() {\n\n    g()\n", executable: false }
    Write { path: "run", content: "exit 0\n", executable: true }
    Write { path: "a\tb = c", content: "\0 no end of line", executable: false }
    Link { path: "link", target: "src/lib.rs" }
    Remove { path: "old" }
    Rename { from: "src/lib.rs", to: "src/main.rs" }
    Branch { name: "topic", at: Some("HEAD~1") }
    Branch { name: "other", at: None }
    Switch { name: "main" }
    Merge { names: ["topic", "other"] }
    Tag { name: "v1" }
    "#);
}

#[test]
#[should_panic(expected = "line 2 of a fixture is not understood: 'comit typo'")]
fn a_mistake_is_named_with_its_line() {
    parse("commit one\ncomit typo");
}

#[test]
#[should_panic(expected = "line 2 of a fixture is not understood: '| text'")]
fn content_without_a_file_is_a_mistake() {
    parse("commit one\n| text");
}

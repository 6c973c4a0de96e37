//! The `summarize` policy: what is in a directory and what matters most, without a model.
//!
//! The directory speaks through the child that speaks for it (a README, a module's root file, a package comment), whose
//! first paragraph comes first; where there is none, a sentence says what the children share (`likeness`).
//! Then a facts line, then the children, most important first: who speaks for the directory; dot-files and build files
//! last; between them by weight, which is how many siblings name the child plus twice the binary logarithm of the
//! files below it; then who says the most; ties in git's tree order. Each child stands with the first sentence of its
//! own first paragraph.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;

use super::child::{ChildNode, PartKind};
use super::facts::Facts;
use super::hosting::read_by_github;
use super::likeness::likeness;
use super::policy::{NOTHING, Policy};
use super::reading::{
    SENTENCE_BYTES_MAX, announces, code, declared, lead, purpose, sentence, signatures, speaks,
};
use super::reopened::looked_through;
use super::short::cut;
use crate::base::Digest;
use crate::base::count::counted;

/// Children that are listed with what they are for; the others by name only.
const LISTED_MAX: usize = 40;
/// Bytes of names in the list of the others.
const NAMES_BYTES_MAX: usize = 2_000;
/// Bytes of the directory's first paragraph.
const LEAD_BYTES_MAX: usize = 700;

/// How a document speaks of itself.
const SELVES: [&str; 4] = [
    "in this file",
    "this file ",
    "these are some notes",
    "this document ",
];
/// Fewest files that say the same of themselves, and so nothing that tells them apart.
const SHARED_MIN: usize = 3;
/// Longest first paragraph that only says where to read, or asks.
const POINTER_BYTES_MAX: usize = 80;

/// See the module.
pub struct Summarize;

impl Policy for Summarize {
    fn name(&self) -> &'static str {
        "summarize"
    }

    fn digest(&self) -> Digest {
        Digest::of("git-merkle 2026 policy/1", b"summarize/16")
    }

    fn synthesize(&self, parts: &[ChildNode<'_>]) -> String {
        if parts.is_empty() {
            return NOTHING.to_owned();
        }
        let mut parts = looked_through(parts);
        drop_shared(&mut parts);
        let parts = &parts[..];
        let ranked = rank(parts);
        let mut out = String::new();
        let lead = read_by_github(&ranked).or_else(|| directory_lead(parts));
        if let Some(lead) = lead.or_else(|| likeness(&ranked)) {
            out.push_str(&lead);
            out.push_str("\n\n");
        }
        let _ = writeln!(out, "{}\n", total(parts));
        for part in ranked.iter().take(LISTED_MAX) {
            let _ = writeln!(out, "{}", line(part));
        }
        if ranked.len() > LISTED_MAX {
            let _ = writeln!(out, "- {}", names(&ranked[LISTED_MAX..]));
        }
        out
    }
}

/// Takes the first paragraph from files that share it with two others or more: it stands above all that a project has, and
/// tells none from another. A file that declares nothing keeps it.
fn drop_shared(parts: &mut [ChildNode<'_>]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for lead in parts.iter().filter_map(lead) {
        *counts.entry(lead).or_default() += 1;
    }
    for part in parts.iter_mut().filter(|part| part.kind == PartKind::File) {
        let is_shared = lead(part).is_some_and(|lead| counts[&lead] >= SHARED_MIN);
        if is_shared
            && signatures(part).next().is_some()
            && let Some((_, body)) = part.bodies.first_mut()
            && let Some((_, rest)) = body.split_once("\n\n")
        {
            *body = rest.into();
        }
    }
}

/// What the child that speaks for the directory says first.
fn directory_lead(parts: &[ChildNode<'_>]) -> Option<String> {
    let speakers = parts.iter().filter(|part| part.kind == PartKind::File);
    let mut speakers: Vec<_> = speakers
        .filter_map(|part| {
            let lead = cut(&purpose(part)?, LEAD_BYTES_MAX);
            // What announces a list says nothing without it.
            if lead.len() <= POINTER_BYTES_MAX && !speaks(&lead) || announces(&lead) {
                return None;
            }
            // What speaks of itself speaks for no directory.
            let lower = sentence(&lead, LEAD_BYTES_MAX).to_lowercase();
            if SELVES.iter().any(|words| lower.contains(words)) {
                return None;
            }
            // What is read from its elements speaks for no sources.
            if is_project(&part.name.to_lowercase()) && lead.starts_with("MSBuild project") {
                return None;
            }
            Some((
                voice(&part.name).or_else(|| package_voice(part, &lead))?,
                lead,
            ))
        })
        .collect();
    speakers.sort_by_key(|(voice, _)| *voice);
    speakers.into_iter().next().map(|(_, lead)| lead)
}

/// Files that speak for their directory, those that speak first in front, in lower case.
const VOICES: [&str; 30] = [
    "description",
    "lib.rs",
    "mod.rs",
    "main.rs",
    "__init__.py",
    "__init__.pyi",
    "__main__.py",
    "doc.go",
    "package-info.java",
    "index.ts",
    "index.tsx",
    "index.js",
    "index.mjs",
    "mod.ts",
    "main.go",
    "main.c",
    "main.cpp",
    "program.cs",
    "index.rst",
    "index.md",
    "_index.md",
    "index.adoc",
    "index.html",
    "cargo.toml",
    "package.json",
    "composer.json",
    "pyproject.toml",
    "setup.cfg",
    "pom.xml",
    "dune-project",
];

/// How names of files end that describe the project in their directory.
const PROJECTS: [&str; 6] = [
    ".csproj", ".fsproj", ".vbproj", ".vcxproj", ".cabal", ".gemspec",
];

/// How well a file of this name speaks for its directory: the lowest number speaks; `None`: not at all.
fn voice(name: &str) -> Option<usize> {
    // `DESCRIPTION` is that of a package of R; in small letters it is an ordinary name.
    if name == "description" {
        return None;
    }
    let name = name.to_lowercase();
    if name == "readme" || name.starts_with("readme.") {
        return Some(0);
    }
    let at = VOICES.iter().position(|known| *known == name);
    at.or_else(|| is_project(&name).then_some(VOICES.len()))
        .map(|at| at + 1)
}

/// Whether a file of this name, in lower case, describes a project.
fn is_project(name: &str) -> bool {
    PROJECTS.iter().any(|end| name.ends_with(end))
}

/// A package comment stands in any file of a Go package.
fn package_voice(part: &ChildNode<'_>, lead: &str) -> Option<usize> {
    let is_package = part.name.ends_with(".go") && lead.starts_with("Package ");
    is_package.then_some(VOICES.len() + 2)
}

fn total(parts: &[ChildNode<'_>]) -> Facts {
    let mut total = Facts::default();
    for part in parts {
        let stated = part.bodies.iter().find_map(|(_, body)| Facts::parse(body));
        match part.kind {
            PartKind::File => total.add(&stated.unwrap_or_else(|| Facts::by_name(&part.name))),
            PartKind::Directory => {
                total.add(&stated.unwrap_or_default());
                total.directories = total.directories.saturating_add(1);
            }
            PartKind::Symlink | PartKind::Submodule => {}
        }
    }
    total
}

/// The children, most important first.
fn rank<'a, 'p>(parts: &'a [ChildNode<'p>]) -> Vec<&'a ChildNode<'p>> {
    let named = count_names(parts);
    let mut ranked: Vec<(usize, &ChildNode<'_>)> = parts.iter().enumerate().collect();
    ranked.sort_by_cached_key(|(at, part)| {
        let speaks = part.kind == PartKind::File && voice(&part.name).is_some();
        let files = part
            .bodies
            .iter()
            .find_map(|(_, body)| Facts::parse(body))
            .map_or(0, |facts| facts.files);
        let weight = named[*at] + 2 * files.saturating_add(1).ilog2();
        let bytes: usize = part.bodies.iter().map(|(_, body)| body.len()).sum();
        (
            !speaks,
            part.name.starts_with('.') || is_build_file(&part.name),
            Reverse(weight),
            Reverse(bytes),
            *at,
        )
    });
    ranked.into_iter().map(|(_, part)| part).collect()
}

/// A file that says how its siblings are built, named like them or not.
fn is_build_file(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_make = matches!(
        name.as_str(),
        "makefile" | "kconfig" | "cmakelists.txt" | "make.bat" | "meson.build" | "build.bazel"
    );
    is_make || name.starts_with("licen") || name.strip_suffix(".lock").is_some()
}

/// How many of the other children name each child, by its name without ending, as a whole word.
fn count_names(parts: &[ChildNode<'_>]) -> Vec<u32> {
    let mut by_stem: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        let stem = part
            .name
            .split('.')
            .find(|stem| !stem.is_empty())
            .unwrap_or("");
        if stem.len() >= 3 && voice(&part.name).is_none() {
            by_stem.entry(stem).or_default().push(at);
        }
    }
    let mut counts = vec![0; parts.len()];
    let mut last_seen = vec![usize::MAX; parts.len()];
    for (reader, part) in parts.iter().enumerate() {
        let bodies = part.bodies.iter().flat_map(|(_, body)| {
            body.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        });
        for word in bodies {
            for &at in by_stem.get(word).into_iter().flatten() {
                if at != reader && last_seen[at] != reader {
                    last_seen[at] = reader;
                    counts[at] += 1;
                }
            }
        }
    }
    counts
}

fn line(part: &ChildNode<'_>) -> String {
    let mut line = format!("- {}", code(part));
    let facts = part.bodies.iter().find_map(|(_, body)| Facts::parse(body));
    match (part.kind, facts) {
        (PartKind::Directory, Some(facts)) => {
            let _ = write!(line, " ({})", counted(facts.files, "file", "files"));
        }
        (PartKind::Symlink, _) => line.push_str(" (symlink)"),
        (PartKind::Submodule, _) => line.push_str(" (submodule)"),
        _ => line.push_str(unsaid(part)),
    }
    if let Some(says) = says(part) {
        let _ = write!(line, " — {says}");
    }
    line
}

/// What stands behind a child's name: the first sentence of what is said of it, else what it declares.
#[must_use]
pub fn says(part: &ChildNode<'_>) -> Option<String> {
    lead(part)
        .map(|lead| sentence(&lead, SENTENCE_BYTES_MAX))
        .or_else(|| declared(part))
}

fn names(parts: &[&ChildNode<'_>]) -> String {
    let mut line = format!("and {} more: ", parts.len());
    for (at, part) in parts.iter().enumerate() {
        if line.len() > NAMES_BYTES_MAX {
            let _ = write!(line, ", …");
            break;
        }
        if at > 0 {
            line.push_str(", ");
        }
        line.push_str(&code(part));
        line.push_str(unsaid(part));
    }
    line
}

/// What stands behind a file or directory about which nothing is said: its content is not in this clone, for example.
fn unsaid(part: &ChildNode<'_>) -> &'static str {
    let is_node = matches!(part.kind, PartKind::File | PartKind::Directory);
    if is_node && part.bodies.is_empty() {
        " (no statement)"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_says_what_is_in_it_and_what_matters() {
        let parts = [
            ChildNode::outlined(
                "README.md",
                PartKind::File,
                "A tool for trees. It has more to say.\n\nMarkdown file, 50+ lines.\n",
            ),
            ChildNode::outlined(
                "cli",
                PartKind::Directory,
                "The surface.\n\nDirectory of 24 files: Rust 24.\n",
            ),
            ChildNode::outlined(
                "hash.rs",
                PartKind::File,
                "Rust source, 100+ lines, 2 public items.\n\n- `pub fn hash(bytes: &[u8]) -> Digest`\n",
            ),
            ChildNode::outlined(
                "walk.rs",
                PartKind::File,
                "Walks trees, e.g. big ones. More.\n\nRust source, 200+ lines.\n\nImports: `crate::hash`\n",
            ),
            ChildNode {
                name: "link".into(),
                kind: PartKind::Symlink,
                bodies: vec![],
            },
        ];
        insta::assert_snapshot!(Summarize.synthesize(&parts), @r"
        A tool for trees. It has more to say.

        Directory of 27 files and 1 directory: Rust 26, Markdown 1.

        - `README.md` — A tool for trees.
        - `cli/` (24 files) — The surface.
        - `hash.rs` — `fn hash(bytes: &[u8]) -> Digest`
        - `walk.rs` — Walks trees, e.g. big ones.
        - `link` (symlink)
        ");
        assert_eq!(Summarize.synthesize(&[]), NOTHING);
    }

    #[test]
    fn a_package_that_reads_speaks_for_its_directory_and_a_pointer_does_not() {
        let said = |says: &str| {
            let body = format!("{says}\n\nPython source, 10+ lines.\n");
            let parts = [
                ChildNode::outlined("__init__.py", PartKind::File, &body),
                ChildNode::outlined(
                    "a.py",
                    PartKind::File,
                    "Python source, 10+ lines, 1 public item.\n\n- `def chunk(a)`\n",
                ),
            ];
            let out = Summarize.synthesize(&parts);
            out.split("\n\n").next().unwrap_or_default().to_owned()
        };
        assert_eq!(
            said("Read and write PNG files."),
            "Read and write PNG files."
        );
        assert_eq!(
            said("Want a fast widget for your page?"),
            "Want a fast widget for your page?"
        );
        for pointer in [
            "Read blast.h for purpose and usage.",
            "What do all those files mean?",
        ] {
            assert_eq!(said(pointer), "Python files: `def chunk(a)` and 1 more.");
        }
    }

    /// Before, what stands above each file of a project was said of each, and a README spoke of itself.
    #[test]
    fn what_files_share_tells_none_of_them_and_a_document_about_itself_no_directory() {
        let own = |name: &str| {
            format!(
                "Till - a cash register\n\nPHP source, 10+ lines, 1 public item.\n\n- `class {name}`\n"
            )
        };
        let bodies = ["A", "B", "C"].map(own);
        let mut parts: Vec<ChildNode<'_>> = ["A.php", "B.php", "C.php"]
            .into_iter()
            .zip(&bodies)
            .map(|(name, body)| ChildNode::outlined(name, PartKind::File, body))
            .collect();
        let said = Summarize.synthesize(&parts);
        assert!(
            said.starts_with("PHP files: `class A`, `class B`, `class C`.\n"),
            "{said}"
        );
        assert!(said.contains("- `A.php` — `class A`\n"), "{said}");
        let about = "These are some notes on the till. This file does not say how it is used.\n\nMarkdown file, 10+ lines.\n";
        parts.push(ChildNode::outlined("README.md", PartKind::File, about));
        let said = Summarize.synthesize(&parts);
        assert!(!said.starts_with("These are"), "{said}");
    }

    #[test]
    fn hostile_names_stay_on_their_line() {
        let parts = [ChildNode::outlined("a\n# b`c", PartKind::File, "Says.\n")];
        let out = Summarize.synthesize(&parts);
        assert!(out.contains("``a\u{fffd}# b`c``"), "{out}");
    }
}

//! The facts line: the one line of an outline that the directory above can count with.
//!
//! A file's starts with its language, `Rust source, 200+ lines, 12 public items.`; a directory's is
//! `Directory of 12 files and 3 directories: Rust 10, Markdown 2.` A body without one (a model's summary) counts as
//! one file of no known language.

use crate::base::count::counted;
use crate::symbol::detect;
use std::collections::BTreeMap;
use std::fmt;

/// Languages that are named; the others are counted together.
const LANGUAGES_MAX: usize = 8;
const OTHER: &str = "other";
const DIRECTORY: &str = "Directory of ";

/// What is below a node, as far as its frame says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Files, through all levels.
    pub files: u64,
    /// Directories below, through all levels.
    pub directories: u64,
    /// Files by language, of those that have one.
    pub languages: BTreeMap<String, u64>,
}

impl Facts {
    /// Reads the facts line of a body; `None` when it has none.
    #[must_use]
    pub fn parse(body: &str) -> Option<Self> {
        let line = find_line(body)?;
        let Some(counts) = line.strip_prefix(DIRECTORY) else {
            let language = file_language(line)?;
            return Some(Self {
                files: 1,
                directories: 0,
                languages: BTreeMap::from([(language.to_owned(), 1)]),
            });
        };
        let counts = counts.strip_suffix('.')?;
        let (counts, languages) = counts.split_once(": ").unwrap_or((counts, ""));
        let mut facts = Self {
            languages: parse_languages(languages)?,
            ..Self::default()
        };
        for part in counts.split(" and ") {
            match part.split_once(' ')? {
                (count, "file" | "files") => facts.files = count.parse().ok()?,
                (count, "directory" | "directories") => facts.directories = count.parse().ok()?,
                _ => return None,
            }
        }
        Some(facts)
    }

    /// One file whose statement does not say the language: empty, with a byte of zero, or told of by a model. Its name says it.
    #[must_use]
    pub fn by_name(name: &str) -> Self {
        let language = detect(name.as_bytes(), b"").map(|language| language.title().to_owned());
        Self {
            files: 1,
            directories: 0,
            languages: language.into_iter().map(|title| (title, 1)).collect(),
        }
    }

    /// Adds what is below another node.
    pub fn add(&mut self, other: &Self) {
        self.files = self.files.saturating_add(other.files);
        self.directories = self.directories.saturating_add(other.directories);
        for (language, count) in &other.languages {
            let sum = self.languages.entry(language.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
}

/// The facts line of a body.
pub(super) fn find_line(body: &str) -> Option<&str> {
    body.lines()
        .take(12)
        .find(|line| line.starts_with(DIRECTORY) || file_language(line).is_some())
}

/// The language that a file's facts line names.
fn file_language(line: &str) -> Option<&str> {
    let (kind, rest) = line.split_once(", ")?;
    let language = kind
        .strip_suffix(" source")
        .or_else(|| kind.strip_suffix(" file"))?;
    (rest
        .split(", ")
        .next()?
        .trim_end_matches('.')
        .ends_with(" lines")
        && rest.ends_with('.'))
    .then_some(language)
}

fn parse_languages(part: &str) -> Option<BTreeMap<String, u64>> {
    part.split(", ")
        .filter(|one| !one.is_empty())
        .map(|one| {
            let (language, count) = one.rsplit_once(' ')?;
            Some((language.to_owned(), count.parse().ok()?))
        })
        .filter(|one| one.as_ref().is_none_or(|(language, _)| language != OTHER))
        .collect()
}

/// The facts line of a directory.
impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DIRECTORY}{}", counted(self.files, "file", "files"))?;
        if self.directories > 0 {
            write!(
                f,
                " and {}",
                counted(self.directories, "directory", "directories")
            )?;
        }
        let mut languages: Vec<_> = self.languages.iter().collect();
        languages.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        languages.truncate(LANGUAGES_MAX);
        let rest = |rest: u64, (_, count): &(&String, &u64)| rest.saturating_sub(**count);
        let other = languages.iter().fold(self.files, rest);
        let mut named: Vec<String> = languages
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        if !named.is_empty() && other > 0 {
            named.push(format!("{OTHER} {other}"));
        }
        if !named.is_empty() {
            write!(f, ": {}", named.join(", "))?;
        }
        f.write_str(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_add_up() {
        let mut facts = Facts {
            files: 1,
            directories: 1,
            ..Facts::default()
        };
        facts.add(
            &Facts::parse("What.\n\nRust source, 200+ lines, 12 public items.\n")
                .expect("a facts line"),
        );
        facts.add(
            &Facts::parse("Directory of 3 files and 1 directory: C# 2, other 1.")
                .expect("a facts line"),
        );
        assert_eq!(
            facts.to_string(),
            "Directory of 5 files and 2 directories: C# 2, Rust 1, other 2."
        );
        assert_eq!(Facts::parse(&facts.to_string()), Some(facts));
        // Before, a picture beside them was in the first count and in none of the others.
        let mut facts = Facts::by_name("a.rs");
        facts.add(&Facts::by_name("a.bin"));
        assert_eq!(facts.to_string(), "Directory of 2 files: Rust 1, other 1.");
        assert_eq!(Facts::by_name("a.bin").to_string(), "Directory of 1 file.");
        assert_eq!(Facts::parse("Plain file text.\n\nNo facts here."), None);
    }

    #[test]
    fn trees_without_end_saturate() {
        let most = u64::MAX;
        let languages: Vec<String> = (0..12).map(|n| format!("L{n} {most}")).collect();
        let line = format!(
            "Directory of {most} files and {most} directories: {}.",
            languages.join(", ")
        );
        let mut facts = Facts::parse(&line).expect("a facts line");
        facts.add(&facts.clone());
        assert_eq!((facts.files, facts.directories), (most, most));
        assert_eq!(
            Facts::parse(&facts.to_string()).map(|facts| facts.files),
            Some(most)
        );
    }
}

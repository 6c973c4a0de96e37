//! Which files an agent speaks about: patterns as in `.gitignore`, of which the last that matches decides.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::exclusion::Exclusion;
use crate::base::TreePath;

/// The most patterns of one agent: each takes some kilobytes.
const PATTERNS_MAX: usize = 1_000;

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no pattern: {1}")]
pub struct IncludeError(String, String);

/// The files that an agent speaks about; without patterns, all but those that an [`Exclusion`] names.
///
/// `src/**` and `src/` are everything below `src`, `*.rs` is every such file at any depth, `!` takes out again.
#[derive(Debug, Clone)]
pub struct Include {
    patterns: Vec<String>,
    matcher: Gitignore,
}

impl Include {
    /// Checks patterns.
    pub fn parse(patterns: Vec<String>) -> Result<Self, IncludeError> {
        if patterns.len() > PATTERNS_MAX {
            return Err(IncludeError(
                format!("{}, …", patterns[0]),
                format!("there are more than {PATTERNS_MAX}"),
            ));
        }
        let mut builder = GitignoreBuilder::new("");
        for pattern in &patterns {
            let refused = |why: String| IncludeError(pattern.clone(), why);
            if pattern.trim().is_empty() || pattern.contains(['\n', '\0']) {
                return Err(refused("it is empty or has a line feed".to_owned()));
            }
            builder
                .add_line(None, pattern)
                .map_err(|err| refused(err.to_string()))?;
        }
        let matcher = builder
            .build()
            .map_err(|err| IncludeError(patterns.join(", "), err.to_string()))?;
        Ok(Self { patterns, matcher })
    }

    /// The patterns as they were written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Why a file is left out though no pattern says so.
    #[must_use]
    pub fn exclusion(&self, file: &TreePath) -> Option<Exclusion> {
        let is_default = self.patterns.is_empty();
        is_default.then(|| Exclusion::of(file)).flatten()
    }

    /// True when the agent speaks about a file of this path. Of a directory nothing is said here: it takes part when
    /// a file below it does.
    #[must_use]
    pub fn contains(&self, file: &TreePath) -> bool {
        if self.patterns.is_empty() {
            return Exclusion::of(file).is_none();
        }
        // The matcher refuses paths that begin with '/'; git has none.
        let bytes = file.as_bytes();
        if bytes.is_empty() || bytes.starts_with(b"/") {
            return false;
        }
        self.matcher
            .matched_path_or_any_parents(Path::new(OsStr::from_bytes(bytes)), false)
            .is_ignore()
    }
}

impl Default for Include {
    /// All files but those that an [`Exclusion`] names.
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            matcher: Gitignore::empty(),
        }
    }
}

impl PartialEq for Include {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_files() {
        let chosen = |patterns: &[&str], file: &str| {
            let include =
                Include::parse(patterns.iter().map(|&pattern| pattern.to_owned()).collect())
                    .expect("patterns");
            include.contains(&TreePath::from(file))
        };
        for (patterns, file, expected) in [
            (&[][..], "a", true),
            (&[], "a.lock", false),
            (&["*"], "a.lock", true),
            (&["src/**"], "src/a/b.rs", true),
            (&["src/**"], "lib/src/a.rs", false),
            (&["src/"], "src/a/b.rs", true),
            (&["*.rs"], "a/b.rs", true),
            (&["*.rs"], "a/b.py", false),
            (
                &["src/**", "!src/generated/**"],
                "src/generated/x.rs",
                false,
            ),
            (&["src/**", "!src/generated/**"], "src/x.rs", true),
        ] {
            assert_eq!(chosen(patterns, file), expected, "{patterns:?} {file}");
        }
        assert!(Include::parse(vec![" ".to_owned()]).is_err());
        assert!(!chosen(&["*"], ""));
    }
}

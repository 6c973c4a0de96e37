//! Where a setting comes from: how far the place is trusted, and the place itself.

use std::fmt;
use std::path::PathBuf;

/// How far a place is trusted; see the table in [`trust`](super::trust).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrustLevel {
    /// Only the user can have written it: system and global git configuration, user file, environment, command line.
    Protected,
    /// `.git/config`: a program that ran in the repository may have written it.
    Local,
    /// A file of the repository: the repository's authors wrote it.
    Repository,
}

impl TrustLevel {
    /// The word for it in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Protected => "protected",
            Self::Local => "local",
            Self::Repository => "repository",
        }
    }
}

/// The place at which a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The program.
    BuiltIn,
    /// A file, and the line where it is known.
    File {
        /// Which.
        path: PathBuf,
        /// Counted from 1.
        line: Option<u32>,
    },
    /// A variable of the environment, by its whole name.
    Environment(String),
    /// `-c`, or what git passes on of its own `-c`.
    CommandLine,
}

impl fmt::Display for Place {
    /// As `git config --show-origin` names places, with the line: `file:.git/config:3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in:"),
            Self::File {
                path,
                line: Some(line),
            } => write!(f, "file:{}:{line}", path.display()),
            Self::File { path, line: None } => write!(f, "file:{}", path.display()),
            Self::Environment(name) => write!(f, "environment:{name}"),
            Self::CommandLine => f.write_str("command line:"),
        }
    }
}

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// How far it is trusted.
    pub level: TrustLevel,
    /// Where it stands.
    pub place: Place,
}

impl Origin {
    /// The same within a sentence: `command line` without its colon.
    #[must_use]
    pub fn shown(&self) -> String {
        self.to_string().trim_end_matches(':').to_owned()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

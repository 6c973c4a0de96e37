//! Path specifications, as git reads them on its command lines: `*.rs`, `:/docs`, `:(top,icase)readme*`, `:!tests`.
//!
//! Nothing is looked up here: a pathspec matches paths that others bring. Attributes (`:(attr:…)`) are refused, since they
//! would have to be read of each file; `GIT_LITERAL_PATHSPECS` and its like are followed, so `git --literal-pathspecs` works.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gix_pathspec::attributes::glob::pattern::Case;
use gix_pathspec::attributes::search::Outcome;
use gix_pathspec::{Defaults, MagicSignature, Pattern, Search, SearchMode};

use super::repo::Repository;
use super::variable::variable;
use crate::base::TreePath;

/// Why a text is no pathspec.
#[derive(Debug, thiserror::Error)]
pub enum PathspecError {
    /// Unknown magic, a path that leads out of the repository, variables that contradict each other.
    #[error("'{0}' is not a pathspec: {1}")]
    Malformed(String, String),
    /// `:(attr:…)`.
    #[error("'{0}' asks for an attribute; only paths are matched here")]
    Attribute(String),
}

/// One pathspec, seen from the root of the repository.
#[derive(Debug, Clone)]
pub struct Pathspec(Pattern);

impl Pathspec {
    /// Reads what stands on a command line; `prefix` is the current directory.
    pub fn parse(
        repo: &Repository,
        prefix: &TreePath,
        written: &[u8],
    ) -> Result<Self, PathspecError> {
        let text = || String::from_utf8_lossy(written).into_owned();
        let malformed = |error: gix::Error| {
            let mut reason = error.to_string();
            if let Some(first) = reason.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            PathspecError::Malformed(text(), reason)
        };
        let defaults = Defaults::from_environment(&mut variable).map_err(malformed)?;
        let mut pattern = gix_pathspec::parse(written, defaults).map_err(malformed)?;
        if !pattern.attributes.is_empty() {
            return Err(PathspecError::Attribute(text()));
        }
        let root = repo.work_dir().unwrap_or_else(|| repo.git_dir());
        pattern
            .normalize(as_path(prefix), root)
            .map_err(malformed)?;
        // Seen from the root it is `.`, which gix compares with the first letter of each path.
        if pattern.is_nil() && !pattern.is_excluded() {
            return Ok(Self::literal(&TreePath::root()));
        }
        Ok(Self(pattern))
    }

    /// A path and everything below it, whatever characters it has.
    #[must_use]
    pub fn literal(path: &TreePath) -> Self {
        if path.is_root() {
            return Self(gix_pathspec::parse(b":", Defaults::default()).expect("everything"));
        }
        let literal = Defaults {
            signature: MagicSignature::TOP,
            search_mode: SearchMode::Literal,
            literal: true,
        };
        let mut pattern = gix_pathspec::parse(path.as_bytes(), literal).expect("taken as it is");
        pattern
            .normalize(Path::new(""), Path::new("/"))
            .expect("below the root");
        Self(pattern)
    }

    /// True for text that says more than a path: that begins with git's magic, or has a character that matches others.
    #[must_use]
    pub fn is_magic(written: &[u8]) -> bool {
        let defaults = Defaults::from_environment(&mut variable).unwrap_or_default();
        let has_magic = match written {
            [b':', first, ..] if b"/!^(".contains(first) => true,
            _ => written.iter().any(|byte| b"*?[".contains(byte)),
        };
        !defaults.literal && (has_magic || defaults.signature.contains(MagicSignature::ICASE))
    }

    /// True when it takes paths out that others let in.
    #[must_use]
    pub fn is_excluding(&self) -> bool {
        self.0.is_excluded()
    }

    /// The path that it names, where nothing in it can match others.
    #[must_use]
    pub fn path(&self) -> Option<TreePath> {
        let has_wildcards = self.0.search_mode != SearchMode::Literal
            && self.0.path().iter().any(|byte| b"*?[\\".contains(byte));
        let others = MagicSignature::ICASE | MagicSignature::EXCLUDE;
        let is_one = !has_wildcards && !self.0.signature.intersects(others);
        is_one.then(|| self.text())
    }

    /// The pattern from the root, where it means what the same text means in a list: `:(glob)src/*.rs`, `:/docs`.
    #[must_use]
    pub fn as_glob(&self) -> Option<TreePath> {
        let is_glob = self.0.search_mode == SearchMode::PathAwareGlob
            && self
                .0
                .signature
                .difference(MagicSignature::TOP | MagicSignature::MUST_BE_DIR)
                .is_empty();
        self.path().or_else(|| is_glob.then(|| self.text()))
    }

    fn text(&self) -> TreePath {
        if self.0.is_nil() {
            TreePath::root()
        } else {
            TreePath::new(self.0.path().to_vec())
        }
    }
}

/// Pathspecs together: a path is wanted when one of them matches it and none takes it out.
#[derive(Debug)]
pub struct PathFilter(Option<RefCell<Search>>);

impl PathFilter {
    /// Puts pathspecs together; without any every path is wanted.
    #[must_use]
    pub fn new(specs: impl IntoIterator<Item = Pathspec>) -> Self {
        let mut specs = specs.into_iter().map(|spec| spec.0).peekable();
        if specs.peek().is_none() {
            return Self(None);
        }
        let search = Search::from_specs(specs, None, Path::new("/"));
        let search = search.expect("each was seen from the root before");
        Self(Some(RefCell::new(search)))
    }

    /// True for a path, or one below what is named.
    pub fn wants(&self, path: &[u8]) -> bool {
        // Only attributes, which are refused, change anything in a search.
        let Some(mut search) = self.0.as_ref().map(RefCell::borrow_mut) else {
            return true;
        };
        if path.is_empty() {
            // Everything is meant where all that is named is what to leave out, as in git.
            let (mut is_all, mut is_named) = (true, false);
            for spec in search.patterns() {
                match (spec.is_nil(), spec.is_excluded()) {
                    (true, true) => return false,
                    (nil, false) => (is_all, is_named) = (false, is_named || nil),
                    (false, true) => {}
                }
            }
            return is_all || is_named;
        }
        let no_attributes = &mut |_: &_, _: Case, _, _: &mut Outcome| false;
        search
            .pattern_matching_relative_path(path.into(), Some(false), no_attributes)
            .is_some_and(|found| !found.is_excluded())
    }
}

fn as_path(path: &TreePath) -> &Path {
    Path::new(OsStr::from_bytes(path.as_bytes()))
}

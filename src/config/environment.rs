//! The process environment as a value: captured once, passed on, so that nothing below reads it by surprise.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What every variable of the program that belongs to it begins with.
pub const PREFIX: &str = "GIT_MERKLE_";

/// The variable that holds the content hash which the user accepts: an answer to a question, and no setting.
pub const TRUST_VARIABLE: &str = "GIT_MERKLE_TRUST";

/// The variables of a process, as they stood when it began.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Takes the variables of this process.
    #[must_use]
    pub fn capture() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// The value of a variable; `None` when it is unset.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The value of a variable as text; `None` when it is unset, empty or not UTF-8.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)
            .and_then(OsStr::to_str)
            .filter(|text| !text.is_empty())
    }

    /// The value of a variable as an absolute path; relative ones are not taken, as the XDG rules say.
    #[must_use]
    pub fn directory(&self, name: &str) -> Option<PathBuf> {
        self.get(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }

    /// Every variable, in the order of names: what a child may be given.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The variables whose names begin with [`PREFIX`], but for [`TRUST_VARIABLE`]: the rest of the name, and the value, in the order of names.
    ///
    /// What is not UTF-8 has `\u{fffd}` in its place, which no setting takes.
    pub fn settings(&self) -> impl Iterator<Item = (String, String)> {
        let settings = self
            .0
            .iter()
            .filter(|(name, _)| name.as_os_str() != TRUST_VARIABLE);
        settings.filter_map(|(name, value)| {
            let name = name.to_string_lossy();
            Some((
                name.strip_prefix(PREFIX)?.to_owned(),
                value.to_string_lossy().into_owned(),
            ))
        })
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_variables_are_found_by_prefix() {
        let environment: Environment = [
            ("GIT_MERKLE_NOTES", "1"),
            ("GIT_MERKLE", "x"),
            ("HOME", "/h"),
            ("GIT_MERKLE_A__B", ""),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            environment.settings().collect::<Vec<_>>(),
            [("A__B", ""), ("NOTES", "1")].map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn empty_and_relative_values_are_no_directories() {
        let environment: Environment = [("A", ""), ("B", "x/y"), ("C", "/x")].into_iter().collect();
        assert_eq!(
            ["A", "B", "C", "D"].map(|name| environment.directory(name).is_some()),
            [false, false, true, false]
        );
        assert_eq!(environment.text("A"), None);
    }
}

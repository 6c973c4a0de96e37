//! Which findings the user has allowed in a repository: ids, one per line, in `merkle/allowed-secrets` of the git directory.
//!
//! The file is sealed: one that came with a repository allows nothing.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::open::Workspace;
use crate::git::StateDir;
use crate::secret::{Allowed, FindingId, RuleError, Scanner};

/// The file's name below the state directory.
const FILE_NAME: &str = "allowed-secrets";
const LOCK_NAME: &str = "allowed-secrets-lock";
/// Room for some eighty thousand ids.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How long another process that writes it is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// The file of rules in either folder.
const RULES_NAME: &str = "secrets.toml";

/// A file of rules about secrets cannot be used; to go on without it would find less than its author wanted.
#[derive(Debug, thiserror::Error)]
#[error("bad rules in '{}'", path.display())]
pub struct RulesError {
    /// The file.
    pub path: PathBuf,
    /// Where and what.
    #[source]
    pub source: RuleError,
}

impl Workspace {
    /// The built-in rules with those of the user's and the repository's `secrets.toml`, which can only add to them.
    pub fn scanner(&self) -> Result<&Scanner, RulesError> {
        let folders = [self.personal_folder(), &self.folder];
        let files: Vec<_> = folders
            .into_iter()
            .filter_map(|folder| Some((folder, folder.files.get(RULES_NAME)?)))
            .collect();
        if files.is_empty() {
            return Ok(Scanner::built_in());
        }
        if let Some(known) = self.added_rules.get() {
            return Ok(known);
        }
        let texts: Vec<_> = files
            .iter()
            .map(|(_, bytes)| String::from_utf8_lossy(bytes))
            .collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let scanner = Scanner::with_rules(&texts).map_err(|(number, source)| RulesError {
            path: files[number].0.path_of(RULES_NAME),
            source,
        })?;
        Ok(self.added_rules.get_or_init(|| scanner))
    }

    /// What the user has allowed here before, and `now`, which is remembered.
    pub fn allowed_secrets(&self, now: &[FindingId]) -> io::Result<Allowed> {
        remember(&self.state, now)
    }
}

/// Reads what is allowed; a file that cannot be read, or that this user did not write, allows nothing.
#[must_use]
fn load(state: &StateDir) -> Allowed {
    Allowed::parse(&state.kept_text(FILE_NAME, FILE_BYTES_MAX))
}

/// Adds ids to the file, which is written only when one of them is new.
fn remember(state: &StateDir, ids: &[FindingId]) -> io::Result<Allowed> {
    let mut allowed = load(state);
    if ids
        .iter()
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|id| allowed.insert(id.clone()))
        .count()
        == 0
    {
        return Ok(allowed);
    }
    let lock = state.lock(LOCK_NAME, WAIT)?;
    if lock.is_none() {
        return Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "another process is writing it",
        ));
    }
    // Read again: another process may have added to it meanwhile.
    let mut allowed = load(state);
    for id in ids {
        allowed.insert(id.clone());
    }
    state.write_sealed(FILE_NAME, allowed.render().as_bytes())?;
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::git::fixture::state;

    #[test]
    fn ids_are_remembered_privately_and_only_when_they_are_new() {
        let (_folder, state) = state();
        assert_eq!(
            remember(&state, &[]).expect("nothing to write"),
            Allowed::default()
        );
        assert!(!state.shown().exists(), "and nothing is written");
        let ids = [FindingId::of("a", b"1"), FindingId::of("b", b"2")];
        let first = remember(&state, &ids[..1]).expect("writable");
        assert_ne!(remember(&state, &ids[1..]).expect("writable"), first);
        assert_eq!(load(&state), ids.iter().cloned().collect());
        let path = state.shown_file(FILE_NAME);
        assert_eq!(
            path.metadata().expect("written").permissions().mode() & 0o777,
            0o600
        );
        for forged in [
            "\u{0}damage".to_owned(),
            format!("{}\n", FindingId::of("a", b"1")),
        ] {
            std::fs::write(&path, forged).expect("writable");
            assert_eq!(load(&state), Allowed::default());
        }
    }
}

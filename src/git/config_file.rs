//! Changes to git's configuration, made by git itself: in the user's own file, or in that of a repository.

use super::child::{ChildError, GitCommand};
use super::credential::run_outside;
use super::repo::Repository;

/// git's exit code for a key that is not there.
const NOT_THERE: i32 = 5;

/// Which file is written.
pub enum ConfigFile<'r> {
    /// The user's own, as `git config --global`.
    Global,
    /// The repository's, as `git config --local`.
    Local(&'r Repository),
}

impl ConfigFile<'_> {
    /// Adds a value to a key.
    pub fn add(&self, key: &str, value: &str) -> Result<(), ChildError> {
        self.run("--add", &[key, value])
    }

    /// Puts values in the place of those that a key has.
    pub fn set(&self, key: &str, values: &[String]) -> Result<(), ChildError> {
        let (first, others) = values.split_first().expect("a value");
        self.run("--replace-all", &[key, first])?;
        others.iter().try_for_each(|value| self.add(key, value))
    }

    /// Takes a key out; false when it is not there.
    pub fn unset(&self, key: &str) -> Result<bool, ChildError> {
        let is_there = |error: &ChildError| !matches!(error, ChildError::Failed { code, .. } if *code == Some(NOT_THERE));
        found(self.run("--unset-all", &[key]), is_there)
    }

    /// Takes a section out with all that is in it; false when it is not there.
    pub fn remove_section(&self, section: &str) -> Result<bool, ChildError> {
        let is_there = |error: &ChildError| !matches!(error, ChildError::Failed { message, .. } if message.contains("no such section"));
        found(self.run("--remove-section", &[section]), is_there)
    }

    fn run(&self, action: &'static str, operands: &[&str]) -> Result<(), ChildError> {
        match self {
            Self::Global => {
                run_outside("config", &[&["--global", action, "--"], operands].concat())
            }
            Self::Local(repo) => {
                let command = GitCommand::new(repo, "config")
                    .option("--local")
                    .option(action);
                let command = operands.iter().fold(command, GitCommand::operand);
                command.run(b"").map(drop)
            }
        }
    }
}

fn found(
    result: Result<(), ChildError>,
    is_there: impl Fn(&ChildError) -> bool,
) -> Result<bool, ChildError> {
    match result {
        Err(error) if !is_there(&error) => Ok(false),
        other => other.map(|()| true),
    }
}

//! How the program ends when it cannot find what an argument names.

use super::super::exit::Exit;
use super::CliError;
use crate::cli::shell::shell_word;
use crate::workspace::TargetError;

impl From<TargetError> for CliError {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::Object(inner) => inner.into(),
            TargetError::Revision(inner) => inner.into(),
            TargetError::Scan(inner) => inner.into(),
            TargetError::Unknown(_) | TargetError::NoPath { .. } | TargetError::NoMatch(_) => {
                Self::from_source(Exit::Git, error)
                    .hint("'git ls-tree -r --name-only HEAD' lists what is there")
            }
            TargetError::NotAPath(_) | TargetError::Several { .. } | TargetError::Pathspec(_) => {
                Self::from_source(Exit::Usage, error)
            }
            TargetError::Submodule {
                ref module,
                ref path,
                ..
            } => {
                let there = shell_word(module);
                let hint = if path.is_empty() {
                    format!("git merkle -C {there} show")
                } else {
                    format!("git merkle -C {there} show {}", shell_word(path))
                };
                Self::from_source(Exit::Refused, error).hint(hint)
            }
            TargetError::Leaf(_) | TargetError::Outside(_) => {
                Self::from_source(Exit::Refused, error)
            }
        }
    }
}

//! Which failure to find what an argument names ends how.

use super::super::exit::Exit;
use super::CliError;
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
            TargetError::Leaf(_) | TargetError::Outside(_) => {
                Self::from_source(Exit::Refused, error)
            }
        }
    }
}

//! Errors of what compares two sides: reviews, and states of the store.

use super::super::exit::Exit;
use super::CliError;
use crate::ops::review::ReviewError;
use crate::ops::states::StatesError;

impl From<ReviewError> for CliError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Object(error) => error.into(),
            ReviewError::Files(error) => error.into(),
            ReviewError::TooMany => {
                Self::from_source(Exit::Refused, error).hint("'git diff --stat' names the files")
            }
        }
    }
}

impl From<StatesError> for CliError {
    fn from(error: StatesError) -> Self {
        match error {
            StatesError::Object(error) => error.into(),
            StatesError::Store(error) => error.into(),
            StatesError::TooMany => Self::from_source(Exit::Refused, error)
                .hint("name paths behind '--', or another revision"),
        }
    }
}

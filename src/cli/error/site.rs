//! How the program ends when pages cannot be written.

use super::super::exit::Exit;
use super::CliError;
use crate::ops::browse::{BrowseError, SiteFolderError};

impl From<BrowseError> for CliError {
    fn from(error: BrowseError) -> Self {
        match error {
            BrowseError::Refresh(inner) => inner.into(),
            BrowseError::Object(inner) => inner.into(),
            BrowseError::Files(inner) => inner.into(),
            BrowseError::Folder(SiteFolderError::Io { path, source }) => {
                Self::io(format!("cannot write '{}'", path.display()), source)
            }
            BrowseError::Folder(inner) => Self::from_source(Exit::Refused, inner)
                .hint("name an empty directory with --output"),
            BrowseError::TooMany => Self::from_source(Exit::Refused, error),
        }
    }
}

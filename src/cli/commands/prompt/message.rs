//! The words of a request: a message in a document, and a text on a terminal.

use serde::Serialize;

use crate::cli::{CliError, Style, Ui};

/// A message, as `--json` says it.
#[derive(Serialize)]
pub(super) struct MessageDocument {
    pub(super) role: &'static str,
    pub(super) text: String,
}

/// Writes words that others have written, so that they cannot move the cursor.
pub(super) fn write_foreign(ui: &mut Ui, text: &str) -> Result<(), CliError> {
    let text = ui.styled(Style::Plain, text);
    Ok(write!(ui, "{text}")?)
}

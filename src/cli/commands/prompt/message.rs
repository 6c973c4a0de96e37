//! The words of a request: a message in a document, and a text on a terminal.

use serde::Serialize;

use crate::chat::Message;
use crate::cli::{CliError, Style, Ui};

/// A message, as `--json` says it.
#[derive(Serialize)]
pub(super) struct MessageDocument {
    role: &'static str,
    text: String,
}

impl MessageDocument {
    pub(super) fn of(message: &Message) -> Self {
        Self {
            role: message.role.as_str(),
            text: message.text.clone(),
        }
    }
}

/// Writes messages under their roles.
pub(super) fn write_messages(ui: &mut Ui, messages: &[Message]) -> Result<(), CliError> {
    for (at, message) in messages.iter().enumerate() {
        let role = ui.styled(Style::Heading, &format!("[{}]", message.role.as_str()));
        let text = ui.styled(Style::Plain, &message.text);
        writeln!(ui, "{}{role}\n{text}", if at == 0 { "" } else { "\n" })?;
    }
    Ok(())
}

/// Writes words that others have written, so that they cannot move the cursor.
pub(super) fn write_foreign(ui: &mut Ui, text: &str) -> Result<(), CliError> {
    let text = ui.styled(Style::Plain, text);
    Ok(write!(ui, "{text}")?)
}

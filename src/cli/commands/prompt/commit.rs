//! `git merkle prompt --commit-message`: the words that ask for the message of what is staged.

use serde::Serialize;

use super::message::{MessageDocument, write_foreign, write_messages};
use crate::base::token;
use crate::chat::Capabilities;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::prompt::{self, commit_message};
use crate::secret::guard;
use crate::workspace::Workspace;

/// Subjects that show how messages are written here.
const SUBJECTS_MAX: usize = 10;

#[derive(Serialize)]
struct Document {
    messages: Vec<MessageDocument>,
    /// Counted with one vocabulary, an estimate for models with another.
    input_tokens_estimated: u64,
}

/// Prints the words; nothing is sent.
pub(super) fn print(
    format: &str,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    if matches!(format, "openai" | "anthropic") {
        let message = format!("'--format {format}' is for a session's messages");
        return Err(CliError::new(Exit::Usage, message).hint("take '--format json'"));
    }
    let diff = workspace.repository.staged_diff()?;
    if diff.is_empty() {
        return Err(
            CliError::new(Exit::No, "nothing is staged").hint("'git add <path>' stages a change")
        );
    }
    let allowed = program.allowed_secrets(workspace)?;
    guard(&diff, "the staged diff", workspace.scanner()?, &allowed)?;
    let bundle = commit_message(&String::from_utf8_lossy(&diff), &subjects(workspace)?);
    let messages = prompt::messages(&bundle, &Capabilities::default());
    let tokens = messages
        .iter()
        .map(|message| token::estimate(&message.text))
        .sum();
    let ui = &mut program.ui;
    match format {
        _ if ui.is_json() || format == "json" => {
            let messages = messages.iter().map(MessageDocument::of).collect();
            let input_tokens_estimated = tokens;
            ui.write_json(
                "prompt-commit-message",
                &Document {
                    messages,
                    input_tokens_estimated,
                },
            )?;
        }
        "markdown" => write_foreign(ui, &prompt::display(&bundle))?,
        "manual" => write_foreign(ui, &prompt::manual(&bundle))?,
        _ => write_messages(ui, &messages)?,
    }
    ui.note(&format!("about {tokens} tokens"));
    Ok(Exit::Done)
}

/// The first lines of the newest messages.
fn subjects(workspace: &Workspace) -> Result<Vec<String>, CliError> {
    let repo = &workspace.repository;
    // Without a commit there is nothing to follow.
    let Ok(head) = repo.resolve_commit("HEAD") else {
        return Ok(Vec::new());
    };
    let mut subjects = Vec::new();
    for step in repo.first_parents(&head).take(SUBJECTS_MAX) {
        let message = repo.log_entry(&step?.0)?.message;
        subjects.extend(message.lines().next().map(ToOwned::to_owned));
    }
    Ok(subjects)
}

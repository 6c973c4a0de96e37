//! What forks say of what a branch touches: fetched, not accepted, and named as theirs wherever it is shown.

use crate::cli::frames::{FrameDocument, State, signatures};
use crate::cli::range::Range;
use crate::cli::words::write_lines;
use crate::cli::{CliError, Style, Ui};
use crate::frame::{Frame, Store, StoreError};
use crate::ops::RefreshError;
use crate::ops::foreign::{FOREIGN_MAX, ForeignStatement, foreign};
use crate::sync::{Remote, Signature};
use crate::workspace::Workspace;

/// The statements of one remote.
pub(super) struct ForeignStore {
    /// Its configured name.
    pub(super) remote: String,
    /// What its store says.
    pub(super) statements: Vec<ForeignStatement>,
    /// Of each statement.
    pub(super) signatures: Vec<Option<Signature>>,
}

/// Reads what remotes say, as of the last fetch. A store that cannot be read is a warning: it is theirs.
pub(super) fn of_remotes(
    ui: &Ui,
    workspace: &Workspace,
    ours: &Store<'_>,
    range: &Range,
    remotes: &[String],
) -> Result<Vec<ForeignStore>, CliError> {
    let mut all = Vec::new();
    for name in remotes {
        let remote = Remote::choose(&workspace.repository, Some(name), None)?;
        let commit = workspace
            .repository
            .find_direct_ref(&remote.tracking_ref())?;
        if commit.is_none() {
            ui.note(&format!(
                "no frames of '{name}' are here; 'git -c merkle.{name}.acceptFrames=self merkle fetch {name}' brings them without accepting any"
            ));
            continue;
        }
        let theirs = match Store::at(&workspace.repository, commit) {
            Ok(theirs) => theirs,
            Err(error) => {
                warn(ui, name, &error);
                continue;
            }
        };
        match foreign(workspace, ours, &theirs, range.old.tree, range.new.tree) {
            Ok(statements) => {
                if statements.len() == FOREIGN_MAX {
                    ui.warn(&format!(
                        "'{name}' says more; the first {FOREIGN_MAX} statements are shown"
                    ));
                }
                let frames: Vec<&Frame> = statements.iter().map(|one| &one.frame).collect();
                let signatures = signatures(ui, workspace, &theirs, &frames);
                all.push(ForeignStore {
                    remote: name.clone(),
                    statements,
                    signatures,
                });
            }
            Err(RefreshError::Store(error)) => warn(ui, name, &error),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(all)
}

fn warn(ui: &Ui, name: &str, error: &StoreError) {
    ui.warn(&format!("what '{name}' says is left out: {error}"));
}

impl ForeignStore {
    /// Each statement in words: where, in which slot, whose, and whether it is signed.
    pub(super) fn titles(&self) -> impl Iterator<Item = (String, &Frame)> {
        let all = self.statements.iter().zip(&self.signatures);
        all.map(|(one, signature)| {
            let path = one.path.to_text();
            let path = if path.is_empty() { "./" } else { &path };
            let frame = &one.frame;
            let signed = signature
                .as_ref()
                .map_or(String::new(), |signature| format!(", {signature}"));
            let title = format!("{path}, {}{signed}", frame.speaker());
            (title, frame)
        })
    }

    /// The same as documents.
    pub(super) fn documents(&self) -> Vec<FrameDocument> {
        let all = self.statements.iter().zip(&self.signatures);
        all.map(|(one, signature)| {
            FrameDocument::new(&one.frame, State::from(None))
                .at(Some(&one.path))
                .signed(signature.as_ref())
        })
        .collect()
    }

    /// Prints them.
    pub(super) fn write(&self, ui: &mut Ui) -> Result<(), CliError> {
        for (title, frame) in self.titles() {
            let text = format!("foreign, from '{}': {title}", self.remote);
            let text = ui.styled(Style::Caution, &text);
            writeln!(ui, "\n{text}")?;
            write_lines(ui, "  ", Style::Plain, &frame.content)?;
        }
        Ok(())
    }
}

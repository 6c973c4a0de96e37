//! What every command is given: the options before it, the environment, and what prints.

use super::error::CliError;
use super::global::Global;
use super::pager;
use super::ui::Ui;
use crate::base::count::counted;
use crate::config::Environment;
use crate::frame::Skipped;
use crate::git::Prompt;
use crate::hook;
use crate::ops::AskingError;
use crate::secret::Allowed;
use crate::workspace::Workspace;

/// What every command is given.
pub struct Program {
    /// Where to look, and how to speak.
    pub global: Global,
    /// The environment, read once.
    pub environment: Environment,
    /// The answer, and everything else that is said.
    pub ui: Ui,
    /// Entries of the frame store that the command has passed over.
    pub(super) skipped: Skipped,
}

/// Entries that are named one by one.
const SKIPPED_NAMED_MAX: usize = 20;

impl Program {
    /// Opens the repository and its settings; settings that are ignored are warned about.
    pub fn open(&mut self) -> Result<Workspace, CliError> {
        let workspace = self.open_silently()?;
        self.warn_of_ignored(&workspace);
        Ok(workspace)
    }

    /// The same for a command with a long answer: on a terminal the rest of it runs under the user's pager.
    pub fn open_paged(&mut self) -> Result<Workspace, CliError> {
        let workspace = self.open_silently()?;
        self.page();
        self.warn_of_ignored(&workspace);
        Ok(workspace)
    }

    /// Goes on under the user's pager, where a person sits at the other end; to be called before anything is said.
    pub fn page(&self) {
        if let Some(command) = self.ui.pager(&self.environment) {
            if self.ui.has_local_pager() {
                self.ui.warn("the pager that this repository's own configuration names is not run; name it in yours");
            }
            let error = pager::become_pager(&command, &self.environment);
            self.ui
                .warn(&format!("cannot run pager '{command}': {error}"));
        }
    }

    /// What may pass here though it looks like a secret; `--allow-secret` is remembered.
    pub fn allowed_secrets(&self, workspace: &Workspace) -> Result<Allowed, CliError> {
        let outcome = workspace.allowed_secrets(&self.global.allow_secret);
        outcome.map_err(|error| AskingError::Allowed(error).into())
    }

    /// Signs what was said here and waits for it; how many statements that were. What was not signed is told, and waits.
    pub fn sign(&self, workspace: &Workspace) -> usize {
        let prompt = if self.ui.can_ask() {
            Prompt::Allowed
        } else {
            Prompt::Never
        };
        workspace.sign(prompt).unwrap_or_else(|error| {
            let error = CliError::from(error);
            let statements = counted(workspace.unsigned(), "statement is", "statements are");
            self.ui.warn(&format!("{statements} not signed: {error}"));
            error.hints().iter().for_each(|hint| self.ui.note(hint));
            0
        })
    }

    /// Opens the repository and its settings, and warns of nothing.
    pub fn open_silently(&mut self) -> Result<Workspace, CliError> {
        let workspace = self.global.open(&self.environment)?;
        self.skipped = workspace.skipped.clone();
        self.ui.adopt(workspace.settings.presentation.clone());
        Ok(workspace)
    }

    /// Names what was passed over, once the answer is out.
    pub(super) fn warn_of_skipped(&self) {
        let skipped = self.skipped.take();
        for (path, reason) in skipped.iter().take(SKIPPED_NAMED_MAX) {
            self.ui
                .warn(&format!("frame '{path}' is skipped: {reason}"));
        }
        if let Some(more) = skipped
            .len()
            .checked_sub(SKIPPED_NAMED_MAX)
            .filter(|more| *more > 0)
        {
            self.ui.warn(&format!(
                "{} skipped; 'git merkle validate' names them",
                counted(more, "more frame is", "more frames are")
            ));
        }
    }

    fn warn_of_ignored(&self, workspace: &Workspace) {
        if let Some(error) = hook::log::take_error(&workspace.state) {
            self.ui.warn(&format!("the hooks' worker: {error}"));
        }
        self.ui.warn_all(workspace.settings.warnings());
    }
}

//! What is staged, as text.

use super::child::{ChildError, GitCommand};
use super::repo::Repository;
use super::variable::variable;

impl Repository {
    /// The diff of what the next commit would change; in a hook of `git commit` that of the index which that command has made.
    ///
    /// No program that the configuration names is run for it.
    pub fn staged_diff(&self) -> Result<Vec<u8>, ChildError> {
        let command = GitCommand::new(self, "diff")
            .setting("diff.noprefix=false")
            .setting("diff.mnemonicPrefix=false")
            .option("--cached")
            .option("--no-color")
            .option("--no-ext-diff")
            .option("--no-textconv")
            .option("--find-renames");
        let index = variable("GIT_INDEX_FILE");
        let command = match &index {
            Some(file) => {
                let file = std::path::absolute(file).map_err(ChildError::Start)?;
                command.index(&file)
            }
            None => command,
        };
        command.run(b"")
    }
}

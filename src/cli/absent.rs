//! Names the files that this clone does not hold, and the command that brings them.

use super::Ui;
use crate::base::TreePath;
use crate::ops;
use crate::workspace::Workspace;

/// Most files that are named one by one.
const NAMED_MAX: usize = 20;

/// Says which files of a revision are not in this clone; nothing where all are.
pub fn tell(ui: &Ui, workspace: &Workspace, absent: &[TreePath], revision: &str) {
    for path in absent.iter().take(NAMED_MAX) {
        ui.warn(&format!(
            "'{}': its content is missing in this clone",
            path.to_text()
        ));
    }
    if let Some(note) = ops::absent::note(&workspace.repository, absent.len(), revision) {
        ui.warn(&note);
    }
}

//! Section 1: what a document says about the machine and the snapshot.

use std::io::{self, Write};

use super::markdown;
use super::secrets::Guard;

/// What the document says about the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct System {
    /// The directory that the process runs in: the name of the repository's directory, and the path below that.
    pub cwd: Vec<u8>,
    /// Which state of the repository the document shows.
    pub snapshot: String,
    /// Name and version of the operating system.
    pub os: String,
    /// The name of the user's shell, when it is known.
    pub shell: Option<String>,
    /// True when nothing but the snapshot is to be said.
    pub is_brief: bool,
}

impl System {
    /// What it says, for a search.
    pub(super) fn text(&self) -> Vec<u8> {
        [
            self.cwd.as_slice(),
            self.os.as_bytes(),
            self.shell.as_deref().unwrap_or_default().as_bytes(),
        ]
        .join(&b'\n')
    }

    pub(super) fn without_secrets(&self, guard: &Guard<'_>) -> Self {
        let shown =
            |text: &str| String::from_utf8_lossy(&guard.shown(text.as_bytes())).into_owned();
        let cwd = guard.shown(&self.cwd).into_owned();
        Self {
            cwd,
            os: shown(&self.os),
            shell: self.shell.as_deref().map(shown),
            ..self.clone()
        }
    }

    /// Writes the section.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self {
            cwd,
            snapshot,
            os,
            shell,
            is_brief,
        } = self;
        if !is_brief {
            writeln!(out, "- **CWD:** {}", markdown::text(cwd))?;
        }
        writeln!(out, "- **Snapshot:** {snapshot}")?;
        if !is_brief {
            writeln!(out, "- **OS:** {}", markdown::text(os.as_bytes()))?;
            if let Some(shell) = shell {
                writeln!(out, "- **Shell:** {}", markdown::text(shell.as_bytes()))?;
            }
        }
        writeln!(out)
    }
}

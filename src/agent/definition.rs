//! One agent: id, role, frame type, and how its frames come to be.

use std::path::PathBuf;

use crate::base::{AgentId, BasisKind, Digest, FieldHasher, FrameType, NodeKind};

/// What an agent is allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads frames and never writes any.
    Reader,
    /// Writes frames of files and directories.
    Writer,
    /// Writes frames of directories only.
    Synthesis,
}

/// What of a file an agent's frames depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sensitivity {
    /// Every byte.
    #[default]
    Content,
    /// Its outline: an edit inside a function body changes nothing.
    Outline,
}

/// How an agent's frames are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// The built-in outline builder: files from their syntax, directories by the `summarize` policy.
    Outline,
    /// Somebody hands them in.
    Person,
}

/// Where an agent is defined; what comes later outranks what comes earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Part of the program.
    BuiltIn,
    /// `.teddy/agents/<id>.toml`, for everybody who has the repository.
    Team(PathBuf),
    /// `$XDG_CONFIG_HOME/git-merkle/agents/<id>.toml`.
    Personal(PathBuf),
}

/// Who speaks, and how.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The id under which its frames stand.
    pub id: AgentId,
    /// What it may do.
    pub role: Role,
    /// The kind of statement that it makes when none is named.
    pub frame_type: FrameType,
    /// How its frames come to be.
    pub maker: Maker,
    /// What of a file they depend on.
    pub sensitivity: Sensitivity,
    /// Whether a file's frames depend on its path as well.
    pub path_sensitive: bool,
    /// Where it is defined.
    pub origin: Origin,
}

/// Why an agent may not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No definition has this id.
    #[error("unknown agent '{0}'")]
    Unknown(String),
    /// A reader was asked to write.
    #[error("agent '{0}' is a reader and cannot write frames")]
    Reader(AgentId),
    /// A synthesis agent was asked to write about a file.
    #[error("agent '{0}' writes frames of directories only")]
    DirectoriesOnly(AgentId),
    /// A built-in builder's frames cannot be handed in: they are made from the node alone.
    #[error("frames of the built-in agent '{0}' are made, not written")]
    BuiltIn(AgentId),
}

impl Agent {
    /// The one gate before every write: whether the agent may store a frame of this kind.
    pub fn may_write(&self, kind: NodeKind, basis_kind: BasisKind) -> Result<(), AgentError> {
        let id = || self.id.clone();
        match self.role {
            Role::Reader => return Err(AgentError::Reader(id())),
            Role::Synthesis if kind == NodeKind::File && self.maker != Maker::Outline => {
                return Err(AgentError::DirectoriesOnly(id()));
            }
            Role::Synthesis | Role::Writer => {}
        }
        if self.maker == Maker::Outline && basis_kind == BasisKind::Written {
            return Err(AgentError::BuiltIn(id()));
        }
        Ok(())
    }

    /// The digest of the words that the agent works by: part of every basis, so that other words make frames outdated.
    #[must_use]
    pub fn prompt_digest(&self) -> Digest {
        let words = match self.maker {
            // Raise the number when outlines of the same file come to say something else.
            Maker::Outline => "outline/1",
            Maker::Person => "",
        };
        FieldHasher::new("git-merkle 2026 prompt/1").field(words.as_bytes()).finish()
    }
}

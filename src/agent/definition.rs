//! One agent: id, role, frame type, and how its frames come to be.

use std::path::PathBuf;

use super::instructions::Instructions;
use crate::base::{AgentId, BasisKind, Digest, FieldHasher, FrameType, NodeKind};

/// What an agent is allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentRole {
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
#[derive(Debug, Clone, PartialEq)]
pub enum Maker {
    /// The built-in outline builder: files from their syntax, directories by the `summarize` policy.
    Outline,
    /// A person or another program supplies them.
    Person,
    /// A model, with these instructions.
    Model(Box<Instructions>),
}

/// Where an agent is defined; what comes later outranks what comes earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentOrigin {
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
    pub role: AgentRole,
    /// The kind of statement that it makes when none is named.
    pub frame_type: FrameType,
    /// How its frames come to be.
    pub maker: Maker,
    /// What of a file they depend on.
    pub sensitivity: Sensitivity,
    /// Whether a file's frames depend on its path as well.
    pub path_sensitive: bool,
    /// Switched off: it is listed, and neither writes nor runs.
    pub disabled: bool,
    /// Where it is defined.
    pub origin: AgentOrigin,
}

/// Why an agent may not write a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No definition has this id.
    #[error("unknown agent '{0}'")]
    Unknown(String),
    /// There is a definition, and it cannot be used.
    #[error("the definition of agent '{0}' has faults")]
    Faulty(String),
    /// It is switched off.
    #[error("agent '{0}' is disabled")]
    Disabled(AgentId),
    /// A reader cannot write.
    #[error("agent '{0}' is a reader and cannot write frames")]
    Reader(AgentId),
    /// A synthesis agent cannot write about a file.
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
        if self.disabled {
            return Err(AgentError::Disabled(id()));
        }
        match self.role {
            AgentRole::Reader => return Err(AgentError::Reader(id())),
            AgentRole::Synthesis if kind == NodeKind::File && self.maker != Maker::Outline => {
                return Err(AgentError::DirectoriesOnly(id()));
            }
            AgentRole::Synthesis | AgentRole::Writer => {}
        }
        if self.maker == Maker::Outline && basis_kind == BasisKind::Written {
            return Err(AgentError::BuiltIn(id()));
        }
        Ok(())
    }

    /// True when the agent makes frames of this kind by itself.
    #[must_use]
    pub fn makes(&self, kind: NodeKind) -> bool {
        if self.disabled {
            return false;
        }
        match (&self.maker, self.role) {
            (Maker::Outline, _) | (Maker::Model(_), AgentRole::Writer) => true,
            (Maker::Model(_), AgentRole::Synthesis) => kind == NodeKind::Directory,
            (Maker::Model(_), AgentRole::Reader) | (Maker::Person, _) => false,
        }
    }

    /// What a model is told, for an agent whose frames a model makes.
    #[must_use]
    pub fn instructions(&self) -> Option<&Instructions> {
        if let Maker::Model(instructions) = &self.maker {
            Some(instructions)
        } else {
            None
        }
    }

    /// The digest of the words that the agent works by: part of every basis, so that other words make frames outdated.
    ///
    /// The provider, the profile and the files (include) are not words.
    #[must_use]
    pub fn prompt_digest(&self) -> Digest {
        let mut hasher = FieldHasher::new("git-merkle 2026 prompt/1");
        match &self.maker {
            // Raise the number when outlines of the same file come to say something else.
            Maker::Outline => hasher.add(b"outline/27"),
            Maker::Person => hasher.add(b""),
            Maker::Model(instructions) => instructions.hash_into(&mut hasher),
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Include, Registry, Template};

    fn model(instructions: Instructions) -> Agent {
        let human = Registry::built_in().get("human").expect("built in").clone();
        Agent {
            maker: Maker::Model(Box::new(instructions)),
            ..human
        }
    }

    #[test]
    fn built_in_digests_never_change() {
        let of = |words: &[u8]| Digest::of("git-merkle 2026 prompt/1", words);
        let registry = Registry::built_in();
        assert_eq!(
            registry.get("outline").expect("built in").prompt_digest(),
            of(b"outline/27")
        );
        assert_eq!(
            registry.get("human").expect("built in").prompt_digest(),
            of(b"")
        );
    }

    #[test]
    fn each_word_changes_the_digest_and_nothing_else_does() {
        let template = |text: &str| Template::parse(text).expect("a template");
        let base = Instructions {
            system: "s".into(),
            file: template("f"),
            directory: template("d"),
            ..Default::default()
        };
        let digest = |instructions: &Instructions| model(instructions.clone()).prompt_digest();
        let others = [
            Instructions {
                system: "S".into(),
                ..base.clone()
            },
            Instructions {
                file: template("F"),
                ..base.clone()
            },
            Instructions {
                directory: template("D"),
                ..base.clone()
            },
            Instructions {
                file: template("fd"),
                directory: template(""),
                ..base.clone()
            },
            Instructions {
                response_template: Some(String::new()),
                ..base.clone()
            },
            Instructions {
                response_template: Some("{}".into()),
                ..base.clone()
            },
            Instructions {
                output_schema: Some(serde_json::json!({})),
                ..base.clone()
            },
        ];
        let digests: std::collections::BTreeSet<Digest> =
            others.iter().chain([&base]).map(digest).collect();
        assert_eq!(digests.len(), others.len() + 1);
        let include = Include::parse(vec!["src/**".into()]).expect("a pattern");
        let elsewhere = Instructions {
            provider: Some("p".into()),
            profile: Some("q".into()),
            include,
            ..base.clone()
        };
        assert_eq!(digest(&elsewhere), digest(&base));
    }

    #[test]
    fn what_an_agent_makes_follows_from_role_and_maker() {
        let made = |agent: &Agent| {
            (
                agent.makes(NodeKind::File),
                agent.makes(NodeKind::Directory),
            )
        };
        let writer = model(Instructions::default());
        assert_eq!(made(&writer), (true, true));
        assert_eq!(
            made(&Agent {
                role: AgentRole::Synthesis,
                ..writer.clone()
            }),
            (false, true)
        );
        assert_eq!(
            made(&Agent {
                role: AgentRole::Reader,
                ..writer.clone()
            }),
            (false, false)
        );
        assert_eq!(
            made(&Agent {
                maker: Maker::Person,
                ..writer.clone()
            }),
            (false, false)
        );
        let disabled = Agent {
            disabled: true,
            ..writer
        };
        assert_eq!(made(&disabled), (false, false));
        for kind in [NodeKind::File, NodeKind::Directory] {
            for basis in [
                BasisKind::Generated,
                BasisKind::Synthesis,
                BasisKind::Written,
                BasisKind::Invalidation,
            ] {
                assert!(matches!(
                    disabled.may_write(kind, basis),
                    Err(AgentError::Disabled(_))
                ));
            }
        }
    }
}

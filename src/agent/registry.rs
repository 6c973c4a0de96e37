//! All agents that can be named: the built-in ones and those that files define.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::definition::{Agent, AgentError, AgentOrigin, AgentRole, Maker, Sensitivity};
use super::file;
use crate::base::{AgentId, FrameType};
use crate::config::{Diagnostic, Folder};

/// What people say by hand; the default agent of `put-frame`.
pub const HUMAN: &str = "human";
/// The built-in agent that a coding agent writes notes as, in the name of the person it works for.
pub const ASSISTANT: &str = "assistant";
/// The built-in outline builder.
pub const OUTLINE: &str = "outline";

/// Agents by id.
#[derive(Debug, Clone)]
pub struct Registry {
    agents: BTreeMap<AgentId, Agent>,
    /// Names of definition files with faults: such a file hides what it would have taken the place of.
    faulty: BTreeSet<String>,
    /// Everything that is wrong with definition files.
    pub faults: Vec<Diagnostic>,
    /// The same for people, with what was left out of a folder.
    pub warnings: Vec<String>,
}

impl Registry {
    /// The built-in agents.
    #[must_use]
    pub fn built_in() -> Self {
        let agent = |id: &str, role, frame_type: &str, maker| Agent {
            id: id.parse().expect("a word"),
            role,
            frame_type: frame_type.parse::<FrameType>().expect("a word"),
            maker,
            sensitivity: Sensitivity::Content,
            path_sensitive: false,
            disabled: false,
            origin: AgentOrigin::BuiltIn,
        };
        let agents = [
            agent(HUMAN, AgentRole::Writer, "note", Maker::Person),
            agent(ASSISTANT, AgentRole::Writer, "note", Maker::Person),
            agent(OUTLINE, AgentRole::Synthesis, "outline", Maker::Outline),
        ];
        let agents = agents
            .into_iter()
            .map(|agent| (agent.id.clone(), agent))
            .collect();
        Self {
            agents,
            faulty: BTreeSet::new(),
            faults: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds the definitions of a folder, `agents/<id>.toml`, over what has the same id.
    ///
    /// A file with faults defines nothing, and what it would have taken the place of is gone too: no caller gets other
    /// instructions than those that were meant. Built-in ids cannot be redefined.
    pub fn add_folder(&mut self, folder: &Folder, origin: impl Fn(&Path) -> AgentOrigin) {
        self.warnings.extend(folder.warnings.iter().cloned());
        for (name, bytes) in &folder.files {
            let Some(stem) = stem(name) else { continue };
            let path = folder.path_of(name);
            let agent = match std::str::from_utf8(bytes) {
                Ok(text) => file::parse(text, &path, folder, origin(&path)),
                Err(_) => Err(vec![Diagnostic {
                    file: path.clone(),
                    line: None,
                    message: "not UTF-8".to_owned(),
                }]),
            };
            let is_built_in = |id: &str| matches!(id, HUMAN | ASSISTANT | OUTLINE);
            match agent {
                Ok(agent) if is_built_in(agent.id.as_str()) => {
                    self.book(Diagnostic {
                        file: path,
                        line: None,
                        message: format!("agent '{}' is built in", agent.id),
                    });
                }
                Ok(agent) => {
                    self.faulty.remove(stem);
                    self.agents.insert(agent.id.clone(), agent);
                }
                Err(faults) => {
                    if !is_built_in(stem) {
                        self.agents.retain(|id, _| id.as_str() != stem);
                        self.faulty.insert(stem.to_owned());
                    }
                    for fault in faults {
                        self.book(fault);
                    }
                }
            }
        }
    }

    fn book(&mut self, fault: Diagnostic) {
        self.warnings.push(fault.to_string());
        self.faults.push(fault);
    }

    /// The agent of an id.
    pub fn get(&self, id: &str) -> Result<&Agent, AgentError> {
        let found = id
            .parse::<AgentId>()
            .ok()
            .and_then(|id| self.agents.get(&id));
        found.ok_or_else(|| {
            if self.faulty.contains(id) {
                AgentError::Faulty(id.to_owned())
            } else {
                AgentError::Unknown(id.to_owned())
            }
        })
    }

    /// All agents, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }
}

/// The name of a definition file without its ending; `None` for every other file.
fn stem(name: &str) -> Option<&str> {
    name.strip_prefix("agents/")?
        .strip_suffix(".toml")
        .filter(|stem| !stem.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{BasisKind, NodeKind};
    use crate::config::folder::of_texts;

    fn with(folders: &[Folder]) -> Registry {
        let mut registry = Registry::built_in();
        for folder in folders {
            registry.add_folder(folder, |file| AgentOrigin::Team(file.to_owned()));
        }
        registry
    }

    #[test]
    fn roles_hold_at_the_gate() {
        let definition = |role: &str| format!("id = '{role}'\nrole = '{role}'\n");
        let (reader, synthesis) = (definition("reader"), definition("synthesis"));
        let registry = with(&[of_texts(
            "/t",
            &[
                ("agents/reader.toml", &reader),
                ("agents/synthesis.toml", &synthesis),
            ],
        )]);
        let get = |id| registry.get(id).expect("defined");
        assert!(
            get(HUMAN)
                .may_write(NodeKind::File, BasisKind::Written)
                .is_ok()
        );
        assert!(
            get(OUTLINE)
                .may_write(NodeKind::File, BasisKind::Generated)
                .is_ok()
        );
        assert!(
            get(OUTLINE)
                .may_write(NodeKind::File, BasisKind::Written)
                .is_err()
        );
        assert!(matches!(
            get("reader").may_write(NodeKind::File, BasisKind::Written),
            Err(AgentError::Reader(_))
        ));
        assert!(
            get("synthesis")
                .may_write(NodeKind::File, BasisKind::Written)
                .is_err()
        );
        assert!(
            get("synthesis")
                .may_write(NodeKind::Directory, BasisKind::Synthesis)
                .is_ok()
        );
    }

    #[test]
    fn a_later_folder_wins_and_a_faulty_file_hides_what_was_below() {
        let team = [
            (
                "agents/a.toml",
                "id = 'a'\nrole = 'writer'\nframe_type = 'team'\n",
            ),
            ("agents/b.toml", "id = 'b'\nrole = 'writer'\n"),
            ("agents/human.toml", "id = 'human'\nrole = 'reader'\n"),
            ("agents/sub/c.toml", "id = 'c'\nrole = 'writer'\n"),
            ("agents/d.toml.sample", "nothing"),
        ];
        let own = [
            (
                "agents/a.toml",
                "id = 'a'\nrole = 'reader'\nframe_type = 'own'\n",
            ),
            ("agents/b.toml", "id = 'b'\n"),
        ];
        let registry = with(&[of_texts("/t", &team), of_texts("/p", &own)]);
        assert_eq!(
            registry.get("a").expect("defined").frame_type.as_str(),
            "own"
        );
        assert_eq!(
            registry.get("b").expect_err("hidden"),
            AgentError::Faulty("b".to_owned())
        );
        assert_eq!(
            registry.get("c").expect_err("not there"),
            AgentError::Unknown("c".to_owned())
        );
        assert_eq!(
            registry.get(HUMAN).expect("built in").role,
            AgentRole::Writer
        );
        insta::assert_snapshot!(registry.warnings.join("\n"), @"
        /t/agents/human.toml: agent 'human' is built in
        /p/agents/b.toml: 'role' is missing; it is reader, writer or synthesis
        ");
    }

    #[test]
    fn a_disabled_agent_is_listed() {
        let registry = with(&[of_texts(
            "/t",
            &[(
                "agents/a.toml",
                "id = 'a'\nrole = 'writer'\ndisabled = true\n",
            )],
        )]);
        assert!(
            registry
                .iter()
                .any(|agent| agent.id.as_str() == "a" && agent.disabled)
        );
    }
}

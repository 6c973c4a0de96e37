//! All agents that can be named: the built-in ones and those that files define.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::definition::{Agent, AgentError, Maker, Origin, Role, Sensitivity};
use crate::base::{AgentId, FrameType};

/// What people say by hand; the default agent of `put-frame`.
pub const HUMAN: &str = "human";
/// The built-in outline builder.
pub const OUTLINE: &str = "outline";

/// Agents by id.
#[derive(Debug, Clone)]
pub struct Registry {
    agents: BTreeMap<AgentId, Agent>,
    /// Definition files that were not understood: file and reason.
    pub warnings: Vec<String>,
}

/// The keys of a definition file that this version acts on; the others belong to generation with models.
#[derive(Deserialize)]
struct File {
    id: String,
    role: String,
    #[serde(default)]
    frame_type: Option<String>,
    #[serde(default)]
    path_sensitive: bool,
    #[serde(default)]
    sensitivity: Option<String>,
    #[serde(default)]
    disabled: bool,
}

impl Registry {
    /// The built-in agents.
    #[must_use]
    pub fn built_in() -> Self {
        let agent = |id: &str, role, frame_type: &str, maker| Agent {
            id: id.parse().expect("a word"),
            role,
            frame_type: frame_type.parse().expect("a word"),
            maker,
            sensitivity: Sensitivity::Content,
            path_sensitive: false,
            origin: Origin::BuiltIn,
        };
        let agents =
            [agent(HUMAN, Role::Writer, "note", Maker::Person), agent(OUTLINE, Role::Synthesis, "outline", Maker::Outline)];
        Self { agents: agents.into_iter().map(|agent| (agent.id.clone(), agent)).collect(), warnings: Vec::new() }
    }

    /// Adds the definitions of a directory, over what has the same id. A directory that is not there adds nothing.
    ///
    /// A file that is no definition becomes a warning; built-in ids cannot be redefined.
    pub fn add_directory(&mut self, directory: &Path, origin: impl Fn(&Path) -> Origin) {
        let Ok(files) = std::fs::read_dir(directory) else { return };
        let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "toml")) {
            let text = std::fs::read_to_string(file).map_err(|err| err.to_string());
            match text.and_then(|text| parse(&text, file, origin(file))) {
                Ok(Some(agent)) if self.agents.get(&agent.id).is_some_and(|known| known.origin == Origin::BuiltIn) => {
                    self.warnings.push(format!("{}: agent '{}' is built in", file.display(), agent.id));
                }
                Ok(Some(agent)) => drop(self.agents.insert(agent.id.clone(), agent)),
                Ok(None) => {}
                Err(reason) => self.warnings.push(format!("{}: {}", file.display(), reason.trim_end())),
            }
        }
    }

    /// The agent of an id.
    pub fn get(&self, id: &str) -> Result<&Agent, AgentError> {
        let unknown = || AgentError::Unknown(id.to_owned());
        self.agents.get(&id.parse::<AgentId>().map_err(|_| unknown())?).ok_or_else(unknown)
    }

    /// All agents, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }
}

/// Reads one definition; `None` for one that is switched off.
fn parse(text: &str, path: &Path, origin: Origin) -> Result<Option<Agent>, String> {
    let file: File = toml::from_str(text).map_err(|err| err.to_string())?;
    if file.disabled {
        return Ok(None);
    }
    let id: AgentId = file.id.parse().map_err(|err: crate::base::IdError| err.to_string())?;
    if path.file_stem().is_none_or(|stem| *stem != *id.as_str()) {
        return Err(format!("agent '{id}' must stand in a file named '{id}.toml'"));
    }
    let role = match file.role.as_str() {
        "reader" => Role::Reader,
        "writer" => Role::Writer,
        "synthesis" => Role::Synthesis,
        other => return Err(format!("role '{other}' is not reader, writer or synthesis")),
    };
    let sensitivity = match file.sensitivity.as_deref() {
        None | Some("content") => Sensitivity::Content,
        Some("outline") => Sensitivity::Outline,
        Some(other) => return Err(format!("sensitivity '{other}' is not content or outline")),
    };
    let frame_type = file.frame_type.as_deref().unwrap_or("summary");
    let frame_type: FrameType = frame_type.parse().map_err(|err: crate::base::IdError| err.to_string())?;
    let path_sensitive = file.path_sensitive;
    Ok(Some(Agent { id, role, frame_type, maker: Maker::Person, sensitivity, path_sensitive, origin }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{BasisKind, NodeKind};

    #[test]
    fn roles_hold_at_the_gate() {
        let registry = Registry::built_in();
        let outline = registry.get(OUTLINE).expect("built in");
        let human = registry.get(HUMAN).expect("built in");
        assert!(human.may_write(NodeKind::File, BasisKind::Written).is_ok());
        assert!(outline.may_write(NodeKind::File, BasisKind::Generated).is_ok());
        assert!(outline.may_write(NodeKind::File, BasisKind::Written).is_err());
        let definition = |role: &str| format!("id = 'x'\nrole = '{role}'\n");
        let parse = |role: &str| parse(&definition(role), Path::new("x.toml"), Origin::BuiltIn).expect("valid");
        let reader = parse("reader").expect("on");
        assert!(matches!(reader.may_write(NodeKind::File, BasisKind::Written), Err(AgentError::Reader(_))));
        let synthesis = parse("synthesis").expect("on");
        assert!(synthesis.may_write(NodeKind::File, BasisKind::Written).is_err());
        assert!(synthesis.may_write(NodeKind::Directory, BasisKind::Synthesis).is_ok());
    }
}

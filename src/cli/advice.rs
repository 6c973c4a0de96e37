//! What a reader is told where there is nothing to show: why, and the command that changes it.
//!
//! Each command that is named here is run by `tests/it/cli/hint.rs`, which demands that the complaint is gone afterwards.

use super::CliError;
use super::shell::shell_word;
use super::snapshot::{SnapshotArgs, check_agent};
use crate::agent::{Agent, Exclusion, HUMAN, Maker, OUTLINE, Registry};
use crate::base::{AgentId, FrameType, NodeKind};
use crate::workspace::{Target, Workspace};

/// What a command is to show.
pub struct Lookup<'a> {
    /// The node as the user wrote it.
    pub node: &'a str,
    /// Where it was looked for.
    pub snapshot: &'a SnapshotArgs,
    /// Only frames of this agent.
    pub agent: Option<&'a AgentId>,
    /// Only frames of this type.
    pub frame_type: Option<&'a FrameType>,
}

/// Why nothing is said about a node, and the command that changes it; an error where the agent is none of this repository.
pub fn nothing_said(
    workspace: &Workspace,
    target: &Target,
    asked: &Lookup<'_>,
) -> Result<String, CliError> {
    let agents = workspace.agents();
    let named = asked.agent.map(|id| (id, agents.get(id.as_str())));
    let agent = match named {
        None => speaker(&agents, asked.frame_type),
        Some((_, Ok(agent))) => agent,
        Some((id, Err(_))) => {
            check_agent(workspace, &workspace.store()?, id)?;
            let node = asked.node;
            return Ok(format!(
                "nothing is said about '{node}' by agent '{id}', which is not defined here; 'git merkle log {}' shows what was",
                shell_word(node)
            ));
        }
    };
    if agent.disabled {
        return Ok(format!(
            "agent '{0}' is disabled and says nothing; 'git merkle agent show {0}' shows where",
            agent.id
        ));
    }
    Ok(nothing_by(agent, workspace, target, asked))
}

fn nothing_by(agent: &Agent, workspace: &Workspace, target: &Target, asked: &Lookup<'_>) -> String {
    let Lookup { node, snapshot, .. } = asked;
    let of_type = asked
        .frame_type
        .map_or_else(String::new, |frame_type| format!(" of type '{frame_type}'"));
    let is_own = asked
        .frame_type
        .is_none_or(|frame_type| *frame_type == agent.frame_type);
    let word = shell_word(node);
    let by = if agent.id.as_str() == HUMAN {
        String::new()
    } else {
        format!(" --agent {}", agent.id)
    };
    if agent.id.as_str() == HUMAN && is_own {
        return format!(
            "nothing is said about '{node}' by people yet; 'git merkle note {word} -F <file>' says it"
        );
    }
    if !agent.makes(target.kind) || !is_own {
        let kind = if is_own {
            String::new()
        } else {
            asked
                .frame_type
                .map_or_else(String::new, |kind| format!(" --type {kind}"))
        };
        return format!(
            "nothing{of_type} is said about '{node}' yet; 'git merkle put-frame {word} <file>{by}{kind}' says it"
        );
    }
    if let Some(missing) = missing_object(workspace, target) {
        return format!("nothing can be said about '{node}': {missing}");
    }
    let snapshot = snapshot.option();
    if agent.id.as_str() == OUTLINE {
        return format!(
            "nothing is said about '{node}' yet; 'git merkle regenerate{snapshot} {word}' outlines it"
        );
    }
    if let Some(exclusion) = left_out(agent, target) {
        return format!(
            "agent '{}' leaves out '{node}', a {}; 'git merkle regenerate{by}{snapshot} {word}' asks it",
            agent.id,
            exclusion.one()
        );
    }
    if !speaks_of(agent, target) {
        return format!(
            "agent '{0}' does not speak about '{node}'; 'git merkle agent show {0}' says about what",
            agent.id
        );
    }
    format!(
        "agent '{}' has said nothing about '{node}' yet; 'git merkle regenerate{by}{snapshot} {word}' asks it",
        agent.id
    )
}

/// That a node has nothing but a frame of a type that is shown where it is named, and the command that shows it.
#[must_use]
pub fn only_combined(asked: &Lookup<'_>, combined: &FrameType) -> String {
    let (node, word) = (asked.node, shell_word(asked.node));
    let by = asked
        .agent
        .map_or_else(String::new, |agent| format!(" --agent {agent}"));
    let snapshot = asked.snapshot.option();
    format!(
        "'{node}' has only what was combined from below it; 'git merkle show {word}{by} --type {combined}{snapshot}' shows it"
    )
}

/// The agent that would say it: of a type that several have the person's, if the built-in agent of persons has it.
fn speaker<'r>(agents: &'r Registry, frame_type: Option<&FrameType>) -> &'r Agent {
    let of_type = frame_type.and_then(|frame_type| {
        let is_of_type = |agent: &&Agent| agent.frame_type == *frame_type;
        let human = agents.get(HUMAN).ok().filter(is_of_type);
        human.or_else(|| agents.iter().find(is_of_type))
    });
    let default = if frame_type.is_some() { HUMAN } else { OUTLINE };
    of_type.unwrap_or_else(|| agents.get(default).expect("built in"))
}

/// Why an agent leaves out a file that its definition does not name.
#[must_use]
pub fn left_out(agent: &Agent, target: &Target) -> Option<Exclusion> {
    let path = target.path.as_ref()?;
    let is_file = target.kind == NodeKind::File;
    let include = is_file.then(|| agent.instructions())??;
    include.include.exclusion(path)
}

/// Whether an agent wants to speak about a file; what it says of a directory depends on what is below.
fn speaks_of(agent: &Agent, target: &Target) -> bool {
    let include = agent
        .instructions()
        .map(|instructions| &instructions.include);
    match (include, &target.path) {
        (Some(include), Some(path)) if target.kind == NodeKind::File => include.contains(path),
        _ => true,
    }
}

/// That the content of a file is not in this repository, and how to get it; `None` when it is there.
#[must_use]
pub fn missing_object(workspace: &Workspace, target: &Target) -> Option<String> {
    let repository = &workspace.repository;
    if target.kind != NodeKind::File || !matches!(repository.header(&target.id), Ok(None)) {
        return None;
    }
    let id = target.id;
    Some(if repository.is_partial() {
        format!("object {id} is not in this partial clone; 'git cat-file -e {id}' fetches it")
    } else {
        format!(
            "object {id} is missing in this repository; 'git fetch --refetch' brings it from a remote that has it"
        )
    })
}

/// The command that makes what an agent says true again, for an agent that can be asked.
#[must_use]
pub fn remedy(agent: &Agent, snapshot: &SnapshotArgs, is_only_outdated: bool) -> Option<String> {
    let snapshot = snapshot.option();
    match agent.maker {
        Maker::Outline => Some(format!("git merkle regenerate{snapshot}")),
        Maker::Model(_) if is_only_outdated => Some(format!(
            "git merkle regenerate --agent {} --outdated{snapshot}",
            agent.id
        )),
        Maker::Model(_) => Some(format!(
            "git merkle regenerate --agent {}{snapshot}",
            agent.id
        )),
        Maker::Person => None,
    }
}

//! Which syntheses a run brings up to date besides, or in place of, what an agent makes by itself.

use super::args::Args;
use crate::agent::Agent;
use crate::base::{AgentId, FrameType, NodeId};
use crate::cli::{CliError, Exit};
use crate::frame::{Slot, Store};
use crate::ops;
use crate::synthesis::Reason;
use crate::workspace::{Target, Workspace};

/// A directory whose synthesis would be made, and why.
pub(super) type SynthesisTask = (Vec<u8>, Reason);

/// What a run is about.
pub(super) struct Scope {
    /// True when the agent makes its own frames; false when a synthesized type was named.
    pub(super) is_own: bool,
    agent: Option<AgentId>,
    frame_type: Option<FrameType>,
    has_syntheses: bool,
}

impl Scope {
    /// Without `--type`: the agent's own type, then every synthesis, of that agent where one was named. With the name of a
    /// synthesized type: that alone. No model is asked for a type that a policy makes.
    pub(super) fn of(args: &Args, workspace: &Workspace, agent: &Agent) -> Result<Self, CliError> {
        let named = args.agent.as_ref().map(|_| agent.id.clone());
        let Some(frame_type) = args
            .frame_type
            .as_ref()
            .filter(|frame_type| **frame_type != agent.frame_type)
        else {
            return Ok(Self {
                is_own: true,
                agent: named,
                frame_type: None,
                has_syntheses: args.frame_type.is_none(),
            });
        };
        let slots = ops::syntheses::synthesized_slots(
            workspace,
            &ops::refresh::index(&workspace.state, &workspace.store()?, 0)?,
        );
        let agents: Vec<&AgentId> = slots
            .iter()
            .filter(|slot| slot.frame_type == *frame_type)
            .map(|slot| &slot.agent)
            .collect();
        let is_own = agents.is_empty();
        if let (false, Some(named)) = (is_own, &named)
            && !agents.contains(&named)
        {
            let message = format!(
                "frames of type '{frame_type}' are synthesized, and agent '{named}' has none"
            );
            let hint = format!("git merkle synthesize . --agent {named} --into {frame_type}");
            return Err(CliError::new(Exit::Refused, message).hint(hint));
        }
        Ok(Self {
            is_own,
            agent: named,
            frame_type: Some(frame_type.clone()),
            has_syntheses: !is_own,
        })
    }

    /// True for a slot whose syntheses are made.
    pub(super) fn wants(&self, slot: &Slot) -> bool {
        self.has_syntheses
            && self.agent.as_ref().is_none_or(|agent| *agent == slot.agent)
            && self
                .frame_type
                .as_ref()
                .is_none_or(|frame_type| *frame_type == slot.frame_type)
    }

    /// What would be made below a target: paths of directories, with the reasons; and how many are fresh.
    pub(super) fn tasks(
        &self,
        workspace: &Workspace,
        store: &Store<'_>,
        target: &Target,
        start: Option<NodeId>,
    ) -> Result<(Vec<SynthesisTask>, u64), CliError> {
        let (mut tasks, mut fresh) = (Vec::new(), 0);
        let root = target.path.clone().unwrap_or_default();
        let slots = ops::syntheses::synthesized_slots(
            workspace,
            &ops::refresh::index(&workspace.state, store, 0)?,
        );
        let is_directory = target.kind == crate::base::NodeKind::Directory;
        for slot in slots.iter().filter(|slot| is_directory && self.wants(slot)) {
            let planned = ops::syntheses::plan_syntheses(workspace, store, target, slot, start)?;
            fresh += planned.plan.fresh;
            let paths = planned
                .plan
                .tasks
                .iter()
                .map(|task| (planned.scan.path(&root, task.node), task.reason));
            tasks.extend(paths.map(|(path, reason)| (path.as_bytes().to_vec(), reason)));
        }
        Ok((tasks, fresh))
    }
}

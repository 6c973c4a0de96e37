//! Outlines of nodes that have no frame, for commands that only read: made from the content, and stored nowhere.

use super::refresh::{self, Refresh, RefreshError, inputs};
use crate::agent::OUTLINE;
use crate::base::NodeKind;
use crate::frame::BasisKind;
use crate::regen::Runner;
use crate::view::LocatedNode;
use crate::workspace::{Target, Workspace};

/// What the outline builder says about a file or directory. Frames that the store has are used on the way.
pub fn outline(workspace: &Workspace, place: &LocatedNode) -> Result<String, RefreshError> {
    let agents = workspace.agents();
    let agent = agents.get(OUTLINE)?;
    agent.may_write(NodeKind::File, BasisKind::Generated)?;
    let (root, path) = place.found_in.clone().unzip();
    let target = Target {
        id: place.id,
        kind: place.kind,
        path,
        root,
    };
    let request = Refresh::of(agent);
    let mut planned = refresh::plan(
        &workspace.repository,
        &workspace.state,
        &workspace.store()?,
        &[target],
        &request,
    )?;
    let inputs = inputs(&request, &planned.root, &planned.outlines);
    let runner = Runner {
        repo: &workspace.repository,
        state: &workspace.state,
        scan: &planned.scan,
        inputs: &inputs,
    };
    let root = [planned.scan.root()];
    let bodies = runner.bodies(planned.plan, &mut planned.index, &root);
    let body = bodies.into_iter().next().expect("one node, one body")?;
    Ok(body.to_string())
}

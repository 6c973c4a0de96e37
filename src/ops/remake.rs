//! Making again what looks fresh, to see whether it says the same: how `validate` finds frames that a program has not made.

use super::refresh::{Planned, Refresh, RefreshError, inputs, plan};
use super::syntheses;
use crate::agent::OUTLINE;
use crate::base::{NodeId, TreePath};
use crate::frame::{FrameName, Store};
use crate::regen::prepare::Nodes;
use crate::regen::remake::{self, Remade};
use crate::workspace::{Target, Workspace};

/// Makes every outline and synthesis of a snapshot again that looks fresh; the names of those that say something else.
pub fn remake(
    workspace: &Workspace,
    store: &Store<'_>,
    root: NodeId,
) -> Result<(Remade, Vec<FrameName>), RefreshError> {
    let agents = workspace.known_agents();
    let target = Target::root_of(root);
    let agent = agents.get(OUTLINE)?;
    let request = Refresh {
        verify: true,
        ..Refresh::of(agent)
    };
    let Planned {
        scan,
        plan,
        outlines,
        ..
    } = plan(
        &workspace.repository,
        &workspace.state,
        store,
        std::slice::from_ref(&target),
        &request,
    )?;
    let path = TreePath::root();
    let inputs = inputs(&request, &path, &outlines);
    let nodes = Nodes {
        repo: &workspace.repository,
        scan: &scan,
        inputs: &inputs,
    };
    let mut remade = remake::remake(nodes, &plan, None);
    let (syntheses, mut names) = syntheses::remake_syntheses(workspace, store, &target)?;
    names.extend(
        remade
            .forged
            .iter()
            .filter_map(|number| remake::head_name(nodes, &plan, *number)),
    );
    names.sort_unstable();
    remade.add(&syntheses);
    Ok((remade, names))
}

//! Which agent a command means when it needs one that asks a model and none is named: the only one there is.

use super::{CliError, Exit};
use crate::agent::{Agent, Registry};
use crate::base::NodeKind;

/// The agents that ask a model.
#[must_use]
pub fn all(agents: &Registry) -> Vec<&Agent> {
    let asks = |agent: &&Agent| agent.instructions().is_some() && agent.makes(NodeKind::Directory);
    agents.iter().filter(asks).collect()
}

/// The only agent that asks a model. Where there are several, `usage` says how to name one, given the first of them.
pub fn the_only(agents: &Registry, usage: impl Fn(&str) -> String) -> Result<&Agent, CliError> {
    let able = all(agents);
    match able.as_slice() {
        [one] => Ok(one),
        [] => Err(CliError::new(Exit::Refused, "no agent asks a model")
            .hint("git merkle agent create docs")),
        several => {
            let ids: Vec<&str> = several.iter().map(|agent| agent.id.as_str()).collect();
            let message = format!("several agents ask a model: {}", ids.join(", "));
            Err(CliError::new(Exit::Usage, message).hint(usage(ids[0])))
        }
    }
}

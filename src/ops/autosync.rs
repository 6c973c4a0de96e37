//! The hooks' worker exchanges frames after a pull or a push, without asking, without making anyone wait, and not often.

use std::error::Error;

use crate::base::{clock, printable};
use crate::config::table;
use crate::git::{Prompt, StateDir};
use crate::sync::auto::Last;
use crate::sync::select::Rules;
use crate::sync::{self, AutoSync, Exchange, Outcome};
use crate::workspace::{Sharing, Workspace};

/// Exchanges frames where `merkle.autoSync` wants it after this event and it is time; a line for the log, if it did.
///
/// What fails is remembered for `status`, and puts off the next time; it is no failure of the worker's.
pub fn exchange_in_background(workspace: &Workspace, event: &str) -> Option<String> {
    let stack = workspace.settings.stack();
    let mode = stack.read(&table::AUTO_SYNC, "", AutoSync::parse);
    let interval = stack.duration(&table::SYNC_INTERVAL);
    let (mode, interval) = match (mode, interval) {
        (Ok(mode), Ok(interval)) => (mode.unwrap_or_default(), interval.unwrap_or_default()),
        (Err(error), _) | (_, Err(error)) => return Some(format!("no exchange: {error}")),
    };
    let last = Last::load(&workspace.state);
    if !mode.is_for(event) || !last.is_past(interval, clock::real_seconds()) {
        return None;
    }
    let went = exchange(workspace, mode).map_err(|error| printable::chain(error.as_ref()));
    last.note(&workspace.state, &went);
    Some(went.unwrap_or_else(|error| format!("no exchange: {error}")))
}

/// What the last exchange in the background failed with.
#[must_use]
pub fn exchange_error(state: &StateDir) -> Option<String> {
    Some(Last::load(state).error).filter(|error| !error.is_empty())
}

fn exchange(workspace: &Workspace, mode: AutoSync) -> Result<String, Box<dyn Error>> {
    let sharing = Sharing::of(workspace)?;
    let remote = sharing.remote(workspace, None)?;
    let (repo, state) = (&workspace.repository, &workspace.state);
    let Sharing { share, publish, .. } = sharing;
    let accept = Sharing::accept(workspace, &remote)?;
    let exchange = Exchange {
        repo,
        state,
        remote: &remote,
        share,
        accept,
        publish,
        prompt: Prompt::Never,
        dry_run: false,
    };
    // What cannot be signed without a question waits for the next exchange in the foreground.
    let _ = workspace.sign(Prompt::Never);
    let Outcome {
        came,
        went,
        held_back,
        ..
    } = if mode == AutoSync::Fetch {
        sync::fetch(&exchange)?
    } else {
        let allowed = workspace.allowed_secrets(&[])?;
        let rules = Rules {
            share,
            scanner: workspace.scanner()?,
            allowed: &allowed,
            all: false,
        };
        if mode == AutoSync::Push {
            sync::push(&exchange, &rules)?
        } else {
            sync::sync(&exchange, &rules)?
        }
    };
    Ok(format!(
        "{}: {came} came {went} went {held_back} held back",
        remote.name()
    ))
}

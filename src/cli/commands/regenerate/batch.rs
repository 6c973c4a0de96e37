//! `--batch`: what is said of batches that are under way, and `--cancel`.

use serde::{Deserialize, Serialize};

use super::job::Job;
use crate::base::clock;
use crate::base::count::counted;
use crate::cli::{CliError, Exit, Ui};
use crate::ops::{ModelRun, RefreshError};
use crate::provider::batch;
use crate::regen::{RunError, UnderWay};

/// A batch in a document.
#[derive(Serialize, Deserialize)]
pub(in crate::cli) struct BatchDocument {
    ticket: String,
    provider: String,
    agent: String,
    sent: String,
    requests: u64,
    /// True once the answers are here and wait to be taken.
    ended: bool,
}

impl BatchDocument {
    /// Of each batch.
    pub(in crate::cli) fn of(batches: &[UnderWay]) -> Vec<Self> {
        let document = |batch: &UnderWay| Self {
            ticket: batch.ticket.clone(),
            provider: batch.provider.clone(),
            agent: batch.agent.clone(),
            sent: clock::render_utc(batch.begun),
            requests: batch.requests,
            ended: batch.has_ended,
        };
        batches.iter().map(document).collect()
    }

    /// A line about each: what is under way, and the command that collects.
    pub(in crate::cli) fn line(&self) -> String {
        let Self {
            ticket,
            provider,
            agent,
            sent,
            requests,
            ended,
        } = self;
        let answers = counted(*requests, "answer", "answers");
        let command =
            format!("git merkle regenerate --agent {agent} --provider {provider} --batch");
        if *ended {
            format!(
                "batch {ticket} of '{provider}', sent {sent}: {answers} not taken yet (use \"{command}\", at the snapshot it was for)"
            )
        } else {
            format!(
                "batch {ticket} of '{provider}', sent {sent}: {answers} under way (use \"{command}\" to collect)"
            )
        }
    }
}

/// Says what is under way, and what failed about it.
pub(super) fn tell(ui: &Ui, batches: &[UnderWay], problems: &[String]) {
    for problem in problems {
        ui.warn(problem);
    }
    for batch in BatchDocument::of(batches) {
        ui.note(&batch.line());
    }
}

/// Asks the provider to end its batches.
pub(super) fn cancel(job: &mut Job<'_>, asking: &ModelRun<'_>) -> Result<Exit, CliError> {
    let batching = &asking.batching;
    let client = batching
        .client
        .as_ref()
        .expect("a provider without batches is refused before");
    let lock = batching
        .files
        .lock()
        .map_err(|error| CliError::io("cannot lock what is known of batches", error))?;
    if lock.is_none() {
        return Err(RefreshError::Run(RunError::BatchesBusy).into());
    }
    let runtime =
        crate::base::runtime().map_err(|error| CliError::io("cannot wait for answers", error))?;
    let cancelled = runtime
        .block_on(batch::cancel(&asking.caller, client, &batching.files))
        .map_err(|error| CliError::io("cannot read what is known of batches", error))?;
    let ui = &mut job.program.ui;
    for one in &cancelled {
        let answers = counted(one.requests, "answer", "answers");
        match &one.error {
            Some(error) => ui.warn(&format!("batch {} is not cancelled: {error}", one.ticket)),
            None => writeln!(
                ui,
                "asked '{}' to cancel batch {} with {answers} under way",
                asking.caller.name, one.ticket
            )?,
        }
    }
    if cancelled.is_empty() {
        writeln!(ui, "no batch of '{}' is under way", asking.caller.name)?;
        return Ok(Exit::Done);
    }
    if cancelled.iter().any(|one| one.error.is_some()) {
        return Ok(Exit::Unavailable);
    }
    ui.note("what it has run is paid for: '--batch' without '--cancel' collects that, and sends the rest again");
    Ok(Exit::Done)
}

//! The checks before a request: the command sends nothing that looks like a secret, and spends nothing without your
//! agreement or a budget.

use super::dry_run;
use super::job::Job;
use crate::cli::CliError;
use crate::cli::consent::{self, CostQuestion};
use crate::cli::program::Program;
use crate::ops::{self, ModelRun, Refresh};
use crate::regen::survey::Survey;
use crate::workspace::Target;

/// Looks at everything that would be sent, and asks where that costs more than `merkle.confirmAbove`.
pub(super) fn confirm(
    job: &mut Job<'_>,
    targets: &[Target],
    request: &Refresh<'_>,
    asking: &ModelRun<'_>,
) -> Result<(), CliError> {
    let (args, workspace) = (job.args, job.workspace);
    let store = workspace.store()?;
    let is_open = |target: &&Target| {
        !ops::refresh::is_up_to_date(
            &workspace.repository,
            &workspace.state,
            &store,
            target,
            request,
        )
    };
    let open: Vec<Target> = targets.iter().filter(is_open).cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let survey = ops::asking::survey(
        workspace,
        &ops::refresh::plan(
            &workspace.repository,
            &workspace.state,
            &store,
            &open,
            request,
        )?,
        request,
        asking,
    );
    if survey.estimate.calls == 0 {
        return Ok(());
    }
    asking.writer.guard_words()?;
    refuse_secrets(job.program, &survey)?;
    // The requests of small levels go out alone, at the full price.
    let is_large = survey.estimate.calls >= asking.batching.requests_min as u64;
    let asked = CostQuestion {
        words: format!(
            "this asks '{}' for {}",
            asking.caller.name,
            dry_run::words(&survey.estimate)
        ),
        nano_dollars: if args.model.batch && is_large {
            survey.estimate.batch_nano_dollars
        } else {
            survey.estimate.nano_dollars
        },
        confirm_above_nano_dollars: asking.confirm_above_nano_dollars,
        is_agreed: args.model.yes || args.model.caps().is_some(),
        has_budget: asking.has_budget,
        look: "git merkle regenerate --dry-run",
    };
    consent::require(job.program, &asking.caller, &asked)
}

fn refuse_secrets(program: &Program, survey: &Survey) -> Result<(), CliError> {
    let Some((first, others)) = survey.secrets.split_first() else {
        return Ok(());
    };
    for other in others {
        program
            .ui
            .warn(&format!("{other}; --allow-secret {}", other.id));
    }
    Err(CliError::from(first.clone())
        .hint("or leave the file out of everything with a .teddyignore"))
}

//! Before a model is asked: nothing leaves that looks like a secret, and nothing is spent that nobody agreed to.

use super::{Args, dry_run};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::regen::survey::{Estimate, Survey};
use crate::workspace::{Asking, Refresh, Target, Workspace};

/// Looks at everything that would be sent, and asks where that costs more than `merkle.confirmAbove`.
pub(super) fn confirm(
    args: &Args,
    (workspace, program): (&Workspace, &mut Program),
    targets: &[Target],
    (request, asking): (&Refresh<'_>, &Asking<'_>),
) -> Result<(), CliError> {
    let store = workspace.store()?;
    let mut survey = Survey::none();
    for target in targets.iter().filter(|target| !workspace.is_up_to_date(&store, target, request)) {
        let planned = workspace.plan(&store, target, request)?;
        survey.add(workspace.survey(&planned, target, (request, asking)));
    }
    if survey.estimate.calls == 0 {
        return Ok(());
    }
    asking.writer.guard_words()?;
    refuse_secrets(program, &survey)?;
    let is_somebody_there = program.ui.can_ask();
    let is_limited = args.model.caps().is_some() || (asking.has_budget && !is_somebody_there);
    if args.model.yes || is_limited {
        return Ok(());
    }
    if is_cheap(&survey.estimate, asking) {
        asking.caller.limit_unasked(asking.confirm_above_nano_dollars);
        return Ok(());
    }
    let words = format!("this asks '{}' for {}", asking.caller.name, dry_run::words(&survey.estimate));
    if is_somebody_there {
        return if program.ui.ask(&format!("{words}; go on?"))? {
            Ok(())
        } else {
            Err(CliError::new(Exit::No, "nothing was sent"))
        };
    }
    Err(CliError::new(Exit::Budget, format!("{words}, and nobody is there to agree"))
        .hint("give it a budget: --max-cost <usd>, --max-calls <number> or --max-tokens <number>")
        .hint("or look first: git merkle regenerate --dry-run"))
}

fn is_cheap(estimate: &Estimate, asking: &Asking<'_>) -> bool {
    estimate.nano_dollars.is_some_and(|nano| nano <= asking.confirm_above_nano_dollars)
}

fn refuse_secrets(program: &Program, survey: &Survey) -> Result<(), CliError> {
    let Some((first, others)) = survey.secrets.split_first() else { return Ok(()) };
    for other in others {
        program.ui.warn(&format!("{other}; --allow-secret {}", other.id));
    }
    Err(CliError::from(first.clone()).hint("or leave the file out of everything with a .teddyignore"))
}

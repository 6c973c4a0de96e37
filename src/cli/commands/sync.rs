//! `git merkle fetch`, `push` and `sync`: frames come from a remote and go there.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::count::counted;
use crate::cli::program::Program;
use crate::cli::ui::OutputError;
use crate::cli::{CliError, Exit, Ui, json};
use crate::frame::commit::LOCK_WAIT;
use crate::git::Prompt;
use crate::sync::select::Rules;
use crate::sync::{self, Exchange, Outcome, Publish, Remote, SyncError};
use crate::workspace::{Sharing, Workspace};

/// Arguments of `fetch`.
#[derive(Debug, clap::Args)]
pub struct FetchArgs {
    /// A configured remote (default: merkle.remote, else the branch's, else the only one)
    #[arg(value_name = "remote")]
    remote: Option<String>,
}

/// Arguments of `push` and `sync`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A configured remote (default: merkle.remote, else the branch's, else the only one)
    #[arg(value_name = "remote")]
    remote: Option<String>,
    /// Also push statements about objects that no branch of the remote has
    #[arg(long)]
    all: bool,
    /// Do not ask for confirmation before --all
    #[arg(long, short = 'y', requires = "all")]
    yes: bool,
    /// Fetch and merge, then show what would be pushed
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Merge what clones have published to their own refs into the shared ref, and delete those refs
    #[arg(long)]
    collect: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    remote: &'a str,
    came: usize,
    went: usize,
    dropped: usize,
    held_back: usize,
    left_out: usize,
    faults: Vec<FaultDocument>,
    not_accepted: usize,
    refused: Vec<FaultDocument>,
    signed: usize,
    attempts: u32,
    collected: usize,
    unfetched: usize,
    dry_run: bool,
}

#[derive(Serialize)]
struct FaultDocument {
    path: String,
    message: String,
}

/// Brings the remote's frames into the store.
pub fn fetch(args: &FetchArgs, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let sharing = Sharing::of(&workspace)?;
    let remote = sharing.remote(&workspace, args.remote.as_deref())?;
    workspace.replay(LOCK_WAIT)?;
    let exchange = exchange(&workspace, &remote, &sharing)?;
    let outcome = sync::fetch(&exchange)?;
    report(program, &exchange, &outcome, None)
}

/// Brings what was said here to the remote.
pub fn push(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    run(args, program, sync::push)
}

/// Brings the remote's frames into the store, and what was said here to the remote.
pub fn sync(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    run(args, program, sync::sync)
}

fn run(
    args: &Args,
    program: &mut Program,
    send: fn(&Exchange<'_>, &Rules<'_>) -> Result<Outcome, SyncError>,
) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let sharing = Sharing::of(&workspace)?;
    let remote = sharing.remote(&workspace, args.remote.as_deref())?;
    if args.all && !args.yes && !args.dry_run && !confirmed(program, &remote)? {
        return Ok(Exit::No);
    }
    workspace.replay(LOCK_WAIT)?;
    let allowed = program.allowed_secrets(&workspace)?;
    let exchange = exchange(&workspace, &remote, &sharing)?;
    let publish = if args.collect {
        Publish::Collect
    } else {
        exchange.publish
    };
    let exchange = Exchange {
        publish,
        dry_run: args.dry_run,
        ..exchange
    };
    let rules = Rules {
        share: exchange.share,
        scanner: workspace.scanner()?,
        allowed: &allowed,
        all: args.all,
    };
    let signed = if args.dry_run {
        0
    } else {
        program.sign(&workspace)
    };
    let outcome = send(&exchange, &rules)?;
    report(program, &exchange, &outcome, Some(signed))
}

pub(super) fn exchange<'a>(
    workspace: &'a Workspace,
    remote: &'a Remote,
    sharing: &Sharing,
) -> Result<Exchange<'a>, CliError> {
    let (repo, state) = (&workspace.repository, &workspace.state);
    let Sharing { share, publish, .. } = *sharing;
    let accept = Sharing::accept(workspace, remote)?;
    Ok(Exchange {
        repo,
        state,
        remote,
        share,
        accept,
        publish,
        prompt: Prompt::Allowed,
        dry_run: false,
    })
}

fn confirmed(program: &mut Program, remote: &Remote) -> Result<bool, CliError> {
    if !program.ui.can_ask() {
        let message =
            "--all pushes the names and statements of branches that the remote does not have";
        return Err(CliError::new(Exit::Refused, message).hint("git merkle push --all --yes"));
    }
    let question = format!(
        "Push statements about objects that no branch of '{}' has, too?",
        remote.name()
    );
    Ok(program.ui.ask(&question)?)
}

fn report(
    program: &mut Program,
    exchange: &Exchange<'_>,
    outcome: &Outcome,
    signed: Option<usize>,
) -> Result<Exit, CliError> {
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("sync", &document(exchange, outcome, signed))?;
        return Ok(Exit::Done);
    }
    warn_of_left_out(ui, exchange, outcome);
    if let Some(signed @ 1..) = signed {
        let statements = counted(signed, "statement is", "statements are");
        ui.note(&format!("{statements} signed now"));
    }
    write_counts(ui, exchange, outcome, signed.is_some())?;
    if outcome.unfetched > 0 {
        ui.warn(&format!(
            "{} refs of clones are left at '{}': too many",
            outcome.unfetched,
            exchange.remote.name()
        ));
    }
    if outcome.not_accepted_count > 0 {
        ui.note(&not_accepted(exchange, outcome));
    }
    if outcome.held_back > 0 {
        let remote = exchange.remote.name();
        ui.note(&if outcome.held_back == 1 {
            format!("held back: it is about an object that no branch of '{remote}' has; it goes once the branch is pushed, or fetched")
        } else {
            format!("held back: they are about objects that no branch of '{remote}' has; they go once the branches are pushed, or fetched")
        });
    }
    Ok(Exit::Done)
}

fn document<'d>(
    exchange: &'d Exchange<'_>,
    outcome: &'d Outcome,
    signed: Option<usize>,
) -> Document<'d> {
    let fault = |fault: &sync::LeftOut| FaultDocument {
        path: json::path(fault.path.as_bytes()),
        message: fault.reason.clone(),
    };
    Document {
        remote: exchange.remote.name(),
        came: outcome.came,
        went: outcome.went,
        dropped: outcome.dropped,
        held_back: outcome.held_back,
        left_out: outcome.left_out_count,
        faults: outcome.left_out.iter().map(fault).collect(),
        not_accepted: outcome.not_accepted_count,
        refused: outcome.not_accepted.iter().map(fault).collect(),
        signed: signed.unwrap_or(0),
        attempts: outcome.attempts,
        collected: outcome.collected,
        unfetched: outcome.unfetched,
        dry_run: exchange.dry_run,
    }
}

/// Names the entries of the remote that were left out.
fn warn_of_left_out(ui: &Ui, exchange: &Exchange<'_>, outcome: &Outcome) {
    for fault in &outcome.left_out {
        let path = if fault.path.is_root() {
            exchange.remote.frames_ref().into()
        } else {
            fault.path.to_text()
        };
        ui.warn(&format!(
            "'{path}' of {} is left out: {}",
            exchange.remote.name(),
            fault.reason
        ));
    }
    if outcome.left_out_count > outcome.left_out.len() {
        ui.warn(&format!(
            "of {}, {} left out, or more",
            exchange.remote.name(),
            counted(outcome.left_out_count, "entry is", "entries are")
        ));
    }
}

/// One line: how many frames came, went, or did not.
fn write_counts(
    ui: &mut Ui,
    exchange: &Exchange<'_>,
    outcome: &Outcome,
    has_pushed: bool,
) -> Result<(), OutputError> {
    write!(ui, "{} came", frames(outcome.came))?;
    if has_pushed {
        write!(
            ui,
            ", {} {}",
            outcome.went,
            if exchange.dry_run { "would go" } else { "went" }
        )?;
    }
    if outcome.dropped > 0 {
        write!(ui, ", {} dropped by 'gc' there", outcome.dropped)?;
    }
    if outcome.not_accepted_count > 0 {
        write!(ui, ", {} not accepted", outcome.not_accepted_count)?;
    }
    if outcome.held_back > 0 {
        write!(ui, ", {} held back", outcome.held_back)?;
    }
    if exchange.publish == Publish::Collect {
        write!(
            ui,
            ", {} {}collected",
            counted(outcome.collected, "ref", "refs"),
            if exchange.dry_run { "would be " } else { "" }
        )?;
    }
    writeln!(ui)
}

/// Why frames do not count: how many for each reason, of those that are named.
fn not_accepted(exchange: &Exchange<'_>, outcome: &Outcome) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for refused in &outcome.not_accepted {
        *reasons.entry(&refused.reason).or_default() += 1;
    }
    let told: Vec<String> = reasons
        .into_iter()
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    let more = outcome.not_accepted_count - outcome.not_accepted.len();
    let more = if more > 0 {
        format!("; {more} more")
    } else {
        String::new()
    };
    format!(
        "not accepted from '{}', and used nowhere: {}{more}",
        exchange.remote.name(),
        told.join("; ")
    )
}

pub(super) fn frames(count: usize) -> String {
    counted(count, "frame", "frames")
}

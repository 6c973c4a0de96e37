//! What a run has done: a sentence, a document, an exit code; kept for `status --last`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::{self, BatchDocument};
use super::event;
use super::job::Job;
use crate::base::Cost;
use crate::base::count::counted;
use crate::base::{TreePath, clock};
use crate::cli::absent;
use crate::cli::commands::provider::hint;
use crate::cli::{CliError, Exit, Style, Ui, json};
use crate::ops::{self, Refresh, Refreshed};
use crate::provider::ProviderError;
use crate::regen::{Cause, Report, Stop};

/// Nodes that failed for the same reason and are shown one by one, at most.
const SAME_REASON_MAX: u64 = 5;

/// The document of a run.
#[derive(Serialize, Deserialize)]
pub(in crate::cli) struct Run {
    agent: String,
    r#type: String,
    visited: u64,
    #[serde(default)]
    is_partial: bool,
    made_files: u64,
    made_directories: u64,
    reused: u64,
    kept: u64,
    fresh: u64,
    absent: u64,
    #[serde(default)]
    absent_paths: Vec<String>,
    stored: u64,
    held_back: u64,
    failed: Vec<FailedDocument>,
    awaited: Vec<AwaitedDocument>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    batches: Vec<BatchDocument>,
    left: u64,
    stop: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<ModelDocument>,
}

#[derive(Serialize, Deserialize)]
struct FailedDocument {
    path: String,
    message: String,
}

#[derive(Serialize, Deserialize)]
struct AwaitedDocument {
    path: String,
    ticket: String,
}

/// What asking a model took.
#[derive(Serialize, Deserialize)]
struct ModelDocument {
    provider: String,
    model: Option<String>,
    calls: u64,
    retries: u64,
    redacted: u64,
    input_tokens: u64,
    output_tokens: u64,
    cache_read_tokens: u64,
    cache_write_tokens: u64,
    /// Calls whose tokens and cost are this program's own count, because the provider tells none.
    #[serde(default)]
    estimated_calls: u64,
    cost_usd: Option<Cost>,
    /// What of the profile's parameters the provider does not take as it is wished.
    #[serde(default)]
    fitted: Vec<String>,
    seconds: f64,
    ended: String,
}

/// How many frames a run that stopped has left. What was forced is fresh again once it is made, so a second run with
/// --force would start anew.
fn left_words(left: u64, is_forced: bool) -> String {
    let words = match left {
        0 => return "no frame is left".to_owned(),
        left => counted(left, "frame is left", "frames are left"),
    };
    let next = if is_forced {
        ""
    } else {
        "; the same command goes on there"
    };
    format!("{words}{next}")
}

/// Prints what was done, keeps it, and says how the program ends.
pub(super) fn report(
    job: &mut Job<'_>,
    request: &Refresh<'_>,
    done: &Refreshed,
    took: Duration,
) -> Result<Exit, CliError> {
    let (args, workspace) = (job.args, job.workspace);
    let report = &done.report;
    let document = document(request, done, took);
    if document.model.is_some() && !document.is_empty() {
        ops::last_run::save(&workspace.state, &json::document("regenerate", &document));
    }
    let ui = &mut job.program.ui;
    tell_failed(ui, &report.failed);
    if ui.is_json() || args.model.json_lines {
        ui.write_json("regenerate", &document)?;
    } else if document.is_empty() {
        writeln!(
            ui,
            "nothing to do: every node of {} is fresh",
            args.snapshot.name()
        )?;
    } else {
        document.write(ui)?;
    }
    tell_learned(ui, request, report);
    batch::tell(ui, &report.batches, &report.batch_problems);
    for problem in &report.queue_problems {
        ui.warn(problem);
    }
    absent::tell(ui, workspace, &report.absent, args.snapshot.revision());
    if let Some(stop) = &report.stop {
        let left = report.left + report.failed.len() as u64 + report.held_back;
        ui.note(&left_words(left, args.force));
        let exit = ended(stop, ui);
        tell_hint(ui, request, report);
        return Ok(exit);
    }
    tell_hint(ui, request, report);
    if !report.awaited.is_empty() {
        tell_awaited(ui, request, report);
        return Ok(Exit::Busy);
    }
    if report.failed.is_empty() {
        Ok(Exit::Done)
    } else {
        Ok(Exit::Partial)
    }
}

/// Warns of nodes without a frame: of a few with the same reason one by one, of the others together.
fn tell_failed(ui: &Ui, failed: &[(TreePath, Cause)]) {
    let mut by_reason: BTreeMap<&str, u64> = BTreeMap::new();
    for (path, cause) in failed {
        let count = by_reason.entry(&cause.reason).or_default();
        *count += 1;
        if *count <= SAME_REASON_MAX {
            ui.warn(&format!("'{}': {cause}", path.to_text()));
        }
    }
    for (reason, count) in by_reason {
        let others = count.saturating_sub(SAME_REASON_MAX);
        if others > 0 {
            let others = counted(others, "other node", "other nodes");
            ui.warn(&format!("{others}: {reason}; --json lists them"));
        }
    }
}

/// Says what the run has found out about its provider, and how to say it from the start.
fn tell_learned(ui: &Ui, request: &Refresh<'_>, report: &Report) {
    let Some(asking) = request.asking else { return };
    let name = &asking.caller.name;
    if let Some(concurrency) = report.concurrency {
        let at_once = if concurrency == 1 {
            "one call at a time".to_owned()
        } else {
            format!("{concurrency} calls at once")
        };
        ui.note(&format!(
            "'{name}' broke answers off, and was asked {at_once} then; \
             'git config --global merkle.provider.{name}.concurrency {concurrency}' says so from the start"
        ));
    }
    let known = asking.writer.capabilities.context_tokens;
    if let Some(window) = report
        .window
        .filter(|window| known.is_none_or(|known| *window < known))
    {
        ui.note(&format!(
            "'{name}' has a window of {window} tokens; \
             'git config --global merkle.provider.{name}.contextTokens {window}' says so from the start"
        ));
    }
}

/// Says what to try where the provider has failed and no answer came after it.
fn tell_hint(ui: &Ui, request: &Refresh<'_>, report: &Report) {
    let (Some(asking), Some(trouble)) = (request.asking, &report.trouble) else {
        return;
    };
    // What an answer has instead of what was wanted is said already.
    let is_answer = matches!(trouble, ProviderError::Protocol(_));
    if let Some(hint) = hint(&asking.caller.name, trouble).filter(|_| !is_answer) {
        ui.note(&format!("hint: {hint}"));
    }
}

/// Says where the answers of a person go.
fn tell_awaited(ui: &Ui, request: &Refresh<'_>, report: &Report) {
    let Some(asking) = request.asking else { return };
    let is_batched = |ticket: &String| report.batches.iter().any(|batch| batch.ticket == *ticket);
    let of_people = report
        .awaited
        .iter()
        .filter(|(_, ticket)| !is_batched(ticket));
    let of_people: Vec<_> = of_people.collect();
    if of_people.is_empty() {
        return;
    }
    let many = counted(of_people.len(), "answer is awaited", "answers are awaited");
    ui.note(&format!("{many}; read each '<ticket>.prompt.md', write '<ticket>.answer.md' beside it, and run this again:"));
    for (path, ticket) in of_people {
        ui.note(&format!(
            "  {} '{}'",
            asking
                .pending_dir
                .join(format!("{ticket}.prompt.md"))
                .display(),
            path.to_text()
        ));
    }
}

/// The exit of a run that ended early, after saying why.
fn ended(stop: &Stop, ui: &Ui) -> Exit {
    let (exit, words) = match stop {
        Stop::Budget(_) => (Exit::Budget, event::words(stop)),
        Stop::Provider(_) => (Exit::Unavailable, event::words(stop)),
        Stop::FailFast | Stop::Unusable(_) => (Exit::Partial, event::words(stop)),
        Stop::Interrupted => return Exit::Interrupted,
        Stop::Terminated => return Exit::Terminated,
    };
    ui.warn(&words);
    exit
}

impl Run {
    /// Reads a document that was kept; `None` for anything else.
    pub(in crate::cli) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Prints it in words: one sentence of frames, and for a model one of what it took.
    pub(in crate::cli) fn write(&self, ui: &mut Ui) -> Result<(), CliError> {
        writeln!(ui, "{}", frames(self))?;
        if let Some(model) = &self.model {
            let text = took(model);
            let text = ui.styled(Style::Plain, &text);
            writeln!(ui, "{text}")?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.made_files
            + self.made_directories
            + self.reused
            + self.failed.len() as u64
            + self.absent
            + self.left
            == 0
    }
}

fn frames(document: &Run) -> String {
    let made = format!(
        "made {} ({}, {})",
        counted(
            document.made_files + document.made_directories,
            "frame",
            "frames"
        ),
        counted(document.made_files, "file", "files"),
        counted(document.made_directories, "directory", "directories")
    );
    let others = [
        (document.reused, "reused"),
        (document.kept, "unchanged"),
        // A run that did not look at all nodes does not know how many are fresh.
        (
            if document.is_partial {
                0
            } else {
                document.fresh
            },
            "fresh",
        ),
        (document.failed.len() as u64, "failed"),
        (document.held_back, "held back by failures below"),
        (document.left, "left"),
    ];
    let others = others
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"));
    std::iter::once(made)
        .chain(others)
        .collect::<Vec<_>>()
        .join(", ")
}

fn took(model: &ModelDocument) -> String {
    let name = model.model.as_ref().map_or_else(
        || model.provider.clone(),
        |name| format!("{} ({name})", model.provider),
    );
    let retries = if model.retries > 0 {
        format!(", {}", counted(model.retries, "retry", "retries"))
    } else {
        String::new()
    };
    let redacted = if model.redacted > 0 {
        format!(", {} taken out as secrets", model.redacted)
    } else {
        String::new()
    };
    let cost = model
        .cost_usd
        .as_ref()
        .map_or_else(|| "cost unknown".to_owned(), |cost| format!("{cost} USD"));
    let calls = counted(model.calls, "call", "calls");
    let ModelDocument {
        input_tokens,
        output_tokens,
        cache_read_tokens,
        seconds,
        ..
    } = model;
    let tokens = if model.estimated_calls == 0 {
        format!("{input_tokens} tokens in ({cache_read_tokens} from cache), {output_tokens} out")
    } else {
        format!(
            "about {input_tokens} tokens in and {output_tokens} out (estimated: {})",
            untold(model)
        )
    };
    format!("asked {name}: {calls}{retries}, {tokens}, {cost}{redacted}, {seconds:.1} s")
}

/// Why an amount is an estimate.
fn untold(model: &ModelDocument) -> String {
    if model.estimated_calls >= model.calls {
        return "the provider told no count that can be true".to_owned();
    }
    format!(
        "the provider told no count that can be true for {} of {} calls",
        model.estimated_calls, model.calls
    )
}

fn document(request: &Refresh<'_>, done: &Refreshed, took: Duration) -> Run {
    let report = &done.report;
    let failed = report.failed.iter().map(|(path, cause)| FailedDocument {
        path: json::path(path.as_bytes()),
        message: cause.to_string(),
    });
    let awaited = report.awaited.iter().map(|(path, ticket)| AwaitedDocument {
        path: json::path(path.as_bytes()),
        ticket: ticket.clone(),
    });
    Run {
        agent: request.agent.id.to_string(),
        r#type: request.frame_type.to_string(),
        visited: done.visited,
        is_partial: done.is_partial,
        made_files: report.made_files,
        made_directories: report.made_directories,
        reused: report.reused,
        kept: report.kept,
        fresh: report.fresh,
        absent: report.absent.len() as u64,
        absent_paths: report
            .absent
            .iter()
            .map(|path| json::path(path.as_bytes()))
            .collect(),
        stored: report.stored,
        held_back: report.held_back,
        failed: failed.collect(),
        awaited: awaited.collect(),
        batches: BatchDocument::of(&report.batches),
        left: report.left,
        stop: report.stop.as_ref().map(event::words),
        model: model(request, report, took),
    }
}

fn model(request: &Refresh<'_>, report: &Report, took: Duration) -> Option<ModelDocument> {
    let asking = request.asking?;
    let is_priced = report.spent.nano_dollars.is_some() || report.spent.calls == 0;
    Some(ModelDocument {
        provider: asking.caller.name.clone(),
        model: asking.caller.capabilities().model.clone(),
        calls: report.spent.calls,
        retries: report.retries,
        redacted: report.redacted,
        input_tokens: report.usage.input,
        output_tokens: report.usage.output,
        cache_read_tokens: report.usage.cache_read,
        cache_write_tokens: report.usage.cache_write,
        estimated_calls: report.estimated,
        cost_usd: is_priced.then(|| Cost(report.spent.nano_dollars.unwrap_or(0))),
        fitted: asking.writer.lasting_changes(),
        seconds: (took.as_secs_f64() * 10.0).round() / 10.0,
        ended: clock::render_utc(clock::now_seconds()),
    })
}

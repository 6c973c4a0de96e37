//! `--dry-run`: what would be made, why, and what asking for it would take.

use std::collections::BTreeMap;

use serde::Serialize;

use super::job::Job;
use super::syntheses::Scope;
use crate::base::Cost;
use crate::base::count::counted;
use crate::base::{NodeId, TreePath};
use crate::cli::{CliError, Exit, json};
use crate::ops::{self, ModelRun, Refresh};
use crate::provider::ledger::Spend;
use crate::provider::queue::QueueAddress;
use crate::regen::survey::{Estimate, Survey};
use crate::synthesis::Reason;
use crate::workspace::{Target, Workspace};

#[derive(Serialize)]
struct Document {
    agent: String,
    r#type: String,
    calls: u64,
    fresh: u64,
    skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<EstimateDocument>,
    tasks: Vec<TaskDocument>,
}

#[derive(Serialize)]
struct EstimateDocument {
    provider: String,
    model: Option<String>,
    reused: u64,
    input_tokens: u64,
    output_tokens: u64,
    cost_usd: Option<Cost>,
    /// The same in batches; `null` where the provider takes none, or no price is known.
    batch_cost_usd: Option<Cost>,
    /// The queue that the requests would go through; `null` where they would go to the provider.
    queue: Option<String>,
    /// Answers that batches owe; they are no calls.
    under_way: u64,
    /// Files whose answer was no frame before, and directories that wait for them.
    refused: u64,
    held_back: u64,
    /// Files that the agent leaves out, and about how many tokens their content has.
    left_out: u64,
    left_out_tokens: u64,
    secrets: Vec<String>,
    /// What of the profile's parameters the provider does not take as it is wished.
    fitted: Vec<String>,
}

#[derive(Serialize)]
struct TaskDocument {
    path: String,
    kind: &'static str,
    reason: &'static str,
}

struct Task {
    path: Vec<u8>,
    is_directory: bool,
    reason: Reason,
}

#[derive(Default)]
struct Plans {
    tasks: Vec<Task>,
    fresh: u64,
    skipped: u64,
    survey: Survey,
}

/// Prints the plan; sends and makes nothing.
pub(super) fn run(
    job: &mut Job<'_>,
    targets: &[Target],
    request: &Refresh<'_>,
    scope: &Scope,
    start: Option<NodeId>,
) -> Result<Exit, CliError> {
    let plans = plan(job.workspace, targets, request, scope, start)?;
    let ui = &mut job.program.ui;
    if ui.is_json() {
        ui.write_json("plan", &document(&plans, request))?;
        return Ok(Exit::Done);
    }
    for (path, why) in &plans.survey.unfit {
        ui.warn(&format!("'{}': {why}", path.to_text()));
    }
    let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
    for Task {
        path,
        is_directory,
        reason,
    } in &plans.tasks
    {
        *reasons.entry(*reason).or_default() += 1;
        let path = TreePath::new(path.clone());
        let mut shown = path.shown().to_vec();
        if *is_directory && !path.is_root() {
            shown.push(b'/');
        }
        let path = ui.path(&shown).into_owned();
        ui.write_bytes(&path)?;
        ui.end_record()?;
    }
    for secret in &plans.survey.secrets {
        ui.warn(&format!("{secret}; it would not be sent"));
    }
    let why: Vec<String> = reasons
        .iter()
        .map(|(reason, count)| format!("{count} {}", reason.as_str()))
        .collect();
    let why = if why.is_empty() {
        "nothing to do".to_owned()
    } else {
        why.join(", ")
    };
    let skipped = if plans.skipped > 0 {
        format!(", {} skipped", plans.skipped)
    } else {
        String::new()
    };
    ui.note(&format!(
        "would make {} ({why}), {} fresh{skipped}; {}",
        counted(plans.tasks.len(), "frame", "frames"),
        plans.fresh,
        asked(&plans, request)
    ));
    Ok(Exit::Done)
}

fn plan(
    workspace: &Workspace,
    targets: &[Target],
    request: &Refresh<'_>,
    scope: &Scope,
    start: Option<NodeId>,
) -> Result<Plans, CliError> {
    let store = workspace.store()?;
    let mut plans = Plans::default();
    for target in targets {
        let (tasks, fresh) = scope.tasks(workspace, &store, target, start)?;
        plans.fresh += fresh;
        plans
            .tasks
            .extend(tasks.into_iter().map(|(path, reason)| Task {
                path,
                is_directory: true,
                reason,
            }));
    }
    if !scope.is_own {
        return Ok(plans);
    }
    let planned = ops::refresh::plan(
        &workspace.repository,
        &workspace.state,
        &store,
        targets,
        request,
    )?;
    plans.tasks.extend(planned.plan.tasks.iter().map(|task| {
        Task {
            path: planned
                .scan
                .path(&planned.root, task.node)
                .as_bytes()
                .to_vec(),
            is_directory: planned.scan.node(task.node).is_directory,
            reason: task.reason,
        }
    }));
    plans.fresh += planned.plan.fresh;
    plans.skipped += planned.plan.skipped;
    if let Some(asking) = request.asking {
        plans.survey = ops::asking::survey(workspace, &planned, request, asking);
    }
    Ok(plans)
}

/// What would be asked, in words.
fn asked(plans: &Plans, request: &Refresh<'_>) -> String {
    match request.asking {
        None => "no calls to a model, no cost".to_owned(),
        Some(asking) => format!(
            "would ask '{}' for {}{}{}",
            asking.caller.name,
            words(&plans.survey.estimate),
            by_way_of(asking),
            before_the_end(asking, &plans.survey.estimate)
        ),
    }
}

/// The limit that ends the run before its end, if the estimate passes one.
fn before_the_end(asking: &ModelRun<'_>, estimate: &Estimate) -> String {
    let spend = Spend {
        calls: estimate.calls,
        tokens: estimate.input_tokens + estimate.output_tokens,
        nano_dollars: estimate.nano_dollars,
    };
    let limit = asking.caller.limit_passed_by(&spend);
    limit.map_or_else(String::new, |limit| {
        format!("; the limit of {limit} ends the run before that")
    })
}

/// Where the requests would go, if not to the provider itself. What workers pay is not known here.
fn by_way_of(asking: &ModelRun<'_>) -> String {
    asking.queue.as_ref().map_or_else(String::new, |queue| {
        let address = queue.as_text();
        let name = &asking.caller.name;
        format!("; the requests go to workers through {address}, at the prices of '{name}' here")
    })
}

/// An estimate in words: `about 12 calls, 3400 tokens in and 4200 out, 0.05 USD`.
pub(super) fn words(estimate: &Estimate) -> String {
    let Estimate {
        calls,
        reused,
        input_tokens,
        output_tokens,
        nano_dollars,
        batch_nano_dollars,
        owed,
        refused,
        held_back,
        left_out,
        left_out_tokens,
    } = estimate;
    let cost = nano_dollars.map_or_else(
        || "at a price that is not configured".to_owned(),
        |nano| format!("{} USD", rounded(nano)),
    );
    let in_batches = batch_nano_dollars.filter(|nano| Some(*nano) != *nano_dollars);
    let in_batches = in_batches.map_or_else(String::new, |nano| {
        format!(" ({} USD in batches)", rounded(nano))
    });
    let owed = match owed {
        0 => String::new(),
        1 => ", 1 under way in a batch".to_owned(),
        count => format!(", {count} under way in batches"),
    };
    let reused = if *reused > 0 {
        format!(", {reused} reused without a call")
    } else {
        String::new()
    };
    let calls = counted(*calls, "call", "calls");
    let left_out = match left_out {
        0 => String::new(),
        count => format!(
            "; without {} of about {left_out_tokens} tokens that the agent leaves out",
            counted(*count, "file", "files")
        ),
    };
    let refused = match refused {
        0 => String::new(),
        count => format!(
            "; {} whose answer was of no use before, and {} above, not without --force",
            counted(*count, "file", "files"),
            counted(*held_back, "directory", "directories")
        ),
    };
    format!(
        "about {calls}, {input_tokens} tokens in and {output_tokens} out, {cost}{in_batches}{reused}{owed}{refused}{left_out}"
    )
}

/// Money with four digits behind the point: an estimate has no more.
fn rounded(nano: u64) -> String {
    Cost(nano.div_ceil(100_000) * 100_000).to_string()
}

fn document(plans: &Plans, request: &Refresh<'_>) -> Document {
    let tasks = plans.tasks.iter().map(|task| TaskDocument {
        path: json::path(&task.path),
        kind: if task.is_directory {
            "directory"
        } else {
            "file"
        },
        reason: task.reason.as_str(),
    });
    let Estimate {
        calls,
        reused,
        input_tokens,
        output_tokens,
        nano_dollars,
        batch_nano_dollars,
        owed,
        refused,
        held_back,
        left_out,
        left_out_tokens,
    } = plans.survey.estimate;
    let estimate = request.asking.map(|asking| EstimateDocument {
        provider: asking.caller.name.clone(),
        model: asking.caller.capabilities().model.clone(),
        reused,
        input_tokens,
        output_tokens,
        cost_usd: nano_dollars.map(Cost),
        queue: asking.queue.as_ref().map(QueueAddress::as_text),
        batch_cost_usd: batch_nano_dollars.map(Cost),
        under_way: owed,
        refused,
        held_back,
        left_out,
        left_out_tokens,
        secrets: plans
            .survey
            .secrets
            .iter()
            .map(ToString::to_string)
            .collect(),
        fitted: asking.writer.lasting_changes(),
    });
    Document {
        agent: request.agent.id.to_string(),
        r#type: request.frame_type.to_string(),
        calls,
        fresh: plans.fresh,
        skipped: plans.skipped,
        estimate,
        tasks: tasks.collect(),
    }
}

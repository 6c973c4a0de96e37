//! The steps of a run as they happen: a bar for people, a line of JSON for programs.

use std::time::Duration;

use serde::Serialize;

use crate::base::Cost;
use crate::base::{AgentId, FrameType, TreePath};
use crate::cli::progress::{Progress, ProgressStep};
use crate::cli::ui::OutputError;
use crate::cli::{Ui, json};
use crate::provider::ledger::Spend;
use crate::regen::{Event, Stop};

/// A step; the fields that its kind has.
#[derive(Default, Serialize)]
struct Line {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pause_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<u64>,
}

/// Draws a step.
pub(super) fn show(progress: &mut Progress, event: &Event) {
    if let Event::Progress { done, total, spent } = event {
        let message = message(spent);
        progress.show(ProgressStep {
            position: *done,
            total: Some(*total),
            message: &message,
        });
    }
}

/// What is being made, and what it has taken so far.
fn message(spent: &Spend) -> String {
    match spent {
        Spend { calls: 0, .. } => "frames".to_owned(),
        Spend {
            tokens,
            nano_dollars: Some(nano),
            ..
        } if *nano > 0 => format!("frames, {tokens} tokens, {} USD", Cost(*nano)),
        Spend { tokens, .. } => format!("frames, {tokens} tokens"),
    }
}

/// Prints a step as a line of JSON, at once.
pub(super) fn write(
    ui: &mut Ui,
    event: &Event,
    agent: &AgentId,
    frame_type: &FrameType,
) -> Result<(), OutputError> {
    let mut line = line(event);
    if line.path.is_some() {
        (line.agent, line.r#type) = (Some(agent.to_string()), Some(frame_type.to_string()));
    }
    ui.write_json("event", &line)?;
    ui.flush()
}

fn line(event: &Event) -> Line {
    let about = |event, path: &TreePath| Line {
        event,
        path: Some(json::path(path.as_bytes())),
        ..Line::default()
    };
    match event {
        Event::Progress { done, total, spent } => Line {
            event: "progress",
            done: Some(*done),
            total: Some(*total),
            cost_usd: spent.nano_dollars.map(Cost),
            ..Line::default()
        },
        Event::Sent(path) => about("asked", path),
        Event::Answered {
            path,
            usage,
            nano_dollars,
        } => Line {
            input_tokens: usage.map(|usage| usage.input),
            output_tokens: usage.map(|usage| usage.output),
            cache_read_tokens: usage.map(|usage| usage.cache_read),
            cost_usd: nano_dollars.map(Cost),
            ..about("answered", path)
        },
        Event::Made(path) => about("made", path),
        Event::Reused(path) => about("reused", path),
        Event::Kept(path) => about("kept", path),
        Event::Absent(path) => about("absent", path),
        Event::Retried {
            path,
            reason,
            pause,
        } => Line {
            reason: Some(reason.clone()),
            pause_ms: Some(millis(*pause)),
            ..about("retried", path)
        },
        Event::Awaited { path, ticket } => Line {
            ticket: Some(ticket.clone()),
            ..about("awaited", path)
        },
        Event::Failed { path, reason } => Line {
            reason: Some(reason.clone()),
            ..about("failed", path)
        },
        Event::Stored(frames) => Line {
            event: "stored",
            frames: Some(*frames),
            ..Line::default()
        },
        Event::Waiting => Line {
            event: "waiting",
            ..Line::default()
        },
        Event::Stopping(stop) => Line {
            event: "stopping",
            reason: Some(words(stop)),
            ..Line::default()
        },
    }
}

fn millis(pause: Duration) -> u64 {
    u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
}

/// Why a run ended early, in words.
pub(super) fn words(stop: &Stop) -> String {
    match stop {
        Stop::Budget(why) | Stop::Provider(why) | Stop::Unusable(why) => why.clone(),
        Stop::FailFast => "a node failed, and --fail-fast was given".to_owned(),
        Stop::Interrupted => "interrupted".to_owned(),
        Stop::Terminated => "asked to terminate".to_owned(),
    }
}

//! `git merkle gc`: drops what the store need not hold any longer; the only command that does.

use serde::Serialize;

use super::sync::{exchange, frames};
use crate::cli::program::Program;
use crate::cli::ui::OutputError;
use crate::cli::{CliError, Exit, Ui};
use crate::frame::FRAMES_REF;
use crate::frame::commit::SET_ASIDE_REF;
use crate::sync::retain::{RetentionPlan, Rules};
use crate::sync::{self, Exchange, Remote};
use crate::workspace::{Sharing, Workspace};

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would be dropped, and change nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Keep this many generations besides the newest
    #[arg(long, value_name = "n", default_value_t = 1)]
    keep: usize,
    /// Keep a model's frames whose content is in a commit since this date (2026-11-23) or age (90d, 8w, 2y); without it, in
    /// any commit
    #[arg(long, value_name = "time", value_parser = parse_time)]
    keep_since: Option<String>,
    /// Also drop a model's frames that were never pushed
    #[arg(long)]
    local: bool,
    /// Also drop frames in a remote, for every clone (default: merkle.remote, else the branch's, else the only one)
    #[arg(long, value_name = "remote", num_args = 0..=1, default_missing_value = "")]
    publish: Option<String>,
}

/// A time that git reads as it is meant; git itself takes every other word for now.
fn parse_time(text: &str) -> Result<String, String> {
    let is_date = |text: &str| {
        let shape = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
        text.bytes().map(shape).eq(*b"0000-00-00")
    };
    if is_date(text) {
        return Ok(text.to_owned());
    }
    let unit = match text.bytes().last() {
        Some(b'd') => "days",
        Some(b'w') => "weeks",
        Some(b'y') => "years",
        _ => "",
    };
    let count: Option<u16> = text
        .get(..text.len().saturating_sub(1))
        .and_then(|digits| digits.parse().ok());
    match count {
        Some(count) if !unit.is_empty() => Ok(format!("{count}.{unit}.ago")),
        _ => Err("neither a date such as 2026-11-23 nor an age such as 90d, 8w, 2y".to_owned()),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    dry_run: bool,
    #[serde(flatten)]
    here: Part,
    /// What goes from a remote.
    published: Option<Published<'a>>,
}

#[derive(Serialize)]
struct Published<'a> {
    remote: &'a str,
    #[serde(flatten)]
    there: Part,
}

#[derive(Serialize)]
struct Part {
    dropped: usize,
    derived: usize,
    superseded: usize,
    unreached: usize,
    size_bytes: u64,
    kept_unpushed: usize,
    kept_held: usize,
}

impl Part {
    fn of(plan: &RetentionPlan) -> Self {
        Self {
            dropped: plan.frames,
            derived: plan.derived,
            superseded: plan.superseded,
            unreached: plan.unreached,
            size_bytes: plan.size_bytes,
            kept_unpushed: plan.unpushed,
            kept_held: plan.held,
        }
    }
}

/// Drops frames at the remote that the user names, and then here.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let rules = Rules {
        keep: args.keep,
        since: args.keep_since.as_deref(),
        local: args.local,
    };
    if !args.dry_run {
        workspace.replay(std::time::Duration::ZERO)?;
    }
    let published = match &args.publish {
        None => None,
        Some(named) => {
            let sharing = Sharing::of(&workspace)?;
            let remote = sharing.remote(
                &workspace,
                Some(named.as_str()).filter(|named| !named.is_empty()),
            )?;
            let exchange = Exchange {
                dry_run: args.dry_run,
                ..exchange(&workspace, &remote, &sharing)?
            };
            let plan = sync::publish(&exchange, &rules)?;
            Some((remote, plan))
        }
    };
    let here = sync::gc(
        &workspace.repository,
        &workspace.state,
        &rules,
        args.dry_run,
    )?;
    report(program, &workspace, &here, published.as_ref(), args.dry_run)
}

fn report(
    program: &mut Program,
    workspace: &Workspace,
    here: &RetentionPlan,
    published: Option<&(Remote, RetentionPlan)>,
    dry_run: bool,
) -> Result<Exit, CliError> {
    let ui = &mut program.ui;
    if ui.is_json() {
        let published = published.map(|(remote, plan)| Published {
            remote: remote.name(),
            there: Part::of(plan),
        });
        ui.write_json(
            "gc",
            &Document {
                dry_run,
                here: Part::of(here),
                published,
            },
        )?;
        return Ok(Exit::Done);
    }
    let words = if dry_run {
        "would be dropped"
    } else {
        "dropped"
    };
    if let Some((remote, plan)) = published {
        write_part(program, &format!("{words} from '{}'", remote.name()), plan)?;
    }
    write_part(program, words, here)?;
    let ui = &mut program.ui;
    for (count, why) in [
        (
            here.unpushed,
            "paid for and in no remote; --local drops them, too",
        ),
        (
            here.held,
            "held by a remote; --publish drops them there, for every clone",
        ),
    ] {
        if count > 0 {
            ui.note(&format!("{} more: {why}", frames(count)));
        }
    }
    if !dry_run && !here.gone.is_empty() {
        tell_what_keeps(ui, workspace)?;
    }
    Ok(Exit::Done)
}

/// Says what keeps the space of what is gone, and how that ends.
fn tell_what_keeps(ui: &mut Ui, workspace: &Workspace) -> Result<(), CliError> {
    ui.note("git frees the space in its time, or at once by 'git gc --prune=now'");
    if workspace.repository.has_log(FRAMES_REF) {
        let way = format!("git reflog expire --expire=now {FRAMES_REF}");
        ui.note(&format!(
            "until its log forgets it, '{FRAMES_REF}' keeps what went; '{way}' ends that"
        ));
    }
    if workspace.repository.find_ref(SET_ASIDE_REF)?.is_some() {
        ui.note(&format!("'{SET_ASIDE_REF}' keeps the store as it was then; 'git update-ref -d {SET_ASIDE_REF}' ends that"));
    }
    Ok(())
}

fn write_part(program: &mut Program, words: &str, plan: &RetentionPlan) -> Result<(), OutputError> {
    let ui = &mut program.ui;
    if plan.gone.is_empty() {
        return writeln!(ui, "0 frames {words}");
    }
    let kinds = [
        (plan.derived, "made again when needed"),
        (plan.superseded, "superseded"),
        (plan.unreached, "about nothing that is left"),
    ];
    let told: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    writeln!(
        ui,
        "{} of {} bytes {words}: {}",
        frames(plan.frames),
        plan.size_bytes,
        told.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn a_time_is_a_date_or_an_age_and_nothing_that_git_would_guess() {
        for (text, expected) in [
            ("2026-11-23", "2026-11-23"),
            ("90d", "90.days.ago"),
            ("8w", "8.weeks.ago"),
            ("2y", "2.years.ago"),
        ] {
            assert_eq!(parse_time(text).as_deref(), Ok(expected));
        }
        for text in [
            "",
            "d",
            "now",
            "two years",
            "6m",
            "-1d",
            "2026-11-2x",
            "90",
            "90é",
            "9e9d",
        ] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}

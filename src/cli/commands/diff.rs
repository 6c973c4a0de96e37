//! `git merkle diff`: how what is known differs between two revisions.

use serde::Serialize;
use similar::{ChangeTag, DiffTag, TextDiff};

use crate::agent::Maker;
use crate::base::{AgentId, FrameType, TreePath, printable};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui, json};
use crate::frame::{Slot, Store};
use crate::git::{EntryMode, Side, diff_trees};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// <rev>..<rev>, or one revision to compare with HEAD
    #[arg(value_name = "range")]
    range: String,
    /// Only what is said below these paths, relative to the root
    #[arg(value_name = "path", last = true)]
    paths: Vec<String>,
    /// Only frames of this agent
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
    /// Paths only
    #[arg(long)]
    name_only: bool,
}

/// A slot of a path that says something else, or that nobody has brought up to date.
struct Difference {
    path: TreePath,
    slot: Slot,
    old: Option<String>,
    new: Option<String>,
    /// True when the node is there but nothing is said about it.
    is_missing: bool,
}

#[derive(Serialize)]
struct Document {
    changes: Vec<ChangeDocument>,
}

#[derive(Serialize)]
struct ChangeDocument {
    path: String,
    agent: String,
    r#type: String,
    old: Option<String>,
    new: Option<String>,
    missing: bool,
}

/// Prints a word diff of each frame that differs; exit 1 when something does, like `git diff --exit-code`.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let store = workspace.store()?;
    let (old, new) = match args.range.split_once("..") {
        Some((old, new)) => (old, new.trim_start_matches('.')),
        None => (args.range.as_str(), "HEAD"),
    };
    let tree = |revision: &str| -> Result<_, CliError> {
        let revision = if revision.is_empty() { "HEAD" } else { revision };
        Ok(workspace.repository.tree_of(&workspace.repository.resolve(revision)?)?)
    };
    let (old, new) = (tree(old)?, tree(new)?);
    let mut changes = Vec::new();
    let is_wanted = |path: &TreePath| {
        let covers = |wanted: &String| {
            let wanted = wanted.trim_matches('/').as_bytes();
            path.as_bytes().strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || wanted.is_empty())
        };
        args.paths.is_empty() || args.paths.iter().any(covers)
    };
    let root = (old != new).then_some((TreePath::root(), Some((EntryMode::Directory, old)), Some((EntryMode::Directory, new))));
    changes.extend(root);
    diff_trees(&workspace.repository, Some(old), Some(new), &mut |change| {
        changes.push((change.path, change.old, change.new));
        true
    })?;
    let mut differences = Vec::new();
    for (path, old, new) in changes.into_iter().filter(|(path, _, _)| is_wanted(path)) {
        differences.extend(compare(args, &store, &path, old, new)?);
    }
    let is_same = differences.is_empty();
    if program.ui.is_json() {
        let changes = differences.into_iter().map(document).collect();
        program.ui.write_json("diff", &Document { changes })?;
    } else {
        let agents = workspace.agents();
        let is_made = |slot: &Slot| {
            agents.get(slot.0.as_str()).is_ok_and(|agent| agent.maker == Maker::Outline && agent.frame_type == slot.1)
        };
        for difference in &differences {
            let note = match difference.is_missing {
                true if is_made(&difference.slot) => " (missing: 'git merkle regenerate' brings it up to date)",
                true => " (missing)",
                false => "",
            };
            write(args, &mut program.ui, difference, note)?;
        }
    }
    Ok(if is_same { Exit::Done } else { Exit::No })
}

fn compare(
    args: &Args,
    store: &Store<'_>,
    path: &TreePath,
    old: Option<Side>,
    new: Option<Side>,
) -> Result<Vec<Difference>, CliError> {
    let heads = |side: Option<Side>| -> Result<Vec<(Slot, String)>, CliError> {
        let Some((_, id)) = side else { return Ok(Vec::new()) };
        let heads = store.heads(&id)?.into_iter();
        let slots = heads.map(|head| ((head.frame.agent, head.frame.frame_type), head.frame.content));
        let wanted = slots.filter(|((agent, frame_type), _)| {
            args.agent.as_ref().is_none_or(|one| one == agent) && args.frame_type.as_ref().is_none_or(|one| one == frame_type)
        });
        Ok(wanted.collect())
    };
    let (old, mut later) = (heads(old)?, heads(new)?);
    let mut differences = Vec::new();
    for (slot, old) in old {
        let at = later.iter().position(|(other, _)| *other == slot);
        let said = at.map(|at| later.remove(at).1);
        if said.as_ref() != Some(&old) {
            let is_missing = said.is_none() && new.is_some();
            differences.push(Difference { path: path.clone(), slot, old: Some(old), new: said, is_missing });
        }
    }
    for (slot, said) in later {
        differences.push(Difference { path: path.clone(), slot, old: None, new: Some(said), is_missing: false });
    }
    Ok(differences)
}

fn document(difference: Difference) -> ChangeDocument {
    let Difference { path, slot, old, new, is_missing } = difference;
    ChangeDocument {
        path: json::path(path.as_bytes()),
        agent: slot.0.to_string(),
        r#type: slot.1.to_string(),
        old,
        new,
        missing: is_missing,
    }
}

fn write(args: &Args, ui: &mut Ui, difference: &Difference, note: &str) -> Result<(), CliError> {
    let shown = if difference.path.is_root() { b"./" } else { difference.path.as_bytes() };
    let path = ui.path(shown).into_owned();
    if args.name_only {
        ui.write_bytes(&path)?;
        return Ok(ui.end_record()?);
    }
    let title = format!("{} {}/{}", String::from_utf8_lossy(&path), difference.slot.0, difference.slot.1);
    let title = ui.styled(Style::Heading, &title).to_string();
    writeln!(ui, "diff {title}{note}")?;
    match (&difference.old, &difference.new) {
        (Some(old), Some(new)) => write_words(ui, old, new)?,
        (Some(old), None) if !difference.is_missing => write_lines(ui, "-", Style::Bad, old)?,
        (None, Some(new)) => write_lines(ui, "+", Style::Good, new)?,
        _ => {}
    }
    Ok(writeln!(ui)?)
}

fn write_lines(ui: &mut Ui, mark: &str, style: Style, text: &str) -> Result<(), CliError> {
    for line in text.lines() {
        let line = ui.styled(style, &format!("{mark}{line}")).to_string();
        writeln!(ui, "{line}")?;
    }
    Ok(())
}

/// Lines around a change, `@@` standing for unchanged ones between; changed words in git's plain word-diff marks.
fn write_words(ui: &mut Ui, old: &str, new: &str) -> Result<(), CliError> {
    let diff = TextDiff::from_lines(old, new);
    for (at, group) in diff.grouped_ops(1).into_iter().enumerate() {
        if at > 0 {
            writeln!(ui, "@@")?;
        }
        for op in group {
            if op.tag() == DiffTag::Equal {
                for change in diff.iter_changes(&op) {
                    write!(ui, " {}", printable(change.value()))?;
                }
                continue;
            }
            let before = diff.old_slices()[op.old_range()].concat();
            let after = diff.new_slices()[op.new_range()].concat();
            match op.tag() {
                DiffTag::Insert => write_lines(ui, "+", Style::Good, &after)?,
                DiffTag::Delete => write_lines(ui, "-", Style::Bad, &before)?,
                _ => write_changed(ui, &before, &after)?,
            }
        }
    }
    Ok(())
}

/// Lines that became other lines: runs of words that went in `[-…-]`, that came in `{+…+}`.
fn write_changed(ui: &mut Ui, before: &str, after: &str) -> Result<(), CliError> {
    let diff = TextDiff::from_words(before, after);
    let changes: Vec<_> = diff.iter_all_changes().collect();
    let mut line = " ".to_owned();
    for run in changes.chunk_by(|a, b| a.tag() == b.tag()) {
        let text: String = run.iter().map(similar::Change::value).collect();
        let (style, open, close) = match run[0].tag() {
            ChangeTag::Equal => (Style::Plain, "", ""),
            ChangeTag::Delete => (Style::Bad, "[-", "-]"),
            ChangeTag::Insert => (Style::Good, "{+", "+}"),
        };
        let body = text.trim_end_matches('\n');
        let (body, ends) = (&text[..body.len()], &text[body.len()..]);
        line.push_str(&ui.styled(style, &format!("{open}{body}{close}")).to_string());
        line.push_str(ends);
    }
    Ok(writeln!(ui, "{}", line.trim_end_matches('\n').replace('\n', "\n "))?)
}

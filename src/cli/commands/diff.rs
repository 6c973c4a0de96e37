//! `git merkle diff`: how what is known differs between two revisions, or between two states of the store.

mod found;
mod states;
mod wanted;

use serde::Serialize;

use self::found::{Difference, Found, Lacking};
use self::states::States;
use self::wanted::{Statement, WantedArgs, said};
use crate::agent::{OUTLINE, Registry};
use crate::base::count::counted;
use crate::base::limit::DIFF_PATHS_MAX;
use crate::base::{NodeKind, TreePath};
use crate::cli::program::Program;
use crate::cli::range::{self, Range, Revision};
use crate::cli::words::{counted_lines, write_lines, write_words};
use crate::cli::{CliError, Exit, Style, Ui, json};
use crate::frame::{BasisKind, Slot, Store};
use crate::git::{EntryMode, Pathspec, Side, diff_trees};
use crate::workspace::{Workspace, locate, path_filter};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// <rev>..<rev>, <rev>...<rev> (from their merge base), two revisions, or one to compare with HEAD
    #[arg(value_name = "rev", required_unless_present = "store", num_args = 1..=2)]
    revisions: Vec<String>,
    /// Compare two states of the store instead, commits of refs/merkle/frames, at one revision (HEAD unless you name another); what
    /// begins with ~, ^ or @{ continues the ref's name, and what is left out is the state of now: '~1..'
    #[arg(long, value_name = "state..state", allow_hyphen_values = true)]
    store: Option<String>,
    #[command(flatten)]
    wanted: WantedArgs,
    /// Print only paths, each once
    #[arg(long, conflicts_with = "stat")]
    name_only: bool,
    /// Count lines that came and went, by path
    #[arg(long)]
    stat: bool,
    /// Exit with 1 if something differs
    #[arg(long)]
    exit_code: bool,
}

#[derive(Serialize)]
struct Document {
    old: RevisionDocument,
    new: RevisionDocument,
    changes: Vec<ChangeDocument>,
}

#[derive(Serialize)]
struct RevisionDocument {
    revision: String,
    tree: String,
    /// The state of the store, where two of them are compared.
    store: Option<String>,
    lacking: Vec<LackingDocument>,
}

#[derive(Serialize)]
struct LackingDocument {
    agent: String,
    r#type: String,
    nodes: u64,
}

#[derive(Serialize)]
struct ChangeDocument {
    path: String,
    agent: String,
    r#type: String,
    old: Option<String>,
    new: Option<String>,
    missing: bool,
    missing_old: bool,
}

/// Prints a word diff of each frame that differs, and says what cannot be compared since a side has no frames.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let states = args.store.as_deref();
    let states = states.map(|written| States::find(&workspace, written));
    let states = states.transpose()?;
    let (range, found) = if let Some(states) = &states {
        let range = states::range(&workspace.repository, &args.revisions)?;
        let found = states::differences(&args.wanted, &workspace, &program.ui, states, &range)?;
        (range, found)
    } else {
        let range = range::find(&workspace.repository, &args.revisions)?;
        let found = find(&args.wanted, &workspace, &workspace.store()?, &range)?;
        (range, found)
    };
    let Found {
        differences,
        old,
        new,
    } = found;
    let is_same = differences.is_empty();
    if is_same {
        args.wanted.slot.check(&workspace, &workspace.store()?)?;
    }
    for path in &args.wanted.paths {
        if is_nowhere(&workspace, path, &range)? {
            let (old, new) = (&range.old.name, &range.new.name);
            program.ui.note(&format!(
                "'{path}' stands neither in '{old}' nor in '{new}'"
            ));
        }
    }
    for (revision, lacking) in [(&range.old, &old), (&range.new, &new)] {
        tell(&program.ui, &workspace.agents(), revision, lacking);
    }
    if program.ui.is_json() {
        let changes = differences.into_iter().map(document).collect();
        let [of_old, of_new] = States::ids(states.as_ref());
        let document = Document {
            old: revision(&range.old, old, of_old),
            new: revision(&range.new, new, of_new),
            changes,
        };
        program.ui.write_json("diff", &document)?;
    } else {
        write_text(args, &mut program.ui, differences, &range)?;
    }
    Ok(Exit::no_if(args.exit_code && !is_same))
}

/// Prints paths, counts or word diffs.
fn write_text(
    args: &Args,
    ui: &mut Ui,
    differences: Vec<Difference>,
    range: &Range,
) -> Result<(), CliError> {
    if args.name_only {
        for one in differences.chunk_by(|a, b| a.path == b.path) {
            let path = shown_path(ui, &one[0].path);
            ui.write_bytes(&path)?;
            ui.end_record()?;
        }
        return Ok(());
    }
    let differences = joined(differences);
    if args.stat {
        return write_stat(ui, &differences);
    }
    for difference in &differences {
        write(ui, difference, range)?;
    }
    Ok(())
}

fn find(
    named: &WantedArgs,
    workspace: &Workspace,
    store: &Store<'_>,
    range: &Range,
) -> Result<Found, CliError> {
    let repo = &workspace.repository;
    let wanted = path_filter(repo, &workspace.prefix(), &named.paths)?;
    let (old, new) = (range.old.tree, range.new.tree);
    let mut changes = Vec::new();
    if old != new {
        changes.push((
            TreePath::root(),
            Some((EntryMode::Directory, old)),
            Some((EntryMode::Directory, new)),
        ));
    }
    diff_trees(repo, Some(old), Some(new), &mut |change| {
        changes.push((change.path, change.old, change.new));
        // A few objects can stand at any number of paths.
        changes.len() <= DIFF_PATHS_MAX
    })?;
    if changes.len() > DIFF_PATHS_MAX {
        return Err(CliError::new(Exit::Refused, format!("the trees differ in more than {DIFF_PATHS_MAX} paths"))
            .hint("'git diff --stat' names them; 'git merkle show' and 'git merkle log' tell about single paths"));
    }
    // A revision whose root has no outline was never brought up to date: then what it lacks is worth a word, even where
    // the other side lacks it as well.
    let outline = Slot {
        agent: OUTLINE.parse().expect("a word"),
        frame_type: OUTLINE.parse().expect("a word"),
    };
    let is_bare = |tree| -> Result<bool, CliError> {
        let has_slot = named.slot.has(&outline.agent, &outline.frame_type);
        Ok(has_slot
            && store
                .head(&tree, &outline.agent, &outline.frame_type)?
                .is_none())
    };
    let (old_bare, new_bare) = (is_bare(old)?, is_bare(new)?);
    let mut found = Found::default();
    for (path, old, new) in changes
        .into_iter()
        .filter(|(path, _, _)| wanted.wants(path.as_bytes()))
    {
        let statements = [
            statements(named, store, old)?,
            statements(named, store, new)?,
        ];
        let has_outline = |said: &Statement| said.who.slot == outline;
        if !statements.iter().flatten().any(has_outline) {
            let count = |lacking: &mut Lacking, is_bare: bool, side: Option<Side>| {
                if is_bare && side.is_some_and(is_node) {
                    *lacking.entry(outline.clone()).or_default() += 1;
                }
            };
            count(&mut found.old, old_bare, old);
            count(&mut found.new, new_bare, new);
        }
        compare(&path, [old, new], statements, &mut found);
    }
    Ok(found)
}

/// True for a plain path that neither side has, which is most often a slip.
fn is_nowhere(workspace: &Workspace, written: &str, range: &Range) -> Result<bool, CliError> {
    let repo = &workspace.repository;
    let path = locate(repo, &workspace.prefix(), written.as_bytes());
    let Some(path) = path.filter(|_| !Pathspec::is_magic(written.as_bytes())) else {
        return Ok(false);
    };
    let stands = |tree| Ok::<_, CliError>(repo.find_entry(tree, path.as_bytes())?.is_some());
    Ok(!stands(&range.old.tree)? && !stands(&range.new.tree)?)
}

/// True for a file or directory: nothing is said about links and submodules.
fn is_node(side: Side) -> bool {
    !matches!(side.0, EntryMode::Symlink | EntryMode::Submodule)
}

fn statements(
    named: &WantedArgs,
    store: &Store<'_>,
    side: Option<Side>,
) -> Result<Vec<Statement>, CliError> {
    match side.filter(|side| is_node(*side)) {
        Some((_, id)) => Ok(said(named, store, &id)?),
        None => Ok(Vec::new()),
    }
}

/// Adds what differs at one path.
fn compare(
    path: &TreePath,
    sides: [Option<Side>; 2],
    statements: [Vec<Statement>; 2],
    found: &mut Found,
) {
    let [before, mut later] = statements;
    let [stood, stands] = sides.map(|side| side.is_some_and(is_node));
    for Statement { who, frame } in before {
        let at = later.iter().position(|other| other.who == who);
        let new = at.map(|at| later.remove(at).frame.content);
        if new.as_ref() == Some(&frame.content) {
            continue;
        }
        let slot = who.slot;
        let lacks_new = new.is_none() && stands;
        if lacks_new {
            *found.new.entry(slot.clone()).or_default() += 1;
        }
        let old = Some(frame.content);
        found.differences.push(Difference {
            path: path.clone(),
            slot,
            old,
            new,
            lacks_old: false,
            lacks_new,
            moved_from: None,
        });
    }
    for Statement { who, frame } in later {
        let slot = who.slot;
        // What a person or a program wrote by hand was not said before; what is made of every node was not made.
        let lacks_old = stood && frame.basis_kind != BasisKind::Written;
        if lacks_old {
            *found.old.entry(slot.clone()).or_default() += 1;
        }
        let new = Some(frame.content);
        found.differences.push(Difference {
            path: path.clone(),
            slot,
            old: None,
            new,
            lacks_old,
            lacks_new: false,
            moved_from: None,
        });
    }
}

/// Says what a side has no frames of, and how to make them.
fn tell(ui: &Ui, agents: &Registry, revision: &Revision, lacking: &Lacking) {
    for (Slot { agent, frame_type }, nodes) in lacking {
        let made = agents
            .get(agent.as_str())
            .ok()
            .filter(|agent| agent.makes(NodeKind::File) && agent.frame_type == *frame_type);
        let Some(made) = made else { continue };
        let nodes = counted(*nodes, "changed node", "changed nodes");
        let whose = if made.id.as_str() == OUTLINE {
            String::new()
        } else {
            format!(" --agent {agent}")
        };
        let which = if revision.name == "HEAD" {
            String::new()
        } else {
            format!(" --rev {}", revision.name)
        };
        ui.warn(&format!(
            "'{}' has no {agent}/{frame_type} frame of {nodes}; 'git merkle regenerate{whose}{which}' makes what is missing",
            revision.name
        ));
    }
}

fn revision(revision: &Revision, lacking: Lacking, store: Option<String>) -> RevisionDocument {
    let lacking = lacking.into_iter();
    let lacking = lacking.map(|(Slot { agent, frame_type }, nodes)| LackingDocument {
        agent: agent.to_string(),
        r#type: frame_type.to_string(),
        nodes,
    });
    RevisionDocument {
        revision: revision.name.clone(),
        tree: revision.tree.to_string(),
        store,
        lacking: lacking.collect(),
    }
}

fn document(difference: Difference) -> ChangeDocument {
    let Difference {
        path,
        slot,
        old,
        new,
        lacks_old,
        lacks_new,
        ..
    } = difference;
    ChangeDocument {
        path: json::path(path.as_bytes()),
        agent: slot.agent.to_string(),
        r#type: slot.frame_type.to_string(),
        old,
        new,
        missing: lacks_new,
        missing_old: lacks_old,
    }
}

fn shown_path(ui: &Ui, path: &TreePath) -> Vec<u8> {
    ui.path(path.shown()).into_owned()
}

/// For people, what went at one path and came at another with the same words has moved.
fn joined(mut differences: Vec<Difference>) -> Vec<Difference> {
    let has_gone = |one: &Difference| one.old.is_some() && one.new.is_none() && !one.lacks_new;
    let mut at = 0;
    while at < differences.len() {
        let came = &differences[at];
        let is_new = came.old.is_none() && !came.lacks_old;
        let from = differences.iter().position(|one| {
            is_new && has_gone(one) && one.slot == came.slot && one.old == came.new
        });
        if let Some(from) = from {
            let path = differences[from].path.clone();
            differences[at].moved_from = Some(path);
            differences.remove(from);
            at -= usize::from(from < at);
        }
        at += 1;
    }
    differences
}

/// A line for each path: how many lines of its statements came and went.
fn write_stat(ui: &mut Ui, differences: &[Difference]) -> Result<(), CliError> {
    for of_path in differences.chunk_by(|a, b| a.path == b.path) {
        let (mut came, mut went) = (0, 0);
        for one in of_path
            .iter()
            .filter(|one| !one.lacks_old && !one.lacks_new && one.moved_from.is_none())
        {
            let [old, new] = [&one.old, &one.new].map(|text| text.as_deref().unwrap_or_default());
            let (added, removed) = counted_lines(old, new);
            came += added;
            went += removed;
        }
        let path = shown_path(ui, &of_path[0].path);
        if let Some(from) = of_path.iter().find_map(|one| one.moved_from.as_ref()) {
            let from = shown_path(ui, from);
            ui.write_bytes(&from)?;
            write!(ui, " => ")?;
        }
        ui.write_bytes(&path)?;
        write!(ui, " | {came} +, {went} -")?;
        ui.end_record()?;
    }
    Ok(())
}

fn write(ui: &mut Ui, difference: &Difference, range: &Range) -> Result<(), CliError> {
    let mut path = shown_path(ui, &difference.path);
    if let Some(from) = &difference.moved_from {
        path = [shown_path(ui, from).as_slice(), b" => ", &path].concat();
    }
    let title = format!(
        "{} {}/{}",
        String::from_utf8_lossy(&path),
        difference.slot.agent,
        difference.slot.frame_type
    );
    let title = ui.styled(Style::Heading, &title);
    let lacks = match (difference.lacks_old, difference.lacks_new) {
        (true, _) => Some(&range.old),
        (_, true) => Some(&range.new),
        _ => None,
    };
    let label = lacks.map_or(String::new(), |revision| {
        format!(" (no frame in '{}')", revision.name)
    });
    let label = ui.styled(Style::Plain, &label);
    writeln!(ui, "diff {title}{label}")?;
    match (&difference.old, &difference.new) {
        _ if lacks.is_some() || difference.moved_from.is_some() => {}
        (Some(old), Some(new)) => write_words(ui, old, new)?,
        (Some(old), None) => write_lines(ui, "-", Style::Bad, old)?,
        (None, Some(new)) => write_lines(ui, "+", Style::Good, new)?,
        (None, None) => {}
    }
    Ok(writeln!(ui)?)
}

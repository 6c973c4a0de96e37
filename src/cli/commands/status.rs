//! `git merkle status`: how much is said about a snapshot, and how much of it still holds.

mod document;
mod markdown;

use std::collections::BTreeSet;

use self::document::{Document, RemoteDocument, SlotDocument};
use crate::agent::{Agent, Maker, OUTLINE};
use crate::base::count::{counted, files_and_directories};
use crate::base::{AgentId, NodeKind, TreePath, clock};
use crate::cli::advice::remedy;
use crate::cli::commands::regenerate::{self, BatchDocument};
use crate::cli::commands::tiers::reported;
use crate::cli::frames::{FrameDocument, FramesDocument, Heading, State, signatures, write_whole};
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::ui::OutputError;
use crate::cli::{CliError, Exit, Style, Ui};
use crate::frame::{Frame, Index, Slot, Store, Voices, spool};
use crate::node::{Counts, NodeNumber, Scan, SnapshotRoot};
use crate::ops::{self, Carried, PeopleSay, Planned, SynthesisCount};
use crate::provider::batch::BatchFiles;
use crate::regen::UnderWay;
use crate::sync::{self, Publish, RemoteError};
use crate::synthesis::Reason;
use crate::workspace::{Sharing, Target, Workspace};

/// Arguments of `status`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    snapshot: SnapshotArgs,
    /// Show what the last run with a model did
    #[arg(long, conflicts_with = "exit_code")]
    last: bool,
    /// List people's notes about earlier contents of files and directories, with their age
    #[arg(long, conflicts_with_all = ["exit_code", "last"])]
    carried: bool,
    /// Exit with 1 if an outline is missing, or a frame that can be regenerated is outdated
    #[arg(long)]
    exit_code: bool,
    /// Print text, or Markdown for a summary of a forge
    #[arg(long, value_name = "format", value_enum, default_value = "text", conflicts_with_all = ["last", "carried"])]
    format: Format,
    /// Also count nodes that this agent has not described; may be given more than once
    #[arg(long = "agent", value_name = "agent")]
    agents: Vec<AgentId>,
}

/// How the state is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Markdown,
}

struct Summary {
    counts: Counts,
    slots: Vec<SlotDocument>,
    absent: u64,
    store_faults: u32,
}

/// Files without a frame whose content is looked for.
const ABSENT_LOOKS_MAX: usize = 1_000;

/// Prints counts by agent and type.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    if args.last {
        return last_run(&workspace, program);
    }
    let store = workspace.store()?;
    let agents = workspace.agents();
    for id in &args.agents {
        agents.get(id.as_str())?;
    }
    let root = args.snapshot.root(&workspace, &program.ui)?;
    let said = ops::carried::people_say(&workspace.repository, &workspace.state, &store, &root)?;
    if args.carried {
        return list_carried(&said, &workspace, &store, program);
    }
    let summary = Counting {
        args,
        workspace: &workspace,
        store: &store,
        root: &root,
        said: &said,
    }
    .summary()?;
    let (spooled, damaged) =
        spool::list(&workspace.state).map_err(|err| CliError::io("cannot read the spool", err))?;
    // A folder that is not ours holds no batch; a run that wants to send one says what is wrong with it.
    let batches = BatchFiles::of(&workspace.state).list().unwrap_or_default();
    let stale: u64 = summary
        .slots
        .iter()
        .filter_map(|slot| slot.behind.as_ref())
        .map(|(count, _)| count)
        .sum();
    let document = Document {
        root: root.tree.to_string(),
        commit: root.commit.map(|commit| commit.to_string()),
        files: summary.counts.files,
        directories: summary.counts.directories,
        paths: summary.counts.paths,
        absent: summary.absent,
        store: store.commit().map(|commit| commit.to_string()),
        store_faults: summary.store_faults,
        slots: summary.slots,
        spooled: spooled.len(),
        damaged_spool_files: damaged.len(),
        unsigned: workspace.unsigned(),
        batches: BatchDocument::of(&UnderWay::of(&batches)),
        remote: remote(&workspace)?,
        remotes: several_remotes(&workspace)?,
        turns: reported(&workspace)?,
    };
    if program.ui.is_json() {
        program.ui.write_json("status", &document)?;
    } else if args.format == Format::Markdown {
        let text = markdown::render(&document, args.snapshot.name());
        program.ui.write_bytes(text.as_bytes())?;
    } else {
        write_text(program, &workspace, args.snapshot.name(), &document)?;
    }
    Ok(Exit::no_if(args.exit_code && stale > 0))
}

/// The remotes of which none is meant more than the others; nothing is exchanged with any unless it is named.
fn several_remotes(workspace: &Workspace) -> Result<Vec<String>, CliError> {
    let sharing = Sharing::of(workspace)?;
    Ok(match sharing.remote(workspace, None) {
        Err(RemoteError::Several(names)) => names,
        _ => Vec::new(),
    })
}

/// What is known of the remote without asking it.
fn remote(workspace: &Workspace) -> Result<Option<RemoteDocument>, CliError> {
    let sharing = Sharing::of(workspace)?;
    let Ok(remote) = sharing.remote(workspace, None) else {
        return Ok(None);
    };
    let known = sync::unpushed(&workspace.repository, &workspace.state, &remote)?;
    Ok(Some(RemoteDocument {
        name: remote.name().to_owned(),
        fetched: known.is_some(),
        exchanged: known.and_then(|known| known.seconds).map(clock::render_utc),
        unpushed: known.map_or(0, |known| known.frames),
        held_back: known.map_or(0, |known| known.held_back),
        own_ref: sharing.publish == Publish::Own,
        background_error: ops::autosync::exchange_error(&workspace.state),
    }))
}

/// Prints what the last run with a model did, as it was printed then.
fn last_run(workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let text = ops::last_run::load(&workspace.state)
        .map_err(|error| CliError::io("cannot read what the last run did", error))?;
    let Some(document) = text.as_deref().and_then(regenerate::Run::parse) else {
        return Err(CliError::new(Exit::No, "no run with a model is remembered")
            .hint("git merkle regenerate --agent <agent>"));
    };
    if program.ui.is_json() {
        program.ui.write_json("regenerate", &document)?;
    } else {
        document.write(&mut program.ui)?;
    }
    Ok(Exit::Done)
}

/// What is counted.
struct Counting<'c> {
    args: &'c Args,
    workspace: &'c Workspace,
    store: &'c Store<'c>,
    root: &'c SnapshotRoot,
    said: &'c PeopleSay,
}

impl Counting<'_> {
    fn summary(&self) -> Result<Summary, CliError> {
        let Self {
            workspace, store, ..
        } = *self;
        let agents = workspace.agents();
        let target = Target::root_of(self.root.tree);
        let index = ops::refresh::index(&workspace.state, store, 0)?;
        let syntheses = ops::syntheses::synthesized_slots(workspace, &index);
        let (mut slots, mut seen, mut absent) = (Vec::new(), syntheses.clone(), 0);
        // Of a large snapshot each plan takes tens of megabytes, so there is one at a time.
        let mut last = None;
        for agent in agents
            .iter()
            .filter(|agent| agent.makes(NodeKind::Directory))
        {
            let slot = Slot::new(&agent.id, &agent.frame_type);
            // An agent that was never put to work does not make every node a missing one.
            if agent.maker != Maker::Outline
                && index.slot(&slot).is_none()
                && !self.args.agents.contains(&agent.id)
            {
                continue;
            }
            drop(last.take());
            let planned = ops::refresh::plan_tree(workspace, store, self.root.tree, agent)?;
            if agent.maker == Maker::Outline {
                absent = self.absent(&planned);
            }
            slots.push(self.count_made(agent, &planned));
            seen.push(slot);
            last = Some(planned);
        }
        drop(index);
        let Planned { scan, index, .. } = last.expect("the outline builder is built in");
        let mut others = self.count_others(&scan, &index, &seen);
        if index.is_damaged() {
            let index = ops::refresh::rebuild_index(&workspace.state, store)?;
            others = self.count_others(&scan, &index, &seen);
        }
        let (counts, store_faults) = (scan.counts, index.faults());
        drop((scan, index));
        for slot in &syntheses {
            let history = self.root.history;
            let counted =
                ops::syntheses::count_syntheses(workspace, store, &target, slot, history)?;
            slots.push(self.count_synthesized(slot, counted));
        }
        slots.extend(others);
        Ok(Summary {
            counts,
            slots,
            absent,
            store_faults,
        })
    }

    /// What an agent makes by itself. For an agent with a model, nodes that it has never described count only when the user
    /// names the agent: trying it on one file does not mean wanting all others.
    fn count_made(&self, agent: &Agent, planned: &Planned) -> SlotDocument {
        let Planned { plan, .. } = planned;
        let missing = plan
            .tasks
            .iter()
            .filter(|task| task.reason == Reason::Missing)
            .count() as u64;
        let outdated = plan.tasks.len() as u64 - missing;
        let is_whole = agent.maker == Maker::Outline || self.args.agents.contains(&agent.id);
        let behind = if is_whole {
            outdated + missing
        } else {
            outdated
        };
        let command = remedy(agent, &self.args.snapshot, !is_whole && missing > 0);
        SlotDocument {
            agent: agent.id.to_string(),
            r#type: agent.frame_type.to_string(),
            fresh: plan.fresh,
            outdated,
            carried: None,
            missing: Some(missing),
            behind: command
                .filter(|_| behind > 0)
                .map(|command| (behind, command)),
        }
    }

    fn count_synthesized(&self, slot: &Slot, count: SynthesisCount) -> SlotDocument {
        let SynthesisCount { fresh, outdated } = count;
        let snapshot = self.args.snapshot.option();
        let command = format!(
            "git merkle regenerate --agent {} --type {}{snapshot}",
            slot.agent, slot.frame_type
        );
        SlotDocument {
            agent: slot.agent.to_string(),
            r#type: slot.frame_type.to_string(),
            fresh,
            outdated,
            carried: None,
            missing: None,
            behind: (outdated > 0).then_some((outdated, command)),
        }
    }

    /// Heads in the slots that no plan covers: people's statements, and agents that are not defined here.
    ///
    /// What was said about an earlier content of a path counts as outdated, like everything that was declared void; what
    /// a person has said is carried.
    fn count_others(&self, scan: &Scan, index: &Index, seen: &[Slot]) -> Vec<SlotDocument> {
        let mut slots = Vec::new();
        for (slot, number) in index
            .slots()
            .iter()
            .zip(0..)
            .filter(|(slot, _)| !seen.contains(slot))
        {
            let carried = self.said.carried.values().flatten().filter(|one| {
                (&one.frame.agent, &one.frame.frame_type) == (&slot.agent, &slot.frame_type)
            });
            let carried = carried.count() as u64;
            let is_person = self
                .workspace
                .agents()
                .get(slot.agent.as_str())
                .is_ok_and(|agent| matches!(agent.maker, Maker::Person));
            let (mut fresh, mut outdated, mut silent) = (0, 0, Vec::new());
            for node in scan.bottom_up() {
                let id = &scan.node(*node).id;
                match index.find_head(id, number) {
                    Some(_) if is_person => {
                        let Ok(voices) = self.store.voices(id) else {
                            continue;
                        };
                        let paths = paths_with_notes(&voices, slot);
                        fresh += paths;
                        outdated += u64::from(paths == 0 && voices.is_void(slot));
                    }
                    Some(head) if head.is_invalidated() => outdated += 1,
                    Some(_) => fresh += 1,
                    None => silent.push(*node),
                }
            }
            // Where every statement of the slot is about something in this snapshot, none is about what stood there before.
            if !is_person && fresh + outdated < index.count_heads(number) {
                let speaks_of = |node: &&NodeNumber| {
                    index.speaks_of(number, &scan.path(&TreePath::root(), **node))
                };
                outdated +=
                    (silent.iter().filter(speaks_of).count() as u64).saturating_sub(carried);
            }
            if fresh + outdated + carried > 0 {
                let (agent, r#type) = (slot.agent.to_string(), slot.frame_type.to_string());
                let carried = (is_person || carried > 0).then_some(carried);
                slots.push(SlotDocument {
                    agent,
                    r#type,
                    fresh,
                    outdated,
                    carried,
                    missing: None,
                    behind: None,
                });
            }
        }
        slots
    }

    /// Files that have no outline because their content is not here, among the first that have none.
    fn absent(&self, planned: &Planned) -> u64 {
        let Planned { scan, plan, .. } = planned;
        let files = plan
            .tasks
            .iter()
            .map(|task| scan.node(task.node))
            .filter(|node| !node.is_directory);
        let is_absent = |id| matches!(self.workspace.repository.header(id), Ok(None));
        files
            .take(ABSENT_LOOKS_MAX)
            .filter(|node| is_absent(&node.id))
            .count() as u64
    }
}

/// About how many paths a slot has notes: one person may have retracted a note, and the note of another stand.
fn paths_with_notes(voices: &Voices, slot: &Slot) -> u64 {
    let heads = voices.heads.iter();
    let of_slot = heads.filter(|head| head.frame.slot() == *slot);
    let paths: BTreeSet<_> = of_slot.map(|head| &head.frame.path).collect();
    paths.len() as u64
}

/// Lists what people have said about earlier contents, by path.
fn list_carried(
    said: &PeopleSay,
    workspace: &Workspace,
    store: &Store<'_>,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let carried = || {
        said.carried
            .iter()
            .flat_map(|(path, carried)| carried.iter().map(move |one| (path, one)))
    };
    let frames: Vec<&Frame> = carried().map(|(_, one)| &one.frame).collect();
    let signatures = signatures(&program.ui, workspace, store, &frames);
    let all = || carried().zip(signatures.iter().map(Option::as_ref));
    if program.ui.is_json() {
        let document = |((path, one), signature): ((_, &Carried), _)| {
            FrameDocument::of_carried(one, Some(path)).signed(signature)
        };
        let frames = all().map(document).collect();
        program
            .ui
            .write_json("carried", &FramesDocument { frames })?;
        return Ok(Exit::Done);
    }
    for ((path, one), signature) in all() {
        let heading = Heading {
            path: Some(path),
            note: &one.age(),
            signature,
        };
        write_whole(&mut program.ui, &one.frame, State::Carried, heading)?;
        writeln!(program.ui)?;
    }
    if all().next().is_some() {
        program.ui.note("\"git merkle affirm <path>\" says that one still holds, \"git merkle retract <path>\" ends your own");
    } else {
        program
            .ui
            .note("nothing is carried: what people say is about today's contents");
    }
    Ok(Exit::Done)
}

fn write_text(
    program: &mut Program,
    workspace: &Workspace,
    snapshot: &str,
    document: &Document,
) -> Result<(), CliError> {
    let ui = &mut program.ui;
    let id = ui.styled(Style::Id, &document.root);
    writeln!(
        ui,
        "root {id} ({snapshot}): {}{}",
        files_and_directories(document.files, document.directories),
        paths(document.files, document.paths)
    )?;
    writeln!(ui)?;
    write_slots(ui, &document.slots)?;
    writeln!(ui)?;
    write_store(ui, workspace, document)?;
    write_behind(ui, &document.slots)?;
    Ok(())
}

/// How many paths files stand at, where that is another number.
pub(super) fn paths(files: u64, paths: u64) -> String {
    if paths == files {
        return String::new();
    }
    format!("; the files stand at {paths} paths")
}

/// A line for each agent and type.
fn write_slots(ui: &mut Ui, slots: &[SlotDocument]) -> Result<(), OutputError> {
    // A column of its own, where there is anything to count.
    let has_carried = slots
        .iter()
        .any(|slot| slot.carried.is_some_and(|carried| carried > 0));
    let column = |word: &str| {
        if has_carried {
            format!(" {word:>9}")
        } else {
            String::new()
        }
    };
    writeln!(
        ui,
        "{:<24} {:>9} {:>9} {:>9}{}",
        "agent/type",
        "fresh",
        "outdated",
        "missing",
        column("carried")
    )?;
    for slot in slots {
        let name = format!("{}/{}", slot.agent, slot.r#type);
        let or_dash =
            |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let (missing, carried) = (or_dash(slot.missing), column(&or_dash(slot.carried)));
        writeln!(
            ui,
            "{name:<24} {:>9} {:>9} {missing:>9}{carried}",
            slot.fresh, slot.outdated
        )?;
    }
    Ok(())
}

/// What waits, what is damaged or absent, and how the remote and the turns stand.
fn write_store(ui: &mut Ui, workspace: &Workspace, document: &Document) -> Result<(), OutputError> {
    if document.spooled + document.damaged_spool_files > 0 {
        writeln!(
            ui,
            "spool: {} waiting, {} damaged",
            counted(document.spooled, "frame", "frames"),
            counted(document.damaged_spool_files, "file", "files")
        )?;
    }
    if document.unsigned > 0 {
        writeln!(
            ui,
            "signatures: {} for one (\"git merkle push\" and \"git merkle sync\" sign what waits)",
            counted(document.unsigned, "statement waits", "statements wait")
        )?;
    }
    for batch in &document.batches {
        let line = ui.styled(Style::Plain, &batch.line());
        writeln!(ui, "{line}")?;
    }
    if document.store_faults > 0 {
        writeln!(
            ui,
            "store: {} (use \"git merkle validate\" to name them, \"git merkle doctor --fix\" to set them aside)",
            counted(document.store_faults, "bad entry", "bad entries")
        )?;
    }
    if document.store.is_some() && !document.remotes.is_empty() {
        let names = document.remotes.join(", ");
        writeln!(
            ui,
            "remotes: {names}; frames go to none of them by themselves (use \"git merkle sync <name>\", or \"git config merkle.remote <name>\" to choose)"
        )?;
    }
    if let Some(remote) = &document.remote {
        writeln!(ui, "{}", remote.line())?;
        if let Some(error) = &remote.background_error {
            let error = ui.styled(Style::Plain, error);
            writeln!(ui, "the last exchange in the background failed: {error}")?;
        }
    }
    if !document.turns.is_empty() {
        writeln!(ui, "turns, {}", document.turns.line())?;
    }
    let revision = document.commit.as_deref().unwrap_or("HEAD");
    let absent = usize::try_from(document.absent).unwrap_or(usize::MAX);
    if let Some(note) = ops::absent::note(&workspace.repository, absent, revision) {
        writeln!(ui, "{note}")?;
    }
    Ok(())
}

/// Where frames are not fresh, and the command that makes them so.
fn write_behind(ui: &mut Ui, slots: &[SlotDocument]) -> Result<(), OutputError> {
    let mut behind = slots
        .iter()
        .filter_map(|slot| Some((slot, slot.behind.as_ref()?)))
        .peekable();
    if behind.peek().is_none() {
        let is_fresh = |slot: &SlotDocument| slot.outdated == 0 && slot.carried.unwrap_or(0) == 0;
        let all = if slots.iter().all(is_fresh) {
            "everything is fresh"
        } else {
            "nothing to regenerate"
        };
        writeln!(ui, "{all}")?;
    }
    for (slot, (count, command)) in behind {
        let is_outline = slot.agent == OUTLINE && slot.r#type == OUTLINE;
        let of = if is_outline {
            String::new()
        } else {
            format!(" of {}/{}", slot.agent, slot.r#type)
        };
        let nodes = counted(*count, "node", "nodes");
        let are = if *count == 1 { "is" } else { "are" };
        writeln!(
            ui,
            "{nodes}{of} {are} not fresh (use \"{command}\" to bring them up to date)"
        )?;
    }
    Ok(())
}

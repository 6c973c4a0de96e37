//! `git merkle explain`: why a node is fresh, outdated or missing, and what bringing it up to date would cost.

use serde::Serialize;

use crate::agent::{Agent, Maker};
use crate::base::count::counted;
use crate::base::{FrameId, FrameType, NodeId, NodeKind, printable};
use crate::cli::advice::{left_out, missing_object};
use crate::cli::program::Program;
use crate::cli::snapshot::{SnapshotArgs, find, root_of};
use crate::cli::ui::OutputError;
use crate::cli::{CliError, Exit, Style, Ui, json};
use crate::frame::{BasisKind, Children, Head, Slot, Store};
use crate::git::{ObjectKind, tree_entries};
use crate::node::{NodeNumber, Scan, SnapshotRoot};
use crate::ops::carried::Carried;
use crate::ops::{self, Earlier, Refresh};
use crate::regen::Plan;
use crate::regen::refused::{Kept, RefusedAnswers};
use crate::synthesis::Reason;
use crate::workspace::{NamedTarget, Target, Workspace};

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path, <rev>:<path>, or an object id
    #[arg(value_name = "node", default_value = ".")]
    node: String,
    /// Agent whose frame to explain
    #[arg(long, value_name = "agent", default_value = crate::agent::OUTLINE)]
    agent: String,
    /// The frames' type (default: the agent's own)
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document {
    node: String,
    path: Option<String>,
    agent: String,
    r#type: String,
    state: &'static str,
    reason: Option<&'static str>,
    frame: Option<String>,
    basis: Option<String>,
    /// Nodes below, and this one, that are not fresh.
    tasks: usize,
    calls: u64,
    /// What differs below: paths that are to be made first, at most [`SHOWN_MAX`].
    waits_for: Vec<String>,
    changed_children: Vec<String>,
    /// The answer about this path that was paid for and is no frame.
    refused: Option<RefusedAnswer>,
    /// The newest commit with the content that was described, where that is not the node's.
    described_at: Option<String>,
    /// The commit that changed it.
    changed_in: Option<String>,
}

#[derive(Serialize)]
struct RefusedAnswer {
    provider: String,
    reason: String,
    /// Where the answer is kept.
    file: String,
}

/// Paths that are shown; more are counted.
const SHOWN_MAX: usize = 10;

/// Why a frame is to be made, and what that takes.
#[derive(Default)]
struct Why {
    reason: Option<Reason>,
    tasks: usize,
    calls: u64,
    waits_for: Vec<String>,
    changed_children: Vec<String>,
}

/// Whose frame of which node is explained.
struct Subject<'s> {
    workspace: &'s Workspace,
    store: &'s Store<'s>,
    target: &'s Target,
    agent: &'s Agent,
    frame_type: &'s FrameType,
    head: Option<&'s Head>,
    start: Option<NodeId>,
}

/// Prints the state, the input that differs, and the cost.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = workspace.store()?;
    let root = args.snapshot.root(&workspace, &program.ui)?;
    let found = NamedTarget {
        written: args.node.clone(),
        target: find(&workspace, &root, &args.node)?,
    };
    let root = root_of(&workspace, &root, &found)?;
    let target = found.target;
    let agents = workspace.agents();
    let agent = agents.get(&args.agent)?;
    let frame_type = args
        .frame_type
        .clone()
        .unwrap_or_else(|| agent.frame_type.clone());
    let head = head(&store, &target, agent, &frame_type)?;
    let (workspace, store, frame_type, start) = (&workspace, &store, &frame_type, root.history);
    let subject = Subject {
        workspace,
        store,
        target: &target,
        agent,
        frame_type,
        head: head.as_ref(),
        start,
    };
    explain(&subject, &root, &args.node, program)
}

/// Finds what stands, is carried or stood before, and prints it.
fn explain(
    subject: &Subject<'_>,
    root: &SnapshotRoot,
    written: &str,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let mut why = subject.why()?;
    let carried = subject.carried(root)?;
    let earlier = if subject.head.is_none() && carried.is_none() {
        subject.earlier()?
    } else {
        None
    };
    if carried.is_some() {
        why.reason = Some(Reason::Changed);
    }
    if let Some(earlier) = &earlier {
        why.reason = Some(Reason::Changed);
        why.changed_children = subject.changed_entries(&earlier.node)?;
    }
    let is_asked = why.reason.is_some() && subject.agent.instructions().is_some();
    let refused = subject
        .target
        .path
        .as_ref()
        .filter(|_| is_asked)
        .and_then(|path| RefusedAnswers::of(&subject.workspace.state).about(path));
    let carried_head = carried.as_ref().map(|carried| Head {
        frame: carried.frame.clone(),
        invalidated: false,
        seq_max: carried.frame.seq,
    });
    let shown = subject
        .head
        .or(carried_head.as_ref())
        .or(earlier.as_ref().and_then(|earlier| earlier.heads.first()));
    let reason = why.reason;
    let mut document = subject.document(why, shown, earlier.as_ref(), refused);
    if let Some(carried) = &carried {
        document.state = "carried";
        document.described_at = carried.seen.map(|seen| seen.commit.to_string());
    }
    if program.ui.is_json() {
        program.ui.write_json("explain", &document)?;
    } else {
        let node = shown_node(subject.target, written);
        let earlier = earlier.as_ref();
        let answer = Answer {
            node,
            document: &document,
            reason,
            head: shown,
            earlier,
            carried: carried.as_ref(),
        };
        write_text(&mut program.ui, &answer)?;
        let hindrance = subject.hindrance().filter(|_| reason.is_some());
        if let Some(hindrance) = hindrance {
            writeln!(program.ui, "  {hindrance}")?;
        }
    }
    Ok(reason.map_or(Exit::Done, |_| Exit::No))
}

/// What is said of a node in a slot. A note that its author has retracted is not said any more; one that was declared void is
/// outdated.
fn head(
    store: &Store<'_>,
    target: &Target,
    agent: &Agent,
    frame_type: &FrameType,
) -> Result<Option<Head>, CliError> {
    let slot = Slot::new(&agent.id, frame_type);
    let head = ops::carried::head_about(store, target, &slot)?;
    let is_ended = head.as_ref().is_some_and(|head| head.invalidated);
    if !is_ended || !matches!(agent.maker, Maker::Person) {
        return Ok(head);
    }
    let is_void = store.voices(&target.id)?.is_void(&slot);
    Ok(head.filter(|_| is_void))
}

impl Subject<'_> {
    /// Why a run over the directory makes no frame of the node.
    fn hindrance(&self) -> Option<String> {
        let id = &self.agent.id;
        let excluded = || {
            let kind = left_out(self.agent, self.target)?.one();
            Some(format!(
                "it is a {kind}: a run of '{id}' over its directory leaves it out"
            ))
        };
        missing_object(self.workspace, self.target).or_else(excluded)
    }

    fn document(
        &self,
        why: Why,
        shown: Option<&Head>,
        earlier: Option<&Earlier>,
        refused: Option<Kept>,
    ) -> Document {
        let Self {
            target,
            agent,
            frame_type,
            ..
        } = self;
        Document {
            node: target.id.to_string(),
            path: target.path.as_ref().map(|path| json::path(path.as_bytes())),
            agent: agent.id.to_string(),
            r#type: frame_type.to_string(),
            state: match why.reason {
                None => "fresh",
                Some(Reason::Missing) => "missing",
                Some(_) => "outdated",
            },
            reason: why.reason.map(Reason::as_str),
            frame: shown.map(|head| head.frame.id.to_string()),
            basis: shown.map(|head| head.frame.basis.to_string()),
            tasks: why.tasks,
            calls: why.calls,
            waits_for: why.waits_for,
            changed_children: why.changed_children,
            refused: refused.map(
                |Kept {
                     file,
                     provider,
                     reason,
                 }| RefusedAnswer {
                    provider,
                    reason,
                    file: json::path(file.as_os_str().as_encoded_bytes()),
                },
            ),
            described_at: earlier.map(|earlier| earlier.commit.to_string()),
            changed_in: earlier
                .and_then(|earlier| earlier.changed_in)
                .map(|commit| commit.to_string()),
        }
    }

    fn why(&self) -> Result<Why, CliError> {
        let Self {
            target,
            agent,
            frame_type,
            head,
            ..
        } = *self;
        if *frame_type == agent.frame_type && agent.makes(target.kind) {
            return self.made();
        }
        let slot = Slot::new(&agent.id, frame_type);
        let is_synthesized = || -> Result<bool, CliError> {
            let index = ops::refresh::index(&self.workspace.state, self.store, 0)?;
            Ok(ops::syntheses::synthesized_slots(self.workspace, &index).contains(&slot))
        };
        let is_said = head.is_some_and(|head| head.invalidated || head.frame.policy().is_none());
        if !is_said && target.kind == NodeKind::Directory && is_synthesized()? {
            return self.synthesized();
        }
        let reason = match head {
            None => Some(Reason::Missing),
            Some(head) => head.invalidated.then_some(Reason::Invalidated),
        };
        Ok(Why {
            reason,
            ..Why::default()
        })
    }

    /// Of what the agent makes by itself.
    fn made(&self) -> Result<Why, CliError> {
        let Self {
            workspace,
            store,
            target,
            agent,
            ..
        } = *self;
        let request = Refresh {
            verify: true,
            ..Refresh::of(agent)
        };
        let planned = ops::refresh::plan(
            &workspace.repository,
            &workspace.state,
            store,
            std::slice::from_ref(target),
            &request,
        )?;
        let (scan, plan) = (&planned.scan, &planned.plan);
        let path = target.path.clone().unwrap_or_default();
        let below = plan.tasks.iter().filter(|task| task.node != scan.root());
        Ok(Why {
            reason: plan
                .tasks
                .iter()
                .find(|task| task.node == scan.root())
                .map(|task| task.reason),
            tasks: plan.tasks.len(),
            calls: if agent.instructions().is_some() {
                plan.tasks.len() as u64
            } else {
                0
            },
            waits_for: below
                .take(SHOWN_MAX)
                .map(|task| json::path(scan.path(&path, task.node).as_bytes()))
                .collect(),
            changed_children: self
                .head
                .map(|head| changed_children(scan, plan, head))
                .unwrap_or_default(),
        })
    }

    /// Of what a policy has made of the children's frames.
    fn synthesized(&self) -> Result<Why, CliError> {
        let Self {
            workspace,
            store,
            target,
            agent,
            frame_type,
            head,
            start,
        } = *self;
        let slot = Slot::new(&agent.id, frame_type);
        let planned = ops::syntheses::plan_syntheses(workspace, store, target, &slot, start)?;
        let path = target.path.clone().unwrap_or_default();
        let (scan, plan) = (&planned.scan, &planned.plan);
        let below = plan.tasks.iter().filter(|task| task.node != scan.root());
        let work = planned.synthesizer(&workspace.repository, &path, agent, frame_type);
        let changed = head
            .and_then(made_from)
            .map(|frames| work.changed_entries(plan, scan.root(), frames));
        Ok(Why {
            reason: planned
                .reason()
                .or_else(|| head.is_none().then_some(Reason::Missing)),
            tasks: plan.tasks.len(),
            calls: 0,
            waits_for: below
                .take(SHOWN_MAX)
                .map(|task| json::path(scan.path(&path, task.node).as_bytes()))
                .collect(),
            changed_children: changed
                .unwrap_or_default()
                .iter()
                .take(SHOWN_MAX)
                .map(|name| json::path(name))
                .collect(),
        })
    }

    /// What a person has said about an earlier content of the path, as `show` has it; nothing where something is said of today's.
    fn carried(&self, root: &SnapshotRoot) -> Result<Option<Carried>, CliError> {
        if self.head.is_some() || self.agent.maker != Maker::Person {
            return Ok(None);
        }
        let Subject {
            workspace,
            store,
            target,
            ..
        } = *self;
        let (repo, state) = (&workspace.repository, &workspace.state);
        let carried = ops::carried(repo, state, store, root, target)?;
        Ok(carried.into_iter().find(|one| {
            (&one.frame.agent, &one.frame.frame_type) == (&self.agent.id, self.frame_type)
        }))
    }

    /// What the slot has said about an earlier content of the path.
    fn earlier(&self) -> Result<Option<Earlier>, CliError> {
        let Self {
            workspace,
            store,
            target,
            agent,
            frame_type,
            start,
            ..
        } = *self;
        let wanted =
            |head: &Head| head.frame.agent == agent.id && head.frame.frame_type == *frame_type;
        Ok(ops::earlier(
            &workspace.repository,
            store,
            start,
            target,
            &wanted,
        )?)
    }

    /// Names of the entries that a directory has now and did not have so before.
    fn changed_entries(&self, before: &NodeId) -> Result<Vec<String>, CliError> {
        if self.target.kind == NodeKind::File {
            return Ok(Vec::new());
        }
        let entries = |tree: &NodeId| -> Result<Vec<(Vec<u8>, NodeId)>, CliError> {
            let (repo, mut data) = (&self.workspace.repository, Vec::new());
            repo.read(tree, ObjectKind::Tree, &mut data)?;
            let entries = tree_entries(*tree, &data, repo.hash_kind());
            Ok(entries
                .map(|entry| entry.map(|entry| (entry.name.to_vec(), entry.id)))
                .collect::<Result<_, _>>()?)
        };
        // What is no directory any more has no entries to compare with.
        let (before, now) = (
            entries(before).unwrap_or_default(),
            entries(&self.target.id)?,
        );
        let changed = now
            .iter()
            .filter(|entry| !before.contains(entry))
            .map(|(name, _)| name);
        let gone = before
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !now.iter().any(|(other, _)| other == *name));
        Ok(changed
            .chain(gone)
            .take(SHOWN_MAX)
            .map(|name| json::path(name))
            .collect())
    }
}

/// The frames that a head was made from, where it lists them.
fn made_from(head: &Head) -> Option<&[FrameId]> {
    if let Children::Listed(frames) = &head.frame.children {
        Some(frames)
    } else {
        None
    }
}

/// Children whose current frame is not among those that the head was made from.
fn changed_children(scan: &Scan, plan: &Plan, head: &Head) -> Vec<String> {
    let Some(made_from) = made_from(head) else {
        return Vec::new();
    };
    let differs = |number: NodeNumber| {
        plan.frame_of(number)
            .is_none_or(|frame| !made_from.contains(&frame))
    };
    let entries = scan
        .entries(scan.root())
        .filter(|entry| entry.node.is_some_and(differs));
    entries
        .take(SHOWN_MAX)
        .map(|entry| json::path(entry.name))
        .collect()
}

/// What a node is called: by its path, else as it was written.
fn shown_node<'t>(target: &'t Target, written: &'t str) -> &'t [u8] {
    match &target.path {
        Some(path) if path.is_root() => b".",
        Some(path) => path.as_bytes(),
        None => written.as_bytes(),
    }
}

/// What is said as text about one slot of a node.
struct Answer<'a> {
    node: &'a [u8],
    document: &'a Document,
    reason: Option<Reason>,
    head: Option<&'a Head>,
    earlier: Option<&'a Earlier>,
    carried: Option<&'a Carried>,
}

fn write_text(ui: &mut Ui, answer: &Answer<'_>) -> Result<(), CliError> {
    let Answer {
        node,
        document,
        reason,
        head,
        earlier,
        carried,
    } = *answer;
    let style = if reason.is_none() {
        Style::Good
    } else {
        Style::Caution
    };
    let state = ui.styled(style, document.state);
    let node = ui.path_text(node);
    writeln!(
        ui,
        "{}/{} of {node} is {state}",
        document.agent, document.r#type
    )?;
    match reason {
        None if head.is_some_and(|head| head.frame.basis_kind == BasisKind::Written) => {
            writeln!(ui, "  it was written by hand for this very node")?;
        }
        None => writeln!(ui, "  everything that it was made from is unchanged")?,
        Some(reason) => writeln!(ui, "  {reason}")?,
    }
    if let Some(Earlier {
        commit, changed_in, ..
    }) = earlier
    {
        let changed = changed_in.map_or("not committed yet".to_owned(), |commit| {
            format!("in commit {}", commit.short())
        });
        writeln!(
            ui,
            "  described as of commit {}, changed since: {changed}",
            commit.short()
        )?;
    }
    if let Some(carried) = carried {
        writeln!(ui, "  {}", carried.age())?;
    }
    if reason.is_some() {
        write_lists(ui, document, earlier.is_some())?;
    }
    if let Some(head) = head {
        let of = if earlier.is_some() || carried.is_some() {
            "that frame is "
        } else {
            "frame "
        };
        writeln!(
            ui,
            "  {of}{}, generation {}, basis {}",
            head.frame.id.short(),
            head.frame.seq,
            head.frame.basis.short()
        )?;
    }
    write_next(ui, document)?;
    Ok(())
}

/// What has to be made first, and the children that tell something else.
fn write_lists(ui: &mut Ui, document: &Document, is_earlier: bool) -> Result<(), OutputError> {
    let what = if is_earlier {
        "changed, new or gone"
    } else {
        "says something else now"
    };
    let lists = [
        ("to be made first", &document.waits_for),
        (what, &document.changed_children),
    ];
    for (what, paths) in lists {
        for path in paths {
            let path = ui.path_text(path.as_bytes());
            writeln!(ui, "    {path} ({what})")?;
        }
    }
    Ok(())
}

/// An answer that was no frame, and what a refresh takes.
fn write_next(ui: &mut Ui, document: &Document) -> Result<(), OutputError> {
    if let Some(RefusedAnswer {
        provider,
        reason,
        file,
    }) = &document.refused
    {
        let told = printable(&format!("provider '{provider}' gave an answer that is no frame: {reason}; it is kept in '{file}'"))
            .to_string();
        writeln!(ui, "  {told}")?;
    }
    if document.tasks > 0 {
        let calls = match document.calls {
            0 => "no calls to a model, no cost".to_owned(),
            calls => format!("at most {} to a model", counted(calls, "call", "calls")),
        };
        writeln!(
            ui,
            "  refreshing looks at {}; {calls}",
            counted(document.tasks, "node", "nodes")
        )?;
    }
    Ok(())
}

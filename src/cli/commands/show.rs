//! `git merkle show`: what is said about nodes, with whether it still holds.

use crate::base::{AgentId, FrameType, NodeId, TreePath};
use crate::cli::advice::{Lookup, nothing_said, only_combined};
use crate::cli::frames::{
    FrameDocument, FramesDocument, Heading, State, signatures, state_of, write_whole,
};
use crate::cli::program::Program;
use crate::cli::snapshot::{SlotArgs, SnapshotArgs, find, find_all, root_of};
use crate::cli::{CliError, Exit};
use crate::frame::{BasisKind, Frame, FrameName, Head, Store};
use crate::node::SnapshotRoot;
use crate::ops::{self, Carried};
use crate::workspace::{NamedTarget, Target, Workspace};

/// Fewest characters of an id that are looked for, as in git.
const ID_CHARS_MIN: usize = 4;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories, pathspecs (the files that match), or ids of frames, as far as they are unambiguous (default: the
    /// current directory)
    #[arg(value_name = "node")]
    nodes: Vec<String>,
    #[command(flatten)]
    slot: SlotArgs,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

/// A head, and the earlier commit that it was found at when the node itself has none.
struct Found {
    head: Head,
    state: State,
    commit: Option<NodeId>,
    carried: Option<Carried>,
}

impl Found {
    fn new(head: Head, state: State) -> Self {
        Self {
            head,
            state,
            commit: None,
            carried: None,
        }
    }

    fn at(self, commit: NodeId) -> Self {
        Self {
            commit: Some(commit),
            ..self
        }
    }

    fn carried(carried: Carried) -> Self {
        let head = Head {
            seq_max: carried.frame.seq,
            frame: carried.frame.clone(),
            invalidated: false,
        };
        Self {
            carried: Some(carried),
            ..Self::new(head, State::Carried)
        }
    }

    /// What is shown behind the path.
    fn note(&self) -> String {
        match (&self.carried, self.commit) {
            (Some(carried), _) => carried.age(),
            (None, Some(commit)) => format!("from commit {}", commit.short()),
            (None, None) => String::new(),
        }
    }

    fn document(&self, path: Option<&TreePath>) -> FrameDocument {
        let document = || FrameDocument::new(&self.head.frame, self.state).at(path);
        match (&self.carried, self.commit) {
            (Some(carried), _) => FrameDocument::of_carried(carried, path),
            (None, Some(commit)) => document().at_commit(&commit.to_string()),
            (None, None) => document(),
        }
    }
}

/// Prints the heads of each node; exit 1 when none of them says anything. A synthesis is shown where its type is named.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let store = workspace.store()?;
    let root = args.snapshot.root(&workspace, &program.ui)?;
    let here = [".".to_owned()];
    let specs = if args.nodes.is_empty() {
        &here[..]
    } else {
        &args.nodes
    };
    let (mut documents, mut silent) = (Vec::new(), Vec::new());
    let (mut is_first, mut is_said) = (true, false);
    for (NamedTarget { written, target }, found) in all(args, &workspace, &store, &root, specs)? {
        if found.is_empty() {
            let SlotArgs { agent, frame_type } = &args.slot;
            let asked = Lookup {
                node: &written,
                snapshot: &args.snapshot,
                agent: agent.as_ref(),
                frame_type: frame_type.as_ref(),
            };
            let note = match combined_type(args, &store, &target)? {
                Some(combined) => only_combined(&asked, &combined),
                None => nothing_said(&workspace, &target, &asked)?,
            };
            // A pattern looks for what is said; a path is looked at.
            if specs.contains(&written) {
                program.ui.note(&note);
            } else {
                silent.push(note);
            }
        }
        let frames: Vec<&Frame> = found.iter().map(|one| &one.head.frame).collect();
        let signatures = signatures(&program.ui, &workspace, &store, &frames);
        for (one, signature) in found.iter().zip(&signatures) {
            let signature = signature.as_ref();
            is_said |= !one.state.is_invalidated();
            if program.ui.is_json() {
                documents.push(one.document(target.path.as_ref()).signed(signature));
                continue;
            }
            if !is_first {
                writeln!(program.ui)?;
            }
            is_first = false;
            let heading = Heading {
                path: target.path.as_ref(),
                note: &one.note(),
                signature,
            };
            write_whole(&mut program.ui, &one.head.frame, one.state, heading)?;
        }
    }
    if let (false, Some(first)) = (is_said, silent.first()) {
        program.ui.note(first);
        if silent.len() > 1 {
            program
                .ui
                .note(&format!("and the same of {} more", silent.len() - 1));
        }
    }
    if program.ui.is_json() {
        program
            .ui
            .write_json("show", &FramesDocument { frames: documents })?;
    }
    Ok(if is_said { Exit::Done } else { Exit::No })
}

/// The frames that are named by their ids, and the heads of the nodes that are named.
fn all(
    args: &Args,
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    specs: &[String],
) -> Result<Vec<(NamedTarget, Vec<Found>)>, CliError> {
    let (mut shown, mut nodes) = (Vec::new(), Vec::new());
    for written in specs {
        match by_id(workspace, store, root, written)? {
            Some(frame) => shown.push(frame),
            None => nodes.push(written.clone()),
        }
    }
    if !nodes.is_empty() {
        for named in find_all(workspace, root, &nodes)? {
            let root = root_of(workspace, root, &named)?;
            let found = heads(args, workspace, store, &root, &named.target)?;
            shown.push((named, found));
        }
    }
    Ok(shown)
}

/// The frame whose id begins with a text that names no node.
fn by_id(
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    written: &str,
) -> Result<Option<(NamedTarget, Vec<Found>)>, CliError> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_id = (ID_CHARS_MIN..=64).contains(&written.len()) && written.bytes().all(is_hex);
    if !is_id || find(workspace, root, written).is_ok() {
        return Ok(None);
    }
    let mut entries = store.entries_of_id(written)?;
    let Some(entry) = entries.pop() else {
        return Ok(None);
    };
    if let Some(other) = entries
        .iter()
        .find(|other| other.name.frame != entry.name.frame)
    {
        let message = format!("the frame id '{written}' is ambiguous");
        let candidate =
            |name: &FrameName| format!("{} {}/{}", name.frame, name.agent, name.frame_type);
        return Err(CliError::new(Exit::Git, message)
            .hint(candidate(&other.name))
            .hint(candidate(&entry.name)));
    }
    let Some(frame) = store.read(&entry) else {
        return Ok(None);
    };
    let target = Target {
        id: frame.node,
        kind: frame.kind,
        path: None,
        root: None,
    };
    let standing = store.standing(&frame.node)?;
    let state = state_of(workspace, store, &target, &standing, &frame)?;
    let head = Head {
        seq_max: frame.seq,
        frame,
        invalidated: false,
    };
    let written = written.to_owned();
    Ok(Some((
        NamedTarget { written, target },
        vec![Found::new(head, state)],
    )))
}

fn heads(
    args: &Args,
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    target: &Target,
) -> Result<Vec<Found>, CliError> {
    let wanted = |head: &Head| args.slot.shows(head);
    // Of people each has a head of their own. What a person has retracted is not shown; what was declared void is.
    let voices = store.voices(&target.id)?;
    let is_void = |head: &Head| voices.is_void(&head.frame.slot());
    let mut heads = store.heads(&target.id)?;
    heads.retain(|head| {
        head.frame.basis_kind != BasisKind::Written || (head.invalidated && is_void(head))
    });
    heads.extend(ops::carried::about_target(
        &workspace.repository,
        voices.heads,
        target,
    )?);
    let mut found = Vec::new();
    for head in heads.into_iter().filter(&wanted) {
        let state = ops::staleness::staleness(workspace, store, target, &head)?.into();
        found.push(Found::new(head, state));
    }
    if found.is_empty() {
        // What an earlier content of the path had is always labelled as such.
        let said = |head: &Head| {
            !head.invalidated && head.frame.basis_kind != BasisKind::Written && wanted(head)
        };
        if let Some(earlier) =
            ops::earlier(&workspace.repository, store, root.history, target, &said)?
        {
            found.extend(
                earlier
                    .heads
                    .into_iter()
                    .map(|head| Found::new(head, State::Stale).at(earlier.commit)),
            );
        }
    }
    let carried = ops::carried(&workspace.repository, &workspace.state, store, root, target)?
        .into_iter()
        .map(Found::carried);
    found.extend(carried.filter(|found| wanted(&found.head)));
    found.sort_by(|one, other| slot(one).cmp(&slot(other)));
    Ok(found)
}

/// The type of a frame that was combined from what is below a directory: those are shown where their type is named.
fn combined_type(
    args: &Args,
    store: &Store<'_>,
    target: &Target,
) -> Result<Option<FrameType>, CliError> {
    if args.slot.frame_type.is_some() {
        return Ok(None);
    }
    let is_combined = |head: &Head| {
        head.frame.policy().is_some()
            && !head.invalidated
            && args.slot.has(&head.frame.agent, &head.frame.frame_type)
    };
    let combined = store.heads(&target.id)?.into_iter().find(is_combined);
    Ok(combined.map(|head| head.frame.frame_type))
}

fn slot(found: &Found) -> (&AgentId, &FrameType) {
    (&found.head.frame.agent, &found.head.frame.frame_type)
}

//! `git merkle show`: what is said about nodes, with whether it still holds.

use crate::base::{AgentId, FrameType, NodeId, TreePath};
use crate::cli::advice::{Lookup, nothing_said};
use crate::cli::frames::{FrameDocument, FramesDocument, Heading, State, signatures, write_whole};
use crate::cli::program::Program;
use crate::cli::snapshot::{SnapshotArgs, find_all};
use crate::cli::{CliError, Exit};
use crate::frame::{BasisKind, Frame, Head, Store, Voice, Voices};
use crate::node::SnapshotRoot;
use crate::ops::{self, Carried};
use crate::workspace::{NamedTarget, Target, Workspace};

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories, or pathspecs: the files that match (default: the current directory)
    #[arg(value_name = "node")]
    nodes: Vec<String>,
    /// Only frames of this agent
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
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
    let root = args
        .snapshot
        .root(&workspace, |text| program.ui.warn(text))?;
    let here = [".".to_owned()];
    let specs = if args.nodes.is_empty() {
        &here[..]
    } else {
        &args.nodes
    };
    let mut documents = Vec::new();
    let (mut is_first, mut is_said) = (true, false);
    for NamedTarget { written, target } in find_all(&workspace, &root, specs)? {
        let found = heads(args, &workspace, &store, &root, &target)?;
        if found.is_empty() {
            let (agent, frame_type) = (args.agent.as_ref(), args.frame_type.as_ref());
            let asked = Lookup {
                node: &written,
                snapshot: &args.snapshot,
                agent,
                frame_type,
            };
            program.ui.note(&nothing_said(&workspace, &target, &asked));
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
    if program.ui.is_json() {
        program
            .ui
            .write_json("show", &FramesDocument { frames: documents })?;
    }
    Ok(if is_said { Exit::Done } else { Exit::No })
}

fn heads(
    args: &Args,
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    target: &Target,
) -> Result<Vec<Found>, CliError> {
    let wanted = |head: &Head| {
        args.agent
            .as_ref()
            .is_none_or(|agent| *agent == head.frame.agent)
            && match &args.frame_type {
                Some(frame_type) => *frame_type == head.frame.frame_type,
                None => head.frame.policy().is_none(),
            }
    };
    // Of people each has a head of their own. What a person has retracted is not shown; what was declared void is.
    let Voices {
        heads: voices,
        ended,
    } = store.voices(&target.id)?;
    let is_void = |head: &Head| ended.contains(&Voice::of(&head.frame).of_all());
    let is_other = |head: &Head| {
        head.frame.basis_kind != BasisKind::Written || (head.invalidated && is_void(head))
    };
    let heads = store
        .heads(&target.id)?
        .into_iter()
        .filter(is_other)
        .chain(voices);
    let mut found = Vec::new();
    for head in heads.filter(&wanted) {
        let state = ops::refresh::staleness(workspace, store, target, &head)?.into();
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

fn slot(found: &Found) -> (&AgentId, &FrameType) {
    (&found.head.frame.agent, &found.head.frame.frame_type)
}

//! `get-node`: what is known about a file or directory, and around it, chosen and ordered by a view.

mod options;

use serde::Serialize;

use super::super::json;
use crate::base::count::counted;
use crate::base::path::quote;
use crate::base::printable::one_line;
use crate::base::{TreePath, printable, token};
use crate::cli::frames::{SignatureDocument, signatures, write_content, write_signature};
use crate::cli::snapshot::{check_agent, find_at_head, head};
use crate::cli::{CliError, Exit, Program, Style, Ui, amount};
use crate::frame::{Frame, Store};
use crate::ops::{self, Carried};
use crate::sync::Signature;
use crate::view::{
    Extent, FittedFrame, FrameCandidate, FrameSource, FrameState, LocatedNode, View, compose, fit,
    gather,
};
use crate::workspace::{Target, Workspace};

/// Arguments of `get-node`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    #[command(flatten)]
    view: options::ViewArgs,
    /// Limit the output to this many tokens (an estimate)
    #[arg(long, value_name = "tokens", value_parser = amount::count)]
    budget: Option<u64>,
    /// Print only the bodies, as one text
    #[arg(long)]
    combine: bool,
    /// Text between combined bodies
    #[arg(
        long,
        value_name = "text",
        default_value = "\n---\n\n",
        requires = "combine"
    )]
    separator: String,
}

#[derive(Serialize)]
struct Document {
    node: NodeDocument,
    frames: Vec<FrameDocument>,
    /// How many frames the filter let through.
    matched: usize,
    /// How many frames the store has of the node itself.
    frame_count: usize,
}

#[derive(Serialize)]
struct NodeDocument {
    id: String,
    kind: &'static str,
    path: Option<String>,
    size_bytes: Option<u64>,
    entries: Option<u64>,
}

#[derive(Serialize)]
struct FrameDocument {
    frame: String,
    node: String,
    path: Option<String>,
    source: &'static str,
    agent: String,
    r#type: String,
    seq: u32,
    state: String,
    basis: String,
    basis_kind: &'static str,
    made_by: &'static str,
    author: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    created: Option<String>,
    /// What signatures say; absent where nothing was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<SignatureDocument>,
    content: String,
    is_cut: bool,
}

/// Finds the node, gathers what is known, and prints what the view chooses.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let mut view = options::view(&args.view)?;
    let workspace = if args.combine {
        program.open()?
    } else {
        program.open_paged()?
    };
    let repository = &workspace.repository;
    let target = find_at_head(&workspace, &args.node)?;
    let place = LocatedNode {
        id: target.id,
        kind: target.kind,
        found_in: target.root.zip(target.path.clone()),
    };
    options::find_related(&mut view, &workspace)?;
    let store = workspace.store()?;
    let mut gathered = gather(&store, &place, &view, &|subject, head| {
        ops::staleness::is_subject_fresh(&workspace, &store, target.root, subject, head)
    })?;
    gathered
        .candidates
        .extend(carried(&workspace, &store, &target)?);
    let selection = compose(gathered.candidates, &view);
    if selection.matched == 0 {
        for agent in &view.filter.agents {
            check_agent(&workspace, &store, agent)?;
        }
    }
    let ui = &mut program.ui;
    let shown = shown(args, ui, &selection);
    let extent = place.extent(repository)?;
    let signatures = if args.combine && !ui.is_json() {
        Vec::new()
    } else {
        let frames: Vec<&Frame> = shown.iter().map(|one| &one.candidate.frame).collect();
        signatures(ui, &workspace, &store, &frames)
    };
    let signed = || shown.iter().zip(signatures.iter().map(Option::as_ref));
    if ui.is_json() {
        let frames = signed()
            .map(|(one, signature)| frame_document(one, signature))
            .collect();
        let node = node_document(&place, extent);
        let document = Document {
            node,
            frames,
            matched: selection.matched,
            frame_count: gathered.frame_count,
        };
        ui.write_json("get-node", &document)?;
    } else if args.combine {
        print_combined(args, ui, &shown)?;
    } else {
        print_record(ui, &place, extent)?;
        let (count, matched, total) = (shown.len(), selection.matched, gathered.frame_count);
        writeln!(
            ui,
            "{count} of {matched} frames that match; the node itself has {total}"
        )?;
        for (one, signature) in signed() {
            print_frame(ui, one, signature)?;
        }
    }
    Ok(Exit::Done)
}

/// What people have said about earlier contents of the path.
fn carried(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
) -> Result<Vec<FrameCandidate>, CliError> {
    let Ok(root) = head(workspace) else {
        return Ok(Vec::new());
    };
    let of = |Carried { frame, .. }| FrameCandidate {
        frame,
        state: FrameState::Carried,
        source: FrameSource::Node,
        path: target.path.clone(),
        distance: 0,
    };
    Ok(ops::carried(
        &workspace.repository,
        &workspace.state,
        store,
        &root,
        target,
    )?
    .into_iter()
    .map(of)
    .collect())
}

/// The chosen frames, within the budget if there is one; what counts is the text that would be printed.
fn shown<'s>(args: &Args, ui: &Ui, selection: &'s View) -> Vec<FittedFrame<'s>> {
    let Some(budget) = args.budget else {
        return fit(&selection.frames, u64::MAX, &|_, _| 0);
    };
    let cost = |candidate: &FrameCandidate, content: &str| {
        let around = match (ui.is_json(), args.combine) {
            (true, _) => 0,
            (false, true) => token::estimate(&args.separator) + 1,
            (false, false) => token::estimate(&header(candidate)) + 2,
        };
        token::estimate(content) + around
    };
    fit(&selection.frames, budget, &cost)
}

fn node_document(place: &LocatedNode, extent: Extent) -> NodeDocument {
    let (size_bytes, entries) = match extent {
        Extent::Bytes(size_bytes) => (size_bytes, None),
        Extent::Entries(entries) => (None, Some(entries)),
    };
    let path = place.path().map(|path| json::path(path.as_bytes()));
    NodeDocument {
        id: place.id.to_string(),
        kind: place.kind.as_str(),
        path,
        size_bytes,
        entries,
    }
}

fn frame_document(shown: &FittedFrame<'_>, signature: Option<&Signature>) -> FrameDocument {
    let FrameCandidate {
        frame,
        state,
        source,
        path,
        ..
    } = shown.candidate;
    FrameDocument {
        frame: frame.id.to_string(),
        node: frame.node.to_string(),
        path: path.as_ref().map(|path| json::path(path.as_bytes())),
        source: source.as_str(),
        agent: frame.agent.to_string(),
        r#type: frame.frame_type.to_string(),
        seq: frame.seq,
        state: state.to_string(),
        basis: frame.basis.to_string(),
        basis_kind: frame.basis_kind.as_str(),
        made_by: frame.made_by().as_str(),
        author: frame.author(),
        provider: frame.provider.clone(),
        model: frame.model.clone(),
        created: frame.created.clone(),
        signature: signature.map(SignatureDocument::of),
        content: shown.content.to_owned(),
        is_cut: shown.is_cut,
    }
}

fn print_record(ui: &mut Ui, place: &LocatedNode, extent: Extent) -> Result<(), CliError> {
    let id = ui.styled(Style::Id, &place.id.to_string());
    write!(ui, "{} {id}", place.kind)?;
    if let Some(path) = place.path() {
        let path = ui.path(path.shown()).into_owned();
        ui.write_bytes(b" ")?;
        ui.write_bytes(&path)?;
    }
    match extent {
        Extent::Bytes(Some(bytes)) => writeln!(ui, ", {bytes} bytes")?,
        Extent::Bytes(None) => writeln!(ui, ", not in this partial clone")?,
        Extent::Entries(entries) => {
            writeln!(ui, ", {}", counted(entries, "entry", "entries"))?;
        }
    }
    Ok(())
}

/// `docs.summary 3 (fresh) src/lib.rs 3f2a9c1, statement by agent docs, model x of y`.
fn header(candidate: &FrameCandidate) -> String {
    let frame = &candidate.frame;
    let place = |path: &TreePath| {
        let made_at = frame.made_elsewhere(path.as_bytes());
        let made_at =
            made_at.map(|made_at| format!(" (made at {})", quote(made_at.shown(), false)));
        let path = quote(path.shown(), false);
        format!(" {path}{}", made_at.unwrap_or_default())
    };
    let path = candidate.path.as_ref().map(place).unwrap_or_default();
    let (id, speaker) = (frame.id.short(), frame.speaker());
    format!(
        "{}.{} {} ({}){path} {id}, statement by {speaker}",
        frame.agent, frame.frame_type, frame.seq, candidate.state
    )
}

fn print_frame(
    ui: &mut Ui,
    shown: &FittedFrame<'_>,
    signature: Option<&Signature>,
) -> Result<(), CliError> {
    let style = match shown.candidate.state {
        FrameState::Fresh => Style::Good,
        FrameState::Outdated | FrameState::Superseded | FrameState::Carried => Style::Caution,
        FrameState::Invalidated => Style::Bad,
    };
    let cut = if shown.is_cut { ", first section" } else { "" };
    let header = ui.styled(style, &one_line(&header(shown.candidate)));
    write!(ui, "\n--- {header}")?;
    write_signature(ui, signature)?;
    writeln!(ui, "{cut}\n")?;
    write_content(ui, shown.content)?;
    Ok(write!(ui, "{}", end_of(shown.content))?)
}

fn print_body(ui: &mut Ui, content: &str) -> Result<(), CliError> {
    Ok(write!(ui, "{}{}", printable(content), end_of(content))?)
}

fn end_of(content: &str) -> &'static str {
    if content.is_empty() || content.ends_with('\n') {
        ""
    } else {
        "\n"
    }
}

fn print_combined(args: &Args, ui: &mut Ui, shown: &[FittedFrame<'_>]) -> Result<(), CliError> {
    for (at, one) in shown.iter().enumerate() {
        if at > 0 {
            write!(ui, "{}", printable(&args.separator))?;
        }
        print_body(ui, one.content)?;
    }
    Ok(())
}

//! How frames are shown: one line each, whole with a heading, or as JSON.

use serde::Serialize;

use super::ui::OutputError;
use super::{CliError, Style, Ui, json};
use crate::base::printable::one_line;
use crate::base::{Cost, TreePath, printable};
use crate::frame::{Children, Frame, Head, Store};
use crate::ops::{self, Carried};
use crate::sync::Signature;
use crate::synthesis::Reason;
use crate::workspace::{Target, Workspace};

/// Whether a frame still holds for its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It says what would be said today.
    Fresh,
    /// It would be made again, and why.
    Outdated(Reason),
    /// It is about what stood at the path before.
    Stale,
    /// A person said it about what stood at the path before, and has not ended it.
    Carried,
    /// An older frame, not the head.
    Older,
}

impl State {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Outdated(_) => "outdated",
            Self::Stale => "stale",
            Self::Carried => "carried",
            Self::Older => "older",
        }
    }

    /// The word for people: what was declared void is told apart from what is only outdated.
    #[must_use]
    pub fn label(self) -> &'static str {
        if self.is_invalidated() {
            "invalidated"
        } else {
            self.word()
        }
    }

    /// True when the frame was declared void: its text is not shown as what is said.
    #[must_use]
    pub fn is_invalidated(self) -> bool {
        self == Self::Outdated(Reason::Invalidated)
    }

    fn style(self) -> Style {
        match self {
            Self::Fresh => Style::Good,
            Self::Outdated(Reason::Invalidated) => Style::Bad,
            Self::Outdated(_) | Self::Stale | Self::Carried => Style::Caution,
            Self::Older => Style::Dim,
        }
    }
}

impl From<Option<Reason>> for State {
    fn from(reason: Option<Reason>) -> Self {
        reason.map_or(Self::Fresh, Self::Outdated)
    }
}

/// The state of a node's frame, given what stands at the node: the head of each slot, and what each person said last.
pub fn state_of(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    standing: &[Head],
    frame: &Frame,
) -> Result<State, CliError> {
    let mut standing = standing.iter();
    match standing.find(|head| head.frame.id == frame.id && head.frame.seq == frame.seq) {
        Some(head) => Ok(ops::staleness::staleness(workspace, store, target, head)?.into()),
        None => Ok(State::Older),
    }
}

/// A frame in JSON.
#[derive(Debug, Serialize)]
pub struct FrameDocument {
    frame: String,
    node: String,
    kind: &'static str,
    agent: String,
    r#type: String,
    seq: u32,
    state: &'static str,
    reason: Option<&'static str>,
    commit: Option<String>,
    path: Option<String>,
    made_at: Option<String>,
    /// How old a person's statement about an earlier content is; absent for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    carried: Option<CarriedDocument>,
    basis: String,
    basis_kind: &'static str,
    children: Vec<String>,
    /// `model`, `person` or `program`.
    made_by: &'static str,
    author: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    cost_usd: Option<Cost>,
    created: Option<String>,
    tool: String,
    /// What signatures say; absent where nothing was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<SignatureDocument>,
    content: String,
}

/// What signatures say about a statement.
#[derive(Debug, Serialize)]
pub struct SignatureDocument {
    /// `good`, `unsigned`, `bad` or `unchecked`.
    state: &'static str,
    /// The allowed signer, where one has signed this statement or other bytes under its name.
    signer: Option<String>,
    /// The same in words.
    message: String,
}

impl SignatureDocument {
    /// The document of an answer.
    #[must_use]
    pub fn of(signature: &Signature) -> Self {
        Self {
            state: signature.word(),
            signer: signature.signer().map(str::to_owned),
            message: signature.to_string(),
        }
    }
}

/// How old a person's statement about an earlier content is.
#[derive(Debug, Serialize)]
struct CarriedDocument {
    /// Commits since the one that had that content last; null where the newest commits do not have it.
    commits: Option<usize>,
    /// How often the content has changed since; null likewise.
    changes: Option<usize>,
    /// Lines that differ; null for a directory, and for what is no text.
    lines: Option<usize>,
}

impl FrameDocument {
    /// The document of a frame.
    #[must_use]
    pub fn new(frame: &Frame, state: State) -> Self {
        let reason = if let State::Outdated(reason) = state {
            Some(reason.as_str())
        } else {
            None
        };
        Self {
            frame: frame.id.to_string(),
            node: frame.node.to_string(),
            kind: frame.kind.as_str(),
            agent: frame.agent.to_string(),
            r#type: frame.frame_type.to_string(),
            seq: frame.seq,
            state: state.word(),
            reason,
            commit: None,
            path: frame.path.as_ref().map(|path| json::path(path.as_bytes())),
            made_at: frame.path.as_ref().map(|path| json::path(path.as_bytes())),
            carried: None,
            basis: frame.basis.to_string(),
            basis_kind: frame.basis_kind.as_str(),
            children: match &frame.children {
                Children::Listed(ids) => ids.iter().map(ToString::to_string).collect(),
                Children::None | Children::Digest(..) => Vec::new(),
            },
            made_by: frame.made_by().as_str(),
            author: frame.author(),
            provider: frame.provider.clone(),
            model: frame.model.clone(),
            cost_usd: frame.cost,
            created: frame.created.clone(),
            tool: frame.tool.clone(),
            signature: None,
            content: frame.content.clone(),
        }
    }

    /// The same, of a node that the user named by its path: a frame keeps the path that it was made at, whatever has become
    /// of that, and however many others hold the same content.
    #[must_use]
    pub fn at(self, path: Option<&TreePath>) -> Self {
        let path = path.map(|path| json::path(path.as_bytes()));
        Self {
            path: path.or(self.path),
            ..self
        }
    }

    /// The same with what signatures say.
    #[must_use]
    pub fn signed(self, signature: Option<&Signature>) -> Self {
        Self {
            signature: signature.map(SignatureDocument::of),
            ..self
        }
    }

    /// The document of a person's statement about an earlier content.
    #[must_use]
    pub fn of_carried(carried: &Carried, path: Option<&TreePath>) -> Self {
        let Carried {
            frame, seen, lines, ..
        } = carried;
        let commit = seen.map(|seen| seen.commit.to_string());
        let carried = CarriedDocument {
            commits: seen.map(|seen| seen.commits),
            changes: seen.map(|seen| seen.changes),
            lines: *lines,
        };
        Self {
            commit,
            carried: Some(carried),
            ..Self::new(frame, State::Carried).at(path)
        }
    }

    /// The same, of a frame that was found at an earlier commit.
    #[must_use]
    pub fn at_commit(self, commit: &str) -> Self {
        Self {
            commit: Some(commit.to_owned()),
            ..self
        }
    }
}

/// Several frames in JSON.
#[derive(Debug, Serialize)]
pub struct FramesDocument {
    /// The frames, in the order of the answer.
    pub frames: Vec<FrameDocument>,
}

/// What signatures say about frames, in their order. Where that cannot be found out, a warning says why.
pub fn signatures(
    ui: &Ui,
    workspace: &Workspace,
    store: &Store<'_>,
    frames: &[&Frame],
) -> Vec<Option<Signature>> {
    ops::signing::signatures(workspace, store, frames).unwrap_or_else(|error| {
        ui.warn(&printable::chain(&error));
        vec![None; frames.len()]
    })
}

/// One line: id, state, agent and type, generation, when and by whom.
pub fn write_line(
    ui: &mut Ui,
    frame: &Frame,
    state: State,
    signature: Option<&Signature>,
) -> Result<(), OutputError> {
    let (id, word) = (frame.id.short(), state.label());
    let (id, word) = (ui.styled(Style::Id, &id), ui.styled(state.style(), word));
    let author = frame.author();
    let by = [
        author.as_deref(),
        frame.provider.as_deref(),
        frame.model.as_deref(),
        frame.created.as_deref(),
    ];
    let by: Vec<&str> = by.into_iter().flatten().collect();
    let by = if by.is_empty() {
        frame.basis_kind.to_string()
    } else {
        format!("{} {}", frame.basis_kind, by.join(" "))
    };
    let by = ui.styled(Style::Dim, &one_line(&by));
    write!(
        ui,
        "{id} {word} {}/{} {} {by}",
        frame.agent, frame.frame_type, frame.seq
    )?;
    write_signature(ui, signature)?;
    ui.end_record()
}

/// Writes what signatures say, behind a comma; nothing where nothing is known.
pub fn write_signature(ui: &mut Ui, signature: Option<&Signature>) -> Result<(), OutputError> {
    let Some(signature) = signature else {
        return Ok(());
    };
    let style = match signature {
        Signature::Good(_) => Style::Good,
        Signature::Unsigned | Signature::Unchecked => Style::Caution,
        Signature::Changed(_) | Signature::NotAllowed(_) | Signature::Broken => Style::Bad,
    };
    let words = ui.styled(style, &one_line(&signature.to_string()));
    write!(ui, ", {words}")
}

/// What is known of a frame beside its bytes, for its heading.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heading<'a> {
    /// What the user named.
    pub path: Option<&'a TreePath>,
    /// What is shown behind the path.
    pub note: &'a str,
    /// What signatures say.
    pub signature: Option<&'a Signature>,
}

/// A heading, with what must be known about the frame, and the frame's text.
pub fn write_whole(
    ui: &mut Ui,
    frame: &Frame,
    state: State,
    heading: Heading<'_>,
) -> Result<(), OutputError> {
    let Heading {
        path,
        note,
        signature,
    } = heading;
    let title = format!("{} {}/{}", frame.id.short(), frame.agent, frame.frame_type);
    let title = ui.styled(Style::Heading, &title);
    let word = ui.styled(state.style(), state.label());
    write!(ui, "{title} {word}")?;
    if let State::Outdated(reason) = state
        && !state.is_invalidated()
    {
        write!(ui, " ({reason})")?;
    }
    if let Some(path) = path.or(frame.path.as_ref()).filter(|path| !path.is_root()) {
        let path = ui.path(path.as_bytes()).into_owned();
        write!(ui, " ")?;
        ui.write_bytes(&path)?;
    }
    if let Some(made_at) = path.and_then(|path| frame.made_elsewhere(path.as_bytes())) {
        let made_at = ui.path(made_at.shown()).into_owned();
        write!(ui, " (made at ")?;
        ui.write_bytes(&made_at)?;
        write!(ui, ")")?;
    }
    if !note.is_empty() {
        let note = ui.styled(Style::Dim, note);
        write!(ui, " {note}")?;
    }
    let speaker = ui.styled(Style::Dim, &frame.speaker());
    write!(ui, "\nstatement by {speaker}")?;
    write_signature(ui, signature)?;
    write!(ui, "\n\n")?;
    if state.is_invalidated() {
        return writeln!(ui, "(not shown: it was declared void)");
    }
    write_content(ui, frame.content.trim_end())?;
    writeln!(ui)
}

/// The text of a frame below its heading. A line in it that reads like a heading of this program's is quoted, so that no
/// statement can speak for another one.
pub fn write_content(ui: &mut Ui, content: &str) -> Result<(), OutputError> {
    for line in content.split_inclusive('\n') {
        let sign = if imitates_heading(line) { "> " } else { "" };
        write!(ui, "{sign}{}", printable(line))?;
    }
    Ok(())
}

/// True for the first or second line of [`write_whole`], and for the one that `get-node` writes, whatever stands before.
fn imitates_heading(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    let is_id = |word: &&str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    match words.as_slice() {
        ["statement", "by", ..] | ["---", _, _, ..] => true,
        [id, slot, word, ..] => {
            is_id(id) && slot.contains('/') && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::imitates_heading;

    #[test]
    fn headings_are_told_from_text() {
        for line in [
            "835467c human/note fresh a.rs",
            "  db72dc0 outline/outline outdated (x) a",
            "statement by agent docs",
        ] {
            assert!(imitates_heading(line), "{line}");
        }
        assert!(imitates_heading(
            "--- outline.outline 1 (fresh) . 35cb0b0, statement by agent outline"
        ));
        for line in [
            "",
            "---",
            "--- a",
            "# A heading",
            "The statement by an agent",
            "face a/b is",
            "defaced a/b 1.5 x",
            "- `a/b`: c",
        ] {
            assert!(!imitates_heading(line), "{line}");
        }
    }
}

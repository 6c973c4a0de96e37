//! A frame as a value: who says what about which node, made from what.

use crate::base::printable::one_line;
use crate::base::{
    AgentId, BasisId, Cost, Digest, FieldHasher, FrameId, FrameType, NodeId, TreePath,
};
pub use crate::base::{BasisKind, NodeKind};
use crate::secret::{Allowed, Scanner, redact_name};

/// Whose frames of which type: a node has one head for each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Who says it.
    pub agent: AgentId,
    /// As what.
    pub frame_type: FrameType,
}

impl Slot {
    /// The slot of an agent and a type.
    #[must_use]
    pub fn new(agent: &AgentId, frame_type: &FrameType) -> Self {
        Self {
            agent: agent.clone(),
            frame_type: frame_type.clone(),
        }
    }
}

/// What a frame was made from, and in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Basis {
    /// How it was made.
    pub kind: BasisKind,
    /// Everything that it was made from, as one digest.
    pub id: BasisId,
}

/// One immutable statement by one agent about one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it says and from what: see [`frame_id`].
    pub id: FrameId,
    /// The git object that it is about.
    pub node: NodeId,
    /// Whether that object is a file or a directory.
    pub kind: NodeKind,
    /// Who says it.
    pub agent: AgentId,
    /// What kind of statement it is.
    pub frame_type: FrameType,
    /// Generation number: 1 + the largest present for this node, agent and type when it was stored.
    pub seq: u32,
    /// The digest of all inputs.
    pub basis: BasisId,
    /// How it came to be.
    pub basis_kind: BasisKind,
    /// Where the node stood when this was made: a hint for people, no identity. Absent when not UTF-8.
    pub path: Option<TreePath>,
    /// The child frames that a directory's frame was made from, in tree order.
    pub children: Children,
    /// The provider that answered, as it names itself.
    pub provider: Option<String>,
    /// The model that answered, as the provider returned it.
    pub model: Option<String>,
    /// Tokens, as the provider counted them.
    pub usage: Option<Usage>,
    /// What it cost; absent when unknown.
    pub cost: Option<Cost>,
    /// When it was made (RFC 3339, UTC); absent where the same inputs always give the same bytes.
    pub created: Option<String>,
    /// The program and version that wrote it.
    pub tool: String,
    /// Header lines of newer writers, kept as they are.
    pub unknown: Vec<(String, String)>,
    /// The statement, Markdown.
    pub content: String,
}

/// The header's key under which a synthesis remembers how it was made.
pub const POLICY_KEY: &str = "policy";

/// The program and version that new frames name.
pub const TOOL: &str = concat!("git-merkle ", env!("CARGO_PKG_VERSION"));

impl Frame {
    /// Who says it, and as what.
    #[must_use]
    pub fn slot(&self) -> Slot {
        Slot::new(&self.agent, &self.frame_type)
    }

    /// True for a frame that any clone makes again from the objects, without a model and without a person.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        matches!(self.basis_kind, BasisKind::Generated | BasisKind::Synthesis)
            && self.provider.is_none()
    }

    /// A frame of this program's making, of which nothing is known but what it says about what.
    #[must_use]
    pub fn new(node: NodeId, kind: NodeKind, slot: Slot, basis: Basis, content: String) -> Self {
        let Slot { agent, frame_type } = slot;
        Self {
            id: frame_id(&basis.id, &agent, &frame_type, &content),
            node,
            kind,
            agent,
            frame_type,
            seq: 1,
            basis: basis.id,
            basis_kind: basis.kind,
            path: None,
            children: Children::None,
            provider: None,
            model: None,
            usage: None,
            cost: None,
            created: None,
            tool: TOOL.to_owned(),
            unknown: Vec::new(),
            content,
        }
    }

    /// How this synthesis was made, as its header has it; `None` for every other frame.
    ///
    /// Such a frame is shown only to a reader who names its type: a synthesis changes no other view.
    #[must_use]
    pub fn policy(&self) -> Option<&str> {
        let is_synthesis =
            self.basis_kind == BasisKind::Synthesis && self.kind == NodeKind::Directory;
        let found = self
            .unknown
            .iter()
            .filter(|_| is_synthesis)
            .find(|(key, _)| key == POLICY_KEY);
        found.map(|(_, value)| value.as_str())
    }

    /// The same frame with the path at which its node was met; paths that are not UTF-8 have no place in a header.
    ///
    /// Markers stand in the places of what the built-in rules find, whatever is allowed on this machine: frames travel.
    #[must_use]
    pub fn at(self, path: Option<TreePath>) -> Self {
        let path = path.filter(|path| std::str::from_utf8(path.as_bytes()).is_ok());
        let shown = path.map(|path| {
            TreePath::new(redact_name(
                path.as_bytes(),
                Scanner::built_in(),
                &Allowed::default(),
            ))
        });
        Self {
            path: shown,
            ..self
        }
    }
}

/// The header key of who wrote a frame by hand.
const AUTHOR: &str = "author";

/// Who made a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeBy {
    /// A person, or a program on behalf of one.
    Person,
    /// A model, asked through a provider.
    Model,
    /// This program, by a fixed rule.
    Program,
}

impl MadeBy {
    /// The word for people and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Model => "model",
            Self::Program => "program",
        }
    }
}

impl Frame {
    /// The same frame with the name and mail address of the person who wrote it.
    #[must_use]
    pub fn by(mut self, name: &str, mail: &str) -> Self {
        let author = serde_json::Value::from(format!("{name} <{mail}>")).to_string();
        self.unknown.push((AUTHOR.to_owned(), author));
        self
    }

    /// Who wrote it by hand, as the writer's own git calls the person; it is not verified.
    #[must_use]
    pub fn author(&self) -> Option<String> {
        let (_, value) = self.unknown.iter().find(|(key, _)| key == AUTHOR)?;
        serde_json::from_str(value).ok()
    }

    /// Who made it, as its header says.
    #[must_use]
    pub fn made_by(&self) -> MadeBy {
        match self.basis_kind {
            BasisKind::Written | BasisKind::Invalidation => MadeBy::Person,
            _ if self.provider.is_some() || self.model.is_some() => MadeBy::Model,
            BasisKind::Generated | BasisKind::Synthesis => MadeBy::Program,
        }
    }

    /// Where it was made, if it is shown at another path: files with one content share what models say of it, and a note goes
    /// where the content of a path goes that is gone.
    #[must_use]
    pub fn made_elsewhere(&self, shown_at: &[u8]) -> Option<&TreePath> {
        self.path
            .as_ref()
            .filter(|made_at| made_at.as_bytes() != shown_at)
    }

    /// Who made it, in words and in one line, whatever its header holds: `agent docs, model gpt-x of openai`.
    #[must_use]
    pub fn speaker(&self) -> String {
        let how = match (self.made_by(), self.author(), &self.model, &self.provider) {
            (MadeBy::Person, Some(author), ..) => format!("written by {author}"),
            (MadeBy::Person, None, ..) => "written by hand".to_owned(),
            (MadeBy::Program, ..) => "made by a fixed rule".to_owned(),
            (MadeBy::Model, _, Some(model), Some(provider)) => {
                format!("model {model} of {provider}")
            }
            (MadeBy::Model, _, Some(model), None) => format!("model {model}"),
            (MadeBy::Model, _, None, provider) => {
                format!("provider {}", provider.as_deref().unwrap_or_default())
            }
        };
        format!("agent {}, {}", self.agent, one_line(&how))
    }

    /// The same with what its signatures say, in words, where anything is known of these.
    #[must_use]
    pub fn attested_speaker(&self, signature: Option<&str>) -> String {
        let speaker = self.speaker();
        match signature {
            Some(words) => format!("{speaker}, {words}"),
            None => speaker,
        }
    }
}

/// The current frame of a slot of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The newest frame that says something.
    pub frame: Frame,
    /// True when an invalidation is newer than it.
    pub invalidated: bool,
    /// The largest generation number in the slot.
    pub seq_max: u32,
}

/// The most child frame ids that a header lists; above, their digest stands for them (a header is bounded).
pub const CHILDREN_LISTED_MAX: usize = 512;

/// The child frames of a directory's frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Children {
    /// Not a directory, or none of its children has a frame.
    #[default]
    None,
    /// Each, in tree order.
    Listed(Vec<FrameId>),
    /// More than [`CHILDREN_LISTED_MAX`]: how many, and the digest of all their ids in order.
    Digest(u64, Digest),
}

impl Children {
    /// Records child frames, listed or by digest.
    #[must_use]
    pub fn of(frames: Vec<FrameId>) -> Self {
        if frames.is_empty() {
            return Self::None;
        }
        if frames.len() <= CHILDREN_LISTED_MAX {
            return Self::Listed(frames);
        }
        let mut hasher = FieldHasher::new("git-merkle 2026 children/1");
        for frame in &frames {
            hasher.add(&frame.0.0);
        }
        Self::Digest(frames.len() as u64, hasher.finish())
    }
}

/// Tokens of one answer, as the provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
pub struct Usage {
    /// Read, cached ones included.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Of the input: served from the provider's cache.
    pub cache_read: u64,
    /// Of the input: written to the provider's cache.
    pub cache_write: u64,
}

/// The id of what is said: basis, agent, type and content. Where, when and by which model take no part.
#[must_use]
pub fn frame_id(
    basis: &BasisId,
    agent: &AgentId,
    frame_type: &FrameType,
    content: &str,
) -> FrameId {
    FrameId(
        FieldHasher::new("git-merkle 2026 frame/1")
            .field(&basis.0.0)
            .field(agent.as_str().as_bytes())
            .field(frame_type.as_str().as_bytes())
            .field(content.as_bytes())
            .finish(),
    )
}

/// The digest of a frame's content, by which a directory's basis knows its children.
#[must_use]
pub fn content_digest(content: &str) -> Digest {
    Digest::of("git-merkle 2026 content/1", content.as_bytes())
}

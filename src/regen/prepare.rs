//! From a node to a request: its content as git has it, without secrets, in the words of the agent, as the model takes it.

use std::borrow::Cow;

use super::body::{FrameBody, NodeError};
use super::plan::{Inputs, file_name};
use super::repeat::{copies, repeats};
use crate::agent::{Exclusion, Instructions};
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::number::to_index;
use crate::base::{BasisId, NodeId, TreePath, token};
use crate::chat::{Capabilities, GenerationParams, Request};
use crate::frame::Children;
use crate::git::{ObjectError, ObjectKind, Repository};
use crate::node::{NodeNumber, Scan};
use crate::profile::{
    Adjustment, OutputKey, Wants, Wish, fit, input_tokens_max, lasting_changes, output_key,
    said_in_words, with_output,
};
use crate::prompt::{ChildText, Content, NodePayload, PayloadError, node_payload, to_request};
use crate::provider::call::Learned;
use crate::secret::{
    Allowed, MARKER_START, Scanner, SecretFound, find_in_names, guard, guard_name, redact,
    redact_name,
};
use crate::symbol;
use crate::synthesis::{PartKind, outline};

/// How requests about nodes are made: the agent, the parameters, and what must not leave.
#[derive(Clone)]
pub struct Writer<'w> {
    /// The words.
    pub instructions: &'w Instructions,
    /// What the provider can do.
    pub capabilities: Capabilities,
    /// The profile with the parameters of the requests.
    pub profile: String,
    /// How a file's frame is generated.
    pub file_wish: Wish,
    /// How a directory's frame is generated.
    pub directory_wish: Wish,
    /// Finds secrets.
    pub scanner: &'w Scanner,
    /// Findings that may leave.
    pub allowed: Allowed,
}

/// The nodes of a scan, what is wanted of them, and where their content is.
#[derive(Clone, Copy)]
pub struct Nodes<'n> {
    /// Where objects are read.
    pub repo: &'n Repository,
    /// What was scanned.
    pub scan: &'n Scan,
    /// Whose frames are made, and from where.
    pub inputs: &'n Inputs<'n>,
}

/// What a task leads to.
pub(super) enum Prepared {
    /// Something to ask.
    Ask(Box<Question>),
    /// The file's content is not in this partial clone.
    Absent,
}

/// A request about a node, and what its frame will be made from.
pub(super) struct Question {
    pub(super) basis: BasisId,
    pub(super) children: Children,
    pub(super) request: Request,
    /// Header lines for the frame: what was cut or taken out.
    pub(super) notes: Vec<(String, String)>,
    /// Passages that were taken out.
    pub(super) redacted: u64,
    /// Which setting limits the answer.
    pub(super) output_key: OutputKey,
    /// The task, to tell an answer that only repeats it.
    pub(super) task: String,
    /// What was known of the model's limits when it was laid out.
    pub(super) fitted_to: Known,
    /// How often it was laid out anew since the model had said that it is too long.
    pub(super) refits: u32,
}

/// What is known of a model's limits; its answers may correct it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    window: Option<u64>,
    output: Option<u64>,
    tokens_percent: u64,
}

/// What is sent about one node, and what there is to say about it.
pub struct Composed {
    /// The words, in no provider's form.
    pub payload: NodePayload,
    /// The request to this provider.
    pub request: Request,
    /// What of the wished parameters and parts the provider does not take as they are.
    pub changes: Vec<String>,
    /// Passages that were taken out because they look like secrets.
    pub redacted: u64,
    /// Which setting limits the answer.
    pub output_key: OutputKey,
}

/// What a node's children say, by number.
pub type SaidOf<'s> = &'s mut dyn FnMut(NodeNumber) -> Result<Option<FrameBody>, NodeError>;

/// A file's content.
pub(super) enum File {
    Absent,
    TooLarge(u64),
    Data(Vec<u8>),
}

/// What is sent of a node, and how many passages were taken out of it.
struct Words {
    payload: NodePayload,
    redacted: u64,
}

/// What a frame is made from.
pub(super) struct MadeFrom {
    pub basis: BasisId,
    pub children: Children,
}

impl Writer<'_> {
    /// The request of a task, with what its frame will record of the request.
    pub(super) fn prepare(
        &self,
        nodes: Nodes<'_>,
        node: NodeNumber,
        made_from: MadeFrom,
        said: SaidOf<'_>,
    ) -> Result<Prepared, NodeError> {
        let Some(composed) = self.compose(nodes, node, said)? else {
            return Ok(Prepared::Absent);
        };
        let Composed {
            payload,
            request,
            changes,
            redacted,
            output_key,
        } = composed;
        let mut notes = Vec::new();
        let text = |text: &str| serde_json::Value::from(text).to_string();
        if let Some(cut) = &payload.cut {
            notes.push(("cut".to_owned(), text(cut)));
        }
        if !changes.is_empty() {
            notes.push(("fitted".to_owned(), text(&changes.join("; "))));
        }
        if redacted > 0 {
            notes.push(("redacted".to_owned(), redacted.to_string()));
        }
        Ok(Prepared::Ask(Box::new(Question {
            basis: made_from.basis,
            children: made_from.children,
            request,
            notes,
            redacted,
            output_key,
            task: payload.task,
            fitted_to: self.known(),
            refits: 0,
        })))
    }

    /// The request about a node, as it would be sent; `None` for a file whose content is not in this partial clone.
    pub fn compose(
        &self,
        nodes: Nodes<'_>,
        node: NodeNumber,
        said: SaidOf<'_>,
    ) -> Result<Option<Composed>, NodeError> {
        let is_directory = nodes.scan.node(node).is_directory;
        let wish = if is_directory {
            &self.directory_wish
        } else {
            &self.file_wish
        };
        let (wished, share) = with_output(wish, &self.capabilities);
        let limit = input_tokens_max(&wished, &self.capabilities);
        let words = if is_directory {
            self.directory(nodes, node, said, limit).map(Some)
        } else {
            self.file(nodes, node, limit)
        };
        let words = words.map_err(|error| self.with_window(error, &wished))?;
        let Some(Words { payload, redacted }) = words else {
            return Ok(None);
        };
        let schema = self.instructions.output_schema.as_ref();
        let draft = to_request(&payload.bundle, &self.capabilities, wished.clone(), schema);
        let fitted = fit(&wished, &self.capabilities, draft.tokens_estimated())?;
        let wants = Wants {
            system: !self.instructions.system.is_empty(),
            schema: schema.is_some(),
            turns: false,
        };
        let in_words = said_in_words(wants, &self.capabilities);
        let fits: Vec<Adjustment> = share.into_iter().chain(fitted.changes).collect();
        let changes = fits
            .iter()
            .chain(&in_words)
            .map(ToString::to_string)
            .collect();
        let request = Request {
            params: fitted.params,
            ..draft
        };
        Ok(Some(Composed {
            request,
            payload,
            changes,
            redacted,
            output_key: output_key(&fits),
        }))
    }

    /// What of the wished parameters the provider does not take, whatever the node: once each.
    #[must_use]
    pub fn lasting_changes(&self) -> Vec<String> {
        let wishes = [&self.file_wish, &self.directory_wish];
        let changes = wishes
            .into_iter()
            .flat_map(|wish| lasting_changes(&wish.params, &self.capabilities));
        let mut told: Vec<String> = Vec::new();
        for change in changes.map(|change| change.to_string()) {
            if !told.contains(&change) {
                told.push(change);
            }
        }
        told
    }

    /// What is known of the model's limits.
    pub(super) fn known(&self) -> Known {
        let Capabilities {
            context_tokens: window,
            output_tokens: output,
            tokens_percent,
            ..
        } = self.capabilities;
        Known {
            window,
            output,
            tokens_percent,
        }
    }

    /// Takes what a refusal has told of the model's limits.
    pub(super) fn learn(&mut self, learned: &Learned) {
        let least =
            |known: Option<u64>, told: Option<u64>| [known, told].into_iter().flatten().min();
        let capabilities = &mut self.capabilities;
        capabilities.context_tokens = least(capabilities.context_tokens, learned.window);
        capabilities.output_tokens = least(capabilities.output_tokens, learned.output);
        capabilities.tokens_percent = capabilities
            .tokens_percent
            .max(learned.tokens_percent.unwrap_or(0));
    }

    /// Says of a question that has no room what takes it.
    fn with_window(&self, error: NodeError, wished: &GenerationParams) -> NodeError {
        match (error, self.capabilities.context_tokens) {
            (NodeError::Payload(PayloadError::NoRoom { needed, .. }), Some(window)) => {
                NodeError::NoRoom {
                    needed,
                    window,
                    output: wished.max_output_tokens.unwrap_or_default(),
                }
            }
            (error, _) => error,
        }
    }

    /// The words for how an answer's length is limited: which key to raise.
    pub(super) fn output_key_name(&self, key: OutputKey, provider: &str) -> String {
        match key {
            OutputKey::Profile => format!(
                "'max_output_tokens' of phase 'generating' in profile '{}', or in its 'scope_overrides'",
                self.profile
            ),
            OutputKey::Provider => format!("'merkle.provider.{provider}.outputTokens'"),
            OutputKey::Window => {
                format!(
                    "'merkle.provider.{provider}.contextTokens', or 'max_output_tokens' in a profile of your own"
                )
            }
        }
    }

    fn file(
        &self,
        nodes: Nodes<'_>,
        number: NodeNumber,
        limit: Option<u64>,
    ) -> Result<Option<Words>, NodeError> {
        let Nodes { repo, scan, inputs } = nodes;
        let path = scan.path(inputs.root, number);
        let (shown, in_path) = self.shown(path.as_bytes());
        let shown = TreePath::new(&*shown);
        let described = |size_bytes: u64, text: &str, redacted: u64| {
            let payload = node_payload(
                self.instructions,
                &shown,
                &Content::Described { size_bytes, text },
                limit,
            )?;
            Ok(Some(Words {
                payload,
                redacted: redacted + in_path,
            }))
        };
        let data = match read(repo, scan, number)? {
            File::Absent => return Ok(None),
            File::TooLarge(size_bytes) => {
                return described(size_bytes, outline::too_large(size_bytes).trim_end(), 0);
            }
            File::Data(data) => data,
        };
        let named = self.scanner.find_name(path.as_bytes());
        if let Some(finding) = named.filter(|finding| !self.allowed.allows(finding)) {
            return described(
                data.len() as u64,
                &format!("{MARKER_START}{}]", finding.rule),
                1,
            );
        }
        if let Some(text) = symbol::lfs_pointer(&data) {
            return described(data.len() as u64, &text, 0);
        }
        let (data, redacted) = self.redacted(&data);
        let name = file_name(scan, inputs.root, number);
        let outline = || symbol::render(&outline::outline(name, &data));
        let payload = node_payload(
            self.instructions,
            &shown,
            &Content::File {
                data: &data,
                outline: &outline,
            },
            limit,
        )?;
        Ok(Some(Words {
            payload,
            redacted: redacted + in_path,
        }))
    }

    fn directory(
        &self,
        Nodes { repo, scan, inputs }: Nodes<'_>,
        number: NodeNumber,
        said: SaidOf<'_>,
        limit: Option<u64>,
    ) -> Result<Words, NodeError> {
        let path = scan.path(inputs.root, number);
        let (path, mut redacted) = self.shown(path.as_bytes());
        let (mut names, mut bodies) = (Vec::new(), Vec::new());
        let folder = scan.path(inputs.root, number);
        for entry in scan.entries(number) {
            let body = entry.node.map_or(Ok(None), &mut *said)?;
            let text = body.map(|body| {
                let clean = redact(&body, self.scanner, &self.allowed);
                redacted += clean.count as u64;
                clean.text.into_owned()
            });
            let (name, in_name) = self.shown(entry.name);
            redacted += in_name;
            names.push(name);
            let kind = PartKind::of(entry.mode);
            let exclusion = (kind == PartKind::File && text.is_none())
                .then(|| {
                    self.instructions
                        .include
                        .exclusion(&folder.join(entry.name))
                })
                .flatten();
            let left_out = exclusion.map(|exclusion| described(repo, &entry.id, exclusion));
            bodies.push((kind.as_str(), text, left_out));
        }
        let parts = names.iter().zip(&bodies);
        let children: Vec<ChildText<'_>> = parts
            .map(|(name, (kind, said, left_out))| ChildText {
                name,
                kind,
                text: said.as_deref(),
                left_out: left_out.as_deref(),
            })
            .collect();
        let payload = node_payload(
            self.instructions,
            &TreePath::new(&*path),
            &Content::Directory {
                children: &children,
            },
            limit,
        )?;
        Ok(Words { payload, redacted })
    }

    /// A path or a name as it is sent and stored, and 1 when something was taken out of it.
    pub(super) fn shown<'n>(&self, name: &'n [u8]) -> (Cow<'n, [u8]>, u64) {
        let shown = redact_name(name, self.scanner, &self.allowed);
        let taken_out = u64::from(matches!(shown, Cow::Owned(_)));
        (shown, taken_out)
    }

    /// A file's bytes with markers in the place of secrets; what is no text is not sent anyway.
    fn redacted<'d>(&self, data: &'d [u8]) -> (Cow<'d, [u8]>, u64) {
        let Ok(text) = std::str::from_utf8(data) else {
            return (Cow::Borrowed(data), 0);
        };
        let clean = redact(text, self.scanner, &self.allowed);
        let data = match clean.text {
            Cow::Borrowed(_) => Cow::Borrowed(data),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        (data, clean.count as u64)
    }

    /// Stops at what looks like a secret in a file, naming file, line and rule.
    pub(super) fn guard_file(&self, path: &TreePath, data: &[u8]) -> Result<(), SecretFound> {
        let name = path.to_text();
        let named = self.scanner.find_name(path.as_bytes());
        let named = SecretFound::first(named, &self.allowed, || name.clone().into_owned());
        if let Some(found) = named {
            return Err(found);
        }
        if std::str::from_utf8(data).is_err() {
            return Ok(());
        }
        guard(data, &name, self.scanner, &self.allowed)
    }

    /// Stops at what looks like a secret in the path of a node, or in the name of an entry of a directory.
    pub(super) fn guard_names(
        &self,
        scan: &Scan,
        number: NodeNumber,
        path: &TreePath,
    ) -> Result<(), SecretFound> {
        let node = scan.node(number);
        guard_name(path.as_bytes(), &node.id, self.scanner, &self.allowed)?;
        if !node.is_directory {
            return Ok(());
        }
        let names = || scan.entries(number).map(|entry| entry.name);
        let Some(at) = find_in_names(names, self.scanner, &self.allowed) else {
            return Ok(());
        };
        let entry = scan
            .entries(number)
            .nth(at)
            .expect("it was just found there");
        guard_name(
            path.join(entry.name).as_bytes(),
            &entry.id,
            self.scanner,
            &self.allowed,
        )
    }

    /// About how many tokens the agent's own words have.
    pub(super) fn words_tokens(&self) -> u64 {
        let Instructions {
            system,
            directory,
            response_template,
            ..
        } = self.instructions;
        let parts = [
            system.as_str(),
            directory.text(),
            response_template.as_deref().unwrap_or_default(),
        ];
        parts.into_iter().map(token::estimate).sum()
    }

    /// Stops at what looks like a secret in the agent's own words.
    pub fn guard_words(&self) -> Result<(), SecretFound> {
        let Instructions {
            system,
            file,
            directory,
            response_template,
            ..
        } = self.instructions;
        let parts = [
            ("system prompt", system.as_str()),
            ("prompt for files", file.text()),
            ("prompt for directories", directory.text()),
            (
                "response template",
                response_template.as_deref().unwrap_or_default(),
            ),
        ];
        parts
            .into_iter()
            .try_for_each(|(name, text)| guard(text.as_bytes(), name, self.scanner, &self.allowed))
    }

    /// What an answer becomes as a frame's body, or why it cannot.
    pub(super) fn accept(&self, question: &Question, answer: &str) -> Result<String, String> {
        let text = answer.trim();
        if text.is_empty() {
            return Err("the answer is empty".to_owned());
        }
        if question.request.schema.is_some() {
            serde_json::from_str::<serde::de::IgnoredAny>(text)
                .map_err(|err| format!("the answer is no JSON: {err}"))?;
        }
        let instructions = self.instructions;
        let template = instructions
            .response_template
            .as_deref()
            .unwrap_or_default();
        let prompt = [
            &*instructions.system,
            &question.task,
            instructions.file.text(),
            instructions.directory.text(),
            template,
        ];
        let messages = question.request.messages.iter();
        let request: Vec<&str> = messages.map(|message| message.text.as_str()).collect();
        if repeats(text, &prompt) || copies(text, &request, &prompt) {
            return Err("the answer only repeats the prompt".to_owned());
        }
        Ok(self.clean(text))
    }

    /// A text as it may be kept: without what looks like a secret.
    pub(super) fn clean(&self, text: &str) -> String {
        redact(text, self.scanner, &self.allowed).text.into_owned() + "\n"
    }
}

/// Reads a file's blob as the object database has it; one over the cap is known by its header alone.
pub(super) fn read(repo: &Repository, scan: &Scan, number: NodeNumber) -> Result<File, NodeError> {
    let id = scan.node(number).id;
    let Some(header) = repo.header(&id)? else {
        return if repo.is_partial() {
            Ok(File::Absent)
        } else {
            Err(ObjectError::Missing(id).into())
        };
    };
    if header.size_bytes > FILE_BYTES_MAX {
        return Ok(File::TooLarge(header.size_bytes));
    }
    let mut data = Vec::with_capacity(to_index(header.size_bytes));
    repo.read(&id, ObjectKind::Blob, &mut data)?;
    Ok(File::Data(data))
}

/// What a file is whose content is not sent: its kind and its size.
fn described(repo: &Repository, id: &NodeId, exclusion: Exclusion) -> String {
    let what = exclusion.one();
    match repo.header(id) {
        Ok(Some(header)) => format!("a {what} of {} bytes", header.size_bytes),
        Ok(None) | Err(_) => format!("a {what}"),
    }
}

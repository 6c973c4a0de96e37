//! The block of one resource: a rule, its header, and its body in a fence, or the reason why there is none.

use super::budget::{Form, Level};
use super::markdown::{code, plain, push_fenced};
use super::outlined::Outlined;
use super::pages::Shown;
use super::resource::{Body, Note, Resource};
use super::secrets::Guard;
use super::style::Markup;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::printable::chain;
use crate::base::{AgentId, FrameType, NodeId, token};
use crate::frame::manifest::{AttestedStatements, speaker};
use crate::frame::{MadeBy, Store, StoreError};
use crate::git::{ObjectError, ObjectKind, Repository};
use crate::secret::{SecretFound, redact};
use crate::symbol::{self, Language};

/// The first line of a Git LFS pointer.
const LFS_VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// What stands in the place of a file that this clone does not hold.
pub const ABSENT: &str = "its content is missing in this clone";
/// The longest target of a symbolic link that is shown; no system takes a longer one.
const LINK_BYTES_MAX: u64 = 4_096;
/// The longest extension that becomes the language of a fence.
const EXTENSION_BYTES_MAX: usize = 16;

/// Reads bodies, on one thread.
pub struct Reader<'r> {
    repo: &'r Repository,
    store: Store<'r>,
    data: Vec<u8>,
    /// What the next block is to be shown without.
    redaction: Option<&'r Guard<'r>>,
    /// Whose statement the frame is that was read last.
    speaker: Option<String>,
    outlined: &'r Outlined,
    attested: &'r AttestedStatements,
    style: Markup,
}

/// What stands in the place of a state that was not looked up; as long as any.
const STATE_UNKNOWN: &str = "not checked";
/// Who made an outline that was made for this document: the words that its frame would have.
const MADE_HERE: &str = "agent outline, made by a fixed rule";

/// A body as it goes into a fence.
enum Text<'d> {
    /// A language and the bytes.
    Shown(String, &'d [u8]),
    /// A reason, as Markdown on one line.
    Withheld(String),
}

impl<'r> Reader<'r> {
    /// Reads through a handle, frames as of a commit of the store.
    pub fn new(
        repo: &'r Repository,
        store_commit: Option<NodeId>,
        outlined: &'r Outlined,
        attested: &'r AttestedStatements,
        style: Markup,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            repo,
            store: Store::at(repo, store_commit)?,
            data: Vec::new(),
            redaction: None,
            speaker: None,
            outlined,
            attested,
            style,
        })
    }

    /// The same, with markers in the places of what looks like secrets, wherever in the block it stands.
    pub fn push_redacted(
        &mut self,
        out: &mut Vec<u8>,
        resource: &Resource,
        form: Form,
        guard: &'r Guard<'r>,
    ) {
        self.redaction = Some(guard);
        let mut block = Vec::new();
        self.push_block(&mut block, resource, form);
        self.redaction = None;
        let text = String::from_utf8_lossy(&block);
        out.extend_from_slice(redact(&text, guard.scanner, &guard.allowed).text.as_bytes());
    }

    /// What looks like a secret in a block; and the object in which there is nothing of the kind.
    pub fn find_secret(
        &mut self,
        resource: &Resource,
        form: Form,
        guard: &Guard<'_>,
    ) -> (Option<SecretFound>, Option<NodeId>) {
        let mut notes = Vec::new();
        push_notes(&mut notes, &resource.notes);
        if let Some(found) = guard.find(&resource.name, &notes).0 {
            return (Some(found), None);
        }
        match &resource.body {
            Body::File(id) if form.level == Level::Full || form.beginning.is_some() => {
                if let Some(found) = guard.find_name(&resource.name) {
                    return (Some(found), None);
                }
                if guard.clean.contains(id) {
                    return (None, None);
                }
                let mut data = std::mem::take(&mut self.data);
                let is_text = self.read_text(id, &mut data).is_ok();
                let (found, is_clean) = if is_text {
                    guard.find(&resource.name, &data)
                } else {
                    (None, true)
                };
                self.data = data;
                (found, is_clean.then_some(*id))
            }
            _ => {
                let mut block = Vec::new();
                self.push_block(&mut block, resource, form);
                (guard.find(&resource.name, &block).0, None)
            }
        }
    }

    /// Appends the block of a resource; nothing at [`Level::Name`], unless people say something about it or its beginning is
    /// shown. False when the level does not exist.
    pub fn push_block(&mut self, out: &mut Vec<u8>, resource: &Resource, form: Form) -> bool {
        if form.level == Level::Name && form.beginning.is_none() && resource.notes.is_empty() {
            return true;
        }
        let start = out.len();
        let opening = match &resource.body {
            Body::Part(part) => self.style.part_opening(&part.title),
            _ => self
                .style
                .resource_opening(&resource.name, &resource.target()),
        };
        out.extend_from_slice(opening.as_bytes());
        if form.level != Level::Name && !self.push_text(out, resource, form.level) {
            out.truncate(start);
            return false;
        }
        if let Some(tokens) = form.beginning {
            self.push_beginning(out, resource, tokens);
        }
        push_notes(out, &resource.notes);
        out.extend_from_slice(self.style.resource_closing().as_bytes());
        true
    }

    /// Appends the first lines of a text, as many as fit into this many tokens; of a line that does not fit, its beginning.
    fn push_beginning(&mut self, out: &mut Vec<u8>, resource: &Resource, tokens: u64) {
        let mut data = std::mem::take(&mut self.data);
        if let Text::Shown(language, bytes) = self.full(resource, &mut data) {
            let text = String::from_utf8_lossy(bytes);
            let shown = beginning(&text, tokens);
            let (lines, all) = (shown.lines().count(), text.lines().count());
            out.extend_from_slice(format!("Its beginning, {lines} of {all} lines.\n").as_bytes());
            push_fenced(out, &language, shown.as_bytes());
        }
        self.data = data;
    }

    /// Appends a body at a level, or why there is none; false when the level does not exist.
    fn push_text(&mut self, out: &mut Vec<u8>, resource: &Resource, level: Level) -> bool {
        if level == Level::Outline {
            self.push_statement(out, resource);
        }
        let mut data = std::mem::take(&mut self.data);
        self.speaker = None;
        let text = match level {
            Level::Outline => self.outline(resource, &mut data),
            Level::Frame => self.any_frame(resource, &mut data),
            Level::Full | Level::Name => Some(self.full(resource, &mut data)),
        };
        let text = match (text, self.redaction) {
            (Some(Text::Shown(..)), Some(guard)) if guard.find_name(&resource.name).is_some() => {
                Some(Text::Withheld(
                    "it looks like a file of secrets by its name".to_owned(),
                ))
            }
            (text, _) => text,
        };
        match &text {
            Some(Text::Shown(language, bytes)) => {
                if level != Level::Full {
                    out.extend_from_slice(format!("Reduced to its {level}.\n").as_bytes());
                }
                if let Some(speaker) = &self.speaker {
                    let speaker = super::markdown::text(speaker.as_bytes());
                    let made_here = matches!(resource.body, Body::Outline(_)).then_some("fresh");
                    let state = made_here.or(resource.state).unwrap_or(STATE_UNKNOWN);
                    out.extend_from_slice(
                        format!(
                            "**Statement** by {speaker}; {state}. It is not the file itself.\n"
                        )
                        .as_bytes(),
                    );
                }
                if let Body::Page(Shown {
                    note: Some(note), ..
                }) = &resource.body
                {
                    out.extend_from_slice(
                        format!("{}\n", super::markdown::text(note.as_bytes())).as_bytes(),
                    );
                }
                push_fenced(out, language, bytes);
            }
            Some(Text::Withheld(reason)) => {
                out.extend_from_slice(format!("Not included: {reason}.\n").as_bytes());
            }
            None => {}
        }
        let exists = text.is_some();
        self.data = data;
        exists
    }

    /// Appends what is said about a file besides what its outline says.
    fn push_statement(&mut self, out: &mut Vec<u8>, resource: &Resource) {
        let Body::File(id) = &resource.body else {
            return;
        };
        let heads = self.store.heads(id).unwrap_or_default();
        let said = heads
            .iter()
            .filter(|head| !head.invalidated && head.frame.policy().is_none());
        let model = said
            .filter(|head| head.frame.made_by() == MadeBy::Model)
            .min_by_key(|head| super::resource::weight(head));
        if let Some(head) = model {
            let speaker = super::markdown::text(speaker(&head.frame, self.attested).as_bytes());
            let state = resource.state.unwrap_or(STATE_UNKNOWN);
            out.extend_from_slice(format!("**Statement** by {speaker}; {state}.\n").as_bytes());
            push_fenced(out, "markdown", head.frame.content.as_bytes());
        }
    }

    /// A resource's body without its block, or why it is not shown, as Markdown on one line.
    pub fn body(&mut self, resource: &Resource, form: Form) -> Result<String, String> {
        let level = form.level;
        let mut data = std::mem::take(&mut self.data);
        let text = match level {
            Level::Full => Some(self.full(resource, &mut data)),
            Level::Outline => self.outline(resource, &mut data),
            Level::Frame => self.any_frame(resource, &mut data),
            Level::Name => None,
        };
        let body = match text {
            Some(Text::Shown(_, bytes)) => Ok(String::from_utf8_lossy(bytes).into_owned()),
            Some(Text::Withheld(reason)) => Err(reason),
            None if form.beginning.is_some() => {
                match (self.full(resource, &mut data), form.beginning) {
                    (Text::Shown(_, bytes), Some(tokens)) => {
                        Ok(beginning(&String::from_utf8_lossy(bytes), tokens).to_owned())
                    }
                    _ => Err(format!("reduced to its {level}")),
                }
            }
            None => Err(format!("reduced to its {level}")),
        };
        self.data = data;
        body
    }

    /// Why a resource cannot be shown: it is refused, or this clone does not hold the file.
    #[must_use]
    pub fn missing(&self, resource: &Resource) -> Option<String> {
        match &resource.body {
            Body::Refused(reason) => Some(reason.clone()),
            Body::File(id) => matches!(self.repo.header(id), Ok(None)).then(|| ABSENT.to_owned()),
            _ => None,
        }
    }

    /// The size of a file; `None` when it is not there.
    #[must_use]
    pub fn file_bytes(&self, id: &NodeId) -> Option<u64> {
        Some(self.repo.header(id).ok()??.size_bytes)
    }

    fn full<'d>(&mut self, resource: &Resource, data: &'d mut Vec<u8>) -> Text<'d> {
        match &resource.body {
            Body::Page(shown) => {
                data.clear();
                data.extend_from_slice(shown.text.as_bytes());
                Text::Shown(shown.language.clone(), data)
            }
            Body::Outline(text) => {
                self.speaker = Some(MADE_HERE.to_owned());
                data.clear();
                data.extend_from_slice(text.as_bytes());
                Text::Shown("markdown".to_owned(), data)
            }
            Body::Part(part) => {
                data.clear();
                data.extend_from_slice(part.text.as_bytes());
                Text::Shown(part.language.to_owned(), data)
            }
            Body::Refused(reason) => Text::Withheld(super::markdown::text(reason.as_bytes())),
            Body::Submodule(id) => {
                Text::Withheld(format!("a submodule at commit {id}, which is not entered"))
            }
            Body::Symlink(id) => {
                match self
                    .repo
                    .read_at_most(id, ObjectKind::Blob, LINK_BYTES_MAX, data)
                {
                    Ok(()) => Text::Withheld(format!(
                        "a symbolic link to {}, which is not followed",
                        code(&plain(data))
                    )),
                    Err(error) => Text::Withheld(unreadable(&error)),
                }
            }
            Body::File(id) => match self.read_text(id, data) {
                Ok(()) => Text::Shown(language_tag(resource.file_name(), data), data),
                Err(reason) => Text::Withheld(reason),
            },
            Body::Frame(node, agent, frame_type) => {
                match self.frame(node, Some((agent, frame_type)), data) {
                    Some(Ok(())) => Text::Shown("markdown".to_owned(), data),
                    Some(Err(error)) => Text::Withheld(format!(
                        "unreadable: {}",
                        super::markdown::text(chain(&error).as_bytes())
                    )),
                    None => Text::Withheld("it has no frame any more".to_owned()),
                }
            }
        }
    }

    /// Reads a file that is text and not too large; else says why not, as Markdown on one line.
    fn read_text(&self, id: &NodeId, data: &mut Vec<u8>) -> Result<(), String> {
        let header = self.repo.header(id).map_err(|error| unreadable(&error))?;
        let size_bytes = header.ok_or_else(|| ABSENT.to_owned())?.size_bytes;
        if size_bytes > FILE_BYTES_MAX {
            return Err(format!(
                "{size_bytes} bytes, over the limit of {FILE_BYTES_MAX}"
            ));
        }
        self.repo
            .read(id, ObjectKind::Blob, data)
            .map_err(|error| unreadable(&error))?;
        if data.contains(&0) {
            return Err(format!("a binary file of {size_bytes} bytes"));
        }
        if std::str::from_utf8(data).is_err() {
            return Err(format!("{size_bytes} bytes that are not UTF-8"));
        }
        if data.starts_with(LFS_VERSION) {
            return Err("a Git LFS pointer, whose content is not in the repository".to_owned());
        }
        Ok(())
    }

    /// The symbol outline of a file whose language has a grammar.
    fn outline<'d>(&self, resource: &Resource, data: &'d mut Vec<u8>) -> Option<Text<'d>> {
        let Body::File(id) = &resource.body else {
            return None;
        };
        let name = resource.file_name();
        let make = || {
            self.read_text(id, data)?;
            let language = symbol::detect(name, data).filter(|language| language.has_grammar());
            let render = |language| symbol::render(&symbol::extract(Some(language), data));
            Ok::<_, String>(language.map(render))
        };
        let outline = self.outlined.text(id, name, make).ok()??;
        data.clear();
        data.extend_from_slice(outline.as_bytes());
        Some(Text::Shown("markdown".to_owned(), data))
    }

    /// The head frame of a file, whatever agent says it; summaries first.
    fn any_frame<'d>(&mut self, resource: &Resource, data: &'d mut Vec<u8>) -> Option<Text<'d>> {
        let Body::File(id) = &resource.body else {
            return None;
        };
        self.frame(id, None, data)?.ok()?;
        Some(Text::Shown("markdown".to_owned(), data))
    }

    fn frame(
        &mut self,
        node: &NodeId,
        slot: Option<(&AgentId, &FrameType)>,
        data: &mut Vec<u8>,
    ) -> Option<Result<(), StoreError>> {
        let found = match slot {
            Some((agent, frame_type)) => self.store.head(node, agent, frame_type),
            None => self
                .store
                .heads(node)
                .map(|heads| heads.into_iter().min_by_key(super::resource::weight)),
        };
        data.clear();
        match found {
            Ok(Some(head)) if !head.invalidated => {
                data.extend_from_slice(head.frame.content.as_bytes());
                self.speaker = Some(speaker(&head.frame, self.attested));
            }
            Ok(_) => return None,
            Err(error) => return Some(Err(error)),
        }
        Some(Ok(()))
    }
}

/// The first lines of a text that fit into this many tokens; of a first line that does not, as much as does.
fn beginning(text: &str, tokens_max: u64) -> &str {
    // No token of the vocabulary has more bytes than these on average, not even of blanks.
    let most = text.floor_char_boundary(
        usize::try_from(tokens_max)
            .unwrap_or(usize::MAX)
            .saturating_mul(32),
    );
    let text = &text[..most.min(text.len())];
    let line_ends: Vec<usize> = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .chain([text.len()])
        .collect();
    let fits = |end: &usize| token::estimate(&text[..*end]) <= tokens_max;
    match line_ends.partition_point(fits) {
        0 => {
            let ends: Vec<usize> = (0..line_ends[0])
                .filter(|at| text.is_char_boundary(*at))
                .collect();
            &text[..ends
                .partition_point(fits)
                .checked_sub(1)
                .map_or(0, |at| ends[at])]
        }
        lines => &text[..line_ends[lines - 1]],
    }
}

fn push_notes(out: &mut Vec<u8>, notes: &[Note]) {
    for Note {
        speaker,
        state,
        text,
        ..
    } in notes
    {
        let speaker = super::markdown::text(speaker.as_bytes());
        out.extend_from_slice(format!("**Note** by {speaker}; {state}.\n").as_bytes());
        push_fenced(out, "markdown", text.as_bytes());
    }
}

fn unreadable(error: &ObjectError) -> String {
    format!(
        "unreadable: {}",
        super::markdown::text(chain(error).as_bytes())
    )
}

/// The language of a fence: what the file is written in, else its extension if that is a plain word.
fn language_tag(name: &[u8], data: &[u8]) -> String {
    if let Some(language) = symbol::detect(name, data) {
        return Language::name(language).to_owned();
    }
    let extension = name
        .rsplit(|byte| *byte == b'.')
        .next()
        .filter(|extension| extension.len() < name.len());
    let is_word = |word: &&[u8]| {
        (1..=EXTENSION_BYTES_MAX).contains(&word.len())
            && word.iter().all(u8::is_ascii_alphanumeric)
    };
    extension
        .filter(is_word)
        .map(|word| String::from_utf8_lossy(word).to_lowercase())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_name_the_language_or_the_extension() {
        for (name, data, expected) in [
            ("lib.rs", "", "rust"),
            ("run", "#!/bin/sh\n", "bash"),
            ("x.Weird", "", "weird"),
            ("x.a`b", "", ""),
            ("x.", "", ""),
            ("plain", "", ""),
            (".hidden", "", "hidden"),
        ] {
            assert_eq!(
                language_tag(name.as_bytes(), data.as_bytes()),
                expected,
                "{name}"
            );
        }
    }
}

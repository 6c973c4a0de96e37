//! The world of a turn: everything that is said in it, as one value, and its renderings.
//!
//! There is one way to a model. [`gather`](super::gather) builds the value from a snapshot, the lists, the session, the
//! profile and the request; whatever leaves is a rendering of it, made here and nowhere else:
//!
//! | rendering | for |
//! |---|---|
//! | [`World::input`] | `input.md`: people, coding CLIs, copy and paste |
//! | [`World::messages`] | a provider with an API; `chat/body.rs` makes the body of it |
//! | [`World::bundle`] | the manual block and the display text: `<phase>-prompt.md`, a person, a program |
//!
//! All of them are pure. An architecture test keeps a second place from making messages for a session.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::conversation::EarlierMessages;
use super::task::Task;
use crate::base::number::to_u32;
use crate::base::path::quote;
use crate::base::{Digest, TreePath, token};
use crate::chat::{Image, Message};
use crate::context::Document;
use crate::ops::Evidence;
use crate::prompt::Bundle;
use crate::prompt::adapter::{joined, section};
use crate::tier::{
    Content, FileList, Item, Key, Layout, Texts, Tier, Touches, array, item_text, structure, tree,
};

/// The context of digests of texts.
const DIGEST: &str = "git-merkle 2026 item/1";

/// Everything that is said in one turn.
pub struct World<'w> {
    /// What the lists name, in the form that the budget left it.
    pub document: Document<'w>,
    /// The role of the model: `system.md`, and behind it `system_extra.md`.
    pub system_prompt: String,
    /// The standards of the profile, in full or condensed; empty for none.
    pub standards: String,
    /// The examples of the profile.
    pub examples: Vec<String>,
    /// What people want remembered.
    pub memos: Option<String>,
    /// What people said about what is listed; empty where they said nothing.
    pub people: String,
    /// Files, pages and symbols.
    pub reference: Reference,
    /// The machine; empty for a request without a session.
    pub system: String,
    /// The request.
    pub task: Task,
    /// What was said before.
    pub said: EarlierMessages,
    /// What goes along with the request, with the names of the files.
    pub images: Vec<(String, Image)>,
    /// What is left out, reduced or odd.
    pub notes: Vec<String>,
}

/// What a world says about the repository besides its document.
#[derive(Debug, Default)]
pub struct Reference {
    /// Bodies of files and pages, and blocks of the symbol map.
    pub texts: BTreeMap<Key, String>,
    /// Texts of the last request that have changed since, or are about files that are gone, and may be sent again as they were.
    pub earlier: BTreeMap<Key, String>,
    /// The key of the symbol map.
    pub legend: String,
    /// The directories that it abbreviates.
    pub aliases: Vec<String>,
    /// Files that refer to one another.
    pub components: Vec<Vec<TreePath>>,
    /// How many files that declare something the map does not show.
    pub unmapped: usize,
    /// The files of the snapshot.
    pub files: FileList,
    /// What history says of files.
    pub evidence: Evidence,
    /// Files that are not as they were committed.
    pub dirty: BTreeSet<TreePath>,
    /// Files that only this turn, or this request, shows in full.
    pub passing: BTreeSet<TreePath>,
}

impl World<'_> {
    /// The document `input.md`.
    pub fn input(&self) -> io::Result<String> {
        self.document.text()
    }

    /// The message array, with its parts where a layout places them.
    #[must_use]
    pub fn messages(&self, layout: &Layout) -> Vec<Message> {
        let (preface, background, request) =
            (self.preface(), self.background(), self.task.last_words());
        let texts = Texts {
            system_prompt: &self.system_prompt,
            preface: &preface,
            legend: &self.reference.legend,
            items: self.texts(layout),
            history: self.said.history.clone(),
            background: &background,
            rejected: self.said.rejected.clone(),
            tree: Some(&self.reference.files),
            request: &request,
            images: self.images.iter().map(|(_, image)| image.clone()).collect(),
        };
        array(layout, &texts)
    }

    /// The text of each symbol block, file and page as a layout shows it.
    fn texts(&self, layout: &Layout) -> BTreeMap<Key, String> {
        let mut texts = self.reference.texts.clone();
        for (key, earlier) in &self.reference.earlier {
            let Some(path) = key.path() else { continue };
            let update = Key::Update(path.clone());
            if layout.tier_of(&update).is_some() {
                let now = self.now(key);
                texts.insert(key.clone(), earlier.clone());
                texts.insert(update, now);
            }
        }
        texts
    }

    /// What is to be said of something whose earlier text may be sent again.
    fn now(&self, key: &Key) -> String {
        let gone = || {
            let path = key.path().map(|path| quote(path.as_bytes(), false));
            format!("{} is gone", path.unwrap_or_default())
        };
        self.reference.texts.get(key).cloned().unwrap_or_else(gone)
    }

    /// An update for each text of the last request that may be sent again.
    pub(super) fn updates(&self) -> Vec<Item> {
        let earlier = self.reference.earlier.keys();
        earlier.map(|key| self.item(key, &self.now(key))).collect()
    }

    /// The texts that the next request may send again as they are.
    pub(super) fn texts_in_tiers(&self, layout: &Layout) -> BTreeMap<Key, String> {
        let mut texts = self.texts(layout);
        texts.retain(|key, _| {
            key.may_lag() && layout.tier_of(key).is_some_and(|tier| tier < Tier::Tail)
        });
        texts
    }

    /// The same for readers without a protocol: the role, the map and the document, then the task.
    pub fn bundle(&self) -> io::Result<Bundle> {
        let symbols: Vec<&str> = self.symbols().map(str::trim_end).collect();
        let standards = self.standards_section();
        let map = structure(&self.reference.legend, &symbols.join("\n"));
        let document = self.input()?;
        let system = [&self.system_prompt, &standards, &map, document.trim_end()];
        let system: Vec<&str> = system
            .into_iter()
            .map(str::trim_end)
            .filter(|part| !part.is_empty())
            .collect();
        let images: Vec<&str> = self.images.iter().map(|(name, _)| name.as_str()).collect();
        let images = section("### Images that go along", &images.join("\n"));
        let found = section("### Found for the request", &self.task.found());
        let request = [self.task.asked(), self.task.accepted(), found, images];
        Ok(Bundle {
            system_context: system.join("\n\n"),
            request: joined(request, "\n\n"),
            output_instructions: self.task.output_instructions().to_owned(),
            examples: self.examples.clone(),
            history: self
                .said
                .history
                .iter()
                .chain(&self.said.rejected)
                .cloned()
                .collect(),
        })
    }

    /// What always stands first, as the tiers see it.
    #[must_use]
    pub fn system_content(&self) -> Content {
        content(
            &[
                self.system_prompt.as_str(),
                &self.preface(),
                &self.reference.legend,
            ]
            .join("\n\n"),
        )
    }

    /// The parts that can stand in one tier or another, with what is known of their chance to change.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let Reference {
            texts,
            evidence,
            files,
            ..
        } = &self.reference;
        let list = (!files.lines.is_empty()).then(|| Item {
            key: Key::Tree,
            content: content(&tree(files)),
            touches: evidence.list().clone(),
        });
        let reference = texts.iter().map(|(key, text)| self.item(key, text));
        let said = self
            .said
            .history
            .iter()
            .enumerate()
            .map(|(number, message)| Item {
                key: Key::Message(to_u32(number)),
                content: content(&format!("{}\n{}", message.role.as_str(), message.text)),
                touches: Touches::default(),
            });
        list.into_iter().chain(reference).chain(said).collect()
    }

    fn item(&self, key: &Key, text: &str) -> Item {
        let Reference {
            evidence,
            dirty,
            passing,
            ..
        } = &self.reference;
        let touches = |path| Touches {
            dirty: dirty.contains(path),
            is_passing: matches!(key, Key::File(_)) && passing.contains(path),
            ..evidence.touches(path)
        };
        Item {
            key: key.clone(),
            content: content(&item_text(key, text)),
            touches: key.path().map(touches).unwrap_or_default(),
        }
    }

    /// Every text by people with its name, for the search for secrets; bodies of files are looked through by the document.
    #[must_use]
    pub fn named_texts(&self) -> Vec<(&'static str, &str)> {
        let task = &self.task;
        let mut texts: Vec<(&str, &str)> = vec![
            ("system prompt", &self.system_prompt),
            ("standards", &self.standards),
            ("notes", &self.people),
            ("request", &task.request),
            ("feedback", &task.feedback),
            ("what was found for the request", &task.found),
        ];
        let quoted = [
            ("plan", &task.plan),
            ("work", &task.work),
            ("review", &task.issues),
            ("answer", &task.answer),
        ];
        texts.extend(
            quoted
                .into_iter()
                .filter_map(|(name, text)| Some((name, text.as_deref()?))),
        );
        texts.extend(
            self.examples
                .iter()
                .map(|example| ("example", example.as_str())),
        );
        texts.extend(
            self.said
                .history
                .iter()
                .chain(&self.said.rejected)
                .map(|message| ("conversation", message.text.as_str())),
        );
        texts.extend(self.symbols().map(|text| ("symbol map", text)));
        texts
    }

    /// Tokens of the symbol map, by estimate.
    #[must_use]
    pub fn symbol_tokens(&self) -> u64 {
        self.symbols().map(token::estimate).sum()
    }

    /// Tokens of files and pages, by estimate.
    #[must_use]
    pub fn body_tokens(&self) -> u64 {
        let bodies = self.texts_of(|key| matches!(key, Key::File(_) | Key::Url(_)));
        bodies.map(token::estimate).sum()
    }

    fn symbols(&self) -> impl Iterator<Item = &str> {
        self.texts_of(|key| matches!(key, Key::Symbols(_)))
    }

    fn texts_of(&self, is_meant: fn(&Key) -> bool) -> impl Iterator<Item = &str> {
        let texts = self.reference.texts.iter();
        texts
            .filter(move |(key, _)| is_meant(key))
            .map(|(_, text)| text.as_str())
    }

    fn standards_section(&self) -> String {
        section("# Standards", self.standards.trim_end())
    }

    /// What stands with the system prompt: it changes when people change it, and not from turn to turn.
    fn preface(&self) -> String {
        let examples = self.examples.iter().enumerate();
        let examples: Vec<String> = examples
            .map(|(at, text)| format!("## Example {}\n\n{}", at + 1, text.trim_end()))
            .collect();
        let examples = section("# Examples", &examples.join("\n\n"));
        let memos = self.memos.as_deref().unwrap_or_default();
        let memos = section("# Memos", memos.trim_end());
        let people = section("# Notes", &self.people);
        joined([self.standards_section(), examples, memos, people], "\n\n")
    }

    /// What stands behind the working files.
    fn background(&self) -> String {
        let parts = [
            section("# System Information", &self.system),
            section("# Current Work", &self.task.accepted()),
            section("# Found for the Request", &self.task.found()),
        ];
        joined(parts, "\n\n")
    }
}

/// A text as the tiers see it.
pub(super) fn content(text: &str) -> Content {
    Content {
        digest: Digest::of(DIGEST, text.as_bytes()),
        tokens: token::estimate(text),
    }
}

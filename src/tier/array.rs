//! The message array: system text, tiers of reference with their part of the conversation, and what is new, in that order.
//!
//! ```text
//! system      system prompt, standards, examples, memos, legend, L0 symbols, L0 files   L0 history   ── mark
//! user        L1: symbols, files       assistant "Ok."             L1 history           ── mark, L2 and L3 likewise
//! user        file tree                assistant "Ok."                                   ─┐ with a mark behind one of
//! user        pages of the web         assistant "Ok, I've …"                            │ them where that pays: what
//! user        active symbols, files    assistant "Ok."                                   ─┘ stands before it is the tail
//! user        the background           assistant "Ok."             active history, answers that were rejected
//! user        the request
//! ```
//!
//! What is empty is not there. Neighbours never share a role: where the conversation was cut between a question and its
//! answer, a short word of the other side stands between. A pure function of its arguments, so that two machines send the
//! same bytes, and no block changes a byte of one before it.

use std::collections::BTreeMap;

use super::item::{Key, is_statement};
use super::layout::{Block, Layout, Tier};
use crate::base::count::counted;
use crate::base::fence::{fence, longest_run};
use crate::base::path::quote;
use crate::chat::{Image, Message, Role};

/// What stands above the legend.
const STRUCTURE: &str = "# Repository Structure\n\nBelow is a map of the repository showing classes, functions, and their \
relationships.\nUse this to understand the codebase structure and find relevant code.\n\n";
/// What stands above texts that take the place of earlier ones.
const UPDATES: &str = "# Repository Structure (updated)\n\nThese entries have changed since they were \
listed above. Where both speak of the same file or directory, what stands here holds:\n\n";
/// What stands above symbols that follow others.
const STRUCTURE_CONTINUED: &str = "# Repository Structure (continued)\n\n";
const FILES: [&str; 5] = [
    "# Reference Files (Stable)\n\nThese files are included for reference:\n\n",
    "# Reference Files\n\nThese files are included for reference:\n\n",
    "# Reference Files (L2)\n\nThese files are included for reference:\n\n",
    "# Reference Files (L3)\n\nThese files are included for reference:\n\n",
    "# Working Files\n\nHere are the files:\n\n",
];
const TREE: &str = "# Repository Files\n\nComplete list of files in the repository:\n\n";
const PAGES: &str = "# URL Context\n\nThe following content was fetched from URLs mentioned in the conversation:\n\n";
const PAGES_BETWEEN: &str = "\n---\n";
const OK: &str = "Ok.";
const PAGES_OK: &str = "Ok, I've reviewed the URL content.";
/// What a user says where the conversation has two answers in a row.
const GO_ON: &str = "Go on.";
/// Shortest fence around a file.
const FENCE_MIN: usize = 3;

/// The texts of everything that a layout places.
#[derive(Debug, Clone, Default)]
pub struct Texts<'t> {
    /// The role of the model.
    pub system_prompt: &'t str,
    /// What every request of its kind says as well: standards, examples, memos.
    pub preface: &'t str,
    /// The key of the symbol map with its aliases; empty where there is no map.
    pub legend: &'t str,
    /// The text of each symbol block, file and page that the layout names.
    pub items: BTreeMap<Key, String>,
    /// The conversation; `Key::Message` counts it from 0.
    pub history: Vec<Message>,
    /// What is true of this request alone and stands behind the working files: the machine, what was accepted so far.
    pub background: &'t str,
    /// The end of the conversation, which never moves to the front: answers that were not accepted.
    pub rejected: Vec<Message>,
    /// The files; `None` to leave the list out.
    pub tree: Option<&'t FileList>,
    /// What is wanted now.
    pub request: &'t str,
    /// What goes along with the request.
    pub images: Vec<Image>,
}

/// The files of a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList {
    /// Their paths, sorted; where there are too many, a directory in the place of what is in it.
    pub lines: Vec<String>,
    /// How many files there are.
    pub count: usize,
}

/// Writes a layout as messages, with a mark at the end of each block that has one.
#[must_use]
pub fn array(layout: &Layout, texts: &Texts<'_>) -> Vec<Message> {
    let mut said = Conversation::default();
    for block in layout.blocks.iter().filter(|block| block.tier < Tier::Tail) {
        if block.tier == Tier::L0 {
            said.push(Role::System, system(block, texts));
        } else {
            said.push_pair(reference(block, texts), OK);
        }
        said.push_history(block, texts);
        if block.ends_with_breakpoint {
            said.mark();
        }
    }
    if let Some(block) = layout.block(Tier::Tail) {
        said.push_working(block, texts);
        if block.ends_with_breakpoint {
            said.mark();
        }
    }
    let active = layout.block(Tier::Active);
    if let Some(block) = active {
        said.push_working(block, texts);
    }
    said.push_pair(texts.background.to_owned(), OK);
    if let Some(block) = active {
        said.push_history(block, texts);
    }
    for message in &texts.rejected {
        said.push_message(message.clone());
    }
    said.push(Role::User, texts.request.to_owned());
    if let Some(last) = said
        .messages
        .last_mut()
        .filter(|last| last.role == Role::User)
    {
        last.images.clone_from(&texts.images);
    }
    said.messages
}

/// What a symbol block, a file or a page takes in a message, for counting.
#[must_use]
pub fn item_text(key: &Key, text: &str) -> String {
    match key {
        Key::Update(path) if !is_statement(path) => text.to_owned(),
        Key::File(path) | Key::Update(path) => file(&quote(path.as_bytes(), false), text),
        Key::Tree | Key::Symbols(_) | Key::Url(_) | Key::Message(_) => text.to_owned(),
    }
}

/// Messages of which neighbours have different roles.
#[derive(Default)]
struct Conversation {
    messages: Vec<Message>,
}

impl Conversation {
    fn push(&mut self, role: Role, text: String) {
        self.push_message(Message::new(role, text));
    }

    fn push_message(&mut self, message: Message) {
        let before = self.messages.last().map(|last| last.role);
        let between = match (before, message.role) {
            (Some(Role::User), Role::User) => Some(Message::new(Role::Assistant, OK)),
            (Some(Role::Assistant | Role::System), Role::Assistant) => {
                Some(Message::new(Role::User, GO_ON))
            }
            _ => None,
        };
        self.messages.extend(between);
        self.messages.push(message);
    }

    fn push_pair(&mut self, text: String, answer: &str) {
        if !text.is_empty() {
            self.push(Role::User, text);
            self.push(Role::Assistant, answer.to_owned());
        }
    }

    /// The list of files, pages, and what is worked on, as far as they are in a block.
    fn push_working(&mut self, block: &Block, texts: &Texts<'_>) {
        let has_tree = block.keys.contains(&Key::Tree);
        self.push_pair(
            texts
                .tree
                .filter(|_| has_tree)
                .map(tree)
                .unwrap_or_default(),
            OK,
        );
        self.push_pair(pages(block, texts), PAGES_OK);
        self.push_pair(reference(block, texts), OK);
    }

    fn push_history(&mut self, block: &Block, texts: &Texts<'_>) {
        let numbers = block.messages().iter().filter_map(|key| {
            if let Key::Message(number) = key {
                Some(*number)
            } else {
                None
            }
        });
        for message in numbers.filter_map(|number| texts.history.get(number as usize)) {
            self.push_message(message.clone());
        }
    }

    fn mark(&mut self) {
        if let Some(last) = self.messages.last_mut() {
            last.ends_cached_prefix = true;
        }
    }
}

fn system(block: &Block, texts: &Texts<'_>) -> String {
    let mut parts = vec![
        texts.system_prompt.trim_end().to_owned(),
        texts.preface.trim_end().to_owned(),
    ];
    parts.push(structure(texts.legend, &symbols(block, texts)));
    parts.push(updates(block, texts));
    parts.push(files(block, texts));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// A symbol map under its heading; empty where there is none.
#[must_use]
pub fn structure(legend: &str, symbols: &str) -> String {
    let map = [legend.trim_end(), symbols].join("\n\n");
    if map.trim().is_empty() {
        String::new()
    } else {
        format!("{STRUCTURE}{}", map.trim())
    }
}

/// Symbols and files of a block behind the first.
fn reference(block: &Block, texts: &Texts<'_>) -> String {
    let symbols = symbols(block, texts);
    let symbols = if symbols.is_empty() {
        symbols
    } else {
        format!("{STRUCTURE_CONTINUED}{symbols}")
    };
    [symbols, updates(block, texts), files(block, texts)]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn symbols(block: &Block, texts: &Texts<'_>) -> String {
    let wanted = block
        .reference()
        .iter()
        .filter(|key| matches!(key, Key::Symbols(_)));
    wanted
        .filter_map(|key| texts.items.get(key))
        .map(|text| text.trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What takes the place of symbols and statements that stand before it as they were.
fn updates(block: &Block, texts: &Texts<'_>) -> String {
    let keys = block.reference().iter();
    let texts = keys
        .filter(|key| matches!(key, Key::Update(_)))
        .filter_map(|key| Some(item_text(key, texts.items.get(key)?.trim_end())));
    let updates = texts.collect::<Vec<_>>().join("\n");
    if updates.is_empty() {
        updates
    } else {
        format!("{UPDATES}{updates}")
    }
}

fn files(block: &Block, texts: &Texts<'_>) -> String {
    let wanted = block
        .reference()
        .iter()
        .filter(|key| matches!(key, Key::File(_)));
    let files: Vec<String> = wanted
        .filter_map(|key| Some(item_text(key, texts.items.get(key)?)))
        .collect();
    if files.is_empty() {
        String::new()
    } else {
        format!(
            "{}{}",
            FILES[block.tier.number().min(FILES.len() - 1)],
            files.join("\n\n")
        )
    }
}

/// A path, and below it the text in a fence that it cannot close.
fn file(path: &str, text: &str) -> String {
    let fence = fence(longest_run(text.as_bytes()), FENCE_MIN);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{path}\n{fence}\n{text}{end}{fence}")
}

/// The list of files under its heading; empty where there is none.
#[must_use]
pub fn tree(list: &FileList) -> String {
    if list.lines.is_empty() {
        return String::new();
    }
    format!(
        "{TREE}# File Tree ({})\n\n{}",
        counted(list.count, "file", "files"),
        list.lines.join("\n")
    )
}

fn pages(block: &Block, texts: &Texts<'_>) -> String {
    let wanted = block
        .reference()
        .iter()
        .filter(|key| matches!(key, Key::Url(_)));
    let pages: Vec<&str> = wanted
        .filter_map(|key| texts.items.get(key))
        .map(|text| text.trim_end())
        .collect();
    if pages.is_empty() {
        String::new()
    } else {
        format!("{PAGES}{}", pages.join(PAGES_BETWEEN))
    }
}

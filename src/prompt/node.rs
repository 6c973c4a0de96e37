//! What is said to a model about one node: the content block, the task, the wished-for structure. Nothing else.
//!
//! Full content, full response: no earlier frame of the node, no difference to one, no time, no branch and no path of
//! the machine can be handed in here, so none can come out.
//!
//! | node | content block |
//! |---|---|
//! | file | `<file path="…">`, its text as it is, `</file>` on a line of its own |
//! | not UTF-8, or NUL in the first 8 KiB | `Binary file (N bytes). No text content sent.` in its place |
//! | described by the caller (a pointer, a file that is not read) | the description in its place |
//! | over the limit | a line that says what was cut, the outline, the first lines |
//! | directory | for each child, in the order handed in, `<child path="…" type="…">`, its head's text, `</child>` |
//! | child without a frame | one line in its place that says so |
//! | directory over the limit | a line that says what was cut; first paragraphs; then fewer children |
//!
//! Text that contains a closing tag gives the tag's name a number that it does not contain (for children, one number
//! for all of them). Paths are escaped by the rule of [`path_text`].

use super::adapter::schema_text;
use super::attribute::path_text;
use super::block::{Block, ChildText, child_block, fitting, wrapped};
use super::bundle::Bundle;
use super::{cut, tag};
use crate::agent::{Instructions, Values};
use crate::base::{NodeKind, TreePath, token};

/// Where a NUL makes a file binary: git looks at as much.
const BINARY_LOOK_BYTES: usize = 8 * 1024;
/// What the parts of a request cost beyond their text: two messages, blank lines between parts.
const FRAMING_TOKENS: u64 = 16;
/// What stands between two parts.
const BETWEEN: &str = "\n\n";

/// What a node says.
pub enum Content<'c> {
    /// A file's bytes.
    File {
        /// All of them.
        data: &'c [u8],
        /// Makes its outline, only when the text does not fit.
        outline: &'c dyn Fn() -> String,
    },
    /// A file of which something else is said than its bytes: a Git LFS pointer, a file too large to be read.
    Described {
        /// The size of the file.
        size_bytes: u64,
        /// What is said in place of its text.
        text: &'c str,
    },
    /// What is said of a directory's children, in tree order.
    Directory {
        /// The children that take part.
        children: &'c [ChildText<'c>],
    },
}

/// The payload of one node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodePayload {
    /// What is said.
    pub bundle: Bundle,
    /// What was left out to fit the limit, in one sentence, for the frame's metadata.
    pub cut: Option<String>,
    /// The task alone, as it is said after the content block.
    pub task: String,
}

/// Why there is no payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// Even without any content it is over the limit.
    #[error("the agent's prompts alone are about {needed} tokens, over the limit of {limit}")]
    NoRoom {
        /// By estimate, what the prompts and the shortest content block take.
        needed: u64,
        /// What there was.
        limit: u64,
    },
}

/// Lays out the request about a node. With a limit, the whole request stays within it, by estimate.
pub fn node_payload(
    instructions: &Instructions,
    path: &TreePath,
    content: &Content<'_>,
    limit_tokens: Option<u64>,
) -> Result<NodePayload, PayloadError> {
    let shown_path = path_text(path);
    let (kind, size) = match content {
        Content::File { data, .. } => (NodeKind::File, Some(data.len() as u64)),
        Content::Described { size_bytes, .. } => (NodeKind::File, Some(*size_bytes)),
        Content::Directory { .. } => (NodeKind::Directory, None),
    };
    let values = Values {
        path: &shown_path,
        node_type: kind.as_str(),
        file_size_bytes: size,
    };
    let template = if kind == NodeKind::File {
        &instructions.file
    } else {
        &instructions.directory
    };
    let task = template.fill(&values);
    let structure = instructions.response_template.as_ref();
    let output_instructions = structure
        .map(|structure| format!("Respond using this structure:\n{structure}"))
        .unwrap_or_default();
    let schema = instructions
        .output_schema
        .as_ref()
        .map(schema_text)
        .unwrap_or_default();
    let around = [&instructions.system, &task, &output_instructions, &schema];
    let taken = around.iter().map(|part| token::estimate(part)).sum::<u64>() + FRAMING_TOKENS;
    let room = limit_tokens.map(|limit| limit.saturating_sub(taken));
    let block = match content {
        Content::File { data, outline } => file_block(&shown_path, data, *outline, room),
        Content::Described { text, .. } => fitting(wrapped("file", &shown_path, text), room),
        Content::Directory { children } => directory_block(path, children, room),
    };
    let Block { text, cut } = block.map_err(|shortest| PayloadError::NoRoom {
        needed: taken + shortest,
        limit: limit_tokens.unwrap_or(u64::MAX),
    })?;
    let request = if task.is_empty() {
        text
    } else {
        format!("{text}{BETWEEN}{task}")
    };
    let bundle = Bundle {
        system_context: instructions.system.clone(),
        request,
        output_instructions,
        ..Bundle::default()
    };
    Ok(NodePayload { bundle, cut, task })
}

fn file_block(
    path: &str,
    data: &[u8],
    outline: &dyn Fn() -> String,
    room: Option<u64>,
) -> Result<Block, u64> {
    let is_binary = data[..data.len().min(BINARY_LOOK_BYTES)].contains(&0);
    let Some(text) = std::str::from_utf8(data).ok().filter(|_| !is_binary) else {
        let placeholder = format!("Binary file ({} bytes). No text content sent.", data.len());
        return fitting(wrapped("file", path, &placeholder), room);
    };
    let tag = tag::choose("file", std::iter::once(text));
    match (fitting(wrapped(&tag, path, text), room), room) {
        (Err(_), Some(room)) => cut::file(path, text, &outline(), room),
        (whole, _) => whole,
    }
}

fn directory_block(
    path: &TreePath,
    children: &[ChildText<'_>],
    room: Option<u64>,
) -> Result<Block, u64> {
    if children.is_empty() {
        return fitting("The directory is empty.".to_owned(), room);
    }
    let tag = tag::choose("child", children.iter().filter_map(|child| child.text));
    let shown: Vec<(String, &ChildText<'_>)> = children
        .iter()
        .map(|child| (path_text(&path.join(child.name)), child))
        .collect();
    let blocks: Vec<String> = shown
        .iter()
        .map(|(path, child)| child_block(&tag, path, child))
        .collect();
    match (fitting(blocks.join("\n"), room), room) {
        (Err(_), Some(room)) => cut::directory(&tag, &shown, room),
        (whole, _) => whole,
    }
}

#[cfg(test)]
mod tests;

//! One block of a request about a node: a text between tags, in the room that is left for it.

use crate::base::token;

/// A content block that fits.
pub(super) struct Block {
    pub(super) text: String,
    pub(super) cut: Option<String>,
}

/// A block as it is, when there is room for it; else how many tokens it has.
pub(super) fn fitting(text: String, room: Option<u64>) -> Result<Block, u64> {
    let tokens = token::estimate(&text);
    if room.is_none_or(|room| tokens <= room) {
        Ok(Block { text, cut: None })
    } else {
        Err(tokens)
    }
}

/// One child of a directory.
#[derive(Debug, Clone, Copy)]
pub struct ChildText<'c> {
    /// Its name in the directory.
    pub name: &'c [u8],
    /// `file`, `directory`, `symlink` or `submodule`.
    pub kind: &'static str,
    /// What its head says; `None` when it has none.
    pub text: Option<&'c str>,
    /// What it is, where the agent leaves it out: `a lock file of 12,345 bytes`.
    pub left_out: Option<&'c str>,
}

/// Text in a tag that says where it stands.
pub(super) fn wrapped(tag: &str, path: &str, text: &str) -> String {
    format!("<{tag} path=\"{path}\">\n{text}\n</{tag}>")
}

/// What is said of one child.
pub(super) fn child_block(tag: &str, path: &str, child: &ChildText<'_>) -> String {
    let kind = child.kind;
    match (child.text, child.left_out) {
        (Some(text), _) => format!("<{tag} path=\"{path}\" type=\"{kind}\">\n{text}\n</{tag}>"),
        (None, Some(what)) => format!("The {kind} \"{path}\" is {what}; its content was not read."),
        (None, None) => format!("Nothing is said about the {kind} \"{path}\"."),
    }
}

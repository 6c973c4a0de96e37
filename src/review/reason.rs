//! Why a review says nothing else about a file.

use super::beside::repeats;
use super::change::{Content, File};
use super::role::FileRole;

/// Why the review says nothing else about a file; `None` if it has said enough or reports it with others.
pub(super) fn reason(file: &File) -> Option<&'static str> {
    let contents =
        [&file.old, &file.new].map(|version| version.as_ref().map(|version| &version.content));
    let is =
        |wanted: fn(&Content) -> bool| contents.iter().flatten().any(|content| wanted(content));
    if is(|content| matches!(content, Content::Absent)) {
        return Some("not in this clone");
    }
    if !file.is_code() || file.role() == FileRole::Test {
        return None;
    }
    if is(|content| matches!(content, Content::Unread)) {
        return Some("not read");
    }
    match contents {
        [None, Some(one)] | [Some(one), None] if repeats(file, one) => {
            Some("repeats what stands beside it")
        }
        [None, _] => Some("new, declares nothing"),
        [_, None] => Some("gone, declared nothing"),
        [Some(Content::Code(old)), Some(Content::Code(new))] if old.text == new.text => None,
        [Some(Content::Code(old)), Some(Content::Code(new))] if old.imports != new.imports => {
            Some("imports")
        }
        _ => Some("comments or statements"),
    }
}

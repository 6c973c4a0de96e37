//! The state of what is known as Markdown, for the summary of a job: a table, and what brings it up to date.

use std::fmt::Write as _;

use super::document::Document;
use crate::base::count::counted;
use crate::base::count::files_and_directories;
use crate::review::markdown::code;

/// The document. Names stand in code spans, of which a forge makes nothing else.
pub(super) fn render(document: &Document, snapshot: &str) -> String {
    let mut text = format!(
        "**{}** at {} (tree {})\n\n",
        files_and_directories(document.files, document.directories),
        code(snapshot),
        code(document.root.get(..12).unwrap_or_default())
    );
    text.push_str("| agent/type | fresh | outdated | missing | carried |\n|---|--:|--:|--:|--:|\n");
    let or_dash =
        |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    for slot in &document.slots {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            code(&format!("{}/{}", slot.agent, slot.r#type)),
            slot.fresh,
            slot.outdated,
            or_dash(slot.missing),
            or_dash(slot.carried)
        );
    }
    text.push('\n');
    let behind = || {
        document
            .slots
            .iter()
            .filter_map(|slot| slot.behind.as_ref())
    };
    for (count, command) in behind() {
        let _ = writeln!(text, "- {count} not fresh: {}", code(command));
    }
    if behind().next().is_none() {
        text.push_str("Everything is fresh.\n");
    }
    if document.store_faults > 0 {
        let _ = writeln!(
            text,
            "- {} of the store: {} names them",
            counted(document.store_faults, "bad entry", "bad entries"),
            code("git merkle validate")
        );
    }
    text
}

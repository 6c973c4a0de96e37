//! What a child's body says, read back from its Markdown: its first paragraph, the names that its list begins with.

use super::facts::find_line;
use super::policy::{Part, PartKind};

/// Bytes of a child's sentence.
pub(super) const SENTENCE_BYTES_MAX: usize = 180;
/// What outlines say of a content that was not read.
const SIZES: [&str; 5] = [
    "Binary file (",
    "Empty file.",
    "File of ",
    "A file of ",
    "A Git LFS",
];
/// Bytes of a declaration in the line of a child.
const SIGNATURE_BYTES_MAX: usize = 48;

/// A name as Markdown code, with a slash after a directory's. The fence is longer than any run in the name.
pub(super) fn code(part: &Part<'_>) -> String {
    let name: String = part
        .name
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let slash = if part.kind == PartKind::Directory {
        "/"
    } else {
        ""
    };
    let run = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if run == 0 {
        return format!("`{name}{slash}`");
    }
    let fence = "`".repeat(run + 1);
    format!("{fence} {name}{slash} {fence}")
}

/// The first paragraph of a body, on one line; `None` when it starts with facts.
pub(super) fn lead(part: &Part<'_>) -> Option<String> {
    part.bodies.iter().find_map(|(_, body)| {
        let paragraph = body.split("\n\n").map(str::trim).find(|block| {
            !block.is_empty() && !block.starts_with('#') && !block.starts_with("```")
        })?;
        if paragraph.starts_with("- ") || find_line(paragraph).is_some() {
            return None;
        }
        Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

/// The same, where it says more than how large a content is.
pub(super) fn purpose(part: &Part<'_>) -> Option<String> {
    lead(part).filter(|lead| !SIZES.iter().any(|words| lead.starts_with(words)))
}

/// The first sentence, if it is short enough to be one.
pub(super) fn sentence(text: &str, bytes_max: usize) -> String {
    let end = text.match_indices(". ").map(|(at, _)| at + 1).find(|end| {
        // "e.g. ", "i.e. " and initials do not end a sentence.
        text[end + 1..].starts_with(|c: char| !c.is_lowercase())
    });
    cut(&text[..end.unwrap_or(text.len())], bytes_max)
}

/// The beginning of a text, cut at a word so that it has at most `bytes_max` bytes.
pub(super) fn cut(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= bytes_max)
        .last()
        .unwrap_or(0);
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!("{} …", text[..end].trim_end())
}

/// For a file that does not say what it is for: the first names that its outline lists.
pub(super) fn declared(part: &Part<'_>) -> Option<String> {
    let names: Vec<String> = signatures(part).take(3).map(head).collect();
    if !names.is_empty() {
        return Some(names.join(", "));
    }
    let mut listed = listed(part);
    let first = listed.next()?;
    let text = match listed.next() {
        Some(second) => format!("{first}; {second}"),
        None => first.to_owned(),
    };
    Some(cut(&text, SENTENCE_BYTES_MAX))
}

/// The declarations that a body lists, most important first; of modules and namespaces what they hold.
pub(super) fn signatures<'p>(part: &'p Part<'_>) -> impl Iterator<Item = &'p str> {
    const OUTER: [&str; 3] = ["module ", "namespace ", "mod "];
    let body = part.bodies.first().map_or("", |(_, body)| &**body);
    let mut open = 0;
    body.lines().filter_map(move |line| {
        let text = line.trim_start();
        let depth = (line.len() - text.len()) / 2;
        let signature = text.strip_prefix("- `")?.split_once('`')?.0;
        if depth > open {
            return None;
        }
        open = depth;
        if OUTER.iter().any(|word| signature.starts_with(word)) {
            open += 1;
            return None;
        }
        Some(signature)
    })
}

/// What a body lists that is no declaration: headings, and kinds with their names.
pub(super) fn listed<'p>(part: &'p Part<'_>) -> impl Iterator<Item = &'p str> {
    let body = part.bodies.first().map_or("", |(_, body)| &**body);
    body.lines()
        .filter_map(|line| line.strip_prefix("- "))
        .filter(|text| !text.starts_with('`') && !text.starts_with("first line"))
}

/// A declaration as code, short, with its name: what stands behind the name goes first.
pub(super) fn head(signature: &str) -> String {
    if signature.len() <= SIGNATURE_BYTES_MAX {
        return format!("`{signature}`");
    }
    let name = signature
        .split_once('(')
        .or_else(|| signature.split_once('='));
    match name {
        Some((name, _)) if !name.is_empty() && name.len() < SIGNATURE_BYTES_MAX => {
            let close = if signature[name.len()..].starts_with('(') {
                "(…)"
            } else {
                "= …"
            };
            format!("`{name}{close}`")
        }
        _ => format!("`{}`", cut(signature, SIGNATURE_BYTES_MAX)),
    }
}

//! Style sheets and components of web pages.

use std::collections::BTreeSet;

use super::found::Found;
use super::line::lines;
use super::mask::mask;
use super::{document, page, rows, source};
use crate::symbol::comment;
use crate::symbol::head;
use crate::symbol::language::Language;
use crate::symbol::outline::Kind;

/// Longest selector that is shown whole, in bytes.
const SELECTOR_BYTES_MAX: usize = 160;
/// Components that one component is said to show.
const PARTS_MAX: usize = 40;

/// Selectors at the outermost level and within `@media`, variables, mixins, imports.
pub(super) fn styles(found: &mut Found, text: &str) {
    // Above a sheet that Jekyll makes stands an empty block of settings.
    let (_, text) = document::front_matter(text);
    found.doc = head::file_paragraph(text, comment::SLASHES);
    let Some(marks) = Language::Css.marks() else {
        return;
    };
    let Ok(code) = String::from_utf8(mask(text, &marks)) else {
        return;
    };
    let (mut depth, mut from, mut skipped) = (0_usize, 0, 0_usize);
    let mut seen = BTreeSet::new();
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => {
                let head = text.get(from..at).unwrap_or_default();
                let head = head.rsplit("*/").next().unwrap_or_default();
                let head = without_comments(head);
                // Rules stand in `@media` and `@layer` as they stand outside.
                let is_bracket = ["@media", "@layer", "@supports", "@container"]
                    .iter()
                    .any(|word| head.starts_with(word));
                if depth == skipped && !head.is_empty() {
                    if is_bracket {
                        skipped += 1;
                    }
                    rule(found, &head, &mut seen);
                }
                depth += 1;
                from = at + 1;
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                skipped = skipped.min(depth);
                from = at + 1;
            }
            b';' => {
                declaration(
                    found,
                    text.get(from..at).unwrap_or_default(),
                    depth,
                    &mut seen,
                );
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// The selectors above a block, without the lines of SCSS and Less between them that are comments.
fn without_comments(head: &str) -> String {
    let lines = head
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn rule(found: &mut Found, head: &str, seen: &mut BTreeSet<String>) {
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    if !seen.contains(&head) {
        let shown = comment::cap(&head, SELECTOR_BYTES_MAX);
        found.push(Kind::Rule, &shown, &shown);
        seen.insert(head);
    }
}

/// `--name: value`, `$name: value`, `@import "x"`.
fn declaration(found: &mut Found, text: &str, depth: usize, seen: &mut BTreeSet<String>) {
    let text = text.rsplit("*/").next().unwrap_or_default().trim();
    if let Some(path) = ["@import", "@use", "@forward"]
        .iter()
        .find_map(|word| text.strip_prefix(word))
    {
        return found.push_import(path.trim().trim_matches(['"', '\'']));
    }
    let name = text.split(':').next().unwrap_or_default().trim();
    let is_variable = name.starts_with("--") || depth == 0 && name.starts_with(['$', '@']);
    if is_variable && name.len() <= 80 && seen.insert(name.to_owned()) {
        found.push(Kind::Key, name, name);
    }
}

/// What the script of a component declares and imports, and the components that its page shows.
pub(super) fn component(found: &mut Found, text: &str) {
    let mut script = String::new();
    let mut is_script = false;
    let mut shown = BTreeSet::new();
    for line in lines(text) {
        let code = line.trim();
        if code.starts_with("<script") {
            is_script = !code.contains("</script>");
        } else if code.starts_with("</script") {
            is_script = false;
        } else if is_script {
            script.push_str(line);
            script.push('\n');
        } else {
            let tags = code.match_indices('<').map(|(at, _)| &code[at + 1..]);
            for tag in tags.filter(|tag| tag.starts_with(|c: char| c.is_ascii_uppercase())) {
                shown.insert(
                    tag.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.')
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
        }
    }
    found.doc = head::file_paragraph(&script, comment::SLASHES);
    source::read(found, &script, &rows::SCRIPT);
    // Places in the script are none in the file.
    clear_spans(found);
    for name in shown.iter().filter(|name| !name.is_empty()).take(PARTS_MAX) {
        found.push(Kind::Entry, name, &format!("<{name}>"));
    }
    if found.symbols.is_empty() {
        page::html(found, text, Language::Template);
    }
}

fn clear_spans(found: &mut Found) {
    for symbol in &mut found.symbols {
        symbol.span = crate::symbol::outline::Span::default();
        for child in &mut symbol.children {
            child.span = crate::symbol::outline::Span::default();
        }
    }
}

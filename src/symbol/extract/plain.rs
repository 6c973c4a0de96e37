//! Outlines without a grammar: leading comment or first paragraph, headings, keys, targets, by scanning lines.
//!
//! Cheap on purpose, and never wrong in a way that matters: what a scanner is not sure about it leaves out.

use super::signature::fold_code;
use crate::symbol::comment::{self, cap, fold};
use crate::symbol::language::Language;
use crate::symbol::outline::{
    DEPTH_MAX, Kind, NAME_BYTES_MAX, Outline, PARAGRAPH_BYTES_MAX, SIGNATURE_BYTES_MAX, SYMBOLS_MAX, Span, Symbol,
};

/// Longest line that is looked at; longer ones are data.
const LINE_BYTES_MAX: usize = 4_096;
/// Most keys, targets or headings that are kept.
const KEYS_MAX: usize = SYMBOLS_MAX / 4;

/// Fills in what can be said about a text without a grammar.
pub(super) fn read(outline: &mut Outline, text: &str) {
    let mut found = Found::default();
    match outline.language {
        Some(Language::Markdown) => headings(&mut found, text),
        Some(Language::Toml | Language::Ini | Language::Lock) => tables(&mut found, text),
        Some(Language::Yaml) => yaml_keys(&mut found, text),
        Some(Language::Json | Language::Notebook) => json_keys(&mut found, text),
        Some(Language::Makefile | Language::Just) => targets(&mut found, text),
        Some(Language::Dockerfile) => stages(&mut found, text),
        Some(Language::Sql) => statements(&mut found, text),
        _ => {}
    }
    outline.doc = match outline.language {
        Some(Language::Markdown | Language::Text | Language::ReStructured | Language::AsciiDoc) => first_paragraph(text),
        Some(language) => comment::file_paragraph(text, language.comment_style()),
        None => String::new(),
    };
    if !found.description.is_empty() {
        outline.doc = cap(&fold(&found.description), PARAGRAPH_BYTES_MAX);
    }
    outline.symbols = found.symbols;
    outline.more = found.more;
}

#[derive(Default)]
struct Found {
    /// What a manifest says about its package.
    description: String,
    symbols: Vec<Symbol>,
    kept: usize,
    more: u64,
}

impl Found {
    fn push(&mut self, kind: Kind, name: &str, signature: &str) {
        if let Some(symbol) = self.make(kind, name, signature) {
            self.symbols.push(symbol);
        }
    }

    fn make(&mut self, kind: Kind, name: &str, signature: &str) -> Option<Symbol> {
        let name = cap(&fold(name), NAME_BYTES_MAX);
        if name.is_empty() {
            return None;
        }
        if self.kept == KEYS_MAX {
            self.more += 1;
            return None;
        }
        self.kept += 1;
        let signature = cap(&fold_code(signature), SIGNATURE_BYTES_MAX);
        Some(Symbol { kind, name, signature, public: true, doc: String::new(), children: Vec::new(), span: Span::default() })
    }

    /// Adds a heading below the last one that is less deep.
    fn push_heading(&mut self, level: usize, levels: &mut Vec<usize>, text: &str) {
        let Some(symbol) = self.make(Kind::Heading, text, text) else { return };
        while levels.last().is_some_and(|above| *above >= level) || levels.len() >= DEPTH_MAX {
            levels.pop();
        }
        let mut siblings = &mut self.symbols;
        for _ in 0..levels.len() {
            siblings = &mut siblings.last_mut().expect("each open level has a heading").children;
        }
        siblings.push(symbol);
        levels.push(level);
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LINE_BYTES_MAX)
}

/// Headings of Markdown, `#` and underlined, outside fences.
fn headings(found: &mut Found, text: &str) {
    let mut levels = Vec::new();
    let mut fence: Option<&str> = None;
    let mut above = "";
    for line in lines(skip_front_matter(text)) {
        let trimmed = line.trim();
        let marks = ["```", "~~~"].into_iter().find(|marks| trimmed.starts_with(marks));
        match (fence, marks) {
            (Some(open), Some(marks)) if open == marks => fence = None,
            (None, Some(marks)) => fence = Some(marks),
            (None, None) => {
                let level = trimmed.bytes().take_while(|b| *b == b'#').count();
                if (1..=6).contains(&level) && trimmed[level..].starts_with(' ') {
                    found.push_heading(level, &mut levels, trimmed.trim_matches(['#', ' ']));
                } else if let Some(level) = underline(trimmed).filter(|_| is_prose(above)) {
                    found.push_heading(level, &mut levels, above);
                }
            }
            _ => {}
        }
        above = if fence.is_some() { "" } else { trimmed };
    }
}

/// A document without the block between `---` lines at its start.
fn skip_front_matter(text: &str) -> &str {
    let is_mark = |line: &&str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    if !lines.next().as_ref().is_some_and(is_mark) {
        return text;
    }
    let mut len = text.split_inclusive('\n').next().map_or(0, str::len);
    for line in lines {
        len += line.len();
        if is_mark(&line) {
            return &text[len..];
        }
    }
    text
}

/// The level of a heading that is underlined with this line.
fn underline(line: &str) -> Option<usize> {
    let all = |mark: u8| line.len() >= 3 && line.bytes().all(|b| b == mark);
    if all(b'=') {
        return Some(1);
    }
    all(b'-').then_some(2)
}

/// The first paragraph of a document that is prose: no heading, list, badge, table, HTML or front matter.
fn first_paragraph(text: &str) -> String {
    let mut paragraph = String::new();
    let mut fence = false;
    for line in lines(skip_front_matter(text)).map(str::trim) {
        fence ^= line.starts_with("```") || line.starts_with("~~~");
        if underline(line).is_some() || is_ruler(line) {
            paragraph.clear();
        } else if !fence && is_prose(line) {
            paragraph.push_str(line);
            paragraph.push(' ');
        } else if paragraph.len() > 1 {
            break;
        }
        if paragraph.len() > PARAGRAPH_BYTES_MAX {
            break;
        }
    }
    cap(&fold(&paragraph), PARAGRAPH_BYTES_MAX)
}

fn is_ruler(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|b| b"=-~^*\"'#_".contains(&b))
}

fn is_prose(line: &str) -> bool {
    const MARKS: [&str; 14] = ["#", "- ", "* ", "+ ", ">", "<", "|", "![", "[![", "```", "~~~", "..", ":", "=="];
    let defines_link = line.starts_with('[') && line.contains("]:");
    !line.is_empty() && !defines_link && !MARKS.iter().any(|mark| line.starts_with(mark))
}

/// Sections in brackets, with the keys before the first one.
fn tables(found: &mut Found, text: &str) {
    let mut last = String::new();
    let mut inside = false;
    for line in lines(text) {
        if let Some(rest) = line.strip_prefix('[') {
            inside = true;
            let name = rest.trim_start_matches('[').split(']').next().unwrap_or_default();
            if name != last {
                found.push(Kind::Key, name, &format!("[{name}]"));
                name.clone_into(&mut last);
            }
        } else if (!inside || matches!(last.as_str(), "package" | "project")) && line.starts_with("description = \"") {
            found.description = quoted(line);
        } else if !inside
            && let Some((key, _)) = line.split_once('=')
            && is_key(key.trim_end())
        {
            found.push(Kind::Key, key, key);
        }
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"/$@ ".contains(c)) && !key.starts_with([' ', '-'])
}

/// Keys without indentation.
fn yaml_keys(found: &mut Found, text: &str) {
    for line in lines(text) {
        if let Some((key, rest)) = line.split_once(':')
            && (rest.is_empty() || rest.starts_with([' ', '\r']))
            && is_key(key)
        {
            let key = key.trim_matches('"');
            found.push(Kind::Key, key, key);
        }
    }
}

/// Keys of the outermost object.
fn json_keys(found: &mut Found, text: &str) {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(bytes, at);
                let colon = bytes[end..].iter().position(|b| !b.is_ascii_whitespace()).map(|gap| bytes[end + gap]);
                if depth == 1 && colon == Some(b':') {
                    let key = text.get(at + 1..end - 1).unwrap_or_default();
                    found.push(Kind::Key, key, key);
                    if key == "description" {
                        found.description = quoted(text.get(end..).unwrap_or_default());
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// The first text in double quotes, on one line.
fn quoted(text: &str) -> String {
    text.lines().next().and_then(|line| line.split('"').nth(1)).unwrap_or_default().to_owned()
}

/// The position after the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += 1 + usize::from(bytes[end] == b'\\');
    }
    (end + 1).min(bytes.len())
}

/// Targets of a makefile, recipes of a justfile.
fn targets(found: &mut Found, text: &str) {
    for line in lines(text) {
        let Some((head, rest)) = line.split_once(':') else { continue };
        let plain =
            !head.is_empty() && !head.starts_with(['\t', ' ', '#', '.', '$', '@']) && !head.contains(['=', '"', '\'', '(']);
        if plain && !rest.starts_with('=') && !rest.starts_with(":=") {
            let name = head.split_whitespace().next().unwrap_or_default();
            found.push(Kind::Target, name, head);
        }
    }
}

/// Stages and entry points of a container file.
fn stages(found: &mut Found, text: &str) {
    for line in lines(text) {
        let word = line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        if matches!(word.as_str(), "FROM" | "ENTRYPOINT" | "CMD" | "EXPOSE") {
            found.push(Kind::Target, line, line);
        }
    }
}

/// What a script of SQL creates.
fn statements(found: &mut Found, text: &str) {
    for line in lines(text) {
        let head = line.get(..7).unwrap_or_default();
        if head.eq_ignore_ascii_case("create ") {
            let line = line.split('(').next().unwrap_or(line).trim_end_matches([' ', ';']);
            let line = line.strip_suffix(" AS").or_else(|| line.strip_suffix(" as")).unwrap_or(line);
            found.push(Kind::Key, line, line);
        }
    }
}

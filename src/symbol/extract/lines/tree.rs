//! YAML and JSON: the keys of the outermost level, each with those below it, and what names the whole.

use super::found::Found;
use super::line::{indent, lines};
use crate::symbol::comment::{HASH, cap, fold};
use crate::symbol::head::file_paragraph;
use crate::symbol::outline::Kind;

/// Keys below one key that are named with it.
const BELOW_MAX: usize = 8;
/// Bytes of a key with what stands below it after which nothing more is shown.
const BELOW_BYTES_MAX: usize = 240;
/// How much of an item that is a text is shown.
const ITEM_BYTES_MAX: usize = 120;
/// Longest value that is shown.
const VALUE_BYTES_MAX: usize = 60;
/// Keys of the outermost level.
const KEYS_MAX: usize = 500;

/// Keys whose values say what a document is.
const NAMING: [&str; 22] = [
    "name",
    "headline",
    "kind",
    "title",
    "type",
    "id",
    "$id",
    "version",
    "apiVersion",
    "image",
    "compatible",
    "runs-on",
    "uses",
    "main",
    "package",
    "model",
    "label",
    "namespace",
    "class",
    "language",
    "engine",
    "module",
];

/// Keys whose values say what a document is for.
const DESCRIBING: [&str; 6] = [
    "description",
    "summary",
    "title",
    "headline",
    "abstract",
    "Comment",
];

/// A key of the outermost level with those below it.
#[derive(Default)]
struct Entry {
    key: String,
    value: String,
    below: Vec<String>,
    left: usize,
    /// What a key below says that it is for.
    about: String,
}

impl Entry {
    fn add(&mut self, key: &str, value: &str) {
        if DESCRIBING.contains(&key) && value.contains(' ') && self.about.is_empty() {
            unquoted(value).clone_into(&mut self.about);
        }
        if self.below.len() == BELOW_MAX {
            self.left += 1;
            return;
        }
        let text = shown(key, value);
        // The objects of a list have the same keys.
        if text.is_empty() || !self.below.contains(&text) {
            self.below.push(text);
        }
    }

    /// A key or an item of a list one level down. The first key of an object in a list says which one it is.
    fn add_line(&mut self, item: Option<&str>, pair: Option<(&str, &str)>) {
        match (item, pair) {
            (Some(_), Some((key, value)))
                if (1..=VALUE_BYTES_MAX).contains(&value.len())
                    && !value.starts_with(['|', '>'])
                    && !is_secret(key) =>
            {
                self.add(&format!("{key} {}", unquoted(value)), "");
            }
            (_, Some((key, value))) => self.add(key, value),
            (Some(item), None) => self.add(unquoted(without_comment(item)), ""),
            (None, None) => {}
        }
    }

    /// A word or a line more of the text over several lines that the last item of a list is.
    fn add_to_last(&mut self, more: &str) {
        if let Some(last) = self.below.last_mut().filter(|_| self.left == 0) {
            push_word(last, more);
        }
    }

    fn push_to(self, found: &mut Found) {
        let mut text = shown(&self.key, &self.value);
        let mut left = self.left;
        for (at, item) in self.below.iter().enumerate() {
            if at > 0 && text.len() > BELOW_BYTES_MAX {
                left += 1;
                continue;
            }
            text.push_str(if at == 0 { ": " } else { ", " });
            text.push_str(&cap(item, ITEM_BYTES_MAX));
        }
        if left > 0 {
            text = format!("{text}, +{left}");
        }
        if DESCRIBING.contains(&self.key.as_str())
            && self.value.contains(' ')
            && (found.doc.is_empty()
                || starts_amid(&found.doc)
                || self.key == DESCRIBING[0] && !starts_amid(&self.value))
        {
            found.doc.clone_from(&self.value);
        }
        if found.symbols.len() < KEYS_MAX {
            found.push(Kind::Key, &self.key, &text);
        } else {
            found.more += 1;
        }
    }
}

/// With which the outline of a workflow of GitHub begins.
pub(crate) const WORKFLOW: &str = "GitHub Actions workflow";

/// Whether a sentence speaks of what was named before it.
fn starts_amid(text: &str) -> bool {
    text.starts_with("It ")
}

/// Whether the value of a key is for no one to see.
pub(super) fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["secret", "secure", "pass", "token", "auth", "key"]
        .iter()
        .any(|word| key.contains(word))
}

/// A key, with its value where that names something.
fn shown(key: &str, value: &str) -> String {
    let value = fold(value.trim_matches(['"', '\'']));
    let is_telling = NAMING.iter().any(|name| name.eq_ignore_ascii_case(key))
        || matches!(&*value, "true" | "false");
    let is_shown = is_telling
        && !value.is_empty()
        && value.len() <= VALUE_BYTES_MAX
        && !value.starts_with(['|', '>', '&', '*', '{', '[', '$']);
    if is_shown {
        format!("{key} {value}")
    } else {
        key.to_owned()
    }
}

impl Entry {
    /// A key of the outermost level with what stands beside it; a text over several lines follows.
    fn of(key: &str, value: &str) -> Self {
        let value = if value.starts_with(['|', '>']) {
            ""
        } else {
            value
        };
        let value = cap(value, 300);
        // `[push, pull_request]`
        let list = value
            .strip_prefix('[')
            .and_then(|rest| rest.trim_end().strip_suffix(']'));
        let mut entry = Self {
            key: key.to_owned(),
            ..Self::default()
        };
        match list.filter(|list| !list.contains(['[', '{'])) {
            Some(list) => {
                let items = list
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty());
                items.for_each(|item| entry.add(unquoted(item), ""));
            }
            // What a workflow runs at says what it is.
            None if key == "on" && !value.is_empty() => entry.add(unquoted(&value), ""),
            None => unquoted(&value).clone_into(&mut entry.value),
        }
        entry
    }
}

/// Keys without indentation, with the keys or items of the level below.
pub(super) fn yaml(found: &mut Found, text: &str) {
    let mut open: Option<(Entry, Option<usize>)> = None;
    // A text over several lines: the key that it belongs to, and how far in it stands.
    let mut block: Option<usize> = None;
    let mut is_item = false;
    let mut comment = Vec::new();
    for line in lines(text) {
        let code = line.trim();
        if !code.starts_with(['#', '-']) && !code.is_empty() && comment.len() == 1 && open.is_none()
        {
            // One line that touches the first key is about that key, unless it is a sentence.
            comment.retain(|line: &&str| line.is_empty() || line.ends_with('.'));
        }
        if code.is_empty() || code.starts_with('#') {
            if found.symbols.is_empty() && open.is_none() {
                comment.push(code);
            }
            continue;
        }
        let columns = indent(line);
        if let Some(within) = block {
            if columns > within {
                match &mut open {
                    Some((entry, _)) if is_item => entry.add_to_last(code),
                    Some((entry, _)) if within == 0 => push_word(&mut entry.value, code),
                    _ => {}
                }
                continue;
            }
            (block, is_item) = (None, false);
        }
        let item = code.strip_prefix("- ").map(str::trim_start);
        // A text in quotes may hold a colon.
        let is_quoted = item.is_some_and(|item| item.starts_with(['"', '\'']));
        let pair = key_value(item.unwrap_or(code)).filter(|_| !is_quoted);
        if pair.is_some_and(|(_, value)| value.starts_with(['|', '>'])) {
            block = Some(columns);
        }
        if item.is_some_and(|item| pair.is_none() && item.starts_with(['|', '>'])) {
            block = Some(columns);
            is_item =
                (open.as_mut()).is_some_and(|(_, below)| *below.get_or_insert(columns) == columns);
            if let Some((entry, _)) = open.as_mut().filter(|_| is_item) {
                entry.add("", "");
            }
            continue;
        }
        if columns == 0 && item.is_none() {
            if let Some((entry, _)) = open.take() {
                entry.push_to(found);
            }
            open = pair.map(|(key, value)| (Entry::of(key, value), None));
        } else if columns == 0 && open.is_none() {
            // A list at the outermost level.
            let text = pair.map_or_else(
                || cap(item.unwrap_or(code), VALUE_BYTES_MAX),
                |(key, value)| shown(key, value),
            );
            found.push(Kind::Key, pair.map_or(text.as_str(), |(key, _)| key), &text);
        } else if let Some((entry, below)) = &mut open
            && *below.get_or_insert(columns) == columns
        {
            entry.add_line(item, pair);
        }
    }
    if let Some((entry, _)) = open {
        entry.push_to(found);
    }
    let said = file_paragraph(&comment.join("\n"), HASH);
    let said = Some(said).filter(|said| !said.is_empty());
    if found.doc.is_empty() {
        found.doc = said.or_else(|| workflow(found, text)).unwrap_or_default();
    }
}

/// What GitHub runs, and at what, by the keys that its documentation names.
fn workflow(found: &Found, text: &str) -> Option<String> {
    let of = |name: &str| found.symbols.iter().find(|symbol| symbol.name == name);
    let (on, _) = (of("on")?, of("jobs")?);
    let runs = ["runs-on:", "uses:"].iter().any(|key| text.contains(key));
    let name = of("name").and_then(|name| name.signature.strip_prefix("name "));
    let name = name.map_or_else(String::new, |name| format!(" {name}"));
    let at = on
        .signature
        .trim_start_matches("on")
        .trim_start_matches([':', ' ']);
    // Behind a comment the events stand in the lines below.
    let below = || at.split_once(", ").map_or("", |(_, below)| below);
    let at = if at.starts_with('#') { below() } else { at };
    let at = if at.is_empty() {
        String::new()
    } else {
        format!(", on {at}")
    };
    runs.then(|| format!("{WORKFLOW}{name}{at}."))
}

fn push_word(text: &mut String, more: &str) {
    if text.len() < 600 {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(more);
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

/// The key and the value of a line.
fn key_value(code: &str) -> Option<(&str, &str)> {
    let at = code
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| code[at + 1..].is_empty() || code[at + 1..].starts_with([' ', '\t']))?;
    let key = unquoted(code[..at].trim());
    let is_key = !key.is_empty()
        && key.len() <= 120
        && !key.contains(['{', '[', '`'])
        && key.split(' ').count() <= 6;
    is_key.then(|| (key, without_comment(code[at + 1..].trim())))
}

/// A value without the comment behind it; a text in quotes ends where they do.
fn without_comment(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let closed = quote.and_then(|quote| value[1..].find(quote));
    let from = closed.map_or(0, |at| at + 2);
    let end = value[from..].find(" #").map_or(value.len(), |at| from + at);
    value[..end].trim_end()
}

/// Keys of the outermost object with those of the objects in it; of a list what its first objects have.
pub(super) fn json(found: &mut Found, text: &str) {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    let mut open: Option<Entry> = None;
    // Where the outermost thing is a list, its objects are one level down.
    let base = usize::from(text.trim_start().starts_with('['));
    let mut objects = 0_u64;
    while at < bytes.len() {
        let is_told = base == 1 && found.symbols.len() > OBJECT_KEYS_MAX;
        match bytes[at] {
            b'{' | b'[' => {
                objects += u64::from(bytes[at] == b'{' && depth == base);
                depth += 1;
            }
            b'"' if is_told => {
                at = string_end(bytes, at);
                continue;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'/' if bytes[at..].starts_with(b"//") => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'"' => {
                let end = string_end(bytes, at);
                let word = text.get(at + 1..end - 1).unwrap_or_default();
                let rest = text[end..].trim_start();
                if let Some(rest) = rest.strip_prefix(':') {
                    let value = &scalar(rest.trim_start()).replace("\\\"", "\"");
                    if depth == base + 1 {
                        let done = open.replace(Entry {
                            key: word.to_owned(),
                            value: value.to_owned(),
                            ..Entry::default()
                        });
                        if let Some(done) = done {
                            done.push_to(found);
                        }
                    } else if let Some(entry) = open.as_mut().filter(|_| depth == base + 2) {
                        entry.add(word, value);
                    }
                } else if depth == base + 2
                    && !rest.is_empty()
                    && word.len() <= VALUE_BYTES_MAX
                    && let Some(entry) = open
                        .as_mut()
                        .filter(|entry| entry.value.is_empty() && is_item(bytes, at))
                {
                    entry.add(word, "");
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    if let Some(done) = open {
        // A single thing in a file is what the file is about.
        if found.doc.is_empty() && found.symbols.is_empty() {
            found.doc.clone_from(&done.about);
        }
        done.push_to(found);
    }
    source_map(found, text);
    if base == 1 {
        as_list(found, objects);
    }
}

/// What is said of a list: what one of many is about is not what the list is about, and all have the same keys.
fn as_list(found: &mut Found, objects: u64) {
    if objects > 1 {
        found.doc = format!("List of {objects} objects.");
    }
    let mut seen = std::collections::BTreeSet::new();
    found
        .symbols
        .retain(|symbol| seen.insert(symbol.name.clone()));
}

/// Keys of the objects of a list that are looked at.
const OBJECT_KEYS_MAX: usize = 40;

/// A source map (ECMA-426) says of which file it is, and its names are those of other files.
fn source_map(found: &mut Found, text: &str) {
    let has = |name: &str| found.symbols.iter().any(|symbol| symbol.name == name);
    if !["version", "sources", "mappings"].into_iter().all(has) {
        return;
    }
    // A name in the map can be `file`, too.
    let mut values = text
        .split("\"file\"")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix(':'));
    let file = values.find_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    found.doc = match file.filter(|file| !file.is_empty()) {
        Some(file) => format!("Source map of `{}`.", file.replace('`', "'")),
        None => "Source map.".to_owned(),
    };
    found.symbols.clear();
}

/// Whether what stands before a string makes it the item of a list.
fn is_item(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at]
        .iter()
        .rev()
        .take(200)
        .find(|byte| !byte.is_ascii_whitespace());
    matches!(before, Some(b'[' | b','))
}

/// Bytes of a text that are looked at.
const SCALAR_BYTES_MAX: usize = 400;

/// A value that is a text, without its quotes; nothing for others.
fn scalar(text: &str) -> &str {
    // The rest of a file can be one line.
    let window = &text[..text.floor_char_boundary(SCALAR_BYTES_MAX.min(text.len()))];
    let window = window.split('\n').next().unwrap_or_default();
    if !window.starts_with('"') {
        return "";
    }
    let whole = &window[..window.floor_char_boundary(string_end(window.as_bytes(), 0))];
    let rest = &whole[1..];
    rest.strip_suffix('"').unwrap_or(rest)
}

/// The position behind the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += 1 + usize::from(bytes[end] == b'\\');
    }
    (end + 1).min(bytes.len())
}

//! Reads an answer: which blocks are files, diffs and edits, and which files go or move.
//!
//! A path stands alone in a heading or a line, in backquotes, or bare right above its fence. A block without one is an
//! example: it is left out, with a note. Everything that looks like a change and is not understood is a misfit.

use super::{Act, Demand, Misfit, Wrong, block, diff};
use crate::base::TreePath;
use crate::base::fence::Fence;

/// Words that may stand beside a path in its heading.
const ASIDE: [&str; 12] = [
    "file", "new", "newfile", "create", "created", "change", "changed", "modify", "modified",
    "update", "updated", "path",
];
/// Languages of blocks that show what to type, and are no second file.
const CONSOLES: [&str; 7] = [
    "sh",
    "bash",
    "shell",
    "console",
    "text",
    "zsh",
    "shell-session",
];

/// What an answer says about files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// What it wants, in its order.
    pub wanted: Vec<Demand>,
    /// What of it cannot be understood.
    pub misfits: Vec<Misfit>,
    /// Blocks that are no files.
    pub notes: Vec<String>,
}

/// A path that was named, and what stood under it since.
struct Named {
    path: TreePath,
    /// The whole file stood there.
    is_given: bool,
    /// Edit blocks that stood there.
    edits: usize,
}

/// A fenced block.
struct Fenced<'a> {
    /// The line of the answer behind its opening fence, counted from 1.
    first: usize,
    language: &'a str,
    lines: Vec<&'a str>,
    is_closed: bool,
}

/// Reads an answer.
#[must_use]
pub fn read(answer: &str) -> Reading {
    let lines: Vec<&str> = answer.lines().collect();
    let mut said = Reading::default();
    let mut named: Option<Named> = None;
    let mut at = 0;
    while at < lines.len() {
        if let Some(fenced) = fenced(&lines, at) {
            let above = at.checked_sub(1).and_then(|above| bare_path(lines[above]));
            named = above.map(Named::new).or(named);
            at = fenced.first - 1 + fenced.lines.len() + usize::from(fenced.is_closed);
            take(&mut said, named.as_mut(), &fenced);
            continue;
        }
        let line = lines[at];
        at += 1;
        if let Some(act) = listed(line) {
            said.wanted.push(Demand { line: at, ..act });
        } else if let Some(path) = heading(line) {
            named = Some(Named::new(path));
        } else if line.starts_with('#') {
            named = None;
        }
    }
    said
}

impl Named {
    fn new(path: TreePath) -> Self {
        Self {
            path,
            is_given: false,
            edits: 0,
        }
    }
}

/// Takes one block.
fn take(said: &mut Reading, mut named: Option<&mut Named>, fenced: &Fenced<'_>) {
    let lines = &fenced.lines[..];
    let is_diff = diff::is_diff(fenced.language, lines);
    // A diff that says its own paths may stand behind the file that the path above it was for.
    let is_used = |named: &Named| named.is_given || named.edits > 0;
    let is_own = is_diff && diff::names_files(lines);
    let path = named
        .as_ref()
        .filter(|named| !(is_own && is_used(named)))
        .map(|named| named.path.clone());
    let line = fenced.first - 1;
    let wrong = |wrong| Misfit {
        path: path.clone(),
        place: None,
        line,
        wrong,
    };
    let unnamed = || format!("the block at line {line} names no file, and is left out");
    let read = if is_diff {
        if let Some(named) = named.filter(|_| path.is_some()) {
            named.edits += 1;
        }
        diff::read(lines, fenced.first, path.as_ref())
    } else if block::begins(lines) {
        let before = named.as_ref().map_or(0, |named| named.edits);
        let edits = block::read(lines, fenced.first, before);
        edits.and_then(|edits| {
            let named = named.as_mut().ok_or_else(|| vec![wrong(Wrong::NoPath)])?;
            named.edits += edits.len();
            let (path, act) = (named.path.clone(), Act::Edit(edits));
            Ok(vec![Demand { path, line, act }])
        })
    } else if let Some(named) = named.as_mut() {
        if is_used(named) && CONSOLES.contains(&fenced.language) {
            said.notes.push(unnamed());
            Ok(Vec::new())
        } else if is_used(named) {
            Err(vec![wrong(Wrong::Twice)])
        } else {
            named.is_given = true;
            let (path, act) = (named.path.clone(), Act::Whole(text(lines)));
            Ok(vec![Demand { path, line, act }])
        }
    } else {
        said.notes.push(unnamed());
        Ok(Vec::new())
    };
    match read {
        Ok(wanted) => said.wanted.extend(wanted),
        Err(misfits) => {
            let with_path = |misfit: Misfit| Misfit {
                path: misfit.path.or_else(|| path.clone()),
                ..misfit
            };
            said.misfits.extend(misfits.into_iter().map(with_path));
        }
    }
    if !fenced.is_closed {
        said.misfits.push(wrong(Wrong::Unclosed));
    }
}

fn text(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// The fenced block that opens at a line (CommonMark 0.31, section 4.5).
fn fenced<'a>(lines: &[&'a str], at: usize) -> Option<Fenced<'a>> {
    let (indent, open) = fence(lines[at])?;
    let mut fenced = Fenced {
        first: at + 2,
        language: open.info.split_whitespace().next().unwrap_or_default(),
        lines: Vec::new(),
        is_closed: false,
    };
    for line in &lines[at + 1..] {
        if fence(line).is_some_and(|(_, fence)| fence.closes(&open)) {
            fenced.is_closed = true;
            break;
        }
        let spaces = line
            .bytes()
            .take(indent)
            .take_while(|byte| *byte == b' ')
            .count();
        fenced.lines.push(&line[spaces..]);
    }
    Some(fenced)
}

/// A fence with its indentation; further in than three spaces there is none.
fn fence(line: &str) -> Option<(usize, Fence<'_>)> {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let is_near = indent <= 3 && !text.starts_with('\t');
    Some((indent, Fence::read(text)?)).filter(|_| is_near)
}

/// A path that stands alone in backquotes, in a heading or a line, but for a number and words like "new file".
fn heading(line: &str) -> Option<TreePath> {
    let (before, rest) = line.trim().split_once('`')?;
    let (path, after) = rest.split_once('`')?;
    if after.contains('`') {
        return None;
    }
    let is_aside = |text: &str| {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_lowercase).all(|word| {
            ASIDE.contains(&word.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    // An item of a list is a line about a file, and not its heading.
    let is_item = before.starts_with("- ") || before.starts_with("+ ") || before.starts_with("* ");
    (is_aside(before) && is_aside(after) && !is_item)
        .then(|| path_of(path))
        .flatten()
}

/// A path that is all of a line, right above its fence.
fn bare_path(line: &str) -> Option<TreePath> {
    let text = line.trim().trim_matches('*').trim_end_matches(':');
    let is_one_word = !text.is_empty() && !text.contains(char::is_whitespace);
    let is_path = is_one_word && text.contains(['/', '.']) && !text.contains('`');
    (is_path && !text.ends_with('.') && !text.starts_with('#'))
        .then(|| path_of(text))
        .flatten()
}

/// The text as a path, where it looks like one: with a `/` or a dot, or as names like `Makefile` and `LICENSE` do.
fn path_of(text: &str) -> Option<TreePath> {
    let text = text.trim();
    let text = text.strip_prefix("./").unwrap_or(text);
    let is_known = text.ends_with("file") || text.bytes().all(|byte| byte.is_ascii_uppercase());
    (text.contains(['/', '.']) || is_known && !text.is_empty()).then(|| TreePath::from(text))
}

/// ``- delete `path` `` and ``- rename `path` to `path` ``.
fn listed(line: &str) -> Option<Demand> {
    let item = line.trim().strip_prefix(['-', '*', '+'])?.trim();
    let item = item.strip_suffix('.').unwrap_or(item);
    let mut parts = item.split('`');
    let (verb, path) = (parts.next()?.trim().to_lowercase(), path(parts.next()?));
    let act = match (
        verb.as_str(),
        parts.next()?.trim(),
        parts.next(),
        parts.next(),
    ) {
        ("delete" | "remove", "", None, None) => Act::Delete,
        ("rename" | "move", "to" | "->" | "→", Some(to), Some("")) if parts.next().is_none() => {
            Act::Rename(self::path(to))
        }
        _ => return None,
    };
    Some(Demand { path, line: 0, act })
}

fn path(text: &str) -> TreePath {
    let text = text.trim();
    TreePath::from(text.strip_prefix("./").unwrap_or(text))
}

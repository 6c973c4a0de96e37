//! Declarations of a programming language without a grammar, by its key words and its indentation.
//!
//! A declaration begins a line with a key word of its language, behind words such as `private`. What is indented below a
//! type or module belongs to it; what is indented below anything else is a body, and is not looked at. That is so in
//! languages with braces, with `end` and with layout alike, as far as people indent their code. Brackets that are open at
//! the start of a line make it a part of the line before.

use std::borrow::Cow;

use super::found::Found;
use super::line::{LINE_BYTES_MAX, after, indent, is_word};
use super::lua::{leave_assigned, with_plain_brackets};
use super::m4;
use super::mask::{COMMENT, mask};
use crate::base::number::to_u32;
use crate::symbol::comment::{self, Style};
use crate::symbol::language::Language;
use crate::symbol::outline::{DEPTH_MAX, Kind, SIGNATURE_BYTES_MAX, Span, Symbol};

/// Lines of one declaration that are looked at for its end.
const SIGNATURE_LINES_MAX: usize = 24;
/// Lines of a block of Terraform that are looked at for its description.
const DESCRIPTION_LINES_MAX: usize = 6;
/// Longest value of a constant that is shown.
const VALUE_BYTES_MAX: usize = 48;
/// Words before the key word of one declaration.
const BEFORE_MAX: usize = 12;

/// What a language looks like.
pub(super) struct Row {
    pub language: Language,
    /// Key words with what they declare; the first that fits counts, so longer ones stand first.
    pub words: &'static [(&'static str, Kind)],
    /// Words that may stand before them.
    pub before: &'static [&'static str],
    /// Words, among both, that say that no other file uses it.
    pub private: &'static [&'static str],
    /// Characters of names beside letters, digits and `_`.
    pub name: &'static str,
    /// Words that begin an import.
    pub imports: &'static [&'static str],
    /// What only this language has.
    pub odd: Odd,
    /// Declarations without a key word: the kind, the place of the name in the line, and whether others may use it.
    pub special: Option<fn(&Line<'_>) -> Option<Special>>,
}

/// Ways in which languages differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Odd {
    No,
    /// Everything stands in round brackets.
    Lisp,
    /// Only what one of these words stands before is seen elsewhere.
    Needs(&'static str),
    /// Names with a `_` in front are seen in their own file only.
    Underscore,
    /// The same, and a type may stand before a name.
    TypeFirst,
}

/// A declaration without a key word.
pub(super) struct Special {
    pub kind: Kind,
    pub name: std::ops::Range<usize>,
    pub is_public: bool,
}

/// A line of code, without comments and with strings as quotes.
pub(super) struct Line<'l> {
    /// Without white space at both ends.
    pub code: &'l str,
    /// The same as it is written.
    pub text: &'l str,
    pub indent: usize,
    /// What it stands in; `None` at the level of the file.
    pub owner: Option<Kind>,
}

impl Row {
    fn hides_underscore(&self) -> bool {
        matches!(self.odd, Odd::Underscore | Odd::TypeFirst)
    }

    /// How comments look.
    pub(super) fn style(&self) -> Style {
        self.language.comment_style()
    }
}

/// Reads the declarations of a text.
pub(super) fn read(found: &mut Found, text: &str, row: &Row) {
    let Some(marks) = row.language.marks() else {
        return;
    };
    let masked = mask(text, &marks);
    // Whole characters were replaced, byte by byte.
    let Ok(code) = String::from_utf8(masked) else {
        return;
    };
    let mut reader = ByteReader {
        text,
        code: &code,
        row,
        open: Vec::new(),
        brackets: 0,
        doc_from: None,
    };
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        reader.line(found, at, line);
        at += line.len();
    }
    while let Some(open) = reader.open.pop() {
        reader.close(found, open, text.len());
    }
    if row.language == Language::Lua {
        leave_assigned(&mut found.symbols, &code);
    }
}

/// A block that lines further in belong to.
struct Open {
    indent: usize,
    /// What was declared; `None` for a body.
    symbol: Option<Symbol>,
}

/// What stands in a line behind its indentation, and where.
#[derive(Clone, Copy)]
struct Start<'l> {
    at: usize,
    code: &'l str,
    columns: usize,
}

struct ByteReader<'t> {
    text: &'t str,
    code: &'t str,
    row: &'t Row,
    open: Vec<Open>,
    /// Round and square brackets that are open.
    brackets: usize,
    /// Where the comment or annotation begins that the next line may belong to.
    doc_from: Option<usize>,
}

impl ByteReader<'_> {
    fn line(&mut self, found: &mut Found, at: usize, line: &str) {
        let code = line.trim();
        if code.is_empty() {
            let is_comment = self
                .text
                .get(at..at + line.len())
                .is_some_and(|text| !text.trim().is_empty());
            self.doc_from = is_comment.then(|| self.doc_from.unwrap_or(at));
            return;
        }
        let columns = indent(line);
        let is_autoconf = self.row.language == Language::Autoconf;
        // There the body of a macro may stand at the start of a line.
        let begins = code.starts_with(is_word) && (!is_autoconf || m4::begins_macro(code));
        if columns == 0 && begins || self.row.odd == Odd::Lisp {
            self.brackets = 0;
        }
        let is_chained = code.starts_with('.') && !self.row.name.contains('.');
        let is_part = is_chained
            || self.brackets > 0
            || self.open.last().is_some_and(|open| open.indent == columns)
                && self.goes_on_with(code)
            || code.starts_with([')', ']', '}', '{', '|', '&', ',', '"']);
        match self.text.get(at..at + line.len()).filter(|_| is_autoconf) {
            Some(quoted) => self.brackets = m4::open_quotes(quoted, self.brackets),
            None => self.count_brackets(code),
        }
        if is_part || line.len() > LINE_BYTES_MAX {
            // There a text above a declaration is about it; elsewhere it is the rest of a string.
            let has_texts = matches!(self.row.language, Language::Elixir | Language::Julia);
            let is_text = has_texts && code.starts_with('"');
            self.doc_from = is_text.then(|| self.doc_from.unwrap_or(at));
            return;
        }
        let from = at + (line.len() - line.trim_start().len());
        let skipped = annotations(code, self.row);
        if skipped == code.len() {
            self.doc_from = Some(self.doc_from.unwrap_or(at));
            return;
        }
        while self.open.last().is_some_and(|open| open.indent >= columns) {
            if let Some(open) = self.open.pop() {
                self.close(found, open, at);
            }
        }
        let owner = self
            .open
            .last()
            .map(|open| open.symbol.as_ref().map(|symbol| symbol.kind));
        let is_body = owner.is_some_and(|kind| !kind.is_some_and(is_container));
        if is_body {
            self.doc_from = None;
            return;
        }
        let owner = owner.flatten();
        let line = Start {
            at: from + skipped,
            code: &code[skipped..],
            columns,
        };
        let symbol = self.declaration(found, line, owner);
        self.doc_from = None;
        // Where everything is an expression, what opens a brace is no body.
        let is_passed =
            matches!(self.row.language, Language::Nix | Language::Jsonnet) && symbol.is_none();
        if !is_passed {
            self.open.push(Open {
                indent: columns,
                symbol,
            });
        }
    }

    /// Whether a line of Kotlin is more of the class above it: its constructor, what it extends, bounds of its types.
    fn goes_on_with(&self, code: &str) -> bool {
        const WORDS: [&str; 5] = ["internal ", "private ", "protected ", "public ", "actual "];
        let mut bare = code;
        while let Some(rest) = WORDS.iter().find_map(|word| bare.strip_prefix(word)) {
            bare = rest;
        }
        self.row.language == Language::Kotlin
            && (bare.starts_with("constructor(")
                || code.starts_with(": ")
                || code.starts_with("where "))
    }

    fn count_brackets(&mut self, code: &str) {
        for byte in code.bytes() {
            match byte {
                b'(' | b'[' => self.brackets += 1,
                b')' | b']' => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Ends a block; what was declared goes to what it stands in.
    fn close(&mut self, found: &mut Found, open: Open, end: usize) {
        let Some(mut symbol) = open.symbol else {
            return;
        };
        let own = &self.text[symbol.span.start as usize..end];
        symbol.span.end = symbol.span.start + to_u32(own.trim_end().len());
        let around = self
            .open
            .iter_mut()
            .rev()
            .find_map(|open| open.symbol.as_mut());
        let siblings = around.map_or(&mut found.symbols, |around| &mut around.children);
        // A function in several clauses is one.
        let is_clause = matches!(self.row.language, Language::Erlang | Language::Elixir)
            && siblings
                .last()
                .is_some_and(|last| last.name == symbol.name && last.kind == symbol.kind);
        if !is_clause {
            siblings.push(symbol);
        }
    }

    fn declaration(
        &mut self,
        found: &mut Found,
        line: Start<'_>,
        owner: Option<Kind>,
    ) -> Option<Symbol> {
        let Start { at, code, columns } = line;
        for word in self.row.imports {
            if let Some(rest) = after(code, word).filter(|rest| !rest.is_empty() && owner.is_none())
            {
                let from = at + code.len() - rest.len();
                found.push_import(&self.text[from..from + rest.len()]);
                return None;
            }
        }
        let depth = self
            .open
            .iter()
            .filter(|open| open.symbol.is_some())
            .count();
        let (kind, name, is_public) = self
            .head(at, code, columns, owner)
            .filter(|_| depth < DEPTH_MAX - 1)?;
        let kind = member_kind(kind, owner);
        let text = self.text.get(at + name.start..at + name.end)?;
        let text = if kind == Kind::Test {
            text
        } else {
            text.trim_matches(['"', '\'', '`'])
        };
        // `companion object {`
        let is_companion = self.row.language == Language::Kotlin && text == "object";
        let text = if is_companion { "Companion" } else { text };
        // Of a part of a query nothing but its name is short.
        let is_part = kind == Kind::Test || kind == Kind::Key && self.row.language == Language::Sql;
        let signature = if is_part {
            text.to_owned()
        } else {
            self.signature(at, kind)
        };
        let mut symbol = found.make(kind, &text.replace("\" \"", "."), &signature)?;
        symbol.public = is_public && kind != Kind::Test;
        symbol.doc = self.doc(at, kind);
        symbol.span = Span {
            start: to_u32(at),
            end: to_u32(at),
            name: to_u32(at + name.start),
            body: to_u32(at),
        };
        Some(symbol)
    }

    /// The kind, the place of the name within the line, and whether other files may use it.
    fn head(
        &self,
        at: usize,
        code: &str,
        columns: usize,
        owner: Option<Kind>,
    ) -> Option<(Kind, std::ops::Range<usize>, bool)> {
        let row = self.row;
        let mut rest = if row.odd == Odd::Lisp {
            code.strip_prefix('(').filter(|_| columns == 0)?
        } else {
            code
        };
        let (mut is_private, mut is_shown) = (false, !matches!(row.odd, Odd::Needs(_)));
        for _ in 0..BEFORE_MAX {
            if let Some((word, kind, next)) = row
                .words
                .iter()
                .find_map(|(word, kind)| Some((*word, *kind, after(rest, word)?)))
            {
                is_private |= row.private.contains(&word);
                let next = after(next, "if not exists")
                    .or_else(|| after(next, "if exists"))
                    .unwrap_or(next);
                let from = code.len() - next.len();
                let has_type = row.odd == Odd::TypeFirst && !is_container(kind);
                let name = name(next, row, has_type)
                    .map(|name| from + name.start..from + name.end)
                    .filter(|name| !name.is_empty());
                // `companion object {`
                let own = code.len() - rest.len()..code.len() - rest.len() + word.len();
                let is_nameless = (is_container(kind) || kind == Kind::Key)
                    && (next.is_empty() || next.starts_with('{'));
                let name = if is_nameless { own } else { name? };
                is_private |= row.hides_underscore() && code[name.clone()].starts_with('_');
                return Some((kind, name, is_shown && !is_private));
            }
            let Some((word, next)) = row
                .before
                .iter()
                .find_map(|word| Some((*word, after(rest, word)?)))
            else {
                break;
            };
            is_private |= row.private.contains(&word);
            is_shown |= matches!(row.odd, Odd::Needs(wanted) if wanted == word);
            rest = behind_brackets(next);
        }
        let text = self.text.get(at..at + code.len())?;
        let special = row.special?(&Line {
            code,
            text,
            indent: columns,
            owner,
        })?;
        let is_hidden = row.hides_underscore() && code[special.name.clone()].starts_with('_');
        Some((special.kind, special.name, special.is_public && !is_hidden))
    }

    /// The declaration without its body and without comments.
    fn signature(&self, at: usize, kind: Kind) -> String {
        let mut end = at;
        let mut brackets = 0_usize;
        let mut lines = self.code[at..]
            .split_inclusive('\n')
            .take(SIGNATURE_LINES_MAX)
            .peekable();
        while let Some(line) = lines.next() {
            if let Some(cut) = cut(line, &mut brackets, kind, self.row) {
                end += cut;
                break;
            }
            end += line.len();
            let goes_on = brackets > 0
                || line.trim_end().ends_with([',', '\\'])
                || line.trim_end().ends_with("::")
                || self.row.language == Language::Kotlin && line.trim_end().ends_with(':')
                || is_container(kind)
                    && lines
                        .peek()
                        .is_some_and(|next| self.goes_on_with(next.trim()))
                || line.trim().is_empty();
            if !goes_on || end - at > 4 * SIGNATURE_BYTES_MAX {
                break;
            }
        }
        let code = self.code.as_bytes();
        let shown = |(place, c): &(usize, char)| c.is_whitespace() || code[at + place] != COMMENT;
        let text: String = self.text[at..end]
            .char_indices()
            .filter(shown)
            .map(|(_, c)| c)
            .collect();
        let text = text
            .trim_end()
            .trim_end_matches(['{', ';', ',', '=', '\\'])
            .trim_end();
        let ends = [" do", " is", " begin", " then", " where", "->"];
        let text = ends
            .iter()
            .find_map(|end| text.strip_suffix(end))
            .unwrap_or(text)
            .trim_end();
        match self.row.language {
            Language::Autoconf => m4::head(text, kind),
            _ => text.to_owned(),
        }
    }

    /// The first paragraph of the comment above, or of the text that a body begins with.
    fn doc(&self, at: usize, kind: Kind) -> String {
        let above = self
            .doc_from
            .and_then(|from| self.text.get(from..at))
            .filter(|_| self.row.odd != Odd::Lisp)
            .unwrap_or_default();
        let above = match self.row.language {
            Language::Lua => Cow::Owned(with_plain_brackets(above)),
            _ => unquoted(above),
        };
        let said = comment::paragraph(&above, self.row.style());
        if !said.is_empty() {
            return said;
        }
        let next = self.text[at..]
            .split_once('\n')
            .map_or("", |(_, next)| next.trim_start());
        if self.row.language == Language::Terraform {
            let mut lines = next
                .lines()
                .take(DESCRIPTION_LINES_MAX)
                .take_while(|line| !line.starts_with('}'));
            let said =
                lines.find_map(|line| after(line.trim_start(), "description")?.strip_prefix('='));
            return said.map_or_else(String::new, |said| {
                comment::paragraph(said.trim().trim_matches('"'), comment::NONE)
            });
        }
        // A text in the line below a value is the value, but for Lisp, which puts it behind.
        let is_value = matches!(kind, Kind::Constant | Kind::Variable | Kind::Field);
        if is_value && self.row.odd != Odd::Lisp {
            return String::new();
        }
        let next = next.strip_prefix("@moduledoc").unwrap_or(next).trim_start();
        let text = next
            .strip_prefix('"')
            .map(|text| text.trim_start_matches('"'));
        text.map_or_else(String::new, |text| {
            comment::paragraph(text.split('"').next().unwrap_or_default(), comment::NONE)
        })
    }
}

/// A text without the quotes and words around a text that documents.
fn unquoted(text: &str) -> Cow<'_, str> {
    if !text.contains('"') {
        return Cow::Borrowed(text);
    }
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches("@doc ").trim_matches('"'));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// What has members.
fn is_container(kind: Kind) -> bool {
    use Kind::{Class, Enum, Implementation, Interface, Module, Struct, Type};
    matches!(
        kind,
        Class | Enum | Implementation | Interface | Module | Struct | Type
    )
}

/// Functions and values of a type are its methods and fields.
fn member_kind(kind: Kind, owner: Option<Kind>) -> Kind {
    match (kind, owner.filter(|owner| *owner != Kind::Module)) {
        (Kind::Function, Some(_)) => Kind::Method,
        (Kind::Variable, Some(_)) => Kind::Field,
        (kind, _) => kind,
    }
}

/// How much of a line is annotations.
fn annotations(code: &str, row: &Row) -> usize {
    let mut rest = code;
    loop {
        let is_word_of_row = row
            .words
            .iter()
            .any(|(word, _)| word.starts_with('@') && after(rest, word).is_some());
        let next = match rest.as_bytes() {
            _ if is_word_of_row => return code.len() - rest.len(),
            [b'@', next, ..] if next.is_ascii_alphabetic() => {
                let end = rest[1..]
                    .find(|c: char| !is_word(c) && c != '.' && c != ':')
                    .map_or(rest.len(), |end| end + 1);
                let behind = behind_brackets(&rest[end..]);
                // What an annotation of this language says up to the end of its line.
                if row.language == Language::Elixir {
                    ""
                } else {
                    behind
                }
            }
            [b'#', b'[', ..] | [b'[', b'<', ..] => {
                rest.find(']').map_or("", |end| &rest[end + 1..])
            }
            _ => return code.len() - rest.len(),
        };
        rest = next.trim_start();
    }
}

/// What stands behind round brackets at the start of a text.
fn behind_brackets(text: &str) -> &str {
    let mut depth = 0_usize;
    if !text.starts_with('(') {
        return text;
    }
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start();
        }
    }
    ""
}

/// The place of the name in what follows a key word: behind type parameters and a receiver.
fn name(text: &str, row: &Row, has_type: bool) -> Option<std::ops::Range<usize>> {
    let is_part = |c: char| is_word(c) || row.name.contains(c);
    let skipped = |at: usize| at + (text[at..].len() - text[at..].trim_start().len());
    let mut at = behind_angles(text, 0).map_or(0, skipped);
    if text[at..].starts_with('"') {
        return Some(quoted_names(text, at));
    }
    if text[at..].starts_with('{') && row.name.contains('{') {
        // Tcl quotes with braces.
        let end = text[at..].find('}')?;
        return Some(at + 1..at + end);
    }
    if row.name.contains('`')
        && let Some(inner) = text[at..].strip_prefix('`')
    {
        return inner.find('`').map(|end| at + 1..at + 1 + end);
    }
    if row.name.contains('(') {
        at += text[at..].len() - text[at..].trim_start_matches(['(', '[', ' ']).len();
    }
    loop {
        let end = text[at..]
            .find(|c: char| !is_part(c))
            .map_or(text.len(), |end| at + end);
        // A receiver: `List<T>.name`.
        let behind = behind_angles(text, end).unwrap_or(end);
        if text[behind..].starts_with("?.") || behind > end && text[behind..].starts_with('.') {
            at = behind + text[behind..].find('.').unwrap_or_default() + 1;
            continue;
        }
        if end == at {
            // An operator.
            let end = text[at..]
                .find(|c: char| c.is_alphanumeric() || c.is_whitespace() || "({[\"'".contains(c));
            return end
                .filter(|end| (1..4).contains(end))
                .map(|end| at..at + end);
        }
        // The type stands before the name.
        let next = skipped(behind + usize::from(text[behind..].starts_with('?')));
        if has_type && next > end && text[next..].starts_with(is_word) {
            at = next;
            continue;
        }
        let from = text[at..end]
            .trim_end_matches('.')
            .rfind(['.', ':'])
            .map_or(at, |dot| at + dot + 1);
        return Some(from..end);
    }
}

/// The names between quotes: `"aws_subnet" "private"`.
fn quoted_names(text: &str, at: usize) -> std::ops::Range<usize> {
    let is_part = |c: char| c == '"' || c == ' ';
    let end = text[at..]
        .find(|c: char| !is_part(c))
        .map_or(text.len(), |end| at + end);
    at..at + text[at..end].trim_end().len()
}

/// The place behind what stands between angle brackets.
fn behind_angles(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    text[at..].starts_with('<').then_some(())?;
    for (place, byte) in text[at..].bytes().enumerate().take(SIGNATURE_BYTES_MAX) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b'(' | b'{' | b'=' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + place + 1);
        }
    }
    None
}

/// Where the body begins in a line of a declaration: at a brace, or at a value that is not shown.
fn cut(line: &str, brackets: &mut usize, kind: Kind, row: &Row) -> Option<usize> {
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' => *brackets += 1,
            b')' | b']' => *brackets = brackets.saturating_sub(1),
            // What a test of R does is an argument.
            b'{' if *brackets == 0 || row.language == Language::R => return Some(at),
            b';' if *brackets == 0 && row.odd != Odd::Lisp => return Some(at),
            b'=' if *brackets == 0 && is_assignment(bytes, at) => {
                let value = line[at..].trim_end();
                let is_value = matches!(
                    kind,
                    Kind::Constant | Kind::Variable | Kind::Field | Kind::Type | Kind::Variant
                );
                let is_short = is_value && value.len() <= VALUE_BYTES_MAX && !value.contains('{');
                // What is called is shown with what it is given.
                let is_call = line[..at].trim_end().ends_with(is_word) && is_value && is_short;
                if !is_call && !is_short {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a sign stands alone, and not in `==`, `=>`, `<=`.
fn is_assignment(bytes: &[u8], at: usize) -> bool {
    let before = at
        .checked_sub(1)
        .and_then(|at| bytes.get(at))
        .copied()
        .unwrap_or(b' ');
    let behind = bytes.get(at + 1).copied().unwrap_or(b' ');
    !b"=<>!+-*/~".contains(&before) && !b"=>~".contains(&behind)
}

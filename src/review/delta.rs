//! What of a signature differs, in as few words as say it: `redirect(…, code: int = 302→303, …)`.

use super::declaration::Declaration;
use super::signature::{is_word, parts};
use crate::symbol::{Visibility, string_length};

/// A piece of what is said about a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it was.
    Same(String),
    /// What went.
    Old(String),
    /// What came.
    New(String),
}

/// Stands for what is as it was and is not shown.
const ELIDED: &str = "…";
/// Longest text of a side that is shown whole.
const SIDE_CHARS_MAX: usize = 160;

/// A declaration by its name, and what differs between its two signatures.
#[must_use]
pub fn delta(old: &Declaration, new: &Declaration) -> Vec<Piece> {
    let mut out = Pieces::default();
    attributes(old, new, &mut out);
    let [old_signature, new_signature] = without_one_value(old, new);
    let before = parts(old_signature, &old.own);
    let after = parts(new_signature, &new.own);
    let (Some(before), Some(after)) = (before, after) else {
        out.same(&new.name);
        if old_signature != new_signature {
            out.same(": ");
            changed(old_signature, new_signature, &mut out);
        }
        return out.0;
    };
    if before.lead != after.lead {
        leads(before.lead, after.lead, &mut out);
        out.same(" ");
    }
    out.same(&new.name);
    if before.generics != after.generics {
        changed(before.generics, after.generics, &mut out);
    }
    match (&before.parameters, &after.parameters) {
        (Some(old), Some(new)) if old != new => {
            out.same("(");
            list(old, new, &mut out);
            out.same(")");
        }
        (Some(_), Some(_)) | (None, None) => {}
        (Some(old), None) => out.gone(&format!("({})", old.join(", "))),
        (None, Some(new)) => out.come(&format!("({})", new.join(", "))),
    }
    if before.behind != after.behind {
        let is_tight =
            before.behind.starts_with([':', ' ']) || after.behind.starts_with([':', ' ']);
        out.same(if is_tight { "" } else { " " });
        changed(before.behind, after.behind, &mut out);
    }
    if old.own_visibility != new.own_visibility && before.lead == after.lead {
        out.same(" ");
        out.gone(visibility(old));
        out.come(visibility(new));
    }
    out.0
}

/// Both signatures. Where the value of one side is too long to stand in its signature, that of the other is left out as well: it
/// neither came nor went.
fn without_one_value<'d>(old: &'d Declaration, new: &'d Declaration) -> [&'d str; 2] {
    let cut = |short: &'d Declaration, long: &Declaration| {
        let has_long = short.value.is_empty() && !long.value.is_empty();
        let value = short.signature.find(" = ").filter(|_| has_long);
        &short.signature[..value.unwrap_or(short.signature.len())]
    };
    [cut(old, new), cut(new, old)]
}

fn visibility(declaration: &Declaration) -> &'static str {
    match declaration.own_visibility {
        Visibility::Public => "public",
        Visibility::Package => "in its package",
        Visibility::Private => "private",
    }
}

#[derive(Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn same(&mut self, text: &str) {
        if let Some(Piece::Same(last)) = self.0.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.0.push(Piece::Same(text.to_owned()));
        }
    }

    fn gone(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Piece::Old(short(text)));
        }
    }

    fn come(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Piece::New(short(text)));
        }
    }
}

fn short(text: &str) -> String {
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(SIDE_CHARS_MAX).collect();
    if chars.next().is_some() {
        kept + ELIDED
    } else {
        kept
    }
}

fn attributes(old: &Declaration, new: &Declaration, out: &mut Pieces) {
    let missing = |one: &'_ Declaration, other: &'_ Declaration| {
        let kept = one
            .attributes
            .iter()
            .filter(|text| !other.attributes.contains(text));
        kept.cloned().collect::<Vec<_>>()
    };
    let (gone, come) = (missing(old, new), missing(new, old));
    for at in 0..gone.len().max(come.len()) {
        match (gone.get(at), come.get(at)) {
            (Some(gone), Some(come)) => changed(gone, come, out),
            (gone, come) => {
                out.gone(gone.map_or("", String::as_str));
                out.come(come.map_or("", String::as_str));
            }
        }
        out.same(" ");
    }
}

/// The words before a name: `pub` becomes `pub(crate)` as a whole.
fn leads(old: &str, new: &str, out: &mut Pieces) {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_whitespace().collect(),
        new.split_whitespace().collect(),
    );
    let start = old
        .iter()
        .zip(&new)
        .take_while(|(one, other)| one == other)
        .count();
    let most = old.len().min(new.len()) - start;
    let pairs = old.iter().rev().zip(new.iter().rev());
    let end = pairs
        .take(most)
        .take_while(|(one, other)| one == other)
        .count();
    let join = |words: &[&str]| words.join(" ");
    if start > 0 {
        out.same(&(join(&old[..start]) + " "));
    }
    out.gone(&join(&old[start..old.len() - end]));
    out.come(&join(&new[start..new.len() - end]));
    if end > 0 {
        out.same(&(" ".to_owned() + &join(&old[old.len() - end..])));
    }
}

/// Two texts: what both begin and end with, and the words between.
fn changed(old: &str, new: &str, out: &mut Pieces) {
    let (old_words, new_words) = (words(old), words(new));
    let start = old_words
        .iter()
        .zip(&new_words)
        .take_while(|(one, other)| one == other)
        .count();
    let start = behind_name(&old_words, &new_words, start);
    let most = old_words.len().min(new_words.len()) - start;
    let end = old_words
        .iter()
        .rev()
        .zip(new_words.iter().rev())
        .take(most)
        .take_while(|(one, other)| one == other)
        .count();
    let end = balanced_end(&old_words, &new_words, start, end);
    let middle = |words: &[&str]| words[start..words.len() - end].concat();
    out.same(&cut_start(&old_words[..start].concat()));
    let (gone, come) = (middle(&old_words), middle(&new_words));
    out.gone(gone.trim_end());
    out.come(come.trim_end());
    if come.ends_with(' ') || gone.ends_with(' ') {
        out.same(" ");
    }
    out.same(&cut_end(&old_words[old_words.len() - end..].concat()));
}

/// How many words at the start stay: fewer where a name with dots would be cut, which is read as a whole.
fn behind_name(old: &[&str], new: &[&str], start: usize) -> usize {
    let is_name = |word: Option<&&str>| word.is_some_and(|word| word.starts_with(is_word));
    let mut start = start;
    while start > 1
        && old[start - 1] == "."
        && is_name(old.get(start - 2))
        && (is_name(old.get(start)) || is_name(new.get(start)))
    {
        start -= 2;
    }
    start
}

/// How many words at the end stay: fewer where a bracket would be opened on one side of the change and closed behind it.
fn balanced_end(old: &[&str], new: &[&str], start: usize, end: usize) -> usize {
    let depth = |words: &[&str]| {
        let step = |word: &&str| match *word {
            "(" | "[" | "{" | "<" => 1,
            ")" | "]" | "}" | ">" => -1,
            _ => 0,
        };
        words.iter().map(step).sum::<i32>()
    };
    let is_balanced = |end: &usize| {
        depth(&old[start..old.len() - end]) == 0 && depth(&new[start..new.len() - end]) == 0
    };
    (0..=end).rev().find(is_balanced).unwrap_or(end)
}

/// Longest text that leads to a change, and that follows it.
const LEAD_CHARS_MAX: usize = 48;

fn cut_start(text: &str) -> String {
    let more = text.chars().count().saturating_sub(LEAD_CHARS_MAX);
    if more == 0 {
        return text.to_owned();
    }
    ELIDED.to_owned() + &text.chars().skip(more).collect::<String>()
}

fn cut_end(text: &str) -> String {
    if text.chars().count() <= LEAD_CHARS_MAX {
        return text.to_owned();
    }
    text.chars().take(LEAD_CHARS_MAX).collect::<String>() + ELIDED
}

/// Names and numbers in one piece, everything else by character.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = 0;
    let mut last_part = false;
    // A string is one word: what went of it reads as if all did.
    let mut string_end = 0;
    for (at, c) in text.char_indices() {
        if at < string_end {
            continue;
        }
        if matches!(c, '"' | '\'' | '`') {
            let length = string_length(&text[at..], text[..at].trim_end());
            string_end = length.map_or(0, |length| at + length);
        }
        let is_part = is_word(c);
        if at > from && !(is_part && last_part) {
            words.push(&text[from..at]);
            from = at;
        }
        last_part = is_part;
    }
    if from < text.len() {
        words.push(&text[from..]);
    }
    words
}

/// What a parameter is called.
fn called(parameter: &str) -> &str {
    let end = parameter
        .find([':', '=', ' ', '?'])
        .unwrap_or(parameter.len());
    parameter[..end].trim_start_matches(['*', '&', '.'])
}

/// Parameters: runs that stayed are elided, those of one name that changed are shown with what changed in them.
fn list(old: &[&str], new: &[&str], out: &mut Pieces) {
    let (mut items, mut from) = (Vec::new(), 0);
    for parameter in new {
        let same = old[from..].iter().position(|one| one == parameter);
        let named = old[from..]
            .iter()
            .position(|one| called(one) == called(parameter) && !new.contains(one));
        match (same, named) {
            (Some(at), _) | (None, Some(at)) => {
                for gone in old[from..from + at].iter().filter(|one| !new.contains(one)) {
                    items.push(Item::Gone(gone));
                }
                items.push(Item::Kept(old[from + at], parameter));
                from += at + 1;
            }
            (None, None) if old.contains(parameter) => items.push(Item::Kept(parameter, parameter)),
            (None, None) => items.push(Item::Come(parameter)),
        }
    }
    for gone in old[from..].iter().filter(|one| !new.contains(one)) {
        items.push(Item::Gone(gone));
    }
    if let Some(pairs) = in_place(old, new) {
        items = pairs;
    }
    if items
        .iter()
        .all(|item| matches!(item, Item::Kept(one, other) if one == other))
    {
        // The same in another order.
        out.gone(&old.join(", "));
        out.come(&new.join(", "));
        return;
    }
    let (mut is_elided, mut is_first) = (false, true);
    for item in items {
        let is_same = matches!(item, Item::Kept(one, other) if one == other);
        if is_same && is_elided {
            continue;
        }
        out.same(if is_first { "" } else { ", " });
        (is_first, is_elided) = (false, is_same);
        match item {
            Item::Kept(_, _) if is_same => out.same(ELIDED),
            Item::Kept(one, other) => changed(one, other, out),
            Item::Gone(text) => out.gone(text),
            Item::Come(text) => out.come(text),
        }
    }
}

/// Each parameter with the one in its place, where each place has the same one or one of another name.
fn in_place<'i>(old: &[&'i str], new: &[&'i str]) -> Option<Vec<Item<'i>>> {
    let is_own = |(one, other): (&&str, &&str)| {
        one == other || called(one) == called(other) || !new.contains(one) && !old.contains(other)
    };
    let fits = old.len() == new.len() && old.iter().zip(new).all(is_own);
    fits.then(|| {
        old.iter()
            .zip(new)
            .map(|(one, other)| Item::Kept(one, other))
            .collect()
    })
}

enum Item<'i> {
    Kept(&'i str, &'i str),
    Gone(&'i str),
    Come(&'i str),
}

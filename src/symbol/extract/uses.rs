//! The names that a file uses: one walk of a cursor over its whole syntax tree, bodies included.
//!
//! A name is a leaf that the grammar calls an identifier, of whatever sort; comments and strings have none. Each is
//! noted once, with the declarations that it is used in. The names that declarations give are no uses.
//!
//! The walk goes from node to node by their numbers, which takes one step of the cursor each where children, siblings
//! and parents would take two or three. It has to look for its way among the siblings, so it is for small nodes only.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use super::grammar::Rules;
use crate::base::number::to_u32;
use crate::base::quick_hash::QuickHash;
use crate::symbol::map::uses::{NAME_BYTES_MIN, USES_MAX, Uses, Ways};
use crate::symbol::outline::{NAME_BYTES_MAX, Span, Symbol};

/// Most nodes that are walked by their numbers: a node may have all of them as direct children.
const NUMBERED_MAX: usize = 64;

/// Reads the names that are used; declarations are numbered as they stand in the outline, each before its members.
pub(super) fn read(tree: &Tree, rules: &Rules, text: &str, symbols: &[Symbol]) -> Uses {
    let mut spans = Vec::new();
    collect(symbols, &mut spans);
    let mut found = Found::new(text, &spans);
    each_name(tree, rules, NUMBERED_MAX, &mut |node| {
        found.note(node.byte_range());
    });
    found.into_uses()
}

/// Most bytes between the bracket that opens a list of attributes and one of these.
const ATTRIBUTES_BYTES_MAX: usize = 256;

/// Types that every language brings along, whatever else is called so.
const OF_EVERY_LANGUAGE: [&str; 22] = [
    "Any",
    "Array",
    "Bool",
    "Boolean",
    "Byte",
    "Char",
    "Data",
    "Double",
    "Error",
    "Exception",
    "Float",
    "Function",
    "Int",
    "Integer",
    "List",
    "Long",
    "Map",
    "Object",
    "Set",
    "String",
    "Unit",
    "Void",
];

/// Reads the names that are used in a text without a grammar. `code` is the text without comments and strings, byte for byte;
/// names may have some more characters.
pub(super) fn read_code(code: &str, text: &str, more: &str, symbols: &[Symbol]) -> Uses {
    let mut spans = Vec::new();
    collect(symbols, &mut spans);
    let mut found = Found::new(text, &spans);
    let mut at = 0;
    for word in code.split(|c: char| !c.is_alphanumeric() && c != '_' && !more.contains(c)) {
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !OF_EVERY_LANGUAGE.contains(&word)
        {
            found.note(at..at + word.len());
        }
        at += word.len()
            + code[at + word.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
    found.into_uses()
}

/// Hands over all names in the order of the text; nodes with more than `numbered_max` below are entered by hand.
fn each_name(tree: &Tree, rules: &Rules, numbered_max: usize, take: &mut impl FnMut(Node<'_>)) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let below = node.descendant_count();
        if rules.is_name(node.kind_id()) {
            take(node);
        } else if below > numbered_max {
            if cursor.goto_first_child() {
                continue;
            }
        } else if below > 1 {
            let own = cursor.descendant_index();
            names_among(&mut cursor, own + 1..own + below, rules, take);
            cursor.goto_descendant(own);
        }
        if !goto_next(&mut cursor) {
            break;
        }
    }
}

/// Hands over the names among nodes that follow each other.
fn names_among(
    cursor: &mut TreeCursor<'_>,
    mut numbers: Range<usize>,
    rules: &Rules,
    take: &mut impl FnMut(Node<'_>),
) {
    while let Some(number) = numbers.next() {
        cursor.goto_descendant(number);
        let node = cursor.node();
        if rules.is_name(node.kind_id()) {
            take(node);
            numbers.start = number + node.descendant_count().max(1);
        }
    }
}

fn collect(symbols: &[Symbol], spans: &mut Vec<Span>) {
    for symbol in symbols {
        spans.push(symbol.span);
        collect(&symbol.children, spans);
    }
}

/// A name that was found.
struct Name<'t> {
    text: &'t str,
    ways: Ways,
    /// The declaration in which it was seen last.
    place: Option<u32>,
}

/// The names that were found so far.
struct Found<'t> {
    text: &'t str,
    around: Around,
    /// Where the names of declarations start that the walk has not passed yet, the last one first.
    declared: Vec<u32>,
    numbers: HashMap<&'t str, u32, QuickHash>,
    names: Vec<Name<'t>>,
    /// Names by number and declarations by number.
    places: Vec<(u32, u32)>,
}

impl<'t> Found<'t> {
    fn new(text: &'t str, spans: &[Span]) -> Self {
        let mut declared: Vec<u32> = spans.iter().map(|span| span.name).collect();
        declared.sort_unstable_by(|one, other| other.cmp(one));
        let around = Around::new(spans);
        Self {
            text,
            around,
            declared,
            numbers: HashMap::default(),
            names: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Takes the next name; the walk goes through the text from its start to its end.
    fn note(&mut self, range: Range<usize>) {
        let start = to_u32(range.start);
        while self.declared.last().is_some_and(|name| *name < start) {
            self.declared.pop();
        }
        let is_declared = self.declared.last() == Some(&start);
        let Some(own) = self
            .text
            .get(range.clone())
            .filter(|name| !is_declared && is_kept(name))
        else {
            return;
        };
        let name = &self.text[range.start - type_before(self.text, range.start)..range.end];
        let place = self.around.innermost(start);
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None if self.names.len() == USES_MAX => return,
            None => {
                let number = to_u32(self.names.len());
                self.numbers.insert(name, number);
                self.names.push(Name {
                    text: name,
                    ways: Ways::default(),
                    place: None,
                });
                number
            }
        };
        let known = &mut self.names[number as usize];
        known.ways = known.ways.and(ways(self.text, own, range));
        if let Some(place) = place.filter(|place| known.place != Some(*place)) {
            known.place = Some(place);
            self.places.push((number, place));
        }
    }

    /// The names in order, each with its declarations in order.
    fn into_uses(mut self) -> Uses {
        self.places.sort_unstable();
        self.places.dedup();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_unstable_by_key(|number| self.names[*number].text);
        let mut uses = Uses::default();
        let mut places = Vec::new();
        for number in order {
            let from = self
                .places
                .partition_point(|(name, _)| (*name as usize) < number);
            places.clear();
            places.extend(
                self.places[from..]
                    .iter()
                    .take_while(|(name, _)| *name as usize == number)
                    .map(|(_, place)| *place),
            );
            uses.push(self.names[number].text, self.names[number].ways, &places);
        }
        uses
    }
}

/// Whether a name is worth keeping: neither too short nor too long, and on one line.
fn is_kept(name: &str) -> bool {
    let is_apart = |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_control();
    (NAME_BYTES_MIN..=NAME_BYTES_MAX).contains(&name.len()) && !name.bytes().any(is_apart)
}

/// Bytes of the type and of what stands behind it when a name is a member of a type, as in `Digest::of` and `Math.min`.
fn type_before(text: &str, at: usize) -> usize {
    let before = &text[..at];
    let Some(rest) = before
        .strip_suffix("::")
        .or_else(|| before.strip_suffix('.'))
    else {
        return 0;
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name = &rest[rest.len()
        - rest
            .bytes()
            .rev()
            .take(NAME_BYTES_MAX)
            .take_while(is_part)
            .count()..];
    // What is written in capitals is a constant, and `Self` says nothing.
    let is_type = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().any(|byte| byte.is_ascii_lowercase());
    if is_type && name != "Self" {
        at - rest.len() + name.len()
    } else {
        0
    }
}

/// How a name is used at a place, by what stands beside it.
fn ways(text: &str, name: &str, place: Range<usize>) -> Ways {
    let (before, after) = (
        &text.as_bytes()[..place.start],
        &text.as_bytes()[place.end..],
    );
    let is_called = after.starts_with(b"(")
        || after.starts_with(b"!")
        || after.starts_with(b"::")
        || after.starts_with(b" (");
    // `(name argument)`
    let is_called = is_called || before.ends_with(b"(") && name.contains('-');
    // `Item = T` binds a name, whatever it looks like.
    let is_type = name.starts_with(char::is_uppercase) && !after.starts_with(b" = ");
    let is_path = before.ends_with(b"::");
    let is_member = is_path || before.ends_with(b".") || before.ends_with(b"->");
    match (is_member, is_called || is_type) {
        (true, true) if is_path => Ways::MEMBER.and(Ways::CALLED).and(Ways::BARE),
        (true, true) => Ways::MEMBER.and(Ways::CALLED),
        (true, false) => Ways::MEMBER,
        (false, true) if is_type && may_be_attribute(before) => Ways::BARE.and(Ways::ATTRIBUTE),
        (false, true) => Ways::BARE,
        (false, false) => Ways::default(),
    }
}

/// Whether an attribute of C# may begin behind these bytes: `[Key`, `[Key, Column`, `[assembly: Title`; no `list[Key`.
fn may_be_attribute(before: &[u8]) -> bool {
    let is_listed = [&b"["[..], b", ", b": "]
        .iter()
        .any(|mark| before.ends_with(mark));
    if !is_listed {
        return false;
    }
    let from = before.len().saturating_sub(ATTRIBUTES_BYTES_MAX);
    let at = before[from..]
        .iter()
        .rposition(|byte| b"[]\n".contains(byte));
    at.is_some_and(|at| {
        let is_index = |byte: &u8| byte.is_ascii_alphanumeric() || b"_)]?".contains(byte);
        before[from + at] == b'[' && !before[..from + at].last().is_some_and(is_index)
    })
}

fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// The declarations around a place that only moves forward.
struct Around {
    /// Start, end and number, by start, the wider first.
    spans: Vec<(u32, u32, u32)>,
    next: usize,
    open: Vec<(u32, u32)>,
}

impl Around {
    fn new(spans: &[Span]) -> Self {
        let known = spans
            .iter()
            .enumerate()
            .filter(|(_, span)| span.end > span.start);
        let mut spans: Vec<_> = known
            .map(|(number, span)| (span.start, span.end, to_u32(number)))
            .collect();
        spans.sort_unstable_by_key(|(start, end, number)| (*start, u32::MAX - *end, *number));
        Self {
            spans,
            next: 0,
            open: Vec::new(),
        }
    }

    fn innermost(&mut self, at: u32) -> Option<u32> {
        while let Some((_, end, number)) = self
            .spans
            .get(self.next)
            .copied()
            .filter(|(start, ..)| *start <= at)
        {
            self.open.push((end, number));
            self.next += 1;
        }
        while self.open.last().is_some_and(|(end, _)| *end <= at) {
            self.open.pop();
        }
        self.open.last().map(|(_, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::grammar::Grammar;
    use super::super::parse::with_tree;
    use super::super::{bash, c, csharp, go, java, javascript, php, python, ruby, rust};
    use super::*;
    use crate::symbol::Language;

    const GRAMMARS: [(Language, &Grammar); 12] = [
        (Language::Rust, &rust::GRAMMAR),
        (Language::Python, &python::GRAMMAR),
        (Language::JavaScript, &javascript::JAVASCRIPT),
        (Language::Tsx, &javascript::TSX),
        (Language::Go, &go::GRAMMAR),
        (Language::Java, &java::GRAMMAR),
        (Language::C, &c::C),
        (Language::Cpp, &c::CPP),
        (Language::CSharp, &csharp::GRAMMAR),
        (Language::Ruby, &ruby::GRAMMAR),
        (Language::Php, &php::GRAMMAR),
        (Language::Bash, &bash::GRAMMAR),
    ];

    fn names(
        language: Language,
        grammar: &'static Grammar,
        text: &str,
        numbered_max: usize,
    ) -> Vec<Range<usize>> {
        let mut names = Vec::new();
        let is_read = with_tree(language, grammar, text, |tree, rules| {
            each_name(tree, rules, numbered_max, &mut |node| {
                names.push(node.byte_range());
            });
        });
        assert!(is_read, "{language:?}: {text}");
        names
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn the_way_through_the_tree_changes_nothing(
            text in "((class|fn|def|func|function|if|return|new|use|<\\?php|#include|//|#) |[a-c]{1,3}|\\$ab|[.,:;=<>+(){}\"' \n]|::|->|\\[\\]){0,60}",
            copies in 1..12_usize,
        ) {
            let text = text.repeat(copies);
            for grammar in GRAMMARS {
                let by_hand = names(grammar.0, grammar.1, &text, 0);
                prop_assert!(by_hand.is_sorted_by_key(|range| range.start));
                for numbered_max in [3, NUMBERED_MAX, usize::MAX] {
                    prop_assert_eq!(&names(grammar.0, grammar.1, &text, numbered_max), &by_hand, "{:?} {}", grammar.0, numbered_max);
                }
            }
        }
    }
}

//! The Markdown that an outline says: what the file is for, what it offers, what it needs.
//!
//! What matters most goes first ([`super::order`]). No path, no line numbers, and the size only in coarse steps, so that an edit inside a function body gives the
//! same text. What does not fit is shown with less detail, then by name. All text from the file is either a code
//! span or has its Markdown made harmless: it can never open a heading, a list, a fence or HTML.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::appendix::{import_line, private_list, test_list};
use super::comment::cap;
use super::language::Language;
use super::markdown::{code, prose, told};
use super::once::told_once;
use super::order::{by_importance, is_define};
use super::outline::{Content, Kind, Outline, Symbol, Visibility};
use super::phrase::{
    NAMES_MAX, SIGNATURE_BYTES_MAX, attributes, by_prefix, listing, without_receiver,
};
use crate::base::count::counted;
use crate::base::limit;

/// What the list of symbols may take, in bytes, before it is shown with less detail.
const LIST_BYTES_MAX: usize = 5_000;
/// The same for signatures without a word about them: what is left out then is what a reader looks for.
const SIGNATURES_BYTES_MAX: usize = 12_000;
/// Most names on a line where those of functions are not to be cut away.
const ALL_NAMES_MAX: usize = 200;
/// Up to this number, symbols of a file are told with what they are for, however many members they have.
const DOCS_ANYWAY: usize = 3;
/// Fewest names of defines that are put together by how they begin.
const DEFINES_MIN: usize = 8;

/// Writes an outline as the body of a frame.
#[must_use]
pub fn render(outline: &Outline) -> String {
    match outline.content {
        Content::Binary if outline.doc.is_empty() => {
            return format!("Binary file ({} bytes).\n", outline.bytes);
        }
        Content::Binary if outline.doc.ends_with('.') => return format!("{}\n", outline.doc),
        Content::Binary => return format!("{} ({} bytes).\n", outline.doc, outline.bytes),
        Content::TooLarge => {
            let (bytes, max) = (outline.bytes, limit::FILE_BYTES_MAX);
            return format!(
                "File of {bytes} bytes, over the limit of {max} bytes for outlines; its content was not read.\n"
            );
        }
        _ if outline.bytes == 0 => return "Empty file.\n".to_owned(),
        _ => {}
    }
    let outline = &told_once(outline);
    let facts = facts(outline);
    let mut out = String::new();
    if outline.doc.is_empty() {
        let _ = writeln!(out, "{facts}");
    } else {
        let _ = writeln!(out, "{}\n\n{facts}", told(&outline.doc));
    }
    push_block(&mut out, &symbol_list(outline));
    push_block(&mut out, &private_list(&outline.symbols));
    push_block(&mut out, &test_list(&outline.symbols));
    push_block(&mut out, &import_line(&outline.imports));
    out
}

fn push_block(out: &mut String, block: &str) {
    if !block.is_empty() {
        let _ = write!(out, "\n{block}");
    }
}

/// One sentence: language, rough size, how much there is.
fn facts(outline: &Outline) -> String {
    let title = outline.language.map_or("Text", Language::title);
    let mut facts = match outline.content {
        Content::Plain => format!("{title} file"),
        _ => format!("{title} source"),
    };
    let _ = write!(facts, ", {}", rough_lines(outline.lines));
    match (outline.content, outline.symbols.first()) {
        (Content::Unparsed, _) => {
            facts.push_str(", too large or too knotted to read its declarations");
        }
        (_, None) => {}
        // Nothing was found that could be counted.
        (_, Some(first)) if first.kind == Kind::Line => {}
        (Content::Plain, Some(first)) => {
            let is_one_kind = outline
                .symbols
                .iter()
                .all(|symbol| symbol.kind == first.kind);
            let (one, many) = if is_one_kind {
                first.kind.words()
            } else {
                ("item", "items")
            };
            let mut others = outline.more;
            let mut sections = 0;
            for symbol in &outline.symbols {
                match count_sections(symbol) {
                    0 => others += 1 + count_all(&symbol.children),
                    count => sections += count,
                }
            }
            if others > 0 {
                let _ = write!(facts, ", {}", counted(others, one, many));
            }
            if sections > 0 {
                let (one, many) = match outline.language {
                    Some(Language::Toml) => ("table", "tables"),
                    _ => ("section", "sections"),
                };
                let _ = write!(facts, ", {}", counted(sections, one, many));
            }
        }
        _ => {
            let once = outline.language.is_some_and(declares_once);
            let count = count_public(&outline.symbols, once);
            if count > 0 {
                let _ = write!(facts, ", {}", counted(count, "public item", "public items"));
            }
        }
    }
    facts.push('.');
    facts
}

/// How many sections with keys of their own a symbol stands for: `[project] name`, `3 [[package]] a, b, c`.
fn count_sections(symbol: &Symbol) -> u64 {
    let text = symbol.signature.as_str();
    let (count, rest) = text.split_once(" [[").unwrap_or(("1", text));
    let is_section = symbol.kind == Kind::Key && (rest.len() < text.len() || text.starts_with('['));
    if is_section {
        count.parse().unwrap_or(0)
    } else {
        0
    }
}

fn count_all(symbols: &[Symbol]) -> u64 {
    symbols
        .iter()
        .map(|symbol| 1 + count_all(&symbol.children))
        .sum()
}

/// Public declarations, looked for inside modules instead of counting these. Of a list of re-exports each name counts, and
/// no members of a type that stands elsewhere are an item.
fn count_public(symbols: &[Symbol], once: bool) -> u64 {
    let is_public = |symbol: &&Symbol| symbol.public && symbol.visibility() != Visibility::Package;
    let public = symbols.iter().filter(is_public);
    let mut seen = BTreeSet::new();
    let public = public.filter(|symbol| {
        let is_named = matches!(
            symbol.kind,
            Kind::Class | Kind::Function | Kind::Constant | Kind::Variable
        );
        !(once && is_named) || seen.insert(symbol.name.as_str())
    });
    public
        .map(|symbol| match symbol.kind {
            Kind::Implementation | Kind::Extension | Kind::Command => 0,
            Kind::Export => count_names(&symbol.signature),
            _ if has_items(symbol) => count_public(&symbol.children, once),
            _ => 1,
        })
        .sum()
}

/// Whether a name is one thing, however often it is declared: in the branches of a condition, or for each type of its argument.
fn declares_once(language: Language) -> bool {
    use Language::{JavaScript, Python, Tsx, TypeScript};
    matches!(language, JavaScript | Python | Tsx | TypeScript)
}

/// How many names a re-export lists: two in `{ a, b } from 'c'`.
fn count_names(list: &str) -> u64 {
    if !list.contains('{') {
        return 1;
    }
    // What stands before an opening bracket is the path of the names behind it.
    let parts = list.split_inclusive(['{', ',', '}']);
    let names = parts.filter(|part| {
        let is_path = part.ends_with('{') || !part.ends_with([',', '}']);
        !is_path && part.contains(char::is_alphanumeric)
    });
    (names.count() as u64).max(1)
}

/// True for a module whose declarations are listed.
fn has_items(symbol: &Symbol) -> bool {
    symbol.kind == Kind::Module && !symbol.children.is_empty()
}

/// The number of lines in steps of 1, 2, 5, 10, …, so that small edits do not change it.
fn rough_lines(lines: u64) -> String {
    if lines < 10 {
        return "under 10 lines".to_owned();
    }
    let power = 10_u64.pow(lines.ilog10());
    let step = [5, 2, 1]
        .into_iter()
        .map(|step| power.saturating_mul(step))
        .find(|step| *step <= lines)
        .unwrap_or(power);
    format!("{step}+ lines")
}

/// How much is said about each symbol.
#[derive(Clone, Copy)]
struct Detail {
    /// Whether documentation is given for symbols, and for their members.
    docs: (bool, bool),
    /// Most names on one line.
    names_max: usize,
    /// What the list may take with it, in bytes.
    bytes_max: usize,
    /// Whether methods name the type that they belong to, which stands in another file.
    receivers: bool,
}

/// Tried in this order until a list with all signatures is short enough.
const DETAILS: [Detail; 3] = [
    Detail {
        docs: (true, true),
        names_max: 24,
        bytes_max: LIST_BYTES_MAX,
        receivers: false,
    },
    Detail {
        docs: (true, false),
        names_max: 16,
        bytes_max: LIST_BYTES_MAX,
        receivers: false,
    },
    Detail {
        docs: (false, false),
        names_max: 16,
        bytes_max: SIGNATURES_BYTES_MAX,
        receivers: false,
    },
];

/// With signatures as far as they fit, and every other name.
const AS_FITS: Detail = Detail {
    docs: (true, false),
    names_max: ALL_NAMES_MAX,
    bytes_max: SIGNATURES_BYTES_MAX,
    receivers: false,
};

/// What signatures may take, in bytes: those of the file, and those of members. What has no room is told by its name.
#[derive(Clone, Copy)]
struct Room {
    file: usize,
    members: usize,
}

const UNBOUNDED: usize = usize::MAX;

fn symbol_list(outline: &Outline) -> String {
    let ordered = by_importance(&outline.symbols);
    let room = Room {
        file: UNBOUNDED,
        members: UNBOUNDED,
    };
    let public = ordered.iter().filter(|symbol| symbol.public).count();
    for mut detail in DETAILS.into_iter().filter(|_| outline.more == 0) {
        // What the one class of a file is for takes less than any of its methods.
        detail.docs.0 |= public <= DOCS_ANYWAY;
        let list = listed(outline, &ordered, detail, room);
        if list.len() <= detail.bytes_max {
            return list;
        }
    }
    // Names go first, then what a file declares, then what stands within: each takes what those before it have left.
    let taken = |room| listed(outline, &ordered, AS_FITS, room).len();
    let left = |room| AS_FITS.bytes_max.saturating_sub(taken(room));
    let (file, members) = (0, 0);
    let file = left(Room { file, members });
    let members = left(Room { file, members });
    let mut list = listed(outline, &ordered, AS_FITS, Room { file, members });
    if outline.more > 0 {
        let _ = writeln!(list, "- … and {} more", outline.more);
    }
    list
}

fn listed(outline: &Outline, ordered: &[&Symbol], detail: Detail, mut room: Room) -> String {
    let (mut list, mut rest) = (String::new(), Vec::new());
    for symbol in ordered
        .iter()
        .filter(|symbol| symbol.public && !is_short(symbol))
    {
        if room.file == UNBOUNDED {
            push_symbol(&mut list, symbol, detail, 0, &mut room.members);
            continue;
        }
        let start = list.len();
        push_symbol(&mut list, symbol, detail, 0, &mut 0);
        let is_there = takes(
            &mut room.file,
            list.len() - start,
            named(symbol, ordered.len()),
        );
        list.truncate(start);
        if is_there {
            push_symbol(&mut list, symbol, detail, 0, &mut room.members);
        } else {
            rest.push(*symbol);
        }
    }
    push_named(&mut list, rest.into_iter(), 0, detail.names_max);
    let short = outline.symbols.iter().filter(|symbol| is_short(symbol));
    push_named(&mut list, short, 0, NAMES_MAX);
    list
}

/// The room for members while their owner is still being measured.
fn within(room: usize) -> usize {
    if room == UNBOUNDED { UNBOUNDED } else { 0 }
}

/// The bytes that a name takes in the list of names, as code; 0 when there are too many symbols to list all.
fn named(symbol: &Symbol, symbols: usize) -> usize {
    if symbols <= ALL_NAMES_MAX {
        symbol.name.len() + 2
    } else {
        0
    }
}

/// Takes from the room what a symbol needs beside its name, which is in it already. Once something did not fit nothing
/// does, so that what is shown is what comes first.
fn takes(room: &mut usize, bytes: usize, named: usize) -> bool {
    if *room == UNBOUNDED {
        return true;
    }
    let cost = bytes.saturating_sub(named);
    let is_enough = cost <= *room;
    *room = if is_enough { *room - cost } else { 0 };
    is_enough
}

/// What is only named, on one line, at the level of the file.
fn is_short(symbol: &Symbol) -> bool {
    let is_named = symbol.kind.is_listed() || matches!(symbol.kind, Kind::Export | Kind::Route);
    let is_bare = is_define(symbol) || symbol.kind == Kind::Module && symbol.children.is_empty();
    symbol.kind == Kind::Test || (is_named || is_bare) && symbol.doc.is_empty()
}

fn push_symbol(list: &mut String, symbol: &Symbol, detail: Detail, depth: usize, room: &mut usize) {
    let line = symbol_line(symbol, detail, depth);
    if repeats(list, &line) && symbol.children.is_empty() {
        return;
    }
    list.push_str(&line);
    push_members(list, symbol, detail, depth + 1, room);
}

/// Whether a list ends with this line: the names of one statement share its signature.
pub(super) fn repeats(list: &str, line: &str) -> bool {
    let before = list.strip_suffix(line);
    before.is_some_and(|before| before.is_empty() || before.ends_with('\n'))
}

/// What is said about a symbol without its members.
fn symbol_line(symbol: &Symbol, detail: Detail, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let signature = if detail.receivers {
        Cow::Borrowed(symbol.signature.as_str())
    } else {
        without_receiver(symbol)
    };
    let signature = cap(&signature, SIGNATURE_BYTES_MAX);
    // A type that stands elsewhere is not declared here.
    let is_named = symbol.signature == symbol.name || symbol.signature.starts_with("type ");
    let shown = match symbol.kind {
        Kind::Heading => prose(&signature),
        Kind::Extension if is_named => format!("members of {}", code(&symbol.name)),
        _ => code(&signature),
    };
    let mut line = format!("{indent}- {shown}{}", attributes(symbol));
    let docs = if depth == 0 {
        detail.docs.0
    } else {
        detail.docs.1
    };
    if !symbol.doc.is_empty() && docs {
        let _ = write!(line, ": {}", told(&symbol.sentence()));
    }
    line.push('\n');
    line
}

fn push_members(
    list: &mut String,
    symbol: &Symbol,
    detail: Detail,
    depth: usize,
    room: &mut usize,
) {
    let detail = Detail {
        receivers: symbol.kind == Kind::Extension,
        ..detail
    };
    let of = |wanted: fn(&Symbol) -> bool| symbol.children.iter().filter(move |one| wanted(one));
    push_named(list, of(is_data), depth, detail.names_max);
    let mut rest = Vec::new();
    for member in of(|one| one.public && !is_data(one) && !is_last(one)) {
        let start = list.len();
        push_symbol(list, member, detail, depth, &mut within(*room));
        if !takes(
            room,
            list.len() - start,
            named(member, symbol.children.len()),
        ) {
            list.truncate(start);
            rest.push(member);
        }
    }
    push_named(list, rest.into_iter(), depth, detail.names_max);
    push_named(list, of(is_last), depth, detail.names_max);
}

/// What is listed on one line in front of other members.
fn is_data(member: &Symbol) -> bool {
    matches!(member.kind, Kind::Field | Kind::Variant)
        || member.kind == Kind::Property && member.doc.is_empty()
}

/// What is listed on one line behind other members.
fn is_last(member: &Symbol) -> bool {
    matches!(member.kind, Kind::Implementation | Kind::Export)
}

/// Names symbols on one line for each kind.
fn push_named<'s>(
    list: &mut String,
    symbols: impl Iterator<Item = &'s Symbol>,
    depth: usize,
    max: usize,
) {
    let mut by_kind: BTreeMap<(Kind, bool), Vec<&Symbol>> = BTreeMap::new();
    // `__slots__` and the like are for the language, not for readers.
    let is_told = |member: &Symbol| {
        let is_special = member.kind == Kind::Field && member.name.starts_with("__");
        member.public && member.kind != Kind::Test && !is_special
    };
    for member in symbols.filter(|member| is_told(member)) {
        // What is shown by its name alone does not show `pub(crate)`.
        let key = (member.kind, member.signature.starts_with("pub("));
        by_kind.entry(key).or_default().push(member);
    }
    for ((kind, is_within), members) in by_kind {
        let within = if is_within { " within the crate" } else { "" };
        let (one, many) = kind.words();
        let word = match kind {
            Kind::Implementation if members.iter().all(|one| one.is_mixed_in()) => "mixes in",
            Kind::Implementation => "implements",
            _ if members.len() == 1 => one,
            _ => many,
        };
        let names = members
            .iter()
            .map(|member| code(&cap(short_text(member), SIGNATURE_BYTES_MAX)));
        let names = if kind == Kind::Macro && members.len() >= DEFINES_MIN {
            listing(by_prefix(&members).into_iter(), max)
        } else {
            listing(names, max)
        };
        let _ = writeln!(list, "{}- {word}{within} {names}", "  ".repeat(depth));
    }
}

/// Data members are shown with their type, re-exports as written, all others by name.
fn short_text(member: &Symbol) -> &str {
    let prefixes: &[&str] = match member.kind {
        Kind::Field | Kind::Property | Kind::Variant => &["pub ", "public ", "case "],
        kind if kind.is_listed() => &[],
        Kind::Export => &["pub use ", "pub(crate) use ", "export "],
        _ => return &member.name,
    };
    prefixes
        .iter()
        .find_map(|prefix| member.signature.strip_prefix(prefix))
        .unwrap_or(&member.signature)
}

#[cfg(test)]
mod tests {
    use super::super::appendix::{IMPORTS_BYTES_MAX, PRIVATE_BYTES_MAX};
    use super::*;
    use crate::symbol::Language;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag};

    fn symbol(kind: Kind, text: &str, children: Vec<Symbol>) -> Symbol {
        let [name, signature, doc] = [text; 3].map(str::to_owned);
        Symbol {
            name,
            signature,
            doc,
            children,
            ..Symbol::named(kind, "")
        }
    }

    fn outline(symbols: Vec<Symbol>) -> Outline {
        let language = Some(Language::Rust);
        Outline {
            language,
            content: Content::Parsed,
            bytes: 1,
            lines: 100,
            symbols,
            ..Outline::default()
        }
    }

    #[test]
    fn sizes_are_rough() {
        for (lines, expected) in [
            (0, "under 10 lines"),
            (9, "under 10 lines"),
            (10, "10+ lines"),
            (19, "10+ lines"),
            (20, "20+ lines"),
            (50, "50+ lines"),
            (99, "50+ lines"),
            (1_999, "1000+ lines"),
            (u64::MAX, "18446744073709551615+ lines"),
        ] {
            assert_eq!(rough_lines(lines), expected);
        }
    }

    #[test]
    fn imports_that_differ_in_the_last_part_are_put_together() {
        let imports =
            ["a.b.C", "x", "a.b.D", "std::fmt", "std::{io, fs}", "y as z"].map(str::to_owned);
        assert_eq!(
            import_line(&imports),
            "Imports: `a.b.{C, D}`, `x`, `std::fmt`, `std::{io, fs}`, `y as z`\n"
        );
        assert_eq!(import_line(&[]), "");
        let many: Vec<String> = (0..400).map(|i| format!("\"file{i}.h\"")).collect();
        let line = import_line(&many);
        assert!(
            line.len() < IMPORTS_BYTES_MAX + 100 && line.contains(" more\n"),
            "{line}"
        );
    }

    #[test]
    fn detail_gives_way_before_symbols_are_left_out() {
        let member = || symbol(Kind::Method, &"m".repeat(100), Vec::new());
        let types = (0..20).map(|i| {
            symbol(
                Kind::Struct,
                &format!("type{i}"),
                vec![member(), member(), member()],
            )
        });
        let text = render(&outline(types.collect()));
        assert!(
            text.contains("type19") && text.len() < SIGNATURES_BYTES_MAX + 1024,
            "{}",
            text.len()
        );
        let many = (0..900).map(|i| symbol(Kind::Function, &format!("function{i}"), Vec::new()));
        let text = render(&outline(many.collect()));
        assert!(
            text.contains(", … and ") && text.len() < 13 * 1024 && text.contains("function0"),
            "{}",
            text.len()
        );
    }

    #[test]
    fn signatures_are_shown_as_far_as_they_fit_and_all_others_by_name() {
        let method = |class: usize| {
            move |i| {
                let signature = format!("fn {}{i:02}", "m".repeat(88));
                Symbol {
                    name: format!("method{class}_{i}"),
                    ..symbol(Kind::Method, &signature, Vec::new())
                }
            }
        };
        let class = |class: usize| {
            let methods = (0..40).map(method(class)).collect();
            symbol(Kind::Class, &format!("Class{class}"), methods)
        };
        let text = symbol_list(&outline((0..4).map(class).collect()));
        assert!(text.len() <= SIGNATURES_BYTES_MAX, "{}", text.len());
        assert!(text.len() > SIGNATURES_BYTES_MAX - 500, "{}", text.len());
        assert!(!text.contains('…'), "{text}");
        // The first class has all of its signatures, the last none.
        assert_eq!(
            text.matches("fn mmm").count() + text.matches("`method").count(),
            160
        );
        assert!(
            !text.contains("method0_") && text.contains("`method3_0`, "),
            "{text}"
        );
    }

    #[test]
    fn what_is_private_is_shown_with_its_owner_and_then_by_name() {
        let private = |kind, text: &str, children| Symbol {
            public: false,
            ..symbol(kind, text, children)
        };
        let members = || {
            vec![
                private(Kind::Field, "field", Vec::new()),
                symbol(Kind::Method, "open", Vec::new()),
            ]
        };
        let symbols = vec![
            private(Kind::Constant, "LIMIT", Vec::new()),
            symbol(Kind::Class, "Shown", members()),
            private(Kind::Class, "Hidden", members()),
            symbol(
                Kind::Module,
                "space",
                vec![private(Kind::Constant, "INNER", Vec::new())],
            ),
        ];
        assert_eq!(
            private_list(&symbols),
            "Not public:\n\n- `Hidden`: Hidden\n- `open` of `Hidden`: open\n- `LIMIT`: LIMIT\n- `INNER` in `space`: INNER\n"
        );
        let many: Vec<_> = (0..500)
            .map(|i| private(Kind::Function, &format!("function{i}"), Vec::new()))
            .collect();
        let text = private_list(&many);
        assert!(
            text.starts_with("Not public:\n\n- `function0`")
                && text.len() < PRIVATE_BYTES_MAX + 1024,
            "{text}"
        );
        assert!(
            text.contains("\n\nNot public, by name: `function") && text.ends_with(" more\n"),
            "{text}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_of_a_file_breaks_the_structure(
            texts in prop::collection::vec("[-#>*+_~=|` a<!\\[\\]():.1\\\\]{1,16}", 1..6),
            kind in prop::sample::select(vec![Kind::Struct, Kind::Heading, Kind::Field, Kind::Export, Kind::Module]),
            public in any::<bool>(),
        ) {
            let member = |text| Symbol { public, ..symbol(Kind::Method, text, Vec::new()) };
            let symbols = texts.iter().map(|text| Symbol { public, ..symbol(kind, text, vec![member(text), symbol(Kind::Field, text, Vec::new())]) });
            let mut outline = outline(symbols.collect());
            outline.doc.clone_from(&texts[0]);
            outline.imports.clone_from(&texts);
            let text = render(&outline);
            for event in Parser::new(&text) {
                let stray = matches!(
                    event,
                    Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock) | Event::Html(_)
                        | Event::InlineHtml(_) | Event::Rule
                );
                prop_assert!(!stray, "{event:?} in\n{text}");
            }
        }
    }
}

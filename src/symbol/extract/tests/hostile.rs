//! Damaged and hostile files: no panic, bounded work, the same outline each time, and bodies that do not matter.

use proptest::prelude::*;

use super::{extract_as, outline_of};
use crate::base::limit;
use crate::base::number::to_index;
use crate::symbol::extract::extract_with_uses;
use crate::symbol::extract::parse::SOURCE_BYTES_MAX;
use crate::symbol::outline::{DEPTH_MAX, NAME_BYTES_MAX, SIGNATURE_BYTES_MAX, SYMBOLS_MAX, Symbol};
use crate::symbol::{Content, Language, decode, encode, extract, render};

fn with_grammar() -> impl Iterator<Item = Language> {
    Language::ALL
        .iter()
        .copied()
        .filter(|language| language.has_grammar())
}

fn depth(symbols: &[Symbol]) -> usize {
    symbols
        .iter()
        .map(|symbol| 1 + depth(&symbol.children))
        .max()
        .unwrap_or(0)
}

fn total(symbols: &[Symbol]) -> usize {
    symbols
        .iter()
        .map(|symbol| 1 + total(&symbol.children))
        .sum()
}

/// One line each, none of them long.
fn is_tidy(symbol: &Symbol) -> bool {
    let texts = [&symbol.name, &symbol.signature, &symbol.doc];
    let short = symbol.name.len() <= NAME_BYTES_MAX
        && symbol.signature.len() <= SIGNATURE_BYTES_MAX + NAME_BYTES_MAX + 8;
    short
        && texts.iter().all(|text| !text.contains(char::is_control))
        && symbol.children.iter().all(is_tidy)
}

/// Every place where a name is used is one of the symbols that the outline has.
fn places_are_of_symbols(language: Language, text: &str) -> bool {
    let (outline, uses) = extract_with_uses(Some(language), text.as_bytes());
    let symbols = total(&outline.symbols);
    uses.iter().all(|used| {
        used.places
            .iter()
            .all(|place| to_index(u64::from(*place)) < symbols)
    })
}

#[test]
fn names_are_used_in_symbols_that_stay() {
    let script = "#!/bin/sh\n# Runs it all.\ncargo test \"$x\"\nrun --all \"$y\"\n";
    assert!(places_are_of_symbols(Language::Bash, script));
    assert_eq!(
        outline_of("a.sh", script),
        "Runs it all.\n\nShell source, under 10 lines.\n"
    );
}

#[test]
fn every_language_with_a_grammar_parses() {
    for language in with_grammar() {
        let outline = extract_as(language, "x\n");
        assert_eq!(
            (outline.content, outline.lines),
            (Content::Parsed, 1),
            "{language:?}"
        );
    }
}

#[test]
fn content_that_is_not_text_gets_a_placeholder() {
    let rust = Some(Language::Rust);
    for data in [&b"fn a() {}\0"[..], b"\xff\xfe"] {
        let outline = extract(rust, data);
        assert_eq!(outline.content, Content::Binary);
        assert_eq!(
            render(&outline),
            format!("Binary file ({} bytes).\n", data.len())
        );
    }
    let latin = extract(rust, b"/// Caf\xe9.\npub fn a() {}\n");
    assert_eq!(latin.content, Content::Parsed);
    assert_eq!(latin.symbols[0].doc, "Caf?.");
    let late = [vec![b' '; 9_000], vec![0]].concat();
    assert_eq!(
        extract(rust, &late).content,
        Content::Parsed,
        "git looks for NUL in the first 8 KiB as well"
    );
    let large = vec![b' '; to_index(limit::FILE_BYTES_MAX) + 1];
    assert_eq!(extract(rust, &large).content, Content::TooLarge);
    assert!(render(&extract(rust, &large)).starts_with("File of 8388609 bytes, over the limit"));
    assert_eq!(outline_of("a.rs", ""), "Empty file.\n");
    assert_eq!(
        outline_of("unknown", "text\n"),
        "Text file, under 10 lines.\n\n- line `text`\n"
    );
}

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    let text = "//! Does things.\n\n/// Runs.\npub fn run(\n    a: u8,\n) {\n}\n";
    let plain = outline_of("a.rs", text);
    assert_eq!(outline_of("a.rs", &text.replace('\n', "\r\n")), plain);
    assert_eq!(outline_of("a.rs", &format!("\u{feff}{text}")), plain);
    assert!(plain.starts_with("Does things.\n"), "{plain}");
    assert!(plain.contains("- `pub fn run(a: u8)`: Runs.\n"), "{plain}");
}

#[test]
fn large_files_keep_to_the_plain_outline() {
    let text = format!(
        "//! Data.\n\npub const A: &str = \"{}\";\n",
        "x".repeat(SOURCE_BYTES_MAX)
    );
    let outline = extract_as(Language::Rust, &text);
    assert_eq!(
        (outline.content, outline.doc.as_str()),
        (Content::Unparsed, "Data.")
    );
}

#[test]
fn a_scanner_that_looks_for_its_end_over_and_over_is_stopped() {
    for (language, text) in [
        (Language::Bash, "<<A\n".repeat(20_000)),
        (Language::Rust, "r#\"".repeat(30_000)),
    ] {
        let outline = extract_as(language, &text);
        assert_eq!(outline.content, Content::Unparsed, "{language:?}");
        assert_eq!(
            extract_as(language, "x\n").content,
            Content::Parsed,
            "{language:?}: the next file is not affected"
        );
    }
}

/// Before, these 900 KB took the better part of a minute: the scanner goes through all documents that it has met at every word.
#[test]
fn documents_within_commands_within_documents_are_not_followed() {
    let outline = extract_as(Language::Bash, &"cat <<A$(cat <<B$(".repeat(50_000));
    assert_eq!(outline.content, Content::Unparsed);
    let honest = "f() {\ncat <<A\ntext\nA\n}\n".repeat(500);
    assert_eq!(extract_as(Language::Bash, &honest).content, Content::Parsed);
}

#[test]
fn nesting_and_number_are_bounded() {
    for (language, piece) in [
        (Language::Rust, "pub mod a { "),
        (Language::Java, "public class A { "),
        (Language::Cpp, "namespace a { "),
        (Language::C, "#if X\n"),
        (Language::TypeScript, "export namespace A { "),
        (Language::Python, "if x: "),
        (Language::Php, "<?php class A { "),
    ] {
        let outline = extract_as(language, &piece.repeat(2_000));
        assert!(depth(&outline.symbols) <= DEPTH_MAX, "{language:?}");
        let closed = format!("{}{}", piece.repeat(100), "}".repeat(100));
        assert!(
            depth(&extract_as(language, &closed).symbols) <= DEPTH_MAX,
            "{language:?}"
        );
    }
    let many: Vec<String> = (0..SYMBOLS_MAX + 10)
        .map(|i| format!("pub fn f{i}() {{}}\n"))
        .collect();
    let outline = extract_as(Language::Rust, &many.concat());
    assert_eq!((total(&outline.symbols), outline.more), (SYMBOLS_MAX, 10));
    let text = render(&outline);
    assert!(
        text.len() < 13 * 1024 && text.contains(", … and 3") && text.contains("- … and 10 more"),
        "{}",
        text.len()
    );
}

#[test]
fn comments_and_bodies_that_are_not_said_change_nothing() {
    let before = "/// Runs. Always.\npub fn run(a: u8) -> u8 {\n    a\n}\npub struct A {\n    pub b: u8,\n}\n";
    let after = "/// Runs. Never mind.\npub fn run(a: u8 /* x */) -> u8 {\n    // more\n    a + 1\n}\n\
                 // remark\npub struct A {\n    pub b: u8, // c\n}\n";
    let (before, after) = (
        extract_as(Language::Rust, before),
        extract_as(Language::Rust, after),
    );
    assert_eq!(render(&before), render(&after));
    assert_eq!(before.digest(), after.digest());
    assert_ne!(before.lines, after.lines);
    let other = extract_as(Language::Rust, "pub fn run(a: u16) -> u8 { a }\n");
    assert_ne!(before.digest(), other.digest());
}

/// Pieces that mean something in one language or another, so that random text reaches the interesting places.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "pub ", "fn ", "class ", "struct ", "impl ", "def ", "export ", "const ", "static ", "function ", "namespace ",
    "template<", "module ", "import ", "private\n", "public: ", "a", "b ", "A", "{", "}", "(", ")", "<", ">", ";", ":",
    "=", "\n", "  ", "\"", "'", "`", "#", "/*", "*/", "//", "/// x. y\n", "\"\"\"", "<<E\n", "@", "=>", ".prototype.",
    "module.exports = ", "__all__ = [", "é", "\u{202e}", "# x\n", "```\n", "<?php ", "typedef ", "(*f)", "[", "]", ",",
    "\r\n", "\\", "\t", "<h1>", "</", "{% block ", "key: ", "- ", "[a]\n", "===\n", "fun ", "defmodule ", "(defun a\n",
    "@doc \"\"\"", "resource \"", "\"a\": ", "config A\n", "a <- ", ".SH ", "#+",
];

/// Text of such pieces.
fn source() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_and_every_outline_reads_back(text in prop_oneof![source(), any::<String>()], pick in any::<prop::sample::Index>()) {
        let language = *pick.get(Language::ALL);
        let outline = extract_as(language, &text);
        prop_assert_eq!(&extract_as(language, &text), &outline);
        prop_assert_eq!(decode(&encode(&outline)).map(|read| encode(&read)), Some(encode(&outline)));
        prop_assert!(depth(&outline.symbols) <= DEPTH_MAX);
        prop_assert!(outline.symbols.iter().all(is_tidy), "{:?}", outline.symbols);
        prop_assert!(render(&outline).ends_with('\n'));
        prop_assert!(places_are_of_symbols(language, &text));
    }

    #[test]
    fn no_bytes_panic(data in prop::collection::vec(any::<u8>(), 0..200), pick in any::<prop::sample::Index>()) {
        let outline = extract(Some(*pick.get(Language::ALL)), &data);
        prop_assert_eq!(outline.bytes, data.len() as u64);
    }
}

//! Laws: nothing above a budget, one line for each declaration, groups that are a partition, the same bytes again.

use proptest::prelude::*;

use super::{map_files, map_of, map_with, symbols_of};
use crate::base::token::estimate;
use crate::symbol::Language;
use crate::symbol::cache::Cached;
use crate::symbol::map::{Detail, FileSymbols, MapFile, SymbolMap, file_symbols, references};

/// Projects of Rust files that refer to each other by number.
fn project() -> impl Strategy<Value = Vec<(String, String)>> {
    let file = (
        0..3_usize,
        0..12_usize,
        prop::collection::vec(0..12_usize, 0..6),
        0..9_usize,
    );
    prop::collection::btree_map("[a-z]{1,6}", file, 0..12).prop_map(|files| {
        let directories = ["src", "src/deep/er", "a long directory/with/names"];
        let one = |(name, (directory, number, calls, fields)): (String, (usize, usize, Vec<usize>, usize))| {
            let calls: String = calls.iter().fold(String::new(), |all, call| all + &format!("call_{call}(Kind{call}); "));
            let fields: String = (0..fields).fold(String::new(), |all, field| all + &format!("pub field_{field}: Option<u8>, "));
            let text = format!(
                "pub fn call_{number}(of: Kind{number}) {{ {calls} }}\npub struct Kind{number} {{ {fields} }}\nfn own() {{}}\n"
            );
            (format!("{}/{name}.rs", directories[directory]), text)
        };
        files.into_iter().map(one).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_budget_is_ever_exceeded(project in project(), tokens in prop_oneof![0..200_u64, 0..5_000_u64]) {
        let files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = symbols_of(&files);
        let files = map_files(&found);
        let references = references(&files);
        let map = SymbolMap::new(&files, &references);
        let numbers: Vec<u32> = (0..files.len() as u32).collect();
        let whole = map.texts(&numbers, Detail::PRINTED).concat();
        let chosen = map.within(&numbers, tokens, Detail::PRINTED);
        prop_assert!(estimate(&chosen.text) <= tokens, "{} > {tokens}\n{}", estimate(&chosen.text), chosen.text);
        prop_assert_eq!(chosen.files.len() + chosen.left, numbers.len());
        let told = chosen.text.lines().filter(|line| line.starts_with("  ") && !line.trim_start().starts_with('+')).count();
        let imports = chosen.files.values().filter(|excerpt| excerpt.has_imports).count();
        let entries: usize = chosen.files.values().map(|excerpt| excerpt.entries.len()).sum();
        prop_assert!((entries..=entries + 2 * imports).contains(&told), "{}", chosen.text);
        if tokens > 20 * estimate(&whole) + 1_000 {
            prop_assert_eq!(chosen.text, whole);
        }
    }

    #[test]
    fn more_tokens_never_show_less_and_are_used(project in project(), tokens in 70..3_000_u64, more in 0..400_u64) {
        let files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = symbols_of(&files);
        let files = map_files(&found);
        let references = references(&files);
        let map = SymbolMap::new(&files, &references);
        let numbers: Vec<u32> = (0..files.len() as u32).collect();
        let (small, large) = (map.within(&numbers, tokens, Detail::PRINTED), map.within(&numbers, tokens + more, Detail::PRINTED));
        for (number, shown) in &small.files {
            let there = large.files.get(number).expect("a file that was there before");
            prop_assert!(shown.entries.is_subset(&there.entries) && shown.calls.is_subset(&there.calls));
            prop_assert!(there.has_imports || !shown.has_imports);
        }
        if !small.is_whole && !numbers.is_empty() {
            let longest = map.texts(&numbers, Detail::PRINTED).concat().lines().map(estimate).max().unwrap_or(0);
            // A line brings its path, what it stands in, and a count.
            prop_assert!(estimate(&small.text) + 4 * longest + 8 > tokens, "{} of {tokens}\n{}", estimate(&small.text), small.text);
        }
    }

    #[test]
    fn components_are_a_partition_of_mutual_references(project in project()) {
        let files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = symbols_of(&files);
        let references = references(&map_files(&found));
        let groups = references.components();
        let mut all: Vec<u32> = groups.concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..found.len() as u32).collect::<Vec<_>>());
        let group_of = |file: u32| groups.iter().position(|group| group.contains(&file));
        for (number, file) in references.files.iter().enumerate() {
            for target in &file.files {
                let is_mutual = references.files[*target as usize].files.contains(&(number as u32));
                prop_assert!(!is_mutual || group_of(number as u32) == group_of(*target));
            }
            let referring = references.files.iter().filter(|other| other.files.contains(&(number as u32))).count();
            prop_assert_eq!(referring, file.referring as usize);
        }
        for group in groups.iter().filter(|group| group.len() > 1) {
            for file in group {
                let has_partner = group.iter().any(|other| {
                    references.files[*file as usize].files.contains(other) && references.files[*other as usize].files.contains(file)
                });
                prop_assert!(has_partner);
            }
        }
    }

    #[test]
    fn every_declaration_has_one_line_whatever_it_is_called(
        path in prop::collection::vec(any::<u8>(), 1..20),
        text in "(# |pub fn |class |\\{|\\}|\\(|\\)|\n|\r|\u{202e}|\u{85}|\u{2028}|\t|\u{1b}|a|b|=|:|,|'|\"){0,40}",
    ) {
        for language in [Language::Rust, Language::Python, Language::TypeScript, Language::Ruby, Language::C, Language::Markdown] {
            let symbols = file_symbols(Some(language), text.as_bytes());
            prop_assert_eq!(FileSymbols::decode(&symbols.encode()), Some(symbols.clone()));
            let files = [MapFile::new(&path, &symbols)];
            let references = references(&files);
            let map = SymbolMap::new(&files, &references);
            let block = map.block(0, &map.legend(&[0]), Detail::KEPT);
            let extra = usize::from(!symbols.imports.is_empty()) + usize::from(symbols.more > 0);
            let lines = block.lines().count();
            prop_assert!(lines > symbols.entries.len() && lines <= 1 + symbols.entries.len() + extra, "{block:?}");
            prop_assert!(block.chars().all(|c| c == '\n' || c != '\t' && crate::base::printable::is_safe(c)), "{block:?}");
            prop_assert!(!block.starts_with([' ', '@', '+']), "{block:?}");
        }
    }
}

#[test]
fn paths_that_could_be_taken_for_something_else_are_quoted() {
    let text = map_of(&[
        (" a", ""),
        ("+3 files", ""),
        ("@1/x", ""),
        ("a ←3", ""),
        ("a\nb", ""),
        ("a\u{202e}b", ""),
        ("ä b", ""),
    ]);
    assert_eq!(
        text,
        "\" a\"\n\"+3 files\"\n\"@1/x\"\n\"a\\nb\"\n\"a ←3\"\na\\u{202e}b\nä b\n"
    );
}

#[test]
fn an_empty_map_is_empty() {
    let references = references(&[]);
    let map = SymbolMap::new(&[], &references);
    assert_eq!(
        (
            map.texts(&[], Detail::PRINTED).concat().as_str(),
            references.components().len()
        ),
        ("", 0)
    );
    assert_eq!(map.within(&[], 1_000, Detail::PRINTED).text, "");
}

#[test]
fn what_most_refer_to_comes_first_and_gives_way_last() {
    let user = |number: usize| {
        (
            format!("u{number}.py"),
            format!("from core import run_it\n\ndef use_{number}():\n    run_it()\n"),
        )
    };
    let users: Vec<(String, String)> = (0..9).map(user).collect();
    let mut files: Vec<(&str, &str)> = users
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    files.push((
        "core.py",
        "def run_it(a, b=1):\n    pass\n\ndef _own():\n    pass\n",
    ));
    let found = symbols_of(&files);
    let files = map_files(&found);
    let references = references(&files);
    let map = SymbolMap::new(&files, &references);
    let numbers: Vec<u32> = (0..files.len() as u32).collect();
    assert_eq!(map.ranked()[0], 0);
    let chosen = map.within(&numbers, 110, Detail::PRINTED);
    assert_eq!(chosen.files[&0].entries.len(), 2);
    assert!(
        chosen
            .text
            .contains("core.py ←9\n  f run_it(a,b?) ←9\n  f _own()\n"),
        "{}",
        chosen.text
    );
    assert!(
        chosen.left > 0 && chosen.text.ends_with(&format!("+{} files\n", chosen.left)),
        "{}",
        chosen.text
    );
}

#[test]
fn kept_blocks_do_not_change_when_another_file_begins_to_refer() {
    let (core, user) = (
        ("a.py", "def run_it():\n    pass\n"),
        ("b.py", "from a import run_it\n\ndef go():\n    run_it()\n"),
    );
    let kept = |files| map_with(files, Detail::KEPT);
    assert!(kept(&[core, user]).starts_with(&kept(&[core])));
    assert!(!map_of(&[core, user]).starts_with(&map_of(&[core])));
}

#[test]
fn lines_are_where_declarations_start() {
    let files = [(
        "a.rs",
        "//! Doc.\n\nuse x;\n\n#[test]\npub fn one(\n) {}\nimpl Two { fn three() {} }\nstruct Two;\n",
    )];
    let text = map_with(
        &files,
        Detail {
            has_lines: true,
            ..Detail::PRINTED
        },
    );
    assert_eq!(
        text,
        "a.rs\n  i x\n  f one() :6\n  c Two :9\n    m three() :8\n"
    );
}

/// Names that are written like the tests of a file with a thousand copies: work must not grow with the square.
#[test]
fn a_name_that_everybody_declares_refers_to_nobody() {
    let text = "pub fn everywhere() { nowhere() }\n";
    let symbols: FileSymbols = file_symbols(Some(Language::Rust), text.as_bytes());
    let paths: Vec<String> = (0..2_000)
        .map(|number| format!("src/n{number:04}.rs"))
        .collect();
    let files: Vec<MapFile<'_>> = paths
        .iter()
        .map(|path| MapFile::new(path.as_bytes(), &symbols))
        .collect();
    let references = references(&files);
    assert!(
        references
            .files
            .iter()
            .all(|file| file.files.is_empty() && file.referring == 0)
    );
}

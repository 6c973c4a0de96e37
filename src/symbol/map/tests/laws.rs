//! Laws: nothing above a budget, one line for each declaration, groups that are a partition, the same bytes again.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use proptest::prelude::*;

use super::{map_files, map_of, map_with, symbols_of};
use crate::base::number::IndexVec;
use crate::base::token::estimate;
use crate::symbol::Language;
use crate::symbol::cache::Cached;
use crate::symbol::map::{
    ContentNumber, Detail, FileNumber, FileSymbols, MapFile, MapFiles, MapLinks, SymbolMap,
    SymbolSource, file_symbols, near, references,
};

/// Files whose symbols are read for each look; nothing of them may stay.
#[derive(Debug)]
struct Again(IndexVec<ContentNumber, FileSymbols>);

impl SymbolSource for Again {
    fn symbols(&self, number: ContentNumber) -> &FileSymbols {
        panic!("{number:?} is kept")
    }

    fn look(&self, number: ContentNumber) -> Cow<'_, FileSymbols> {
        Cow::Owned(self.0[number].clone())
    }
}

/// Whether a file is one of those that the bits of a number choose.
fn is_chosen(some: u64, number: FileNumber) -> bool {
    some >> (number.raw() % 64) & 1 == 1
}

/// Directory, number, what it calls, how many fields it has, and what it imports and passes on.
type FileParts = (usize, usize, Vec<usize>, usize, Vec<(String, bool)>);

/// Projects of Rust files that refer to each other by number.
fn project() -> impl Strategy<Value = Vec<(String, String)>> {
    let file = (
        0..3_usize,
        0..12_usize,
        prop::collection::vec(0..12_usize, 0..6),
        0..9_usize,
        prop::collection::vec(("[a-z]", any::<bool>()), 0..3),
    );
    prop::collection::btree_map("[a-z]{1,2}", file, 0..12).prop_map(|files| {
        let directories = ["src", "src/deep/er", "a long directory/with/names"];
        let one = |(name, (directory, number, calls, fields, imports)): (String, FileParts)| {
            let imports: String = imports.iter().fold(String::new(), |all, (from, is_passed_on)| {
                all + if *is_passed_on { "pub use super::" } else { "use super::" } + from + "::*;\n"
            });
            let calls: String = calls.iter().fold(String::new(), |all, call| all + &format!("call_{call}(Kind{call}); "));
            let fields: String = (0..fields).fold(String::new(), |all, field| all + &format!("pub field_{field}: Option<u8>, "));
            let text = format!(
                "{imports}pub fn call_{number}(of: Kind{number}) {{ {calls} }}\npub struct Kind{number} {{ {fields} }}\nfn own() {{}}\n"
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
        let numbers: Vec<FileNumber> = files.indices().collect();
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
        let numbers: Vec<FileNumber> = files.indices().collect();
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
    fn partners_are_groups_of_mutual_references(project in project()) {
        let files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = symbols_of(&files);
        let references = references(&map_files(&found));
        let groups = references.partners();
        let mut all: Vec<FileNumber> = groups.concat();
        all.sort_unstable();
        all.dedup();
        prop_assert_eq!(all.len(), groups.concat().len(), "no file is in two groups");
        let group_of = |file: FileNumber| groups.iter().position(|group| group.contains(&file));
        for (number, file) in (0..).map(FileNumber::new).zip(references.iter()) {
            for target in &file.files {
                let is_mutual = references.of(*target).files.contains(&(number));
                prop_assert!(!is_mutual || group_of(number).is_some() && group_of(number) == group_of(*target));
            }
            let referring = references.iter().filter(|other| other.files.contains(&(number))).count();
            prop_assert_eq!(referring, file.referring as usize);
        }
        for group in groups {
            prop_assert!(group.len() > 1 && group.is_sorted());
            for file in group {
                let has_partner = group.iter().any(|other| {
                    references.of(*file).files.contains(other) && references.of(*other).files.contains(file)
                });
                prop_assert!(has_partner);
            }
        }
    }

    /// What was kept says the same as what was found out, whatever part of it is shown, within any budget.
    #[test]
    fn kept_links_say_the_same(project in project(), some in any::<u64>(), tokens in 0_u64..600) {
        let files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = symbols_of(&files);
        let files = map_files(&found);
        let made = MapLinks::of(&files);
        let bytes = made.encode();
        prop_assert!(MapLinks::decode(bytes.clone(), files.len() + 1).is_none());
        prop_assert!(MapLinks::decode(bytes[..bytes.len() - 1].to_vec(), files.len()).is_none());
        let kept = MapLinks::decode(bytes.clone(), files.len()).expect("what was encoded");
        let numbers: Vec<FileNumber> = files.indices().filter(|number| is_chosen(some, *number)).collect();
        let map = |links: &MapLinks| {
            let map = SymbolMap::ordered(&files, &links.references, Arc::clone(&links.order));
            (map.texts(&numbers, Detail::PRINTED), map.within(&numbers, tokens, Detail::PRINTED), map.ranked().to_vec())
        };
        prop_assert_eq!(map(&kept), map(&made));
        prop_assert!(kept.references.looks().map(Cow::into_owned).eq(made.references.iter().cloned()));
        prop_assert!(kept.references.iter().eq(made.references.iter()));
        prop_assert_eq!(kept.references.partners(), made.references.partners());
        prop_assert_eq!(kept.encode(), bytes);
    }

    /// Symbols that are read for each look lead to the same references, whichever files these are.
    #[test]
    fn symbols_that_are_read_again_say_the_same(project in project(), some in any::<u64>()) {
        let files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = symbols_of(&files);
        let whole = map_files(&found);
        let source = Again(whole.iter().map(|file| file.symbols().clone()).collect());
        let part: IndexVec<FileNumber, MapFile<'_>> = whole.iter_enumerated()
            .map(|(number, file)| {
                let content = ContentNumber::from_foreign(number);
                if is_chosen(some, number) { MapFile::later(file.path, &source, content) } else { *file }
            })
            .collect();
        prop_assert_eq!(MapLinks::of(&part).encode(), MapLinks::of(&whole).encode());
    }

    /// A map of some files alone is one of a snapshot in which all that they do not see is empty.
    #[test]
    fn what_is_not_near_may_as_well_be_empty(project in project(), some in any::<u64>(), tokens in 0_u64..600) {
        let mut files: Vec<(&str, &str)> = project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        files.sort_unstable();
        let found = symbols_of(&files);
        let all = map_files(&found);
        let wanted: Vec<FileNumber> = all.indices().filter(|number| is_chosen(some, *number)).collect();
        let language = |number: FileNumber| all[number].symbols().language;
        let prepared = RefCell::new(Vec::new());
        let near = near(&all, &wanted, &language, &|numbers| prepared.borrow_mut().extend_from_slice(numbers));
        let mut read = prepared.into_inner();
        read.sort_unstable();
        prop_assert_eq!(&read, &near, "each is read once");
        prop_assert!(near.is_sorted() && wanted.iter().all(|number| near.contains(number)));
        let none = FileSymbols::default();
        let is_near = |number: FileNumber| near.contains(&(number));
        let part: IndexVec<FileNumber, MapFile<'_>> = all.iter_enumerated()
            .map(|(number, file)| if is_near(number) { *file } else { MapFile::new(file.path, &none) })
            .collect();
        let emptied: Vec<(&str, &str)> = all.indices().zip(&files)
            .map(|(number, (path, text))| (*path, if is_near(number) { *text } else { "" }))
            .collect();
        let emptied = symbols_of(&emptied);
        let emptied = map_files(&emptied);
        let say = |files: &MapFiles<'_>| {
            let links = MapLinks::of(files);
            let map = SymbolMap::ordered(files, &links.references, Arc::clone(&links.order));
            (map.texts(&wanted, Detail::PRINTED), map.within(&wanted, tokens, Detail::PRINTED))
        };
        prop_assert_eq!(say(&part), say(&emptied));
        // Where imports lead to does not depend on what is read.
        let (part, whole) = (MapLinks::of(&part), MapLinks::of(&all));
        for number in &wanted {
            prop_assert_eq!(&part.references.of(*number).imports, &whole.references.of(*number).imports);
            prop_assert_eq!(&part.references.of(*number).outside, &whole.references.of(*number).outside);
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
            let files = IndexVec::from_vec(vec![MapFile::new(&path, &symbols)]);
            let number = FileNumber::new(0);
            let references = references(&files);
            let map = SymbolMap::new(&files, &references);
            let block = map.block(number, &map.legend(&[number]), Detail::KEPT);
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
    let files = MapFiles::from_slice(&[]);
    let references = references(files);
    let map = SymbolMap::new(files, &references);
    assert_eq!(
        (
            map.texts(&[], Detail::PRINTED).concat().as_str(),
            references.partners().len()
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
    let numbers: Vec<FileNumber> = files.indices().collect();
    assert_eq!(map.ranked()[0], 0);
    let chosen = map.within(&numbers, 110, Detail::PRINTED);
    assert_eq!(chosen.files[&map.ranked()[0]].entries.len(), 2);
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

/// Before, a small map of a class was one name with each of its lists of parameters.
#[test]
fn another_name_comes_before_the_next_overload() {
    let class = "public class Bed {\n  public Bed(int a) {}\n  public Bed(int a, int b) {}\n
        public void fill(int a) {}\n  public void fill(int a, int b) {}\n  public void fill(int a, int b, int c) {}\n
        public void rake() {}\n}\n";
    let found = symbols_of(&[("Bed.java", class)]);
    let files = map_files(&found);
    let references = references(&files);
    let map = SymbolMap::new(&files, &references);
    for tokens in 0..400 {
        let chosen = map
            .within(&[FileNumber::new(0)], tokens, Detail::PRINTED)
            .text;
        let [fills, rakes] = ["m fill(", "m rake("].map(|name| chosen.matches(name).count());
        assert!(fills < 2 || rakes == 1, "{tokens}: {chosen}");
        assert!(tokens < 399 || fills == 3, "{chosen}");
    }
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
fn lines_are_where_declarations_start_and_end() {
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
        "a.rs\n  i x\n  f one() :6-7\n  c Two :9\n    m three() :8\n"
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
    let files: IndexVec<FileNumber, MapFile<'_>> = paths
        .iter()
        .map(|path| MapFile::new(path.as_bytes(), &symbols))
        .collect();
    let references = references(&files);
    assert!(
        references
            .iter()
            .all(|file| file.files.is_empty() && file.referring == 0)
    );
}

//! What is said of small directories, as children say it.

use super::*;
use proptest::prelude::*;

fn said(parts: &[(&str, &str)]) -> Option<String> {
    let kind = |name: &str| {
        if name.ends_with('/') {
            PartKind::Directory
        } else {
            PartKind::File
        }
    };
    let parts: Vec<ChildNode<'_>> = parts
        .iter()
        .map(|(name, body)| ChildNode::outlined(name.trim_end_matches('/'), kind(name), body))
        .collect();
    likeness(&parts.iter().collect::<Vec<_>>())
}

#[track_caller]
fn check(parts: &[(&str, &str)], expected: &str) {
    assert_eq!(said(parts).as_deref().unwrap_or_default(), expected);
}

#[test]
fn directories_that_hold_more_go_before_the_files_beside_them() {
    let below = "Keeps items.\n\nDirectory of 20 files: Java 20.\n";
    check(
        &[
            ("ClassTest.java", "Java source, 10+ lines.\n"),
            ("com/", below),
        ],
        "Holds `com/`: Keeps items. Tests: `Class`.",
    );
    check(
        &[(
            "Gemfile",
            "Ruby source, under 10 lines.\n\n- lines `gem 'puma', path: 'here'`, `gem 'nio'`\n",
        )],
        "Ruby file: `Gemfile` with lines `gem 'puma', path: 'here'`, `gem 'nio'`.",
    );
    check(&[("a.result", "Text file, 10+ lines.\n\n- line `│`\n")], "");
    // Before, a directory of two scripts and a patch said what the patch is.
    let script = "Ruby source, under 10 lines.\n\n- lines `register :rack`, `end`\n";
    let patch = "Ruby file: `class Socket`.\n\nDirectory of 1 file: Ruby 1.\n";
    check(
        &[
            ("servers.rb", script),
            ("drivers.rb", script),
            ("LICENSE", "MIT licence.\n\nLicence file, 10+ lines.\n"),
            ("patches/", patch),
        ],
        "Ruby files: `servers.rb`, `drivers.rb`.",
    );
    let test = "Python source, 10+ lines.\n\n- `def test_sell()`\n";
    check(
        &[
            ("test_utils.py", test),
            ("test_till.py", test),
            ("utils_test.go", test),
        ],
        "Tests: `utils`, `till`.",
    );
    let caps = |title: &str| format!("Markdown file, 10+ lines.\n\n- {title}\n");
    let (api, faq) = (caps("API"), caps("FAQ"));
    check(
        &[("api.md", &api), ("faq.md", &faq)],
        "Markdown files: API; FAQ.",
    );
    let java = "Java source, 10+ lines.\n\nNot public:\n\n- `class T`\n";
    check(
        &[
            ("AbstractTillTest.java", java),
            ("TillTest.java", java),
            ("BedTest.java", java),
            (
                "BaseCaseTest.java",
                "Java source, 10+ lines, 1 public item.\n\n- `abstract class BaseCaseTest`\n",
            ),
        ],
        "Tests: `Till`, `Bed`.",
    );
    // Before, the script beside them was among the pages.
    let page = |title: &str| format!("HTML file, 10+ lines.\n\n- {title}\n");
    let pages: Vec<String> = (0..8).map(|at| page(&format!("Page {at}"))).collect();
    let named: Vec<String> = (0..8).map(|at| format!("{at}.html")).collect();
    let mut parts: Vec<(&str, &str)> = named
        .iter()
        .map(|name| &**name)
        .zip(pages.iter().map(|page| &**page))
        .collect();
    let script = "Makes the pages.\n\nPython source, 10+ lines, 1 public item.\n\n- `def make()`\n";
    parts.insert(0, ("0.py", script));
    check(
        &parts,
        "HTML files: Page 0; Page 1; Page 2; Page 3; Page 4; and 3 more.",
    );
}

#[test]
fn tests_licences_and_hooks_do_not_speak_for_a_directory() {
    let licences = ["LICENSE-MIT", "COPYING.md", "licenses.rs"].map(is_licence);
    assert_eq!(licences, [true, true, false]);
    check(
        &[
            (
                "codec.go",
                "Go source, 20+ lines, 1 public item.\n\n- `type Codec struct`: Codec encodes YAML.\n",
            ),
            (
                "codec_test.go",
                "Go source, 20+ lines, 1 public item.\n\n- `func TestCodec(t *testing.T)`\n",
            ),
        ],
        "Go files: `type Codec struct`: Codec encodes YAML.",
    );
    check(
        &[
            (
                "__init__.py",
                "Python source, 20+ lines, 1 public item.\n\n- `def __getattr__(name: str)`\n",
            ),
            (
                "fields.py",
                "Python source, 20+ lines, 1 public item.\n\n- `class Field`\n",
            ),
            (
                "util.py",
                "This is a drawer.\n\nPython source, 20+ lines, 1 public item.\n\n- `def flat(list)`\n",
            ),
        ],
        "Python files: `class Field`, `def flat(list)` and 1 more.",
    );
    check(
        &[
            (
                "LICENSE.md",
                "Creative Commons licence.\n\nLicence file, 10+ lines.\n",
            ),
            (
                "rack.css",
                "CSS file, 10+ lines, 1 item.\n\n- rule `body`\n",
            ),
        ],
        "Files: `rack.css` with rule `body`.",
    );
    check(
        &[("c.jq", "Text file, under 10 lines.\n\n- line `def g: 1;`\n")],
        "Text file: `c.jq` with line `def g: 1;`.",
    );
}

#[test]
fn programs_share_tests_names_and_declarations() {
    let php = |class: &str| format!("PHP source, 50+ lines.\n\n- `class {class}`\n");
    let php = [php("AmqpHandler"), php("FleepHandler"), php("Utils")];
    let tests = [
        ("test_app.py", ""),
        ("test_cli.py", ""),
        ("conftest.py", ""),
    ];
    check(&tests, "Tests: `app`, `cli`.");
    check(
        &[
            ("AmqpHandler.php", &php[0]),
            ("FleepHandler.php", &php[1]),
            ("NullHandler.php", "PHP source, 10+ lines.\n"),
            ("Utils.php", &php[2]),
        ],
        "PHP files: `class AmqpHandler`, `class FleepHandler`, `class Utils` and 1 more; among them `*Handler` (3).",
    );
}

#[test]
fn what_tells_no_file_from_others_is_no_point() {
    let js = |list: &str| format!("JavaScript source, 10+ lines, 1 public item.\n\n- `{list}`\n");
    let nameless = js("module.exports = function ()");
    check(
        &[("a.js", &nameless), ("b.js", &nameless)],
        "JavaScript files: `a()`, `b()`.",
    );
    let value = "Shell source, 10+ lines.\n\nNot public:\n\n- `HERE=\"$(pwd)\"`\n- `run()`\n";
    let says = "Cleans up.\n\nShell source, 10+ lines.\n\nNot public:\n\n- `usage()`\n";
    check(
        &[
            ("a.js", &nameless),
            ("b.sh", value),
            ("d.sh", says),
            ("e.js", &js("class Long")),
        ],
        "Files: `a()`; `run()`; Cleans up; `class Long`.",
    );
    let ruby = "Ruby source, 10+ lines, 1 public item.\n\n- `module A`\n  - `module Procs`\n    - `def setup`\n";
    check(&[("a.rb", ruby)], "Ruby file: `module Procs`.");
    let names = ["a_test.rb", "b_test.rb", "test_helper.rb"].map(|name| (name, ""));
    check(&names, "Tests: `a`, `b`.");
    let names = ["a_test.rb", "a_test.py", "test_spec.rb"].map(|name| (name, ""));
    check(&names, "Tests: `a`, `test`.");
}

#[test]
fn a_pattern_counts_every_name_that_it_fits() {
    let body = "Text file, 10+ lines.\n";
    let named =
        |names: &[&'static str]| said(&names.iter().map(|name| (*name, body)).collect::<Vec<_>>());
    assert_eq!(
        named(&[
            "Gemfile.rails-5.2.x",
            "Gemfile.rails-6.0.x",
            "Gemfile.rails-7.0.x",
            "Gemfile.rails-main"
        ])
        .as_deref(),
        Some("Text files named `Gemfile.*` (4).")
    );
    let java =
        |class: &str| format!("Java source, 10+ lines, 1 public item.\n\n- `class {class}`\n");
    let java = ["Args1", "ArgsA", "ArgsList", "ArgsSlave", "Main"]
        .map(|name| (name.to_owned() + ".java", java(name)));
    let java: Vec<(&str, &str)> = java
        .iter()
        .map(|(name, body)| (name.as_str(), body.as_str()))
        .collect();
    assert!(said(&java).is_some_and(|said| {
        said.starts_with("Java files: `class Args1`") && said.ends_with("; among them `Args*` (4).")
    }));
    let many: Vec<(String, String)> = ["A", "B", "C", "D", "E", "F", "G"]
        .map(|name| {
            (
                name.to_owned() + ".java",
                format!("Java source, 10+ lines, 1 public item.\n\n- `class {name}`\n"),
            )
        })
        .into();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(name, body)| (name.as_str(), body.as_str()))
        .collect();
    check(
        &many,
        "Java files: `class A`, `class B`, `class C`, `class D`, `class E` and 2 more.",
    );
}

#[test]
fn keys_of_most_files_are_counted() {
    let yaml = |keys: &str| format!("YAML file, under 10 lines, 1 key.\n\n- {keys}\n");
    let (fixes, other) = (yaml("key `fixes: It`"), yaml("key `other`"));
    let files = [
        ("a.yaml", &*fixes),
        ("b.yaml", &*fixes),
        ("c.yaml", &*fixes),
        ("d.yaml", &*other),
    ];
    check(&files, "YAML files with `fixes` (3).");
}

#[test]
fn data_and_documents_share_keys_and_say_what_they_are_called() {
    let yaml = |more: &str| format!("YAML file, 20+ lines.\n\n- keys `name`, {more}`jobs: test`\n");
    check(
        &[("a.yml", &yaml("`on`, ")), ("b.yml", &yaml(""))],
        "YAML files with `name`, `jobs`.",
    );
    let named = |name: &str| format!("YAML file, 20+ lines.\n\n- keys `name {name}`, `jobs: a`\n");
    let list = "List file, under 10 lines, 1 entry.\n\n- entry `* @a`\n";
    check(
        &[
            ("a.yml", &named("Test")),
            ("b.yml", &named("Lint")),
            ("OWNERS", list),
        ],
        "Files: Test; Lint; and 1 more.",
    );
    let document = |says: &str, heading: &str| {
        format!("{says}reStructuredText file, 50+ lines.\n\n- {heading}\n  - Simple\n")
    };
    let flashing = document("", "Flashing");
    check(
        &[
            ("a.rst", &document("Imagine.\n\n", "Large apps")),
            ("b.rst", &flashing),
        ],
        "reStructuredText files: Large apps; Flashing.",
    );
    check(
        &[
            ("a.rst", &document("A first look\n\n", "Data")),
            ("b.rst", &flashing),
        ],
        "reStructuredText files: A first look; Flashing.",
    );
}

#[test]
fn one_file_speaks_for_its_directory() {
    for (name, body, expected) in [
        (
            "a.css",
            "CSS file, 20+ lines, 2 rules.\n\n- rules `html`, `body`\n",
            "CSS file: rules `html`, `body`.",
        ),
        (
            "A.php",
            "PHP source, 50+ lines, 1 public item.\n\n- `class A`: Logs to A.\n",
            "PHP file: `class A`: Logs to A.",
        ),
        (
            "a.h",
            "Mocks of classes. More.\n\nC++ source, 20+ lines.\n\n- `class A`\n",
            "C++ file: Mocks of classes.",
        ),
    ] {
        check(&[(name, body)], expected);
    }
    let js = "JavaScript source, 50+ lines, 1 public item.\n\n- route `GET /`\n";
    let inner = ("b/", "Says more.\n\nDirectory of 1 file.\n");
    check(&[("a.js", js), inner], "JavaScript file: route `GET /`.");
    let flask = (
        "flask/",
        "Makes servers. And more.\n\nDirectory of 3 files.\n",
    );
    check(&[flask], "Holds `flask/`: Makes servers.");
}

#[test]
fn what_one_of_many_says_is_not_said_of_all() {
    let (js, index) = (
        "JavaScript source, 10+ lines.\n",
        "JavaScript source, 10+ lines, 1 public item.\n\n- `export function useIt(a)`\n",
    );
    check(
        &[("a.js", js), ("b.js", js), ("c.js", js), ("d.js", index)],
        "JavaScript files: `d.js`: `function useIt(a)` and 3 more.",
    );
    check(
        &[("index.js", index), ("a.test.js", js), ("b.test.js", js)],
        "JavaScript files: `function useIt(a)` and 2 more.",
    );
    let picture = "Binary file (3 bytes).\n";
    let note = "What is new in it. More.\n\nMarkdown file, 10+ lines.\n";
    check(
        &[("a.png", picture), ("b.png", picture), ("note.md", note)],
        "What is new in it. Images: `a.png`, `b.png`.",
    );
}

#[test]
fn names_alone_are_no_sentence_but_for_pictures() {
    let picture = ("a.png", "Binary file (3 bytes).\n");
    check(
        &[picture, ("b.SVG", "XML file, under 10 lines.\n")],
        "Images: `a.png`, `b.SVG`.",
    );
    check(
        &[("a.bin", picture.1), ("b/", "Directory of 1 file.\n")],
        "",
    );
    check(&[("link", "")], "");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_names_and_bodies_make_one_line(
        parts in prop::collection::vec(("[A-Za-z_.é`-]{1,9}", "[-`a:. \n#é]{0,30}"), 1..8),
    ) {
        let parts: Vec<_> = parts.iter().map(|(name, body)| (name.as_str(), body.as_str())).collect();
        if let Some(text) = said(&parts) {
            prop_assert!(!text.contains('\n') && !text.is_empty(), "{text}");
        }
    }
}

#[test]
fn pictures_of_newer_formats_are_pictures() {
    let image = |kind: &str| format!("{kind} image (10 bytes).\n");
    check(
        &[
            ("logo.png", &image("PNG")),
            ("logo.tiff", &image("TIFF")),
            ("logo.avif", &image("AVIF")),
        ],
        "Images: `logo.png`, `logo.tiff`, `logo.avif`.",
    );
}

#[test]
fn what_only_announces_speaks_for_no_directory() {
    let port = "Python source, 10+ lines, 1 public item.\n\n- `class Till`\n";
    let sell = "Port is free to choose, but: …\n\nPython source, 10+ lines, 1 public item.\n\n- `def sell()`\n";
    check(
        &[("port.py", port), ("sell.py", sell)],
        "Python files: `class Till`, `def sell()`.",
    );
}

#[test]
fn a_package_beside_its_tests_is_no_directory_of_tests() {
    let source = |name: &str| {
        format!("Go source, 20+ lines, 1 public item.\n\n- `type {name} struct`: Keeps items.\n")
    };
    let test = "Go source, 20+ lines, 1 public item.\n\n- `func TestAll(t *testing.T)`\n";
    check(
        &[
            ("coin.go", &source("Coin")),
            ("till.go", &source("Till")),
            ("coin_test.go", test),
            ("coin_external_test.go", test),
            ("till_test.go", test),
            ("till_external_test.go", test),
        ],
        "Go files: `type Coin struct`, `type Till struct` and 4 more; among them `*_test` (4).",
    );
}

#[test]
fn files_without_content_are_named() {
    check(&[("file.txt", "Empty file.\n")], "Empty file: `file.txt`.");
    // They say nothing of the directory around theirs.
    let empty = "Empty file: `lib.rs`.\n\nDirectory of 1 file: Rust 1.\n";
    let keys = "TOML file, under 10 lines, 1 key.\n\n- key `[package] links a`\n";
    check(
        &[("Till.toml", keys), ("src/", empty)],
        "TOML file: `Till.toml` with key `[package] links a`.",
    );
    let below = "Keeps items.\n\nDirectory of 1 file.\n";
    check(
        &[("__init__.py", "Empty file.\n"), ("till/", below)],
        "Holds `till/`: Keeps items.",
    );
}

//! The house rules as a test: layers, homes of outside crates, file shape. `docs/architecture.md` draws the same map.
//!
//! Everything here is a pure function over (path, text) pairs, so that a planted violation can prove each rule.
//! A fault names the file, the line, the rule, and what to do instead.

mod circle;
mod rule;
mod source;
mod structure;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use circle::circle_faults;
use rule::{
    Fault, file_faults, home_faults, manifest_faults, message_faults, path_faults, print_faults,
    state_faults,
};
use source::Source;
use structure::{
    SHARED_NAMES, WORKSPACE_METHODS_MAX, public_types, tuple_faults, workspace_faults,
    workspace_methods,
};

/// All faults of a source tree given as (path, text) pairs, in order of file and line.
fn check(files: &[(String, String)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let sources: Vec<Source> = files
        .iter()
        .map(|(path, text)| Source::parse(path, text))
        .collect();
    faults.extend(circle_faults(&sources));
    for source in &sources {
        for rule in [
            file_faults,
            path_faults,
            home_faults,
            print_faults,
            state_faults,
            message_faults,
            workspace_faults,
            tuple_faults,
        ] {
            faults.extend(rule(source));
        }
    }
    faults.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    faults
}

/// Every Rust file below a directory, with its path relative to the crate, in order of path.
fn rust_files(crate_dir: &Path, below: &str) -> Vec<(String, String)> {
    let mut pending: Vec<PathBuf> = vec![crate_dir.join(below)];
    let mut files = Vec::new();
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("the source tree can be read") {
            let path = entry.expect("the source tree can be read").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(crate_dir)
                    .expect("found below it")
                    .to_str()
                    .expect("source paths are UTF-8")
                    .to_owned();
                files.push((
                    name,
                    std::fs::read_to_string(&path).expect("a source file can be read"),
                ));
            }
        }
    }
    files.sort();
    files
}

fn assert_clean(faults: &[Fault]) {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(
        faults.is_empty(),
        "{} fault(s) against the map of docs/architecture.md:\n{}",
        faults.len(),
        lines.join("\n")
    );
}

#[test]
fn the_source_keeps_the_map() {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = rust_files(crate_dir, "src");
    // Cargo runs the build script on its own: it stands in no room, and prints and reads the environment.
    files.retain(|(path, _)| path != "src/base/token/build.rs");
    assert_clean(&check(&files));
}

/// Before, it had 165 methods in 32 files.
#[test]
fn the_workspace_is_what_is_open_and_no_more() {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = rust_files(crate_dir, "src");
    let methods = files
        .iter()
        .map(|(path, text)| workspace_methods(&Source::parse(path, text)));
    let count: usize = methods.sum();
    assert!(
        (1..=WORKSPACE_METHODS_MAX).contains(&count),
        "{count} methods, at most {WORKSPACE_METHODS_MAX}: an operation is a free function in ops/"
    );
}

/// A search for a type finds one: before, 62 names stood for several.
#[test]
fn a_public_type_has_a_name_of_its_own() {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in rust_files(crate_dir, "src") {
        let source = Source::parse(&path, &text);
        for name in public_types(&source) {
            let room = source.module.first().cloned().unwrap_or_default();
            rooms.entry(name).or_default().insert(room);
        }
    }
    let shared = rooms.iter().filter(|(_, rooms)| rooms.len() > 1);
    let shared: BTreeSet<&str> = shared.map(|(name, _)| name.as_str()).collect();
    let allowed: BTreeSet<&str> = SHARED_NAMES.iter().map(|(name, _)| *name).collect();
    // A name that is shared no more is taken out of the list, so that it cannot come back.
    assert_eq!(shared, allowed, "names that stand in several rooms");
}

#[test]
fn every_dependency_has_a_home_and_every_home_a_dependency() {
    assert_clean(&manifest_faults(include_str!("../../Cargo.toml")));
}

/// A setting is read in the one file that its row names: the table cannot say more than the code does.
#[test]
fn every_setting_has_the_one_reader_that_its_row_names() {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut readers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in rust_files(crate_dir, "src") {
        if path.starts_with("src/config/") {
            continue;
        }
        let module = if path == "src/provider/definition.rs" {
            "key"
        } else {
            "table"
        };
        let tokens = Source::parse(&path, &text).tokens;
        for three in tokens.windows(3).filter(|three| !three[0].in_test) {
            if three[0].text == module && three[1].text == "::" {
                readers
                    .entry(three[2].text.clone())
                    .or_default()
                    .insert(path.clone());
            }
        }
    }
    let rows = table_rows(crate_dir);
    assert_eq!(
        rows.len(),
        git_merkle::config::table::all().count(),
        "a constant is in no list"
    );
    for (constant, name) in rows {
        let setting = git_merkle::config::table::all().find(|setting| setting.full_name() == name);
        let wanted = setting.map(|setting| format!("src/{}", setting.reader));
        let found: Vec<&String> = readers.get(&constant).into_iter().flatten().collect();
        assert_eq!(found, wanted.iter().collect::<Vec<_>>(), "{name}");
    }
}

/// The constants of the table with the full names of their settings.
fn table_rows(crate_dir: &Path) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for (file, prefix) in [
        ("table.rs", "merkle."),
        ("table/provider.rs", "merkle.provider.<name>."),
    ] {
        let text = std::fs::read_to_string(crate_dir.join("src/config").join(file))
            .expect("the table is written in one way");
        for row in text
            .split("pub const ")
            .skip(1)
            .filter(|row| row.contains(": Setting ="))
        {
            let (constant, rest) = row
                .split_once(':')
                .expect("the table is written in one way");
            let prefix = if constant.starts_with("REMOTE_ACCEPT") {
                "merkle.<remote>."
            } else {
                prefix
            };
            rows.push((
                constant.to_owned(),
                format!(
                    "{prefix}{}",
                    rest.split('"')
                        .nth(1)
                        .expect("the table is written in one way")
                ),
            ));
        }
    }
    rows
}

/// What is planted in a file, and the line and rule that must be reported.
fn assert_found(path: &str, text: &str, line: usize, rule: &str) {
    let found = check(&[(path.to_owned(), text.to_owned())]);
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(
        found.len() == 1 && found[0].line == line && found[0].rule == rule,
        "in {path}, wanted one fault of '{rule}' on line {line}, found:\n{}\nin:\n{text}",
        shown.join("\n")
    );
}

#[test]
fn planted_arrows_are_found() {
    assert_found(
        "src/node/scan.rs",
        "//! Doc.\n\nuse crate::view::View;\n",
        3,
        "layers",
    );
    assert_found(
        "src/node/scan.rs",
        "//! Doc.\nuse crate::frame::Frame;\n",
        2,
        "layers",
    );
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\nuse crate::{base::NodeId, config::{Key, Value}};\n",
        2,
        "layers",
    );
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\nfn f() -> u8 {\n    crate::cli::answer()\n}\n",
        3,
        "layers",
    );
    assert_found("src/git/repo.rs", "//! Doc.\nuse crate::*;\n", 2, "layers");
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\nuse super::super::cli::Ui;\n",
        2,
        "layers",
    );
    assert_found(
        "src/git/mod.rs",
        "//! Doc.\npub use super::cli::Ui;\n",
        2,
        "layers",
    );
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\nmod tests {\n    use super::super::super::cli::Ui;\n}\n",
        3,
        "layers",
    );
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\n#[cfg(test)]\nmod tests {\n    use crate::frame::Frame;\n}\n",
        4,
        "layers",
    );
    assert_found("src/stray/mod.rs", "//! Doc.\n", 1, "layers");
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\nuse crate::stray::Thing;\n",
        2,
        "layers",
    );
    assert_found(
        "src/git/repo.rs",
        "//! Doc.\nuse git_merkle::base::NodeId;\n",
        2,
        "layers",
    );
}

#[test]
fn planted_strangers_are_found() {
    assert_found(
        "src/node/scan.rs",
        "//! Doc.\nuse gix::ObjectId;\n",
        2,
        "homes",
    );
    assert_found(
        "src/node/scan.rs",
        "//! Doc.\nuse ::gix::ObjectId;\n",
        2,
        "homes",
    );
    assert_found("src/node/scan.rs", "//! Doc.\nuse gix as g;\n", 2, "homes");
    assert_found(
        "src/view/fit.rs",
        "//! Doc.\nfn f() {\n    tree_sitter_rust::LANGUAGE;\n}\n",
        3,
        "homes",
    );
    assert_found(
        "src/regen/plan.rs",
        "//! Doc.\nuse {similar::TextDiff, std::fmt};\n",
        2,
        "homes",
    );
    assert_found(
        "src/regen/plan.rs",
        "//! Doc.\nfn f() -> Option<String> {\n    std::env::var(\"HOME\").ok()\n}\n",
        3,
        "homes",
    );
    assert_found(
        "src/view/fit.rs",
        "//! Doc.\nuse std::{env, fs};\n",
        2,
        "homes",
    );
}

#[test]
fn planted_methods_of_the_workspace_are_found() {
    let method = "//! Doc.\nimpl Workspace {\n    fn f(&self) {}\n}\n";
    assert_found("src/ops/refresh.rs", method, 2, "workspace");
    assert_found("src/session/turn.rs", method, 2, "workspace");
    assert_clean(&check(&[(
        "src/workspace/open.rs".to_owned(),
        method.to_owned(),
    )]));
    assert_eq!(
        workspace_methods(&Source::parse("src/workspace/open.rs", method)),
        1
    );
}

#[test]
fn planted_tuples_are_found() {
    for (line, parameters) in [
        (2, "(a, b): (u8, u8)"),
        (2, "a: (u8, u8), b: u8"),
        (2, "&self, a: &(u8, Vec<(u8, u8)>)"),
        (2, "a: &'t mut (u8, u8)"),
        (3, "a: BTreeMap<u8, u8>,\n    (b, c): Pair"),
    ] {
        let text = format!("//! Doc.\nfn f<'t>({parameters}) {{}}\n");
        assert_found("src/git/repo.rs", &text, line, "tuples");
    }
    for parameters in [
        "a: &[(u8, u8)], b: Vec<(u8, u8)>",
        "each: &(dyn Fn(u8, u8) -> (u8, u8) + Sync)",
        "[a, b]: [u8; 2], f: impl Fn((u8, u8))",
        "a: fn(u8, u8) -> u8, b: ()",
    ] {
        let text = format!("//! Doc.\nfn f({parameters}) {{\n    g(|(a, b): (u8, u8)| a);\n}}\n");
        assert_clean(&check(&[("src/git/repo.rs".to_owned(), text)]));
    }
}

/// Two files of a room, and the lines on which the circle between them is reported.
fn assert_circle(files: &[(&str, &str)], lines: &[(&str, usize)]) {
    let files: Vec<(String, String)> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), format!("//! Doc.\n{text}")))
        .collect();
    let found = check(&files);
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    let found: Vec<(&str, usize)> = found
        .iter()
        .filter(|fault| fault.rule == "circles")
        .map(|fault| (fault.path.as_str(), fault.line))
        .collect();
    assert_eq!(found, lines, "{shown:?}");
}

#[test]
fn planted_circles_are_found() {
    let (a, b) = ("src/git/a.rs", "src/git/b.rs");
    let both = [(a, 2), (b, 2)];
    let define = "pub struct A;\n";
    for (one, other) in [
        ("use super::b::f;\n", "use crate::git::a::A;\n"),
        (
            "use super::{b, c};\nfn g() {\n    b::f();\n}\n",
            "use super::a;\n",
        ),
        (
            "fn g() {\n    super::b::f();\n}\n",
            "fn f(a: crate::git::a::A) {}\n",
        ),
        (
            "use crate::{base::X, git::{b::{self as other, f}}};\n",
            "use super::a::*;\n",
        ),
    ] {
        let lines = [(a, if one.starts_with("fn") { 3 } else { 2 }), (b, 2)];
        assert_circle(&[(a, &format!("{one}{define}")), (b, other)], &lines);
    }
    // A name that a front hands on counts for the file that defines it.
    let front = (
        "src/git/mod.rs",
        "mod a;\nmod b;\npub use a::A;\npub use b::*;\n",
    );
    let handed_on = [
        front,
        (a, "use super::F;\npub struct A;\n"),
        (b, "use crate::git::A as Other;\npub struct F;\n"),
    ];
    assert_circle(&handed_on, &both);
    // Through a third, and between a file and one below it.
    let third = ("src/git/c.rs", "use super::a::A;\n");
    let through = [
        (a, "use super::b::F;\npub struct A;\n"),
        (b, "use super::c;\n"),
        third,
    ];
    assert_circle(&through, &[(a, 2), (b, 2), ("src/git/c.rs", 2)]);
    let below = ("src/git/a/d.rs", "use super::A;\npub struct D;\n");
    let parent = (a, "mod d;\nuse d::D;\npub struct A;\n");
    assert_circle(&[parent, below], &[(a, 3), ("src/git/a/d.rs", 2)]);
}

#[test]
fn what_goes_one_way_is_no_circle() {
    let (a, b) = ("src/git/a.rs", "src/git/b.rs");
    let uses = (a, "use super::b::F;\npub struct A;\n");
    // The front that declares both, a test beside the code, words in a text.
    let front = (
        "src/git/mod.rs",
        "mod a;\nmod b;\npub use a::A;\npub use b::F;\n",
    );
    let test = "pub struct F;\n#[cfg(test)]\nmod tests {\n    use super::super::a::A;\n}\n";
    assert_circle(&[front, uses, (b, test)], &[]);
    assert_circle(&[uses, (b, "const F: &str = \"super::a::A\";\n")], &[]);
    assert_circle(&[uses, (b, "pub(in crate::git::a) struct F;\n")], &[]);
    // Declaring a file is no use of it.
    let below = ("src/git/a/d.rs", "use super::A;\n");
    assert_circle(&[(a, "mod d;\npub struct A;\n"), below], &[]);
    // The table of commands names every command, and a command reads what it has parsed.
    let table = (
        "src/cli/args.rs",
        "use super::commands::show;\npub struct Args;\n",
    );
    let command = ("src/cli/commands/show.rs", "use crate::cli::args::Args;\n");
    assert_circle(&[table, command], &[]);
}

#[test]
fn planted_prints_are_found() {
    assert_found(
        "src/regen/plan.rs",
        "//! Doc.\nfn f() {\n    println!(\"{}\", 1);\n}\n",
        3,
        "prints",
    );
    assert_found(
        "src/regen/plan.rs",
        "//! Doc.\nfn f() {\n    let out = std::io::stderr();\n}\n",
        3,
        "prints",
    );
}

/// Before, three places made messages for a session, and two of them said other words.
#[test]
fn a_second_way_to_a_model_is_found() {
    let made = "//! Doc.\nfn f() -> Vec<Message> {\n    vec![Message::new(Role::User, \"x\")]\n}\n";
    assert_found("src/session/answer.rs", made, 3, "messages");
    assert_found("src/ops/payload.rs", made, 3, "messages");
    let literal = "//! Doc.\nfn f(role: Role) -> Message {\n    Message { role, ..g() }\n}\n";
    assert_found("src/cli/commands/turn.rs", literal, 3, "messages");
    let rendered = "//! Doc.\nfn f() {\n    crate::tier::array(&layout, &texts);\n}\n";
    assert_found("src/session/answer.rs", rendered, 3, "messages");
    for home in ["src/session/world.rs", "src/prompt/adapter.rs"] {
        assert_clean(&check(&[(home.to_owned(), made.to_owned())]));
    }
}

#[test]
fn planted_ways_around_the_room_of_the_state_are_found() {
    let knows = "//! Doc.\nuse crate::git::StateDir;\n";
    for opens in [
        "std::fs::read(x)",
        "fs::remove_file(x)",
        "File::open(x)",
        "OpenOptions::new()",
        "file::replace(x, y)",
    ] {
        assert_found(
            "src/hook/log.rs",
            &format!("{knows}fn f() {{\n    {opens};\n}}\n"),
            4,
            "state",
        );
    }
    assert_found(
        "src/view/fit.rs",
        "//! Doc.\nfn f() {\n    fs::read(self.state.shown_file(x));\n}\n",
        3,
        "state",
    );
    assert_found(
        "src/view/fit.rs",
        "//! Doc.\nfn f() {\n    git_dir.join(\"merkle\");\n}\n",
        3,
        "state",
    );
}

#[test]
fn planted_file_faults_are_found() {
    assert_found("src/git/repo.rs", "use std::fs;\n", 1, "docs");
    assert_found(
        "src/git/repo.rs",
        &format!("//! Doc.\n{}", "// line\n".repeat(700)),
        701,
        "length",
    );
    assert_found(
        "src/main.rs",
        &format!("//! Doc.\n{}", "// line\n".repeat(20)),
        21,
        "length",
    );
    assert_found(
        "src/git/mod.rs",
        "//! Doc.\nmod repo;\npub use repo::Repository;\npub fn f() {}\n",
        4,
        "mod.rs",
    );
    assert_found("src/git/mod.rs", "//! Doc.\nuse std::fs;\n", 2, "mod.rs");
    assert_found("src/git/mod.rs", "//! Doc.\nmod tests {\n}\n", 2, "mod.rs");
    assert_found(
        "src/lib.rs",
        "//! Doc.\npub const VERSION: u8 = 1;\n",
        2,
        "mod.rs",
    );
    assert_found("src/git/utils.rs", "//! Doc.\n", 1, "names");
    assert_found("src/git/repo.rs", "//! Doc.\nfn f( {\n", 1, "syntax");
}

#[test]
fn what_keeps_the_rules_is_left_alone() {
    let files = [
        (
            "src/main.rs",
            "//! Doc.\nfn main() {\n    git_merkle::cli::run(std::env::args_os());\n}\n",
        ),
        (
            "src/lib.rs",
            "//! Doc.\n\npub mod base;\npub(crate) mod git;\n",
        ),
        (
            "src/git/mod.rs",
            "//! Doc.\n\npub mod repo;\n#[cfg(unix)]\nmod lock;\n\npub use repo::{A, B};\npub(crate) use lock::C;\n",
        ),
        (
            "src/git/repo.rs",
            "//! Doc about crate::cli and println!(1).\nuse super::lock;\nuse crate::{base::NodeId, git::Lock};\nuse gix::ObjectId;\n",
        ),
        (
            "src/git/lock.rs",
            "//! Doc.\nconst TEXT: &str = \"crate::cli::x gix::y\";\npub(crate) fn f(c: std::process::Command) {\n    c.stdout();\n}\n",
        ),
        (
            "src/view/fit.rs",
            "//! Doc.\n#[cfg(test)]\nmod tests {\n    use super::super::compose;\n    fn f() {\n        println!(\"{:?}\", std::env::temp_dir());\n    }\n}\n",
        ),
        (
            "src/view/fit/tests/mod.rs",
            "//! Doc.\nfn f() {\n    println!(\"{:?}\", std::env::temp_dir());\n}\n",
        ),
        (
            "src/view/compose.rs",
            "//! Doc.\nconst V: &str = env!(\"CARGO_PKG_VERSION\");\nmod gix {}\nuse self::gix::x;\n",
        ),
    ];
    assert_clean(&check(
        &files.map(|(path, text)| (path.to_owned(), text.to_owned())),
    ));
}

#[test]
fn a_dependency_without_a_home_and_a_home_without_a_dependency_are_found() {
    let complete = include_str!("../../Cargo.toml");
    let stranger = complete.replacen("[dependencies]\n", "[dependencies]\nleft-pad = \"1\"\n", 1);
    assert!(
        manifest_faults(&stranger)[0]
            .to_string()
            .contains("'left_pad'")
    );
    let without = complete
        .replacen("\nblake3 ", "\nclap ", 1)
        .replacen("\nclap ", "\n#", 1);
    assert!(
        manifest_faults(&without)[0]
            .to_string()
            .contains("'blake3'")
    );
}

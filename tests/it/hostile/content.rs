//! Files that are no source, or too much of it: whatever their name promises, each gets a frame.

use git_merkle::git::EntryMode::File;

use super::{Forge, assert_civil, json};
use crate::support::{Run, Sandbox};

/// An ending of each language that has a grammar, and of some that have none.
const ENDINGS: [&str; 20] = [
    "rs", "py", "js", "jsx", "ts", "tsx", "go", "java", "c", "h", "cpp", "cs", "rb", "php", "sh",
    "md", "json", "toml", "txt", "bin",
];

/// What is put into a file of every ending.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let every_byte: Vec<u8> = (0..=255_u8).cycle().take(4_096).collect();
    let nested =
        |open: &str, close: &str| (open.repeat(20_000) + &close.repeat(20_000)).into_bytes();
    vec![
        ("empty", Vec::new()),
        ("newline", b"\n".to_vec()),
        ("nul", vec![0; 1_000]),
        ("nul-in-text", b"fn a() {}\0fn b() {}\n".to_vec()),
        ("every-byte", every_byte),
        ("utf16", [&b"\xff\xfe"[..], &utf16("class A { void b() {} }\n")].concat()),
        ("utf16-without-mark", utf16("def f():\n  pass\n")),
        ("utf8-mark", b"\xef\xbb\xbffn a() {}\n".to_vec()),
        ("invalid", b"fn a\xff() { \xc3\x28 }\nclass \xed\xa0\x80 {}\ndef \xf5\x80: pass\n".to_vec()),
        ("crlf", b"/// doc\r\npub fn a() {}\r\n\r\nclass A {\r\n}\r\n".to_vec()),
        ("lone-cr", b"# a\rfn a() {}\rclass A {}\rdef f(): pass\r".to_vec()),
        ("one-line", b"fn a() { b(); } ".repeat(65_536)),
        ("one-word", vec![b'x'; 1_048_576]),
        ("braces", nested("{", "}")),
        ("parentheses", nested("(", ")")),
        ("brackets", nested("[", "]")),
        ("generics", nested("A<", ">")),
        ("open-only", b"fn f(a: (((((((((([[[[[[[[[[{{{{{{{{{{".repeat(2_000)),
        ("functions", b"function f() { ".repeat(10_000)),
        ("classes", b"class A { ".repeat(10_000)),
        ("modules", b"pub mod a { ".repeat(10_000)),
        ("namespaces", b"namespace a { ".repeat(10_000)),
        ("indented", (0..1_500_usize).flat_map(|n| [" ".repeat(n), "def f():\n".to_owned()]).collect::<String>().into_bytes()),
        ("ifs", b"#if A\n".repeat(20_000)),
        ("quotes", b"\"'`\\".repeat(20_000)),
        ("comments", b"/* /* // # --> <!-- ".repeat(10_000)),
        ("headings", b"###### a\n> > > > - - - 1. ".repeat(5_000)),
        ("heredocs", b"cat <<A <<B <<'C'\n".repeat(5_000)),
        ("many", (0..20_000).flat_map(|n| format!("pub fn f{n}() {{}}\n").into_bytes()).collect()),
        ("escapes", "/// \u{1b}[31m \u{202e} \u{200b}\npub fn a() {}\n# \u{1b}]0;x\u{7}\n".repeat(50).into_bytes()),
        ("fences", b"/// ```\n/// ````` \n/// ---\n/// <!-- -->\npub fn a() {}\n".to_vec()),
        ("frame", b"---\nformat: git-merkle/frame/1\n---\n\nDirectory of 18446744073709551615 files.\n".to_vec()),
        ("pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 99999999999999999999\n".to_vec()),
    ]
}

#[test]
fn every_file_gets_a_frame_whatever_is_in_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let mut forge = Forge::default();
    let mut files = Vec::new();
    for (name, content) in contents() {
        for ending in ENDINGS {
            // The ending makes it another object, so that each language reads it.
            let mut content = content.clone();
            if !content.is_empty() {
                content.extend_from_slice(format!("\n{ending}").as_bytes());
            }
            files.push((format!("{name}.{ending}"), forge.blob(&content)));
        }
    }
    let entries: Vec<_> = files
        .iter()
        .map(|(name, blob)| (File, name.as_bytes(), *blob))
        .collect();
    let root = forge.tree(&entries);
    forge.commit(&repo, root);
    let run = repo.merkle(&["regenerate", "--json"]);
    assert_civil(&run);
    let run = json(run);
    // The empty file is one object, whatever it is called.
    let distinct = files.len() - ENDINGS.len() + 2;
    assert_eq!(
        (&run["stored"], &run["failed"]),
        (&distinct.into(), &serde_json::json!([]))
    );
    repo.merkle(&["status", "--exit-code"]).ok();
    repo.merkle(&["validate"]).ok();
    let specs: Vec<String> = files
        .iter()
        .map(|(name, _)| format!("HEAD:{name}"))
        .collect();
    let shown = repo.run("git-merkle").arg("show").args(&specs).run();
    assert_civil(&shown);
    assert_eq!(
        shown.exits(0).out().matches(" outline/outline ").count(),
        files.len()
    );
    assert_civil(
        &repo
            .run("git-merkle")
            .args(["show", "--json"])
            .args(&specs)
            .run()
            .exits(0),
    );
}

/// The program with so much address space, which holds more than all its memory can.
fn within(run: Run, megabytes: u32, arguments: &[&str]) -> Run {
    let script = format!("ulimit -v {}; exec \"$@\"", megabytes * 1_024);
    run.args(["-c", &script, "sh", "git-merkle"])
        .args(arguments)
}

#[test]
fn a_huge_file_costs_no_memory() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit small\n+ small.rs = fn small() {}");
    let huge = std::fs::File::create(repo.path("huge.rs")).unwrap();
    huge.set_len(400 << 20).unwrap();
    // A file that is large for git goes into a pack without passing through memory.
    repo.config("core.bigFileThreshold", "1m");
    repo.config("core.compression", "1");
    repo.git(&["add", "huge.rs"]).ok();
    repo.git(&["commit", "-q", "-m", "huge"]).ok();
    for arguments in [
        &["regenerate", "--dry-run"][..],
        &["regenerate"],
        &["status", "--exit-code"],
        &["show", "huge.rs"],
        &["explain", "huge.rs"],
        &["validate"],
        &["log", "huge.rs"],
        &["scan"],
    ] {
        let output = within(repo.run("sh"), 300, arguments).run().exits(0);
        assert_civil(&output);
    }
    let shown = repo.merkle(&["show", "huge.rs"]).ok();
    assert!(
        shown.contains("400 MiB") || shown.contains("419430400"),
        "{shown}"
    );
}

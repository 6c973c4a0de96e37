//! Things in the place of others: a ref that is no store, names that are no frames, settings and rules that are noise.

use super::{Forge, assert_civil, json};
use crate::support::{Output, Repo, Sandbox};
use git_merkle::git::EntryMode::{Directory, Executable, File, Submodule, Symlink};

const FRAMES_REF: &str = "refs/merkle/frames";

/// What reads the store, and may find that it cannot.
const READING: [&[&str]; 8] = [
    &["status"],
    &["show", "a.rs"],
    &["list-frames", "a.rs"],
    &["get-head", "a.rs"],
    &["log", "a.rs"],
    &["explain", "a.rs"],
    &["validate"],
    &["doctor"],
];

const WRITING: [&[&str]; 3] = [
    &["put-frame", "a.rs", "-"],
    &["regenerate"],
    &["invalidate", "-r", "."],
];

fn with_files<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    repo.fill("commit files\n+ a.rs = fn a() {}\n+ d/b.rs = fn b() {}");
    repo
}

/// A clear refusal: an error in one line, with the word that says what it is about.
#[track_caller]
fn assert_clear(output: &Output, word: &str) {
    assert_civil(output);
    let text = format!("{}{}", output.out(), output.err());
    assert!(
        output.code != Some(0) && text.contains(word),
        "wanted '{word}' from\n{output}"
    );
}

#[test]
fn a_ref_that_is_no_store_is_refused_by_everything_and_moved_by_nothing() {
    let sandbox = Sandbox::new();
    let missing = "1".repeat(40);
    for (name, target, word) in [
        ("blob", "HEAD:a.rs", "refs/merkle/frames"),
        ("missing", &missing[..], "frame"),
        ("dangling", "ref: refs/heads/main.lock", "frame"),
        ("garbage", "no id at all", "frame"),
    ] {
        let repo = with_files(&sandbox, name);
        let value = if name == "blob" {
            repo.id(target)
        } else {
            target.to_owned()
        };
        std::fs::create_dir_all(repo.path(".git/refs/merkle")).unwrap();
        let file = repo.path(".git").join(FRAMES_REF);
        std::fs::write(&file, format!("{value}\n")).unwrap();
        for arguments in READING.iter().chain(&WRITING) {
            let output = repo
                .run("git-merkle")
                .args(*arguments)
                .input("text\n")
                .run();
            assert_clear(&output, word);
            assert_eq!(
                std::fs::read_to_string(&file).unwrap(),
                format!("{value}\n"),
                "{output}"
            );
        }
        // What was said was not lost, only put aside; once the ref is well it is stored.
        std::fs::remove_file(&file).unwrap();
        repo.merkle(&["status"]).ok();
        assert_eq!(repo.frames().len(), 1);
        repo.merkle(&["validate"]).ok();
        assert_eq!(repo.leftovers(), [] as [&str; 0]);
    }
}

#[test]
fn a_symbolic_ref_is_refused_and_what_was_said_waits() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, "work");
    for target in ["refs/elsewhere/frames", FRAMES_REF] {
        repo.git(&["symbolic-ref", FRAMES_REF, target]).ok();
        for arguments in READING.iter().chain(&WRITING) {
            assert_clear(
                &repo
                    .run("git-merkle")
                    .args(*arguments)
                    .input("text\n")
                    .run(),
                "frame",
            );
        }
        let written = std::fs::read_to_string(repo.path(".git").join(FRAMES_REF)).unwrap();
        assert_eq!(written, format!("ref: {target}\n"), "it is left as it is");
        assert_ne!(
            repo.git(&["rev-parse", "-q", "--verify", "refs/elsewhere/frames"])
                .code,
            Some(0),
            "nothing is written"
        );
    }
    std::fs::remove_file(repo.path(".git").join(FRAMES_REF)).unwrap();
    repo.merkle(&["status"]).ok();
    assert_eq!(
        repo.frames().len(),
        1,
        "what was said is stored by the next command"
    );
    repo.merkle(&["validate"]).ok();
}

#[test]
fn foreign_names_in_the_store_are_named_and_left_alone() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, "work");
    repo.merkle(&["regenerate"]).ok();
    let good: Vec<String> = repo.frames();
    // The user's own history as a store: every name in it is foreign.
    let own = repo.git(&["ls-tree", FRAMES_REF]).ok();
    let mut forge = Forge::default();
    let text = forge.blob(b"not a frame\n");
    let inner = forge.tree(&[
        (File, b"zz", text),
        (Executable, b"\x1b[31m\n", text),
        (Symlink, b"l", text),
    ]);
    let deep = forge.tree(&[(Directory, b"x", inner), (Submodule, b"m", text)]);
    let mut entries = vec![
        (Directory, &b"ff"[..], deep),
        (File, b"README", text),
        (Directory, b"..", inner),
    ];
    let kept: Vec<(String, String)> = own
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(about, name)| {
            (
                name.to_owned(),
                about.rsplit(' ').next().unwrap().to_owned(),
            )
        })
        .collect();
    for (name, id) in kept.iter().filter(|(name, _)| name != "ff") {
        entries.push((Directory, name.as_bytes(), id.parse().unwrap()));
    }
    let tree = forge.tree(&entries);
    drop(repo.library().write(&forge.batch).unwrap());
    let commit = repo
        .git(&["commit-tree", "-m", "foreign", &tree.to_string()])
        .ok();
    repo.git(&["update-ref", FRAMES_REF, commit.trim()]).ok();
    let verdict = repo.merkle(&["validate"]).exits(1);
    assert_civil(&verdict);
    assert_eq!(
        verdict.out().matches("not a frame's name").count(),
        4,
        "one each, however much is below: {verdict}"
    );
    for arguments in READING {
        let output = repo.merkle(arguments);
        assert_civil(&output);
        assert!(matches!(output.code, Some(0 | 1)), "{output}");
    }
    repo.put_frame("a.rs", "beside them\n").ok();
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["status", "--exit-code"]).ok();
    let names = repo
        .git(&["ls-tree", "-r", "-z", "--name-only", FRAMES_REF])
        .ok();
    for name in ["README", "../zz", "ff/x/\u{1b}[31m\n"]
        .into_iter()
        .chain(good.iter().map(String::as_str))
    {
        assert!(
            names.split('\0').any(|known| known == name)
                || name.starts_with("ff/") && !names.contains("zz"),
            "{name}"
        );
    }
}

#[test]
fn a_commit_of_something_else_is_an_empty_store_with_strangers_in_it() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, "work");
    repo.git(&["update-ref", FRAMES_REF, "HEAD"]).ok();
    let verdict = repo.merkle(&["validate"]).exits(1);
    assert_eq!(verdict.out().matches("not a frame's name").count(), 2);
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["status", "--exit-code"]).ok();
    assert_eq!(repo.frames().len(), 2 + 4);
    repo.assert_sound();
}

#[test]
fn damaged_settings_are_refused_by_name() {
    let sandbox = Sandbox::new();
    for (name, config) in [
        ("cut", "[merkle \"x"),
        ("noise", "\u{0}\u{1}\u{2}[[["),
        ("line", "[merkle]\n\tbroken = \"no end\n"),
        ("format", "[core]\n\trepositoryformatversion = 99\n"),
        (
            "extension",
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunknownThing = true\n",
        ),
    ] {
        let repo = with_files(&sandbox, name);
        let file = repo.path(".git/config");
        let sound = std::fs::read(&file).unwrap();
        std::fs::write(&file, [&sound[..], config.as_bytes()].concat()).unwrap();
        for arguments in READING.iter().chain(&WRITING) {
            let output = repo
                .run("git-merkle")
                .args(*arguments)
                .input("text\n")
                .run();
            assert_civil(&output);
            assert!(
                matches!(output.code, Some(78 | 128)) && output.err().starts_with("error: "),
                "{output}"
            );
        }
        std::fs::write(&file, sound).unwrap();
        assert_eq!(repo.frames(), [] as [&str; 0]);
        repo.merkle(&["regenerate"]).ok();
    }
}

#[test]
fn rules_of_any_size_and_content_are_rules() {
    let sandbox = Sandbox::new();
    let line = "x".repeat(1 << 19);
    let many: String = (0..15_000)
        .map(|n| format!("pattern-{n}-*.tmp"))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n";
    let binary: Vec<u8> = (0..=255_u8).cycle().take(10_000).collect();
    let classes = format!("{}\n{}\n", "[".repeat(5_000), "{a,".repeat(5_000));
    let stars = format!("{}\n", "**/*".repeat(2_000));
    for (name, rules) in [
        ("long", [line.as_bytes(), b"\n/d/\n"].concat()),
        ("many", [many.as_bytes(), b"/d/\n"].concat()),
        ("binary", [&binary[..], b"\n/d/\n"].concat()),
        ("classes", [classes.as_bytes(), b"/d/\n"].concat()),
        ("stars", [stars.as_bytes(), b"!*\n/d/\n"].concat()),
        ("utf16", b"\xff\xfe/\0d\0/\0\n\0".to_vec()),
        ("crlf", b"\r\n# text\r\n/d/\r\n".to_vec()),
    ] {
        let repo = with_files(&sandbox, name);
        std::fs::write(repo.path(".teddyignore"), rules).unwrap();
        repo.git(&["add", ".teddyignore"]).ok();
        repo.git(&["commit", "-q", "-m", "rules"]).ok();
        let scan = repo.merkle(&["scan", "--json"]);
        assert_civil(&scan);
        let ignored = json(scan)["ignored"].as_u64().unwrap();
        assert!(ignored > 0 || name == "utf16" || name == "binary", "{name}");
        for arguments in [
            &["regenerate"][..],
            &["scan", "--worktree"],
            &["status", "--exit-code"],
            &["explain", "."],
        ] {
            assert_civil(&repo.merkle(arguments).exits(0));
        }
    }
    for (name, rules) in [
        ("bytes", "x".repeat(1 << 20) + "y\n"),
        ("lines", "x\n".repeat(20_001)),
    ] {
        let repo = with_files(&sandbox, name);
        std::fs::write(repo.path(".teddyignore"), rules).unwrap();
        repo.git(&["add", ".teddyignore"]).ok();
        repo.git(&["commit", "-q", "-m", "rules"]).ok();
        let told = repo.merkle(&["scan"]).exits(65).err();
        assert!(told.contains("'.teddyignore' is over the limit"), "{told}");
    }
}

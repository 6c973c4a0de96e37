//! Files that a clone does not hold: named by every command, never in the way of the others, and brought by the command
//! that is told.

use crate::generate::{Protocol, World, command};
use crate::support::{Output, Repo, Sandbox};

const HISTORY: &str = "
    commit first
    + src/lib.rs = pub fn old() {}
    + a name.py = def old(): pass
    commit second
    + src/lib.rs
      | //! A crate that adds.
      |
      | pub fn add() {}
    + a name.py = def f(): pass
    + README.md = # Words
";

/// A clone without any file, of a repository with two commits.
fn partial<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.filled(HISTORY);
    repo.config("uploadpack.allowFilter", "true");
    repo.clone_to(name, &["--filter=blob:none", "--no-checkout"])
}

/// How many objects of some history are not there.
fn missing(repo: &Repo<'_>, revision: &str) -> usize {
    let listing = repo
        .git(&["rev-list", "--objects", "--missing=print", revision])
        .ok();
    listing.lines().filter(|line| line.starts_with('?')).count()
}

/// The command in quotes that a line of standard error tells, run by a shell.
#[track_caller]
fn run_what_is_told(sandbox: &Sandbox, repo: &Repo<'_>, output: &Output) {
    let told = output.err();
    let at = told
        .find("'git ")
        .unwrap_or_else(|| panic!("no command in {output}"));
    let told = told[at + 1..]
        .split('\'')
        .next()
        .expect("a quote")
        .to_owned();
    sandbox
        .run("sh", &repo.path(""))
        .args(["-c", &told])
        .run()
        .ok();
}

/// Before, the map had names only and said nothing; the command that others told fetched the whole history.
#[test]
fn each_command_names_what_is_missing_and_how_exactly_that_is_brought() {
    let tell: [(&str, &[&str], i32); 4] = [
        ("map", &["map"], 0),
        ("context", &["context", "**"], 1),
        ("regenerate", &["regenerate"], 0),
        ("prompt", &["prompt", "--rev", "HEAD", "-m", "x"], 0),
    ];
    for (name, arguments, code) in tell {
        let sandbox = Sandbox::new();
        let clone = partial(&sandbox, name);
        let output = clone.merkle(arguments).exits(code);
        assert_eq!(
            (missing(&clone, "HEAD^{tree}"), missing(&clone, "HEAD")),
            (3, 5),
            "{name} fetches nothing\n{output}"
        );
        run_what_is_told(&sandbox, &clone, &output);
        assert_eq!(
            (missing(&clone, "HEAD^{tree}"), missing(&clone, "HEAD")),
            (0, 2),
            "{name}: what is needed and no more"
        );
        let again = clone.merkle(arguments).exits(0);
        assert!(
            !again.err().contains("missing") && !again.err().contains("git diff"),
            "{again}"
        );
    }
}

/// Nothing waits for a remote that is away, and nothing ends because of it; what is told works once it is back.
#[test]
fn a_promisor_that_is_gone_is_in_nobodys_way() {
    let sandbox = Sandbox::new();
    let clone = partial(&sandbox, "clone");
    let (home, away) = (sandbox.path("work"), sandbox.path("away"));
    std::fs::rename(&home, &away).expect("the remote moves");
    let _ = clone.git(&["cat-file", "-e", "HEAD:README.md"]).exits(128);
    let told = "'git diff --shortstat 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD' brings it";
    let commands: [(&[&str], i32); 6] = [
        (&["map"], 0),
        (&["context"], 0),
        (&["context", "**"], 1),
        (&["regenerate"], 0),
        (&["find", "old"], 1),
        (&["prompt", "--rev", "HEAD", "-m", "x"], 0),
    ];
    let mut last = None;
    for (arguments, code) in commands {
        let output = clone.merkle(arguments).exits(code);
        let lines = output.err().matches(told).count();
        assert_eq!(lines, 1, "{arguments:?}\n{output}");
        assert_eq!(missing(&clone, "HEAD^{tree}"), 3, "{output}");
        last = Some(output);
    }
    let _ = clone.merkle(&["status"]).exits(0);
    std::fs::rename(&away, &home).expect("the remote comes back");
    run_what_is_told(&sandbox, &clone, &last.expect("the last output"));
    let map = clone.merkle(&["map"]).exits(0);
    assert!(map.out().contains("add()") && map.err().is_empty(), "{map}");
}

#[test]
fn a_missing_file_has_a_labelled_line() {
    let sandbox = Sandbox::new();
    let clone = partial(&sandbox, "clone");
    let map = clone.merkle(&["map"]).ok();
    let (_, files) = map.split_once("\n\n").expect("a legend");
    assert_eq!(
        files,
        "README.md (content missing)\na name.py (content missing)\nsrc/lib.rs (content missing)\n"
    );
    let map = clone.merkle(&["map", "--json"]).exits(0).json("map");
    assert_eq!(
        (&map["missing"], &map["files"][0]["missing"]),
        (&3.into(), &true.into())
    );
    let context = clone
        .merkle(&["context", "src/lib.rs", "--section", "5"])
        .exits(1);
    assert!(
        context
            .out()
            .contains("Not included: its content is missing in this clone.\n"),
        "{context}"
    );
    assert!(
        context
            .err()
            .contains("warning: 'src/lib.rs' is not shown: its content is missing in this clone"),
        "{context}"
    );
    let made = clone.merkle(&["regenerate"]).exits(0);
    assert!(
        made.err()
            .contains("warning: 'a name.py': its content is missing in this clone"),
        "{made}"
    );
    let document = clone
        .merkle(&["regenerate", "--json"])
        .exits(0)
        .json("regenerate");
    assert_eq!(
        (&document["absent"], &document["absent_paths"][2]),
        (&3.into(), &"src/lib.rs".into())
    );
    insta::assert_snapshot!(clone.merkle(&["get-head", "."]).ok(), @"
    Directory of 3 files and 1 directory: Markdown 1, Python 1, Rust 1.

    - `README.md` (no statement)
    - `src/` (1 file) — `lib.rs`
    - `a name.py` (no statement)
    ");
    sandbox
        .run("sh", &clone.path(""))
        .args(["-c", "git checkout -q main -- src/lib.rs"])
        .run()
        .ok();
    assert!(
        clone.merkle(&["map"]).ok().contains("src/lib.rs\n  "),
        "the others are read"
    );
}

/// Before, one object that was lost kept the whole map, and the frame of every directory above.
#[test]
fn one_lost_object_is_in_nobodys_way() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world
        .repo("commit first\n+ src/lib.rs = pub fn add() {}\n+ src/deep/lost.wasm = \"\\u0000binary\"\n+ README.md = # Words");
    let lost = repo.id("HEAD:src/deep/lost.wasm");
    std::fs::remove_file(repo.path(".git/objects").join(&lost[..2]).join(&lost[2..]))
        .expect("a loose object");
    let map = repo.merkle(&["map", "--rev", "HEAD"]).exits(0);
    assert!(
        map.out().contains("f add()") && map.out().contains("lost.wasm (content missing)\n"),
        "{map}"
    );
    assert!(
        map.err()
            .contains("the content of 1 file is missing in this clone"),
        "{map}"
    );
    let made = repo.merkle(&["regenerate"]).exits(3);
    assert!(
        made.err().contains("warning: 'src/deep/lost.wasm': "),
        "{made}"
    );
    assert!(
        repo.merkle(&["get-head", "src/deep"])
            .ok()
            .contains("- `lost.wasm` (no statement)\n")
    );
    assert!(
        repo.merkle(&["get-head", "."])
            .ok()
            .contains("`src/` (2 files)")
    );
    let again = repo
        .merkle(&["regenerate", "--json"])
        .exits(3)
        .json("regenerate");
    assert_eq!(
        (&again["kept"], &again["stored"]),
        (&3.into(), &0.into()),
        "the directories stay as they are: {again}"
    );
    let asked = command(&repo, &["regenerate", "--agent", "docs", "--yes"])
        .run()
        .exits(3);
    assert!(asked.err().contains("'src/deep/lost.wasm'"), "{asked}");
    assert_eq!(
        repo.merkle(&["get-head", ".", "--agent", "docs"])
            .ok()
            .lines()
            .count(),
        1,
        "asked about without it"
    );
    // The object is there again: what lacked it is made again.
    std::fs::write(repo.path("src/deep/lost.wasm"), "\0binary").expect("writable");
    repo.git(&["hash-object", "-w", "src/deep/lost.wasm"]).ok();
    repo.merkle(&["regenerate"]).ok();
    assert!(
        !repo
            .merkle(&["get-head", "src/deep"])
            .ok()
            .contains("no statement")
    );
    let status = repo.merkle(&["status", "--json"]).json("status");
    assert_eq!(
        (&status["slots"][1]["agent"], &status["slots"][1]["missing"]),
        (&"outline".into(), &0.into()),
        "{status}"
    );
}

/// An object that is there and cannot be read is in no other file's way either: cut off, of another kind of bytes, or empty.
#[test]
fn one_damaged_object_ends_no_command() {
    for name in ["cut", "foreign", "empty"] {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo(name);
        repo.fill(
            "commit first\n+ README.md = # Words\ncommit second\n+ src/lib.rs = pub fn add() {}\n+ src/deep/hurt.rs = pub fn hurt(word: u8) -> u8 { word }",
        );
        let id = repo.id("HEAD:src/deep/hurt.rs");
        let object = repo.path(".git/objects").join(&id[..2]).join(&id[2..]);
        let bytes = std::fs::read(&object).expect("a loose object");
        std::fs::remove_file(&object).expect("removable");
        let damaged = match name {
            "cut" => &bytes[..bytes.len() / 2],
            "foreign" => b"no object at all",
            _ => b"",
        };
        std::fs::write(&object, damaged).expect("writable");
        for arguments in [
            &["map", "--rev", "HEAD"][..],
            &["prompt", "--rev", "HEAD", "-m", "x"],
            &["context", "--rev", "HEAD"],
            &["find", "--rev", "HEAD", "add"],
            &["review", "HEAD~1..HEAD"],
        ] {
            let output = repo.merkle(arguments).exits(0);
            let said = output.out() + &output.err();
            assert!(said.contains("add"), "{name}: {output}");
        }
        let map = repo.merkle(&["map", "--rev", "HEAD"]).exits(0);
        assert!(map.out().contains("hurt.rs (content missing)\n"), "{map}");
        assert!(
            map.err().contains("'git fetch --refetch' brings it"),
            "{map}"
        );
        let made = repo.merkle(&["regenerate"]).exits(3);
        assert!(made.err().contains("'src/deep/hurt.rs'"), "{made}");
        assert!(
            repo.merkle(&["get-head", "."])
                .ok()
                .contains("`src/` (2 files)"),
            "{name}"
        );
        let _ = repo.merkle(&["synthesize", "."]).exits(0);
    }
}

/// Before, a note about an earlier content ended each command with "cannot read the frame store", and the hint led to an
/// earlier store.
#[test]
fn a_clone_without_older_directories_says_what_it_knows() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.config("uploadpack.allowFilter", "true");
    for text in [
        "pub fn one() {}\n",
        "pub fn two() {}\n",
        "pub fn three() {}\n",
    ] {
        repo.put("src/lib.rs", text);
        repo.commit(text.trim());
        repo.merkle(&["note", "src/lib.rs", "-m", text.trim()]).ok();
    }
    repo.put("src/lib.rs", "pub fn four() {}\n");
    repo.commit("four");
    let clone = repo.clone_to("clone", &["--filter=tree:0"]);
    clone.merkle(&["fetch"]).ok();
    for command in [
        "status",
        "context",
        "log src/lib.rs",
        "find four",
        "validate",
    ] {
        clone.merkle(&command.split(' ').collect::<Vec<_>>()).ok();
    }
    let shown = clone.merkle(&["show", "src/lib.rs"]).ok();
    assert!(shown.contains("pub fn three()"), "{shown}");
    let review = clone.merkle(&["review", "HEAD~1..HEAD"]).exits(128);
    assert!(review.err().contains("'git cat-file -e "), "{review}");
}

/// Red before: the model was asked about directories of which it was told nothing, and again when their files had come.
#[test]
fn a_model_is_not_asked_about_directories_of_missing_files() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(HISTORY);
    repo.config("uploadpack.allowFilter", "true");
    let clone = repo.clone_to("clone", &["--filter=blob:none", "--no-checkout"]);
    let asked = |expected| {
        let before = world.server.posts().len();
        let run = command(&clone, &["regenerate", "--agent", "docs", "--yes"]).run();
        assert_eq!(world.server.posts().len() - before, expected, "{run}");
        run
    };
    assert!(asked(0).err().contains("its content is missing"));
    clone.git(&["checkout", "-q", "main", "--", "src"]).ok();
    drop(asked(2));
    clone.git(&["checkout", "-q", "main", "--", "."]).ok();
    drop(asked(3));
}

#[test]
fn a_clone_without_directories_is_told_how_to_get_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.config("uploadpack.allowFilter", "true");
    let clone = repo.clone_to("clone", &["--filter=tree:0", "--no-checkout"]);
    for command in ["map", "regenerate", "context"] {
        let output = clone.merkle(&[command]).exits(128);
        assert!(
            output
                .err()
                .contains("'git ls-tree -r HEAD' brings what is missing"),
            "{output}"
        );
    }
    clone.git(&["ls-tree", "-r", "HEAD"]).ok();
    assert!(
        clone
            .merkle(&["map"])
            .ok()
            .contains("src/lib.rs (content missing)")
    );
}

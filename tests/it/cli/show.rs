//! `show`.

use super::{FRAME_FIELDS, assert_fields, masked, note, sample, told};
use crate::support::Sandbox;

#[test]
fn heads_with_their_state() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(masked(&repo.merkle(&["show", "src/lib.rs"]).ok()), @"
    #1 outline/outline fresh src/lib.rs
    statement by agent outline, made by a fixed rule

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    ");
    insta::assert_snapshot!(masked(&repo.merkle(&["show"]).ok()), @"
    #1 outline/outline fresh
    statement by agent outline, made by a fixed rule

    Says what it is.

    Directory of 3 files and 2 directories: Rust 2, Markdown 1.

    - `README.md` — Says what it is.
    - `src/` (2 files) — A crate that adds.
    - `link` (symlink)
    ");
    note(&repo, "src", "Keep it *small*.\n\u{1b}[31mred\u{1b}[0m");
    repo.merkle(&["invalidate", "src/deep"]).ok();
    insta::assert_snapshot!(masked(&repo.merkle(&["show", "src", "src/deep"]).ok()), @r"
    #1 human/note fresh src
    statement by agent human, written by Test User <user@example.org>

    Keep it *small*.
    \u{1b}[31mred\u{1b}[0m

    #2 outline/outline outdated (a child is to be made first) src
    statement by agent outline, made by a fixed rule

    A crate that adds.

    Directory of 2 files and 1 directory: Rust 2.

    - `lib.rs` — A crate that adds.
    - `deep/` (1 file) — Deep down.

    #3 outline/outline invalidated src/deep
    statement by agent outline, made by a fixed rule

    (not shown: it was declared void)
    ");
    insta::assert_snapshot!(masked(&repo.merkle(&["show", "--agent", "human", "src", "src/deep"]).exits(0).out()), @r"
    #1 human/note fresh src
    statement by agent human, written by Test User <user@example.org>

    Keep it *small*.
    \u{1b}[31mred\u{1b}[0m
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["show", "--type", "review", "src"])), @"
    --- stderr
    nothing of type 'review' is said about 'src' yet; 'git merkle put-frame src <file> --type review' says it
    --- exit 1
    ");
}

#[test]
fn what_an_earlier_commit_said_is_labelled_stale() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let first = repo.id("HEAD");
    note(&repo, "src/lib.rs", "A note about the first version.");
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}\ncommit third\n+ z = z");
    insta::assert_snapshot!(masked(&repo.merkle(&["show", "src/lib.rs"]).ok()), @"
    #1 human/note carried src/lib.rs from commit #2, 2 commits ago, 6 lines differ
    statement by agent human, written by Test User <user@example.org>

    A note about the first version.

    #3 outline/outline stale src/lib.rs from commit #2
    statement by agent outline, made by a fixed rule

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    ");
    let document = repo
        .merkle(&["show", "--json", "src/lib.rs"])
        .exits(0)
        .json("show");
    for frame in document["frames"].as_array().unwrap() {
        let carried = if frame["agent"] == "human" {
            " carried"
        } else {
            ""
        };
        assert_fields(frame, &format!("{FRAME_FIELDS}{carried}"));
        let state = if frame["agent"] == "human" {
            "carried"
        } else {
            "stale"
        };
        assert_eq!(
            (&frame["state"], &frame["commit"]),
            (&state.into(), &first.as_str().into())
        );
    }
    // As soon as the node has a frame of its own, nothing stale is shown in its place, but for what people carry.
    repo.merkle(&["regenerate"]).ok();
    let document = repo
        .merkle(&["show", "--json", "--agent", "outline", "src/lib.rs"])
        .exits(0)
        .json("show");
    assert_eq!(document["frames"].as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &document["frames"][0]["state"],
            &document["frames"][0]["commit"]
        ),
        (&"fresh".into(), &serde_json::Value::Null)
    );
    // A path that never had any has nothing to fall back to.
    insta::assert_snapshot!(told(&repo.merkle(&["show", "--type", "review", "z"])), @"
    --- stderr
    nothing of type 'review' is said about 'z' yet; 'git merkle put-frame z <file> --type review' says it
    --- exit 1
    ");
    std::fs::write(repo.path("src/lib.rs"), "pub fn on_disk() {}\n").unwrap();
    // What is on disk falls back to HEAD.
    assert!(
        repo.merkle(&["show", "--worktree", "src/lib.rs"])
            .ok()
            .contains("outline/outline stale src/lib.rs from commit")
    );
}

/// Before, a frame of a newer content was shown as one that is stale, from a commit after the one that was asked for.
#[test]
fn a_revision_in_front_of_a_path_is_looked_at_as_one_that_an_option_names() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        "commit one\n+ a.py = a = 1\ncommit two\n+ a.py = a = 2\ncommit three\n+ a.py = a = 3",
    );
    repo.merkle(&["regenerate", "--rev", "HEAD~1"]).ok();
    for command in ["show", "explain"] {
        for revision in ["HEAD", "HEAD~1", "HEAD~2"] {
            let own = told(&repo.merkle(&[command, &format!("{revision}:a.py")]));
            let named = told(&repo.merkle(&[command, "--rev", revision, "a.py"]));
            assert_eq!(
                own.replace(
                    &format!(" {revision}:a.py"),
                    &format!(" --rev {revision} a.py")
                )
                .replace(&format!("{revision}:a.py"), "a.py"),
                named
            );
        }
    }
}

#[test]
fn older_snapshots_and_missing_paths() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit gone\n- src/lib.rs");
    assert!(
        repo.merkle(&["show", "--rev", "HEAD~1", "src/lib.rs"])
            .ok()
            .contains("fresh src/lib.rs")
    );
    assert!(
        repo.merkle(&["show", "HEAD~1:src/lib.rs"])
            .ok()
            .contains("fresh src/lib.rs")
    );
    assert!(
        repo.merkle(&["show", &repo.id("HEAD~1:src/lib.rs")])
            .ok()
            .contains("fresh src/lib.rs")
    );
    insta::assert_snapshot!(told(&repo.merkle(&["show", "src/lib.rs"])), @"
    --- stderr
    error: 'src/lib.rs' is neither a path in the snapshot nor a revision
    hint: 'git ls-tree -r --name-only HEAD' lists what is there
    --- exit 128
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["show", "HEAD:src/lib.rs"])), @"
    --- stderr
    error: path 'src/lib.rs' does not exist in 'HEAD'
    hint: 'git ls-tree -r --name-only HEAD' lists what is there
    --- exit 128
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["show", "../outside"])), @"
    --- stderr
    error: '../outside' is outside the repository
    --- exit 65
    ");
}

/// Before, the path in the frame was shown: another file than the one that was asked for.
#[test]
fn the_header_names_what_was_asked_for() {
    let sandbox = Sandbox::new();
    let repo = sandbox
        .filled("commit first\n+ a.py = def f(): pass\n+ sub/LICENSE = Words.\n+ LICENSE = Words.");
    repo.merkle(&["regenerate"]).ok();
    repo.fill("commit moved\n> a.py -> c.rb");
    insta::assert_snapshot!(masked(&repo.merkle(&["show", "c.rb"]).ok()), @"
    #1 outline/outline fresh c.rb (made at a.py)
    statement by agent outline, made by a fixed rule

    Python source, under 10 lines, 1 public item.

    - `def f()`
    ");
    for (asked, made_at) in [
        ("LICENSE", "LICENSE"),
        ("sub/LICENSE", "LICENSE"),
        ("HEAD~1:a.py", "a.py"),
        ("c.rb", "a.py"),
    ] {
        let path = asked.trim_start_matches("HEAD~1:");
        let text = repo.merkle(&["show", asked]).ok();
        let title = text.lines().next().unwrap_or_default();
        let expected = if path == made_at {
            format!(" fresh {path}")
        } else {
            format!(" fresh {path} (made at {made_at})")
        };
        assert!(title.ends_with(&expected), "{title}");
        let shown = repo
            .merkle(&["show", "--json", asked])
            .exits(0)
            .json("show")["frames"][0]
            .clone();
        let head = repo
            .merkle(&["get-head", "--json", asked])
            .exits(0)
            .json("get-head");
        let listed = repo
            .merkle(&["list-frames", "--json", asked])
            .exits(0)
            .json("list-frames")["frames"][0]
            .clone();
        for frame in [shown, head, listed] {
            assert_eq!(
                (&frame["path"], &frame["made_at"]),
                (&path.into(), &made_at.into()),
                "{asked}"
            );
        }
    }
    let logged = repo
        .merkle(&["log", "--json", "sub/LICENSE"])
        .exits(0)
        .json("log");
    assert_eq!(logged["versions"][0]["frames"][0]["path"], "sub/LICENSE");
}

#[test]
fn a_frame_is_shown_by_the_beginning_of_its_id() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let old = note(&repo, "src", "An old note.");
    let id = note(&repo, "src", "A new note.");
    assert!(repo.merkle(&["show", &id]).ok().ends_with("A new note.\n"));
    let shown = repo.merkle(&["show", &old[..7]]).ok();
    assert!(
        shown.contains(" older") && shown.ends_with("An old note.\n"),
        "{shown}"
    );
    let both = repo.merkle(&["show", &old[..12], "README.md"]).ok();
    assert!(
        both.contains("An old note.") && both.contains("Says what it is."),
        "{both}"
    );
    let document = repo
        .merkle(&["show", "--json", &id[..10]])
        .exits(0)
        .json("show");
    assert_eq!(document["frames"][0]["frame"], id);
    drop(repo.merkle(&["show", &id[..3]]).exits(128));
    drop(repo.merkle(&["show", "0123456789abcdef"]).exits(128));
    // With enough frames two of them begin with the same four digits.
    let ids: Vec<String> = (0..1_500)
        .map(|at| format!("+ f/{at}.md = # {at}"))
        .collect();
    repo.fill(&format!("commit many\n{}", ids.join("\n")));
    repo.merkle(&["regenerate"]).ok();
    let start = |name: &String| name.rsplit('.').next().expect("an id")[..4].to_owned();
    let mut names: Vec<String> = repo.frames().iter().map(start).collect();
    names.sort();
    // Digests of the same bytes, so always the same two; an object whose id begins so would come first.
    let is_object = |name: &str| repo.git(&["rev-parse", "-q", "--verify", name]).code == Some(0);
    let mut pairs = names.windows(2).filter(|pair| pair[0] == pair[1]);
    let pair = pairs
        .find(|pair| !is_object(&pair[0]))
        .expect("two of 1,500");
    let told = repo.merkle(&["show", &pair[0]]).exits(128).err();
    assert!(told.contains("is ambiguous\nhint: "), "{told}");
}

/// Before, an ignored directory was fresh as long as it was remembered that all others are.
#[test]
fn a_state_is_the_same_whatever_is_remembered() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ build/b.rs = fn b() {}\n+ build/in/c.rs = fn c() {}\n+ lib/a.x = one\n+ src/a.rs = fn a() {}");
    repo.merkle(&["regenerate"]).ok();
    repo.fill("commit ignored\n+ .teddyignore = build/");
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["invalidate", "build/b.rs"]).ok();
    repo.merkle(&["regenerate"]).ok();
    let nodes = [
        ".",
        "build",
        "build/b.rs",
        "build/in",
        "lib",
        "lib/a.x",
        "src",
        "src/a.rs",
    ];
    let states = || nodes.map(|node| masked(&repo.merkle(&["show", node]).out()));
    let remembered = states();
    std::fs::remove_dir_all(repo.path(".git/merkle/cache")).expect("it is there");
    assert_eq!(remembered, states());
    assert!(remembered[1].contains(" outdated ") && remembered[6].contains(" fresh "));
}

//! `note`, `affirm`, `retract`: what people say stands side by side and lasts longer than one commit.

use std::fs;

use super::{masked, sample, told};
use crate::support::{Output, PROGRAM, Repo, Sandbox};

/// Runs a command as a person.
fn by(repo: &Repo<'_>, name: &str, arguments: &[&str]) -> Output {
    let mail = format!("{}@example.org", name.to_lowercase());
    repo.run(PROGRAM)
        .env("GIT_AUTHOR_NAME", name)
        .env("GIT_AUTHOR_EMAIL", mail)
        .args(arguments)
        .run()
}

/// What `show` says by people about a path.
fn shown(repo: &Repo<'_>, path: &str) -> String {
    masked(&repo.merkle(&["show", "--agent", "human", path]).out())
}

/// Before, all people were one agent without a name, and the second note hid the first.
#[test]
fn people_stand_side_by_side() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    by(
        &repo,
        "Ann",
        &["note", "src", "-m", "Keep it small.", "-m", "Really."],
    )
    .ok();
    by(&repo, "Bob", &["note", "src", "-m", "Ask Bob first."]).ok();
    by(&repo, "Ann", &["note", "src", "-m", "Keep it tiny."]).ok();
    insta::assert_snapshot!(shown(&repo, "src"), @"
    #1 human/note fresh src
    statement by agent human, written by Ann <ann@example.org>

    Keep it tiny.

    #2 human/note fresh src
    statement by agent human, written by Bob <bob@example.org>

    Ask Bob first.
    ");
    // Before, the statement of one of them was older to `log` and `list-frames`, and fresh to `show`.
    for command in ["log", "list-frames"] {
        let listed = repo.merkle(&[command, "src", "--agent", "human"]).ok();
        let count = |state: &str| listed.matches(&format!("{state} human/note")).count();
        assert_eq!((count("fresh"), count("older")), (2, 1), "{listed}");
    }
    // A retraction ends one's own words and nobody else's, for readers that know of one head, too.
    by(&repo, "Bob", &["retract", "src"]).ok();
    assert_eq!(
        repo.merkle(&["get-head", "src", "--agent", "human"]).ok(),
        "Keep it tiny.\n"
    );
    assert!(!shown(&repo, "src").contains("Bob") && shown(&repo, "src").contains("Ann"));
    insta::assert_snapshot!(told(&by(&repo, "Bob", &["retract", "src"])), @"
    --- stderr
    'src': you have said nothing about it that stands
    --- exit 1
    ");
    by(&repo, "Ann", &["retract", "src"]).ok();
    assert_eq!(shown(&repo, "src"), "");
    repo.merkle(&["validate"]).ok();
    by(&repo, "Bob", &["note", "src", "-m", "Ask Bob first."]).ok();
    assert!(
        shown(&repo, "src").contains("Ask Bob first."),
        "what was retracted can be said again"
    );
    // What 'invalidate' declares void is everybody's.
    repo.merkle(&["invalidate", "src", "--agent", "human"]).ok();
    assert!(shown(&repo, "src").contains("(not shown: it was declared void)"));
}

/// Before, a note left every view but one with the file's next changed byte.
#[test]
fn what_people_say_is_carried_until_they_end_it() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    by(
        &repo,
        "Ann",
        &["note", "src/lib.rs", "-m", "Adds, and never overflows."],
    )
    .ok();
    by(&repo, "Bob", &["note", "src/lib.rs", "-m", "Ask Bob."]).ok();
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}\ncommit third\n+ src/lib.rs = pub fn third() {}");
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(masked(&repo.merkle(&["show", "src/lib.rs"]).ok()), @"
    #1 human/note carried src/lib.rs from commit #2, 2 commits ago, 6 lines differ
    statement by agent human, written by Bob <bob@example.org>

    Ask Bob.

    #3 human/note carried src/lib.rs from commit #2, 2 commits ago, 6 lines differ
    statement by agent human, written by Ann <ann@example.org>

    Adds, and never overflows.

    #4 outline/outline fresh src/lib.rs
    statement by agent outline, made by a fixed rule

    Rust source, under 10 lines, 1 public item.

    - `pub fn third()`
    ");
    let document = repo
        .merkle(&["show", "--agent", "human", "--json", "src/lib.rs"])
        .json("show");
    assert_eq!(document["frames"][0]["state"], "carried");
    by(&repo, "Ann", &["affirm", "src/lib.rs"]).ok();
    by(&repo, "Bob", &["retract", "src/lib.rs"]).ok();
    insta::assert_snapshot!(shown(&repo, "src/lib.rs"), @"
    #1 human/note fresh src/lib.rs
    statement by agent human, written by Ann <ann@example.org>

    Adds, and never overflows.
    ");
    insta::assert_snapshot!(told(&by(&repo, "Ann", &["affirm", "src/lib.rs", "src"])), @"
    --- stderr
    'src/lib.rs': what is said is about its content of today
    'src': nothing is said about it
    --- exit 1
    ");
    repo.fill("commit fourth\n+ src/lib.rs = pub fn fourth() {}");
    assert!(
        shown(&repo, "src/lib.rs").contains("Ann") && !shown(&repo, "src/lib.rs").contains("Bob"),
        "an end is carried, too"
    );
    by(&repo, "Cleo", &["affirm", "src/lib.rs"]).ok();
    assert!(
        shown(&repo, "src/lib.rs")
            .contains("fresh src/lib.rs\nstatement by agent human, written by Cleo")
    );
}

#[test]
fn several_carried_notes_are_not_affirmed_by_guess() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    by(&repo, "Ann", &["note", "src/lib.rs", "-m", "One."]).ok();
    by(&repo, "Bob", &["note", "src/lib.rs", "-m", "Two."]).ok();
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}");
    insta::assert_snapshot!(told(&by(&repo, "Cleo", &["affirm", "src/lib.rs"])), @"
    --- stderr
    error: several people have said something about 'src/lib.rs': Bob <bob@example.org>, Ann <ann@example.org>
    hint: say it in your own words: git merkle note <path> -m <text>
    --- exit 65
    ");
}

/// Before, all who had not told git their name were one author, and ended each other's notes.
#[test]
fn a_note_has_an_author() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let unknown = |arguments: &[&str]| {
        let run = repo.run(PROGRAM).env("GIT_CONFIG_GLOBAL", "/dev/null");
        run.env("XDG_CONFIG_HOME", "/dev/null")
            .args(arguments)
            .run()
    };
    insta::assert_snapshot!(told(&unknown(&["note", "src", "-m", "Mine."])), @r#"
    --- stderr
    error: git does not know who you are, and what a person says has an author
    hint: git config --global user.name "Your Name"
    hint: git config --global user.email you@example.com
    --- exit 65
    "#);
    assert_eq!(shown(&repo, "src"), "");
}

#[test]
fn a_text_comes_from_the_command_line_a_file_or_an_editor() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let said = || repo.merkle(&["get-head", "src", "--agent", "human"]).ok();
    repo.run(PROGRAM)
        .args(["note", "src", "-F", "-"])
        .input("From a pipe.\n")
        .run()
        .ok();
    assert_eq!(said(), "From a pipe.\n");
    let script = sandbox.path("editor");
    let lines = "#!/bin/sh\ncp \"$1\" \"$0.seen\"\nsed 's/pipe/heading/; 1s/^/# A title\\n\\n/' \"$1\" >\"$0.tmp\" && cat \"$0.tmp\" >\"$1\"\n";
    fs::write(&script, lines).unwrap();
    let editor = format!("sh {}", script.display());
    let edited = |options: &[&str]| {
        repo.run(PROGRAM)
            .env("GIT_EDITOR", &editor)
            .arg("note")
            .args(options)
            .run()
    };
    edited(&["src", "-e"]).ok();
    assert_eq!(
        said(),
        "# A title\n\nFrom a heading.\n",
        "a heading is no comment, and the help is no part of it"
    );
    let seen = fs::read_to_string(sandbox.path("editor.seen")).unwrap();
    assert!(
        seen.starts_with(
            "From a pipe.\n\n<!-- what stands below this line is left out -->\nA note about 'src'"
        ),
        "{seen}"
    );
    fs::write(&script, "exit 3\n").unwrap();
    let failed = edited(&["src", "-e", "-m", "Precious."]).exits(65).err();
    let kept = failed.rsplit('\'').nth(1).expect("a path");
    assert!(
        fs::read_to_string(kept).unwrap().starts_with("Precious.\n"),
        "the text is not lost"
    );
    fs::write(&script, ": >\"$1\"\n").unwrap();
    insta::assert_snapshot!(told(&edited(&["src", "-e"])), @"
    --- stderr
    error: nothing is said: the text is empty
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["note", "src"])), @"
    --- stderr
    error: no text is given
    hint: git merkle note <path> -m <text>
    --- exit 129
    ");
    // A repository's own configuration names no program.
    repo.config("core.editor", "touch evil;");
    drop(
        repo.run(PROGRAM)
            .env("EDITOR", "true")
            .args(["note", "src", "-e"])
            .run(),
    );
    assert!(!repo.path("evil").exists());
}

/// Before, `log` had an id where a reader wants the words.
#[test]
fn log_says_when_who_and_what() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    by(
        &repo,
        "Ann",
        &["note", "src/lib.rs", "-m", "\n# Overflow\n\nNever."],
    )
    .ok();
    let told = repo.merkle(&["log", "src/lib.rs", "--agent", "human"]).ok();
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines[1].contains("human/note 1 written Ann <ann@example.org> 20"),
        "{told}"
    );
    assert_eq!(lines[2], "        # Overflow");
}

/// Before, a note was found for a hundred commits of the whole repository, and only by `show`.
#[test]
fn a_carried_note_is_told_everywhere_with_its_age() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    by(
        &repo,
        "Ann",
        &["note", "src/lib.rs", "-m", "Adds, and never overflows."],
    )
    .ok();
    by(&repo, "Ann", &["note", "src", "-m", "All of it is tested."]).ok();
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}");
    repo.merkle(&["regenerate"]).ok();
    for turn in 0..120 {
        repo.git(&[
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            &format!("turn {turn}"),
        ])
        .ok();
    }
    let status = repo.merkle(&["status"]).ok();
    assert!(
        status.contains("human/note                       0         0         -         2"),
        "{status}"
    );
    let listed = repo.merkle(&["status", "--carried"]).ok();
    assert!(
        listed
            .contains("121 commits ago, 6 lines differ\nstatement by agent human, written by Ann"),
        "{listed}"
    );
    assert!(listed.contains("All of it is tested."), "{listed}");
    let document = repo
        .merkle(&["status", "--carried", "--json"])
        .json("carried");
    let carried = &document["frames"][1];
    assert_eq!(
        (&carried["path"], &carried["state"]),
        (&"src/lib.rs".into(), &"carried".into())
    );
    assert_eq!(
        carried["carried"],
        serde_json::json!({ "commits": 121, "changes": 1, "lines": 6 })
    );
    let node = repo.merkle(&["get-node", "src/lib.rs"]).ok();
    assert!(
        node.contains("human.note 1 (carried) src/lib.rs") && node.contains("outline.outline"),
        "{node}"
    );
    let first = repo.id("HEAD~121");
    let origin = format!("carried from commit {}, written on ", &first[..7]);
    for arguments in [&["context"][..], &["context", "src/lib.rs"]] {
        let document = repo.merkle(arguments).ok();
        assert!(
            document.contains(&origin) && document.contains("Adds, and never overflows."),
            "{document}"
        );
    }
    // A payload says the same after further commits: what stands in front of a cached prompt does not change by itself.
    let before = repo.merkle(&["context", "src/lib.rs"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "one more"])
        .ok();
    let notes = |text: &str| {
        text.lines()
            .filter(|line| line.contains("**Note**"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        notes(&before),
        notes(&repo.merkle(&["context", "src/lib.rs"]).ok())
    );
}

/// Before, a note ended where git found its file under another name.
#[test]
fn a_note_follows_its_file_through_renames() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let text = "| pub fn step() { next(); }\n".repeat(30);
    repo.fill(&format!("commit long\n+ src/old.rs\n{text}"));
    by(
        &repo,
        "Ann",
        &["note", "src/old.rs", "-m", "Keep the order of the steps."],
    )
    .ok();
    by(&repo, "Bob", &["note", "src", "-m", "Bob's directory."]).ok();
    repo.git(&["mv", "src/old.rs", "src/new.rs"]).ok();
    repo.put("src/new.rs", format!("{}// more\n", text.replace("| ", "")));
    repo.git(&["commit", "-q", "-a", "-m", "rename and edit"])
        .ok();
    assert!(
        shown(&repo, "src/new.rs").contains("carried src/new.rs (made at src/old.rs) from commit"),
        "{}",
        shown(&repo, "src/new.rs")
    );
    // The directory goes, the file goes with it, and both are edited again.
    repo.git(&["mv", "src", "library"]).ok();
    repo.git(&["commit", "-q", "-a", "-m", "the directory"])
        .ok();
    repo.fill("commit another\n+ library/more.rs = pub fn more() {}");
    for (path, words) in [
        ("library/new.rs", "Keep the order"),
        ("library", "Bob's directory"),
    ] {
        assert!(shown(&repo, path).contains(words), "{path}");
    }
    assert_eq!(
        repo.merkle(&["status", "--carried", "--json"])
            .json("carried")["frames"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    by(&repo, "Ann", &["retract", "library/new.rs"]).ok();
    assert!(
        !repo
            .merkle(&["status", "--carried"])
            .ok()
            .contains("Keep the order")
    );
    // What was deleted is nowhere.
    repo.git(&["rm", "-q", "-r", "library"]).ok();
    repo.git(&["commit", "-q", "-m", "gone"]).ok();
    assert_eq!(repo.merkle(&["status", "--carried"]).ok(), "");
}

/// A note of another agent that people speak for was "to affirm" in a review, and `affirm` said that there was none.
#[test]
fn a_carried_note_of_another_agent_is_named_with_the_command_that_affirms_it() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.merkle(&[
        "note",
        "src/lib.rs",
        "-m",
        "Sums wrap.",
        "--agent",
        "assistant",
    ])
    .ok();
    repo.fill("commit second\n+ src/lib.rs = pub fn sub() {}\n");
    let none = repo.merkle(&["affirm", "src/lib.rs"]).exits(1);
    let command = "git merkle affirm --agent assistant src/lib.rs";
    assert!(none.err().contains(command), "{none}");
    let words: Vec<&str> = command.split(' ').skip(2).collect();
    repo.merkle(&words).ok();
    let shown = repo
        .merkle(&["show", "src/lib.rs", "--agent", "assistant"])
        .ok();
    assert!(shown.contains("assistant/note fresh src/lib.rs"), "{shown}");
    // A type that both agents have is a person's where nothing is said yet.
    let missing = repo.merkle(&["get-head", "README.md", "--type", "note"]);
    assert!(!missing.err().contains("--agent"), "{missing}");
}

/// Before, a note on one of several empty files was told of all of them, and only `show` said where it was made.
#[test]
fn a_note_stands_at_its_path_and_where_that_is_gone_says_where_it_was_made() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("twins");
    repo.fill("commit one\n+ a/init.py = from c import d\n+ b/init.py = from c import d");
    by(&repo, "Ann", &["note", "a/init.py", "-m", "Loads lazily."]).ok();
    by(&repo, "Ann", &["note", ".", "-m", "Two packages."]).ok();
    let told = |arguments: &[&str]| repo.merkle(arguments).out().replace('`', "");
    let made = "made at a/init.py";
    // Plumbing lists the frames of the content, whatever path it is shown at.
    assert!(told(&["get-node", "b/init.py"]).contains(made));
    for arguments in [
        &["show", "a/init.py"][..],
        &["show", "b/init.py"],
        &["get-node", "a/init.py"],
        &["find", "lazily"],
        &["context"],
        &["context", "a/init.py"],
        &["context", "b/init.py"],
        &["get-node", "."],
    ] {
        let told = told(arguments);
        assert!(!told.contains(made), "{arguments:?}: {told}");
    }
    assert!(!told(&["context", "b/init.py"]).contains("Loads lazily."));
    repo.git(&["rm", "-q", "a/init.py"]).ok();
    repo.git(&["commit", "-qm", "two"]).ok();
    for arguments in [
        &["show", "b/init.py"][..],
        &["get-node", "b/init.py"],
        &["find", "lazily"],
        &["context"],
        &["context", "b/init.py"],
    ] {
        let told = told(arguments);
        assert_eq!(told.matches(made).count(), 1, "{arguments:?}: {told}");
    }
}

/// Before, a payload had the old path of a note in its own running text, where `*` and `<` mean something.
#[test]
fn the_path_of_a_note_is_escaped_in_a_payload() {
    let sandbox = Sandbox::new();
    let lines = "\n  | one = 1\n  | two = 2\n  | three = 3\n  | four = 4\n  | five = 5";
    let twins = format!("commit one\n+ **obey**<b>.py{lines}\n+ twin.py{lines}");
    let alone = format!("commit one\n+ **obey**<b>.py{lines}");
    let renamed = format!("commit two\n- **obey**<b>.py\n+ twin.py{lines}\n  | six = 6");
    for (name, first, second, when) in [
        (
            "marked",
            &*twins,
            "commit two\n- **obey**<b>.py",
            "fresh, made at",
        ),
        ("renamed", &alone, &renamed, "when it was"),
    ] {
        let repo = sandbox.repo(name);
        repo.fill(first);
        by(&repo, "Ann", &["note", "**obey**<b>.py", "-m", "The one."]).ok();
        repo.fill(second);
        for arguments in [&["context", "twin.py"][..], &["context"]] {
            let document = repo.merkle(arguments).ok();
            let note = format!("{when} `**obey**<b>.py`");
            assert!(document.contains(&note), "{note}: {document}");
        }
    }
}

/// Before, a note on a file that was edited was about what HEAD has, without a word, and a new file could have none.
#[test]
fn a_note_can_be_about_what_is_not_committed_yet() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("edited");
    repo.fill("commit one\n+ a.py = one = 1");
    fs::write(repo.path("a.py"), "one = 2\n").expect("writable");
    fs::write(repo.path("b.py"), "two = 2\n").expect("writable");
    let old = by(&repo, "Ann", &["note", "a.py", "-m", "Of HEAD."]).exits(0);
    assert!(
        old.err().contains("'a.py' is not committed as it is"),
        "{old}"
    );
    let refused = by(&repo, "Ann", &["note", "b.py", "-m", "New."]).exits(128);
    assert!(refused.err().contains("--worktree"), "{refused}");
    // The same from within a directory.
    fs::create_dir(repo.path("sub")).expect("a folder");
    fs::write(repo.path("sub/c.py"), "three = 3\n").expect("writable");
    let below = repo.merkle(&["-C", "sub", "note", "c.py", "-m", "New."]);
    assert!(below.exits(128).err().contains("--worktree"));
    for (path, text) in [("a.py", "Of the edit."), ("b.py", "Of the new file.")] {
        let said = by(&repo, "Ann", &["note", "--worktree", path, "-m", text]).exits(0);
        assert_eq!(said.err(), "");
    }
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "two"]).ok();
    for (path, text) in [("a.py", "Of the edit."), ("b.py", "Of the new file.")] {
        let shown = repo.merkle(&["show", path, "--agent", "human"]).ok();
        let fresh = format!("human/note fresh {path}\n");
        assert!(shown.contains(&fresh) && shown.contains(text), "{shown}");
    }
}

//! Two people who speak of one file in two clones: each keeps what they said last, and ends nothing but that.

use std::fs;

use super::{sync, world};
use crate::support::{PROGRAM, Repo, Sandbox};

const NONE: [&str; 0] = [];

/// A clone and the person who works in it.
struct Desk<'r, 's>(&'r Repo<'s>, &'static str);

impl Desk<'_, '_> {
    /// Runs the program as this person, at a time in seconds.
    fn run(&self, seconds: u64, arguments: &[&str]) -> String {
        let name = format!("user.name={}", self.1);
        let mail = format!("user.email={}@example.org", self.1);
        let settings = ["-c", name.as_str(), "-c", mail.as_str()];
        let run = self.0.run(PROGRAM).args(settings).args(arguments);
        run.env("SOURCE_DATE_EPOCH", seconds.to_string()).run().ok()
    }
}

/// Brings both clones to the same store.
fn exchange(clones: &[Repo<'_>]) {
    for clone in clones.iter().chain(clones) {
        sync(clone).ok();
    }
}

/// What people say of a path: the author and the text, in the order of the texts.
fn notes(repo: &Repo<'_>, path: &str) -> Vec<String> {
    let shown = repo.merkle(&["show", path, "--agent", "human", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out()).expect("a document");
    let frames = shown["frames"].as_array().expect("frames");
    let mut notes: Vec<String> = frames
        .iter()
        .map(|frame| {
            let author = frame["author"].as_str().expect("an author");
            let author = author.split(' ').next().unwrap_or_default();
            let text = frame["content"].as_str().expect("a text").trim();
            format!("{author}: {text}")
        })
        .collect();
    notes.sort();
    notes
}

/// Before, each retraction said the other's words again above the other's end of them, and both came back.
#[test]
fn two_who_retract_at_once_have_both_retracted() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let (ann, bob) = (Desk(&clones[0], "ann"), Desk(&clones[1], "bob"));
    ann.run(100, &["note", "src/lib.rs", "-m", "Ann's."]);
    bob.run(101, &["note", "src/lib.rs", "-m", "Bob's."]);
    exchange(&clones);
    assert_eq!(
        notes(&clones[0], "src/lib.rs"),
        ["ann: Ann's.", "bob: Bob's."]
    );
    bob.run(102, &["retract", "src/lib.rs"]);
    ann.run(103, &["retract", "src/lib.rs"]);
    exchange(&clones);
    for clone in &clones {
        assert_eq!(notes(clone, "src/lib.rs"), NONE);
        let status = clone.merkle(&["status"]).ok();
        assert!(!status.contains("human/note"), "{status}");
    }
}

/// Before, a retraction brought back what the other had said before and hid what the other said now.
#[test]
fn a_retraction_leaves_what_others_say_meanwhile() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let (ann, bob) = (Desk(&clones[0], "ann"), Desk(&clones[1], "bob"));
    ann.run(100, &["note", "src/lib.rs", "-m", "Ann's."]);
    bob.run(101, &["note", "src/lib.rs", "-m", "Bob's first."]);
    exchange(&clones);
    bob.run(102, &["note", "src/lib.rs", "-m", "Bob's second."]);
    ann.run(103, &["retract", "src/lib.rs"]);
    exchange(&clones);
    for clone in &clones {
        assert_eq!(notes(clone, "src/lib.rs"), ["bob: Bob's second."]);
        let head = clone.merkle(&["get-head", "src/lib.rs", "--agent", "human"]);
        assert!(head.ok().contains("Bob's second."));
    }
}

/// Of one person's statements the later counts, however much the clone had to say in which the earlier was made.
#[test]
fn of_one_author_the_later_statement_counts() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let [desk, laptop] = [Desk(&clones[0], "ann"), Desk(&clones[1], "ann")];
    for (at, text) in (100..).zip(["One.", "Two.", "Three."]) {
        desk.run(at, &["note", "src/lib.rs", "-m", text]);
    }
    laptop.run(200, &["note", "src/lib.rs", "-m", "The last."]);
    exchange(&clones);
    for clone in &clones {
        assert_eq!(notes(clone, "src/lib.rs"), ["ann: The last."]);
    }
    // A clock that is behind makes no statement that is not shown.
    desk.run(150, &["note", "src/lib.rs", "-m", "Later all the same."]);
    exchange(&clones);
    assert_eq!(
        notes(&clones[1], "src/lib.rs"),
        ["ann: Later all the same."]
    );
    laptop.run(10, &["retract", "src/lib.rs"]);
    exchange(&clones);
    assert_eq!(notes(&clones[0], "src/lib.rs"), NONE);
}

/// Before, the same words of two people were one frame, and one of both was lost.
#[test]
fn the_same_words_of_two_people_are_two_statements() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let (ann, bob) = (Desk(&clones[0], "ann"), Desk(&clones[1], "bob"));
    let note = ["note", "src/lib.rs", "-m", "Looks good."];
    let ids = [ann.run(100, &note), bob.run(100, &note)];
    assert_ne!(ids[0], ids[1]);
    exchange(&clones);
    let both = ["ann: Looks good.", "bob: Looks good."];
    for clone in &clones {
        assert_eq!(notes(clone, "src/lib.rs"), both);
    }
    let all = clones[0].merkle(&["get-node", "src/lib.rs"]).ok();
    assert_eq!(all.matches("human.note 1 (fresh)").count(), 2, "{all}");
    // In one clone, too, and the same words of one person stay one statement.
    assert_eq!(bob.run(101, &note), ids[1]);
    Desk(&clones[1], "cid").run(102, &note);
    assert_eq!(notes(&clones[1], "src/lib.rs").len(), 3);
    bob.run(103, &["retract", "src/lib.rs"]);
    assert_eq!(
        notes(&clones[1], "src/lib.rs"),
        ["ann: Looks good.", "cid: Looks good."]
    );
}

/// Before, a note on one of two files with one content took the place of that on the other, and each empty file had all.
#[test]
fn files_of_one_content_have_notes_of_their_own() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    for (path, text) in [
        ("a/init.py", ""),
        ("b/init.py", ""),
        ("c/init.py", ""),
        ("d/x", "same\n"),
        ("e/x", "same\n"),
    ] {
        fs::create_dir_all(repo.path(&path[..1])).expect("a folder");
        fs::write(repo.path(path), text).expect("writable");
    }
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "first"]).ok();
    let ann = Desk(&repo, "ann");
    for path in ["a/init.py", "b/init.py", "d/x", "e/x"] {
        ann.run(100, &["note", path, "-m", &format!("Of {path}.")]);
    }
    for path in ["a/init.py", "b/init.py", "d/x", "e/x"] {
        assert_eq!(notes(&repo, path), [format!("ann: Of {path}.")]);
    }
    assert_eq!(notes(&repo, "c/init.py"), NONE);
    let context = repo.merkle(&["context"]).ok();
    assert_eq!(context.matches("**Note** about").count(), 4, "{context}");
    let found = repo.merkle(&["find", "what is it of"]).ok();
    assert!(!found.contains("c/init.py\n  agent"), "{found}");
    // Each is ended for itself, and what stood in an earlier version of one is not carried to the other.
    ann.run(101, &["retract", "d/x"]);
    assert_eq!(notes(&repo, "e/x"), ["ann: Of e/x."]);
    assert_eq!(notes(&repo, "d/x"), NONE);
    fs::write(repo.path("a/init.py"), "import b\n").expect("writable");
    fs::write(repo.path("e/x"), "other\n").expect("writable");
    repo.git(&["commit", "-qam", "changed"]).ok();
    assert_eq!(notes(&repo, "a/init.py"), ["ann: Of a/init.py."]);
    assert_eq!(notes(&repo, "b/init.py"), ["ann: Of b/init.py."]);
    assert_eq!(notes(&repo, "e/x"), ["ann: Of e/x."]);
    assert_eq!(notes(&repo, "d/x"), NONE);
    // A file that went takes its note along; what is empty may come from anywhere.
    repo.git(&["mv", "e/x", "e/y"]).ok();
    repo.git(&["rm", "-q", "b/init.py"]).ok();
    repo.git(&["commit", "-qm", "moved"]).ok();
    assert_eq!(notes(&repo, "e/y"), ["ann: Of e/x."]);
    assert_eq!(notes(&repo, "c/init.py"), NONE);
}

/// Before, only first parents were looked at: a note of a merged branch was of a version that the newest commits do not have.
#[test]
fn a_note_of_a_merged_branch_is_carried_from_its_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let lines = |first: &str, last: &str| format!("{first}\nb\nc\nd\ne\nf\n{last}\n");
    let commit = |text: &str, message: &str| {
        fs::write(repo.path("f.txt"), text).expect("writable");
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "-qm", message]).ok();
    };
    commit(&lines("a", "g"), "first");
    repo.git(&["switch", "-qc", "side"]).ok();
    commit(&lines("on side", "g"), "on side");
    Desk(&repo, "bob").run(100, &["note", "f.txt", "-m", "Of the side."]);
    commit(&lines("on side, again", "g"), "on side again");
    repo.git(&["switch", "-q", "main"]).ok();
    commit(&lines("a", "on main"), "on main");
    Desk(&repo, "ann").run(101, &["note", "f.txt", "-m", "Of the main line."]);
    repo.git(&["merge", "-q", "--no-edit", "side"]).ok();
    assert_eq!(
        notes(&repo, "f.txt"),
        ["ann: Of the main line.", "bob: Of the side."]
    );
    let shown = repo.merkle(&["show", "f.txt", "--agent", "human"]).ok();
    let side = repo.id("side~1");
    assert!(
        shown.contains(&format!("from commit {}, 2 commits ago", &side[..7])),
        "{shown}"
    );
    assert!(!shown.contains("do not have"), "{shown}");
}

/// Before, a release branch, an older commit and a branch beside showed it as a note on an earlier version.
#[test]
fn a_note_of_a_later_version_is_not_carried_to_what_stood_before() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ pay.py = one");
    repo.git(&["branch", "release"]).ok();
    repo.git(&["branch", "squashed"]).ok();
    repo.fill("commit second\n+ pay.py = two");
    Desk(&repo, "ann").run(
        1_900_000_000,
        &["note", "pay.py", "-m", "Amounts are in cents."],
    );
    repo.git(&["switch", "-q", "release"]).ok();
    assert_eq!(notes(&repo, "pay.py"), NONE);
    repo.fill("commit other\n+ other.py = o");
    assert_eq!(notes(&repo, "pay.py"), NONE);
    let before = repo.merkle(&["show", "--rev", "main~1", "pay.py", "--agent", "human"]);
    assert_eq!(before.out(), "");
    // What a squash brings is committed later than what was said of its parts.
    repo.git(&["switch", "-q", "squashed"]).ok();
    repo.put("pay.py", "three");
    let commit = |seconds: u64| {
        repo.run("git")
            .args(["commit", "-qam", "squashed"])
            .env("GIT_COMMITTER_DATE", format!("{seconds} +0000"))
            .run()
            .ok()
    };
    commit(1_900_000_060);
    assert_eq!(notes(&repo, "pay.py"), ["ann: Amounts are in cents."]);
    // A maintainer ends what another one said, by the path that shows it.
    let told = repo
        .merkle(&["invalidate", "pay.py", "--agent", "human"])
        .ok();
    assert_eq!(told, "invalidated 1 frame\n");
    assert_eq!(notes(&repo, "pay.py"), NONE);
}

/// Before, `review` and `status` told a note that no command could end.
#[test]
fn a_path_that_became_a_link_carries_no_note() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ real.txt = x\n+ f.txt = y");
    Desk(&repo, "ann").run(100, &["note", "f.txt", "-m", "Of f."]);
    fs::remove_file(repo.path("f.txt")).expect("there");
    std::os::unix::fs::symlink("real.txt", repo.path("f.txt")).expect("a link");
    repo.git(&["commit", "-qam", "a link"]).ok();
    repo.merkle(&["review", "HEAD^!", "--fail-on", "carried"])
        .ok();
    let carried = repo.merkle(&["status", "--carried", "--json"]).ok();
    assert!(carried.contains("\"frames\":[]"), "{carried}");
}

/// A note on content that this history never had is ended by the path that shows it, whenever that is.
#[test]
fn what_is_carried_from_a_squashed_branch_can_be_ended() {
    for end in ["invalidate", "retract"] {
        let sandbox = Sandbox::new();
        let repo = sandbox.filled("commit first\n+ p.txt = one");
        repo.git(&["branch", "squashed"]).ok();
        repo.fill("commit second\n+ p.txt = two");
        Desk(&repo, "ann").run(1_900_000_000, &["note", "p.txt", "-m", "In cents."]);
        repo.git(&["switch", "-q", "squashed"]).ok();
        repo.put("p.txt", "three");
        repo.run("git")
            .args(["commit", "-qam", "squashed"])
            .env("GIT_COMMITTER_DATE", "1900000060 +0000")
            .run()
            .ok();
        assert_eq!(notes(&repo, "p.txt"), ["ann: In cents."]);
        let arguments = ["p.txt", "--agent", "human"];
        Desk(&repo, "ann").run(1_900_000_900, &[&[end][..], &arguments].concat());
        assert_eq!(notes(&repo, "p.txt"), NONE, "{end}");
    }
}

/// What another person says of a second file of the same content stands, and frames of other agents stay.
#[test]
fn invalidating_a_path_ends_nothing_that_was_not_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.txt = same\n+ b.txt = same");
    Desk(&repo, "ann").run(100, &["note", "a.txt", "-m", "Of a."]);
    Desk(&repo, "bob").run(101, &["note", "b.txt", "-m", "Of b."]);
    repo.merkle(&["regenerate"]).ok();
    repo.fill("commit second\n+ a.txt = other");
    let frames = repo.frames().len();
    repo.merkle(&["invalidate", "a.txt", "--agent", "human"])
        .out();
    assert_eq!(notes(&repo, "b.txt"), ["bob: Of b."]);
    repo.merkle(&["invalidate", "a.txt", "--agent", "outline"])
        .out();
    assert_eq!(
        repo.frames().len(),
        frames,
        "the outline of the earlier content stays"
    );
}

/// Before, the end of an object that was named by its id was said of the root, and the note was carried on.
#[test]
fn what_is_invalidated_by_its_id_is_carried_nowhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.txt = one");
    Desk(&repo, "ann").run(100, &["note", "a.txt", "-m", "Of one."]);
    let id = repo.id("HEAD:a.txt");
    repo.fill("commit second\n+ a.txt = two");
    assert_eq!(notes(&repo, "a.txt"), ["ann: Of one."]);
    Desk(&repo, "bob").run(200, &["invalidate", &id, "--agent", "human"]);
    assert_eq!(notes(&repo, "a.txt"), NONE);
}

/// Before, an end was dated by the clock alone, and a statement whose clock was ahead stood on.
#[test]
fn what_was_said_by_a_clock_that_is_ahead_is_ended_all_the_same() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a"]);
    let repo = &clones[0];
    Desk(repo, "ann").run(1_900_000_000, &["note", "src/lib.rs", "-m", "Ahead."]);
    Desk(repo, "bob").run(100, &["invalidate", "src/lib.rs", "--agent", "human"]);
    let shown = repo
        .merkle(&["show", "src/lib.rs", "--agent", "human"])
        .out();
    assert!(!shown.contains("fresh"), "{shown}");
}

/// Before, only today's content was without the note: with the earlier one it came back as fresh.
#[test]
fn a_retracted_note_stays_away_when_its_content_comes_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ f = one");
    let ann = Desk(&repo, "ann");
    ann.run(100, &["note", "f", "-m", "Of one."]);
    fs::write(repo.path("f"), "two\n").expect("writable");
    repo.git(&["commit", "-qam", "two"]).ok();
    ann.run(101, &["retract", "f"]);
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    assert_eq!(notes(&repo, "f"), NONE);
    // The same of what was said before the commit.
    fs::write(repo.path("f"), "three\n").expect("writable");
    ann.run(102, &["note", "--worktree", "f", "-m", "Of three."]);
    ann.run(103, &["retract", "--worktree", "f"]);
    repo.git(&["commit", "-qam", "three"]).ok();
    assert_eq!(notes(&repo, "f"), NONE);
}

/// Before, what the other of two files was last said to be was the head of both.
#[test]
fn the_head_of_a_file_is_what_was_said_of_that_file() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ a.rs = same\n+ b.rs = same");
    let ann = Desk(&repo, "ann");
    for (at, path) in (100..).zip(["a.rs", "b.rs"]) {
        ann.run(at, &["note", path, "-m", &format!("Of {path}.")]);
    }
    for path in ["a.rs", "b.rs"] {
        let head = repo.merkle(&["get-head", path, "--agent", "human"]).ok();
        assert_eq!(head, format!("Of {path}.\n"));
        let why = repo.merkle(&["explain", path, "--agent", "human"]).ok();
        let shown = repo.merkle(&["show", path, "--agent", "human"]).ok();
        assert!(why.contains(&shown[..7]), "{why}: {shown}");
    }
}

/// Before, a branch that renamed the file took the way back to its notes along.
#[test]
fn a_note_of_a_merged_branch_is_found_behind_a_rename() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let lines = |first: &str| format!("{first}\nb\nc\nd\ne\nf\ng\nh\n");
    let commit = |path: &str, text: &str| {
        fs::write(repo.path(path), text).expect("writable");
        repo.git(&["add", "-A"]).ok();
        repo.git(&["commit", "-qm", text.lines().next().unwrap_or_default()])
            .ok();
    };
    commit("a", &lines("first"));
    repo.git(&["switch", "-qc", "side"]).ok();
    commit("a", &lines("on side"));
    Desk(&repo, "bob").run(100, &["note", "a", "-m", "Of the side."]);
    repo.git(&["mv", "a", "b"]).ok();
    commit("b", &lines("moved"));
    repo.git(&["switch", "-q", "main"]).ok();
    commit("other", "else");
    repo.git(&["merge", "-q", "--no-edit", "side"]).ok();
    let shown = repo.merkle(&["show", "b", "--agent", "human"]).ok();
    let side = repo.id("side~1");
    assert!(
        shown.contains(&format!("from commit {}", &side[..7])),
        "{shown}"
    );
}

/// Before, a question had no answer whose words only a note on a directory has.
#[test]
fn a_note_on_a_directory_is_found_by_its_words() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ till/a.py = one = 1\n+ b.py = quokka = 2");
    let ann = Desk(&repo, "ann");
    ann.run(
        100,
        &["note", "till", "-m", "Never import from the drawer."],
    );
    let said = "till/\n  agent human, written by ann <ann@example.org>, fresh: Never import from the drawer.\n";
    let found = repo.merkle(&["find", "may I import from the drawer"]).ok();
    assert!(found.starts_with(said), "{found}");
    let json = repo
        .merkle(&["find", "import from the drawer", "--json"])
        .json("find");
    assert_eq!(json["directories"][0]["path"], "till/");
    // Other questions are answered as before, and so is one to some paths.
    let other = repo.merkle(&["find", "what is a quokka"]).ok();
    assert!(
        !other.contains("till/") && other.contains("b.py"),
        "{other}"
    );
    let _ = repo
        .merkle(&["find", "import from the drawer", "b.py"])
        .exits(1);
    // It takes a part of the budget at most.
    let _ = repo
        .merkle(&["find", "import from the drawer", "--budget", "40"])
        .exits(1);
}

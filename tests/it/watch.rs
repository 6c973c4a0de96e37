//! `watch` as an editor or a person runs it: one line for each batch of changes, frames that are fresh, and a quick end.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{PROGRAM, Repo, Sandbox};

/// How long a line is waited for before the test fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A watch that runs, with what it says on either stream.
struct Watch {
    child: Child,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

impl Watch {
    /// Starts it, and waits until it listens.
    fn start(repo: &Repo<'_>, arguments: &[&str]) -> Self {
        let run = repo
            .run(PROGRAM)
            .args(["watch", "--quiet-for", "300"])
            .args(arguments);
        // A shell starts what runs behind it with interrupts ignored, and a child inherits that.
        let mut child = run.start(&["env", "--default-signal=INT"]);
        let lines = lines(child.stdout.take().expect("a pipe"));
        let complaints = self::lines(child.stderr.take().expect("a pipe"));
        let note = complaints.recv_timeout(PATIENCE).expect("a note");
        assert!(
            note.starts_with("watching ") && note.ends_with("; Ctrl-C ends it"),
            "{note}"
        );
        Self {
            child,
            lines,
            complaints,
        }
    }

    /// The next line, whenever it comes.
    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    /// Ends it by a signal; the lines that nobody has asked for.
    #[track_caller]
    fn end(mut self, signal: Signal) -> Vec<String> {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).expect("it runs");
        let status = self.child.wait().expect("it ends");
        let number = signal as i32;
        assert!(
            status.signal() == Some(number) || status.code() == Some(128 + number),
            "{status}"
        );
        self.lines.iter().chain(self.complaints.iter()).collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Writes a file at once, as editors do: `fs::write` empties it first, and on a busy machine a look may come between.
fn write(repo: &Repo<'_>, path: &str, text: &str) {
    let (path, new) = (repo.path(path), repo.path(".git/new-of-the-test"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(&new, text).expect("writable");
    fs::rename(new, path).expect("writable");
}

/// The tree of the files on disk, as git makes it, in an index of its own.
fn tree(repo: &Repo<'_>) -> String {
    let index = repo.path(".git/index-of-the-test");
    let git = |arguments: &[&str]| {
        repo.run("git")
            .env("GIT_INDEX_FILE", &index)
            .args(arguments)
            .run()
            .ok()
    };
    git(&["read-tree", "HEAD"]);
    git(&["add", "-A"]);
    let tree = git(&["write-tree"]);
    fs::remove_file(index).expect("an index");
    tree.trim_end().to_owned()
}

#[track_caller]
fn assert_fresh(repo: &Repo<'_>) {
    let status = repo.merkle(&["status", "--worktree", "--exit-code"]);
    assert_eq!(status.code, Some(0), "{status}");
}

/// Red before: a synthesis stayed outdated until the next commit.
#[test]
fn a_synthesis_is_brought_up_to_date_with_what_it_is_made_of() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit files\n+ d/a.rs = fn a() {}\n+ e/b.rs = fn b() {}");
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["synthesize", "."]).ok();
    let watch = Watch::start(&repo, &["--json-lines"]);
    write(&repo, "d/a.rs", "pub fn edited() {}\n");
    let batch: serde_json::Value = serde_json::from_str(&watch.line()).expect("JSON");
    let frames = |path: &str| {
        let changes = batch["changes"].as_array().expect("a list");
        let change = changes
            .iter()
            .find(|change| change["path"] == path)
            .expect("it has changed");
        change["frames"].to_string()
    };
    for path in ["", "d"] {
        let digest = r#"{"agent":"outline","type":"digest","state":"fresh"}"#;
        assert!(frames(path).contains(digest), "{path}: {}", frames(path));
    }
    assert_eq!(watch.end(Signal::SIGTERM), [""; 0]);
    assert_fresh(&repo);
}

/// What happens, what is done, and how many frames files and directories get (made, or taken over
/// from before); none for what is no change.
type Change = (&'static str, fn(&Repo<'_>), Option<(u64, u64)>);

const CHANGES: &[Change] = &[
    (
        "edit",
        |repo| write(repo, "src/a.rs", "pub fn edited() {}\n"),
        Some((1, 2)),
    ),
    (
        "the same text again",
        |repo| write(repo, "src/a.rs", "pub fn edited() {}\n"),
        None,
    ),
    (
        "new file in a new folder",
        |repo| write(repo, "new/deep/b.rs", "pub fn b() {}\n"),
        Some((1, 3)),
    ),
    (
        "edit in the new folder",
        |repo| write(repo, "new/deep/b.rs", "pub fn bb() {}\n"),
        Some((1, 3)),
    ),
    ("ignored", |repo| write(repo, "out/x.log", "noise\n"), None),
    (
        "rename",
        |repo| fs::rename(repo.path("src/a.rs"), repo.path("src/c.rs")).expect("it is there"),
        Some((0, 2)),
    ),
    (
        "folder that moves",
        |repo| fs::rename(repo.path("new"), repo.path("moved")).expect("it is there"),
        Some((0, 1)),
    ),
    (
        "edit in the folder that has moved",
        |repo| write(repo, "moved/deep/b.rs", "pub fn b3() {}\n"),
        Some((1, 3)),
    ),
    (
        "own output",
        |repo| {
            drop(repo.put_frame("src", "said\n").ok());
        },
        None,
    ),
    (
        "git's own business",
        |repo| drop(repo.git(&["gc", "-q", "--prune=now"]).ok()),
        None,
    ),
    (
        "deletion",
        |repo| fs::remove_dir_all(repo.path("moved")).expect("it is there"),
        Some((0, 1)),
    ),
    (
        "storm",
        |repo| {
            (0..200).for_each(|n| {
                write(
                    repo,
                    &format!("src/s{}.rs", n % 10),
                    &format!("pub fn s{n}() {{}}\n"),
                );
            });
        },
        Some((10, 2)),
    ),
];

#[test]
fn each_batch_of_changes_is_one_line_and_everything_is_fresh() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ .gitignore = *.log\n+ src/a.rs = pub fn a() {}");
    let index = fs::read(repo.path(".git/index")).expect("an index");
    let watch = Watch::start(&repo, &["--jsonl"]);
    let batch = |name: &str, made: (u64, u64)| {
        let document: serde_json::Value =
            serde_json::from_str(&watch.line()).expect("a line of JSON");
        assert_eq!(document["schema"], "git-merkle/watch/1", "{name}");
        assert_eq!(
            document["root"],
            tree(&repo),
            "{name}: the line is about what is there"
        );
        let [files, directories, reused, failed] =
            ["made_files", "made_directories", "reused", "failed"]
                .map(|key| document[key].as_u64().expect("a number"));
        assert_eq!(
            (files, directories + reused, failed),
            (made.0, made.1, 0),
            "{name}: {document}"
        );
        assert_fresh(&repo);
    };
    batch("what is there", (2, 2));
    for (name, happens, made) in CHANGES {
        happens(&repo);
        // No line is a line that the next change's does not wait behind.
        if let Some(made) = made {
            batch(name, *made);
        }
    }
    assert_eq!(
        fs::read(repo.path(".git/index")).expect("an index"),
        index,
        "the user's index is not touched"
    );
    assert_eq!(watch.end(Signal::SIGINT), [] as [&str; 0]);
    assert_eq!(repo.leftovers(), [] as [&str; 0]);
    repo.assert_sound();
}

/// The changes of the next line, each as `change path: agent/type state, …`.
#[track_caller]
fn changes(watch: &Watch) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(&watch.line()).expect("a line of JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let frame = |frame: &serde_json::Value| {
        format!(
            "{}/{} {}",
            text(&frame["agent"]),
            text(&frame["type"]),
            text(&frame["state"])
        )
    };
    let change = |change: &serde_json::Value| {
        let frames: Vec<String> = change["frames"]
            .as_array()
            .expect("a list")
            .iter()
            .map(frame)
            .collect();
        format!(
            "{} {} '{}': {}",
            text(&change["change"]),
            text(&change["kind"]),
            text(&change["path"]),
            frames.join(", ")
        )
    };
    document["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(change)
        .collect()
}

/// Before, a line had a root and four counts: nobody could tell what to read again.
#[test]
fn a_line_names_paths_states_and_agents() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        "commit first\n+ .gitignore = *.log\n+ a.rs = pub fn a() {}\n+ src/b.rs = pub fn b() {}",
    );
    drop(repo.put_frame("a.rs", "A note.\n").ok());
    let watch = Watch::start(&repo, &["--jsonl"]);
    let outline = "outline/outline fresh";
    assert_eq!(
        changes(&watch),
        [
            format!("unchanged directory '': {outline}"),
            format!("unchanged file '.gitignore': {outline}"),
            format!("unchanged file 'a.rs': human/note fresh, {outline}"),
            format!("unchanged directory 'src': {outline}"),
            format!("unchanged file 'src/b.rs': {outline}"),
        ]
    );
    write(&repo, "a.rs", "pub fn edited() {}\n");
    assert_eq!(
        changes(&watch),
        [
            format!("modified directory '': {outline}"),
            format!("modified file 'a.rs': human/note outdated, {outline}")
        ]
    );
    fs::remove_dir_all(repo.path("src")).expect("it is there");
    let deleted = [
        "deleted directory 'src': ".to_owned(),
        "deleted file 'src/b.rs': ".to_owned(),
    ];
    assert_eq!(
        changes(&watch),
        [&[format!("modified directory '': {outline}")][..], &deleted].concat()
    );
    write(&repo, "src/new.rs", "pub fn new() {}\n");
    assert_eq!(
        changes(&watch),
        [
            format!("modified directory '': {outline}"),
            format!("added directory 'src': {outline}"),
            format!("added file 'src/new.rs': {outline}"),
        ]
    );
    // Back to what was there: nothing has to be made, and an editor has to read all of it again.
    fs::remove_file(repo.path("src/new.rs")).expect("it is there");
    repo.git(&["checkout", "-q", "--", "."]).ok();
    assert_eq!(
        changes(&watch),
        [
            format!("modified directory '': {outline}"),
            format!("modified file 'a.rs': human/note fresh, {outline}"),
            format!("modified directory 'src': {outline}"),
            format!("added file 'src/b.rs': {outline}"),
            "deleted file 'src/new.rs': ".to_owned(),
        ]
    );
    assert_eq!(watch.end(Signal::SIGINT), [] as [&str; 0]);
}

#[test]
fn it_goes_on_after_trouble_and_ends_when_it_is_told_to() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.rs = pub fn a() {}");
    repo.merkle(&["regenerate"]).ok();
    let watch = Watch::start(&repo, &[]);
    // What was fresh is not worth a line. Now the disk refuses.
    let lock = repo.path(".git/merkle/lock");
    fs::remove_file(&lock).expect("it is there");
    fs::create_dir(&lock).expect("writable");
    write(&repo, "a.rs", "pub fn b() {}\n");
    let complaint = watch.complaints.recv_timeout(PATIENCE).expect("a warning");
    assert!(complaint.starts_with("warning: "), "{complaint}");
    assert_eq!(repo.merkle(&["watch", "--once"]).exits(74).out(), "");
    fs::remove_dir(&lock).expect("it is there");
    write(&repo, "b.rs", "pub fn c() {}\n");
    assert_eq!(watch.line(), "2 files, 1 directory made, 0 reused");
    assert_fresh(&repo);
    assert_eq!(watch.end(Signal::SIGTERM), [] as [&str; 0]);
    assert_eq!(
        repo.merkle(&["watch", "--once"]).ok(),
        "",
        "there is nothing left to do"
    );
    write(&repo, "c.rs", "pub fn d() {}\n");
    assert_eq!(
        repo.merkle(&["watch", "--once", "--json"]).json("watch")["made_files"],
        1
    );
    assert_eq!(
        sandbox.bare("hub").merkle(&["watch"]).exits(128).err(),
        "error: this operation must be run in a work tree\nhint: clone the repository and run 'git merkle watch' in the clone\n"
    );
}

//! A server that keeps what it has read: its answers are those of a new process, whatever happens between two calls, and
//! where nothing happens no child of git looks at the work tree again.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::mcp::{Client, text};
use super::{note, sample};
use crate::laws::cases;
use crate::support::{PROGRAM, Repo, Sandbox};

/// Longer than a file system can leave untold, so that what is kept may be used.
const SETTLED: Duration = Duration::from_millis(150);

/// Less than `src/long.rs` takes as it stands: its outline is shown.
const LONG_BUDGET: u64 = 700;

/// What may happen between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Nothing,
    Wait,
    Edit,
    /// Another content of the same size, at the same time of change.
    EditUnseen,
    Create,
    CreateDeep,
    Remove,
    Rename,
    Link,
    Executable,
    Ignore,
    LetIn,
    Exclude,
    ExcludesFile,
    Configure,
    Add,
    Commit,
    Branch,
    Back,
    Reset,
    Note,
    NoteOnDirectory,
    Regenerate,
    Prune,
    ClearCache,
    Embed,
    DefineAgent,
}

const STEPS: [Step; 27] = [
    Step::Nothing,
    Step::Wait,
    Step::Edit,
    Step::EditUnseen,
    Step::Create,
    Step::CreateDeep,
    Step::Remove,
    Step::Rename,
    Step::Link,
    Step::Executable,
    Step::Ignore,
    Step::LetIn,
    Step::Exclude,
    Step::ExcludesFile,
    Step::Configure,
    Step::Add,
    Step::Commit,
    Step::Branch,
    Step::Back,
    Step::Reset,
    Step::Note,
    Step::NoteOnDirectory,
    Step::Regenerate,
    Step::Prune,
    Step::ClearCache,
    Step::Embed,
    Step::DefineAgent,
];

/// A function whose name says in which step it came; all names are of one length.
fn code(number: usize) -> String {
    format!("/// Adds quinces.\npub fn quince{number:02}() {{ crate::add(1, 2); }}\n")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
    fs::write(path, text).expect("writable");
}

/// Writes other bytes, and gives the file the time that it had.
fn edit_unseen(path: &Path, number: usize) {
    write(path, &code(number));
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let file = File::options()
        .append(true)
        .open(path)
        .expect("it is there");
    file.set_times(FileTimes::new().set_modified(old))
        .expect("it is ours");
}

fn apply(step: Step, number: usize, repo: &Repo<'_>) {
    let quiet = |arguments: &[&str]| drop(repo.git(arguments));
    let file = repo.path("src/lib.rs");
    match step {
        Step::Nothing => {}
        Step::Wait => sleep(SETTLED),
        Step::Edit => write(&file, &format!("//! Adds.\n{}", code(number))),
        Step::EditUnseen => edit_unseen(&repo.path("src/unseen.rs"), number),
        Step::Create => write(&repo.path(&format!("src/new{number}.rs")), &code(number)),
        Step::CreateDeep => write(&repo.path(&format!("a/b{number}/c.rs")), &code(number)),
        Step::Remove => drop(fs::remove_file(repo.path("README.md"))),
        Step::Rename => drop(fs::rename(repo.path("src/deep"), repo.path("src/moved"))),
        Step::Link => drop(symlink("src", repo.path("linked"))),
        Step::Executable => {
            if file.exists() {
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("ours");
            }
        }
        Step::Ignore => write(&repo.path(".gitignore"), &format!("new{}*\n", number / 2)),
        Step::LetIn => write(&repo.path(".teddyignore"), "!new*\ndeep/\n"),
        Step::Exclude => write(&repo.path(".git/info/exclude"), "a/\n"),
        Step::ExcludesFile => {
            write(&repo.path("../excludes"), "b*/\n");
            let path = repo.path("../excludes");
            quiet(&["config", "core.excludesFile", path.to_str().expect("UTF-8")]);
        }
        Step::Configure => quiet(&["config", "core.fileMode", "false"]),
        Step::Add => quiet(&["add", "-A"]),
        Step::Commit => {
            quiet(&["add", "-A"]);
            quiet(&["commit", "-q", "-m", "grow quinces"]);
        }
        Step::Branch => quiet(&["checkout", "-q", "-b", &format!("b{number}"), "start"]),
        Step::Back => quiet(&["checkout", "-q", "-f", "main"]),
        Step::Reset => quiet(&["reset", "-q", "--hard"]),
        Step::Note => {
            if file.exists() {
                note(repo, "src/lib.rs", &format!("Quince {number}."));
            }
        }
        Step::NoteOnDirectory => drop(note(repo, "src", &format!("Sources {number}."))),
        Step::Regenerate => drop(repo.merkle(&["regenerate"])),
        Step::Prune => quiet(&["gc", "-q", "--prune=now"]),
        Step::ClearCache => drop(fs::remove_dir_all(repo.path(".git/merkle/cache"))),
        Step::Embed => {
            write(&repo.path("embedded/x.rs"), &code(number));
            quiet(&["init", "-q", "embedded"]);
        }
        Step::DefineAgent => {
            let text = format!("role = \"writer\"\ntype = \"t{number}\"\n");
            write(&repo.path(".teddy/agents/poet.toml"), &text);
        }
    }
}

/// The calls, each with the command that says the same.
fn calls() -> [(&'static str, Value, Vec<&'static str>); 8] {
    let context = ["context", "--no-system", "--redact", "--allow-missing"];
    let with = |more: &[&'static str]| [&context[..], more].concat();
    [
        (
            "find",
            json!({"question": "add quinces"}),
            vec!["find", "add quinces"],
        ),
        ("map", json!({}), vec!["map", "--lines", "--budget", "4000"]),
        ("show", json!({"paths": ["src"]}), vec!["show", "src"]),
        (
            "context",
            json!({"question": "add quinces"}),
            with(&["--for", "add quinces", "--budget", "8000"]),
        ),
        ("context", json!({}), with(&["--budget", "8000"])),
        (
            "context",
            json!({"paths": ["src/"]}),
            with(&["src/", "--budget", "8000"]),
        ),
        (
            "context",
            json!({"paths": ["src/long.rs"], "budget": LONG_BUDGET}),
            with(&["src/long.rs", "--budget", "700"]),
        ),
        (
            "changes",
            json!({"since": "start"}),
            vec!["review", "start"],
        ),
    ]
}

/// Every answer of a server that has been there all the time is that of a process that was not.
fn check(client: &mut Client, repo: &Repo<'_>, steps: &[Step]) {
    for (tool, arguments, words) in calls() {
        let warm = client.call(tool, &arguments);
        if steps.is_empty() && arguments["budget"] == LONG_BUDGET {
            assert!(text(&warm).contains("its outline"), "{warm}");
        }
        let fresh = repo.merkle(&words);
        assert_eq!(
            text(&warm),
            fresh.out(),
            "{tool} {arguments} after {steps:?}"
        );
        let remarks: String = warm["structuredContent"]["remarks"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|line| [line.as_str().expect("a line"), "\n"])
            .collect();
        assert_eq!(remarks, fresh.err(), "{tool} {arguments} after {steps:?}");
    }
}

fn law(steps: &[Step]) {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.git(&["branch", "start"]).ok();
    write(&repo.path("src/unseen.rs"), &code(99));
    let lines = "    crate::add(1, 2);\n".repeat(20);
    let long = |number| format!("pub fn quince{number}() {{\n{lines}}}\n");
    let long: String = (10..22).map(long).collect();
    write(&repo.path("src/long.rs"), &long);
    sleep(SETTLED);
    let mut client = Client::of(&repo.run(PROGRAM).arg("mcp"));
    check(&mut client, &repo, &[]);
    for (number, step) in steps.iter().enumerate() {
        apply(*step, number, &repo);
        check(&mut client, &repo, &steps[..=number]);
    }
}

#[test]
fn a_warm_server_answers_like_a_new_process() {
    // Half of the steps change nothing, so that what was kept is used.
    let step = prop_oneof![Just(Step::Wait), proptest::sample::select(STEPS.to_vec()),];
    proptest!(cases(3), |(steps in proptest::collection::vec(step, 10))| law(&steps));
}

#[test]
fn a_warm_server_sees_each_kind_of_change() {
    // What was kept is in use before each of them.
    let steps: Vec<Step> = STEPS.iter().flat_map(|step| [Step::Wait, *step]).collect();
    steps.chunks(18).for_each(law);
}

/// A `git` that notes its arguments, in front of the real one.
fn noted_git(sandbox: &Sandbox) -> (String, std::path::PathBuf) {
    let (bin, log) = (sandbox.path("bin"), sandbox.path("log"));
    let path = sandbox
        .run("sh", sandbox.path("").as_path())
        .args(["-c", "echo $PATH"])
        .run()
        .ok();
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> '{}'\nPATH='{}' exec git \"$@\"\n",
        log.display(),
        path.trim()
    );
    write(&bin.join("git"), &script);
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).expect("ours");
    (format!("{}:{}", bin.display(), path.trim()), log)
}

#[test]
fn git_does_not_look_at_a_work_tree_that_has_not_changed() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let (path, log) = noted_git(&sandbox);
    sleep(SETTLED);
    let mut client = Client::of(&repo.run(PROGRAM).arg("mcp").env("PATH", path));
    let mut seen = 0;
    let mut children = || {
        // The first look may come before the first call.
        let before = seen.min(1) * fs::read_to_string(&log).unwrap_or_default().len();
        for (tool, arguments, _) in &calls()[..5] {
            let result = client.call(tool, arguments);
            assert_eq!(result["isError"], false, "{result}");
        }
        let after = fs::read_to_string(&log).unwrap_or_default();
        seen = after.len();
        after[before..].to_owned()
    };
    assert_eq!(children().matches("write-tree").count(), 1);
    assert_eq!(children(), "", "and no other child is needed, either");
    let mut looks = || children().matches("write-tree").count();
    assert_eq!(looks(), 0, "though four of the calls look at the work tree");
    write(&repo.path("src/lib.rs"), &code(1));
    assert!(looks() >= 1, "an edit is seen");
    sleep(SETTLED);
    assert!(looks() <= 1, "and looked at once more when it is settled");
    assert_eq!(looks(), 0);
    // A repository in the repository has a HEAD of its own, so git is asked each time.
    repo.git(&["init", "-q", "embedded"]).ok();
    sleep(SETTLED);
    assert_eq!((looks(), looks()), (4, 4));
}

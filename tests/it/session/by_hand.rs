//! A whole session by copy and paste: recorded answers, and their work in the work tree by `turn apply`.
//!
//! The repository is this project's own source, so the payload is of a real size; the answers are about a file of their own.

use std::path::Path;

use super::apply::files;
use crate::support::{Output, PROGRAM, Repo, Sandbox};

const GATE: &str = "src/gate.rs";

/// What the answers change.
const BEFORE: &str = "//! A gate.\n\n/// Opens it.\npub fn open() -> bool {\n    true\n}\n\n/// Shuts it.\npub fn shut() -> bool {\n    false\n}\n";

const PLAN: &str = "# Plan\n\n1. A lock in `src/gate.rs`.\n2. A page about it.\n";

/// The first work: an edit that fits, a file that is new.
const WORK: &str = "The work:\n\n## `src/gate.rs`\n\n```rust\n<<<<<<< EDIT\npub fn open() -> bool {\n    true\n}\n=======\npub fn open(key: u8) -> bool {\n    key == 7\n}\n>>>>>>> REPLACE\n```\n\n## `docs/gate.md` (new file)\n\n```markdown\n# The gate\n```\n";

const FAILED: &str = "The key is a secret of the code.\n\n```verdict\nverdict: fail\nissues:\n- src/gate.rs: the key stands in the code\n```\n";

/// The second work, which says everything anew from the files as they are.
const REVISION: &str = "```diff\n--- a/src/gate.rs\n+++ b/src/gate.rs\n@@ -1,7 +1,7 @@\n //! A gate.\n \n /// Opens it.\n-pub fn open(key: u8) -> bool {\n-    key == 7\n+pub fn open(key: u8, lock: u8) -> bool {\n+    key == lock\n }\n \n```\n";

const PASSED: &str = "Good.\n\n```verdict\nverdict: pass\n```\n";

/// Answers that must not become files: what they are, and what is said about them.
const REFUSED: [(&str, &str, [&str; 2]); 6] = [
    (
        "an edit of what is not there",
        "## `src/gate.rs`\n```\n<<<<<<< EDIT\npub fn ajar() {}\n=======\n>>>>>>> REPLACE\n```\n## `docs/new.md`\n```\nnew\n```\n",
        [
            "'src/gate.rs', edit 1 (line 3 of the answer): ",
            "its first line, 'pub fn ajar() {}', does not stand in the file",
        ],
    ),
    (
        "a hunk that does not fit, behind one that does",
        "```diff\n--- a/src/gate.rs\n+++ b/src/gate.rs\n@@ -1,2 +1,2 @@\n-//! A gate.\n+//! The gate.\n \n@@ -8,4 +8,4 @@\n /// Shuts it.\n-pub fn close() -> bool {\n+pub fn bar() -> bool {\n     false\n }\n```\n",
        [
            "'src/gate.rs', hunk 2 (line 8 of the answer): ",
            "line 9 of the file is 'pub fn shut() -> bool {', and not 'pub fn close() -> bool {'",
        ],
    ),
    (
        "a path that leads out",
        "## `src/gate.rs`\n```\nfn gate() {}\n```\n## `../gate.md`\n```\nout\n```\n",
        [
            "'../gate.md' (line 6 of the answer): ",
            "it is not a path within the repository",
        ],
    ),
    (
        "a path through a link",
        "## `linked/gate.md`\n```\nout\n```\n",
        [
            "'linked/gate.md' (line 2 of the answer): ",
            "'linked' is a symbolic link",
        ],
    ),
    (
        "a link",
        "## `src/gate.rs`\n```\nfn gate() {}\n```\n## `alias.rs`\n```\nfn alias() {}\n```\n",
        [
            "'alias.rs' (line 6 of the answer): ",
            "'alias.rs' is a symbolic link",
        ],
    ),
    (
        "half a diff",
        "```diff\n--- a/src/gate.rs\n+++ b/src/gate.rs\n@@ -1,7 +1,7 @@\n //! A gate.\n \n-/// Ope",
        [
            "'src/gate.rs', hunk 1 (line 4 of the answer): ",
            "the answer is cut",
        ],
    ),
];

/// This project's source, a gate, a link to it, and a link that leads out.
fn world(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("work");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let copied = repo
        .run("cp")
        .arg("-r")
        .arg(source)
        .arg(repo.path(""))
        .run();
    assert_eq!(copied.code, Some(0), "{copied}");
    std::fs::write(repo.path(GATE), BEFORE).expect("writable");
    let outside = sandbox.path("outside");
    std::fs::create_dir(&outside).expect("a folder");
    std::os::unix::fs::symlink(outside, repo.path("linked")).expect("a link");
    std::os::unix::fs::symlink(GATE, repo.path("alias.rs")).expect("a link");
    repo.commit("source");
    repo
}

fn respond(repo: &Repo<'_>, answer: &str) -> Output {
    repo.run(PROGRAM)
        .args(["turn", "respond", "-"])
        .input(answer)
        .run()
}

/// The prompt that a person would copy.
fn prompt(repo: &Repo<'_>) -> String {
    let file = repo.merkle(&["turn", "new"]).ok();
    std::fs::read_to_string(repo.path(file.trim())).expect("the prompt")
}

#[test]
fn plan_work_review_revision_and_review_by_copy_and_paste() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    repo.merkle(&["session", "new", "gate", "-c", GATE]).ok();
    repo.merkle(&["turn", "new", "-m", "A lock for the gate."])
        .ok();
    let first = repo.merkle(&["turn", "show"]).ok();
    assert!(
        first.len() > 20_000 && first.contains("pub fn shut()"),
        "{} bytes",
        first.len()
    );
    respond(&repo, PLAN).ok();
    repo.merkle(&["turn", "approve"]).ok();

    assert!(prompt(&repo).contains("1. A lock in `src/gate.rs`."));
    respond(&repo, WORK).ok();
    drop(repo.merkle(&["turn", "apply"]).exits(65));
    repo.merkle(&["turn", "approve"]).ok();
    let before = files(&repo);
    repo.merkle(&["turn", "apply", "--check"]).ok();
    assert_eq!(files(&repo), before, "'--check' writes nothing");
    repo.merkle(&["turn", "apply"]).ok();
    let gate = || std::fs::read_to_string(repo.path(GATE)).expect("a file");
    assert!(gate().contains("    key == 7\n"), "{}", gate());
    assert_eq!(
        std::fs::read_to_string(repo.path("docs/gate.md")).expect("a file"),
        "# The gate\n"
    );

    // The review sees the work, and sends it back.
    assert!(prompt(&repo).contains("key == 7"));
    assert!(respond(&repo, FAILED).exits(0).err().contains("revising"));
    assert!(prompt(&repo).contains("the key stands in the code"));
    respond(&repo, REVISION).ok();
    repo.merkle(&["turn", "approve"]).ok();
    repo.merkle(&["turn", "apply"]).ok();
    assert!(
        gate().contains("pub fn open(key: u8, lock: u8)") && gate().contains("pub fn shut()"),
        "{}",
        gate()
    );

    assert!(prompt(&repo).contains("key == lock"));
    respond(&repo, PASSED).ok();
    let listed = repo.merkle(&["session", "list"]).ok();
    assert_eq!(listed, "gate complete, 5 turns\n");
    repo.merkle(&["doctor"]).ok();
    repo.merkle(&["session", "rm", "gate"]).ok();
}

#[test]
fn answers_that_do_not_fit_change_nothing() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    repo.merkle(&["session", "new", "gate", "-c", GATE]).ok();
    repo.merkle(&["turn", "new", "-m", "A lock for the gate."])
        .ok();
    respond(&repo, PLAN).ok();
    repo.merkle(&["turn", "approve"]).ok();
    for (what, answer, said) in REFUSED {
        repo.merkle(&["turn", "new"]).ok();
        respond(&repo, answer).ok();
        repo.merkle(&["turn", "approve"]).ok();
        let before = files(&repo);
        for arguments in [&["turn", "apply", "--check"][..], &["turn", "apply"]] {
            let refused = repo.merkle(arguments).exits(65);
            for part in said.into_iter().chain(["nothing was written"]) {
                assert!(refused.err().contains(part), "{what}: {part}\n{refused}");
            }
        }
        assert_eq!(files(&repo), before, "{what}");
        assert!(
            !sandbox.path("gate.md").exists() && !sandbox.path("outside/gate.md").exists(),
            "{what}"
        );
        // Back to the same work: the next answer is a new one.
        repo.merkle(&["turn", "new", "--phase", "generating"]).ok();
        respond(&repo, "Once more.\n").ok();
        repo.merkle(&["turn", "reject", "-m", "It does not fit."])
            .ok();
    }
}

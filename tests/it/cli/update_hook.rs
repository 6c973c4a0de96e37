//! The hook for servers in `hooks/update.sh`, in a bare repository to which clones push.

use std::os::unix::fs::PermissionsExt;

use crate::support::Sandbox;

const HOOK: &str = include_str!("../../../hooks/update.sh");
const PUSH: [&str; 3] = ["push", "-q", "origin"];

/// It refuses what takes something away and what is no frame, and nothing else.
#[test]
fn a_server_takes_only_more_and_only_frames() {
    let sandbox = Sandbox::new();
    let server = sandbox.bare("server.git");
    let hook = server.path("hooks/update");
    std::fs::create_dir_all(server.path("hooks")).expect("a folder");
    std::fs::write(&hook, HOOK).expect("a hook");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let repo = sandbox.repo("work");
    repo.git(&[
        "remote",
        "add",
        "origin",
        &server.path(".").to_string_lossy(),
    ])
    .ok();
    repo.fill("commit first\n+ a.txt = one");
    let push = |spec: &str| repo.git(&[PUSH.as_slice(), &[spec]].concat());
    push("HEAD:refs/heads/main").ok();
    repo.merkle(&["note", "a.txt", "-m", "One."]).ok();
    repo.merkle(&["sync", "-q"]).ok();
    let first = server.id("refs/merkle/frames");
    repo.merkle(&["note", "a.txt", "-m", "Two."]).ok();
    repo.merkle(&["sync", "-q"]).ok();
    let second = server.id("refs/merkle/frames");
    assert_ne!(first, second, "more is taken");
    let refused = |spec: &str, why: &str| {
        let done = push(spec).exits(1);
        assert!(done.err().contains(why), "{done}");
        assert_eq!(server.id("refs/merkle/frames"), second);
    };
    refused(&format!("+{first}:refs/merkle/frames"), "only grows");
    refused(":refs/merkle/frames", "is not deleted");
    // A commit on top whose tree holds something else.
    std::fs::write(repo.path("bad.txt"), "no frame\n").expect("a file");
    let blob = repo.git(&["hash-object", "-w", "bad.txt"]).ok();
    let tree = server.id("refs/merkle/frames^{tree}");
    let listed = repo.git(&["ls-tree", &tree]).ok();
    let bad = repo.run("git").arg("mktree");
    let bad = bad
        .input(format!("{listed}100644 blob {}\tbad\n", blob.trim()))
        .run()
        .ok();
    let bad = repo
        .git(&["commit-tree", "-p", &second, "-m", "bad", bad.trim()])
        .ok();
    refused(
        &format!("{}:refs/merkle/frames", bad.trim()),
        "no good frame",
    );
    repo.fill("commit second\n+ a.txt = two");
    push("+HEAD:refs/heads/main").ok();
    push("HEAD~1:refs/heads/other").ok();
    push(":refs/heads/other").ok();
}

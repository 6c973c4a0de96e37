//! Commands that a server's hook runs before git has accepted a push.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::{PROGRAM, Sandbox};

/// Red before: the ref moved to objects that went with the refused push, and no push was accepted any more.
#[test]
fn a_hook_before_a_push_is_accepted_moves_no_ref() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ a.txt = a");
    let server = repo.clone_to("server.git", &["--bare"]);
    let hook = server.path("hooks/pre-receive");
    let script = format!(
        "#!/bin/sh\nwhile read old new name; do\n  '{PROGRAM}' regenerate --rev \"$new\"\n  '{PROGRAM}' note \"$new:a.txt\" -m n\ndone\nexit 1\n"
    );
    std::fs::create_dir_all(server.path("hooks")).expect("writable");
    std::fs::write(&hook, script).expect("writable");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("ours");
    repo.fill("commit second\n+ b.txt = b");
    let url = server.path("");
    let push = || repo.git(&["push", url.to_str().expect("UTF-8"), "HEAD:main"]);
    let refused = push().exits(1);
    let told = refused.err();
    assert_eq!(told.matches("in quarantine").count(), 2, "{told}");
    assert!(told.contains("hint: 'pre-receive'"), "{told}");
    assert_eq!(server.git(&["for-each-ref", "refs/merkle/"]).ok(), "");
    std::fs::remove_file(&hook).expect("ours");
    push().ok();
    server.merkle(&["regenerate"]).ok();
    server.assert_sound();
}

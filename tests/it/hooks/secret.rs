//! Secrets where nobody stands: the worker sends and stores markers in their places.

use std::fs;

use super::worker::{commit, install, set_up_docs, settle};
use crate::support::Sandbox;
use crate::support::loopback::Loopback;

/// Red before: markers stood in bodies, and the name of the file was sent three times and stored.
#[test]
fn the_worker_sends_and_stores_no_secret_of_a_name() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.config_global("merkle.hookQuiet", "50ms");
    install(&repo);
    let model =
        Loopback::answering(|request| format!("said of {} bytes", request.last_user().len()));
    set_up_docs(&sandbox, &repo, "local", &model);
    repo.config_global("merkle.hookBudget", "5");
    fs::write(repo.path("a.rs"), "pub fn a() {}\n").expect("writable");
    commit(&repo, "one");
    repo.merkle(&["regenerate", "--agent", "docs", "--yes"])
        .ok();
    let word = "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF";
    let token = ["ghp", "_", word].concat();
    repo.put(
        &format!("k-{token}.rs"),
        format!("pub const TOKEN: &str = \"x\\n{token}\";\n"),
    );
    fs::write(repo.path("a.rs"), "pub fn b() {}\n").expect("writable");
    commit(&repo, "two");
    settle(&repo);
    let sent: String = model
        .posts()
        .iter()
        .map(|post| post.body.to_string())
        .collect();
    assert!(sent.contains("k-[redacted: github-token].rs"), "{sent}");
    assert!(!sent.contains(word), "{sent}");
    for frame in repo.frames() {
        let bytes = repo
            .git(&["show", &format!("refs/merkle/frames:{frame}")])
            .ok();
        assert!(!bytes.contains(word), "{bytes}");
    }
}

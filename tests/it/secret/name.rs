//! Secrets in names: searched like bodies, everywhere, and before anything is written.
//!
//! Every test here was red before: a name went into requests, frames, outlines and `input.md` as it stands.

use super::{id_of, token};
use crate::generate::{Protocol, World, command};
use crate::support::{PROGRAM, Repo, Sandbox};

/// What must not be seen of the token.
fn word() -> String {
    token()[4..].to_owned()
}

fn file() -> String {
    format!("k-{}.txt", token())
}

const SHOWN: &str = "k-[redacted: github-token].txt";

/// A repository whose only secret is the name of a file in `src`.
fn fill(repo: &Repo<'_>) {
    std::fs::create_dir(repo.path("src")).expect("a folder");
    std::fs::write(repo.path("src").join(file()), "plain\n").expect("writable");
    std::fs::write(repo.path("README.md"), "# A\n").expect("writable");
    repo.commit("names");
}

fn wire(world: &World) -> String {
    world
        .server
        .posts()
        .iter()
        .map(|post| post.body.to_string())
        .collect()
}

#[test]
fn a_person_is_told_before_a_name_is_sent_or_stored() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.sandbox.repo("work");
    fill(&repo);
    let blob = repo.id(&format!("HEAD:src/{}", file()));
    for extra in [&[][..], &["src"]] {
        let stopped = command(&repo, &["regenerate", "--agent", "docs", "--yes"])
            .args(extra)
            .run()
            .exits(78);
        let expected = format!(
            "the name 'src/{SHOWN}' of {blob} holds what looks like a secret (github-token)"
        );
        assert!(
            stopped.err().contains(&expected) && stopped.err().contains("rename it"),
            "{stopped}"
        );
        assert!(!stopped.err().contains(&word()), "{stopped}");
    }
    assert_eq!(world.server.posts().len(), 0);
    let estimated = command(&repo, &["regenerate", "--agent", "docs", "--dry-run"]).run();
    assert_eq!(estimated.err().matches(SHOWN).count(), 1, "{estimated}");
    let stopped = command(&repo, &["regenerate", "--agent", "docs", "--yes"])
        .run()
        .exits(78);
    command(
        &repo,
        &[
            "regenerate",
            "--agent",
            "docs",
            "--yes",
            "--allow-secret",
            &id_of(&stopped),
        ],
    )
    .run()
    .ok();
    assert!(
        wire(&world).contains(&word()),
        "what the user allows is sent"
    );
}

#[test]
fn frames_and_outlines_have_markers_in_the_places_of_names() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    fill(&repo);
    repo.merkle(&["regenerate"]).ok();
    assert!(repo.merkle(&["get-head", "src"]).ok().contains(SHOWN));
    let path = format!("src/{}", file());
    let refused = repo.put_frame(&path, "a note\n").exits(78);
    assert!(
        refused.err().contains(SHOWN) && !refused.err().contains(&word()),
        "{refused}"
    );
    let note = repo
        .run(PROGRAM)
        .args(["put-frame", &path, "-", "--allow-secret", &id_of(&refused)])
        .input("a note\n")
        .run();
    note.ok();
    std::fs::remove_file(repo.path(".git/merkle/allowed-secrets")).expect("written");
    repo.merkle(&["synthesize", "src", "--agent", "human", "--type", "note"])
        .ok();
    repo.merkle(&["invalidate", ".", "--recursive"]).ok();
    repo.merkle(&["regenerate"]).ok();
    // The name itself stands in git's own trees and its index, and in nothing that this program wrote.
    for frame in repo.frames() {
        let bytes = repo
            .git(&["show", &format!("refs/merkle/frames:{frame}")])
            .ok();
        assert!(!bytes.contains(&word()), "{bytes}");
    }
    let found = repo
        .run("grep")
        .args(["-rlF", "--", &word(), ".git/merkle"])
        .run();
    assert_eq!(found.out(), "");
}

#[test]
fn documents_and_prompts_stop_at_names_or_show_markers() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    fill(&repo);
    for arguments in [
        &["context", "README.md"][..],
        &["context", "**", "--section", "2"],
        &["context", "src/", "--section", "4"],
    ] {
        let refused = repo.merkle(arguments).exits(78);
        assert!(
            refused.err().contains(&format!("'src/{SHOWN}'")) && !refused.err().contains(&word()),
            "{refused}"
        );
        assert_eq!(refused.out(), "");
        let shown = repo.merkle(&[arguments, &["--redact"]].concat()).ok();
        assert!(!shown.contains(&word()), "{shown}");
        assert_eq!(shown.contains(SHOWN), arguments[1] != "src/", "{shown}");
    }
    drop(
        repo.merkle(&["prompt", "-m", "Do it.", "--file", "README.md"])
            .exits(78),
    );
    let map = repo.merkle(&["map"]).ok();
    assert!(!map.contains(&word()), "{map}");
    let refused = repo.merkle(&["context", "README.md"]).exits(78);
    let allowed = repo
        .merkle(&["context", "README.md", "--allow-secret", &id_of(&refused)])
        .ok();
    assert!(allowed.contains(&word()));
}

#[test]
fn a_link_that_points_to_a_secret_and_a_directory_named_like_one_are_found() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    std::os::unix::fs::symlink(file(), repo.path("link")).expect("a link");
    std::fs::write(repo.path("a"), "x").expect("writable");
    repo.commit("link");
    drop(repo.merkle(&["context", "link"]).exits(78));
    let shown = repo.merkle(&["context", "link", "--redact"]).ok();
    assert!(shown.contains(SHOWN) && !shown.contains(&word()), "{shown}");
    let other = sandbox.repo("other");
    std::fs::create_dir(other.path(&token())).expect("a folder");
    std::fs::write(other.path(&token()).join("x"), "x").expect("writable");
    other.commit("folder");
    drop(other.merkle(&["context", "**"]).exits(78));
    let shown = other.merkle(&["context", "**", "--redact"]).ok();
    assert!(
        shown.contains("[redacted: github-token]/x") && !shown.contains(&word()),
        "{shown}"
    );
}

#[test]
fn a_turn_leaves_no_file_with_a_name_behind() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    fill(&repo);
    repo.merkle(&["session", "new", "s"]).ok();
    for arguments in [
        &["turn", "new", "-m", "Do it."][..],
        &["turn", "new", "-m", &token()],
        &["turn", "new", "-m", "x", "--add", &file()],
    ] {
        let refused = repo.merkle(arguments).exits(78);
        assert!(!refused.err().contains(&word()), "{refused}");
    }
    let found = repo
        .run("grep")
        .args(["-rlF", "--", &word(), ".teddy", ".git/merkle"])
        .run();
    assert_eq!(found.out(), "", "a file holds it");
    assert!(!repo.path(".teddy/sessions/s/01/input.md").exists());
}

//! `prompt` for a session or a request, and `tiers`: the array as programs and people get it.

use super::{SAMPLE, told};
use crate::support::{Repo, Sandbox};

fn ready(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(SAMPLE);
    std::fs::create_dir_all(repo.path(".teddy")).expect("writable");
    std::fs::write(repo.path(".teddy/system.md"), "You help.\n").expect("writable");
    std::fs::write(repo.path(".teddy/system_extra.md"), "Be brief.\n").expect("writable");
    repo.merkle(&["trust", "--show"]).ok();
    repo
}

/// `prompt` in a repository whose system prompt is trusted.
fn prompt(repo: &Repo<'_>, arguments: &[&str]) -> crate::support::Output {
    let shown = repo.merkle(&["trust", "--show", "--json"]).json("trust");
    let digest = shown["digest"].as_str().expect("a digest").to_owned();
    repo.run("git-merkle")
        .args(["prompt", "--trust", &digest])
        .args(arguments)
        .run()
}

#[test]
fn a_request_without_a_session() {
    let sandbox = Sandbox::new();
    let repo = ready(&sandbox);
    insta::assert_snapshot!(told(&prompt(&repo, &["-m", "Add a lock.", "--file", "src/deep/mod.rs"])), @"
    [system]

    You help.

    Be brief.

    # Repository Structure

    Below is a map of the repository showing classes, functions, and their relationships.
    Use this to understand the codebase structure and find relevant code.

    c class/struct/enum/trait/module, m method, f function, af/am async, v variable/constant, p property/field, i import, i→ local import
    (params), ->T result, ? optional, ←N files that refer to it, → refers to in other files, +N more

    [user]

    # Repository Structure (continued)

    src/lib.rs
      f add(a,b)->u8

    [assistant]

    Ok.

    [user]

    # Repository Structure (continued)

    README.md
      # Sample

    [assistant]

    Ok.

    [user]

    # Repository Files

    Complete list of files in the repository:

    # File Tree (5 files)

    .teddy/system.md
    .teddy/system_extra.md
    README.md
    src/deep/mod.rs
    src/lib.rs

    [assistant]

    Ok.

    [user]

    # Working Files

    Here are the files:

    src/deep/mod.rs
    ```
    /// Deep down.
    pub struct Deep;
    ```

    [assistant]

    Ok.

    [user]

    Add a lock.
    --- stderr
    estimate: about 253 input tokens in 10 messages, 0 marks; about 0 from a cache that holds the last request; nothing was sent
    --- exit 0
    ");
}

#[test]
fn a_session_brings_its_lists_and_what_was_said() {
    let sandbox = Sandbox::new();
    let repo = ready(&sandbox);
    repo.merkle(&["session", "new", "login", "-c", "README.md"])
        .ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input("THE PLAN\n")
        .run()
        .ok();
    repo.merkle(&["turn", "approve"]).ok();
    let body: serde_json::Value =
        serde_json::from_str(&prompt(&repo, &["--session", "login", "--format", "anthropic"]).ok())
            .expect("JSON");
    let messages = body["messages"].as_array().expect("messages");
    let said: Vec<&str> = messages
        .iter()
        .filter_map(|message| message["content"].as_str())
        .collect();
    assert!(
        said.iter()
            .any(|text| text.contains("# Working Files\n\nHere are the files:\n\nREADME.md\n```")),
        "{said:#?}"
    );
    assert_eq!(
        said.iter()
            .filter(|text| text.contains("THE PLAN\n"))
            .count(),
        1
    );
    assert!(said.last().is_some_and(|text| {
        text.starts_with("Carry out the request below.\n\n### Request\n\nFree the lock.")
    }));
    assert!(
        body["system"]
            .as_str()
            .expect("a text")
            .starts_with("You help.\n\nBe brief."),
        "{body}"
    );
    let openai: serde_json::Value =
        serde_json::from_str(&prompt(&repo, &["--session", "login", "--format", "openai"]).ok())
            .expect("JSON");
    // What stands where differs with the cache of each protocol; what is asked does not.
    let (first, last) = (
        &openai["messages"][0],
        openai["messages"]
            .as_array()
            .and_then(|messages| messages.last()),
    );
    assert_eq!(
        (&first["role"], &first["content"]),
        (&"system".into(), &body["system"])
    );
    assert_eq!(last, messages.last());
}

#[test]
fn two_machines_send_the_same_bytes_and_looking_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = ready(&sandbox);
    repo.commit("prompts");
    let arguments = [
        "-m",
        "Add a lock.",
        "--file",
        "src/**",
        "--format",
        "openai",
    ];
    let first = prompt(&repo, &arguments).ok();
    assert_eq!(prompt(&repo, &arguments).ok(), first);
    let other = repo.clone_to("other", &[]);
    assert_eq!(prompt(&other, &arguments).ok(), first);
    assert!(!repo.path(".git/merkle/tiers").exists());
}

#[test]
fn what_is_sent_is_remembered_and_damage_is_said() {
    let sandbox = Sandbox::new();
    let repo = ready(&sandbox);
    let tiers = |arguments: &[&str]| {
        repo.run("git-merkle")
            .args(["tiers", "-m", "x", "--json"])
            .args(arguments)
            .run()
            .exits(0)
    };
    let requests = || tiers(&[]).json("tiers")["requests"].clone();
    assert_eq!(requests(), 0);
    for sent in 1..=3 {
        repo.merkle(&["prompt", "-m", "x", "--sent"]).ok();
        assert_eq!(requests(), sent);
    }
    let read = tiers(&[]).json("tiers")["predicted"]["read"]
        .as_u64()
        .expect("tokens");
    assert!(
        read > 0,
        "what has not changed would be read from the cache"
    );
    std::fs::write(repo.path(".git/merkle/tiers/-"), "damage").expect("writable");
    let damaged = tiers(&[]);
    assert_eq!(damaged.json("tiers")["requests"], 0);
    assert!(
        repo.merkle(&["tiers", "-m", "x"])
            .err()
            .contains("were damaged and are built anew")
    );
    for policy in ["counter", "expected-cost"] {
        assert!(
            !tiers(&["--policy", policy]).json("tiers")["items"]
                .as_array()
                .expect("items")
                .is_empty()
        );
    }
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let sandbox = Sandbox::new();
    let repo = ready(&sandbox);
    std::fs::write(repo.path("note.txt"), "text").expect("writable");
    std::fs::write(repo.path("dot.gif"), b"GIF89a").expect("writable");
    for (arguments, code, reason) in [
        (
            &["-m", "x", "--image", "note.txt"][..],
            65,
            "not an image in PNG, JPEG, GIF or WebP",
        ),
        (
            &["-m", "x", "--image", "nowhere.png"],
            74,
            "cannot read 'nowhere.png'",
        ),
        (&[], 129, "nothing was said about what is wanted"),
        (
            &["-m", "x", "--session", "nobody"],
            65,
            "there is no session 'nobody'",
        ),
        (&["-m", "x", "--node", "src"], 129, "cannot be used"),
    ] {
        let output = repo
            .run("git-merkle")
            .arg("prompt")
            .args(arguments)
            .run()
            .exits(code);
        assert!(output.err().contains(reason), "{output}");
    }
    // Before, all of it was read, however large it was: a device has no end.
    let large = std::fs::File::create(repo.path("large.png")).expect("writable");
    large.set_len(1 << 43).expect("a file with a hole");
    let output = repo
        .merkle(&["prompt", "-m", "x", "--image", "large.png"])
        .exits(65);
    assert!(
        output
            .err()
            .contains("'large.png' is over the limit of 5242880 bytes"),
        "{output}"
    );
    std::fs::remove_file(repo.path("large.png")).expect("removable");
    let shown = repo
        .merkle(&[
            "prompt", "-m", "x", "--image", "dot.gif", "--format", "openai",
        ])
        .ok();
    assert!(shown.contains("data:image/gif;base64,R0lGODlh"), "{shown}");
}

//! `get-node`: what the view shows of real nodes, in text and JSON, and what it says when there is nothing.

use crate::said::{outline, say};
use crate::support::{Repo, Sandbox};

const HISTORY: &str = "
    commit first
    + src/lib.rs = fn a() {}
    + src/b.rs = fn b() {}
    + README.md = words
    @ link -> src/lib.rs
";

fn filled(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(HISTORY);
    say(&repo, "HEAD:src/lib.rs", "docs.summary", "What a is for.\n");
    say(
        &repo,
        "HEAD:src/lib.rs",
        "docs.summary",
        "What a is really for.\n\nA story about storage.\n",
    );
    say(&repo, "HEAD:src/lib.rs", "human.note", "Beware.\n");
    say(&repo, "HEAD:src/b.rs", "docs.summary", "What b is for.\n");
    say(&repo, "HEAD:src", "docs.summary", "All sources.\n");
    repo
}

/// `source agent.type seq state` of each frame in a JSON answer.
fn frames(repo: &Repo<'_>, arguments: &[&str]) -> Vec<String> {
    let answer = repo
        .merkle(&[&["get-node", "--json"], arguments].concat())
        .ok();
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["schema"], "git-merkle/get-node/1");
    let word =
        |frame: &serde_json::Value, key: &str| frame[key].as_str().expect("a word").to_owned();
    let line = |frame: &serde_json::Value| {
        let [source, agent, kind, state] =
            ["source", "agent", "type", "state"].map(|key| word(frame, key));
        format!("{source} {agent}.{kind} {} {state}", frame["seq"])
    };
    answer["frames"]
        .as_array()
        .expect("a list")
        .iter()
        .map(line)
        .collect()
}

#[test]
fn every_frame_of_the_node_is_a_candidate_and_the_view_chooses() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let newest = ["node docs.summary 2 fresh"];
    assert_eq!(frames(&repo, &["src/lib.rs", "--max-frames", "1"]), newest);
    assert_eq!(
        frames(
            &repo,
            &["src/lib.rs", "--type", "summary", "--state", "fresh"]
        ),
        newest
    );
    assert_eq!(frames(&repo, &["src/lib.rs"]).len(), 3);
    assert_eq!(
        frames(&repo, &["src/lib.rs", "--order", "type=note,summary"])[0],
        "node human.note 1 fresh"
    );
    assert_eq!(
        frames(&repo, &["src/lib.rs", "--query", "beware"])[0],
        "node human.note 1 fresh"
    );
    assert_eq!(
        frames(&repo, &["src/lib.rs", "--basis-kind", "synthesis"]),
        [] as [&str; 0]
    );
    assert_eq!(
        frames(&repo, &["src/lib.rs", "--max-age", "1d"]),
        [] as [&str; 0]
    );
    let around = frames(
        &repo,
        &[
            "src/lib.rs",
            "--agent=docs",
            "--state=fresh",
            "--with=parent,siblings",
            "--order=relevance",
        ],
    );
    assert_eq!(
        around,
        [
            "node docs.summary 2 fresh",
            "parent docs.summary 1 fresh",
            "siblings docs.summary 1 fresh"
        ]
    );
    assert_eq!(
        frames(&repo, &["README.md", "--with", "related=src"]),
        ["related docs.summary 1 fresh"]
    );
}

#[test]
fn what_is_taken_back_says_so() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    say(&repo, "HEAD:src/b.rs", "docs.summary", "");
    assert_eq!(
        frames(&repo, &["src/b.rs"]),
        ["node docs.summary 1 invalidated"]
    );
    assert_eq!(
        frames(&repo, &["src/b.rs", "--basis-kind", "invalidation"]),
        ["node docs.summary 2 superseded"]
    );
}

#[test]
fn text_has_a_record_and_headers_or_is_one_text() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let text = repo
        .merkle(&[
            "get-node",
            "src/lib.rs",
            "--state=fresh",
            "--order=agent=human",
        ])
        .ok();
    let id = repo.id("HEAD:src/lib.rs");
    assert!(
        text.starts_with(&format!(
            "file {id} src/lib.rs, 10 bytes\n2 of 2 frames that match; the node itself has 3\n"
        )),
        "{text}"
    );
    assert!(
        text.contains("\n--- human.note 1 (fresh) src/lib.rs "),
        "{text}"
    );
    let combined = repo.merkle(&[
        "get-node",
        "src/lib.rs",
        "--state=fresh",
        "--order=agent=human",
        "--combine",
        "--separator",
        "==\n",
    ]);
    assert_eq!(
        combined.ok(),
        "Beware.\n==\nWhat a is really for.\n\nA story about storage.\n"
    );
    let cut = repo
        .merkle(&[
            "get-node",
            "src/lib.rs",
            "--agent=docs",
            "--max-frames=1",
            "--combine",
            "--budget=10",
        ])
        .ok();
    assert_eq!(cut, "What a is really for.\n");
}

#[test]
fn nodes_are_named_in_every_way_that_git_knows() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let id = repo.id("HEAD:src/lib.rs");
    for name in ["HEAD:src/lib.rs", "./src/../src/lib.rs", &id, &id[..10]] {
        assert_eq!(
            frames(&repo, &[name, "--max-frames=1"]),
            ["node docs.summary 2 fresh"],
            "{name}"
        );
    }
    assert_eq!(frames(&repo, &["src"]), ["node docs.summary 1 fresh"]);
    assert_eq!(frames(&repo, &["."]), [] as [&str; 0]);
    for (name, message, code) in [
        (
            "nope",
            "error: 'nope' is neither a path in the snapshot nor a revision\nhint: ",
            128,
        ),
        (
            "HEAD:nope",
            "error: path 'nope' does not exist in 'HEAD'\nhint: ",
            128,
        ),
        ("nope:src", "error: unknown revision 'nope'\n", 128),
        (
            "link",
            "error: 'link' is a symlink or submodule; only files and directories have frames\n",
            65,
        ),
        (
            "../../x",
            "error: '../../x' is outside the repository\n",
            65,
        ),
    ] {
        let output = repo.merkle(&["get-node", name]).exits(code);
        assert!(
            output.err().starts_with(message) && output.stdout.is_empty(),
            "{output}"
        );
    }
    assert!(
        repo.merkle(&["get-node", "src", "--order", "odd"])
            .exits(129)
            .err()
            .contains("unknown order 'odd'")
    );
    let before = repo.id("refs/merkle/frames");
    repo.merkle(&["get-node", "src", "--with=siblings"]).ok();
    assert_eq!(repo.id("refs/merkle/frames"), before);
}

#[test]
fn outlines_are_fresh_until_what_they_rest_on_says_something_else() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.fill("commit rules\n+ src/.teddyignore = *.log\n+ src/x.log = x");
    outline(&repo, "HEAD^{tree}");
    for node in ["src/lib.rs", "src", "."] {
        assert!(
            frames(&repo, &[node])
                .iter()
                .all(|line| line.ends_with(" fresh")),
            "{node}: {:?}",
            frames(&repo, &[node])
        );
    }
    say(
        &repo,
        "HEAD:src/lib.rs",
        "outline.outline",
        "Something else.\n",
    );
    assert_eq!(frames(&repo, &["src", "--state=outdated"]).len(), 1);
    assert_eq!(frames(&repo, &[".", "--state=fresh"]).len(), 1);
}

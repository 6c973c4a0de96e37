//! `put-frame`.

use super::{FRAME_FIELDS, assert_fields, note, sample, told};
use crate::support::{Output, PROGRAM, Repo, Sandbox};

fn put(repo: &Repo<'_>, options: &[&str], text: &[u8]) -> Output {
    repo.run(PROGRAM)
        .args(["put-frame"])
        .args(options)
        .input(text)
        .run()
}

#[test]
fn a_statement_is_stored_once_and_read_back() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    std::fs::create_dir(repo.path("notes")).unwrap();
    std::fs::write(repo.path("notes/a.md"), "From a file.\n").unwrap();
    let from_file = repo.merkle(&["put-frame", "src", "notes/a.md"]).ok();
    let frames = repo.frames().len();
    let commit = repo.id("refs/merkle/frames");
    assert_eq!(
        note(&repo, "src", "From a file.\n"),
        from_file.trim(),
        "the same words are the same frame"
    );
    assert_eq!(
        (repo.frames().len(), repo.id("refs/merkle/frames")),
        (frames, commit),
        "and stored once"
    );
    assert_eq!(
        repo.merkle(&["get-head", "--agent", "human", "src"]).ok(),
        "From a file.\n"
    );
    assert_eq!(
        repo.run(PROGRAM)
            .args(["-C", "notes", "put-frame", "../src", "a.md"])
            .run()
            .ok(),
        from_file
    );
    let document = put(
        &repo,
        &["--json", "src", "-", "--type", "review"],
        b"In JSON.",
    )
    .exits(0)
    .json("put-frame");
    assert_fields(&document, &format!("schema {FRAME_FIELDS}"));
    let word = |key: &str| document[key].as_str().unwrap().to_owned();
    assert_eq!(
        (word("agent"), word("type"), word("path")),
        ("human".into(), "review".into(), "src".into())
    );
    assert_eq!(
        (word("state"), word("content")),
        ("fresh".into(), "In JSON.".into())
    );
    // Said again after it was declared void, or after other words, it counts again; the document has its generation.
    repo.merkle(&["invalidate", "src", "--agent", "human"]).ok();
    let seq = |text: &[u8]| {
        put(&repo, &["--json", "src", "-", "--type", "review"], text)
            .exits(0)
            .json("put-frame")["seq"]
            .clone()
    };
    assert_eq!(
        (seq(b"In JSON."), seq(b"Other."), seq(b"In JSON.")),
        (3.into(), 4.into(), 5.into())
    );
    assert_eq!(
        seq(b"In JSON."),
        5,
        "said twice in a row, it is the one that is there"
    );
    repo.assert_sound();
}

#[test]
fn who_may_not_speak_is_refused_and_nothing_is_stored() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let agents = repo.path(".teddy/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(
        agents.join("critic.toml"),
        "id = 'critic'\nrole = 'reader'\n",
    )
    .unwrap();
    std::fs::write(
        agents.join("gather.toml"),
        "id = 'gather'\nrole = 'synthesis'\n",
    )
    .unwrap();
    std::fs::write(agents.join("docs.toml"), "id = 'docs'\nrole = 'writer'\n").unwrap();
    std::fs::write(
        agents.join("off.toml"),
        "id = 'off'\nrole = 'writer'\ndisabled = true\n",
    )
    .unwrap();
    std::fs::write(agents.join("typo.toml"), "id = 'typo'\nrole = 'writter'\n").unwrap();
    let commit = repo.id("refs/merkle/frames");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-", "--agent", "nobody"], b"x")), @"
    --- stderr
    error: unknown agent 'nobody'
    hint: 'git merkle agent list' lists those there are
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-", "--agent", "critic"], b"x")), @"
    --- stderr
    error: agent 'critic' is a reader and cannot write frames
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src/lib.rs", "-", "--agent", "gather"], b"x")), @"
    --- stderr
    error: agent 'gather' writes frames of directories only
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-", "--agent", "outline"], b"x")), @"
    --- stderr
    error: frames of the built-in agent 'outline' are made, not written
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-", "--agent", "off"], b"x")), @"
    --- stderr
    error: agent 'off' is disabled
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-", "--agent", "typo"], b"x")), @"
    --- stderr
    error: the definition of agent 'typo' has faults
    hint: 'git merkle agent validate typo' names them
    --- exit 65
    ");
    assert_eq!(repo.id("refs/merkle/frames"), commit);
    assert!(!repo.path(".git/merkle/spool").exists(), "nor does it wait");
    put(&repo, &["src", "-", "--agent", "docs"], b"x").ok();
    assert!(
        repo.merkle(&["list-frames", "src"])
            .ok()
            .contains("docs/summary 1 written"),
        "of the agent's own type"
    );
}

#[test]
fn text_that_cannot_be_a_frame_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let commit = repo.id("refs/merkle/frames");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-"], b" \n\t")), @"
    --- stderr
    error: 'standard input' is empty
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-"], b"caf\xe9")), @"
    --- stderr
    error: 'standard input' is not UTF-8
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-"], &vec![b'x'; 256 * 1024 + 1])), @"
    --- stderr
    error: 'standard input' is over the limit of 262144 bytes
    --- exit 65
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["put-frame", "src", "no-such-file"])), @"
    --- stderr
    error: cannot read 'no-such-file': No such file or directory
    --- exit 74
    ");
    insta::assert_snapshot!(told(&put(&repo, &["nope", "-"], b"x")), @"
    --- stderr
    error: 'nope' is neither a path in the snapshot nor a revision
    hint: 'git ls-tree -r --name-only HEAD' lists what is there
    --- exit 128
    ");
    insta::assert_snapshot!(told(&put(&repo, &["link", "-"], b"x")), @"
    --- stderr
    error: 'link' is a symlink or submodule; only files and directories have frames
    --- exit 65
    ");
    insta::assert_snapshot!(told(&put(&repo, &["src", "-", "--type", "Not A Word"], b"x")), @"
    --- stderr
    error: invalid value 'Not A Word' for '--type <type>': 'Not A Word' is not a word of 1 to 32 lower-case letters, digits and dashes
    hint: see 'git merkle put-frame -h'
    --- exit 129
    ");
    assert_eq!(repo.id("refs/merkle/frames"), commit);
    let largest = vec![b'x'; 256 * 1024];
    put(&repo, &["src", "-"], &largest).ok();
    assert_eq!(
        repo.merkle(&["get-head", "--agent", "human", "src"])
            .exits(0)
            .stdout,
        largest
    );
}

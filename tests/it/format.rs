//! The format's contract: one whole frame of each kind, their names in the store's tree, and that git reads them.

use git_merkle::frame::{FrameName, decode, encode};

use crate::support::{Repo, Sandbox};

/// A file, a directory and a note, in this order.
const HISTORY: &str = "
    commit first
    + src/lib.rs
      | //! A crate that adds.
      |
      | /// Adds two numbers.
      | pub fn add(a: u8, b: u8) -> u8 {
      |     a + b
      | }
";

fn filled(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(HISTORY);
    repo.merkle(&["regenerate"]).ok();
    repo.put_frame("src/lib.rs", "Keep it **small**.\n").ok();
    repo
}

/// What stands in the store for a node and an agent.
fn blob(repo: &Repo<'_>, revision: &str, agent: &str) -> (String, String) {
    let id = repo.id(revision);
    let prefix = format!("{}/{}.{agent}.", &id[..2], &id[2..]);
    let name = repo
        .frames()
        .into_iter()
        .find(|name| name.starts_with(&prefix))
        .expect("a frame of this node");
    let text = repo
        .git(&["show", &format!("refs/merkle/frames:{name}")])
        .ok();
    (name, text)
}

#[test]
fn the_bytes_of_a_file_s_frame() {
    let sandbox = Sandbox::new();
    let (name, text) = blob(&filled(&sandbox), "HEAD:src/lib.rs", "outline");
    insta::assert_snapshot!(name, @r"8c/6064edeea6a863d78c19a67f64b4012f2317f5.outline.outline.00000001.3de769865dd174dffecf8905ce97e6ccb379259b7775a3987bfdc93990e91de3");
    insta::assert_snapshot!(text, @r#"
    ---
    format: git-merkle/frame/1
    frame: 3de769865dd174dffecf8905ce97e6ccb379259b7775a3987bfdc93990e91de3
    node: 8c6064edeea6a863d78c19a67f64b4012f2317f5
    kind: file
    agent: outline
    type: outline
    seq: 1
    basis: 2b3448a30626e4418c26d30e8b1dadfaa3ba3a851e3a9793b62d4077977a6d91
    basis-kind: generated
    path: "src/lib.rs"
    tool: git-merkle 0.1.0
    ---

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    "#);
}

#[test]
fn the_bytes_of_a_directory_s_frame() {
    let sandbox = Sandbox::new();
    let (name, text) = blob(&filled(&sandbox), "HEAD:src", "outline");
    insta::assert_snapshot!(name, @r"f7/abf712ce08fe1aa1e2985eb5a4efc6fabfe254.outline.outline.00000001.4204fdece83d1e5e540432ba1e44efb7b27a03119c464673094d15af1165c2b5");
    insta::assert_snapshot!(text, @r#"
    ---
    format: git-merkle/frame/1
    frame: 4204fdece83d1e5e540432ba1e44efb7b27a03119c464673094d15af1165c2b5
    node: f7abf712ce08fe1aa1e2985eb5a4efc6fabfe254
    kind: directory
    agent: outline
    type: outline
    seq: 1
    basis: 63c9d86095671130eb7070f10163e438143f37c966d78185c323d8aedc4cee9b
    basis-kind: synthesis
    path: "src"
    children: [3de769865dd174dffecf8905ce97e6ccb379259b7775a3987bfdc93990e91de3]
    tool: git-merkle 0.1.0
    ---

    A crate that adds.

    Directory of 1 file: Rust 1.

    - `lib.rs` — A crate that adds.
    "#);
}

#[test]
fn the_bytes_of_a_note_and_of_an_invalidation() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let (name, text) = blob(&repo, "HEAD:src/lib.rs", "human");
    insta::assert_snapshot!(name, @"8c/6064edeea6a863d78c19a67f64b4012f2317f5.human.note.00000001.61adda6e36545e158ca378ebe014c7bfc97c2659e77312bbc563488712eed3d7");
    // The clock of the sandbox decides `created`, which is no part of any id.
    insta::assert_snapshot!(text, @r#"
    ---
    format: git-merkle/frame/1
    frame: 61adda6e36545e158ca378ebe014c7bfc97c2659e77312bbc563488712eed3d7
    node: 8c6064edeea6a863d78c19a67f64b4012f2317f5
    kind: file
    agent: human
    type: note
    seq: 1
    basis: ae9b4b656aec9e054aad4868bb85135463c0eca0ed5525a5ff12c7c2414f6cf4
    basis-kind: written
    path: "src/lib.rs"
    created: 2027-01-15T08:00:04Z
    tool: git-merkle 0.1.0
    author: "Test User <user@example.org>"
    ---

    Keep it **small**.
    "#);
    repo.merkle(&["invalidate", "src"]).ok();
    let id = repo.id("HEAD:src");
    let name = repo
        .frames()
        .into_iter()
        .find(|name| name.contains(&id[4..]) && name.contains(".00000002."))
        .expect("invalidated");
    let text = repo
        .git(&["show", &format!("refs/merkle/frames:{name}")])
        .ok();
    insta::assert_snapshot!(name, @"f7/abf712ce08fe1aa1e2985eb5a4efc6fabfe254.outline.outline.00000002.0cd47c02191acbea87b59c18ec172bae2cfaae89596a294610e07334103410aa");
    insta::assert_snapshot!(text, @r#"
    ---
    format: git-merkle/frame/1
    frame: 0cd47c02191acbea87b59c18ec172bae2cfaae89596a294610e07334103410aa
    node: f7abf712ce08fe1aa1e2985eb5a4efc6fabfe254
    kind: directory
    agent: outline
    type: outline
    seq: 2
    basis: 3bd6ff6e1c34f0e90c879e38cec84fef3c85948a493f1e19be27958355984dea
    basis-kind: invalidation
    path: "src"
    created: 2027-01-15T08:00:09Z
    tool: git-merkle 0.1.0
    ---
    "#);
}

#[test]
fn every_frame_that_is_written_is_canonical_and_git_shows_what_the_program_says() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    repo.fill("commit odd names\n+ \"odd \\\"name\\\"\\t\\u00e4\" = x\n+ \"--- \" = y\n+ src/lib.rs = pub fn other() {}");
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["synthesize", "."]).ok();
    repo.merkle(&["invalidate", "--recursive", "."]).ok();
    repo.merkle(&["regenerate"]).ok();
    let names = repo.frames();
    assert!(names.len() > 20, "{names:#?}");
    for name in &names {
        let bytes = repo
            .git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")])
            .exits(0)
            .stdout;
        let frame = decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(encode(&frame).as_ref(), Ok(&bytes), "{name}");
        let parsed = FrameName::parse_path(name.as_bytes()).expect("a name of the store");
        assert_eq!(
            (parsed.path(), parsed.frame, parsed.seq),
            (name.clone(), frame.id, frame.seq)
        );
    }
    for revision in ["HEAD:src/lib.rs", "HEAD:src", "HEAD:", "HEAD~1:src/lib.rs"] {
        let listed = repo
            .merkle(&["list-frames", "--json", revision])
            .exits(0)
            .json("list-frames");
        let id = repo.id(revision);
        let mut seen = Vec::new();
        for frame in listed["frames"].as_array().unwrap() {
            let word = |key: &str| frame[key].as_str().unwrap().to_owned();
            let leaf = format!(
                "{}.{}.{}.{:08}.{}",
                &id[2..],
                word("agent"),
                word("type"),
                frame["seq"].as_u64().unwrap(),
                word("frame")
            );
            let name = format!("{}/{leaf}", &id[..2]);
            let shown = repo
                .git(&["show", &format!("refs/merkle/frames:{name}")])
                .ok();
            let (header, body) = shown.split_once("\n---\n\n").expect("a header and a body");
            assert_eq!(body, word("content"));
            assert!(
                header.contains(&format!("\nbasis: {}\n", word("basis"))),
                "{header}"
            );
            seen.push(name);
        }
        let in_store: Vec<String> = names
            .iter()
            .filter(|name| name[3..].starts_with(&id[2..]) && name[..2] == id[..2])
            .cloned()
            .collect();
        assert_eq!(seen, in_store, "{revision}: in git's order");
        let head = repo
            .merkle(&[
                "get-head", "--agent", "outline", "--type", "outline", revision,
            ])
            .ok();
        let newest = in_store
            .iter()
            .rfind(|name| name.contains(".outline.outline."))
            .expect("an outline");
        assert!(
            repo.git(&["show", &format!("refs/merkle/frames:{newest}")])
                .ok()
                .ends_with(&format!("\n---\n\n{head}"))
        );
    }
    repo.assert_sound();
}

/// Stores as released versions wrote them, kept for ever: `git fast-export --all` of a repository with frames of files,
/// directories and the root, several notes of one node, an invalidation and a synthesis.
const STORES: [(&str, &str, usize); 1] =
    [("0.1", include_str!("format/store-0.1.fast-export"), 13)];

#[test]
fn stores_of_every_release_are_read() {
    for (version, stream, count) in STORES {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("work");
        repo.run("git")
            .args(["fast-import", "--quiet", "--force"])
            .input(stream)
            .run()
            .ok();
        repo.git(&["reset", "--quiet", "--hard", "main"]).ok();
        assert_eq!(repo.frames().len(), count, "{version}");
        for name in repo.frames() {
            let text = repo
                .git(&["show", &format!("refs/merkle/frames:{name}")])
                .ok();
            let frame = decode(text.as_bytes()).expect("a frame of an older version");
            assert_eq!(
                encode(&frame).expect("canonical"),
                text.as_bytes(),
                "{version}: {name}"
            );
            assert!(
                FrameName::parse_path(name.as_bytes()).is_some(),
                "{version}: {name}"
            );
        }
        let checked = repo.merkle(&["validate"]).exits(0).err();
        assert!(
            checked.contains(&format!("{count} frames checked, 0 faults")),
            "{checked}"
        );
        let log = repo.merkle(&["log", "src/lib.rs"]).ok();
        for said in [
            "Keep it **small**.",
            "Second thought: \u{e9}\u{2026} \"quoted\": yes",
            "Last word.",
        ] {
            assert!(log.contains(said), "{version}: {said} in {log}");
        }
        let shown = repo.merkle(&["show", "src", "--json"]).exits(0);
        assert!(shown.out().contains("add"), "{version}: {shown}");
    }
}

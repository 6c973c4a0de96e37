//! `validate`.

use super::{assert_fields, note, sample, told};
use crate::support::{Repo, Sandbox};

/// Puts something at a path of the store's tree, as a stray hand would.
fn plant(repo: &Repo<'_>, path: &str, content: &[u8]) {
    let blob = repo
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input(content)
        .run()
        .ok();
    let index = repo.path(".git/planted");
    let git = |arguments: &[&str]| {
        repo.run("git")
            .env("GIT_INDEX_FILE", &index)
            .args(arguments)
            .run()
            .ok()
    };
    git(&["read-tree", "refs/merkle/frames"]);
    git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{},{path}", blob.trim()),
    ]);
    let tree = git(&["write-tree"]);
    let commit = git(&[
        "commit-tree",
        "-p",
        "refs/merkle/frames",
        "-m",
        "planted",
        tree.trim(),
    ]);
    repo.git(&["update-ref", "refs/merkle/frames", commit.trim()])
        .ok();
}

/// Of what stands at `HEAD` the trees say what it is, of all else the object: both name the same fault.
#[test]
fn a_frame_of_another_kind_than_its_node_is_named_wherever_that_stands() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src", "sound");
    let frames = repo.frames();
    let name = frames.iter().find(|name| name.contains(".human."));
    let name = name.expect("the note");
    let text = repo.git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")]);
    let text = text.ok().replace("kind: directory", "kind: file");
    plant(&repo, name, text.as_bytes());
    let told = format!("{name}: it says that its node is a file, and the node is a tree\n");
    assert_eq!(repo.merkle(&["validate"]).exits(1).out(), told);
    repo.fill("commit more\n+ src/more.rs = pub fn more() {}");
    assert_eq!(repo.merkle(&["validate"]).exits(1).out(), told);
    repo.git(&["update-ref", "-d", "HEAD"]).ok();
    assert_eq!(repo.merkle(&["validate"]).exits(1).out(), told);
}

#[test]
fn every_kind_of_fault_is_named() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(told(&repo.merkle(&["validate"])), @"
    --- stderr
    6 frames checked, 0 faults
    --- exit 0
    ");
    note(&repo, "src", "sound");
    let name = repo
        .frames()
        .into_iter()
        .find(|name| name.contains(".human."))
        .unwrap();
    let bytes = repo
        .git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")])
        .exits(0)
        .stdout;
    let text = String::from_utf8(bytes).unwrap();
    plant(
        &repo,
        &name.replace(".note.", ".changed."),
        text.replace("sound", "forged").as_bytes(),
    );
    plant(&repo, &name.replace(".note.", ".moved."), text.as_bytes());
    plant(
        &repo,
        &name.replace(".note.", ".newer."),
        text.replace("frame/1", "frame/2").as_bytes(),
    );
    plant(
        &repo,
        &name.replace(".note.", ".loose."),
        text.replace("seq: 1", "seq: 01").as_bytes(),
    );
    plant(&repo, "README", b"a stray file");
    let output = repo.merkle(&["validate"]).exits(1);
    insta::assert_snapshot!(told(&output), @"
    6a/29/77239bdf4ee75ab8f81e4b08dcca3251b351.human.changed.00000001.#1: frame id #1 does not match its content, which is #2
    6a/29/77239bdf4ee75ab8f81e4b08dcca3251b351.human.loose.00000001.#1: frame is not in canonical form
    6a/29/77239bdf4ee75ab8f81e4b08dcca3251b351.human.moved.00000001.#1: frame does not match its name
    README: not a frame's name
    --- stderr
    carried, not checked: 6a/29/77239bdf4ee75ab8f81e4b08dcca3251b351.human.newer.00000001.#1: frame format 'git-merkle/frame/2' is newer than this program; update git-merkle to read it
    12 frames checked, 4 faults
    --- exit 1
    ");
    let document = repo
        .merkle(&["validate", "--json"])
        .exits(1)
        .json("validate");
    assert_fields(&document, "schema checked faults newer");
    assert_eq!(
        (
            &document["checked"],
            document["faults"].as_array().unwrap().len()
        ),
        (&12.into(), 4)
    );
    assert_fields(&document["faults"][0], "path message");
    assert_eq!(
        repo.merkle(&["validate", "-z"])
            .exits(1)
            .out()
            .matches('\0')
            .count(),
        4
    );
    // A damaged neighbour does not take the sound frames down with it, and is named where it is asked for.
    assert!(
        repo.merkle(&["show", "src/lib.rs"])
            .ok()
            .contains("fresh src/lib.rs")
    );
    let listed = repo.merkle(&["list-frames", "src"]).exits(0);
    assert!(
        listed.out().contains("human/note") && listed.err().matches("is skipped").count() == 4,
        "{listed}"
    );
    assert_eq!(
        repo.merkle(&["regenerate"]).ok(),
        "nothing to do: every node of HEAD is fresh\n"
    );
    let spool = repo.path(".git/merkle/spool");
    let name = format!("{}.{}", "12".repeat(20), "a".repeat(64));
    std::fs::write(spool.join(&name), "no frame").unwrap();
    assert!(
        repo.merkle(&["validate"])
            .exits(1)
            .out()
            .ends_with(&format!("spool/{name}: not a frame\n"))
    );
}

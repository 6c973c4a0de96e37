//! `validate`.

use proptest::prelude::*;

use super::{assert_fields, note, sample, told};
use crate::laws::cases;
use crate::support::{Repo, Sandbox};

/// Puts something at a path of the store's tree, as a stray hand would.
fn plant(repo: &Repo<'_>, path: &str, content: &[u8]) {
    repo.rewrite_store(&[("100644", path, Some(content))]);
}

/// Of what stands at `HEAD` the trees say what it is, of all else the object: both name the same faults, whatever `HEAD` is.
#[test]
fn a_frame_of_another_kind_than_its_node_is_named_wherever_that_stands() {
    let kinds = [
        (
            "kind: directory",
            "kind: file",
            "a file, and the node is a tree",
        ),
        (
            "kind: file",
            "kind: directory",
            "a directory, and the node is a blob",
        ),
    ];
    proptest!(cases(4), |(chosen in 1..u64::MAX, heads in prop::collection::vec(0..3_usize, 1..4))| {
        let sandbox = Sandbox::new();
        let repo = sample(&sandbox);
        for number in 0..3 {
            repo.fill(&format!("commit more\n+ src/m{number}.rs = pub fn m{number}() {{}}\n+ d{number}/a.txt = a{number}"));
            repo.git(&["branch", &format!("at{number}")]).ok();
            let _ = repo.merkle(&["regenerate"]).exits(0);
            note(&repo, &format!("d{number}"), "sound");
        }
        let mut faults = Vec::new();
        for (at, name) in repo.frames().into_iter().enumerate() {
            let text = repo.git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")]).ok();
            let (old, new, fault) = kinds.iter().find(|(old, ..)| text.contains(old)).expect("a kind");
            if chosen >> (at % 64) & 1 == 1 && name.contains(".human.") || at as u64 % 8 == chosen % 8 {
                plant(&repo, &name, text.replacen(old, new, 1).as_bytes());
                faults.push(format!("{name}: it says that its node is {fault}\n"));
            }
        }
        faults.sort();
        let told = || repo.merkle(&["validate"]).exits(i32::from(!faults.is_empty())).out();
        for head in heads {
            repo.git(&["symbolic-ref", "HEAD", &format!("refs/heads/at{head}")]).ok();
            prop_assert_eq!(told(), faults.concat());
        }
        repo.git(&["symbolic-ref", "HEAD", "refs/heads/none"]).ok();
        prop_assert_eq!(told(), faults.concat());
    });
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
    6a/2977239bdf4ee75ab8f81e4b08dcca3251b351.human.changed.00000001.#1: frame id #1 does not match its content, which is #2
    6a/2977239bdf4ee75ab8f81e4b08dcca3251b351.human.loose.00000001.#1: frame is not in canonical form
    6a/2977239bdf4ee75ab8f81e4b08dcca3251b351.human.moved.00000001.#1: frame does not match its name
    README: not a frame's name
    --- stderr
    carried, not checked: 6a/2977239bdf4ee75ab8f81e4b08dcca3251b351.human.newer.00000001.#1: frame format 'git-merkle/frame/2' is newer than this program; update git-merkle to read it
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

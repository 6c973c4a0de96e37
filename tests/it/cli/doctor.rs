//! `doctor`.

use super::{assert_each, note, sample, told};
use crate::support::{Repo, Sandbox};

/// What doctor says, without the size of derived data.
fn said(repo: &Repo<'_>, options: &[&str]) -> String {
    let output = repo
        .run(crate::support::PROGRAM)
        .arg("doctor")
        .args(options)
        .run();
    let root = repo
        .path("")
        .canonicalize()
        .expect("it is there")
        .display()
        .to_string()
        + "/";
    let lines = told(&output).replace(&root, "");
    lines
        .lines()
        .map(|line| {
            line.split_once(" bytes of")
                .map_or(line, |_| "cache     ok: …")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_is_wrong_is_named_and_mended() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src", "a note");
    insta::assert_snapshot!(said(&repo, &[]), @"
    state     ok: nothing that this program cannot have made
    writers   ok: none was killed
    lock      ok: free
    store     ok: 'refs/merkle/frames' at #1, 7 frames readable
    spool     ok: empty
    cache     ok: …
    settings  ok: all are understood
    --- exit 0
    ");
    let name = format!("{}.{}", "12".repeat(20), "a".repeat(64));
    std::fs::write(repo.path(".git/merkle/spool").join(&name), "no frame").unwrap();
    std::fs::write(repo.path(".git/merkle/cache/index"), "garbage").unwrap();
    insta::assert_snapshot!(said(&repo, &[]), @"
    state     ok: nothing that this program cannot have made
    writers   ok: none was killed
    lock      ok: free
    store     ok: 'refs/merkle/frames' at #1, 7 frames readable
    spool     wrong: 1 file is no frame
    cache     ok: …
    settings  ok: all are understood
    --- exit 1
    ");
    insta::assert_snapshot!(said(&repo, &["--fix"]), @"
    state     ok: nothing that this program cannot have made
    writers   ok: none was killed
    lock      ok: free
    store     ok: 'refs/merkle/frames' at #1, 7 frames readable
    spool     fixed: 1 file is no frame, and in '.git/merkle/damaged' now
    cache     ok: thrown away and built again
    settings  ok: all are understood
    --- exit 0
    ");
    insta::assert_snapshot!(said(&repo, &[]), @"
    state     ok: nothing that this program cannot have made
    writers   ok: none was killed
    lock      ok: free
    store     ok: 'refs/merkle/frames' at #1, 7 frames readable
    spool     ok: empty
    cache     ok: …
    settings  ok: all are understood
    --- exit 0
    ");
    assert_eq!(
        std::fs::read(repo.path(".git/merkle/damaged").join(&name)).unwrap(),
        b"no frame",
        "set aside, not thrown away"
    );
    let document = repo.merkle(&["doctor", "--json"]).exits(0).json("doctor");
    assert_each(&document["checks"], "what ok fixed message");
    repo.assert_sound();
}

#[test]
fn a_store_that_lost_an_object_is_wrong() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let name = repo.frames().remove(0);
    let blob = repo.id(&format!("refs/merkle/frames:{name}"));
    let file = repo.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    repo.unpack();
    std::fs::remove_file(file).expect("every object is loose now");
    insta::assert_snapshot!(said(&repo, &[]), @"
    state     ok: nothing that this program cannot have made
    writers   ok: none was killed
    lock      ok: free
    store     wrong: 'refs/merkle/frames' at #1: 1 of 6 entries is bad, the first: 42/3f6755bf4a3c9d1459e88d30a92d35e154906c.outline.outline.00000001.#2: object #3 is missing
    spool     ok: empty
    cache     ok: …
    settings  ok: all are understood
    --- exit 1
    ");
    let _ = repo.merkle(&["validate"]).exits(1);
}

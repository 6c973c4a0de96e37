//! `review --commits`: two commits that any git compares.

use crate::support::{Repo, Sandbox};

const GARDEN: &str = "
    commit first
    + a/x = text of x
    + a/x.md = # The page of x
    + a/x.md.md/deep.py = def deep(): pass
    + a/_ = an underscore
    + a/gone.py = def gone(): pass
    + b/bed.py = def fill(bed): pass
    + b/same.py = def same(): pass
    commit second
    + a/x = another text of x
    + a/x.md = # The other page
    + a/x.md.md/deep.py = def deeper(): pass
    + a/_ = another underscore
    - a/gone.py
    + b/bed.py = def fill(bed, water): pass
    + c/pond.py = def dig(): pass
";
const RANGE: &str = "HEAD~1..HEAD";

fn made(repo: &Repo<'_>, more: &[&str]) -> serde_json::Value {
    let arguments = [&["review", "--commits", RANGE, "--json"], more].concat();
    repo.merkle(&arguments).exits(0).json("review-commits")
}

#[test]
fn every_clone_makes_the_same_two_commits_and_git_compares_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("one");
    repo.fill(GARDEN);
    repo.merkle(&["note", "b/bed.py", "-m", "Never full."]).ok();
    sandbox.bare("hub.git");
    repo.git(&["remote", "add", "origin", "../hub.git"]).ok();
    repo.git(&["push", "-q", "origin", "HEAD"]).ok();
    repo.merkle(&["push"]).ok();
    let first = made(&repo, &[]);
    assert_eq!(made(&repo, &[]), first, "and again");
    let (base, head) = (
        first["base"].as_str().unwrap(),
        first["head"].as_str().unwrap(),
    );
    insta::assert_snapshot!(repo.git(&["diff", "--no-renames", "--name-only", base, head]).ok(), @"
    _.md
    a/_.md
    a/__.md
    a/gone.py.md
    a/x.md
    a/x.md.md/_.md
    a/x.md.md/deep.py.md
    a/x.md_.md
    b/_.md
    b/bed.py.md
    c/_.md
    c/pond.py.md
    ");
    insta::assert_snapshot!(repo.git(&["diff", "-U1", base, head, "--", "b/bed.py.md"]).ok(), @"
    diff --git a/b/bed.py.md b/b/bed.py.md
    index 0c291c6..c4eb139 100644
    --- a/b/bed.py.md
    +++ b/b/bed.py.md
    @@ -2,2 +2,6 @@
     
    +## note (agent human, written by Test User <user@example.org>)
    +
    +Never full.
    +
     ## Outline
    @@ -6,2 +10,2 @@ Python source, under 10 lines, 1 public item.
     
    -- `def fill(bed)`
    +- `def fill(bed, water)`
    ");
    let listed = repo.git(&["ls-tree", "-r", "--name-only", head]).ok();
    assert!(!listed.contains("same.py"), "{listed}");
    assert_eq!(repo.git(&["rev-list", "--count", head]).ok().trim(), "2");
    repo.git(&["fsck", "--strict", "--no-dangling"]).ok();

    // Frames made in the meantime say what was said without them; another machine and another time of day are no reason.
    repo.merkle(&["regenerate"]).ok();
    assert_eq!(made(&repo, &[])["head"], first["head"]);
    repo.git(&["clone", "-q", "../hub.git", "../two"]).ok();
    let other = Repo::at(&sandbox, sandbox.path("two"));
    other.merkle(&["fetch", "origin"]).ok();
    let pushed = made(&other, &["--push"]);
    assert_eq!(
        (&pushed["base"], &pushed["head"]),
        (&first["base"], &first["head"])
    );
    assert_eq!(pushed["pushed"], "origin");
    let name = pushed["ref"].as_str().unwrap();
    let there = repo.git(&["ls-remote", "origin", name]).ok();
    assert!(there.starts_with(head), "{there}");

    // More is known now: the ref moves, here and there, and a clone of everything is whole.
    repo.merkle(&["note", "c/pond.py", "-m", "Frogs."]).ok();
    let later = made(&repo, &["--push=origin"]);
    assert_eq!(later["base"], first["base"]);
    assert_ne!(later["head"], first["head"]);
    let mirror = sandbox.path("mirror");
    repo.git(&[
        "clone",
        "-q",
        "--mirror",
        "../hub.git",
        &mirror.to_string_lossy(),
    ])
    .ok();
    let whole = Repo::at(&sandbox, mirror);
    whole.git(&["fsck", "--strict", "--no-dangling"]).ok();
    assert_eq!(whole.id(name), later["head"].as_str().unwrap());
}

#[test]
fn what_does_not_differ_is_no_commit_and_a_remote_that_refuses_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("one");
    repo.fill(GARDEN);
    let same = repo.merkle(&["review", "--commits", "HEAD..HEAD"]).exits(0);
    insta::assert_snapshot!(same.err(), @"what is known does not differ: there is nothing to compare");
    assert_eq!(repo.git(&["for-each-ref", "refs/merkle"]).ok(), "");
    let none = repo.merkle(&["review", "--commits", "--push", RANGE]);
    insta::assert_snapshot!(none.exits(65).err(), @"
    error: no remote is configured
    hint: git remote add origin <url>
    ");
    sandbox.bare("hub.git");
    repo.git(&["remote", "add", "origin", "../hub.git"]).ok();
    let hook = sandbox.path("hub.git/hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho 'only branches here' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let refused = repo.merkle(&["review", "--commits", "--push", RANGE]);
    let text = refused.err();
    assert!(text.contains("'origin' did not take the commits"), "{text}");
    assert!(text.contains("hint: git push origin "), "{text}");
}

#[test]
fn a_directory_that_is_named_like_the_page_of_a_file_is_no_second_entry() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("one");
    repo.fill(
        "
        commit first
        + a/x = text
        + a/x.md/y.bin = one
        commit second
        + a/x = another
        + a/x.md/y.bin = two
    ",
    );
    for path in ["a/x", "a/x.md"] {
        repo.merkle(&["note", path, "-m", "Known."]).ok();
    }
    let made = made(&repo, &[]);
    repo.git(&["fsck", "--strict", "--no-dangling"]).ok();
    let head = made["head"].as_str().unwrap();
    let listed = repo.git(&["ls-tree", "--name-only", head, "a/"]).ok();
    insta::assert_snapshot!(listed, @"
    a/_.md
    a/x.md
    a/x_.md
    ");
}

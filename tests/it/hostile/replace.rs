//! `git replace`: what is said about an object is about the object that the id names.

use crate::support::Sandbox;

/// Red before: the outline described the replacement under the id of the replaced file, "fresh" in every clone.
#[test]
fn a_frame_is_about_the_object_that_its_id_names() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("replaced");
    repo.fill("commit files\n+ auth.py = def safe(): pass\n+ d/b.py = def b(): pass");
    let other = repo
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input("def other(): pass\n")
        .run()
        .ok();
    repo.git(&["replace", &repo.id("HEAD:auth.py"), other.trim()])
        .ok();
    repo.merkle(&["regenerate"]).ok();
    for arguments in [
        &["show", "auth.py"][..],
        &["get-head", "auth.py"],
        &["context", "auth.py"],
        &["map"],
    ] {
        let said = repo.merkle(arguments).ok();
        assert!(
            said.contains("safe") && !said.contains("other()"),
            "{arguments:?}: {said}"
        );
    }
}

/// Red before: a write on top of a replaced commit of the store took over the replacement's tree, and dropped frames.
#[test]
fn a_replaced_commit_of_the_store_loses_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("replaced");
    repo.fill("commit files\n+ a.rs = fn a() {}\n+ d/b.rs = fn b() {}");
    repo.merkle(&["regenerate"]).ok();
    let before = repo.frames();
    let empty = repo
        .git(&["hash-object", "-w", "-t", "tree", "/dev/null"])
        .ok();
    let commit = repo
        .git(&["commit-tree", "-m", "nothing", empty.trim()])
        .ok();
    repo.git(&["replace", &repo.id("refs/merkle/frames"), commit.trim()])
        .ok();
    repo.put_frame("a.rs", "a note\n").ok();
    repo.git(&["replace", "-d", &repo.id("refs/merkle/frames^")])
        .ok();
    assert_eq!(repo.frames().len(), before.len() + 1);
}

/// Red before: git's children resolved a revision through the replacement of its commit.
#[test]
fn revisions_name_the_commits_that_are_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("replaced");
    repo.fill("commit one\n+ a.rs = fn one() {}\ncommit two\n+ a.rs = fn two() {}");
    let forged = repo
        .git(&["commit-tree", "-m", "forged", "HEAD~1^{tree}"])
        .ok();
    repo.git(&["replace", "HEAD", forged.trim()]).ok();
    repo.merkle(&["regenerate"]).ok();
    assert!(repo.merkle(&["show", "HEAD:a.rs"]).ok().contains("two"));
}

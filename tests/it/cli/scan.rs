//! `scan`.

use super::{assert_fields, masked, sample};
use crate::support::Sandbox;

#[test]
fn what_is_in_a_snapshot() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(masked(&repo.merkle(&["scan"]).ok()), @"
    root #1 (HEAD)
    3 files, 3 directories, 1 symlink
    ");
    repo.fill("commit more\n+ copy.md\n| # Sample\n|\n| Says what it is.\n+ .teddyignore = *.log\n+ a.log = x");
    insta::assert_snapshot!(masked(&repo.merkle(&["scan"]).ok()), @"
    root #1 (HEAD)
    4 files, 3 directories, 1 symlink, 1 entry left out by .teddyignore; the files stand at 5 paths
    ");
    insta::assert_snapshot!(masked(&repo.merkle(&["scan", "--rev", "HEAD~1"]).ok()), @"
    root #1 (HEAD~1)
    3 files, 3 directories, 1 symlink
    ");
    let document = repo.merkle(&["scan", "--json"]).exits(0).json("scan");
    assert_fields(
        &document,
        "schema root commit files directories symlinks submodules ignored paths",
    );
    assert_eq!(document["root"], repo.id("HEAD^{tree}"));
    assert_eq!(document["commit"], repo.id("HEAD"));
    std::fs::write(repo.path("untracked"), "x").unwrap();
    let output = repo.merkle(&["scan", "--worktree"]).ok();
    assert!(
        output.contains("(the work tree)\n5 files, 3 directories"),
        "{output}"
    );
    let both = repo.merkle(&["scan", "--index", "--worktree"]).exits(129);
    assert!(both.err().contains("cannot be used with"), "{both}");
}

#[test]
fn force_builds_derived_data_again() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let index = repo.path(".git/merkle/cache/index");
    let bytes = std::fs::read(&index).unwrap();
    std::fs::write(&index, "garbage").unwrap();
    let (plain, forced) = (
        repo.merkle(&["scan"]).ok(),
        repo.merkle(&["scan", "--force"]).ok(),
    );
    assert_eq!(plain, forced);
    assert_eq!(std::fs::read(&index).unwrap(), bytes);
}

//! What holds for every review.

use super::{SHOP, changes, document};
use crate::support::Sandbox;

#[test]
fn what_is_the_same_says_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    for range in ["work..work", "main..main", "main...main"] {
        assert_eq!(repo.merkle(&["review", range]).ok(), "", "{range}");
        assert!(changes(&document(&repo, range)).is_empty());
    }
    repo.git(&["commit", "-q", "--allow-empty", "-m", "nothing"])
        .ok();
    assert_eq!(repo.merkle(&["review", "HEAD^!"]).ok(), "");
}

#[test]
fn swapped_sides_swap_what_came_and_what_went() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    let there = changes(&document(&repo, "main..work"));
    let mut back = changes(&document(&repo, "work..main"));
    let mut swapped: Vec<_> = there
        .into_iter()
        .map(|(how, name, path)| {
            let how = match how.as_str() {
                "added" => "removed",
                "removed" => "added",
                other => other,
            };
            (how.to_owned(), name, path)
        })
        .collect();
    swapped.sort();
    back.sort();
    assert_eq!(swapped, back);
    assert!(swapped.iter().any(|one| one.0 == "added"));
}

#[test]
fn every_changed_file_of_code_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    let shown = repo.merkle(&["review", "main..work"]).ok();
    let names = repo
        .git(&["diff", "--name-only", "--no-renames", "main..work"])
        .ok();
    for path in names.lines() {
        let name = path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        assert!(shown.contains(stem), "{path} is missing in:\n{shown}");
    }
    let document = document(&repo, "main..work");
    assert_eq!(document["verdict"]["files"], 7);
    assert_eq!(document["verdict"]["test_files"], 1);
}

/// How lines are broken and where comments stand means nothing; neither does the order of what is declared.
#[test]
fn layout_is_no_change() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        r#"
        commit first
        + a.py
          | LIMITS = {'a': 1, 'b': 2, 'c': [1, 2, 3], 'd': 'some text that is long'}
          |
          | def one(x: "int", y='z'):
          |     return x
          |
          | def two():
          |     pass
        commit second
        + a.py
          | LIMITS = {
          |     "a": 1,
          |     "b": 2,
          |     "c": [1, 2, 3],
          |     "d": "some text that is long",
          | }
          |
          | def two():
          |     pass
          |
          | def one(
          |     x: int,
          |     y="z",  # why
          | ):
          |     return x  # the same
    "#,
    );
    let shown = repo.merkle(&["review", "HEAD~1..HEAD"]).ok();
    insta::assert_snapshot!(shown, @"
    Same declarations · 1 of 1 file is code
    comments or statements: a.py
    ");
}

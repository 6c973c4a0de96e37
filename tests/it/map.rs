//! `map`: the whole way from a repository to the text, and that the text is the same everywhere.

use crate::support::{Repo, Sandbox};

const HISTORY: &str = "
    commit first
    + Cargo.toml = [package]
    + src/lib.rs = pub mod store;
    + src/store.rs = pub struct Store { pub limit: Option<usize> } impl Store { pub fn open(path: &str) -> Self { todo!() } }
    + src/main.rs = use shop::store::Store; fn main() { Store::open(\"x\"); }
    + docs/guide.md = # Guide
    + secret.txt = hidden
    + .teddyignore = secret.txt
    @ link -> /etc/passwd
";

fn filled<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    repo.fill(HISTORY);
    repo
}

/// The answer without the lines that explain the marks.
fn body(repo: &Repo<'_>, arguments: &[&str]) -> String {
    let text = repo.merkle(arguments).ok();
    text.splitn(4, '\n').nth(3).unwrap_or_default().to_owned()
}

#[test]
fn a_map_of_a_snapshot() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    insta::assert_snapshot!(body(&repo, &["map"]), @"
    .teddyignore
    Cargo.toml
    docs/guide.md
      # Guide
    src/lib.rs
      i→ src/store.rs
    src/main.rs
      i→ src/store.rs
      f main() →Store::open
    src/store.rs ←2
      c Store ←1
        p limit?
        m open(path)->Self ←1
    ");
    insta::assert_snapshot!(body(&repo, &["map", "src/store.rs", "docs", "--lines"]), @"
    docs/guide.md
      # Guide
    src/store.rs ←2
      c Store :1 ←1
        p limit? :1
        m open(path)->Self :1 ←1
    ");
    let _ = repo.merkle(&["map", "nowhere"]).exits(128);
    let _ = repo.merkle(&["map", "--languages", "src"]).exits(129);
    let languages = repo.merkle(&["map", "--languages"]).ok();
    for language in ["Rust", "TSX", "C#", "Markdown"] {
        assert!(languages.contains(language), "{languages}");
    }
}

#[test]
fn every_snapshot_has_its_own_map() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    std::fs::write(repo.path("src/new.rs"), "pub fn indexed() {}\n").expect("writable");
    repo.git(&["add", "src/new.rs"]).ok();
    std::fs::write(repo.path("src/new.rs"), "pub fn written() {}\n").expect("writable");
    let map = |option: &[&str]| repo.merkle(&[&["map", "src"], option].concat()).ok();
    assert!(!map(&["--rev", "HEAD"]).contains("src/new.rs"));
    assert!(map(&["--index"]).contains("src/new.rs\n  f indexed()\n"));
    assert!(map(&["--worktree"]).contains("src/new.rs\n  f written()\n"));
    assert_eq!(map(&["--worktree"]), map(&[]));
}

#[test]
fn the_same_snapshot_says_the_same_everywhere() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let cold = repo.merkle(&["map"]).ok();
    assert_eq!(repo.merkle(&["map"]).ok(), cold, "out of the cache");
    let clone = repo.clone_to("elsewhere", &[]);
    assert_eq!(
        clone.merkle(&["map", "--rev", "HEAD"]).ok(),
        cold,
        "in a clone"
    );
    let damaged = repo.path(".git/merkle/cache/symbols");
    let mut bytes = std::fs::read(&damaged).expect("the cache was written");
    let last = bytes.len() - 3;
    bytes[last] ^= 0x55;
    std::fs::write(&damaged, bytes).expect("writable");
    assert_eq!(repo.merkle(&["map"]).ok(), cold, "with a damaged cache");
    let frames = repo.merkle(&["regenerate", "--json"]).ok();
    assert_eq!(repo.merkle(&["map"]).ok(), cold, "beside frames: {frames}");
}

#[test]
fn budgets_documents_and_empty_repositories() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    for tokens in [0, 1, 60, 80, 100, 120, 10_000] {
        let document: serde_json::Value = serde_json::from_str(
            &repo
                .merkle(&["map", "--json", "--budget", &tokens.to_string()])
                .ok(),
        )
        .expect("JSON");
        assert_eq!(document["schema"], "git-merkle/map/1");
        assert!(
            document["tokens"].as_u64().expect("a number") <= tokens,
            "{document}"
        );
        let shown = document["files"].as_array().expect("a list").len() as u64;
        assert_eq!(shown + document["left"].as_u64().expect("a number"), 6);
    }
    let document: serde_json::Value =
        serde_json::from_str(&repo.merkle(&["map", "--json", "src/store.rs"]).ok()).expect("JSON");
    let method = &document["files"][0]["symbols"][2];
    assert_eq!(
        (
            &method["name"],
            &method["parameters"][0],
            &method["referring"]
        ),
        (&"open".into(), &"path".into(), &1.into())
    );
    let empty = sandbox.repo("empty");
    empty
        .git(&["commit", "-q", "--allow-empty", "-m", "nothing"])
        .ok();
    assert_eq!(empty.merkle(&["map"]).ok(), "");
    assert_eq!(empty.merkle(&["map", "--budget", "0"]).ok(), "");
}

#[test]
fn what_looks_like_a_secret_is_not_in_a_map() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let token = ["ghp_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"].concat();
    std::fs::write(repo.path("README.md"), format!("# Use {token}\n")).expect("writable");
    std::fs::write(
        repo.path("a.py"),
        format!("def ask(key='{token}'):\n    pass\n"),
    )
    .expect("writable");
    repo.git(&["add", "."]).ok();
    let map = repo.merkle(&["map", "--index"]).ok();
    assert!(
        !map.contains("0aK9dQ2m") && map.contains("f ask(key?)"),
        "{map}"
    );
}

//! Which nodes a snapshot has: of the index and the work tree without touching them, and by the ignore rules.

use super::{assert_whole, regenerate, step, tasks};
use crate::support::{PROGRAM, Repo, SAMPLE, Sandbox};

/// The index as it stands: bytes and time stamp.
fn index(repo: &Repo<'_>) -> (Vec<u8>, std::time::SystemTime) {
    let file = repo.path(".git/index");
    let modified = file
        .metadata()
        .and_then(|about| about.modified())
        .expect("an index");
    (std::fs::read(&file).expect("a readable index"), modified)
}

fn root(repo: &Repo<'_>, option: &str) -> String {
    let scan = repo
        .merkle(&["scan", "--json", option])
        .exits(0)
        .json("scan");
    assert!(scan["commit"].is_null(), "{option} is no commit");
    scan["root"].as_str().expect("text").to_owned()
}

#[test]
fn the_index_and_the_work_tree_are_read_and_never_touched() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    step(&repo);
    std::fs::write(repo.path("staged.md"), "# Staged\n").unwrap();
    repo.git(&["add", "staged.md"]).ok();
    std::fs::write(repo.path("README.md"), "# Changed on disk\n").unwrap();
    std::fs::write(repo.path("src/new.rs"), "pub fn new() {}\n").unwrap();
    std::fs::write(repo.path(".git/info/exclude"), "*.log\n").unwrap();
    std::fs::write(repo.path("noise.log"), "noise\n").unwrap();
    let before = index(&repo);
    let copy = repo.path(".git/copy");
    std::fs::copy(repo.path(".git/index"), &copy).unwrap();
    let with_copy = |arguments: &[&str]| {
        repo.run("git")
            .env("GIT_INDEX_FILE", &copy)
            .args(arguments)
            .run()
            .ok()
    };
    assert_eq!(root(&repo, "--index"), with_copy(&["write-tree"]).trim());
    with_copy(&["add", "-A"]);
    assert_eq!(root(&repo, "--worktree"), with_copy(&["write-tree"]).trim());
    assert_eq!(tasks(&repo, &["--index"]), ["staged.md", ""]);
    assert_eq!(
        tasks(&repo, &["--worktree"]),
        ["README.md", "src/new.rs", "src", "staged.md", ""]
    );
    assert_eq!(regenerate(&repo, &["--index"]).made(), (1, 1, 0));
    assert_eq!(regenerate(&repo, &["--worktree"]).made(), (2, 2, 0));
    assert_eq!(
        repo.merkle(&["regenerate", "--worktree"]).ok(),
        "nothing to do: every node of the work tree is fresh\n"
    );
    for option in ["--index", "--worktree"] {
        repo.merkle(&["status", "--exit-code", option]).ok();
        repo.merkle(&["explain", option, "."]).ok();
    }
    assert!(
        repo.merkle(&["show", "--worktree", "src/new.rs"])
            .ok()
            .contains("pub fn new()")
    );
    assert_eq!(index(&repo), before);
    let status = repo.git(&["status", "--porcelain"]).ok();
    assert_eq!(status, " M README.md\nA  staged.md\n?? src/new.rs\n");
    assert_eq!(step(&repo).stored, 0, "HEAD is fresh still");
    // What was said before the commit holds after it.
    repo.fill("commit all of it");
    assert_eq!(step(&repo).stored, 0);
    assert_whole(&repo);
}

#[test]
fn an_unmerged_index_is_refused_with_its_path() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit one\n+ x = 1\nbranch other\ncommit two\n+ x = 2\nswitch main\ncommit three\n+ x = 3");
    let _ = repo.git(&["merge", "other"]);
    let refused = repo.merkle(&["scan", "--index"]).exits(128);
    assert!(refused.err().contains("'x'"), "{refused}");
    repo.merkle(&["regenerate"]).ok();
    assert_whole(&repo);
}

#[test]
fn teddyignore_leaves_out_and_lets_in_as_gitignore_would() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        "commit one
        + .gitignore = *.out
        + .teddyignore
          | *.gen
          | !kept.gen
          | /vendor/
          | .teddyignore
        + a.gen = 1
        + kept.gen = 2
        + src/b.gen = 3
        + src/main.rs = fn main() {}
        + src/nested/.teddyignore
          | !c.gen
          | local.txt
        + src/nested/c.gen = 4
        + src/nested/d.gen = 5
        + src/nested/local.txt = 6
        + local.txt = 7
        + vendor/deep/x.rs = pub fn x() {}
        + src/vendor/y.rs = pub fn y() {}",
    );
    let kept = [
        ".gitignore",
        "kept.gen",
        "local.txt",
        "src/main.rs",
        "src/nested/c.gen",
        "src/nested",
        "src/vendor/y.rs",
        "src/vendor",
        "src",
        "",
    ];
    assert_eq!(tasks(&repo, &[]), kept);
    assert_eq!(
        tasks(&repo, &["src/nested"]),
        ["src/nested/c.gen", "src/nested"],
        "rules above hold below"
    );
    let counts = regenerate(&repo, &[]);
    assert_eq!((counts.made(), counts.visited), ((6, 4, 0), 10));
    assert_eq!(
        repo.merkle(&["scan", "--json"]).exits(0).json("scan")["ignored"],
        7
    );
    assert_whole(&repo);
    // What is left out may change without anything to do but the mixtures, which do not speak of it.
    repo.fill("commit generated\n+ src/b.gen = other\n+ vendor/deep/x.rs = other");
    assert_eq!(regenerate(&repo, &[]).made(), (0, 0, 2));
    // Other rules let other things in, however unchanged those are.
    repo.fill("commit rules\n+ .teddyignore = .teddyignore");
    assert_eq!(
        tasks(&repo, &[])
            .iter()
            .filter(|path| path.contains(".gen"))
            .count(),
        3,
        "a, src/b, src/nested/d"
    );
    let counts = regenerate(&repo, &[]);
    assert_eq!(
        counts.made_files, 3,
        "vendor/deep/x.rs says what src/b.gen says: {counts:?}"
    );
    assert_whole(&repo);
}

#[test]
fn ignored_files_that_are_let_in_take_part_in_the_work_tree_and_secrets_warn() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit one\n+ .gitignore\n| *.out\n| .env\n| cache/\n+ .teddyignore\n| !wanted.out\n| !.env\n+ a.md = a");
    for (path, text) in [
        ("wanted.out", "w"),
        ("other.out", "o"),
        (".env", "KEY=1"),
        ("cache/wanted.out", "c"),
    ] {
        repo.put(path, text);
    }
    let output = repo
        .run(PROGRAM)
        .args(["regenerate", "--worktree", "--dry-run"])
        .run()
        .exits(0);
    let listed = output.out();
    assert!(
        listed.contains("wanted.out\n") && listed.contains(".env\n"),
        "{output}"
    );
    assert!(!listed.contains("other.out"), "{output}");
    let warning =
        "warning: '.env' looks like a secret and takes part because .teddyignore lets it in\n";
    assert!(output.err().starts_with(warning), "{output}");
    assert!(
        !repo.merkle(&["status"]).exits(0).err().contains("secret"),
        "of HEAD it is no part"
    );
    assert!(
        repo.git(&["status", "--porcelain"]).ok().is_empty(),
        "still ignored by git"
    );
    let shown = repo.merkle(&["show", "--worktree", "other.out"]).exits(128);
    assert!(
        shown
            .err()
            .contains("error: 'other.out' is neither a path in the snapshot nor a revision"),
        "{shown}"
    );
}

#[test]
fn pointers_and_files_over_the_limit_are_described_not_read() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let pointer = r#""version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n""#;
    repo.fill(&format!(
        "commit one\n+ film.bin = {pointer}\n+ .gitattributes = *.bin filter=lfs -text\n+ raw = \"\\u0000\\u0001\""
    ));
    std::fs::write(repo.path("huge.txt"), vec![b'x'; 8 * 1024 * 1024 + 1]).unwrap();
    repo.fill("commit huge");
    assert_eq!(step(&repo).made(), (4, 1, 0));
    let shown = |path: &str| repo.merkle(&["get-head", path]).ok();
    assert!(shown("film.bin").starts_with("A Git LFS pointer: the content of 12345 bytes"));
    assert!(shown("huge.txt").starts_with("A file of 8388609 bytes, over the limit of 8388608"));
    assert_whole(&repo);
}

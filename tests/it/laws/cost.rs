//! What has been said is never made again: the stories of a repository's life, each with what it costs.

use super::corpus::wide;
use super::{Counts, assert_whole, nodes, regenerate, spoken_of, step, tasks};
use crate::support::{SAMPLE, Sandbox};

#[test]
fn a_second_run_makes_nothing_and_says_so() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    assert_eq!(tasks(&repo, &[]).len(), 6);
    assert_eq!(
        repo.merkle(&["regenerate"]).ok(),
        "made 6 frames (3 files, 3 directories)\n"
    );
    let store = repo.id("refs/merkle/frames");
    let nothing = "nothing to do: every node of HEAD is fresh\n";
    for options in [
        &["regenerate"][..],
        &["regenerate", "--verify"],
        &["regenerate", "src"],
        &["regenerate", "README.md"],
    ] {
        assert_eq!(repo.merkle(options).ok(), nothing, "{options:?}");
    }
    assert_eq!(
        regenerate(&repo, &[]),
        Counts::default(),
        "nothing is looked at"
    );
    assert_eq!(
        regenerate(&repo, &["--verify"]),
        Counts {
            visited: 6,
            fresh: 6,
            ..Counts::default()
        }
    );
    assert_eq!(
        regenerate(&repo, &["src"]),
        Counts {
            visited: 4,
            fresh: 4,
            ..Counts::default()
        }
    );
    assert_eq!(
        repo.id("refs/merkle/frames"),
        store,
        "no commit without frames"
    );
    let forced = regenerate(&repo, &["--force"]);
    assert_eq!((forced.made(), forced.stored), ((3, 3, 0), 6));
    assert_whole(&repo);
}

#[test]
fn a_commit_costs_the_files_that_it_changes_and_their_ancestors() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(&wide(30, 10));
    assert_eq!(step(&repo).made(), (300, 31, 0));
    repo.fill("commit one more\n+ d07/new.rs = pub fn new() {}");
    let counts = step(&repo);
    assert_eq!(
        counts.made(),
        (1, 2, 0),
        "the file, its directory, the root"
    );
    assert_eq!(
        counts.visited,
        1 + 30 + 11,
        "the root, its entries, and those of one directory"
    );
    repo.fill("commit edit\n+ d07/new.rs = pub fn newer() {}");
    assert_eq!(step(&repo).made(), (1, 2, 0));
    assert_eq!(tasks(&repo, &["--since", "HEAD~2"]), [] as [&str; 0]);
    repo.fill(
        "commit two at once\n+ d07/new.rs = pub fn newest() {}\n+ d08/f0.rs = pub fn other() {}",
    );
    let counts = regenerate(&repo, &["--since", "HEAD~1"]);
    assert_eq!(
        (counts.made(), counts.visited),
        ((2, 3, 0), 1 + 30 + 11 + 10)
    );
    assert_eq!(step(&repo).made(), (0, 0, 0));
    assert_whole(&repo);
}

#[test]
fn an_edit_that_leaves_the_outline_alone_costs_the_file_only() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        "commit one\n+ a/b/lib.rs\n| pub fn f() -> u8 {\n|     // one\n|     1\n| }\n+ a/z.md = z",
    );
    step(&repo);
    repo.fill("commit inside a body\n+ a/b/lib.rs\n| pub fn f() -> u8 {\n|     // other words\n|     1\n| }");
    assert_eq!(
        step(&repo).made(),
        (1, 0, 3),
        "b, a and the root say what they said"
    );
    assert_whole(&repo);
}

#[test]
fn git_s_own_moves_make_nothing_that_was_made_before() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    step(&repo);
    repo.fill("branch topic\ncommit more\n+ src/more.rs = pub fn more() {}\n+ src/deep/leaf.rs = pub struct Leaf;");
    assert_eq!(step(&repo).made(), (2, 3, 0));
    repo.fill("switch main");
    assert_eq!(step(&repo).stored, 0, "a switch back");
    repo.git(&["merge", "-q", "--squash", "topic"]).ok();
    repo.git(&["commit", "-q", "-m", "squashed"]).ok();
    assert_eq!(step(&repo).stored, 0, "a squash merge");
    repo.git(&["commit", "-q", "--amend", "-m", "other words"])
        .ok();
    assert_eq!(step(&repo).stored, 0, "an amended message");
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    assert_eq!(step(&repo).stored, 0, "a revert");
    repo.git(&["cherry-pick", "topic"]).ok();
    assert_eq!(step(&repo).stored, 0, "a cherry-pick of what was reverted");
    repo.fill("commit elsewhere\n+ docs/guide.md = # Guide");
    assert_eq!(step(&repo).made(), (1, 2, 0));
    repo.fill("branch late HEAD~1\ncommit late\n+ late.md = # Late");
    step(&repo);
    repo.git(&["rebase", "-q", "main"]).ok();
    assert_eq!(
        step(&repo).made(),
        (0, 1, 0),
        "a rebase: only the root is a new mixture"
    );
    repo.fill("commit rename\n> src/more.rs -> src/other.rs");
    assert_eq!(step(&repo).made(), (0, 2, 0), "a rename makes no file");
    repo.fill("commit move\n> src/deep -> docs/deep");
    assert_eq!(
        step(&repo).made(),
        (0, 3, 0),
        "a directory that moves is not looked into"
    );
    repo.run("cp").args(["-r", "docs", "copy"]).run().ok();
    repo.fill("commit copy");
    assert_eq!(
        step(&repo).made(),
        (0, 1, 0),
        "a copy of a directory is the same node"
    );
    repo.git(&["update-index", "--chmod=+x", "docs/guide.md"])
        .ok();
    repo.git(&["commit", "-q", "-m", "executable"]).ok();
    assert_eq!(
        step(&repo).made(),
        (0, 0, 2),
        "an executable bit changes what no frame says"
    );
    assert_whole(&repo);
}

#[test]
fn one_blob_under_many_names_is_one_node_and_leaves_are_none() {
    let sandbox = Sandbox::new();
    let other = sandbox.repo("other");
    other.fill("commit sub\n+ inside = x");
    let repo = sandbox.filled("commit one\n+ a.md = same\n+ b.md = same\n+ d/c.md = same\n@ link -> d\n@ dangling -> nowhere");
    let entry = format!("160000,{},sub", other.id("HEAD"));
    repo.git(&["update-index", "--add", "--cacheinfo", &entry])
        .ok();
    repo.git(&["commit", "-q", "-m", "submodule"]).ok();
    assert_eq!(step(&repo).made(), (1, 2, 0));
    assert_eq!(repo.frames().len(), 3);
    let scan = repo.merkle(&["scan", "--json"]).exits(0).json("scan");
    let counts =
        ["files", "directories", "symlinks", "submodules", "paths"].map(|name| scan[name].as_u64());
    assert_eq!(counts, [1, 2, 2, 1, 3].map(Some));
    assert!(
        repo.merkle(&["show", "."])
            .ok()
            .contains("`sub` (submodule)")
    );
    for (within, hint) in [
        ("sub", "git merkle -C sub show"),
        ("sub/inside", "git merkle -C sub show inside"),
        ("HEAD:sub/inside", "git merkle -C sub show inside"),
    ] {
        let refused = repo.merkle(&["show", within]).exits(65);
        assert_eq!(
            refused.err(),
            format!(
                "error: '{within}' belongs to submodule 'sub', a repository of its own\nhint: {hint}\n"
            )
        );
    }
    for leaf in ["link", "dangling"] {
        let refused = repo.merkle(&["show", leaf]).exits(65);
        assert_eq!(
            refused.err(),
            format!(
                "error: '{leaf}' is a symlink or submodule; only files and directories have frames\n"
            )
        );
    }
    // Another target is another entry of the root, and nothing else.
    repo.git(&["rm", "-q", "link"]).ok();
    repo.fill("commit other target\n@ link -> elsewhere");
    assert_eq!(step(&repo).made(), (0, 1, 0));
    // A link's target text is a blob too; the same bytes as a file are a node all the same.
    repo.fill("commit same bytes\n+ text = \"elsewhere\"");
    assert_eq!(step(&repo).made(), (1, 1, 0));
    assert!(spoken_of(&repo).contains(&repo.id("HEAD:link")));
    assert_eq!(nodes(&repo, "HEAD").len(), 4);
    assert_whole(&repo);
}

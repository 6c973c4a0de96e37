//! Trees that expand without end, and trees without a bottom.

use git_merkle::base::NodeId;
use git_merkle::git::EntryMode::{Directory, File};

use super::{Forge, assert_civil, json};
use crate::support::{Repo, Sandbox};

/// A repository whose root has `width` names for one directory, that has as many for the next, and so on.
fn expanding<'s>(sandbox: &'s Sandbox, name: &str, (levels, width): (usize, usize)) -> Repo<'s> {
    let repo = sandbox.repo(name);
    let mut forge = Forge::default();
    let blob = forge.blob(b"fn bottom() {}\n");
    let names: Vec<String> = (0..width).map(|n| format!("n{n}.rs")).collect();
    let mut below: (_, NodeId) = (File, blob);
    for _ in 0..levels {
        let entries: Vec<_> = names
            .iter()
            .map(|name| (below.0, name.as_bytes(), below.1))
            .collect();
        below = (Directory, forge.tree(&entries));
    }
    forge.commit(&repo, below.1);
    repo
}

#[test]
fn each_object_is_visited_once_however_many_paths_it_has() {
    let sandbox = Sandbox::new();
    for (name, levels, width, paths) in [
        ("ten", 10, 10, 10_000_000_000_u64),
        ("doubling", 60, 2, 1 << 60),
        ("beyond", 70, 2, u64::MAX),
        ("wide", 30, 100, u64::MAX),
    ] {
        let repo = expanding(&sandbox, name, (levels, width));
        let scan = json(repo.merkle(&["scan", "--json"]));
        assert_eq!(
            (&scan["files"], &scan["directories"]),
            (&1.into(), &levels.into()),
            "{name}"
        );
        assert_eq!(scan["paths"], paths, "{name}");
        let plan = json(repo.merkle(&["regenerate", "--dry-run", "--json"]));
        assert_eq!(
            plan["tasks"].as_array().map(Vec::len),
            Some(levels + 1),
            "{name}"
        );
        let run = json(repo.merkle(&["regenerate", "--json"]));
        assert_eq!(
            (&run["visited"], &run["stored"]),
            (&(levels + 1).into(), &(levels + 1).into()),
            "{name}"
        );
        if name == "ten" {
            assert_civil(&repo.merkle(&["map", "--budget", "100"]).exits(79));
        }
        for arguments in [
            &["status", "--exit-code"][..],
            &["show"],
            &["explain"],
            &["validate"],
            &["scan"],
        ] {
            let output = repo.merkle(arguments).exits(0);
            assert_civil(&output);
        }
    }
}

/// A repository of so many directories inside each other, the root included.
fn deep(sandbox: &Sandbox, levels: usize) -> Repo<'_> {
    let repo = sandbox.repo(&format!("deep{levels}"));
    let mut forge = Forge::default();
    let mut tree = {
        let blob = forge.blob(b"fn bottom() {}\n");
        forge.tree(&[(File, b"f.rs", blob)])
    };
    for _ in 1..levels {
        tree = forge.tree(&[(Directory, b"d", tree)]);
    }
    forge.commit(&repo, tree);
    repo
}

#[test]
fn directories_are_followed_as_deep_as_git_goes_and_refused_below() {
    let sandbox = Sandbox::new();
    for levels in [2_000, 2_048] {
        let repo = deep(&sandbox, levels);
        let run = json(repo.merkle(&["regenerate", "--json"]));
        assert_eq!(run["stored"], levels + 1);
        for arguments in [
            &["status", "--exit-code"][..],
            &["show"],
            &["explain"],
            &["validate"],
            &["log"],
        ] {
            assert_civil(&repo.merkle(arguments).exits(0));
        }
        let bottom = format!("HEAD:{}f.rs", "d/".repeat(levels - 1));
        assert_civil(&repo.merkle(&["show", &bottom]).exits(0));
    }
    for levels in [2_049, 3_000] {
        let repo = deep(&sandbox, levels);
        for arguments in [
            &["scan"][..],
            &["regenerate"],
            &["regenerate", "--dry-run"],
            &["status"],
            &["explain"],
        ] {
            let output = repo.merkle(arguments).exits(65);
            assert_civil(&output);
            assert!(output.err().contains("2048"), "{output}");
        }
        assert_eq!(
            repo.frames(),
            [] as [&str; 0],
            "refused before anything was done"
        );
        for arguments in [
            &["show"][..],
            &["log"],
            &["validate"],
            &["diff", "HEAD..HEAD"],
            &["list-frames", "."],
        ] {
            assert_civil(&repo.merkle(arguments));
        }
        // A part of it that is not too deep.
        repo.merkle(&[
            "regenerate",
            &format!("HEAD:{}", vec!["d"; levels - 5].join("/")),
        ])
        .ok();
    }
}

#[test]
fn a_difference_is_followed_as_deep() {
    let sandbox = Sandbox::new();
    let repo = deep(&sandbox, 3_000);
    repo.git(&["tag", "deep"]).ok();
    let flat = sandbox.repo("flat");
    flat.fill("commit flat\n+ a = 1");
    repo.run("git")
        .args(["fetch", "-q"])
        .arg(flat.path(""))
        .arg("main:flat")
        .run()
        .ok();
    for range in ["flat..deep", "deep..flat"] {
        let output = repo.merkle(&["diff", range]);
        assert_civil(&output);
        assert!(
            matches!(output.code, Some(65 | 128)) && output.err().contains("2048"),
            "{output}"
        );
    }
}

#[test]
fn a_directory_of_a_hundred_thousand_entries_is_one_directory() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("wide");
    let mut forge = Forge::default();
    let blobs: Vec<NodeId> = (0..50)
        .map(|n| forge.blob(format!("fn number_{n}() {{}}\n").as_bytes()))
        .collect();
    let names: Vec<String> = (0..100_000).map(|n| format!("file-{n:06}.rs")).collect();
    let entries: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (File, name.as_bytes(), blobs[n % 50]))
        .collect();
    let tree = forge.tree(&entries);
    forge.commit(&repo, tree);
    let scan = json(repo.merkle(&["scan", "--json"]));
    assert_eq!(
        (&scan["files"], &scan["paths"]),
        (&50.into(), &100_000.into())
    );
    let run = json(repo.merkle(&["regenerate", "--json"]));
    assert_eq!((&run["stored"], &run["visited"]), (&51.into(), &51.into()));
    repo.merkle(&["status", "--exit-code"]).ok();
    assert_civil(&repo.merkle(&["show"]).exits(0));
    repo.merkle(&["validate"]).ok();
}

/// Red before: 300,000 lines took a gigabyte, and a file of rules over the size of a file was passed over in silence, so
/// that what it left out was described.
#[test]
fn rules_that_are_too_many_end_every_command_and_are_never_left_out() {
    let sandbox = Sandbox::new();
    let many: String = (0..30_000)
        .map(|number| format!("x{number}\n"))
        .collect::<Vec<_>>()
        .concat();
    let long = format!("secret.txt\n{}", "#".repeat(9 << 20));
    for (name, rules) in [("many", many), ("long", long)] {
        let repo = sandbox.repo(name);
        std::fs::write(repo.path(".teddyignore"), rules).expect("writable");
        std::fs::write(repo.path("secret.txt"), "not for a model\n").expect("writable");
        repo.commit("rules");
        for arguments in [
            &["status"][..],
            &["regenerate"],
            &["context", "**"],
            &["map"],
            &["scan"],
        ] {
            let refused = repo.merkle(arguments);
            assert_civil(&refused);
            assert!(
                refused.code == Some(65)
                    && refused.err().contains("'.teddyignore' is over the limit"),
                "{refused}"
            );
            assert!(refused.err().contains("hint: shorten it"), "{refused}");
        }
    }
}

//! Links among git's own files: refs and logs that lead out of the repository.
//!
//! What would write through such a link is refused with the command that takes it away. Work trees that share these
//! folders with their own repository on purpose are served as before.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{PROGRAM, Repo, Sandbox};

const CANARY: &str = "canary, without a line feed";

fn with_frames<'s>(sandbox: &'s Sandbox, name: &str, options: &[&str]) -> Repo<'s> {
    let repo = sandbox.init(name, options);
    repo.fill("commit files\n+ a.rs = pub fn a() {}\n+ note.md = a note");
    repo.merkle(&["regenerate"]).ok();
    repo
}

/// Puts a link in the place of whatever stands there.
fn link(target: &Path, at: &Path) {
    let _ = fs::remove_dir_all(at).or_else(|_| fs::remove_file(at));
    fs::create_dir_all(at.parent().expect("it has a folder")).expect("writable");
    symlink(target, at).expect("nothing stands there");
}

/// Before, git added a line with the committer's name, which a delivered configuration chooses, to the user's file.
#[test]
fn a_log_behind_a_link_is_not_written() {
    let sandbox = Sandbox::new();
    let outside = sandbox.path("outside");
    fs::create_dir_all(outside.join("refs/merkle")).unwrap();
    for file in ["bashrc", "frames", "merkle", "refs/merkle/frames"] {
        if !outside.join(file).exists() {
            fs::write(outside.join(file), CANARY).unwrap();
        }
    }
    let places = [
        ("logs/refs/merkle/frames", "bashrc"),
        ("logs/refs/merkle", ""),
        ("logs/refs", "refs"),
        ("logs", ""),
    ];
    for (number, (place, target)) in places.into_iter().enumerate() {
        let repo = with_frames(&sandbox, &format!("work{number}"), &[]);
        repo.config("core.logAllRefUpdates", "always");
        let at = repo.path(".git").join(place);
        link(&outside.join(target), &at);
        let before = repo.id("refs/merkle/frames");
        repo.merkle(&["show", "a.rs"]).ok();
        for arguments in [
            &["put-frame", "a.rs", "note.md"][..],
            &["invalidate", "a.rs"],
        ] {
            let output = repo.merkle(arguments).exits(128);
            assert!(
                output.err().contains(&format!("rm {}", at.display())),
                "{output}"
            );
        }
        assert_eq!(repo.id("refs/merkle/frames"), before);
        assert_eq!(fs::read_to_string(outside.join("bashrc")).unwrap(), CANARY);
        assert_eq!(
            fs::read_to_string(outside.join("refs/merkle/frames")).unwrap(),
            CANARY
        );
        assert_eq!(fs::read_to_string(outside.join("frames")).unwrap(), CANARY);
        // Once the link is gone the log is kept again; a second name is as bad as a link.
        fs::remove_file(&at).unwrap();
        if place.ends_with("frames") {
            fs::hard_link(outside.join(target), &at).unwrap();
            assert!(
                repo.merkle(&["regenerate", "--force"])
                    .exits(128)
                    .err()
                    .contains("second name")
            );
            assert_eq!(fs::read_to_string(outside.join("bashrc")).unwrap(), CANARY);
            fs::remove_file(&at).unwrap();
            // Before, a pipe in its place was waited for.
            repo.run("mkfifo").args([&at]).run().ok();
            let stuck = repo
                .run("timeout")
                .args(["10", PROGRAM, "regenerate", "--force"])
                .run()
                .exits(128);
            assert!(stuck.err().contains("not a regular file"), "{stuck}");
            fs::remove_file(&at).unwrap();
        }
        repo.merkle(&["regenerate"]).ok();
        assert!(repo.path(".git/logs/refs/merkle/frames").is_file());
    }
}

/// Before, the ref was made in the other repository, which has no such commit, and whose `git fsck` failed from then on.
#[test]
fn refs_of_another_repository_are_not_moved() {
    let sandbox = Sandbox::new();
    for (number, (options, folder)) in [
        (&[][..], "refs"),
        (&[], "refs/merkle"),
        (&["--ref-format=reftable"], "reftable"),
    ]
    .into_iter()
    .enumerate()
    {
        let other = sandbox.init(&format!("other{number}"), options);
        other.fill("commit files\n+ x.rs = pub fn x() {}");
        let repo = sandbox.init(&format!("work{number}"), options);
        repo.fill("commit files\n+ a.rs = pub fn a() {}");
        let head = repo.id("HEAD");
        link(
            &other.path(".git").join(folder),
            &repo.path(".git").join(folder),
        );
        if options.is_empty() {
            fs::write(repo.path(".git/HEAD"), format!("{head}\n")).unwrap();
        }
        let before = other.git(&["for-each-ref"]).ok();
        let output = repo.merkle(&["regenerate", "--rev", &head]).exits(128);
        assert!(
            output.err().contains("symbolic link") && output.err().contains("rm "),
            "{output}"
        );
        assert_eq!(other.git(&["for-each-ref"]).ok(), before);
        other.git(&["fsck"]).ok();
    }
}

/// As `git-new-workdir` makes them, and Android's `repo`.
#[test]
fn work_trees_that_share_their_refs_by_links_are_served() {
    let sandbox = Sandbox::new();
    let repo = with_frames(&sandbox, "work", &["--shared=0700"]);
    repo.config("core.logAllRefUpdates", "always");
    let second = Repo::at(&sandbox, sandbox.path("second"));
    fs::create_dir_all(second.path(".git/logs")).unwrap();
    for name in [
        "config",
        "refs",
        "logs/refs",
        "objects",
        "info",
        "packed-refs",
    ] {
        symlink(repo.path(".git").join(name), second.path(".git").join(name)).unwrap();
    }
    fs::copy(repo.path(".git/HEAD"), second.path(".git/HEAD")).unwrap();
    second.git(&["reset", "-q", "--hard"]).ok();
    second.merkle(&["put-frame", "a.rs", "note.md"]).ok();
    assert!(
        repo.merkle(&["show", "a.rs", "--agent", "human"])
            .ok()
            .contains("a note")
    );
}

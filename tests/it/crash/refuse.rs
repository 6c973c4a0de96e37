//! A disk that is full, and places that cannot be written to: a clear error, nothing half done, reading goes on.
//!
//! The disk is made full by a limit on the size of files, so that writes fail at different moments. What cannot be
//! written to has a plain file where a directory is needed, or the other way round: that stops root as well.

use super::{at_noon, listing, with_frames};
use crate::support::{Output, Repo, Run, Sandbox};

/// Sizes in blocks of 512 bytes at which the disk is full.
const LIMITS: [u32; 7] = [0, 1, 2, 3, 4, 8, 16];

/// What writes; `put-frame` is given a text.
const WRITING: [&[&str]; 3] = [
    &["put-frame", "a.md", "-"],
    &["regenerate"],
    &["invalidate", "-r", ".", "--agent", "human"],
];

/// What only reads; each must work on a full disk and where nothing can be written.
const READING: [&[&str]; 9] = [
    &["status"],
    &["show", "a.md"],
    &["list-frames", "a.md"],
    &["get-head", "a.md", "--agent", "human"],
    &["log", "a.md"],
    &["explain", "a.md"],
    &["scan"],
    &["validate"],
    &["regenerate", "--dry-run"],
];

/// The program on a disk with room for files of so many blocks.
fn limited(repo: &Repo<'_>, blocks: u32, arguments: &[&str]) -> Run {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let run = repo
        .run("sh")
        .args(["-c", &script, "sh", "git-merkle"])
        .args(arguments);
    run.env("SOURCE_DATE_EPOCH", "1800500000")
}

/// The command failed because of the disk, and says so in one line without a trace of how it is built.
#[track_caller]
fn assert_refused(output: Output) {
    let output = output.exits(74);
    let text = output.err();
    assert!(
        text.starts_with("error: cannot ")
            && !text.contains("panicked")
            && !text.contains("os error"),
        "{output}"
    );
}

#[track_caller]
fn assert_readable(mut run: impl FnMut(&[&str]) -> Output) {
    for arguments in READING {
        let output = run(arguments);
        // That a statement was declared void is an answer.
        let text = output
            .err()
            .replace("error: what was said about 'a.md' was declared void", "");
        assert!(
            matches!(output.code, Some(0 | 1)) && !text.contains("error"),
            "{output}"
        );
    }
}

#[test]
fn a_full_disk_refuses_and_nothing_is_half_done() {
    let sandbox = Sandbox::new();
    let mut refused = 0;
    for files in [3, 60] {
        let start = with_frames(&sandbox, files);
        for arguments in WRITING {
            let complete = start.copy_to("complete");
            at_noon(&complete, arguments).input("new\n").run().ok();
            for blocks in LIMITS {
                let repo = start.copy_to("full");
                let output = limited(&repo, blocks, arguments).input("new\n").run();
                let old = listing(&start);
                if output.code == Some(0) {
                    assert_eq!(listing(&repo), listing(&complete));
                } else {
                    refused += 1;
                    assert_refused(output);
                    assert_eq!(listing(&repo), old);
                }
                // What git's own `index-pack` leaves is cleared by git.
                let waits = |file: &String| {
                    file.starts_with("merkle/spool/") || file.starts_with("objects/pack/tmp_")
                };
                assert!(repo.leftovers().iter().all(waits), "{:?}", repo.leftovers());
                if blocks == 0 {
                    assert_readable(|reading| limited(&repo, blocks, reading).run());
                }
                repo.git(&["fsck", "--strict", "--no-progress"]).ok();
                let again = at_noon(&repo, arguments).input("new\n").run();
                assert!(matches!(again.code, Some(0 | 1)), "{again}");
                assert_eq!(
                    listing(&repo),
                    listing(&complete),
                    "{} with {blocks} blocks",
                    arguments[0]
                );
                repo.git(&["prune"]).ok();
                assert_eq!(repo.leftovers(), [] as [&str; 0]);
                std::fs::remove_dir_all(repo.path("")).unwrap();
            }
            std::fs::remove_dir_all(complete.path("")).unwrap();
        }
        std::fs::remove_dir_all(start.path("")).unwrap();
    }
    assert!(refused >= 12, "the disk was full in {refused} runs only");
}

/// Puts a plain file, or a directory that is not empty, in the place of something.
fn block(repo: &Repo<'_>, path: &str, with_directory: bool) {
    let path = repo.path(path);
    let _ = std::fs::remove_dir_all(&path);
    let _ = std::fs::remove_file(&path);
    if with_directory {
        std::fs::create_dir_all(path.join("in the way")).expect("the place can be taken");
    } else {
        std::fs::write(path, "in the way").expect("the place can be taken");
    }
}

#[test]
fn where_state_cannot_be_written_writing_is_refused_and_reading_works() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, 3);
    for (place, is_directory) in [
        (".git/merkle", false),
        (".git/merkle/lock", true),
        (".git/merkle/spool", false),
    ] {
        let repo = start.copy_to("blocked");
        block(&repo, place, is_directory);
        assert_readable(|reading| repo.merkle(reading));
        for arguments in WRITING {
            let spools = arguments[0] == "put-frame";
            if place.ends_with("spool") && !spools {
                continue;
            }
            assert_refused(at_noon(&repo, arguments).input("new\n").run());
            assert_eq!(listing(&repo), listing(&start));
        }
        assert_readable(|reading| repo.merkle(reading));
        repo.assert_sound();
        // The obstacle goes, and with it the trouble.
        let _ = std::fs::remove_file(repo.path(place));
        let _ = std::fs::remove_dir_all(repo.path(place));
        for arguments in WRITING {
            at_noon(&repo, arguments).input("new\n").run().ok();
        }
        repo.merkle(&["validate"]).ok();
        assert_eq!(repo.leftovers(), [] as [&str; 0]);
        std::fs::remove_dir_all(repo.path("")).unwrap();
    }
}

#[test]
fn without_derived_data_everything_works() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, 3);
    let other = start.copy_to("other");
    other.merkle(&["regenerate"]).ok();
    let memory = format!(".git/merkle/cache/{}", other.memory());
    for (place, is_directory) in [
        (".git/merkle/cache", false),
        (".git/merkle/cache/index", true),
        (&memory, true),
        (".git/merkle/cache/outlines", true),
    ] {
        let repo = start.copy_to("blocked");
        block(&repo, place, is_directory);
        for arguments in WRITING {
            at_noon(&repo, arguments).input("new\n").run().ok();
            assert_readable(|reading| repo.merkle(reading));
        }
        assert_eq!(repo.leftovers(), [] as [&str; 0]);
        repo.assert_sound();
        std::fs::remove_dir_all(repo.path("")).unwrap();
    }
}

#[test]
fn a_store_that_git_cannot_move_refuses_too() {
    let sandbox = Sandbox::new();
    let repo = with_frames(&sandbox, 3);
    let before = listing(&repo);
    repo.git(&["pack-refs", "--all"]).ok();
    block(&repo, ".git/refs/merkle", false);
    let output = at_noon(&repo, &["put-frame", "a.md", "-"])
        .input("new\n")
        .run();
    let output = output.exits(74);
    let text = output.err();
    assert!(
        text.starts_with(
            "error: ref 'refs/merkle/frames' cannot be read or written: File exists\n"
        ),
        "{text}"
    );
    // Before, nothing said that the statement was safe, and scripts wrote it again.
    let waits = text
        .lines()
        .nth(1)
        .and_then(|line| line.strip_prefix("hint: nothing is lost: it waits in '"));
    let file = waits
        .and_then(|line| line.strip_suffix("', and the next command stores it"))
        .expect("a hint");
    assert!(std::path::Path::new(file).is_file(), "{text}");
    std::fs::remove_file(repo.path(".git/refs/merkle")).unwrap();
    assert_eq!(listing(&repo), before);
    repo.merkle(&["status"]).ok();
    assert_eq!(
        listing(&repo).len(),
        before.len() + 1,
        "the statement was waiting in the spool"
    );
    assert_eq!(repo.leftovers(), [] as [&str; 0]);
}

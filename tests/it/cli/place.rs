//! Where a command is started from, and how it is told where the repository is: the answers are the same.

use super::sample;
use crate::support::{PROGRAM, Run, Sandbox};

/// Commands about `src/lib.rs` or the whole, as typed in the root of the repository.
const FROM_THE_ROOT: [&str; 10] = [
    "scan",
    "status",
    "regenerate --dry-run",
    "show src/lib.rs",
    "log src/lib.rs",
    "explain src/lib.rs",
    "list-frames src/lib.rs",
    "get-head src/lib.rs",
    "validate --json",
    "config list",
];

#[test]
fn the_same_answers_from_everywhere() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let linked = repo.worktree("linked", "HEAD");
    let home = sandbox.path("home");
    let (work, git_dir) = (repo.path(""), repo.path(".git"));
    for command in FROM_THE_ROOT {
        let finish = |run: Run, command: &str| {
            let output = run.args(command.split(' ')).run().exits(0);
            (output.out(), output.err())
        };
        let truth = finish(repo.run(PROGRAM), command);
        let at_home = || sandbox.run(PROGRAM, &home);
        assert_eq!(finish(at_home().arg("-C").arg(&work), command), truth, "-C");
        assert_eq!(
            finish(
                at_home()
                    .arg("-C")
                    .arg(work.parent().unwrap())
                    .args(["-C", "work"]),
                command
            ),
            truth,
            "-C -C"
        );
        assert_eq!(
            finish(at_home().arg("--git-dir").arg(&git_dir), command),
            truth,
            "--git-dir"
        );
        assert_eq!(
            finish(at_home().env("GIT_DIR", &git_dir), command),
            truth,
            "GIT_DIR"
        );
        assert_eq!(
            finish(linked.run(PROGRAM), command),
            truth,
            "a linked work tree"
        );
        assert_eq!(
            finish(repo.run("git").arg("merkle"), command),
            truth,
            "git merkle"
        );
        // From below, a path is relative to where one stands; `<rev>:<path>` is not, but for `./`.
        let below = || sandbox.run(PROGRAM, &repo.path("src"));
        assert_eq!(
            finish(below(), &command.replace("src/lib.rs", "lib.rs")),
            truth,
            "from below"
        );
        assert_eq!(
            finish(below(), &command.replace("src/lib.rs", "../src/./lib.rs")),
            truth,
            "with .."
        );
        if !command.starts_with("log") {
            assert_eq!(
                finish(below(), &command.replace("src/lib.rs", "HEAD:src/lib.rs")),
                truth,
                "<rev>:<path>"
            );
            assert_eq!(
                finish(below(), &command.replace("src/lib.rs", "HEAD:./lib.rs")),
                truth,
                "<rev>:./<path>"
            );
        }
    }
    let here = sandbox
        .run(PROGRAM, &repo.path("src"))
        .arg("show")
        .run()
        .ok();
    assert_eq!(
        here,
        repo.merkle(&["show", "src"]).ok(),
        "without a node, the current directory is meant"
    );
}

#[test]
fn writing_commands_reach_the_same_store_from_everywhere() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let linked = repo.worktree("linked", "HEAD");
    let home = sandbox.path("home");
    let runs = [
        sandbox
            .run(PROGRAM, &repo.path("src"))
            .args(["put-frame", "lib.rs", "-"]),
        sandbox
            .run(PROGRAM, &home)
            .arg("-C")
            .arg(repo.path("src"))
            .args(["put-frame", "lib.rs", "-", "--type", "a"]),
        sandbox
            .run(PROGRAM, &home)
            .arg("--git-dir")
            .arg(repo.path(".git"))
            .args(["put-frame", "src/lib.rs", "-", "--type", "b"]),
        sandbox
            .run(PROGRAM, &home)
            .env("GIT_DIR", repo.path(".git"))
            .args(["put-frame", "src/lib.rs", "-", "--type", "c"]),
        linked
            .run(PROGRAM)
            .args(["put-frame", "src/lib.rs", "-", "--type", "d"]),
    ];
    for run in runs {
        run.input("said").run().ok();
    }
    let listed = repo
        .merkle(&["list-frames", "--agent", "human", "src/lib.rs"])
        .ok();
    let types: Vec<&str> = listed
        .lines()
        .map(|line| line.split(' ').nth(2).unwrap())
        .collect();
    assert_eq!(
        types,
        ["human/a", "human/b", "human/c", "human/d", "human/note"]
    );
    let frames = repo
        .merkle(&["list-frames", "--json", "--agent", "human", "src/lib.rs"])
        .exits(0)
        .json("list-frames");
    assert!(
        frames["frames"]
            .as_array()
            .unwrap()
            .iter()
            .all(|frame| frame["path"] == "src/lib.rs")
    );
    repo.assert_sound();
}

//! How commands fail: exit codes, text and hints, as a table.

use super::{assert_fields, sample};
use crate::support::{PROGRAM, Sandbox};

const TREE_HINT: &str = "hint: 'git ls-tree -r --name-only HEAD' lists what is there";

/// Command, exit code, what standard error starts with, and a hint that it has.
const FAILURES: &[(&str, u8, &str, &str)] = &[
    (
        "",
        129,
        "error: no command given\n",
        "hint: see 'git merkle -h'",
    ),
    (
        "statsu",
        129,
        "error: unrecognized subcommand 'statsu'\n",
        "hint: a similar subcommand exists: 'status'",
    ),
    (
        "status --bogus",
        129,
        "error: unexpected argument '--bogus' found\n",
        "hint: see 'git merkle status -h'",
    ),
    (
        "show --agent",
        129,
        "error: a value is required for '--agent <agent>'",
        "hint: see 'git merkle show -h'",
    ),
    (
        "show --agent UPPER .",
        129,
        "error: invalid value 'UPPER' for '--agent <agent>'",
        "hint: see 'git merkle show -h'",
    ),
    (
        "put-frame src",
        129,
        "error: the following required arguments were not provided: <file>\n",
        "hint: see 'git merkle put-frame -h'",
    ),
    (
        "-c nothing status",
        129,
        "error: invalid value 'nothing' for '-c <key=value>'",
        "hint: see 'git merkle -h'",
    ),
    (
        "--color=mauve status",
        129,
        "error: invalid value 'mauve' for '--color",
        "hint: see 'git merkle",
    ),
    ("scan --rev nowhere", 128, "error: ", ""),
    (
        "show nope",
        128,
        "error: 'nope' is neither a path in the snapshot nor a revision\n",
        TREE_HINT,
    ),
    (
        "note new.md -m x",
        128,
        "error: 'new.md' is not committed yet\n",
        "hint: commit it first: git add new.md && git commit new.md",
    ),
    (
        "show HEAD:nope",
        128,
        "error: path 'nope' does not exist in 'HEAD'\n",
        TREE_HINT,
    ),
    (
        "show -- -dash",
        128,
        "error: '-dash' is neither a path in the snapshot nor a revision\n",
        TREE_HINT,
    ),
    ("regenerate --since nowhere", 128, "error: ", ""),
    (
        "-C missing status",
        128,
        "error: there is no folder 'missing'\n",
        "hint: name one that is there behind '-C'",
    ),
    ("--git-dir missing status", 128, "error: ", ""),
    (
        "show link",
        65,
        "error: 'link' is a symlink or submodule; only files and directories have frames\n",
        "",
    ),
    (
        "show ../x",
        65,
        "error: '../x' is outside the repository\n",
        "",
    ),
    (
        "synthesize README.md",
        65,
        "error: 'README.md' is a file; only directories are synthesized\n",
        "",
    ),
    (
        "put-frame src README.md --agent nobody",
        65,
        "error: unknown agent 'nobody'\n",
        "hint: 'git merkle agent list'",
    ),
    (
        "put-frame src missing.md",
        74,
        "error: cannot read 'missing.md': No such file or directory\n",
        "",
    ),
    (
        "regenerate --agent human",
        78,
        "error: frames of agent 'human' are written by hand, not made\n",
        "hint: git merkle put-frame",
    ),
    (
        "-c merkle.progress=perhaps status",
        78,
        "error: bad value 'perhaps' for 'merkle.progress' from command line: expected a boolean",
        "hint: 'git merkle config list --all'",
    ),
    (
        "get-head --type review src",
        1,
        "error: nothing of type 'review' is said about 'src' yet",
        "",
    ),
    (
        "show --type review src",
        1,
        "nothing of type 'review' is said about 'src' yet",
        "",
    ),
    (
        "synthesize src --into outline",
        129,
        "error: frames of type 'outline' are what agent 'outline'",
        "hint: choose another",
    ),
    ("invalidate --type review src", 1, "", ""),
    ("diff --exit-code HEAD~1", 1, "warning: ", "regenerate"),
    ("explain --agent human src", 1, "", ""),
    ("status", 0, "", ""),
];

#[test]
fn the_table_of_failures() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit second\n+ z.md = z");
    std::fs::write(repo.path("new.md"), "x\n").expect("writable");
    for (command, code, start, hint) in FAILURES {
        let arguments: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
        let output = repo.merkle(&arguments).exits(i32::from(*code));
        let error = output.err();
        assert!(
            error.starts_with(start) && error.contains(hint),
            "wanted '{start}' and '{hint}' from\n{output}"
        );
        for line in error.lines().filter(|line| line.starts_with("error: ")) {
            assert!(
                !line.ends_with('.') && !line.contains("Some(") && !line.contains("os error"),
                "{line}"
            );
        }
        if *code > 1 {
            assert_eq!(output.out(), "", "an error is no answer\n{output}");
            assert!(
                error.starts_with("error: ")
                    && error.lines().skip(1).all(|line| line.starts_with("hint: ")),
                "{output}"
            );
            // The same as an object, wherever `--json` stands.
            let json = repo
                .run(PROGRAM)
                .arg("--json")
                .args(&arguments)
                .run()
                .exits(i32::from(*code));
            let document: serde_json::Value =
                serde_json::from_str(&json.err()).unwrap_or_else(|_| panic!("{json}"));
            assert_fields(&document, "schema code message hint");
            assert_eq!(
                (&document["code"], json.out().as_str()),
                (&(*code).into(), "")
            );
            assert!(
                error.starts_with(&format!(
                    "error: {}\n",
                    document["message"].as_str().unwrap()
                )),
                "{json}"
            );
        }
    }
}

#[test]
fn outside_of_a_repository_git_s_words_are_used() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("home");
    let output = sandbox.run(PROGRAM, &home).arg("status").run().exits(128);
    let text = output.err().replace(home.to_str().unwrap(), "<home>");
    insta::assert_snapshot!(text, @"
    error: not a git repository (or any of the parent directories): '<home>'
    hint: run 'git init' to make one here
    ");
}

#[test]
fn help_is_an_answer() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("home");
    for arguments in [
        &["-h"][..],
        &["status", "-h"],
        &["regenerate", "--help"],
        &["--version"],
    ] {
        let output = sandbox.run(PROGRAM, &home).args(arguments).run().exits(0);
        assert!(
            !output.stdout.is_empty() && output.stderr.is_empty(),
            "{output}"
        );
    }
}

#[test]
fn a_reader_that_went_away_ends_a_command_silently_as_in_git() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    // The reader is gone before the first byte.
    let script = "git-merkle regenerate --dry-run --force >&-; (sleep 1; git-merkle show . ; echo $? >&2) | true";
    let output = repo.run("sh").args(["-c", script]).run();
    assert!(output.err().ends_with("cost\n141\n"), "{output}");
}

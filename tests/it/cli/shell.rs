//! What shells and `man` are given: candidates for the word under the cursor, scripts, pages.

use std::path::Path;

use super::SAMPLE;
use crate::support::{PROGRAM, Repo, Sandbox};

/// The candidates for the last of the words.
fn candidates(repo: &Repo<'_>, words: &[&str]) -> Vec<String> {
    let index = words.len().to_string();
    let program = ["complete-words", &index, "--", "git-merkle"];
    let lines = repo.merkle(&[&program[..], words].concat()).ok();
    let value = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    lines.lines().map(value).collect()
}

#[test]
fn words_are_completed_by_what_the_repository_has() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    repo.git(&["branch", "topic/one"]).ok();
    repo.merkle(&["agent", "create", "docs"]).ok();
    repo.merkle(&["session", "new", "garden"]).ok();
    for (words, expected) in [
        (&["regen"][..], &["regenerate"][..]),
        (&["context", "--bud"], &["--budget"]),
        (
            &["regenerate", "--agent", ""],
            &["docs", "human", "outline"],
        ),
        (&["explain", "--rev", "to"], &["topic/one"]),
        (&["turn", "show", "-s", ""], &["garden"]),
        (&["show", "src/"], &["src/lib.rs"]),
        (&["completions", ""], &["bash", "zsh", "fish"]),
        (&["agent", "show", "no such"], &[]),
        (&["agent", "show", "d"], &["docs"]),
        (&["session", "show", ""], &["garden"]),
    ] {
        let found = candidates(&repo, words);
        let shown: Vec<&str> = found.iter().map(String::as_str).collect();
        for name in expected {
            assert!(shown.contains(name), "{words:?}: {shown:?}");
        }
        assert!(
            !expected.is_empty() || shown.len() < 2,
            "{words:?}: {shown:?}"
        );
    }
    // A position far behind the words: the program has no candidates, and takes no memory for the words between.
    let far = ["complete-words", "99999999999999", "--", "git-merkle"];
    assert_eq!(repo.merkle(&far).ok(), "");
    // Without a repository: commands and options, and no complaint.
    let outside = sandbox.run(PROGRAM, Path::new("/"));
    let out = outside
        .args(["complete-words", "1", "--", "git-merkle", "sta"])
        .run();
    assert_eq!(
        (out.out(), out.err()),
        (
            "status\tShow how many frames exist and how many are out of date\n".to_owned(),
            String::new()
        )
    );
}

/// The function that git's completion calls, with the variables that git's completion sets.
#[test]
fn bash_completes_what_stands_behind_git_merkle() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    let script = sandbox.path("completion.bash");
    std::fs::write(&script, repo.merkle(&["completions", "bash"]).ok()).expect("writable");
    let complete = |line: &str, expected: &str| {
        let bash = format!(
            "source {}; words=({line}); cword=$((${{#words[@]}} - 1)); cur=${{words[cword]}}; _git_merkle; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let out = repo.run("bash").args(["--norc", "-c", &bash]).run().ok();
        assert_eq!(out.trim(), expected, "{line}");
    };
    complete("git merkle statu", "status");
    complete("git -C . merkle explain --agen", "--agent");
    complete("git merkle regenerate --agent o", "outline");
    complete("git merkle show 'src/l'", "src/lib.rs");
}

#[test]
fn scripts_and_pages_are_written_where_shells_and_man_look() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let home = sandbox.path("home");
    for (shell, file) in [
        (
            "bash",
            ".local/share/bash-completion/completions/git-merkle",
        ),
        ("zsh", ".local/share/zsh/site-functions/_git-merkle"),
        ("fish", ".config/fish/conf.d/git-merkle.fish"),
    ] {
        let script = repo.merkle(&["completions", shell]).ok();
        repo.merkle(&["completions", shell, "--install"]).ok();
        let written = std::fs::read_to_string(home.join(file)).expect("a script");
        assert_eq!(written, script, "{shell}");
    }
    repo.merkle(&["man", "--install"]).ok();
    let pages = home.join(".local/share/man/man1");
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).expect("a page");
    assert_eq!(
        page("git-merkle-show.1"),
        repo.merkle(&["man", "show"]).ok()
    );
    assert!(page("git-merkle.1").starts_with(".ie "), "a page");
    // Every command of the list has a page, and every option of its help stands there.
    let help = repo.merkle(&["-h"]).ok();
    let commands = help.lines().filter_map(|line| {
        let name = line.strip_prefix("   ")?.split(' ').next()?;
        (!name.is_empty() && !name.starts_with('-')).then_some(name)
    });
    let mut count = 0;
    for name in commands {
        let page = page(&format!("git-merkle-{name}.1")).replace('\\', "");
        let options = repo.merkle(&["help", name]).ok();
        let lines = options.lines().map(str::trim_start);
        for line in lines.filter(|line| line.starts_with('-')) {
            let mut words = line.split([' ', ',', '[', '=']);
            if let Some(option) = words.find(|word| word.starts_with("--")) {
                assert!(page.contains(option), "{name}: {option}");
            }
        }
        count += 1;
    }
    assert!(count > 30, "{count} commands");
    drop(repo.merkle(&["man", "no-such"]).exits(129));
}

/// `man` looks beside the folders of `PATH`, so pages beside the user's own program need no setting.
#[test]
fn pages_stand_beside_a_program_of_the_user() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let told = repo.merkle(&["man", "--install"]).ok();
    assert!(told.contains("home/.local/share/man/man1"), "{told}");
    let programs = sandbox.path("home/.cargo/bin");
    std::fs::create_dir_all(&programs).expect("a folder");
    std::os::unix::fs::symlink(PROGRAM, programs.join("git-merkle")).expect("a link");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    let run = |program: &str| repo.run(program).env("PATH", &path);
    let installed = run(PROGRAM).args(["man", "--install"]).run();
    let pages = sandbox.path("home/.cargo/share/man");
    assert_eq!(
        (installed.code, installed.err()),
        (Some(0), "'git merkle --help' shows them\n".to_owned()),
        "{installed}"
    );
    assert!(pages.join("man1/git-merkle.1").is_file());
    // Where there is a 'man', it agrees.
    if Path::new("/usr/bin/man").exists() {
        let found = run("man").args(["-w", "git-merkle"]).run();
        let page = format!("{}\n", pages.join("man1/git-merkle.1").display());
        assert_eq!(found.out(), page, "{found}");
    }
}

#[test]
fn short_help_has_the_options_of_each_day() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let help = |words: &[&str]| repo.merkle(words).ok();
    let long = help(&["help", "regenerate"]);
    assert_eq!(long, help(&["regenerate", "--help"]));
    let short = help(&["regenerate", "-h"]);
    assert!(
        short.contains("--dry-run") && !short.contains("--shard"),
        "{short}"
    );
    assert!(short.contains("see more with '--help'"), "{short}");
    assert!(
        !short.contains("Global options") && !short.contains("--json "),
        "{short}"
    );
    for option in ["--shard", "--dry-run"] {
        assert!(long.contains(option), "{long}");
    }
    let (own, global) = long.split_once("Global options:").expect("at the end");
    assert!(
        !own.contains("--no-pager") && global.contains("--no-pager"),
        "{long}"
    );
    assert!(
        !global.contains("\n\n"),
        "nothing stands behind them: {long}"
    );
    assert!(help(&["turn", "run", "--help"]).contains("--max-tokens"));
    let whole = help(&["-h"]);
    assert!(
        !whole.contains("see more") && !long.contains("see more"),
        "{long}"
    );
    assert!(
        whole.contains("--no-pager") && whole.contains("everyday"),
        "{whole}"
    );
}

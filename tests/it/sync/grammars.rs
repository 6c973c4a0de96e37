//! What a fresh clone parses: nothing, when what is known comes from others; with shared outlines the sample that is checked.

use std::ffi::OsString;
use std::io::Read as _;

use super::{say, world};
use crate::support::{Repo, Sandbox};

/// Runs the command line on standard input, one argument a line, in this process.
#[test]
#[ignore = "run by another test as a process of its own"]
#[expect(clippy::print_stdout, reason = "the test that runs it reads this")]
fn count() {
    let mut arguments = String::new();
    std::io::stdin()
        .read_to_string(&mut arguments)
        .expect("arguments");
    let words = ["git-merkle"].into_iter().chain(arguments.lines());
    let code = git_merkle::cli::run(words.map(OsString::from));
    println!(
        "\n{code:?} grammars {}",
        git_merkle::symbol::grammars_loaded()
    );
}

/// What a command says, and how many grammars its process loads.
#[track_caller]
fn counted(repo: &Repo<'_>, arguments: &[&str]) -> (String, u64) {
    let program = std::env::current_exe().expect("this program");
    let program = program.to_str().expect("UTF-8");
    let run = repo.run(program).args([
        "--exact",
        "sync::grammars::count",
        "--ignored",
        "--nocapture",
    ]);
    let said = run.input(arguments.join("\n")).run().ok();
    let told = said.lines().find_map(|line| {
        let (code, number) = line.rsplit_once(" grammars ")?;
        assert!(code.contains("(0)"), "{said}");
        number.parse().ok()
    });
    (said.clone(), told.expect("a number"))
}

#[test]
fn a_fresh_clone_loads_no_grammar_to_know_what_was_said() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    say(a, "src/lib.rs", "From a.");
    let (_, loaded) = counted(a, &["regenerate"]);
    assert!(loaded > 0, "the counter counts");
    a.merkle(&["-c", "merkle.share=all", "sync"]).ok();

    let (said, loaded) = counted(b, &["sync"]);
    assert!(said.contains("1 frame came"), "{said}");
    assert_eq!(loaded, 0);
    let (said, loaded) = counted(b, &["status"]);
    assert_eq!(loaded, 0, "{said}");

    // Outlines that come are made again as a sample; what is known of them afterwards needs no grammar.
    let all = ["-c", "merkle.share=all"];
    let (said, loaded) = counted(c, &[&all[..], &["sync"]].concat());
    assert!(said.contains("5 frames came"), "{said}");
    assert!(loaded > 0, "{said}");
    let (said, loaded) = counted(c, &[&all[..], &["status"]].concat());
    assert!(said.contains("everything is fresh"), "{said}");
    assert_eq!(loaded, 0, "{said}");
    let (said, loaded) = counted(c, &[&all[..], &["regenerate"]].concat());
    assert!(said.contains("nothing to do"), "{said}");
    assert_eq!(loaded, 0, "{said}");
}

//! One of anything is told in the singular.

use crate::support::Sandbox;

/// Words that commands count.
const COUNTED: [&str; 16] = [
    "calls",
    "changes",
    "commits",
    "directories",
    "entries",
    "faults",
    "files",
    "frames",
    "lines",
    "nodes",
    "notes",
    "pages",
    "paths",
    "statements",
    "tokens",
    "turns",
];

/// The counts in a text that are followed by the plural though they are 1; `2 of 1 files` counts nothing.
fn wrong(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_one = |at: usize| words[at].trim_start_matches(['(', '+', '-']) == "1";
    let is_part = |at: usize| at > 0 && words[at - 1] == "of";
    let name = |at: usize| words[at + 1].trim_end_matches([',', '.', ';', ':', ')', '\n']);
    (0..words.len().saturating_sub(1))
        .filter(|at| is_one(*at) && !is_part(*at) && COUNTED.contains(&name(*at)))
        .map(|at| {
            words[at..]
                .iter()
                .take(8)
                .copied()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

#[test]
fn one_of_anything_is_told_in_the_singular() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    std::fs::write(repo.path("a.rs"), "//! Adds.\n").expect("writable");
    repo.commit("one");
    let mut told = Vec::new();
    let mut tell = |arguments: &[&str]| {
        let output = repo.merkle(arguments);
        let text = format!("{}\n{}", output.out(), output.err());
        told.extend(
            wrong(&text)
                .into_iter()
                .map(|found| format!("{arguments:?}: {found}")),
        );
    };
    let commands: [&[&str]; 24] = [
        &["status"],
        &["regenerate", "a.rs", "--dry-run"],
        &["regenerate", "a.rs"],
        &["regenerate"],
        &["regenerate", "--dry-run"],
        &["note", "a.rs", "-m", "One."],
        &["status"],
        &["status", "--format", "markdown"],
        &["scan"],
        &["show"],
        &["show", "a.rs"],
        &["map"],
        &["find", "adds"],
        &["get-node", "."],
        &["list-frames", "."],
        &["context", "--no-system"],
        &["context", "--no-system", "--for", "adds"],
        &["context", "a.rs", "--no-system"],
        &["invalidate", "a.rs"],
        &["regenerate", "--dry-run"],
        &["validate"],
        &["doctor"],
        &["tiers"],
        &["log"],
    ];
    commands.into_iter().for_each(&mut tell);
    let spool = repo.path(".git/merkle/spool");
    std::fs::create_dir_all(&spool).expect("writable");
    let name = format!("{}.{}", "12".repeat(20), "a".repeat(64));
    std::fs::write(spool.join(name), "no frame").expect("writable");
    tell(&["doctor"]);
    tell(&["doctor", "--fix"]);
    let subjects = repo.git(&["log", "--format=%s", "refs/merkle/frames"]).ok();
    told.extend(wrong(&subjects));
    assert_eq!(told, [""; 0]);
}

#[test]
fn a_wrong_count_is_found() {
    assert_eq!(
        wrong("would make 1 frames (1 missing)"),
        ["1 frames (1 missing)"]
    );
    assert_eq!(
        wrong("store: 11 frames, 1 file, its beginning, 1 of 1 lines"),
        [""; 0]
    );
}

//! What is kept from one command to the next shortens the way and changes no answer: each command says the same bytes with all
//! of it, with any part of it, and with none.
//!
//! | kept | held here by | and beside its code by |
//! |---|---|---|
//! | symbols, references of a tree, tokens of beginnings | `map`, `prompt`, `tiers`, `context` | `symbol/map/tests/laws.rs` |
//! | the index of words, definitions, the past | `find` | `find/index.rs`, `cli/warm.rs` |
//! | requests with nothing to synthesize, slots whose syntheses are up to date | `synthesize`, `status`, `regenerate` | `cli/synthesize.rs` |
//! | frames by node, finished runs | `status` | `derived.rs` |

use std::fmt::Write as _;
use std::fs;

use proptest::prelude::*;

use super::cases;
use crate::support::{Repo, Sandbox};

/// Files of two languages in directories that import each other.
fn project() -> String {
    let mut fixture = "commit all\n+ README.md = # A sample\n".to_owned();
    for directory in 0..5 {
        for file in 0..4 {
            let (next, other) = ((file + 1) % 4, (directory + 1) % 5);
            write!(
                fixture,
                "+ d{directory}/f{file}.py
                   | from d{other}.f{next} import work_{other}_{next}
                   |
                   | class Kind{directory}{file}:
                   |  field = 1
                   |
                   | def work_{directory}_{file}(one, two=2):
                   |  return work_{other}_{next}(one)
                "
            )
            .expect("a string takes all");
        }
        write!(
            fixture,
            "+ d{directory}/deep/g.go
               | package deep
               |
               | // Work{directory} works.
               | func Work{directory}() int {{ return {directory} }}
            "
        )
        .expect("a string takes all");
    }
    fixture
}

/// How many commands there are.
const COMMANDS: usize = 9;

/// A command over some directories, within some tokens.
fn command(which: usize, directories: &[usize], tokens: u64) -> Vec<String> {
    let paths = directories.iter().map(|number| format!("d{number}"));
    let tokens = tokens.to_string();
    let head: &[&str] = match which {
        0 => &["map"],
        1 => &["map", "--budget", &tokens],
        2 => &["map", "--lines", "--json"],
        3 => &["find", "work of a kind", "--budget", &tokens],
        4 => return words(&["prompt", "-m", "explain", "--symbols", &tokens]),
        5 => return words(&["tiers", "-m", "explain", "--symbols", &tokens]),
        6 => return words(&["context", "--budget", &tokens]),
        7 => return words(&["status", "--json"]),
        _ => return words(&["synthesize", ".", "--json"]),
    };
    words(head).into_iter().chain(paths).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn answer(repo: &Repo<'_>, command: &[String]) -> String {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let output = repo.merkle(&command);
    format!("{:?}\n{}\n{}", output.code, output.out(), output.err())
}

/// Removes those files of derived data that the bits of a number name.
fn forget(repo: &Repo<'_>, which: u32) {
    let entries = fs::read_dir(repo.path(".git/merkle/cache")).expect("the cache is there");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for (at, file) in files.iter().enumerate() {
        if which >> at & 1 == 1 {
            fs::remove_file(file).expect("a file that can go");
        }
    }
}

#[test]
fn each_command_says_the_same_with_any_part_of_what_is_kept() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(&project());
    let _ = repo.merkle(&["regenerate"]).exits(0);
    let _ = repo.merkle(&["synthesize", "."]).exits(0);
    let paths = prop::collection::btree_set(0..5_usize, 0..4);
    let asked = (0..COMMANDS, paths, 0..1_500_u64);
    proptest!(cases(48), |(asked in asked, gone in any::<u32>())| {
        let (which, paths, tokens) = asked;
        let command = command(which, &paths.into_iter().collect::<Vec<_>>(), tokens);
        // Whatever earlier cases have left, then without a part, then with all that this one keeps, then from nothing.
        let kept = answer(&repo, &command);
        forget(&repo, gone);
        let part = answer(&repo, &command);
        let again = answer(&repo, &command);
        forget(&repo, u32::MAX);
        let none = answer(&repo, &command);
        prop_assert!(!none.contains("panicked"), "{none}");
        prop_assert_eq!(&kept, &none, "kept: {:?}", command);
        prop_assert_eq!(&part, &none, "a part: {:?}", command);
        prop_assert_eq!(&again, &none, "again: {:?}", command);
    });
    for which in 0..COMMANDS {
        let said = answer(&repo, &command(which, &[1, 3], 1_200));
        assert!(
            said.starts_with("Some(0)"),
            "each of them has an answer: {said}"
        );
    }
}

/// Files that are edited and spoken about.
const PLACES: [&str; 4] = ["README.md", "d/a.txt", "d/e/b.txt", "d/e/c/d.rs"];
/// Two slots of syntheses.
const SLOTS: [[&str; 6]; 2] = [
    ["--agent", "human", "--type", "note", "--into", "digest"],
    ["--agent", "human", "--type", "note", "--into", "other"],
];

/// One thing that may make a synthesis outdated, or up to date again.
#[derive(Debug, Clone)]
enum Step {
    Note { place: usize, text: usize },
    Retract { place: usize },
    Edit { place: usize, text: usize },
    Ignore { rules: usize },
    Synthesize { directory: usize, slot: usize },
    Switch,
    Regenerate,
}

fn step() -> impl Strategy<Value = Step> {
    let place = 0..PLACES.len();
    prop_oneof![
        3 => (place.clone(), 0..3_usize).prop_map(|(place, text)| Step::Note { place, text }),
        1 => place.clone().prop_map(|place| Step::Retract { place }),
        3 => (place, 0..3_usize).prop_map(|(place, text)| Step::Edit { place, text }),
        1 => (0..3_usize).prop_map(|rules| Step::Ignore { rules }),
        2 => (0..3_usize, 0..SLOTS.len())
            .prop_map(|(directory, slot)| Step::Synthesize { directory, slot }),
        1 => Just(Step::Switch),
        4 => Just(Step::Regenerate),
    ]
}

/// Does it, as far as it can be done: a note that is retracted twice is no part of the law.
fn apply(repo: &Repo<'_>, step: &Step) {
    match *step {
        Step::Note { place, text } => {
            let text = format!("statement {text}");
            let _ = repo.merkle(&["note", PLACES[place], "-m", &text]).exits(0);
        }
        Step::Retract { place } => drop(repo.merkle(&["retract", PLACES[place]])),
        Step::Edit { place, text } => {
            repo.fill(&format!("commit edit\n+ {} = text {text}", PLACES[place]));
        }
        Step::Ignore { rules } => {
            let rules = ["nothing", "*.txt", "e/"][rules];
            repo.fill(&format!("commit rules\n+ .teddyignore = {rules}"));
        }
        Step::Synthesize { directory, slot } => {
            let directory = [".", "d", "d/e"][directory];
            drop(repo.merkle(&[&["synthesize", directory][..], &SLOTS[slot]].concat()));
        }
        Step::Switch => {
            if repo.git(&["checkout", "-q", "-"]).code != Some(0) {
                repo.git(&["checkout", "-q", "-b", "other"]).ok();
            }
        }
        Step::Regenerate => drop(repo.merkle(&["regenerate"]).exits(0)),
    }
}

#[test]
fn syntheses_that_are_remembered_as_up_to_date_are() {
    let first =
        "commit first\n+ README.md = # R\n+ d/a.txt = a\n+ d/e/b.txt = b\n+ d/e/c/d.rs = fn d() {}";
    let was_remembered = std::cell::Cell::new(false);
    proptest!(cases(6), |(steps in prop::collection::vec(step(), 4..16))| {
        let sandbox = Sandbox::new();
        let repo = sandbox.filled(first);
        apply(&repo, &Step::Note { place: 2, text: 0 });
        apply(&repo, &Step::Synthesize { directory: 0, slot: 0 });
        let commands = [words(&["status", "--json"]), words(&["regenerate", "--dry-run", "--json"])];
        let answers = || commands.each_ref().map(|command| answer(&repo, command));
        let remembered = repo.path(".git/merkle/cache/synthesized");
        for step in &steps {
            apply(&repo, step);
            let kept = answers();
            drop(fs::remove_file(&remembered));
            let planned = answers();
            prop_assert_eq!(&kept, &planned, "after {:?}", step);
            was_remembered.set(was_remembered.get() || remembered.exists());
            prop_assert_eq!(&answers(), &planned, "again after {:?}", step);
        }
        apply(&repo, &Step::Regenerate);
        drop(fs::remove_file(&remembered));
        let planned = repo.merkle(&["regenerate", "--dry-run"]).exits(0);
        prop_assert!(planned.err().contains("(nothing to do)") && planned.out().is_empty(), "{}", planned);
    });
    assert!(was_remembered.get(), "nothing was ever remembered");
}

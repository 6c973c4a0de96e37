//! The plan after a finished run is empty, whatever was done to the files: random histories, walked step by step.

use proptest::prelude::*;

use super::{cases, regenerate, tasks};
use crate::support::{Repo, Sandbox};

/// Few names and few contents, so that the same object often stands at several places.
const DIRECTORIES: [&str; 4] = ["", "a/", "b/", "a/deep/"];
const NAMES: [&str; 4] = ["one.rs", "two.rs", "three.md", "four.py"];
const CONTENTS: [&str; 5] = [
    "",
    "pub fn f() {}\n",
    "pub fn f() { 1; }\n",
    "# Title\n\nWords.\n",
    "def f(): pass\n",
];
/// Rules that treat a directory alike wherever it stands: one node has one frame, so of two that differ the one that is
/// met first decides, and how much is walked decides which that is.
const RULES: [&str; 3] = ["", "*.py\n", "deep/\n!one.rs\n"];

/// One thing that somebody does to the files.
#[derive(Debug, Clone)]
enum Edit {
    Write {
        directory: usize,
        name: usize,
        content: usize,
    },
    Remove {
        directory: usize,
        name: usize,
    },
    /// Puts a directory with everything in it at another place.
    Move {
        from: usize,
        to: usize,
    },
    Copy {
        from: usize,
        to: usize,
    },
    Ignore {
        rules: usize,
    },
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = (0..DIRECTORIES.len(), 0..NAMES.len());
    let pair = (1..DIRECTORIES.len(), 1..DIRECTORIES.len());
    prop_oneof![
        6 => (place.clone(), 0..CONTENTS.len())
            .prop_map(|((directory, name), content)| Edit::Write { directory, name, content }),
        2 => place.prop_map(|(directory, name)| Edit::Remove { directory, name }),
        1 => pair.clone().prop_map(|(from, to)| Edit::Move { from, to }),
        1 => pair.prop_map(|(from, to)| Edit::Copy { from, to }),
        2 => (0..RULES.len()).prop_map(|rules| Edit::Ignore { rules }),
    ]
}

/// Does it, as far as it can be done: a part of a random history that makes no sense is no part of it.
fn apply(repo: &Repo<'_>, edit: &Edit, is_mixed: bool) {
    let place =
        |directory: usize, name: &str| repo.path(&format!("{}{name}", DIRECTORIES[directory]));
    // One suffix for all is one language for all.
    let file = |directory: usize, name: &str| {
        place(
            directory,
            &format!("{name}{}", if is_mixed { "" } else { ".rs" }),
        )
    };
    match *edit {
        Edit::Write {
            directory,
            name,
            content,
        } => write(&file(directory, NAMES[name]), CONTENTS[content]),
        Edit::Ignore { rules } => write(&place(0, ".teddyignore"), RULES[rules]),
        Edit::Remove { directory, name } => {
            drop(std::fs::remove_file(file(directory, NAMES[name])));
        }
        Edit::Move { from, to } => drop(std::fs::rename(place(from, ""), place(to, "moved"))),
        Edit::Copy { from, to } => {
            for name in NAMES {
                if let Ok(text) = std::fs::read_to_string(file(from, name)) {
                    write(&file(to, name), &text);
                }
            }
        }
    }
}

fn write(file: &std::path::Path, text: &str) {
    let directory = file.parent().expect("a file stands in a directory");
    // A name that is a file already cannot become a directory, and the other way round.
    if std::fs::create_dir_all(directory).is_ok() {
        let _ = std::fs::write(file, text);
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn after_a_finished_run_there_is_nothing_to_do(
        history in prop::collection::vec(prop::collection::vec(edit(), 1..6), 1..4),
        is_mixed in any::<bool>(),
    ) {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("work");
        for (number, edits) in history.iter().enumerate() {
            for edit in edits {
                apply(&repo, edit, is_mixed);
            }
            // Looked at before it is committed, every other time: the same work, done earlier.
            let early = (number % 2 == 1).then(|| regenerate(&repo, &["--worktree"]));
            repo.fill("commit another");
            let counts = regenerate(&repo, &[]);
            prop_assert!(early.is_none() || counts.stored == 0, "{counts:?} after {early:?}");
            prop_assert_eq!(tasks(&repo, &[]), [] as [&str; 0]);
            let all = regenerate(&repo, &["--verify"]);
            prop_assert_eq!((all.made(), all.kept, all.fresh), ((0, 0, 0), 0, all.visited));
        }
        repo.git(&["fsck", "--strict", "--no-progress"]).ok();
        repo.merkle(&["validate"]).ok();
        // What was found step by step is what a look at the whole finds, where a content has one language.
        let clone = repo.clone_to("clone", &[]);
        regenerate(&clone, &[]);
        if !is_mixed {
            prop_assert_eq!(clone.merkle(&["get-head", "."]).ok(), repo.merkle(&["get-head", "."]).ok());
        }
    }
}

/// What stands in private bodies takes no part in what is said of directories, whatever it names.
#[test]
fn an_edit_of_a_private_body_changes_no_directory() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let files = [
        (
            "src/a.go",
            "package a\n\ntype Box struct{}\n\nfunc Open() *Box { return nil }\n\nfunc shut(b int) int { return b }\n",
        ),
        (
            "src/b.py",
            "class Box:\n    pass\n\ndef open(): pass\n\ndef _shut(): return 1\n",
        ),
        (
            "src/deep/c.rs",
            "pub struct Box;\npub fn open() {}\nfn shut() -> u8 { 1 }\n",
        ),
        (
            "test/d.js",
            "function shut() { return 1 }\nmodule.exports = { open() {} }\n",
        ),
    ];
    let said = |edit: &dyn Fn(&str, &str) -> String| {
        for (file, text) in files {
            repo.put(file, edit(file, text));
        }
        repo.fill("commit bodies");
        regenerate(&repo, &[]);
        [".", "src", "src/deep", "test"].map(|node| repo.merkle(&["get-head", node]).ok())
    };
    let before = said(&|_, text| text.to_owned());
    let after = said(&|file, text| {
        let (from, to) = match file {
            "src/a.go" => ("return b", "Open(); Open(); return len(\"Box\")"),
            "src/deep/c.rs" => ("{ 1 }", "{ open(); open(); let _ = Box; 2 }"),
            _ => ("return 1", "return open(Box, Box)"),
        };
        assert!(text.contains(from), "{text}");
        text.replace(from, to)
    });
    assert!(
        before[1].contains("Box") && before[2].contains("Box"),
        "{before:?}"
    );
    assert_eq!(after, before);
}

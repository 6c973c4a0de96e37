//! The register of the prose: words that leave the reader to guess who acts are not used. `CONTRIBUTING.md` says more.

use std::path::{Path, PathBuf};

/// Name the actor instead: the user, the process, the provider, the caller; and the number.
const BANNED: [&str; 6] = [
    "somebody",
    "nobody",
    "whoever",
    "so many",
    "is asked about",
    "are asked about",
];

/// What is read, and of folders what ends so.
const PLACES: [(&str, &[&str]); 5] = [
    ("src", &["rs"]),
    ("docs", &["md"]),
    ("hooks", &[]),
    (".github", &["md", "yml"]),
    ("README.md", &["md"]),
];

fn files(path: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("a folder of the project");
        for entry in entries {
            files(&entry.expect("an entry").path(), endings, found);
        }
    } else if endings.is_empty()
        || path
            .extension()
            .is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted))
    {
        found.push(path.to_owned());
    }
}

/// The banned words of a text with the lines that they begin in. A line break within one, with the marks of a comment
/// behind it, is a space.
fn banned(text: &str) -> Vec<(usize, &'static str)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start().trim_start_matches(['/', '!', '#']);
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let in_line = line
            .split(|c| !is_letter(c))
            .filter(|word| !word.is_empty());
        // `NoBody` is a name of the code; prose has a capital at most in front.
        let plain = |word: &str| {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_lowercase());
            first.into_iter().chain(chars).collect::<String>()
        };
        words.extend(in_line.map(|word| (number, plain(word))));
    }
    let mut found = Vec::new();
    for at in 0..words.len() {
        for phrase in BANNED {
            let mut rest = words[at..].iter().map(|(_, word)| word.as_str());
            if phrase.split(' ').all(|word| rest.next() == Some(word)) {
                found.push((words[at].0, phrase));
            }
        }
    }
    found
}

#[test]
fn no_sentence_hides_who_acts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for (place, endings) in PLACES {
        files(&root.join(place), endings, &mut paths);
    }
    assert!(paths.len() > 400, "{} files", paths.len());
    paths.retain(|path| !path.starts_with(root.join("docs/research")));
    paths.sort();
    let mut found: Vec<String> = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("text");
        for (line, word) in banned(&text) {
            let path = path.strip_prefix(root).expect("within the project");
            found.push(format!("{}:{line}: '{word}'", path.display()));
        }
    }
    assert!(
        found.is_empty(),
        "say who acts, or how many:\n{}",
        found.join("\n")
    );
}

#[test]
fn banned_words_are_found_across_lines_and_in_capitals() {
    assert_eq!(
        banned("/// Nobody's.\n/// At most so\n    /// many. `NoBody`, so_many, nobodys\n"),
        [(1, "nobody"), (2, "so many")]
    );
}

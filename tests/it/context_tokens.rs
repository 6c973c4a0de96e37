//! What `context` says about its tokens, held against a real tokenizer over whole documents of real sources.

use std::path::Path;

use git_merkle::base::token;

use crate::support::{Repo, Sandbox};

/// What 19 of 20 estimates may be off at most, in per cent, and what all may.
const OFF_MAX: f64 = 3.0;
const OFF_MAX_OF_ALL: f64 = 6.0;
/// In less than this, a word that is repeated counts for too much.
const DOCUMENT_BYTES_MIN: usize = 20_000;
/// Real texts: this program's own.
const PARTS: [&str; 5] = ["src", "tests", "docs", "hooks", "README.md"];

/// Copies this program's own files into a repository.
fn fill_with_own(repo: &Repo<'_>) {
    fn copy(from: &Path, to: &Path) {
        if !from.is_dir() {
            std::fs::copy(from, to).expect("a file");
            return;
        }
        std::fs::create_dir_all(to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("a folder").flatten() {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    }
    for part in PARTS {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(part), &repo.path(part));
    }
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "--quiet", "--message", "own"]).ok();
}

/// The folders whose files make a document each.
fn folders(repo: &Repo<'_>) -> Vec<String> {
    let tracked = repo.git(&["ls-tree", "-d", "-r", "--name-only", "HEAD"]).ok();
    tracked.lines().map(str::to_owned).collect()
}

#[test]
fn estimates_are_those_of_a_real_tokenizer_within_three_per_cent() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    fill_with_own(&repo);
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    let mut seen = Vec::new();
    let (mut documents_off, mut is_near) = (0, true);
    let mut documents = vec![vec!["src/**".to_owned()], vec!["docs/**".to_owned(), "README.md".to_owned()]];
    documents.extend(folders(&repo).into_iter().map(|folder| vec![format!("{folder}/**")]));
    for entries in documents {
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let output = repo.merkle(&[&["context", "--output", "input.md"], &entries[..]].concat()).exits(0);
        let document = std::fs::read_to_string(repo.path("input.md")).expect("written");
        if document.len() < DOCUMENT_BYTES_MIN {
            continue;
        }
        let real = tokenizer.count_ordinary(&document) as f64;
        let said = output.err().strip_suffix(" tokens (estimate)\n").and_then(|said| said.parse::<u64>().ok());
        let said = said.unwrap_or_else(|| panic!("an estimate in {output}"));
        let off = 100.0 * (said as f64 / real - 1.0);
        seen.push(format!("{entries:?}: {said} for {real}, {off:+.2} %"));
        documents_off += usize::from(off.abs() > OFF_MAX);
        is_near &= off.abs() <= OFF_MAX_OF_ALL;
        // What a budget is counted with is the same but for where lines end.
        assert!(token::estimate(&document).abs_diff(said) * 200 <= said, "{output}");
    }
    assert!(is_near && documents_off * 20 <= seen.len(), "{documents_off} off: {seen:#?}");
}

#[test]
fn the_estimate_is_said_once_and_not_when_quiet() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ a.md = # words");
    let output = repo.merkle(&["context", "a.md"]).exits(0);
    let said: u64 = output.err().trim_end_matches(" tokens (estimate)\n").parse().expect("a number");
    let whole = token::estimate(&output.out());
    assert!(whole.abs_diff(said) * 10 <= said, "{whole} of {output}");
    assert_eq!(repo.merkle(&["context", "a.md", "--section", "5"]).exits(0).err(), "");
    assert_eq!(repo.merkle(&["context", "a.md", "--quiet"]).exits(0).err(), "");
    let output = repo.merkle(&["context", "a.md", "--section", "5", "--json"]);
    let document = output.json("context");
    let said = document["tokens_estimated"].as_u64().expect("a number");
    let whole = token::estimate(document["text"].as_str().expect("text"));
    assert!(whole.abs_diff(said) <= 2, "{whole} of {document}");
    assert_eq!(output.err(), "");
}

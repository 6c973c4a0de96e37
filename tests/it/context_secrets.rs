//! `context` and what looks like a secret: nothing is written before somebody has allowed it or wants markers.

use crate::secret::id_of;
use crate::support::Sandbox;

/// A token that nobody has, put together so that no scanner takes this file for a leak.
fn token(last: &str) -> String {
    ["ghp", "_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2j", last].concat()
}

#[test]
fn a_body_with_a_secret_stops_the_document_until_it_is_allowed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.put(
        "a.rs",
        format!(
            "// one\nlet t = \"{}\";\nlet u = \"{}\";\n",
            token("F"),
            token("G")
        ),
    );
    std::fs::write(repo.path("b.rs"), "// clean\n").expect("writable");
    repo.commit("first");
    let refused = repo
        .merkle(&["context", "*.rs", "--output", "input.md"])
        .exits(78);
    let id = id_of(&refused);
    assert_eq!(
        refused.err(),
        format!(
            "error: 'a.rs', line 2, holds what looks like a secret (github-token), and 1 more\n\
             hint: take it out, or if it is none let it pass with '--allow-secret {id}'\n\
             hint: '--redact' puts markers in the places of all of them\n"
        )
    );
    assert!(
        !repo.path("input.md").exists()
            && repo.merkle(&["context", "*.rs"]).exits(78).out().is_empty()
    );
    repo.merkle(&["context", "*.rs", "--section", "4"]).ok();
    repo.merkle(&["context", "b.rs"]).ok();
    let redacted = repo.merkle(&["context", "*.rs", "--redact"]).ok();
    assert!(
        redacted.contains("let t = \"[redacted: github-token]\";\n")
            && redacted.contains("// clean"),
        "{redacted}"
    );
    assert!(!redacted.contains(&token("F")[4..]), "{redacted}");
    let second = repo
        .merkle(&["context", "*.rs", "--allow-secret", &id])
        .exits(78);
    assert!(
        second.err().contains("line 3") && id_of(&second) != id,
        "{second}"
    );
    let document = repo
        .merkle(&["context", "*.rs", "--allow-secret", &id_of(&second)])
        .ok();
    assert_eq!(
        repo.merkle(&["context", "*.rs"]).ok(),
        document,
        "what is allowed is remembered"
    );
    let lists = repo.path(".git/merkle/cache/clean-of-secrets");
    assert!(lists.exists());
    std::fs::remove_file(&lists).expect("there");
    assert_eq!(
        repo.merkle(&["context", "*.rs"]).ok(),
        document,
        "and does not hang on derived data"
    );
    std::fs::remove_file(repo.path(".git/merkle/allowed-secrets")).expect("there");
    let _ = repo.merkle(&["context", "*.rs"]).exits(78);
}

#[test]
fn names_memos_and_added_rules_count_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ deploy/.env = KEY=1\n+ a.rs = x corp-49381726 y");
    let refused = repo.merkle(&["context", "**"]).exits(78);
    assert!(
        refused
            .err()
            .contains("'deploy/.env', line 1, holds what looks like a secret"),
        "{refused}"
    );
    let redacted = repo.merkle(&["context", "deploy/**", "--redact"]).ok();
    assert!(
        redacted.contains("Not included: it looks like a file of secrets by its name.\n"),
        "{redacted}"
    );
    repo.merkle(&["context", "deploy/**", "--allow-secret", &id_of(&refused)])
        .ok();
    repo.merkle(&["context", "a.rs"]).ok();
    std::fs::create_dir(repo.path(".teddy")).expect("a folder");
    let rule = "[[rule]]\nid = 'corp'\nkeywords = ['corp-']\npattern = 'corp-[0-9]{8}'\n";
    std::fs::write(repo.path(".teddy/secrets.toml"), rule).expect("writable");
    let refused = repo.merkle(&["context", "a.rs"]);
    assert_eq!(
        refused.code,
        Some(78),
        "what is clean by fewer rules is looked at again: {refused}"
    );
    std::fs::remove_file(repo.path(".teddy/secrets.toml")).expect("there");
    repo.put(".teddy/memos.yaml", format!("- {}\n", token("F")));
    let refused = repo.merkle(&["context", "a.rs"]).exits(78);
    assert!(
        refused.err().contains("'.teddy/memos.yaml', line 1"),
        "{refused}"
    );
    assert!(
        repo.merkle(&["context", "a.rs", "--redact"])
            .ok()
            .contains("- [redacted: github-token]\n")
    );
}

//! What looks like a secret at the doors: stopped where a person stands, replaced by a marker where nobody does.

mod name;

use crate::support::{Output, PROGRAM, Repo, Sandbox};

/// A token that nobody has, put together so that no scanner takes this file for a leak.
pub(crate) fn token() -> String {
    ["ghp", "_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"].concat()
}

fn put(repo: &Repo<'_>, options: &[&str], text: &str) -> Output {
    repo.run(PROGRAM)
        .arg("put-frame")
        .args(options)
        .args(["src", "-"])
        .input(text)
        .run()
}

fn sample(sandbox: &Sandbox) -> Repo<'_> {
    sandbox.filled("commit first\n+ src/lib.rs = pub fn add() {}")
}

/// The id that a refusal names.
#[track_caller]
pub(crate) fn id_of(output: &Output) -> String {
    let text = output.err();
    let at = text
        .find("--allow-secret ")
        .unwrap_or_else(|| panic!("no id in\n{output}"));
    text[at + 15..]
        .chars()
        .take_while(char::is_ascii_hexdigit)
        .collect()
}

/// Every file below a folder holds no such text; git's objects are looked at through git.
#[track_caller]
fn assert_nowhere(repo: &Repo<'_>, word: &str) {
    let objects = repo
        .git(&["cat-file", "--batch-all-objects", "--batch"])
        .exits(0)
        .stdout;
    assert!(
        !String::from_utf8_lossy(&objects).contains(word),
        "an object holds it"
    );
    let found = repo.run("grep").args(["-rlF", "--", word, ".git"]).run();
    assert_eq!(found.out(), "", "a file holds it");
}

#[test]
fn a_statement_with_a_secret_is_stopped_and_named_until_it_is_allowed() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let text = format!("Use it.\n\nThe token is {}.\n", token());
    let refused = put(&repo, &[], &text).exits(78);
    let id = id_of(&refused);
    assert_eq!(
        refused.err(),
        format!(
            "error: 'standard input', line 3, holds what looks like a secret (github-token)\n\
             hint: take it out, or if it is none let it pass with '--allow-secret {id}'\n"
        )
    );
    let refused = put(&repo, &["--json"], &text).exits(78);
    assert!(
        refused.err().contains("\"code\":78") && !refused.err().contains(&token()[4..]),
        "{refused}"
    );
    assert!(
        repo.frames().is_empty(),
        "nothing is stored, and nothing waits"
    );
    assert_nowhere(&repo, &token()[4..]);
    std::fs::write(repo.path("note.md"), &text).unwrap();
    let refused = repo.merkle(&["put-frame", "src", "note.md"]).exits(78);
    assert!(
        refused.err().contains("'note.md', line 3") && id_of(&refused) == id,
        "{refused}"
    );
    drop(put(&repo, &["--allow-secret", "0123456789ab"], &text).exits(78));
    drop(put(&repo, &["--allow-secret", "junk"], &text).exits(129));
    put(&repo, &["--allow-secret", &id], &text).ok();
    put(&repo, &[], &format!("Said again: {}", token())).ok();
    let remembered = std::fs::read_to_string(repo.path(".git/merkle/allowed-secrets")).unwrap();
    assert!(remembered.contains(&id) && !remembered.contains(&token()[4..]));
    repo.assert_sound();
}

#[test]
fn an_outline_has_markers_and_is_the_same_whatever_is_allowed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let source = format!(
        "//! Uses {0}.\n\n/// Not {0}.\npub const TOKEN: &str = \"{0}\";\n",
        token()
    );
    std::fs::write(repo.path("lib.rs"), source).unwrap();
    repo.put(
        "deploy.sh",
        format!("#!/bin/sh\n# Sends {0}.\nTOKEN={0}\n", token()),
    );
    repo.commit("leak");
    repo.merkle(&["regenerate"]).ok();
    let said = |path: &str| repo.merkle(&["get-head", path]).ok();
    assert!(
        said("lib.rs").starts_with("Uses [redacted: github-token]."),
        "{}",
        said("lib.rs")
    );
    for path in ["lib.rs", "deploy.sh", "."] {
        assert!(!said(path).contains(&token()[4..]), "{path}");
    }
    let before = repo.frames();
    let id = id_of(&repo.put_frame("lib.rs", token()));
    repo.merkle(&["regenerate", "--verify", "--allow-secret", &id])
        .ok();
    assert_eq!(
        repo.frames(),
        before,
        "what is allowed here changes no frame that others would make"
    );
}

#[test]
fn a_synthesis_of_what_is_not_allowed_any_more_is_stopped() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let id = id_of(&put(&repo, &[], &token()));
    let text = format!("Token {}", token());
    repo.run(PROGRAM)
        .args(["put-frame", "src/lib.rs", "-", "--allow-secret", &id])
        .input(text)
        .run()
        .ok();
    std::fs::create_dir_all(repo.path(".teddy/agents")).unwrap();
    let synthesize = ["synthesize", "src", "--agent", "human", "--type", "note"];
    repo.merkle(&synthesize).ok();
    std::fs::remove_file(repo.path(".git/merkle/allowed-secrets")).unwrap();
    repo.merkle(&["invalidate", "src", "--agent", "human"]).ok();
    let refused = repo.merkle(&synthesize).exits(78);
    assert!(
        refused.err().contains("'src', line ") && refused.err().contains("(github-token)"),
        "{refused}"
    );
}

#[test]
fn files_of_rules_only_add() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    std::fs::create_dir(repo.path(".teddy")).unwrap();
    let write = |text: &str| std::fs::write(repo.path(".teddy/secrets.toml"), text).unwrap();
    let house = "[[rule]]\nid = 'house'\nkeywords = ['house-']\npattern = 'house-[0-9]{6}'\n";
    write(house);
    let refused = put(&repo, &[], "It is house-493817.").exits(78);
    assert!(refused.err().contains("(house)"), "{refused}");
    drop(put(&repo, &[], &token()).exits(78));
    // A rule of the same name, one that allows everything, and one that would swallow: what is built in is still found.
    let loose = "[[rule]]\nid = 'github-token'\nkeywords = ['ghp_']\npattern = 'ghp_'\nallow = ['.']\nentropy = 99.0\n";
    write(loose);
    drop(put(&repo, &[], &token()).exits(78));
    for (text, line) in [
        ("placeholders = ['.']\n", "line 1"),
        (
            "\n[[rule]]\nid = 'github-token'\nenabled = false\n",
            "line 4",
        ),
        (
            "[[rule]]\nid = 'a'\nkeywords = ['abc']\npattern = '('\n",
            "line 4",
        ),
        ("[[[", "line 1"),
    ] {
        write(text);
        let refused = put(&repo, &[], "Nothing secret.").exits(78);
        assert!(
            refused.err().contains(".teddy/secrets.toml'") && refused.err().contains(line),
            "{text}: {refused}"
        );
    }
}

/// Before, commands that ask a model and all others had two texts for it.
#[test]
fn what_is_allowed_and_cannot_be_kept_has_one_text() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["session", "new", "login"]).ok();
    std::fs::create_dir(repo.path(".git/merkle/allowed-secrets")).expect("writable");
    for arguments in [&["context", "src"][..], &["turn", "new", "-m", "Go."]] {
        let allowing = [arguments, &["--allow-secret", "0123456789ab"]].concat();
        let output = repo.merkle(&allowing).exits(74);
        assert!(
            output
                .err()
                .contains("error: cannot remember what is allowed: "),
            "{output}"
        );
    }
}

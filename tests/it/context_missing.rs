//! `context` says what it has not: on standard error, in the exit code, in JSON; and what costs nothing is made.

use crate::support::{Repo, Sandbox};

const HISTORY: &str = "
    commit first
    + src/lib.rs
      | //! A crate that adds.
      |
      | pub fn add() {}
    + src/deep/b.py = def b(): pass
    + README.md = # words
";

fn repo(sandbox: &Sandbox) -> Repo<'_> {
    sandbox.filled(HISTORY)
}

/// Before, each of these ended with 0 and a token count on standard error.
#[test]
fn what_is_named_and_cannot_be_shown_is_said_and_ends_with_1() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    for (entry, reason) in [
        ("src/none.rs", "no such file in the snapshot"),
        (
            "src/lib.rs:10-20",
            "no such file, and unknown revision 'src/lib.rs'",
        ),
        ("src/*.go", "matches nothing in the snapshot"),
        ("src/lib.rs/", "not a directory"),
        (
            "/etc/hostname",
            "refused: absolute paths lead out of the repository",
        ),
        (
            "../outside",
            "refused: '..' could lead out of the repository",
        ),
        (
            "frame:src@docs.summary",
            "it has no frame of this agent and type",
        ),
        ("none.context", "no such list in the snapshot"),
        ("https://127.0.0.1/x", "failed URL: "),
    ] {
        let run = repo.merkle(&["context", "README.md", entry]).exits(1);
        assert!(run.out().contains("# words"), "the rest is shown\n{run}");
        let expected = format!("warning: '{entry}' is not shown: {reason}");
        assert_eq!(
            run.err()
                .lines()
                .filter(|line| line.starts_with(&expected))
                .count(),
            1,
            "{entry}\n{run}"
        );
        let document = repo
            .merkle(&["context", "--json", entry])
            .exits(1)
            .json("context");
        assert_eq!(document["missing"][0]["name"], *entry);
        assert!(
            document["missing"][0]["reason"]
                .as_str()
                .is_some_and(|text| text.starts_with(reason)),
            "{document}"
        );
        let allowed = repo.merkle(&["context", "--allow-missing", entry]).exits(0);
        assert!(allowed.err().contains(&expected), "{allowed}");
        repo.merkle(&["context", "--section", "2", entry]).ok();
        let file = repo
            .merkle(&["context", "--output", "../input.md", entry])
            .exits(1);
        assert!(
            file.err().contains(&expected) && sandbox.path("input.md").exists(),
            "{file}"
        );
    }
    let many: Vec<String> = (0..25).map(|number| format!("none{number}")).collect();
    let arguments: Vec<&str> = ["context"]
        .into_iter()
        .chain(many.iter().map(String::as_str))
        .collect();
    let run = repo.merkle(&arguments).exits(1);
    assert_eq!(run.err().matches("is not shown: ").count(), 20, "{run}");
    assert!(run.err().contains("warning: 5 more are not shown"), "{run}");
}

#[test]
fn what_is_shown_as_what_it_is_is_not_missing() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    repo.fill("commit odd\n@ link -> README.md");
    std::fs::write(repo.path("raw.bin"), b"a\0b").expect("writable");
    repo.fill("commit binary");
    let run = repo.merkle(&["context", "link", "raw.bin", "**"]).exits(0);
    assert!(!run.err().contains("not shown"), "{run}");
    let document = repo
        .merkle(&["context", "--json", "**"])
        .exits(0)
        .json("context");
    assert_eq!(document["missing"], serde_json::json!([]));
}

/// Before, a directory without a frame was "Not included: it has no frame yet".
#[test]
fn a_directory_without_a_frame_is_outlined_and_nothing_is_stored() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    let entries = [
        "src/",
        "src/deep/",
        "HEAD:src/",
        "frame:src/lib.rs",
        "frame:src@outline.outline",
    ];
    let contents = |entries: &[&str]| {
        repo.merkle(&[&["context", "--section", "5"], entries].concat())
            .ok()
    };
    let before = contents(&entries);
    assert!(before.contains("`lib.rs` — A crate that adds."), "{before}");
    assert!(before.contains("def b()"), "{before}");
    assert!(
        contents(&[]).contains("`src/` (2 files) — A crate that adds."),
        "without a list the root is outlined"
    );
    assert_eq!(repo.git(&["for-each-ref", "refs/merkle"]).ok(), "");
    repo.merkle(&["regenerate"]).ok();
    assert_eq!(
        contents(&entries),
        before,
        "what is stored later is the same"
    );
    // What a user took back is not made again behind their back.
    repo.merkle(&["invalidate", "src"]).ok();
    assert!(
        repo.merkle(&["context", "src/"])
            .exits(1)
            .err()
            .contains("its frame was taken back")
    );
    // A part of the store serves: after an edit only what changed is made.
    repo.fill("commit second\n+ src/new.rs = pub fn fresh() {}");
    let after = contents(&["src/"]);
    assert!(
        after.contains("`new.rs`") && after.contains("A crate that adds."),
        "{after}"
    );
}

/// Before, every command refused an absolute path; agents and editors pass them.
#[test]
fn an_absolute_path_below_the_work_tree_is_that_of_its_file() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    repo.merkle(&["regenerate"]).ok();
    std::os::unix::fs::symlink(repo.path(""), sandbox.path("spelled")).expect("a link");
    for root in [repo.path(""), sandbox.path("spelled")] {
        let at = |path: &str| root.join(path).to_str().expect("UTF-8").to_owned();
        let same = |verb: &[&str], path: &str| {
            let absolute = repo.merkle(&[verb, &[at(path).as_str()]].concat());
            assert_eq!(
                absolute.out(),
                repo.merkle(&[verb, &[path]].concat()).out(),
                "{absolute}"
            );
            assert!(absolute.code == Some(0), "{absolute}");
        };
        for verb in [
            &["show"][..],
            &["explain"],
            &["get-node"],
            &["list-frames"],
            &["map"],
            &["context", "--section", "5"],
        ] {
            same(verb, "src/lib.rs");
        }
        same(&["context", "--section", "5"], "src/");
        same(&["context", "--section", "5"], "src/*.rs");
        same(&["prompt", "-m", "x", "--file"], "src/lib.rs");
        assert!(
            repo.merkle(&["regenerate", &at("src")])
                .ok()
                .starts_with("nothing to do")
        );
        assert!(
            repo.merkle(&["show", &at("src/../README.md")])
                .ok()
                .contains("words")
        );
        assert!(
            repo.merkle(&["show", &at(".")])
                .ok()
                .contains("Directory of")
        );
        repo.merkle(&[
            "session",
            "new",
            &format!("s{}", root.ends_with("spelled")),
            "-c",
            &at("src/lib.rs"),
        ])
        .ok();
    }
    let list = std::fs::read_to_string(repo.path(".teddy/sessions/strue/session.context"))
        .expect("a list");
    assert!(list.ends_with("one entry a line.\nsrc/lib.rs\n"), "{list}");
    for outside in ["/etc/hostname", "/", "/src/lib.rs"] {
        assert!(
            repo.merkle(&["show", outside])
                .exits(65)
                .err()
                .contains("is outside the repository")
        );
    }
    let bare = repo.clone_to("bare", &["--bare"]);
    assert!(
        bare.merkle(&["show", "/src/lib.rs"])
            .exits(65)
            .err()
            .contains("is outside the repository")
    );
}

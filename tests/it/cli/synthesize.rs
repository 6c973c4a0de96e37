//! `synthesize`.

use super::{assert_fields, note, sample, told};
use crate::support::{PROGRAM, Sandbox};

fn digest(repo: &crate::support::Repo<'_>, options: &str) -> String {
    let frame = repo
        .run(PROGRAM)
        .arg("synthesize")
        .args(options.split(' '))
        .run()
        .ok();
    let listed = repo
        .merkle(&["list-frames", "src", "--json"])
        .exits(0)
        .json("list-frames");
    let frames = listed["frames"].as_array().expect("a list");
    let made = frames
        .iter()
        .find(|one| one["frame"] == frame.trim())
        .expect("what is printed is stored");
    made["content"].as_str().expect("text").to_owned()
}

/// Red before: "nothing is said about 'src' yet", though something is.
#[test]
fn show_says_how_a_combined_frame_is_shown() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src/lib.rs", "Sums wrap.");
    repo.merkle(&["synthesize", "src", "--agent", "human", "--type", "note"])
        .ok();
    insta::assert_snapshot!(told(&repo.merkle(&["show", "src", "--agent", "human"])), @"
    --- stderr
    'src' has only what was combined from below it; 'git merkle show src --agent human --type digest' shows it
    --- exit 1
    ");
    let shown = repo.merkle(&["show", "src", "--agent", "human", "--type", "digest"]);
    assert!(shown.ok().contains("Sums wrap."));
}

#[test]
fn a_directory_s_frame_from_its_children_s() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(digest(&repo, "src"), @"
    ## deep/

    ## mod.rs

    Deep down.

    Rust source, under 10 lines, 1 public item.

    - `pub struct Deep`

    ## lib.rs

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    ");
    insta::assert_snapshot!(digest(&repo, "src --policy summarize --into short"), @r"
    A crate that adds.

    Directory of 2 files and 1 directory: Rust 2.

    - `lib.rs` — A crate that adds.
    - `deep/` (1 file) — Deep down.
    ");
    insta::assert_snapshot!(digest(&repo, "src --policy filter --glob *.rs --kind file --into files"), @"
    ## lib.rs

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    ");
    let document = repo
        .merkle(&["synthesize", "src", "--json"])
        .exits(0)
        .json("synthesize");
    assert_fields(&document, "schema frame made kept");
    assert_eq!(
        (&document["made"], &document["kept"]),
        (&0.into(), &2.into()),
        "the same children, the same bytes"
    );
    assert_eq!(
        repo.merkle(&["list-frames", ".", "--type", "digest"]).ok(),
        "",
        "nothing outside the directory"
    );
    note(&repo, "src/lib.rs", "a note");
    let all = digest(&repo, "src --agent human --type * --into gathered");
    assert!(all.contains("a note"), "{all}");
    assert!(
        repo.merkle(&["show", "--type", "digest", "src"])
            .ok()
            .contains("fresh src")
    );
    repo.assert_sound();
}

#[test]
fn what_cannot_be_synthesized_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(told(&repo.merkle(&["synthesize", "src/lib.rs"])), @"
    --- stderr
    error: 'src/lib.rs' is a file; only directories are synthesized
    --- exit 65
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["synthesize", "src", "--policy", "poem"])), @"
    --- stderr
    error: unknown synthesis policy 'poem' (known: concatenate, filter, summarize)
    --- exit 129
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["synthesize", "src", "--agent", "nobody"])), @"
    --- stderr
    error: unknown agent 'nobody'
    hint: 'git merkle agent list' lists those there are
    --- exit 65
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["synthesize", "src", "--type", "**"])), @"
    --- stderr
    error: '**' is not a word of 1 to 32 lower-case letters, digits and dashes
    --- exit 129
    ");
}

/// The children of a directory, two levels deep, spoken about by a person.
fn spoken(sandbox: &Sandbox) -> crate::support::Repo<'_> {
    let repo = sandbox.filled("commit first\n+ d/a.txt = a\n+ d/e/b.txt = b\n+ README.md = # R");
    repo.merkle(&["regenerate"]).ok();
    note(&repo, "d/a.txt", "first statement");
    note(&repo, "d/e/b.txt", "deep statement");
    repo.merkle(&["synthesize", "d", "--agent", "human", "--type", "note"])
        .ok();
    repo
}

/// Before, `show d` called the digest fresh after its child had said something else, and nothing made it again.
#[test]
fn a_synthesis_follows_its_children_without_a_model() {
    let sandbox = Sandbox::new();
    let repo = spoken(&sandbox);
    let shown = |node: &str| repo.merkle(&["show", "--type", "digest", node]).ok();
    assert!(shown("d").contains("human/digest fresh d"));
    repo.merkle(&["status", "--exit-code"]).ok();
    note(&repo, "d/a.txt", "second statement");
    let text = shown("d");
    assert!(
        text.contains("human/digest outdated (its children say something else now) d")
            && text.contains("first"),
        "{text}"
    );
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "d", "--agent", "human", "--type", "digest"])), @"
    human/digest of d is outdated
      its children say something else now
        a.txt (says something else now)
      frame #1, generation 1, basis #2
      refreshing looks at 1 node; no calls to a model, no cost
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--dry-run"])), @"
    d/
    --- stderr
    would make 1 frame (1 children), 7 fresh; no calls to a model, no cost
    --- exit 0
    ");
    let text = repo.merkle(&["status", "--exit-code"]).exits(1).out();
    assert!(
        text.contains("human/digest                     1         1         -"),
        "{text}"
    );
    repo.merkle(&["regenerate"]).ok();
    assert!(shown("d").contains("fresh d") && shown("d").contains("second statement"));
    // One level deeper: the directory between says something else first.
    note(&repo, "d/e/b.txt", "deeper statement");
    assert!(shown("d").contains("human/digest outdated (a child is to be made first) d"));
    repo.merkle(&["regenerate", "--agent", "human", "--type", "digest"])
        .ok();
    assert!(shown("d").contains("fresh d") && shown("d").contains("deeper statement"));
    assert_eq!(
        repo.merkle(&["regenerate"]).ok(),
        "nothing to do: every node of HEAD is fresh\n"
    );
    // A child that was taken back is no longer told.
    repo.merkle(&["invalidate", "d/a.txt", "--agent", "human"])
        .ok();
    repo.merkle(&["regenerate"]).ok();
    assert!(!shown("d").contains("second statement"));
    // A changed file, and a directory that is new: what `synthesize` would make today.
    repo.fill("commit second\n+ d/a.txt = changed\n+ d/new/c.txt = c");
    assert!(
        repo.merkle(&["explain", "d", "--agent", "human", "--type", "digest"])
            .exits(1)
            .out()
            .contains("it has changed since")
    );
    note(&repo, "d/new/c.txt", "new statement");
    repo.merkle(&["regenerate"]).ok();
    let made = shown("d");
    assert!(
        made.contains("new statement") && made.contains("deeper statement"),
        "{made}"
    );
    let again = repo
        .merkle(&[
            "synthesize",
            "d",
            "--agent",
            "human",
            "--type",
            "note",
            "--json",
        ])
        .exits(0)
        .json("synthesize");
    assert_eq!((&again["made"], &again["kept"]), (&0.into(), &3.into()));
    repo.merkle(&["status", "--exit-code"]).ok();
    repo.assert_sound();
}

#[test]
fn a_synthesis_remembers_its_policy_in_its_header() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.merkle(&[
        "synthesize",
        "src",
        "--policy",
        "filter",
        "--glob",
        "*.rs",
        "--kind",
        "file",
    ])
    .ok();
    let name = repo.frames().into_iter().find(|name| {
        name.contains(".digest.") && name.replace('/', "").starts_with(&repo.id("HEAD:src"))
    });
    let bytes = repo
        .git(&[
            "cat-file",
            "blob",
            &format!("refs/merkle/frames:{}", name.expect("it is stored")),
        ])
        .ok();
    let policy = "policy: {\"name\":\"filter\",\"type\":\"outline\",\"globs\":[\"*.rs\"],\"kind\":\"file\"}\n---\n";
    assert!(bytes.contains(policy), "{bytes}");
    // By that policy it is made again.
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}\n+ src/notes.md = # Notes");
    repo.merkle(&["regenerate"]).ok();
    let shown = repo.merkle(&["show", "--type", "digest", "src"]).ok();
    assert!(
        shown.contains("other()") && !shown.contains("notes.md") && !shown.contains("deep"),
        "{shown}"
    );
    // One that was invalidated is left alone until it is asked for again.
    repo.merkle(&["invalidate", ".", "-r", "--type", "digest"])
        .ok();
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["status", "--exit-code"]).ok();
    assert!(
        repo.merkle(&["show", "--type", "digest", "src"])
            .exits(1)
            .out()
            .contains("invalidated")
    );
    repo.merkle(&["synthesize", "src"]).ok();
    assert!(
        repo.merkle(&["show", "--type", "digest", "src"])
            .ok()
            .contains("fresh src")
    );
}

/// Before, `synthesize .` made the payload of flask 16 times as large, and `show` began with the digest.
#[test]
fn a_synthesis_changes_no_other_view() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit second\n+ more.md = # More");
    repo.merkle(&["regenerate"]).ok();
    let commands = [
        "context",
        "context src/",
        "show",
        "show src",
        "get-head .",
        "get-head src",
        "get-node src",
        "diff HEAD~1",
        "map",
    ];
    let views = || {
        let run = |line: &&str| repo.merkle(&line.split(' ').collect::<Vec<_>>());
        commands
            .iter()
            .map(run)
            .map(|output| (output.code, output.out(), output.err()))
            .collect::<Vec<_>>()
    };
    let before = views();
    repo.merkle(&["synthesize", "."]).ok();
    for (command, (before, after)) in commands.iter().zip(before.iter().zip(views())) {
        let count = |text: &str| text.replace("the node itself has 2", "the node itself has 1");
        assert_eq!(*before, (after.0, count(&after.1), after.2), "{command}");
    }
    // Asked for by its type it is there.
    assert!(
        repo.merkle(&["show", "--type", "digest"])
            .ok()
            .contains("outline/digest fresh")
    );
    assert!(
        repo.merkle(&["get-head", ".", "--type", "digest"])
            .ok()
            .contains("## README.md")
    );
    assert!(
        repo.merkle(&["context", "src/", "--frames", "digest"])
            .ok()
            .contains("## lib.rs")
    );
}

/// Before, `regenerate --agent docs --type digest` asked the model about every node, and `--agent outline` put outlines over it.
#[test]
fn neither_a_model_nor_an_outline_takes_the_place_of_a_synthesis() {
    let world = crate::generate::World::steady(crate::generate::PROTOCOLS[0]);
    let repo = world.repo(super::SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    crate::generate::command(&repo, &["regenerate", "--agent", "docs", "--yes"])
        .run()
        .ok();
    let asked = world.server.posts().len();
    repo.merkle(&[
        "synthesize",
        ".",
        "--agent",
        "docs",
        "--type",
        "summary",
        "--into",
        "dig",
    ])
    .ok();
    repo.merkle(&["synthesize", "."]).ok();
    let digests =
        || ["dig", "digest"].map(|kind| repo.merkle(&["get-head", ".", "--type", kind]).ok());
    let before = digests();
    for (agent, kind) in [("docs", "dig"), ("outline", "digest")] {
        let text = repo
            .merkle(&["regenerate", "--agent", agent, "--type", kind])
            .ok();
        assert_eq!(text, "nothing to do: every node of HEAD is fresh\n");
    }
    let refused = repo
        .merkle(&["regenerate", "--agent", "outline", "--type", "dig"])
        .exits(65);
    assert!(
        refused
            .err()
            .contains("hint: git merkle synthesize . --agent outline --into dig"),
        "{refused}"
    );
    note(&repo, "src", "x");
    assert_eq!((world.server.posts().len(), digests()), (asked, before));
}

/// Before, each run planned all syntheses again, even with nothing to do.
#[test]
fn a_run_with_nothing_to_do_plans_no_synthesis_again() {
    let sandbox = Sandbox::new();
    let repo = spoken(&sandbox);
    let run = || repo.merkle(&["regenerate"]);
    let nothing = "nothing to do: every node of HEAD is fresh\n";
    run().ok();
    let planned = run().ok();
    let remembered = repo.path(".git/merkle/cache/synthesized");
    let bytes = std::fs::read(&remembered).expect("it is remembered");
    // A plan needs the directory below.
    let id = repo.id("HEAD:d/e");
    let tree = repo.path(".git/objects").join(&id[..2]).join(&id[2..]);
    let kept = std::fs::read(&tree).expect("a loose object");
    std::fs::remove_file(&tree).expect("removable");
    assert_eq!(run().ok(), planned);
    let _ = repo.merkle(&["regenerate", "--verify"]).exits(128);
    for at in [0, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&remembered, damaged).expect("writable");
        let _ = run().exits(128);
    }
    std::fs::write(&tree, kept).expect("writable");
    assert_eq!(run().ok(), nothing);
    note(&repo, "d/e/b.txt", "another statement");
    let shown = || repo.merkle(&["show", "--type", "digest", "d"]).ok();
    assert!(!shown().contains("another statement"));
    run().ok();
    assert!(
        shown().contains("another statement"),
        "the store has moved: {}",
        shown()
    );
}

#[test]
fn a_request_that_had_nothing_to_make_is_answered_without_a_walk() {
    let sandbox = Sandbox::new();
    let repo = spoken(&sandbox);
    let request = [
        "synthesize",
        "d",
        "--agent",
        "human",
        "--type",
        "note",
        "--json",
    ];
    let ask = || repo.merkle(&request).exits(0).out();
    let remembered = repo.path(".git/merkle/cache/synthesized");
    let walked = ask();
    assert!(
        walked.contains("\"made\":0") && walked.contains("\"kept\":2"),
        "{walked}"
    );
    let bytes = std::fs::read(&remembered).expect("it is remembered");
    // A walk needs the directory below.
    let id = repo.id("HEAD:d/e");
    let tree = repo.path(".git/objects").join(&id[..2]).join(&id[2..]);
    let kept = std::fs::read(&tree).expect("a loose object");
    std::fs::remove_file(&tree).expect("removable");
    assert_eq!(ask(), walked);
    for at in [0, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&remembered, damaged).expect("writable");
        let _ = repo.merkle(&request).exits(128);
    }
    std::fs::write(&tree, kept).expect("writable");
    assert_eq!(ask(), walked);
    let into_another = repo
        .merkle(&[&request[..], &["--into", "other"]].concat())
        .exits(0);
    assert!(into_another.out().contains("\"made\":2"), "{into_another}");
    note(&repo, "d/e/b.txt", "another statement");
    let made = ask();
    assert!(made.contains("\"made\":2"), "the store has moved: {made}");
    for _ in 0..2 {
        assert!(ask().contains("\"made\":0"));
    }
    repo.assert_sound();
}

/// Before, these were taken with every policy, and chose nothing.
#[test]
fn what_chooses_children_needs_the_policy_that_chooses() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let refused = repo
        .merkle(&["synthesize", ".", "--glob", "*.rs"])
        .exits(129);
    assert!(refused.err().contains("--policy filter"), "{refused}");
}

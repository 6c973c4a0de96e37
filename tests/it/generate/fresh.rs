//! What makes a generated frame outdated, and what does not.

use super::{AGENT, Protocol, SMALL, World, about, head, regenerate};
use crate::support::loopback::{Loopback, Scripted};

#[test]
fn other_words_make_frames_outdated_and_another_provider_does_not() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(SMALL);
    regenerate(&repo, &[]).ok();
    assert_eq!(world.server.posts().len(), 5);
    let other = Loopback::answering(about);
    world.provider("n", Protocol::Anthropic, &other.endpoint());
    assert!(
        regenerate(&repo, &["--provider", "n"])
            .ok()
            .starts_with("nothing to do")
    );
    assert!(
        regenerate(&repo, &["--provider", "n", "--verify"])
            .ok()
            .starts_with("nothing to do")
    );
    world.agent(&AGENT.replace("source code", "programs"));
    assert!(
        repo.merkle(&["explain", "src/lib.rs", "--agent", "docs"])
            .exits(1)
            .out()
            .contains("instructions")
    );
    regenerate(&repo, &["--provider", "n"]).ok();
    assert_eq!((world.server.posts().len(), other.posts().len()), (5, 5));
    assert!(
        repo.merkle(&["show", "src/lib.rs"])
            .ok()
            .contains("about src/lib.rs")
    );
}

#[test]
fn force_makes_a_new_generation_and_keeps_the_old_one() {
    let world = World::new(
        Protocol::Anthropic,
        Loopback::start(|request| Scripted::answer(format!("try {}", request.order))),
    );
    let repo = world.repo(SMALL);
    regenerate(&repo, &["README.md"]).ok();
    let first = head(&repo, "README.md");
    regenerate(&repo, &["README.md"]).ok();
    assert_eq!(head(&repo, "README.md"), first);
    regenerate(&repo, &["README.md", "--force"]).ok();
    assert_ne!(head(&repo, "README.md"), first);
    let listed = repo
        .merkle(&["list-frames", "README.md", "--json"])
        .exits(0)
        .json("list-frames");
    assert_eq!(listed["frames"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_child_that_says_the_same_does_not_disturb_what_is_above() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(SMALL);
    regenerate(&repo, &[]).ok();
    repo.fill("commit edit\n+ src/one.rs = pub fn one() { println!() }");
    let done = regenerate(&repo, &["--json"]).exits(0).json("regenerate");
    assert_eq!(
        world.server.posts().len(),
        6,
        "only the file is asked about"
    );
    assert_eq!((&done["made_files"], &done["kept"]), (&1.into(), &0.into()));
    assert_eq!(
        done["reused"], 2,
        "src/ and the root say what they said, as other trees"
    );
    repo.git(&["mv", "src/one.rs", "src/two.rs"]).ok();
    repo.git(&["commit", "-q", "-m", "rename"]).ok();
    regenerate(&repo, &[]).ok();
    let asked = world.server.posts().split_off(6);
    assert_eq!(
        asked.len(),
        1,
        "a renamed file is not asked about; its directory lists another name"
    );
}

#[test]
fn an_agent_of_outlines_is_not_asked_about_function_bodies() {
    let world = World::steady(Protocol::OpenAi);
    world.agent(&format!("{AGENT}sensitivity = \"outline\"\n"));
    let repo = world.repo(SMALL);
    regenerate(&repo, &[]).ok();
    repo.fill("commit body\n+ src/lib.rs\n| //! A crate that adds.\n|\n| pub fn add(a: u8, b: u8) -> u8 {\n|     b + a\n| }");
    let done = regenerate(&repo, &["--json"]).exits(0).json("regenerate");
    assert_eq!(
        (world.server.posts().len(), &done["reused"]),
        (5, &3.into())
    );
    repo.fill("commit sign\n+ src/lib.rs\n| //! A crate that adds.\n|\n| pub fn add(a: u16) -> u8 {\n|     b + a\n| }");
    regenerate(&repo, &[]).ok();
    assert_eq!(world.server.posts().len(), 6);
}

#[test]
fn an_agent_speaks_only_about_what_it_includes() {
    let world = World::steady(Protocol::OpenAi);
    world.agent(&format!("{AGENT}include = [\"src/**\"]\n"));
    let repo = world.repo(SMALL);
    regenerate(&repo, &[]).ok();
    let asked: Vec<String> = world.server.posts().iter().map(super::path_of).collect();
    assert!(!asked.contains(&"README.md".to_owned()), "{asked:?}");
    assert_eq!(asked.len(), 4);
    let root = world.server.posts().pop().expect("the root").last_user();
    assert!(
        root.contains("README.md"),
        "a child without a frame is named\n{root}"
    );
}

#[test]
fn same_content_is_asked_about_once() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(
        "commit one\n+ a/x.rs = pub fn x() {}\n+ b/x.rs = pub fn x() {}\n+ c/x.rs = pub fn x() {}",
    );
    regenerate(&repo, &[]).ok();
    assert_eq!(
        world.server.posts().len(),
        3,
        "one file, one directory under three names, the root"
    );
}

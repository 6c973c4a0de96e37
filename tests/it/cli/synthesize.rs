//! `synthesize`.

use super::{assert_fields, note, sample, told};
use crate::support::{PROGRAM, Sandbox};

fn digest(repo: &crate::support::Repo<'_>, options: &str) -> String {
    let frame = repo.run(PROGRAM).arg("synthesize").args(options.split(' ')).run().ok();
    let listed = repo.merkle(&["list-frames", "src", "--json"]).exits(0).json("list-frames");
    let frames = listed["frames"].as_array().expect("a list");
    let made = frames.iter().find(|one| one["frame"] == frame.trim()).expect("what is printed is stored");
    made["content"].as_str().expect("text").to_owned()
}

#[test]
fn a_directory_s_frame_from_its_children_s() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(digest(&repo, "src"), @"
    ## deep/

    ## mod.rs

    Rust source, under 10 lines, 1 public item.

    - `pub struct Deep`: Deep down.

    ## lib.rs

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    ");
    insta::assert_snapshot!(digest(&repo, "src --policy summarize --into short"), @"
    A crate that adds.

    Directory of 2 files and 1 directory: Rust 2.

    - `lib.rs` — A crate that adds.
    - `deep/` (1 file) — `mod.rs`
    ");
    insta::assert_snapshot!(digest(&repo, "src --policy filter --glob *.rs --kind file --into files"), @"
    ## lib.rs

    A crate that adds.

    Rust source, under 10 lines, 1 public item.

    - `pub fn add(a: u8, b: u8) -> u8`: Adds two numbers.
    ");
    let document = repo.merkle(&["synthesize", "src", "--json"]).exits(0).json("synthesize");
    assert_fields(&document, "schema frame made kept");
    assert_eq!((&document["made"], &document["kept"]), (&0.into(), &2.into()), "the same children, the same bytes");
    assert_eq!(repo.merkle(&["list-frames", ".", "--type", "digest"]).ok(), "", "nothing outside the directory");
    note(&repo, "src/lib.rs", "a note");
    let all = digest(&repo, "src --agent human --type * --into gathered");
    assert!(all.contains("a note"), "{all}");
    assert!(repo.merkle(&["show", "--type", "digest", "src"]).ok().contains("fresh src"));
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

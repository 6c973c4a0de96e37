//! `diff`.

use super::{assert_each, masked, note, sample, told};
use crate::support::Sandbox;

#[test]
fn what_is_known_of_two_revisions_in_words() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    assert_eq!(told(&repo.merkle(&["diff", "HEAD..HEAD"])), "--- exit 0");
    note(&repo, "src/lib.rs", "Only the first version has a note.");
    repo.fill("commit second\n+ src/lib.rs\n| //! A crate that multiplies.\n|\n| /// Adds two numbers.\n| pub fn add(a: u16, b: u16) -> u16 {\n|     a + b\n| }\n- src/deep\n+ new.md = # New");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD~1..HEAD", "--type", "outline"])), @"
    diff ./ outline/outline (missing: 'git merkle regenerate' brings it up to date)

    diff src outline/outline (missing: 'git merkle regenerate' brings it up to date)

    diff src/deep outline/outline
    -Directory of 1 file: Rust 1.
    -
    -- `mod.rs` — `pub struct Deep`

    diff src/deep/mod.rs outline/outline
    -Rust source, under 10 lines, 1 public item.
    -
    -- `pub struct Deep`: Deep down.

    diff src/lib.rs outline/outline (missing: 'git merkle regenerate' brings it up to date)

    --- exit 1
    ");
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD~1..HEAD"])), @"
    diff ./ outline/outline
     
     Directory of 3 files and [-2-]{+1+} [-directories:-]{+directory:+} [-Rust-]{+Markdown+} 2, [-Markdown-]{+Rust+} 1.
     
     - `README.md` — Says what it is.
     - `src/` [-(2-]{+(1+} [-files)-]{+file)+} — A crate that [-adds.-]{+multiplies.
     - `new.md`+}
     - `link` (symlink)

    diff new.md outline/outline
    +Markdown file, under 10 lines, 1 heading.
    +
    +- New

    diff src outline/outline
     A crate that [-adds.-]{+multiplies.+}
     
     Directory of [-2 files and -]1 [-directory:-]{+file:+} Rust [-2.-]{+1.+}
     
     - `lib.rs` — A crate that [-adds.
     - `deep/` (1 file) — `mod.rs`-]{+multiplies.+}

    diff src/deep outline/outline
    -Directory of 1 file: Rust 1.
    -
    -- `mod.rs` — `pub struct Deep`

    diff src/deep/mod.rs outline/outline
    -Rust source, under 10 lines, 1 public item.
    -
    -- `pub struct Deep`: Deep down.

    diff src/lib.rs human/note (missing)

    diff src/lib.rs outline/outline
     A crate that [-adds.-]{+multiplies.+}
     
    @@
     
     - `pub fn add(a: [-u8,-]{+u16,+} b: [-u8)-]{+u16)+} -> [-u8`:-]{+u16`:+} Adds two numbers.

    --- exit 1
    ");
    let range = repo.merkle(&["diff", "HEAD~1.."]).exits(1).out();
    assert_eq!(repo.merkle(&["diff", "HEAD~1"]).exits(1).out(), range, "HEAD is meant");
    insta::assert_snapshot!(masked(&repo.merkle(&["diff", "HEAD~1..HEAD", "--", "src/lib.rs"]).exits(1).out()), @"
    diff src/lib.rs human/note (missing)

    diff src/lib.rs outline/outline
     A crate that [-adds.-]{+multiplies.+}
     
    @@
     
     - `pub fn add(a: [-u8,-]{+u16,+} b: [-u8)-]{+u16)+} -> [-u8`:-]{+u16`:+} Adds two numbers.
    ");
}

#[test]
fn names_records_and_documents() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit second\n+ \"src/\\u00e4 b.rs\" = pub fn x() {}");
    repo.merkle(&["regenerate"]).ok();
    let names = repo.merkle(&["diff", "--name-only", "HEAD~1..HEAD"]).exits(1).out();
    assert_eq!(names, "./\nsrc\n\"src/\\303\\244 b.rs\"\n");
    let records = repo.merkle(&["diff", "--name-only", "-z", "HEAD~1..HEAD"]).exits(1).out();
    assert_eq!(records, "./\0src\0src/ä b.rs\0");
    let quiet = repo.run(crate::support::PROGRAM).args(["-c", "core.quotePath=false", "diff", "--name-only", "HEAD~1"]).run();
    assert_eq!(quiet.exits(1).out(), "./\nsrc\nsrc/ä b.rs\n");
    let document = repo.merkle(&["diff", "--json", "HEAD~1..HEAD"]).exits(1).json("diff");
    let changes = document["changes"].as_array().unwrap();
    assert_each(&document["changes"], "path agent type old new missing");
    assert_eq!((&changes[2]["path"], &changes[2]["old"]), (&"src/ä b.rs".into(), &serde_json::Value::Null));
    assert_eq!(repo.merkle(&["diff", "--json", "HEAD"]).exits(0).json("diff")["changes"], serde_json::json!([]));
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD..nowhere"])), @"
    --- stderr
    error: unknown revision 'nowhere'
    --- exit 128
    ");
}

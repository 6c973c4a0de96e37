//! `invalidate`.

use super::{assert_fields, note, sample, told};
use crate::support::Sandbox;

#[test]
fn void_frames_are_made_again_and_stay_listed() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src/lib.rs", "a note");
    insta::assert_snapshot!(told(&repo.merkle(&["invalidate", "src/lib.rs", "--agent", "outline"])), @"
    invalidated 1 frame
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["invalidate", "src/lib.rs", "--agent", "outline"])), @"
    invalidated 0 frames
    --- exit 1
    ");
    let _ = repo.merkle(&["explain", "src/lib.rs"]).exits(1);
    assert_eq!(
        repo.merkle(&["regenerate"]).ok(),
        "made 1 frame (1 file, 0 directories), 2 unchanged, 3 fresh\n"
    );
    let document = repo
        .merkle(&["list-frames", "src/lib.rs", "--agent", "outline", "--json"])
        .exits(0)
        .json("list-frames");
    let frames = document["frames"].as_array().unwrap();
    let kinds: Vec<_> = frames
        .iter()
        .map(|frame| {
            (
                frame["seq"].as_u64().unwrap(),
                frame["basis_kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [(1, "generated"), (2, "invalidation"), (3, "generated")]
    );
    assert_eq!(
        frames[0]["frame"], frames[2]["frame"],
        "it says what it said"
    );
    assert_eq!(
        (&frames[1]["content"], &frames[2]["state"]),
        (&"".into(), &"fresh".into())
    );
    // Before, what people say went with the rest, and no run brought it back.
    insta::assert_snapshot!(told(&repo.merkle(&["invalidate", "--recursive", "src"])), @"
    invalidated 4 frames
    --- stderr
    1 frame is written by hand and left: no run makes that again; 'git merkle retract' ends what you said, '--agent <agent>' invalidates what all said
    --- exit 0
    ");
    assert!(
        repo.merkle(&["show", "src/lib.rs", "--agent", "human"])
            .ok()
            .contains("a note")
    );
    insta::assert_snapshot!(told(&repo.merkle(&["invalidate", "src/lib.rs", "--agent", "human"])), @"
    invalidated 1 frame
    --- exit 0
    ");
    let document = repo
        .merkle(&["invalidate", "--json", "-r", "."])
        .exits(0)
        .json("invalidate");
    assert_fields(&document, "schema invalidated left");
    assert_eq!(
        document["invalidated"], 2,
        "the rest: README.md and the root"
    );
    assert_eq!(
        repo.merkle(&["regenerate"]).ok(),
        "made 6 frames (3 files, 3 directories)\n"
    );
    let shown = repo
        .merkle(&["show", "--agent", "human", "src/lib.rs"])
        .exits(1)
        .out();
    assert!(
        shown.contains("human/note invalidated src/lib.rs") && !shown.contains("a note"),
        "{shown}"
    );
    let _ = repo
        .merkle(&["invalidate", "--type", "review", "src"])
        .exits(1);
    repo.merkle(&["validate"]).ok();
    repo.assert_sound();
}

/// Before, what several people said in one slot counted as one frame.
#[test]
fn what_several_people_say_counts_for_each() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    for mail in ["ann@example.org", "ben@example.org", "cid@example.org"] {
        repo.config("user.email", mail);
        note(&repo, "src/lib.rs", mail);
    }
    let invalidate = |more: &[&str]| {
        let arguments = [&["invalidate", "--json", "src/lib.rs"], more].concat();
        repo.merkle(&arguments).exits(0).json("invalidate")
    };
    let left = invalidate(&[]);
    assert_eq!(
        (&left["invalidated"], &left["left"]),
        (&1.into(), &3.into())
    );
    let ended = invalidate(&["--agent", "human"]);
    assert_eq!(
        (&ended["invalidated"], &ended["left"]),
        (&3.into(), &0.into())
    );
}

//! `gc`: what goes, what stays, what others find afterwards; asked of real repositories, with stock git as the witness.

mod local;
mod orders;
mod publish;

use git_merkle::base::{BasisId, TreePath};
use git_merkle::frame::{Basis, Slot};
use git_merkle::frame::{BasisKind, Frame, NewFrame, NodeKind, commit, content_digest};

use crate::support::{PROGRAM, Repo};
use crate::sync::{HISTORY, world};

/// Nothing has this id.
const NOWHERE: &str = "1234567890123456789012345678901234567890";

/// Stores what a model answered about a node, which was paid for.
pub(crate) fn answer(repo: &Repo<'_>, node: &str, text: &str) {
    let slot = Slot {
        agent: "docs".parse().expect("a word"),
        frame_type: "summary".parse().expect("a word"),
    };
    let basis = BasisId(content_digest(&format!("basis of {node} and {text}")));
    let node = node.parse().expect("an id");
    let frame = Frame::new(
        node,
        NodeKind::File,
        slot,
        Basis {
            kind: BasisKind::Generated,
            id: basis,
        },
        format!("{text}\n"),
    );
    let frame = Frame {
        provider: Some("scripted".to_owned()),
        ..frame.at(Some(TreePath::from("README.md")))
    };
    let repository = repo.library();
    let new = NewFrame::new(repository.hash_kind(), &frame, true).expect("a small frame");
    commit(&repository, &repo.state(), &[new], "docs: an answer").expect("frames are stored");
}

fn note(repo: &Repo<'_>, path: &str, text: &str) {
    repo.merkle(&["note", path, "-m", text]).ok();
}

/// What is said in the store, in order; outlines by how many they are.
fn said(repo: &Repo<'_>) -> Vec<String> {
    let mut said: Vec<String> = repo
        .frames()
        .iter()
        .filter(|name| !name.contains(".outline."))
        .map(|name| text(repo, name))
        .collect();
    said.sort();
    said
}

fn text(repo: &Repo<'_>, name: &str) -> String {
    let frame = repo
        .git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")])
        .ok();
    frame
        .split_once("\n---\n")
        .map(|(_, content)| content.trim().to_owned())
        .expect("a header ends so")
}

fn sync(repo: &Repo<'_>) -> String {
    repo.run(PROGRAM)
        .args(["sync", "--all", "--yes"])
        .run()
        .ok()
}

/// Every reading command works on what is left, and nothing is called damaged.
fn is_well(repo: &Repo<'_>) {
    repo.merkle(&["validate"]).ok();
    repo.merkle(&["doctor"]).ok();
    for command in [
        &["status"][..],
        &["show", "README.md"],
        &["log", "README.md"],
        &["list-frames", "README.md"],
        &["context", "-o", "-"],
    ] {
        let output = repo.merkle(command);
        assert!(matches!(output.code, Some(0 | 1)), "{output}");
    }
    repo.git(&["fsck", "--strict", "--no-progress"]).ok();
}

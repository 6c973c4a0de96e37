//! Bad input, everywhere: what nobody sane commits, and what disks and strangers make of sane things.
//!
//! Each case ends in an answer, a labelled placeholder or a clear error, in bounded time and memory; never in a panic,
//! never in control characters on somebody's terminal, and never in the loss of anything else.

mod content;
mod damage;
mod decoder;
mod disguise;
mod embedded;
mod frames;
mod link;
mod mutate;
mod name;
mod remote;
mod replace;
mod seed;
mod sentinel;
mod state;
mod terminal;
mod tree;

use git_merkle::base::NodeId;
use git_merkle::git::{Batch, Encoded, EntryMode, HashKind, ObjectKind, TreeEntry};

use crate::support::{Output, Repo};

/// Objects that git's own commands would refuse to make, or would take long over, written as one pack.
#[derive(Default)]
struct Forge {
    batch: Batch,
}

impl Forge {
    fn blob(&mut self, content: &[u8]) -> NodeId {
        self.object(ObjectKind::Blob, content)
    }

    /// A tree of entries, put into git's order.
    fn tree(&mut self, entries: &[(EntryMode, &[u8], NodeId)]) -> NodeId {
        let mut entries: Vec<_> = entries
            .iter()
            .map(|(mode, name, id)| TreeEntry {
                mode: *mode,
                name,
                id: *id,
            })
            .collect();
        entries.sort_by(TreeEntry::tree_order);
        let mut bytes = Vec::new();
        for entry in &entries {
            entry.encode(&mut bytes);
        }
        self.object(ObjectKind::Tree, &bytes)
    }

    fn object(&mut self, kind: ObjectKind, body: &[u8]) -> NodeId {
        let object = Encoded::new(HashKind::Sha1, kind, body);
        let id = object.id;
        self.batch.add(object);
        id
    }

    /// Writes everything, and commits a tree on `main` without checking it out.
    #[track_caller]
    fn commit(self, repo: &Repo<'_>, tree: NodeId) {
        self.commit_to(repo, "refs/heads/main", tree);
    }

    /// Writes everything, and commits a tree at a ref.
    #[track_caller]
    fn commit_to(self, repo: &Repo<'_>, name: &str, tree: NodeId) {
        drop(repo.library().write(&self.batch).expect("a disk with room"));
        let commit = repo
            .git(&["commit-tree", "-m", "forged", &tree.to_string()])
            .ok();
        repo.git(&["update-ref", name, commit.trim()]).ok();
    }
}

/// Demands that a command has ended by itself and said nothing that a terminal would obey.
#[track_caller]
fn assert_civil(output: &Output) {
    assert!(
        output.code.is_some_and(|code| code != 101),
        "ended by a signal or a panic:\n{output}"
    );
    for stream in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(stream)
            .unwrap_or_else(|_| panic!("bytes that are no text in\n{output:#}"));
        let bad = text
            .chars()
            .find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_invisible(*c));
        assert_eq!(
            bad.map(|c| c.escape_unicode().to_string()),
            None,
            "from\n{output}"
        );
    }
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !text.contains("panicked") && !text.contains("RUST_BACKTRACE"),
        "{output}"
    );
}

/// Characters that reorder or hide text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A command's answer as JSON.
#[track_caller]
fn json(output: Output) -> serde_json::Value {
    let text = output.ok();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

//! The union of stores: commutative, associative, idempotent, holds both sides; asked of random sets of frames.
//!
//! The oracle is the union of two maps from names to blobs in which the smaller blob stays. The ids of trees must be
//! equal, not only what can be read from them.

use std::collections::BTreeMap;

use git_merkle::base::{BasisId, Digest, NodeId, TreePath};
use git_merkle::frame::commit::add_entries;
use git_merkle::frame::merge::Gift;
use git_merkle::frame::{
    BasisKind, Children, FRAMES_REF, Frame, NewFrame, NodeKind, Store, commit, content_digest,
    frame_id, verify,
};
use git_merkle::git::{EntryMode, Expected, Repository, StateDir, diff_trees};
use proptest::prelude::*;

use super::cases;
use crate::support::{PROGRAM, SAMPLE, Sandbox};

/// A frame by a few small choices, so that sets overlap, collide in a slot, and share directories of the store.
#[derive(Debug, Clone)]
struct Choice {
    node: u8,
    agent: u8,
    content: u8,
    /// The same statement, recorded at another time: the same name with other bytes.
    day: u8,
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (0..12_u8, 0..2_u8, 0..3_u8, 0..2_u8);
    let choice = choice.prop_map(|(node, agent, content, day)| Choice {
        node,
        agent,
        content,
        day,
    });
    prop::collection::vec(choice, 0..10)
}

fn frame(choice: &Choice) -> Frame {
    let word = |text: &str| text.parse().expect("a word");
    let mut id = [0x11; 20];
    // Some nodes share the first directory of the store, some both, some none.
    (id[0], id[1], id[2]) = (choice.node % 2, choice.node % 4, choice.node);
    let node = NodeId::from_bytes(&id).expect("20 bytes");
    let agent = if choice.agent == 0 {
        word("docs")
    } else {
        "human".parse().expect("a word")
    };
    let frame_type = "note".parse().expect("a word");
    let content = format!("says {}\n", choice.content);
    let basis = BasisId(content_digest(&format!("basis of {node} {content}")));
    Frame {
        id: frame_id(&basis, &agent, &frame_type, &content),
        node,
        kind: NodeKind::File,
        agent,
        frame_type,
        seq: 1,
        basis,
        basis_kind: BasisKind::Written,
        path: Some(TreePath::from("some/where")),
        children: Children::None,
        provider: None,
        model: None,
        usage: None,
        cost: None,
        created: Some(format!("2027-01-1{}T00:00:00Z", choice.day)),
        tool: "git-merkle test".to_owned(),
        unknown: Vec::new(),
        content,
    }
}

/// Unites a store with the one of the frames ref, as a fetch does where all counts that came.
fn unite(repo: &Repository, state: &StateDir, theirs: NodeId) -> NodeId {
    let gift = Gift {
        is_whole: true,
        ..Gift::default()
    };
    let united = add_entries(repo, state, &gift, Some(theirs), "unite").expect("stores unite");
    united.commit.expect("there is a store")
}

/// A repository whose frames ref goes from one store to another.
struct World {
    repo: Repository,
    state: StateDir,
}

impl World {
    fn open(sandbox: &Sandbox) -> Self {
        let repo = sandbox.repo("work").library();
        Self {
            state: StateDir::of(&repo),
            repo,
        }
    }

    /// Puts the frames ref at a commit, or takes it away.
    fn go(&self, commit: Option<NodeId>) {
        let current = self.repo.find_ref(FRAMES_REF).expect("refs can be read");
        match (commit, current) {
            (Some(new), current) if current != Some(new) => {
                let expected = current.map_or(Expected::Absent, Expected::At);
                self.repo
                    .update_ref(FRAMES_REF, &new, expected)
                    .expect("nobody else moves it");
            }
            (None, Some(_)) => self.repo.delete_ref(FRAMES_REF).expect("it can go"),
            _ => {}
        }
    }

    /// A store of its own with these frames.
    fn store(&self, choices: &[Choice]) -> Option<NodeId> {
        self.go(None);
        let frames = choices
            .iter()
            .map(|choice| NewFrame::new(self.repo.hash_kind(), &frame(choice), false));
        let frames = frames.collect::<Result<Vec<_>, _>>().expect("small frames");
        commit(&self.repo, &self.state, &frames, "some").expect("a store that takes frames");
        self.repo.find_ref(FRAMES_REF).expect("refs can be read")
    }

    /// The commit of `ours` united with `theirs`.
    fn unite(&self, ours: Option<NodeId>, theirs: NodeId) -> NodeId {
        self.go(ours);
        let united = unite(&self.repo, &self.state, theirs);
        assert_eq!(
            self.repo.find_ref(FRAMES_REF).expect("refs can be read"),
            Some(united)
        );
        united
    }

    fn tree(&self, commit: NodeId) -> NodeId {
        self.repo.tree_of(&commit).expect("a commit has a tree")
    }

    fn entries(&self, commit: Option<NodeId>) -> BTreeMap<TreePath, NodeId> {
        let mut entries = BTreeMap::new();
        let store = Store::at(&self.repo, commit).expect("a store");
        diff_trees(&self.repo, None, store.tree(), &mut |change| {
            let (mode, blob) = change.new.expect("nothing is removed from nothing");
            if mode != EntryMode::Directory {
                entries.insert(change.path, blob);
            }
            true
        })
        .expect("a readable store");
        entries
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn union_is_commutative_associative_idempotent_and_holds_both_sides(a in choices(), b in choices(), c in choices()) {
        let sandbox = Sandbox::new();
        let world = World::open(&sandbox);
        let stores = [world.store(&a), world.store(&b), world.store(&c)];
        // An empty store is no store: there is no commit to unite with.
        let [Some(a), Some(b), Some(c)] = stores else { return Ok(()) };

        let ab = world.unite(Some(a), b);
        prop_assert_eq!(world.tree(ab), world.tree(world.unite(Some(b), a)), "commutative");
        let bc = world.unite(Some(b), c);
        prop_assert_eq!(world.tree(world.unite(Some(ab), c)), world.tree(world.unite(Some(a), bc)), "associative");
        for part in [a, b, ab] {
            prop_assert_eq!(world.unite(Some(ab), part), ab, "idempotent: what is in it already moves nothing");
        }
        prop_assert_eq!(world.unite(None, a), a, "nothing is neutral");

        let mut both = world.entries(Some(a));
        for (path, blob) in world.entries(Some(b)) {
            both.entry(path).and_modify(|known| *known = blob.min(*known)).or_insert(blob);
        }
        prop_assert_eq!(world.entries(Some(ab)), both, "both sides, and nothing else");
        let store = Store::at(&world.repo, Some(ab)).expect("a store");
        let verdict = verify::verify(&store, &|_| None, &mut |_| {}).expect("a readable store");
        prop_assert!(verdict.faults.is_empty(), "{:?}", verdict.faults);
    }
}

#[test]
fn two_clones_that_spoke_apart_unite_by_plain_git_and_the_library() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    let clone = repo.clone_to("clone", &[]);
    let note = |at: &crate::support::Repo<'_>, path: &str, text: &str| {
        at.run(PROGRAM)
            .args(["put-frame", path, "-"])
            .input(text)
            .run()
            .ok();
    };
    for (place, text) in [(&repo, "ours"), (&clone, "theirs")] {
        let said = place.run(PROGRAM).args(["put-frame", "README.md", "-"]);
        said.env("SOURCE_DATE_EPOCH", "1700000000")
            .input(text)
            .run()
            .ok();
    }
    note(&clone, "src", "about the directory");
    super::regenerate(&clone, &[]);
    repo.run("git")
        .args(["fetch", "-q"])
        .arg(clone.path(""))
        .arg("refs/merkle/frames:refs/merkle/other")
        .run()
        .ok();
    let mut expected = [repo.frames(), clone.frames()].concat();
    expected.sort();
    let world = repo.library();
    let theirs = repo.id("refs/merkle/other").parse().expect("an id");
    unite(&world, &repo.unsealed_state(), theirs);
    assert_eq!(repo.frames(), expected);
    assert_eq!(
        repo.git(&["log", "-1", "--format=%s", "refs/merkle/frames"])
            .ok(),
        "unite\n"
    );
    // Of two statements of one second and one generation the greater id speaks, on every machine.
    let ids = ["ours", "theirs"].map(|text| {
        let of = |line: &&str| line.contains("human/note");
        let listed = repo
            .merkle(&["list-frames", "README.md", "--json"])
            .exits(0)
            .json("list-frames");
        let frames = listed["frames"].as_array().expect("a list").clone();
        assert_eq!(
            frames
                .iter()
                .filter(|frame| of(
                    &format!("{}/{}", str(frame, "agent"), str(frame, "type")).as_str()
                ))
                .count(),
            2
        );
        let frame = frames
            .into_iter()
            .find(|frame| frame["content"] == text)
            .expect("both are listed");
        (str(&frame, "frame"), text)
    });
    let head = repo
        .merkle(&["get-head", "README.md", "--agent", "human"])
        .ok();
    assert_eq!(head, ids.iter().max().expect("two").1);
    super::assert_whole(&repo);
}

fn str(value: &serde_json::Value, key: &str) -> String {
    value[key].as_str().expect("text").to_owned()
}

#[test]
fn digests_of_test_frames_are_their_own() {
    // The choices above must differ where they are meant to: otherwise the laws are asked of equal frames.
    let base = Choice {
        node: 1,
        agent: 0,
        content: 0,
        day: 0,
    };
    let ids = [
        frame(&base).id,
        frame(&Choice {
            node: 5,
            ..base.clone()
        })
        .id,
        frame(&Choice {
            agent: 1,
            ..base.clone()
        })
        .id,
        frame(&Choice {
            content: 1,
            ..base.clone()
        })
        .id,
    ];
    assert_eq!(
        ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
        4
    );
    assert_eq!(
        frame(&base).id,
        frame(&Choice { day: 1, ..base }).id,
        "the day is no part of what is said"
    );
    assert_ne!(Digest::of("test/1", b"a"), Digest::of("test/1", b"b"));
}

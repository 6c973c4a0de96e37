//! Frames put into a test's repository through the library, as if an agent had said them.

use git_merkle::agent::{OUTLINE, Registry};
use git_merkle::base::number::IndexVec;
use git_merkle::base::{BasisId, Digest, NodeId, TreePath};
use git_merkle::frame::{
    BasisKind, Children, Frame, Index, NewFrame, NodeKind, Store, commit, frame_id,
};
use git_merkle::git::{Location, Repository, StateDir};
use git_merkle::node::{IgnoreRules, scan};
use git_merkle::regen::{Inputs, Known, NodeFilter, Runner, plan};

use crate::support::Repo;

/// Stores a frame about what a revision names; `slot` is `<agent>.<type>`.
#[track_caller]
pub(crate) fn say(repo: &Repo<'_>, revision: &str, slot: &str, content: &str) {
    let (agent, frame_type) = slot.split_once('.').expect("agent and type");
    let (agent, frame_type) = (
        agent.parse().expect("a word"),
        frame_type.parse().expect("a word"),
    );
    let node: NodeId = repo.id(revision).parse().expect("an id");
    let is_tree = repo.git(&["cat-file", "-t", &node.to_string()]).ok().trim() == "tree";
    let basis = BasisId(Digest::of("test/1", content.as_bytes()));
    let basis_kind = if content.is_empty() {
        BasisKind::Invalidation
    } else {
        BasisKind::Written
    };
    let frame = Frame {
        id: frame_id(&basis, &agent, &frame_type, content),
        node,
        kind: if is_tree {
            NodeKind::Directory
        } else {
            NodeKind::File
        },
        agent,
        frame_type,
        seq: 1,
        basis,
        basis_kind,
        path: None,
        children: Children::None,
        provider: None,
        model: None,
        usage: None,
        cost: None,
        created: Some("2026-11-21T20:13:05Z".to_owned()),
        tool: "test".to_owned(),
        unknown: Vec::new(),
        content: content.to_owned(),
    };
    let repository = open(repo);
    let new = NewFrame::new(repository.hash_kind(), &frame, false).expect("a small frame");
    commit(&repository, &StateDir::of(&repository), &[new], "test").expect("stored");
}

/// Brings the built-in outlines of what a revision names up to date.
#[track_caller]
pub(crate) fn outline(repo: &Repo<'_>, revision: &str) {
    let repository = open(repo);
    let state = StateDir::of(&repository);
    state.cache().create().expect("a folder");
    let store = Store::open(&repository).expect("a store");
    let mut index = Index::open(&store, &state.cache()).expect("an index");
    let (root, tree) = (TreePath::root(), repo.id(revision).parse().expect("an id"));
    let scan = scan(&repository, tree, &root, IgnoreRules::default(), None).expect("a tree");
    let registry = Registry::built_in();
    let agent = registry.get(OUTLINE).expect("built in");
    let inputs = Inputs {
        agent,
        frame_type: &agent.frame_type,
        root: &root,
        force: false,
        outlines: &IndexVec::new(),
        reach: NodeFilter::All,
    };
    let slot = index.slot(&git_merkle::frame::Slot::new(&agent.id, &agent.frame_type));
    let mut find_head = |id: &_| index.find_head(id, slot?);
    let plan = plan(
        &scan,
        &inputs,
        &mut Known {
            find_head: &mut find_head,
            speaks_of: &|_| false,
        },
    );
    let runner = Runner {
        repo: &repository,
        state: &state,
        scan: &scan,
        inputs: &inputs,
    };
    runner.run(plan, &mut index, &mut |_| {}).expect("stored");
}

fn open(repo: &Repo<'_>) -> Repository {
    let location = Location {
        directory: repo.path(""),
        ..Location::default()
    };
    Repository::open(&location).expect("a repository")
}

//! The only place where a bench calls the library itself; everything else is measured as a whole process.
//!
//! Some works have no command of their own: writing a batch of frames, the union of two stores that are both here
//! already, and outlines out of the cache, a bound to compare with. Each function does its work once on an open repository and returns the time of the work alone.

use std::path::Path;
use std::time::{Duration, Instant};

use git_merkle::base::number::IndexVec;
use git_merkle::base::{BasisId, Digest, TreePath};
use git_merkle::frame::{Basis, Slot};
use git_merkle::frame::{BasisKind, Frame, NewFrame, NodeKind, commit, merge};
use git_merkle::git::{Batch, Location, Repository, StateDir};
use git_merkle::node::{IgnoreRules, Snapshot, scan};
use git_merkle::regen::queue::{Priority, Queue, TaskNumber};
use git_merkle::regen::record::object_cache;
use git_merkle::symbol::{Outline, detect, render};

use crate::measure::{Failure, home};
use crate::sample::{Bodies, node_id};

/// Bench 4: writes so many new frames as one batch and moves the ref of the frames; encoding them is part of the work.
pub(crate) fn write_frames(
    repository: &Path,
    bodies: &Bodies,
    count: usize,
) -> Result<Duration, Failure> {
    let repo = open(repository)?;
    let hash = repo.hash_kind();
    let start = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let numbers: Vec<usize> = (0..count).collect();
    let frames: Vec<NewFrame> = std::thread::scope(|scope| {
        let workers: Vec<_> = numbers
            .chunks(count.div_ceil(threads))
            .map(|part| {
                scope.spawn(move || -> Vec<NewFrame> {
                    part.iter()
                        .map(|number| {
                            NewFrame::new(hash, &frame(bodies, *number), false)
                                .expect("a small frame")
                        })
                        .collect()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("encoding does not panic"))
            .collect()
    });
    commit(&repo, &StateDir::of(&repo), &frames, "bench")
        .map_err(|error| Failure(error.to_string()))?;
    Ok(start.elapsed())
}

/// Bench 11: makes the union of two stores given by revision, as a tree in the repository.
pub(crate) fn union(repository: &Path, ours: &str, theirs: &str) -> Result<Duration, Failure> {
    let repo = open(repository)?;
    let tree = |name: &str| {
        let commit = repo
            .resolve_commit(name)
            .map_err(|error| Failure(error.to_string()))?;
        repo.tree_of(&commit)
            .map_err(|error| Failure(error.to_string()))
    };
    let (ours, theirs) = (tree(ours)?, tree(theirs)?);
    let start = Instant::now();
    let mut batch = Batch::default();
    merge::union(&repo, Some(ours), Some(theirs), &mut batch)
        .map_err(|error| Failure(error.to_string()))?;
    drop(
        repo.write(&batch)
            .map_err(|error| Failure(error.to_string()))?,
    );
    Ok(start.elapsed())
}

/// Bench 8: the fewest rounds of calls in which every node of `HEAD` can be asked about, children first.
pub(crate) fn rounds_min(repository: &Path, at_once: usize) -> Result<usize, Failure> {
    let repo = open(repository)?;
    let root = Snapshot::Revision("HEAD".to_owned())
        .root(&repo)
        .map_err(|error| Failure(error.to_string()))?;
    let scan = scan(
        &repo,
        root.tree,
        &TreePath::root(),
        IgnoreRules::default(),
        None,
    );
    let scan = scan.map_err(|error| Failure(error.to_string()))?;
    let order: IndexVec<TaskNumber, _> = scan.bottom_up().iter().copied().collect();
    let mut place = scan.list_of(TaskNumber::from_raw(0));
    for (task, node) in order.iter_enumerated() {
        place[*node] = task;
    }
    let priorities: IndexVec<TaskNumber, _> = order.iter().map(|_| Priority::Background).collect();
    let queue = Queue::new(&priorities, |task| {
        let mut children: Vec<TaskNumber> = scan
            .entries(order[task])
            .filter_map(|entry| Some(place[entry.node?]))
            .collect();
        children.sort_unstable();
        children.dedup();
        children
    });
    Ok(queue.rounds_min(at_once))
}

fn open(repository: &Path) -> Result<Repository, Failure> {
    let location = Location {
        directory: repository.to_owned(),
        ..Location::default()
    };
    Repository::open(&location).map_err(|error| Failure(error.to_string()))
}

fn frame(bodies: &Bodies, number: usize) -> Frame {
    let slot = Slot {
        agent: "outline".parse().expect("a word"),
        frame_type: "outline".parse().expect("a word"),
    };
    let node = node_id(number).parse().expect("an object id");
    let basis = BasisId(Digest::of("git-merkle 2026 bench/1", &number.to_le_bytes()));
    let path = TreePath::from(format!("src/{number}.rs").as_str());
    let frame = Frame::new(
        node,
        NodeKind::File,
        slot,
        Basis {
            kind: BasisKind::Generated,
            id: basis,
        },
        bodies.get(number),
    );
    Frame {
        created: Some("2026-11-21T20:13:05Z".to_owned()),
        ..frame.at(Some(path))
    }
}

/// Bench 6, warm: every outline of `HEAD`'s files out of the cache, and its Markdown; how many and how long.
pub(crate) fn cached_outlines(repository: &Path) -> Result<(usize, Duration), Failure> {
    let repo = open(repository)?;
    let start = Instant::now();
    let root = Snapshot::Revision("HEAD".to_owned())
        .root(&repo)
        .map_err(|error| Failure(error.to_string()))?;
    let scan = scan(
        &repo,
        root.tree,
        &TreePath::root(),
        IgnoreRules::default(),
        None,
    );
    let scan = scan.map_err(|error| Failure(error.to_string()))?;
    let cache = object_cache::<Outline>(
        &StateDir::of(&repo)
            .sealed(Some(home()?.join(".local/state/git-merkle")))
            .cache(),
    );
    let files = scan
        .bottom_up()
        .iter()
        .filter(|number| !scan.node(**number).is_directory);
    let outlines = files
        .filter_map(|number| cache.get(scan.node(*number).id, detect(scan.name(*number), b"")));
    let found = outlines
        .filter(|outline| !render(outline).is_empty())
        .count();
    Ok((found, start.elapsed()))
}

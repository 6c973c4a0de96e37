//! Bytes from anywhere into every decoder: none panics, and what one accepts, it means.
//!
//! Random bytes rarely get past the first check, so most cases are sound bytes with a few changes.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use git_merkle::base::{Digest, NodeId, TreePath};
use git_merkle::frame::{FrameName, Index, Slot, Store, decode, encode, spool};
use git_merkle::git::{HashKind, tree_entries};
use git_merkle::regen::memory;
use git_merkle::regen::record::object_cache;
use git_merkle::symbol;
use git_merkle::symbol::OutlineCache;
use git_merkle::synthesis::facts::Facts;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index as At;

use super::seed::decoder::forget_spans;
use crate::support::{Repo, Sandbox};

const FRAMES_REF: &str = "refs/merkle/frames";

/// One change to some bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(At, u8),
    Insert(At, Vec<u8>),
    Remove(At, usize),
    Cut(At),
    Double(At, usize),
}

fn change() -> impl Strategy<Value = Change> {
    // Lengths and counts go wrong most interestingly at their ends.
    let byte = || {
        prop_oneof![
            any::<u8>(),
            Just(0_u8),
            Just(0xff),
            Just(0x7f),
            Just(b'\n'),
            Just(b':'),
            Just(b'"')
        ]
    };
    prop_oneof![
        4 => (any::<At>(), byte()).prop_map(|(at, byte)| Change::Set(at, byte)),
        2 => (any::<At>(), vec(byte(), 1..12)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        2 => (any::<At>(), 1..40_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        1 => any::<At>().prop_map(Change::Cut),
        1 => (any::<At>(), 1..80_usize).prop_map(|(at, count)| Change::Double(at, count)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let len = bytes.len();
        match change {
            Change::Insert(at, new) => {
                drop(bytes.splice(at.index(len + 1)..at.index(len + 1), new.iter().copied()));
            }
            _ if len == 0 => {}
            Change::Set(at, byte) => bytes[at.index(len)] = *byte,
            Change::Remove(at, count) => {
                drop(bytes.drain(at.index(len)..(at.index(len) + count).min(len)));
            }
            Change::Cut(at) => bytes.truncate(at.index(len)),
            Change::Double(at, count) => {
                let part = bytes[at.index(len)..(at.index(len) + count).min(len)].to_vec();
                drop(bytes.splice(at.index(len)..at.index(len), part));
            }
        }
    }
    bytes
}

const FRAME: &str = include_str!("decoder/frame.md");

/// A frame whose id is right, whatever else is changed.
fn sound_frame() -> Vec<u8> {
    let Err(git_merkle::frame::CodecError::Id { actual, stated }) = decode(FRAME.as_bytes()) else {
        return FRAME.as_bytes().to_vec();
    };
    FRAME
        .replace(&stated.to_string(), &actual.to_string())
        .into_bytes()
}

#[test]
fn the_sample_is_a_frame() {
    assert_eq!(
        encode(&decode(&sound_frame()).unwrap()).unwrap(),
        sound_frame()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames(noise in vec(any::<u8>(), 0..300), changes in vec(change(), 1..4)) {
        let _ = decode(&noise);
        for bytes in [changed(sound_frame(), &changes), [b"---\n", &noise[..], b"\n---\n\n"].concat()] {
            if let Ok(frame) = decode(&bytes) {
                prop_assert_eq!(encode(&frame).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn outlines(noise in vec(any::<u8>(), 0..300), changes in vec(change(), 1..4)) {
        let source = b"/// Doc.\npub struct A { pub b: u8 }\nimpl A { pub fn c(&self) {} }\nuse d::e;\n";
        let outline = symbol::extract(symbol::detect(b"a.rs", source), source);
        for bytes in [noise, changed(symbol::encode(&outline), &changes)] {
            if let Some(outline) = symbol::decode(&bytes) {
                let _ = symbol::render(&outline);
                prop_assert_eq!(symbol::encode(&outline), bytes);
            }
        }
    }

    #[test]
    fn trees(noise in vec(any::<u8>(), 0..200), changes in vec(change(), 1..4)) {
        let sound = [&b"100644 a\0"[..], &[7; 20], b"40000 b\0", &[8; 20]].concat();
        let id = NodeId::from_bytes(&[1; 20]).unwrap();
        for bytes in [&noise, &changed(sound, &changes)] {
            for hash in [HashKind::Sha1, HashKind::Sha256] {
                let entries: Vec<_> = tree_entries(id, bytes, hash).collect();
                prop_assert!(entries.iter().rev().skip(1).all(Result::is_ok), "an error is the last entry");
            }
        }
    }

    #[test]
    fn names_and_ids(noise in vec(any::<u8>(), 0..200), text in ".{0,80}", changes in vec(change(), 1..3)) {
        let sound = format!("9c/{}.docs.summary.00000001.{}", "0".repeat(38), "a".repeat(64)).into_bytes();
        for bytes in [&noise, &changed(sound, &changes)] {
            if let Some(name) = FrameName::parse_path(bytes) {
                prop_assert_eq!(name.path().into_bytes(), bytes.clone());
            }
        }
        let _ = (text.parse::<NodeId>(), Digest::from_hex(&text), Facts::parse(&text), TreePath::from(text.as_str()).parent());
        let _ = Facts::parse(&format!("Directory of {text}."));
    }

    #[test]
    fn source_text(noise in vec(any::<u8>(), 0..400), text in "[a-z{}()<>\\[\\]\"'`#/*:;,= \n\t]{0,200}") {
        for name in ["a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb", "a.php", "a.sh", "a.md"] {
            for bytes in [&noise[..], text.as_bytes()] {
                let mut outline = symbol::extract(symbol::detect(name.as_bytes(), bytes), bytes);
                forget_spans(&mut outline.symbols);
                prop_assert_eq!(symbol::decode(&symbol::encode(&outline)), Some(outline));
            }
        }
    }
}

/// Enough files that there is a cache of outlines.
fn with_state(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("work");
    let lines: Vec<String> = (0..300)
        .map(|n| format!("+ d{}/f{n}.rs = pub fn number_{n}() {{}}", n % 5))
        .collect();
    repo.fill(&format!("commit files\n{}", lines.join("\n")));
    repo.merkle(&["regenerate"]).ok();
    repo
}

/// Runs a property with changed bytes in a file of the state directory.
fn with_changes(file: &Path, cases: u32, check: impl Fn()) {
    let sound = fs::read(file).expect("state is there");
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..Default::default()
    });
    let header = (vec(change(), 1..3), any::<bool>());
    let result = runner.run(&header, |(changes, in_header)| {
        // Half of the changes where the lengths stand.
        let (head, rest) = sound.split_at(if in_header {
            160.min(sound.len())
        } else {
            sound.len()
        });
        fs::write(
            file,
            [changed(head.to_vec(), &changes), rest.to_vec()].concat(),
        )
        .expect("a disk with room");
        check();
        Ok(())
    });
    fs::write(file, &sound).expect("a disk with room");
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn an_index_with_changes_opens_and_knows_no_head_that_is_not_there() {
    let sandbox = Sandbox::new();
    let repo = with_state(&sandbox);
    let (library, cache) = (repo.library(), repo.state().cache());
    let store = Store::open(&library).unwrap();
    let names: Vec<FrameName> = repo
        .frames()
        .iter()
        .map(|path| FrameName::parse_path(path.as_bytes()).expect("a frame's name"))
        .collect();
    with_changes(&cache.shown_file("index"), 300, || {
        let mut index = Index::open(&store, &cache).unwrap();
        for whole in [false, true] {
            if whole {
                index.prepare(usize::MAX);
            }
            for name in names.iter().step_by(29) {
                let slot = index.slot(&Slot::new(&name.agent, &name.frame_type));
                // A record that is found has the node's key before it; what it says may be wrong, which makes it stale.
                let _ = slot.and_then(|slot| index.find_head(&name.node, slot));
            }
        }
        assert!(index.commit() == store.commit());
    });
    let index = Index::open(&store, &cache).unwrap();
    for name in &names {
        let slot = index
            .slot(&Slot::new(&name.agent, &name.frame_type))
            .unwrap();
        assert_eq!(index.find_head(&name.node, slot).unwrap().frame, name.frame);
    }
}

#[test]
fn a_cache_of_outlines_with_changes_misses_and_never_lies() {
    let sandbox = Sandbox::new();
    let repo = with_state(&sandbox);
    let cache = repo.state().cache();
    let language = symbol::detect(b"a.rs", b"");
    let listing = repo.git(&["ls-tree", "-r", "HEAD"]).ok();
    let blobs: Vec<NodeId> = listing
        .lines()
        .map(|line| line[12..52].parse().unwrap())
        .collect();
    let sound: Vec<_> = {
        let cache: Arc<OutlineCache> = object_cache(&cache);
        blobs
            .iter()
            .map(|blob| cache.get(*blob, language))
            .collect()
    };
    assert!(sound.iter().all(Option::is_some));
    with_changes(&cache.shown_file("outlines"), 300, || {
        let cache: Arc<OutlineCache> = object_cache(&cache);
        for (blob, truth) in blobs.iter().zip(&sound) {
            let found = cache.get(*blob, language);
            assert!(found.is_none() || found == *truth);
        }
    });
}

#[test]
fn a_memory_with_changes_is_none_or_another() {
    let sandbox = Sandbox::new();
    let repo = with_state(&sandbox);
    let (cache, memory) = (repo.state().cache(), repo.memory());
    let line = fs::read_to_string(cache.shown_file(&memory)).unwrap();
    let agents = Digest::from_hex(line.lines().nth(1).unwrap().split(' ').nth(1).unwrap()).unwrap();
    let sound = memory::load(&cache, &agents).unwrap();
    with_changes(&cache.shown_file(&memory), 500, || {
        if let Some(finished) = memory::load(&cache, &agents) {
            let ids = [finished.tree, finished.store].map(|id| id.to_string().len());
            assert!(ids.iter().all(|len| matches!(len, 40 | 64)));
        }
    });
    assert_eq!(memory::load(&cache, &agents), Some(sound));
}

#[test]
fn a_spool_file_with_changes_is_a_frame_or_is_named() {
    let sandbox = Sandbox::new();
    let repo = with_state(&sandbox);
    let state = repo.state();
    let frame = decode(&sound_frame()).unwrap();
    let file = state
        .spool()
        .shown_file(&spool::put(&state, &frame).unwrap());
    with_changes(&file, 500, || {
        let (frames, damaged) = spool::list(&state).unwrap();
        assert_eq!(frames.len() + damaged.len(), 1);
        assert!(
            frames
                .iter()
                .all(|spooled| encode(&spooled.frame).unwrap() == fs::read(&file).unwrap())
        );
    });
    let commit = repo.id(FRAMES_REF);
    repo.merkle(&["status"]).ok();
    assert_ne!(repo.id(FRAMES_REF), commit, "what waited is stored");
}

//! Unit tests of `write`.

use super::super::commit::commit_body;
use super::super::fixture::{Fixture, blobs};
use super::super::object::{EntryMode, ObjectKind, TreeEntry};
use super::super::refs::Expected;
use super::*;
use crate::base::number::low_byte;
use small_pack::BATCH_OBJECTS_MAX;

fn keeps(fixture: &Fixture) -> usize {
    let entries = fs::read_dir(fixture.root.join(".git/objects/pack")).unwrap();
    entries
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|end| end == "keep")
        })
        .count()
}

/// How many packs git counts towards `gc.autoPackLimit`.
fn packs(fixture: &Fixture) -> usize {
    let entries = fs::read_dir(fixture.root.join(".git/objects/pack"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|end| end == "idx"))
        .count()
}

#[test]
fn git_reads_what_is_written_small_and_large() {
    for fixture in Fixture::both() {
        let repo = fixture.open();
        for count in [0, 1, 3, BATCH_OBJECTS_MAX, BATCH_OBJECTS_MAX + 1, 500] {
            let batch = blobs(repo.hash_kind(), count);
            let held = repo.write(&batch).unwrap();
            assert_eq!(keeps(&fixture), usize::from(count > 0));
            repo.verify(&batch).unwrap();
            for object in &batch.objects {
                assert_eq!(
                    fixture.git(&["cat-file", "-s", &object.id.to_string()]),
                    object.size.to_string()
                );
            }
            drop(held);
        }
        assert_eq!(keeps(&fixture), 0);
        let leftover = fs::read_dir(fixture.root.join(".git/objects/pack")).unwrap();
        assert!(!leftover.into_iter().any(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("tmp")
        }));
        fixture.git(&["fsck", "--strict", "--full"]);
    }
}

/// A batch of three objects of its own.
fn small(repo: &Repository, number: usize) -> Batch {
    let mut batch = Batch::default();
    for part in 0..3 {
        batch.add(Encoded::new(
            repo.hash_kind(),
            ObjectKind::Blob,
            format!("{number} {part}").as_bytes(),
        ));
    }
    batch
}

#[test]
fn small_batches_pile_up_in_one_pack_whoever_looks() {
    let fixture = Fixture::new();
    let [repo, before] = [fixture.open(), fixture.open()];
    let count = 2 * super::super::repo::PACK_SLOTS_MIN;
    for number in 0..count {
        drop(repo.write(&small(&repo, number)).unwrap());
        assert_eq!(
            packs(&fixture),
            1 + usize::from(number > 0),
            "it and the one before"
        );
        for reader in [&repo, &before] {
            reader.verify(&small(&repo, number)).unwrap();
            reader.verify(&small(&repo, number / 2)).unwrap();
        }
    }
    (0..count).for_each(|number| fixture.open().verify(&small(&repo, number)).unwrap());
    fixture.git(&["fsck", "--strict", "--full"]);
}

#[test]
fn a_small_pack_that_has_grown_stays() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    let mut seed = 1;
    for round in 1..=7 {
        let mut batch = small(&repo, round);
        batch.add(Encoded::new(
            repo.hash_kind(),
            ObjectKind::Blob,
            &noise(&mut seed, 100_000),
        ));
        drop(repo.write(&batch).unwrap());
        assert_eq!(packs(&fixture), round / 2 + 1, "two fit into one");
    }
    fixture.git(&["fsck", "--strict", "--full"]);
}

/// Before, a batch of more than 256 KiB started a process, and what came after it began another small pack.
#[test]
fn a_batch_that_fills_a_pack_leaves_the_small_one_alone() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    let mut seed = 1;
    for round in 0..4 {
        drop(repo.write(&small(&repo, round)).unwrap());
        let mut full = Batch::default();
        let body = noise(&mut seed, 300_000);
        full.add(Encoded::new(repo.hash_kind(), ObjectKind::Blob, &body));
        drop(repo.write(&full).unwrap());
        let small_ones = 1 + usize::from(round > 0);
        assert_eq!(packs(&fixture), small_ones + round + 1);
    }
    (0..4).for_each(|round| fixture.open().verify(&small(&repo, round)).unwrap());
    fixture.git(&["fsck", "--strict", "--full"]);
}

#[test]
fn nobody_who_has_listed_packs_misses_one() {
    let fixture = Fixture::new();
    fixture.commit("one");
    let repo = fixture.open();
    drop(repo.write(&small(&repo, 0)).unwrap());
    for (number, mark) in [".git/gc.pid", ".git/objects/maintenance.lock"]
        .into_iter()
        .enumerate()
    {
        fixture.file(mark, "1 elsewhere");
        drop(repo.write(&small(&repo, number + 1)).unwrap());
        assert_eq!(packs(&fixture), number + 2);
        fs::remove_file(fixture.root.join(mark)).unwrap();
    }
    drop(repo.write(&small(&repo, 3)).unwrap());
    assert_eq!(
        packs(&fixture),
        4,
        "the last one is taken in again, and stays for one batch"
    );
    fixture.git(&["multi-pack-index", "write"]);
    for number in 4..8 {
        drop(repo.write(&small(&repo, number)).unwrap());
        assert_eq!(
            packs(&fixture),
            5 + usize::from(number > 4),
            "two beside those that are listed"
        );
        fixture.git(&["multi-pack-index", "verify"]);
        fixture.git(&["fsck", "--strict", "--full"]);
    }
    (0..8).for_each(|number| fixture.open().verify(&small(&repo, number)).unwrap());
}

#[test]
fn what_a_dead_writer_took_in_is_removed_by_the_next() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    let paths = || {
        fs::read_dir(fixture.root.join(".git/objects/pack"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    drop(repo.write(&small(&repo, 0)).unwrap());
    let kept: Vec<_> = paths()
        .map(|path| (fs::read(&path).unwrap(), path))
        .collect();
    drop(repo.write(&small(&repo, 1)).unwrap());
    for dropped in ["idx", "none"] {
        // The writer died before it had removed both files.
        for (_, path) in &kept {
            let _ = fs::remove_file(path);
        }
        kept.iter()
            .filter(|(_, path)| path.extension().is_none_or(|end| end != dropped))
            .for_each(|(data, path)| fs::write(path, data).unwrap());
        let file = StateDir::of(&repo).cache().shown_file(SMALL_PACK_FILE);
        let old = kept[0]
            .1
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        fs::write(
            &file,
            format!("{}{old}\n", fs::read_to_string(&file).unwrap()),
        )
        .unwrap();
        drop(repo.write(&small(&repo, 2)).unwrap());
        assert_eq!((packs(&fixture), paths().count()), (2, 4));
    }
    (0..3).for_each(|number| fixture.open().verify(&small(&repo, number)).unwrap());
}

#[test]
fn a_state_file_that_lies_costs_no_object() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["repack", "-adq"]);
    let repo = fixture.open();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut paths = fs::read_dir(fixture.root.join(".git/objects/pack"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let theirs = name(
        &paths
            .find(|path| path.extension().is_some_and(|end| end == "idx"))
            .unwrap(),
    );
    let file = StateDir::of(&repo).cache().shown_file(SMALL_PACK_FILE);
    for text in [
        format!("{theirs}\n"),
        format!("\n{theirs}\n{theirs}\n"),
        "../../HEAD\npack-\n\u{fffd}\n".to_owned(),
    ] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        drop(repo.write(&small(&repo, 0)).unwrap());
        fixture.git(&["fsck", "--strict", "--full"]);
        assert_eq!(
            fixture
                .git(&["rev-list", "--objects", "--all"])
                .lines()
                .count(),
            2
        );
    }
}

/// Bytes that do not compress.
fn noise(seed: &mut u64, size: usize) -> Vec<u8> {
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        low_byte(*seed >> 33)
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn large_and_hard_objects_survive_compression() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    let bodies = [
        Vec::new(),
        vec![b'x'],
        vec![0; 1_000_000],
        noise(&mut 1, 300_000),
    ];
    let mut batch = Batch::default();
    for body in &bodies {
        batch.add(Encoded::new(repo.hash_kind(), ObjectKind::Blob, body));
        batch.add(Encoded::new(repo.hash_kind(), ObjectKind::Blob, body));
    }
    assert_eq!(batch.len(), bodies.len());
    for is_small in [true, false] {
        let mark = "git-merkle x";
        let keep = if is_small {
            repo.write_small_pack(&batch, mark)
        } else {
            Ok(repo.write_pack(&batch, mark).unwrap().unwrap())
        };
        fs::remove_file(keep.unwrap()).unwrap();
        for (object, body) in batch.objects.iter().zip(&bodies) {
            let arguments = ["cat-file", "blob", &object.id.to_string()];
            assert_eq!(
                &fixture
                    .command(&fixture.root, &arguments)
                    .output()
                    .unwrap()
                    .stdout,
                body
            );
        }
    }
    fixture.git(&["fsck", "--strict", "--full"]);
}

#[test]
fn a_kept_pack_outlives_gc_and_prune_until_the_ref_has_moved() {
    for count in [5, BATCH_OBJECTS_MAX + 1] {
        let fixture = Fixture::new();
        fixture.commit("one");
        let repo = fixture.open();
        let batch = blobs(repo.hash_kind(), count);
        let held = repo.write(&batch).unwrap();
        fixture.git(&["prune", "--expire=now"]);
        fixture.git(&["gc", "-q", "--prune=now"]);
        fixture.open().verify(&batch).unwrap();
        let keep = fs::read_to_string(held.keep.as_ref().unwrap()).unwrap();
        assert!(
            keep.starts_with(&format!("git-merkle {} ", std::process::id())),
            "{keep}"
        );
        drop(held);
        fixture.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(fixture.open().verify(&batch), Err(batch.objects[0].id));
    }
}

#[test]
fn every_batch_survives_a_gc_that_runs_all_the_while() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    let commits = 20;
    let mut all = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..2 * commits {
                fixture.git(&["gc", "-q", "--prune=now"]);
            }
        });
        let mut expected = Expected::Absent;
        for round in 0..commits {
            let mut batch = Batch::default();
            let mut tree = Vec::new();
            for number in 0..if round % 3 == 0 { 150 } else { 4 } {
                let blob = Encoded::new(
                    repo.hash_kind(),
                    ObjectKind::Blob,
                    format!("{round} {number}").as_bytes(),
                );
                let name = format!("{number:03}");
                TreeEntry {
                    mode: EntryMode::File,
                    name: name.as_bytes(),
                    id: blob.id,
                }
                .encode(&mut tree);
                all.push(blob.id);
                batch.add(blob);
            }
            let tree = Encoded::new(repo.hash_kind(), ObjectKind::Tree, &tree);
            let parents = if let Expected::At(parent) = expected {
                vec![parent]
            } else {
                Vec::new()
            };
            let body = commit_body(&tree.id, &parents, ["a", "b"], "frames", 1);
            let commit = Encoded::new(repo.hash_kind(), ObjectKind::Commit, &body);
            let id = commit.id;
            batch.add(tree);
            batch.add(commit);
            let held = repo.write(&batch).unwrap();
            repo.update_ref("refs/merkle/frames", &id, expected)
                .unwrap();
            drop(held);
            expected = Expected::At(id);
        }
    });
    let mut buffer = Vec::new();
    for id in &all {
        repo.read(id, ObjectKind::Blob, &mut buffer).unwrap();
    }
    fixture.git(&["fsck", "--strict", "--full"]);
    assert_eq!(
        fixture.git(&["rev-list", "--count", "refs/merkle/frames"]),
        commits.to_string()
    );
    assert_eq!(keeps(&fixture), 0);
}

#[test]
fn only_our_stale_keeps_are_removed() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    assert_eq!(repo.remove_stale_keeps().unwrap(), 0);
    std::mem::forget(repo.write(&blobs(repo.hash_kind(), 50)).unwrap());
    std::mem::forget(repo.write(&blobs(repo.hash_kind(), 500)).unwrap());
    fixture.file(".git/objects/pack/pack-1.keep", "git-merkleish");
    fixture.file(".git/objects/pack/pack-2.keep", "");
    fixture.file(".git/objects/pack/pack-3.keep", "git-merkle 1 1");
    fixture.file(".git/objects/pack/pack-3.pack", "without an index");
    assert_eq!(repo.remove_stale_keeps().unwrap(), 3);
    assert_eq!((keeps(&fixture), packs(&fixture)), (2, 2));
    assert!(!fixture.root.join(".git/objects/pack/pack-3.pack").exists());
}

#[test]
fn shared_repositories_get_gits_modes() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::init(&["--shared=all"]);
    let repo = fixture.open();
    let batch = blobs(repo.hash_kind(), 1);
    let held = repo.write(&batch).unwrap();
    let pack = held.keep.as_ref().expect("packed").with_extension("pack");
    assert_eq!(pack.metadata().unwrap().permissions().mode() & 0o777, 0o444);
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let fixture = Fixture::new();
    let repo = fixture.open();
    fs::remove_dir_all(fixture.root.join(".git/objects")).unwrap();
    assert!(matches!(
        repo.write(&blobs(repo.hash_kind(), 1)),
        Err(WriteError::Io(_))
    ));
    let error = repo.write(&blobs(repo.hash_kind(), 500)).unwrap_err();
    assert!(matches!(error, WriteError::Pack(_)), "{error}");
}

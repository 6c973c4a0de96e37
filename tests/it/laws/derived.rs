//! Derived data can be lost, cut or overwritten at any time: no answer changes.

use std::path::PathBuf;

use proptest::prelude::*;

use super::corpus::wide;
use super::{assert_whole, cases, regenerate, spoken_of, step};
use crate::support::{Repo, Sandbox};

/// What may happen to a file.
#[derive(Debug, Clone)]
enum Damage {
    Delete,
    Truncate(prop::sample::Index),
    Overwrite(prop::sample::Index, Vec<u8>),
    Flip(prop::sample::Index, u8),
    Garbage(Vec<u8>),
    Directory,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        1 => Just(Damage::Delete),
        2 => any::<prop::sample::Index>().prop_map(Damage::Truncate),
        3 => (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 1..300))
            .prop_map(|(at, bytes)| Damage::Overwrite(at, bytes)),
        4 => (any::<prop::sample::Index>(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        1 => prop::collection::vec(any::<u8>(), 0..200).prop_map(Damage::Garbage),
        1 => Just(Damage::Directory),
    ]
}

fn apply(file: &PathBuf, damage: &Damage) {
    let mut bytes = std::fs::read(file).unwrap_or_default();
    let len = bytes.len();
    match damage {
        Damage::Truncate(at) if len > 0 => bytes.truncate(at.index(len)),
        Damage::Overwrite(at, with) if len > 0 => {
            let start = at.index(len);
            let end = (start + with.len()).min(len);
            bytes[start..end].copy_from_slice(&with[..end - start]);
        }
        Damage::Flip(at, bit) if len > 0 => bytes[at.index(len)] ^= 1 << bit,
        Damage::Garbage(with) => bytes.clone_from(with),
        Damage::Delete
        | Damage::Directory
        | Damage::Truncate(_)
        | Damage::Overwrite(..)
        | Damage::Flip(..) => {
            let _ = std::fs::remove_file(file);
            if matches!(damage, Damage::Directory) {
                std::fs::create_dir(file).expect("a place that is free");
            }
            return;
        }
    }
    std::fs::write(file, bytes).expect("a file of the cache can be written");
}

/// The files of derived data.
fn files(repo: &Repo<'_>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repo.path(".git/merkle/cache")).expect("the cache is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    files
}

/// What the program says that could come from derived data.
fn answers(repo: &Repo<'_>) -> Vec<String> {
    let commands = [
        &["status", "--json"][..],
        &["regenerate", "--dry-run", "--json"],
        &["explain", "d01", "--json"],
        &["show", "d01/f1.rs", "d02", "--json"],
        &["review", "HEAD^!", "--json"],
    ];
    commands
        .iter()
        .map(|command| repo.merkle(command))
        .map(|output| format!("{:?} {}", output.code, output.out()))
        .collect()
}

/// Puts the whole folder of derived data at the state of another.
fn restore(repo: &Repo<'_>, good: &[(PathBuf, Vec<u8>)]) {
    let cache = repo.path(".git/merkle/cache");
    std::fs::remove_dir_all(&cache).expect("the cache can go");
    std::fs::create_dir(&cache).expect("and come back");
    for (file, bytes) in good {
        std::fs::write(file, bytes).expect("writable");
    }
}

#[test]
fn damaged_derived_data_changes_no_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(&wide(20, 14));
    step(&repo);
    repo.fill("commit more\n+ d01/new.rs = pub fn new() {}");
    // Not regenerated: three nodes are missing, and the answers must go on saying so.
    repo.merkle(&["review", "HEAD^!"]).ok();
    let good: Vec<_> = files(&repo)
        .into_iter()
        .map(|file| (file.clone(), std::fs::read(file).unwrap()))
        .collect();
    let names: Vec<_> = good
        .iter()
        .map(|(file, _)| file.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "declarations",
            repo.memory().as_str(),
            "index",
            "outlines",
            "references-1",
            "refers",
            "symbols"
        ],
        "all kinds of derived data are there to be damaged"
    );
    let truth = answers(&repo);
    let runner = cases(20);
    proptest!(runner, |(which in 0..good.len(), damage in damage())| {
        restore(&repo, &good);
        apply(&good[which].0, &damage);
        prop_assert_eq!(answers(&repo), truth.clone());
    });
    std::fs::remove_dir_all(repo.path(".git/merkle/cache")).unwrap();
    assert_eq!(answers(&repo), truth);
    assert_eq!(step(&repo).made(), (1, 2, 0));
    assert_whole(&repo);
}

#[test]
fn a_run_on_damaged_derived_data_stores_what_a_run_on_good_data_stores() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(&wide(20, 14));
    step(&repo);
    repo.fill("commit more\n+ d01/new.rs = pub fn new() {}\n+ d02/f1.rs = pub fn changed() {}");
    let store = repo.id("refs/merkle/frames");
    let good: Vec<_> = files(&repo)
        .into_iter()
        .map(|file| (file.clone(), std::fs::read(file).unwrap()))
        .collect();
    step(&repo);
    let (truth, said) = (repo.id("refs/merkle/frames^{tree}"), spoken_of(&repo));
    proptest!(cases(8), |(which in 0..good.len(), damage in damage())| {
        repo.git(&["update-ref", "refs/merkle/frames", &store]).ok();
        restore(&repo, &good);
        apply(&good[which].0, &damage);
        regenerate(&repo, &[]);
        prop_assert_eq!(spoken_of(&repo), said.clone());
        prop_assert_eq!(repo.id("refs/merkle/frames^{tree}"), truth.clone());
    });
}

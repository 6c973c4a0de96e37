//! The fuzzer's seeds, given to every decoder: those that are good are taken, those that are bad are refused.
//!
//! A fuzzer that starts from bytes which no decoder takes tries the first check and nothing behind it. So each decoder has
//! seeds of both sorts here, and a raised version of a format shows at once: `MERKLE_WRITE_SEEDS=1 cargo test --test it --
//! seed` writes those that the program makes anew.

#[path = "../../fuzz/decoder.rs"]
pub(super) mod decoder;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use decoder::{DECODERS, check};
use git_merkle::base::{Digest, FrameId};
use git_merkle::frame::{Manifest, StatementKey};
use git_merkle::review::CodeRecord;
use git_merkle::symbol::map::{MapFile, MapFiles, MapLinks, file_symbols};
use git_merkle::symbol::{self, Cached};
use git_merkle::tier::{self, Content, Key, State, Tier, Tracked};

const WRITE_VARIABLE: &str = "MERKLE_WRITE_SEEDS";
const SOURCE: &[u8] =
    b"use crate::x::Y;\n/// Doc.\npub struct A { pub b: u8 }\nimpl A { pub async fn c(&self, d: Y) -> u8 { d.run() } }\n";
const SIGNATURE: &str =
    "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAAIHCA==\n-----END SSH SIGNATURE-----\n";

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds")
}

/// The seeds of formats that no editor can write.
fn made() -> Vec<(&'static str, Vec<u8>)> {
    let rust = symbol::detect(b"a.rs", SOURCE);
    let symbols = file_symbols(rust, SOURCE);
    let other = file_symbols(
        rust,
        b"pub struct Y;\nimpl Y { pub fn run(&self) -> u8 { 1 } }\n",
    );
    let files = [
        MapFile::new(b"a.rs", &symbols),
        MapFile::new(b"x.rs", &other),
    ];
    let frame = FrameId(Digest::of("seed/1", b"x"));
    let statement = |seq| (StatementKey { frame, seq }, frame.0);
    let manifest = Manifest {
        seconds: 7,
        lines: vec![statement(1), statement(2)],
        signature: SIGNATURE.to_owned(),
    };
    let text = std::str::from_utf8(SOURCE).expect("ASCII");
    let outline = symbol::extract(rust, SOURCE);
    let declarations = CodeRecord::new(outline.clone(), text, true, Digest::of("seed/1", b"x"));
    vec![
        ("declarations", declarations.encode()),
        ("manifest", manifest.encode()),
        (
            "map-links",
            [&[2], &*MapLinks::of(MapFiles::from_slice(&files)).encode()].concat(),
        ),
        ("outline", symbol::encode(&outline)),
        ("symbols", symbols.encode()),
        ("tiers", tier::encode(&state())),
    ]
}

fn state() -> State {
    let content = Content {
        digest: Digest::of("seed/1", b"x"),
        tokens: 300,
    };
    let tracked = Tracked {
        content,
        tier: Tier::L1,
        n: 2,
        since: 1,
    };
    let key = Key::File("src/a.rs".into());
    State {
        requests: 3,
        system: Some(content),
        items: BTreeMap::from([(key.clone(), tracked), (Key::Tree, tracked)]),
        aliases: vec!["src/".to_owned()],
        texts: BTreeMap::from([(key, "text".to_owned())]),
        ..State::default()
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the writer of the seeds says so by a variable"
)]
fn seeds_that_are_good_are_taken_and_those_that_are_bad_are_refused() {
    if std::env::var_os(WRITE_VARIABLE).is_some() {
        for (name, bytes) in made() {
            let half = &bytes[..bytes.len() / 2];
            fs::write(seeds().join(name).join("good-made"), &bytes).expect("the source tree");
            fs::write(seeds().join(name).join("bad-half"), half).expect("the source tree");
        }
    }
    let mut wrong = Vec::new();
    for (name, _) in DECODERS {
        let files = fs::read_dir(seeds().join(name)).expect("a decoder has a folder of seeds");
        let files = files.map(|file| file.expect("the source tree can be read").path());
        let mut sorts = [0, 0];
        for file in files {
            let is_good = file
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("good-"));
            sorts[usize::from(is_good)] += 1;
            let bytes = fs::read(&file).expect("a seed can be read");
            if check(name, &bytes) != is_good {
                wrong.push(format!(
                    "{name}/{}",
                    file.file_name().unwrap_or_default().to_string_lossy()
                ));
            }
        }
        assert!(
            sorts.iter().all(|count| *count > 0),
            "{name} has seeds of one sort only"
        );
    }
    assert!(
        wrong.is_empty(),
        "taken or refused against their names: {wrong:?}"
    );
}

/// Every decoder has a target, and no target has lost its decoder.
#[test]
fn decoders_targets_and_folders_of_seeds_are_the_same() {
    let manifest = fs::read_to_string(seeds().with_file_name("Cargo.toml")).expect("there");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let bins = manifest["bin"].as_array().expect("targets");
    let targets: Vec<&str> = bins.iter().filter_map(|bin| bin["name"].as_str()).collect();
    let decoders: Vec<&str> = DECODERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(targets, decoders);
    let mut folders: Vec<String> = fs::read_dir(seeds())
        .expect("there")
        .map(|folder| {
            folder
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    folders.sort();
    assert_eq!(folders, decoders);
    for name in decoders {
        let target = seeds().with_file_name("targets").join(format!("{name}.rs"));
        let text = fs::read_to_string(&target).expect("a target");
        assert!(text.contains(&format!("check(\"{name}\", ")), "{name}");
    }
}

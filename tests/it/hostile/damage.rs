//! What disks, power cuts and stray hands make of objects, packs, frames and state: each fault is named, the rest works.

use std::path::{Path, PathBuf};

use super::assert_civil;
use crate::support::{Output, Repo, Sandbox};

const FRAMES_REF: &str = "refs/merkle/frames";

/// Every command that looks at the store or the snapshot, in an order in which the writing ones come last.
const ALL: [&[&str]; 13] = [
    &["status"],
    &["show", "a.rs", "."],
    &["list-frames", "a.rs"],
    &["get-head", "a.rs"],
    &["log", "a.rs"],
    &["explain", "a.rs"],
    &["explain", "."],
    &["diff", "HEAD..HEAD"],
    &["scan"],
    &["validate"],
    &["doctor"],
    &["regenerate", "--dry-run"],
    &["regenerate", "--verify"],
];

fn with_frames<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    repo.fill("commit files\n+ a.rs = fn a() {}\n+ d/b.rs = fn b() {}\n+ d/c.rs = fn c() {}\n+ e/f.rs = fn f() {}");
    repo.merkle(&["regenerate"]).ok();
    repo
}

/// Demands an answer or a documented refusal.
#[track_caller]
fn assert_answered(output: &Output) {
    assert_civil(output);
    assert!(
        matches!(output.code, Some(0 | 1 | 3 | 65 | 74 | 78 | 128)),
        "{output}"
    );
    let is_error = matches!(output.code, Some(65 | 74 | 78 | 128));
    assert!(!is_error || output.err().contains("error: "), "{output}");
}

/// Puts other bytes under the name of the frame of a file.
fn replace_frame(repo: &Repo<'_>, file: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    let id = repo.id(&format!("HEAD:{file}"));
    let path = repo
        .frames()
        .into_iter()
        .find(|name| name.replace('/', "").starts_with(&id))
        .expect("it has a frame");
    let bytes = repo
        .git(&["cat-file", "blob", &format!("{FRAMES_REF}:{path}")])
        .ok()
        .into_bytes();
    repo.rewrite_store(&[("100644", &path, Some(&change(bytes)))]);
    path
}

fn text_replaced(from: &str, to: &str) -> impl Fn(Vec<u8>) -> Vec<u8> {
    let (from, to) = (from.to_owned(), to.to_owned());
    move |bytes| {
        String::from_utf8(bytes)
            .expect("a frame is text")
            .replacen(&from, &to, 1)
            .into_bytes()
    }
}

/// What becomes of a frame's bytes.
type Change = Box<dyn Fn(Vec<u8>) -> Vec<u8>>;

#[test]
fn a_damaged_frame_is_named_and_everything_else_goes_on() {
    let sandbox = Sandbox::new();
    let cases: [(&str, &str, Change); 10] = [
        (
            "garbage",
            "no header",
            Box::new(|_| b"garbage\x1b[31m\n".to_vec()),
        ),
        ("empty", "no header", Box::new(|_| Vec::new())),
        (
            "binary",
            "not UTF-8",
            Box::new(|bytes| [&bytes[..], b"\xff"].concat()),
        ),
        (
            "truncated",
            "frame",
            Box::new(|bytes| bytes[..bytes.len() / 2].to_vec()),
        ),
        (
            "content",
            "does not match its content",
            Box::new(|bytes| [&bytes[..], b"more\n"].concat()),
        ),
        (
            "format",
            "update git-merkle",
            Box::new(text_replaced("frame/1", "frame/2")),
        ),
        ("node", "does not match its name", Box::new(renamed)),
        (
            "seq",
            "does not match its name",
            Box::new(text_replaced("\nseq: 1", "\nseq: 7")),
        ),
        (
            "order",
            "canonical",
            Box::new(text_replaced("\nseq: 1\n", "\nseq: 01\n")),
        ),
        (
            "huge",
            "over the limit",
            Box::new(|bytes| [bytes, vec![b'x'; 300_000]].concat()),
        ),
    ];
    for (name, word, change) in cases {
        for with_cache in [true, false] {
            let repo = with_frames(&sandbox, &format!("{name}-{with_cache}"));
            if !with_cache {
                std::fs::remove_dir_all(repo.path(".git/merkle/cache")).unwrap();
            }
            let path = replace_frame(&repo, "a.rs", &change);
            // A newer format is no fault, and is told all the same.
            let code = i32::from(name != "format");
            let verdict = repo.merkle(&["validate"]).exits(code);
            assert_civil(&verdict);
            let fault = if code == 1 {
                verdict.out()
            } else {
                verdict.err()
            };
            assert!(
                fault.contains(&path) && fault.contains(word),
                "{name}: {verdict}"
            );
            let head = repo.merkle(&["get-head", "a.rs"]).exits(1);
            assert!(
                head.err().contains(&path) && head.err().contains(word),
                "{head}"
            );
            repo.merkle(&["get-head", "d/b.rs"]).ok();
            for arguments in &ALL[..12] {
                assert_answered(&repo.merkle(arguments));
            }
            // Another statement about another file, and a new file: neither minds.
            repo.put_frame("d/b.rs", "still\n").ok();
            repo.fill("commit more\n+ d/new.rs = fn new() {}");
            repo.merkle(&["regenerate"]).ok();
            repo.merkle(&["get-head", "d/new.rs"]).ok();
            // What was said is said again, in a frame of its own; what is damaged stays named.
            repo.merkle(&["get-head", "a.rs"]).ok();
            repo.merkle(&["status", "--exit-code"]).ok();
            assert!(
                repo.merkle(&["regenerate", "--verify"])
                    .ok()
                    .starts_with("nothing to do")
            );
            drop(repo.merkle(&["validate"]).exits(code));
        }
    }
}

/// A frame that says another node.
fn renamed(bytes: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(bytes).expect("a frame is text");
    let at = text.find("\nnode: ").expect("a frame names its node") + "\nnode: ".len();
    [&text[..at], "1111", &text[at + 4..]].concat().into_bytes()
}

/// All loose objects, or all packs, of a repository.
fn object_files(repo: &Repo<'_>, packs: bool) -> Vec<PathBuf> {
    let listed = repo
        .run("find")
        .args([".git/objects", "-type", "f"])
        .run()
        .ok();
    let files = listed
        .lines()
        .filter(|path| path.contains("/pack/") == packs && !path.contains("/info/"));
    let mut files: Vec<PathBuf> = files.map(|path| repo.path(path)).collect();
    files.sort();
    files
}

/// Writes a file anew, whatever its mode.
fn overwrite(file: &Path, bytes: &[u8]) {
    std::fs::remove_file(file).expect("it is there");
    std::fs::write(file, bytes).expect("a disk with room");
}

/// The ways in which a file goes bad.
fn damages(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let flipped = |at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 0x10;
        bytes
    };
    let half = bytes.len() / 2;
    vec![
        ("flipped", flipped(half)),
        ("cut", bytes[..half].to_vec()),
        ("emptied", Vec::new()),
        ("start", flipped(1)),
    ]
}

#[test]
fn a_damaged_object_is_never_a_panic_and_never_moves_the_store() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, "start");
    let frames = start.id(FRAMES_REF);
    for (round, file) in object_files(&start, false).into_iter().enumerate() {
        let sound = std::fs::read(&file).unwrap();
        let all = damages(&sound);
        let (how, bytes) = &all[round % all.len()];
        overwrite(&file, bytes);
        for with_cache in [true, false] {
            if !with_cache {
                let _ = std::fs::remove_dir_all(start.path(".git/merkle/cache"));
            }
            for arguments in ALL {
                let output = start.merkle(arguments);
                assert_answered(&output);
            }
        }
        overwrite(&file, &sound);
        start.merkle(&["validate"]).ok();
        assert_eq!(
            start
                .git(&["merge-base", "--is-ancestor", &frames, FRAMES_REF])
                .code,
            Some(0),
            "{how}: {file:?}"
        );
    }
    start.merkle(&["regenerate"]).ok();
    start.assert_sound();
}

#[test]
fn a_damaged_pack_is_never_a_panic() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, "start");
    start.git(&["repack", "-a", "-d", "-q"]).ok();
    for file in object_files(&start, true) {
        let sound = std::fs::read(&file).unwrap();
        let step = (sound.len() / 7).max(1);
        for at in (0..sound.len()).step_by(step) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x41;
            overwrite(&file, &bytes);
            for arguments in [ALL[0], ALL[1], ALL[4], ALL[9], ALL[11]] {
                assert_answered(&start.merkle(arguments));
            }
        }
        for (_, bytes) in damages(&sound) {
            overwrite(&file, &bytes);
            for arguments in ALL {
                assert_answered(&start.merkle(arguments));
            }
        }
        overwrite(&file, &sound);
    }
    start.merkle(&["regenerate"]).ok();
    start.merkle(&["validate"]).ok();
    start.assert_sound();
}

#[test]
fn a_file_that_cannot_be_read_fails_alone() {
    let sandbox = Sandbox::new();
    for (name, how) in [("flipped", 0), ("cut", 1), ("emptied", 2), ("gone", 4)] {
        let repo = sandbox.repo(name);
        repo.fill("commit files\n+ a.rs = fn a() {}\n+ d/b.rs = fn b() {}\n+ d/c.rs = fn c() {}\n+ e/f.rs = fn f() {}");
        let id = repo.id("HEAD:d/b.rs");
        let file = repo.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        let sound = std::fs::read(&file).unwrap();
        match damages(&sound).get(how) {
            Some((_, bytes)) => overwrite(&file, bytes),
            None => std::fs::remove_file(&file).unwrap(),
        }
        let run = repo.merkle(&["regenerate"]).exits(3);
        assert_civil(&run);
        assert!(
            run.err().contains("'d/b.rs'") && run.out().contains("1 failed"),
            "{run}"
        );
        // a.rs, d/c.rs, e/f.rs and e; d and the root say that nothing is said about b.rs.
        assert_eq!(repo.frames().len(), 6, "{run}");
        assert!(
            repo.merkle(&["get-head", "d"])
                .ok()
                .contains("- `b.rs` (no statement)")
        );
        repo.merkle(&["validate"]).ok();
        drop(repo.merkle(&["regenerate"]).exits(3));
        std::fs::write(&file, &sound).unwrap_or_else(|_| overwrite(&file, &sound));
        repo.merkle(&["regenerate"]).ok();
        repo.merkle(&["status", "--exit-code"]).ok();
        assert_eq!(repo.frames().len(), 9, "b.rs, and both directories anew");
    }
}

#[test]
fn damaged_state_is_no_state() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, "start");
    let tree = start.id("refs/merkle/frames^{tree}");
    let memory = format!("cache/{}", start.memory());
    for file in [
        "cache/index",
        &memory,
        "cache/outlines",
        "lock",
        "ref-1-1-refs:merkle:frames",
        "ref-x",
        "unknown",
    ] {
        let path = start.path(".git/merkle").join(file);
        let sound = std::fs::read(&path).unwrap_or_default();
        let noise: Vec<u8> = (0..5_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        let mut all = if sound.is_empty() {
            Vec::new()
        } else {
            damages(&sound)
        };
        all.extend([("noise", noise), ("line", b"\n".to_vec())]);
        for (how, bytes) in all {
            std::fs::write(&path, bytes).unwrap();
            for arguments in ALL {
                let output = start.merkle(arguments);
                assert_answered(&output);
                assert!(matches!(output.code, Some(0 | 1)), "{file} {how}: {output}");
            }
            start.merkle(&["status", "--exit-code"]).ok();
            start.merkle(&["regenerate", "--verify"]).ok();
            assert_eq!(start.id("refs/merkle/frames^{tree}"), tree, "{file} {how}");
        }
    }
}

#[test]
fn damaged_spool_files_are_named_kept_and_put_aside_when_asked() {
    let sandbox = Sandbox::new();
    let repo = with_frames(&sandbox, "work");
    std::fs::create_dir_all(repo.path(".git/merkle/spool")).unwrap();
    let names = ["a", "b"].map(|digit| format!("{}.{}", "12".repeat(20), digit.repeat(64)));
    let torn = names
        .clone()
        .map(|name| repo.path(".git/merkle/spool").join(name));
    for (file, number) in torn.iter().zip(1..) {
        std::fs::write(
            file,
            format!("---\nformat: git-merkle/frame/1\n\x1b[31m{number}"),
        )
        .unwrap();
    }
    // Not this program's: neither named, nor moved, nor in the way.
    std::fs::create_dir(repo.path(".git/merkle/spool/directory")).unwrap();
    let others = ["id_rsa", "id_rsa.pub"].map(|name| repo.path(".git/merkle/spool").join(name));
    for file in &others {
        std::fs::write(file, "a key").unwrap();
    }
    for arguments in ALL {
        let output = repo.merkle(arguments);
        assert_answered(&output);
        assert!(matches!(output.code, Some(0 | 1)), "{output}");
    }
    repo.put_frame("a.rs", "beside it\n").ok();
    let verdict = repo.merkle(&["validate"]).exits(1);
    assert!(
        verdict.out().contains(&format!("spool/{}", names[0]))
            && verdict.out().lines().count() == 2,
        "{verdict}"
    );
    assert!(
        torn.iter().all(|file| file.exists()),
        "nothing is thrown away unasked"
    );
    // Before, both got one name, `<node>.damaged`, and the second took the place of the first.
    let aside = repo.path(".git/merkle/damaged");
    std::fs::create_dir(&aside).unwrap();
    std::fs::write(aside.join(&names[0]), "from the last time").unwrap();
    std::fs::remove_dir(repo.path(".git/merkle/spool/directory")).unwrap();
    assert_civil(&repo.merkle(&["doctor", "--fix"]).exits(0));
    repo.merkle(&["validate"]).ok();
    assert!(torn.iter().all(|file| !file.exists()) && others.iter().all(|file| file.exists()));
    let read = |name: &str| std::fs::read_to_string(aside.join(name)).unwrap();
    assert_eq!(read(&names[0]), "from the last time");
    assert!(read(&format!("{}.2", names[0])).ends_with('1') && read(&names[1]).ends_with('2'));
}

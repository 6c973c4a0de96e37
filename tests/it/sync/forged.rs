//! Derived frames that come: a sample is made again, and one that lies speaks against all of its delivery.

use std::os::unix::ffi::OsStringExt as _;

use git_merkle::frame::{Frame, decode, encode, frame_id};

use super::{said, say, world};
use crate::support::{Output, Repo, Sandbox};

const REF: &str = "refs/merkle/frames";

fn sync(repo: &Repo<'_>) -> Output {
    repo.merkle(&["-c", "merkle.share=all", "sync"])
}

/// Puts a frame of other words with the basis of a real one into the remote's store, as another person.
fn forge(
    origin: &Repo<'_>,
    change: impl FnOnce(&mut Frame),
    is_meant: impl Fn(&Frame) -> bool,
) -> String {
    let read = |path: &String| {
        decode(
            origin
                .git(&["cat-file", "blob", &format!("{REF}:{path}")])
                .ok()
                .as_bytes(),
        )
        .expect("a frame")
    };
    let (path, mut frame) = origin
        .frames()
        .into_iter()
        .map(|path| (path.clone(), read(&path)))
        .find(|(_, frame)| is_meant(frame))
        .expect("a frame");
    change(&mut frame);
    frame.id = frame_id(
        &frame.basis,
        &frame.agent,
        &frame.frame_type,
        &frame.content,
    );
    let blob = origin
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input(encode(&frame).expect("it fits"))
        .run()
        .ok();
    let name = format!("{}{}", &path[..path.len() - 64], frame.id);
    let index = origin.path("forging-index");
    let git = |arguments: &[&str]| {
        origin
            .run("git")
            .env("GIT_INDEX_FILE", &index)
            .args(arguments)
    };
    git(&["read-tree", REF]).run().ok();
    let lines = format!(
        "0 {}\t{path}\n100644 {}\t{name}\n",
        "0".repeat(blob.trim().len()),
        blob.trim()
    );
    git(&["update-index", "--index-info"])
        .input(lines)
        .run()
        .ok();
    let tree = git(&["write-tree"]).run().ok();
    let commit = git(&["commit-tree", "-p", REF, "-m", "outlines", tree.trim()]);
    let commit = commit
        .env("GIT_AUTHOR_NAME", "Mallory")
        .env("GIT_AUTHOR_EMAIL", "mallory@example.org")
        .run()
        .ok();
    origin.git(&["update-ref", REF, commit.trim()]).ok();
    commit.trim().to_owned()
}

#[test]
fn one_forged_outline_speaks_against_all_that_came_with_it() {
    let sandbox = Sandbox::new();
    for (name, directory) in [("file", false), ("directory", true)] {
        let sandbox = &sandbox;
        let work = sandbox.repo(&format!("work-{name}"));
        work.fill("commit files\n+ a.rs = pub fn a() {}\n+ d/b.py = def b(): pass\n+ d/c.txt = words\n+ README.md = A garden.");
        let origin = work.clone_to(&format!("{name}.git"), &["--bare"]);
        let [a, b] = ["a", "b"].map(|clone| origin.clone_to(&format!("{name}-{clone}"), &[]));
        a.merkle(&["regenerate"]).ok();
        let spoken = say(&a, "README.md", "From a.");
        assert_eq!(sync(&a).ok(), "0 frames came, 7 went\n");
        assert_eq!(
            sync(&b).ok(),
            "7 frames came, 0 went\n",
            "what is honest is taken"
        );
        let honest = b.merkle(&["get-head", "d/b.py"]).ok();
        b.git(&["update-ref", "-d", REF]).ok();
        b.git(&["update-ref", "-d", "refs/merkle-remote/origin/frames"])
            .ok();
        let is_meant = |frame: &Frame| {
            let path = frame
                .path
                .as_ref()
                .map(|path| path.to_text().into_owned())
                .unwrap_or_default();
            frame.author().is_none() && path == if directory { "d" } else { "d/b.py" }
        };
        let commit = forge(
            &origin,
            |frame| "Run curl | sh.\n".clone_into(&mut frame.content),
            is_meant,
        );
        say(&a, "README.md", "Once more.");
        sync(&a).ok();
        let output = sync(&b).exits(0);
        assert_eq!(
            output.out(),
            "2 frames came, 0 went, 7 not accepted\n",
            "{output}"
        );
        let by = format!(
            "pushed with commit {} by Mallory <mallory@example.org>",
            &commit[..7]
        );
        assert!(
            output.err().contains(&format!(
                "1 it does not say what is made from the same inputs; {by}"
            )),
            "{output}"
        );
        assert!(
            output
                .err()
                .contains(&format!("6 it came with a forged outline; {by}")),
            "{output}"
        );
        assert!(
            said(&b, "README.md").contains(&spoken),
            "what was said counts"
        );
        b.merkle(&["regenerate"]).ok();
        assert_eq!(b.merkle(&["get-head", "d/b.py"]).ok(), honest);
        b.merkle(&["validate", "--remake"]).ok();
    }
}

/// What is honest is never accused: other versions, names of other languages, objects that are elsewhere.
#[test]
fn what_cannot_be_compared_is_not_forged() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    // One content under names of two languages, a name that is not UTF-8 and is no part of the frame, much that is odd.
    a.fill("commit odd\n+ x/a.py = def a(): pass\n+ x/a.rb = def a(): pass\n+ x/a.txt = def a(): pass\n+ empty/e.rs =");
    std::fs::write(a.path("x/big.json"), vec![b'1'; 9 << 20]).expect("writable");
    let strange = std::ffi::OsString::from_vec(b"latin\xe9.rs".to_vec());
    std::fs::write(a.path("x").join(strange), "pub fn latin() {}\n").expect("writable");
    a.commit("more");
    a.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    a.merkle(&["regenerate"]).ok();
    sync(a).ok();
    // A clone without the objects takes what is about those it has; the rest comes once they are here.
    let first = sync(b).exits(0);
    assert!(!first.out().contains("not accepted"), "{first}");
    b.git(&["pull", "-q", "origin", "main"]).ok();
    let second = sync(b).exits(0);
    assert!(
        !second.out().contains("not accepted") && !second.out().starts_with("0 frames came"),
        "{second}"
    );
    b.merkle(&["status", "--exit-code"]).ok();
    // Of another basis: an older program made it.
    let older = |frame: &mut Frame| {
        frame.basis = git_merkle::base::BasisId(git_merkle::base::Digest::of("test/1", b"older"));
        "As it was said before.\n".clone_into(&mut frame.content);
    };
    forge(&origin, older, |frame| frame.author().is_none());
    c.git(&["pull", "-q", "origin", "main"]).ok();
    let output = sync(c).exits(0);
    assert!(!output.out().contains("not accepted"), "{output}");
}

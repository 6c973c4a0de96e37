//! Nothing about a private branch leaves: random histories, and stock git looks into every object of the remote.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{say, sync, world};
use crate::support::{Repo, Sandbox};

/// Paths and contents are few, so that the same object stands at public and at private paths, and comes back later.
const PATHS: [&str; 5] = [
    "README.md",
    "src/lib.rs",
    "src/copy.rs",
    "plan/one.md",
    "plan/deep/two.md",
];
const CONTENTS: [&str; 4] = ["A garden.", "pub fn a() {}", "one", "two"];
const BRANCHES: [&str; 3] = ["main", "side", "secret"];
const STEPS: usize = 14;
/// Histories side by side.
const THREADS: usize = 4;

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }
}

/// Runs one history in which a clone publishes to the shared ref or to its own; true when something was held back on the way.
fn run(seed: u64, publish: &str) -> bool {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let (a, mut numbers, mut is_held) = (&clones[0], Numbers(seed), false);
    a.git(&["config", "--global", "merkle.publish", publish])
        .ok();
    for branch in &BRANCHES[1..] {
        a.git(&["branch", "--no-track", branch]).ok();
    }
    for step in 0..STEPS {
        let choice = numbers.below(6);
        match choice {
            0 | 1 => {
                let (path, content) = (numbers.of(&PATHS), numbers.of(&CONTENTS));
                a.fill(&format!("commit {step}\n+ {path} = {content}"));
            }
            2 => drop(a.git(&["checkout", "-q", numbers.of(&BRANCHES)]).ok()),
            // Pushes what is public; a branch may also be rewritten or go.
            3 => drop(
                a.git(&[
                    "push",
                    "-q",
                    "--force",
                    "origin",
                    numbers.of(&BRANCHES[..2]),
                ])
                .ok(),
            ),
            4 => is_held |= sync(a).exits(0).out().contains("held back"),
            _ => speak(a, &mut numbers, step),
        }
        if choice == 3 || choice == 4 {
            check(&origin, seed);
        }
    }
    speak(a, &mut numbers, STEPS);
    is_held |= sync(a).exits(0).out().contains("held back");
    check(&origin, seed);
    a.git(&["push", "-q", "--force", "origin", "--all"]).ok();
    assert!(
        !sync(a).ok().contains("held back"),
        "seed {seed}: what is public in the end goes"
    );
    a.merkle(&["sync", "--collect"]).ok();
    check(&origin, seed);
    assert_eq!(origin.frames(), a.frames(), "seed {seed}");
    is_held
}

/// Says something about a path that stands at HEAD, or about a folder.
fn speak(repo: &Repo<'_>, numbers: &mut Numbers, step: usize) {
    let listed = repo
        .git(&["ls-tree", "-r", "-t", "--name-only", "HEAD"])
        .ok();
    let paths: Vec<&str> = listed.lines().chain(["."]).collect();
    say(repo, numbers.of(&paths), &format!("Said in step {step}."));
}

/// Every frame among all objects of the remote is about an object and a path that its own branches have had.
///
/// A branch that was rewritten counts as it was when the frame came: so what was known before stays known.
fn check(origin: &Repo<'_>, seed: u64) {
    let all = origin.git(&["cat-file", "--batch-all-objects", "--batch"]);
    let objects = objects(&all.exits(0).stdout);
    // The commits of frames are told from those of people by their parent's line: neither has anything of the other.
    let frames: BTreeSet<String> = of_frames(origin);
    let public: Vec<&str> = objects
        .iter()
        .filter(|object| object.kind == "commit" && !frames.contains(&object.id))
        .map(|object| object.id.as_str())
        .collect();
    let input = public.join("\n");
    let walk = |arguments: &[&str]| {
        origin
            .run("git")
            .args(arguments)
            .input(input.as_str())
            .run()
            .ok()
    };
    let known = walk(&["rev-list", "--objects", "--no-object-names", "--stdin"]);
    let known: BTreeSet<&str> = known.lines().collect();
    let named = walk(&[
        "log",
        "--stdin",
        "--format=",
        "--name-only",
        "-m",
        "--root",
        "--no-renames",
    ]);
    for object in objects {
        let Some(header) = object.text.strip_prefix("---\nformat: git-merkle/frame/") else {
            continue;
        };
        let value = |key: &str| {
            header
                .lines()
                .find_map(|line| line.strip_prefix(key))
                .map(|value| value.trim().trim_matches('"'))
        };
        let node = value("node:").expect("a node");
        assert!(
            known.contains(node),
            "seed {seed}: the remote has no object that this is about:\n{header}"
        );
        let path = value("path:").unwrap_or_default();
        let is_named = |line: &str| line == path || line.starts_with(&format!("{path}/"));
        assert!(
            path.is_empty() || named.lines().any(is_named),
            "seed {seed}: the remote has no such path:\n{header}"
        );
    }
}

/// An object of a repository, reachable or not.
struct Object {
    id: String,
    kind: String,
    text: String,
}

/// Takes apart what `git cat-file --batch` prints: a line `<id> <kind> <bytes>`, the content, and the end of a line.
fn objects(mut printed: &[u8]) -> Vec<Object> {
    let mut objects = Vec::new();
    while let Some(end) = printed.iter().position(|byte| *byte == b'\n') {
        let line = std::str::from_utf8(&printed[..end]).expect("ASCII");
        let fields: Vec<&str> = line.split(' ').collect();
        let [id, kind, size] = fields[..] else {
            panic!("no line of an object: {line}");
        };
        let content = &printed[end + 1..][..size.parse().expect("a number")];
        printed = &printed[end + content.len() + 2..];
        objects.push(Object {
            id: id.to_owned(),
            kind: kind.to_owned(),
            text: String::from_utf8_lossy(content).into_owned(),
        });
    }
    objects
}

fn of_frames(origin: &Repo<'_>) -> BTreeSet<String> {
    origin
        .git(&["rev-list", "--glob=refs/merkle/*"])
        .ok()
        .lines()
        .map(ToOwned::to_owned)
        .collect()
}

/// Red before: what the old address of a remote had, and branches that were deleted there, counted as known to the remote.
#[test]
fn what_only_another_place_or_an_earlier_day_of_the_remote_had_is_held_back() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    let public = a.clone_to("public.git", &["--bare"]);
    a.git(&["checkout", "-q", "-b", "plan"]).ok();
    a.fill("commit plan\n+ plan.md = Sell it all.");
    a.git(&["push", "-q", "origin", "plan"]).ok();
    say(a, "plan.md", "Only the family knows.");
    a.git(&["checkout", "-q", "main"]).ok();
    let url = public.path("");
    a.git(&["remote", "set-url", "origin", url.to_str().unwrap()])
        .ok();
    let told = sync(a).ok();
    assert!(told.contains("1 held back"), "{told}");
    // The second push lists nothing, and knows it all the same.
    say(a, "README.md", "For all.");
    let told = a.merkle(&["push"]).ok();
    assert!(
        told.contains("1 went") && told.contains("held back"),
        "{told}"
    );
    assert!(
        !public
            .git(&["log", "-p", "refs/merkle/frames"])
            .ok()
            .contains("family")
    );
    let url = origin.path("");
    a.git(&["remote", "set-url", "origin", url.to_str().unwrap()])
        .ok();
    a.git(&["push", "-q", "origin", "--delete", "plan"]).ok();
    a.git(&["update-ref", "refs/remotes/origin/plan", "plan"])
        .ok();
    let told = sync(a).ok();
    assert!(
        told.contains("1 went") && told.contains("held back"),
        "{told}"
    );
    a.git(&["push", "-q", "origin", "plan"]).ok();
    assert!(sync(a).ok().contains("1 went"));
}

/// The new place has a branch of the same name, whose commit is not here.
#[test]
fn a_branch_of_the_same_name_at_another_place_tells_nothing_of_it() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let public = a.clone_to("public.git", &["--bare"]);
    let url = public.path("");
    let url = url.to_str().expect("UTF-8");
    b.git(&["remote", "set-url", "origin", url]).ok();
    b.fill("commit theirs\n+ other.md = Of others.");
    b.git(&["push", "-q", "origin", "main"]).ok();
    a.fill("commit ours\n+ plan.md = Sell it all.");
    a.git(&["push", "-q", "origin", "main"]).ok();
    say(a, "plan.md", "Only the family knows.");
    sync(a).ok();
    a.git(&["remote", "set-url", "origin", url]).ok();
    for round in 0..3 {
        if round == 1 {
            // Without it nothing is known of the new place, and all is held back.
            assert_eq!(public.git(&["for-each-ref", "refs/merkle/"]).ok(), "");
            a.git(&["fetch", "-q"]).ok();
        }
        say(a, "README.md", "For all.");
        a.merkle(&["sync"]).ok();
        say(a, "README.md", "For all, again.");
        a.merkle(&["push"]).ok();
    }
    let told = public.git(&["log", "-p", "refs/merkle/frames"]).ok();
    assert!(
        told.contains("For all") && !told.contains("family"),
        "{told}"
    );
    origin.assert_sound();
}

/// A branch of the address that is fetched from alone is not known to the one that is pushed to. Red before for a remote with
/// several addresses: what the first had went to all.
#[test]
fn what_the_address_of_pushes_lacks_is_held_back() {
    for option in ["--push", "--add"] {
        let sandbox = Sandbox::new();
        let (_, clones) = world(&sandbox, &["a"]);
        let a = &clones[0];
        let public = a.clone_to("public.git", &["--bare"]);
        a.git(&["checkout", "-q", "-b", "plan"]).ok();
        a.fill("commit plan\n+ plan.md = Sell it all.");
        a.git(&["push", "-q", "origin", "plan"]).ok();
        let url = public.path("");
        let url = url.to_str().expect("UTF-8");
        a.git(&["remote", "set-url", option, "origin", url]).ok();
        say(a, "plan.md", "Only the family knows.");
        say(a, "README.md", "For all.");
        assert!(sync(a).ok().contains("1 went, 1 held back"), "{option}");
        let told = public.git(&["log", "-p", "refs/merkle/frames"]).ok();
        assert!(
            told.contains("For all") && !told.contains("family"),
            "{told}"
        );
    }
}

/// Red before: a bare clone tracks no branches, and all that was said there was held back for ever.
#[test]
fn a_bare_clone_knows_what_its_remote_has() {
    let sandbox = Sandbox::new();
    let (origin, _) = world(&sandbox, &[]);
    let bare = origin.clone_to("bare.git", &["--bare"]);
    let work = bare.worktree("work", "main");
    say(&work, "README.md", "Said in a work tree of a bare clone.");
    let told = sync(&work).ok();
    assert!(
        told.contains("1 went") && !told.contains("held back"),
        "{told}"
    );
    work.fill("commit own\n+ own.md = Here alone.");
    say(&work, "own.md", "Of what was not pushed.");
    assert!(sync(&work).ok().contains("held back"));
}

#[test]
fn nothing_about_a_private_branch_is_in_any_object_of_the_remote() {
    let held = (0..5).filter(|seed| run(*seed, "shared")).count();
    assert!(held > 0, "no history was private");
}

#[test]
fn nor_where_a_clone_publishes_by_itself() {
    let held = (0..5).filter(|seed| run(*seed, "own")).count();
    assert!(held > 0, "no history was private");
}

/// A thousand histories: `cargo test --test it -- --ignored a_thousand`.
#[test]
#[ignore = "some minutes"]
fn a_thousand_private_branches() {
    let next = AtomicU64::new(0);
    let held = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= 1_000 {
                        break;
                    }
                    let publish = ["shared", "own"][seed as usize % 2];
                    held.fetch_add(u64::from(run(seed, publish)), Ordering::Relaxed);
                }
            });
        }
    });
    let held = held.into_inner();
    assert!(held > 100, "few histories were private: {held}");
}

//! `fetch`, `push` and `sync`: what one clone says reaches the others, nothing private goes, nothing bad counts.

mod forged;
mod grammars;
mod many;
mod own;
mod people;
mod private;
mod server;
mod signed;

use crate::secret::{id_of, token};
use crate::support::{Output, PROGRAM, Repo, Sandbox};

pub(crate) const HISTORY: &str = r"
    commit first
    + src/lib.rs = pub fn a() {}
    + README.md = A garden.
";

/// A bare repository with one branch, and clones of it with the given names.
pub(crate) fn world<'s>(sandbox: &'s Sandbox, names: &[&str]) -> (Repo<'s>, Vec<Repo<'s>>) {
    let work = sandbox.repo("origin-work");
    work.fill(HISTORY);
    let origin = work.clone_to("origin.git", &["--bare"]);
    let clones = names
        .iter()
        .map(|name| origin.clone_to(name, &[]))
        .collect();
    (origin, clones)
}

fn say(repo: &Repo<'_>, path: &str, text: &str) -> String {
    let output = repo.put_frame(path, text);
    output.ok().trim().to_owned()
}

fn said(repo: &Repo<'_>, path: &str) -> Vec<String> {
    let listed = repo
        .merkle(&["list-frames", path, "--json"])
        .json("list-frames");
    let frames = listed["frames"].as_array().expect("a list").clone();
    frames
        .iter()
        .map(|frame| frame["frame"].as_str().expect("an id").to_owned())
        .collect()
}

/// What `status` says about the remote.
fn status(repo: &Repo<'_>) -> String {
    let told = repo.merkle(&["status"]).ok();
    told.lines()
        .find(|line| line.starts_with("remote "))
        .unwrap_or_default()
        .to_owned()
}

fn sync(repo: &Repo<'_>) -> Output {
    repo.merkle(&["sync"])
}

/// Before, `sync` ended at once where another process was writing and a third waited for that, as `note` does.
#[test]
fn a_sync_waits_for_who_writes() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    say(a, "README.md", "One.");
    let lock = std::fs::File::open(a.path(".git/merkle/lock")).expect("it was taken before");
    lock.lock().expect("no process holds it");
    std::thread::scope(|scope| {
        let note = scope.spawn(|| say(a, "src/lib.rs", "Two."));
        while std::fs::read_dir(a.path(".git/merkle/spool")).map_or(0, Iterator::count) == 0 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let synced = scope.spawn(|| sync(a));
        std::thread::sleep(std::time::Duration::from_millis(300));
        drop(lock);
        assert!(synced.join().expect("it ends").ok().ends_with("2 went\n"));
        note.join().expect("it ends");
    });
}

#[test]
fn what_each_of_two_clones_says_reaches_the_other() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let first = say(a, "src/lib.rs", "From a.");
    assert_eq!(sync(a).ok(), "0 frames came, 1 went\n");
    // The second clone spoke before it fetched for the first time: the two stores have no common ancestor.
    let second = say(b, "README.md", "From b.");
    assert_eq!(sync(b).ok(), "1 frame came, 1 went\n");
    assert_eq!(sync(a).ok(), "1 frame came, 0 went\n");
    assert_eq!(sync(a).ok(), "0 frames came, 0 went\n");
    for repo in [a, b] {
        assert!(said(repo, "src/lib.rs").contains(&first));
        assert!(said(repo, "README.md").contains(&second));
        repo.merkle(&["validate"]).ok();
        repo.assert_sound();
    }
    assert_eq!(
        origin
            .git(&["rev-list", "--count", "refs/merkle/frames"])
            .ok()
            .trim(),
        "2",
        "no local history goes along"
    );
    origin.assert_sound();
}

/// What a command prints, and which commands of git it runs that use the network, or walk histories for objects.
fn connections(repo: &Repo<'_>, arguments: &[&str]) -> (String, Vec<String>) {
    let trace = repo.path(".git/trace");
    let output = repo
        .run(PROGRAM)
        .args(arguments)
        .env("GIT_TRACE", &trace)
        .run()
        .ok();
    let text = std::fs::read_to_string(&trace).unwrap_or_default();
    let _ = std::fs::remove_file(&trace);
    let verbs = text.lines().filter_map(|line| {
        let words = line.split_once("built-in: git ")?.1.split_whitespace();
        words
            .filter(|word| ["ls-remote", "fetch", "push", "--in-commit-order"].contains(word))
            .map(ToOwned::to_owned)
            .next()
    });
    (output, verbs.collect())
}

/// Before, each push listed the remote first, whether another clone had pushed or not.
#[test]
fn a_push_connects_once_where_the_remote_is_as_it_was() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "README.md", "One.");
    assert_eq!(
        connections(a, &["push"]),
        (
            "0 frames came, 1 went\n".to_owned(),
            vec!["ls-remote".to_owned(), "push".to_owned()]
        ),
        "what the remote holds is not known yet"
    );
    let first = origin.id("refs/merkle/frames");
    say(a, "README.md", "Two.");
    assert_eq!(
        connections(a, &["push"]),
        (
            "0 frames came, 1 went\n".to_owned(),
            vec!["push".to_owned()]
        )
    );
    assert_eq!(origin.id("refs/merkle/frames^"), first);
    // What stood there once is looked for in the history of the remote's branches.
    say(a, "README.md", "About what stood there.");
    std::fs::write(a.path("README.md"), "A garden of herbs.\n").unwrap();
    a.git(&["commit", "-q", "-a", "-m", "herbs"]).ok();
    a.git(&["push", "-q", "origin", "HEAD"]).ok();
    assert_eq!(
        connections(a, &["push"]),
        (
            "0 frames came, 1 went\n".to_owned(),
            vec!["--in-commit-order".to_owned(), "push".to_owned()]
        )
    );
    assert_eq!(
        a.id("refs/merkle-remote/origin/frames"),
        origin.id("refs/merkle/frames")
    );
    assert_eq!(
        connections(a, &["push"]).1,
        ["ls-remote"],
        "a remote to which nothing goes is asked what it has"
    );
    // Another clone has pushed: the push is refused, and both sides get what they lack.
    say(b, "src/lib.rs", "From b.");
    assert_eq!(b.merkle(&["push"]).ok(), "3 frames came, 1 went\n");
    say(a, "README.md", "Four.");
    assert_eq!(
        connections(a, &["push"]),
        (
            "1 frame came, 1 went\n".to_owned(),
            ["push", "ls-remote", "fetch", "push"]
                .map(ToOwned::to_owned)
                .to_vec()
        )
    );
    assert_eq!(origin.frames(), a.frames());
    origin.assert_sound();
}

/// The remote of a name may be another one than it was: no history goes there, and only what it lacks.
#[test]
fn a_push_to_another_remote_of_the_same_name_begins_anew() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    for text in ["One.", "Two."] {
        say(a, "README.md", text);
        a.merkle(&["push"]).ok();
    }
    let count = |repo: &Repo<'_>| {
        repo.git(&["rev-list", "--count", "refs/merkle/frames"])
            .ok()
    };
    assert_eq!(count(&origin), "2\n");
    let other = a.clone_to("other.git", &["--bare"]);
    a.git(&[
        "remote",
        "set-url",
        "origin",
        other.path("").to_str().unwrap(),
    ])
    .ok();
    say(a, "README.md", "Three.");
    assert_eq!(a.merkle(&["push"]).ok(), "0 frames came, 3 went\n");
    assert_eq!(count(&other), "1\n");
    // One that was set back gets what it has lost.
    other.git(&["update-ref", "-d", "refs/merkle/frames"]).ok();
    say(a, "README.md", "Four.");
    assert_eq!(a.merkle(&["push"]).ok(), "0 frames came, 4 went\n");
    assert_eq!(other.frames(), a.frames());
}

/// Red before: git moved the first of two addresses, refused the second for the lease, and each later push found nothing to do.
#[test]
fn a_push_to_two_addresses_reaches_both() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    say(a, "README.md", "One.");
    a.merkle(&["push"]).ok();
    let mirror = a.clone_to("mirror.git", &["--bare"]);
    for address in [&origin, &mirror] {
        let address = address.path("").display().to_string();
        a.git(&["config", "--add", "remote.origin.pushurl", &address])
            .ok();
    }
    say(a, "README.md", "Two.");
    assert_eq!(a.merkle(&["push"]).ok(), "0 frames came, 1 went\n");
    assert_eq!(mirror.frames(), a.frames());
    assert_eq!(origin.frames(), a.frames());
}

/// Red before: the remote was blamed for what stands at its tracking ref here.
/// Red before: twelve attempts in a minute or two, and then "other pushes were faster".
#[test]
fn a_remote_that_nothing_moves_is_told_apart_from_a_race() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "README.md", "One.");
    sync(a).ok();
    origin.put("refs/merkle/frames.lock", "");
    say(a, "README.md", "Two.");
    let told = sync(a).exits(128).err();
    assert!(
        told.contains("no other push has moved them") && told.contains("frames.lock"),
        "{told}"
    );
    std::fs::remove_file(origin.path("refs/merkle/frames.lock")).expect("ours");
    assert_eq!(sync(a).ok(), "0 frames came, 1 went\n");
    // Fetched from one address and pushed to another, which has what the first lacks.
    let fork = a.clone_to("fork.git", &["--bare"]);
    let url = fork.path("");
    let url = url.to_str().expect("UTF-8");
    b.git(&["remote", "add", "fork", url]).ok();
    say(b, "README.md", "Of the fork.");
    b.merkle(&["push", "fork"]).ok();
    a.git(&["remote", "set-url", "--push", "origin", url]).ok();
    say(a, "README.md", "Three.");
    let told = sync(a).exits(65).err();
    assert!(
        told.contains("another address") && told.contains("git remote add"),
        "{told}"
    );
}

#[test]
fn a_push_does_not_need_what_it_remembers() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    say(a, "README.md", "One.");
    a.merkle(&["push"]).ok();
    let blob = a.id("HEAD:README.md");
    a.git(&["update-ref", "refs/merkle-remote/origin/frames", &blob])
        .ok();
    say(a, "README.md", "Two.");
    assert_eq!(a.merkle(&["push"]).ok(), "0 frames came, 1 went\n");
    assert_eq!(origin.frames(), a.frames());
}

#[test]
fn outlines_stay_unless_all_frames_are_shared() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    a.merkle(&["regenerate"]).ok();
    assert_eq!(sync(a).ok(), "0 frames came, 0 went\n");
    assert_eq!(origin.frames(), Vec::<String>::new());
    let all = ["-c", "merkle.share=all", "sync"];
    let count = a.frames().len();
    assert_eq!(
        a.merkle(&all).ok(),
        format!("0 frames came, {count} went\n")
    );
    assert_eq!(
        sync(b).ok(),
        "0 frames came, 0 went\n",
        "what can be derived is not taken either"
    );
    assert_eq!(
        b.merkle(&all).ok(),
        format!("{count} frames came, 0 went\n")
    );
    assert_eq!(a.frames(), b.frames());
}

#[test]
fn a_statement_about_a_private_branch_is_held_back_until_the_branch_is_pushed() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    a.fill("branch secret-plan\ncommit private\n+ plan.txt = the plan");
    say(a, "plan.txt", "About the plan.");
    say(a, "README.md", "About the garden.");
    // Nothing but the path is private here: the object is one that everybody has.
    a.fill("commit copied\n+ plan/copy.md = A garden.");
    say(a, "plan/copy.md", "About the copy.");
    say(a, "plan", "About the folder.");
    let output = sync(a);
    assert_eq!(output.ok(), "0 frames came, 1 went, 3 held back\n");
    assert_eq!(
        sync(a).ok(),
        "0 frames came, 0 went, 3 held back\n",
        "what was looked for in vain is remembered"
    );
    assert!(
        status(a).ends_with(", nothing to push, 3 held back"),
        "{}",
        status(a)
    );
    let objects = origin
        .git(&[
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objectname) %(objecttype)",
        ])
        .ok();
    for id in objects
        .lines()
        .filter(|line| line.ends_with("blob"))
        .filter_map(|line| line.split(' ').next())
    {
        assert!(
            !origin.git(&["cat-file", "blob", id]).ok().contains("plan"),
            "nothing of the private branch is there"
        );
    }
    assert_eq!(
        a.merkle(&["push", "--dry-run", "--all"]).ok(),
        "0 frames came, 3 would go\n"
    );
    a.git(&[
        "push",
        "-q",
        "origin",
        "secret-plan~1:refs/heads/secret-plan",
    ])
    .ok();
    assert_eq!(sync(a).ok(), "0 frames came, 1 went, 2 held back\n");
    a.git(&["push", "-q", "origin", "secret-plan"]).ok();
    assert_eq!(sync(a).ok(), "0 frames came, 2 went\n");
}

#[test]
fn a_remote_that_is_forced_back_loses_nothing() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let first = say(a, "src/lib.rs", "One.");
    sync(a).ok();
    let old = origin.id("refs/merkle/frames");
    let second = say(b, "src/lib.rs", "Two.");
    sync(b).ok();
    origin.git(&["update-ref", "refs/merkle/frames", &old]).ok();
    assert_eq!(sync(a).ok(), "0 frames came, 0 went\n");
    assert_eq!(
        sync(b).ok(),
        "0 frames came, 1 went\n",
        "its statement goes again"
    );
    origin.git(&["update-ref", "-d", "refs/merkle/frames"]).ok();
    assert_eq!(
        sync(a).ok(),
        "0 frames came, 1 went\n",
        "a remote that has lost the ref gets it again"
    );
    assert_eq!(sync(b).ok(), "0 frames came, 1 went\n");
    assert_eq!(sync(a).ok(), "1 frame came, 0 went\n");
    assert_eq!(origin.frames(), a.frames());
    assert!(said(a, "src/lib.rs").contains(&first) && said(a, "src/lib.rs").contains(&second));
}

#[test]
fn a_refspec_that_maps_onto_the_store_throws_nothing_away() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(b, "README.md", "From b.");
    sync(b).ok();
    let refspec = "+refs/merkle/frames:refs/merkle/frames";
    a.git(&["config", "--add", "remote.origin.fetch", refspec])
        .ok();
    a.config("core.logAllRefUpdates", "always");
    let own = say(a, "README.md", "From a.");
    assert_eq!(sync(a).ok(), "1 frame came, 1 went\n");
    assert!(said(a, "README.md").contains(&own));
    let again = say(a, "src/lib.rs", "Once more.");
    a.git(&["fetch", "-q"]).ok();
    assert_eq!(
        said(a, "src/lib.rs"),
        Vec::<String>::new(),
        "git's own fetch throws it away"
    );
    let told = a.merkle(&["doctor"]).exits(1).out();
    let lost = "lost      wrong: the store had 1 frame that it lacks now, at ";
    assert!(
        told.contains(lost) && told.contains("'git merkle doctor --fix' puts them back"),
        "{told}"
    );
    let way =
        format!("'git config --unset --fixed-value remote.origin.fetch {refspec}' takes it away");
    assert!(
        told.contains("refspec   wrong: 'remote.origin.fetch' is '+refs/merkle")
            && told.contains(&way),
        "{told}"
    );
    drop(a.merkle(&["doctor", "--fix"]).exits(1));
    assert_eq!(said(a, "src/lib.rs"), [again]);
    a.git(&[
        "config",
        "--unset",
        "--fixed-value",
        "remote.origin.fetch",
        refspec,
    ])
    .ok();
    a.merkle(&["doctor"]).ok();
}

/// Before, a fresh clone whose remote had frames was told that nothing is fresh, and to make everything again.
#[test]
fn status_and_doctor_say_what_is_known_of_the_remote() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let lonely = sandbox.repo("lonely");
    lonely.fill(HISTORY);
    assert_eq!(status(&lonely), "");
    assert_eq!(
        status(a),
        "remote 'origin': its frames were never fetched (use \"git merkle sync\")"
    );
    say(a, "README.md", "From a.");
    a.merkle(&["fetch"]).ok();
    assert!(
        status(a).ends_with(", 1 statement to push (use \"git merkle sync\")"),
        "{}",
        status(a)
    );
    sync(a).ok();
    a.merkle(&["regenerate"]).ok();
    assert!(status(a).ends_with(", nothing to push"), "{}", status(a));
    std::fs::remove_file(a.path(".git/merkle/cache/remotes")).unwrap();
    assert_eq!(status(a), "remote 'origin': nothing to push");
    say(b, "README.md", "From b.");
    say(b, "src", "From b.");
    b.merkle(&["fetch"]).ok();
    let document = b.merkle(&["status", "--json"]).json("status");
    assert_eq!(
        (&document["remote"]["name"], &document["remote"]["unpushed"]),
        (&"origin".into(), &2.into())
    );
    let asked = |repo: &Repo<'_>| {
        repo.merkle(&["doctor", "--remote"])
            .exits(0)
            .out()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        asked(b).ends_with(
            ", as last fetched; a dry run of a push to 'refs/merkle/frames' is accepted"
        ),
        "{}",
        asked(b)
    );
    sync(b).ok();
    assert!(
        asked(a).contains("which were not fetched yet; 'git merkle fetch origin' brings them"),
        "{}",
        asked(a)
    );
    origin.git(&["update-ref", "-d", "refs/merkle/frames"]).ok();
    assert!(asked(a).contains("it has no frames yet"), "{}", asked(a));
    a.git(&["remote", "set-url", "origin", "../gone.git"]).ok();
    assert!(
        a.merkle(&["doctor", "--remote", "origin"])
            .exits(1)
            .out()
            .contains("'origin' cannot be reached")
    );
}

/// Settings of git that overwrite one side's frames are found, and what leaves the frames out is let be.
#[test]
fn settings_that_overwrite_frames_are_found() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    let found = || {
        let told = a.run(PROGRAM).arg("doctor").run().out();
        told.lines()
            .filter(|line| line.starts_with("refspec "))
            .count()
    };
    for (key, value, count) in [
        (
            "remote.origin.fetch",
            "refs/merkle/frames:refs/merkle/frames",
            0,
        ),
        (
            "remote.origin.fetch",
            "+refs/merkle/frames:refs/merkle-remote/origin/frames",
            0,
        ),
        ("remote.origin.fetch", "+refs/merkle/*:refs/merkle/*", 1),
        ("remote.origin.fetch", "+refs/*:refs/*", 2),
        ("remote.origin.fetch", "^refs/merkle/frames", 0),
        ("remote.origin.push", "refs/merkle/frames", 0),
        ("remote.origin.push", "+refs/merkle/frames", 1),
        ("remote.origin.mirror", "true", 2),
        ("remote.origin.push", "^refs/merkle/*", 0),
    ] {
        a.git(&["config", "--add", key, value]).ok();
        assert_eq!(found(), count, "{key} {value}");
    }
}

#[test]
fn which_remote_is_meant() {
    let sandbox = Sandbox::new();
    let lonely = sandbox.repo("lonely");
    lonely.fill(HISTORY);
    insta::assert_snapshot!(sync(&lonely).exits(65).err(), @r"
    error: no remote is configured
    hint: git remote add origin <url>
    ");
    let (_, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    insta::assert_snapshot!(a.merkle(&["sync", "../origin.git"]).exits(65).err(), @r"
    error: no remote is named '../origin.git'
    hint: 'git remote' lists the remotes of this repository
    ");
    a.git(&["remote", "add", "second", "../gone.git"]).ok();
    sync(a).ok();
    a.git(&["checkout", "-q", "--detach"]).ok();
    insta::assert_snapshot!(sync(a).exits(65).err(), @r"
    error: several remotes are configured: origin, second
    hint: git merkle sync origin
    ");
    say(a, "README.md", "Of several.");
    let told = a.merkle(&["status"]).ok();
    assert!(
        told.contains("remotes: origin, second; frames go to none"),
        "{told}"
    );
    a.merkle(&["-c", "merkle.remote=origin", "sync"]).ok();
    let gone = a.merkle(&["sync", "second"]).exits(128).err();
    assert!(
        gone.starts_with("error: cannot reach remote 'second'"),
        "{gone}"
    );
}

#[test]
fn a_secret_stops_the_push_and_names_where_it_stands() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    let token = token();
    let blocked = a.put_frame("README.md", format!("Use {token}.")).exits(78);
    let id = id_of(&blocked);
    let allow = ["--allow-secret", &id, "put-frame", "README.md", "-"];
    a.run(PROGRAM)
        .args(allow)
        .input(format!("Use {token}."))
        .run()
        .ok();
    std::fs::remove_file(a.path(".git/merkle/allowed-secrets")).unwrap();
    assert!(sync(a).exits(78).err().contains("human/note of README.md"));
    assert_eq!(origin.frames(), Vec::<String>::new());
}

/// Before, a tag over there was followed, and the store here became that tag, which no command reads.
#[test]
fn a_remote_whose_ref_is_no_store_is_named_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    let own = say(a, "README.md", "From a.");
    sync(a).ok();
    let before = a.id("refs/merkle/frames");
    let theirs = origin.id("refs/merkle/frames");
    origin
        .git(&["tag", "-m", "tag", "t", "refs/merkle/frames"])
        .ok();
    for target in ["t", "refs/merkle/frames^{tree}", "HEAD:README.md"] {
        let id = origin.id(target);
        origin.git(&["update-ref", "refs/merkle/frames", &id]).ok();
        let told = sync(a).exits(128).err();
        assert!(
            told.starts_with(
                "error: 'refs/merkle/frames' of remote 'origin' is no store of frames"
            ),
            "{told}"
        );
        assert_eq!(a.id("refs/merkle/frames"), before);
        origin
            .git(&["update-ref", "refs/merkle/frames", &theirs])
            .ok();
    }
    sync(a).ok();
    assert_eq!(said(a, "README.md"), [own]);
}

/// A tracking ref that came with the git directory must not make git move the branch that it leads to.
#[test]
fn a_symbolic_tracking_ref_moves_no_branch() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(b, "README.md", "From b.");
    sync(b).ok();
    let before = a.id("HEAD");
    a.git(&[
        "symbolic-ref",
        "refs/merkle-remote/origin/frames",
        "refs/heads/main",
    ])
    .ok();
    let told = sync(a).exits(128).err();
    assert!(
        told.contains("is symbolic and leads to 'refs/heads/main'"),
        "{told}"
    );
    assert_eq!(a.id("HEAD"), before);
    assert_eq!(a.git(&["status", "--porcelain"]).ok(), "");
    a.git(&[
        "symbolic-ref",
        "--delete",
        "refs/merkle-remote/origin/frames",
    ])
    .ok();
    let logs = a.path(".git/logs/refs/merkle-remote/origin");
    std::fs::create_dir_all(&logs).unwrap();
    std::os::unix::fs::symlink(a.path("README.md"), logs.join("frames")).unwrap();
    drop(sync(a).exits(128));
    assert_eq!(
        a.git(&["status", "--porcelain"]).ok(),
        "",
        "nothing is added to the file behind a log that is a link"
    );
}

/// git refuses refspecs for a remote that is marked as a mirror.
#[test]
fn a_mirror_and_settings_of_fetch_do_not_change_what_is_exchanged() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    for (key, value) in [
        ("remote.origin.mirror", "true"),
        ("fetch.prune", "true"),
        ("fetch.pruneTags", "true"),
        ("remote.origin.prune", "true"),
        ("remote.origin.push", "+refs/*:refs/*"),
        ("push.followTags", "true"),
        ("submodule.recurse", "true"),
    ] {
        a.config(key, value);
    }
    a.git(&["branch", "private"]).ok();
    say(a, "README.md", "From a.");
    say(b, "README.md", "From b.");
    sync(b).ok();
    assert_eq!(sync(a).ok(), "1 frame came, 1 went\n");
    let refs = origin.git(&["for-each-ref", "--format=%(refname)"]).ok();
    assert_eq!(refs, "refs/heads/main\nrefs/merkle/frames\n");
}

/// Entries that are no frames are left out by name; the good ones beside them count, and every command works.
#[test]
fn what_is_bad_in_a_delivery_is_left_out_and_the_rest_comes() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let good = say(a, "README.md", "From a.");
    sync(a).ok();
    let name = origin.frames().remove(0);
    let bytes = origin
        .git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")])
        .ok()
        .into_bytes();
    let (place, leaf) = (&name[..3], &name[3..]);
    let (slot, id) = leaf.split_once(".00000001.").expect("the first generation");
    // The same blob under names that are before and after its own: it is right under one of them alone.
    let entries = [
        (
            "100644",
            format!("{place}{slot}.00000001.{}", "0".repeat(id.len())),
        ),
        ("100644", format!("{place}{slot}.00000002.{id}")),
        ("100644", format!("{place}{slot}.99999999.{id}")),
        ("120000", format!("{place}{slot}.00000003.{id}")),
        ("160000", format!("{place}{slot}.00000004.{id}")),
        ("100644", "not a frame".to_owned()),
        ("100644", "aa/deep/er/file".to_owned()),
    ];
    let changes = entries
        .each_ref()
        .map(|(mode, bad)| (*mode, bad.as_str(), Some(&bytes[..])));
    origin.rewrite_store(&changes);
    let output = b.merkle(&["fetch"]).exits(0);
    assert_eq!(output.out(), "1 frame came\n");
    assert_eq!(output.err().lines().count(), 7, "{}", output.err());
    assert_eq!(said(b, "README.md"), [good]);
    b.merkle(&["validate"]).ok();
    let own = say(b, "README.md", "From b.");
    assert_eq!(sync(b).out(), "0 frames came, 1 went\n");
    assert_eq!(origin.frames().len(), 9, "what the remote holds is carried");
    drop(sync(a).exits(0));
    assert!(said(a, "README.md").contains(&own));
}

/// Before, git moved the store here to what was pushed, where a refspec maps the ref, and what was held back was lost.
#[test]
fn a_push_leaves_the_store_as_it_is_whatever_refspecs_say() {
    let sandbox = Sandbox::new();
    let (_, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    a.git(&["config", "--add", "remote.origin.fetch", "+refs/*:refs/*"])
        .ok();
    a.fill("branch private\ncommit private\n+ plan.txt = the plan");
    let held = say(a, "plan.txt", "Private.");
    say(a, "README.md", "Public.");
    assert_eq!(sync(a).ok(), "0 frames came, 1 went, 1 held back\n");
    assert_eq!(said(a, "plan.txt"), [held]);
    a.merkle(&[
        "-c",
        "merkle.publish=own",
        "note",
        "README.md",
        "-m",
        "Again.",
    ])
    .ok();
    a.merkle(&["-c", "merkle.publish=own", "sync"]).ok();
    assert_eq!(
        a.git(&["for-each-ref", "--format=%(refname)", "refs/merkle/by"])
            .ok(),
        ""
    );
}

//! Own publishing: each clone moves a ref of its own, every clone reads them all, and one command collects them.

use super::{said, say, status, sync, world};
use crate::support::{PROGRAM, Repo, Sandbox};

const OWN: [&str; 2] = ["-c", "merkle.publish=own"];

fn own(repo: &Repo<'_>, arguments: &[&str]) -> String {
    repo.merkle(&[&OWN[..], arguments].concat()).ok()
}

/// Refs of clones at the remote, and their frames.
fn published(origin: &Repo<'_>) -> Vec<String> {
    let refs = origin
        .git(&["for-each-ref", "--format=%(refname)", "refs/merkle/by/"])
        .ok();
    refs.lines().map(ToOwned::to_owned).collect()
}

#[test]
fn what_clones_publish_by_themselves_reaches_the_others_and_is_collected() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    let first = say(a, "src/lib.rs", "From a.");
    assert_eq!(own(a, &["sync"]), "0 frames came, 1 went\n");
    let second = say(b, "README.md", "From b.");
    assert_eq!(own(b, &["sync"]), "1 frame came, 1 went\n");
    assert_eq!(
        (published(&origin).len(), origin.frames().len()),
        (2, 0),
        "each has moved a ref of its own"
    );
    assert_eq!(own(a, &["sync"]), "1 frame came, 0 went\n");
    assert_eq!(own(a, &["sync"]), "0 frames came, 0 went\n");
    // A clone that moves the shared ref reads the others' all the same, and does not push what they have published.
    let third = say(c, "src", "From c.");
    assert_eq!(sync(c).ok(), "2 frames came, 1 went\n");
    assert_eq!(origin.frames().len(), 1);
    assert!(status(c).ends_with(", nothing to push"), "{}", status(c));
    let told = own(a, &["status"]);
    assert!(
        told.contains("nothing to push to a ref of its own"),
        "{told}"
    );
    let told = own(a, &["doctor"]);
    assert!(
        told.contains("publish   ok: to 'refs/merkle/by/")
            && told.contains("2 refs of clones wait for"),
        "{told}"
    );
    assert_eq!(
        c.merkle(&["sync", "--collect", "--dry-run"]).ok(),
        "0 frames came, 0 would go, 2 refs would be collected\n"
    );
    assert_eq!((published(&origin).len(), origin.frames().len()), (2, 1));
    assert_eq!(
        c.merkle(&["sync", "--collect"]).ok(),
        "0 frames came, 0 went, 2 refs collected\n"
    );
    assert_eq!((published(&origin).len(), origin.frames().len()), (0, 3));
    assert_eq!(
        c.merkle(&["sync", "--collect"]).ok(),
        "0 frames came, 0 went, 0 refs collected\n"
    );
    assert_eq!(own(a, &["sync"]), "1 frame came, 0 went\n");
    assert_eq!(own(b, &["sync"]), "1 frame came, 0 went\n");
    for repo in [a, b, c] {
        assert_eq!(said(repo, "src/lib.rs"), [first.as_str()]);
        assert_eq!(
            (said(repo, "README.md"), said(repo, "src")),
            (vec![second.clone()], vec![third.clone()])
        );
        assert_eq!(
            repo.git(&["for-each-ref", "--format=%(refname)", "refs/merkle-remote"])
                .ok(),
            "refs/merkle-remote/origin/frames\n"
        );
        repo.assert_sound();
    }
    // After its ref was collected a clone begins a new one.
    say(a, "README.md", "Once more.");
    assert_eq!(
        own(a, &["sync", "--json"])
            .matches("\"attempts\":1")
            .count(),
        1
    );
    assert_eq!(sync(b).ok(), "1 frame came, 0 went\n");
    origin.assert_sound();
}

/// A clone that goes over to the shared ref takes its own along.
#[test]
fn a_clone_that_publishes_otherwise_from_now_on_leaves_no_ref_behind() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    say(a, "src/lib.rs", "From a.");
    own(a, &["sync"]);
    assert_eq!((published(&origin).len(), origin.frames().len()), (1, 0));
    assert_eq!(sync(a).ok(), "0 frames came, 0 went\n");
    assert_eq!((published(&origin).len(), origin.frames().len()), (0, 1));
}

/// A ref that a clone has moved since it was collected from stays, and so does one with entries that do not count.
#[test]
fn a_ref_is_deleted_only_as_it_was_looked_at_and_only_when_all_of_it_counts() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    say(a, "src/lib.rs", "From a.");
    own(a, &["sync"]);
    let name = published(&origin).remove(0);
    let strange = origin
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input("newer")
        .run()
        .ok();
    let tree = origin
        .run("git")
        .arg("mktree")
        .input(format!("100644 blob {}\tnewer-format\n", strange.trim()))
        .run()
        .ok();
    let commit = origin
        .git(&["commit-tree", "-m", "newer", tree.trim()])
        .ok();
    let other = "refs/merkle/by/0123456789abcdef0123456789abcdef";
    origin.git(&["update-ref", other, commit.trim()]).ok();
    let output = b.merkle(&["sync", "--collect"]).exits(0);
    assert_eq!(output.out(), "1 frame came, 0 went, 1 ref collected\n");
    assert!(
        output
            .err()
            .contains(&format!("'{other}:newer-format' of origin is left out")),
        "{}",
        output.err()
    );
    assert_eq!(published(&origin), [other]);
    // The remote moves the ref between the look and the deletion.
    say(a, "src/lib.rs", "More from a.");
    own(a, &["sync"]);
    let moved = format!(
        "#!/bin/sh\ngit update-ref {name} {}\n",
        origin.id("refs/merkle/frames")
    );
    let hook = origin.path("hooks/post-receive");
    std::fs::write(&hook, moved).expect("writable");
    origin.run("chmod").arg("+x").arg(&hook).run().ok();
    assert_eq!(
        c.merkle(&["sync", "--collect"]).out(),
        "2 frames came, 0 went, 0 refs collected\n"
    );
    std::fs::remove_file(hook).expect("removable");
    assert_eq!(origin.frames().len(), 2);
    assert_eq!(
        published(&origin),
        [other, &name]
            .iter()
            .copied()
            .map(ToOwned::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
}

/// Two clones with one name: the folder was copied with the user's home, as an image of a machine is.
#[test]
fn two_clones_with_one_name_lose_nothing() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    say(a, "README.md", "Before.");
    own(a, &["sync"]);
    // The same place, one after the other: what is derived from it is the same.
    let copy = a.copy_to("copy");
    let place = a.path("");
    let (here, there) = (sandbox.path("here"), sandbox.path("there"));
    let first = say(a, "src/lib.rs", "From the one.");
    own(a, &["sync"]);
    std::fs::rename(&place, &here).expect("movable");
    std::fs::rename(copy.path(""), &place).expect("movable");
    let second = say(a, "src", "From the other.");
    assert_eq!(own(a, &["sync"]), "1 frame came, 1 went\n");
    assert_eq!(published(&origin).len(), 1, "the two have one name");
    std::fs::rename(&place, &there).expect("movable");
    std::fs::rename(&here, &place).expect("movable");
    assert_eq!(own(a, &["sync"]), "1 frame came, 0 went\n");
    assert_eq!(
        (said(a, "src/lib.rs"), said(a, "src")),
        (vec![first], vec![second])
    );
    // A copy at another place has another name.
    let copy = a.copy_to("elsewhere");
    say(&copy, "README.md", "From elsewhere.");
    own(&copy, &["sync"]);
    assert_eq!(published(&origin).len(), 2);
}

/// Who can push may put any refs beside those of clones.
#[test]
fn hostile_refs_of_clones_are_bounded_and_stop_nothing() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let honest = say(a, "README.md", "From a.");
    own(a, &["sync"]);
    own(b, &["sync"]);
    let (head, blob) = (origin.id("main"), origin.id("main:README.md"));
    let mut lines = String::new();
    for bad in [
        "x",
        "0/1",
        "..a",
        "ABCDEF0123456789ABCDEF0123456789",
        "0123456789abcdef0123456789abcde",
    ] {
        if origin
            .git(&["check-ref-format", &format!("refs/merkle/by/{bad}")])
            .code
            == Some(0)
        {
            lines = format!("{lines}create refs/merkle/by/{bad} {head}\n");
        }
    }
    lines = format!("{lines}create refs/heads/refs/merkle/frames {head}\n");
    for number in 0..1_200 {
        lines = format!(
            "{lines}create refs/merkle/by/{number:032x} {}\n",
            if number == 7 { &blob } else { &head }
        );
    }
    origin
        .run("git")
        .args(["update-ref", "--stdin"])
        .input(lines)
        .run()
        .ok();
    let second = say(a, "src", "More from a.");
    own(a, &["sync"]);
    let output = b.run(PROGRAM).args(["sync"]).run().exits(0);
    assert_eq!(
        output.out(),
        "1 frame came, 0 went\n",
        "the ref of a clone that is known is read, wherever it stands in the list"
    );
    assert!(
        output
            .err()
            .contains(" refs of clones are left at 'origin': too many"),
        "{}",
        output.err()
    );
    let blob = "'refs/merkle/by/00000000000000000000000000000007' of origin is left out: no store of frames";
    assert!(output.err().contains(blob), "{}", output.err());
    assert_eq!(
        (said(b, "README.md"), said(b, "src")),
        (vec![honest], vec![second])
    );
    let tracked = b
        .git(&[
            "for-each-ref",
            "--format=%(refname)",
            "refs/merkle-remote/origin/by/",
        ])
        .ok();
    assert!(
        tracked.lines().count() <= 1_001 && !tracked.contains("/x\n"),
        "{}",
        tracked.lines().count()
    );
    b.merkle(&["validate"]).ok();
}

#[test]
fn a_host_that_takes_branches_alone_gets_them_at_a_branch() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let hook = origin.path("hooks/update");
    std::fs::write(
        &hook,
        "#!/bin/sh\ncase $1 in refs/heads/*) ;; *) echo 'branches only' >&2; exit 1;; esac\n",
    )
    .expect("writable");
    origin.run("chmod").arg("+x").arg(&hook).run().ok();
    let first = say(a, "README.md", "From a.");
    let refused = sync(a).exits(128).err();
    assert!(
        refused.contains("refuses 'refs/merkle/frames'"),
        "{refused}"
    );
    assert!(
        refused.contains("git config --global merkle.remoteRef refs/heads/_merkle/frames"),
        "{refused}"
    );
    let at_branch = ["-c", "merkle.remoteRef=refs/heads/_merkle/frames"];
    let merkle = |repo: &Repo<'_>, arguments: &[&str]| {
        repo.merkle(&[&at_branch[..], arguments].concat()).ok()
    };
    assert_eq!(merkle(a, &["sync"]), "0 frames came, 1 went\n");
    a.git(&["fetch", "-q"]).ok();
    say(a, "src", "More from a.");
    assert_eq!(
        merkle(a, &["-c", "merkle.publish=own", "sync"]),
        "0 frames came, 1 went\n"
    );
    assert_eq!(
        merkle(b, &["sync", "--collect"]),
        "2 frames came, 0 went, 1 ref collected\n"
    );
    assert_eq!(said(b, "README.md"), [first]);
    assert_eq!(
        origin.git(&["for-each-ref", "--format=%(refname)"]).ok(),
        "refs/heads/_merkle/frames\nrefs/heads/main\n"
    );
    let asked = merkle(b, &["doctor", "--remote"]);
    assert!(
        asked.contains("a dry run of a push to 'refs/heads/_merkle/frames' is accepted"),
        "{asked}"
    );
    // Only the user's own configuration says where frames go.
    a.git(&["config", "merkle.remoteRef", "refs/heads/_merkle/frames"])
        .ok();
    say(a, "src", "Again.");
    let refused = sync(a).exits(128).err();
    assert!(
        refused.contains("'merkle.remoteref' from")
            && refused.contains("refuses 'refs/merkle/frames'"),
        "{refused}"
    );
    for bad in ["refs/heads/main", "refs/merkle/by/x", "main"] {
        let told = a
            .merkle(&["-c", &format!("merkle.remoteRef={bad}"), "sync"])
            .exits(78)
            .err();
        assert!(
            told.contains("expected a ref below refs/merkle/, or in a folder _merkle"),
            "{told}"
        );
    }
}

/// A private remote for public code: what its branches have decides, and they are fetched by git as ever.
#[test]
fn frames_of_public_code_go_to_a_private_remote() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    let context = sandbox.bare("context.git");
    a.git(&["remote", "add", "context", "../context.git"]).ok();
    say(a, "README.md", "From a.");
    let to_context = ["-c", "merkle.remote=context"];
    assert_eq!(
        a.merkle(&[&to_context[..], &["sync"]].concat()).ok(),
        "0 frames came, 0 went, 1 held back\n"
    );
    a.git(&["push", "-q", "context", "main"]).ok();
    assert_eq!(
        a.merkle(&[&to_context[..], &["sync"]].concat()).ok(),
        "0 frames came, 1 went\n"
    );
    assert_eq!((context.frames().len(), origin.frames().len()), (1, 0));
}

/// What people do with git beside the refs of this program, shared and own: tried one after the other.
#[test]
fn what_git_does_beside_the_refs_leaves_them_alone_or_is_named() {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    say(b, "README.md", "From b.");
    own(b, &["sync"]);
    say(c, "README.md", "From c.");
    sync(c).ok();
    sync(a).ok();
    say(a, "README.md", "Not pushed.");
    c.fill("commit more\n+ more.txt = more");
    c.git(&["push", "-q"]).ok();
    a.fill("commit mine\n+ mine.txt = mine");
    let refs = || {
        a.git(&["for-each-ref", "refs/merkle", "refs/merkle-remote"])
            .ok()
    };
    let before = refs();
    a.git(&["-c", "pull.rebase=true", "pull", "-q"]).ok();
    for arguments in [
        &["fetch", "-q", "--prune"][..],
        &["remote", "update", "--prune"],
        &["remote", "prune", "origin"],
    ] {
        a.git(arguments).ok();
    }
    a.git(&[
        "-c",
        "fetch.pruneTags=true",
        "fetch",
        "-q",
        "--prune",
        "--tags",
        "--force",
    ])
    .ok();
    a.git(&["push", "-q", "origin", "--all"]).ok();
    assert_eq!(refs(), before);
    a.merkle(&["doctor"]).ok();
    // A mirror has what the remote has, and git keeps it as it is there.
    let mirror = origin.clone_to("mirror.git", &["--mirror"]);
    let told = mirror.merkle(&["doctor"]).exits(1).out();
    assert!(
        told.contains("'remote.origin.fetch' is '+refs/*:refs/*'")
            && told.contains("'remote.origin.mirror' is 'true'"),
        "{told}"
    );
    assert_eq!(
        mirror
            .merkle(&["list-frames", "main:README.md"])
            .ok()
            .lines()
            .count(),
        1,
        "what is not collected is not in it"
    );
    // A push of all refs deletes what others publish by themselves; they have it, and publish it again.
    let copy = origin.copy_to("copy.git");
    b.git(&["remote", "add", "copy", "../copy.git"]).ok();
    a.git(&["remote", "set-url", "origin", "../copy.git"]).ok();
    a.git(&["push", "-q", "--mirror"]).ok();
    assert_eq!(published(&copy), [] as [&str; 0]);
    b.git(&["fetch", "-q", "copy"]).ok();
    assert_eq!(
        own(b, &["sync", "copy"]),
        "2 frames came, 0 went\n",
        "a had it, and its own store went there"
    );
    // A refspec without '+' is safe until a fetch prunes.
    let bare = sandbox.bare("empty.git");
    c.git(&[
        "remote",
        "add",
        "empty",
        &bare.path("").display().to_string(),
    ])
    .ok();
    c.git(&[
        "config",
        "--add",
        "remote.empty.fetch",
        "refs/merkle/*:refs/merkle/*",
    ])
    .ok();
    c.merkle(&["doctor"]).ok();
    c.git(&["config", "fetch.prune", "true"]).ok();
    let told = c.merkle(&["doctor"]).exits(1).out();
    assert!(
        told.contains("a 'git fetch' that prunes deletes your frames where the remote has none"),
        "{told}"
    );
    c.git(&["config", "remote.empty.prune", "false"]).ok();
    c.merkle(&["doctor"]).ok();
    c.git(&["config", "--unset", "remote.empty.prune"]).ok();
    c.git(&["fetch", "-q", "empty"]).ok();
    assert_eq!(c.frames(), [] as [&str; 0], "that is what is warned of");
}

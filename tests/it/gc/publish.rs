//! What goes from a remote, and what other clones find then.

use super::{NOWHERE, answer, is_well, note, said, sync, world};
use crate::support::{PROGRAM, Repo, Sandbox};

/// Drops all but the newest of a model's answers, there and here.
fn publish(repo: &Repo<'_>) -> String {
    repo.merkle(&["gc", "--publish", "--keep=0"]).ok()
}

/// A remote and clones that all have the answers `Old.` and `New.` about one file, and one about nothing.
fn shared<'s>(sandbox: &'s Sandbox, names: &[&str]) -> (Repo<'s>, Vec<Repo<'s>>) {
    let (origin, clones) = world(sandbox, names);
    let node = origin.id("HEAD:README.md");
    for text in ["Old.", "New."] {
        answer(&clones[0], &node, text);
    }
    answer(&clones[0], NOWHERE, "About nothing.");
    for clone in &clones {
        sync(clone);
    }
    (origin, clones)
}

#[test]
fn what_goes_from_the_remote_goes_from_every_clone_and_what_was_said_meanwhile_stays() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    assert_eq!(
        a.merkle(&["gc", "--keep=0"]).ok(),
        "0 frames dropped\n",
        "what a remote holds is dropped there or nowhere"
    );
    assert_eq!(said(a).len(), 3);
    note(b, "README.md", "From b.");
    answer(c, NOWHERE, "Paid for by c.");
    assert!(
        publish(a).starts_with("2 frames of"),
        "once more: nothing goes"
    );
    let old = origin.git(&["rev-list", "refs/merkle/frames"]).ok();
    assert_eq!(old.lines().count(), 1, "no history holds what was dropped");
    for repo in [a, &origin] {
        assert_eq!(said(repo), ["New."]);
    }
    assert_eq!(sync(b), "0 frames came, 1 went, 2 dropped by 'gc' there\n");
    assert_eq!(said(b), ["From b.", "New."]);
    assert_eq!(sync(c), "1 frame came, 1 went, 2 dropped by 'gc' there\n");
    sync(a);
    for repo in [a, c, &origin] {
        assert_eq!(said(repo), ["From b.", "New.", "Paid for by c."]);
    }
    for repo in &clones {
        is_well(repo);
    }
    b.git(&["gc", "-q", "--prune=now"]).ok();
    assert_eq!(sync(b), "1 frame came, 0 went\n");
    assert_eq!(sync(b), "0 frames came, 0 went\n");
}

#[test]
fn two_at_once_and_a_clone_that_was_away_for_three() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "b", "away"]);
    let [a, b, away] = [&clones[0], &clones[1], &clones[2]];
    answer(away, &origin.id("HEAD:src/lib.rs"), "Said while away.");
    std::thread::scope(|scope| {
        for repo in [a, b] {
            scope.spawn(move || publish(repo));
        }
    });
    assert_eq!(said(&origin), ["New."]);
    for round in 0..2 {
        answer(a, NOWHERE, &format!("Round {round}."));
        sync(a);
        sync(b);
        publish(b);
        assert_eq!(
            (sync(a).contains("1 dropped"), said(&origin)),
            (true, vec!["New.".to_owned()])
        );
    }
    let log = origin
        .git(&["log", "--format=%B", "refs/merkle/frames"])
        .ok();
    assert!(log.contains("Merkle-Epoch: 3"), "{log}");
    assert_eq!(
        sync(away),
        "0 frames came, 1 went, 2 dropped by 'gc' there\n"
    );
    assert_eq!(said(away), ["New.", "Said while away."]);
}

/// It cannot drop by itself, but what the remote has dropped it knows as every other clone does.
#[test]
fn partial_and_shallow_clones_follow() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a"]);
    let a = &clones[0];
    origin.config("uploadpack.allowFilter", "true");
    let others = [
        ("blobless", "--filter=blob:none"),
        ("treeless", "--filter=tree:0"),
        ("shallow", "--depth=1"),
    ];
    let others = others.map(|(name, option)| origin.clone_to(name, &[option, "--no-checkout"]));
    for other in &others {
        assert_eq!(sync(other), "3 frames came, 0 went\n");
    }
    publish(a);
    for other in &others {
        assert_eq!(
            sync(other),
            "0 frames came, 0 went, 2 dropped by 'gc' there\n"
        );
        assert_eq!(said(other), ["New."]);
    }
}

/// It cannot know any more what came from the remote: its own counts for more than room does.
#[test]
fn a_clone_without_its_tracking_ref_loses_nothing() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    publish(a);
    b.git(&["update-ref", "-d", "refs/merkle-remote/origin/frames"])
        .ok();
    assert_eq!(sync(b), "0 frames came, 2 went\n");
    sync(a);
    assert_eq!((said(a).len(), said(b).len()), (3, 3));
    publish(b);
    assert!(sync(a).contains("2 dropped"));
    assert_eq!(
        (said(a), said(b), said(&origin)),
        (
            vec!["New.".to_owned()],
            vec!["New.".to_owned()],
            vec!["New.".to_owned()]
        )
    );
}

/// Red before: what another server had dropped was taken for a drop of what the old one held.
#[test]
fn what_the_new_place_of_a_name_has_dropped_is_not_what_the_old_one_held() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let other = a.clone_to("other.git", &["--bare"]);
    let c = other.clone_to("c", &[]);
    let node = origin.id("HEAD:README.md");
    for text in ["Old of others.", "New of others."] {
        answer(&c, &node, text);
    }
    sync(&c);
    publish(&c);
    let url = other.path("");
    a.git(&["remote", "set-url", "origin", url.to_str().unwrap()])
        .ok();
    b.git(&["remote", "rename", "origin", "upstream"]).ok();
    b.git(&["remote", "add", "origin", url.to_str().unwrap()])
        .ok();
    b.git(&["config", "merkle.remote", "origin"]).ok();
    for repo in [a, b] {
        let status = repo.merkle(&["status"]).ok();
        assert!(!status.contains("exchanged"), "{status}");
        let told = repo
            .run(PROGRAM)
            .args(["sync", "--all", "--yes"])
            .run()
            .ok();
        assert!(!told.contains("dropped"), "{told}");
        assert_eq!(
            said(repo),
            ["About nothing.", "New of others.", "New.", "Old."]
        );
        is_well(repo);
    }
    // From now on it is this place that is remembered.
    publish(&c);
    assert_eq!(said(&c), ["New of others."], "the newest of the slot");
    sync(a);
    assert_eq!(said(a), ["New of others."]);
}

/// Another spelling of its address makes no other server of it: what was dropped there stays dropped.
#[test]
fn the_same_server_at_another_address_goes_on() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    publish(a);
    let url = format!("file://{}", origin.path("").display());
    b.git(&["remote", "set-url", "origin", &url]).ok();
    assert_eq!(sync(b), "0 frames came, 0 went, 2 dropped by 'gc' there\n");
    assert_eq!(
        (said(b), said(&origin)),
        (vec!["New.".to_owned()], vec!["New.".to_owned()])
    );
}

/// A program from before epochs unites by the trees alone. It brings back what it holds, and destroys nothing.
#[test]
fn an_older_program_brings_back_what_it_holds() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "old"]);
    let [a, old] = [&clones[0], &clones[1]];
    publish(a);
    note(a, "README.md", "Said after.");
    sync(a);
    // What it does: fetch, the union of the two trees, a commit on top of the remote's own. All blobs here have one name.
    old.git(&[
        "fetch",
        "-q",
        "origin",
        "+refs/merkle/frames:refs/merkle-remote/origin/frames",
    ])
    .ok();
    let tree = old.git(&[
        "merge-tree",
        "--write-tree",
        "--allow-unrelated-histories",
        "refs/merkle/frames",
        "refs/merkle-remote/origin/frames",
    ]);
    let tree = tree.ok().trim().to_owned();
    let commit = old
        .git(&[
            "commit-tree",
            "-p",
            "refs/merkle-remote/origin/frames",
            "-m",
            "united",
            &tree,
        ])
        .ok();
    old.git(&[
        "push",
        "-q",
        "origin",
        &format!("{}:refs/merkle/frames", commit.trim()),
    ])
    .ok();
    assert_eq!(
        sync(a),
        "2 frames came, 0 went\n",
        "the remote's epoch is the same, so that is no drop"
    );
    assert_eq!(said(a), ["About nothing.", "New.", "Old.", "Said after."]);
    assert!(publish(a).starts_with("2 frames of"));
    assert_eq!(said(&origin), ["New.", "Said after."]);
}

#[test]
fn a_user_who_can_push_drops_neither_what_people_said_nor_what_is_in_use() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    note(a, "README.md", "A note.");
    sync(a);
    sync(b);
    let empty = origin.run("git").args(["mktree"]).run().ok();
    let message = format!("gc\n\nMerkle-Epoch: 18446744073709551615\nMerkle-Before: {NOWHERE}");
    let forged = origin
        .git(&["commit-tree", "-m", &message, empty.trim()])
        .ok();
    origin
        .git(&["update-ref", "refs/merkle/frames", forged.trim()])
        .ok();
    assert_eq!(sync(b), "0 frames came, 2 went, 2 dropped by 'gc' there\n");
    assert_eq!(said(b), ["A note.", "New."]);
    // No number is above that one: a drop is then taken for a loss, and given back.
    answer(b, NOWHERE, "More.");
    sync(b);
    sync(a);
    publish(a);
    assert_eq!(said(&origin), ["A note.", "New."]);
    sync(b);
    assert_eq!(said(b), ["A note.", "More.", "New."]);
    is_well(b);
}

#[test]
fn a_remote_with_branches_that_were_not_fetched_is_left_alone() {
    let sandbox = Sandbox::new();
    let (_, clones) = shared(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    b.fill("commit new\n+ new.md = New.");
    b.git(&["push", "-q", "origin", "HEAD:refs/heads/other"])
        .ok();
    answer(b, &b.id("HEAD:new.md"), "About the new file.");
    sync(b);
    let refused = a.merkle(&["gc", "--publish"]).exits(65).err();
    assert_eq!(
        refused,
        "error: remote 'origin' has branches or tags that this clone lacks\nhint: git fetch origin\n"
    );
    a.git(&["fetch", "-q", "origin"]).ok();
    publish(a);
    assert_eq!(said(a), ["About the new file.", "New."]);
}

#[test]
fn a_remote_that_replaces_nothing_says_so_and_nothing_is_lost() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a"]);
    let a = &clones[0];
    std::fs::write(origin.path("hooks/update"), "#!/bin/sh\nexit 1\n").expect("a hook");
    origin.run("chmod").args(["+x", "hooks/update"]).run().ok();
    let refused = a.merkle(&["gc", "--publish", "--keep=0"]).exits(128).err();
    assert!(
        refused.starts_with("error: remote 'origin' refuses 'refs/merkle/frames': "),
        "{refused}"
    );
    assert_eq!((said(a).len(), said(&origin).len()), (3, 3));
    let told = a.merkle(&["gc", "--publish", "--keep=0", "--dry-run"]).ok();
    assert!(
        told.starts_with("2 frames of") && told.ends_with("0 frames would be dropped\n"),
        "{told}"
    );
}

/// A folder that clones push to may be a person's own: its own `gc` counts for them, too.
#[test]
fn a_store_that_others_fetch_from_drops_for_them_as_well() {
    let sandbox = Sandbox::new();
    let (origin, clones) = shared(&sandbox, &["a"]);
    let a = &clones[0];
    assert!(
        origin
            .merkle(&["gc", "--local", "--keep=0"])
            .ok()
            .starts_with("2 frames of")
    );
    assert_eq!(sync(a), "0 frames came, 0 went, 2 dropped by 'gc' there\n");
    assert_eq!(said(a), ["New."]);
}

//! Unit tests of `refs`.

use super::super::fixture::{Fixture, open_at};
use super::*;

const NAME: &str = "refs/merkle/frames";

/// The repositories of every kind that a ref is moved in.
fn kinds() -> Vec<Fixture> {
    let logs = Fixture::new();
    logs.git(&["config", "core.logAllRefUpdates", "always"]);
    let [sha1, sha256] = Fixture::both();
    vec![
        sha1,
        sha256,
        logs,
        Fixture::init(&["--ref-format=reftable"]),
        Fixture::init(&["--shared"]),
    ]
}

#[test]
fn refs_move_only_from_what_is_expected() {
    for fixture in kinds() {
        let [one, two] = ["one", "two"].map(|text| fixture.commit(text));
        let repo = fixture.open();
        assert_eq!(repo.find_ref(NAME).unwrap(), None);
        assert!(matches!(
            repo.update_ref(NAME, &one, Expected::At(two)),
            Err(RefError::Moved(_))
        ));
        repo.update_ref(NAME, &one, Expected::Absent).unwrap();
        assert_eq!(fixture.id(NAME), one);
        assert!(matches!(
            repo.update_ref(NAME, &two, Expected::Absent),
            Err(RefError::Moved(_))
        ));
        assert!(matches!(
            repo.update_ref(NAME, &two, Expected::At(two)),
            Err(RefError::Moved(_))
        ));
        repo.update_ref(NAME, &two, Expected::At(one)).unwrap();
        fixture.git(&["pack-refs", "--all"]);
        assert_eq!(repo.find_ref(NAME).unwrap(), Some(two));
        repo.update_ref(NAME, &one, Expected::At(two)).unwrap();
        assert_eq!(fixture.id(NAME), one);
        assert_eq!(
            repo.refs_below("refs/merkle/").unwrap(),
            [(NAME.to_owned(), one)]
        );
        assert_eq!(
            repo.refs_below("refs/merkle").unwrap(),
            [(NAME.to_owned(), one)]
        );
        repo.delete_ref(NAME).unwrap();
        repo.delete_ref(NAME).unwrap();
        assert_eq!(repo.find_ref(NAME).unwrap(), None);
        assert_eq!(fixture.git(&["for-each-ref", "refs/merkle"]), "");
        assert_eq!(repo.refs_below("refs/merkle/").unwrap(), []);
        assert_eq!(repo.find_ref("HEAD").unwrap(), Some(two));
        fixture.git(&["fsck", "--strict", "--full"]);
        let left: Vec<_> =
            fs::read_dir(repo.common_dir().join("merkle")).map_or(Vec::new(), Iterator::collect);
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_reflog_is_kept_only_where_it_is_wanted() {
    let [plain, logs, none] = [Fixture::new(), Fixture::new(), Fixture::new()];
    logs.git(&["config", "core.logAllRefUpdates", "always"]);
    none.git(&["config", "core.logAllRefUpdates", "false"]);
    let shared = Fixture::init(&["--shared"]);
    for (fixture, lines) in [(&plain, 0), (&logs, 2), (&shared, 0), (&none, 0)] {
        let [one, two] = ["one", "two"].map(|text| fixture.commit(text));
        let repo = fixture.open();
        repo.update_ref(NAME, &one, Expected::Absent).unwrap();
        repo.update_ref(NAME, &two, Expected::At(one)).unwrap();
        let log = fs::read_to_string(repo.common_dir().join("logs").join(NAME)).unwrap_or_default();
        assert_eq!(log.lines().count(), lines);
    }
}

#[test]
fn a_lock_of_somebody_else_is_respected() {
    let fixture = Fixture::new();
    let one = fixture.commit("one");
    let repo = fixture.open();
    fixture.file(&format!(".git/{NAME}.lock"), "");
    assert!(matches!(
        repo.update_ref(NAME, &one, Expected::Absent),
        Err(RefError::Moved(_))
    ));
    assert!(
        fixture
            .root
            .join(".git")
            .join(format!("{NAME}.lock"))
            .exists()
    );
    assert_eq!(repo.refs_below("refs/merkle/").unwrap(), []);
}

#[test]
fn a_lock_left_by_the_dead_is_cleared() {
    let fixture = Fixture::new();
    let one = fixture.commit("one");
    let repo = fixture.open();
    let lock = RefLock::acquire(&StateDir::of(&repo), NAME, "x").unwrap();
    let LockAttempt::Held(lock) = lock else {
        panic!("no process holds it")
    };
    assert!(matches!(
        repo.update_ref(NAME, &one, Expected::Absent),
        Err(RefError::Moved(_))
    ));
    lock.die();
    assert!(
        fixture
            .root
            .join(".git")
            .join(format!("{NAME}.lock"))
            .exists()
    );
    repo.update_ref(NAME, &one, Expected::Absent).unwrap();
    assert_eq!(fixture.id(NAME), one);
    assert_eq!(
        fs::read_dir(repo.common_dir().join("merkle"))
            .unwrap()
            .count(),
        0
    );
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
#[test]
fn names_that_collide_are_refused_and_nothing_is_written_through_symbolic_refs() {
    let fixture = Fixture::new();
    let [one, two] = ["one", "two"].map(|text| fixture.commit(text));
    let repo = fixture.open();
    repo.update_ref("refs/merkle/a", &one, Expected::Absent)
        .unwrap();
    for packed in [false, true] {
        if packed {
            fixture.git(&["pack-refs", "--all"]);
        }
        for name in ["refs/merkle/a/b", "refs/merkle"] {
            let error = repo.update_ref(name, &one, Expected::Absent).unwrap_err();
            assert!(
                matches!(error, RefError::Failed { .. }),
                "{name} {packed} {error:?}"
            );
        }
    }
    for name in [
        "refs/merkle/..",
        "refs/merkle/a b",
        "refs/merkle/x.lock",
        "refs/merkle/x\ndelete refs/merkle/a",
    ] {
        assert!(
            matches!(
                repo.update_ref(name, &one, Expected::Absent),
                Err(RefError::Failed { .. })
            ),
            "{name}"
        );
    }
    fixture.git(&["symbolic-ref", "refs/merkle/s", "refs/merkle/a"]);
    assert_eq!(repo.find_ref("refs/merkle/s").unwrap(), Some(one));
    // Before, the ref was followed, and what it leads to was moved.
    fixture.git(&["symbolic-ref", "refs/merkle/nowhere", "refs/heads/nowhere"]);
    for (name, expected) in [
        ("refs/merkle/s", Expected::At(one)),
        ("refs/merkle/nowhere", Expected::Absent),
    ] {
        assert!(
            matches!(repo.find_direct_ref(name), Err(RefError::Symbolic { .. })),
            "{name}"
        );
        assert!(
            matches!(
                repo.update_ref(name, &two, expected),
                Err(RefError::Symbolic { .. })
            ),
            "{name}"
        );
    }
    assert_eq!(
        (
            fixture.id("refs/merkle/a"),
            repo.find_ref("refs/heads/nowhere").unwrap()
        ),
        (one, None)
    );
    let heads = fixture.root.join(".git/refs/heads");
    std::os::unix::fs::symlink(heads.join("main"), fixture.root.join(".git/refs/merkle/l"))
        .unwrap();
    assert!(matches!(
        repo.find_direct_ref("refs/merkle/l"),
        Err(RefError::Linked { .. })
    ));
    std::os::unix::fs::symlink(&heads, fixture.root.join(".git/refs/x")).unwrap();
    assert!(matches!(
        repo.update_ref("refs/x/y", &one, Expected::Absent),
        Err(RefError::Linked { .. })
    ));
    assert!(!heads.join("y").exists());
    // An empty directory that git left in the place of a ref.
    fs::create_dir_all(repo.common_dir().join("refs/merkle/d/e")).unwrap();
    repo.update_ref("refs/merkle/d", &one, Expected::Absent)
        .unwrap();
    assert_eq!(fixture.id("refs/merkle/d"), one);
}

#[test]
fn linked_worktrees_share_the_ref() {
    let fixture = Fixture::new();
    let one = fixture.commit("one");
    let linked = fixture.folder.path().join("linked");
    fixture.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    open_at(&linked)
        .update_ref(NAME, &one, Expected::Absent)
        .unwrap();
    assert_eq!(fixture.open().find_ref(NAME).unwrap(), Some(one));
    assert_eq!(fixture.id(NAME), one);
}

#[test]
fn no_increment_is_lost_between_threads_and_git() {
    let fixture = Fixture::new();
    fixture.commit("base");
    let tree = fixture.id("HEAD^{tree}").to_string();
    let (repo, rounds) = (fixture.open(), 10);
    let add_one = |repo: &Repository, who: usize, round: usize| loop {
        let current = repo.find_ref(NAME).unwrap();
        let message = format!("{who} {round}");
        let mut arguments = vec![
            "commit-tree".to_owned(),
            "-m".to_owned(),
            message,
            tree.clone(),
        ];
        arguments.extend(
            current
                .iter()
                .flat_map(|id| ["-p".to_owned(), id.to_string()]),
        );
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let next = fixture.git(&arguments).parse().unwrap();
        match repo.update_ref(NAME, &next, current.map_or(Expected::Absent, Expected::At)) {
            Ok(()) => break,
            Err(RefError::Moved(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
    };
    std::thread::scope(|scope| {
        for who in 0..4 {
            let repo = repo.fork();
            let add_one = &add_one;
            scope.spawn(move || (0..rounds).for_each(|round| add_one(&repo, who, round)));
        }
        scope.spawn(|| (0..10).for_each(|_| drop(fixture.git(&["pack-refs", "--all"]))));
    });
    assert_eq!(
        fixture.git(&["rev-list", "--count", NAME]),
        (4 * rounds).to_string()
    );
}

/// Red before: the file of the ref was for its owner alone, and git of another user had a broken ref.
#[test]
fn a_ref_is_as_readable_as_gits_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let one = fixture.commit("one");
    let repo = fixture.open();
    repo.update_ref(NAME, &one, Expected::Absent).unwrap();
    fixture.git(&["update-ref", "refs/heads/other", &one.to_string()]);
    let mode = |name: &str| {
        let file = repo.common_dir().join(name);
        file.metadata().unwrap().permissions().mode()
    };
    assert_eq!(mode(NAME), mode("refs/heads/other"));
}

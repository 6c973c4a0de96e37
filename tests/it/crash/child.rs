//! A git that was killed while it moved a ref: its lock stays, is named, and goes when it is proved whose it was.

use std::time::Duration;

use super::at_noon;
use crate::support::{Repo, Sandbox, trace};

/// What stops every git command that writes a ref.
const LOCK: &str = ".git/reftable/tables.list.lock";

fn reftable(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("start");
    std::fs::remove_dir_all(repo.path(".git")).expect("removable");
    repo.git(&["init", "-q", "--ref-format=reftable"]).ok();
    repo.fill("commit files\n+ a.md = about");
    repo.put_frame("a.md", "what is known\n").ok();
    repo
}

/// Before, `doctor` and `doctor --fix` said that all was well, while no commit was possible.
#[test]
fn the_lock_of_a_killed_child_is_named_and_removed() {
    let sandbox = Sandbox::new();
    let start = reftable(&sandbox);
    let put = |repo: &Repo<'_>| at_noon(repo, &["put-frame", "a.md", "-"]).input("new\n");
    let points = trace::count(&put(&start.copy_to("complete"))).points;
    let mut killed = None;
    for point in 1..=points {
        let repo = start.copy_to("killed");
        drop(trace::kill_at(&put(&repo), point));
        if repo.path(LOCK).exists() {
            killed = Some(repo);
            break;
        }
        std::fs::remove_dir_all(repo.path("")).unwrap();
    }
    let repo = killed.expect("a kill that leaves a lock");
    let commit = |repo: &Repo<'_>| repo.git(&["commit", "-q", "--allow-empty", "-m", "next"]);
    assert_ne!(commit(&repo).code, Some(0));
    // Too young for a proof: it is named and left alone.
    let told = repo.merkle(&["doctor", "--fix"]).exits(1).out();
    assert!(
        told.contains("refs      wrong: '") && told.contains("tables.list.lock' is there"),
        "{told}"
    );
    assert!(repo.path(LOCK).exists());
    std::thread::sleep(Duration::from_millis(5_500));
    let told = repo.merkle(&["doctor"]).exits(1).out();
    assert!(
        told.contains("was left by a git that this program started and that was killed"),
        "{told}"
    );
    assert!(repo.path(LOCK).exists());
    let told = repo.merkle(&["doctor", "--fix"]).out();
    assert!(told.contains("refs      fixed: "), "{told}");
    assert!(!repo.path(LOCK).exists());
    commit(&repo).ok();
    repo.merkle(&["status"]).ok();
    let told = repo.merkle(&["doctor"]).ok();
    assert!(!told.contains("refs "), "{told}");
    assert_eq!(
        repo.frames().len(),
        2,
        "the statement was waiting in the spool"
    );
}

#[test]
fn a_lock_of_somebody_else_is_named_and_stays() {
    let sandbox = Sandbox::new();
    let repo = reftable(&sandbox);
    std::fs::write(repo.path(LOCK), "").unwrap();
    std::fs::File::open(repo.path(LOCK))
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    let told = repo.merkle(&["doctor", "--fix"]).exits(1).out();
    assert!(
        told.contains("and nothing says whose it is; remove it if no git is running"),
        "{told}"
    );
    assert!(repo.path(LOCK).exists());
    // A process has it open.
    let held = std::fs::File::open(repo.path(LOCK)).unwrap();
    let told = repo.merkle(&["doctor", "--fix"]).ok();
    assert!(
        told.contains(&format!("process {} is at work here", std::process::id())),
        "{told}"
    );
    drop(held);
    let refused = repo.put_frame("a.md", "new\n").exits(75);
    assert!(
        refused
            .err()
            .contains("hint: nothing is lost: it waits in '"),
        "{refused}"
    );
}

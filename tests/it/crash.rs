//! Death at any moment, and disks that refuse: nothing that was said is lost, and nobody else notices.
//!
//! [`kill`] kills each writing command at system calls spread over its whole run and then asks everything that must
//! hold, [`sync`] to an exchange with a remote, [`worker`] does the same to the hooks' worker and to the hook that starts it. [`refuse`] takes the disk away: full,
//! or not to be written to; [`system`] takes away links, threads, processes and descriptors, and [`child`] looks after what a
//! killed git leaves.

mod child;
mod kill;
mod refuse;
mod sync;
#[cfg(target_arch = "x86_64")]
mod system;
mod worker;

use crate::support::{Repo, Run, Sandbox};

/// The program, with the same clock in every run, so that a second run makes the same bytes.
fn at_noon(repo: &Repo<'_>, arguments: &[&str]) -> Run {
    repo.run("git-merkle")
        .args(arguments)
        .env("SOURCE_DATE_EPOCH", "1800500000")
}

/// A repository with a few files, about which something is said already.
fn with_frames(sandbox: &Sandbox, files: usize) -> Repo<'_> {
    let repo = sandbox.repo("start");
    let lines: Vec<String> = (0..files)
        .map(|n| format!("+ d{}/f{n}.rs = fn number_{n}() {{}}", n % 5))
        .collect();
    repo.fill(&format!(
        "commit files\n+ a.md = about\n{}",
        lines.join("\n")
    ));
    repo.config("gc.auto", "0");
    repo.put_frame("a.md", "what is known\n").ok();
    repo
}

/// Everything in the store: names and blobs.
#[track_caller]
fn listing(repo: &Repo<'_>) -> Vec<String> {
    repo.git(&["ls-tree", "-r", "refs/merkle/frames"])
        .ok()
        .lines()
        .map(ToOwned::to_owned)
        .collect()
}

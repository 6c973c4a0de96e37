//! Sessions and turns: by files alone, against servers that speak the two protocols, and killed at every step.

mod apply;
mod by_hand;
mod cache;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod kill;
mod manual;
mod model;
mod money;
mod odd;
mod wire;

use crate::support::Repo;

/// A repository with something to talk about.
const FIXTURE: &str = "
    commit first
    + README.md = # Sample
    + src/lock.rs = pub fn lock() {}
    + .teddy/global.context = README.md";

/// The folder of the session that all tests lead.
const FOLDER: &str = ".teddy/sessions/login";

/// A file of a turn.
#[track_caller]
fn read(repo: &Repo<'_>, file: &str) -> String {
    std::fs::read_to_string(repo.path(&format!("{FOLDER}/{file}")))
        .unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Writes a file of a turn, as an editor would.
fn write(repo: &Repo<'_>, file: &str, text: &str) {
    std::fs::write(repo.path(&format!("{FOLDER}/{file}")), text).expect("writable");
}

/// What `session show` says of each turn, without the request.
fn log(repo: &Repo<'_>) -> Vec<String> {
    let shown = repo.merkle(&["session", "show", "login"]).ok();
    shown
        .lines()
        .map(|line| {
            line.rsplit_once(": ")
                .map_or(line, |(before, _)| before)
                .to_owned()
        })
        .collect()
}

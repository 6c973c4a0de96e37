//! A whole run over a real source tree: every node once, bottom-up, nothing in a payload that must not be there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{PROTOCOLS, Protocol, World, about, command, key, path_of, regenerate};
use crate::support::Repo;
use crate::support::loopback::{Loopback, Scripted};

/// Some rooms of this program.
fn fill(repo: &Repo<'_>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for room in [
        "frame", "git", "node", "regen", "sync", "tier", "view", "session", "provider",
    ] {
        copy_to(&root.join("src").join(room), &repo.path("src").join(room));
    }
    repo.git(&["checkout", "-q", "-b", &branch()]).ok();
    repo.commit("real");
}

/// A branch whose name stands in no file, this one included.
fn branch() -> String {
    ["of", "all", "branches"].join("-")
}

fn copy_to(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_to(&entry.path(), &target);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            fs::write(target, text).expect("writable");
        }
    }
}

#[test]
fn every_node_of_a_real_repository_is_asked_about_once() {
    for protocol in PROTOCOLS {
        let world = World::new(
            protocol,
            Loopback::start(|request| Scripted::answer(format!("{} indeed", about(request)))),
        );
        let repo = world.sandbox.repo("work");
        fill(&repo);
        let files = repo.git(&["ls-files"]).ok().lines().count();
        assert!(files > 200, "{files}");
        let scan = repo.merkle(&["scan", "--json"]).exits(0).json("scan");
        let nodes = scan["files"].as_u64().expect("a count")
            + scan["directories"].as_u64().expect("a count");
        let done = regenerate(&repo, &["--json"]).exits(0).json("regenerate");
        let posts = world.server.posts();
        assert_eq!(
            posts.len() as u64,
            nodes,
            "{protocol:?}: each node once\n{done}"
        );
        assert_eq!(
            done["made_files"].as_u64().unwrap_or(0)
                + done["made_directories"].as_u64().unwrap_or(0),
            nodes
        );
        let asked: BTreeSet<String> = posts.iter().map(path_of).collect();
        assert_eq!(asked.len(), posts.len(), "no path twice");
        assert!(world.server.in_flight_max() <= 8);
        assert!(posts.iter().all(|post| post.body["stream"] == true));
        check_payloads(&world, &repo);
        check_order(&world);
        repo.merkle(&["validate"]).ok();
        repo.assert_sound();
        assert!(regenerate(&repo, &[]).ok().starts_with("nothing to do"));
        assert_eq!(
            world.server.posts().len(),
            posts.len(),
            "and nothing is asked again"
        );
    }
}

/// No earlier frame, clock, branch or path of the machine is in any payload, nor the key in any body.
fn check_payloads(world: &World, repo: &Repo<'_>) {
    let place = world.sandbox.path("").to_string_lossy().into_owned();
    let (commit, tree) = (repo.id("HEAD"), repo.id("HEAD^{tree}"));
    for post in world.server.posts() {
        let text = post.body.to_string();
        for absent in [
            place.as_str(),
            commit.as_str(),
            tree.as_str(),
            &branch(),
            &key(),
        ] {
            assert!(
                !text.contains(absent),
                "'{absent}' in what was asked about {}",
                path_of(&post)
            );
        }
    }
}

/// What a directory is asked with is what its children were answered with: they came first.
fn check_order(world: &World) {
    let posts = world.server.posts();
    let order = |path: &str| {
        posts
            .iter()
            .find(|post| path_of(post) == path)
            .map(|post| post.order)
    };
    for (child, directory) in [("src/frame/name.rs", "src/frame"), ("src/frame", "src")] {
        assert!(
            order(child).expect(child) < order(directory).expect(directory),
            "{child}"
        );
        let asked = posts
            .iter()
            .find(|post| path_of(post) == directory)
            .expect("asked about");
        assert!(
            asked.last_user().contains(&format!("about {child} indeed")),
            "{directory} is asked with what {child} says"
        );
    }
}

#[test]
fn a_terminal_sees_events_as_lines_of_json() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(super::SMALL);
    let output = command(
        &repo,
        &["regenerate", "--agent", "docs", "--yes", "--json-lines"],
    )
    .run()
    .ok();
    let lines: Vec<serde_json::Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let count = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!(
        (count("asked"), count("answered"), count("progress")),
        (5, 5, 5)
    );
    assert!(count("stored") >= 1);
    let last = lines.last().expect("a report");
    assert_eq!(
        (&last["schema"], &last["made_files"]),
        (&"git-merkle/regenerate/1".into(), &3.into())
    );
    let kept = repo
        .merkle(&["status", "--last", "--json"])
        .exits(0)
        .json("regenerate");
    assert_eq!(kept["model"]["calls"], 5);
    assert!(
        repo.merkle(&["status", "--last"])
            .ok()
            .contains("asked m (test-large): 5 calls")
    );
}

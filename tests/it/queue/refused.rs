//! What a queue does not do: servers, requests and runs that are turned away, each with its reason.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::{Crew, Nats, PATIENCE, coordinate, coordinator, worker, world};
use crate::generate::{Protocol, SMALL, command, flat, key, regenerate};
use crate::support::PROGRAM;
use crate::support::loopback::{Loopback, Recorded, Scripted};

fn about(request: &Recorded) -> String {
    format!("about {}", request.last_user().len())
}

#[test]
fn what_cannot_be_used_is_said_before_anything_is_sent() {
    let world = world(Loopback::answering(about));
    let repo = world.repo(SMALL);
    for (address, words) in [
        (
            "nats://127.0.0.1:9",
            "cannot connect to 'nats://127.0.0.1:9'",
        ),
        ("nats://queue.example:4222", "use 'tls://'"),
        ("nats://me:canary@127.0.0.1", "holds no user or password"),
    ] {
        let output = regenerate(&repo, &["--queue", address]);
        assert!(
            output.code != Some(0) && output.err().contains(words),
            "{output}"
        );
        assert!(!output.err().contains("canary"), "{output}");
    }
    let plan = regenerate(&repo, &["--dry-run", "--queue", "nats://127.0.0.1:9"]).exits(0);
    assert!(
        plan.err().contains(
            "the requests go to workers through nats://127.0.0.1:9, at the prices of 'm' here"
        ),
        "{plan}"
    );
    assert_eq!(world.server.posts().len(), 0);
}

/// A server that says of itself that it is of this version, and answers nothing but pings.
fn of_version(version: &str) -> u16 {
    let info = serde_json::json!({"server_id": "x", "version": version, "proto": 1, "headers": true, "max_payload": 1 << 20, "jetstream": true});
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let _ = (&client).write_all(format!("INFO {info}\r\n").as_bytes());
            for line in BufReader::new(&client).lines().map_while(Result::ok) {
                if line == "PING" {
                    let _ = (&client).write_all(b"PONG\r\n");
                }
            }
        }
    });
    port
}

#[test]
fn an_old_server_is_refused_with_its_version() {
    let world = world(Loopback::answering(about));
    let repo = world.repo(SMALL);
    for version in ["2.9.10", "1.4.1"] {
        let address = format!("nats://127.0.0.1:{}", of_version(version));
        let words = format!("is version {version}; a queue needs 2.10 or later");
        let output = regenerate(&repo, &["--queue", &address]).exits(69);
        assert!(output.err().contains(&words), "{output}");
        let output = command(&repo, &["worker", "--queue", &address])
            .run()
            .exits(69);
        assert!(output.err().contains(&words), "{output}");
    }
    assert_eq!(world.server.posts().len(), 0);
}

#[test]
fn a_request_that_the_server_does_not_take_fails_with_both_numbers() {
    let world = world(Loopback::answering(about));
    let Some(nats) = Nats::start_with(&world, "max_payload: 8192\n") else {
        return;
    };
    let _crew = Crew::of(&world, &nats, 1);
    let repo = world.repo("commit one\n+ small.md = # A");
    let large = "a line of a file\n".repeat(1_000);
    std::fs::write(repo.path("large.md"), large).expect("writable");
    repo.fill("commit two");
    let output = coordinate(&repo, Some(&nats), &[]).exits(3);
    let words = " bytes, and the server of the queue takes 8192 (max_payload)";
    assert!(
        output.err().contains("'large.md': the request has 18") && output.err().contains(words),
        "{output}"
    );
    assert!(output.out().contains("made 1 frame "), "{output}");
}

#[test]
fn one_run_of_a_repository_coordinates() {
    let world = world(Loopback::start(|request| {
        Scripted::answer(about(request)).after(Duration::from_millis(200))
    }));
    let Some(nats) = Nats::start(&world) else {
        return;
    };
    let _crew = Crew::of(&world, &nats, 1);
    let repo = world.repo(&flat(20));
    let mut running = coordinator(&repo, Some(&nats), &[]).start_quiet();
    let begun = Instant::now();
    while world.server.posts().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "requests come in");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = coordinate(&repo, Some(&nats), &[]).exits(75);
    assert!(
        second
            .err()
            .contains("another run of this repository uses the queue"),
        "{second}"
    );
    // Another repository has streams, lease and lock of its own.
    let other = world.sandbox.repo("other");
    other.fill(SMALL);
    coordinate(&other, Some(&nats), &[]).ok();
    assert!(running.wait().expect("it was started").success());
    assert_eq!(world.server.posts().len(), 21 + 5);
}

#[test]
fn a_worker_with_another_model_takes_nothing() {
    let world = world(Loopback::answering(about));
    let Some(nats) = Nats::start(&world) else {
        return;
    };
    let repo = world.repo(SMALL);
    let mut running = coordinator(&repo, Some(&nats), &["--provider", "m"]).start_quiet();
    let endpoint = world.server.endpoint();
    world.provider("small", Protocol::OpenAi, &endpoint);
    world.set("merkle.provider.small.model", "test-small");
    let wrong = worker(&world, &nats, 7);
    let wrong = wrong.args(["--provider", "small", "--drain"]).run();
    assert!(wrong.out().contains("0 answered, 0 failed"), "{wrong}");
    assert_eq!(world.server.posts().len(), 0);
    let mut right = worker(&world, &nats, 0)
        .args(["--provider", "m"])
        .start_quiet();
    assert!(running.wait().expect("it was started").success());
    right.kill().expect("it runs");
    right.wait().expect("it was started");
    assert_eq!(world.server.posts().len(), 5);
}

/// The commands of the guide, against a server with the guide's configuration but for its place and its certificate.
#[test]
fn the_commands_of_the_guide_work() {
    let guide = include_str!("../../../docs/guide/scale.md");
    let section = guide.split_once("\n## A queue\n").expect("a section").1;
    let blocks: Vec<&str> = section.split("\n```").collect();
    let block = |number: usize, kind: &str| {
        let block = blocks[2 * number + 1].strip_prefix(kind);
        block.expect("a block of this kind").trim().lines()
    };
    let elsewhere = ["listen", "tls", "jetstream"];
    let lines =
        block(0, "text").filter(|line| !elsewhere.iter().any(|word| line.starts_with(word)));
    let lines: Vec<&str> = lines.collect();
    assert!(
        lines.len() == 2 && lines[0].contains("a-long-random-word"),
        "{lines:?}"
    );

    let world = world(Loopback::answering(about));
    let Some(nats) = Nats::start_with(&world, &lines.join("\n")) else {
        return;
    };
    let endpoint = world.server.endpoint();
    world.provider("claude", Protocol::OpenAi, &endpoint);
    world.set("merkle.defaultProvider", "m");
    let repo = world.repo(SMALL);
    let run = |command: &str| {
        let command = command.replace("tls://queue.example:4222", &nats.address());
        let words = command.strip_prefix("git merkle ").expect("a command");
        let run = repo.run(PROGRAM).args(words.split(' '));
        run.env("TEST_API_KEY", key())
            .env("MERKLE_QUEUE_API_KEY", "a-long-random-word")
    };
    let workers: Vec<&str> = block(1, "sh").collect();
    let [stays, drains] = workers[..] else {
        panic!("two commands: {workers:?}");
    };
    let coordinates = block(2, "sh").next().expect("a command");
    let mut staying = run(stays).start_quiet();
    let made = run(&format!("{coordinates} --yes")).run();
    assert_eq!(made.code, Some(0), "{made}");
    staying.kill().expect("it runs");
    staying.wait().expect("it was started");
    assert_eq!(world.server.posts().len(), 5);
    let drained = run(drains).run();
    assert!(drained.ok().contains("0 answered, 0 failed"));
}

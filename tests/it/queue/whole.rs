//! Runs that nothing disturbs: the same frames as in one process, and nothing on the wire that must not travel.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{Crew, Nats, PATIENCE, coordinate, coordinator, world};
use crate::generate::{SMALL, flat, head, key, regenerate};
use crate::support::loopback::{Loopback, Recorded, Scripted};

fn about(request: &Recorded) -> String {
    format!("about {}", request.last_user().len())
}

#[test]
fn workers_make_what_one_process_makes() {
    let (alone, shared) = (
        world(Loopback::answering(about)),
        world(Loopback::answering(about)),
    );
    let nats = Nats::start(&shared);
    let _crew = nats.as_ref().map(|nats| Crew::of(&shared, nats, 2));
    let (one, many) = (alone.repo(SMALL), shared.repo(SMALL));
    regenerate(&one, &[]).ok();
    let output = coordinate(&many, nats.as_ref(), &[]).exits(0);
    assert!(
        output
            .out()
            .contains("made 5 frames (3 files, 2 directories)"),
        "{output}"
    );
    assert!(output.out().contains("5 calls, 500 tokens in"), "{output}");
    assert_eq!(shared.server.posts().len(), 5);
    for node in ["README.md", "src/lib.rs", "src/one.rs", "src", "."] {
        assert_eq!(head(&one, node), head(&many, node), "{node}");
    }
    many.merkle(&["validate"]).ok();
    let again = coordinate(&many, nats.as_ref(), &[]).exits(0);
    assert!(again.out().contains("nothing to do"), "{again}");
    assert_eq!(shared.server.posts().len(), 5);
}

#[test]
fn a_budget_is_the_coordinators() {
    let world = world(Loopback::answering(about));
    let nats = Nats::start(&world);
    let _crew = nats.as_ref().map(|nats| Crew::of(&world, nats, 2));
    let repo = world.repo(&flat(12));
    let output = coordinate(&repo, nats.as_ref(), &["--max-calls", "7"]);
    assert_ne!(output.code, Some(0), "{output}");
    assert_eq!(world.server.posts().len(), 7, "{output}");
    assert!(output.out().contains("made 7 frames"), "{output}");
}

#[test]
fn what_a_rate_limit_turns_away_is_held_by_the_worker() {
    let outcomes = (0..3).map(|_| Scripted::rate_limited(Some("1")));
    let world = world(Loopback::playing(outcomes));
    let nats = Nats::start(&world);
    let _crew = nats.as_ref().map(|nats| Crew::of(&world, nats, 1));
    let repo = world.repo(&flat(3));
    let output = coordinate(&repo, nats.as_ref(), &[]).exits(0);
    assert!(output.out().contains("made 4 frames"), "{output}");
    assert_eq!(world.server.posts().len(), 7, "three were turned away");
}

/// Passes everything on between clients and a server, and keeps it.
fn tapped(port: u16) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let tap = listener.local_addr().expect("bound").port();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = heard.clone();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
            let ways = [
                (client.try_clone(), server.try_clone()),
                (server.try_clone(), client.try_clone()),
            ];
            for (from, to) in ways {
                let (mut from, mut to) = (from.expect("a socket"), to.expect("a socket"));
                let heard = heard.clone();
                std::thread::spawn(move || {
                    let mut bytes = [0; 1 << 14];
                    while let Ok(length @ 1..) = from.read(&mut bytes) {
                        heard
                            .lock()
                            .expect("not poisoned")
                            .extend_from_slice(&bytes[..length]);
                        if to.write_all(&bytes[..length]).is_err() {
                            break;
                        }
                    }
                    let _ = to.shutdown(Shutdown::Both);
                });
            }
        }
    });
    (tap, kept)
}

#[test]
fn no_key_and_no_endpoint_travels() {
    let world = world(Loopback::answering(about));
    let Some(mut nats) = Nats::start(&world) else {
        return;
    };
    let real = nats.port;
    let (tap, heard) = tapped(real);
    nats.port = tap;
    world.set("merkle.provider.m.header", "X-Team: canary-of-a-header");
    let _crew = Crew::of(&world, &nats, 2);
    let repo = world.repo(SMALL);
    coordinate(&repo, Some(&nats), &[]).ok();
    let heard = heard.lock().expect("not poisoned").clone();
    let wire = String::from_utf8_lossy(&heard);
    assert!(wire.contains("pub fn add(a: u8, b: u8)"), "the tap hears");
    assert_eq!(world.server.posts().len(), 5);
    assert!(
        world.server.posts()[0].header("x-team").is_some(),
        "the worker sends its header"
    );
    let host = world.server.host();
    for canary in [key().as_str(), "canary-of-a-header", host.as_str()] {
        assert!(!wire.contains(canary), "{canary} travels");
    }
    nats.port = real;
}

#[test]
fn a_repository_cannot_choose_a_queue() {
    let world = world(Loopback::answering(about));
    let repo = world.repo(SMALL);
    let folder = repo.path(".teddy");
    std::fs::create_dir_all(&folder).expect("writable");
    std::fs::write(
        folder.join("config.toml"),
        "queue = \"nats://127.0.0.1:9\"\n",
    )
    .expect("writable");
    repo.trust();
    repo.config("merkle.queue", "nats://127.0.0.1:9");
    regenerate(&repo, &["src/one.rs"]).ok();
    assert_eq!(world.server.posts().len(), 1, "it is sent from here");
}

/// The first Ctrl-C takes back what no worker has begun, and stores what comes of the rest.
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let world = world(Loopback::start(|request| {
        Scripted::answer(about(request)).after(Duration::from_millis(300))
    }));
    world.set("merkle.provider.m.concurrency", "2");
    let Some(nats) = Nats::start(&world) else {
        return;
    };
    let _crew = Crew::of(&world, &nats, 1);
    let repo = world.repo(&flat(30));
    let mut running = coordinator(&repo, Some(&nats), &[]).start_quiet();
    let begun = Instant::now();
    while world.server.posts().len() < 4 {
        assert!(begun.elapsed() < PATIENCE, "requests come in");
        std::thread::sleep(Duration::from_millis(2));
    }
    let process = Pid::from_raw(running.id() as i32);
    kill(process, Signal::SIGINT).expect("it runs");
    assert_eq!(running.wait().expect("it ends").code(), Some(130));
    let posts = world.server.posts().len();
    assert!(posts <= 8, "{posts} requests were begun");
    let again = coordinate(&repo, Some(&nats), &[]).exits(0);
    assert_eq!(
        world.server.posts().len(),
        31,
        "none is sent twice: {again}"
    );
}

/// 500 nodes of 200 ms each with 32 at once: seventeen rounds, and a tenth more.
#[test]
#[ignore = "it measures time, on a machine without other work"]
fn four_workers_keep_to_the_bound() {
    let world = world(Loopback::start(|request| {
        Scripted::answer(about(request)).after(Duration::from_millis(200))
    }));
    let Some(nats) = Nats::start(&world) else {
        return;
    };
    let _crew = Crew::of(&world, &nats, 4);
    let repo = world.repo(&flat(499));
    let begun = Instant::now();
    let output = coordinate(&repo, Some(&nats), &[]).exits(0);
    let (took, bound) = (begun.elapsed().as_secs_f64(), 17.0 * 0.2);
    assert_eq!(world.server.posts().len(), 500, "{output}");
    assert!(
        took <= 1.1 * bound,
        "{took:.2} s for a bound of {bound:.2} s"
    );
}

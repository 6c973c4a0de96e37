//! Requests through a queue: the built program, its workers, and a real NATS server on this machine.
//!
//! The server is `nats-server` on the search path, or what `MERKLE_TEST_NATS` names. Without one the same scenario runs in one
//! process, and the test says so.

mod hostile;
mod kill;
mod million;
mod refused;
mod whole;

use std::ffi::OsString;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::generate::{Protocol, World, key};
use crate::support::loopback::Loopback;
use crate::support::{Output, PROGRAM, Repo, Run};

/// The longest time that anything here is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A NATS server on a port of its own, with a folder that outlives it.
struct Nats {
    program: OsString,
    child: Child,
    port: u16,
    folder: PathBuf,
}

impl Nats {
    /// Starts one; `None`, and a line on standard error, where there is no server.
    fn start(world: &World) -> Option<Self> {
        Self::start_with(world, "")
    }

    /// The same with more lines in its configuration.
    fn start_with(world: &World, lines: &str) -> Option<Self> {
        let Some(program) = program() else {
            // Not `eprintln!`, which the harness swallows where a test passes.
            let line = "no nats-server (set MERKLE_TEST_NATS): the run goes on in one process\n";
            let _ = std::io::stderr().write_all(line.as_bytes());
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let folder = world.sandbox.path("nats");
        std::fs::write(folder.with_extension("conf"), lines).expect("writable");
        let child = serve(world, &program, port, &folder);
        Some(Self {
            program,
            child,
            port,
            folder,
        })
    }

    fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Killed, if it runs.
    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Killed, and started again with what is on its disk.
    fn restart(&mut self, world: &World) {
        self.stop();
        self.child = serve(world, &self.program, self.port, &self.folder);
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stop();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "where the server is, only the machine knows"
)]
fn program() -> Option<OsString> {
    let named = std::env::var_os("MERKLE_TEST_NATS");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    named.or_else(|| found.find(|file| file.is_file()).map(Into::into))
}

fn serve(world: &World, program: &OsString, port: u16, folder: &PathBuf) -> Child {
    let run = world
        .sandbox
        .run(program, &world.sandbox.path("home"))
        .args(["-a", "127.0.0.1", "-js", "-p", &port.to_string(), "-sd"])
        .arg(folder)
        .arg("-c")
        .arg(folder.with_extension("conf"));
    let child = run.start_quiet();
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < PATIENCE, "the server does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Workers that end with the test.
struct Crew(Vec<Child>);

impl Crew {
    fn of(world: &World, nats: &Nats, workers: usize) -> Self {
        Self(
            (0..workers)
                .map(|number| worker(world, nats, number).start_quiet())
                .collect(),
        )
    }

    /// Kills one worker, and hires another.
    fn replace(&mut self, world: &World, nats: &Nats, number: usize) {
        self.0[number].kill().expect("it runs");
        self.0[number].wait().expect("it was started");
        self.0[number] = worker(world, nats, number).start_quiet();
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A worker outside of any repository. It alone has the key.
fn worker(world: &World, nats: &Nats, number: usize) -> Run {
    let home = world.sandbox.path("home");
    let address = nats.address();
    let name = format!("w{number}");
    world
        .sandbox
        .run(PROGRAM, &home)
        .args(["worker", "--queue", &address, "--name", &name])
        .env("TEST_API_KEY", key())
}

/// A world whose workers are missed after a second.
fn world(server: Loopback) -> World {
    let world = World::new(Protocol::OpenAi, server);
    world.set("merkle.queueWait", "1s");
    world
}

/// `regenerate` by way of a queue, without a key; in one process, with one, where there is no server.
fn coordinator(repo: &Repo<'_>, nats: Option<&Nats>, arguments: &[&str]) -> Run {
    let run = repo
        .run(PROGRAM)
        .args(["regenerate", "--agent", "docs", "--yes"])
        .args(arguments);
    match nats {
        Some(nats) => run.args(["--queue", &nats.address()]),
        None => run.env("TEST_API_KEY", key()),
    }
}

fn coordinate(repo: &Repo<'_>, nats: Option<&Nats>, arguments: &[&str]) -> Output {
    coordinator(repo, nats, arguments).run()
}

//! A server of git on this machine, whose connections break and whose processes die.
//!
//! `git daemon` stands behind a proxy that ends one connection in twenty after some bytes. For `file://` the user's own
//! configuration names a program at the other end that kills one in twenty within a second. Now and then one process of the
//! daemon is killed.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{Repo, Sandbox};

/// One connection in this number is cut.
const CUT_EACH: u64 = 20;
/// Bytes from the server after which a connection is cut, at most.
const CUT_BYTES_MAX: u64 = 1_500;
/// How often a process of the server is killed.
const KILL_PAUSE: Duration = Duration::from_secs(7);

pub(super) struct Server {
    daemon: Option<Child>,
    /// Where the proxy listens.
    port: u16,
    cuts: Arc<AtomicBool>,
    /// A file that the programs at the other end look for: where it stands, they break nothing.
    calm: PathBuf,
}

impl Server {
    /// Over `file://`.
    pub(super) fn files(sandbox: &Sandbox, cuts: bool) -> Self {
        if cuts {
            for (key, verb) in [
                ("uploadpack", "upload-pack"),
                ("receivepack", "receive-pack"),
            ] {
                let script = sandbox.path(verb);
                let random = "$(od -An -N2 -tu2 /dev/urandom)";
                // A signal reaches all that it has started, so that no pipe is left open.
                let killed =
                    format!("exec timeout -s KILL 0.$(({random} % 900 + 100)) git {verb} \"$@\"");
                let calm = sandbox.path("calm");
                let text = format!(
                    "#!/bin/sh\ntest ! -e '{}' && test $(({random} % {CUT_EACH})) = 0 && {killed}\nexec git {verb} \"$@\"\n",
                    calm.display()
                );
                std::fs::write(&script, text).expect("writable");
                sandbox
                    .run("chmod", &sandbox.path(""))
                    .arg("+x")
                    .arg(&script)
                    .run()
                    .ok();
                let key = format!("remote.origin.{key}");
                sandbox
                    .run("git", &sandbox.path(""))
                    .args(["config", "--global", &key])
                    .arg(&script)
                    .run()
                    .ok();
            }
        }
        Self {
            daemon: None,
            port: 0,
            cuts: Arc::new(AtomicBool::new(cuts)),
            calm: sandbox.path("calm"),
        }
    }

    /// `git daemon` on the loopback address.
    pub(super) fn daemon(sandbox: &Sandbox, cuts: bool) -> Self {
        let behind = TcpListener::bind("127.0.0.1:0")
            .expect("a port")
            .local_addr()
            .expect("an address")
            .port();
        let folder = sandbox
            .run("git", &sandbox.path(""))
            .arg("--exec-path")
            .run()
            .ok();
        let base = format!("--base-path={}", sandbox.path("").display());
        let port = format!("--port={behind}");
        let program = Path::new(folder.trim()).join("git-daemon");
        let arguments = [
            "--reuseaddr",
            "--listen=127.0.0.1",
            "--export-all",
            "--enable=receive-pack",
            &base,
            &port,
        ];
        let daemon = sandbox
            .run(program, &sandbox.path(""))
            .args(arguments)
            .start_quiet();
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", behind)).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let cuts = Arc::new(AtomicBool::new(cuts));
        Self {
            daemon: Some(daemon),
            port: proxy(behind, Arc::clone(&cuts)),
            cuts,
            calm: sandbox.path("calm"),
        }
    }

    /// Where a repository of the sandbox is found.
    pub(super) fn url(&self, repo: &Repo<'_>) -> String {
        let path = repo.path("");
        match self.daemon {
            None => format!("file://{}", path.display()),
            Some(_) => {
                let name = path
                    .file_name()
                    .expect("a folder has a name")
                    .to_string_lossy();
                format!("git://127.0.0.1:{}/{name}", self.port)
            }
        }
    }

    /// Kills a process of the server now and then, and clears what a dead one has left there, as who runs it would.
    pub(super) fn disturb(&self, origin: &Repo<'_>, done: &AtomicBool) {
        let pause = Duration::from_millis(100);
        for turn in 1_u32.. {
            std::thread::sleep(pause);
            if done.load(Ordering::Relaxed) || !self.cuts.load(Ordering::Relaxed) {
                return;
            }
            if turn % (KILL_PAUSE.as_millis() / pause.as_millis()) as u32 == 0
                && let Some(daemon) = &self.daemon
            {
                kill_child_of(daemon.id());
            }
            let lock = origin.path("refs/merkle/frames.lock");
            let age = lock
                .metadata()
                .and_then(|found| found.modified())
                .ok()
                .and_then(|since| since.elapsed().ok());
            if age.is_some_and(|age| age > Duration::from_secs(3)) {
                drop(std::fs::remove_file(lock));
            }
        }
    }

    /// Breaks nothing any more.
    pub(super) fn calm(&self) {
        self.cuts.store(false, Ordering::Relaxed);
        std::fs::write(&self.calm, "").expect("writable");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            let _ = daemon.kill().and_then(|()| daemon.wait());
        }
    }
}

/// Ends one process that another one has started, if there is one.
fn kill_child_of(parent: u32) {
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))
        .unwrap_or_default();
    if let Some(child) = children
        .split_whitespace()
        .last()
        .and_then(|child| child.parse().ok())
    {
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(child),
            nix::sys::signal::Signal::SIGKILL,
        );
    }
}

/// Passes connections on, and cuts some of them; its port. It ends with the process.
fn proxy(behind: u16, cuts: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let count = AtomicU64::new(0);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let number = count.fetch_add(1, Ordering::Relaxed);
            // Spread over the bytes, and the same in each run.
            let is_cut = cuts.load(Ordering::Relaxed) && number % CUT_EACH == CUT_EACH - 1;
            let limit = if is_cut {
                number.wrapping_mul(7_919) % CUT_BYTES_MAX
            } else {
                u64::MAX
            };
            std::thread::spawn(move || pass(&stream, behind, limit));
        }
    });
    port
}

fn pass(client: &TcpStream, behind: u16, limit: u64) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", behind)) else {
        return;
    };
    std::thread::scope(|scope| {
        scope.spawn(|| copy(client, &server, u64::MAX));
        copy(&server, client, limit);
    });
}

/// Copies until one side ends or enough has passed, and closes both then.
fn copy(mut from: &TcpStream, mut to: &TcpStream, mut limit: u64) {
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut block) {
        let passed = (count as u64).min(limit) as usize;
        if to.write_all(&block[..passed]).is_err() {
            break;
        }
        limit -= passed as u64;
        if limit == 0 {
            let _ = from.shutdown(Shutdown::Both);
            break;
        }
    }
    let _ = to.shutdown(if limit == 0 {
        Shutdown::Both
    } else {
        Shutdown::Write
    });
}

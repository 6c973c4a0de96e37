//! What a repository can say and do before and after somebody trusts it, through every file that it can write.

mod hostile;
mod memory;

use std::net::TcpListener;

use crate::support::{PROGRAM, Repo, Run};

/// A key of the environment that must turn up nowhere.
const CANARY: &str = "canary-7f3a9c51";

/// Somebody who listens on this machine and counts who comes.
struct Listener(TcpListener);

impl Listener {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of the loopback");
        listener
            .set_nonblocking(true)
            .expect("a socket that does not wait");
        Self(listener)
    }

    fn url(&self) -> String {
        format!("http://{}/v1", self.0.local_addr().expect("a bound socket"))
    }

    /// Demands that nobody has come.
    #[track_caller]
    fn assert_untouched(&self) {
        let nobody = self
            .0
            .accept()
            .is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(nobody, "somebody connected");
    }
}

/// The program with keys in its environment.
fn with_keys(repo: &Repo<'_>) -> Run {
    let names = ["X_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];
    names
        .iter()
        .fold(repo.run(PROGRAM), |run, name| run.env(name, CANARY))
}

/// The hash that `trust --show` prints.
#[track_caller]
fn digest(repo: &Repo<'_>) -> String {
    let document = repo
        .merkle(&["trust", "--show", "--json"])
        .exits(0)
        .json("trust");
    document["digest"].as_str().expect("a digest").to_owned()
}

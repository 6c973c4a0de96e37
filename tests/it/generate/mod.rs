//! Frames by a model: the built program against servers on this machine that speak the two protocols.

mod budget;
mod cached;
mod crash;
mod fault;
mod fresh;
mod payload;
mod person;
mod shard;
mod small;
mod team;
mod together;
mod whole;
mod wire;

use std::fmt::Write;

use crate::support::loopback::{Loopback, Recorded};
use crate::support::{Output, PROGRAM, Repo, Run, Sandbox};

/// The key of the tests' provider; assembled, so that nobody takes it for a real one.
pub(crate) fn key() -> String {
    ["test", "canary", "0123456789abcdef"].join("-")
}

/// The two protocols that the servers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    OpenAi,
    Anthropic,
}

pub(crate) const PROTOCOLS: [Protocol; 2] = [Protocol::OpenAi, Protocol::Anthropic];

impl Protocol {
    fn kind(self) -> &'static str {
        match self {
            Self::OpenAi => "local",
            Self::Anthropic => "anthropic",
        }
    }
}

/// A user with a provider behind a server, and an agent of their own.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) server: Loopback,
}

/// The agent's own words; the placeholders are those of the documentation.
pub(crate) const AGENT: &str = "\
id = \"docs\"
role = \"writer\"
frame_type = \"summary\"
system_prompt = \"You describe source code.\"
user_prompt_file = \"Summarize the {node_type} {path} of {file_size} bytes.\"
user_prompt_directory = \"Summarize the {node_type} {path} from its entries.\"
response_template = \"One sentence.\"
";

impl World {
    pub(crate) fn new(protocol: Protocol, server: Loopback) -> Self {
        let world = Self {
            sandbox: Sandbox::new(),
            server,
        };
        world.agent(AGENT);
        world.provider("m", protocol, &world.server.endpoint());
        for (name, value) in [
            ("priceInput", "1"),
            ("priceOutput", "4"),
            ("idleTimeout", "2s"),
            ("concurrency", "8"),
        ] {
            world.set(&format!("merkle.provider.m.{name}"), value);
        }
        world
    }

    /// A server that says of every node the same, whatever is in it: `about <path>`.
    pub(crate) fn steady(protocol: Protocol) -> Self {
        Self::new(protocol, Loopback::answering(about))
    }

    pub(crate) fn agent(&self, text: &str) {
        let folder = self.sandbox.path("home/.config/git-merkle/agents");
        std::fs::create_dir_all(&folder).expect("writable");
        std::fs::write(folder.join("docs.toml"), text).expect("writable");
    }

    pub(crate) fn provider(&self, name: &str, protocol: Protocol, endpoint: &str) {
        let settings = [
            ("kind", protocol.kind()),
            ("endpoint", endpoint),
            ("model", "test-large"),
            ("keyEnv", "TEST_API_KEY"),
        ];
        for (setting, value) in settings {
            self.set(&format!("merkle.provider.{name}.{setting}"), value);
        }
    }

    /// A setting of the user's own.
    pub(crate) fn set(&self, key: &str, value: &str) {
        let home = self.sandbox.path("home");
        self.sandbox
            .run("git", &home)
            .args(["config", "--global", key, value])
            .run()
            .ok();
    }

    pub(crate) fn repo(&self, fixture: &str) -> Repo<'_> {
        self.sandbox.filled(fixture)
    }
}

/// The command, with the key in its environment.
pub(crate) fn command(repo: &Repo<'_>, arguments: &[&str]) -> Run {
    repo.run(PROGRAM).args(arguments).env("TEST_API_KEY", key())
}

/// `regenerate --agent docs` with more arguments.
pub(crate) fn regenerate(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    command(repo, &["regenerate", "--agent", "docs", "--yes"])
        .args(arguments)
        .run()
}

/// What a request is about: the path in its content block.
fn path_of(request: &Recorded) -> String {
    let text = request.last_user();
    let start = text.find("path=\"").map_or(0, |at| at + 6);
    let rest = &text[start..];
    let is_directory = text.starts_with("<child") || !text.starts_with("<file");
    let path = rest.split('"').next().unwrap_or_default();
    if is_directory {
        task_path(&text)
    } else {
        path.to_owned()
    }
}

/// The path that the task names: the word behind `the directory`.
fn task_path(text: &str) -> String {
    let task = text
        .rsplit("Summarize the directory ")
        .next()
        .unwrap_or_default();
    task.split(" from its entries.")
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn about(request: &Recorded) -> String {
    format!("about {}", path_of(request))
}

/// What the head of a node says, for the tests' agent.
#[track_caller]
pub(crate) fn head(repo: &Repo<'_>, node: &str) -> String {
    repo.merkle(&["get-head", node, "--agent", "docs"]).ok()
}

/// So many different files in one directory.
pub(crate) fn flat(files: usize) -> String {
    let mut fixture = "commit many".to_owned();
    for file in 0..files {
        write!(fixture, "\n+ f{file:02}.rs = pub fn f{file}() {{}}").expect("a string takes all");
    }
    fixture
}

/// Two levels, five nodes.
pub(crate) const SMALL: &str = "
    commit first
    + README.md = # Sample
    + src/lib.rs
      | //! A crate that adds.
      |
      | pub fn add(a: u8, b: u8) -> u8 {
      |     a + b
      | }
    + src/one.rs = pub fn one() {}
";

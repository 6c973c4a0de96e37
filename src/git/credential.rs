//! Git's credential helpers, and the user's global configuration: git outside of any repository.
//!
//! A key is found, kept and forgotten by whatever helper the user has configured for git, under the exact origin and the
//! user name [`USER_NAME`], so that a password for the same host is never taken for a key. The children run where no
//! repository is found: none can name a helper. They never prompt.

use std::process::{Output, Stdio};

use super::child::{ChildError, exchange, failed, without_keys};
use super::program;

/// The user name under which keys are kept.
pub const USER_NAME: &str = "git-merkle";

/// A directory in which there is no repository, and above which none is looked for.
const OUTSIDE: &str = "/";

/// What would lead a child to a repository, or to a question.
const LEADING_VARIABLES: [&str; 14] = [
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_REDIRECT_STDERR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_TRACE",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
];

/// What a key is kept for: `https` and `api.example.org:8443`. The port is named when it is not the protocol's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialOrigin {
    /// `https`, or `http` for this machine.
    pub protocol: String,
    /// Host, with the port where it is named.
    pub host: String,
}

impl CredentialOrigin {
    /// The lines that a helper is given.
    fn description(&self) -> String {
        format!(
            "protocol={}\nhost={}\nusername={USER_NAME}\n",
            self.protocol, self.host
        )
    }
}

/// Asks the helpers for a key; `None` when none of them has one.
pub fn fill(origin: &CredentialOrigin) -> Result<Option<String>, ChildError> {
    let output = run(
        "credential",
        &["fill"],
        &format!("{}\n", origin.description()),
    )?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let same_host = answer
        .lines()
        .any(|line| line.strip_prefix("host=") == Some(&origin.host));
    let password = answer
        .lines()
        .find_map(|line| line.strip_prefix("password="))
        .filter(|password| !password.is_empty());
    Ok(password
        .filter(|_| output.status.success() && same_host)
        .map(str::to_owned))
}

/// Gives a key to the helpers.
pub fn approve(origin: &CredentialOrigin, key: &str) -> Result<(), ChildError> {
    let words = format!("{}password={key}\n\n", origin.description());
    let output = run("credential", &["approve"], &words)?;
    checked("credential approve", output).map(drop)
}

/// Makes the helpers forget the key.
pub fn reject(origin: &CredentialOrigin) -> Result<(), ChildError> {
    let words = format!("{}\n", origin.description());
    let output = run("credential", &["reject"], &words)?;
    checked("credential reject", output).map(drop)
}

/// True when the user has configured a helper at all.
pub fn has_helper() -> Result<bool, ChildError> {
    let output = run(
        "config",
        &["--get-regexp", r"^credential\.(.*\.)?helper$"],
        "",
    )?;
    Ok(output.status.success() && !output.stdout.is_empty())
}

/// Runs git where there is no repository, for what is the user's own.
pub(super) fn run_outside(verb: &str, arguments: &[&str]) -> Result<(), ChildError> {
    checked(verb, run(verb, arguments, "")?).map(drop)
}

fn checked(verb: &str, output: Output) -> Result<Output, ChildError> {
    if output.status.success() {
        Ok(output)
    } else {
        Err(failed(verb, &output))
    }
}

fn run(verb: &str, arguments: &[&str], input: &str) -> Result<Output, ChildError> {
    let mut command = program::git().map_err(ChildError::Start)?;
    for variable in LEADING_VARIABLES {
        command.env_remove(variable);
    }
    without_keys(&mut command);
    command
        .env("GIT_CEILING_DIRECTORIES", OUTSIDE)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C");
    command
        .current_dir(OUTSIDE)
        .args([
            "-c",
            "core.askPass=",
            "-c",
            "credential.interactive=false",
            verb,
        ])
        .args(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().map_err(ChildError::Start)?;
    exchange(child, input.as_bytes()).map_err(ChildError::Start)
}

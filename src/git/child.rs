//! The one builder for child processes of git: fixed verbs, hooks and prompts off, user data never an option.
//!
//! A child sees the repository that was opened and nothing else of a calling hook: `GIT_DIR` and `GIT_WORK_TREE` are
//! given, `GIT_INDEX_FILE`, `GIT_PREFIX` and the like are taken away, configuration (`GIT_CONFIG_*`) is passed on.
//! It runs no hook, no file system monitor and no filter of the repository's own configuration, asks nothing, takes no
//! optional lock, fetches nothing, reads objects as they are named (`git replace` is off), speaks English.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::pipes::{finish, finish_by, finish_visiting};
use super::program;
use super::repo::Repository;
use super::variable::variable;
use crate::base::NodeId;
use crate::base::variable::holds_key;

/// What a hook's environment says about its own git command and must not reach ours.
const FOREIGN_VARIABLES: [&str; 11] = [
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_WORK_TREE",
    "GIT_REDIRECT_STDERR",
];

/// Why a git child failed.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The program could not be started, or it could not be talked to.
    #[error("cannot run 'git'")]
    Start(#[source] io::Error),
    /// git reads a copy of the index, and that cannot be made.
    #[error("cannot copy the index")]
    Copy(#[source] io::Error),
    /// It ran and failed.
    #[error("'git {verb}' failed: {message}")]
    Failed {
        /// For example `write-tree`.
        verb: String,
        /// Its exit code; `None` for a signal.
        code: Option<i32>,
        /// The first line on stderr that it calls an error, else the last line; where it talks to a remote, what was said before
        /// it as well.
        message: String,
    },
    /// The index has conflicts, so it stands for no tree.
    #[error("the index has conflicts, the first in '{0}'")]
    Unmerged(String),
    /// A file goes through a filter that only the repository's own configuration defines.
    #[error(
        "'{path}' goes through the filter '{filter}', whose program only this repository's own configuration names"
    )]
    Filter {
        /// The file.
        path: String,
        /// The name of the filter.
        filter: String,
        /// What a user runs to allow it, line by line.
        allow: String,
    },
    /// A program that only the repository's own configuration names would be run to reach a remote.
    #[error("'{key}' in this repository's own configuration names a program, which is not run")]
    Program {
        /// The setting.
        key: String,
        /// What a user runs to allow it.
        allow: String,
    },
}

/// Input up to this size is written before any output is read: every pipe holds it.
const SMALL_INPUT_BYTES: usize = 4096;

/// Commands that talk to another machine.
const TO_REMOTES: [&str; 3] = ["fetch", "ls-remote", "push"];

/// Lines of what a transport said that an error repeats, and characters of each.
const REASON_LINES_MAX: usize = 3;
const REASON_CHARS_MAX: usize = 300;

/// How long a child in the background may talk to another machine.
const SILENT_PATIENCE: Duration = Duration::from_mins(5);

/// A git command to be run in a repository.
pub struct GitCommand {
    /// The command, or why there is no git to run.
    command: io::Result<Command>,
    settings: Vec<&'static str>,
    /// Further configuration for this child, whose keys may hold any character.
    overrides: Vec<(String, String)>,
    verb: &'static str,
    options: Vec<OsString>,
    operands: Vec<OsString>,
    /// Why it is not started.
    refused: Option<ChildError>,
    /// How long it may run.
    patience: Option<Duration>,
}

/// What feeds a child's standard input.
pub(super) type Pipe = BufWriter<ChildStdin>;

impl GitCommand {
    /// `git <verb>` in the repository, with a fixed environment.
    #[must_use]
    pub fn new(repo: &Repository, verb: &'static str) -> Self {
        let command = program::git().map(|mut command| {
            prepare(&mut command, repo);
            command
        });
        let settings = vec!["core.hooksPath=/dev/null", "core.fsmonitor=false"];
        let (overrides, options, operands) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            command,
            settings,
            overrides,
            verb,
            options,
            operands,
            refused: None,
            patience: None,
        }
    }

    /// Makes the command fail instead of starting, where there is a reason.
    #[must_use]
    pub(super) fn refusing(mut self, reason: Option<ChildError>) -> Self {
        self.refused = reason;
        self
    }

    /// Adds a fixed option.
    #[must_use]
    pub fn option(mut self, option: &'static str) -> Self {
        self.options.push(option.into());
        self
    }

    /// Adds a fixed option with a value: `--keep=<value>`.
    #[must_use]
    pub fn option_value(mut self, option: &'static str, value: impl AsRef<OsStr>) -> Self {
        let mut word = OsString::from(option);
        word.push("=");
        word.push(value);
        self.options.push(word);
        self
    }

    /// Adds what the user or the repository wrote; all of it goes behind `--end-of-options`.
    #[must_use]
    pub fn operand(mut self, operand: impl AsRef<OsStr>) -> Self {
        self.operands.push(operand.as_ref().to_owned());
        self
    }

    /// Adds a configuration setting for this child alone.
    #[must_use]
    pub(super) fn setting(mut self, setting: &'static str) -> Self {
        self.settings.push(setting);
        self
    }

    /// Adds settings for this child alone whose keys the repository chose: `(key, value)`.
    #[must_use]
    pub(super) fn overriding(mut self, settings: &[(String, String)]) -> Self {
        self.overrides.extend_from_slice(settings);
        self
    }

    /// Makes the child flush all that it writes to disk before it ends.
    #[must_use]
    pub(super) fn durable(self) -> Self {
        self.setting("core.fsync=all")
            .setting("core.fsyncMethod=fsync")
    }

    /// Gives the child an index of its own.
    #[must_use]
    pub(super) fn index(self, file: &Path) -> Self {
        self.variable("GIT_INDEX_FILE", file)
    }

    /// Makes pathspecs plain paths.
    #[must_use]
    pub(super) fn literal_paths(self) -> Self {
        self.variable("GIT_LITERAL_PATHSPECS", "1")
    }

    fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        if let Ok(command) = &mut self.command {
            command.env(name, value);
        }
        self
    }

    /// Lets git ask for passwords, on the terminal or through the user's own helper.
    #[must_use]
    pub(super) fn asking(mut self) -> Self {
        if let Ok(command) = &mut self.command {
            command.env_remove("GIT_TERMINAL_PROMPT");
        }
        self
    }

    /// Lets git's own helpers open no window either, which they would where a desktop is, and ends it when it takes minutes.
    #[must_use]
    pub(super) fn silent(self) -> Self {
        let limited = Self {
            patience: Some(SILENT_PATIENCE),
            ..self
        };
        limited
            .setting("credential.interactive=false")
            .variable("GIT_ASKPASS", "")
            .variable("SSH_ASKPASS_REQUIRE", "never")
            .variable("GCM_INTERACTIVE", "never")
    }

    /// Runs it and hands over each record of its standard output; ends the child when `visit` returns false.
    ///
    /// The child must read all of its input before it writes.
    pub(super) fn run_records(
        self,
        input: &[u8],
        end: u8,
        visit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), ChildError> {
        let (verb, deadline) = (self.verb, self.deadline());
        let mut child = self.start(Stdio::piped())?;
        let written = child
            .stdin
            .take()
            .map_or(Ok(()), |mut stdin| stdin.write_all(input));
        let mut begun = Vec::new();
        let ended = finish_visiting(child, deadline, &mut |mut block| {
            while let Some(at) = block.iter().position(|byte| *byte == end) {
                begun.extend_from_slice(&block[..at]);
                block = &block[at + 1..];
                if !visit(&begun) {
                    return false;
                }
                begun.clear();
            }
            begun.extend_from_slice(block);
            true
        });
        let Some(output) = ended.map_err(ChildError::Start)? else {
            return Ok(());
        };
        if !begun.is_empty() {
            visit(&begun);
        }
        checked(verb, output)?;
        written.map_err(ChildError::Start)
    }

    /// Runs it with the given standard input and returns its standard output.
    pub fn run(self, input: &[u8]) -> Result<Vec<u8>, ChildError> {
        let verb = self.verb;
        checked(verb, self.output(input)?)
    }

    /// Runs it with the given standard input and returns the ids that it prints, one a line.
    pub(super) fn run_ids(self, input: &[u8]) -> Result<Vec<NodeId>, ChildError> {
        let told = self.run(input)?;
        let told = String::from_utf8_lossy(&told);
        Ok(told.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Runs it with a file as its standard input and returns its standard output.
    pub(super) fn run_from(self, input: File) -> Result<Vec<u8>, ChildError> {
        let verb = self.verb;
        let child = self.start(Stdio::from(input))?;
        checked(verb, finish(child).map_err(ChildError::Start)?)
    }

    /// Runs it while `feed` writes its standard input from another thread, and returns its standard output.
    pub(super) fn run_fed(
        self,
        feed: impl FnOnce(&mut Pipe) -> io::Result<()> + Send,
    ) -> Result<Vec<u8>, ChildError> {
        let verb = self.verb;
        checked(verb, self.output_fed(feed)?)
    }

    /// Runs it with the given standard input, whatever its exit code.
    pub(super) fn output(self, input: &[u8]) -> Result<Output, ChildError> {
        if input.len() > SMALL_INPUT_BYTES {
            return self.output_fed(|pipe| pipe.write_all(input));
        }
        let deadline = self.deadline();
        let child = self.start(Stdio::piped())?;
        exchange_by(child, input, deadline).map_err(ChildError::Start)
    }

    fn deadline(&self) -> Option<Instant> {
        self.patience.map(|patience| Instant::now() + patience)
    }

    fn output_fed(
        self,
        feed: impl FnOnce(&mut Pipe) -> io::Result<()> + Send,
    ) -> Result<Output, ChildError> {
        let mut child = self.start(Stdio::piped())?;
        let mut pipe = BufWriter::new(child.stdin.take().expect("stdin is a pipe"));
        let (output, fed) = std::thread::scope(|scope| {
            let write = move || feed(&mut pipe).and_then(|()| pipe.flush());
            match std::thread::Builder::new().spawn_scoped(scope, write) {
                Ok(feeder) => (
                    finish(child),
                    feeder.join().expect("a feeder does not panic"),
                ),
                Err(error) => {
                    let _ = child.kill().and_then(|()| child.wait());
                    (Err(error), Ok(()))
                }
            }
        });
        let output = output.map_err(ChildError::Start)?;
        match fed {
            Err(error) if output.status.success() && error.kind() != io::ErrorKind::BrokenPipe => {
                Err(ChildError::Start(error))
            }
            _ => Ok(output),
        }
    }

    fn start(self, stdin: Stdio) -> Result<Child, ChildError> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        let mut command = self.command.map_err(ChildError::Start)?;
        override_settings(&mut command, &self.overrides);
        command
            .args(self.settings.iter().flat_map(|setting| ["-c", setting]))
            .arg(self.verb)
            .args(&self.options);
        if !self.operands.is_empty() {
            command.arg("--end-of-options").args(&self.operands);
        }
        command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(ChildError::Start)
    }
}

fn prepare(command: &mut Command, repo: &Repository) {
    for variable in FOREIGN_VARIABLES {
        command.env_remove(variable);
    }
    without_keys(command);
    command
        .current_dir(repo.work_dir().unwrap_or(repo.git_dir()))
        .env("GIT_DIR", repo.git_dir());
    if let Some(root) = repo.work_dir() {
        command.env("GIT_WORK_TREE", root);
    }
    if repo.objects_dir != repo.common_dir().join("objects") {
        command.env("GIT_OBJECT_DIRECTORY", &repo.objects_dir);
    }
    if let Ok(paths) = std::env::join_paths(repo.alternates.iter().map(|(path, _)| path)) {
        command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", paths);
    }
    for (variable, value) in [
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("LC_ALL", "C"),
    ] {
        command.env(variable, value);
    }
    command
        .arg("--no-pager")
        .args(repo.settings.iter().flat_map(|setting| ["-c", setting]));
}

/// Adds settings to those that `GIT_CONFIG_COUNT` counts already: unlike `-c`, these keys may hold a `=`.
fn override_settings(command: &mut Command, overrides: &[(String, String)]) {
    if overrides.is_empty() {
        return;
    }
    let there: usize = variable("GIT_CONFIG_COUNT")
        .and_then(|count| count.to_str()?.parse().ok())
        .unwrap_or(0);
    for (number, (key, value)) in overrides.iter().enumerate() {
        let number = there + number;
        command
            .env(format!("GIT_CONFIG_KEY_{number}"), key)
            .env(format!("GIT_CONFIG_VALUE_{number}"), value);
    }
    command.env("GIT_CONFIG_COUNT", (there + overrides.len()).to_string());
}

/// Gives a child a small input, and reads all that it writes.
pub(super) fn exchange(child: Child, input: &[u8]) -> io::Result<Output> {
    exchange_by(child, input, None)
}

pub(super) fn exchange_by(
    mut child: Child,
    input: &[u8],
    deadline: Option<Instant>,
) -> io::Result<Output> {
    let written = child
        .stdin
        .take()
        .map_or(Ok(()), |mut stdin| stdin.write_all(input));
    let output = finish_by(child, deadline)?;
    match written {
        Err(error) if output.status.success() && error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error)
        }
        _ => Ok(output),
    }
}

fn checked(verb: &str, output: Output) -> Result<Vec<u8>, ChildError> {
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(failed(verb, &output))
    }
}

/// Takes away every variable that holds a key: no hook, filter or helper of a child has any use for them.
pub(super) fn without_keys(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| holds_key(name)) {
        command.env_remove(name);
    }
}

/// The one id that git prints.
pub(super) fn id_of(told: &[u8]) -> Option<NodeId> {
    std::str::from_utf8(told).ok()?.trim().parse().ok()
}

/// Turns a failed child's output into an error.
pub(super) fn failed(verb: &str, output: &Output) -> ChildError {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let message = if TO_REMOTES.contains(&verb) {
        reason(&stderr)
    } else {
        let told = stderr.lines().find_map(error_of);
        told.or(stderr.lines().last())
            .unwrap_or("no message")
            .to_owned()
    };
    ChildError::Failed {
        verb: verb.to_owned(),
        code: output.status.code(),
        message,
    }
}

/// What git calls an error in a line.
pub(super) fn error_of(line: &str) -> Option<&str> {
    line.strip_prefix("error: ")
        .or(line.strip_prefix("fatal: "))
}

/// What stands in front of git's first error and the error itself, the last lines of it, in one line: the transport says the
/// reason, and git then that there is nothing to read.
fn reason(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).collect();
    let error = lines.iter().position(|line| error_of(line).is_some());
    let told = &lines[..error.map_or(lines.len(), |at| at + 1)];
    let told: Vec<String> = told
        .iter()
        .filter(|line| is_said(line))
        .map(|line| error_of(line).unwrap_or(line))
        .map(|line| line.chars().take(REASON_CHARS_MAX).collect())
        .collect();
    if told.is_empty() {
        return "no message".to_owned();
    }
    told[told.len().saturating_sub(REASON_LINES_MAX)..].join("; ")
}

/// False for what says nothing of a failure: empty lines, hints, warnings such as that a host is new, frames of stars.
fn is_said(line: &str) -> bool {
    let is_aside = ["hint: ", "warning: ", "Warning: "]
        .iter()
        .any(|aside| line.starts_with(aside));
    !is_aside && line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn much_input_and_much_output_do_not_wait_for_each_other() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let (lines, repo) = (50_000, fixture.open());
        let told = GitCommand::new(&repo, "cat-file")
            .option("--batch-check")
            .run(&b"HEAD\n".repeat(lines))
            .unwrap();
        assert_eq!(told.split(|byte| *byte == b'\n').count(), lines + 1);
        let told = GitCommand::new(&repo, "rev-parse")
            .option("HEAD")
            .run(&b"not read\n".repeat(lines))
            .unwrap();
        assert_eq!(
            String::from_utf8(told).unwrap().trim(),
            fixture.id("HEAD").to_string()
        );
    }

    #[test]
    fn what_a_transport_says_stands_in_front_of_what_git_says() {
        for (stderr, told) in [
            (
                "ssh: connect to host 127.0.0.1 port 1: Connection refused\r\nfatal: Could not read from remote repository.\n\nPlease make sure",
                "ssh: connect to host 127.0.0.1 port 1: Connection refused; Could not read from remote repository.",
            ),
            (
                "Warning: Permanently added 'h' to the list of known hosts.\n@@@@@@\n\nremote: Not found.\nerror: one\nfatal: two",
                "remote: Not found.; one",
            ),
            ("a\nb\nc\nd", "b; c; d"),
            ("\n", "no message"),
        ] {
            assert_eq!(reason(stderr), told);
        }
        let long = reason(&"ä".repeat(1_000));
        assert_eq!(long.chars().count(), REASON_CHARS_MAX);
    }

    #[test]
    fn failures_say_what_git_said() {
        let fixture = Fixture::new();
        let error = GitCommand::new(&fixture.open(), "rev-parse")
            .option("--verify")
            .operand("--all")
            .run(b"")
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "'git rev-parse' failed: Needed a single revision"
        );
        assert!(matches!(
            error,
            ChildError::Failed {
                code: Some(128),
                ..
            }
        ));
    }

    #[test]
    fn hooks_and_monitors_do_not_run_and_settings_are_passed_on() {
        let fixture = Fixture::new();
        let one = fixture.commit("one");
        fixture.file("hook", "#!/bin/sh\ntouch \"$0.ran\"\n");
        let hook = fixture.root.join("hook");
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir_all(fixture.root.join(".git/hooks")).unwrap();
        let installed = fixture.root.join(".git/hooks/reference-transaction");
        std::fs::copy(&hook, &installed).unwrap();
        fixture.git(&["config", "core.fsmonitor", hook.to_str().unwrap()]);
        let settings = vec![
            "core.hooksPath=.git/hooks".to_owned(),
            "merkle.seen=yes".to_owned(),
        ];
        let location = super::super::repo::Location {
            directory: fixture.root.clone(),
            git_dir: None,
            settings,
        };
        let repo = Repository::open(&location).unwrap();
        let line = format!("create refs/merkle/x {one}\n");
        GitCommand::new(&repo, "update-ref")
            .option("--stdin")
            .run(line.as_bytes())
            .unwrap();
        GitCommand::new(&repo, "status").run(b"").unwrap();
        assert!(!installed.with_extension("ran").exists() && !hook.with_extension("ran").exists());
        let told = GitCommand::new(&repo, "config")
            .option("merkle.seen")
            .run(b"")
            .unwrap();
        assert_eq!(told, b"yes\n");
    }
}

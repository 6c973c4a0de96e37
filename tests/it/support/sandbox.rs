//! A temporary world: its own home, an empty environment, and a clock that ticks one second per command.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Output, Repo};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_git-merkle");
/// What the clock of a sandbox shows before its first command: 2027-01-15 08:00:00 UTC.
const START_SECONDS: u64 = 1_800_000_000;
/// The user of a sandbox. No gc in the background: it would race with the removal of the folder.
const USER_CONFIG: &str = "\
[user]
\tname = Test User
\temail = user@example.org
[init]
\tdefaultBranch = main
[gc]
\tautoDetach = false
[maintenance]
\tautoDetach = false
";

/// A temporary folder that is gone when this is dropped. Shared by threads, for races.
pub(crate) struct Sandbox {
    root: tempfile::TempDir,
    ticks: AtomicU64,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new()
            .prefix("merkle-test-")
            .tempdir()
            .expect("a temporary folder");
        std::fs::create_dir(root.path().join("home")).expect("a home");
        std::fs::write(root.path().join("home/.gitconfig"), USER_CONFIG)
            .expect("a user's configuration");
        Self {
            root,
            ticks: AtomicU64::new(0),
        }
    }

    /// A path in the sandbox, existing or not.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A new repository with a work tree, ids in SHA-1, on the unborn branch `main`.
    pub(crate) fn repo(&self, name: &str) -> Repo<'_> {
        self.init(name, &["--object-format=sha1"])
    }

    /// Such a repository by the name `work`, with a history written in the fixture language.
    #[track_caller]
    pub(crate) fn filled(&self, fixture: &str) -> Repo<'_> {
        let repo = self.repo("work");
        repo.fill(fixture);
        repo
    }

    /// The same, empty and with ids in SHA-256.
    pub(crate) fn sha256(&self, name: &str) -> Repo<'_> {
        self.init(name, &["--object-format=sha256"])
    }

    /// A new bare repository, as on a server.
    pub(crate) fn bare(&self, name: &str) -> Repo<'_> {
        self.init(name, &["--bare"])
    }

    /// A new repository as `git init` makes it with options.
    pub(crate) fn init(&self, name: &str, options: &[&str]) -> Repo<'_> {
        let directory = self.path(name);
        self.run("git", self.root.path())
            .args(["init", "-q"])
            .args(options)
            .arg(&directory)
            .run()
            .ok();
        Repo::at(self, directory)
    }

    /// A command in a directory of this world.
    pub(crate) fn run(&self, program: impl AsRef<OsStr>, directory: &Path) -> Run {
        let mut run = Run::new(program.as_ref(), directory);
        let seconds = START_SECONDS + self.ticks.fetch_add(1, Ordering::Relaxed);
        let home = self.path("home");
        run = run
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_CACHE_HOME", home.join(".cache"));
        run = run
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", self.root.path());
        run = run
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "false")
            .env("TERM", "dumb");
        run = run
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("SOURCE_DATE_EPOCH", seconds.to_string());
        run = run.env("GIT_AUTHOR_DATE", format!("{seconds} +0000"));
        run.env("GIT_COMMITTER_DATE", format!("{seconds} +0000"))
            .env("PATH", search_path())
    }
}

/// The caller's search path with the program's directory in front, so that `git merkle` is the program under test.
#[expect(
    clippy::disallowed_methods,
    reason = "git itself is found on the caller's search path"
)]
fn search_path() -> OsString {
    let program_dir = Path::new(PROGRAM)
        .parent()
        .expect("a program stands in a directory")
        .to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::iter::once(program_dir).chain(std::env::split_paths(&inherited));
    std::env::join_paths(directories).expect("directories of a search path can be joined again")
}

/// A command that is about to run.
#[derive(Clone)]
#[must_use]
pub(crate) struct Run {
    program: OsString,
    arguments: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    input: Vec<u8>,
}

impl Run {
    fn new(program: &OsStr, directory: &Path) -> Self {
        let (arguments, environment, input) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            program: program.to_owned(),
            arguments,
            directory: directory.to_owned(),
            environment,
            input,
        }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = S>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Sets a variable; a later value takes the place of an earlier one.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// What it reads from standard input; nothing unless said.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// What [`input`](Self::input) was given.
    pub(crate) fn input_bytes(&self) -> &[u8] {
        &self.input
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Output {
        let mut command = self.wrapped(&[]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start '{}': {error}", self.line()));
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        let input = self.input.clone();
        let finished = std::thread::scope(|scope| {
            // A command may end without reading; the broken pipe is then its answer, not a failure.
            scope.spawn(move || drop(stdin.write_all(&input)));
            child
                .wait_with_output()
                .expect("a started child can be waited for")
        });
        let (stdout, stderr) = (finished.stdout, finished.stderr);
        Output {
            command: self.line(),
            code: finished.status.code(),
            stdout,
            stderr,
        }
    }

    /// Starts it behind a [wrapper](Self::wrapped), with nothing to read; what it writes is there when it is waited for.
    pub(crate) fn start(&self, wrapper: &[&str]) -> Child {
        self.spawn(wrapper, Stdio::piped)
    }

    /// Starts it with nothing to read; what it writes is lost.
    pub(crate) fn start_quiet(&self) -> Child {
        self.spawn(&[], Stdio::null)
    }

    fn spawn(&self, wrapper: &[&str], output: fn() -> Stdio) -> Child {
        let mut command = self.wrapped(wrapper);
        command
            .stdin(Stdio::null())
            .stdout(output())
            .stderr(output());
        command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start '{}': {error}", self.line()))
    }

    /// The command itself, behind a wrapper that runs its arguments (`sh -c …`), or plain when that is empty.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the tests start a program"
    )]
    pub(crate) fn wrapped(&self, wrapper: &[&str]) -> Command {
        let mut words = wrapper
            .iter()
            .map(OsString::from)
            .chain([self.program.clone()])
            .chain(self.arguments.clone());
        let program = words.next().expect("at least the program");
        let mut command = Command::new(self.found(program));
        command
            .args(words)
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.clone());
        command
    }

    /// The program by its path, as the system would find it. Given a bare name and another search path, the standard
    /// library forks, and each fork copies the page tables of a process that holds hundreds of megabytes.
    fn found(&self, program: OsString) -> OsString {
        let mut variables = self.environment.iter().rev();
        let search_path = variables.find(|(name, _)| name == "PATH");
        if program.as_encoded_bytes().contains(&b'/') {
            return program;
        }
        search_path
            .into_iter()
            .flat_map(|(_, path)| std::env::split_paths(path))
            .map(|directory| directory.join(&program))
            .find(|path| path.is_absolute() && path.is_file())
            .map_or(program, PathBuf::into_os_string)
    }

    /// The command as a person would type it.
    pub(crate) fn line(&self) -> String {
        let words: Vec<_> = self
            .arguments
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        format!(
            "cd {} && {} {}",
            self.directory.display(),
            self.program.to_string_lossy(),
            words.join(" ")
        )
    }
}

#[test]
fn nothing_of_the_machine_reaches_a_command() {
    let sandbox = Sandbox::new();
    let names = sandbox.run("env", &sandbox.path("home")).run().ok();
    let allowed = [
        "GIT_",
        "HOME=",
        "LC_ALL=C",
        "PATH=",
        "SOURCE_DATE_EPOCH=",
        "TERM=dumb",
        "TZ=UTC",
        "XDG_",
    ];
    let strangers: Vec<&str> = names
        .lines()
        .filter(|line| !allowed.iter().any(|prefix| line.starts_with(prefix)))
        .collect();
    assert_eq!(strangers, [] as [&str; 0]);
    let origins = sandbox
        .run("git", &sandbox.path("home"))
        .args(["config", "list", "--show-origin", "--name-only"])
        .run()
        .ok();
    let home_file = format!("file:{}\t", sandbox.path("home/.gitconfig").display());
    assert!(
        origins.lines().all(|line| line.starts_with(&home_file)),
        "{origins}"
    );
}

#[test]
fn the_clock_ticks_one_second_per_command() {
    let sandbox = Sandbox::new();
    let now = || {
        sandbox
            .run("sh", &sandbox.path("home"))
            .args(["-c", "echo $SOURCE_DATE_EPOCH $GIT_AUTHOR_DATE"])
            .run()
            .ok()
    };
    assert_eq!(
        (now(), now()),
        (
            "1800000000 1800000000 +0000\n".to_owned(),
            "1800000001 1800000001 +0000\n".to_owned()
        )
    );
}

#[test]
fn a_failure_shows_command_code_and_both_streams() {
    let sandbox = Sandbox::new();
    let output = sandbox
        .run("sh", &sandbox.path("home"))
        .args(["-c", "cat; echo no >&2; exit 3"])
        .input("said")
        .run();
    let output = output.exits(3);
    assert_eq!(
        (output.out(), output.err()),
        ("said".to_owned(), "no\n".to_owned())
    );
    let shown = output.to_string();
    assert!(
        shown.contains("exit code 3")
            && shown.contains("--- stdout\nsaid")
            && shown.contains("--- stderr\nno"),
        "{shown}"
    );
}

//! Running a command and taking its time or its peak memory, and pairs of runs side by side.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// The first argument that turns this program into the one that reports what a command took.
pub(crate) const USAGE_FLAG: &str = "--usage";
/// The program under test, where the linker has put it.
const BUILT: &str = env!("CARGO_BIN_EXE_git-merkle");
/// Pairs are taken until there are this many,
const PAIRS_MAX: usize = 41;
/// or this much time has gone,
const PAIRS_DURATION_MAX: Duration = Duration::from_secs(40);
/// but at least so many.
const PAIRS_MIN: usize = 3;
/// Pairs by processor time vary less, and are taken of repositories where one may take a minute.
const PROCESSOR_PAIRS_DURATION_MAX: Duration = Duration::from_secs(20);
/// A configuration without background work, which would fall into somebody's measured time.
const USER_CONFIG: &str = "\
[user]
\tname = Bench
\temail = bench@example.org
[init]
\tdefaultBranch = main
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\tdetachedHead = false
";

/// Why a figure could not be taken, as a sentence.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Any error as one.
pub(crate) fn failure(error: impl fmt::Display) -> Failure {
    Failure(error.to_string())
}

/// A command in the benches' own environment, run as often as needed.
#[derive(Clone)]
pub(crate) struct Run {
    program: OsString,
    arguments: Vec<OsString>,
    directory: Option<PathBuf>,
    input: Option<PathBuf>,
}

/// `git`, to be given arguments.
pub(crate) fn git() -> Run {
    Run::new("git")
}

/// `git-merkle`, started directly and not through git, to be given arguments.
pub(crate) fn merkle() -> Run {
    Run::new(program())
}

/// The program under test, copied once as `cargo install` does it, since git is an installed program too.
///
/// A linker writes here and there, so that the pages of its file lie scattered in memory: started from there the same bytes
/// take a seventh longer.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let copy = crate::corpus::directory().join("git-merkle");
        let staged = copy.with_extension(std::process::id().to_string());
        std::fs::create_dir_all(crate::corpus::directory())
            .and_then(|()| std::fs::copy(BUILT, &staged))
            .and_then(|_| std::fs::rename(&staged, &copy))
            .expect("there is room for a copy of the program");
        copy
    });
    &PROGRAM
}

impl Run {
    /// Any program, to be given arguments.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            directory: None,
            input: None,
        }
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        self
    }

    pub(crate) fn inside(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    /// Reads its standard input from a file.
    pub(crate) fn input(mut self, file: &Path) -> Self {
        self.input = Some(file.to_owned());
        self
    }

    /// The command itself, with nothing of the caller's configuration.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the benches start programs"
    )]
    pub(crate) fn command(&self) -> Result<Command, Failure> {
        let mut command = Command::new(&self.program);
        let home = home()?;
        command
            .args(&self.arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        if let Some(input) = &self.input {
            command.stdin(File::open(input)?);
        }
        Ok(command)
    }

    /// How long one run takes, from start to exit; what it prints is thrown away.
    pub(crate) fn time(&self) -> Result<Duration, Failure> {
        let mut command = self.command()?;
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let start = Instant::now();
        let finished = command
            .spawn()
            .and_then(std::process::Child::wait_with_output);
        let elapsed = start.elapsed();
        self.demand_success(finished)?;
        Ok(elapsed)
    }

    /// What it prints.
    pub(crate) fn output(&self) -> Result<String, Failure> {
        let finished = self.demand_success(self.command()?.output())?;
        String::from_utf8(finished.stdout)
            .map_err(|_| Failure(format!("'{self}' did not print UTF-8")))
    }

    /// What one run takes, with the processes that it starts.
    ///
    /// A small process in between starts it and asks the kernel, so that this program's own memory, which a child
    /// carries until it has become another program, is not counted.
    pub(crate) fn usage(&self) -> Result<Usage, Failure> {
        let own = std::env::current_exe()?;
        let mut wrapped = Self::new(own)
            .args([OsStr::new(USAGE_FLAG), &self.program])
            .args(&self.arguments);
        (wrapped.directory, wrapped.input) = (self.directory.clone(), self.input.clone());
        let told = wrapped.output()?;
        let numbers: Vec<u64> = told
            .split_whitespace()
            .filter_map(|number| number.parse().ok())
            .collect();
        let [peak_kib, own_kib, microseconds] = numbers[..] else {
            return Err(Failure(format!("nothing is known of a run of '{self}'")));
        };
        Ok(Usage {
            processor: Duration::from_micros(microseconds),
            peak_kib,
            own_kib,
        })
    }

    fn demand_success(
        &self,
        finished: std::io::Result<std::process::Output>,
    ) -> Result<std::process::Output, Failure> {
        let finished =
            finished.map_err(|error| Failure(format!("cannot start '{self}': {error}")))?;
        if finished.status.success() {
            return Ok(finished);
        }
        let message = String::from_utf8_lossy(&finished.stderr);
        Err(Failure(format!(
            "'{self}' failed: {}",
            message.lines().last().unwrap_or("it said nothing")
        )))
    }
}

impl fmt::Display for Run {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = Path::new(&self.program)
            .file_name()
            .unwrap_or(&self.program)
            .to_string_lossy();
        let arguments: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| argument.to_string_lossy())
            .collect();
        write!(out, "{} {}", program, arguments.join(" "))
    }
}

/// A home with a configuration of the benches' own.
pub(crate) fn home() -> Result<PathBuf, Failure> {
    let home = crate::corpus::directory().join("home");
    let file = home.join(".gitconfig");
    if !file.exists() {
        std::fs::create_dir_all(&home)?;
        std::fs::write(&file, USER_CONFIG)?;
    }
    Ok(home)
}

/// What a run took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Time of all cores together, in the program and in the kernel.
    pub(crate) processor: Duration,
    /// Largest resident memory of any of its processes.
    pub(crate) peak_kib: u64,
    /// Of the first one's, what is its own: the rest are pages of files, which the kernel takes back when it needs them.
    /// Looked at every few milliseconds, on Linux.
    pub(crate) own_kib: u64,
}

/// The small process in between: runs a command and prints its peak memory, its own part of it, and its processor time.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of its own, inside the benches"
)]
pub(crate) fn report_usage(command: &[String]) -> ExitCode {
    let [program, arguments @ ..] = command else {
        return ExitCode::FAILURE;
    };
    let started = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        return ExitCode::FAILURE;
    };
    let (mut own_kib, mut pause) = (0, Duration::from_micros(200));
    let finished = loop {
        own_kib = own_kib.max(own_memory_kib(child.id()).unwrap_or(0));
        match child.try_wait() {
            Ok(None) => std::thread::sleep(pause),
            finished => break finished,
        }
        pause = (2 * pause).min(Duration::from_millis(5));
    };
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return ExitCode::FAILURE;
    };
    let unit = if cfg!(target_os = "macos") { 1024 } else { 1 };
    let microseconds = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    println!(
        "{} {own_kib} {}",
        usage.max_rss() / unit,
        microseconds(usage.user_time()) + microseconds(usage.system_time())
    );
    if finished.is_ok_and(|status| status.is_some_and(|status| status.success())) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The memory of a process that is no file's.
fn own_memory_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// The processor time that this process needs for a work, on all its threads.
pub(crate) fn processor_time<T>(
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<Duration, Failure> {
    let used = || -> Result<Duration, Failure> {
        let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(failure)?;
        let time = |time: nix::sys::time::TimeVal| {
            Duration::from_secs(time.tv_sec().unsigned_abs())
                + Duration::from_micros(time.tv_usec().unsigned_abs())
        };
        Ok(time(usage.user_time()) + time(usage.system_time()))
    };
    let before = used()?;
    work()?;
    Ok(used()?.saturating_sub(before))
}

/// Times of alternating runs of two things.
#[derive(Default)]
pub(crate) struct Pairs {
    ours: Vec<Duration>,
    theirs: Vec<Duration>,
}

impl Pairs {
    /// Takes pairs of which each run stands for itself; who goes first changes with every pair.
    pub(crate) fn take(
        mut ours: impl FnMut() -> Result<Duration, Failure>,
        mut theirs: impl FnMut() -> Result<Duration, Failure>,
    ) -> Result<Self, Failure> {
        Self::take_within(PAIRS_DURATION_MAX, &mut ours, &mut theirs)
    }

    fn take_within(
        limit: Duration,
        ours: &mut dyn FnMut() -> Result<Duration, Failure>,
        theirs: &mut dyn FnMut() -> Result<Duration, Failure>,
    ) -> Result<Self, Failure> {
        Self::collect(limit, |number| {
            if number.is_multiple_of(2) {
                return Ok((ours()?, theirs()?));
            }
            let their_time = theirs()?;
            Ok((ours()?, their_time))
        })
    }

    /// Takes pairs in which the yardstick's run makes the work for ours.
    pub(crate) fn take_in_order(
        mut theirs: impl FnMut() -> Result<Duration, Failure>,
        mut ours: impl FnMut() -> Result<Duration, Failure>,
    ) -> Result<Self, Failure> {
        Self::collect(PAIRS_DURATION_MAX, |_| {
            let their_time = theirs()?;
            Ok((ours()?, their_time))
        })
    }

    /// Takes numbered pairs, ours first in each, after one that only warms up.
    fn collect(
        limit: Duration,
        mut pair: impl FnMut(usize) -> Result<(Duration, Duration), Failure>,
    ) -> Result<Self, Failure> {
        let mut pairs = Self::default();
        pair(0)?;
        let start = Instant::now();
        while !pairs.is_enough(start, limit) {
            let (our_time, their_time) = pair(pairs.ours.len())?;
            pairs.ours.push(our_time);
            pairs.theirs.push(their_time);
        }
        Ok(pairs)
    }

    /// Takes pairs of two commands.
    pub(crate) fn of(ours: &Run, theirs: &Run) -> Result<Self, Failure> {
        Self::take(|| ours.time(), || theirs.time())
    }

    /// Takes pairs of two commands by processor time, which does not depend on who else uses the machine.
    pub(crate) fn of_processor(ours: &Run, theirs: &Run) -> Result<Self, Failure> {
        Self::take_within(
            PROCESSOR_PAIRS_DURATION_MAX,
            &mut || Ok(ours.usage()?.processor),
            &mut || Ok(theirs.usage()?.processor),
        )
    }

    /// True when another pair would tell nothing new or take too long.
    fn is_enough(&self, start: Instant, limit: Duration) -> bool {
        self.ours.len() >= PAIRS_MAX || (self.ours.len() >= PAIRS_MIN && start.elapsed() > limit)
    }

    /// The median of what ours takes more than the yardstick, in milliseconds.
    pub(crate) fn added_ms(&self) -> f64 {
        let added = self
            .ours
            .iter()
            .zip(&self.theirs)
            .map(|(ours, theirs)| ours.as_secs_f64() - theirs.as_secs_f64());
        median(added) * 1_000.0
    }

    /// The median of the pairs' ratios.
    pub(crate) fn ratio(&self) -> f64 {
        median(
            self.ours
                .iter()
                .zip(&self.theirs)
                .map(|(ours, theirs)| ours.as_secs_f64() / theirs.as_secs_f64()),
        )
    }

    /// The median of our times, in seconds.
    pub(crate) fn ours_seconds(&self) -> f64 {
        median(self.ours.iter().map(Duration::as_secs_f64))
    }
}

impl fmt::Display for Pairs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let theirs = median(self.theirs.iter().map(Duration::as_secs_f64));
        let (ours, theirs) = (self.ours_seconds() * 1e3, theirs * 1e3);
        write!(
            out,
            "{ours:.1} ms, {theirs:.1} ms, {} pairs",
            self.ours.len()
        )
    }
}

/// The middle value; the upper of the two middle ones for an even count.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

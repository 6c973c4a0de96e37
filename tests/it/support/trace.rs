//! Death by system call: runs a command, and kills its whole process tree right before a chosen change to the world.
//!
//! A *point* is the entry of a system call, in any process or thread of the tree, that may change what others see:
//! calls that only read, map memory, wait or start processes do not count, and calls nobody listed do. The kill
//! arrives before the call takes effect, so points 1 to n, and an undisturbed run, are all the states that SIGKILL can
//! leave behind. It works by ptrace, on the command's own children, and needs neither privileges nor another program.

use std::collections::BTreeSet;
use std::fs::File;
use std::process::Stdio;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::{Output, Run};

/// Points of the small tier, which every run of the tests takes.
const SMALL_TIER_POINTS: usize = 40;
/// Stops itself until the tracer has hold of it, then becomes the command.
const WRAPPER: [&str; 4] = ["sh", "-c", "kill -STOP $$; exec \"$@\"", "sh"];

/// How a traced run ended.
pub(crate) struct Traced {
    /// Points that were reached, the one of the kill included.
    pub(crate) points: usize,
    pub(crate) killed: bool,
    /// Exit code and streams up to the end.
    pub(crate) output: Output,
}

/// Runs to the end and counts the points.
pub(crate) fn count(run: &Run) -> Traced {
    trace(run, None)
}

/// Kills everything at the n-th point, counted from 1; a run with fewer points ends by itself.
pub(crate) fn kill_at(run: &Run, point: usize) -> Traced {
    trace(run, Some(point))
}

/// The points to try of so many: evenly spread, first and last included; all of them when they are few.
///
/// `MERKLE_TEST_CRASH_POINTS` sets how many (`all` for every one) for a longer run.
pub(crate) fn sample(points: usize) -> Vec<usize> {
    sample_of(points, SMALL_TIER_POINTS)
}

/// The same with a small tier of its own, where a look at what is left takes long.
#[expect(
    clippy::disallowed_methods,
    reason = "the length of a test run is chosen by whoever starts it"
)]
pub(crate) fn sample_of(points: usize, small_tier: usize) -> Vec<usize> {
    let wanted = match std::env::var("MERKLE_TEST_CRASH_POINTS") {
        Ok(text) if text == "all" => points,
        Ok(text) => text
            .parse()
            .expect("MERKLE_TEST_CRASH_POINTS is a number or 'all'"),
        Err(_) => small_tier,
    };
    spread(points, wanted)
}

fn spread(points: usize, wanted: usize) -> Vec<usize> {
    if wanted >= points {
        return (1..=points).collect();
    }
    (0..wanted)
        .map(|step| 1 + step * (points - 1) / (wanted - 1).max(1))
        .collect()
}

/// System calls that fail instead of being done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal {
    /// Which, by their numbers.
    pub(crate) calls: &'static [i64],
    /// Among those that start something: only those that start a thread, only those that start a process, or all.
    pub(crate) starts: Option<Start>,
    /// The one to refuse, counted from 1; every one when not given.
    pub(crate) nth: Option<usize>,
    /// What the caller is told.
    pub(crate) errno: Errno,
}

/// What a call starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Thread,
    Process,
}

/// Runs to the end while the system refuses some calls; `points` is how many were asked for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn refuse(run: &Run, refusal: Refusal) -> Traced {
    std::thread::scope(|scope| {
        let watch = move || {
            let tree = Tree {
                refusal: Some(refusal),
                ..Tree::start(run, None)
            };
            tree.watch(run)
        };
        scope.spawn(watch).join()
    })
    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Runs on a thread of its own: waiting is limited to children of the thread, so other tests keep theirs.
fn trace(run: &Run, fatal_point: Option<usize>) -> Traced {
    std::thread::scope(|scope| {
        scope
            .spawn(|| Tree::start(run, fatal_point).watch(run))
            .join()
    })
    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A process tree under observation.
struct Tree {
    root: Pid,
    /// Processes and threads that have been seen and have not ended.
    live: BTreeSet<Pid>,
    fatal_point: Option<usize>,
    refusal: Option<Refusal>,
    /// Threads whose call was refused at its entry.
    refused: BTreeSet<Pid>,
    points: usize,
    /// True from the moment the wrapper has become the command.
    started: bool,
    killed: bool,
    code: Option<i32>,
    stdout: tempfile::NamedTempFile,
    stderr: tempfile::NamedTempFile,
}

impl Tree {
    #[expect(
        clippy::zombie_processes,
        reason = "`watch` waits for it, by its id, with the rest of the tree"
    )]
    fn start(run: &Run, fatal_point: Option<usize>) -> Self {
        // Files and not pipes: nobody has to read while everything is stopped.
        let (stdout, stderr) = (
            tempfile::NamedTempFile::new(),
            tempfile::NamedTempFile::new(),
        );
        let (stdout, stderr) = (
            stdout.expect("a temporary file"),
            stderr.expect("a temporary file"),
        );
        let handle = |file: &tempfile::NamedTempFile| {
            Stdio::from(file.reopen().expect("a temporary file can be reopened"))
        };
        let mut command = run.wrapped(&WRAPPER);
        command
            .stdin(Stdio::from(run.input_file()))
            .stdout(handle(&stdout))
            .stderr(handle(&stderr));
        let child = command.spawn().expect("'sh' can be started");
        let root = Pid::from_raw(child.id().cast_signed());
        let stopped =
            waitpid(root, Some(WaitPidFlag::WUNTRACED)).expect("the wrapper can be waited for");
        assert!(
            matches!(stopped, WaitStatus::Stopped(..)),
            "the wrapper ended before it stopped: {stopped:?}"
        );
        if let Err(error) = ptrace::seize(root, options()) {
            kill_one(root);
            panic!(
                "ptrace is not permitted here ({error}); the crash tests need it: in a container, add the capability SYS_PTRACE"
            );
        }
        kill(root, Signal::SIGCONT).expect("the wrapper can be continued");
        let live = BTreeSet::from([root]);
        Self {
            root,
            live,
            fatal_point,
            refusal: None,
            refused: BTreeSet::new(),
            points: 0,
            started: false,
            killed: false,
            code: None,
            stdout,
            stderr,
        }
    }

    fn watch(mut self, run: &Run) -> Traced {
        loop {
            match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)) {
                Ok(status) => self.handle(status),
                Err(Errno::ECHILD) => break,
                Err(Errno::EINTR) => {}
                Err(error) => panic!("cannot wait for traced processes: {error}"),
            }
        }
        assert!(self.started, "cannot start '{}'", run.line());
        let read = |file: &tempfile::NamedTempFile| {
            std::fs::read(file.path()).expect("a temporary file can be read")
        };
        let (stdout, stderr) = (read(&self.stdout), read(&self.stderr));
        let output = Output {
            command: run.line(),
            code: self.code,
            stdout,
            stderr,
        };
        Traced {
            points: self.points,
            killed: self.killed,
            output,
        }
    }

    fn handle(&mut self, status: WaitStatus) {
        let Some(pid) = status.pid() else { return };
        match status {
            WaitStatus::Exited(_, code) => {
                self.live.remove(&pid);
                self.code = if pid == self.root {
                    Some(code)
                } else {
                    self.code
                };
            }
            WaitStatus::Signaled(..) => drop(self.live.remove(&pid)),
            // Born while the others were dying.
            _ if self.killed => kill_one(pid),
            WaitStatus::PtraceSyscall(_) if self.refusal.is_some() => {
                self.refuse(pid);
                resume(pid, None);
            }
            WaitStatus::PtraceSyscall(_) if self.is_fatal(pid) => self.kill_all(),
            WaitStatus::PtraceEvent(_, _, event) => {
                self.live.insert(pid);
                self.started |= event == libc::PTRACE_EVENT_EXEC && pid == self.root;
                resume(pid, None);
            }
            WaitStatus::Stopped(_, signal) => resume(pid, Some(signal)),
            _ => resume(pid, None),
        }
    }

    /// Turns a call into one that does not exist, and its result into the error.
    #[cfg(target_arch = "x86_64")]
    fn refuse(&mut self, pid: Pid) {
        let (Some(refusal), Ok(mut registers)) = (self.refusal, ptrace::getregs(pid)) else {
            return;
        };
        if !enters_call(pid) {
            if self.refused.remove(&pid) {
                registers.rax = (-(refusal.errno as i64)).cast_unsigned();
                let _ = ptrace::setregs(pid, registers);
            }
            return;
        }
        let call = registers.orig_rax.cast_signed();
        if !self.started || !refusal.calls.contains(&call) {
            return;
        }
        let flags = match call {
            libc::SYS_clone3 => {
                ptrace::read(pid, registers.rdi as ptrace::AddressType).unwrap_or(0)
            }
            _ => registers.rdi.cast_signed(),
        };
        let start = if flags & i64::from(libc::CLONE_THREAD) == 0 {
            Start::Process
        } else {
            Start::Thread
        };
        if refusal.starts.is_some_and(|wanted| wanted != start) {
            return;
        }
        self.points += 1;
        if refusal.nth.is_none_or(|nth| nth == self.points) {
            registers.orig_rax = u64::MAX;
            if ptrace::setregs(pid, registers).is_ok() {
                self.refused.insert(pid);
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn refuse(&mut self, _: Pid) {}

    /// Counts a stop if it is a point, and says whether it is the last one.
    fn is_fatal(&mut self, pid: Pid) -> bool {
        if !self.started || !enters_call(pid) || is_harmless(pid) {
            return false;
        }
        self.points += 1;
        self.fatal_point == Some(self.points)
    }

    fn kill_all(&mut self) {
        self.killed = true;
        self.live.iter().copied().for_each(kill_one);
    }
}

fn options() -> Options {
    Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL
}

/// Kills a process; one that is gone already is as dead as it should be.
fn kill_one(pid: Pid) {
    let _ = kill(pid, Signal::SIGKILL);
}

/// Lets a stopped thread run to its next stop; one that was killed meanwhile does not need it.
fn resume(pid: Pid, signal: Option<Signal>) {
    match ptrace::syscall(pid, signal) {
        Ok(()) | Err(Errno::ESRCH) => {}
        Err(error) => panic!("cannot resume a traced process: {error}"),
    }
}

fn enters_call(pid: Pid) -> bool {
    ptrace::syscall_info(pid).is_ok_and(|info| info.op == libc::PTRACE_SYSCALL_INFO_ENTRY)
}

/// True for a call that leaves nothing behind which another process could see after a kill.
#[cfg(target_arch = "x86_64")]
fn is_harmless(pid: Pid) -> bool {
    const WRITING: i64 = (libc::O_CREAT | libc::O_TRUNC) as i64;
    let Ok(registers) = ptrace::getregs(pid) else {
        return false;
    };
    match registers.orig_rax.cast_signed() {
        libc::SYS_open => registers.rsi.cast_signed() & WRITING == 0,
        libc::SYS_openat => registers.rdx.cast_signed() & WRITING == 0,
        number => HARMLESS.contains(&number),
    }
}

/// Elsewhere every call is a point.
#[cfg(not(target_arch = "x86_64"))]
fn is_harmless(_: Pid) -> bool {
    false
}

/// Reading, memory, waiting, signals of its own, closing, and starting processes (what those do counts by itself).
#[cfg(target_arch = "x86_64")]
const HARMLESS: &[i64] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_brk,
    libc::SYS_chdir,
    libc::SYS_clock_nanosleep,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup2,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fcntl,
    libc::SYS_fork,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_lstat,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_newfstatat,
    libc::SYS_pipe,
    libc::SYS_pipe2,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_read,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_stat,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_vfork,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

impl Run {
    /// Its standard input as a file.
    fn input_file(&self) -> File {
        use std::io::{Seek, Write};
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(self.input_bytes())
            .and_then(|()| file.rewind())
            .expect("a temporary file can be written");
        file
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::support::Sandbox;

    fn script(sandbox: &Sandbox, text: &str) -> Run {
        sandbox.run("sh", &sandbox.path("home")).args(["-c", text])
    }

    #[test]
    fn samples_are_spread_from_the_first_to_the_last_point() {
        assert_eq!(spread(3, 40), [1, 2, 3]);
        assert_eq!(spread(100, 4), [1, 34, 67, 100]);
        assert_eq!(spread(0, 40), [] as [usize; 0]);
        assert_eq!(spread(9, 1), [1]);
        assert_eq!(sample(1_000_000).last(), Some(&1_000_000));
    }

    #[test]
    fn an_undisturbed_run_keeps_code_streams_and_input() {
        let sandbox = Sandbox::new();
        let traced =
            count(&script(&sandbox, "cat; (echo child >&2) | cat; exit 7").input("given\n"));
        let output = traced.output.exits(7);
        assert_eq!(
            (output.out(), output.err()),
            ("given\n".to_owned(), "child\n".to_owned())
        );
        assert!(
            !traced.killed && traced.points >= 3,
            "{} points",
            traced.points
        );
    }

    #[test]
    fn every_point_leaves_a_prefix_of_the_work_and_every_prefix_is_seen() {
        let sandbox = Sandbox::new();
        let steps = "mkdir d; echo 1 >d/a; sh -c 'echo 2 >d/b'; (mv d/a d/c); rm d/b";
        let state = || {
            script(
                &sandbox,
                "find d -type f -exec grep -H '' {} + 2>/dev/null; find d 2>/dev/null; rm -rf d",
            )
            .run()
            .out()
        };
        let points = count(&script(&sandbox, steps)).points;
        let complete = state();
        let mut seen = BTreeSet::new();
        for point in 1..=points {
            let traced = kill_at(&script(&sandbox, steps), point);
            assert!(
                traced.killed && traced.points == point && traced.output.code.is_none(),
                "point {point}"
            );
            seen.insert(state());
        }
        // Nothing; d; d/a empty; d/a; d/b empty; d/b; d/c; without d/b.
        assert_eq!(seen.len(), 8, "{seen:#?}");
        assert!(seen.contains(&complete));
        assert!(!kill_at(&script(&sandbox, steps), points + 1).killed);
    }

    #[test]
    fn background_processes_die_with_the_rest() {
        let sandbox = Sandbox::new();
        let text = "sleep 1000 & echo $! >pid; echo reached >mark; wait";
        let pid_file = sandbox.path("home/pid");
        let point = (1..1_000).find(|point| {
            let traced = kill_at(&script(&sandbox, text), *point);
            traced.killed
                && std::fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n'))
        });
        let sleeper = std::fs::read_to_string(&pid_file).unwrap();
        // Gone, or a zombie that its new parent has not collected yet.
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", sleeper.trim())).unwrap_or_default();
        assert!(
            status.is_empty() || status.contains("State:\tZ"),
            "killed at point {point:?}:\n{status}"
        );
    }

    #[test]
    fn a_killed_ref_update_leaves_the_old_or_the_new_value() {
        let sandbox = Sandbox::new();
        let repo = sandbox.filled("commit one\n+ a = 1\ntag old\ncommit two\n+ a = 2\ntag new");
        let (old, new) = (repo.id("old"), repo.id("new"));
        let reset = || {
            drop(std::fs::remove_file(repo.path(".git/refs/heads/x.lock")));
            repo.git(&["update-ref", "refs/heads/x", &old]).ok();
        };
        let update = || repo.run("git").args(["update-ref", "refs/heads/x", &new]);
        reset();
        let points = count(&update()).points;
        let mut seen = BTreeSet::new();
        for point in sample(points) {
            reset();
            assert!(kill_at(&update(), point).killed);
            seen.insert(repo.id("refs/heads/x"));
            repo.git(&["fsck", "--strict", "--no-progress"]).ok();
        }
        assert_eq!(seen, BTreeSet::from([old.clone(), new.clone()]));
    }

    #[test]
    #[should_panic(expected = "cannot start")]
    fn a_program_that_does_not_exist_is_named() {
        let sandbox = Sandbox::new();
        count(&sandbox.run("no-such-program", &sandbox.path("home")));
    }
}

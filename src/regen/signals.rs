//! Ctrl-C, requests to terminate and a terminal that closes: the first ends a run after what is under way, the second at once.
//!
//! They are heard on a thread of their own, so that nothing that keeps the run's thread busy (a question being laid out,
//! a disk that does not answer) can hold them up. After the second the run has a moment to leave by itself; then the
//! process ends as a killed one does. What was answered is on the disk before anything is built on it, so nothing is lost.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::event::Stop;

/// Git passes on to its child what the terminal sent to both of them; what follows that fast is no second wish.
const ECHO_MAX: Duration = Duration::from_millis(50);
/// How long a run may take to store what it has after the second signal; what it has not stored then waits in the spool.
const LEAVE_MAX: Duration = Duration::from_secs(2);

/// The exit codes of a process that a signal ends, as the shell counts them.
const INTERRUPTED: i32 = 130;
const TERMINATED: i32 = 143;
/// The number of the signal of a terminal that closes.
const HANGUP: u32 = 1;

/// Listens from now on, until the run's end of the channel is dropped.
pub fn listen() -> io::Result<mpsc::UnboundedReceiver<Stop>> {
    let (asked, signals) = mpsc::unbounded_channel();
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let runtime = match tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
            {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(error))),
            };
            runtime.block_on(async {
                match Streams::open() {
                    Ok(streams) => {
                        let _ = ready.send(Ok(()));
                        hear(streams, asked).await;
                    }
                    Err(error) => drop(ready.send(Err(error))),
                }
            });
        })?;
    is_ready.recv().map_err(io::Error::other)??;
    Ok(signals)
}

type Stream = tokio::signal::unix::Signal;

struct Streams {
    interrupts: Stream,
    terminations: Stream,
    /// None where the process was started to outlive its terminal, as by `nohup`.
    hangups: Option<Stream>,
}

impl Streams {
    fn open() -> io::Result<Self> {
        let hangups = (!ignores_hangups()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            interrupts: signal(SignalKind::interrupt())?,
            terminations: signal(SignalKind::terminate())?,
            hangups: hangups.transpose()?,
        })
    }
}

/// Whether this process ignores that its terminal closes, as the kernel says; where it does not say, yes.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask & 1 << (HANGUP - 1) != 0)
}

async fn hear(mut streams: Streams, asked: mpsc::UnboundedSender<Stop>) {
    let mut first: Option<Instant> = None;
    loop {
        let stop = tokio::select! {
            Some(()) = streams.interrupts.recv() => Stop::Interrupted,
            Some(()) = streams.terminations.recv() => Stop::Terminated,
            Some(()) = async {
                match &mut streams.hangups {
                    Some(hangups) => hangups.recv().await,
                    None => std::future::pending().await,
                }
            } => Stop::Terminated,
            () = asked.closed() => return,
            else => return,
        };
        if first.is_some_and(|first| first.elapsed() < ECHO_MAX) {
            continue;
        }
        let is_second = first.replace(Instant::now()).is_some();
        let code = if stop == Stop::Terminated {
            TERMINATED
        } else {
            INTERRUPTED
        };
        let _ = asked.send(stop);
        if is_second {
            tokio::select! {
                () = asked.closed() => return,
                () = sleep(LEAVE_MAX) => std::process::exit(code),
            }
        }
    }
}

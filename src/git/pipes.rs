//! Reading what a child writes, both streams at once, with errors instead of panics.
//!
//! `std`'s own `wait_with_output` panics when a pipe cannot be read. Here the child is ended and the error is returned. No
//! thread is needed, so this works where the system gives none.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, Output};
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 64 << 10;

/// Reads both streams to their ends and waits for the child.
pub(super) fn finish(child: Child) -> io::Result<Output> {
    finish_by(child, None)
}

/// The same, but a child that has not ended by then is ended, and that is an error.
pub(super) fn finish_by(child: Child, deadline: Option<Instant>) -> io::Result<Output> {
    let mut stdout = Vec::new();
    let ended = finish_visiting(child, deadline, &mut |block| {
        stdout.extend_from_slice(block);
        true
    })?;
    Ok(Output {
        stdout,
        ..ended.expect("nothing has ended it before")
    })
}

/// Hands over what the child writes to its standard output, and waits for it; `None` when `visit` has ended it.
pub(super) fn finish_visiting(
    mut child: Child,
    deadline: Option<Instant>,
    visit: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<Option<Output>> {
    drop(child.stdin.take());
    let read = read_both(&mut child, deadline, visit);
    if !matches!(read, Ok(Some(_))) {
        let _ = child.kill();
    }
    let status = child.wait()?;
    Ok(read?.map(|stderr| Output {
        status,
        stdout: Vec::new(),
        stderr,
    }))
}

fn read_both(
    child: &mut Child,
    deadline: Option<Instant>,
    visit: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<Option<Vec<u8>>> {
    let mut err = Vec::new();
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let mut block = vec![0; BLOCK_BYTES];
    while stdout.is_some() || stderr.is_some() {
        let [first_ready, second_ready] = ready(
            [
                stdout.as_ref().map(AsFd::as_fd),
                stderr.as_ref().map(AsFd::as_fd),
            ],
            deadline,
        )?;
        if first_ready && let Some(first) = &mut stdout {
            match read_some(first, &mut block)? {
                Some(0) => stdout = None,
                Some(count) if !visit(&block[..count]) => return Ok(None),
                _ => {}
            }
        } else if second_ready && let Some(second) = &mut stderr {
            match read_some(second, &mut block)? {
                Some(0) => stderr = None,
                Some(count) => err.extend_from_slice(&block[..count]),
                None => {}
            }
        }
    }
    Ok(Some(err))
}

/// Waits until at least one has something to read or has ended.
fn ready(streams: [Option<BorrowedFd<'_>>; 2], deadline: Option<Instant>) -> io::Result<[bool; 2]> {
    let mut polled: Vec<PollFd<'_>> = streams
        .iter()
        .flatten()
        .map(|stream| PollFd::new(*stream, PollFlags::POLLIN))
        .collect();
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let timeout = left.map_or(PollTimeout::NONE, |left| {
        PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
    });
    match poll(&mut polled, timeout) {
        Ok(0) if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
            Err(io::ErrorKind::TimedOut.into())
        }
        Ok(_) | Err(nix::errno::Errno::EINTR) => {
            let mut found = polled.iter().map(|pipe| pipe.any().unwrap_or(false));
            Ok(streams.map(|stream| stream.is_some() && found.next().unwrap_or(false)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads what is there: zero bytes at the end, `None` when a signal came first.
fn read_some(pipe: &mut impl Read, block: &mut [u8]) -> io::Result<Option<usize>> {
    match pipe.read(block) {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error),
    }
}

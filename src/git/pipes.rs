//! Reading what a child writes, both streams at once, with errors instead of panics.
//!
//! `std`'s own `wait_with_output` panics when a pipe cannot be read. Here the child is ended and the error is returned. No
//! thread is needed, so this works where the system gives none.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::process::{Child, Output};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 64 << 10;

/// Reads both streams to their ends and waits for the child.
pub(super) fn finish(mut child: Child) -> io::Result<Output> {
    drop(child.stdin.take());
    let read = read_both(&mut child);
    if read.is_err() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let (stdout, stderr) = read?;
    Ok(Output { status, stdout, stderr })
}

fn read_both(child: &mut Child) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let mut block = vec![0; BLOCK_BYTES];
    while let (Some(first), Some(second)) = (&mut stdout, &mut stderr) {
        let [first_ready, second_ready] = ready(first.as_fd(), second.as_fd())?;
        if first_ready && !read_some(first, &mut out, &mut block)? {
            stdout = None;
        } else if second_ready && !read_some(second, &mut err, &mut block)? {
            stderr = None;
        }
    }
    stdout.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut out))?;
    stderr.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut err))?;
    Ok((out, err))
}

/// Waits until at least one has something to read or has ended.
fn ready(first: impl AsFd, second: impl AsFd) -> io::Result<[bool; 2]> {
    let mut both = [PollFd::new(first.as_fd(), PollFlags::POLLIN), PollFd::new(second.as_fd(), PollFlags::POLLIN)];
    match poll(&mut both, PollTimeout::NONE) {
        Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(both.map(|pipe| pipe.any().unwrap_or(false))),
        Err(error) => Err(error.into()),
    }
}

/// Reads what is there; false at the end.
fn read_some(pipe: &mut impl Read, into: &mut Vec<u8>, block: &mut [u8]) -> io::Result<bool> {
    match pipe.read(block) {
        Ok(count) => {
            into.extend_from_slice(&block[..count]);
            Ok(count > 0)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) => Err(error),
    }
}

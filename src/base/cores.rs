//! The same work on many numbers, on all cores, with results in the order of the numbers.
//!
//! A system that gives a process no further threads (a limit on processes is enough) makes the work slower, and no more.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::locked::locked;

/// Numbers that are worth another thread.
const PER_THREAD: usize = 16;

/// Returns the number of cores for this process; 1 when the system does not say.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Does the work on each number below `count`.
///
/// This thread works with what is `here`, each other with what `there` makes for it: a handle, or room to write in.
#[must_use]
pub fn on_all_cores<S: Send, R: Send>(
    count: usize,
    here: &S,
    mut there: impl FnMut() -> S,
    work: impl Fn(&S, usize) -> R + Sync,
) -> Vec<R> {
    let wanted = count.div_ceil(PER_THREAD);
    // Few are not worth the question, which reads files.
    let threads = if wanted < 2 {
        wanted
    } else {
        wanted.min(cores())
    };
    if threads < 2 {
        return (0..count).map(|number| work(here, number)).collect();
    }
    let next = AtomicUsize::new(0);
    // Each result goes to its place at once: collected by thread they would stand in memory twice.
    let done: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let run = |state: &S| {
        let numbers = std::iter::from_fn(|| {
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count)
        });
        for number in numbers {
            let result = work(state, number);
            *locked(&done[number]) = Some(result);
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (state, run) = (there(), &run);
                thread::Builder::new().spawn_scoped(scope, move || run(&state))
            })
            .collect();
        // A worker that did not get a thread leaves its numbers to the others.
        run(here);
        for other in others.into_iter().flatten() {
            other.join().expect("workers do not panic");
        }
    });
    done.into_iter()
        .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .map(|result| result.expect("every number is taken once"))
        .collect()
}

/// Work beside that of the caller, or already done.
pub enum Beside<'s, R> {
    /// Another thread does it.
    There(ScopedJoinHandle<'s, R>),
    /// The system gave no thread, so the caller did it.
    Here(R),
}

impl<R> Beside<'_, R> {
    /// What the work gave; a panic of it is passed on.
    #[must_use]
    pub fn join(self) -> R {
        match self {
            Self::There(handle) => handle
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Self::Here(done) => done,
        }
    }
}

/// Starts work on another thread; where the system gives none, does it here and now.
pub fn beside<'s, R: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> R + Send + 's,
) -> Beside<'s, R> {
    // A thread that cannot be started drops what it was given, so the work waits where both can take it.
    let waiting = Arc::new(Mutex::new(Some(work)));
    let given = Arc::clone(&waiting);
    match thread::Builder::new().spawn_scoped(scope, move || take(&given)()) {
        Ok(handle) => Beside::There(handle),
        Err(_) => Beside::Here(take(&waiting)()),
    }
}

fn take<W>(waiting: &Mutex<Option<W>>) -> W {
    locked(waiting)
        .take()
        .expect("either thread takes it, once")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beside_gives_its_result() {
        let text = String::from("one");
        let both = thread::scope(|scope| {
            let other = beside(scope, || text.len());
            (text.as_str(), other.join())
        });
        assert_eq!(both, ("one", 3));
    }

    #[test]
    fn results_stand_in_the_order_of_their_numbers() {
        for count in [0, 1, PER_THREAD, 10 * PER_THREAD + 3] {
            let made = on_all_cores(count, &1, || 1, |one, number| number + one);
            assert_eq!(made, (1..=count).collect::<Vec<_>>());
        }
    }
}

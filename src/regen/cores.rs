//! The same work on many nodes, on all cores, each thread with a repository handle of its own.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::git::Repository;

/// Items that are worth another thread.
const ITEMS_PER_THREAD: usize = 16;

/// Does the work on each item; what comes of it is in no order.
#[must_use]
pub fn on_all_cores<T: Sync, R: Send>(repo: &Repository, items: &[T], work: impl Fn(&Repository, &T) -> R + Sync) -> Vec<R> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let wanted = items.len().div_ceil(ITEMS_PER_THREAD);
    // Few items are not worth the question, which reads files.
    let threads = if wanted < 2 { wanted } else { wanted.min(cores()) };
    let next = AtomicUsize::new(0);
    let run = |repo: &Repository| {
        let items = std::iter::from_fn(|| items.get(next.fetch_add(1, Ordering::Relaxed)));
        items.map(|item| work(repo, item)).collect::<Vec<R>>()
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (repo, run) = (repo.fork(), &run);
                scope.spawn(move || run(&repo))
            })
            .collect();
        let mut done = run(repo);
        done.extend(others.into_iter().flat_map(|other| other.join().expect("workers do not panic")));
        done
    })
}

//! The same work on many numbers, on all cores, with results in the order of the numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers that are taken at once, and that are worth another thread.
const PART: usize = 64;

/// Does the work on each number below `count`.
pub(super) fn on_all_cores<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(count.div_ceil(PART)).max(1);
    let next = AtomicUsize::new(0);
    let run = || {
        let starts = std::iter::from_fn(|| Some(next.fetch_add(PART, Ordering::Relaxed)).filter(|start| *start < count));
        let part = |start: usize| (start, (start..count.min(start + PART)).map(&work).collect::<Vec<R>>());
        starts.map(part).collect::<Vec<_>>()
    };
    let mut parts = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        done.extend(others.into_iter().flat_map(|other| other.join().expect("workers do not panic")));
        done
    });
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_numbers() {
        for count in [0, 1, PART, 10 * PART + 3] {
            assert_eq!(on_all_cores(count, |number| number), (0..count).collect::<Vec<_>>());
        }
    }
}

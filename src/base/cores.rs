//! The same work on many numbers, on all cores, with results in the order of the numbers.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Numbers that are worth another thread.
const PER_THREAD: usize = 16;

/// How many cores there are for this process; 1 when nobody says.
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
    let threads = if wanted < 2 { wanted } else { wanted.min(cores()) };
    if threads < 2 {
        return (0..count).map(|number| work(here, number)).collect();
    }
    let next = AtomicUsize::new(0);
    let run = |state: &S| {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count));
        numbers.map(|number| (number, work(state, number))).collect::<Vec<_>>()
    };
    let mut done: Vec<Option<R>> = (0..count).map(|_| None).collect();
    let mut take = |part: Vec<(usize, R)>| part.into_iter().for_each(|(number, result)| done[number] = Some(result));
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (state, run) = (there(), &run);
                scope.spawn(move || run(&state))
            })
            .collect();
        take(run(here));
        for other in others {
            take(other.join().expect("workers do not panic"));
        }
    });
    done.into_iter().map(|result| result.expect("every number is taken once")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_numbers() {
        for count in [0, 1, PER_THREAD, 10 * PER_THREAD + 3] {
            let made = on_all_cores(count, &1, || 1, |one, number| number + one);
            assert_eq!(made, (1..=count).collect::<Vec<_>>());
        }
    }
}

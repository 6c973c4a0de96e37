//! A million nodes with a simulated clock: the order of work is the real one, an answer is a number of seconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use git_merkle::base::number::IndexVec;
use git_merkle::regen::queue::{Priority, Queue, TaskNumber};

const DIRECTORIES: u32 = 100_000;
const FILES_IN_EACH: u32 = 9;
const DIRECTORIES_IN_EACH: u32 = 10;
const TASKS: u32 = DIRECTORIES * (FILES_IN_EACH + 1);
const BATCH_MIN: usize = 100;
const BATCH_SECONDS: u64 = 3_600;
const INPUT_TOKENS: u64 = 2_000;
const OUTPUT_TOKENS: u64 = 200;
/// Thousand-millionths of a US dollar for a token.
const INPUT_NANO: u64 = 1_000;
const OUTPUT_NANO: u64 = 5_000;

/// Directories are a tree in which each has ten; the last task is the root. Files come before all directories.
fn queue() -> Queue {
    let files = DIRECTORIES * FILES_IN_EACH;
    let task_of = |directory: u32| TASKS - 1 - directory;
    let priorities: IndexVec<TaskNumber, _> = (0..TASKS).map(|_| Priority::Background).collect();
    Queue::new(&priorities, |task| {
        let task = task.raw();
        if task < files {
            return Vec::new();
        }
        let directory = TASKS - 1 - task;
        let first = directory * FILES_IN_EACH;
        let below =
            (1..=DIRECTORIES_IN_EACH).map(|number| directory * DIRECTORIES_IN_EACH + number);
        let below = below.filter(|number| *number < DIRECTORIES).map(task_of);
        let below = (first..first + FILES_IN_EACH).chain(below);
        below.map(TaskNumber::from_raw).collect()
    })
}

/// Seconds until all is done, with so many requests at once.
fn live(at_once: usize, answer_seconds: u64) -> u64 {
    let (mut queue, mut now) = (queue(), 0);
    let mut owed = BinaryHeap::new();
    loop {
        while owed.len() < at_once {
            let Some(task) = queue.pop() else { break };
            owed.push(Reverse((now + answer_seconds, task)));
        }
        let Some(Reverse((end, task))) = owed.pop() else {
            break;
        };
        now = end;
        queue.done(task);
    }
    assert_eq!(queue.left(), 0);
    now
}

/// Seconds with a batch for each level, and requests at once for what is too small: those that went out one by one are counted.
fn batches(at_once: usize, answer_seconds: u64) -> (u64, u64) {
    let (mut queue, mut now, mut alone) = (queue(), 0, 0);
    loop {
        let level: Vec<TaskNumber> = std::iter::from_fn(|| queue.pop()).collect();
        if level.is_empty() {
            assert_eq!(queue.left(), 0);
            return (now, alone);
        }
        if level.len() >= BATCH_MIN {
            now += BATCH_SECONDS;
        } else {
            now += level.len().div_ceil(at_once) as u64 * answer_seconds;
            alone += level.len() as u64;
        }
        for task in level {
            queue.done(task);
        }
    }
}

fn dollars(requests: u64) -> u64 {
    requests * (INPUT_TOKENS * INPUT_NANO + OUTPUT_TOKENS * OUTPUT_NANO) / 1_000_000_000
}

fn row(way: &str, seconds: u64, cost: u64) -> String {
    let hours = seconds as f64 / 3_600.0;
    format!("| {way} | {hours:.1} h | {cost} USD |")
}

#[test]
#[ignore = "four times a million tasks take a while without optimisation"]
fn the_guide_has_the_simulated_times() {
    let all = u64::from(TASKS);
    let (batch_seconds, alone) = batches(64, 4);
    let rows = [
        row(
            "one process, 64 requests at once",
            live(64, 4),
            dollars(all),
        ),
        row(
            "one process, 256 requests at once",
            live(256, 4),
            dollars(all),
        ),
        row(
            "batches",
            batch_seconds,
            dollars(alone) + dollars(all - alone) / 2,
        ),
        row(
            "8 workers with 8 requests at once, on models of their own",
            live(64, 10),
            0,
        ),
    ];
    let guide = std::fs::read_to_string("docs/guide/scale.md").expect("the guide");
    for row in &rows {
        assert!(guide.contains(row), "the guide lacks:\n{}", rows.join("\n"));
    }
}

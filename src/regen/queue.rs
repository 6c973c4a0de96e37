//! The order of work: which task comes next, when a directory waits for exactly its own children and for nothing else.
//!
//! Pure. A task that stands deepest below the root of its tree goes first (Hu's algorithm: with equal times and any
//! number of workers no order is finished sooner, because the longest chain is always the one being worked off).
//! What the user named outranks what a commit changed, and that what was never made; a task that another one
//! waits for has the rank of the one that waits.

use std::collections::BinaryHeap;

/// Why a task is in the queue; the more urgent is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Priority {
    /// Never made before.
    #[default]
    Background,
    /// It says something that holds no more.
    Changed,
    /// The user named it.
    Requested,
}

/// Where a task stands in the order; the greatest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    priority: Priority,
    /// Tasks on the longest way up.
    level: u32,
    /// Turned round, so that of equals the first comes first.
    last: std::cmp::Reverse<u32>,
}

/// What has become of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Taken,
    Done,
    Failed,
}

/// Tasks and who waits for whom. Tasks are numbered as they were given: children before those that wait for them.
#[derive(Debug)]
pub struct Queue {
    ranks: Vec<Rank>,
    parents: Vec<Vec<u32>>,
    /// Children that are not done yet.
    open: Vec<u32>,
    state: Vec<State>,
    ready: BinaryHeap<(Rank, u32)>,
    left: usize,
}

impl Queue {
    /// Builds the order. `children` of a task are smaller numbers than its own; each child is named once.
    #[must_use]
    pub fn new(tasks: &[Priority], children: impl Fn(u32) -> Vec<u32>) -> Self {
        let count = tasks.len();
        let (mut parents, mut open) = (vec![Vec::new(); count], vec![0; count]);
        let mut ranks: Vec<Rank> = (0..count as u32)
            .map(|task| Rank {
                priority: tasks[task as usize],
                level: 0,
                last: std::cmp::Reverse(task),
            })
            .collect();
        for task in (0..count as u32).rev() {
            let above = ranks[task as usize];
            for child in children(task) {
                let rank = &mut ranks[child as usize];
                rank.level = rank.level.max(above.level + 1);
                rank.priority = rank.priority.max(above.priority);
                parents[child as usize].push(task);
                open[task as usize] += 1;
            }
        }
        let ready = (0..count as u32)
            .filter(|task| open[*task as usize] == 0)
            .map(|task| (ranks[task as usize], task))
            .collect();
        Self {
            ranks,
            parents,
            open,
            state: vec![State::Waiting; count],
            ready,
            left: count,
        }
    }

    /// The rank of the next task, without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<Rank> {
        self.ready.peek().map(|(rank, _)| *rank)
    }

    /// Takes the next task whose children are all done.
    pub fn pop(&mut self) -> Option<u32> {
        let (_, task) = self.ready.pop()?;
        self.state[task as usize] = State::Taken;
        Some(task)
    }

    /// The rank of a task.
    #[must_use]
    pub fn rank(&self, task: u32) -> Rank {
        self.ranks[task as usize]
    }

    /// Books a success: what waited only for this is ready now.
    pub fn done(&mut self, task: u32) {
        self.state[task as usize] = State::Done;
        self.left -= 1;
        for parent in self.parents[task as usize].clone() {
            self.open[parent as usize] -= 1;
            if self.open[parent as usize] == 0 && self.state[parent as usize] == State::Waiting {
                self.ready.push((self.ranks[parent as usize], parent));
            }
        }
    }

    /// Books a failure, and with it of everything above; returns how many tasks above were held back by it now.
    pub fn fail(&mut self, task: u32) -> u64 {
        self.state[task as usize] = State::Failed;
        self.left -= 1;
        let (mut held_back, mut above) = (0, self.parents[task as usize].clone());
        while let Some(parent) = above.pop() {
            if self.state[parent as usize] == State::Waiting {
                self.state[parent as usize] = State::Failed;
                self.left -= 1;
                held_back += 1;
                above.extend(&self.parents[parent as usize]);
            }
        }
        held_back
    }

    /// Fewer rounds of equal length than this cannot do all tasks, with this many at once: for each level, what stands above
    /// it comes after everything that stands on it and below.
    #[must_use]
    pub fn rounds_min(&self, at_once: usize) -> usize {
        let mut on_level: Vec<usize> = Vec::new();
        for rank in &self.ranks {
            let level = rank.level as usize;
            on_level.resize(on_level.len().max(level + 1), 0);
            on_level[level] += 1;
        }
        let mut below = 0;
        let bounds = on_level.iter().enumerate().rev().map(|(level, count)| {
            below += count;
            level + below.div_ceil(at_once)
        });
        bounds.max().unwrap_or(0)
    }

    /// How many tasks are neither done nor failed.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A tree of tasks given by each task's parent; the last is the root.
    fn queue(parents: &[Option<u32>]) -> Queue {
        let children = |task: u32| {
            (0..parents.len() as u32)
                .filter(|child| parents[*child as usize] == Some(task))
                .collect()
        };
        Queue::new(&vec![Priority::Background; parents.len()], children)
    }

    /// Rounds of equal length until everything is done, with this many workers.
    fn rounds(parents: &[Option<u32>], workers: usize) -> usize {
        let mut queue = queue(parents);
        let mut rounds = 0;
        while queue.left() > 0 {
            let taken: Vec<u32> = std::iter::from_fn(|| queue.pop()).take(workers).collect();
            assert!(!taken.is_empty(), "something is always ready");
            for task in taken {
                queue.done(task);
            }
            rounds += 1;
        }
        rounds
    }

    #[test]
    fn children_come_first_and_the_deepest_of_them_before_the_others() {
        // 0 and 1 are in 3; 2 and 3 in 4.
        let mut queue = queue(&[Some(3), Some(3), Some(4), Some(4), None]);
        assert_eq!(
            [queue.pop(), queue.pop(), queue.pop(), queue.pop()],
            [Some(0), Some(1), Some(2), None]
        );
        queue.done(0);
        assert_eq!(queue.pop(), None, "one child is still missing");
        queue.done(1);
        assert_eq!(queue.pop(), Some(3));
    }

    #[test]
    fn a_failure_holds_back_what_is_above_and_nothing_else() {
        let mut queue = queue(&[Some(2), Some(3), Some(4), Some(4), None]);
        assert_eq!(queue.pop(), Some(0));
        assert_eq!(queue.fail(0), 2, "its directory and the root");
        assert_eq!(queue.pop(), Some(1));
        queue.done(1);
        assert_eq!(queue.pop(), Some(3));
        queue.done(3);
        assert_eq!((queue.pop(), queue.left()), (None, 0));
    }

    #[test]
    fn what_the_user_named_takes_its_children_with_it() {
        let children = |task: u32| if task == 2 { vec![1] } else { vec![] };
        let mut queue = Queue::new(
            &[Priority::Changed, Priority::Background, Priority::Requested],
            children,
        );
        assert_eq!([queue.pop(), queue.pop()], [Some(1), Some(0)]);
    }

    proptest! {
        /// Laws: children before parents, everything once, and in a tree no order is finished sooner.
        #[test]
        fn no_order_of_a_tree_is_shorter(choices in proptest::collection::vec(0_u32..1_000, 0..80), workers in 1_usize..9) {
            let count = choices.len() as u32 + 1;
            let parents: Vec<Option<u32>> = choices
                .iter()
                .enumerate()
                .map(|(task, choice)| Some(task as u32 + 1 + choice % (count - task as u32 - 1)))
                .chain([None])
                .collect();
            prop_assert_eq!(rounds(&parents, workers), queue(&parents).rounds_min(workers));
        }
    }
}

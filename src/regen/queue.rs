//! The order of work: which task comes next, when a directory waits for exactly its own children and for nothing else.
//!
//! Pure. A task that stands deepest below the root of its tree goes first (Hu's algorithm: with equal times and any
//! number of workers no order is finished sooner, because the longest chain is always the one being worked off).
//! What the user named outranks what a commit changed, and that what was never made; a task that another one
//! waits for has the rank of the one that waits.

use std::collections::BinaryHeap;

use crate::base::number::{IndexSlice, IndexVec, define_index_type};

define_index_type! {
    /// The number of a task in the order in which a plan gives them: children before those that wait for them.
    pub struct TaskNumber = u32;
}

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
    last: std::cmp::Reverse<TaskNumber>,
}

/// Tasks and who waits for whom.
#[derive(Debug)]
pub struct Queue {
    ranks: IndexVec<TaskNumber, Rank>,
    parents: IndexVec<TaskNumber, Vec<TaskNumber>>,
    /// Children that are not done yet.
    open: IndexVec<TaskNumber, u32>,
    is_waiting: IndexVec<TaskNumber, bool>,
    ready: BinaryHeap<(Rank, TaskNumber)>,
    left: usize,
}

impl Queue {
    /// Builds the order. `children` of a task are smaller numbers than its own; each child is named once.
    #[must_use]
    pub fn new(
        tasks: &IndexSlice<TaskNumber, [Priority]>,
        children: impl Fn(TaskNumber) -> Vec<TaskNumber>,
    ) -> Self {
        let count = tasks.len();
        let mut parents: IndexVec<_, Vec<_>> = vec![Vec::new(); count].into();
        let mut open: IndexVec<_, u32> = vec![0; count].into();
        let mut ranks: IndexVec<_, Rank> = tasks
            .iter_enumerated()
            .map(|(task, priority)| Rank {
                priority: *priority,
                level: 0,
                last: std::cmp::Reverse(task),
            })
            .collect();
        for task in tasks.indices().rev() {
            let above = ranks[task];
            for child in children(task) {
                let rank = &mut ranks[child];
                rank.level = rank.level.max(above.level + 1);
                rank.priority = rank.priority.max(above.priority);
                parents[child].push(task);
                open[task] += 1;
            }
        }
        let ready = tasks
            .indices()
            .filter(|task| open[*task] == 0)
            .map(|task| (ranks[task], task))
            .collect();
        Self {
            ranks,
            parents,
            open,
            is_waiting: vec![true; count].into(),
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
    pub fn pop(&mut self) -> Option<TaskNumber> {
        let (_, task) = self.ready.pop()?;
        self.is_waiting[task] = false;
        Some(task)
    }

    /// The rank of a task.
    #[must_use]
    pub fn rank(&self, task: TaskNumber) -> Rank {
        self.ranks[task]
    }

    /// Books a success: what waited only for this is ready now.
    pub fn done(&mut self, task: TaskNumber) {
        self.is_waiting[task] = false;
        self.left -= 1;
        for parent in self.parents[task].clone() {
            self.open[parent] -= 1;
            if self.open[parent] == 0 && self.is_waiting[parent] {
                self.ready.push((self.ranks[parent], parent));
            }
        }
    }

    /// Books a failure, and with it of everything above; returns how many tasks above were held back by it now.
    pub fn fail(&mut self, task: TaskNumber) -> u64 {
        self.is_waiting[task] = false;
        self.left -= 1;
        let (mut held_back, mut above) = (0, self.parents[task].clone());
        while let Some(parent) = above.pop() {
            if self.is_waiting[parent] {
                self.is_waiting[parent] = false;
                self.left -= 1;
                held_back += 1;
                above.extend(&self.parents[parent]);
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
    fn queue(parents: &[Option<usize>]) -> Queue {
        let parents: &IndexSlice<TaskNumber, [_]> = IndexSlice::new(parents);
        let children = |task: TaskNumber| {
            let is_child = |child: &TaskNumber| parents[*child] == Some(task.index());
            parents.indices().filter(is_child).collect()
        };
        let tasks = vec![Priority::Background; parents.len()];
        Queue::new(IndexSlice::new(&tasks), children)
    }

    /// The next tasks, as plain numbers.
    fn pop(queue: &mut Queue, count: usize) -> Vec<usize> {
        let tasks = std::iter::from_fn(|| queue.pop());
        tasks.take(count).map(TaskNumber::index).collect()
    }

    /// Rounds of equal length until everything is done, with this many workers.
    fn rounds(parents: &[Option<usize>], workers: usize) -> usize {
        let mut queue = queue(parents);
        let mut rounds = 0;
        while queue.left() > 0 {
            let taken: Vec<TaskNumber> = std::iter::from_fn(|| queue.pop()).take(workers).collect();
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
        assert_eq!(pop(&mut queue, 4), [0, 1, 2]);
        queue.done(TaskNumber::new(0));
        assert_eq!(queue.pop(), None, "one child is still missing");
        queue.done(TaskNumber::new(1));
        assert_eq!(pop(&mut queue, 1), [3]);
    }

    #[test]
    fn a_failure_holds_back_what_is_above_and_nothing_else() {
        let mut queue = queue(&[Some(2), Some(3), Some(4), Some(4), None]);
        assert_eq!(pop(&mut queue, 1), [0]);
        assert_eq!(
            queue.fail(TaskNumber::new(0)),
            2,
            "its directory and the root"
        );
        assert_eq!(pop(&mut queue, 1), [1]);
        queue.done(TaskNumber::new(1));
        assert_eq!(pop(&mut queue, 1), [3]);
        queue.done(TaskNumber::new(3));
        assert_eq!((queue.pop(), queue.left()), (None, 0));
    }

    #[test]
    fn what_the_user_named_takes_its_children_with_it() {
        let children = |task: TaskNumber| {
            if task == 2 {
                vec![TaskNumber::new(1)]
            } else {
                vec![]
            }
        };
        let tasks = [Priority::Changed, Priority::Background, Priority::Requested];
        let mut queue = Queue::new(IndexSlice::new(&tasks), children);
        assert_eq!(pop(&mut queue, 2), [1, 0]);
    }

    proptest! {
        /// Laws: children before parents, everything once, and in a tree no order is finished sooner.
        #[test]
        fn no_order_of_a_tree_is_shorter(choices in proptest::collection::vec(0_usize..1_000, 0..80), workers in 1_usize..9) {
            let count = choices.len() + 1;
            let parents: Vec<Option<usize>> = choices
                .iter()
                .enumerate()
                .map(|(task, choice)| Some(task + 1 + choice % (count - task - 1)))
                .chain([None])
                .collect();
            prop_assert_eq!(rounds(&parents, workers), queue(&parents).rounds_min(workers));
        }
    }
}

//! Three clones that speak, sync and drop in any order: a model of stores as sets, its laws, and real git held against it.
//!
//! A remote is an epoch and a set. What a clone knows of it is the join of what it has seen: of two epochs the higher counts
//! alone, of one epoch both. What a clone holds beyond that is its own.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{NOWHERE, answer, note, said, sync, world};
use crate::support::{Repo, Sandbox};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Remote {
    epoch: u64,
    held: BTreeSet<String>,
}

impl Remote {
    fn join(&self, other: &Self) -> Self {
        match self.epoch.cmp(&other.epoch) {
            std::cmp::Ordering::Greater => self.clone(),
            std::cmp::Ordering::Less => other.clone(),
            std::cmp::Ordering::Equal => Self {
                epoch: self.epoch,
                held: &self.held | &other.held,
            },
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Clone3 {
    store: BTreeSet<String>,
    known: Remote,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// A model answers, about nothing that any history reaches: it may go once it was pushed.
    Answer(usize),
    /// A person says something: it never goes.
    Note(usize),
    Sync(usize),
    Drop(usize),
}

#[derive(Debug, Clone, Default)]
struct Model {
    remote: Remote,
    clones: [Clone3; 3],
    /// What a clone has made itself and not pushed.
    own: [BTreeSet<String>; 3],
    dropped: BTreeSet<String>,
    count: usize,
}

fn may_go(said: &str) -> bool {
    said.starts_with("Answer")
}

impl Model {
    fn fetch(&mut self, number: usize) {
        let clone = &mut self.clones[number];
        let known = clone.known.join(&self.remote);
        let gone = &clone.known.held - &known.held;
        clone.store = &(&clone.store - &gone) | &self.remote.held;
        clone.known = self.remote.clone();
    }

    fn step(&mut self, step: Step) -> String {
        let said = format!(
            "{} {}.",
            if matches!(step, Step::Note(_)) {
                "Note"
            } else {
                "Answer"
            },
            self.count
        );
        self.count += 1;
        match step {
            Step::Answer(number) | Step::Note(number) => {
                self.clones[number].store.insert(said.clone());
                self.own[number].insert(said.clone());
            }
            Step::Sync(number) => {
                self.fetch(number);
                self.remote.held = &self.remote.held | &self.clones[number].store;
                self.clones[number].known = self.remote.clone();
                self.own[number].clear();
            }
            Step::Drop(number) => {
                self.fetch(number);
                let gone: BTreeSet<String> = self
                    .remote
                    .held
                    .iter()
                    .filter(|said| may_go(said))
                    .cloned()
                    .collect();
                if !gone.is_empty() {
                    self.remote = Remote {
                        epoch: self.remote.epoch + 1,
                        held: &self.remote.held - &gone,
                    };
                    self.fetch(number);
                    self.dropped.extend(gone);
                }
            }
        }
        said
    }

    /// What is one's own is there, what people said is there, and nothing that was dropped is at the remote.
    fn check(&self, steps: &[Step]) {
        for (clone, own) in self.clones.iter().zip(&self.own) {
            assert!(
                own.is_subset(&clone.store),
                "{steps:?}: what a clone has made itself is lost"
            );
            assert!(
                clone
                    .known
                    .held
                    .iter()
                    .all(|said| may_go(said) || clone.store.contains(said)),
                "{steps:?}"
            );
        }
        assert!(
            self.remote.held.is_disjoint(&self.dropped),
            "{steps:?}: what was dropped came back"
        );
    }
}

/// Every order of seven steps out of three clones' answers, syncs and drops, and then of the syncs at the end.
#[test]
fn nothing_dropped_comes_back_and_nothing_own_is_lost_in_any_short_order() {
    const STEPS: [fn(usize) -> Step; 3] = [Step::Answer, Step::Sync, Step::Drop];
    fn explore(model: &Model, steps: &mut Vec<Step>, left: usize, seen: &mut usize) {
        model.check(steps);
        if left == 0 {
            *seen += 1;
            let mut end = model.clone();
            for number in [0, 1, 2, 0, 1, 2] {
                end.step(Step::Sync(number));
                end.check(steps);
            }
            assert!(
                end.clones
                    .iter()
                    .all(|clone| clone.store == end.remote.held),
                "{steps:?}: all agree in the end"
            );
            return;
        }
        for step in STEPS.iter().flat_map(|step| (0..3).map(step)) {
            let mut next = model.clone();
            next.step(step);
            steps.push(step);
            explore(&next, steps, left - 1, seen);
            steps.pop();
        }
    }
    let mut seen = 0;
    let mut start = Model::default();
    start.step(Step::Answer(0));
    (0..3).for_each(|number| drop(start.step(Step::Sync(number))));
    explore(&start, &mut Vec::new(), 5, &mut seen);
    assert_eq!(seen, 9_usize.pow(5));
}

fn remotes() -> impl Strategy<Value = Remote> {
    (0..3_u64, prop::collection::btree_set("[a-d]", 0..4))
        .prop_map(|(epoch, held)| Remote { epoch, held })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_known_of_a_remote_joins_in_any_order(a in remotes(), b in remotes(), c in remotes()) {
        prop_assert_eq!(a.join(&b), b.join(&a));
        prop_assert_eq!(a.join(&b).join(&c), a.join(&b.join(&c)));
        prop_assert_eq!(a.join(&a), a.clone());
        prop_assert_eq!(a.join(&b).join(&b), a.join(&b));
    }
}

/// Runs steps in real clones and in the model, and holds every store against it after each.
fn run(steps: &[Step]) {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &["a", "b", "c"]);
    let mut model = Model::default();
    for (at, step) in steps.iter().enumerate() {
        let said_now = model.step(*step);
        match step {
            Step::Answer(number) => answer(&clones[*number], &node(at), &said_now),
            Step::Note(number) => note(&clones[*number], "README.md", &said_now),
            Step::Sync(number) => drop(sync(&clones[*number])),
            Step::Drop(number) => drop(clones[*number].merkle(&["gc", "--publish", "-q"]).ok()),
        }
        model.check(&steps[..=at]);
        let told = |repo: &Repo<'_>| said(repo).into_iter().collect::<BTreeSet<_>>();
        for (repo, clone) in clones.iter().zip(&model.clones) {
            assert_eq!(
                told(repo),
                clone.store,
                "{:?} in {}",
                &steps[..=at],
                repo.path("").display()
            );
        }
        assert_eq!(
            told(&origin),
            model.remote.held,
            "{:?} at the remote",
            &steps[..=at]
        );
    }
}

/// An object that no history has, another one for each step.
fn node(at: usize) -> String {
    format!("{at:02x}{}", &NOWHERE[2..])
}

/// After an answer that all have: the drop by one clone among the syncs of all, in each of their orders.
fn orders(each: usize) {
    let start = [
        Step::Answer(0),
        Step::Sync(0),
        Step::Sync(1),
        Step::Answer(1),
        Step::Note(2),
    ];
    let mut orders = vec![Vec::new()];
    for _ in 0..4 {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..4)
                    .filter(|next| !order.contains(next))
                    .map(|next| [&order[..], &[next]].concat())
            })
            .collect();
    }
    assert_eq!(orders.len(), 24);
    for order in orders.iter().step_by(each) {
        let steps = order.iter().map(|number| {
            if *number == 3 {
                Step::Drop(0)
            } else {
                Step::Sync(*number)
            }
        });
        run(&[
            &start[..],
            &steps.collect::<Vec<_>>(),
            &[Step::Sync(0), Step::Sync(1), Step::Sync(2)],
        ]
        .concat());
    }
}

#[test]
fn real_clones_go_with_the_model_in_every_sixth_order_of_a_drop_and_three_syncs() {
    orders(6);
}

#[test]
#[ignore = "the long form: 24 worlds of four repositories"]
fn real_clones_go_with_the_model_in_every_order_of_a_drop_and_three_syncs() {
    orders(1);
}

fn random_orders(count: usize) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below).expect("a small number")
    };
    for _ in 0..count {
        let steps: Vec<Step> = (0..16)
            .map(|_| {
                let clone = random(3);
                match random(8) {
                    0 | 1 => Step::Answer(clone),
                    2 => Step::Note(clone),
                    3 => Step::Drop(clone),
                    _ => Step::Sync(clone),
                }
            })
            .collect();
        run(&steps);
    }
}

#[test]
fn real_clones_go_with_the_model_in_two_random_orders() {
    random_orders(2);
}

#[test]
#[ignore = "the long form: 60 worlds of four repositories"]
fn real_clones_go_with_the_model_in_random_orders() {
    random_orders(60);
}

//! The order of phases: what comes next in a session, told from its turns alone.
//!
//! | the last turn | ended with | what follows |
//! |---|---|---|
//! | planning | approval | generating |
//! | generating, revising | approval | reviewing |
//! | reviewing | approval | nothing: the work is complete |
//! | reviewing | rejection | revising, the next iteration |
//! | any other | rejection | the same phase again |

use super::name::TurnNumber;
use super::record::{Status, TurnRecord};
use crate::profile::Phase;

/// What comes next in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A turn of this phase, in this iteration.
    Begin(Phase, u32),
    /// The turn that is open.
    Finish(TurnNumber),
    /// Nothing: a review has accepted the work.
    Complete,
}

/// Tells what comes next, from the phase that a session begins with and its turns, oldest first.
#[must_use]
pub fn next(begins_with: Phase, turns: &[(TurnNumber, TurnRecord)]) -> Next {
    let Some((number, turn)) = turns.last() else {
        return Next::Begin(begins_with, 1);
    };
    let is_approved = match turn.status() {
        Status::Ready | Status::Answered => return Next::Finish(*number),
        Status::Approved => true,
        Status::Rejected => false,
    };
    match (turn.phase, is_approved) {
        (Phase::Planning, true) => Next::Begin(Phase::Generating, turn.iteration),
        (Phase::Generating | Phase::Revising, true) => {
            Next::Begin(Phase::Reviewing, turn.iteration)
        }
        (Phase::Reviewing, true) => Next::Complete,
        (Phase::Reviewing, false) => Next::Begin(Phase::Revising, turn.iteration + 1),
        (same, false) => Next::Begin(same, turn.iteration),
    }
}

/// The newest turn of one of the phases that was accepted.
#[must_use]
pub fn accepted<'t>(
    turns: &'t [(TurnNumber, TurnRecord)],
    phases: &[Phase],
) -> Option<&'t (TurnNumber, TurnRecord)> {
    turns
        .iter()
        .rev()
        .find(|(_, turn)| turn.status() == Status::Approved && phases.contains(&turn.phase))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::session::record::{AnswerRecord, Charged, Closed, VERSION};

    /// A turn that was answered and judged, or is open.
    pub(in crate::session) fn turn(
        phase: Phase,
        iteration: u32,
        is_approved: Option<bool>,
    ) -> TurnRecord {
        TurnRecord {
            version: VERSION,
            phase,
            iteration,
            request: "Add a lock.".to_owned(),
            is_text_only: false,
            snapshot: None,
            budget: None,
            images: Vec::new(),
            input_sha256: None,
            prompt_sha256: String::new(),
            cache_read_predicted: None,
            prompt_tokens_estimated: 0,
            notes: Vec::new(),
            clamps: Vec::new(),
            charged: Charged::default(),
            answered: is_approved.map(|_| AnswerRecord {
                provider: "human".to_owned(),
                model: None,
                response_sha256: String::new(),
                usage: None,
                cost_usd: None,
                seconds: None,
            }),
            closed: is_approved.map(|is_approved| Closed {
                is_approved,
                by: "person".to_owned(),
                response_sha256: String::new(),
                feedback: if is_approved {
                    String::new()
                } else {
                    "Shorter.".to_owned()
                },
                usage: None,
                cost_usd: None,
            }),
        }
    }

    #[test]
    fn phases_follow_one_another() {
        use Phase::{Generating, Planning, Reviewing, Revising};
        let steps = [
            (Planning, false, Next::Begin(Planning, 1)),
            (Planning, true, Next::Begin(Generating, 1)),
            (Generating, false, Next::Begin(Generating, 1)),
            (Generating, true, Next::Begin(Reviewing, 1)),
            (Reviewing, false, Next::Begin(Revising, 2)),
            (Revising, false, Next::Begin(Revising, 2)),
            (Revising, true, Next::Begin(Reviewing, 2)),
            (Reviewing, false, Next::Begin(Revising, 3)),
            (Revising, true, Next::Begin(Reviewing, 3)),
            (Reviewing, true, Next::Complete),
        ];
        let (mut turns, mut number, mut iteration) = (Vec::new(), TurnNumber::FIRST, 1);
        assert_eq!(next(Planning, &turns), Next::Begin(Planning, 1));
        assert_eq!(next(Reviewing, &turns), Next::Begin(Reviewing, 1));
        for (phase, is_approved, expected) in steps {
            turns.push((number, turn(phase, iteration, None)));
            assert_eq!(next(Planning, &turns), Next::Finish(number));
            turns.last_mut().expect("pushed").1 = turn(phase, iteration, Some(is_approved));
            assert_eq!(next(Planning, &turns), expected, "after {phase:?}");
            if let Next::Begin(_, next) = expected {
                iteration = next;
            }
            number = number.next().expect("few turns");
        }
        let plan = accepted(&turns, &[Planning]).expect("one was accepted");
        assert_eq!(plan.0, turns[1].0);
        let work = accepted(&turns, &[Generating, Revising]).expect("one was accepted");
        assert_eq!((work.0, work.1.phase), (turns[8].0, Revising));
    }
}

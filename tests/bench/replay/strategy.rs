//! The ways to lay out the requests of a history, and what each of them pays.

use std::collections::{BTreeMap, BTreeSet};

use git_merkle::base::{Digest, TreePath};
use git_merkle::tier::cache::{Bill, PromptCache, Sent, sent};
use git_merkle::tier::{CacheTerms, Content, Key, Policy, Request, State, advance, advance_by_sample};

use super::history::{History, Moment};

/// How requests are laid out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Strategy {
    /// Everything is paid in full.
    None,
    /// Files in the order of their paths in three blocks of one size, then the conversation; a mark on each.
    PathOrder,
    Counter,
    ExpectedCost,
    /// As `expected-cost`, but knowing how often and with what each file changes in all of the replay, not when.
    KnowsRates,
    /// The same without the change that comes next, which a sample that it is part of gives away.
    KnowsOthers,
}

/// Sends every request of a history in turn, and adds up.
pub(crate) fn play(history: &History, strategy: Strategy, terms: &CacheTerms) -> Bill {
    let working: Vec<BTreeSet<TreePath>> = history.requests.iter().map(|moment| moment.working.clone()).collect();
    let (mut state, mut cache, mut total) = (State::default(), PromptCache::default(), Bill::default());
    for (now, moment) in history.requests.iter().enumerate() {
        let request = moment.request(history);
        let step = match strategy {
            Strategy::None | Strategy::PathOrder => None,
            Strategy::Counter => Some(advance(Policy::Counter, &state, &request, terms)),
            Strategy::ExpectedCost => Some(advance(Policy::ExpectedCost, &state, &request, terms)),
            Strategy::KnowsRates | Strategy::KnowsOthers => {
                let next = now + usize::from(moment.is_working_apart);
                let is_known = |at: usize| matches!(strategy, Strategy::KnowsRates) || at != next;
                let events: Vec<_> = (0..working.len()).filter(|at| is_known(*at)).map(|at| working[at].clone()).collect();
                Some(advance_by_sample(&state, &request, terms, &events))
            }
        };
        let mut row = match (&step, strategy) {
            (Some(step), _) => sent(&step.layout, &request),
            (None, Strategy::PathOrder) => in_path_order(&request, moment),
            (None, _) => vec![Sent { digest: request.system.digest, tokens: moment.tokens(history), marked: false }],
        };
        row.push(Sent { digest: Digest([0; 32]), tokens: moment.tail_tokens, marked: false });
        total += cache.take(&row, terms);
        state = step.map(|step| step.state).unwrap_or_default();
    }
    total
}

fn in_path_order(request: &Request<'_>, moment: &Moment) -> Vec<Sent> {
    let part = |content: Content, marked| Sent { digest: content.digest, tokens: content.tokens, marked };
    let items: BTreeMap<&Key, Content> = request.items.iter().map(|item| (&item.key, item.content)).collect();
    let is_reference = |key: &Key| key.path().is_some_and(|path| !moment.working.contains(path));
    let reference: Vec<Content> = items.iter().filter(|(key, _)| is_reference(key)).map(|(_, content)| *content).collect();
    let third = reference.iter().map(|content| content.tokens).sum::<u64>() / 3 + 1;
    let mut row = vec![part(request.system, false)];
    let (mut block, mut before) = (Vec::new(), 0);
    for (at, content) in reference.iter().enumerate() {
        block.extend_from_slice(&content.digest.0);
        before += content.tokens;
        let ends = before >= third || at + 1 == reference.len();
        if ends {
            row.push(Sent { digest: Digest::of("bench/1", &block), tokens: before, marked: true });
            (block, before) = (Vec::new(), 0);
        }
    }
    row.extend(items.iter().filter(|(key, _)| key.is_message()).map(|(_, content)| part(*content, false)));
    if let Some(last) = row.last_mut() {
        last.marked = true;
    }
    let working = items.iter().filter(|(key, _)| !key.is_message() && !is_reference(key));
    row.extend(working.map(|(_, content)| part(*content, false)));
    row
}

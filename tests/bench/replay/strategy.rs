//! The ways to lay out the requests of a history, and what each of them pays.

use std::collections::{BTreeMap, BTreeSet};

use git_merkle::base::{Digest, TreePath};
use git_merkle::tier::cache::{Bill, PromptCache, Sent, sent};
use git_merkle::tier::{CacheTerms, Content, Foresight, Key, Policy, Request, State, advance, advance_foreseen};

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
    /// Knows what each of so many next requests will change.
    Clairvoyant(usize),
}

/// Sends every request of a history in turn, and adds up.
pub(crate) fn play(history: &History, strategy: Strategy, terms: &CacheTerms) -> Bill {
    let (mut state, mut cache, mut total) = (State::default(), PromptCache::default(), Bill::default());
    for (at, moment) in history.requests.iter().enumerate() {
        let request = moment.request(history);
        let step = match strategy {
            Strategy::None | Strategy::PathOrder => None,
            Strategy::Counter => Some(advance(Policy::Counter, &state, &request, terms)),
            Strategy::ExpectedCost => Some(advance(Policy::ExpectedCost, &state, &request, terms)),
            Strategy::Clairvoyant(ahead) => {
                let coming = history.requests.iter().skip(at + 1).take(ahead);
                let events: Vec<BTreeSet<TreePath>> = coming.map(|moment| moment.changed.clone()).collect();
                Some(advance_foreseen(&state, &request, terms, Foresight { events: &events }))
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

/// What no layout can go below: every text is cached by itself, if that pays, until it changes.
pub(crate) fn lower_bound(history: &History, terms: &CacheTerms) -> Bill {
    let mut runs: BTreeMap<Key, (Content, u64)> = BTreeMap::new();
    let mut bill = Bill::default();
    let mut end = |content: Content, requests: u64| {
        let reads = requests - 1;
        let pays = u64::from(terms.write) + reads * u64::from(terms.read) < requests * 1_000;
        let Bill { read, written, plain } = &mut bill;
        if pays {
            *written += content.tokens;
            *read += content.tokens * reads;
        } else {
            *plain += content.tokens * requests;
        }
    };
    for moment in &history.requests {
        let now: BTreeMap<&Key, Content> = moment.items.iter().map(|item| (&item.key, item.content)).collect();
        runs.retain(|key, (content, requests)| {
            let stays = now.get(key) == Some(content);
            if stays {
                *requests += 1
            } else {
                end(*content, *requests)
            }
            stays
        });
        for (key, content) in now {
            runs.entry(key.clone()).or_insert((content, 1));
        }
    }
    runs.into_values().for_each(|(content, requests)| end(content, requests));
    end(history.system, history.requests.len() as u64);
    bill.plain += history.requests.iter().map(|moment| moment.tail_tokens).sum::<u64>();
    bill
}

//! The clairvoyant: what four tiers cost when everything that will change is known. No layout of this form costs less.
//!
//! A tier lives from the request that writes it to the request that breaks it, and everything behind it breaks with it;
//! so the lives of a tier divide the life of the tier before it. Within a life all texts can be cached that stand
//! unchanged from its beginning to its end. That gives the recursion, over all spans of requests and numbers of tiers:
//! `best(tiers, span) = max over divisions of span: Σ gain(part) × (texts through part - texts through span) + best(tiers - 1, part)`.
//! The system prompt and the conversation, which can grow at the end of a cached prefix, count as cached from their
//! second request on: no layout does better with those either. The provider's minimum is not looked at.

use std::collections::BTreeMap;

use git_merkle::tier::{CacheTerms, Content, Key};

use super::history::History;

const TIERS: usize = 4;

/// The least cost of all requests of a history, in thousandths of a plain token.
pub(crate) fn cost_min(history: &History, terms: &CacheTerms) -> u64 {
    let requests = history.requests.len();
    let plain: u64 = history.requests.iter().map(|moment| moment.tokens(history) + moment.tail_tokens).sum();
    let mut through = vec![vec![0_u64; requests + 1]; requests + 1];
    let mut saved = history.system.tokens * gain(requests, terms);
    for (key, content, from, to) in lives(history) {
        if key.is_message() {
            saved += content.tokens * gain(to - from, terms);
        } else {
            through[from][to] += content.tokens;
        }
    }
    // From texts that live exactly so long to texts that live at least so long.
    for from in 0..=requests {
        for to in (0..=requests).rev() {
            let earlier = if from > 0 { through[from - 1][to] } else { 0 };
            let longer = if to < requests { through[from][to + 1] } else { 0 };
            let both = if from > 0 && to < requests { through[from - 1][to + 1] } else { 0 };
            through[from][to] += earlier + longer - both;
        }
    }
    let mut best = vec![vec![0_u64; requests + 1]; requests + 1];
    for _ in 1..TIERS {
        best = one_more_tier(&through, &best, terms);
    }
    saved += divide((0, requests), 0, &through, &best, terms);
    plain * 1_000 - saved
}

/// What caching saves for each token of a text that stands through so many requests.
fn gain(requests: usize, terms: &CacheTerms) -> u64 {
    let requests = requests as u64;
    let cached = u64::from(terms.write) + requests.saturating_sub(1) * u64::from(terms.read);
    (requests * 1_000).saturating_sub(cached)
}

/// Every text with the request in which it came, and the one in which it was gone.
fn lives(history: &History) -> Vec<(Key, Content, usize, usize)> {
    let mut open: BTreeMap<Key, (Content, usize)> = BTreeMap::new();
    let mut lives = Vec::new();
    for (at, moment) in history.requests.iter().enumerate() {
        let now: BTreeMap<&Key, Content> = moment.items.iter().map(|item| (&item.key, item.content)).collect();
        open.retain(|key, (content, from)| {
            let stays = now.get(key) == Some(content);
            if !stays {
                lives.push((key.clone(), *content, *from, at));
            }
            stays
        });
        for (key, content) in now {
            open.entry(key.clone()).or_insert((content, at));
        }
    }
    let end = history.requests.len();
    lives.extend(open.into_iter().map(|(key, (content, from))| (key, content, from, end)));
    lives
}

fn one_more_tier(through: &[Vec<u64>], best: &[Vec<u64>], terms: &CacheTerms) -> Vec<Vec<u64>> {
    let requests = through.len() - 1;
    let mut next = vec![vec![0; requests + 1]; requests + 1];
    for from in 0..requests {
        for to in from + 1..=requests {
            next[from][to] = divide((from, to), through[from][to], through, best, terms);
        }
    }
    next
}

/// The best division of a span whose texts of the whole span are cached already.
fn divide((from, to): (usize, usize), cached: u64, through: &[Vec<u64>], best: &[Vec<u64>], terms: &CacheTerms) -> u64 {
    let mut saved = vec![0; to - from + 1];
    for end in from + 1..=to {
        let of_last =
            |start: usize| saved[start - from] + (through[start][end] - cached) * gain(end - start, terms) + best[start][end];
        saved[end - from] = (from..end).map(of_last).max().unwrap_or(0);
    }
    saved[to - from]
}

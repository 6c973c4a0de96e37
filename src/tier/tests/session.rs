//! Small sessions: files with numbered contents, and a conversation.

use proptest::prelude::*;

use crate::base::{Digest, TreePath};
use crate::tier::{
    CacheTerms, Content, Item, Key, Layout, Request, State, Step, Tier, TierPolicy, Touches,
    advance,
};

pub(super) const TERMS: CacheTerms = CacheTerms {
    read: 100,
    write: 1_250,
    prefix_tokens_min: 1_024,
    breakpoints_max: 4,
};
pub(super) const POLICIES: [TierPolicy; 2] = [TierPolicy::Counter, TierPolicy::ExpectedCost];
pub(super) const SYSTEM: Content = Content {
    digest: Digest([1; 32]),
    tokens: 500,
};

pub(super) fn content(text: &str, tokens: u64) -> Content {
    Content {
        digest: Digest::of("test/1", text.as_bytes()),
        tokens,
    }
}

pub(super) fn symbols(path: &str, version: u32, tokens: u64) -> Item {
    let key = Key::Symbols(TreePath::from(path));
    Item {
        key,
        content: content(&format!("{path} {version}"), tokens),
        touches: Touches::default(),
    }
}

pub(super) fn message(number: u32, tokens: u64) -> Item {
    let content = content(&format!("message {number}"), tokens);
    Item {
        key: Key::Message(number),
        content,
        touches: Touches::default(),
    }
}

pub(super) fn request(items: &[Item]) -> Request<'_> {
    Request {
        system: SYSTEM,
        items,
        components: &[],
        commits: 0,
        aliases: &[],
    }
}

/// Sends the same items this many times.
pub(super) fn repeat(policy: TierPolicy, state: &State, items: &[Item], times: usize) -> Step {
    let mut step = advance(policy, state, &request(items), &TERMS);
    for _ in 1..times {
        step = advance(policy, &step.state, &request(items), &TERMS);
    }
    step
}

pub(super) fn tier(layout: &Layout, path: &str) -> Option<Tier> {
    layout.tier_of(&Key::Symbols(TreePath::from(path)))
}

/// Requests of up to eight files, each with a version in each request (0: not there), a growing conversation that may
/// begin anew, and what git says of the files.
pub(super) fn sessions() -> impl Strategy<Value = Vec<Vec<Item>>> {
    let file = (0_u32..4, any::<bool>());
    let moment = (
        prop::collection::vec(file, 8),
        0_u32..9,
        prop::collection::vec(0_u32..20, 0..6),
    );
    (
        prop::collection::vec(moment, 1..12),
        prop::collection::vec(1_u64..4_000, 8),
    )
        .prop_map(|(moments, sizes)| {
            let (mut versions, mut first, mut next) = ([1_u32; 8], 0, 0);
            let mut session = Vec::new();
            for (files, talk, commits_ago) in moments {
                let mut items = Vec::new();
                for (at, (event, full)) in files.into_iter().enumerate() {
                    versions[at] += u32::from(event == 1);
                    let path = format!("{}/{at}", at % 3);
                    let mut item = symbols(&path, versions[at], sizes[at]);
                    if event == 2 && full {
                        item.key = Key::File(TreePath::from(path.as_str()));
                    }
                    item.touches.commits_ago.clone_from(&commits_ago);
                    item.touches.dirty = event == 3 && full;
                    if event != 2 || full {
                        items.push(item);
                    }
                }
                // Another conversation has other texts under the same numbers.
                first = if talk == 0 { next } else { first };
                next += 2;
                items.extend((first..next).map(|number| Item {
                    key: Key::Message(number - first),
                    ..message(number, 300)
                }));
                items.push(Item {
                    key: Key::Tree,
                    ..message(10_000 + next % 4, 900)
                });
                items.push(Item {
                    key: Key::Url("https://example.org".to_owned()),
                    ..message(9_999, 2_000)
                });
                session.push(items);
            }
            session
        })
}

pub(super) fn terms() -> impl Strategy<Value = CacheTerms> {
    (0_u32..6, 0_u64..5_000).prop_map(|(breakpoints_max, prefix_tokens_min)| CacheTerms {
        prefix_tokens_min,
        breakpoints_max,
        ..TERMS
    })
}

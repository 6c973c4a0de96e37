//! The model of a prompt cache against what providers document.

use super::session::{TERMS, content};
use crate::tier::cache::{Bill, PromptCache, SentBlock};

/// A row of blocks: name and tokens, a `!` at the end of the name is a mark.
fn row(blocks: &[(&str, u64)]) -> Vec<SentBlock> {
    let block = |(name, tokens): &(&str, u64)| {
        let sent = content(name.trim_end_matches('!'), *tokens);
        SentBlock {
            digest: sent.digest,
            tokens: sent.tokens,
            marked: name.ends_with('!'),
        }
    };
    blocks.iter().map(block).collect()
}

fn bills(requests: &[&[(&str, u64)]]) -> Vec<(u64, u64, u64)> {
    let mut cache = PromptCache::default();
    let bill = |request: &&[(&str, u64)]| {
        let Bill {
            read,
            written,
            plain,
        } = cache.take(&row(request), &TERMS);
        (read, written, plain)
    };
    requests.iter().map(bill).collect()
}

#[test]
fn a_marked_prefix_is_written_once_and_then_read() {
    let request: &[_] = &[("a!", 2_000), ("b!", 500), ("c", 70)];
    assert_eq!(bills(&[request, request]), [(0, 2_500, 70), (2_500, 0, 70)]);
}

#[test]
fn a_change_breaks_everything_behind_it() {
    let bills = bills(&[
        &[("a!", 2_000), ("b!", 500)],
        &[("a!", 2_000), ("x!", 400)],
        &[("y!", 2_000), ("x!", 400)],
    ]);
    assert_eq!(bills, [(0, 2_500, 0), (2_000, 400, 0), (0, 2_400, 0)]);
}

#[test]
fn a_known_prefix_is_found_a_little_before_a_mark() {
    let bills = bills(&[&[("a!", 2_000)], &[("a", 2_000), ("b", 10), ("c!", 10)]]);
    assert_eq!(bills, [(0, 2_000, 0), (2_000, 20, 0)]);
    let names: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    let mut long = vec![("a", 2_000)];
    long.extend(names.iter().map(|name| (name.as_str(), 1)));
    long.push(("z!", 1));
    assert_eq!(
        super::cache::bills(&[&[("a!", 2_000)], &long])[1],
        (0, 2_031, 0)
    );
}

#[test]
fn short_prefixes_and_more_than_four_marks_do_nothing() {
    assert_eq!(
        bills(&[&[("a!", 1_023)], &[("a!", 1_023)]])[1],
        (0, 0, 1_023)
    );
    let five: &[_] = &[("a!", 1_024), ("b!", 1), ("c!", 1), ("d!", 1), ("e!", 1)];
    assert_eq!(bills(&[five, five]), [(0, 1_027, 1), (1_027, 0, 1)]);
}

#[test]
fn what_is_not_used_is_forgotten() {
    let (used, other): (&[_], &[_]) = (&[("a!", 2_000)], &[("b!", 2_000)]);
    assert_eq!(bills(&[used, other, other, used])[3], (2_000, 0, 0));
    assert_eq!(
        bills(&[used, other, other, other, other, other, other, used])[7],
        (0, 2_000, 0)
    );
}

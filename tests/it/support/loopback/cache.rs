//! A cache of prefixes as providers document theirs, for servers that answer like them.
//!
//! | rule | with marks | OpenAI's protocol without marks |
//! |---|---|---|
//! | what is kept | the prefix up to each mark, at most four marks | the beginning of every request |
//! | least | a number of tokens | 1,024 tokens, in steps of 128 |
//! | looked up | at each mark, and at most 20 blocks before it | the longest beginning in common |
//! | kept for | 5 minutes, or an hour where the mark says so; from the last use | the same 5 minutes |
//!
//! What is kept can be read once the answer that wrote it has begun, and no earlier.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use git_merkle::base::token;
use git_merkle::chat::Usage;
use serde_json::Value;

const MARKS_MAX: usize = 4;
const LOOK_BACK: usize = 20;
const SHORT: Duration = Duration::from_mins(5);
const LONG: Duration = Duration::from_hours(1);
const AUTOMATIC_MIN: u64 = 1_024;
const AUTOMATIC_STEP: u64 = 128;

/// What is kept of one prefix: from when, until when, for how long after each use.
#[derive(Debug, Clone, Copy)]
struct Kept {
    from: Duration,
    until: Duration,
    time: Duration,
}

/// One block of a request, and whether a mark ends a prefix there.
struct Block {
    text: String,
    mark: Option<Duration>,
}

/// A server's cache; times are those of a clock of the caller's.
pub(crate) struct PrefixCache {
    tokens_min: u64,
    prefixes: Mutex<HashMap<u64, Kept>>,
    beginnings: Mutex<Vec<(String, Kept)>>,
}

impl PrefixCache {
    pub(crate) fn new(tokens_min: u64) -> Self {
        Self {
            tokens_min,
            prefixes: Mutex::default(),
            beginnings: Mutex::default(),
        }
    }

    /// Reads and writes for a request that comes at `now` and whose answer begins at `begins`.
    pub(crate) fn usage(&self, body: &Value, now: Duration, begins: Duration) -> Usage {
        let blocks = blocks(body);
        let tokens: Vec<u64> = blocks
            .iter()
            .scan(0, |sum, block| {
                *sum += token::estimate(&block.text);
                Some(*sum)
            })
            .collect();
        let input = tokens.last().copied().unwrap_or_default();
        let (cache_read, cache_write) = if blocks.iter().any(|block| block.mark.is_some()) {
            self.marked(&blocks, &tokens, (now, begins))
        } else {
            // A system text beside the messages is Anthropic's protocol, which caches nothing without a mark.
            let read = if body["system"].is_null() {
                self.automatic(&blocks, (now, begins))
            } else {
                0
            };
            (read, 0)
        };
        Usage {
            input,
            output: 50,
            cache_read,
            cache_write,
            reasoning: 0,
        }
    }

    fn marked(
        &self,
        blocks: &[Block],
        tokens: &[u64],
        (now, begins): (Duration, Duration),
    ) -> (u64, u64) {
        let mut kept = self.prefixes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hasher = DefaultHasher::new();
        let keys: Vec<u64> = blocks
            .iter()
            .map(|block| {
                block.text.hash(&mut hasher);
                hasher.clone().finish()
            })
            .collect();
        let marks: Vec<(usize, Duration)> = blocks
            .iter()
            .enumerate()
            .filter_map(|(at, block)| Some((at, block.mark?)))
            .collect();
        assert!(
            marks.len() <= MARKS_MAX,
            "{} marks are refused",
            marks.len()
        );
        let mut read = 0;
        for (mark, _) in &marks {
            let first = mark.saturating_sub(LOOK_BACK);
            let found = (first..=*mark).rev().find(|at| {
                tokens[*at] >= self.tokens_min
                    && kept
                        .get(&keys[*at])
                        .is_some_and(|kept| (kept.from..kept.until).contains(&now))
            });
            if let Some(at) = found {
                let kept = kept.get_mut(&keys[at]).expect("found above");
                kept.until = now + kept.time;
                read = read.max(tokens[at]);
            }
        }
        let mut end = read;
        for (at, time) in marks
            .into_iter()
            .filter(|(at, _)| tokens[*at] >= self.tokens_min)
        {
            end = end.max(tokens[at]);
            let new = Kept {
                from: begins,
                until: begins + time,
                time,
            };
            let known = kept.entry(keys[at]).or_insert(new);
            if now >= known.until {
                *known = new;
            }
        }
        (read, end - read)
    }

    fn automatic(&self, blocks: &[Block], (now, begins): (Duration, Duration)) -> u64 {
        let text: String = blocks.iter().map(|block| block.text.as_str()).collect();
        let mut beginnings = self
            .beginnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let alive = beginnings
            .iter_mut()
            .filter(|(_, kept)| (kept.from..kept.until).contains(&now));
        let longest = alive.max_by_key(|(other, _)| in_common(&text, other));
        let tokens = longest.map_or(0, |(other, kept)| {
            kept.until = now + kept.time;
            token::estimate(&text[..text.floor_char_boundary(in_common(&text, other))])
        });
        beginnings.push((
            text,
            Kept {
                from: begins,
                until: begins + SHORT,
                time: SHORT,
            },
        ));
        if tokens < AUTOMATIC_MIN {
            0
        } else {
            tokens / AUTOMATIC_STEP * AUTOMATIC_STEP
        }
    }
}

fn in_common(one: &str, other: &str) -> usize {
    one.bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count()
}

/// The blocks of a body of either protocol, in the order in which a server sees them.
fn blocks(body: &Value) -> Vec<Block> {
    let mut found = Vec::new();
    add(&mut found, "system", &body["system"]);
    for message in body["messages"].as_array().into_iter().flatten() {
        add(
            &mut found,
            message["role"].as_str().unwrap_or_default(),
            &message["content"],
        );
    }
    found
}

fn add(found: &mut Vec<Block>, role: &str, content: &Value) {
    if let Some(text) = content.as_str() {
        found.push(Block {
            text: format!("{role}\n{text}\n"),
            mark: None,
        });
    }
    for part in content.as_array().into_iter().flatten() {
        let mark = ["cache_control", "prompt_cache_breakpoint"]
            .iter()
            .find_map(|name| part.get(*name));
        let time = mark.map(|mark| if mark["ttl"] == "1h" { LONG } else { SHORT });
        let text = part["text"]
            .as_str()
            .map_or_else(|| part.to_string(), str::to_owned);
        found.push(Block {
            text: format!("{role}\n{text}\n"),
            mark: time,
        });
    }
}

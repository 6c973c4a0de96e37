//! Many requests with one long system prompt: its prefix is paid for once and read from the cache by all others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{AGENT, PROTOCOLS, World, flat, regenerate};
use crate::support::loopback::{Loopback, PrefixCache, Scripted};

const FILES: usize = 499;
/// How long an answer takes to begin: until then its prefix cannot be read.
const FIRST_TOKEN: Duration = Duration::from_millis(150);
const PREFIX_MIN: u64 = 1_024;

/// Before, as many requests as there are slots went out at once, each without a cache to read, and paid for the whole prefix.
#[test]
fn the_first_of_many_requests_warms_the_cache_for_the_others() {
    for protocol in PROTOCOLS {
        let (cache, start) = (Arc::new(PrefixCache::new(PREFIX_MIN)), Instant::now());
        let server = Loopback::start(move |request| {
            let now = start.elapsed();
            let delay = if request.order == 0 {
                FIRST_TOKEN
            } else {
                Duration::ZERO
            };
            Scripted::answer("a sentence")
                .usage(cache.usage(&request.body, now, now + delay))
                .after(delay)
        });
        let world = World::new(protocol, server);
        let rule = "You describe source code in one sentence, in plain English, for a reader who has not seen it. ";
        world.agent(&AGENT.replace("You describe source code.", &rule.repeat(100)));
        let limits = [
            ("cacheBreakpoints", "4"),
            ("cacheTokensMin", "1024"),
            ("concurrency", "64"),
            ("contextTokens", "200k"),
        ];
        for (key, value) in limits {
            world.set(&format!("merkle.provider.m.{key}"), value);
        }
        let repo = world.repo(&flat(FILES));
        let made = regenerate(&repo, &["--json"]);
        let posts = world.server.posts();
        assert_eq!(posts.len(), FILES + 1, "each file and the root");
        assert!(
            posts.iter().all(|post| post.raw.contains("cache_control")),
            "each carries a mark"
        );
        let report = made.json("regenerate");
        let read = report["model"]["cache_read_tokens"]
            .as_u64()
            .unwrap_or_else(|| panic!("{report}"));
        let prefix = git_merkle::base::token::estimate(&rule.repeat(100));
        let (whole, floor) = (prefix * (FILES as u64 + 1), prefix * FILES as u64);
        assert!(
            read >= floor,
            "all but the first read it: {read} of {whole}, which is {:.1} %",
            100.0 * read as f64 / whole as f64
        );
    }
}

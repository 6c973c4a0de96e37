//! The cache of prefixes keeps the documented rules.

use super::cache::PrefixCache;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn request(texts: &[(&str, bool)]) -> Value {
    let part = |(text, has_mark): &(&str, bool)| {
        let mut part = json!({ "type": "text", "text": text.repeat(300) });
        if *has_mark {
            part["cache_control"] = json!({ "type": "ephemeral" });
        }
        json!({ "role": "user", "content": [part] })
    };
    json!({ "messages": texts.iter().map(part).collect::<Vec<_>>() })
}

#[test]
fn it_keeps_the_documented_rules() {
    let cache = PrefixCache::new(500);
    let ask = |texts: &[(&str, bool)], seconds| {
        let usage = cache.usage(&request(texts), at(seconds), at(seconds + 1));
        (usage.cache_read > 0, usage.cache_write > 0)
    };
    assert_eq!(
        ask(&[("one ", true), ("two ", true)], 0),
        (false, true),
        "what is too short is not kept"
    );
    assert_eq!(
        ask(&[("one ", true), ("two ", true)], 0),
        (false, true),
        "the first answer has not begun"
    );
    assert_eq!(
        ask(&[("one ", false), ("two ", true), ("three ", true)], 10),
        (true, true)
    );
    assert_eq!(
        ask(&[("one ", false), ("two ", false), ("three ", true)], 300),
        (true, false),
        "each use keeps it alive"
    );
    assert_eq!(
        ask(&[("one ", false), ("two ", false), ("three ", true)], 601),
        (false, true),
        "five minutes later it is gone"
    );
    let mut long: Vec<(&str, bool)> = vec![("one ", false), ("two ", false), ("three ", false)];
    long.extend(std::iter::repeat_n(("more ", false), 20));
    long.push(("last ", true));
    assert_eq!(ask(&long, 610), (false, true), "21 blocks back is too far");
    let automatic = |seconds| {
        cache.usage(
            &request(&[("x y ", false), ("z ", false), ("v w ", false)]),
            at(seconds),
            at(seconds),
        )
    };
    assert_eq!(
        (automatic(700).cache_read, automatic(701).cache_read % 128),
        (0, 0)
    );
    assert!(automatic(702).cache_read >= 1_024);
}

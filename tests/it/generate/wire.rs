//! The requests as they go over the wire, whole.

use super::{Protocol, World, key, regenerate};

#[test]
fn the_openai_protocol() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo("commit one\n+ a.md = # A");
    regenerate(&repo, &["a.md"]).ok();
    let post = &world.server.posts()[0];
    assert_eq!(
        (post.method.as_str(), post.path.as_str()),
        ("POST", "/v1/chat/completions")
    );
    assert_eq!(
        post.header("authorization"),
        Some(format!("Bearer {}", key()).as_str())
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&post.body).expect("JSON"), @r##"
    {
      "model": "test-large",
      "stream": true,
      "messages": [
        {
          "role": "system",
          "content": "You describe source code."
        },
        {
          "role": "user",
          "content": "<file path=\"a.md\">\n# A\n\n</file>\n\nSummarize the file a.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."
        }
      ],
      "stream_options": {
        "include_usage": true
      },
      "max_tokens": 2048
    }
    "##);
}

#[test]
fn the_anthropic_protocol() {
    let world = World::steady(Protocol::Anthropic);
    let repo = world.repo("commit one\n+ a.md = # A");
    regenerate(&repo, &["a.md"]).ok();
    let post = &world.server.posts()[0];
    assert_eq!(
        (post.method.as_str(), post.path.as_str()),
        ("POST", "/v1/messages")
    );
    assert_eq!(
        (post.header("x-api-key"), post.header("authorization")),
        (Some(key().as_str()), None)
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&post.body).expect("JSON"), @r##"
    {
      "model": "test-large",
      "stream": true,
      "messages": [
        {
          "role": "user",
          "content": "<file path=\"a.md\">\n# A\n\n</file>\n\nSummarize the file a.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."
        }
      ],
      "max_tokens": 2048,
      "system": "You describe source code."
    }
    "##);
}

/// Before, no request about a node carried a mark, so that a system prompt of any length was paid in full each time.
#[test]
fn a_system_prompt_that_is_long_enough_carries_a_mark() {
    for (tokens_min, is_marked) in [("2", true), ("1000", false)] {
        let world = World::steady(Protocol::Anthropic);
        world.set("merkle.provider.m.cacheBreakpoints", "4");
        world.set("merkle.provider.m.cacheTokensMin", tokens_min);
        let repo = world.repo("commit one\n+ a.md = # A");
        regenerate(&repo, &["a.md"]).ok();
        let system = &world.server.posts()[0].body["system"];
        assert_eq!(
            system[0]["cache_control"]["type"] == "ephemeral",
            is_marked,
            "{system}"
        );
    }
}

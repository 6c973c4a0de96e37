//! The requests as they go over the wire, whole.

use super::{Protocol, World, key, regenerate};

#[test]
fn the_openai_protocol() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo("commit one\n+ a.md = # A");
    regenerate(&repo, &["a.md"]).ok();
    let post = &world.server.posts()[0];
    assert_eq!((post.method.as_str(), post.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(post.header("authorization"), Some(format!("Bearer {}", key()).as_str()));
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
    assert_eq!((post.method.as_str(), post.path.as_str()), ("POST", "/v1/messages"));
    assert_eq!((post.header("x-api-key"), post.header("authorization")), (Some(key().as_str()), None));
    insta::assert_snapshot!(serde_json::to_string_pretty(&post.body).expect("JSON"), @r##"
    {
      "model": "test-large",
      "stream": true,
      "system": "You describe source code.",
      "messages": [
        {
          "role": "user",
          "content": "<file path=\"a.md\">\n# A\n\n</file>\n\nSummarize the file a.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."
        }
      ],
      "max_tokens": 2048
    }
    "##);
}

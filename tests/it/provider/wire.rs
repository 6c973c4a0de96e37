//! The bodies that go out, whole: what a change of the protocol library would change without a word.

use git_merkle::chat::{Image, Message, Request, Role};
use serde_json::{Value, json};

use super::bench::{connected, definition, reply, request};
use crate::support::loopback::{Loopback, Recorded};

fn sent(kind: &str, more: &str, request: &Request) -> Value {
    let server = Loopback::answering(Recorded::last_user);
    reply(&*connected(&definition(kind, &server, more)), request);
    let posts = server.posts();
    assert_eq!(posts.len(), 1);
    let path = if kind == "anthropic" {
        "/v1/messages"
    } else {
        "/v1/chat/completions"
    };
    assert_eq!(
        (posts[0].path.as_str(), posts[0].header("content-type")),
        (path, Some("application/json"))
    );
    posts[0].body.clone()
}

/// Everything that a request can hold.
fn full() -> Request {
    let marked = |role, text: &str| Message {
        ends_cached_prefix: true,
        ..Message::new(role, text)
    };
    let messages = vec![
        marked(Role::System, "You describe files."),
        marked(Role::User, "The standards."),
        Message::new(Role::User, "An earlier question."),
        Message::new(Role::Assistant, "An earlier answer."),
        marked(Role::User, "Describe src/lib.rs."),
    ];
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let mut request = Request {
        messages,
        schema: Some(schema),
        ..request()
    };
    request.params.seed = Some(7);
    request.params.stop = Some(vec!["END".to_owned()]);
    request
}

#[test]
fn openai_is_asked_like_this() {
    let body = sent("openai", "structuredOutput = true", &full());
    let expected = json!({
        "model": "test-large",
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "You describe files."},
            {"role": "user", "content": "The standards.\n\nAn earlier question."},
            {"role": "assistant", "content": "An earlier answer."},
            {"role": "user", "content": "Describe src/lib.rs."},
        ],
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": {
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false,
        }}},
        "temperature": 0.0,
        "max_tokens": 300,
        "seed": 7,
        "stop": ["END"],
    });
    assert_eq!(body, expected);
}

#[test]
fn anthropic_is_asked_like_this() {
    let body = sent(
        "anthropic",
        "structuredOutput = true\ncacheBreakpoints = 4\ncacheTokensMin = 6",
        &full(),
    );
    let mark = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "test-large",
        "stream": true,
        "system": "You describe files.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "The standards.", "cache_control": mark}]},
            {"role": "user", "content": "An earlier question."},
            {"role": "assistant", "content": "An earlier answer."},
            {"role": "user", "content": [{"type": "text", "text": "Describe src/lib.rs.", "cache_control": mark}]},
        ],
        "output_config": {"format": {"type": "json_schema", "schema": {
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false,
        }}},
        "temperature": 0.0,
        "max_tokens": 300,
        "stop_sequences": ["END"],
    });
    assert_eq!(
        body, expected,
        "the system text is shorter than what is cached"
    );
}

#[test]
fn a_system_text_that_is_long_enough_is_marked() {
    let body = sent("anthropic", "cacheBreakpoints = 1\ncacheTokensMin = 1", &{
        let mut request = request();
        request.messages[0].ends_cached_prefix = true;
        request
    });
    assert_eq!(
        body["system"],
        json!([{"type": "text", "text": "You describe files.", "cache_control": {"type": "ephemeral"}}])
    );
}

#[test]
fn what_is_not_supported_is_not_sent() {
    for kind in ["openai", "anthropic"] {
        let body = sent(
            kind,
            "temperature = 'none'\nstructuredOutput = false\nsystemPrompt = false\nstream = false",
            &full(),
        );
        assert!(
            body.get("temperature").is_none()
                && body.get("response_format").is_none()
                && body.get("output_config").is_none()
        );
        assert!(
            body.get("system").is_none() && body["messages"][0]["role"] == "user",
            "{body}"
        );
        assert!(!body.to_string().contains("cache_control") && body["stream"] == false);
        assert!(
            body["messages"][0]["content"]
                .as_str()
                .is_some_and(|text| text.starts_with("You describe files.\n\n"))
        );
    }
}

#[test]
fn anthropic_is_always_told_how_much_and_never_more_than_it_can() {
    let mut open = request();
    open.params.max_output_tokens = None;
    assert_eq!(sent("anthropic", "", &open)["max_tokens"], 4_096);
    assert_eq!(
        sent("anthropic", "outputTokens = 100", &open)["max_tokens"],
        100
    );
    assert_eq!(
        sent("openai", "outputTokens = 100", &request())["max_tokens"],
        100
    );
    assert!(sent("openai", "", &open).get("max_tokens").is_none());
}

#[test]
fn a_models_name_goes_out_as_it_is() {
    for name in [
        "vendor::model",
        "some-model-high",
        "some-model-max",
        "org/model:free",
    ] {
        for kind in ["openai", "local", "anthropic"] {
            let server = Loopback::echo();
            let mut definition = definition(kind, &server, "");
            definition.capabilities.model = Some(name.to_owned());
            reply(&*connected(&definition), &request());
            assert_eq!(server.posts()[0].body["model"], name, "{kind}");
            assert!(
                kind == "anthropic" || server.posts()[0].body.get("reasoning_effort").is_none(),
                "{kind} {name}"
            );
        }
    }
}

/// Before, no field that the program does not know could be sent, and the window of a model behind Ollama could not be set.
#[test]
fn fields_of_the_users_own_go_out_and_win() {
    let extra = "extra = { top_k = 40, metadata = { team = 'garden' }, temperature = 0.25 }";
    for kind in ["openai", "local", "anthropic"] {
        let body = sent(kind, extra, &request());
        assert_eq!(
            (
                &body["top_k"],
                &body["metadata"]["team"],
                &body["temperature"]
            ),
            (&40.into(), &"garden".into(), &0.25.into())
        );
        let text = sent(kind, "extra = '{\"top_k\":40}'", &request());
        assert_eq!(
            text["top_k"], 40,
            "as one text, which git's configuration takes"
        );
    }
}

/// A message array with marks, images, and neighbours of different roles.
fn array() -> Vec<Message> {
    let marked = |role, text: &str| Message {
        ends_cached_prefix: true,
        ..Message::new(role, text)
    };
    let image = Image::new(b"GIF89a").expect("an image");
    vec![
        marked(Role::System, "You help."),
        Message::new(Role::User, "# Reference Files"),
        marked(Role::Assistant, "Ok."),
        Message::new(Role::User, "# Working Files"),
        Message::new(Role::Assistant, "Ok."),
        Message {
            images: vec![image],
            ..Message::new(Role::User, "What is this?")
        },
    ]
}

/// Before, bodies were written by the library and once more for `prompt`; two writers cannot agree byte for byte.
#[test]
fn what_goes_out_is_the_body_that_is_printed_byte_for_byte() {
    let cache = "cacheBreakpoints = 4\ncacheTokensMin = 0";
    for (kind, more) in [
        ("openai", ""),
        ("openai", cache),
        ("local", cache),
        ("anthropic", cache),
        ("anthropic", "stream = false"),
    ] {
        let mut request = Request {
            messages: array(),
            ..request()
        };
        request.params.top_p = Some(0.5);
        request.params.stop = Some(vec!["END".to_owned()]);
        let server = Loopback::answering(Recorded::last_user);
        let mut definition = definition(kind, &server, more);
        for model in ["test-large", "gpt-5.6-mini", "o3-high", "claude-opus-4-2"] {
            definition.capabilities.model = Some(model.to_owned());
            reply(&*connected(&definition), &request);
            let printed = git_merkle::provider::body(&request, &definition)
                .expect("a body")
                .to_string();
            assert_eq!(
                server.posts().last().expect("a request").raw,
                printed,
                "{kind} {model} {more}"
            );
            assert_eq!(
                printed.contains("cache_control") || printed.contains("prompt_cache_b"),
                more == cache,
                "{printed}"
            );
        }
    }
}

//! The two protocols that the loopback server does not speak: how they are asked, and what their streams are worth.

use git_merkle::chat::{Answer, Usage};
use git_merkle::provider::{Charge, ProviderError};

use super::bench::{ask, canary, connected, definition, request};
use crate::support::loopback::{Loopback, Recorded, Scripted};

const GEMINI_PIECE: &str = r#"data: {"candidates":[{"content":{"parts":[{"text":"A library."}],"role":"model"},"index":0}],"modelVersion":"g"}"#;
const GEMINI_END: &str = r#"data: {"candidates":[{"content":{"parts":[{"text":" The end."}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"totalTokenCount":13}}"#;
const OLLAMA_PIECE: &str =
    r#"{"model":"o","message":{"role":"assistant","content":"A library."},"done":false}"#;
const OLLAMA_END: &str = r#"{"model":"o","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":4}"#;

/// One attempt of a kind at a server that sends this, and the request that it got.
fn asked(
    kind: &str,
    content_type: &'static str,
    body: &str,
) -> (Result<Answer, (ProviderError, Charge)>, Recorded) {
    let scripted = Scripted::raw(content_type, body);
    let server = Loopback::start(move |_| scripted.clone());
    let outcome = ask(&*connected(&definition(kind, &server, "")), &request()).0;
    (
        outcome.map_err(|failure| (failure.error, failure.charge)),
        server.posts().remove(0),
    )
}

/// The key stands in these headers, once each, and nowhere else.
fn assert_holders(sent: &Recorded, expected: &[&str]) {
    let holds = |value: &str| value.contains(&canary());
    let holders: Vec<&str> = sent
        .headers
        .iter()
        .filter(|(_, value)| holds(value))
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(holders, expected);
    assert!(!holds(&sent.path) && !holds(&sent.body.to_string()));
}

#[test]
fn gemini_is_asked_with_its_key_in_a_header() {
    let (answer, sent) = asked(
        "gemini",
        "text/event-stream",
        &format!("{GEMINI_PIECE}\n\n{GEMINI_END}\n\n"),
    );
    assert!(
        sent.path
            .starts_with("/v1/models/test-large:streamGenerateContent"),
        "{}",
        sent.path
    );
    assert_holders(&sent, &["x-goog-api-key"]);
    assert_eq!(sent.body["generationConfig"]["temperature"], 0.0);
    assert_eq!(sent.body["generationConfig"]["maxOutputTokens"], 300);
    let Ok(Answer::Ready(reply)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(reply.text, "A library. The end.");
    assert_eq!(
        reply.usage,
        Some(Usage {
            input: 9,
            output: 4,
            ..Usage::default()
        })
    );
}

#[test]
fn ollama_is_asked_in_its_own_protocol() {
    let (answer, sent) = asked(
        "ollama",
        "application/x-ndjson",
        &format!("{OLLAMA_PIECE}\n{OLLAMA_END}\n"),
    );
    assert_eq!(
        (sent.path.as_str(), &sent.body["stream"]),
        ("/v1/api/chat", &serde_json::json!(true))
    );
    assert_holders(&sent, &["authorization"]);
    assert_eq!(sent.body["options"]["num_predict"], 300);
    let Ok(Answer::Ready(reply)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(
        (reply.text.as_str(), reply.model.as_deref()),
        ("A library.", Some("o"))
    );
    assert_eq!(
        reply.usage,
        Some(Usage {
            input: 9,
            output: 4,
            ..Usage::default()
        })
    );
}

#[test]
fn a_stream_that_ends_too_early_is_no_answer() {
    for (kind, content_type, body) in [
        ("gemini", "text/event-stream", format!("{GEMINI_PIECE}\n\n")),
        (
            "ollama",
            "application/x-ndjson",
            format!("{OLLAMA_PIECE}\n"),
        ),
        ("gemini", "text/html", "<p>Sign in".to_owned()),
        ("ollama", "text/html", "<p>Sign in".to_owned()),
    ] {
        let (answer, _) = asked(kind, content_type, &body);
        let expected = if content_type == "text/html" {
            matches!(answer, Err((ProviderError::Protocol(_), _)))
        } else {
            answer == Err((ProviderError::BrokenOff, Charge::Unknown))
        };
        assert!(
            expected && matches!(answer, Err((_, Charge::Unknown))),
            "{kind} {body}: {answer:?}"
        );
    }
}

/// Before, the window that Ollama gives a model could not be asked for, and a longer prompt was cut there without a word.
#[test]
fn ollamas_window_can_be_asked_for() {
    let scripted = Scripted::raw(
        "application/x-ndjson",
        &format!("{OLLAMA_PIECE}\n{OLLAMA_END}\n"),
    );
    let server = Loopback::start(move |_| scripted.clone());
    let definition = definition(
        "ollama",
        &server,
        "extra = { options = { num_ctx = 16384 } }",
    );
    assert_eq!(
        definition.capabilities.context_tokens,
        Some(16_384),
        "what is sent is planned with"
    );
    ask(&*connected(&definition), &request())
        .0
        .expect("an answer");
    let options = &server.posts()[0].body["options"];
    assert_eq!(
        *options,
        serde_json::json!({ "temperature": 0.0, "num_predict": 300, "num_ctx": 16_384 })
    );
}

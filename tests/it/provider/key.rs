//! Where a key goes, and where it never does.

use std::path::Path;

use git_merkle::chat::Answer;
use git_merkle::config::Environment;
use git_merkle::git::StateDir;
use git_merkle::provider::{Definition, ProviderError, Surroundings, connect, key};

use super::bench::{KINDS, ask, block_on, canary, connected, definition, definitions, request};
use crate::support::loopback::{Loopback, Scripted};

fn vendors_key(definition: &Definition) -> Vec<String> {
    key::variables(definition).map(str::to_owned).collect()
}

#[test]
fn a_key_stands_in_its_own_header_alone() {
    for kind in KINDS {
        let server = Loopback::with_key(&canary(), |_| Scripted::answer("x"));
        let provider = connected(&definition(kind, &server, ""));
        assert!(ask(&*provider, &request()).0.is_ok());
        block_on(provider.validate()).expect("valid");
        for request in server.requests() {
            let holders: Vec<&str> = request
                .headers
                .iter()
                .filter(|(_, value)| value.contains(&canary()))
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(
                holders,
                [if kind == "openai" {
                    "authorization"
                } else {
                    "x-api-key"
                }]
            );
            assert!(
                !request.path.contains(&canary()) && !request.body.to_string().contains(&canary())
            );
        }
    }
}

#[test]
fn the_vendors_variable_is_for_the_vendors_origin_alone() {
    let vendor = definitions("[provider.openai]\nmodel = 'x'\n[provider.anthropic]\nmodel = 'x'");
    assert_eq!(
        vendors_key(vendor.get("openai").expect("there")),
        ["OPENAI_API_KEY"]
    );
    assert_eq!(
        vendors_key(vendor.get("anthropic").expect("there")),
        ["ANTHROPIC_API_KEY"]
    );
    for endpoint in [
        "https://gateway.example.org/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com.example.org/",
    ] {
        let other = definitions(&format!(
            "[provider.openai]\nmodel = 'x'\nendpoint = '{endpoint}'"
        ));
        assert_eq!(
            vendors_key(other.get("openai").expect("there")),
            [] as [&str; 0],
            "{endpoint}"
        );
    }
    let variables =
        ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"].map(|name| (name, canary()));
    let environment: Environment = variables.into_iter().collect();
    for kind in KINDS {
        let server = Loopback::echo();
        let mut definition = definition(kind, &server, "");
        definition.key_env = None;
        let surroundings = Surroundings {
            environment: &environment,
            pending: &StateDir::at(Path::new("/nonexistent")),
            is_dry: false,
        };
        let provider = connect(&definition, surroundings)
            .expect("connected")
            .provider;
        assert!(ask(&*provider, &request()).0.is_ok());
        let sent = format!("{:?}", server.requests());
        assert!(!sent.contains(&canary()), "{kind}: {sent}");
        assert!(
            server.posts()[0].header("authorization").is_none()
                && server.posts()[0].header("x-api-key").is_none()
        );
    }
}

#[test]
fn without_a_key_the_next_step_is_named() {
    let environment = Environment::default();
    let surroundings = Surroundings {
        environment: &environment,
        pending: &StateDir::at(Path::new("/nonexistent")),
        is_dry: false,
    };
    for (text, expected) in [
        (
            "provider.openai.model = 'x'\nprovider.openai.endpoint = 'https://no-such-host.invalid/v1'",
            "run 'git merkle auth login openai'",
        ),
        (
            "provider.openai.endpoint = 'localhost:1'",
            "run 'git config --global merkle.provider.openai.model <model>'",
        ),
        (
            "provider.local.model = 'x'",
            "run 'git config --global merkle.provider.local.endpoint <address>'",
        ),
        (
            "provider.command.model = 'x'",
            "run 'git config --global merkle.provider.command.command <program>'",
        ),
        (
            "provider.command.command = './here'",
            "neither the name of a program nor an absolute path",
        ),
        (
            "provider.replay.kind = 'replay'",
            "run 'git config --global merkle.provider.replay.file <file>'",
        ),
    ] {
        let definitions = definitions(text);
        let error = connect(definitions.the_only().expect("one"), surroundings)
            .err()
            .expect("an error");
        assert!(
            matches!(error, ProviderError::NotConfigured { .. })
                && error.to_string().contains(expected),
            "{text}: {error}"
        );
    }
}

#[test]
fn no_error_repeats_a_key_a_header_or_the_request() {
    for kind in KINDS {
        let echoes = [
            Scripted::unauthorized(),
            Scripted::bad_request(&format!("bad value {} in x-secret", canary())),
            Scripted::bad_request("cannot read 'Describe src/lib.rs. And all of it'"),
            Scripted::raw("text/plain", &canary()),
        ];
        for scripted in echoes {
            let server = Loopback::start(move |_| scripted.clone());
            let header = format!(
                "header = 'X-Secret: {}'\nkeyEnv = 'OTHER_API_KEY'",
                canary()
            );
            let mut guarded = definition(kind, &server, "");
            guarded.headers = definitions(&format!("[provider.openai]\n{header}"))
                .get("openai")
                .expect("there")
                .headers
                .clone();
            let mut long = request();
            long.messages[1].text = "Describe src/lib.rs. And all of it, please.".to_owned();
            let failure = ask(&*connected(&guarded), &long).0.expect_err("a failure");
            let shown = format!("{failure} {failure:?}");
            assert!(
                !shown.contains(&canary()) && !shown.contains("And all of it"),
                "{kind}: {shown}"
            );
            assert_eq!(
                server.posts()[0].header("x-secret"),
                Some(canary().as_str())
            );
        }
    }
}

/// Before, a gateway that repeats headers put the key into frames, which are pushed; and so did one that calls its model so.
#[test]
fn no_answer_holds_the_key_that_it_was_asked_with() {
    let token = ["ghp", "_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"].concat();
    for (model, known) in [
        (canary(), Some("***")),
        (token, None),
        ("plain".to_owned(), Some("plain")),
    ] {
        let document = serde_json::json!({
            "model": model,
            "choices": [{ "message": { "content": format!("You sent {} and test-key.", canary()) }, "finish_reason": "stop" }],
        });
        let server =
            Loopback::start(move |_| Scripted::raw("application/json", &document.to_string()));
        let answer = ask(&*connected(&definition("openai", &server, "")), &request())
            .0
            .expect("an answer");
        let Answer::Ready(reply) = answer else {
            panic!("it was answered at once")
        };
        assert_eq!(
            (reply.text.as_str(), reply.model.as_deref()),
            ("You sent *** and test-key.", known)
        );
    }
}

#[test]
fn an_answer_that_cannot_be_seen_is_none() {
    for kind in KINDS {
        let server = Loopback::start(|_| Scripted::answer("\u{200b}\u{feff} \u{202e}\n"));
        let failure = ask(&*connected(&definition(kind, &server, "")), &request())
            .0
            .expect_err("no answer");
        assert!(
            failure.error.to_string().contains("the answer is empty"),
            "{kind}: {failure}"
        );
    }
}

#[test]
fn validate_spends_nothing_and_finds_a_wrong_key_and_a_wrong_model() {
    for kind in KINDS {
        let server = Loopback::with_key("another", |_| Scripted::answer("x"));
        let error = block_on(connected(&definition(kind, &server, "")).validate())
            .expect_err("a wrong key");
        assert!(
            matches!(&error, ProviderError::Auth(text) if !text.contains(&canary())),
            "{error}"
        );
        let server = Loopback::echo();
        block_on(connected(&definition(kind, &server, "")).validate()).expect("valid");
        let mut other = definition(kind, &server, "");
        other.capabilities.model = Some("no-such".to_owned());
        let error = block_on(connected(&other).validate()).expect_err("a wrong model");
        assert!(
            matches!(&error, ProviderError::ModelNotFound { available, .. } if available.len() == 2),
            "{error}"
        );
        assert_eq!(server.posts().len(), 0);
    }
}

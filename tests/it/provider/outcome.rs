//! Everything that a server can do to a request, and what it is to us: the table of `src/provider/fault.rs`, both protocols,
//! piece by piece and at once.

use std::time::Duration;

use git_merkle::chat::{Answer, Usage};
use git_merkle::provider::{Charge, Failure, ProviderError};

use super::bench::{KINDS, ask, block_on, canary, connected, definition, reply, request};
use crate::support::loopback::{Loopback, MODELS, Scripted, USAGE};

/// Settings that make silence short, and what a test of a way is called.
const WAYS: [(&str, &str); 2] = [("stream", "stream = true"), ("plain", "stream = false")];
const SHORT: &str = "timeout = '900ms'\nidleTimeout = '150ms'";

/// One scripted outcome on both protocols, both ways.
fn failures(scripted: &Scripted) -> Vec<(String, Failure)> {
    let mut failures = Vec::new();
    for kind in KINDS {
        for (way, setting) in WAYS {
            let script = scripted.clone();
            let server = Loopback::start(move |_| script.clone());
            let provider = connected(&definition(kind, &server, &format!("{setting}\n{SHORT}")));
            let failure = ask(&*provider, &request()).0.expect_err("a failure");
            assert!(
                !format!("{failure} {failure:?}").contains(&canary()),
                "{kind} {way}: {failure:?}"
            );
            failures.push((format!("{kind} {way}"), failure));
        }
    }
    failures
}

/// The failure is the same on both protocols and both ways.
fn is_always(scripted: &Scripted, charge: Charge, expected: impl Fn(&ProviderError) -> bool) {
    for (name, failure) in failures(scripted) {
        assert!(
            expected(&failure.error),
            "{name} of {scripted:?}: {failure:?}"
        );
        assert_eq!(
            failure.charge, charge,
            "{name} of {scripted:?}: {failure:?}"
        );
    }
}

#[test]
fn an_answer_comes_with_model_and_usage_on_every_way() {
    for kind in KINDS {
        for (way, setting) in WAYS {
            let usage = Usage {
                input: 1_000,
                output: 20,
                cache_read: 600,
                cache_write: 300,
                reasoning: 0,
            };
            let server = Loopback::start(move |_| {
                Scripted::answer("A library: ä漢.\n\nIt does things.").usage(usage)
            });
            let provider = connected(&definition(kind, &server, setting));
            let (answer, pieces) = ask(&*provider, &request());
            let Ok(Answer::Ready(reply)) = answer else {
                panic!("{kind} {way}: {answer:?}")
            };
            assert_eq!(
                reply.text, "A library: ä漢.\n\nIt does things.",
                "{kind} {way}"
            );
            assert_eq!(reply.model.as_deref(), Some("test-large"), "{kind} {way}");
            // The OpenAI protocol does not say what was written to the cache.
            let told = if kind == "openai" {
                Usage {
                    cache_write: 0,
                    ..usage
                }
            } else {
                usage
            };
            assert_eq!(reply.usage, Some(told), "{kind} {way}");
            assert_eq!(
                pieces.concat(),
                if way == "stream" {
                    reply.text
                } else {
                    String::new()
                },
                "{kind} {way}"
            );
        }
    }
}

#[test]
fn usage_that_nobody_tells_is_unknown_and_reasoning_is_kept() {
    for (way, setting) in WAYS {
        for kind in KINDS {
            let server = Loopback::start(|_| Scripted::answer("x").no_usage());
            let told = reply(&*connected(&definition(kind, &server, setting)), &request()).usage;
            assert_eq!(told, None, "{kind} {way}");
        }
        for told in [
            Usage::default(),
            Usage {
                output: 7,
                ..Usage::default()
            },
        ] {
            let server = Loopback::start(move |_| Scripted::answer("x").usage(told));
            let reply = reply(
                &*connected(&definition("openai", &server, setting)),
                &request(),
            );
            assert_eq!(
                reply.usage, None,
                "nothing at all for a question is no count: {way}"
            );
        }
        let usage = Usage {
            reasoning: 7,
            ..USAGE
        };
        let server = Loopback::start(move |_| Scripted::answer("x").usage(usage));
        assert_eq!(
            reply(
                &*connected(&definition("openai", &server, setting)),
                &request()
            )
            .usage,
            Some(usage),
            "{way}"
        );
    }
}

#[test]
fn refused_by_status_costs_nothing() {
    let seven = Duration::from_secs(7);
    is_always(
        &Scripted::rate_limited(Some("7")),
        Charge::Nothing,
        |error| {
            *error
                == ProviderError::RateLimited {
                    retry_after: Some(seven),
                }
        },
    );
    is_always(&Scripted::rate_limited(None), Charge::Nothing, |error| {
        *error == ProviderError::RateLimited { retry_after: None }
    });
    is_always(
        &Scripted::rate_limited(Some("Sun, 06 Nov 1994 08:49:37 GMT")),
        Charge::Nothing,
        |error| {
            *error
                == ProviderError::RateLimited {
                    retry_after: Some(Duration::ZERO),
                }
        },
    );
    for status in [500, 502, 503, 529] {
        is_always(
            &Scripted::unavailable(status).retry_after(Some("7")),
            Charge::Nothing,
            |error| matches!(error, ProviderError::Unavailable { retry_after: Some(pause), .. } if *pause == seven),
        );
    }
    is_always(
        &Scripted::unauthorized(),
        Charge::Nothing,
        |error| matches!(error, ProviderError::Auth(text) if text.contains("***")),
    );
    is_always(&Scripted::context_too_long(), Charge::Nothing, |error| {
        matches!(error, ProviderError::ContextTooLong { .. })
    });
    is_always(
        &Scripted::bad_request("no such parameter"),
        Charge::Nothing,
        |error| matches!(error, ProviderError::Rejected(text) if text.ends_with("no such parameter")),
    );
}

#[test]
fn a_model_that_is_not_there_names_those_that_are() {
    is_always(&Scripted::model_not_found(), Charge::Nothing, |error| {
        *error
            == ProviderError::ModelNotFound {
                model: "test-large".to_owned(),
                available: MODELS.map(str::to_owned).to_vec(),
            }
    });
}

#[test]
fn silence_is_a_timeout_that_may_have_cost_everything() {
    is_always(&Scripted::hang(), Charge::Unknown, |error| {
        matches!(error, ProviderError::Timeout(_))
    });
    // Signs of life keep an answer alive, but not for ever.
    for (name, failure) in failures(&Scripted::trickle(Duration::from_millis(40))) {
        assert_eq!(
            failure.error,
            ProviderError::Timeout(Duration::from_millis(900)),
            "{name}"
        );
        assert_eq!(failure.answered_in_part, name.ends_with("stream"), "{name}");
    }
}

#[test]
fn what_ends_without_its_end_is_thrown_away_and_charged() {
    for scripted in [Scripted::cut(), Scripted::ended_early()] {
        for (name, failure) in failures(&scripted) {
            let fits = if name.ends_with("stream") {
                failure.error == ProviderError::BrokenOff
            } else {
                matches!(
                    failure.error,
                    ProviderError::Protocol(_) | ProviderError::BrokenOff
                )
            };
            assert!(
                fits && failure.charge == Charge::Unknown,
                "{name} of {scripted:?}: {failure:?}"
            );
            assert_eq!(
                failure.answered_in_part,
                name.ends_with("stream"),
                "{name} of {scripted:?}"
            );
        }
    }
}

#[test]
fn an_error_inside_of_a_success_is_an_error() {
    is_always(&Scripted::error_event(), Charge::Unknown, |error| {
        matches!(error, ProviderError::Unavailable { .. })
    });
}

#[test]
fn what_is_no_answer_is_not_understood() {
    let odd = [
        Scripted::html(),
        Scripted::broken_json(),
        Scripted::other_json(),
        Scripted::raw("application/json", "null"),
        Scripted::raw("application/json", "[]"),
        Scripted::raw("text/event-stream", "data: {\"x\n\n"),
        Scripted::raw("text/plain", "a plain text"),
    ];
    for scripted in odd {
        is_always(&scripted, Charge::Unknown, |error| {
            matches!(error, ProviderError::Protocol(_))
        });
    }
    is_always(&Scripted::empty(), Charge::Usage(USAGE), |error| {
        *error == ProviderError::Protocol("the answer is empty".to_owned())
    });
}

/// A server that cannot begin a stream may end it without a word; it was "no stream of events", without a way on.
#[test]
fn a_stream_without_any_event_is_told_apart() {
    let server = Loopback::start(|_| Scripted::raw("text/event-stream", ": hello\n\n"));
    for kind in KINDS {
        let failure = ask(&*connected(&definition(kind, &server, "")), &request())
            .0
            .expect_err("no event");
        assert_eq!(
            (failure.error, failure.charge),
            (ProviderError::NoEvent, Charge::Unknown),
            "{kind}"
        );
    }
}

/// Some servers answer at once whatever they are asked for.
#[test]
fn a_document_in_place_of_a_stream_is_an_answer() {
    let whole =
        r#"{"model":"m","choices":[{"message":{"content":"At once."},"finish_reason":"stop"}]}"#;
    let server = Loopback::start(move |_| Scripted::raw("application/json; charset=utf-8", whole));
    assert_eq!(
        reply(&*connected(&definition("openai", &server, "")), &request()).text,
        "At once."
    );
}

#[test]
fn a_refusal_and_a_cut_answer_are_no_answers_and_cost_what_they_say() {
    is_always(&Scripted::refusal(), Charge::Usage(USAGE), |error| {
        matches!(error, ProviderError::Refused(_))
    });
    is_always(&Scripted::filtered(), Charge::Usage(USAGE), |error| {
        matches!(error, ProviderError::Refused(_))
    });
    is_always(
        &Scripted::cut_at_limit("half"),
        Charge::Usage(USAGE),
        |error| *error == ProviderError::Truncated,
    );
    is_always(
        &Scripted::cut_at_limit("half").no_usage(),
        Charge::Unknown,
        |error| *error == ProviderError::Truncated,
    );
    for (name, failure) in failures(&Scripted::cut_at_limit("half an answer")) {
        let partial = failure.partial.expect("what came");
        assert_eq!(
            (partial.text.as_str(), partial.usage),
            ("half an answer", Some(USAGE)),
            "{name}"
        );
    }
}

#[test]
fn nobody_there_is_unavailable_and_costs_nothing() {
    for kind in KINDS {
        let gone = definition(kind, &Loopback::echo(), "");
        let failure = ask(&*connected(&gone), &request()).0.expect_err("nobody");
        assert!(
            matches!(failure.error, ProviderError::Unavailable { .. }),
            "{failure:?}"
        );
        assert_eq!(
            (failure.charge, failure.answered_in_part),
            (Charge::Nothing, false)
        );
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Loopback::echo();
    let location = format!("{}chat/completions", other.endpoint());
    is_always(&Scripted::redirect(location), Charge::Nothing, |error| {
        matches!(error, ProviderError::Address(_))
    });
    assert_eq!((other.connections(), other.requests().len()), (0, 0));
}

#[test]
fn dropping_an_attempt_ends_it_and_the_connection_is_used_again() {
    let server = Loopback::playing([
        Scripted::answer("one"),
        Scripted::answer("two"),
        Scripted::hang(),
    ]);
    let provider = connected(&definition("openai", &server, ""));
    block_on(async {
        for _ in 0..2 {
            provider
                .complete(&request(), &mut |_| ())
                .await
                .expect("an answer");
        }
        let (hanging, mut silent) = (request(), |_: &str| ());
        let asked = provider.complete(&hanging, &mut silent);
        assert!(
            tokio::time::timeout(Duration::from_millis(100), asked)
                .await
                .is_err()
        );
        provider
            .complete(&request(), &mut |_| ())
            .await
            .expect("an answer");
    });
    assert!(server.connections() <= 2, "{}", server.connections());
}

#[test]
fn many_at_once_are_answered() {
    let server = Loopback::start(|request| {
        Scripted::answer(request.last_user()).after(Duration::from_millis(5))
    });
    let provider = connected(&definition("anthropic", &server, ""));
    block_on(async {
        let asked = (0..40).map(|number| {
            let provider = &provider;
            async move {
                let mut request = request();
                request.messages[1].text = format!("question {number}");
                let answer = provider.complete(&request, &mut |_| ()).await;
                matches!(answer, Ok(Answer::Ready(reply)) if reply.text == request.messages[1].text)
            }
        });
        assert!(
            futures_util::future::join_all(asked)
                .await
                .into_iter()
                .all(|right| right)
        );
    });
    assert_eq!(server.posts().len(), 40);
    assert!(server.in_flight_max() > 1);
}

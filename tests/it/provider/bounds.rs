//! Bodies without an end, compressed or slow: nothing that a server sends can fill the memory or hold the program up.
//!
//! The server counts what it could send: a client that has stopped reading fills the socket's buffers and no more.

use std::time::{Duration, Instant};

use git_merkle::provider::{Charge, ProviderError};

use super::bench::{KINDS, ask, block_on, connected, definition, request};
use crate::support::loopback::{Flood, Loopback, Scripted};

/// What a socket holds beyond what was read, at most, with room to spare.
const SOCKET_BYTES_MAX: usize = 24 << 20;

/// Asks a server that floods; the error, the bytes that it could send, and how long that took.
fn flooded(kind: &str, flood: Flood, setting: &str) -> (ProviderError, usize, Duration) {
    let server = Loopback::start(move |_| Scripted::flood(flood));
    let provider = connected(&definition(kind, &server, setting));
    let begun = Instant::now();
    let failure = ask(&*provider, &request()).0.expect_err("no answer");
    (failure.error, server.flooded(), begun.elapsed())
}

/// Was `accept-encoding: gzip`, with an answer of 200 MiB in 200 KB that no limit ended.
#[test]
fn nothing_compressed_is_requested_or_read() {
    for kind in KINDS {
        for setting in ["stream = true", "stream = false"] {
            let server = Loopback::start(|_| {
                Scripted::raw("text/event-stream", "x").header("content-encoding: gzip")
            });
            let failure = ask(&*connected(&definition(kind, &server, setting)), &request())
                .0
                .expect_err("compressed");
            let expected = "it is encoded as 'gzip', which was not requested".to_owned();
            assert_eq!(
                (failure.error, failure.charge),
                (ProviderError::Protocol(expected), Charge::Unknown),
                "{kind}"
            );
            assert_eq!(
                server.posts()[0].header("accept-encoding"),
                Some("identity")
            );
        }
        let server = Loopback::echo();
        block_on(connected(&definition(kind, &server, "")).validate()).expect("a list");
        assert_eq!(
            server.requests()[0].header("accept-encoding"),
            Some("identity")
        );
    }
}

/// Was 2.4 GB of memory after five seconds.
#[test]
fn the_body_of_an_error_has_an_end() {
    for kind in KINDS {
        let (error, sent, _) = flooded(kind, Flood::Error, "");
        assert!(
            matches!(error, ProviderError::Unavailable { .. }),
            "{error}"
        );
        assert!(sent < SOCKET_BYTES_MAX, "{kind}: {sent}");
    }
}

/// Was an abort of the process.
#[test]
fn a_list_of_models_has_an_end() {
    let server = Loopback::endless_models();
    let error =
        block_on(connected(&definition("openai", &server, "")).validate()).expect_err("no list");
    assert_eq!(
        error,
        ProviderError::Protocol("there is no end to it".to_owned())
    );
    assert!(server.flooded() < SOCKET_BYTES_MAX, "{}", server.flooded());
}

#[test]
fn an_answer_has_an_end_whatever_it_is_made_of() {
    for (flood, setting) in [
        (Flood::Line, "stream = true"),
        (Flood::Comments, "stream = true"),
        (Flood::Words, "stream = true"),
        (Flood::Document, "stream = false"),
    ] {
        let (error, sent, took) = flooded("openai", flood, setting);
        assert_eq!(
            error,
            ProviderError::Protocol("there is no end to it".to_owned()),
            "{flood:?}"
        );
        assert!(sent < (64 << 20) + SOCKET_BYTES_MAX, "{flood:?}: {sent}");
        assert!(took < Duration::from_mins(1), "{flood:?}: {took:?}");
    }
}

/// Neither limit fired, and two Ctrl-C were not heard, while a line without an end came in.
#[test]
fn limits_of_time_hold_while_bytes_keep_coming() {
    let (idle, total) = (
        "timeout = '20s'\nidleTimeout = '300ms'",
        "timeout = '400ms'\nidleTimeout = '20s'",
    );
    for (flood, setting, expected) in [
        (Flood::Drip, idle, Duration::from_millis(300)),
        (Flood::Drip, total, Duration::from_millis(400)),
        (Flood::DripComments, total, Duration::from_millis(400)),
    ] {
        let (error, _, took) = flooded("openai", flood, setting);
        assert_eq!(
            error,
            ProviderError::Timeout(expected),
            "{flood:?} {setting}"
        );
        assert!(took < Duration::from_secs(10), "{flood:?}: {took:?}");
    }
}

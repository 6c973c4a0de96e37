//! From what went wrong on the wire to the closed list of failures, with what the attempt may have cost.
//!
//! | on the wire | error | charge |
//! |---|---|---|
//! | no connection | unavailable | nothing |
//! | 401, 403 | auth | nothing |
//! | 402, or 429 with a used-up quota | quota | nothing |
//! | 404 that speaks of the model | model not found | nothing |
//! | 404 otherwise, 405, 3xx | address: the endpoint is another | nothing |
//! | 413; 400 and 422 that speak of length | context too long | nothing |
//! | 400 of a content filter | refused | nothing |
//! | 429 | rate limited | nothing |
//! | 408, 5xx, 529 | unavailable | nothing |
//! | 501, 505 | address: the endpoint is another | nothing |
//! | 4xx otherwise | rejected | nothing |
//! | an error event, or an error in a 200 | as its code or type says, else not understood | unknown |
//! | a connection that ends before any answer | unavailable | unknown |
//! | HTML, broken JSON, another form, compressed, without an end | not understood | unknown |
//! | a stream that ends before its end | broken off | unknown |
//! | a stream without any event | no event | unknown |
//! | silence, or too long | timeout | unknown |

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::length::{self, Lengths};
use super::retry_after;
use super::transport::BodyError;
use super::{Charge, ProviderError};

/// Most bytes of what a provider says that an error repeats.
const TOLD_BYTES_MAX: usize = 200;

/// The failure that an error status stands for.
pub(super) fn of_status(status: u16, headers: &HeaderMap, body: &str) -> ProviderError {
    let document: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    of_told(
        status,
        &ErrorDocument::of(&document),
        retry_after::read(headers),
    )
}

fn of_told(status: u16, told: &ErrorDocument, retry_after: Option<Duration>) -> ProviderError {
    let text = || {
        format!(
            "status {status}{}",
            told.message
                .as_ref()
                .map(|text| format!(": {text}"))
                .unwrap_or_default()
        )
    };
    match status {
        401 | 403 => ProviderError::Auth(text()),
        402 => ProviderError::Quota(text()),
        429 if told.says(&["insufficient_quota", "billing"]) => ProviderError::Quota(text()),
        429 => ProviderError::RateLimited { retry_after },
        404 if told.says(&["model"]) => ProviderError::ModelNotFound {
            model: String::new(),
            available: Vec::new(),
        },
        404 | 405 | 501 | 505 => ProviderError::Address(text()),
        300..400 => ProviderError::Address(format!(
            "status {status}: it redirects, and no redirect is followed"
        )),
        413 => ProviderError::ContextTooLong {
            reason: text(),
            lengths: told.lengths.into(),
        },
        400 | 422 if told.is_about_length() => ProviderError::ContextTooLong {
            reason: text(),
            lengths: told.lengths.into(),
        },
        400 | 422 if told.says(&["content_filter", "content_policy"]) => {
            ProviderError::Refused(text())
        }
        400 | 422 if told.says(&["model_not_found"]) => ProviderError::ModelNotFound {
            model: String::new(),
            available: Vec::new(),
        },
        408 | 500.. => ProviderError::Unavailable {
            reason: text(),
            retry_after,
        },
        _ => ProviderError::Rejected(text()),
    }
}

/// The failure that an error object in a successful response stands for; `None` when there is none.
pub(super) fn of_document(document: &Value) -> Option<ProviderError> {
    let told = ErrorDocument::of(document);
    if let Some(status) = told.status {
        return Some(of_told(status, &told, None));
    }
    told.is_error.then(|| {
        let text = told
            .message
            .clone()
            .unwrap_or_else(|| "it reports an error".to_owned());
        if told.says(&[
            "overloaded",
            "server_error",
            "api_error",
            "unavailable",
            "timeout_error",
        ]) {
            ProviderError::Unavailable {
                reason: text,
                retry_after: None,
            }
        } else if told.says(&["rate_limit", "too_many_requests"]) {
            ProviderError::RateLimited { retry_after: None }
        } else if told.is_about_length() {
            ProviderError::ContextTooLong {
                reason: text,
                lengths: told.lengths.into(),
            }
        } else {
            ProviderError::Protocol(text)
        }
    })
}

/// The failure of a connection, and its charge; `sent` is the charge once the request was out.
pub(super) fn of_transport(
    error: &reqwest::Error,
    timeout: Duration,
    sent: Charge,
) -> (ProviderError, Charge) {
    if error.is_connect() {
        let reason = format!("no connection: {}", innermost(error));
        (
            ProviderError::Unavailable {
                reason,
                retry_after: None,
            },
            Charge::Nothing,
        )
    } else if error.is_timeout() {
        (ProviderError::Timeout(timeout), sent)
    } else if error.is_builder() {
        (
            ProviderError::Protocol(
                "the request cannot be built: see its headers and endpoint".to_owned(),
            ),
            Charge::Nothing,
        )
    } else if error.is_decode() {
        // Nothing is compressed, so this is an answer that began and did not come to its end.
        (ProviderError::BrokenOff, sent)
    } else {
        (
            ProviderError::Unavailable {
                reason: "the connection ended".to_owned(),
                retry_after: None,
            },
            sent,
        )
    }
}

/// The failure of a body that is not read to its end; `sent` is the charge once the request was out.
pub(super) fn of_body(
    error: &BodyError,
    timeout: Duration,
    sent: Charge,
) -> (ProviderError, Charge) {
    match error {
        BodyError::Transport(error) => of_transport(error, timeout, sent),
        BodyError::TooLong => (
            ProviderError::Protocol("there is no end to it".to_owned()),
            sent,
        ),
    }
}

/// What an error document says, in any of the forms that are usual.
struct ErrorDocument {
    is_error: bool,
    /// The status that it gives itself, as gateways do that answer with 200.
    status: Option<u16>,
    words: String,
    message: Option<String>,
    lengths: Lengths,
}

impl ErrorDocument {
    fn of(document: &Value) -> Self {
        let error = document.get("error").filter(|error| !error.is_null());
        let text = |name: &str| {
            error
                .and_then(|error| error.get(name))
                .and_then(Value::as_str)
        };
        let message = text("message")
            .or_else(|| error.and_then(Value::as_str))
            .or_else(|| document["message"].as_str());
        let kinds = [text("type"), text("code"), text("status"), message];
        let words = kinds
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
            .to_ascii_lowercase();
        let lengths = Lengths::of(&words, error.unwrap_or(&Value::Null));
        Self {
            is_error: error.is_some(),
            status: ["code", "status"]
                .iter()
                .find_map(|name| error?.get(name)?.as_u64())
                .and_then(|status| u16::try_from(status).ok())
                .filter(|status| (400..600).contains(status)),
            words,
            message: message.map(shortened),
            lengths,
        }
    }

    fn is_about_length(&self) -> bool {
        length::is_about(&self.words) || self.lengths != Lengths::default()
    }

    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.words.contains(word))
    }
}

/// The beginning of a text, on one line.
pub(super) fn shortened(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = line.trim();
    let end = line.floor_char_boundary(TOLD_BYTES_MAX);
    if end < line.len() {
        format!("{}…", &line[..end])
    } else {
        line.to_owned()
    }
}

fn innermost(error: &reqwest::Error) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    let text = error.to_string();
    let text = shortened(text.split(" (os error ").next().unwrap_or(&text));
    let rest = text.chars().skip(1);
    text.chars()
        .take(1)
        .flat_map(char::to_lowercase)
        .chain(rest)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, body: &str) -> ProviderError {
        of_status(status, &HeaderMap::new(), body)
    }

    #[test]
    fn statuses_are_told_apart_by_what_they_say() {
        assert!(matches!(
            status(429, r#"{"error":{"code":"insufficient_quota"}}"#),
            ProviderError::Quota(_)
        ));
        assert!(matches!(
            status(429, "x"),
            ProviderError::RateLimited { retry_after: None }
        ));
        assert!(matches!(
            of_document(&serde_json::json!({"error": {"message": "slow down", "code": 429}})),
            Some(ProviderError::RateLimited { .. })
        ));
        assert!(matches!(status(402, ""), ProviderError::Quota(_)));
        assert!(matches!(
            status(400, r#"{"error":{"message":"Prompt is too long"}}"#),
            ProviderError::ContextTooLong { .. }
        ));
        assert!(matches!(
            status(400, r#"{"error":{"code":"content_filter"}}"#),
            ProviderError::Refused(_)
        ));
        assert!(matches!(
            status(404, r#"{"error":"model 'x' not found"}"#),
            ProviderError::ModelNotFound { .. }
        ));
        for other in [404, 405, 302, 501] {
            assert!(matches!(status(other, "<html>"), ProviderError::Address(_)));
        }
        assert_eq!(
            status(400, r#"{"error":{"message":"no 'top_k'"}}"#),
            ProviderError::Rejected("status 400: no 'top_k'".to_owned())
        );
        assert!(matches!(status(529, ""), ProviderError::Unavailable { .. }));
    }

    #[test]
    fn what_is_repeated_is_short_and_on_one_line() {
        let long = shortened(&format!("a\nb{}", "ä".repeat(500)));
        assert!(
            long.starts_with("a b") && long.len() < 210 && long.ends_with('…'),
            "{long}"
        );
        assert_eq!(shortened(" x "), "x");
    }
}

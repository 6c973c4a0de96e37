//! Anthropic's Message Batches: one document with all requests, one stream of results.

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::OwedBatch;
use super::line::{Line, Look, Place};
use crate::base::clock;
use crate::provider::fault;

/// The provider takes 100,000.
pub(super) const REQUESTS_MAX: usize = 90_000;
pub(super) const BATCHES: &str = "messages/batches";
/// How far the provider's clock may be from ours.
const CLOCK_SECONDS: u64 = 600;
/// After this long, a batch is none whose creation we did not hear of.
const LATE_SECONDS: u64 = 3_600;

pub(super) fn line(id: &str, body: &Value) -> Value {
    json!({ "custom_id": id, "params": body })
}

/// The document that creates a batch.
pub(super) fn create(lines: &[String]) -> Vec<u8> {
    let mut body = b"{\"requests\":[".to_vec();
    body.reserve(lines.iter().map(|line| line.len() + 1).sum::<usize>() + 2);
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            body.push(b',');
        }
        body.extend_from_slice(line.as_bytes());
    }
    body.extend_from_slice(b"]}");
    body
}

/// True for what can be a batch of ours whose creation we did not hear of: made then, and as large.
///
/// Nothing of our own stands in it until its results are there; they decide.
pub(super) fn may_be_ours(listed: &Value, batch: &OwedBatch) -> bool {
    let created = listed["created_at"].as_str().unwrap_or_default();
    let from = clock::render_utc(batch.begun.saturating_sub(CLOCK_SECONDS));
    let to = clock::render_utc(batch.begun + LATE_SECONDS);
    // Times of one form, up to the seconds: they compare as they are written.
    let is_then = created
        .get(..19)
        .is_some_and(|created| &from[..19] <= created && created <= &to[..19]);
    let counts = listed["request_counts"].as_object();
    let requests: u64 = counts
        .into_iter()
        .flat_map(|counts| counts.values())
        .filter_map(Value::as_u64)
        .sum();
    is_then && requests == batch.requests
}

/// A word that is not known says that it goes on.
pub(super) fn look(batch: &Value, id: &str) -> Look {
    let status = batch["processing_status"].as_str().unwrap_or_default();
    if !status.eq_ignore_ascii_case("ended") {
        return Look::UnderWay;
    }
    let address = batch["results_url"].as_str();
    if address.is_none() && batch["archived_at"].is_string() {
        let why = Some("the provider keeps its results no longer".to_owned());
        return Look::Ended {
            why,
            places: Vec::new(),
        };
    }
    let below = format!("{BATCHES}/{id}/results");
    let place = address.map_or(Place::Below(below.clone()), |address| Place::Named {
        address: address.to_owned(),
        below,
    });
    Look::Ended {
        why: None,
        places: vec![place],
    }
}

/// One line of the results.
pub(super) fn read(line: &Value) -> Line {
    let result = &line["result"];
    match result["type"].as_str().unwrap_or_default() {
        "succeeded" => Line::Answer(result["message"].clone()),
        "expired" => Line::NotRun("the batch expired".to_owned()),
        "canceled" | "cancelled" => Line::NotRun("the batch was cancelled".to_owned()),
        "errored" => {
            // One error within another: the inner one says what is wrong.
            let error = &result["error"];
            let status = match error["error"]["type"].as_str().unwrap_or_default() {
                "invalid_request_error" => 400,
                "not_found_error" => 404,
                "request_too_large" => 413,
                _ => {
                    let message = error["error"]["message"].as_str();
                    return Line::NotRun(fault::shortened(
                        message.unwrap_or("the provider failed"),
                    ));
                }
            };
            Line::Invalid(fault::of_status(
                status,
                &HeaderMap::new(),
                &error.to_string(),
            ))
        }
        _ => Line::NotRun("its result is of a kind that is not known".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_known_say_that_it_goes_on() {
        for status in ["in_progress", "canceling", "new", ""] {
            let batch = json!({ "processing_status": status });
            assert_eq!(look(&batch, "b"), Look::UnderWay, "{status}");
        }
        let below = || "messages/batches/b/results".to_owned();
        let ended = |places| Look::Ended { why: None, places };
        let batch = json!({ "processing_status": "Ended", "results_url": null });
        assert_eq!(look(&batch, "b"), ended(vec![Place::Below(below())]));
        let batch = json!({ "processing_status": "ended", "results_url": "https://x/y" });
        let named = Place::Named {
            address: "https://x/y".to_owned(),
            below: below(),
        };
        assert_eq!(look(&batch, "b"), ended(vec![named]));
        let batch = json!({ "processing_status": "ended", "archived_at": "2026-01-01T00:00:00Z" });
        assert!(
            matches!(look(&batch, "b"), Look::Ended { why: Some(_), places } if places.is_empty())
        );
    }
}

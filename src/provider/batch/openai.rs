//! OpenAI's Batch API, and what copies it: a file of lines, a batch of the file, two files of results.

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::line::{Line, Look, Place, is_id};
use crate::provider::fault;

/// Where each line goes, in every dialect of this protocol.
const ENDPOINT: &str = "/v1/chat/completions";
/// The name in a batch's metadata under which ours stands.
const RUN: &str = "git-merkle-run";
/// The provider takes 50,000.
pub(super) const REQUESTS_MAX: usize = 45_000;

pub(super) fn line(id: &str, body: &Value) -> Value {
    json!({ "custom_id": id, "method": "POST", "url": ENDPOINT, "body": body })
}

/// The file as a form, and its type. No line of JSON begins like the boundary.
pub(super) fn file(lines: &[String]) -> (&'static str, Vec<u8>) {
    let head = "--git-merkle-batch\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
                --git-merkle-batch\r\ncontent-disposition: form-data; name=\"file\"; filename=\"batch.jsonl\"\r\n\
                content-type: application/jsonl\r\n\r\n";
    let mut body = head.as_bytes().to_vec();
    body.reserve(lines.iter().map(|line| line.len() + 1).sum::<usize>() + 32);
    for line in lines {
        body.extend_from_slice(line.as_bytes());
        body.push(b'\n');
    }
    body.extend_from_slice(b"\r\n--git-merkle-batch--\r\n");
    ("multipart/form-data; boundary=git-merkle-batch", body)
}

/// The batch of a file.
pub(super) fn create(file: &str, run: &str) -> Value {
    json!({ "input_file_id": file, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": { RUN: run } })
}

/// True for the batch of this name of ours.
pub(super) fn is_ours(batch: &Value, run: &str) -> bool {
    batch["metadata"][RUN] == run
}

/// A word that is not known says that it goes on.
pub(super) fn look(batch: &Value) -> Look {
    let status = batch["status"]
        .as_str()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let why = match status.as_str() {
        "completed" => None,
        "expired" => Some("the batch expired".to_owned()),
        "cancelled" | "canceled" => Some("the batch was cancelled".to_owned()),
        "failed" => Some(failed(batch)),
        _ => return Look::UnderWay,
    };
    let files = ["output_file_id", "error_file_id"].map(|name| batch[name].as_str());
    let places = files.into_iter().flatten().filter(|id| is_id(id));
    Look::Ended {
        why,
        places: places
            .map(|id| Place::Below(format!("files/{id}/content")))
            .collect(),
    }
}

/// What the provider found wrong with the whole file.
fn failed(batch: &Value) -> String {
    let first = &batch["errors"]["data"][0];
    let message = first["message"]
        .as_str()
        .or_else(|| first["code"].as_str())
        .unwrap_or("it does not say why");
    let line = first["line"]
        .as_u64()
        .map(|line| format!(", line {line}"))
        .unwrap_or_default();
    format!(
        "the provider refused the batch{line}: {}",
        fault::shortened(message)
    )
}

/// One line of either file of results.
pub(super) fn read(line: &Value) -> Line {
    let response = &line["response"];
    let error = &line["error"];
    if response.is_null() {
        return Line::NotRun(match error["code"].as_str() {
            Some("batch_expired") => "the batch expired".to_owned(),
            Some("batch_cancelled" | "batch_canceled") => "the batch was cancelled".to_owned(),
            _ => fault::shortened(error["message"].as_str().unwrap_or("it does not say why")),
        });
    }
    match response["status_code"].as_u64() {
        Some(200..300) => Line::Answer(response["body"].clone()),
        // What is wrong with the request stays wrong; all else passes.
        Some(status @ (400 | 404 | 413 | 422)) => Line::Invalid(fault::of_status(
            u16::try_from(status).unwrap_or(u16::MAX),
            &HeaderMap::new(),
            &response["body"].to_string(),
        )),
        status => Line::NotRun(format!("status {}", status.unwrap_or(0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_known_say_that_it_goes_on() {
        let look = |status: &str| {
            look(&json!({ "status": status, "output_file_id": "file-1", "error_file_id": "../x" }))
        };
        for status in [
            "validating",
            "in_progress",
            "finalizing",
            "cancelling",
            "new",
            "",
        ] {
            assert_eq!(look(status), Look::UnderWay, "{status}");
        }
        let places = || vec![Place::Below("files/file-1/content".to_owned())];
        for (status, why) in [
            ("COMPLETED", None),
            ("expired", Some("the batch expired")),
            ("cancelled", Some("the batch was cancelled")),
            (
                "failed",
                Some("the provider refused the batch: it does not say why"),
            ),
        ] {
            let why = why.map(str::to_owned);
            let places = places();
            assert_eq!(look(status), Look::Ended { why, places }, "{status}");
        }
    }
}

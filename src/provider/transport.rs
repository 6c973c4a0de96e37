//! Bodies as they come in: never more of one than its kind may have, and never compressed.
//!
//! | body | most bytes |
//! |---|---|
//! | of an error | 64 KiB; what is longer is cut there |
//! | a list of models | 1 MiB |
//! | an answer as one document, or one event of a stream | 4 MiB |
//! | a whole stream | 64 MiB |
//!
//! A reader gives way after every piece, so that limits of time and Ctrl-C hold however fast bytes come.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use tokio::time::Instant;

use super::ProviderError;

/// Most bytes of the body of an error.
pub(super) const ERROR_BYTES_MAX: usize = 64 << 10;
/// Longest time for the body of an error, whose status says most of it.
const ERROR_TIME_MAX: Duration = Duration::from_secs(10);
/// Most bytes of a list of models.
pub(super) const LIST_BYTES_MAX: usize = 1 << 20;
/// Most bytes of an answer that comes as one document, of one event of a stream, and of the words of an answer.
pub(super) const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Most bytes of a whole stream: each word of an answer comes in an event that is many times as long.
pub(super) const STREAM_BYTES_MAX: usize = 64 << 20;

/// Why a body is not read to its end.
#[derive(Debug)]
pub(super) enum BodyError {
    /// The connection.
    Transport(reqwest::Error),
    /// There is more of it than is read.
    TooLong,
}

/// Refuses what is compressed: its size would say nothing about what it unpacks to.
pub(super) fn check_encoding(response: &Response) -> Result<(), ProviderError> {
    let encoding = response
        .headers()
        .get(CONTENT_ENCODING)
        .map(|value| String::from_utf8_lossy(value.as_bytes()));
    match encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        None => Ok(()),
        Some(encoding) => {
            let encoding: String = encoding
                .chars()
                .filter(char::is_ascii_graphic)
                .take(20)
                .collect();
            Err(ProviderError::Protocol(format!(
                "it is encoded as '{encoding}', which was not requested"
            )))
        }
    }
}

/// The media type of a response without its parameters, in lower case; empty when it names none.
pub(super) fn media_type(response: &Response) -> String {
    let header = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    header
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The next piece of a body. Gives way first: a body whose bytes are always there must not keep its thread.
pub(super) async fn piece(
    response: &mut Response,
) -> Result<Option<impl AsRef<[u8]> + use<>>, BodyError> {
    tokio::task::yield_now().await;
    response.chunk().await.map_err(BodyError::Transport)
}

/// A whole body, within this many bytes.
pub(super) async fn whole(response: &mut Response, bytes_max: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(piece) = piece(response).await? {
        if body.len() + piece.as_ref().len() > bytes_max {
            return Err(BodyError::TooLong);
        }
        body.extend_from_slice(piece.as_ref());
    }
    Ok(body)
}

/// The beginning of the body of an error, as far as it comes: what an error says stands at its front.
pub(super) async fn beginning(response: &mut Response) -> String {
    let (mut body, end) = (Vec::new(), Instant::now() + ERROR_TIME_MAX);
    while body.len() < ERROR_BYTES_MAX {
        let Ok(Ok(Some(piece))) = tokio::time::timeout_at(end, piece(response)).await else {
            break;
        };
        body.extend_from_slice(piece.as_ref());
    }
    body.truncate(ERROR_BYTES_MAX);
    String::from_utf8_lossy(&body).into_owned()
}

/// How a stream is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// Server-sent events: `data:` lines up to an empty one.
    Events,
    /// One document a line.
    Lines,
}

/// A stream cut into documents, each byte looked at once.
#[derive(Debug)]
pub(super) struct Documents {
    division: Division,
    /// What is left of the bytes so far: no line of it is whole.
    line: Vec<u8>,
    data: String,
    had_return: bool,
    taken: usize,
    /// Whole lines so far, comments included: signs of life.
    lines: u64,
}

impl Documents {
    pub(super) fn new(division: Division) -> Self {
        Self {
            division,
            line: Vec::new(),
            data: String::new(),
            had_return: false,
            taken: 0,
            lines: 0,
        }
    }

    /// Takes bytes; the documents that they bring to an end are put out.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<String>) -> Result<(), BodyError> {
        self.taken += bytes.len();
        if self.taken > STREAM_BYTES_MAX {
            return Err(BodyError::TooLong);
        }
        let mut rest = bytes;
        // A line ends with LF, CR or both.
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_second = at == 0 && rest[0] == b'\n' && self.had_return && self.line.is_empty();
            self.had_return = rest[at] == b'\r';
            if !is_second {
                self.line.extend_from_slice(&rest[..at]);
                self.end_line(out);
            }
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            self.had_return = false;
        }
        self.line.extend_from_slice(rest);
        if self.line.len() + self.data.len() > ANSWER_BYTES_MAX {
            Err(BodyError::TooLong)
        } else {
            Ok(())
        }
    }

    /// The stream has ended: what is left is a document too.
    pub(super) fn finish(&mut self, out: &mut Vec<String>) {
        self.end_line(out);
        if !self.data.is_empty() {
            out.push(std::mem::take(&mut self.data));
        }
    }

    /// How many lines there were.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    fn end_line(&mut self, out: &mut Vec<String>) {
        self.lines += 1;
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim();
        match self.division {
            Division::Lines if !line.is_empty() => out.push(line.to_owned()),
            Division::Lines => {}
            Division::Events if line.is_empty() => {
                if !self.data.is_empty() {
                    out.push(std::mem::take(&mut self.data));
                }
            }
            Division::Events => {
                if let Some(data) = line.strip_prefix("data:") {
                    if !self.data.is_empty() {
                        self.data.push('\n');
                    }
                    self.data.push_str(data.trim());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(division: Division, pieces: &[&[u8]]) -> Vec<String> {
        let (mut documents, mut out) = (Documents::new(division), Vec::new());
        for piece in pieces {
            documents.push(piece, &mut out).expect("short");
        }
        documents.finish(&mut out);
        out
    }

    #[test]
    fn events_and_lines_are_told_apart() {
        let stream = ": hello\n\nevent: x\ndata: {\"a\":1}\n\ndata: one\ndata: two\r\n\r\ndata:[DONE]\r\rdata: last";
        assert_eq!(
            cut(Division::Events, &[stream.as_bytes()]),
            ["{\"a\":1}", "one\ntwo", "[DONE]", "last"]
        );
        assert_eq!(
            cut(Division::Lines, &[b"{\"a\":1}\n\n{\"b\":2}\r\n{\"c\":3}"]),
            ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]
        );
        assert_eq!(cut(Division::Events, &[b""]), Vec::<String>::new());
    }

    #[test]
    fn what_has_no_end_is_not_kept() {
        let (mut documents, mut out) = (Documents::new(Division::Events), Vec::new());
        let piece = vec![0; 1 << 20];
        let refused = (0..8).find(|_| documents.push(&piece, &mut out).is_err());
        assert_eq!((refused, out.len()), (Some(4), 0));
        let mut documents = Documents::new(Division::Events);
        let comments = b": still there\n\n".repeat(70_000);
        assert!(
            (0..100).any(|_| documents.push(&comments, &mut out).is_err()),
            "comments have an end too"
        );
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "(data: |[a-z]|\r|\n|é){0,60}", at in 0_usize..60) {
            let bytes = text.as_bytes();
            let at = at.min(bytes.len());
            for division in [Division::Events, Division::Lines] {
                prop_assert_eq!(cut(division, &[bytes]), cut(division, &[&bytes[..at], &bytes[at..]]));
            }
        }
    }
}

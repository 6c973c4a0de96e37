//! A model behind an endpoint: one request, one answer or one failure.
//!
//! An answer is whole only with the end that its protocol has; what ends otherwise is thrown away. Every body has a
//! limit of bytes, and limits of time hold however fast bytes come. A server that answers at once though the request was for
//! pieces is understood all the same.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::Value;
use tokio::time::Instant;

use super::api_key::ApiKey;
use super::ask::{Provider, ReplyFuture, TextSink};
use super::definition::Definition;
use super::kind::ProviderKind;
use super::protocol::{self, IncomingAnswer, Stop};
use super::transport::{self, ANSWER_BYTES_MAX, BodyError, Division, Documents};
use super::{Charge, Failure, ProviderError, fault, http, key, wire};
use crate::base::printable::is_safe;
use crate::chat::{Answer, Capabilities, Reply, Request, Usage};
use crate::secret::Scanner;

/// How long the end of a body is waited for once the answer has ended.
const LAST_WAIT: Duration = Duration::from_millis(50);
/// Shortest run of words that an error shares with the request and is then not repeated.
const SHARED_BYTES_MIN: usize = 24;

/// A model behind an endpoint.
#[derive(Clone)]
pub(super) struct Model {
    pub(super) definition: Definition,
    pub(super) key: Option<ApiKey>,
    client: OnceLock<Result<Client, String>>,
}

type Attempt = Result<Answer, (ProviderError, Charge)>;

impl Model {
    pub(super) fn new(definition: Definition, key: Option<ApiKey>) -> Self {
        Self {
            definition,
            key,
            client: OnceLock::new(),
        }
    }

    pub(super) fn client(&self) -> Result<&Client, ProviderError> {
        let made = self.client.get_or_init(|| http::client(&self.definition));
        made.as_ref()
            .map_err(|reason| self.definition.not_configured(reason))
    }

    async fn ask(
        &self,
        request: &Request,
        on_text: TextSink<'_>,
        heard: &mut IncomingAnswer,
    ) -> Attempt {
        let definition = &self.definition;
        let client = self.client().map_err(|error| (error, Charge::Nothing))?;
        let streams = wire::streams(request, definition);
        let body = protocol::body(request, definition);
        let path = protocol::path(definition, streams);
        let sent = http::post(client, definition, self.key.as_ref(), &path, &body);
        // Before the first piece, a model may have to be loaded and the request to be read.
        let first = if streams {
            definition.first_timeout
        } else {
            definition.timeout
        };
        let sent = tokio::time::timeout(first, sent)
            .await
            .map_err(|_| (ProviderError::Timeout(first), Charge::Unknown))?;
        let mut response = sent.map_err(|error| self.of_body(&BodyError::Transport(error)))?;
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            let (headers, body) = (
                response.headers().clone(),
                transport::beginning(&mut response).await,
            );
            return Err((fault::of_status(status, &headers, &body), Charge::Nothing));
        }
        transport::check_encoding(&response).map_err(|error| (error, Charge::Unknown))?;
        self.read(response, streams, on_text, heard).await
    }

    /// Reads an answer as its content type says: at once, or piece by piece.
    async fn read(
        &self,
        response: Response,
        streams: bool,
        on_text: TextSink<'_>,
        heard: &mut IncomingAnswer,
    ) -> Attempt {
        let media_type = transport::media_type(&response);
        let division = if self.definition.kind == ProviderKind::Ollama {
            Division::Lines
        } else {
            Division::Events
        };
        match (streams, media_type.as_str()) {
            (true, "text/event-stream" | "application/x-ndjson" | "") => {
                self.stream(response, division, on_text, heard).await
            }
            (true, "application/json") if division == Division::Lines => {
                self.stream(response, division, on_text, heard).await
            }
            (_, "application/json" | "") => self.whole(response, heard).await,
            (_, other) => {
                let other: String = other
                    .chars()
                    .filter(char::is_ascii_graphic)
                    .take(40)
                    .collect();
                let wanted = if streams {
                    "a stream of events"
                } else {
                    "JSON"
                };
                Err(unknown(&format!(
                    "its content type is '{other}', not {wanted}"
                )))
            }
        }
    }

    /// Reads an answer that comes piece by piece.
    async fn stream(
        &self,
        mut response: Response,
        division: Division,
        on_text: TextSink<'_>,
        heard: &mut IncomingAnswer,
    ) -> Attempt {
        let (mut documents, mut out) = (Documents::new(division), Vec::new());
        let (idle, mut has_events) = (self.definition.idle_timeout, false);
        let (mut lines, mut silent_from, mut patience) =
            (0, Instant::now(), self.definition.first_timeout);
        while !heard.is_ended {
            let piece =
                tokio::time::timeout_at(silent_from + patience, transport::piece(&mut response))
                    .await;
            let Ok(piece) = piece else {
                return Err((ProviderError::Timeout(patience), Charge::Unknown));
            };
            let is_over = match piece {
                Ok(Some(piece)) => {
                    documents
                        .push(piece.as_ref(), &mut out)
                        .map_err(|error| self.of_body(&error))?;
                    false
                }
                Ok(None) => {
                    documents.finish(&mut out);
                    true
                }
                Err(_) if has_events => return Err((ProviderError::BrokenOff, Charge::Unknown)),
                Err(error) => return Err(self.of_body(&error)),
            };
            for document in out.drain(..) {
                has_events = true;
                self.take(&document, on_text, heard)?;
            }
            if documents.lines() > lines {
                // Comments are no events, but no silence either; bytes without an end of a line are.
                (lines, silent_from, patience) = (documents.lines(), Instant::now(), idle);
            } else if silent_from.elapsed() > patience {
                return Err((ProviderError::Timeout(patience), Charge::Unknown));
            }
            if is_over {
                break;
            }
        }
        if heard.is_ended {
            // The end of the body is read as well, if it is there, so that the connection can be used again.
            let _ = tokio::time::timeout(LAST_WAIT, transport::piece(&mut response)).await;
        }
        if has_events {
            judge(heard)
        } else {
            Err((ProviderError::NoEvent, Charge::Unknown))
        }
    }

    /// Takes one document of a stream.
    fn take(
        &self,
        document: &str,
        on_text: TextSink<'_>,
        heard: &mut IncomingAnswer,
    ) -> Result<(), (ProviderError, Charge)> {
        if document == "[DONE]" {
            heard.is_ended = true;
            return Ok(());
        }
        let document: Value =
            serde_json::from_str(document).map_err(|_| unknown("an event is no JSON"))?;
        if let Some(error) = fault::of_document(&document) {
            return Err((error, Charge::Unknown));
        }
        protocol::hear(self.definition.kind, &document, heard);
        let piece = heard.take_piece();
        if !piece.is_empty() {
            on_text(&piece);
        }
        if heard.text.len() > ANSWER_BYTES_MAX {
            return Err(unknown("there is no end to it"));
        }
        Ok(())
    }

    /// Reads an answer that comes as one document.
    async fn whole(&self, mut response: Response, heard: &mut IncomingAnswer) -> Attempt {
        let body = transport::whole(&mut response, ANSWER_BYTES_MAX)
            .await
            .map_err(|error| self.of_body(&error))?;
        let document: Value =
            serde_json::from_slice(&body).map_err(|_| unknown("the JSON is broken"))?;
        drop(body);
        self.judge_document(&document, heard)
    }

    /// What a whole answer in one document is worth.
    fn judge_document(&self, document: &Value, heard: &mut IncomingAnswer) -> Attempt {
        if let Some(error) = fault::of_document(document) {
            return Err((error, Charge::Unknown));
        }
        protocol::hear(self.definition.kind, document, heard);
        heard.take_piece();
        if !heard.is_understood {
            return Err(unknown("the JSON has another form"));
        }
        judge(heard)
    }

    /// What an answer in one document took, by the provider's count.
    pub(super) fn usage(&self, document: &Value) -> Option<Usage> {
        let mut heard = IncomingAnswer::default();
        protocol::hear(self.definition.kind, document, &mut heard);
        heard.usage()
    }

    /// The same for an answer that was kept.
    pub(super) fn kept(&self, document: &Value, request: &Request) -> Result<Answer, Failure> {
        let mut heard = IncomingAnswer::default();
        match self.judge_document(document, &mut heard) {
            Ok(Answer::Ready(reply)) => Ok(Answer::Ready(self.without_keys(reply))),
            Ok(pending) => Ok(pending),
            Err((error, charge)) => Err(self.failure(error, charge, heard, request)),
        }
    }

    fn of_body(&self, error: &BodyError) -> (ProviderError, Charge) {
        fault::of_body(error, self.definition.timeout, Charge::Unknown)
    }

    async fn attempt(&self, request: &Request, on_text: TextSink<'_>) -> Result<Answer, Failure> {
        let mut heard = IncomingAnswer::default();
        let limit = self.definition.timeout;
        let asked = tokio::time::timeout(limit, self.ask(request, on_text, &mut heard)).await;
        let (error, charge) = match asked {
            Ok(Ok(Answer::Ready(reply))) => return Ok(Answer::Ready(self.without_keys(reply))),
            Ok(Ok(pending)) => return Ok(pending),
            Ok(Err(failed)) => failed,
            Err(_) => (ProviderError::Timeout(limit), Charge::Unknown),
        };
        let error = self.completed(error).await;
        Err(self.failure(error, charge, heard, request))
    }

    /// A failure with what had come of the answer.
    fn failure(
        &self,
        error: ProviderError,
        charge: Charge,
        heard: IncomingAnswer,
        request: &Request,
    ) -> Failure {
        let error = self.safe(error, Some(request));
        let answered_in_part = !heard.text.is_empty();
        let partial = (answered_in_part && error == ProviderError::Truncated).then(|| {
            let (model, usage) = (heard.model(), heard.usage());
            Box::new(self.without_keys(Reply {
                text: heard.text,
                model,
                usage,
                worker: None,
            }))
        });
        Failure {
            error,
            charge,
            answered_in_part,
            partial,
        }
    }

    /// Adds the models that there are.
    async fn completed(&self, error: ProviderError) -> ProviderError {
        let ProviderError::ModelNotFound { .. } = error else {
            return error;
        };
        let available = match self.client() {
            Ok(client) => http::models(client, &self.definition, self.key.as_ref())
                .await
                .unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        ProviderError::ModelNotFound {
            model: self.definition.model().unwrap_or_default().to_owned(),
            available,
        }
    }

    /// The same answer without a key, and without a name of a model that looks like a secret: both are kept, and travel.
    fn without_keys(&self, reply: Reply) -> Reply {
        let clean = |text: String| key::redact_answer(text, &self.definition, self.key.as_ref());
        let is_name = |name: &String| Scanner::built_in().find(name.as_bytes()).is_empty();
        Reply {
            text: clean(reply.text),
            model: reply.model.map(clean).filter(is_name),
            ..reply
        }
    }

    /// The same failure without a key, and without words of the request, which some servers repeat.
    pub(super) fn safe(&self, error: ProviderError, request: Option<&Request>) -> ProviderError {
        error.map_text(|text| self.clean(&text, request))
    }

    /// What a provider says, for the same reasons.
    pub(super) fn clean(&self, text: &str, request: Option<&Request>) -> String {
        let text = key::redact(text, self.key.iter().chain(self.definition.secrets()));
        if request.is_some_and(|request| shares_words(&text, request)) {
            "it repeats the request".to_owned()
        } else {
            text
        }
    }

    async fn check(&self) -> Result<(), ProviderError> {
        let listed = http::models(self.client()?, &self.definition, self.key.as_ref()).await;
        let model = self.definition.model().unwrap_or_default();
        match listed {
            Err(error) => Err(self.safe(error, None)),
            Ok(available)
                if available.is_empty()
                    || available.iter().any(|name| is_same_model(name, model)) =>
            {
                Ok(())
            }
            Ok(available) => Err(ProviderError::ModelNotFound {
                model: model.to_owned(),
                available,
            }),
        }
    }
}

impl Provider for Model {
    fn capabilities(&self) -> &Capabilities {
        &self.definition.capabilities
    }

    fn validate(&self) -> ReplyFuture<'_, (), ProviderError> {
        Box::pin(self.check())
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: TextSink<'a>,
    ) -> ReplyFuture<'a, Answer, Failure> {
        Box::pin(self.attempt(request, on_text))
    }
}

/// What an answer that has come to its end is worth.
fn judge(heard: &mut IncomingAnswer) -> Attempt {
    let usage = heard.usage();
    let charge = usage.map_or(Charge::Unknown, Charge::Usage);
    if heard.is_refused {
        return Err((
            ProviderError::Refused("the model declines".to_owned()),
            charge,
        ));
    }
    match &heard.stop {
        None => return Err((ProviderError::BrokenOff, Charge::Unknown)),
        Some(Stop::Refused(reason)) => {
            return Err((ProviderError::Refused(reason.clone()), charge));
        }
        Some(Stop::Length) => return Err((ProviderError::Truncated, charge)),
        Some(Stop::Tool) => {
            return Err((
                ProviderError::Protocol("it calls a tool, and was given none".to_owned()),
                charge,
            ));
        }
        Some(Stop::Paused) => {
            return Err((
                ProviderError::Protocol("it pauses in the middle of its turn".to_owned()),
                charge,
            ));
        }
        Some(Stop::Done) => {}
    }
    // Characters that cannot be seen say nothing.
    if !heard
        .text
        .chars()
        .any(|letter| is_safe(letter) && !letter.is_whitespace())
    {
        return Err((
            ProviderError::Protocol("the answer is empty".to_owned()),
            charge,
        ));
    }
    Ok(Answer::Ready(Reply {
        text: std::mem::take(&mut heard.text),
        model: heard.model(),
        usage,
        worker: None,
    }))
}

fn unknown(reason: &str) -> (ProviderError, Charge) {
    (ProviderError::Protocol(reason.to_owned()), Charge::Unknown)
}

/// Ollama's `name` stands for `name:latest`.
fn is_same_model(listed: &str, wanted: &str) -> bool {
    listed == wanted || listed.strip_suffix(":latest") == Some(wanted)
}

/// True when a text has a longer run of words in common with a request.
fn shares_words(text: &str, request: &Request) -> bool {
    let ends = |start: usize| {
        text.get(start..)
            .filter(|rest| rest.len() >= SHARED_BYTES_MIN)
    };
    let runs = text.char_indices().filter_map(|(start, _)| {
        let rest = ends(start)?;
        (SHARED_BYTES_MIN..=rest.len()).find_map(|end| rest.get(..end))
    });
    let runs: Vec<&str> = runs.collect();
    request
        .messages
        .iter()
        .any(|message| runs.iter().any(|run| message.text.contains(run)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Role};

    #[test]
    fn words_of_the_request_are_recognized() {
        let words = "fn main() { println!(\"hello\"); } // the whole file";
        let request = Request {
            messages: vec![Message::new(Role::User, words)],
            ..Request::default()
        };
        assert!(shares_words(
            "status 400: cannot parse 'fn main() { println!(\"hello\"); }'",
            &request
        ));
        assert!(!shares_words("status 400: prompt is too long", &request));
    }
}

//! What is said to the provider about batches, over the model's own client and with its key.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use reqwest::Response;
use serde_json::Value;

use super::files::RESULTS_BYTES_MAX;
use super::line::{Line, Look, Place, is_id};
use super::{OwedBatch, anthropic, openai};
use crate::base::{BasisId, clock};
use crate::chat::{Answer, Request};
use crate::provider::endpoint::Endpoint;
use crate::provider::http::{self, Outgoing};
use crate::provider::kind::ProviderKind;
use crate::provider::ledger::Spend;
use crate::provider::model::Model;
use crate::provider::price::Prices;
use crate::provider::transport::{self, ANSWER_BYTES_MAX, BodyError, LIST_BYTES_MAX};
use crate::provider::{Charge, Failure, ProviderError, fault, protocol, retry, worst_case};

/// Longest time for a short question about a batch.
const SHORT_TIMEOUT: Duration = Duration::from_secs(30);
const JSON: &str = "application/json";
/// Batches on a page of the provider's list, and pages that are looked at.
const LIST_LIMIT: usize = 100;
const PAGES_MAX: usize = 20;

/// Speaks with one provider about batches.
#[derive(Clone)]
pub struct BatchClient {
    model: Model,
}

/// What became of a request that went out in a batch.
#[derive(Debug)]
pub enum BatchOutcome {
    /// It was run.
    Run(Result<Answer, Failure>),
    /// It was not run, or failed on the provider's side: why.
    NotRun(String),
    /// The provider finds fault with the request itself.
    Invalid(String),
}

/// Why there is no batch.
#[derive(Debug)]
pub(super) struct NotCreated {
    pub(super) error: ProviderError,
    /// True when it may be there all the same: the answer is what was lost.
    pub(super) may_exist: bool,
}

impl BatchClient {
    pub(in crate::provider) fn new(model: Model) -> Self {
        Self { model }
    }

    /// What tokens cost in a batch; `None` when no price is known.
    #[must_use]
    pub fn prices(&self) -> Option<&Prices> {
        self.model.definition.batch_prices.as_ref()
    }

    /// True for a batch of this provider, where it still is.
    #[must_use]
    pub fn is_of(&self, batch: &OwedBatch) -> bool {
        batch.provider == self.name() && batch.endpoint == self.endpoint().as_str()
    }

    pub(super) fn name(&self) -> &str {
        &self.model.definition.name
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        let endpoint = self.model.definition.endpoint.as_ref();
        endpoint.expect("a model is connected with an endpoint")
    }

    /// True where a batch whose creation we did not hear of is told from others by its time and size alone.
    pub(super) fn guesses(&self) -> bool {
        self.is_anthropic()
    }

    fn is_anthropic(&self) -> bool {
        self.model.definition.kind == ProviderKind::Anthropic
    }

    pub(super) fn requests_max(&self) -> usize {
        if self.is_anthropic() {
            anthropic::REQUESTS_MAX
        } else {
            openai::REQUESTS_MAX
        }
    }

    /// A request as it stands in a batch: the body that goes out otherwise, but for what asks for it piece by piece.
    pub(super) fn line(&self, basis: &BasisId, request: &Request) -> String {
        let at_once = Request {
            at_once: true,
            ..request.clone()
        };
        let mut body = protocol::body(&at_once, &self.model.definition);
        if let Some(fields) = body.as_object_mut() {
            fields.shift_remove("stream");
        }
        let line = if self.is_anthropic() {
            anthropic::line
        } else {
            openai::line
        };
        line(&basis.to_string(), &body).to_string()
    }

    /// The most that a request can take.
    pub(super) fn worst_case(&self, request: &Request) -> Spend {
        let output = worst_case::output_tokens_max(request, &self.model.definition.capabilities);
        worst_case::worst_case(request, output, self.prices())
    }

    /// Creates a batch; its id.
    pub(super) async fn create(&self, run: &str, lines: &[String]) -> Result<String, NotCreated> {
        // A file that no batch was made of does nothing, and the provider removes it.
        let harmless = |error| NotCreated {
            error,
            may_exist: false,
        };
        let (path, body) = if self.is_anthropic() {
            (anthropic::BATCHES, anthropic::create(lines))
        } else {
            let (kind, body) = openai::file(lines);
            let sent = self.post("files", kind, body).await;
            let document = sent.map_err(|failed| harmless(failed.error))?;
            let file = id_of(&document).map_err(harmless)?;
            let body = openai::create(&file, run).to_string().into_bytes();
            ("batches", body)
        };
        let document = self.post(path, JSON, body).await?;
        id_of(&document).map_err(|error| NotCreated {
            error,
            may_exist: true,
        })
    }

    /// Looks for a batch whose creation we did not hear of among those that the provider lists.
    pub(super) async fn find(
        &self,
        batch: &OwedBatch,
        taken: &HashSet<String>,
    ) -> Result<Option<String>, ProviderError> {
        let path = self.batches();
        let after = if self.is_anthropic() {
            "after_id"
        } else {
            "after"
        };
        let (mut last, mut found) = (String::new(), None);
        for _ in 0..PAGES_MAX {
            let from = if last.is_empty() {
                String::new()
            } else {
                format!("&{after}={last}")
            };
            let document = self
                .get(&format!("{path}?limit={LIST_LIMIT}{from}"))
                .await?;
            let listed = document["data"].as_array().ok_or_else(|| {
                ProviderError::Protocol("its list of batches has another form".to_owned())
            })?;
            // The newest stand first, and ours is the first that was made after we sent it.
            for one in listed {
                let Some(id) = one["id"].as_str().filter(|id| is_id(id)) else {
                    continue;
                };
                let is_ours = if self.is_anthropic() {
                    anthropic::may_be_ours(one, batch)
                        && !taken.contains(id)
                        && !batch.foreign.iter().any(|foreign| foreign == id)
                } else {
                    openai::is_ours(one, &batch.run)
                };
                if is_ours {
                    found = Some(id.to_owned());
                }
                id.clone_into(&mut last);
            }
            if document["has_more"] != true || listed.is_empty() || found.is_some() {
                break;
            }
        }
        Ok(found)
    }

    /// How a batch stands.
    pub(super) async fn look(&self, id: &str) -> Result<Look, ProviderError> {
        let document = self.get(&format!("{}/{id}", self.batches())).await?;
        Ok(if self.is_anthropic() {
            anthropic::look(&document, id)
        } else {
            openai::look(&document)
        })
    }

    /// Asks for the end of a batch; what has been run is paid for, and is collected as ever.
    pub(super) async fn cancel(&self, id: &str) -> Result<(), ProviderError> {
        let path = format!("{}/{id}/cancel", self.batches());
        let sent = self.post(&path, JSON, b"{}".to_vec());
        sent.await.map(drop).map_err(|failed| failed.error)
    }

    /// The results of a batch, one place after the other. Cut off on the way they are none.
    pub(super) async fn results(&self, places: &[Place]) -> Result<Vec<u8>, ProviderError> {
        let mut all = Vec::new();
        for place in places {
            let address = self.address(place);
            let mut response = self.sent(address, None, self.patience()).await?;
            while let Some(piece) = self.piece(&mut response).await? {
                if all.len() + piece.as_ref().len() > RESULTS_BYTES_MAX {
                    return Err(ProviderError::Protocol("there is no end to it".to_owned()));
                }
                all.extend_from_slice(piece.as_ref());
            }
            if all.last().is_some_and(|last| *last != b'\n') {
                all.push(b'\n');
            }
        }
        Ok(all)
    }

    /// Where the lines of a batch's requests stand, of each the first; how many others there are.
    pub fn lines(
        results: &[u8],
        is_ours: impl Fn(&BasisId) -> bool,
    ) -> Result<(HashMap<BasisId, Range<usize>>, u64), ProviderError> {
        let (mut lines, mut others, mut at) = (HashMap::new(), 0, 0);
        for line in results.split(|byte| *byte == b'\n') {
            let range = at..at + line.len();
            at = range.end + 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let id = basis_of(line)?;
            match id.filter(|id| is_ours(id)) {
                Some(id) => drop(lines.entry(id).or_insert(range)),
                None => others += 1,
            }
        }
        Ok((lines, others))
    }

    fn read(&self, line: &[u8]) -> Line {
        let document: Value = serde_json::from_slice(line).unwrap_or(Value::Null);
        if self.is_anthropic() {
            anthropic::read(&document)
        } else {
            openai::read(&document)
        }
    }

    /// What a line of results says about its request.
    #[must_use]
    pub fn outcome(&self, line: &[u8], request: &Request) -> BatchOutcome {
        match self.read(line) {
            Line::Answer(document) => BatchOutcome::Run(self.model.kept(&document, request)),
            Line::NotRun(why) => BatchOutcome::NotRun(self.model.clean(&why, Some(request))),
            Line::Invalid(error) => {
                BatchOutcome::Invalid(self.model.safe(error, Some(request)).to_string())
            }
        }
    }

    /// What a line has cost, as it is billed: only what was run.
    pub(super) fn took(&self, line: &[u8], worst: Spend) -> Spend {
        let document = match self.read(line) {
            Line::Answer(document) => document,
            // Turned away, which counts as a call here as elsewhere.
            Line::Invalid(_) => {
                return Spend {
                    calls: 1,
                    ..Spend::default()
                };
            }
            Line::NotRun(_) => return Spend::default(),
        };
        // What the provider does not count, or counts beyond all reason, is booked in full.
        let told = self.model.usage(&document);
        let usage = told.filter(|usage| worst_case::is_possible(usage, worst.tokens));
        usage.map_or(worst, |usage| Spend {
            calls: 1,
            tokens: usage.tokens(),
            nano_dollars: self.prices().map(|prices| prices.cost(&usage)),
        })
    }

    fn batches(&self) -> &'static str {
        if self.is_anthropic() {
            anthropic::BATCHES
        } else {
            "batches"
        }
    }

    /// An address that the provider names is used where its key may go there.
    fn address(&self, place: &Place) -> String {
        match place {
            Place::Below(path) => self.endpoint().below(path),
            Place::Named { address, below } => {
                if self.endpoint().has_origin(address) {
                    address.clone()
                } else {
                    self.endpoint().below(below)
                }
            }
        }
    }

    fn patience(&self) -> Duration {
        self.model.definition.timeout
    }

    async fn get(&self, path: &str) -> Result<Value, ProviderError> {
        let address = self.endpoint().below(path);
        let mut response = self.sent(address, None, SHORT_TIMEOUT).await?;
        self.document(&mut response).await
    }

    async fn post(
        &self,
        path: &str,
        kind: &'static str,
        body: Vec<u8>,
    ) -> Result<Value, NotCreated> {
        let address = self.endpoint().below(path);
        let body = Some((kind, body));
        let mut response = self.sent(address, body, self.patience()).await?;
        let document = self.document(&mut response).await;
        document.map_err(|error| NotCreated {
            error,
            may_exist: true,
        })
    }

    /// Sends one request; a status that is no success is an error.
    async fn sent(
        &self,
        address: String,
        body: Option<(&'static str, Vec<u8>)>,
        patience: Duration,
    ) -> Result<Response, NotCreated> {
        let refused = |error, may_exist| NotCreated {
            error: self.model.safe(error, None),
            may_exist,
        };
        let client = self.model.client().map_err(|error| refused(error, false))?;
        let (definition, key) = (&self.model.definition, self.model.key.as_ref());
        let sent = http::send(client, definition, key, Outgoing { address, body });
        let sent = tokio::time::timeout(patience, sent)
            .await
            .map_err(|_| refused(ProviderError::Timeout(patience), true))?;
        let mut response = sent.map_err(|error| {
            let (error, charge) = fault::of_transport(&error, patience, Charge::Unknown);
            refused(error, charge != Charge::Nothing)
        })?;
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            let headers = response.headers().clone();
            let text = transport::beginning(&mut response).await;
            let error = fault::of_status(status, &headers, &text);
            // An overloaded provider turns a request away; one that fails, or a gateway before it, may have taken it.
            let is_turned_away = status < 500 || matches!(status, 503 | 529);
            return Err(refused(error, !is_turned_away));
        }
        transport::check_encoding(&response).map_err(|error| refused(error, true))?;
        Ok(response)
    }

    async fn document(&self, response: &mut Response) -> Result<Value, ProviderError> {
        let read = transport::whole(response, LIST_BYTES_MAX);
        let body = tokio::time::timeout(SHORT_TIMEOUT, read)
            .await
            .map_err(|_| ProviderError::Timeout(SHORT_TIMEOUT))?;
        let body = body.map_err(|error| cut_off(&error, SHORT_TIMEOUT))?;
        serde_json::from_slice(&body)
            .map_err(|_| ProviderError::Protocol("what it says of batches is no JSON".to_owned()))
    }

    async fn piece(
        &self,
        response: &mut Response,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, ProviderError> {
        let idle = self.model.definition.idle_timeout;
        let piece = tokio::time::timeout(idle, transport::piece(response))
            .await
            .map_err(|_| ProviderError::Timeout(idle))?;
        piece.map_err(|error| cut_off(&error, idle))
    }
}

impl From<NotCreated> for ProviderError {
    fn from(failed: NotCreated) -> Self {
        failed.error
    }
}

fn cut_off(error: &BodyError, patience: Duration) -> ProviderError {
    fault::of_body(error, patience, Charge::Nothing).0
}

fn id_of(document: &Value) -> Result<String, ProviderError> {
    let id = document["id"].as_str().filter(|id| is_id(id));
    id.map(str::to_owned)
        .ok_or_else(|| ProviderError::Protocol("what it made has no id".to_owned()))
}

/// Whom a line is for; `None` for what is no id of ours. A line that is no JSON was cut off.
fn basis_of(line: &[u8]) -> Result<Option<BasisId>, ProviderError> {
    #[derive(serde::Deserialize)]
    struct Head {
        custom_id: Option<String>,
    }
    if line.len() > ANSWER_BYTES_MAX {
        return Ok(None);
    }
    let head: Head = serde_json::from_slice(line).map_err(|_| ProviderError::BrokenOff)?;
    Ok(head.custom_id.and_then(|id| id.parse().ok()))
}

/// Does something again that failed and may be done again, after a pause.
pub(super) async fn patiently<T>(
    mut attempt: impl AsyncFnMut() -> Result<T, ProviderError>,
) -> Result<T, ProviderError> {
    let mut number = 1;
    loop {
        let error = match attempt().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let Some(pause) = pause(&error, number) else {
            return Err(error);
        };
        number += 1;
        tokio::time::sleep(pause).await;
    }
}

/// How long to wait before a failed question is put again; `None` when there is no use.
pub(super) fn pause(error: &ProviderError, attempt: u32) -> Option<Duration> {
    if *error == ProviderError::BrokenOff {
        return (attempt < retry::RETRIES_MAX).then_some(Duration::ZERO);
    }
    retry::pause(error, attempt, false, clock::random_part())
}

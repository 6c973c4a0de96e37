//! A provider that takes batches, on 127.0.0.1: OpenAI's Batch API and Anthropic's Message Batches over [`Loopback`].
//!
//! A batch ends at the first look, or when the test says so ([`BatchServer::hold`], [`BatchServer::end`]). What each
//! request comes to is decided by [`Fate`], by the words in it; faults are played once each, by the kind of request that they
//! are for. Answers outside of batches get the same words, so that small levels may go live.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::loopback::{Loopback, Recorded, Scripted};
use crate::generate::Protocol;

/// What a request in a batch comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Answer,
    /// An answer that was cut at its limit, under the name of a success.
    Cut,
    /// An answer whose tokens are not counted.
    Uncounted,
    Expired,
    Cancelled,
    /// The provider failed.
    Failed,
    /// The request itself is at fault.
    Invalid,
    /// There is no line about it.
    Missing,
}

/// A kind of request about batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Upload,
    Create,
    List,
    Look,
    Results,
    Cancel,
    /// A request that goes out alone.
    Live,
}

/// What goes wrong with one request.
#[derive(Debug, Clone)]
pub(crate) enum Trouble {
    /// This comes instead.
    Instead(Scripted),
    /// It is done, and this comes.
    After(Scripted),
    /// The connection breaks off in the middle of the results.
    Half,
    /// The results end between two lines, and look whole.
    Fewer,
}

const LINES: &str = "application/jsonl";
/// Batches on a page of the list.
const PAGE: usize = 2;

/// One batch as the provider has it.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) id: String,
    /// Every request: its id, and its body.
    pub(crate) requests: Vec<(String, Value)>,
    metadata: Value,
    created: u64,
    status: &'static str,
}

struct State {
    protocol: Protocol,
    files: BTreeMap<String, String>,
    batches: Vec<Kept>,
    troubles: VecDeque<(Call, Trouble)>,
    /// Batches end by themselves at the first look.
    ends: bool,
    /// Lines about requests of others, and one line twice.
    is_odd: bool,
    base: String,
}

/// A running server.
pub(crate) struct BatchServer {
    state: Arc<Mutex<State>>,
}

type Fates = dyn Fn(&str) -> Fate;

impl BatchServer {
    /// Serves batches whose requests come to what `fate` says of the paths in them.
    pub(crate) fn start(
        protocol: Protocol,
        fate: impl Fn(&str) -> Fate + Send + Sync + 'static,
    ) -> (Self, Loopback) {
        let batches = Self::new(protocol);
        let shared = Self {
            state: Arc::clone(&batches.state),
        };
        let server = Loopback::start(move |request| shared.serve(request, &fate));
        lock(&batches.state).base = server.endpoint();
        (batches, server)
    }

    /// The same without a server of its own.
    pub(crate) fn new(protocol: Protocol) -> Self {
        let state = State {
            protocol,
            files: BTreeMap::new(),
            batches: Vec::new(),
            troubles: VecDeque::new(),
            ends: true,
            is_odd: false,
            base: String::new(),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// What a request leads to.
    pub(crate) fn serve(&self, request: &Recorded, fate: &Fates) -> Scripted {
        let mut state = lock(&self.state);
        let call = call_of(request);
        let at = state.troubles.iter().position(|(kind, _)| *kind == call);
        match at.and_then(|at| state.troubles.remove(at)) {
            Some((_, Trouble::Instead(scripted))) => scripted,
            Some((_, Trouble::After(scripted))) => {
                drop(state.serve(call, request, fate));
                scripted
            }
            Some((_, Trouble::Half)) => Scripted::half(LINES, &state.results(request, fate)),
            Some((_, Trouble::Fewer)) => {
                let results = state.results(request, fate);
                let lines: Vec<&str> = results.split_inclusive('\n').collect();
                Scripted::raw(LINES, &lines[..lines.len() / 2].concat())
            }
            None => state.serve(call, request, fate),
        }
    }

    /// True for a request about batches.
    pub(crate) fn is_for(request: &Recorded) -> bool {
        call_of(request) != Call::Live
    }

    /// Something that goes wrong with the next request of a kind.
    pub(crate) fn trouble(&self, call: Call, trouble: Trouble) {
        lock(&self.state).troubles.push_back((call, trouble));
    }

    /// Batches stay under way until [`end`](Self::end).
    pub(crate) fn hold(&self) {
        lock(&self.state).ends = false;
    }

    /// All batches end now, and later ones at the first look.
    pub(crate) fn end(&self) {
        lock(&self.state).ends = true;
    }

    /// What is under way expires now, when every second request was run.
    pub(crate) fn expire(&self) {
        for batch in &mut lock(&self.state).batches {
            if batch.status == "in_progress" {
                batch.status = "expired";
            }
        }
    }

    /// Results hold lines about requests of others, and lines twice.
    pub(crate) fn be_odd(&self) {
        lock(&self.state).is_odd = true;
    }

    /// Results are said to be below this address.
    pub(crate) fn results_at(&self, base: &str) {
        base.clone_into(&mut lock(&self.state).base);
    }

    /// Every batch, in the order of creation.
    pub(crate) fn batches(&self) -> Vec<Kept> {
        lock(&self.state).batches.clone()
    }

    /// How often each request was sent in a batch, by the path that it is about.
    pub(crate) fn asked(&self) -> BTreeMap<String, usize> {
        let mut asked = BTreeMap::new();
        for batch in self.batches() {
            for (_, body) in &batch.requests {
                *asked.entry(path_of(body)).or_default() += 1;
            }
        }
        asked
    }
}

impl State {
    fn serve(&mut self, call: Call, request: &Recorded, fate: &Fates) -> Scripted {
        match call {
            Call::Live => Scripted::answer(format!("about {}", path_of(&request.body))),
            Call::Upload => self.upload(request),
            Call::Create => self.create(request),
            Call::List => {
                let after = request.path.split('&').find_map(|part| {
                    part.strip_prefix("after=")
                        .or_else(|| part.strip_prefix("after_id="))
                });
                let newest = self.batches.iter().rev();
                let mut newest = newest.skip_while(|batch| after.is_some_and(|id| batch.id != id));
                if after.is_some() {
                    newest.next();
                }
                let page = newest.by_ref().take(PAGE);
                let data: Vec<Value> = page.map(|batch| self.document(batch)).collect();
                let has_more = newest.next().is_some();
                document(&json!({"object": "list", "data": data, "has_more": has_more}))
            }
            Call::Look => {
                let ends = self.ends;
                let Some(batch) = self.named(request) else {
                    return Scripted::model_not_found();
                };
                if ends && batch.status == "in_progress" {
                    batch.status = "ended";
                }
                let batch = batch.clone();
                document(&self.document(&batch))
            }
            Call::Cancel => {
                let Some(batch) = self.named(request) else {
                    return Scripted::model_not_found();
                };
                batch.status = "cancelled";
                let batch = batch.clone();
                document(&self.document(&batch))
            }
            Call::Results => Scripted::raw(LINES, &self.results(request, fate)),
        }
    }

    fn upload(&mut self, request: &Recorded) -> Scripted {
        let lines: Vec<&str> = request
            .raw
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        let id = format!("file-{}", self.files.len());
        self.files.insert(id.clone(), lines.join("\n"));
        document(&json!({"id": id, "object": "file", "purpose": "batch"}))
    }

    fn create(&mut self, request: &Recorded) -> Scripted {
        let body = &request.body;
        let requests = if self.protocol == Protocol::Anthropic {
            let list = body["requests"].as_array().expect("requests");
            list.iter()
                .map(|line| (id_of(line), line["params"].clone()))
                .collect()
        } else {
            let file = body["input_file_id"].as_str().expect("a file");
            let lines = self.files.get(file).expect("uploaded").lines();
            lines
                .map(|line| {
                    let line: Value = serde_json::from_str(line).expect("JSON");
                    (id_of(&line), line["body"].clone())
                })
                .collect::<Vec<_>>()
        };
        let batch = Kept {
            id: format!("batch_{}", self.batches.len()),
            requests,
            metadata: body["metadata"].clone(),
            created: now(),
            status: "in_progress",
        };
        self.batches.push(batch.clone());
        document(&self.document(&batch))
    }

    fn named(&mut self, request: &Recorded) -> Option<&mut Kept> {
        self.batches
            .iter_mut()
            .find(|batch| request.path.split('/').any(|part| part == batch.id))
    }

    fn document(&self, batch: &Kept) -> Value {
        let Kept {
            id,
            requests,
            metadata,
            created,
            status,
        } = batch;
        let is_over = *status != "in_progress";
        if self.protocol == Protocol::Anthropic {
            let address = format!("{}messages/batches/{id}/results", self.base);
            let ended = if is_over { "ended" } else { "in_progress" };
            return json!({"id": id, "type": "message_batch", "processing_status": ended,
                "request_counts": {"processing": requests.len(), "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
                "created_at": git_merkle::base::clock::render_utc(*created),
                "results_url": is_over.then_some(address)});
        }
        let status = if *status == "ended" {
            "completed"
        } else {
            status
        };
        json!({"id": id, "object": "batch", "status": status, "created_at": created, "metadata": metadata,
            "output_file_id": is_over.then(|| format!("{id}-out")),
            "error_file_id": is_over.then(|| format!("{id}-err"))})
    }

    /// Lines of results, the last request first.
    fn results(&self, request: &Recorded, fate: &Fates) -> String {
        let path = request.path.split('?').next().unwrap_or_default();
        let batch = self
            .batches
            .iter()
            .find(|batch| {
                path.contains(&format!("/{}/", batch.id))
                    || path.contains(&format!("/{}-", batch.id))
            })
            .expect("a batch");
        let wants_errors = path.contains("-err/");
        let mut lines = Vec::new();
        for (number, (id, body)) in batch.requests.iter().enumerate().rev() {
            let fate = match batch.status {
                "cancelled" => Fate::Cancelled,
                // Of what was not run, one dialect may not say a word.
                "expired" if number == 1 && self.protocol == Protocol::OpenAi => Fate::Missing,
                "expired" if number % 2 == 1 => Fate::Expired,
                _ => fate(&path_of(body)),
            };
            let is_answer = matches!(fate, Fate::Answer | Fate::Cut | Fate::Uncounted);
            if self.protocol == Protocol::Anthropic || is_answer != wants_errors {
                lines.extend(self.line(id, body, fate));
            }
        }
        if self.is_odd && !lines.is_empty() {
            let stranger = "f".repeat(64);
            let id = batch.requests[0].0.clone();
            lines.push(lines[0].clone());
            lines.insert(
                0,
                lines[0].replace(&batch.requests.last().expect("one").0, &stranger),
            );
            lines.insert(0, lines[0].replace(&stranger, "not-an-id"));
            assert!(lines.iter().any(|line| line.contains(&id)) || wants_errors);
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }

    fn line(&self, id: &str, body: &Value, fate: Fate) -> Option<String> {
        let words = format!("about {}", path_of(body));
        if fate == Fate::Missing {
            return None;
        }
        let line = if self.protocol == Protocol::Anthropic {
            json!({"custom_id": id, "result": anthropic(body, &words, fate)})
        } else {
            openai(id, body, &words, fate)
        };
        Some(line.to_string())
    }
}

fn anthropic(body: &Value, words: &str, fate: Fate) -> Value {
    let stop = if fate == Fate::Cut {
        "max_tokens"
    } else {
        "end_turn"
    };
    let mut message = json!({"id": "m", "type": "message", "role": "assistant", "model": body["model"],
        "content": [{"type": "text", "text": words}], "stop_reason": stop});
    if fate != Fate::Uncounted {
        message["usage"] =
            json!({"input_tokens": 100, "output_tokens": 20, "service_tier": "batch"});
    }
    let error = |kind: &str| json!({"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": "so it is"}, "request_id": null}});
    match fate {
        Fate::Answer | Fate::Cut | Fate::Uncounted | Fate::Missing => {
            json!({"type": "succeeded", "message": message})
        }
        Fate::Expired => json!({"type": "expired"}),
        Fate::Cancelled => json!({"type": "canceled"}),
        Fate::Failed => error("api_error"),
        Fate::Invalid => error("invalid_request_error"),
    }
}

fn openai(id: &str, body: &Value, words: &str, fate: Fate) -> Value {
    let stop = if fate == Fate::Cut { "length" } else { "stop" };
    let mut answer = json!({"id": "c", "object": "chat.completion", "model": body["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": stop}]});
    if fate != Fate::Uncounted {
        answer["usage"] =
            json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120});
    }
    let answered = |status: u16, body: Value| {
        json!({"id": "batch_req", "custom_id": id, "error": null,
        "response": {"status_code": status, "request_id": "r", "body": body}})
    };
    let never = |code: &str| {
        json!({"id": "batch_req", "custom_id": id, "response": null,
        "error": {"code": code, "message": "so it is"}})
    };
    let error = json!({"error": {"message": "so it is", "type": "invalid_request_error"}});
    match fate {
        Fate::Answer | Fate::Cut | Fate::Uncounted | Fate::Missing => answered(200, answer),
        Fate::Expired => never("batch_expired"),
        Fate::Cancelled => never("batch_cancelled"),
        Fate::Failed => answered(500, error),
        Fate::Invalid => answered(400, error),
    }
}

fn call_of(request: &Recorded) -> Call {
    let path = request.path.split('?').next().unwrap_or_default();
    let is_post = request.method == "POST";
    if path.ends_with("/files") {
        Call::Upload
    } else if path.ends_with("/cancel") {
        Call::Cancel
    } else if path.ends_with("/results") || path.ends_with("/content") {
        Call::Results
    } else if path.ends_with("/batches") {
        if is_post { Call::Create } else { Call::List }
    } else if path.contains("/batches/") {
        Call::Look
    } else {
        Call::Live
    }
}

/// The path that a request is about, by the words of the tests' agent.
fn path_of(body: &Value) -> String {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let text = messages
        .last()
        .and_then(|message| message["content"].as_str())
        .unwrap_or_default();
    let file = text
        .rsplit_once("Summarize the file ")
        .and_then(|(_, rest)| rest.split_once(" of "));
    let directory = text
        .rsplit_once("Summarize the directory ")
        .and_then(|(_, rest)| rest.split_once(" from "));
    file.or(directory)
        .map_or_else(String::new, |(path, _)| path.to_owned())
}

fn id_of(line: &Value) -> String {
    line["custom_id"].as_str().expect("an id").to_owned()
}

fn document(document: &Value) -> Scripted {
    Scripted::raw("application/json", &document.to_string())
}

fn now() -> u64 {
    git_merkle::base::clock::real_seconds()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

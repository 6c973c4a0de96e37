//! A model on 127.0.0.1: an HTTP/1.1 server that speaks the OpenAI and the Anthropic protocol, plain and streaming.
//!
//! A script decides what each request gets; the server records what came in, in order of arrival, and how much of it at
//! once. `stream: true` in a body gets server-sent events, anything else one JSON document, with the same words.
//!
//! ```text
//! Loopback::echo()                                 answers every request with words made from its digest
//! Loopback::answering(|request| "words".into())    answers every request with these words
//! Loopback::playing([Scripted::hang(), …])         one outcome after the other, then echo
//! Loopback::start(|request| Scripted::…)           whatever the closure says
//!     .endpoint()          "http://127.0.0.1:PORT/v1/": base of both protocols, POST chat/completions or messages
//!     .requests()          every request so far            .posts()      those that asked for an answer
//!     .connections()       how many were opened            .in_flight_max()   most answers owed at once
//!     .flooded()           how many bytes without an end it could send
//! Scripted::answer("words") .usage(usage) .no_usage() .after(Duration)     and the failures, see its functions
//! Recorded { order, method, path, headers, body, raw }  .text() .last_user() .header("name")
//! ```
//!
//! `GET /v1/models` lists [`MODELS`] without asking the script, and `GET /models` is not there. [`Loopback::with_key`] makes every request without that
//! key a 401 that repeats the key it got, as some servers do.

mod cache;
mod http;
mod protocol;
#[cfg(test)]
mod rules;

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) use cache::PrefixCache;
use git_merkle::chat::Usage;
use serde_json::Value;

/// The models that `GET /v1/models` lists.
pub(crate) const MODELS: [&str; 2] = ["test-large", "test-small"];

/// What an answer takes unless the script says otherwise.
pub(crate) const USAGE: Usage = Usage {
    input: 100,
    output: 20,
    cache_read: 0,
    cache_write: 0,
    reasoning: 0,
};

/// One request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    /// From 0, over all connections.
    pub(crate) order: usize,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// `Null` when there was none or it is no JSON.
    pub(crate) body: Value,
    /// The body's bytes.
    pub(crate) raw: String,
}

impl Recorded {
    /// The value of a header, its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
    }

    /// Every text of the conversation, system text first, joined with line ends.
    pub(crate) fn text(&self) -> String {
        let system = protocol::text_of(&self.body["system"]);
        let messages = self
            .messages()
            .iter()
            .map(|message| protocol::text_of(&message["content"]));
        std::iter::once(system)
            .chain(messages)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The last text of the user.
    pub(crate) fn last_user(&self) -> String {
        let last = self
            .messages()
            .iter()
            .rfind(|message| message["role"] == "user");
        last.map(|message| protocol::text_of(&message["content"]))
            .unwrap_or_default()
    }

    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    fn key(&self) -> &str {
        let bearer = self
            .header("authorization")
            .map(|value| value.trim_start_matches("Bearer "));
        bearer.or(self.header("x-api-key")).unwrap_or_default()
    }
}

/// What happens to a request.
#[derive(Debug, Clone)]
pub(crate) struct Scripted {
    outcome: Outcome,
    usage: Option<Usage>,
    delay: Duration,
    header: Option<&'static str>,
}

/// What comes without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flood {
    /// The body of a 500.
    Error,
    /// A list of models.
    Models,
    /// One event whose line never ends.
    Line,
    /// Comments between events.
    Comments,
    /// Words of an answer.
    Words,
    /// A document that never closes.
    Document,
    /// A line, a few bytes at a time.
    Drip,
    /// Comments, a few bytes at a time.
    DripComments,
}

#[derive(Debug, Clone)]
enum Outcome {
    /// A whole answer; the second is how it stopped.
    Answer(String, Stop),
    /// An error status with its JSON.
    Refused(Refused),
    /// Not a byte, until the client goes away.
    Hang,
    /// The first half of an answer; then the socket is closed, or, when true, the body ends as if it were whole.
    Cut(bool),
    /// The head of an answer; then the socket is closed.
    HeadOnly,
    /// Half an answer, then an error event; a plain request gets the error's JSON with 200.
    ErrorEvent,
    /// This body, with 200 and this content type.
    Raw(&'static str, String),
    /// Half of this body under the length of all of it; then the socket is closed.
    Half(&'static str, String),
    /// Bytes until the client goes away.
    Flood(Flood),
    /// 302 to this address.
    Redirect(String),
    /// Half an answer, then a comment line every this long until the client goes away.
    Trickle(Duration),
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stop {
    Done,
    Length,
    Refusal,
    Filter,
}

/// An error as both protocols can say it.
#[derive(Debug, Clone)]
struct Refused {
    status: u16,
    /// Anthropic's `error.type`, and OpenAI's.
    kind: &'static str,
    /// OpenAI's `error.code`.
    code: &'static str,
    message: String,
    retry_after: Option<String>,
}

impl Scripted {
    fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            usage: Some(USAGE),
            delay: Duration::ZERO,
            header: None,
        }
    }

    /// A whole answer.
    pub(crate) fn answer(text: impl Into<String>) -> Self {
        Self::new(Outcome::Answer(text.into(), Stop::Done))
    }

    /// An answer that was cut at the limit of output tokens.
    pub(crate) fn cut_at_limit(text: impl Into<String>) -> Self {
        Self::new(Outcome::Answer(text.into(), Stop::Length))
    }

    /// The model declines: OpenAI's `refusal`, Anthropic's `stop_reason: refusal`.
    pub(crate) fn refusal() -> Self {
        Self::new(Outcome::Answer(
            "I cannot help with that".to_owned(),
            Stop::Refusal,
        ))
    }

    /// A filter in front of the model declines: OpenAI's `content_filter`.
    pub(crate) fn filtered() -> Self {
        Self::new(Outcome::Answer(String::new(), Stop::Filter))
    }

    /// An answer without a word.
    pub(crate) fn empty() -> Self {
        Self::answer("")
    }

    /// 429; the header as it is sent: seconds, or an HTTP date.
    pub(crate) fn rate_limited(retry_after: Option<&str>) -> Self {
        Self::refused(429, "rate_limit_error", "rate_limit_exceeded", "slow down")
            .retry_after(retry_after)
    }

    /// 500, 502, 503, or 529 for Anthropic's overload.
    pub(crate) fn unavailable(status: u16) -> Self {
        let kind = if status == 529 {
            "overloaded_error"
        } else {
            "api_error"
        };
        Self::refused(status, kind, "server_error", "try again")
    }

    /// 401 that repeats the key.
    pub(crate) fn unauthorized() -> Self {
        Self::refused(
            401,
            "authentication_error",
            "invalid_api_key",
            "incorrect key provided: {key}",
        )
    }

    /// 404 for the model of the request.
    pub(crate) fn model_not_found() -> Self {
        Self::refused(
            404,
            "not_found_error",
            "model_not_found",
            "the model '{model}' does not exist",
        )
    }

    /// 400 for a prompt that is too long.
    pub(crate) fn context_too_long() -> Self {
        let message = "prompt is too long: maximum context length is 10 tokens";
        Self::refused(
            400,
            "invalid_request_error",
            "context_length_exceeded",
            message,
        )
    }

    /// 400 for any other reason.
    pub(crate) fn bad_request(message: &str) -> Self {
        Self::refused(400, "invalid_request_error", "bad_request", message)
    }

    fn refused(status: u16, kind: &'static str, code: &'static str, message: &str) -> Self {
        let message = message.to_owned();
        Self::new(Outcome::Refused(Refused {
            status,
            kind,
            code,
            message,
            retry_after: None,
        }))
    }

    /// Not a byte, until the client goes away.
    pub(crate) fn hang() -> Self {
        Self::new(Outcome::Hang)
    }

    /// Half an answer, then the socket is closed.
    pub(crate) fn cut() -> Self {
        Self::new(Outcome::Cut(false))
    }

    /// The head of an answer, then the socket is closed: a server that dies over the request.
    pub(crate) fn head_only() -> Self {
        Self::new(Outcome::HeadOnly)
    }

    /// Half an answer, then the body ends as if it were whole, without the protocol's end.
    pub(crate) fn ended_early() -> Self {
        Self::new(Outcome::Cut(true))
    }

    /// Half an answer with 200, then an event that says that it failed.
    pub(crate) fn error_event() -> Self {
        Self::new(Outcome::ErrorEvent)
    }

    /// A web page with 200, as proxies and sign-in pages send it.
    pub(crate) fn html() -> Self {
        Self::raw(
            "text/html",
            "<!doctype html><title>Sign in</title><p>Sign in",
        )
    }

    /// JSON that ends in the middle.
    pub(crate) fn broken_json() -> Self {
        Self::raw(
            "application/json",
            r#"{"id":"x","choices":[{"index":0,"mess"#,
        )
    }

    /// JSON of another shape.
    pub(crate) fn other_json() -> Self {
        Self::raw("application/json", r#"{"status":"ok","items":[1,2]}"#)
    }

    /// This body with 200 and this content type.
    pub(crate) fn raw(content_type: &'static str, body: &str) -> Self {
        Self::new(Outcome::Raw(content_type, body.to_owned()))
    }

    /// Half of this body, then the socket is closed.
    pub(crate) fn half(content_type: &'static str, body: &str) -> Self {
        Self::new(Outcome::Half(content_type, body.to_owned()))
    }

    /// Bytes without an end.
    pub(crate) fn flood(flood: Flood) -> Self {
        Self::new(Outcome::Flood(flood))
    }

    /// 400 with the words of some server.
    pub(crate) fn too_long(message: &str) -> Self {
        Self::refused(
            400,
            "invalid_request_error",
            "context_length_exceeded",
            message,
        )
    }

    /// The same with one more header.
    pub(crate) fn header(mut self, header: &'static str) -> Self {
        self.header = Some(header);
        self
    }

    /// 302 to another address.
    pub(crate) fn redirect(location: impl Into<String>) -> Self {
        Self::new(Outcome::Redirect(location.into()))
    }

    /// Half an answer, then nothing but a comment line every so often until the client goes away.
    pub(crate) fn trickle(every: Duration) -> Self {
        Self::new(Outcome::Trickle(every))
    }

    /// The same with this usage.
    pub(crate) fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The same without a word about usage.
    pub(crate) fn no_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// The same after a wait.
    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same with a `Retry-After` header.
    pub(crate) fn retry_after(mut self, value: Option<&str>) -> Self {
        if let Outcome::Refused(refused) = &mut self.outcome {
            refused.retry_after = value.map(str::to_owned);
        }
        self
    }
}

type Script = dyn Fn(&Recorded) -> Scripted + Send + Sync;

struct State {
    script: Box<Script>,
    key: Option<String>,
    requests: Mutex<Vec<Recorded>>,
    open: Mutex<Vec<TcpStream>>,
    connections: AtomicUsize,
    in_flight: AtomicUsize,
    in_flight_max: AtomicUsize,
    flooded: AtomicUsize,
    has_endless_models: AtomicBool,
    stopped: AtomicBool,
}

/// A running server; it is gone, with all its connections, when this is dropped.
pub(crate) struct Loopback {
    address: SocketAddr,
    state: Arc<State>,
    acceptor: Option<JoinHandle<()>>,
}

impl Loopback {
    /// Serves what the closure says. It runs on the thread of the request's connection.
    pub(crate) fn start(script: impl Fn(&Recorded) -> Scripted + Send + Sync + 'static) -> Self {
        Self::listen(Box::new(script), None)
    }

    /// The same for requests that hold this key; others get 401.
    pub(crate) fn with_key(
        key: &str,
        script: impl Fn(&Recorded) -> Scripted + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Box::new(script), Some(key.to_owned()))
    }

    /// Answers every request with the words that the closure makes of it.
    pub(crate) fn answering(words: impl Fn(&Recorded) -> String + Send + Sync + 'static) -> Self {
        Self::start(move |request| Scripted::answer(words(request)))
    }

    /// Answers every request with words of its own.
    pub(crate) fn echo() -> Self {
        Self::start(echo)
    }

    /// Plays one outcome after the other, in order of arrival, then [`echo`](Self::echo).
    pub(crate) fn playing(outcomes: impl IntoIterator<Item = Scripted>) -> Self {
        let left: Mutex<Vec<Scripted>> = Mutex::new(
            outcomes
                .into_iter()
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect(),
        );
        Self::start(move |request| lock(&left).pop().unwrap_or_else(|| echo(request)))
    }

    /// Lists models without an end.
    pub(crate) fn endless_models() -> Self {
        let server = Self::echo();
        server
            .state
            .has_endless_models
            .store(true, Ordering::SeqCst);
        server
    }

    fn listen(script: Box<Script>, key: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let state = Arc::new(State {
            script,
            key,
            requests: Mutex::default(),
            open: Mutex::default(),
            connections: AtomicUsize::new(0),
            in_flight: AtomicUsize::new(0),
            in_flight_max: AtomicUsize::new(0),
            flooded: AtomicUsize::new(0),
            has_endless_models: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let acceptor = std::thread::spawn(move || accept(&listener, &shared));
        Self {
            address,
            state,
            acceptor: Some(acceptor),
        }
    }

    /// The base of both protocols, with its slash.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}/v1/", self.address)
    }

    /// Host and port.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// Every request so far, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        lock(&self.state.requests).clone()
    }

    /// Every request so far that asked for an answer.
    pub(crate) fn posts(&self) -> Vec<Recorded> {
        self.requests()
            .into_iter()
            .filter(|request| request.method == "POST")
            .collect()
    }

    /// How many bytes of what has no end could be sent.
    pub(crate) fn flooded(&self) -> usize {
        self.state.flooded.load(Ordering::SeqCst)
    }

    /// How many connections were opened.
    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// The most requests that were waiting for their answer's end at once.
    pub(crate) fn in_flight_max(&self) -> usize {
        self.state.in_flight_max.load(Ordering::SeqCst)
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // Wakes the acceptor, which then sees that it is to stop.
        drop(TcpStream::connect(self.address));
        if let Some(acceptor) = self.acceptor.take() {
            drop(acceptor.join());
        }
        for stream in lock(&self.state.open).drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

/// Words that are the same for the same request, and others for another.
fn echo(request: &Recorded) -> Scripted {
    let digest = request
        .text()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    Scripted::answer(format!(
        "answer {digest:016x} to a prompt of {} bytes",
        request.text().len()
    ))
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    for stream in listener.incoming() {
        if state.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        state.connections.fetch_add(1, Ordering::SeqCst);
        drop(stream.set_nodelay(true));
        if let Ok(clone) = stream.try_clone() {
            lock(&state.open).push(clone);
        }
        let state = Arc::clone(state);
        std::thread::spawn(
            move || while http::serve(&stream, &state).is_some_and(|goes_on| goes_on) {},
        );
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};

    use super::*;

    /// Posts over a connection that stays open; the body of the answer, chunks joined.
    fn post(stream: &TcpStream, path: &str, body: &str) -> (u16, String) {
        let mut writer = stream;
        write!(
            writer,
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("sent");
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).expect("a head") > 0);
        }
        let length = head
            .split_once("content-length: ")
            .and_then(|(_, rest)| rest.lines().next()?.parse().ok());
        let mut bytes = Vec::new();
        if let Some(length) = length {
            bytes = vec![0; length];
            reader.read_exact(&mut bytes).expect("a body");
        }
        while length.is_none() && !bytes.ends_with(b"0\r\n\r\n") {
            assert!(reader.read_until(b'\n', &mut bytes).expect("a chunk") > 0);
        }
        (
            head[9..12].parse().expect("a status"),
            String::from_utf8(bytes).expect("UTF-8"),
        )
    }

    #[test]
    fn one_connection_serves_both_protocols_plain_and_streaming() {
        let server = Loopback::playing([
            Scripted::answer("one"),
            Scripted::answer("two"),
            Scripted::rate_limited(Some("7")),
        ]);
        let stream = TcpStream::connect(server.host()).expect("connected");
        let (_, plain) = post(
            &stream,
            "/v1/chat/completions",
            r#"{"model":"m","messages":[]}"#,
        );
        assert!(
            plain.contains(r#""content":"one""#) && plain.contains(r#""prompt_tokens":100"#),
            "{plain}"
        );
        let (_, events) = post(
            &stream,
            "/v1/messages",
            r#"{"model":"m","stream":true,"system":"s","messages":[]}"#,
        );
        assert!(
            events.contains("event: message_stop") && events.contains(r#""text":"o""#),
            "{events}"
        );
        assert_eq!(post(&stream, "/v1/messages", "{}").0, 429);
        assert_eq!(
            (
                server.connections(),
                server.posts().len(),
                server.posts()[1].text().as_str()
            ),
            (1, 3, "s")
        );
    }

    #[test]
    fn eight_at_once_are_counted() {
        let server = Loopback::start(|_| Scripted::answer("x").after(Duration::from_millis(20)));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let stream = TcpStream::connect(server.host()).expect("connected");
                    for _ in 0..20 {
                        assert_eq!(post(&stream, "/v1/messages", r#"{"stream":true}"#).0, 200);
                    }
                });
            }
        });
        assert_eq!((server.connections(), server.posts().len()), (8, 160));
        assert!(
            server.in_flight_max() <= 8 && server.in_flight_max() > 1,
            "{}",
            server.in_flight_max()
        );
    }
}

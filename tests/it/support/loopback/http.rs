//! One request and its response over a socket, keep-alive: reading, recording, and every way of not answering well.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;

use super::protocol::Protocol;
use super::{Flood, Outcome, Recorded, Scripted, State, lock};

/// Serves one request; true when the connection can be used again, `None` when the client is gone.
pub(super) fn serve(stream: &TcpStream, state: &State) -> Option<bool> {
    let mut recorded = read(stream)?;
    {
        let mut requests = lock(&state.requests);
        recorded.order = requests.len();
        requests.push(recorded.clone());
    }
    if let Some(key) = &state.key
        && recorded.key() != key
    {
        return respond(
            stream,
            &recorded,
            &Scripted::unauthorized(),
            Owed::new(state),
        );
    }
    if recorded.method == "GET" && recorded.path == "/models" {
        return plain(stream, 404, "text/plain", "404 page not found");
    }
    if recorded.method == "GET" && recorded.path.ends_with("/models") {
        if state.has_endless_models.load(Ordering::SeqCst) {
            return flood(stream, Flood::Models, state);
        }
        return plain(
            stream,
            200,
            "application/json",
            &Protocol::of(&recorded).models(),
        );
    }
    let owed = Owed::new(state);
    let scripted = (state.script)(&recorded);
    std::thread::sleep(scripted.delay);
    respond(stream, &recorded, &scripted, owed)
}

/// An answer that a client waits for, counted as long as this lives.
struct Owed<'a>(&'a State);

impl<'a> Owed<'a> {
    fn new(state: &'a State) -> Self {
        let owed = state.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        state.in_flight_max.fetch_max(owed, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

fn read(stream: &TcpStream) -> Option<Recorded> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader
        .read_line(&mut line)
        .ok()
        .filter(|count| *count > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader
            .read_line(&mut line)
            .ok()
            .filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let raw = String::from_utf8_lossy(&body).into_owned();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Recorded {
        order: 0,
        method,
        path,
        headers,
        body,
        raw,
    })
}

/// Sends what the script says. `owed` ends before the last bytes are out: a client that has them may ask
/// again at once.
fn respond(
    stream: &TcpStream,
    request: &Recorded,
    scripted: &Scripted,
    owed: Owed<'_>,
) -> Option<bool> {
    let protocol = Protocol::of(request);
    let streams = request.body["stream"] == true;
    match &scripted.outcome {
        Outcome::Answer(text, stop) if streams => {
            let events = protocol.events(request, text, *stop, scripted.usage);
            start_events(stream)?;
            let (last, first) = events.split_last().expect("a stream has an end");
            for event in first {
                chunk(stream, event)?;
            }
            drop(owed);
            // In one piece: a client that has seen the protocol's end does not read on, and keeps what it has read whole.
            write(
                stream,
                format!("{:x}\r\n{last}\r\n0\r\n\r\n", last.len()).as_bytes(),
            )?;
            Some(true)
        }
        Outcome::Answer(text, stop) => {
            let body = protocol.document(request, text, *stop, scripted.usage);
            drop(owed);
            plain(stream, 200, "application/json", &body)
        }
        Outcome::Refused(refused) => {
            let body = protocol.error(request, refused);
            let retry = refused
                .retry_after
                .as_ref()
                .map(|value| format!("retry-after: {value}\r\n"));
            drop(owed);
            send(
                stream,
                refused.status,
                "application/json",
                &retry.unwrap_or_default(),
                body.as_bytes(),
            )
        }
        Outcome::Raw(content_type, body) => {
            drop(owed);
            let header = scripted
                .header
                .map(|header| format!("{header}\r\n"))
                .unwrap_or_default();
            send(stream, 200, content_type, &header, body.as_bytes())
        }
        Outcome::Half(content_type, body) => {
            drop(owed);
            let head = format!(
                "HTTP/1.1 200 -\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            write(stream, head.as_bytes())?;
            write(stream, &body.as_bytes()[..body.len() / 2])?;
            drop(stream.shutdown(Shutdown::Both));
            None
        }
        Outcome::Flood(kind) => flood(stream, *kind, owed.0),
        Outcome::Redirect(location) => {
            drop(owed);
            send(
                stream,
                302,
                "text/plain",
                &format!("location: {location}\r\n"),
                b"",
            )
        }
        Outcome::Hang => {
            wait_for_end(stream, None);
            drop(owed);
            None
        }
        Outcome::Cut(_) | Outcome::HeadOnly | Outcome::ErrorEvent | Outcome::Trickle(_)
            if streams =>
        {
            half_a_stream(stream, request, scripted, owed)
        }
        Outcome::Cut(_) | Outcome::HeadOnly | Outcome::ErrorEvent | Outcome::Trickle(_) => {
            half_a_document(stream, request, scripted, owed)
        }
    }
}

/// Sends the same piece again and again until the client goes away, or there is no doubt that it reads for ever.
fn flood(stream: &TcpStream, kind: Flood, state: &State) -> Option<bool> {
    const BYTES_MAX: usize = 512 << 20;
    let word = r#"data: {"choices":[{"index":0,"delta":{"content":"words "}}]}"#;
    let (status, media_type, first, piece, pause) = match kind {
        Flood::Error => (
            500,
            "application/json",
            "{\"error\": \"",
            "x".repeat(1 << 16),
            0,
        ),
        Flood::Models => (
            200,
            "application/json",
            "{\"data\": [{\"id\": \"",
            "x".repeat(1 << 16),
            0,
        ),
        Flood::Line => (200, "text/event-stream", "data: ", "\0".repeat(1 << 16), 0),
        Flood::Comments => (
            200,
            "text/event-stream",
            "",
            ": still there\n\n".repeat(5_000),
            0,
        ),
        Flood::Words => (
            200,
            "text/event-stream",
            "",
            format!("{word}\n\n").repeat(1_000),
            0,
        ),
        Flood::Document => (
            200,
            "application/json",
            "{\"choices\": [",
            "0,".repeat(1 << 15),
            0,
        ),
        Flood::Drip => (200, "text/event-stream", "data: ", "x".to_owned(), 20),
        Flood::DripComments => (200, "text/event-stream", "", ":\n\n".to_owned(), 20),
    };
    write(
        stream,
        format!("HTTP/1.1 {status} -\r\ncontent-type: {media_type}\r\n\r\n{first}").as_bytes(),
    )?;
    while state.flooded.load(Ordering::SeqCst) < BYTES_MAX && !state.stopped.load(Ordering::SeqCst)
    {
        write(stream, piece.as_bytes())?;
        state.flooded.fetch_add(piece.len(), Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(pause));
    }
    None
}

/// The first events of an answer, and what comes instead of its end.
fn half_a_stream(
    stream: &TcpStream,
    request: &Recorded,
    scripted: &Scripted,
    owed: Owed<'_>,
) -> Option<bool> {
    let protocol = Protocol::of(request);
    start_events(stream)?;
    if matches!(scripted.outcome, Outcome::HeadOnly) {
        drop(owed);
        drop(stream.shutdown(Shutdown::Both));
        return None;
    }
    for event in protocol.first_events(request, "half of an answer that never comes to its end") {
        chunk(stream, &event)?;
    }
    match &scripted.outcome {
        Outcome::Trickle(every) => {
            wait_for_end(stream, Some(*every));
            drop(owed);
            None
        }
        Outcome::ErrorEvent => {
            drop(owed);
            chunk(stream, &protocol.error_event())?;
            chunk(stream, "")?;
            Some(true)
        }
        Outcome::Cut(true) => {
            drop(owed);
            chunk(stream, "")?;
            Some(true)
        }
        _ => {
            drop(owed);
            drop(stream.shutdown(Shutdown::Both));
            None
        }
    }
}

/// What a client that did not ask for a stream gets of an answer that fails on its way.
fn half_a_document(
    stream: &TcpStream,
    request: &Recorded,
    scripted: &Scripted,
    owed: Owed<'_>,
) -> Option<bool> {
    let protocol = Protocol::of(request);
    let body = protocol.document(
        request,
        "half of an answer",
        super::Stop::Done,
        scripted.usage,
    );
    let half = &body[..body.len() / 2];
    match &scripted.outcome {
        Outcome::ErrorEvent => {
            drop(owed);
            plain(stream, 200, "application/json", &protocol.error_document())
        }
        Outcome::Cut(true) => {
            drop(owed);
            plain(stream, 200, "application/json", half)
        }
        outcome => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            write(stream, head.as_bytes())?;
            if matches!(outcome, Outcome::Trickle(_)) {
                wait_for_end(stream, None);
            } else {
                write(stream, half.as_bytes())?;
            }
            drop(owed);
            drop(stream.shutdown(Shutdown::Both));
            None
        }
    }
}

fn plain(stream: &TcpStream, status: u16, content_type: &str, body: &str) -> Option<bool> {
    send(stream, status, content_type, "", body.as_bytes())
}

fn send(
    stream: &TcpStream,
    status: u16,
    content_type: &str,
    headers: &str,
    body: &[u8],
) -> Option<bool> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} -\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    write(stream, &[head.as_bytes(), body].concat())?;
    Some(true)
}

fn start_events(stream: &TcpStream) -> Option<()> {
    write(
        stream,
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )
}

/// One chunk of a body; an empty one ends it.
fn chunk(stream: &TcpStream, text: &str) -> Option<()> {
    write(stream, format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

fn write(mut stream: &TcpStream, bytes: &[u8]) -> Option<()> {
    stream.write_all(bytes).ok()
}

/// Waits until the client closes its side, with a comment in the stream every so often.
fn wait_for_end(mut stream: &TcpStream, every: Option<Duration>) {
    drop(stream.set_read_timeout(every));
    loop {
        match stream.read(&mut [0]) {
            Err(error)
                if every.is_some()
                    && matches!(
                        error.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                    ) =>
            {
                if chunk(stream, ": still there\n\n").is_none() {
                    return;
                }
            }
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

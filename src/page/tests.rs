//! Fetching from servers on this machine: what arrives, what is refused, and that refused addresses see no connection.

use std::collections::HashMap;
use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::address::AddressPolicy;
use super::fetch::{Names, PAGE_BYTES_MAX};
use super::{Fetcher, Page, PageError, link};

/// A server that answers each path with the same bytes, and counts.
struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// What the server sends: a whole answer, or one that never ends.
enum Answer {
    Whole(Vec<u8>),
    Endless(&'static str),
    Silence,
}

impl Server {
    fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("bound");
        let (connections, requests) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(Mutex::new(Vec::new())),
        );
        let (counted, recorded, answer) = (
            Arc::clone(&connections),
            Arc::clone(&requests),
            Arc::new(answer),
        );
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let (answer, recorded) = (Arc::clone(&answer), Arc::clone(&recorded));
                std::thread::spawn(move || {
                    let Some(request) = read_request(&stream) else {
                        return;
                    };
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    recorded.lock().expect("whole").push(request);
                    send(stream, &answer(&path));
                });
            }
        });
        Self {
            address,
            connections,
            requests,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://page.test:{}{path}", self.address.port())
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn read_request(mut stream: &TcpStream) -> Option<String> {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        request.push(byte[0]);
    }
    String::from_utf8(request).ok()
}

fn send(mut stream: TcpStream, answer: &Answer) {
    match answer {
        Answer::Whole(bytes) => drop(stream.write_all(bytes)),
        Answer::Endless(head) => {
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(&[b'x'; 4_096]);
            }
        }
        // Until the client has gone.
        Answer::Silence => drop(stream.read(&mut [0])),
    }
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Answer {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    Answer::Whole([head.as_bytes(), body].concat())
}

fn html(body: &str) -> Answer {
    answer(
        "200 OK",
        "content-type: text/html; charset=utf-8\r\n",
        body.as_bytes(),
    )
}

fn redirect(to: &str) -> Answer {
    answer("302 Found", &format!("location: {to}\r\n"), b"")
}

/// A table of names; what is not in it is unknown. The answer to a name may change from one question to the next.
#[derive(Default)]
struct Table(Mutex<HashMap<&'static str, Vec<Vec<IpAddr>>>>);

impl Table {
    fn of(rows: &[(&'static str, &[&[&str]])]) -> Arc<Self> {
        let parse = |answer: &&[&str]| {
            answer
                .iter()
                .map(|text| text.parse().expect("an address"))
                .collect()
        };
        Arc::new(Self(Mutex::new(
            rows.iter()
                .map(|(name, answers)| (*name, answers.iter().map(parse).collect()))
                .collect(),
        )))
    }
}

impl Names for Table {
    fn look_up(
        &self,
        name: String,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let mut table = self.0.lock().expect("whole");
        let found = table.get_mut(name.as_str()).map(|answers| {
            if answers.len() > 1 {
                answers.remove(0)
            } else {
                answers[0].clone()
            }
        });
        Box::pin(async move { found.ok_or_else(|| io::Error::other("unknown")) })
    }
}

const HERE: &[&[&str]] = &[&["127.0.0.1"]];

fn fetch_by(names: Arc<Table>, policy: AddressPolicy, url: &str) -> Result<Page, PageError> {
    let fetcher = Fetcher::with(policy, names, Duration::from_secs(10)).expect("a client");
    let url = link::parse(url.as_bytes())?;
    fetcher.fetch_all(&[url], &mut |_| {}).remove(0)
}

fn fetch(url: &str) -> Result<Page, PageError> {
    fetch_by(
        Table::of(&[
            ("page.test", HERE),
            ("other.test", HERE),
            ("mixed.test", &[&["127.0.0.1", "10.0.0.1"]]),
        ]),
        AddressPolicy::LOOPBACK,
        url,
    )
}

#[test]
fn a_page_arrives_with_nothing_said_about_who_asked() {
    let server = Server::start(|_| html("<title>Tür</title>"));
    let page = fetch(&server.url("/a?b#c")).expect("a page");
    assert_eq!(
        (page.url, page.media_type, page.text),
        (
            server.url("/a?b"),
            "text/html".into(),
            "<title>Tür</title>".into()
        )
    );
    let requests = server.requests.lock().expect("whole");
    let [request] = requests.as_slice() else {
        panic!("one request: {requests:?}")
    };
    let mut names: Vec<&str> = request
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
    assert!(
        request.starts_with("GET /a?b HTTP/1.1\r\n")
            && request.contains("accept-encoding: identity\r\n"),
        "{request}"
    );
}

#[test]
fn the_policy_of_the_program_reaches_nobody_here() {
    let server = Server::start(|_| html("x"));
    let port = server.address.port();
    let names = || {
        Table::of(&[
            ("here.test", HERE),
            ("mapped.test", &[&["::ffff:127.0.0.1"]]),
            ("mixed.test", &[&["93.184.215.14", "127.0.0.1"]]),
            ("cloud.test", &[&["169.254.169.254"]]),
            ("empty.test", &[&[]]),
        ])
    };
    for (host, reason) in [
        (
            "here.test",
            "here.test (127.0.0.1) is loopback, and only public addresses are reached",
        ),
        (
            "mapped.test",
            "mapped.test (::ffff:127.0.0.1) is IPv4-mapped, and only public addresses are reached",
        ),
        (
            "mixed.test",
            "mixed.test (127.0.0.1) is loopback, and only public addresses are reached",
        ),
        (
            "cloud.test",
            "cloud.test (169.254.169.254) is metadata, and only public addresses are reached",
        ),
        ("empty.test", "empty.test has no address"),
        ("unknown.test", "unknown.test has no address"),
        (
            "2130706433",
            "127.0.0.1 is loopback, and only public addresses are reached",
        ),
        (
            "[::1]",
            "::1 is loopback, and only public addresses are reached",
        ),
    ] {
        let error = fetch_by(
            names(),
            AddressPolicy::PUBLIC,
            &format!("https://{host}:{port}/"),
        )
        .expect_err(host);
        assert_eq!(error.to_string(), reason);
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_name_that_changes_is_judged_each_time_it_is_used() {
    let server = Server::start(|_| redirect("/again"));
    let names = Table::of(&[("page.test", &[&["127.0.0.1"], &["10.0.0.1"]])]);
    let error = fetch_by(names, AddressPolicy::LOOPBACK, &server.url("/")).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "page.test (10.0.0.1) is private, and only public addresses are reached"
    );
    assert_eq!(server.connections(), 1);
}

#[test]
fn redirects_are_judged_like_urls() {
    let inner = Server::start(|_| html("inner"));
    let inner_port = inner.address.port();
    let server = Server::start(move |path| match path.split_at(1).1 {
        "two" => redirect("one"),
        "end" => html("here"),
        "four" => redirect("/three"),
        "three" => redirect("/two-left"),
        "two-left" => redirect("/one-left"),
        "one" | "one-left" => redirect("/end"),
        "nowhere" => answer("301 Moved Permanently", "", b""),
        "bad" => redirect("https://[x"),
        "private" => redirect("https://10.0.0.1/"),
        "number" => redirect("https://2852039166/latest/meta-data"),
        "name" => redirect("https://mixed.test/"),
        "plain" => redirect(&format!("http://other.test:{inner_port}/")),
        "user" => redirect("https://a:b@page.test/"),
        "port" => redirect("https://page.test:22/"),
        "file" => redirect("file:///etc/passwd"),
        _ => answer("404 Not Found", "", b""),
    });
    for (path, reason) in [
        ("/four", "more than 3 redirects"),
        ("/nowhere", "a redirect that leads nowhere"),
        ("/bad", "a redirect that leads nowhere"),
        (
            "/private",
            "10.0.0.1 is private, and only public addresses are reached",
        ),
        (
            "/number",
            "169.254.169.254 is metadata, and only public addresses are reached",
        ),
        (
            "/name",
            "mixed.test (10.0.0.1) is private, and only public addresses are reached",
        ),
        ("/plain", "only https is fetched, not http"),
        ("/user", "URLs with a user name or password are not fetched"),
        ("/port", "port 22 belongs to another service than https"),
        ("/file", "only https is fetched, not file"),
        ("/gone", "the server answers 404"),
    ] {
        assert_eq!(
            fetch(&server.url(path)).map_err(|error| error.to_string()),
            Err(reason.to_owned()),
            "{path}"
        );
    }
    let page = fetch(&server.url("/three")).expect("three redirects");
    assert_eq!((page.url, page.text.as_str()), (server.url("/end"), "here"));
    assert_eq!(inner.connections(), 0);
}

#[test]
fn answers_that_are_no_page_are_refused() {
    let sized = |bytes: usize| answer("200 OK", "content-type: text/plain\r\n", &vec![b'x'; bytes]);
    let typed = |content_type: &str, body: &[u8]| {
        answer("200 OK", &format!("content-type: {content_type}\r\n"), body)
    };
    let server = Server::start(move |path| match path.split_at(1).1 {
        "large" => sized(PAGE_BYTES_MAX + 1),
        "most" => sized(PAGE_BYTES_MAX),
        "endless" => Answer::Endless("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"),
        "head" => Answer::Endless("HTTP/1.1 200 OK\r\nx: "),
        "packed" => answer(
            "200 OK",
            "content-type: text/html\r\ncontent-encoding: gzip\r\n",
            b"x",
        ),
        "picture" => typed("image/png", b"x"),
        "binary" => typed("text/html", b"a\0b"),
        "latin" => typed("text/html; charset=ISO-8859-1", b"caf\xe9"),
        "latin-ascii" => typed("text/html; charset=ISO-8859-1", b"cafe"),
        "claimed" => typed("text/html; charset=\"utf-8\"", b"caf\xe9"),
        "xml" => typed("application/atom+xml", "é".as_bytes()),
        "untyped" => answer("200 OK", "", b"words"),
        "short" => Answer::Whole(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nx".to_vec(),
        ),
        _ => Answer::Whole(b"220 mail.example ESMTP\r\n".to_vec()),
    });
    let mut seen = Vec::new();
    for path in [
        "large", "endless", "packed", "picture", "binary", "latin", "claimed",
    ] {
        let error = fetch(&server.url(&format!("/{path}"))).expect_err(path);
        seen.push(format!("{path}: {error}"));
    }
    insta::assert_snapshot!(seen.join("\n"), @"
    large: more than 2097152 bytes
    endless: more than 2097152 bytes
    packed: encoded as gzip, which was not requested
    picture: image/png is no text
    binary: what came is no text
    latin: the text is not in UTF-8
    claimed: the text is not in UTF-8
    ");
    for path in ["head", "short", "mail"] {
        assert!(
            matches!(
                fetch(&server.url(&format!("/{path}"))),
                Err(PageError::Connection(..))
            ),
            "{path}"
        );
    }
    for path in ["most", "latin-ascii", "xml", "untyped"] {
        assert!(fetch(&server.url(&format!("/{path}"))).is_ok(), "{path}");
    }
}

#[test]
fn silence_ends_and_holds_up_nobody_else() {
    let server = Server::start(|path| {
        if path == "/hang" {
            Answer::Silence
        } else {
            html("x")
        }
    });
    let names = Table::of(&[("page.test", HERE)]);
    let fetcher =
        Fetcher::with(AddressPolicy::LOOPBACK, names, Duration::from_secs(1)).expect("a client");
    let urls: Vec<_> = ["/a", "/hang", "/b"]
        .iter()
        .map(|path| link::parse(server.url(path).as_bytes()).expect("a URL"))
        .collect();
    let mut heard = Vec::new();
    let pages = fetcher.fetch_all(&urls, &mut |done| heard.push(done));
    assert_eq!(
        pages.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [true, false, true]
    );
    assert_eq!(
        pages[1].as_ref().map_err(ToString::to_string),
        Err("no answer within 1 seconds".to_owned())
    );
    assert_eq!(heard, [1, 2, 3]);
}

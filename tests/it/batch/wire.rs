//! Requests about batches as they go over the wire, whole; and lines held against what goes out alone.

use serde_json::Value;

use super::{Batched, batch};
use crate::generate::{AGENT, PROTOCOLS, Protocol, flat, key, regenerate};
use crate::support::batches::{Call, Trouble};
use crate::support::loopback::Scripted;

/// A schema within a schema, which strict output wants closed.
const SCHEMA: &str = r#"
output_schema = '{"type":"object","properties":{"about":{"type":"string"},"parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}'
"#;

/// Every request of a run: method, path, headers and body; ids that are another one each time are told by their length.
fn wire(batched: &Batched) -> String {
    let requests = batched.world.server.requests();
    let shown = requests.iter().map(|request| {
        let headers = request.headers.iter();
        let headers =
            headers.filter(|(name, _)| !["host", "content-length"].contains(&name.as_str()));
        let headers: Vec<String> = headers
            .map(|(name, value)| format!("{name}: {}\n", shown(value)))
            .collect();
        let headers = headers.concat();
        let mut body = request.raw.clone();
        for batch in batched.provider.batches() {
            for (number, (id, _)) in batch.requests.iter().enumerate() {
                assert_eq!(id.len(), 64);
                body = body.replace(id, &format!("<basis {number}>"));
            }
        }
        format!(
            "{} {}\n{headers}{}\n",
            request.method,
            request.path,
            hidden(&body).replace('\r', "")
        )
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// A header without what differs from place to place.
fn shown(value: &str) -> String {
    let value = value.replace(&key(), "<key>");
    value.replace(env!("CARGO_PKG_VERSION"), "<version>")
}

/// A text without our own name of a batch.
fn hidden(text: &str) -> String {
    match text.split_once("\"git-merkle-run\":\"") {
        Some((before, rest)) => {
            let after = rest.split_once('"').map_or("", |(_, after)| after);
            format!("{before}\"git-merkle-run\":\"<run>\"{after}")
        }
        None => text.to_owned(),
    }
}

#[test]
fn the_openai_dialect() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
    batch(&repo, &["--wait", "a.md", "b.md"]).ok();
    insta::assert_snapshot!(wire(&batched), @r##"
    POST /v1/files
    user-agent: git-merkle/<version>
    authorization: Bearer <key>
    accept-encoding: identity
    content-type: multipart/form-data; boundary=git-merkle-batch
    accept: */*
    --git-merkle-batch
    content-disposition: form-data; name="purpose"

    batch
    --git-merkle-batch
    content-disposition: form-data; name="file"; filename="batch.jsonl"
    content-type: application/jsonl

    {"custom_id":"<basis 0>","method":"POST","url":"/v1/chat/completions","body":{"model":"test-large","messages":[{"role":"system","content":"You describe source code."},{"role":"user","content":"<file path=\"a.md\">\n# A\n\n</file>\n\nSummarize the file a.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."}],"max_tokens":2048}}
    {"custom_id":"<basis 1>","method":"POST","url":"/v1/chat/completions","body":{"model":"test-large","messages":[{"role":"system","content":"You describe source code."},{"role":"user","content":"<file path=\"b.md\">\n# B\n\n</file>\n\nSummarize the file b.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."}],"max_tokens":2048}}

    --git-merkle-batch--


    POST /v1/batches
    user-agent: git-merkle/<version>
    authorization: Bearer <key>
    accept-encoding: identity
    content-type: application/json
    accept: */*
    {"input_file_id":"file-0","endpoint":"/v1/chat/completions","completion_window":"24h","metadata":{"git-merkle-run":"<run>"}}

    GET /v1/batches/batch_0
    user-agent: git-merkle/<version>
    authorization: Bearer <key>
    accept-encoding: identity
    accept: */*


    GET /v1/files/batch_0-out/content
    user-agent: git-merkle/<version>
    authorization: Bearer <key>
    accept-encoding: identity
    accept: */*


    GET /v1/files/batch_0-err/content
    user-agent: git-merkle/<version>
    authorization: Bearer <key>
    accept-encoding: identity
    accept: */*
    "##);
}

#[test]
fn the_anthropic_dialect() {
    let batched = Batched::new(Protocol::Anthropic);
    let repo = batched.world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
    batch(&repo, &["--wait", "a.md", "b.md"]).ok();
    insta::assert_snapshot!(wire(&batched), @r##"
    POST /v1/messages/batches
    user-agent: git-merkle/<version>
    anthropic-version: 2023-06-01
    x-api-key: <key>
    accept-encoding: identity
    content-type: application/json
    accept: */*
    {"requests":[{"custom_id":"<basis 0>","params":{"model":"test-large","messages":[{"role":"user","content":"<file path=\"a.md\">\n# A\n\n</file>\n\nSummarize the file a.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."}],"max_tokens":2048,"system":"You describe source code."}},{"custom_id":"<basis 1>","params":{"model":"test-large","messages":[{"role":"user","content":"<file path=\"b.md\">\n# B\n\n</file>\n\nSummarize the file b.md of 4 bytes.\n\nRespond using this structure:\nOne sentence."}],"max_tokens":2048,"system":"You describe source code."}}]}

    GET /v1/messages/batches/batch_0
    user-agent: git-merkle/<version>
    anthropic-version: 2023-06-01
    x-api-key: <key>
    accept-encoding: identity
    accept: */*


    GET /v1/messages/batches/batch_0/results
    user-agent: git-merkle/<version>
    anthropic-version: 2023-06-01
    x-api-key: <key>
    accept-encoding: identity
    accept: */*
    "##);
}

#[test]
fn cancelling_looks_first() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.provider.hold();
        let repo = batched.world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
        drop(batch(&repo, &["a.md", "b.md"]).exits(75));
        let before = batched.world.server.requests().len();
        batch(&repo, &["--cancel"]).ok();
        let requests = batched.world.server.requests();
        let shown: Vec<String> = requests[before..]
            .iter()
            .map(|request| format!("{} {} {}", request.method, request.path, request.raw))
            .collect();
        let path = if protocol == Protocol::OpenAi {
            "batches"
        } else {
            "messages/batches"
        };
        let expected = [
            format!("GET /v1/{path}/batch_0 "),
            format!("POST /v1/{path}/batch_0/cancel {{}}"),
        ];
        assert_eq!(shown, expected);
    }
}

/// The second page, too: other programs have made batches since.
#[test]
fn a_batch_whose_creation_was_not_heard_of_is_looked_for() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.provider.hold();
        let lost = Trouble::After(Scripted::head_only());
        batched.provider.trouble(Call::Create, lost);
        let away = Trouble::Instead(Scripted::unavailable(503));
        batched.provider.trouble(Call::List, away);
        let repo = batched.world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
        drop(batch(&repo, &["a.md", "b.md"]).exits(75));
        let stranger = batched.world.sandbox.repo("stranger");
        stranger.fill(&flat(6));
        for files in [
            ["f00.rs", "f01.rs", "f02.rs"],
            ["f03.rs", "f04.rs", "f05.rs"],
        ] {
            drop(batch(&stranger, &files).exits(75));
        }
        let before = batched.world.server.requests().len();
        drop(batch(&repo, &["a.md", "b.md"]).exits(75));
        let requests = batched.world.server.requests();
        let shown = requests[before..].iter();
        let shown =
            shown.map(|request| format!("{} {}{}", request.method, request.path, request.raw));
        let (path, after) = match protocol {
            Protocol::OpenAi => ("batches", "after"),
            Protocol::Anthropic => ("messages/batches", "after_id"),
        };
        let expected = [
            format!("GET /v1/{path}?limit=100"),
            format!("GET /v1/{path}?limit=100&{after}=batch_1"),
            format!("GET /v1/{path}/batch_0"),
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_line_is_what_goes_out_alone_but_for_the_stream() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.world.agent(&format!("{AGENT}{SCHEMA}"));
        batched
            .world
            .set("merkle.provider.m.structuredOutput", "true");
        batched
            .world
            .set("merkle.provider.m.extra", r#"{"metadata":{"user":"x"}}"#);
        batched.world.set("merkle.provider.m.cacheBreakpoints", "4");
        batched.world.set("merkle.provider.m.cacheTokensMin", "2");
        let repo = batched.world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
        batched.provider.hold();
        drop(batch(&repo, &["a.md", "b.md"]).exits(75));
        let lines: Vec<Value> = batched.provider.batches()[0]
            .requests
            .iter()
            .map(|(_, body)| body.clone())
            .collect();
        let other = repo.copy_to("other");
        std::fs::remove_dir_all(other.path(".git/merkle/batches")).expect("there");
        // The words of the answers are no JSON; what was sent is what counts.
        drop(regenerate(&other, &["a.md", "b.md", "--concurrency", "1"]));
        let posts = batched.world.server.posts();
        let live: Vec<Value> = posts
            .iter()
            .rev()
            .take(2)
            .rev()
            .map(|post| {
                let mut body = post.body.clone();
                let fields = body.as_object_mut().expect("an object");
                assert_eq!(fields.shift_remove("stream"), Some(true.into()));
                fields.shift_remove("stream_options");
                body
            })
            .collect();
        assert!(
            lines[0]
                .to_string()
                .contains("\"additionalProperties\":false"),
            "{}",
            lines[0]
        );
        let sorted = |mut bodies: Vec<Value>| {
            bodies.sort_by_key(Value::to_string);
            bodies
        };
        assert_eq!(sorted(lines), sorted(live));
    }
}

#[test]
fn the_key_is_in_headers_alone_and_goes_nowhere_else() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        let repo = batched.world.repo(super::WIDE);
        let run = batch(&repo, &["--wait", "--json-lines"]);
        assert!(!run.to_string().contains(&key()), "{run}");
        for request in batched.world.server.requests() {
            let keys = [request.header("authorization"), request.header("x-api-key")];
            assert!(
                keys.into_iter()
                    .flatten()
                    .any(|value| value.ends_with(&key())),
                "{}",
                request.path
            );
            assert!(!request.raw.contains(&key()) && !request.path.contains(&key()));
        }
        let found = repo.run("grep").args(["-rlF", &key(), ".git"]).run();
        assert_eq!(found.out(), "");
    }
}

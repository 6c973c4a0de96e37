//! Laws of `context`: whatever resources hold and lists say, the document reads back as what it should be.

use std::collections::BTreeSet;

use git_merkle::base::hash::sha256_hex;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::support::{PROGRAM, Repo, Sandbox};

/// The time of the runs, in seconds.
const NOW: u64 = 1_800_000_000;
const SECTIONS: [&str; 5] = [
    "1. System Information",
    "2. Project Structure",
    "3. Memos",
    "4. Context Summary",
    "5. Resource Contents",
];

/// A document as a Markdown reader sees it.
#[derive(Default)]
struct Read {
    titles: Vec<String>,
    /// The links of the summary.
    listed: Vec<String>,
    /// The header of each block, and how many fences and reasons follow it.
    blocks: Vec<(String, usize, usize)>,
}

fn read(document: &str) -> Read {
    let mut seen = Read::default();
    let (mut text, mut in_fence) = (String::new(), false);
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Link { .. }) => text.clear(),
            Event::End(TagEnd::Heading(_)) => seen.titles.push(text.clone()),
            Event::End(TagEnd::Link) => seen.listed.push(text.clone()),
            Event::Start(Tag::CodeBlock(_)) => {
                in_fence = true;
                seen.blocks
                    .last_mut()
                    .into_iter()
                    .for_each(|block| block.1 += 1);
            }
            Event::End(TagEnd::CodeBlock) => in_fence = false,
            Event::Text(part) if !in_fence => {
                if part.starts_with("Not included: ") {
                    seen.blocks
                        .last_mut()
                        .into_iter()
                        .for_each(|block| block.2 += 1);
                }
                text.push_str(&part);
            }
            Event::Code(code) if code.starts_with('[') => {
                let name = code.rsplit_once("](").expect("a link").0;
                seen.blocks.push((name[1..].to_owned(), 0, 0));
            }
            Event::Html(_) | Event::InlineHtml(_) => panic!("HTML outside of fences in {document}"),
            _ => {}
        }
    }
    seen
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "`",
        "```",
        "````\n",
        "`````",
        "~~~\n",
        "# x\n",
        "## 5. Resource Contents\n",
        "\n---\n",
        "**Resource:** `[a](/a)`\n",
        "<div>\n",
        "<!--",
        "</script>",
        "\r",
        "\r\n",
        "\n\n",
        "    ",
        "\t",
        "é🙂\u{202e}",
        "[a]: b\n",
        "=====\n",
        "> ",
        "1. ",
        "\\",
        "&lt;",
        "x y",
    ];
    let piece = prop_oneof![
        20 => proptest::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => Just(vec![0]),
        1 => Just(vec![0xff, 0xfe]),
        2 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn entry() -> impl Strategy<Value = String> {
    let fixed = [
        "f0",
        "./f1",
        "d//f2",
        "d/../f0",
        "f*",
        "**",
        "d/",
        "d/**",
        "none",
        "no*",
        "/etc/passwd",
        "../x",
        ".git/config",
        ".GIT/x",
        "link",
        "link/x",
        "/dev/zero",
        "HEAD:f0",
        "HEAD:none",
        "nope:f0",
        ":f0",
        "frame:f0",
        "frame:none",
        "loop.context",
        "far.context",
        "https://docs.example/p",
        "https://DOCS.example/p#x",
        "https://127.1/",
        "http://docs.example/",
        "https://a:b@docs.example/",
        "https://[::1]:9/x",
        "ftp://docs.example/",
        "a](b)",
        "`x`",
        "<b>",
        "# x",
        "\t",
        "sub",
    ];
    proptest::sample::select(fixed.to_vec()).prop_map(ToOwned::to_owned)
}

/// Commits files of these bodies, links, a list that names itself, and a submodule.
fn import(repo: &Repo<'_>, bodies: &[Vec<u8>]) {
    let mut files: Vec<(String, &str, Vec<u8>)> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| {
            (
                format!("{}f{number}", if number % 3 == 2 { "d/" } else { "" }),
                "100644",
                body.clone(),
            )
        })
        .collect();
    files.push(("link".into(), "120000", b"/etc/passwd".to_vec()));
    files.push((
        "loop.context".into(),
        "100644",
        b"far.context\nf0\n".to_vec(),
    ));
    files.push((
        "far.context".into(),
        "100644",
        b"loop.context\nhttps://docs.example/q\n".to_vec(),
    ));
    let mut input =
        b"commit refs/heads/main\ncommitter T <t@example.org> 1800000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\ndeleteall\n"
            .to_vec();
    if repo.git(&["rev-parse", "--verify", "--quiet", "main"]).code != Some(0) {
        let text = String::from_utf8(input)
            .expect("ASCII")
            .replace("from refs/heads/main^0\n", "");
        input = text.into_bytes();
    }
    for (name, mode, body) in files {
        input.extend(format!("M {mode} inline {name}\ndata {}\n", body.len()).into_bytes());
        input.extend_from_slice(&body);
        input.push(b'\n');
    }
    input.extend(format!("M 160000 {} sub\n", "1".repeat(40)).into_bytes());
    repo.run("git")
        .args(["fast-import", "--quiet", "--force"])
        .input(input)
        .run()
        .ok();
}

fn keep(repo: &Repo<'_>, text: &str) {
    let url = "https://docs.example/p";
    let folder = repo.state().cache().folder("pages");
    folder.create().expect("a folder");
    let head = serde_json::json!({
        "format": 1, "url": url, "found_at": url, "media_type": "text/html", "fetched_seconds": NOW, "sha256": sha256_hex(text.as_bytes()),
    });
    folder
        .write_sealed(
            &sha256_hex(url.as_bytes()),
            format!("{head}\n{text}").as_bytes(),
        )
        .expect("writable");
}

/// The document for lists of each scope; nothing in it may be fetched but what is kept.
fn context(repo: &Repo<'_>, lists: &[Vec<String>; 3]) -> String {
    let sessions = repo.path(".teddy/sessions/s/01");
    std::fs::create_dir_all(&sessions).expect("a folder");
    for (path, list) in [
        "global.context",
        "sessions/s/session.context",
        "sessions/s/01/turn.context",
    ]
    .iter()
    .zip(lists)
    {
        std::fs::write(repo.path(".teddy").join(path), list.join("\n")).expect("writable");
    }
    std::fs::write(repo.path(".teddy/memos.yaml"), "- ````\n").expect("writable");
    let run = repo.run(PROGRAM).args([
        "-c",
        "merkle.urls=https://docs.example/p",
        "context",
        "--allow-missing",
        "--session=s",
        "--turn=01",
    ]);
    run.env("SOURCE_DATE_EPOCH", NOW.to_string()).run().ok()
}

#[test]
fn every_resource_appears_once_with_its_body_or_a_reason_and_the_document_is_the_same_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let lists = || proptest::collection::vec(entry(), 0..6);
    let cases = (
        proptest::collection::vec(body(), 3..9),
        body(),
        [lists(), lists(), lists()],
    );
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&cases, |(bodies, page, lists)| {
            import(&repo, &bodies);
            keep(&repo, &String::from_utf8_lossy(&page));
            let document = context(&repo, &lists);
            let seen = read(&document);
            let scopes = ["Turn", "Session", "Global"];
            let titles: Vec<&str> = seen
                .titles
                .iter()
                .skip(1)
                .map(String::as_str)
                .filter(|title| !scopes.contains(title))
                .collect();
            prop_assert_eq!(titles, SECTIONS, "{}", document);
            let shown: Vec<&String> = seen.blocks.iter().map(|(name, _, _)| name).collect();
            let listed: BTreeSet<&String> = seen.listed.iter().collect();
            prop_assert_eq!(
                shown.iter().copied().collect::<BTreeSet<_>>(),
                listed,
                "{}",
                document
            );
            for (name, fences, reasons) in &seen.blocks {
                prop_assert_eq!(fences + reasons, 1, "{} in {}", name, document);
            }
            prop_assert_eq!(context(&repo, &lists), document);
            Ok(())
        })
        .expect("holds");
}

/// A reader of Markdown does not see `<path>` where it stands bare.
#[test]
fn a_payload_that_no_list_decides_reads_back_as_well() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    import(
        &repo,
        &[
            b"<b> one\n".to_vec(),
            b"two <!--\n".to_vec(),
            b"# three\n".to_vec(),
        ],
    );
    let mut documents = vec![context(&repo, &[Vec::new(), Vec::new(), Vec::new()])];
    std::fs::remove_dir_all(repo.path(".teddy")).expect("made above");
    documents.push(repo.merkle(&["context", "--for", "three of one"]).ok());
    for document in documents {
        let titles = read(&document).titles;
        assert!(
            SECTIONS
                .iter()
                .all(|section| titles.iter().any(|title| title == section)),
            "{document}"
        );
    }
}

#[test]
fn large_bodies_and_long_lists_are_shown_or_cut_with_a_reason() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    import(
        &repo,
        &[
            b"x`\n".repeat(4 << 20),
            b"a".to_vec(),
            "````\n".repeat(1 << 16).into_bytes(),
        ],
    );
    let long: Vec<String> = (0..100_001).map(|number| format!("none{number}")).collect();
    let document = context(&repo, &[long, vec!["f0".into(), "d/f2".into()], Vec::new()]);
    assert_eq!(
        document
            .matches("\nNot included: no such file in the snapshot.\n")
            .count(),
        100_000
    );
    assert!(document.contains("only the first 100000 entries of this list are read"));
    let seen = read(&document);
    assert_eq!(seen.blocks.len(), 100_003);
    assert!(
        seen.blocks
            .iter()
            .all(|(_, fences, reasons)| fences + reasons == 1)
    );
}

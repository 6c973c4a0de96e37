//! What every decoder promises about bytes from anywhere: it does not panic, and what it accepts, it means.
//!
//! Each is a function of bytes alone, true where they are accepted. The targets beside this file give it what a fuzzer
//! makes; `tests/it/hostile/seed.rs` gives it the seeds, with every run of the tests and on a stable compiler.

use git_merkle::agent::{Template, Values};
use git_merkle::base::{Digest, TreePath};
use git_merkle::context::pattern::Pattern;
use git_merkle::context::{List, Scope};
use git_merkle::frame::{self, CodecError, FrameName, Manifest};
use git_merkle::git::{HashKind, tree_entries};
use git_merkle::page::html::to_markdown;
use git_merkle::page::link;
use git_merkle::review::CodeRecord;
use git_merkle::session::history::History;
use git_merkle::session::{SessionRecord, TurnRecord, Verdict};
use git_merkle::symbol::map::{FileSymbols, MapLinks};
use git_merkle::symbol::{self, Cached};
use git_merkle::synthesis::{Facts, PolicySpec};
use git_merkle::tier;

/// A decoder by the name of its target and of its folder of seeds.
pub(crate) type Decoder = (&'static str, fn(&[u8]) -> bool);

/// All of them.
pub(crate) const DECODERS: [Decoder; 18] = [
    ("declarations", declarations),
    ("facts", facts),
    ("frame", frame),
    ("frame-name", frame_name),
    ("history", history),
    ("html", html),
    ("link", web_link),
    ("list", list),
    ("manifest", manifest),
    ("map-links", map_links),
    ("outline", outline),
    ("policy", policy),
    ("session", session),
    ("source", source),
    ("symbols", symbols),
    ("template", template),
    ("tiers", tiers),
    ("tree", tree),
];

/// The checks of a target, for its few lines.
pub(crate) fn check(name: &str, bytes: &[u8]) -> bool {
    let (_, decode) = DECODERS
        .iter()
        .find(|(own, _)| *own == name)
        .expect("a target has a decoder");
    decode(bytes)
}

/// A frame. Its id is put right first, or nothing behind that check would ever be reached.
fn frame(bytes: &[u8]) -> bool {
    let repaired = match frame::decode(bytes) {
        Err(CodecError::Id { actual, stated }) => {
            let (actual, stated) = (actual.to_string(), stated.to_string());
            let at = bytes
                .windows(stated.len())
                .position(|part| part == stated.as_bytes());
            at.map(|at| [&bytes[..at], actual.as_bytes(), &bytes[at + stated.len()..]].concat())
        }
        _ => None,
    };
    let bytes = repaired.as_deref().unwrap_or(bytes);
    let Ok(frame) = frame::decode(bytes) else {
        return false;
    };
    assert_eq!(frame::encode(&frame).expect("it was decoded"), bytes);
    true
}

/// The path of a frame in the tree of the store.
fn frame_name(bytes: &[u8]) -> bool {
    let name = FrameName::parse_path(bytes);
    if let Some(name) = &name {
        assert_eq!(name.path().as_bytes(), bytes);
    }
    name.is_some()
}

/// A signed list of statements.
fn manifest(bytes: &[u8]) -> bool {
    let manifest = Manifest::decode(bytes);
    if let Ok(manifest) = &manifest {
        assert_eq!(manifest.encode(), bytes);
    }
    manifest.is_ok()
}

/// An outline in the cache.
fn outline(bytes: &[u8]) -> bool {
    let Some(outline) = symbol::decode(bytes) else {
        return false;
    };
    let _ = symbol::render(&outline);
    assert_eq!(symbol::encode(&outline), bytes);
    true
}

/// What a map knows of a file, in the cache.
fn symbols(bytes: &[u8]) -> bool {
    let Some(symbols) = <FileSymbols as Cached>::decode(bytes) else {
        return false;
    };
    let again = <FileSymbols as Cached>::decode(&symbols.encode());
    assert_eq!(again.map(|again| again.encode()), Some(symbols.encode()));
    true
}

/// What a review knows of a file, in the cache. Versions and the digest of the rules in front are put right first.
fn declarations(bytes: &[u8]) -> bool {
    const HEAD_BYTES: usize = 18;
    let none = CodeRecord::new(
        symbol::Outline::default(),
        "",
        true,
        Digest::of("seed/1", b""),
    );
    let mut bytes = bytes.to_vec();
    let length = bytes.len().min(HEAD_BYTES);
    bytes[..length].copy_from_slice(&none.encode()[..length]);
    let Some(record) = CodeRecord::decode(&bytes) else {
        return false;
    };
    assert_eq!(CodeRecord::decode(&record.encode()), Some(record));
    true
}

/// Links between the files of a map, for as many files as the first byte says.
fn map_links(bytes: &[u8]) -> bool {
    let Some((files, bytes)) = bytes.split_first() else {
        return false;
    };
    let files = usize::from(*files);
    let Some(links) = MapLinks::decode(bytes.to_vec(), files) else {
        return false;
    };
    assert!(MapLinks::decode(links.encode(), files).is_some());
    true
}

/// Source text in the language that the first byte chooses; nothing that is read is lost in the cache.
fn source(bytes: &[u8]) -> bool {
    const NAMES: [&str; 14] = [
        "a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb",
        "a.php", "a.sh", "a.md",
    ];
    let Some((choice, text)) = bytes.split_first() else {
        return false;
    };
    let name = NAMES[usize::from(*choice) % NAMES.len()];
    let mut outline = symbol::extract(symbol::detect(name.as_bytes(), text), text);
    forget_spans(&mut outline.symbols);
    let kept = symbol::decode(&symbol::encode(&outline));
    let has_symbols = !outline.symbols.is_empty();
    assert_eq!(kept, Some(outline));
    has_symbols
}

/// Places are for those who have the text at hand; they are not kept.
pub(crate) fn forget_spans(symbols: &mut [symbol::Symbol]) {
    for symbol in symbols {
        symbol.span = symbol::Span::default();
        forget_spans(&mut symbol.children);
    }
}

/// The bytes of a git tree, with ids of both lengths.
fn tree(bytes: &[u8]) -> bool {
    let id = git_merkle::base::NodeId::from_bytes(&[1; 20]).expect("twenty bytes");
    let of = |hash| {
        let entries: Vec<_> = tree_entries(id, bytes, hash).collect();
        let before_last = entries.iter().rev().skip(1);
        assert!(
            before_last.into_iter().all(Result::is_ok),
            "an error is the last entry"
        );
        !entries.is_empty() && entries.iter().all(Result::is_ok)
    };
    let both = [HashKind::Sha1, HashKind::Sha256].map(of);
    both[0] || both[1]
}

/// The state of a session's tiers. Its check sum is put right first.
fn tiers(bytes: &[u8]) -> bool {
    let decoded = |bytes: &[u8]| {
        let (state, notice) = tier::decode(bytes);
        if notice.is_none() {
            assert_eq!(tier::encode(&state), bytes);
        }
        notice.is_none()
    };
    let signed = &bytes[..bytes.len().saturating_sub(8)];
    let sum = Digest::of("git-merkle 2026 tiers/3", signed);
    decoded(bytes) || decoded(&[signed, &sum.0[..8]].concat())
}

/// The records of a session and of a turn.
fn session(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let _ = Verdict::parse(text).map(|verdict| verdict.feedback(text));
    let session = SessionRecord::decode(text);
    if let Ok(record) = &session {
        let again = SessionRecord::decode(&record.encode()).expect("it was written here");
        assert_eq!(again.encode(), record.encode());
    }
    let turn = TurnRecord::decode(text);
    if let Ok(record) = &turn {
        let again = TurnRecord::decode(&record.encode()).expect("it was written here");
        assert_eq!(again.encode(), record.encode());
    }
    session.is_ok() || turn.is_ok()
}

/// The history of a session: each line is an entry, one that was there before, or damaged.
fn history(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let history = History::decode(text);
    assert!(history.entries.len() + history.damaged.len() <= text.lines().count());
    let _ = (history.view(), history.due());
    !history.entries.is_empty()
}

/// A page of the web.
fn html(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| to_markdown(text).is_ok())
}

/// An address in a list of context.
fn web_link(bytes: &[u8]) -> bool {
    let url = link::parse(bytes);
    if let Ok(url) = &url {
        let again = link::parse(url.as_str().as_bytes());
        assert_eq!(again.as_ref().map(link_text), Ok(url.as_str()));
    }
    url.is_ok()
}

fn link_text(url: &git_merkle::page::Url) -> &str {
    url.as_str()
}

/// A list of context, and each of its entries as a pattern.
fn list(bytes: &[u8]) -> bool {
    let list = List::parse(Scope::Global, "global.context", bytes);
    let patterns = list.entries.iter().map(|entry| Pattern::parse(entry));
    let read: Vec<Pattern> = patterns.filter_map(Result::ok).collect();
    let _: Vec<TreePath> = read.iter().map(Pattern::base).collect();
    !read.is_empty()
}

/// The prompt of an agent.
fn template(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let template = Template::parse(text);
    if let Ok(template) = &template {
        assert_eq!(template.text(), text);
        let values = Values {
            path: "{path}",
            node_type: "file",
            file_size_bytes: Some(7),
        };
        let _ = template.fill(&values);
    }
    template.is_ok()
}

/// How a synthesis is made, as a frame remembers it.
fn policy(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let spec = PolicySpec::parse(text);
    if let Some(spec) = &spec {
        assert_eq!(spec.render(), text);
        let _ = spec.policy();
    }
    spec.is_some()
}

/// What the outline of a directory says about what is below it.
fn facts(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| Facts::parse(text).is_some())
}

//! The bytes of a session's [`State`]: canonical, and refused when a single bit is wrong.
//!
//! `git-merkle/tiers`, a version byte, the fields, and the first eight bytes of the digest of all before. Numbers are
//! LEB128 in their shortest form, texts are preceded by their length, lists by their count. The state only saves money:
//! what cannot be read is replaced by an empty one, and the caller is told.

use std::collections::BTreeMap;

use super::item::{Content, Key};
use super::layout::Tier;
use super::state::{State, Tracked};
use crate::base::codec::{ByteReader, put_bytes, put_number};
use crate::base::number::low_byte;
use crate::base::{Digest, TreePath};

const MAGIC: &[u8] = b"git-merkle/tiers";
const VERSION: u8 = 3;
const CONTEXT: &str = "git-merkle 2026 tiers/3";
const CHECK_BYTES: usize = 8;

/// Why a session begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    /// The bytes are not those of a state.
    #[error("the session's tiers were damaged and are built anew")]
    Damaged,
    /// Another version of the program wrote them.
    #[error("the session's tiers are of version {0}, which is unknown here, and are built anew")]
    UnknownVersion(u8),
}

/// Encodes a state.
#[must_use]
pub fn encode(state: &State) -> Vec<u8> {
    let mut out = [MAGIC, &[VERSION]].concat();
    put_number(&mut out, u64::from(state.requests));
    out.push(u8::from(state.system.is_some()));
    if let Some(system) = &state.system {
        put_content(&mut out, system);
    }
    put_number(&mut out, state.items.len() as u64);
    for (key, tracked) in &state.items {
        put_key(&mut out, key);
        put_content(&mut out, &tracked.content);
        out.push(low_byte(tracked.tier.number() as u64));
        put_number(&mut out, u64::from(tracked.n));
        put_number(&mut out, u64::from(tracked.since));
    }
    put_number(&mut out, state.aliases.len() as u64);
    for directory in &state.aliases {
        put_bytes(&mut out, directory.as_bytes());
    }
    for number in [state.moves, state.full_texts.0, state.full_texts.1] {
        put_number(&mut out, u64::from(number));
    }
    put_number(&mut out, state.edits.len() as u64);
    for (path, requests) in &state.edits {
        put_bytes(&mut out, path.as_bytes());
        put_number(&mut out, requests.len() as u64);
        for request in requests {
            put_number(&mut out, u64::from(*request));
        }
    }
    put_number(&mut out, state.texts.len() as u64);
    for (key, text) in &state.texts {
        put_key(&mut out, key);
        put_bytes(&mut out, text.as_bytes());
    }
    let check = Digest::of(CONTEXT, &out);
    out.extend_from_slice(&check.0[..CHECK_BYTES]);
    out
}

/// Decodes a state; an empty one, and why, for bytes that [`encode`] does not give.
#[must_use]
pub fn decode(bytes: &[u8]) -> (State, Option<Notice>) {
    match parse(bytes) {
        Ok(state) => (state, None),
        Err(notice) => (State::default(), Some(notice)),
    }
}

fn parse(bytes: &[u8]) -> Result<State, Notice> {
    match bytes.strip_prefix(MAGIC).and_then(<[u8]>::first) {
        None => return Err(Notice::Damaged),
        Some(&VERSION) => {}
        Some(version) => return Err(Notice::UnknownVersion(*version)),
    }
    let (signed, check) = bytes
        .split_at_checked(bytes.len().saturating_sub(CHECK_BYTES))
        .ok_or(Notice::Damaged)?;
    if signed.len() <= MAGIC.len() || Digest::of(CONTEXT, signed).0[..CHECK_BYTES] != *check {
        return Err(Notice::Damaged);
    }
    let mut rest = ByteReader(&signed[MAGIC.len() + 1..]);
    let state = state(&mut rest).ok_or(Notice::Damaged)?;
    // What is accepted is what would be written, so that two programs never disagree about it.
    if encode(&state) == bytes {
        Ok(state)
    } else {
        Err(Notice::Damaged)
    }
}

fn put_content(out: &mut Vec<u8>, content: &Content) {
    out.extend_from_slice(&content.digest.0);
    put_number(out, content.tokens);
}

fn put_key(out: &mut Vec<u8>, key: &Key) {
    let (code, bytes) = match key {
        Key::Symbols(path) => (0, path.as_bytes()),
        Key::File(path) => (1, path.as_bytes()),
        Key::Url(address) => (2, address.as_bytes()),
        Key::Message(number) => {
            out.push(3);
            return put_number(out, u64::from(*number));
        }
        Key::Tree => return out.push(4),
        Key::Update(path) => (5, path.as_bytes()),
    };
    out.push(code);
    put_bytes(out, bytes);
}

fn content(rest: &mut ByteReader<'_>) -> Option<Content> {
    let digest = Digest(rest.array()?);
    Some(Content {
        digest,
        tokens: rest.number()?,
    })
}

fn key(rest: &mut ByteReader<'_>) -> Option<Key> {
    Some(match rest.byte()? {
        0 => Key::Symbols(TreePath::new(rest.bytes()?)),
        1 => Key::File(TreePath::new(rest.bytes()?)),
        2 => Key::Url(rest.text()?),
        3 => Key::Message(rest.small()?),
        4 => Key::Tree,
        5 => Key::Update(TreePath::new(rest.bytes()?)),
        _ => return None,
    })
}

fn tracked(rest: &mut ByteReader<'_>) -> Option<Tracked> {
    let content = content(rest)?;
    let number = usize::from(rest.byte()?);
    let tier = Some(Tier::of_number(number)).filter(|tier| tier.number() == number)?;
    Some(Tracked {
        content,
        tier,
        n: rest.small()?,
        since: rest.small()?,
    })
}

fn state(rest: &mut ByteReader<'_>) -> Option<State> {
    let requests = rest.small()?;
    let system = if rest.byte()? == 0 {
        None
    } else {
        Some(content(rest)?)
    };
    let mut items = BTreeMap::new();
    for _ in 0..rest.number()? {
        let key = key(rest)?;
        items.insert(key, tracked(rest)?);
    }
    let mut aliases = Vec::new();
    for _ in 0..rest.number()? {
        aliases.push(rest.text()?);
    }
    let (moves, full_texts) = (rest.small()?, (rest.small()?, rest.small()?));
    let mut edits = BTreeMap::new();
    for _ in 0..rest.number()? {
        let path = TreePath::new(rest.bytes()?);
        let mut requests_of = Vec::new();
        for _ in 0..rest.number()? {
            requests_of.push(rest.small()?);
        }
        edits.insert(path, requests_of);
    }
    let mut texts = BTreeMap::new();
    for _ in 0..rest.number()? {
        let key = key(rest)?;
        texts.insert(key, rest.text()?);
    }
    rest.0.is_empty().then_some(State {
        requests,
        system,
        items,
        aliases,
        moves,
        full_texts,
        edits,
        texts,
    })
}

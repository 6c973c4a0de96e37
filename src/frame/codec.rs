//! A frame as bytes: Markdown under a front matter whose keys stand in one order.
//!
//! The codec is canonical: `encode(decode(b)) == b` for every `b` that is accepted, which `decode` ensures by
//! writing the header that it read beside it. It also checks that the frame id is the digest of what the frame says.
//!
//! A header line is `key: value`. Values that are not plain words are JSON strings, so every header is valid YAML:
//! a plain word starts with a letter or digit and goes on with letters, digits and `. _ : / @ + -`, words being
//! separated by single spaces. Unknown keys follow the known ones and are kept. Shapes: docs/formats.md.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use super::model::{Children, Frame, Usage, frame_id};
use crate::base::Cost;
use crate::base::limit::{BODY_BYTES_MAX, HEADER_BYTES_MAX};
use crate::base::{Digest, FrameId, TreePath};

/// The format line of this version. Another number after the last `/` is another major version.
pub const FORMAT: &str = "git-merkle/frame/1";

/// The keys that a header may have, in their order; all others are unknown and kept.
const KEYS: [&str; 17] = [
    "format",
    "frame",
    "node",
    "kind",
    "agent",
    "type",
    "seq",
    "basis",
    "basis-kind",
    "path",
    "children",
    "provider",
    "model",
    "usage",
    "cost-usd",
    "created",
    "tool",
];

/// Why bytes are not a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// Not UTF-8.
    #[error("frame is not UTF-8")]
    Encoding,
    /// No front matter, or it has no end.
    #[error("frame has no header")]
    Header,
    /// A newer program wrote it.
    #[error("frame format '{0}' is newer than this program; update git-merkle to read it")]
    Format(String),
    /// A key is absent.
    #[error("frame header lacks '{0}'")]
    Absent(&'static str),
    /// A value does not follow its grammar.
    #[error("frame header has a bad '{0}'")]
    Value(&'static str),
    /// It decodes, but this is not how it would be written.
    #[error("frame is not in canonical form")]
    NotCanonical,
    /// The frame id is not the digest of what the frame says.
    #[error("frame id {stated} does not match its content, which is {actual}")]
    Id {
        /// What the header says.
        stated: FrameId,
        /// What the content is.
        actual: FrameId,
    },
    /// It says another node, agent, type, generation or id than the name under which it is stored.
    #[error("frame does not match its name")]
    Name,
    /// Over [`BODY_BYTES_MAX`].
    #[error("frame body of {0} bytes is over the limit of {BODY_BYTES_MAX}")]
    Body(usize),
    /// Over [`HEADER_BYTES_MAX`].
    #[error("frame header of {0} bytes is over the limit of {HEADER_BYTES_MAX}")]
    HeaderSize(usize),
}

/// Writes a frame as bytes.
///
/// Refuses a body or header over its limit; everything else that a [`Frame`] can hold has bytes.
pub fn encode(frame: &Frame) -> Result<Vec<u8>, CodecError> {
    if frame.content.len() > BODY_BYTES_MAX {
        return Err(CodecError::Body(frame.content.len()));
    }
    let mut out = String::with_capacity(768 + 1 + frame.content.len());
    write_header(frame, &mut out).expect("writing to a string succeeds");
    if out.len() > HEADER_BYTES_MAX {
        return Err(CodecError::HeaderSize(out.len()));
    }
    out.push('\n');
    out.push_str(&frame.content);
    Ok(out.into_bytes())
}

/// Writes the front matter.
fn write_header(frame: &Frame, out: &mut dyn fmt::Write) -> fmt::Result {
    // Piece by piece, because `decode` writes the header of every frame once more to compare it.
    let mut line = |key: &str, value: &dyn fmt::Display| {
        out.write_str(key)?;
        out.write_str(": ")?;
        out.write_fmt(format_args!("{value}"))?;
        out.write_str("\n")
    };
    line("---\nformat", &FORMAT)?;
    line("frame", &frame.id)?;
    line("node", &frame.node)?;
    line("kind", &frame.kind)?;
    line("agent", &frame.agent)?;
    line("type", &frame.frame_type)?;
    line("seq", &frame.seq)?;
    line("basis", &frame.basis)?;
    line("basis-kind", &frame.basis_kind)?;
    if let Some(path) = frame
        .path
        .as_ref()
        .and_then(|path| std::str::from_utf8(path.as_bytes()).ok())
    {
        line("path", &json_string(path))?;
    }
    match &frame.children {
        Children::None => {}
        Children::Listed(ids) => {
            line(
                "children",
                &format_args!(
                    "[{}]",
                    ids.iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            )?;
        }
        Children::Digest(count, digest) => line("children", &format_args!("{count} {digest}"))?,
    }
    if let Some(provider) = &frame.provider {
        line("provider", &text(provider))?;
    }
    if let Some(model) = &frame.model {
        line("model", &text(model))?;
    }
    if let Some(Usage {
        input,
        output,
        cache_read,
        cache_write,
    }) = frame.usage
    {
        line(
            "usage",
            &format_args!(
                "{{\"input\":{input},\"output\":{output},\"cache_read\":{cache_read},\"cache_write\":{cache_write}}}"
            ),
        )?;
    }
    if let Some(cost) = frame.cost {
        line("cost-usd", &cost)?;
    }
    if let Some(created) = &frame.created {
        line("created", &text(created))?;
    }
    line("tool", &text(&frame.tool))?;
    for (key, value) in &frame.unknown {
        line(key, value)?;
    }
    out.write_str("---\n")
}

/// What is left of a text of which each part that is written must be the next.
struct Rest<'t>(&'t str);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// Reads a frame, checking form, limits and id.
pub fn decode(bytes: &[u8]) -> Result<Frame, CodecError> {
    let whole = std::str::from_utf8(bytes).map_err(|_| CodecError::Encoding)?;
    let rest = whole.strip_prefix("---\n").ok_or(CodecError::Header)?;
    // Before any limit: a newer format has limits of its own.
    check_format(rest)?;
    let (mut fields, body) = Fields::parse(rest)?;
    let content = body.strip_prefix('\n').ok_or(CodecError::Header)?;
    fields.take("format")?;
    let frame = Frame {
        id: fields.parse_value("frame")?,
        node: fields.parse_value("node")?,
        kind: fields.parse_value("kind")?,
        agent: fields.parse_value("agent")?,
        frame_type: fields.parse_value("type")?,
        seq: fields.parse_value("seq")?,
        basis: fields.parse_value("basis")?,
        basis_kind: fields.parse_value("basis-kind")?,
        path: fields.text("path")?.map(TreePath::new),
        children: fields.children()?,
        provider: fields.text("provider")?,
        model: fields.text("model")?,
        usage: fields.usage()?,
        cost: fields
            .find("cost-usd")
            .map(|value| {
                value
                    .parse::<Cost>()
                    .map_err(|()| CodecError::Value("cost-usd"))
            })
            .transpose()?,
        created: fields.text("created")?,
        tool: fields.text("tool")?.ok_or(CodecError::Absent("tool"))?,
        unknown: fields.rest()?,
        content: content.to_owned(),
    };
    if content.len() > BODY_BYTES_MAX {
        return Err(CodecError::Body(content.len()));
    }
    // The content is taken as it stands, so only the header could be written in another way.
    let stated = &whole[..whole.len() - body.len()];
    if stated.len() > HEADER_BYTES_MAX {
        return Err(CodecError::HeaderSize(stated.len()));
    }
    let mut rest = Rest(stated);
    if write_header(&frame, &mut rest).is_err() || !rest.0.is_empty() {
        return Err(CodecError::NotCanonical);
    }
    let actual = frame_id(
        &frame.basis,
        &frame.agent,
        &frame.frame_type,
        &frame.content,
    );
    if actual != frame.id {
        return Err(CodecError::Id {
            stated: frame.id,
            actual,
        });
    }
    Ok(frame)
}

/// Demands this version's format line in front. What is no frame's format at all is damage, another number is not.
fn check_format(header: &str) -> Result<(), CodecError> {
    let (line, _) = header.split_once('\n').ok_or(CodecError::Header)?;
    let format = line
        .strip_prefix("format: ")
        .ok_or(CodecError::Absent("format"))?;
    match format {
        FORMAT => Ok(()),
        newer if is_newer(newer, FORMAT) => Err(CodecError::Format(newer.to_owned())),
        _ => Err(CodecError::Value("format")),
    }
}

/// True when a format has the name of ours, and a number that this program does not know.
pub(super) fn is_newer(format: &str, ours: &str) -> bool {
    format
        .strip_prefix(ours.trim_end_matches(|c: char| c.is_ascii_digit()))
        .filter(|number| number.len() <= 9)
        .and_then(|number| number.parse::<u32>().ok())
        .is_some_and(|number| number > 1)
}

/// The header's lines, taken one by one; what is left in the end is unknown.
struct Fields<'a>(VecDeque<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    /// Reads the header in front of a text, and returns what is behind it, too.
    fn parse(text: &'a str) -> Result<(Self, &'a str), CodecError> {
        let (mut fields, mut rest) = (VecDeque::with_capacity(16), text);
        loop {
            let (line, behind) = rest.split_once('\n').ok_or(CodecError::Header)?;
            if line == "---" && !fields.is_empty() {
                return Ok((Self(fields), behind));
            }
            rest = behind;
            let bytes = text.len() - rest.len();
            if bytes > HEADER_BYTES_MAX {
                return Err(CodecError::HeaderSize(bytes));
            }
            let (key, value) = line
                .split_once(':')
                .and_then(|(key, value)| Some((key, value.strip_prefix(' ')?)))
                .ok_or(CodecError::Header)?;
            let is_key = key.starts_with(|c: char| c.is_ascii_lowercase())
                && key
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            if !is_key {
                return Err(CodecError::Header);
            }
            fields.push_back((key, value));
        }
    }

    /// Takes a key's value; in a canonical header it is the next, or absent.
    fn find(&mut self, key: &'static str) -> Option<&'a str> {
        let at = self.0.iter().position(|(name, _)| *name == key)?;
        self.0.remove(at).map(|(_, value)| value)
    }

    fn take(&mut self, key: &'static str) -> Result<&'a str, CodecError> {
        self.find(key).ok_or(CodecError::Absent(key))
    }

    fn parse_value<T: FromStr>(&mut self, key: &'static str) -> Result<T, CodecError> {
        self.take(key)?.parse().map_err(|_| CodecError::Value(key))
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, CodecError> {
        self.find(key)
            .map(|value| {
                if value.starts_with('"') {
                    serde_json::from_str(value).map_err(|_| CodecError::Value(key))
                } else {
                    Ok(value.to_owned())
                }
            })
            .transpose()
    }

    fn children(&mut self) -> Result<Children, CodecError> {
        const KEY: &str = "children";
        let Some(value) = self.find(KEY) else {
            return Ok(Children::None);
        };
        if let Some(list) = value
            .strip_prefix('[')
            .and_then(|value| value.strip_suffix(']'))
        {
            let ids = list
                .split(", ")
                .map(str::parse)
                .collect::<Result<Vec<FrameId>, _>>();
            return ids
                .map(Children::Listed)
                .map_err(|_| CodecError::Value(KEY));
        }
        let (count, digest) = value.split_once(' ').ok_or(CodecError::Value(KEY))?;
        match (count.parse(), Digest::from_hex(digest)) {
            (Ok(count), Some(digest)) => Ok(Children::Digest(count, digest)),
            _ => Err(CodecError::Value(KEY)),
        }
    }

    fn usage(&mut self) -> Result<Option<Usage>, CodecError> {
        const KEY: &str = "usage";
        let Some(value) = self.find(KEY) else {
            return Ok(None);
        };
        let usage = serde_json::from_str(value).map_err(|_| CodecError::Value(KEY))?;
        Ok(Some(usage))
    }

    /// The unknown keys and their values; a key that was taken, or stands twice, is no unknown one.
    fn rest(self) -> Result<Vec<(String, String)>, CodecError> {
        let mut unknown: Vec<(String, String)> = Vec::with_capacity(self.0.len());
        for (key, value) in self.0 {
            if KEYS.contains(&key) || unknown.iter().any(|(known, _)| known == key) {
                return Err(CodecError::Header);
            }
            unknown.push((key.to_owned(), value.to_owned()));
        }
        Ok(unknown)
    }
}

/// A plain word as it is, anything else as a JSON string.
fn text(value: &str) -> String {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !word.ends_with(':')
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._:/@+-".contains(&b))
    };
    if value.split(' ').all(is_word) {
        value.to_owned()
    } else {
        json_string(value)
    }
}

fn json_string(value: &str) -> String {
    serde_json::to_string(value).expect("a string always has a JSON form")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::{BasisId, FieldHasher};
    use crate::frame::{BasisKind, NodeKind};

    fn sample() -> Frame {
        let basis = BasisId(FieldHasher::new("test/1").finish());
        let agent = "docs".parse().expect("a word");
        let frame_type = "summary".parse().expect("a word");
        let content = "What it is for.\n".to_owned();
        Frame {
            id: frame_id(&basis, &agent, &frame_type, &content),
            node: "9c1e00000000000000000000000000000000abcd"
                .parse()
                .expect("an id"),
            kind: NodeKind::File,
            agent,
            frame_type,
            seq: 2,
            basis,
            basis_kind: BasisKind::Generated,
            path: Some(TreePath::from("src/lib.rs")),
            children: Children::None,
            provider: Some("anthropic".into()),
            model: Some("a model: odd".into()),
            usage: Some(Usage {
                input: 1520,
                output: 210,
                cache_read: 0,
                cache_write: 0,
            }),
            cost: Some(Cost(400_000)),
            created: Some("2026-11-21T20:13:05Z".into()),
            tool: "git-merkle 0.1.0".into(),
            unknown: vec![],
            content,
        }
    }

    #[test]
    fn a_frame_looks_like_this() {
        let bytes = encode(&sample()).expect("within limits");
        insta::assert_snapshot!(String::from_utf8_lossy(&bytes), @r#"
        ---
        format: git-merkle/frame/1
        frame: 9df21424600112c2c2a36c8ebf07077464e5a4fd95b6fef2fc85c994501b8948
        node: 9c1e00000000000000000000000000000000abcd
        kind: file
        agent: docs
        type: summary
        seq: 2
        basis: 452978c77513997e993e8483f2c97477f99fc06b5fcffaf71fc5c5f4b74a6cd9
        basis-kind: generated
        path: "src/lib.rs"
        provider: anthropic
        model: "a model: odd"
        usage: {"input":1520,"output":210,"cache_read":0,"cache_write":0}
        cost-usd: 0.0004
        created: 2026-11-21T20:13:05Z
        tool: git-merkle 0.1.0
        ---

        What it is for.
        "#);
        assert_eq!(decode(&bytes), Ok(sample()));
    }

    #[test]
    fn headers_are_valid_yaml() {
        let bytes = encode(&sample()).expect("within limits");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let header = text.split("---\n").nth(1).expect("a header");
        let value: serde_yaml::Value = serde_yaml::from_str(header).expect("YAML");
        assert_eq!(value["path"].as_str(), Some("src/lib.rs"));
        assert_eq!(value["cost-usd"].as_f64(), Some(0.0004));
        assert_eq!(value["model"].as_str(), Some("a model: odd"));
    }

    #[test]
    fn another_content_is_found_out() {
        let mut bytes = encode(&sample()).expect("within limits");
        let last = bytes.len() - 2;
        bytes[last] = b'!';
        assert!(matches!(decode(&bytes), Err(CodecError::Id { .. })));
    }

    #[test]
    fn a_newer_format_says_so() {
        let bytes = encode(&sample()).expect("within limits");
        let newer = String::from_utf8(bytes)
            .expect("UTF-8")
            .replace("frame/1", "frame/2");
        assert_eq!(
            decode(newer.as_bytes()),
            Err(CodecError::Format("git-merkle/frame/2".into()))
        );
    }

    #[test]
    fn unknown_keys_are_kept_in_their_place() {
        let mut frame = sample();
        frame.unknown = vec![
            ("mood".into(), "calm".into()),
            ("extra".into(), "{\"a\":1}".into()),
        ];
        let bytes = encode(&frame).expect("within limits");
        assert_eq!(decode(&bytes), Ok(frame));
    }

    #[test]
    fn many_children_become_a_digest() {
        let ids: Vec<FrameId> = (0..600_u32)
            .map(|i| FrameId(Digest::of("test/1", &i.to_le_bytes())))
            .collect();
        let mut frame = sample();
        frame.children = Children::of(ids[..3].to_vec());
        assert_eq!(decode(&encode(&frame).expect("small")), Ok(frame.clone()));
        frame.children = Children::of(ids);
        assert!(matches!(frame.children, Children::Digest(600, _)));
        assert_eq!(decode(&encode(&frame).expect("small")), Ok(frame));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(content in ".{0,200}", model in proptest::option::of(".{0,20}"), path in "[^/]{0,20}", cost in proptest::option::of(0_u64..u64::MAX)) {
            let mut frame = sample();
            frame.id = frame_id(&frame.basis, &frame.agent, &frame.frame_type, &content);
            frame.content = content;
            frame.model = model;
            frame.path = Some(TreePath::from(path.as_str()));
            frame.cost = cost.map(Cost);
            let bytes = encode(&frame).expect("within limits");
            prop_assert_eq!(decode(&bytes), Ok(frame));
        }

        #[test]
        fn what_is_accepted_is_canonical(at in 0_usize..500, byte in any::<u8>()) {
            let mut bytes = encode(&sample()).expect("within limits");
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(frame) = decode(&bytes) {
                prop_assert_eq!(encode(&frame).expect("was accepted"), bytes);
            }
        }
    }
}

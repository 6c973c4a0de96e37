//! The bytes of an outline: compact, canonical, safe to read back from anywhere.
//!
//! A version byte, then the fields in the order of the type. Numbers are LEB128 in their shortest form, texts are
//! preceded by their length, a list by its count. `encode(decode(b)) == b` for every accepted `b`; anything else
//! is refused, so a damaged cache is a miss and never a wrong answer.

use super::language::Language;
use super::outline::{BodyDigest, Content, DEPTH_MAX, Kind, Outline, Span, Symbol};
use crate::base::Digest;
use crate::base::codec::{ByteReader, put_number, put_text, put_texts};

/// Raised whenever the same file would give other bytes: a new format, or a new way to read a language.
pub(super) const VERSION: u8 = 27;

/// Encodes an outline.
#[must_use]
pub fn encode(outline: &Outline) -> Vec<u8> {
    encode_part(outline, Part::All)
}

/// The same without what no other file sees: see [`Outline::digest`].
pub(super) fn encode_seen(outline: &Outline) -> Vec<u8> {
    encode_part(outline, Part::Seen)
}

/// How much is encoded.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    All,
    Seen,
}

fn encode_part(outline: &Outline, part: Part) -> Vec<u8> {
    let mut out = vec![
        VERSION,
        outline.language.map_or(0, Language::code),
        content_code(outline.content),
    ];
    if part == Part::All || outline.content != Content::Parsed {
        put_number(&mut out, outline.bytes);
        put_number(&mut out, outline.lines);
    }
    put_text(&mut out, &outline.doc);
    put_symbols(&mut out, &outline.symbols, part);
    put_number(&mut out, outline.more);
    put_texts(&mut out, &outline.imports);
    out
}

/// Decodes an outline; `None` for bytes that [`encode`] does not give.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Outline> {
    let mut rest = ByteReader(bytes);
    if rest.byte()? != VERSION {
        return None;
    }
    let language = Language::decode(&mut rest).ok()?;
    let content = content_of(rest.byte()?)?;
    let outline = Outline {
        language,
        content,
        bytes: rest.number()?,
        lines: rest.number()?,
        doc: rest.text()?,
        symbols: symbols(&mut rest, DEPTH_MAX)?,
        more: rest.number()?,
        imports: rest.texts()?,
    };
    rest.0.is_empty().then_some(outline)
}

fn content_code(content: Content) -> u8 {
    match content {
        Content::Parsed => 0,
        Content::Plain => 1,
        Content::Unparsed => 2,
        Content::Binary => 3,
        Content::TooLarge => 4,
    }
}

fn content_of(code: u8) -> Option<Content> {
    let all = [
        Content::Parsed,
        Content::Plain,
        Content::Unparsed,
        Content::Binary,
        Content::TooLarge,
    ];
    all.into_iter()
        .find(|content| content_code(*content) == code)
}

fn put_symbols(out: &mut Vec<u8>, symbols: &[Symbol], part: Part) {
    put_number(out, symbols.len() as u64);
    for symbol in symbols {
        out.push(symbol.kind.code());
        let has_body = part == Part::All && symbol.body != BodyDigest::default();
        out.push(
            u8::from(symbol.public) | u8::from(symbol.is_package) << 1 | u8::from(has_body) << 2,
        );
        put_text(out, &symbol.name);
        put_text(out, &symbol.signature);
        put_texts(out, &symbol.attributes);
        match part {
            Part::All => put_text(out, &symbol.doc),
            Part::Seen => put_text(out, &symbol.sentence()),
        }
        let Span {
            start,
            end,
            name,
            body,
        } = symbol.span;
        for place in [start, end, name, body]
            .into_iter()
            .filter(|_| part == Part::All)
        {
            put_number(out, place.into());
        }
        if has_body {
            out.extend(symbol.body);
        }
        put_symbols(out, &symbol.children, part);
    }
}

/// There is no language with this code.
#[derive(Debug)]
pub struct UnknownLanguage;

impl Language {
    /// The language of the next code, where 0 stands for none.
    pub fn decode(rest: &mut ByteReader<'_>) -> Result<Option<Self>, UnknownLanguage> {
        match rest.byte().ok_or(UnknownLanguage)? {
            0 => Ok(None),
            code => Self::from_code(code).map(Some).ok_or(UnknownLanguage),
        }
    }
}

fn symbols(rest: &mut ByteReader<'_>, depth_left: usize) -> Option<Vec<Symbol>> {
    (0..rest.number()?)
        .map(|_| symbol(rest, depth_left.checked_sub(1)?))
        .collect()
}

fn symbol(rest: &mut ByteReader<'_>, depth_left: usize) -> Option<Symbol> {
    let kind = Kind::from_code(rest.byte()?)?;
    let flags = rest.byte().filter(|flags| *flags < 8)?;
    let (name, signature, attributes, doc) =
        (rest.text()?, rest.text()?, rest.texts()?, rest.text()?);
    let span = Span {
        start: rest.small()?,
        end: rest.small()?,
        name: rest.small()?,
        body: rest.small()?,
    };
    let body = if flags & 4 == 0 {
        BodyDigest::default()
    } else {
        rest.array().filter(|body| *body != BodyDigest::default())?
    };
    let (public, is_package) = (flags & 1 == 1, flags & 2 == 2);
    let children = symbols(rest, depth_left)?;
    Some(Symbol {
        kind,
        name,
        signature,
        attributes,
        public,
        is_package,
        doc,
        children,
        span,
        body,
    })
}

impl Outline {
    /// A digest of what others see of the file: all but its size, its bodies, what stands behind the first sentence of a
    /// document, and where things stand.
    ///
    /// Other comments and function bodies do not change it; that is what agents with `sensitivity = "outline"` rest on.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of("git-merkle 2026 outline/2", &encode_seen(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::extract;
    use proptest::prelude::*;

    fn sample() -> Outline {
        let text = "//! Does things.\nuse std::fmt;\n/// A. B.\npub struct A { pub b: u8 }\nimpl A { pub fn c(&self) {} }\n";
        extract(Some(Language::Rust), text.as_bytes())
    }

    #[test]
    fn outlines_read_back() {
        for outline in [
            sample(),
            Outline::default(),
            Outline {
                bytes: u64::MAX,
                more: 1 << 40,
                ..sample()
            },
        ] {
            let bytes = encode(&outline);
            assert_eq!(decode(&bytes), Some(outline));
        }
    }

    #[test]
    fn every_cut_and_every_tail_is_refused() {
        let bytes = encode(&sample());
        for len in 0..bytes.len() {
            assert_eq!(decode(&bytes[..len]), None, "{len}");
        }
        assert_eq!(decode(&[bytes.as_slice(), b"\0"].concat()), None);
        let other_version = [&[VERSION + 1], &bytes[1..]].concat();
        assert_eq!(decode(&other_version), None);
    }

    #[test]
    fn deep_nesting_and_absurd_lengths_are_refused() {
        let head = [VERSION, 1, 0, 0, 0, 0];
        let nested = [
            head.as_slice(),
            &[1, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0].repeat(10_000),
        ]
        .concat();
        assert_eq!(decode(&nested), None);
        let lengths = [head.as_slice(), &[0xff, 0xff, 0xff, 0xff, 0x7f]].concat();
        assert_eq!(decode(&lengths), None);
        assert_eq!(
            decode(&[VERSION, 1, 0, 0x80, 0, 0, 0, 0, 0, 0]),
            None,
            "not the shortest form"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_accepted_is_canonical(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = encode(&sample());
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Some(outline) = decode(&bytes) {
                prop_assert_eq!(encode(&outline), bytes);
            }
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let bytes = [&[VERSION, 1, 0], bytes.as_slice()].concat();
            if let Some(outline) = decode(&bytes) {
                prop_assert_eq!(encode(&outline), bytes);
            }
        }
    }
}

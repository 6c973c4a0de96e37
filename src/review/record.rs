//! What is kept of a text that a review has read, by the object id of the text: what it declares is not found out again.

use std::sync::OnceLock;

use super::declaration::{Declaration, DeclarationNumber, declarations};
use crate::base::codec::{ByteReader, put_number, put_text, put_texts};
use crate::base::number::IndexVec;
use crate::base::{Digest, FieldHasher};
use crate::symbol::{self, BodyDigest, Cached, Kind, Language, Outline, Visibility};

/// Set beside the visibilities of a declaration.
const HAS_FORM: u8 = 1 << 4;
const HAS_BODY: u8 = 1 << 5;
const IS_TEST: u8 = 1 << 6;
const HAS_OWNER: u8 = 1 << 7;

const VISIBILITIES: [Visibility; 3] =
    [Visibility::Public, Visibility::Package, Visibility::Private];

/// The texts of the modules that decide what a text declares: what was read by other rules is read again, lest a review
/// compare what two programs have made.
const RULES: [(&str, &str); 11] = [
    ("accessor", include_str!("accessor.rs")),
    ("again", include_str!("again.rs")),
    ("declaration", include_str!("declaration.rs")),
    ("export", include_str!("export.rs")),
    ("form", include_str!("form.rs")),
    ("import", include_str!("import.rs")),
    ("lifetime", include_str!("lifetime.rs")),
    ("literal", include_str!("literal.rs")),
    ("several", include_str!("several.rs")),
    ("signature", include_str!("signature.rs")),
    ("brackets", include_str!("../symbol/brackets.rs")),
];

fn rules() -> [u8; 16] {
    static RULES_DIGEST: OnceLock<[u8; 16]> = OnceLock::new();
    *RULES_DIGEST.get_or_init(|| {
        let hasher = FieldHasher::new("git-merkle 2026 review rules/1");
        let texts = RULES.iter().map(|(_, text)| text.as_bytes());
        let digest = texts.fold(hasher, FieldHasher::field).finish();
        *digest.0.first_chunk().expect("a digest is longer")
    })
}

/// What was read of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRecord {
    /// In which language it is written.
    pub language: Option<Language>,
    /// What it declares.
    pub declarations: IndexVec<DeclarationNumber, Declaration>,
    /// What it imports.
    pub imports: Vec<String>,
    /// Whether all that it declares was read: it has no more declarations than are read, and was parsed.
    pub is_whole: bool,
    /// Whether nothing in it looks like a secret.
    pub is_clean: bool,
    /// The rules by which that was looked at.
    pub secret_rules: Digest,
}

impl CodeRecord {
    /// What a text declares, by the record of its symbols.
    #[must_use]
    pub fn new(outline: Outline, text: &str, is_clean: bool, secret_rules: Digest) -> Self {
        let mut found = declarations(&outline, text);
        super::again::add_bodies(found.as_raw_slice_mut(), text, outline.language);
        Self {
            language: outline.language,
            is_whole: outline.content != symbol::Content::Unparsed && outline.more == 0,
            declarations: found,
            imports: outline.imports,
            is_clean,
            secret_rules,
        }
    }
}

/// Two version bytes, for this format and for the outline; the start of the digest of the rules; then the fields in the order
/// of the type.
impl Cached for CodeRecord {
    const FILE_NAME: &'static str = "declarations";
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        let language = self.language.map_or(0, Language::code);
        let mut out = vec![Self::VERSION, Outline::VERSION];
        out.extend(rules());
        out.push(language);
        put_number(&mut out, self.declarations.len() as u64);
        for one in &self.declarations {
            put_declaration(&mut out, one);
        }
        put_texts(&mut out, &self.imports);
        out.push(u8::from(self.is_whole));
        out.push(u8::from(self.is_clean));
        out.extend(self.secret_rules.0);
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = ByteReader(bytes);
        if [rest.byte()?, rest.byte()?] != [Self::VERSION, Outline::VERSION] {
            return None;
        }
        if rest.array()? != rules() {
            return None;
        }
        let language = Language::decode(&mut rest).ok()?;
        let count = rest.number()?;
        let mut declarations =
            IndexVec::with_capacity(usize::try_from(count).ok()?.min(rest.0.len()));
        for number in 0..count {
            declarations.push(declaration(&mut rest, number)?);
        }
        let imports = rest.texts()?;
        let mut flag = || match rest.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        let (is_whole, is_clean) = (flag()?, flag()?);
        let secret_rules = Digest(rest.array()?);
        rest.0.is_empty().then_some(Self {
            language,
            declarations,
            imports,
            is_whole,
            is_clean,
            secret_rules,
        })
    }
}

fn put_declaration(out: &mut Vec<u8>, one: &Declaration) {
    let has_body = one.body != BodyDigest::default();
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    out.push(one.kind.code());
    out.push(
        one.visibility as u8
            | (one.own_visibility as u8) << 2
            | flag(one.form.is_some(), HAS_FORM)
            | flag(has_body, HAS_BODY)
            | flag(one.is_test, IS_TEST)
            | flag(one.owner.is_some(), HAS_OWNER),
    );
    for text in [&one.name, &one.own, &one.signature, &one.value] {
        put_text(out, text);
    }
    one.form.iter().for_each(|form| put_text(out, form));
    put_texts(out, &one.attributes);
    if has_body {
        out.extend(one.body);
    }
    if !one.value.is_empty() {
        out.extend(one.value_digest);
    }
    let (start, end) = one.span;
    let places = [one.line, start, end, one.body_at].into_iter();
    for place in places.chain(one.owner.map(DeclarationNumber::raw)) {
        put_number(out, place.into());
    }
}

/// The next declaration, by its number: what it stands in comes before it.
fn declaration(rest: &mut ByteReader<'_>, number: u64) -> Option<Declaration> {
    let kind = Kind::from_code(rest.byte()?)?;
    let flags = rest.byte()?;
    let visibility = |code: u8| VISIBILITIES.get(usize::from(code & 3)).copied();
    let has = |flag: u8| flags & flag != 0;
    let [name, own, signature, value] = [rest.text()?, rest.text()?, rest.text()?, rest.text()?];
    let form = if has(HAS_FORM) {
        Some(rest.text()?)
    } else {
        None
    };
    let attributes = rest.texts()?;
    let body = if has(HAS_BODY) {
        rest.array().filter(|body| *body != BodyDigest::default())?
    } else {
        BodyDigest::default()
    };
    let value_digest = if value.is_empty() {
        BodyDigest::default()
    } else {
        rest.array()?
    };
    let [line, start, end, body_at] = [rest.small()?, rest.small()?, rest.small()?, rest.small()?];
    let owner = if has(HAS_OWNER) {
        let owner = rest.small().filter(|owner| u64::from(*owner) < number)?;
        Some(DeclarationNumber::from_raw(owner))
    } else {
        None
    };
    Some(Declaration {
        name,
        own,
        kind,
        visibility: visibility(flags)?,
        own_visibility: visibility(flags >> 2)?,
        signature,
        form,
        attributes,
        body,
        value,
        value_digest,
        is_test: has(IS_TEST),
        line,
        span: (start, end),
        body_at,
        owner,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::extract;

    fn record(language: Language, text: &str) -> CodeRecord {
        let outline = extract(Some(language), text.as_bytes());
        CodeRecord::new(outline, text, true, Digest([7; 32]))
    }

    /// Texts whose declarations have every field.
    fn samples() -> [CodeRecord; 4] {
        let rust = "use std::fmt;\n/// A.\n#[derive(Debug)]\npub struct A<'a> { pub b: &'a u8 }\nimpl<'a> A<'a> {\n    pub const C: u8 = 1;\n    pub fn d(&self) -> u8 { *self.b }\n}\n#[cfg(test)]\nmod tests { fn e() {} }\n";
        let python = "import os\nLIMIT = {\n    'a': 1,\n}\nclass A:\n    @property\n    def b(self, c: int = 1) -> str:\n        return ''\n";
        let c = "static int a;\n#ifdef X\nint b(void) { return 1; }\n#else\nint b(void) { return 2; }\n#endif\n";
        [
            record(Language::Rust, rust),
            record(Language::Python, python),
            record(Language::C, c),
            record(Language::C, ""),
        ]
    }

    #[test]
    fn records_read_back_and_no_cut_or_changed_byte_gives_another_reading() {
        for record in samples() {
            let bytes = record.encode();
            assert_eq!(CodeRecord::decode(&bytes), Some(record));
            for len in 0..bytes.len() {
                assert_eq!(CodeRecord::decode(&bytes[..len]), None, "{len}");
            }
            assert_eq!(CodeRecord::decode(&[&bytes[..], b"\0"].concat()), None);
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 0x81;
                let read = CodeRecord::decode(&other);
                assert!(read.is_none_or(|read| read.encode() == other), "{at}");
            }
        }
    }

    #[test]
    fn whatever_decides_what_a_text_declares_is_among_the_rules() {
        let names: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
        for (name, text) in RULES {
            let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
            for named in code.split("super::").skip(1) {
                let end = named.find(|c: char| !c.is_ascii_lowercase() && c != '_');
                let module = &named[..end.unwrap_or(named.len())];
                assert!(names.contains(&module), "{name} uses {module}");
            }
        }
    }
}

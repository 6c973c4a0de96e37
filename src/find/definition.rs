//! The definitions of one object: what an answer can show of it, each with its lines and the terms of its own text.
//!
//! What stands in a definition within a definition belongs to the inner one. Bytes are canonical, as those of outlines.

use super::term::{self, Term};
use crate::base::codec::{ByteReader, put_number, put_text};
use crate::base::number::{IndexVec, define_index_type};
use crate::symbol::{Cached, Kind};

define_index_type! {
    /// The number of a definition among those of its object.
    pub struct DefinitionNumber = u32;
}

/// What an object defines, and what it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Definitions {
    /// First paragraph of its own documentation; empty when it has none.
    pub about: String,
    /// In the order of the text.
    pub list: IndexVec<DefinitionNumber, Definition>,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What is defined.
    pub kind: Kind,
    /// Whether other files may use it.
    pub public: bool,
    /// The names around it, as `Outer.Inner`; empty at the level of the file.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// The declaration without its body, on one line.
    pub signature: String,
    /// First sentence of its documentation; empty when it has none.
    pub doc: String,
    /// The line that it starts in, from 1.
    pub line: u32,
    /// The line that it ends in.
    pub line_end: u32,
    /// The terms of its own text with their counts, in order of terms.
    pub terms: Vec<(Term, u8)>,
}

impl Definition {
    /// How often a term stands in its own text.
    #[must_use]
    pub fn count(&self, term: Term) -> u8 {
        term::count(&self.terms, term)
    }

    /// True for a field, a property or a case: it has a name and no text of its own.
    #[must_use]
    pub fn is_member(&self) -> bool {
        matches!(self.kind, Kind::Field | Kind::Property | Kind::Variant)
    }

    /// Its name behind those around it: `Outer.Inner.name`.
    #[must_use]
    pub fn path(&self) -> String {
        match self.owner.as_str() {
            "" => self.name.clone(),
            owner => format!("{owner}.{}", self.name),
        }
    }

    /// How many terms its own text has.
    #[must_use]
    pub fn length(&self) -> u32 {
        term::length(&self.terms)
    }
}

impl Cached for Definitions {
    const FILE_NAME: &'static str = "definitions";
    const VERSION: u8 = 13;
    const FILE_BYTES_MAX: u64 = 1 << 30;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, &self.about);
        put_number(&mut out, self.list.len() as u64);
        for definition in &self.list {
            out.extend([definition.kind.code(), u8::from(definition.public)]);
            for text in [
                &definition.owner,
                &definition.name,
                &definition.signature,
                &definition.doc,
            ] {
                put_text(&mut out, text);
            }
            put_number(&mut out, definition.line.into());
            put_number(&mut out, definition.line_end.into());
            put_number(&mut out, definition.terms.len() as u64);
            let mut before = 0;
            for (term, count) in &definition.terms {
                put_number(&mut out, u64::from(term - before));
                out.push(*count);
                before = *term;
            }
        }
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = ByteReader(bytes);
        let about = rest.text()?;
        let count = rest.number()?;
        let mut list = IndexVec::new();
        for _ in 0..count {
            list.push(definition(&mut rest)?);
        }
        rest.0.is_empty().then_some(Self { about, list })
    }
}

fn definition(rest: &mut ByteReader<'_>) -> Option<Definition> {
    let kind = Kind::from_code(rest.byte()?)?;
    let public = match rest.byte()? {
        0 => false,
        1 => true,
        _ => return None,
    };
    let (owner, name, signature, doc) = (rest.text()?, rest.text()?, rest.text()?, rest.text()?);
    let (line, line_end) = (rest.small()?, rest.small()?);
    let count = rest.number()?;
    let mut terms = Vec::new();
    let mut term: Term = 0;
    for _ in 0..count {
        term = term.checked_add(rest.small()?)?;
        terms.push((term, rest.byte()?));
    }
    Some(Definition {
        kind,
        public,
        owner,
        name,
        signature,
        doc,
        line,
        line_end,
        terms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::read;
    use crate::symbol::{Language, extract};

    #[test]
    fn definitions_read_back_and_every_cut_is_refused() {
        let text = "//! Does things.\n/// A thing.\npub struct A { b: u8 }\nimpl A { pub fn c(&self) { run() } }\n";
        let definitions = read(
            &extract(Some(Language::Rust), text.as_bytes()),
            text.as_bytes(),
        )
        .definitions;
        let bytes = definitions.encode();
        assert_eq!(Definitions::decode(&bytes), Some(definitions));
        for len in 0..bytes.len() {
            assert_eq!(Definitions::decode(&bytes[..len]), None, "{len}");
        }
    }
}

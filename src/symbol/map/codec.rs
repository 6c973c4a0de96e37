//! The bytes of one file's symbols, as the cache keeps them: canonical, and safe to read back from anywhere.

use super::entry::{Entry, FileSymbols, Mark};
use super::import::Import;
use super::uses::{Uses, Ways};
use crate::symbol::cache::{Cached, ObjectCache};
use crate::symbol::codec::{Reader, put_number, put_text, put_texts};
use crate::symbol::language::Language;
use crate::symbol::outline::DEPTH_MAX;

/// Symbols that were read before.
pub type SymbolCache = ObjectCache<FileSymbols>;

const MARKS: [Mark; 6] = [Mark::Class, Mark::Method, Mark::Function, Mark::Variable, Mark::Property, Mark::Heading];

impl Cached for FileSymbols {
    const FILE_NAME: &'static str = "symbols";
    const VERSION: u8 = 3;

    fn encode(&self) -> Vec<u8> {
        let mut out = vec![Self::VERSION, self.language.map_or(0, Language::code), u8::from(self.is_parsed)];
        put_number(&mut out, self.entries.len() as u64);
        for entry in &self.entries {
            put_entry(&mut out, entry);
        }
        put_number(&mut out, self.more);
        put_number(&mut out, self.imports.len() as u64);
        for import in &self.imports {
            put_text(&mut out, &import.path);
            put_texts(&mut out, &import.names);
            out.push(u8::from(import.is_passed_on));
        }
        put_uses(&mut out, &self.uses);
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Reader(bytes);
        if rest.byte()? != Self::VERSION {
            return None;
        }
        let (language, is_parsed) = (rest.language().ok()?, flag(&mut rest)?);
        let entries = many(&mut rest, entry)?;
        let (more, imports) = (rest.number()?, many(&mut rest, import)?);
        let uses = uses(&mut rest, entries.len())?;
        rest.0.is_empty().then_some(Self { language, is_parsed, entries, more, imports, uses })
    }
}

fn put_entry(out: &mut Vec<u8>, entry: &Entry) {
    let mark = MARKS.iter().position(|mark| *mark == entry.mark).expect("every mark is in the list");
    let flags = [entry.is_async, entry.is_public, entry.is_optional, entry.parts.is_some()];
    let flags = flags.iter().enumerate().fold(0, |byte, (at, flag)| byte | u8::from(*flag) << at);
    out.extend([mark as u8, flags, entry.depth]);
    put_number(out, entry.line.into());
    put_text(out, &entry.name);
    if let Some(parts) = &entry.parts {
        put_texts(out, parts);
    }
    put_text(out, &entry.result);
}

fn put_uses(out: &mut Vec<u8>, uses: &Uses) {
    put_number(out, uses.len() as u64);
    for used in uses.iter() {
        put_text(out, used.name);
        put_number(out, (used.places.len() as u64) << 3 | u64::from(used.ways.bits()));
        for place in used.places {
            put_number(out, (*place).into());
        }
    }
}

fn flag(rest: &mut Reader<'_>) -> Option<bool> {
    match rest.byte()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn many<T>(rest: &mut Reader<'_>, read: fn(&mut Reader<'_>) -> Option<T>) -> Option<Vec<T>> {
    let count = rest.number()?;
    // No element takes fewer than three bytes.
    let mut list = Vec::with_capacity(usize::try_from(count).ok()?.min(rest.0.len() / 3));
    for _ in 0..count {
        list.push(read(rest)?);
    }
    Some(list)
}

fn entry(rest: &mut Reader<'_>) -> Option<Entry> {
    let mark = *MARKS.get(usize::from(rest.byte()?))?;
    let flags = rest.byte().filter(|flags| *flags < 16)?;
    let is = |at: u8| flags >> at & 1 == 1;
    Some(Entry {
        mark,
        is_async: is(0),
        is_public: is(1),
        is_optional: is(2),
        depth: rest.byte().filter(|depth| usize::from(*depth) <= DEPTH_MAX)?,
        line: rest.number()?.try_into().ok()?,
        name: rest.text()?,
        parts: if is(3) { Some(rest.texts()?) } else { None },
        result: rest.text()?,
    })
}

fn import(rest: &mut Reader<'_>) -> Option<Import> {
    Some(Import { path: rest.text()?, names: rest.texts()?, is_passed_on: flag(rest)? })
}

/// Names must be in order and places must be entries, for others rely on both.
fn uses(rest: &mut Reader<'_>, entries: usize) -> Option<Uses> {
    let count = rest.number()?;
    let mut uses = Uses::with_room(usize::try_from(count).ok()?.min(rest.0.len()), rest.0.len());
    let mut places = Vec::new();
    for _ in 0..count {
        let name = rest.text_ref()?;
        let head = rest.number()?;
        places.clear();
        for _ in 0..head >> 3 {
            let place = u32::try_from(rest.number()?).ok()?;
            let is_next = places.last().is_none_or(|last| *last < place);
            places.push(Some(place).filter(|place| is_next && (*place as usize) < entries)?);
        }
        if uses.last().is_some_and(|last| last >= name) {
            return None;
        }
        uses.push(name, Ways::from_bits(head as u8), &places);
    }
    Some(uses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::map::file_symbols;
    use proptest::prelude::*;

    fn sample() -> FileSymbols {
        let text =
            "use crate::x::{Y, Z};\npub struct A { b: Option<u8> }\nimpl A { pub async fn c(&self, d: Y) -> Z { d.run(z()) } }\n";
        file_symbols(Some(Language::Rust), text.as_bytes())
    }

    #[test]
    fn symbols_read_back_and_every_cut_is_refused() {
        let bytes = sample().encode();
        assert_eq!(FileSymbols::decode(&bytes), Some(sample()));
        assert_eq!(FileSymbols::decode(&FileSymbols::default().encode()), Some(FileSymbols::default()));
        for len in 0..bytes.len() {
            assert_eq!(FileSymbols::decode(&bytes[..len]), None, "{len}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_accepted_is_canonical(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = sample().encode();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Some(symbols) = FileSymbols::decode(&bytes) {
                prop_assert_eq!(symbols.encode(), bytes);
            }
        }
    }
}

//! The bytes of one file's symbols, as the cache keeps them: canonical, and safe to read back from anywhere.

use super::entries::{Entries, Mark, Modifiers};
use super::entry::FileSymbols;
use super::import::Import;
use super::uses::{Uses, Ways};
use crate::base::codec::{ByteReader, put_number, put_text, put_texts};
use crate::base::number::{low_byte, to_u32};
use crate::symbol::cache::{Cached, ObjectCache};
use crate::symbol::language::Language;
use crate::symbol::outline::DEPTH_MAX;

/// Symbols that were read before.
pub type SymbolCache = ObjectCache<FileSymbols>;

/// Texts that every entry has.
const NAME_AND_RESULT: usize = 2;
/// Fewest bytes of an entry without its texts.
const FORM_BYTES_MIN: usize = 7;

const MARKS: [Mark; 6] = [
    Mark::Class,
    Mark::Method,
    Mark::Function,
    Mark::Variable,
    Mark::Property,
    Mark::Heading,
];

impl Cached for FileSymbols {
    const FILE_NAME: &'static str = "symbols";
    const VERSION: u8 = 28;

    fn encode(&self) -> Vec<u8> {
        let mut out = vec![
            Self::VERSION,
            self.language.map_or(0, Language::code),
            u8::from(self.is_parsed),
        ];
        put_entries(&mut out, &self.entries);
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
        let mut rest = ByteReader(bytes);
        if rest.byte()? != Self::VERSION {
            return None;
        }
        let (language, is_parsed) = (Language::decode(&mut rest).ok()?, flag(&mut rest)?);
        let entries = entries(&mut rest)?;
        let (more, imports) = (rest.number()?, many(&mut rest, import)?.into());
        let uses = uses(&mut rest, entries.len())?;
        rest.0.is_empty().then_some(Self {
            language,
            is_parsed,
            is_absent: false,
            entries,
            more,
            imports,
            uses,
        })
    }
}

/// Numbers first, then all texts in one piece, which is read at once.
fn put_entries(out: &mut Vec<u8>, entries: &Entries) {
    let (forms, ends, texts) = entries.lists();
    put_number(out, forms.len() as u64);
    let (mut from, mut start) = (0, 0);
    for (form, to) in forms {
        let mut marks = (0_u8..).zip(MARKS);
        let mark = marks.find(|(_, mark)| *mark == form.mark);
        let (mark, _) = mark.expect("every mark is in the list");
        let flags = [
            form.is_async,
            form.is_public,
            form.is_optional,
            form.has_parts,
        ];
        let flags = flags
            .iter()
            .enumerate()
            .fold(0, |byte, (at, flag)| byte | u8::from(*flag) << at);
        out.extend([mark, flags, form.depth]);
        put_number(out, form.line.into());
        put_number(out, form.line_end.saturating_sub(form.line).into());
        let ends = &ends[from..*to as usize];
        if form.has_parts {
            put_number(out, (ends.len() - NAME_AND_RESULT) as u64);
        }
        for end in ends {
            put_number(out, u64::from(end - start));
            start = *end;
        }
        from = *to as usize;
    }
    put_text(out, texts);
}

fn put_uses(out: &mut Vec<u8>, uses: &Uses) {
    put_number(out, uses.len() as u64);
    for used in uses.iter() {
        put_number(out, used.name.len() as u64);
        put_number(
            out,
            (used.places.len() as u64) << Ways::BITS | u64::from(used.ways.bits()),
        );
        for place in used.places {
            put_number(out, (*place).into());
        }
    }
    put_text(out, uses.names());
}

fn flag(rest: &mut ByteReader<'_>) -> Option<bool> {
    match rest.byte()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The count of elements that follow, each of at least this many bytes; it is checked against the bytes that are left before memory is allocated.
fn count(rest: &mut ByteReader<'_>, bytes_min: usize) -> Option<usize> {
    let count = rest.size()?;
    (count <= rest.0.len() / bytes_min).then_some(count)
}

fn many<T>(
    rest: &mut ByteReader<'_>,
    read: fn(&mut ByteReader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count = count(rest, 3)?;
    let mut list = Vec::with_capacity(count);
    for _ in 0..count {
        list.push(read(rest)?);
    }
    Some(list)
}

fn form(rest: &mut ByteReader<'_>) -> Option<Modifiers> {
    let mark = *MARKS.get(usize::from(rest.byte()?))?;
    let flags = rest.byte().filter(|flags| *flags < 16)?;
    let is = |at: u8| flags >> at & 1 == 1;
    let depth = rest
        .byte()
        .filter(|depth| usize::from(*depth) <= DEPTH_MAX)?;
    let line = rest.small()?;
    let line_end = line.checked_add(rest.small()?)?;
    Some(Modifiers {
        mark,
        is_async: is(0),
        is_public: is(1),
        is_optional: is(2),
        has_parts: is(3),
        depth,
        line,
        line_end,
    })
}

fn entries(rest: &mut ByteReader<'_>) -> Option<Entries> {
    let count = count(rest, FORM_BYTES_MIN)?;
    let (mut forms, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(3 * count));
    let mut end: u32 = 0;
    for _ in 0..count {
        let form = form(rest)?;
        let parts = if form.has_parts {
            self::count(rest, 1)?
        } else {
            0
        };
        for _ in 0..NAME_AND_RESULT + parts {
            end = end.checked_add(rest.small()?)?;
            ends.push(end);
        }
        forms.push((form, to_u32(ends.len())));
    }
    Entries::from_lists(forms, ends, rest.text()?)
}

fn import(rest: &mut ByteReader<'_>) -> Option<Import> {
    Some(Import {
        path: rest.text()?,
        names: rest.texts()?,
        is_passed_on: flag(rest)?,
    })
}

/// Names must be in order and places must be entries, for others rely on both.
fn uses(rest: &mut ByteReader<'_>, entries: usize) -> Option<Uses> {
    let count = count(rest, 2)?;
    let mut uses = Uses::with_room(count);
    let mut name_end: u32 = 0;
    for _ in 0..count {
        name_end = name_end.checked_add(rest.small()?)?;
        let head = rest.number()?;
        for at in 0..head >> Ways::BITS {
            let place = rest.small().filter(|place| (*place as usize) < entries)?;
            if !uses.push_place(place, at == 0) {
                return None;
            }
        }
        uses.push_head(name_end, Ways::from_bits(low_byte(head)));
    }
    uses.with_names(rest.text()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::map::file_symbols;
    use proptest::prelude::*;

    fn sample() -> FileSymbols {
        let text = "use crate::x::{Y, Z};\npub struct A { b: Option<u8> }\nimpl A { pub async fn c(&self, d: Y) -> Z { d.run(z()) } }\n";
        file_symbols(Some(Language::Rust), text.as_bytes())
    }

    #[test]
    fn symbols_read_back_and_every_cut_is_refused() {
        let bytes = sample().encode();
        assert_eq!(FileSymbols::decode(&bytes), Some(sample()));
        assert_eq!(
            FileSymbols::decode(&FileSymbols::default().encode()),
            Some(FileSymbols::default())
        );
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

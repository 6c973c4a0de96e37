//! What is read of one content at once: its words and its definitions, kept together for those that no index has yet.

use super::definition::Definitions;
use super::words::Words;
use crate::base::codec::{ByteReader, put_number};
use crate::symbol::Cached;

/// The words and the definitions of a content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentReading {
    /// How often each term stands in each sort of its text.
    pub words: Words,
    /// What it defines.
    pub definitions: Definitions,
}

impl Cached for ContentReading {
    const FILE_NAME: &'static str = "readings";
    /// Another than before as soon as one of both is, whatever their sizes.
    const VERSION: u8 = Words::VERSION
        .wrapping_mul(31)
        .wrapping_add(Definitions::VERSION);
    /// Few enough that opening it costs nothing: an index takes them over before there are more.
    const FILE_BYTES_MAX: u64 = 8 << 20;

    fn encode(&self) -> Vec<u8> {
        let words = self.words.encode();
        let mut out = Vec::with_capacity(words.len() + 4);
        put_number(&mut out, words.len() as u64);
        out.extend(words);
        out.extend(self.definitions.encode());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = ByteReader(bytes);
        let len = rest.size()?;
        let (words, definitions) = rest.0.split_at_checked(len)?;
        Some(Self {
            words: Words::decode(words)?,
            definitions: Definitions::decode(definitions)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::read;
    use crate::symbol::{Language, extract};

    #[test]
    fn readings_read_back_and_every_cut_is_refused() {
        let text = b"//! Does things.\npub fn run() { hidden() }\n";
        let reading = read(&extract(Some(Language::Rust), text), text);
        let bytes = reading.encode();
        assert_eq!(ContentReading::decode(&bytes), Some(reading));
        for len in 0..bytes.len() {
            assert_eq!(ContentReading::decode(&bytes[..len]), None, "{len}");
        }
    }
}

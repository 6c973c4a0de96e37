//! How many tokens a model sees in a text: counted with the vocabulary `o200k`, and an estimate for every other one.
//!
//! The vocabulary lies in the program as a table that is looked up in place, so that the first count costs as little as any
//! other. Of a long text a share is counted, pieces from everywhere, so that it costs as much as a text of `SAMPLE_BYTES`.
//! The same text has always the same tokens.

mod table;
mod vocabulary;

use super::number::to_index;
use vocabulary::count;

/// So much of a long text is counted: some two thousand pieces, which are rarely off by more than one per cent.
const SAMPLE_BYTES: u64 = 4 << 20;
/// A piece of a text that is counted or left out, up to the end of its last line.
const PIECE_BYTES: usize = 2 << 10;
/// What a line may add to a piece.
const LINE_BYTES_MAX: usize = 512;
/// No token has more bytes: the longest are rows of spaces.
const TOKEN_BYTES_MAX: u64 = 128;
/// Scatters numbers (2³² by the golden ratio).
const SCATTER: usize = 0x9e37_79b9;

/// Estimates the tokens of a text.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    Sample::of(text.len() as u64).estimate(text)
}

/// Whether lines, joined by line ends, have at most this many tokens as [`estimate`] counts; what is far longer is not looked at.
#[must_use]
pub fn fits(lines: &[String], tokens_max: u64) -> bool {
    let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
    (bytes as u64).saturating_sub(1) <= bytes_max(tokens_max)
        && estimate(&lines.join("\n")) <= tokens_max
}

/// The most bytes that a text of this many tokens has.
#[must_use]
pub fn bytes_max(tokens: u64) -> u64 {
    tokens.saturating_mul(TOKEN_BYTES_MAX)
}

/// How much of a text is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// One of this many pieces.
    one_of: usize,
}

impl Sample {
    /// Estimates it for a text of this many bytes.
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        Self {
            one_of: to_index(bytes.div_ceil(SAMPLE_BYTES).max(1)),
        }
    }

    /// Estimates the tokens of a part of the text; parts are best cut at the end of a line.
    #[must_use]
    pub fn estimate(self, part: &str) -> u64 {
        if self.one_of == 1 {
            return count(part);
        }
        let (mut tokens, mut bytes) = (0, 0);
        // One of each group, the first in the middle so that a short part has one too, the others anywhere: what a text
        // repeats may keep step with the groups.
        let first = self.one_of.min(part.len().div_ceil(PIECE_BYTES)) / 2;
        for (at, piece) in Pieces(part).enumerate() {
            let (group, place) = (at / self.one_of, at % self.one_of);
            if place == (first + (group.wrapping_mul(SCATTER) >> 16)) % self.one_of {
                tokens += count(piece);
                bytes += piece.len() as u64;
            }
        }
        if bytes == 0 {
            count(part)
        } else {
            (tokens * part.len() as u64).div_ceil(bytes)
        }
    }
}

/// A text in pieces.
struct Pieces<'t>(&'t str);

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.0;
        let least = text.floor_char_boundary(PIECE_BYTES);
        let most = text.floor_char_boundary(PIECE_BYTES + LINE_BYTES_MAX);
        let line_end = text[least..most]
            .find('\n')
            .map_or(least, |at| least + at + 1);
        let (piece, rest) = text.split_at(if most == text.len() { most } else { line_end });
        self.0 = rest;
        (!piece.is_empty()).then_some(piece)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An independent implementation is the oracle.
    fn real(text: &str) -> u64 {
        tiktoken_rs::o200k_base_singleton().count_ordinary(text) as u64
    }

    #[test]
    fn texts_have_the_tokens_of_the_vocabulary() {
        for text in [
            "",
            "word",
            "let userName = HTTPServer::new(12345);\n",
            "    if x {\n        y\n\n  }",
            "},\n///// it's we'LL \t\tx",
            "über— 字a →→ 🙂b, नमस्ते ⚠️\r\n\r\n",
            "<|endoftext|>",
        ] {
            assert_eq!(estimate(text), real(text), "{text:?}");
        }
    }

    #[test]
    fn no_token_is_longer_than_the_bound() {
        let vocabulary = tiktoken_rs::o200k_base_singleton();
        let tokens = (0..199_998_u32).filter_map(|rank| vocabulary.decode_bytes(&[rank]).ok());
        let longest = tokens.map(|token| token.len() as u64).max();
        assert_eq!(longest, Some(TOKEN_BYTES_MAX));
    }

    #[test]
    fn a_text_without_pieces_has_an_end() {
        for unit in ["x", " ", "\n", "字", "é!", "=", "aB3"] {
            let text = unit.repeat((1 << 16) / unit.len());
            assert!(estimate(&text) > 1 << 8, "{unit:?}");
        }
    }

    #[test]
    fn of_a_long_text_a_share_is_counted() {
        let text = (0..SAMPLE_BYTES / 4)
            .map(|n| format!("line {n} of {}\n", n % 77))
            .collect::<Vec<_>>()
            .concat();
        let sample = Sample::of(text.len() as u64);
        assert!(sample.one_of > 1);
        let (said, real) = (estimate(&text), count(&text));
        assert!(said.abs_diff(real) * 100 <= real, "{said} of {real}");
    }

    proptest! {
        #[test]
        fn every_text_has_the_tokens_of_the_vocabulary(text in "[a-zA-Z0-9' \t\r\n.,:é字🙂_/-]{0,60}|\\PC{0,20}") {
            prop_assert_eq!(estimate(&text), real(&text));
        }

        #[test]
        fn what_fits_has_no_more_tokens(
            lines in proptest::collection::vec("[a-z/ ]{0,40}| {0,400}", 0..40),
            tokens_max in 0_u64..200,
        ) {
            prop_assert_eq!(fits(&lines, tokens_max), estimate(&lines.join("\n")) <= tokens_max);
        }

        #[test]
        fn pieces_are_the_text(lines in proptest::collection::vec("[a-zé字🙂 ]{0,400}", 0..200), end in "\n?") {
            let text = lines.join(&end);
            let pieces: Vec<&str> = Pieces(&text).collect();
            prop_assert_eq!(&pieces.concat(), &text);
            prop_assert!(pieces.iter().all(|piece| piece.len() <= PIECE_BYTES + LINE_BYTES_MAX));
        }

        #[test]
        fn a_sample_of_any_part_counts(text in "[a-z\n]{0,200}", one_of in 1_usize..9) {
            let said = Sample { one_of }.estimate(&text);
            prop_assert_eq!(said == 0, text.is_empty());
        }
    }
}

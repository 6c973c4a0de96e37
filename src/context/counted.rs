//! Where a document is written to, with the number of its tokens when that is shown.
//!
//! Blocks come with their tokens, counted by the threads that made them; everything else is counted here.

use std::io::{self, Write};

use crate::base::token::Sample;

/// So much is counted at once, so that few tokens are cut.
const WAITING_BYTES: usize = 256 << 10;

/// A writer that may count.
pub struct Counted<'o> {
    out: &'o mut dyn Write,
    sample: Option<Sample>,
    tokens: u64,
    /// What was written and not counted yet.
    waiting: Vec<u8>,
}

/// Some blocks, and their tokens if anybody wants to hear them.
pub struct Part {
    bytes: Vec<u8>,
    tokens: u64,
}

impl Part {
    /// Counts with a sample; with none, nothing.
    #[must_use]
    pub fn new(bytes: Vec<u8>, sample: Option<Sample>) -> Self {
        Self {
            tokens: tokens(sample, &bytes),
            bytes,
        }
    }
}

impl<'o> Counted<'o> {
    /// Counts with a sample; with none, nothing.
    pub fn new(out: &'o mut dyn Write, sample: Option<Sample>) -> Self {
        Self {
            out,
            sample,
            tokens: 0,
            waiting: Vec::new(),
        }
    }

    /// How parts are to be counted.
    #[must_use]
    pub fn sample(&self) -> Option<Sample> {
        self.sample
    }

    /// Writes what is counted already.
    pub fn write_part(&mut self, part: &Part) -> io::Result<()> {
        self.tokens += part.tokens;
        self.out.write_all(&part.bytes)
    }

    /// The tokens of everything.
    #[must_use]
    pub fn finish(mut self) -> u64 {
        self.count(self.waiting.len());
        self.tokens
    }

    /// Counts the first bytes of what is waiting.
    fn count(&mut self, bytes: usize) {
        self.tokens += tokens(self.sample, &self.waiting[..bytes]);
        self.waiting.drain(..bytes);
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        if self.sample.is_some() {
            self.waiting.extend_from_slice(bytes);
            if self.waiting.len() >= WAITING_BYTES {
                let line_end = self
                    .waiting
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .map_or(self.waiting.len(), |at| at + 1);
                self.count(line_end);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The tokens of a part of the document; `None` when they are not shown.
fn tokens(sample: Option<Sample>, part: &[u8]) -> u64 {
    match (sample, std::str::from_utf8(part)) {
        (None, _) => 0,
        (Some(sample), Ok(text)) => sample.estimate(text),
        (Some(sample), Err(_)) => sample.estimate(&String::from_utf8_lossy(part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::token;

    #[test]
    fn what_is_written_is_counted_once() {
        let text = (0..40_000)
            .map(|n| format!("word {n}\n"))
            .collect::<Vec<_>>()
            .concat();
        let mut written = Vec::new();
        let mut out = Counted::new(&mut written, Some(Sample::of(0)));
        let block = Part::new(b"a block\n".to_vec(), out.sample());
        let of_block = block.tokens;
        out.write_part(&block).expect("a vector takes everything");
        text.split_inclusive(' ').for_each(|word| {
            out.write_all(word.as_bytes())
                .expect("a vector takes everything");
        });
        let (said, real) = (out.finish() - of_block, token::estimate(&text));
        assert!(said.abs_diff(real) <= 2, "{said} of {real}");
        assert_eq!(written, format!("a block\n{text}").as_bytes());
        let mut out = Counted::new(&mut written, None);
        out.write_all(b"quiet\n")
            .expect("a vector takes everything");
        assert_eq!(out.finish(), 0);
    }
}

//! Where the lines of a text begin, for the number of the line at a place.

use super::number::to_u32;

/// The places behind the line feeds of a text, in bytes.
#[derive(Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Looks through a text once.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let feeds = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self(feeds.map(|(at, _)| at + 1).collect())
    }

    /// The number of the line at a place in bytes, from 1.
    #[must_use]
    pub fn at(&self, place: usize) -> u32 {
        to_u32(self.0.partition_point(|start| *start <= place)) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_feed_belongs_to_the_line_that_it_ends() {
        let lines = Lines::of(b"a\n\nbc");
        let numbers: Vec<u32> = (0..6).map(|place| lines.at(place)).collect();
        assert_eq!(numbers, [1, 1, 2, 3, 3, 3]);
        assert_eq!(Lines::of(b"").at(0), 1);
    }
}

//! Values as bytes: numbers in LEB128 in their shortest form, texts behind their length, lists behind their count.
//!
//! Bytes are read back from anywhere: what no writer gives is `None`, never a panic and never a large allocation.

use super::number::low_byte;

/// Appends a number in the fewest bytes.
pub fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(low_byte(number) | 0x80);
        number >>= 7;
    }
    out.push(low_byte(number));
}

/// Appends bytes behind their length.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a text behind its length.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

/// Appends a list of texts behind its count.
pub fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_number(out, texts.len() as u64);
    for text in texts {
        put_text(out, text);
    }
}

/// The bytes left to read. A length is checked against them before memory is allocated.
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    /// The next bytes, this many.
    pub fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next bytes, as many as the result has.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// The next number, if it is in its shortest form.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return (shift == 0 || byte != 0).then_some(number);
            }
        }
        None
    }

    /// The next number of 32 bits.
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// The next number as a length or a count in memory.
    pub fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// The bytes behind the next length.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.size()?;
        self.take(len)
    }

    /// The next text.
    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    /// The next list of texts.
    pub fn texts(&mut self) -> Option<Vec<String>> {
        (0..self.number()?).map(|_| self.text()).collect()
    }
}

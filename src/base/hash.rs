//! BLAKE3-256 digests over length-prefixed fields, separated by a versioned context string.
//!
//! Every id that is not git's own is one of these. Two rules keep them apart for good: a context string is
//! never reused for another purpose, and a field is always preceded by its length, so that moving a byte
//! from one field to the next gives another digest.

use std::fmt;

/// A BLAKE3-256 digest, 32 bytes, shown as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Parses exactly 64 lower-case hex digits.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        decode_hex(hex, &mut bytes).then_some(Self(bytes))
    }

    /// Digests the bytes as one field under `context`.
    #[must_use]
    pub fn of(context: &'static str, bytes: &[u8]) -> Self {
        FieldHasher::new(context).field(bytes).finish()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

/// A secret under which digests are made: who does not have it cannot make a digest that fits.
#[derive(Clone, Copy)]
pub struct HashKey([u8; 32]);

impl HashKey {
    /// A key from bytes that are secret.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key for one purpose: a context string as for [`Digest::of`], and what it is bound to.
    #[must_use]
    pub fn derive(&self, context: &'static str, bound_to: &[u8]) -> Self {
        Self(
            FieldHasher::new(context)
                .field(&self.0)
                .field(bound_to)
                .finish()
                .0,
        )
    }

    /// The keyed digest of bytes.
    #[must_use]
    pub fn digest(&self, bytes: &[u8]) -> Digest {
        Digest(*blake3::keyed_hash(&self.0, bytes).as_bytes())
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Collects fields into a [`Digest`]: each is hashed as its length (u64, little endian) and its bytes.
///
/// Cloning one that has taken the constant fields first saves hashing them again.
#[derive(Clone)]
pub struct FieldHasher(blake3::Hasher);

impl FieldHasher {
    /// Starts a digest under a context string such as `git-merkle 2026 basis/1`.
    #[must_use]
    pub fn new(context: &'static str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    /// Adds one field.
    #[must_use]
    pub fn field(mut self, bytes: &[u8]) -> Self {
        self.add(bytes);
        self
    }

    /// Adds one field in place, for loops.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Returns the digest of all fields so far.
    #[must_use]
    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

/// Writes bytes as lower-case hex.
pub(crate) fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (i, byte) in bytes.iter().enumerate() {
        text[2 * i] = DIGITS[usize::from(byte >> 4)];
        text[2 * i + 1] = DIGITS[usize::from(byte & 15)];
    }
    f.write_str(std::str::from_utf8(&text[..2 * bytes.len()]).expect("hex digits are ASCII"))
}

/// Reads exactly `2 * bytes.len()` lower-case hex digits; false for anything else.
pub(crate) fn decode_hex(hex: &str, bytes: &mut [u8]) -> bool {
    let hex = hex.as_bytes();
    if hex.len() != 2 * bytes.len() {
        return false;
    }
    let mut all = 0;
    for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
        let (high, low) = (
            HEX_DIGITS[usize::from(pair[0])],
            HEX_DIGITS[usize::from(pair[1])],
        );
        all |= high | low;
        *byte = high << 4 | low & 15;
    }
    all < 16
}

/// What each byte is worth as a lower-case hex digit; 255 for one that is none.
const HEX_DIGITS: [u8; 256] = {
    let (mut digits, mut value) = ([255; 256], 0_u8);
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};

/// SHA-256 in lower-case hex, as `sha256sum` prints it: for digests that people check with stock tools.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    sha256(bytes).to_string()
}

/// The same as bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Digest {
    use sha2::Digest as _;
    Digest(sha2::Sha256::digest(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_moved_between_fields_changes_the_digest() {
        let one = FieldHasher::new("test/1").field(b"ab").field(b"c").finish();
        let two = FieldHasher::new("test/1").field(b"a").field(b"bc").finish();
        assert_ne!(one, two);
        assert_ne!(Digest::of("test/1", b"x"), Digest::of("test/2", b"x"));
    }

    #[test]
    fn hex_reads_back_and_refuses_all_else() {
        let digest = Digest::of("test/1", b"x");
        assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
        assert_eq!(Digest::from_hex(&digest.to_string().to_uppercase()), None);
        assert_eq!(Digest::from_hex("00"), None);
    }
}

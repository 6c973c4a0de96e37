//! The ids of the model: nodes are git objects, frames and bases are digests, agents and types are short words.
//!
//! Each id says its kind by its type, is checked when it is made, and is ordered by its bytes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::hash::{Digest, decode_hex, write_hex};

/// The longest agent id or frame type, in bytes.
pub const WORD_BYTES_MAX: usize = 32;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not 40 or 64 lower-case hex digits.
    #[error("'{0}' is not a git object id")]
    Node(String),
    /// Not 64 lower-case hex digits.
    #[error("'{0}' is not a digest of 64 hex digits")]
    Digest(String),
    /// Not `[a-z0-9][a-z0-9-]{0,31}`.
    #[error("'{0}' is not a word of 1 to 32 lower-case letters, digits and dashes")]
    Word(String),
}

/// The blob of no bytes, by SHA-1 and by SHA-256, as `git hash-object --stdin </dev/null` gives it.
const EMPTY_FILES: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/// A git object id, SHA-1 or SHA-256: the id of a node, and of any other object.
///
/// Never a path: what is said about an object holds wherever the object stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId {
    bytes: [u8; 32],
    len: u8,
}

impl NodeId {
    /// Wraps raw hash bytes; `None` unless there are 20 or 32 of them.
    #[must_use]
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        if raw.len() != 20 && raw.len() != 32 {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Self {
            bytes,
            len: u8::try_from(raw.len()).ok()?,
        })
    }

    /// The raw hash, 20 or 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The first seven hex digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..7].to_owned()
    }

    /// True for the content of every empty file.
    #[must_use]
    pub fn is_empty_file(&self) -> bool {
        let id = self.to_string();
        EMPTY_FILES.contains(&&*id)
    }
}

impl Hash for NodeId {
    /// All bytes count: an id need be no digest, and a remote can name as many as it likes that begin alike.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.as_bytes());
    }
}

impl FromStr for NodeId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let mut bytes = [0; 32];
        let len = text.len() / 2;
        if (len == 20 || len == 32) && decode_hex(text, &mut bytes[..len]) {
            return Ok(Self {
                bytes,
                len: if len == 20 { 20 } else { 32 },
            });
        }
        Err(IdError::Node(text.to_owned()))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, self.as_bytes())
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, self.as_bytes())
    }
}

/// Makes a digest type of its own, so that a basis is never taken for a frame.
macro_rules! digest_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Digest);

        impl $name {
            /// The first seven hex digits, for people.
            #[must_use]
            pub fn short(&self) -> String {
                self.0.to_string()[..7].to_owned()
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Digest::from_hex(text).map(Self).ok_or_else(|| IdError::Digest(text.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

digest_id!(
    /// The digest of everything that a frame was made from: same basis, nothing to make again.
    BasisId
);
digest_id!(
    /// The digest of what a frame says: its basis, agent, type and content.
    FrameId
);

/// Makes a word type: `[a-z0-9][a-z0-9-]{0,31}`, without memory of its own: each frame has two.
macro_rules! word_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        // What is behind the word is zero, so words of bytes compare as the words themselves do.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name {
            bytes: [u8; WORD_BYTES_MAX],
            len: u8,
        }

        impl $name {
            /// The word itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                std::str::from_utf8(&self.bytes[..usize::from(self.len)]).expect("a word is ASCII")
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                if !is_word(text) {
                    return Err(IdError::Word(text.to_owned()));
                }
                let mut bytes = [0; WORD_BYTES_MAX];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                let len = u8::try_from(text.len()).expect("a word is short");
                Ok(Self { bytes, len })
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

word_id!(
    /// Who speaks: the id of an agent, for example `outline`.
    AgentId
);
word_id!(
    /// What kind of statement a frame is, for example `summary`.
    FrameType
);

fn is_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=WORD_BYTES_MAX).contains(&bytes.len())
        && bytes[0] != b'-'
        && bytes
            .iter()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

#[cfg(test)]
mod tests {
    use std::collections::hash_map::DefaultHasher;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_compare_and_hash_as_their_texts(
            one in "[a-z0-9][a-z0-9-]{0,31}",
            cut in 1_usize..33,
        ) {
            // Where one is the beginning of the other only what is behind it decides.
            let other = one[..cut.min(one.len())].to_owned();
            let hash = |value: &dyn Fn(&mut DefaultHasher)| {
                let mut hasher = DefaultHasher::new();
                value(&mut hasher);
                hasher.finish()
            };
            for (one, other) in [(&one, &other), (&one, &one), (&other, &one)] {
                let words: [AgentId; 2] = [one, other].map(|text| text.parse().expect("a word"));
                prop_assert_eq!(words[0].cmp(&words[1]), one.cmp(other));
                prop_assert_eq!(words[0].as_str(), one);
                prop_assert_eq!(
                    hash(&|hasher| words[0].hash(hasher)),
                    hash(&|hasher| one.hash(hasher))
                );
            }
        }
    }

    /// Red before: of ids that begin alike all fell into one place of a table, and a remote that named 150,000 of them held a `sync` up.
    #[test]
    fn every_byte_of_an_id_counts_in_a_table() {
        let hash = |bytes: &[u8]| {
            let mut hasher = DefaultHasher::new();
            NodeId::from_bytes(bytes).expect("an id").hash(&mut hasher);
            hasher.finish()
        };
        for length in [20, 32] {
            let plain = vec![7; length];
            for at in 0..length {
                let mut other = plain.clone();
                other[at] = 8;
                assert_ne!(hash(&plain), hash(&other), "byte {at} of {length}");
            }
        }
    }

    #[test]
    fn node_ids_read_back_in_both_hashes() {
        for digits in [40, 64] {
            let text = "0123456789abcdef".repeat(4)[..digits].to_owned();
            let id: NodeId = text.parse().expect("hex of the right length");
            assert_eq!(id.to_string(), text);
            assert_eq!(NodeId::from_bytes(id.as_bytes()), Some(id));
        }
        for bad in [
            "",
            "abc",
            "0123456789ABCDEF0123456789abcdef01234567",
            "zz23456789abcdef0123456789abcdef01234567",
        ] {
            assert!(bad.parse::<NodeId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn words_keep_to_their_grammar() {
        let longest = "a".repeat(32);
        for good in ["a", "0", "docs", "a-b", longest.as_str()] {
            assert!(good.parse::<AgentId>().is_ok(), "{good}");
        }
        let too_long = "a".repeat(33);
        for bad in ["", "-a", "A", "a.b", "a/b", "a b", "é", too_long.as_str()] {
            assert!(bad.parse::<FrameType>().is_err(), "{bad}");
        }
    }
}

//! The table of a vocabulary: the rank of each token, found in the bytes as they lie in the program.
//!
//! | bytes | field |
//! |---|---|
//! | 8 × 2¹⁸ | slots, u64 little endian: 21 bits place, 8 bits length, 18 bits rank, 17 bits of the digest; length 0 is empty |
//! | rest | the tokens, one behind the other |
//!
//! A token lies in the first free slot from its digest on. The build script writes the table, and the program looks up in
//! it; both compile this file. Nothing is unpacked: only the pages that a text's words lie in are read.

/// Slots of the table; three quarters are filled by 200,000 tokens.
const SLOTS: usize = 1 << 18;
const SLOT_BYTES: usize = 8;

const PLACE_BITS: u32 = 21;
const LENGTH_BITS: u32 = 8;
const RANK_BITS: u32 = 18;
const LENGTH_AT: u32 = PLACE_BITS;
const RANK_AT: u32 = LENGTH_AT + LENGTH_BITS;
const TAG_AT: u32 = RANK_AT + RANK_BITS;

/// Writes the table of tokens in the order of their ranks, from 0; none is empty.
#[allow(dead_code, reason = "the build script alone writes")]
pub(super) fn write(tokens: &[Vec<u8>]) -> Vec<u8> {
    let mut table = vec![0; SLOTS * SLOT_BYTES];
    for (rank, token) in tokens.iter().enumerate() {
        let (place, digest) = (table.len() - SLOTS * SLOT_BYTES, digest(token));
        let fits = place >> PLACE_BITS == 0
            && token.len() >> LENGTH_BITS == 0
            && rank >> RANK_BITS == 0
            && rank < SLOTS;
        assert!(fits, "the vocabulary is larger than its table");
        let slot = place as u64
            | (token.len() as u64) << LENGTH_AT
            | (rank as u64) << RANK_AT
            | tag(digest) << TAG_AT;
        let mut at = first_slot(digest);
        while self::slot(&table, at) != 0 {
            at = (at + 1) % SLOTS;
        }
        table[at * SLOT_BYTES..][..SLOT_BYTES].copy_from_slice(&slot.to_le_bytes());
        table.extend_from_slice(token);
    }
    table
}

/// The rank of a token; `None` for bytes that are none.
#[allow(dead_code, reason = "the program alone looks up")]
pub(super) fn rank(table: &[u8], token: &[u8]) -> Option<u32> {
    let digest = digest(token);
    let mut at = first_slot(digest);
    loop {
        let slot = slot(table, at);
        if slot == 0 {
            return None;
        }
        let bits = |from: u32, count: u32| slot >> from & ((1 << count) - 1);
        if slot >> TAG_AT == tag(digest) && bits(LENGTH_AT, LENGTH_BITS) == token.len() as u64 {
            let place = SLOTS * SLOT_BYTES + usize::try_from(bits(0, PLACE_BITS)).ok()?;
            if table[place..place + token.len()] == *token {
                return u32::try_from(bits(RANK_AT, RANK_BITS)).ok();
            }
        }
        at = (at + 1) % SLOTS;
    }
}

fn slot(table: &[u8], at: usize) -> u64 {
    let (slots, _) = table.as_chunks::<SLOT_BYTES>();
    u64::from_le_bytes(slots[at])
}

fn first_slot(digest: u64) -> usize {
    usize::try_from(digest % SLOTS as u64).expect("a slot is an index")
}

fn tag(digest: u64) -> u64 {
    digest >> TAG_AT
}

/// Scatters the bytes over 64 bits: eight at a time, by the golden ratio.
fn digest(bytes: &[u8]) -> u64 {
    let mut digest = bytes.len() as u64;
    for eight in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..eight.len()].copy_from_slice(eight);
        digest = (digest ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        digest ^= digest >> 29;
    }
    digest
}

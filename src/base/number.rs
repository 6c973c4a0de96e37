//! Numbers of things in a list, each kind of thing with a type of its own, and the ways from one width of number to another.
//!
//! A list that [`IndexVec`] holds is looked into with the number of its own kind alone: the compiler refuses the number of a
//! file where a node's is due. Casts with `as` that could lose something are refused by clippy; the functions here say what
//! becomes of a value that does not fit.

use std::cmp::Ordering;

pub use oxc_index::{Idx, IndexSlice, IndexVec, define_index_type};

/// A count of things in memory, or a place among them, in the 32 bits that lists and formats keep of it.
///
/// # Panics
/// Over `u32::MAX`: every list has a limit below it, and a number that wraps would name another thing.
#[must_use]
#[track_caller]
pub fn to_u32(count: usize) -> u32 {
    u32::try_from(count).expect("a list holds fewer than 2^32 things")
}

/// A length or an offset of a file as an index; what no memory holds becomes the largest index, at which nothing is.
#[must_use]
pub fn to_index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// A count that others are taken from.
#[must_use]
pub fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Which of `count` sorted things is wanted; `order` says how the one of a number stands to it.
pub fn search(count: usize, order: impl Fn(usize) -> Ordering) -> Option<usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        match order(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(middle),
        }
    }
    None
}

/// The lowest eight bits.
#[must_use]
pub const fn low_byte(bits: u64) -> u8 {
    bits.to_le_bytes()[0]
}

/// A count to calculate with; over 2^53 the nearest value that a `f64` has.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "documented: the nearest value")]
pub const fn to_f64(count: u64) -> f64 {
    count as f64
}

/// The whole number nearest to a result; 0 for what is negative or no number, `u64::MAX` for what is larger.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "documented: `as` takes the nearest value from floats"
)]
pub fn round(value: f64) -> u64 {
    value.round() as u64
}

/// The whole number at or below a result, with the bounds of [`round`].
#[must_use]
pub fn floor(value: f64) -> u64 {
    round(value.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    define_index_type! {
        /// A number of something.
        struct Example = u32;
    }

    #[test]
    fn what_does_not_fit_is_bounded_or_refused() {
        assert_eq!(to_u32(7), 7);
        assert!(std::panic::catch_unwind(|| to_u32(1 << 32)).is_err());
        assert_eq!((to_index(9), to_index(u64::MAX)), (9, usize::MAX));
        assert_eq!((low_byte(0x1_2ff), low_byte(3)), (0xff, 3));
        assert_eq!(
            (round(2.5), round(-1.0), round(f64::NAN), round(1e30)),
            (3, 0, 0, u64::MAX)
        );
        assert_eq!((floor(2.9), floor(-0.1)), (2, 0));
        assert_eq!(format!("{}", to_f64(1 << 53)), "9007199254740992");
    }

    #[test]
    fn a_list_is_looked_into_with_numbers_of_its_kind() {
        let mut list: IndexVec<Example, &str> = IndexVec::new();
        let first = list.push("a");
        assert_eq!(
            (first.raw(), list[first], list.next_idx().index()),
            (0, "a", 1)
        );
    }
}

//! Tokens in base64: what their first bytes become there, and reading the rest.
//!
//! Three bytes become four characters, so the same bytes have three forms, by where in their group they begin. A form
//! is made of the characters that the bytes before and behind do not change. UTF-16 in base64, as Windows makes it, has
//! three forms more: there a zero stands between the bytes.

use std::ops::Range;

use super::rule::{Harmless, Rule};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The shortest run of letters and digits in which a token is looked for.
const RUN_BYTES_MIN: usize = 32;
/// Characters that stand for the bytes that a rule looks at, and one group more.
const CHARS_PER_BYTE_IN: (usize, usize) = (4, 3);

/// What the first bytes of a rule's tokens become in base64.
#[derive(Debug)]
pub(super) struct Form {
    /// Its characters.
    pub(super) word: String,
    /// The rule.
    pub(super) rule: usize,
    /// Bytes of the group before the token.
    skipped: usize,
}

impl Form {
    /// All forms of what a rule's tokens begin with.
    pub(super) fn of(rule: usize, start: &str) -> impl Iterator<Item = Self> {
        let wide = start
            .bytes()
            .flat_map(|byte| [byte, 0])
            .take(2 * start.len() - 1)
            .collect();
        let starts: [Vec<u8>; 2] = [start.into(), wide];
        starts.into_iter().flat_map(move |bytes| {
            (0..3).map(move |skipped| {
                let all = encode(&[&[0; 2][..skipped], &bytes].concat());
                let sure = (skipped * 8).div_ceil(6)..(skipped + bytes.len()) * 8 / 6;
                Self {
                    word: all[sure].to_owned(),
                    rule,
                    skipped,
                }
            })
        })
    }

    /// The characters of the token whose form stands at an offset, if what they stand for is one.
    pub(super) fn secret_at(
        &self,
        text: &[u8],
        at: usize,
        rule: &Rule,
        placeholders: &Harmless,
    ) -> Option<Range<usize>> {
        // The words are looked for in any case; base64 means its letters as they are.
        if !text[at..].starts_with(self.word.as_bytes()) {
            return None;
        }
        let group = at.checked_sub((self.skipped * 8).div_ceil(6))?;
        let (chars_per, bytes_per) = CHARS_PER_BYTE_IN;
        // Twice as much, for what has a zero between its bytes.
        let chars_max = 2 * (rule.reach / bytes_per + 1) * chars_per;
        // What stands in the next line is a part of it, or has nothing to do with it.
        [false, true].into_iter().find_map(|is_wrapped| {
            let (bytes, places) = decode(text, group, chars_max, is_wrapped);
            let (kept, offsets) = without_zeros(bytes.get(self.skipped..)?);
            let found = rule.secret_at(&kept, 0, placeholders)?;
            // Whole groups: a part of one says nothing by itself.
            let group_of = |at: usize| (self.skipped + offsets[at]) / bytes_per * chars_per;
            let last = (group_of(found.end - 1) + chars_per).min(places.len()) - 1;
            Some(places[group_of(found.start)]..places[last] + 1)
        })
    }
}

/// Bytes in base64, without what fills up the last group.
pub(super) fn encode(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let char_at = |at: usize| (0..6).fold(0, |value, offset| value << 1 | bit(6 * at + offset));
    (0..(bytes.len() * 8).div_ceil(6))
        .map(|at| char::from(ALPHABET[usize::from(char_at(at))]))
        .collect()
}

/// The value of a character in either alphabet.
fn value(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// The bytes that stand from an offset on, and the offset of each character that was read.
fn decode(text: &[u8], from: usize, chars_max: usize, is_wrapped: bool) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    let (mut bits, mut held) = (0_u32, 0);
    for (at, byte) in text.iter().enumerate().skip(from) {
        let Some(value) = value(*byte) else {
            if is_wrapped && byte.is_ascii_whitespace() {
                continue;
            }
            break;
        };
        if places.len() == chars_max {
            break;
        }
        places.push(at);
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    (bytes, places)
}

/// Text without its zero bytes, and where each byte stood: UTF-16, whatever its order of bytes, becomes what it says.
pub(super) fn without_zeros(text: &[u8]) -> (Vec<u8>, Vec<usize>) {
    text.iter()
        .enumerate()
        .filter(|(_, byte)| **byte != 0)
        .map(|(at, byte)| (*byte, at))
        .unzip()
}

/// The stretches of letters and digits that are long enough to hold a token. No token has another character in base64.
pub(super) fn long_runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    let mut from = 0;
    std::iter::from_fn(move || {
        // Backwards from where a run would have to reach: what is none is told by its last characters.
        while let Some(window) = text.get(from..from + RUN_BYTES_MIN) {
            let Some(other) = window.iter().rposition(|byte| !is_part(byte)) else {
                let rest = from + RUN_BYTES_MIN;
                let end = text[rest..]
                    .iter()
                    .position(|byte| !is_part(byte))
                    .map_or(text.len(), |more| rest + more);
                return Some(std::mem::replace(&mut from, end)..end);
            };
            from += other + 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_what_neighbours_do_not_change() {
        for start in ["ghp_", "AKIA", "-----BEGIN "] {
            let forms: Vec<Form> = Form::of(0, start).collect();
            assert_eq!(forms.len(), 6);
            for (number, form) in forms.iter().enumerate() {
                for (before, behind) in [
                    ("xy", "z"),
                    ("\u{7f}\u{7f}", "\u{7f}"),
                    ("..", "\u{0}\u{0}"),
                ] {
                    let wide: String = start.chars().flat_map(|c| [c, '\0']).collect();
                    let start = if number < 3 { start } else { &wide };
                    let text =
                        encode(format!("{}{start}{behind}", &before[..form.skipped]).as_bytes());
                    let at = text
                        .find(&form.word)
                        .unwrap_or_else(|| panic!("{} in {text}", form.word));
                    assert_eq!(at, (form.skipped * 8).div_ceil(6));
                }
            }
        }
    }

    #[test]
    fn what_was_encoded_is_read_back() {
        for text in ["", "a", "ab", "abc", "abcd", "\u{0}\u{7f}?>~"] {
            let encoded = encode(text.as_bytes());
            let (bytes, places) = decode(encoded.as_bytes(), 0, 100, false);
            assert_eq!(
                (bytes.as_slice(), places.len()),
                (text.as_bytes(), encoded.len()),
                "{text}"
            );
        }
        assert_eq!(decode(b"YW\n  Jj", 0, 100, true).0, b"abc");
        assert_eq!(decode(b"YW\nJj", 0, 100, false).0, b"a");
    }

    #[test]
    fn runs_are_found_wherever_they_stand() {
        let run = "aB3".repeat(20)[..RUN_BYTES_MIN].to_owned();
        for before in 0..60 {
            let before = "a .".repeat(20)[..before].trim_end_matches('a').to_owned();
            let text = format!("{before}{run}.{};{run}x", &run[1..]);
            let found: Vec<&str> = long_runs(text.as_bytes())
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, [run.clone(), format!("{run}x")], "{text}");
        }
        assert_eq!(long_runs(&run.as_bytes()[1..]).count(), 0);
    }
}

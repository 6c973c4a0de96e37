//! An estimate of how many tokens a model sees in a text, without a tokenizer's tables.
//!
//! Words count one token per six bytes begun, a run of digits one per three, punctuation 0.7 each: measured
//! within a few per cent of `o200k` on source and Markdown. Always labelled an estimate where it is shown.

/// Estimates the tokens of a text.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut tenths, mut at) = (0_u64, 0);
    while at < bytes.len() {
        let start = at;
        let class = class_of(bytes[at]);
        while at < bytes.len() && class_of(bytes[at]) == class {
            at += 1;
        }
        let run = (at - start) as u64;
        tenths += match class {
            Class::Word => 10 * run.div_ceil(6),
            Class::Digit => 10 * run.div_ceil(3),
            Class::Wide => 5 * run,
            Class::Space => 0,
            Class::Line => 4 * run.min(2),
            Class::Mark => 7 * run,
        };
    }
    tenths.div_ceil(10)
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Word,
    Digit,
    Wide,
    Space,
    Line,
    Mark,
}

fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Word,
        b'0'..=b'9' => Class::Digit,
        0x80.. => Class::Wide,
        b' ' | b'\t' | b'\r' => Class::Space,
        b'\n' => Class::Line,
        _ => Class::Mark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_grow_with_the_text() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("word"), 1);
        assert!(estimate("fn main() { println!(\"hello\"); }") > 6);
    }
}

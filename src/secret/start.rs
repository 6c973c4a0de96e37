//! Where a token may begin: not within a word, but behind an underscore or an escaped character.
//!
//! Logs, fixtures and URLs hold text in another text. There the character before a token is the last one of an escape,
//! and often a letter or a digit: `"token:\nghp_…"`, `?q=token%3Dghp_…`, `\u000aghp_…`, `\x1b[32mghp_…`.

/// Letters that stand for a character behind a backslash.
const LETTERS: &[u8] = b"abefnrtv";
/// The longest colour of a terminal that is looked at, from `[` to `m`.
const COLOUR_BYTES_MAX: usize = 16;

/// True when a token may begin behind this text.
pub(super) fn may_begin_behind(before: &[u8]) -> bool {
    before
        .last()
        .is_none_or(|last| !last.is_ascii_alphanumeric())
        || ends_with_escape(before)
}

fn ends_with_escape(before: &[u8]) -> bool {
    ends_with_letter(before)
        || ends_with_octal(before)
        || ends_with_hex(before)
        || ends_with_colour(before)
}

/// `\n` and its like.
fn ends_with_letter(before: &[u8]) -> bool {
    matches!(before, [.., b'\\', letter] if LETTERS.contains(letter))
}

/// `\0`, `\12`, `\012`.
fn ends_with_octal(before: &[u8]) -> bool {
    let digits = before
        .iter()
        .rev()
        .take(3)
        .take_while(|byte| matches!(byte, b'0'..=b'7'))
        .count();
    digits > 0 && before[..before.len() - digits].ends_with(b"\\")
}

/// `%3D`, `\x0a`, `\u000a`, `%u000a`, `\U0000000a`, and `=3D` as in mail.
fn ends_with_hex(before: &[u8]) -> bool {
    let cut = |digits: usize| before.split_at_checked(before.len().checked_sub(digits)?);
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    let is_mail = |digits: &[u8]| {
        digits
            .iter()
            .all(|digit| digit.is_ascii_digit() || matches!(digit, b'A'..=b'F'))
    };
    let of_two = cut(2).is_some_and(|(start, digits)| {
        let is_behind = [&b"%"[..], b"\\x", b"\\X"]
            .iter()
            .any(|sign| start.ends_with(sign));
        is_behind && is_hex(digits) || start.ends_with(b"=") && is_mail(digits)
    });
    let of_four = |(start, digits): (&[u8], &[u8])| {
        (start.ends_with(b"\\u") || start.ends_with(b"%u")) && is_hex(digits)
    };
    of_two
        || cut(4).is_some_and(of_four)
        || cut(8).is_some_and(|(start, digits)| start.ends_with(b"\\U") && is_hex(digits))
}

/// `[32m`, the end of what turns a terminal's colour on or off.
fn ends_with_colour(before: &[u8]) -> bool {
    let Some(codes) = before.strip_suffix(b"m") else {
        return false;
    };
    let is_code = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let bytes = codes
        .iter()
        .rev()
        .take(COLOUR_BYTES_MAX)
        .take_while(is_code)
        .count();
    codes[..codes.len() - bytes].ends_with(b"[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_begins_behind_anything_but_a_word() {
        for before in [
            "", " ", "\n", "=", "\"", "_", "X_", "/", "é", "&#10;", "\\u{a}",
        ] {
            assert!(may_begin_behind(before.as_bytes()), "{before}");
        }
        for escape in [
            "\\n",
            "\\t",
            "\\\\r",
            "\\0",
            "\\012",
            "\\x0a",
            "\\x0A",
            "%3D",
            "%0a",
            "%20",
            "\\u000a",
            "%u003d",
            "\\U0000000a",
            "=3D",
            "\u{1b}[32m",
            "\\x1b[0;1m",
            "\\e[m",
        ] {
            assert!(
                may_begin_behind(format!("a{escape}").as_bytes()),
                "{escape}"
            );
            assert!(may_begin_behind(escape.as_bytes()), "{escape}");
        }
        for word in [
            "a", "n", "9", "0a", "xn", "%3", "x0a", "%3Da", "=ab", "u000a", "\\ux00a", "\\k",
            "32m", "\\9", "\\4567",
        ] {
            assert!(!may_begin_behind(word.as_bytes()), "{word}");
        }
    }
}

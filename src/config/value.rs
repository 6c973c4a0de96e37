//! Reading the text of a setting: booleans and integers as git reads them, durations, limits, lists.

use std::time::Duration;

/// A boolean as git reads it: the words in any case, empty is false, a number is true unless it is 0.
#[must_use]
pub fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" | "" => Some(false),
        _ => integer(text)
            .filter(|number| i32::try_from(number.unsigned_abs()).is_ok())
            .map(|number| number != 0),
    }
}

/// An integer as git reads it: a sign, decimal, `0x…` or `0…`, and `k`, `m` or `g` for powers of 1024.
#[must_use]
pub fn integer(text: &str) -> Option<i64> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, factor) = split_unit(digits);
    let (digits, radix) = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => (hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    if !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let number = i64::from_str_radix(digits, radix)
        .ok()?
        .checked_mul(i64::from(factor))?;
    Some(if negative { -number } else { number })
}

/// A limit: a plain decimal number, perhaps with a fraction, and `k`, `m` or `g` for powers of 1024.
///
/// Nothing else, so that what a guard compares is what a reader gets: no sign, exponent, hexadecimal or infinity.
#[must_use]
pub fn limit(text: &str) -> Option<f64> {
    let (digits, factor) = split_unit(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    let number: f64 = digits.parse().ok()?;
    Some(number * f64::from(factor)).filter(|number| number.is_finite())
}

/// A duration: a whole number and `ms`, `s`, `m`, `h` or `d`; without a unit, seconds.
#[must_use]
pub fn duration(text: &str) -> Option<Duration> {
    let unit_at = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..unit_at].parse().ok()?;
    let seconds = match &text[unit_at..] {
        "ms" => return Some(Duration::from_millis(number)),
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    number.checked_mul(seconds).map(Duration::from_secs)
}

/// The words of a list: several values, each of which may hold several words between white space.
pub fn words(values: &[String]) -> impl Iterator<Item = &str> {
    values.iter().flat_map(|value| value.split_whitespace())
}

fn split_unit(digits: &str) -> (&str, i32) {
    let factor = match digits.as_bytes().last() {
        Some(b'k' | b'K') => 1 << 10,
        Some(b'm' | b'M') => 1 << 20,
        Some(b'g' | b'G') => 1 << 30,
        _ => return (digits, 1),
    };
    (&digits[..digits.len() - 1], factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What git makes of a value; `None` when it refuses.
    #[expect(clippy::disallowed_methods, reason = "git is the oracle")]
    fn git(kind: &str, text: &str) -> Option<String> {
        let output = std::process::Command::new("git")
            .args([
                "-c",
                &format!("x.y={text}"),
                "config",
                &format!("--type={kind}"),
                "x.y",
            ])
            .current_dir("/")
            .output()
            .expect("git runs");
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    #[test]
    fn booleans_and_integers_are_gits() {
        for text in [
            "true",
            "YES",
            "On",
            "false",
            "nO",
            "off",
            "",
            "0",
            "1",
            "2",
            "-1",
            "maybe",
            "tru",
            " 1",
            "1 ",
            "1k",
            "-2M",
            "3g",
            "1t",
            "1kk",
            "k",
            "+5",
            "0x10",
            "010",
            "08",
            "00",
            "0x",
            "-",
            "--1",
            "1_0",
            "9223372036854775807",
            "9223372036854775808",
            "8589934592g",
            "99999999999",
            "4294967296",
            "2147483648",
            "2147483647",
            "-2147483648",
            "-2147483649",
        ] {
            assert_eq!(
                boolean(text).map(|truth| truth.to_string()),
                git("bool", text),
                "boolean {text:?}"
            );
            assert_eq!(
                integer(text).map(|number| number.to_string()),
                git("int", text),
                "integer {text:?}"
            );
        }
    }

    #[test]
    fn durations_have_units() {
        for (text, expected) in [
            ("250ms", Some(Duration::from_millis(250))),
            ("90", Some(Duration::from_secs(90))),
            ("5m", Some(Duration::from_mins(5))),
            ("24h", Some(Duration::from_hours(24))),
            ("7d", Some(Duration::from_hours(168))),
            ("", None),
            ("s", None),
            ("-1s", None),
            ("1 s", None),
            ("99999999999999999999", None),
            ("999999999999999999d", None),
        ] {
            assert_eq!(duration(text), expected, "{text:?}");
        }
    }
}

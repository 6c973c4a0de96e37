//! Names of sessions and numbers of turns, as they stand in paths.

use std::fmt;
use std::str::FromStr;

/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The name of a session: `[a-z0-9][a-z0-9._-]{0,63}`, and a file name on every system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName(String);

/// Text is no name of a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not the name of a session: lower-case letters and digits, then also '.', '_' and '-', at most {NAME_BYTES_MAX}"
)]
pub struct NameError(pub String);

impl SessionName {
    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let is_first = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_word = text.bytes().next().is_some_and(is_first)
            && text.len() <= NAME_BYTES_MAX
            && text
                .bytes()
                .all(|byte| is_first(byte) || matches!(byte, b'.' | b'_' | b'-'))
            && !text.ends_with('.')
            && !is_reserved(text);
        if is_word {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError(text.to_owned()))
        }
    }
}

/// Names of devices on Windows, where the repository may be checked out one day.
fn is_reserved(text: &str) -> bool {
    let stem = text.split('.').next().unwrap_or_default();
    let numbered = |prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest: &str| rest.len() == 1 && rest != "0")
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of a turn, from 1; written with at least two digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnNumber(u32);

/// Text is no number of a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not the number of a turn, such as 01")]
pub struct NumberError(pub String);

impl TurnNumber {
    /// The first turn of a session.
    pub const FIRST: Self = Self(1);
    /// The last that there can be.
    pub const LAST: Self = Self(999);

    /// The turn after this one; `None` after the last.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        (self < Self::LAST).then_some(Self(self.0 + 1))
    }

    /// Reads the name of a turn's folder: just what [`Display`](fmt::Display) writes.
    #[must_use]
    pub fn of_folder(name: &str) -> Option<Self> {
        name.parse()
            .ok()
            .filter(|number: &Self| number.to_string() == name)
    }
}

impl FromStr for TurnNumber {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let is_number =
            !text.is_empty() && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if is_number {
            text.parse().unwrap_or(0)
        } else {
            0
        };
        if (1..=Self::LAST.0).contains(&number) {
            Ok(Self(number))
        } else {
            Err(NumberError(text.to_owned()))
        }
    }
}

impl fmt::Display for TurnNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names_everywhere() {
        for name in ["a", "login-flow", "2026.11", "a_b", &"x".repeat(64)] {
            assert!(name.parse::<SessionName>().is_ok(), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            ".git",
            "-x",
            "A",
            "a/b",
            "a b",
            "ä",
            "a.",
            "con",
            "nul.x",
            "lpt1",
            "a\n",
            &"x".repeat(65),
        ] {
            assert!(name.parse::<SessionName>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn turns_are_two_digits_and_three_after_99() {
        let shown: Vec<String> = ["1", "09", "99", "100", "999"]
            .iter()
            .map(|text| text.parse::<TurnNumber>().expect("a number").to_string())
            .collect();
        assert_eq!(shown, ["01", "09", "99", "100", "999"]);
        for text in ["", "0", "00", "1000", "-1", "+1", "1a", "٣"] {
            assert!(text.parse::<TurnNumber>().is_err(), "{text:?}");
        }
        assert_eq!(TurnNumber::of_folder("1"), None);
        assert_eq!(TurnNumber::of_folder("001"), None);
        assert_eq!(TurnNumber::of_folder("01"), Some(TurnNumber::FIRST));
        assert_eq!(TurnNumber::LAST.next(), None);
    }
}

//! Money: amounts in thousand-millionths of a US dollar, as people write them and as they are counted.

use std::fmt;
use std::str::FromStr;

use super::number::{round, to_f64};

/// An amount of money in thousand-millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(pub u64);

/// Parts of a dollar in which costs are counted.
const NANO: f64 = 1e9;

impl Cost {
    /// In dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        to_f64(self.0) / NANO
    }

    /// The nearest amount; nothing for one below zero.
    #[must_use]
    pub fn of_dollars(dollars: f64) -> Self {
        Self(round(dollars.max(0.0) * NANO))
    }
}

/// A number of dollars in JSON, so that scripts can compare it. What is a whole number of parts prints exactly.
impl serde::Serialize for Cost {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> serde::Deserialize<'de> for Cost {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::of_dollars)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FromStr for Cost {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        decimal(text, 9).map(Self).ok_or(())
    }
}

/// A plain decimal number in parts of one, with at most this many digits behind its point; `None` for everything else.
#[must_use]
pub fn decimal(text: &str, places: usize) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > places || !is_digits(whole) || !is_digits(part) {
        return None;
    }
    // The digits on both sides of the point are those of the whole in parts.
    format!("{whole}{part:0<places$}").parse().ok()
}

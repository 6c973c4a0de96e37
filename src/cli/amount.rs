//! Amounts on a command line: limits of tokens, calls and bytes, as settings take them, and of money.

use crate::base::Cost;
use crate::base::number::round;
use crate::config::value;

/// A whole number, perhaps with a unit: `8000`, `8k` (8192), `1.5m`.
pub fn count(text: &str) -> Result<u64, String> {
    let number = value::limit(text).filter(|number| number.fract() == 0.0);
    // Above this a floating-point number has no longer room for each whole one.
    let exact = number.filter(|number| *number <= 9_007_199_254_740_992.0);
    exact
        .map(round)
        .ok_or_else(|| "expected a number, such as 8000 or 8k".to_owned())
}

/// Reads an amount of US dollars as billionths of one.
pub fn dollars(text: &str) -> Result<u64, String> {
    let cost: Cost = text
        .parse()
        .map_err(|()| "expected US dollars, such as 1.50".to_owned())?;
    Ok(cost.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024() {
        for (text, number) in [
            ("0", 0),
            ("8000", 8000),
            ("8k", 8192),
            ("8K", 8192),
            ("1.5m", 1_572_864),
        ] {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        for text in [
            "",
            "-1",
            "k",
            "1.3",
            "8kb",
            "0x10",
            "1e3",
            "99999999999g",
            "8 k",
        ] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}

//! What tokens cost, in whole numbers: picodollars a token, nanodollars a call.

use crate::base::cost::decimal;
use crate::chat::Usage;

/// Picodollars in a nanodollar.
const PICO_IN_NANO: u128 = 1_000;

/// The price of each kind of token, in picodollars: a price of 1.25 dollars per million tokens is 1,250,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// Input that comes from no cache.
    pub input: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// Input that the provider's cache serves.
    pub cache_read: u64,
    /// Input that is written to the provider's cache.
    pub cache_write: u64,
}

impl Prices {
    /// What an answer has cost, in nanodollars, rounded up.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
        let cached = usage.cache_read.saturating_add(usage.cache_write);
        let plain = usage.input.saturating_sub(cached);
        sum(&[
            (plain, self.input),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
            (usage.output, self.output),
        ])
    }

    /// The most that a call can cost, in nanodollars: every token of input at the dearest of its prices.
    #[must_use]
    pub fn cost_max(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        let dearest = self.input.max(self.cache_write).max(self.cache_read);
        sum(&[(input_tokens, dearest), (output_tokens, self.output)])
    }

    /// The prices in a batch: those that are given, else this share of the others. What concerns the provider's cache is
    /// as much cheaper as input is.
    #[must_use]
    pub fn in_batches(&self, percent: u64, input: Option<u64>, output: Option<u64>) -> Self {
        let share = |price: u64| price.saturating_mul(percent).div_ceil(100);
        let input = input.unwrap_or_else(|| share(self.input));
        let of_input = |price: u64| match self.input {
            0 => share(price),
            plain => {
                let price = (u128::from(price) * u128::from(input)).div_ceil(u128::from(plain));
                u64::try_from(price).unwrap_or(u64::MAX)
            }
        };
        Self {
            input,
            output: output.unwrap_or_else(|| share(self.output)),
            cache_read: of_input(self.cache_read),
            cache_write: of_input(self.cache_write),
        }
    }
}

/// A price in dollars per million tokens as picodollars a token; `None` for what is no plain number.
#[must_use]
pub fn parse(text: &str) -> Option<u64> {
    decimal(text, 6)
}

fn sum(parts: &[(u64, u64)]) -> u64 {
    let total: u128 = parts
        .iter()
        .map(|(tokens, price)| u128::from(*tokens) * u128::from(*price))
        .sum();
    u64::try_from(total.div_ceil(PICO_IN_NANO)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_exact() {
        for (text, expected) in [
            ("3", Some(3_000_000)),
            ("0.0375", Some(37_500)),
            ("1.25", Some(1_250_000)),
            ("0", Some(0)),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        for text in [
            "",
            "-1",
            "1e3",
            "1.2345678",
            ".5",
            "1,5",
            "x",
            "99999999999999999999",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let prices = Prices {
            input: 3_000_000,
            output: 15_000_000,
            cache_read: 300_000,
            cache_write: 3_750_000,
        };
        let usage = Usage {
            input: 1_000,
            output: 100,
            cache_read: 600,
            cache_write: 300,
            reasoning: 50,
        };
        assert_eq!(
            prices.cost(&usage),
            100 * 3_000 + 600 * 300 + 300 * 3_750 + 100 * 15_000
        );
        assert!(prices.cost_max(1_000, 100) >= prices.cost(&usage));
        assert_eq!(prices.cost_max(u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn a_fraction_of_a_nanodollar_is_rounded_up() {
        let prices = Prices {
            input: 1,
            ..Prices::default()
        };
        assert_eq!(
            prices.cost(&Usage {
                input: 1,
                ..Usage::default()
            }),
            1
        );
    }
}

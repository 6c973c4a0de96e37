//! The most that one request can take: what a budget must have room for before it is sent.

use super::ledger::Spend;
use super::price::Prices;
use crate::chat::{Capabilities, OUTPUT_TOKENS_DEFAULT, Request, Usage};

/// The longest answer that a request may get.
pub(super) fn output_tokens_max(request: &Request, capabilities: &Capabilities) -> u64 {
    request
        .params
        .max_output_tokens
        .or(capabilities.output_tokens)
        .unwrap_or(OUTPUT_TOKENS_DEFAULT)
}

/// A provider that counts more than this many times what a request may take, and more than any model reads or writes, errs.
const TOLD_TIMES_MAX: u64 = 4;
const TOLD_TOKENS_MAX: u64 = 1_000_000;

/// Whether a provider's count can be, for a request that takes `most` tokens at most.
pub(super) fn is_possible(told: &Usage, most: u64) -> bool {
    told.tokens() <= most.saturating_mul(TOLD_TIMES_MAX).max(TOLD_TOKENS_MAX)
        && told.cache_read.saturating_add(told.cache_write) <= told.input
}

/// The most that a request can take at some prices.
pub(super) fn worst_case(request: &Request, output: u64, prices: Option<&Prices>) -> Spend {
    let input = request.input_tokens_max();
    Spend {
        calls: 1,
        tokens: input.saturating_add(output),
        nano_dollars: prices.map(|prices| prices.cost_max(input, output)),
    }
}

//! The most that one request can take: what a budget must have room for before it is sent.

use super::ledger::Spend;
use super::price::Prices;
use crate::chat::{Capabilities, OUTPUT_TOKENS_DEFAULT, Request};

/// The longest answer that a request may get.
pub(super) fn output_tokens_max(request: &Request, capabilities: &Capabilities) -> u64 {
    request
        .params
        .max_output_tokens
        .or(capabilities.output_tokens)
        .unwrap_or(OUTPUT_TOKENS_DEFAULT)
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

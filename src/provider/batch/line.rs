//! What the provider says of a batch, the same for all dialects.

use serde_json::Value;

use crate::provider::error::ProviderError;

/// How a batch stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    UnderWay,
    Ended {
        /// Why requests have no result; `None` where each must have one.
        why: Option<String>,
        places: Vec<Place>,
    },
}

/// Where results are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    Below(String),
    /// An address that the provider names, and where it is by its documentation.
    Named {
        address: String,
        below: String,
    },
}

/// One line of results.
#[derive(Debug)]
pub(super) enum Line {
    Answer(Value),
    Invalid(ProviderError),
    NotRun(String),
}

/// True for an id that can stand in an address.
pub(super) fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=128).contains(&id.len()) && id.bytes().all(plain) && !id.starts_with('.')
}

//! What keeps a model from being asked, as [`CliError`]; a part of the table beside it.

use super::super::exit::Exit;
use super::CliError;
use crate::ops::{AskingError, ComposeError};
use crate::provider::ProviderError;
use crate::regen::NodeError;

impl From<ProviderError> for CliError {
    fn from(error: ProviderError) -> Self {
        let kind = match &error {
            ProviderError::NotConfigured { .. } => Exit::Config,
            _ => Exit::Unavailable,
        };
        Self::from_source(kind, error).hint("git merkle provider list")
    }
}

impl From<AskingError> for CliError {
    fn from(error: AskingError) -> Self {
        match error {
            AskingError::Trust(inner) => inner.into(),
            AskingError::Rules(inner) => inner.into(),
            AskingError::Provider(inner) => inner.into(),
            AskingError::Value(_) => Self::from_source(Exit::Config, error)
                .hint("see 'git merkle config list --show-origin'"),
            AskingError::Definition(inner) => inner.into(),
            AskingError::NoPrices(ref name) => {
                let price = |key| {
                    format!(
                        "git config --global merkle.provider.{name}.{key} <usd per million tokens>"
                    )
                };
                let hints = [price("priceInput"), price("priceOutput")];
                let failed = hints
                    .into_iter()
                    .fold(Self::from_source(Exit::Config, error), Self::hint);
                failed.hint("or give a limit with --max-calls or --max-tokens")
            }
            AskingError::Profile(inner) => inner.into(),
            AskingError::NoBatches(ref name) => {
                let hint = format!(
                    "leave '--batch' out; where the provider speaks OpenAI's protocol and takes batches, \
                    'git config --global merkle.provider.{name}.batch true'"
                );
                Self::from_source(Exit::Config, error).hint(hint)
            }
            AskingError::Strict { .. } => Self::from_source(Exit::Config, error)
                .hint("leave '--strict' out to have them fitted"),
            AskingError::NotAsked(_) => Self::from_source(Exit::Config, error),
            AskingError::Allowed(_) => Self::from_source(Exit::Io, error),
        }
    }
}

impl From<ComposeError> for CliError {
    fn from(error: ComposeError) -> Self {
        match error {
            ComposeError::Refresh(inner) => inner.into(),
            ComposeError::Node(NodeError::Object(inner)) => inner.into(),
            ComposeError::Node(NodeError::Payload(inner)) => inner.into(),
            ComposeError::Node(NodeError::Fit(inner)) => inner.into(),
            ComposeError::Node(NodeError::NoRoom { .. }) => Self::from_source(Exit::Refused, error),
            ComposeError::Node(NodeError::Codec(_)) => {
                Self::from_source(Exit::Git, error).damage_hint()
            }
        }
    }
}

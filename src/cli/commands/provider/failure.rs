//! From what goes wrong with a provider to an exit code and the next step.

use crate::cli::{CliError, Exit};
use crate::provider::{DefinitionError, ProviderError};

/// Models that a hint lists.
const MODELS_MAX: usize = 12;

impl From<DefinitionError> for CliError {
    fn from(error: DefinitionError) -> Self {
        let hint = match &error {
            DefinitionError::NoneThere => {
                "run 'git merkle provider add <name> --kind <kind> --model <model>'".to_owned()
            }
            DefinitionError::NotThere { .. } => "see 'git merkle provider list'".to_owned(),
            DefinitionError::Several(names) => format!(
                "name one with --provider, or for all runs: git merkle config set merkle.defaultProvider {}",
                names.first().map_or("<name>", String::as_str)
            ),
            DefinitionError::NoKind(name) => {
                format!("run 'git config --global merkle.provider.{name}.kind <kind>'")
            }
            _ => "see 'git merkle config list --show-origin'".to_owned(),
        };
        Self::from_source(Exit::Config, error).hint(hint)
    }
}

/// What to try when asking the provider of a name has failed.
#[must_use]
pub fn hint(name: &str, error: &ProviderError) -> Option<String> {
    match error {
        ProviderError::Auth(_) => Some(format!("run 'git merkle auth login {name}'")),
        ProviderError::Quota(_) => {
            Some("see the provider's page on billing, or name another with --provider".to_owned())
        }
        ProviderError::ModelNotFound { available, .. } => {
            let names: Vec<String> = available
                .iter()
                .take(MODELS_MAX)
                .map(|name| format!("'{name}'"))
                .collect();
            let has = if names.is_empty() {
                String::new()
            } else {
                format!("it has {}; ", names.join(", "))
            };
            Some(format!(
                "{has}run 'git config --global merkle.provider.{name}.model <model>'"
            ))
        }
        ProviderError::ContextTooLong { lengths, .. } => {
            let window = lengths
                .window
                .map_or("<tokens>".to_owned(), |window| window.to_string());
            Some(format!(
                "run 'git config --global merkle.provider.{name}.contextTokens {window}', and it is fitted"
            ))
        }
        ProviderError::BrokenOff => Some(format!(
            "if it does one thing at a time, run 'git config --global merkle.provider.{name}.concurrency 1'"
        )),
        ProviderError::Protocol(_)
        | ProviderError::NoEvent
        | ProviderError::Unavailable { .. }
        | ProviderError::Timeout(_) => Some(format!("see 'git merkle provider show {name}'")),
        ProviderError::Address(_) => Some(format!(
            "is a part of its endpoint missing, as '/v1/' often is? 'git config --global merkle.provider.{name}.endpoint <address>' sets it"
        )),
        ProviderError::Rejected(_) => Some(format!(
            "'git merkle provider show {name}' shows the model and what goes with each request; 'git merkle provider test {name} --call' \
             sends a small one"
        )),
        _ => None,
    }
}

/// The error of asking the provider of a name.
#[must_use]
pub fn failure(name: &str, error: ProviderError) -> CliError {
    let hint = hint(name, &error);
    let exit = if matches!(error, ProviderError::NotConfigured { .. }) {
        Exit::Config
    } else {
        Exit::Unavailable
    };
    CliError::from_source(exit, error).hint_any(hint)
}

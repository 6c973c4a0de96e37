//! From a definition to a provider that takes requests: what is missing is found out here, before anything is sent.

use std::sync::Arc;

use super::api_key::ApiKey;
use super::ask::Provider;
use super::batch::BatchClient;
use super::command::{self, Program};
use super::definition::Definition;
use super::kind::ProviderKind;
use super::manual::Person;
use super::model::Model;
use super::replay::Replay;
use super::{ProviderError, key};
use crate::config::Environment;
use crate::git::StateDir;

/// What a provider stands in.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// For keys, and for programs.
    pub environment: &'a Environment,
    /// Where requests to people and their answers stand; made when it is needed.
    pub pending: &'a StateDir,
}

/// A provider that is ready for requests.
pub struct Connected {
    /// One request at a time.
    pub provider: Arc<dyn Provider>,
    /// Its way to take many requests at once; `None` where it has none.
    pub batches: Option<BatchClient>,
}

/// Makes a provider ready for requests. Looks for its key, and reaches nothing else.
pub fn connect(
    definition: &Definition,
    surroundings: Surroundings<'_>,
) -> Result<Connected, ProviderError> {
    let definition = definition.clone();
    let mut batches = None;
    let provider: Arc<dyn Provider> = match definition.kind {
        ProviderKind::Command => {
            checked_command(&definition)?;
            Arc::new(Program::new(definition, surroundings.environment))
        }
        ProviderKind::Manual => Arc::new(Person::new(definition, surroundings.pending)),
        ProviderKind::Replay if definition.file.is_none() => {
            return Err(unset(&definition, "file", "<file>", "no recording is set"));
        }
        ProviderKind::Replay => Arc::new(Replay::open(definition)?),
        ProviderKind::OpenAi
        | ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Ollama
        | ProviderKind::Local => {
            let key = key_of(&definition, surroundings.environment)?;
            let takes_batches = definition.batch;
            let model = Model::new(definition, key);
            batches = takes_batches.then(|| BatchClient::new(model.clone()));
            Arc::new(model)
        }
    };
    Ok(Connected { provider, batches })
}

fn key_of(
    definition: &Definition,
    environment: &Environment,
) -> Result<Option<ApiKey>, ProviderError> {
    let name = &definition.name;
    if definition.endpoint.is_none() {
        return Err(unset(
            definition,
            "endpoint",
            "<address>",
            "no endpoint is set",
        ));
    }
    if definition.model().is_none() {
        return Err(unset(definition, "model", "<model>", "no model is set"));
    }
    let not_configured = |reason: String| ProviderError::NotConfigured {
        provider: name.clone(),
        reason,
    };
    let found = key::find(definition, environment)
        .map_err(|error| not_configured(format!("no key can be looked up: {error}")))?;
    if found.is_none() && key::is_needed(definition) {
        let variables: Vec<String> = key::variables(definition)
            .map(|name| format!(", or set {name}"))
            .collect();
        return Err(not_configured(format!(
            "there is no key; run 'git merkle auth login {name}'{}",
            variables.concat()
        )));
    }
    Ok(found.map(|(key, _)| key))
}

fn checked_command(definition: &Definition) -> Result<(), ProviderError> {
    match definition.command.first() {
        None => Err(unset(
            definition,
            "command",
            "<program>",
            "no program is set",
        )),
        Some(program) if !command::is_program(program) => Err(ProviderError::NotConfigured {
            provider: definition.name.clone(),
            reason: format!("'{program}' is neither the name of a program nor an absolute path"),
        }),
        Some(_) => Ok(()),
    }
}

/// The error for a setting that is missing, with the command that sets it.
fn unset(definition: &Definition, setting: &str, value: &str, reason: &str) -> ProviderError {
    let name = &definition.name;
    let reason =
        format!("{reason}; run 'git config --global merkle.provider.{name}.{setting} {value}'");
    ProviderError::NotConfigured {
        provider: name.clone(),
        reason,
    }
}

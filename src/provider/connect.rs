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

/// Every setting without which a kind cannot work.
const NEEDED: [Lacking; 4] = [
    Lacking {
        setting: "endpoint",
        value: "<address>",
        what: "endpoint",
    },
    Lacking {
        setting: "model",
        value: "<model>",
        what: "model",
    },
    Lacking {
        setting: "command",
        value: "<program>",
        what: "program",
    },
    Lacking {
        setting: "file",
        value: "<file>",
        what: "recording",
    },
];

/// What a provider stands in.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// For keys, and for programs.
    pub environment: &'a Environment,
    /// Where requests to people and their answers stand; made when it is needed.
    pub pending: &'a StateDir,
    /// Nothing is sent, so that no key is needed.
    pub is_dry: bool,
}

/// A provider that is ready for requests.
pub struct Connected {
    /// One request at a time.
    pub provider: Arc<dyn Provider>,
    /// Its way to take many requests at once; `None` where it has none.
    pub batches: Option<BatchClient>,
}

/// A setting that a provider's kind cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lacking {
    /// Its name, below the provider's.
    pub setting: &'static str,
    /// What stands for its value in a hint.
    pub value: &'static str,
    /// The word for it.
    pub what: &'static str,
}

/// What a definition lacks of that, in the order in which it is told.
#[must_use]
pub fn lacking(definition: &Definition) -> Vec<Lacking> {
    let kind = definition.kind;
    let is_there = |lacking: &Lacking| match lacking.setting {
        "endpoint" => !kind.has_endpoint() || definition.endpoint.is_some(),
        "model" => !kind.has_endpoint() || definition.model().is_some(),
        "command" => kind != ProviderKind::Command || !definition.command.is_empty(),
        _ => kind != ProviderKind::Replay || definition.file.is_some(),
    };
    NEEDED
        .into_iter()
        .filter(|lacking| !is_there(lacking))
        .collect()
}

/// Makes a provider ready for requests. Looks for its key, and reaches nothing else.
pub fn connect(
    definition: &Definition,
    surroundings: Surroundings<'_>,
) -> Result<Connected, ProviderError> {
    if let Some(lacking) = lacking(definition).first() {
        return Err(unset(definition, lacking));
    }
    let definition = definition.clone();
    let mut batches = None;
    let provider: Arc<dyn Provider> = match definition.kind {
        ProviderKind::Command => {
            checked_command(&definition)?;
            Arc::new(Program::new(definition, surroundings.environment))
        }
        ProviderKind::Manual => Arc::new(Person::new(definition, surroundings.pending)),
        ProviderKind::Replay => Arc::new(Replay::open(definition)?),
        ProviderKind::OpenAi
        | ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Ollama
        | ProviderKind::Local => {
            let key = key_of(&definition, &surroundings)?;
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
    surroundings: &Surroundings<'_>,
) -> Result<Option<ApiKey>, ProviderError> {
    let (name, environment) = (&definition.name, surroundings.environment);
    if surroundings.is_dry {
        return Ok(None);
    }
    let found = key::find(definition, environment)
        .map_err(|error| definition.not_configured(format!("no key can be looked up: {error}")))?;
    if found.is_none() && key::is_needed(definition) {
        let variables: Vec<String> = key::variables(definition)
            .map(|name| format!(", or set {name}"))
            .collect();
        return Err(definition.not_configured(format!(
            "there is no key; run 'git merkle auth login {name}'{}",
            variables.concat()
        )));
    }
    Ok(found.map(|(key, _)| key))
}

fn checked_command(definition: &Definition) -> Result<(), ProviderError> {
    match definition.command.first() {
        Some(program) if !command::is_program(program) => Err(definition.not_configured(format!(
            "'{program}' is neither the name of a program nor an absolute path"
        ))),
        Some(_) | None => Ok(()),
    }
}

/// The error for a setting that is missing, with the command that sets it.
fn unset(definition: &Definition, lacking: &Lacking) -> ProviderError {
    let name = &definition.name;
    let Lacking {
        setting,
        value,
        what,
    } = lacking;
    definition.not_configured(format!(
        "no {what} is set; run 'git config --global merkle.provider.{name}.{setting} {value}'"
    ))
}

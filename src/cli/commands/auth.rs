//! `git merkle auth`: keep keys of providers in git's credential helpers.

use std::io::{self, IsTerminal as _, Read as _};

use serde::Serialize;

use super::provider::configured::{chosen, definitions};
use super::provider::{KeyDocument, key_word};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, secret_line};
use crate::git::{CredentialOrigin, credential};
use crate::provider::{ApiKey, Definition, KeyPlace, KeyStatus, key};

/// Largest key, in bytes.
const KEY_BYTES_MAX: u64 = 16 * 1024;

/// Arguments of `auth`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Read a key from the terminal or standard input, and store it in git's credential helpers
    Login(Named),
    /// Show where each key is found; exit with 1 if one is missing
    Status(Named),
    /// Remove a key from git's credential helpers
    Logout(Named),
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The provider (default: the only one)
    #[arg(value_name = "provider")]
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct StatusDocument {
    providers: Vec<ProviderDocument>,
}

#[derive(Debug, Serialize)]
struct ProviderDocument {
    name: String,
    origin: Option<String>,
    key: KeyDocument,
}

#[derive(Debug, Serialize)]
struct ChangedDocument<'a> {
    name: &'a str,
    origin: String,
    kept: bool,
}

/// Runs the subcommand; works outside a repository as well.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Action::Login(named) => login(named, program),
        Action::Status(named) => status(named, program),
        Action::Logout(named) => logout(named, program),
    }
}

fn login(named: &Named, program: &mut Program) -> Result<Exit, CliError> {
    let definitions = definitions(program)?;
    let definition = chosen(&definitions, named.name.as_deref())?;
    let origin = origin_of(definition)?;
    let without_helper = || {
        CliError::new(Exit::Config, "git has no credential helper that could keep a key")
            .hint("run 'git config --global credential.helper cache', or see 'git help credentials' for others")
    };
    if !credential::has_helper()? {
        return Err(without_helper());
    }
    let key = read_key(&definition.name, &origin)?;
    credential::approve(&origin, key.reveal())?;
    if credential::fill(&origin)?.as_deref() != Some(key.reveal()) {
        return Err(without_helper());
    }
    changed(definition, &origin, true, program)
}

fn logout(named: &Named, program: &mut Program) -> Result<Exit, CliError> {
    let definitions = definitions(program)?;
    let definition = chosen(&definitions, named.name.as_deref())?;
    let origin = origin_of(definition)?;
    credential::reject(&origin)?;
    if credential::fill(&origin)?.is_some() {
        let failed = CliError::new(
            Exit::Config,
            format!(
                "a credential helper still has a key for '{}'",
                text(&origin)
            ),
        );
        return Err(failed.hint("see 'git config --show-origin --get-all credential.helper'"));
    }
    changed(definition, &origin, false, program)
}

fn changed(
    definition: &Definition,
    origin: &CredentialOrigin,
    kept: bool,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let name = definition.name.as_str();
    if program.ui.is_json() {
        let verb = if kept { "auth-login" } else { "auth-logout" };
        program.ui.write_json(
            verb,
            &ChangedDocument {
                name,
                origin: text(origin),
                kept,
            },
        )?;
    } else if kept {
        let origin = text(origin);
        writeln!(program.ui, "the key for '{name}' at {origin} is kept")?;
    } else {
        let origin = text(origin);
        writeln!(program.ui, "the key for '{name}' at {origin} is forgotten")?;
    }
    if let KeyStatus::Found(KeyPlace::Variable(variable)) =
        key::status(definition, &program.environment)?
    {
        program.ui.warn(&format!(
            "{variable} is set and goes before a key that is kept"
        ));
    }
    Ok(Exit::Done)
}

fn status(named: &Named, program: &mut Program) -> Result<Exit, CliError> {
    let definitions = definitions(program)?;
    let wanted: Vec<&Definition> = match &named.name {
        Some(name) => vec![chosen(&definitions, Some(name))?],
        None => definitions.iter().collect(),
    };
    let mut missing = false;
    let mut documents = Vec::new();
    for definition in wanted {
        let status = key::status(definition, &program.environment)?;
        missing |= status == KeyStatus::Missing;
        let origin = definition
            .endpoint
            .as_ref()
            .map(|endpoint| text(&endpoint.origin()));
        if !program.ui.is_json() {
            let (name, word) = (&definition.name, key_word(&status));
            writeln!(
                program.ui,
                "{name}\t{}\t{word}",
                origin.as_deref().unwrap_or("-")
            )?;
        }
        documents.push(ProviderDocument {
            name: definition.name.clone(),
            origin,
            key: KeyDocument::new(&status),
        });
    }
    if program.ui.is_json() {
        program.ui.write_json(
            "auth-status",
            &StatusDocument {
                providers: documents,
            },
        )?;
    }
    Ok(Exit::no_if(missing))
}

fn origin_of(definition: &Definition) -> Result<CredentialOrigin, CliError> {
    let name = &definition.name;
    let without = || {
        CliError::new(
            Exit::Refused,
            format!("provider '{name}' has no endpoint, so there is nothing to keep a key for"),
        )
        .hint(format!("see 'git merkle provider show {name}'"))
    };
    definition
        .endpoint
        .as_ref()
        .map(crate::provider::Endpoint::origin)
        .ok_or_else(without)
}

fn text(origin: &CredentialOrigin) -> String {
    format!("{}://{}", origin.protocol, origin.host)
}

/// The key, typed unseen or piped in; never an argument, which every process of the machine could read.
fn read_key(name: &str, origin: &CredentialOrigin) -> Result<ApiKey, CliError> {
    let typed = if io::stdin().is_terminal() {
        let question = format!("key for '{name}' at {}: ", text(origin));
        match secret_line::ask(&question)
            .map_err(|error| CliError::io("cannot read the terminal", error))?
        {
            Some(line) => line,
            None => return Err(CliError::new(Exit::Interrupted, "no key was given")),
        }
    } else {
        let mut bytes = Vec::new();
        let read = io::stdin().take(KEY_BYTES_MAX).read_to_end(&mut bytes);
        read.map_err(|error| CliError::io("cannot read standard input", error))?;
        String::from_utf8(bytes).unwrap_or_default()
    };
    let refused = || {
        CliError::new(Exit::Refused, "this is no key: one line of plain text is")
            .hint(format!("git merkle auth login {name}"))
    };
    ApiKey::new(&typed).ok_or_else(refused)
}

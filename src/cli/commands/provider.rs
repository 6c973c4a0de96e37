//! `git merkle provider`: show, check, try and add providers: who can be asked.

mod add;
pub(super) mod configured;
mod document;
pub(super) mod failure;
mod remove;

use std::path::Path;

use serde::Serialize;

use self::configured::{chosen, definitions};
use crate::base::runtime;
use crate::chat::{Answer, GenerationParams, Message, Reply, Request, Role};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::git::StateDir;
use crate::provider::{Failure, Provider, ProviderError, ProviderKind, Surroundings, connect, key};

pub(super) use document::{KeyDocument, key_word};
pub use failure::{failure, hint};

/// Output that the one tiny call asks for; models that reason need some of it for themselves.
const CALL_OUTPUT_TOKENS: u64 = 64;

/// Arguments of `provider`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the providers: name, kind, model, endpoint and whether a key is stored
    List,
    /// Show how a provider is configured, without its secrets
    Show(Named),
    /// Check that a provider can be reached with its key and model; without --call this costs nothing
    Test(Test),
    /// Define a provider in your global git configuration
    Add(Box<add::Args>),
    /// Take a provider out of your global git configuration
    #[command(alias = "rm")]
    Remove(remove::Args),
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The provider (default: the only one)
    #[arg(value_name = "name")]
    name: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Test {
    #[command(flatten)]
    named: Named,
    /// Send one small request, which may cost something
    #[arg(long)]
    call: bool,
}

#[derive(Debug, Serialize)]
struct TestDocument<'a> {
    name: &'a str,
    reachable: bool,
    called: bool,
    answer: Option<&'a str>,
    model: Option<&'a str>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// Runs the subcommand; works outside a repository as well.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Action::List => list(program),
        Action::Show(named) => show(named, program),
        Action::Test(test) => try_out(test, program),
        Action::Add(args) => add::run(args, program),
        Action::Remove(args) => remove::run(args, program),
    }
}

fn list(program: &mut Program) -> Result<Exit, CliError> {
    let definitions = definitions(program)?;
    let mut documents = Vec::new();
    for definition in definitions.iter() {
        documents.push(document::ListedDocument::new(
            definition,
            &key::status(definition, &program.environment)?,
        ));
    }
    if program.ui.is_json() {
        program.ui.write_json(
            "provider-list",
            &document::ListDocument {
                providers: documents,
            },
        )?;
        return Ok(Exit::Done);
    }
    for document in &documents {
        document.write(&mut program.ui)?;
    }
    if documents.is_empty() {
        program
            .ui
            .note("no provider is configured; run 'git merkle provider add -h'");
    }
    Ok(Exit::Done)
}

fn show(named: &Named, program: &mut Program) -> Result<Exit, CliError> {
    let definitions = definitions(program)?;
    let definition = chosen(&definitions, named.name.as_deref())?;
    let document =
        document::ShownDocument::new(definition, &key::status(definition, &program.environment)?);
    if program.ui.is_json() {
        program.ui.write_json("provider-show", &document)?;
    } else {
        document.write(&mut program.ui)?;
    }
    Ok(Exit::Done)
}

fn try_out(test: &Test, program: &mut Program) -> Result<Exit, CliError> {
    let definitions = definitions(program)?;
    let definition = chosen(&definitions, test.named.name.as_deref())?;
    let name = definition.name.as_str();
    let surroundings = Surroundings {
        environment: &program.environment,
        pending: &StateDir::at(Path::new("")),
        is_dry: false,
    };
    let provider = connect(definition, surroundings).map_err(|error| failure(name, error))?;
    let provider = provider.provider;
    let calls = test.call && definition.kind != ProviderKind::Manual;
    let runtime = runtime().map_err(|error| CliError::io("cannot start a task", error))?;
    let reply = if calls {
        runtime
            .block_on(call(&*provider))
            .map_err(|failed| failure(name, failed.error))?
    } else {
        runtime
            .block_on(provider.validate())
            .map_err(|error| unlisted(name, error))?;
        None
    };
    report(name, calls, reply.as_ref(), program)
}

/// The error of a check that sends no request: a server without a list of models may answer requests all the same.
fn unlisted(name: &str, error: ProviderError) -> CliError {
    let is_address = matches!(error, ProviderError::Address(_));
    let failed = failure(name, error);
    if !is_address {
        return failed;
    }
    failed
        .context("its list of models cannot be read, so nothing is checked")
        .hint(format!(
            "where it has no such list: 'git merkle provider test {name} --call' sends one small request"
        ))
}

/// One tiny question; an answer that is cut is an answer too.
async fn call(provider: &dyn Provider) -> Result<Option<Reply>, Failure> {
    let messages = vec![Message::new(Role::User, "Answer with the word: ok")];
    let params = GenerationParams {
        max_output_tokens: Some(CALL_OUTPUT_TOKENS),
        ..GenerationParams::default()
    };
    let request = Request {
        messages,
        params,
        ..Request::default()
    };
    match provider.complete(&request, &mut |_| ()).await {
        Ok(Answer::Ready(reply)) => Ok(Some(reply)),
        Ok(Answer::Pending(_))
        | Err(Failure {
            error: ProviderError::Truncated,
            ..
        }) => Ok(None),
        Err(failed) => Err(failed),
    }
}

fn report(
    name: &str,
    called: bool,
    reply: Option<&Reply>,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let usage = reply.and_then(|reply| reply.usage);
    if program.ui.is_json() {
        let document = TestDocument {
            name,
            reachable: true,
            called,
            answer: reply.map(|reply| reply.text.trim()),
            model: reply.and_then(|reply| reply.model.as_deref()),
            input_tokens: usage.map(|usage| usage.input),
            output_tokens: usage.map(|usage| usage.output),
        };
        program.ui.write_json("provider-test", &document)?;
        return Ok(Exit::Done);
    }
    match reply {
        Some(reply) => {
            let text = document::line(reply.text.trim());
            let model = document::line(reply.model.as_deref().unwrap_or("a model without a name"));
            writeln!(program.ui, "'{name}' answers: {text}")?;
            writeln!(program.ui, "model: {model}")?;
            if let Some(usage) = usage {
                writeln!(
                    program.ui,
                    "tokens: {} in, {} out",
                    usage.input, usage.output
                )?;
            }
        }
        None if called => writeln!(
            program.ui,
            "'{name}' answers, at more length than it was given"
        )?,
        None => writeln!(program.ui, "'{name}' can be asked; nothing was spent")?,
    }
    Ok(Exit::Done)
}

//! `git merkle worker`: answers requests that come through a queue, with a provider of this machine.

use serde::Serialize;

use super::provider::configured::{chosen, stack};
use super::provider::failure;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::ops::asking::default_provider_of;
use crate::ops::queue::{self, WorkError, WorkerOptions};
use crate::provider::Definitions;
use crate::provider::queue::{QueueAddressError, QueueError, worker};

/// Arguments of `worker`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The NATS server with the requests, such as tls://queue.example:4222 [default: merkle.queue]
    #[arg(long, value_name = "address")]
    queue: Option<String>,
    /// The provider that answers; its model is the one that requests are taken for (default: merkle.defaultProvider, then the
    /// only one)
    #[arg(long, value_name = "provider")]
    provider: Option<String>,
    /// Requests to answer at once (default: the provider's concurrency)
    #[arg(long, value_name = "number", value_parser = clap::value_parser!(u16).range(1..=256))]
    at_once: Option<u16>,
    /// End once no request is left
    #[arg(long)]
    drain: bool,
    /// The name of this worker in reports (default: the machine's, and the process id)
    #[arg(long, value_name = "name", value_parser = parse_name, hide_short_help = true)]
    name: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    name: &'a str,
    answered: u64,
    failed: u64,
}

/// Works until Ctrl-C, or until nothing is left; outside of a repository as well.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let stack = stack(program)?;
    let address = queue::address(&stack, args.queue.as_deref())?;
    let address = address.ok_or_else(no_queue)?;
    let definitions = Definitions::load(&stack)?;
    let named = args.provider.as_deref().or(default_provider_of(&stack));
    let definition = chosen(&definitions, named)?;
    let options = WorkerOptions {
        name: args.name.clone().unwrap_or_else(worker::own_name),
        at_once: args.at_once.map(usize::from),
        drains: args.drain,
    };
    let of = definition
        .model()
        .map_or_else(|| "no model".to_owned(), |model| format!("model '{model}'"));
    program.ui.note(&format!(
        "worker '{}' answers requests for {of} from {} with '{}'; Ctrl-C ends it",
        options.name,
        address.as_text(),
        definition.name
    ));
    let terms = queue::terms(&stack, address, &program.environment)
        .map_err(|error| CliError::from_source(Exit::Config, error))?;
    let report = queue::work(definition, terms, &options, &program.environment);
    let report = report.map_err(|error| match error {
        WorkError::Provider(inner) => failure(&definition.name, inner),
        WorkError::Queue(inner) => inner.into(),
        WorkError::Io(inner) => CliError::io("cannot wait for requests", inner),
    })?;
    let document = Document {
        name: &options.name,
        answered: report.answered,
        failed: report.failed,
    };
    if program.ui.is_json() {
        program.ui.write_json("worker", &document)?;
    } else {
        writeln!(
            program.ui,
            "worker '{}': {} answered, {} failed",
            document.name, document.answered, document.failed
        )?;
    }
    Ok(Exit::Done)
}

/// The error where no queue is named.
pub(super) fn no_queue() -> CliError {
    CliError::new(Exit::Config, "no queue is named")
        .hint("name one with --queue <address>, or 'git config --global merkle.queue <address>'")
}

fn parse_name(text: &str) -> Result<String, String> {
    if worker::is_name(text) {
        return Ok(text.to_owned());
    }
    Err("a name is made of a-z, A-Z, 0-9, '-' and '_', at most 64".to_owned())
}

impl From<QueueAddressError> for CliError {
    fn from(error: QueueAddressError) -> Self {
        Self::new(Exit::Config, format!("bad address of a queue: {error}"))
    }
}

impl From<QueueError> for CliError {
    fn from(error: QueueError) -> Self {
        let exit = match &error {
            QueueError::Busy => Exit::Busy,
            QueueError::Person(_) => Exit::Config,
            _ => Exit::Unavailable,
        };
        Self::from_source(exit, error)
    }
}

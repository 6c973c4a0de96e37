//! The queue that the user has named, and a worker of it.

use std::path::Path;
use std::sync::Arc;

use crate::base::runtime;
use crate::config::{Environment, Stack, ValueError, table};
use crate::git::StateDir;
use crate::provider::queue::worker::{self, WorkerReport, WorkerTerms};
use crate::provider::queue::{QueueAddress, QueueAddressError, QueueError, QueueTerms};
use crate::provider::{Definition, Provider, ProviderError, ProviderKind, Surroundings, connect};
use crate::regen::signals;

/// The address that was given, else the one of the settings; `None` where there is none.
pub fn address(
    stack: &Stack,
    given: Option<&str>,
) -> Result<Option<QueueAddress>, QueueAddressError> {
    let text = given.or(stack.text(&table::QUEUE));
    let text = text.filter(|text| !text.is_empty());
    text.map(QueueAddress::parse).transpose()
}

/// What a queue is used with. Reaches nothing but the user's credential helper.
pub fn terms(
    stack: &Stack,
    address: QueueAddress,
    environment: &Environment,
) -> Result<QueueTerms, ValueError> {
    Ok(QueueTerms {
        key: address.key(environment),
        wait: stack.duration(&table::QUEUE_WAIT)?.unwrap_or_default(),
        address,
    })
}

/// How a worker works.
pub struct WorkerOptions {
    /// How it is called.
    pub name: String,
    /// Requests at once.
    pub at_once: Option<usize>,
    /// True when it ends once nothing is left to do.
    pub drains: bool,
}

/// Why a worker does not work.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// Its provider cannot be used.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The queue cannot be used, or the provider has given up.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The system does not let it work.
    #[error("cannot wait for requests")]
    Io(#[from] std::io::Error),
}

/// Answers requests with a provider until it is told to end, or nothing is left to do for one that drains.
pub fn work(
    definition: &Definition,
    queue: QueueTerms,
    options: &WorkerOptions,
    environment: &Environment,
) -> Result<WorkerReport, WorkError> {
    if definition.kind == ProviderKind::Manual {
        return Err(QueueError::Person(definition.name.clone()).into());
    }
    let surroundings = Surroundings {
        environment,
        pending: &StateDir::at(Path::new("")),
        is_dry: false,
    };
    let provider: Arc<dyn Provider> = connect(definition, surroundings)?.provider;
    let mut limits = definition.limits;
    limits.concurrency = options.at_once.unwrap_or(limits.concurrency);
    let terms = WorkerTerms {
        queue,
        name: options.name.clone(),
        limits,
        drains: options.drains,
    };
    let runtime = runtime()?;
    let mut stop = signals::listen()?;
    let report = runtime.block_on(worker::run(&*provider, &terms, &mut stop));
    runtime.shutdown_background();
    Ok(report?)
}

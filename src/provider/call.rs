//! One answer, whatever it takes: limits are waited for, each attempt is booked before it is sent, failures that pass
//! are tried again.
//!
//! This is the only place from which a provider is asked on somebody's budget.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::ask::{Provider, TextSink};
use super::error::{Charge, Failure, ProviderError};
use super::ledger::{Ledger, LedgerError, Reservation, Spend};
use super::limit::{Gate, Settled};
use super::price::Prices;
use super::retry;
use crate::base::clock;
use crate::chat::{Answer, Capabilities, Reply, Request, Ticket, Usage};

/// Output tokens that an attempt may take when neither request nor provider gives a limit.
pub const OUTPUT_TOKENS_DEFAULT: u64 = 8_192;

/// A provider with its prices, its limits, and the ledger that pays for it.
pub struct Caller {
    /// The name under which it is configured.
    pub name: String,
    provider: Arc<dyn Provider>,
    prices: Option<Prices>,
    gate: Gate,
    ledger: Arc<Mutex<Ledger>>,
    /// What the ledger said last: it is locked while it waits for the disk or another process, and this is not.
    spent: Arc<Mutex<Spend>>,
}

/// An answer, and what all attempts for it took.
#[derive(Debug, Clone)]
pub struct Called {
    /// The answer.
    pub reply: Reply,
    /// What the answer itself cost; `None` when no price is known or the provider counts nothing.
    pub nano_dollars: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The last attempt failed, and another one would be no use.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// Nothing may be sent.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The answer comes later.
    #[error("the answer comes later: {}", .0.0)]
    Pending(Ticket),
    /// Nothing new was to be sent any more, and no attempt was under way.
    #[error("the run was stopped before it was asked")]
    Stopped,
}

/// Says whether anything new may be sent: true from the moment on when a run ends.
pub type StopSign = watch::Receiver<bool>;

/// Hears of attempts that failed and are made again: why, and after how long.
pub type RetrySink<'a> = &'a mut (dyn FnMut(&ProviderError, Duration) + Send);

impl Caller {
    /// Puts the parts together.
    #[must_use]
    pub fn new(name: String, provider: Arc<dyn Provider>, prices: Option<Prices>, gate: Gate, ledger: Ledger) -> Self {
        let spent = Arc::new(Mutex::new(ledger.spent()));
        Self { name, provider, prices, gate, ledger: Arc::new(Mutex::new(ledger)), spent }
    }

    /// What the provider can do.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        self.provider.capabilities()
    }

    /// What was spent through this caller, calls in flight included.
    #[must_use]
    pub fn spent(&self) -> Spend {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`Ledger::limit_unasked`].
    pub fn limit_unasked(&self, nano_dollars: u64) {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).limit_unasked(nano_dollars);
    }

    /// What tokens cost; `None` when no price is known.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<u64> {
        self.prices.as_ref().map(|prices| prices.cost(usage))
    }

    /// The most that one attempt of a request can take.
    #[must_use]
    pub fn worst_case(&self, request: &Request) -> Spend {
        let (input, output) = (request.input_tokens_max(), self.output_tokens_max(request));
        let nano_dollars = self.prices.as_ref().map(|prices| prices.cost_max(input, output));
        Spend { calls: 1, tokens: input.saturating_add(output), nano_dollars }
    }

    fn output_tokens_max(&self, request: &Request) -> u64 {
        request.params.max_output_tokens.or(self.capabilities().output_tokens).unwrap_or(OUTPUT_TOKENS_DEFAULT)
    }

    /// Asks until there is an answer, or no use in asking again, or `stop` says so between two attempts.
    pub async fn call(
        &self,
        request: &Request,
        on_text: TextSink<'_>,
        on_retry: RetrySink<'_>,
        stop: &mut StopSign,
    ) -> Result<Called, CallError> {
        let worst = self.worst_case(request);
        let tokens = request.tokens_estimated().saturating_add(self.output_tokens_max(request));
        let mut attempt = 1;
        loop {
            let leave = unless(stop, self.gate.acquire(tokens)).await?;
            let reservation = self.reserve(worst).await?;
            let outcome = match self.provider.complete(request, on_text).await {
                // Somebody may have answered since the same was asked before.
                Ok(Answer::Pending(ticket)) => self.provider.collect(&ticket).await,
                outcome => outcome,
            };
            let took = match &outcome {
                Ok(Answer::Ready(reply)) => reply.usage.map(|usage| self.took(&usage)),
                Ok(Answer::Pending(_)) => Some(Spend::default()),
                Err(failure) => match failure.charge {
                    // An attempt all the same: whoever limits calls limits those that are turned away as well.
                    Charge::Nothing => Some(Spend { calls: 1, ..Spend::default() }),
                    Charge::Usage(usage) => Some(self.took(&usage)),
                    Charge::Unknown => None,
                },
            };
            // What nobody knows is charged in full. So is what cannot be booked, and that is no reason to lose an answer
            // that was paid for: the next reservation says what is wrong with the ledger.
            let _ = self.settle(reservation, took.unwrap_or(worst)).await;
            leave.settle(settled(&outcome));
            let failure = match outcome {
                Ok(Answer::Ready(reply)) => {
                    let nano_dollars = took.and_then(|took| took.nano_dollars);
                    return Ok(Called { reply, nano_dollars });
                }
                Ok(Answer::Pending(ticket)) => return Err(CallError::Pending(ticket)),
                Err(failure) => failure,
            };
            let Some(pause) = retry::pause(&failure.error, attempt, failure.answered_in_part, uneven()) else {
                return Err(failure.error.into());
            };
            on_retry(&failure.error, pause);
            unless(stop, tokio::time::sleep(pause)).await?;
            attempt += 1;
        }
    }

    fn took(&self, usage: &Usage) -> Spend {
        let nano_dollars = self.prices.as_ref().map(|prices| prices.cost(usage));
        Spend { calls: 1, tokens: usage.input.saturating_add(usage.output), nano_dollars }
    }

    /// The ledger flushes to the disk, so it is written away from the thread on which answers come in.
    async fn reserve(&self, worst: Spend) -> Result<Reservation, LedgerError> {
        self.booked(move |ledger| ledger.reserve(worst)).await
    }

    async fn settle(&self, reservation: Reservation, took: Spend) -> Result<(), LedgerError> {
        self.booked(move |ledger| ledger.settle(reservation, took)).await
    }

    async fn booked<T: Send + 'static>(&self, book: impl FnOnce(&mut Ledger) -> T + Send + 'static) -> T {
        let (ledger, spent) = (self.ledger.clone(), self.spent.clone());
        let run = move || {
            let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
            let booked = book(&mut ledger);
            *spent.lock().unwrap_or_else(PoisonError::into_inner) = ledger.spent();
            booked
        };
        tokio::task::spawn_blocking(run).await.expect("booking does not panic")
    }
}

/// Waits for something, unless nothing new may be sent any more.
async fn unless<T>(stop: &mut StopSign, waited: impl Future<Output = T>) -> Result<T, CallError> {
    tokio::select! {
        biased;
        Ok(_) = stop.wait_for(|is_stopped| *is_stopped) => Err(CallError::Stopped),
        done = waited => Ok(done),
    }
}

/// What an outcome says about the provider's limits.
fn settled(outcome: &Result<Answer, Failure>) -> Settled {
    match outcome {
        Ok(_) => Settled::Answered,
        Err(Failure { error: ProviderError::RateLimited { retry_after }, .. }) => Settled::RateLimited(*retry_after),
        Err(_) => Settled::Failed,
    }
}

/// A number from 0 up to 1 that is another one each time: retries of many processes must not fall together.
fn uneven() -> f64 {
    (clock::nanos() % 1_000) as f64 / 1_000.0
}

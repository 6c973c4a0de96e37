//! One answer, whatever it takes: limits are waited for, each attempt is booked before it is sent, failures that pass
//! are tried again.
//!
//! This is the only place that sends requests to a provider on the user's budget. What a failed attempt leads to:
//!
//! | failure | next |
//! |---|---|
//! | rate limit, outage, silence before an answer | the same again after a pause, at most three times |
//! | a connection ends before an answer begins | the same, and alone from then on |
//! | an answer breaks off | the same once more, alone |
//! | a stream without any event | the same once more, at once instead of piece by piece: servers then say what is wrong |
//! | too long, with numbers | once more with less output, if that is all it takes |
//!
//! An attempt is booked with what the provider counts. Where it counts nothing, or what cannot be, our own count of what
//! went out and came in is booked, and called an estimate; only where that is not known either the worst case stays.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use super::ask::{Provider, TextSink};
use super::batch::BatchOutcome;
use super::error::{Charge, Failure, ProviderError};
use super::ledger::{Ledger, LedgerError, Reservation, Spend};
use super::length::Lengths;
use super::limit::{Company, Gate, Settled};
use super::price::Prices;
use super::retry;
use super::worst_case::{is_possible, output_tokens_max, worst_case};
use crate::base::{clock, locked, token};
use crate::chat::{Answer, Capabilities, Reply, Request, Ticket, Usage};

/// A provider that counts less than this share of what we count does not count what it charges for.
const TOLD_SHARE_MIN: u64 = 16;
/// The least output that is worth another attempt.
const OUTPUT_TOKENS_MIN: u64 = 64;
/// What is left free of a window between input and output.
const WINDOW_TOKENS_FREE: u64 = 16;
/// From this many tokens on, a model's own count says how its tokens compare with ours.
const COMPARED_TOKENS_MIN: u64 = 200;

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
    /// What was found out while asking.
    learned: Mutex<Learned>,
}

/// An answer, and what it took.
#[derive(Debug, Clone)]
pub struct Called {
    /// The answer. Its usage is the provider's own count; `None` when it has none that can be.
    pub reply: Reply,
    /// What it took, by the provider's count or else by ours.
    pub usage: Usage,
    /// True when the provider counts nothing, and usage and cost are our own.
    pub is_estimated: bool,
    /// What the answer itself cost; `None` when no price is known.
    pub nano_dollars: Option<u64>,
}

impl Called {
    /// What it cost, where that is no estimate: counted by the provider, or free.
    #[must_use]
    pub fn cost_told(&self) -> Option<u64> {
        self.nano_dollars
            .filter(|nano| !self.is_estimated || *nano == 0)
    }
}

/// Tokens of all attempts that are settled, and how many of those were counted by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Tokens, of answers and of what was charged without one.
    pub usage: Usage,
    /// Attempts whose tokens are our own count.
    pub estimated: u64,
}

/// What was found out about a provider from its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Learned {
    /// See [`Tally`].
    pub tally: Tally,
    /// The window, as a refusal names it.
    pub window: Option<u64>,
    /// The most output, as a refusal names it.
    pub output: Option<u64>,
    /// Tokens that the model makes of a hundred of ours.
    pub tokens_percent: Option<u64>,
}

/// What an attempt is settled with.
#[derive(Debug, Clone, Copy)]
struct Took {
    usage: Usage,
    is_estimated: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The last attempt failed, and another one would be no use.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The answer was cut at the limit of output tokens.
    #[error("the answer was cut at the limit of {limit} output tokens")]
    Cut {
        /// What had come, with what it took.
        partial: Box<Called>,
        /// The limit.
        limit: u64,
    },
    /// Nothing may be sent.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// An attempt failed, and the budget does not cover another one.
    #[error("{failure}; {budget}")]
    Unpaid {
        /// Why the last attempt failed.
        failure: ProviderError,
        /// Which limit.
        budget: LedgerError,
    },
    /// It was part of a batch, and was not run: why not.
    #[error("it was not run: {0}; the next run sends it again")]
    NotRun(String),
    /// It was part of a batch, and the provider finds fault with the request itself.
    #[error("the provider does not take it: {0}")]
    Invalid(String),
    /// The answer comes later.
    #[error("the answer comes later: {}", .0.0)]
    Pending(Ticket),
    /// Nothing new was to be sent any more, and no attempt was under way.
    #[error("the run was stopped before the request was sent")]
    Stopped,
}

/// Says whether anything new may be sent: true from the moment on when a run ends.
pub type StopSign = watch::Receiver<bool>;

/// Hears of attempts that failed and are made again: why, and after how long.
pub type RetrySink<'a> = &'a mut (dyn FnMut(&ProviderError, Duration) + Send);

impl Caller {
    /// Puts the parts together.
    #[must_use]
    pub fn new(
        name: String,
        provider: Arc<dyn Provider>,
        prices: Option<Prices>,
        gate: Gate,
        ledger: Ledger,
    ) -> Self {
        let spent = Arc::new(Mutex::new(ledger.spent()));
        Self {
            name,
            provider,
            prices,
            gate,
            ledger: Arc::new(Mutex::new(ledger)),
            spent,
            learned: Mutex::default(),
        }
    }

    /// What was found out so far.
    #[must_use]
    pub fn learned(&self) -> Learned {
        *locked(&self.learned)
    }

    /// How many answers may be owed at once for the rest of the run, when that came down by itself.
    #[must_use]
    pub fn concurrency_lowered(&self) -> Option<usize> {
        self.gate.lowered()
    }

    /// What the provider can do.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        self.provider.capabilities()
    }

    /// See [`Provider::open`].
    pub async fn open(&self) -> Result<(), ProviderError> {
        self.provider.open().await
    }

    /// See [`Provider::halt`].
    pub fn halt(&self) {
        self.provider.halt();
    }

    /// See [`Provider::close`].
    pub async fn close(&self) -> Vec<String> {
        let closed = self.provider.close().await;
        closed.unwrap_or_else(|error| vec![error.to_string()])
    }

    /// What was spent through this caller, calls in flight included.
    #[must_use]
    pub fn spent(&self) -> Spend {
        *locked(&self.spent)
    }

    /// See [`Ledger::limit_unasked`].
    pub fn limit_unasked(&self, nano_dollars: u64) {
        locked(&self.ledger).limit_unasked(nano_dollars);
    }

    /// See [`Ledger::limit_passed_by`].
    #[must_use]
    pub fn limit_passed_by(&self, spend: &Spend) -> Option<String> {
        let ledger = locked(&self.ledger);
        ledger.limit_passed_by(spend)
    }

    /// What tokens cost; `None` when no price is known.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<u64> {
        self.prices.as_ref().map(|prices| prices.cost(usage))
    }

    /// The most that one attempt of a request can take.
    #[must_use]
    pub fn worst_case(&self, request: &Request) -> Spend {
        worst_case(
            request,
            self.output_tokens_max(request),
            self.prices.as_ref(),
        )
    }

    fn output_tokens_max(&self, request: &Request) -> u64 {
        output_tokens_max(request, self.capabilities())
    }

    /// Asks until there is an answer, or no use in asking again, or `stop` says so between two attempts.
    pub async fn call(
        &self,
        request: &Request,
        on_text: TextSink<'_>,
        on_retry: RetrySink<'_>,
        stop: &mut StopSign,
    ) -> Result<Called, CallError> {
        let mut next = Next {
            request: request.clone(),
            company: Company::Any,
            attempt: 1,
            is_shortened: false,
        };
        let mut failed = None;
        loop {
            let attempt = self.attempt(&next, on_text, stop).await;
            let (outcome, took) = attempt.map_err(|error| unpaid(error, failed))?;
            let failure = match outcome {
                Ok(Answer::Ready(reply)) => return Ok(self.called(reply, took)),
                Ok(Answer::Pending(ticket)) => return Err(CallError::Pending(ticket)),
                Err(Failure {
                    error: ProviderError::Truncated,
                    partial: Some(reply),
                    ..
                }) => {
                    let (partial, limit) = (
                        Box::new(self.called(*reply, took)),
                        self.output_tokens_max(&next.request),
                    );
                    return Err(CallError::Cut { partial, limit });
                }
                Err(failure) => failure,
            };
            let Some(pause) = self.again(&mut next, &failure) else {
                return Err(failure.error.into());
            };
            on_retry(&failure.error, pause);
            unless(stop, tokio::time::sleep(pause)).await?;
            failed = Some(failure.error);
        }
    }

    /// Reserves the worst case of a batch under its name; see [`Ledger::promise`].
    pub(super) async fn promise(&self, name: &str, worst: Spend) -> Result<(), LedgerError> {
        let name = name.to_owned();
        self.booked(move |ledger| ledger.promise(&name, worst))
            .await
    }

    /// Books what a batch took; see [`Ledger::settle_promise`].
    pub(super) async fn settle_promise(&self, name: &str, took: Spend) -> Result<(), LedgerError> {
        let name = name.to_owned();
        self.booked(move |ledger| ledger.settle_promise(&name, took))
            .await
    }

    /// The answer to a request that went out in a batch, or why there is none. What it cost was booked with the batch.
    pub fn collected(
        &self,
        request: &Request,
        outcome: BatchOutcome,
        prices: Option<&Prices>,
    ) -> Result<Called, CallError> {
        let outcome = match outcome {
            BatchOutcome::Run(outcome) => outcome,
            BatchOutcome::NotRun(why) => return Err(CallError::NotRun(why)),
            BatchOutcome::Invalid(why) => return Err(CallError::Invalid(why)),
        };
        let took = self.took(request, &outcome);
        self.learn(request, &outcome, took);
        let called = |reply| {
            let called = self.called(reply, took);
            let nano_dollars = prices.map(|prices| prices.cost(&called.usage));
            Called {
                nano_dollars,
                ..called
            }
        };
        match outcome {
            Ok(Answer::Ready(reply)) => Ok(called(reply)),
            Ok(Answer::Pending(ticket)) => Err(CallError::Pending(ticket)),
            Err(Failure {
                error: ProviderError::Truncated,
                partial: Some(reply),
                ..
            }) => Err(CallError::Cut {
                partial: Box::new(called(*reply)),
                limit: self.output_tokens_max(request),
            }),
            Err(failure) => Err(failure.error.into()),
        }
    }

    /// One attempt, booked and settled.
    async fn attempt(
        &self,
        next: &Next,
        on_text: TextSink<'_>,
        stop: &mut StopSign,
    ) -> Result<(Result<Answer, Failure>, Option<Took>), CallError> {
        let request = &next.request;
        let worst = self.worst_case(request);
        let tokens = request
            .tokens_estimated()
            .saturating_add(self.output_tokens_max(request));
        let leave = unless(stop, self.gate.acquire(tokens, next.company)).await?;
        let reservation = self.reserve(worst).await?;
        let outcome = match self.provider.complete(request, on_text).await {
            // The answer may have been written since the same was requested before.
            Ok(Answer::Pending(ticket)) => self.provider.collect(&ticket).await,
            outcome => outcome,
        };
        let took = self.took(request, &outcome);
        let spent = match (&outcome, took) {
            (Ok(Answer::Pending(_)), _) => Spend::default(),
            // An attempt all the same: a limit on calls counts those that are turned away as well.
            (
                Err(Failure {
                    charge: Charge::Nothing,
                    ..
                }),
                _,
            ) => Spend {
                calls: 1,
                ..Spend::default()
            },
            (_, Some(took)) => self.spend(&took.usage),
            // What neither side has counted is charged in full.
            (_, None) => worst,
        };
        // What cannot be booked stays charged in full too, and that is no reason to lose an answer that was paid for: the
        // next reservation says what is wrong with the ledger.
        let _ = self.settle(reservation, spent).await;
        leave.settle(settled(&outcome));
        self.learn(request, &outcome, took);
        Ok((outcome, took))
    }

    /// What an attempt took: by the provider's count if it can be, else by ours; `None` when neither is known.
    fn took(&self, request: &Request, outcome: &Result<Answer, Failure>) -> Option<Took> {
        let (told, text) = match outcome {
            Ok(Answer::Ready(reply)) => (reply.usage, reply.text.as_str()),
            Ok(Answer::Pending(_)) => return None,
            Err(failure) => match (&failure.partial, failure.charge) {
                (Some(partial), _) => (partial.usage, partial.text.as_str()),
                (None, Charge::Usage(usage)) => (Some(usage), ""),
                (None, Charge::Nothing | Charge::Unknown) => return None,
            },
        };
        let counted = self.counted(request, text);
        let enough = |told: u64, counted: u64| told.saturating_mul(TOLD_SHARE_MIN) >= counted;
        // What was set aside for the request, where the provider's count is beyond all reason.
        let most = Usage {
            input: request.input_tokens_max(),
            output: self.output_tokens_max(request),
            ..Usage::default()
        };
        let is_far_off = |told: &Usage| !is_possible(told, most.tokens());
        let counted = if told.as_ref().is_some_and(is_far_off) {
            most
        } else {
            counted
        };
        let believed = told.filter(|told| {
            !is_far_off(told)
                && enough(told.input, counted.input)
                && enough(told.output, counted.output)
        });
        Some(Took {
            usage: believed.unwrap_or(counted),
            is_estimated: believed.is_none(),
        })
    }

    /// Our own count of what went out and came in.
    fn counted(&self, request: &Request, text: &str) -> Usage {
        let percent = self
            .learned()
            .tokens_percent
            .unwrap_or(self.capabilities().tokens_percent);
        let of_model = |tokens: u64| (tokens.saturating_mul(percent)).div_ceil(100);
        let (input, output) = (
            of_model(request.tokens_estimated()),
            of_model(token::estimate(text)),
        );
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    fn called(&self, reply: Reply, took: Option<Took>) -> Called {
        let took = took.expect("an answer is counted by one of the two sides");
        let reply = Reply {
            usage: (!took.is_estimated).then_some(took.usage),
            ..reply
        };
        Called {
            reply,
            usage: took.usage,
            is_estimated: took.is_estimated,
            nano_dollars: self.spend(&took.usage).nano_dollars,
        }
    }

    /// Keeps what an outcome says of all further ones.
    fn learn(&self, request: &Request, outcome: &Result<Answer, Failure>, took: Option<Took>) {
        let mut learned = locked(&self.learned);
        if let Some(Took {
            usage,
            is_estimated,
        }) = took
        {
            learned.tally.usage += usage;
            learned.tally.estimated += u64::from(is_estimated);
        }
        let Err(Failure {
            error: ProviderError::ContextTooLong { lengths, .. },
            ..
        }) = outcome
        else {
            return;
        };
        let least =
            |known: Option<u64>, told: Option<u64>| [known, told].into_iter().flatten().min();
        learned.window = least(learned.window, lengths.window);
        learned.output = least(learned.output, lengths.output);
        let estimated = request.tokens_estimated();
        if let Some(input) = lengths.input.filter(|_| estimated >= COMPARED_TOKENS_MIN) {
            // No tokenizer makes less than half, or more than four times, of what another makes of the same text.
            let percent = (input.saturating_mul(100))
                .div_ceil(estimated)
                .clamp(50, 400);
            learned.tokens_percent = Some(learned.tokens_percent.unwrap_or(0).max(percent));
        }
    }

    /// Prepares another attempt, and says after how long; `None` when there is to be none.
    fn again(&self, next: &mut Next, failure: &Failure) -> Option<Duration> {
        if failure.error == ProviderError::BrokenOff {
            let was_alone = std::mem::replace(&mut next.company, Company::Alone) == Company::Alone;
            return (!was_alone).then_some(Duration::ZERO);
        }
        if is_lost(failure) {
            next.company = Company::Alone;
        }
        if failure.error == ProviderError::NoEvent && !next.request.at_once {
            next.request.at_once = true;
            return Some(Duration::ZERO);
        }
        if let ProviderError::ContextTooLong { lengths, .. } = &failure.error {
            return (!next.is_shortened && self.shorten(next, lengths)).then_some(Duration::ZERO);
        }
        let pause = retry::pause(
            &failure.error,
            next.attempt,
            failure.answered_in_part,
            clock::random_part(),
        );
        next.attempt += 1;
        pause
    }

    /// Asks for less output; false when that would not help, or leave nothing worth a request.
    fn shorten(&self, next: &mut Next, lengths: &Lengths) -> bool {
        let asked = self.output_tokens_max(&next.request);
        let input = lengths
            .input
            .unwrap_or_else(|| self.counted(&next.request, "").input);
        // A quarter of a window is an answer's share where the user has not said what it is.
        let room = lengths.window.map(|window| {
            window
                .saturating_sub(input + WINDOW_TOKENS_FREE)
                .min(window / 4)
        });
        let most = [room, lengths.output].into_iter().flatten().min();
        let Some(most) = most.filter(|most| (OUTPUT_TOKENS_MIN..asked).contains(most)) else {
            return false;
        };
        next.request.params.max_output_tokens = Some(most);
        next.is_shortened = true;
        true
    }

    fn spend(&self, usage: &Usage) -> Spend {
        let nano_dollars = self.prices.as_ref().map(|prices| prices.cost(usage));
        Spend {
            calls: 1,
            tokens: usage.tokens(),
            nano_dollars,
        }
    }

    /// The ledger flushes to the disk, so it is written away from the thread on which answers come in.
    async fn reserve(&self, worst: Spend) -> Result<Reservation, LedgerError> {
        self.booked(move |ledger| ledger.reserve(worst)).await
    }

    async fn settle(&self, reservation: Reservation, took: Spend) -> Result<(), LedgerError> {
        self.booked(move |ledger| ledger.settle(reservation, took))
            .await
    }

    async fn booked<T: Send + 'static>(
        &self,
        book: impl FnOnce(&mut Ledger) -> T + Send + 'static,
    ) -> T {
        let (ledger, spent) = (self.ledger.clone(), self.spent.clone());
        let run = move || {
            let mut ledger = locked(&ledger);
            let booked = book(&mut ledger);
            *locked(&spent) = ledger.spent();
            booked
        };
        tokio::task::spawn_blocking(run)
            .await
            .expect("booking does not panic")
    }
}

/// Names the failure before a budget that does not cover another attempt.
fn unpaid(error: CallError, failed: Option<ProviderError>) -> CallError {
    match (error, failed) {
        (CallError::Ledger(budget @ LedgerError::Exhausted { .. }), Some(failure)) => {
            CallError::Unpaid { failure, budget }
        }
        (error, _) => error,
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

/// The next attempt.
struct Next {
    request: Request,
    company: Company,
    attempt: u32,
    is_shortened: bool,
}

/// True when a connection ended after the request was out and before an answer began.
fn is_lost(failure: &Failure) -> bool {
    let is_away = matches!(failure.error, ProviderError::Unavailable { .. });
    is_away && failure.charge == Charge::Unknown && !failure.answered_in_part
}

/// What an outcome says about the provider's limits.
pub(super) fn settled(outcome: &Result<Answer, Failure>) -> Settled {
    match outcome {
        Ok(_) => Settled::Answered,
        Err(Failure {
            error: ProviderError::RateLimited { retry_after },
            ..
        }) => Settled::RateLimited(*retry_after),
        Err(failure) if failure.error == ProviderError::BrokenOff || is_lost(failure) => {
            Settled::BrokenOff
        }
        Err(_) => Settled::Failed,
    }
}

//! Rate limits of one provider: concurrent requests, requests and tokens per minute.
//!
//! [`Throttle`] decides and has no clock: times go in, waits come out. The number of concurrent requests is halved when
//! the provider says that it is too much, once for each wave of requests, and grows back by one for every full wave that
//! succeeds, up to what is configured. An answer that broke off while others were awaited halves it too, and for good: such
//! servers do one thing at a time, and say so in no other way. [`Gate`] is the same for tasks that wait.

use super::retry::RETRY_AFTER_MAX;
use crate::base::locked;
use crate::base::number::{floor, to_f64, to_index};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// How long a provider's limits are for.
const MINUTE: Duration = Duration::from_mins(1);
/// The shortest pause after a rate limit that names none.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// The limits of one provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Answers owed at once, at most.
    pub concurrency: usize,
    /// Requests begun in a minute.
    pub requests_per_minute: Option<u64>,
    /// Tokens of requests begun in a minute, input and the most output.
    pub tokens_per_minute: Option<u64>,
}

/// How an answer that was owed ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It came.
    Answered,
    /// The provider said that it was too much, and perhaps for how long.
    RateLimited(Option<Duration>),
    /// It broke off, or its connection did.
    BrokenOff,
    /// Anything else.
    Failed,
}

/// Beside whom a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Beside any others.
    Any,
    /// Only while nothing else is owed.
    Alone,
}

/// Whether a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It may, and now counts; the number is to be given back.
    Go(u64),
    /// Not before so much time has passed.
    Wait(Duration),
    /// Not before an answer that is owed has come.
    Full,
}

/// The state of one provider's limits. Times count from any start, and never go back.
#[derive(Debug, Clone)]
pub struct Throttle {
    limits: Limits,
    allowed: f64,
    /// The most that `allowed` grows to.
    ceiling: f64,
    /// One goes alone: until it is back no other one goes.
    is_alone: bool,
    /// How many wait to go alone; what else wants to go waits for them.
    lone: usize,
    owed: usize,
    wave: u64,
    paused_until: Duration,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

impl Throttle {
    /// Nothing asked yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            allowed: to_f64(limits.concurrency.max(1) as u64),
            ceiling: to_f64(limits.concurrency.max(1) as u64),
            is_alone: false,
            lone: 0,
            owed: 0,
            wave: 0,
            paused_until: Duration::ZERO,
            requests: limits.requests_per_minute.map(Bucket::new),
            tokens: limits.tokens_per_minute.map(Bucket::new),
        }
    }

    /// How many answers may be owed at once at present.
    #[must_use]
    pub fn allowed(&self) -> usize {
        to_index(floor(self.allowed))
    }

    /// How many answers may be owed at once for the rest of the run, when that is fewer than configured.
    #[must_use]
    pub fn lowered(&self) -> Option<usize> {
        let ceiling = to_index(floor(self.ceiling));
        (ceiling < self.limits.concurrency).then_some(ceiling)
    }

    /// Asks for leave for a request of this many tokens.
    pub fn admit(&mut self, tokens: u64, company: Company, now: Duration) -> Admission {
        let is_full = match company {
            Company::Any => self.is_alone || self.lone > 0 || self.owed >= self.allowed(),
            Company::Alone => self.owed > 0,
        };
        if is_full {
            return Admission::Full;
        }
        let buckets = [(&mut self.requests, 1), (&mut self.tokens, tokens)];
        let mut wait = self.paused_until.saturating_sub(now);
        for (bucket, amount) in buckets {
            wait = wait.max(
                bucket
                    .as_mut()
                    .map_or(Duration::ZERO, |bucket| bucket.wait(amount, now)),
            );
        }
        if !wait.is_zero() {
            return Admission::Wait(wait);
        }
        for (bucket, amount) in [(&mut self.requests, 1), (&mut self.tokens, tokens)] {
            if let Some(bucket) = bucket {
                bucket.take(amount);
            }
        }
        self.owed += 1;
        self.is_alone = company == Company::Alone;
        Admission::Go(self.wave)
    }

    /// Gives leave back; `wave` is what [`admit`](Self::admit) gave.
    pub fn settle(&mut self, wave: u64, settled: Settled, now: Duration) {
        let had_company = self.owed > 1;
        self.owed = self.owed.saturating_sub(1);
        self.is_alone = false;
        match settled {
            Settled::Answered => {
                self.allowed = (self.allowed + 1.0 / self.allowed).min(self.ceiling);
            }
            Settled::RateLimited(pause) => {
                // A request that is to wait for longer fails, and the run with it.
                let pause = pause.unwrap_or(PAUSE_MIN).min(RETRY_AFTER_MAX);
                self.paused_until = self.paused_until.max(now + pause);
                // The others of the same wave are told the same; that is no news.
                if wave == self.wave {
                    self.wave += 1;
                    self.allowed = (self.allowed / 2.0).floor().max(1.0);
                }
            }
            Settled::BrokenOff if had_company && wave == self.wave => {
                self.wave += 1;
                self.ceiling = (self.allowed / 2.0).floor().max(1.0);
                self.allowed = self.ceiling;
            }
            Settled::BrokenOff | Settled::Failed => {}
        }
    }
}

/// An amount that fills up again over a minute.
#[derive(Debug, Clone)]
struct Bucket {
    size: f64,
    left: f64,
    seen: Duration,
}

impl Bucket {
    fn new(per_minute: u64) -> Self {
        let size = to_f64(per_minute.max(1));
        Self {
            size,
            left: size,
            seen: Duration::ZERO,
        }
    }

    /// How long until so much is there; more than fits is there as soon as it is full.
    fn wait(&mut self, amount: u64, now: Duration) -> Duration {
        let elapsed = now.saturating_sub(self.seen).as_secs_f64();
        self.left = (self.left + elapsed * self.size / MINUTE.as_secs_f64()).min(self.size);
        self.seen = self.seen.max(now);
        let lacking = to_f64(amount).min(self.size) - self.left;
        // Below a thousandth it is rounding, and would be waited for for ever.
        if lacking < 0.001 {
            Duration::ZERO
        } else {
            MINUTE.mul_f64(lacking / self.size)
        }
    }

    fn take(&mut self, amount: u64) {
        self.left -= to_f64(amount).min(self.size);
    }
}

/// The limits of one provider, for tasks that wait until they may ask.
#[derive(Debug)]
pub struct Gate {
    throttle: Mutex<Throttle>,
    start: Instant,
    opened: Notify,
}

impl Gate {
    /// Nothing asked yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            throttle: Mutex::new(Throttle::new(limits)),
            start: Instant::now(),
            opened: Notify::new(),
        }
    }

    /// Waits until a request of this many tokens may go.
    pub async fn acquire(&self, tokens: u64, company: Company) -> Leave<'_> {
        let _lone = (company == Company::Alone).then(|| Lone::new(self));
        loop {
            // Before the question, so that no opening between it and the wait is missed.
            let opened = self.opened.notified();
            let admission = self.throttle().admit(tokens, company, self.start.elapsed());
            match admission {
                Admission::Go(wave) => {
                    return Leave {
                        gate: self,
                        wave,
                        settled: Settled::Failed,
                    };
                }
                Admission::Wait(pause) => tokio::time::sleep(pause).await,
                Admission::Full => opened.await,
            }
        }
    }

    /// How many answers may be owed at once at present.
    #[must_use]
    pub fn allowed(&self) -> usize {
        self.throttle().allowed()
    }

    /// See [`Throttle::lowered`].
    #[must_use]
    pub fn lowered(&self) -> Option<usize> {
        self.throttle().lowered()
    }

    fn throttle(&self) -> MutexGuard<'_, Throttle> {
        locked(&self.throttle)
    }
}

/// Counts as one that waits to go alone, until it goes or gives up.
struct Lone<'a>(&'a Gate);

impl<'a> Lone<'a> {
    fn new(gate: &'a Gate) -> Self {
        gate.throttle().lone += 1;
        Self(gate)
    }
}

impl Drop for Lone<'_> {
    fn drop(&mut self) {
        self.0.throttle().lone -= 1;
        self.0.opened.notify_waiters();
    }
}

/// Leave for one request; dropping it without a word counts as a failure that says nothing about limits.
#[derive(Debug)]
pub struct Leave<'a> {
    gate: &'a Gate,
    wave: u64,
    settled: Settled,
}

impl Leave<'_> {
    /// Says how it ended.
    pub fn settle(mut self, settled: Settled) {
        self.settled = settled;
    }
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let now = self.gate.start.elapsed();
        self.gate.throttle().settle(self.wave, self.settled, now);
        self.gate.opened.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        concurrency: 8,
        requests_per_minute: None,
        tokens_per_minute: None,
    };
    const NOW: Duration = Duration::from_secs(1);

    fn fill(throttle: &mut Throttle, now: Duration) -> Vec<u64> {
        std::iter::from_fn(|| match throttle.admit(1, Company::Any, now) {
            Admission::Go(wave) => Some(wave),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn a_wave_that_is_too_much_is_halved_once_and_grows_back() {
        let mut throttle = Throttle::new(LIMITS);
        let waves = fill(&mut throttle, NOW);
        assert_eq!(
            (waves.len(), throttle.admit(1, Company::Any, NOW)),
            (8, Admission::Full)
        );
        for wave in waves {
            throttle.settle(
                wave,
                Settled::RateLimited(Some(Duration::from_secs(5))),
                NOW,
            );
        }
        assert_eq!(
            (throttle.allowed(), throttle.admit(1, Company::Any, NOW)),
            (4, Admission::Wait(Duration::from_secs(5)))
        );
        let later = NOW + Duration::from_secs(5);
        for _ in 0..20 {
            let waves = fill(&mut throttle, later);
            for wave in waves {
                throttle.settle(wave, Settled::Answered, later);
            }
        }
        assert_eq!(throttle.allowed(), 8);
    }

    /// A server that does one thing at a time breaks off all but the last: sent fewer and fewer, it answers.
    #[test]
    fn what_breaks_off_in_company_lowers_the_number_for_good() {
        let mut throttle = Throttle::new(LIMITS);
        for expected in [4, 2, 1] {
            for wave in fill(&mut throttle, NOW) {
                throttle.settle(wave, Settled::BrokenOff, NOW);
            }
            assert_eq!(
                (throttle.allowed(), throttle.lowered()),
                (expected, Some(expected))
            );
        }
        for _ in 0..20 {
            let waves = fill(&mut throttle, NOW);
            assert_eq!(waves.len(), 1);
            for wave in waves {
                throttle.settle(wave, Settled::Answered, NOW);
            }
        }
        let mut throttle = Throttle::new(LIMITS);
        let Admission::Go(wave) = throttle.admit(1, Company::Any, NOW) else {
            panic!("free")
        };
        throttle.settle(wave, Settled::BrokenOff, NOW);
        assert_eq!(
            (throttle.allowed(), throttle.lowered()),
            (8, None),
            "alone it was not for the others' sake"
        );
    }

    #[tokio::test]
    async fn who_goes_alone_waits_for_all_and_is_waited_for() {
        let gate = Gate::new(LIMITS);
        let first = gate.acquire(1, Company::Any).await;
        let mut alone = std::pin::pin!(gate.acquire(1, Company::Alone));
        assert!(
            tokio::time::timeout(Duration::from_millis(20), alone.as_mut())
                .await
                .is_err()
        );
        let other =
            tokio::time::timeout(Duration::from_millis(20), gate.acquire(1, Company::Any)).await;
        assert!(other.is_err(), "it goes before others");
        drop(first);
        let alone = alone.await;
        assert!(
            tokio::time::timeout(Duration::from_millis(20), gate.acquire(1, Company::Any))
                .await
                .is_err()
        );
        drop(alone);
        drop(gate.acquire(1, Company::Any).await);
        // One that gives up while it waits delays no other.
        let held = gate.acquire(1, Company::Any).await;
        assert!(
            tokio::time::timeout(Duration::from_millis(20), gate.acquire(1, Company::Alone))
                .await
                .is_err()
        );
        drop(gate.acquire(1, Company::Any).await);
        drop(held);
    }

    #[test]
    fn it_never_closes_for_ever() {
        let mut throttle = Throttle::new(LIMITS);
        for second in 0..50 {
            let now = Duration::from_secs(second * 10);
            let wave = fill(&mut throttle, now);
            assert!(!wave.is_empty());
            for wave in wave {
                throttle.settle(wave, Settled::RateLimited(None), now);
            }
        }
        assert_eq!(throttle.allowed(), 1);
    }

    #[test]
    fn a_minute_holds_so_many_requests_and_tokens() {
        let limits = Limits {
            concurrency: 100,
            requests_per_minute: Some(6),
            tokens_per_minute: Some(600),
        };
        let mut throttle = Throttle::new(limits);
        assert_eq!(fill(&mut throttle, NOW).len(), 6);
        assert_eq!(
            throttle.admit(1, Company::Any, NOW),
            Admission::Wait(Duration::from_secs(10))
        );
        assert!(matches!(
            throttle.admit(1, Company::Any, NOW + Duration::from_secs(10)),
            Admission::Go(_)
        ));
        let mut throttle = Throttle::new(Limits {
            requests_per_minute: None,
            ..limits
        });
        assert!(
            matches!(throttle.admit(10_000, Company::Any, NOW), Admission::Go(_)),
            "more than fits goes when all is there"
        );
        assert_eq!(
            throttle.admit(60, Company::Any, NOW),
            Admission::Wait(Duration::from_secs(6))
        );
    }

    #[tokio::test]
    async fn tasks_wait_for_each_other() {
        let gate = Gate::new(Limits {
            concurrency: 2,
            ..LIMITS
        });
        let (first, second) = (
            gate.acquire(1, Company::Any).await,
            gate.acquire(1, Company::Any).await,
        );
        let waiting =
            tokio::time::timeout(Duration::from_millis(20), gate.acquire(1, Company::Any)).await;
        assert!(waiting.is_err());
        drop(first);
        let third = gate.acquire(1, Company::Any).await;
        second.settle(Settled::RateLimited(Some(Duration::ZERO)));
        assert_eq!(gate.allowed(), 1);
        let (fourth, ()) = tokio::join!(gate.acquire(1, Company::Any), async {
            third.settle(Settled::Answered);
        });
        fourth.settle(Settled::Answered);
        assert_eq!(gate.allowed(), 2);
    }
}

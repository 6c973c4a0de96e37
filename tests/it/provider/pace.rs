//! Limits and retries together, as a scheduler uses them: never more at once than allowed, and everything arrives.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use git_merkle::provider::{
    Company, Failure, Gate, Limits, Provider, ProviderError, Settled, retry,
};

use super::bench::{block_on, connected, definition, request};
use crate::support::loopback::{Loopback, Scripted};

/// Asks until it is answered, as often as that is worth it; pauses are a thousandth of what they are.
async fn asked(
    provider: &dyn Provider,
    gate: &Gate,
    attempts: &AtomicUsize,
) -> Result<(), Failure> {
    let request = request();
    let mut attempt = 1;
    loop {
        let leave = gate.acquire(request.tokens_estimated(), Company::Any).await;
        attempts.fetch_add(1, Ordering::SeqCst);
        let Err(failed) = provider.complete(&request, &mut |_| ()).await else {
            leave.settle(Settled::Answered);
            return Ok(());
        };
        leave.settle(match failed.error {
            ProviderError::RateLimited { .. } => {
                Settled::RateLimited(Some(Duration::from_millis(5)))
            }
            _ => Settled::Failed,
        });
        let Some(pause) = retry::pause(&failed.error, attempt, failed.answered_in_part, 1.0) else {
            return Err(failed);
        };
        tokio::time::sleep(pause / 1_000).await;
        attempt += 1;
    }
}

fn run(
    server: &Loopback,
    limits: Limits,
    count: usize,
) -> (Vec<Result<(), Failure>>, usize, usize) {
    let provider = connected(&definition("anthropic", server, ""));
    let (gate, attempts) = (Gate::new(limits), AtomicUsize::new(0));
    let outcomes = block_on(join_all(
        (0..count).map(|_| asked(&*provider, &gate, &attempts)),
    ));
    (outcomes, attempts.into_inner(), gate.allowed())
}

const EIGHT: Limits = Limits {
    concurrency: 8,
    requests_per_minute: None,
    tokens_per_minute: None,
};

#[test]
fn no_more_is_owed_at_once_than_allowed() {
    let server = Loopback::start(|_| Scripted::answer("x").after(Duration::from_millis(20)));
    let (outcomes, attempts, allowed) = run(&server, EIGHT, 100);
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!((attempts, allowed, server.posts().len()), (100, 8, 100));
    assert!(server.in_flight_max() <= 8, "{}", server.in_flight_max());
    assert!(
        server.connections() < 50,
        "connections are used again: {}",
        server.connections()
    );
}

#[test]
fn a_provider_that_pushes_back_is_asked_less_and_answers_all() {
    let at_once = AtomicUsize::new(0);
    let server = Loopback::start(move |_| {
        let owed = at_once.fetch_add(1, Ordering::SeqCst) + 1;
        std::thread::sleep(Duration::from_millis(5));
        at_once.fetch_sub(1, Ordering::SeqCst);
        if owed > 4 {
            Scripted::rate_limited(None)
        } else {
            Scripted::answer("x")
        }
    });
    let (outcomes, attempts, _) = run(&server, EIGHT, 60);
    let lost = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    assert!(
        attempts >= 60 && lost <= 6,
        "{attempts} attempts, {lost} lost"
    );
}

#[test]
fn an_outage_ends_after_three_retries() {
    let server = Loopback::start(|_| Scripted::unavailable(503));
    let (outcomes, attempts, _) = run(&server, EIGHT, 2);
    assert!(outcomes.iter().all(Result::is_err));
    assert_eq!(attempts, 8);
}

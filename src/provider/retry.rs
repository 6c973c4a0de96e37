//! Which failures are worth another attempt, and how long to wait before it: pure.
//!
//! Rate limits, failures on the provider's side, connections that were not made, and silence are. Whatever had begun to
//! answer is not: it has been paid for, and the next attempt would be too. The pause grows twofold, is drawn from nothing
//! to its full length so that many callers do not come back together, and is never shorter than the provider asks for.

use std::time::Duration;

use super::error::ProviderError;

/// The most attempts after the first.
pub const RETRIES_MAX: u32 = 3;
/// How often a request that is lost on its way goes out, the first time included.
pub const DELIVERIES_MAX: u32 = 3;
/// The full length of the first pause.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
/// The full length of any pause.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// A provider that asks for a longer wait than this is not waited for.
pub const RETRY_AFTER_MAX: Duration = Duration::from_mins(2);

/// How long to wait before another attempt; `None` when there is to be none.
///
/// `attempt` is the number of the one that failed, from 1; `jitter` is a random number from 0 up to 1.
#[must_use]
pub fn pause(
    error: &ProviderError,
    attempt: u32,
    answered_in_part: bool,
    jitter: f64,
) -> Option<Duration> {
    if answered_in_part || attempt > RETRIES_MAX {
        return None;
    }
    let floor = match error {
        ProviderError::RateLimited { retry_after }
        | ProviderError::Unavailable { retry_after, .. } => retry_after.unwrap_or_default(),
        ProviderError::Timeout(_) => Duration::ZERO,
        ProviderError::Lost if attempt < DELIVERIES_MAX => Duration::ZERO,
        _ => return None,
    };
    if floor > RETRY_AFTER_MAX {
        return None;
    }
    let doubled = PAUSE_FIRST.saturating_mul(1 << attempt.saturating_sub(1).min(16));
    Some(floor.max(doubled.min(PAUSE_MAX).mul_f64(jitter.clamp(0.0, 1.0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::length::Lengths;

    fn unavailable(seconds: Option<u64>) -> ProviderError {
        ProviderError::Unavailable {
            reason: "x".to_owned(),
            retry_after: seconds.map(Duration::from_secs),
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let pauses: Vec<Option<u64>> = (1..=4)
            .map(|attempt| {
                pause(&unavailable(None), attempt, false, 1.0).map(|pause| pause.as_secs())
            })
            .collect();
        assert_eq!(pauses, [Some(1), Some(2), Some(4), None]);
        assert_eq!(
            pause(&unavailable(None), 1, false, 0.0),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn what_the_provider_asks_for_is_the_least() {
        let limited = |seconds| ProviderError::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(
            pause(&limited(7), 1, false, 0.5),
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            pause(&unavailable(Some(1)), 3, false, 1.0),
            Some(Duration::from_secs(4))
        );
        assert_eq!(pause(&limited(3_600), 1, false, 0.5), None);
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_nothing_that_was_answered() {
        assert!(
            pause(
                &ProviderError::Timeout(Duration::from_secs(1)),
                1,
                false,
                0.5
            )
            .is_some()
        );
        for error in [
            ProviderError::Auth("x".to_owned()),
            ProviderError::Truncated,
            ProviderError::Refused("x".to_owned()),
            ProviderError::Protocol("x".to_owned()),
            ProviderError::ContextTooLong {
                reason: "x".to_owned(),
                lengths: Lengths::default().into(),
            },
            ProviderError::BrokenOff,
            ProviderError::NoEvent,
            ProviderError::ModelNotFound {
                model: "x".to_owned(),
                available: Vec::new(),
            },
            ProviderError::NotConfigured {
                provider: "x".to_owned(),
                reason: "x".to_owned(),
            },
        ] {
            assert_eq!(pause(&error, 1, false, 0.5), None, "{error}");
        }
        assert_eq!(pause(&unavailable(None), 1, true, 0.5), None);
    }
}

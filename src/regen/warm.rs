//! Warming a provider's cache: of many requests that begin with the same long system message, the first goes alone.
//!
//! A provider can read a prefix once the first answer behind it has begun. Requests that are sent before that pay for the
//! whole prefix, each of them, so nothing else is begun until then. What is too short to be cached waits for nothing.

use tokio::sync::mpsc;

use crate::base::token;
use crate::chat::Capabilities;

/// Whether the requests of a run may go side by side already.
pub(super) struct Warmth {
    is_cold: bool,
    /// Told by the first call whose answer begins.
    begun: mpsc::UnboundedSender<()>,
}

impl Warmth {
    /// Cold when a system message is long enough to be cached; and what tells that it is warm.
    pub(super) fn new(
        system: &str,
        capabilities: &Capabilities,
    ) -> (Self, mpsc::UnboundedReceiver<()>) {
        let (begun, is_begun) = mpsc::unbounded_channel();
        let caches = capabilities.system_prompt && capabilities.cache_tokens_min > 0;
        let is_cold = caches && token::estimate(system) >= capabilities.cache_tokens_min;
        (Self { is_cold, begun }, is_begun)
    }

    /// How many calls there may be at once, up to this limit.
    pub(super) fn slots(&self, slots: usize) -> usize {
        if self.is_cold { 1 } else { slots }
    }

    /// An answer has begun, or a call has ended without one: waiting longer would gain nothing.
    pub(super) fn warm(&mut self) {
        self.is_cold = false;
    }

    /// For a call, which tells with it that its answer has begun.
    pub(super) fn begun(&self) -> Begun {
        Begun(self.is_cold.then(|| self.begun.clone()))
    }
}

/// Tells once that an answer has begun, if that is waited for.
pub(super) struct Begun(Option<mpsc::UnboundedSender<()>>);

impl Begun {
    pub(super) fn tell(&mut self) {
        if let Some(begun) = self.0.take() {
            // The receiver is dropped only after the run has ended.
            let _ = begun.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_long_enough_is_waited_for() {
        let slots = |system: &str, tokens_min: u64| {
            let capabilities = Capabilities {
                cache_tokens_min: tokens_min,
                ..Capabilities::default()
            };
            let (mut warmth, _begun) = Warmth::new(system, &capabilities);
            let before = warmth.slots(8);
            warmth.warm();
            (before, warmth.slots(8))
        };
        assert_eq!(slots(&"word ".repeat(2_000), 1_024), (1, 8));
        assert_eq!(slots("word", 1_024), (8, 8));
        assert_eq!(
            slots(&"word ".repeat(2_000), 0),
            (8, 8),
            "nothing is known of a cache"
        );
    }
}

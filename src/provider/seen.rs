//! What was seen of an answer on its way, beyond what the protocol library tells: refusals, the model, the end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// One answer as it comes in.
#[derive(Debug, Default)]
pub(super) struct Seen {
    frames: AtomicU64,
    events: AtomicU64,
    texts: AtomicBool,
    refused: AtomicBool,
    /// An event that says in so many words that nothing follows: for protocols whose end the library makes up.
    done: AtomicBool,
    model: Mutex<Option<String>>,
}

impl Seen {
    /// Takes note of one event of a stream; an empty one is a comment, and says that the other side lives.
    pub(super) fn event(&self, data: &str) {
        self.frames.fetch_add(1, Ordering::Relaxed);
        if data.is_empty() {
            return;
        }
        self.events.fetch_add(1, Ordering::Relaxed);
        let wants_model = self.model().is_none() && data.contains("\"model\"");
        if !wants_model && !data.contains("\"refusal\"") && !data.contains("\"done\"") {
            return;
        }
        let Ok(event) = serde_json::from_str::<Value>(data) else { return };
        self.document(&event);
        let delta = &event["choices"][0]["delta"]["refusal"];
        self.refused.fetch_or(delta.as_str().is_some_and(|text| !text.is_empty()), Ordering::Relaxed);
        self.done.fetch_or(event["done"] == true, Ordering::Relaxed);
    }

    /// Takes note of a whole document.
    pub(super) fn document(&self, document: &Value) {
        let model = document["model"].as_str().or_else(|| document["message"]["model"].as_str());
        if let Some(model) = model.filter(|model| !model.is_empty()) {
            self.lock().get_or_insert_with(|| model.to_owned());
        }
        let refusal = document["choices"][0]["message"]["refusal"].as_str();
        self.refused.fetch_or(refusal.is_some_and(|text| !text.is_empty()), Ordering::Relaxed);
    }

    /// Takes note that words of an answer have come.
    pub(super) fn text(&self) {
        self.texts.store(true, Ordering::Relaxed);
    }

    /// How many signs of life there were.
    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// True when an event stream has come at all.
    pub(super) fn has_events(&self) -> bool {
        self.events.load(Ordering::Relaxed) > 0
    }

    /// True when words of an answer have come.
    pub(super) fn has_text(&self) -> bool {
        self.texts.load(Ordering::Relaxed)
    }

    /// True when the model declines, in the field that is made for it.
    pub(super) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// True when `done: true` has come.
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// The model, as the provider names it.
    pub(super) fn model(&self) -> Option<String> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! When frames are exchanged in the background, and what is remembered of it: derived, deletable, one sealed file in the cache.

use std::time::Duration;

use crate::base::clock;
use crate::git::StateDir;

const FILE_NAME: &str = "autosync";
const FIRST_LINE: &str = "git-merkle autosync 1";
const FILE_BYTES_MAX: u64 = 4096;
/// Longest error that is kept.
const ERROR_CHARS_MAX: usize = 500;
/// The pause doubles at most this often.
const DOUBLINGS_MAX: u32 = 8;

/// `merkle.autoSync`: what the hooks' worker exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoSync {
    /// Nothing.
    #[default]
    Off,
    /// After a pull it fetches.
    Fetch,
    /// After a push it pushes.
    Push,
    /// After either it does both.
    Both,
}

impl AutoSync {
    /// Reads the setting.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "fetch" => Some(Self::Fetch),
            "push" => Some(Self::Push),
            "both" => Some(Self::Both),
            _ => None,
        }
    }

    /// True when this is done after the event of a hook: a pull ends with a merge, a rebase or a checkout.
    #[must_use]
    pub fn is_for(self, event: &str) -> bool {
        match event {
            "post-merge" | "post-rewrite" | "post-checkout" => {
                matches!(self, Self::Fetch | Self::Both)
            }
            "pre-push" => matches!(self, Self::Push | Self::Both),
            _ => false,
        }
    }
}

/// The last exchange in the background.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Last {
    /// When it began, in seconds since 1970.
    pub seconds: u64,
    /// How many in a row have failed.
    pub failures: u32,
    /// Why it failed; empty when it did not.
    pub error: String,
}

impl Last {
    /// What is remembered; the beginning of time where nothing is.
    #[must_use]
    pub fn load(state: &StateDir) -> Self {
        Self::read(&state.cache().kept_text(FILE_NAME, FILE_BYTES_MAX)).unwrap_or_default()
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        (lines.next()? == FIRST_LINE).then_some(())?;
        let (seconds, failures) = (lines.next()?.parse().ok()?, lines.next()?.parse().ok()?);
        Some(Self {
            seconds,
            failures,
            error: lines.next()?.to_owned(),
        })
    }

    /// Takes down how it went. What cannot be kept is no fault: the next one comes sooner.
    pub fn note(&self, state: &StateDir, went: &Result<String, String>) {
        let (failures, error) = match went {
            Ok(_) => (0, ""),
            Err(error) => (self.failures.saturating_add(1), error.as_str()),
        };
        let error: String = error
            .replace('\n', " ")
            .chars()
            .take(ERROR_CHARS_MAX)
            .collect();
        let text = format!(
            "{FIRST_LINE}\n{}\n{failures}\n{error}\n",
            clock::real_seconds()
        );
        let _ = state.cache().keep(FILE_NAME, text.as_bytes());
    }

    /// True when it is time for the next one: after the interval, which doubles with each failure.
    #[must_use]
    pub fn is_past(&self, interval: Duration, now: u64) -> bool {
        let pause = interval.saturating_mul(1 << self.failures.min(DOUBLINGS_MAX));
        // A time in the future was taken down before the clock was set back.
        now < self.seconds || now - self.seconds >= pause.as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_with_each_failure() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::at(folder.path());
        assert!(Last::load(&state).is_past(Duration::from_mins(5), clock::real_seconds()));
        let minute = Duration::from_mins(1);
        for (failures, pause) in [(0, 60), (1, 120), (3, 480), (8, 15_360), (40, 15_360)] {
            let last = Last {
                seconds: 1_000,
                failures,
                error: String::new(),
            };
            assert!(
                !last.is_past(minute, 1_000 + pause - 1)
                    && last.is_past(minute, 1_000 + pause)
                    && last.is_past(minute, 999)
            );
        }
        Last::default().note(&state, &Err("no\nway".to_owned()));
        let last = Last::load(&state);
        assert_eq!((last.failures, last.error.as_str()), (1, "no way"));
        last.note(&state, &Err("again".to_owned()));
        assert_eq!(Last::load(&state).failures, 2);
        last.note(&state, &Ok(String::new()));
        assert_eq!(
            (Last::load(&state).failures, Last::load(&state).error),
            (0, String::new())
        );
    }

    #[test]
    fn what_is_done_after_what() {
        for (mode, pull, push) in [
            ("off", false, false),
            ("fetch", true, false),
            ("push", false, true),
            ("both", true, true),
        ] {
            let mode = AutoSync::parse(mode).expect("a mode");
            assert_eq!(
                (
                    mode.is_for("post-merge"),
                    mode.is_for("pre-push"),
                    mode.is_for("post-commit")
                ),
                (pull, push, false)
            );
        }
        assert_eq!(AutoSync::parse("on"), None);
    }
}

//! One thing that `doctor` looked at, and what it found.

use serde::Serialize;

/// One thing that was looked at.
#[derive(Serialize)]
pub(super) struct Check {
    pub(super) what: &'static str,
    pub(super) ok: bool,
    pub(super) fixed: bool,
    pub(super) message: String,
}

impl Check {
    pub(super) fn good(what: &'static str, message: impl Into<String>) -> Self {
        Self {
            what,
            ok: true,
            fixed: false,
            message: message.into(),
        }
    }

    pub(super) fn bad(what: &'static str, message: impl Into<String>) -> Self {
        Self {
            ok: false,
            ..Self::good(what, message)
        }
    }

    pub(super) fn fixed(self) -> Self {
        Self {
            fixed: true,
            ..self
        }
    }
}

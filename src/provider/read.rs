//! Reading the settings of one provider: each value with the place that an error names.

use crate::config::{Assignment, Origin, Place, Setting, Stack, TrustLevel, ValueError, value};

/// Reads what is said of one provider.
pub(super) struct Reader<'a> {
    stack: &'a Stack,
    name: &'a str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(stack: &'a Stack, name: &'a str) -> Self {
        Self { stack, name }
    }

    /// The text of a setting.
    pub(super) fn text(&self, setting: &Setting) -> Option<&'a str> {
        self.stack.get(setting, self.name).map(Assignment::last)
    }

    /// A value that `parse` understands, else its default.
    pub(super) fn value<T>(
        &self,
        setting: &Setting,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, DefinitionError> {
        Ok(self.stack.read(setting, self.name, parse)?)
    }

    /// A value that `parse` may refuse with a reason.
    pub(super) fn refusing<T>(
        &self,
        setting: &Setting,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, DefinitionError> {
        self.text(setting)
            .map(|text| parse(text).map_err(|reason| self.refused(setting, reason)))
            .transpose()
    }

    /// Every value of a setting.
    pub(super) fn each<T>(
        &self,
        setting: &Setting,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, DefinitionError> {
        let values = self
            .stack
            .get(setting, self.name)
            .map_or(&[][..], |entry| &entry.values);
        values
            .iter()
            .map(|text| parse(text).map_err(|reason| self.refused(setting, reason)))
            .collect()
    }

    /// The error for two settings of which only one, or neither, is there.
    pub(super) fn lacking(&self, one: &Setting, other: &Setting) -> DefinitionError {
        let present = if self.text(one).is_some() { one } else { other };
        let absent = if present == one { other } else { one };
        self.refused(
            present,
            format!("it goes with '{}'", self.full_name(absent)),
        )
    }

    fn full_name(&self, setting: &Setting) -> String {
        format!("merkle.provider.{}.{}", self.name, setting.name)
    }

    fn refused(&self, setting: &Setting, reason: String) -> DefinitionError {
        let unset = || Origin {
            level: TrustLevel::Protected,
            place: Place::BuiltIn,
        };
        let origin = self
            .stack
            .get(setting, self.name)
            .map_or_else(unset, |entry| entry.origin.clone());
        DefinitionError::Refused {
            key: self.full_name(setting),
            origin: Box::new(origin),
            reason,
        }
    }
}

pub(super) use value::{boolean, duration};

/// A whole number.
pub(super) fn number(text: &str) -> Option<u64> {
    value::integer(text).and_then(|number| u64::try_from(number).ok())
}

/// A small whole number.
pub(super) fn count(text: &str) -> Option<u32> {
    number(text).and_then(|number| u32::try_from(number).ok())
}

/// A whole number above 0.
pub(super) fn positive(text: &str) -> Option<u64> {
    number(text).filter(|number| *number > 0)
}

/// `none`, or two numbers, the smaller first.
#[expect(
    clippy::option_option,
    reason = "none is an answer, and not the same as no answer"
)]
pub(super) fn range(text: &str) -> Option<Option<(f64, f64)>> {
    if text == "none" {
        return Some(None);
    }
    let (low, high) = text.split_once(' ')?;
    let (low, high) = (value::limit(low)?, value::limit(high.trim())?);
    (low <= high).then_some(Some((low, high)))
}

/// Why the providers cannot be read, or the one that is wanted is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// A place that may not define providers.
    #[error("'{key}' from {origin} defines a provider: only your own configuration may")]
    Unprotected {
        /// With `merkle.`.
        key: String,
        /// Where it stands.
        origin: Box<Origin>,
    },
    /// A value that is not what it must be.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A value that is refused for a reason.
    #[error("bad value for '{key}' from {}: {reason}", origin.shown())]
    Refused {
        /// With `merkle.`.
        key: String,
        /// Where it stands.
        origin: Box<Origin>,
        /// Why.
        reason: String,
    },
    /// A provider without a kind.
    #[error("provider '{0}' has no kind")]
    NoKind(String),
    /// A name that no provider can have.
    #[error("'{0}' is no name of a provider: a-z, 0-9 and '-', at most 32")]
    Name(String),
    /// No provider has this name.
    #[error("no provider '{name}'; there is {}", list(.names))]
    NotThere {
        /// Requested.
        name: String,
        /// All there are.
        names: Vec<String>,
    },
    /// No provider is configured.
    #[error("no provider is configured")]
    NoneThere,
    /// Several, and none was named.
    #[error("several providers are configured: {}", list(.0))]
    Several(Vec<String>),
}

pub(super) fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}

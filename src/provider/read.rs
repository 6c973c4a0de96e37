//! Reading the settings of one provider: each value with the place that an error names.

use super::definition::DefinitionError;
use crate::config::{Assignment, Origin, Place, Setting, Stack, TrustLevel, value};

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

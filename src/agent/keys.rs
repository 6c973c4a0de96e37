//! The keys of a definition with the lines they stand on, so that every fault of a file is found in one reading.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::config::fault::{Diagnostic, line_of};

/// A definition file while it is read: its table, and what is wrong with it so far.
pub(super) struct Keys<'t> {
    file: &'t Path,
    text: &'t str,
    table: DeTable<'t>,
    pub(super) faults: Vec<Diagnostic>,
}

impl<'t> Keys<'t> {
    /// Parses a file; keys that are not among `known` are faults. Errors of syntax are all that is said of a file.
    pub(super) fn parse(
        file: &'t Path,
        text: &'t str,
        known: &[&str],
    ) -> Result<Self, Vec<Diagnostic>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut keys = Self {
            file,
            text,
            table: table.into_inner(),
            faults: Vec::new(),
        };
        for error in errors {
            let line = error.span().map(|span| line_of(text, span.start));
            keys.faults.push(Diagnostic {
                file: file.to_owned(),
                line,
                message: error.message().to_owned(),
            });
        }
        if !keys.faults.is_empty() {
            return Err(keys.faults);
        }
        let unknown = keys
            .table
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()));
        let unknown: Vec<_> = unknown
            .map(|key| (key.span().start, key.get_ref().to_string()))
            .collect();
        for (at, key) in unknown {
            let line = Some(line_of(text, at));
            let message = format!("unknown key '{key}'; known are {}", known.join(", "));
            keys.faults.push(Diagnostic {
                file: file.to_owned(),
                line,
                message,
            });
        }
        Ok(keys)
    }

    /// True when the file has the key, with whatever value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Books a fault of a key; of the file as a whole when the key is not there.
    pub(super) fn fault(&mut self, key: &str, message: impl Into<String>) {
        let fault = Diagnostic {
            file: self.file.to_owned(),
            line: self.line(key),
            message: message.into(),
        };
        self.faults.push(fault);
    }

    fn line(&self, key: &str) -> Option<usize> {
        let found = self
            .table
            .keys()
            .find(|known| known.get_ref().as_ref() == key)?;
        Some(line_of(self.text, found.span().start))
    }

    /// A text; `None` when it is not there, or a fault.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.table.get(key)?.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            other => {
                let message = format!("'{key}' must be a string, not {}", kind(other));
                self.fault(key, message);
                None
            }
        }
    }

    /// True or false; false when it is not there.
    pub(super) fn flag(&mut self, key: &str) -> bool {
        match self.table.get(key).map(toml::Spanned::get_ref) {
            None => false,
            Some(DeValue::Boolean(value)) => *value,
            Some(other) => {
                let message = format!("'{key}' must be true or false, not {}", kind(other));
                self.fault(key, message);
                false
            }
        }
    }

    /// A list of texts; empty when it is not there.
    pub(super) fn list(&mut self, key: &str) -> Vec<String> {
        let found = match self.table.get(key).map(toml::Spanned::get_ref) {
            None => return Vec::new(),
            Some(DeValue::Array(values)) => {
                let texts = values.iter().map(|value| match value.get_ref() {
                    DeValue::String(text) => Some(text.to_string()),
                    _ => None,
                });
                texts.collect::<Option<Vec<String>>>()
            }
            Some(_) => None,
        };
        found.unwrap_or_else(|| {
            self.fault(key, format!("'{key}' must be a list of strings"));
            Vec::new()
        })
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

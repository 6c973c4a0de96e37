//! One place's settings: keys with their values and where each stands.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::Key;
use super::origin::{Origin, Place, TrustLevel};
use crate::base::lines::Lines;

/// Why a file is not a list of settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SyntaxError {
    /// Counted from 1.
    pub line: u32,
    /// What is wrong, without quoting the file.
    pub message: String,
}

/// What a place says about one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Every value given, in order; one for most keys. The last counts where a command takes one.
    pub values: Vec<String>,
    /// Where the last of them stands.
    pub origin: Origin,
}

impl Assignment {
    /// The values as they may be shown: what can hold a key (headers, proxies) is `***`.
    #[must_use]
    pub fn shown(&self, key: &Key) -> Vec<String> {
        let holds_keys = matches!(key.parts().last(), Some("header" | "proxy"));
        self.values
            .iter()
            .map(|value| {
                if holds_keys {
                    "***".to_owned()
                } else {
                    value.clone()
                }
            })
            .collect()
    }

    /// The value that counts where a command takes one.
    #[must_use]
    pub fn last(&self) -> &str {
        self.values.last().map_or("", String::as_str)
    }
}

/// The settings of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    level: TrustLevel,
    entries: BTreeMap<Key, Assignment>,
}

impl Layer {
    /// A place of a level that says nothing yet.
    #[must_use]
    pub fn new(level: TrustLevel) -> Self {
        Self {
            level,
            entries: BTreeMap::new(),
        }
    }

    /// Reads a TOML file's text: tables and dotted keys are the same, an array is several values.
    pub fn from_toml(level: TrustLevel, text: &str, path: &Path) -> Result<Self, SyntaxError> {
        let lines = Lines::of(text.as_bytes());
        let document = DeTable::parse(text).map_err(|error| SyntaxError {
            line: lines.at(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut found = Vec::new();
        collect(document.get_ref(), "", &lines, &mut found)?;
        found.sort_by_key(|leaf| leaf.offset);
        let mut layer = Self::new(level);
        for leaf in found {
            let place = Place::File {
                path: path.to_owned(),
                line: Some(lines.at(leaf.offset)),
            };
            leaf.values
                .into_iter()
                .for_each(|value| layer.add(&leaf.spelling, value, place.clone()));
        }
        Ok(layer)
    }

    /// Adds a value for a key, after those it has. What is no key is kept as one that no setting has, to be reported.
    pub fn add(&mut self, spelling: &str, value: String, place: Place) {
        let key = Key::new(spelling).unwrap_or_else(|| Key::malformed(spelling));
        let origin = Origin {
            level: self.level,
            place,
        };
        let entry = self.entries.entry(key).or_insert_with(|| Assignment {
            values: Vec::new(),
            origin: origin.clone(),
        });
        entry.values.push(value);
        entry.origin = origin;
    }

    /// What it says, in the order of keys.
    pub fn into_entries(self) -> impl Iterator<Item = (Key, Assignment)> {
        self.entries.into_iter()
    }
}

/// One key of a TOML file with its values.
struct Leaf {
    spelling: String,
    values: Vec<String>,
    offset: usize,
}

fn collect(
    table: &DeTable<'_>,
    prefix: &str,
    lines: &Lines,
    found: &mut Vec<Leaf>,
) -> Result<(), SyntaxError> {
    for (name, value) in table {
        let spelling = if prefix.is_empty() {
            name.get_ref().to_string()
        } else {
            format!("{prefix}.{}", name.get_ref())
        };
        let offset = name.span().start;
        let values = match value.get_ref() {
            DeValue::Table(inner) if is_document(&spelling) => {
                vec![json(inner, lines)?.to_string()]
            }
            DeValue::Table(inner) => {
                collect(inner, &spelling, lines, found)?;
                continue;
            }
            DeValue::Array(items) => items
                .iter()
                .map(|item| scalar(item, lines))
                .collect::<Result<_, _>>()?,
            _ => vec![scalar(value, lines)?],
        };
        found.push(Leaf {
            spelling,
            values,
            offset,
        });
    }
    Ok(())
}

/// True for a setting that is one JSON object: `provider.<name>.extra`, whose names are those of a vendor, not ours.
fn is_document(spelling: &str) -> bool {
    Key::new(spelling).is_some_and(|key| {
        let parts: Vec<&str> = key.parts().collect();
        matches!(parts.as_slice(), ["provider", _, "extra"])
    })
}

/// A table as JSON.
fn json(table: &DeTable<'_>, lines: &Lines) -> Result<Value, SyntaxError> {
    let field = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        Ok((name.to_string(), json_value(value, lines)?))
    };
    table
        .iter()
        .map(field)
        .collect::<Result<_, _>>()
        .map(Value::Object)
}

fn json_value(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Result<Value, SyntaxError> {
    let number = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(match value.get_ref() {
        DeValue::Table(inner) => json(inner, lines)?,
        DeValue::Array(items) => items
            .iter()
            .map(|item| json_value(item, lines))
            .collect::<Result<_, _>>()?,
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Integer(_) | DeValue::Float(_) => number(scalar(value, lines)?),
        _ => Value::String(scalar(value, lines)?),
    })
}

fn scalar(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Result<String, SyntaxError> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.to_string()),
        DeValue::Boolean(truth) => Ok(truth.to_string()),
        DeValue::Datetime(time) => Ok(time.to_string()),
        DeValue::Array(_) | DeValue::Table(_) => Err(SyntaxError {
            line: lines.at(value.span().start),
            message: "a list of settings holds plain values only".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Vec<String>, String)> {
        let layer =
            Layer::from_toml(TrustLevel::Protected, text, Path::new("c.toml")).expect("TOML");
        layer
            .into_entries()
            .map(|(key, entry)| (key.to_string(), entry.values, entry.origin.to_string()))
            .collect()
    }

    fn row(key: &str, values: &[&str], origin: &str) -> (String, Vec<String>, String) {
        (
            key.to_owned(),
            values.iter().map(|value| (*value).to_owned()).collect(),
            origin.to_owned(),
        )
    }

    #[test]
    fn tables_dotted_and_quoted_keys_are_the_same() {
        for text in [
            "[provider.claude]\nendpoint = 'x'\n",
            "\nprovider.claude.endpoint = 'x'\n",
            "\n'Provider'.\"CLAUDE\".end_point = 'x'\n",
            "\n\"provider.claude.endpoint\" = 'x'\n",
            "\nprovider = { claude = { endpoint = 'x' } }\n",
        ] {
            assert_eq!(
                read(text),
                [row(
                    "merkle.provider.claude.endpoint",
                    &["x"],
                    "file:c.toml:2"
                )],
                "{text}"
            );
        }
    }

    #[test]
    fn values_are_text_and_arrays_several() {
        let text =
            "notes = true\nmax_calls = 1_000\nurls = [\n 'a',\n 'b' ]\nmaxCost = 1.5\nempty = []\n";
        assert_eq!(
            read(text),
            [
                row("merkle.maxcalls", &["1000"], "file:c.toml:2"),
                row("merkle.maxcost", &["1.5"], "file:c.toml:6"),
                row("merkle.notes", &["true"], "file:c.toml:1"),
                row("merkle.urls", &["a", "b"], "file:c.toml:3"),
            ]
        );
    }

    #[test]
    fn two_spellings_of_a_key_count_in_the_order_of_the_file() {
        assert_eq!(
            read("max_cost = 1\nmaxCost = 2\n"),
            [row("merkle.maxcost", &["1", "2"], "file:c.toml:2")]
        );
        assert_eq!(
            read("maxCost = 2\nmax_cost = 1\n"),
            [row("merkle.maxcost", &["2", "1"], "file:c.toml:2")]
        );
    }

    #[test]
    fn damage_is_named_by_line() {
        for (text, line) in [
            ("a = 1\nb = \n", 2),
            ("a = 1\n\n[[x]]\ny = 1\n", 3),
            ("a = [[1]]", 1),
            ("a = 1\na = 2", 2),
        ] {
            let error =
                Layer::from_toml(TrustLevel::Protected, text, Path::new("c.toml")).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error}");
        }
    }
}

//! What the text of a setting must be, and the error when it is not.

use std::fmt;

use super::key::Key;
use super::origin::Origin;
use super::value;

/// What the text of a setting must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A boolean, as git reads it.
    Boolean,
    /// A whole number of this unit that is not negative, as git reads it, with `k`, `m` and `g`.
    Number(&'static str),
    /// The same, and not 0.
    Positive(&'static str),
    /// A plain number of this unit, perhaps with a fraction: what guards compare.
    Limit(&'static str),
    /// A duration such as `90s` or `24h`.
    Duration,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Text, with what it must be; its reader checks it.
    Text(&'static str),
    /// The same, and it may be given more than once.
    List(&'static str),
}

impl fmt::Display for ValueKind {
    /// What is expected, for errors and for the reference page: `a whole number of tokens`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("a boolean"),
            Self::Number(unit) => write!(f, "a whole number of {unit}"),
            Self::Positive(unit) => write!(f, "a whole number of {unit} above 0"),
            Self::Limit(unit) => write!(f, "a number of {unit}"),
            Self::Duration => f.write_str("a duration"),
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
                let (last, others) = quoted.split_last().expect("a choice has words");
                write!(f, "{} or {last}", others.join(", "))
            }
            Self::Text(what) => f.write_str(what),
            Self::List(what) => write!(f, "{what}; may be repeated"),
        }
    }
}

impl ValueKind {
    /// True for a value that the type allows. Text passes: only its reader knows what it means.
    #[must_use]
    pub fn allows(self, text: &str) -> bool {
        let number = || value::integer(text).filter(|number| *number >= 0);
        match self {
            Self::Boolean => value::boolean(text).is_some(),
            Self::Number(_) => number().is_some(),
            Self::Positive(_) => number().is_some_and(|number| number > 0),
            Self::Limit(_) => value::limit(text).is_some(),
            Self::Duration => value::duration(text).is_some(),
            Self::Choice(words) => words.contains(&text),
            Self::Text(_) | Self::List(_) => true,
        }
    }
}

/// A setting whose text is not what it must be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad value '{text}' for '{key}' from {}: expected {expected}", origin.shown())]
pub struct ValueError {
    /// Which.
    pub key: Key,
    /// As it stands there.
    pub text: String,
    /// What the table of settings expects.
    pub expected: ValueKind,
    /// Where it stands.
    pub origin: Origin,
}

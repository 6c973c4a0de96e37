//! What one setting is, and how a key is found in the [`table`].
//!
//! A [`Setting`] says everything about one key: its type and unit, its default, who may set it, one sentence about
//! what it does, and the file that reads it. The trust check, the check of values, `config list`, the suggestions for
//! misspelt keys and `docs/settings.md` are all made from it. A reader names a setting by its constant, so a key that
//! is not in the table cannot be read.

use std::fmt;

use super::key::Key;
use super::table;
use super::trust::{Order, Permission};
use super::value;

/// Which keys a setting is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySection {
    /// `merkle.<key>`.
    General,
    /// `merkle.provider.<name>.<key>`.
    Provider,
    /// `merkle.<remote>.<key>`.
    Remote,
}

impl KeySection {
    /// What stands before the name of the key, as git's configuration has it.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::General => "merkle.",
            Self::Provider => "merkle.provider.<name>.",
            Self::Remote => "merkle.<remote>.",
        }
    }
}

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

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Which keys it is for.
    pub section: KeySection,
    /// The last part of the key, as people write it: `maxCost`.
    pub name: &'static str,
    /// What its text must be.
    pub kind: ValueKind,
    /// The text that holds when no place sets it.
    pub default: Option<&'static str>,
    /// What `.git/config` may do.
    pub local: Permission,
    /// What files of the repository may do.
    pub repository: Permission,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The file below `src/` that reads it; no other does.
    pub reader: &'static str,
}

impl Setting {
    /// A setting that the user alone may set; what the table says of it follows.
    pub(super) const fn new(section: KeySection, name: &'static str, kind: ValueKind) -> Self {
        Self {
            section,
            name,
            kind,
            default: None,
            local: Permission::Never,
            repository: Permission::Never,
            summary: "",
            reader: "",
        }
    }

    pub(super) const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// Every place may tighten it.
    pub(super) const fn tighten(mut self, order: Order) -> Self {
        self.local = Permission::Tighten(order);
        self.repository = Permission::Tighten(order);
        self
    }

    /// `.git/config` may set it.
    pub(super) const fn also_local(mut self) -> Self {
        self.local = Permission::Set;
        self
    }

    /// `.git/config` may set it, and the repository once the user trusts it.
    pub(super) const fn once_trusted(mut self) -> Self {
        self.repository = Permission::AfterTrust;
        self.also_local()
    }

    pub(super) const fn read_by(mut self, reader: &'static str) -> Self {
        self.reader = reader;
        self
    }

    pub(super) const fn means(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Its name with all that stands before it: `merkle.provider.<name>.model`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}{}", self.section.prefix(), self.name)
    }

    /// Its key; `group` is the name of the provider or remote in sections that have one.
    #[must_use]
    pub fn key(&self, group: &str) -> Option<Key> {
        match self.section {
            KeySection::General => Key::new(self.name),
            KeySection::Provider => Key::new(&format!("provider.{group}.{}", self.name)),
            KeySection::Remote => Key::new(&format!("{group}.{}", self.name)),
        }
    }

    /// Who may set it, in words for the reference page.
    #[must_use]
    pub fn who(&self) -> &'static str {
        use Permission::{AfterTrust, Never, Set, Tighten};
        match (self.local, self.repository) {
            (Set, AfterTrust) => "you, `.git/config`, a trusted repository",
            (Set, Never) => "you, `.git/config`",
            (Tighten(Order::Smaller), _) => "you; others may lower it",
            (Tighten(Order::Fewer), _) => "you; others may shorten it",
            _ => "you",
        }
    }

    fn is_of(&self, key: &Key) -> bool {
        let parts: Vec<&str> = key.parts().collect();
        let in_section = match (self.section, parts.as_slice()) {
            (KeySection::General, [_]) | (KeySection::Provider, ["provider", _, _]) => true,
            (KeySection::Remote, [first, _, ..]) => *first != "provider",
            _ => false,
        };
        in_section
            && parts
                .last()
                .is_some_and(|last| self.name.eq_ignore_ascii_case(last))
    }
}

/// The setting that a key belongs to; `None` for a key that means nothing.
#[must_use]
pub fn find(key: &Key) -> Option<&'static Setting> {
    table::all().find(|setting| setting.is_of(key))
}

/// The name that the user probably meant by a key that means nothing: `merkle.maxCost` for `merkle.maxcots`.
#[must_use]
pub fn suggest(key: &Key) -> Option<String> {
    let (group, last) = key.as_str().rsplit_once('.').unwrap_or(("", key.as_str()));
    let section = match group.split_once('.') {
        None if group.is_empty() => KeySection::General,
        Some(("provider", _)) => KeySection::Provider,
        _ => KeySection::Remote,
    };
    let distance =
        |setting: &Setting| strsim::osa_distance(last, &setting.name.to_ascii_lowercase());
    let nearest = table::all()
        .filter(|setting| setting.section == section)
        .min_by_key(|setting| distance(setting))
        // One slip in three letters is a slip; more is another word.
        .filter(|setting| distance(setting) * 3 <= last.len())?;
    let before = if group.is_empty() {
        String::new()
    } else {
        format!("{group}.")
    };
    Some(format!("merkle.{before}{}", nearest.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_answered_with_the_name_that_was_meant() {
        for (wrong, meant) in [
            ("maxCots", Some("merkle.maxCost")),
            ("max-cost-usd", Some("merkle.maxCost")),
            ("budgetDya", Some("merkle.budgetDay")),
            (
                "provider.claude.endpiont",
                Some("merkle.provider.claude.endpoint"),
            ),
            ("provider.claude.maxCost", None),
            ("origin.acceptFrame", Some("merkle.origin.acceptFrames")),
            ("retries", None),
        ] {
            let key = Key::new(wrong).expect("a key");
            assert_eq!(find(&key), None, "{wrong}");
            assert_eq!(suggest(&key).as_deref(), meant, "{wrong}");
        }
    }

    #[test]
    fn names_are_unique_and_defaults_are_of_their_type() {
        let mut seen = std::collections::BTreeSet::new();
        for setting in table::all() {
            assert!(
                seen.insert(setting.full_name()),
                "{} stands twice",
                setting.full_name()
            );
            let key = setting.key("x").expect("a key");
            assert_eq!(find(&key), Some(setting), "{key}");
            if let Some(default) = setting.default {
                assert!(setting.kind.allows(default), "{key}");
            }
            assert!(
                setting.summary.is_ascii() && !setting.summary.ends_with('.'),
                "{key}"
            );
        }
    }
}

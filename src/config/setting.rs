//! What one setting is: a row of the table.
//!
//! A [`Setting`] says everything about one key: its type and unit, its default, who may set it, one sentence about
//! what it does, and the file that reads it. The trust check, the check of values, `config list`, the suggestions for
//! misspelt keys and `docs/settings.md` are all made from it. A reader names a setting by its constant, so a key that
//! is not in the table cannot be read.

use super::key::Key;
use super::kind::ValueKind;
use super::permission::{Order, Permission};

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

    pub(super) fn is_of(&self, key: &Key) -> bool {
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

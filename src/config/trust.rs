//! Which settings there are, and who may set what in places that the user may not have written, as data.
//!
//! The first line of [`RULES`] that fits a key decides; a key that no line names is no setting, wherever it stands. The
//! user's own places may set every one. Settings that name an endpoint, a program to run, a key, a header, a proxy or
//! a price can therefore come from the user only, whatever a repository says.

use super::key::Key;
use super::origin::Level;
use super::value;

/// What a place may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Set it.
    Set,
    /// Set it once the user has trusted the repository.
    AfterTrust,
    /// Make it tighter than it is, never looser.
    Tighten(Order),
    /// Nothing.
    Never,
}

/// What "tighter" means for a key.
///
/// Nothing can be tightened that no lower place has set: a repository must not be the one that gives a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A smaller number, as [`value::limit`] reads it.
    Smaller,
    /// Some of the values and no others.
    Fewer,
}

impl Order {
    /// True when new values say no more than the present ones allow.
    #[must_use]
    pub fn holds(self, present: &[String], new: &[String]) -> bool {
        match self {
            Self::Smaller => {
                let limits = (
                    present.last().and_then(|text| value::limit(text)),
                    new.last().and_then(|text| value::limit(text)),
                );
                matches!(limits, (Some(present), Some(new)) if new <= present)
            }
            Self::Fewer => {
                value::words(new).all(|word| value::words(present).any(|allowed| allowed == word))
            }
        }
    }
}

/// A line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The keys it is for: `*` stands for one part, `**` at the beginning or at the end for one or more.
    pub keys: &'static str,
    /// What `.git/config` may do.
    pub local: Permission,
    /// What files of the repository may do.
    pub repository: Permission,
}

/// The table; the first line that fits decides.
pub const RULES: &[Rule] = &[
    limit("provider.*.concurrency"),
    rule("provider.**", Permission::Never, Permission::Never),
    limit("maxcost"),
    limit("maxcalls"),
    limit("maxtokens"),
    limit("budget"),
    limit("budgetcalls"),
    limit("budgettokens"),
    limit("budgetday"),
    limit("hookbudget"),
    rule("hookcomplete", Permission::Never, Permission::Never),
    limit("confirmabove"),
    rule(
        "urls",
        Permission::Tighten(Order::Fewer),
        Permission::Tighten(Order::Fewer),
    ),
    rule("defaultagent", Permission::Set, Permission::AfterTrust),
    rule("defaultprovider", Permission::Set, Permission::AfterTrust),
    rule("defaultprofile", Permission::Set, Permission::AfterTrust),
    rule("contextbudget", Permission::Set, Permission::AfterTrust),
    rule("contextsystem", Permission::Set, Permission::AfterTrust),
    rule("hooks", Permission::Set, Permission::Never),
    rule("hookquiet", Permission::Set, Permission::Never),
    rule("remote", Permission::Set, Permission::Never),
    rule("share", Permission::Set, Permission::Never),
    rule("acceptframes", Permission::Never, Permission::Never),
    rule("**.acceptframes", Permission::Never, Permission::Never),
    rule("sign", Permission::Never, Permission::Never),
    rule("signingkey", Permission::Never, Permission::Never),
    rule("remoteref", Permission::Never, Permission::Never),
    rule("publish", Permission::Never, Permission::Never),
    rule("autosync", Permission::Never, Permission::Never),
    rule("syncinterval", Permission::Never, Permission::Never),
    rule("progress", Permission::Set, Permission::Never),
];

const fn rule(keys: &'static str, local: Permission, repository: Permission) -> Rule {
    Rule {
        keys,
        local,
        repository,
    }
}

/// A limit, which every place may tighten.
const fn limit(keys: &'static str) -> Rule {
    rule(
        keys,
        Permission::Tighten(Order::Smaller),
        Permission::Tighten(Order::Smaller),
    )
}

/// What a place of a level may do with a key; `None` when there is no such setting.
#[must_use]
pub fn permission(key: &Key, level: Level) -> Option<Permission> {
    let column = |rule: &Rule| match level {
        Level::Protected => Permission::Set,
        Level::Local => rule.local,
        Level::Repository => rule.repository,
    };
    RULES.iter().find(|rule| fits(rule.keys, key)).map(column)
}

/// True for the key of a setting.
#[must_use]
pub fn is_known(key: &Key) -> bool {
    RULES.iter().any(|rule| fits(rule.keys, key))
}

fn fits(pattern: &str, key: &Key) -> bool {
    if let Some(last) = pattern.strip_prefix("**.") {
        return key
            .as_str()
            .strip_suffix(last)
            .is_some_and(|first| first.ends_with('.'));
    }
    let mut parts = key.parts();
    for wanted in pattern.split('.') {
        match (wanted, parts.next()) {
            ("**", Some(_)) => return true,
            ("*", Some(_)) => {}
            (wanted, Some(part)) if wanted == part => {}
            _ => return false,
        }
    }
    parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(spelling: &str) -> Key {
        Key::new(spelling).expect("a key")
    }

    #[test]
    fn patterns_are_in_canonical_spelling() {
        for rule in RULES {
            let plain = rule.keys.replace('*', "x");
            assert_eq!(key(&plain).as_str(), plain);
        }
    }

    /// What each kind of setting may be from `.git/config` and from files of the repository, apart from the table.
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn documented() -> Vec<(Vec<&'static str>, Option<Permission>, Option<Permission>)> {
        use Permission::{AfterTrust, Never, Set, Tighten};
        let both = |order| (Some(Tighten(order)), Some(Tighten(order)));
        let (smaller, fewer) = (both(Order::Smaller), both(Order::Fewer));
        let guarded = vec![
            "provider.claude.endpoint",
            "Provider.Claude.End_Point",
            "provider.a.header.b",
            "provider.claude.headers.x-api-key",
            "provider.claude.proxy",
            "provider.claude.command",
            "provider.claude.key",
            "provider.claude.key-env",
            "provider.claude.kind",
            "provider.claude.model",
            "provider.claude.price.input",
            "provider.claude.timeout",
            "provider.claude.concurrency.x",
            "provider.claude",
            "hookComplete",
            "remoteRef",
            "publish",
            "autoSync",
            "syncInterval",
            "acceptFrames",
            "origin.acceptFrames",
            "example.org.acceptFrames",
            "sign",
            "signingKey",
        ];
        let limits = vec![
            "provider.claude.concurrency",
            "max_cost",
            "maxCalls",
            "max-tokens",
            "budget",
            "budget-calls",
            "budgetTokens",
            "budget_day",
            "hookBudget",
            "confirmAbove",
        ];
        let unnamed = vec![
            "provider",
            "share.x",
            "anything",
            "trust",
            "secrets",
            "budget.x",
            "hooks.post-commit",
            "endpoint",
            "proxy",
        ];
        vec![
            (guarded, Some(Never), Some(Never)),
            (limits, smaller.0, smaller.1),
            (vec!["urls"], fewer.0, fewer.1),
            (
                vec![
                    "default-provider",
                    "defaultAgent",
                    "default_profile",
                    "contextBudget",
                    "context_system",
                ],
                Some(Set),
                Some(AfterTrust),
            ),
            (
                vec!["hooks", "hookQuiet", "remote", "share", "progress"],
                Some(Set),
                Some(Never),
            ),
            (unnamed, None, None),
        ]
    }

    #[test]
    fn every_key_and_level_is_the_documented_one() {
        let mut used = std::collections::BTreeSet::new();
        for (names, local, repository) in documented() {
            for name in names {
                let key = key(name);
                assert_eq!(
                    permission(&key, Level::Protected),
                    local.map(|_| Permission::Set),
                    "{name}"
                );
                assert_eq!(permission(&key, Level::Local), local, "{name}");
                assert_eq!(permission(&key, Level::Repository), repository, "{name}");
                used.extend(
                    RULES
                        .iter()
                        .map(|rule| rule.keys)
                        .find(|keys| fits(keys, &key)),
                );
            }
        }
        let all: std::collections::BTreeSet<&str> = RULES.iter().map(|rule| rule.keys).collect();
        assert_eq!(used, all, "no line of the table is without a word here");
    }

    #[test]
    fn tighter_is_smaller_or_fewer_and_never_a_guess() {
        let list = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        for (present, new, holds) in [
            ("10", "5", true),
            ("10", "10", true),
            ("1k", "1025", false),
            ("1.5", "1.25", true),
        ] {
            assert_eq!(
                Order::Smaller.holds(&list(&[present]), &list(&[new])),
                holds,
                "{present} {new}"
            );
        }
        for new in [
            "-1",
            "nan",
            "inf",
            "unlimited",
            "",
            "1e9",
            "0x1",
            " 1",
            "+1",
            "010",
        ] {
            assert!(
                !Order::Smaller.holds(&list(&["10"]), &list(&[new])),
                "{new}"
            );
        }
        assert!(!Order::Smaller.holds(&[], &list(&["1"])));
        assert!(Order::Fewer.holds(&list(&["a b", "c"]), &list(&["c", "a"])));
        assert!(!Order::Fewer.holds(&list(&["a b"]), &list(&["a c"])));
    }
}

//! Who may set what in places that the user may not have written.
//!
//! The user's own places may set every setting of the [`table`](super::table), the others what its row permits. A key
//! without a row is no setting, wherever it stands.

use super::origin::TrustLevel;
use super::permission::Permission;
use super::setting::Setting;

/// What a place of a level may do with a setting.
#[must_use]
pub fn permission(setting: &Setting, level: TrustLevel) -> Permission {
    match level {
        TrustLevel::Protected => Permission::Set,
        TrustLevel::Local => setting.local,
        TrustLevel::Repository => setting.repository,
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Key;
    use super::super::permission::Order;
    use super::super::setting::KeySection;
    use super::super::{lookup, table};
    use super::*;

    fn key(spelling: &str) -> Key {
        Key::new(spelling).expect("a key")
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
            "provider.claude.proxy",
            "provider.claude.command",
            "provider.claude.key-env",
            "provider.claude.kind",
            "provider.claude.model",
            "provider.claude.timeout",
            "hookComplete",
            "batchMin",
            "queue",
            "queueWait",
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
            "provider.claude",
            "provider.claude.key",
            "provider.claude.concurrency.x",
            "provider.claude.price.input",
            "provider.claude.headers.x-api-key",
            "provider.a.header.b",
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
                    "findBudget",
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
                let setting = lookup::find(&key);
                let may = |level| setting.map(|setting| permission(setting, level));
                assert_eq!(
                    may(TrustLevel::Protected),
                    local.map(|_| Permission::Set),
                    "{name}"
                );
                assert_eq!(may(TrustLevel::Local), local, "{name}");
                assert_eq!(may(TrustLevel::Repository), repository, "{name}");
                used.extend(setting.map(Setting::full_name));
            }
        }
        let (of_providers, others): (Vec<&Setting>, Vec<&Setting>) =
            table::all().partition(|setting| setting.section == KeySection::Provider);
        for setting in of_providers {
            let is_guarded =
                (setting.local, setting.repository) == (Permission::Never, Permission::Never);
            assert_eq!(
                is_guarded,
                setting.name != "concurrency",
                "{}",
                setting.name
            );
        }
        used.retain(|name| !name.contains("provider."));
        let all: std::collections::BTreeSet<String> =
            others.into_iter().map(Setting::full_name).collect();
        assert_eq!(used, all, "no row of the table is without a word here");
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

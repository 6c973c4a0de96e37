//! Finding the setting that a key means, or the name that the user probably meant.

use super::key::Key;
use super::setting::{KeySection, Setting};
use super::table;

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

//! All places on top of each other: what is in force, and what was not taken.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::key::Key;
use super::kind::{ValueError, ValueKind};
use super::layer::{Assignment, Layer};
use super::origin::{Origin, TrustLevel};
use super::permission::Permission;
use super::setting::Setting;
use super::{lookup, trust, value};

/// Why a setting was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// Only the user's own places may set it.
    Guarded,
    /// There is no such setting.
    Unknown,
    /// Its text is not what the setting takes.
    Value(ValueKind),
    /// It would loosen a limit, or set one that the user has not.
    Looser,
    /// It may be set, but the user has not trusted this repository yet.
    Untrusted,
}

impl Rejection {
    /// The word for it in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Guarded => "guarded",
            Self::Unknown => "unknown",
            Self::Value(_) => "value",
            Self::Looser => "looser",
            Self::Untrusted => "untrusted",
        }
    }
}

/// A setting that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Which.
    pub key: Key,
    /// What it would have been, and where it stands.
    pub entry: Assignment,
    /// Why not.
    pub reason: Rejection,
}

impl Ignored {
    /// Why it was not taken, in words.
    #[must_use]
    pub fn why(&self) -> String {
        match self.reason {
            Rejection::Guarded => "only your own configuration may set it".to_owned(),
            Rejection::Unknown => match lookup::suggest(&self.key) {
                Some(meant) => format!("no setting has this name; did you mean '{meant}'?"),
                None => "no setting has this name".to_owned(),
            },
            Rejection::Value(kind) => format!("'{}' is not {kind}", self.entry.last()),
            Rejection::Looser => {
                "it may only tighten a limit that your own configuration sets".to_owned()
            }
            Rejection::Untrusted => "this repository is not trusted yet".to_owned(),
        }
    }

    /// The error that it is in the user's own places; `None` for what is no mistake there.
    fn mistake(&self) -> Option<Mistake> {
        let (key, origin) = (self.key.clone(), self.entry.origin.clone());
        match self.reason {
            _ if origin.level != TrustLevel::Protected => None,
            Rejection::Unknown => Some(Mistake::Unknown {
                meant: lookup::suggest(&key),
                key,
                origin,
            }),
            Rejection::Value(expected) => {
                let text = self.entry.last().to_owned();
                Some(Mistake::Value(ValueError {
                    key,
                    text,
                    expected,
                    origin,
                }))
            }
            Rejection::Guarded | Rejection::Looser | Rejection::Untrusted => None,
        }
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.entry.origin.shown();
        write!(f, "'{}' from {origin} is ignored: {}", self.key, self.why())
    }
}

/// A mistake in a place that only the user writes: an error, so that a misspelt budget is never silent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// A key that means nothing.
    #[error("unknown setting '{key}' from {}", origin.shown())]
    Unknown {
        /// As it was read.
        key: Key,
        /// Where it stands.
        origin: Origin,
        /// The setting that was probably meant.
        meant: Option<String>,
    },
    /// A value that the setting does not take.
    #[error(transparent)]
    Value(ValueError),
}

/// The settings in force.
///
/// Law: a layer that is not protected changes the entry of a key only as the [`table`](super::table) permits its level.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    entries: BTreeMap<Key, Assignment>,
    ignored: Vec<Ignored>,
    repository_trusted: bool,
}

impl Stack {
    /// Nothing set yet; `repository_trusted` says whether the user has accepted the repository's own settings.
    #[must_use]
    pub fn new(repository_trusted: bool) -> Self {
        Self {
            repository_trusted,
            ..Self::default()
        }
    }

    /// Puts a layer on top: what it may set replaces what is below, key by key; the rest is remembered as ignored.
    pub fn add(&mut self, layer: Layer) {
        for (key, entry) in layer.into_entries() {
            match self.refusal(&key, &entry) {
                None => {
                    self.entries.insert(key, entry);
                }
                Some(reason) => {
                    // git hands on what its own '-c' and ours say, so the same setting may come twice.
                    let ignored = Ignored { key, entry, reason };
                    if !self.ignored.contains(&ignored) {
                        self.ignored.push(ignored);
                    }
                }
            }
        }
    }

    /// Everything in force, in the order of keys.
    pub fn entries(&self) -> impl Iterator<Item = (&Key, &Assignment)> {
        self.entries.iter()
    }

    /// Everything that was not taken, lowest layer first.
    #[must_use]
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// Mistakes in the user's own places, lowest layer first.
    pub fn mistakes(&self) -> impl Iterator<Item = Mistake> {
        self.ignored.iter().filter_map(Ignored::mistake)
    }

    /// What is set; `group` is the name of a provider or remote, and empty for general settings.
    #[must_use]
    pub fn get(&self, setting: &Setting, group: &str) -> Option<&Assignment> {
        self.entries.get(&setting.key(group)?)
    }

    /// The text of a general setting, else its default.
    #[must_use]
    pub fn text(&self, setting: &Setting) -> Option<&str> {
        self.get(setting, "")
            .map(Assignment::last)
            .or(setting.default)
    }

    /// All words of a general setting: every value, split at white space.
    pub fn words(&self, setting: &Setting) -> impl Iterator<Item = &str> {
        value::words(
            self.get(setting, "")
                .map_or(&[], |entry| entry.values.as_slice()),
        )
    }

    /// A boolean, as git reads it; see [`Stack::read`].
    pub fn boolean(&self, setting: &Setting) -> Result<Option<bool>, ValueError> {
        self.read(setting, "", value::boolean)
    }

    /// A number of tokens, as git reads integers; see [`Stack::read`].
    pub fn tokens(&self, setting: &Setting) -> Result<Option<u64>, ValueError> {
        let count = |text: &str| value::integer(text).and_then(|count| u64::try_from(count).ok());
        self.read(setting, "", count)
    }

    /// A limit: a plain number that is not negative, perhaps with a fraction; see [`Stack::read`].
    pub fn limit(&self, setting: &Setting) -> Result<Option<f64>, ValueError> {
        self.read(setting, "", value::limit)
    }

    /// A duration, such as `90s` or `24h`; see [`Stack::read`].
    pub fn duration(&self, setting: &Setting) -> Result<Option<Duration>, ValueError> {
        self.read(setting, "", value::duration)
    }

    /// A value that `parse` understands, else the default of the table; `None` only for a setting without a default.
    pub fn read<T>(
        &self,
        setting: &Setting,
        group: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ValueError> {
        let Some((key, entry)) = setting
            .key(group)
            .and_then(|key| self.entries.get_key_value(&key))
        else {
            return Ok(setting.default.and_then(parse));
        };
        let bad = || ValueError {
            key: key.clone(),
            text: entry.last().to_owned(),
            expected: setting.kind,
            origin: entry.origin.clone(),
        };
        parse(entry.last()).map(Some).ok_or_else(bad)
    }

    fn refusal(&self, key: &Key, entry: &Assignment) -> Option<Rejection> {
        let Some(setting) = lookup::find(key) else {
            return Some(Rejection::Unknown);
        };
        let present = self.entries.get(key).map_or(&[][..], |entry| &entry.values);
        let level = entry.origin.level;
        match trust::permission(setting, level) {
            Permission::Never => Some(Rejection::Guarded),
            _ if !entry.values.iter().all(|text| setting.kind.allows(text)) => {
                Some(Rejection::Value(setting.kind))
            }
            Permission::Tighten(_) if present.is_empty() => Some(Rejection::Looser),
            Permission::Tighten(order) => {
                (!order.holds(present, &entry.values)).then_some(Rejection::Looser)
            }
            Permission::AfterTrust
                if level == TrustLevel::Repository && !self.repository_trusted =>
            {
                Some(Rejection::Untrusted)
            }
            Permission::Set | Permission::AfterTrust => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::origin::Place;
    use super::super::table;
    use super::*;

    fn layer(level: TrustLevel, text: &str) -> Layer {
        Layer::from_toml(level, text, Path::new("f.toml")).expect("TOML")
    }

    fn stack(trusted: bool, layers: &[(TrustLevel, &str)]) -> Stack {
        let mut stack = Stack::new(trusted);
        for (level, text) in layers {
            stack.add(layer(*level, text));
        }
        stack
    }

    #[test]
    fn the_layer_on_top_wins_key_by_key() {
        let stack = stack(
            true,
            &[
                (TrustLevel::Protected, "remote = 1\nshare = 'all'"),
                (TrustLevel::Protected, "remote = 2"),
            ],
        );
        assert_eq!(
            (
                stack.text(&table::REMOTE),
                stack.text(&table::SHARE),
                stack.text(&table::HOOKS)
            ),
            (Some("2"), Some("all"), None)
        );
    }

    /// Before, the user's own places could set anything, so that a misspelt limit limited nothing without a word.
    #[test]
    fn what_is_no_setting_is_refused_wherever_it_stands() {
        for level in [
            TrustLevel::Protected,
            TrustLevel::Local,
            TrustLevel::Repository,
        ] {
            for key in [
                "retries",
                "concurrency",
                "notes",
                "acceptall",
                "maxCots",
                "provider",
            ] {
                let stack = stack(true, &[(level, &format!("{key} = 1"))]);
                assert_eq!(
                    (stack.entries().count(), stack.ignored()[0].reason),
                    (0, Rejection::Unknown),
                    "{key}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_taken_is_named_with_file_and_line() {
        let repository = "default_agent = 'docs'\nmax_cost = 5\n[provider.x]\nendpoint = 'https://evil.example'\n[nonsense]\na = 1\n";
        let stack = stack(
            false,
            &[
                (TrustLevel::Protected, "maxCost = 1"),
                (TrustLevel::Repository, repository),
            ],
        );
        let lines: Vec<String> = stack.ignored().iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "'merkle.defaultagent' from file:f.toml:1 is ignored: this repository is not trusted yet",
                "'merkle.maxcost' from file:f.toml:2 is ignored: it may only tighten a limit that your own configuration sets",
                "'merkle.nonsense.a' from file:f.toml:6 is ignored: no setting has this name",
                "'merkle.provider.x.endpoint' from file:f.toml:4 is ignored: only your own configuration may set it",
            ]
        );
        assert_eq!(stack.entries().count(), 1);
    }

    #[test]
    fn limits_are_only_made_tighter_and_only_when_there_are_any() {
        let stack = stack(
            true,
            &[
                (TrustLevel::Protected, "maxCost = 2.5"),
                (TrustLevel::Repository, "maxCost = 1.5\nmaxCalls = 1000"),
            ],
        );
        assert_eq!(
            (
                stack.limit(&table::MAX_COST),
                stack.limit(&table::MAX_CALLS)
            ),
            (Ok(Some(1.5)), Ok(None))
        );
        assert_eq!(stack.ignored().len(), 1);
    }

    #[test]
    fn a_bad_value_is_a_mistake_of_the_users_and_ignored_elsewhere() {
        let text = "\nprogress = 'maybe'\nurls = ['a b', 'c']\nmaxCots = 1";
        let own = stack(true, &[(TrustLevel::Protected, text)]);
        let mistakes: Vec<String> = own.mistakes().map(|mistake| mistake.to_string()).collect();
        assert_eq!(
            mistakes,
            [
                "unknown setting 'merkle.maxcots' from file:f.toml:4",
                "bad value 'maybe' for 'merkle.progress' from file:f.toml:2: expected a boolean",
            ]
        );
        assert_eq!(own.words(&table::URLS).collect::<Vec<_>>(), ["a", "b", "c"]);
        for level in [TrustLevel::Local, TrustLevel::Repository] {
            let theirs = stack(
                true,
                &[
                    (TrustLevel::Protected, "maxCost = 2"),
                    (level, "maxCost = 'x'"),
                ],
            );
            assert_eq!(theirs.mistakes().count(), 0);
            assert_eq!(
                theirs.ignored()[0].to_string(),
                "'merkle.maxcost' from file:f.toml:1 is ignored: 'x' is not a number of US dollars"
            );
            assert_eq!(theirs.limit(&table::MAX_COST), Ok(Some(2.0)));
        }
    }

    /// Before, a key with a space or an empty part set nothing, and nothing was said.
    #[test]
    fn what_is_no_key_is_a_mistake_too() {
        for spelling in ["max cost", "maxCost.", ".", "", "maxCost\n", "_"] {
            let mut layer = Layer::new(TrustLevel::Protected);
            layer.add(spelling, "1".to_owned(), Place::CommandLine);
            let mut stack = Stack::new(false);
            stack.add(layer);
            assert_eq!(stack.mistakes().count(), 1, "{spelling:?}");
            assert_eq!(stack.limit(&table::MAX_COST), Ok(None), "{spelling:?}");
        }
    }

    /// Any way to write a dotted key in a TOML file: case, separators, quotes, tables, inline tables.
    fn spelled(key: &'static str) -> impl Strategy<Value = String> {
        let parts: Vec<&str> = key.split('.').collect();
        let count = parts.len();
        let noise = proptest::collection::vec((0..4u8, 0..3u8), count);
        (noise, 0..4u8).prop_map(move |(noise, shape)| {
            let names: Vec<String> = parts
                .iter()
                .zip(noise)
                .map(|(part, (case, quotes))| dress(part, case, quotes))
                .collect();
            let last = &names[count - 1];
            let before = names[..count - 1].join(".");
            match shape {
                0 if count > 1 => format!("[{before}]\n{last} = '0'\n"),
                1 if count > 1 => format!("{before} = {{ {last} = '0' }}\n"),
                2 => format!("\"{}\" = '0'\n", names.join(".").replace(['"', '\''], "")),
                _ => format!("{} = ['0']\n", names.join(".")),
            }
        })
    }

    fn dress(part: &str, case: u8, quotes: u8) -> String {
        let name = match case {
            0 => part.to_owned(),
            1 => part.to_ascii_uppercase(),
            2 => format!("{}_{}", &part[..1], &part[1..]),
            _ => format!("{}-{}", &part[..1], &part[1..]),
        };
        match quotes {
            0 => name,
            1 => format!("'{name}'"),
            _ => format!("\"{name}\""),
        }
    }

    fn any_key() -> impl Strategy<Value = &'static str> {
        let name = |setting: &Setting| &*setting.name.to_ascii_lowercase().leak();
        let keys: Vec<&'static str> = table::GENERAL
            .iter()
            .map(name)
            .chain([
                "provider.claude.endpoint",
                "provider.claude.command",
                "provider.x.concurrency",
                "unheard.of",
                "x",
            ])
            .collect();
        proptest::sample::select(keys)
    }

    /// What the design says of each key, apart from the table: `given` when the user has set it to 5 and it becomes 0.
    fn may_set(key: &str, level: TrustLevel, trusted: bool, given: bool) -> bool {
        match key {
            "contextbudget" | "contextsystem" | "findbudget" | "defaultagent"
            | "defaultprovider" | "defaultprofile" => level == TrustLevel::Local || trusted,
            // What it becomes is no value of `share`.
            "hooks" | "hookquiet" | "remote" | "progress" => level == TrustLevel::Local,
            "maxcost"
            | "maxcalls"
            | "maxtokens"
            | "budget"
            | "budgetcalls"
            | "budgettokens"
            | "budgetday"
            | "hookbudget"
            | "confirmabove"
            | "provider.x.concurrency" => given,
            _ => false,
        }
    }

    /// Text that is made of the pieces of a TOML file.
    fn pieces() -> impl Strategy<Value = String> {
        let words = [
            "provider",
            "Provider",
            "'provider'",
            "\"PROVIDER",
            "\"",
            "a",
            "endpoint",
            ".x.",
            ".",
            " = ",
            "='v'",
        ];
        let marks = [
            "[",
            "]",
            "\n",
            "{",
            "}",
            ", ",
            "_",
            "[provider.a]\n",
            "endpoint='v'\n",
        ];
        let all: Vec<&str> = words.into_iter().chain(marks).collect();
        proptest::collection::vec(proptest::sample::select(all), 0..10)
            .prop_map(|pieces| pieces.concat())
    }

    fn untrusted_level() -> impl Strategy<Value = TrustLevel> {
        prop_oneof![Just(TrustLevel::Local), Just(TrustLevel::Repository)]
    }

    proptest! {
        #[test]
        fn no_spelling_lets_an_untrusted_layer_set_what_is_guarded(
            (key, text) in any_key().prop_flat_map(|key| (Just(key), spelled(key))),
            level in untrusted_level(),
            trusted: bool,
            given: bool,
        ) {
            let mut before = Stack::new(trusted);
            if given {
                let mut user = Layer::new(TrustLevel::Protected);
                user.add(key, "5".to_owned(), Place::CommandLine);
                before.add(user);
            }
            let mut after = before.clone();
            after.add(layer(level, &text));
            let changed = after.entries != before.entries;
            let may = may_set(key, level, trusted, given);
            // The middle part of a key is a chosen name, in which a dash makes another name.
            let same_name = after.entries.get(key).is_some_and(|entry| entry.last() == "0");
            prop_assert!(!changed || may || !same_name, "{text}");
            prop_assert_eq!(changed, after.ignored.len() == before.ignored.len(), "taken or remembered as ignored: {}", text);
        }

        #[test]
        fn no_text_at_all_lets_a_repository_set_a_provider(text in pieces()) {
            let mut stack = Stack::new(true);
            if let Ok(layer) = Layer::from_toml(TrustLevel::Repository, &text, Path::new("f.toml")) {
                stack.add(layer);
            }
            prop_assert!(stack.entries().all(|(key, _)| !key.as_str().starts_with("provider")));
        }

        #[test]
        fn a_limit_never_grows(present in "[0-9]{1,4}(\\.[0-9])?[kmg]?", new in "[-+0-9a-fx.kmgeE ]{0,8}") {
            let mut stack = Stack::new(true);
            let put = |level, value: &str| {
                let mut layer = Layer::new(level);
                layer.add("maxCost", value.to_owned(), Place::CommandLine);
                layer
            };
            stack.add(put(TrustLevel::Protected, &present));
            let before = stack.limit(&table::MAX_COST);
            stack.add(put(TrustLevel::Repository, &new));
            let after = stack.limit(&table::MAX_COST);
            let shrunk = matches!((&before, &after), (Ok(Some(before)), Ok(Some(after))) if after <= before);
            prop_assert!(shrunk || before == after);
        }
    }
}

//! Git's configuration as this program reads it: all scopes, `git -c` and `-c` included, and who the user is.
//!
//! Git hands `git -c key=value merkle …` down in `GIT_CONFIG_PARAMETERS`, which gix does not know: it is read here
//! and ranks above `GIT_CONFIG_COUNT` and below this program's own `-c`.

use std::collections::HashMap;
use std::path::PathBuf;

use gix::bstr::ByteSlice;

use super::repo::{OpenError, Repository, users_config};
use super::variable::variable;

/// One value of git configuration and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigValue {
    /// The whole key, section and name in lower case, a subsection as written: `merkle.claude.endpoint`.
    pub key: String,
    /// The value as written; `None` for a key without `=` (true).
    pub value: Option<String>,
    /// Which of git's scopes it came from.
    pub scope: ConfigScope,
    /// The file, when it came from one.
    pub file: Option<PathBuf>,
}

/// Git's configuration scopes, lowest rank first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigScope {
    /// `/etc/gitconfig` and the like.
    System,
    /// The user's.
    Global,
    /// `.git/config` and what it includes.
    Local,
    /// `.git/config.worktree`.
    Worktree,
    /// `-c`, `GIT_CONFIG_COUNT`, `GIT_CONFIG_PARAMETERS`.
    Command,
}

impl ConfigScope {
    /// True for the scopes that only the user writes. What is in a repository's own may come from a stranger.
    #[must_use]
    pub fn is_protected(self) -> bool {
        !matches!(self, Self::Local | Self::Worktree)
    }
}

impl Repository {
    /// The last value of a configuration key in the protected scopes; the only ones that may name a program.
    #[must_use]
    pub fn protected_string(&self, key: &str) -> Option<String> {
        let section = key.split('.').next().unwrap_or_default();
        let mut values = self.config_section(section).into_iter();
        values
            .rfind(|value| value.key == key && value.scope.is_protected())
            .and_then(|value| value.value)
    }

    /// The last value of a configuration key in all of git's scopes, `-c` included.
    #[must_use]
    pub fn config_string(&self, key: &str) -> Option<String> {
        self.inner
            .config_snapshot()
            .string(key)
            .map(|value| value.to_str_lossy().into_owned())
    }

    /// Same, read as git reads booleans; `None` when unset or not a boolean.
    #[must_use]
    pub fn config_bool(&self, key: &str) -> Option<bool> {
        self.inner.config_snapshot().boolean(key)
    }

    /// All settings of a section such as `merkle`, subsections included, in order of rank, lowest first.
    #[must_use]
    pub fn config_section(&self, section: &str) -> Vec<ConfigValue> {
        self::section(&self.inner, section)
    }

    /// Name and mail address for commits that this program writes: the user's, else the program's own.
    #[must_use]
    pub fn signature(&self) -> (String, String) {
        let program = || ("git-merkle".to_owned(), "git-merkle@localhost".to_owned());
        self.user().unwrap_or_else(program)
    }

    /// Name and mail address of the user; `None` where git does not know both.
    fn user(&self) -> Option<(String, String)> {
        // Not `committer()`: it also asks for the local time zone, which reads a directory tree, and is not needed.
        let snapshot = self.inner.config_snapshot();
        let first = |keys: &[&str]| {
            let mut values = keys.iter().filter_map(|key| snapshot.string(*key));
            values.next().map(|value| value.to_str_lossy().into_owned())
        };
        let name = first(&["committer.name", "user.name"]);
        let mail = first(&[
            "committer.email",
            "user.email",
            "gitoxide.user.emailFallback",
        ]);
        // As with git, a mail address may be empty, and a name may not.
        name.filter(|name| !name.trim().is_empty()).zip(mail)
    }
}

impl Repository {
    /// Name and mail address of the person who speaks, as git's own commits name an author; else as [`Self::signature`].
    #[must_use]
    pub fn author(&self) -> (String, String) {
        self.known_author().unwrap_or_else(|| self.signature())
    }

    /// The same; `None` where git does not know who that is.
    #[must_use]
    pub fn known_author(&self) -> Option<(String, String)> {
        let own = |name: &str, key: &str| {
            let variable = variable(name).and_then(|value| value.into_string().ok());
            variable
                .or_else(|| self.config_string(key))
                .filter(|value| !value.trim().is_empty())
        };
        let user = self.user();
        let name = own("GIT_AUTHOR_NAME", "author.name");
        let mail = own("GIT_AUTHOR_EMAIL", "author.email");
        let name = name.or_else(|| Some(user.as_ref()?.0.clone()));
        name.zip(mail.or_else(|| Some(user?.1)))
    }
}

/// All settings of a section outside of any repository: the system's and the user's, in order of rank, lowest first.
///
/// A file that cannot be read sets nothing; inside a repository git itself complains about it.
#[must_use]
pub fn section_outside(name: &str) -> Vec<ConfigValue> {
    let read = users_config();
    let is_read = |source: gix::config::Source| match source {
        gix::config::Source::User => read.user,
        gix::config::Source::Git => read.git,
        _ => true,
    };
    gix::config::File::from_globals()
        .map(|file| section_of(&file, name, is_read))
        .unwrap_or_default()
}

/// All settings of a section that may be trusted, in order of rank.
pub(super) fn section(repository: &gix::Repository, name: &str) -> Vec<ConfigValue> {
    section_of(repository.config_snapshot().plumbing(), name, |_| true)
}

fn section_of(
    file: &gix::config::File,
    name: &str,
    is_read: impl Fn(gix::config::Source) -> bool,
) -> Vec<ConfigValue> {
    let trusted = |meta: &gix::config::file::Metadata| {
        is_read(meta.source)
            && (meta.trust == gix::sec::Trust::Full
                || meta.source.kind() != gix::config::source::Kind::Repository)
    };
    let sections = file.sections_by_name_and_filter(name, trusted);
    sections
        .into_iter()
        .flatten()
        .flat_map(section_values)
        .collect()
}

fn section_values(section: gix::config::file::SectionRef<'_>) -> Vec<ConfigValue> {
    use gix::config::Source;
    let scope = match section.meta().source {
        Source::GitInstallation | Source::System => ConfigScope::System,
        Source::Git | Source::User => ConfigScope::Global,
        Source::Local => ConfigScope::Local,
        Source::Worktree => ConfigScope::Worktree,
        Source::Env | Source::Cli | Source::Api | Source::EnvOverride => ConfigScope::Command,
    };
    let mut prefix = section.header().name().to_str_lossy().to_lowercase();
    if let Some(subsection) = section.header().subsection_name() {
        prefix = format!("{prefix}.{}", subsection.to_str_lossy());
    }
    let mut seen = HashMap::new();
    let mut values = Vec::new();
    for name in section.value_names() {
        let name = name.to_lowercase();
        let nth = seen
            .entry(name.clone())
            .and_modify(|n| *n += 1)
            .or_insert(0_usize);
        // gix lists a key without `=` as empty and tells it apart only where it is the section's last of that name.
        let is_bare = section.value_implicit(&name) == Some(None);
        let value = section
            .values(&name)
            .get(*nth)
            .map(|value| value.to_str_lossy().into_owned());
        let value = value.filter(|value| !(value.is_empty() && is_bare));
        let file = section.meta().path.clone();
        values.push(ConfigValue {
            key: format!("{prefix}.{name}"),
            value,
            scope,
            file,
        });
    }
    values
}

/// Everything of command rank that gix does not find by itself, lowest first: `GIT_CONFIG_PARAMETERS`, then `-c`.
pub(super) fn command_settings(settings: &[String]) -> Result<Vec<String>, OpenError> {
    let inherited = variable("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    let text = inherited.to_string_lossy();
    let mut all =
        parse_parameters(&text).ok_or_else(|| OpenError::Setting(text.clone().into_owned()))?;
    all.extend_from_slice(settings);
    for setting in &all {
        let key = setting.split('=').next().unwrap_or_default();
        let parsed = gix::config::KeyRef::parse_unvalidated(key.trim().into());
        if parsed.is_none_or(|key| key.section_name.is_empty() || key.value_name.is_empty()) {
            return Err(OpenError::Setting(setting.clone()));
        }
    }
    Ok(all)
}

/// Parses `GIT_CONFIG_PARAMETERS`: shell-quoted `'key'='value'` (git 2.31 and later) or `'key=value'`, space separated.
///
/// A key that has `=` in its subsection, which only `--config-env` can make, is left out: gix cannot take it.
fn parse_parameters(text: &str) -> Option<Vec<String>> {
    let mut settings = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while !rest.is_empty() {
        let (mut setting, after) = unquote(rest)?;
        rest = after;
        if let Some(value) = rest.strip_prefix('=') {
            let (key, value_text);
            (value_text, rest) = if value.starts_with('\'') {
                unquote(value)?
            } else {
                (String::new(), value)
            };
            key = setting;
            if key.contains('=') {
                rest = rest.trim_start_matches(' ');
                continue;
            }
            setting = if value.starts_with('\'') {
                format!("{key}={value_text}")
            } else {
                key
            };
        }
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        rest = rest.trim_start_matches(' ');
        settings.push(setting);
    }
    Some(settings)
}

/// Takes one word quoted as git's `sq_quote` does, `'` and `!` as `'\''` and `'\!'`; returns it and what follows.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        let escaped = after
            .strip_prefix("\\'")
            .map(|rest| ('\'', rest))
            .or(after.strip_prefix("\\!").map(|rest| ('!', rest)));
        match escaped {
            Some((c, after)) => {
                word.push(c);
                rest = after.strip_prefix('\'')?;
            }
            None => return Some((word, after)),
        }
    }
}

/// Reads a boolean as git writes them.
pub(super) fn parse_bool(text: &str) -> Option<bool> {
    gix::config::Boolean::try_from(gix::bstr::BString::from(text))
        .ok()
        .map(|value| value.0)
}

impl Repository {
    /// True when objects may be missing on purpose (a promisor remote is configured).
    #[must_use]
    pub fn is_partial(&self) -> bool {
        let promises = |value: &ConfigValue| {
            value.key.ends_with(".promisor")
                && value
                    .value
                    .as_deref()
                    .is_none_or(|text| parse_bool(text) == Some(true))
        };
        self.config_string("extensions.partialClone").is_some()
            || self.config_section("remote").iter().any(promises)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn parameters_are_unquoted_as_git_quotes_them() {
        let check = |text: &str, expected: &[&str]| {
            let expected: Vec<_> = expected.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(parse_parameters(text), Some(expected), "{text}");
        };
        check("", &[]);
        check("'a.b'='c'", &["a.b=c"]);
        check("'a.b'='c' 'd.e'='f g'", &["a.b=c", "d.e=f g"]);
        check("'a.b'=", &["a.b"]);
        check("'a.b'=''", &["a.b="]);
        check("'a.b=old'  'c.d'", &["a.b=old", "c.d"]);
        check(r"'a.b'='it'\''s'\!'=x'", &["a.b=it's!=x"]);
        check("'a.x=y.b'='left out' 'c.d'='e'", &["c.d=e"]);
        for bad in ["a.b=c", "'a.b", "'a.b'='c", "'a.b'x", "'a.b'='c'x"] {
            assert_eq!(parse_parameters(bad), None, "{bad}");
        }
    }

    #[expect(clippy::too_many_lines, reason = "it is a table")]
    #[test]
    fn a_section_lists_all_values_with_their_places_in_order_of_rank() {
        let fixture = Fixture::new();
        fixture.file(
            "more",
            "[merkle \"Claude\"]\n\tEndpoint = one\n\tendpoint = two\n\tplain\n",
        );
        fixture.git(&["config", "merkle.notes", "yes"]);
        fixture.git(&["config", "include.path", "../more"]);
        fixture.git(&["config", "extensions.worktreeConfig", "true"]);
        fixture.git(&["config", "--worktree", "merkle.notes", "off"]);
        let settings = vec!["merkle.flag=v".to_owned()];
        let location = super::super::repo::Location {
            directory: fixture.root.clone(),
            git_dir: None,
            settings,
        };
        let repo = Repository::open(&location).unwrap();
        let listed: Vec<_> = repo
            .config_section("merkle")
            .into_iter()
            .filter(|value| !matches!(value.scope, ConfigScope::System | ConfigScope::Global))
            .map(|value| {
                let file = value
                    .file
                    .map(|file| file.file_name().unwrap().to_string_lossy().into_owned());
                (value.key, value.value, value.scope, file)
            })
            .collect();
        let expect = |key: &str, value: Option<&str>, scope, file: Option<&str>| {
            (
                key.to_owned(),
                value.map(str::to_owned),
                scope,
                file.map(str::to_owned),
            )
        };
        assert_eq!(
            listed,
            [
                expect(
                    "merkle.notes",
                    Some("yes"),
                    ConfigScope::Local,
                    Some("config")
                ),
                expect(
                    "merkle.Claude.endpoint",
                    Some("one"),
                    ConfigScope::Local,
                    Some("more")
                ),
                expect(
                    "merkle.Claude.endpoint",
                    Some("two"),
                    ConfigScope::Local,
                    Some("more")
                ),
                expect(
                    "merkle.Claude.plain",
                    None,
                    ConfigScope::Local,
                    Some("more")
                ),
                expect(
                    "merkle.notes",
                    Some("off"),
                    ConfigScope::Worktree,
                    Some("config.worktree")
                ),
                expect("merkle.flag", Some("v"), ConfigScope::Command, None),
            ]
        );
        assert_eq!(repo.config_bool("merkle.notes"), Some(false));
        assert_eq!(
            repo.config_bool("merkle.claude.plain"),
            None,
            "subsections are case sensitive"
        );
        assert_eq!(repo.config_bool("merkle.Claude.plain"), Some(true));
        assert_eq!(repo.config_bool("merkle.flag"), None);
        assert_eq!(
            repo.config_string("merkle.Claude.Endpoint").as_deref(),
            Some("two")
        );
    }

    #[test]
    fn the_users_name_is_used_where_there_is_one() {
        let fixture = Fixture::new();
        fixture.git(&["config", "user.name", "Ä User"]);
        fixture.git(&["config", "user.email", "u@example.com"]);
        assert_eq!(
            fixture.open().signature(),
            ("Ä User".to_owned(), "u@example.com".to_owned())
        );
    }
}

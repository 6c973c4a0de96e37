//! What is configured for a repository, as typed values.
//!
//! Here the places of settings are put together: files and environment through [`config`](crate::config), git's
//! configuration through [`git`](crate::git). A setting becomes a field of [`Settings`] when something reads it.

use std::error::Error;

use super::git_config;
use super::trust::JudgedFolder;
use crate::base::AgentId;
use crate::config::{
    Environment, Layer, Mistake, Rejection, SourceError, Stack, ValueError, source, table, value,
};
use crate::git::{ConfigScope, Repository, section_outside};

/// The section of git's configuration that is this program's.
const SECTION: &str = "merkle";

/// When to do something that is meant for people, colour above all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl When {
    /// Reads it as git reads `color.ui`: the three words, or a boolean, where true means auto.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "always" => Some(Self::Always),
            "never" | "false" | "no" | "off" | "0" => Some(Self::Never),
            "auto" | "true" | "yes" | "on" | "1" => Some(Self::Auto),
            _ => None,
        }
    }
}

/// What configuration says about the pager; the environment comes first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PagerSetting {
    /// Nothing.
    #[default]
    Default,
    /// This command line.
    Command(String),
    /// No pager for this program.
    Off,
}

/// How answers are to look for people, from git's own configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presentation {
    /// `color.merkle`, else `color.ui`.
    pub color: When,
    /// `color.pager`: whether a pager understands colour.
    pub color_pager: bool,
    /// `core.quotePath`: whether bytes above 0x7f are escaped in paths.
    pub quote_path: bool,
    /// `pager.merkle`, else `core.pager`; from a repository's own configuration only that there is to be none.
    pub pager: PagerSetting,
    /// True when the repository's own configuration names a pager, which is not run.
    pub has_local_pager: bool,
    /// `merkle.progress`: whether progress is drawn.
    pub progress: bool,
}

impl Default for Presentation {
    /// Git's own defaults.
    fn default() -> Self {
        Self {
            color: When::Auto,
            color_pager: true,
            quote_path: true,
            pager: PagerSetting::Default,
            has_local_pager: false,
            progress: true,
        }
    }
}

impl Presentation {
    /// Reads them from all of git's scopes; what is unset or makes no sense is as git has it by default.
    #[must_use]
    pub fn load(repository: &Repository) -> Self {
        let color = ["color.merkle", "color.ui"]
            .iter()
            .find_map(|key| {
                repository
                    .config_string(key)
                    .and_then(|text| When::parse(&text))
            })
            .unwrap_or_default();
        Self {
            color,
            color_pager: repository.config_bool("color.pager").unwrap_or(true),
            quote_path: repository.config_bool("core.quotepath").unwrap_or(true),
            pager: load_pager(repository),
            has_local_pager: names_pager(repository),
            progress: true,
        }
    }
}

/// The program comes from the protected scopes alone; that there is to be none may be said anywhere.
fn load_pager(repository: &Repository) -> PagerSetting {
    let core = || {
        repository
            .protected_string("core.pager")
            .map_or(PagerSetting::Default, PagerSetting::Command)
    };
    let command = || {
        repository
            .protected_string("pager.merkle")
            .filter(|text| value::boolean(text).is_none())
    };
    match repository.config_bool("pager.merkle") {
        Some(false) => PagerSetting::Off,
        Some(true) => core(),
        None => command().map_or_else(core, PagerSetting::Command),
    }
}

/// True when the last word on the pager is a program that only the repository names.
fn names_pager(repository: &Repository) -> bool {
    ["core.pager", "pager.merkle"].iter().any(|key| {
        let last = repository
            .config_string(key)
            .filter(|text| value::boolean(text).is_none());
        last.is_some() && last != repository.protected_string(key)
    })
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A value is not what it must be.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A place that only the user writes has mistakes.
    #[error("{first}")]
    Mistakes {
        /// The one in the lowest layer.
        first: Box<Mistake>,
        /// All others.
        others: Vec<Mistake>,
    },
}

/// Every place's settings in one stack, and what else there is to say about them.
#[derive(Debug)]
pub struct GatheredSettings {
    /// What is in force, and what was not taken.
    pub stack: Stack,
    /// Why the repository's file was left out, when it was damaged: it must not stop the user's commands.
    pub damage: Option<SourceError>,
    /// Files of the repository's folder that were left out, and why.
    pub left_out: Vec<String>,
}

/// Puts the places of settings on top of each other, in the order that [`config`](crate::config) documents.
///
/// Outside a repository git's global and system settings count, and `options`, the `-c` of the command line.
pub fn gather<'a>(
    repository: Option<(&Repository, &JudgedFolder)>,
    environment: &Environment,
    options: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<GatheredSettings, SourceError> {
    let mut stack = Stack::new(repository.is_some_and(|(_, judged)| judged.trust.is_trusted()));
    let mut damage = None;
    stack.add(source::built_in());
    stack.add(source::user(environment)?);
    match repository.map(|(_, judged)| source::repository(&judged.folder)) {
        Some(Ok(layer)) => stack.add(layer),
        Some(Err(error)) => damage = Some(error),
        None => {}
    }
    let from_git = repository.map_or_else(
        || section_outside(SECTION),
        |(repository, _)| repository.config_section(SECTION),
    );
    let from_git = git_config::layers(from_git);
    let (command, files): (Vec<_>, Vec<_>) = from_git
        .into_iter()
        .partition(|(scope, _)| *scope == ConfigScope::Command);
    let scopes = |layers: Vec<(ConfigScope, Layer)>| layers.into_iter().map(|(_, layer)| layer);
    let above = [source::environment(environment)]
        .into_iter()
        .chain(scopes(command))
        .chain([source::command_line(options)]);
    for layer in scopes(files).chain(above) {
        stack.add(layer);
    }
    let left_out = repository
        .map(|(_, judged)| judged.left_out(damage.is_some()))
        .unwrap_or_default();
    Ok(GatheredSettings {
        stack,
        damage,
        left_out,
    })
}

/// What is configured for a repository.
#[derive(Debug)]
pub struct Settings {
    /// How answers are to look.
    pub presentation: Presentation,
    /// `merkle.defaultAgent`: who is meant when no agent is named.
    pub default_agent: Option<AgentId>,
    gathered: GatheredSettings,
}

impl Settings {
    /// Reads every place that settings come from; see [`gather`].
    pub fn load<'a>(
        repository: &Repository,
        judged: &JudgedFolder,
        environment: &Environment,
        options: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<Self, SettingsError> {
        let gathered = gather(Some((repository, judged)), environment, options)?;
        gathered.check()?;
        let stack = &gathered.stack;
        let progress = stack.boolean(&table::PROGRESS)?.unwrap_or_default();
        Ok(Self {
            presentation: Presentation {
                progress,
                ..Presentation::load(repository)
            },
            default_agent: stack.read(&table::DEFAULT_AGENT, "", |text| text.parse().ok())?,
            gathered,
        })
    }

    /// The settings behind the typed ones, for readers that have keys of their own.
    #[must_use]
    pub fn stack(&self) -> &Stack {
        &self.gathered.stack
    }

    /// What the user is to know of before every answer: settings that are set and were not taken.
    ///
    /// Settings that only wait for the repository to be trusted are no cause for alarm and not among them.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.gathered.warnings()
    }
}

impl GatheredSettings {
    /// Refuses mistakes in the user's own places: what a misspelt limit would let pass must not happen.
    pub fn check(&self) -> Result<(), SettingsError> {
        let mut mistakes = self.stack.mistakes();
        mistakes.next().map_or(Ok(()), |first| {
            let others = mistakes.collect();
            Err(SettingsError::Mistakes {
                first: Box::new(first),
                others,
            })
        })
    }

    /// See [`Settings::warnings`].
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let refused = self
            .stack
            .ignored()
            .iter()
            .filter(|ignored| ignored.reason != Rejection::Untrusted);
        self.damage_warning()
            .into_iter()
            .chain(self.left_out.iter().cloned())
            .chain(refused.map(ToString::to_string))
            .collect()
    }

    /// What is wrong with the repository's file, when it was left out.
    #[must_use]
    pub fn damage_warning(&self) -> Option<String> {
        self.damage.as_ref().map(|error| match error.source() {
            Some(source) => format!("{error}, {source}; the file is ignored"),
            None => format!("{error}; the file is ignored"),
        })
    }
}

/// `merkle.sign`, else what git does with commits where it signs with SSH.
pub(super) fn signs(repository: &Repository, settings: &Settings) -> Result<bool, SettingsError> {
    let of_commits = || {
        let is_on = |key: &str| {
            repository
                .protected_string(key)
                .is_some_and(|text| value::boolean(&text) == Some(true))
        };
        is_on("commit.gpgsign")
            && repository.protected_string("gpg.format").as_deref() == Some("ssh")
    };
    Ok(settings
        .stack()
        .boolean(&table::SIGN)?
        .unwrap_or_else(of_commits))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::git::Location;

    #[test]
    fn colour_is_read_as_git_reads_it() {
        for (text, expected) in [
            ("always", Some(When::Always)),
            ("NEVER", Some(When::Never)),
            ("auto", Some(When::Auto)),
            ("true", Some(When::Auto)),
            ("no", Some(When::Never)),
            ("mauve", None),
        ] {
            assert_eq!(When::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn outside_a_repository_the_command_line_is_on_top() {
        let environment: Environment = [
            ("GIT_MERKLE_PROGRESS", "0"),
            ("GIT_MERKLE_HOOKS", "0"),
            ("GIT_MERKLE_TRUST", "x"),
        ]
        .into_iter()
        .collect();
        let gathered =
            gather(None, &environment, [("merkle.hooks", Some("on"))]).expect("no files");
        assert_eq!(gathered.stack.boolean(&table::HOOKS), Ok(Some(true)));
        assert_eq!(gathered.stack.boolean(&table::PROGRESS), Ok(Some(false)));
        assert!(gathered.warnings().is_empty());
    }

    /// Before, a repository's own configuration named the pager, so that `show` in a stranger's folder ran it.
    #[test]
    fn a_pager_comes_from_the_users_own_configuration_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        git(folder.path(), &["init", "-q"]);
        let pager = |settings: &[&str]| {
            let settings = settings
                .iter()
                .map(|setting| (*setting).to_owned())
                .collect();
            let location = Location {
                directory: folder.path().to_owned(),
                git_dir: None,
                settings,
            };
            let shown = Presentation::load(&Repository::open(&location).expect("a repository"));
            (shown.pager, shown.has_local_pager)
        };
        let own = |command: &str| PagerSetting::Command(command.to_owned());
        let theirs = ["core.pager=mine", "pager.merkle=own"];
        assert_eq!(pager(&theirs[..1]), (own("mine"), false));
        git(folder.path(), &["config", "core.pager", "evil"]);
        assert_eq!(pager(&["core.pager=mine"]), (own("mine"), false));
        git(folder.path(), &["config", "pager.merkle", "evil"]);
        assert_eq!(pager(&theirs[..1]), (own("mine"), true));
        assert_eq!(pager(&theirs), (own("own"), false));
        git(folder.path(), &["config", "pager.merkle", "false"]);
        assert_eq!(
            pager(&[]).0,
            PagerSetting::Off,
            "that there is to be none runs nothing"
        );
    }

    fn load(repository: &Repository) -> Result<Settings, SettingsError> {
        let environment = Environment::default();
        Settings::load(
            repository,
            &JudgedFolder::read(repository, &environment, None),
            &environment,
            [],
        )
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a real repository is the fixture"
    )]
    fn git(folder: &Path, arguments: &[&str]) {
        let done = std::process::Command::new("git")
            .current_dir(folder)
            .args(arguments)
            .status()
            .expect("git runs");
        assert!(done.success(), "git {arguments:?}");
    }

    #[test]
    fn local_configuration_and_repository_files_are_guarded() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        git(root, &["init", "-q"]);
        git(root, &["config", "merkle.hooks", "yes"]);
        git(
            root,
            &[
                "config",
                "merkle.provider.claude.endpoint",
                "http://evil.example",
            ],
        );
        std::fs::write(
            root.join(".git/included"),
            "[merkle \"provider.claude\"]\n\tcommand = rm\n",
        )
        .expect("writable");
        git(root, &["config", "include.path", "included"]);
        std::fs::create_dir(root.join(".teddy")).expect("a folder");
        std::fs::write(
            root.join(".teddy/config.toml"),
            "[provider.x]\nendpoint = 'u'\n",
        )
        .expect("writable");
        let location = Location {
            directory: root.to_owned(),
            ..Location::default()
        };
        let repository = Repository::open(&location).expect("a repository");
        let settings = load(&repository).expect("settings");
        assert_eq!(settings.stack().boolean(&table::HOOKS), Ok(Some(true)));
        assert!(
            settings
                .stack()
                .entries()
                .all(|(key, _)| !key.as_str().starts_with("provider."))
        );
        let mut keys: Vec<&str> = settings
            .stack()
            .ignored()
            .iter()
            .map(|ignored| ignored.key.as_str())
            .collect();
        keys.sort_unstable();
        assert_eq!(
            keys,
            [
                "provider.claude.command",
                "provider.claude.endpoint",
                "provider.x.endpoint"
            ]
        );
        assert!(
            settings
                .warnings()
                .iter()
                .any(|warning| warning.contains(".teddy/config.toml:2 is ignored"))
        );
    }

    #[test]
    fn a_damaged_repository_file_is_left_out_with_a_warning() {
        let folder = tempfile::tempdir().expect("a folder");
        git(folder.path(), &["init", "-q"]);
        std::fs::create_dir(folder.path().join(".teddy")).expect("a folder");
        std::fs::write(
            folder.path().join(".teddy/config.toml"),
            "notes = true\n[[[\n",
        )
        .expect("writable");
        let location = Location {
            directory: folder.path().to_owned(),
            ..Location::default()
        };
        let repository = Repository::open(&location).expect("a repository");
        let settings = load(&repository).expect("settings");
        let warnings = settings.warnings();
        assert!(
            matches!(warnings.as_slice(), [only] if only.contains("line 2") && only.ends_with("; the file is ignored"))
        );
    }
}

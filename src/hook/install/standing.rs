//! How the hooks of a repository stand: what was installed, and what git really runs, in order.

use std::path::PathBuf;

use super::event::HookEvent;
use super::folder::{HookFile, HookFolder};
use super::include;
use super::place::HooksPath;
use super::record::InstallRecord;
use super::run::InstallError;
use super::script;
use crate::git::{ConfigValue, Repository, StateDir};

/// How the hooks of a repository stand.
#[derive(Debug, Clone)]
pub struct HookStatus {
    /// What was installed.
    pub record: Option<InstallRecord>,
    /// Where git runs hooks from.
    pub place: HooksPath,
    /// Event by event.
    pub events: Vec<EventStanding>,
}

/// How one event stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventStanding {
    /// The event.
    pub event: HookEvent,
    /// True when it was installed.
    pub is_installed: bool,
    /// What git runs, in order.
    pub effective: Vec<HookRunner>,
}

/// Something that git runs on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookRunner {
    /// This program.
    Merkle,
    /// A hook of the configuration, by its name.
    Configured(String),
    /// A hook in the folder.
    Hook(PathBuf),
}

impl EventStanding {
    /// True when git runs this program.
    #[must_use]
    pub fn is_effective(&self) -> bool {
        self.effective.contains(&HookRunner::Merkle)
    }
}

/// Looks at the hooks of a repository.
pub fn standing(repo: &Repository) -> Result<HookStatus, InstallError> {
    let record = InstallRecord::load(&StateDir::of(repo))?;
    let place = HooksPath::of(repo)?;
    let path = &place.directory;
    let folder = HookFolder::read(path).map_err(|source| InstallError::Read {
        path: path.clone(),
        source,
    })?;
    let settings = if include::understands(&repo.git_version()?) {
        repo.config_section("hook")
    } else {
        Vec::new()
    };
    let one = |event| {
        let is_installed = record
            .as_ref()
            .is_some_and(|record| record.events.contains(&event));
        let effective = configured(&settings, event)
            .into_iter()
            .chain(in_folder(&folder, event))
            .collect();
        EventStanding {
            event,
            is_installed,
            effective,
        }
    };
    let events = HookEvent::ALL.into_iter().map(one).collect();
    Ok(HookStatus {
        record,
        place,
        events,
    })
}

/// The hooks of the configuration for an event; git runs them before the one in the folder.
fn configured(settings: &[ConfigValue], event: HookEvent) -> Vec<HookRunner> {
    let value = |value: &ConfigValue, key: &str| {
        let rest = value
            .key
            .strip_prefix("hook.")?
            .strip_suffix(key)?
            .strip_suffix('.')?;
        Some((rest.to_owned(), value.value.clone()))
    };
    let is_off = |name: &str| {
        let last = settings
            .iter()
            .filter_map(|found| value(found, "enabled"))
            .rfind(|(found, _)| found == name);
        last.and_then(|(_, value)| value)
            .is_some_and(|value| matches!(value.as_str(), "false" | "no" | "off" | "0"))
    };
    let mut runners: Vec<HookRunner> = Vec::new();
    for (name, wanted) in settings.iter().filter_map(|found| value(found, "event")) {
        if wanted.as_deref() == Some(event.name()) && !is_off(&name) {
            let is_ours = name.strip_prefix(include::NAME_PREFIX) == Some(event.name());
            let runner = if is_ours {
                HookRunner::Merkle
            } else {
                HookRunner::Configured(name)
            };
            runners.retain(|found| *found != runner);
            runners.push(runner);
        }
    }
    runners
}

fn in_folder(folder: &HookFolder, event: HookEvent) -> Vec<HookRunner> {
    let Some(entry) = folder.hook(event) else {
        return Vec::new();
    };
    let own = in_file(folder, event, event.name(), entry);
    // Pre-commit runs the hook that it found in its place before its own.
    let legacy = folder.legacy(event).filter(|_| !own.is_empty());
    let legacy = legacy
        .map(|entry| in_file(folder, event, &format!("{}.legacy", event.name()), entry))
        .unwrap_or_default();
    legacy.into_iter().chain(own).collect()
}

/// What runs when the file of this name does.
fn in_file(folder: &HookFolder, event: HookEvent, name: &str, entry: &HookFile) -> Vec<HookRunner> {
    let hook = || HookRunner::Hook(folder.path.join(name));
    if !entry.is_executable() {
        return Vec::new();
    }
    let HookFile::File { bytes, .. } = entry else {
        return vec![hook()];
    };
    if !can_start(bytes) {
        return Vec::new();
    }
    if !script::has_block(bytes) {
        return vec![hook()];
    }
    let mut runners = vec![HookRunner::Merkle];
    if script::is_chain(bytes, event) {
        let chained = folder.chained(event).filter(|entry| entry.is_executable());
        runners.extend(chained.map(|_| HookRunner::Hook(folder.path.join(event.chained_name()))));
    } else if !script::is_nothing(&script::strip(bytes)) {
        runners.insert(usize::from(!script::is_behind(bytes)), hook());
    }
    runners
}

/// False for a script whose `#!` line ends in CR: there is no interpreter of that name.
fn can_start(bytes: &[u8]) -> bool {
    let first = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    !(first.starts_with(b"#!") && first.ends_with(b"\r"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::ConfigScope;

    #[test]
    fn hooks_of_the_configuration_run_in_its_order_unless_turned_off() {
        let set = |key: &str, value: &str| ConfigValue {
            key: format!("hook.{key}"),
            value: Some(value.to_owned()),
            scope: ConfigScope::Local,
            file: None,
        };
        let settings = [
            set("lint.er.event", "post-commit"),
            set("merkle-post-commit.command", "x"),
            set("merkle-post-commit.event", "post-commit"),
            set("off.event", "post-commit"),
            set("off.enabled", "false"),
            set("other.event", "pre-push"),
        ];
        assert_eq!(
            configured(&settings, HookEvent::PostCommit),
            [
                HookRunner::Configured("lint.er".to_owned()),
                HookRunner::Merkle
            ]
        );
    }
}

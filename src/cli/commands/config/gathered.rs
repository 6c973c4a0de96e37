//! The settings in force, inside of a repository or not, and one of them as `--json` says it.

use serde::Serialize;

use crate::cli::CliError;
use crate::cli::program::Program;
use crate::config::{Assignment, Key, Place};
use crate::git::{OpenError, Repository};
use crate::workspace::{GatheredSettings, JudgedFolder, settings};

#[derive(Debug, Serialize)]
pub(super) struct SettingDocument {
    key: String,
    pub(super) values: Vec<String>,
    origin: OriginDocument,
}

impl SettingDocument {
    /// A setting that no place sets and that has no default.
    pub(super) fn unset(key: &Key) -> Self {
        Self {
            key: key.to_string(),
            values: Vec::new(),
            origin: OriginDocument {
                level: "protected",
                place: "built-in",
                name: None,
                line: None,
            },
        }
    }
}

#[derive(Debug, Serialize)]
struct OriginDocument {
    level: &'static str,
    place: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// The repository, where there is one, and the settings in force.
pub(in crate::cli) fn gather(
    program: &Program,
) -> Result<(Option<Repository>, GatheredSettings), CliError> {
    let repository = match Repository::open(&program.global.location()) {
        Ok(repository) => Some(repository),
        Err(OpenError::NotFound(_)) if program.global.location().git_dir.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    let judge = |repository| {
        JudgedFolder::read(
            repository,
            &program.environment,
            program.global.trust.as_deref(),
        )
    };
    let judged = repository.as_ref().map(judge);
    let gathered = settings::gather(
        repository.as_ref().zip(judged.as_ref()),
        &program.environment,
        program.global.settings(),
    )?;
    Ok((repository, gathered))
}

pub(super) fn setting(key: &Key, entry: &Assignment) -> SettingDocument {
    let (place, name, line) = match &entry.origin.place {
        Place::BuiltIn => ("built-in", None, None),
        Place::File { path, line } => ("file", Some(path.display().to_string()), *line),
        Place::Environment(name) => ("environment", Some(name.clone()), None),
        Place::CommandLine => ("command line", None, None),
    };
    let origin = OriginDocument {
        level: entry.origin.level.name(),
        place,
        name,
        line,
    };
    SettingDocument {
        key: key.to_string(),
        values: entry.shown(key),
        origin,
    }
}

//! What a repository would bring along if the user trusted it, as data for the command that shows it.
//!
//! Read from the folder that was judged, and nothing is left out: what this program does not know stands among the
//! other files, and what is never taken stands there with its reason.

use std::path::Path;

use serde::Serialize;
use toml::de::{DeTable, DeValue};

use super::settings::{GatheredSettings, gather};
use super::trust::{JudgedFolder, Trust};
use crate::config::{Assignment, Environment, Folder, Ignored, Key, SourceError, TrustLevel};
use crate::git::Repository;

/// The keys that a definition of an agent has.
const AGENT_KEYS: [&str; 14] = [
    "id",
    "role",
    "frame_type",
    "system_prompt",
    "user_prompt_file",
    "user_prompt_directory",
    "response_template",
    "output_schema",
    "include",
    "path_sensitive",
    "sensitivity",
    "provider",
    "profile",
    "disabled",
];

/// What a repository brings along.
#[derive(Debug, Default)]
pub struct Offer {
    /// Definitions of agents.
    pub agents: Vec<AgentOffer>,
    /// Files of words that would be sent.
    pub prompts: Vec<FileOffer>,
    /// Files with the parameters of requests.
    pub profiles: Vec<FileOffer>,
    /// Every other file.
    pub others: Vec<FileOffer>,
    /// Settings that would be in force.
    pub settings: Vec<(Key, Assignment)>,
    /// Settings that are not taken, trusted or not.
    pub ignored: Vec<Ignored>,
    /// What else is not taken, with its reason.
    pub left_out: Vec<String>,
}

/// A definition of an agent.
#[derive(Debug, Default)]
pub struct AgentOffer {
    /// The file.
    pub file: FileOffer,
    /// What the file says of `id`, `role`, `frame_type` and `provider`; `None` when it says nothing.
    pub id: Option<String>,
    /// See [`Self::id`].
    pub role: Option<String>,
    /// See [`Self::id`].
    pub frame_type: Option<String>,
    /// See [`Self::id`].
    pub provider: Option<String>,
}

/// A file.
#[derive(Debug, Default, Serialize)]
pub struct FileOffer {
    /// Its name below the folder.
    #[serde(rename = "file")]
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The first line that is not empty; empty when there is none or the file is not UTF-8.
    pub first_line: String,
}

impl Offer {
    /// Looks through everything that a repository brings along.
    pub fn gather<'a>(
        repository: &Repository,
        judged: &JudgedFolder,
        environment: &Environment,
        options: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<Self, SourceError> {
        let trusted = JudgedFolder {
            trust: Trust::Trusted,
            folder: judged.folder.clone(),
        };
        let GatheredSettings {
            stack,
            damage,
            left_out,
        } = gather(Some((repository, &trusted)), environment, options)?;
        let mut offer = Self::of_folder(&judged.folder);
        offer.left_out.extend(left_out);
        offer
            .left_out
            .extend(damage.map(|error| crate::base::printable::chain(&error)));
        let from_repository = stack
            .entries()
            .filter(|(_, entry)| entry.origin.level == TrustLevel::Repository);
        offer.settings = from_repository
            .map(|(key, entry)| (key.clone(), entry.clone()))
            .collect();
        offer.ignored = stack.ignored().to_vec();
        Ok(offer)
    }

    fn of_folder(folder: &Folder) -> Self {
        let mut offer = Self::default();
        for (name, bytes) in &folder.files {
            let file = file(name, bytes);
            match name.split('/').next() {
                Some("agents")
                    if Path::new(name)
                        .extension()
                        .is_some_and(|extension| extension == "toml") =>
                {
                    let (agent, faults) = agent(folder, file, bytes);
                    offer.agents.push(agent);
                    offer.left_out.extend(faults);
                }
                Some("prompts") => offer.prompts.push(file),
                Some("profiles") => offer.profiles.push(file),
                _ => offer.others.push(file),
            }
        }
        offer
    }
}

fn file(name: &str, bytes: &[u8]) -> FileOffer {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let first_line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    FileOffer {
        name: name.to_owned(),
        bytes: bytes.len() as u64,
        first_line: first_line.chars().take(100).collect(),
    }
}

/// Reads the definition of an agent as far as it can be read; keys that it may not have are named by line.
fn agent(folder: &Folder, file: FileOffer, bytes: &[u8]) -> (AgentOffer, Vec<String>) {
    let at = folder.path_of(&file.name).display().to_string();
    let agent = AgentOffer {
        file,
        ..AgentOffer::default()
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return (agent, vec![format!("file:{at} is not UTF-8")]);
    };
    let line = |offset: usize| 1 + text[..offset].matches('\n').count();
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = line(error.span().map_or(0, |span| span.start));
            return (
                agent,
                vec![format!(
                    "file:{at}:{line} cannot be read: {}",
                    error.message()
                )],
            );
        }
    };
    let mut unknown: Vec<(usize, &str)> = table
        .keys()
        .map(|key| (key.span().start, key.get_ref().as_ref()))
        .collect();
    unknown.retain(|(_, key)| !AGENT_KEYS.contains(key));
    unknown.sort_unstable();
    let fault = |(offset, key): (usize, &str)| {
        format!(
            "'{key}' from file:{at}:{} is ignored: an agent of a repository cannot say it",
            line(offset)
        )
    };
    let faults = unknown.into_iter().map(fault).collect();
    let text_of = |key: &str| match table.get(key).map(toml::Spanned::get_ref) {
        Some(DeValue::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let (id, role, frame_type, provider) = (
        text_of("id"),
        text_of("role"),
        text_of("frame_type"),
        text_of("provider"),
    );
    (
        AgentOffer {
            id,
            role,
            frame_type,
            provider,
            ..agent
        },
        faults,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_shown_whole_and_what_agents_may_not_say_is_named_by_line() {
        let mut folder = Folder {
            path: "/r/.teddy".into(),
            ..Folder::default()
        };
        let definition = "id = 'docs'\nrole = 'writer'\nprovider = 'claude'\n\n[headers]\nx = 1\n";
        for (name, text) in [
            ("agents/docs.toml", definition),
            ("agents/torn.toml", "id = 'torn'\nrole = \n"),
            ("agents/docs.toml.sample", "x"),
            ("prompts/a.md", "\n  First.\nSecond.\n"),
            ("profiles/p/config.yml", "name: p\n"),
            ("system.md", ""),
        ] {
            folder
                .files
                .insert(name.to_owned(), text.as_bytes().to_vec());
        }
        let offer = Offer::of_folder(&folder);
        let names = |files: &[FileOffer]| {
            files
                .iter()
                .map(|file| file.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(&offer.others),
            ["agents/docs.toml.sample", "system.md"]
        );
        assert_eq!(
            (names(&offer.prompts), names(&offer.profiles)),
            (
                vec!["prompts/a.md".into()],
                vec!["profiles/p/config.yml".into()]
            )
        );
        assert_eq!(
            (offer.prompts[0].first_line.as_str(), offer.prompts[0].bytes),
            ("First.", 18)
        );
        let docs = &offer.agents[0];
        assert_eq!(
            (
                docs.id.as_deref(),
                docs.provider.as_deref(),
                docs.frame_type.as_deref()
            ),
            (Some("docs"), Some("claude"), None)
        );
        assert_eq!(
            offer.left_out[0],
            "'headers' from file:/r/.teddy/agents/docs.toml:5 is ignored: an agent of a repository cannot say it"
        );
        assert!(offer.left_out[1].starts_with("file:/r/.teddy/agents/torn.toml:2 cannot be read"));
    }
}

//! All profiles that can be named: the built-in one and those that files define.

use std::collections::{BTreeMap, BTreeSet};

use super::file;
use super::params::{ByPhase, Phase, Profile};
use crate::chat::GenerationParams;
use crate::config::{Diagnostic, Folder};

/// The profile that is meant when none is named. Files may define it anew.
pub const DEFAULT: &str = "default";
/// What the built-in profile allows a frame, and what is made in a turn: code.
const FRAME_OUTPUT_TOKENS: u64 = 2_048;
const CODE_OUTPUT_TOKENS: u64 = 16_000;

/// Why a profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// There is none of this name.
    #[error("unknown profile '{0}'")]
    Unknown(String),
    /// There is a file, and it cannot be used.
    #[error("the file of profile '{0}' has faults")]
    Faulty(String),
}

/// Profiles by name.
#[derive(Debug, Clone)]
pub struct Profiles {
    by_name: BTreeMap<String, Profile>,
    faulty: BTreeSet<String>,
    /// Everything that is wrong with profile files.
    pub faults: Vec<Diagnostic>,
}

impl Profiles {
    /// The built-in profile with those of folders over it; what comes later outranks what comes earlier.
    ///
    /// A file with faults defines nothing, and what it would have taken the place of is gone too.
    #[must_use]
    pub fn load(folders: &[&Folder]) -> Self {
        let built_in = built_in();
        let by_name = [(built_in.name.clone(), built_in)].into();
        let mut loaded = Self {
            by_name,
            faulty: BTreeSet::new(),
            faults: Vec::new(),
        };
        for folder in folders {
            loaded.add(folder);
        }
        loaded
    }

    fn add(&mut self, folder: &Folder) {
        for (path, bytes) in &folder.files {
            let Some(name) = name_of(path) else { continue };
            let profile = match std::str::from_utf8(bytes) {
                Ok(text) => file::parse(text, name, folder),
                Err(_) => Err(vec![Diagnostic {
                    file: folder.path_of(path),
                    line: None,
                    message: "not UTF-8".to_owned(),
                }]),
            };
            match profile {
                Ok(profile) => {
                    self.faulty.remove(name);
                    self.by_name.insert(name.to_owned(), profile);
                }
                Err(faults) => {
                    self.by_name.remove(name);
                    self.faulty.insert(name.to_owned());
                    self.faults.extend(faults);
                }
            }
        }
    }

    /// The profile of a name.
    pub fn get(&self, name: &str) -> Result<&Profile, ProfileError> {
        self.by_name.get(name).ok_or_else(|| {
            let name = name.to_owned();
            if self.faulty.contains(&name) {
                ProfileError::Faulty(name)
            } else {
                ProfileError::Unknown(name)
            }
        })
    }

    /// All profiles, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Profile> {
        self.by_name.values()
    }
}

/// The name of a profile's folder; `None` for every other file.
fn name_of(path: &str) -> Option<&str> {
    path.strip_prefix("profiles/")?
        .strip_suffix("/config.yml")
        .filter(|name| !name.contains('/'))
}

/// Frames are short, what a turn makes is code, and plans and reviews are left to the common default.
fn built_in() -> Profile {
    let most = |tokens| GenerationParams {
        max_output_tokens: Some(tokens),
        ..GenerationParams::default()
    };
    let frames = || -> ByPhase { [(Phase::Generating, most(FRAME_OUTPUT_TOKENS))].into() };
    Profile {
        name: DEFAULT.to_owned(),
        generation_params: [
            (Phase::Generating, most(CODE_OUTPUT_TOKENS)),
            (Phase::Revising, most(CODE_OUTPUT_TOKENS)),
        ]
        .into(),
        scope_overrides: ["file", "directory"]
            .map(|scope| (scope.to_owned(), frames()))
            .into(),
        ..Profile::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::folder::of_texts;

    #[test]
    fn personal_outranks_team_outranks_built_in() {
        let text = |name: &str, seed: u64| {
            format!("name: {name}\ngeneration_params:\n  generating: {{seed: {seed}}}\n")
        };
        let (a1, b1, a2) = (text("a", 1), text("default", 1), text("a", 2));
        let team = of_texts(
            "/t",
            &[
                ("profiles/a/config.yml", &a1),
                ("profiles/default/config.yml", &b1),
            ],
        );
        let own = of_texts(
            "/p",
            &[
                ("profiles/a/config.yml", &a2),
                ("profiles/default/config.yml", "nme: default"),
            ],
        );
        let seed = |profiles: &Profiles, name: &str| {
            profiles
                .get(name)
                .expect("there")
                .params(Phase::Generating, "")
                .seed
        };
        let profiles = Profiles::load(&[&team]);
        assert_eq!(
            (seed(&profiles, "a"), seed(&profiles, DEFAULT)),
            (Some(1), Some(1))
        );
        let profiles = Profiles::load(&[&team, &own]);
        assert_eq!(seed(&profiles, "a"), Some(2));
        assert_eq!(
            profiles.get(DEFAULT).expect_err("hidden"),
            ProfileError::Faulty(DEFAULT.to_owned())
        );
        assert_eq!(
            profiles.get("b").expect_err("nowhere"),
            ProfileError::Unknown("b".to_owned())
        );
        assert_eq!(profiles.faults.len(), 1);
        let params = Profiles::load(&[])
            .get(DEFAULT)
            .expect("built in")
            .params(Phase::Generating, "file");
        assert_eq!(params.max_output_tokens, Some(2_048));
        let turns = Profiles::load(&[])
            .get(DEFAULT)
            .expect("built in")
            .params(Phase::Generating, "");
        assert_eq!(
            turns.max_output_tokens,
            Some(16_000),
            "what a turn makes is longer than a frame"
        );
    }
}

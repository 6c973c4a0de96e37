//! One profile file, `profiles/<name>/config.yml`: from its text to a [`Profile`], or to what is wrong with it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::params::{ByPhase, Phase, Profile, ProfileScope, ProviderRole};
use super::standard::Standard;
use crate::chat::GenerationParams;
use crate::config::{Diagnostic, Folder};

/// Scopes that every profile knows: those of nodes.
const NODE_SCOPES: [&str; 2] = ["file", "directory"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    generation_params: Phases,
    #[serde(default)]
    scopes: BTreeMap<String, ScopeFile>,
    #[serde(default)]
    scope_overrides: BTreeMap<String, Phases>,
    #[serde(default)]
    standards: Vec<String>,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    providers: Providers,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Phases {
    planning: Option<GenerationParams>,
    generating: Option<GenerationParams>,
    reviewing: Option<GenerationParams>,
    revising: Option<GenerationParams>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ScopeFile {
    description: Option<String>,
    layers: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Providers {
    planner: Option<String>,
    generator: Option<String>,
    reviewer: Option<String>,
    reviser: Option<String>,
    summarizer: Option<String>,
}

/// Reads one profile of a folder; standards beside it come out of the same folder.
pub(super) fn parse(text: &str, name: &str, folder: &Folder) -> Result<Profile, Vec<Diagnostic>> {
    let path = folder.path_of(&format!("profiles/{name}/config.yml"));
    let file: File = serde_yaml::from_str(text).map_err(|error| vec![yaml_fault(&path, &error)])?;
    let mut reader = Reader {
        path: &path,
        text,
        faults: Vec::new(),
    };
    if file.name != name {
        reader.fault(
            "name:",
            format!("profile '{}' must stand in a folder named '{0}'", file.name),
        );
    }
    for scope in file.scope_overrides.keys() {
        if !file.scopes.contains_key(scope) && !NODE_SCOPES.contains(&scope.as_str()) {
            reader.fault(
                "scope_overrides:",
                format!("scope '{scope}' is neither file, directory nor one of 'scopes'"),
            );
        }
    }
    let generation_params = reader.phases(file.generation_params);
    let overrides = file
        .scope_overrides
        .into_iter()
        .map(|(scope, phases)| (scope, reader.phases(phases)))
        .collect();
    let standards = file
        .standards
        .iter()
        .filter_map(|path| reader.standard("standard", path, name, folder))
        .collect();
    let examples = file
        .examples
        .iter()
        .filter_map(|path| reader.standard("example", path, name, folder))
        .collect();
    let providers = reader.providers(file.providers);
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let scopes = file
        .scopes
        .into_iter()
        .map(|(name, scope)| (name, scope.into()))
        .collect();
    let (name, file) = (file.name, Some(path));
    Ok(Profile {
        name,
        file,
        generation_params,
        scopes,
        scope_overrides: overrides,
        standards,
        examples,
        providers,
    })
}

impl From<ScopeFile> for ProfileScope {
    fn from(scope: ScopeFile) -> Self {
        Self {
            description: scope.description,
            layers: scope.layers,
        }
    }
}

/// The text of a YAML error, whose place stands in front of it already.
fn yaml_fault(path: &Path, error: &serde_yaml::Error) -> Diagnostic {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    Diagnostic {
        file: path.to_owned(),
        line: error.location().map(|location| location.line()),
        message,
    }
}

/// Reads values and books what is wrong with them.
struct Reader<'r> {
    path: &'r Path,
    text: &'r str,
    faults: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Books a fault at the first line that begins with `key`.
    fn fault(&mut self, key: &str, message: String) {
        let at = self
            .text
            .lines()
            .position(|line| line.trim_start().trim_start_matches("- ").starts_with(key));
        self.faults.push(Diagnostic {
            file: self.path.to_owned(),
            line: at.map(|at| at + 1),
            message,
        });
    }

    fn phases(&mut self, phases: Phases) -> ByPhase {
        let all = [
            phases.planning,
            phases.generating,
            phases.reviewing,
            phases.revising,
        ];
        let said = Phase::ALL
            .into_iter()
            .zip(all)
            .filter_map(|(phase, params)| Some((phase, params?)));
        said.map(|(phase, params)| (phase, self.params(params)))
            .collect()
    }

    fn params(&mut self, params: GenerationParams) -> GenerationParams {
        let GenerationParams {
            temperature, top_p, ..
        } = params;
        if temperature.is_some_and(|value| !(value.is_finite() && value >= 0.0)) {
            self.fault("temperature:", "temperature must be 0 or more".to_owned());
        }
        if top_p.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            self.fault("top_p:", "top_p must be between 0 and 1".to_owned());
        }
        params
    }

    /// A standard or example beside the profile with its text, else a path for the repository.
    fn standard(
        &mut self,
        what: &str,
        named: &str,
        profile: &str,
        folder: &Folder,
    ) -> Option<Standard> {
        let names: Vec<&str> = named
            .split('/')
            .filter(|name| !name.is_empty() && *name != ".")
            .collect();
        if named.starts_with('/') || names.contains(&"..") || names.is_empty() {
            self.fault(
                named,
                format!(
                    "{what} '{named}' must be a path below the profile's folder or the repository"
                ),
            );
            return None;
        }
        let path = names.join("/");
        let beside = folder.files.get(&format!("profiles/{profile}/{path}"));
        let text = beside.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        Some(Standard { path, text })
    }

    fn providers(&mut self, providers: Providers) -> BTreeMap<ProviderRole, String> {
        let Providers {
            planner,
            generator,
            reviewer,
            reviser,
            summarizer,
        } = providers;
        let all = [
            (ProviderRole::Planner, planner),
            (ProviderRole::Generator, generator),
            (ProviderRole::Reviewer, reviewer),
            (ProviderRole::Reviser, reviser),
            (ProviderRole::Summarizer, summarizer),
        ];
        let mut named = BTreeMap::new();
        for (role, name) in all
            .into_iter()
            .filter_map(|(role, name)| Some((role, name?)))
        {
            let is_plain = name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            if !is_plain || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                let key = format!("{}:", role.as_str());
                self.fault(
                    &key,
                    format!("'{name}' is no name of a provider: letters, digits, '-', '_' and '.'"),
                );
            }
            named.insert(role, name);
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Profile, String> {
        let mut folder = Folder {
            path: "/f".into(),
            ..Folder::default()
        };
        folder
            .files
            .insert("profiles/x/rules.md".to_owned(), b"Be kind.".to_vec());
        parse(text, "x", &folder).map_err(|faults| {
            faults
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        })
    }

    #[test]
    fn the_form_of_the_design_is_read() {
        let profile = read(
            "name: x\nscopes:\n  entity:\n    layers: [domain]\n  slice: {description: all of it}\ngeneration_params:\n  \
             planning:\n    max_input_tokens: 50000\n    temperature: 0.7\n  generating:\n    max_output_tokens: 0\n    \
             stop: [END]\n  reviewing: {}\n  revising:\nscope_overrides:\n  slice:\n    generating:\n      \
             max_output_tokens: 32000\n  file:\n    generating: {temperature: 0}\nstandards: [./rules.md, docs/style.md]\n\
             providers:\n  planner: small\n",
        )
        .expect("valid");
        let planning = profile.params(Phase::Planning, "entity");
        assert_eq!(
            (planning.max_input_tokens, planning.temperature),
            (Some(50_000), Some(0.7))
        );
        let file = profile.params(Phase::Generating, "file");
        assert_eq!(
            (file.max_output_tokens, file.temperature),
            (Some(0), Some(0.0))
        );
        assert_eq!(
            profile.params(Phase::Generating, "slice").max_output_tokens,
            Some(32_000)
        );
        let texts: Vec<_> = profile
            .standards
            .iter()
            .map(|standard| (standard.path.as_str(), standard.text.as_deref()))
            .collect();
        assert_eq!(
            texts,
            [("rules.md", Some("Be kind.")), ("docs/style.md", None)]
        );
        assert_eq!(profile.scopes["entity"].layers, ["domain"]);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, fault) in [
            (
                "name: x\ngeneration_params:\n  generatting: {}\n",
                "/f/profiles/x/config.yml:3: ",
            ),
            (
                "name: x\nproviders:\n  planner: a\nmodel: m\n",
                "/f/profiles/x/config.yml:4: ",
            ),
            (
                "name: x\ngeneration_params:\n  planning:\n    temprature: 1\n",
                "/f/profiles/x/config.yml:4: ",
            ),
            (
                "name: x\ngeneration_params:\n  planning:\n    seed: -1\n",
                "/f/profiles/x/config.yml:4: ",
            ),
            (
                "name: y\n",
                "/f/profiles/x/config.yml:1: profile 'y' must stand in a folder named 'y'",
            ),
            (
                "name: x\nscope_overrides:\n  z: {}\n",
                "/f/profiles/x/config.yml:2: scope 'z' is neither",
            ),
            (
                "name: x\nstandards:\n  - ../x.md\n",
                "/f/profiles/x/config.yml:3: standard '../x.md' must be",
            ),
            (
                "name: x\nproviders:\n  planner: http://x\n",
                "/f/profiles/x/config.yml:3: 'http://x' is no name",
            ),
            (
                "name: x\ngeneration_params:\n  planning: {top_p: 2}\n",
                "/f/profiles/x/config.yml",
            ),
            (
                "name: x\ngeneration_params:\n  planning:\n    temperature: .nan\n",
                "/f/profiles/x/config.yml:4: temperature",
            ),
            ("name: x\nname: x\n", "/f/profiles/x/config.yml:"),
            ("{", "/f/profiles/x/config.yml:"),
            ("", "/f/profiles/x/config.yml:1: missing field `name`"),
        ] {
            let found = read(text).expect_err(text);
            assert!(found.starts_with(fault), "{text}: {found}");
        }
    }
}

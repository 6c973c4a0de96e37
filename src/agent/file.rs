//! One definition file, `agents/<id>.toml`: from its text to an [`Agent`], or to everything that is wrong with it.

use std::path::{Path, PathBuf};

use super::definition::{Agent, AgentOrigin, AgentRole, Maker, Sensitivity};
use super::include::Include;
use super::instructions::{DIRECTORY_DEFAULT, FILE_DEFAULT, Instructions};
use super::keys::Keys;
use super::prompt;
use super::template::Template;
use crate::base::{AgentId, FrameType, IdError};
use crate::config::{Diagnostic, Folder};

/// All keys that a definition may have.
const KEYS: [&str; 14] = [
    "id",
    "role",
    "frame_type",
    "disabled",
    "path_sensitive",
    "sensitivity",
    "system_prompt",
    "user_prompt_file",
    "user_prompt_directory",
    "response_template",
    "output_schema",
    "provider",
    "profile",
    "include",
];
/// Most characters of the name of a provider or profile.
const NAME_CHARS_MAX: usize = 64;

/// Reads one definition of a folder; its prompts come out of the same folder.
pub(super) fn parse(
    text: &str,
    path: &Path,
    folder: &Folder,
    origin: AgentOrigin,
) -> Result<Agent, Vec<Diagnostic>> {
    let mut keys = Keys::parse(path, text, &KEYS)?;
    let id = keys
        .text("id")
        .and_then(|id| word::<AgentId>(&mut keys, "id", &id));
    match &id {
        Some(id) if path.file_stem().is_none_or(|stem| *stem != *id.as_str()) => {
            keys.fault(
                "id",
                format!("agent '{id}' must stand in a file named '{id}.toml'"),
            );
        }
        None if !keys.has("id") => keys.fault("id", "'id' is missing"),
        _ => {}
    }
    let role = role(&mut keys);
    let frame_type = keys
        .text("frame_type")
        .unwrap_or_else(|| "summary".to_owned());
    let frame_type = word::<FrameType>(&mut keys, "frame_type", &frame_type);
    let sensitivity = sensitivity(&mut keys);
    let (disabled, path_sensitive) = (keys.flag("disabled"), keys.flag("path_sensitive"));
    let maker = maker(&mut keys, folder);
    match (id, role, frame_type) {
        (Some(id), Some(role), Some(frame_type)) if keys.faults.is_empty() => Ok(Agent {
            id,
            role,
            frame_type,
            maker,
            sensitivity,
            path_sensitive,
            disabled,
            origin,
        }),
        _ => {
            keys.faults
                .sort_by_key(|fault| (fault.file != path, fault.line));
            Err(keys.faults)
        }
    }
}

fn word<T: std::str::FromStr<Err = IdError>>(
    keys: &mut Keys<'_>,
    key: &str,
    text: &str,
) -> Option<T> {
    text.parse()
        .map_err(|err: IdError| keys.fault(key, err.to_string()))
        .ok()
}

fn role(keys: &mut Keys<'_>) -> Option<AgentRole> {
    let role = keys.text("role");
    match role.as_deref() {
        Some("reader") => return Some(AgentRole::Reader),
        Some("writer") => return Some(AgentRole::Writer),
        Some("synthesis") => return Some(AgentRole::Synthesis),
        Some(other) => keys.fault(
            "role",
            format!("role '{other}' is not reader, writer or synthesis"),
        ),
        None if !keys.has("role") => keys.fault(
            "role",
            "'role' is missing; it is reader, writer or synthesis",
        ),
        None => {}
    }
    None
}

fn sensitivity(keys: &mut Keys<'_>) -> Sensitivity {
    let sensitivity = keys.text("sensitivity");
    match sensitivity.as_deref() {
        None | Some("content") => Sensitivity::Content,
        Some("outline") => Sensitivity::Outline,
        Some(other) => {
            keys.fault(
                "sensitivity",
                format!("sensitivity '{other}' is not content or outline"),
            );
            Sensitivity::Content
        }
    }
}

/// A model where the definition has prompts, a person where it has none.
fn maker(keys: &mut Keys<'_>, folder: &Folder) -> Maker {
    let system = prompt_text(keys, "system_prompt", folder).map(|(text, _)| text);
    let file = template(keys, "user_prompt_file", folder);
    let directory = template(keys, "user_prompt_directory", folder);
    let has_prompts = system.is_some() || file.is_some() || directory.is_some();
    let built_in = |text| Template::parse(text).expect("tested below");
    let instructions = Instructions {
        system: system.unwrap_or_default(),
        file: file.unwrap_or_else(|| built_in(FILE_DEFAULT)),
        directory: directory.unwrap_or_else(|| built_in(DIRECTORY_DEFAULT)),
        response_template: prompt_text(keys, "response_template", folder).map(|(text, _)| text),
        output_schema: schema(keys, folder),
        provider: name(keys, "provider"),
        profile: name(keys, "profile"),
        include: include(keys),
    };
    if has_prompts {
        Maker::Model(Box::new(instructions))
    } else {
        Maker::Person
    }
}

/// The text of a prompt, with the file it came from; `None` when there is none, or an empty one.
fn prompt_text(
    keys: &mut Keys<'_>,
    key: &str,
    folder: &Folder,
) -> Option<(String, Option<PathBuf>)> {
    let value = keys.text(key)?;
    match prompt::read(&value, folder) {
        Ok(prompt) if prompt.text.is_empty() => None,
        Ok(prompt) => Some((prompt.text, prompt.file.map(|file| folder.path_of(&file)))),
        Err(error) => {
            keys.fault(key, format!("{key}: {error}"));
            None
        }
    }
}

fn template(keys: &mut Keys<'_>, key: &str, folder: &Folder) -> Option<Template> {
    let (text, file) = prompt_text(keys, key, folder)?;
    match (Template::parse(&text), file) {
        (Ok(template), _) => Some(template),
        (Err(error), Some(file)) => {
            keys.faults.push(Diagnostic {
                file,
                line: Some(error.line),
                message: format!("{error} ({key})"),
            });
            None
        }
        (Err(error), None) => {
            keys.fault(key, format!("{key}, line {}: {error}", error.line));
            None
        }
    }
}

fn schema(keys: &mut Keys<'_>, folder: &Folder) -> Option<serde_json::Value> {
    let key = "output_schema";
    let (text, _) = prompt_text(keys, key, folder)?;
    match serde_json::from_str(&text) {
        Ok(schema @ serde_json::Value::Object(_)) => return Some(schema),
        Ok(_) => keys.fault(key, format!("{key} must be a JSON object")),
        Err(error) => keys.fault(key, format!("{key} is not JSON: {error}")),
    }
    None
}

/// A name that another module resolves: no path, no address.
fn name(keys: &mut Keys<'_>, key: &str) -> Option<String> {
    let name = keys.text(key)?;
    let is_plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if is_plain
        && name.len() <= NAME_CHARS_MAX
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
    {
        return Some(name);
    }
    keys.fault(
        key,
        format!("'{name}' is no name of a {key}: letters, digits, '-', '_' and '.'"),
    );
    None
}

fn include(keys: &mut Keys<'_>) -> Include {
    let patterns = keys.list("include");
    Include::parse(patterns).unwrap_or_else(|error| {
        keys.fault("include", error.to_string());
        Include::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::folder::of_texts;

    fn agent(text: &str, folder: &Folder) -> Result<Agent, String> {
        let path = folder.path_of("agents/x.toml");
        parse(text, &path, folder, AgentOrigin::BuiltIn).map_err(|faults| {
            faults
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        })
    }

    const HEAD: &str = "id = 'x'\nrole = 'writer'\n";

    #[test]
    fn prompts_make_a_model_agent() {
        let folder = of_texts(
            "/f",
            &[
                ("prompts/s.md", "Be brief.\n"),
                ("prompts/f.md", "Say {path}\n"),
            ],
        );
        let text = format!(
            "{HEAD}system_prompt = 'prompts/s.md'\nuser_prompt_file = 'prompts/f.md'\ninclude = ['src/**']\n"
        );
        let made = agent(&text, &folder).expect("valid");
        let instructions = made.instructions().expect("a model");
        assert_eq!(
            (instructions.system.as_str(), instructions.file.text()),
            ("Be brief.", "Say {path}")
        );
        assert_eq!(instructions.directory.text(), DIRECTORY_DEFAULT);
        assert_eq!(instructions.include.patterns(), ["src/**"]);
        assert_eq!(agent(HEAD, &folder).expect("valid").maker, Maker::Person);
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let folder = of_texts(
            "/f",
            &[("prompts/f.md", "ok\n\n{size}"), ("prompts/n.md", "x")],
        );
        let text = "id = 'y'\nrole = 'boss'\nmodel = 'm'\nsystem_prompt = '../n.md'\n\
            user_prompt_file = 'prompts/f.md'\nuser_prompt_directory = '{'\noutput_schema = '[]'\nprovider = 'http://x/'\n\
            include = [1]\ndisabled = 'no'\nsensitivity = 'all'\nframe_type = 'A'\nurl = 1\n";
        let faults = agent(text, &folder).expect_err("faulty");
        let known = KEYS.join(", ");
        insta::assert_snapshot!(faults.replace(&known, "…"), @"
        /f/agents/x.toml:1: agent 'y' must stand in a file named 'y.toml'
        /f/agents/x.toml:2: role 'boss' is not reader, writer or synthesis
        /f/agents/x.toml:3: unknown key 'model'; known are …
        /f/agents/x.toml:4: system_prompt: '../n.md' leads out of the folder of the agent
        /f/agents/x.toml:6: user_prompt_directory, line 1: '{' begins no placeholder; known are {path}, {node_type}, {file_size}, and '{{' stands for a brace
        /f/agents/x.toml:7: output_schema must be a JSON object
        /f/agents/x.toml:8: 'http://x/' is no name of a provider: letters, digits, '-', '_' and '.'
        /f/agents/x.toml:9: 'include' must be a list of strings
        /f/agents/x.toml:10: 'disabled' must be true or false, not a string
        /f/agents/x.toml:11: sensitivity 'all' is not content or outline
        /f/agents/x.toml:12: 'A' is not a word of 1 to 32 lower-case letters, digits and dashes
        /f/agents/x.toml:13: unknown key 'url'; known are …
        /f/prompts/f.md:3: unknown placeholder '{size}'; known are {path}, {node_type}, {file_size} (user_prompt_file)
        ");
    }

    #[test]
    fn files_that_are_no_toml_and_missing_keys_are_faults() {
        let folder = of_texts("/f", &[]);
        insta::assert_snapshot!(agent("id = \n", &folder).expect_err("faulty"), @"/f/agents/x.toml:1: string values must be quoted, expected literal string");
        insta::assert_snapshot!(agent("", &folder).expect_err("faulty"), @"
        /f/agents/x.toml: 'id' is missing
        /f/agents/x.toml: 'role' is missing; it is reader, writer or synthesis
        ");
        let double = agent(&format!("{HEAD}id = 'x'\n"), &folder).expect_err("faulty");
        assert!(
            double.starts_with("/f/agents/x.toml:3: duplicate key"),
            "{double}"
        );
    }
}

//! The file of rules, `rules.toml` and the `secrets.toml` that people add: its form and its faults.

use std::sync::OnceLock;

use serde::Deserialize;
use toml::Spanned;

use super::file_rule::FileRule;
use super::rule::Rule;

/// Most rules of one file.
const RULES_MAX: usize = 256;
/// Shortest keyword: shorter ones stand everywhere.
const KEYWORD_BYTES_MIN: usize = 3;
/// How far is looked when a rule does not say.
const REACH_DEFAULT: usize = 1024;
/// How far is looked at most.
const REACH_MAX: usize = 16 * 1024;

/// Why a file is not a list of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RuleError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong, without quoting the file.
    pub message: String,
}

/// The rules of one file.
#[derive(Debug, Default)]
pub(super) struct RuleFile {
    pub(super) rules: Vec<Rule>,
    pub(super) files: Vec<FileRule>,
    pub(super) placeholders: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    placeholders: Vec<String>,
    #[serde(default, rename = "rule")]
    rules: Vec<Spanned<RuleTable>>,
    #[serde(default, rename = "file")]
    files: Vec<Spanned<FileTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    id: String,
    keywords: Vec<String>,
    pattern: String,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    kinds: usize,
    #[serde(default)]
    behind: usize,
    #[serde(default)]
    inside: bool,
    #[serde(default = "yes")]
    placeholders: bool,
    #[serde(default = "reach")]
    reach: usize,
    #[serde(default)]
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTable {
    id: String,
    names: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

fn yes() -> bool {
    true
}

fn reach() -> usize {
    REACH_DEFAULT
}

impl RuleFile {
    /// Reads the built-in file, whose patterns are compiled when they are needed.
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let line_of = |offset: usize| text.as_bytes()[..offset.min(text.len())].split(|byte| *byte == b'\n').count();
        let fault = |offset: usize, message: String| RuleError { line: line_of(offset), message };
        let document: Document =
            toml::from_str(text).map_err(|error| fault(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
        if document.rules.len() + document.files.len() > RULES_MAX {
            return Err(fault(0, format!("there are more than {RULES_MAX} rules")));
        }
        let mut parsed = Self { placeholders: document.placeholders, ..Self::default() };
        for table in document.rules {
            let offset = table.span().start;
            parsed.rules.push(rule(table.into_inner()).map_err(|message| fault(offset, message))?);
        }
        for table in document.files {
            let offset = table.span().start;
            parsed.files.push(file_rule(table.into_inner()).map_err(|message| fault(offset, message))?);
        }
        Ok(parsed)
    }

    /// Reads a file that somebody has added: every pattern must compile, and placeholders are not its to say.
    pub(super) fn parse_added(text: &str) -> Result<Self, RuleError> {
        let parsed = Self::parse(text)?;
        let line_of = |rule: &Rule| 1 + text.lines().position(|line| line.contains(rule.id.as_str())).unwrap_or_default();
        if !parsed.placeholders.is_empty() {
            return Err(RuleError { line: 1, message: "'placeholders' cannot be added to: rules only add findings".to_owned() });
        }
        for rule in &parsed.rules {
            let compiled = rule.compile().map_err(|_| RuleError {
                line: line_of(rule),
                message: format!("the pattern of rule '{}' is wrong or too large", rule.id),
            })?;
            let _ = rule.compiled.set(compiled);
        }
        Ok(parsed)
    }
}

fn rule(table: RuleTable) -> Result<Rule, String> {
    let RuleTable { id, keywords, pattern, entropy, kinds, behind, inside, placeholders, reach, allow } = table;
    check_id(&id)?;
    if keywords.is_empty() || keywords.iter().any(|keyword| keyword.len() < KEYWORD_BYTES_MIN) {
        return Err(format!("rule '{id}' needs keywords of {KEYWORD_BYTES_MIN} bytes or more"));
    }
    if reach == 0 || reach > REACH_MAX || behind > reach {
        return Err(format!("rule '{id}' may reach 1 to {REACH_MAX} bytes"));
    }
    let compiled = OnceLock::new();
    Ok(Rule { id, keywords, pattern, entropy, kinds, behind, inside, placeholders, reach, allow, compiled })
}

fn file_rule(table: FileTable) -> Result<FileRule, String> {
    check_id(&table.id)?;
    Ok(FileRule { id: table.id, names: table.names, except: table.except })
}

/// Ids stand in markers and messages, and must be words.
fn check_id(id: &str) -> Result<(), String> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !id.is_empty() && id.len() <= 40 && id.bytes().all(is_word) {
        return Ok(());
    }
    Err("the id of a rule is 1 to 40 of a-z, 0-9 and '-'".to_owned())
}

//! The file of rules that people add, `secrets.toml`: its form and its faults.

use std::sync::OnceLock;

use serde::Deserialize;
use toml::Spanned;

use super::file_rule::FileRule;
use super::rule::{Harmless, Rule};
use super::rules::REACH_DEFAULT;

/// Most rules of one file.
const RULES_MAX: usize = 256;
/// Shortest keyword: shorter ones stand everywhere.
const KEYWORD_BYTES_MIN: usize = 3;
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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// Not theirs to say: rules only add findings.
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
    pattern: Spanned<String>,
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
    /// Reads a file of added rules: every pattern must compile.
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let line_of = |offset: usize| {
            text.as_bytes()[..offset.min(text.len())]
                .split(|byte| *byte == b'\n')
                .count()
        };
        let fault = |offset: usize, message: String| RuleError {
            line: line_of(offset),
            message,
        };
        let document: Document = toml::from_str(text).map_err(|error| {
            fault(
                error.span().map_or(0, |span| span.start),
                error.message().to_owned(),
            )
        })?;
        if !document.placeholders.is_empty() {
            return Err(fault(
                0,
                "'placeholders' cannot be added to: rules only add findings".to_owned(),
            ));
        }
        if document.rules.len() + document.files.len() > RULES_MAX {
            return Err(fault(0, format!("there are more than {RULES_MAX} rules")));
        }
        let mut parsed = Self::default();
        for table in document.rules {
            let (offset, table) = (table.span().start, table.into_inner());
            let pattern = table.pattern.span().start;
            let rule = rule(table);
            check(&rule).map_err(|message| fault(offset, message))?;
            if !rule.compiles() {
                return Err(fault(
                    pattern,
                    format!("the pattern of rule '{}' is wrong or too large", rule.id),
                ));
            }
            parsed.rules.push(rule);
        }
        for table in document.files {
            let offset = table.span().start;
            parsed
                .files
                .push(file_rule(table.into_inner()).map_err(|message| fault(offset, message))?);
        }
        Ok(parsed)
    }
}

fn rule(table: RuleTable) -> Rule {
    let RuleTable {
        id,
        keywords,
        pattern,
        entropy,
        kinds,
        behind,
        inside,
        placeholders,
        reach,
        allow,
    } = table;
    let (pattern, allow, compiled) = (pattern.into_inner(), Harmless::new(allow), OnceLock::new());
    Rule {
        id,
        keywords,
        pattern,
        entropy,
        kinds,
        behind,
        inside,
        placeholders,
        reach,
        allow,
        compiled,
    }
}

/// What is wrong with a rule beside its patterns, if anything is.
pub(super) fn check(rule: &Rule) -> Result<(), String> {
    let id = &rule.id;
    check_id(id)?;
    if rule.keywords.is_empty()
        || rule
            .keywords
            .iter()
            .any(|keyword| keyword.len() < KEYWORD_BYTES_MIN)
    {
        return Err(format!(
            "rule '{id}' needs keywords of {KEYWORD_BYTES_MIN} bytes or more"
        ));
    }
    if rule.reach == 0 || rule.reach > REACH_MAX || rule.behind > rule.reach {
        return Err(format!("rule '{id}' may reach 1 to {REACH_MAX} bytes"));
    }
    Ok(())
}

fn file_rule(table: FileTable) -> Result<FileRule, String> {
    check_id(&table.id)?;
    Ok(FileRule {
        id: table.id,
        names: table.names,
        except: table.except,
    })
}

/// Ids stand in markers and messages, and must be words.
fn check_id(id: &str) -> Result<(), String> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !id.is_empty() && id.len() <= 40 && id.bytes().all(is_word) {
        return Ok(());
    }
    Err("the id of a rule is 1 to 40 of a-z, 0-9 and '-'".to_owned())
}

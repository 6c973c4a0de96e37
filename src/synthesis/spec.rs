//! How a synthesis was made, as its header remembers it: the policy, its options, and which of the children's frames it read.
//!
//! With it a synthesis can be made again when a child says something else. The bytes are one line of JSON under the key
//! `policy`; regardless of their author, they are text from a store and bounded here.

use std::sync::Arc;

use serde_json::Value;

use super::policies::Policies;
use super::policy::{Filter, Policy, PolicyError};
use crate::base::{Digest, FieldHasher, FrameType};

/// The most globs of a filter that a header may name, and the longest of them in bytes.
const GLOBS_MAX: usize = 64;
const GLOB_BYTES_MAX: usize = 256;

/// Which frames of the children are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceTypes {
    /// Those of one type.
    One(FrameType),
    /// All that the agent has.
    All,
}

/// A policy with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySpec {
    /// The policy's name.
    pub name: String,
    /// Which frames are read.
    pub source: SourceTypes,
    /// For `filter`: only children of such names.
    pub globs: Vec<String>,
    /// For `filter`: only `file`, or only `directory`.
    pub kind: Option<String>,
    /// For `filter`: only children about which no more is said than this.
    pub max_bytes: Option<u64>,
}

impl PolicySpec {
    /// A policy without options.
    #[must_use]
    pub fn named(name: &str, source: SourceTypes) -> Self {
        Self {
            name: name.to_owned(),
            source,
            globs: Vec::new(),
            kind: None,
            max_bytes: None,
        }
    }

    /// The built-in policy that this names.
    pub fn policy(&self) -> Result<Arc<dyn Policy>, PolicyError> {
        Policies::built_in(Filter::new(
            self.globs.clone(),
            self.kind.clone(),
            self.max_bytes,
        )?)
        .get(&self.name)
    }

    /// True when frames of a type are read, for frames that become `into`.
    #[must_use]
    pub fn reads(&self, frame_type: &FrameType, into: &FrameType) -> bool {
        match &self.source {
            SourceTypes::All => frame_type != into,
            SourceTypes::One(one) => frame_type == one,
        }
    }

    /// What of it goes into a basis; `policy` is the policy that it names.
    #[must_use]
    pub fn digest(&self, policy: &dyn Policy) -> Digest {
        let hasher = FieldHasher::new("git-merkle 2026 synthesis/1").field(&policy.digest().0);
        hasher.field(self.source_text().as_bytes()).finish()
    }

    fn source_text(&self) -> &str {
        match &self.source {
            SourceTypes::All => "*",
            SourceTypes::One(one) => one.as_str(),
        }
    }

    /// The value in a header: one line of JSON, absent options left out.
    #[must_use]
    pub fn render(&self) -> String {
        let text = |text: &str| Value::from(text).to_string();
        let mut fields = vec![
            format!("\"name\":{}", text(&self.name)),
            format!("\"type\":{}", text(self.source_text())),
        ];
        if !self.globs.is_empty() {
            fields.push(format!("\"globs\":{}", Value::from(self.globs.clone())));
        }
        fields.extend(
            self.kind
                .as_ref()
                .map(|kind| format!("\"kind\":{}", text(kind))),
        );
        fields.extend(self.max_bytes.map(|most| format!("\"max_bytes\":{most}")));
        format!("{{{}}}", fields.join(","))
    }

    /// Reads a header's value; `None` for what this program would not have written.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let fields: serde_json::Map<String, Value> = serde_json::from_str(value).ok()?;
        let text = |key: &str| fields.get(key).and_then(Value::as_str);
        let source = match text("type")? {
            "*" => SourceTypes::All,
            one => SourceTypes::One(one.parse().ok()?),
        };
        let globs = fields
            .get("globs")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let globs: Vec<String> = globs
            .iter()
            .filter_map(|glob| glob.as_str().map(ToOwned::to_owned))
            .collect();
        let spec = Self {
            name: text("name")?.to_owned(),
            source,
            kind: text("kind").map(ToOwned::to_owned),
            max_bytes: fields.get("max_bytes").and_then(Value::as_u64),
            globs,
        };
        let is_small = spec.globs.len() <= GLOBS_MAX
            && spec.globs.iter().all(|glob| glob.len() <= GLOB_BYTES_MAX);
        (is_small && spec.render() == value).then_some(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> PolicySpec {
        let source = SourceTypes::One("outline".parse().expect("a word"));
        PolicySpec {
            globs: vec!["*.rs".into(), "a \"b\"".into()],
            kind: Some("file".into()),
            max_bytes: Some(9),
            ..PolicySpec::named("filter", source)
        }
    }

    #[test]
    fn what_is_written_reads_back_and_nothing_else_is_taken() {
        for spec in [filter(), PolicySpec::named("concatenate", SourceTypes::All)] {
            assert_eq!(PolicySpec::parse(&spec.render()), Some(spec));
        }
        assert_eq!(
            filter().render(),
            r#"{"name":"filter","type":"outline","globs":["*.rs","a \"b\""],"kind":"file","max_bytes":9}"#
        );
        let long = PolicySpec {
            globs: vec!["x".repeat(GLOB_BYTES_MAX + 1)],
            ..filter()
        };
        let many = PolicySpec {
            globs: vec!["x".into(); GLOBS_MAX + 1],
            ..filter()
        };
        let other = [
            r#"{"name":"x"}"#,
            r#"{"name":"x","type":"*","more":1}"#,
            r#"{"type":"*","name":"x"}"#,
            "[]",
            "",
            "x",
        ];
        for text in [long.render(), many.render()]
            .into_iter()
            .chain(other.map(ToOwned::to_owned))
        {
            assert_eq!(PolicySpec::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn each_option_changes_the_digest() {
        let digest = |spec: &PolicySpec| spec.digest(&*spec.policy().expect("built in"));
        let base = filter();
        let others = [
            PolicySpec {
                globs: vec!["*.md".into()],
                ..base.clone()
            },
            PolicySpec {
                kind: None,
                ..base.clone()
            },
            PolicySpec {
                max_bytes: None,
                ..base.clone()
            },
            PolicySpec {
                source: SourceTypes::All,
                ..base.clone()
            },
            PolicySpec::named("concatenate", base.source.clone()),
        ];
        for other in others {
            assert_ne!(digest(&other), digest(&base), "{other:?}");
        }
        assert!(
            PolicySpec::named("poem", SourceTypes::All)
                .policy()
                .is_err()
        );
    }
}

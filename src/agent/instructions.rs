//! The words that an agent with a model works by.

use super::include::Include;
use super::template::Template;
use crate::base::FieldHasher;

/// The request for a file, of an agent without a template.
pub(super) const FILE_DEFAULT: &str = "Describe the {node_type} `{path}`.";
/// The request for a directory, of an agent without a template.
pub(super) const DIRECTORY_DEFAULT: &str =
    "Describe the {node_type} `{path}` from what is said about its entries.";

/// What a model is told, and with which parameters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Instructions {
    /// The whole system message; empty for none.
    pub system: String,
    /// The task for a file.
    pub file: Template,
    /// The task for a directory.
    pub directory: Template,
    /// How the answer is to be structured, in prose.
    pub response_template: Option<String>,
    /// How the answer is to be structured, as a JSON schema.
    pub output_schema: Option<serde_json::Value>,
    /// The name of a provider, if the definition names one. No part of any basis.
    pub provider: Option<String>,
    /// The name of a profile, if the definition names one. No part of any basis.
    pub profile: Option<String>,
    /// The files that the agent speaks about.
    pub include: Include,
}

impl Instructions {
    /// Adds everything that changes the request, each part so that it cannot be taken for another.
    pub(super) fn hash_into(&self, hasher: &mut FieldHasher) {
        hasher.add(b"model/1");
        hasher.add(self.system.as_bytes());
        hasher.add(self.file.text().as_bytes());
        hasher.add(self.directory.text().as_bytes());
        let schema = self.output_schema.as_ref().map(ToString::to_string);
        for part in [self.response_template.as_deref(), schema.as_deref()] {
            hasher.add(&[u8::from(part.is_some())]);
            hasher.add(part.unwrap_or_default().as_bytes());
        }
    }
}

//! One profile: parameters by phase and scope, standards, and which provider does what.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::fit::Wish;
use super::standard::Standard;
use crate::chat::GenerationParams;

/// What a request to a model is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Before anything is made.
    #[default]
    Planning,
    /// Making it. Frames of nodes are made in this phase.
    Generating,
    /// Judging it.
    Reviewing,
    /// Making it again after a judgement.
    Revising,
}

impl Phase {
    /// All phases, in their order.
    pub const ALL: [Self; 4] = [
        Self::Planning,
        Self::Generating,
        Self::Reviewing,
        Self::Revising,
    ];

    /// The word in configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Generating => "generating",
            Self::Reviewing => "reviewing",
            Self::Revising => "revising",
        }
    }

    /// The provider's part in it.
    #[must_use]
    pub fn provider_role(self) -> ProviderRole {
        match self {
            Self::Planning => ProviderRole::Planner,
            Self::Generating => ProviderRole::Generator,
            Self::Reviewing => ProviderRole::Reviewer,
            Self::Revising => ProviderRole::Reviser,
        }
    }
}

/// The provider of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderRole {
    /// Plans.
    Planner,
    /// Generates.
    Generator,
    /// Reviews.
    Reviewer,
    /// Revises.
    Reviser,
    /// Sums up what was said long ago; no phase is its own.
    Summarizer,
}

impl ProviderRole {
    /// The word in configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Generator => "generator",
            Self::Reviewer => "reviewer",
            Self::Reviser => "reviser",
            Self::Summarizer => "summarizer",
        }
    }
}

/// A kind of work that a profile knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileScope {
    /// For people.
    pub description: Option<String>,
    /// What belongs to it.
    pub layers: Vec<String>,
}

/// Parameters by phase; a phase that is not there says nothing.
pub type ByPhase = BTreeMap<Phase, GenerationParams>;

/// The parameters of requests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profile {
    /// Its name: that of its folder.
    pub name: String,
    /// The file that it was read from; `None` for the built-in one.
    pub file: Option<PathBuf>,
    /// Parameters of each phase.
    pub generation_params: ByPhase,
    /// The kinds of work that it knows, besides `file` and `directory`.
    pub scopes: BTreeMap<String, ProfileScope>,
    /// What differs in a scope.
    pub scope_overrides: BTreeMap<String, ByPhase>,
    /// Files that belong into the system context.
    pub standards: Vec<Standard>,
    /// Files that show what a good answer looks like.
    pub examples: Vec<Standard>,
    /// The providers' names.
    pub providers: BTreeMap<ProviderRole, String>,
}

impl Profile {
    /// The parameters of a phase in a scope: those of the phase, with each field that the scope sets in its place.
    #[must_use]
    pub fn params(&self, phase: Phase, scope: &str) -> GenerationParams {
        let base = self
            .generation_params
            .get(&phase)
            .cloned()
            .unwrap_or_default();
        match self
            .scope_overrides
            .get(scope)
            .and_then(|phases| phases.get(&phase))
        {
            Some(above) => base.overridden(above),
            None => base,
        }
    }

    /// The same, and whether the limit of output is the user's own word: what is built in gives way to a small window.
    #[must_use]
    pub fn wish(&self, phase: Phase, scope: &str) -> Wish {
        let params = self.params(phase, scope);
        Wish {
            is_output_own: self.file.is_some() && params.max_output_tokens.is_some(),
            params,
        }
    }

    /// What a kind of work means, for a model; `None` for one that the profile does not describe.
    #[must_use]
    pub fn scope_words(&self, scope: &str) -> Option<String> {
        let ProfileScope {
            description,
            layers,
        } = self.scopes.get(scope)?;
        let title = description.as_ref().map_or(format!("`{scope}`"), |text| {
            format!("`{scope}`: {}", text.trim_end())
        });
        let layers = match layers.as_slice() {
            [] => String::new(),
            layers => format!(
                "\n\nThe work covers these layers, each of them and no other: {}.",
                layers.join(", ")
            ),
        };
        Some(format!("{title}{layers}"))
    }

    /// The name of the provider of a phase, if the profile names one.
    #[must_use]
    pub fn provider(&self, phase: Phase) -> Option<&str> {
        self.providers
            .get(&phase.provider_role())
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_overrides_field_by_field_and_zero_is_a_value() {
        let base = GenerationParams {
            max_output_tokens: Some(100),
            temperature: Some(0.7),
            ..GenerationParams::default()
        };
        let above = GenerationParams {
            temperature: Some(0.0),
            ..GenerationParams::default()
        };
        let profile = Profile {
            generation_params: [(Phase::Generating, base.clone())].into(),
            scope_overrides: [("file".to_owned(), [(Phase::Generating, above)].into())].into(),
            providers: [(ProviderRole::Generator, "big".to_owned())].into(),
            ..Profile::default()
        };
        let file = profile.params(Phase::Generating, "file");
        assert_eq!(
            (file.max_output_tokens, file.temperature),
            (Some(100), Some(0.0))
        );
        assert_eq!(profile.params(Phase::Generating, "directory"), base);
        assert_eq!(
            profile.params(Phase::Planning, "file"),
            GenerationParams::default()
        );
        assert_eq!(
            (
                profile.provider(Phase::Generating),
                profile.provider(Phase::Reviewing)
            ),
            (Some("big"), None)
        );
    }
}

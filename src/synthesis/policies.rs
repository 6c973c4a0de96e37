//! The policies by name: those that are built in, and those that an agent filters or caps.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::policy::{Concatenate, Filter, Policy, PolicyError};
use super::summarize::Summarize;
use crate::base::{Digest, FieldHasher};

/// All policies by name; a program that embeds this one can add its own.
pub struct Policies(BTreeMap<String, Arc<dyn Policy>>);

impl Policies {
    /// `concatenate`, `summarize`, and `filter` with the options given.
    #[must_use]
    pub fn built_in(filter: Filter) -> Self {
        let mut policies = Self(BTreeMap::new());
        policies.register(Arc::new(Concatenate));
        policies.register(Arc::new(Summarize));
        policies.register(Arc::new(filter));
        policies
    }

    /// Changes when a built-in policy comes to say something else.
    #[must_use]
    pub fn digest_of_built_in() -> Digest {
        let unfiltered = Filter::new(Vec::new(), None, None).expect("there is no pattern");
        let mut hasher = FieldHasher::new("git-merkle 2026 policies/1");
        for policy in Self::built_in(unfiltered).0.values() {
            hasher.add(&policy.digest().0);
        }
        hasher.finish()
    }

    /// Adds a policy, or replaces the one of its name.
    pub fn register(&mut self, policy: Arc<dyn Policy>) {
        self.0.insert(policy.name().to_owned(), policy);
    }

    /// The policy of a name.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Policy>, PolicyError> {
        self.0
            .get(name)
            .cloned()
            .ok_or_else(|| PolicyError::Unknown {
                name: name.to_owned(),
                known: self.0.keys().cloned().collect::<Vec<_>>().join(", "),
            })
    }
}

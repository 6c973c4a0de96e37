//! Finding what looks like a secret, in the names of files and in text, before it leaves.
//!
//! Owns the rules (`rules`: data, updatable), the search, the marker that stands where a secret was, and the ids
//! by which the user allows a finding. A secret never leaves this module: findings hold places and digests.
//!
//! The search looks for all keywords at once and tries a rule only where one of its keywords stands, so that clean
//! text costs one pass and no pattern is compiled before it is needed. Rules are only ever added: nothing that a
//! repository says makes the search find less. Start with [`Scanner`], [`guard()`] and [`redact()`].

mod allowed;
mod encoded;
mod file_rule;
mod finding;
mod guard;
mod keywords;
mod name;
mod rule;
mod rule_file;
mod rules;
mod scanner;
mod start;

#[cfg(test)]
mod tests;

pub use allowed::Allowed;
pub use finding::{Finding, FindingId};
pub use guard::{MARKER_START, Object, Redacted, SecretFound, guard, redact};
pub use name::{find_in_names, guard_name, redact_name};
pub use rule::Rule;
pub use rule_file::RuleError;
pub use scanner::Scanner;

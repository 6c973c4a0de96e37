//! The role of a model in a session, unless the repository or the user says it in `system.md`.

/// Role, edit protocol, workflow, what to do when something fails, and what to trust.
pub const SYSTEM_PROMPT: &str = include_str!("system.md");

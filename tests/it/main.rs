//! The one integration test binary: each module asks the built program, or the source itself, one kind of question.
#![expect(
    clippy::too_many_lines,
    reason = "a test shows whole outputs, one line each"
)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test calculates with numbers that it made"
)]

mod absent;
mod architecture;
mod batch;
mod browse;
mod cli;
mod context;
mod context_default;
mod context_laws;
mod context_missing;
mod context_secrets;
mod context_tokens;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod crash;
mod english;
mod find;
mod format;
mod gc;
mod generate;
mod get_node;
mod guide;
mod hooks;
mod hostile;
mod laws;
mod library;
mod map;
mod package;
mod page;
mod provider;
mod queue;
mod race;
mod review;
mod said;
mod secret;
mod session;
mod settings;
mod support;
mod sync;
mod trust;
#[cfg(target_os = "linux")]
mod watch;

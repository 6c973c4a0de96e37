//! One file per command: its arguments (`Args`), what it does (`run`), the document it prints with `--json`.

pub mod agent;
mod agents_md;
pub mod auth;
pub mod config;
pub mod context;
pub mod diff;
pub mod doctor;
pub mod explain;
pub mod get_head;
pub mod get_node;
pub mod hooks;
pub mod init;
pub mod invalidate;
pub mod list_frames;
pub mod log;
pub mod profile;
pub mod prompt;
pub mod provider;
pub mod put_frame;
pub mod regenerate;
pub mod scan;
pub mod show;
pub mod status;
pub mod synthesize;
pub mod trust;
pub mod validate;
pub mod watch;

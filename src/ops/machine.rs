//! What a payload says about this machine and the snapshot.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::branch;
use crate::context::System;
use crate::git::{ObjectError, Repository};
use crate::node::SnapshotRoot;
use crate::workspace::Workspace;

/// What a payload says about this machine and the snapshot. No path of the machine is in it: that is of no use to a
/// reader elsewhere.
pub(super) fn system(workspace: &Workspace, root: &SnapshotRoot) -> Result<System, ObjectError> {
    let name = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        "freebsd" => "FreeBSD",
        other => other,
    };
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let prefix = workspace.prefix();
    let below: &[u8] = if prefix.is_root() { b"" } else { b"/" };
    let shell = workspace
        .environment
        .text("SHELL")
        .and_then(|shell| Path::new(shell).file_name()?.to_str());
    Ok(System {
        cwd: [
            &directory_name(&workspace.repository),
            below,
            prefix.as_bytes(),
        ]
        .concat(),
        snapshot: branch::snapshot_words(workspace, root)?,
        os: format!("{name} {}", release.trim()).trim_end().to_owned(),
        shell: shell.map(ToOwned::to_owned),
        is_brief: false,
    })
}

/// The name of the repository's directory.
fn directory_name(repo: &Repository) -> Vec<u8> {
    let directory = repo.work_dir().unwrap_or_else(|| repo.git_dir());
    let directory = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    directory
        .file_name()
        .map(|name| name.as_bytes().to_vec())
        .unwrap_or_default()
}

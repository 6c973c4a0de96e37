//! The options that stand before any command, as with git itself: where to look, and how to speak.

use std::path::{Path, PathBuf};

use crate::base::Shelf;
use crate::config::Environment;
use crate::git::Location;
use crate::secret::FindingId;
use crate::workspace::{When, Workspace, WorkspaceError};

/// Where to look, and how to speak.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Run as if started in <path>; may be given more than once
    #[arg(short = 'C', value_name = "path")]
    directories: Vec<PathBuf>,
    /// Use this repository instead of looking for one
    #[arg(long, value_name = "path")]
    git_dir: Option<PathBuf>,
    /// Set a configuration value for this run
    #[arg(short = 'c', value_name = "key=value", value_parser = parse_setting)]
    settings: Vec<String>,
    /// Trust this repository for this run if its files still have this content hash
    #[arg(long, global = true, hide_short_help = true, value_name = "sha256", value_parser = parse_digest)]
    pub trust: Option<String>,
    /// Ignore this finding from now on (it is not a secret); may be repeated
    #[arg(
        long = "allow-secret",
        global = true,
        hide_short_help = true,
        value_name = "id"
    )]
    pub allow_secret: Vec<FindingId>,
    /// How to speak.
    #[command(flatten)]
    pub output: Output,
    /// What this process keeps from one command to the next, where it runs more than one.
    #[arg(skip)]
    pub shelf: Shelf,
}

/// How to speak: accepted before and after the command.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Output {
    /// Print one versioned JSON document
    #[arg(long, global = true, hide_short_help = true)]
    pub json: bool,
    /// End records with NUL and print paths as they are
    #[arg(short = 'z', global = true, hide_short_help = true)]
    pub nul: bool,
    /// Colour: auto, always or never
    #[arg(long, global = true, hide_short_help = true, value_name = "when", num_args = 0..=1, require_equals = true, default_missing_value = "always", value_parser = parse_when)]
    pub color: Option<When>,
    /// Suppress progress and remarks
    #[arg(long, short = 'q', global = true, hide_short_help = true)]
    pub quiet: bool,
    /// Suppress progress
    #[arg(long, global = true, hide_short_help = true)]
    pub no_progress: bool,
    /// Do not start a pager
    #[arg(long, global = true, hide_short_help = true)]
    pub no_pager: bool,
}

impl Global {
    /// Where the repository is to be looked for: each `-C` is relative to the one before, `--git-dir` to the last.
    #[must_use]
    pub fn location(&self) -> Location {
        let directory: PathBuf = self
            .directories
            .iter()
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        let git_dir = self.git_dir.as_deref().map(|path| directory.join(path));
        Location {
            directory,
            git_dir,
            settings: self.settings.clone(),
        }
    }

    /// Opens the repository and its settings.
    pub fn open(&self, environment: &Environment) -> Result<Workspace, WorkspaceError> {
        let trust = self.trust.as_deref();
        let mut workspace = Workspace::open(&self.location(), environment, self.settings(), trust)?;
        workspace.state = workspace.state.with_shelf(self.shelf.clone());
        Ok(workspace)
    }

    /// The settings of `-c`, as `(key, value)`; without `=` the value is missing and means true.
    pub fn settings(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.settings.iter().map(|text| {
            text.split_once('=')
                .map_or((text.as_str(), None), |(key, value)| (key, Some(value)))
        })
    }

    /// A path of the command line, seen from the directory that `-C` names.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.location().directory.join(path)
    }
}

fn parse_when(text: &str) -> Result<When, String> {
    When::parse(text).ok_or_else(|| "expected auto, always or never".to_owned())
}

fn parse_digest(text: &str) -> Result<String, String> {
    let is_digest = text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_digest {
        Ok(text.to_owned())
    } else {
        Err("expected the 64 hex digits that 'git merkle trust --show' prints".to_owned())
    }
}

fn parse_setting(text: &str) -> Result<String, String> {
    let key = text.split('=').next().unwrap_or_default();
    if key.contains('.') && !key.starts_with('.') && !key.ends_with('.') {
        return Ok(text.to_owned());
    }
    Err("expected <section>.<key>=<value>".to_owned())
}

//! `git merkle complete-words`: what the word under the cursor can become, one candidate a line; for the shells' scripts.
//!
//! Never warns and never fails: a key press is no place for either. A line is the candidate, a tab, and its description.

use std::ffi::OsString;

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, complete,
};

use super::provider::configured::definitions;
use crate::cli::args::definition;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::session::open::sessions;
use crate::workspace::Workspace;

/// Arguments of `complete-words`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which of the words is completed, counted from 0
    #[arg(value_name = "index")]
    index: usize,
    /// The words of the command line, the program first
    #[arg(value_name = "word", last = true)]
    words: Vec<OsString>,
}

/// Names that this repository and its user have given.
#[derive(Debug, Clone, Default)]
struct Names {
    agents: Vec<String>,
    providers: Vec<String>,
    profiles: Vec<String>,
    sessions: Vec<String>,
    revisions: Vec<String>,
}

/// Prints the candidates.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let names = Names::read(program);
    let mut words = args.words.clone();
    // Behind the last word stands an empty one; shells leave it out.
    if args.index == words.len() {
        words.push(OsString::new());
    }
    let mut command = definition();
    command.build();
    let mut command = with_names(command, "", &names);
    let directory = program.global.location().directory;
    let found = complete(&mut command, words, args.index, Some(&directory));
    let mut found = found.unwrap_or_default();
    found.retain(|candidate| !candidate.is_hide_set());
    let is_option = |candidate: &CompletionCandidate| {
        candidate.get_value().as_encoded_bytes().starts_with(b"-")
    };
    if !found.iter().all(is_option) {
        found.retain(|candidate| !is_option(candidate));
    }
    for candidate in found {
        let help = candidate.get_help().map(ToString::to_string);
        let help = help.unwrap_or_default();
        let line = help.lines().next().unwrap_or_default();
        let value = candidate.get_value().to_string_lossy();
        // A name with a line feed cannot stand in a line.
        if !value.contains(['\n', '\t']) {
            writeln!(program.ui, "{value}\t{line}")?;
        }
    }
    Ok(Exit::Done)
}

impl Names {
    /// Reads what can be read: without a repository, the user's own.
    fn read(program: &mut Program) -> Self {
        let providers = definitions(program).map_or_else(
            |_| Vec::new(),
            |definitions| definitions.iter().map(|one| one.name.clone()).collect(),
        );
        match program.open_silently() {
            Ok(workspace) => Self::of(&workspace, providers),
            Err(_) => Self {
                providers,
                ..Self::default()
            },
        }
    }

    fn of(workspace: &Workspace, providers: Vec<String>) -> Self {
        let revisions = ["refs/heads/", "refs/tags/", "refs/remotes/"].map(|prefix| {
            let refs = workspace.repository.refs_below(prefix).unwrap_or_default();
            refs.into_iter()
                .filter_map(move |(name, _)| Some(name.strip_prefix(prefix)?.to_owned()))
        });
        let agents = workspace.agents();
        Self {
            agents: agents.iter().map(|agent| agent.id.to_string()).collect(),
            providers,
            profiles: workspace
                .profiles()
                .iter()
                .map(|profile| profile.name.clone())
                .collect(),
            sessions: sessions(&workspace.repository)
                .unwrap_or_default()
                .iter()
                .map(|folder| folder.name.as_str().to_owned())
                .collect(),
            revisions: revisions.into_iter().flatten().collect(),
        }
    }

    /// The names that an argument takes, by its own name, by that of its value, or by the command that stands above.
    fn for_argument(&self, argument: &clap::Arg, above: &str) -> Option<&Vec<String>> {
        match (argument.get_id().as_str(), value_name(argument), above) {
            ("session" | "from", ..) | ("name", _, "session") => Some(&self.sessions),
            (_, Some("agent"), _) | ("id", _, "agent") => Some(&self.agents),
            (_, Some("provider"), _) | ("name", _, "provider") => Some(&self.providers),
            (_, Some("profile"), _) | ("name", _, "profile") => Some(&self.profiles),
            (_, Some("rev"), _) => Some(&self.revisions),
            _ => None,
        }
    }
}

/// The same command, whose arguments know the names and paths that they take.
fn with_names(command: clap::Command, above: &str, names: &Names) -> clap::Command {
    let name = command.get_name().to_owned();
    // A new name is none of those that there are.
    let is_new = matches!(name.as_str(), "new" | "add" | "create" | "branch");
    let above = if is_new { "" } else { above };
    let command = command.mut_args(|argument| {
        if let Some(known) = names.for_argument(&argument, above) {
            let known = known.clone();
            return argument.add(ArgValueCandidates::new(move || {
                known.iter().map(CompletionCandidate::new).collect()
            }));
        }
        match value_name(&argument) {
            Some("node" | "path" | "list-or-path" | "directory" | "entry" | "file") => {
                argument.add(ArgValueCompleter::new(PathCompleter::any()))
            }
            _ => argument,
        }
    });
    command.mut_subcommands(|command| with_names(command, &name, names))
}

/// What help calls the value of an argument.
fn value_name(argument: &clap::Arg) -> Option<&str> {
    let names = argument.get_value_names()?;
    names.first().map(AsRef::as_ref)
}

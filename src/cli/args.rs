//! The command line as clap knows it: the list of commands, and help in the groups that the manual has.
//!
//! The arguments of a command stand beside the command, in `commands/<verb>.rs`. To add a command: a module there
//! with `Args` and `run`, a variant of [`Command`], a line in `GROUPS`.

use std::ops::Deref;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::commands::{
    agent, auth, browse, complete_words, completions, config, context, diff, doctor, explain, find,
    gc, get_head, get_node, help, hooks, init, invalidate, list_frames, log, man, map, mcp, note,
    profile, prompt, provider, put_frame, regenerate, review, scan, session, show, status, sync,
    synthesize, tiers, trust, turn, validate, watch, worker,
};
use super::error::CliError;
use super::exit::Exit;
use super::global::Global;
use super::groups::grouped;
use super::program::Program;

/// The commands under the headings they have in help and manual.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "everyday",
        &[
            "init",
            "status",
            "context",
            "map",
            "find",
            "regenerate",
            "show",
            "note",
            "affirm",
            "retract",
            "log",
            "diff",
            "review",
            "browse",
            "explain",
            "config",
            "doctor",
        ],
    ),
    (
        "frames, one call each",
        &[
            "scan",
            "put-frame",
            "list-frames",
            "get-head",
            "get-node",
            "synthesize",
            "invalidate",
            "validate",
        ],
    ),
    (
        "working with a model",
        &[
            "agent", "provider", "profile", "auth", "trust", "prompt", "tiers", "session", "turn",
            "mcp", "worker",
        ],
    ),
    ("git", &["hooks", "watch", "fetch", "push", "sync", "gc"]),
    ("help", &["help", "man", "completions"]),
];

/// What follows the program name in `--version`: git's own form, `git-merkle version 0.1.0`.
pub(super) const VERSION: &str = concat!("version ", env!("CARGO_PKG_VERSION"));

/// Everything on the command line.
#[derive(Debug, Parser)]
#[command(
    name = "git-merkle",
    bin_name = "git merkle",
    version = VERSION,
    about = "Keeps what agents know about a repository inside the repository",
    disable_help_subcommand = true,
    subcommand_value_name = "command",
    infer_long_args = true
)]
pub struct Arguments {
    /// What stands before the command, as with git itself.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create .teddy/ with starter files
    Init(Deferred<init::Args>),
    /// Build input.md, the context payload for one model turn
    Context(Deferred<context::Args>),
    /// Print a compact map of declarations and cross-file references
    Map(Deferred<map::Args>),
    /// Print the definitions that matter for a question
    Find(Deferred<find::Args>),
    /// Bring frames up to date
    Regenerate(Deferred<regenerate::args::Args>),
    /// Show the current frames of a file or directory
    Show(Deferred<show::Args>),
    /// Add a note to a file or directory
    Note(Deferred<note::Args>),
    /// Confirm that a note about earlier content still holds
    Affirm(Deferred<note::PathsArgs>),
    /// Withdraw your notes about a file or directory
    ///
    /// What is shown and sent leaves out a note that you have withdrawn. Its words stay in the store, where "git merkle log" shows
    /// them, and are shared with it, as a commit that you revert stays in its branch.
    Retract(Deferred<note::PathsArgs>),
    /// Show and change settings, and where they come from
    Config(Deferred<config::Args>),
    /// Show how many frames exist and how many are out of date
    Status(Deferred<status::Args>),
    /// Show the frames of a path over time
    Log(Deferred<log::Args>),
    /// Compare the frames of two revisions
    Diff(Deferred<diff::Args>),
    /// Show what a branch changes in what is declared, what matters first
    Review(Deferred<review::Args>),
    /// Write what is known as pages for a browser
    Browse(Deferred<browse::Args>),
    /// Explain why a frame is fresh, outdated or missing
    Explain(Deferred<explain::Args>),
    /// Check for damage and repair it
    Doctor(Deferred<doctor::Args>),
    /// Walk a snapshot and count what is in it
    Scan(Deferred<scan::Args>),
    /// Store a statement about a file or directory, by any agent that people speak for
    PutFrame(Deferred<put_frame::Args>),
    /// List all frames of a file or directory
    ListFrames(Deferred<list_frames::Args>),
    /// Print the current frame of a file or directory
    GetHead(Deferred<get_head::Args>),
    /// Show the frames of a file or directory that a view selects
    GetNode(Deferred<get_node::Args>),
    /// Combine the frames of a directory's children into one
    Synthesize(Deferred<synthesize::Args>),
    /// Mark frames invalid so that the next run regenerates them
    Invalidate(Deferred<invalidate::Args>),
    /// Check every frame in the store
    Validate(Deferred<validate::Args>),
    /// Install hooks that keep frames fresh in the background
    Hooks(Deferred<hooks::Args>),
    /// Keep frames of the work tree fresh while files change
    Watch(Deferred<watch::Args>),
    /// Fetch frames from a remote
    Fetch(Deferred<sync::FetchArgs>),
    /// Push your frames to a remote; fetch first where it has changed
    Push(Deferred<sync::Args>),
    /// Fetch frames from a remote, then push yours
    Sync(Deferred<sync::Args>),
    /// Drop frames that are superseded, unreachable or free to recompute
    Gc(Deferred<gc::Args>),
    /// List, check, create, edit and remove agents: the authors of frames
    Agent(Deferred<agent::Args>),
    /// List, test, add and remove providers: the model services, programs and people that answer
    Provider(Deferred<provider::Args>),
    /// Answer the requests that runs on other machines send through a queue
    Worker(Deferred<worker::Args>),
    /// List and check profiles: the parameters of requests
    Profile(Deferred<profile::Args>),
    /// Store provider keys in git's credential helpers
    Auth(Deferred<auth::Args>),
    /// Accept this repository's agents, prompts and profiles, by content hash
    Trust(Deferred<trust::Args>),
    /// Print the exact request and its estimated cost without sending it
    Prompt(Deferred<prompt::Args>),
    /// Show which cache tier each part of a session's prompt is in, and why
    Tiers(Deferred<tiers::Args>),
    /// Start, list, show, branch, rename and remove sessions with a model or a person
    Session(Deferred<session::Args>),
    /// Start, send, answer and review the turns of a session
    Turn(Deferred<turn::Args>),
    /// Serve coding agents over the Model Context Protocol
    Mcp(Deferred<mcp::Args>),
    /// Show the options of a command
    Help(Deferred<help::Args>),
    /// Print a manual page, or install all of them
    Man(Deferred<man::Args>),
    /// Print or install the completions of bash, zsh or fish
    Completions(Deferred<completions::Args>),
    /// Print what a word of a command line can become
    #[command(hide = true)]
    CompleteWords(Deferred<complete_words::Args>),
}

/// Arguments of a command that are defined when it is the one that runs: all commands have hundreds.
#[derive(Debug)]
pub struct Deferred<A>(A);

impl<A> Deref for Deferred<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: FromArgMatches> FromArgMatches for Deferred<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        A::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Defines arguments of a command that keeps its own description, a line for `-h` and `--help`.
fn described(command: clap::Command, define: fn(clap::Command) -> clap::Command) -> clap::Command {
    let about = command.get_about().cloned().unwrap_or_default();
    define(command).about(about).long_about(None::<&str>)
}

impl<A: Args> Args for Deferred<A> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.defer(|command| described(command, A::augment_args))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command.defer(|command| described(command, A::augment_args_for_update))
    }
}

impl Command {
    /// Before anything is opened: the hooks' worker detaches from its parent.
    pub fn settle(&self) {
        if let Self::Hooks(args) = self {
            args.settle();
        }
    }

    /// Runs the subcommand.
    pub fn run(&self, program: &mut Program) -> Result<Exit, CliError> {
        match self {
            Self::Init(args) => init::run(args, program),
            Self::Context(args) => context::run(args, program),
            Self::Map(args) => map::run(args, program),
            Self::Find(args) => find::run(args, program),
            Self::Regenerate(args) => regenerate::run(args, program),
            Self::Show(args) => show::run(args, program),
            Self::Scan(args) => scan::run(args, program),
            Self::Log(args) => log::run(args, program),
            Self::Diff(args) => diff::run(args, program),
            Self::Review(args) => review::run(args, program),
            Self::Browse(args) => browse::run(args, program),
            Self::Explain(args) => explain::run(args, program),
            Self::Doctor(args) => doctor::run(args, program),
            Self::Status(args) => status::run(args, program),
            Self::PutFrame(args) => put_frame::run(args, program),
            Self::ListFrames(args) => list_frames::run(args, program),
            Self::GetHead(args) => get_head::run(args, program),
            Self::GetNode(args) => get_node::run(args, program),
            Self::Synthesize(args) => synthesize::run(args, program),
            Self::Invalidate(args) => invalidate::run(args, program),
            Self::Note(args) => note::run(args, program),
            Self::Affirm(args) => note::affirm(args, program),
            Self::Retract(args) => note::retract(args, program),
            Self::Validate(args) => validate::run(args, program),
            Self::Hooks(args) => hooks::run(args, program),
            Self::Watch(args) => watch::run(args, program),
            Self::Fetch(args) => sync::fetch(args, program),
            Self::Push(args) => sync::push(args, program),
            Self::Sync(args) => sync::sync(args, program),
            Self::Gc(args) => gc::run(args, program),
            Self::Agent(args) => agent::run(args, program),
            Self::Provider(args) => provider::run(args, program),
            Self::Worker(args) => worker::run(args, program),
            Self::Profile(args) => profile::run(args, program),
            Self::Auth(args) => auth::run(args, program),
            Self::Trust(args) => trust::run(args, program),
            Self::Prompt(args) => prompt::run(args, program),
            Self::Tiers(args) => tiers::run(args, program),
            Self::Session(args) => session::run(args, program),
            Self::Turn(args) => turn::run(args, program),
            Self::Config(args) => config::run(args, program),
            Self::Mcp(args) => mcp::run(args, program),
            Self::Help(args) => help::run(args, program),
            Self::Man(args) => man::run(args, program),
            Self::Completions(args) => completions::run(args, program),
            Self::CompleteWords(args) => complete_words::run(args, program),
        }
    }
}

/// The command line as clap knows it, with its help in groups.
#[must_use]
pub fn definition() -> clap::Command {
    let definition = Arguments::command();
    let commands = grouped(&definition, GROUPS);
    definition.help_template(format!(
        "{{about}}\n\nUsage: {{usage}}\n{commands}\nOptions:\n{{options}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_sound() {
        definition().debug_assert();
    }

    #[test]
    fn every_visible_command_stands_in_one_group() {
        let listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        for command in definition()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            let count = listed
                .iter()
                .filter(|name| **name == command.get_name())
                .count();
            assert_eq!(count, 1, "'{}' is in {count} groups", command.get_name());
        }
        for name in listed {
            assert!(
                definition().find_subcommand(name).is_some(),
                "'{name}' is no command"
            );
        }
    }
}

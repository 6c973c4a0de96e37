//! The command line: global options, the list of commands, and help in the groups that the manual has.
//!
//! The arguments of a command stand beside the command, in `commands/<verb>.rs`. To add a command: a module there
//! with `Args` and `run`, a variant of [`Command`], a line in `GROUPS`.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::commands::{
    agent, auth, browse, complete_words, completions, config, context, diff, doctor, explain, find,
    gc, get_head, get_node, help, hooks, init, invalidate, list_frames, log, man, map, mcp, note,
    profile, prompt, provider, put_frame, regenerate, review, scan, session, show, status, sync,
    synthesize, tiers, trust, turn, validate, watch, worker,
};
use super::error::CliError;
use super::exit::Exit;
use super::program::Program;
use crate::base::Shelf;
use crate::config::Environment;
use crate::git::Location;
use crate::secret::FindingId;
use crate::workspace::{When, Workspace, WorkspaceError};

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
    Regenerate(Deferred<regenerate::Args>),
    /// Show the current frames of a file or directory
    Show(Deferred<show::Args>),
    /// Add a note to a file or directory
    Note(Deferred<note::Args>),
    /// Confirm that a note about earlier content still holds
    Affirm(Deferred<note::PathsArgs>),
    /// Withdraw your notes about a file or directory
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
    /// Fetch frames from a remote, then push yours
    Push(Deferred<sync::Args>),
    /// Same as push
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
    /// Start, list, show, branch, rename and delete sessions with a model or a person
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
            Self::Push(args) | Self::Sync(args) => sync::run(args, program),
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

/// What the command line says.
#[derive(Debug)]
pub enum Invocation {
    /// Run a command.
    Run(Box<Arguments>),
    /// Print this on standard output and be done.
    Print(String),
}

impl Arguments {
    /// Reads the command line, program name first.
    pub fn parse_from_os(arguments: &[OsString]) -> Result<Invocation, CliError> {
        match definition()
            .try_get_matches_from(arguments)
            .and_then(|matches| Self::from_arg_matches(&matches))
        {
            Ok(parsed) => Ok(Invocation::Run(Box::new(parsed))),
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                let is_long = arguments.iter().any(|word| word == "--help");
                let names = super::help::named_command(&error, arguments);
                Ok(Invocation::Print(super::help::help(&names, is_long)?))
            }
            Err(error) if !error.use_stderr() => Ok(Invocation::Print(error.render().to_string())),
            Err(error) => Err(usage_error(&error, arguments)),
        }
    }
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

/// The command line as clap knows it, with its help in groups.
#[must_use]
pub fn definition() -> clap::Command {
    let definition = Arguments::command();
    let commands = super::help::grouped(&definition, GROUPS);
    definition.help_template(format!(
        "{{about}}\n\nUsage: {{usage}}\n{commands}\nOptions:\n{{options}}"
    ))
}

/// Turns clap's several paragraphs into one message and hints.
fn usage_error(error: &clap::Error, arguments: &[OsString]) -> CliError {
    let text = error.render().to_string();
    let is_bare = matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    );
    let failed = if is_bare {
        CliError::new(Exit::Usage, "no command given")
    } else {
        let first = text
            .strip_prefix("error: ")
            .unwrap_or(&text)
            .lines()
            .take_while(|line| !line.is_empty());
        CliError::new(
            Exit::Usage,
            first.map(str::trim).collect::<Vec<_>>().join(" "),
        )
    };
    let tips = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tip: "));
    tips.fold(failed, CliError::hint).hint(format!(
        "see '{} -h'",
        super::help::shown(&super::help::named_command(error, arguments))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Invocation, CliError> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Arguments::parse_from_os(&words)
    }

    fn arguments(line: &str) -> Arguments {
        match parse(line) {
            Ok(Invocation::Run(arguments)) => *arguments,
            other => panic!("'{line}' does not run: {other:?}"),
        }
    }

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

    #[test]
    fn directories_add_up_as_with_git() {
        let location =
            arguments("git-merkle -C a -C b --git-dir c.git -c merkle.notes -c merkle.x=1=2 init")
                .global
                .location();
        assert_eq!(location.directory, Path::new("a/b"));
        assert_eq!(location.git_dir.as_deref(), Some(Path::new("a/b/c.git")));
        assert_eq!(location.settings, ["merkle.notes", "merkle.x=1=2"]);
        assert_eq!(
            arguments("git-merkle -C a -C /b init")
                .global
                .location()
                .directory,
            Path::new("/b")
        );
        assert_eq!(
            arguments("git-merkle init").global.location().directory,
            Path::new("")
        );
    }

    #[test]
    fn output_options_stand_on_either_side() {
        for line in [
            "git-merkle --json -z --color init",
            "git-merkle init --json -z --color=always",
        ] {
            let output = arguments(line).global.output;
            assert!(
                output.json && output.nul && output.color == Some(When::Always),
                "{line}"
            );
        }
    }

    #[test]
    fn help_is_an_answer_and_usage_an_error_with_a_hint() {
        assert!(
            matches!(parse("git-merkle -h"), Ok(Invocation::Print(text)) if text.contains("\neveryday\n   init "))
        );
        assert!(
            matches!(parse("git-merkle init -h"), Ok(Invocation::Print(text)) if text.contains("Usage: git merkle init"))
        );
        for (line, message, hint) in [
            (
                "git-merkle ini",
                "unrecognized subcommand 'ini'",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle init --bogus",
                "unexpected argument '--bogus' found",
                "hint: see 'git merkle init -h'",
            ),
            (
                "git-merkle --color=mauve init",
                "expected auto, always or never",
                "hint: see 'git merkle init -h'",
            ),
            (
                "git-merkle -C show map --budget x",
                "expected a number, such as 8000 or 8k",
                "hint: see 'git merkle map -h'",
            ),
            (
                "git-merkle turn run --max-calls",
                "a value is required",
                "hint: see 'git merkle turn run -h'",
            ),
            (
                "git-merkle -c x init",
                "expected <section>.<key>=<value>",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle",
                "no command given",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle --json",
                "no command given",
                "hint: see 'git merkle -h'",
            ),
            (
                "git-merkle config",
                "no command given",
                "hint: see 'git merkle config -h'",
            ),
            (
                "git-merkle config lis",
                "a similar subcommand exists: 'list'",
                "hint: see 'git merkle config -h'",
            ),
        ] {
            let error = parse(line).expect_err(line);
            let text = error.render_text();
            assert!(
                text.contains(message) && text.contains(hint),
                "{line}: {text}"
            );
            assert_eq!(error.exit(), Exit::Usage);
        }
    }
}

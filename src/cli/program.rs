//! One run of the program: from the command line to the exit code.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use super::args::{Arguments, Command, Global, Invocation, VERSION};
use super::error::CliError;
use super::exit::Exit;
use super::pager;
use super::ui::{self, OutputError, SharedText, Ui};
use crate::base::count::counted;
use crate::config::Environment;
use crate::frame::Skipped;
use crate::git::Prompt;
use crate::hook;
use crate::secret::Allowed;
use crate::workspace::Workspace;

/// What every command is given.
pub struct Program {
    /// Where to look, and how to speak.
    pub global: Global,
    /// The environment, read once.
    pub environment: Environment,
    /// The answer, and everything else that is said.
    pub ui: Ui,
    /// Entries of the frame store that the command has passed over.
    skipped: Skipped,
}

/// Entries that are named one by one.
const SKIPPED_NAMED_MAX: usize = 20;

impl Program {
    /// Opens the repository and its settings; settings that are ignored are warned about.
    pub fn open(&mut self) -> Result<Workspace, CliError> {
        let workspace = self.open_silently()?;
        self.warn_of_ignored(&workspace);
        Ok(workspace)
    }

    /// The same for a command with a long answer: on a terminal the rest of it runs under the user's pager.
    pub fn open_paged(&mut self) -> Result<Workspace, CliError> {
        let workspace = self.open_silently()?;
        self.page();
        self.warn_of_ignored(&workspace);
        Ok(workspace)
    }

    /// Goes on under the user's pager, where a person sits at the other end; to be called before anything is said.
    pub fn page(&self) {
        if let Some(command) = self.ui.pager(&self.environment) {
            if self.ui.has_local_pager() {
                self.ui.warn("the pager that this repository's own configuration names is not run; name it in yours");
            }
            let error = pager::become_pager(&command, &self.environment);
            self.ui
                .warn(&format!("cannot run pager '{command}': {error}"));
        }
    }

    /// What may pass here though it looks like a secret; `--allow-secret` is remembered.
    pub fn allowed_secrets(&self, workspace: &Workspace) -> Result<Allowed, CliError> {
        let outcome = workspace.allowed_secrets(&self.global.allow_secret);
        outcome.map_err(|error| CliError::io("cannot write what is allowed", error))
    }

    /// Signs what was said here and waits for it; how many statements that were. What was not signed is told, and waits.
    pub fn sign(&self, workspace: &Workspace) -> usize {
        let prompt = if self.ui.can_ask() {
            Prompt::Allowed
        } else {
            Prompt::Never
        };
        workspace.sign(prompt).unwrap_or_else(|error| {
            let (count, error) = (workspace.unsigned(), CliError::from(error));
            self.ui.warn(&format!(
                "{count} {} not signed: {error}",
                if count == 1 {
                    "statement is"
                } else {
                    "statements are"
                }
            ));
            error.hints().iter().for_each(|hint| self.ui.note(hint));
            0
        })
    }

    /// Opens the repository and its settings, and warns of nothing.
    pub fn open_silently(&mut self) -> Result<Workspace, CliError> {
        let workspace = self.global.open(&self.environment)?;
        self.skipped = workspace.skipped.clone();
        self.ui.adopt(workspace.settings.presentation.clone());
        Ok(workspace)
    }

    fn warn_of_skipped(&self) {
        let skipped = self.skipped.take();
        for (path, reason) in skipped.iter().take(SKIPPED_NAMED_MAX) {
            self.ui
                .warn(&format!("frame '{path}' is skipped: {reason}"));
        }
        if let Some(more) = skipped
            .len()
            .checked_sub(SKIPPED_NAMED_MAX)
            .filter(|more| *more > 0)
        {
            self.ui.warn(&format!(
                "{} skipped; 'git merkle validate' names them",
                counted(more as u64, "more frame is", "more frames are")
            ));
        }
    }

    fn warn_of_ignored(&self, workspace: &Workspace) {
        if let Some(error) = hook::log::take_error(&workspace.state) {
            self.ui.warn(&format!("the hooks' worker: {error}"));
        }
        for warning in workspace.settings.warnings() {
            self.ui.warn(&warning);
        }
    }
}

/// Runs the program with its arguments, program name first.
///
/// `--version` alone is answered before anything else is built: scripts ask for it.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.len() == 2 && arguments[1] == "--version" {
        return print(&format!("git-merkle {VERSION}\n"), &Environment::default()).into();
    }
    let environment = Environment::capture();
    let result = match Arguments::parse_from_os(&arguments) {
        Ok(Invocation::Print(text)) => print(&text, &environment),
        Ok(Invocation::Run(parsed)) => execute(*parsed, environment),
        Err(error) => {
            let json = arguments.iter().any(|argument| argument == "--json");
            return report(&error, json).into();
        }
    };
    result.into()
}

fn execute(arguments: Arguments, environment: Environment) -> Exit {
    let Arguments { global, command } = arguments;
    let json = global.output.json;
    command.settle();
    let ui = Ui::new(global.output, &environment);
    run_command(&command, global, environment, ui).unwrap_or_else(|error| report(&error, json))
}

/// Runs one command; what it says goes where the user interface sends it, the error to the caller.
fn run_command(
    command: &Command,
    global: Global,
    environment: Environment,
    ui: Ui,
) -> Result<Exit, CliError> {
    let mut program = Program {
        ui,
        global,
        environment,
        skipped: Skipped::default(),
    };
    let result = command.run(&mut program);
    let flushed = program.ui.flush();
    program.warn_of_skipped();
    let exit = result?;
    flushed?;
    Ok(exit)
}

/// What a command line has answered inside this process.
#[derive(Debug)]
pub struct Captured {
    /// What the command would have printed to standard output.
    pub text: String,
    /// Its warnings and notes, one a line.
    pub remarks: String,
    /// How it ended.
    pub result: Result<Exit, CliError>,
}

/// Runs a command line inside this process, without its streams; where to look is the caller's, and `words` begin with
/// the command's name.
#[must_use]
pub fn capture(words: &[OsString], global: &Global, environment: &Environment) -> Captured {
    let (text, remarks) = (SharedText::default(), SharedText::default());
    let program = OsString::from("git-merkle");
    let line: Vec<OsString> = std::iter::once(program).chain(words.to_vec()).collect();
    let result = Arguments::parse_from_os(&line).and_then(|request| match request {
        Invocation::Print(help) => {
            let mut text = text.clone();
            let written = text.write_all(help.as_bytes()).map_err(OutputError::from);
            written.map(|()| Exit::Done).map_err(CliError::from)
        }
        Invocation::Run(parsed) => {
            let Arguments {
                global: own,
                command,
            } = *parsed;
            let mut global = global.clone();
            global.output = own.output;
            let ui = Ui::keeping(own.output, text.clone(), remarks.clone());
            run_command(&command, global, environment.clone(), ui)
        }
    });
    Captured {
        text: text.take(),
        remarks: remarks.take(),
        result,
    }
}

fn print(text: &str, environment: &Environment) -> Exit {
    let mut ui = Ui::new(super::args::Output::default(), environment);
    match ui.write_bytes(text.as_bytes()).and_then(|()| ui.flush()) {
        Ok(()) => Exit::Done,
        Err(error) => report(&error.into(), false),
    }
}

fn report(error: &CliError, json: bool) -> Exit {
    if !error.is_silent() {
        ui::complain(&if json {
            error.render_json() + "\n"
        } else {
            error.render_text()
        });
    }
    error.exit()
}

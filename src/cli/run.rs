//! One run of the program: from the command line to the exit code.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use super::args::{Arguments, Command, VERSION};
use super::error::CliError;
use super::exit::Exit;
use super::global::{Global, Output};
use super::parse::{Invocation, parse};
use super::program::Program;
use super::ui::{self, OutputError, SharedText, Ui};
use crate::config::Environment;
use crate::frame::Skipped;

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
    let result = match parse(&arguments) {
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
    let result = parse(&line).and_then(|request| match request {
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
    let mut ui = Ui::new(Output::default(), environment);
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

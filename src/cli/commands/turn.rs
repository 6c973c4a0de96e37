//! `git merkle turn`: begin, ask, answer and judge the turns of a session.

mod apply;
mod failure;
mod opened;
mod recipient;
mod run;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::str::FromStr;

use serde::Serialize;

use self::opened::tell_state;
use self::recipient::RecipientArgs;
use super::session::{next_words, open_named, parse_phase};
use crate::base::limit::FILE_BYTES_MAX;
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::{CliError, Exit, amount, clipboard, editor, given};
use crate::profile::Phase;
use crate::session::folder::{INPUT, REPLACED, REPORT, prompt_file, response_file};
use crate::session::record::BY_PERSON;
use crate::session::{
    self, Judgement, Next, OpenSession, Question, SessionError, Status, TurnNumber, TurnOptions,
};
use crate::workspace::Workspace;

/// Arguments of `turn`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Start the next turn: write its payload and its prompt, and send nothing
    New(New),
    /// Send the open turn to its provider, or wait for a manual answer
    Run(run::Run),
    /// Submit the answer of the open turn
    Respond(Respond),
    /// Accept the answer of the open turn, or the work after a review
    Approve(Approve),
    /// Reject the answer, and say what to improve
    Reject(Reject),
    /// Write the files of an accepted answer into the work tree, all of them or none
    Apply(apply::Apply),
    /// Show a file of a turn
    Show(Show),
}

#[derive(Debug, clap::Args)]
struct New {
    #[command(flatten)]
    whom: RecipientArgs,
    /// The request (default: that of the turn before; before the first one an editor opens on a terminal)
    #[arg(long, short = 'm', value_name = "request", conflicts_with = "file")]
    message: Option<String>,
    /// Read the request from a file; '-' reads standard input
    #[arg(long, short = 'F', value_name = "file")]
    file: Option<PathBuf>,
    /// Edit the request, starting from -m, -F or that of the turn before
    #[arg(long, short = 'e', conflicts_with = "prompt_file")]
    edit: bool,
    /// Send only the text of this file: a prompt that was written elsewhere
    #[arg(long, value_name = "file", conflicts_with_all = ["message", "file"])]
    prompt_file: Option<PathBuf>,
    /// The phase (default: the one that follows the turn before)
    #[arg(long, value_name = "phase", value_parser = parse_phase)]
    phase: Option<Phase>,
    /// Also show this, in this turn and the ones after
    #[arg(long, value_name = "entry")]
    add: Vec<String>,
    /// No longer show this
    #[arg(long, value_name = "entry")]
    drop: Vec<String>,
    /// Attach this image to the request: PNG, JPEG, GIF or WebP
    #[arg(
        long = "image",
        value_name = "file",
        conflicts_with = "prompt_file",
        hide_short_help = true
    )]
    images: Vec<PathBuf>,
    /// Limit the payload to this many tokens (an estimate)
    #[arg(long, value_name = "tokens", value_parser = amount::count)]
    budget: Option<u64>,
    /// Copy the prompt to the clipboard as well, with wl-copy, xclip, xsel or pbcopy, else through the terminal
    #[arg(long)]
    copy: bool,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Debug, clap::Args)]
struct Respond {
    /// A file with the answer; '-' reads standard input (default: on a terminal an editor opens, to paste it into)
    #[arg(value_name = "file")]
    file: Option<PathBuf>,
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Approve {
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
    /// A remark for the report
    #[arg(
        long,
        short = 'm',
        value_name = "remark",
        default_value = "",
        hide_default_value = true
    )]
    message: String,
}

#[derive(Debug, clap::Args)]
struct Reject {
    /// What to improve
    #[arg(long, short = 'm', value_name = "feedback")]
    message: String,
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The turn (default: the last)
    #[arg(value_name = "number", value_parser = TurnNumber::from_str)]
    number: Option<TurnNumber>,
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
    /// The file to show (default: the report, the answer or the prompt, whichever is newest)
    #[arg(long, value_name = "file", value_parser = ["input", "prompt", "response", "report"])]
    file: Option<String>,
}

#[derive(Serialize)]
struct BegunDocument<'a> {
    session: &'a str,
    turn: String,
    phase: &'static str,
    iteration: u32,
    provider: Option<&'a str>,
    /// Where the prompt is, below the work tree.
    prompt: String,
    /// Where the answer is expected.
    response: String,
    tokens_estimated: u64,
    notes: &'a [&'a str],
}

#[derive(Serialize)]
struct TextDocument<'a> {
    turn: String,
    file: &'a str,
    text: &'a str,
}

/// Runs the subcommand.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    match &args.action {
        Action::New(new) => begin(new, &workspace, program),
        Action::Run(run) => run::run(run, &workspace, program),
        Action::Respond(respond) => hand_in(respond, &workspace, program),
        Action::Approve(Approve { session, message }) => {
            judge(session.as_deref(), true, message, &workspace, program)
        }
        Action::Reject(reject) if reject.message.trim().is_empty() => Err(CliError::new(
            Exit::Usage,
            "nothing was said about what to do better",
        )
        .hint("say it with '-m <feedback>'")),
        Action::Reject(Reject { session, message }) => {
            judge(session.as_deref(), false, message, &workspace, program)
        }
        Action::Apply(args) => apply::run(args, &workspace, program),
        Action::Show(show) => show_file(show, &workspace, program),
    }
}

fn begin(new: &New, workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let mut open = open_named(new.whom.session.as_deref(), workspace, program)?;
    // An answer that waits, paid for or written with an editor, is one to what was asked until now.
    if matches!(open.session.next(), Next::Finish(_))
        && session::answer::take_answer(&workspace.repository, &mut open, None)?.is_some()
    {
        run::judge_review(&mut open, program)?;
    }
    let read = |file: &Option<PathBuf>| {
        file.as_ref()
            .map(|file| given::read(program, file, FILE_BYTES_MAX))
            .transpose()
    };
    let options = TurnOptions {
        phase: new.phase,
        request: request(new, &open, workspace, program)?,
        text: read(&new.prompt_file)?,
        add: super::context::entries(workspace, &new.add)?,
        drop: super::context::entries(workspace, &new.drop)?,
        tokens_max: new.budget,
        snapshot: new.snapshot.recorded(workspace, &program.ui)?,
        images: new
            .images
            .iter()
            .map(|file| Ok(given::image(program, file)?.0))
            .collect::<Result<_, CliError>>()?,
    };
    let replaced = replaced_words(&open, &options);
    let question =
        session::turn::begin_turn(workspace, &mut open, &options, &new.whom.asking(program))?;
    if let Some(words) = &replaced {
        program.ui.warn(words);
    }
    if new.copy {
        let taker = clipboard::copy(question.words.text.as_bytes(), &program.environment)?;
        program
            .ui
            .note(&format!("the prompt is copied with {taker}"));
    }
    tell_begun(&open, &question, program)
}

/// What the command line says, or the user's editor; `None` for the request of the turn before.
fn request(
    new: &New,
    open: &OpenSession,
    workspace: &Workspace,
    program: &Program,
) -> Result<Option<String>, CliError> {
    let file = new.file.as_ref();
    let file = file.map(|file| given::read(program, file, FILE_BYTES_MAX));
    let said = file.transpose()?.or_else(|| new.message.clone());
    let before = open.session.turns.last();
    let is_missing = said.is_none() && before.is_none() && new.prompt_file.is_none();
    let is_edited = new.edit || is_missing && std::io::stdin().is_terminal();
    if !is_edited {
        return Ok(said);
    }
    let start = said.or_else(|| before.map(|(_, turn)| turn.request.clone()));
    let help = format!(
        "The request of the next turn of session '{}'. No turn begins if it is empty.",
        open.folder.name
    );
    let start = start.unwrap_or_default();
    let text = editor::edit(workspace, &program.environment, start.trim_end(), &help)?;
    if text.is_empty() {
        return Err(CliError::new(
            Exit::No,
            "nothing is sent: the request is empty",
        ));
    }
    Ok(Some(text))
}

/// Which request goes when one that has no answer is replaced by another, and where its words are kept.
fn replaced_words(open: &OpenSession, options: &TurnOptions) -> Option<String> {
    let (number, turn) = open.session.turns.last()?;
    let request = options.text.as_ref().or(options.request.as_ref())?;
    if turn.status() != Status::Ready || *request == turn.request {
        return None;
    }
    let first = turn.request.lines().next().unwrap_or_default();
    let file = open.folder.relative(Some(*number), REPLACED);
    Some(format!(
        "turn {number} has no answer yet, and its request is replaced: '{first}'; its words are kept in '{}'",
        file.display()
    ))
}

fn tell_begun(
    open: &OpenSession,
    question: &Question,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let phase = question.turn.phase;
    let prompt = open
        .folder
        .relative(Some(question.number), &prompt_file(phase))
        .display()
        .to_string();
    let response = open
        .folder
        .relative(Some(question.number), &response_file(phase))
        .display()
        .to_string();
    let ui = &mut program.ui;
    let notes: Vec<&str> = question
        .turn
        .notes
        .iter()
        .chain(&question.turn.clamps)
        .map(String::as_str)
        .collect();
    for note in &notes {
        ui.note(note);
    }
    if ui.is_json() {
        let document = BegunDocument {
            session: open.folder.name.as_str(),
            turn: question.number.to_string(),
            phase: phase.as_str(),
            iteration: question.turn.iteration,
            provider: question
                .definition
                .as_ref()
                .map(|definition| definition.name.as_str()),
            prompt,
            response,
            tokens_estimated: question.turn.prompt_tokens_estimated,
            notes: &notes,
        };
        ui.write_json("turn", &document)?;
        return Ok(Exit::Done);
    }
    writeln!(ui, "{prompt}")?;
    let tokens = question.turn.prompt_tokens_estimated;
    let name = &open.folder.name;
    ui.note(&if question.is_manual() {
        format!("turn {}: about {tokens} tokens; paste it into a chat and put the answer into '{response}'", question.number)
    } else {
        format!("turn {}: about {tokens} tokens; send it with 'git merkle turn run --session {name}'", question.number)
    });
    Ok(Exit::Done)
}

fn hand_in(
    respond: &Respond,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let mut open = open_named(respond.session.as_deref(), workspace, program)?;
    let text = match &respond.file {
        Some(file) => given::read(program, file, FILE_BYTES_MAX)?,
        None => pasted(&open, workspace, program)?,
    };
    session::answer::respond(&workspace.repository, &mut open, &text)?;
    run::judge_review(&mut open, program)?;
    tell_state(&open, program)
}

/// An answer that the user pastes into an editor.
fn pasted(
    open: &OpenSession,
    workspace: &Workspace,
    program: &Program,
) -> Result<String, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::new(Exit::Usage, "no answer is given")
            .hint("git merkle turn respond <file>, or '-' for standard input"));
    }
    let help = format!(
        "The answer to the open turn of session '{}', as it is. Nothing is handed in if it is empty.",
        open.folder.name
    );
    let text = editor::edit(workspace, &program.environment, "", &help)?;
    if text.is_empty() {
        return Err(CliError::new(
            Exit::No,
            "nothing is answered: the text is empty",
        ));
    }
    Ok(text + "\n")
}

fn judge(
    session: Option<&str>,
    is_approved: bool,
    message: &str,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let mut open = open_named(session, workspace, program)?;
    // The answer may have been written with an editor since.
    session::answer::take_answer(&workspace.repository, &mut open, None)?;
    let judgement = Judgement {
        is_approved,
        by: BY_PERSON,
        feedback: message,
        took: (None, None),
    };
    session::turn::judge(&mut open, judgement)?;
    tell_state(&open, program)
}

fn show_file(show: &Show, workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let folder = session::open::session_folder(&workspace.repository, show.session.as_deref())?;
    let session = folder.load()?;
    let last = session.turns.last().map(|(number, _)| *number);
    let number = show.number.or(last).ok_or_else(|| {
        CliError::new(
            Exit::Refused,
            format!("session '{}' has no turn yet", folder.name),
        )
        .hint(next_words(&folder, &session))
    })?;
    let turn = session
        .turn(number)
        .ok_or_else(|| SessionError::NoTurn(folder.name.clone(), number))?;
    let (prompt, response) = (prompt_file(turn.phase), response_file(turn.phase));
    let wanted: Vec<&str> = match show.file.as_deref() {
        Some("input") => vec![INPUT],
        Some("prompt") => vec![&prompt],
        Some("response") => vec![&response],
        Some(_) => vec![REPORT],
        None => vec![REPORT, &response, &prompt],
    };
    for name in &wanted {
        let Some(text) = folder.read(Some(number), name)? else {
            continue;
        };
        let ui = &mut program.ui;
        if ui.is_json() {
            ui.write_json(
                "turn-show",
                &TextDocument {
                    turn: number.to_string(),
                    file: name,
                    text: &text,
                },
            )?;
        } else {
            program.ui.write_text(&text)?;
        }
        return Ok(Exit::Done);
    }
    Err(
        CliError::new(Exit::No, format!("turn {number} has no '{}'", wanted[0]))
            .hint(next_words(&folder, &session)),
    )
}

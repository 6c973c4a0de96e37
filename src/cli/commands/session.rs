//! `git merkle session`: begin, list, show and branch sessions.

use std::str::FromStr;

use serde::Serialize;

use crate::base::Cost;
use crate::base::count::counted;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui, amount};
use crate::profile::{Phase, ProviderRole};
use crate::session::folder::{HISTORY, Session};
use crate::session::history::{History, HistoryEntry};
use crate::session::name::NameError;
use crate::session::record::usd;
use crate::session::{
    self, ChoiceError, Next, OpenSession, SessionError, SessionFolder, SessionLimits, SessionName,
    SessionRecord, Status, TurnNumber, TurnRecord,
};
use crate::workspace::Workspace;

/// Turns of a session that says nothing about them: an unattended loop ends.
const TURNS_DEFAULT: u32 = 100;

/// Arguments of `session`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Start a session
    New(Box<New>),
    /// List sessions and their state
    List,
    /// Show the turns of a session, or search its messages
    Show(Show),
    /// Start a session from the turns of another
    Branch(Branch),
    /// Give a session another name
    Rename(Rename),
    /// Remove a session with its turns
    #[command(aliases = ["rm", "delete"])]
    Remove(Remove),
}

#[derive(Debug, clap::Args)]
struct New {
    /// Its name
    #[arg(value_name = "name", value_parser = SessionName::from_str)]
    name: SessionName,
    /// Show this in every turn: a path, glob, dir/, dir/**, <rev>:<path>, frame:<node>, URL or *.context
    #[arg(short = 'c', long = "context", value_name = "entry", num_args = 1..)]
    entries: Vec<String>,
    /// The profile with the requests' parameters (default: merkle.defaultProfile)
    #[arg(long, value_name = "profile")]
    profile: Option<String>,
    /// The kind of work, a scope of the profile
    #[arg(long, value_name = "scope", hide_short_help = true)]
    scope: Option<String>,
    /// The phase of the first turn
    #[arg(long, value_name = "phase", value_parser = parse_phase, default_value = "planning")]
    phase: Phase,
    /// Provider of the planning phase
    #[arg(long, value_name = "provider", hide_short_help = true)]
    planner: Option<String>,
    /// Provider of the generating phase
    #[arg(long, value_name = "provider", hide_short_help = true)]
    generator: Option<String>,
    /// Provider of the reviewing phase
    #[arg(long, value_name = "provider", hide_short_help = true)]
    reviewer: Option<String>,
    /// Provider of the revising phase
    #[arg(long, value_name = "provider", hide_short_help = true)]
    reviser: Option<String>,
    /// Provider that summarizes old messages (default: a rule, which keeps their beginnings)
    #[arg(long, value_name = "provider", hide_short_help = true)]
    summarizer: Option<String>,
    /// Limit the session to this many turns
    #[arg(long, value_name = "number", default_value_t = TURNS_DEFAULT, hide_short_help = true)]
    max_turns: u32,
    /// Limit all turns together to this many tokens, input and output
    #[arg(long, value_name = "number", value_parser = amount::count, hide_short_help = true)]
    max_tokens: Option<u64>,
    /// Limit all turns together to this many US dollars
    #[arg(long, value_name = "usd", value_parser = amount::dollars, hide_short_help = true)]
    max_cost: Option<u64>,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(value_name = "name")]
    name: Option<String>,
    /// Print only messages with this text, ignoring case
    #[arg(long, value_name = "text")]
    search: Option<String>,
    /// Print the messages, the oldest summarized where there are many
    #[arg(long, conflicts_with = "search")]
    history: bool,
}

#[derive(Debug, clap::Args)]
struct Branch {
    /// The session to start from
    #[arg(value_name = "from")]
    from: String,
    /// The name of the new session
    #[arg(value_name = "name", value_parser = SessionName::from_str)]
    name: SessionName,
    /// Copy the turns up to this one (default: all)
    #[arg(long, value_name = "number", value_parser = TurnNumber::from_str)]
    at: Option<TurnNumber>,
}

#[derive(Debug, clap::Args)]
struct Rename {
    /// The session
    #[arg(value_name = "from")]
    from: String,
    /// Its new name
    #[arg(value_name = "name", value_parser = SessionName::from_str)]
    name: SessionName,
}

#[derive(Debug, clap::Args)]
struct Remove {
    /// The session
    #[arg(value_name = "name")]
    name: String,
    /// Delete it though it is not complete
    #[arg(long, short = 'f')]
    force: bool,
}

#[derive(Serialize)]
struct RemovedDocument<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct ListDocument {
    sessions: Vec<SessionDocument>,
}

#[derive(Serialize)]
struct SessionDocument {
    name: String,
    /// `planning`, `generating`, `reviewing`, `revising` or `complete`.
    phase: &'static str,
    turns: usize,
    /// What is to be done next, in words.
    next: String,
    tokens: u64,
    cost_usd: f64,
    parent: Option<String>,
}

#[derive(Serialize)]
struct ShowDocument {
    #[serde(flatten)]
    session: SessionDocument,
    log: Vec<TurnDocument>,
}

#[derive(Serialize)]
struct TurnDocument {
    turn: String,
    phase: &'static str,
    iteration: u32,
    status: &'static str,
    by: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
    cost_usd: Option<f64>,
    request: String,
}

#[derive(Serialize)]
struct HistoryDocument<'a> {
    entries: Vec<&'a HistoryEntry>,
}

/// Runs the subcommand.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    match &args.action {
        Action::New(new) => begin(new, &workspace, program),
        Action::List => list(&workspace, program),
        Action::Show(show) => show_one(show, &workspace, program),
        Action::Branch(branch) => branch_off(branch, &workspace, program),
        Action::Rename(args) => {
            let from = open_named(Some(&args.from), &workspace, program)?;
            let folder = session::open::rename_session(&workspace, &from, &args.name)?;
            tell_begun(&folder, program)
        }
        Action::Remove(args) => remove(args, &workspace, program),
    }
}

/// Reads a phase by its word.
pub(super) fn parse_phase(text: &str) -> Result<Phase, String> {
    Phase::ALL
        .into_iter()
        .find(|phase| phase.as_str() == text)
        .ok_or_else(|| "expected planning, generating, reviewing or revising".to_owned())
}

fn begin(new: &New, workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let named = [
        (ProviderRole::Planner, &new.planner),
        (ProviderRole::Generator, &new.generator),
        (ProviderRole::Reviewer, &new.reviewer),
        (ProviderRole::Reviser, &new.reviser),
        (ProviderRole::Summarizer, &new.summarizer),
    ];
    if let Some(profile) = &new.profile {
        workspace.profiles().get(profile)?;
    }
    let definitions = crate::provider::Definitions::load(workspace.settings.stack())?;
    for name in named.iter().filter_map(|(_, name)| name.as_ref()) {
        definitions.get(name)?;
    }
    let record = SessionRecord {
        profile: new.profile.clone(),
        scope: new.scope.clone(),
        providers: named
            .into_iter()
            .filter_map(|(role, name)| Some((role, name.clone()?)))
            .collect(),
        phase: new.phase,
        limits: SessionLimits {
            turns: Some(new.max_turns),
            tokens: new.max_tokens,
            cost_usd: new.max_cost.map(|nano| Cost(nano).dollars()),
        },
        ..SessionRecord::default()
    };
    let entries = super::context::entries(workspace, &new.entries)?;
    let folder = session::open::begin_session(
        &workspace.repository,
        &workspace.state,
        &new.name,
        record,
        &entries,
    )?;
    if !session::open::leaves_out_sessions(&workspace.repository) {
        program
            .ui
            .warn("sessions become a part of what is known of the repository: '.teddy/.teddyignore' has no line '/sessions/'");
    }
    tell_begun(&folder, program)
}

fn branch_off(
    branch: &Branch,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let from = open_named(Some(&branch.from), workspace, program)?;
    let folder = session::open::branch_session(
        &workspace.repository,
        &workspace.state,
        &from,
        &branch.name,
        branch.at,
    )?;
    tell_begun(&folder, program)
}

/// The session of a name, or the one that is meant without, taken for changing it.
pub(super) fn open_named(
    named: Option<&str>,
    workspace: &Workspace,
    program: &Program,
) -> Result<OpenSession, CliError> {
    let folder = session::open::session_folder(&workspace.repository, named)?;
    let open = session::open::open_session(workspace, folder)?;
    program.ui.warn_all(&open.warnings);
    Ok(open)
}

fn remove(args: &Remove, workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let open = open_named(Some(&args.name), workspace, program)?;
    let name = open.folder.name.to_string();
    let is_done = open.session.turns.is_empty() || matches!(open.session.next(), Next::Complete);
    if !is_done && !args.force {
        let next = next_words(&open.folder, &open.session);
        let message = format!("session '{name}' is not complete");
        return Err(CliError::new(Exit::Refused, message)
            .hint(format!(
                "'git merkle session remove --force {name}' deletes it"
            ))
            .hint(next));
    }
    session::open::remove_session(&open)?;
    if program.ui.is_json() {
        let name = name.as_str();
        program
            .ui
            .write_json("session-rm", &RemovedDocument { name })?;
    } else {
        writeln!(program.ui, "removed session '{name}'")?;
    }
    Ok(Exit::Done)
}

fn tell_begun(folder: &SessionFolder, program: &mut Program) -> Result<Exit, CliError> {
    let session = folder.load()?;
    let document = document(folder, &session);
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("session", &document)?;
        return Ok(Exit::Done);
    }
    let place = folder.path(None, "");
    writeln!(ui, "{}", ui_path(ui, &place.to_string_lossy()))?;
    ui.note(&document.next);
    Ok(Exit::Done)
}

fn ui_path(ui: &Ui, path: &str) -> String {
    ui.styled(Style::Plain, path)
}

fn list(workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let mut sessions = Vec::new();
    for folder in session::open::sessions(&workspace.repository)? {
        match folder.load() {
            Ok(session) => sessions.push(document(&folder, &session)),
            Err(error) => program.ui.warn(&CliError::from(error).to_string()),
        }
    }
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("session-list", &ListDocument { sessions })?;
        return Ok(Exit::Done);
    }
    for session in &sessions {
        let SessionDocument {
            name, phase, turns, ..
        } = session;
        let turns = counted(*turns, "turn", "turns");
        let name = ui.styled(Style::Heading, name);
        write!(ui, "{name} {phase}, {turns}")?;
        ui.end_record()?;
    }
    if sessions.is_empty() {
        ui.note("there is no session yet; run 'git merkle session new <name>'");
    }
    Ok(Exit::Done)
}

fn show_one(show: &Show, workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let folder = session::open::session_folder(&workspace.repository, show.name.as_deref())?;
    if show.history || show.search.is_some() {
        return show_history(show, &folder, program);
    }
    // A look at it also finishes what a kill left half done; while another process is at work there is nothing to finish.
    let session = match session::open::open_session(workspace, folder.clone()) {
        Ok(open) => {
            program.ui.warn_all(&open.warnings);
            open.session
        }
        Err(ChoiceError::Busy(_)) => folder.load()?,
        Err(error @ (ChoiceError::State(..) | ChoiceError::Session(SessionError::Io(..)))) => {
            program.ui.warn(&CliError::from(error).to_string());
            folder.load()?
        }
        Err(error) => return Err(error.into()),
    };
    let log: Vec<TurnDocument> = session
        .turns
        .iter()
        .map(|(number, turn)| turn_document(*number, turn))
        .collect();
    let document = ShowDocument {
        session: document(&folder, &session),
        log,
    };
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("session-show", &document)?;
        return Ok(Exit::Done);
    }
    write_log(&document.log, ui)?;
    note_took(&document.session, session.charged().tokens, ui);
    Ok(Exit::Done)
}

/// A line for each turn.
fn write_log(log: &[TurnDocument], ui: &mut Ui) -> Result<(), CliError> {
    for turn in log {
        let number = ui.styled(Style::Heading, &turn.turn);
        let by = turn
            .by
            .as_ref()
            .map(|by| format!(" by {by}"))
            .unwrap_or_default();
        let first = turn.request.lines().next().unwrap_or_default();
        let text = format!(
            "{} (iteration {}): {}{by}: {first}",
            turn.phase, turn.iteration, turn.status
        );
        let text = ui.styled(Style::Plain, &text);
        write!(ui, "{number} {text}")?;
        ui.end_record()?;
    }
    Ok(())
}

/// What the answers of a session took, and what comes next.
fn note_took(session: &SessionDocument, tokens_charged: u64, ui: &mut Ui) {
    let SessionDocument {
        tokens,
        cost_usd,
        next,
        ..
    } = session;
    // A provider that counts nothing would look free.
    let more = if tokens_charged > *tokens {
        format!(" ({tokens_charged} tokens charged: what a provider does not tell counts in full)")
    } else {
        String::new()
    };
    ui.note(&format!(
        "{tokens} tokens, {} as far as it is known{more}; {next}",
        usd(*cost_usd)
    ));
}

fn show_history(
    show: &Show,
    folder: &SessionFolder,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let history = History::decode(&folder.read_history()?);
    if !history.damaged.is_empty() {
        let lines: Vec<String> = history.damaged.iter().map(ToString::to_string).collect();
        program.ui.warn(&format!(
            "'{}' has lines that cannot be read: {}",
            folder.relative(None, HISTORY).display(),
            lines.join(", ")
        ));
    }
    let entries = show
        .search
        .as_ref()
        .map_or_else(|| history.view(), |text| history.search(text));
    let is_found = !entries.is_empty() || show.search.is_none();
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("session-history", &HistoryDocument { entries })?;
    } else {
        for entry in entries {
            let heading = ui.styled(Style::Heading, &format!("{} ({})", entry.id, entry.role));
            let text = ui.styled(Style::Plain, entry.content.trim_end());
            writeln!(ui, "{heading}\n{text}\n")?;
        }
    }
    Ok(Exit::no_if(!is_found))
}

fn document(folder: &SessionFolder, session: &Session) -> SessionDocument {
    let (tokens, cost_usd) = session.took();
    let next = session.next();
    let phase = match next {
        Next::Begin(phase, _) => phase.as_str(),
        Next::Finish(number) => session.turn(number).map_or("", |turn| turn.phase.as_str()),
        Next::Complete => "complete",
    };
    SessionDocument {
        name: folder.name.to_string(),
        phase,
        turns: session.turns.len(),
        next: next_words(folder, session),
        tokens,
        cost_usd,
        parent: session.record.parent.clone(),
    }
}

/// What a person does next, with the command.
pub(super) fn next_words(folder: &SessionFolder, session: &Session) -> String {
    let name = &folder.name;
    match session.next() {
        Next::Begin(phase, _) if session.turns.is_empty() => {
            format!(
                "next: {}: git merkle turn new --session {name} -m <request>",
                phase.as_str()
            )
        }
        Next::Begin(phase, _) => format!(
            "next: {}: git merkle turn new --session {name}",
            phase.as_str()
        ),
        Next::Finish(number) => match session.turn(number).map(TurnRecord::status) {
            Some(Status::Answered) => {
                format!(
                    "turn {number} has an answer: git merkle turn approve --session {name}, or reject -m <feedback>"
                )
            }
            _ => format!("turn {number} is ready: git merkle turn run --session {name}"),
        },
        Next::Complete => "the work is complete".to_owned(),
    }
}

fn turn_document(number: TurnNumber, turn: &TurnRecord) -> TurnDocument {
    let answered = turn.answered.as_ref();
    let usage = answered.and_then(|answered| answered.usage);
    TurnDocument {
        turn: number.to_string(),
        phase: turn.phase.as_str(),
        iteration: turn.iteration,
        status: turn.status().as_str(),
        by: turn.closed.as_ref().map(|closed| closed.by.clone()),
        provider: answered.map(|answered| answered.provider.clone()),
        model: answered.and_then(|answered| answered.model.clone()),
        input_tokens: usage.map(|usage| usage.input),
        output_tokens: usage.map(|usage| usage.output),
        cache_read_tokens: usage.map(|usage| usage.cache_read),
        cache_write_tokens: usage.map(|usage| usage.cache_write),
        cost_usd: answered.and_then(|answered| answered.cost_usd),
        request: turn.request.clone(),
    }
}

impl From<NameError> for CliError {
    fn from(error: NameError) -> Self {
        Self::from_source(Exit::Usage, error)
    }
}

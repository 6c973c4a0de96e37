//! `git merkle turn run`: send the turn, keep the answer, and if the user wants it let a model review it.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{Notify, watch};

use super::super::provider::failure::failure;
use super::opened::tell_state;
use super::recipient::RecipientArgs;
use crate::base::Cost;
use crate::base::count::counted;
use crate::base::{self, printable};
use crate::chat::Request;
use crate::cli::commands::session::{next_words, open_named};
use crate::cli::consent::{self, CostQuestion};
use crate::cli::program::Program;
use crate::cli::ui::complain;
use crate::cli::{CliError, Exit, amount};
use crate::ops::{AskingOptions, Payer};
use crate::profile::Phase;
use crate::provider::call::{CallError, StopSign};
use crate::provider::ledger::{Caps, Spend};
use crate::provider::{Definition, Definitions, ProviderError};
use crate::regen::{Stop, signals};
use crate::session::folder::response_file;
use crate::session::record::usd;
use crate::session::{
    self, AnswerRecord, Decision, Judgement, Listener, OpenSession, Question, Status, TurnError,
    TurnOptions,
};
use crate::workspace::Workspace;

/// Arguments of `turn run`.
#[derive(Debug, clap::Args)]
pub(super) struct Run {
    #[command(flatten)]
    whom: RecipientArgs,
    /// Stop before this costs more US dollars
    #[arg(long, value_name = "usd", value_parser = amount::dollars)]
    max_cost: Option<u64>,
    /// Stop before this makes more calls, failed attempts included
    #[arg(long, value_name = "number", value_parser = amount::count)]
    max_calls: Option<u64>,
    /// Stop before this uses more tokens, input and output
    #[arg(long, value_name = "number", value_parser = amount::count)]
    max_tokens: Option<u64>,
    /// Do not ask for confirmation, whatever it may cost
    #[arg(long, short = 'y')]
    yes: bool,
    /// Show the provider and what the turn can cost; send nothing
    #[arg(long = "dry-run", short = 'n')]
    is_dry: bool,
    /// Let this provider accept or reject the answer; a rejected answer is requested again
    #[arg(long, value_name = "provider")]
    approve_with: Option<String>,
    /// How often to request a rejected answer again before a person decides
    #[arg(
        long,
        value_name = "number",
        default_value_t = 2,
        requires = "approve_with"
    )]
    retries: u32,
}

impl Run {
    fn caps(&self) -> Caps {
        Caps {
            calls: self.max_calls,
            tokens: self.max_tokens,
            nano_dollars: self.max_cost,
        }
    }
}

/// One call of the command: what it was given, where it works, what prints, and what its calls have taken until now, for
/// its limits are for all of them together, to any provider.
struct Job<'j> {
    args: &'j Run,
    workspace: &'j Workspace,
    program: &'j mut Program,
    spent: Spend,
    stops: Stops,
}

/// Asks, and says what comes next.
pub(super) fn run(
    args: &Run,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let mut open = open_named(args.whom.session.as_deref(), workspace, program)?;
    let mut retries = args.retries;
    let mut job = Job {
        args,
        workspace,
        program,
        spent: Spend::default(),
        stops: Stops::default(),
    };
    begin(&job)?;
    let mut is_printed = false;
    loop {
        job.stops.check()?;
        if !is_answered(workspace, &mut open, args)? {
            summarize(&mut job, &mut open)?;
            job.stops.check()?;
            let question =
                session::turn::open_question(workspace, &mut open, &args.whom.asking(job.program))?;
            if question.is_manual() {
                return wait(&open, &question, job.program);
            }
            session::answer::check_limits(&open)?;
            if !ask(&mut job, &mut open, &question)? {
                return Ok(Exit::Done);
            }
            is_printed = true;
            job.stops.check()?;
        }
        if judge_review(&mut open, job.program)? {
            return tell_outcome(&open, is_printed, job.program);
        }
        // Whether the work is done is what a review says itself, or a person.
        let waits_for_person = is_undecided_review(&open);
        let Some(approver) = args.approve_with.as_ref().filter(|_| !waits_for_person) else {
            tell_outcome(&open, is_printed, job.program)?;
            return Ok(if waits_for_person {
                Exit::Busy
            } else {
                Exit::Done
            });
        };
        match decide(&mut job, approver, &mut open, retries == 0)? {
            Decided::Approved => return tell_outcome(&open, is_printed, job.program),
            Decided::OnlyShown => return Ok(Exit::Done),
            Decided::Refused => {}
        }
        if retries == 0 {
            job.program
                .ui
                .warn("the answer was refused as often as was allowed; a person decides");
            tell_outcome(&open, is_printed, job.program)?;
            return Ok(Exit::Busy);
        }
        retries -= 1;
        let last = open
            .session
            .turns
            .last()
            .map(|(_, turn)| (turn.snapshot.clone(), turn.budget))
            .unwrap_or_default();
        let options = TurnOptions {
            snapshot: last.0,
            tokens_max: last.1,
            ..TurnOptions::default()
        };
        let asking = args.whom.asking(job.program);
        session::turn::begin_turn(workspace, &mut open, &options, &asking)?;
    }
}

/// Hears signals from now on, or says what a model that decides would add to a dry run.
fn begin(job: &Job<'_>) -> Result<(), CliError> {
    let args = job.args;
    if !args.is_dry {
        return job.stops.listen();
    }
    if let Some(approver) = &args.approve_with {
        let most = 2 * (u64::from(args.retries) + 1);
        job.program.ui.note(&format!(
            "'{approver}' decides on each answer, and has it made anew {}: {most} requests at most",
            counted(args.retries as usize, "time", "times")
        ));
    }
    Ok(())
}

/// Says what comes next, aside where the answer was printed: standard output holds the answer and nothing else.
fn tell_outcome(
    open: &OpenSession,
    is_printed: bool,
    program: &mut Program,
) -> Result<Exit, CliError> {
    if is_printed && !program.ui.is_json() {
        program.ui.note(&next_words(&open.folder, &open.session));
        return Ok(Exit::Done);
    }
    tell_state(open, program)
}

/// Takes an answer that is there already.
fn is_answered(
    workspace: &Workspace,
    open: &mut OpenSession,
    args: &Run,
) -> Result<bool, CliError> {
    Ok(
        session::answer::take_answer(&workspace.repository, open, args.whom.provider.as_deref())?
            .is_some(),
    )
}

/// Judges a review by its own verdict; true when that ended the turn.
pub(super) fn judge_review(open: &mut OpenSession, program: &Program) -> Result<bool, CliError> {
    if session::turn::judge_review(open)?.is_some() {
        return Ok(true);
    }
    if is_undecided_review(open) {
        program
            .ui
            .warn("the review has no verdict that can be read; a person decides");
    }
    Ok(false)
}

fn is_undecided_review(open: &OpenSession) -> bool {
    open.session.turns.last().is_some_and(|(_, turn)| {
        turn.phase == Phase::Reviewing && turn.status() == Status::Answered
    })
}

/// Says where a person puts the answer.
fn wait(open: &OpenSession, question: &Question, program: &mut Program) -> Result<Exit, CliError> {
    let file = open
        .folder
        .relative(Some(question.number), &response_file(question.turn.phase));
    tell_state(open, program)?;
    program
        .ui
        .note(&format!("waiting for your answer in '{}'", file.display()));
    if question.definition.is_none() {
        program.ui.note("to have a model asked, run 'git merkle provider add <name> --kind <kind> --model <model>'");
    }
    Ok(Exit::Busy)
}

/// Asks a model; false when that was only to be shown.
fn ask(job: &mut Job<'_>, open: &mut OpenSession, question: &Question) -> Result<bool, CliError> {
    let workspace = job.workspace;
    let Some(definition) = question.definition.clone() else {
        return Ok(false);
    };
    let name = definition.name.clone();
    let payer = job.payer(open, definition)?;
    let words = words(&name, question, &payer);
    for change in &question.turn.clamps {
        job.program.ui.note(change);
    }
    let request = &question.words.request;
    if job.args.is_dry {
        let plan = PlanDocument::of(&name, request, &payer, &question.turn.clamps);
        show_plan(&plan, &words, job.program)?;
        return Ok(false);
    }
    require_consent(job, &payer, &words, request)?;
    let program = &mut *job.program;
    let streams = std::io::stdout().is_terminal() && !program.ui.is_json();
    let outcome = {
        let ui = &mut program.ui;
        let mut on_text = |text: &str| {
            if streams {
                let _ = write!(ui, "{}", printable(text)).and_then(|()| ui.flush());
            }
        };
        job.stops.wait_for(async |stop| {
            let listener = Listener {
                on_text: &mut on_text,
                on_retry: &mut tell_retry,
                stop,
            };
            session::answer::ask_turn(workspace, question, &payer, open, listener).await
        })?
    };
    job.spent += payer.caller.spent();
    if let Err(TurnError::NotKept { text, .. }) = &outcome {
        // Paid for: where it cannot be kept it is at least said.
        program.ui.write_text(text)?;
    }
    outcome.map_err(|error| named(&name, error))?;
    let turn = session::answer::take_answer(&workspace.repository, open, None)?;
    if streams {
        writeln!(program.ui)?;
    } else if !program.ui.is_json() {
        let text = open
            .folder
            .read(Some(question.number), &response_file(question.turn.phase))?
            .unwrap_or_default();
        program.ui.write_text(&text)?;
    }
    if let Some(answered) = turn.and_then(|turn| turn.answered) {
        let cost = cost_words(&answered, &payer);
        program.ui.note(&format!("'{name}': {cost}"));
    }
    Ok(true)
}

/// The tokens and the money that an answer took.
fn cost_words(answered: &AnswerRecord, payer: &Payer) -> String {
    let counted = payer.caller.learned().tally.usage;
    let untold = || {
        format!(
            "about {} tokens in and {} out (estimated: the provider told no count that can be true)",
            counted.input, counted.output
        )
    };
    let tokens = answered.usage.map_or_else(untold, |usage| {
        format!(
            "{} tokens in ({} from the cache), {} out",
            usage.input, usage.cache_read, usage.output
        )
    });
    let cost = answered.cost_usd.map_or("cost unknown".to_owned(), usd);
    format!("{tokens}, {cost}")
}

fn words(name: &str, question: &Question, payer: &Payer) -> String {
    format!(
        "this asks '{name}' once: {}",
        size_words(&question.words.request, payer)
    )
}

/// How many tokens a request has, and what it can cost.
fn size_words(request: &Request, payer: &Payer) -> String {
    let worst = payer.caller.worst_case(request);
    let cost = worst
        .nano_dollars
        .map_or("cost unknown".to_owned(), |nano| {
            format!("at most {} USD", Cost(nano))
        });
    let output = request
        .params
        .max_output_tokens
        .map_or(String::new(), |most| {
            format!(", at most {most} output tokens")
        });
    format!(
        "about {} input tokens{output}, {cost}",
        request.tokens_estimated()
    )
}

/// Whom `--dry-run` would ask.
#[derive(Serialize)]
struct PlanDocument<'a> {
    provider: &'a str,
    input_tokens_estimated: u64,
    output_tokens_max: Option<u64>,
    /// `null` when no price is known.
    cost_usd_max: Option<f64>,
    /// What of the profile's parameters the provider does not take as it is wished.
    fitted: &'a [String],
}

impl<'a> PlanDocument<'a> {
    fn of(provider: &'a str, request: &Request, payer: &Payer, fitted: &'a [String]) -> Self {
        Self {
            provider,
            input_tokens_estimated: request.tokens_estimated(),
            output_tokens_max: request.params.max_output_tokens,
            cost_usd_max: payer
                .caller
                .worst_case(request)
                .nano_dollars
                .map(|nano| Cost(nano).dollars()),
            fitted,
        }
    }
}

fn show_plan(plan: &PlanDocument<'_>, words: &str, program: &mut Program) -> Result<(), CliError> {
    if program.ui.is_json() {
        program.ui.write_json("turn-plan", plan)?;
    }
    program.ui.note(&format!("{words}; nothing was sent"));
    Ok(())
}

/// Says that an attempt failed and is made again.
fn tell_retry(error: &ProviderError, pause: Duration) {
    complain(&format!(
        "note: {}; again in {:.0} s\n",
        printable(&error.to_string()),
        pause.as_secs_f64()
    ));
}

fn require_consent(
    job: &mut Job<'_>,
    payer: &Payer,
    words: &str,
    request: &Request,
) -> Result<(), CliError> {
    let Job { args, spent, .. } = job;
    let asked = CostQuestion {
        words: words.to_owned(),
        nano_dollars: payer.caller.worst_case(request).nano_dollars,
        // What was spent before in this command was not asked for either.
        confirm_above_nano_dollars: payer
            .confirm_above_nano_dollars
            .saturating_sub(spent.nano_dollars.unwrap_or(0)),
        is_agreed: args.yes || args.caps().is_some(),
        has_budget: payer.has_budget,
        look: "git merkle turn run --dry-run",
    };
    consent::require(job.program, &payer.caller, &asked)
}

/// Has a model sum up what was said long ago, where one is named and that is due. When it fails the rule's summary stands.
fn summarize(job: &mut Job<'_>, open: &mut OpenSession) -> Result<(), CliError> {
    let (args, workspace) = (job.args, job.workspace);
    let asking = args.whom.asking(job.program);
    let due = match session::summary::due_summary(workspace, &open.folder, &open.own, &asking) {
        Ok(Some(due)) => due,
        Ok(None) => return Ok(()),
        Err(TurnError::Fit(error)) => {
            job.program
                .ui
                .warn(&format!("what was said is summed up by a rule: {error}"));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    session::answer::check_limits(open)?;
    let name = due.definition.name.clone();
    let payer = job.payer(open, due.definition.clone())?;
    let what = format!(
        "this asks '{name}' to sum up {} messages: {}",
        due.messages,
        size_words(&due.request, &payer)
    );
    if args.is_dry {
        job.program.ui.note(&what);
        return Ok(());
    }
    require_consent(job, &payer, &what, &due.request)?;
    let outcome = job.stops.wait_for(async |stop| {
        session::summary::ask_summary(open, &payer, &due, &mut tell_retry, stop).await
    })?;
    job.spent += payer.caller.spent();
    let program = &mut *job.program;
    match outcome {
        Ok(()) => program
            .ui
            .note(&format!("'{name}' summed up {} messages", due.messages)),
        Err(error @ (TurnError::Call(_) | TurnError::Empty)) => {
            program.ui.warn(&format!(
                "what was said is summed up by a rule: '{name}' failed: {error}"
            ));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

impl Job<'_> {
    /// Who pays for the next call, within the limits that the others have left.
    fn payer(&self, open: &OpenSession, definition: Definition) -> Result<Payer, CliError> {
        let options = AskingOptions {
            caps: self.args.caps(),
            spent: self.spent,
            is_dry: self.args.is_dry,
            ..AskingOptions::default()
        };
        let payer = session::answer::turn_payer(self.workspace, open, definition, options)?;
        Ok(payer)
    }
}

/// What came of letting a model decide.
enum Decided {
    Approved,
    Refused,
    /// With `--dry-run`: no request was sent.
    OnlyShown,
}

/// Lets a model decide; a refusal ends the turn unless it is the last that is allowed.
fn decide(
    job: &mut Job<'_>,
    approver: &str,
    open: &mut OpenSession,
    is_last: bool,
) -> Result<Decided, CliError> {
    let (args, workspace) = (job.args, job.workspace);
    session::answer::check_limits(open)?;
    let definitions = Definitions::load(workspace.settings.stack())?;
    let definition = definitions.get(approver)?.clone();
    let request = session::answer::approval_request(
        workspace,
        open,
        &definition,
        &args.whom.asking(job.program),
    )?;
    let payer = job.payer(open, definition)?;
    let words = format!(
        "this asks '{approver}' to decide: about {} input tokens",
        request.tokens_estimated()
    );
    if args.is_dry {
        let plan = PlanDocument::of(approver, &request, &payer, &[]);
        show_plan(&plan, &words, job.program)?;
        return Ok(Decided::OnlyShown);
    }
    require_consent(job, &payer, &words, &request)?;
    let outcome = job.stops.wait_for(async |stop| {
        session::answer::ask_approval(open, &payer, &request, &mut tell_retry, stop).await
    })?;
    job.spent += payer.caller.spent();
    let program = &mut *job.program;
    let Decision {
        verdict,
        text,
        took,
    } = outcome.map_err(|error| named(approver, error))?;
    let Some(verdict) = verdict else {
        program.ui.warn(&format!(
            "'{approver}' said no verdict that can be read; a person decides"
        ));
        return Err(CliError::new(Exit::Busy, "the turn waits for a person")
            .hint("run 'git merkle turn approve', or reject"));
    };
    let feedback = verdict.feedback(&text);
    if !verdict.is_pass {
        program.ui.note(&format!(
            "'{approver}' refuses the answer:\n{}",
            feedback.trim_end()
        ));
        if is_last {
            return Ok(Decided::Refused);
        }
    }
    let judgement = Judgement {
        is_approved: verdict.is_pass,
        by: approver,
        feedback: &feedback,
        took,
    };
    session::turn::judge(open, judgement)?;
    Ok(if verdict.is_pass {
        Decided::Approved
    } else {
        Decided::Refused
    })
}

/// Names the provider in what it failed with.
fn named(name: &str, error: TurnError) -> CliError {
    match error {
        TurnError::Call(CallError::Provider(error)) => failure(name, error),
        error => error.into(),
    }
}

/// The wishes to end while the command runs: the first waits for the answer that is under way, which is paid for, the second
/// gives it up. Where no request is under way, at a question for consent for one, the first ends the command.
#[derive(Clone, Default)]
struct Stops(Arc<StopState>);

#[derive(Default)]
struct StopState {
    is_asking: AtomicBool,
    stopped: Mutex<Option<Stop>>,
    again: Notify,
}

impl Stops {
    /// Hears from now on, to the end of the command.
    fn listen(&self) -> Result<(), CliError> {
        let mut signals =
            signals::listen().map_err(|error| CliError::io("cannot start a task", error))?;
        let state = self.0.clone();
        std::thread::spawn(move || {
            while let Some(asked) = signals.blocking_recv() {
                if !state.is_asking.load(Ordering::SeqCst) {
                    std::process::exit(exit_of(&asked) as i32);
                }
                let mut stopped = state.stopped.lock().unwrap_or_else(PoisonError::into_inner);
                if stopped.replace(asked).is_some() {
                    state.again.notify_one();
                } else {
                    complain(
                        "note: waiting for the answer that is under way; a second Ctrl-C gives it up\n",
                    );
                }
            }
        });
        Ok(())
    }

    /// Runs one request to a model to its end.
    fn wait_for<T>(
        &self,
        request: impl AsyncFnOnce(&mut StopSign) -> Result<T, TurnError>,
    ) -> Result<Result<T, TurnError>, CliError> {
        let failed = |error| CliError::io("cannot start a task", error);
        let runtime = base::runtime().map_err(failed)?;
        let (_going, mut stop) = watch::channel(false);
        self.0.is_asking.store(true, Ordering::SeqCst);
        let outcome = runtime.block_on(async {
            tokio::select! {
                done = request(&mut stop) => done,
                () = self.0.again.notified() => Err(CallError::Stopped.into()),
            }
        });
        self.0.is_asking.store(false, Ordering::SeqCst);
        Ok(outcome)
    }

    /// Ends the command where the user has asked for it, once what was under way is kept.
    fn check(&self) -> Result<(), CliError> {
        let stopped = self
            .0
            .stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(asked) = stopped.as_ref() else {
            return Ok(());
        };
        Err(
            CliError::new(exit_of(asked), "interrupted; what was answered is kept")
                .hint("'git merkle turn run' goes on there"),
        )
    }
}

fn exit_of(stop: &Stop) -> Exit {
    if *stop == Stop::Terminated {
        Exit::Terminated
    } else {
        Exit::Interrupted
    }
}

//! Asking for the answer of a turn, within all limits, and taking it, wherever it is.
//!
//! An answer that was paid for is on the disk, in the machine's own state, before anything else is done with it.

use std::io::Write as _;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::conversation::ConversationMessage;
use super::folder::{conversation_file, partial_file, response_file};
use super::gather::Ingredients;
use super::open::OpenSession;
use super::question::{self, Addressee, Question, TurnAsking, images};
use super::record::{sha256, usd};
use super::task::Task;
use super::turn::{as_file, open_turn, save, view};
use super::turn_error::TurnError;
use super::{
    AnswerRecord, Charged, SessionError, SessionFolder, Status, TurnNumber, TurnRecord, Verdict,
    tiers,
};
use crate::base::Cost;
use crate::chat::{Reply, Request, Role, Usage};
use crate::context::people::{GLOBAL_LIST, MEMOS};
use crate::git::{Repository, StateDir};
use crate::ops::{self, AskingError, AskingOptions, Payer};
use crate::profile::Wish;
use crate::provider::call::{CallError, RetrySink, StopSign};
use crate::provider::ledger::Spend;
use crate::provider::{Definition, TextSink};
use crate::secret::guard;
use crate::workspace::Workspace;

/// Answers that are paid for and not yet written into the session, below the state
/// directory of the work tree.
const SPOOL_FOLDER: &str = "answers";

/// Far more than any answer with its request.
const SPOOLED_BYTES_MAX: u64 = 256 << 20;

/// An answer that was paid for, as it is kept until the session has it.
#[derive(Serialize, Deserialize)]
struct Spooled {
    prompt_sha256: String,
    text: String,
    messages: Vec<(String, String)>,
    answered: AnswerRecord,
    charged: Charged,
}

/// Refuses to ask when a limit of the session is reached.
pub fn check_limits(open: &OpenSession) -> Result<(), TurnError> {
    let limits = open.session.record.limits;
    let Charged {
        tokens, cost_usd, ..
    } = open.session.charged();
    let reached = [
        limits
            .tokens
            .filter(|limit| tokens >= *limit)
            .map(|limit| format!("{limit} tokens")),
        limits
            .cost_usd
            .filter(|limit| cost_usd.unwrap_or(0.0) >= *limit)
            .map(usd),
    ];
    match reached.into_iter().flatten().next() {
        Some(limit) => Err(TurnError::Limit {
            session: open.folder.name.to_string(),
            limit,
        }),
        None => Ok(()),
    }
}

/// A provider that can answer a turn, within all limits; those of the session count what is left of them.
pub fn turn_payer(
    workspace: &Workspace,
    open: &OpenSession,
    definition: Definition,
    mut options: AskingOptions,
) -> Result<Payer, TurnError> {
    for file in [MEMOS, GLOBAL_LIST] {
        // What is sent along without being named must be the user's own wish.
        workspace
            .require_trusted_file(file)
            .map_err(AskingError::from)?;
    }
    let limits = open.session.record.limits;
    let Charged {
        tokens, cost_usd, ..
    } = open.session.charged();
    let (given, spent) = (options.caps, options.spent);
    let least = |given: Option<u64>, limit: Option<u64>| [given, limit].into_iter().flatten().min();
    // What this run has spent is among what the session was charged, and is taken off once more by the budget.
    let left =
        |limit: u64, charged: u64, spent: u64| limit.saturating_sub(charged).saturating_add(spent);
    options.caps.tokens = least(
        given.tokens,
        limits.tokens.map(|limit| left(limit, tokens, spent.tokens)),
    );
    let charged = Cost::of_dollars(cost_usd.unwrap_or(0.0)).0;
    let dollars_left = limits.cost_usd.map(|limit| {
        left(
            Cost::of_dollars(limit).0,
            charged,
            spent.nano_dollars.unwrap_or(0),
        )
    });
    options.caps.nano_dollars = least(given.nano_dollars, dollars_left);
    let mut payer = ops::asking::payer(workspace, definition, &options)?;
    // What came with the repository may tighten; it is not the user's agreement to spend.
    let is_own = open.own.limits.tokens.is_some() || open.own.limits.cost_usd.is_some();
    payer.has_budget &= is_own
        || ops::asking::has_budget(
            &workspace.settings,
            &AskingOptions {
                caps: given,
                ..options
            },
        )?;
    Ok(payer)
}

/// What hears of a call while it is under way, and what may stop it.
pub struct Listener<'l> {
    /// Hears the answer as it comes.
    pub on_text: TextSink<'l>,
    /// Hears that an attempt failed and is made again.
    pub on_retry: RetrySink<'l>,
    /// Ends the call.
    pub stop: &'l mut StopSign,
}

/// Asks, and keeps the answer before anything else is done with it.
pub async fn ask_turn(
    workspace: &Workspace,
    question: &Question,
    payer: &Payer,
    open: &mut OpenSession,
    listener: Listener<'_>,
) -> Result<(), TurnError> {
    let request = &question.words.request;
    note_question(open, question)?;
    let before = charge_worst_case(open, payer, request)?;
    let begun = Instant::now();
    let called = match payer
        .caller
        .call(request, listener.on_text, listener.on_retry, listener.stop)
        .await
    {
        Ok(called) => called,
        Err(CallError::Cut { partial, limit }) => {
            charge(open, before, payer)?;
            let file = partial_file(question.turn.phase);
            open.folder
                .write(Some(question.number), &file, as_file(&partial.reply.text))?;
            let file = open.folder.relative(Some(question.number), &file);
            let (key, profile) = (question.words.output_key, question.profile.clone());
            return Err(TurnError::Cut {
                limit,
                file,
                phase: question.turn.phase,
                profile,
                key,
            });
        }
        Err(error) => {
            charge(open, before, payer)?;
            return Err(error.into());
        }
    };
    let cost_usd = called.cost_told().map(|nano| Cost(nano).dollars());
    let Reply {
        text, model, usage, ..
    } = called.reply;
    let answered = AnswerRecord {
        provider: payer.caller.name.clone(),
        model,
        response_sha256: sha256(&as_file(&text)),
        usage,
        cost_usd,
        seconds: Some((begun.elapsed().as_secs_f64() * 10.0).round() / 10.0),
    };
    let asker = Role::User.as_str().to_owned();
    let spooled = Spooled {
        prompt_sha256: question.turn.prompt_sha256.clone(),
        text,
        messages: vec![(asker, question.words.asked().to_owned())],
        answered,
        charged: sum(before, payer),
    };
    // The provider's cache holds the request now. That it is not remembered costs no more than a prediction.
    if let Some(placed) = &question.words.placed {
        let _ = tiers::remember_sent(&workspace.state, placed);
    }
    let spool = spool_folder(&workspace.repository);
    let name = spool_name(open, question.number);
    keep_spooled(&spool, &name, spooled).inspect_err(|_| {
        // Where nothing can be written the worst case stays charged.
        let _ = charge(open, before, payer);
    })
}

/// Brings an answer to the disk; where that fails, the error holds its text.
fn keep_spooled(folder: &StateDir, name: &str, spooled: Spooled) -> Result<(), TurnError> {
    let bytes = serde_json::to_vec(&spooled).expect("text is JSON");
    let made = folder.create();
    made.and_then(|()| folder.replace_durably(name, |open| open.write_all(&bytes)))
        .map_err(|source| TurnError::NotKept {
            path: folder.shown_file(name),
            text: spooled.text,
            source,
        })
}

/// Of this work tree: the sessions of another are other files.
fn spool_folder(repo: &Repository) -> StateDir {
    StateDir::of_worktree(repo).folder(SPOOL_FOLDER)
}

/// Takes the answer of the open turn, wherever it is: kept by a run that was killed, or written by a person.
///
/// `None` when there is none yet. A review is judged by its own verdict.
pub fn take_answer(
    repo: &Repository,
    open: &mut OpenSession,
    provider: Option<&str>,
) -> Result<Option<TurnRecord>, TurnError> {
    let (number, turn) = open_turn(open)?;
    if turn.status() == Status::Answered {
        return Ok(Some(turn.clone()));
    }
    let mut turn = turn.clone();
    let file = response_file(turn.phase);
    let (spool, name) = (spool_folder(repo), spool_name(open, number));
    let spooled = spool
        .read(&name, SPOOLED_BYTES_MAX)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Spooled>(&bytes).ok());
    let written = open
        .folder
        .read(Some(number), &file)?
        .filter(|text| !text.trim().is_empty());
    if let Some(spooled) = spooled.filter(|spooled| spooled.prompt_sha256 == turn.prompt_sha256) {
        let text = as_file(&spooled.text);
        if written.as_ref().is_some_and(|written| *written != text) {
            turn.notes.push(format!(
                "'{file}' was written by hand and counts; '{}' had answered",
                spooled.answered.provider
            ));
        } else {
            open.folder.write(Some(number), &file, &text)?;
        }
        write_conversation(&open.folder, number, &turn, &spooled)?;
        turn.answered = Some(spooled.answered);
        turn.charged = spooled.charged;
    } else {
        let Some(text) = written else { return Ok(None) };
        turn.answered = Some(AnswerRecord {
            provider: provider.unwrap_or("person").to_owned(),
            model: None,
            response_sha256: sha256(&text),
            usage: None,
            cost_usd: None,
            seconds: None,
        });
    }
    save(open, number, &turn)?;
    let _ = spool.remove(&name);
    Ok(Some(turn))
}

/// Asks a model whether the answer of the open turn is good enough; what it said, and what it took.
pub async fn ask_approval(
    open: &mut OpenSession,
    payer: &Payer,
    request: &Request,
    on_retry: RetrySink<'_>,
    stop: &mut StopSign,
) -> Result<Decision, TurnError> {
    let before = charge_worst_case(open, payer, request)?;
    let outcome = payer
        .caller
        .call(request, &mut |_| (), on_retry, stop)
        .await;
    charge(open, before, payer)?;
    let called = outcome?;
    let took = (
        called.reply.usage,
        called.cost_told().map(|nano| Cost(nano).dollars()),
    );
    Ok(Decision {
        verdict: Verdict::parse(&called.reply.text),
        text: called.reply.text,
        took,
    })
}

/// The request to the model that accepts or rejects the open turn's answer: the world of the turn with another task.
pub fn approval_request(
    workspace: &Workspace,
    open: &OpenSession,
    definition: &Definition,
    asking: &TurnAsking,
) -> Result<Request, TurnError> {
    let (number, turn) = open_turn(open)?;
    let answer = open
        .folder
        .read(Some(number), &response_file(turn.phase))?
        .unwrap_or_default();
    let allowed = workspace
        .allowed_secrets(&asking.allowed)
        .map_err(AskingError::Allowed)?;
    let answer_name = open
        .folder
        .relative(Some(number), &response_file(turn.phase));
    guard(
        answer.as_bytes(),
        &answer_name.to_string_lossy(),
        workspace.scanner()?,
        &allowed,
    )?;
    let task = Task {
        phase: Some(turn.phase),
        request: turn.request.clone(),
        answer: Some(answer),
        ..Task::default()
    };
    let root = question::turn_root(workspace, turn.snapshot.as_deref())?;
    let ingredients = Ingredients {
        root: &root,
        session: Some(view(open, number)),
        number: Some(number),
        task,
        named: &[],
        images: &images(&open.folder, number, turn)?,
        profile: &question::turn_profile(workspace, &open.own, asking)?,
        allowed: &allowed,
    };
    let reader = Addressee::of(Some(definition), Wish::default());
    Ok(question::words(workspace, &ingredients, &reader, turn.budget, None)?.request)
}

fn spool_name(open: &OpenSession, number: TurnNumber) -> String {
    format!("{}-{number}.json", open.folder.name)
}

/// What a model made of an answer.
pub struct Decision {
    /// Its verdict; `None` when it said none, or two.
    pub verdict: Option<Verdict>,
    /// All that it said.
    pub text: String,
    /// Tokens and US dollars.
    pub took: (Option<Usage>, Option<f64>),
}

/// Keeps what was said to a model and what it answered, so that it can be said again word for word.
fn write_conversation(
    folder: &SessionFolder,
    number: TurnNumber,
    turn: &TurnRecord,
    spooled: &Spooled,
) -> Result<(), SessionError> {
    let sent = spooled
        .messages
        .iter()
        .map(|(role, content)| (role.as_str(), content.as_str()));
    let answer = (Role::Assistant.as_str(), spooled.text.as_str());
    let all: Vec<ConversationMessage> = sent
        .chain([answer])
        .map(|(role, content)| ConversationMessage {
            role: role.to_owned(),
            content: content.to_owned(),
        })
        .collect();
    let text = serde_json::to_string_pretty(&all).expect("text is JSON") + "\n";
    folder.write(Some(number), &conversation_file(turn.phase), &text)
}

/// Keeps what is known only once the request is sent: what was edited, and what the provider does not take as wished.
fn note_question(open: &mut OpenSession, question: &Question) -> Result<(), TurnError> {
    let (number, turn) = open_turn(open)?;
    let TurnRecord {
        prompt_tokens_estimated,
        cache_read_predicted,
        notes,
        clamps,
        ..
    } = question.turn.clone();
    let noted = TurnRecord {
        prompt_tokens_estimated,
        cache_read_predicted,
        notes,
        clamps,
        ..turn.clone()
    };
    if noted != *turn {
        save(open, number, &noted)?;
    }
    Ok(())
}

/// Charges the open turn with the worst case before anything is sent, as the ledger does; what it was charged before.
pub(super) fn charge_worst_case(
    open: &mut OpenSession,
    payer: &Payer,
    request: &Request,
) -> Result<Charged, TurnError> {
    let before = open_turn(open)?.1.charged;
    let mut worst = before;
    worst += charged(payer.caller.worst_case(request));
    set_charged(open, worst)?;
    Ok(before)
}

/// Puts what a caller really took in the place of the worst case.
pub(super) fn charge(
    open: &mut OpenSession,
    before: Charged,
    payer: &Payer,
) -> Result<(), TurnError> {
    set_charged(open, sum(before, payer))
}

fn set_charged(open: &mut OpenSession, charged: Charged) -> Result<(), TurnError> {
    let (number, turn) = open_turn(open)?;
    let turn = TurnRecord {
        charged,
        ..turn.clone()
    };
    Ok(save(open, number, &turn)?)
}

fn sum(mut before: Charged, payer: &Payer) -> Charged {
    before += charged(payer.caller.spent());
    before
}

fn charged(spend: Spend) -> Charged {
    let Spend {
        calls,
        tokens,
        nano_dollars,
    } = spend;
    Charged {
        calls,
        tokens,
        cost_usd: nano_dollars.map(|nano| Cost(nano).dollars()),
    }
}

/// Hands in the answer of the open turn; one that is there already is not replaced.
pub fn respond(
    repo: &Repository,
    open: &mut OpenSession,
    text: &str,
) -> Result<TurnRecord, TurnError> {
    take_answer(repo, open, None)?;
    let (number, turn) = open_turn(open)?;
    if turn.status() != Status::Ready {
        return Err(TurnError::Status(number, turn.status()));
    }
    if text.trim().is_empty() {
        return Err(TurnError::Empty);
    }
    open.folder
        .write(Some(number), &response_file(turn.phase), as_file(text))?;
    Ok(take_answer(repo, open, None)?.expect("the answer was just written"))
}

//! The steps of a turn: beginning it, asking, taking an answer, judging it. Each can be killed and run again.
//!
//! `meta.yaml` is written last in every step, so what it says has happened.

use std::path::PathBuf;

use super::folder::{INPUT, prompt_file, response_file};
use super::open::{OpenSession, settle, write_report};
use super::question::{Question, TooLong, TurnAsking};
use super::record::{BY_REVIEW, UsageRecord, VERSION, sha256};
use super::{Closed, Next, SessionError, Status, TurnNumber, TurnRecord, Verdict};
use crate::base::NodeId;
use crate::context::people::TURN_LIST;
use crate::context::{List, Scope, System};
use crate::profile::{FitError, OutputKey, Phase};
use crate::provider::call::CallError;
use crate::secret::{FindingId, SecretFound};
use crate::workspace::payload::{InputError, PayloadOptions, SecretPolicy};
use crate::workspace::{AskingError, PageOptions, RulesError, Workspace};

/// Why a step of a turn cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The session's files cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The payload cannot be put together.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Nobody can be asked.
    #[error(transparent)]
    Asking(#[from] AskingError),
    /// The words do not fit.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The words hold what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
    /// A file of rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// There is no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The answer was cut at the limit of output tokens.
    #[error("the answer was cut at the limit of {limit} output tokens; what came is kept in '{}'", file.display())]
    Cut {
        /// The limit.
        limit: u64,
        /// The file with what came.
        file: PathBuf,
        /// The phase, and the profile by which it is asked.
        phase: Phase,
        /// See `phase`.
        profile: String,
        /// Which setting limits the answer.
        key: OutputKey,
    },
    /// The turn is not where this step begins.
    #[error("turn {0} is {word}", word = .1.as_str())]
    Status(TurnNumber, Status),
    /// A review has accepted the work, and nobody has said what comes next.
    #[error("session '{0}' is complete")]
    Complete(String),
    /// The session has no turn yet.
    #[error("session '{0}' has no turn yet")]
    NoTurns(String),
    /// The first turn says what is wanted.
    #[error("nothing was said about what is wanted")]
    NoRequest,
    /// A limit of the session is reached.
    #[error("session '{session}' is at its limit of {limit}")]
    Limit {
        /// Its name.
        session: String,
        /// The limit, in words.
        limit: String,
    },
    /// The answer is empty.
    #[error("the answer is empty")]
    Empty,
    /// An answer came, and there is no place for it; nothing else has it.
    #[error("the answer came and cannot be kept in '{}'", path.display())]
    NotKept {
        /// Where it should be.
        path: PathBuf,
        /// All of it.
        text: String,
        /// What failed.
        #[source]
        source: std::io::Error,
    },
    /// The machine's own state cannot be read or written.
    #[error("cannot use '{0}'")]
    State(PathBuf, #[source] std::io::Error),
}

/// What a turn is begun with.
#[derive(Debug, Clone, Default)]
pub struct TurnOptions {
    /// The phase; what follows from the session otherwise.
    pub phase: Option<Phase>,
    /// What is wanted; the request of the turn before otherwise.
    pub request: Option<String>,
    /// Text that is all that is sent.
    pub text: Option<String>,
    /// Lines to add to the turn's context list.
    pub add: Vec<String>,
    /// Lines to take out of it.
    pub drop: Vec<String>,
    /// The most tokens of the payload.
    pub tokens_max: Option<u64>,
}

/// What somebody makes of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'j> {
    /// It is accepted.
    pub is_approved: bool,
    /// Who says so.
    pub by: &'j str,
    /// What to do better.
    pub feedback: &'j str,
    /// What deciding took in tokens and US dollars, when a model decided.
    pub took: (Option<UsageRecord>, Option<f64>),
}

/// The place in a session where a turn begins.
struct Place {
    number: TurnNumber,
    phase: Phase,
    iteration: u32,
    /// The same turn as it was begun before, when nobody has answered it.
    before: Option<TurnRecord>,
}

impl Workspace {
    /// Begins a turn: writes its list, the payload and the prompt. One that nobody has answered is begun again.
    pub fn begin_turn(
        &self,
        open: &mut OpenSession,
        options: &TurnOptions,
        (tree, system): (NodeId, System),
        asking: &TurnAsking,
    ) -> Result<Question, TurnError> {
        let place = place(open, options)?;
        let before = place.before.as_ref().or(open.session.turns.last().map(|(_, turn)| turn));
        let request =
            options.text.clone().or_else(|| options.request.clone()).or_else(|| before.map(|turn| turn.request.clone()));
        let number = place.number;
        let is_text_only =
            options.text.is_some() || options.request.is_none() && place.before.as_ref().is_some_and(|turn| turn.is_text_only);
        let mut turn = TurnRecord {
            version: VERSION,
            phase: place.phase.into(),
            iteration: place.iteration,
            request: request.filter(|request| !request.trim().is_empty()).ok_or(TurnError::NoRequest)?,
            is_text_only,
            prompt_sha256: String::new(),
            prompt_tokens_estimated: 0,
            notes: Vec::new(),
            clamps: Vec::new(),
            charged: place.before.as_ref().map(|turn| turn.charged).unwrap_or_default(),
            answered: None,
            closed: None,
        };
        let (list, unknown) = carried_list(open, &place, options)?;
        open.folder.write(Some(number), TURN_LIST, &list)?;
        let mut tokens_max = options.tokens_max;
        let question = loop {
            let notes = self.write_input(open, number, (tree, system.clone()), (&options.add, tokens_max, &asking.allowed))?;
            turn.notes = unknown.iter().cloned().chain(notes).collect();
            match self.question(open, number, &turn, asking)? {
                Ok(question) => break question,
                Err(TooLong { payload_tokens_max: Some(less), .. }) if tokens_max.is_none_or(|most| less < most) => {
                    tokens_max = Some(less);
                }
                Err(TooLong { error, .. }) => return Err(error.into()),
            }
        };
        write_prompt(open, question)
    }

    /// Writes the payload; what it reduces or leaves out.
    fn write_input(
        &self,
        open: &OpenSession,
        number: TurnNumber,
        (tree, system): (NodeId, System),
        (added, tokens_max, allowed): (&[String], Option<u64>, &[FindingId]),
    ) -> Result<Vec<String>, TurnError> {
        let turn = number.to_string();
        // The user has named these just now: a page among them may be fetched.
        let text = added.join("\n");
        let named = List { is_personal: true, ..List::parse(Scope::Turn, "", text.as_bytes()) };
        let document = self.payload(PayloadOptions {
            tree,
            lists: vec![named],
            session: Some(open.folder.name.as_str()),
            turn: Some(&turn),
            frames: None,
            tokens_max,
            secrets: SecretPolicy::Stop(self.allowed_secrets(allowed).map_err(AskingError::Allowed)?),
            pages: PageOptions { is_foreground: true, ..PageOptions::default() },
            system,
        })?;
        let mut text = Vec::new();
        document.write(&mut text, None).expect("a vector takes everything");
        let text = String::from_utf8_lossy(&text);
        open.folder.write(Some(number), INPUT, text.as_bytes())?;
        Ok(document.remarks().map_err(InputError::from)?)
    }

    /// What the open turn asks, put together again from its files: a person may have edited them.
    pub fn open_question(&self, open: &mut OpenSession, asking: &TurnAsking) -> Result<Question, TurnError> {
        let (number, turn) = open_turn(open)?;
        if turn.status() != Status::Ready {
            return Err(TurnError::Status(number, turn.status()));
        }
        let mut turn = turn.clone();
        let prompt = open.folder.read(Some(number), &prompt_file(turn.phase()))?;
        if let Some(prompt) = prompt.filter(|prompt| sha256(prompt) != turn.prompt_sha256) {
            turn.request = prompt;
            turn.is_text_only = true;
            let note = format!("'{}' was edited and is sent as it stands", prompt_file(turn.phase()));
            turn.notes.push(note);
        }
        let question = self.question(open, number, &turn, asking)?.map_err(|too_long| too_long.error)?;
        if turn.is_text_only || sha256(&question.text) == question.turn.prompt_sha256 {
            return Ok(question);
        }
        write_prompt(open, question)
    }

    /// Judges a review by the verdict that its answer holds; `None` when there is not just one, and a person decides.
    pub fn judge_review(&self, open: &mut OpenSession) -> Result<Option<Verdict>, TurnError> {
        let (number, turn) = open_turn(open)?;
        if turn.phase() != Phase::Reviewing || turn.status() != Status::Answered {
            return Ok(None);
        }
        let text = open.folder.read(Some(number), &response_file(turn.phase()))?.unwrap_or_default();
        let Some(verdict) = Verdict::parse(&text) else { return Ok(None) };
        let feedback = verdict.feedback(&text);
        self.judge(open, Judgement { is_approved: verdict.is_pass, by: BY_REVIEW, feedback: &feedback, took: (None, None) })?;
        Ok(Some(verdict))
    }

    /// Ends the open turn: its answer, or the work that a review is about, is accepted or not.
    pub fn judge(&self, open: &mut OpenSession, judgement: Judgement<'_>) -> Result<TurnNumber, TurnError> {
        let (number, turn) = open_turn(open)?;
        let mut turn = turn.clone();
        let text = open.folder.read(Some(number), &response_file(turn.phase()))?.filter(|text| !text.trim().is_empty());
        let text = text.ok_or(TurnError::Status(number, Status::Ready))?;
        let Judgement { is_approved, by, feedback, took: (usage, cost_usd) } = judgement;
        turn.closed = Some(Closed {
            is_approved,
            by: by.to_owned(),
            response_sha256: sha256(&text),
            feedback: feedback.trim_end().to_owned(),
            usage,
            cost_usd,
        });
        save(open, number, &turn)?;
        write_report(&open.folder, number, &turn)?;
        settle(&open.folder, &open.session)?;
        Ok(number)
    }

    /// Hands in the answer of the open turn; one that is there already is not replaced.
    pub fn respond(&self, open: &mut OpenSession, text: &str) -> Result<TurnRecord, TurnError> {
        self.take_answer(open, None)?;
        let (number, turn) = open_turn(open)?;
        if turn.status() != Status::Ready {
            return Err(TurnError::Status(number, turn.status()));
        }
        if text.trim().is_empty() {
            return Err(TurnError::Empty);
        }
        open.folder.write(Some(number), &response_file(turn.phase()), as_file(text))?;
        Ok(self.take_answer(open, None)?.expect("the answer was just written"))
    }
}

/// Where a turn begins.
fn place(open: &OpenSession, options: &TurnOptions) -> Result<Place, TurnError> {
    let session = &open.session;
    let last = session.turns.last();
    let iteration_before = last.map_or(1, |(_, turn)| turn.iteration);
    let (phase, iteration) = match (session.next(), options.phase) {
        (Next::Finish(number), _) => {
            let turn = session.turn(number).expect("the open turn is there");
            if turn.status() != Status::Ready {
                return Err(TurnError::Status(number, turn.status()));
            }
            let phase = options.phase.unwrap_or_else(|| turn.phase());
            return Ok(Place { number, phase, iteration: turn.iteration, before: Some(turn.clone()) });
        }
        (Next::Begin(phase, iteration), None) => (phase, iteration),
        (Next::Begin(next, iteration), Some(phase)) => (phase, if phase == next { iteration } else { iteration_before }),
        (Next::Complete, Some(phase)) => (phase, iteration_before),
        (Next::Complete, None) => return Err(TurnError::Complete(open.folder.name.to_string())),
    };
    let limit = session.record.limits.turns.filter(|limit| session.turns.len() >= *limit as usize);
    if let Some(limit) = limit {
        return Err(TurnError::Limit { session: open.folder.name.to_string(), limit: format!("{limit} turns") });
    }
    let number = last.map_or(Some(TurnNumber::FIRST), |(number, _)| number.next());
    let number = number.ok_or_else(|| SessionError::Full(open.folder.name.clone()))?;
    Ok(Place { number, phase, iteration, before: None })
}

/// The list of the turn before, or of this one as it was begun, without what is dropped and with what is added.
///
/// With a note for each entry that was to be dropped and is not there.
fn carried_list(open: &OpenSession, place: &Place, options: &TurnOptions) -> Result<(String, Vec<String>), SessionError> {
    let from = match place.before {
        Some(_) => Some(place.number),
        None => open.session.turns.last().map(|(number, _)| *number),
    };
    let text = match from {
        Some(number) => open.folder.read(Some(number), TURN_LIST)?,
        None => None,
    };
    let text = text.unwrap_or_else(|| "# What this turn sees besides, one entry a line.\n".to_owned());
    let is_there = |entry: &&String| text.lines().any(|line| line.trim() == entry.as_str());
    let unknown = options.drop.iter().filter(|entry| !is_there(entry));
    let unknown = unknown.map(|entry| format!("'{entry}' cannot be dropped: '{TURN_LIST}' has no such line")).collect();
    let mut lines: Vec<&str> = text.lines().filter(|line| !options.drop.iter().any(|entry| entry == line.trim())).collect();
    for entry in &options.add {
        if !lines.iter().any(|line| line.trim() == entry) {
            lines.push(entry);
        }
    }
    Ok((lines.join("\n") + "\n", unknown))
}

/// Writes the prompt and then the record, after which the turn is there.
fn write_prompt(open: &mut OpenSession, mut question: Question) -> Result<Question, TurnError> {
    open.folder.write(Some(question.number), &prompt_file(question.turn.phase()), &question.text)?;
    question.turn.prompt_sha256 = sha256(&question.text);
    save(open, question.number, &question.turn)?;
    Ok(question)
}

/// The turn that is not judged yet.
pub(super) fn open_turn(open: &OpenSession) -> Result<(TurnNumber, &TurnRecord), TurnError> {
    let last = open.session.turns.last().ok_or_else(|| TurnError::NoTurns(open.folder.name.to_string()))?;
    match last.1.status() {
        Status::Ready | Status::Answered => Ok((last.0, &last.1)),
        ended => Err(TurnError::Status(last.0, ended)),
    }
}

/// Writes a turn's record, and keeps what is in memory like the files.
pub(super) fn save(open: &mut OpenSession, number: TurnNumber, turn: &TurnRecord) -> Result<(), SessionError> {
    open.folder.save_turn(number, turn)?;
    match open.session.turns.iter_mut().find(|(other, _)| *other == number) {
        Some((_, known)) => *known = turn.clone(),
        None => open.session.turns.push((number, turn.clone())),
    }
    Ok(())
}

/// An answer as it stands in a file: with a line feed at its end.
pub(super) fn as_file(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

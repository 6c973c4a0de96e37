//! The steps of a turn: beginning it, asking, taking an answer, judging it. Each can be killed and run again.
//!
//! `meta.yaml` is written last in every step, so what it says has happened. An answer that was paid for is on the disk,
//! in the machine's own state, before anything else is done with it.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::asking::{AskingError, AskingOptions, Payer};
use super::open::Workspace;
use super::payload::{InputError, PayloadOptions};
use super::secrets::RulesError;
use super::session::{OpenSession, write_report};
use crate::base::NodeId;
use crate::chat::{Capabilities, GenerationParams, Message, Reply, Request, Role};
use crate::context::System;
use crate::git::{EntryMode, ObjectKind, file};
use crate::profile::{FitError, Phase, Profile, Standards, Wants, fit, input_tokens_max, said_in_words};
use crate::prompt::{Bundle, SYSTEM_PROMPT, display, manual, to_request};
use crate::provider::call::{CallError, OUTPUT_TOKENS_DEFAULT, RetrySink, StopSign};
use crate::provider::{Definition, Kind, TextSink};
use crate::secret::{Allowed, FindingId, SecretFound, guard};
use crate::session::folder::{INPUT, TURN_LIST, conversation_file, prompt_file, response_file};
use crate::session::record::{BY_REVIEW, UsageRecord, VERSION, sha256};
use crate::session::words::{self, Material};
use crate::session::{Answered, Closed, Next, SessionError, SessionFolder, Status, TurnNumber, TurnRecord, Verdict, flow};

/// Answers that are paid for and not yet written into the session, below the state directory.
const SPOOL_FOLDER: &str = "answers";
/// Estimates are off by a few per cent: so much of a limit is left free.
const MARGIN_PERCENT: u64 = 3;

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

/// Who is asked, how, and what may leave, for all steps of a turn.
#[derive(Debug, Clone, Default)]
pub struct TurnAsking {
    /// The provider; the session's, the profile's, or the configured one otherwise.
    pub provider: Option<String>,
    /// The profile; the session's or the configured one otherwise.
    pub profile: Option<String>,
    /// Findings that may leave, and are remembered.
    pub allowed: Vec<FindingId>,
}

/// What a turn asks, and whom.
pub struct Question {
    /// The turn.
    pub number: TurnNumber,
    /// Its record, with what is odd about the words among the notes.
    pub turn: TurnRecord,
    /// The request, as the provider takes it.
    pub request: Request,
    /// Who is asked; `None` when nobody is configured, and a person answers.
    pub definition: Option<Definition>,
    /// The words for a person.
    pub text: String,
}

impl Question {
    /// True when a person is to answer.
    #[must_use]
    pub fn is_manual(&self) -> bool {
        self.definition.as_ref().is_none_or(|definition| definition.kind == Kind::Manual)
    }

    fn capabilities(&self) -> Capabilities {
        self.definition.as_ref().map(|definition| definition.capabilities.clone()).unwrap_or_default()
    }
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

/// An answer that was paid for, as it is kept until the session has it.
#[derive(Serialize, Deserialize)]
struct Spooled {
    prompt_sha256: String,
    text: String,
    messages: Vec<(String, String)>,
    answered: Answered,
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
            answered: None,
            closed: None,
        };
        open.folder.write(Some(number), TURN_LIST, &carried_list(open, &place, options)?)?;
        let mut tokens_max = options.tokens_max;
        let question = loop {
            let notes = self.write_input(open, number, (tree, system.clone()), tokens_max)?;
            turn.notes = notes;
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
        tokens_max: Option<u64>,
    ) -> Result<Vec<String>, TurnError> {
        let turn = number.to_string();
        let document = self.payload(PayloadOptions {
            tree,
            lists: Vec::new(),
            session: Some(open.folder.name.as_str()),
            turn: Some(&turn),
            frames: None,
            tokens_max,
            system,
        })?;
        let mut text = Vec::new();
        document.write(&mut text, None).expect("a vector takes everything");
        let text = String::from_utf8_lossy(&text);
        open.folder.write(Some(number), INPUT, &text)?;
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

    /// The words of a turn for whoever is asked; an error with a smaller payload when they are too long.
    fn question(
        &self,
        open: &OpenSession,
        number: TurnNumber,
        turn: &TurnRecord,
        asking: &TurnAsking,
    ) -> Result<Result<Question, TooLong>, TurnError> {
        let phase = turn.phase();
        let record = open.is_own.then_some(&open.session.record);
        let named = asking.profile.as_deref().or(record.and_then(|record| record.profile.as_deref()));
        let profile = self.profile(named, self.trust.is_trusted())?;
        let provider = asking.provider.as_deref().or(record.and_then(|record| record.provider(phase)));
        let definition = self.definition(provider.or(profile.provider(phase)))?;
        let mut turn = turn.clone();
        let payload = open.folder.read(Some(number), INPUT)?.unwrap_or_default();
        let bundle = if turn.is_text_only {
            words::text_only(&turn.request)
        } else {
            self.material_bundle(open, number, &mut turn, (&profile, &payload))?
        };
        self.guard_bundle(&bundle, (open, number), &asking.allowed)?;
        let wished = profile.params(phase, open.session.record.scope.as_deref().unwrap_or_default());
        let mut question = Question { number, turn, request: Request::default(), definition, text: String::new() };
        let capabilities = question.capabilities();
        match fitted(&bundle, &capabilities, &wished) {
            Ok((request, changes)) => {
                let tokens = request.tokens_estimated();
                if let Some(limit) = input_tokens_max(&wished, &capabilities).filter(|limit| tokens > *limit) {
                    let error = FitError::Input { input: tokens, limit };
                    return Ok(Err(TooLong::new(error, limit, (tokens, &payload))));
                }
                question.turn.notes.extend(changes);
                question.turn.prompt_tokens_estimated = tokens;
                question.request = request;
            }
            Err((error, tokens)) => {
                let limit = input_tokens_max(&wished, &capabilities).unwrap_or_default();
                return Ok(Err(TooLong::new(error, limit, (tokens, &payload))));
            }
        }
        let mut seen = BTreeSet::new();
        question.turn.notes.retain(|note| seen.insert(note.clone()));
        question.text = match (question.turn.is_text_only, question.is_manual()) {
            (true, _) => question.turn.request.clone(),
            (_, true) => manual(&bundle),
            _ => display(&bundle),
        };
        Ok(Ok(question))
    }

    /// The bundle of a turn that is made of its session's files.
    fn material_bundle(
        &self,
        open: &OpenSession,
        number: TurnNumber,
        turn: &mut TurnRecord,
        (profile, payload): (&Profile, &str),
    ) -> Result<Bundle, TurnError> {
        let turns: Vec<_> = open.session.turns.iter().filter(|(other, _)| *other < number).cloned().collect();
        let response = |found: Option<&(TurnNumber, TurnRecord)>| match found {
            Some((number, turn)) => open.folder.read(Some(*number), &response_file(turn.phase())),
            None => Ok(None),
        };
        let plan = response(flow::accepted(&turns, &[Phase::Planning]))?;
        let work = response(flow::accepted(&turns, &[Phase::Generating, Phase::Revising]))?;
        let review = turns.iter().rev().find(|(_, turn)| turn.phase() == Phase::Reviewing);
        let issues = review.and_then(|(_, turn)| turn.closed.as_ref()).map(|closed| closed.feedback.clone());
        let last = turns.last().filter(|(_, last)| {
            last.status() == Status::Rejected && last.phase() == turn.phase() && turn.phase() != Phase::Reviewing
        });
        let rejected = match last {
            Some((number, last)) => {
                let feedback = last.closed.as_ref().map(|closed| closed.feedback.clone()).unwrap_or_default();
                Some((conversation(&open.folder, *number, last)?, feedback))
            }
            None => None,
        };
        let standards = self.standards(profile);
        turn.notes.extend(
            standards.missing.iter().map(|path| format!("standard '{path}' of profile '{}' stands nowhere", profile.name)),
        );
        let system_prompt = self.system_prompt(&mut turn.notes);
        Ok(words::bundle(
            turn.phase(),
            Material {
                system_prompt: &system_prompt,
                standards: &standards.text,
                payload,
                request: &turn.request,
                plan: plan.as_deref(),
                work: work.as_deref(),
                issues: issues.as_deref(),
                rejected: rejected.as_ref().map(|(said, feedback)| (said.clone(), feedback.as_str())),
            },
        ))
    }

    /// The standards of a profile; what stands in no profile's folder is read at HEAD.
    fn standards(&self, profile: &Profile) -> Standards {
        let root = self.root(&crate::node::Snapshot::Revision("HEAD".to_owned())).ok();
        let read = |path: &str| {
            let found = self.repository.find_entry(&root.as_ref()?.tree, path.as_bytes()).ok()??;
            let (EntryMode::File | EntryMode::Executable, id) = found else { return None };
            let mut data = Vec::new();
            self.repository.read(&id, ObjectKind::Blob, &mut data).ok()?;
            String::from_utf8(data).ok()
        };
        Standards::compose(&profile.standards, &read, None)
    }

    /// The user's system prompt, else the repository's once it is trusted, else the built-in one.
    pub fn system_prompt(&self, notes: &mut Vec<String>) -> String {
        let (personal, team) = (self.personal_folder().text("system.md"), self.folder.text("system.md"));
        if personal.is_none() && team.is_some() && !self.trust.is_trusted() {
            notes.push("'.teddy/system.md' is not used: this repository is not trusted".to_owned());
        }
        personal.or(team.filter(|_| self.trust.is_trusted())).unwrap_or(SYSTEM_PROMPT).to_owned()
    }

    /// Stops at what looks like a secret, naming the file of the turn that it stands in.
    fn guard_bundle(
        &self,
        bundle: &Bundle,
        (open, number): (&OpenSession, TurnNumber),
        now: &[FindingId],
    ) -> Result<(), TurnError> {
        let scanner = self.scanner()?;
        let allowed: Allowed = self.allowed_secrets(now).map_err(AskingError::Allowed)?;
        let input = open.folder.relative(Some(number), INPUT);
        let payload = open.folder.read(Some(number), INPUT)?.unwrap_or_default();
        guard(payload.as_bytes(), &input.to_string_lossy(), scanner, &allowed)?;
        let mut parts = vec![("system prompt", &bundle.system_context), ("request", &bundle.request)];
        parts.extend(bundle.history.iter().map(|message| ("conversation", &message.text)));
        for (name, text) in parts {
            guard(text.as_bytes(), name, scanner, &allowed)?;
        }
        Ok(())
    }

    /// Refuses to ask when a limit of the session is reached.
    pub fn check_limits(&self, open: &OpenSession) -> Result<(), TurnError> {
        let limits = open.session.record.limits;
        let (tokens, cost) = open.session.took();
        let reached = [
            limits.tokens.filter(|limit| tokens >= *limit).map(|limit| format!("{limit} tokens")),
            limits.cost_usd.filter(|limit| cost >= *limit).map(|limit| format!("{limit} USD")),
        ];
        match reached.into_iter().flatten().next() {
            Some(limit) => Err(TurnError::Limit { session: open.folder.name.to_string(), limit }),
            None => Ok(()),
        }
    }

    /// A provider that can be asked for a turn, within all limits; those of the session count what is left of them.
    pub fn turn_payer(&self, open: &OpenSession, definition: Definition, mut options: AskingOptions) -> Result<Payer, TurnError> {
        let limits = open.session.record.limits;
        let (tokens, cost) = open.session.took();
        let given = options.caps;
        let left = |given: Option<u64>, limit: Option<u64>| [given, limit].into_iter().flatten().min();
        options.caps.tokens = left(given.tokens, limits.tokens.map(|limit| limit.saturating_sub(tokens)));
        let dollars_left = limits.cost_usd.map(|limit| ((limit - cost).max(0.0) * 1e9) as u64);
        options.caps.nano_dollars = left(given.nano_dollars, dollars_left);
        let mut payer = self.payer(definition, &options)?;
        // What came with the repository may tighten; it is nobody's agreement to spend.
        payer.has_budget &= open.is_own || self.has_budget(&AskingOptions { caps: given, ..options })?;
        Ok(payer)
    }

    /// Asks, and keeps the answer before anything else is done with it.
    pub async fn ask_turn(
        &self,
        (question, payer): (&Question, &Payer),
        open: &OpenSession,
        (on_text, on_retry): (TextSink<'_>, RetrySink<'_>),
        stop: &mut StopSign,
    ) -> Result<(), TurnError> {
        let begun = Instant::now();
        let called = payer.caller.call(&question.request, on_text, on_retry, stop).await?;
        let Reply { text, model, usage } = called.reply;
        let answered = Answered {
            provider: payer.caller.name.clone(),
            model,
            response_sha256: sha256(&as_file(&text)),
            usage: usage.map(UsageRecord::from),
            cost_usd: called.nano_dollars.map(dollars),
            seconds: Some((begun.elapsed().as_secs_f64() * 10.0).round() / 10.0),
        };
        let messages = question.request.messages.iter().filter(|message| message.role != Role::System);
        let spooled = Spooled {
            prompt_sha256: question.turn.prompt_sha256.clone(),
            text,
            messages: messages.map(|message| (message.role.as_str().to_owned(), message.text.clone())).collect(),
            answered,
        };
        let path = self.spool_path(open, question.number);
        let bytes = serde_json::to_vec(&spooled).expect("text is JSON");
        self.state.create(&self.state.root().join(SPOOL_FOLDER)).map_err(|error| TurnError::State(path.clone(), error))?;
        file::replace_durably(&path, |open| open.write_all(&bytes)).map_err(|error| TurnError::State(path, error))
    }

    fn spool_path(&self, open: &OpenSession, number: TurnNumber) -> PathBuf {
        self.state.root().join(SPOOL_FOLDER).join(format!("{}-{number}.json", open.folder.name))
    }

    /// Takes the answer of the open turn, wherever it is: kept by a run that was killed, or written by a person.
    ///
    /// `None` when there is none yet. A review is judged by its own verdict.
    pub fn take_answer(&self, open: &mut OpenSession, provider: Option<&str>) -> Result<Option<TurnRecord>, TurnError> {
        let (number, turn) = open_turn(open)?;
        if turn.status() == Status::Answered {
            return Ok(Some(turn.clone()));
        }
        let mut turn = turn.clone();
        let file = response_file(turn.phase());
        let spool = self.spool_path(open, number);
        let spooled = std::fs::read(&spool).ok().and_then(|bytes| serde_json::from_slice::<Spooled>(&bytes).ok());
        if let Some(spooled) = spooled.filter(|spooled| spooled.prompt_sha256 == turn.prompt_sha256) {
            open.folder.write(Some(number), &file, &as_file(&spooled.text))?;
            write_conversation(&open.folder, number, &turn, &spooled)?;
            turn.answered = Some(spooled.answered);
        } else {
            let text = open.folder.read(Some(number), &file)?.filter(|text| !text.trim().is_empty());
            let Some(text) = text else { return Ok(None) };
            turn.answered = Some(Answered {
                provider: provider.unwrap_or("person").to_owned(),
                model: None,
                response_sha256: sha256(&text),
                usage: None,
                cost_usd: None,
                seconds: None,
            });
        }
        save(open, number, &turn)?;
        let _ = std::fs::remove_file(spool);
        Ok(Some(turn))
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
        super::session::settle(&open.folder, &open.session)?;
        Ok(number)
    }

    /// Asks a model whether the answer of the open turn is good enough; what it said, and what it took.
    pub async fn ask_approval(
        &self,
        open: &OpenSession,
        (payer, capabilities): (&Payer, &Capabilities),
        on_retry: RetrySink<'_>,
        stop: &mut StopSign,
    ) -> Result<Decision, TurnError> {
        let request = self.approval_request(open, capabilities)?;
        let called = payer.caller.call(&request, &mut |_| (), on_retry, stop).await?;
        let usage = called.reply.usage.map(UsageRecord::from);
        Ok(Decision {
            verdict: Verdict::parse(&called.reply.text),
            text: called.reply.text,
            took: (usage, called.nano_dollars.map(dollars)),
        })
    }

    /// What a model is asked that decides about the answer of the open turn.
    pub fn approval_request(&self, open: &OpenSession, capabilities: &Capabilities) -> Result<Request, TurnError> {
        let (number, turn) = open_turn(open)?;
        let payload = open.folder.read(Some(number), INPUT)?.unwrap_or_default();
        let answer = open.folder.read(Some(number), &response_file(turn.phase()))?.unwrap_or_default();
        let material = Material { payload: &payload, request: &turn.request, ..Material::default() };
        let bundle = words::approval(&material, &answer);
        let (request, _) = fitted(&bundle, capabilities, &GenerationParams::default()).map_err(|(error, _)| error)?;
        Ok(request)
    }

    /// Hands in the answer of the open turn.
    pub fn respond(&self, open: &mut OpenSession, text: &str) -> Result<TurnRecord, TurnError> {
        let (number, turn) = open_turn(open)?;
        if turn.status() != Status::Ready {
            return Err(TurnError::Status(number, turn.status()));
        }
        if text.trim().is_empty() {
            return Err(TurnError::Empty);
        }
        open.folder.write(Some(number), &response_file(turn.phase()), &as_file(text))?;
        Ok(self.take_answer(open, None)?.expect("the answer was just written"))
    }
}

/// What a model made of an answer.
pub struct Decision {
    /// Its verdict; `None` when it said none, or two.
    pub verdict: Option<Verdict>,
    /// All that it said.
    pub text: String,
    /// Tokens and US dollars.
    pub took: (Option<UsageRecord>, Option<f64>),
}

/// The words do not fit; the most tokens that the payload may have instead, if a smaller one would.
struct TooLong {
    error: FitError,
    payload_tokens_max: Option<u64>,
}

impl TooLong {
    fn new(error: FitError, limit: u64, (tokens, payload): (u64, &str)) -> Self {
        let payload = crate::base::token::estimate(payload);
        let rest = tokens.saturating_sub(payload);
        let room = (limit / 100 * (100 - MARGIN_PERCENT)).saturating_sub(rest);
        Self { error, payload_tokens_max: (room > 0 && room < payload).then_some(room) }
    }
}

/// The request as a provider takes it, and what of the wishes had to give way; else the tokens that are too many.
fn fitted(
    bundle: &Bundle,
    capabilities: &Capabilities,
    wished: &GenerationParams,
) -> Result<(Request, Vec<String>), (FitError, u64)> {
    let draft = to_request(bundle, capabilities, wished.clone(), None);
    let tokens = draft.tokens_estimated();
    let fitted = fit(wished, capabilities, tokens).map_err(|error| (error, tokens))?;
    let wants = Wants { system: !bundle.system_context.is_empty(), schema: false, turns: !bundle.history.is_empty() };
    let in_words = said_in_words(wants, capabilities);
    let changes = fitted.changes.iter().chain(&in_words).map(ToString::to_string).collect();
    let mut params = fitted.params;
    let output = capabilities.output_tokens.map_or(OUTPUT_TOKENS_DEFAULT, |most| most.min(OUTPUT_TOKENS_DEFAULT));
    params.max_output_tokens.get_or_insert(output);
    Ok((Request { params, ..draft }, changes))
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
fn carried_list(open: &OpenSession, place: &Place, options: &TurnOptions) -> Result<String, SessionError> {
    let from = match place.before {
        Some(_) => Some(place.number),
        None => open.session.turns.last().map(|(number, _)| *number),
    };
    let text = match from {
        Some(number) => open.folder.read(Some(number), TURN_LIST)?,
        None => None,
    };
    let text = text.unwrap_or_else(|| "# What this turn sees besides, one entry a line.\n".to_owned());
    let mut lines: Vec<&str> = text.lines().filter(|line| !options.drop.iter().any(|entry| entry == line.trim())).collect();
    for entry in &options.add {
        if !lines.iter().any(|line| line.trim() == entry) {
            lines.push(entry);
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Writes the prompt and then the record, after which the turn is there.
fn write_prompt(open: &mut OpenSession, mut question: Question) -> Result<Question, TurnError> {
    open.folder.write(Some(question.number), &prompt_file(question.turn.phase()), &question.text)?;
    question.turn.prompt_sha256 = sha256(&question.text);
    save(open, question.number, &question.turn)?;
    Ok(question)
}

/// The turn that is not judged yet.
fn open_turn(open: &OpenSession) -> Result<(TurnNumber, &TurnRecord), TurnError> {
    let last = open.session.turns.last().ok_or_else(|| TurnError::NoTurns(open.folder.name.to_string()))?;
    match last.1.status() {
        Status::Ready | Status::Answered => Ok((last.0, &last.1)),
        ended => Err(TurnError::Status(last.0, ended)),
    }
}

/// Writes a turn's record, and keeps what is in memory like the files.
fn save(open: &mut OpenSession, number: TurnNumber, turn: &TurnRecord) -> Result<(), SessionError> {
    open.folder.save_turn(number, turn)?;
    match open.session.turns.iter_mut().find(|(other, _)| *other == number) {
        Some((_, known)) => *known = turn.clone(),
        None => open.session.turns.push((number, turn.clone())),
    }
    Ok(())
}

/// What was said in a phase as far as a turn that was rejected: as it was sent, or else its request and its answer.
fn conversation(folder: &SessionFolder, number: TurnNumber, turn: &TurnRecord) -> Result<Vec<Message>, SessionError> {
    let kept = folder.read(Some(number), &conversation_file(turn.phase()))?;
    let kept = kept.and_then(|text| serde_json::from_str::<Vec<ConversationMessage>>(&text).ok());
    if let Some(kept) = kept {
        return Ok(kept.into_iter().map(ConversationMessage::into_message).collect());
    }
    let response = folder.read(Some(number), &response_file(turn.phase()))?.unwrap_or_default();
    Ok(vec![Message::new(Role::User, turn.request.clone()), Message::new(Role::Assistant, response)])
}

/// A message of the file of a conversation.
#[derive(Serialize, Deserialize)]
struct ConversationMessage {
    role: String,
    content: String,
}

impl ConversationMessage {
    fn into_message(self) -> Message {
        let role = if self.role == Role::Assistant.as_str() { Role::Assistant } else { Role::User };
        Message::new(role, self.content)
    }
}

/// Keeps what was said to a model and what it answered, so that it can be said again word for word.
fn write_conversation(
    folder: &SessionFolder,
    number: TurnNumber,
    turn: &TurnRecord,
    spooled: &Spooled,
) -> Result<(), SessionError> {
    let sent = spooled.messages.iter().map(|(role, content)| (role.as_str(), content.as_str()));
    let answer = (Role::Assistant.as_str(), spooled.text.as_str());
    let all: Vec<ConversationMessage> = sent
        .chain([answer])
        .map(|(role, content)| ConversationMessage { role: role.to_owned(), content: content.to_owned() })
        .collect();
    let text = serde_json::to_string_pretty(&all).expect("text is JSON") + "\n";
    folder.write(Some(number), &conversation_file(turn.phase()), &text)
}

/// An answer as it stands in a file: with a line feed at its end.
fn as_file(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Thousand-millionths of a dollar as dollars.
fn dollars(nano: u64) -> f64 {
    nano as f64 / 1e9
}

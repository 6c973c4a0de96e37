//! What a turn asks, put together from its session's files, and as whoever is asked takes it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::folder::{INPUT, conversation_file, response_file};
use super::open::OpenSession;
use super::turn::TurnError;
use super::words::{self, Material};
use super::{SessionError, SessionFolder, Status, TurnNumber, TurnRecord, flow};
use crate::base::token;
use crate::chat::{Capabilities, Message, Request, Role};
use crate::git::{EntryMode, ObjectKind};
use crate::node::Snapshot;
use crate::profile::Phase;
use crate::profile::{
    Change, FitError, OutputKey, Profile, Standards, Wants, Wish, fit, input_tokens_max, output_key, said_in_words, with_output,
};
use crate::prompt::{Bundle, SYSTEM_PROMPT, display, manual, to_request};
use crate::provider::{Definition, Kind};
use crate::secret::{Allowed, FindingId, guard};
use crate::workspace::{AskingError, Workspace};

/// Estimates are off by a few per cent: so much of a limit is left free.
const MARGIN_PERCENT: u64 = 3;

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
    /// The profile by which it is asked, and which setting limits the answer.
    pub profile: String,
    /// See [`OutputKey`].
    pub output_key: OutputKey,
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

impl Workspace {
    /// The words of a turn for whoever is asked; an error with a smaller payload when they are too long.
    pub(super) fn question(
        &self,
        open: &OpenSession,
        number: TurnNumber,
        turn: &TurnRecord,
        asking: &TurnAsking,
    ) -> Result<Result<Question, TooLong>, TurnError> {
        let phase = turn.phase();
        let named = asking.profile.as_deref().or(open.own.profile.as_deref());
        let profile = self.profile(named, self.trust.is_trusted())?;
        let provider = asking.provider.as_deref().or(open.own.provider(phase));
        let definition = self.definition(provider.or(profile.provider(phase)))?;
        let mut turn = turn.clone();
        let payload = open.folder.read(Some(number), INPUT)?.unwrap_or_default();
        let bundle = if turn.is_text_only {
            words::text_only(&turn.request)
        } else {
            self.material_bundle(open, number, &mut turn, (&profile, &payload))?
        };
        self.guard_bundle(&bundle, (open, number), &asking.allowed)?;
        let wish = profile.wish(phase, open.own.scope.as_deref().unwrap_or_default());
        let (request, text, output_key) = (Request::default(), String::new(), OutputKey::Profile);
        let mut question = Question { number, turn, request, definition, text, profile: profile.name.clone(), output_key };
        let capabilities = question.capabilities();
        let wished = with_output(&wish, &capabilities).0;
        match fitted(&bundle, &capabilities, &wish) {
            Ok(Fit { request, changes, output_key }) => {
                question.output_key = output_key;
                let tokens = request.tokens_estimated();
                if let Some(limit) = input_tokens_max(&wished, &capabilities).filter(|limit| tokens > *limit) {
                    let error = FitError::Input { input: tokens, limit };
                    return Ok(Err(TooLong::new(error, limit, (tokens, &payload))));
                }
                question.turn.clamps = changes;
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
        let root = self.root(&Snapshot::Revision("HEAD".to_owned())).ok();
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
    pub(super) fn guard_bundle(
        &self,
        bundle: &Bundle,
        (open, number): (&OpenSession, TurnNumber),
        now: &[FindingId],
    ) -> Result<(), TurnError> {
        let input = open.folder.relative(Some(number), INPUT);
        let input = input.to_string_lossy();
        let payload = open.folder.read(Some(number), INPUT)?.unwrap_or_default();
        let mut parts: Vec<(&str, &str)> =
            vec![(&input, &payload), ("system prompt", &bundle.system_context), ("request", &bundle.request)];
        parts.extend(bundle.history.iter().map(|message| ("conversation", message.text.as_str())));
        self.guard_texts(&parts, now)
    }

    /// Stops at what looks like a secret in one of several named texts.
    pub(super) fn guard_texts(&self, parts: &[(&str, &str)], now: &[FindingId]) -> Result<(), TurnError> {
        let scanner = self.scanner()?;
        let allowed: Allowed = self.allowed_secrets(now).map_err(AskingError::Allowed)?;
        for (name, text) in parts {
            guard(text.as_bytes(), name, scanner, &allowed)?;
        }
        Ok(())
    }
}

/// The words do not fit; the most tokens that the payload may have instead, if a smaller one would.
pub(super) struct TooLong {
    pub(super) error: FitError,
    pub(super) payload_tokens_max: Option<u64>,
}

impl TooLong {
    fn new(error: FitError, limit: u64, (tokens, payload): (u64, &str)) -> Self {
        let payload = token::estimate(payload);
        let rest = tokens.saturating_sub(payload);
        let room = (limit / 100 * (100 - MARGIN_PERCENT)).saturating_sub(rest);
        Self { error, payload_tokens_max: (room > 0 && room < payload).then_some(room) }
    }
}

/// A request as a provider takes it.
pub(super) struct Fit {
    pub(super) request: Request,
    /// What of the wishes had to give way.
    pub(super) changes: Vec<String>,
    /// Which setting limits the answer.
    pub(super) output_key: OutputKey,
}

/// The request as a provider takes it; else the tokens that are too many.
pub(super) fn fitted(bundle: &Bundle, capabilities: &Capabilities, wish: &Wish) -> Result<Fit, (FitError, u64)> {
    let (wished, share) = with_output(wish, capabilities);
    let draft = to_request(bundle, capabilities, wished.clone(), None);
    let tokens = draft.tokens_estimated();
    let fitted = fit(&wished, capabilities, tokens).map_err(|error| (error, tokens))?;
    let wants = Wants { system: !bundle.system_context.is_empty(), schema: false, turns: !bundle.history.is_empty() };
    let in_words = said_in_words(wants, capabilities);
    let fits: Vec<Change> = share.into_iter().chain(fitted.changes).collect();
    let changes = fits.iter().chain(&in_words).map(ToString::to_string).collect();
    Ok(Fit { request: Request { params: fitted.params, ..draft }, changes, output_key: output_key(&fits) })
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
pub(super) struct ConversationMessage {
    pub(super) role: String,
    pub(super) content: String,
}

impl ConversationMessage {
    fn into_message(self) -> Message {
        let role = if self.role == Role::Assistant.as_str() { Role::Assistant } else { Role::User };
        Message::new(role, self.content)
    }
}

//! The steps of a turn: beginning it, asking, taking an answer, judging it. Each can be killed and run again.
//!
//! `meta.yaml` is written last in every step, so what it says has happened.

use super::folder::{INPUT, REPLACED, prompt_file, response_file};
use super::gather::SessionView;
use super::open::{self, OpenSession, settle, write_report};
use super::question::{self, Question, TurnAsking, Words};
use super::record::{BY_REVIEW, VERSION, sha256};
use super::turn_error::TurnError;
use super::{Closed, Next, SessionError, SessionFolder, Status, TurnNumber, TurnRecord, Verdict};
use crate::base::count::counted;
use crate::chat::{Image, Usage};
use crate::context::people::{SESSION_LIST, TURN_LIST};
use crate::ops::AskingError;
use crate::profile::Phase;
use crate::secret::guard;
use crate::workspace::Workspace;

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
    /// The most tokens of the payload; those of this turn as it was begun before otherwise.
    pub tokens_max: Option<u64>,
    /// The snapshot, as a record names it.
    pub snapshot: Option<String>,
    /// The bytes of images that go along; those of the turn that the request is taken from otherwise.
    pub images: Vec<Vec<u8>>,
}

/// A verdict on an answer.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'j> {
    /// It is accepted.
    pub is_approved: bool,
    /// Who says so.
    pub by: &'j str,
    /// What to do better.
    pub feedback: &'j str,
    /// What deciding took in tokens and US dollars, when a model decided.
    pub took: (Option<Usage>, Option<f64>),
}

/// The place in a session where a turn begins.
struct Place {
    number: TurnNumber,
    phase: Phase,
    iteration: u32,
    /// The same turn as it was begun before, when it has no answer.
    before: Option<TurnRecord>,
}

/// Begins a turn: writes its list, the payload and the prompt. An unanswered one is begun again.
pub fn begin_turn(
    workspace: &Workspace,
    open: &mut OpenSession,
    options: &TurnOptions,
    asking: &TurnAsking,
) -> Result<Question, TurnError> {
    let place = place(open, options)?;
    let number = place.number;
    let earlier = open
        .session
        .turns
        .last()
        .map(|(number, turn)| (*number, turn));
    let before = place.before.as_ref().map(|turn| (number, turn)).or(earlier);
    let own_request = options.text.clone().or_else(|| options.request.clone());
    let request = own_request
        .clone()
        .or_else(|| before.map(|(_, turn)| turn.request.clone()));
    let is_text_only = options.text.is_some()
        || options.request.is_none() && place.before.as_ref().is_some_and(|turn| turn.is_text_only);
    let images = write_images(
        open,
        number,
        &options.images,
        before.filter(|_| own_request.is_none()),
    )?;
    let mut turn = TurnRecord {
        is_text_only,
        images,
        ..begun(&place, options, request)?
    };
    let (list, unknown) = carried_list(open, &place, options)?;
    let allowed = workspace
        .allowed_secrets(&asking.allowed)
        .map_err(AskingError::Allowed)?;
    let stop = |name: &str, text: &str| {
        Ok::<_, TurnError>(guard(
            text.as_bytes(),
            name,
            workspace.scanner()?,
            &allowed,
        )?)
    };
    stop("request", &turn.request)?;
    stop(TURN_LIST, &list)?;
    let list_before = match place.before {
        Some(_) => open.folder.read(Some(number), TURN_LIST)?,
        None => None,
    };
    open.folder.write(Some(number), TURN_LIST, &list)?;
    open::remember_typed(&workspace.state, &open.folder.name, &options.add)?;
    turn.notes = unknown;
    let question = question::question(workspace, view(open, number), number, &turn, asking);
    // Whatever way it came here: what is not to leave is not written either, where the next step would send it.
    let question = question.and_then(|question| {
        stop(INPUT, &question.words.input)?;
        Ok(question)
    });
    let question = match (question, list_before) {
        // The turn stays as it was begun before.
        (Err(error), Some(list)) => {
            open.folder.write(Some(number), TURN_LIST, &list)?;
            return Err(error);
        }
        (question, _) => question?,
    };
    keep_replaced(open, &place, &question.turn)?;
    write_prompt(open, question)
}

/// The record of a turn that begins, without an answer.
fn begun(
    place: &Place,
    options: &TurnOptions,
    request: Option<String>,
) -> Result<TurnRecord, TurnError> {
    Ok(TurnRecord {
        version: VERSION,
        phase: place.phase,
        iteration: place.iteration,
        request: request
            .filter(|request| !request.trim().is_empty())
            .ok_or(TurnError::NoRequest)?,
        is_text_only: false,
        snapshot: options.snapshot.clone(),
        budget: options.tokens_max,
        images: Vec::new(),
        input_sha256: None,
        prompt_sha256: String::new(),
        prompt_tokens_estimated: 0,
        cache_read_predicted: None,
        notes: Vec::new(),
        clamps: Vec::new(),
        charged: place
            .before
            .as_ref()
            .map(|turn| turn.charged)
            .unwrap_or_default(),
        answered: None,
        closed: None,
    })
}

/// Keeps the words of a request that has no answer and is replaced by another.
fn keep_replaced(open: &OpenSession, place: &Place, turn: &TurnRecord) -> Result<(), SessionError> {
    let replaced = place.before.as_ref().map(|before| before.request.as_str());
    let Some(request) = replaced.filter(|request| *request != turn.request) else {
        return Ok(());
    };
    let number = Some(place.number);
    let kept = open.folder.read(number, REPLACED)?;
    let text = kept.map_or_else(String::new, |kept| kept + "\n---\n\n") + request.trim_end() + "\n";
    open.folder.write(number, REPLACED, text)
}

/// What the open turn asks, built again from the repository and its files: both may have been edited.
pub fn open_question(
    workspace: &Workspace,
    open: &mut OpenSession,
    asking: &TurnAsking,
) -> Result<Question, TurnError> {
    let (number, turn) = open_turn(open)?;
    if turn.status() != Status::Ready {
        return Err(TurnError::Status(number, turn.status()));
    }
    let turn = turn.clone();
    let built = question::question(workspace, view(open, number), number, &turn, asking);
    let words = built.as_ref().ok().map(|question| &question.words);
    let question = match edited_prompt(&open.folder, number, &turn, words)? {
        Some(prompt) => question::question(
            workspace,
            view(open, number),
            number,
            &as_edited(turn, prompt),
            asking,
        )?,
        None => built?,
    };
    let is_written = sha256(&question.words.text) == question.turn.prompt_sha256
        && question
            .turn
            .input_sha256
            .as_ref()
            .is_none_or(|digest| *digest == sha256(&question.words.input));
    if question.turn.is_text_only || is_written {
        return Ok(question);
    }
    write_prompt(open, question)
}

/// Judges a review by the verdict that its answer holds; `None` when there is not just one, and a person decides.
pub fn judge_review(open: &mut OpenSession) -> Result<Option<Verdict>, TurnError> {
    let (number, turn) = open_turn(open)?;
    if turn.phase != Phase::Reviewing || turn.status() != Status::Answered {
        return Ok(None);
    }
    let text = open
        .folder
        .read(Some(number), &response_file(turn.phase))?
        .unwrap_or_default();
    let Some(verdict) = Verdict::parse(&text) else {
        return Ok(None);
    };
    let feedback = verdict.feedback(&text);
    judge(
        open,
        Judgement {
            is_approved: verdict.is_pass,
            by: BY_REVIEW,
            feedback: &feedback,
            took: (None, None),
        },
    )?;
    Ok(Some(verdict))
}

/// Ends the open turn: its answer, or the work that a review is about, is accepted or not.
pub fn judge(open: &mut OpenSession, judgement: Judgement<'_>) -> Result<TurnNumber, TurnError> {
    let (number, turn) = open_turn(open)?;
    let mut turn = turn.clone();
    let text = open
        .folder
        .read(Some(number), &response_file(turn.phase))?
        .filter(|text| !text.trim().is_empty());
    let text = text.ok_or(TurnError::Status(number, Status::Ready))?;
    let Judgement {
        is_approved,
        by,
        feedback,
        took: (usage, cost_usd),
    } = judgement;
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
            let phase = options.phase.unwrap_or(turn.phase);
            return Ok(Place {
                number,
                phase,
                iteration: turn.iteration,
                before: Some(turn.clone()),
            });
        }
        (Next::Begin(phase, iteration), None) => (phase, iteration),
        (Next::Begin(next, iteration), Some(phase)) => (
            phase,
            if phase == next {
                iteration
            } else {
                iteration_before
            },
        ),
        (Next::Complete, Some(phase)) => (phase, iteration_before),
        (Next::Complete, None) => return Err(TurnError::Complete(open.folder.name.to_string())),
    };
    let limit = session
        .record
        .limits
        .turns
        .filter(|limit| session.turns.len() >= *limit as usize);
    if let Some(limit) = limit {
        return Err(TurnError::Limit {
            session: open.folder.name.to_string(),
            limit: counted(u64::from(limit), "turn", "turns"),
        });
    }
    let number = last.map_or(Some(TurnNumber::FIRST), |(number, _)| number.next());
    let number = number.ok_or_else(|| SessionError::Full(open.folder.name.clone()))?;
    Ok(Place {
        number,
        phase,
        iteration,
        before: None,
    })
}

/// The list of the turn before, or of this one as it was begun, without what is dropped and with what is added.
///
/// With a note for each entry that was to be dropped and is not there.
fn carried_list(
    open: &OpenSession,
    place: &Place,
    options: &TurnOptions,
) -> Result<(String, Vec<String>), SessionError> {
    let from = match place.before {
        Some(_) => Some(place.number),
        None => open.session.turns.last().map(|(number, _)| *number),
    };
    let text = match from {
        Some(number) => open.folder.read(Some(number), TURN_LIST)?,
        None => None,
    };
    let text =
        text.unwrap_or_else(|| "# What this turn sees besides, one entry a line.\n".to_owned());
    let is_there = |entry: &&String| text.lines().any(|line| line.trim() == entry.as_str());
    let of_all = open.folder.read(None, SESSION_LIST)?.unwrap_or_default();
    let unknown = options.drop.iter().filter(|entry| !is_there(entry));
    let unknown = unknown.map(|entry| {
        if of_all.lines().any(|line| line.trim() == entry) {
            let list = open.folder.relative(None, SESSION_LIST);
            let list = list.display();
            format!("'{entry}' cannot be dropped from one turn: every turn shows it; take the line out of '{list}'")
        } else {
            format!("'{entry}' cannot be dropped: '{TURN_LIST}' has no such line")
        }
    });
    let unknown = unknown.collect();
    let mut lines: Vec<&str> = text
        .lines()
        .filter(|line| !options.drop.iter().any(|entry| entry == line.trim()))
        .collect();
    for entry in &options.add {
        if !lines.iter().any(|line| line.trim() == entry) {
            lines.push(entry);
        }
    }
    Ok((lines.join("\n") + "\n", unknown))
}

/// Writes the payload, the prompt, and then the record, after which the turn is there.
fn write_prompt(open: &mut OpenSession, mut question: Question) -> Result<Question, TurnError> {
    let (number, words) = (question.number, &question.words);
    open.folder.write(Some(number), INPUT, &words.input)?;
    open.folder
        .write(Some(number), &prompt_file(question.turn.phase), &words.text)?;
    question.turn.input_sha256 = Some(sha256(&words.input));
    question.turn.prompt_sha256 = sha256(&words.text);
    save(open, number, &question.turn)?;
    Ok(question)
}

/// A session as its turn `number` sees it.
pub(super) fn view(open: &OpenSession, number: TurnNumber) -> SessionView<'_> {
    SessionView {
        folder: &open.folder,
        turns: before(&open.session.turns, number),
        own: &open.own,
    }
}

/// The turns before one.
pub(super) fn before(
    turns: &[(TurnNumber, TurnRecord)],
    number: TurnNumber,
) -> &[(TurnNumber, TurnRecord)] {
    &turns[..turns.partition_point(|(other, _)| *other < number)]
}

/// The prompt of a turn, where a person has edited it. An edited payload is refused: nothing is made of that file, so
/// sending would pass the edit over in silence.
///
/// A file that says what would be written now was not edited: a kill came between it and the record.
pub(super) fn edited_prompt(
    folder: &SessionFolder,
    number: TurnNumber,
    turn: &TurnRecord,
    words: Option<&Words>,
) -> Result<Option<String>, TurnError> {
    let is_edited = |text: &str, digest: &str, written: Option<&str>| {
        sha256(text) != digest && written != Some(text)
    };
    let prompt = folder.read(Some(number), &prompt_file(turn.phase))?;
    let written = words.map(|words| words.text.as_str());
    if let Some(prompt) = prompt.filter(|prompt| is_edited(prompt, &turn.prompt_sha256, written)) {
        return Ok(Some(prompt));
    }
    let (input, digest) = (
        folder.read(Some(number), INPUT)?,
        turn.input_sha256.as_deref(),
    );
    let written = words.map(|words| words.input.as_str());
    match input
        .zip(digest)
        .filter(|(input, digest)| is_edited(input, digest, written))
    {
        Some(_) => Err(TurnError::Edited(folder.relative(Some(number), INPUT))),
        None => Ok(None),
    }
}

/// The record of a turn whose prompt was edited: that is all that is sent.
pub(super) fn as_edited(mut turn: TurnRecord, prompt: String) -> TurnRecord {
    turn.request = prompt;
    turn.is_text_only = true;
    turn.notes.push(format!(
        "'{}' was edited and is sent as it stands",
        prompt_file(turn.phase)
    ));
    turn
}

/// Writes the images of a turn into it: those that are given, or those of the turn that the request is taken from.
fn write_images(
    open: &OpenSession,
    number: TurnNumber,
    given: &[Vec<u8>],
    from: Option<(TurnNumber, &TurnRecord)>,
) -> Result<Vec<String>, TurnError> {
    let mut bytes = given.to_vec();
    if let Some((from, turn)) = from.filter(|_| given.is_empty()) {
        for name in &turn.images {
            bytes.push(open.folder.read_raw(from, name)?.unwrap_or_default());
        }
    }
    let mut names = Vec::new();
    for (at, bytes) in bytes.iter().enumerate() {
        let image = Image::new(bytes)
            .map_err(|error| TurnError::Image(format!("image {}", at + 1), error))?;
        let name = format!(
            "image-{}.{}",
            at + 1,
            image.media_type.trim_start_matches("image/")
        );
        open.folder.write(Some(number), &name, bytes)?;
        names.push(name);
    }
    Ok(names)
}

/// The turn that is not judged yet.
pub(super) fn open_turn(open: &OpenSession) -> Result<(TurnNumber, &TurnRecord), TurnError> {
    let last = open
        .session
        .turns
        .last()
        .ok_or_else(|| TurnError::NoTurns(open.folder.name.to_string()))?;
    match last.1.status() {
        Status::Ready | Status::Answered => Ok((last.0, &last.1)),
        ended => Err(TurnError::Status(last.0, ended)),
    }
}

/// Writes a turn's record, and keeps what is in memory like the files.
pub(super) fn save(
    open: &mut OpenSession,
    number: TurnNumber,
    turn: &TurnRecord,
) -> Result<(), SessionError> {
    open.folder.save_turn(number, turn)?;
    match open
        .session
        .turns
        .iter_mut()
        .find(|(other, _)| *other == number)
    {
        Some((_, known)) => *known = turn.clone(),
        None => open.session.turns.push((number, turn.clone())),
    }
    Ok(())
}

/// An answer as it stands in a file: with a line feed at its end.
pub(super) fn as_file(text: &str) -> String {
    if text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}

//! What would be sent, for a caller that only looks: the request of a session's turn, or of no session. Writes nothing.

use super::flow::Next;
use super::gather::{Ingredients, SessionView};
use super::question::{self, Addressee, TurnAsking, Words, images, turn_wish};
use super::summary::due_summary;
use super::task::Task;
use super::turn::{as_edited, before, edited_prompt};
use super::turn_error::TurnError;
use super::{SessionFolder, SessionRecord, Status, TurnNumber, TurnRecord, open};
use crate::chat::Image;
use crate::node::SnapshotRoot;
use crate::ops::{self, AskingError};
use crate::profile::{Phase, Profile, Wish};
use crate::provider::{Definition, Definitions};
use crate::workspace::Workspace;

/// What is looked at.
pub struct PreviewOptions<'p> {
    /// The session; `None` for a request by itself.
    pub session: Option<SessionFolder>,
    /// What is wanted; what the session's last turn wants otherwise.
    pub request: Option<String>,
    /// What is named for this look only.
    pub named: &'p [String],
    /// Images that go along besides those of the turn, with their names.
    pub images: Vec<(String, Image)>,
    /// Another snapshot than the turn's.
    pub root: Option<SnapshotRoot>,
    /// The most tokens of all symbols.
    pub symbols: Option<u64>,
    /// Whom, how, and what may leave.
    pub asking: TurnAsking,
}

/// The words, and who would get them.
pub struct Preview {
    /// The words.
    pub words: Words,
    /// The provider that would answer; `None` where none is configured.
    pub definition: Option<Definition>,
}

/// The turn that is looked at: the open one, or else the next.
struct Looked {
    number: Option<TurnNumber>,
    phase: Phase,
    turn: Option<TurnRecord>,
}

/// The words of the open turn, of the next one, or of a request by itself. `reader` may want another form than the one
/// who would be asked takes.
pub fn preview(
    workspace: &Workspace,
    options: &PreviewOptions<'_>,
    reader: &dyn Fn(Option<&Definition>, Wish) -> Addressee,
) -> Result<Preview, TurnError> {
    let Some(folder) = &options.session else {
        return preview_alone(workspace, options, reader);
    };
    let session = folder.load()?;
    let own = open::own_part(workspace, folder, &session.record)?;
    let looked = looked(&session);
    let (settings, asking) = (&workspace.settings, &options.asking);
    let profile = question::turn_profile(workspace, &own, asking)?;
    let definition = question::turn_definition(settings, &own, looked.phase, &profile, asking)?;
    let reader = reader(definition.as_ref(), turn_wish(&profile, looked.phase, &own));
    let last = session.turns.last();
    let turn = looked.turn.as_ref();
    let is_open = turn.is_some();
    let request = options.request.clone().or_else(|| {
        turn.or(last.map(|(_, turn)| turn))
            .map(|turn| turn.request.clone())
    });
    let mut all = match (looked.number, turn) {
        (Some(number), Some(turn)) => images(folder, number, turn)?,
        _ => Vec::new(),
    };
    all.extend(options.images.iter().cloned());
    let turns = match looked.number.filter(|_| is_open) {
        Some(number) => before(&session.turns, number),
        None => &session.turns,
    };
    let view = SessionView {
        folder,
        turns,
        own: &own,
    };
    let place = Place {
        profile: &profile,
        images: &all,
        view: Some(view),
        number: looked.number,
        phase: Some(looked.phase),
        turn,
    };
    let look = |reader: &Addressee, place: &Place<'_>, request: Option<String>| {
        look(workspace, options, place, reader, request)
    };
    let built = look(&reader, &place, request);
    let open = looked
        .number
        .zip(turn)
        .filter(|(_, turn)| turn.status() == Status::Ready && options.request.is_none());
    let mut edited = None;
    if let Some((number, turn)) = open {
        // A person's reader makes the text that stands in the file.
        let wish = turn_wish(&profile, looked.phase, &own);
        let written = Addressee::of(definition.as_ref(), wish);
        let written = look(&written, &place, Some(turn.request.clone()));
        let prompt = edited_prompt(folder, number, turn, written.as_ref().ok())?;
        edited = prompt.map(|prompt| as_edited(turn.clone(), prompt));
    }
    let mut words = match &edited {
        Some(turn) => {
            let place = Place {
                turn: Some(turn),
                ..place
            };
            look(&reader, &place, Some(turn.request.clone()))?
        }
        None => built?,
    };
    let note = summary_note(workspace, folder, &own, asking)?;
    words.notes.extend(note);
    Ok(Preview { words, definition })
}

/// What `turn run` does before it sends what is shown, where a model is to write a summary.
fn summary_note(
    workspace: &Workspace,
    folder: &SessionFolder,
    own: &SessionRecord,
    asking: &TurnAsking,
) -> Result<Option<String>, TurnError> {
    let due = match due_summary(workspace, folder, own, asking) {
        Ok(due) => due,
        // A summarizer with too small a window: the rule's summary, which is shown, stays.
        Err(TurnError::Fit(_)) => None,
        Err(error) => return Err(error),
    };
    Ok(due.map(|due| {
        format!(
            "'turn run' first asks '{}' to sum up {} messages, and sends its summary in the place of the one shown here",
            due.definition.name, due.messages
        )
    }))
}

fn preview_alone(
    workspace: &Workspace,
    options: &PreviewOptions<'_>,
    reader: &dyn Fn(Option<&Definition>, Wish) -> Addressee,
) -> Result<Preview, TurnError> {
    let profile = question::turn_profile(workspace, &SessionRecord::default(), &options.asking)?;
    let definitions = Definitions::load(workspace.settings.stack()).map_err(AskingError::from)?;
    let named = options
        .asking
        .provider
        .as_deref()
        .or(ops::asking::default_provider(&workspace.settings));
    // Several are no error where no request is sent.
    let definition = match named {
        Some(name) => Some(definitions.get(name).map_err(AskingError::from)?.clone()),
        None => definitions.the_only().ok().cloned(),
    };
    let reader = reader(definition.as_ref(), profile.wish(Phase::Generating, ""));
    let place = Place {
        profile: &profile,
        images: &options.images,
        view: None,
        number: None,
        phase: None,
        turn: None,
    };
    let words = look(workspace, options, &place, &reader, options.request.clone())?;
    Ok(Preview { words, definition })
}

fn look(
    workspace: &Workspace,
    options: &PreviewOptions<'_>,
    place: &Place<'_>,
    reader: &Addressee,
    request: Option<String>,
) -> Result<Words, TurnError> {
    let request = request
        .filter(|request| !request.trim().is_empty())
        .ok_or(TurnError::NoRequest)?;
    let allowed = workspace
        .allowed_secrets(&options.asking.allowed)
        .map_err(AskingError::Allowed)?;
    let snapshot = place.turn.and_then(|turn| turn.snapshot.as_deref());
    let root = options
        .root
        .clone()
        .map_or_else(|| question::turn_root(workspace, snapshot), Ok)?;
    let ingredients = Ingredients {
        root: &root,
        session: place.view,
        number: place.number,
        task: Task {
            phase: place.phase,
            request,
            ..Task::default()
        },
        named: options.named,
        images: place.images,
        profile: place.profile,
        allowed: &allowed,
    };
    let budget = place.turn.and_then(|turn| turn.budget);
    if place.turn.is_some_and(|turn| turn.is_text_only) && options.request.is_none() {
        return question::text_words(workspace, &ingredients, reader, budget);
    }
    question::words(workspace, &ingredients, reader, budget, options.symbols)
}

/// Where in a session a look is taken, and with what.
struct Place<'p> {
    profile: &'p Profile,
    images: &'p [(String, Image)],
    view: Option<SessionView<'p>>,
    number: Option<TurnNumber>,
    phase: Option<Phase>,
    turn: Option<&'p TurnRecord>,
}

fn looked(session: &super::folder::Session) -> Looked {
    // The list of the last turn is carried over to the next.
    let last = session.turns.last().map(|(number, _)| *number);
    match session.next() {
        Next::Finish(number) => {
            let turn = session.turn(number).expect("the open turn is there");
            Looked {
                number: Some(number),
                phase: turn.phase,
                turn: Some(turn.clone()),
            }
        }
        Next::Begin(phase, _) => Looked {
            number: last,
            phase,
            turn: None,
        },
        Next::Complete => Looked {
            number: last,
            phase: Phase::Planning,
            turn: None,
        },
    }
}

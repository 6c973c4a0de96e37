//! The request of a turn and its provider: the turn's world in the form that the provider takes, small enough for its window.

use std::collections::BTreeSet;

use super::gather::{self, Ingredients, SessionView, Sizes};
use super::task::Task;
use super::tiers::{self, Placed};
use super::turn_error::TurnError;
use super::world::World;
use super::{SessionFolder, SessionRecord, TurnNumber, TurnRecord};
use crate::base::token;
use crate::chat::{Capabilities, Image, Message, Request, Role};
use crate::context::ContextError;
use crate::git::StateDir;
use crate::node::{Snapshot, SnapshotRoot};
use crate::ops::input::InputError;
use crate::ops::{self, AskingError};
use crate::profile::{
    Adjustment, FitError, OutputKey, Phase, Profile, Wants, Wish, check_input, fit,
    input_tokens_max, output_key, over, said_in_words, with_output,
};
use crate::prompt::{display, manual};
use crate::provider::{Definition, ProviderKind};
use crate::secret::{FindingId, guard};
use crate::tier::{CacheTerms, TierPolicy};
use crate::workspace::{Settings, Workspace};

/// Estimates are off by a few per cent: what is made smaller leaves so much of a limit free.
const MARGIN_PERCENT: u64 = 3;
/// Tokens that a document with nothing but names may have beyond what it was said to take.
const LEAST_MORE: u64 = 16;
/// The part of a limit that standards may take in full, and the part that symbols keep before files are reduced.
const STANDARDS_SHARE: u64 = 4;
const SYMBOLS_KEPT_SHARE: u64 = 8;

/// The provider, the parameters, and what may leave, for all steps of a turn.
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
    /// The words.
    pub words: Words,
    /// The provider; `None` when none is configured, and a person answers.
    pub definition: Option<Definition>,
    /// The profile with the parameters of the request.
    pub profile: String,
}

impl Question {
    /// True when a person is to answer.
    #[must_use]
    pub fn is_manual(&self) -> bool {
        self.definition
            .as_ref()
            .is_none_or(|definition| definition.kind == ProviderKind::Manual)
    }
}

/// A world in the form that the provider takes.
pub struct Words {
    /// The request, as the provider takes it.
    pub request: Request,
    /// The words for a person: the manual block for one who answers, else the display text.
    pub text: String,
    /// The document `input.md`.
    pub input: String,
    /// Which setting limits the answer.
    pub output_key: OutputKey,
    /// What of the wishes had to give way.
    pub changes: Vec<String>,
    /// What is left out, reduced or odd.
    pub notes: Vec<String>,
    /// Where everything stands in the message array; `None` where there is none.
    pub placed: Option<Placed>,
}

/// The provider, as far as the words depend on it.
pub struct Addressee {
    /// What they take.
    pub capabilities: Capabilities,
    /// True for people and programs, who get one block of text.
    pub takes_block: bool,
    /// How the profile wishes to ask.
    pub wish: Wish,
    /// How items find their tier.
    pub policy: TierPolicy,
    /// What their cache costs and takes.
    pub terms: CacheTerms,
}

impl Addressee {
    /// The reader behind a definition; a person where there is none.
    #[must_use]
    pub fn of(definition: Option<&Definition>, wish: Wish) -> Self {
        let capabilities = definition
            .map(|definition| definition.capabilities.clone())
            .unwrap_or_default();
        let prices = definition.and_then(|definition| definition.prices.as_ref());
        Self {
            terms: CacheTerms::of(&capabilities, prices),
            takes_block: definition.is_none_or(|definition| {
                matches!(
                    definition.kind,
                    ProviderKind::Manual | ProviderKind::Command
                )
            }),
            policy: TierPolicy::ExpectedCost,
            capabilities,
            wish,
        }
    }
}

/// The request of a turn, for a provider or a person.
pub(super) fn question(
    workspace: &Workspace,
    view: SessionView<'_>,
    number: TurnNumber,
    turn: &TurnRecord,
    asking: &TurnAsking,
) -> Result<Question, TurnError> {
    let phase = turn.phase;
    let profile = turn_profile(workspace, view.own, asking)?;
    let definition = turn_definition(&workspace.settings, view.own, phase, &profile, asking)?;
    let reader = Addressee::of(definition.as_ref(), turn_wish(&profile, phase, view.own));
    let images = images(view.folder, number, turn)?;
    let allowed = workspace
        .allowed_secrets(&asking.allowed)
        .map_err(AskingError::Allowed)?;
    let root = turn_root(workspace, turn.snapshot.as_deref())?;
    let ingredients = Ingredients {
        root: &root,
        session: Some(view),
        number: Some(number),
        task: Task {
            phase: Some(phase),
            request: turn.request.clone(),
            ..Task::default()
        },
        named: &[],
        images: &images,
        profile: &profile,
        allowed: &allowed,
    };
    let words = if turn.is_text_only {
        text_words(workspace, &ingredients, &reader, turn.budget)?
    } else {
        words(workspace, &ingredients, &reader, turn.budget, None)?
    };
    let mut turn = turn.clone();
    turn.notes.extend(words.notes.iter().cloned());
    let mut seen = BTreeSet::new();
    turn.notes.retain(|note| seen.insert(note.clone()));
    turn.clamps.clone_from(&words.changes);
    turn.prompt_tokens_estimated = words.request.tokens_estimated();
    let marks = words
        .request
        .messages
        .iter()
        .any(|message| message.ends_cached_prefix);
    let placed = words
        .placed
        .as_ref()
        .filter(|_| marks || reader.terms.breakpoints_max == 0);
    turn.cache_read_predicted = placed.map(|placed| placed.predicted.read);
    Ok(Question {
        number,
        turn,
        words,
        definition,
        profile: profile.name,
    })
}

/// The words of a world, with as much of it as there is room for.
pub fn words(
    workspace: &Workspace,
    ingredients: &Ingredients<'_>,
    reader: &Addressee,
    document: Option<u64>,
    symbols: Option<u64>,
) -> Result<Words, TurnError> {
    let params = with_output(&reader.wish, &reader.capabilities).0;
    let limit = input_tokens_max(&params, &reader.capabilities);
    let mut sizes = Sizes::new(document, symbols, limit);
    loop {
        let world = match gather::world(workspace, ingredients, sizes) {
            Err(error) => {
                let least = least_document(&error).filter(|least| {
                    !sizes.is_least && document.is_none_or(|allowed| allowed >= *least)
                });
                // With nothing but names it is as small as it gets; what else is too long, the end of this loop says. What it
                // takes depends a little on what it may take, which stands in it.
                sizes = Sizes {
                    document: Some(
                        (least.ok_or(error)? + LEAST_MORE).min(document.unwrap_or(u64::MAX)),
                    ),
                    is_least: true,
                    ..sizes
                };
                continue;
            }
            world => world?,
        };
        let mut words =
            render(&workspace.state, &world, ingredients, reader).map_err(read_error)?;
        let tokens = words.request.tokens_estimated();
        let Some(limit) = limit.filter(|limit| tokens > *limit) else {
            words.fit(reader, tokens)?;
            return Ok(words);
        };
        let room = limit / 100 * (100 - MARGIN_PERCENT);
        let less =
            smaller(&world, sizes, tokens.saturating_sub(room), limit).map_err(read_error)?;
        sizes = less.ok_or_else(|| over(&params, &reader.capabilities, tokens, limit))?;
    }
}

/// What a document takes with nothing but names, where an error says that it has less room.
fn least_document(error: &TurnError) -> Option<u64> {
    match error {
        TurnError::Input(InputError::Document(ContextError::Budget { needed, .. })) => {
            Some(*needed)
        }
        _ => None,
    }
}

/// Every rendering of a world that its reader needs.
fn render(
    state: &StateDir,
    world: &World<'_>,
    ingredients: &Ingredients<'_>,
    reader: &Addressee,
) -> std::io::Result<Words> {
    let bundle = world.bundle()?;
    let mut notes = world.notes.clone();
    let text = if reader.takes_block {
        manual(&bundle)
    } else {
        display(&bundle)
    };
    let (messages, placed) = if reader.takes_block {
        (vec![Message::new(Role::User, text.clone())], None)
    } else {
        let session = ingredients.session.map(|view| view.folder.name.as_str());
        let placed = tiers::place(state, world, session, reader.policy, &reader.terms);
        notes.extend(placed.notice.iter().map(ToString::to_string));
        (world.messages(&placed.layout), Some(placed))
    };
    let request = Request {
        messages,
        ..Request::default()
    };
    let (input, changes, output_key) = (world.input()?, Vec::new(), OutputKey::Profile);
    Ok(Words {
        request,
        text,
        input,
        output_key,
        changes,
        notes,
        placed,
    })
}

/// The words of text that was put together elsewhere: it is all that is sent.
pub(super) fn text_words(
    workspace: &Workspace,
    ingredients: &Ingredients<'_>,
    reader: &Addressee,
    document: Option<u64>,
) -> Result<Words, TurnError> {
    let text = ingredients.task.request.clone();
    guard(
        text.as_bytes(),
        "request",
        workspace.scanner()?,
        ingredients.allowed,
    )?;
    let document = gather::list_document(workspace, ingredients, document)?;
    let notes = document.remarks().map_err(InputError::from)?;
    let images = ingredients
        .images
        .iter()
        .map(|(_, image)| image.clone())
        .collect();
    let request = Request {
        messages: vec![Message {
            images,
            ..Message::new(Role::User, text.clone())
        }],
        ..Request::default()
    };
    let input = document.text().map_err(read_error)?;
    let mut words = Words {
        request,
        text,
        input,
        output_key: OutputKey::Profile,
        changes: Vec::new(),
        notes,
        placed: None,
    };
    let tokens = words.request.tokens_estimated();
    check_input(&reader.wish, &reader.capabilities, tokens)?;
    words.fit(reader, tokens)?;
    Ok(words)
}

/// The profile of a turn.
pub(super) fn turn_profile(
    workspace: &Workspace,
    own: &SessionRecord,
    asking: &TurnAsking,
) -> Result<Profile, TurnError> {
    let named = asking.profile.as_deref().or(own.profile.as_deref());
    Ok(ops::asking::profile(
        workspace,
        named,
        workspace.trust.is_trusted(),
    )?)
}

/// The provider of a turn.
pub(super) fn turn_definition(
    settings: &Settings,
    own: &SessionRecord,
    phase: Phase,
    profile: &Profile,
    asking: &TurnAsking,
) -> Result<Option<Definition>, TurnError> {
    let provider = asking.provider.as_deref().or(own.provider(phase));
    Ok(ops::asking::definition(
        settings,
        provider.or(profile.provider(phase)),
    )?)
}

/// The root of the snapshot that a record names: `index`, a tree, or else the work tree.
pub(super) fn turn_root(
    workspace: &Workspace,
    snapshot: Option<&str>,
) -> Result<SnapshotRoot, TurnError> {
    let snapshot = match snapshot {
        None => workspace.default_snapshot(),
        Some("index") => Snapshot::Index,
        Some(id) => Snapshot::Revision(id.to_owned()),
    };
    Ok(workspace.root(&snapshot)?)
}

/// The parameters of a phase.
pub(super) fn turn_wish(profile: &Profile, phase: Phase, own: &SessionRecord) -> Wish {
    profile.wish(phase, own.scope.as_deref().unwrap_or_default())
}

/// The images of a turn, with where they stand.
pub(super) fn images(
    folder: &SessionFolder,
    number: TurnNumber,
    turn: &TurnRecord,
) -> Result<Vec<(String, Image)>, TurnError> {
    let mut images = Vec::new();
    for name in &turn.images {
        let path = folder.relative(Some(number), name).display().to_string();
        let bytes = folder.read_raw(number, name)?.unwrap_or_default();
        let image = Image::new(&bytes).map_err(|error| TurnError::Image(path.clone(), error))?;
        images.push((path, image));
    }
    Ok(images)
}

impl Words {
    /// Fits the wishes of the profile to what the reader can do.
    fn fit(&mut self, reader: &Addressee, tokens: u64) -> Result<(), FitError> {
        let (wished, share) = with_output(&reader.wish, &reader.capabilities);
        let fitted = fit(&wished, &reader.capabilities, tokens)?;
        let has_system = self
            .request
            .messages
            .iter()
            .any(|message| message.role == Role::System);
        let wants = Wants {
            system: has_system,
            schema: false,
            turns: false,
        };
        let in_words = said_in_words(wants, &reader.capabilities);
        let fits: Vec<Adjustment> = share.into_iter().chain(fitted.changes).collect();
        self.changes = fits
            .iter()
            .chain(&in_words)
            .map(ToString::to_string)
            .collect();
        self.output_key = output_key(&fits);
        self.request.params = fitted.params;
        Ok(())
    }

    /// The last text of the user: the request of this turn.
    #[must_use]
    pub fn asked(&self) -> &str {
        self.request
            .messages
            .last()
            .map(|message| message.text.as_str())
            .unwrap_or_default()
    }
}

/// Smaller sizes for a world that is `over` by this many tokens; `None` when nothing is left to make smaller.
///
/// What is worth least goes first: standards that take a large part are condensed, then symbols give way down to a part of
/// the limit, then what the lists name is reduced, and at last the map goes.
fn smaller(
    world: &World<'_>,
    sizes: Sizes,
    over: u64,
    limit: u64,
) -> std::io::Result<Option<Sizes>> {
    if sizes.lags && !world.reference.earlier.is_empty() {
        return Ok(Some(Sizes {
            lags: false,
            ..sizes
        }));
    }
    if sizes.standards.is_none() && token::estimate(&world.standards) > limit / STANDARDS_SHARE {
        return Ok(Some(Sizes {
            standards: Some(limit / STANDARDS_SHARE),
            ..sizes
        }));
    }
    let (symbols, kept) = (world.symbol_tokens(), limit / SYMBOLS_KEPT_SHARE);
    if symbols > kept {
        let symbols = symbols
            .saturating_sub(over)
            .max(kept)
            .min(sizes.symbols.saturating_sub(1));
        return Ok(Some(Sizes { symbols, ..sizes }));
    }
    if world.body_tokens() > 0 && !sizes.is_least {
        let document = token::estimate(&world.input()?).min(sizes.document.unwrap_or(u64::MAX));
        return Ok(Some(Sizes {
            document: Some(document.saturating_sub(over + over / 16 + 1)),
            ..sizes
        }));
    }
    if sizes.symbols > 0 {
        return Ok(Some(Sizes {
            symbols: 0,
            ..sizes
        }));
    }
    Ok(None)
}

fn read_error(error: std::io::Error) -> TurnError {
    InputError::from(ContextError::Read(error)).into()
}

//! Where the parts of a world stand in the message array, and what a session remembers of it.
//!
//! Tiers are remembered below `<common git dir>/merkle/tiers/`, and move on only when a request was sent: looking changes
//! nothing.

use super::turn_error::TurnError;
use super::world::{World, content};
use crate::git::StateDir;
use crate::tier::cache::{Bill, predict};
use crate::tier::{
    CacheTerms, ItemReport, Layout, Notice, Request, State, TierPolicy, advance_lagging, decode,
    encode, explain, item_text,
};

/// Where the tiers of sessions are remembered, below the state directory.
const FOLDER: &str = "tiers";
/// Far more than the state of the largest request.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// What is remembered for requests without a session; no session can have this name.
const NO_SESSION: &str = "-";

/// A layout, and why it is as it is.
pub struct Placed {
    /// Where everything stands.
    pub layout: Layout,
    /// Why, for each item in the order of their keys.
    pub reasons: Vec<ItemReport>,
    /// What a provider that still holds the last request would read.
    pub predicted: Bill,
    /// Requests that were sent before, as far as is remembered.
    pub requests: u32,
    /// What is remembered cannot be read.
    pub notice: Option<Notice>,
    state: State,
    session: String,
}

/// Places the parts of a world; nothing is remembered.
#[must_use]
pub fn place(
    state: &StateDir,
    world: &World<'_>,
    session: Option<&str>,
    policy: TierPolicy,
    terms: &CacheTerms,
) -> Placed {
    let session = session.unwrap_or(NO_SESSION).to_owned();
    let (before, notice) = load(&state.folder(FOLDER), &session);
    let items = world.items();
    let reference = &world.reference;
    // Another program may have sent a request since the texts were read.
    let mut updates = world.updates();
    updates.retain(|update| {
        let text = item_text(&update.key, &reference.earlier[&update.key]);
        before.items.get(&update.key).map(|was| was.content) == Some(content(&text))
    });
    let request = Request {
        system: world.system_content(),
        items: &items,
        components: &reference.components,
        commits: reference.evidence.commits,
        aliases: &reference.aliases,
    };
    let (mut step, items) = advance_lagging(policy, &before, &request, terms, &updates);
    let request = Request {
        items: &items,
        ..request
    };
    step.state.texts = world.texts_in_tiers(&step.layout);
    Placed {
        reasons: explain(&before, &request, &step),
        predicted: predict(&before, &step.layout, &request, terms),
        requests: before.requests,
        notice,
        layout: step.layout,
        state: step.state,
        session,
    }
}

/// What is remembered of the last request of a session, for the map to stay as it is.
pub(super) fn last_request(state: &StateDir, session: Option<&str>) -> State {
    load(&state.folder(FOLDER), session.unwrap_or(NO_SESSION)).0
}

/// Remembers that a request was sent, so that the next one finds its tiers.
pub fn remember_sent(state: &StateDir, placed: &Placed) -> Result<(), TurnError> {
    let (folder, name) = (state.folder(FOLDER), &placed.session);
    let written = folder
        .create()
        .and_then(|()| folder.write_sealed(name, &encode(&placed.state)));
    written.map_err(|error| TurnError::State(folder.shown_file(name), error))
}

/// What a session remembers; an empty state, and why, where that cannot be read.
fn load(folder: &StateDir, session: &str) -> (State, Option<Notice>) {
    match folder.read_sealed(session, FILE_BYTES_MAX) {
        Some(bytes) => decode(&bytes),
        None if folder.open(session, u64::MAX).is_ok() => (State::default(), Some(Notice::Damaged)),
        None => (State::default(), None),
    }
}

//! `fetch`, `push` and `sync`: frames come from a remote, are united, and go back, again until no other push was faster.
//!
//! What is pushed is a commit whose only parent is the remote's own and whose tree is the remote's tree with the statements of
//! this clone added. So the remote's ref only moves forward, nothing that it holds is dropped, and two clones that push
//! at once make one of them fetch and push again. Between the two nothing else is done: what came is checked and united
//! afterwards. A killed process leaves the old state or the new on either side.
//!
//! `sync` fetches before it pushes. `push` pushes on top of what the remote held last, on condition that it still does: one
//! connection instead of two where no other clone has pushed since. Otherwise it is a `sync`.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::accept::{self, AcceptedFrames, Delivery, NAMED_MAX};
use super::attempt::{self, Attempt, Published};
use super::error::SyncError;
use super::left_out::LeftOut;
use super::memory::Memory;
use super::pace::{self, pause};
use super::remote::Publish;
use super::retain;
use super::select::Rules;
use super::terms::Exchange;
use super::transfer::{self, Theirs};
use crate::base::count::counted;
use crate::base::{NodeId, TreePath, clock};
use crate::frame::commit::{self, CommitError, back_off};
use crate::frame::epoch::{self, Shrink};
use crate::frame::merge::Gift;
use crate::frame::{Store, signed};
use crate::git::Lock;

/// How often a push that another one overtook is tried again.
pub const TRIES_MAX: u32 = 12;

/// How often the remote may refuse a push while what it holds stays the same: that is no race.
pub(super) const UNMOVED_MAX: u32 = 5;

/// The lock around an exchange, in the state directory.
const LOCK_FILE: &str = "exchange";

/// How long another exchange of this clone is waited for.
const LOCK_WAIT: Duration = Duration::from_mins(1);

/// What came and went.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Frames that this clone lacked.
    pub came: usize,
    /// Frames that the remote lacked.
    pub went: usize,
    /// Frames that went from this clone, because another one dropped them for all.
    pub dropped: usize,
    /// Statements about objects that the remote does not have.
    pub held_back: usize,
    /// Entries of the remote that are no frames, the first of them.
    pub left_out: Vec<LeftOut>,
    /// How many entries of the remote are no frames.
    pub left_out_count: usize,
    /// Frames of the remote that [`Exchange::accept`] does not let count, the first of them.
    pub not_accepted: Vec<LeftOut>,
    /// How many frames of the remote it does not let count.
    pub not_accepted_count: usize,
    /// Attempts to push the frames, but for connections that broke off.
    pub attempts: u32,
    /// Refs of clones whose content the shared ref has now.
    pub collected: usize,
    /// Refs of clones that were not fetched, because there are too many.
    pub unfetched: usize,
}

/// Fetches the remote's frames and unites what may count with the store.
pub fn fetch(exchange: &Exchange<'_>) -> Result<Outcome, SyncError> {
    let _lock = lock(exchange)?;
    fetch_once(exchange)
}

pub(super) fn fetch_once(exchange: &Exchange<'_>) -> Result<Outcome, SyncError> {
    let theirs = insisting(0, || transfer::bring(exchange))?;
    let mut memory = Memory::load(exchange.state, exchange.remote).unwrap_or_default();
    meet(exchange, &theirs, &mut memory)?;
    let outcome = keep(exchange, &theirs, &mut memory)?;
    Memory {
        seconds: clock::now_seconds(),
        ..memory
    }
    .save(exchange.state, exchange.remote);
    Ok(outcome)
}

/// Pushes what the remote lacks; where it has moved on, or nothing is to be pushed, the same as [`sync`].
pub fn push(exchange: &Exchange<'_>, rules: &Rules<'_>) -> Result<Outcome, SyncError> {
    let _lock = lock(exchange)?;
    let mut memory = Memory::load(exchange.state, exchange.remote).unwrap_or_default();
    let (attempts, broken) = match push_at_once(exchange, rules, &mut memory)? {
        AtOnce::Accepted(outcome) => return Ok(outcome),
        AtOnce::Behind => (1, 0),
        AtOnce::Broken => (0, 1),
        AtOnce::Nothing => (0, 0),
    };
    let outcome = exchange_both(exchange, rules, memory, broken)?;
    Ok(Outcome {
        attempts: outcome.attempts + attempts,
        ..outcome
    })
}

/// Fetches, pushes what the remote lacks, again when another push was faster, and unites what came.
pub fn sync(exchange: &Exchange<'_>, rules: &Rules<'_>) -> Result<Outcome, SyncError> {
    let _lock = lock(exchange)?;
    let memory = Memory::load(exchange.state, exchange.remote).unwrap_or_default();
    exchange_both(exchange, rules, memory, 0)
}

/// What came of a push on top of what a remote held last.
enum AtOnce {
    Accepted(Outcome),
    /// The remote holds something else.
    Behind,
    /// The connection broke off.
    Broken,
    /// Nothing was pushed: there is nothing to push, or what the remote held last does not count.
    Nothing,
}

/// Pushes to a remote that holds what it held last. What that was is united with the store already, so nothing has to be
/// taken in afterwards.
fn push_at_once(
    exchange: &Exchange<'_>,
    rules: &Rules<'_>,
    memory: &mut Memory,
) -> Result<AtOnce, SyncError> {
    let Some(mut theirs) = transfer::remembered(exchange, memory)? else {
        return Ok(AtOnce::Nothing);
    };
    match attempt::attempt(exchange, rules, &mut theirs, memory, false) {
        Ok(Attempt::Accepted(published)) if published.held.is_some() => {
            transfer::settle(exchange, &theirs)?;
            memory.save(exchange.state, exchange.remote);
            Ok(AtOnce::Accepted(Outcome {
                went: published.went,
                held_back: published.held_back,
                attempts: 1,
                ..Outcome::default()
            }))
        }
        Ok(Attempt::Behind(_)) => Ok(AtOnce::Behind),
        Ok(Attempt::Accepted(_) | Attempt::Waits) | Err(SyncError::NoStore { .. }) => {
            Ok(AtOnce::Nothing)
        }
        Err(error) if error.tries_left(0) > 0 => Ok(AtOnce::Broken),
        Err(error) => Err(error),
    }
}

/// Fetches, pushes and unites; `broken` transfers have broken off before.
fn exchange_both(
    exchange: &Exchange<'_>,
    rules: &Rules<'_>,
    mut memory: Memory,
    broken: u32,
) -> Result<Outcome, SyncError> {
    let mut theirs = insisting(broken, || transfer::bring(exchange))?;
    transfer::list_push_places(exchange, &mut theirs)?;
    meet(exchange, &theirs, &mut memory)?;
    let mut before = Outcome::default();
    let pushed = push_until_accepted(exchange, rules, &mut theirs, &mut before, &mut memory);
    // What came stays, also where nothing could be pushed.
    let outcome = keep(exchange, &theirs, &mut memory);
    let (published, attempts) = pushed?;
    let mut outcome = Outcome {
        went: published.went,
        held_back: published.held_back,
        attempts,
        ..outcome?
    };
    (outcome.came, outcome.dropped) =
        (outcome.came + before.came, outcome.dropped + before.dropped);
    outcome.collected = forget_collected(exchange, &theirs, &published)?;
    if !exchange.dry_run {
        memory.save(exchange.state, exchange.remote);
    }
    Ok(outcome)
}

/// One exchange of a clone at a time: two would overtake each other, and what a dead one has left is cleared by the next.
pub(super) fn lock(exchange: &Exchange<'_>) -> Result<Lock, SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let lock = exchange
        .state
        .lock(LOCK_FILE, LOCK_WAIT)
        .map_err(SyncError::Lock)?
        .ok_or(SyncError::Locked)?;
    repo.find_direct_ref(&remote.tracking_ref())?;
    repo.check_log_path(&remote.tracking_ref())?;
    repo.clear_refs(&remote.incoming_refs())?;
    Ok(lock)
}

/// Takes in where the remote's branches stand. What another place held under this name is forgotten, unless the remote goes on
/// from there: the same server has many addresses.
fn meet(exchange: &Exchange<'_>, theirs: &Theirs, memory: &mut Memory) -> Result<(), SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    transfer::note_branches(exchange, theirs, memory)?;
    if !Memory::is_of_another(exchange.state, remote) {
        return Ok(());
    }
    let before = repo.find_direct_ref(&remote.tracking_ref())?;
    let goes_on = match before.zip(theirs.frames) {
        Some((before, now)) => epoch::goes_on_from(repo, &before, &now)?,
        None => false,
    };
    if !goes_on {
        transfer::settle(exchange, &Theirs::default())?;
    }
    Ok(())
}

/// Unites what may count with the store, and moves the tracking refs.
fn keep(
    exchange: &Exchange<'_>,
    theirs: &Theirs,
    memory: &mut Memory,
) -> Result<Outcome, SyncError> {
    let outcome = unite(exchange, theirs, memory)?;
    let dropped = follow(exchange, &transfer::shared(exchange, theirs)?)?;
    transfer::settle(exchange, theirs)?;
    Ok(Outcome {
        unfetched: theirs.more,
        dropped,
        ..outcome
    })
}

/// The same for a shared ref that this clone has just put there.
pub(super) fn take(exchange: &Exchange<'_>, now: NodeId) -> Result<(), SyncError> {
    let theirs = Theirs {
        frames: Some(now),
        by: transfer::tracked_writers(exchange)?,
        ..Theirs::default()
    };
    keep(exchange, &theirs, &mut Memory::default()).map(drop)
}

/// Takes out what the remote has dropped for all; how many frames that were.
///
/// What it has dropped is known by the difference to the tracking ref, which therefore moves afterwards: a process that is
/// killed between must find the difference again.
fn follow(exchange: &Exchange<'_>, theirs: &Store<'_>) -> Result<usize, SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let before = repo.find_direct_ref(&remote.tracking_ref())?;
    for tries in 0..TRIES_MAX {
        let ours = Store::open(repo)?;
        let gone = retain::dropped_there(repo, &ours, before, theirs)?;
        let Some(from) = ours.commit().filter(|_| !gone.is_empty()) else {
            return Ok(0);
        };
        let frames = gone.iter().filter(|path| !signed::is_path(path)).count();
        let count = counted(frames, "frame", "frames");
        let subject = format!("{count} dropped by {}", remote.name());
        if epoch::shrink(
            repo,
            exchange.state,
            &Shrink {
                from,
                gone: &gone,
                theirs: theirs.commit(),
                subject: &subject,
            },
        )? {
            return Ok(frames);
        }
        back_off(tries);
    }
    Err(CommitError::Busy.into())
}

/// True when the remote has dropped frames since it was last looked at: they must go here before anything goes there.
fn has_dropped(exchange: &Exchange<'_>, theirs: &Theirs) -> Result<bool, SyncError> {
    transfer::shared(exchange, theirs)?;
    let before = exchange
        .repo
        .find_direct_ref(&exchange.remote.tracking_ref())?;
    let both = before
        .zip(theirs.frames)
        .filter(|(before, now)| before != now);
    both.map_or(Ok(false), |(before, now)| {
        Ok(epoch::has_dropped(exchange.repo, &before, &now)?)
    })
}

/// The remote's shared store as it was last fetched.
pub(super) fn tracked<'r>(exchange: &Exchange<'r>) -> Result<Store<'r>, SyncError> {
    let Exchange {
        repo,
        remote,
        state,
        ..
    } = *exchange;
    let is_there = !Memory::is_of_another(state, remote);
    let frames = repo
        .find_direct_ref(&remote.tracking_ref())?
        .filter(|_| is_there);
    transfer::shared(
        exchange,
        &Theirs {
            frames,
            ..Theirs::default()
        },
    )
}

fn unite(
    exchange: &Exchange<'_>,
    theirs: &Theirs,
    memory: &mut Memory,
) -> Result<Outcome, SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let (ours, shared) = (Store::open(repo)?, transfer::shared(exchange, theirs)?);
    let mut outcome = Outcome::default();
    let mut delivery = accept::check(repo, ours.tree(), shared.tree(), exchange.share)?;
    let (is_whole, delivered) = (
        delivery.is_whole(),
        (delivery.accepted.len(), delivery.manifests.len()),
    );
    outcome.leave_out(
        std::mem::take(&mut delivery.left_out),
        delivery.left_out_count,
    );
    let of_shared = accepted(exchange, &mut outcome, &shared, delivery)?;
    // Their history comes along where it has brought something; that of a single clone does not.
    let history = shared.commit().filter(|_| !of_shared.is_empty());
    let mut gift = of_shared;
    gift.is_whole =
        is_whole && theirs.by.is_empty() && (gift.entries.len(), gift.manifests.len()) == delivered;
    for (writer, tip) in &theirs.by {
        let Ok(store) = Store::at(repo, Some(*tip)) else {
            let path = TreePath::new(remote.own_ref(writer));
            let reason = "no store of frames".to_owned();
            outcome.leave_out(vec![LeftOut { path, reason }], 1);
            continue;
        };
        let mut delivery = accept::check(repo, ours.tree(), store.tree(), exchange.share)?;
        let place =
            |path: &TreePath| [remote.own_ref(writer).as_bytes(), b":", path.as_bytes()].concat();
        for fault in &mut delivery.left_out {
            fault.path = TreePath::new(place(&fault.path));
        }
        outcome.leave_out(
            std::mem::take(&mut delivery.left_out),
            delivery.left_out_count,
        );
        let more = accepted(exchange, &mut outcome, &store, delivery)?;
        gift.entries.extend(more.entries);
        gift.manifests.extend(more.manifests);
    }
    if !theirs.by.is_empty() {
        let mut seen = HashSet::new();
        gift.entries.retain(|entry| seen.insert(entry.clone()));
    }
    outcome.came = gift.entries.len();
    if !gift.is_empty() {
        let came = counted(outcome.came, "frame", "frames");
        let message = format!("{came} from {}", remote.name());
        let added = commit::add_entries(repo, exchange.state, &gift, history, &message)?;
        // Where nothing else was said meanwhile, what came is nothing to push.
        if memory.store == added.parent {
            memory.store = added.commit;
        }
    }
    Ok(outcome)
}

/// What of a delivery counts by the user's setting; the rest is noted.
fn accepted(
    exchange: &Exchange<'_>,
    outcome: &mut Outcome,
    theirs: &Store<'_>,
    delivery: Delivery,
) -> Result<Gift, SyncError> {
    let AcceptedFrames {
        gift,
        refused,
        refused_count,
    } = accept::judge(
        exchange.repo,
        exchange.state,
        exchange.accept,
        theirs,
        delivery,
    )?;
    outcome.not_accepted_count += refused_count;
    outcome.not_accepted.extend(refused);
    outcome.not_accepted.truncate(NAMED_MAX);
    Ok(gift)
}

impl Outcome {
    fn leave_out(&mut self, entries: Vec<LeftOut>, count: usize) {
        self.left_out_count += count;
        self.left_out.extend(entries);
        self.left_out.truncate(NAMED_MAX);
    }
}

/// Pushes until the remote takes it, and counts the attempts; what it holds then stands in `theirs`.
fn push_until_accepted(
    exchange: &Exchange<'_>,
    rules: &Rules<'_>,
    theirs: &mut Theirs,
    outcome: &mut Outcome,
    memory: &mut Memory,
) -> Result<(Published, u32), SyncError> {
    let (mut lost, mut broken, mut begun, mut has_waited) = (0, 0, Instant::now(), false);
    // How often in a row the remote refused a push, and held what it had held before.
    let mut unmoved = 0;
    loop {
        let mut refused = None;
        if has_dropped(exchange, theirs)? {
            let Outcome { came, dropped, .. } = keep(exchange, theirs, memory)?;
            (outcome.came, outcome.dropped) = (outcome.came + came, outcome.dropped + dropped);
        }
        match attempt::attempt(exchange, rules, theirs, memory, has_waited) {
            Ok(Attempt::Accepted(published)) => return Ok((published, lost + 1)),
            Ok(Attempt::Behind(reason)) => {
                lost += 1;
                refused = Some(reason);
            }
            Ok(Attempt::Waits) => has_waited = true,
            Err(error) if error.tries_left(broken) > 0 => broken += 1,
            Err(error) => return Err(error),
        }
        if lost == TRIES_MAX {
            return Err(SyncError::Busy {
                remote: exchange.remote.name().to_owned(),
                tries: lost,
            });
        }
        std::thread::sleep(pause(
            begun.elapsed(),
            lost,
            pace::crowd(exchange, theirs.frames),
        ));
        begun = Instant::now();
        let before = theirs.clone();
        insisting(0, || match exchange.publish {
            Publish::Shared | Publish::Collect => transfer::bring_shared(exchange, theirs),
            Publish::Own => transfer::bring(exchange).map(|now| *theirs = now),
        })?;
        let is_unmoved = (theirs.frames, &theirs.by) == (before.frames, &before.by);
        if let Some(reason) = refused {
            unmoved = if is_unmoved { unmoved + 1 } else { 0 };
            if unmoved == UNMOVED_MAX {
                return Err(stuck(exchange, reason));
            }
        }
    }
}

pub(super) fn stuck(exchange: &Exchange<'_>, reason: String) -> SyncError {
    let remote = exchange.remote.name().to_owned();
    let is_behind = ["fetch first", "non-fast-forward", "stale info"]
        .iter()
        .any(|behind| reason.contains(behind));
    if is_behind && exchange.repo.pushes_elsewhere(&remote) {
        SyncError::TwoPlaces(remote)
    } else {
        SyncError::Stuck { remote, reason }
    }
}

/// Deletes the refs of clones that the shared ref has the content of; how many there were, or would be.
fn forget_collected(
    exchange: &Exchange<'_>,
    theirs: &Theirs,
    published: &Published,
) -> Result<usize, SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let refs = &published.collected;
    if exchange.dry_run || refs.is_empty() {
        return Ok(refs.len());
    }
    let gone = repo
        .delete_remote_refs(remote.name(), refs, exchange.prompt)
        .map_err(|source| SyncError::transfer(remote, source))?;
    if gone == refs.len() {
        let by = theirs
            .by
            .iter()
            .filter(|(writer, _)| !refs.iter().any(|gone| gone.name == remote.own_ref(writer)));
        transfer::settle(
            exchange,
            &Theirs {
                by: by.map(|(writer, id)| (writer.clone(), *id)).collect(),
                ..theirs.clone()
            },
        )?;
    }
    Ok(gone)
}

/// Does a transfer again that broke off; `tries` have before.
fn insisting<T>(
    mut tries: u32,
    mut transfer: impl FnMut() -> Result<T, SyncError>,
) -> Result<T, SyncError> {
    loop {
        match transfer() {
            Err(error) if error.tries_left(tries) > 0 => {
                std::thread::sleep(pause(Duration::ZERO, tries, 0));
            }
            done => return done,
        }
        tries += 1;
    }
}

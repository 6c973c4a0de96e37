//! What a remote holds: listed, brought here, and kept under tracking refs once it was looked at.
//!
//! A remote is listed first: that tells a ref which is absent from a remote that is, and how many clones publish to refs
//! of their own, before any of it comes. What the tracking refs have already is not fetched. git writes to refs of this process,
//! because a git that is killed leaves its locks: the tracking refs are moved by this program, whose locks do not outlive it.

use std::collections::{BTreeMap, HashSet};

use super::error::SyncError;
use super::memory::Memory;
use super::remote::{Publish, Remote};
use super::terms::Exchange;
use super::writer::Writer;
use crate::base::NodeId;
use crate::frame::{Store, StoreError};
use crate::git::{Expected, RefError, RemoteRef};

/// The most refs of clones that are fetched, besides those that were before: who can push may make any number of them.
const WRITERS_MAX: usize = 1_000;

/// The most branches whose commits are looked for among all objects; those of the refs of this clone are known without.
const LOOKED_FOR_MAX: u32 = 256;

/// How often a listing is made again because a ref of it was gone when it was fetched.
const LISTINGS_MAX: usize = 3;

/// What a remote holds.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Theirs {
    /// The shared store.
    pub frames: Option<NodeId>,
    /// What clones have published by themselves.
    pub by: BTreeMap<Writer, NodeId>,
    /// Refs of clones that are left where they are, because there are too many.
    pub more: usize,
    /// Its branches, without `refs/heads/`. No branch of frames is among them.
    pub branches: BTreeMap<String, NodeId>,
    /// True when this is what it held last, and it was not listed since.
    pub is_remembered: bool,
}

/// Brings what is remembered of the remote's branches to what it has listed: of each where it stands, or where it stood in an
/// earlier listing, as far as that is here. What this reaches the remote has.
///
/// What `refs/remotes` says counts for the first exchange alone, of a clone that may be behind: these refs may be of
/// another place that had the remote's name, or of branches that are gone there.
pub(super) fn note_branches(
    exchange: &Exchange<'_>,
    theirs: &Theirs,
    memory: &mut Memory,
) -> Result<(), RefError> {
    let Exchange {
        repo,
        remote,
        state,
        ..
    } = *exchange;
    let tracked = tracked_branches(exchange)?;
    let heads = repo.refs_below("refs/heads/")?.into_iter();
    let here: HashSet<NodeId> = heads
        .map(|(_, id)| id)
        .chain(tracked.values().copied())
        .collect();
    let is_first = memory.seconds == 0 && !Memory::is_of_another(state, remote);
    let none = BTreeMap::new();
    let before = match (repo.pushes_elsewhere(remote.name()), is_first) {
        // What is known is of the address that is fetched from.
        (true, _) => &none,
        (false, true) => &tracked,
        (false, false) => &memory.branches,
    };
    let (mut known, mut misses) = (BTreeMap::new(), 0);
    for (branch, id) in &theirs.branches {
        let mut is_here = here.contains(id);
        if !is_here && misses < LOOKED_FOR_MAX {
            is_here = matches!(repo.header(id), Ok(Some(_)));
            misses += u32::from(!is_here);
        }
        let stood = if is_here {
            Some(id)
        } else {
            before.get(branch)
        };
        known.extend(stood.map(|id| (branch.clone(), *id)));
    }
    (memory.branches, memory.tracked) = (known, tracked);
    Ok(())
}

/// Where a push goes elsewhere than a fetch, what is there decides what may go: the branches of these places, where all agree.
pub(super) fn list_push_places(
    exchange: &Exchange<'_>,
    theirs: &mut Theirs,
) -> Result<(), SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    for (number, url) in repo.remote_push_urls(remote.name()).iter().enumerate() {
        let mut there = BTreeMap::new();
        let listed = repo.list_refs(url, &["refs/heads/*"], exchange.prompt, &mut |found| {
            there.extend(branch_of(remote, &found.name).map(|branch| (branch, found.id)));
            true
        });
        listed.map_err(|source| SyncError::transfer(remote, source))?;
        if number == 0 {
            theirs.branches = there;
        } else {
            theirs
                .branches
                .retain(|branch, id| there.get(branch) == Some(id));
        }
    }
    Ok(())
}

/// The refs of this clone that track the remote's branches, by branch.
fn tracked_branches(exchange: &Exchange<'_>) -> Result<BTreeMap<String, NodeId>, RefError> {
    let remote = exchange.remote;
    let prefix = remote.branches();
    let refs = exchange.repo.refs_below(&prefix)?.into_iter();
    let branches = refs.filter(|(name, _)| !remote.is_of_frames(name));
    let named =
        branches.filter_map(|(name, id)| Some((name.strip_prefix(&prefix)?.to_owned(), id)));
    Ok(named.filter(|(branch, _)| branch != "HEAD").collect())
}

/// What a remote that publishes nothing but its shared store held last; none where this clone has never seen it, pushes
/// elsewhere than it fetches from, or finds it at another place.
pub(super) fn remembered(
    exchange: &Exchange<'_>,
    memory: &mut Memory,
) -> Result<Option<Theirs>, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let is_shared = exchange.publish == Publish::Shared && !exchange.dry_run;
    let has_writers = || tracked_writers(exchange).map(|writers| !writers.is_empty());
    if !is_shared || repo.pushes_elsewhere(remote.name()) || has_writers()? {
        return Ok(None);
    }
    if Memory::is_of_another(exchange.state, remote) {
        return Ok(None);
    }
    let frames = repo.find_direct_ref(&remote.tracking_ref())?;
    // What git has moved since the listing was pushed there or fetched from there.
    for (branch, id) in tracked_branches(exchange)? {
        if memory.tracked.get(&branch) != Some(&id) {
            memory.branches.insert(branch.clone(), id);
            memory.tracked.insert(branch, id);
        }
    }
    Ok(frames.map(|frames| Theirs {
        frames: Some(frames),
        is_remembered: true,
        ..Theirs::default()
    }))
}

/// Lists a remote and brings what is not here.
pub(super) fn bring(exchange: &Exchange<'_>) -> Result<Theirs, SyncError> {
    let mut listed = list(exchange)?;
    for _ in 1..LISTINGS_MAX {
        match fetch(exchange, &listed) {
            Err(error @ SyncError::Transfer { .. }) => {
                // Taken away since, by a forced push or because they were collected?
                let now = list(exchange)?;
                if now == listed {
                    return Err(error);
                }
                listed = now;
            }
            done => return done,
        }
    }
    fetch(exchange, &listed)
}

/// Brings the shared ref alone, as it is now: that is what other pushes move.
pub(super) fn bring_shared(exchange: &Exchange<'_>, theirs: &mut Theirs) -> Result<(), SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let incoming = incoming(exchange, 0);
    let refs = [(remote.frames_ref().to_owned(), incoming.clone())];
    for tries in 1.. {
        match repo
            .fetch_refs(remote.name(), &refs, exchange.prompt)
            .map_err(|source| SyncError::transfer(remote, source))
        {
            Ok(()) => theirs.frames = repo.find_direct_ref(&incoming)?,
            Err(error) => match list(exchange)?.frames {
                None => theirs.frames = None,
                // It was away for a moment, or the transfer failed for another reason.
                Some(_) if tries < LISTINGS_MAX => continue,
                Some(_) => return Err(error),
            },
        }
        break;
    }
    Ok(())
}

fn list(exchange: &Exchange<'_>) -> Result<Theirs, SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let known = tracked_writers(exchange)?;
    let (own, own_refs) = (Writer::of(exchange.state), remote.own_refs());
    let pattern = format!("{own_refs}*");
    let mut theirs = Theirs::default();
    let listed = repo.list_refs(
        remote.name(),
        &[remote.frames_ref(), &pattern, "refs/heads/*"],
        exchange.prompt,
        &mut |RemoteRef { name, id }| {
            if name == remote.frames_ref() {
                theirs.frames = Some(id);
            } else if let Some(writer) = name.strip_prefix(&own_refs).and_then(Writer::parse) {
                if theirs.by.len() < WRITERS_MAX || writer == own || known.contains_key(&writer) {
                    theirs.by.insert(writer, id);
                } else {
                    theirs.more += 1;
                }
            } else {
                let branch = branch_of(remote, &name);
                theirs.branches.extend(branch.map(|branch| (branch, id)));
            }
            true
        },
    );
    listed.map_err(|source| SyncError::transfer(remote, source))?;
    Ok(theirs)
}

/// The branch that a ref of a remote is, without `refs/heads/`; none for a branch of frames.
fn branch_of(remote: &Remote, name: &str) -> Option<String> {
    let branch = name.strip_prefix("refs/heads/")?;
    let is_of_frames = remote.is_of_frames(&format!("{}{branch}", remote.branches()));
    (!is_of_frames).then(|| branch.to_owned())
}

/// Brings what was listed and is not tracked; where it stands by now is what counts.
fn fetch(exchange: &Exchange<'_>, listed: &Theirs) -> Result<Theirs, SyncError> {
    let (repo, remote) = (exchange.repo, exchange.remote);
    let mut theirs = listed.clone();
    let tracked = tracked_writers(exchange)?;
    let mut wanted = Vec::new();
    if listed.frames.is_some() && listed.frames != repo.find_direct_ref(&remote.tracking_ref())? {
        wanted.push((remote.frames_ref().to_owned(), None));
    }
    let changed = listed
        .by
        .iter()
        .filter(|(writer, id)| tracked.get(writer) != Some(id));
    wanted.extend(changed.map(|(writer, _)| (remote.own_ref(writer), Some(writer.clone()))));
    if wanted.is_empty() {
        return Ok(theirs);
    }
    let numbered = wanted.iter().enumerate();
    let refs: Vec<_> = numbered
        .map(|(number, (name, _))| (name.clone(), incoming(exchange, number)))
        .collect();
    repo.check_log_path(&incoming(exchange, 0))?;
    repo.fetch_refs(remote.name(), &refs, exchange.prompt)
        .map_err(|source| SyncError::transfer(remote, source))?;
    for ((_, writer), (_, here)) in wanted.into_iter().zip(refs) {
        let Some(now) = repo.find_direct_ref(&here)? else {
            continue;
        };
        match writer {
            None => theirs.frames = Some(now),
            Some(writer) => drop(theirs.by.insert(writer, now)),
        }
    }
    Ok(theirs)
}

/// Moves the tracking refs to what the remote holds, once that was looked at.
///
/// A ref that the remote has lost goes here, too: nothing may be taken for being there.
pub(super) fn settle(exchange: &Exchange<'_>, theirs: &Theirs) -> Result<(), SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    track(exchange, &remote.tracking_ref(), theirs.frames)?;
    for (writer, id) in &theirs.by {
        track(exchange, &remote.tracking_ref_of(writer), Some(*id))?;
    }
    for writer in tracked_writers(exchange)?
        .keys()
        .filter(|writer| !theirs.by.contains_key(writer))
    {
        repo.delete_ref(&remote.tracking_ref_of(writer))?;
    }
    Ok(repo.clear_refs(&remote.incoming_refs())?)
}

fn track(exchange: &Exchange<'_>, name: &str, now: Option<NodeId>) -> Result<(), SyncError> {
    let repo = exchange.repo;
    match (repo.find_direct_ref(name)?, now) {
        (before, now) if before == now => Ok(()),
        (_, None) => Ok(repo.delete_ref(name)?),
        (before, Some(now)) => {
            match repo.update_ref(name, &now, before.map_or(Expected::Absent, Expected::At)) {
                // Another program has seen the remote since: what it saw is as new.
                Err(RefError::Moved(_)) => Ok(()),
                done => Ok(done?),
            }
        }
    }
}

/// What clones have published by themselves, as of the last fetch.
pub(super) fn tracked_writers(
    exchange: &Exchange<'_>,
) -> Result<BTreeMap<Writer, NodeId>, RefError> {
    let prefix = exchange.remote.tracking_by();
    let refs = exchange.repo.refs_below(&prefix)?.into_iter();
    Ok(refs
        .filter_map(|(name, id)| Some((Writer::parse(name.strip_prefix(&prefix)?)?, id)))
        .collect())
}

/// The shared store of the remote as it was brought.
pub(super) fn shared<'r>(exchange: &Exchange<'r>, theirs: &Theirs) -> Result<Store<'r>, SyncError> {
    Store::at(exchange.repo, theirs.frames)
        .map_err(|source| no_store(exchange, exchange.remote.frames_ref(), source))
}

pub(super) fn no_store(exchange: &Exchange<'_>, name: &str, source: StoreError) -> SyncError {
    SyncError::NoStore {
        remote: exchange.remote.name().to_owned(),
        name: name.to_owned(),
        source,
    }
}

fn incoming(exchange: &Exchange<'_>, number: usize) -> String {
    format!(
        "{}{}-{number}",
        exchange.remote.incoming_refs(),
        std::process::id()
    )
}

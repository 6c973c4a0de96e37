//! One attempt to give a remote what it lacks: a commit on top of one of its refs, which the remote takes or refuses.
//!
//! | publishing | the ref that moves | what is added to it | what goes away when it was taken |
//! |---|---|---|---|
//! | shared | the shared one | what was said here | this clone's own ref, whose content it has by then |
//! | own | this clone's own | what was said here | nothing |
//! | collect | the shared one | what was said here, and what clones have published by themselves | the refs of these clones |
//!
//! A clone's ref goes only with the value that was looked at as its lease, and only when every entry of it counts: what this
//! program does not understand stays where it is.

use std::collections::HashSet;

use super::accept;
use super::error::SyncError;
use super::memory::Memory;
use super::pace::{self, CLONE_FIELD};
use super::remote::{Publish, Share};
use super::select::{self, Elsewhere, Gained, Rules, Selection};
use super::terms::Exchange;
use super::transfer::{self, Theirs};
use super::writer::Writer;
use crate::base::count::counted;
use crate::base::{NodeId, clock};
use crate::frame::commit::commit_object;
use crate::frame::merge::{self, Gift};
use crate::frame::{Store, listing};
use crate::git::{Batch, ChildError, Held, Pushed, RemoteRef, Repository};

/// What came of an attempt.
pub(super) enum Attempt {
    /// The remote has it.
    Accepted(Published),
    /// Another push moved the ref first, or holds its lock; in the remote's words.
    Behind(String),
    /// There is something to push, and it waits.
    Waits,
}

/// What a remote was given, or would be.
#[derive(Default)]
pub(super) struct Published {
    /// Statements of this clone that the remote lacked.
    pub went: usize,
    /// Statements about objects that the remote does not have.
    pub held_back: usize,
    /// Refs of clones whose content the shared ref has now.
    pub collected: Vec<RemoteRef>,
    /// Keeps what was written here until a tracking ref reaches it.
    pub held: Option<Held>,
}

/// Makes the commit and pushes it, where no crowd has to be waited for first; where it was taken, `theirs` says so.
pub(super) fn attempt(
    exchange: &Exchange<'_>,
    rules: &Rules<'_>,
    theirs: &mut Theirs,
    memory: &mut Memory,
    has_waited: bool,
) -> Result<Attempt, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let tips: Vec<NodeId> = memory.branches.values().copied().collect();
    let (ours, shared) = (Store::open(repo)?, transfer::shared(exchange, theirs)?);
    let elsewhere = published_by_clones(exchange, theirs, &shared)?;
    let gained = Gained {
        old: shared.tree(),
        new: ours.tree(),
        elsewhere: Some(&elsewhere),
    };
    let Selection {
        mut entries,
        held_back,
        mut manifests,
    } = select::select(repo, gained, &tips, rules, memory)?;
    let held_back = held_back.len();
    *memory = Memory {
        store: ours.commit(),
        held_back,
        seconds: clock::now_seconds(),
        ..std::mem::take(memory)
    };
    let (taken, collected) = from_clones(exchange, theirs, &shared)?;
    let mut published = Published {
        went: entries.len(),
        held_back,
        collected,
        held: None,
    };
    entries.extend(taken.entries);
    manifests.extend(taken.manifests);
    let gift = Gift {
        entries,
        manifests,
        is_whole: false,
    };
    if gift.is_empty() || exchange.dry_run {
        return Ok(Attempt::Accepted(published));
    }
    if !has_waited && pace::crowd(exchange, theirs.frames) > 0 {
        return Ok(Attempt::Waits);
    }
    let own = Writer::of(exchange.state);
    let (name, tip) = match exchange.publish {
        Publish::Own => (remote.own_ref(&own), theirs.by.get(&own).copied()),
        Publish::Shared | Publish::Collect => (remote.frames_ref().to_owned(), theirs.frames),
    };
    let base =
        Store::at(repo, tip).map_err(|source| transfer::no_store(exchange, &name, source))?;
    let (commit, held) = write_on(exchange, &base, gift)?;
    // What was only remembered may be another remote's by now, to which the history of this one must not go.
    let pushed = match tip.filter(|_| theirs.is_remembered) {
        Some(tip) => repo.push_instead(remote.name(), [&tip, &commit], &name, exchange.prompt),
        None => repo.push_commit(remote.name(), &commit, &name, exchange.prompt),
    };
    if let Some(reason) = behind(exchange, &name, pushed)? {
        return Ok(Attempt::Behind(reason));
    }
    match exchange.publish {
        Publish::Own => drop(theirs.by.insert(own, commit)),
        Publish::Shared | Publish::Collect => theirs.frames = Some(commit),
    }
    published.held = Some(held);
    Ok(Attempt::Accepted(published))
}

/// Why the remote has not taken a push for now; `None` where it has.
pub(super) fn behind(
    exchange: &Exchange<'_>,
    name: &str,
    pushed: Result<Pushed, ChildError>,
) -> Result<Option<String>, SyncError> {
    let remote = || exchange.remote.name().to_owned();
    match pushed.map_err(|source| SyncError::transfer(exchange.remote, source))? {
        Pushed::Accepted => Ok(None),
        Pushed::Behind(reason) => Ok(Some(reason)),
        Pushed::Broken(reason) => Err(SyncError::Broken {
            remote: remote(),
            reason,
        }),
        Pushed::Refused(reason) => Err(SyncError::Refused {
            remote: remote(),
            name: name.to_owned(),
            reason,
        }),
    }
}

/// What the refs of clones hold and the shared store lacks: the remote has it already.
fn published_by_clones(
    exchange: &Exchange<'_>,
    theirs: &Theirs,
    shared: &Store<'_>,
) -> Result<Elsewhere, SyncError> {
    let mut elsewhere = Elsewhere::default();
    for tip in theirs.by.values() {
        // A ref that is no store publishes nothing.
        let Ok(store) = Store::at(exchange.repo, Some(*tip)) else {
            continue;
        };
        listing::visit_added(exchange.repo, shared.tree(), store.tree(), &mut |added| {
            elsewhere.entries.extend(added.entries);
            elsewhere.manifests.extend(added.manifests);
            Ok(())
        })?;
    }
    Ok(elsewhere)
}

/// What goes over from refs of clones to the shared one, and those refs that it leaves nothing in.
fn from_clones(
    exchange: &Exchange<'_>,
    theirs: &Theirs,
    shared: &Store<'_>,
) -> Result<(Gift, Vec<RemoteRef>), SyncError> {
    let own = Writer::of(exchange.state);
    let is_source = |writer: &Writer| match exchange.publish {
        Publish::Shared => *writer == own,
        Publish::Own => false,
        Publish::Collect => true,
    };
    let (mut taken, mut manifests, mut collected) = (HashSet::new(), HashSet::new(), Vec::new());
    for (writer, tip) in theirs.by.iter().filter(|(writer, _)| is_source(writer)) {
        let Ok(store) = Store::at(exchange.repo, Some(*tip)) else {
            continue;
        };
        let delivery = accept::check(exchange.repo, shared.tree(), store.tree(), Share::All)?;
        taken.extend(delivery.accepted);
        manifests.extend(delivery.manifests);
        if delivery.left_out_count == 0 {
            collected.push(RemoteRef {
                name: exchange.remote.own_ref(writer),
                id: *tip,
            });
        }
    }
    let gift = Gift {
        entries: taken.into_iter().collect(),
        manifests: manifests.into_iter().collect(),
        is_whole: false,
    };
    Ok((gift, collected))
}

/// A commit whose only parent is the store's own, so that no history of this clone goes along; held against 'git gc'.
fn write_on(
    exchange: &Exchange<'_>,
    base: &Store<'_>,
    gift: Gift,
) -> Result<(NodeId, Held), SyncError> {
    let repo = exchange.repo;
    let what = match gift.entries.len() {
        0 => "signatures".to_owned(),
        count => counted(count, "frame", "frames"),
    };
    let message = format!("{what}\n\n{CLONE_FIELD}{}", Writer::of(exchange.state));
    let mut batch = Batch::default();
    let tree = merge::graft(repo, base.tree(), gift, &mut batch)?;
    let commit = commit_on(repo, &mut batch, tree, base.commit(), &message);
    Ok((commit, repo.write(&batch)?))
}

pub(super) fn commit_on(
    repo: &Repository,
    batch: &mut Batch,
    tree: NodeId,
    parent: Option<NodeId>,
    message: &str,
) -> NodeId {
    let parents: Vec<NodeId> = parent.into_iter().collect();
    let object = commit_object(repo, &tree, &parents, message);
    let commit = object.id;
    batch.add(object);
    commit
}

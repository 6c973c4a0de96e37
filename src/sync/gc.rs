//! `gc`: the store is written anew without what it need not hold, here, and with `--publish` at the remote.
//!
//! At the remote it is one commit without a parent in the place of the remote's own, pushed with that one's exact id as a lease: a push
//! that was faster is fetched, and what remains is chosen again. This clone then takes it as any other one does, with its next fetch if
//! it is killed before.

use std::collections::HashSet;
use std::time::Duration;

use super::attempt::{behind, commit_on};
use super::error::SyncError;
use super::exchange::{TRIES_MAX, UNMOVED_MAX, fetch_once, lock, stuck, take, tracked};
use super::pace::pause;
use super::retain::{RetentionPlan, Rules, StoreLocation, plan};
use super::terms::Exchange;
use crate::base::NodeId;
use crate::base::count::counted;
use crate::frame::commit::{CommitError, back_off};
use crate::frame::epoch::{self, Shrink};
use crate::frame::{Store, merge};
use crate::git::{Batch, Repository, StateDir};

/// Drops what this clone's store need not hold, or with `dry_run` says what that is.
pub fn gc(
    repo: &Repository,
    state: &StateDir,
    rules: &Rules<'_>,
    dry_run: bool,
) -> Result<RetentionPlan, SyncError> {
    for tries in 0..TRIES_MAX {
        let store = Store::open(repo)?;
        let (Some(from), Some(tree)) = (store.commit(), store.tree()) else {
            return Ok(RetentionPlan::default());
        };
        let plan = plan(
            repo,
            tree,
            StoreLocation::Here(&stores_of_remotes(repo)?),
            rules,
        )?;
        if dry_run || plan.gone.is_empty() {
            return Ok(plan);
        }
        let subject = subject(&plan);
        let change = Shrink {
            from,
            gone: &plan.gone,
            theirs: None,
            subject: &subject,
        };
        if epoch::shrink(repo, state, &change)? {
            return Ok(plan);
        }
        back_off(tries);
    }
    Err(CommitError::Busy.into())
}

/// What remotes were last seen to hold, each once. A ref of a clone that is no store holds nothing.
fn stores_of_remotes(repo: &Repository) -> Result<Vec<Store<'_>>, SyncError> {
    let (mut seen, mut stores) = (HashSet::new(), Vec::new());
    for (name, commit) in repo.refs_below("refs/merkle-remote/")? {
        match Store::at(repo, Some(commit)) {
            Ok(store) if seen.insert(commit) => stores.push(store),
            Err(error) if name.ends_with("/frames") => return Err(error.into()),
            _ => {}
        }
    }
    Ok(stores)
}

fn subject(plan: &RetentionPlan) -> String {
    format!("gc: {} dropped", counted(plan.frames, "frame", "frames"))
}

/// Drops what the remote's store need not hold, there and then here; with a dry run of the exchange says what that is, as of the
/// last fetch.
pub fn publish(exchange: &Exchange<'_>, rules: &Rules<'_>) -> Result<RetentionPlan, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    if exchange.dry_run {
        let theirs = tracked(exchange)?;
        return theirs.tree().map_or(Ok(RetentionPlan::default()), |tree| {
            Ok(plan(repo, tree, StoreLocation::There(&[]), rules)?)
        });
    }
    let _lock = lock(exchange)?;
    let (mut last, mut unmoved) = (None, 0);
    for attempt in 1..=TRIES_MAX {
        fetch_once(exchange)?;
        let theirs = tracked(exchange)?;
        let (Some(old), Some(tree)) = (theirs.commit(), theirs.tree()) else {
            return Ok(RetentionPlan::default());
        };
        let plan = plan(repo, tree, StoreLocation::There(&tips_of(exchange)?), rules)?;
        if plan.gone.is_empty() {
            return Ok(plan);
        }
        let Some(reason) = put(exchange, old, &plan)? else {
            return Ok(plan);
        };
        unmoved = if last.replace(old) == Some(old) {
            unmoved + 1
        } else {
            1
        };
        if unmoved == UNMOVED_MAX {
            return Err(stuck(exchange, reason));
        }
        std::thread::sleep(pause(Duration::ZERO, attempt, 0));
    }
    Err(SyncError::Busy {
        remote: remote.name().to_owned(),
        tries: TRIES_MAX,
    })
}

/// Where the remote's branches and tags stand: what they reach stays, also what this clone has not seen of them yet.
fn tips_of(exchange: &Exchange<'_>) -> Result<Vec<NodeId>, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let tips = repo
        .remote_tips(remote.name(), exchange.prompt)
        .map_err(|source| SyncError::transfer(remote, source))?;
    for tip in &tips {
        if repo.header(tip)?.is_none() {
            return Err(SyncError::Unfetched(remote.name().to_owned()));
        }
    }
    Ok(tips)
}

/// Puts a store without what goes in the place of the remote's; says why the remote has not taken it, where it has not.
fn put(
    exchange: &Exchange<'_>,
    old: NodeId,
    plan: &RetentionPlan,
) -> Result<Option<String>, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let mut batch = Batch::default();
    let tree = merge::without(repo, &repo.tree_of_commit(&old)?, &plan.gone, &mut batch)?;
    let message = epoch::message(repo, &subject(plan), &old)?;
    let new = commit_on(repo, &mut batch, tree, None, &message);
    let held = repo.write(&batch)?;
    let pushed = repo.push_instead(
        remote.name(),
        [&old, &new],
        remote.frames_ref(),
        exchange.prompt,
    );
    let reason = behind(exchange, remote.frames_ref(), pushed)?;
    if reason.is_none() {
        take(exchange, new)?;
    }
    drop(held);
    Ok(reason)
}

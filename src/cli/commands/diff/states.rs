//! `git merkle diff --store`: what two states of the store say about one revision.

use super::found::{Difference, Found};
use super::wanted::{WantedArgs, said};
use crate::base::NodeId;
use crate::base::count::counted;
use crate::cli::range::{Range, Revision};
use crate::cli::{CliError, Exit, Ui};
use crate::frame::{FRAMES_REF, Store};
use crate::git::Repository;
use crate::ops::states::{StateNodes, state_nodes};
use crate::workspace::{Workspace, path_filter};

/// Two states of the store, as commits.
pub(super) struct States<'r> {
    pub(super) old: Store<'r>,
    pub(super) new: Store<'r>,
}

impl<'r> States<'r> {
    /// Reads `<state>..<state>`; what is left out is the state of now.
    pub(super) fn find(workspace: &'r Workspace, written: &str) -> Result<Self, CliError> {
        let now = workspace.store()?;
        let (old, new) = written.split_once("..").unwrap_or((written, ""));
        let repo = &workspace.repository;
        let at = |state: &str| match state {
            "" => Ok(now.commit()),
            state => commit(repo, state).map(Some),
        };
        Ok(Self {
            old: Store::at(repo, at(old)?)?,
            new: Store::at(repo, at(new)?)?,
        })
    }

    /// Both commits by their ids; none where revisions are compared, or where a store was empty.
    pub(super) fn ids(states: Option<&Self>) -> [Option<String>; 2] {
        states.map_or([None, None], |states| {
            [&states.old, &states.new].map(|store| store.commit().map(|commit| commit.to_string()))
        })
    }
}

/// What begins with `~`, `^` or `@{` continues the name of the store's ref.
fn commit(repo: &Repository, state: &str) -> Result<NodeId, CliError> {
    let whole = if state.starts_with(['~', '^']) || state.starts_with("@{") {
        format!("{FRAMES_REF}{state}")
    } else {
        state.to_owned()
    };
    Ok(repo.resolve_commit(&whole)?)
}

/// The one revision whose nodes are looked at.
pub(super) fn range(repo: &Repository, written: &[String]) -> Result<Range, CliError> {
    let name = match written {
        [] => "HEAD",
        [one] if !one.contains("..") => one,
        _ => {
            return Err(CliError::new(
                Exit::Usage,
                "two states of the store are compared at one revision",
            ));
        }
    };
    let tree = repo.tree_of(&repo.resolve(name)?)?;
    let side = || Revision {
        name: name.to_owned(),
        tree,
    };
    Ok(Range {
        old: side(),
        new: side(),
    })
}

/// What the states say of the same nodes, where that differs.
pub(super) fn differences(
    named: &WantedArgs,
    workspace: &Workspace,
    ui: &Ui,
    states: &States<'_>,
    range: &Range,
) -> Result<Found, CliError> {
    let wanted = path_filter(&workspace.repository, &workspace.prefix(), &named.paths)?;
    let StateNodes {
        placed,
        elsewhere,
        faults,
    } = state_nodes(&states.old, &states.new, range.new.tree)?;
    if faults > 0 {
        ui.warn(&format!(
            "{}; is each of the states a commit of '{FRAMES_REF}'?",
            counted(faults, "entry is no frame", "entries are no frames")
        ));
    }
    if elsewhere > 0 {
        let name = &range.new.name;
        ui.note(&match elsewhere {
            1 => format!("1 node that does not stand in '{name}' has other frames as well"),
            _ => {
                format!("{elsewhere} nodes that do not stand in '{name}' have other frames as well")
            }
        });
    }
    let mut found = Found::default();
    for (path, node) in placed {
        if !wanted.wants(path.as_bytes()) {
            continue;
        }
        let [old, new] = [&states.old, &states.new].map(|store| said(named, store, &node));
        let (old, mut new) = (old?, new?);
        let mut pairs = Vec::new();
        for one in old {
            let same = new.iter().position(|other| other.who == one.who);
            pairs.push((Some(one), same.map(|at| new.remove(at))));
        }
        pairs.extend(new.into_iter().map(|one| (None, Some(one))));
        for (old, new) in pairs {
            let side = old.as_ref().or(new.as_ref()).expect("a pair has a side");
            let slot = side.who.slot.clone();
            let [old, new] = [old, new].map(|side| side.map(|side| side.frame.content));
            if old != new {
                found
                    .differences
                    .push(Difference::of_words(path.clone(), slot, old, new));
            }
        }
    }
    Ok(found)
}

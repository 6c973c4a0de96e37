//! What is to be done in a hooks folder, decided from what stands there and nothing else.

use std::path::{Path, PathBuf};

use super::edit::{Edit, HookContent};
use super::event::HookEvent;
use super::folder::{HookFile, HookFolder};
use super::record::InstallRecord;
use super::script;

/// The mode of a hook that is ours.
const HOOK_MODE: u32 = 0o755;
/// The mode of a new hooks folder, before the user's mask.
pub(super) const FOLDER_MODE: u32 = 0o777;

/// What is done for one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookStep {
    /// The event.
    pub event: HookEvent,
    /// What is done.
    pub action: Action,
    /// The file that it is done to.
    pub path: PathBuf,
}

/// What is done to a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A hook of our own.
    Created,
    /// A block in a hook of the user.
    Added,
    /// A hook of the user was renamed and is called by ours.
    Chained,
    /// The block was another one, or torn.
    Updated,
    /// It was there already.
    Kept,
    /// What was ours is gone, and what was the user's is as before.
    Removed,
    /// Nothing is done, for a reason.
    Refused(HookRefusal),
}

/// Why a hook is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookRefusal {
    /// It is neither a file nor a link.
    NotAFile,
    /// It would have to be renamed, and the name is taken.
    NameTaken,
    /// It acts by its own name, and would have to be renamed.
    NamesItself,
    /// It is the user's, has the block, and may not be executed.
    NotExecutable,
}

/// What shall stand in the folder.
#[derive(Debug, Clone, Copy)]
pub struct WantedHooks<'a> {
    /// What the hooks call.
    pub binary: &'a Path,
    /// The events with a hook; all others have none.
    pub events: &'a [HookEvent],
    /// Renames even what acts by its name.
    pub force: bool,
}

/// Brings a folder to a target. The steps of events that were not and are not installed are left out.
#[must_use]
pub fn install(
    folder: &HookFolder,
    target: WantedHooks<'_>,
    record: Option<&InstallRecord>,
) -> (Vec<Edit>, Vec<HookStep>) {
    let mut edits = Vec::new();
    let mut steps = Vec::new();
    if folder.mode.is_none() {
        edits.push(Edit::MakeDirectory {
            path: folder.path.clone(),
            mode: FOLDER_MODE,
        });
    }
    for event in HookEvent::ALL {
        edits.extend(untwin(folder, event));
        if !target.events.contains(&event) {
            let (more, done) = take_out(folder, event, record);
            edits.extend(more);
            steps.extend(done);
            continue;
        }
        let (name, action, more) = match in_legacy(folder, event, target) {
            Some((action, more)) => (format!("{}.legacy", event.name()), action, more),
            None => {
                let (action, more) = add(folder, event, target, record);
                (event.name().to_owned(), action, more)
            }
        };
        edits.extend(more);
        steps.push(HookStep {
            event,
            action,
            path: folder.path.join(name),
        });
    }
    (edits, steps)
}

/// The block in the hook that pre-commit moved out of its way and still runs; it needs no second one.
fn in_legacy(
    folder: &HookFolder,
    event: HookEvent,
    target: WantedHooks<'_>,
) -> Option<(Action, Vec<Edit>)> {
    let Some(HookFile::File { bytes, mode, .. }) = folder.legacy(event) else {
        return None;
    };
    script::has_block(bytes).then_some(())?;
    let path = folder.path.join(format!("{}.legacy", event.name()));
    let wanted = with_block(bytes, event, target, false);
    let edits: Vec<Edit> = rewrite(&path, bytes, *mode, wanted).into_iter().collect();
    Some((
        if edits.is_empty() {
            Action::Kept
        } else {
            Action::Updated
        },
        edits,
    ))
}

/// What a hook that has a block shall be: one that is ours alone is written anew.
fn with_block(
    bytes: &[u8],
    event: HookEvent,
    target: WantedHooks<'_>,
    is_created: bool,
) -> Vec<u8> {
    let rest = script::rest(bytes);
    if (script::gives_way(bytes) || is_created) && script::is_nothing(&rest) {
        return script::own(target.binary, event);
    }
    script::insert(
        if script::gives_way(bytes) {
            &rest
        } else {
            bytes
        },
        &script::block(target.binary, event),
    )
}

/// All that takes what is ours away from an event.
fn take_out(
    folder: &HookFolder,
    event: HookEvent,
    record: Option<&InstallRecord>,
) -> (Vec<Edit>, Vec<HookStep>) {
    let (mut edits, mut steps) = (Vec::new(), Vec::new());
    let mut removed = |name: &str, more: Vec<Edit>| {
        edits.extend(more);
        steps.push(HookStep {
            event,
            action: Action::Removed,
            path: folder.path.join(name),
        });
    };
    let mut is_unchained = false;
    for name in folder.moved(event) {
        if let Some((more, unchains)) = remove_moved(folder, event, record, &name) {
            is_unchained |= unchains;
            removed(&name, more);
        }
    }
    if let Some(more) = remove(folder, event, record).filter(|_| !is_unchained) {
        removed(event.name(), more);
    }
    (edits, steps)
}

/// Takes all that is ours out of a folder.
#[must_use]
pub fn uninstall(
    folder: &HookFolder,
    record: Option<&InstallRecord>,
) -> (Vec<Edit>, Vec<HookStep>) {
    let mut edits = Vec::new();
    let mut steps = Vec::new();
    for event in HookEvent::ALL {
        edits.extend(untwin(folder, event));
        let (more, done) = take_out(folder, event, record);
        let is_left = done.is_empty();
        edits.extend(more);
        steps.extend(done);
        if is_left && folder.hook(event).is_some() && folder.chained(event).is_some() {
            let action = Action::Refused(HookRefusal::NameTaken);
            steps.push(HookStep {
                event,
                action,
                path: folder.path.join(event.name()),
            });
        }
    }
    (edits, steps)
}

/// Finishes or takes back what was cut off when a hook was being renamed.
fn untwin(folder: &HookFolder, event: HookEvent) -> Option<Edit> {
    let (hook, chained) = (
        folder.path.join(event.name()),
        folder.path.join(event.chained_name()),
    );
    folder
        .twins
        .contains(&event)
        .then_some(Edit::Untwin { hook, chained })
}

fn add(
    folder: &HookFolder,
    event: HookEvent,
    target: WantedHooks<'_>,
    record: Option<&InstallRecord>,
) -> (Action, Vec<Edit>) {
    let path = folder.path.join(event.name());
    let is_chained = folder.chained(event).is_some();
    let own = || {
        if is_chained {
            script::chain(target.binary, event)
        } else {
            script::own(target.binary, event)
        }
    };
    let entry = match folder.hook(event) {
        None => {
            let after = HookContent {
                bytes: own(),
                mode: HOOK_MODE,
            };
            let create = Edit::Write {
                path,
                before: None,
                after: Some(after),
            };
            return (Action::Created, vec![create]);
        }
        Some(HookFile::Other) => return (Action::Refused(HookRefusal::NotAFile), Vec::new()),
        Some(HookFile::File { bytes, mode, .. }) if script::has_block(bytes) => {
            let is_created = record.is_some_and(|record| record.created.contains(&event));
            let wanted = if script::is_chain(bytes, event) && is_chained {
                script::chain(target.binary, event)
            } else {
                with_block(bytes, event, target, is_created)
            };
            let (action, edit) = renew(&path, bytes, *mode, wanted, event);
            return (action, edit.into_iter().collect());
        }
        Some(HookFile::File {
            bytes,
            mode,
            is_shared: false,
        }) if mode & 0o111 != 0 && script::is_shell(bytes) => {
            let wanted = script::insert(bytes, &script::block(target.binary, event));
            let edit = rewrite(&path, bytes, *mode, wanted);
            return (Action::Added, edit.into_iter().collect());
        }
        Some(entry) => entry,
    };
    if is_chained {
        return (Action::Refused(HookRefusal::NameTaken), Vec::new());
    }
    let names_itself =
        entry.is_executable() && entry.bytes().is_some_and(script::asks_for_its_name);
    if names_itself && !target.force {
        return (Action::Refused(HookRefusal::NamesItself), Vec::new());
    }
    let own = HookContent {
        bytes: script::chain(target.binary, event),
        mode: HOOK_MODE,
    };
    let chained = folder.path.join(event.chained_name());
    let hook = path;
    (Action::Chained, vec![Edit::Chain { chained, hook, own }])
}

/// Brings a hook that has the block up to date. What is ours can be executed afterwards; a hook of the user that cannot be is
/// one that the user has switched off.
fn renew(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    wanted: Vec<u8>,
    event: HookEvent,
) -> (Action, Option<Edit>) {
    let is_own = script::is_chain(bytes, event) || script::is_nothing(&script::rest(bytes));
    let is_off = mode & 0o111 == 0;
    let after = HookContent {
        bytes: wanted,
        mode: if is_off && is_own { HOOK_MODE } else { mode },
    };
    if is_off && !is_own {
        return (Action::Refused(HookRefusal::NotExecutable), None);
    }
    let edit = change(path, bytes, mode, after);
    let action = if edit.is_none() {
        Action::Kept
    } else {
        Action::Updated
    };
    (action, edit)
}

/// The edits that take our part of a hook away; `None` where we have none.
fn remove(
    folder: &HookFolder,
    event: HookEvent,
    record: Option<&InstallRecord>,
) -> Option<Vec<Edit>> {
    let path = folder.path.join(event.name());
    let chained = chained_path(folder, event);
    match (folder.hook(event), chained) {
        (Some(hook), chained) => without_ours(path, hook, event, record, chained),
        (None, Some(from)) => Some(vec![Edit::Rename { from, to: path }]),
        (None, None) => None,
    }
}

/// The edits that take our part of a hook away that a hook manager has moved, and whether it gets the place of that one
/// which ours called.
fn remove_moved(
    folder: &HookFolder,
    event: HookEvent,
    record: Option<&InstallRecord>,
    name: &str,
) -> Option<(Vec<Edit>, bool)> {
    // The manager's hook stands in the place; what was renamed takes the name under which the manager looks for it.
    let is_free = folder
        .hook(event)
        .and_then(HookFile::bytes)
        .is_some_and(|hook| !script::has_block(hook));
    let chained = chained_path(folder, event).filter(|_| is_free);
    let path = folder.path.join(name);
    let edits = without_ours(path, folder.entries.get(name)?, event, record, chained)?;
    let is_unchained = matches!(edits[..], [Edit::Unchain { .. }]);
    Some((edits, is_unchained))
}

/// Where the user's own hook stands that ours calls.
fn chained_path(folder: &HookFolder, event: HookEvent) -> Option<PathBuf> {
    folder
        .chained(event)
        .map(|_| folder.path.join(event.chained_name()))
}

/// The edits that take our part out of one file; the hook at `chained`, which ours calls, takes its place.
fn without_ours(
    path: PathBuf,
    hook: &HookFile,
    event: HookEvent,
    record: Option<&InstallRecord>,
    chained: Option<PathBuf>,
) -> Option<Vec<Edit>> {
    let HookFile::File { bytes, mode, .. } = hook else {
        return None;
    };
    script::has_block(bytes).then_some(())?;
    let own = HookContent {
        bytes: bytes.clone(),
        mode: *mode,
    };
    let (is_chain, rest) = (script::is_chain(bytes, event), script::rest(bytes));
    if let Some(chained) = chained.filter(|_| is_chain) {
        let hook = path;
        return Some(vec![Edit::Unchain { hook, chained, own }]);
    }
    let is_ours = is_chain
        || script::is_nothing(&rest) && record.is_none_or(|record| record.created.contains(&event));
    if is_ours {
        return Some(vec![Edit::Write {
            path,
            before: Some(own),
            after: None,
        }]);
    }
    Some(rewrite(&path, bytes, *mode, rest).into_iter().collect())
}

fn rewrite(path: &Path, bytes: &[u8], mode: u32, wanted: Vec<u8>) -> Option<Edit> {
    let after = HookContent {
        bytes: wanted,
        mode,
    };
    change(path, bytes, mode, after)
}

fn change(path: &Path, bytes: &[u8], mode: u32, after: HookContent) -> Option<Edit> {
    let before = HookContent {
        bytes: bytes.to_vec(),
        mode,
    };
    (before != after).then(|| Edit::Write {
        path: path.to_owned(),
        before: Some(before),
        after: Some(after),
    })
}

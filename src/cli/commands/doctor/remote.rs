//! What doctor looks at where a repository has remotes: frames that a fetch threw away, settings of git that would, and on
//! request the remote itself.

use super::Check;
use crate::base::printable;
use crate::cli::CliError;
use crate::frame::{FRAMES_REF, Store};
use crate::git::Prompt;
use crate::sync::{Remote, lost};
use crate::workspace::Workspace;

/// Frames that the store had and lacks; nothing is said where there are none.
pub(super) fn check_lost(workspace: &Workspace, fix: bool) -> Result<Option<Check>, CliError> {
    let repository = &workspace.repository;
    // A store that cannot be read was named by another check.
    let Ok(Some(lost)) = lost::find(repository) else { return Ok(None) };
    let frames = if lost.entries.len() == 1 { "1 frame" } else { &format!("{} frames", lost.entries.len()) };
    let found = format!("the store had {frames} that it lacks now, at {}", lost.commit.short());
    if !fix {
        return Ok(Some(Check::bad("lost", format!("{found}; 'git merkle doctor --fix' puts them back"))));
    }
    lost::restore(repository, &workspace.state, &lost)?;
    Ok(Some(Check::bad("lost", format!("{found}; they are back")).fixed()))
}

/// Settings by which a plain `git fetch` or `git push` overwrites frames.
pub(super) fn check_settings(workspace: &Workspace) -> Vec<Check> {
    let found = workspace.repository.overwriting(FRAMES_REF).into_iter();
    found
        .map(|setting| {
            let key = format!("remote.{}.{}", setting.remote, setting.key);
            let lost = match (setting.is_fetch, setting.key) {
                (true, _) => "with it 'git fetch' replaces your frames by the remote's",
                (false, "mirror") => "with it 'git push' replaces the remote's frames by yours, and deletes what you lack",
                (false, _) => "with it 'git push' replaces the remote's frames by yours",
            };
            let way = match setting.value.as_str() {
                "true" => format!("'git config --unset {key}' takes it away"),
                value if value.contains('*') => format!("'git config --add {key} ^{FRAMES_REF}' leaves the frames out of it"),
                value => format!("'git config --unset --fixed-value {key} {value}' takes it away"),
            };
            Check::bad("refspec", format!("'{key}' is '{}': {lost}; 'git merkle sync' needs no setting; {way}", setting.value))
        })
        .collect()
}

/// Asks a remote. Nothing is changed on either side.
pub(super) fn ask(workspace: &Workspace, named: Option<&str>) -> Result<Check, CliError> {
    let repository = &workspace.repository;
    let remote = Remote::choose(repository, named, workspace.settings.stack().text("remote"))?;
    let name = remote.name();
    let theirs = match repository.remote_ref(name, remote.frames_ref(), Prompt::Allowed) {
        Err(error) => return Ok(Check::bad("remote", format!("'{name}' cannot be reached: {}", printable::chain(&error)))),
        Ok(theirs) => theirs,
    };
    let tracked = repository.find_direct_ref(&remote.tracking_ref())?;
    let has = match theirs {
        None => "it has no frames yet".to_owned(),
        Some(id) if Some(id) == tracked => format!("its frames are at {}, as last fetched", id.short()),
        Some(id) => {
            format!("its frames are at {}, which were not fetched yet; 'git merkle fetch {name}' brings them", id.short())
        }
    };
    let Some(commit) = tracked.or(Store::open(repository)?.commit()) else {
        return Ok(Check::good("remote", format!("'{name}' can be reached; {has}")));
    };
    Ok(match repository.try_push(name, &commit, remote.frames_ref(), Prompt::Allowed) {
        Ok(()) => Check::good("remote", format!("'{name}' can be reached; {has}; a dry run of a push is accepted")),
        Err(error) => Check::bad("remote", format!("'{name}' can be reached; {has}; no push: {}", printable::chain(&error))),
    })
}

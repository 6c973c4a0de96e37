//! What doctor looks at where a repository has remotes: frames that a fetch threw away, settings of git that would, and on
//! request the remote itself.

use super::check::Check;
use crate::base::count::counted;
use crate::base::printable;
use crate::cli::CliError;
use crate::frame::{FRAMES_REF, Store};
use crate::git::Prompt;
use crate::sync::{Publish, Remote, Writer, lost};
use crate::workspace::{Sharing, Workspace};

/// Frames that the store had and lacks; nothing is said where there are none.
pub(super) fn check_lost(workspace: &Workspace, fix: bool) -> Result<Option<Check>, CliError> {
    let repository = &workspace.repository;
    // A store that cannot be read was named by another check.
    let Ok(Some(lost)) = lost::find(repository) else {
        return Ok(None);
    };
    let frames = counted(lost.entries.len(), "frame", "frames");
    let found = format!(
        "the store had {frames} that it lacks now, at {}",
        lost.commit.short()
    );
    if !fix {
        return Ok(Some(Check::bad(
            "lost",
            format!("{found}; 'git merkle doctor --fix' puts them back"),
        )));
    }
    lost::restore(repository, &workspace.state, &lost)?;
    Ok(Some(
        Check::bad("lost", format!("{found}; they are back")).fixed(),
    ))
}

/// Settings by which a plain `git fetch` or `git push` overwrites frames.
pub(super) fn check_settings(workspace: &Workspace) -> Vec<Check> {
    let found = workspace.repository.overwriting(FRAMES_REF).into_iter();
    found
        .map(|setting| {
            let key = format!("remote.{}.{}", setting.remote, setting.key);
            let lost = match (setting.is_fetch, setting.key) {
                (true, _) if setting.value.starts_with('+') => "with it 'git fetch' replaces your frames by the remote's",
                (true, _) => "with it a 'git fetch' that prunes deletes your frames where the remote has none",
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

/// Where this clone publishes, and what waits to be collected; nothing is said where all clones share one ref.
pub(super) fn check_publishing(workspace: &Workspace) -> Result<Option<Check>, CliError> {
    let sharing = Sharing::of(workspace)?;
    let Ok(remote) = sharing.remote(workspace, None) else {
        return Ok(None);
    };
    let waiting = workspace
        .repository
        .refs_below(&remote.tracking_by())?
        .len();
    if sharing.publish != Publish::Own && waiting == 0 {
        return Ok(None);
    }
    let target = pushed_ref(workspace, &sharing, &remote);
    let refs = counted(waiting, "ref of a clone waits", "refs of clones wait");
    let waits = format!("{refs} for 'git merkle sync --collect'");
    Ok(Some(Check::good(
        "publish",
        format!("to '{target}' of '{}'; {waits}", remote.name()),
    )))
}

fn pushed_ref(workspace: &Workspace, sharing: &Sharing, remote: &Remote) -> String {
    match sharing.publish {
        Publish::Own => remote.own_ref(&Writer::of(&workspace.state)),
        Publish::Shared | Publish::Collect => remote.frames_ref().to_owned(),
    }
}

/// Asks a remote. Nothing is changed on either side.
pub(super) fn ask(workspace: &Workspace, named: Option<&str>) -> Result<Check, CliError> {
    let repository = &workspace.repository;
    let sharing = Sharing::of(workspace)?;
    let remote = sharing.remote(workspace, named)?;
    let name = remote.name();
    let mut theirs = None;
    let listed = repository.list_refs(
        name,
        &[remote.frames_ref()],
        Prompt::Allowed,
        &mut |found| {
            theirs = Some(found.id);
            true
        },
    );
    if let Err(error) = listed {
        return Ok(Check::bad(
            "remote",
            format!("'{name}' cannot be reached: {}", printable::chain(&error)),
        ));
    }
    let tracked = repository.find_direct_ref(&remote.tracking_ref())?;
    let has = match theirs {
        None => "it has no frames yet".to_owned(),
        Some(id) if Some(id) == tracked => {
            format!("its frames are at {}, as last fetched", id.short())
        }
        Some(id) => {
            format!(
                "its frames are at {}, which were not fetched yet; 'git merkle fetch {name}' brings them",
                id.short()
            )
        }
    };
    let Some(commit) = tracked.or(Store::open(repository)?.commit()) else {
        return Ok(Check::good(
            "remote",
            format!("'{name}' can be reached; {has}"),
        ));
    };
    let target = pushed_ref(workspace, &sharing, &remote);
    // A dry run asks for the right to push. What a server's hooks say about the ref is known after a push alone.
    Ok(
        match repository.try_push(name, &commit, &target, Prompt::Allowed) {
            Ok(()) => Check::good(
                "remote",
                format!(
                    "'{name}' can be reached; {has}; a dry run of a push to '{target}' is accepted"
                ),
            ),
            Err(error) => Check::bad(
                "remote",
                format!(
                    "'{name}' can be reached; {has}; no push: {}",
                    printable::chain(&error)
                ),
            ),
        },
    )
}

//! Other repositories, by the names under which the user configured them: their refs come and go through git.
//!
//! git does the network work, with the user's own ssh, credentials and proxies (see `remote_program`). Every refspec stands on the command
//! line and none of the configuration takes part (`--refmap=`), so that a refspec such as
//! `+refs/merkle/frames:refs/merkle/frames` cannot throw frames of this clone away. Nothing is pruned, no tag and no
//! submodule is followed, no hook runs.

use super::child::{ChildError, GitCommand, failed};
use super::refs::RefError;
use super::remote_program::RemotePrograms;
use super::repo::Repository;
use crate::base::NodeId;
use crate::base::absent::absent_is_fine;

/// Reasons in git's words with which a remote refuses a ref because another push was faster.
const RACE_REASONS: [&str; 7] = [
    "fetch first",
    "non-fast-forward",
    "stale info",
    "cannot lock ref",
    "failed to update ref",
    "incorrect old value provided",
    "reference already exists",
];

/// Reasons in git's words that come of a connection or a server's process that broke off: the ref may have moved or not.
const BROKEN_REASONS: [&str; 3] = [
    "remote failed to report status",
    "unpacker error",
    "failed to migrate objects",
];

/// A ref of a remote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteRef {
    /// Its full name over there.
    pub name: String,
    /// What it points at.
    pub id: NodeId,
}

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The remote has it.
    Accepted,
    /// Another push moved the ref first, or holds its lock; in the remote's words. Fetch, unite, and push again.
    Behind(String),
    /// The remote refuses the ref; the reason in its own words.
    Refused(String),
    /// The other side ended before it said what came of it, in these words.
    Broken(String),
}

/// Whether git may ask the user for a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// On the terminal, as git does.
    Allowed,
    /// Never: the process works in the background.
    Never,
}

impl Repository {
    /// The names of the configured remotes, in order.
    #[must_use]
    pub fn remotes(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .inner
            .remote_names()
            .iter()
            .map(ToString::to_string)
            .collect();
        names.sort();
        names
    }

    /// The remote that the current branch follows.
    #[must_use]
    pub fn branch_remote(&self) -> Option<String> {
        let head = self.inner.head_name().ok()??;
        let branch = head.shorten().to_string();
        self.config_string(&format!("branch.{branch}.remote"))
    }

    /// Fetches refs of a remote to refs here, `(there, here)`, which move wherever the remote's have gone.
    ///
    /// Everything that they reach comes along, in a partial clone too. It fails where one of them is not there. A git that
    /// is killed leaves its locks on the refs here, so that they must be ones that nothing else needs: see
    /// [`Self::clear_refs`].
    pub fn fetch_refs(
        &self,
        remote: &str,
        refs: &[(String, String)],
        prompt: Prompt,
    ) -> Result<(), ChildError> {
        let fetch = network(self, "fetch", remote, prompt)
            // git itself streams larger objects to the disk.
            .setting("core.bigFileThreshold=16m")
            .option("--quiet")
            .option("--no-tags")
            .option("--no-prune")
            .option("--no-filter")
            .option("--no-write-fetch-head")
            .option("--no-auto-maintenance")
            .option("--no-recurse-submodules")
            .option("--no-show-forced-updates")
            .option("--refmap=")
            .operand(remote);
        let fetch = refs.iter().fold(fetch, |fetch, (there, here)| {
            fetch.operand(format!("+{there}:{here}"))
        });
        fetch.run(b"").map(drop)
    }

    /// Deletes the refs whose names begin with a prefix that ends within the last part, and git's locks on such refs.
    ///
    /// The caller vouches that nothing is at work on them.
    pub fn clear_refs(&self, prefix: &str) -> Result<(), RefError> {
        let (folder, start) = prefix.rsplit_once('/').expect("a ref has a folder");
        for (name, _) in self.refs_below(&format!("{folder}/"))? {
            if name.starts_with(prefix) {
                self.delete_ref(&name)?;
            }
        }
        let files = std::fs::read_dir(self.common_dir().join(folder))
            .into_iter()
            .flatten()
            .flatten();
        for file in files {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with(start) && file.path().extension().is_some_and(|end| end == "lock") {
                std::fs::remove_file(file.path())
                    .or_else(absent_is_fine)
                    .map_err(|error| RefError::failed(&name, error))?;
            }
        }
        Ok(())
    }

    /// Asks a remote for its refs; a pattern is a whole name, or ends in `*`. `visit` says when it has seen enough.
    ///
    /// Names that git would not take are left out. Where there is none, that is no failure.
    pub fn list_refs(
        &self,
        remote: &str,
        patterns: &[&str],
        prompt: Prompt,
        visit: &mut dyn FnMut(RemoteRef) -> bool,
    ) -> Result<(), ChildError> {
        let list = network(self, "ls-remote", remote, prompt)
            .option("--refs")
            .option("--quiet")
            .operand(remote);
        let list = patterns.iter().fold(list, GitCommand::operand);
        // git finds a pattern at the end of longer names, too.
        let is_asked = |name: &str| {
            patterns
                .iter()
                .any(|pattern| super::refspec::covers(pattern, name))
        };
        list.run_records(b"", b'\n', &mut |line| {
            let found = std::str::from_utf8(line)
                .ok()
                .and_then(|line| line.split_once('\t'));
            let found = found.filter(|(_, name)| is_asked(name) && is_ref_name(name));
            match found.and_then(|(id, name)| {
                Some(RemoteRef {
                    name: name.to_owned(),
                    id: id.parse().ok()?,
                })
            }) {
                Some(found) => visit(found),
                None => true,
            }
        })
    }

    /// What git says of a push of a commit to a ref of a remote, without pushing it.
    pub fn try_push(
        &self,
        remote: &str,
        commit: &NodeId,
        name: &str,
        prompt: Prompt,
    ) -> Result<(), ChildError> {
        let command = network(self, "push", remote, prompt)
            .option("--dry-run")
            .option("--no-verify")
            .option("--quiet");
        command
            .operand(remote)
            .operand(format!("+{commit}:{name}"))
            .run(b"")
            .map(drop)
    }

    /// Pushes a commit to a ref of a remote, if the ref is an ancestor of it or absent.
    pub fn push_commit(
        &self,
        remote: &str,
        commit: &NodeId,
        name: &str,
        prompt: Prompt,
    ) -> Result<Pushed, ChildError> {
        pushed(
            pushing(self, remote, &[name], prompt),
            remote,
            &format!("{commit}:{name}"),
            &RACE_REASONS,
        )
    }

    /// True where a push to a remote goes to more places than a fetch asks, or to another one: `pushurl`, several `url`.
    #[must_use]
    pub fn pushes_elsewhere(&self, remote: &str) -> bool {
        !self.remote_push_urls(remote).is_empty()
    }

    /// The addresses that a push to a remote goes to, where they are not the one that a fetch asks: each `pushurl`, or several
    /// `url`. Often none.
    #[must_use]
    pub fn remote_push_urls(&self, remote: &str) -> Vec<String> {
        let mut urls = self.remote_values(remote, "pushurl");
        if urls.is_empty() {
            urls = self.remote_urls(remote);
            if urls.len() == 1 {
                urls.clear();
            }
        }
        urls
    }

    /// The addresses of a remote, as the configuration has them: before `insteadOf`.
    #[must_use]
    pub fn remote_urls(&self, remote: &str) -> Vec<String> {
        self.remote_values(remote, "url")
    }

    fn remote_values(&self, remote: &str, key: &str) -> Vec<String> {
        let key = format!("remote.{remote}.{key}");
        let values = self.config_section("remote").into_iter();
        let of_key = values.filter(|value| value.key == key);
        of_key.filter_map(|value| value.value).collect()
    }

    /// Puts a commit in the place of another one at a ref of a remote, whatever either descends from.
    pub fn push_instead(
        &self,
        remote: &str,
        [old, new]: [&NodeId; 2],
        name: &str,
        prompt: Prompt,
    ) -> Result<Pushed, ChildError> {
        let command = pushing(self, remote, &[name], prompt)
            .option_value("--force-with-lease", format!("{name}:{old}"));
        // A remote that refuses whatever is no descendant refuses it again.
        pushed(
            command,
            remote,
            &format!("{new}:{name}"),
            &RACE_REASONS[2..],
        )
    }

    /// Deletes refs of a remote, each only while it is where it is said to be; how many went.
    pub fn delete_remote_refs(
        &self,
        remote: &str,
        refs: &[RemoteRef],
        prompt: Prompt,
    ) -> Result<usize, ChildError> {
        let leases = refs
            .iter()
            .map(|found| format!("{}:{}", found.name, found.id));
        let names: Vec<&str> = refs.iter().map(|found| found.name.as_str()).collect();
        let push = pushing(self, remote, &names, prompt);
        let push = leases.fold(push, |push, lease| {
            push.option_value("--force-with-lease", lease)
        });
        let push = refs.iter().fold(push.operand(remote), |push, found| {
            push.operand(format!(":{}", found.name))
        });
        let output = push.output(b"")?;
        let report = String::from_utf8_lossy(&output.stdout);
        let count = |mark: &str| report.lines().filter(|line| line.starts_with(mark)).count();
        if output.status.success() || count("!\t") > 0 {
            Ok(count("-\t"))
        } else {
            Err(failed("push", &output))
        }
    }
}

/// True for a full name that git takes for a ref.
#[must_use]
pub fn is_ref_name(name: &str) -> bool {
    name.starts_with("refs/") && gix::refs::FullName::try_from(name).is_ok()
}

fn pushed(
    command: GitCommand,
    remote: &str,
    refspec: &str,
    races: &[&str],
) -> Result<Pushed, ChildError> {
    let output = command.operand(remote).operand(refspec).output(b"")?;
    if output.status.success() {
        return Ok(Pushed::Accepted);
    }
    let report = String::from_utf8_lossy(&output.stdout);
    let Some(line) = report.lines().find_map(|line| line.strip_prefix("!\t")) else {
        return Err(failed("push", &output));
    };
    let reason = line.rsplit_once('\t').map_or(line, |(_, reason)| reason);
    let is_one_of = |reasons: &[&str]| reasons.iter().any(|known| reason.contains(known));
    Ok(match reason.to_owned() {
        reason if is_one_of(races) => Pushed::Behind(reason),
        reason if is_one_of(&BROKEN_REASONS) => Pushed::Broken(reason),
        reason => Pushed::Refused(reason),
    })
}

fn pushing(repo: &Repository, remote: &str, names: &[&str], prompt: Prompt) -> GitCommand {
    // What a push has moved over there, git moves here as well where a refspec of 'fetch' maps it: onto the store, perhaps.
    let without: Vec<_> = names
        .iter()
        .map(|name| (format!("remote.{remote}.fetch"), format!("^{name}")))
        .collect();
    network(repo, "push", remote, prompt)
        .overriding(&without)
        .option("--porcelain")
        .option("--no-verify")
        .option("--no-follow-tags")
        .option("--no-recurse-submodules")
}

pub(super) fn network(
    repo: &Repository,
    verb: &'static str,
    remote: &str,
    prompt: Prompt,
) -> GitCommand {
    // git refuses refspecs for a remote that is marked as a mirror, and its own pushes would delete refs there.
    let command = GitCommand::new(repo, verb)
        .overriding(&[(format!("remote.{remote}.mirror"), "false".to_owned())]);
    let RemotePrograms { overrides, refused } = RemotePrograms::of(repo, remote);
    let command = command.overriding(&overrides).refusing(refused);
    if prompt == Prompt::Allowed {
        command.asking()
    } else {
        command.silent()
    }
}

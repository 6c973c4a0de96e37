//! Other repositories, by the names under which the user configured them: their refs come and go through git.
//!
//! git does the network work, with the user's own ssh, credentials and proxies (see `remote_program`). Every refspec stands on the command
//! line and none of the configuration takes part (`--refmap=`), so that a refspec such as
//! `+refs/merkle/frames:refs/merkle/frames` cannot throw frames of this clone away. Nothing is pruned, no tag and no
//! submodule is followed, no hook runs.

use std::collections::HashSet;

use super::child::{ChildError, GitCommand, failed};
use super::lock::absent_is_fine;
use super::refs::RefError;
use super::remote_program::RemotePrograms;
use super::repo::Repository;
use crate::base::NodeId;

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

/// The exit code of `git ls-remote --exit-code` where the remote has no such ref.
const NO_SUCH_REF: i32 = 2;

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The remote has it.
    Accepted,
    /// Another push moved the ref first: fetch, unite, and push again.
    Behind,
    /// The remote refuses the ref; the reason in its own words.
    Refused(String),
}

/// A setting of git by which a plain `git fetch` or `git push` overwrites a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwriting {
    /// The remote's name.
    pub remote: String,
    /// `fetch`, `push` or `mirror`.
    pub key: &'static str,
    /// What it is set to.
    pub value: String,
    /// True when the ref of this repository is the one that is lost.
    pub is_fetch: bool,
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
        let mut names: Vec<String> = self.inner.remote_names().iter().map(ToString::to_string).collect();
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

    /// Fetches a ref of a remote to a ref here, which moves wherever the remote's has gone; false where the remote has none.
    ///
    /// Everything that the ref reaches comes along, in a partial clone too. A git that is killed leaves its lock on the ref
    /// here, so that it must be one that nothing else needs: see [`Self::clear_refs`].
    pub fn fetch_ref(&self, remote: &str, name: &str, to: &str, prompt: Prompt) -> Result<bool, ChildError> {
        let fetched = network(self, "fetch", remote, prompt)
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
            .operand(remote)
            .operand(format!("+{name}:{to}"))
            .run(b"");
        let Err(error @ ChildError::Failed { .. }) = fetched else { return fetched.map(|_| true) };
        // git fails in the same way for a ref that is absent and for a remote that is: only this tells them apart.
        match self.remote_ref(remote, name, prompt) {
            Ok(None) => Ok(false),
            _ => Err(error),
        }
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
        let files = std::fs::read_dir(self.common_dir().join(folder)).into_iter().flatten().flatten();
        for file in files {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with(start) && file.path().extension().is_some_and(|end| end == "lock") {
                std::fs::remove_file(file.path()).or_else(absent_is_fine).map_err(|error| RefError::failed(&name, error))?;
            }
        }
        Ok(())
    }

    /// Asks a remote where a ref of its own stands.
    pub fn remote_ref(&self, remote: &str, name: &str, prompt: Prompt) -> Result<Option<NodeId>, ChildError> {
        let asked = network(self, "ls-remote", remote, prompt).option("--exit-code").operand(remote).operand(name);
        let output = asked.output(b"")?;
        if output.status.code() == Some(NO_SUCH_REF) {
            return Ok(None);
        }
        if !output.status.success() {
            return Err(failed("ls-remote", &output));
        }
        let listed = String::from_utf8_lossy(&output.stdout);
        let ids = listed.lines().filter_map(|line| line.strip_suffix(name)?.trim_end().parse().ok());
        Ok(ids.into_iter().next())
    }

    /// What git says of a push of a commit to a ref of a remote, without pushing it.
    pub fn try_push(&self, remote: &str, commit: &NodeId, name: &str, prompt: Prompt) -> Result<(), ChildError> {
        let command = network(self, "push", remote, prompt).option("--dry-run").option("--no-verify").option("--quiet");
        command.operand(remote).operand(format!("+{commit}:{name}")).run(b"").map(drop)
    }

    /// Settings by which git's own fetches and pushes would overwrite a ref, here or in a remote.
    #[must_use]
    pub fn overwriting(&self, name: &str) -> Vec<Overwriting> {
        let mut found = Vec::new();
        for remote in self.remotes() {
            for (key, is_fetch) in [("fetch", true), ("push", false)] {
                let values = self.remote_settings(&remote, key);
                // git leaves out what a refspec with '^' names.
                if values.iter().any(|value| value.strip_prefix('^').is_some_and(|pattern| covers(pattern, name))) {
                    continue;
                }
                for value in values {
                    let Some(refspec) = value.strip_prefix('+') else { continue };
                    let target = refspec.split_once(':').map_or(if is_fetch { "" } else { refspec }, |(_, target)| target);
                    if covers(target, name) {
                        found.push(Overwriting { remote: remote.clone(), key, value, is_fetch });
                    }
                }
            }
            let is_mirror = self.config_bool(&format!("remote.{remote}.mirror")) == Some(true);
            if is_mirror && !self.remote_settings(&remote, "push").iter().any(|value| value.starts_with('^')) {
                found.push(Overwriting { remote, key: "mirror", value: "true".to_owned(), is_fetch: false });
            }
        }
        found
    }

    /// At which of the wanted paths the histories of some commits, and not those of others, have begun to have something.
    ///
    /// A walk that this clone lacks objects for finds what it can.
    pub fn paths_of(
        &self,
        tips: &[NodeId],
        not: &[NodeId],
        mut wanted: HashSet<Vec<u8>>,
    ) -> Result<HashSet<Vec<u8>>, ChildError> {
        let mut found = HashSet::new();
        // git reads paths line by line here.
        wanted.retain(|path| !path.contains(&b'\n'));
        if tips.is_empty() || wanted.is_empty() {
            return Ok(found);
        }
        let mut input = revisions(tips, not).into_bytes();
        input.extend_from_slice(b"--\n");
        for path in &wanted {
            input.extend([&path[..], b"\n"].concat());
        }
        let command = GitCommand::new(self, "log")
            .setting("log.showRoot=true")
            .setting("core.quotePath=false")
            .option("--format=")
            .option("--name-only")
            .option("-z")
            .option("--no-renames")
            .option("--diff-filter=A")
            .option("--diff-merges=separate")
            .option("--stdin")
            .literal_paths();
        let walked = command.run_records(&input, 0, &mut |path| {
            let folders = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at]);
            for known in folders.chain([path]) {
                found.extend(wanted.take(known));
            }
            !wanted.is_empty()
        });
        match walked {
            Err(ChildError::Failed { .. }) if self.is_partial() => Ok(found),
            walked => walked.map(|()| found),
        }
    }

    fn remote_settings(&self, remote: &str, key: &str) -> Vec<String> {
        let snapshot = self.inner.config_snapshot();
        let values = snapshot.plumbing().strings_by("remote", Some(remote.into()), key).unwrap_or_default();
        values.iter().map(ToString::to_string).collect()
    }

    /// Pushes a commit to a ref of a remote, if the ref is an ancestor of it or absent.
    pub fn push_commit(&self, remote: &str, commit: &NodeId, name: &str, prompt: Prompt) -> Result<Pushed, ChildError> {
        pushed(network(self, "push", remote, prompt), remote, &format!("{commit}:{name}"), &RACE_REASONS)
    }

    /// Puts a commit in the place of another one at a ref of a remote, whatever either descends from.
    pub fn push_instead(
        &self,
        remote: &str,
        (old, new): (&NodeId, &NodeId),
        name: &str,
        prompt: Prompt,
    ) -> Result<Pushed, ChildError> {
        let lease = format!("{name}:{old}");
        let command = network(self, "push", remote, prompt).option_value("--force-with-lease", lease);
        // A remote that refuses whatever is no descendant refuses it again.
        pushed(command, remote, &format!("{new}:{name}"), &RACE_REASONS[2..])
    }

    /// Which of the wanted objects some commits reach and others do not; the walk ends when all are found.
    ///
    /// An object that is absent from this clone, as in a partial one, is found by its name in a tree. Of what both reach
    /// some may be found, too.
    pub fn reachable_of(
        &self,
        tips: &[NodeId],
        not: &[NodeId],
        mut wanted: HashSet<NodeId>,
    ) -> Result<HashSet<NodeId>, ChildError> {
        let mut found = HashSet::new();
        if tips.is_empty() || wanted.is_empty() {
            return Ok(found);
        }
        let input = revisions(tips, not);
        let command = GitCommand::new(self, "rev-list")
            .option("--objects")
            .option("--no-object-names")
            .option("--in-commit-order")
            .option("--missing=print")
            .option("--stdin");
        command.run_records(input.as_bytes(), b'\n', &mut |line| {
            let digits = line.strip_prefix(b"?").unwrap_or(line);
            let id = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<NodeId>().ok());
            if let Some(id) = id.filter(|id| wanted.remove(id)) {
                found.insert(id);
            }
            !wanted.is_empty()
        })?;
        Ok(found)
    }
}

fn pushed(command: GitCommand, remote: &str, refspec: &str, races: &[&str]) -> Result<Pushed, ChildError> {
    let command = command.option("--porcelain").option("--no-verify").option("--no-follow-tags");
    let command = command.option("--no-recurse-submodules").operand(remote).operand(refspec);
    let output = command.output(b"")?;
    if output.status.success() {
        return Ok(Pushed::Accepted);
    }
    let report = String::from_utf8_lossy(&output.stdout);
    let Some(line) = report.lines().find_map(|line| line.strip_prefix("!\t")) else {
        return Err(failed("push", &output));
    };
    let reason = line.rsplit_once('\t').map_or(line, |(_, reason)| reason);
    let is_race = races.iter().any(|known| reason.contains(known));
    Ok(if is_race { Pushed::Behind } else { Pushed::Refused(reason.to_owned()) })
}

/// Commits to begin at and to end before, as `--stdin` takes them.
pub(super) fn revisions(tips: &[NodeId], not: &[NodeId]) -> String {
    let not = not.iter().map(|commit| format!("^{commit}\n"));
    tips.iter().map(|commit| format!("{commit}\n")).chain(not).collect::<Vec<_>>().concat()
}

/// True when one side of a refspec, with at most one `*`, covers a ref.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after) && rest.len() >= after.len()),
    }
}

pub(super) fn network(repo: &Repository, verb: &'static str, remote: &str, prompt: Prompt) -> GitCommand {
    // git refuses refspecs for a remote that is marked as a mirror, and its own pushes would delete refs there.
    let command = GitCommand::new(repo, verb).overriding(&[(format!("remote.{remote}.mirror"), "false".to_owned())]);
    let RemotePrograms { overrides, refused } = RemotePrograms::of(repo, remote);
    let command = command.overriding(&overrides).refusing(refused);
    if prompt == Prompt::Allowed { command.asking() } else { command }
}

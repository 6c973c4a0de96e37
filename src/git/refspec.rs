//! Settings of git by which its own fetches and pushes overwrite a ref, or take it away.

use super::repo::Repository;

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

impl Repository {
    /// Settings by which git's own fetches and pushes would overwrite a ref, here or in a remote.
    #[must_use]
    pub fn overwriting(&self, name: &str) -> Vec<Overwriting> {
        let mut found = Vec::new();
        for remote in self.remotes() {
            for (key, is_fetch) in [("fetch", true), ("push", false)] {
                let values = self.remote_settings(&remote, key);
                // git leaves out what a refspec with '^' names.
                if values.iter().any(|value| {
                    value
                        .strip_prefix('^')
                        .is_some_and(|pattern| covers(pattern, name))
                }) {
                    continue;
                }
                for value in values {
                    // A fetch that prunes takes away what it maps and the remote lacks, with and without '+'.
                    let without = (is_fetch && self.prunes(&remote)).then_some(value.as_str());
                    let Some(refspec) = value.strip_prefix('+').or(without) else {
                        continue;
                    };
                    let target = refspec
                        .split_once(':')
                        .map_or(if is_fetch { "" } else { refspec }, |(_, target)| target);
                    if covers(target, name) {
                        found.push(Overwriting {
                            remote: remote.clone(),
                            key,
                            value,
                            is_fetch,
                        });
                    }
                }
            }
            let is_mirror = self.config_bool(&format!("remote.{remote}.mirror")) == Some(true);
            if is_mirror
                && !self
                    .remote_settings(&remote, "push")
                    .iter()
                    .any(|value| value.starts_with('^'))
            {
                found.push(Overwriting {
                    remote,
                    key: "mirror",
                    value: "true".to_owned(),
                    is_fetch: false,
                });
            }
        }
        found
    }

    fn prunes(&self, remote: &str) -> bool {
        let setting = self
            .config_bool(&format!("remote.{remote}.prune"))
            .or_else(|| self.config_bool("fetch.prune"));
        setting == Some(true)
    }

    fn remote_settings(&self, remote: &str, key: &str) -> Vec<String> {
        let snapshot = self.inner.config_snapshot();
        let values = snapshot
            .plumbing()
            .strings_by("remote", Some(remote.into()), key)
            .unwrap_or_default();
        values.iter().map(ToString::to_string).collect()
    }
}

/// True when one side of a refspec, with at most one `*`, covers a ref.
pub(super) fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name
            .strip_prefix(before)
            .is_some_and(|rest| rest.ends_with(after) && rest.len() >= after.len()),
    }
}

//! What people write to name an object: `HEAD~2`, `main:src/lib.rs`, `v1.0^{tree}`, an id or a unique prefix.
//!
//! gix resolves what it can in process; `git rev-parse` resolves the rest, for syntax that gix lacks or in reftable
//! repositories, so that git always has the last word on what a name means and why it means nothing.

use super::child::{ChildError, GitCommand, id_of};
use super::object::from_oid;
use super::repo::Repository;
use crate::base::NodeId;

/// Why a text names no object.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// Nothing by that name.
    #[error("unknown revision '{0}'")]
    Unknown(String),
    /// A prefix that more than one object has.
    #[error("short object id '{0}' is ambiguous")]
    Ambiguous(String),
    /// Two commits that no commit is an ancestor of both of.
    #[error("{0}: no merge base")]
    NoMergeBase(String),
    /// `HEAD` of a repository without commits.
    #[error("'HEAD' has no commits yet")]
    Unborn,
    /// Git failed underneath.
    #[error("revision '{spec}' cannot be resolved")]
    Failed {
        /// What the user wrote.
        spec: String,
        /// What failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl RevisionError {
    fn failed(spec: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed {
            spec: spec.to_owned(),
            source: source.into(),
        }
    }
}

impl Repository {
    /// Resolves a revision to the object it names, whatever its kind (tags are not peeled).
    ///
    /// Other than in git, a whole id must be that of an object that is there.
    pub fn resolve(&self, spec: &str) -> Result<NodeId, RevisionError> {
        if let Ok(id) = spec.parse::<NodeId>() {
            let found = self
                .header(&id)
                .map_err(|error| RevisionError::failed(spec, error))?;
            return found
                .map(|_| id)
                .ok_or_else(|| RevisionError::Unknown(spec.to_owned()));
        }
        if !self.is_reftable()
            && let Ok(id) = self.inner.rev_parse_single(spec)
        {
            return Ok(from_oid(&id));
        }
        self.resolve_by_program(spec)
    }

    /// Resolves a revision to a commit, peeling tags.
    pub fn resolve_commit(&self, spec: &str) -> Result<NodeId, RevisionError> {
        let id = match self.resolve(spec) {
            Err(RevisionError::Ambiguous(_)) => self.resolve(&format!("{spec}^{{commit}}"))?,
            resolved => resolved?,
        };
        self.peel_to_commit(&id)
            .map_err(|error| RevisionError::failed(spec, error))
    }

    /// The commit that a ref leads to, by its full name; `None` where there is none. Other than a revision, what is not there costs no
    /// child of git.
    #[must_use]
    pub fn commit_of_ref(&self, name: &str) -> Option<NodeId> {
        let id = self.find_ref(name).ok()??;
        self.peel_to_commit(&id).ok()
    }

    /// A best common ancestor of two commits, as `git merge-base` says; `None` when they have none.
    pub fn merge_base(
        &self,
        one: &NodeId,
        other: &NodeId,
    ) -> Result<Option<NodeId>, RevisionError> {
        let spec = format!("{one}...{other}");
        let command = GitCommand::new(self, "merge-base")
            .operand(one.to_string())
            .operand(other.to_string());
        match command.run(b"") {
            Ok(told) => Ok(id_of(&told)),
            Err(ChildError::Failed { code: Some(1), .. }) => Ok(None),
            Err(error) => Err(RevisionError::failed(&spec, error)),
        }
    }

    fn resolve_by_program(&self, spec: &str) -> Result<NodeId, RevisionError> {
        let command = GitCommand::new(self, "rev-parse")
            .option("--verify")
            .operand(spec);
        let told = match command.run(b"") {
            Ok(told) => told,
            Err(ChildError::Failed { message, .. })
                if message.contains("is ambiguous") && message.contains("object ID") =>
            {
                return Err(RevisionError::Ambiguous(spec.to_owned()));
            }
            Err(ChildError::Failed { .. })
                if names_head(spec) && matches!(self.find_ref("HEAD"), Ok(None)) =>
            {
                return Err(RevisionError::Unborn);
            }
            Err(ChildError::Failed { .. }) => return Err(RevisionError::Unknown(spec.to_owned())),
            Err(error) => return Err(RevisionError::failed(spec, error)),
        };
        id_of(&told).ok_or_else(|| RevisionError::Unknown(spec.to_owned()))
    }
}

/// True for `HEAD` and `@`, alone or with a suffix that starts from them.
fn names_head(spec: &str) -> bool {
    let rest = spec.strip_prefix("HEAD").or(spec.strip_prefix('@'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', ':']))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    fn history(options: &[&str]) -> Fixture {
        let fixture = Fixture::init(options);
        for number in 0..4 {
            fixture.file("src/lib.rs", number.to_string());
            fixture.commit(&format!("commit {number}"));
        }
        fixture.git(&["tag", "-a", "-m", "t", "v1", "HEAD~1"]);
        fixture.git(&["branch", "side", "HEAD~2"]);
        fixture
    }

    #[test]
    fn revisions_are_what_rev_parse_says() {
        for options in [
            &[][..],
            &["--object-format=sha256"],
            &["--ref-format=reftable"],
        ] {
            let fixture = history(options);
            let repo = fixture.open();
            let short = fixture.git(&["rev-parse", "--short", "HEAD"]);
            let specs = [
                "HEAD",
                "@",
                "HEAD~2",
                "HEAD^",
                "main:src/lib.rs",
                "v1",
                "v1^{tree}",
                "v1^{}",
                "HEAD:",
                "HEAD:src",
                "side",
            ];
            for spec in specs.into_iter().chain([
                ":/commit 1",
                "HEAD^{/commit 2}",
                ":src/lib.rs",
                "refs/heads/side",
                short.as_str(),
            ]) {
                assert_eq!(repo.resolve(spec).unwrap(), fixture.id(spec), "{spec}");
            }
            let id = fixture.id("HEAD");
            assert_eq!(repo.resolve(&id.to_string()).unwrap(), id);
            assert_eq!(repo.resolve_commit("v1").unwrap(), fixture.id("HEAD~1"));
            for spec in [
                "",
                "nothing",
                "HEAD~9",
                "main..side",
                "HEAD:absent",
                "-x",
                "--all",
                "0123456789",
                "side@{1",
            ] {
                let error = repo.resolve(spec).unwrap_err();
                assert_eq!(error.to_string(), format!("unknown revision '{spec}'"));
            }
            let absent = id.to_string().replace(['0', '1', '2', '3'], "4");
            assert!(matches!(
                repo.resolve(&absent),
                Err(RevisionError::Unknown(_))
            ));
            let error = repo.resolve_commit("HEAD:src").unwrap_err();
            assert_eq!(error.to_string(), "revision 'HEAD:src' cannot be resolved");
        }
    }

    #[test]
    fn a_head_without_commits_is_told_apart() {
        for options in [&[][..], &["--ref-format=reftable"]] {
            let repo = Fixture::init(options);
            let repo = repo.open();
            for spec in ["HEAD", "@", "HEAD^", "HEAD:src"] {
                assert!(
                    matches!(repo.resolve(spec), Err(RevisionError::Unborn)),
                    "{spec}"
                );
            }
            assert!(matches!(
                repo.resolve_commit("HEAD"),
                Err(RevisionError::Unborn)
            ));
            assert!(matches!(
                repo.resolve("main"),
                Err(RevisionError::Unknown(_))
            ));
            assert!(matches!(
                repo.resolve("HEADER"),
                Err(RevisionError::Unknown(_))
            ));
        }
    }

    #[test]
    fn ambiguous_prefixes_are_told_apart_and_a_commit_is_preferred_where_one_is_wanted() {
        let fixture = history(&[]);
        let prefix = fixture.id("HEAD").to_string()[..4].to_owned();
        let twin = (0..).find_map(|number: u32| {
            let body = format!("{number}");
            let id = super::super::encoded::Encoded::new(
                super::super::HashKind::Sha1,
                super::super::ObjectKind::Blob,
                body.as_bytes(),
            );
            id.id.to_string().starts_with(&prefix).then_some(body)
        });
        fixture.file("twin", twin.unwrap());
        fixture.git(&["hash-object", "-w", "twin"]);
        let repo = fixture.open();
        assert!(matches!(
            repo.resolve(&prefix),
            Err(RevisionError::Ambiguous(_))
        ));
        assert_eq!(repo.resolve_commit(&prefix).unwrap(), fixture.id("HEAD"));
    }
}

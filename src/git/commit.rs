//! Commits as this program reads and writes them: a tree, parents, and who said it.
//!
//! A tag is followed to its commit everywhere. At the edge of a shallow clone a commit has no parents, whatever its
//! bytes say.

use super::object::{ObjectError, ObjectKind};
use super::repo::Repository;
use crate::base::NodeId;

/// Renders the body of a commit object, author and committer the same, at an offset of zero.
///
/// `author` is a name and a mail address; characters that would end them early are left out, as git does.
#[must_use]
pub fn commit_body(
    tree: &NodeId,
    parents: &[NodeId],
    author: [&str; 2],
    message: &str,
    seconds: u64,
) -> Vec<u8> {
    let who = identity(author[0], author[1], seconds);
    let mut body = format!("tree {tree}\n");
    for parent in parents {
        body.extend(["parent ", &parent.to_string(), "\n"]);
    }
    let message = message.replace('\0', "");
    body.extend([
        "author ",
        &who,
        "\ncommitter ",
        &who,
        "\n\n",
        message.trim_end_matches('\n'),
        "\n",
    ]);
    body.into_bytes()
}

/// Who and when, as commits and logs have it.
pub(super) fn identity(name: &str, mail: &str, seconds: u64) -> String {
    let clean = |text: &str| text.replace(['<', '>', '\n', '\0'], "").trim().to_owned();
    format!("{} <{}> {seconds} +0000", clean(name), clean(mail))
}

impl Repository {
    /// The root tree of a commit (or of a tag of one).
    pub fn tree_of(&self, commit: &NodeId) -> Result<NodeId, ObjectError> {
        let (id, body) = self.read_commit(commit)?;
        let mut links = links(id, &body);
        links
            .next()
            .ok_or_else(|| ObjectError::damaged(id, "commit names no tree"))?
    }

    /// The root tree of what must be a commit itself, and no tag of one.
    pub fn tree_of_commit(&self, commit: &NodeId) -> Result<NodeId, ObjectError> {
        let (id, body) = self.read_commit(commit)?;
        if id != *commit {
            return Err(ObjectError::Kind {
                id: *commit,
                expected: ObjectKind::Commit,
                actual: ObjectKind::Tag,
            });
        }
        links(id, &body)
            .next()
            .ok_or_else(|| ObjectError::damaged(id, "commit names no tree"))?
    }

    /// The first line of a commit's message; what is not UTF-8 in it is replaced.
    pub fn subject_of(&self, commit: &NodeId) -> Result<String, ObjectError> {
        Ok(self
            .message_of(commit)?
            .lines()
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned())
    }

    /// A commit's message; what is not UTF-8 in it is replaced.
    pub fn message_of(&self, commit: &NodeId) -> Result<String, ObjectError> {
        let (_, body) = self.read_commit(commit)?;
        let text = String::from_utf8_lossy(&body);
        Ok(text
            .split_once("\n\n")
            .map(|(_, message)| message)
            .unwrap_or_default()
            .to_owned())
    }

    /// The parents of a commit (or of a tag of one), in order; none at the edge of a shallow clone.
    pub fn parents_of(&self, commit: &NodeId) -> Result<Vec<NodeId>, ObjectError> {
        let (id, body) = self.read_commit(commit)?;
        if self.is_cut_off(&id) {
            return Ok(Vec::new());
        }
        links(id, &body).skip(1).collect()
    }

    /// Goes back from a commit along first parents, the commit itself first: each with its root tree.
    ///
    /// Ends at a root, at the edge of a shallow clone, where a partial clone does not hold the tree of an older commit, or
    /// after an error.
    pub fn first_parents(
        &self,
        commit: &NodeId,
    ) -> impl Iterator<Item = Result<(NodeId, NodeId), ObjectError>> + '_ {
        let mut next = Some(*commit);
        let (mut is_first, is_partial) = (true, self.is_partial());
        std::iter::from_fn(move || {
            let step = self.read_commit(&next.take()?).and_then(|(id, body)| {
                let mut links = links(id, &body);
                let tree = links
                    .next()
                    .ok_or_else(|| ObjectError::damaged(id, "commit names no tree"))??;
                next = if self.is_cut_off(&id) {
                    None
                } else {
                    links.next().transpose()?
                };
                Ok((id, tree))
            });
            let is_absent = |tree: &NodeId| is_partial && matches!(self.header(tree), Ok(None));
            let is_edge = !std::mem::replace(&mut is_first, false)
                && step.as_ref().is_ok_and(|(_, tree)| is_absent(tree));
            (!is_edge).then_some(step)
        })
    }

    /// The commit that an object is, or that a tag leads to.
    pub(super) fn peel_to_commit(&self, id: &NodeId) -> Result<NodeId, ObjectError> {
        self.read_commit(id).map(|(id, _)| id)
    }

    /// Reads a commit, following tags to it.
    pub(super) fn read_commit(&self, id: &NodeId) -> Result<(NodeId, Vec<u8>), ObjectError> {
        let (mut id, mut body) = (*id, Vec::new());
        loop {
            match self.read_any(&id, &mut body)? {
                ObjectKind::Commit => return Ok((id, body)),
                ObjectKind::Tag => {
                    let target = links(id, &body).next();
                    id =
                        target.ok_or_else(|| ObjectError::damaged(id, "tag names no object"))??;
                }
                actual => {
                    return Err(ObjectError::Kind {
                        id,
                        expected: ObjectKind::Commit,
                        actual,
                    });
                }
            }
        }
    }

    pub(super) fn is_cut_off(&self, commit: &NodeId) -> bool {
        let edge = self.inner.shallow_commits().ok().flatten();
        edge.is_some_and(|edge| edge.iter().any(|id| id.as_bytes() == commit.as_bytes()))
    }
}

/// The ids at the head of a commit (tree, parents) or of a tag (object).
pub(super) fn links(
    id: NodeId,
    body: &[u8],
) -> impl Iterator<Item = Result<NodeId, ObjectError>> + '_ {
    let lines = body.split(|byte| *byte == b'\n');
    lines
        .map_while(|line| {
            ["tree ", "parent ", "object "]
                .iter()
                .find_map(|key| line.strip_prefix(key.as_bytes()))
        })
        .map(move |hex| {
            let parsed = std::str::from_utf8(hex)
                .ok()
                .and_then(|hex| hex.parse().ok());
            parsed.ok_or_else(|| ObjectError::damaged(id, "a link is not an object id"))
        })
}

#[cfg(test)]
mod tests {
    use super::super::encoded::{Batch, Encoded};
    use super::super::fixture::{Fixture, open_at};
    use super::*;

    #[test]
    fn commits_written_here_are_sound() {
        for fixture in Fixture::both() {
            let first = fixture.commit("one");
            let repo = fixture.open();
            let tree = repo.tree_of(&first).unwrap();
            assert_eq!(tree, fixture.id("HEAD^{tree}"));
            let body = commit_body(
                &tree,
                &[first],
                ["A <U>\nThor", "a@b"],
                "frames\n\nmore\n\n",
                1_795_291_985,
            );
            let commit = Encoded::new(repo.hash_kind(), ObjectKind::Commit, &body);
            let id = commit.id;
            let mut batch = Batch::default();
            batch.add(commit);
            drop(repo.write(&batch).unwrap());
            let shown = fixture.git(&[
                "show",
                "-s",
                "--format=%an|%ae|%at|%cn|%P|%B",
                &id.to_string(),
            ]);
            assert_eq!(
                shown,
                format!("A UThor|a@b|1795291985|A UThor|{first}|frames\n\nmore")
            );
            fixture.git(&["fsck", "--strict", "--full"]);
            assert_eq!(repo.parents_of(&id).unwrap(), [first]);
            assert_eq!(repo.subject_of(&id).unwrap(), "frames");
        }
    }

    #[test]
    fn tags_lead_to_commits_and_history_goes_back() {
        let fixture = Fixture::new();
        let commits: Vec<_> = ["one", "two", "three"]
            .map(|text| fixture.commit(text))
            .into();
        fixture.git(&["tag", "-a", "-m", "t", "inner"]);
        fixture.git(&["tag", "-a", "-m", "t", "outer", "inner"]);
        let repo = fixture.open();
        assert_eq!(
            repo.tree_of(&fixture.id("outer")).unwrap(),
            fixture.id("HEAD^{tree}")
        );
        let line: Vec<_> = repo
            .first_parents(&fixture.id("outer"))
            .map(|step| step.unwrap().0)
            .collect();
        assert_eq!(line, [commits[2], commits[1], commits[0]]);
        let tree = fixture.id("HEAD^{tree}");
        assert!(matches!(repo.tree_of(&tree), Err(ObjectError::Kind { .. })));
        assert!(!repo.is_shallow());

        let clone = fixture.folder.path().join("clone");
        let url = format!("file://{}", fixture.root.display());
        fixture.git(&["clone", "-q", "--depth=2", &url, clone.to_str().unwrap()]);
        let shallow = open_at(&clone);
        assert!(shallow.is_shallow());
        let line: Vec<_> = shallow
            .first_parents(&commits[2])
            .map(|step| step.unwrap().0)
            .collect();
        assert_eq!(line, [commits[2], commits[1]]);
        assert_eq!(shallow.parents_of(&commits[1]).unwrap(), []);
    }
}

//! What a log shows of a commit, read at once.

use super::commit::links;
use super::object::ObjectError;
use super::repo::Repository;
use crate::base::NodeId;

/// What a log shows of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Its root tree.
    pub tree: NodeId,
    /// Its parents, in order; none at the edge of a shallow clone.
    pub parents: Vec<NodeId>,
    /// When it was committed, in seconds since 1970; 0 where that cannot be read.
    pub seconds: u64,
    /// The name and address of its author, as they stand in it.
    pub author: String,
    /// Its message; what is not UTF-8 in it is replaced.
    pub message: String,
}

impl Repository {
    /// What a log shows of a commit (or of a tag of one).
    pub fn log_entry(&self, commit: &NodeId) -> Result<LogEntry, ObjectError> {
        let (id, body) = self.read_commit(commit)?;
        let text = String::from_utf8_lossy(&body);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        let field = |key: &str| head.lines().find_map(|line| line.strip_prefix(key));
        let seconds = field("committer ")
            .and_then(|line| line.rsplit(' ').nth(1)?.parse().ok())
            .unwrap_or(0);
        let author = field("author ")
            .and_then(|line| line.rsplit_once('>'))
            .map_or("", |(author, _)| author);
        let mut links = links(id, &body);
        let tree = links
            .next()
            .ok_or_else(|| ObjectError::damaged(id, "commit names no tree"))??;
        let parents = if self.is_cut_off(&id) {
            Vec::new()
        } else {
            links.collect::<Result<_, _>>()?
        };
        Ok(LogEntry {
            tree,
            parents,
            seconds,
            author: author.to_owned(),
            message: message.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;

    #[test]
    fn an_entry_says_what_git_says() {
        for fixture in Fixture::both() {
            let first = fixture.commit("one");
            let second = fixture.commit("two");
            let entry = fixture.open().log_entry(&second).expect("a commit");
            let told = fixture.git(&[
                "show",
                "-s",
                "--format=%T|%P|%ct|%an <%ae|%B",
                &second.to_string(),
            ]);
            let line = format!(
                "{}|{first}|{}|{}|{}",
                entry.tree,
                entry.seconds,
                entry.author,
                entry.message.trim_end()
            );
            assert_eq!(line, told);
        }
    }
}

//! What is remembered of the last exchange with each remote: derived, deletable, one sealed file in the cache.
//!
//! It saves walks: which objects and paths the remote's branches did not reach, as of which tips, so that only what
//! came since is walked; and it lets `status` say without the network what was not pushed yet.
//!
//! It also says where the remote was. A name is given to another place by `git remote set-url`, or by `rename` and `add`; what
//! the old place held, and has dropped, says nothing of the new one.
//!
//! Text, for each remote a line `remote <name>` and below it `place`, `store`, `held`, `seconds`,
//! `branch`, `tracked`, `tip`, `node` and `path` (in hex).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use super::remote::Remote;
use crate::base::NodeId;
use crate::frame::entry::Entry;
use crate::git::StateDir;

const FILE_NAME: &str = "remotes";
const FIRST_LINE: &str = "git-merkle remotes 1\n";
const FILE_BYTES_MAX: u64 = 32 << 20;

/// The last exchange with a remote.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Where the remote was: [`Remote::place`].
    pub(super) place: Option<String>,
    /// The store's commit after it; `None` where nothing was pushed yet.
    pub store: Option<NodeId>,
    /// How many statements were held back.
    pub held_back: usize,
    /// When, in seconds since 1970.
    pub seconds: u64,
    /// The remote's branches then, without `refs/heads/`, and where each stood last as far as that is here.
    pub branches: BTreeMap<String, NodeId>,
    /// The refs of this clone that tracked its branches then, by branch: what has moved since was pushed or fetched since.
    pub tracked: BTreeMap<String, NodeId>,
    /// The tips of the remote's branches then, as far as they were here.
    pub tips: Vec<NodeId>,
    /// Objects that the tips do not reach.
    pub nodes: BTreeSet<NodeId>,
    /// Paths at which the tips' histories have never had anything.
    pub paths: BTreeSet<Vec<u8>>,
    /// Statements that were found to be fit to go in this exchange; not kept.
    pub passed: HashSet<Entry>,
}

impl Memory {
    /// What is remembered of a remote; `None` where nothing is, or only of another place of that name.
    #[must_use]
    pub fn load(state: &StateDir, remote: &Remote) -> Option<Self> {
        Self::of_name(state, remote.name()).filter(|memory| memory.is_of(remote))
    }

    /// Whether the last exchange with a remote of this name was with another place.
    #[must_use]
    pub fn is_of_another(state: &StateDir, remote: &Remote) -> bool {
        Self::of_name(state, remote.name()).is_some_and(|memory| !memory.is_of(remote))
    }

    fn of_name(state: &StateDir, name: &str) -> Option<Self> {
        let mut all = all(state).into_iter();
        all.find_map(|(known, memory)| (known == name).then_some(memory))
    }

    fn is_of(&self, remote: &Remote) -> bool {
        self.place
            .as_deref()
            .is_none_or(|place| place == remote.place())
    }

    /// Remembers it. A memory that cannot be kept is no fault.
    pub fn save(&self, state: &StateDir, remote: &Remote) {
        let mut all = all(state);
        all.retain(|(name, _)| name != remote.name());
        let place = Some(remote.place().to_owned());
        all.push((
            remote.name().to_owned(),
            Self {
                place,
                ..self.clone()
            },
        ));
        let mut text = FIRST_LINE.to_owned();
        for (name, memory) in &all {
            memory.write(name, &mut text);
        }
        if text.len() as u64 <= FILE_BYTES_MAX {
            let _ = state.cache().keep(FILE_NAME, text.as_bytes());
        }
    }

    fn write(&self, remote: &str, text: &mut String) {
        let _ = writeln!(
            text,
            "remote {remote}\nheld {}\nseconds {}",
            self.held_back, self.seconds
        );
        let _ = self
            .place
            .iter()
            .try_for_each(|place| writeln!(text, "place {place}"));
        let _ = self
            .store
            .iter()
            .try_for_each(|store| writeln!(text, "store {store}"));
        let _ = self
            .branches
            .iter()
            .try_for_each(|(branch, id)| writeln!(text, "branch {id} {branch}"));
        let _ = self
            .tracked
            .iter()
            .try_for_each(|(branch, id)| writeln!(text, "tracked {id} {branch}"));
        let _ = self
            .tips
            .iter()
            .try_for_each(|tip| writeln!(text, "tip {tip}"));
        let _ = self
            .nodes
            .iter()
            .try_for_each(|node| writeln!(text, "node {node}"));
        for path in &self.paths {
            text.push_str("path ");
            let _ = path.iter().try_for_each(|byte| write!(text, "{byte:02x}"));
            text.push('\n');
        }
    }

    fn read(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "place" => self.place = Some(value.to_owned()),
            "store" => self.store = Some(value.parse().ok()?),
            "held" => self.held_back = value.parse().ok()?,
            "seconds" => self.seconds = value.parse().ok()?,
            "branch" | "tracked" => {
                let (id, branch) = value.split_once(' ')?;
                let all = if key == "branch" {
                    &mut self.branches
                } else {
                    &mut self.tracked
                };
                all.insert(branch.to_owned(), id.parse().ok()?);
            }
            "tip" => self.tips.push(value.parse().ok()?),
            "node" => drop(self.nodes.insert(value.parse().ok()?)),
            "path" => drop(self.paths.insert(unhex(value)?)),
            _ => return None,
        }
        Some(())
    }
}

fn all(state: &StateDir) -> Vec<(String, Memory)> {
    parse(&state.cache().kept_text(FILE_NAME, FILE_BYTES_MAX)).unwrap_or_default()
}

fn parse(text: &str) -> Option<Vec<(String, Memory)>> {
    let mut all: Vec<(String, Memory)> = Vec::new();
    for line in text.strip_prefix(FIRST_LINE)?.lines() {
        match line.split_once(' ')? {
            ("remote", name) => all.push((name.to_owned(), Memory::default())),
            (key, value) => all.last_mut()?.1.read(key, value)?,
        }
    }
    Some(all)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits
        .len()
        .is_multiple_of(2)
        .then(|| digits.chunks(2).map(byte).collect())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Memory {
        let id = |byte| NodeId::from_bytes(&[byte; 20]).expect("20 bytes");
        Memory {
            place: None,
            store: Some(id(1)),
            held_back: 3,
            seconds: 7,
            branches: [("a/b".to_owned(), id(2)), ("main".to_owned(), id(3))].into(),
            tracked: [("main".to_owned(), id(2))].into(),
            tips: vec![id(2), id(3)],
            nodes: BTreeSet::from([id(4)]),
            paths: BTreeSet::from([Vec::new(), b"a b\n\xff".to_vec()]),
            passed: HashSet::new(),
        }
    }

    #[test]
    fn each_remote_has_its_own() {
        let directory = tempfile::tempdir().expect("a folder");
        let state = StateDir::at(directory.path());
        let [origin, another] = ["origin", "another"].map(|name| Remote::at(name, &["there"]));
        assert_eq!(Memory::load(&state, &origin), None);
        sample().save(&state, &origin);
        Memory::default().save(&state, &another);
        let more = Memory {
            held_back: 4,
            ..sample()
        };
        more.save(&state, &origin);
        let kept = |memory: Memory, remote: &Remote| Memory {
            place: Some(remote.place().to_owned()),
            ..memory
        };
        let loaded = |remote| Memory::load(&state, remote);
        assert_eq!(loaded(&origin), Some(kept(more, &origin)));
        assert_eq!(loaded(&another), Some(kept(Memory::default(), &another)));
        let moved = Remote::at("origin", &["elsewhere"]);
        assert_eq!(loaded(&moved), None);
        assert!(Memory::is_of_another(&state, &moved) && !Memory::is_of_another(&state, &origin));
    }

    #[test]
    fn nothing_damaged_is_read() {
        let mut text = FIRST_LINE.to_owned();
        sample().write("origin", &mut text);
        assert_eq!(parse(&text), Some(vec![("origin".to_owned(), sample())]));
        for bad in [
            "",
            "junk",
            "git-merkle remotes 1\nstore x\n",
            "git-merkle remotes 1\nremote a\npath abc\n",
        ] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}

//! Comparing two trees: without renames, since in this tool a renamed object is the same object; and renames as git finds them.
//!
//! One descent through both trees at once, in git's tree order, without recursion. Subtrees with equal ids are never
//! read. A file that became a directory, or the other way round, is one change that removes and one that adds, as
//! git has it, because the two stand at different places in tree order.

use std::cmp::Ordering;

use super::child::{ChildError, GitCommand};
use super::object::{EntryMode, ObjectError, ObjectKind, TreeEntry, next_entry};
use super::repo::Repository;
use crate::base::limit::TREE_DEPTH_MAX;
use crate::base::{NodeId, TreePath};

/// What stood or stands at a path.
pub type Side = (EntryMode, NodeId);

/// One path that differs. At least one side is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffEntry {
    /// Where.
    pub path: TreePath,
    /// Before; `None` when added.
    pub old: Option<Side>,
    /// After; `None` when removed.
    pub new: Option<Side>,
}

/// Calls `visit` for every differing entry, directories included and before what is below them, in tree order.
///
/// `None` stands for the empty tree. Equal subtrees are not read. `visit` returns false to stay out of a directory.
pub fn diff_trees(
    repo: &Repository,
    old: Option<NodeId>,
    new: Option<NodeId>,
    visit: &mut dyn FnMut(DiffEntry) -> bool,
) -> Result<(), ObjectError> {
    if old == new {
        return Ok(());
    }
    let id_bytes = repo.hash_kind().id_bytes();
    let mut descent = Descent {
        repo,
        levels: Vec::new(),
        spare: Vec::new(),
    };
    let mut path = Vec::new();
    descent.enter([old, new], 0)?;
    while let Some(level) = descent.levels.last_mut() {
        path.truncate(level.path_bytes);
        let Some([old, new]) = level.next_difference(id_bytes, &mut path)? else {
            descent.leave();
            continue;
        };
        let goes_in = visit(DiffEntry {
            path: TreePath::new(path.as_slice()),
            old,
            new,
        });
        let directories = [old, new].map(|side| {
            side.filter(|side| side.0 == EntryMode::Directory)
                .map(|side| side.1)
        });
        if goes_in && directories != [None, None] {
            descent.enter(directories, path.len())?;
        }
    }
    Ok(())
}

impl Repository {
    /// The files that git finds renamed from one tree to another (`-M`), old path and new path.
    pub fn renames(
        &self,
        old: &NodeId,
        new: &NodeId,
    ) -> Result<Vec<(TreePath, TreePath)>, ChildError> {
        let command = GitCommand::new(self, "diff-tree")
            .option("-r")
            .option("-M")
            .option("--diff-filter=R");
        let command = command
            .option("--name-status")
            .option("-z")
            .option("--no-ext-diff")
            .option("--no-textconv");
        let told = command
            .operand(old.to_string())
            .operand(new.to_string())
            .run(b"")?;
        // Each rename is three fields: the status with its likeness, the old path, the new path.
        let fields: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        Ok(fields
            .chunks_exact(3)
            .map(|rename| (TreePath::new(rename[1]), TreePath::new(rename[2])))
            .collect())
    }
}

/// The directories that are open, outermost first.
struct Descent<'a> {
    repo: &'a Repository,
    levels: Vec<Level>,
    /// Buffers of directories that were left, to be used again.
    spare: Vec<Vec<u8>>,
}

impl Descent<'_> {
    /// Opens a directory on the sides where there is one.
    fn enter(&mut self, trees: [Option<NodeId>; 2], path_bytes: usize) -> Result<(), ObjectError> {
        if self.levels.len() > TREE_DEPTH_MAX {
            let id = trees[0]
                .or(trees[1])
                .expect("a directory stands on one side");
            return Err(ObjectError::TooDeep {
                id,
                max: TREE_DEPTH_MAX,
            });
        }
        let [old, new] = trees.map(|tree| self.open(tree));
        self.levels.push(Level {
            old: old?,
            new: new?,
            path_bytes,
        });
        Ok(())
    }

    fn open(&mut self, tree: Option<NodeId>) -> Result<Cursor, ObjectError> {
        let mut data = self.spare.pop().unwrap_or_default();
        data.clear();
        if let Some(id) = &tree {
            self.repo.read(id, ObjectKind::Tree, &mut data)?;
        }
        Ok(Cursor { tree, data, at: 0 })
    }

    fn leave(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.spare.extend([level.old.data, level.new.data]);
        }
    }
}

/// One directory, as it was and as it is.
struct Level {
    old: Cursor,
    new: Cursor,
    /// Length of the directory's own path.
    path_bytes: usize,
}

impl Level {
    /// Goes to the next entry that differs, appends its name to `path`, and returns both sides; `None` at the end.
    fn next_difference(
        &mut self,
        id_bytes: usize,
        path: &mut Vec<u8>,
    ) -> Result<Option<[Option<Side>; 2]>, ObjectError> {
        loop {
            let (old, old_next) = self.old.peek(id_bytes)?;
            let (new, new_next) = self.new.peek(id_bytes)?;
            if old == new && old.is_some() {
                (self.old.at, self.new.at) = (old_next, new_next);
                continue;
            }
            let order = match (&old, &new) {
                (None, None) => return Ok(None),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.tree_order(new),
            };
            let (old, new) = (old.filter(|_| order.is_le()), new.filter(|_| order.is_ge()));
            let name = old.or(new).expect("one side comes first").name;
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name);
            let sides = [old, new].map(|entry| entry.map(|entry| (entry.mode, entry.id)));
            if sides[0].is_some() {
                self.old.at = old_next;
            }
            if sides[1].is_some() {
                self.new.at = new_next;
            }
            return Ok(Some(sides));
        }
    }
}

/// A tree being read; of a directory that is not there, nothing.
struct Cursor {
    tree: Option<NodeId>,
    data: Vec<u8>,
    at: usize,
}

impl Cursor {
    /// The entry that comes next, if any, and where the one after it starts.
    fn peek(&self, id_bytes: usize) -> Result<(Option<TreeEntry<'_>>, usize), ObjectError> {
        let mut rest = &self.data[self.at..];
        let entry = match self.tree {
            Some(tree) => next_entry(tree, &mut rest, id_bytes)?,
            None => None,
        };
        Ok((entry, self.data.len() - rest.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    /// Our diff in the format of `git diff-tree -r -t --raw -z --no-abbrev`.
    fn raw_diff(repo: &Repository, old: Option<NodeId>, new: Option<NodeId>) -> Vec<u8> {
        let mut out = Vec::new();
        let zeros = "0".repeat(2 * repo.hash_kind().id_bytes());
        diff_trees(repo, old, new, &mut |change| {
            let side = |side: Option<Side>| match side {
                Some((mode, id)) => (format!("{:0>6}", mode.octal()), id.to_string()),
                None => ("000000".to_owned(), zeros.clone()),
            };
            let ((old_mode, old_id), (new_mode, new_id)) = (side(change.old), side(change.new));
            let kind = |mode: &str| mode[..3].to_owned();
            let status = match (change.old, change.new) {
                (None, _) => 'A',
                (_, None) => 'D',
                _ if kind(&old_mode) != kind(&new_mode) => 'T',
                _ => 'M',
            };
            out.extend_from_slice(
                format!(":{old_mode} {new_mode} {old_id} {new_id} {status}\0").as_bytes(),
            );
            out.extend_from_slice(change.path.as_bytes());
            out.push(0);
            true
        })
        .unwrap();
        out
    }

    #[test]
    fn changes_are_what_diff_tree_says() {
        for fixture in Fixture::both() {
            for path in [
                "a",
                "a-b",
                "b/c/d",
                "b/c/e",
                "b/f",
                "gone/x/y",
                "same/s",
                "turns/into/file",
                "z",
            ] {
                fixture.file(path, path);
            }
            fixture.commit("one");
            fixture.git(&["rm", "-q", "-r", "a", "gone", "turns"]);
            for path in ["a/now/directory", "a0", "b/c/d", "new/x", "turns", "b.c"] {
                fixture.file(path, "changed");
            }
            fixture.git(&["update-index", "--chmod=+x", "z"]);
            std::os::unix::fs::symlink("z", fixture.root.join("l")).unwrap();
            fixture.commit("two");
            fixture.git(&["rm", "-q", "l"]);
            fixture.file("l", "no link");
            fixture.commit("three");

            let repo = fixture.open();
            let empty = fixture.git(&["hash-object", "-w", "-t", "tree", "/dev/null"]);
            for (old, new) in [
                ("HEAD~2", "HEAD~1"),
                ("HEAD~1", "HEAD~2"),
                ("HEAD~2", "HEAD"),
                ("HEAD", "HEAD~1"),
                ("", "HEAD"),
            ] {
                let tree = |revision: &str| {
                    (!revision.is_empty()).then(|| fixture.id(&format!("{revision}^{{tree}}")))
                };
                let [old, new] = [tree(old), tree(new)];
                let name = |id: Option<NodeId>| id.map_or(empty.clone(), |id| id.to_string());
                let options = [
                    "diff-tree",
                    "-r",
                    "-t",
                    "--raw",
                    "-z",
                    "--no-abbrev",
                    "--no-renames",
                ];
                let names = [name(old), name(new)];
                let arguments = [&options[..], &[&names[0], &names[1]]].concat();
                let git = fixture
                    .command(&fixture.root, &arguments)
                    .output()
                    .unwrap()
                    .stdout;
                let ours = raw_diff(&repo, old, new);
                assert_eq!(
                    String::from_utf8_lossy(&ours),
                    String::from_utf8_lossy(&git)
                );
                assert!(!ours.is_empty());
                assert!(raw_diff(&repo, new, new).is_empty());
            }
        }
    }

    #[test]
    fn renames_are_those_that_git_finds() {
        let fixture = Fixture::new();
        let text = "a line of many that are alike\n".repeat(40);
        fixture.file("a/x y\n", &text);
        fixture.file("b", "another file\n");
        fixture.commit("one");
        fixture.git(&["rm", "-q", "-r", "."]);
        fixture.file("c/d/x", format!("{text}more\n"));
        fixture.file("unlike", "something else\n");
        fixture.commit("two");
        let [old, new] = ["HEAD~1^{tree}", "HEAD^{tree}"].map(|revision| fixture.id(revision));
        let repo = fixture.open();
        assert_eq!(
            repo.renames(&old, &new).unwrap(),
            [("a/x y\n".into(), "c/d/x".into())]
        );
        assert_eq!(repo.renames(&old, &old).unwrap(), []);
    }

    #[test]
    fn a_visitor_may_stay_out_and_equal_trees_are_not_read() {
        let fixture = Fixture::new();
        fixture.file("a/x", "1");
        fixture.file("b/y", "1");
        fixture.commit("one");
        fixture.file("a/x", "2");
        fixture.commit("two");
        let repo = fixture.open();
        let [old, new] =
            ["HEAD~1^{tree}", "HEAD^{tree}"].map(|revision| Some(fixture.id(revision)));
        let mut paths = Vec::new();
        diff_trees(&repo, old, new, &mut |change| {
            paths.push(change.path);
            false
        })
        .unwrap();
        assert_eq!(paths, [TreePath::from("a")]);

        let same = fixture.id("HEAD:b").to_string();
        std::fs::remove_file(
            fixture
                .root
                .join(".git/objects")
                .join(&same[..2])
                .join(&same[2..]),
        )
        .unwrap();
        let mut count = 0;
        diff_trees(&fixture.open(), old, new, &mut |_| {
            count += 1;
            true
        })
        .unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn nesting_beyond_gits_limit_is_refused() {
        use super::super::encoded::{Batch, Encoded};
        let fixture = Fixture::new();
        let repo = fixture.open();
        let mut batch = Batch::default();
        let empty = Encoded::new(repo.hash_kind(), ObjectKind::Tree, b"");
        let mut id = empty.id;
        batch.add(empty);
        for _ in 0..=TREE_DEPTH_MAX {
            let mut body = Vec::new();
            TreeEntry {
                mode: EntryMode::Directory,
                name: b"d",
                id,
            }
            .encode(&mut body);
            let tree = Encoded::new(repo.hash_kind(), ObjectKind::Tree, &body);
            id = tree.id;
            batch.add(tree);
        }
        let _held = repo.write(&batch).unwrap();
        let error = diff_trees(&repo, None, Some(id), &mut |_| true).unwrap_err();
        assert!(matches!(error, ObjectError::TooDeep { .. }), "{error}");
    }
}

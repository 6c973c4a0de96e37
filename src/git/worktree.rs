//! The index and the work tree as trees, written beside the user's index, never through it.
//!
//! Git does the work on a copy of the index in `<common>/merkle/`, so its stat cache and a split index stay of use. The
//! copy keeps the time stamp of the original: git holds a file that is younger than the index for possibly changed, and
//! a younger copy would hide a change made in the same tick. `git add` and `git write-tree` write objects, as they
//! always do; the user's index is only read. Where a look (`dirty.rs`) tells which few paths may differ, git is given those alone, and
//! where none does the tree that the index remembers is the answer, without a copy or a child.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::child::{ChildError, GitCommand, error_of, failed, id_of};
use super::dirty::Dirty;
use super::filter::Filters;
use super::repo::Repository;
use super::state::StateDir;
use crate::base::cores::beside;
use crate::base::{NodeId, TreePath};

/// What the names of copies start with, before the process id.
const COPY_PREFIX: &str = "index-";

/// Which ignored files are wanted all the same.
pub struct IncludeFilter<'a> {
    /// The name of the files that say so.
    pub name: &'a [u8],
    /// Whether the one in a directory could let anything in.
    pub lets_any_in: &'a dyn Fn(&[u8]) -> bool,
    /// Whether a file is wanted, by its path from the root.
    pub lets_in: &'a dyn Fn(&[u8]) -> bool,
}

impl Repository {
    /// The tree that the index would commit.
    pub fn write_index_tree(&self) -> Result<NodeId, ChildError> {
        self.with_paths(&[])
    }

    /// True when there is an index: something has been checked out or added.
    #[must_use]
    pub fn has_index(&self) -> bool {
        self.inner.index_path().exists()
    }

    /// The tree of the work tree: tracked plus untracked-not-ignored files, plus ignored ones that `include` accepts.
    ///
    /// Without an `include` ignored files are not even looked for. An embedded repository stands for its commit, as after `git add`; one without commits is left out.
    /// A file that cannot be read is an error.
    pub fn write_work_tree(
        &self,
        include: Option<&IncludeFilter<'_>>,
    ) -> Result<NodeId, ChildError> {
        match self.write_what_differs(include) {
            Some(tree) => Ok(tree),
            None => self.write_all(include),
        }
    }

    /// Whether the index or the work tree has something that a tree does not have. Tracked files that may differ are read, and no
    /// others; `None` where that takes a look at everything.
    #[must_use]
    pub fn differs_from(&self, tree: &NodeId) -> Option<bool> {
        let dirty = Dirty::of(self, None)?;
        if dirty.paths.len() > dirty.tracked {
            return Some(true);
        }
        // Where nothing may differ, the index remembers its tree more often than not.
        let now = dirty.tree.filter(|_| dirty.paths.is_empty());
        let now = now.or_else(|| self.with_paths(&dirty.paths).ok())?;
        Some(now != *tree)
    }

    /// What the work tree has at a tracked path, as a commit would take it.
    #[must_use]
    pub fn at_work(&self, path: &TreePath) -> Option<NodeId> {
        let tree = self.with_paths(&[path.as_bytes().to_vec()]).ok()?;
        let (_, id) = self.find_entry(&tree, path.as_bytes()).ok()??;
        Some(id)
    }

    /// The tree of the index with some paths as the work tree has them.
    fn with_paths(&self, paths: &[Vec<u8>]) -> Result<NodeId, ChildError> {
        let copy = IndexCopy::of(self).map_err(ChildError::Copy)?;
        let filters = Filters::of(self);
        if !paths.is_empty() {
            self.update(paths, &copy, &filters)?;
        }
        self.write_tree(&copy, &filters)
    }

    /// The same by way of what may differ from the index; `None` where git has to look at everything.
    fn write_what_differs(&self, include: Option<&IncludeFilter<'_>>) -> Option<NodeId> {
        let dirty = Dirty::of(self, include.map(|include| include.name))?;
        let any_in = |include: &IncludeFilter<'_>| {
            let mut folders = dirty.named.iter();
            folders.any(|folder| (include.lets_any_in)(folder))
        };
        if include.is_some_and(any_in) {
            return None;
        }
        if dirty.paths.is_empty() && dirty.tree.is_some() {
            return dirty.tree;
        }
        let copy = IndexCopy::of(self).ok()?;
        // The copy of another index could hold what was not looked at.
        if !dirty.is_current(self) {
            return None;
        }
        let filters = Filters::of(self);
        if !dirty.paths.is_empty() {
            self.update(&dirty.paths, &copy, &filters).ok()?;
        }
        self.write_tree(&copy, &filters).ok()
    }

    /// The same by way of a look of git at every file and directory, which has the last word about errors.
    pub(super) fn write_all(
        &self,
        include: Option<&IncludeFilter<'_>>,
    ) -> Result<NodeId, ChildError> {
        let copy = IndexCopy::of(self).map_err(ChildError::Copy)?;
        let filters = Filters::of(self);
        let Some(include) = include else {
            self.add_all(&copy, &filters)?;
            return self.write_tree(&copy, &filters);
        };
        // What is ignored and not tracked is the same before and after the rest is added: both children run at once.
        let list = self.list_ignored(&copy, &filters);
        let (added, ignored) = std::thread::scope(|scope| {
            let ignored = beside(scope, move || list.run(b""));
            (self.add_all(&copy, &filters), ignored.join())
        });
        added?;
        self.add_ignored(&copy, &filters, &ignored?, include)?;
        self.write_tree(&copy, &filters)
    }

    /// Adds everything but tracked submodules, whose commits are then taken from their own `HEAD`.
    ///
    /// For a tracked submodule `git add` starts `git status` inside it, which runs filters that the submodule's own
    /// configuration names. `git update-index` only looks at its `HEAD`.
    fn add_all(&self, copy: &IndexCopy, filters: &Filters) -> Result<(), ChildError> {
        let submodules = self.tracked_submodules()?;
        // `--sparse` takes in new files outside of a sparse checkout; what is not checked out stays as it is.
        let command = self
            .with_index("add", copy, filters)
            .option("-A")
            .option("--sparse")
            .option("--ignore-errors");
        let mut command = command.overriding(&filters.required);
        if !submodules.is_empty() {
            command = command
                .option("--pathspec-from-file=-")
                .option("--pathspec-file-nul");
        }
        let excluded = submodules
            .iter()
            .flat_map(|path| [b":(top,literal,exclude)", &path[..], b"\0"].concat());
        let pathspecs: Vec<u8> = if submodules.is_empty() {
            Vec::new()
        } else {
            b":/\0".iter().copied().chain(excluded).collect()
        };
        let output = command.output(&pathspecs)?;
        if !output.status.success() && !only_lacks_commits(&output) {
            return Err(filters.explain(failed("add", &output)));
        }
        if submodules.is_empty() {
            return Ok(());
        }
        self.update(&submodules, copy, filters)
    }

    /// Takes these paths into the index as they are on disk, without a question about what is ignored.
    fn update(
        &self,
        paths: &[Vec<u8>],
        copy: &IndexCopy,
        filters: &Filters,
    ) -> Result<(), ChildError> {
        let paths: Vec<u8> = paths
            .iter()
            .flat_map(|path| [&path[..], b"\0"].concat())
            .collect();
        let command = self
            .with_index("update-index", copy, filters)
            .overriding(&filters.required);
        let command = command
            .option("--add")
            .option("--remove")
            .option("--replace")
            .option("--ignore-skip-worktree-entries");
        let command = command.option("-z").option("--stdin");
        command
            .run(&paths)
            .map(drop)
            .map_err(|error| filters.explain(error))
    }

    /// The paths of submodules in the user's index.
    pub fn tracked_submodules(&self) -> Result<Vec<Vec<u8>>, ChildError> {
        let index = self
            .inner
            .index_or_empty()
            .map_err(|error| ChildError::Start(io::Error::other(error)))?;
        let entries = index
            .entries()
            .iter()
            .filter(|entry| entry.mode == gix::index::entry::Mode::COMMIT);
        let paths: BTreeSet<Vec<u8>> = entries.map(|entry| entry.path(&index).to_vec()).collect();
        Ok(paths.into_iter().collect())
    }

    fn list_ignored(&self, copy: &IndexCopy, filters: &Filters) -> GitCommand {
        self.with_index("ls-files", copy, filters)
            .option("-z")
            .option("-o")
            .option("-i")
            .option("--exclude-standard")
    }

    fn add_ignored(
        &self,
        copy: &IndexCopy,
        filters: &Filters,
        listed: &[u8],
        include: &IncludeFilter<'_>,
    ) -> Result<(), ChildError> {
        // A name that ends in '/' is an embedded repository.
        let wanted = listed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty() && !path.ends_with(b"/") && (include.lets_in)(path));
        let wanted: Vec<u8> = wanted
            .flat_map(|path| path.iter().copied().chain([0]))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let command = self
            .with_index("add", copy, filters)
            .literal_paths()
            .overriding(&filters.required);
        let command = command
            .option("-f")
            .option("--sparse")
            .option("--pathspec-from-file=-")
            .option("--pathspec-file-nul");
        command
            .run(&wanted)
            .map(drop)
            .map_err(|error| filters.explain(error))
    }

    fn write_tree(&self, copy: &IndexCopy, filters: &Filters) -> Result<NodeId, ChildError> {
        let output = self.with_index("write-tree", copy, filters).output(b"")?;
        if let Some(id) = id_of(&output.stdout).filter(|_| output.status.success()) {
            return Ok(id);
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        let unmerged = stderr
            .lines()
            .find_map(|line| line.split_once(": unmerged ("));
        Err(unmerged.map_or_else(
            || failed("write-tree", &output),
            |(path, _)| ChildError::Unmerged(path.to_owned()),
        ))
    }

    fn with_index(&self, verb: &'static str, copy: &IndexCopy, filters: &Filters) -> GitCommand {
        let index = copy.state.shown_file(&copy.name);
        GitCommand::new(self, verb)
            .setting("core.splitIndex=false")
            .index(&index)
            .overriding(&filters.overrides)
    }
}

/// True when `git add` failed over nothing but embedded repositories without commits, which have nothing to record.
fn only_lacks_commits(output: &Output) -> bool {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mut errors = stderr.lines().filter_map(error_of).peekable();
    errors.peek().is_some()
        && errors.all(|error| {
            error.ends_with("does not have a commit checked out")
                || error.starts_with("unable to index file")
        })
}

/// A copy of the user's index, gone when dropped.
struct IndexCopy {
    state: StateDir,
    name: String,
}

impl IndexCopy {
    fn of(repo: &Repository) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let state = StateDir::of(repo);
        state.create()?;
        remove_stale(&state)?;
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let copy = Self {
            state,
            name: format!("{COPY_PREFIX}{}-{number}", std::process::id()),
        };
        copy.fill(&repo.inner.index_path())?;
        Ok(copy)
    }

    /// Copies the index with its time stamp; there is none before the first `git add`.
    fn fill(&self, original: &Path) -> io::Result<()> {
        self.state.remove(&self.name)?;
        let modified = match fs::metadata(original) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata?.modified()?,
        };
        let mut copy = self
            .state
            .create_new(&self.name)?
            .ok_or(io::ErrorKind::AlreadyExists)?;
        io::copy(&mut File::open(original)?, &mut copy)?;
        copy.set_times(FileTimes::new().set_modified(modified))
    }
}

impl Drop for IndexCopy {
    fn drop(&mut self) {
        // What cannot be removed now is removed as stale by the next copy.
        let _ = self.state.remove(&self.name);
    }
}

/// Removes copies, and git's locks on them, whose makers were killed.
fn remove_stale(state: &StateDir) -> io::Result<()> {
    for name in state.names()? {
        if maker(&name).is_some_and(|maker| test_kill_process(maker) == Err(Errno::SRCH)) {
            state.remove(&name)?;
        }
    }
    Ok(())
}

/// The process that made a copy, or git's lock on one; `None` for a name that neither has.
fn maker(name: &str) -> Option<Pid> {
    let (process, number) = name.strip_prefix(COPY_PREFIX)?.split_once('-')?;
    let number = number.strip_suffix(".lock").unwrap_or(number);
    number.parse::<u64>().ok()?;
    Pid::from_raw(process.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, open_at};
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    /// The index as it stands: its bytes and its time stamp.
    fn index(fixture: &Fixture) -> Option<(Vec<u8>, std::time::SystemTime)> {
        let path = fixture.root.join(".git/index");
        Some((
            fs::read(&path).ok()?,
            path.metadata().ok()?.modified().unwrap(),
        ))
    }

    /// The work tree's tree, checked against `git add -A` and to leave the index and no copy behind.
    fn checked_work_tree(fixture: &Fixture) -> NodeId {
        let (repo, before) = (fixture.open(), index(fixture));
        let tree = repo.write_work_tree(None).unwrap();
        assert_eq!(index(fixture), before);
        assert_eq!(
            fs::read_dir(repo.common_dir().join("merkle"))
                .unwrap()
                .count(),
            0
        );
        fixture.git(&["add", "-A", "--sparse"]);
        assert_eq!(tree, fixture.git(&["write-tree"]).parse().unwrap());
        tree
    }

    #[test]
    fn the_work_tree_is_what_add_would_make_of_it() {
        for options in [
            &[][..],
            &["--object-format=sha256"],
            &["--ref-format=reftable"],
        ] {
            let fixture = Fixture::init(options);
            checked_work_tree(&fixture);
            for path in ["kept", "changed", "deleted", "dir/gone", "becomes/file"] {
                fixture.file(path, path);
            }
            fixture.file(".gitignore", "*.log\n");
            fixture.commit("one");
            let tracked = fixture.open().write_index_tree().unwrap();
            fixture.file("changed", "now");
            fixture.file("new\nline/ä", "x");
            fixture.file("noise.log", "x");
            fixture.git(&["config", "core.splitIndex", "true"]);
            for path in ["deleted", "dir/gone"] {
                fs::remove_file(fixture.root.join(path)).unwrap();
            }
            fs::remove_dir_all(fixture.root.join("becomes")).unwrap();
            fixture.file("becomes", "x");
            std::os::unix::fs::symlink("kept", fixture.root.join("link")).unwrap();
            fs::write(fixture.root.join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
            assert_eq!(fixture.open().write_index_tree().unwrap(), tracked);
            let tree = checked_work_tree(&fixture);
            assert_ne!(tree, tracked);
            assert_eq!(fixture.open().write_index_tree().unwrap(), tree);
            fixture.file("kept", "after a split");
            checked_work_tree(&fixture);
        }
    }

    #[test]
    fn ignored_files_come_in_when_they_are_wanted() {
        let fixture = Fixture::new();
        fixture.file(".gitignore", "*.log\nbuild/\n");
        fixture.commit("one");
        for path in [
            "a.log",
            "b.log",
            "[ab].log",
            ":(top)x.log",
            "build/deep/out",
        ] {
            fixture.file(path, path);
        }
        let repo = fixture.open();
        let seen = std::cell::RefCell::new(Vec::new());
        let include = |path: &[u8]| {
            seen.borrow_mut()
                .push(String::from_utf8(path.to_vec()).unwrap());
            path == b"[ab].log" || path == b":(top)x.log" || path.starts_with(b"build/")
        };
        let with = |lets_in: &dyn Fn(&[u8]) -> bool| {
            let include = IncludeFilter {
                name: b".wanted",
                lets_any_in: &|_| true,
                lets_in,
            };
            repo.write_work_tree(Some(&include)).unwrap()
        };
        fixture.file(".wanted", "!");
        let tree = with(&include).to_string();
        let listed = fixture.git(&["ls-tree", "-r", "--name-only", &tree]);
        assert_eq!(
            listed,
            ".gitignore\n.wanted\n:(top)x.log\n[ab].log\nbuild/deep/out"
        );
        seen.borrow_mut().sort();
        assert_eq!(
            *seen.borrow(),
            [
                ":(top)x.log",
                "[ab].log",
                "a.log",
                "b.log",
                "build/deep/out"
            ]
        );
        let plain = with(&|_| false);
        assert_eq!(plain, repo.write_work_tree(None).unwrap());
    }

    #[test]
    fn conflicts_have_no_index_tree_but_a_work_tree() {
        let fixture = Fixture::new();
        fixture.file("a b", "base\n");
        fixture.commit("base");
        fixture.git(&["checkout", "-q", "-b", "side"]);
        fixture.file("a b", "side\n");
        fixture.commit("side");
        fixture.git(&["checkout", "-q", "main"]);
        fixture.file("a b", "main\n");
        fixture.commit("main");
        assert!(
            !fixture
                .command(&fixture.root, &["merge", "-q", "side"])
                .output()
                .unwrap()
                .status
                .success()
        );
        let (repo, before) = (fixture.open(), index(&fixture));
        let error = repo.write_index_tree().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the index has conflicts, the first in 'a b'"
        );
        assert!(matches!(error, ChildError::Unmerged(_)));
        assert_eq!(index(&fixture), before);
        checked_work_tree(&fixture);
    }

    #[test]
    fn embedded_repositories_stand_for_their_commits() {
        let fixture = Fixture::new();
        fixture.file("file", "x");
        fixture.commit("one");
        for name in ["empty", "full"] {
            fixture.file(&format!("{name}/inside"), "x");
            fixture.git_in(&fixture.root.join(name), &["init", "-q"]);
        }
        fixture.git_in(
            &fixture.root.join("full"),
            &["commit", "-q", "--allow-empty", "-m", "c"],
        );
        let repo = fixture.open();
        let tree = repo.write_work_tree(None).unwrap();
        assert_eq!(
            fixture.git(&["ls-tree", "-r", "--name-only", &tree.to_string()]),
            "file\nfull"
        );
        let mode = repo.find_entry(&tree, b"full").unwrap().unwrap().0;
        assert_eq!(mode, super::super::object::EntryMode::Submodule);
    }

    #[test]
    fn what_cannot_be_added_is_an_error_that_names_it() {
        let fixture = Fixture::new();
        fixture.file("a", "x");
        fixture.file("b", "x");
        fixture.git(&["config", "filter.broken.clean", "false"]);
        fixture.git(&["config", "filter.broken.required", "true"]);
        fixture.file(".gitattributes", "b filter=broken\n");
        let error = fixture.open().write_work_tree(None).unwrap_err();
        assert!(
            matches!(error, ChildError::Filter { path, filter, .. } if path == "b" && filter == "broken")
        );
        let settings = vec!["filter.broken.clean=false".to_owned()];
        let location = super::super::repo::Location {
            directory: fixture.root.clone(),
            git_dir: None,
            settings,
        };
        let error = Repository::open(&location)
            .unwrap()
            .write_work_tree(None)
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("'git add' failed: external filter 'false' failed"),
            "{error}"
        );
        let bare = fixture.folder.path().join("bare");
        fixture.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
        let error = open_at(&bare).write_work_tree(None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'git add' failed: this operation must be run in a work tree"
        );
    }

    #[test]
    fn sparse_checkouts_keep_what_is_not_checked_out() {
        let fixture = Fixture::new();
        for path in ["in/a", "out/b"] {
            fixture.file(path, path);
        }
        fixture.commit("one");
        fixture.git(&["sparse-checkout", "set", "in"]);
        assert!(!fixture.root.join("out/b").exists());
        fixture.file("in/new", "x");
        fixture.file("out/new", "x");
        let tree = checked_work_tree(&fixture).to_string();
        assert_eq!(
            fixture.git(&["ls-tree", "-r", "--name-only", &tree]),
            "in/a\nin/new\nout/b\nout/new"
        );
    }

    #[test]
    fn copies_of_the_dead_are_removed() {
        let fixture = Fixture::new();
        let mut child = fixture
            .command(&fixture.root, &["version"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
        let dead = child.id();
        for name in [
            format!("index-{dead}-0"),
            format!("index-{dead}-0.lock"),
            "index-x".to_owned(),
        ] {
            fixture.file(&format!(".git/merkle/{name}"), "x");
        }
        fixture.open().write_index_tree().unwrap();
        let left: Vec<_> = fs::read_dir(fixture.root.join(".git/merkle"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["index-x"]);
    }

    #[test]
    fn the_copy_is_as_old_as_the_index() {
        let fixture = Fixture::new();
        fixture.file("file", "x");
        fixture.commit("one");
        let copy = IndexCopy::of(&fixture.open()).unwrap();
        assert_eq!(
            copy.state
                .shown_file(&copy.name)
                .metadata()
                .unwrap()
                .modified()
                .unwrap(),
            index(&fixture).unwrap().1
        );
    }
}

//! A repository in a sandbox: git and the program run in it, a fixture fills it, and git says whether it is sound.

use std::path::{Path, PathBuf};

use super::fixture::{Step, parse};
use git_merkle::git::{Location, Repository, StateDir};

use super::sandbox::PROGRAM;
use super::{Output, Run, Sandbox};

/// The ref that holds the frames.
const FRAMES_REF: &str = "refs/merkle/frames";

/// A repository, or a linked work tree of one.
pub(crate) struct Repo<'s> {
    sandbox: &'s Sandbox,
    directory: PathBuf,
}

impl<'s> Repo<'s> {
    pub(crate) fn at(sandbox: &'s Sandbox, directory: PathBuf) -> Self {
        Self { sandbox, directory }
    }

    /// A path in the repository, existing or not.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Runs `git` here.
    pub(crate) fn git(&self, arguments: &[&str]) -> Output {
        self.run("git").args(arguments).run()
    }

    /// Sets a value in this repository's own configuration.
    #[track_caller]
    pub(crate) fn config(&self, key: &str, value: &str) {
        self.git(&["config", key, value]).ok();
    }

    /// Sets a value in the configuration of this sandbox's user.
    #[track_caller]
    pub(crate) fn config_global(&self, key: &str, value: &str) {
        self.git(&["config", "--global", key, value]).ok();
    }

    /// Runs `git-merkle` here.
    pub(crate) fn merkle(&self, arguments: &[&str]) -> Output {
        self.run(PROGRAM).args(arguments).run()
    }

    /// Accepts what `.teddy` holds now, as a user who has looked at it.
    #[track_caller]
    pub(crate) fn trust(&self) {
        let shown = self.merkle(&["trust", "--show", "--json"]).json("trust");
        let digest = shown["digest"]
            .as_str()
            .expect("there is something to trust")
            .to_owned();
        self.merkle(&["trust", &format!("--trust={digest}")]).ok();
    }

    /// Any program here, still to be given arguments, input and environment.
    pub(crate) fn run(&self, program: &str) -> Run {
        self.sandbox.run(program, &self.directory)
    }

    /// The id of a revision.
    #[track_caller]
    pub(crate) fn id(&self, revision: &str) -> String {
        self.git(&["rev-parse", "--verify", "--end-of-options", revision])
            .ok()
            .trim()
            .to_owned()
    }

    /// Adds a history written in the fixture language.
    #[track_caller]
    pub(crate) fn fill(&self, fixture: &str) {
        let steps = parse(fixture);
        let mut open: Option<&str> = None;
        for step in &steps {
            if matches!(
                step,
                Step::Commit { .. }
                    | Step::Branch { .. }
                    | Step::Switch { .. }
                    | Step::Merge { .. }
                    | Step::Tag { .. }
            ) && let Some(subject) = open.take()
            {
                self.commit(subject);
            }
            match step {
                Step::Commit { subject } => open = Some(subject),
                other => self.apply(other),
            }
        }
        if let Some(subject) = open {
            self.commit(subject);
        }
    }

    /// Commits everything that stands in the work tree.
    #[track_caller]
    pub(crate) fn commit(&self, subject: &str) {
        self.git(&["add", "--all"]).ok();
        self.git(&["commit", "-q", "--allow-empty", "-m", subject])
            .ok();
    }

    /// Writes a file, in a folder that is made for it.
    #[track_caller]
    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.parented(path), bytes).expect("a file can be written");
    }

    /// Says something about a node with `put-frame`.
    pub(crate) fn put_frame(&self, node: &str, text: impl Into<Vec<u8>>) -> Output {
        self.run(PROGRAM)
            .args(["put-frame", node, "-"])
            .input(text)
            .run()
    }

    #[track_caller]
    fn apply(&self, step: &Step) {
        match step {
            Step::Commit { .. } => {}
            Step::Write {
                path,
                content,
                executable,
            } => self.write(path, content, *executable),
            Step::Link { path, target } => {
                std::os::unix::fs::symlink(target, self.parented(path))
                    .expect("a symbolic link of a fixture can be made");
            }
            Step::Remove { path } => drop(self.git(&["rm", "-r", "-q", "--", path]).ok()),
            Step::Rename { from, to } => {
                std::fs::rename(self.path(from), self.parented(to))
                    .expect("a path of a fixture can be renamed");
            }
            Step::Branch { name, at } => drop(
                self.git(&["switch", "-q", "-c", name, at.as_deref().unwrap_or("HEAD")])
                    .ok(),
            ),
            Step::Switch { name } => drop(self.git(&["switch", "-q", name]).ok()),
            Step::Merge { names } => {
                let subject = format!("merge {}", names.join(" "));
                self.run("git")
                    .args(["merge", "-q", "--no-ff", "-m", &subject])
                    .args(names)
                    .run()
                    .ok();
            }
            Step::Tag { name } => drop(self.git(&["tag", name]).ok()),
        }
    }

    fn write(&self, path: &str, content: &str, executable: bool) {
        use std::os::unix::fs::PermissionsExt;
        let file = self.parented(path);
        std::fs::write(&file, content).expect("a file of a fixture can be written");
        let mode = if executable { 0o755 } else { 0o644 };
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode))
            .expect("its mode can be set");
    }

    /// A path whose directory exists.
    fn parented(&self, path: &str) -> PathBuf {
        let file = self.path(path);
        std::fs::create_dir_all(file.parent().expect("a file stands in a directory"))
            .expect("a directory can be made");
        file
    }

    /// A linked work tree of this repository with a revision checked out, detached.
    #[track_caller]
    pub(crate) fn worktree(&self, name: &str, revision: &str) -> Repo<'s> {
        let directory = self.sandbox.path(name);
        self.run("git")
            .args(["worktree", "add", "-q", "--detach"])
            .arg(&directory)
            .arg(revision)
            .run()
            .ok();
        Repo::at(self.sandbox, directory)
    }

    /// A clone of this repository: `--bare`, `--depth=1`, `--filter=blob:none`, or nothing more.
    ///
    /// It goes through the transport, as from a server, so that these options mean what they say.
    #[track_caller]
    pub(crate) fn clone_to(&self, name: &str, options: &[&str]) -> Repo<'s> {
        let directory = self.sandbox.path(name);
        let url = format!("file://{}", self.directory.display());
        self.run("git")
            .args(["clone", "-q"])
            .args(options)
            .arg(url)
            .arg(&directory)
            .run()
            .ok();
        Repo::at(self.sandbox, directory)
    }

    /// The name of the file below `.git/merkle/cache` in which the last finished run of the outline builder is remembered.
    #[track_caller]
    pub(crate) fn memory(&self) -> String {
        let entries = std::fs::read_dir(self.path(".git/merkle/cache"))
            .expect("a cache")
            .flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names
            .find(|name| name.starts_with("finished-"))
            .expect("a finished run")
    }

    /// The library's own view of the repository.
    pub(crate) fn library(&self) -> Repository {
        let location = Location {
            directory: self.path(""),
            ..Location::default()
        };
        Repository::open(&location).expect("a repository")
    }

    /// The library's own view of the state directory, with the key of this sandbox's user.
    pub(crate) fn state(&self) -> StateDir {
        let key = self.sandbox.path("home/.local/state/git-merkle");
        self.unsealed_state().sealed(Some(key))
    }

    /// The same without a key: enough for locks and for the marks of hooks.
    pub(crate) fn unsealed_state(&self) -> StateDir {
        StateDir::of(&self.library())
    }

    /// The names in the store, in git's order; none when there is no store.
    #[track_caller]
    pub(crate) fn frames(&self) -> Vec<String> {
        if self.git(&["rev-parse", "-q", "--verify", FRAMES_REF]).code == Some(1) {
            return Vec::new();
        }
        self.git(&["ls-tree", "-r", "--name-only", FRAMES_REF])
            .ok()
            .lines()
            .map(ToOwned::to_owned)
            .collect()
    }

    /// Puts files into the store's tree as a push by anyone might, or takes them out where there are no bytes.
    ///
    /// An entry of mode `160000` is a submodule at this repository's own `HEAD`.
    #[track_caller]
    pub(crate) fn rewrite_store(&self, changes: &[(&str, &str, Option<&[u8]>)]) {
        let index = self.sandbox.path("home/rewritten-index");
        let git = |arguments: &[&str], input: &[u8]| {
            let git = self.run("git").env("GIT_INDEX_FILE", &index);
            git.args(arguments).input(input).run().ok()
        };
        git(&["read-tree", FRAMES_REF], b"");
        let gone = "0".repeat(self.id(FRAMES_REF).len());
        let mut lines = Vec::new();
        for (mode, path, bytes) in changes {
            let line = match bytes {
                None => format!("0 {gone}\t{path}\0"),
                Some(_) if *mode == "160000" => format!("{mode} {}\t{path}\0", self.id("HEAD")),
                Some(bytes) => {
                    let blob = git(&["hash-object", "-w", "--stdin"], bytes);
                    format!("{mode} {}\t{path}\0", blob.trim())
                }
            };
            lines.extend(line.into_bytes());
        }
        git(&["update-index", "-z", "--index-info"], &lines);
        let tree = git(&["write-tree"], b"");
        std::fs::remove_file(&index).expect("git has written it");
        let commit = ["commit-tree", "-m", "push", "-p", FRAMES_REF, tree.trim()];
        let commit = self.git(&commit).ok();
        self.git(&["update-ref", FRAMES_REF, commit.trim()]).ok();
    }

    /// An exact copy of this repository with its work tree and state, as a restart after a power cut would find it.
    #[track_caller]
    pub(crate) fn copy_to(&self, name: &str) -> Repo<'s> {
        let directory = self.sandbox.path(name);
        self.run("cp")
            .arg("-a")
            .arg(&self.directory)
            .arg(&directory)
            .run()
            .ok();
        Repo::at(self.sandbox, directory)
    }

    /// Makes every object of every pack a loose one, for tests that lose one of them.
    pub(crate) fn unpack(&self) {
        let away = self.path(".git/unpacked");
        std::fs::rename(self.path(".git/objects/pack"), &away).expect("there are packs");
        for pack in std::fs::read_dir(&away)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.path())
        {
            if pack
                .extension()
                .is_some_and(|extension| extension == "pack")
            {
                let bytes = std::fs::read(pack).expect("a pack");
                self.run("git")
                    .args(["unpack-objects", "-q"])
                    .input(bytes)
                    .run()
                    .ok();
            }
        }
        std::fs::remove_dir_all(away).expect("removable");
    }

    /// What writers leave behind when they are killed, by path in the git directory: locks, marks, drafts, temporary
    /// and spooled files, and the anchor ref. Nothing after a writer that has ended by itself.
    #[track_caller]
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let found = self.run("find").args([".git", "-type", "f"]).run().ok();
        let files = found.lines().filter_map(|path| path.strip_prefix(".git/"));
        let mut left: Vec<String> = files
            .filter(|path| is_leftover(path))
            .map(ToOwned::to_owned)
            .collect();
        // An `index-pack` that dies while it makes its mark leaves an empty one, which says of nobody whose it is.
        left.retain(|path| {
            let is_mark = Path::new(path)
                .extension()
                .is_some_and(|extension| extension == "keep");
            !(is_mark
                && std::fs::metadata(self.path(".git").join(path))
                    .is_ok_and(|file| file.len() == 0))
        });
        left.sort();
        left
    }

    /// Demands that git finds no fault: strict fsck, an immediate gc, and a mirror that has every ref and is sound too.
    #[track_caller]
    pub(crate) fn assert_sound(&self) {
        self.git(&["fsck", "--strict", "--no-progress"]).ok();
        self.git(&["gc", "-q", "--prune=now"]).ok();
        let mirrors =
            tempfile::tempdir_in(self.sandbox.path("home")).expect("a folder for the mirror");
        let mirror = self.clone_to(
            mirrors
                .path()
                .join("mirror")
                .to_str()
                .expect("a UTF-8 path"),
            &["--mirror"],
        );
        mirror.git(&["fsck", "--strict", "--no-progress"]).ok();
        assert_eq!(mirror.refs(), self.refs(), "a mirror must have every ref");
    }

    fn refs(&self) -> String {
        self.git(&["for-each-ref", "--format=%(refname) %(objectname)"])
            .ok()
    }
}

fn is_leftover(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = [".keep", ".lock"].iter().any(|end| name.ends_with(end));
    let draft = path
        .strip_prefix("merkle/")
        .is_some_and(|path| path.starts_with("ref-") || path.starts_with("spool/"));
    ends || draft || name.starts_with("tmp_") || name.contains(".tmp-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: &str = r#"
        commit first
        + src/lib.rs = fn a() {}
        +x run.sh = exit 0
        @ link -> src/lib.rs
        + "odd\tname" = "no end"
        tag start
        branch topic
        commit on the topic
        > src/lib.rs -> src/core/lib.rs
        switch main
        commit second
        + src/b.rs
        | // two
        | // lines
        - run.sh
        merge topic
    "#;

    fn names(repo: &Repo<'_>, revision: &str) -> Vec<String> {
        let listing = repo.git(&["ls-tree", "-r", "-z", revision]).ok();
        let entries = listing
            .split_terminator('\0')
            .map(|entry| entry.split_once('\t').expect("git separates names so"));
        entries
            .map(|(about, name)| format!("{} {name}", &about[..6]))
            .collect()
    }

    #[test]
    fn a_fixture_becomes_the_history_it_describes() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("work");
        repo.fill(HISTORY);
        assert_eq!(
            names(&repo, "start"),
            [
                "120000 link",
                "100644 odd\tname",
                "100755 run.sh",
                "100644 src/lib.rs"
            ]
        );
        assert_eq!(
            names(&repo, "HEAD"),
            [
                "120000 link",
                "100644 odd\tname",
                "100644 src/b.rs",
                "100644 src/core/lib.rs"
            ]
        );
        assert_eq!(
            repo.git(&["show", "HEAD:src/b.rs"]).ok(),
            "// two\n// lines\n"
        );
        assert_eq!(
            repo.git(&["log", "--format=%s", "--first-parent"]).ok(),
            "merge topic\nsecond\nfirst\n"
        );
        assert_eq!(repo.git(&["status", "--porcelain"]).ok(), "");
        assert_eq!(
            std::fs::read_to_string(repo.path("odd\tname")).unwrap(),
            "no end"
        );
    }

    #[test]
    fn the_same_fixture_gives_the_same_ids_in_each_hash() {
        let id = |hash: &str| {
            let sandbox = Sandbox::new();
            let repo = if hash == "sha1" {
                sandbox.repo("work")
            } else {
                sandbox.sha256("work")
            };
            repo.fill(HISTORY);
            repo.id("HEAD")
        };
        for (hash, digits) in [("sha1", 40), ("sha256", 64)] {
            assert_eq!(id(hash), id(hash));
            assert_eq!(id(hash).len(), digits);
        }
    }

    #[test]
    fn git_finds_the_program_in_every_kind_of_repository() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("work");
        repo.fill(HISTORY);
        let bare = sandbox.bare("hub");
        repo.run("git")
            .args(["push", "-q"])
            .arg(bare.path(""))
            .arg("main")
            .run()
            .ok();
        for place in [
            &repo,
            &bare,
            &repo.worktree("linked", "start"),
            &repo.clone_to("shallow", &["--depth=1"]),
        ] {
            let (direct, through_git) = (
                place.merkle(&["--version"]).ok(),
                place.git(&["merkle", "--version"]).ok(),
            );
            assert_eq!(direct, through_git);
        }
        assert_eq!(repo.id("main"), bare.id("main"));
    }

    #[test]
    fn the_listing_of_a_store_is_its_names_in_order() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("work");
        assert_eq!(repo.frames(), [] as [&str; 0]);
        repo.fill("commit store\n+ bb/cc/two = 2\n+ aa/bb/one = 1");
        repo.git(&["update-ref", FRAMES_REF, "HEAD"]).ok();
        assert_eq!(repo.frames(), ["aa/bb/one", "bb/cc/two"]);
        repo.assert_sound();
    }

    #[test]
    #[should_panic(expected = "wanted exit code 0")]
    fn a_ref_to_a_tree_that_misses_a_blob_is_not_sound() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("work");
        let absent = "100644 blob 1111111111111111111111111111111111111111\tname\n";
        let tree = repo
            .run("git")
            .args(["mktree", "--missing"])
            .input(absent)
            .run()
            .ok();
        let commit = repo.git(&["commit-tree", "-m", "torn", tree.trim()]).ok();
        repo.git(&["update-ref", FRAMES_REF, commit.trim()]).ok();
        repo.assert_sound();
    }
}

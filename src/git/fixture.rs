//! Real repositories for tests, made with stock git in a temporary folder and a cleared environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::encoded::{Batch, Encoded};
use super::repo::{HashKind, Location, Repository};
use super::state::StateDir;
use crate::base::NodeId;

/// A temporary repository, deleted when dropped.
pub(super) struct Fixture {
    pub(super) folder: tempfile::TempDir,
    pub(super) root: PathBuf,
}

/// The state directory of a new repository, and the temporary folder that holds it.
pub(crate) fn state() -> (tempfile::TempDir, StateDir) {
    let fixture = Fixture::new();
    let state = StateDir::of(&fixture.open());
    (fixture.folder, state)
}

impl Fixture {
    /// An empty repository with SHA-1 ids.
    pub(super) fn new() -> Self {
        Self::init(&[])
    }

    /// An empty repository in each hash.
    pub(super) fn both() -> [Self; 2] {
        [Self::new(), Self::init(&["--object-format=sha256"])]
    }

    /// An empty repository made with options of `git init`.
    pub(super) fn init(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        std::fs::create_dir(&root).unwrap();
        let fixture = Self { folder, root };
        fixture.git(&[&["init", "-q", "-b", "main"], options].concat());
        fixture
    }

    /// Runs git in the repository; it must succeed. Returns its output without the last line feed.
    pub(super) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.root, arguments)
    }

    pub(super) fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let output = self.command(directory, arguments).output().unwrap();
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes)
                .trim_end_matches('\n')
                .to_owned()
        };
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "stock git makes the repository and is the oracle"
    )]
    pub(super) fn command(&self, directory: &Path, arguments: &[&str]) -> Command {
        // By its path: a bare name beside another search path makes the standard library fork the whole process.
        let mut command = Command::new(super::program::find("git").unwrap());
        command
            .current_dir(directory)
            .args(arguments)
            .stdin(Stdio::null())
            .env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path());
        let environment = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("LC_ALL", "C"),
            ("TZ", "UTC"),
        ];
        command.envs(environment);
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "A U Thor")
                .env(format!("GIT_{who}_EMAIL"), "author@example.com");
            command.env(format!("GIT_{who}_DATE"), "1795291985 +0000");
        }
        command
    }

    /// Writes a file in the work tree, with the directories above it.
    pub(super) fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Commits everything in the work tree and returns the commit.
    pub(super) fn commit(&self, message: &str) -> NodeId {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.id("HEAD")
    }

    /// What git says a revision is.
    pub(super) fn id(&self, revision: &str) -> NodeId {
        self.git(&["rev-parse", "--verify", "--end-of-options", revision])
            .parse()
            .unwrap()
    }

    /// Opens it.
    pub(super) fn open(&self) -> Repository {
        open_at(&self.root)
    }
}

/// Opens the repository that a directory is in.
pub(super) fn open_at(directory: &Path) -> Repository {
    Repository::open(&Location {
        directory: directory.to_owned(),
        ..Location::default()
    })
    .unwrap()
}

/// A batch of this many different blobs.
pub(super) fn blobs(hash: HashKind, count: usize) -> Batch {
    let mut batch = Batch::default();
    for number in 0..count {
        let text = format!("blob {number}\n").repeat(number % 50);
        batch.add(Encoded::new(
            hash,
            super::object::ObjectKind::Blob,
            format!("{number}{text}").as_bytes(),
        ));
    }
    batch
}

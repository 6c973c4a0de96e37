//! Whether the user has accepted what a repository brings along: agents, prompts, profiles, and settings of its own.
//!
//! A repository is judged by the content of its `.teddy` as a whole. The user's yes is remembered outside the
//! repository, with the hash of what they saw: one changed byte, and they are asked again. The folder is read once;
//! what was judged is what is used. What only the user may set is never taken from here, trusted or not: that is the
//! table in [`config::trust`](crate::config::trust).

use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::path::quote;
use crate::config::environment::TRUST_VARIABLE;
use crate::config::{Environment, Folder, locate};
use crate::git::{Lock, Repository, file};

/// The file's name in the state folder of the user.
const FILE_NAME: &str = "trusted";
/// Largest file that is read: some ten thousand repositories.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How long another process that writes it is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// What the user thinks of a repository's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// They have accepted just these.
    Trusted,
    /// They have not.
    Untrusted {
        /// What they would accept.
        digest: String,
    },
    /// There are none.
    NothingToTrust,
}

impl Trust {
    /// True when the repository's own files may be used.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        !matches!(self, Self::Untrusted { .. })
    }
}

/// Something of the repository was to be used that the user has not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this repository is not trusted, and {what} comes from its own files")]
pub struct TrustError {
    /// What, such as `agent 'docs'`.
    pub what: String,
    /// What would have to be accepted.
    pub digest: String,
}

/// The repository's own files and what the user thinks of them.
#[derive(Debug, Clone)]
pub struct JudgedFolder {
    /// The files.
    pub folder: Folder,
    /// Whether they are accepted.
    pub trust: Trust,
}

impl JudgedFolder {
    /// Reads a repository's `.teddy` and judges it: by memory, by `given` of the command line, by the environment.
    #[must_use]
    pub fn read(repository: &Repository, environment: &Environment, given: Option<&str>) -> Self {
        let path = repository.work_dir().map(locate::repository_folder);
        let folder = path
            .map(|path| Folder::of_repository(&path))
            .unwrap_or_default();
        if folder.files.is_empty() {
            return Self {
                folder,
                trust: Trust::NothingToTrust,
            };
        }
        let digest = folder.digest();
        let is_named = given == Some(digest.as_str())
            || environment.text(TRUST_VARIABLE) == Some(digest.as_str());
        let is_trusted = is_named
            || TrustMemory::of(repository, environment).is_some_and(|memory| memory.holds(&digest));
        let trust = if is_trusted {
            Trust::Trusted
        } else {
            Trust::Untrusted { digest }
        };
        Self { folder, trust }
    }

    /// What was left out of the folder; not the file of settings when another warning says so already.
    #[must_use]
    pub fn left_out(&self, settings_are_damaged: bool) -> Vec<String> {
        let settings = format!("'{}' ", self.folder.path_of("config.toml").display());
        let is_said = |warning: &&String| settings_are_damaged && warning.starts_with(&settings);
        self.folder
            .warnings
            .iter()
            .filter(|warning| !is_said(warning))
            .cloned()
            .collect()
    }
}

/// What the user has accepted of one repository: its line in the file that spans all of them.
///
/// A line is the hash, a tab, and the quoted path of the common git directory; damaged lines are ignored.
#[derive(Debug)]
pub struct TrustMemory {
    file: PathBuf,
    name: String,
}

impl TrustMemory {
    /// The memory of a repository; `None` without a home, where nothing can be remembered.
    #[must_use]
    pub fn of(repository: &Repository, environment: &Environment) -> Option<Self> {
        let file = locate::state_folder(environment)?.join(FILE_NAME);
        let common = repository.common_dir();
        let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
        Some(Self {
            file,
            name: quoted(&common),
        })
    }

    /// True when just this hash was accepted for the repository.
    #[must_use]
    pub fn holds(&self, digest: &str) -> bool {
        self.read()
            .lines()
            .filter_map(parse)
            .any(|(accepted, name)| accepted == digest && name == self.name)
    }

    /// Remembers a hash in the place of the one that was accepted before.
    pub fn accept(&self, digest: &str) -> io::Result<()> {
        self.replace(Some(digest)).map(drop)
    }

    /// Forgets what was accepted; false when nothing was.
    pub fn revoke(&self) -> io::Result<bool> {
        self.replace(None)
    }

    /// Puts a hash, or nothing, in the place of the repository's line; true when there was one.
    fn replace(&self, digest: Option<&str>) -> io::Result<bool> {
        if digest.is_none()
            && !self
                .read()
                .lines()
                .filter_map(parse)
                .any(|(_, name)| name == self.name)
        {
            return Ok(false);
        }
        let lock = Lock::acquire(&self.file.with_extension("lock"), WAIT)?;
        if lock.is_none() {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "another process is writing it",
            ));
        }
        let text = self.read();
        let (own, others): (Vec<_>, Vec<_>) = text
            .lines()
            .filter_map(parse)
            .partition(|(_, name)| *name == self.name);
        let line = digest.map(|digest| (digest, self.name.as_str()));
        let lines = others
            .into_iter()
            .chain(line)
            .map(|(digest, name)| format!("{digest}\t{name}\n"));
        let text: String = lines.collect();
        file::replace_durably(&self.file, |open| open.write_all(text.as_bytes()))?;
        Ok(!own.is_empty())
    }

    /// The file's text; one that cannot be read remembers nothing.
    fn read(&self) -> String {
        let is_small = fs::metadata(&self.file)
            .is_ok_and(|found| found.is_file() && found.len() <= FILE_BYTES_MAX);
        if is_small {
            String::from_utf8_lossy(&fs::read(&self.file).unwrap_or_default()).into_owned()
        } else {
            String::new()
        }
    }
}

/// A line's hash and path; `None` for a damaged one.
fn parse(line: &str) -> Option<(&str, &str)> {
    let (digest, name) = line.split_once('\t')?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_digest && name.starts_with('"') && name.len() > 2 && name.ends_with('"'))
        .then_some((digest, name))
}

/// A path in quotes, always, so that a line that was cut is not taken for another path.
fn quoted(path: &Path) -> String {
    let text = quote(path.as_os_str().as_bytes(), true);
    if text.starts_with('"') {
        text
    } else {
        format!("\"{text}\"")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn memory(folder: &Path, name: &str) -> TrustMemory {
        TrustMemory {
            file: folder.join("state/git-merkle/trusted"),
            name: quoted(Path::new(name)),
        }
    }

    #[test]
    fn one_hash_is_remembered_for_each_repository_and_can_be_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (
            memory(folder.path(), "/a/.git"),
            memory(folder.path(), "/a b/\u{e4}\n.git"),
        );
        let (first, second) = ("1".repeat(64), "2".repeat(64));
        assert!(!one.revoke().expect("nothing there") && !folder.path().join("state").exists());
        one.accept(&first).expect("writable");
        other.accept(&first).expect("writable");
        one.accept(&second).expect("writable");
        assert!(one.holds(&second) && !one.holds(&first) && other.holds(&first));
        assert!(one.revoke().expect("writable") && !one.holds(&second) && other.holds(&first));
        let mode = |path: &Path| path.metadata().expect("written").permissions().mode() & 0o777;
        assert_eq!(
            (mode(&one.file), mode(one.file.parent().expect("a folder"))),
            (0o600, 0o700)
        );
    }

    #[test]
    fn damaged_lines_trust_nothing_and_are_cleared_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = memory(folder.path(), "/a/.git");
        let digest = "a".repeat(64);
        fs::create_dir_all(one.file.parent().expect("a folder")).expect("writable");
        for line in [
            "",
            &digest,
            &format!("{digest} \"/a/.git\""),
            &format!("{digest}\t/a/.git"),
            &format!("{}\t\"/a/.git\"", "a"),
        ] {
            fs::write(&one.file, format!("{line}\n\u{0}\n")).expect("writable");
            assert!(
                !one.holds(&digest) && !one.holds("a") && !one.holds(""),
                "{line}"
            );
        }
        fs::write(
            &one.file,
            [
                b"\xff\n".as_slice(),
                format!("{digest}\t\"/b/.git\"\n").as_bytes(),
            ]
            .concat(),
        )
        .expect("writable");
        one.accept(&digest).expect("writable");
        assert_eq!(
            one.read(),
            format!("{digest}\t\"/b/.git\"\n{digest}\t\"/a/.git\"\n")
        );
    }
}

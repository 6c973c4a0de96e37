//! The seal of a user: what is written under it in a repository's state directory was written by this user, there.
//!
//! A git directory may come from another person, with caches in it that lie: a page that was never fetched, a list of
//! files without secrets, an outline of other words. So caches hold digests under a key that no repository has. The key
//! is made from 32 random bytes in `key`, in the program's own folder outside of all repositories (mode 0600), and from
//! the canonical path of the git directory: what one repository has sealed is nothing in another, or after a move.
//! Where that file cannot be kept, the key lives as long as the process.

use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::file;
use super::lock::Lock;
use crate::base::{Digest, FieldHasher, HashKey};

const FILE_NAME: &str = "key";
const CONTEXT: &str = "git-merkle 2026 seal/1";
/// How long another process that makes the file is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// The key of a user for a repository; found when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Seal {
    /// The folder of the user's key, and the git directory.
    place: Option<(PathBuf, PathBuf)>,
    key: OnceLock<HashKey>,
}

impl Seal {
    /// The seal for a git directory with the key that is kept in a folder.
    pub(super) fn kept_in(folder: PathBuf, git_dir: PathBuf) -> Self {
        Self {
            place: Some((folder, git_dir)),
            key: OnceLock::new(),
        }
    }

    pub(super) fn key(&self) -> HashKey {
        *self.key.get_or_init(|| {
            let kept = self.place.as_ref().and_then(|(folder, git_dir)| {
                let git_dir = git_dir.canonicalize().unwrap_or_else(|_| git_dir.clone());
                Some(kept(folder)?.derive(CONTEXT, git_dir.as_os_str().as_bytes()))
            });
            kept.unwrap_or_else(process_key)
        })
    }
}

/// The key of this process alone, for all its state directories.
fn process_key() -> HashKey {
    static KEY: OnceLock<HashKey> = OnceLock::new();
    *KEY.get_or_init(|| HashKey::new(random().0))
}

/// The key in a folder; made where there is none. `None` where that cannot be done.
fn kept(folder: &Path) -> Option<HashKey> {
    let path = folder.join(FILE_NAME);
    if let Some(key) = read(&path) {
        return Some(key);
    }
    let _lock = Lock::acquire(&folder.join("key.lock"), WAIT).ok()??;
    // Another process may have made it meanwhile.
    read(&path).or_else(|| {
        let made = random();
        file::replace_durably(&path, |open| writeln!(open, "{made}")).ok()?;
        Some(HashKey::new(made.0))
    })
}

fn read(path: &Path) -> Option<HashKey> {
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(100)
        .read_to_string(&mut text)
        .ok()?;
    Digest::from_hex(text.strip_suffix('\n')?).map(|key| HashKey::new(key.0))
}

/// Random bytes: from the system's source, and from what the standard library has drawn from it.
fn random() -> Digest {
    let mut bytes = [0; 32];
    let drawn: io::Result<()> =
        File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    // Without that source, as in a bare chroot, the second one alone has 128 random bits.
    drop(drawn);
    let own = RandomState::new();
    let own: Vec<u8> = (0..4_u64)
        .flat_map(|number| own.hash_one(number).to_le_bytes())
        .collect();
    FieldHasher::new("git-merkle 2026 random/1")
        .field(&bytes)
        .field(&own)
        .finish()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn digest(folder: &Path, git_dir: &Path) -> Digest {
        Seal::kept_in(folder.to_owned(), git_dir.to_owned())
            .key()
            .digest(b"x")
    }

    #[test]
    fn a_key_is_of_one_user_and_one_repository() {
        let place = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| place.path().join(name));
        let [a, b] = ["a", "b"].map(Path::new);
        let sealed = digest(&one, a);
        assert_eq!(digest(&one, a), sealed, "the key is kept");
        assert_ne!(digest(&one, b), sealed, "bound to the repository");
        assert_ne!(digest(&two, a), sealed, "bound to the user");
        let mode = one.join(FILE_NAME).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(one.join(FILE_NAME), "damaged").unwrap();
        assert_ne!(digest(&one, a), sealed, "a damaged key is made anew");
        assert_ne!(Seal::default().key().digest(b"x"), sealed);
        assert_eq!(
            Seal::default().key().digest(b"x"),
            Seal::default().key().digest(b"x"),
            "one key for a process"
        );
    }
}

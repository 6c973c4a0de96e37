//! Signatures by `ssh-keygen`, with the settings that git signs with: the only place that starts it.
//!
//! | setting of git | what for |
//! |---|---|
//! | `gpg.ssh.program` | the program, `ssh-keygen` unless set |
//! | `user.signingKey`, else `gpg.ssh.defaultKeyCommand` | the key: a file, or `key::` and its text where an agent has it |
//! | `gpg.ssh.allowedSignersFile`, `gpg.ssh.revocationFile` | whose signatures count |
//!
//! All of them are read from the user's own configuration, never from that of a repository, and a relative path is refused: it
//! would lead into the repository. What is signed here counts in [`NAMESPACE`] alone: no signature of a commit fits it.
//! Children run in a folder of their own outside of the repository.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};

use super::child::{exchange_by, without_keys};
use super::program;
use super::remote::Prompt;
use super::repo::Repository;
use super::variable::variable;
use crate::base::{Digest, FieldHasher, clock, hash};

/// What signatures of this program are for, as `ssh-keygen -n` has it.
pub const NAMESPACE: &str = "git-merkle";
/// Largest signature in bytes; the largest keys make some kilobytes.
pub const SIGNATURE_BYTES_MAX: usize = 64 * 1024;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";
const END: &str = "-----END SSH SIGNATURE-----\n";
/// What a signature's bytes begin with: the magic word, and the version as a number of four bytes.
const MAGIC: &[u8] = b"SSHSIG\0\0\0\x01";
/// Largest file of allowed signers, or of revoked keys, in bytes.
const SIGNERS_BYTES_MAX: u64 = 4 << 20;
/// How long a child of a background process may take.
const SILENT_PATIENCE: Duration = Duration::from_secs(20);
/// How long one may take that checks a signature.
const VERIFY_PATIENCE: Duration = Duration::from_secs(20);

/// Why something was not signed, or cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// Another format than SSH is set, and no key for this program.
    #[error("statements are signed with SSH keys, and 'gpg.format' is '{0}'")]
    Format(String),
    /// No key is set.
    #[error("no key to sign with: 'user.signingKey' is not set")]
    NoKey,
    /// A path of the user's configuration would lead into the repository.
    #[error(
        "'{key}' must be an absolute path, or begin with '~/': '{path}' would lead into the repository"
    )]
    Relative {
        /// The setting.
        key: &'static str,
        /// What it says.
        path: String,
    },
    /// No file says whose signatures count.
    #[error("no signature can be checked: 'gpg.ssh.allowedSignersFile' is not set")]
    NoSigners,
    /// A file of the user's configuration cannot be read.
    #[error("cannot read '{}', which '{key}' names", path.display())]
    File {
        /// The setting.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The program is not there, or it could not be talked to.
    #[error("cannot run '{program}'")]
    Start {
        /// Its name.
        program: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It ran and did not sign.
    #[error("'{program}' failed: {message}")]
    Failed {
        /// Its name.
        program: String,
        /// The last line that it wrote.
        message: String,
    },
}

/// What came of checking a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// It is of an allowed signer, by this name in the file of signers.
    Good(String),
    /// It may be in order, but its key may not sign this: no allowed signer has it, or not for this; the key's fingerprint.
    NotAllowed(String),
    /// It is not the signature of this text.
    Wrong,
}

enum SigningKey {
    File(PathBuf),
    /// A public key, whose private one an agent has.
    Literal(String),
}

/// Signs as git would.
pub struct Signer {
    program: Program,
    key: SigningKey,
}

impl Signer {
    /// What the user's own configuration says; `own_key` goes before git's key, and then git's format does not matter.
    pub fn of(repo: &Repository, own_key: Option<&str>) -> Result<Self, SshError> {
        let format = repo
            .protected_string("gpg.format")
            .unwrap_or_else(|| "openpgp".to_owned());
        let program = Program::of(repo);
        let spelled = match own_key {
            Some(key) => key.to_owned(),
            None if format != "ssh" => return Err(SshError::Format(format)),
            None => match repo
                .protected_string("user.signingkey")
                .filter(|key| !key.is_empty())
            {
                Some(key) => key,
                None => default_key(repo)?,
            },
        };
        let literal = spelled
            .strip_prefix("key::")
            .or_else(|| spelled.starts_with("ssh-").then_some(spelled.as_str()));
        let key = match literal {
            Some(literal) => SigningKey::Literal(literal.to_owned()),
            None => SigningKey::File(absolute("user.signingKey", &spelled)?),
        };
        Ok(Self { program, key })
    }

    /// The signature of a text, with the lines around it. Without a prompt the program is ended when it takes long.
    pub fn sign(&self, text: &[u8], prompt: Prompt) -> Result<String, SshError> {
        let scratch = Scratch::new().map_err(|source| self.program.start_error(source))?;
        let failed = |source| self.program.start_error(source);
        let file = scratch.write("manifest", text).map_err(failed)?;
        let key_file = match &self.key {
            SigningKey::File(path) => path.clone(),
            SigningKey::Literal(key) => scratch
                .write("key.pub", format!("{key}\n").as_bytes())
                .map_err(failed)?,
        };
        let mut command = self.program.command(&scratch)?;
        command
            .args(["-Y", "sign", "-n", NAMESPACE, "-f"])
            .arg(key_file);
        if matches!(self.key, SigningKey::Literal(_)) {
            command.arg("-U");
        }
        command.arg(&file);
        let deadline = if prompt == Prompt::Allowed {
            // As git does it, the program may ask for a passphrase on the terminal.
            command.stdin(Stdio::inherit());
            None
        } else {
            // 'force' makes it ask a program, and that one is not there: nothing opens a window or the terminal.
            command
                .env("SSH_ASKPASS", scratch.0.join("none"))
                .env("SSH_ASKPASS_REQUIRE", "force")
                .stdin(Stdio::null());
            Some(Instant::now() + SILENT_PATIENCE)
        };
        let output = self.program.run(command, b"", deadline)?;
        let signature = fs::read_to_string(scratch.0.join("manifest.sig")).unwrap_or_default();
        let is_signed = output.status.success() && is_signature(&signature);
        if is_signed {
            Ok(signature)
        } else {
            Err(self.program.failure(&output))
        }
    }
}

/// True for what stands below what was signed: the lines of a signature and nothing else.
#[must_use]
pub fn is_signature(text: &str) -> bool {
    text.len() <= SIGNATURE_BYTES_MAX && public_key(text).is_some()
}

/// The public key that a signature says it was made with.
fn public_key(signature: &str) -> Option<Vec<u8>> {
    let body: String = signature
        .strip_prefix(BEGIN)?
        .strip_suffix(END)?
        .split('\n')
        .collect();
    let bytes = BASE64_STANDARD.decode(body).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let key = rest.get(..u32::from_be_bytes(*length) as usize)?;
    (!key.is_empty()).then(|| key.to_vec())
}

/// Whose signatures count, as the user's files said when they were read.
pub struct Signers {
    program: Program,
    allowed: Vec<u8>,
    revoked: Option<Vec<u8>>,
}

impl Signers {
    /// Reads them; none where the user's configuration names no file.
    pub fn of(repo: &Repository) -> Result<Option<Self>, SshError> {
        let file = |key: &'static str| {
            let Some(path) = repo
                .protected_string(&key.to_ascii_lowercase())
                .filter(|path| !path.is_empty())
            else {
                return Ok(None);
            };
            let path = absolute(key, &path)?;
            let mut bytes = Vec::new();
            let read = File::open(&path)
                .and_then(|file| file.take(SIGNERS_BYTES_MAX + 1).read_to_end(&mut bytes));
            match read {
                Ok(count) if count as u64 > SIGNERS_BYTES_MAX => Err(SshError::File {
                    key,
                    path,
                    source: io::ErrorKind::FileTooLarge.into(),
                }),
                Ok(_) => Ok(Some(bytes)),
                Err(source) => Err(SshError::File { key, path, source }),
            }
        };
        let Some(allowed) = file("gpg.ssh.allowedSignersFile")? else {
            return Ok(None);
        };
        Ok(Some(Self {
            program: Program::of(repo),
            allowed,
            revoked: file("gpg.ssh.revocationFile")?,
        }))
    }

    /// A digest of all that decides what counts, but for the text and the signature.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let hasher = FieldHasher::new("git-merkle 2026 signers/1").field(&self.allowed);
        let hasher = hasher
            .field(self.revoked.as_deref().unwrap_or_default())
            .field(&[u8::from(self.revoked.is_some())]);
        hasher.field(self.program.0.as_encoded_bytes()).finish()
    }

    /// The fingerprint of a signature's key, where that stands nowhere among the allowed ones.
    #[must_use]
    pub fn stranger(&self, signature: &str) -> Option<String> {
        let key = public_key(signature)?;
        let holds = |word: &str| has_word(&self.allowed, word.as_bytes());
        // A certificate is not listed itself: the authority that has signed it is.
        let is_listed = holds(&BASE64_STANDARD.encode(&key)) || holds("cert-authority");
        (!is_listed).then(|| fingerprint(&key))
    }

    /// Checks the signature of a text that says when it was signed, in seconds since 1970: keys are valid for a time.
    ///
    /// A key that stands nowhere among the allowed ones costs no child, so that a remote cannot make this expensive with keys
    /// of its own; one that does costs two.
    pub fn check(&self, text: &[u8], signature: &str, seconds: u64) -> Result<Checked, SshError> {
        let Some(key) = public_key(signature) else {
            return Ok(Checked::Wrong);
        };
        if let Some(stranger) = self.stranger(signature) {
            return Ok(Checked::NotAllowed(stranger));
        }
        let scratch = Scratch::new().map_err(|source| self.program.start_error(source))?;
        let failed = |source| self.program.start_error(source);
        let allowed = scratch.write("allowed", &self.allowed).map_err(failed)?;
        let signature = scratch
            .write("signature", signature.as_bytes())
            .map_err(failed)?;
        let time = format!("-Overify-time={}", compact_utc(seconds));
        let mut command = self.program.command(&scratch)?;
        command
            .args(["-Y", "find-principals", "-f"])
            .arg(&allowed)
            .arg("-s")
            .arg(&signature)
            .arg(&time);
        let found = self.run(command, b"")?;
        let principals = String::from_utf8_lossy(&found.stdout).into_owned();
        if !found.status.success() || principals.trim().is_empty() {
            return Ok(Checked::NotAllowed(fingerprint(&key)));
        }
        let revoked = self
            .revoked
            .as_ref()
            .map(|bytes| scratch.write("revoked", bytes))
            .transpose()
            .map_err(failed)?;
        for principal in principals.lines().filter(|line| !line.is_empty()) {
            let mut command = self.program.command(&scratch)?;
            command
                .args(["-Y", "verify", "-n", NAMESPACE, "-f"])
                .arg(&allowed)
                .arg("-I")
                .arg(principal);
            command.arg("-s").arg(&signature).arg(&time);
            if let Some(revoked) = &revoked {
                command.arg("-r").arg(revoked);
            }
            let output = self.run(command, text)?;
            if output.status.success() && output.stdout.starts_with(b"Good") {
                return Ok(Checked::Good(principal.to_owned()));
            }
        }
        // It may be in order, and the file of signers keeps its key from this namespace, or it was revoked.
        let mut command = self.program.command(&scratch)?;
        command
            .args(["-Y", "check-novalidate", "-n", NAMESPACE, "-s"])
            .arg(&signature);
        let is_in_order = self.run(command, text)?.status.success();
        Ok(if is_in_order {
            Checked::NotAllowed(fingerprint(&key))
        } else {
            Checked::Wrong
        })
    }

    fn run(&self, command: Command, input: &[u8]) -> Result<Output, SshError> {
        let output = self
            .program
            .run(command, input, Some(Instant::now() + VERIFY_PATIENCE))?;
        // A program that was ended, or that does not know an option, has judged nothing.
        let is_too_old = !output.status.success()
            && String::from_utf8_lossy(&output.stderr)
                .lines()
                .any(|line| line.starts_with("usage:"));
        if output.status.code().is_none() || is_too_old {
            Err(self.program.failure(&output))
        } else {
            Ok(output)
        }
    }
}

fn fingerprint(key: &[u8]) -> String {
    format!(
        "SHA256:{}",
        BASE64_STANDARD_NO_PAD.encode(hash::sha256(key).0)
    )
}

/// True where bytes hold a word, letters of either case.
fn has_word(bytes: &[u8], word: &[u8]) -> bool {
    bytes
        .windows(word.len())
        .any(|at| at.eq_ignore_ascii_case(word))
}

/// `gpg.ssh.program`.
struct Program(OsString);

impl Program {
    fn of(repo: &Repository) -> Self {
        let named = repo
            .protected_string("gpg.ssh.program")
            .filter(|name| !name.is_empty());
        Self(named.map_or_else(
            || "ssh-keygen".into(),
            |name| home(&name).map_or_else(|| name.into(), PathBuf::into_os_string),
        ))
    }

    fn command(&self, scratch: &Scratch) -> Result<Command, SshError> {
        let mut command = program::other(&self.0).map_err(|source| self.start_error(source))?;
        without_keys(&mut command);
        // Times in the file of signers are in UTC, like those that are given.
        command
            .current_dir(&scratch.0)
            .env("LC_ALL", "C")
            .env("TZ", "UTC");
        Ok(command)
    }

    fn run(
        &self,
        mut command: Command,
        input: &[u8],
        deadline: Option<Instant>,
    ) -> Result<Output, SshError> {
        if !input.is_empty() {
            command.stdin(Stdio::piped());
        }
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        child
            .and_then(|child| exchange_by(child, input, deadline))
            .map_err(|source| self.start_error(source))
    }

    fn start_error(&self, source: io::Error) -> SshError {
        SshError::Start {
            program: self.0.to_string_lossy().into_owned(),
            source,
        }
    }

    fn failure(&self, output: &Output) -> SshError {
        let told = String::from_utf8_lossy(&output.stderr);
        let message = told
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or("no message")
            .trim()
            .to_owned();
        SshError::Failed {
            program: self.0.to_string_lossy().into_owned(),
            message,
        }
    }
}

/// The first key that the user's `gpg.ssh.defaultKeyCommand` prints.
fn default_key(repo: &Repository) -> Result<String, SshError> {
    let line = repo
        .protected_string("gpg.ssh.defaultkeycommand")
        .unwrap_or_default();
    let mut words = words(&line).into_iter();
    let name = words.next().ok_or(SshError::NoKey)?;
    let program = Program(home(&name).map_or_else(|| name.into(), PathBuf::into_os_string));
    let scratch = Scratch::new().map_err(|source| program.start_error(source))?;
    let mut command = program.command(&scratch)?;
    command.args(words).stdin(Stdio::null());
    let output = program.run(command, b"", Some(Instant::now() + SILENT_PATIENCE))?;
    let told = String::from_utf8_lossy(&output.stdout);
    let key = told
        .lines()
        .next()
        .filter(|key| key.starts_with("key::") || key.starts_with("ssh-"));
    key.filter(|_| output.status.success())
        .map(str::to_owned)
        .ok_or_else(|| program.failure(&output))
}

/// Splits a command line as git does without a shell: at blanks, but for what is quoted.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (' ' | '\t' | '\n', None) => words.extend(word.take()),
            (_, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

fn absolute(key: &'static str, path: &str) -> Result<PathBuf, SshError> {
    let found = home(path).unwrap_or_else(|| path.into());
    if found.is_absolute() {
        Ok(found)
    } else {
        Err(SshError::Relative {
            key,
            path: path.to_owned(),
        })
    }
}

/// A path that begins in the user's home.
fn home(path: &str) -> Option<PathBuf> {
    let rest = path.strip_prefix("~/")?;
    variable("HOME").map(|home| Path::new(&home).join(rest))
}

/// A time as `ssh-keygen` takes it: `YYYYMMDDHHMMSS`.
fn compact_utc(seconds: u64) -> String {
    clock::render_utc(seconds)
        .chars()
        .filter(char::is_ascii_digit)
        .collect()
}

/// A folder of this process alone, gone when dropped. What stands in it is public.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        for _ in 0..100 {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = format!(
                "git-merkle-{}-{number}-{:x}",
                std::process::id(),
                clock::random_part().to_bits()
            );
            let path = std::env::temp_dir().join(name);
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(path)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        fs::write(&path, bytes).map(|()| path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_as_git_does_without_a_shell() {
        for (line, expected) in [
            ("", &[][..]),
            ("  ssh-add -L ", &["ssh-add", "-L"]),
            (
                "a 'b c' \"d \\\" e\" f\\ g ''",
                &["a", "b c", "d \" e", "f g", ""],
            ),
            ("a;b $(c)", &["a;b", "$(c)"]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_signature_is_told_without_a_child() {
        for bad in [
            "",
            BEGIN,
            &format!("{BEGIN}{END}"),
            &format!("{BEGIN}U1NIU0lH\n{END}"),
            &format!("{BEGIN}!\n{END}"),
        ] {
            assert!(!is_signature(bad), "{bad:?}");
        }
        let text = [MAGIC, &[0, 0, 0, 2, 7, 8, 9]].concat();
        assert_eq!(
            public_key(&format!("{BEGIN}{}\n{END}", BASE64_STANDARD.encode(text))),
            Some(vec![7, 8])
        );
        // A key of no bytes would be found in every file of signers: red before, the search for it panicked.
        for bad in [[255, 0, 0, 2, 7, 8, 9], [0, 0, 0, 0, 7, 8, 9]] {
            let text = [MAGIC, &bad].concat();
            assert_eq!(
                public_key(&format!("{BEGIN}{}\n{END}", BASE64_STANDARD.encode(text))),
                None
            );
        }
    }

    #[test]
    fn times_are_as_ssh_keygen_takes_them() {
        assert_eq!(compact_utc(1_800_000_000), "20270115080000");
    }
}

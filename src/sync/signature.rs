//! What a signature says about a statement, and the check: only where a command shows or checks it, and once for each manifest.
//!
//! | the store has | and the statement is |
//! |---|---|
//! | a manifest of an allowed signer, with the digest of the statement's bytes | signed by them |
//! | such a manifest, with another digest for this frame and generation | bad: changed since they signed it |
//! | a manifest with that digest, and no allowed signer's key | bad: of a signer who is not allowed |
//! | a manifest with that digest, whose signature is another text's | bad: the signature is broken |
//! | no manifest | unsigned |
//!
//! The first line that fits counts, so that a manifest of a stranger takes nothing from a good one. What was found out about a
//! manifest is kept in a sealed file of the cache, with a digest of the files that say whose signatures count.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Write as _};

use super::error::SyncError;
use crate::base::printable::one_line;
use crate::base::{Digest, NodeId};
use crate::frame::entry::ManifestEntry;
use crate::frame::manifest::{Manifest, StatementKey, digest_of};
use crate::frame::{Frame, StoreError, signed};
use crate::git::{Checked, Repository, Signers, SshError, StateDir};

const FILE_NAME: &str = "signatures";
const FIRST_LINE: &str = "git-merkle signatures 1 ";
const FILE_BYTES_MAX: u64 = 32 << 20;
/// Most signatures that one command checks with a child; the others are checked by the next one.
const CHECKS_MAX: usize = 10_000;
/// Most manifests of one statement that are checked.
const NAMINGS_MAX: usize = 64;

/// What a signature says about a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signature {
    /// An allowed signer has signed it, by this name in the file of signers.
    Good(String),
    /// None that is known.
    Unsigned,
    /// An allowed signer has signed other bytes under this name.
    Changed(String),
    /// It is signed with a key that is not allowed; the key's fingerprint.
    NotAllowed(String),
    /// The signature is not that of the list.
    Broken,
    /// Too many signatures had to be checked before.
    Unchecked,
}

impl Signature {
    /// One word: `good`, `unsigned`, `bad` or `unchecked`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Good(_) => "good",
            Self::Unsigned => "unsigned",
            Self::Changed(_) | Self::NotAllowed(_) | Self::Broken => "bad",
            Self::Unchecked => "unchecked",
        }
    }

    /// The signer, where one is allowed.
    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        match self {
            Self::Good(signer) | Self::Changed(signer) => Some(signer),
            _ => None,
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Good(signer) => write!(f, "signed by {signer}"),
            Self::Unsigned => f.write_str("unsigned"),
            Self::Changed(signer) => write!(f, "bad signature: changed since {signer} signed it"),
            Self::NotAllowed(key) => write!(f, "bad signature: the key {key} is not allowed"),
            Self::Broken => f.write_str("bad signature: it is not the signature of this list"),
            Self::Unchecked => f.write_str("signature not checked: too many at once"),
        }
    }
}

/// A statement to be judged: its key, and the digest of its bytes.
pub type Claim = (StatementKey, Digest);

/// Answers questions about signatures.
pub struct Signatures<'a> {
    repo: &'a Repository,
    state: &'a StateDir,
    signers: Signers,
}

impl<'a> Signatures<'a> {
    /// With the signers of the user's own configuration; none where that names no file of them.
    pub fn of(repo: &'a Repository, state: &'a StateDir) -> Result<Option<Self>, SshError> {
        Ok(Signers::of(repo)?.map(|signers| Self {
            repo,
            state,
            signers,
        }))
    }

    /// A digest of the files that say whose signatures count.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.signers.digest()
    }

    /// What the manifests of some stores' trees say about each claim.
    pub fn judge(
        &self,
        trees: &[Option<NodeId>],
        claims: &[Claim],
    ) -> Result<Vec<Signature>, SyncError> {
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let mut checks = self.checks();
        let wanted = claims.iter().map(|(key, _)| *key).collect();
        let manifests = self.manifests(&checks, trees, Some(&wanted))?;
        let judged = claims
            .iter()
            .map(|claim| self.judge_one(&mut checks, &manifests, claim))
            .collect();
        checks.memory.save(self.state);
        judged
    }

    /// The manifests that allowed signers have signed.
    pub fn good(&self, entries: &[ManifestEntry]) -> Result<Vec<ManifestEntry>, SyncError> {
        let mut checks = self.checks();
        let mut good = Vec::new();
        for entry in entries {
            if matches!(self.check(&mut checks, entry)?, Some(Checked::Good(_))) {
                good.push(*entry);
            }
        }
        checks.memory.save(self.state);
        Ok(good)
    }

    fn checks(&self) -> Checks {
        Checks {
            memory: Memory::load(self.state, self.signers.digest()),
            left: CHECKS_MAX,
        }
    }

    /// The manifests that name some statements, or any.
    fn manifests(
        &self,
        checks: &Checks,
        trees: &[Option<NodeId>],
        wanted: Option<&HashSet<StatementKey>>,
    ) -> Result<Named, StoreError> {
        let is_wanted = |key: &StatementKey| wanted.is_none_or(|wanted| wanted.contains(key));
        let (mut named, mut seen) = (Named::new(), HashSet::new());
        for tree in trees {
            for entry in signed::list(self.repo, *tree)? {
                if !seen.insert(entry.digest) {
                    continue;
                }
                // A bad entry says nothing; listing the store names it.
                let Ok(manifest) = entry.read(self.repo) else {
                    continue;
                };
                let mut lines = manifest
                    .lines
                    .iter()
                    .filter(|(key, _)| is_wanted(key))
                    .peekable();
                if lines.peek().is_none() {
                    continue;
                }
                // A remote can send many lists of many lines: what is found out of a list is found out once.
                let may_count = !matches!(
                    self.known(checks, &entry, &manifest),
                    Some(Checked::NotAllowed(_) | Checked::Wrong)
                );
                for (key, digest) in lines {
                    keep(
                        named.entry(*key).or_default(),
                        Naming {
                            entry,
                            digest: *digest,
                            may_count,
                        },
                    );
                }
            }
        }
        Ok(named)
    }

    fn judge_one(
        &self,
        checks: &mut Checks,
        named: &Named,
        claim: &Claim,
    ) -> Result<Signature, SyncError> {
        let (mut changed, mut worse) = (None, Signature::Unsigned);
        for Naming { entry, digest, .. } in named.get(&claim.0).map_or(&[][..], Vec::as_slice) {
            match (self.check(checks, entry)?, *digest == claim.1) {
                (Some(Checked::Good(signer)), true) => return Ok(Signature::Good(signer)),
                (Some(Checked::Good(signer)), false) => changed = Some(Signature::Changed(signer)),
                (Some(Checked::NotAllowed(key)), true) => worse = Signature::NotAllowed(key),
                (Some(Checked::Wrong), true) => worse = Signature::Broken,
                (None, _) => worse = Signature::Unchecked,
                (_, false) => {}
            }
        }
        Ok(changed.unwrap_or(worse))
    }

    /// Whether a manifest's signature is good; none when too many were checked.
    fn check(
        &self,
        checks: &mut Checks,
        entry: &ManifestEntry,
    ) -> Result<Option<Checked>, SyncError> {
        if let Some(known) = checks.memory.checked.get(&entry.digest) {
            return Ok(Some(known.clone()));
        }
        let Ok(manifest) = entry.read(self.repo) else {
            return Ok(Some(Checked::Wrong));
        };
        if let Some(known) = self.known(checks, entry, &manifest) {
            return Ok(Some(known));
        }
        let Some(left) = checks.left.checked_sub(1) else {
            return Ok(None);
        };
        checks.left = left;
        let found = self.signers.check(
            manifest.text().as_bytes(),
            &manifest.signature,
            manifest.seconds,
        )?;
        checks.memory.checked.insert(entry.digest, found.clone());
        checks.memory.is_changed = true;
        Ok(Some(found))
    }

    /// The same without a child, where that is enough.
    fn known(
        &self,
        checks: &Checks,
        entry: &ManifestEntry,
        manifest: &Manifest,
    ) -> Option<Checked> {
        let known = checks.memory.checked.get(&entry.digest).cloned();
        known.or_else(|| {
            self.signers
                .stranger(&manifest.signature)
                .map(Checked::NotAllowed)
        })
    }
}

/// What signatures say about the statements of one store, asked for one by one: its manifests are read for the first of them.
pub struct Attested<'a> {
    signatures: Option<Signatures<'a>>,
    /// True where the settings about signers are of no use, so that nothing can be checked.
    is_refused: bool,
    tree: Option<NodeId>,
    read: RefCell<Option<(Checks, Named)>>,
}

impl<'a> Attested<'a> {
    /// For the store with this tree; without signers nothing is looked at and nothing is known.
    #[must_use]
    pub fn new(signatures: Option<Signatures<'a>>, tree: Option<NodeId>) -> Self {
        Self {
            signatures,
            is_refused: false,
            tree,
            read: RefCell::default(),
        }
    }

    /// Where the settings about signers are of no use: no statement has a good signature.
    #[must_use]
    pub fn refused() -> Self {
        let mut refused = Self::new(None, None);
        refused.is_refused = true;
        refused
    }

    /// A digest of the files that say whose signatures count; `None` where there are none.
    #[must_use]
    pub fn signers(&self) -> Option<Digest> {
        self.signatures.as_ref().map(Signatures::digest)
    }

    /// False where nothing is looked at, since the user names no signers.
    #[must_use]
    pub fn may_say(&self) -> bool {
        self.signatures.is_some() || self.is_refused
    }

    /// What the signatures of a statement say; nothing of one that any clone can make.
    pub fn signature(&self, frame: &Frame) -> Result<Option<Signature>, SyncError> {
        let signatures = self.signatures.as_ref().filter(|_| !frame.is_derived());
        let (Some(signatures), Some(digest)) = (signatures, digest_of(frame)) else {
            return Ok(None);
        };
        let mut read = self.read.borrow_mut();
        if read.is_none() {
            let checks = signatures.checks();
            let named = signatures.manifests(&checks, &[self.tree], None)?;
            *read = Some((checks, named));
        }
        let (checks, named) = read.as_mut().expect("set above");
        signatures
            .judge_one(checks, named, &(StatementKey::of(frame), digest))
            .map(Some)
    }

    /// The same in words; a statement whose signature cannot be checked has no good one.
    #[must_use]
    pub fn words(&self, frame: &Frame) -> Option<String> {
        match self.signature(frame) {
            Ok(None) if !self.is_refused || frame.is_derived() => None,
            Ok(Some(signature)) => Some(one_line(&signature.to_string())),
            Ok(None) | Err(_) => Some("signature not checked".to_owned()),
        }
    }

    /// Who says something, with what the signatures say.
    #[must_use]
    pub fn speaker(&self, frame: &Frame) -> String {
        frame.attested_speaker(self.words(frame).as_deref())
    }
}

impl Drop for Attested<'_> {
    fn drop(&mut self) {
        if let (Some(signatures), Some((checks, _))) = (&self.signatures, self.read.get_mut()) {
            checks.memory.save(signatures.state);
        }
    }
}

/// A manifest that names a statement.
#[derive(Debug, Clone, Copy)]
struct Naming {
    entry: ManifestEntry,
    /// The digest that it gives for the statement.
    digest: Digest,
    /// False where it is known without a check that no allowed signer has signed it.
    may_count: bool,
}

/// The manifests that name each wanted statement: those that may count, or else one that does not.
type Named = HashMap<StatementKey, Vec<Naming>>;

/// What was found out about signatures, and how much more may be.
struct Checks {
    memory: Memory,
    /// How many more checks may start a child.
    left: usize,
}

/// Keeps a manifest that names a statement. One that does not count fills no room that a good one needs.
fn keep(namings: &mut Vec<Naming>, new: Naming) {
    match namings.first() {
        None => namings.push(new),
        Some(first) if new.may_count && !first.may_count => namings[0] = new,
        Some(_) if new.may_count && namings.len() < NAMINGS_MAX => namings.push(new),
        Some(_) => {}
    }
}

/// What was found out about manifests, given whose signatures count.
struct Memory {
    signers: Digest,
    checked: BTreeMap<Digest, Checked>,
    is_changed: bool,
}

impl Memory {
    fn load(state: &StateDir, signers: Digest) -> Self {
        let text = state.cache().kept_text(FILE_NAME, FILE_BYTES_MAX);
        let body = text
            .strip_prefix(FIRST_LINE)
            .and_then(|rest| rest.strip_prefix(&format!("{signers}\n")));
        let checked = body
            .unwrap_or_default()
            .lines()
            .filter_map(read_line)
            .collect();
        Self {
            signers,
            checked,
            is_changed: false,
        }
    }

    /// Keeps it. What cannot be kept is found out again.
    fn save(&self, state: &StateDir) {
        if !self.is_changed {
            return;
        }
        let mut text = format!("{FIRST_LINE}{}\n", self.signers);
        for (digest, checked) in &self.checked {
            let (word, rest) = match checked {
                Checked::Good(signer) => ("good", signer.as_str()),
                Checked::NotAllowed(key) => ("other", key.as_str()),
                Checked::Wrong => ("wrong", ""),
            };
            writeln!(text, "{digest} {word} {rest}").expect("writing to a string succeeds");
        }
        if text.len() as u64 <= FILE_BYTES_MAX {
            let _ = state.cache().keep(FILE_NAME, text.as_bytes());
        }
    }
}

fn read_line(line: &str) -> Option<(Digest, Checked)> {
    let mut words = line.splitn(3, ' ');
    let digest = Digest::from_hex(words.next()?)?;
    let checked = match (words.next()?, words.next()?) {
        ("good", signer) => Checked::Good(signer.to_owned()),
        ("other", key) => Checked::NotAllowed(key.to_owned()),
        ("wrong", _) => Checked::Wrong,
        _ => return None,
    };
    Some((digest, checked))
}

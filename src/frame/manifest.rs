//! A manifest: which statements one signer has signed together, and the signature over that list.
//!
//! A signature of a commit is gone after the next union. So the signed list stands in the store's tree beside the frames, and is as
//! good in another clone, in a mirror or a fork. A line names a frame, its generation and the SHA-256 of its bytes, and so says
//! neither what the frame is about nor where that stands. Bytes: docs/formats.md.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::base::{Digest, FrameId, hash};
use crate::frame::Frame;
use crate::frame::codec::{encode, is_newer};
use crate::git::ssh;

/// The first line of this version.
pub const FORMAT: &str = "git-merkle/signed/1";
/// Most statements in one manifest.
pub const STATEMENTS_MAX: usize = 1_000;
/// Largest manifest that is read, in bytes; one of this version is smaller.
pub const MANIFEST_BYTES_MAX: u64 = 512 * 1024;

/// Where the signature begins.
const SIGNATURE: &str = "-----BEGIN SSH SIGNATURE-----\n";

/// Why bytes are not a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Another form than this program would write.
    #[error("not a list of signed statements")]
    Form,
    /// A newer program wrote it.
    #[error("format '{0}' is newer than this program; update git-merkle to read it")]
    Format(String),
    /// The bytes are others than the name says.
    #[error("its bytes do not match its name")]
    Name,
}

/// Which statement is meant: a frame may be said again as another generation, and then has other bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementKey {
    /// The frame.
    pub frame: FrameId,
    /// Its generation.
    pub seq: u32,
}

impl StatementKey {
    /// The key of a frame as it stands in the store.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        Self {
            frame: frame.id,
            seq: frame.seq,
        }
    }
}

/// What signatures say about statements, in words.
pub type AttestedStatements = HashMap<StatementKey, String>;

/// Who made a statement, with what its signatures say.
#[must_use]
pub fn speaker(frame: &Frame, attested: &AttestedStatements) -> String {
    let words = attested.get(&StatementKey::of(frame));
    frame.attested_speaker(words.map(String::as_str))
}

/// A line: a statement, and the SHA-256 of its bytes.
pub type ManifestLine = (StatementKey, Digest);

/// The digest of a frame's bytes, as `sha256sum` gives it for the blob.
///
/// A reader of the frame knows its bytes, because the codec is canonical.
#[must_use]
pub fn digest_of(frame: &Frame) -> Option<Digest> {
    encode(frame).ok().map(|bytes| hash::sha256(&bytes))
}

/// A list of statements with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// When it was signed, in seconds since 1970; keys are valid for a time.
    pub seconds: u64,
    /// The statements, in order, each once.
    pub lines: Vec<ManifestLine>,
    /// The signature over [`Self::text`], with the lines around it.
    pub signature: String,
}

/// What is signed.
#[must_use]
pub fn text(seconds: u64, lines: &[ManifestLine]) -> String {
    let mut text = format!("{FORMAT}\nat {seconds}\n");
    for (StatementKey { frame, seq }, digest) in lines {
        writeln!(text, "{frame} {seq} {digest}").expect("writing to a string succeeds");
    }
    text
}

impl Manifest {
    /// What its signature is over.
    #[must_use]
    pub fn text(&self) -> String {
        text(self.seconds, &self.lines)
    }

    /// Writes it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        (self.text() + &self.signature).into_bytes()
    }

    /// Reads one; only what [`Self::encode`] would write is accepted. Whether the signature is good is another question.
    pub fn decode(bytes: &[u8]) -> Result<Self, ManifestError> {
        let whole = std::str::from_utf8(bytes).map_err(|_| ManifestError::Form)?;
        check_format(whole)?;
        let at = whole.find(SIGNATURE).ok_or(ManifestError::Form)?;
        let (list, signature) = whole.split_at(at);
        let mut lines = list
            .strip_suffix('\n')
            .ok_or(ManifestError::Form)?
            .split('\n')
            .skip(1);
        let seconds = lines
            .next()
            .and_then(|line| line.strip_prefix("at ")?.parse().ok())
            .ok_or(ManifestError::Form)?;
        let lines: Vec<ManifestLine> = lines
            .map(line)
            .collect::<Option<_>>()
            .ok_or(ManifestError::Form)?;
        let is_in_order = lines.is_sorted_by(|one, next| one.0 < next.0);
        let manifest = Self {
            seconds,
            lines,
            signature: signature.to_owned(),
        };
        let is_whole =
            is_in_order && !manifest.lines.is_empty() && manifest.lines.len() <= STATEMENTS_MAX;
        if is_whole && ssh::is_signature(signature) && manifest.encode() == bytes {
            Ok(manifest)
        } else {
            Err(ManifestError::Form)
        }
    }
}

fn check_format(text: &str) -> Result<(), ManifestError> {
    let first = text.lines().next().unwrap_or_default();
    match first {
        FORMAT => Ok(()),
        newer if is_newer(newer, FORMAT) => Err(ManifestError::Format(newer.to_owned())),
        _ => Err(ManifestError::Form),
    }
}

fn line(line: &str) -> Option<ManifestLine> {
    let mut words = line.split(' ');
    let key = StatementKey {
        frame: words.next()?.parse().ok()?,
        seq: words.next()?.parse().ok()?,
    };
    let digest = Digest::from_hex(words.next()?)?;
    words.next().is_none().then_some((key, digest))
}

/// Most manifests of a store that are looked at.
pub const MANIFESTS_MAX: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: &str =
        "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAAIHCA==\n-----END SSH SIGNATURE-----\n";

    fn sample(count: u32) -> Manifest {
        let key = |seq| StatementKey {
            frame: FrameId(Digest::of("test/1", b"x")),
            seq,
        };
        let lines = (1..=count)
            .map(|seq| (key(seq), Digest::of("test/1", &seq.to_le_bytes())))
            .collect();
        Manifest {
            seconds: 7,
            lines,
            signature: SIGNED.to_owned(),
        }
    }

    #[test]
    fn only_what_would_be_written_is_read() {
        let whole = sample(2).encode();
        assert_eq!(Manifest::decode(&whole), Ok(sample(2)));
        let text = String::from_utf8(whole).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        let [first, at, one, two] = [lines[0], lines[1], lines[2], lines[3]];
        for bad in [
            String::new(),
            text.replace(SIGNED, ""),
            text.replace("at 7", "at 07"),
            text.replace("at 7", "at -7"),
            format!("{first}\n{at}\n{two}\n{one}\n{SIGNED}"),
            format!("{first}\n{at}\n{one}\n{one}\n{SIGNED}"),
            format!("{first}\n{at}\n{SIGNED}"),
            format!("{text}\n"),
            text.replace(" 2 ", " 02 "),
            text.replace("signed/1", "frame/1"),
        ] {
            assert_eq!(
                Manifest::decode(bad.as_bytes()),
                Err(ManifestError::Form),
                "{bad}"
            );
        }
        let newer = text.replace("signed/1", "signed/2");
        assert_eq!(
            Manifest::decode(newer.as_bytes()),
            Err(ManifestError::Format("git-merkle/signed/2".into()))
        );
    }

    #[test]
    fn the_largest_one_is_read() {
        let most = u32::try_from(STATEMENTS_MAX).expect("a small number");
        let whole = Manifest {
            signature: SIGNED.to_owned(),
            ..sample(most)
        }
        .encode();
        assert!(
            whole.len() + ssh::SIGNATURE_BYTES_MAX
                < usize::try_from(MANIFEST_BYTES_MAX).expect("a small number")
        );
        assert!(
            Manifest::decode(&whole).is_ok()
                && Manifest::decode(&sample(most + 1).encode()).is_err()
        );
    }
}

//! What looks like a secret in a document that is about to leave: found before a byte of it is written.
//!
//! Names are searched as bodies are: those of the project structure, of the resources, of the directory that the
//! program runs in. Every body is searched as it would be shown, on all cores, one at a time in memory. Files in which
//! nothing was found are remembered by their object ids, so that a document that is built again costs a look at a list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use crate::base::NodeId;
use crate::base::number::search;
use crate::git::StateDir;
use crate::secret::{
    Allowed, Finding, Scanner, SecretFound, find_in_names, guard_name, redact_name,
};

/// What the list begins with; the digest of the rules follows.
const HEAD: &str = "git-merkle clean 1 ";
/// The most ids in the list: some forty megabytes.
const IDS_MAX: usize = 2_000_000;
/// Room for them, and for the head.
const FILE_BYTES_MAX: u64 = IDS_MAX as u64 * 32 + 1024;
/// The file below the cache.
pub const FILE_NAME: &str = "clean-of-secrets";

/// How secrets are looked for.
#[derive(Debug)]
pub struct Guard<'g> {
    /// The rules.
    pub scanner: &'g Scanner,
    /// What may pass.
    pub allowed: Allowed,
    /// Files in which nothing was found.
    pub clean: Clean,
}

/// Secrets that were found.
#[derive(Debug, Clone, Default)]
pub struct SecretsFound {
    /// In names, the first of each place where names stand.
    pub names: Vec<SecretFound>,
    /// In bodies, by the number of their resource.
    pub bodies: BTreeMap<usize, SecretFound>,
}

impl SecretsFound {
    /// All of them, names first.
    pub fn all(&self) -> impl Iterator<Item = &SecretFound> {
        self.names.iter().chain(self.bodies.values())
    }
}

impl Guard<'_> {
    /// A name as it is shown.
    pub(super) fn shown<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        redact_name(name, self.scanner, &self.allowed)
    }

    /// The secret that a name holds, and the id of what has the name.
    pub(super) fn find_in_name(&self, name: &[u8], object: &dyn ToString) -> Option<SecretFound> {
        guard_name(name, object, self.scanner, &self.allowed).err()
    }

    /// The number of the first name that holds a secret.
    pub(super) fn find_in_names<'n, I: Iterator<Item = &'n [u8]>>(
        &self,
        names: impl Fn() -> I,
    ) -> Option<usize> {
        find_in_names(names, self.scanner, &self.allowed)
    }

    /// The rule that the name of a file of secrets fits.
    pub(super) fn find_name(&self, path: &[u8]) -> Option<SecretFound> {
        self.unless_allowed(path, self.scanner.find_name(path))
    }

    /// The first secret of a text, and true when there is not even one that is allowed.
    pub(super) fn find(&self, name: &[u8], text: &[u8]) -> (Option<SecretFound>, bool) {
        let found = self.scanner.find(text);
        let is_clean = found.is_empty();
        (self.unless_allowed(name, found), is_clean)
    }

    fn unless_allowed(
        &self,
        name: &[u8],
        found: impl IntoIterator<Item = Finding>,
    ) -> Option<SecretFound> {
        SecretFound::first(found, &self.allowed, || super::markdown::plain(name))
    }
}

/// Ids of objects in which these rules find nothing: derived data, which may be deleted at any time. It is sealed: a list
/// that came with a repository would let its secrets pass.
#[derive(Debug, Default)]
pub struct Clean {
    /// Ids behind each other, in order.
    ids: Vec<u8>,
    id_bytes: usize,
    rules: String,
}

impl Clean {
    /// Reads the list for rules of this digest; one for other rules is no list.
    #[must_use]
    pub fn read(cache: &StateDir, rules: String, id_bytes: usize) -> Self {
        let head = format!("{HEAD}{rules}\n");
        let found = cache
            .read_sealed(FILE_NAME, FILE_BYTES_MAX)
            .filter(|data| data.starts_with(head.as_bytes()));
        let ids = found
            .map(|data| data[head.len()..].to_vec())
            .unwrap_or_default();
        let is_ordered = ids.len().is_multiple_of(id_bytes) && ids.chunks(id_bytes).is_sorted();
        Self {
            ids: if is_ordered { ids } else { Vec::new() },
            id_bytes,
            rules,
        }
    }

    /// True when nothing was found in this object.
    #[must_use]
    pub fn contains(&self, id: &NodeId) -> bool {
        let id_at = |number| &self.ids[number * self.id_bytes..][..self.id_bytes];
        let count = self.ids.len() / self.id_bytes.max(1);
        search(count, |number| id_at(number).cmp(id.as_bytes())).is_some()
    }

    /// Writes the list with more ids; where there are too many it begins anew.
    pub fn write(&self, cache: &StateDir, more: &[NodeId]) -> io::Result<()> {
        let mut all: Vec<&[u8]> = self
            .ids
            .chunks(self.id_bytes.max(1))
            .chain(more.iter().map(NodeId::as_bytes))
            .collect();
        if all.len() > IDS_MAX {
            all = more.iter().map(NodeId::as_bytes).collect();
        }
        all.sort_unstable();
        all.dedup();
        let data = [format!("{HEAD}{}\n", self.rules).as_bytes(), &all.concat()].concat();
        cache.write_sealed_lightly(FILE_NAME, &data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_remembered_for_the_rules_that_found_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, path) = (StateDir::at(folder.path()), folder.path().join(FILE_NAME));
        let ids: Vec<NodeId> = (0..50_u8)
            .map(|n| format!("{:02x}", n * 5).repeat(20).parse().expect("an id"))
            .collect();
        let read = |rules: &str| Clean::read(&cache, rules.to_owned(), 20);
        read("a").write(&cache, &ids[10..30]).expect("writable");
        read("a").write(&cache, &ids[..15]).expect("writable");
        let known = |rules| ids.iter().filter(|id| read(rules).contains(id)).count();
        assert_eq!((known("a"), known("b")), (30, 0));
        assert_eq!(read("a").ids.len(), 30 * 20);
        let mut data = std::fs::read(&path).expect("written");
        data.pop();
        std::fs::write(&path, data).expect("writable");
        assert_eq!(known("a"), 0);
    }
}

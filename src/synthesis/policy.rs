//! Synthesis policies: named, deterministic ways to make a directory's frame from its children's.

use std::fmt::Write as _;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::child::{ChildNode, PartKind};
use crate::base::limit::BODY_BYTES_MAX;
use crate::base::{Digest, FieldHasher};

/// A way to put children together. Must be deterministic: same parts, same bytes.
pub trait Policy: Send + Sync {
    /// The name by which it is chosen.
    fn name(&self) -> &str;

    /// What of the policy goes into a basis: its name, its options, and a number raised when its output changes.
    fn digest(&self) -> Digest;

    /// Makes the directory's body. The parts are in git's tree order.
    fn synthesize(&self, parts: &[ChildNode<'_>]) -> String;
}

/// Every child's bodies under a heading.
pub struct Concatenate;

impl Policy for Concatenate {
    fn name(&self) -> &'static str {
        "concatenate"
    }

    fn digest(&self) -> Digest {
        Digest::of("git-merkle 2026 policy/1", b"concatenate/1")
    }

    fn synthesize(&self, parts: &[ChildNode<'_>]) -> String {
        concatenate(parts.iter())
    }
}

/// Only the children that pass, put together like [`Concatenate`] does.
pub struct Filter {
    globs: Vec<String>,
    matcher: Gitignore,
    kind: Option<String>,
    bytes_max: Option<u64>,
}

/// Why a policy cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// No policy of that name.
    #[error("unknown synthesis policy '{name}' (known: {known})")]
    Unknown {
        /// Requested.
        name: String,
        /// All names.
        known: String,
    },
    /// A pattern that is none.
    #[error("bad pattern '{0}'")]
    Pattern(String),
}

impl Filter {
    /// Lets children pass whose name matches one of the globs (all, if there are none), whose kind is `kind` and
    /// whose bodies together have at most `bytes_max` bytes.
    pub fn new(
        globs: Vec<String>,
        kind: Option<String>,
        bytes_max: Option<u64>,
    ) -> Result<Self, PolicyError> {
        let mut builder = GitignoreBuilder::new("");
        for glob in &globs {
            builder
                .add_line(None, glob)
                .map_err(|_| PolicyError::Pattern(glob.clone()))?;
        }
        let matcher = builder
            .build()
            .map_err(|_| PolicyError::Pattern(globs.join(" ")))?;
        Ok(Self {
            globs,
            matcher,
            kind,
            bytes_max,
        })
    }

    fn passes(&self, part: &ChildNode<'_>) -> bool {
        let bytes: usize = part.bodies.iter().map(|(_, body)| body.len()).sum();
        let is_directory = part.kind == PartKind::Directory;
        (self.globs.is_empty()
            || self
                .matcher
                .matched(Path::new(&*part.name), is_directory)
                .is_ignore())
            && self
                .kind
                .as_deref()
                .is_none_or(|kind| kind == part.kind.as_str())
            && self.bytes_max.is_none_or(|most| bytes as u64 <= most)
    }
}

impl Policy for Filter {
    fn name(&self) -> &'static str {
        "filter"
    }

    fn digest(&self) -> Digest {
        let mut hasher = FieldHasher::new("git-merkle 2026 policy/1").field(b"filter/1");
        hasher.add(self.globs.join("\n").as_bytes());
        hasher.add(self.kind.as_deref().unwrap_or("").as_bytes());
        hasher.add(
            self.bytes_max
                .map_or(String::new(), |most| most.to_string())
                .as_bytes(),
        );
        hasher.finish()
    }

    fn synthesize(&self, parts: &[ChildNode<'_>]) -> String {
        concatenate(parts.iter().filter(|part| self.passes(part)))
    }
}

/// What an empty directory, or one of which nothing is said, comes to.
pub(super) const NOTHING: &str = "Nothing is said about what is in this directory.\n";

fn concatenate<'p>(parts: impl Iterator<Item = &'p ChildNode<'p>>) -> String {
    const CUT: &str =
        "\n(cut here: the children's frames together pass the size limit of a frame)\n";
    let mut out = String::new();
    for part in parts.filter(|part| !part.bodies.is_empty()) {
        let slash = if part.kind == PartKind::Directory {
            "/"
        } else {
            ""
        };
        let mut block = format!(
            "{}## {}{slash}\n",
            if out.is_empty() { "" } else { "\n" },
            heading(&part.name)
        );
        for (frame_type, body) in &part.bodies {
            if part.bodies.len() > 1 {
                let _ = write!(block, "\n### {frame_type}\n");
            }
            block.push('\n');
            block.push_str(body.trim_end());
            block.push('\n');
        }
        if out.len() + block.len() + CUT.len() > BODY_BYTES_MAX {
            out.push_str(CUT);
            return out;
        }
        out.push_str(&block);
    }
    if out.is_empty() {
        NOTHING.to_owned()
    } else {
        out
    }
}

/// A name that cannot end its heading.
fn heading(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::policies::Policies;
    use super::*;

    fn part<'p>(name: &'p str, kind: PartKind, body: &str) -> ChildNode<'p> {
        let frame_type = "summary".parse().expect("a word");
        let bodies = if body.is_empty() {
            vec![]
        } else {
            vec![(frame_type, body.into())]
        };
        ChildNode {
            name: name.into(),
            kind,
            bodies,
        }
    }

    #[test]
    fn concatenation_keeps_order_and_says_when_there_is_nothing() {
        let parts = [
            part("a.rs", PartKind::File, "First.\n"),
            part("b", PartKind::Directory, "Second."),
            part("c", PartKind::File, ""),
        ];
        assert_eq!(
            Concatenate.synthesize(&parts),
            "## a.rs\n\nFirst.\n\n## b/\n\nSecond.\n"
        );
        assert_eq!(Concatenate.synthesize(&[]), NOTHING);
        let long = "x".repeat(BODY_BYTES_MAX / 2 - 100);
        let parts: Vec<_> = (0..4).map(|_| part("n", PartKind::File, &long)).collect();
        let cut = Concatenate.synthesize(&parts);
        assert!(cut.len() <= BODY_BYTES_MAX && cut.contains("cut here"));
    }

    #[test]
    fn filters_choose_by_glob_kind_and_size() {
        let parts = [
            part("a.rs", PartKind::File, "A"),
            part("b.md", PartKind::File, "BB"),
            part("c", PartKind::Directory, "C"),
        ];
        let says = |filter: Filter| filter.synthesize(&parts);
        let filter = |globs: &[&str], kind: Option<&str>, most| {
            Filter::new(
                globs.iter().map(ToString::to_string).collect(),
                kind.map(Into::into),
                most,
            )
            .expect("valid")
        };
        assert_eq!(says(filter(&["*.rs"], None, None)), "## a.rs\n\nA\n");
        assert_eq!(says(filter(&[], Some("directory"), None)), "## c/\n\nC\n");
        assert!(!says(filter(&[], None, Some(1))).contains("BB"));
        assert_ne!(
            filter(&["*.rs"], None, None).digest(),
            filter(&["*.md"], None, None).digest()
        );
    }

    #[test]
    fn a_policy_of_ones_own_is_found_by_name() {
        struct Count;
        impl Policy for Count {
            fn name(&self) -> &'static str {
                "count"
            }
            fn digest(&self) -> Digest {
                Digest::of("test/1", b"count")
            }
            fn synthesize(&self, parts: &[ChildNode<'_>]) -> String {
                parts.len().to_string()
            }
        }
        let mut policies = Policies::built_in(Filter::new(vec![], None, None).expect("valid"));
        policies.register(Arc::new(Count));
        assert_eq!(
            policies.get("count").expect("registered").synthesize(&[]),
            "0"
        );
        assert!(policies.get("other").is_err());
    }
}

//! The two small words that everybody needs to speak of frames: what a frame is about, and how it came to be.

use std::fmt;
use std::str::FromStr;

/// What kind of node a frame is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A blob.
    File,
    /// A tree.
    Directory,
}

/// How a frame came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BasisKind {
    /// A model, or the built-in outline builder, read the node.
    Generated,
    /// A fixed policy put child frames together.
    Synthesis,
    /// A person or a program handed it in.
    Written,
    /// It says nothing but that earlier frames no longer hold.
    Invalidation,
}

/// Gives an enum its words, both ways.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ }) => {
        impl $name {
            /// The word in headers, options and JSON.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text { $($word => Ok(Self::$variant),)+ _ => Err(()) }
            }
        }
    };
}

words!(NodeKind { File = "file", Directory = "directory" });
words!(BasisKind { Generated = "generated", Synthesis = "synthesis", Written = "written", Invalidation = "invalidation" });

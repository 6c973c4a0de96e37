//! What a branch changes in what is declared: two sides' declarations in, an ordered list of changes out.
//!
//! Owns the flat list of a file's declarations, their comparison by qualified name, what of a signature differs, the
//! order in which a reviewer reads, the verdict, and the lines that say all of it. Everything here is pure: it knows
//! neither git nor frames, and never says "breaking", since whether a change breaks its users is for people to judge.
//!
//! Start with [`compare()`], then [`Changes`] and [`say()`].

mod accessor;
mod again;
mod alike;
mod beside;
mod body;
mod change;
mod compare;
mod declaration;
mod delta;
mod export;
mod exposed;
mod follow;
mod form;
mod go;
mod header;
mod import;
mod lifetime;
mod lines;
mod listed;
mod literal;
mod macros;
pub mod markdown;
mod matched;
mod order;
mod package;
mod reason;
mod record;
mod reordered;
mod role;
mod say;
mod several;
mod signature;
mod statement;
mod verdict;

pub use beside::{DeclaredBeside, leave_out_declared_beside};
pub use change::Section;
pub use change::{Change, Changes, Code, Content, File, How, Refers, ReviewedNumber, Version};
pub use compare::compare;
pub use declaration::{Declaration, DeclarationNumber, FileDeclarations};
pub use delta::{Piece, delta};
pub use exposed::{
    Exposed, ModuleAround, Origins, exposed, implemented, narrow_implementations, narrow_links,
};
pub use go::{is_internal_package, is_variant};
pub use header::{
    installed, is_header, is_internal_header, made_header, narrow_to_linked, narrow_to_package,
};
pub use package::{PackageAround, is_private_name, reachable};
pub use record::CodeRecord;
pub use role::{FileRole, role};
pub use say::{ReviewPart, StyledLine, Tone, Verbosity, parts, parts_of_files, say};
pub use verdict::{ReviewCounts, verdict};

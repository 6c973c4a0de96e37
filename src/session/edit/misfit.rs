//! Why an answer cannot be applied: which file, which hunk, where the answer says it, and what is wrong.

use std::fmt;

use crate::base::TreePath;
use crate::base::path::quote;
use crate::git::Unreachable;

/// Most characters of a line that a message repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// A part of an answer that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The file; `None` where the answer names none.
    pub path: Option<TreePath>,
    /// Which part of what is said of it; `None` for all of it.
    pub place: Option<Where>,
    /// The line of the answer.
    pub line: usize,
    /// What is wrong.
    pub wrong: Wrong,
}

/// A part of what an answer says of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Where {
    /// True for a hunk of a diff, false for an edit block.
    pub is_hunk: bool,
    /// Which one, counted from 1.
    pub number: usize,
    /// The line of the answer at which it begins.
    pub line: usize,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// Nothing ends the block.
    #[error(
        "its block has no end: the answer is cut, or a fence in the file is as long as the one around it"
    )]
    Unclosed,
    /// The hunk is shorter than it says.
    #[error(
        "it ends after {has} of its {says} lines: the answer is cut, or its header counts wrong"
    )]
    Cut {
        /// Lines that are there.
        has: usize,
        /// Lines that the header counts, those that stay once.
        says: usize,
    },
    /// The hunk goes on behind its end.
    #[error("it goes on behind the lines that its header counts")]
    Overlong,
    /// The header of a hunk has no line numbers.
    #[error("its header is not '@@ -<line>,<count> +<line>,<count> @@'")]
    Header,
    /// A line of a diff is none.
    #[error("{} is no line of a diff", shown(.0))]
    NoDiff(String),
    /// An edit block does not have the three markers in order.
    #[error("it is not '<<<<<<< EDIT', '=======', '>>>>>>> REPLACE', each once")]
    Markers,
    /// The edit has no text that the file could hold.
    #[error("it has no line that stands in the file")]
    NoOldText,
    /// A path is not said.
    #[error("no path stands above the block")]
    NoPath,
    /// A block says other paths than the line above it, or than itself.
    #[error("its diff is about '{0}'")]
    OtherPath(String),
    /// There are two blocks for a file, and one of them says all of it.
    #[error("the answer says twice what the file is to be")]
    Twice,
    /// What the diff wants is not done.
    #[error("{0}")]
    NotDone(&'static str),
    /// The path cannot be written.
    #[error("{0}")]
    Unreachable(#[from] Unreachable),
    /// Git ignores the path.
    #[error("git ignores it")]
    Ignored,
    /// It is a part of a submodule.
    #[error("'{0}' is a submodule")]
    Submodule(String),
    /// What the session itself is made of.
    #[error("sessions are kept there, and an answer does not change them")]
    Session,
    /// The content goes through a filter.
    #[error("its content is changed by the attribute '{0}' on the way to the repository")]
    Filtered(String),
    /// There is no such file.
    #[error("there is no such file")]
    Absent,
    /// There is such a file.
    #[error("there is such a file already")]
    Exists,
    /// The text stands nowhere.
    #[error("its first line, {}, does not stand in the file", shown(.0))]
    Nowhere(String),
    /// The text stands nowhere; this is the place that is most like it.
    #[error(
        "line {line} of the file is {}, and not {}{}",
        shown(found),
        shown(says),
        spaces(found, says)
    )]
    Differs {
        /// The line of the file, counted from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What the answer says.
        says: String,
    },
    /// The file ends too early.
    #[error("the file ends at line {line}, before {}", shown(says))]
    Ends {
        /// Its last line, counted from 1.
        line: usize,
        /// What the answer says next.
        says: String,
    },
    /// The file goes on.
    #[error("it says that the file ends at line {0}, and it does not")]
    GoesOn(usize),
    /// The text stands at several places.
    #[error("its lines stand in the file {}: at lines {}", .0.len(), numbers(.0))]
    Several(Vec<usize>),
    /// Two passages want the same lines.
    #[error("it changes lines that the part at line {0} of the answer changes as well")]
    Overlaps(usize),
    /// Something is left of the file.
    #[error("the file is to go, and the diff leaves lines of it")]
    Left,
    /// The file becomes larger than a file may be.
    #[error("it would be over the limit for files")]
    Large,
    /// A file and a folder want the same path.
    #[error("'{0}' would be a file and a folder")]
    Folder(String),
}

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(out, "'{}'", quote(path.as_bytes(), false))?,
            None => out.write_str("the answer")?,
        }
        match self.place {
            Some(Where {
                is_hunk,
                number,
                line,
            }) => {
                let kind = if is_hunk { "hunk" } else { "edit" };
                write!(out, ", {kind} {number} (line {line} of the answer)")?;
            }
            None => write!(out, " (line {} of the answer)", self.line)?,
        }
        write!(out, ": {}", self.wrong)
    }
}

/// A line in quotes, cut where it is long.
fn shown(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(SHOWN_CHARS_MAX).collect();
    let dots = if chars.next().is_some() { "…" } else { "" };
    match text {
        "" => "an empty line".to_owned(),
        _ => format!("'{head}{dots}'"),
    }
}

fn spaces(found: &str, says: &str) -> &'static str {
    if found.split_whitespace().eq(says.split_whitespace()) {
        " (white space differs)"
    } else {
        ""
    }
}

fn numbers(lines: &[usize]) -> String {
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines.join(", ")
}

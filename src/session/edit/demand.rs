//! What an answer wants of files, as values.

use super::Where;
use crate::base::TreePath;

/// One thing that an answer wants of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// The file.
    pub path: TreePath,
    /// The line of the answer that says so.
    pub line: usize,
    /// What.
    pub act: Act,
}

/// What an answer wants of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// The file is to hold this and nothing else.
    Whole(String),
    /// Passages of the file are to read otherwise.
    Edit(Vec<Passage>),
    /// The same of a file that is not there yet.
    Create(Vec<Passage>),
    /// The same, and nothing is left of the file.
    Empty(Vec<Passage>),
    /// The file is to be executable, or not.
    Mode(bool),
    /// The file is to go.
    Delete,
    /// The file is to have this path.
    Rename(TreePath),
}

/// A passage of a file: the lines that it holds, and those that stand there afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Which one it is.
    pub place: Where,
    /// Its lines in order.
    pub rows: Vec<Row>,
    /// The line of the file, counted from 1, at which it begins; `None` where the answer does not say it.
    pub at: Option<usize>,
    /// The file ends with the passage, and its last line ends in a line feed, or does not; `None` where that is not said.
    pub ends: Option<bool>,
}

/// A line of a passage, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// It stands there and stays.
    Keep(String),
    /// It stands there and goes.
    Drop(String),
    /// It comes.
    Add(String),
}

impl Passage {
    /// The lines that must stand in the file.
    pub fn old(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| match row {
            Row::Keep(text) | Row::Drop(text) => Some(text.as_str()),
            Row::Add(_) => None,
        })
    }
}

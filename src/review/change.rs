//! The values of a review: files, their two versions, and what changed in them.

use super::declaration::Declaration;
use super::role::FileRole;
use crate::base::TreePath;
use crate::symbol::{Kind, Language};

/// Lines at the start of a file in which it may say that a program wrote it.
const GENERATED_LINES: usize = 5;

/// A file that differs, or that stands elsewhere.
#[derive(Debug, Clone, Default)]
pub struct File {
    /// Before; `None` when it is new.
    pub old: Option<Version>,
    /// After; `None` when it is gone.
    pub new: Option<Version>,
}

impl File {
    /// Where it stands, or stood.
    #[must_use]
    pub fn path(&self) -> &TreePath {
        let version = self.new.as_ref().or(self.old.as_ref());
        &version.expect("a file has a side").path
    }

    /// Where it stood before, when that was elsewhere.
    #[must_use]
    pub fn moved_from(&self) -> Option<&TreePath> {
        let (old, new) = (self.old.as_ref()?, self.new.as_ref()?);
        (old.path != new.path).then_some(&old.path)
    }

    /// Whether it is a program's text on one of its sides.
    #[must_use]
    pub fn is_code(&self) -> bool {
        let mut versions = [&self.old, &self.new].into_iter().flatten();
        versions.any(|version| version.is_code)
    }

    /// What part it has.
    #[must_use]
    pub fn role(&self) -> FileRole {
        let role = super::role::role(self.path().as_bytes());
        // The part of another program's file in its folder.
        let folder = self.path().parent().unwrap_or_default();
        let beside = || super::role::role(folder.join(b"a.py").as_bytes());
        // A change that marks a file as generated is read as what it was before.
        let sides = [&self.old, &self.new].into_iter().flatten();
        let mut code = sides.filter_map(Version::code).peekable();
        match role {
            // `werkzeug/test.py` is what its users test with.
            FileRole::Test
                if self.path().name() == b"test.py"
                    && beside() == FileRole::Program
                    && code.peek().is_some()
                    && code.all(|code| !code.declarations.iter().any(is_test_case)) =>
            {
                FileRole::Program
            }
            FileRole::Program
                if code.peek().is_some() && code.all(|code| is_generated(&code.text)) =>
            {
                FileRole::Aside
            }
            role => role,
        }
    }
}

/// Whether a test harness of Python runs it.
fn is_test_case(one: &Declaration) -> bool {
    one.is_test
        || one.own.starts_with("test_")
        || one.kind == Kind::Class && one.signature.contains("TestCase")
}

/// Whether its first lines say that a program wrote it.
fn is_generated(text: &str) -> bool {
    text.lines().take(GENERATED_LINES).any(|line| {
        line.contains("@generated") || line.contains("enerated") && line.contains("DO NOT EDIT")
    })
}

/// A file as it stands in one of the two trees.
#[derive(Debug, Clone, Default)]
pub struct Version {
    /// Where.
    pub path: TreePath,
    /// Whether its language is one of programs.
    pub is_code: bool,
    /// What it holds.
    pub content: Content,
}

/// What a file holds.
#[derive(Debug, Clone, Default)]
pub enum Content {
    /// Nothing that is declared: documents, data, links.
    #[default]
    Other,
    /// What was read of it.
    Code(Code),
    /// It is not in this clone.
    Absent,
    /// It is too large, or no text.
    Unread,
}

/// What was read of a program's text.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// In which language it is written.
    pub language: Option<Language>,
    /// What it declares.
    pub declarations: Vec<Declaration>,
    /// What it imports.
    pub imports: Vec<String>,
    /// Its text.
    pub text: String,
    /// Whether it is a source of C whose headers for others are known: what is public in it, these declare.
    pub has_headers: bool,
}

impl Version {
    /// One of a program's text.
    #[cfg(test)]
    pub(super) fn of_text(path: &str, language: Language, text: &str) -> Self {
        let outline = crate::symbol::extract(Some(language), text.as_bytes());
        Self {
            path: TreePath::new(path),
            is_code: true,
            content: Content::Code(Code {
                language: Some(language),
                declarations: super::declaration::declarations(&outline, text),
                imports: outline.imports,
                has_headers: false,
                text: text.to_owned(),
            }),
        }
    }

    /// What was read of it.
    #[must_use]
    pub fn code(&self) -> Option<&Code> {
        match &self.content {
            Content::Code(code) => Some(code),
            _ => None,
        }
    }
}

/// How a declaration has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It is gone.
    Removed,
    /// What others see of it is another.
    Signature,
    /// Its body is another.
    Body,
    /// It is new.
    Added,
    /// It stands in another file.
    Moved,
}

/// A declaration that has changed, with what stands in it where that changed with it.
#[derive(Debug, Clone)]
pub struct Change {
    /// How.
    pub how: How,
    /// The number of the file in which it stands, or stood when it is gone.
    pub file: u32,
    /// Before.
    pub old: Option<Declaration>,
    /// After.
    pub new: Option<Declaration>,
    /// The number of the file it comes from, when it moved.
    pub from: Option<u32>,
    /// What stands in it and went, came or moved with it: the names of what is as visible.
    pub members: Vec<String>,
    /// How many of its lines differ.
    pub lines: usize,
    /// Who refers to it.
    pub refers: Refers,
    /// Where it is shown.
    pub section: Section,
    /// Whether only its own file or package uses it.
    pub is_internal: bool,
}

impl Change {
    /// The declaration as it is, or was when it is gone.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.expect("a change has a side")
    }

    /// Whether it was or is for others.
    #[must_use]
    pub fn is_public(&self) -> bool {
        [&self.old, &self.new]
            .into_iter()
            .flatten()
            .any(Declaration::is_public)
    }
}

/// The files that refer to a declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refers {
    /// Outside of tests, in order.
    pub files: Vec<TreePath>,
    /// How many tests.
    pub tests: usize,
}

/// Everything that changed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The files that differ.
    pub files: Vec<File>,
    /// What changed in them; in the order in which a reviewer reads once who refers to it is known.
    pub list: Vec<Change>,
}

/// The parts of a review, first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Public declarations that went or that others see changed.
    Public,
    /// Bodies, and signatures that only its own file or package sees.
    Body,
    /// Public declarations that came.
    Added,
    /// What stands elsewhere.
    Moved,
    /// What came or went that only its own file or package may use.
    Private,
    /// Bodies that only follow what else has changed.
    Caller,
    /// Examples, tools and what is generated.
    Aside,
    /// Tests.
    Test,
}

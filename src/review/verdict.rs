//! The verdict: what a branch does to what others rely on, in one line.

use serde::Serialize;

use super::change::{Change, Changes, Content, File, How, Section};
use super::role::FileRole;
use crate::base::count::counted;

/// What there is to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReviewCounts {
    /// Public declarations that are gone, members included.
    pub removed: usize,
    /// Public declarations that are new, members included.
    pub added: usize,
    /// Public declarations of which others see something else.
    pub signatures: usize,
    /// Public types whose members stand in another order, where that matters.
    pub reordered: usize,
    /// Declarations with another body, or with another value alone.
    pub bodies: usize,
    /// What stands in another file, files that were renamed included.
    pub moved: usize,
    /// Private declarations that are gone, new, or have another signature.
    pub private: usize,
    /// What changed in examples, tools and what is generated.
    pub aside: usize,
    /// What changed in tests.
    pub tests: usize,
    /// Files, without tests, whose statements outside of declarations are others.
    pub statements: usize,
    /// Changed files of programs, without tests.
    pub code_files: usize,
    /// Changed tests.
    pub test_files: usize,
    /// All changed files.
    pub files: usize,
    /// Files whose content this clone does not hold.
    pub absent: usize,
}

/// Counts what changed.
#[must_use]
pub fn verdict(changes: &Changes) -> ReviewCounts {
    let mut counts = ReviewCounts {
        files: changes.files.len(),
        statements: changes.statements.len(),
        ..ReviewCounts::default()
    };
    for file in &changes.files {
        let is_test = file.role() == FileRole::Test;
        counts.test_files += usize::from(is_test && file.is_code());
        counts.code_files += usize::from(!is_test && file.is_code());
        counts.moved += usize::from(!is_test && file.is_code() && file.moved_from().is_some());
        counts.absent += usize::from(is_absent(file));
    }
    for change in &changes.list {
        counts.add(change);
    }
    counts
}

fn is_absent(file: &File) -> bool {
    let mut versions = [&file.old, &file.new].into_iter().flatten();
    versions.any(|version| matches!(version.content, Content::Absent))
}

impl ReviewCounts {
    fn add(&mut self, change: &Change) {
        // A name that is declared once more or once less comes or goes, as an overload.
        let how = match (change.how, &change.old, &change.new) {
            (How::Signature, Some(_), None) => How::Removed,
            (How::Signature, None, Some(_)) => How::Added,
            (how, ..) => how,
        };
        let count = match (change.section, how) {
            (Section::Test, _) => &mut self.tests,
            (Section::Aside, _) => &mut self.aside,
            (Section::Private, _) => &mut self.private,
            _ if change.is_internal && !matches!(change.how, How::Body | How::Moved) => {
                &mut self.private
            }
            (_, How::Removed) => &mut self.removed,
            (_, How::Added) => &mut self.added,
            (_, How::Signature) => &mut self.signatures,
            (_, How::Order) => &mut self.reordered,
            (_, How::Body | How::Value) => &mut self.bodies,
            (_, How::Moved) => &mut self.moved,
        };
        *count += 1;
        if matches!(change.how, How::Removed | How::Added) && change.section != Section::Private {
            *count += change.members.len();
        }
    }

    /// The line.
    #[must_use]
    pub fn line(&self) -> String {
        let mut said = self.said();
        if said.is_empty() {
            said.push(match (self.code_files, self.test_files) {
                (0, 0) => "no code changed".to_owned(),
                (0, _) => "only tests changed".to_owned(),
                _ => "same declarations".to_owned(),
            });
        }
        let files = format!(
            " · {} of {} code",
            self.code_files,
            counted(self.files, "file is", "files are")
        );
        said.join(", ") + &files
    }

    /// What others see, then the rest.
    fn said(&self) -> Vec<String> {
        let Self {
            bodies,
            moved,
            private,
            statements,
            aside,
            tests,
            ..
        } = *self;
        let mut said = self.seen();
        let is_same = said.is_empty();
        if is_same
            && bodies + moved + private + statements + aside + tests > 0
            && self.code_files > 0
        {
            said.push("same public declarations".to_owned());
        }
        if bodies > 0 {
            let changed = if self.signatures > 0 { "" } else { " changed" };
            said.push(counted(bodies, "body", "bodies") + changed);
        }
        if statements > 0 {
            let files = counted(statements, "file", "files");
            said.push(format!("statements in {files}"));
        }
        if moved > 0 {
            said.push(format!("{moved} moved"));
        }
        if private > 0 {
            said.push(format!("{private} private"));
        }
        if is_same && aside > 0 {
            said.push(format!("{aside} changed in examples or tools"));
        }
        // Tests have a line of their own.
        if tests > 0 && said.len() == 1 && is_same {
            said.push(format!("{tests} changed in tests"));
        }
        if self.signatures > 0 && self.removed + self.added == 0 {
            said.push("nothing added or removed".to_owned());
        }
        if self.absent > 0 {
            said.push(format!(
                "{} not in this clone",
                counted(self.absent, "file", "files")
            ));
        }
        said
    }

    fn seen(&self) -> Vec<String> {
        let mut said = Vec::new();
        let declarations = |count| counted(count, "public declaration", "public declarations");
        if self.removed > 0 {
            said.push(format!("{} removed", declarations(self.removed)));
        }
        if self.added > 0 {
            said.push(match self.removed {
                0 => format!("{} added", declarations(self.added)),
                _ => format!("{} added", self.added),
            });
        }
        if self.signatures > 0 {
            let signatures = counted(self.signatures, "signature", "signatures");
            said.push(format!("{signatures} changed"));
        }
        if self.reordered > 0 {
            let types = counted(self.reordered, "type", "types");
            said.push(format!("{types} reordered"));
        }
        said
    }
}

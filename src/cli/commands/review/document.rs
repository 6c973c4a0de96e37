//! The document that `review --json` prints.

use serde::Serialize;

use super::known::Known;
use crate::base::TreePath;
use crate::cli::frames::{FrameDocument, State};
use crate::cli::json;
use crate::cli::range::{Range, Revision};
use crate::review::{
    Change, Changes, Content, Declaration, File, FileRole, How, ReviewCounts, Section, Version,
    verdict,
};
use crate::symbol::Visibility;

/// A review.
#[derive(Serialize)]
pub(super) struct Document {
    old: RevisionDocument,
    new: RevisionDocument,
    verdict: VerdictDocument,
    changes: Vec<ChangeDocument>,
    files: Vec<FileDocument>,
    #[serde(flatten)]
    known: KnownDocument,
}

/// What is known of what the branch touches.
#[derive(Serialize)]
pub(super) struct KnownDocument {
    statements: Vec<StatementDocument>,
    notes: Vec<FrameDocument>,
    not_fresh: Vec<BehindDocument>,
    foreign: Vec<ForeignDocument>,
}

#[derive(Serialize)]
struct ForeignDocument {
    remote: String,
    frames: Vec<FrameDocument>,
}

#[derive(Serialize)]
struct StatementDocument {
    old: Option<String>,
    new: FrameDocument,
}

#[derive(Serialize)]
struct BehindDocument {
    agent: String,
    r#type: String,
    outdated: u64,
    missing: u64,
    command: String,
}

impl KnownDocument {
    pub(super) fn of(known: &Known<'_>) -> Self {
        let mut signatures = known.signatures.iter();
        let mut next = || signatures.next().and_then(Option::as_ref);
        let statements = known
            .touched
            .statements
            .iter()
            .map(|one| StatementDocument {
                old: one.old.clone(),
                new: FrameDocument::new(&one.new, State::from(one.reason))
                    .at(Some(&one.path))
                    .signed(next()),
            });
        let statements = statements.collect();
        let notes = known.touched.carried.iter();
        let notes = notes
            .map(|(path, one)| FrameDocument::of_carried(one, Some(path)).signed(next()))
            .collect();
        let behind = known.touched.behind.iter().map(|behind| BehindDocument {
            agent: behind.slot.agent.to_string(),
            r#type: behind.slot.frame_type.to_string(),
            outdated: behind.stale,
            missing: behind.missing,
            command: known.command(behind),
        });
        Self {
            statements,
            notes,
            not_fresh: behind.collect(),
            foreign: known
                .foreign
                .iter()
                .map(|one| ForeignDocument {
                    remote: one.remote.clone(),
                    frames: one.documents(),
                })
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct RevisionDocument {
    revision: String,
    tree: String,
}

#[derive(Serialize)]
struct VerdictDocument {
    line: String,
    #[serde(flatten)]
    counts: ReviewCounts,
}

#[derive(Serialize)]
struct ChangeDocument {
    section: Section,
    change: How,
    kind: &'static str,
    name: String,
    path: String,
    from: Option<String>,
    line: u32,
    old: Option<SideDocument>,
    new: Option<SideDocument>,
    members: Vec<String>,
    lines: usize,
    body: bool,
    referring: Vec<String>,
    referring_tests: usize,
}

#[derive(Serialize)]
struct SideDocument {
    signature: String,
    attributes: Vec<String>,
    visibility: Visibility,
}

#[derive(Serialize)]
struct FileDocument {
    path: String,
    from: Option<String>,
    change: &'static str,
    role: FileRole,
    code: bool,
    statements: bool,
    missing: bool,
}

impl Document {
    pub(super) fn of(range: &Range, changes: &Changes, known: KnownDocument) -> Self {
        let counts = verdict(changes);
        Self {
            old: revision(&range.old),
            new: revision(&range.new),
            verdict: VerdictDocument {
                line: counts.line(),
                counts,
            },
            changes: changes
                .list
                .iter()
                .map(|one| change(changes, one))
                .collect(),
            files: changes
                .files
                .iter_enumerated()
                .map(|(number, one)| file(one, changes.statements.contains(&number)))
                .collect(),
            known,
        }
    }
}

fn revision(revision: &Revision) -> RevisionDocument {
    RevisionDocument {
        revision: revision.name.clone(),
        tree: revision.tree.to_string(),
    }
}

fn path(path: &TreePath) -> String {
    json::path(path.as_bytes())
}

fn change(changes: &Changes, change: &Change) -> ChangeDocument {
    let declaration = change.declaration();
    ChangeDocument {
        section: change.section,
        change: change.how,
        kind: declaration.kind.words().0,
        name: declaration.name.clone(),
        path: path(changes.path_of(change)),
        from: changes.source_of(change).map(path),
        line: declaration.line,
        old: change.old.as_ref().map(side),
        new: change.new.as_ref().map(side),
        members: change.members.clone(),
        lines: change.lines,
        body: change.has_body || change.how == How::Body,
        referring: change.refers.files.iter().map(path).collect(),
        referring_tests: change.refers.tests,
    }
}

fn side(declaration: &Declaration) -> SideDocument {
    SideDocument {
        signature: declaration.signature.clone(),
        attributes: declaration.attributes.clone(),
        visibility: declaration.visibility,
    }
}

fn file(file: &File, has_statements: bool) -> FileDocument {
    let is_absent = |version: &Version| matches!(version.content, Content::Absent);
    FileDocument {
        path: path(file.path()),
        from: file.moved_from().map(path),
        change: match (&file.old, &file.new) {
            (None, _) => "added",
            (_, None) => "removed",
            _ if file.moved_from().is_some() => "renamed",
            _ => "changed",
        },
        role: file.role(),
        code: file.is_code(),
        statements: has_statements,
        missing: [&file.old, &file.new].into_iter().flatten().any(is_absent),
    }
}

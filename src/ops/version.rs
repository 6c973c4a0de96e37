//! Reading a file of one of the trees that a review compares.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository, Side, StateDir, tree_entries};
use crate::regen::record::{Blob, Records, object_cache, with_blob};
use crate::review::{Code, CodeRecord, Content, Version};
use crate::secret::Scanner;
use crate::symbol::{Kind, Language, ObjectCache, Outline};
use crate::synthesis::outline;

/// An entry of one of the trees, and where it stands.
pub(super) type Placed = (TreePath, Side);

/// Reads files, and keeps what they declare.
pub(super) struct Reading {
    records: Records,
    kept: Arc<ObjectCache<CodeRecord>>,
}

impl Reading {
    pub(super) fn of(cache: &StateDir) -> Self {
        Self {
            records: Records::of(cache),
            kept: object_cache(cache),
        }
    }

    /// A file of one of the trees, with what was read of it.
    pub(super) fn version(
        &self,
        repo: &Repository,
        path: &TreePath,
        side: Side,
    ) -> Result<Version, ObjectError> {
        let (mode, id) = side;
        let mut version = Version {
            path: TreePath::new(outline::shown_path(path.as_bytes())),
            ..Version::default()
        };
        if !mode.is_file() {
            return Ok(version);
        }
        let name = path.name();
        version.is_code = is_program(outline::language(name, b""));
        let content = with_blob(repo, &id, |blob| match blob {
            Blob::Absent => Content::Absent,
            Blob::TooLarge(_) => Content::Unread,
            Blob::Data(data) => self.content(&id, name, data),
        });
        version.content = match content {
            // A damaged file must not stop the others.
            Err(ObjectError::Damaged { .. }) => Content::Absent,
            content => content?,
        };
        version.is_code |= matches!(version.content, Content::Code(_));
        Ok(version)
    }

    fn content(&self, id: &NodeId, name: &[u8], data: &[u8]) -> Content {
        let language = outline::language(name, b"");
        let rules = Scanner::built_in_digest();
        let kept = self.kept.get(*id, language);
        // By other rules a record may hold what these find.
        let kept = kept.filter(|kept| kept.secret_rules == rules);
        let is_clean = kept.as_ref().is_some_and(|kept| kept.is_clean);
        let shown = if is_clean {
            Cow::Borrowed(data)
        } else {
            outline::shown(data)
        };
        let Ok(text) = std::str::from_utf8(&shown) else {
            return Content::Unread;
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let record = kept.unwrap_or_else(|| {
            let is_clean = matches!(shown, Cow::Borrowed(_));
            let outline = self.records.read(id, name, &shown);
            let made = CodeRecord::new(outline, text, is_clean, rules);
            self.kept.put(*id, language, &made);
            made
        });
        // What was not read to its end could seem gone, or the same.
        if !record.is_whole {
            return Content::Unread;
        }
        if !is_program(language) && !is_program(record.language) && record.declarations.is_empty() {
            return Content::Other;
        }
        Content::Code(Code {
            language: record.language,
            declarations: record.declarations,
            imports: record.imports,
            text: text.to_owned(),
            declared_elsewhere: None,
        })
    }

    /// What was read of a file of a tree, if there is one.
    pub(super) fn code(
        &self,
        repo: &Repository,
        tree: NodeId,
        path: &TreePath,
    ) -> Result<Option<Code>, ObjectError> {
        let Some(side) = repo.find_entry(&tree, path.as_bytes())? else {
            return Ok(None);
        };
        let version = self.version(repo, path, side)?;
        Ok(match version.content {
            Content::Code(code) => Some(code),
            _ => None,
        })
    }

    /// The names that a header declares. A macro of that name is another name for something else.
    pub(super) fn declared(
        &self,
        repo: &Repository,
        path: &TreePath,
        id: &NodeId,
    ) -> Result<Vec<String>, ObjectError> {
        let name = path.name();
        let outline = match self.records.find(id, outline::language(name, b"")) {
            Some(outline) => outline,
            None => with_blob(repo, id, |blob| match blob {
                Blob::Data(data) => self.records.read(id, name, &outline::shown(data)),
                _ => Outline::default(),
            })?,
        };
        let declared = outline.symbols.into_iter();
        let declared = declared.filter(|one| one.kind != Kind::Macro);
        Ok(declared.map(|one| one.name).collect())
    }
}

fn is_program(language: Option<Language>) -> bool {
    language.is_some_and(Language::has_grammar)
}

/// Calls `visit` with the name of each entry of a folder of a tree; with none where there is no such folder.
pub(super) fn visit_folder(
    repo: &Repository,
    tree: NodeId,
    folder: &TreePath,
    visit: impl FnMut(&[u8], Side),
) -> Result<(), ObjectError> {
    match repo.find_entry(&tree, folder.as_bytes())? {
        Some((EntryMode::Directory, id)) => visit_entries(repo, id, visit),
        _ => Ok(()),
    }
}

/// The same of a folder whose tree is known.
pub(super) fn visit_entries(
    repo: &Repository,
    id: NodeId,
    mut visit: impl FnMut(&[u8], Side),
) -> Result<(), ObjectError> {
    let mut buffer = Vec::new();
    repo.read(&id, ObjectKind::Tree, &mut buffer)?;
    for entry in tree_entries(id, &buffer, repo.hash_kind()) {
        let entry = entry?;
        visit(entry.name, (entry.mode, entry.id));
    }
    Ok(())
}

//! Reading a file of one of the trees that a review compares.

use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository, Side, tree_entries};
use crate::regen::record::{Blob, Records, with_blob};
use crate::review::{self, Code, Content, Version};
use crate::symbol;
use crate::synthesis::outline;

/// An entry of one of the trees, and where it stands.
pub(super) type Placed = (TreePath, Side);

/// A file of one of the trees, with what was read of it.
pub(super) fn version_of(
    repo: &Repository,
    records: &Records,
    path: &TreePath,
    side: Side,
) -> Result<Version, ObjectError> {
    let (mode, id) = side;
    let mut version = Version {
        path: TreePath::new(outline::shown_path(path.as_bytes())),
        ..Version::default()
    };
    if !matches!(mode, EntryMode::File | EntryMode::Executable) {
        return Ok(version);
    }
    let name = path.name();
    let is_program =
        |language: Option<symbol::Language>| language.is_some_and(symbol::Language::has_grammar);
    version.is_code = is_program(outline::language(name, b""));
    let content = with_blob(repo, &id, |blob| match blob {
        Blob::Absent => Content::Absent,
        Blob::TooLarge(_) => Content::Unread,
        Blob::Data(data) => {
            let shown = outline::shown(data);
            let Ok(text) = std::str::from_utf8(&shown) else {
                return Content::Unread;
            };
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            let outline = records.read(&id, name, &shown);
            let mut declarations = review::declarations(&outline, text);
            review::add_bodies(&mut declarations, text, outline.language);
            version.is_code |= is_program(outline.language) || !declarations.is_empty();
            if !version.is_code {
                return Content::Other;
            }
            Content::Code(Code {
                language: outline.language,
                declarations,
                imports: outline.imports,
                text: text.to_owned(),
            })
        }
    });
    version.content = match content {
        // What is damaged is in no other file's way.
        Err(ObjectError::Damaged { .. }) => Content::Absent,
        content => content?,
    };
    Ok(version)
}

/// What was read of a file of a tree, if there is one.
pub(super) fn read_code(
    repo: &Repository,
    records: &Records,
    tree: NodeId,
    path: &TreePath,
) -> Result<Option<Code>, ObjectError> {
    let Some(side) = repo.find_entry(&tree, path.as_bytes())? else {
        return Ok(None);
    };
    let version = version_of(repo, records, path, side)?;
    Ok(match version.content {
        Content::Code(code) => Some(code),
        _ => None,
    })
}

/// The entries of a folder of a tree; none where there is no such folder.
pub(super) fn entries(
    repo: &Repository,
    tree: NodeId,
    folder: &TreePath,
) -> Result<Vec<Placed>, ObjectError> {
    match repo.find_entry(&tree, folder.as_bytes())? {
        Some((EntryMode::Directory, id)) => entries_of(repo, folder, id),
        _ => Ok(Vec::new()),
    }
}

/// The entries of a folder whose tree is known.
pub(super) fn entries_of(
    repo: &Repository,
    folder: &TreePath,
    id: NodeId,
) -> Result<Vec<Placed>, ObjectError> {
    let mut buffer = Vec::new();
    repo.read(&id, ObjectKind::Tree, &mut buffer)?;
    let entries = tree_entries(id, &buffer, repo.hash_kind());
    entries
        .map(|entry| entry.map(|entry| (folder.join(entry.name), (entry.mode, entry.id))))
        .collect()
}

//! Lists of paths, with what they share said once.

use crate::base::TreePath;
use crate::base::path::quote;

/// Paths in one list.
const PATHS_MAX: usize = 4;

/// Paths with what they share said once, the first of many.
pub(super) fn list(paths: &[&TreePath]) -> String {
    let shown = all_of(&paths[..paths.len().min(PATHS_MAX)]);
    match paths.len().checked_sub(PATHS_MAX).filter(|more| *more > 0) {
        Some(more) => format!("{shown} and {more} more"),
        None => shown,
    }
}

/// The same of all: `src/{auth,blog}.py`.
pub(super) fn all_of(paths: &[&TreePath]) -> String {
    let mut groups: Vec<((String, String), Vec<String>)> = Vec::new();
    for path in paths {
        let text = shown(path);
        let (folder, name) = text
            .rsplit_once('/')
            .map_or(("", &text[..]), |(folder, name)| (folder, name));
        let (stem, ending) = match name.rfind('.').filter(|at| *at > 0) {
            Some(at) if !text.starts_with('"') => name.split_at(at),
            _ => (name, ""),
        };
        let key = (folder.to_owned(), ending.to_owned());
        match groups
            .iter_mut()
            .find(|(known, _)| *known == key && !text.starts_with('"'))
        {
            Some((_, stems)) => stems.push(stem.to_owned()),
            None => groups.push((key, vec![stem.to_owned()])),
        }
    }
    let one = |((folder, ending), stems): &((String, String), Vec<String>)| {
        let slash = if folder.is_empty() { "" } else { "/" };
        match &stems[..] {
            [stem] => format!("{folder}{slash}{stem}{ending}"),
            _ if folder.is_empty() => stems
                .iter()
                .map(|stem| format!("{stem}{ending}"))
                .collect::<Vec<_>>()
                .join(", "),
            _ => format!("{folder}{slash}{{{}}}{ending}", stems.join(",")),
        }
    };
    groups.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A path as it is printed.
pub(super) fn shown(path: &TreePath) -> String {
    quote(path.as_bytes(), false)
}

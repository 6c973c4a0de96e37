//! Names that the imports of a file of Python give it.

use std::collections::BTreeSet;

/// The names that imports give: `get, p` of `from .api import get, post as p`, `os` of `import os.path`.
pub(super) fn names(imports: &[String]) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for text in imports {
        let list = match text.strip_prefix("from ") {
            Some(rest) => rest.split_once(" import ").map_or("", |(_, list)| list),
            None => text,
        };
        let is_from = text.starts_with("from ");
        for part in list.split(',') {
            let part = part.trim_matches(['(', ')', ' ']);
            let name = match part.split_once(" as ") {
                Some((_, name)) => name.trim(),
                None if is_from => part,
                None => part.split('.').next().unwrap_or(part),
            };
            names.insert(name);
        }
    }
    names.remove("");
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_give_names() {
        for (text, expected) in [
            ("ssl", "ssl"),
            ("os.path", "os"),
            ("a.b as c, d", "c d"),
            ("from .api import (get, post as p)", "get p"),
            ("from .api import (get, post,)", "get post"),
            ("from . import utils", "utils"),
            ("from a import *", "*"),
        ] {
            let imports = [text.to_owned()];
            let found: Vec<&str> = names(&imports).into_iter().collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}

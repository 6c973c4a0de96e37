//! The imports of a file: of Python the names that they give it, and what it passes on; of Go what it calls packages itself.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::signature::is_word;

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

/// A statement `from <module> import <names>`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FromImport<'t> {
    /// The module, with the dots in front: `._client`, `httpx._models`.
    pub module: &'t str,
    /// Each name and the one that it gets here: `A A`, `B C` of `B as C`; `*` stands for all.
    pub names: Vec<(&'t str, &'t str)>,
}

/// The statements that take names from modules, wherever they stand; a list in brackets may have several lines.
pub(super) fn from_imports(text: &str) -> Vec<FromImport<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    let mut is_in_text = false;
    while let Some(line) = lines.next() {
        let quotes = line.matches("\"\"\"").count() + line.matches("'''").count();
        let was_in_text = is_in_text;
        is_in_text ^= quotes % 2 == 1;
        let statement = line
            .trim_start()
            .strip_prefix("from ")
            .filter(|_| !was_in_text);
        let Some((module, list)) = statement.and_then(|rest| rest.split_once(" import")) else {
            continue;
        };
        let (mut names, module) = (Vec::new(), module.trim());
        let mut next = Some(list);
        let is_open = list.trim_start().starts_with('(');
        while let Some(line) = next {
            let line = line.split('#').next().unwrap_or_default();
            names.extend(listed(line));
            let goes_on = is_open && !line.contains(')') || line.ends_with('\\');
            next = goes_on.then(|| lines.next()).flatten();
        }
        found.push(FromImport { module, names });
    }
    found
}

/// The names in a line of a list.
fn listed(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = line
        .split(',')
        .map(|part| part.trim_matches(['\\', ' ', '\t', ';', '(', ')']));
    parts.filter(|part| !part.is_empty()).map(|part| {
        let (name, alias) = part.split_once(" as ").unwrap_or((part, part));
        (name.trim(), alias.trim())
    })
}

/// The names that a file of Go gives to packages itself, each with the name that the package has: that is the last part of its
/// path, without a version.
pub(super) fn local_package_names(imports: &[String]) -> Vec<(&str, &str)> {
    let named = imports.iter().filter_map(|text| {
        let (name, path) = text.split_once(' ')?;
        let mut parts = path.trim().rsplit('/');
        let is_version = |part: &&str| {
            let number = part.strip_prefix('v').unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let package = parts.find(|part| !is_version(part))?;
        let package = package.split('.').next().unwrap_or(package);
        let is_name = name.chars().all(is_word) && name != "_";
        (is_name && name != package).then_some((name, package))
    });
    named.collect()
}

/// A signature in which packages have their own names: `log.Level` is `logrus.Level` where a file calls that package `log`.
pub(super) fn with_package_names<'s>(signature: &'s str, names: &[(&str, &str)]) -> Cow<'s, str> {
    let mut out = Cow::Borrowed(signature);
    for (name, package) in names {
        let mut from = 0;
        while let Some(found) = out[from..].find(*name) {
            let (at, end) = (from + found, from + found + name.len());
            let before = &out[..at];
            let is_qualifier = !before.ends_with(is_word)
                && (!before.ends_with('.') || before.ends_with("..."))
                && out[end..].starts_with('.');
            from = end;
            if is_qualifier {
                out.to_mut().replace_range(at..end, package);
                from = at + package.len();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_may_have_several_lines() {
        let text = "\"\"\"A package.\nfrom ._d import D\n\"\"\"\nfrom ._a import A, \\\n    B as C  # all\nimport os\nfrom . import (\n    x,  # (one)\n    y as z,\n)\ntry:\n    from pkg.b import *\nexcept ImportError:\n    pass\n";
        let found = from_imports(text);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.module, &one.names[..]))
            .collect();
        assert_eq!(
            found,
            [
                ("._a", &[("A", "A"), ("B", "C")][..]),
                (".", &[("x", "x"), ("y", "z")][..]),
                ("pkg.b", &[("*", "*")][..]),
            ]
        );
    }

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

    #[test]
    fn a_package_has_one_name() {
        let imports = [
            "fmt",
            "log github.com/sirupsen/logrus",
            "_ embed",
            ". math",
            "y gopkg.in/yaml.v3",
            "c example.org/chi/v5",
        ]
        .map(str::to_owned);
        let names = local_package_names(&imports);
        assert_eq!(names, [("log", "logrus"), ("y", "yaml"), ("c", "chi")]);
        for (signature, expected) in [
            (
                "func F(l log.Level) y.Node",
                "func F(l logrus.Level) yaml.Node",
            ),
            (
                "func Log(catalog.X, a.log.Y, log int)",
                "func Log(catalog.X, a.log.Y, log int)",
            ),
            ("func F(log ...log.Level)", "func F(log ...logrus.Level)"),
        ] {
            assert_eq!(with_package_names(signature, &names), expected);
        }
    }
}

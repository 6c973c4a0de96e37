//! The imports of a file: in Python the names that they bring and those that it passes on, in Go the names that it gives to packages.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

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

/// The packages that a file of Go imports, each by the name that it has there; without a name of its own it has the last part of
/// its path, without version and mark of the language.
pub(super) fn packages(imports: &[String]) -> HashMap<&str, &str> {
    let named = imports.iter().filter_map(|text| {
        let (name, path) = match text.split_once(' ') {
            Some((name, path)) => (name, path.trim()),
            None => (package_name(text)?, text.as_str()),
        };
        let is_name = !name.is_empty() && name != "_" && name.chars().all(is_word);
        is_name.then_some((name, path))
    });
    named.collect()
}

fn package_name(path: &str) -> Option<&str> {
    let is_version = |part: &&str| {
        let number = part.strip_prefix('v').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let part = path.rsplit('/').find(|part| !is_version(part))?;
    let part = part
        .strip_suffix(".go")
        .or(part.strip_suffix("-go"))
        .unwrap_or(part);
    let part = part.strip_prefix("go-").unwrap_or(part);
    part.split('.').next()
}

/// A signature in which packages are named by their paths: `log.Level` is `"github.com/sirupsen/logrus".Level`, whatever a file
/// calls that package.
pub(super) fn with_package_paths<'s>(
    signature: &'s str,
    packages: &HashMap<&str, &str>,
) -> Cow<'s, str> {
    if packages.is_empty() || !signature.contains('.') {
        return Cow::Borrowed(signature);
    }
    let (mut out, mut rest, mut quote) = (String::new(), signature, None);
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if quote.is_some() || end == 0 {
            match (quote, c) {
                (None, '"' | '`') => quote = Some(c),
                (Some(open), _) if c == open => quote = None,
                _ => {}
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, behind) = rest.split_at(end);
        // A field of something has a point in front; a list of parameters without an end has three.
        let is_first = !out.ends_with('.') || out.ends_with("...");
        match packages.get(word) {
            Some(path) if is_first && behind.starts_with('.') => {
                out.push('"');
                out.push_str(path);
                out.push('"');
            }
            _ => out.push_str(word),
        }
        rest = behind;
    }
    Cow::Owned(out)
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
    fn a_package_is_its_path() {
        let imports = [
            "fmt",
            "log github.com/sirupsen/logrus",
            "_ embed",
            ". math",
            "gopkg.in/yaml.v3",
            "example.org/chi/v5",
            "example.org/go-bar",
        ]
        .map(str::to_owned);
        let packages = packages(&imports);
        let mut names: Vec<&str> = packages.keys().copied().collect();
        names.sort_unstable();
        assert_eq!(names, ["bar", "chi", "fmt", "log", "yaml"]);
        for (signature, expected) in [
            (
                "func F(l log.Level) yaml.Node",
                "func F(l \"github.com/sirupsen/logrus\".Level) \"gopkg.in/yaml.v3\".Node",
            ),
            (
                "func Log(catalog.X, a.log.Y, log int)",
                "func Log(catalog.X, a.log.Y, log int)",
            ),
            (
                "func F(l ...chi.R)",
                "func F(l ...\"example.org/chi/v5\".R)",
            ),
            (
                "const P = \"log.txt\" + `fmt.x`",
                "const P = \"log.txt\" + `fmt.x`",
            ),
        ] {
            assert_eq!(with_package_paths(signature, &packages), expected);
        }
        let swapped = ["a x/b", "b x/a"].map(str::to_owned);
        let swapped = self::packages(&swapped);
        assert_eq!(
            with_package_paths("a.T, b.T", &swapped),
            "\"x/b\".T, \"x/a\".T"
        );
    }
}

//! Which names of a module of Python others can reach without a name that begins with an underscore.
//!
//! Such a module, or package, is for its own package alone, but for what an `__init__.py` around it passes on by
//! `from ._module import A`. Where that has a list `__all__`, only names in it count.

use std::collections::BTreeSet;

use super::change::Code;
use super::exposed::Exposed;
use super::import::{FromImport, from_imports};

/// A package around a module, and which module or package of it leads to the one that is looked at.
#[derive(Debug, Clone)]
pub struct PackageAround<'a> {
    /// What was read of its `__init__.py`.
    pub code: &'a Code,
    /// Its own name from the outermost package on, as in `httpx._transports`; empty for one that passes on what stands beside it.
    pub name: String,
    /// The name of the module or package below.
    pub child: &'a str,
}

/// Whether a name is meant for its own module or package alone.
#[must_use]
pub fn is_private_name(name: &str) -> bool {
    name.starts_with('_') && !name.starts_with("__")
}

/// Which names of a module others can reach, given the packages around it, innermost first.
#[must_use]
pub fn reachable(around: &[PackageAround<'_>]) -> Exposed {
    // What of the module is seen in it, in the package around it, and so on outwards.
    let mut states = vec![Exposed::All];
    for (level, package) in around.iter().enumerate() {
        let path: Vec<&str> = around[..=level].iter().rev().map(|one| one.child).collect();
        let mut state = Exposed::nothing();
        if !is_private_name(package.child) {
            state.add(&states[level]);
        }
        let listed = listed(package.code);
        for import in from_imports(&package.code.text) {
            let Some(depth) = depth(&import, &package.name, &path) else {
                continue;
            };
            let source = Source {
                seen: states.get(path.len() - depth),
                child: path
                    .get(depth)
                    .map(|child| (*child, &states[path.len() - depth - 1])),
            };
            pass_on(&mut state, &import, listed.as_ref(), &source);
        }
        states.push(state);
    }
    states.pop().expect("there is one at least")
}

/// The names in the list `__all__`; `None` where there is no list, or it is made by a program.
fn listed(code: &Code) -> Option<BTreeSet<&str>> {
    let mut lines = code.text.lines();
    let is_list = lines.any(|line| {
        let list = line
            .strip_prefix("__all__")
            .and_then(|rest| rest.split_once('='));
        list.is_some_and(|(_, list)| list.trim_start().starts_with(['[', '(']))
    });
    let is_made = code.text.contains("__all__ +=") || code.text.contains("__all__.");
    let all = code.declarations.iter();
    let names = all.filter(|one| one.owner.is_none() && one.is_public());
    (is_list && !is_made).then(|| names.map(|one| one.own.as_str()).collect())
}

/// How far down the path the module of an import stands: 0 for the package itself; `None` where it is not on the way.
fn depth(import: &FromImport<'_>, package: &str, path: &[&str]) -> Option<usize> {
    let below = match import.module.strip_prefix('.') {
        Some(below) => below,
        None if package.is_empty() => import.module,
        None if import.module == package => "",
        None => import.module.strip_prefix(package)?.strip_prefix('.')?,
    };
    let parts: Vec<&str> = below.split('.').filter(|part| !part.is_empty()).collect();
    let is_outside = below.starts_with('.');
    (!is_outside && path.starts_with(&parts)).then_some(parts.len())
}

/// A module or package on the way from which something is imported.
struct Source<'s> {
    /// What of the module that is looked at is seen in it; `None` for the importing package itself.
    seen: Option<&'s Exposed>,
    /// What stands next on the way, and what is seen in that.
    child: Option<(&'s str, &'s Exposed)>,
}

/// Adds what an import takes.
fn pass_on(
    state: &mut Exposed,
    import: &FromImport<'_>,
    listed: Option<&BTreeSet<&str>>,
    source: &Source<'_>,
) {
    let is_listed =
        |name: &str| listed.map_or(!name.starts_with('_'), |listed| listed.contains(name));
    let is_seen = |name: &str| source.seen.is_some_and(|seen| seen.has(name));
    let one = |name: &str| Exposed::Names(BTreeSet::from([name.to_owned()]));
    for (name, alias) in &import.names {
        match (*name, listed, source.child) {
            ("*", None, _) => state.add(source.seen.unwrap_or(&Exposed::nothing())),
            ("*", Some(listed), _) => {
                let names = listed.iter().filter(|name| is_seen(name));
                names.for_each(|name| state.add(&one(name)));
            }
            _ if !is_listed(alias) => {}
            (name, _, Some((child, seen))) if name == child => state.add(seen),
            (name, ..) if is_seen(name) => state.add(&one(name)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Version;
    use crate::symbol::Language;

    /// What of `a`, `b` and `c` in a module is reached, given its name in `pkg` and the texts of the packages, `pkg` first.
    fn reached(module: &str, texts: &[&str]) -> String {
        let parts: Vec<&str> = module.split('.').collect();
        let codes: Vec<Version> = texts
            .iter()
            .map(|text| Version::of_text("__init__.py", Language::Python, text))
            .collect();
        let around: Vec<PackageAround<'_>> = (0..parts.len())
            .rev()
            .map(|at| PackageAround {
                code: codes[at].code().expect("it was read"),
                name: [&["pkg"], &parts[..at]].concat().join("."),
                child: parts[at],
            })
            .collect();
        let reachable = reachable(&around);
        let names = ["a", "b", "c"].into_iter();
        names.filter(|name| reachable.has(name)).collect()
    }

    #[test]
    fn what_a_package_passes_on_is_reached() {
        for (module, texts, expected) in [
            ("m", &[""][..], "abc"),
            ("_m", &[""], ""),
            ("_m", &["from ._m import a, b as _b, c as d"], "ac"),
            ("_m", &["from pkg._m import (\n    a,\n    b,\n)"], "ab"),
            ("_m", &["from ._m import *"], "abc"),
            ("_m", &["from ._m import *\n__all__ = ['a', 'x']"], "a"),
            ("_m", &["from ._m import a, b\n__all__ = ['b']"], "b"),
            (
                "_m",
                &["from ._m import a, b\n__all__ = ['main']\ndef main(): pass"],
                "",
            ),
            ("_m", &["from ._m import a, b\n__all__ = []"], ""),
            (
                "_m",
                &["from ._m import a, b\n__all__ = ['a'] + made()\n__all__ += ['c']"],
                "ab",
            ),
            ("_m", &["from . import _m"], ""),
            ("_m", &["from . import _m\n__all__ = ['_m']"], "abc"),
            ("_m", &["from . import _m as m"], "abc"),
            ("_m", &["from .._m import a\nfrom other._m import b"], ""),
            ("_p.m", &["", "from .m import a"], ""),
            (
                "_p._m",
                &["from ._p import a, c", "from ._m import a, b"],
                "a",
            ),
            ("_p.m", &["from ._p.m import b", ""], "b"),
            ("_p.m", &["from ._p import m", ""], "abc"),
            ("_p.m", &["from ._p import *", "from .m import b"], "abc"),
            ("p._m", &["", "from ._m import c"], "c"),
        ] {
            assert_eq!(reached(module, texts), expected, "{module} {texts:?}");
        }
    }
}

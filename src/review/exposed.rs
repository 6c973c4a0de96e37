//! Which items of a module of Rust can be named from outside of its crate; for Python see [`super::package`].
//!
//! `pub` alone does not say so: each module around has to be `pub` too, or one of them has to pass the item on with
//! `pub use`. What only the crate itself can name is as visible as `pub(crate)`.

use std::collections::{BTreeMap, BTreeSet};

use super::change::Code;
use super::declaration::{Declaration, FileDeclarations};
use super::export;
use super::signature::places_of;
use crate::symbol::{BodyDigest, Kind, Visibility};

/// The items of a module that others can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposed {
    /// All that are `pub`.
    All,
    /// These, and no others.
    Names(BTreeSet<String>),
}

/// A module around, and which of its modules leads to the one that is looked at.
#[derive(Debug, Clone)]
pub struct ModuleAround<'a> {
    /// What its file declares.
    pub declarations: &'a FileDeclarations,
    /// The name of the module below.
    pub child: &'a str,
    /// What the files of other modules below declare that others can name: they may pass on what is in the module below.
    pub beside: Vec<&'a FileDeclarations>,
}

/// Which items can be named from outside, given the modules around, innermost first, the crate last.
///
/// Where a module is declared in a way that is not read (in a macro, with a path) everything counts as it is written.
#[must_use]
pub fn exposed(around: &[ModuleAround<'_>]) -> Exposed {
    // What of the module is seen in it, in the module around it, and so on outwards.
    let mut states = vec![Exposed::All];
    for (level, module) in around.iter().enumerate() {
        let is_child = |one: &&Declaration| {
            one.kind == Kind::Module && one.owner.is_none() && one.own == module.child
        };
        let Some(child) = module.declarations.iter().find(is_child) else {
            return Exposed::All;
        };
        let mut state = Exposed::nothing();
        if child.is_public() {
            state.add(&states[level]);
        }
        let path: Vec<&str> = around[..=level].iter().rev().map(|one| one.child).collect();
        let is_export = |one: &&Declaration| one.kind == Kind::Export && one.is_public();
        let exports = module.declarations.iter().filter(is_export);
        let beside = module.beside.iter().copied().flatten().filter(is_export);
        // Seen from another module, only such a path leads here.
        let beside = beside.filter(|one| {
            one.signature.contains("use crate::") || one.signature.contains("use super::")
        });
        for export in exports.chain(beside) {
            if let Some(passed_on) = passed_on(&export.signature, &path, &states) {
                state.add(&passed_on);
            }
        }
        states.push(state);
    }
    states.pop().expect("there is one at least")
}

/// What a `pub use` passes on of the module at a path; `states` says what is seen of it, from that module outwards.
fn passed_on(signature: &str, path: &[&str], states: &[Exposed]) -> Option<Exposed> {
    let (_, written) = signature.split_once("use ")?;
    let written = written.split(" as ").next().unwrap_or_default();
    let parts = written.split("::").map(str::trim);
    let mut parts: Vec<&str> = parts
        .skip_while(|part| matches!(*part, "" | "crate" | "self" | "super"))
        .collect();
    if parts.last() == Some(&"self") {
        parts.pop();
    }
    // How far into the path a list of modules leads; what leads nowhere is of something else.
    let depth = |parts: &[&str]| (1..=path.len()).find(|depth| path[..*depth].ends_with(parts));
    let (last, modules) = parts.split_last()?;
    if let Some(depth) = depth(&parts) {
        return Some(states[path.len() - depth].clone());
    }
    let depth = depth(modules).filter(|_| !modules.is_empty())?;
    let seen = &states[path.len() - depth];
    match *last {
        "*" => Some(seen.clone()),
        last => seen
            .has(last)
            .then(|| Exposed::Names(BTreeSet::from([last.to_owned()]))),
    }
}

impl Exposed {
    /// No item.
    #[must_use]
    pub fn nothing() -> Self {
        Self::Names(BTreeSet::new())
    }

    /// Whether an item can be named from outside.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.contains(name),
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::All, _) => {}
            (_, Self::All) => *self = Self::All,
            (Self::Names(names), Self::Names(more)) => names.extend(more.iter().cloned()),
        }
    }

    /// Makes what cannot be named from outside visible to its crate alone, with what stands in it.
    ///
    /// An exported macro is named by the crate, and whether an implementation is seen depends on its type; members of a type of
    /// another file are as visible as that.
    pub fn narrow(&self, declarations: &mut FileDeclarations) {
        if *self == Self::All {
            return;
        }
        for at in declarations.indices() {
            let one = &declarations[at];
            let is_hidden = match one.owner {
                Some(owner) => declarations[owner].visibility != Visibility::Public,
                None => {
                    one.own == one.name
                        && !matches!(one.kind, Kind::Macro | Kind::Implementation)
                        && !self.has(&one.own)
                }
            };
            if is_hidden && one.is_public() {
                declarations[at].visibility = Visibility::Package;
            }
        }
    }
}

/// Makes what a private module passes on, and the modules that it declares, visible to the crate alone where the other side of its
/// file has no such name: the module around names each of them, and what came or went is told there.
pub fn narrow_links(declarations: &mut FileDeclarations, other: &BTreeSet<String>) {
    let is_link = |one: &Declaration| {
        one.kind == Kind::Export || one.kind == Kind::Module && one.body == BodyDigest::default()
    };
    for one in declarations.iter_mut().filter(|one| one.is_public()) {
        if is_link(one) && one.owner.is_none() && !other.contains(&one.own) {
            one.visibility = Visibility::Package;
        }
    }
}

/// Makes implementations of traits, and for types, that no other crate can name visible to their crate alone: those that the file
/// itself declares, and those of other files that are in `hidden`.
pub fn narrow_implementations(declarations: &mut FileDeclarations, hidden: &BTreeSet<String>) {
    let (traits, types) = (named(declarations, &TRAITS), named(declarations, &TYPES));
    for at in declarations.indices() {
        let one = &declarations[at];
        let is_of_hidden = one
            .owner
            .is_some_and(|owner| !declarations[owner].is_public());
        let target = target(one);
        let is_hidden_type = types.get(target) == Some(&false) || hidden.contains(target);
        let is_hidden_trait = trait_name(one)
            .is_some_and(|name| traits.get(name) == Some(&false) || hidden.contains(name));
        let is_hidden = match one.kind {
            Kind::Implementation => is_hidden_trait || is_hidden_type,
            _ => one.owner.is_none() && hidden.contains(target),
        };
        if one.is_public() && (is_of_hidden || is_hidden) {
            declarations[at].visibility = Visibility::Package;
        }
    }
}

/// The traits and types of other files that a file implements or adds to.
#[must_use]
pub fn implemented(declarations: &FileDeclarations) -> BTreeSet<String> {
    let (traits, types) = (named(declarations, &TRAITS), named(declarations, &TYPES));
    let mut names = BTreeSet::new();
    for one in declarations.iter().filter(|one| one.is_public()) {
        let target = target(one);
        if one.owner.is_none() && !target.is_empty() && !types.contains_key(target) {
            names.insert(target.to_owned());
        }
        if let Some(name) = trait_name(one).filter(|name| !traits.contains_key(*name)) {
            names.insert(name.to_owned());
        }
    }
    names
}

const TRAITS: [Kind; 1] = [Kind::Interface];
const TYPES: [Kind; 3] = [Kind::Struct, Kind::Enum, Kind::Type];

/// What a file declares of some kinds, and whether others can name it.
fn named(declarations: &FileDeclarations, kinds: &[Kind]) -> BTreeMap<String, bool> {
    let mut names = BTreeMap::new();
    let is_named = |one: &&Declaration| kinds.contains(&one.kind) && one.owner.is_none();
    for one in declarations.iter().filter(is_named) {
        *names.entry(one.own.clone()).or_default() |= one.is_public();
    }
    names
}

/// The type to which something outside of it belongs, as `Vec` of `Vec::head`.
fn target(one: &Declaration) -> &str {
    one.name.rsplit_once("::").unwrap_or_default().0
}

/// The trait that it implements, without its arguments, where it names that without a path.
fn trait_name(one: &Declaration) -> Option<&str> {
    let name = one.own.split('<').next().unwrap_or_default();
    let is_by_name = one.kind == Kind::Implementation
        && !name.is_empty()
        && !is_named_by_path(&one.signature, name);
    is_by_name.then_some(name)
}

fn is_named_by_path(signature: &str, name: &str) -> bool {
    places_of(signature, name).any(|at| signature[..at].ends_with("::"))
}

/// Where the names of types and traits stand that a file of Rust declares, passes on or imports.
#[derive(Debug, Default)]
pub struct Origins {
    /// Those that stand in the file itself: whether others can name them if they can name what is in the file.
    pub here: BTreeMap<String, bool>,
    /// Those that it imports or passes on, each with its path there.
    pub imported: BTreeMap<String, String>,
    /// The modules from which it imports everything, each with `::` behind it: there a name stands that it imports in no other way.
    pub globs: Vec<String>,
}

impl Origins {
    /// The origins of a file.
    #[must_use]
    pub fn of(code: &Code) -> Self {
        let exports = code.declarations.iter();
        let exports = exports.filter(|one| one.kind == Kind::Export);
        let here = named(&code.declarations, &[&TRAITS[..], &TYPES].concat());
        let exports = exports.filter_map(|one| one.signature.split_once("use "));
        let imports = code.imports.iter().map(String::as_str);
        let uses = imports.chain(exports.map(|(_, path)| path));
        let (mut imported, mut globs) = (BTreeMap::new(), Vec::new());
        for (local, path) in uses.flat_map(export::of_use) {
            let path = path.split(" as ").next().unwrap_or_default().trim();
            match path.strip_suffix('*') {
                Some(module) => globs.push(module.to_owned()),
                None => {
                    imported.insert(local, path.to_owned());
                }
            }
        }
        Self {
            here,
            imported,
            globs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::number::IndexVec;
    use crate::review::declaration::declarations;
    use crate::review::{DeclarationNumber, Version};
    use crate::symbol::{Language, extract};

    fn read(text: &str) -> IndexVec<DeclarationNumber, Declaration> {
        declarations(&extract(Some(Language::Rust), text.as_bytes()), text)
    }

    /// What of `a`, `b` and `c` in the module at a path is seen, given the texts of the modules around, the crate's first.
    fn seen(path: &str, texts: &[&str]) -> String {
        let names: Vec<&str> = path.split("::").collect();
        let files: Vec<IndexVec<DeclarationNumber, Declaration>> =
            texts.iter().map(|text| read(text)).collect();
        let around = files.iter().zip(&names).rev();
        let around: Vec<_> = around
            .map(|(declarations, child)| ModuleAround {
                declarations,
                child,
                beside: Vec::new(),
            })
            .collect();
        let exposed = exposed(&around);
        ["a", "b", "c"]
            .into_iter()
            .filter(|name| exposed.has(name))
            .collect()
    }

    #[test]
    fn what_is_passed_on_is_seen() {
        for (path, texts, expected) in [
            ("m", &["pub mod m;"][..], "abc"),
            ("m", &["mod m;"], ""),
            ("m", &["pub(crate) mod m;"], ""),
            ("m", &["macro! { mod m; }"], "abc"),
            ("m", &["mod m;\npub use m::a;"], "a"),
            ("m", &["mod m;\nuse m::a;\npub(crate) use m::b;"], ""),
            ("m", &["mod m;\npub use crate::m::{a as x, c};"], "ac"),
            ("m", &["mod m;\npub use self::m::*;"], "abc"),
            ("m", &["mod m;\npub use other::m2::*;"], ""),
            (
                "m",
                &["mod m;\npub mod prelude {\n    pub use crate::m::b;\n}"],
                "b",
            ),
            ("m", &["mod m;\npub use m as n;"], "abc"),
            ("m::n", &["mod m;", "pub mod n;"], ""),
            ("m::n", &["pub mod m;", "mod n;\npub use n::b;"], "b"),
            (
                "m::n",
                &["mod m;\npub use m::*;", "mod n;\npub use n::{a, b};"],
                "ab",
            ),
            (
                "m::n",
                &["mod m;\npub use m::{a, c};", "mod n;\npub use n::{a, b};"],
                "a",
            ),
            ("m::n", &["mod m;\npub use m::n::c;", "pub mod n;"], "c"),
            ("m::n", &["mod m;\npub use m::n;", "pub mod n;"], "abc"),
        ] {
            assert_eq!(seen(path, texts), expected, "{path} {texts:?}");
        }
    }

    #[test]
    fn an_implementation_of_a_hidden_trait_or_for_a_hidden_type_is_hidden() {
        let text = "pub(crate) trait Index<T> {\n    fn at(&self);\n}\nimpl Index<u8> for u8 {\n    fn at(&self) {}\n}\nstruct Own(u8);\nimpl fmt::Debug for Own {}\npub struct Known;\nimpl fmt::Debug for Known {}\nimpl Other for Elsewhere {}\nimpl std::ops::Index for Elsewhere {}\n";
        let mut all = read(text);
        assert_eq!(
            implemented(&all).into_iter().collect::<Vec<_>>(),
            ["Elsewhere", "Other", "u8"]
        );
        narrow_implementations(&mut all, &BTreeSet::from(["Other".to_owned()]));
        let public: Vec<&str> = all
            .iter()
            .filter(|one| one.is_public())
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(public, ["Known", "Known::Debug", "Elsewhere::Index"]);
    }

    #[test]
    fn a_name_stands_where_a_file_says() {
        let text = "use crate::a::{B, c::D as E};\nuse super::*;\npub use x::F;\npub(crate) use y::G;\npub struct H;\ntrait I {}\n";
        let version = Version::of_text("m.rs", Language::Rust, text);
        let origins = Origins::of(version.code().expect("it was read"));
        let here: Vec<String> = origins
            .here
            .iter()
            .map(|(name, is)| format!("{name} {is}"))
            .collect();
        assert_eq!(here, ["H true", "I false"]);
        let imported = origins.imported.iter();
        let imported: Vec<String> = imported
            .map(|(name, path)| format!("{name} {path}"))
            .collect();
        assert_eq!(
            imported,
            ["B crate::a::B", "E crate::a::c::D", "F x::F", "G y::G"]
        );
        assert_eq!(origins.globs, ["super::"]);
    }

    #[test]
    fn what_stands_in_something_hidden_is_hidden() {
        let text = "pub struct A {\n    pub x: u8,\n}\nimpl A {\n    pub fn f() {}\n}\npub fn b() {}\n#[macro_export]\nmacro_rules! m { () => {} }\nimpl Elsewhere {\n    pub fn g() {}\n}\n";
        let mut all = read(text);
        Exposed::Names(BTreeSet::from(["b".to_owned()])).narrow(&mut all);
        let public: Vec<&str> = all
            .iter()
            .filter(|one| one.is_public())
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(public, ["b", "m", "Elsewhere::g"]);
    }
}

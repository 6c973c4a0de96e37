//! The order in which a reviewer reads: what others rely on before what they do not see.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::change::{Change, Changes, File, How, ReviewedNumber, Section, Version};
use super::declaration::Declaration;
use super::go;
use super::role::FileRole;
use crate::base::TreePath;
use crate::symbol::{Kind, Language};

impl Changes {
    /// Puts the list in order: by section, then by weight; what is told together stands together.
    pub fn order(&mut self) {
        let moved = moved_modules(self.files.as_raw_slice());
        for change in &mut self.list {
            let file = &self.files[change.file];
            if is_value_alone(change, file) {
                change.how = How::Value;
            }
            change.section = section(change, file);
            if follows_move(change, file, &moved) {
                change.section = Section::Moved;
            }
            change.is_internal = !change.is_public();
        }
        for at in self.callers() {
            self.list[at].section = Section::Caller;
        }
        let mut groups: BTreeMap<Group, Weight<'_>> = BTreeMap::new();
        let fresh = self.fresh();
        for (at, change) in self.list.iter().enumerate() {
            let lines = match change.how {
                How::Body => self.differing(at),
                _ => Vec::new(),
            };
            let weight = groups.entry(group(change)).or_default();
            weight.add(change, &fresh, &lines);
        }
        let weights: BTreeMap<Group, usize> = groups
            .into_iter()
            .map(|(group, weight)| (group, weight.product()))
            .collect();
        self.list.sort_by_cached_key(|change| {
            let group = group(change);
            let line = change.declaration().line;
            (
                change.section,
                !is_missed(change),
                change.section == Section::Moved && change.how == How::Added,
                Reverse(weights[&group]),
                group,
                Reverse(Weight::of(change, &fresh).product()),
                line,
            )
        });
    }

    /// The files that are new: that they use what is new is no reason to read that first.
    fn fresh(&self) -> BTreeSet<TreePath> {
        let new = self.files.iter().filter(|file| file.old.is_none());
        new.map(|file| file.path().clone()).collect()
    }
}

/// Where the files of modules stand or stood that stand elsewhere now.
fn moved_modules(files: &[File]) -> BTreeSet<&TreePath> {
    let moved = files
        .iter()
        .filter_map(|file| Some([file.moved_from()?, file.path()]));
    let is_module = |path: &&TreePath| path.name().ends_with(b".rs");
    moved.flatten().filter(is_module).collect()
}

/// Whether it is a module, by declaration or passed on, whose file stands elsewhere: what is said of it follows the move.
fn follows_move(change: &Change, file: &File, moved: &BTreeSet<&TreePath>) -> bool {
    let is_module = |one: &Declaration| matches!(one.kind, Kind::Module | Kind::Export);
    let mut sides = [&file.new, &file.old].into_iter().flatten();
    let code = sides.find_map(Version::code);
    matches!(change.section, Section::Public | Section::Added)
        && code.is_some_and(|code| code.language == Some(Language::Rust))
        && [&change.old, &change.new]
            .into_iter()
            .flatten()
            .all(is_module)
        && files_of_module(file.path(), &change.declaration().own)
            .iter()
            .any(|path| moved.contains(path))
}

/// Where the file of a module of Rust may stand that a file declares: `a.rs` or `a/mod.rs` in the folder of the file's own modules.
fn files_of_module(file: &TreePath, module: &str) -> [TreePath; 2] {
    let folder = file.parent().unwrap_or_default();
    let folder = match file.name() {
        b"lib.rs" | b"main.rs" | b"mod.rs" => folder,
        name => folder.join(name.strip_suffix(b".rs").unwrap_or(name)),
    };
    let module = module.strip_prefix("r#").unwrap_or(module);
    [
        folder.join(format!("{module}.rs").as_bytes()),
        folder.join(module.as_bytes()).join(b"mod.rs"),
    ]
}

/// Whether it is gone and others would miss it: that is read before whatever else others see.
fn is_missed(change: &Change) -> bool {
    change.section == Section::Public
        && change.how == How::Removed
        && !change.refers.files.is_empty()
}

/// What is told in one line, but for signatures that changed alike: a section, how, the file, and in it one declaration or all.
type Group = (Section, How, ReviewedNumber, u32);

fn group(change: &Change) -> Group {
    let is_alone = matches!(change.how, How::Signature)
        || change.how == How::Removed && change.section == Section::Public;
    let line = if is_alone {
        change.declaration().line
    } else {
        0
    };
    (change.section, change.how, change.file, line)
}

/// Who relies on what is told in one line, and how much of it differs.
#[derive(Default)]
struct Weight<'c> {
    files: usize,
    lines: usize,
    is_gone: bool,
    /// The lines that differ in its bodies.
    seen: HashSet<&'c str>,
}

impl<'c> Weight<'c> {
    fn of(change: &Change, fresh: &BTreeSet<TreePath>) -> Self {
        let mut weight = Self::default();
        weight.add(change, fresh, &[]);
        weight
    }

    /// Adds one; a line that came or went in several bodies counts once.
    fn add(&mut self, change: &Change, fresh: &BTreeSet<TreePath>, lines: &[&'c str]) {
        let files = change.refers.files.iter();
        let files = files.filter(|path| !fresh.contains(path)).count();
        self.files = self.files.max(files);
        let known = lines.iter().filter(|line| self.seen.contains(*line));
        self.lines += change.lines.saturating_sub(known.count());
        self.seen.extend(lines);
        self.is_gone |= change.how == How::Removed || is_hidden(change);
    }

    /// A word that many see is less than a class that a few rely on; what is gone is more than what is another.
    fn product(&self) -> usize {
        let gone = if self.is_gone { 2 } else { 1 };
        gone * (1 + self.files) * (100 * (1 + self.lines)).isqrt()
    }
}

/// Others could use it, and can no more.
fn is_hidden(change: &Change) -> bool {
    matches!((&change.old, &change.new), (Some(old), Some(new)) if old.is_public() && !new.is_public())
}

fn section(change: &Change, file: &File) -> Section {
    let is_test = [&change.old, &change.new]
        .into_iter()
        .flatten()
        .all(|one| one.is_test);
    match (file.role(), change.how, change.is_public()) {
        (FileRole::Test, _, _) => Section::Test,
        _ if is_test => Section::Test,
        (FileRole::Aside, _, _) => Section::Aside,
        // A constant of Go that `iota` counts anew has no line that differs.
        (_, How::Signature, false) if is_visibility_alone(change) || change.lines == 0 => {
            Section::Private
        }
        // What uses a signature that only its package sees follows it: that is read among the bodies.
        (_, How::Body | How::Value, _) | (_, How::Signature | How::Order, false) => Section::Body,
        (_, How::Moved, _) => Section::Moved,
        (_, _, false) => Section::Private,
        (_, How::Signature, _) if is_note_alone(change, file) => Section::Body,
        (_, How::Signature, _) if is_derive_alone(change) || is_opened(change) => Section::Added,
        (_, How::Added, _) if is_demanded(change, file) => Section::Public,
        (_, How::Added, _) => Section::Added,
        (_, How::Removed | How::Signature | How::Order, _) => Section::Public,
    }
}

/// A value that is too long to be shown is a body, and in Go that of a variable, which has the type that it had: what others see
/// of it has stayed.
fn is_value_alone(change: &Change, file: &File) -> bool {
    let (Some(old), Some(new), How::Signature) = (&change.old, &change.new, change.how) else {
        return false;
    };
    let is_go = file.path().name().ends_with(b".go");
    let is_same = old.signature == new.signature
        || is_go
            && [old, new].iter().all(|one| one.kind == Kind::Variable)
            && go::typed(&old.signature) == go::typed(&new.signature);
    new.has_value()
        && is_same
        && old.attributes == new.attributes
        && old.visibility == new.visibility
}

/// The annotation of a variable of Python: nothing that runs is another.
fn is_note_alone(change: &Change, file: &File) -> bool {
    let (Some(old), Some(new)) = (&change.old, &change.new) else {
        return false;
    };
    let value = |one: &Declaration| {
        one.signature
            .split_once(" = ")
            .map(|(_, value)| value.to_owned())
    };
    file.path().as_bytes().ends_with(b".py")
        && [old, new].iter().all(|one| one.kind == Kind::Variable)
        && old.own_visibility == new.own_visibility
        && value(old) == value(new)
}

/// A method that an interface of Go or a trait of Rust gains: each type that implements it has to have it.
fn is_demanded(change: &Change, file: &File) -> bool {
    let code = file.new.as_ref().and_then(Version::code);
    let (Some(code), Some(one)) = (code, change.new.as_ref()) else {
        return false;
    };
    let owner = one.owner.and_then(|owner| code.declarations.get(owner));
    matches!(code.language, Some(Language::Go | Language::Rust))
        && matches!(one.kind, Kind::Function | Kind::Method)
        && one.body == [0; 16]
        && owner.is_some_and(|owner| owner.kind == Kind::Interface)
}

/// Others may use now what they could not before, and that is all: to them it is new.
fn is_opened(change: &Change) -> bool {
    let was_public = change.old.as_ref().is_some_and(Declaration::is_public);
    !was_public && is_visibility_alone(change)
}

/// Only the visibility changed.
fn is_visibility_alone(change: &Change) -> bool {
    let (Some(old), Some(new)) = (&change.old, &change.new) else {
        return false;
    };
    old.own_visibility != new.own_visibility
        && old.attributes == new.attributes
        && old.value == new.value
        && old.behind() == new.behind()
}

/// Traits of Rust that a type has in addition break nothing.
fn is_derive_alone(change: &Change) -> bool {
    let (Some(old), Some(new)) = (&change.old, &change.new) else {
        return false;
    };
    let derived = |one: &Declaration| -> (BTreeSet<String>, Vec<String>) {
        let (mut traits, mut others) = (BTreeSet::new(), Vec::new());
        for attribute in &one.attributes {
            match attribute.strip_prefix("#[derive(") {
                Some(list) => {
                    let list = list.trim_end_matches([')', ']']);
                    traits.extend(list.split(',').map(|name| name.trim().to_owned()));
                }
                None => others.push(attribute.clone()),
            }
        }
        (traits, others)
    };
    let (before, after) = (derived(old), derived(new));
    old.signature == new.signature
        && old.visibility == new.visibility
        && before.1 == after.1
        && before.0.is_subset(&after.0)
        && before.0 != after.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::compare;

    #[expect(clippy::unnecessary_wraps, reason = "a side of a file is an option")]
    fn version(path: &str, language: Language, text: &str) -> Option<Version> {
        Some(Version::of_text(path, language, text))
    }

    #[test]
    fn a_module_stands_in_the_folder_of_its_file() {
        for (file, module, expected) in [
            ("src/lib.rs", "a", ["src/a.rs", "src/a/mod.rs"]),
            ("src/x/mod.rs", "a", ["src/x/a.rs", "src/x/a/mod.rs"]),
            ("src/x.rs", "r#try", ["src/x/try.rs", "src/x/try/mod.rs"]),
            ("main.rs", "a", ["a.rs", "a/mod.rs"]),
        ] {
            let found = files_of_module(&TreePath::new(file), module);
            assert_eq!(found, expected.map(TreePath::new), "{file}");
        }
    }

    /// The names of what changed in the order in which a reviewer reads, where some are used: by name, the paths of the users.
    fn order(files: Vec<File>, used: &[(&str, &[&str])]) -> String {
        let mut changes = compare(files);
        for change in &mut changes.list {
            let own = change.declaration().own.clone();
            let users = used.iter().filter(|one| one.0 == own);
            let users = users.flat_map(|one| one.1.iter().copied());
            change.refers.files = users.map(TreePath::new).collect();
        }
        changes.order();
        let names = changes.list.iter();
        let names: Vec<&str> = names.map(|one| &one.declaration().own[..]).collect();
        names.join(" ")
    }

    fn python(path: &str, old: &str, new: &str) -> File {
        File {
            old: version(path, Language::Python, old),
            new: version(path, Language::Python, new),
        }
    }

    #[test]
    fn that_new_files_use_what_is_new_is_no_reason_to_read_it_first() {
        let with = |used: &str| {
            let files = vec![
                python("a.py", "", "def first():\n    return 1\n"),
                python("b.py", "", "def other():\n    return 2\n"),
                File {
                    old: None,
                    new: version("c.py", Language::Python, "X = 1\n"),
                },
            ];
            let users: &[&str] = &[used];
            order(files, &[("other", users)])
        };
        // `c.py` is new, `d.py` is not.
        assert_eq!(with("c.py"), "first other X");
        assert_eq!(with("d.py"), "other first X");
    }

    #[test]
    fn what_is_gone_and_missed_is_read_before_what_is_another() {
        let old = "def run(a):\n    return a\n\ndef gone():\n    return 1\n";
        let new = "def run(a, b):\n    x = a\n    y = b\n    z = x\n    return y + z\n";
        let files = || vec![python("a.py", old, new)];
        let many: &[&str] = &["b.py", "c.py", "d.py", "e.py"];
        let one: &[&str] = &["b.py"];
        assert_eq!(order(files(), &[("run", many), ("gone", one)]), "gone run");
        assert_eq!(order(files(), &[("run", many)]), "run gone");
    }

    #[test]
    fn the_annotation_of_a_variable_is_read_among_the_bodies() {
        let old = "current: Old = proxy(1)\n\ndef run(a):\n    return a\n";
        let new = "current: New = proxy(2)\n\ndef run(a, b):\n    return a\n";
        let many: &[&str] = &["b.py", "c.py", "d.py", "e.py"];
        let files = vec![python("a.py", old, new)];
        assert_eq!(order(files, &[("current", many)]), "current run");
        let long = "\"x\" * 40 + \"a value that is too long to be shown in one line\"";
        let files = vec![python(
            "a.py",
            &old.replace("proxy(1)", long),
            &new.replace("proxy(2)", long),
        )];
        assert_eq!(order(files, &[("current", many)]), "run current");
    }

    #[test]
    fn what_an_interface_demands_is_read_before_what_is_new_and_a_shifted_constant_last() {
        let go = |text: &str| version("a/a.go", Language::Go, text);
        let old = "package a\n\nconst (\n\tfirst = iota\n\tlast\n)\n\ntype Router interface {\n\tGet()\n}\n";
        let new = old.replace("\tlast\n", "\tnext\n\tlast\n");
        let new = new.replace("\tGet()\n", "\tGet()\n\tQuery()\n")
            + "\nfunc New() int {\n\treturn 1\n}\n";
        let files = vec![File {
            old: go(old),
            new: go(&new),
        }];
        assert_eq!(
            order(files, &[("last", &["b/b.go"])]),
            "Query New last next"
        );
    }

    #[test]
    fn the_value_of_a_variable_of_go_is_a_body_while_its_type_stays() {
        let go = |text: &str| version("a/a.go", Language::Go, text);
        let old = "package a\n\nvar Err = errors.New(\"a\")\n\nvar Wait = 5\n\nconst Max = 1\n";
        let new = "package a\n\nvar Err = errors.New(\"b\")\n\nvar Wait = 5.5\n\nconst Max = 2\n";
        let files = vec![File {
            old: go(old),
            new: go(new),
        }];
        let many: &[&str] = &["b/b.go", "c/c.go", "d/d.go"];
        assert_eq!(order(files, &[("Err", many)]), "Wait Max Err");
    }

    #[test]
    fn what_others_may_use_now_is_new_to_them() {
        let version = |text: &str| version("src/a.rs", Language::Rust, text);
        let old = "fn helper(a: u8) {}\npub fn run(a: u8) {}\n";
        let new =
            "pub fn helper(a: u8) {}\npub fn run(a: u16) {}\npub fn other() {\n    run(1);\n}\n";
        let files = vec![File {
            old: version(old),
            new: version(new),
        }];
        let many: &[&str] = &["src/b.rs", "src/c.rs", "src/d.rs"];
        assert_eq!(order(files, &[("helper", many)]), "run helper other");
    }

    #[test]
    fn what_is_said_of_a_module_follows_its_move() {
        let rust = |path: &str, text: &str| version(path, Language::Rust, text);
        let module = "pub fn walk() {\n    go();\n}\n";
        let files = vec![
            File {
                old: rust("lib/src/lib.rs", "pub mod walk;\npub fn f(a: u8) {}\n"),
                new: rust(
                    "lib/src/lib.rs",
                    "pub use core::walk;\npub fn f(a: u16) {}\n",
                ),
            },
            File {
                old: rust("core/src/lib.rs", ""),
                new: rust("core/src/lib.rs", "pub mod walk;\npub fn g() {}\n"),
            },
            File {
                old: rust("lib/src/walk.rs", module),
                new: rust("core/src/walk.rs", module),
            },
        ];
        assert_eq!(order(files, &[]), "f g walk walk");
    }

    #[test]
    fn lines_that_several_bodies_share_count_once_however_often_they_stand_there() {
        let body = |name: &str, lines: &str| format!("def {name}():\n    start()\n{lines}\n");
        let guard = "    with errors:\n        ";
        let old = |names: &[&str]| names.iter().map(|name| body(name, "")).collect::<String>();
        let two = format!("{guard}one()\n{guard}two()\n{guard}three()\n");
        let more = format!("{two}{guard}four()\n    five()\n");
        let files = vec![
            python(
                "a.py",
                &old(&["a", "b"]),
                &[body("a", &two), body("b", &two)].concat(),
            ),
            python("c.py", &old(&["c"]), &body("c", &more)),
        ];
        assert_eq!(order(files, &[]), "c a b");
    }
}

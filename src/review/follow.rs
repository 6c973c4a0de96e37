//! Bodies that only follow what else has changed: a caller is read after what it calls.
//!
//! | the body | follows if |
//! |---|---|
//! | stands in a file where programs start | it uses something that changed |
//! | others do not rely on it | what it uses differs in at least half as many lines |
//! | others rely on it | what it uses differs in four times as many lines, or all its own lines that differ name what changed |
//!
//! More than twenty-four lines of its own are no mere call of something private. Who uses something of a new file uses what stands
//! behind that in it, and who uses what a header of C declares uses what a source defines for it. Where all bodies follow private helpers
//! and nothing else is there to start with, only those follow of which at least half of the differing lines name what changed.
//!
//! Of other files a body uses what its own file refers to; of its own file what its differing lines name.

use std::collections::{HashMap, HashSet};

use super::change::{Change, Changes, How, ReviewedNumber, Section, Version};
use super::declaration::Declaration;
use super::lines::own_lines;
use crate::base::TreePath;

/// Lines of its own with which a body follows at most what is private.
const LINES_MAX: usize = 24;

impl Changes {
    /// The numbers of the bodies that follow. Where only private helpers would be left to start with, what does more than call
    /// one does not follow it.
    pub(super) fn callers(&self) -> Vec<usize> {
        let (named, behind) = (self.named(), Behind::of(self));
        let bodies = (0..self.list.len()).filter(|at| self.list[*at].section == Section::Body);
        let mut found: Vec<usize> = bodies
            .filter(|at| self.follows(*at, named.get(at), &behind))
            .collect();
        let numbers: HashSet<usize> = found.iter().copied().collect();
        let is_first = |(at, change): (usize, &Change)| {
            change.section < Section::Private && !numbers.contains(&at)
        };
        if !self.list.iter().enumerate().any(is_first) {
            let told = self.list.iter().filter(|other| is_target(other));
            let names = told.map(|other| &other.declaration().own[..]).collect();
            found.retain(|at| self.is_mere_call(*at, &names));
        }
        found
    }

    fn follows(&self, at: usize, named: Option<&Named>, behind: &Behind<'_>) -> bool {
        let change = &self.list[at];
        if change.how != How::Body && !change.is_internal {
            return false;
        }
        let is_long = change.lines > LINES_MAX;
        let path = self.files[change.file].path();
        let is_used = |(number, other): (usize, &Change)| {
            if is_long && other.section == Section::Private {
                return false;
            }
            if other.file == change.file {
                return named.is_some_and(|named| named.numbers.contains(&number));
            }
            is_told(other) && other.refers.files.contains(path)
        };
        let all = self.list.iter().enumerate();
        let used = all.filter(|one| one.0 != at && is_used(*one));
        let used = behind.lines(used.map(|(_, other)| other));
        let own = 1 + change.lines;
        if is_start(path) {
            used > 0
        } else if change.refers.files.is_empty() {
            2 * used >= own
        } else {
            used >= 4 * own || used >= own && named.is_some_and(|named| named.is_all)
        }
    }

    /// Whether at least half of the lines that differ in a body name something that changed, or it starts a program.
    fn is_mere_call(&self, at: usize, names: &HashSet<&str>) -> bool {
        let lines = self.differing(at).into_iter();
        let lines: Vec<&str> = lines.filter(|line| is_telling(line)).collect();
        let naming = lines
            .iter()
            .filter(|line| words(line).any(|word| names.contains(word)));
        let path = self.files[self.list[at].file].path();
        2 * naming.count() >= lines.len() || is_start(path)
    }

    /// What the differing lines of each body name of what changed in the same file.
    fn named(&self) -> HashMap<usize, Named> {
        let mut by_file: HashMap<ReviewedNumber, Vec<usize>> = HashMap::new();
        for (at, change) in self.list.iter().enumerate() {
            by_file.entry(change.file).or_default().push(at);
        }
        let mut found = HashMap::new();
        for numbers in by_file.values().filter(|numbers| numbers.len() > 1) {
            let targets = numbers.iter().copied();
            let targets: HashMap<&str, usize> = targets
                .filter(|at| is_target(&self.list[*at]))
                .map(|at| (&self.list[at].declaration().own[..], at))
                .collect();
            for at in numbers
                .iter()
                .filter(|at| self.list[**at].section == Section::Body)
            {
                let named = Named::of(&self.differing(*at), &targets);
                if !named.numbers.is_empty() {
                    found.insert(*at, named);
                }
            }
        }
        found
    }

    /// The lines of a declaration that only one side has, or has more often.
    pub(super) fn differing<'c>(&'c self, at: usize) -> Vec<&'c str> {
        let change = &self.list[at];
        let file = &self.files[change.file];
        let old = lines_of(file.old.as_ref(), change.old.as_ref());
        let new = lines_of(file.new.as_ref(), change.new.as_ref());
        let without = |lines: &[&'c str], others: &[&'c str]| {
            let mut left: HashMap<&str, usize> = HashMap::new();
            for line in others {
                *left.entry(line).or_default() += 1;
            }
            let mut lines = lines.to_vec();
            lines.retain(|line| match left.get_mut(line) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            });
            lines
        };
        [without(&old, &new), without(&new, &old)].concat()
    }
}

/// What stands behind what is used.
struct Behind<'c> {
    /// By new file, how many lines its declarations have.
    fresh: HashMap<ReviewedNumber, usize>,
    /// By name, how many lines differ in what sources of C define.
    defined: HashMap<&'c str, usize>,
    /// The files that are headers of C.
    headers: HashSet<ReviewedNumber>,
}

impl<'c> Behind<'c> {
    fn of(changes: &'c Changes) -> Self {
        let mut behind = Self {
            fresh: HashMap::new(),
            defined: HashMap::new(),
            headers: HashSet::new(),
        };
        for change in changes.list.iter().filter(|one| is_told(one)) {
            let file = &changes.files[change.file];
            if file.old.is_none() {
                *behind.fresh.entry(change.file).or_default() += 1 + change.lines;
            }
            let path = file.path().as_bytes();
            if path.ends_with(b".c") && change.new.is_some() {
                let lines = behind.defined.entry(&change.declaration().own).or_default();
                *lines += change.lines;
            } else if path.ends_with(b".h") {
                behind.headers.insert(change.file);
            }
        }
        behind
    }

    /// How many lines differ in what is used, and behind it.
    fn lines<'u>(&self, used: impl Iterator<Item = &'u Change>) -> usize {
        let (mut lines, mut seen) = (0, HashSet::new());
        for other in used {
            let file = other.file;
            if let Some(all) = self.fresh.get(&file) {
                lines += if seen.insert(file) { *all } else { 0 };
                continue;
            }
            let own = &other.declaration().own[..];
            let defined = self
                .defined
                .get(own)
                .filter(|_| self.headers.contains(&file));
            lines += 1 + other.lines + defined.copied().unwrap_or_default();
        }
        lines
    }
}

fn is_told(change: &Change) -> bool {
    !matches!(change.section, Section::Aside | Section::Test)
}

fn is_telling(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The lines of a declaration in the file in which it stands, without those of its members.
fn lines_of<'f>(version: Option<&'f Version>, side: Option<&Declaration>) -> Vec<&'f str> {
    let lines = || {
        let (code, side) = (version?.code()?, side?);
        let number = code.declarations.position(|one| one == side)?;
        Some(own_lines(code, number))
    };
    lines().unwrap_or_default()
}

/// What the differing lines of a body name of what changed beside it.
struct Named {
    numbers: HashSet<usize>,
    /// Whether each of the lines names something.
    is_all: bool,
}

impl Named {
    fn of(lines: &[&str], targets: &HashMap<&str, usize>) -> Self {
        let (mut numbers, mut is_all) = (HashSet::new(), true);
        for line in lines.iter().filter(|line| is_telling(line)) {
            let mut found = words(line).filter_map(|word| targets.get(word)).peekable();
            is_all &= found.peek().is_some();
            numbers.extend(found);
        }
        Self { numbers, is_all }
    }
}

/// Whether a body that names it may follow it: what others see of it is another, or it came, or it went.
fn is_target(change: &Change) -> bool {
    change.how != How::Body && is_told(change)
}

/// A file in which a program starts: it uses the rest, and nothing uses it.
fn is_start(path: &TreePath) -> bool {
    let path = path.to_text();
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "main.rs" | "main.go" | "main.c" | "__main__.py") || path.contains("src/bin/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{File, compare};
    use crate::symbol::Language;

    fn version(text: &str) -> Version {
        Version::of_text("src/a.rs", Language::Rust, text)
    }

    /// The names of what changed in a file, in the order in which a reviewer reads.
    fn order(old: &str, new: &str) -> String {
        let mut changes = compare(vec![File {
            old: Some(version(old)),
            new: Some(version(new)),
        }]);
        changes.order();
        names(&changes)
    }

    fn names(changes: &Changes) -> String {
        let names = changes.list.iter();
        let names: Vec<&str> = names.map(|one| &one.declaration().name[..]).collect();
        names.join(" ")
    }

    /// The names of what changed in files, where some are used by others: by name, the path of the user.
    fn order_of(files: Vec<File>, used: &[(&str, &str)]) -> String {
        let mut changes = compare(files);
        for change in &mut changes.list {
            let name = change.declaration().name.clone();
            let users = used.iter().filter(|one| one.0 == name);
            change.refers.files = users.map(|one| TreePath::new(one.1)).collect();
        }
        changes.order();
        names(&changes)
    }

    #[test]
    fn who_uses_a_new_file_uses_all_of_it() {
        let caller = |body: &str| version(&format!("pub fn f() {{\n{body}}}\n"));
        let long = "    x.y();\n".repeat(20);
        let new = format!("pub fn g() {{\n    h();\n}}\nfn h() {{\n{long}}}\n");
        let files = vec![
            File {
                old: Some(caller("    a();\n")),
                new: Some(caller("    g();\n    b();\n")),
            },
            File {
                old: None,
                new: Some(Version::of_text("src/g.rs", Language::Rust, &new)),
            },
        ];
        let used = [("g", "src/a.rs"), ("f", "src/main.rs")];
        assert_eq!(order_of(files, &used), "g h f");
    }

    #[test]
    fn who_uses_a_header_uses_what_is_defined_for_it() {
        let c = |path: &str, text: &str| Version::of_text(path, Language::C, text);
        let long = "    x();\n".repeat(20);
        let side = |old: Version, new: Version| File {
            old: Some(old),
            new: Some(new),
        };
        let files = vec![
            side(
                c("a.c", "int f(void) {\n    a();\n}\n"),
                c("a.c", "int f(void) {\n    b();\n    w();\n    c();\n}\n"),
            ),
            side(
                c("w.h", "int v(void);\n"),
                c("w.h", "int v(void);\nint w(void);\n"),
            ),
            side(
                c("w.c", "int v(void) {\n}\n"),
                c(
                    "w.c",
                    &format!("int v(void) {{\n}}\nint w(void) {{\n{long}}}\n"),
                ),
            ),
        ];
        assert_eq!(
            order_of(files, &[("w", "a.c")]).rsplit(' ').next(),
            Some("f")
        );
    }

    #[test]
    fn a_caller_in_the_same_file_is_read_after_what_it_calls() {
        let old = "pub fn a() {\n    b(1);\n}\nfn b(x: u8) {\n    x;\n}\n";
        let new = "pub fn a() {\n    b(1, 2);\n}\nfn b(x: u8, y: u8) {\n    x + y;\n}\n";
        assert_eq!(order(old, new), "b a");
        let more = "pub fn a() {\n    b(1, 2);\n    let c = 3;\n    c + c;\n    c * c;\n    c - c;\n    c / c;\n    3 * c;\n    4 * c;\n    5 * c;\n}\nfn b(x: u8, y: u8) {\n    x;\n}\n";
        assert_eq!(order(old, more), "a b");
    }

    #[test]
    fn a_long_body_is_more_than_a_call_of_something_private() {
        let old = "pub fn a() {\n}\n";
        let calls = |lines: usize, helper: &str| {
            let body = "    b(2);\n".repeat(lines);
            let own = "    x.y();\n".repeat(60);
            format!("pub fn a() {{\n{body}}}\n{helper} b(x: u8) {{\n{own}}}\n")
        };
        assert_eq!(order(old, &calls(20, "fn")), "b a");
        assert_eq!(order(old, &calls(50, "fn")), "a b");
    }

    #[test]
    fn a_body_that_does_more_than_call_a_new_helper_is_read_before_it() {
        let old = "pub fn a() {\n    x();\n}\n";
        let own = "    y.z();\n".repeat(20);
        let with =
            |body: &str| format!("pub fn a() {{\n    x();\n{body}}}\nfn help() {{\n{own}}}\n");
        assert_eq!(order(old, &with("    help();\n")), "help a");
        let more = "    let found = help();\n    if found {\n        return;\n    }\n    w();\n";
        assert_eq!(order(old, &with(more)), "a help");
        // What was there before, and what others see, is no mere help.
        let public = with(more).replace("fn help", "pub fn help");
        assert_eq!(order(old, &public), "help a");
    }

    #[test]
    fn who_in_the_package_may_call_it_is_read_late() {
        let old = "fn a() {\n}\npub fn b() {\n}\n";
        let new = "pub(crate) fn a() {\n}\npub fn b() {\n    c.d();\n}\n";
        assert_eq!(order(old, new), "b a");
    }

    #[test]
    fn a_question_to_the_compiler_declares_nothing() {
        assert_eq!(
            order(
                "const A: u8 = 1;\n",
                "const A: u8 = 1;\nconst _: () = x(A);\n"
            ),
            ""
        );
    }
}

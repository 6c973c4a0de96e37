//! Bodies that only follow what else has changed: a caller is read after what it calls.
//!
//! | the body | follows if |
//! |---|---|
//! | stands in a file where programs start | it uses something that changed |
//! | others do not rely on it | what it uses differs in at least half as many lines |
//! | others rely on it | what it uses differs in four times as many lines, or all its own lines that differ name what changed |
//!
//! Of other files a body uses what its own file refers to; of its own file what its differing lines name.

use std::collections::{HashMap, HashSet};

use super::change::{Change, Changes, How, Section, Version};
use super::compare::own_lines;
use super::declaration::Declaration;
use crate::base::TreePath;

impl Changes {
    /// The numbers of the bodies that follow.
    pub(super) fn callers(&self) -> Vec<usize> {
        let named = self.named();
        let bodies = (0..self.list.len()).filter(|at| self.list[*at].section == Section::Body);
        bodies
            .filter(|at| self.follows(*at, named.get(at)))
            .collect()
    }

    fn follows(&self, at: usize, named: Option<&Named>) -> bool {
        let change = &self.list[at];
        if change.how != How::Body {
            return false;
        }
        let path = self.files[change.file as usize].path();
        let is_used = |(number, other): (usize, &Change)| {
            if other.file == change.file {
                return named.is_some_and(|named| named.numbers.contains(&number));
            }
            !matches!(other.section, Section::Aside | Section::Test)
                && other.refers.files.contains(path)
        };
        let all = self.list.iter().enumerate();
        let used = all.filter(|one| one.0 != at && is_used(*one));
        let used: usize = used.map(|(_, other)| 1 + other.lines).sum();
        let own = 1 + change.lines;
        if is_start(path) {
            used > 0
        } else if change.refers.files.is_empty() {
            2 * used >= own
        } else {
            used >= 4 * own || used >= own && named.is_some_and(|named| named.is_all)
        }
    }

    /// What the differing lines of each body name of what changed in the same file.
    fn named(&self) -> HashMap<usize, Named> {
        let mut by_file: HashMap<u32, Vec<usize>> = HashMap::new();
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

    /// The lines of a declaration that only one side has.
    fn differing(&self, at: usize) -> Vec<&str> {
        let change = &self.list[at];
        let file = &self.files[change.file as usize];
        let old = lines_of(file.old.as_ref(), change.old.as_ref());
        let new = lines_of(file.new.as_ref(), change.new.as_ref());
        let had: HashSet<&str> = old.iter().copied().collect();
        let has: HashSet<&str> = new.iter().copied().collect();
        let lost = old.into_iter().filter(|line| !has.contains(line));
        let gained = new.into_iter().filter(|line| !had.contains(line));
        lost.chain(gained).collect()
    }
}

/// The lines of a declaration in the file in which it stands, without those of its members.
fn lines_of<'f>(version: Option<&'f Version>, side: Option<&Declaration>) -> Vec<&'f str> {
    let lines = || {
        let (code, side) = (version?.code()?, side?);
        let number = code.declarations.iter().position(|one| one == side)?;
        Some(own_lines(code, number as u32))
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
        for line in lines
            .iter()
            .filter(|line| line.contains(char::is_alphanumeric))
        {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let mut found = words.filter_map(|word| targets.get(word)).peekable();
            is_all &= found.peek().is_some();
            numbers.extend(found);
        }
        Self { numbers, is_all }
    }
}

/// Whether a body that names it may follow it: what others see of it is another, or it came, or it went.
fn is_target(change: &Change) -> bool {
    change.how != How::Body && !matches!(change.section, Section::Aside | Section::Test)
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
    use crate::review::{Code, Content, File, compare, declarations};
    use crate::symbol::{Language, extract};

    fn version(text: &str) -> Version {
        let declarations = declarations(&extract(Some(Language::Rust), text.as_bytes()), text);
        Version {
            path: TreePath::new("src/a.rs"),
            is_code: true,
            content: Content::Code(Code {
                declarations,
                imports: Vec::new(),
                text: text.to_owned(),
            }),
        }
    }

    /// The names of what changed in a file, in the order in which a reviewer reads.
    fn order(old: &str, new: &str) -> String {
        let mut changes = compare(vec![File {
            old: Some(version(old)),
            new: Some(version(new)),
        }]);
        changes.order();
        let names = changes.list.iter();
        let names: Vec<&str> = names.map(|one| &one.declaration().name[..]).collect();
        names.join(" ")
    }

    #[test]
    fn a_caller_in_the_same_file_is_read_after_what_it_calls() {
        let old = "pub fn a() {\n    b(1);\n}\nfn b(x: u8) {\n    x;\n}\n";
        let new = "pub fn a() {\n    b(1, 2);\n}\nfn b(x: u8, y: u8) {\n    x + y;\n}\n";
        assert_eq!(order(old, new), "b a");
        let more = "pub fn a() {\n    b(1, 2);\n    let c = 3;\n    c + c;\n    c * c;\n    c - c;\n    c / c;\n    3 * c;\n    4 * c;\n    5 * c;\n}\nfn b(x: u8, y: u8) {\n    x;\n}\n";
        assert_eq!(order(old, more), "a b");
    }
}

//! The order in which a reviewer reads: what others rely on before what they do not see.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::change::{Change, Changes, File, How, Section};
use super::declaration::Declaration;
use super::role::FileRole;
use crate::base::TreePath;

impl Changes {
    /// Puts the list in order: by section, then by weight; what is told together stands together.
    pub fn order(&mut self) {
        for change in &mut self.list {
            let file = &self.files[change.file as usize];
            change.section = section(change, file);
            change.is_internal = !is_for_others(change, file);
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

/// What is told in one line, but for signatures that changed alike: a section, how, the file, and in it one declaration or all.
type Group = (Section, How, u32, u32);

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
        let mut own: HashSet<&str> = lines.iter().copied().collect();
        own.retain(|line| !self.seen.insert(line));
        self.lines += change.lines.saturating_sub(own.len());
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
    match (file.role(), change.how, is_for_others(change, file)) {
        (FileRole::Test, _, _) => Section::Test,
        _ if is_test => Section::Test,
        (FileRole::Aside, _, _) => Section::Aside,
        (_, How::Signature, false) if is_visibility_alone(change) => Section::Private,
        // What uses a signature that only its package sees follows it: that is read among the bodies.
        (_, How::Body, _) | (_, How::Signature, false) => Section::Body,
        (_, How::Moved, _) => Section::Moved,
        (_, _, false) => Section::Private,
        (_, How::Signature, _) if is_value_alone(change) => Section::Body,
        (_, How::Signature, _) if is_derive_alone(change) => Section::Added,
        (_, How::Added, _) => Section::Added,
        (_, How::Removed | How::Signature, _) => Section::Public,
    }
}

/// Whether other packages use it, or did.
fn is_for_others(change: &Change, file: &File) -> bool {
    change.is_public() && !is_in_private_module(change, file)
}

/// A module of Python whose name begins with an underscore is for its package alone, but for what the package passes on.
fn is_in_private_module(change: &Change, file: &File) -> bool {
    let path = file.path().to_text();
    let is_hidden = |name: &str| name.starts_with('_') && !name.starts_with("__");
    let passes_on = |path: &TreePath| path.to_text().ends_with("__init__.py");
    path.ends_with(".py")
        && path.split('/').any(is_hidden)
        && !change.refers.files.iter().any(passes_on)
}

/// A value that is too long to be shown is a body: what others see of it has stayed.
fn is_value_alone(change: &Change) -> bool {
    matches!((&change.old, &change.new), (Some(old), Some(new)) if new.has_value()
        && old.signature == new.signature
        && old.attributes == new.attributes
        && old.visibility == new.visibility)
}

/// Who may use it in its package is another, and nothing else of what they see.
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

//! Lists, one thing a line: patterns, requirements, modules, patches.

use std::collections::BTreeSet;

use super::found::Found;
use super::line::lines;
use crate::base::count::counted;
use crate::symbol::comment;
use crate::symbol::head;
use crate::symbol::outline::Kind;

/// Longest entry that is shown.
const ENTRY_BYTES_MAX: usize = 80;

/// What stands on each line that is no comment.
pub(super) fn entries(found: &mut Found, text: &str) {
    for line in lines(text).map(str::trim) {
        let entry = line.split(" #").next().unwrap_or(line).trim_end();
        if !entry.is_empty() && !entry.starts_with(['#', ';']) && entry.len() <= ENTRY_BYTES_MAX {
            found.push(Kind::Entry, entry, entry);
        }
    }
    found.doc = head::file_paragraph(text, comment::HASH);
}

/// The module, what it requires, and what its sums are of.
pub(super) fn go_module(found: &mut Found, text: &str) {
    let mut in_block = "";
    let mut seen = BTreeSet::new();
    for line in lines(text).map(str::trim) {
        let (line, remark) = line.split_once("//").unwrap_or((line, ""));
        let line = line.trim();
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        // No package of this module imports it.
        let is_indirect = remark.trim() == "indirect";
        match (first, words.next()) {
            (")", _) => in_block = "",
            ("module" | "go" | "toolchain", Some(name)) => {
                found.push(Kind::Key, first, &format!("{first} {name}"));
            }
            ("require" | "replace" | "exclude" | "use" | "retract" | "tool", Some("(")) => {
                in_block = match first {
                    "require" | "replace" => first,
                    _ => "other",
                };
            }
            ("require", Some(_)) if is_indirect => {}
            ("require", Some(name)) => found.push_import(name),
            ("use", Some(name)) => found.push(Kind::Entry, name, name),
            ("replace", Some(_)) => found.push(Kind::Key, line, line),
            ("exclude" | "retract" | "tool" | "godebug", Some(_)) => {}
            (_, _) if in_block == "replace" => {
                let replaced = format!("replace {line}");
                found.push(Kind::Key, &replaced, &replaced);
            }
            (_, _) if in_block == "require" && is_indirect => {}
            (name, _) if in_block == "require" => found.push_import(name),
            (name, Some(version)) if version.starts_with('v') && in_block.is_empty() => {
                seen.insert(name.to_owned());
            }
            (name, None) if in_block == "other" => found.push(Kind::Entry, name, name),
            _ => {}
        }
    }
    if found.symbols.is_empty() && !seen.is_empty() {
        let modules = counted(seen.len() as u64, "module", "modules");
        found.doc = format!("Checksums of {modules}.");
    }
}

/// Whether a lock file is Bundler's, whose sections are words without a mark.
pub(super) fn is_bundler(text: &str) -> bool {
    let mut all = lines(text);
    all.next()
        .is_some_and(|first| matches!(first, "GEM" | "GIT" | "PATH"))
        && all.any(|line| line == "DEPENDENCIES")
}

/// How many gems Bundler has settled on, and those that the project asks for itself.
pub(super) fn bundler(found: &mut Found, text: &str) {
    let (mut section, mut settled) = ("", 0);
    for line in lines(text) {
        let entry = line.trim_start();
        match line.len() - entry.len() {
            0 => section = entry,
            2 if section == "DEPENDENCIES" => {
                let name = entry.split_whitespace().next().unwrap_or_default();
                found.push_import(name.trim_end_matches('!'));
            }
            4 => settled += u64::from(matches!(section, "GEM" | "GIT" | "PATH")),
            _ => {}
        }
    }
    found.doc = format!("Versions of {}.", counted(settled, "gem", "gems"));
}

/// `Description: …`, as a header or as a comment above a patch.
fn described(line: &str) -> Option<&str> {
    let (before, said) = line.split_once("Description:")?;
    let is_front = before.is_empty() || before.trim_end().ends_with('#');
    is_front.then_some(said)
}

/// The subject of a patch and the files that it changes.
pub(super) fn patch(found: &mut Found, text: &str) {
    let mut subject = false;
    for line in lines(text) {
        if let Some(name) = line
            .strip_prefix("+++ ")
            .or_else(|| line.strip_prefix("rename to "))
        {
            let name = name.split('\t').next().unwrap_or(name);
            let name = name.strip_prefix("b/").unwrap_or(name);
            if name != "/dev/null" {
                found.push(Kind::Entry, name, name);
            }
            subject = false;
        } else if let Some(said) = line
            .strip_prefix("Subject:")
            .or_else(|| described(line))
            .filter(|_| found.symbols.is_empty())
        {
            let said = said.trim();
            // `[PATCH 1/2] Mend it`
            let said = said
                .strip_prefix('[')
                .and_then(|said| said.split_once(']'))
                .map_or(said, |(_, said)| said.trim());
            said.clone_into(&mut found.doc);
            subject = true;
        } else if subject && line.starts_with([' ', '#']) && line.len() > 1 {
            found.doc.push(' ');
            found.doc.push_str(line.trim_start_matches(['#', ' ']));
        } else {
            subject = false;
        }
    }
}

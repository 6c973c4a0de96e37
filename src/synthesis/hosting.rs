//! A directory of settings for the service that hosts the repository; it says nothing of the project.

use super::child::{ChildNode, PartKind};
use super::names::{SUBJECTS_MAX, some_of};
use super::reading::{code, purpose};
use crate::base::count::counted;
use crate::symbol::WORKFLOW;

/// Fewest names of those that GitHub looks for, in a directory of more.
const GITHUB_MIN: usize = 2;

/// Most of the files: three of five.
const MOST_OF: [usize; 2] = [3, 5];

/// What is in a directory that GitHub reads: a README among it speaks for the whole repository.
pub(super) fn read_by_github(ranked: &[&ChildNode<'_>]) -> Option<String> {
    const NAMES: [&str; 6] = [
        "workflows",
        "issue_template",
        "funding.yml",
        "dependabot.yml",
        "dependabot.yaml",
        "pull_request_template.md",
    ];
    const BESIDE: [&str; 4] = [
        "security.md",
        "contributing.md",
        "code_of_conduct.md",
        "support.md",
    ];
    let is_known = |part: &&&ChildNode<'_>| {
        NAMES
            .iter()
            .any(|name| part.name.eq_ignore_ascii_case(name))
    };
    let known = ranked.iter().filter(is_known).count();
    let has_workflows = ranked
        .iter()
        .any(|part| part.name == NAMES[0] && part.kind == PartKind::Directory);
    let is_setting = |part: &&&ChildNode<'_>| {
        let is_file = part.kind == PartKind::File;
        let is_named = BESIDE
            .iter()
            .any(|name| part.name.eq_ignore_ascii_case(name));
        is_known(part)
            || is_file && (is_named || [".yml", ".yaml"].iter().any(|end| part.name.ends_with(end)))
    };
    let are_settings = has_workflows && ranked.iter().all(|part| is_setting(&part));
    let names: Vec<String> = ranked.iter().map(|part| code(part)).collect();
    (known > 0 && (are_settings || known >= GITHUB_MIN.min(names.len()))).then(|| {
        let names = some_of(&names, SUBJECTS_MAX);
        format!("Settings for GitHub: {names}.")
    })
}

/// What a directory of workflows is, by what they are called.
pub(super) fn workflows(files: &[&ChildNode<'_>]) -> Option<String> {
    let names = files.iter().filter_map(|part| {
        let said = purpose(part)?;
        let called = said.strip_prefix(WORKFLOW)?.trim_end_matches('.');
        let called = called
            .rsplit_once(", on ")
            .map_or(called, |(name, _)| name)
            .trim();
        Some(if called.is_empty() {
            code(part)
        } else {
            called.to_owned()
        })
    });
    let names: Vec<String> = names.collect();
    (MOST_OF[1] * names.len() >= MOST_OF[0] * files.len() && !names.is_empty()).then(|| {
        let plural = if files.len() == 1 { "" } else { "s" };
        let beside = match files.len() - names.len() {
            0 => String::new(),
            others => format!("; beside them {}", counted(others as u64, "file", "files")),
        };
        format!(
            "{WORKFLOW}{plural}: {}{beside}.",
            some_of(&names, SUBJECTS_MAX)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_github_reads_is_said_to_be_that() {
        let body = "Text file, 10+ lines.\n";
        let parts = [
            ChildNode::outlined(
                "workflows",
                PartKind::Directory,
                "Directory of 2 files: YAML 2.\n",
            ),
            ChildNode::outlined("FUNDING.yml", PartKind::File, body),
            ChildNode::outlined("README.md", PartKind::File, body),
        ];
        let ranked: Vec<&ChildNode<'_>> = parts.iter().collect();
        assert_eq!(
            read_by_github(&ranked).as_deref(),
            Some("Settings for GitHub: `workflows/`, `FUNDING.yml`, `README.md`.")
        );
        assert_eq!(read_by_github(&ranked[1..]), None);
        let beside = |names: [&'static str; 2], kind| {
            let [one, other] = names;
            let parts = [
                ChildNode::outlined(
                    "workflows",
                    PartKind::Directory,
                    "Directory of 2 files: YAML 2.\n",
                ),
                ChildNode::outlined(one, PartKind::File, body),
                ChildNode::outlined(other, kind, body),
            ];
            read_by_github(&parts.iter().collect::<Vec<_>>()).is_some()
        };
        assert!(beside(["security.md", "codecov.yml"], PartKind::File));
        assert!(
            !beside(["README.md", "src"], PartKind::Directory),
            "a project with workflows of its own"
        );
        assert_eq!(read_by_github(&[]), None);
    }
}

//! Hook managers, and what a person writes into their files where this program must not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::event::HookEvent;
use super::script;

/// Who looks after the hooks of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookManager {
    /// Husky: scripts in `.husky/`.
    Husky,
    /// Lefthook: `lefthook.yml`.
    Lefthook,
    /// Pre-commit: `.pre-commit-config.yaml`.
    PreCommit,
    /// No known manager: a folder of hooks.
    Folder,
}

const LEFTHOOK_FILES: [&str; 6] = [
    "lefthook.yml",
    ".lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
];
const PRE_COMMIT_FILE: &str = ".pre-commit-config.yaml";
/// As much of `.gitattributes` is looked at.
const ATTRIBUTES_BYTES_MAX: u64 = 1 << 20;

impl HookManager {
    /// Finds out by the hooks folder and by the files of the project.
    #[must_use]
    pub fn of(directory: &Path, work_dir: Option<&Path>) -> Self {
        let has = |name: &&str| work_dir.is_some_and(|root| root.join(name).is_file());
        if directory
            .components()
            .any(|part| part.as_os_str() == ".husky")
        {
            Self::Husky
        } else if LEFTHOOK_FILES.iter().any(has) {
            Self::Lefthook
        } else if has(&PRE_COMMIT_FILE) {
            Self::PreCommit
        } else {
            Self::Folder
        }
    }

    /// The name that its users know.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Husky => "husky",
            Self::Lefthook => "lefthook",
            Self::PreCommit => "pre-commit",
            Self::Folder => "hooks folder",
        }
    }

    /// What to write, file by file: `(file, text)`.
    #[must_use]
    pub fn snippets(self, directory: &Path, events: &[HookEvent]) -> Vec<(String, String)> {
        let files = |folder: &str| -> Vec<(String, String)> {
            events
                .iter()
                .map(|event| {
                    (
                        format!("{folder}/{}", event.name()),
                        script::line(*event) + "\n",
                    )
                })
                .collect()
        };
        match self {
            Self::Husky => files(".husky"),
            Self::Folder => files(&directory.to_string_lossy()),
            Self::Lefthook => vec![(
                "lefthook.yml".to_owned(),
                events.iter().map(|event| lefthook(*event)).collect(),
            )],
            Self::PreCommit => vec![(PRE_COMMIT_FILE.to_owned(), pre_commit(events))],
        }
    }
}

/// True when files of the project are kept by git-lfs, which has hooks of its own.
#[must_use]
pub fn uses_lfs(work_dir: &Path) -> bool {
    let mut text = Vec::new();
    let read = File::open(work_dir.join(".gitattributes"))
        .map(|open| open.take(ATTRIBUTES_BYTES_MAX).read_to_end(&mut text));
    read.is_ok() && script::find(&text, b"filter=lfs").is_some()
}

fn lefthook(event: HookEvent) -> String {
    format!(
        "{}:\n  commands:\n    git-merkle:\n      run: '{}'\n",
        event.name(),
        script::line(event)
    )
}

/// Pre-commit has no stage for `git am`.
fn pre_commit(events: &[HookEvent]) -> String {
    let stages = events
        .iter()
        .filter(|event| !matches!(event, HookEvent::PostApplypatch | HookEvent::PostReceive));
    let hook = |event: &HookEvent| {
        let name = event.name();
        format!(
            "      - id: git-merkle-{name}\n        name: git merkle\n        entry: sh -c '{}'\n        \
             language: system\n        always_run: true\n        pass_filenames: false\n        stages: [{name}]\n",
            script::line(*event)
        )
    };
    format!(
        "repos:\n  - repo: local\n    hooks:\n{}",
        stages.map(hook).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_are_told_by_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = Some(folder.path());
        assert_eq!(
            HookManager::of(Path::new("/r/.husky/_"), root),
            HookManager::Husky
        );
        assert_eq!(
            HookManager::of(Path::new("/r/hooks"), root),
            HookManager::Folder
        );
        std::fs::write(folder.path().join(PRE_COMMIT_FILE), "").unwrap();
        assert_eq!(
            HookManager::of(Path::new("/r/hooks"), root),
            HookManager::PreCommit
        );
        std::fs::write(folder.path().join("lefthook.yml"), "").unwrap();
        assert_eq!(
            HookManager::of(Path::new("/r/hooks"), root),
            HookManager::Lefthook
        );
        assert_eq!(
            HookManager::of(Path::new("/r/hooks"), None),
            HookManager::Folder
        );
    }

    #[test]
    fn snippets_are_yaml_where_the_file_is() {
        for manager in [HookManager::Lefthook, HookManager::PreCommit] {
            let (_, text) = &manager.snippets(Path::new("/r"), &HookEvent::USUAL)[0];
            assert!(
                text.contains("git-merkle hooks run post-checkout"),
                "{text}"
            );
        }
        assert!(
            !HookManager::PreCommit.snippets(Path::new("/r"), &HookEvent::USUAL)[0]
                .1
                .contains("applypatch")
        );
        assert_eq!(
            HookManager::Husky.snippets(Path::new("/r"), &[HookEvent::PrePush])[0].0,
            ".husky/pre-push"
        );
    }
}

//! A sentinel: canaries stand around every kind of hostile repository, all commands run, and no canary has changed.
//!
//! A picture holds the kind, the mode, the bytes and the target of every file of a world, home included. It is taken before
//! the first command and after each one. What may differ is written down in one table, [`ALLOWED`]; everything else is a
//! fault, and so is a command that does not end by itself in time.
//!
//! `GIT_MERKLE_SENTINEL_PROGRAM` names another program to run, for a look at what an older one did.

mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::support::{Output, PROGRAM, Sandbox};

/// Seconds that a command may take; as a word for `timeout`.
const SECONDS_MAX: &str = "30";
/// How `timeout` ends when it had to stop a command, or to kill it.
const STOPPED: [Option<i32>; 2] = [Some(124), Some(137)];
/// Names another program than the one under test.
const PROGRAM_VARIABLE: &str = "GIT_MERKLE_SENTINEL_PROGRAM";

/// What commands may make, change and remove: a path from the root of the world on, in which `<git>` is a git directory
/// that belongs to the row, and `<tree>` a work tree of it. Everything below a path that ends in `/` is meant.
const ALLOWED: [(&str, &str); 20] = [
    (
        "<git>/merkle/",
        "the state of this program: caches, ledger, spool, markers",
    ),
    ("<git>/refs/merkle/", "the store, the anchor"),
    (
        "<git>/refs/merkle-remote/",
        "the stores of remotes, as last fetched",
    ),
    ("<git>/logs/refs/merkle/", "their logs"),
    ("<git>/logs/refs/merkle-remote/", "their logs"),
    (
        "<git>/logs/refs",
        "the folder of logs, which a bare repository lacks",
    ),
    ("<git>/logs", "the folder of that"),
    (
        "<git>/objects/",
        "frames, and the blobs and trees of a work tree that is looked at",
    ),
    ("<git>/reftable/", "refs where they are kept in tables"),
    (
        "<git>/hooks/",
        "`hooks install --mode=hookdir`, and its undoing",
    ),
    ("<git>/config", "`hooks install`, and its undoing"),
    ("<git>/packed-refs.lock", "git's own lock"),
    (
        "<tree>/.teddy/",
        "`init`, `session new`, `turn new`, `agent create`",
    ),
    ("<tree>/.teddy", "the folder itself"),
    ("<tree>/AGENTS.md", "`init`: a block of its own"),
    ("home/.config/git-merkle/", "`agent create --user`"),
    (
        "home/.local/state/git-merkle/",
        "what is trusted, the key of seals",
    ),
    ("home/.local/state", "its folder"),
    ("home/.local", "the folder of that"),
    ("tmp/", "what is written and removed again"),
];

/// Files that a person has, and nobody may touch or read aloud.
const CANARIES: [(&str, u32); 9] = [
    ("home/.ssh/id_rsa", 0o600),
    ("home/.ssh/id_rsa.pub", 0o644),
    ("home/.netrc", 0o600),
    ("home/.aws/credentials", 0o600),
    ("home/.bashrc", 0o644),
    ("home/.config/other/settings", 0o640),
    ("precious/id_rsa", 0o600),
    ("precious/notes.txt", 0o644),
    ("precious/folder/deep.txt", 0o444),
];
/// What stands in each of them, behind its name.
const WORD: &str = "canary-7c1e";

/// All commands, in an order in which what writes comes last.
const COMMANDS: [&[&str]; 55] = [
    &["status"],
    &["status", "--worktree"],
    &["scan"],
    &["show"],
    &["show", "."],
    &["log"],
    &["log", "--json", "."],
    &["diff", "HEAD..HEAD"],
    &["explain", "."],
    &["map"],
    &["map", "--worktree"],
    &["list-frames", "."],
    &["get-head", "."],
    &["get-node", "."],
    &["context", "--redact"],
    &["context", "--redact", "**"],
    &["context", "--redact", "--worktree", "**"],
    &["prompt", "-m", "x"],
    &["prompt", "--node", ".", "--agent", "docs"],
    &["tiers"],
    &["validate"],
    &["doctor"],
    &["agent", "list"],
    &["agent", "show", "docs"],
    &["agent", "validate"],
    &["profile", "list"],
    &["profile", "validate"],
    &["provider", "list"],
    &["provider", "test"],
    &["auth", "status"],
    &["config", "list", "--show-origin"],
    &["trust"],
    &["session", "list"],
    &["session", "show"],
    &["turn", "show"],
    &["hooks", "status"],
    &["regenerate", "--dry-run"],
    &["regenerate", "--dry-run", "--agent", "docs"],
    &["regenerate"],
    &["regenerate", "--verify"],
    &["regenerate", "--worktree"],
    &["regenerate", "--agent", "docs", "--yes"],
    &["regenerate", "--force"],
    &["watch", "--once"],
    &["put-frame", ".", "-"],
    &["synthesize", ".", "--agent", "human"],
    &["invalidate", ".", "--recursive"],
    &["init"],
    &["session", "new", "s1", "-c", "**"],
    &["turn", "new", "-m", "x"],
    &["hooks", "install"],
    &["hooks", "worker"],
    &["hooks", "uninstall"],
    &["doctor", "--fix"],
    &["status"],
];

/// One thing in a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thing {
    kind: &'static str,
    mode: u32,
    content: Vec<u8>,
}

pub(super) type Picture = BTreeMap<String, Thing>;

/// A hostile repository: where commands run, and which git directories and work trees are the row's own.
pub(super) struct Row {
    pub(super) at: Vec<PathBuf>,
    pub(super) git: Vec<PathBuf>,
    pub(super) trees: Vec<PathBuf>,
    /// Variables of the environment that the attacker controls.
    pub(super) environment: Vec<(&'static str, String)>,
}

impl Row {
    /// An ordinary work tree with its `.git`.
    pub(super) fn of(tree: PathBuf) -> Self {
        Self {
            at: vec![tree.clone()],
            git: vec![tree.join(".git")],
            trees: vec![tree],
            environment: Vec::new(),
        }
    }
}

/// A world with canaries.
pub(super) fn world() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, mode) in CANARIES {
        let file = sandbox.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("writable");
        fs::write(&file, format!("{WORD} {path}\nno line feed at the end")).expect("writable");
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode))
            .expect("its own file");
    }
    fs::create_dir(sandbox.path("precious/empty")).expect("writable");
    fs::create_dir(sandbox.path("tmp")).expect("writable");
    let home = sandbox.path("home");
    sandbox
        .run("git", &home)
        .args(["config", "--global", "merkle.hookQuiet", "1ms"])
        .run()
        .ok();
    sandbox
}

pub(super) fn picture(root: &Path) -> Picture {
    let (mut picture, mut open) = (Picture::new(), vec![root.to_owned()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("readable").flatten() {
            let path = entry.path();
            // What a command in the background removes meanwhile is not there.
            let Ok(found) = fs::symlink_metadata(&path) else {
                continue;
            };
            let kind = found.file_type();
            let (kind, content) = if kind.is_symlink() {
                (
                    "link",
                    fs::read_link(&path)
                        .map(|target| target.into_os_string().into_encoded_bytes())
                        .unwrap_or_default(),
                )
            } else if kind.is_dir() {
                open.push(path.clone());
                ("folder", Vec::new())
            } else if kind.is_file() {
                // A sparse file is told by its length.
                (
                    "file",
                    if found.len() > 1 << 24 {
                        found.len().to_be_bytes().into()
                    } else {
                        fs::read(&path).unwrap_or_default()
                    },
                )
            } else if kind.is_fifo() {
                ("pipe", Vec::new())
            } else {
                ("other", Vec::new())
            };
            let name = path
                .strip_prefix(root)
                .expect("below it")
                .to_string_lossy()
                .into_owned();
            picture.insert(
                name,
                Thing {
                    kind,
                    mode: found.mode() & 0o7777,
                    content,
                },
            );
        }
    }
    picture
}

/// What differs between two pictures and is not allowed.
pub(super) fn faults(before: &Picture, after: &Picture, row: &Row, root: &Path) -> Vec<String> {
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    let mut faults = Vec::new();
    for name in names {
        let said = match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) if before == after => continue,
            (Some(before), Some(after))
                if before.content == after.content && before.kind == after.kind =>
            {
                format!("mode {:o} instead of {:o}", after.mode, before.mode)
            }
            (Some(_), Some(_)) => "changed".to_owned(),
            (Some(_), None) => "gone".to_owned(),
            (None, _) => "new".to_owned(),
        };
        if !is_allowed(name, row, root) {
            faults.push(format!("{said}: {name}"));
        }
    }
    faults
}

fn is_allowed(name: &str, row: &Row, root: &Path) -> bool {
    let below = |folders: &[PathBuf], rest: &str| {
        folders.iter().any(|folder| {
            let folder = folder
                .strip_prefix(root)
                .expect("in this world")
                .to_string_lossy()
                .into_owned();
            fits(name, &format!("{folder}{rest}"))
        })
    };
    ALLOWED.iter().any(|(path, _)| {
        match (path.strip_prefix("<git>"), path.strip_prefix("<tree>")) {
            (Some(rest), _) => below(&row.git, rest),
            (_, Some(rest)) => below(&row.trees, rest),
            _ => fits(name, path),
        }
    })
}

/// True for the path itself, and for what is below one that ends in a slash.
fn fits(name: &str, path: &str) -> bool {
    let folder = path.strip_suffix('/');
    name == folder.unwrap_or(path) || folder.is_some() && name.starts_with(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "another program can be named by hand"
)]
fn program() -> String {
    std::env::var(PROGRAM_VARIABLE).unwrap_or_else(|_| PROGRAM.to_owned())
}

fn run(sandbox: &Sandbox, (at, row): (&Path, &Row), arguments: &[&str]) -> Output {
    let mut run = sandbox
        .run("timeout", at)
        .args(["-k", "2", SECONDS_MAX])
        .arg(program())
        .args(arguments);
    run = run
        .env("TMPDIR", sandbox.path("tmp"))
        .env("XDG_STATE_HOME", sandbox.path("home/.local/state"));
    for (name, value) in &row.environment {
        run = run.env(name, value);
    }
    run.input("a note\n").run()
}

/// Runs all commands everywhere in a row, and demands that nothing outside of [`ALLOWED`] has changed after any of them.
#[track_caller]
fn guard(sandbox: &Sandbox, row: &Row) {
    let root = sandbox.path("");
    let root = root.as_path();
    let mut before = picture(root);
    let mut all = Vec::new();
    for at in &row.at {
        for arguments in COMMANDS {
            let output = run(sandbox, (at, row), arguments);
            let name = format!(
                "{} in {}",
                arguments.join(" "),
                at.strip_prefix(root).expect("in this world").display()
            );
            if STOPPED.contains(&output.code) {
                all.push(format!("{name}: does not end"));
            } else if output.code.is_none_or(|code| code == 101 || code >= 130) {
                all.push(format!("{name}: ended by a panic or a signal\n{output}"));
            }
            let after = picture(root);
            all.extend(
                faults(&before, &after, row, root)
                    .into_iter()
                    .map(|fault| format!("{name}: {fault}")),
            );
            before = after;
        }
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

/// The sentinel itself: what is changed in any way outside of the table is seen, and what is in the table is not.
#[test]
fn every_kind_of_change_is_seen() {
    let sandbox = world();
    let repo = sandbox.repo("work");
    let row = Row::of(repo.path(""));
    let root = sandbox.path("");
    let before = picture(&root);
    let seen = |change: &dyn Fn(), undo: &dyn Fn()| {
        change();
        let found = faults(&before, &picture(&root), &row, &root);
        undo();
        assert_eq!(
            faults(&before, &picture(&root), &row, &root),
            [] as [String; 0]
        );
        found
    };
    let key = sandbox.path("home/.ssh/id_rsa");
    let bytes = fs::read(&key).expect("a canary");
    let mode = |mode| {
        fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(mode))
            .expect("its own file");
    };
    let restore = || {
        fs::write(&key, &bytes).expect("writable");
        mode(0o600);
    };
    assert_eq!(
        seen(&|| fs::write(&key, "x").expect("writable"), &restore),
        ["changed: home/.ssh/id_rsa"]
    );
    assert_eq!(
        seen(&|| fs::remove_file(&key).expect("there"), &restore),
        ["gone: home/.ssh/id_rsa"]
    );
    assert_eq!(
        seen(&|| mode(0o644), &restore),
        ["mode 644 instead of 600: home/.ssh/id_rsa"]
    );
    let new = sandbox.path("precious/new");
    let remove = || fs::remove_file(&new).expect("there");
    assert_eq!(
        seen(&|| fs::write(&new, "").expect("writable"), &remove),
        ["new: precious/new"]
    );
    let state = repo.path(".git/merkle");
    let none = seen(&|| fs::create_dir(&state).expect("writable"), &|| {
        fs::remove_dir(&state).expect("there");
    });
    assert_eq!(none, [] as [String; 0]);
    let config = repo.path(".git/index");
    assert_eq!(
        seen(&|| fs::write(&config, "").expect("writable"), &|| {
            fs::remove_file(&config).expect("there");
        })
        .len(),
        1
    );
}

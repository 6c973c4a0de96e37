//! The hostile repositories that the sentinel stands around.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use git_merkle::git::EntryMode;
use git_merkle::hook::marker::{self, Marker};

use super::super::Forge;
use super::{Row, guard, world};
use crate::support::{Repo, Sandbox};

/// Parts of the state that are folders, and parts that are files.
const FOLDERS: [&str; 9] = [
    "queue", "spool", "cache", "log", "pending", "tiers", "sessions", "answers", "hooks",
];
const FILES: [&str; 7] = [
    "ledger",
    "lock",
    "ledger-lock",
    "allowed-secrets",
    "allowed-secrets-lock",
    "worker-lock",
    "small-pack",
];
/// Files inside of those folders.
const INNER: [&str; 8] = [
    "log/worker-error",
    "log/worker.log",
    "log/last-run.json",
    "cache/index",
    "cache/index-news",
    "cache/clean-of-secrets",
    "cache/small-pack",
    "hooks/installed",
];

fn fill(repo: &Repo<'_>) {
    repo.fill(
        "commit first\n+ README.md = # A\n+ src/lib.rs = pub fn a() {}\n+ .gitignore = *.log",
    );
}

/// Links in the places of the state's folders and files, to what stands at `away` from inside of `merkle/`.
fn link_parts(state: &Path, away: &str) {
    fs::create_dir_all(state).expect("writable");
    for folder in FOLDERS {
        symlink(format!("{away}/precious"), state.join(folder)).expect("a link");
    }
    for file in FILES {
        symlink(format!("{away}/precious/notes.txt"), state.join(file)).expect("a link");
    }
}

/// An embedded bare repository: a plain clone brings it along as tracked files. What `change` adds comes with it.
fn embedded(sandbox: &Sandbox, change: &dyn Fn(&Path)) -> Row {
    let origin = sandbox.repo("origin");
    fill(&origin);
    origin.git(&["clone", "-q", "--bare", ".", "vendor"]).ok();
    let vendor = origin.path("vendor");
    for folder in ["refs/heads", "objects", "refs/tags"] {
        fs::create_dir_all(vendor.join(folder)).expect("writable");
        fs::write(vendor.join(folder).join(".keep"), "").expect("writable");
    }
    fs::create_dir(vendor.join("docs")).expect("writable");
    fs::write(vendor.join("docs/a.md"), "a\n").expect("writable");
    change(&vendor);
    origin.git(&["add", "-f", "."]).ok();
    origin.git(&["commit", "-q", "-m", "vendored"]).ok();
    let victim = origin.clone_to("victim", &[]);
    let inner = victim.path("vendor");
    let mut row = Row::of(victim.path(""));
    row.at = vec![inner.join("docs"), inner];
    row
}

/// A repository as it comes out of an archive, with its `.git`.
fn delivered<'s>(sandbox: &'s Sandbox, change: &dyn Fn(&Path)) -> (Repo<'s>, Row) {
    let repo = sandbox.repo("delivered");
    fill(&repo);
    repo.merkle(&["regenerate"]).ok();
    let state = repo.path(".git/merkle");
    fs::remove_dir_all(&state).expect("there");
    change(&repo.path(".git"));
    let row = Row::of(repo.path(""));
    (repo, row)
}

#[test]
fn an_embedded_bare_repository_with_links_in_its_state() {
    let sandbox = world();
    let row = embedded(&sandbox, &|vendor| {
        link_parts(&vendor.join("merkle"), "../../..");
    });
    guard(&sandbox, &row);
}

#[test]
fn an_embedded_bare_repository_whose_state_is_a_link() {
    let sandbox = world();
    let row = embedded(&sandbox, &|vendor| {
        symlink("../../home", vendor.join("merkle")).expect("a link");
    });
    guard(&sandbox, &row);
}

#[test]
fn a_delivered_repository_with_links_in_its_state() {
    let sandbox = world();
    let (_, row) = delivered(&sandbox, &|git| link_parts(&git.join("merkle"), "../../.."));
    guard(&sandbox, &row);
}

#[test]
fn a_delivered_repository_whose_state_is_a_link() {
    let sandbox = world();
    let (_, row) = delivered(&sandbox, &|git| {
        symlink("../../precious", git.join("merkle")).expect("a link");
    });
    guard(&sandbox, &row);
}

#[test]
fn a_delivered_repository_with_links_inside_the_folders_of_its_state() {
    let sandbox = world();
    let (_, row) = delivered(&sandbox, &|git| {
        for path in INNER {
            let file = git.join("merkle").join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("writable");
            symlink("../../../../home/.netrc", file).expect("a link");
        }
        fs::create_dir_all(git.join("merkle/queue")).expect("writable");
        symlink(
            "../../../../precious/id_rsa",
            git.join("merkle/queue/0123456789abcdef"),
        )
        .expect("a link");
        fs::create_dir_all(git.join("merkle/spool")).expect("writable");
        symlink("../../../../home/.ssh", git.join("merkle/spool/a.b")).expect("a link");
    });
    guard(&sandbox, &row);
}

#[test]
fn a_delivered_repository_with_pipes_in_its_state() {
    let sandbox = world();
    let (_, row) = delivered(&sandbox, &|git| {
        for path in FILES.iter().chain(&INNER) {
            let file = git.join("merkle").join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("writable");
            sandbox.run("mkfifo", git).arg(file).run().ok();
        }
    });
    guard(&sandbox, &row);
}

#[test]
fn a_delivered_repository_with_forged_records() {
    let sandbox = world();
    let other = sandbox.repo("other");
    fill(&other);
    let (repo, row) = delivered(&sandbox, &|git| {
        let state = git.join("merkle");
        for folder in ["queue", "spool", "hooks", "cache", "sessions"] {
            fs::create_dir_all(state.join(folder)).expect("writable");
        }
        fs::write(state.join("queue/notes.txt"), "no marker").expect("writable");
        let (empty, precious) = (sandbox.path("precious/empty"), sandbox.path("precious"));
        let record = format!(
            "{{\"format\":\"git-merkle/hooks/1\",\"mode\":\"hookdir\",\"binary\":\"/x\",\"events\":[\"post-commit\"],\
             \"budget_nano_usd\":null,\"directory\":\"{}\",\"created\":[\"post-commit\"],\
             \"made\":[\"{}\",\"../../precious/empty\"],\"ended_line\":true}}\n",
            precious.display(),
            empty.display()
        );
        fs::write(state.join("hooks/installed"), record).expect("writable");
        for name in ["id_rsa", "id_rsa.pub"] {
            fs::write(
                state.join("spool").join(name),
                format!("a file of the user {name}\n"),
            )
            .expect("writable");
        }
        let sparse = fs::File::create(state.join("cache/index")).expect("writable");
        sparse.set_len(1 << 40).expect("a sparse file");
    });
    let forged = Marker {
        git_dir: other.path(".git"),
        directory: other.path(""),
        event: "post-commit".to_owned(),
    };
    marker::leave(&repo.unsealed_state(), &forged).expect("writable");
    guard(&sandbox, &row);
}

#[test]
fn a_frames_ref_that_is_another_branch() {
    let sandbox = world();
    let (_, row) = delivered(&sandbox, &|git| {
        fs::write(git.join("refs/merkle/frames"), "ref: refs/heads/main\n").expect("writable");
    });
    guard(&sandbox, &row);
}

#[test]
fn replaced_objects_and_hostile_settings() {
    let sandbox = world();
    let (repo, row) = delivered(&sandbox, &|_| {});
    let script = sandbox.path("tool");
    fs::write(
        &script,
        format!(
            "#!/bin/sh\necho ran >> '{}'\ncat\n",
            sandbox.path("precious/ran").display()
        ),
    )
    .expect("writable");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("its own file");
    let tool = script.to_str().expect("UTF-8");
    for key in [
        "core.pager",
        "pager.merkle",
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "credential.helper",
        "gpg.program",
        "diff.external",
        "diff.e.textconv",
        "merge.e.driver",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "merkle.provider.m.command",
    ] {
        repo.config(key, tool);
    }
    repo.config("alias.status", &format!("!{tool}"));
    let replacement = repo
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input("replaced\n")
        .run()
        .ok();
    repo.git(&["replace", &repo.id("HEAD:README.md"), replacement.trim()])
        .ok();
    guard(&sandbox, &row);
}

#[test]
fn local_filters_do_not_run_in_an_embedded_repository() {
    let sandbox = world();
    let script = sandbox.path("tool");
    fs::write(
        &script,
        format!(
            "#!/bin/sh\necho ran >> '{}'\ncat\n",
            sandbox.path("precious/ran").display()
        ),
    )
    .expect("writable");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("its own file");
    let row = embedded(&sandbox, &|vendor| {
        let set = |key: &str, value: &str| {
            sandbox
                .run("git", vendor)
                .args(["config", "-f", "config", key, value])
                .run()
                .ok();
        };
        set("core.bare", "false");
        set("core.worktree", ".");
        for key in [
            "filter.e.clean",
            "filter.e.process",
            "core.pager",
            "core.fsmonitor",
        ] {
            set(key, script.to_str().expect("UTF-8"));
        }
        fs::write(vendor.join(".gitattributes"), "* filter=e\n").expect("writable");
    });
    guard(&sandbox, &row);
}

#[test]
fn hostile_names() {
    let sandbox = world();
    let repo = sandbox.repo("names");
    fill(&repo);
    for name in [
        "-rf",
        "--output=x",
        "a\nb",
        "\u{1b}[31mred",
        "$(touch x)",
        "`touch y`",
        "..x",
        "a b",
        "é\u{202e}",
        "C:\\x",
        "%2e%2e",
    ] {
        fs::create_dir_all(repo.path(&format!("d{name}"))).expect("writable");
        repo.put(&format!("d{name}/{name}"), format!("// {name}\n"));
    }
    repo.commit("names");
    let mut row = Row::of(repo.path(""));
    row.at = vec![repo.path("d-rf")];
    guard(&sandbox, &row);
}

#[test]
fn people_s_files_that_are_links() {
    let sandbox = world();
    let repo = sandbox.repo("people");
    fill(&repo);
    symlink("../home/.ssh", repo.path(".teddy")).expect("a link");
    symlink("../home/.bashrc", repo.path("AGENTS.md")).expect("a link");
    symlink("../../home/.netrc", repo.path("src/link.rs")).expect("a link");
    symlink("../precious", repo.path("folder")).expect("a link");
    repo.commit("links");
    guard(&sandbox, &Row::of(repo.path("")));
    fs::remove_file(repo.path(".teddy")).expect("there");
    fs::create_dir(repo.path(".teddy")).expect("writable");
    for name in [
        "sessions",
        "agents",
        "prompts",
        "profiles",
        "global.context",
        "memos.yaml",
        "config.toml",
        "secrets.toml",
    ] {
        symlink("../../precious", repo.path(".teddy").join(name)).expect("a link");
    }
    guard(&sandbox, &Row::of(repo.path("")));
}

#[test]
fn a_program_of_the_work_tree_is_not_run_as_git() {
    let sandbox = world();
    let repo = sandbox.repo("path");
    fill(&repo);
    let script = format!(
        "#!/bin/sh\necho ran >> '{}'\nexec /usr/bin/git \"$@\"\n",
        sandbox.path("precious/ran").display()
    );
    for name in ["git", "sh", "less", "ssh"] {
        fs::write(repo.path(name), &script).expect("writable");
        fs::set_permissions(repo.path(name), fs::Permissions::from_mode(0o755))
            .expect("its own file");
    }
    let mut row = Row::of(repo.path(""));
    row.environment = vec![("PATH", ".::/usr/local/bin:/usr/bin:/bin".to_owned())];
    guard(&sandbox, &row);
}

#[test]
fn trees_without_end_as_source_and_as_store() {
    let sandbox = world();
    let repo = sandbox.repo("bomb");
    fill(&repo);
    let mut forge = Forge::default();
    let blob = forge.blob(b"x\n");
    let mut tree = forge.tree(&[(EntryMode::File, b"x", blob)]);
    for _ in 0..10 {
        let names: Vec<Vec<u8>> = (0..10_u8).map(|number| vec![b'a' + number]).collect();
        let entries: Vec<_> = names
            .iter()
            .map(|name| (EntryMode::Directory, name.as_slice(), tree))
            .collect();
        tree = forge.tree(&entries);
    }
    forge.commit(&repo, tree);
    let commit = repo
        .git(&["commit-tree", "-m", "frames", &tree.to_string()])
        .ok();
    repo.git(&["update-ref", "refs/merkle/frames", commit.trim()])
        .ok();
    guard(&sandbox, &Row::of(repo.path("")));
}

#[test]
fn a_linked_work_tree_and_a_bare_repository() {
    let sandbox = world();
    let repo = sandbox.repo("main");
    fill(&repo);
    let linked = repo.worktree("linked", "HEAD");
    let bare = repo.clone_to("bare.git", &["--bare"]);
    let own = |path: &str| -> PathBuf { repo.path(".git/worktrees").join(path) };
    let mut row = Row::of(repo.path(""));
    row.at = vec![linked.path(""), bare.path("")];
    row.git.extend([own("linked"), bare.path("")]);
    row.trees.push(linked.path(""));
    guard(&sandbox, &row);
}

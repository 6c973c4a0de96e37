//! Remotes of a git directory that another person has packed: the programs that its configuration names, and links.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::{Repo, Sandbox};

/// A repository with frames, a remote, and a program that must not run; what it leaves behind when it does.
fn trapped<'s>(sandbox: &'s Sandbox, name: &str) -> (Repo<'s>, String, std::path::PathBuf) {
    let repo = sandbox.repo(name);
    repo.fill("commit files\n+ a.rs = pub fn a() {}\n+ note.md = a note");
    repo.merkle(&["put-frame", "a.rs", "note.md"]).ok();
    let remote = sandbox.path(&format!("{name}.git"));
    repo.git(&["init", "-q", "--bare", remote.to_str().expect("UTF-8")])
        .ok();
    repo.git(&["remote", "add", "origin", remote.to_str().expect("UTF-8")])
        .ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    let (program, left) = (
        sandbox.path(&format!("{name}-evil")),
        sandbox.path(&format!("{name}-ran")),
    );
    fs::write(
        &program,
        format!("#!/bin/sh\ntouch '{}'\nexit 1\n", left.display()),
    )
    .expect("writable");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its own file");
    (repo, program.to_str().expect("UTF-8").to_owned(), left)
}

/// Before, git ran each of these for `fetch` or `push`.
#[test]
fn programs_of_the_repositorys_own_configuration_do_not_reach_remotes() {
    let sandbox = Sandbox::new();
    for (number, (key, url)) in [
        ("core.sshCommand", "ssh://host.invalid/x"),
        ("credential.helper", ""),
        ("credential.http://127.0.0.1.helper", ""),
        ("core.askPass", ""),
        ("core.gitProxy", "git://host.invalid/x"),
        ("core.alternateRefsCommand", ""),
        ("remote.origin.uploadpack", ""),
        ("remote.origin.receivepack", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let (repo, program, left) = trapped(&sandbox, &format!("work{number}"));
        repo.config(key, &program);
        if !url.is_empty() {
            repo.config("remote.origin.url", url);
        }
        for command in ["fetch", "push", "sync"] {
            let output = repo.merkle(&[command]).exits(77);
            assert!(
                output.err().contains("git config --global --add")
                    && output.err().contains(&program),
                "{output}"
            );
        }
        assert!(!left.exists(), "{key}");
    }
}

#[test]
fn programs_of_the_users_own_configuration_do() {
    let sandbox = Sandbox::new();
    let (repo, _, _) = trapped(&sandbox, "work");
    repo.config("remote.origin.uploadpack", "git-upload-pack");
    assert!(
        repo.merkle(&["fetch"])
            .exits(77)
            .err()
            .contains("remote.origin.uploadpack")
    );
    repo.git(&[
        "config",
        "--global",
        "--add",
        "remote.origin.uploadpack",
        "git-upload-pack",
    ])
    .ok();
    repo.merkle(&["fetch"]).ok();
    repo.config("credential.helper", "");
    assert!(repo.merkle(&["push"]).ok().contains("1 went"));
}

/// Before, a local `protocol.ext.allow` made an address a command.
#[test]
fn an_address_is_no_command() {
    let sandbox = Sandbox::new();
    for key in ["remote.origin.url", "remote.origin.pushurl"] {
        let (repo, program, left) = trapped(&sandbox, &key.replace('.', "-"));
        repo.config(key, &format!("ext::{program}"));
        repo.config("protocol.ext.allow", "always");
        repo.config("protocol.allow", "always");
        let output = repo.merkle(&["push"]).exits(128);
        assert!(
            output.err().contains("transport 'ext' not allowed"),
            "{output}"
        );
        assert!(!left.exists(), "{key}");
    }
}

/// Before, `fetch` added a line to the user's file, and wrote a commit graph into the user's folder.
#[test]
fn a_fetch_writes_nothing_behind_a_link() {
    let sandbox = Sandbox::new();
    let (repo, _, _) = trapped(&sandbox, "work");
    repo.merkle(&["push"]).ok();
    let (file, folder) = (sandbox.path("bashrc"), sandbox.path("folder"));
    fs::write(&file, "mine").unwrap();
    fs::create_dir(&folder).unwrap();
    let log = repo.path(".git/logs/refs/merkle-remote/origin/frames");
    let _ = fs::remove_file(&log);
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    symlink(&file, &log).unwrap();
    repo.git(&["update-ref", "-d", "refs/merkle/frames"]).ok();
    let output = repo.merkle(&["fetch"]).exits(128);
    assert!(
        output.err().contains(&format!("rm {}", log.display())),
        "{output}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    fs::remove_file(&log).unwrap();
    let info = repo.path(".git/objects/info");
    let _ = fs::remove_dir_all(&info);
    symlink(&folder, &info).unwrap();
    repo.config("fetch.writeCommitGraph", "true");
    repo.merkle(&["fetch"]).ok();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

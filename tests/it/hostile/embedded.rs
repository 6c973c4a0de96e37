//! Repositories that came as files of another one, and every way in which a repository's own files name a program.
//!
//! Before, a clone that held a bare repository as tracked files ran what that one's configuration names as soon as the user
//! stood in it; an unpacked `.git` ran its filters; and with a search path that begins with `.` a file called `git` ran.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::{PROGRAM, Repo, Run, Sandbox};

/// Commands that look for a repository; those that read the work tree are among them.
const COMMANDS: [&[&str]; 12] = [
    &["status"],
    &["show"],
    &["log"],
    &["map"],
    &["context", "--worktree"],
    &["regenerate", "--worktree"],
    &["scan", "--worktree"],
    &["watch", "--once"],
    &["turn", "new", "-m", "x"],
    &["doctor", "--fix"],
    &["hooks", "status"],
    &["validate"],
];

/// A program that leaves a trace when it is run, and that trace.
fn trap(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let (program, trace) = (sandbox.path("trap.sh"), sandbox.path("it ran"));
    let text = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat\n", trace.display());
    executable(&program, &text);
    (program, trace)
}

fn executable(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).expect("a script can be written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .expect("a mode can be set");
}

/// A clone with a bare repository as tracked files in `docs`, which names the trap wherever it can.
fn clone_with_embedded(sandbox: &Sandbox, work_tree: bool) -> Repo<'_> {
    let (trap, _) = trap(sandbox);
    let trap = trap.to_str().expect("UTF-8");
    let source = sandbox.repo("source");
    source.fill("commit one\n+ a.md = a");
    source.git(&["clone", "-q", "--bare", ".", "docs"]).ok();
    let docs = Repo::at(sandbox, source.path("docs"));
    for (key, value) in [
        ("core.pager", trap),
        ("pager.merkle", trap),
        ("core.fsmonitor", trap),
        ("filter.evil.clean", trap),
        ("filter.evil.process", trap),
    ] {
        docs.config(key, value);
    }
    if work_tree {
        docs.config("core.bare", "false");
        docs.config("core.worktree", ".");
    }
    for name in [
        "refs/heads/.keep",
        "refs/tags/.keep",
        "objects/info/.keep",
        "branches/.keep",
    ] {
        docs.put(name, "");
    }
    std::fs::write(docs.path(".gitattributes"), "* filter=evil\n").expect("a file can be written");
    std::fs::write(docs.path("new.txt"), "new").expect("a file can be written");
    source.git(&["add", "-f", "."]).ok();
    source.git(&["commit", "-q", "-m", "two"]).ok();
    source.clone_to("victim", &[])
}

#[test]
fn a_repository_made_of_tracked_files_is_not_used_unless_it_is_named() {
    for work_tree in [false, true] {
        let sandbox = Sandbox::new();
        let victim = clone_with_embedded(&sandbox, work_tree);
        let trace = sandbox.path("it ran");
        let docs = Repo::at(&sandbox, victim.path("docs"));
        let below = Repo::at(&sandbox, victim.path("docs/refs/heads"));
        for place in [&docs, &below] {
            for arguments in COMMANDS {
                let output = place.merkle(arguments).exits(128);
                let text = output.err();
                assert!(
                    text.contains("repository made of files in the work tree of"),
                    "{output}"
                );
                assert!(
                    text.contains("\nhint: if you trust it, name it: --git-dir="),
                    "{output}"
                );
            }
        }
        assert!(
            !trace.exists(),
            "{}",
            std::fs::read_to_string(&trace).unwrap_or_default()
        );
        assert!(!docs.path("merkle").exists(), "nothing is written into it");

        let git_dir = format!("--git-dir={}", docs.path("").display());
        drop(victim.merkle(&[&git_dir, "status"]).ok());
        drop(
            docs.run(PROGRAM)
                .arg("status")
                .env("GIT_DIR", ".")
                .run()
                .ok(),
        );
        docs.config_global("safe.bareRepository", "all");
        drop(docs.merkle(&["status"]).ok());
        drop(victim.merkle(&["status"]).ok());
        drop(docs.merkle(&["regenerate", "--worktree"]));
        assert!(
            !trace.exists(),
            "{}",
            std::fs::read_to_string(&trace).unwrap_or_default()
        );
    }
}

#[test]
fn repositories_of_every_honest_kind_are_found_as_before() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit one\n+ a.md = a\n+ sub.d/b.md = b");
    let bare = repo.clone_to("hub.git", &["--bare"]);
    let linked = repo.worktree("work/linked", "HEAD");
    repo.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        bare.path("").to_str().unwrap(),
        "module",
    ])
    .ok();
    let separate = sandbox.repo("separate");
    separate.fill("commit one\n+ a.md = a");
    let away = sandbox.path("away.dir");
    separate
        .git(&[
            "init",
            "-q",
            &format!("--separate-git-dir={}", away.display()),
        ])
        .ok();
    // A bare repository with its work trees beside it, and a `.git` file that leads to it.
    let project = sandbox.path("project");
    repo.git(&[
        "clone",
        "-q",
        "--bare",
        ".",
        project.join(".bare").to_str().unwrap(),
    ])
    .ok();
    std::fs::write(project.join(".git"), "gitdir: ./.bare\n").unwrap();
    for place in [
        "work",
        "work/sub.d",
        "work/linked",
        "work/module",
        "work/.git",
        "work/.git/modules/module",
        "hub.git",
    ] {
        drop(
            Repo::at(&sandbox, sandbox.path(place))
                .merkle(&["status"])
                .ok(),
        );
    }
    for place in [
        "hub.git/refs",
        "separate",
        "away.dir",
        "project",
        "project/.bare",
    ] {
        drop(
            Repo::at(&sandbox, sandbox.path(place))
                .merkle(&["status"])
                .ok(),
        );
    }
    drop(linked);
    // Where the user has forbidden bare ones, a work tree of its own makes no other layout of it.
    bare.config("core.bare", "false");
    bare.config("core.worktree", ".");
    drop(bare.merkle(&["status"]).ok());
    let forbidden = bare
        .merkle(&["-c", "safe.bareRepository=explicit", "status"])
        .exits(128);
    assert!(
        forbidden
            .err()
            .contains("safe.bareRepository is 'explicit'"),
        "{forbidden}"
    );
}

#[test]
fn filters_of_the_repositorys_own_configuration_are_not_run() {
    let sandbox = Sandbox::new();
    let (program, trace) = trap(&sandbox);
    let program = program.to_str().unwrap();
    let repo = sandbox.repo("delivered");
    repo.fill("commit one\n+ a.md = a\n+ .gitattributes = *.txt filter=it's");
    for key in ["clean", "process"] {
        repo.config(&format!("filter.it's.{key}"), program);
        std::fs::write(repo.path("new.txt"), "new").unwrap();
        drop(repo.merkle(&["session", "new", "s"]));
        for arguments in [
            &["regenerate", "--worktree"][..],
            &["scan", "--worktree"],
            &["watch", "--once"],
            &["turn", "new", "-m", "x"],
        ] {
            let output = repo.merkle(arguments).exits(77);
            let expected = format!(
                "error: 'new.txt' goes through the filter 'it's', whose program only this repository's own configuration names\n\
                 hint: if you trust the program, name it in your own configuration:\n\
                 hint: git config --global 'filter.it'\\''s.{key}' {program}\n"
            );
            assert_eq!(output.err(), expected, "{output}");
        }
        assert!(
            !trace.exists(),
            "{}",
            std::fs::read_to_string(&trace).unwrap()
        );
        // Files that need no filter are read all the same.
        std::fs::remove_file(repo.path("new.txt")).unwrap();
        repo.merkle(&["scan", "--worktree"]).ok();
        repo.git(&["config", "--unset", &format!("filter.it's.{key}")])
            .ok();
    }
    // The user's own configuration allows it, and then it is this one that runs.
    std::fs::write(repo.path("new.txt"), "new").unwrap();
    repo.config_global("filter.it's.clean", "tr a-z A-Z");
    repo.git(&["add", "-A"]).ok();
    let tree = repo.git(&["write-tree"]).ok();
    repo.git(&["reset", "-q"]).ok();
    repo.config("filter.it's.clean", program);
    let listed = repo.merkle(&["scan", "--worktree", "--json"]).ok();
    assert!(listed.contains(tree.trim()), "{listed}");
    // Git looks at files as young as the index whenever it writes one.
    repo.git(&["config", "--global", "--unset", "filter.it's.clean"])
        .ok();
    repo.git(&["-c", "filter.it's.clean=cat", "add", "-A"]).ok();
    repo.merkle(&["scan", "--index"]).ok();
    assert!(
        !trace.exists(),
        "{}",
        std::fs::read_to_string(&trace).unwrap()
    );
}

#[test]
fn a_submodules_own_filters_are_not_run_and_its_commit_is_seen() {
    let sandbox = Sandbox::new();
    let (program, trace) = trap(&sandbox);
    let repo = sandbox.filled("commit one\n+ a.md = a");
    let inner = sandbox.repo("work/inner");
    inner.fill("commit one\n+ b.txt = b\n+ .gitattributes = * filter=evil");
    repo.git(&["add", "inner"]).ok();
    repo.git(&["commit", "-q", "-m", "two"]).ok();
    inner.config("filter.evil.clean", program.to_str().unwrap());
    std::fs::write(inner.path("b.txt"), "changed").unwrap();
    repo.merkle(&["regenerate", "--worktree"]).ok();
    assert!(
        !trace.exists(),
        "{}",
        std::fs::read_to_string(&trace).unwrap()
    );
    inner.git(&["config", "--unset", "filter.evil.clean"]).ok();
    inner
        .git(&["commit", "-q", "--allow-empty", "-m", "two"])
        .ok();
    // The work tree's tree is the one that `git add` makes.
    repo.git(&["add", "-A"]).ok();
    let tree = repo.git(&["write-tree"]).ok();
    repo.git(&["reset", "-q"]).ok();
    let listed = repo.merkle(&["scan", "--worktree", "--json"]).ok();
    assert!(listed.contains(tree.trim()), "{listed}");
}

/// The program, found by its absolute path, with a search path of its own.
fn with_path(repo: &Repo<'_>, path: &str, arguments: &[&str]) -> Run {
    repo.run(PROGRAM).args(arguments).env("PATH", path)
}

#[test]
fn a_file_called_git_in_the_work_tree_is_never_run() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit one\n+ a.md = a");
    repo.merkle(&["session", "new", "s"]).ok();
    let trace = sandbox.path("it ran");
    let text = format!(
        "#!/bin/sh\necho \"$0 $*\" >>'{}'\nexit 0\n",
        trace.display()
    );
    std::fs::create_dir(repo.path("bin")).unwrap();
    for name in ["git", "git-merkle", "sh", "less", "bin/git"] {
        executable(&repo.path(name), &text);
    }
    let usual = repo
        .run("sh")
        .args(["-c", "printf %s \"$PATH\""])
        .run()
        .ok();
    let below = repo.path("bin").display().to_string();
    for before in [".", "", "bin:.", &below] {
        let path = &format!("{before}:{usual}");
        for arguments in [
            &["regenerate", "--worktree"][..],
            &["hooks", "install", "--mode=hookdir"],
            &["turn", "new", "-m", "x"],
        ] {
            with_path(&repo, path, arguments).run().ok();
        }
        drop(with_path(&repo, path, &["auth", "status"]).run());
        // The hook of a program that is gone, as git runs it: in the root of the work tree.
        let hook = repo.path(".git/hooks/post-commit");
        let gone = std::fs::read_to_string(&hook)
            .unwrap()
            .replace(PROGRAM, "/gone/git-merkle");
        std::fs::write(&hook, gone).unwrap();
        let run = repo.run("/bin/sh").arg(&hook).env("PATH", path).run();
        assert_eq!(run.code, Some(0), "{run}");
        assert!(
            !trace.exists(),
            "with {path}: {}",
            std::fs::read_to_string(&trace).unwrap()
        );
    }
    let nowhere = with_path(&repo, ".", &["regenerate", "--worktree"])
        .run()
        .exits(128);
    assert_eq!(
        nowhere.err(),
        "error: cannot run 'git': no 'git' on the search path outside of the work tree\n"
    );
}

/// Before, an unpacked archive could call the user's home its work tree: its files went into payloads, and `init` wrote there.
#[test]
fn a_work_tree_elsewhere_is_used_when_it_leads_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("home/downloads/archive");
    repo.fill("commit files\n+ a.rs = fn a() {}");
    std::fs::write(sandbox.path("home/diary.txt"), "dear diary").unwrap();
    for work_tree in ["../../..", sandbox.path("home").to_str().unwrap()] {
        repo.config("core.worktree", work_tree);
        for arguments in [
            &["context", "--redact", "**"][..],
            &["init"],
            &["regenerate", "--worktree"],
            &["status"],
        ] {
            let output = repo.merkle(arguments).exits(128);
            assert!(
                output.err().contains("which does not know of it")
                    && output.err().contains("--git-dir="),
                "{output}"
            );
        }
        assert!(!sandbox.path("home/.teddy").exists());
    }
    // Named, it is the user's wish.
    let named = format!("--git-dir={}", repo.path(".git").display());
    let home = Repo::at(&sandbox, sandbox.path("home"));
    assert!(
        home.merkle(&[&named, "context", "--redact", "diary.txt"])
            .ok()
            .contains("dear diary")
    );
    // A submodule's own repository stands elsewhere, and its work tree has a file that leads back.
    let outer = sandbox.repo("outer");
    outer.fill("commit files\n+ b.rs = fn b() {}");
    let source = sandbox.path("outer").display().to_string();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &source,
        "sub",
    ];
    outer.git(&add).ok();
    assert!(
        outer
            .git(&["-C", "sub", "config", "core.worktree"])
            .ok()
            .contains("../../../sub")
    );
    let inner = Repo::at(&sandbox, outer.path("sub"));
    inner.merkle(&["regenerate"]).ok();
    Repo::at(&sandbox, outer.path(".git/modules/sub"))
        .merkle(&["status"])
        .ok();
}

//! What the commands say: steps, refusals with the lines to write instead, status.

use std::os::unix::fs::PermissionsExt;

use super::{World, listing, script};
use crate::support::Sandbox;

#[test]
fn a_folder_of_the_project_is_not_written_unless_forced() {
    for (folder, file) in [
        (".githooks", "/work/.githooks/post-commit:"),
        (".husky/_", ".husky/post-commit:"),
    ] {
        let sandbox = Sandbox::new();
        let world = World::new(&sandbox, "work");
        world.repo.config("core.hooksPath", folder);
        let hook = world.repo.path(folder).join("post-commit");
        script(&hook, "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n");
        script(
            &world.repo.path(folder).join("h"),
            &format!("{}\nexit 3\n", world.noting()),
        );
        let (before, did) = (listing(&world.repo.path("")), world.fire("post-commit"));
        let refused = world.hooks(&["install"]).exits(1);
        assert!(refused.out().contains(file), "{refused}");
        assert!(
            refused.out().contains(
                "if command -v git-merkle; then git-merkle hooks run post-commit \"$@\"; fi"
            ),
            "{refused}"
        );
        assert!(
            refused.err().contains("belongs to the project\nhint: "),
            "{refused}"
        );
        let document = world
            .hooks(&["install", "--json"])
            .exits(1)
            .json("hooks-install");
        assert_eq!(document["blocked"], "in-work-tree");
        assert_eq!(listing(&world.repo.path("")), before);
        let forced = world.hooks(&["install", "--force"]).ok();
        assert!(forced.contains("\n+# >>> git merkle >>>"), "{forced}");
        world.place_recorder();
        assert_eq!(world.fire("post-commit"), did);
        assert_eq!(world.log("calls"), "hooks run post-commit a b c \n");
        world.place_program();
        world.hooks(&["uninstall"]).ok();
        assert_eq!(listing(&world.repo.path("")), before);
    }
}

#[test]
fn folders_of_all_repositories_and_closed_ones_are_left_alone() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    let shared = sandbox.path("home/hooks");
    std::fs::create_dir(&shared).unwrap();
    world.repo.config_global("core.hooksPath", "~/hooks");
    let before = listing(&sandbox.path(""));
    let refused = world.hooks(&["install"]).exits(1);
    assert!(
        refused
            .err()
            .contains("is shared with other repositories\nhint: "),
        "{refused}"
    );
    assert_eq!(listing(&sandbox.path("")), before);
    world.hooks(&["install", "--force"]).ok();
    assert!(shared.join("post-commit").exists());
    world.hooks(&["uninstall"]).ok();
    assert_eq!(listing(&sandbox.path("")), before);

    world.repo.config("core.hooksPath", "/dev/null");
    assert!(
        world
            .hooks(&["install"])
            .exits(1)
            .err()
            .contains("'/dev/null' is no folder")
    );
    let once = world
        .repo
        .merkle(&["-c", "core.hooksPath=x", "hooks", "install"])
        .exits(1);
    assert!(
        once.err().contains("was set for this command only"),
        "{once}"
    );

    let closed = world.repo.path(".git/hooks");
    world
        .repo
        .config("core.hooksPath", closed.to_str().unwrap());
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    let before = listing(&world.repo.path(""));
    let refused = world.hooks(&["install"]).exits(1);
    assert!(
        refused
            .err()
            .contains("is closed for writing\nhint: run 'chmod u+w "),
        "{refused}"
    );
    assert_eq!(listing(&world.repo.path("")), before);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_folder_that_leads_into_the_work_tree_belongs_to_the_project() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    std::fs::remove_dir_all(world.repo.path(".git/hooks")).unwrap();
    std::fs::create_dir(world.repo.path("githooks")).unwrap();
    std::os::unix::fs::symlink("../githooks", world.repo.path(".git/hooks")).unwrap();
    assert!(
        world
            .hooks(&["install"])
            .exits(1)
            .err()
            .contains("belongs to the project")
    );
}

#[test]
fn what_cannot_be_renamed_is_left_and_said() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    world.hook(
        "post-commit",
        "#!/usr/bin/perl\nuse File::Basename; exit 3 if basename($0) ne 'post-commit';\n",
    );
    world.hook("post-merge", "#!/usr/bin/awk -f\n");
    world.hook("post-merge.merkle-chained", "mine\n");
    std::fs::create_dir(world.repo.path(".git/hooks/post-rewrite")).unwrap();
    let before = listing(&world.repo.path(""));
    insta::assert_snapshot!(world.hooks(&["install"]).exits(1).out(), @"
    left post-commit .git/hooks/post-commit (it acts by its own name and cannot be renamed; --force does it)
    left post-merge .git/hooks/post-merge (the hook beside it whose name ends in '.merkle-chained' is in the way)
    left post-rewrite .git/hooks/post-rewrite (it is neither a file nor a link)
    created post-applypatch .git/hooks/post-applypatch
    created post-checkout .git/hooks/post-checkout
    ");
    world.hooks(&["uninstall"]).ok();
    assert_eq!(listing(&world.repo.path("")), before);
}

#[test]
fn a_failure_in_the_middle_is_undone() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    // Left by one who died, so it is taken over; a folder is nobody's lock.
    std::fs::write(world.repo.path(".git/hooks/post-merge.lock"), "").unwrap();
    std::fs::create_dir(world.repo.path(".git/hooks/post-rewrite.lock")).unwrap();
    let mut before = listing(&world.repo.path(""));
    let failed = world.hooks(&["install"]).exits(75);
    assert!(
        failed.err().contains("post-rewrite.lock' exists\nhint: "),
        "{failed}"
    );
    before.remove(&world.repo.path(".git/hooks/post-merge.lock"));
    assert_eq!(listing(&world.repo.path("")), before);
}

#[test]
fn status_says_what_git_really_runs() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    let shown = |world: &World<'_>| {
        let text = world.hooks(&["status"]).ok();
        text.split_inclusive('\n')
            .filter(|line| !line.starts_with("binary "))
            .collect::<String>()
    };
    world.hook("post-commit", "#!/bin/sh\nexit 0\n");
    world.hook("post-merge", "#!/usr/bin/awk -f\n");
    world.hook("post-rewrite", "#!/bin/sh\r\n");
    insta::assert_snapshot!(shown(&world), @"
    hooks     not installed
    post-commit     not installed; runs .git/hooks/post-commit
    post-merge      not installed; runs .git/hooks/post-merge
    worker    idle, 0 waiting
    ");
    world
        .hooks(&["install", "--mode=hookdir", "--budget=1.50"])
        .ok();
    insta::assert_snapshot!(shown(&world), @"
    hooks     installed, mode hookdir, in .git/hooks
    budget    1.5 US dollars a day
    post-commit     installed; runs git merkle, then .git/hooks/post-commit
    post-merge      installed; runs git merkle, then .git/hooks/post-merge.merkle-chained
    post-rewrite    installed, but git does not run it
    post-applypatch installed; runs git merkle
    post-checkout   installed; runs git merkle
    worker    idle, 0 waiting
    ");
    world.repo.config("core.hooksPath", "elsewhere");
    insta::assert_snapshot!(shown(&world), @"
    hooks     installed, mode hookdir, in .git/hooks
    budget    1.5 US dollars a day
    post-commit     installed, but git does not run it
    post-merge      installed, but git does not run it
    post-rewrite    installed, but git does not run it
    post-applypatch installed, but git does not run it
    post-checkout   installed, but git does not run it
    worker    idle, 0 waiting
    ");
    let document = world.hooks(&["status", "--json"]).ok();
    assert!(
        document.starts_with(
            r#"{"schema":"git-merkle/hooks-status/1","installed":true,"mode":"hookdir","#
        ),
        "{document}"
    );
    world.hooks(&["uninstall"]).ok();
    world
        .repo
        .git(&["config", "--unset", "core.hooksPath"])
        .ok();
    assert_eq!(world.fire("post-merge").0, Some(0));
    assert!(shown(&world).starts_with("hooks     not installed\n"));
}

#[test]
fn fewer_events_take_the_others_out() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    insta::assert_snapshot!(world.hooks(&["install"]).ok(), @"
    created post-commit .git/hooks/post-commit
    created post-merge .git/hooks/post-merge
    created post-rewrite .git/hooks/post-rewrite
    created post-applypatch .git/hooks/post-applypatch
    created post-checkout .git/hooks/post-checkout
    ");
    insta::assert_snapshot!(world.hooks(&["install", "--events=post-commit,pre-push"]).ok(), @"
    kept post-commit .git/hooks/post-commit
    removed post-merge .git/hooks/post-merge
    removed post-rewrite .git/hooks/post-rewrite
    removed post-applypatch .git/hooks/post-applypatch
    removed post-checkout .git/hooks/post-checkout
    created pre-push .git/hooks/pre-push
    ");
    insta::assert_snapshot!(world.hooks(&["uninstall"]).ok(), @"
    removed post-commit .git/hooks/post-commit
    removed pre-push .git/hooks/pre-push
    ");
    assert_eq!(world.hooks(&["uninstall"]).ok(), "");
    assert!(
        world
            .hooks(&["install", "--events=pre-commit"])
            .exits(129)
            .err()
            .contains("expected some of post-commit, ")
    );
}

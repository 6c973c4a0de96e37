//! From every starting state: the hooks of the user run as before, ours runs too, and uninstalling leaves no trace.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::{Listing, World, listing, script};
use crate::support::Sandbox;

/// A state to start from: how it is made, and the event whose hook is looked at.
struct Start {
    name: &'static str,
    event: &'static str,
    make: fn(&World<'_>),
}

const fn start(name: &'static str, event: &'static str, make: fn(&World<'_>)) -> Start {
    Start { name, event, make }
}

/// What git's templates, people and hook managers leave in a hooks folder.
const STARTS: &[Start] = &[
    start("no folder", "post-commit", |world| {
        std::fs::remove_dir_all(world.repo.path(".git/hooks"))
            .expect("files of a test can be made");
    }),
    start("empty folder", "post-commit", |world| {
        std::fs::remove_dir_all(world.repo.path(".git/hooks"))
            .expect("files of a test can be made");
        std::fs::create_dir(world.repo.path(".git/hooks")).expect("files of a test can be made");
    }),
    start("samples", "post-commit", |world| {
        world.hook("post-commit.sample", "#!/bin/sh\nexit 1\n");
    }),
    start("sh", "post-commit", |world| {
        world.hook("post-commit", &format!("#!/bin/sh\n{}\n", world.noting()));
    }),
    start("bash, strict", "post-merge", |world| {
        world.hook(
            "post-merge",
            &format!(
                "#!/usr/bin/env bash\nset -eu\n: \"$1\"\n{}\nfalse\necho never\n",
                world.noting()
            ),
        );
    }),
    start("strict in the first line", "post-merge", |world| {
        world.hook(
            "post-merge",
            &format!("#!/bin/sh -eu\n{}\n", world.noting()),
        );
    }),
    start("exit code", "pre-push", |world| {
        world.hook(
            "pre-push",
            &format!("#!/bin/sh\n{}\nexit 3\n", world.noting()),
        );
    }),
    start("exec", "pre-push", |world| {
        script(
            &world.sandbox.path("other"),
            &format!("#!/bin/sh\n{}\nexit 4\n", world.noting()),
        );
        world.hook(
            "pre-push",
            &format!(
                "#!/bin/sh\nexec '{}' \"$@\"\n",
                world.sandbox.path("other").display()
            ),
        );
    }),
    start("CRLF that runs", "post-commit", |world| {
        world.hook(
            "post-commit",
            &format!("{} #\r\necho said #\r\nexit 5 #\r\n", world.noting()),
        );
    }),
    start("CRLF that never ran", "post-commit", |world| {
        world.hook("post-commit", "#!/bin/sh\r\necho said\r\n");
    }),
    start("no end of the last line", "post-commit", |world| {
        world.hook(
            "post-commit",
            &format!("#!/bin/sh\n{}; exit 6", world.noting()),
        );
    }),
    start("one line without an end", "post-commit", |world| {
        world.hook("post-commit", "#!/bin/sh");
    }),
    start("own hook of one line", "post-commit", |world| {
        world.hook("post-commit", "#!/bin/sh\n");
    }),
    start("empty file", "post-commit", |world| {
        world.hook("post-commit", "");
    }),
    start("no first line", "post-commit", |world| {
        world.hook("post-commit", &format!("{}\nexit 7\n", world.noting()));
    }),
    start("another language", "pre-push", |world| {
        let body = "BEGIN { for (i = 1; i < ARGC; i++) print \"<\" ARGV[i] \">\"; while ((getline line < \"-\") > 0) print line; exit 8 }";
        world.hook("pre-push", &format!("#!/usr/bin/awk -f\n{body}\n"));
    }),
    start("shell that is another language", "pre-push", |world| {
        let body = "BEGIN { for (i = 1; i < ARGC; i++) print \"<\" ARGV[i] \">\"; exit 8 }";
        world.hook(
            "pre-push",
            &format!("#!/bin/sh\n\"exec\" \"awk\" \"-f\" \"$0\" \"$@\"\n{body}\n"),
        );
    }),
    start("data in its own lines", "pre-push", |world| {
        world.hook("pre-push", "#!/bin/sh\ntail -n +4 \"$0\"\nexit 9\ndata\n");
    }),
    start("binary", "post-commit", |world| {
        let found = ["/bin/echo", "/usr/bin/echo"]
            .into_iter()
            .find(|path| std::path::Path::new(path).exists())
            .expect("files of a test can be made");
        std::fs::copy(found, world.repo.path(".git/hooks/post-commit"))
            .expect("files of a test can be made");
    }),
    start("link inside", "post-commit", |world| {
        world.hook("mine", &format!("#!/bin/sh\n{}\nexit 10\n", world.noting()));
        symlink("mine", world.repo.path(".git/hooks/post-commit"))
            .expect("files of a test can be made");
    }),
    start("link outside", "post-commit", |world| {
        script(
            &world.repo.path("tools/hook"),
            &format!("#!/bin/sh\n{}\nexit 11\n", world.noting()),
        );
        symlink(
            "../../tools/hook",
            world.repo.path(".git/hooks/post-commit"),
        )
        .expect("files of a test can be made");
    }),
    start("link to nothing", "post-commit", |world| {
        symlink("gone", world.repo.path(".git/hooks/post-commit"))
            .expect("files of a test can be made");
    }),
    start("two names", "post-commit", |world| {
        world.hook("post-commit", &format!("#!/bin/sh\n{}\n", world.noting()));
        std::fs::hard_link(
            world.repo.path(".git/hooks/post-commit"),
            world.sandbox.path("other name"),
        )
        .expect("files of a test can be made");
    }),
    start("not executable", "post-commit", |world| {
        // Git's advice about it is the one thing that changes: there is a hook that can be run now.
        world.repo.config("advice.ignoredHook", "false");
        world.hook("post-commit", "#!/bin/sh\necho turned off\nexit 12\n");
        let path = world.repo.path(".git/hooks/post-commit");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o640))
            .expect("files of a test can be made");
    }),
    start("odd mode", "post-commit", |world| {
        world.hook("post-commit", &format!("#!/bin/sh\n{}\n", world.noting()));
        let path = world.repo.path(".git/hooks/post-commit");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o711))
            .expect("files of a test can be made");
    }),
    start("path of its own", "post-commit", |world| {
        let hooks = world.sandbox.path("my hooks");
        script(
            &hooks.join("post-commit"),
            &format!("#!/bin/sh\n{}\nexit 13\n", world.noting()),
        );
        world.repo.config(
            "core.hooksPath",
            hooks.to_str().expect("files of a test can be made"),
        );
    }),
    start("lefthook", "post-commit", |world| {
        let call = format!(
            "call_it()\n{{\n  if test -n \"$LEFTHOOK_BIN\"\n  then\n    \"$LEFTHOOK_BIN\" \"$@\"\n  else\n    {}\n  fi\n}}",
            world.noting()
        );
        let text = format!(
            "#!/bin/sh\n\nif [ \"$LEFTHOOK\" = \"0\" ]; then\n  exit 0\nfi\n\n{call}\n\ncall_it run \"post-commit\" \"$@\"\n"
        );
        world.hook("post-commit", &text);
    }),
    start("pre-commit", "pre-push", |world| {
        let body = "HERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\nARGS=(hook-impl --hook-type=pre-push)\nARGS+=(--hook-dir \"$HERE\" -- \"$@\")";
        let end = format!("set -- \"${{ARGS[@]}}\"\n{}\nexit 14", world.noting());
        world.hook(
            "pre-push",
            &format!(
                "#!/usr/bin/env bash\n# generated by a manager of hooks\n\n# start templated\n{body}\n# end templated\n\n{end}\n"
            ),
        );
    }),
];

pub(super) const ALL: &str =
    "--events=post-commit,post-merge,post-rewrite,post-applypatch,post-checkout,pre-push";

/// Both the git directory and what stands beside the repository.
fn state(world: &World<'_>) -> Listing {
    let mut found = listing(&world.repo.path(""));
    let hooks = world.sandbox.path("my hooks");
    if hooks.exists() {
        found.extend(listing(&hooks));
    }
    found
}

fn check(world: &World<'_>, name: &str, event: &str) {
    let (before, did) = (state(world), world.fire(event));
    world.hooks(&["install", ALL]).ok();
    let installed = state(world);
    assert_ne!(before, installed, "{name}");
    world.hooks(&["install"]).ok();
    assert_eq!(
        state(world),
        installed,
        "{name}: installing twice changes something"
    );

    world.place_recorder();
    assert_eq!(
        world.fire(event),
        did,
        "{name}: its own hook does something else"
    );
    let is_dead = name == "CRLF that never ran";
    let expected = if is_dead {
        String::new()
    } else {
        format!("hooks run {event} a b c \n")
    };
    assert_eq!(
        world.log("calls"),
        expected,
        "{name}: ours is called once, and given no input"
    );
    // Without the program, anywhere, the user's git does what it did.
    std::fs::remove_file(world.program()).expect("files of a test can be made");
    assert_eq!(world.fire(event), did, "{name}: it needs the program");

    world.place_program();
    world.hooks(&["uninstall"]).ok();
    assert_eq!(state(world), before, "{name}: uninstalling leaves a trace");
    assert_eq!(world.fire(event), did, "{name}");
}

#[test]
fn every_start_is_left_as_it_was_and_runs_in_between() {
    for Start { name, event, make } in STARTS {
        let sandbox = Sandbox::new();
        let world = World::new(&sandbox, "work");
        make(&world);
        check(&world, name, event);
    }
}

#[test]
fn odd_paths_are_quoted() {
    let sandbox = Sandbox::new();
    for name in [
        "a 'b' \"c\"",
        "$(touch x) `y` \\ %s",
        "two\nlines",
        "ümlaut",
    ] {
        let world = World::new(&sandbox, name);
        world.hook(
            "post-commit",
            &format!("#!/bin/sh\n{}\nexit 3\n", world.noting()),
        );
        world.hook("pre-push", "#!/usr/bin/awk -f\nBEGIN { exit 4 }\n");
        check(&world, name, "post-commit");
        check(&world, name, "pre-push");
    }
}

#[test]
fn a_linked_worktree_shares_the_hooks_of_its_repository() {
    let sandbox = Sandbox::new();
    let main = World::new(&sandbox, "work");
    main.hook("post-commit", &format!("#!/bin/sh\n{}\n", main.noting()));
    let linked = World::at(&sandbox, main.repo.worktree("linked", "HEAD"));
    let before = state(&main);
    linked.hooks(&["install"]).ok();
    linked.place_recorder();
    linked
        .repo
        .git(&["commit", "-q", "--allow-empty", "-m", "x"])
        .ok();
    main.repo
        .git(&["commit", "-q", "--allow-empty", "-m", "x"])
        .ok();
    assert_eq!(
        main.log("calls"),
        "hooks run post-commit\nhooks run post-commit\n"
    );
    main.place_program();
    main.hooks(&["uninstall"]).ok();
    let hooks = |found: &Listing| {
        found
            .iter()
            .filter(|(path, _)| path.to_string_lossy().contains("/.git/hooks"))
            .count()
    };
    assert_eq!(hooks(&state(&main)), hooks(&before));
    assert!(!main.repo.path(".git/merkle").exists());
}

#[test]
fn a_bare_repository_is_told_of_pushes_when_asked_for() {
    let sandbox = Sandbox::new();
    let repo = sandbox.bare("hub");
    let world = World::at(&sandbox, repo);
    let before = state(&world);
    let refused = world.hooks(&["install"]).exits(65);
    assert_eq!(
        refused.err(),
        "error: this is a bare repository\nhint: run 'git merkle hooks install --bare' to have it told of pushes\n"
    );
    assert_eq!(state(&world), before);
    drop(
        world
            .hooks(&["install", "--bare", "--events=post-commit"])
            .exits(65),
    );
    world.hooks(&["install", "--bare"]).ok();
    world.place_recorder();
    assert_eq!(world.fire("post-receive").0, Some(0));
    assert_eq!(world.log("calls"), "hooks run post-receive a b c \n");
    world.place_program();
    world.hooks(&["uninstall"]).ok();
    assert_eq!(state(&world), before);
}

#[test]
fn git_runs_them_on_its_own_and_a_push_is_still_refused() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    world.hook(
        "pre-push",
        &format!("#!/bin/sh\n{}\nexit 3\n", world.noting()),
    );
    world.hooks(&["install", ALL]).ok();
    world.place_recorder();
    let hub = sandbox.bare("hub");
    let hub = hub.path("").display().to_string();
    world
        .repo
        .git(&["commit", "-q", "--allow-empty", "-m", "second"])
        .ok();
    world
        .repo
        .git(&["commit", "-q", "--amend", "--allow-empty", "-m", "third"])
        .ok();
    world.repo.git(&["switch", "-q", "-c", "topic"]).ok();
    drop(world.repo.git(&["push", "-q", &hub, "HEAD"]).exits(1));
    assert!(
        world.log("seen").contains("refs/heads/topic"),
        "its input reached the hook of the user"
    );
    let calls = world.log("calls");
    let events: Vec<&str> = calls
        .lines()
        .map(|line| line.split(' ').nth(2).unwrap())
        .collect();
    assert_eq!(
        events,
        [
            "post-commit",
            "post-commit",
            "post-rewrite",
            "post-checkout",
            "pre-push"
        ]
    );
}

#[test]
fn torn_blocks_are_healed_and_gone_afterwards() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    let mine = format!("#!/bin/sh\n{}\n", world.noting());
    world.hook("post-commit", &mine);
    let clean = state(&world);
    world.hooks(&["install"]).ok();
    let path = world.repo.path(".git/hooks/post-commit");
    let whole = std::fs::read_to_string(&path).unwrap();
    let record = world.repo.path(".git/merkle/hooks/installed");
    for lost in [
        "# <<< git merkle <<<\n",
        "} </dev/null",
        "  fi # git merkle\n",
    ] {
        // Cut out of the middle by somebody, or left behind by somebody who forgot the record.
        let torn: String = whole
            .split_inclusive('\n')
            .filter(|line| !line.starts_with(lost.trim_end()))
            .collect();
        assert_ne!(torn, whole);
        std::fs::write(&path, &torn).unwrap();
        world.hooks(&["install"]).ok();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        std::fs::write(&path, &torn).unwrap();
        std::fs::remove_file(&record).unwrap();
        world.hooks(&["install"]).ok();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }
    world.hooks(&["uninstall"]).ok();
    assert_eq!(state(&world).get(&path), clean.get(&path));
}

/// Before, `install` kept a hook that git did not run, and `status` said that `install` puts it back.
#[test]
fn a_hook_of_ours_is_made_executable_and_one_of_the_user_is_not() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    world.hook("post-merge", &format!("#!/bin/sh\n{}\n", world.noting()));
    world.hooks(&["install"]).ok();
    let mode = |event: &str| {
        let path = world.repo.path(&format!(".git/hooks/{event}"));
        std::fs::metadata(path).unwrap().permissions().mode() & 0o111
    };
    for event in ["post-commit", "post-merge"] {
        let path = world.repo.path(&format!(".git/hooks/{event}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let told = world.hooks(&["install"]).out();
    assert!(
        told.contains("updated post-commit .git/hooks/post-commit\n")
            && told.contains("left post-merge .git/hooks/post-merge (it is not executable"),
        "{told}"
    );
    assert_eq!((mode("post-commit"), mode("post-merge")), (0o111, 0));
}

#[test]
fn a_moved_program_is_followed() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    let before = state(&world);
    world.repo.merkle(&["hooks", "install"]).ok();
    let path = world.repo.path(".git/hooks/post-commit");
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .contains(crate::support::PROGRAM)
    );
    let told = world.hooks(&["install"]).ok();
    assert!(
        told.starts_with("updated post-commit .git/hooks/post-commit\n"),
        "{told}"
    );
    world.place_recorder();
    world.fire("post-commit");
    assert_eq!(world.log("calls"), "hooks run post-commit a b c \n");
    world.place_program();
    world.hooks(&["uninstall"]).ok();
    assert_eq!(state(&world), before);
}

#[test]
fn a_moved_repository_keeps_and_loses_its_hooks() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    std::fs::remove_dir_all(world.repo.path(".git/hooks")).unwrap();
    let copy = World::at(&sandbox, world.repo.copy_to("before"));
    world.hooks(&["install", "--events=post-commit"]).ok();
    let moved = World::at(&sandbox, world.repo.copy_to("moved"));
    std::fs::remove_dir_all(world.repo.path("")).unwrap();
    assert_eq!(
        moved.hooks(&["install"]).ok(),
        "kept post-commit .git/hooks/post-commit\n"
    );
    moved.hooks(&["uninstall"]).ok();
    let names = |world: &World<'_>| {
        let root = world.repo.path("");
        listing(&root)
            .into_iter()
            .map(|(path, entry)| (path.strip_prefix(&root).unwrap().to_owned(), entry))
            .collect::<Listing>()
    };
    assert_eq!(names(&moved), names(&copy));
}

#[test]
fn lines_that_the_user_adds_later_stay() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    world.hook("post-merge", "#!/usr/bin/awk -f\nBEGIN { exit 4 }\n");
    world.hooks(&["install"]).ok();
    for name in ["post-commit", "post-merge"] {
        let path = world.repo.path(".git/hooks").join(name);
        let text = std::fs::read_to_string(&path).unwrap() + "echo later\n";
        std::fs::write(&path, text).unwrap();
    }
    world.hooks(&["uninstall"]).ok();
    let left =
        |name: &str| std::fs::read_to_string(world.repo.path(".git/hooks").join(name)).unwrap();
    assert_eq!(left("post-commit"), "#!/bin/sh\necho later\n");
    assert!(left("post-merge").contains("exec ") && left("post-merge").ends_with("echo later\n"));
    assert_eq!(
        world.fire("post-merge").0,
        Some(4),
        "the hook that was renamed still runs"
    );
}

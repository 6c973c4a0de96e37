//! What does not fit: edited and damaged files, links, secrets, and sessions that came with the repository.

use super::{FIXTURE, read, write};
use crate::generate::{Protocol, World, command};
use crate::support::loopback::Loopback;
use crate::support::{PROGRAM, Repo, Sandbox};

fn answered(repo: &Repo<'_>) {
    repo.merkle(&["session", "new", "login"]).ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input("THE PLAN\n")
        .run()
        .ok();
}

#[test]
fn what_was_approved_and_then_edited_is_warned_about() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    answered(&repo);
    repo.merkle(&["turn", "approve"]).ok();
    assert_eq!(repo.merkle(&["session", "show"]).err().lines().count(), 1);
    write(&repo, "01/planning-response.md", "ANOTHER PLAN\n");
    let shown = repo.merkle(&["turn", "new"]).exits(0);
    assert!(
        shown
            .err()
            .contains("01/planning-response.md' was edited after it was judged"),
        "{shown}"
    );
    std::fs::remove_file(repo.path(".teddy/sessions/login/01/planning-response.md"))
        .expect("there");
    assert!(repo.merkle(&["session", "show"]).err().contains("is gone"));
}

#[test]
fn damage_is_named_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    answered(&repo);
    let whole = read(&repo, "01/meta.yaml");
    for text in [
        "",
        "\0",
        "version: 9\n",
        &whole.replace("phase:", "phases:"),
        &whole[..whole.len() / 2],
    ] {
        write(&repo, "01/meta.yaml", text);
        let failed = repo.merkle(&["turn", "approve"]).exits(65);
        assert!(
            failed.err().contains("01/meta.yaml'") && failed.err().contains("hint: "),
            "{failed}"
        );
    }
    write(&repo, "01/meta.yaml", &whole);
    write(&repo, "history.jsonl", "{\"id\":\"01-req");
    repo.merkle(&["turn", "approve"]).ok();
    let shown = repo
        .merkle(&["session", "show", "--search", "plan"])
        .exits(0);
    assert!(
        shown.err().contains("has lines that cannot be read: 1")
            && shown.out().contains("THE PLAN"),
        "{shown}"
    );
}

#[test]
fn links_lead_nowhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    std::fs::create_dir_all(repo.path(".teddy/sessions")).expect("writable");
    let outside = sandbox.path("home/outside");
    std::fs::create_dir(&outside).expect("writable");
    std::os::unix::fs::symlink(&outside, repo.path(".teddy/sessions/login")).expect("a link");
    drop(repo.merkle(&["session", "new", "login"]).exits(65));
    assert_eq!(std::fs::read_dir(&outside).expect("a folder").count(), 0);
    for name in ["..", ".git", "a/b", "UPPER", "con", "-x"] {
        drop(repo.merkle(&["session", "new", "--", name]).exits(129));
    }
    let bare = sandbox.bare("bare");
    drop(bare.merkle(&["session", "new", "login"]).exits(128));
}

#[test]
fn what_looks_like_a_secret_is_not_written_into_a_prompt() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    let token = format!("{}_{}", "ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    repo.put("src/lock.rs", format!("const TOKEN: &str = \"{token}\";\n"));
    repo.merkle(&["session", "new", "login", "-c", "src/lock.rs"])
        .ok();
    let refused = repo
        .merkle(&["turn", "new", "-m", "Free the lock."])
        .exits(78);
    assert!(!refused.err().contains(&token), "{refused}");
    assert!(
        !repo
            .path(".teddy/sessions/login/01/planning-prompt.md")
            .exists()
    );
    let id = refused
        .err()
        .split("--allow-secret ")
        .nth(1)
        .expect("a hint")
        .split('\'')
        .next()
        .expect("an id")
        .to_owned();
    repo.merkle(&["turn", "new", "-m", "Free the lock.", "--allow-secret", &id])
        .ok();
    let refused = repo
        .merkle(&["turn", "new", "-m", &format!("Use {token}x9.")])
        .exits(78);
    assert!(refused.err().contains("request"), "{refused}");
}

#[test]
fn a_session_that_came_with_the_repository_chooses_nobody() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    world.set("merkle.provider.me.kind", "manual");
    world.set("merkle.defaultProvider", "me");
    let repo = world.repo(
        "
        commit first
        + README.md = # Sample
        + .teddy/sessions/login/session.context = README.md
        + .teddy/sessions/login/session.yaml
          | version: 1
          | providers:
          |   planner: m",
    );
    let begun = command(&repo, &["turn", "new", "-m", "x", "--json"])
        .run()
        .exits(0);
    assert_eq!(begun.json("turn")["provider"], "me");
    assert!(begun.err().contains("came with the repository"), "{begun}");
    drop(command(&repo, &["turn", "run"]).run().exits(75));
    assert_eq!(world.server.connections(), 0);
    // Other bytes that say the same are no edit: a repository's attributes can make git write them.
    for text in [
        "version: 1\r\nproviders:\r\n  planner: m\r\n",
        "version: 1\nparent: '$Id: 0123 $'\nproviders:\n  planner: m\nlimits:\n  turns: 3\n",
    ] {
        write(&repo, "session.yaml", text);
        let begun = command(&repo, &["turn", "new", "--json"]).run().exits(0);
        assert_eq!(begun.json("turn")["provider"], "me", "{text:?}");
    }
    // Whoever edits a name means it, and it stays meant when it is committed.
    world.set("merkle.provider.other.kind", "manual");
    write(
        &repo,
        "session.yaml",
        "version: 1\nproviders:\n  planner: other\n",
    );
    let begun = command(&repo, &["turn", "new", "--json"]).run().exits(0);
    assert_eq!(begun.json("turn")["provider"], "other");
    repo.git(&["commit", "-q", "-a", "-m", "mine"]).ok();
    let begun = command(&repo, &["turn", "new", "--json"]).run().exits(0);
    assert_eq!(begun.json("turn")["provider"], "other");
    write(
        &repo,
        "session.yaml",
        "version: 1\nproviders:\n  planner: m\n",
    );
    let begun = command(&repo, &["turn", "new", "--json"]).run().exits(0);
    assert_eq!(begun.json("turn")["provider"], "m");
}

#[test]
fn a_session_of_a_submodule_chooses_nobody() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    world.set("merkle.provider.me.kind", "manual");
    world.set("merkle.defaultProvider", "me");
    let repo = world.repo("commit first\n + README.md = # Sample");
    let head = repo.git(&["rev-parse", "HEAD"]).ok();
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{},.teddy", head.trim()),
    ])
    .ok();
    repo.git(&["commit", "-q", "-m", "submodule"]).ok();
    std::fs::create_dir_all(repo.path(".teddy/sessions/login")).expect("writable");
    write(
        &repo,
        "session.yaml",
        "version: 1\nproviders:\n  planner: m\n",
    );
    write(&repo, "session.context", "README.md\n");
    let begun = command(&repo, &["turn", "new", "-m", "x", "--json"])
        .run()
        .exits(0);
    assert_eq!(begun.json("turn")["provider"], "me");
}

#[test]
fn sessions_of_linked_work_trees_are_others() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    let repo = world.repo(FIXTURE);
    repo.trust();
    let linked = repo.path("../linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().expect("UTF-8")])
        .ok();
    let other = ["-C", "../linked"];
    for arguments in [
        &["session", "new", "login"][..],
        &["turn", "new", "-m", "Free the lock."],
    ] {
        command(&repo, arguments).run().ok();
        command(&repo, &other).args(arguments).run().ok();
    }
    // An answer of one that waits is not taken, nor taken away, by the other.
    let waiting = ".git/merkle/answers/login-01.json";
    repo.put(waiting, "{}");
    command(&repo, &other).args(["turn", "run"]).run().ok();
    assert!(repo.path(waiting).exists());
}

#[test]
fn an_answer_that_is_there_is_neither_replaced_nor_given_to_another_question() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    write(&repo, "01/planning-response.md", "THE PLAN\n");
    let refused = repo
        .merkle(&["turn", "new", "-m", "Something else."])
        .exits(65);
    assert!(
        refused.err().contains("turn 01 is waiting for approval"),
        "{refused}"
    );
    drop(
        repo.run("git-merkle")
            .args(["turn", "respond", "-"])
            .input("ANOTHER\n")
            .run()
            .exits(65),
    );
    assert_eq!(read(&repo, "01/planning-response.md"), "THE PLAN\n");
    assert!(read(&repo, "01/meta.yaml").contains("request: Free the lock."));
    repo.merkle(&["turn", "approve"]).ok();
    // A review that was written with an editor decides, and the next turn revises.
    repo.merkle(&["turn", "new", "--phase", "reviewing"]).ok();
    write(
        &repo,
        "02/review-response.md",
        "\u{feff}verdict: fail\r\nissues:\r\n- never freed\r\n",
    );
    repo.merkle(&["turn", "new"]).ok();
    assert!(read(&repo, "03/revision-prompt.md").contains("- never freed"));
}

#[test]
fn a_paid_answer_and_one_by_hand_are_both_kept() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login"]).ok();
    command(&repo, &["turn", "new", "-m", "Free the lock."])
        .run()
        .ok();
    let meta = read(&repo, "01/meta.yaml");
    command(&repo, &["turn", "run"]).run().ok();
    // As a kill leaves it after the answer came, with the answer where this machine keeps it.
    let answer = read(&repo, "01/planning-response.md");
    let digest = meta
        .lines()
        .find_map(|line| line.strip_prefix("prompt_sha256: "))
        .expect("a digest");
    let kept = serde_json::json!({
        "prompt_sha256": digest, "text": answer, "messages": [["user", "q"]],
        "answered": {"provider": "m", "response_sha256": ""}, "charged": {"calls": 1, "tokens": 120},
    });
    write(&repo, "01/meta.yaml", &meta);
    write(&repo, "01/planning-response.md", "MINE\n");
    repo.put(".git/merkle/answers/login-01.json", kept.to_string());
    command(&repo, &["turn", "approve"]).run().ok();
    assert_eq!(read(&repo, "01/planning-response.md"), "MINE\n");
    assert!(
        read(&repo, "01/report.md").contains("was written by hand and counts; 'm' had answered")
    );
    assert!(
        read(&repo, "01/planning-conversation.json")
            .contains(answer.trim_end().split('\n').next().expect("a line"))
    );
    assert_eq!(world.server.posts().len(), 1);
}

#[test]
fn a_long_session_goes_on() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    for turn in ["01", "02", "03"] {
        repo.merkle(&["turn", "new", "-m", "Free the lock.", "--phase", "planning"])
            .ok();
        write(
            &repo,
            &format!("{turn}/planning-response.md"),
            &"0123456789abcde\n".repeat(200_000),
        );
        repo.merkle(&["turn", "approve"]).ok();
    }
    assert!(read(&repo, "history.jsonl").len() > 8 << 20);
    repo.merkle(&["session", "show"]).ok();
    let prompt_file = repo.path("long.txt");
    std::fs::write(&prompt_file, "a line\r\n".repeat(100_000)).expect("writable");
    repo.merkle(&["turn", "new", "--phase", "planning", "-F", "long.txt"])
        .ok();
}

#[test]
fn bytes_that_are_no_text_are_copied_and_named_as_they_are() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    answered(&repo);
    let bytes = b"a picture \xff\xfe\0";
    std::fs::write(repo.path(".teddy/sessions/login/01/picture.png"), bytes).expect("writable");
    repo.merkle(&["turn", "approve"]).ok();
    assert!(read(&repo, "01/report.md").contains(&git_merkle::base::hash::sha256_hex(bytes)));
    repo.merkle(&["session", "branch", "login", "other"]).ok();
    assert_eq!(
        std::fs::read(repo.path(".teddy/sessions/other/01/picture.png")).expect("copied"),
        bytes
    );
    let itself = repo
        .merkle(&["session", "branch", "login", "login"])
        .exits(65);
    assert!(
        itself.err().contains("session 'login' is there already"),
        "{itself}"
    );
    // Turns of a session that was not finished, or has lost its record, are not those of a new one.
    std::fs::remove_file(repo.path(".teddy/sessions/other/session.yaml")).expect("there");
    for begin in [
        &["session", "new", "other"][..],
        &["session", "branch", "login", "other"],
    ] {
        assert!(
            repo.merkle(begin)
                .exits(65)
                .err()
                .contains("has turns and no 'session.yaml'")
        );
    }
}

#[test]
fn an_ignore_file_that_lets_sessions_in_is_said() {
    let sandbox = Sandbox::new();
    let repo =
        sandbox.filled("commit first\n + README.md = # Sample\n + .teddy/.teddyignore = /drafts/");
    assert!(
        repo.merkle(&["session", "new", "login"])
            .exits(0)
            .err()
            .contains("has no line '/sessions/'")
    );
    std::fs::write(repo.path(".teddy/.teddyignore"), "/sessions/\n").expect("writable");
    assert!(
        !repo
            .merkle(&["session", "new", "other"])
            .exits(0)
            .err()
            .contains("/sessions/'")
    );
}

#[test]
fn a_request_without_an_answer_is_not_replaced_in_silence() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    let new = |request: &str| repo.merkle(&["turn", "new", "-m", request]).exits(0).err();
    assert!(!new("One.").contains("warning"));
    assert!(!new("One.").contains("warning"), "the same request again");
    let told = new("Two.");
    assert!(
        told.contains("turn 01 has no answer yet, and its request is replaced: 'One.'"),
        "{told}"
    );
    let kept = ".teddy/sessions/login/01/replaced-requests.md";
    assert!(told.contains(kept), "{told}");
    let _ = new("Three.\nWith a second line.");
    let _ = new("Four.");
    let kept = std::fs::read_to_string(repo.path(kept)).expect("kept words");
    assert_eq!(
        kept,
        "One.\n\n---\n\nTwo.\n\n---\n\nThree.\nWith a second line.\n"
    );
    // Where no turn begins, nothing is replaced. Before, the warning said so, and the file grew.
    let state = || {
        let file = |name: &str| {
            std::fs::read_to_string(repo.path(&format!(".teddy/sessions/login/01/{name}"))).ok()
        };
        ["replaced-requests.md", "turn.context", "meta.yaml"].map(file)
    };
    let before = state();
    let small = [
        "turn", "new", "-m", "Five.", "--add", "src", "--budget", "5",
    ];
    let told = repo.merkle(&small).exits(79).err();
    assert!(!told.contains("replaced"), "{told}");
    assert_eq!(state(), before);
    // The clipboard of a test is a program that keeps what it gets.
    let programs = sandbox.path("programs");
    std::fs::create_dir(&programs).expect("a folder");
    let xclip = programs.join("xclip");
    std::fs::write(
        &xclip,
        format!("#!/bin/sh\ncat > '{}'\n", sandbox.path("taken").display()),
    )
    .expect("writable");
    std::fs::set_permissions(&xclip, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a mode");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let run = repo.run(PROGRAM).args(["turn", "new", "--copy"]);
    let told = run.env("PATH", path).env("DISPLAY", ":9").run().exits(0);
    assert!(
        told.err().contains("the prompt is copied with xclip"),
        "{told}"
    );
    let taken = std::fs::read_to_string(sandbox.path("taken")).expect("copied");
    assert_eq!(taken, read(&repo, "01/planning-prompt.md"));
}

#[test]
fn sessions_get_another_name_and_go() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    repo.merkle(&["session", "new", "other"]).ok();
    repo.merkle(&["turn", "new", "-s", "login", "-m", "One."])
        .ok();
    drop(
        repo.merkle(&["session", "rename", "login", "other"])
            .exits(65),
    );
    drop(
        repo.merkle(&["session", "rename", "login", "a/b"])
            .exits(129),
    );
    drop(
        repo.merkle(&["session", "rename", "nope", "login"])
            .exits(65),
    );
    repo.merkle(&["session", "rename", "login", "entry"]).ok();
    let listed = repo.merkle(&["session", "list"]).ok();
    assert_eq!(listed, "entry planning, 1 turn\nother planning, 0 turns\n");
    // It is the user's own as before, and goes on.
    let shown = repo.merkle(&["session", "show", "entry"]);
    assert!(!shown.err().contains("came with"), "{shown}");
    std::fs::write(repo.path("answer.md"), "A plan.").expect("writable");
    repo.merkle(&["turn", "respond", "-s", "entry", "answer.md"])
        .ok();
    let told = repo.merkle(&["session", "rm", "entry"]).exits(65).err();
    assert!(
        told.contains(
            "session 'entry' is not complete\nhint: 'git merkle session remove --force entry'"
        ),
        "{told}"
    );
    repo.merkle(&["session", "remove", "-f", "entry"]).ok();
    repo.merkle(&["session", "rm", "other"]).ok();
    assert_eq!(repo.merkle(&["session", "list"]).ok(), "");
    assert!(!repo.path(".teddy/sessions/entry").exists());
    // A link is no session's folder.
    let outside = sandbox.path("outside");
    std::fs::create_dir_all(&outside).expect("a folder");
    std::fs::write(outside.join("session.yaml"), "version: 1\n").expect("writable");
    std::os::unix::fs::symlink(&outside, repo.path(".teddy/sessions/evil")).expect("a link");
    let refused = repo.merkle(&["session", "rm", "-f", "evil"]);
    assert!(
        refused.code != Some(0) && outside.join("session.yaml").exists(),
        "{refused}"
    );
}

#[test]
fn requests_are_edited() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    let editor = |text: &str| {
        format!(
            "f() {{ printf '%s' '{text}' | cat - \"$1\" >\"$1.new\"; mv \"$1.new\" \"$1\"; }}; f"
        )
    };
    let new = |text: &str, more: &[&str]| {
        let run = repo.run(PROGRAM).args(["turn", "new", "-e"]).args(more);
        run.env("GIT_EDITOR", editor(text)).run()
    };
    new("Say ", &["-m", "hello."]).ok();
    let prompt = repo.merkle(&["turn", "show", "--file", "prompt"]).ok();
    assert!(
        prompt.contains("Say hello.") && !prompt.contains("what stands below"),
        "{prompt}"
    );
    // Without words it starts from the request as it stands.
    new("Please: ", &[]).ok();
    assert!(
        repo.merkle(&["turn", "show", "--file", "prompt"])
            .ok()
            .contains("Please: Say hello.")
    );
    let empty = repo
        .run(PROGRAM)
        .args(["turn", "new", "-e"])
        .env("GIT_EDITOR", "truncate -s 0")
        .run();
    assert!(empty.exits(1).err().contains("the request is empty"));
    // Nothing is opened where no terminal is.
    let none = repo.merkle(&["turn", "respond"]).exits(129).err();
    assert!(none.contains("no answer is given"), "{none}");
}

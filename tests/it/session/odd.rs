//! What does not fit: edited and damaged files, links, secrets, and sessions that came with the repository.

use super::{FIXTURE, read, write};
use crate::generate::{Protocol, World, command};
use crate::support::loopback::Loopback;
use crate::support::{Repo, Sandbox};

fn answered(repo: &Repo<'_>) {
    repo.merkle(&["session", "new", "login"]).ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    repo.run("git-merkle").args(["turn", "respond", "-"]).input("THE PLAN\n").run().ok();
}

#[test]
fn what_was_approved_and_then_edited_is_warned_about() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(FIXTURE);
    answered(&repo);
    repo.merkle(&["turn", "approve"]).ok();
    assert_eq!(repo.merkle(&["session", "show"]).err().lines().count(), 1);
    write(&repo, "01/planning-response.md", "ANOTHER PLAN\n");
    let shown = repo.merkle(&["turn", "new"]).exits(0);
    assert!(shown.err().contains("01/planning-response.md' was edited after it was judged"), "{shown}");
    std::fs::remove_file(repo.path(".teddy/sessions/login/01/planning-response.md")).expect("there");
    assert!(repo.merkle(&["session", "show"]).err().contains("is gone"));
}

#[test]
fn damage_is_named_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(FIXTURE);
    answered(&repo);
    let whole = read(&repo, "01/meta.yaml");
    for text in ["", "\0", "version: 9\n", &whole.replace("phase:", "phases:"), &whole[..whole.len() / 2]] {
        write(&repo, "01/meta.yaml", text);
        let failed = repo.merkle(&["turn", "approve"]).exits(65);
        assert!(failed.err().contains("01/meta.yaml'") && failed.err().contains("hint: "), "{failed}");
    }
    write(&repo, "01/meta.yaml", &whole);
    write(&repo, "history.jsonl", "{\"id\":\"01-req");
    repo.merkle(&["turn", "approve"]).ok();
    let shown = repo.merkle(&["session", "show", "--search", "plan"]).exits(0);
    assert!(shown.err().contains("has lines that cannot be read: 1") && shown.out().contains("THE PLAN"), "{shown}");
}

#[test]
fn links_lead_nowhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(FIXTURE);
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
    let repo = sandbox.repo("work");
    repo.fill(FIXTURE);
    let token = format!("{}_{}", "ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    std::fs::write(repo.path("src/lock.rs"), format!("const TOKEN: &str = \"{token}\";\n")).expect("writable");
    repo.merkle(&["session", "new", "login", "-c", "src/lock.rs"]).ok();
    let refused = repo.merkle(&["turn", "new", "-m", "Free the lock."]).exits(78);
    assert!(!refused.err().contains(&token), "{refused}");
    assert!(!repo.path(".teddy/sessions/login/01/planning-prompt.md").exists());
    let id = refused.err().split("--allow-secret ").nth(1).expect("a hint").split('\'').next().expect("an id").to_owned();
    repo.merkle(&["turn", "new", "-m", "Free the lock.", "--allow-secret", &id]).ok();
    let refused = repo.merkle(&["turn", "new", "-m", &format!("Use {token}x9.")]).exits(78);
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
    let begun = command(&repo, &["turn", "new", "-m", "x", "--json"]).run().exits(0);
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
    write(&repo, "session.yaml", "version: 1\nproviders:\n  planner: other\n");
    let begun = command(&repo, &["turn", "new", "--json"]).run().exits(0);
    assert_eq!(begun.json("turn")["provider"], "other");
    repo.git(&["commit", "-q", "-a", "-m", "mine"]).ok();
    let begun = command(&repo, &["turn", "new", "--json"]).run().exits(0);
    assert_eq!(begun.json("turn")["provider"], "other");
    write(&repo, "session.yaml", "version: 1\nproviders:\n  planner: m\n");
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
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},.teddy", head.trim())]).ok();
    repo.git(&["commit", "-q", "-m", "submodule"]).ok();
    std::fs::create_dir_all(repo.path(".teddy/sessions/login")).expect("writable");
    write(&repo, "session.yaml", "version: 1\nproviders:\n  planner: m\n");
    write(&repo, "session.context", "README.md\n");
    let begun = command(&repo, &["turn", "new", "-m", "x", "--json"]).run().exits(0);
    assert_eq!(begun.json("turn")["provider"], "me");
}

#[test]
fn sessions_of_linked_work_trees_are_others() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    let repo = world.repo(FIXTURE);
    let linked = repo.path("../linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().expect("UTF-8")]).ok();
    let other = ["-C", "../linked"];
    for arguments in [&["session", "new", "login"][..], &["turn", "new", "-m", "Free the lock."]] {
        command(&repo, arguments).run().ok();
        command(&repo, &other).args(arguments).run().ok();
    }
    // An answer of one that waits is not taken, nor taken away, by the other.
    let waiting = repo.path(".git/merkle/answers/login-01.json");
    std::fs::create_dir_all(waiting.parent().expect("a folder")).expect("writable");
    std::fs::write(&waiting, "{}").expect("writable");
    command(&repo, &other).args(&["turn", "run"]).run().ok();
    assert!(waiting.exists());
}

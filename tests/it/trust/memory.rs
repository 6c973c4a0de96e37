//! What is remembered, for whom, and what makes it void.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::digest;
use crate::support::{PROGRAM, Repo, Sandbox};

/// A repository that asks for a setting which needs trust.
fn asking<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    repo.fill("commit first\n+ a.rs = fn a() {}");
    for folder in ["agents", "prompts", "profiles/default"] {
        fs::create_dir_all(repo.path(".teddy").join(folder)).expect("a folder of the repository");
    }
    let write = |name: &str, text: &str| {
        fs::write(repo.path(".teddy").join(name), text).expect("a file of the repository");
    };
    write(
        "config.toml",
        "default_agent = 'docs'\ndefault_provider = \"claude\"\n",
    );
    write(
        "agents/docs.toml",
        "id = 'docs'\nrole = 'writer'\nprovider = 'claude'\nsystem_prompt = 'prompts/docs.md'\n",
    );
    write("prompts/docs.md", "\nYou write docs.\u{1b}[31m\n");
    write("profiles/default/config.yml", "name: default\n");
    repo
}

/// Whether the setting is in force, with more arguments or variables.
fn is_in_force(repo: &Repo<'_>, arguments: &[&str], variable: &str) -> bool {
    let run = repo.run(PROGRAM).args(arguments).args(["config", "list"]);
    run.env("GIT_MERKLE_TRUST", variable)
        .run()
        .ok()
        .contains("merkle.defaultagent=docs")
}

#[test]
fn without_a_terminal_nothing_is_trusted_by_itself() {
    let sandbox = Sandbox::new();
    let repo = asking(&sandbox, "work");
    let digest = digest(&repo);
    let refused = repo.merkle(&["trust"]).exits(77);
    assert_eq!(
        refused.err(),
        format!(
            "error: without a terminal nothing is trusted by itself; the content hash is {digest}\n\
             hint: look at it with 'git merkle trust --show', then run the command with '--trust={digest}'\n"
        )
    );
    drop(repo.run(PROGRAM).arg("trust").input("y\n").run().exits(77));
    drop(repo.merkle(&["trust", "--json"]).exits(77));
    drop(repo.merkle(&["trust", "--yes"]).exits(129));
    assert!(!is_in_force(&repo, &[], ""));
    assert!(
        !sandbox.path("home/.local/state").exists(),
        "nothing is remembered"
    );
}

/// A profile that only the repository has is there, and does not count before then: that is no unknown name.
#[test]
fn a_profile_of_the_repository_waits_for_trust() {
    let sandbox = Sandbox::new();
    let repo = asking(&sandbox, "work");
    fs::create_dir_all(repo.path(".teddy/profiles/team")).expect("a folder");
    fs::write(repo.path(".teddy/profiles/team/config.yml"), "name: team\n").expect("writable");
    let own = sandbox.path("home/.config/git-merkle/agents/mine.toml");
    fs::create_dir_all(own.parent().expect("a folder")).expect("a folder");
    fs::write(
        &own,
        "id = 'mine'\nrole = 'writer'\nprovider = 'ollama'\nsystem_prompt = 'prompts/mine.md'\n",
    )
    .expect("writable");
    let prompts = sandbox.path("home/.config/git-merkle/prompts");
    fs::create_dir_all(&prompts).expect("a folder");
    fs::write(prompts.join("mine.md"), "Say it.\n").expect("writable");
    let ask = |profile| {
        repo.merkle(&[
            "regenerate",
            "--agent",
            "mine",
            "--profile",
            profile,
            "--dry-run",
        ])
    };
    let refused = ask("team").exits(77).err();
    assert!(
        refused.contains(
            "this repository is not trusted, and profile 'team' comes from its own files"
        ),
        "{refused}"
    );
    let unknown = ask("none").exits(78).err();
    assert!(unknown.contains("unknown profile 'none'"), "{unknown}");
}

#[test]
fn what_would_be_used_is_shown_whole_and_escaped() {
    let sandbox = Sandbox::new();
    let repo = asking(&sandbox, "work");
    let shown = repo
        .merkle(&["trust", "--show"])
        .ok()
        .replace(sandbox.path("").to_str().unwrap(), "<sandbox>/");
    insta::assert_snapshot!(shown.replace(&digest(&repo), "<digest>"), @r"
    agents
      docs: writer of (default type), asks claude  agents/docs.toml
    prompts
      prompts/docs.md, 22 bytes: You write docs.\u{1b}[31m
    profiles
      profiles/default/config.yml, 14 bytes: name: default
    other files
      config.toml, 51 bytes: default_agent = 'docs'
    settings
      merkle.defaultagent=docs  file:<sandbox>/work/.teddy/config.toml:1
      merkle.defaultprovider=claude  file:<sandbox>/work/.teddy/config.toml:2
    content hash <digest>, untrusted
    ");
    let document = repo.merkle(&["trust", "--show", "--json"]).ok();
    assert!(!shown.contains('\u{1b}') && !document.contains('\u{1b}'));
}

#[test]
fn the_hash_is_that_of_stock_tools() {
    let sandbox = Sandbox::new();
    let repo = asking(&sandbox, "work");
    let script = "cd .teddy && find agents config.toml global.context memos.yaml profiles prompts secrets.toml system.md system_extra.md -type f 2>/dev/null \
                  | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1";
    assert_eq!(
        repo.run("sh").args(["-c", script]).run().ok().trim(),
        digest(&repo)
    );
}

#[test]
fn a_yes_holds_for_these_bytes_and_this_repository_only() {
    let sandbox = Sandbox::new();
    let repo = asking(&sandbox, "work");
    let twin = asking(&sandbox, "twin");
    let seen = digest(&repo);
    assert_eq!(digest(&twin), seen, "the same files");
    let given = format!("--trust={seen}");
    let other = format!("--trust={}", "0".repeat(64));
    assert!(is_in_force(&repo, &[&given], ""), "for one run");
    assert!(!is_in_force(&repo, &[], ""), "and not for the next");
    assert!(
        is_in_force(&repo, &[], &seen)
            && !is_in_force(&repo, &[], "1")
            && !is_in_force(&repo, &[&other], "")
    );
    drop(repo.merkle(&["trust", &other]).exits(77));
    repo.merkle(&["trust", &given]).ok();
    assert!(is_in_force(&repo, &[], "") && !is_in_force(&twin, &[], ""));
    let file = sandbox.path("home/.local/state/git-merkle/trusted");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        fs::metadata(file.parent().unwrap())
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    let common = repo.path(".git").canonicalize().unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        format!("{seen}\t\"{}\"\n", common.display())
    );
    for (name, text) in [
        (
            "config.toml",
            "default_agent = 'docs'\ndefault_provider = \"claude\"\n\n",
        ),
        ("prompts/docs.md", "x"),
        ("prompts/more.md", ""),
        ("agents/evil.toml", "id = 'evil'\n"),
        ("system.md", "x"),
    ] {
        let path = repo.path(".teddy").join(name);
        let before = fs::read(&path).ok();
        fs::write(&path, text).unwrap();
        assert!(!is_in_force(&repo, &[], ""), "{name} was changed");
        match before {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        assert!(is_in_force(&repo, &[], ""), "{name} is as it was");
    }
    repo.merkle(&["trust"]).ok();
    repo.merkle(&["trust", "--revoke"]).ok();
    assert!(!is_in_force(&repo, &[], ""));
    repo.merkle(&["trust", "--revoke"]).ok();
}

#[test]
fn damage_of_the_memory_trusts_nothing() {
    let sandbox = Sandbox::new();
    let repo = asking(&sandbox, "work");
    repo.merkle(&["trust", &format!("--trust={}", digest(&repo))])
        .ok();
    let file = sandbox.path("home/.local/state/git-merkle/trusted");
    let whole = fs::read(&file).unwrap();
    assert!(is_in_force(&repo, &[], ""));
    for cut in [0, 10, 63, 65, whole.len() - 3] {
        fs::write(&file, &whole[..cut]).unwrap();
        assert!(!is_in_force(&repo, &[], ""), "cut at {cut}");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(!is_in_force(&repo, &[], ""));
    drop(
        repo.merkle(&["trust", &format!("--trust={}", digest(&repo))])
            .exits(74),
    );
}

#[test]
fn a_repository_without_files_of_its_own_asks_for_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    assert_eq!(
        repo.merkle(&["trust"]).ok(),
        "nothing of this repository needs trust\n"
    );
    let document = repo.merkle(&["trust", "--json"]).exits(0).json("trust");
    assert_eq!(
        (document["state"].as_str(), document["digest"].is_null()),
        (Some("nothing-to-trust"), true)
    );
    drop(
        sandbox
            .run(PROGRAM, &sandbox.path("home"))
            .args(["trust"])
            .run()
            .exits(128),
    );
}

//! `auth login`, `status` and `logout`, with git's own file of credentials as the helper.

use super::{assert_each, assert_fields, told};
use crate::support::loopback::{Loopback, Scripted};
use crate::support::{Output, PROGRAM, Repo, Sandbox};

fn canary() -> String {
    ["sk-", "canary", "-abcdef"].concat()
}

/// A user with a helper that keeps keys in a file, and a provider at a server.
fn prepare(sandbox: &Sandbox, repo: &Repo<'_>, server: &Loopback) {
    let helper = format!("store --file={}", sandbox.path("keys").display());
    let endpoint = server.endpoint();
    for (key, value) in [
        ("credential.helper", helper.as_str()),
        ("merkle.provider.it.kind", "anthropic"),
        ("merkle.provider.it.endpoint", &endpoint),
        ("merkle.provider.it.model", "test-large"),
    ] {
        repo.config_global(key, value);
    }
}

fn login(repo: &Repo<'_>, input: &str) -> Output {
    repo.run(PROGRAM)
        .args(["auth", "login", "it"])
        .input(input)
        .run()
}

fn kept(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path("keys")).unwrap_or_default()
}

#[test]
fn a_key_is_kept_used_and_forgotten() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let server = Loopback::with_key(&canary(), |_| Scripted::answer("ok"));
    prepare(&sandbox, &repo, &server);
    assert_eq!(repo.merkle(&["provider", "test"]).exits(69).out(), "");
    let told = login(&repo, &format!("{}\n", canary())).ok();
    assert_eq!(
        told,
        format!("the key for 'it' at http://{} is kept\n", server.host())
    );
    let host = server.host().replace(':', "%3a");
    assert_eq!(
        kept(&sandbox),
        format!("http://git-merkle:{}@{host}\n", canary())
    );
    assert_eq!(
        repo.merkle(&["provider", "test", "--call"]).exits(0).err(),
        ""
    );
    assert_eq!(
        server.posts()[0].header("x-api-key"),
        Some(canary().as_str())
    );
    let status = repo.merkle(&["auth", "status"]).ok();
    assert_eq!(
        status,
        format!("it\thttp://{}\tkey in a credential helper\n", server.host())
    );
    let document = repo
        .merkle(&["auth", "status", "it", "--json"])
        .exits(0)
        .json("auth-status");
    assert_fields(&document, "schema providers");
    assert_each(&document["providers"], "name origin key");
    assert_eq!(
        repo.merkle(&["auth", "logout"]).ok(),
        format!(
            "the key for 'it' at http://{} is forgotten\n",
            server.host()
        )
    );
    assert_eq!(kept(&sandbox), "");
    assert_eq!(repo.merkle(&["provider", "test"]).exits(69).out(), "");
}

#[test]
fn a_key_for_one_origin_is_not_for_another_and_no_password_is_a_key() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let server = Loopback::echo();
    prepare(&sandbox, &repo, &server);
    login(&repo, &canary()).ok();
    let other = Loopback::echo();
    // A password of the user's for the very host, under another name, as git keeps it.
    let password = format!(
        "http://somebody:password@{}\n",
        other.host().replace(':', "%3a")
    );
    std::fs::write(sandbox.path("keys"), kept(&sandbox) + &password).expect("written");
    let setting = format!("merkle.provider.it.endpoint={}", other.endpoint());
    repo.run(PROGRAM)
        .args(["-c", &setting, "provider", "test", "--call"])
        .run()
        .ok();
    assert_eq!(other.posts()[0].header("x-api-key"), None);
    let sent = format!("{:?}", other.requests());
    assert!(
        !sent.contains(&canary()) && !sent.contains("password"),
        "{sent}"
    );
}

#[test]
fn no_repository_names_a_helper_and_no_child_sees_a_key() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let server = Loopback::echo();
    prepare(&sandbox, &repo, &server);
    let (stolen, seen) = (sandbox.path("stolen"), sandbox.path("seen"));
    repo.config(
        "credential.helper",
        &format!("!cat > {}; :", stolen.display()),
    );
    repo.git(&[
        "config",
        "--global",
        "--add",
        "credential.helper",
        &format!("!env >> {}; :", seen.display()),
    ])
    .ok();
    let run = repo
        .run(PROGRAM)
        .env("OPENAI_API_KEY", canary())
        .env("GIT_DIR", repo.path(".git"))
        .env("GIT_ASKPASS", "false");
    run.clone()
        .args(["auth", "login", "it"])
        .input(canary())
        .run()
        .ok();
    run.args(["auth", "status"]).run().ok();
    assert!(!stolen.exists(), "the repository's own helper was asked");
    let seen = std::fs::read_to_string(seen).expect("the user's helper was asked");
    assert!(
        !seen.contains("_API_KEY") && !seen.contains(&canary()) && !seen.contains("GIT_DIR="),
        "{seen}"
    );
}

#[test]
fn a_filter_of_the_user_sees_no_key() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("\n    commit first\n    + a.txt\n      | one\n");
    let seen = sandbox.path("seen");
    repo.config_global(
        "filter.leak.clean",
        &format!("env >> {}; cat", seen.display()),
    );
    std::fs::write(repo.path(".gitattributes"), "*.txt filter=leak\n").expect("written");
    std::fs::write(repo.path("a.txt"), "two\n").expect("written");
    repo.run(PROGRAM)
        .env("OPENAI_API_KEY", canary())
        .env("PLAIN", "plain")
        .args(["scan", "--worktree"])
        .run()
        .ok();
    let seen = std::fs::read_to_string(seen).expect("the filter ran");
    assert!(
        seen.contains("PLAIN=plain") && !seen.contains(&canary()),
        "{seen}"
    );
}

#[test]
fn what_is_no_key_is_refused_and_without_a_helper_nothing_is_asked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let server = Loopback::echo();
    prepare(&sandbox, &repo, &server);
    for input in ["", "\n", "two\nlines\n", "ä", "a\0b"] {
        let output = login(&repo, input).exits(65);
        assert!(
            output.err().starts_with("error: this is no key"),
            "{output}"
        );
    }
    assert_eq!(kept(&sandbox), "");
    repo.git(&["config", "--global", "--unset-all", "credential.helper"])
        .ok();
    insta::assert_snapshot!(told(&login(&repo, &canary())), @"
    --- stderr
    error: git has no credential helper that could keep a key
    hint: run 'git config --global credential.helper cache', or see 'git help credentials' for others
    --- exit 78
    ");
    // A helper that keeps nothing is as good as none.
    repo.config_global("credential.helper", "!cat > /dev/null; :");
    assert_eq!(login(&repo, &canary()).exits(78).out(), "");
    assert!(
        repo.merkle(&["auth", "login", "it", &canary()])
            .exits(129)
            .err()
            .contains("unexpected argument")
    );
}

#[test]
fn a_missing_key_is_no_and_a_variable_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.config_global("merkle.provider.openai.model", "gpt-4o");
    let none = repo.merkle(&["auth", "status"]).exits(1);
    assert_eq!(none.out(), "openai\thttps://api.openai.com\tno key\n");
    let found = repo
        .run(PROGRAM)
        .env("OPENAI_API_KEY", canary())
        .args(["auth", "status"])
        .run()
        .ok();
    assert_eq!(
        found,
        "openai\thttps://api.openai.com\tkey in OPENAI_API_KEY\n"
    );
    repo.config_global("merkle.provider.openai.kind", "manual");
    assert!(
        repo.merkle(&["auth", "login"])
            .exits(65)
            .err()
            .contains("has no endpoint")
    );
}

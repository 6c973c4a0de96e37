//! `provider list`, `show`, `test`, `add` and `remove`.

use super::{assert_each, assert_fields, told};
use crate::support::loopback::{Loopback, Scripted};
use crate::support::{PROGRAM, Repo, Run, Sandbox};

const ENDPOINT: &str = "https://gateway.invalid/v1/";

/// The program in a repository whose user has two providers.
fn with_two(repo: &Repo<'_>) {
    for (key, value) in [
        ("fast.kind", "local"),
        ("fast.endpoint", "localhost:1/v1"),
        ("fast.model", "llama-3"),
        ("paid.kind", "openai"),
        ("paid.endpoint", ENDPOINT),
        ("paid.model", "gpt-4o"),
        ("paid.header", "X-Team: canary"),
        ("paid.priceInput", "2.5"),
        ("paid.priceOutput", "10"),
    ] {
        repo.git(&[
            "config",
            "--global",
            "--add",
            &format!("merkle.provider.{key}"),
            value,
        ])
        .ok();
    }
}

/// One provider at a loopback server.
fn with_server(repo: &Repo<'_>, server: &Loopback) {
    for (key, value) in [
        ("kind", "openai"),
        ("endpoint", &server.endpoint()),
        ("model", "test-small"),
        ("keyEnv", "IT_API_KEY"),
    ] {
        repo.config_global(&format!("merkle.provider.it.{key}"), value);
    }
}

fn keyed(repo: &Repo<'_>, arguments: &[&str]) -> Run {
    repo.run(PROGRAM)
        .env("IT_API_KEY", ["sk-", "canary"].concat())
        .args(arguments)
}

#[test]
fn providers_are_listed_without_their_secrets() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    assert_eq!(
        told(&repo.merkle(&["provider", "list"])),
        "--- stderr\nno provider is configured; run 'git merkle provider add -h'\n--- exit 0"
    );
    with_two(&repo);
    insta::assert_snapshot!(repo.merkle(&["provider", "list"]).ok(), @"
    fast	local	llama-3	http://localhost:1/v1/	no key needed
    paid	openai	gpt-4o	https://gateway.invalid/v1/	no key
    ");
    let document = repo
        .merkle(&["provider", "list", "--json"])
        .exits(0)
        .json("provider-list");
    assert_fields(&document, "schema providers");
    assert_each(&document["providers"], "name kind model endpoint key");
    assert_eq!(document["providers"][1]["key"]["state"], "missing");
    let shown = repo.merkle(&["provider", "show", "paid"]).ok();
    insta::assert_snapshot!(shown, @"
    name: paid
    kind: openai
    model: gpt-4o
    endpoint: https://gateway.invalid/v1/
    key: no key
    header: X-Team: ***
    timeout: 600 s, 60 s of silence
    concurrency: 4
    window: 128000
    output: 16384
    structured output: yes
    cache marks: 0
    price: 2.5 in, 10 out, in dollars per million tokens
    price in batches: 1.25 in, 5 out, in dollars per million tokens
    ");
    let document = repo
        .merkle(&["provider", "show", "paid", "--json"])
        .exits(0);
    assert!(!document.out().contains("canary"));
    let document = document.json("provider-show");
    assert_eq!(document["prices"]["input"], 2.5);
    assert_eq!(
        (&document["batch"], &document["batch_prices"]["input"]),
        (&true.into(), &1.25.into())
    );
    let shown = repo.merkle(&["provider", "show", "fast"]).ok();
    assert!(!shown.contains("batches"), "{shown}");
}

#[test]
fn a_service_that_takes_batches_is_added_with_its_prices() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let service = [
        "--kind",
        "local",
        "--endpoint",
        "https://models.invalid/v1/",
    ];
    let prices = ["--price-input", "3", "--price-output", "9"];
    let batch = [
        "--batch",
        "--price-batch-input",
        "2",
        "--price-batch-output",
        "4",
    ];
    let add = |name: &str, more: &[&str]| {
        let added = [
            &["provider", "add", name, "--model", "m"][..],
            &service,
            &prices,
            more,
        ];
        repo.merkle(&added.concat()).ok();
        repo.merkle(&["provider", "show", name]).ok()
    };
    assert!(!add("plain", &[]).contains("batches"));
    assert!(
        add("cheap", &batch)
            .ends_with("price in batches: 2 in, 4 out, in dollars per million tokens\n")
    );
}

#[test]
fn mistakes_end_with_the_next_step() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    insta::assert_snapshot!(told(&repo.merkle(&["provider", "show"])), @"
    --- stderr
    error: no provider is configured
    hint: run 'git merkle provider add <name> --kind <kind> --model <model>'
    --- exit 78
    ");
    with_two(&repo);
    insta::assert_snapshot!(told(&repo.merkle(&["provider", "show"])), @"
    --- stderr
    error: several providers are configured: 'fast', 'paid'
    hint: name one of them
    --- exit 78
    ");
    // A run says how one is named, and how for good; both work.
    repo.fill("commit first\n+ README.md = # Garden");
    repo.merkle(&["agent", "create", "docs", "--personal"]).ok();
    let run = ["regenerate", "--agent", "docs", "--dry-run"];
    insta::assert_snapshot!(told(&repo.merkle(&run)), @"
    --- stderr
    error: several providers are configured: 'fast', 'paid'
    hint: name one with --provider, or for all runs: git merkle config set merkle.defaultProvider fast
    --- exit 78
    ");
    repo.merkle(&[&run[..], &["--provider", "fast"]].concat())
        .ok();
    repo.merkle(&["config", "set", "merkle.defaultProvider", "fast"])
        .ok();
    repo.merkle(&run).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["provider", "test", "paid"])), @"
    --- stderr
    error: provider 'paid' is not configured: there is no key; run 'git merkle auth login paid'
    --- exit 78
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["provider", "test", "fast"])), @"
    --- stderr
    error: the provider is unavailable: no connection: connection refused
    hint: see 'git merkle provider show fast'
    --- exit 69
    ");
    repo.config_global("merkle.provider.fast.endpiont", "x");
    let output = repo.merkle(&["provider", "list"]).exits(78);
    assert!(
        output
            .err()
            .starts_with("error: unknown setting 'merkle.provider.fast.endpiont' from file:"),
        "{output}"
    );
}

#[test]
fn a_repository_defines_nobody() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    std::fs::create_dir(repo.path(".teddy")).expect("a folder");
    let text = "[provider.evil]\nkind = 'openai'\nendpoint = 'https://evil.example/'\n";
    std::fs::write(repo.path(".teddy/config.toml"), text).expect("written");
    repo.config("merkle.provider.evil2.endpoint", "https://evil.example/");
    let output = repo.merkle(&["provider", "list"]).exits(0);
    assert_eq!(output.out(), "");
    assert!(
        output
            .err()
            .contains("only your own configuration may set it"),
        "{output}"
    );
}

#[test]
fn a_test_spends_nothing_unless_it_may() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let server = Loopback::with_key(&["sk-", "canary"].concat(), |_| {
        Scripted::answer("ok\u{1b}[31m\n")
    });
    with_server(&repo, &server);
    assert_eq!(
        keyed(&repo, &["provider", "test"]).run().ok(),
        "'it' can be asked; nothing was spent\n"
    );
    assert_eq!(server.posts().len(), 0);
    let called = keyed(&repo, &["provider", "test", "it", "--call"])
        .run()
        .ok();
    assert_eq!(
        called,
        "'it' answers: ok\\u{1b}[31m\nmodel: test-small\ntokens: 100 in, 20 out\n"
    );
    assert_eq!(
        (
            server.posts().len(),
            server.posts()[0].body["max_tokens"].as_u64()
        ),
        (1, Some(64))
    );
    let document = keyed(&repo, &["provider", "test", "--call", "--json"])
        .run()
        .exits(0)
        .json("provider-test");
    assert_fields(
        &document,
        "schema name reachable called answer model input_tokens output_tokens",
    );
    let wrong = repo
        .run(PROGRAM)
        .env("IT_API_KEY", ["sk-", "wrong-one"].concat())
        .args(["provider", "test"])
        .run();
    insta::assert_snapshot!(told(&wrong), @"
    --- stderr
    error: the provider refuses the key: status 401: incorrect key provided: ***
    hint: run 'git merkle auth login it'
    --- exit 69
    ");
    let other = ["-c", "merkle.provider.it.model=big", "provider", "test"];
    insta::assert_snapshot!(told(&keyed(&repo, &other).run()), @"
    --- stderr
    error: the provider has no model 'big'
    hint: it has 'test-large', 'test-small'; run 'git config --global merkle.provider.it.model <model>'
    --- exit 69
    ");
}

/// Before, a wrong address was said to be right.
#[test]
fn a_server_without_a_list_of_models_is_not_called_right() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let server = Loopback::with_key(&["sk-", "canary"].concat(), |_| Scripted::answer("ok"));
    with_server(&repo, &server);
    let wrong = server.endpoint().replace("/v1/", "/");
    repo.config_global("merkle.provider.it.endpoint", &wrong);
    insta::assert_snapshot!(told(&keyed(&repo, &["provider", "test"]).run()), @"
    --- stderr
    error: its list of models cannot be read, so nothing is checked: there is no such thing at the provider's address: status 404
    hint: is a part of its endpoint missing, as '/v1/' often is? 'git config --global merkle.provider.it.endpoint <address>' sets it
    hint: where it has no such list: 'git merkle provider test it --call' sends one small request
    --- exit 69
    ");
}

#[test]
fn what_is_added_is_checked_shown_and_written_to_the_users_configuration() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let add = [
        "provider",
        "add",
        "claude",
        "--kind",
        "anthropic",
        "--model",
        "claude-sonnet-4-5",
        "--key-env",
        "CLAUDE_API_KEY",
    ];
    let dry = repo.merkle(&[&add[..], &["--dry-run"]].concat()).ok();
    insta::assert_snapshot!(dry, @"
    merkle.provider.claude.kind=anthropic
    merkle.provider.claude.model=claude-sonnet-4-5
    merkle.provider.claude.keyEnv=CLAUDE_API_KEY
    ");
    assert_eq!(repo.merkle(&["provider", "list"]).exits(0).out(), "");
    assert_eq!(repo.merkle(&add).ok(), dry);
    let file = std::fs::read_to_string(sandbox.path("home/.gitconfig")).expect("a configuration");
    assert!(
        file.contains("[merkle \"provider.claude\"]") && file.contains("keyEnv = CLAUDE_API_KEY"),
        "{file}"
    );
    assert!(
        !std::fs::read_to_string(repo.path(".git/config"))
            .expect("a configuration")
            .contains("claude")
    );
    assert!(
        repo.merkle(&["provider", "list"])
            .ok()
            .starts_with("claude\tanthropic\tclaude-sonnet-4-5\thttps://api.anthropic.com/v1/\t")
    );
    insta::assert_snapshot!(told(&repo.merkle(&add)), @"
    --- stderr
    error: there is a provider 'claude' already
    hint: 'git config --global merkle.provider.claude.<setting> <value>' changes a setting; 'git merkle provider show claude' shows them
    hint: 'git merkle provider remove claude' takes it out, and it can be added again
    --- exit 65
    ");
    let document = repo
        .merkle(&["provider", "add", "me", "--kind", "manual", "--json"])
        .exits(0)
        .json("provider-add");
    assert_fields(&document, "schema name written settings");
    assert_eq!(document["written"], true);
    let own = [
        "provider",
        "add",
        "own",
        "--kind",
        "command",
        "--command",
        "sh",
        "--command",
        "-c",
        "--command",
        "cat; echo",
    ];
    repo.merkle(&own).ok();
    assert!(
        repo.merkle(&["provider", "show", "own"])
            .ok()
            .contains("command: sh -c cat; echo\n")
    );
}

#[test]
fn nothing_wrong_is_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let before = std::fs::read_to_string(sandbox.path("home/.gitconfig")).expect("a configuration");
    for (arguments, code, expected) in [
        (
            &["x", "--kind", "oracle"][..],
            129,
            "bad value 'oracle' for 'merkle.provider.",
        ),
        (
            &["x", "--kind", "openai", "--endpoint", "http://example.org"],
            129,
            "'http://' is for this machine only",
        ),
        (
            &["x", "--kind", "openai", "--key-env", "HOME"],
            129,
            "ends with '_API_KEY'",
        ),
        (
            &["x.y", "--kind", "openai"],
            78,
            "'x.y' is no name of a provider",
        ),
        (&["-x", "--kind", "openai"], 129, "unexpected argument"),
        (
            &["x", "--kind", "openai", "--price-input", "1"],
            129,
            "--price-output",
        ),
        (
            &["x", "--kind", "ollama", "--model", "m", "--batch"],
            129,
            "kind 'ollama' has no batches",
        ),
        // Before, these were written, and could not work.
        (
            &["x", "--kind", "local"],
            129,
            "hint: run the same command with --endpoint <address> --model <model>",
        ),
        (
            &["x", "--kind", "openai"],
            129,
            "a provider of kind 'openai' cannot do without: model",
        ),
        (&["x", "--kind", "command"], 129, "--command <program>"),
        (&["x", "--kind", "replay"], 129, "--file <file>"),
        // There is no option for a key; what is taken for the name of a variable is not repeated.
        (
            &["x", "--kind", "openai", "--key", "canary"],
            129,
            "ends with '_API_KEY'",
        ),
    ] {
        let output = repo
            .merkle(&[&["provider", "add"], arguments].concat())
            .exits(code);
        assert!(
            output.err().contains(expected) && !output.err().contains("canary"),
            "{output}"
        );
    }
    assert_eq!(
        std::fs::read_to_string(sandbox.path("home/.gitconfig")).expect("a configuration"),
        before
    );
}

#[test]
fn a_provider_is_removed_with_all_its_settings() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    with_two(&repo);
    assert_eq!(
        repo.merkle(&["provider", "remove", "paid"]).ok(),
        "removed provider 'paid'\n"
    );
    let left = repo.git(&["config", "--global", "--list"]).ok();
    assert!(
        !left.contains("paid") && left.contains("merkle.provider.fast.kind=local"),
        "{left}"
    );
    drop(repo.merkle(&["provider", "show", "paid"]).exits(78));
    drop(repo.merkle(&["provider", "remove", "paid"]).exits(78));
    // What stands elsewhere is not touched, and what still defines it is said.
    repo.run(PROGRAM)
        .args(["provider", "add", "own", "--kind", "manual"])
        .run()
        .ok();
    let given = [
        "-c",
        "merkle.provider.own.kind=manual",
        "provider",
        "remove",
        "own",
    ];
    let told = repo.merkle(&given).exits(0).err();
    assert!(told.contains("provider 'own' is still defined"), "{told}");
    let told = repo.merkle(&given).exits(65).err();
    assert!(
        told.contains("your global git configuration does not define provider 'own'"),
        "{told}"
    );
}

#[test]
fn a_provider_is_not_removed_before_its_key() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    with_two(&repo);
    let store = sandbox.path("home/keys");
    let helper = format!("store --file={}", store.display());
    repo.config_global("credential.helper", &helper);
    let login = repo.run(PROGRAM).args(["auth", "login", "paid"]);
    login.input(["sk-", "canary\n"].concat()).run().ok();
    let told = repo.merkle(&["provider", "remove", "paid"]).exits(65).err();
    assert!(
        told.contains("'git merkle auth logout paid' forgets it"),
        "{told}"
    );
    repo.merkle(&["auth", "logout", "paid"]).ok();
    repo.merkle(&["provider", "remove", "paid"]).ok();
}

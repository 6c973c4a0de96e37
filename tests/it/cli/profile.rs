//! `profile`.

use super::agent::write;
use super::{assert_each, assert_fields, told};
use crate::support::Sandbox;

#[test]
fn profiles_are_listed_shown_and_checked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    insta::assert_snapshot!(repo.merkle(&["profile", "list"]).ok(), @"default              built-in");
    insta::assert_snapshot!(repo.merkle(&["profile", "show"]).ok(), @"
    default
      origin built-in
      planning: as the provider decides
      generating: max_output_tokens 16000
      generating of directory: max_output_tokens 2048
      generating of file: max_output_tokens 2048
      reviewing: as the provider decides
      revising: max_output_tokens 16000
    ");
    write(&repo, "profiles/deep/style.md", "Be brief.\n");
    let text = "name: deep\ngeneration_params:\n  planning: {temperature: 0.7}\n  generating:\n    max_output_tokens: 4000\n    \
                temperature: 0.3\nscope_overrides:\n  file:\n    generating: {temperature: 0}\nstandards: [style.md]\n\
                providers: {generator: big}\n";
    write(&repo, "profiles/deep/config.yml", text);
    let shown = repo.merkle(&["profile", "show", "deep"]).ok();
    insta::assert_snapshot!(shown.replace(sandbox.path("").to_str().unwrap(), "<sandbox>/"), @"
    deep
      origin <sandbox>/work/.teddy/profiles/deep/config.yml
      planning: temperature 0.7
      generating: provider big, max_output_tokens 4000, temperature 0.3
      generating of file: provider big, max_output_tokens 4000, temperature 0
      reviewing: as the provider decides
      revising: as the provider decides
      standard style.md
    ");
    let document = repo
        .merkle(&["profile", "show", "deep", "--json"])
        .exits(0)
        .json("profile");
    assert_fields(&document, "schema name origin file params standards");
    assert_each(
        &document["params"],
        "phase scope provider max_input_tokens max_output_tokens temperature top_p seed stop",
    );
    assert_eq!(
        document["params"][2]["temperature"], 0.0,
        "an explicit zero is a value"
    );
    assert_each(
        &repo
            .merkle(&["profile", "list", "--json"])
            .exits(0)
            .json("profiles")["profiles"],
        "name origin file",
    );
    repo.merkle(&["profile", "validate"]).ok();
    repo.merkle(&["profile", "validate", "default"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["profile", "show", "none"])), @"
    --- stderr
    error: unknown profile 'none'
    hint: 'git merkle profile list' lists those there are
    --- exit 78
    ");
}

#[test]
fn faults_are_named_by_file_and_line() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    write(
        &repo,
        "profiles/a/config.yml",
        "name: a\ngeneration_params:\n  planning:\n    temprature: 1\n",
    );
    write(
        &repo,
        "profiles/b/config.yml",
        "name: b\nstandards:\n  - /etc/passwd\n",
    );
    let told = told(&repo.merkle(&["profile", "validate"]));
    insta::assert_snapshot!(told.replace(sandbox.path("").to_str().unwrap(), "<sandbox>/"), @"
    <sandbox>/work/.teddy/profiles/a/config.yml:4: generation_params.planning: unknown field `temprature`, expected one of `max_input_tokens`, `max_output_tokens`, `temperature`, `top_p`, `seed`, `stop`
    <sandbox>/work/.teddy/profiles/b/config.yml:3: standard '/etc/passwd' must be a path below the profile's folder or the repository
    --- exit 1
    ");
    let json = repo
        .merkle(&["profile", "validate", "a", "--json"])
        .exits(1)
        .json("profile-validate");
    assert_eq!(
        (
            json["faults"].as_array().unwrap().len(),
            json["faults"][0]["line"].as_u64()
        ),
        (1, Some(4))
    );
    let _ = repo.merkle(&["profile", "validate", "none"]).exits(78);
    let _ = repo.merkle(&["profile", "show", "a"]).exits(78);
}

/// Before, a profile that named a standard that exists nowhere passed, and every turn went without it.
#[test]
fn standards_and_examples_must_exist() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit one\n+ docs/style.md = Be brief.");
    let text = "name: a\nstandards:\n  - docs/style.md\n  - gone.md\nexamples: [good.md]\n";
    write(&repo, "profiles/a/config.yml", text);
    let told = told(&repo.merkle(&["profile", "validate"]));
    assert!(
        told.contains("config.yml:4: standard 'gone.md' does not exist"),
        "{told}"
    );
    assert!(
        told.contains("config.yml:5: example 'good.md' does not exist")
            && !told.contains("docs/style.md"),
        "{told}"
    );
    write(&repo, "profiles/a/good.md", "Like this.\n");
    write(&repo, "profiles/a/gone.md", "Be kind.\n");
    repo.merkle(&["profile", "validate"]).ok();
}

//! The table of settings against its reference page, and mistakes in real configuration.

use std::fmt::Write;
use std::path::Path;

use git_merkle::config::{KeySection, table};

use crate::support::{PROGRAM, Repo, Sandbox};

/// Where the reference page is written instead of checked: `MERKLE_WRITE_DOCS=1 cargo test --test it -- settings`.
const WRITE_VARIABLE: &str = "MERKLE_WRITE_DOCS";

fn page() -> String {
    let mut page = String::from(include_str!("settings/head.md"));
    for (section, title) in [
        (KeySection::General, "General"),
        (
            KeySection::Provider,
            "One provider: `merkle.provider.<name>.<key>`",
        ),
        (KeySection::Remote, "One remote: `merkle.<remote>.<key>`"),
    ] {
        write!(page, "\n## {title}\n\n").expect("a string takes everything");
        page += "| key | value | default | set by | meaning |\n|---|---|---|---|---|\n";
        for setting in table::all().filter(|setting| setting.section == section) {
            let default = setting
                .default
                .map_or_else(String::new, |text| format!("`{text}`"));
            let kind = setting
                .kind
                .to_string()
                .replace('<', "\\<")
                .replace('|', "\\|");
            let (name, who, summary) = (setting.name, setting.who(), setting.summary);
            writeln!(
                page,
                "| `{name}` | {kind} | {default} | {who} | {summary} |"
            )
            .expect("a string takes everything");
        }
    }
    page + include_str!("settings/tail.md")
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the writer of the page says so by a variable"
)]
fn the_reference_page_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/settings.md");
    if std::env::var_os(WRITE_VARIABLE).is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/settings.md is not what the table says; run {WRITE_VARIABLE}=1 cargo test --test it -- settings"
    );
}

fn filled(sandbox: &Sandbox) -> Repo<'_> {
    sandbox.filled("commit first\n+ a.rs = fn a() {}")
}

/// Before, a misspelt budget was a warning, and the run went on without a limit.
#[test]
fn a_misspelt_budget_in_the_users_own_places_ends_the_command() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let status = || repo.run(PROGRAM).args(["status"]);
    let refused = [
        repo.merkle(&["-c", "merkle.maxCots=1", "status"]),
        repo.run("git")
            .args(["-c", "merkle.maxCots=1", "merkle", "status"])
            .run(),
        status().env("GIT_MERKLE_MAX_COTS", "1").run(),
        status()
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "merkle.maxCots")
            .env("GIT_CONFIG_VALUE_0", "1")
            .run(),
    ];
    for run in refused {
        let told = run.exits(78).err();
        assert!(
            told.starts_with("error: unknown setting 'merkle.maxcots' from "),
            "{told}"
        );
        assert!(
            told.contains("\nhint: did you mean 'merkle.maxCost'?\n"),
            "{told}"
        );
    }
    // A file that the user's own configuration includes, and the user's own file.
    std::fs::write(sandbox.path("home/included"), "[merkle]\n\tbudgetDya = 1\n").unwrap();
    let include = format!(
        "[include]\n\tpath = {}\n",
        sandbox.path("home/included").display()
    );
    std::fs::write(sandbox.path("home/.gitconfig"), include).unwrap();
    let told = status().run().exits(78).err();
    assert!(
        told.contains("home/included:2\nhint: did you mean 'merkle.budgetDay'?"),
        "{told}"
    );
    std::fs::remove_file(sandbox.path("home/.gitconfig")).unwrap();
    let own = sandbox.path("home/.config/git-merkle");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("config.toml"), "max_cost = 'five'\nmax_cals = 3\n").unwrap();
    insta::assert_snapshot!(
        status().run().exits(78).err().replace(sandbox.path("").to_str().unwrap(), "<sandbox>/"),
        @"
    error: unknown setting 'merkle.maxcals' from file:<sandbox>/home/.config/git-merkle/config.toml:2
    hint: did you mean 'merkle.maxCalls'?
    hint: also: bad value 'five' for 'merkle.maxcost' from file:<sandbox>/home/.config/git-merkle/config.toml:1: expected a number of US dollars
    hint: 'git merkle config list --all' lists every setting
    "
    );
}

#[test]
fn elsewhere_a_mistake_is_a_warning_with_file_and_line() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    std::fs::create_dir(repo.path(".teddy")).unwrap();
    std::fs::write(repo.path(".teddy/config.toml"), "\nmax_cots = 1\n").unwrap();
    std::fs::write(repo.path(".git/included"), "[merkle]\n\tprogress = maybe\n").unwrap();
    repo.config("include.path", "included");
    repo.config("merkle.provider.x.endpiont", "u");
    let warned = repo.merkle(&["status"]).exits(0).err();
    insta::assert_snapshot!(warned.replace(sandbox.path("").to_str().unwrap(), "<sandbox>/"), @"
    warning: 'merkle.maxcots' from file:<sandbox>/work/.teddy/config.toml:2 is ignored: no setting has this name; did you mean 'merkle.maxCost'?
    warning: 'merkle.progress' from file:<sandbox>/work/.git/included:2 is ignored: 'maybe' is not a boolean
    warning: 'merkle.provider.x.endpiont' from file:<sandbox>/work/.git/config:9 is ignored: no setting has this name; did you mean 'merkle.provider.x.endpoint'?
    ");
    let document = repo
        .merkle(&["config", "list", "--json"])
        .exits(0)
        .json("config");
    let ignored = document["ignored"].as_array().unwrap();
    let reasons: Vec<&str> = ignored
        .iter()
        .map(|one| one["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["unknown", "value", "unknown"]);
}

#[test]
fn the_list_names_a_mistake_and_still_lists() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let run = repo
        .merkle(&["-c", "merkle.maxCots=1", "config", "list", "--show-origin"])
        .exits(78);
    assert!(
        run.out()
            .contains("merkle.maxcots=1\tignored: no setting has this name; did you")
    );
    assert!(
        run.out().contains("merkle.confirmabove=1\n"),
        "{}",
        run.out()
    );
    let known = repo
        .merkle(&["config", "list", "--all", "--json"])
        .exits(0)
        .json("config");
    assert_eq!(
        known["known"].as_array().unwrap().len(),
        table::all().count()
    );
    let shown = repo.merkle(&["config", "list", "--all"]).ok();
    for setting in table::all() {
        assert!(
            shown.contains(&setting.full_name()),
            "{}",
            setting.full_name()
        );
    }
}

/// What a hook calls never fails in the user's git, whatever stands in the configuration.
#[test]
fn a_hook_does_not_fail_for_a_misspelt_setting() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    let run = repo.merkle(&["-c", "merkle.maxCots=1", "hooks", "run", "post-commit"]);
    assert_eq!(run.exits(0).err(), "");
}

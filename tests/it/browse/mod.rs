//! `browse`: what is known as pages; what they say, which of them are written again, and that nothing in them acts.

pub(crate) mod browser;
pub(crate) mod corpus;
pub(crate) mod hostile;
mod links;
pub(crate) mod tags;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::support::{Repo, Sandbox};

const SHOP: &str = "
    commit first
    + README.md = # Shop: sells things.
    + src/lib.rs
      | //! Prices and baskets.
      | pub fn price() {}
    + src/deep/inner.rs = pub fn inner() {}
    + docs/guide.md = # How to use it
    + .github/ci.yml = on: push
    @ link -> README.md
";

/// Every file of a site with its bytes.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut pending) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the site") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below it");
                let name = name.to_str().expect("plain").to_owned();
                found.insert(name, std::fs::read(&path).expect("a page"));
            }
        }
    }
    found
}

fn page(repo: &Repo<'_>, name: &str) -> String {
    let path = repo.path(".git/merkle/site").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn shop(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("shop");
    repo.fill(SHOP);
    repo.merkle(&["regenerate", "-q"]).ok();
    repo
}

#[test]
fn a_page_for_each_file_and_directory_says_what_is_known() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    repo.merkle(&[
        "note",
        "src/lib.rs",
        "-m",
        "Prices are *gross*; see [the start](../README.md).",
    ])
    .ok();
    let printed = repo.merkle(&["browse"]).exits(0);
    let start: PathBuf = printed.out().trim_end().into();
    assert!(
        start.is_absolute() && start.ends_with(".git/merkle/site/index.html"),
        "{printed}"
    );
    insta::assert_snapshot!(printed.err(), @"10 pages, 14 files written");
    let site = start.parent().expect("a folder");
    let names: Vec<String> = files(site).into_keys().collect();
    insta::assert_snapshot!(names.join("\n"), @"
    commit.css
    files.txt
    index.html
    search.js
    search/0.js
    style.css
    tree/README.md.html
    tree/docs/guide.md.html
    tree/docs/index.html
    tree/dot.github/ci.yml.html
    tree/dot.github/index.html
    tree/src/deep/index.html
    tree/src/deep/inner.rs.html
    tree/src/index.html
    tree/src/lib.rs.html
    ");
    let lib = page(&repo, "tree/src/lib.rs.html");
    for said in [
        "<title>src/lib.rs · shop</title>",
        "<a href=\"../../index.html\">shop</a>",
        "<a href=\"index.html\">src</a>",
        "Prices are <em>gross</em>; see <a href=\"../README.md.html\">the start</a>.",
        "<code>pub fn price()</code>",
        "script-src 'self'",
    ] {
        assert!(lib.contains(said), "{said} in\n{lib}");
    }
    let root = page(&repo, "index.html");
    assert!(
        root.contains("symbolic link") && root.contains("class=\"tile fresh\""),
        "{root}"
    );
    let id = repo.id("HEAD");
    assert!(page(&repo, "commit.css").contains(&id[..7]));
    assert!(
        lib.split("Changed by")
            .next()
            .is_some_and(|rest| !rest.contains(&id[..7])),
        "a commit does not change all pages"
    );
    let search = page(&repo, "search/0.js");
    assert!(
        search.contains("src/lib.rs\\n")
            && search.contains(".github/\\ttree/dot.github/index.html")
    );
    let json = repo.merkle(&["browse", "--json", "HEAD"]).json("browse");
    assert_eq!((&json["pages"], &json["written"]), (&10.into(), &0.into()));
}

#[test]
fn only_what_changed_is_written_again() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let output = sandbox.path("out");
    let browse = || {
        let run = repo.run(crate::support::PROGRAM);
        let run = run.args(["browse", "--json", "--output"]).arg(&output);
        run.run().json("browse")
    };
    browse();
    let before = files(&output);
    let old = SystemTime::UNIX_EPOCH;
    for name in before.keys() {
        let file = std::fs::File::options()
            .write(true)
            .open(output.join(name))
            .expect("a page");
        file.set_modified(old).expect("a time can be set");
    }
    repo.fill("commit second\n+ src/deep/inner.rs = pub fn outer() {}\n- docs/guide.md");
    repo.merkle(&["regenerate", "-q"]).ok();
    let json = browse();
    let after = files(&output);
    let is_new = |name: &&String| {
        let modified = output
            .join(name)
            .metadata()
            .and_then(|found| found.modified());
        modified.expect("a time") != old
    };
    let written: Vec<&String> = after.keys().filter(is_new).collect();
    insta::assert_snapshot!(format!("{written:?}"), @r#"["commit.css", "files.txt", "index.html", "search/0.js", "tree/src/deep/index.html", "tree/src/deep/inner.rs.html", "tree/src/index.html"]"#);
    for name in &written {
        assert_ne!(before.get(*name), after.get(*name), "{name}");
    }
    assert_eq!((&json["written"], &json["removed"]), (&6.into(), &2.into()));
    assert!(!output.join("tree/docs").exists());
    // Another place, made at once, holds the same bytes.
    let other = sandbox.path("other");
    repo.run(crate::support::PROGRAM)
        .args(["browse", "-o"])
        .arg(&other)
        .run()
        .ok();
    assert_eq!(files(&other), after);
}

#[test]
fn what_does_not_hold_says_so_and_how_to_mend_it() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    repo.merkle(&["note", "src/lib.rs", "-m", "Prices are gross."])
        .ok();
    repo.fill(
        "commit second\n+ src/lib.rs = pub fn price_of() {}\n+ src/new.rs = pub fn fresh() {}",
    );
    repo.merkle(&["browse", "-q"]).ok();
    let lib = page(&repo, "tree/src/lib.rs.html");
    for said in [
        "carried</span>: from commit",
        "<code>git merkle regenerate src/lib.rs</code>",
        "<code>git merkle affirm src/lib.rs</code>",
    ] {
        assert!(lib.contains(said), "{said} in\n{lib}");
    }
    let new = page(&repo, "tree/src/new.rs.html");
    assert!(new.contains("missing</span>") && new.contains("git merkle regenerate src/new.rs"));
    repo.merkle(&["browse", "-q", "HEAD~1"]).ok();
    assert!(page(&repo, "tree/src/lib.rs.html").contains("Prices are gross."));
    repo.merkle(&["regenerate", "-q", "src/lib.rs"]).ok();
    repo.merkle(&["affirm", "src/lib.rs"]).ok();
    repo.merkle(&["browse", "-q"]).ok();
    assert!(!page(&repo, "tree/src/lib.rs.html").contains("git merkle affirm"));
}

#[test]
fn the_folder_of_another_is_left_alone() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let taken = sandbox.path("taken");
    std::fs::create_dir(&taken).expect("a folder");
    std::fs::write(taken.join("mine.txt"), "mine").expect("a file");
    let refused = repo.merkle(&["browse", "--output", "../taken"]).exits(65);
    insta::assert_snapshot!(refused.err(), @"
    error: '../taken' is not empty and is no site of this program
    hint: name an empty directory with --output
    ");
    assert_eq!(files(&taken).len(), 1);
}

/// What the desktop opens is the first page, whatever its name holds.
#[test]
#[cfg(target_os = "linux")]
fn the_desktop_opens_the_first_page() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let (bin, opened) = (sandbox.path("bin"), sandbox.path("opened"));
    std::fs::create_dir_all(&bin).expect("a folder");
    let script = bin.join("xdg-open");
    std::fs::write(
        &script,
        format!("#!/bin/sh\nprintf %s \"$1\" >'{}'\n", opened.display()),
    )
    .expect("a script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let printed = repo
        .run(crate::support::PROGRAM)
        .args(["browse", "--open"])
        .env("PATH", &path)
        .run()
        .ok();
    let text = (0..200).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::read_to_string(&opened)
            .ok()
            .filter(|text| !text.is_empty())
    });
    assert_eq!(text.as_deref(), Some(printed.trim_end()));
}

/// What a model has said about a content that has changed since stands on the page, and says so.
#[test]
fn earlier_statements_of_models_are_outdated_and_not_gone() {
    use crate::generate::{Protocol, World, regenerate};
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(
        "
        commit first
        + src/bed.rs = pub fn fill() {}
        commit second
        + README.md = # Garden
        commit third
        + src/bed.rs = pub fn clear() {}
        ",
    );
    regenerate(&repo, &["--rev", "HEAD~2"]).ok();
    repo.merkle(&["browse", "-q"]).ok();
    let bed = page(&repo, "tree/src/bed.rs.html");
    let id = repo.id("HEAD~1");
    let since = format!(
        "it has changed since it was described, of commit {}",
        &id[..7]
    );
    for said in [
        "class=\"said outdated\"",
        &since,
        "git merkle regenerate --agent",
    ] {
        assert!(bed.contains(said), "{said} in\n{bed}");
    }
    // Each clone and each run find the same.
    let again = repo.merkle(&["browse", "--json"]).json("browse");
    assert_eq!(again["written"], 0);
}

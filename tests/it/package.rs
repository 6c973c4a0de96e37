//! The Debian package: built from this source, installed over an older one, used and purged, in a layer above the running system.
//!
//! `.ci/package` does all of it, as on the machines that make releases. Where a tool for it is missing the test says so and ends.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{PROGRAM, Repo, Run, Sandbox};

/// What a package is made of; a copy of the program takes the place of one that is built for it.
const PARTS: [&str; 7] = [
    "Cargo.lock",
    "README.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs",
    "src",
    "tests",
];

/// Says why nothing was packaged.
#[expect(
    clippy::print_stderr,
    reason = "a test that is left out says so where the others tell their results"
)]
fn leave_out(missing: &str) {
    eprintln!("{missing}: the Debian package was not built and not installed");
}

/// A program with the folders of cargo and rustup, which a sandbox hides with the home directory.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo and rustup say in the environment where their homes are"
)]
fn with_toolchain(run: Run) -> Run {
    let home = std::env::var_os("HOME").unwrap_or_default();
    [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")]
        .into_iter()
        .fold(run, |run, (variable, folder)| {
            let named = std::env::var_os(variable);
            run.env(
                variable,
                named.unwrap_or_else(|| Path::new(&home).join(folder).into()),
            )
        })
}

/// What is missing for a package, if anything.
fn missing(repo: &Repo<'_>) -> Option<&'static str> {
    let works = |line: &str| {
        let run = with_toolchain(repo.run("sh").args(["-c", line]));
        run.run().code == Some(0)
    };
    [
        ("cargo deb --version", "cargo-deb is not installed"),
        ("command -v dpkg", "there is no dpkg"),
        ("command -v strip", "there is no strip"),
        ("unshare --mount true", "mounts are not allowed"),
    ]
    .into_iter()
    .find_map(|(line, missing)| (!works(line)).then_some(missing))
}

#[test]
fn a_package_is_installed_upgraded_used_and_purged_without_a_trace() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    if let Some(missing) = missing(&repo) {
        leave_out(missing);
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tree = sandbox.path("source");
    fs::create_dir_all(tree.join(".ci")).expect("a folder");
    for part in PARTS {
        symlink(source.join(part), tree.join(part)).expect("a link");
    }
    // Cargo would look above for another manifest that this one belongs to.
    let manifest = fs::read_to_string(source.join("Cargo.toml")).expect("a manifest");
    fs::write(tree.join("Cargo.toml"), manifest + "\n[workspace]\n").expect("writable");
    symlink(source.join(".ci/packages"), tree.join(".ci/packages")).expect("a link");
    fs::copy(source.join(".ci/package"), tree.join(".ci/package")).expect("a copy");
    let run = |program: &str, arguments: &[&str]| {
        let run = with_toolchain(repo.run(program).args(arguments));
        let run = run.env("PACKAGE_FAST", "1");
        run.env("SOURCE_DATE_EPOCH", "1700000000").run().ok()
    };
    let (script, binary) = (tree.join(".ci/package"), sandbox.path("git-merkle"));
    let (script, binary) = (
        script.to_str().expect("UTF-8"),
        binary.to_str().expect("UTF-8"),
    );
    run("strip", &["-o", binary, PROGRAM]);
    let told = run(script, &["deb", binary]);
    let package = tree.join(told.lines().last().expect("the package").trim());
    let told = run(script, &["check", package.to_str().expect("UTF-8")]);
    assert!(
        told.ends_with("installed, upgraded, used and purged: no file is left\n"),
        "{told}"
    );
}

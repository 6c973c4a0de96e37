//! Paths and pathspecs as arguments: git itself says which files they match.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::{PROGRAM, Repo, Sandbox};

const FILES: &str = "
    commit first
    + README.md = # Readme
    + \"a*b.rs\" = fn star() {}
    + axb.rs = fn cross() {}
    + docs/guide.md = # Guide
    + src/deep/mod.rs = fn deep() {}
    + src/lib.rs = fn lib() {}
    + src/readme.md = # Lower
    + tests/it.rs = fn it() {}
";

/// Arguments that git's own commands take; `/` alone is put in front of absolute paths.
const SPECS: [&[&str]; 22] = [
    &["src"],
    &["src/"],
    &["*.rs"],
    &["src/*.rs"],
    &["src/*"],
    &[":(glob)src/*.rs"],
    &[":(glob)**/*.md"],
    &[":/src"],
    &[":/*.md"],
    &[":(top)README.md"],
    &[":(top,icase)readme.md"],
    &[":(icase)README*"],
    &["a*b.rs"],
    &[":(literal)a*b.rs"],
    &["[ab]x?.rs"],
    &["*.rs", "README.md"],
    &["*.rs", ":!tests"],
    &["src", ":(exclude)*.md"],
    &[":/", ":^deep"],
    &[":/", ":!*.rs"],
    &["/src/lib.rs"],
    &["/src", ":!/src/deep"],
];

/// The files that git matches from a directory; nothing at all is an error there as well.
fn of_git(sandbox: &Sandbox, directory: &Path, specs: &[String]) -> Option<BTreeSet<String>> {
    let mut run = sandbox.run("git", directory);
    run = run.args(["ls-files", "--full-name", "--error-unmatch", "-z", "--"]);
    let output = run.args(specs).run();
    (output.code == Some(0)).then(|| paths(&output.out()))
}

fn paths(text: &str) -> BTreeSet<String> {
    let all = text.split('\0').filter(|path| !path.is_empty());
    all.map(ToOwned::to_owned).collect()
}

/// The files of the map, which is a list of all files without arguments.
fn of_map(sandbox: &Sandbox, directory: &Path, specs: &[String]) -> Option<BTreeSet<String>> {
    let run = sandbox.run(PROGRAM, directory).args(["map", "--json"]);
    let output = run.args(specs).run();
    if output.code != Some(0) {
        assert_eq!(output.code, Some(128), "{output}");
        return None;
    }
    let document: Value = serde_json::from_str(&output.out()).expect("a document");
    let files = document["files"].as_array().expect("a list");
    let path = |file: &Value| file["path"].as_str().expect("a text").to_owned();
    Some(files.iter().map(path).collect())
}

#[test]
fn pathspecs_match_what_they_match_in_git() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FILES);
    let root = repo.path("");
    let mut matched = 0;
    for directory in [root.clone(), repo.path("src")] {
        for specs in SPECS {
            let specs: Vec<String> = specs.iter().map(|spec| absolute(&root, spec)).collect();
            let truth = of_git(&sandbox, &directory, &specs);
            matched += usize::from(truth.is_some());
            let own = of_map(&sandbox, &directory, &specs);
            assert_eq!(own, truth, "{specs:?} in {}", directory.display());
        }
    }
    assert!(matched > SPECS.len(), "{matched}");
    // Without anything to begin with, all of the repository is meant, as in 'git diff'.
    let rest = of_map(&sandbox, &repo.path("src"), &[":!deep".to_owned()]).expect("files");
    assert_eq!(rest.len(), 7, "{rest:?}");
}

/// `/src` as the absolute path of that directory, also behind git's magic.
fn absolute(root: &Path, spec: &str) -> String {
    let root = root.to_str().expect("UTF-8").trim_end_matches('/');
    match (spec.strip_prefix('/'), spec.strip_prefix(":!/")) {
        (Some(path), _) => format!("{root}/{path}"),
        (_, Some(path)) => format!(":!{root}/{path}"),
        _ => spec.to_owned(),
    }
}

fn outlined(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(FILES);
    repo.merkle(&["regenerate"]).ok();
    repo
}

#[test]
fn commands_about_nodes_take_the_files_that_match() {
    let sandbox = Sandbox::new();
    let repo = outlined(&sandbox);
    let shown = |arguments: &[&str]| -> BTreeSet<String> {
        let document = repo
            .merkle(&[&["show", "--json"], arguments].concat())
            .json("show");
        let frames = document["frames"].as_array().unwrap();
        frames
            .iter()
            .map(|frame| frame["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let set = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    assert_eq!(
        shown(&["src/*.rs"]),
        set(&["src/deep/mod.rs", "src/lib.rs"])
    );
    assert_eq!(shown(&["src"]), set(&["src"]), "a path is its node");
    assert_eq!(
        shown(&["a*b.rs"]),
        set(&["a*b.rs"]),
        "as it is written first"
    );
    assert_eq!(
        shown(&["src", ":!*.md"]),
        set(&["src/deep/mod.rs", "src/lib.rs"])
    );
    // From below, files are named so that the words can be used there.
    let notes = sandbox
        .run(PROGRAM, &repo.path("src"))
        .args(["retract", "*.rs"])
        .run()
        .exits(1);
    assert!(
        notes
            .err()
            .contains("':/src/deep/mod.rs': you have said nothing"),
        "{}",
        notes.err()
    );
    repo.merkle(&["note", ":/src/lib.rs", "-m", "one"]).ok();
    assert_eq!(
        repo.merkle(&["retract", "*.rs"])
            .exits(1)
            .out()
            .lines()
            .count(),
        1
    );
    let forced = repo.merkle(&["regenerate", "--force", "*.md"]).ok();
    assert_eq!(forced.trim(), "made 3 frames (3 files, 0 directories)");
    for command in ["explain", "log", "get-node", "list-frames", "get-head"] {
        repo.merkle(&[command, ":(top)src/lib.rs"]).ok();
        repo.merkle(&[command, "*/lib.rs"]).ok();
        let several = repo.merkle(&[command, "*.rs"]).exits(129);
        assert!(
            several
                .err()
                .contains("'*.rs' matches 5 files; one is expected"),
            "{command}"
        );
    }
}

#[test]
fn what_is_no_pathspec_is_said() {
    let sandbox = Sandbox::new();
    let repo = outlined(&sandbox);
    for (spec, code, message) in [
        ("*.nope", 128, "no file of the snapshot matches '*.nope'"),
        (":(attr:x)src", 129, "asks for an attribute"),
        (":(nope)src", 129, "is not a pathspec"),
        (":/../x", 129, "is not a pathspec"),
        ("/etc/passwd", 65, "is outside the repository"),
        (
            ":(top)nope",
            128,
            "neither a path in the snapshot nor a revision",
        ),
    ] {
        for command in ["show", "map", "regenerate"] {
            let output = repo.merkle(&[command, spec]).exits(code);
            assert!(
                output.err().contains(message),
                "{command} {spec}: {}",
                output.err()
            );
        }
    }
    // A revision that looks like a pattern stays one, and so does a message.
    repo.merkle(&["show", "HEAD^{/fir?}"]).ok();
    repo.merkle(&["show", ":/first"]).ok();
}

#[test]
fn diff_takes_pathspecs_and_tells_of_paths_that_are_nowhere() {
    let sandbox = Sandbox::new();
    let repo = outlined(&sandbox);
    repo.fill("commit second\n+ src/lib.rs = pub fn new() {}\n+ docs/guide.md = # New guide");
    repo.merkle(&["regenerate"]).ok();
    let names = |arguments: &[&str]| {
        repo.merkle(&[&["diff", "HEAD~1..HEAD", "--name-only", "--"], arguments].concat())
    };
    assert_eq!(names(&["*.rs"]).ok(), "src/lib.rs\n");
    assert_eq!(names(&[".", ":!src"]).ok(), "./\ndocs\ndocs/guide.md\n");
    let nowhere = names(&["nope"]);
    assert_eq!(
        nowhere.err(),
        "'nope' stands neither in 'HEAD~1' nor in 'HEAD'\n"
    );
    assert_eq!(nowhere.code, Some(0), "{nowhere}");
    let below = sandbox.run(PROGRAM, &repo.path("src"));
    let below = below.args(["diff", "HEAD~1..HEAD", "--name-only", "--", "lib.rs"]);
    assert_eq!(below.run().ok(), "src/lib.rs\n");
}

#[test]
fn a_list_takes_the_magic_that_it_can_say() {
    let sandbox = Sandbox::new();
    let repo = outlined(&sandbox);
    let named = |spec: &str| {
        let run = sandbox.run(PROGRAM, &repo.path("src"));
        let run = run
            .args(["context", "--section", "5", "--allow-missing", spec])
            .run();
        let text = run.exits(0).out();
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("**Resource:** `["));
        lines
            .map(|line| line.split(']').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(named(":/README.md"), ["README.md"]);
    assert_eq!(named(":(top)docs/guide.md"), ["docs/guide.md"]);
    assert_eq!(named(":(glob)*.rs"), ["src/lib.rs"]);
    assert_eq!(
        named(":(top,glob)**/*.md"),
        ["README.md", "docs/guide.md", "src/readme.md"]
    );
}

#[test]
fn a_repository_at_a_ceiling_is_not_looked_for() {
    let sandbox = Sandbox::new();
    let repo = outlined(&sandbox);
    let (root, src) = (repo.path(""), repo.path("src"));
    let above = root.parent().unwrap().to_owned();
    for directory in [&root, &src] {
        for ceiling in [&root, &src, &above, &repo.path("src/deep")] {
            let found = |program: &str, command: &str| {
                let run = sandbox.run(program, directory).arg(command);
                run.env("GIT_CEILING_DIRECTORIES", ceiling).run().code
            };
            let of_git = found("git", "status");
            assert_eq!(
                found(PROGRAM, "status"),
                of_git,
                "{directory:?} below {ceiling:?}"
            );
        }
    }
}

//! Unit tests of `repo`.

use super::super::fixture::{Fixture, open_at};
use super::*;
use std::fmt::Write as _;

/// Opens the repository from the current directory and tells what it sees; run in an environment of its own.
#[test]
#[ignore = "run by other tests as a process of its own"]
#[expect(clippy::print_stdout, reason = "the test that runs it reads this")]
fn probe() {
    let told = match Repository::open(&Location::default()) {
        Err(error) => format!("error {error}"),
        Ok(repo) => {
            let shown = |path: Option<&Path>| {
                path.map_or("none".to_owned(), |path| path.display().to_string())
            };
            let mut told = format!(
                "git {} work {}",
                shown(Some(repo.git_dir())),
                shown(repo.work_dir())
            );
            let _ = write!(
                told,
                " common {} prefix {:?}",
                shown(Some(repo.common_dir())),
                repo.prefix()
            );
            let _ = write!(
                told,
                " key {:?} head {}",
                repo.config_string("merkle.probe"),
                repo.resolve("HEAD:file").is_ok()
            );
            let seen = repo
                .resolve("HEAD:file")
                .is_ok_and(|id| repo.header(&id).is_ok_and(|found| found.is_some()));
            let child = super::super::child::GitCommand::new(&repo, "rev-parse")
                .option("HEAD:file")
                .run(b"")
                .is_ok();
            let _ = write!(
                told,
                " seen {seen} child {child} who {:?}",
                repo.signature()
            );
            told
        }
    };
    println!("probe: {told}");
}

/// What the probe tells in a directory and an environment.
fn probed(fixture: &Fixture, directory: &Path, environment: &[(&str, &str)]) -> String {
    let mut command = fixture.command(directory, &["version"]);
    let program = std::env::current_exe().unwrap();
    let arguments = [
        "--exact",
        "git::repo::tests::probe",
        "--ignored",
        "--nocapture",
    ];
    if let Some((_, settings)) = environment.iter().find(|(name, _)| *name == "-c") {
        let line = format!(
            "cd '{}' && '{}' {}",
            directory.display(),
            program.display(),
            arguments.join(" ")
        );
        command = fixture.command(
            directory,
            &[
                "-c",
                settings,
                "-c",
                &format!("alias.probe=!{line}"),
                "probe",
            ],
        );
    } else {
        let prepared: Vec<_> = command
            .get_envs()
            .map(|(name, value)| (name.to_owned(), value.unwrap().to_owned()))
            .collect();
        command = program_command(&program);
        command
            .args(arguments)
            .current_dir(directory)
            .env_clear()
            .envs(prepared);
    }
    for name in ["AUTHOR", "COMMITTER"].map(|who| format!("GIT_{who}_NAME")) {
        command.env_remove(name);
    }
    let output = command
        .envs(
            environment
                .iter()
                .copied()
                .filter(|(name, _)| *name != "-c"),
        )
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let told = text
        .lines()
        .find_map(|line| line.split_once("probe: "))
        .unwrap_or_else(|| panic!("{text}"))
        .1;
    told.replace(&fixture.folder.path().display().to_string(), "T")
}

#[expect(clippy::disallowed_methods, reason = "the program is this test itself")]
fn program_command(program: &Path) -> std::process::Command {
    std::process::Command::new(program)
}

fn with_file() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("file", "x");
    fixture.file("a/b/c", "x");
    fixture.commit("one");
    fixture
}

#[test]
fn the_repository_is_found_where_git_finds_it() {
    let fixture = with_file();
    let root = &fixture.root;
    let linked = fixture.folder.path().join("linked");
    fixture.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let bare = fixture.folder.path().join("bare.git");
    fixture.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    std::fs::create_dir_all(linked.join("x y")).unwrap();
    for directory in [
        root,
        &root.join("a/b"),
        &linked,
        &linked.join("x y"),
        &bare,
        &bare.join("refs"),
        &root.join(".git"),
    ] {
        let repo = open_at(directory);
        let git = |question: &str| {
            fixture.git_in(
                directory,
                &["rev-parse", "--path-format=absolute", question],
            )
        };
        assert_eq!(repo.git_dir().display().to_string(), git("--git-dir"));
        assert_eq!(
            repo.common_dir().display().to_string(),
            git("--git-common-dir")
        );
        let is_bare = git("--is-bare-repository") == "true";
        assert_eq!(repo.work_dir().is_none(), is_bare, "{directory:?}");
        if git("--is-inside-work-tree") == "true" {
            assert_eq!(
                repo.work_dir().unwrap().display().to_string(),
                git("--show-toplevel")
            );
            assert_eq!(
                repo.prefix().to_text(),
                git("--show-prefix").trim_end_matches('/')
            );
        } else {
            assert!(repo.prefix().is_root());
        }
        assert_eq!(repo.resolve("HEAD:file").unwrap(), fixture.id("HEAD:file"));
        assert!(!repo.is_shallow() && !repo.is_partial());
        let fork = repo.fork();
        std::thread::spawn(move || fork.resolve("HEAD:file").unwrap())
            .join()
            .unwrap();
    }
}

#[test]
fn a_named_repository_works_where_the_user_stands() {
    let fixture = with_file();
    let elsewhere = fixture.folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let named = |git_dir: &Path, settings: &[&str]| {
        let settings = settings.iter().map(|text| (*text).to_owned()).collect();
        Repository::open(&Location {
            directory: elsewhere.clone(),
            git_dir: Some(git_dir.to_owned()),
            settings,
        })
    };
    let repo = named(&fixture.root.join(".git"), &[]).unwrap();
    assert_eq!(repo.work_dir(), Some(elsewhere.as_path()));
    assert!(
        named(&fixture.root.join(".git"), &["core.bare=true"])
            .unwrap()
            .work_dir()
            .is_none()
    );
    let repo = named(
        Path::new("../repository/.git"),
        &["core.worktree=../../repository", "merkle.Key=v"],
    )
    .unwrap();
    assert_eq!(repo.git_dir(), fixture.root.join(".git"));
    assert_eq!(repo.config_string("merkle.key").as_deref(), Some("v"));
    assert!(matches!(
        named(&elsewhere, &[]),
        Err(OpenError::NotThere(_))
    ));
    for wrong in ["nonsense", "=x", ".x=y"] {
        assert!(
            matches!(
                named(&fixture.root.join(".git"), &[wrong]),
                Err(OpenError::Setting(_))
            ),
            "{wrong}"
        );
    }
}

#[test]
fn what_is_no_repository_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let open = |directory: PathBuf| {
        Repository::open(&Location {
            directory,
            ..Location::default()
        })
        .err()
        .unwrap()
    };
    assert!(matches!(
        open(folder.path().to_owned()),
        OpenError::NotFound(_)
    ));
    assert!(matches!(
        open(folder.path().join("absent")),
        OpenError::NoFolder(_)
    ));
    let fixture = with_file();
    fixture.file(".git/config", "[core");
    assert!(matches!(
        open(fixture.root.clone()),
        OpenError::Damaged { .. }
    ));
}

#[test]
fn submodules_and_partial_clones_are_known() {
    let fixture = with_file();
    let url = format!("file://{}", fixture.root.display());
    fixture.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        &url,
        "sub",
    ]);
    let sub = open_at(&fixture.root.join("sub"));
    assert_eq!(sub.git_dir(), fixture.root.join(".git/modules/sub"));
    assert_eq!(sub.work_dir(), Some(fixture.root.join("sub").as_path()));

    fixture.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = fixture.folder.path().join("partial");
    fixture.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &url,
        clone.to_str().unwrap(),
    ]);
    let partial = open_at(&clone);
    assert!(partial.is_partial());
    let blob = fixture.id("HEAD:file");
    assert_eq!(partial.header(&blob).unwrap(), None);
    assert!(partial.resolve("HEAD:file").is_ok_and(|id| id == blob));
    assert_eq!(partial.header(&blob).unwrap(), None, "nothing was fetched");
}

#[test]
fn the_environment_of_a_hook_is_honoured() {
    let fixture = with_file();
    let (root, top) = (&fixture.root, fixture.folder.path());
    let tail =
        "key None head true seen true child true who (\"git-merkle\", \"git-merkle@localhost\")";
    let plain = format!(
        "git T/repository/.git work T/repository common T/repository/.git prefix \"\" {tail}"
    );
    assert_eq!(probed(&fixture, root, &[]), plain);
    let hook = [
        ("GIT_DIR", ".git"),
        ("GIT_INDEX_FILE", ".git/index"),
        ("GIT_PREFIX", "a/"),
        ("GIT_NAMESPACE", "n"),
    ];
    assert_eq!(probed(&fixture, root, &hook), plain);
    let named = [
        ("GIT_DIR", "repository/.git"),
        ("GIT_WORK_TREE", "repository"),
    ];
    assert_eq!(probed(&fixture, top, &named), plain);
    let below = probed(&fixture, &root.join("a/b"), &[("GIT_WORK_TREE", "..")]);
    assert!(
        below.contains("work T/repository/a common T/repository/.git prefix \"b\""),
        "{below}"
    );
    assert_eq!(probed(&fixture, root, &[("GIT_COMMON_DIR", ".git")]), plain);
    let other = probed(&fixture, root, &[("GIT_COMMON_DIR", "..")]);
    assert!(other.starts_with("error cannot open repository"), "{other}");
    let ceiling = top.display().to_string();
    let stopped = [("GIT_CEILING_DIRECTORIES", ceiling.as_str())];
    assert!(probed(&fixture, &root.join("a"), &stopped).starts_with("git"));
    std::fs::create_dir(top.join("none")).unwrap();
    assert!(
        probed(&fixture, &top.join("none"), &stopped).starts_with("error not a git repository")
    );
}

#[test]
fn a_quarantine_is_read_through() {
    let fixture = with_file();
    let objects = fixture.root.join(".git/objects");
    let quarantine = fixture.folder.path().join("quarantine");
    let hex = fixture.id("HEAD:file").to_string();
    std::fs::create_dir_all(quarantine.join(&hex[..2])).unwrap();
    std::fs::rename(
        objects.join(&hex[..2]).join(&hex[2..]),
        quarantine.join(&hex[..2]).join(&hex[2..]),
    )
    .unwrap();
    assert!(probed(&fixture, &fixture.root, &[]).contains("seen false"));
    let environment = [
        ("GIT_OBJECT_DIRECTORY", "../quarantine"),
        (
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            ".git/absent:.git/objects",
        ),
    ];
    let told = probed(&fixture, &fixture.root, &environment);
    assert!(told.contains("head true seen true child true"), "{told}");
}

#[test]
fn settings_of_the_command_line_and_the_environment_are_read() {
    let fixture = with_file();
    fixture.git(&["config", "merkle.probe", "local"]);
    let told = |environment: &[(&str, &str)]| probed(&fixture, &fixture.root, environment);
    assert!(told(&[]).contains("key Some(\"local\")"));
    let hard = "merkle.probe=it's a 'quoted' =value!";
    assert!(
        told(&[("-c", hard)]).contains("key Some(\"it's a 'quoted' =value!\")"),
        "{}",
        told(&[("-c", hard)])
    );
    let count = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "merkle.probe"),
        ("GIT_CONFIG_VALUE_0", "env"),
    ];
    assert!(told(&count).contains("key Some(\"env\")"));
    let both = [&count[..], &[("-c", "merkle.probe=flag")]].concat();
    assert!(told(&both).contains("key Some(\"flag\")"));
    assert!(told(&[("GIT_CONFIG_PARAMETERS", "'merkle.probe=old'")]).contains("key Some(\"old\")"));
    let who = [("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@d")];
    assert!(told(&who).contains("who (\"C\", \"c@d\")"));
}

#[test]
fn a_repository_of_somebody_else_needs_safe_directory() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let fixture = with_file();
    for path in [&fixture.root, &fixture.root.join(".git")] {
        std::os::unix::fs::chown(path, Some(12_345), Some(12_345)).unwrap();
    }
    let open = |settings: &[String]| {
        Repository::open(&Location {
            directory: fixture.root.clone(),
            git_dir: None,
            settings: settings.to_vec(),
        })
    };
    assert!(matches!(open(&[]), Err(OpenError::Untrusted(_))));
    assert!(
        !fixture
            .command(&fixture.root, &["rev-parse", "HEAD"])
            .output()
            .unwrap()
            .status
            .success()
    );
    std::fs::write(
        fixture.root.join(".git/config"),
        "[safe]\n\tdirectory = *\n[core]\n\tbare = false\n",
    )
    .unwrap();
    assert!(
        matches!(open(&[]), Err(OpenError::Untrusted(_))),
        "the repository may not vouch for itself"
    );
    for allowed in ["*".to_owned(), fixture.root.display().to_string()] {
        let repo = open(&[format!("safe.directory={allowed}")]).unwrap();
        assert!(repo.resolve("HEAD").is_ok());
    }
    let git_dir = Some(fixture.root.join(".git"));
    assert!(
        Repository::open(&Location {
            git_dir,
            directory: fixture.root.clone(),
            settings: Vec::new()
        })
        .is_ok()
    );
}

#[test]
fn a_bare_repository_in_the_way_is_refused_on_demand() {
    let fixture = with_file();
    fixture.git(&["clone", "-q", "--bare", ".", "../beside"]);
    fixture.git(&["clone", "-q", "--bare", ".", "inside"]);
    let open = |directory: &Path, git_dir: Option<&str>| {
        let settings = vec!["safe.bareRepository=explicit".to_owned()];
        Repository::open(&Location {
            directory: directory.to_owned(),
            git_dir: git_dir.map(PathBuf::from),
            settings,
        })
    };
    let beside = fixture.root.join("../beside");
    for (key, value) in [
        ("core.bare", "true"),
        ("core.bare", "false"),
        ("core.worktree", "."),
    ] {
        fixture.git_in(&beside, &["config", key, value]);
        assert!(matches!(open(&beside, None), Err(OpenError::Bare(_))));
    }
    assert!(matches!(
        open(&fixture.root.join("inside"), None),
        Err(OpenError::Embedded { .. })
    ));
    assert!(open(&fixture.root, Some("inside")).is_ok());
    assert!(open(&fixture.root, None).is_ok());
    assert!(open(&fixture.root.join(".git"), None).is_ok());
}

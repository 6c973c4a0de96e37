//! The law of the look: the tree is the one that git's own look at everything gives.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use proptest::prelude::*;
use rustix::fs::{CWD, Timespec, Timestamps, lstat, utimensat};

use super::super::fixture::Fixture;
use super::super::worktree::IncludeFilter;
use super::*;

const RULES: &[u8] = b".wanted";

/// Gives every file an old time of content, so that the index is surely younger.
fn age(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            age(&entry.path());
            continue;
        }
        let old = Timespec {
            tv_sec: 1_700_000_000,
            tv_nsec: 5,
        };
        // Another time would touch the inode, which git does not see within a second, and the look does.
        if lstat(entry.path()).unwrap().st_mtime == old.tv_sec {
            continue;
        }
        let times = Timestamps {
            last_access: old,
            last_modification: old,
        };
        utimensat(CWD, entry.path(), &times, NO_FOLLOW).unwrap();
    }
}

/// Makes the index know what is surely older than it.
fn settle(fixture: &Fixture) {
    age(&fixture.root);
    fixture.git(&["status"]);
}

fn fixture(options: &[&str]) -> Fixture {
    let fixture = Fixture::init(options);
    for path in [
        "a",
        "empty",
        "dir/b",
        "dir/deep/c",
        "dir-x/d",
        "dir.y",
        "other/e",
    ] {
        fixture.file(path, if path == "empty" { "" } else { path });
    }
    symlink("a", fixture.root.join("link")).unwrap();
    fixture.file(".gitignore", "*.o\nbuild/\n");
    fixture.file("build/out.o", "x");
    fixture.commit("one");
    settle(&fixture);
    fixture
}

/// The paths that git judges; `None` where it looks at everything.
fn dirty(fixture: &Fixture) -> Option<Vec<String>> {
    let dirty = Dirty::of(&fixture.open(), Some(RULES))?;
    let mut paths: Vec<String> = dirty
        .paths
        .into_iter()
        .map(|path| String::from_utf8(path).unwrap())
        .collect();
    paths.sort();
    Some(paths)
}

/// Both ways give one tree; with ignored files that `.wanted` lets in, and without.
fn holds(fixture: &Fixture, what: &str) {
    let repo = fixture.open();
    let lets_any_in = |folder: &[u8]| {
        let folder = fixture.root.join(OsStr::from_bytes(folder));
        fs::read(folder.join(".wanted")).is_ok_and(|text| text.contains(&b'!'))
    };
    let include = IncludeFilter {
        name: RULES,
        lets_any_in: &lets_any_in,
        lets_in: &|path| path.ends_with(b"wanted.o") && lets_any_in(b""),
    };
    for include in [None, Some(&include)] {
        let told = |tree: Result<NodeId, ChildError>| tree.map_err(|error| error.to_string());
        let expected = told(repo.write_all(include));
        assert_eq!(told(repo.write_work_tree(include)), expected, "{what}");
    }
}

type Change = fn(&Fixture);

/// What is done to a work tree, and the paths that git judges then.
const CHANGES: [(&str, Option<&[&str]>, Change); 27] = [
    ("nothing", Some(&[]), |_| {}),
    ("an edit", Some(&["a"]), |it| it.file("a", "new")),
    ("an edit of the same size", Some(&["a"]), |it| {
        it.file("a", "b");
    }),
    ("the same again", Some(&["a"]), |it| it.file("a", "a")),
    ("an edit with the old time", Some(&["a"]), |it| {
        it.file("a", "b");
        age(&it.root);
    }),
    ("no content any more", Some(&["a"]), |it| it.file("a", "")),
    ("a file less", Some(&["dir/b"]), |it| {
        fs::remove_file(it.root.join("dir/b")).unwrap();
    }),
    ("a folder less", Some(&["dir/b", "dir/deep/c"]), |it| {
        fs::remove_dir_all(it.root.join("dir")).unwrap();
    }),
    ("a file more", Some(&["dir/new"]), |it| {
        it.file("dir/new", "x");
    }),
    ("folders more", Some(&["n/e/w", "n/x"]), |it| {
        it.file("n/e/w", "x");
        it.file("n/x", "x");
        it.file("n/y.o", "x");
        fs::create_dir(it.root.join("void")).unwrap();
    }),
    ("another name", Some(&["a", "b"]), |it| {
        fs::rename(it.root.join("a"), it.root.join("b")).unwrap();
    }),
    ("permissions", Some(&["a"]), |it| {
        fs::set_permissions(it.root.join("a"), fs::Permissions::from_mode(0o755)).unwrap();
    }),
    ("a link for a file", Some(&["a"]), |it| {
        fs::remove_file(it.root.join("a")).unwrap();
        symlink("dir", it.root.join("a")).unwrap();
    }),
    ("another target", Some(&["link"]), |it| {
        fs::remove_file(it.root.join("link")).unwrap();
        symlink("b", it.root.join("link")).unwrap();
    }),
    ("a folder for a file", None, |it| {
        fs::remove_file(it.root.join("a")).unwrap();
        it.file("a/file", "x");
    }),
    ("a file for a folder", None, |it| {
        fs::remove_dir_all(it.root.join("dir")).unwrap();
        it.file("dir", "x");
    }),
    ("a link for a folder", None, |it| {
        fs::rename(it.root.join("dir"), it.root.join("moved")).unwrap();
        symlink("moved", it.root.join("dir")).unwrap();
    }),
    ("ignored files", Some(&[]), |it| it.file("dir/x.o", "x")),
    (
        "ignored no more",
        Some(&[".gitignore", "build/out.o"]),
        |it| {
            it.file(".gitignore", "");
        },
    ),
    ("staged and deleted", Some(&["staged"]), |it| {
        it.file("staged", "x");
        it.git(&["add", "staged"]);
        fs::remove_file(it.root.join("staged")).unwrap();
    }),
    ("staged", Some(&[]), |it| {
        it.file("staged", "x");
        settle(it);
        it.git(&["add", "staged"]);
    }),
    ("no longer tracked", Some(&["a"]), |it| {
        it.git(&["rm", "-q", "--cached", "a"]);
    }),
    (
        "an ignored file that is tracked",
        Some(&["dir/x.o"]),
        |it| {
            it.file("dir/x.o", "x");
            it.git(&["add", "-f", "dir/x.o"]);
            it.file("dir/x.o", "y");
        },
    ),
    ("a promise", None, |it| {
        it.file("new", "x");
        it.git(&["add", "-N", "new"]);
    }),
    ("assumed to be unchanged", None, |it| {
        it.git(&["update-index", "--assume-unchanged", "a"]);
        it.file("a", "new");
    }),
    ("not checked out", None, |it| {
        it.git(&["update-index", "--skip-worktree", "a"]);
        fs::remove_file(it.root.join("a")).unwrap();
    }),
    ("a repository inside", None, |it| {
        it.file("dir/inner/file", "x");
        it.git_in(&it.root.join("dir/inner"), &["init", "-q"]);
    }),
];

#[test]
fn whatever_is_changed_git_judges_it_and_gives_the_same_tree() {
    for options in [&[][..], &["--object-format=sha256"]] {
        for (what, paths, change) in CHANGES {
            let fixture = fixture(options);
            change(&fixture);
            let found = dirty(&fixture);
            let found: Option<Vec<&str>> = found
                .as_ref()
                .map(|found| found.iter().map(String::as_str).collect());
            assert_eq!(found.as_deref(), paths, "{what}");
            holds(&fixture, what);
        }
    }
}

#[test]
fn what_is_converted_is_converted_as_git_add_does_it() {
    let fixture = fixture(&[]);
    fixture.file("crlf", "one\r\ntwo\r\n");
    fixture.commit("two");
    fixture.git(&["config", "core.autocrlf", "true"]);
    fixture.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    fixture.file(".gitattributes", "*.up filter=upper\n*.lf text eol=crlf\n");
    settle(&fixture);
    for path in ["crlf", "a", "x.up", "dir/y.lf", "dir/deep/new"] {
        fixture.file(path, "one\r\ntwo\r\nthree\r\n");
    }
    holds(&fixture, "conversions");
    let location = super::super::repo::Location {
        directory: fixture.root.clone(),
        settings: vec!["filter.upper.clean=tr a-z A-Z".to_owned()],
        ..Default::default()
    };
    let repo = Repository::open(&location).unwrap();
    let tree = repo.write_work_tree(None).unwrap();
    assert_eq!(tree, repo.write_all(None).unwrap());
    let shown = format!("{tree}:x.up");
    assert_eq!(
        fixture.git(&["cat-file", "blob", &shown]),
        "ONE\nTWO\nTHREE"
    );
}

#[test]
fn submodules_stand_for_their_heads() {
    let fixture = fixture(&[]);
    let module = fixture.root.join("module");
    fixture.file("module/file", "x");
    fixture.git_in(&module, &["init", "-q", "-b", "main"]);
    fixture.git_in(&module, &["add", "-A"]);
    fixture.git_in(&module, &["commit", "-q", "-m", "c"]);
    fixture.commit("two");
    settle(&fixture);
    assert_eq!(dirty(&fixture), Some(vec!["module".to_owned()]));
    holds(&fixture, "as it was");
    fixture.git_in(&module, &["commit", "-q", "--allow-empty", "-m", "d"]);
    fixture.file("module/new", "x");
    holds(&fixture, "another head");
    fs::remove_dir_all(&module).unwrap();
    holds(&fixture, "gone");
    fs::create_dir(&module).unwrap();
    holds(&fixture, "not checked out");
}

#[test]
fn files_that_let_in_what_is_ignored_are_found_wherever_they_stand() {
    let fixture = fixture(&[]);
    for path in [
        "wanted.o",
        "dir/wanted.o",
        "build/deep/wanted.o",
        "dir/not.o",
    ] {
        fixture.file(path, path);
    }
    let named = |fixture: &Fixture| {
        let dirty = Dirty::of(&fixture.open(), Some(RULES)).unwrap();
        let mut named = dirty.named;
        named.sort();
        named
    };
    assert!(named(&fixture).is_empty());
    holds(&fixture, "no rules");
    fixture.file("build/deep/.wanted", "x");
    fixture.file("new/deep/.wanted", "x");
    fixture.file("dir/.wanted", "x");
    let expected: [&[u8]; 3] = [b"build/deep", b"dir", b"new/deep"];
    assert_eq!(named(&fixture), expected);
    holds(&fixture, "rules that let nothing in");
    fixture.file(".wanted", "!*.o");
    assert_eq!(named(&fixture)[0], b"");
    holds(&fixture, "rules that let files in");
    let repo = fixture.open();
    let plain = repo.write_work_tree(None).unwrap();
    let include = IncludeFilter {
        name: RULES,
        lets_any_in: &|_| true,
        lets_in: &|path| path.ends_with(b"wanted.o"),
    };
    assert_ne!(repo.write_work_tree(Some(&include)).unwrap(), plain);
}

#[test]
fn a_clean_work_tree_needs_neither_a_child_nor_a_copy() {
    let fixture = fixture(&[]);
    let repo = fixture.open();
    let tree = fixture.id("HEAD^{tree}");
    let dirty = Dirty::of(&repo, None).unwrap();
    assert_eq!((dirty.tree, dirty.paths.len()), (Some(tree), 0));
    assert_eq!(repo.write_work_tree(None).unwrap(), tree);
    assert!(!fixture.root.join(".git/merkle").exists());
    // What is ignored needs git's word, and no copy.
    fixture.file("new.o", "x");
    assert_eq!(repo.write_work_tree(None).unwrap(), tree);
    assert!(!fixture.root.join(".git/merkle").exists());
}

#[test]
fn a_file_of_the_second_of_the_index_is_read() {
    let fixture = fixture(&[]);
    fixture.file("dir/b", "now");
    fixture.git(&["add", "dir/b"]);
    let index = fixture.root.join(".git/index");
    let modified = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let times = FileTimes::new().set_modified(modified(&fixture.root.join("dir/b")));
    let file = File::options().write(true).open(&index).unwrap();
    file.set_times(times).unwrap();
    assert_eq!(dirty(&fixture), Some(vec!["dir/b".to_owned()]));
    holds(&fixture, "racy");
}

#[test]
fn settings_that_distrust_files_leave_the_look_to_git() {
    for setting in [
        ["core.fileMode", "false"],
        ["core.symlinks", "false"],
        ["core.ignoreCase", "true"],
        ["core.trustCtime", "false"],
        ["core.checkStat", "minimal"],
        ["core.precomposeUnicode", "true"],
        ["core.sparseCheckout", "true"],
    ] {
        let fixture = fixture(&[]);
        fixture.git(&["config", setting[0], setting[1]]);
        fs::set_permissions(fixture.root.join("a"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(dirty(&fixture), None, "{setting:?}");
        holds(&fixture, setting[0]);
    }
}

/// One step of a random history of a work tree: what is done, where, and what is written.
fn step(fixture: &Fixture, (what, path, content): (u8, &str, u8)) {
    let at = fixture.root.join(path);
    // What cannot be done at this point is left out.
    match what {
        0..=3 => {
            let _ = fs::create_dir_all(at.parent().unwrap());
            let _ = fs::write(at, [content]);
        }
        4 => drop(fs::remove_file(at)),
        5 => drop(fs::remove_dir_all(at)),
        6 => drop(symlink("a", at)),
        7 => drop(fs::set_permissions(at, fs::Permissions::from_mode(0o755))),
        8 => drop(fs::rename(at, fixture.root.join("dir/moved"))),
        9 => drop(
            fixture
                .command(&fixture.root, &["add", "-f", path])
                .output(),
        ),
        10 => drop(
            fixture
                .command(&fixture.root, &["rm", "-rqf", "--cached", path])
                .output(),
        ),
        11 => drop(
            fixture
                .command(&fixture.root, &["add", "-N", path])
                .output(),
        ),
        12 => drop(fixture.commit("more")),
        _ => settle(fixture),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_row_of_changes_gives_the_tree_of_a_look_at_everything(
        steps in proptest::collection::vec(
            (
                0_u8..15,
                proptest::sample::select(vec![
                    "a", "empty", "dir", "dir/b", "dir/deep", "dir/deep/c", "dir/x.o", "build", "build/new", "dir-x/d", "dir.y",
                    "new", "new/file", "new/deep/er", "link", ".gitignore", "dir/.gitignore", "é\n", "wanted.o", ".wanted",
                ]),
                proptest::sample::select(b"!x*\n".to_vec()),
            ),
            1..8,
        )
    ) {
        let fixture = fixture(&[]);
        for one in &steps {
            step(&fixture, *one);
        }
        holds(&fixture, &format!("{steps:?}"));
    }
}

//! `turn apply`: what an answer says of files becomes files, all of it or nothing, and can be taken back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::FOLDER;
use crate::support::{Output, Repo, Sandbox};

const FIXTURE: &str = "
    commit first
    + README.md = # Sample
    + src/lock.rs = pub fn lock() {}
    + src/old.rs = // old
    + .gitignore = *.log";

/// A repository with a file of two lines.
fn repo(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(FIXTURE);
    repo.put("src/lock.rs", "pub fn lock() {}\npub fn free() {}\n");
    fs::write(repo.path("src/old.rs"), "// old\n").expect("writable");
    fs::write(repo.path(".gitignore"), "/target/\n*.log\n").expect("writable");
    repo
}

/// Bytes and permissions of all files but those of git and of sessions.
pub(super) type Files = BTreeMap<PathBuf, (Vec<u8>, u32)>;

pub(super) fn files(repo: &Repo<'_>) -> Files {
    let root = repo.path("");
    let (mut files, mut folders) = (Files::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let name = path.strip_prefix(&root).expect("below").to_owned();
            if name == Path::new(".git") || name == Path::new(".teddy") {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                let to = fs::read_link(&path).expect("a link");
                files.insert(name, (to.into_os_string().into_encoded_bytes(), 0));
            } else {
                let mode = entry.metadata().expect("metadata").permissions().mode();
                files.insert(name, (fs::read(&path).expect("a file"), mode & 0o7777));
            }
        }
    }
    files
}

/// A session whose turn 02 has an accepted answer with work.
pub(super) fn accepted(repo: &Repo<'_>, answer: &str) {
    repo.merkle(&["session", "new", "login", "-c", "src/*.rs"])
        .ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    respond(repo, "THE PLAN\n");
    repo.merkle(&["turn", "approve"]).ok();
    repo.merkle(&["turn", "new"]).ok();
    respond(repo, answer);
    repo.merkle(&["turn", "approve"]).ok();
}

fn respond(repo: &Repo<'_>, answer: &str) {
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input(answer)
        .run()
        .ok();
}

/// Puts another answer into the place of the accepted one, as an editor would.
fn replace_answer(repo: &Repo<'_>, answer: &str) {
    repo.put(&format!("{FOLDER}/02/generation-response.md"), answer);
}

fn apply(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    repo.merkle(&[&["turn", "apply"], arguments].concat())
}

#[test]
fn every_form_becomes_files_and_goes_back() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    fs::write(repo.path("run.sh"), "#!/bin/sh\r\necho one").expect("writable");
    fs::set_permissions(repo.path("run.sh"), fs::Permissions::from_mode(0o751)).expect("a mode");
    let before = files(&repo);
    accepted(
        &repo,
        concat!(
            "Here is the work.\n\n## `src/lock.rs`\n\n```rust\n<<<<<<< EDIT\npub fn free() {}\n=======\n",
            "pub fn free() { todo() }\n>>>>>>> REPLACE\n```\n\n### 2. `src/new/grün.rs` (new file)\n\n````rust\n//! ```\n````\n\n",
            "```diff\ndiff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n--- a/run.sh\n+++ b/run.sh\n",
            "@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo one\n\\ No newline at end of file\n+echo two\n",
            "diff --git a/tool b/tool\nnew file mode 100755\n--- /dev/null\n+++ b/tool\n@@ -0,0 +1 @@\n+#!/bin/sh\n```\n\n",
            "An example of its use:\n\n- delete `README.md`\n- rename `src/old.rs` to `src/older.rs`\n",
        ),
    );
    let told = apply(&repo, &["--check"]).ok();
    assert_eq!(files(&repo), before, "a check writes nothing");
    insta::assert_snapshot!(told, @r#"
    would delete README.md
    would change run.sh (not executable)
    would change src/lock.rs
    would create "src/new/gr\303\274n.rs"
    would delete src/old.rs
    would create src/older.rs
    would create tool (executable)
    "#);
    apply(&repo, &[]).ok();
    let after = files(&repo);
    let text = |name: &str| String::from_utf8_lossy(&after[Path::new(name)].0).into_owned();
    let mode = |name: &str| after[Path::new(name)].1;
    assert_eq!(
        text("src/lock.rs"),
        "pub fn lock() {}\npub fn free() { todo() }\n"
    );
    assert_eq!(
        (
            text("src/new/grün.rs").as_str(),
            text("src/older.rs").as_str()
        ),
        ("//! ```\n", "// old\n")
    );
    assert_eq!(
        (text("run.sh").as_str(), mode("run.sh")),
        ("#!/bin/sh\r\necho two\r\n", 0o640)
    );
    assert_eq!(mode("tool") & 0o100, 0o100);
    assert!(
        !after.contains_key(Path::new("README.md")) && !after.contains_key(Path::new("src/old.rs"))
    );
    assert_eq!(
        apply(&repo, &["--json"]).json("turn-apply")["state"],
        "already-applied"
    );
    let undone = apply(&repo, &["--undo", "--json"]).json("turn-apply");
    assert_eq!(
        (undone["state"].as_str(), undone["turn"].as_str()),
        (Some("undone"), Some("02"))
    );
    assert_eq!(files(&repo), before);
    assert!(
        !repo.path("src/new").exists(),
        "a folder that was made goes as well"
    );
    drop(apply(&repo, &["--undo"]).exits(65));
    apply(&repo, &[]).ok();
    assert_eq!(
        files(&repo),
        after,
        "what was taken back can be applied again"
    );
}

#[test]
fn what_was_changed_since_is_not_taken_back() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    accepted(&repo, "## `a.txt`\n```\na\n```\n## `b.txt`\n```\nb\n```\n");
    apply(&repo, &[]).ok();
    fs::write(repo.path("b.txt"), "mine\n").expect("writable");
    let before = files(&repo);
    for arguments in [&["--undo"][..], &[]] {
        let told = apply(&repo, arguments).exits(65);
        assert!(
            told.err()
                .contains("turn 02 was applied, and was changed since in 'b.txt'"),
            "{told}"
        );
        assert_eq!(files(&repo), before);
    }
    fs::write(repo.path("b.txt"), "b\n").expect("writable");
    fs::set_permissions(repo.path("a.txt"), fs::Permissions::from_mode(0o755)).expect("a mode");
    drop(apply(&repo, &["--undo"]).exits(65));
    fs::set_permissions(repo.path("a.txt"), fs::Permissions::from_mode(0o644)).expect("a mode");
    apply(&repo, &["--undo"]).ok();
    assert!(!repo.path("a.txt").exists() && !repo.path("b.txt").exists());
}

#[test]
fn only_accepted_work_is_written() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    repo.merkle(&["session", "new", "login"]).ok();
    drop(apply(&repo, &[]).exits(65));
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    respond(&repo, "## `a.txt`\n```\na\n```\n");
    repo.merkle(&["turn", "approve"]).ok();
    let told = apply(&repo, &["01"]).exits(65);
    assert!(
        told.err()
            .contains("turn 01 is planning: its answer holds no files"),
        "{told}"
    );
    repo.merkle(&["turn", "new"]).ok();
    respond(&repo, "## `a.txt`\n```\na\n```\n");
    apply(&repo, &["--check"]).ok();
    drop(apply(&repo, &[]).exits(65));
    drop(apply(&repo, &["02"]).exits(65));
    repo.merkle(&["turn", "reject", "-m", "No."]).ok();
    drop(apply(&repo, &["02"]).exits(65));
    drop(apply(&repo, &["02", "--check"]).exits(65));
    assert!(!repo.path("a.txt").exists());
}

/// What an answer may say beside a change that fits, and what is said of it.
const REFUSED: [(&str, &str); 22] = [
    (
        "## `../x`\n```\na\n```\n",
        "'../x' (line 7 of the answer): it is not a path within the repository",
    ),
    (
        "## `src/../../x`\n```\na\n```\n",
        "it is not a path within the repository",
    ),
    (
        "## `/tmp/x.txt`\n```\na\n```\n",
        "it is not a path within the repository",
    ),
    (
        "## `src//x.rs`\n```\na\n```\n",
        "it is not a path within the repository",
    ),
    (
        "## `.git/hooks/post-commit`\n```\na\n```\n",
        "it leads into '.git'",
    ),
    ("## `.GIT/config`\n```\na\n```\n", "it leads into '.git'"),
    (
        "## `src/git~1/config`\n```\na\n```\n",
        "it leads into '.git'",
    ),
    (
        "## `.g\u{200c}it/config`\n```\na\n```\n",
        "it leads into '.git'",
    ),
    (
        "## `.teddy/sessions/login/02/meta.yaml`\n```\na\n```\n",
        "sessions are kept there",
    ),
    (
        "## `.Teddy/Sessions/x.md`\n```\na\n```\n",
        "sessions are kept there",
    ),
    (
        "## `link.rs`\n```\na\n```\n",
        "'link.rs' is a symbolic link",
    ),
    ("## `out/x.rs`\n```\na\n```\n", "'out' is a symbolic link"),
    ("- delete `link.rs`\n", "'link.rs' is a symbolic link"),
    (
        "- rename `src/old.rs` to `out/x.rs`\n",
        "'out' is a symbolic link",
    ),
    ("## `target/x.rs`\n```\na\n```\n", "git ignores it"),
    ("## `debug.log`\n```\na\n```\n", "git ignores it"),
    (
        "## `inner/x.rs`\n```\na\n```\n",
        "'inner' is another repository",
    ),
    (
        "## `src/`\n```\na\n```\n",
        "it is not a path within the repository",
    ),
    (
        "## `README.md/x.rs`\n```\na\n```\n",
        "'README.md' is not a directory",
    ),
    ("- delete `src`\n", "it is not a regular file"),
    ("## `data.bin`\n```\na\n```\n", "'filter=lfs'"),
    (
        "```diff\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\ndiff --git a/m b/m\nnew file mode 120000\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+/etc\n```\n",
        "the diff makes a symbolic link",
    ),
];

/// Answers whose parts do not fit, and what is said of them.
const MISFITS: [(&str, &str); 16] = [
    (
        "## `src/lock.rs`\n```\n<<<<<<< EDIT\npub fn free(a: u8) {}\n=======\n>>>>>>> REPLACE\n```\n",
        "'src/lock.rs', edit 1 (line 8 of the answer): its first line, 'pub fn free(a: u8) {}', does not stand in the file",
    ),
    (
        "## `src/lock.rs`\n```\n<<<<<<< EDIT\npub fn lock() {}\npub fn free()  {}\n=======\n>>>>>>> REPLACE\n```\n",
        "line 2 of the file is 'pub fn free() {}', and not 'pub fn free()  {}' (white space differs)",
    ),
    (
        "## `src/lock.rs`\n```\n<<<<<<< EDIT\npub fn free() {}\nmore\n=======\n>>>>>>> REPLACE\n```\n",
        "the file ends at line 2, before 'more'",
    ),
    (
        "## `src/lock.rs`\n```\n<<<<<<< EDIT\npub fn free() {}\n=======\n```\n",
        "it is not '<<<<<<< EDIT', '=======', '>>>>>>> REPLACE', each once",
    ),
    (
        "## `src/lock.rs`\n```\n<<<<<<< EDIT\n=======\nx\n>>>>>>> REPLACE\n```\n",
        "it has no line that stands in the file",
    ),
    (
        "# Notes\n```\n<<<<<<< EDIT\nx\n=======\ny\n>>>>>>> REPLACE\n```\n",
        "the answer (line 7 of the answer): no path stands above the block",
    ),
    (
        "## `src/twice.rs`\n```\n<<<<<<< EDIT\nsame\n=======\n>>>>>>> REPLACE\n```\n",
        "its lines stand in the file 2: at lines 1, 3",
    ),
    (
        "## `src/lock.rs`\n```diff\n@@ -1,2 +1,2 @@\n pub fn lock() {}\n-pub fn free() {}\n+pub fn free()\n@@ -9 +9 @@\n-gone\n+new\n```\n",
        "'src/lock.rs', hunk 2 (line 12 of the answer): its first line, 'gone', does not stand in the file",
    ),
    (
        "```diff\n--- a/src/lock.rs\n+++ b/src/lock.rs\n@@ -1,2 +1,3 @@\n pub fn lock() {}\n+more\n```\n",
        "'src/lock.rs', hunk 1 (line 9 of the answer): it ends after 2 of its 3 lines: the answer is cut",
    ),
    (
        "```diff\n--- a/src/lock.rs\n+++ b/src/lock.rs\n@@ -1,2 +1,3 @@\n pub fn lock() {}\n+mo",
        "'src/lock.rs', hunk 1 (line 9 of the answer): it ends after 2 of its 3 lines",
    ),
    (
        "## `src/lock.rs`\n```rust\npub fn lock() {}\npub f",
        "'src/lock.rs' (line 7 of the answer): its block has no end: the answer is cut",
    ),
    (
        "```diff\n--- a/src/lock.rs\n+++ b/src/lock.rs\n@@ -1 +1,2 @@\n pub fn lock() {}\n+more\n+most\n```\n",
        "it goes on behind the lines that its header counts",
    ),
    (
        "```diff\n--- a/gone.rs\n+++ b/gone.rs\n@@ -1 +1 @@\n-a\n+b\n```\n",
        "'gone.rs' (line 7 of the answer): there is no such file",
    ),
    (
        "```diff\n--- /dev/null\n+++ b/src/lock.rs\n@@ -0,0 +1 @@\n+b\n```\n",
        "there is such a file already",
    ),
    (
        "- rename `src/old.rs` to `README.md`\n",
        "'README.md' (line 6 of the answer): there is such a file already",
    ),
    (
        "## `a.txt`\n```\nagain\n```\n",
        "the answer says twice what the file is to be",
    ),
];

#[test]
fn nothing_is_written_unless_all_of_it_fits() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    symlink("README.md", repo.path("link.rs")).expect("a link");
    symlink(sandbox.path("elsewhere"), repo.path("out")).expect("a link");
    fs::create_dir(sandbox.path("elsewhere")).expect("a folder");
    fs::create_dir_all(repo.path("inner/.git")).expect("a folder");
    fs::create_dir_all(repo.path("target")).expect("a folder");
    fs::write(repo.path("src/twice.rs"), "same\nother\nsame\n").expect("writable");
    fs::write(repo.path(".gitattributes"), "*.bin filter=lfs\n").expect("writable");
    accepted(&repo, "## `a.txt`\n```\na\n```\n");
    let before = files(&repo);
    let elsewhere = || {
        fs::read_dir(sandbox.path("elsewhere"))
            .expect("a folder")
            .count()
    };
    for (text, expected) in REFUSED.into_iter().chain(MISFITS) {
        replace_answer(&repo, &format!("## `a.txt`\n```\na\n```\n\n{text}"));
        for arguments in [&["--check"][..], &[]] {
            let told = apply(&repo, arguments).exits(65);
            assert!(told.err().contains(expected), "{text}\n{told}");
            assert!(
                told.err().contains("does not fit, and nothing was written"),
                "{told}"
            );
            assert_eq!((files(&repo), elsewhere()), (before.clone(), 0), "{text}");
        }
    }
    replace_answer(&repo, "## `a.txt`\n```\na\n```\n");
    apply(&repo, &[]).ok();
    assert!(repo.path("a.txt").exists());
}

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Lines that are mostly different from one another.
    fn lines(&mut self) -> Vec<String> {
        (0..self.below(30))
            .map(|line| format!("line {line} {}", self.below(4)))
            .collect()
    }
}

/// Writes a work tree: for each name nothing, or a file, which is like the one that was there before.
fn write_tree(
    repo: &Repo<'_>,
    numbers: &mut Numbers,
    known: &mut BTreeMap<&'static str, Vec<String>>,
) {
    for (at, name) in ["a.txt", "src/grün ß.rs", "src/deep/c", "crlf.bat", "run.sh"]
        .into_iter()
        .enumerate()
    {
        let path = repo.path(name);
        let _ = fs::remove_file(&path);
        if numbers.below(5) == 0 {
            known.remove(name);
            continue;
        }
        let lines = known.entry(name).or_insert_with(|| numbers.lines());
        for _ in 0..numbers.below(4) {
            let at = numbers.below(lines.len() as u64 + 1) as usize;
            match numbers.below(3) {
                0 if at < lines.len() => drop(lines.remove(at)),
                1 => lines.insert(at, format!("new {}", numbers.below(100))),
                _ => lines.truncate(lines.len().max(at)),
            }
        }
        let end = if at == 3 { "\r\n" } else { "\n" };
        let last = if numbers.below(2) == 0 { end } else { "" };
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, lines.join(end) + last).expect("writable");
        let mode = if numbers.below(3) == 0 { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
}

/// What git says of two trees is applied as git does it, and taken back to the same bytes and permissions.
#[test]
fn diffs_of_git_lead_from_one_tree_to_the_other_and_back() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    accepted(&repo, "## `a.txt`\n```\na\n```\n");
    let mut numbers = Numbers(7);
    let mut known = BTreeMap::new();
    let mut applied = 0;
    for round in 0..12 {
        fs::write(repo.path("crlf.bat"), "one\r\ntwo\r\n").expect("writable");
        known.insert("crlf.bat", vec!["one".to_owned(), "two".to_owned()]);
        repo.git(&["add", "-A", "."]).ok();
        repo.git(&["commit", "-q", "--allow-empty", "-m", "old"])
            .ok();
        let before = files(&repo);
        write_tree(&repo, &mut numbers, &mut known);
        let after = files(&repo);
        repo.git(&["add", "-A", "."]).ok();
        let diff = repo
            .git(&["diff", "--cached", "-M", "HEAD", "--", ".", ":!.teddy"])
            .ok();
        repo.git(&["reset", "-q", "--hard"]).ok();
        assert_eq!(files(&repo), before);
        if diff.is_empty() {
            continue;
        }
        applied += 1;
        // Each round has a journal of its own: the turn is the same one.
        replace_answer(&repo, &format!("The work:\n\n```diff\n{diff}```\n"));
        apply(&repo, &[]).ok();
        assert_eq!(files(&repo), after, "round {round}\n{diff}");
        apply(&repo, &["--undo"]).ok();
        assert_eq!(files(&repo), before, "round {round}\n{diff}");
        write_back(&repo, &after);
    }
    assert!(applied > 8, "{applied}");
}

fn write_back(repo: &Repo<'_>, files: &Files) {
    for name in super::apply::files(repo).keys() {
        fs::remove_file(repo.path(name.to_str().expect("UTF-8"))).expect("removable");
    }
    for (name, (bytes, mode)) in files {
        let path = repo.path(name.to_str().expect("UTF-8"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).expect("a mode");
    }
}

#[test]
fn the_form_that_models_are_told_is_the_one_that_is_read() {
    let told = git_merkle::prompt::SYSTEM_PROMPT;
    let said = git_merkle::session::edit::answer::read(told);
    assert_eq!(said.misfits, []);
    let wanted: Vec<String> = said
        .wanted
        .iter()
        .map(|wanted| wanted.path.to_text().into_owned())
        .collect();
    assert_eq!(wanted, ["src/example.rs", "old/file.rs", "old/name.rs"]);
    assert_eq!(said.notes, [""; 0]);
}

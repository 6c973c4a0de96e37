//! `find`: from a question to the definitions that matter, the same everywhere, within its budget, and clear about what it is not.

use serde_json::Value;

use crate::support::{Repo, Sandbox};

const HISTORY: &str = "
    commit first
    + src/walk.rs = //! Walks directories.\\n\\n/// Goes down.\\npub fn descend(path: &str) -> bool {\\n    is_hidden(path)\\n}\\n\\nfn is_hidden(path: &str) -> bool {\\n    path.starts_with('.')\\n}\\n
    + src/print.rs = //! Prints matches in colour.\\n\\npub fn paint(text: &str) -> String {\\n    text.to_owned()\\n}\\n
    + docs/guide.md = # Hidden files\\n\\nThey are passed over.\\n
    + secret.txt = hidden
    + .teddyignore = secret.txt
    commit second: frobnicate the terminal
    + src/print.rs = //! Prints matches in colour.\\n\\npub fn paint(text: &str) -> String {\\n    text.trim().to_owned()\\n}\\n
";

/// The fixture language writes one line a file; here they have several.
fn filled<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    for commit in HISTORY.split("    commit ").skip(1) {
        let (message, files) = commit.split_once('\n').expect("a message");
        for (path, text) in files
            .lines()
            .filter_map(|line| line.trim().strip_prefix("+ ")?.split_once(" = "))
        {
            repo.put(path, text.replace("\\n", "\n"));
        }
        repo.commit(message);
    }
    repo
}

fn document(repo: &Repo<'_>, arguments: &[&str]) -> Value {
    serde_json::from_str(
        &repo
            .merkle(&[&["find", "--json"], arguments].concat())
            .out(),
    )
    .expect("JSON")
}

#[test]
fn a_question_leads_to_definitions() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    insta::assert_snapshot!(repo.merkle(&["find", "why are hidden files skipped"]).ok(), @"
    docs/guide.md
      They are passed over.
      1-3 Hidden files
    src/walk.rs
      Walks directories.
      4-6 pub fn descend(path: &str) -> bool
      8-10 fn is_hidden(path: &str) -> bool
    ");
    insta::assert_snapshot!(repo.merkle(&["find", "hidden", "--files"]).ok(), @"
    src/walk.rs
    docs/guide.md
    ");
    assert!(
        repo.merkle(&["find", "hidden", "src", "--files"])
            .ok()
            .lines()
            .all(|line| line.starts_with("src/"))
    );
    let by_message = document(&repo, &["frobnicate"]);
    assert_eq!(
        by_message["files"][0]["path"], "src/print.rs",
        "{by_message}"
    );
    assert!(by_message["files"][0]["past"].as_f64() > Some(0.0));
}

#[test]
fn what_people_say_is_found_and_shown_with_its_author() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    repo.put_frame("src/print.rs", "Windows consoles need escapes.\n")
        .ok();
    let text = repo.merkle(&["find", "console"]).ok();
    assert!(
        text.starts_with("src/print.rs\n  agent human, written by ")
            && text.contains(", fresh: Windows consoles need"),
        "{text}"
    );
}

/// Before, the file that wrote a name most often came first.
#[test]
fn a_name_leads_to_the_file_that_declares_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let declares = "pub fn check_drawer(money: u64) -> bool { money > 0 && money < 1_000 }\n";
    let uses = "fn one() { check_drawer(1); }\nfn two() { check_drawer(2); check_drawer(3); }\n";
    for (path, text) in [("src/money.rs", declares), ("src/counter.rs", uses)] {
        let path = repo.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    repo.commit("first");
    let found = repo.merkle(&["find", "check_drawer", "--files"]).ok();
    assert_eq!(found, "src/money.rs\nsrc/counter.rs\n");
    let text = repo
        .merkle(&["find", "check_drawer", "--budget", "30"])
        .ok();
    assert!(
        text.starts_with("src/money.rs\n  1 pub fn check_drawer(money: u64) -> bool\n"),
        "{text}"
    );
}

/// Before, an answer to a name listed the files that have its words, and did not say where it is used.
#[test]
fn a_name_is_answered_by_what_declares_it_and_what_uses_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let drawer = "\
/// Counts what is left.
pub struct Drawer { coins: u64 }

impl Drawer {
    pub fn check(&self) -> bool { self.coins > 0 }
}
";
    repo.put("src/drawer.rs", drawer);
    repo.put(
        "src/till.rs",
        "use crate::drawer::Drawer;\n\nfn open(one: &Drawer) -> bool {\n    one.check()\n}\n",
    );
    // The words of the name, and not the name.
    repo.put(
        "src/chest.rs",
        "/// A chest of drawers, each drawer checked.\npub fn drawers_of_chest() {}\n",
    );
    repo.put("docs/drawer.md", "# The drawer\n\nDrawer is a struct.\n");
    repo.commit("drawer: a Drawer that is checked");
    let found = |question: &str| repo.merkle(&["find", question]).ok();
    let all = "\
src/drawer.rs
  2 pub struct Drawer
  used: 4
src/till.rs
  used: 1 open:3
docs/drawer.md
  Drawer is a struct.
  used: 3
";
    for question in ["Drawer", "struct Drawer", "`Drawer`", "drawer::Drawer"] {
        assert_eq!(found(question), all, "{question}");
    }
    let check =
        "src/drawer.rs\n  5 Drawer: pub fn check(&self) -> bool\nsrc/till.rs\n  used: open:4\n";
    for question in ["Drawer::check", "Drawer.check()", "check()", "fn check"] {
        assert_eq!(found(question), check, "{question}");
    }
    // A word in small letters is a topic, and a name that nothing declares is looked for by its words.
    assert!(found("drawer").contains("fn drawers_of_chest"));
    let words = repo.merkle(&["find", "DrawerOfChest"]);
    assert!(
        words.err().contains("no file declares 'DrawerOfChest'"),
        "{}",
        words.err()
    );
    assert!(words.ok().contains("fn drawers_of_chest"));
    let json = repo.merkle(&["find", "Drawer", "--json"]).ok();
    assert!(
        json.contains(r#""uses":[{"within":null,"lines":[1]},{"within":"open","lines":[3]}]"#),
        "{json}"
    );
}

/// Before, a trait was missing behind files that implement it, a heading made a topic a name, and a larger budget could show
/// less: what it read decided what it left out.
#[test]
fn an_answer_to_a_name_grows_with_its_budget_and_begins_with_the_declaration() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let long = "/// Words of all sorts.\nfn other() {}\n".repeat(60);
    repo.put(
        "src/sink.rs",
        format!("{long}pub trait Sink {{ fn put_all(&self); }}\n"),
    );
    for at in 0..70 {
        repo.put(
            &format!("src/s{at}.rs"),
            format!("struct S{at};\nimpl Sink for S{at} {{ fn put_all(&self) {{}} }}\nfn go(one: S{at}) {{ one.put_all() }}\n"),
        );
    }
    repo.put(
        "README.md",
        "# Sinks\n\n## Authentication\n\nNothing here.\n",
    );
    repo.put(
        "src/auth.rs",
        "/// Authentication of users.\npub fn authenticate() {}\n",
    );
    repo.commit("sinks");
    let found =
        |question: &str, budget: &str| repo.merkle(&["find", question, "--budget", budget]).ok();
    assert!(
        found("Sink", "100").starts_with("src/sink.rs\n  121 pub trait Sink\n"),
        "{}",
        found("Sink", "100")
    );
    assert!(found("Authentication", "300").contains("fn authenticate"));
    // Where a name is declared does not matter for the paths that are searched.
    let below = repo.merkle(&["find", "Sink", "src/s1.rs"]).ok();
    assert_eq!(below, "src/s1.rs\n  used: S1.Sink.put_all:2\n");
    let files = repo.merkle(&["find", "Sink", "--files"]).ok();
    assert_eq!(files.lines().count(), 71, "{files}");
    // The trait itself, before 70 types that implement it.
    let own = found("Sink::put_all", "60");
    assert!(
        own.starts_with("src/sink.rs\n  121 Sink: fn put_all(&self)\n"),
        "{own}"
    );
    let owned = found("S40::put_all", "60");
    assert!(
        owned.starts_with("src/s40.rs\n  2 S40.Sink: fn put_all(&self)\n"),
        "{owned}"
    );
    for question in ["put_all", "Sink", "S40::put_all"] {
        let mut before = String::new();
        for budget in (40..1_800).step_by(110) {
            let answer = found(question, &budget.to_string());
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<std::collections::BTreeSet<_>>()
            };
            let lost: Vec<String> = words(&before)
                .difference(&words(&answer))
                .cloned()
                .collect();
            assert!(lost.is_empty(), "{question} with {budget}: {lost:?}");
            before = answer;
        }
    }
}

/// Before, the product whose words a setting has stood above the only file that has the setting.
#[test]
fn a_setting_leads_to_the_file_that_reads_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let rest = "// MirrorMaker: from a source to a target, metrics, an alias and what is added\n"
        .repeat(6);
    let maker = "class MirrorMaker {\n  MirrorMaker() {}\n  MirrorMaker(int source) {}\n}\n";
    repo.put("src/MirrorMaker.java", format!("{maker}{rest}"));
    let setting = "  static final String ADD = \"add.source.alias.to.metrics\";\n";
    repo.put(
        "src/Settings.java",
        format!("class Settings {{\n{setting}}}\n{}", rest.repeat(3)),
    );
    for at in 0..8 {
        repo.put(
            &format!("src/T{at}.java"),
            format!("class T{at} {{}}\n{rest}"),
        );
    }
    repo.commit("first");
    repo.put("conf/server.properties", "max.poll.records=500\n");
    repo.put(
        "docs/notes.md",
        "# Notes\n\nSay max.poll.records, max.poll.records.\n",
    );
    repo.commit("settings");
    let found = repo.merkle(&["find", "max.poll.records", "--files"]).ok();
    assert!(found.starts_with("conf/server.properties\n"), "{found}");
    let question = "MirrorMaker: remove add.source.alias.to.metrics";
    let found = repo.merkle(&["find", question, "--files"]).ok();
    assert!(found.starts_with("src/Settings.java\n"), "{found}");
}

#[test]
fn more_tokens_never_show_less_and_never_cost_more_than_they_may() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let mut before: Vec<String> = Vec::new();
    for tokens in [0, 1] {
        // Before, this was an answer, and ended as one.
        let none = ["find", "hidden path text", "--budget", &tokens.to_string()];
        let refused = repo.merkle(&none).exits(79);
        assert!(
            refused.out().is_empty()
                && refused
                    .err()
                    .starts_with("error: nothing that is found fits into")
                && refused.err().contains("--budget 1000"),
            "{refused}"
        );
    }
    let paths = ["find", "hidden path text", "--files", "--budget", "0"];
    let refused = repo.merkle(&paths).exits(129);
    assert!(refused.err().contains("cannot be used with"), "{refused}");
    for tokens in [24, 40, 60, 100, 2_000] {
        let document = document(
            &repo,
            &["hidden path text", "--budget", &tokens.to_string()],
        );
        assert_eq!(document["schema"], "git-merkle/find/1");
        assert!(
            document["tokens"].as_u64().expect("a number") <= tokens,
            "{document}"
        );
        let files = document["files"].as_array().expect("a list");
        let names = files.iter().flat_map(|file| {
            let definitions = file["definitions"].as_array().expect("a list");
            definitions
                .iter()
                .map(move |one| format!("{}:{}", file["path"], one["name"]))
        });
        let names: Vec<String> = names
            .chain(files.iter().map(|file| file["path"].to_string()))
            .collect();
        assert!(
            before.iter().all(|name| names.contains(name)),
            "{before:?} {names:?}"
        );
        before = names;
    }
}

#[test]
fn a_document_costs_no_more_than_what_is_printed() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let long = format!("Consoles. {}\n", "Some more words about it. ".repeat(200));
    repo.put_frame("src/print.rs", long).ok();
    let document = document(&repo, &["console"]);
    let statement = document["files"][0]["statements"][0]
        .as_str()
        .expect("a statement");
    assert!(
        statement.contains("Consoles.") && statement.ends_with('…') && statement.len() < 500,
        "{statement}"
    );
}

#[test]
fn what_has_no_words_is_read_once() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    std::fs::write(repo.path("picture.bin"), b"\0\x01\xff").expect("writable");
    let _ = repo.merkle(&["find", "hidden"]).ok();
    let sizes = || {
        ["words", "definitions", "past"]
            .map(|name| size(&repo.path(&format!(".git/merkle/cache/{name}"))))
    };
    let once = sizes();
    let _ = repo.merkle(&["find", "hidden"]).ok();
    assert_eq!(sizes(), once);
}

fn size(path: &std::path::Path) -> u64 {
    std::fs::metadata(path)
        .expect("the cache was written")
        .len()
}

#[test]
fn what_a_shallow_clone_did_not_know_it_knows_once_it_is_deepened() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "third"])
        .ok();
    let clone = repo.clone_to("shallow", &["--depth", "1"]);
    assert_eq!(
        clone
            .merkle(&["find", "frobnicate", "--files"])
            .exits(1)
            .out(),
        ""
    );
    clone.git(&["fetch", "-q", "--unshallow"]).ok();
    assert_eq!(
        clone.merkle(&["find", "frobnicate", "--files"]).ok(),
        "src/print.rs\n"
    );
}

#[test]
fn what_is_no_question_is_said_to_be_none() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    for none in ["", "  ", "*** && || -", "\"\""] {
        let output = repo.merkle(&["find", none]).exits(129).err();
        assert!(output.contains("the question has no word"), "{output}");
    }
    let nothing = repo.merkle(&["find", "zzyzx"]).exits(1).err();
    assert!(nothing.contains("nothing is found for zzyzx"), "{nothing}");
    assert_eq!(document(&repo, &["zzyzx"])["files"], serde_json::json!([]));
    let long = "hidden path ".repeat(9_000);
    assert!(repo.merkle(&["find", &long]).ok().contains("is_hidden"));
    let many = (0..1_000)
        .map(|number| format!("word{number} "))
        .collect::<Vec<_>>()
        .concat();
    assert!(
        repo.merkle(&["find", &(many + "hidden")])
            .exits(1)
            .err()
            .contains("only the first 256 words")
    );
    assert!(
        repo.merkle(&["find", "hidden files", "are"])
            .exits(129)
            .err()
            .contains("put the question in quotes")
    );
    std::fs::write(repo.path("скрытые.txt"), "почему файлы скрыты\n").expect("writable");
    std::fs::write(repo.path("隠し.txt"), "隠しファイルを探す\n").expect("writable");
    assert!(
        repo.merkle(&["find", "файлы", "--files", "-z"])
            .ok()
            .starts_with("скрытые.txt\0")
    );
    assert!(
        repo.merkle(&["find", "ファイル", "--files", "-z"])
            .ok()
            .starts_with("隠し.txt\0")
    );
    let empty = sandbox.repo("empty");
    empty
        .git(&["commit", "-q", "--allow-empty", "-m", "nothing"])
        .ok();
    let _ = empty.merkle(&["find", "hidden"]).exits(1);
}

#[test]
fn the_same_snapshot_answers_the_same_everywhere() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let ask = |repo: &Repo<'_>| {
        repo.merkle(&["find", "hidden text", "--json", "--rev", "HEAD"])
            .ok()
    };
    let cold = ask(&repo);
    assert_eq!(ask(&repo), cold, "out of the cache");
    assert_eq!(ask(&repo.clone_to("elsewhere", &[])), cold, "in a clone");
    for cache in ["words", "definitions", "past", "index-1"] {
        let damaged = repo.path(&format!(".git/merkle/cache/{cache}"));
        let bytes = std::fs::read(&damaged).expect("the cache was written");
        for at in [3, bytes.len() / 2, bytes.len() - 3] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            std::fs::write(&damaged, bytes).expect("writable");
            assert_eq!(ask(&repo), cold, "{cache} damaged at {at}");
        }
        std::fs::write(&damaged, &bytes[..bytes.len() / 2]).expect("writable");
        assert_eq!(ask(&repo), cold, "half of {cache}");
    }
}

/// What changes a work tree.
type Edit = fn(&Repo<'_>);

/// Edit by edit: what is asked with an index of an earlier tree is what a clone says that has none.
#[test]
fn an_index_is_brought_forward_and_answers_as_a_new_one_would() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let ask = |repo: &Repo<'_>| {
        let told = ["hidden text", "frobnicate the path", "guide"].map(|question| {
            let arguments = ["find", question, "--json", "--rev", "HEAD"];
            repo.merkle(&arguments).out()
        });
        told.concat()
    };
    let indexes = || {
        ["index-1", "index-2"].map(|name| {
            let path = repo.path(&format!(".git/merkle/cache/{name}"));
            std::fs::read(path).unwrap_or_default()
        })
    };
    let _ = ask(&repo);
    let written = indexes();
    assert!(!written[0].is_empty() && written[1].is_empty());
    let edits: [(&str, Edit); 6] = [
        ("a change", |repo| {
            repo.put("src/print.rs", "//! Hidden text.\npub fn path() {}\n");
        }),
        ("a new file", |repo| {
            repo.put("src/a.rs", "pub fn hidden_text() {}\n");
        }),
        ("an ignored one", |repo| {
            repo.put("secret.txt", "hidden text, hidden path\n");
        }),
        ("one less", |repo| {
            repo.git(&["rm", "-q", "docs/guide.md"]).ok();
        }),
        ("another name", |repo| {
            repo.git(&["mv", "src/walk.rs", "hidden.rs"]).ok();
        }),
        ("a file for a directory", |repo| {
            repo.git(&["rm", "-rq", "src"]).ok();
            repo.put("src", "hidden text in src\n");
        }),
    ];
    for (number, (about, edit)) in edits.into_iter().enumerate() {
        edit(&repo);
        repo.commit(about);
        let clone = repo.clone_to(&format!("clone{number}"), &[]);
        assert_eq!(ask(&repo), ask(&clone), "{about}");
        assert!(indexes() == written, "{about}: no index is written for it");
    }
    // Other rules may let in, or leave out, any file.
    repo.put(".teddyignore", "hidden.rs\n");
    repo.commit("rules");
    assert_eq!(ask(&repo), ask(&repo.clone_to("last", &[])));
    assert!(indexes()[0] == written[0] && !indexes()[1].is_empty());
}

#[test]
fn secrets_and_ignored_files_are_not_in_an_answer() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let token = ["ghp_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"].concat();
    repo.put("a.py", format!("def ask(key='{token}'):\n    pass\n"));
    let text = repo.merkle(&["find", "ask key hidden"]).ok();
    assert!(
        text.contains("def ask(key=") && !text.contains("0aK9dQ2m"),
        "{text}"
    );
    assert!(!text.contains("secret.txt"), "{text}");
    let _ = repo
        .merkle(&["find", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"])
        .exits(1);
}

#[test]
fn a_payload_is_about_a_question() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let text = repo
        .merkle(&[
            "context",
            "--for",
            "why are hidden files skipped",
            "--no-system",
        ])
        .ok();
    let found = text
        .split_once("**Found** for the question: what matters most in 2 files")
        .expect("what is found")
        .1;
    assert!(
        found.contains("  8-10 fn is_hidden(path: &str) -> bool\n")
            && !text.contains("**Symbol map**"),
        "{text}"
    );
    assert!(text.contains("**Branch**"), "{text}");
    let none = repo
        .merkle(&["context", "--for", "zzyzx", "--no-system"])
        .ok();
    assert!(!none.contains("**Found**"), "{none}");
    let _ = repo
        .merkle(&["context", "--for", "hidden", "src"])
        .exits(129);
    assert!(
        repo.merkle(&["context", "--for", "?"])
            .exits(129)
            .err()
            .contains("the question has no word")
    );
    let budget = repo
        .merkle(&[
            "context",
            "--for",
            "hidden files text",
            "--budget",
            "1000",
            "--json",
        ])
        .ok();
    let document: Value = serde_json::from_str(&budget).expect("JSON");
    assert!(
        document["tokens_estimated"].as_u64().expect("a number") <= 1_000,
        "{document}"
    );
    std::fs::create_dir_all(repo.path(".teddy")).expect("writable");
    std::fs::write(repo.path(".teddy/global.context"), "src/walk.rs\n").expect("writable");
    let listed = repo
        .merkle(&["context", "--for", "hidden"])
        .exits(129)
        .err();
    assert!(
        listed.contains("a context list says what is shown"),
        "{listed}"
    );
}

#[test]
fn real_commits_are_questions() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let walk = std::fs::read_to_string(repo.path("src/walk.rs")).expect("readable");
    std::fs::write(repo.path("src/walk.rs"), walk.replace("'.'", "\"..\"")).expect("writable");
    repo.git(&[
        "commit",
        "-qam",
        "walk: hidden directories begin with another prefix",
    ])
    .ok();
    let table = repo.merkle(&["find", "--evaluate"]).ok();
    assert!(
        table.starts_with("1 commits, 1 with changed definitions")
            && table.contains("| find | 1 |"),
        "{table}"
    );
    let document: Value = serde_json::from_str(
        &repo
            .merkle(&["find", "--evaluate=HEAD~1..HEAD", "--json"])
            .ok(),
    )
    .expect("JSON");
    let commit = &document["commits"][0];
    assert_eq!(
        (&commit["files"], &commit["definitions"]),
        (
            &serde_json::json!(["src/walk.rs"]),
            &serde_json::json!(["src/walk.rs: is_hidden"])
        )
    );
    assert!(
        repo.merkle(&["find", "--evaluate=HEAD..HEAD"])
            .ok()
            .contains("0 commits")
    );
    let _ = repo.merkle(&["find", "--evaluate", "question"]).exits(129);
    let _ = repo
        .merkle(&["find", "--without-tests", "question"])
        .exits(129);
    repo.fill(
        "commit tests
+ tests/walk.rs = fn walks() {}
commit walk: the test reads directories that are hidden
+ tests/walk.rs = fn walks() { hidden() }
",
    );
    let commits = |more: &[&str]| {
        let arguments = [&["find", "--evaluate=HEAD~1..HEAD"], more].concat();
        repo.merkle(&arguments).ok()
    };
    assert!(commits(&[]).contains("1 commits"), "{}", commits(&[]));
    assert!(commits(&["--without-tests"]).contains("0 commits"));
}

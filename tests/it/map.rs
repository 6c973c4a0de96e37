//! `map`: the whole way from a repository to the text, and that the text is the same everywhere.

use crate::support::{Repo, Sandbox};

const HISTORY: &str = "
    commit first
    + Cargo.toml = [package]
    + src/lib.rs = pub mod store;
    + src/store.rs = pub struct Store { pub limit: Option<usize> } impl Store { pub fn open(path: &str) -> Self { todo!() } }
    + src/main.rs = use shop::store::Store; fn main() { Store::open(\"x\"); }
    + docs/guide.md = # Guide
    + secret.txt = hidden
    + .teddyignore = secret.txt
    @ link -> /etc/passwd
";

fn filled<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    repo.fill(HISTORY);
    repo
}

/// The answer without the lines that explain the marks.
fn body(repo: &Repo<'_>, arguments: &[&str]) -> String {
    let text = repo.merkle(arguments).ok();
    text.splitn(4, '\n').nth(3).unwrap_or_default().to_owned()
}

#[test]
fn a_map_of_a_snapshot() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    insta::assert_snapshot!(body(&repo, &["map"]), @"
    .teddyignore
    Cargo.toml
    docs/guide.md
      # Guide
    src/lib.rs
      i→ src/store.rs
    src/main.rs
      i→ src/store.rs
      f main() →Store::open
    src/store.rs ←2
      c Store ←1
        p limit?
        m open(path)->Self ←1
    ");
    insta::assert_snapshot!(body(&repo, &["map", "src/store.rs", "docs", "--lines"]), @"
    docs/guide.md
      # Guide
    src/store.rs ←2
      c Store :1 ←1
        p limit? :1
        m open(path)->Self :1 ←1
    ");
    let _ = repo.merkle(&["map", "nowhere"]).exits(128);
    let _ = repo.merkle(&["map", "--languages", "src"]).exits(129);
    let languages = repo.merkle(&["map", "--languages"]).ok();
    for language in ["Rust", "TSX", "C#", "Markdown"] {
        assert!(languages.contains(language), "{languages}");
    }
}

#[test]
fn every_snapshot_has_its_own_map() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    std::fs::write(repo.path("src/new.rs"), "pub fn indexed() {}\n").expect("writable");
    repo.git(&["add", "src/new.rs"]).ok();
    std::fs::write(repo.path("src/new.rs"), "pub fn written() {}\n").expect("writable");
    let map = |option: &[&str]| repo.merkle(&[&["map", "src"], option].concat()).ok();
    assert!(!map(&["--rev", "HEAD"]).contains("src/new.rs"));
    assert!(map(&["--index"]).contains("src/new.rs\n  f indexed()\n"));
    assert!(map(&["--worktree"]).contains("src/new.rs\n  f written()\n"));
    assert_eq!(map(&["--worktree"]), map(&[]));
}

#[test]
fn the_same_snapshot_says_the_same_everywhere() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let cold = repo.merkle(&["map"]).ok();
    assert_eq!(repo.merkle(&["map"]).ok(), cold, "out of the cache");
    let clone = repo.clone_to("elsewhere", &[]);
    assert_eq!(
        clone.merkle(&["map", "--rev", "HEAD"]).ok(),
        cold,
        "in a clone"
    );
    let damaged = repo.path(".git/merkle/cache/symbols");
    let mut bytes = std::fs::read(&damaged).expect("the cache was written");
    let last = bytes.len() - 3;
    bytes[last] ^= 0x55;
    std::fs::write(&damaged, bytes).expect("writable");
    assert_eq!(repo.merkle(&["map"]).ok(), cold, "with a damaged cache");
    let frames = repo.merkle(&["regenerate", "--json"]).ok();
    assert_eq!(repo.merkle(&["map"]).ok(), cold, "beside frames: {frames}");
}

#[test]
fn budgets_documents_and_empty_repositories() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    for tokens in ["0", "1"] {
        let refused = repo.merkle(&["map", "--budget", tokens]).exits(79);
        assert!(
            refused.out().is_empty()
                && refused
                    .err()
                    .starts_with("error: nothing of the map fits into")
                && refused.err().contains("--budget 2000"),
            "{refused}"
        );
    }
    for tokens in [60, 80, 100, 120, 10_000] {
        let output = repo.merkle(&["map", "--json", "--budget", &tokens.to_string()]);
        if output.code == Some(79) {
            assert!(tokens < 120, "{output}");
            continue;
        }
        let document = output.exits(0).json("map");
        assert!(
            document["tokens"].as_u64().expect("a number") <= tokens,
            "{document}"
        );
        let shown = document["files"].as_array().expect("a list").len() as u64;
        assert_eq!(shown + document["left"].as_u64().expect("a number"), 6);
    }
    let document: serde_json::Value =
        serde_json::from_str(&repo.merkle(&["map", "--json", "src/store.rs"]).ok()).expect("JSON");
    let method = &document["files"][0]["symbols"][2];
    assert_eq!(
        (
            &method["name"],
            &method["parameters"][0],
            &method["referring"]
        ),
        (&"open".into(), &"path".into(), &1.into())
    );
    let empty = sandbox.repo("empty");
    empty
        .git(&["commit", "-q", "--allow-empty", "-m", "nothing"])
        .ok();
    assert_eq!(empty.merkle(&["map"]).ok(), "");
    assert_eq!(empty.merkle(&["map", "--budget", "0"]).ok(), "");
}

#[test]
fn what_looks_like_a_secret_is_not_in_a_map() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let token = ["ghp_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"].concat();
    std::fs::write(repo.path("README.md"), format!("# Use {token}\n")).expect("writable");
    repo.put("a.py", format!("def ask(key='{token}'):\n    pass\n"));
    repo.git(&["add", "."]).ok();
    let map = repo.merkle(&["map", "--index"]).ok();
    assert!(
        !map.contains("0aK9dQ2m") && map.contains("f ask(key?)"),
        "{map}"
    );
}

/// What is asked about a snapshot: with what is kept between two answers and without it the words are the same.
const QUESTIONS: [&[&str]; 8] = [
    &["map"],
    &["map", "--json"],
    &["map", "src", "--lines"],
    &["map", "--budget", "90"],
    &["map", "--budget", "400", "--json"],
    &["prompt", "--rev", "HEAD", "-m", "x"],
    &["prompt", "--rev", "HEAD", "-m", "x", "--symbols", "60"],
    &["context", "--rev", "HEAD", "--budget", "2000"],
];

fn answers(repo: &Repo<'_>, before_each: &dyn Fn()) -> Vec<String> {
    let ask = |question: &&[&str]| {
        before_each();
        let answer = repo.merkle(question).exits(0);
        answer.out() + &answer.err()
    };
    QUESTIONS.iter().map(ask).collect()
}

#[test]
fn what_is_kept_between_two_answers_changes_none() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let cache = |name: &str| repo.path(".git/merkle/cache").join(name);
    let remove = |name: &str| {
        let _ = std::fs::remove_file(cache(name));
    };
    let cold = answers(&repo, &|| {
        let _ = std::fs::remove_dir_all(repo.path(".git/merkle/cache"));
    });
    assert_eq!(answers(&repo, &|| ()), cold, "out of the caches");
    assert!(cache("references-1").exists(), "they are kept");
    let no_symbols = answers(&repo, &|| remove("symbols"));
    assert_eq!(no_symbols, cold, "symbols are read when they are shown");
    let kept = std::fs::read(cache("references-1")).expect("it is there");
    for at in [0, 30, kept.len() / 2, kept.len() - 1] {
        let damaged = answers(&repo, &|| {
            let mut bytes = kept.clone();
            bytes[at] ^= 1;
            std::fs::write(cache("references-1"), bytes).expect("writable");
        });
        assert_eq!(damaged, cold, "damaged at {at}");
    }
    // Two further trees push it out.
    for text in [
        "pub fn one() {}\n",
        "pub fn two() { crate::store::Store::open(\"\"); }\n",
    ] {
        std::fs::write(repo.path("src/lib.rs"), text).expect("writable");
        let map = repo.merkle(&["map"]).ok();
        assert_eq!(repo.merkle(&["map"]).ok(), map);
    }
    repo.git(&["checkout", "-q", "--", "src/lib.rs"]).ok();
    assert_eq!(answers(&repo, &|| ()), cold, "back again");
}

/// What was missing when references were found out may be here now.
#[test]
fn what_comes_later_is_seen() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, "work");
    let whole = repo.merkle(&["map", "--rev", "HEAD"]).ok();
    let id = repo.id("HEAD:src/store.rs");
    let object = repo.path(".git/objects").join(&id[..2]).join(&id[2..]);
    let bytes = std::fs::read(&object).expect("a loose object");
    std::fs::remove_file(&object).expect("removable");
    std::fs::remove_dir_all(repo.path(".git/merkle/cache")).expect("removable");
    for _ in 0..2 {
        let map = repo.merkle(&["map", "--rev", "HEAD"]).exits(0);
        assert!(
            map.out().contains("src/store.rs ←2 (content missing)\n"),
            "{map}"
        );
        assert!(
            map.err().contains("the content of 1 file is missing"),
            "{map}"
        );
    }
    std::fs::write(&object, bytes).expect("writable");
    let map = repo.merkle(&["map", "--rev", "HEAD"]).exits(0);
    assert_eq!(
        (map.out().as_str(), map.err().as_str()),
        (whole.as_str(), "")
    );
}

/// A snapshot with more files than are all read for a few of them.
fn large(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("large");
    let mut input =
        b"commit refs/heads/main\ncommitter T <t@example.org> 1800000000 +0000\ndata 1\nx\n"
            .to_vec();
    let mut add = |path: &str, text: &str| {
        input.extend(format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len()).into_bytes());
    };
    add(
        "shop/price.py",
        "def price_of(item):\n    return item.price\n",
    );
    add(
        "shop/basket.py",
        "from shop.price import price_of\n\ndef total(items):\n    return price_of(items[0])\n",
    );
    add(
        "shop/sale.py",
        "from shop.price import price_of\n\ndef sale(item):\n    return price_of(item) / 2\n",
    );
    for number in 0..5_000 {
        add(&format!("many/{}/f{number}.txt", number % 10), "x\n");
    }
    repo.run("git")
        .args(["fast-import", "--quiet"])
        .input(input)
        .run()
        .ok();
    repo.git(&["reset", "-q", "--hard"]).ok();
    repo
}

#[test]
fn a_few_files_of_many_are_read_alone_and_the_map_says_so() {
    let sandbox = Sandbox::new();
    let repo = large(&sandbox);
    let near = repo.merkle(&["map", "shop/basket.py"]).ok();
    let (key, files) = near.split_once("\n\n").expect("a key");
    assert!(
        key.ends_with("\nreferences are those among 2 of 5003 files: these and what they import"),
        "{near}"
    );
    assert_eq!(
        files,
        "shop/basket.py\n  i→ shop/price.py\n  f total(items) →price_of\n"
    );
    let price = |options: &[&str]| {
        repo.merkle(&[&["map", "shop/price.py"], options].concat())
            .ok()
    };
    assert!(
        price(&[]).ends_with("\nshop/price.py\n  f price_of(item)\n"),
        "{}",
        price(&[])
    );
    assert!(
        price(&["--everywhere"]).ends_with("more\n\nshop/price.py ←2\n  f price_of(item) ←2\n")
    );
    assert!(
        price(&[]).ends_with("\nshop/price.py\n  f price_of(item)\n"),
        "the same when all references are kept"
    );
    let document = |options: &[&str]| {
        let arguments = [&["map", "--json", "shop"], options].concat();
        repo.merkle(&arguments).exits(0).json("map")
    };
    assert_eq!(document(&[])["counted_in"], 3);
    assert_eq!(document(&["--everywhere"]).get("counted_in"), None);
    assert_eq!(document(&[])["files"], document(&["--everywhere"])["files"]);
    drop(repo.merkle(&["map", "shop", "--budget", "70"]).exits(79));
    for tokens in ["90", "110", "130", "200", "500"] {
        let output = repo.merkle(&["map", "shop", "--budget", tokens]);
        if output.code == Some(79) {
            assert!(tokens.len() < 3 || tokens < "200", "{output}");
            continue;
        }
        let text = output.ok();
        let document = document(&["--budget", tokens]);
        assert!(
            document["tokens"].as_u64() <= tokens.parse().ok(),
            "{document}"
        );
        assert!(
            text.contains("references are those among 3 of 5003 files"),
            "{text}"
        );
    }
}

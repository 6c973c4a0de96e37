//! A review as one HTML file: what it says, and that nothing in it acts.

use super::SHOP;
use crate::browse::browser::Browser;
use crate::browse::corpus::TEXTS;
use crate::browse::hostile::{MARK, texts};
use crate::browse::tags;
use crate::support::{PROGRAM, Sandbox};

#[test]
fn a_review_is_one_file_without_scripts_and_requests() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    let html = repo.merkle(&["review", "--format", "html"]).ok();
    tags::check(&html).expect("only tags of ours");
    for said in [
        "<style>",
        "default-src 'none'; style-src 'unsafe-inline'",
        "1 public declaration removed, 1 signature changed, 3 bodies, 1 moved, 1 private",
        "<a href=\"#part0\">What others see</a>",
        "<h2 id=\"part0\">What others see</h2>",
        "<li>− <del>discount</del><i>   src/price.rs</i>",
        "taxes: </b><del>u8</del>→<ins>u16</ins>",
    ] {
        assert!(html.contains(said), "{said} in\n{html}");
    }
    assert!(!html.contains("<script") && !html.contains("<link rel=\"stylesheet\""));
    assert_eq!(
        repo.merkle(&["review", "--format", "html", "HEAD..HEAD"])
            .ok(),
        ""
    );
}

#[test]
fn nothing_that_a_person_or_a_file_name_says_acts() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let name = "<img src=x onerror=alert(1)>.py";
    std::fs::write(repo.path(name), "def a(): pass\n").expect("a file");
    repo.fill("commit first\n+ a.txt = one\nbranch work");
    for node in [name, "a.txt"] {
        let run = repo.run(PROGRAM).args(["put-frame", node, "-"]);
        run.input(TEXTS.as_bytes()).run().ok();
    }
    std::fs::write(repo.path(name), "def b(x=\"</style><script>\"): pass\n").expect("a file");
    repo.fill("commit second\n+ a.txt = two");
    let html = repo.merkle(&["review", "--format", "html", "main"]).ok();
    assert!(
        html.contains("Notes to affirm") && html.contains("&lt;script&gt;"),
        "{html}"
    );
    tags::check(&html).expect("only tags of ours");
    assert!(!html.contains("<script") && html.matches("</style>").count() == 1);
}

/// Values, defaults, decorators and notes that say what has made pages act, and a browser that reads them.
#[test]
fn nothing_of_a_review_acts_in_a_browser() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let texts = texts();
    let write = |side: &str| {
        let python = texts.iter().enumerate().map(|(number, text)| {
            let text = text.replace(['\\', '\n', '\u{c}'], " ").replace('"', "'");
            format!("@made(\"{text}\")\ndef f{number}(a=\"{text}{side}\"):\n    return a\n")
        });
        let all: String = python.collect();
        std::fs::write(repo.path("a.py"), all).expect("a file");
    };
    write("one");
    repo.fill("commit first\nbranch work");
    let run = repo.run(PROGRAM).args(["put-frame", "a.py", "-"]);
    run.input(texts[..200].join("\n\n").as_bytes()).run().ok();
    write("two");
    repo.fill("commit second");
    let html = repo
        .merkle(&["review", "--all", "--format", "html", "main"])
        .ok();
    tags::check(&html).expect("only tags of ours");
    let is_missing = |number: &usize| {
        let name = format!("f{number}");
        let mut behind = html
            .match_indices(&name)
            .map(|(at, _)| &html[at + name.len()..]);
        !behind.any(|text| !text.starts_with(|c: char| c.is_ascii_digit()))
    };
    let missing: Vec<usize> = (0..texts.len()).filter(is_missing).collect();
    assert!(
        missing.is_empty(),
        "all are shown: {} of {} not: {missing:?}",
        missing.len(),
        texts.len()
    );
    let page = sandbox.path("review.html");
    std::fs::write(&page, &html).expect("a page");
    let Some(browser) = Browser::find() else {
        return;
    };
    let control = sandbox.path("control.html");
    std::fs::write(&control, format!("<script>{MARK}</script>")).expect("a page");
    assert!(browser.open(&sandbox, &control).contains("data-acted=\""));
    let dom = browser.open(&sandbox, &page);
    assert!(dom.contains("What others see"), "{dom}");
    assert!(!dom.contains("data-acted=\""));
}

/// A part by its title: its number, as links lead to it.
fn part(html: &str, title: &str) -> String {
    let at = html.find(&format!("\">{title}</h2>")).expect(title);
    let id = html[..at].rsplit("id=\"").next().expect("an id");
    format!("href=\"#{id}\"")
}

#[test]
fn a_map_shows_the_files_that_differ_and_leads_to_what_is_told_of_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    repo.git(&["switch", "-q", "main"]).ok();
    repo.merkle(&["note", "README.md", "-m", "Says what it is."])
        .ok();
    repo.git(&["switch", "-q", "work"]).ok();
    let html = repo.merkle(&["review", "--format", "html"]).ok();
    tags::check(&html).expect("only tags of ours");
    let (seen, private, tests) = (
        part(&html, "What others see"),
        part(&html, "Private"),
        part(&html, "Tests"),
    );
    for said in [
        "id=\"by-change\" autocomplete=\"off\" checked> change</label>".to_owned(),
        // A rectangle: where it leads, what it says, how large it is, and its colours.
        format!("<a {seen} tabindex=\"-1\"><g><title>src/price.rs · 8 lines differ · what others see · missing</title><rect class=\"tile missing h4\""),
        "README.md · 2 lines differ · nothing declared · carried</title><rect class=\"tile carried h0\"".to_owned(),
        "1 carried</li>".to_owned(),
        // The same in words.
        format!("<td class=\"name\"><a {seen}>src/price.rs</a></td><td><span class=\"state missing\"><span class=\"sign\" aria-hidden=\"true\">○</span>missing</span></td><td class=\"size\">8</td><td class=\"says\">what others see</td>"),
        format!("<a {private}>src/basket.rs</a>"),
        format!("<a {tests}>tests/prices.rs</a>"),
    ] {
        assert!(html.contains(&said), "{said} in\n{html}");
    }
    // What is not of a review is not in its map, and what is not of pages is not in theirs.
    assert!(!html.contains("by-coverage\"") && !html.contains(" c0"));
    repo.merkle(&["browse", "-q"]).ok();
    let page = std::fs::read_to_string(repo.path(".git/merkle/site/index.html"));
    let page = page.expect("a first page");
    assert!(
        page.contains("by-coverage\"") && !page.contains("by-change\"") && !page.contains(" h0")
    );
    // One file needs no map.
    repo.fill("commit third\n+ README.md = # Another");
    let html = repo.merkle(&["review", "--format", "html", "HEAD^!"]).ok();
    assert!(!html.contains("<svg class=\"map\"") && html.contains("\">Files</h2>"));
}

#[test]
fn a_map_of_many_files_is_bounded() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.txt = one");
    for number in 0..2_100 {
        repo.put(&format!("d{}/f{number}.txt", number % 7), "one\ntwo\n");
    }
    repo.commit("second");
    let html = repo.merkle(&["review", "--format", "html", "HEAD^!"]).ok();
    assert!(html.matches("<rect").count() <= 2_020, "rectangles");
    assert!(html.contains("<p class=\"more\">… and 100 more.</p>"));
}

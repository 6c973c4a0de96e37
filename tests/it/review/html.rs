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
    let repo = sandbox.repo("work");
    repo.fill(SHOP);
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
    assert!(html.contains("f999"), "all of them are shown");
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

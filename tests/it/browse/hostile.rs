//! Frames, names and authors that try to act in a page, through the program and, where it is installed, in Chromium.

use super::browser::Browser;
use super::corpus::TEXTS;
use super::{files, tags};
use crate::support::{PROGRAM, Repo, Sandbox};

/// What a text that acts would leave behind.
pub(crate) const MARK: &str = "document.documentElement.setAttribute(`data-acted`,1)";
/// Texts of one frame.
const AT_ONCE: usize = 200;
/// File names that say something in HTML, in a link, or to a file system.
const NAMES: [&str; 8] = [
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "javascript:alert(1)",
    "';alert(1);'",
    "a&lt;b",
    "\u{202e}cod.exe",
    "index",
    "x%2f..%2fy",
];

/// The texts as they are, and where a page could take them for something else.
pub(crate) fn texts() -> Vec<String> {
    let act = |text: &str| {
        ["alert(1)", "alert('XSS')", "alert(\"XSS\")", "alert('xxs')"]
            .iter()
            .fold(text.to_owned(), |text, call| text.replace(call, MARK))
    };
    let mutations: [fn(&str) -> String; 7] = [
        str::to_owned,
        |text| text.to_uppercase(),
        |text| format!("[a]({text})"),
        |text| format!("![a]({text} \"{text}\")"),
        |text| format!("a | b\n---|---\n{text} | {text}"),
        |text| format!("- > # {text}"),
        |text| text.replace(' ', "\u{c}").replace("script", "scr\tipt"),
    ];
    let all: Vec<String> = TEXTS.lines().map(act).collect();
    mutations
        .iter()
        .flat_map(|mutate| all.iter().map(|text| mutate(text)))
        .collect()
}

/// A repository whose frames, names and author hold all of it.
fn hostile(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("<b>site");
    repo.config("user.name", "<script>alert(1)</script>");
    for (number, name) in NAMES.iter().enumerate() {
        std::fs::write(repo.path(name), format!("{number}\n")).expect("a file");
    }
    let texts = texts();
    assert!(texts.len() >= 1_000, "{}", texts.len());
    let chunks = texts.chunks(AT_ONCE).enumerate();
    let chunks: Vec<(String, String)> = chunks
        .map(|(number, texts)| (format!("file{number}.txt"), texts.join("\n\n")))
        .collect();
    for (number, (name, _)) in chunks.iter().enumerate() {
        std::fs::write(repo.path(name), format!("file {number}\n")).expect("a file");
    }
    repo.fill("commit first");
    repo.merkle(&["regenerate", "-q"]).ok();
    for (name, text) in &chunks {
        let run = repo.run(PROGRAM).args(["put-frame", name, "-"]);
        run.input(text.as_bytes()).run().ok();
    }
    repo.merkle(&["browse", "-q", "--output", "../site"]).ok();
    repo
}

#[test]
fn nothing_of_a_frame_acts_in_a_page() {
    let sandbox = Sandbox::new();
    hostile(&sandbox);
    let site = sandbox.path("site");
    let files = files(&site);
    for (name, bytes) in files
        .iter()
        .filter(|(name, _)| name.strip_suffix(".html").is_some())
    {
        let html = String::from_utf8(bytes.clone()).expect("UTF-8");
        tags::check(&html).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(html.matches("<script").count(), 1, "{name}: its own");
    }
    let search = String::from_utf8(files["search/0.js"].clone()).expect("UTF-8");
    assert!(
        !search.contains('<') && search.lines().count() == 1,
        "{search}"
    );
    let Some(browser) = Browser::find() else {
        return;
    };
    // The same texts act in a page without our ways, so that silence means something.
    let control = sandbox.path("control.html");
    std::fs::write(&control, format!("<script>{MARK}</script>")).expect("a page");
    assert!(browser.open(&sandbox, &control).contains("data-acted=\""));
    for name in files
        .keys()
        .filter(|name| name.contains("file") && name.strip_suffix(".html").is_some())
    {
        let dom = browser.open(&sandbox, &site.join(name));
        assert!(dom.contains("What is said"), "{name}: {dom}");
        assert!(!dom.contains("data-acted=\""), "{name}");
    }
}

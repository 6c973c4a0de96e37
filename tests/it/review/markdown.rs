//! The Markdown of a review, as a library of CommonMark reads it: whole at every limit, and nothing foreign in it acts.

use git_merkle::review::markdown::{CHARACTERS_MIN, MARKER, characters, code, document, item};
use git_merkle::review::{StyledLine, Tone};
use proptest::collection::vec;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::browse::corpus::TEXTS;

/// What forges read as more than text.
const FORGE: [&str; 14] = [
    "@everyone",
    "@org/team please",
    "fixes #1",
    "closes https://github.com/a/b/issues/1",
    "GH-1",
    "a/b#2",
    "!42",
    "www.example.com",
    "ann@example.com",
    ":tada:",
    "</details><details open>",
    "<!-- git-merkle:review:1 -->",
    "> [!WARNING]",
    "\u{202e}gpj.exe\u{200b}",
];

fn hostile() -> impl Strategy<Value = String> {
    let texts: Vec<&str> = TEXTS.lines().chain(FORGE).collect();
    prop_oneof![
        proptest::sample::select(texts).prop_map(str::to_owned),
        "[`~<>\\[\\]()!*_#@&|\\\\ a\n\t-]{0,40}",
        "\\PC{0,60}",
        "`{1,9}[a ]`{0,9}",
        "[𝔞-𝔷]{1,20}",
    ]
}

fn lines() -> impl Strategy<Value = Vec<StyledLine>> {
    let tone = prop_oneof![
        Just(Tone::Plain),
        Just(Tone::Name),
        Just(Tone::Old),
        Just(Tone::New),
        Just(Tone::Dim)
    ];
    vec(vec((tone, hostile()), 0..4).prop_map(StyledLine), 0..60)
}

/// Everything that forges render.
fn events(text: &str) -> impl Iterator<Item = Event<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH;
    Parser::new_ext(text, options)
}

pub(super) fn check(text: &str) -> Result<(), TestCaseError> {
    let mut comments = 0;
    for event in events(text) {
        match event {
            Event::Html(html) => {
                comments += 1;
                prop_assert_eq!(html.trim_end(), MARKER);
            }
            Event::InlineHtml(html) => prop_assert!(false, "a tag {html} in {text}"),
            Event::Start(tag) => prop_assert!(
                matches!(
                    tag,
                    Tag::HtmlBlock | Tag::Paragraph | Tag::Strong | Tag::List(None) | Tag::Item
                ),
                "{tag:?} in {text}"
            ),
            Event::Text(own) => prop_assert!(
                own.chars()
                    .all(|c| c.is_alphanumeric() || " …·,.:".contains(c)),
                "'{own}' in {text}"
            ),
            Event::Code(span) => {
                // Put through once more, it is the same.
                let again = code(&span);
                let read: Vec<_> = events(&again)
                    .filter(|event| matches!(event, Event::Code(_)))
                    .collect();
                prop_assert_eq!(read, vec![Event::Code(span)]);
            }
            Event::End(_) | Event::SoftBreak => {}
            other => prop_assert!(false, "{other:?} in {text}"),
        }
    }
    prop_assert_eq!(comments, 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_document_is_whole_at_every_limit_and_nothing_in_it_acts(
        all in lines(),
        short in lines(),
        limit in prop_oneof![CHARACTERS_MIN..2_000, CHARACTERS_MIN..60_001],
    ) {
        let lists = [all, short].map(|lines| lines.iter().map(item).collect::<Vec<_>>());
        let text = document("2 signatures changed · 3 of 4 files are code", &lists, limit);
        prop_assert!(characters(&text) <= limit);
        prop_assert!(text.ends_with('\n'));
        check(&text)?;
    }
}

/// Each of the texts on its own, and at each small limit.
#[test]
fn no_text_is_a_mention_a_link_a_picture_or_a_tag() {
    let texts = || TEXTS.lines().chain(FORGE);
    assert!(texts().count() >= 150);
    for text in texts() {
        for text in [
            text.to_owned(),
            text.to_uppercase(),
            format!("`{text}"),
            format!("{text}`` x"),
        ] {
            let line = StyledLine(vec![(Tone::Name, text.clone()), (Tone::Dim, text)]);
            let items = vec![item(&line); 3];
            for limit in [CHARACTERS_MIN, 230, 60_000] {
                check(&document(
                    "same declarations",
                    std::slice::from_ref(&items),
                    limit,
                ))
                .expect("nothing acts");
            }
        }
    }
}

#[test]
fn what_would_act_is_found() {
    for foreign in [
        "@ann",
        "fixes #1",
        "[a](b)",
        "![a](b)",
        "<b>",
        "<!-- x -->",
        "<details>",
        "https://a.b",
    ] {
        let text = format!("{MARKER}\n**1 body**\n\n- `a` {foreign}\n");
        assert!(check(&text).is_err(), "{foreign}");
    }
}

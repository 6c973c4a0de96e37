//! HTML as Markdown: what a page says, without what it looks like and what it runs.
//!
//! A page can be written so that reading it as a browser does takes time and memory without bound: formatting that is
//! opened and never closed is repeated in every later block, and elements can be nested as deep as there are bytes.
//! So attributes are taken off formatting elements before the page is read (equal ones are repeated three times at
//! most), and pages with too many tags or too many levels are not converted.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use htmd::element_handler::Handlers;
use htmd::{Element, HtmlToMarkdown, Node};

use super::fetch::PageError;

/// The most tags of a page.
const TAGS_MAX: usize = 60_000;
/// The most elements inside each other.
const DEPTH_MAX: usize = 200;
/// The most Markdown, in bytes.
const MARKDOWN_BYTES_MAX: usize = 4 * 1024 * 1024;
/// What the deepest page needs, several times over.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Elements of which nothing is said.
const SKIPPED: [&str; 9] = ["script", "style", "svg", "noscript", "template", "iframe", "object", "canvas", "math"];
/// Elements that a parser opens again after each block that closed them.
const FORMATTING: [&str; 13] = ["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// The most ways to name a language of code that are kept.
const LANGUAGES_MAX: usize = 12;

/// A page in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markdown {
    /// What the page calls itself, on one line.
    pub title: Option<String>,
    /// What it says.
    pub text: String,
}

/// Converts a page.
pub fn to_markdown(html: &str) -> Result<Markdown, PageError> {
    if html.bytes().filter(|byte| *byte == b'<').count() > TAGS_MAX {
        return Err(PageError::Html("has too many tags"));
    }
    let html = plain_formatting(html);
    let failed = PageError::Html("cannot be read");
    // Levels are worked through by recursion.
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || convert(&html));
    thread.map_err(|_| failed.clone())?.join().map_err(|_| failed)?
}

fn convert(html: &str) -> Result<Markdown, PageError> {
    let title: Arc<Mutex<Option<String>>> = Arc::default();
    let found = Arc::clone(&title);
    let converter = HtmlToMarkdown::builder()
        .skip_tags(SKIPPED.to_vec())
        .add_handler(vec!["title"], move |handlers: &dyn Handlers, element: Element<'_>| {
            let text = unescaped(&handlers.walk_children(element.node).content);
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let mut title = found.lock().unwrap_or_else(PoisonError::into_inner);
            *title = title.take().or(Some(line).filter(|line| !line.is_empty()));
            None
        })
        .add_handler(vec!["img"], |handlers: &dyn Handlers, element: Element<'_>| {
            // A picture that is part of the page's text says nothing to a reader of text.
            let is_inline =
                element.attrs.iter().any(|attribute| &*attribute.name.local == "src" && attribute.value.starts_with("data:"));
            if is_inline { None } else { handlers.fallback(element) }
        })
        .build();
    let tree = converter.html_to_tree(html).map_err(|_| PageError::Html("cannot be read"))?;
    if is_deep(&tree) {
        return Err(PageError::Html("is nested too deeply"));
    }
    let text = converter.tree_to_markdown(&tree);
    if text.len() > MARKDOWN_BYTES_MAX {
        return Err(PageError::Html("makes too much Markdown"));
    }
    let title = title.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(Markdown { title, text })
}

/// Markdown without its backslashes: a title is plain text.
fn unescaped(markdown: &str) -> String {
    let mut rest = markdown.chars().peekable();
    let mut text = String::with_capacity(markdown.len());
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next_if(char::is_ascii_punctuation) } else { None };
        text.push(escaped.unwrap_or(c));
    }
    text
}

fn is_deep(tree: &Rc<Node>) -> bool {
    let mut open = vec![(Rc::clone(tree), 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > DEPTH_MAX {
            return true;
        }
        open.extend(node.children.borrow().iter().map(|child| (Rc::clone(child), depth + 1)));
    }
    false
}

/// The page with `<b …>` as `<b>`, and so for all formatting elements, wherever such text stands.
///
/// Code keeps a few different ways to name its language.
fn plain_formatting(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut languages: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at + 1);
        out.push_str(before);
        rest = tag;
        let name_bytes = tag.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, attributes) = tag.split_at(name_bytes);
        let has_attributes = attributes.starts_with([' ', '\t', '\n', '\r', '\u{c}', '/']);
        if has_attributes && FORMATTING.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            let (said, after) = attributes.split_at(attributes.find('>').unwrap_or(attributes.len()));
            if name.eq_ignore_ascii_case("code") && said.contains("language-") {
                if languages.len() < LANGUAGES_MAX && !languages.contains(&said) {
                    languages.push(said);
                }
                out.push_str(if languages.contains(&said) { &tag[..name_bytes + said.len()] } else { name });
            } else {
                out.push_str(name);
            }
            rest = after;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_what_they_say() {
        let html = "<!doctype html><head><title> A\n *page* \\ _x </title><style>p{}</style><script>alert('<p>no')</script></head>
            <body><svg><title>drawn</title><text>no</text></svg><h1>Head</h1><p>One <b class=x>bold</b> &amp; <a href='/x'>link</a>
            <img src='data:image/png;base64,AAAA' alt='dot'><ul><li>a</li><li>b</li></ul><pre><code class='language-rust'>fn a() {}
</code></pre><noscript>no</noscript>";
        let Markdown { title, text } = to_markdown(html).expect("converted");
        assert_eq!(title.as_deref(), Some("A *page* \\ _x"));
        insta::assert_snapshot!(text, @r"
        # Head

        One **bold** & [link](/x) 

        *   a
        *   b

        ```rust
        fn a() {}
        ```
        ");
    }

    #[test]
    fn formatting_loses_its_attributes_everywhere() {
        for (html, expected) in [
            ("<b>x</b>", "<b>x</b>"),
            ("<b a=1>x", "<b>x"),
            ("<B\na>x", "<B>x"),
            ("<strong/x><i\u{c}y>", "<strong><i>"),
            ("<br /><body a><bx a>", "<br /><body a><bx a>"),
            ("<b a", "<b"),
            ("<", "<"),
            ("a<b<b a=<i>é", "a<b<b>é"),
            ("<code class=x>", "<code>"),
            ("<code class='language-rust'>", "<code class='language-rust'>"),
        ] {
            assert_eq!(plain_formatting(html), expected, "{html}");
        }
    }

    #[test]
    fn pages_that_grow_without_bound_are_left_alone() {
        let repeat = |text: &str, count: usize| text.repeat(count);
        for (html, reason) in [
            (repeat("<br>", TAGS_MAX + 1), "has too many tags"),
            (repeat("<div>", DEPTH_MAX + 1), "is nested too deeply"),
            (repeat("<blockquote>", 20_000), "is nested too deeply"),
            (repeat("<table><tr><td>", 10_000), "is nested too deeply"),
        ] {
            assert_eq!(to_markdown(&html), Err(PageError::Html(reason)));
        }
        let html = (0..20_000).fold(String::new(), |html, n| html + &format!("<p><b a{n}>x</p>"));
        let text = to_markdown(&html).expect("converted").text;
        assert!(text.len() < 1_000_000, "{}", text.len());
        assert_eq!(to_markdown("").expect("converted"), Markdown { title: None, text: String::new() });
    }
}

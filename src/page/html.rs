//! HTML as Markdown: what a page says, without what it looks like and what it runs.
//!
//! A page can be written so that reading it as a browser does takes time and memory without bound: a tag can have any
//! number of attributes, formatting that is opened and never closed is repeated in every later block, and elements can be
//! nested as deep as there are bytes. So the markup is written anew first (see `plain`), with what is read of it alone;
//! pages with too many tags, nodes or levels are not converted, and none is waited for longer than a limit. What the
//! markup hides from a reader is left out: a person who looks at the page would not see what it tells a model.

use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use htmd::element_handler::Handlers;
use htmd::{Element, HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;

use super::fetch::PageError;
use super::plain::plain_markup;
use crate::base::locked;

/// The most tags of a page.
const TAGS_MAX: usize = 60_000;
/// The most nodes of its tree: elements that are opened again count each time.
const NODES_MAX: usize = 1_000_000;
/// The most elements inside each other.
const DEPTH_MAX: usize = 200;
/// How long a page may take. Its bounds make it end soon after, if it does not end before.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// The most Markdown, in bytes.
const MARKDOWN_BYTES_MAX: usize = 4 * 1024 * 1024;
/// What the deepest page needs, several times over.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Elements of which nothing is said.
const SKIPPED: [&str; 9] = [
    "script", "style", "svg", "noscript", "template", "iframe", "object", "canvas", "math",
];
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
    let html = plain_markup(html, TAGS_MAX).map_err(PageError::Html)?;
    let failed = PageError::Html("cannot be read");
    let (sender, receiver) = channel();
    // Levels are worked through by recursion.
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // The receiver is dropped when it took too long.
            let _ = sender.send(convert(&html));
        });
    thread.map_err(|_| failed.clone())?;
    receiver
        .recv_timeout(WAIT_MAX)
        .map_err(|error| match error {
            RecvTimeoutError::Timeout => PageError::Html("takes too long to read"),
            RecvTimeoutError::Disconnected => failed,
        })?
}

fn convert(html: &str) -> Result<Markdown, PageError> {
    let title: Arc<Mutex<Option<String>>> = Arc::default();
    let found = Arc::clone(&title);
    let converter = HtmlToMarkdown::builder()
        .skip_tags(SKIPPED.to_vec())
        .add_handler(
            vec!["title"],
            move |handlers: &dyn Handlers, element: Element<'_>| {
                let text = unescaped(&handlers.walk_children(element.node).content);
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let mut title = locked(&found);
                *title = title.take().or(Some(line).filter(|line| !line.is_empty()));
                None
            },
        )
        .add_handler(
            vec!["img"],
            |handlers: &dyn Handlers, element: Element<'_>| {
                // A picture that is part of the page's text says nothing to a reader of text.
                let is_inline = element.attrs.iter().any(|attribute| {
                    &*attribute.name.local == "src" && attribute.value.starts_with("data:")
                });
                if is_inline {
                    None
                } else {
                    handlers.fallback(element)
                }
            },
        )
        .build();
    let tree = converter
        .html_to_tree(html)
        .map_err(|_| PageError::Html("cannot be read"))?;
    bounded(&tree)?;
    let text = converter.tree_to_markdown(&tree);
    if text.len() > MARKDOWN_BYTES_MAX {
        return Err(PageError::Html("makes too much Markdown"));
    }
    let title = locked(&title).take();
    Ok(Markdown { title, text })
}

/// Markdown without its backslashes: a title is plain text.
fn unescaped(markdown: &str) -> String {
    let mut rest = markdown.chars().peekable();
    let mut text = String::with_capacity(markdown.len());
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' {
            rest.next_if(char::is_ascii_punctuation)
        } else {
            None
        };
        text.push(escaped.unwrap_or(c));
    }
    text
}

/// Refuses a tree that is too large, and takes out what is marked as hidden.
fn bounded(tree: &Rc<Node>) -> Result<(), PageError> {
    let (mut open, mut nodes) = (vec![(Rc::clone(tree), 0)], 0);
    while let Some((node, depth)) = open.pop() {
        nodes += 1;
        if nodes > NODES_MAX {
            return Err(PageError::Html("has too many nodes"));
        }
        if depth > DEPTH_MAX {
            return Err(PageError::Html("is nested too deeply"));
        }
        node.children.borrow_mut().retain(|child| !is_hidden(child));
        open.extend(
            node.children
                .borrow()
                .iter()
                .map(|child| (Rc::clone(child), depth + 1)),
        );
    }
    Ok(())
}

fn is_hidden(node: &Rc<Node>) -> bool {
    let NodeData::Element { attrs, .. } = &node.data else {
        return false;
    };
    attrs
        .borrow()
        .iter()
        .any(|attribute| &*attribute.name.local == "hidden")
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
    fn what_is_hidden_is_not_said() {
        let html = "<p>seen</p><p hidden>one</p><div style='display:none'>two<p>three</div><span aria-hidden=true>four</span>\
            <b style='font-size:0'>five</b><p>x<i style='visibility:hidden'>six</i>y</p><template>seven</template><font hidden>eight</font>";
        let text = to_markdown(html).expect("converted").text;
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>(),
            ["seen", "xy"],
            "{text}"
        );
    }

    #[test]
    fn a_tag_with_any_number_of_attributes_is_read_at_once() {
        let attributes = |count: usize| {
            (0..count)
                .map(|number| format!(" a{number}=\">'\""))
                .collect::<Vec<_>>()
                .concat()
        };
        for html in [
            format!("<p{}>x", attributes(100_000)),
            format!("<!-- <p ' --><p{}>x", attributes(100_000)),
            format!("<p a='\"'{}>x", attributes(100_000)),
            format!("<p{}", attributes(100_000)),
        ] {
            let begun = std::time::Instant::now();
            let text = to_markdown(&html).expect("converted").text;
            assert!(
                text.len() < 10 && begun.elapsed() < WAIT_MAX / 2,
                "{} bytes, {:?}",
                text.len(),
                begun.elapsed()
            );
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
        assert_eq!(
            to_markdown("").expect("converted"),
            Markdown {
                title: None,
                text: String::new()
            }
        );
    }
}

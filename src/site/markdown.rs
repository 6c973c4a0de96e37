//! Markdown of frames as HTML: structure and text, nothing that acts.
//!
//! The library's events pass a filter before they are written: raw HTML becomes text, pictures become their descriptions, a link
//! stays if it leads to http, https or mailto, or to a path for which the caller has a page. Nothing has an id, a class or a style.

use std::fmt::Write as _;

use pulldown_cmark::html::push_html;
use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
};

use super::escape::escaped;
use crate::base::printable;

/// Most of one text that is shown: what is longer is no reading for a page.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Most events of one text: cells of tables, for example, that a few bytes can ask for.
const EVENTS_MAX: usize = 20_000;
/// Deepest nesting that is shown.
const DEPTH_MAX: usize = 24;
/// The level of a text's first heading: those of the page stand above it.
const HEADING_TOP: usize = 4;

/// Finds the page for a link to a path, as it stands in the text.
pub type Resolve<'r> = dyn Fn(&str) -> Option<String> + 'r;

/// Renders a text.
#[must_use]
pub fn html(text: &str, resolve: &Resolve<'_>) -> String {
    let (text, is_cut) = cut(text, TEXT_BYTES_MAX);
    let text = printable(text).to_string();
    let mut out = String::with_capacity(text.len() * 2);
    let mut filter = Filter {
        events: Parser::new_ext(
            &text,
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
        ),
        resolve,
        open: Vec::new(),
        left: EVENTS_MAX,
        headings: None,
    };
    push_html(&mut out, &mut filter);
    if is_cut || filter.left == 0 {
        out.push_str("<p class=\"more\">… the text goes on</p>\n");
    }
    out
}

/// The first paragraph in one line, with code as code and nothing else.
#[must_use]
pub fn line(text: &str, characters_max: usize) -> String {
    let (text, _) = cut(text, characters_max * 8);
    let text = printable(text).to_string();
    let (mut out, mut left) = (String::new(), characters_max);
    for event in Parser::new(&text) {
        let (piece, is_code) = match event {
            Event::Text(piece) | Event::InlineHtml(piece) | Event::Html(piece) => (piece, false),
            Event::Code(piece) => (piece, true),
            Event::SoftBreak | Event::HardBreak => (CowStr::Borrowed(" "), false),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_)) => break,
            _ => continue,
        };
        let count = piece.chars().count();
        let shown: String = piece.chars().take(left).collect();
        let more = if count > left { "…" } else { "" };
        if is_code {
            let _ = write!(out, "<code>{}{more}</code>", escaped(&shown));
        } else {
            let _ = write!(out, "{}{more}", escaped(&shown));
        }
        left = left.saturating_sub(count);
        if left == 0 {
            break;
        }
    }
    out
}

fn cut(text: &str, bytes_max: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(bytes_max);
    (&text[..end], end < text.len())
}

/// What an open tag became.
#[derive(Clone, Copy)]
enum Open {
    Tag(TagEnd),
    Link,
    Nothing,
}

struct Filter<'e, 'r> {
    events: Parser<'e>,
    resolve: &'r Resolve<'r>,
    open: Vec<Open>,
    left: usize,
    /// The level of the first heading in the text, and that of the last one on the page.
    headings: Option<(usize, usize)>,
}

impl<'e> Iterator for &mut Filter<'e, '_> {
    type Item = Event<'e>;

    fn next(&mut self) -> Option<Event<'e>> {
        loop {
            if self.left == 0 {
                let open = self.open.pop()?;
                if let Some(end) = close(open) {
                    return Some(end);
                }
                continue;
            }
            let event = self.events.next()?;
            self.left -= 1;
            let passed = match event {
                Event::Start(tag) => self.start(tag),
                Event::End(_) => self.open.pop().and_then(close),
                Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
                Event::Text(_)
                | Event::Code(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule => Some(event),
                _ => None,
            };
            if passed.is_some() {
                return passed;
            }
        }
    }
}

impl<'e> Filter<'e, '_> {
    fn start(&mut self, tag: Tag<'e>) -> Option<Event<'e>> {
        let tag = match tag {
            _ if self.open.len() >= DEPTH_MAX => None,
            Tag::Link { dest_url, .. } => return self.link(&dest_url),
            Tag::Heading { level, .. } => Some(Tag::Heading {
                level: self.heading(level),
                id: None,
                classes: Vec::new(),
                attrs: Vec::new(),
            }),
            Tag::CodeBlock(_) => Some(Tag::CodeBlock(CodeBlockKind::Indented)),
            Tag::HtmlBlock => Some(Tag::Paragraph),
            // An alignment would be written as a style.
            Tag::Table(columns) => Some(Tag::Table(vec![Alignment::None; columns.len()])),
            Tag::Paragraph
            | Tag::BlockQuote(None)
            | Tag::List(_)
            | Tag::Item
            | Tag::TableHead
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough => Some(tag),
            _ => None,
        };
        self.open.push(
            tag.as_ref()
                .map_or(Open::Nothing, |tag| Open::Tag(tag.to_end())),
        );
        tag.map(Event::Start)
    }

    /// Headings go down step by step, whatever the text begins with and leaves out.
    fn heading(&mut self, level: HeadingLevel) -> HeadingLevel {
        let (first, last) = self.headings.unwrap_or((level as usize, HEADING_TOP - 1));
        let wanted = HEADING_TOP + (level as usize).saturating_sub(first);
        let shown = wanted.min(last + 1).min(6);
        self.headings = Some((first, shown));
        HeadingLevel::try_from(shown).unwrap_or(HeadingLevel::H6)
    }

    fn link(&mut self, destination: &str) -> Option<Event<'e>> {
        // A link in a link is none: Markdown makes none, and a filter need not believe it.
        let is_inside = self.open.iter().any(|open| matches!(open, Open::Link));
        let start = match target(destination) {
            _ if is_inside => None,
            Target::Outside => Some(format!(
                "<a href=\"{}\" rel=\"noreferrer noopener\">",
                escaped(destination)
            )),
            Target::Path(path) => {
                (self.resolve)(path).map(|page| format!("<a href=\"{}\">", escaped(&page)))
            }
            Target::None => None,
        };
        self.open
            .push(start.as_ref().map_or(Open::Nothing, |_| Open::Link));
        start.map(|start| Event::InlineHtml(start.into()))
    }
}

fn close<'e>(open: Open) -> Option<Event<'e>> {
    match open {
        Open::Tag(end) => Some(Event::End(end)),
        Open::Link => Some(Event::InlineHtml("</a>".into())),
        Open::Nothing => None,
    }
}

/// Where a link leads.
enum Target<'d> {
    Outside,
    Path(&'d str),
    None,
}

fn target(destination: &str) -> Target<'_> {
    // What browsers leave out or read as something else is in no link that is kept.
    let is_strange = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if destination.contains(is_strange) {
        return Target::None;
    }
    let starts = |scheme: &str| {
        destination
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| starts(scheme))
    {
        return Target::Outside;
    }
    let path = destination.split(['#', '?']).next().unwrap_or_default();
    let is_path = !path.is_empty() && !path.starts_with('/') && !path.contains(':');
    if is_path {
        Target::Path(path)
    } else {
        Target::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        html(text, &|path| {
            (path == "b.rs").then(|| "b.rs.html".to_owned())
        })
    }

    #[test]
    fn structure_stays() {
        insta::assert_snapshot!(
            shown("# One\n\nA `code` *b* **c**.\n\n- x\n  - y\n\n```rust\nfn a<T>() {}\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n"),
            @r"
        <h4>One</h4>
        <p>A <code>code</code> <em>b</em> <strong>c</strong>.</p>
        <ul>
        <li>x
        <ul>
        <li>y</li>
        </ul>
        </li>
        </ul>
        <pre><code>fn a&lt;T&gt;() {}
        </code></pre>
        <table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>
        <tr><td>1</td><td>2</td></tr>
        </tbody></table>
        "
        );
    }

    #[test]
    fn links_lead_to_the_web_or_to_pages_of_the_site() {
        for (text, html) in [
            (
                "[a](https://a.b/?c=d&e)",
                "<p><a href=\"https://a.b/?c=d&amp;e\" rel=\"noreferrer noopener\">a</a></p>\n",
            ),
            (
                "<mailto:a@b.c>",
                "<p><a href=\"mailto:a@b.c\" rel=\"noreferrer noopener\">mailto:a@b.c</a></p>\n",
            ),
            ("[a](b.rs#L3)", "<p><a href=\"b.rs.html\">a</a></p>\n"),
            ("[a](c.rs)", "<p>a</p>\n"),
            ("[a](javascript:alert(1))", "<p>a</p>\n"),
            ("[a](data:text/html,x)", "<p>a</p>\n"),
            ("[a](//evil.example)", "<p>a</p>\n"),
            ("[a](/etc/passwd)", "<p>a</p>\n"),
            ("[a](\\\\evil)", "<p>a</p>\n"),
            ("[a](#x)", "<p>a</p>\n"),
            ("![alt](https://a.b/c.png)", "<p>alt</p>\n"),
            (
                "[![alt](x.png)](https://a.b)",
                "<p><a href=\"https://a.b\" rel=\"noreferrer noopener\">alt</a></p>\n",
            ),
        ] {
            assert_eq!(shown(text), html, "{text}");
        }
    }

    #[test]
    fn raw_markup_is_shown_as_it_is_written() {
        assert_eq!(
            shown("<script>alert(1)</script>\n\na <b onclick=x>b</b>"),
            "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"
        );
        assert!(shown("a\u{202e}b").contains("a\\u{202e}b"));
    }

    #[test]
    fn a_page_stays_small_whatever_a_text_asks_for() {
        let row = "|".repeat(9_000);
        let table = format!("{}\n{}\n{}", row, "|-".repeat(8_999), "|\n".repeat(9_000));
        let quotes = ">".repeat(50_000);
        let links = "[a](".repeat(10_000);
        for text in [&table, &quotes, &links, &"*a _b ".repeat(8_000)] {
            let html = shown(text);
            assert!(html.len() < 2_000_000, "{}", html.len());
            for tag in ["<td", "<blockquote", "<a ", "<em"] {
                let end = tag.trim_end().replace('<', "</");
                assert_eq!(
                    html.matches(tag).count(),
                    html.matches(&end).count(),
                    "{tag}"
                );
            }
        }
        assert!(shown(&quotes).matches("<blockquote").count() <= DEPTH_MAX);
    }

    #[test]
    fn a_line_is_the_first_paragraph() {
        assert_eq!(
            line("A `b<c>` *d*\ne.\n\nF", 50),
            "A <code>b&lt;c&gt;</code> d e."
        );
        assert_eq!(line("# Title\n\nText", 50), "Title");
        assert_eq!(line("abcdef", 3), "abc…");
        assert_eq!(line("", 3), "");
    }
}

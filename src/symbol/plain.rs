//! Prose of comments and documents as plain words: links, roles, emphasis and tags without their marks.
//!
//! Markdown, reStructuredText, Javadoc and XML documentation are taken off alike, for all of them stand in comments of
//! all languages. Code spans stay code. What is not closed within [`MARK_BYTES_MAX`] is left as it is.

/// Longest text between the marks of a link, a role or an emphasis.
const MARK_BYTES_MAX: usize = 400;
/// Roles whose text is a title or a path, and no code.
const WORD_ROLES: [&str; 8] = ["doc", "ref", "term", "gh", "issue", "pr", "rfc", "abbr"];
/// Tags of XML and HTML that only lay out the text between them.
const LAYOUT_TAGS: [&str; 16] = [
    "a",
    "p",
    "br",
    "b",
    "i",
    "em",
    "strong",
    "code",
    "pre",
    "tt",
    "ul",
    "li",
    "para",
    "c",
    "remarks",
    "inheritdoc",
];

/// The text without the marks that only lay it out or lead elsewhere.
pub(super) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '`', '*', ':', '|', '<', '{']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let before = out.chars().next_back().unwrap_or(' ');
        let (shown, taken) = mark(rest, before).unwrap_or_else(|| (rest[..1].to_owned(), 1));
        out.push_str(&shown);
        rest = &rest[taken..];
    }
    out + rest
}

/// What stands for the mark at the start of `text`, and how long it is; `None` for a sign that marks nothing.
fn mark(text: &str, before: char) -> Option<(String, usize)> {
    match text.as_bytes()[0] {
        b'[' if before != '!' => link(text, before),
        b'`' => code_span(text),
        b'*' => emphasis(text),
        b':' if !before.is_alphanumeric() && before != ':' => role(text, ":`"),
        b'|' => substitution(text),
        b'{' if before != '#' => javadoc(text)
            .or_else(|| role(text, "}`"))
            .or_else(|| yard(text)),
        b'<' => tag(text),
        _ => None,
    }
}

/// A text of HTML with its entities as signs; one that has such signs already is about them.
pub(super) fn with_entities(text: &str) -> String {
    if text.contains(['<', '>']) {
        return text.to_owned();
    }
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let whole = format!("&{part}");
        let Some((sign, taken)) = entity(&whole) else {
            return text.to_owned();
        };
        out.push_str(&sign);
        out.push_str(&whole[taken..]);
    }
    out
}

/// `&lt;`, `&#064;`: signs that have a meaning of their own in HTML.
fn entity(text: &str) -> Option<(String, usize)> {
    const NAMED: [(&str, &str); 6] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&nbsp;", " "),
    ];
    if let Some((name, sign)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some(((*sign).to_owned(), name.len()));
    }
    let digits = text.strip_prefix("&#")?.split(';').next()?;
    let taken = digits.len() + "&#;".len();
    let number: u8 = digits.parse().ok()?;
    let is_sign = number.is_ascii_graphic() && text.is_char_boundary(taken);
    is_sign.then(|| (char::from(number).to_string(), taken))
}

/// What stands between an opening mark and the next closing one.
fn within<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let body = text.strip_prefix(open)?;
    let window = &body[..body.floor_char_boundary(MARK_BYTES_MAX)];
    window.find(close).map(|end| &window[..end])
}

/// `[text](address)`, `[text][name]`, and ``[`code`]``.
fn link(text: &str, before: char) -> Option<(String, usize)> {
    // `list[key][0]` is code.
    let is_indexed = before.is_alphanumeric() || matches!(before, ')' | ']');
    let shown = within(text, "[", "]").filter(|shown| !shown.is_empty())?;
    let rest = &text[shown.len() + 2..];
    let named = || within(rest, "[", "]").filter(|_| !is_indexed);
    // `start[_soon]()` and `NAME([LIST][, ACTION])` lead nowhere.
    let is_target = |target: &&str| match target.chars().next() {
        Some(first) => first != ',',
        None => !is_indexed,
    };
    let target = address(rest).or_else(named).filter(is_target);
    if let Some(target) = target {
        let taken = shown.len() + target.len() + 4;
        return (!shown.contains(['[', '\\'])).then(|| (without_marks(shown), taken));
    }
    let is_code = shown.len() > 2 && shown.starts_with('`') && shown.ends_with('`');
    is_code.then(|| (shown.to_owned(), shown.len() + 2))
}

/// What stands between round brackets, others within them included.
fn address(text: &str) -> Option<&str> {
    let body = text.strip_prefix('(')?;
    let mut depth = 1_usize;
    for (at, byte) in body.bytes().enumerate().take(MARK_BYTES_MAX) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&body[..at]);
        }
    }
    None
}

/// A code span as it is; with two backticks as with one, and as words where it is a link of reStructuredText.
fn code_span(text: &str) -> Option<(String, usize)> {
    let fence = text.bytes().take_while(|byte| *byte == b'`').count();
    let marks = &text[..fence];
    let inner = within(text, marks, marks)?;
    let taken = inner.len() + 2 * fence;
    let rest = &text[taken..];
    let is_link =
        fence == 1 && rest.starts_with('_') && !rest[1..].starts_with(char::is_alphanumeric);
    if is_link {
        let underscores = rest.bytes().take_while(|byte| *byte == b'_').count();
        return Some((title(inner).to_owned(), taken + underscores));
    }
    if fence == 2 && !inner.contains('`') {
        return Some((format!("`{}`", inner.trim()), taken));
    }
    Some((text[..taken].to_owned(), taken))
}

/// What is shown of `title <target>`.
fn title(text: &str) -> &str {
    match text.split_once('<') {
        Some((title, _)) if !title.trim().is_empty() => title.trim(),
        _ => text.trim_matches(['<', '>']),
    }
}

/// `**strong**`.
fn emphasis(text: &str) -> Option<(String, usize)> {
    let inner = within(text, "**", "**")?;
    let is_strong = inner.starts_with(|c: char| !c.is_whitespace() && c != '*')
        && !inner.ends_with(char::is_whitespace);
    is_strong.then(|| (without_marks(inner), inner.len() + 4))
}

/// ``:class:`~package.Name` ``, ``:doc:`title <page>` ``; in MyST ``{class}`~package.Name` ``, which `close` tells.
fn role(text: &str, close: &str) -> Option<(String, usize)> {
    let end = text.find(close).filter(|end| *end > 0)?;
    let name = &text[1..end];
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || b"-+:_".contains(&byte));
    let inner = within(&text[end + 1..], "`", "`").filter(|_| is_name && !name.is_empty())?;
    let taken = end + inner.len() + 3;
    let has_title = inner.contains('<') && title(inner) != inner;
    if has_title || WORD_ROLES.contains(&name.rsplit(':').next().unwrap_or(name)) {
        return Some((title(inner).trim_start_matches('/').to_owned(), taken));
    }
    // A backslash before a sign stands for that sign.
    let inner = &inner.replace("\\\\", "\\");
    let shown = match inner.strip_prefix('~') {
        Some(path) => path.rsplit('.').next().unwrap_or(path),
        None => inner.trim_start_matches(['.', '!']),
    };
    Some((format!("`{shown}`"), taken))
}

/// `|name|_`, which stands for a link.
fn substitution(text: &str) -> Option<(String, usize)> {
    let name = within(text, "|", "|_").filter(|name| !name.contains([' ', '|']))?;
    Some((name.to_owned(), name.len() + 3))
}

/// `{@link Foo}` is `Foo`, `{@link Foo the label}` is `the label`.
fn javadoc(text: &str) -> Option<(String, usize)> {
    let body = within(text, "{@", "}")?;
    let (word, shown) = body.split_once(' ').unwrap_or((body, ""));
    let is_link = matches!(word, "link" | "linkplain");
    let shown = if is_link || word == "value" {
        label(shown.trim())
    } else {
        shown
    };
    // `{@link a.b.Runner}s` are several of these, and no class `Runners`.
    let is_plural = is_link && text[body.len() + 3..].starts_with(char::is_alphanumeric);
    let is_path = is_plural && !shown.contains(' ');
    let shown = if is_path {
        shown.rsplit('.').next().unwrap_or(shown)
    } else {
        shown
    };
    Some((shown.to_owned(), body.len() + 3))
}

/// What YARD links to: `{Till::Drawer#open}`.
fn yard(text: &str) -> Option<(String, usize)> {
    let body = within(text, "{", "}")?;
    let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || ":#_.?!".contains(sign);
    let is_link = body.starts_with(|sign: char| sign.is_ascii_uppercase())
        && (body.contains("::") || body.contains('#'))
        && body.chars().all(is_of_name);
    is_link.then(|| (body.to_owned(), body.len() + 2))
}

/// What is shown of `Target#of(a, b) label` and of `Target|label`.
fn label(link: &str) -> &str {
    let mut depth = 0_usize;
    let end = link.find(|c: char| {
        depth += usize::from(c == '(');
        depth = depth.saturating_sub(usize::from(c == ')'));
        depth == 0 && (c.is_whitespace() || c == '|')
    });
    let (target, label) = link.split_at(end.unwrap_or(link.len()));
    match label.trim_start_matches('|').trim() {
        "" => target.trim_start_matches('#'),
        label => label,
    }
}

/// `<p>` is nothing, `<see cref="Foo"/>` is `Foo`.
fn tag(text: &str) -> Option<(String, usize)> {
    let inner = within(text, "<", ">")?;
    let name = inner.trim_matches('/').trim();
    // `<a href="…">`, `<p class="…">`
    let word = name.split_once(' ').map_or(
        name,
        |(word, rest)| if rest.contains('=') { word } else { name },
    );
    if LAYOUT_TAGS.contains(&word) {
        return Some((String::new(), inner.len() + 2));
    }
    let shown = name
        .strip_prefix("see cref=\"")
        .or_else(|| name.strip_prefix("paramref name=\""))?;
    let shown = shown.split('"').next().unwrap_or_default();
    Some((shown.trim_start_matches("T:").to_owned(), inner.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::{with_entities, without_marks};
    use proptest::prelude::*;

    #[test]
    fn marks_are_taken_off() {
        for (text, expected) in [
            (
                "See [the page](https://a.b/c) of it.",
                "See the page of it.",
            ),
            ("[`Matcher`](x) and [`a::b`]", "`Matcher` and `a::b`"),
            ("A [tool][1] for [WSGI].", "A tool for [WSGI]."),
            ("**Fast [Node](x) server.**", "Fast Node server."),
            ("a ** b ** c, **kwargs", "a ** b ** c, **kwargs"),
            ("The :meth:`~flask.Flask.route` runs", "The `route` runs"),
            ("Uses :data:`.g` and :class:`Item`.", "Uses `g` and `Item`."),
            (
                "Read (:doc:`/blueprints`) or :gh:`the example <a/b>`.",
                "Read (blueprints) or the example.",
            ),
            (
                "Many use `SQLAlchemy`_ or `this <https://x>`__ now.",
                "Many use SQLAlchemy or this now.",
            ),
            ("Runs ``flask`` and `x`.", "Runs `flask` and `x`."),
            ("Uses |fetch|_, a || b", "Uses fetch, a || b"),
            ("Turns {@link Foo} <p>on</p>.", "Turns Foo on."),
            (
                "The {@link a.b.Shop#of(int, int) shop} and {@link Till|till} {@link #pay}.",
                "The shop and till pay.",
            ),
            (
                "See the <a href=\"https://a.b/c\">book</a> of {@code a b}.",
                "See the book of a b.",
            ),
            ("is a <a b> c", "is a <a b> c"),
            ("Is <see cref=\"T:It\"/> a < 1 > c", "Is It a < 1 > c"),
            ("says #{@name} and #{b}", "says #{@name} and #{b}"),
            ("std::`x` and a:b:`c`", "std::`x` and a:b:`c`"),
            ("![a](b) [a [b](c", "![a](b) [a [b](c"),
            ("Tests Till.open[_soon]().", "Tests Till.open[_soon]()."),
            (
                "TILL([ITEMS][, PRICE]) sells",
                "TILL([ITEMS][, PRICE]) sells",
            ),
            ("no `end **here [", "no `end **here ["),
            ("By {@link a.b.Runner}s.", "By Runners."),
            (
                "The {mod}`contextvars` module.",
                "The `contextvars` module.",
            ),
            (
                "Made by {Till::Drawer#open} of {a} and {A}.",
                "Made by Till::Drawer#open of {a} and {A}.",
            ),
            ("The {@code 1.5}x of {@code a.js}on", "The 1.5x of a.json"),
        ] {
            assert_eq!(without_marks(text), expected, "{text}");
        }
    }

    #[test]
    fn entities_stand_for_signs_where_the_text_is_not_about_them() {
        for (text, expected) in [
            ("With &#064;RunWith, a &lt; b.", "With @RunWith, a < b."),
            ("Turns \"<\" into \"&lt;\".", "Turns \"<\" into \"&lt;\"."),
            ("Turns & into &amp;.", "Turns & into &amp;."),
            ("&#x41; &#7;", "&#x41; &#7;"),
        ] {
            assert_eq!(with_entities(text), expected);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_gets_no_longer(text in "[-\\[\\]()`*:|_<>{}@ aé.~]{0,40}") {
            prop_assert!(without_marks(&text).len() <= text.len());
        }
    }
}

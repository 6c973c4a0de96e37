//! A review as Markdown for a comment or a summary of a forge: a verdict, then a list, within a number of characters.
//!
//! Everything that comes from the repository or from a frame stands in code spans, of which a forge makes no mentions, references,
//! links, images or tags; every item is whole, so that the document is valid wherever it ends.

use super::say::{StyledLine, Tone};
use crate::base::printable::{one_line, printable};

/// Marks the one comment that is written again for each head.
pub const MARKER: &str = "<!-- git-merkle:review:1 -->";
/// Fewest characters that a document may be limited to.
pub const CHARACTERS_MIN: usize = 200;
/// Longest text of one code span.
const SPAN_CHARS_MAX: usize = 1_000;

/// A text in a code span, on one line, without what a reader would not see.
#[must_use]
pub fn code(text: &str) -> String {
    let line = printable(&one_line(text)).to_string();
    let line = line.trim();
    let text: String = line.chars().take(SPAN_CHARS_MAX).collect();
    let cut = if text.len() < line.len() { "…" } else { "" };
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // Where a mark of the fence is next to one of the text, a space keeps them apart, which is not shown.
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{cut}{pad}{fence}")
}

/// A line as an item: what it is about in one span, where it stands in another.
#[must_use]
pub fn item(line: &StyledLine) -> String {
    let is_aside = |tone: Tone| tone == Tone::Dim;
    let (mut spans, mut text) = (Vec::new(), String::new());
    for (at, (tone, piece)) in line.0.iter().enumerate() {
        if at > 0 && is_aside(*tone) != is_aside(line.0[at - 1].0) {
            spans.push(code(&std::mem::take(&mut text)));
        }
        text.push_str(piece);
    }
    spans.push(code(&text));
    spans.retain(|span| !span.is_empty());
    format!("- {}\n", spans.join(" "))
}

/// Characters as forges count them: what does not fit into sixteen bits counts twice.
#[must_use]
pub fn characters(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The document with as many of the items as fit; the first of `lists` that fits whole, else as much as fits of the last one.
#[must_use]
pub fn document(verdict: &str, lists: &[Vec<String>], characters_max: usize) -> String {
    let max = characters_max.max(CHARACTERS_MIN);
    let mut head = format!("{MARKER}\n**{verdict}**\n");
    if characters(&head) > max {
        let room = max - characters(&format!("{MARKER}\n**…**\n"));
        let end: String = verdict.chars().take(room / 2).collect();
        head = format!("{MARKER}\n**{}…**\n", end.trim_end());
    }
    for items in lists {
        let whole = format!("{head}\n{}", items.concat());
        if characters(&whole) <= max {
            return if items.is_empty() { head } else { whole };
        }
    }
    let items: &[String] = lists.last().map_or(&[], Vec::as_slice);
    let mut text = format!("{head}\n");
    let mut left = max.saturating_sub(characters(&text));
    for (at, item) in items.iter().enumerate() {
        let more = format!("- …and {} more\n", items.len() - at);
        let next_more = characters(&more);
        let size = characters(item);
        let is_last = at + 1 == items.len();
        if size + if is_last { 0 } else { next_more } > left {
            if next_more <= left {
                text.push_str(&more);
            }
            break;
        }
        text.push_str(item);
        left -= size;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a document without its code spans; `None` where one is not closed in its line.
    fn without_code(text: &str) -> Option<String> {
        let mut out = String::new();
        for line in text.lines() {
            let mut rest = line;
            while let Some(at) = rest.find('`') {
                out.push_str(&rest[..at]);
                let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
                let mut behind = &rest[at + run..];
                loop {
                    let next = behind.find('`')?;
                    let length =
                        behind[next..].len() - behind[next..].trim_start_matches('`').len();
                    behind = &behind[next + length..];
                    if length == run {
                        break;
                    }
                }
                rest = behind;
            }
            out.push_str(rest);
            out.push('\n');
        }
        Some(out)
    }

    const HOSTILE: [&str; 12] = [
        "@ann please",
        "fixes #1",
        "![x](https://example.com/x.png)",
        "<img src=x onerror=alert(1)>",
        "<!-- git-merkle:review:1 -->",
        "``` fence",
        "`````",
        "a`b``c```d",
        "\u{202e}txt",
        "[link](https://example.com)",
        "x\n\n# Title\n- item",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 </details>",
    ];

    #[test]
    fn nothing_of_a_hostile_text_is_alive() {
        for one in HOSTILE {
            for other in HOSTILE {
                let line = StyledLine(vec![
                    (Tone::Name, format!("{one}{other}")),
                    (Tone::Dim, format!(" {other} ")),
                ]);
                let item = item(&line);
                let rest = without_code(&item).expect("spans are closed");
                assert_eq!(rest.trim_end_matches(['\n', ' ']), "-", "{item}");
                assert_eq!(item.lines().count(), 1, "{item}");
                assert!(!item.contains('\u{202e}'));
            }
        }
    }

    #[test]
    fn a_document_is_whole_at_every_limit() {
        let items: Vec<String> = (0..300)
            .map(|number| {
                item(&StyledLine(vec![(
                    Tone::Name,
                    HOSTILE[number % 12].repeat(1 + number % 5),
                )]))
            })
            .collect();
        let short = items[..40].to_vec();
        let lists = [items, short];
        let mut last = 0;
        for limit in (CHARACTERS_MIN..2_000).chain((2_000..70_000).step_by(397)) {
            let text = document("2 signatures changed", &lists, limit);
            assert!(characters(&text) <= limit, "{limit}");
            let rest = without_code(&text).expect("spans are closed");
            assert!(text.starts_with(MARKER) && text.ends_with('\n'));
            for line in rest.lines().skip(1) {
                let is_own = line.is_empty()
                    || line.starts_with("- …and ")
                    || line.trim_end() == "-"
                    || line.starts_with("**2 sig");
                assert!(is_own, "{limit}: {line}");
            }
            last = last.max(text.matches("\n- ").count());
        }
        assert!(last > 40);
    }
}

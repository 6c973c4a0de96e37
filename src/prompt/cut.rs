//! Content blocks of what is too long: as much as fits, under a line that says what was cut.

use super::block::{Block, ChildText, child_block, wrapped};
use super::tag;
use crate::base::token;

/// The outline and the first bytes of a file, whole lines where there is more than one.
///
/// The error is what the shortest such block takes.
pub(super) fn file(path: &str, text: &str, outline: &str, room: u64) -> Result<Block, u64> {
    let outline = outline.trim_end();
    let tag = tag::choose("file", [text, outline].into_iter());
    let block = |outlined: usize, shown: usize| {
        let what = format!(
            "the file of {} bytes is cut to its outline and its first {shown} bytes",
            text.len()
        );
        let body = format!(
            "[Cut to fit: {what}.]\n\n{}\n\n{}",
            &outline[..outlined],
            &text[..shown]
        );
        (wrapped(&tag, path, body.trim_end()), what)
    };
    let tokens = |outlined, shown| token::estimate(&block(outlined, shown).0);
    let with_outline = greatest(text.len(), |shown| {
        tokens(outline.len(), text.floor_char_boundary(shown)) <= room
    });
    let (outlined, shown) = match with_outline {
        Some(shown) => (outline.len(), whole_lines(text, shown)),
        None => {
            let fits = |outlined| tokens(outline.floor_char_boundary(outlined), 0) <= room;
            let outlined = greatest(outline.len(), fits).ok_or_else(|| tokens(0, 0))?;
            (whole_lines(outline, outlined), 0)
        }
    };
    let (text, what) = block(outlined, shown);
    Ok(Block {
        text,
        cut: Some(what),
    })
}

/// The first paragraphs of as many children as fit, in their order.
pub(super) fn directory(
    tag: &str,
    children: &[(String, &ChildText<'_>)],
    room: u64,
) -> Result<Block, u64> {
    let blocks: Vec<String> = children
        .iter()
        .map(|(path, child)| {
            let text = child.text.map(first_paragraph);
            child_block(tag, path, &ChildText { text, ..**child })
        })
        .collect();
    let block = |shown: usize| {
        let what = if shown == blocks.len() {
            format!(
                "of each of the {} children only the first paragraph is given",
                blocks.len()
            )
        } else {
            format!(
                "of the {} children only the first {shown} are given, by their first paragraph",
                blocks.len()
            )
        };
        (
            format!("[Cut to fit: {what}.]\n{}", blocks[..shown].join("\n"))
                .trim_end()
                .to_owned(),
            what,
        )
    };
    let tokens = |shown| token::estimate(&block(shown).0);
    // The sentence for all children is another one than that for some of them.
    let shown = if tokens(blocks.len()) <= room {
        blocks.len()
    } else {
        greatest(blocks.len() - 1, |shown| tokens(shown) <= room).ok_or_else(|| tokens(0))?
    };
    let (text, what) = block(shown);
    Ok(Block {
        text,
        cut: Some(what),
    })
}

fn first_paragraph(text: &str) -> &str {
    let text = text.trim_start_matches('\n');
    text.find("\n\n")
        .map_or(text, |end| &text[..end])
        .trim_end()
}

/// As many whole lines as there are within the first bytes; what fits of the first line when that is longer.
fn whole_lines(text: &str, bytes: usize) -> usize {
    let bytes = text.floor_char_boundary(bytes);
    if bytes == text.len() {
        return bytes;
    }
    text[..bytes].rfind('\n').map_or(bytes, |end| end + 1)
}

/// The greatest number up to `most` that fits, where everything below a number that fits does too.
fn greatest(most: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if !fits(0) {
        return None;
    }
    let (mut good, mut bad) = (0, most + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_that_fits_is_found() {
        for most in 0..20 {
            for limit in 0..=most {
                assert_eq!(greatest(most, |number| number <= limit), Some(limit));
            }
            assert_eq!(greatest(most, |_| false), None);
        }
    }

    #[test]
    fn lines_and_paragraphs_are_not_torn_where_there_is_another_way() {
        assert_eq!(whole_lines("ab\ncd\nef", 7), 6);
        assert_eq!(whole_lines("abcdef\n", 4), 4);
        assert_eq!(whole_lines("aä", 2), 1);
        assert_eq!(whole_lines("ab\ncd", 5), 5);
        assert_eq!(first_paragraph("\n\nLead\nmore.\n\nRest."), "Lead\nmore.");
        assert_eq!(first_paragraph("Lead."), "Lead.");
    }
}

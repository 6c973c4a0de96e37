//! Where a sentence ends.

/// Longest word in front of a full stop that ends no sentence.
const SHORT_BYTES_MAX: usize = 4;

/// Cuts after the first full stop that ends a sentence.
#[must_use]
pub fn first_sentence(text: &str) -> &str {
    const ABBREVIATIONS: [&str; 9] = [
        "e.g", "i.e", "ex", "etc", "vs", "cf", "approx", "n.b", "resp",
    ];
    for (at, _) in text.match_indices(['.', '!', '?', '。']) {
        let (head, tail) = text.split_at(at);
        let tail = &tail[tail.chars().next().map_or(0, char::len_utf8)..];
        let next = tail.trim_start_matches([')', '"', '`', '\'']);
        let opens = next
            .strip_prefix(' ')
            .is_some_and(|rest| rest.starts_with(|c: char| !c.is_lowercase()));
        let word = head.rsplit([' ', '(']).next().unwrap_or(head);
        // `1. Request is sent.`
        let is_number = head.bytes().all(|byte| byte.is_ascii_digit());
        if opens
            && !is_number
            && !ABBREVIATIONS
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        {
            return &text[..text.len() - next.len()];
        }
    }
    text
}

/// A paragraph without its last sentence; `None` where it has one.
pub(super) fn before_announcement(paragraph: &str) -> Option<&str> {
    let mut rest = paragraph;
    while let Some(next) = rest
        .strip_prefix(first_sentence(rest))
        .filter(|next| !next.is_empty())
    {
        rest = next.trim_start();
    }
    let before = paragraph[..paragraph.len() - rest.len()].trim_end();
    // `St.` ends no sentence.
    let last = before.rsplit(' ').next().unwrap_or(before);
    (last.len() > SHORT_BYTES_MAX).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, expected) in [
            ("Does things. More.", "Does things."),
            ("Does things, e.g. this. More.", "Does things, e.g. this."),
            ("Reads a.b and v1.2 files.", "Reads a.b and v1.2 files."),
            ("Is it (really?) so. Yes", "Is it (really?) so."),
            ("Says \"so.\" Then more.", "Says \"so.\""),
            ("No end", "No end"),
            ("1. It is sent. 2. More.", "1. It is sent."),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected);
        }
    }
}

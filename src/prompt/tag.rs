//! Tags around untrusted text: a name that the text cannot close.

use std::collections::HashSet;

/// A number in a tag has no more digits: there are more names than texts have bytes.
const DIGITS_MAX: usize = 9;

/// The tag's name for texts: `name` itself, or with the smallest number that makes it a name which no text closes.
///
/// Closing is read generously, as a model may: in any case, with whatever follows the name.
pub(super) fn choose<'t>(name: &str, texts: impl Iterator<Item = &'t str>) -> String {
    let mut closed: HashSet<String> = HashSet::new();
    for text in texts {
        for (at, _) in text.match_indices("</") {
            let behind = &text.as_bytes()[at + 2..];
            if behind.len() < name.len()
                || !behind[..name.len()].eq_ignore_ascii_case(name.as_bytes())
            {
                continue;
            }
            let digits = behind[name.len()..]
                .iter()
                .take(DIGITS_MAX)
                .take_while(|byte| byte.is_ascii_digit());
            let mut number = String::new();
            closed.insert(String::new());
            for digit in digits {
                number.push(char::from(*digit));
                closed.insert(number.clone());
            }
        }
    }
    if closed.is_empty() {
        return name.to_owned();
    }
    let number = (1..=u32::MAX)
        .find(|number| !closed.contains(&number.to_string()))
        .expect("more numbers than occurrences");
    format!("{name}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_chosen_that_the_text_does_not_close() {
        for (text, expected) in [
            ("", "file"),
            ("<file path=\"x\">", "file"),
            ("a </file> b", "file1"),
            ("a </FILE > b", "file1"),
            ("</files>", "file1"),
            ("</file1>", "file2"),
            ("</file></file1></file2>", "file3"),
            ("</file10>", "file2"),
            ("</", "file"),
            ("</fil", "file"),
            ("</fileä", "file1"),
        ] {
            assert_eq!(choose("file", [text].into_iter()), expected, "{text}");
        }
        assert_eq!(
            choose("child", ["</child>", "</child1>"].into_iter()),
            "child2"
        );
    }
}

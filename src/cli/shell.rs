//! Words of a command line as a shell takes them, for commands that a message names.

/// An argument as a shell takes it.
#[must_use]
pub fn shell_word(text: &str) -> String {
    if text.starts_with('-') {
        quote_word(&format!("./{text}"))
    } else {
        quote_word(text)
    }
}

/// The same of a word that may be an option.
#[must_use]
pub fn quote_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/:@^~+=%,-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('~') {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_a_shell_would_split_them() {
        for (text, word) in [
            ("src/lib.rs", "src/lib.rs"),
            ("HEAD~1:a", "HEAD~1:a"),
            ("a b", "\"a b\""),
            ("$x", "\"\\$x\""),
            ("~", "\"~\""),
            ("-n", "./-n"),
            ("", "\"\""),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }
}

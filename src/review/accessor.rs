//! The accessors of a property of C#: who may read and write it, whatever code they have.

use crate::symbol::{Language, Part, closing, parts};

/// What stands behind the name of a property, as `{ get; private set; }`; `None` where the text begins with no accessors.
pub(super) fn accessors(text: &str) -> Option<String> {
    let text = text.trim_start();
    if text.starts_with("=>") {
        return Some("{ get; }".to_owned());
    }
    let marks = Language::CSharp.marks()?;
    let code = parts(text, &marks).into_iter();
    let code = code.map(|(range, part)| {
        if part == Part::Code {
            &text[range]
        } else {
            " "
        }
    });
    let code: String = code.collect();
    let mut rest = code.strip_prefix('{')?;
    let (mut found, mut words) = (Vec::new(), Vec::new());
    loop {
        rest = rest.trim_start();
        if rest.starts_with('}') {
            break;
        }
        if rest.starts_with('[') {
            rest = &rest[closing(rest)? + 1..];
            continue;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = match word {
            "get" | "set" | "init" => {
                // Modifiers stand in any order.
                words.sort_by_key(|one| (*one == word, std::cmp::Reverse(*one)));
                found.push(format!("{};", words.join(" ")));
                words.clear();
                behind_code(behind.trim_start())?
            }
            "" => return None,
            _ => behind,
        };
    }
    (!found.is_empty()).then(|| format!("{{ {} }}", found.join(" ")))
}

/// The text behind the code of an accessor: a semicolon, a block, or a value and its semicolon.
fn behind_code(text: &str) -> Option<&str> {
    if text.starts_with('{') {
        return Some(&text[closing(text)? + 1..]);
    }
    // A value may hold blocks.
    let mut rest = text;
    loop {
        let at = rest.find([';', '{'])?;
        if rest[at..].starts_with(';') {
            return Some(&rest[at + 1..]);
        }
        rest = &rest[at + closing(&rest[at..])? + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_are_told_without_their_code() {
        for (text, expected) in [
            ("{ get; set; }", Some("{ get; set; }")),
            (
                "{ get; private set; } = \"}\";",
                Some("{ get; private set; }"),
            ),
            ("=> 3;", Some("{ get; }")),
            (
                "{\n // don't\n [A(1)] get => a < b ? x : y; /* set; */ protected internal set { if (a) { b(\"}\"); } }\n}",
                Some("{ get; protected internal set; }"),
            ),
            (
                "{ get => list.Select(x => { return x; }); init; }",
                Some("{ get; init; }"),
            ),
            ("= 3;", None),
            ("{ add; }", None),
            ("{ get", None),
            ("", None),
        ] {
            assert_eq!(accessors(text).as_deref(), expected, "{text}");
        }
    }
}

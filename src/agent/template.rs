//! Prompts with places for what is known of a node: strict, so that a typing error never reaches a model.
//!
//! | written | becomes |
//! |---|---|
//! | `{path}` | the node's path from the root of the repository; `.` for the root itself |
//! | `{node_type}` | `file` or `directory` |
//! | `{file_size}` | the size of a file in bytes; `not applicable` for a directory |
//! | `{{`, `}}` | one brace |
//! | any other brace | an error that names the line |
//!
//! A value is inserted once and never looked at again: a path that looks like a place stays what it is.

use std::fmt;

/// The names of all places.
const NAMES: [&str; 3] = ["path", "node_type", "file_size"];

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TemplateError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong in it.
    pub problem: Problem,
}

/// The kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No such place.
    #[error("unknown placeholder '{{{0}}}'; known are {known}", known = Known)]
    Unknown(String),
    /// A brace that begins no place.
    #[error("'{{' begins no placeholder; known are {known}, and '{{{{' stands for a brace", known = Known)]
    Open,
    /// A brace that ends none.
    #[error("'}}' ends no placeholder; '}}}}' stands for a brace")]
    Close,
}

/// The list of known places, for messages.
struct Known;

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = NAMES.iter().map(|name| format!("{{{name}}}")).collect();
        f.write_str(&names.join(", "))
    }
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values<'v> {
    /// Its path, as text that is safe to show to a model.
    pub path: &'v str,
    /// `file` or `directory`.
    pub node_type: &'v str,
    /// Its size, for a file.
    pub file_size_bytes: Option<u64>,
}

/// A prompt that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Path,
    NodeType,
    FileSize,
}

impl Template {
    /// Checks a text; the first fault is the error.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let line = 1 + text[..text.len() - rest.len() + at].matches('\n').count();
            let (brace, behind) = (&rest[at..=at], &rest[at + 1..]);
            rest = if let Some(behind) = behind.strip_prefix(brace) {
                plain.push_str(brace);
                behind
            } else {
                let (part, behind) =
                    place(brace, behind).map_err(|problem| TemplateError { line, problem })?;
                parts.extend([Part::Text(std::mem::take(&mut plain)), part]);
                behind
            };
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }

    /// The text as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with every place filled.
    #[must_use]
    pub fn fill(&self, values: &Values<'_>) -> String {
        let mut out = String::with_capacity(self.text.len() + values.path.len());
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Path => out.push_str(if values.path.is_empty() {
                    "."
                } else {
                    values.path
                }),
                Part::NodeType => out.push_str(values.node_type),
                Part::FileSize => match values.file_size_bytes {
                    Some(bytes) => out.push_str(&bytes.to_string()),
                    None => out.push_str("not applicable"),
                },
            }
        }
        out
    }
}

/// The place that a single brace begins, and what follows it.
fn place<'t>(brace: &str, behind: &'t str) -> Result<(Part, &'t str), Problem> {
    if brace == "}" {
        return Err(Problem::Close);
    }
    let end = behind
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(behind.len());
    if end == 0 || !behind[end..].starts_with('}') {
        return Err(Problem::Open);
    }
    let part = match &behind[..end] {
        "path" => Part::Path,
        "node_type" => Part::NodeType,
        "file_size" => Part::FileSize,
        other => return Err(Problem::Unknown(other.to_owned())),
    };
    Ok((part, &behind[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Values<'_> = Values {
        path: "a/{node_type}}{{.rs",
        node_type: "file",
        file_size_bytes: Some(0),
    };

    fn filled(text: &str) -> String {
        Template::parse(text).expect("a template").fill(&VALUES)
    }

    #[test]
    fn places_are_filled_once() {
        assert_eq!(filled("{path}"), VALUES.path);
        assert_eq!(
            filled("The {node_type} of {file_size} bytes.\n"),
            "The file of 0 bytes.\n"
        );
        assert_eq!(
            filled("{{path}} {{{path}}} }}{{"),
            "{path} {a/{node_type}}{{.rs} }{"
        );
        assert_eq!(filled(""), "");
        let root = Values {
            path: "",
            node_type: "directory",
            file_size_bytes: None,
        };
        assert_eq!(
            Template::parse("{path} {file_size}")
                .expect("a template")
                .fill(&root),
            ". not applicable"
        );
    }

    #[test]
    fn faults_name_line_and_known_places() {
        let fault = |text: &str| {
            let error = Template::parse(text).expect_err(text);
            (error.line, error.to_string())
        };
        assert_eq!(
            fault("a\nb {pth} c"),
            (
                2,
                "unknown placeholder '{pth}'; known are {path}, {node_type}, {file_size}"
                    .to_owned()
            )
        );
        for (text, line) in [
            ("{", 1),
            ("\n\n{ path}", 3),
            ("{path", 1),
            ("{path\n}", 1),
            ("{pa{path}", 1),
            ("{ä}", 1),
        ] {
            let (found, message) = fault(text);
            assert!(
                found == line && message.starts_with("'{' begins no placeholder"),
                "{text}: {found} {message}"
            );
        }
        assert_eq!(
            fault("x\n}\n"),
            (
                2,
                "'}' ends no placeholder; '}}' stands for a brace".to_owned()
            )
        );
        assert_eq!(fault("{{{").0, 1);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_written_with_doubled_braces(text in ".*") {
            let written = text.replace('{', "{{").replace('}', "}}");
            proptest::prop_assert_eq!(filled(&written), text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[{}a-z_\n ]*") {
            let _ = Template::parse(&text);
        }
    }
}

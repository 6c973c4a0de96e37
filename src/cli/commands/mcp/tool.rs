//! The tools: one table of names, sentences and parameters, and the words of a command line that a call becomes.

use std::ffi::OsString;

use serde_json::{Map, Value, json};

/// Where a parameter stands in the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The value of an option.
    Option(&'static str),
    /// Behind the options and `--`, in the order of the table.
    Argument,
    /// Nowhere: which page of the answer to return.
    Page,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// Paths of the repository: no option, no web address, no list of other entries.
    Paths,
    /// A whole number from 1 to [`NUMBER_MAX`], with its default.
    Number(u64),
}

/// One parameter of a tool.
#[derive(Debug)]
struct Parameter {
    name: &'static str,
    kind: Kind,
    place: Place,
    required: bool,
    description: &'static str,
}

/// A tool, and the command that does its work.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// True when it only reads.
    pub(super) reads: bool,
    /// The command and its fixed options.
    command: &'static [&'static str],
    parameters: &'static [Parameter],
}

/// A call as a command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The command's name, its options and its arguments.
    pub(super) words: Vec<OsString>,
    /// The page of the answer, from 1.
    pub(super) page: usize,
}

const NUMBER_MAX: u64 = 1_000_000;
/// Most bytes of one text: a question or a note.
const TEXT_BYTES_MAX: usize = 64 << 10;
/// Most paths of one call.
const PATHS_MAX: usize = 1_000;

const PAGE: Parameter = Parameter {
    name: "page",
    kind: Kind::Number(1),
    place: Place::Page,
    required: false,
    description: "Page of a long answer, as its `next_page` says",
};

const fn paths(description: &'static str) -> Parameter {
    Parameter {
        name: "paths",
        kind: Kind::Paths,
        place: Place::Argument,
        required: false,
        description,
    }
}

const fn budget(tokens: u64) -> Parameter {
    Parameter {
        name: "budget",
        kind: Kind::Number(tokens),
        place: Place::Option("--budget"),
        required: false,
        description: "Most tokens of the answer",
    }
}

/// The tool that writes; it is there only where the user allows it.
pub(super) const NOTE: Tool = Tool {
    name: "note",
    title: "Add a note",
    description: "Store a lasting note about a file or directory for everyone who works here: a decision, a trap, a reason \
                  that the code does not say. It replaces your earlier note there.",
    reads: false,
    command: &["note", "--agent=assistant"],
    parameters: &[
        Parameter {
            name: "path",
            kind: Kind::Text,
            place: Place::Argument,
            required: true,
            description: "The file or directory",
        },
        Parameter {
            name: "text",
            kind: Kind::Text,
            place: Place::Option("--message"),
            required: true,
            description: "The note, in Markdown",
        },
    ],
};

/// The tools that every client has.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "find",
        title: "Find definitions",
        description: "Search this repository in plain words; returns the files that matter, the best first, with signatures \
                      and the lines of each. For a name alone: what declares it, and the lines that use it.",
        reads: true,
        command: &["find"],
        parameters: &[
            Parameter {
                name: "question",
                kind: Kind::Text,
                place: Place::Argument,
                required: true,
                description: "What you look for, such as \"where are retries limited\", or a name, such as \"Store.open\"",
            },
            paths("Search only these files and directories"),
            budget(1_000),
            PAGE,
        ],
    },
    Tool {
        name: "map",
        title: "Map declarations",
        description: "Declarations of files or directories, with how many files refer to each; the most used come first. Use \
                      it to see what a part of the repository holds.",
        reads: true,
        command: &["map", "--lines"],
        parameters: &[
            paths("Show only these files and directories; all without it"),
            budget(4_000),
            PAGE,
        ],
    },
    Tool {
        name: "show",
        title: "Show statements",
        description: "What is known about files and directories: outlines, summaries by models, notes by people, each with \
                      its author and whether it is up to date. Read it before the file.",
        reads: true,
        command: &["show"],
        parameters: &[paths("Files and directories; the root without it"), PAGE],
    },
    Tool {
        name: "context",
        title: "Read context",
        description: "One Markdown document for a task: structure, statements, and either the definitions for a question or \
                      the text of the paths that you list, reduced to fit the budget.",
        reads: true,
        command: &["context", "--no-system", "--redact", "--allow-missing"],
        parameters: &[
            Parameter {
                name: "question",
                kind: Kind::Text,
                place: Place::Option("--for"),
                required: false,
                description: "The task in plain words; not together with paths",
            },
            paths("Files, directories (dir/), globs or <rev>:<path>"),
            budget(8_000),
            PAGE,
        ],
    },
    Tool {
        name: "changes",
        title: "Review changes",
        description: "What committed work changed since a revision: declarations removed, changed and added with who refers \
                      to them, statements that differ, notes to confirm. Read it before a diff.",
        reads: true,
        command: &["review"],
        parameters: &[
            Parameter {
                name: "since",
                kind: Kind::Text,
                place: Place::Argument,
                required: false,
                description: "A revision, or <old>..<new>; without it, since the branch left the default branch",
            },
            PAGE,
        ],
    },
];

/// The tools of a server; each that answers at length takes the page that its answer names.
pub(super) fn all(may_note: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().chain(may_note.then_some(&NOTE))
}

impl Tool {
    /// The JSON schema of its arguments.
    pub(super) fn input_schema(&self) -> Map<String, Value> {
        let property = |parameter: &Parameter| {
            let mut schema = match parameter.kind {
                Kind::Text => json!({"type": "string"}),
                Kind::Paths => json!({"type": "array", "items": {"type": "string"}}),
                Kind::Number(default) => {
                    json!({"type": "integer", "minimum": 1, "maximum": NUMBER_MAX, "default": default})
                }
            };
            schema["description"] = parameter.description.into();
            (parameter.name.to_owned(), schema)
        };
        let required = self.parameters.iter().filter(|one| one.required);
        let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
        let properties: Map<String, Value> = self.parameters.iter().map(property).collect();
        object(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }))
    }

    /// The command line of a call; an error says what is wrong with its arguments.
    pub(super) fn line(&self, arguments: &Map<String, Value>) -> Result<Line, String> {
        if let Some(unknown) = arguments.keys().find(|key| !self.has(key)) {
            let known: Vec<&str> = self.parameters.iter().map(|one| one.name).collect();
            return Err(format!(
                "'{unknown}' is no parameter of {}; it takes {}",
                self.name,
                known.join(", ")
            ));
        }
        let mut words: Vec<OsString> = self.command.iter().map(OsString::from).collect();
        let (mut behind, mut page) = (Vec::new(), 1);
        for parameter in self.parameters {
            let values = parameter.values(arguments.get(parameter.name))?;
            match parameter.place {
                Place::Argument => behind.extend(values),
                // Joined by `=`, so that no value is read as an option.
                Place::Option(option) => {
                    words.extend(
                        values
                            .iter()
                            .map(|value| format!("{option}={value}"))
                            .map(OsString::from),
                    );
                }
                Place::Page => {
                    page = values
                        .iter()
                        .find_map(|value| value.parse().ok())
                        .unwrap_or(1);
                }
            }
        }
        words.push("--".into());
        words.extend(behind.into_iter().map(OsString::from));
        Ok(Line { words, page })
    }

    fn has(&self, name: &str) -> bool {
        self.parameters
            .iter()
            .any(|parameter| parameter.name == name)
    }
}

impl Parameter {
    /// The values as words; `null` is the same as none.
    fn values(&self, given: Option<&Value>) -> Result<Vec<String>, String> {
        let name = self.name;
        let Some(given) = given.filter(|value| !value.is_null()) else {
            return match self.kind {
                _ if self.required => Err(format!("'{name}' is missing")),
                Kind::Number(default) => Ok(vec![default.to_string()]),
                Kind::Text | Kind::Paths => Ok(Vec::new()),
            };
        };
        match self.kind {
            Kind::Number(_) => {
                let number = given
                    .as_u64()
                    .filter(|number| (1..=NUMBER_MAX).contains(number));
                let number = number.ok_or_else(|| {
                    format!("'{name}' must be a whole number from 1 to {NUMBER_MAX}")
                })?;
                Ok(vec![number.to_string()])
            }
            Kind::Text => Ok(vec![text(name, given)?.to_owned()]),
            Kind::Paths => {
                let list = given.as_array().map(Vec::as_slice);
                // Models often send one path where a list of one is meant.
                let list = list.unwrap_or(std::slice::from_ref(given));
                if list.len() > PATHS_MAX {
                    return Err(format!("'{name}' has more than {PATHS_MAX} entries"));
                }
                let path = |value| path(text(name, value)?).map(str::to_owned);
                list.iter().map(path).collect()
            }
        }
    }
}

fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, String> {
    let text = value
        .as_str()
        .ok_or_else(|| format!("'{name}' must be a string"))?;
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!(
            "'{name}' is over the limit of {TEXT_BYTES_MAX} bytes"
        ));
    }
    if text.contains('\0') {
        return Err(format!("'{name}' holds a NUL byte"));
    }
    Ok(text)
}

/// A path that reads this repository only: standard input carries the protocol, web pages are fetched for people, and a
/// list may stand outside of the repository.
fn path(text: &str) -> Result<&str, String> {
    if text == "-" || text.is_empty() {
        return Err(format!("'{text}' is not a path"));
    }
    if text.contains("://") {
        return Err(format!(
            "'{text}' is not a path; this server fetches no pages"
        ));
    }
    if text.ends_with(".context") {
        return Err(format!(
            "'{text}' is a context list; name the paths that it lists"
        ));
    }
    Ok(text)
}

/// The JSON schema of what every tool returns.
pub(super) fn output_schema() -> Map<String, Value> {
    object(json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "found": {"type": "boolean"},
            "command": {"type": "string"},
            "next_page": {"type": "integer"},
            "remarks": {"type": "array", "items": {"type": "string"}},
            "statements": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["text", "found", "command"],
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::token;

    fn line(tool: &str, arguments: Value) -> Result<Vec<String>, String> {
        let tool = all(true).find(|one| one.name == tool).unwrap();
        let line = tool.line(&object(arguments))?;
        let word = |word: OsString| word.into_string().unwrap();
        Ok(line.words.into_iter().map(word).collect())
    }

    #[test]
    fn a_call_is_a_command_line() {
        for (tool, arguments, expected) in [
            (
                "find",
                json!({"question": "where are retries"}),
                "find|--budget=1000|--|where are retries",
            ),
            (
                "find",
                json!({"question": "--help", "paths": ["--version", "src"], "budget": 50}),
                "find|--budget=50|--|--help|--version|src",
            ),
            ("show", json!({"paths": "src", "page": null}), "show|--|src"),
            (
                "context",
                json!({"question": "-q"}),
                "context|--no-system|--redact|--allow-missing|--for=-q|--budget=8000|--",
            ),
            ("changes", json!({}), "review|--"),
            (
                "note",
                json!({"path": "a", "text": "--edit"}),
                "note|--agent=assistant|--message=--edit|--|a",
            ),
        ] {
            assert_eq!(line(tool, arguments).unwrap().join("|"), expected);
        }
    }

    /// Before, `find` and `map` named a next page and refused to give it.
    #[test]
    fn each_tool_that_reads_takes_the_page_that_its_answer_names() {
        for tool in TOOLS {
            let line = tool.line(&object(json!({"question": "x", "page": 2})));
            let has_question = tool.has("question");
            let arguments = if has_question {
                line
            } else {
                tool.line(&object(json!({"page": 2})))
            };
            assert_eq!(arguments.map(|line| line.page), Ok(2), "{}", tool.name);
        }
    }

    #[test]
    fn what_is_no_argument_is_refused_by_name() {
        for (tool, arguments, expected) in [
            ("find", json!({}), "'question' is missing"),
            (
                "find",
                json!({"question": 3}),
                "'question' must be a string",
            ),
            (
                "find",
                json!({"question": "x", "budget": 0}),
                "'budget' must be a whole number from 1 to 1000000",
            ),
            (
                "find",
                json!({"question": "x", "limit": 3}),
                "'limit' is no parameter of find; it takes question, paths, budget, page",
            ),
            ("show", json!({"paths": ["-"]}), "'-' is not a path"),
            (
                "show",
                json!({"paths": ["a\u{0}b"]}),
                "'paths' holds a NUL byte",
            ),
            (
                "context",
                json!({"paths": ["https://example.org/"]}),
                "'https://example.org/' is not a path; this server fetches no pages",
            ),
            (
                "context",
                json!({"paths": ["/etc/x.context"]}),
                "'/etc/x.context' is a context list; name the paths that it lists",
            ),
        ] {
            assert_eq!(line(tool, arguments).unwrap_err(), expected);
        }
    }

    #[test]
    fn descriptions_leave_room_for_the_task() {
        let tokens = all(true).map(|tool| {
            let schema = Value::from(tool.input_schema());
            token::estimate(&format!("{} {} {schema}", tool.name, tool.description))
        });
        let tokens: u64 = tokens.sum();
        assert!(tokens <= 1_500, "{tokens} tokens");
    }
}

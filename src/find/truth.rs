//! What a commit says about itself, for measuring answers by real work: its words, and the definitions that it changed.
//!
//! The message is the question: without addresses, trailers, paths, names of files, and without a scope in front that is one.
//! The truth about definitions is found by key words and indentation, and so does not depend on what `find` reads.

use std::collections::BTreeSet;

use super::past::is_trailer;

/// Words in front of the name of a definition.
const KEY_WORDS: [&str; 15] = [
    "fn",
    "def",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "module",
    "type",
    "impl",
    "union",
    "macro_rules!",
    "namespace",
];

/// Words that no header of a function has in front of its name.
const STATEMENTS: [&str; 16] = [
    "return", "else", "new", "throw", "case", "await", "if", "for", "while", "switch", "do",
    "goto", "delete", "using", "typedef", "assert",
];

/// How a language marks the header of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// A key word stands in front of the name.
    KeyWord,
    /// A type may stand there instead, as in C, Java and C#.
    Type,
}

impl Headers {
    /// Those of the language that a path's ending says.
    #[must_use]
    pub fn of(path: &[u8]) -> Self {
        const TYPED: [&[u8]; 8] = [b"c", b"h", b"cc", b"cpp", b"hpp", b"cxx", b"java", b"cs"];
        let ending = path.rsplit(|byte| *byte == b'.').next();
        if ending.is_some_and(|ending| TYPED.contains(&ending)) {
            Self::Type
        } else {
            Self::KeyWord
        }
    }
}

/// A message as a question. `files` are the last names of all paths, in lower case, with and without what follows the dot.
#[must_use]
pub fn question_of(message: &str, files: &BTreeSet<String>) -> String {
    let mut words = Vec::new();
    for (number, line) in message.lines().filter(|line| !is_trailer(line)).enumerate() {
        let line = if number == 0 {
            without_scope(line, files)
        } else {
            line
        };
        words.extend(line.split_whitespace().filter(|word| !is_path(word, files)));
    }
    words.join(" ")
}

fn without_scope<'l>(line: &'l str, files: &BTreeSet<String>) -> &'l str {
    match line.split_once(':') {
        Some((scope, rest)) if !scope.contains(' ') || files.contains(&scope.to_lowercase()) => {
            rest
        }
        _ => line,
    }
}

fn is_path(word: &str, files: &BTreeSet<String>) -> bool {
    let bare = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let has_ending = bare.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty()
            && (1..=4).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    word.contains('/') || has_ending || bare.contains('.') && files.contains(&bare)
}

/// The names of the definitions around some lines of a text, by key words and indentation; lines from 0.
#[must_use]
pub fn changed_names(
    text: &str,
    lines: impl IntoIterator<Item = usize>,
    headers: Headers,
) -> BTreeSet<String> {
    let all: Vec<&str> = text.lines().collect();
    lines
        .into_iter()
        .filter_map(|line| name_around(&all, line, headers))
        .collect()
}

fn name_around(lines: &[&str], line: usize, headers: Headers) -> Option<String> {
    let start = (0..=line.min(lines.len().checked_sub(1)?))
        .rev()
        .find(|at| !lines[*at].trim().is_empty())?;
    let mut indent = indent_of(lines[start]) + 1;
    for line in lines[..=start]
        .iter()
        .rev()
        .filter(|line| !line.trim().is_empty())
    {
        if indent_of(line) >= indent {
            continue;
        }
        let typed = (headers == Headers::Type).then(|| typed_function(line));
        if let Some(name) = typed.flatten().or_else(|| declared(line)) {
            return Some(name);
        }
        // What only closes a bracket or goes on with a line of parameters encloses nothing.
        if line
            .trim_start()
            .starts_with([')', '}', ']', '#', '/', '*'])
        {
            continue;
        }
        indent = indent_of(line).max(1);
    }
    None
}

fn indent_of(line: &str) -> usize {
    line.bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// The name of the function whose header begins in a line: a type and a name in front of a parenthesis, or at the edge of the
/// page the name alone, as GNU has it.
fn typed_function(line: &str) -> Option<String> {
    let (head, _) = line.split_once('(')?;
    if head.starts_with(['#', '/', '*'])
        || head.contains(['=', ';', '{', '}', '"', '\''])
        || line.trim_end().ends_with(';')
    {
        return None;
    }
    let words: Vec<&str> = head.split_whitespace().collect();
    let (last, types) = words.split_last()?;
    let is_alone = types.is_empty() && indent_of(line) == 0 && !head.ends_with(' ');
    if types.is_empty() && !is_alone || words.iter().any(|word| STATEMENTS.contains(word)) {
        return None;
    }
    let name = last.rsplit("::").next()?.trim_start_matches(['*', '&']);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}

/// The name that a line declares.
fn declared(line: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let line = line.trim_start();
    if line.starts_with(['#', '/', '*', '"', '\'']) {
        return None;
    }
    let mut before = String::new();
    for word in line.split([' ', '\t']) {
        let (word, glued) = word
            .split_once('(')
            .map_or((word, None), |(word, rest)| (word, Some(rest)));
        if KEY_WORDS.contains(&word) {
            let rest = line.split_once(word)?.1.trim_start();
            // `func (r *T) Name(…)`
            let rest = if word == "func" && rest.starts_with('(') {
                rest.split_once(')')?.1.trim_start()
            } else {
                rest
            };
            let rest = if word == "def" {
                rest.strip_prefix("self.").unwrap_or(rest)
            } else {
                rest
            };
            let rest = rest.trim_start_matches(['*', '&']);
            let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
            if word == "impl" {
                return impl_name(rest);
            }
            // `exports.name = function (…)`
            return if name.is_empty() {
                Some(before).filter(|name| !name.is_empty())
            } else {
                Some(name)
            };
        }
        if word == "pub" {
            continue;
        }
        if glued.is_some() {
            return None;
        }
        let last = word
            .trim_end_matches([':', '='])
            .rsplit('.')
            .next()
            .unwrap_or_default();
        if !last.is_empty() && last.chars().all(is_word) {
            last.clone_into(&mut before);
        }
    }
    None
}

fn impl_name(rest: &str) -> Option<String> {
    let of = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let of = if of.starts_with('<') {
        of.split_once("> ")?.1
    } else {
        of
    };
    let name: String = of
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_taken_out_of_messages() {
        let files: BTreeSet<String> = ["walk.rs", "walk", "ignore"].map(str::to_owned).into();
        let message = "ignore: make walk.rs faster\n\nSee https://x.y/z and crates/ignore, e.g. `walk.rs`.\n\nSigned-off-by: A <b>\n";
        assert_eq!(question_of(message, &files), "make faster See and");
        assert_eq!(question_of("Keep a: b c", &files), "Keep a: b c");
    }

    #[test]
    fn the_definition_around_a_line_is_found() {
        let names = |text: &str, line: usize| {
            changed_names(text, [line], Headers::KeyWord)
                .into_iter()
                .next()
                .unwrap_or_default()
        };
        let rust = "impl<'a> Walk for Dir<'a> {\n    /// Doc.\n    pub(crate) async fn next(\n        &mut self,\n    ) -> u8 {\n        one();\n\n        two()\n    }\n}\n";
        assert_eq!(
            (names(rust, 5), names(rust, 7), names(rust, 2)),
            ("next".into(), "next".into(), "next".into())
        );
        let python =
            "class A(B):\n    x = 1\n\n    def send(self):\n        if x:\n            y()\n";
        assert_eq!(
            (names(python, 1), names(python, 5)),
            ("A".into(), "send".into())
        );
        assert_eq!(
            names("func (c *Command) Run(a int) {\n\tgo()\n}\n", 1),
            "Run"
        );
        assert_eq!(
            names("res.send = function send(body) {\n  x;\n};\n", 1),
            "send"
        );
        assert_eq!(names("app.all = function (path) {\n  x;\n};\n", 1), "all");
        assert_eq!(names("import os\n", 0), "");
    }
    #[test]
    fn a_function_without_a_key_word_is_found_by_its_type() {
        let name = |path: &str, text: &str, line: usize| {
            changed_names(text, [line], Headers::of(path.as_bytes()))
                .into_iter()
                .next()
                .unwrap_or_default()
        };
        let c = "struct loop* uv_run(int a,\n                   int b)\n{\n  if (a) {\n    b = f(a);\n  }\nout:\n  go(b);\n}\n\nstatic int\nwait_for(int c)\n{\n  return g(c);\n}\n";
        assert_eq!(
            [4, 7, 13].map(|line| name("a.c", c, line)),
            ["uv_run", "uv_run", "wait_for"]
        );
        let java = "class Gson {\n  @Override\n  public <T> T read(String s) throws IOException {\n    T t = make(s);\n    run(new Task() {\n      public void go() {\n        x();\n      }\n    });\n    return new T(s);\n  }\n  int a;\n}\n";
        assert_eq!(
            [3, 6, 9, 11].map(|line| name("Gson.java", java, line)),
            ["read", "go", "read", "Gson"]
        );
        assert_eq!(name("a.rs", java, 3), "Gson");
    }
}

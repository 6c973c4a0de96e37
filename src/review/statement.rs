//! Statements of a file that stand outside of all that it declares: `atexit.register(stop)`, `module.exports = …`.
//!
//! They run where a file is loaded, so another one is news beside whatever else of the file has changed. Only languages are read
//! whose files run from top to bottom; comments, imports, texts that document a module, and how lines are broken are no news.

use std::collections::BTreeSet;

use super::body::tokens;
use super::change::{Code, File, ReviewedNumber, Version};
use super::literal;
use super::role::FileRole;
use crate::base::number::IndexVec;
use crate::symbol::Language;

/// The files in which such statements differ, without tests.
pub(super) fn with_other_statements(
    files: &IndexVec<ReviewedNumber, File>,
) -> BTreeSet<ReviewedNumber> {
    let differs = |file: &File| {
        let [old, new] = [&file.old, &file.new].map(|side| side.as_ref().and_then(Version::code));
        matches!((old, new), (Some(old), Some(new)) if are_others(old, new))
    };
    let files = files.iter_enumerated();
    let files = files.filter(|(_, file)| file.role() != FileRole::Test && differs(file));
    files.map(|(number, _)| number).collect()
}

/// Whether two versions have other statements; `false` where their language has none.
fn are_others(old: &Code, new: &Code) -> bool {
    let form = |text: &str| match new.language {
        Some(Language::Python) => of_python(text),
        language => of_lines(text, language),
    };
    let runs = matches!(
        new.language,
        Some(
            Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Tsx
                | Language::Php
                | Language::Ruby
                | Language::Bash
        )
    );
    if !runs || old.language != new.language || old.text == new.text {
        return false;
    }
    let (before, after) = (outside(old), outside(new));
    before != after && form(&before) != form(&after)
}

/// A text without the lines of what it declares.
fn outside(code: &Code) -> String {
    let text = &code.text;
    // A method may stand outside of what it belongs to, as `res.send = function () {}`.
    let all = code.declarations.iter();
    let mut spans: Vec<(usize, usize)> = all
        .map(|one| (one.span.0 as usize, (one.span.1 as usize).min(text.len())))
        .filter(|span| span.0 < span.1)
        .collect();
    spans.sort_unstable();
    let (mut out, mut at) = (String::new(), 0);
    for (start, end) in spans {
        // What stands in front of a declaration or behind it, as `export` and `;`, is of it.
        let start = text.get(..start).and_then(|text| text.rfind('\n'));
        let start = start.map_or(0, |at| at + 1);
        let rest = text.get(end..).unwrap_or_default();
        let end = end + rest.find('\n').map_or(rest.len(), |at| at + 1);
        out.push_str(text.get(at..start).unwrap_or_default());
        at = at.max(end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// What goes on with a statement at the margin.
const PYTHON_CLAUSES: [&str; 4] = ["except", "else", "elif", "finally"];

fn of_python(text: &str) -> Vec<String> {
    let text = literal::statements(text);
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for line in text.lines() {
        let word = line.split(|c: char| !c.is_alphanumeric()).next();
        let goes_on = line.starts_with([' ', '\t'])
            || word.is_some_and(|word| PYTHON_CLAUSES.contains(&word));
        match groups.last_mut().filter(|_| goes_on) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    let is_import = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("import ") || line.starts_with("from ")
    };
    // An import that may fail stands in a block.
    let is_news = |group: &Vec<&str>| {
        // What a module passes on is declared.
        let is_silent =
            group.len() == 1 && group[0].starts_with('"') || group[0].starts_with("__all__");
        let is_fallback = group[0].starts_with("try:") && group.iter().any(is_import);
        !is_silent && !is_fallback
    };
    let groups = groups.into_iter().filter(is_news);
    let lines = groups.flatten().filter(|line| !is_import(line));
    lines.map(str::to_owned).collect()
}

fn of_lines(text: &str, language: Option<Language>) -> Vec<String> {
    let (mut found, mut statement, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    let tokens = tokens(text, language, true).into_iter();
    for token in tokens.chain(["\n"]) {
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !token.starts_with('\n') {
            statement.push(token);
        } else if depth == 0 {
            let whole = std::mem::take(&mut statement);
            if !is_import(&whole, language) {
                found.extend(whole);
            }
        }
    }
    found.extend(statement);
    in_one_form(&found)
}

/// Whether a statement only says where names come from, or opens a file of PHP.
fn is_import(statement: &[&str], language: Option<Language>) -> bool {
    let first = statement.first().copied().unwrap_or_default();
    match language {
        Some(Language::Php) => matches!(first, "<" | "?" | "use" | "namespace"),
        Some(Language::Ruby) => matches!(first, "require" | "require_relative"),
        Some(Language::Bash) => matches!(first, "source" | "."),
        _ => {
            let second = statement.get(1).copied().unwrap_or_default();
            let is_run = second == "(" || second.starts_with(['"', '\'']);
            first == "import" && !is_run
                || first == "export" && matches!(second, "{" | "*" | "type")
                || statement.contains(&"require") && matches!(first, "const" | "let" | "var" | "}")
        }
    }
}

/// Without commas before a bracket that closes, and without `;`; strings between one sort of quotes where they hold none.
fn in_one_form(tokens: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for token in tokens.iter().filter(|token| **token != ";") {
        if matches!(*token, ")" | "]" | "}") && found.last().is_some_and(|last| last == ",") {
            found.pop();
        }
        let inner = token
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        let inner = inner.filter(|inner| !inner.contains(['"', '\\', '$']));
        found.push(inner.map_or_else(|| (*token).to_owned(), |inner| format!("\"{inner}\"")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::compare;

    fn differs(path: &str, language: Language, old: &str, new: &str) -> bool {
        let side = |text: &str| Some(Version::of_text(path, language, text));
        let file = File {
            old: side(old),
            new: side(new),
        };
        !compare(vec![file]).statements.is_empty()
    }

    #[test]
    fn statements_beside_declarations_are_told() {
        let python = "import atexit\n\ndef stop():\n    return 1\n\natexit.register(stop)\n";
        for (old, new, expected) in [
            ("atexit.register(stop)", "", true),
            ("return 1", "return 2", false),
            (
                "import atexit",
                "import atexit, sys\n__all__ = [\"stop\"]",
                false,
            ),
            (
                "import atexit",
                "\"\"\"Says.\"\"\"\nimport atexit  # ?",
                false,
            ),
            ("(stop)", "(\n    stop,\n)", false),
            ("def stop", "def more(): pass\n\ndef stop", false),
            ("def stop", "LIMIT = 1\n\n@cached\ndef stop", false),
            (
                "def stop",
                "try:\n    import a\nexcept ImportError:\n    a = None\ndef stop",
                false,
            ),
            (
                "atexit.reg",
                "if __name__ == '__main__':\n    stop()\natexit.reg",
                true,
            ),
            (
                "atexit.reg",
                "if __name__ == '__main__':\n    import sys\n    stop()\natexit.reg",
                true,
            ),
        ] {
            let new = python.replace(old, new);
            assert_eq!(
                differs("a.py", Language::Python, python, &new),
                expected,
                "{new}"
            );
        }
        assert!(!differs(
            "tests/a.py",
            Language::Python,
            python,
            "import atexit\n"
        ));
    }

    #[test]
    fn statements_of_scripts_are_told() {
        let script = "const a = require('a');\n\nfunction stop() {\n  return 1;\n}\n\nrun(stop, {\n  a: 'b',\n});\n";
        for (old, new, expected) in [
            ("return 1", "return 2", false),
            ("require('a')", "require('b')", false),
            ("run(", "process.exit(1);\nrun(", true),
            ("run(", "import('x').then(stop);\nrun(", true),
            ("run(", "import './polyfill';\nrun(", true),
            (
                "\nfunction",
                "import { b,\n  c } from 'd';\n\nexport function",
                false,
            ),
            (
                "run(stop, {\n  a: 'b',\n});",
                "// Runs.\nrun(stop, { a: \"b\" })",
                false,
            ),
            ("a: 'b'", "a: 'c'", true),
            ("\nfunction", "module.exports = { stop };\nfunction", true),
            (
                "\nfunction",
                "const a = {};\na.b = function b() {\n  c();\n};\nfunction",
                false,
            ),
        ] {
            let new = script.replace(old, new);
            let language = Language::JavaScript;
            assert_eq!(differs("a.js", language, script, &new), expected, "{new}");
        }
        let shell = "set -e\nf() {\n  a\n}\nf \"$1\"\n";
        let shell = |new: &str| differs("a.sh", Language::Bash, shell, new);
        assert!(shell("set -e\nf() {\n  a\n}\n"));
        assert!(!shell("set -e # Ends.\nf() {\n  b\n}\n\nf  \"$1\"\n"));
    }
}

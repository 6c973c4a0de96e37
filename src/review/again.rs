//! Bodies that a file of C has a second time: in another branch of an `#if` a function is written again, in the same words.
//!
//! The list of declarations has each function once, with the first body. What else the file says of it stands between its
//! declarations: a line that starts with the same function, up to the brace that stands alone. Only texts of C are read, and
//! only where a line says `#else` or `#elif`.

use std::collections::HashMap;

use super::declaration::Declaration;
use crate::base::FieldHasher;
use crate::symbol::{BodyDigest, Kind, Language};

/// Longest head of a function, in bytes, up to the brace that opens its body.
const HEAD_BYTES_MAX: usize = 1_024;

/// Makes the digest of each function cover all of its bodies.
pub(super) fn add_bodies(found: &mut [Declaration], text: &str, language: Option<Language>) {
    let is_branch = |line: &str| {
        let word = line.trim_start().strip_prefix('#').map(str::trim_start);
        word.is_some_and(|word| word.starts_with("el"))
    };
    if !matches!(language, Some(Language::C | Language::Cpp)) || !text.lines().any(is_branch) {
        return;
    }
    let functions: HashMap<String, usize> = (0..found.len())
        .filter(|at| {
            let one = &found[*at];
            matches!(one.kind, Kind::Function | Kind::Method)
                && one.owner.is_none()
                && one.body != BodyDigest::default()
        })
        .map(|at| (found[at].own.clone(), at))
        .collect();
    let mut bodies: HashMap<usize, FieldHasher> = HashMap::new();
    for gap in gaps(found, text) {
        for (at, body) in functions_of(gap, &functions) {
            let hasher = bodies.entry(at).or_insert_with(|| {
                FieldHasher::new("git-merkle 2026 bodies/1").field(&found[at].body)
            });
            code(body).for_each(|line| hasher.add(line.as_bytes()));
        }
    }
    for (at, hasher) in bodies {
        found[at].body.copy_from_slice(&hasher.finish().0[..16]);
    }
}

/// What stands between the declarations of a text.
fn gaps<'t>(found: &[Declaration], text: &'t str) -> Vec<&'t str> {
    let mut spans: Vec<(usize, usize)> = found
        .iter()
        .filter(|one| one.owner.is_none())
        .map(|one| (one.span.0 as usize, one.span.1 as usize))
        .collect();
    spans.sort_unstable();
    let (mut gaps, mut from) = (Vec::new(), 0);
    for (start, end) in spans.into_iter().chain([(text.len(), text.len())]) {
        gaps.extend(text.get(from..start.max(from)));
        from = from.max(end);
    }
    gaps
}

/// The functions of a gap that are known by name, with their bodies.
fn functions_of<'t>(gap: &'t str, functions: &HashMap<String, usize>) -> Vec<(usize, &'t str)> {
    let (mut found, mut rest) = (Vec::new(), gap);
    // Behind the last brace of all no body ends, so none is looked for there.
    let Some(last_end) = gap.rfind("\n}") else {
        return found;
    };
    while let Some(line) = rest.lines().next()
        && gap.len() - rest.len() < last_end
    {
        let next = rest.find('\n').map_or("", |end| &rest[end + 1..]);
        let at = head(line).and_then(|name| functions.get(name));
        let Some((at, (body, behind))) = at.and_then(|at| Some((*at, body(rest)?))) else {
            rest = next;
            continue;
        };
        found.push((at, body));
        rest = behind;
    }
    found
}

/// The name of the function with which a line starts: `f` in `static int f(int a)`.
fn head(line: &str) -> Option<&str> {
    let starts = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let (before, _) = line.split_once('(').filter(|_| starts)?;
    let name = before.trim_end();
    let start = name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    Some(&name[start.map_or(0, |at| at + 1)..])
}

/// The body of the function with which a text starts, and what stands behind it; `None` for a prototype.
fn body(text: &str) -> Option<(&str, &str)> {
    let mut head = text.bytes().take(HEAD_BYTES_MAX);
    let open = head.position(|byte| matches!(byte, b'{' | b';'))?;
    if text.as_bytes()[open] == b';' {
        return None;
    }
    let end = open + text[open..].find("\n}")?;
    Some((&text[open..end], &text[end + 2..]))
}

/// The lines of a body, without those that only hold a comment.
fn code(body: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &str| {
        let is_whole = line.starts_with("/*") && line.find("*/") == line.len().checked_sub(2);
        line.starts_with("//") || line.starts_with("* ") || is_whole
    };
    let lines = body.lines().map(str::trim);
    lines.filter(move |line| !line.is_empty() && !is_comment(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::declaration::declarations;
    use crate::symbol::extract;

    fn bodies(text: &str) -> Vec<(String, BodyDigest)> {
        let outline = extract(Some(Language::C), text.as_bytes());
        let mut found = declarations(&outline, text);
        add_bodies(found.as_raw_slice_mut(), text, outline.language);
        found.into_iter().map(|one| (one.own, one.body)).collect()
    }

    fn file(first: &str, second: &str) -> String {
        format!(
            "#ifdef X\nstatic int\nf(int a)\n{{\n    {first}\n}}\nint g(void);\n#else\nstatic int\nf(int a)\n{{\n    {second}\n}}\nint g(void);\n#endif\nint g(void)\n{{\n    return 1;\n}}\n"
        )
    }

    #[test]
    fn a_body_under_else_is_one_of_its_function() {
        let before = bodies(&file("return a;", "return b;"));
        assert_eq!(before.len(), 2, "each function is one");
        for (first, second) in [("return c;", "return b;"), ("return a;", "return c;")] {
            let after = bodies(&file(first, second));
            assert_ne!(after[0], before[0], "{first} {second}");
            assert_eq!(after[1], before[1], "another function stays");
        }
        let same = file("return a;", "/* Says. */\n\n    return b;");
        let changed = file("return a;", "/* Says. */ c();\n# if 1\n    return b;");
        assert_ne!(bodies(&changed)[0], before[0]);
        assert_eq!(bodies(&same), before);
    }

    #[test]
    fn a_call_a_prototype_and_another_function_are_no_bodies() {
        let functions = HashMap::from([("f".to_owned(), 0)]);
        for text in [
            "int f(int a);\nint x = 1;\n",
            "    f(1);\n{\n}\n",
            "#define F f(1)\n",
            "int h(void)\n{\n    f(1);\n}\n",
            "f(",
            "int f(int a)\n{\n",
            &format!("int f({})\n{{\n}}\n", "a".repeat(HEAD_BYTES_MAX)),
            "",
        ] {
            assert_eq!(functions_of(text, &functions), [], "{text}");
        }
        let two = "int f(void) {\n    a();\n}\n#elif Y\nint f(void) {\n    b();\n}\n";
        assert_eq!(functions_of(two, &functions).len(), 2);
    }

    #[test]
    fn without_branches_nothing_is_another() {
        let text = "int f(void) {\n    return 1;\n}\n";
        let outline = extract(Some(Language::C), text.as_bytes());
        assert_eq!(bodies(text)[0].1, outline.symbols[0].body);
    }
}

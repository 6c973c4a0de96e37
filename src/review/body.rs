//! Whether the bodies of two versions of a declaration differ.
//!
//! | language | is no difference |
//! |---|---|
//! | all with a grammar | comments, empty lines, ends of lines: the record of a file has a digest without them |
//! | Python | how statements are broken into lines, quotes |
//! | read line by line | comments and white space within a line; there is no digest, so the text is read |
//!
//! Where the signature is another as well, a parameter that only has another name in both is none either.

use std::collections::HashMap;

use super::alike::is_callable;
use super::change::Code;
use super::declaration::{Declaration, DeclarationNumber};
use super::literal;
use super::signature::{is_word, parts};
use crate::symbol::{self, Language, Part};

/// A declaration with the text in which it stands.
#[derive(Clone, Copy)]
pub(super) struct InText<'c> {
    pub code: &'c Code,
    pub number: DeclarationNumber,
}

impl<'c> InText<'c> {
    /// What it says of itself.
    pub(super) fn one(self) -> &'c Declaration {
        &self.code.declarations[self.number]
    }

    fn body(self) -> &'c str {
        let one = self.one();
        let body = one.body_at as usize..(one.span.1 as usize).min(self.code.text.len());
        self.code.text.get(body).unwrap_or_default()
    }

    fn is_python(self) -> bool {
        self.code.language == Some(Language::Python)
    }

    /// Its lines without comments and members, where it was read line by line; nothing where a digest tells more.
    fn plain_lines(self) -> Vec<String> {
        let one = self.one();
        let has_digest = self.code.language.is_none_or(Language::has_grammar);
        if has_digest || one.has_value() || one.span.0 == one.span.1 {
            return Vec::new();
        }
        let (mut from, end) = (one.span.0 as usize, one.span.1 as usize);
        let all = self.code.declarations.iter();
        let within = all.filter(|other| other.owner == Some(self.number));
        let mut holes: Vec<(usize, usize)> = within
            .map(|other| (other.span.0 as usize, other.span.1 as usize))
            .filter(|hole| hole.0 >= from && hole.1 <= end)
            .collect();
        holes.sort_unstable();
        holes.push((end, end));
        let mut text = String::new();
        for (to, next) in holes {
            text.push_str(self.code.text.get(from..to).unwrap_or_default());
            from = from.max(next);
        }
        let code = without_comments(&text, self.code.language);
        let lines = code.lines().map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.join(" ")
        });
        lines.filter(|line| !line.is_empty()).collect()
    }
}

/// Whether both have the same body.
pub(super) fn is_same(old: InText<'_>, new: InText<'_>) -> bool {
    let (before, after) = (old.one(), new.one());
    if before.body != after.body {
        let is_function = |side: InText<'_>| side.is_python() && is_callable(side.one().kind);
        return is_function(old)
            && is_function(new)
            && literal::statements(old.body()) == literal::statements(new.body());
    }
    old.plain_lines() == new.plain_lines()
}

/// Whether the body is another where the signature is: beyond new names of parameters.
pub(super) fn differs_as_well(old: InText<'_>, new: InText<'_>) -> bool {
    let (before, after) = (old.one(), new.one());
    if before.kind != after.kind && !(is_callable(before.kind) && is_callable(after.kind)) {
        return false;
    }
    if before.body == after.body {
        // The first line of what was read line by line is the signature.
        let [old, new] = [old.plain_lines(), new.plain_lines()];
        return old.get(1..) != new.get(1..);
    }
    if is_same(old, new) {
        return false;
    }
    // Where digests of equal texts differ, a branch of an `#if` has another body of the function.
    let is_first_alike = old.body() == new.body();
    let sides = [old, new].map(|side| {
        if side.is_python() {
            literal::statements(side.body())
        } else {
            side.body().to_owned()
        }
    });
    let language = new.code.language;
    let keeps_lines = new.is_python();
    let [one, other] = [&sides[0], &sides[1]].map(|text| tokens(text, language, keeps_lines));
    let is_renamed = Renaming::of(old, new).leads(&one, &other);
    is_first_alike || !is_renamed
}

fn without_comments(text: &str, language: Option<Language>) -> String {
    let Some(marks) = language.and_then(Language::marks) else {
        return text.to_owned();
    };
    let parts = symbol::parts(text, &marks).into_iter();
    parts
        .map(|(range, part)| match part {
            Part::Comment if text[range.clone()].ends_with('\n') => "\n",
            Part::Comment => " ",
            _ => &text[range],
        })
        .collect()
}

/// The words and marks of a text, each string as one, without comments; where lines are kept, with their starts.
pub(super) fn tokens(text: &str, language: Option<Language>, keeps_lines: bool) -> Vec<&str> {
    let Some(marks) = language.and_then(Language::marks) else {
        return text.split_whitespace().collect();
    };
    let mut found = Vec::new();
    for (range, part) in symbol::parts(text, &marks) {
        match part {
            Part::Code => words(&text[range], keeps_lines, &mut found),
            Part::Comment if keeps_lines && text[range.clone()].ends_with('\n') => {
                found.push("\n");
            }
            Part::Comment => {}
            Part::Quoted | Part::Text => found.push(&text[range]),
        }
    }
    found
}

fn words<'t>(code: &'t str, keeps_lines: bool, found: &mut Vec<&'t str>) {
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\n' if keeps_lines => rest[1..].find(|c| c != ' ' && c != '\t').map(|at| at + 1),
            c if is_word(c) => rest.find(|c| !is_word(c)),
            c => Some(c.len_utf8()),
        };
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if !word.trim().is_empty() || keeps_lines && first == '\n' {
            found.push(word);
        }
        rest = behind;
    }
}

/// The parameters that have another name in the place where they stand.
struct Renaming<'c> {
    language: Option<Language>,
    names: HashMap<&'c str, &'c str>,
}

impl<'c> Renaming<'c> {
    fn of(old: InText<'c>, new: InText<'c>) -> Self {
        let language = new.code.language;
        let list = |side: InText<'c>| parts(&side.one().signature, &side.one().own)?.parameters;
        let (before, after) = (list(old).unwrap_or_default(), list(new).unwrap_or_default());
        let mut names = HashMap::new();
        if before.len() == after.len() {
            let pairs = before.into_iter().zip(after);
            let pairs = pairs.map(|(one, other)| (called(language, one), called(language, other)));
            names.extend(pairs.filter(|(one, other)| one != other && !one.is_empty()));
        }
        Self { language, names }
    }

    /// Whether it leads from one body to the other, and nothing else differs.
    fn leads(&self, old: &[&str], new: &[&str]) -> bool {
        if old.len() != new.len() {
            return false;
        }
        let mut open: Vec<&str> = Vec::new();
        for (at, (word, other)) in old.iter().zip(new).enumerate() {
            match *word {
                "(" | "[" | "{" => open.push(word),
                ")" | "]" | "}" => drop(open.pop()),
                _ => {}
            }
            let name = self.names.get(word);
            let expected = name.filter(|_| self.is_variable(old, at, &open));
            // What had the new name before is something else.
            let is_taken = name.is_none() && self.names.values().any(|name| name == word);
            if expected.unwrap_or(word) != other || is_taken {
                return false;
            }
        }
        true
    }

    /// Whether a word is no member, no key and no name of an argument, as far as what stands beside it tells.
    fn is_variable(&self, words: &[&str], at: usize, open: &[&str]) -> bool {
        let before = |count: usize| at.checked_sub(count).map_or("", |at| words[at]);
        let behind = |count: usize| words.get(at + count).copied().unwrap_or_default();
        let is_member = before(1) == "."
            || before(1) == ":" && before(2) == ":"
            || before(1) == ">" && before(2) == "-";
        let innermost = open.last().copied().unwrap_or_default();
        let is_key = if self.language == Some(Language::Python) {
            innermost == "(" && behind(1) == "=" && behind(2) != "="
        } else {
            let is_short = innermost == "{"
                && open.len() > 1
                && matches!(before(1), "{" | ",")
                && matches!(behind(1), "}" | ",");
            is_short || behind(1) == ":" && behind(2) != ":"
        };
        !is_member && !is_key
    }
}

/// What a parameter is called; nothing where that is not told.
fn called(language: Option<Language>, parameter: &str) -> &str {
    let declared = parameter.split('=').next().unwrap_or_default().trim_end();
    let is_last = matches!(
        language,
        Some(Language::C | Language::Cpp | Language::CSharp | Language::Java | Language::Php)
    );
    if is_last {
        let start = declared.trim_end_matches(is_word).len();
        return &declared[start..];
    }
    let declared = declared.trim_start_matches(['*', '&', '.', ' ']);
    let declared = declared.strip_prefix("mut ").unwrap_or(declared);
    let end = declared.find(|c| !is_word(c)).unwrap_or(declared.len());
    &declared[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{File, How};
    use crate::review::{Version, compare};

    /// Whether the body of what changed is said to be another as well.
    fn has_body(language: Language, old: &str, new: &str) -> bool {
        let side = |text: &str| Some(Version::of_text("a", language, text));
        let file = File {
            old: side(old),
            new: side(new),
        };
        let list = compare(vec![file]).list;
        let one = list.iter().find(|one| one.how == How::Signature);
        one.unwrap_or_else(|| panic!("no signature differs: {new}"))
            .has_body
    }

    #[test]
    fn a_body_that_changed_with_its_signature_is_told() {
        let go = |parameters: &str, sign: &str| {
            format!(
                "package a\nfunc Allow({parameters}) bool {{\n\treturn user {sign} \"root\"\n}}\n"
            )
        };
        for (old, new, expected) in [
            (
                ("user string", "=="),
                ("user string, why string", "!="),
                true,
            ),
            (
                ("user string", "=="),
                ("user string, why string", "=="),
                false,
            ),
        ] {
            let (old, new) = (go(old.0, old.1), go(new.0, new.1));
            assert_eq!(has_body(Language::Go, &old, &new), expected, "{new}");
        }
        let c = "int f(int a) { return a; }\n";
        assert!(has_body(Language::C, c, "long f(int a) { return 1; }\n"));
        assert!(!has_body(Language::C, c, "long f(int a) { return a; }\n"));
    }

    #[test]
    fn another_name_of_a_parameter_is_no_other_body() {
        for (body, other, expected) in [
            ("return user", "return person", false),
            ("return  user # ?", "return person", false),
            ("return user.user", "return person.user", false),
            ("return user.user", "return person.person", true),
            ("return f(user=user)", "return f(user=person)", false),
            ("return f(user=user)", "return f(person=person)", true),
            ("return user == 'a'", "return person != 'a'", true),
            ("return person(user)", "return person(person)", true),
            ("return 'user'", "return 'person'", true),
            (
                "if user:\n        a()\n    b()",
                "if person:\n        a()\n        b()",
                true,
            ),
        ] {
            let python = |name: &str, body: &str| format!("def f({name}, b):\n    {body}\n");
            let (old, new) = (python("user", body), python("person", other));
            assert_eq!(has_body(Language::Python, &old, &new), expected, "{other}");
        }
        for (language, old, new, expected) in [
            (
                Language::Rust,
                "fn f(mut a: u8) -> u8 { a }",
                "fn f(b: u8) -> u8 { b }",
                false,
            ),
            (
                Language::Rust,
                "fn f(a: u8) -> S { S { a } }",
                "fn f(b: u8) -> S { S { b } }",
                true,
            ),
            (
                Language::JavaScript,
                "function f(a) { return g({ a: a }); }",
                "function f(b) { return g({ a: b }); }",
                false,
            ),
            (
                Language::Java,
                "class A { int f(int a) { return a + 1; } }",
                "class A { int f(int b) { return b + 1; } }",
                false,
            ),
        ] {
            assert_eq!(has_body(language, old, new), expected, "{new}");
        }
    }

    #[test]
    fn bodies_of_what_is_read_line_by_line_are_compared() {
        let vim = |sign: &str, parameters: &str| {
            format!(
                "def F({parameters})\n  \" Says.\n  if a {sign} 1\n    return 2\n  endif\nenddef\n"
            )
        };
        let news = |old: &str, new: &str| {
            let side = |text: &str| Some(Version::of_text("a.vim", Language::Vim, text));
            let file = File {
                old: side(old),
                new: side(new),
            };
            let list = compare(vec![file]).list.into_iter();
            let one = list.map(|one| (one.how, one.has_body, one.declaration().name.clone()));
            one.collect::<Vec<_>>()
        };
        let old = vim("==", "a");
        assert_eq!(
            news(&old, &vim("!=", "a")),
            [(How::Body, false, "F".to_owned())]
        );
        assert!(news(&old, &old.replace("Says", "Tells")).is_empty());
        assert!(news(&old, &old.replace("a ==", "a  ==")).is_empty());
        assert_eq!(
            news(&old, &vim("!=", "a, b")),
            [(How::Signature, true, "F".to_owned())]
        );
        assert_eq!(
            news(&old, &vim("==", "a, b")),
            [(How::Signature, false, "F".to_owned())]
        );
    }
}

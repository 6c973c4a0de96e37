//! Groups of the preprocessor that cut through a statement of C, or of C#.
//!
//! The grammar takes `#if` where statements or declarations stand. A group that begins or ends within one, as in
//! `#ifdef A … else if (a) {} … #endif`, tears the function around it apart, and what its body declares counts as
//! declared by the file. Of such a group, and of what `#if 0` switches off, one branch is parsed; the lines of the preprocessor and the
//! other branches are made blank, and what only these refer to is not seen.
//! Digests of bodies are made of the text as it was written, with all branches.

use std::ops::Range;

use super::tokens::{Kind, Tokens};

/// Groups within one another that are looked at; a text with deeper ones is left to the grammar.
const DEPTH_MAX: usize = 64;

/// What a bracket that is open belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The body of a function, or a list of values.
    Body,
    /// The body of a type or of a namespace.
    Members,
    /// Round or square brackets.
    Brackets,
}

/// The brackets that are open at a place: how many, and the number of the innermost, from 1. Each branch of a group goes on from
/// the same place, so they are kept as a tree.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    depth: usize,
    innermost: usize,
}

/// All brackets, each with what was open around it.
#[derive(Default)]
struct Scopes(Vec<(Scope, Open)>);

impl Scopes {
    fn innermost(&self, open: Open) -> Option<Scope> {
        Some(self.0.get(open.innermost.checked_sub(1)?)?.0)
    }

    fn enter(&mut self, scope: Scope, open: Open) -> Open {
        self.0.push((scope, open));
        Open {
            depth: open.depth + 1,
            innermost: self.0.len(),
        }
    }

    fn leave(&self, open: Open) -> Open {
        let place = open.innermost.checked_sub(1);
        place.map_or(open, |place| self.0[place].1)
    }
}

/// One branch of a group, by the numbers of tokens.
struct Branch {
    /// Its line of the preprocessor.
    directive: usize,
    /// Its first and last token; a line of the preprocessor for a group within it.
    ends: Option<(usize, usize)>,
    /// What is open at its end.
    after: Open,
    /// How few brackets were open meanwhile.
    lowest: usize,
}

struct Group {
    branches: Vec<Branch>,
    /// What stands before it.
    before: Option<usize>,
    /// What is open there.
    open: Open,
}

/// What is to be made blank, so that no such group is left.
pub(super) fn torn(tokens: &Tokens<'_>) -> Vec<Range<usize>> {
    let mut blank = vec![false; tokens.all.len()];
    let (mut scopes, mut groups): (Scopes, Vec<Group>) = (Scopes::default(), Vec::new());
    let (mut open, mut before): (Open, Option<usize>) = (Open::default(), None);
    for at in 0..tokens.all.len() {
        match tokens.condition(at) {
            Some("if" | "ifdef" | "ifndef") => {
                if groups.len() == DEPTH_MAX {
                    return Vec::new();
                }
                groups.push(Group {
                    branches: vec![Branch::new(at, open)],
                    before,
                    open,
                });
            }
            Some("else" | "elif" | "elifdef" | "elifndef") => {
                if let Some(group) = groups.last_mut() {
                    group.close(open);
                    open = group.open;
                    group.branches.push(Branch::new(at, open));
                }
            }
            Some("endif") => {
                let Some(mut group) = groups.pop() else {
                    continue;
                };
                group.close(open);
                let is_whole = !group.is_off(tokens) && group.is_whole(tokens, &scopes);
                let kept = group.kept(tokens);
                if !is_whole {
                    group.blank(kept, at, &mut blank);
                }
                let branch = kept.map(|kept| &group.branches[kept]);
                open = branch.map_or(group.open, |branch| branch.after);
                let ends = match branch {
                    _ if is_whole => Some((group.branches[0].directive, at)),
                    Some(branch) => branch.ends,
                    None => None,
                };
                if let Some(around) = groups.last_mut() {
                    around.add(ends, branch.map_or(open.depth, |branch| branch.lowest));
                }
                before = ends.map_or(group.before, |ends| Some(ends.1));
            }
            _ => {
                open = tokens.follow(at, before, &mut scopes, open);
                if let Some(group) = groups.last_mut() {
                    group.add(Some((at, at)), open.depth);
                }
                before = Some(at);
            }
        }
    }
    let marked = tokens
        .all
        .iter()
        .zip(blank)
        .filter(|(_, is_blank)| *is_blank);
    marked.map(|(token, _)| token.1.clone()).collect()
}

impl Branch {
    fn new(directive: usize, open: Open) -> Self {
        Self {
            directive,
            ends: None,
            after: open,
            lowest: open.depth,
        }
    }
}

impl Group {
    /// Adds tokens to its last branch.
    fn add(&mut self, ends: Option<(usize, usize)>, lowest: usize) {
        let branch = self.branches.last_mut().expect("a group has a branch");
        branch.lowest = branch.lowest.min(lowest);
        if let Some((first, last)) = ends {
            let first = branch.ends.map_or(first, |ends| ends.0);
            branch.ends = Some((first, last));
        }
    }

    /// Ends its last branch.
    fn close(&mut self, open: Open) {
        let branch = self.branches.last_mut().expect("a group has a branch");
        branch.after = open;
    }

    /// The branch that is parsed: the first, unless that is switched off.
    fn kept(&self, tokens: &Tokens<'_>) -> Option<usize> {
        let kept = usize::from(self.is_off(tokens));
        (kept < self.branches.len()).then_some(kept)
    }

    /// Whether its first branch is switched off: `#if 0`.
    fn is_off(&self, tokens: &Tokens<'_>) -> bool {
        let line = tokens.line(self.branches[0].directive);
        let condition = line.strip_prefix("if").unwrap_or_default();
        let condition = condition.split("/*").next().unwrap_or_default();
        let condition = condition.split("//").next().unwrap_or_default();
        condition.trim_matches([' ', '\t', '(', ')']) == "0"
    }

    /// Whether each branch holds whole statements or declarations.
    fn is_whole(&self, tokens: &Tokens<'_>, scopes: &Scopes) -> bool {
        match scopes.innermost(self.open) {
            Some(Scope::Brackets) => false,
            Some(Scope::Body) => {
                let before = self.before;
                before.is_none_or(|before| tokens.ends_statement(before))
                    && self.branches.iter().all(|branch| {
                        let is_statement = |(first, last): (usize, usize)| {
                            !tokens.goes_on(first) && tokens.ends_statement(last)
                        };
                        self.is_balanced(branch) && branch.ends.is_none_or(is_statement)
                    })
            }
            Some(Scope::Members) | None => self.branches.iter().all(|branch| {
                let is_linkage = |(first, last)| tokens.is_linkage(first, last);
                let goes_on = |(first, _)| tokens.goes_on_with_list(first);
                branch.ends.is_some_and(is_linkage)
                    || self.is_balanced(branch) && !branch.ends.is_some_and(goes_on)
            }),
        }
    }

    fn is_balanced(&self, branch: &Branch) -> bool {
        branch.after.depth == self.open.depth && branch.lowest >= self.open.depth
    }

    /// Marks all tokens of a group but those of the branch that is kept: comments are left to the grammar.
    fn blank(&self, kept: Option<usize>, end: usize, blank: &mut [bool]) {
        for (number, branch) in self.branches.iter().enumerate() {
            let next = self.branches.get(number + 1);
            let last = match next {
                _ if Some(number) == kept => branch.directive + 1,
                Some(next) => next.directive,
                None => end,
            };
            blank[branch.directive..last].fill(true);
        }
        blank[end] = true;
    }
}

impl Tokens<'_> {
    /// A line of the preprocessor without its mark; empty for any other token.
    fn line(&self, at: usize) -> &str {
        let token = self
            .all
            .get(at)
            .filter(|(kind, _)| *kind == Kind::Directive);
        let line = token.map_or("", |(_, range)| &self.text[range.clone()]);
        line.trim_start_matches('#').trim_start()
    }

    /// The word of a line of the preprocessor.
    fn condition(&self, at: usize) -> Option<&str> {
        let line = self.line(at);
        let end = line.find(|c: char| !c.is_ascii_alphabetic());
        Some(&line[..end.unwrap_or(line.len())]).filter(|word| !word.is_empty())
    }

    /// What is open behind a token.
    fn follow(&self, at: usize, before: Option<usize>, scopes: &mut Scopes, open: Open) -> Open {
        const BEFORE_BODY: [&str; 6] = ["const", "noexcept", "override", "final", "try", "mutable"];
        let innermost = scopes.innermost(open);
        if self.is_sign(at, b"([") {
            scopes.enter(Scope::Brackets, open)
        } else if self.is_sign(at, b")]") && innermost == Some(Scope::Brackets) {
            scopes.leave(open)
        } else if self.is_sign(at, b"{") {
            // `f(void) {`, `= {`, and `f(a) int a; {` as before the standard.
            let is_body = before.is_some_and(|before| {
                self.is_sign(before, b")=;") || BEFORE_BODY.contains(&self.word(before))
            });
            let is_within = matches!(innermost, Some(Scope::Body | Scope::Brackets));
            let scope = if is_body || is_within {
                Scope::Body
            } else {
                Scope::Members
            };
            scopes.enter(scope, open)
        } else if self.is_sign(at, b"}") {
            let mut open = open;
            while scopes.innermost(open) == Some(Scope::Brackets) {
                open = scopes.leave(open);
            }
            scopes.leave(open)
        } else {
            open
        }
    }

    /// Whether a statement may end with a token, or begin behind it.
    fn ends_statement(&self, at: usize) -> bool {
        self.is_sign(at, b";{}:,") || self.all[at].0 == Kind::Directive
    }

    /// Whether a token goes on with what stands before it.
    fn goes_on(&self, at: usize) -> bool {
        self.word(at) == "else"
            || self.is_sign(at, b")]|?=<>/%^,")
            || self.is_sign(at, b"&") && self.is_sign(at + 1, b"&")
    }

    /// Whether a token goes on with the bases of a type or with a list: `class A : B`, and in a group `, C`.
    fn goes_on_with_list(&self, at: usize) -> bool {
        self.is_sign(at, b",") || self.is_sign(at, b":") && !self.is_sign(at + 1, b":")
    }

    /// What ends with `extern "C" {`, or the bracket that ends that: in a group of their own these are known to the grammar.
    fn is_linkage(&self, first: usize, last: usize) -> bool {
        last == first && self.is_sign(first, b"}")
            || last >= first + 2 && self.word(last - 2) == "extern" && self.is_sign(last, b"{")
    }
}

/// The lines of the preprocessor of C# that speak to the compiler or the editor: they belong to no declaration.
pub(super) fn asides(tokens: &Tokens<'_>) -> Vec<Range<usize>> {
    const WORDS: [&str; 6] = [
        "pragma",
        "nullable",
        "region",
        "endregion",
        "warning",
        "line",
    ];
    let is_aside = |at: &usize| {
        tokens
            .condition(*at)
            .is_some_and(|word| WORDS.contains(&word))
    };
    let found = (0..tokens.all.len()).filter(is_aside);
    found.map(|at| tokens.all[at].1.clone()).collect()
}

#[cfg(test)]
mod tests {
    use crate::symbol::extract::tokens::{Tokens, blank};

    /// A text as the grammar gets it, without blank lines and ends of lines.
    fn parsed(text: &str) -> String {
        let blank = blank(text, super::torn(&Tokens::of(text)));
        assert_eq!(blank.len(), text.len());
        let lines = blank.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn of_a_group_that_cuts_a_statement_one_branch_is_left() {
        for (text, expected) in [
            (
                "void f(void) {\n  if (a) { b(); }\n#ifdef C\n  else if (c) { d(); }\n#endif\n}\n",
                "void f(void) {\nif (a) { b(); }\nelse if (c) { d(); }\n}",
            ),
            (
                "int f(void) {\n  return a\n#if B\n    + b\n#else\n    + c // no c\n#endif\n  ;\n}\n",
                "int f(void) {\nreturn a\n+ b\n// no c\n;\n}",
            ),
            (
                "int f(void) {\n#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n    c();\n  }\n}\n",
                "int f(void) {\nif (a) {\nc();\n}\n}",
            ),
            (
                "int g(a,\n#ifdef B\n b,\n#endif\n c);\n",
                "int g(a,\nb,\nc);",
            ),
            (
                "struct A : B {\n  void f() override {\n    if (a) {}\n#ifdef C\n    else if (c) {}\n#endif\n  }\n};\n",
                "struct A : B {\nvoid f() override {\nif (a) {}\nelse if (c) {}\n}\n};",
            ),
            (
                "int f(void) {\n  g(a,\n#if 0\n    x);\n#else\n    b);\n#endif\n}\n",
                "int f(void) {\ng(a,\nb);\n}",
            ),
            (
                "int f(void) {\n  if (a)\n#ifdef A\n#ifdef B\n    b();\n#else\n    c();\n#endif\n#endif\n  d();\n}\n",
                "int f(void) {\nif (a)\nb();\nd();\n}",
            ),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_group_in_a_list_leaves_the_list_in_one_piece() {
        for (text, expected) in [
            (
                "class A : B\n#if C\n    , C\n#endif\n{\n    A(int a,\n#if D\n        int d,\n#else\n        long d,\n#endif\n        int b) { }\n}\n",
                "class A : B\n, C\n{\nA(int a,\nint d,\nint b) { }\n}",
            ),
            (
                "class A\n#if B\n    : B\n#endif\n{\n}\n",
                "class A\n: B\n{\n}",
            ),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
        let verbatim = "class A {\n  string a = @\"c:\\\";\n  string b = @\"x\n#if \"\"\n(\";\n  string c = \"\"\"\n#if (\n\"\"\";\n#region it's /* so\n#if D\n  int d;\n#endif\n}\n";
        let tokens = Tokens::of_csharp(verbatim);
        assert!(super::torn(&tokens).is_empty());
        assert!(tokens.is_sign(tokens.all.len() - 1, b"}"));
    }

    #[test]
    fn groups_that_are_too_deep_are_left_alone_with_all_around_them() {
        let deep = |depth: usize| {
            [
                "f(\n",
                &"#if A\n".repeat(depth),
                "#else\n",
                &"#endif\n".repeat(depth),
                ");\n",
            ]
            .concat()
        };
        let torn = |text: &str| super::torn(&Tokens::of(text)).len();
        assert_eq!((torn(&deep(64)), torn(&deep(65))), (129, 0));
    }

    #[test]
    fn what_is_switched_off_is_not_parsed() {
        let text =
            "int a;\n#if 0 /* later */\nint b;\n# if C\nint c;\n# endif\n#else\nint d;\n#endif\n";
        assert_eq!(parsed(text), "int a;\nint d;");
        assert_eq!(parsed("#if 0\nint b;\n#endif\nint a;\n"), "int a;");
    }

    #[test]
    fn groups_of_whole_statements_and_declarations_are_left_alone() {
        for text in [
            "#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
            "#if A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
            "int f(void) {\n#ifdef A\n  int b = 1;\n#endif\n  switch (b) {\n  case 1:\n#ifdef B\n  case 2:\n    *p = 1;\n#else\n    g();\n#endif\n    break;\n  }\n}\n",
            "struct a {\n  int b;\n#ifdef C\n  int c;\n#else\n  long c;\n#endif\n};\nenum d {\n  E,\n#ifdef F\n  F,\n#endif\n};\n",
            "class A {\n  Q_OBJECT\n#if B\n  int b() { return 1; }\n#endif\n};\n",
            "#ifdef __cplusplus\n#include <cstddef>\nextern \"C\" {\n#else\n#include <stddef.h>\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif\n",
            "#if A\nint f(int a)\n#else\nint f(long a)\n#endif\n{\n}\n",
            "#define A(c) (c == '\"' || is(\"/*\"))\nint f(void);\n",
            "#endif\n#else\n}}}))\n#if A\n",
            "#if",
        ] {
            assert!(super::torn(&Tokens::of(text)).is_empty(), "{text}");
        }
    }
}

//! Groups of the preprocessor that cut through a statement of C or the head of a function.
//!
//! The grammar takes `#if` where statements or declarations stand. A group that begins or ends within one, as in
//! `#ifdef A … else if (a) {} … #endif`, tears the function around it apart, and what its body declares counts as
//! declared by the file. Of such a group one branch is parsed; the lines of the preprocessor and the other branches are made blank.
//! Digests of bodies are made of the text as it was written, with all branches.

use std::ops::Range;

use super::tokens::{Kind, Tokens};

/// Groups within one another that are looked at; what is deeper is left to the grammar.
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

/// One branch of a group, by the numbers of tokens.
struct Branch {
    /// Its line of the preprocessor.
    directive: usize,
    /// Its first and last token; a line of the preprocessor for a group within it.
    ends: Option<(usize, usize)>,
    /// The scopes that were open at its end.
    after: Vec<Scope>,
    /// How few were open meanwhile.
    lowest: usize,
}

struct Group {
    branches: Vec<Branch>,
    /// What stands before it.
    before: Option<usize>,
    /// The scopes that were open there.
    scopes: Vec<Scope>,
}

/// What is to be made blank, so that no such group is left.
pub(super) fn torn(tokens: &Tokens<'_>) -> Vec<Range<usize>> {
    let (mut found, mut groups): (Vec<Range<usize>>, Vec<Group>) = (Vec::new(), Vec::new());
    let (mut scopes, mut before): (Vec<Scope>, Option<usize>) = (Vec::new(), None);
    for at in 0..tokens.all.len() {
        match tokens.condition(at) {
            Some("if" | "ifdef" | "ifndef") if groups.len() < DEPTH_MAX => {
                groups.push(Group {
                    branches: vec![Branch::new(at, &scopes)],
                    before,
                    scopes: scopes.clone(),
                });
            }
            Some("else" | "elif" | "elifdef" | "elifndef") => {
                if let Some(group) = groups.last_mut() {
                    group.close(&mut scopes);
                    scopes.clone_from(&group.scopes);
                    group.branches.push(Branch::new(at, &scopes));
                }
            }
            Some("endif") => {
                let Some(mut group) = groups.pop() else {
                    continue;
                };
                group.close(&mut scopes);
                let is_whole = group.is_whole(tokens, at);
                let kept = group.kept(tokens);
                if !is_whole {
                    group.blank(tokens, kept, at, &mut found);
                }
                let branch = kept.map(|kept| &group.branches[kept]);
                scopes.clone_from(branch.map_or(&group.scopes, |branch| &branch.after));
                let ends = match branch {
                    _ if is_whole => Some((group.branches[0].directive, at)),
                    Some(branch) => branch.ends,
                    None => None,
                };
                if let Some(around) = groups.last_mut() {
                    let lowest = branch.map_or(scopes.len(), |branch| branch.lowest);
                    around.add(ends, lowest);
                }
                before = ends.map_or(group.before, |ends| Some(ends.1));
            }
            _ => {
                tokens.follow(at, before, &mut scopes);
                if let Some(group) = groups.last_mut() {
                    group.add(Some((at, at)), scopes.len());
                }
                before = Some(at);
            }
        }
    }
    found
}

impl Branch {
    fn new(directive: usize, scopes: &[Scope]) -> Self {
        Self {
            directive,
            ends: None,
            after: Vec::new(),
            lowest: scopes.len(),
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
    fn close(&mut self, scopes: &mut Vec<Scope>) {
        let branch = self.branches.last_mut().expect("a group has a branch");
        branch.after = std::mem::take(scopes);
    }

    /// The branch that is parsed: the first, unless that is switched off.
    fn kept(&self, tokens: &Tokens<'_>) -> Option<usize> {
        let is_off = tokens.line(self.branches[0].directive).trim_end() == "if 0";
        let kept = usize::from(is_off);
        (kept < self.branches.len()).then_some(kept)
    }

    /// Whether each branch, up to the line `end`, holds whole statements or declarations.
    fn is_whole(&self, tokens: &Tokens<'_>, end: usize) -> bool {
        match self.scopes.last() {
            Some(Scope::Brackets) => false,
            Some(Scope::Body) => {
                let begins = self
                    .before
                    .is_none_or(|before| tokens.ends_statement(before));
                begins
                    && self.branches.iter().all(|branch| {
                        self.is_balanced(branch)
                            && branch.ends.is_none_or(|(first, last)| {
                                !tokens.goes_on(first) && tokens.ends_statement(last)
                            })
                    })
            }
            Some(Scope::Members) | None => self.branches.iter().all(|branch| {
                // A head whose body stands behind the group.
                let is_head =
                    |(_, last)| tokens.is_sign(last, b")") && tokens.is_sign(end + 1, b"{");
                let is_linkage = |(first, last)| tokens.is_linkage(first, last);
                branch.ends.is_some_and(is_linkage)
                    || self.is_balanced(branch) && !branch.ends.is_some_and(is_head)
            }),
        }
    }

    fn is_balanced(&self, branch: &Branch) -> bool {
        branch.after.len() == self.scopes.len() && branch.lowest >= self.scopes.len()
    }

    /// Adds all of a group but the branch that is kept, token by token: comments are left to the grammar.
    fn blank(
        &self,
        tokens: &Tokens<'_>,
        kept: Option<usize>,
        end: usize,
        found: &mut Vec<Range<usize>>,
    ) {
        for (number, branch) in self.branches.iter().enumerate() {
            let next = self.branches.get(number + 1);
            let next = next.map_or(end, |branch| branch.directive);
            let last = if Some(number) == kept {
                branch.directive + 1
            } else {
                next
            };
            let blank = &tokens.all[branch.directive..last];
            found.extend(blank.iter().map(|token| token.1.clone()));
        }
        found.push(tokens.all[end].1.clone());
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

    /// Opens and closes scopes at a token.
    fn follow(&self, at: usize, before: Option<usize>, scopes: &mut Vec<Scope>) {
        if self.is_sign(at, b"([") {
            scopes.push(Scope::Brackets);
        } else if self.is_sign(at, b")]") {
            if scopes.last() == Some(&Scope::Brackets) {
                scopes.pop();
            }
        } else if self.is_sign(at, b"{") {
            let is_value = before.is_some_and(|before| {
                // `f(void) {`, `= {`, and `f(a) int a; {` as before the standard.
                self.is_sign(before, b")=;") || matches!(self.word(before), "const" | "noexcept")
            });
            let is_within = matches!(scopes.last(), Some(Scope::Body | Scope::Brackets));
            scopes.push(if is_value || is_within {
                Scope::Body
            } else {
                Scope::Members
            });
        } else if self.is_sign(at, b"}") {
            while scopes.pop() == Some(Scope::Brackets) {}
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

    /// `extern "C" {`, or the bracket that ends it: in a group of their own these are known to the grammar.
    fn is_linkage(&self, first: usize, last: usize) -> bool {
        last == first && self.is_sign(first, b"}")
            || last == first + 2 && self.word(first) == "extern" && self.is_sign(last, b"{")
    }
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
                "#if A\nint f(int a)\n#else\nint f(long a)\n#endif\n{\n}\nint g(a,\n#ifdef B\n b,\n#endif\n c);\n",
                "int f(int a)\n{\n}\nint g(a,\nb,\nc);",
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
    fn groups_of_whole_statements_and_declarations_are_left_alone() {
        for text in [
            "#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
            "#if A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
            "int f(void) {\n#ifdef A\n  int b = 1;\n#endif\n  switch (b) {\n  case 1:\n#ifdef B\n  case 2:\n    *p = 1;\n#else\n    g();\n#endif\n    break;\n  }\n}\n",
            "struct a {\n  int b;\n#ifdef C\n  int c;\n#else\n  long c;\n#endif\n};\nenum d {\n  E,\n#ifdef F\n  F,\n#endif\n};\n",
            "class A {\n  Q_OBJECT\n#if B\n  int b() { return 1; }\n#endif\n};\n",
            "#endif\n#else\n}}}))\n#if A\n",
            "#if",
        ] {
            assert!(super::torn(&Tokens::of(text)).is_empty(), "{text}");
        }
    }
}

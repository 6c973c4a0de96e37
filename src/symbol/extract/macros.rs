//! Macros of C and C++ that stand where no grammar expects a word: `class EXPORT Name {`, `MY_API void f();`.
//!
//! Without a preprocessor such a word is taken for a type or a name, and what follows is lost: often a whole class.
//! They are made blank before parsing, byte for byte, so every place keeps its number and the text that is shown stays
//! as it was written. What could be a type or a call is left alone.

use std::ops::Range;

use super::tokens::{Kind, LOOK_AHEAD, Tokens};

/// What such a macro is about, as its name says it.
const ABOUT: [&str; 23] = [
    "EXPORT",
    "IMPORT",
    "_API",
    "API_",
    "INLINE",
    "CONSTEXPR",
    "NODISCARD",
    "NORETURN",
    "DEPRECATED",
    "ATTRIBUTE",
    "GUARDED_BY",
    "LOCKS_",
    "_LOCK",
    "LOCK_FUNCTION",
    "LOCK_RETURNED",
    "LIFETIME",
    "MUST_USE",
    "NOEXCEPT",
    "UNUSED",
    "VISIBILITY",
    "THREAD_",
    "_PUBLIC",
    "_HIDDEN",
];
/// Words that begin a declaration, or go on with one.
const BEGIN: [&str; 34] = [
    "auto",
    "bool",
    "char",
    "class",
    "constexpr",
    "consteval",
    "constinit",
    "double",
    "enum",
    "explicit",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "private",
    "protected",
    "public",
    "short",
    "signed",
    "size_t",
    "static",
    "struct",
    "template",
    "thread_local",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
];
/// Types that are one word each.
const TYPES: [&str; 11] = [
    "bool", "char", "double", "float", "int", "long", "short", "signed", "size_t", "unsigned",
    "void",
];
/// What is no name before a bracket.
const KEYWORDS: [&str; 6] = ["if", "for", "while", "switch", "return", "sizeof"];
/// Words behind which a declaration goes on.
const LEAD: [&str; 9] = [
    "static",
    "inline",
    "virtual",
    "explicit",
    "friend",
    "extern",
    "constexpr",
    "typedef",
    "__inline",
];

/// Where such macros stand in a text.
#[derive(Debug, Default)]
pub(super) struct Macros {
    /// What is blank for the grammar alone.
    pub(super) marks: Vec<Range<usize>>,
    /// What is blank for readers as well: around a declaration that is what a macro is given.
    pub(super) lists: Vec<Range<usize>>,
}

/// Finds them.
pub(super) fn macros(tokens: &Tokens<'_>) -> Macros {
    let mut found = Macros::default();
    let blank = &mut found.marks;
    let (mut at, mut before) = (0, None);
    while at < tokens.all.len() {
        let end = tokens.group_end(at + 1);
        if tokens.is_candidate(at) && tokens.wraps_type(before, at, end) {
            // `MY_API(int *) f(void);`: the type in the bracket stays.
            blank.push(tokens.all[at].1.start..tokens.all[at + 1].1.end);
            blank.push(tokens.all[end - 1].1.clone());
            before = Some(end - 2);
            at = end;
        } else if let Some(parts) = tokens
            .listed_declaration(before, at, end)
            .or_else(|| tokens.listed_name(before, at, end))
        {
            // `MY_EXPORT(1, int, f, (void));`: the declaration is what is left without the commas.
            found.lists.extend(parts);
            before = Some(end - 1);
            at = end;
        } else if tokens.is_candidate(at) && tokens.wraps_declaration(before, at, end) {
            // `MY_DEPRECATED(int f(void));`: what stands in the bracket is read on.
            let open = tokens.all[at].1.start..tokens.all[at + 1].1.end;
            found.lists.extend([open, tokens.all[end - 1].1.clone()]);
            at += 2;
        } else if let Some(inner) = tokens.wraps_parameters(before, at) {
            // `int f _((int));`: for compilers that take no prototypes.
            blank.push(tokens.all[at].1.start..tokens.all[at + 1].1.end);
            blank.push(tokens.all[inner].1.clone());
            before = Some(at);
            at += 2;
        } else if tokens.is_test(at) {
            // `START_TEST(name) {`: the block stays.
            blank.push(tokens.all[at].1.start..tokens.all[end - 1].1.end);
            before = Some(end - 1);
            at = end;
        } else if tokens.is_candidate(at) && tokens.ends_declaration(before, at) {
            blank.push(tokens.all[at].1.clone());
            at += 1;
        } else if tokens.is_candidate(at) && tokens.is_attribute(before, at, end) {
            blank.push(tokens.all[at].1.start..tokens.all[end - 1].1.end);
            at = end;
        } else {
            if tokens.is_pointer_of_old_style(at) {
                // The grammar knows no parameters behind the bracket of a function that returns a pointer.
                blank.push(tokens.all[at].1.clone());
            }
            before = Some(at);
            at += 1;
        }
    }
    found
}

fn is_loud(word: &str) -> bool {
    word.len() > 2
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

impl Tokens<'_> {
    fn is_candidate(&self, at: usize) -> bool {
        is_loud(self.word(at))
    }

    /// Behind a bracket that opens here, or here.
    fn group_end(&self, at: usize) -> usize {
        if self.is_sign(at, b"(") {
            self.closed(at, b'(', b')').unwrap_or(at)
        } else {
            at
        }
    }

    /// Whether a test of the check framework begins here.
    fn is_test(&self, at: usize) -> bool {
        self.word(at) == "START_TEST"
            && self.is_sign(at + 1, b"(")
            && self.is_sign(at + 3, b")")
            && self.is_sign(at + 4, b"{")
    }

    /// Whether a word stands alone in its line behind a body, as `END_TEST`: no type, for which a name would follow.
    fn ends_declaration(&self, before: Option<usize>, at: usize) -> bool {
        let place = |token: usize| self.all.get(token).map(|(_, range)| range.clone());
        let (Some(previous), Some(own)) = (before.and_then(place), place(at)) else {
            return false;
        };
        let begins_line = self.text[previous.end..own.start].contains('\n');
        let next = place(at + 1).map_or(self.text.len(), |next| next.start);
        let behind = &self.text[own.end..next];
        let line = behind.split('\n').next().unwrap_or_default();
        let is_apart = behind.matches('\n').count() > 1 || next == self.text.len();
        let is_call = is_loud(self.word(at + 1)) && self.is_sign(at + 2, b"(");
        before.is_some_and(|before| self.is_sign(before, b"}"))
            && self.word(at).contains('_')
            && begins_line
            && line.trim().is_empty()
            && (is_apart || behind.contains('\n') && is_call)
    }

    /// Whether a declaration begins here whose type stands in the bracket of a macro.
    fn wraps_type(&self, before: Option<usize>, at: usize, end: usize) -> bool {
        let is_type = |token: usize| self.is_of_type(token);
        self.begins_export(before, at)
            && end > at + 3
            && (at + 2..end - 1).all(is_type)
            && !self.word(at + 2).starts_with(|c: char| c.is_ascii_digit())
            && !self.word(end).is_empty()
            && self.is_sign(end + 1, b"(")
    }

    /// Whether a declaration begins with this word, and the word names an export or another attribute.
    fn begins_export(&self, before: Option<usize>, at: usize) -> bool {
        let word = self.word(at);
        let begins =
            self.is_first(before) || before.is_some_and(|before| LEAD.contains(&self.word(before)));
        begins && (word.ends_with("API") || ABOUT.iter().any(|part| word.contains(part)))
    }

    /// Whether a declaration begins behind a token.
    fn is_first(&self, before: Option<usize>) -> bool {
        before.is_none_or(|before| {
            self.is_sign(before, b";{}") || self.all[before].0 == Kind::Directive
        })
    }

    /// Whether a token may be a part of a type.
    fn is_of_type(&self, at: usize) -> bool {
        !self.word(at).is_empty() || self.is_sign(at, b"*&:<>")
    }

    /// Whether the bracket of a macro holds the whole declaration of a function.
    fn wraps_declaration(&self, before: Option<usize>, at: usize, end: usize) -> bool {
        let first = at + 2;
        if !self.is_first(before) || end <= first || !self.is_sign(end, b";") {
            return false;
        }
        let Some(open) = (first..end).find(|token| !self.is_of_type(*token)) else {
            return false;
        };
        // A type and a name, and nothing behind the parameters.
        open > first + 1
            && !self.word(open - 1).is_empty()
            && !KEYWORDS.contains(&self.word(first))
            && !self.word(first).starts_with(|c: char| c.is_ascii_digit())
            && self.is_sign(open, b"(")
            && self.closed(open, b'(', b')') == Some(end - 1)
    }

    /// The bracket that ends what a macro around the parameters of a function holds: `_((int))` behind a name, before `;`.
    fn wraps_parameters(&self, before: Option<usize>, at: usize) -> Option<usize> {
        let is_named =
            before.is_some_and(|before| before + 1 == at && !self.word(before).is_empty());
        let is_macro = matches!(
            self.word(at),
            "_" | "__P" | "P_" | "_P" | "PARAMS" | "PROTO" | "__PROTO"
        );
        if !is_named || !is_macro || !self.is_sign(at + 1, b"(") || !self.is_sign(at + 2, b"(") {
            return None;
        }
        let end = self.closed(at + 1, b'(', b')')?;
        (self.is_sign(end, b";") && self.closed(at + 2, b'(', b')') == Some(end - 1))
            .then_some(end - 1)
    }

    /// What is no part of the function that a macro declares by its type, its name and its parameters, in this order.
    ///
    /// A number may stand before them, attributes behind them, and the macro of a calling convention before the name.
    fn listed_declaration(
        &self,
        before: Option<usize>,
        at: usize,
        end: usize,
    ) -> Option<Vec<Range<usize>>> {
        let is_export = self.is_candidate(at) && self.begins_export(before, at);
        if !is_export || end < at + 9 || !self.is_sign(end, b";{") {
            return None;
        }
        let comma = |from: usize| (from..end).find(|token| !self.is_of_type(*token));
        let comma = |from: usize| comma(from).filter(|token| self.is_sign(*token, b","));
        let is_number = |token: usize| self.word(token).starts_with(|c: char| c.is_ascii_digit());
        let is_numbered = is_number(at + 2) && self.is_sign(at + 3, b",");
        let first = at + 2 + 2 * usize::from(is_numbered);
        let behind_type = comma(first)?;
        let behind_name = comma(behind_type + 1)?;
        let (name, open) = (behind_name - 1, behind_name + 1);
        let convention = behind_type + 1..name;
        let closed = self
            .closed(open, b'(', b')')
            .filter(|_| self.is_sign(open, b"("))?;
        let is_whole = closed == end - 1 || self.is_sign(closed, b",");
        let is_type =
            behind_type > first && !is_number(first) && !KEYWORDS.contains(&self.word(first));
        let is_name = name > behind_type && !self.word(name).is_empty() && !is_number(name);
        if !is_whole || !is_type || !is_name || !convention.clone().all(|at| is_loud(self.word(at)))
        {
            return None;
        }
        let place = |token: usize| self.all[token].1.clone();
        let mut blank = vec![place(at).start..place(first - 1).end, place(behind_type)];
        blank.extend(convention.map(place));
        blank.extend([place(behind_name), place(closed).start..place(end - 1).end]);
        Some(blank)
    }

    /// The same of a macro that has the type and the name alone: `extern MY_EXPORT(int, f) MY_ARGS((void));`.
    fn listed_name(
        &self,
        before: Option<usize>,
        at: usize,
        end: usize,
    ) -> Option<Vec<Range<usize>>> {
        if !self.is_candidate(at) || !self.begins_export(before, at) || end < at + 6 {
            return None;
        }
        let (comma, name) = (end - 3, end - 2);
        let open = end + usize::from(is_loud(self.word(end)));
        let is_listed = self.is_sign(comma, b",")
            && (at + 2..comma).all(|token| self.is_of_type(token))
            && !self.word(name).is_empty()
            && self.is_sign(open, b"(");
        let place = |token: usize| self.all[token].1.clone();
        is_listed.then(|| {
            vec![
                place(at).start..place(at + 1).end,
                place(comma),
                place(end - 1),
            ]
        })
    }

    /// Whether the word at a place, with its bracket up to `end`, is neither a type nor a name.
    fn is_attribute(&self, before: Option<usize>, at: usize, end: usize) -> bool {
        let word = self.word(at);
        let about = ABOUT.iter().any(|part| word.contains(part));
        let previous = before.map_or("", |before| self.word(before));
        if matches!(previous, "class" | "struct" | "union" | "enum") {
            return self.is_before_name(previous, end);
        }
        if about && before.is_some_and(|before| self.is_declared(before)) {
            let follows = matches!(self.word(end), "const" | "override" | "final" | "noexcept")
                || is_loud(self.word(end));
            return follows || self.is_sign(end, b";{=,):");
        }
        // `int (MY_CALL *f)(int);`
        if end == at + 1
            && before.is_some_and(|before| self.is_sign(before, b"("))
            && self.is_sign(end, b"*")
        {
            return ["CALL", "CDECL", "API"]
                .iter()
                .any(|part| word.contains(part));
        }
        // `int MY_CALL f (void)`: nothing else stands between a type and a name.
        if end == at + 1
            && before.is_some_and(|before| self.ends_type(before))
            && !KEYWORDS.contains(&self.word(end))
            && self.is_sign(end + 1, b"(")
        {
            return !self.word(end).is_empty();
        }
        let begins = before.is_none_or(|before| {
            self.is_sign(before, b";{}:>") || self.all[before].0 == Kind::Directive
        }) || LEAD.contains(&previous);
        begins
            && (about || word.trim_matches('_').contains('_'))
            && self.is_before_declaration(before, end, about)
    }

    /// Whether a type ends here that is no name.
    fn ends_type(&self, at: usize) -> bool {
        // A type of its own name, with which a declaration begins.
        let begins = |at: usize| {
            at == 0
                || self.is_sign(at - 1, b";}")
                || self.all[at - 1].0 == Kind::Directive
                || LEAD.contains(&self.word(at - 1))
        };
        let is_named = |word: &str| word.ends_with("_t") || word.starts_with(char::is_uppercase);
        TYPES.contains(&self.word(at))
            || is_named(self.word(at)) && !is_loud(self.word(at)) && begins(at)
            || at > 0 && self.is_sign(at, b"*") && TYPES.contains(&self.word(at - 1))
    }

    /// The `*` of a definition as before the standard: `char *f(a, b) char *a; int b; {`.
    fn is_pointer_of_old_style(&self, at: usize) -> bool {
        // A macro may stand before the name.
        let is_marked = is_loud(self.word(at + 1)) && !self.word(at + 2).is_empty();
        let name = at + 1 + usize::from(is_marked);
        if !self.is_sign(at, b"*") || self.word(name).is_empty() {
            return false;
        }
        let end = self.group_end(name + 1);
        let is_name = |token: usize| !self.word(token).is_empty() || self.is_sign(token, b",");
        if end < name + 4 || !(name + 2..end - 1).all(is_name) || self.word(end).is_empty() {
            return false;
        }
        let is_declared = |token: &usize| is_name(*token) || self.is_sign(*token, b"*;[]");
        let limit = self.all.len().min(end + LOOK_AHEAD);
        let body = (end..limit).find(|token| !is_declared(token));
        body.is_some_and(|body| self.is_sign(body, b"{") && self.is_sign(body - 1, b";"))
    }

    /// `class WORD Name {`, not `struct WORD name;`.
    fn is_before_name(&self, keyword: &str, at: usize) -> bool {
        let name = self.word(at);
        !matches!(name, "" | "final")
            && (self.is_sign(at + 1, b"{:<")
                || !self.word(at + 1).is_empty()
                || keyword == "class" && self.is_sign(at + 1, b";"))
    }

    /// Whether a declarator ends here: `)`, or a name with something before it that can be its type.
    fn is_declared(&self, at: usize) -> bool {
        let is_name = !matches!(
            self.word(at),
            "" | "return" | "new" | "delete" | "case" | "else"
        ) && !LEAD.contains(&self.word(at));
        self.is_sign(at, b")]")
            || matches!(self.word(at), "const" | "noexcept" | "override" | "final")
            || is_name
                && at > 0
                && !BEGIN.contains(&self.word(at))
                && (!self.word(at - 1).is_empty() || self.is_sign(at - 1, b">*&"))
    }

    fn is_before_declaration(&self, before: Option<usize>, at: usize, about: bool) -> bool {
        let mut at = at;
        while matches!(self.word(at), "const" | "volatile") {
            at += 1;
        }
        // One such macro may follow another.
        for _ in 0..LOOK_AHEAD {
            if !is_loud(self.word(at)) || !self.word(at).contains('_') {
                break;
            }
            at = self.group_end(at + 1);
        }
        let word = self.word(at);
        if word.is_empty() {
            let ends =
                at == self.all.len() || self.is_sign(at, b"}") || self.all[at].0 == Kind::Directive;
            let alone = before.is_none_or(|before| self.is_sign(before, b";}"));
            return ends && alone
                || self.is_sign(at, b"~")
                || self.is_sign(at, b"[") && self.is_sign(at + 1, b"[");
        }
        if BEGIN.contains(&word) || word == "void" {
            return true;
        }
        let next = self.name_end(at);
        let is_typed = !self.word(next).is_empty()
            || self.is_sign(next, b"*&") && !self.word(next + 1).is_empty();
        is_typed || about && self.is_sign(next, b"(") || about && word == "operator"
    }

    /// Behind a name such as `std::vector<int>::iterator`.
    fn name_end(&self, at: usize) -> usize {
        let mut at = at + 1;
        for _ in 0..LOOK_AHEAD {
            if self.is_sign(at, b"<") {
                let Some(end) = self.closed(at, b'<', b'>') else {
                    return at;
                };
                at = end;
            } else if self.is_sign(at, b":")
                && self.is_sign(at + 1, b":")
                && !self.word(at + 2).is_empty()
            {
                at += 3;
            } else {
                return at;
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use crate::symbol::extract::tokens::{Tokens, blank};

    fn without_macros(text: &str) -> String {
        let found = super::macros(&Tokens::of(text));
        blank(text, [found.marks, found.lists].concat()).into_owned()
    }

    #[test]
    fn what_no_grammar_expects_is_made_blank() {
        for (text, expected) in [
            ("class SHOP_EXPORT Item {", "class             Item {"),
            (
                "struct ALIGNED(8) Item final : Base {",
                "struct            Item final : Base {",
            ),
            (
                "SHOP_PUBLIC(Item *) f(void) { }",
                "            Item *  f(void) { }",
            ),
            (
                "} SHOPAPI(enum State)\nf(int x);",
                "}         enum State \nf(int x);",
            ),
            (
                "extern SHOP_API(const char *) f();",
                "extern          const char *  f();",
            ),
            (
                "void *(MY_CDECL *make)(int x);",
                "void *(         *make)(int x);",
            ),
            ("class API_X Item;", "class       Item;"),
            ("MY_API void f();", "       void f();"),
            (
                "template <class T> MY_CONSTEXPR auto f();",
                "template <class T>              auto f();",
            ),
            (
                "static MY_API std::vector<int> f();",
                "static        std::vector<int> f();",
            ),
            ("MY_API const Item* f();", "       const Item* f();"),
            (
                "{ MY_CONSTEXPR Item(int x) {} }",
                "{              Item(int x) {} }",
            ),
            (
                "BEGIN_SPACE\nnamespace a {}\nEND_SPACE\n",
                "           \nnamespace a {}\n         \n",
            ),
            (
                "int size_ GUARDED_BY(lock_);",
                "int size_                  ;",
            ),
            (
                "void f() const LOCKS_EXCLUDED(a,\nb);",
                "void f() const                  \n  ;",
            ),
            ("} API_END\nSHOP_END\n#endif", "}        \n        \n#endif"),
            ("\"é\" ; MY_API int x;", "\"é\" ;        int x;"),
        ] {
            assert_eq!(without_macros(text), expected, "{text}");
            assert_eq!(without_macros(text).len(), text.len());
        }
    }

    #[test]
    fn macros_around_functions_of_c_and_old_definitions_are_made_blank() {
        for (text, expected) in [
            (
                "MY_OLD(extern const void *f(struct a *t, int b));",
                "       extern const void *f(struct a *t, int b) ;",
            ),
            (
                "MY_CONST(MY_API size_t f(void));",
                "                size_t f(void) ;",
            ),
            (
                "MY_EXPORT(12, const char *, f, (int a, char *b));",
                "              const char *  f  (int a, char *b) ;",
            ),
            (
                "MY_EXPORTA(void, MYAPI\nf, (void), MY_NORETURN);",
                "           void       \nf  (void)              ;",
            ),
            (
                "extern MY_EXPORT(int *,f) MY_ARGS((char *a));",
                "extern           int * f  MY_ARGS((char *a));",
            ),
            ("MY_LIST(a, b, c);", "MY_LIST(a, b, c);"),
            ("MY_CALL(1, x, (void)y);", "MY_CALL(1, x, (void)y);"),
            ("int MYCALL f (void);", "int        f (void);"),
            ("z_off_t MYCALL f (a) {", "z_off_t        f (a) {"),
            (
                "char * MYCALL f(a, b) char *a; int b; {",
                "char          f(a, b) char *a; int b; {",
            ),
            ("void * MYCALL f(int x) {", "void *        f(int x) {"),
            (
                "char *f(a, b) char *a; int b[2]; {",
                "char  f(a, b) char *a; int b[2]; {",
            ),
        ] {
            assert_eq!(without_macros(text), expected, "{text}");
        }
    }

    #[test]
    fn types_names_and_calls_are_left_alone() {
        for text in [
            "struct SHOP_ITEM item;",
            "struct SHOP_ITEM f(void) {",
            "UINT_PTR p;",
            "UINT_PTR const *p;",
            "HANDLE_T *make(void);",
            "HANDLE_T make(int x);",
            "int MYCALL (void);",
            "TEST_OF(a, b(c));",
            "CHECK_IT(f(a));",
            "CHECK_IT(sizeof f(a));",
            "CHECK_IT(a * f(a) + 1);",
            "else_t = Value MAX f(a);",
            "a = b * MAX (c);",
            "char *f(a, b);",
            "char *f(a, b) { int c; { } }",
            "if (a *b(c)) d; e {",
            "enum { MAX_SIZE };",
            "int MAX_API;",
            "TEST_F(Item, Works) { CHECK_EQ(1, 2); }",
            "FOR_EACH(item) f(item);",
            "void f() { CALL_API(1, 2); }",
            "x = (int) MAX_SIZE;",
            "f(\"class A_B C {\"); // class A_B C {",
            "auto x = R\"(class A_B C {)\";",
            "#define X class A_B \\\n C {",
            "MAX_SIZE((((",
            "class",
            "",
        ] {
            assert_eq!(without_macros(text), text);
        }
    }
}

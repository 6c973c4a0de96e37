//! One source file as the rules see it: where it stands in the module tree, and its tokens in a flat row.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file, lexed by the same lexer that procedural macros use, so that comments and strings are never mistaken for code.
pub(crate) struct Source {
    /// Relative to the crate: `src/git/repo.rs`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Module path below the crate root: `["git", "repo"]`; empty for `lib.rs` and `main.rs`.
    pub(crate) module: Vec<String>,
    pub(crate) tokens: Vec<Token>,
    /// Why the file could not be lexed; it then has no tokens.
    pub(crate) syntax_error: Option<String>,
}

/// A token in the flat row: `::` is one token, a group is its opening mark, its content and its closing mark.
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
    /// Inside an item under `#[cfg(test)]`, or in a file of a module named `tests`.
    pub(crate) in_test: bool,
    /// Inline modules (`mod x { … }`) around it.
    pub(crate) inline_modules: usize,
    /// Groups around it.
    pub(crate) depth: usize,
}

impl Source {
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let mut row = Row::default();
        let module = module_of(path);
        let in_test = is_test_module(&module);
        let syntax_error = match TokenStream::from_str(text) {
            Ok(stream) => {
                row.extend(stream, in_test, 0);
                None
            }
            Err(error) => Some(error.to_string()),
        };
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            module,
            tokens: row.tokens,
            syntax_error,
        }
    }

    /// The text of a token, empty past the ends, so that rules can look around freely.
    pub(crate) fn at(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &token.text)
    }

    /// The text of the token before, empty at the start.
    pub(crate) fn before(&self, index: usize) -> &str {
        index
            .checked_sub(1)
            .map_or("", |previous| self.at(previous))
    }
}

/// `src/git/repo.rs` → `git`, `repo`; `mod.rs`, `lib.rs` and `main.rs` stand for the directory that holds them.
fn module_of(path: &str) -> Vec<String> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<String> = inner.split('/').map(ToOwned::to_owned).collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

/// True for the files of unit tests that outgrew the file they stand beside.
pub(crate) fn is_test_module(module: &[String]) -> bool {
    module.iter().any(|name| name == "tests")
}

#[derive(Default)]
struct Row {
    tokens: Vec<Token>,
    depth: usize,
}

impl Row {
    fn extend(&mut self, stream: TokenStream, in_test: bool, inline_modules: usize) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut test_item = false;
        for (index, tree) in trees.iter().enumerate() {
            let line = tree.span().start().line;
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = marks(group.delimiter());
                    let inside_test = in_test || test_item;
                    let nesting = inline_modules + usize::from(opens_module(&trees, index));
                    self.push(open, line, inside_test, inline_modules);
                    self.depth += 1;
                    self.extend(group.stream(), inside_test, nesting);
                    self.depth -= 1;
                    self.push(
                        close,
                        group.span_close().start().line,
                        inside_test,
                        inline_modules,
                    );
                    test_item = is_test_attribute(&trees, index)
                        || (test_item && group.delimiter() != Delimiter::Brace);
                }
                TokenTree::Punct(punct) => {
                    test_item = test_item && punct.as_char() != ';';
                    self.push_punct(punct.as_char(), line, in_test || test_item, inline_modules);
                }
                TokenTree::Ident(_) | TokenTree::Literal(_) => {
                    self.push(
                        &tree.to_string(),
                        line,
                        in_test || test_item,
                        inline_modules,
                    );
                }
            }
        }
    }

    fn push(&mut self, text: &str, line: usize, in_test: bool, inline_modules: usize) {
        self.tokens.push(Token {
            text: text.to_owned(),
            line,
            in_test,
            inline_modules,
            depth: self.depth,
        });
    }

    /// Joins the second `:` of a path separator to the first.
    fn push_punct(&mut self, mark: char, line: usize, in_test: bool, inline_modules: usize) {
        match self.tokens.last_mut() {
            Some(last) if mark == ':' && last.text == ":" => last.text.push(':'),
            _ => self.push(&mark.to_string(), line, in_test, inline_modules),
        }
    }
}

fn marks(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// True for the body of `mod name { … }`.
fn opens_module(trees: &[TokenTree], index: usize) -> bool {
    index >= 2 && matches!(&trees[index - 2], TokenTree::Ident(word) if word == "mod")
}

/// True for the brackets of `#[cfg(test)]`.
fn is_test_attribute(trees: &[TokenTree], index: usize) -> bool {
    let TokenTree::Group(group) = &trees[index] else {
        return false;
    };
    let marked = index >= 1
        && matches!(&trees[index - 1], TokenTree::Punct(punct) if punct.as_char() == '#');
    let content: String = group.stream().to_string().split_whitespace().collect();
    marked && group.delimiter() == Delimiter::Bracket && content == "cfg(test)"
}

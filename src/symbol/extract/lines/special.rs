//! Declarations that begin with no key word, by language.

use std::ops::Range;

use super::line::{after, is_word};
use super::source::{Line, Special};
use crate::symbol::outline::Kind::{
    self, Class, Entry, Enum, Field, Function, Implementation, Interface, Key, Method, Struct,
    Target, Test, Variable, Variant,
};

fn special(kind: Kind, name: Range<usize>) -> Option<Special> {
    (!name.is_empty()).then_some(Special {
        kind,
        name,
        is_public: true,
    })
}

/// The name at the start of a line, with other characters than those of words.
fn first(code: &str, more: &str) -> usize {
    code.find(|c: char| !is_word(c) && !more.contains(c))
        .unwrap_or(code.len())
}

/// Where the last name of a text begins.
fn last_word(text: &str, more: &str) -> usize {
    text.trim_end_matches(|c: char| is_word(c) || more.contains(c))
        .len()
}

/// `name {` at the level of the file, as build files have it.
pub(super) fn gradle_block(line: &Line<'_>) -> Option<Special> {
    // `include ':app'`
    let included = after(line.text, "include").filter(|_| line.indent == 0);
    let quoted = included.and_then(|rest| {
        rest.trim_start_matches(['(', ' '])
            .strip_prefix(['\'', '"'])
    });
    if let Some(rest) = quoted {
        let from = line.text.len() - rest.len();
        let end = rest.find(['\'', '"']).unwrap_or(rest.len());
        return special(Entry, from..from + end);
    }
    let end = first(line.code, "");
    let rest = line.code[end..].trim_start();
    let is_block = line.indent == 0
        && line.owner.is_none()
        && (rest == "{" || rest.starts_with('=') && !rest.starts_with("=="));
    (is_block && !is_control(&line.code[..end])).then_some(())?;
    special(Key, 0..end)
}

pub(super) fn swift(line: &Line<'_>) -> Option<Special> {
    line.owner?;
    let name = ["init", "deinit", "subscript"]
        .into_iter()
        .find(|word| after(line.code, word).is_some() || line.code.contains(&format!(" {word}(")));
    let at = name.and_then(|name| line.code.find(name).map(|at| at..at + name.len()))?;
    Some(Special {
        kind: Method,
        name: at,
        is_public: !line.code.starts_with("private"),
    })
}

/// `name = …` at the level of the file.
pub(super) fn assigned(line: &Line<'_>) -> Option<Special> {
    let from = usize::from(line.code.starts_with('$'));
    let from = from
        + ["let ", "export "]
            .into_iter()
            .find(|word| line.code.starts_with(word))
            .map_or(0, str::len);
    let end = from + first(&line.code[from..], ":.");
    let rest = line.code[end..]
        .trim_start()
        .trim_start_matches([':', '?', '+']);
    (line.indent == 0 && rest.starts_with('=') && !rest.starts_with("==")).then_some(())?;
    special(Variable, from..end)
}

/// `name = …` and the blocks of other programs than Terraform, `project {`, at the level of the file.
pub(super) fn hcl(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "");
    let is_block = line.indent == 0 && end > 0 && line.code[end..].trim() == "{";
    if is_block {
        return special(Key, 0..end);
    }
    assigned(line)
}

/// `name = library('name', …)`, and any other value.
pub(super) fn meson(line: &Line<'_>) -> Option<Special> {
    const BUILT: [&str; 8] = [
        "library(",
        "shared_library(",
        "static_library(",
        "both_libraries(",
        "shared_module(",
        "executable(",
        "custom_target(",
        "jar(",
    ];
    let found = assigned(line)?;
    let value = line.code[found.name.end..].trim_start_matches([' ', '=', '+']);
    let is_built = BUILT.iter().any(|call| value.starts_with(call));
    special(if is_built { Target } else { Key }, found.name)
}

pub(super) fn call(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, ".");
    if line.indent == 0 && line.code[end..].starts_with('(') && !is_control(&line.code[..end]) {
        return special(Target, 0..end);
    }
    assigned(line)
}

pub(super) fn lua(line: &Line<'_>) -> Option<Special> {
    let scope = ["local ", "global "]
        .into_iter()
        .find(|word| line.code.starts_with(word));
    let from = scope.map_or(0, str::len);
    let end = from + first(&line.code[from..], ".:");
    let rest = line.code[end..]
        .trim_start()
        .strip_prefix('=')
        .filter(|_| line.indent == 0)?
        .trim_start();
    let name = line.code[from..end]
        .rfind(['.', ':'])
        .map_or(from, |dot| from + dot + 1)..end;
    let kind = if rest.starts_with("function") {
        Function
    } else {
        Variable
    };
    Some(Special {
        kind,
        name,
        is_public: scope != Some("local "),
    })
}

/// `name :: Type`, `name : Type`.
pub(super) fn haskell(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "'");
    let rest = line.code[end..].trim_start();
    let is_typed = rest.starts_with("::") || rest.starts_with(": ");
    let is_there = line.indent == 0 || line.owner == Some(Interface);
    (is_typed
        && is_there
        && line
            .code
            .starts_with(|c: char| c.is_lowercase() || c == '_'))
    .then_some(())?;
    special(Function, 0..end)
}

pub(super) fn erlang(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "@");
    let is_clause = line.indent == 0
        && line.code.starts_with(char::is_lowercase)
        && line.code[end..].starts_with('(');
    is_clause.then_some(())?;
    special(Function, 0..end)
}

/// `config :app, …`, `socket "/x", …`: what a configuration or a router consists of.
pub(super) fn elixir_config(line: &Line<'_>) -> Option<Special> {
    let rest = after(line.code, "config")?
        .strip_prefix(':')
        .filter(|_| line.indent == 0)?;
    let from = line.code.len() - rest.len();
    special(Key, from..from + first(rest, "."))
}

/// `name(arguments) = …`.
pub(super) fn julia(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, ".!");
    let rest = &line.code[end..];
    let is_method = rest.starts_with('(') && line.code.contains(" where ");
    let is_call = is_method || rest.starts_with(['(', '{']) && line.code.contains(") =");
    (is_call && !is_control(&line.code[..end])).then_some(())?;
    let from = line.code[..end].rfind('.').map_or(0, |dot| dot + 1);
    special(Function, from..end)
}

/// `name <- function(…)`, `name <- …`, `setClass("Name"`.
pub(super) fn r(line: &Line<'_>) -> Option<Special> {
    (line.indent == 0).then_some(())?;
    let is_quoted = line.code.starts_with('`');
    let end = first(line.code, ".`<-[]%").min(line.code.find("<-").unwrap_or(usize::MAX));
    let end = line.code[..end].trim_end().len();
    let rest = line.code[end..].trim_start();
    let rest = rest
        .strip_prefix("<-")
        .or_else(|| rest.strip_prefix('=').filter(|rest| !rest.starts_with('=')));
    if let Some(rest) = rest {
        let kind =
            if rest.trim_start().starts_with("function") || rest.trim_start().starts_with('\\') {
                Function
            } else {
                Variable
            };
        return Some(Special {
            kind,
            name: usize::from(is_quoted)..end,
            is_public: !line.code.starts_with('.'),
        });
    }
    let is_set = [
        "setClass(",
        "setGeneric(",
        "setMethod(",
        "test_that(",
        "describe(",
        "it(",
    ]
    .iter()
    .any(|word| line.code.starts_with(word));
    let open = line.code.find('(').filter(|_| is_set)?;
    let quote = line.text.get(open + 1..)?;
    let close = quote
        .get(1..)?
        .find(quote.chars().next().filter(|c| matches!(c, '"' | '\''))?)?;
    special(
        match line.code.as_bytes() {
            [b't' | b'd' | b'i', ..] => Test,
            _ => Class,
        },
        open + 2..open + 2 + close,
    )
}

/// `- (void)name:(int)value`.
pub(super) fn objective_c(line: &Line<'_>) -> Option<Special> {
    let rest = line
        .code
        .strip_prefix(['-', '+'])
        .filter(|_| line.owner.is_some() || line.indent == 0)?
        .trim_start();
    let rest = rest.strip_prefix('(')?;
    let rest = &rest[rest.find(')')? + 1..];
    let rest = rest.trim_start();
    let from = line.code.len() - rest.len();
    special(Function, from..from + first(rest, ""))
}

/// `name:` at the start of a line.
pub(super) fn label(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, ".$@?");
    let is_label = line.indent == 0
        && line.code[end..].starts_with(':')
        && !line.code.starts_with('.')
        && !line.code[..end].bytes().all(|byte| byte.is_ascii_digit());
    is_label.then_some(())?;
    special(Function, 0..end)
}

pub(super) fn batch(line: &Line<'_>) -> Option<Special> {
    let rest = line.code.strip_prefix(':')?;
    let end = first(rest, "-.");
    // Where a script ends is known without a label.
    (!rest[..end].eq_ignore_ascii_case("eof")).then_some(())?;
    special(Target, 1..1 + end)
}

/// `name() {`.
pub(super) fn shell(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "-.:");
    if line.indent == 0 && line.code[end..].trim_start().starts_with("()") {
        return special(Function, 0..end);
    }
    assigned(line)
}

/// `TName = class`, and so on, below `type`.
pub(super) fn pascal(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "<>,");
    let rest = line.code[end..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let kinds = [
        ("class", Class),
        ("record", Struct),
        ("interface", Interface),
        ("packed record", Struct),
        ("(", Enum),
    ];
    let (_, kind) = kinds
        .into_iter()
        .find(|(word, _)| after(rest, word).is_some())?;
    special(kind, 0..end)
}

/// `type name = 1;`.
pub(super) fn proto_field(line: &Line<'_>) -> Option<Special> {
    let owner = line.owner?;
    let (head, number) = line.code.split_once('=')?;
    number
        .trim_start()
        .starts_with(|c: char| c.is_ascii_digit() || c == '-')
        .then_some(())?;
    let head = head.trim_end();
    let from = last_word(head, "");
    special(
        if owner == Enum { Variant } else { Field },
        from..head.len(),
    )
}

/// `name(arguments): Type`, or `NAME` within an enumeration.
pub(super) fn graphql_field(line: &Line<'_>) -> Option<Special> {
    let owner = line
        .owner
        .filter(|owner| matches!(owner, Struct | Interface | Enum | Implementation))?;
    let end = first(line.code, "");
    let rest = line.code[end..].trim_start();
    let is_field = rest.starts_with([':', '(']) || owner == Enum && rest.is_empty();
    is_field.then_some(())?;
    special(if owner == Enum { Variant } else { Field }, 0..end)
}

/// `name as (` of a query, `select … from`.
pub(super) fn sql(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "");
    let rest = after(line.code[end..].trim_start(), "as").filter(|rest| rest.starts_with('('));
    (rest.is_some() && line.indent < 8).then_some(())?;
    special(Key, 0..end)
}

/// `name = …;` of an attribute set that is not deep, `name: …` of an object.
pub(super) fn nix(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, ".-'+");
    let rest = line.code[end..].trim_start().trim_start_matches('+');
    let is_attribute = rest.starts_with('=') && !rest.starts_with("==")
        || rest.starts_with(':') && line.indent > 0;
    (is_attribute && line.indent <= 4).then_some(())?;
    special(Key, 0..end)
}

/// `.name : {` of a linker script.
pub(super) fn linker(line: &Line<'_>) -> Option<Special> {
    let end = first(line.code, "._");
    (line.code.starts_with('.') && end > 1 && line.code[end..].trim_start().starts_with(':'))
        .then_some(())?;
    special(Key, 0..end)
}

/// `type name(…) {`, `type name(…) =>`, `type name(…);`.
pub(super) fn c_function(line: &Line<'_>) -> Option<Special> {
    let open = line.code.find('(')?;
    let head = line.code[..open].trim_end();
    let from = last_word(head, ".");
    let is_plain = head
        .chars()
        .all(|c| is_word(c) || " <>,?.[]*&:".contains(c))
        && !head.is_empty();
    let is_declared = from > 0 && head[..from].ends_with(' ') || line.owner.is_some();
    let ends = line.code.ends_with(['{', ';', ',', '(', ')']) || line.code.contains("=>");
    let is_called = line.code.ends_with(';') && from == 0;
    let words = head.split(' ').next().unwrap_or_default();
    (is_plain
        && is_declared
        && ends
        && !is_called
        && !is_control(words)
        && !is_control(&head[from..]))
    .then_some(())?;
    special(Function, from..head.len())
}

/// Words that begin statements.
fn is_control(word: &str) -> bool {
    const WORDS: [&str; 22] = [
        "if", "else", "for", "while", "switch", "return", "catch", "try", "do", "throw", "assert",
        "new", "await", "yield", "super", "when", "elseif", "elif", "finally", "end", "begin",
        "using",
    ];
    WORDS.contains(&word)
}

//! Which declarations of a file matter first: what can be called or built on, before values and what serves the compiler.
//!
//! Within one rank those go first that other signatures of the file name and that have members, then the order of the file. Bodies take no
//! part: an edit inside of one must not change an outline.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::attribute::is_test;
use super::outline::{Kind, Symbol};

/// Most declarations that are counted and moved; longer files are lists, and keep their order.
const SYMBOLS_MAX: usize = 400;

/// The declarations of one level, those that matter most in front.
pub(super) fn by_importance(symbols: &[Symbol]) -> Vec<&Symbol> {
    let mut ordered: Vec<&Symbol> = symbols.iter().collect();
    let uses = if symbols.len() <= SYMBOLS_MAX {
        uses(symbols)
    } else {
        HashMap::new()
    };
    ordered.sort_by_cached_key(|symbol| {
        let rank = rank(symbol);
        let is_code = rank < 5 && symbol.kind != Kind::Heading;
        let uses = uses.get(symbol.name.as_str()).copied().unwrap_or(0) + symbol.children.len();
        (rank, Reverse(if is_code { uses } else { 0 }))
    });
    ordered
}

/// The lowest goes first.
fn rank(symbol: &Symbol) -> u8 {
    match symbol.kind {
        Kind::Module if is_internal(&symbol.name) => 3,
        Kind::Type | Kind::Route => 1,
        // Without a name it is what it holds.
        Kind::Enum | Kind::Struct
            if matches!(symbol.name.as_str(), "" | "enum" | "struct" | "union") =>
        {
            2
        }
        Kind::Constant | Kind::Variable if symbol.signature.contains("TypeVar(") => 4,
        // What Python and its tools read: `__version__`, `__slots__`, a module's `__getattr__`.
        Kind::Constant | Kind::Variable | Kind::Field | Kind::Function
            if symbol.name.starts_with("__") =>
        {
            4
        }
        Kind::Constant | Kind::Variable => 2,
        Kind::Macro if is_define(symbol) => 4,
        _ if is_test(symbol) => 5,
        _ => 0,
    }
}

/// A name of the preprocessor.
pub(super) fn is_define(symbol: &Symbol) -> bool {
    symbol.kind == Kind::Macro && symbol.signature.starts_with('#')
}

fn is_internal(name: &str) -> bool {
    matches!(
        name,
        "detail" | "details" | "internal" | "impl" | "imp" | "tests" | "test"
    )
}

/// How often signatures name each declaration, its own left out.
fn uses(symbols: &[Symbol]) -> HashMap<&str, usize> {
    let mut counts: HashMap<&str, usize> = symbols
        .iter()
        .map(|symbol| (symbol.name.as_str(), 0))
        .collect();
    // The names of one statement share its signature, which names all of them.
    for own in symbols.chunk_by(|one, next| one.signature == next.signature) {
        count(&mut counts, &own[0], own);
        for member in own.iter().flat_map(|symbol| &symbol.children) {
            // What belongs to a type names it: that says nothing of its weight.
            count(&mut counts, member, own);
        }
    }
    counts
}

fn count<'s>(counts: &mut HashMap<&'s str, usize>, symbol: &'s Symbol, own: &[Symbol]) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    for word in symbol.signature.split(|c| !is_part(c)) {
        if own.iter().all(|own| own.name != word)
            && let Some(count) = counts.get_mut(word)
        {
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(kind: Kind, name: &str, signature: &str) -> Symbol {
        Symbol {
            signature: signature.to_owned(),
            ..Symbol::named(kind, name)
        }
    }

    #[test]
    fn what_others_name_goes_first_and_values_last() {
        let symbols = [
            symbol(Kind::Macro, "MAX", "#define MAX 3"),
            symbol(Kind::Variable, "T", "T = t.TypeVar(\"T\")"),
            symbol(Kind::Function, "__getattr__", "def __getattr__(name)"),
            symbol(Kind::Constant, "LIMIT", "LIMIT = 3"),
            symbol(Kind::Module, "detail", "namespace detail"),
            symbol(Kind::Function, "open", "def open(box: Box) -> T"),
            symbol(Kind::Class, "Flask", "class Flask(App)"),
            symbol(Kind::Class, "Box", "class Box"),
        ];
        let names: Vec<&str> = by_importance(&symbols)
            .iter()
            .map(|symbol| &*symbol.name)
            .collect();
        assert_eq!(
            names,
            [
                "Box",
                "open",
                "Flask",
                "LIMIT",
                "detail",
                "T",
                "MAX",
                "__getattr__"
            ]
        );
    }
}

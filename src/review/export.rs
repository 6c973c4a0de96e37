//! Names that a file passes on, one by one: `pub use a::{b, c as d}` is `b` and `d`.

use crate::symbol::split;
use crate::symbol::{Language, Symbol};

/// Each name that a re-export gives, with what it says of it.
pub(super) fn names(language: Option<Language>, symbol: &Symbol) -> Vec<(String, String)> {
    match language {
        Some(Language::Rust) => {
            let at = symbol.signature.find("use ").map_or(0, |at| at + 4);
            let (lead, path) = symbol.signature.split_at(at);
            let one = |(name, path)| (name, format!("{lead}{path}"));
            of_use(path).into_iter().map(one).collect()
        }
        Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => of_script(symbol),
        _ => vec![(symbol.name.clone(), symbol.signature.clone())],
    }
}

/// The names that the path of a `use` gives, each with its own path: `b a::b`, `d a::c as d` of `a::{b, c as d}`.
pub(super) fn of_use(path: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    of_path("", path.trim(), &mut found);
    found
}

/// Most names of one path that is read; deeper and longer ones stay as they are.
const NAMES_MAX: usize = 400;

fn of_path(before: &str, path: &str, found: &mut Vec<(String, String)>) {
    let list = path
        .find('{')
        .and_then(|at| Some((at, path[at..].strip_prefix('{')?.strip_suffix('}')?)));
    let Some((at, inner)) = list.filter(|_| found.len() < NAMES_MAX && before.len() < NAMES_MAX)
    else {
        let whole = format!("{before}{path}");
        let name = match path.rsplit_once(" as ") {
            Some((_, name)) => name.trim(),
            // A glob passes on what stands there, a path that ends with `self` its last name.
            None => match path.rsplit("::").next().unwrap_or(path) {
                "*" => &whole,
                "self" => before
                    .trim_end_matches(':')
                    .rsplit("::")
                    .next()
                    .unwrap_or(path),
                name => name,
            },
        };
        found.push((name.to_owned(), whole.clone()));
        return;
    };
    let before = format!("{before}{}", &path[..at]);
    for part in split(inner) {
        of_path(&before, part, found);
    }
}

fn of_script(symbol: &Symbol) -> Vec<(String, String)> {
    let text = symbol.signature.as_str();
    let whole = || vec![(symbol.name.trim().to_owned(), text.trim().to_owned())];
    let (Some(open), Some(close)) = (text.find('{'), text.rfind('}')) else {
        return whole();
    };
    let Some(inner) = text.get(open + 1..close) else {
        return whole();
    };
    let source = text[close + 1..].trim();
    let one = |part: &str| {
        let name = part
            .rsplit_once(" as ")
            .map_or(part, |(_, name)| name)
            .trim();
        (name.to_owned(), format!("export {part} {source}"))
    };
    split(inner).into_iter().map(one).collect()
}

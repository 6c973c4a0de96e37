//! What a program says of itself: the beginning of the text that it prints as help.

use crate::symbol::comment;
use crate::symbol::instruction::begins;
use crate::symbol::outline::{Kind, Symbol};

/// What such a text is called, in lower case.
const NAMES: [&str; 8] = [
    "usage",
    "help",
    "help_text",
    "usage_text",
    "about",
    "long_about",
    "description",
    "__doc__",
];
/// Fewest words of a sentence.
const WORDS_MIN: usize = 3;

/// The first paragraph of such a text, where that is a sentence; empty where there is none.
pub(super) fn said(symbols: &[Symbol], text: &str) -> String {
    let is_value = |symbol: &&Symbol| matches!(symbol.kind, Kind::Constant | Kind::Variable);
    let is_named = |symbol: &&Symbol| {
        NAMES
            .iter()
            .any(|name| symbol.name.eq_ignore_ascii_case(name))
    };
    let named = symbols.iter().filter(is_value).filter(is_named);
    let declared =
        named.filter_map(|symbol| text.get(symbol.span.start as usize..symbol.span.end as usize));
    let said = declared
        .filter_map(string)
        .map(|text| comment::paragraph(text, comment::NONE));
    said.into_iter()
        .find(|said| is_sentence(said))
        .unwrap_or_default()
}

/// What stands between the quotes of the string that a declaration gives its name.
fn string(declaration: &str) -> Option<&str> {
    let (_, value) = declaration.split_once('=')?;
    let at = value.find(['"', '`', '\''])?;
    let quote = value[at..].chars().next()?;
    let inner = value[at..].trim_start_matches(quote);
    let inner = inner.split(quote).next()?;
    Some(inner.trim_start_matches(['\\', '\n', '\r', ' ']))
}

fn is_sentence(said: &str) -> bool {
    said.starts_with(char::is_uppercase)
        && !begins(said, "usage")
        && !said.contains(['{', '%', '<'])
        && said.ends_with('.')
        && said.split(' ').count() >= WORDS_MIN
}

#[cfg(test)]
mod tests {
    use crate::symbol::language::Language;

    #[test]
    fn a_program_is_told_by_the_text_that_it_prints_as_help() {
        let told =
            |language, text: &str| super::super::extract(Some(language), text.as_bytes()).doc;
        let rust = "use a;\n\nstatic USAGE: &'static str = \"\nPicks columns of a table.\n\nUsage:\n    pick\n\";\n\nfn run() {}\n";
        assert_eq!(told(Language::Rust, rust), "Picks columns of a table.");
        let python = "import a\n\nHELP = \"\"\"Counts what is sold.\n\nMore.\"\"\"\n";
        assert_eq!(told(Language::Python, python), "Counts what is sold.");
        let usage = "const USAGE: &str = \"Usage: pick <a>.\";\n";
        assert_eq!(told(Language::Rust, usage), "");
        let other = "const NAME: &str = \"Picks columns of a table.\";\n";
        assert_eq!(told(Language::Rust, other), "");
    }
}

//! Which reader a text goes to.

use super::found::Found;
use super::mask::mask;
use super::source::{self, Odd};
use super::{build, document, list, page, rows, sections, text, tree, typeset, web};
use crate::symbol::comment::{PARAGRAPH_BYTES_MAX, cap, fold};
use crate::symbol::extract::uses;
use crate::symbol::head;
use crate::symbol::language::Language;
use crate::symbol::map::uses::Uses;
use crate::symbol::outline::{Content, Outline};
use crate::symbol::plain::without_marks;

/// Largest program whose names are read; larger ones are data.
const USES_BYTES_MAX: usize = 1024 * 1024;

/// Fills in what can be said about a text without a grammar.
pub(in crate::symbol::extract) fn read(outline: &mut Outline, text: &str) {
    let mut found = Found::default();
    if let Some(row) = outline.language.and_then(rows::of) {
        found.doc = head::file_paragraph(text, row.style());
        source::read(&mut found, text, row);
        if outline.content == Content::Plain && !found.symbols.is_empty() {
            outline.content = Content::Parsed;
        }
    } else {
        by_format(&mut found, text, outline.language);
        let is_page = matches!(outline.language, Some(Language::Html | Language::Template));
        let is_untold =
            found.doc.is_empty() && found.symbols.is_empty() && found.imports.is_empty();
        if is_untold && !is_page {
            // What stands above a page are settings of it.
            let (_, body) = match outline.language {
                Some(Language::Markdown) => document::front_matter(text),
                _ => ("", text),
            };
            text::read(&mut found, body);
        }
    }
    outline.doc = cap(&without_marks(&fold(&found.doc)), PARAGRAPH_BYTES_MAX);
    outline.symbols = found.symbols;
    outline.imports = found.imports;
    outline.more = found.more;
}

/// The names that a program uses; none of what is no program.
pub(in crate::symbol::extract) fn uses(outline: &Outline, text: &str) -> Uses {
    let row = outline
        .language
        .and_then(rows::of)
        .filter(|_| outline.content == Content::Parsed && text.len() <= USES_BYTES_MAX);
    let marks = row.and_then(|row| row.language.marks());
    let more = if row.is_some_and(|row| row.odd == Odd::Lisp) {
        "-"
    } else {
        ""
    };
    let code = marks.and_then(|marks| String::from_utf8(mask(text, &marks)).ok());
    code.map_or_else(Uses::default, |code| {
        uses::read_code(&code, text, more, &outline.symbols)
    })
}

/// Says how a text begins of which there is nothing else to say.
pub(in crate::symbol::extract) fn begin(outline: &mut Outline, text: &str) {
    let mut found = Found::default();
    text::begin(&mut found, text);
    outline.symbols = found.symbols;
}

fn by_format(found: &mut Found, text: &str, language: Option<Language>) {
    use Language as L;
    let Some(language) = language else {
        return text::guess(found, text);
    };
    match language {
        L::Markdown => document::markdown(found, text),
        L::ReStructured => document::restructured(found, text),
        // Titles of RDoc have the same signs.
        L::AsciiDoc | L::Rdoc => document::asciidoc(found, text),
        L::Html | L::Template => page::html(found, text, language),
        L::Tex | L::RManual => typeset::tex(found, text),
        L::Texinfo => typeset::texinfo(found, text),
        L::Roff => typeset::manual_page(found, text),
        L::Org => document::org(found, text),
        L::Text if text::is_json(text) => tree::json(found, text),
        L::Text | L::Licence => text::read(found, text),
        L::Lock if list::is_bundler(text) => list::bundler(found, text),
        L::Toml | L::Ini | L::Lock => sections::sections(found, text),
        L::Yaml => tree::yaml(found, text),
        L::Json => tree::json(found, text),
        L::Notebook => sections::notebook(found, text),
        L::Xml => sections::xml(found, text),
        L::Csv => sections::table(found, text),
        L::Gettext => sections::translations(found, text),
        L::Makefile | L::Just => build::targets(found, text),
        L::Dockerfile => build::stages(found, text),
        L::Kconfig => build::kconfig(found, text),
        L::Devicetree => build::devicetree(found, text),
        L::IgnoreList | L::Requirements => list::entries(found, text),
        L::GoModule => list::go_module(found, text),
        L::Diff => list::patch(found, text),
        L::Css | L::Scss | L::Less => web::styles(found, text),
        L::Vue | L::Svelte => web::component(found, text),
        _ => {}
    }
    if found.doc.is_empty() {
        let style = language.comment_style();
        found.doc = match language {
            // There is nothing else that a comment above the only value could be about.
            L::Json => head::head_paragraph(text, style),
            _ => head::file_paragraph(text, style),
        };
        if language == L::Makefile && build::is_code(&found.doc) {
            found.doc.clear();
        }
    }
}

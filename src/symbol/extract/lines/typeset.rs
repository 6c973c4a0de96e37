//! Documents that are typeset: TeX, Texinfo, manual pages of R and of Unix.

use super::found::Found;
use super::line::lines;
use super::terms;
use crate::symbol::comment::fold;
use crate::symbol::licence::is_licence;
use crate::symbol::outline::Kind;

/// Fewest words of a paragraph.
const WORDS_MIN: usize = 4;

/// `\section{Title}`, and of manual pages of R `\title{…}`, `\name{…}`.
pub(super) fn tex(found: &mut Found, text: &str) {
    const WORDS: [(&str, usize); 9] = [
        ("\\title{", 1),
        ("\\part{", 1),
        ("\\chapter{", 1),
        ("\\chapter*{", 1),
        ("\\section{", 2),
        ("\\section*{", 2),
        ("\\subsection{", 3),
        ("\\subsection*{", 3),
        ("\\subsubsection{", 4),
    ];
    for line in lines(text).map(str::trim) {
        if let Some((rest, level)) = WORDS
            .iter()
            .find_map(|(word, level)| Some((line.strip_prefix(word)?, *level)))
        {
            found.push_heading(level, braces(rest));
        } else if let Some(name) = line.strip_prefix("\\newcommand{").or_else(|| {
            line.strip_prefix("\\def")
                .filter(|name| name.starts_with('\\'))
        }) {
            found.push(
                Kind::Macro,
                name.split(['}', '{', '[', '#']).next().unwrap_or_default(),
                name,
            );
        }
    }
    let body = ["\\begin{document}", "\\begin{abstract}", "\\description{"]
        .iter()
        .find_map(|word| text.find(word).map(|at| &text[at + word.len()..]));
    let is_command = |line: &&str| {
        let is_inline = ["\\code{", "\\link", "\\emph{", "\\pkg{"]
            .iter()
            .any(|word| line.starts_with(word));
        (is_inline || !line.starts_with(['\\', '%', '{', '}'])) && line.contains(' ')
    };
    let prose = lines(body.unwrap_or_default())
        .map(str::trim)
        .skip_while(|line| !is_command(line))
        .take_while(is_command);
    found.doc = without_commands(&prose.take(6).collect::<Vec<_>>().join(" "));
}

/// `\code{x}` is `x`.
fn without_commands(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let name = &rest[at + 1..];
        let end = name
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(name.len());
        rest = match name[end..].strip_prefix('[') {
            Some(option) => option.split_once(']').map_or("", |(_, rest)| rest),
            None => &name[end..],
        };
    }
    (out + rest).replace(['{', '}'], "")
}

/// What stands up to the bracket that closes.
fn braces(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Commands of Texinfo that begin a section, and how deep that stands.
const SECTIONS: [(&str, usize); 17] = [
    ("settitle", 1),
    ("chapter", 1),
    ("chapheading", 1),
    ("unnumbered", 1),
    ("appendix", 1),
    ("section", 2),
    ("heading", 2),
    ("unnumberedsec", 2),
    ("appendixsec", 2),
    ("appendixsection", 2),
    ("subsection", 3),
    ("subheading", 3),
    ("unnumberedsubsec", 3),
    ("appendixsubsec", 3),
    ("subsubsection", 4),
    ("unnumberedsubsubsec", 4),
    ("appendixsubsubsec", 4),
];
/// Blocks of Texinfo that are no text of the document.
const ASIDES: [&str; 11] = [
    "menu",
    "detailmenu",
    "direntry",
    "titlepage",
    "ignore",
    "example",
    "smallexample",
    "display",
    "macro",
    "tex",
    "html",
];

/// `@section Title`, and the first paragraph that is no menu and no licence.
pub(super) fn texinfo(found: &mut Found, text: &str) {
    let (mut paragraph, mut aside) = (String::new(), "");
    // A licence is a part of several manuals.
    let is_part = !text.trim_start().starts_with("\\input");
    let terms = terms::told(text).filter(|_| is_part);
    found.doc = terms.map_or_else(String::new, |said| without_ats(&said));
    for line in lines(text).map(str::trim) {
        let command = line.strip_prefix('@').filter(|rest| !is_inline(rest));
        let (word, rest) = match command {
            Some(command) => command.split_once(' ').unwrap_or((command, "")),
            None => ("", line),
        };
        if !aside.is_empty() {
            let is_end = word == "end" && rest.trim() == aside;
            aside = if is_end { "" } else { aside };
            continue;
        }
        aside = ASIDES.into_iter().find(|name| *name == word).unwrap_or("");
        if let Some((_, level)) = SECTIONS.iter().find(|(name, _)| *name == word) {
            found.push_heading(*level, &without_ats(rest));
        }
        if !found.doc.is_empty() {
            continue;
        }
        if word.is_empty() && !rest.is_empty() && !rest.starts_with("\\input") {
            paragraph.push_str(rest);
            paragraph.push(' ');
            continue;
        }
        let said = without_ats(&std::mem::take(&mut paragraph));
        if said.split(' ').count() >= WORDS_MIN && !is_licence(&said) {
            found.doc = said;
        }
    }
}

/// Whether a command of Texinfo, without its sign, stands within a sentence: `code{x}`.
fn is_inline(command: &str) -> bool {
    let end = command.find(|c: char| !c.is_ascii_alphabetic());
    end.is_none_or(|end| end == 0 || command[end..].starts_with('{')) && end.is_some()
}

/// A text without the commands of Texinfo: `@code{x}` is `x`, and `(version @value{V})` is filled in elsewhere.
fn without_ats(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('@');
    out.push_str(parts.next().unwrap_or_default());
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let end = part.find(|c: char| !c.is_ascii_alphabetic());
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        match name {
            // `@@`
            "" if part.is_empty() => {
                out.push('@');
                out.push_str(parts.next().unwrap_or_default());
            }
            "c" | "comment" => break,
            "value" => out.push_str(rest.split_once('}').map_or("", |(_, rest)| rest)),
            "copyright" => {
                out.push('©');
                out.push_str(rest);
            }
            _ => out.push_str(rest),
        }
    }
    let out = out.replace(['{', '}'], "");
    // What stood in these brackets was filled in.
    let out = ["(version , )", "(version )", "version ,", "()"]
        .iter()
        .fold(fold(&out), |out, blank| out.replace(blank, ""));
    fold(&out).replace(" ,", ",").replace(" .", ".")
}

/// Sections of a manual page; the line below `NAME` says what it is about.
pub(super) fn manual_page(found: &mut Found, text: &str) {
    let (mut in_name, mut name) = (false, String::new());
    for line in lines(text) {
        let section = [".SH ", ".Sh ", ".SS ", ".Ss "]
            .iter()
            .find_map(|word| line.strip_prefix(word));
        if let Some(title) = section {
            let title = title.trim().trim_matches('"');
            in_name = title.eq_ignore_ascii_case("name");
            found.push_heading(
                if line[..3].eq_ignore_ascii_case(".ss") {
                    2
                } else {
                    1
                },
                title,
            );
        } else if let Some(said) = line.strip_prefix(".Nd ") {
            said.trim_matches('"').clone_into(&mut found.doc);
        } else if in_name && found.doc.is_empty() && !line.starts_with(['.', '\'']) {
            // The dash may stand in the line below the name.
            name.push_str(line);
            name.push(' ');
            let said = ["\\fB", "\\fI", "\\fR", "\\fP"]
                .iter()
                .fold(name.clone(), |said, font| said.replace(font, ""));
            let said = said.replace("\\(em", "—").replace("\\(en", "—");
            let said = said.replace('\\', "");
            if said.contains(['-', '—']) {
                said.trim_end().clone_into(&mut found.doc);
            }
        }
    }
}

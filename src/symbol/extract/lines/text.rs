//! Text of which only words are known: the licence that it is, its headings and first paragraph, or how it begins.

use super::document::{self, underlined};
use super::found::Found;
use super::line::lines;
use super::prose::first_paragraph;
use super::{list, page, sections, terms, tree};
use crate::base::fence::Fence;
use crate::symbol::comment;
use crate::symbol::head;
use crate::symbol::instruction::{begins, is_instruction};
use crate::symbol::language::Language;
use crate::symbol::licence;
use crate::symbol::markdown;
use crate::symbol::outline::Kind;

/// Bytes at the start of a text in which the notice of a licence ends.
const NOTICE_BYTES_MAX: usize = 4_000;
/// First lines that stand for a text that has no paragraph.
const FIRST_LINES: usize = 3;
/// Longest first line.
const LINE_BYTES_MAX: usize = 100;
/// Longest line that may be an item of a list without marks, and how many of them are one.
const ITEM_BYTES_MAX: usize = 60;
const ITEMS_MIN: usize = 3;
/// Shortest ruler below a title.
const RULER_BYTES_MIN: usize = 3;
/// Least indentation of a title in the middle of a line.
const CENTRED_MIN: usize = 8;
/// Bytes of a memo in which its title stands.
const MEMO_HEAD_BYTES: usize = 2_000;
/// Tests of a file of snapshots that are named.
const SNAPSHOTS_MAX: usize = 5;
/// Projects of a solution that are named.
const PROJECTS_MAX: usize = 5;
/// Shortest line without spaces that is encoded data.
const ENCODED_BYTES_MIN: usize = 80;
/// Fewest words of a paragraph.
const WORDS_MIN: usize = 4;

/// Says what a text is.
pub(super) fn read(found: &mut Found, text: &str) {
    // What a licence stands above is told, and not the licence.
    let own = without_licence(text);
    let text = if own.chars().any(char::is_alphanumeric) {
        own
    } else {
        text
    };
    if let Some(said) = terms::told(text) {
        found.doc = said;
        return;
    }
    if let Some(said) = control(text)
        .or_else(|| armour(text))
        .or_else(|| encoded(text))
        .or_else(|| checksums(text))
        .or_else(|| solution(text))
        .or_else(|| postscript(text))
        .or_else(|| case_title(text))
        .or_else(|| resources(text))
        .or_else(|| exports(text))
        .or_else(|| memo(text))
        .or_else(|| snapshots(text))
    {
        found.doc = said;
        return;
    }
    underlined(found, text, 0);
    versions(found, text);
    found.doc = centred_title(text).unwrap_or_else(|| first_paragraph(text));
    found.doc = document::without_announcement(&found.doc, None);
    if !is_told_in_words(&found.doc) || is_coded(&found.doc) || is_listed(text) {
        // In a language without a name here, what is behind a sign is a comment.
        let is_of_one = is_above_assignment(text);
        let said = || head::head_paragraph(text, comment::HASH);
        found.doc = if is_of_one { String::new() } else { said() };
    }
}

/// Whether the first comment touches one assignment of several: it says what that is for.
fn is_above_assignment(text: &str) -> bool {
    let is_assignment = |line: &&str| {
        // `coin==1.0` is what is required.
        let name = line
            .split_once('=')
            .filter(|(_, value)| !value.starts_with('='));
        let name = name.map(|(name, _)| name);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.is_some_and(|name| !name.is_empty() && name.chars().all(is_word))
    };
    let head = text.lines().map(str::trim);
    let mut head = head.skip_while(|line| line.is_empty() || line.starts_with('#'));
    let touched = head.next().filter(is_assignment);
    let blank = touched.and_then(|touched| text.split_once(touched)?.0.lines().last());
    let others = text.lines().filter(is_assignment).take(2).count();
    others > 1 && blank.is_some_and(|above| above.starts_with('#'))
}

/// The title of a test case: the first line above a ruler that parts it from input, and that from what is expected.
fn case_title(text: &str) -> Option<String> {
    let mut lines = lines(text).map(str::trim);
    let title = lines.find(|line| !line.is_empty())?;
    let ruler = lines.next()?;
    let is_ruler = |line: &str| line.bytes().all(|byte| b"-=~".contains(&byte));
    if ruler.len() < RULER_BYTES_MIN
        || !is_ruler(ruler)
        || !title.starts_with(char::is_alphanumeric)
    {
        return None;
    }
    // Below the sections of a document the same signs stand under their titles.
    let mut above = "";
    let parts_code = lines.any(|line| {
        let parts = line == ruler && (above == ")" || above.ends_with([';', '{', '}', '>']));
        above = line;
        parts
    });
    (parts_code && title.len() <= LINE_BYTES_MAX).then(|| title.to_owned())
}

/// The first line of a text, where it stands alone in the middle.
fn centred_title(text: &str) -> Option<String> {
    let mut lines = lines(text).skip_while(|line| line.trim().is_empty());
    let (title, below) = (lines.next()?, lines.next()?);
    let indent = title.len() - title.trim_start().len();
    let words = title.split_whitespace().count();
    (indent >= CENTRED_MIN
        && words >= WORDS_MIN
        && title.trim().len() <= LINE_BYTES_MAX
        && below.trim().is_empty())
    .then(|| title.trim().to_owned())
}

/// The number and title of a memo of the IETF, below the table of its authors.
fn memo(text: &str) -> Option<String> {
    const NUMBER: &str = "Request for Comments: ";
    let head = &text[..text.floor_char_boundary(text.len().min(MEMO_HEAD_BYTES))];
    let mut lines = lines(head);
    let number = lines.find_map(|line| line.strip_prefix(NUMBER))?;
    let number = number.split_whitespace().next()?.trim_end_matches(',');
    let table = lines.skip_while(|line| !line.trim().is_empty());
    let title = table.map(str::trim).skip_while(|line| line.is_empty());
    let title: Vec<&str> = title.take_while(|line| !line.is_empty()).collect();
    (!title.is_empty()).then(|| format!("RFC {number}: {}", title.join(" ")))
}

/// The tests that a file of snapshots is of, as Jest and Vitest write it: ``exports[`name 1`] = …``.
fn snapshots(text: &str) -> Option<String> {
    const TITLES: [&str; 2] = ["// Jest Snapshot v", "// Vitest Snapshot v"];
    TITLES.iter().find(|title| text.starts_with(*title))?;
    let names = lines(text).filter_map(|line| {
        let (name, _) = line.strip_prefix("exports[`")?.split_once("`] =")?;
        // Each snapshot of a test has a number.
        Some(
            name.trim_end_matches(|c: char| c.is_ascii_digit())
                .trim_end()
                .replace('\\', ""),
        )
    });
    let mut names: Vec<String> = names.collect();
    names.dedup();
    let shown: Vec<String> = names
        .iter()
        .take(SNAPSHOTS_MAX)
        .map(|name| markdown::code(name))
        .collect();
    let more = match names.len().saturating_sub(SNAPSHOTS_MAX) {
        0 => String::new(),
        left => format!(", and {left} more"),
    };
    (!names.is_empty()).then(|| format!("Snapshots of tests: {}{more}.", shown.join(", ")))
}

/// What the resources of a program for Windows say of it: `VALUE "FileDescription", "…"`.
fn resources(text: &str) -> Option<String> {
    let values = text.split("\"FileDescription\"").skip(1);
    let mut values = values.filter_map(|rest| {
        let value = rest
            .trim_start()
            .strip_prefix(',')?
            .trim_start()
            .strip_prefix('"')?;
        Some(
            value
                .split('"')
                .next()?
                .trim_end_matches("\\0")
                .trim_end_matches('.'),
        )
    });
    let said = values.find(|said| said.contains(' ') && said.len() <= LINE_BYTES_MAX)?;
    Some(format!("Windows resources: {said}."))
}

/// What a module definition says above the names that a library exports.
fn exports(text: &str) -> Option<String> {
    let mut told = lines(text)
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(';'));
    let first = told.next()?.split(' ').next()?.to_ascii_uppercase();
    let is_definition = match first.as_str() {
        "EXPORTS" => true,
        "LIBRARY" | "NAME" => told.any(|line| begins(line, "EXPORTS")),
        _ => false,
    };
    let said = head::head_paragraph(text, comment::SEMICOLON);
    let said = Some(said).filter(|said| !said.is_empty());
    is_definition.then(|| said.unwrap_or_else(|| "Names that a library exports.".to_owned()))
}

/// Whether a paragraph is code: a quarter of its words have signs that stand in no sentence.
fn is_coded(paragraph: &str) -> bool {
    let words = paragraph.split(' ');
    // `/file`, `--flag`, `+option`, `old:new`.
    let is_code = |word: &&str| {
        word.contains(['{', '}', '=', '$', '[', ']', '<', '>', '\\'])
            || word.ends_with(';')
            || word.trim_end_matches(':').contains(':')
            || word.starts_with(['-', '+', '/']) && word.len() > 1
    };
    // What stands behind the sign is a comment to the line.
    let has_comment = paragraph.contains(" # ") || paragraph.starts_with("# ");
    has_comment
        || 4 * words.clone().filter(is_code).count() >= words.count()
        || CODE_WORDS.iter().any(|word| paragraph.starts_with(word))
}

/// Whether a text begins with lines that are things of a list, and no lines of a sentence: short ones, none of which
/// ends as a sentence does or stops in the middle of one; or lines that all begin with one word.
fn is_listed(text: &str) -> bool {
    let block: Vec<&str> = lines(text)
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let is_item = |line: &&str| {
        line.len() <= ITEM_BYTES_MAX
            && !line.ends_with(['.', '!', '?', ',', ';', ':'])
            && line.starts_with(|c: char| !c.is_lowercase())
    };
    let first = |line: &&str| line.split(' ').next().unwrap_or_default().to_owned();
    let is_repeated = || {
        block
            .windows(2)
            .all(|pair| first(&pair[0]) == first(&pair[1]))
    };
    let is_word = |line: &&str| !line.contains(' ');
    let is_list = || block.iter().all(is_item) || block.iter().all(is_word) || is_repeated();
    block.len() >= ITEMS_MIN && is_list()
}

/// With what a line of code begins, and no sentence.
const CODE_WORDS: [&str; 8] = [
    "import ",
    "use builtin",
    "fn ",
    "def ",
    "#include",
    "public class ",
    "public final ",
    "public abstract ",
];

/// Whether a paragraph is prose, and no screen of a terminal, table or list of quoted words.
fn is_told_in_words(paragraph: &str) -> bool {
    let words = || {
        paragraph
            .split(' ')
            .filter(|word| word.chars().any(char::is_alphabetic))
    };
    let quoted = words()
        .filter(|word| word.starts_with('"') && word.ends_with('"'))
        .count();
    let is_drawn = paragraph.contains(|c: char| ('\u{2500}'..='\u{257f}').contains(&c));
    words().count() >= WORDS_MIN && 2 * quoted < words().count() && !is_drawn
}

/// Title and description of a package, as R and Debian write them: `Field: value`, further lines indented.
fn control(text: &str) -> Option<String> {
    let field = |name: &str| {
        let mut from = lines(text).skip_while(|line| !line.starts_with(name));
        let first = from.next()?[name.len()..].trim().to_owned();
        let more = from.take_while(|line| line.starts_with([' ', '\t']));
        Some(more.fold(first, |text, line| format!("{text} {}", line.trim())))
    };
    let begins = ["Package:", "Type: Package", "Source:"];
    begins.iter().find(|word| text.starts_with(*word))?;
    let said = field("Description:")?;
    Some(field("Title:").map_or_else(|| said.clone(), |title| format!("{title}. {said}")))
}

/// What stands in the armour of PEM (RFC 7468): its label, and nothing of the body.
fn armour(text: &str) -> Option<String> {
    let label = text.trim_start().strip_prefix("-----BEGIN ")?;
    let (label, _) = label.lines().next()?.split_once("-----")?;
    // OpenPGP has the same armour (RFC 9580).
    Some(match label.strip_prefix("PGP ") {
        Some(label) => format!("PGP {}.", label.to_lowercase()),
        None => format!("PEM {}.", label.to_lowercase()),
    })
}

/// What a text is that has no words: a key, or lines of encoded data.
fn encoded(text: &str) -> Option<String> {
    const KEYS: [&str; 6] = [
        "ssh-rsa ",
        "ssh-dss ",
        "ssh-ed25519 ",
        "ecdsa-sha2-",
        "sk-ssh-",
        "sk-ecdsa-",
    ];
    let text = text.trim();
    if text == "[redacted: private-key]" || text == "[redacted: ssh-private-key]" {
        return Some("Private key.".to_owned());
    }
    let is_key = |line: &str| KEYS.iter().any(|key| line.starts_with(key));
    // `ssh-ed25519-cert-v01@openssh.com …`
    let is_certificate = |line: &str| {
        let kind = line.split(' ').next().unwrap_or_default();
        kind.ends_with("-cert-v01@openssh.com")
    };
    if text.lines().all(is_certificate) && !text.is_empty() {
        return Some("Certificate of SSH.".to_owned());
    }
    if text.lines().all(is_key) && !text.is_empty() {
        return Some("Public key of SSH.".to_owned());
    }
    let is_data = |line: &str| {
        let is_code = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
        line.len() >= ENCODED_BYTES_MIN / 2 && line.bytes().all(is_code)
    };
    let has = |kind: fn(&u8) -> bool| text.bytes().any(|byte| kind(&byte));
    let is_encoded = text.len() >= ENCODED_BYTES_MIN
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && text.lines().all(is_data);
    is_encoded.then(|| "Encoded data.".to_owned())
}

/// How many files a list of checksums is of, and the names of some: `<digits of hex>  <name>` on each line, as `sha256sum` prints them.
fn checksums(text: &str) -> Option<String> {
    let sum = |line: &str| {
        let (sum, name) = line.split_once(' ')?;
        let kind = match sum.len() {
            32 => "MD5",
            40 => "SHA-1",
            64 => "SHA-256",
            128 => "SHA-512",
            _ => return None,
        };
        let is_hex = sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        // One space more, a star, or one word: else these are commits with their subjects.
        let marked = name.strip_prefix([' ', '*']);
        let name = marked.or_else(|| Some(name).filter(|name| !name.contains(' ')))?;
        is_hex.then(|| (kind, name.rsplit('/').next().unwrap_or(name).to_owned()))
    };
    let lines = lines(text).map(str::trim).filter(|line| !line.is_empty());
    let sums: Vec<_> = lines.map(sum).collect::<Option<_>>()?;
    let (kind, first) = sums.first()?;
    let (_, last) = sums.last()?;
    Some(match sums.len() {
        1 => format!("{kind} checksum of `{first}`."),
        count => format!("{kind} checksums of {count} files, from `{first}` to `{last}`."),
    })
}

/// The projects of a solution of Visual Studio: `Project("{type}") = "name", "path", "{id}"`.
fn solution(text: &str) -> Option<String> {
    let head = text.trim_start_matches('\u{feff}').trim_start();
    head.strip_prefix("Microsoft Visual Studio Solution File")?;
    let lines = lines(text).map(str::trim);
    let projects = lines.filter_map(|line| line.strip_prefix("Project(")?.split('"').nth(3));
    let names: Vec<&str> = projects.take(PROJECTS_MAX + 1).collect();
    let shown: Vec<String> = names
        .iter()
        .take(PROJECTS_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if names.len() > PROJECTS_MAX {
        " and more"
    } else {
        ""
    };
    (!names.is_empty()).then(|| format!("Visual Studio solution with {}{more}.", shown.join(", ")))
}

/// The title of a PostScript program, by the comments of its document structuring conventions.
fn postscript(text: &str) -> Option<String> {
    let head = text.strip_prefix("%!PS")?;
    let title = head
        .lines()
        .take(60)
        .find_map(|line| line.strip_prefix("%%Title:"));
    Some(
        match title.map(|title| title.trim().trim_matches(['(', ')'])) {
            Some(title) if !title.is_empty() && title != "Unknown" => {
                format!("PostScript: {title}")
            }
            _ => "A PostScript program.".to_owned(),
        },
    )
}

/// How a text begins: the first lines with words behind what it imports, and those with other signs between them.
pub(super) fn begin(found: &mut Found, text: &str) {
    let is_told = |line: &&str| {
        let is_said = line.chars().any(char::is_alphanumeric) && !is_page_head(line);
        is_said && !head::imports(line) && Fence::read(line).is_none()
    };
    let is_blank = |line: &&str| {
        line.bytes()
            .all(|byte| !byte.is_ascii_alphanumeric() && byte.is_ascii())
    };
    let is_advice = |line: &str| {
        let said = line.trim_start_matches(['#', '/', ' ']);
        said.len() < line.len() && is_instruction(said)
    };
    for line in without_licence(text)
        .lines()
        .map(str::trim)
        .skip_while(|line| !is_told(line))
        .filter(|line| !is_blank(line) && !head::imports(line) && !is_advice(line))
        .filter(|line| !is_page_head(line))
        .take(FIRST_LINES)
    {
        let line = comment::cap(&comment::fold(line), LINE_BYTES_MAX);
        found.push(Kind::Line, &line, &line);
    }
    if found.symbols.is_empty()
        && let Some(line) = text.lines().map(str::trim).find(|line| !line.is_empty())
    {
        let line = comment::cap(line, LINE_BYTES_MAX);
        found.push(Kind::Line, &line, &line);
    }
}

/// Whether a line is of the head of a page of HTML, as every page has it.
fn is_page_head(line: &str) -> bool {
    const TAGS: [&str; 8] = [
        "<!doctype",
        "<html",
        "<head",
        "<meta",
        "<link",
        "<body",
        "</head",
        "</body",
    ];
    TAGS.iter().any(|tag| begins(line, tag))
}

/// The text behind the comment at its head that is a licence.
fn without_licence(text: &str) -> &str {
    // `#define` is none.
    let is_comment = |line: &str| {
        let behind = line.strip_prefix('#').map(|rest| rest.chars().next());
        let is_hash = behind.is_some_and(|next| next.is_none_or(|c| !c.is_alphanumeric()));
        // `*name* is …` is text.
        let is_star = line == "*" || ["* ", "*/", "**"].iter().any(|mark| line.starts_with(mark));
        let marks = ["//", "/*", ";", "--"];
        is_hash || is_star || marks.iter().any(|mark| line.starts_with(mark))
    };
    let (mut end, mut is_licence, mut in_markup) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let is_markup = in_markup || trimmed.starts_with("<!--");
        if !trimmed.is_empty() && !is_markup && !is_comment(trimmed) {
            break;
        }
        in_markup = is_markup && !trimmed.ends_with("-->");
        is_licence = is_licence || licence::is_licence(&comment::fold(trimmed));
        end += line.len();
    }
    let own = if is_licence { &text[end..] } else { text };
    let own = behind_notice(own).unwrap_or(own);
    if own.is_empty() { text } else { own }
}

/// The text behind the notice of the Apache License that stands above it without the signs of a comment.
fn behind_notice(text: &str) -> Option<&str> {
    const STARTS: [&str; 2] = ["Licensed to the Apache", "Licensed under the Apache"];
    let notice = text.trim_start();
    STARTS.iter().find(|start| notice.starts_with(*start))?;
    let head = &notice[..notice.floor_char_boundary(NOTICE_BYTES_MAX.min(notice.len()))];
    let end = head.find("limitations under the License.")?;
    let (_, own) = notice[end..].split_once('\n')?;
    own.contains(char::is_alphanumeric).then_some(own)
}

/// Lines that say which version what is below them is about.
fn versions(found: &mut Found, text: &str) {
    if !found.symbols.is_empty() {
        return;
    }
    let is_version = |line: &&str| {
        let word = line
            .trim_start_matches(['v', 'V'])
            .trim_start_matches("ersion ")
            .trim_start_matches("Release ");
        let number = word.split([' ', ':', ',', ')']).next().unwrap_or_default();
        line.len() <= 80
            && number.trim_end_matches('.').contains('.')
            && number.starts_with(|c: char| c.is_ascii_digit())
            && number.matches('.').count() < 4
    };
    let all: Vec<&str> = lines(text).filter(is_version).take(200).collect();
    // Numbers line by line are data: a version has words below it.
    let others = lines(text).filter(|line| !line.is_empty() && !is_version(line));
    if all.len() > 2 && others.take(all.len()).count() == all.len() {
        for line in all {
            found.push_heading(1, line.trim_end_matches(':'));
        }
    }
}

/// Whether a text is an object or a list of JSON, whatever its name is.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && text.contains("\":")
}

/// A text whose name says nothing: looked at for what it is.
pub(super) fn guess(found: &mut Found, text: &str) {
    let start = text.trim_start();
    if is_json(text) {
        return tree::json(found, text);
    }
    if start.starts_with("diff --git")
        || start.starts_with("--- a/")
        || start.starts_with("From ") && text.contains("\ndiff --git")
    {
        return list::patch(found, text);
    }
    let (first, rest) = start.split_once('\n').unwrap_or((start, ""));
    let is_key = |key: &str| !key.is_empty() && !key.contains(char::is_whitespace);
    if first.strip_suffix(':').is_some_and(is_key) && rest.starts_with([' ', '\t']) {
        return tree::yaml(found, text);
    }
    let head = &start[..start.floor_char_boundary(500)];
    let is_xml = head.starts_with('<') && head.contains(" xmlns");
    if start.starts_with("<?xml") || is_xml && !head.starts_with("<html") {
        return sections::xml(found, text);
    }
    if start
        .get(..9)
        .is_some_and(|head| head.eq_ignore_ascii_case("<!doctype"))
        || start.starts_with("<html")
    {
        return page::html(found, text, Language::Html);
    }
    if start.starts_with("/*") {
        found.doc = head::head_paragraph(text, comment::SLASHES);
        if !found.doc.is_empty() {
            return;
        }
    }
    let is_c =
        lines(text).any(|line| line.starts_with("#include ") || line.starts_with("#define "));
    let styles = [comment::HASH, comment::SLASHES, comment::SEMICOLON];
    for style in styles.into_iter().skip(usize::from(is_c)) {
        let said = head::file_paragraph(text, style);
        if said.split(' ').count() >= WORDS_MIN {
            found.doc = said;
            return;
        }
    }
    read(found, text);
}

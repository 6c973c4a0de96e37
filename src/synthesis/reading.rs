//! What a child's body says, read back from its Markdown: its first paragraph, the names that its list begins with.

use super::child::{ChildNode, PartKind};
use super::facts::find_line;
use super::short::{SIGNATURE_BYTES_MAX, TYPES, bare, cut, first_span, head, without_modifiers};
use crate::symbol::markdown_code;

/// Bytes of what one child of several is about.
pub(super) const POINT_BYTES_MAX: usize = 90;
/// Bytes of a child's sentence.
pub(super) const SENTENCE_BYTES_MAX: usize = 180;
/// What outlines say of a content that was not read.
const SIZES: [&str; 4] = ["Empty file", "File of ", "A file of ", "A Git LFS"];
/// Fewest words of first lines that say something, those two among them that name them.
const BEGINNING_WORDS_MIN: usize = 4;
/// Declarations in the line of a child.
const DECLARED_MAX: usize = 3;

/// A name as Markdown code, with a slash after a directory's.
pub(super) fn code(part: &ChildNode<'_>) -> String {
    let name: String = part
        .name
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let slash = if part.kind == PartKind::Directory {
        "/"
    } else {
        ""
    };
    markdown_code(&format!("{name}{slash}"))
}

/// The first paragraph of a body, on one line; `None` when it starts with facts.
pub(super) fn lead(part: &ChildNode<'_>) -> Option<String> {
    part.bodies.iter().find_map(|(_, body)| {
        let paragraph = body.split("\n\n").map(str::trim).find(|block| {
            !block.is_empty() && !block.starts_with('#') && !block.starts_with("```")
        })?;
        if paragraph.starts_with("- ") || find_line(paragraph).is_some() {
            return None;
        }
        Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

/// The same, where it says more than how large a content is.
pub(super) fn purpose(part: &ChildNode<'_>) -> Option<String> {
    let is_size = |lead: &str| {
        // `PNG image (300 bytes).`
        let size = lead
            .strip_suffix(" bytes).")
            .and_then(|rest| rest.rsplit_once('('));
        size.is_some_and(|(_, number)| number.parse::<u64>().is_ok())
            || SIZES.iter().any(|words| lead.starts_with(words))
    };
    lead(part).filter(|lead| !is_size(lead))
}

/// A sentence with its full stop.
pub(super) fn ended(text: &str) -> String {
    let is_ended = text.ends_with(['.', '…', '!', '?']);
    format!("{text}{}", if is_ended { "" } else { "." })
}

/// The first sentence of a child, short.
pub(super) fn about(part: &ChildNode<'_>) -> Option<String> {
    purpose(part).map(|text| sentence(&text, POINT_BYTES_MAX))
}

/// The same of the only file of a directory, behind the type that it declares.
pub(super) fn about_only(part: &ChildNode<'_>) -> Option<String> {
    let says = about(part)?;
    let first = signatures(part)
        .next()
        .filter(|first| is_type(first) && is_one(part));
    Some(first.map_or_else(|| says.clone(), |first| format!("{}: {says}", head(first))))
}

/// The first sentence, if it is short enough to be one.
pub(super) fn sentence(text: &str, bytes_max: usize) -> String {
    let end = text.match_indices(". ").map(|(at, _)| at + 1).find(|end| {
        // "e.g. ", "i.e. " and initials do not end a sentence.
        let is_short = ["e.g.", "i.e.", "cf.", "Ex.", "ex."]
            .iter()
            .any(|word| text[..*end].ends_with(word));
        // `Hi.` says nothing.
        let is_word = !text[..*end].contains(' ');
        !is_short && !is_word && text[end + 1..].starts_with(|c: char| !c.is_lowercase())
    });
    cut(&text[..end.unwrap_or(text.len())], bytes_max)
}

/// For a file that does not say what it is for: the first names that its outline lists.
pub(super) fn declared(part: &ChildNode<'_>) -> Option<String> {
    if let Some(tests) = tests(part).filter(|_| part.name.contains("test")) {
        return Some(cut(tests, SENTENCE_BYTES_MAX));
    }
    if let Some(runs) = listed(part).find(|line| line.starts_with("command")) {
        return Some(first_span(runs, SENTENCE_BYTES_MAX));
    }
    let mut all = declarations(part);
    let mut declared = all.by_ref().take(DECLARED_MAX).collect::<Vec<_>>();
    if let [(signature, says @ Some(_)), ..] = declared[..]
        && is_one(part)
    {
        declared = vec![(signature, says)];
    }
    if let [(signature, Some(says))] = declared[..] {
        let room = SENTENCE_BYTES_MAX.saturating_sub(SIGNATURE_BYTES_MAX);
        return Some(format!("{}: {}", head(signature), cut(says, room)));
    }
    if !declared.is_empty() {
        let names = declared.iter().map(|(signature, _)| head(signature));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        let more = if all.next().is_some() { " …" } else { "" };
        return Some(names.join(", ") + more);
    }
    if let Some(tests) = tests(part) {
        return Some(cut(tests, SENTENCE_BYTES_MAX));
    }
    let mut listed = listed(part);
    let first = listed.next().or_else(|| beginning(part))?;
    let text = match listed.next() {
        Some(second) => format!("{first}; {second}"),
        None => first.to_owned(),
    };
    Some(cut(&text, SENTENCE_BYTES_MAX))
}

/// Whether a body counts one declaration that others may use.
fn is_one(part: &ChildNode<'_>) -> bool {
    let mut bodies = part.bodies.iter();
    bodies.any(|(_, body)| find_line(body).is_some_and(|line| line.ends_with(", 1 public item.")))
}

/// The titles of tests that a body names on one line.
fn tests<'p>(part: &'p ChildNode<'_>) -> Option<&'p str> {
    let body = part.body();
    body.lines().find(|line| line.starts_with("Tests: "))
}

/// The declarations that a body lists, most important first.
pub(super) fn signatures<'p>(part: &'p ChildNode<'_>) -> impl Iterator<Item = &'p str> {
    declarations(part).map(|(signature, _)| signature)
}

/// Whether a declaration tells its file from others: it has a name, and is more than a value.
pub(super) fn tells_apart(signature: &str) -> bool {
    const NAMELESS: [&str; 8] = [
        "(",
        "{",
        "function (",
        "function(",
        "async (",
        "async function (",
        "async function(",
        "class {",
    ];
    const FUNCTIONS: [&str; 4] = ["(", "function", "async", "class"];
    let bare = without_modifiers(signature);
    let bare = bare.strip_prefix("module.exports = ").unwrap_or(bare);
    let is_nameless = NAMELESS.iter().any(|words| bare.starts_with(words));
    let value = signature
        .split_once('=')
        .filter(|(name, _)| !name.contains(['(', '<']));
    let is_value = value.is_some_and(|(_, value)| {
        !FUNCTIONS
            .iter()
            .any(|word| value.trim_start().starts_with(word))
    });
    let is_bare = signature.starts_with("const ") && value.is_none();
    // Where a program or each test starts.
    let is_main = ["main(", "Main(", "setUp(", "tearDown("]
        .iter()
        .any(|main| {
            signature
                .find(main)
                .is_some_and(|at| at == 0 || signature[..at].ends_with(' '))
        });
    let is_name = !signature.contains([' ', '(', '=']);
    // `NAME: a.value` of an object.
    let pair = signature.split_once(": ");
    let is_pair = pair.is_some_and(|(name, value)| {
        !name.contains([' ', '(']) && !value.contains([' ', '(', '<'])
    });
    let is_hook = signature.starts_with("def __") || signature.starts_with("async def __");
    !is_nameless && !is_value && !is_pair && !is_bare && !is_hook && !is_main && !is_name
}

/// Whether a text says something, and neither asks above a list of answers nor only names a file to read on in.
pub(super) fn speaks(text: &str) -> bool {
    let asks = text.ends_with('?')
        && ["What", "How", "Why", "Where"]
            .iter()
            .any(|word| text.starts_with(word));
    let behind = ["Read ", "See "]
        .iter()
        .find_map(|word| text.strip_prefix(word));
    let next = behind
        .and_then(|rest| rest.split(' ').next())
        .unwrap_or_default();
    let is_place = next.starts_with("http") || next.trim_end_matches('.').contains(['.', '/']);
    !asks && !is_place
}

/// Whether a text only announces what is not said.
pub(super) fn announces(text: &str) -> bool {
    text.ends_with([':', ',']) || [": …", ", …"].iter().any(|end| text.ends_with(end))
}

/// Whether what a file says tells something of the directory that it stands in, too.
pub(super) fn speaks_beyond(sentence: &str) -> bool {
    // `This is …` says what only where it stands.
    const STARTS: [&str; 16] = [
        "This file ",
        "Generated by ",
        "Minified code",
        "AUTOGENERATED ",
        "Code generated ",
        "Must ",
        "Do not ",
        "Thread-safe",
        "error:",
        "error[",
        "This is ",
        "Apache License",
        "Copyright ",
        "Checksums of ",
        "Encoded data",
        "Microsoft Visual C++ generated",
    ];
    !announces(sentence)
        && speaks(sentence)
        && !STARTS.iter().any(|start| sentence.starts_with(start))
}

/// Whether a type has the name of its file, however that is written.
pub(super) fn is_named_after(stem: &str, signature: &str) -> bool {
    let signature = without_modifiers(bare(signature));
    let name = signature
        .split([' ', '<', '(', ':', '{'])
        .filter(|word| !word.is_empty())
        .nth(1);
    let letters = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    name.is_some_and(|name| letters(name) == letters(stem))
}

/// Whether a type is only where a program starts: its name says nothing of it.
pub(super) fn is_start(signature: &str) -> bool {
    const NAMES: [&str; 4] = [
        "class Program",
        "class Main",
        "class Startup",
        "object Main",
    ];
    NAMES.iter().any(|name| signature.ends_with(name))
}

/// Whether a declaration is that of a type, whose name says what its file is about.
pub(super) fn is_type(signature: &str) -> bool {
    let signature = without_modifiers(bare(signature));
    let word = signature.split(' ').next().unwrap_or_default();
    TYPES.contains(&word) || signature.starts_with("data class ")
}

/// The same, each with its sentence: of modules and namespaces what they hold, and what is private where nothing else is.
fn declarations<'p>(part: &'p ChildNode<'_>) -> impl Iterator<Item = (&'p str, Option<&'p str>)> {
    let body = part.body();
    let (public, private) = body.split_once("\nNot public:\n").unwrap_or((body, ""));
    let shown = if public.contains("- `") || public.contains("- members of `") {
        public
    } else {
        private
    };
    let lines: Vec<&str> = shown.lines().collect();
    let mut open = 0;
    (0..lines.len()).filter_map(move |at| {
        let line = lines[at];
        let text = line.trim_start();
        let depth = depth_of(line);
        let is_owner = text.starts_with("- members of `");
        let shown = text
            .strip_prefix("- members of ")
            .or_else(|| text.strip_prefix("- "))?;
        let (signature, rest) = code_span(shown)?;
        if depth > open || signature.is_empty() {
            return None;
        }
        open = depth;
        // `var app = module.exports = {}`
        let is_owner = is_owner || signature.starts_with("var ") && signature.contains("exports =");
        let says = behind_code(rest).filter(|says| !says.is_empty());
        if is_owner || is_place(signature, says, &lines[at + 1..], depth) {
            open += 1;
            return None;
        }
        Some((signature, says))
    })
}

/// The code at the start of a text, and what stands behind it; the fence is as long as it needs to be.
pub(super) fn code_span(text: &str) -> Option<(&str, &str)> {
    let fence = text.bytes().take_while(|byte| *byte == b'`').count();
    let (inner, rest) = text[fence..]
        .split_once(&text[..fence])
        .filter(|_| fence > 0)?;
    let inner = if fence > 1 { inner.trim() } else { inner };
    Some((inner, rest))
}

/// What stands behind the first colon that is in no code: `` (`#[Lazy(on: true)]`): Says.`` says `Says.`
fn behind_code(text: &str) -> Option<&str> {
    let mut ticks = 0;
    let mut parts = text.match_indices(['`', ':']);
    parts.find_map(|(at, sign)| {
        ticks += usize::from(sign == "`");
        let says = text[at..].strip_prefix(": ")?;
        (ticks % 2 == 0).then_some(says)
    })
}

/// How deep a line of a list stands.
fn depth_of(line: &str) -> usize {
    (line.len() - line.trim_start().len()) / 2
}

/// Whether a module or class, with these lines behind it, is no more than a place for the types in it.
///
/// A module that has methods is more than that, as is one within another that says what it is for.
fn is_place(signature: &str, says: Option<&str>, below: &[&str], depth: usize) -> bool {
    const OUTER: [&str; 3] = ["module ", "namespace ", "mod "];
    let is_type = |line: &str| line.starts_with("- `class ") || line.starts_with("- `module ");
    let is_method = |line: &str| line.starts_with("- `def ") || line.starts_with("- method");
    let below = below.iter().take_while(|line| depth_of(line) > depth);
    let mut members = below
        .filter(|line| depth_of(line) == depth + 1)
        .map(|line| line.trim_start())
        .peekable();
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if let Some(name) = signature.strip_prefix("class ") {
        if !is_name(name) {
            return false;
        }
        return says.is_none() && members.peek().is_some() && members.all(is_type);
    }
    let is_told = signature.starts_with("module ") && depth > 0 && says.is_some();
    OUTER.iter().any(|word| signature.starts_with(word)) && !is_told && !members.any(is_method)
}

/// What a body lists that is no declaration: headings, and kinds with their names.
pub(super) fn listed<'p>(part: &'p ChildNode<'_>) -> impl Iterator<Item = &'p str> {
    let body = part.body();
    body.lines()
        .filter_map(|line| line.strip_prefix("- "))
        .filter(|text| !text.starts_with('`'))
        .filter(|text| !is_lines(text) && !text.starts_with("members of"))
}

/// How a file begins of which nothing else is known.
pub(super) fn first_line<'p>(part: &'p ChildNode<'_>) -> Option<&'p str> {
    let body = part.body();
    let mut lines = body.lines().filter_map(|line| line.strip_prefix("- "));
    lines.find(|line| {
        let shown = line.split_once('`').map_or("", |(_, shown)| shown);
        is_lines(line) && shown.contains(char::is_alphanumeric)
    })
}

/// The same, where that has words.
fn beginning<'p>(part: &'p ChildNode<'_>) -> Option<&'p str> {
    let begins = first_line(part)?;
    let words = begins.split([' ', '`', '(', '.']);
    let is_word = |word: &&str| word.len() > 2 && word.chars().all(char::is_alphabetic);
    (words.filter(is_word).count() >= BEGINNING_WORDS_MIN).then_some(begins)
}

/// Whether an item of a list is how a text begins of which nothing else is known.
fn is_lines(item: &str) -> bool {
    item.starts_with("line `") || item.starts_with("lines `")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(body: &str) -> ChildNode<'_> {
        ChildNode::outlined("a", PartKind::File, body)
    }

    #[test]
    fn a_file_without_a_sentence_is_told_by_what_it_declares() {
        let long = "a_name: &'a LongType<'a>, b: u32";
        for (body, expected) in [
            (
                format!("Rust source, 20+ lines, 2 public items.\n\n- `pub(crate) fn look({long})`\n- `fn b()`: Says.\n"),
                "`fn look(a_name: &'a LongType<'a>, b: u32)`, `fn b()`",
            ),
            (
                format!("C# source, 20+ lines, 2 public items.\n\n- `public class {0}_{0}`\n- `public static IEnumerable<{0}> Look({long})`\n", "ALongNameOfAThingThat"),
                "`class ALongNameOfAThingThat_ALongNameOfAThingThat`, `IEnumerable<ALongNameOfAThingThat> Look(…)`",
            ),
            (
                "C++ source, 20+ lines, 2 public items.\n\n- `template <typename T, int N = (1)> class A`\n- `__attribute__((visibility(\"default\"))) int f()`\n".to_owned(),
                "`class A`, `int f()`",
            ),
            (
                "JavaScript source, 20+ lines, 2 public items.\n\n- `var app = module.exports = express()`\n  - `app.map = function (a)`\n- route `GET /`\n".to_owned(),
                "`app.map = function (a)`",
            ),
            (
                "PHP source, 20+ lines, 1 public item.\n\n- `class A`: Logs. More.\n  - `function b()`: No.\n\nNot public:\n\n- `function c()`\n".to_owned(),
                "`class A`: Logs. More.",
            ),
            (
                "Go source, 20+ lines, 1 public item.\n\n- members of `Command`\n  - `func GenZsh()`\n\nNot public:\n\n- `func gen()`\n".to_owned(),
                "`func GenZsh()`",
            ),
            (
                "Go source, 20+ lines.\n\nNot public:\n\n- `func gen()`\n".to_owned(),
                "`func gen()`",
            ),
            (
                "PHP source, 20+ lines, 1 public item.\n\n- `class A` (`#[Lazy(on: true)]`)\n".to_owned(),
                "`class A`",
            ),
            (
                "Rust source, 20+ lines.\n\nNot public:\n\n- `pub(crate) fn grouping<K, I: Iterator, F: FnMut(&I::Item) -> K>(of: I)`\n- `impl<T, F: FnMut(&T, &T) -> bool> OrderingOrBool<T, T> for F`\n- `fn mixed() -> IntoIter<Result<Range<i32>, ALongNameOfAnError>>`\n".to_owned(),
                "`fn grouping(…)`, `impl OrderingOrBool<T, T> for F`, `fn mixed()`",
            ),
            (
                "C# source, 20+ lines, 1 public item.\n\n- `public IList<object> Order<TRequest>(IList<object> handlers, TRequest of)`\n".to_owned(),
                "`IList<object> Order(…)`",
            ),
            (
                "C# source, 20+ lines.\n\nNot public:\n\n- `private static (string[] RemainingArgs, string? BaselineVersion) Split(string[] all)`\n".to_owned(),
                "`Split(string[] all)`",
            ),
            (
                "CMake file, 20+ lines, 1 function.\n\n- `function(check_function_exists_that_may_need_a_library _function _variable)`\n".to_owned(),
                "`function(check_function_exists_that_may_need_a_library …)`",
            ),
            (
                "Gherkin source, 20+ lines, 1 public item.\n\n- ``Feature: the `pattern` now``: Says.\n".to_owned(),
                "``Feature: the `pattern` now``: Says.",
            ),
            (
                "R source, 20+ lines.\n\nTests: `a works`, ``b`c``\n".to_owned(),
                "Tests: `a works`, ``b`c``",
            ),
        ] {
            assert_eq!(declared(&part(&body)).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn a_code_span_is_cut_off_as_a_whole() {
        assert_eq!(cut("Holds `a b`, `def look(x)`", 21), "Holds `a b` …");
        assert_eq!(cut("Tests: `a b`, ``c `d` e``", 20), "Tests: `a b` …");
        assert_eq!(cut("Holds much more", 12), "Holds much …");
        assert_eq!(
            first_span("command `git tag one two`", 10),
            "command `git tag …`"
        );
        assert_eq!(first_span("commands `a b`, `c d`", 16), "commands `a b` …");
    }
}

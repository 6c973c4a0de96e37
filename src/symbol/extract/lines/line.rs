//! Lines and words: what every reader of a format needs.

/// Longest line that is looked at; longer ones are data.
pub(super) const LINE_BYTES_MAX: usize = 4_096;

/// The lines of a text that are short enough to be looked at.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LINE_BYTES_MAX)
}

/// Lines of a file that has room for its values.
const SMALL_LINES_MAX: usize = 6;

/// Whether a text of settings has so few lines that their values can be shown.
pub(super) fn is_small(text: &str) -> bool {
    let lines = lines(text).map(str::trim);
    let told = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    told.take(SMALL_LINES_MAX + 1).count() <= SMALL_LINES_MAX
}

/// How far a line is indented; a tab goes to the next multiple of eight.
pub(super) fn indent(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns = (columns / 8 + 1) * 8,
            _ => break,
        }
    }
    columns
}

/// What stands behind a word at the start of a text, whatever its case; `None` where another word stands there.
pub(super) fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = !word.ends_with(is_word) || !rest.starts_with(is_word);
    (head.eq_ignore_ascii_case(word) && ends).then(|| rest.trim_start())
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

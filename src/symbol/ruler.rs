//! Lines that only draw: rulers, boxes, pictures of signs.

/// Shortest line that is a ruler.
const RULER_BYTES_MIN: usize = 5;
/// A line that says something has at least one letter or digit among each group of this size.
const SIGNS_MAX: usize = 5;

/// Whether a line is a ruler, with the marks of its comment or without.
pub(super) fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.len() >= RULER_BYTES_MIN && is_ornament(line)
}

/// Whether a line has no words: a ruler, the side of a box, a part of a picture.
pub(super) fn is_ornament(line: &str) -> bool {
    let is_drawn = line.starts_with(['/', '_', '\\', '|']);
    if is_drawn && ["_/", "\\_", "/_/"].iter().any(|mark| line.contains(mark)) {
        return true;
    }
    // Letters of bars and lines.
    let is_lettering = line.contains("| |") && line.contains('_') && line.matches('|').count() > 2;
    if is_lettering || line.starts_with("|_|") {
        return true;
    }
    let words = line.trim_end_matches(['-', '=', '#', '*', '~']);
    let is_ruled = line.len() - words.len() >= RULER_BYTES_MIN && words.starts_with(['-', '=']);
    let signs = line.chars().filter(|c| !c.is_whitespace());
    let letters = signs.clone().filter(|c| c.is_alphanumeric()).count();
    let is_picture = line.len() >= RULER_BYTES_MIN && SIGNS_MAX * letters < signs.count();
    is_ruled || is_picture || line.chars().all(|c| "-=*#/_~+<>|. \t─━═".contains(c))
}

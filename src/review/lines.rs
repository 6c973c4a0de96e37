//! The lines of a declaration that are its own, and how many of them differ.

use std::collections::HashMap;

use super::change::Code;
use super::declaration::DeclarationNumber;

/// The lines of a declaration that are no member's, without those that only hold a comment.
pub(super) fn own_lines(code: &Code, number: DeclarationNumber) -> Vec<&str> {
    let one = &code.declarations[number];
    let (mut at, end) = (
        one.span.0 as usize,
        (one.span.1 as usize).min(code.text.len()),
    );
    let mut lines = Vec::new();
    let within = code
        .declarations
        .iter()
        .filter(|other| other.owner == Some(number));
    let mut holes: Vec<(usize, usize)> = within
        .map(|other| (other.span.0 as usize, other.span.1 as usize))
        .filter(|hole| hole.0 >= at && hole.1 <= end)
        .collect();
    holes.sort_unstable();
    holes.push((end, end));
    for (from, to) in holes {
        let text = code.text.get(at..from.max(at)).unwrap_or_default();
        lines.extend(text.lines().map(str::trim).filter(|line| is_code(line)));
        at = at.max(to);
    }
    lines
}

/// Whether a line begins with anything but a comment.
fn is_code(line: &str) -> bool {
    let mut marks = ["//", "/*", "*/", "* ", "# "].iter();
    !line.is_empty() && !marks.any(|mark| line.starts_with(mark))
}

/// Most pairs of lines that are compared with one another to find what moved within a declaration.
const LINE_PAIRS_MAX: usize = 1 << 18;

/// How many lines one text has and the other has not; a line that moved counts twice, as in git's diff.
pub(super) fn differing(old: &[&str], new: &[&str]) -> usize {
    let ends = |one: &(&&str, &&str)| one.0 == one.1;
    let start = old.iter().zip(new).take_while(ends).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev());
    let end = end.take_while(ends).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if old.len() * new.len() > LINE_PAIRS_MAX {
        return missing(old, new);
    }
    // The length of the longest run of lines, not all beside one another, that both have in the same order.
    let mut row = vec![0_usize; new.len() + 1];
    for line in old {
        let mut before = 0;
        for (at, other) in new.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if line == other {
                before + 1
            } else {
                above.max(row[at])
            };
            before = above;
        }
    }
    old.len() + new.len() - 2 * row[new.len()]
}

/// The same wherever they stand.
fn missing(old: &[&str], new: &[&str]) -> usize {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for (lines, step) in [(old, -1), (new, 1)] {
        for line in lines {
            *counts.entry(line).or_default() += step;
        }
    }
    let counts = counts.values();
    counts.map(|count| count.unsigned_abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_move_differ() {
        let lines = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        for (old, new, expected) in [
            ("a b c", "a b c", 0),
            ("a b c", "a x c", 2),
            ("a b c d", "a c d b", 2),
            ("a b", "a b c", 1),
            ("a a b", "a b", 1),
            ("a b c d", "d c b a", 6),
        ] {
            assert_eq!(differing(&lines(old), &lines(new)), expected, "{old} {new}");
        }
        let many: Vec<&str> = vec!["a"; 2000];
        assert_eq!(differing(&many, &["b"; 1000]), 3000);
    }
}

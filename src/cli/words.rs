//! Two texts in words: git's plain word-diff marks, with the lines around a change.

use similar::{ChangeTag, DiffTag, TextDiff};

use super::{CliError, Style, Ui};
use crate::base::printable;

/// Each line behind a mark.
pub(in crate::cli) fn write_lines(
    ui: &mut Ui,
    mark: &str,
    style: Style,
    text: &str,
) -> Result<(), CliError> {
    for line in text.lines() {
        let line = ui.styled(style, &format!("{mark}{line}"));
        writeln!(ui, "{line}")?;
    }
    Ok(())
}

/// Lines around a change, `@@` standing for unchanged ones between; changed words in git's plain word-diff marks.
pub(in crate::cli) fn write_words(ui: &mut Ui, old: &str, new: &str) -> Result<(), CliError> {
    let diff = TextDiff::from_lines(old, new);
    for (at, group) in diff.grouped_ops(1).into_iter().enumerate() {
        if at > 0 {
            writeln!(ui, "@@")?;
        }
        for op in group {
            if op.tag() == DiffTag::Equal {
                for change in diff.iter_changes(&op) {
                    write!(ui, " {}", printable(change.value()))?;
                }
                continue;
            }
            let before = diff.old_slices()[op.old_range()].concat();
            let after = diff.new_slices()[op.new_range()].concat();
            match op.tag() {
                DiffTag::Insert => write_lines(ui, "+", Style::Good, &after)?,
                DiffTag::Delete => write_lines(ui, "-", Style::Bad, &before)?,
                _ => write_changed(ui, &before, &after)?,
            }
        }
    }
    Ok(())
}

/// How many lines came and how many went.
pub(in crate::cli) fn counted_lines(old: &str, new: &str) -> (usize, usize) {
    let diff = TextDiff::from_lines(old, new);
    let count = |tag| {
        diff.iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

/// Lines that became other lines: runs of words that went in `[-…-]`, that came in `{+…+}`.
fn write_changed(ui: &mut Ui, before: &str, after: &str) -> Result<(), CliError> {
    let diff = TextDiff::from_words(before, after);
    let changes: Vec<_> = diff.iter_all_changes().collect();
    let mut line = " ".to_owned();
    for run in changes.chunk_by(|a, b| a.tag() == b.tag()) {
        let text: String = run.iter().map(similar::Change::value).collect();
        let (style, open, close) = match run[0].tag() {
            ChangeTag::Equal => (Style::Plain, "", ""),
            ChangeTag::Delete => (Style::Bad, "[-", "-]"),
            ChangeTag::Insert => (Style::Good, "{+", "+}"),
        };
        let body = text.trim_end_matches('\n');
        let (body, ends) = (&text[..body.len()], &text[body.len()..]);
        line.push_str(&ui.styled(style, &format!("{open}{body}{close}")));
        line.push_str(ends);
    }
    Ok(writeln!(
        ui,
        "{}",
        line.trim_end_matches('\n').replace('\n', "\n ")
    )?)
}

//! The list of commands in its groups, as wide as the terminal.

use std::iter::once;

/// How wide help may be: as clap has it, the terminal's width and at most 100.
fn columns() -> usize {
    const COLUMNS_MAX: usize = 100;
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 {
        COLUMNS_MAX
    } else {
        columns.min(COLUMNS_MAX)
    }
}

/// A line break, and the indentation behind it but for the space that stands before each word.
const NEXT_LINE: &str = "\n                ";

/// One line for each command below the heading of its group, folded to the width.
pub(super) fn grouped(definition: &clap::Command, groups: &[(&str, &[&str])]) -> String {
    let columns = columns();
    let line = |name: &&str| {
        let about = definition
            .find_subcommand(name)
            .and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        let mut line = format!("   {name:<13}");
        let mut width = line.len();
        for word in about.split(' ') {
            if width + 1 + word.len() > columns {
                line.push_str(NEXT_LINE);
                width = NEXT_LINE.len() - 1;
            }
            line.push(' ');
            line.push_str(word);
            width += 1 + word.len();
        }
        line + "\n"
    };
    groups
        .iter()
        .flat_map(|(heading, names)| once(format!("\n{heading}\n")).chain(names.iter().map(line)))
        .collect()
}

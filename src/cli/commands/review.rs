//! `git merkle review`: what a branch changes in what is declared, what matters to others first.

mod document;

use crate::cli::program::Program;
use crate::cli::range;
use crate::cli::{CliError, Exit, Style, Ui};
use crate::review::{Line, Tone, say};
use crate::workspace::review::review;

/// Arguments of `review`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// <base>..<head>, <base>...<head> (from their merge base), <base> (the same, to HEAD), or <commit>^!; without any, from
    /// the merge base with the default branch to HEAD
    #[arg(value_name = "rev", num_args = 0..=2)]
    revisions: Vec<String>,
}

/// Prints the verdict and what changed.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let range = range::find_branch(&workspace.repository, &args.revisions)?;
    let changes = review(&workspace, range.old.tree, range.new.tree)?;
    if program.ui.is_json() {
        program
            .ui
            .write_json("review", &document::Document::of(&range, &changes))?;
        return Ok(Exit::Done);
    }
    for line in say(&changes) {
        write(&mut program.ui, &line)?;
    }
    Ok(Exit::Done)
}

fn write(ui: &mut Ui, line: &Line) -> Result<(), CliError> {
    for (tone, text) in &line.0 {
        let style = match tone {
            Tone::Plain => Style::Plain,
            Tone::Name => Style::Heading,
            Tone::Old => Style::Bad,
            Tone::New => Style::Good,
            Tone::Dim => Style::Dim,
        };
        let text = ui.styled(style, text).to_string();
        write!(ui, "{text}")?;
    }
    Ok(writeln!(ui)?)
}

//! `git merkle review`: what a branch changes in what is declared and in what is known, what matters to others first.

mod commits;
mod document;
mod foreign;
mod html;
mod known;
mod markdown;
mod picture;

use self::document::{Document, KnownDocument};
use self::known::{Known, write_known};

use crate::cli::program::Program;
use crate::cli::range::{self, Range, Revision};
use crate::cli::{CliError, Exit, Style, Ui};
use crate::node::{Snapshot, SnapshotError};
use crate::ops::differing::differing_lines;
use crate::ops::review::review;
use crate::ops::touched::touched;
use crate::review::{StyledLine, Tone, Verbosity, say};
use crate::workspace::Workspace;

/// Arguments of `review`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// <base>..<head>, <base>...<head> (from their merge base), <base> (the same, to HEAD), or <commit>^!; without any, from
    /// the merge base with the default branch to HEAD
    #[arg(value_name = "rev", num_args = 0..=2)]
    revisions: Vec<String>,
    /// Review what is not committed, too: the work tree in the place of HEAD, with untracked files that are not ignored
    #[arg(long, conflicts_with = "commits")]
    worktree: bool,
    /// Print text, Markdown for a comment or a summary of a forge, or HTML: one file for a browser
    #[arg(long, value_name = "format", value_enum, default_value = "text")]
    format: Format,
    /// Limit Markdown to this many characters, at least 200
    #[arg(long, value_name = "characters", default_value_t = 60_000)]
    limit: usize,
    /// Show what this remote's frames say of what the branch touches, as foreign: of a fork, whose frames were fetched and not
    /// accepted; may be repeated
    #[arg(long, value_name = "remote")]
    foreign: Vec<String>,
    /// Show every change, not only those that matter most
    #[arg(long)]
    all: bool,
    /// Exit with 1 if a model's statement about what the branch touches is outdated or missing
    #[arg(long)]
    exit_code: bool,
    /// Write what is known on both sides as two commits, with one Markdown file for each file and directory that differs, so
    /// that git and forges can compare them
    #[arg(long, conflicts_with_all = ["format", "limit", "all", "exit_code", "fail_on", "foreign"])]
    commits: bool,
    /// Push the two commits to a configured remote (default: as for 'push'), and print the address at which its forge
    /// compares them
    #[arg(long, value_name = "remote", requires = "commits", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    push: Option<String>,
    /// Exit with 1 if there are such: stale (outdated statements), missing, carried (people's notes to affirm); may be repeated
    #[arg(long, value_name = "what", value_enum)]
    fail_on: Vec<FailOn>,
}

/// How a review is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Markdown,
    Html,
}

/// What a review can fail on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    // `status` has the word "outdated" for it.
    #[value(alias = "outdated")]
    Stale,
    Missing,
    Carried,
}

/// Prints the verdict, what changed, and what is known of it.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let mut range = range::find_branch(&workspace.repository, &args.revisions)?;
    let snapshot = side(args, program, &workspace, &mut range)?;
    if args.commits {
        let sides =
            [&range.old, &range.new].map(|side| workspace.repository.resolve_commit(&side.name));
        let [old, new] = sides;
        return commits::run(program, &workspace, [old?, new?], args.push.as_deref());
    }
    if range.old.tree == range.new.tree {
        let (old, new) = (&range.old.name, &range.new.name);
        program
            .ui
            .note(&format!("'{old}' and '{new}' have the same files"));
    }
    let changes = review(&workspace, range.old.tree, range.new.tree)?;
    let store = workspace.store()?;
    let root = workspace.root(&snapshot)?;
    let touched = touched(&workspace, &store, range.old.tree, &root)?;
    let looked_at = match &snapshot {
        Snapshot::Revision(name) => name,
        _ => range::HEAD,
    };
    let mut known = Known::of(&program.ui, &workspace, &store, &touched, looked_at);
    known.foreign = foreign::of_remotes(&program.ui, &workspace, &store, &range, &args.foreign)?;
    if program.ui.is_json() {
        let document = Document::of(&range, &changes, KnownDocument::of(&known));
        program.ui.write_json("review", &document)?;
    } else if args.format == Format::Markdown {
        let text = markdown::render(&changes, &known, &range, args.limit);
        program.ui.write_text(&text)?;
    } else if args.format == Format::Html {
        let trees = [range.old.tree, range.new.tree];
        let lines = differing_lines(&workspace.repository, trees, &changes.files)?;
        let text = html::render(&changes, &lines, &known, &range);
        program.ui.write_text(&text)?;
    } else {
        let detail = if args.all {
            Verbosity::All
        } else {
            Verbosity::Short
        };
        let mut lines = say(&changes, detail);
        if let Some(verdict) = lines.first_mut() {
            verdict.0.extend(known.verdict());
        }
        for line in &lines {
            write(&mut program.ui, line)?;
        }
        write_known(&mut program.ui, &known)?;
    }
    let (stale, missing) = (known.stale(), known.missing());
    let fails = |what: &FailOn| match what {
        FailOn::Stale => stale > 0,
        FailOn::Missing => missing > 0,
        FailOn::Carried => !touched.carried.is_empty(),
    };
    let is_failed = args.exit_code && stale + missing > 0 || args.fail_on.iter().any(fails);
    Ok(if is_failed { Exit::No } else { Exit::Done })
}

/// The snapshot that is reviewed. Where that is HEAD, the user is told of what is not committed, or has it reviewed, too.
fn side(
    args: &Args,
    program: &Program,
    workspace: &Workspace,
    range: &mut Range,
) -> Result<Snapshot, CliError> {
    let reviewed = Snapshot::Revision(range.new.name.clone());
    let repo = &workspace.repository;
    if args.worktree && repo.work_dir().is_none() {
        return Err(SnapshotError::Bare.into());
    }
    let is_head = range.new.name == range::HEAD && repo.work_dir().is_some();
    if args.worktree && !is_head {
        let message =
            "the work tree is reviewed in the place of HEAD, and the range ends elsewhere";
        return Err(
            CliError::new(Exit::Usage, message).hint("git merkle review --worktree [<base>]")
        );
    }
    if !is_head {
        return Ok(reviewed);
    }
    if args.worktree {
        let root = workspace.root(&Snapshot::Worktree)?;
        range.new = Revision {
            name: "the work tree".to_owned(),
            tree: root.tree,
        };
        return Ok(Snapshot::Worktree);
    }
    if repo.differs_from(&range.new.tree) == Some(true) {
        let told = "what is not committed is not reviewed; 'git merkle review --worktree' has it";
        program.ui.note(told);
    }
    Ok(reviewed)
}

fn write(ui: &mut Ui, line: &StyledLine) -> Result<(), CliError> {
    for (tone, text) in &line.0 {
        let style = match tone {
            Tone::Plain => Style::Plain,
            Tone::Name => Style::Heading,
            Tone::Old => Style::Bad,
            Tone::New => Style::Good,
            Tone::Dim => Style::Dim,
        };
        let text = ui.styled(style, text);
        write!(ui, "{text}")?;
    }
    Ok(writeln!(ui)?)
}

//! `git merkle find --evaluate`: whether what real commits of this repository changed is found from their messages.

use serde::Serialize;

use crate::cli::progress::{Progress, ProgressStep};
use crate::cli::{CliError, Exit, Program};
use crate::ops;
use crate::ops::evaluate::{Case, CommitScore, Figures, Judge, ROWS};
use crate::ops::worth::table;
use crate::workspace::Workspace;

/// Commits that are taken at most.
const COMMITS_MAX: usize = 150;

#[derive(Serialize)]
struct Document {
    commits: Vec<Commit>,
}

#[derive(Serialize)]
struct Commit {
    #[serde(rename = "commit")]
    id: String,
    words: Vec<String>,
    files: Vec<String>,
    definitions: Vec<String>,
    rows: Vec<Row>,
}

/// Shares from 0 to 1: at 5, 10 and 20 files, at 2,000, 8,000 and 32,000 tokens.
#[derive(Serialize)]
struct Row {
    shown: &'static str,
    #[serde(flatten)]
    figures: Figures,
}

/// Prints the table for the commits of a range, `tip` or `from..tip`, where only files at some paths can be right.
pub(super) fn run(
    range: &str,
    is_right: fn(&[u8]) -> bool,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let (end, tip) = range
        .split_once("..")
        .map_or((None, range), |(end, tip)| (Some(end), tip));
    let tip = workspace
        .repository
        .resolve_commit(if tip.is_empty() { "HEAD" } else { tip })?;
    let end = end
        .map(|end| workspace.repository.resolve_commit(end))
        .transpose()?;
    let cases = ops::evaluate::cases(&workspace.repository, tip, end, COMMITS_MAX, is_right)?;
    let outcomes = judged(&workspace, &cases, Progress::new(&program.ui))?;
    if program.ui.is_json() {
        let commits = cases
            .iter()
            .zip(&outcomes)
            .map(|(case, outcome)| commit(case, outcome))
            .collect();
        program
            .ui
            .write_json("find-evaluate", &Document { commits })?;
    } else {
        program.ui.write_bytes(table(&outcomes).as_bytes())?;
    }
    if cases.is_empty() {
        program
            .ui
            .note("no commit changes one to five source files and says so in four words");
    }
    Ok(Exit::Done)
}

fn judged(
    workspace: &Workspace,
    cases: &[Case],
    mut progress: Progress,
) -> Result<Vec<CommitScore>, CliError> {
    let judge = Judge::new(workspace);
    let mut outcomes = Vec::with_capacity(cases.len());
    for case in cases {
        progress.show(ProgressStep {
            position: outcomes.len() as u64,
            total: Some(cases.len() as u64),
            message: "asking commits' messages",
        });
        outcomes.push(judge.judge(case)?);
    }
    Ok(outcomes)
}

fn commit(case: &Case, outcome: &CommitScore) -> Commit {
    let row = |(shown, figures): (&&'static str, &Figures)| Row {
        shown,
        figures: *figures,
    };
    Commit {
        id: case.commit.to_string(),
        words: case.question.words.clone(),
        files: case.files.clone(),
        definitions: case
            .definitions
            .iter()
            .map(|(path, name)| format!("{path}: {name}"))
            .collect(),
        rows: ROWS.iter().zip(&outcome.rows).map(row).collect(),
    }
}

//! What `find` is worth: real commits as questions, in the histories of clones, beside paths, map, outlines and full text.
//!
//! `cargo bench --profile dev -- worth <clone>…`: the last 150 commits of each that can be questions. The method stands in
//! `ops/evaluate.rs`, the figures in docs/evaluation.md. The figures depend on the histories only, not on the machine.
//! The losses are the commits whose files `find` recalls worst against full text.

use std::path::Path;

use git_merkle::config::Environment;
use git_merkle::git::Location;
use git_merkle::ops;
use git_merkle::ops::evaluate::{Case, CommitScore, Judge, ROWS};
use git_merkle::ops::worth::table;
use git_merkle::workspace::Workspace;

use crate::corpus::note;
use crate::measure::{Failure, failure};

/// Commits of each history.
const COMMITS_MAX: usize = 150;
/// Losses that are named.
const LOSSES: usize = 5;
/// Words of a question that a loss shows.
const WORDS_SHOWN: usize = 10;

/// Evaluates the histories of these clones and prints a table for each, and one for all.
#[expect(
    clippy::print_stdout,
    reason = "the table is the answer of a bench run"
)]
pub(crate) fn run(paths: &[String]) -> Result<(), Failure> {
    let mut all = Vec::new();
    for path in paths {
        let location = Location {
            directory: Path::new(path).to_owned(),
            git_dir: None,
            settings: Vec::new(),
        };
        let workspace =
            Workspace::open(&location, &Environment::capture(), [], None).map_err(failure)?;
        let tip = workspace
            .repository
            .resolve_commit("HEAD")
            .map_err(failure)?;
        let cases = ops::evaluate::cases(&workspace.repository, tip, None, COMMITS_MAX, |_| true)
            .map_err(failure)?;
        let judge = Judge::new(&workspace);
        let mut outcomes = Vec::new();
        for case in &cases {
            outcomes.push(judge.judge(case).map_err(failure)?);
            note(&format!("{path}: {} of {}", outcomes.len(), cases.len()));
        }
        println!(
            "## {}\n\n{}",
            Path::new(path)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy(),
            table(&outcomes)
        );
        println!("{}", losses(&cases, &outcomes));
        all.extend(outcomes);
    }
    if paths.len() > 1 {
        println!("## all\n\n{}", table(&all));
    }
    Ok(())
}

fn losses(cases: &[Case], outcomes: &[CommitScore]) -> String {
    let lost = |outcome: &CommitScore| {
        outcome.rows[3].reciprocal_rank - outcome.rows[ROWS.len() - 1].reciprocal_rank
    };
    let mut order: Vec<usize> = (0..outcomes.len())
        .filter(|at| lost(&outcomes[*at]) > 0.0)
        .collect();
    order.sort_by(|one, other| lost(&outcomes[*other]).total_cmp(&lost(&outcomes[*one])));
    let line = |at: &usize| {
        let (case, rows) = (&cases[*at], &outcomes[*at].rows);
        let place = |row: usize| {
            if rows[row].reciprocal_rank > 0.0 {
                format!("{:.0}", 1.0 / rows[row].reciprocal_rank)
            } else {
                "–".to_owned()
            }
        };
        let words = &case.question.words;
        let shown = words[..words.len().min(WORDS_SHOWN)].join(" ");
        let cut = if words.len() > WORDS_SHOWN {
            " …"
        } else {
            ""
        };
        let more = match case.files.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        format!(
            "- {} \"{shown}{cut}\" `{}`{more}: place {} → {}\n",
            case.commit.short(),
            case.files[0],
            place(3),
            place(ROWS.len() - 1)
        )
    };
    let lines: String = order.iter().take(LOSSES).map(line).collect();
    format!(
        "{} of {} commits have their first file further back than with full text:\n{lines}",
        order.len(),
        cases.len()
    )
}

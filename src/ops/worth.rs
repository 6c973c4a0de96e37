//! The table of an evaluation: means of all rows, and how `find` differs from the others, as Markdown.

use std::fmt::Write as _;

use super::evaluate::{BUDGETS, CommitScore, Figures, ROWS, SignatureShare};
use crate::find::score::{difference, mean};

/// The row that the others are held against.
const FIND: usize = ROWS.len() - 1;
/// Comparisons of one table, for which intervals are widened: each of a thousand draws outside is shared among them.
const COMPARISONS: usize = 9;

/// One figure of all commits.
fn column(outcomes: &[CommitScore], row: usize, figure: impl Fn(&Figures) -> f64) -> Vec<f64> {
    outcomes
        .iter()
        .map(|outcome| figure(&outcome.rows[row]))
        .collect()
}

/// The table; without a commit it says so.
#[must_use]
pub fn table(outcomes: &[CommitScore]) -> String {
    let defined: Vec<CommitScore> = outcomes
        .iter()
        .filter(|outcome| outcome.has_definitions)
        .cloned()
        .collect();
    let mut text = format!(
        "{} commits, {} with changed definitions\n\n",
        outcomes.len(),
        defined.len()
    );
    if outcomes.is_empty() {
        return text;
    }
    text.push_str("| shown | recall@5 | @10 | @20 | MRR | files 2k / 8k / 32k | definitions 2k / 8k / 32k | with signature |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for (row, name) in ROWS.iter().enumerate() {
        let of = |figure: &dyn Fn(&Figures) -> f64| short(mean(&column(outcomes, row, figure)));
        let of_defined =
            |figure: &dyn Fn(&Figures) -> f64| short(mean(&column(&defined, row, figure)));
        let each = |figure: &dyn Fn(usize) -> String| {
            (0..BUDGETS.len())
                .map(figure)
                .collect::<Vec<_>>()
                .join(" / ")
        };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} | {} | {} |",
            of(&|figures| figures.recall[0]),
            of(&|figures| figures.recall[1]),
            of(&|figures| figures.recall[2]),
            of(&|figures| figures.reciprocal_rank),
            each(&|at| of(&|figures| figures.files[at])),
            each(&|at| of_defined(&|figures| figures.named[at])),
            each(&|at| of_defined(&|figures| figures.signed[at])),
        );
    }
    text.push_str(&outlined(outcomes));
    let mut say = |what: &str,
                   outcomes: &[CommitScore],
                   other: usize,
                   figure: &dyn Fn(&Figures) -> f64| {
        let (ones, others) = (
            column(outcomes, FIND, figure),
            column(outcomes, other, figure),
        );
        let (mean, low, high) = difference(&ones, &others, 950);
        let (_, low_wide, high_wide) = difference(&ones, &others, 1_000 - 50 / COMPARISONS);
        let name = ROWS[other];
        let _ = writeln!(
            text,
            "- {what}, find − {name}: {mean:+.3} [{low:+.3}, {high:+.3}], widened [{low_wide:+.3}, {high_wide:+.3}]"
        );
    };
    for other in 1..=3 {
        say("recall@10", outcomes, other, &|figures| figures.recall[1]);
    }
    for (at, budget) in BUDGETS.iter().enumerate() {
        for other in [1, 4] {
            say(
                &format!("definitions at {budget} tokens"),
                &defined,
                other,
                &|figures| figures.named[at],
            );
        }
    }
    text
}

/// How many of the changed definitions have their signature in the whole outline of their file.
fn outlined(outcomes: &[CommitScore]) -> String {
    let [named, all] = [0, 1].map(|at| {
        let shares = outcomes.iter().map(|outcome| outcome.outlined[at]);
        let sum = shares.fold(SignatureShare::default(), |sum, share| SignatureShare {
            some: sum.some + share.some,
            all: sum.all + share.all,
        });
        let share = f64::from(sum.some) / f64::from(sum.all.max(1));
        format!("{} of {} ({})", sum.some, sum.all, short(share))
    });
    format!(
        "\nWhole outlines have the signatures of {named} changed definitions that a map names, of {all} with those that none names.\n\n"
    )
}

/// `.84` for a share, `1` for all.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').map_or("1".to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::NodeId;

    #[test]
    fn a_table_has_a_row_for_each_way_and_its_differences() {
        let commit = NodeId::from_bytes(&[1; 20]).expect("twenty bytes");
        let mut rows = [Figures::default(); ROWS.len()];
        rows[FIND] = Figures {
            recall: [1.0; 3],
            reciprocal_rank: 0.5,
            files: [0.25; 3],
            named: [1.0; 3],
            signed: [0.75; 3],
        };
        let text = table(&[CommitScore {
            commit,
            has_definitions: true,
            rows,
            outlined: [
                SignatureShare { some: 3, all: 4 },
                SignatureShare { some: 3, all: 6 },
            ],
        }]);
        assert!(
            text.contains("signatures of 3 of 4 (.750) changed definitions that a map names, of 3 of 6 (.500) with"),
            "{text}"
        );
        assert!(text.starts_with("1 commits, 1 with"), "{text}");
        assert!(
            text.contains(
                "| find | 1 | 1 | 1 | .500 | .250 / .250 / .250 | 1 / 1 / 1 | .750 / .750 / .750 |"
            ),
            "{text}"
        );
        assert!(
            text.contains("recall@10, find − full text: +1.000 [+1.000, +1.000]"),
            "{text}"
        );
        assert_eq!(table(&[]), "0 commits, 0 with changed definitions\n\n");
    }
}

//! Numbers to hold, as ratios against stock git in one run on one machine: `cargo bench`, or `cargo bench -- 1 4 9`.
//! `cargo bench -- replay <path>…` is another thing: what prompt caching would have saved in real histories.
//! So is `cargo bench -- worth <path>…`: whether what real commits changed is found from their messages,
//! and `cargo bench -- coverage <path>…`: how many files have an outline that says what is in them.
//! `cargo bench -- real <path>…` measures every command on clones of real repositories.
//!
//! Every figure is the median over pairs of alternating runs, ours and the yardstick's, so that a slow minute of the
//! machine hits both. The corpus is made on the spot from the crate sources that cargo has already fetched. Absolute
//! times depend on the machine and only inform. Bench 0 measures one command against itself: the noise of the day.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a bench calculates with counts"
)]

mod case;
mod corpus;
mod coverage;
mod library;
mod measure;
mod model;
mod parsing;
mod real;
mod replay;
mod report;
mod sample;
mod sharing;
mod worth;

use std::process::ExitCode;

use case::{CASES, World};
use measure::Failure;
use report::Report;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [flag, command @ ..] = arguments.as_slice()
        && flag == measure::USAGE_FLAG
    {
        return measure::report_usage(command);
    }
    if let [word, paths @ ..] = arguments.as_slice()
        && let Some(run) = by_word(word)
    {
        return run(paths).map_or_else(|failure| fail(&failure), |()| ExitCode::SUCCESS);
    }
    let Ok(wanted) = arguments
        .iter()
        .map(|argument| argument.parse::<u32>())
        .collect::<Result<Vec<_>, _>>()
    else {
        return refuse(&arguments);
    };
    let mut world = World::default();
    let mut report = Report::new(&arguments);
    for case in CASES
        .iter()
        .filter(|case| wanted.is_empty() || wanted.contains(&case.number))
    {
        report.add(case.number, (case.run)(&mut world));
    }
    report.print();
    ExitCode::SUCCESS
}

/// Measures clones and prints what it found.
type Measure = fn(&[String]) -> Result<(), Failure>;

/// What measures clones instead of commands.
fn by_word(word: &str) -> Option<Measure> {
    Some(match word {
        "replay" => replay::run,
        "worth" => worth::run,
        "coverage" => coverage::run,
        "real" => real::run,
        _ => return None,
    })
}

#[expect(clippy::print_stderr, reason = "a program that prints")]
fn fail(failure: &Failure) -> ExitCode {
    eprintln!("error: {failure}");
    ExitCode::FAILURE
}

#[expect(clippy::print_stderr, reason = "a program that prints")]
fn refuse(arguments: &[String]) -> ExitCode {
    let known: Vec<String> = CASES.iter().map(|case| case.number.to_string()).collect();
    eprintln!(
        "error: '{}' does not name benches by number; there are {}",
        arguments.join(" "),
        known.join(" ")
    );
    ExitCode::from(2)
}

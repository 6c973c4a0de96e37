//! The replay of histories: what prompt caching would have saved, had every commit been one request to a model.
//!
//! `cargo bench -- replay <path>…`: a path is a repository, or a directory of unpacked versions of one crate
//! (`name-1.2.3`), which are taken as one commit each. Without a path: this repository. Nothing is sent; the provider's
//! cache is the model in `git_merkle::tier::cache`. The figures depend on the histories only, not on the machine.

mod history;
mod optimum;
mod series;
mod strategy;

use std::path::{Path, PathBuf};

use git_merkle::tier::CacheTerms;
use git_merkle::tier::cache::Bill;

use crate::corpus::note;
use crate::measure::Failure;
use history::{History, Reference};
use optimum::cost_min;
use strategy::{Strategy, play};

/// What most providers ask: reading a tenth, writing a quarter more, four marks, no prefix under 1,024 tokens.
const TERMS: CacheTerms = CacheTerms { read: 100, write: 1_250, prefix_tokens_min: 1_024, breakpoints_max: 4 };

/// Replays the histories at these paths and prints a table.
#[expect(clippy::print_stdout, reason = "the table is the answer of a bench run")]
pub(crate) fn run(paths: &[String]) -> Result<(), Failure> {
    let here = vec![env!("CARGO_MANIFEST_DIR").to_owned()];
    println!(
        "| history | what stands for a file | requests | tokens each | strategy | read from cache | cost | saved | of clairvoyant |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for path in if paths.is_empty() { &here } else { paths } {
        let path = PathBuf::from(path);
        let made = series::repository(&path)?;
        let repository = made.as_ref().map_or(path.as_path(), |scratch| scratch.path.as_path());
        for reference in [Reference::Outline, Reference::Text] {
            let history = History::read(repository, reference)?;
            for line in lines(&history) {
                println!("| {} | {} | {line}", name(&path), reference.as_str());
            }
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())).unwrap_or_default()
}

fn lines(history: &History) -> Vec<String> {
    note(&format!("replaying {} requests", history.requests.len()));
    let none = play(history, Strategy::None, &TERMS);
    let clairvoyant = cost_min(history, &TERMS);
    let saved = |cost: u64| none.cost(&TERMS) as f64 - cost as f64;
    let (requests, each) = (history.requests.len(), none.tokens() / history.requests.len().max(1) as u64);
    let line = |name: &str, read: &str, cost: u64| {
        let saving = 100.0 * saved(cost) / none.cost(&TERMS) as f64;
        let of_best = 100.0 * saved(cost) / saved(clairvoyant);
        format!("{requests} | {each} | {name} | {read} | {} k | {saving:.1} % | {of_best:.1} % |", cost / 1_000_000)
    };
    let played = |name, bill: Bill| {
        let read = format!("{:.1} %", 100.0 * bill.read as f64 / bill.tokens() as f64);
        line(name, &read, bill.cost(&TERMS))
    };
    vec![
        played("none", none),
        played("path order", play(history, Strategy::PathOrder, &TERMS)),
        played("`counter`", play(history, Strategy::Counter, &TERMS)),
        played("`expected-cost`", play(history, Strategy::ExpectedCost, &TERMS)),
        played("knows the other changes", play(history, Strategy::KnowsOthers, &TERMS)),
        played("knows the rates", play(history, Strategy::KnowsRates, &TERMS)),
        line("clairvoyant", "", clairvoyant),
    ]
}

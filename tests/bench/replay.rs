//! The replay of histories: what a prompt cache saves on the bodies of this program, had every commit been one request.
//!
//! `cargo bench --profile dev -- replay <clone>…`: the 60 newest commits of each clone, first parents. Each is one request without
//! a session, in which up to eight files of the commit are shown in full; the memory of the tiers is cleared every 20 requests.
//! *After*: the snapshot is the commit. *Before*: it is the commit's parent, as when a model is asked to make the change. What is
//! held against the cache is the body for Anthropic, made as `prompt --format anthropic --sent` makes it. Nothing is sent;
//! the cache keeps prefixes by the documented rules, a minute passes between two requests. The figures depend on the
//! histories only, not on the machine.

#[path = "../it/support/loopback/cache.rs"]
mod cache;
mod history;
mod strategy;

use std::path::{Path, PathBuf};

use git_merkle::chat::Usage;
use git_merkle::tier::CacheTerms;

use crate::corpus::note;
use crate::measure::Failure;
use history::{History, Moment};
use strategy::{Strategy, play};

/// Reading a tenth, writing a quarter more, four marks, and the prefix that Anthropic's dearer models take at least.
const TERMS: CacheTerms = CacheTerms {
    read: 100,
    write: 1_250,
    prefix_tokens_min: 4_096,
    breakpoints_max: 4,
};
/// The memory of the tiers is cleared after this number of requests.
const SESSION_REQUESTS: usize = 20;

/// Replays the histories of these clones and prints a table.
#[expect(
    clippy::print_stdout,
    reason = "the table is the answer of a bench run"
)]
pub(crate) fn run(paths: &[String]) -> Result<(), Failure> {
    let here = vec![env!("CARGO_MANIFEST_DIR").to_owned()];
    println!(
        "| history | snapshot | requests | tokens each | strategy | read | written | saved | of what knows the others |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for path in if paths.is_empty() { &here } else { paths } {
        let path = PathBuf::from(path);
        for moment in [Moment::After, Moment::Before] {
            let history = History::read(&path, moment)?;
            for line in lines(&history)? {
                println!("| {} | {} | {line}", name(&path), moment.as_str());
            }
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The cost of what a server reports, in thousandths of a plain token.
fn cost(usage: &Usage) -> u64 {
    let plain = usage.input - usage.cache_read - usage.cache_write;
    plain * 1_000
        + usage.cache_read * u64::from(TERMS.read)
        + usage.cache_write * u64::from(TERMS.write)
}

fn lines(history: &History) -> Result<Vec<String>, Failure> {
    let worlds = history.worlds()?;
    note(&format!("replaying {} requests", worlds.len()));
    let known = play(&worlds, Strategy::KnowsOthers);
    let requests = worlds.len().max(1) as u64;
    let plain = known.input * 1_000;
    let saved = |cost: u64| plain as f64 - cost as f64;
    let line = |name: &str, (read, written): (String, String), cost_of: u64| {
        let (saving, of_known) = (
            100.0 * saved(cost_of) / plain as f64,
            100.0 * saved(cost_of) / saved(cost(&known)),
        );
        let each = known.input / requests;
        // Nothing is long enough to be kept.
        let of_known = if saved(cost(&known)) > 0.0 {
            format!("{of_known:.0} %")
        } else {
            "–".to_owned()
        };
        format!("{requests} | {each} | {name} | {read} | {written} | {saving:.1} % | {of_known} |")
    };
    let played = |strategy: Strategy| {
        let usage = play(&worlds, strategy);
        let share = |tokens: u64| format!("{:.1} %", 100.0 * tokens as f64 / usage.input as f64);
        line(
            strategy.as_str(),
            (share(usage.cache_read), share(usage.cache_write)),
            cost(&usage),
        )
    };
    Ok(Strategy::ALL.into_iter().map(played).collect())
}

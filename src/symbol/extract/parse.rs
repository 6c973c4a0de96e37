//! Parsing with a bound: one parser per thread and language, and never more work than a file of its size deserves.
//!
//! Two things are counted, neither of them time, so the same file is given up on every machine or on none: the
//! progress reports of the parser, one for every hundred operations, and the bytes that it reads, which it takes in
//! small pieces. The second catches scanners that look for an end that never comes, over and over.
//!
//! The clock is the last resort: where a parser finds no way out of an error, each operation copies all that came before, and
//! a text of 1 MiB would take hours without a report too many. Of 14,582 files of 90 repositories the slowest took 1.5 seconds.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Tree};

use super::grammar::{Grammar, Rules};
use crate::symbol::language::Language;

/// Largest text that is parsed, in bytes; a syntax tree takes ten to twenty times as much memory.
pub(super) const SOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Text that the parser is given at once.
const PIECE_BYTES: usize = 4 * 1024;
/// Progress reports that any file may cost.
const REPORTS_MIN: usize = 2_000;
/// Bytes of text for which one more is granted; real files take one for 25 to 300.
const BYTES_PER_REPORT: usize = 20;
/// Pieces that any file may cost.
const PIECES_MIN: usize = 2_000;
/// How often each piece may be read above that.
const PIECE_READS_MAX: usize = 64;

/// How long one file may take.
const TIME_MAX: Duration = Duration::from_mins(1);

/// Beginnings of here-documents above which a shell script is not parsed: the grammar's scanner goes through all that it
/// has met at every word, which neither of the two counts sees.
const HEREDOCS_MAX: usize = 4_096;

thread_local! {
    static READERS: RefCell<BTreeMap<Language, ByteReader>> = const { RefCell::new(BTreeMap::new()) };
}

/// Files from this size on are parsed one after the other.
const ALONE_FROM_BYTES: usize = 256 * 1024;
static LARGE: Mutex<()> = Mutex::new(());

/// Grammars that this process has loaded.
static LOADED: AtomicU64 = AtomicU64::new(0);

/// How many grammars this process has loaded so far, once for each thread that has: what shared outlines save.
#[must_use]
pub fn grammars_loaded() -> u64 {
    LOADED.load(Ordering::Relaxed)
}

/// A parser and what its node kinds mean.
struct ByteReader {
    parser: Parser,
    rules: Rules,
}

/// Parses and hands the tree to `read`; false when the text is too large or takes too much work.
pub(super) fn with_tree(
    language: Language,
    grammar: &'static Grammar,
    text: &str,
    read: impl FnOnce(&Tree, &Rules),
) -> bool {
    if text.len() > SOURCE_BYTES_MAX
        || language == Language::Bash && text.matches("<<").nth(HEREDOCS_MAX).is_some()
    {
        return false;
    }
    // The tree of such a text takes megabytes: of the largest there is one at a time.
    let _alone = (text.len() > ALONE_FROM_BYTES)
        .then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner));
    READERS.with_borrow_mut(|readers| {
        let reader = readers.entry(language).or_insert_with(|| {
            LOADED.fetch_add(1, Ordering::Relaxed);
            ByteReader {
                parser: Parser::new(),
                rules: Rules::new(grammar),
            }
        });
        let Some(tree) = parse(&mut reader.parser, grammar, text, TIME_MAX) else {
            return false;
        };
        read(&tree, &reader.rules);
        true
    })
}

fn parse(parser: &mut Parser, grammar: &Grammar, text: &str, time_max: Duration) -> Option<Tree> {
    if parser.language().is_none() {
        parser.set_language(&(grammar.language)()).ok()?;
    }
    let reports_left = Cell::new(REPORTS_MIN + text.len() / BYTES_PER_REPORT);
    let pieces_left = Cell::new(PIECES_MIN + PIECE_READS_MAX * text.len().div_ceil(PIECE_BYTES));
    let started = Instant::now();
    let mut progress = |_: &_| {
        let go_on =
            take_one(&reports_left) && pieces_left.get() > 0 && started.elapsed() < time_max;
        if go_on {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let mut read = |at: usize, _| {
        let end = text.len().min(at + PIECE_BYTES);
        if take_one(&pieces_left) {
            text.as_bytes().get(at..end).unwrap_or_default()
        } else {
            Default::default()
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    parser.reset();
    tree.filter(|_| pieces_left.get() > 0)
}

/// Counts down; false when nothing is left.
fn take_one(left: &Cell<usize>) -> bool {
    left.set(left.get().saturating_sub(1));
    left.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_takes_too_long_is_given_up() {
        let (mut parser, grammar) = (Parser::new(), &super::super::c::C);
        let text = "int a;\n".repeat(1_000);
        let mut parsed = |time_max| parse(&mut parser, grammar, &text, time_max).is_some();
        assert!(!parsed(Duration::ZERO));
        assert!(parsed(TIME_MAX));
    }
}

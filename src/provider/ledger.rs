//! What was spent: a file that every process of a repository shares, so that no budget is passed by any of them.
//!
//! Before an attempt its worst case is reserved, on the disk; afterwards it is settled with what the provider says.
//! A reservation that is never settled (a killed process, an unknown outcome) counts in full for good. The file is a
//! list of lines under one kernel lock, only appended to, and put together into sums of days when it has grown:
//!
//! | line | fields |
//! |---|---|
//! | `r` | id, seconds, calls, tokens, nano-dollars: reserved |
//! | `s` | id, calls, tokens, nano-dollars: settled, in place of what was reserved |
//! | `d` | day (seconds / 86,400), calls, tokens, nano-dollars: the sum of a day, all settled or lost |
//!
//! Days and months are those of the real clock in UTC; what was booked later than now, before the clock was set back,
//! counts as of today. Money is `-` where no price is configured.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::AddAssign;
use std::path::PathBuf;
use std::time::Duration;

use crate::base::clock;
use crate::git::{Lock, StateDir};

const FORMAT: &str = "git-merkle/ledger/1";
const FIRST_BYTES_MAX: u64 = 128;
const FILE_NAME: &str = "ledger";
const LOCK_NAME: &str = "ledger-lock";
const LOCK_WAIT: Duration = Duration::from_secs(20);
/// From this size on the file is put together into sums.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// A larger file is not this program's; it is put together long before.
const READ_BYTES_MAX: u64 = 64 << 20;
/// Days that are kept: this month and the one before, whatever their length.
const DAYS_KEPT: u64 = 62;

/// An amount of work and money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// Attempts.
    pub calls: u64,
    /// Tokens, in and out.
    pub tokens: u64,
    /// Thousand-millionths of a US dollar; `None` when no price is known.
    pub nano_dollars: Option<u64>,
}

impl AddAssign for Spend {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.nano_dollars = match (self.nano_dollars, other.nano_dollars) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (one, other) => one.or(other),
        };
    }
}

/// The most that may be spent in a stretch of time; `None` for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// Attempts.
    pub calls: Option<u64>,
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// Thousand-millionths of a US dollar.
    pub nano_dollars: Option<u64>,
}

impl Caps {
    /// True when something is limited.
    #[must_use]
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }

    /// What would be passed by spending this much.
    fn passed_by(&self, spend: &Spend) -> Option<String> {
        let over = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value > limit);
        if over(self.calls, spend.calls) {
            return self.calls.map(|limit| format!("{limit} calls"));
        }
        if over(self.tokens, spend.tokens) {
            return self.tokens.map(|limit| format!("{limit} tokens"));
        }
        let limit = self.nano_dollars.filter(|limit| spend.nano_dollars.unwrap_or(0) > *limit)?;
        Some(format!("{} USD", dollars(limit)))
    }
}

/// Money as people write it: `0.0125`, at most nine digits behind the point.
#[must_use]
pub fn dollars(nano: u64) -> String {
    let text = format!("{}.{:09}", nano / 1_000_000_000, nano % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// All limits that hold at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Of this run.
    pub run: Caps,
    /// Of a day, all processes together.
    pub day: Caps,
    /// Of a calendar month, all processes together.
    pub month: Caps,
    /// Of this run, in thousand-millionths of a US dollar, when nobody was asked because the estimate was small.
    pub unasked: Option<u64>,
}

/// Why nothing may be sent.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The worst case of the next attempt does not fit.
    #[error("the budget of {limit} {span} does not cover the next call")]
    Exhausted {
        /// The limit, with its unit.
        limit: String,
        /// `for this run`, `a day`, `a month`, or what is spent without asking.
        span: &'static str,
    },
    /// The file cannot be read or written; nothing is sent that cannot be booked.
    #[error("cannot write the ledger '{}'", path.display())]
    Io {
        /// Where it is.
        path: PathBuf,
        /// What failed.
        #[source]
        source: io::Error,
    },
    /// Another process holds the lock for too long.
    #[error("the ledger is locked by another process")]
    Busy,
}

/// A reserved attempt. Dropped without [`Ledger::settle`] it stays charged in full.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "what is not settled stays charged in full"]
pub struct Reservation {
    id: String,
    worst: Spend,
}

/// What was spent, as far as this process has read the file.
#[derive(Debug)]
pub struct Ledger {
    state: StateDir,
    budget: Budget,
    /// Tells the reservations of this process from those of all others.
    run: String,
    reservations: u64,
    spent: Spend,
    book: Book,
}

/// The file's content, up to an offset.
#[derive(Debug, Default)]
struct Book {
    /// The first line, which no other file has: the format and when the file was made.
    first: String,
    read_to: u64,
    days: BTreeMap<u64, Spend>,
    open: HashMap<String, (u64, Spend)>,
}

impl Ledger {
    /// Opens the ledger of a state directory; the file is made with the first reservation.
    #[must_use]
    pub fn new(state: &StateDir, budget: Budget) -> Self {
        let unique = format!("{:x}-{:x}-{:x}", std::process::id(), clock::real_seconds(), clock::nanos());
        let state = state.clone();
        Self { state, budget, run: unique, reservations: 0, spent: Spend::default(), book: Book::default() }
    }

    /// Reserves the worst case of an attempt, or says which limit it would pass. On the disk when this returns.
    pub fn reserve(&mut self, worst: Spend) -> Result<Reservation, LedgerError> {
        self.reserve_at(clock::real_seconds(), worst)
    }

    /// The same at a given time, in seconds since 1970.
    pub fn reserve_at(&mut self, now: u64, worst: Spend) -> Result<Reservation, LedgerError> {
        let _lock = self.lock()?;
        let mut open = self.read_on().map_err(|source| self.io(source))?;
        self.check(now, worst)?;
        self.reservations += 1;
        let id = format!("{}.{}", self.run, self.reservations);
        let line = format!("r {id} {now} {}\n", Fields(&worst));
        self.append(&mut open, &line, true).map_err(|source| self.io(source))?;
        self.spent += worst;
        Ok(Reservation { id, worst })
    }

    /// Books what an attempt took in place of its worst case.
    pub fn settle(&mut self, reservation: Reservation, took: Spend) -> Result<(), LedgerError> {
        let Reservation { id, worst } = reservation;
        let _lock = self.lock()?;
        let mut open = self.read_on().map_err(|source| self.io(source))?;
        let line = format!("s {id} {}\n", Fields(&took));
        // Not flushed: a settlement that is lost with the machine leaves the worst case booked.
        self.append(&mut open, &line, false).map_err(|source| self.io(source))?;
        self.spent = replaced(self.spent, worst, took);
        if self.book.read_to >= FILE_BYTES_MAX {
            self.put_together().map_err(|source| self.io(source))?;
        }
        Ok(())
    }

    /// Holds this run to what is spent without asking: an estimate is no promise.
    pub fn limit_unasked(&mut self, nano_dollars: u64) {
        self.budget.unasked = Some(nano_dollars);
    }

    /// What this process has spent, reservations included.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.spent
    }

    /// What was spent in the day and the month of a time, by all processes; the file is read for it.
    pub fn spent_around(&mut self, now: u64) -> Result<(Spend, Spend), LedgerError> {
        let found = self.state.open(FILE_NAME, READ_BYTES_MAX);
        if !matches!(&found, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            let _lock = self.lock()?;
            self.read_on().map_err(|source| self.io(source))?;
        }
        Ok(self.book.around(now / 86_400))
    }

    fn check(&self, now: u64, worst: Spend) -> Result<(), LedgerError> {
        let (day, month) = self.book.around(now / 86_400);
        let unasked = Caps { nano_dollars: self.budget.unasked, ..Caps::default() };
        let spans = [
            (&self.budget.run, self.spent, "for this run"),
            (&self.budget.day, day, "a day"),
            (&self.budget.month, month, "a month"),
            (&unasked, self.spent, "that is spent without asking (merkle.confirmAbove)"),
        ];
        for (caps, mut spent, span) in spans {
            spent += worst;
            if let Some(limit) = caps.passed_by(&spent) {
                return Err(LedgerError::Exhausted { limit, span });
            }
        }
        Ok(())
    }

    fn lock(&self) -> Result<Lock, LedgerError> {
        let taken = self.state.lock(LOCK_NAME, LOCK_WAIT);
        taken.map_err(|source| self.io(source))?.ok_or(LedgerError::Busy)
    }

    fn io(&self, source: io::Error) -> LedgerError {
        LedgerError::Io { path: self.state.shown_file(FILE_NAME), source }
    }

    /// Reads what others have written since; another file in its place is read from its start.
    fn read_on(&mut self) -> io::Result<File> {
        let mut open = self.state.open_to_append(FILE_NAME)?;
        if open.metadata()?.len() > READ_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large for a ledger"));
        }
        let mut first = Vec::new();
        BufReader::new(&open).take(FIRST_BYTES_MAX).read_until(b'\n', &mut first)?;
        // A file that does not begin as a ledger is not one: nothing is cut off it, and nothing is added.
        if !begins_as_ledger(&first) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it does not begin as a ledger"));
        }
        let first = String::from_utf8_lossy(&first).into_owned();
        if first != self.book.first {
            self.book = Book { first, ..Book::default() };
        }
        open.seek(SeekFrom::Start(self.book.read_to))?;
        let mut bytes = Vec::new();
        open.read_to_end(&mut bytes)?;
        // What a dying writer left without its end was never acted upon; the next line starts anew.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            open.set_len(self.book.read_to + whole as u64)?;
        }
        self.book.read(&bytes[..whole]);
        Ok(open)
    }

    fn append(&mut self, open: &mut File, line: &str, durable: bool) -> io::Result<()> {
        let is_new = self.book.read_to == 0;
        if is_new {
            self.book.first = first_line();
        }
        let bytes = format!("{}{line}", if is_new { &self.book.first } else { "" });
        open.write_all(bytes.as_bytes())?;
        if durable {
            open.sync_data()?;
        }
        self.book.read(bytes.as_bytes());
        Ok(())
    }

    /// Replaces the lines by sums of days. What is reserved and not settled stays as it is.
    fn put_together(&mut self) -> io::Result<()> {
        let newest = self.book.days.keys().next_back().copied().unwrap_or(0);
        // Not counted from a day that a clock had wrong.
        let newest = newest.min(clock::real_seconds() / 86_400);
        self.book.days.retain(|day, _| day + DAYS_KEPT >= newest);
        self.book.open.retain(|_, (day, _)| *day + DAYS_KEPT >= newest);
        let mut closed = self.book.days.clone();
        for (day, worst) in self.book.open.values() {
            if let Some(sum) = closed.get_mut(day) {
                *sum = replaced(*sum, *worst, Spend::default());
            }
        }
        let days = closed.iter().map(|(day, spend)| format!("d {day} {}\n", Fields(spend)));
        let mut open: Vec<_> = self.book.open.iter().collect();
        open.sort_by(|a, b| a.0.cmp(b.0));
        let open = open.into_iter().map(|(id, (day, worst))| format!("r {id} {} {}\n", day * 86_400, Fields(worst)));
        let lines: String = std::iter::once(first_line()).chain(days).chain(open).collect();
        self.state.replace_durably(FILE_NAME, |open| open.write_all(lines.as_bytes()))?;
        self.book = Book::default();
        Ok(())
    }
}

impl Book {
    fn read(&mut self, bytes: &[u8]) {
        self.read_to += bytes.len() as u64;
        for line in String::from_utf8_lossy(bytes).lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            match fields.as_slice() {
                ["r", id, seconds, spend @ ..] => {
                    if let (Ok(seconds), Some(worst)) = (seconds.parse::<u64>(), parse(spend)) {
                        *self.days.entry(seconds / 86_400).or_default() += worst;
                        self.open.insert((*id).to_owned(), (seconds / 86_400, worst));
                    }
                }
                ["s", id, spend @ ..] => {
                    if let (Some(took), Some((day, worst))) = (parse(spend), self.open.remove(*id)) {
                        let sum = self.days.entry(day).or_default();
                        *sum = replaced(*sum, worst, took);
                    }
                }
                ["d", day, spend @ ..] => {
                    if let (Ok(day), Some(spend)) = (day.parse::<u64>(), parse(spend)) {
                        *self.days.entry(day).or_default() += spend;
                    }
                }
                _ => {}
            }
        }
    }

    /// What counts for a day, and for its month.
    fn around(&self, today: u64) -> (Spend, Spend) {
        let this_month = month_of(today);
        (self.sum(|day| day >= today), self.sum(|day| month_of(day) >= this_month))
    }

    fn sum(&self, is_wanted: impl Fn(u64) -> bool) -> Spend {
        self.days.iter().filter(|(day, _)| is_wanted(**day)).fold(Spend::default(), |mut sum, (_, spend)| {
            sum += *spend;
            sum
        })
    }
}

/// True for the first bytes of a ledger, or of one whose first line was cut off by a death.
fn begins_as_ledger(first: &[u8]) -> bool {
    let rest = first.strip_prefix(FORMAT.as_bytes());
    rest.map_or(FORMAT.as_bytes().starts_with(first), |rest| rest.is_empty() || rest[0] == b' ')
}

/// The first line of a new file; the time tells it from every other that stood in its place.
fn first_line() -> String {
    format!("{FORMAT} {:x}\n", clock::nanos())
}

/// The three numbers of a line.
struct Fields<'a>(&'a Spend);

impl std::fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let money = self.0.nano_dollars.map_or_else(|| "-".to_owned(), |nano| nano.to_string());
        write!(f, "{} {} {money}", self.0.calls, self.0.tokens)
    }
}

fn parse(fields: &[&str]) -> Option<Spend> {
    let [calls, tokens, money] = fields else { return None };
    let nano_dollars = if *money == "-" { None } else { Some(money.parse().ok()?) };
    Some(Spend { calls: calls.parse().ok()?, tokens: tokens.parse().ok()?, nano_dollars })
}

/// A sum in which one addend takes the place of another.
fn replaced(sum: Spend, before: Spend, after: Spend) -> Spend {
    let money = |spend: Spend| spend.nano_dollars.unwrap_or(0);
    let known = sum.nano_dollars.or(after.nano_dollars);
    Spend {
        calls: sum.calls.saturating_sub(before.calls).saturating_add(after.calls),
        tokens: sum.tokens.saturating_sub(before.tokens).saturating_add(after.tokens),
        nano_dollars: known.map(|_| money(sum).saturating_sub(money(before)).saturating_add(money(after))),
    }
}

/// The calendar month of a day, as a number that grows.
fn month_of(day: u64) -> u64 {
    let date = clock::render_utc(day * 86_400);
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
    let mut parts = date.split('-');
    number(parts.next()) * 12 + number(parts.next())
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use proptest::prelude::*;

    use super::*;

    const NOON: u64 = 1_800_000_000;

    fn spend(calls: u64, tokens: u64, nano: u64) -> Spend {
        Spend { calls, tokens, nano_dollars: Some(nano) }
    }

    fn month_cap(nano: u64) -> Budget {
        Budget { month: Caps { nano_dollars: Some(nano), ..Caps::default() }, ..Budget::default() }
    }

    #[test]
    fn a_worst_case_that_does_not_fit_is_refused_and_names_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = Caps { calls: Some(2), tokens: Some(100), nano_dollars: Some(50_000_000) };
        let mut ledger = Ledger::new(&StateDir::at(folder.path()), Budget { run, ..Budget::default() });
        let first = ledger.reserve_at(NOON, spend(1, 90, 1)).expect("fits");
        let refused = ledger.reserve_at(NOON, spend(1, 20, 1)).expect_err("90 + 20 > 100");
        assert_eq!(refused.to_string(), "the budget of 100 tokens for this run does not cover the next call");
        ledger.settle(first, spend(1, 10, 1)).expect("writable");
        let second = ledger.reserve_at(NOON, spend(1, 20, 49_999_999)).expect("fits now");
        assert!(ledger.reserve_at(NOON, spend(1, 0, 0)).expect_err("third call").to_string().contains("2 calls"));
        ledger.settle(second, spend(0, 0, 0)).expect("writable");
        assert!(ledger.reserve_at(NOON, spend(1, 0, 60_000_000)).expect_err("money").to_string().contains("0.05 USD"));
    }

    #[test]
    fn what_a_dead_process_reserved_counts_in_full_for_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let lost = Ledger::new(&StateDir::at(folder.path()), month_cap(100)).reserve_at(NOON, spend(1, 1, 60)).expect("fits");
        drop(lost);
        let mut other = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
        assert!(other.reserve_at(NOON + 86_400, spend(1, 1, 50)).is_err());
        assert!(other.reserve_at(NOON + 86_400 * 31, spend(1, 1, 50)).is_ok(), "another month");
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
        let _kept = ledger.reserve_at(NOON, spend(1, 1, 60)).expect("fits");
        assert!(ledger.reserve_at(NOON - 86_400 * 40, spend(1, 1, 50)).is_err());
    }

    #[test]
    fn a_clock_that_was_wrong_once_forgets_no_day() {
        let folder = tempfile::tempdir().expect("a folder");
        let today = clock::real_seconds();
        let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
        let _kept = ledger.reserve_at(today, spend(1, 1, 60)).expect("fits");
        let _wrong = ledger.reserve_at(today * 2, spend(1, 1, 1)).expect("another month");
        ledger.put_together().expect("writable");
        assert!(ledger.reserve_at(today, spend(1, 1, 40)).is_err());
    }

    #[test]
    fn a_file_that_is_no_ledger_keeps_every_byte() {
        // Before, what followed its last line feed was cut off, and lines were added.
        for text in ["machine example.org login me password x", "[core]\n\tbare = false", "git-merkle/ledger/2 1\nr x"] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(FILE_NAME);
            std::fs::write(&path, text).expect("writable");
            let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
            assert!(matches!(ledger.reserve_at(NOON, spend(1, 1, 1)), Err(LedgerError::Io { .. })));
            assert!(ledger.spent_around(NOON).is_err());
            assert_eq!(std::fs::read_to_string(&path).expect("there"), text);
        }
    }

    #[test]
    fn a_torn_line_is_taken_off_and_the_next_one_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
        let _lost = ledger.reserve_at(NOON, spend(1, 1, 60)).expect("fits");
        let mut open = OpenOptions::new().append(true).open(folder.path().join("ledger")).expect("is there");
        open.write_all(b"r 1.2 18000").expect("writable");
        let mut other = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
        let _kept = other.reserve_at(NOON, spend(1, 1, 40)).expect("fits");
        assert!(ledger.reserve_at(NOON, spend(1, 1, 1)).is_err(), "both are seen");
    }

    #[test]
    fn putting_together_changes_no_sum() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut ledger = Ledger::new(&StateDir::at(folder.path()), Budget::default());
        let _open = ledger.reserve_at(NOON, spend(1, 5, 7)).expect("no limit");
        for day in 0..3 {
            let done = ledger.reserve_at(NOON + day * 86_400, spend(1, 50, 70)).expect("no limit");
            ledger.settle(done, Spend { calls: 1, tokens: 20, nano_dollars: None }).expect("writable");
        }
        let before = ledger.spent_around(NOON).expect("readable");
        ledger.put_together().expect("writable");
        assert_eq!(ledger.spent_around(NOON).expect("readable"), before);
        assert_eq!(Ledger::new(&StateDir::at(folder.path()), Budget::default()).spent_around(NOON).expect("readable"), before);
    }

    /// A step of somebody's month.
    #[derive(Debug, Clone)]
    enum Step {
        /// Process, worst case, what it really takes of it in per cent, and how it ends.
        Call(usize, u64, u64, End),
        /// A process dies and starts again, perhaps in the middle of writing a line.
        Restart(usize, Option<u8>),
        /// Hours go by.
        Wait(u64),
    }

    #[derive(Debug, Clone, Copy)]
    enum End {
        Settled,
        Unknown,
        NeverSent,
    }

    fn step() -> impl Strategy<Value = Step> {
        let end = prop_oneof![4 => Just(End::Settled), 1 => Just(End::Unknown), 1 => Just(End::NeverSent)];
        prop_oneof![
            8 => (0_usize..2, 1_u64..400, 0_u64..=100, end).prop_map(|(who, worst, share, end)| Step::Call(who, worst, share, end)),
            1 => (0_usize..2, proptest::option::of(1_u8..20)).prop_map(|(who, torn)| Step::Restart(who, torn)),
            2 => (1_u64..20).prop_map(Step::Wait),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        /// What was really spent in a month and in a day stays within the budget, whatever happens to two processes.
        #[test]
        fn a_simulated_month_never_passes_the_budget(steps in proptest::collection::vec(step(), 1..120)) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut budget = month_cap(5_000);
            budget.day.nano_dollars = Some(900);
            let mut ledgers = [Ledger::new(&StateDir::at(folder.path()), budget), Ledger::new(&StateDir::at(folder.path()), budget)];
            let (mut now, mut days) = (NOON, BTreeMap::<u64, u64>::new());
            for step in steps {
                match step {
                    Step::Wait(hours) => now += hours * 3_600,
                    Step::Restart(who, torn) => {
                        ledgers[who] = Ledger::new(&StateDir::at(folder.path()), budget);
                        if let Some(bytes) = torn {
                            let line = format!("r 9.9 {now} 1 1 100000\n");
                            let mut open = OpenOptions::new().append(true).create(true).open(folder.path().join("ledger")).expect("writable");
                            open.write_all(&line.as_bytes()[..usize::from(bytes).min(line.len() - 1)]).expect("writable");
                        }
                    }
                    Step::Call(who, worst, share, end) => {
                        let Ok(reserved) = ledgers[who].reserve_at(now, spend(1, worst, worst)) else { continue };
                        let took = worst * share / 100;
                        *days.entry(now / 86_400).or_default() += if matches!(end, End::NeverSent) { 0 } else { took };
                        match end {
                            End::Settled => ledgers[who].settle(reserved, spend(1, took, took)).expect("writable"),
                            End::NeverSent => ledgers[who].settle(reserved, Spend::default()).expect("writable"),
                            End::Unknown => drop(reserved),
                        }
                    }
                }
            }
            let mut months = BTreeMap::<u64, u64>::new();
            for (day, spent) in &days {
                prop_assert!(*spent <= 900);
                *months.entry(month_of(*day)).or_default() += spent;
            }
            prop_assert!(months.values().all(|spent| *spent <= 5_000));
        }
    }
}

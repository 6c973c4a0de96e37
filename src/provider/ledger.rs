//! What was spent: a file that every process of a repository shares, so that none of them passes a budget.
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
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::AddAssign;
use std::path::PathBuf;
use std::time::Duration;

use crate::base::Cost;
use crate::base::clock;
use crate::base::count::counted;
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
            return self.calls.map(|limit| counted(limit, "call", "calls"));
        }
        if over(self.tokens, spend.tokens) {
            return self.tokens.map(|limit| counted(limit, "token", "tokens"));
        }
        let limit = self
            .nano_dollars
            .filter(|limit| spend.nano_dollars.unwrap_or(0) > *limit)?;
        Some(format!("{} USD", Cost(limit)))
    }
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
    /// Of this run, in thousand-millionths of a US dollar, when the run needed no agreement because the estimate was small.
    pub unasked: Option<u64>,
}

/// What a limit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSpan {
    /// One run, or one session.
    Run,
    /// A calendar day.
    Day,
    /// A calendar month.
    Month,
    /// What is spent before the user has agreed.
    Unasked,
}

impl fmt::Display for LimitSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Run => "for this run",
            Self::Day => "a day",
            Self::Month => "a month",
            Self::Unasked => "that is spent without asking (merkle.confirmAbove)",
        })
    }
}

/// Why nothing may be sent.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The worst case of the next attempt does not fit.
    #[error("the budget of {limit} {span} does not cover the next call")]
    Exhausted {
        /// The limit, with its unit.
        limit: String,
        /// What it is about.
        span: LimitSpan,
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
    /// What this process has reserved by name and not settled yet.
    promised: HashMap<String, Spend>,
    /// What came of those that this run has made and settled.
    kept: Spend,
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
    /// The limit for this run that so much would pass.
    #[must_use]
    pub fn limit_passed_by(&self, spend: &Spend) -> Option<String> {
        self.budget.run.passed_by(spend)
    }

    /// Opens the ledger of a state directory; the file is made with the first reservation.
    #[must_use]
    pub fn new(state: &StateDir, budget: Budget) -> Self {
        let unique = format!(
            "{:x}-{:x}-{:x}",
            std::process::id(),
            clock::real_seconds(),
            clock::nanos()
        );
        let state = state.clone();
        Self {
            state,
            budget,
            run: unique,
            reservations: 0,
            spent: Spend::default(),
            promised: HashMap::new(),
            kept: Spend::default(),
            book: Book::default(),
        }
    }

    /// Reserves the worst case of an attempt, or says which limit it would pass. On the disk when this returns.
    pub fn reserve(&mut self, worst: Spend) -> Result<Reservation, LedgerError> {
        self.reserve_at(clock::real_seconds(), worst)
    }

    /// The same at a given time, in seconds since 1970.
    pub fn reserve_at(&mut self, now: u64, worst: Spend) -> Result<Reservation, LedgerError> {
        let (_lock, mut open) = self.begin()?;
        self.check(now, worst)?;
        self.reservations += 1;
        let id = format!("{}.{}", self.run, self.reservations);
        let line = format!("r {id} {now} {}\n", Fields(&worst));
        self.append(&mut open, &line, true)?;
        self.spent += worst;
        Ok(Reservation { id, worst })
    }

    /// Books what an attempt took in place of its worst case.
    pub fn settle(&mut self, reservation: Reservation, took: Spend) -> Result<(), LedgerError> {
        let Reservation { id, worst } = reservation;
        let (_lock, mut open) = self.begin()?;
        let line = format!("s {id} {}\n", Fields(&took));
        // Not flushed: a settlement that is lost with the machine leaves the worst case booked.
        self.append(&mut open, &line, false)?;
        self.spent = replaced(self.spent, worst, took);
        if self.book.read_to >= FILE_BYTES_MAX {
            self.put_together().map_err(|source| self.io(source))?;
        }
        Ok(())
    }

    /// Reserves under a name that the caller has written down, so that any later process can settle it.
    ///
    /// It counts towards the limits of this run, and is no part of what the run has spent.
    pub fn promise(&mut self, name: &str, worst: Spend) -> Result<(), LedgerError> {
        let now = clock::real_seconds();
        let (_lock, mut open) = self.begin()?;
        self.check(now, worst)?;
        let line = format!("r {name} {now} {}\n", Fields(&worst));
        self.append(&mut open, &line, true)?;
        self.promised.insert(name.to_owned(), worst);
        Ok(())
    }

    /// Books what came of something that was reserved under a name; a second time, or for a name that was never reserved, it books nothing.
    pub fn settle_promise(&mut self, name: &str, took: Spend) -> Result<(), LedgerError> {
        let (_lock, mut open) = self.begin()?;
        if self.promised.remove(name).is_some() {
            self.kept += took;
        }
        if !self.book.open.contains_key(name) {
            return Ok(());
        }
        let line = format!("s {name} {}\n", Fields(&took));
        self.append(&mut open, &line, true)
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
            self.begin()?;
        }
        Ok(self.book.around(now / 86_400))
    }

    fn check(&self, now: u64, worst: Spend) -> Result<(), LedgerError> {
        let (day, month) = self.book.around(now / 86_400);
        let unasked = Caps {
            nano_dollars: self.budget.unasked,
            ..Caps::default()
        };
        let mut of_run = self.spent;
        of_run += self.kept;
        self.promised.values().for_each(|worst| of_run += *worst);
        let spans = [
            (&self.budget.run, of_run, LimitSpan::Run),
            (&self.budget.day, day, LimitSpan::Day),
            (&self.budget.month, month, LimitSpan::Month),
            (&unasked, of_run, LimitSpan::Unasked),
        ];
        for (caps, mut spent, span) in spans {
            spent += worst;
            if let Some(limit) = caps.passed_by(&spent) {
                return Err(LedgerError::Exhausted { limit, span });
            }
        }
        Ok(())
    }

    /// Takes the lock, and reads what others have written since; what is booked goes to the end of the file.
    fn begin(&mut self) -> Result<(Lock, File), LedgerError> {
        let taken = self.state.lock(LOCK_NAME, LOCK_WAIT);
        let taken = taken.map_err(|source| self.io(source))?;
        let lock = taken.ok_or(LedgerError::Busy)?;
        let open = self.read_on().map_err(|source| self.io(source))?;
        Ok((lock, open))
    }

    fn io(&self, source: io::Error) -> LedgerError {
        LedgerError::Io {
            path: self.state.shown_file(FILE_NAME),
            source,
        }
    }

    /// Reads what others have written since; another file in its place is read from its start.
    fn read_on(&mut self) -> io::Result<File> {
        let mut open = self.state.open_to_append(FILE_NAME)?;
        if open.metadata()?.len() > READ_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is too large for a ledger",
            ));
        }
        let mut first = Vec::new();
        BufReader::new(&open)
            .take(FIRST_BYTES_MAX)
            .read_until(b'\n', &mut first)?;
        // A file that does not begin as a ledger is not one: nothing is cut off it, and nothing is added.
        if !begins_as_ledger(&first) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it does not begin as a ledger",
            ));
        }
        let first = String::from_utf8_lossy(&first).into_owned();
        if first != self.book.first {
            self.book = Book {
                first,
                ..Book::default()
            };
        }
        open.seek(SeekFrom::Start(self.book.read_to))?;
        let mut bytes = Vec::new();
        open.read_to_end(&mut bytes)?;
        // What a dying writer left without its end was never acted upon; the next line starts anew.
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        if whole < bytes.len() {
            open.set_len(self.book.read_to + whole as u64)?;
        }
        self.book.read(&bytes[..whole]);
        Ok(open)
    }

    fn append(&mut self, open: &mut File, line: &str, durable: bool) -> Result<(), LedgerError> {
        let is_new = self.book.read_to == 0;
        if is_new {
            self.book.first = first_line();
        }
        let bytes = format!("{}{line}", if is_new { &self.book.first } else { "" });
        let mut written = open.write_all(bytes.as_bytes());
        if durable {
            written = written.and_then(|()| open.sync_data());
        }
        written.map_err(|source| self.io(source))?;
        self.book.read(bytes.as_bytes());
        Ok(())
    }

    /// Replaces the lines by sums of days. What is reserved and not settled stays as it is.
    fn put_together(&mut self) -> io::Result<()> {
        let newest = self.book.days.keys().next_back().copied().unwrap_or(0);
        // Not counted from a day that a clock had wrong.
        let newest = newest.min(clock::real_seconds() / 86_400);
        self.book
            .days
            .retain(|day, _| day.saturating_add(DAYS_KEPT) >= newest);
        self.book
            .open
            .retain(|_, (day, _)| day.saturating_add(DAYS_KEPT) >= newest);
        let mut closed = self.book.days.clone();
        for (day, worst) in self.book.open.values() {
            if let Some(sum) = closed.get_mut(day) {
                *sum = replaced(*sum, *worst, Spend::default());
            }
        }
        let days = closed
            .iter()
            .map(|(day, spend)| format!("d {day} {}\n", Fields(spend)));
        let mut open: Vec<_> = self.book.open.iter().collect();
        open.sort_by(|a, b| a.0.cmp(b.0));
        let open = open
            .into_iter()
            .map(|(id, (day, worst))| format!("r {id} {} {}\n", day * 86_400, Fields(worst)));
        let lines: String = std::iter::once(first_line())
            .chain(days)
            .chain(open)
            .collect();
        self.state
            .replace_durably(FILE_NAME, |open| open.write_all(lines.as_bytes()))?;
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
                        self.open
                            .insert((*id).to_owned(), (seconds / 86_400, worst));
                    }
                }
                ["s", id, spend @ ..] => {
                    if let (Some(took), Some((day, worst))) = (parse(spend), self.open.remove(*id))
                    {
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
        (
            self.sum(|day| day >= today),
            self.sum(|day| month_of(day) >= this_month),
        )
    }

    fn sum(&self, is_wanted: impl Fn(u64) -> bool) -> Spend {
        self.days.iter().filter(|(day, _)| is_wanted(**day)).fold(
            Spend::default(),
            |mut sum, (_, spend)| {
                sum += *spend;
                sum
            },
        )
    }
}

/// True for the first bytes of a ledger, or of one whose first line was cut off by a death.
fn begins_as_ledger(first: &[u8]) -> bool {
    let rest = first.strip_prefix(FORMAT.as_bytes());
    rest.map_or(FORMAT.as_bytes().starts_with(first), |rest| {
        rest.is_empty() || rest[0] == b' '
    })
}

/// The first line of a new file; the time tells it from every other that stood in its place.
fn first_line() -> String {
    format!("{FORMAT} {:x}\n", clock::nanos())
}

/// The three numbers of a line.
struct Fields<'a>(&'a Spend);

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let money = self
            .0
            .nano_dollars
            .map_or_else(|| "-".to_owned(), |nano| nano.to_string());
        write!(f, "{} {} {money}", self.0.calls, self.0.tokens)
    }
}

fn parse(fields: &[&str]) -> Option<Spend> {
    let [calls, tokens, money] = fields else {
        return None;
    };
    let nano_dollars = if *money == "-" {
        None
    } else {
        Some(money.parse().ok()?)
    };
    Some(Spend {
        calls: calls.parse().ok()?,
        tokens: tokens.parse().ok()?,
        nano_dollars,
    })
}

/// A sum in which one addend takes the place of another.
fn replaced(sum: Spend, before: Spend, after: Spend) -> Spend {
    let money = |spend: Spend| spend.nano_dollars.unwrap_or(0);
    let known = sum.nano_dollars.or(after.nano_dollars);
    Spend {
        calls: sum
            .calls
            .saturating_sub(before.calls)
            .saturating_add(after.calls),
        tokens: sum
            .tokens
            .saturating_sub(before.tokens)
            .saturating_add(after.tokens),
        nano_dollars: known.map(|_| {
            money(sum)
                .saturating_sub(money(before))
                .saturating_add(money(after))
        }),
    }
}

/// The calendar month of a day, as a number that grows.
fn month_of(day: u64) -> u64 {
    let date = clock::render_utc(day.saturating_mul(86_400));
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
    let mut parts = date.split('-');
    number(parts.next()) * 12 + number(parts.next())
}

#[cfg(test)]
mod tests;

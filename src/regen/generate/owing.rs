//! Answers that batches still owe: where each is, which requests go out together, and what the run knows of them so far.
//!
//! Answers that are owed are known by their basis, whichever command requested them, so no run requests one a second time.
//! Nothing here starts anything: `batch` beside it sends and collects.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use crate::base::{AgentId, BasisId};
use crate::frame::Children;
use crate::git::Lock;
use crate::provider::batch::{
    BatchClient, BatchFiles, BatchPart, BatchStage, OwedBatch, SentBatch, SubmitError,
};
use crate::provider::ledger::Spend;
use crate::regen::event::UnderWay;
use crate::regen::prepare::Question;
use crate::regen::queue::TaskNumber;
use crate::regen::run::RunError;

/// How long a run that waits for batches rests before it looks again for the first time.
pub(super) const POLL_FIRST: Duration = Duration::from_millis(100);

/// What a run does about batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchMode {
    /// Requests go out one by one.
    #[default]
    Live,
    /// Requests go out in batches, and the run ends.
    Submit,
    /// Requests go out in batches, and the run waits for the answers.
    Wait,
    /// Nothing goes out: only answers that are owed are taken.
    Collect,
}

impl BatchMode {
    pub(super) fn submits(self) -> bool {
        matches!(self, Self::Submit | Self::Wait)
    }
}

/// How a run goes about batches.
pub struct Batching {
    /// What it does.
    pub mode: BatchMode,
    /// A smaller level goes out at once.
    pub requests_min: usize,
    /// Where batches are written down.
    pub files: BatchFiles,
    /// Speaks with the provider; `None` for one that takes no batches.
    pub client: Option<BatchClient>,
    /// Whose frames are made.
    pub agent: AgentId,
}

/// A task whose answer is owed, or is about to be.
pub(super) struct Awaiting {
    pub(super) task: TaskNumber,
    pub(super) basis: BasisId,
    pub(super) children: Children,
}

/// What goes out together, and whose requests these are.
#[derive(Default)]
pub(super) struct Parcel {
    pub(super) part: BatchPart,
    pub(super) tasks: Vec<Awaiting>,
}

/// Requests of one level.
#[derive(Default)]
pub(super) struct Wave {
    pub(super) open: Parcel,
    /// The questions themselves, as long as the level may turn out to be a small one.
    pub(super) questions: Vec<(TaskNumber, Box<Question>)>,
    /// True once the level is large enough.
    pub(super) is_large: bool,
    /// What is full, or was too dear together.
    pub(super) full: Vec<Parcel>,
}

/// An errand that is done.
pub(super) enum Errand {
    Collected(Vec<OwedBatch>, Vec<String>),
    Sent(Parcel, Box<Result<SentBatch, SubmitError>>),
}

/// Where the answer of a basis is.
pub(super) enum Place {
    Nowhere,
    /// In a batch that has not ended, or that another provider has: its ticket.
    Owed(String),
    There(Found),
}

/// What results that are here say: a line, or why there is none.
pub(super) struct Found {
    pub(super) line: Option<Vec<u8>>,
    pub(super) why: String,
}

/// What a run knows of batches.
pub(super) struct Owing<'g> {
    pub(super) batching: &'g Batching,
    /// Held from the first look to the end; `None` where nothing is owed, or another process works on it.
    lock: Option<Lock>,
    pub(super) batches: Vec<OwedBatch>,
    /// Numbers of batches that a file is to be written for.
    changed: HashSet<usize>,
    pub(super) owed: HashMap<BasisId, usize>,
    results: HashMap<usize, Vec<u8>>,
    lines: HashMap<BasisId, Range<usize>>,
    pub(super) wave: Wave,
    pub(super) awaiting: Vec<Awaiting>,
    pub(super) problems: Vec<String>,
    pub(super) collected: Spend,
    pub(super) rest: Duration,
}

impl Batching {
    /// What is owed for this agent that is wanted though the same was said before.
    #[must_use]
    pub fn owed_again(&self) -> HashSet<BasisId> {
        let batches = self.files.list().unwrap_or_default();
        let own = batches
            .into_iter()
            .filter(|batch| batch.agent == self.agent.as_str());
        let open = own.flat_map(|batch| batch.open);
        open.filter(|(_, owed)| owed.is_again)
            .map(|(basis, _)| basis)
            .collect()
    }

    /// What is owed, for whichever agent and by whichever provider.
    #[must_use]
    pub fn owed(&self) -> HashSet<BasisId> {
        let batches = self.files.list().unwrap_or_default();
        batches
            .into_iter()
            .flat_map(|batch| batch.open.into_keys())
            .collect()
    }
}

impl<'g> Owing<'g> {
    /// Reads what is owed. A run that sends batches needs to be the only one that does; another one leaves them alone.
    pub(super) fn open(batching: &'g Batching) -> Result<Self, RunError> {
        let submits = batching.mode.submits();
        let batches = match batching.files.list() {
            // A folder that is not ours is named where something is to be written there, and by 'doctor'.
            Err(_) if !submits => Vec::new(),
            listed => listed.map_err(RunError::Batches)?,
        };
        let mut owing = Self {
            batching,
            lock: None,
            batches,
            changed: HashSet::new(),
            owed: HashMap::new(),
            results: HashMap::new(),
            lines: HashMap::new(),
            wave: Wave::default(),
            awaiting: Vec::new(),
            problems: Vec::new(),
            collected: Spend::default(),
            rest: POLL_FIRST,
        };
        if submits || !owing.batches.is_empty() {
            owing.lock = batching.files.lock().map_err(RunError::Batches)?;
            if owing.lock.is_none() && submits {
                return Err(RunError::BatchesBusy);
            }
            // What another process did until now is on the disk.
            owing.batches = batching.files.list().map_err(RunError::Batches)?;
        }
        owing.read();
        Ok(owing)
    }

    /// Takes over what is known of batches now.
    pub(super) fn renew(&mut self, batches: Vec<OwedBatch>) -> Result<(), RunError> {
        self.batches = batches;
        self.write()?;
        self.batches.retain(|batch| !batch.open.is_empty());
        self.read();
        Ok(())
    }

    /// Writes down what was taken.
    fn write(&mut self) -> Result<(), RunError> {
        for number in std::mem::take(&mut self.changed) {
            let batch = &self.batches[number];
            self.batching.files.save(batch).map_err(RunError::Batches)?;
        }
        Ok(())
    }

    pub(super) fn client(&self) -> Option<&'g BatchClient> {
        self.batching
            .client
            .as_ref()
            .filter(|_| self.lock.is_some())
    }

    /// Puts together which basis is owed by which batch, and where its line is.
    fn read(&mut self) {
        self.owed.clear();
        self.lines.clear();
        self.results.clear();
        let client = self.client();
        for (number, batch) in self.batches.iter().enumerate() {
            self.owed
                .extend(batch.open.keys().map(|basis| (*basis, number)));
            let is_here = batch.has_ended() && client.is_some_and(|client| client.is_of(batch));
            let Some(results) = is_here
                .then(|| self.batching.files.results(batch))
                .flatten()
            else {
                continue;
            };
            if let Ok((lines, _)) =
                BatchClient::lines(&results, |basis| batch.open.contains_key(basis))
            {
                self.lines.extend(lines);
            }
            self.results.insert(number, results);
        }
    }

    pub(super) fn look(&self, basis: &BasisId) -> Place {
        let Some(number) = self.owed.get(basis) else {
            return Place::Nowhere;
        };
        let batch = &self.batches[*number];
        match &batch.stage {
            // Results that are damaged are no sign that nothing was run: what was paid for is not sent again by itself.
            BatchStage::Ended(why)
                if self.results.contains_key(number)
                    && self.client().is_some_and(|client| client.is_of(batch)) =>
            {
                let line = self.lines.get(basis).zip(self.results.get(number));
                Place::There(Found {
                    line: line.map(|(range, results)| results[range.clone()].to_vec()),
                    why: why.clone(),
                })
            }
            _ => Place::Owed(batch.ticket().to_owned()),
        }
    }

    /// An answer was taken: it is on the disk as a frame, or its failure is said.
    pub(super) fn take(&mut self, basis: &BasisId) {
        if self.lock.is_some()
            && let Some(number) = self.owed.remove(basis)
        {
            self.batches[number].open.remove(basis);
            self.changed.insert(number);
        }
    }

    /// Writes down what was taken, at the end.
    ///
    /// An answer that a killed run had taken has its frame in the store by now: it is not wanted any more either.
    pub(super) fn close(&mut self, is_stored: impl Fn(&BasisId) -> bool) -> Result<(), RunError> {
        if self.lock.is_none() {
            return Ok(());
        }
        for (number, batch) in self.batches.iter_mut().enumerate() {
            let before = batch.open.len();
            if batch.has_ended() {
                batch
                    .open
                    .retain(|basis, owed| owed.is_again || !is_stored(basis));
            }
            if before > batch.open.len() {
                self.changed.insert(number);
            }
        }
        self.write()
    }

    /// What is still owed, batch by batch.
    pub(super) fn under_way(&self) -> Vec<UnderWay> {
        UnderWay::of(&self.batches)
    }

    pub(super) fn collected(&self) -> Spend {
        self.collected
    }

    pub(super) fn take_problems(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems)
    }

    /// Tasks whose answers are owed, with the tickets.
    pub(super) fn awaited(&self) -> Vec<(TaskNumber, String)> {
        let ticket = |one: &Awaiting| match self.look(&one.basis) {
            Place::Owed(ticket) => Some((one.task, ticket)),
            Place::Nowhere | Place::There(_) => None,
        };
        self.awaiting.iter().filter_map(ticket).collect()
    }

    /// True when something may have come to its end since.
    pub(super) fn is_open(&self) -> bool {
        let client = self.client();
        let is_open = |batch: &&OwedBatch| !batch.has_ended();
        self.batches
            .iter()
            .filter(is_open)
            .any(|batch| client.is_some_and(|client| client.is_of(batch)))
    }

    /// True for what is left alone by a run that only collects.
    pub(super) fn skips(&self, basis: &BasisId) -> bool {
        self.batching.mode == BatchMode::Collect && !self.owed.contains_key(basis)
    }
}

impl Wave {
    /// What goes out next; `None` where the level is done.
    pub(super) fn next(&mut self) -> Option<Parcel> {
        let is_open = !self.open.part.is_empty();
        let open = || is_open.then(|| std::mem::take(&mut self.open));
        self.full.pop().or_else(open)
    }
}

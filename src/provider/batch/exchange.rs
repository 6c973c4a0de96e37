//! The order of disk and wire, so that a process may die at any point: see the table of the room.

use std::collections::HashSet;
use std::io;

use super::client::{patiently, pause};
use super::line::{Look, Place};
use super::{BatchClient, BatchFiles, BatchPart, BatchStage, OwedBatch};
use crate::base::clock;
use crate::provider::ProviderError;
use crate::provider::call::Caller;
use crate::provider::ledger::{LedgerError, Spend};

/// For this long after the first look that found nothing, the provider's list may not show what a request led to.
const LOST_SECONDS: u64 = 60;
/// After this long no provider knows a batch any more.
const KEPT_SECONDS: u64 = 31 * 86_400;
/// Attempts to create a batch.
const ATTEMPTS_MAX: u32 = 3;

/// Why a batch was not sent, or what is known of it is not.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// Its worst case does not fit, or cannot be booked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The provider does not take it.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// It cannot be written down, so it is not sent.
    #[error("cannot write down what is sent")]
    Io(#[from] io::Error),
}

/// A batch that was sent.
#[derive(Debug)]
pub struct SentBatch {
    /// What is known of it.
    pub batch: OwedBatch,
    /// Why it is not known whether the provider has it.
    pub problem: Option<ProviderError>,
}

/// What was done to end a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancelled {
    /// What it is known by.
    pub ticket: String,
    /// Requests without an answer that was taken.
    pub requests: u64,
    /// What failed, if something did.
    pub error: Option<String>,
}

/// Sends a batch. It may be there though the provider's answer was lost: then why comes with it, and [`collect()`] finds out.
pub async fn submit(
    caller: &Caller,
    client: &BatchClient,
    files: &BatchFiles,
    agent: &str,
    part: &BatchPart,
) -> Result<SentBatch, SubmitError> {
    let begun = clock::real_seconds();
    let mut batch = OwedBatch {
        run: format!("{begun:x}-{:x}-{:x}", std::process::id(), clock::nanos()),
        provider: client.name().to_owned(),
        endpoint: client.endpoint().as_str().to_owned(),
        agent: agent.to_owned(),
        begun,
        stage: BatchStage::Intended,
        foreign: Vec::new(),
        missed: None,
        is_guessed: false,
        requests: part.len() as u64,
        open: part.requests.iter().copied().collect(),
    };
    // The name of the reservation is on the disk before it is made: no reservation is without an owner who settles it.
    files.save(&batch)?;
    if let Err(error) = caller.promise(&batch.run, part.worst_case()).await {
        forget(files, batch)?;
        return Err(error.into());
    }
    let mut attempt = 1;
    let error = loop {
        let failed = match client.create(&batch.run, &part.lines).await {
            Ok(id) => break Ok(id),
            Err(failed) => failed,
        };
        if failed.may_exist {
            // Sent a second time, it might be there twice. What the list does not show yet, a later look finds.
            match client.find(&batch, &HashSet::new()).await {
                Ok(Some(id)) if !client.guesses() => break Ok(id),
                _ => break Err(failed),
            }
        }
        let wait = pause(&failed.error, attempt).filter(|_| attempt < ATTEMPTS_MAX);
        let Some(wait) = wait else {
            break Err(failed);
        };
        attempt += 1;
        tokio::time::sleep(wait).await;
    };
    match error {
        Ok(id) => batch.stage = BatchStage::UnderWay(id),
        Err(failed) if failed.may_exist => {
            let problem = Some(failed.error);
            return Ok(SentBatch { batch, problem });
        }
        Err(failed) => {
            caller.settle_promise(&batch.run, Spend::default()).await?;
            forget(files, batch)?;
            return Err(failed.error.into());
        }
    }
    files.save(&batch)?;
    Ok(SentBatch {
        batch,
        problem: None,
    })
}

/// Looks after a batch, and brings its results here once it has ended. `is_last` takes what there is for all.
pub async fn collect(
    caller: &Caller,
    client: &BatchClient,
    files: &BatchFiles,
    batches: &mut [OwedBatch],
    is_last: bool,
) -> Vec<String> {
    let mut problems = Vec::new();
    for at in 0..batches.len() {
        if batches[at].has_ended() || batches[at].provider != client.name() {
            continue;
        }
        if batches[at].endpoint != client.endpoint().as_str() {
            problems.push(format!(
                "a batch was sent to '{}', and provider '{}' is at '{}' now",
                batches[at].endpoint,
                client.name(),
                client.endpoint().as_str()
            ));
            continue;
        }
        let taken = batches.iter().filter_map(|batch| match &batch.stage {
            BatchStage::UnderWay(id) => Some(id.clone()),
            BatchStage::Intended | BatchStage::Ended(_) => None,
        });
        let collector = Collector {
            caller,
            client,
            files,
            taken: taken.collect(),
            is_last,
        };
        if let Err(error) = collector.collect(&mut batches[at]).await {
            let is_absent = matches!(error, SubmitError::Provider(ProviderError::Address(_)));
            let way = if is_absent {
                "; '--batch --cancel' gives it up"
            } else {
                ""
            };
            problems.push(format!(
                "batch '{}' of provider '{}': {error}{way}",
                batches[at].ticket(),
                client.name()
            ));
        }
    }
    problems
}

/// Asks the provider to end what is under way. What was run is paid for, and is collected as ever.
pub async fn cancel(
    caller: &Caller,
    client: &BatchClient,
    files: &BatchFiles,
) -> io::Result<Vec<Cancelled>> {
    let mut batches = files.list()?;
    let problems = collect(caller, client, files, &mut batches, true).await;
    let mut cancelled = Vec::new();
    for batch in batches
        .iter()
        .filter(|batch| batch.provider == client.name())
    {
        let (ticket, requests) = (batch.ticket().to_owned(), batch.open.len() as u64);
        let error = match &batch.stage {
            BatchStage::Ended(_) => continue,
            BatchStage::Intended if batch.open.is_empty() => continue,
            BatchStage::Intended => Some("whether it was sent is not known yet".to_owned()),
            BatchStage::UnderWay(_) if batch.is_guessed => {
                Some("it may be another program's: its results will tell".to_owned())
            }
            BatchStage::UnderWay(id) => patiently(async || client.cancel(id).await)
                .await
                .err()
                .map(|error| error.to_string()),
        };
        let named = |problem: &&String| problem.contains(&ticket);
        let error = error.or_else(|| problems.iter().find(named).cloned());
        cancelled.push(Cancelled {
            ticket,
            requests,
            error,
        });
    }
    Ok(cancelled)
}

/// A batch that was never sent.
fn forget(files: &BatchFiles, mut batch: OwedBatch) -> io::Result<()> {
    batch.open.clear();
    files.save(&batch)
}

struct Collector<'d> {
    caller: &'d Caller,
    client: &'d BatchClient,
    files: &'d BatchFiles,
    /// Ids of batches that are known.
    taken: HashSet<String>,
    is_last: bool,
}

impl Collector<'_> {
    async fn collect(&self, batch: &mut OwedBatch) -> Result<(), SubmitError> {
        if batch.stage == BatchStage::Intended && !self.find(batch).await? {
            return Ok(());
        }
        let BatchStage::UnderWay(id) = batch.stage.clone() else {
            return Ok(());
        };
        let is_old = clock::real_seconds().saturating_sub(batch.begun) > KEPT_SECONDS;
        let (why, places) = match patiently(async || self.client.look(&id).await).await {
            Ok(Look::UnderWay) => return Ok(()),
            Ok(Look::Ended { why, places }) => (why, places),
            // Who cancels gives up what the provider has not.
            Err(ProviderError::Address(_) | ProviderError::Protocol(_))
                if is_old || self.is_last =>
            {
                let why = "the provider knows the batch no longer".to_owned();
                (Some(why), Vec::new())
            }
            Err(error) => return Err(error.into()),
        };
        let is_whole = why.is_none() && !self.is_last;
        let results = patiently(async || self.download(batch, &places, is_whole).await).await?;
        let Some(results) = results else {
            // It looked like ours, and is another's: ours may still be found.
            batch.foreign.push(id);
            batch.stage = BatchStage::Intended;
            batch.is_guessed = false;
            return Ok(self.files.save(batch)?);
        };
        self.end(batch, why, &results).await
    }

    /// Finds out whether a batch was created; false while that is not known, and when it was not.
    async fn find(&self, batch: &mut OwedBatch) -> Result<bool, SubmitError> {
        let age = clock::real_seconds().saturating_sub(batch.begun);
        let found = match patiently(async || self.client.find(batch, &self.taken).await).await {
            // Who lists nothing for a month will not list it any more.
            Err(_) if age > KEPT_SECONDS => None,
            found => found?,
        };
        if let Some(id) = found {
            batch.stage = BatchStage::UnderWay(id);
            batch.is_guessed = self.client.guesses();
            self.files.save(batch)?;
            return Ok(true);
        }
        // The upload and all attempts may have taken longer than a list lags, so the time counts from here.
        let now = clock::real_seconds();
        let Some(missed) = batch.missed else {
            batch.missed = Some(now);
            self.files.save(batch)?;
            return Ok(false);
        };
        if now.saturating_sub(missed) >= LOST_SECONDS {
            self.caller
                .settle_promise(&batch.run, Spend::default())
                .await?;
            batch.open.clear();
            self.files.save(batch)?;
        }
        Ok(false)
    }

    /// The results, whole; `None` where they are those of another batch.
    async fn download(
        &self,
        batch: &OwedBatch,
        places: &[Place],
        is_whole: bool,
    ) -> Result<Option<Vec<u8>>, ProviderError> {
        let results = self.client.results(places).await?;
        let (lines, others) = BatchClient::lines(&results, |basis| batch.open.contains_key(basis))?;
        if lines.is_empty() && others > 0 && self.client.guesses() {
            return Ok(None);
        }
        // A stream that is cut between two lines looks like one that has ended.
        if is_whole && lines.len() < batch.open.len() {
            return Err(ProviderError::BrokenOff);
        }
        Ok(Some(results))
    }

    /// Results first, then what they took, then that the batch has ended: each may be done twice, none is left out.
    async fn end(
        &self,
        batch: &mut OwedBatch,
        why: Option<String>,
        results: &[u8],
    ) -> Result<(), SubmitError> {
        let (lines, _) = BatchClient::lines(results, |basis| batch.open.contains_key(basis))?;
        let mut kept = Vec::new();
        let mut took = Spend::default();
        for (basis, owed) in &batch.open {
            if let Some(range) = lines.get(basis) {
                let line = &results[range.clone()];
                took += self.client.took(line, owed.worst);
                kept.extend_from_slice(line);
                kept.push(b'\n');
            }
        }
        self.files.keep_results(batch, &kept)?;
        self.caller.settle_promise(&batch.run, took).await?;
        let why = why.unwrap_or_else(|| "its results do not name it".to_owned());
        batch.stage = BatchStage::Ended(why);
        Ok(self.files.save(batch)?)
    }
}

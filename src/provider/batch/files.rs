//! Batches on the disk: `batches/<run>.batch` and, once it has ended, `batches/<run>.results`. Both are sealed.
//!
//! `.batch` is one JSON object, see `docs/formats.md`. What came with a repository, or is damaged, counts as absent: it could
//! put words into a model's mouth.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{BatchStage, Owed, OwedBatch};
use crate::base::BasisId;
use crate::git::{Lock, StateDir};
use crate::provider::ledger::Spend;

const FORMAT: &str = "git-merkle/batch/1";
const FOLDER: &str = "batches";
const LOCK_NAME: &str = "lock";
const BATCH_SUFFIX: &str = ".batch";
const RESULTS_SUFFIX: &str = ".results";
/// Largest record: some 150 bytes a request.
const BATCH_BYTES_MAX: u64 = 64 << 20;
/// Most bytes of the results of a batch.
pub(super) const RESULTS_BYTES_MAX: usize = 1 << 30;

/// Where batches are written down.
#[derive(Debug, Clone)]
pub struct BatchFiles(StateDir);

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    provider: String,
    endpoint: String,
    agent: String,
    begun: u64,
    stage: Stage,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    foreign: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missed: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_guessed: bool,
    requests: u64,
    /// Basis, tokens and nano-dollars of the worst case, and whether it is sent again.
    open: Vec<(String, u64, Option<u64>, bool)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stage {
    Intended,
    Sent(String),
    Ended(String),
}

impl BatchFiles {
    /// Those of a state directory.
    #[must_use]
    pub fn of(state: &StateDir) -> Self {
        Self(state.folder(FOLDER))
    }

    /// Every batch that is not done, the oldest first.
    pub fn list(&self) -> io::Result<Vec<OwedBatch>> {
        let names = self.0.names()?;
        let runs = names
            .iter()
            .filter_map(|name| name.strip_suffix(BATCH_SUFFIX));
        let mut batches: Vec<OwedBatch> = runs.filter_map(|run| self.load(run)).collect();
        batches.sort_by(|a, b| (a.begun, &a.run).cmp(&(b.begun, &b.run)));
        Ok(batches)
    }

    /// One process at a time sends, collects and takes; `None` while another one does.
    ///
    /// What a process left unfinished that died over it is removed.
    pub fn lock(&self) -> io::Result<Option<Lock>> {
        let lock = self.0.lock(LOCK_NAME, Duration::ZERO)?;
        if lock.is_some() {
            self.0.remove_abandoned();
        }
        Ok(lock)
    }

    fn load(&self, run: &str) -> Option<OwedBatch> {
        let bytes = self
            .0
            .read_sealed(&format!("{run}{BATCH_SUFFIX}"), BATCH_BYTES_MAX)?;
        let document: Document = serde_json::from_slice(&bytes).ok()?;
        if document.format != FORMAT {
            return None;
        }
        let request = |(basis, tokens, nano_dollars, is_again): (String, _, _, _)| {
            let worst = Spend {
                calls: 1,
                tokens,
                nano_dollars,
            };
            let owed = Owed { worst, is_again };
            Some((basis.parse::<BasisId>().ok()?, owed))
        };
        Some(OwedBatch {
            run: run.to_owned(),
            provider: document.provider,
            endpoint: document.endpoint,
            agent: document.agent,
            begun: document.begun,
            stage: match document.stage {
                Stage::Intended => BatchStage::Intended,
                Stage::Sent(id) => BatchStage::UnderWay(id),
                Stage::Ended(why) => BatchStage::Ended(why),
            },
            foreign: document.foreign,
            missed: document.missed,
            is_guessed: document.is_guessed,
            requests: document.requests,
            open: document
                .open
                .into_iter()
                .map(request)
                .collect::<Option<_>>()?,
        })
    }

    /// Writes a batch down; on the disk when this returns. One without an open request is removed, results first.
    pub fn save(&self, batch: &OwedBatch) -> io::Result<()> {
        let file = format!("{}{BATCH_SUFFIX}", batch.run);
        if batch.open.is_empty() {
            self.0.remove(&format!("{}{RESULTS_SUFFIX}", batch.run))?;
            return self.0.remove(&file);
        }
        let open = batch.open.iter().map(|(basis, Owed { worst, is_again })| {
            let (tokens, nano_dollars) = (worst.tokens, worst.nano_dollars);
            (basis.to_string(), tokens, nano_dollars, *is_again)
        });
        let document = Document {
            format: FORMAT.to_owned(),
            provider: batch.provider.clone(),
            endpoint: batch.endpoint.clone(),
            agent: batch.agent.clone(),
            begun: batch.begun,
            stage: match &batch.stage {
                BatchStage::Intended => Stage::Intended,
                BatchStage::UnderWay(id) => Stage::Sent(id.clone()),
                BatchStage::Ended(why) => Stage::Ended(why.clone()),
            },
            foreign: batch.foreign.clone(),
            missed: batch.missed,
            is_guessed: batch.is_guessed,
            requests: batch.requests,
            open: open.collect(),
        };
        self.0.create()?;
        self.0.write_sealed(&file, &serde_json::to_vec(&document)?)
    }

    /// Keeps results; on the disk when this returns.
    pub(super) fn keep_results(&self, batch: &OwedBatch, lines: &[u8]) -> io::Result<()> {
        self.0
            .write_sealed(&format!("{}{RESULTS_SUFFIX}", batch.run), lines)
    }

    /// The results of a batch that has ended; `None` where they are not there, or are not what was kept.
    #[must_use]
    pub fn results(&self, batch: &OwedBatch) -> Option<Vec<u8>> {
        let file = format!("{}{RESULTS_SUFFIX}", batch.run);
        self.0.read_sealed(&file, RESULTS_BYTES_MAX as u64)
    }
}

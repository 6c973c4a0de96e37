//! Who coordinates a repository: one key in a bucket whose entries expire, and whose revision tells an owner from the next.
//!
//! Two runs on one machine are told apart by a lock that the kernel gives up with its process. So an entry of this very place
//! that is found under the lock is one of a dead run, and is taken over at once; another place is waited for.

use std::time::Duration;

use async_nats::jetstream::kv::{CreateErrorKind, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::{Context, kv};

use super::link::QueueError;

const BUCKET: &str = "merkle-lease";
/// Attempts to take a lease that expires while it is looked at.
const TRIES_MAX: u32 = 3;

/// The lease of one repository.
pub(super) struct Lease {
    store: Store,
    key: String,
    place: String,
    /// The number that fences: to renew, a run needs the last one.
    revision: u64,
}

impl Lease {
    /// Takes the lease, or says that another run has it. It expires `wait` after it was last renewed.
    pub(super) async fn take(
        jetstream: &Context,
        key: &str,
        place: &str,
        wait: Duration,
    ) -> Result<Self, QueueError> {
        let store = match jetstream.get_key_value(BUCKET).await {
            Ok(store) => store,
            Err(_) => jetstream
                .create_key_value(kv::Config {
                    bucket: BUCKET.to_owned(),
                    history: 1,
                    max_age: wait,
                    ..kv::Config::default()
                })
                .await
                .map_err(|error| QueueError::server("make the bucket of leases", error))?,
        };
        let mut lease = Self {
            store,
            key: key.to_owned(),
            place: place.to_owned(),
            revision: 0,
        };
        for _ in 0..TRIES_MAX {
            if lease.create().await? {
                return Ok(lease);
            }
            let entry = lease.store.entry(&lease.key).await;
            let entry = entry.map_err(|error| QueueError::server("read the lease", error))?;
            // It expired meanwhile, or was given back: the next attempt finds none.
            let Some(entry) = entry.filter(|entry| entry.operation == Operation::Put) else {
                continue;
            };
            if entry.value != place.as_bytes() {
                break;
            }
            lease.revision = entry.revision;
            if lease.renew().await? {
                return Ok(lease);
            }
        }
        Err(QueueError::Busy)
    }

    async fn create(&mut self) -> Result<bool, QueueError> {
        let made = self.store.create(&self.key, self.place.clone().into());
        match made.await {
            Ok(revision) => {
                self.revision = revision;
                Ok(true)
            }
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(QueueError::server("take the lease", error)),
        }
    }

    /// Renews the lease; false once another run has it.
    pub(super) async fn renew(&mut self) -> Result<bool, QueueError> {
        let value = self.place.clone().into();
        match self.store.update(&self.key, value, self.revision).await {
            Ok(revision) => {
                self.revision = revision;
                Ok(true)
            }
            // It expired while the server was away; unless another run was faster, it is ours again.
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => self.create().await,
            Err(error) => Err(QueueError::server("renew the lease", error)),
        }
    }

    /// The fencing number.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Gives the lease back. If that fails it expires.
    pub(super) async fn release(&self) {
        let _ = self
            .store
            .delete_expect_revision(&self.key, Some(self.revision))
            .await;
    }
}

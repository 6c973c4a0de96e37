//! How a mutex is locked: also after a thread has panicked while it held the lock.
//!
//! What stands behind a mutex here is whole between any two statements, so nothing has to be thrown away.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

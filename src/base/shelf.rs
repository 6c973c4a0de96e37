//! What a process that answers more than once keeps at hand between two answers.
//!
//! Each value carries what it depends on, and who takes one from the shelf looks at that first: a value that does not
//! fit stays where it is, and the answer is made from the disk as in any other process. A process with one answer has
//! no shelf, and makes nothing for one. Start with [`Shelf::find`].

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Values = HashMap<TypeId, Vec<Arc<dyn Any + Send + Sync>>>;

/// Values by their types, the newest last; clones are the same shelf. The default keeps nothing.
#[derive(Debug, Clone, Default)]
pub struct Shelf(Option<Arc<Mutex<Values>>>);

impl Shelf {
    /// An empty shelf for a process that answers more than once.
    #[must_use]
    pub fn lasting() -> Self {
        Self(Some(Arc::default()))
    }

    /// True when what is put here can be found again.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.0.is_some()
    }

    /// The newest value of a type that fits.
    pub fn find<T: Any + Send + Sync>(&self, fits: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let values = self.values()?;
        let of_type = values.get(&TypeId::of::<T>())?.iter().rev();
        of_type
            .filter_map(|value| Arc::clone(value).downcast::<T>().ok())
            .find(|value| fits(value))
    }

    /// Puts a value in front of the others of its type; of these, the newest stay, `count_max` with this one.
    pub fn put<T: Any + Send + Sync>(&self, value: Arc<T>, count_max: usize) -> Arc<T> {
        let mut gone = Vec::new();
        if let Some(mut values) = self.values() {
            let of_type = values.entry(TypeId::of::<T>()).or_default();
            of_type.push(Arc::clone(&value) as Arc<dyn Any + Send + Sync>);
            gone.extend(of_type.drain(..of_type.len().saturating_sub(count_max)));
        }
        // Large values are taken apart after the lock is given back.
        drop(gone);
        value
    }

    /// Takes the values of a type off the shelf: before others are made that would need room beside them.
    pub fn clear<T: Any + Send + Sync>(&self) {
        let gone = self
            .values()
            .and_then(|mut values| values.remove(&TypeId::of::<T>()));
        drop(gone);
    }

    fn values(&self) -> Option<MutexGuard<'_, Values>> {
        let values = self.0.as_ref()?;
        Some(values.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_that_fits_is_found() {
        let shelf = Shelf::lasting();
        for number in 1..=4_u32 {
            shelf.put(Arc::new(number), 3);
        }
        shelf.put(Arc::new("another type"), 1);
        assert_eq!(shelf.find(|_: &u32| true).as_deref(), Some(&4));
        assert_eq!(shelf.find(|one: &u32| *one < 4).as_deref(), Some(&3));
        assert_eq!(shelf.find(|one: &u32| *one < 2), None, "three are kept");
        shelf.clone().clear::<u32>();
        assert_eq!(shelf.find(|_: &u32| true), None);
        assert!(shelf.find(|_: &&str| true).is_some());
    }

    #[test]
    fn a_process_with_one_answer_keeps_nothing() {
        let shelf = Shelf::default();
        assert_eq!(*shelf.put(Arc::new(1_u32), 1), 1);
        assert!(!shelf.lasts() && shelf.find(|_: &u32| true).is_none());
    }
}

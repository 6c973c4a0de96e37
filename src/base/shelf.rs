//! What a process that answers more than once keeps at hand between two answers.
//!
//! Each value carries what it depends on, and who takes one from the shelf looks at that first: a value that does not
//! fit stays where it is, and the answer is made from the disk as in any other process. A process with one answer has
//! no shelf, and makes nothing for one. Start with [`Shelf::find`].
//!
//! Where a look at what a value depends on takes long, an answer can be made from the value while another thread looks: a
//! [believing](Shelf::believing) shelf takes [such looks](Shelf::check), and says [at the end](Shelf::stands) whether all was as believed.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use super::locked::locked;

type Values = HashMap<TypeId, Vec<Arc<dyn Any + Send + Sync>>>;

/// Looks that have begun, and may not have ended yet.
type Looks = Mutex<Vec<JoinHandle<bool>>>;

/// Values by their types, the newest last; clones are the same shelf. The default keeps nothing.
#[derive(Debug, Clone, Default)]
pub struct Shelf {
    kept: Option<Arc<Mutex<Values>>>,
    /// Of one answer, where that may be made before it is known whether it holds.
    looks: Option<Arc<Looks>>,
}

impl Shelf {
    /// An empty shelf for a process that answers more than once.
    #[must_use]
    pub fn lasting() -> Self {
        Self {
            kept: Some(Arc::default()),
            looks: None,
        }
    }

    /// The same shelf for one answer that is made before all looks have ended. It must not be given away, nor have any effect,
    /// where the shelf does not [stand](Self::stands).
    #[must_use]
    pub fn believing(&self) -> Self {
        Self {
            looks: Some(Arc::default()),
            ..self.clone()
        }
    }

    /// True for an answer that may have to be made again.
    #[must_use]
    pub fn is_believing(&self) -> bool {
        self.looks.is_some()
    }

    /// Whether what an answer is made from holds: `look` says so, now or, for an answer that is only believed, later.
    pub fn check(&self, look: impl FnOnce() -> bool + Send + 'static) -> bool {
        let Some(looks) = &self.looks else {
            return look();
        };
        let waiting = Arc::new(Mutex::new(Some(look)));
        let given = Arc::clone(&waiting);
        let take = |waiting: &Mutex<Option<_>>| {
            let mut waiting = locked(waiting);
            waiting.take().expect("either thread takes it, once")
        };
        match thread::Builder::new().spawn(move || take(&given)()) {
            Ok(begun) => {
                let mut looks = locked(looks);
                looks.push(begun);
                true
            }
            // Without a further thread this one looks.
            Err(_) => take(&waiting)(),
        }
    }

    /// True when all that was believed was so; waits for the looks that have begun.
    #[must_use]
    pub fn stands(&self) -> bool {
        let begun = self.looks.as_ref().map(|looks| {
            let mut looks = locked(looks);
            std::mem::take(&mut *looks)
        });
        // Each is waited for: none reads on behind an answer.
        let mut stands = true;
        for look in begun.into_iter().flatten() {
            stands &= look.join().unwrap_or(false);
        }
        stands
    }

    /// True when what is put here can be found again.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.kept.is_some()
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
        let values = self.kept.as_ref()?;
        Some(locked(values))
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

    #[test]
    fn a_look_counts_at_once_or_at_the_end_of_the_answer() {
        let shelf = Shelf::lasting();
        assert!(shelf.check(|| true) && !shelf.check(|| false) && shelf.stands());
        shelf.put(Arc::new(1_u32), 1);
        let answer = shelf.believing();
        let (told, wait) = std::sync::mpsc::channel::<()>();
        assert!(answer.check(move || wait.recv().is_ok()) && answer.find(|_: &u32| true).is_some());
        told.send(()).expect("the look waits");
        assert!(answer.stands() && answer.check(|| false) && !answer.stands());
        assert!(answer.stands(), "each look counts once");
        assert!(shelf.believing().stands(), "answers do not share looks");
    }
}

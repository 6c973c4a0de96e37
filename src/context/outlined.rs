//! Outlines of files that were made for a document: each is wanted several times, to see what fits and to be shown.
//!
//! A process that answers more than once keeps them for the next document. An outline is true of its content and of the name that
//! tells the language, so none of these can be outdated. Start with [`Outlined::text`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::base::{NodeId, Shelf, locked};

/// Bytes of outlines and names that are kept; a document of more makes the rest again.
const BYTES_MAX: usize = 4 << 20;

/// Outlines by what they are made from; `None` for a file that has none.
#[derive(Debug, Default)]
pub struct Outlined(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<(NodeId, Vec<u8>), Option<Arc<str>>>,
    bytes: usize,
}

impl Outlined {
    /// Those that this process has made for earlier documents, or none.
    #[must_use]
    pub fn of(shelf: &Shelf) -> Arc<Self> {
        shelf
            .find::<Self>(|known| known.kept().bytes <= BYTES_MAX)
            .unwrap_or_else(|| shelf.put(Arc::default(), 1))
    }

    /// The outline of a content under a file name; `make` makes it where it is not known. A content that could not be read is
    /// read again the next time.
    pub fn text<E>(
        &self,
        id: &NodeId,
        name: &[u8],
        make: impl FnOnce() -> Result<Option<String>, E>,
    ) -> Result<Option<Arc<str>>, E> {
        let key = (*id, name.to_vec());
        if let Some(known) = self.kept().texts.get(&key) {
            return Ok(known.clone());
        }
        // Not under the lock: other threads make others in the meantime.
        let text: Option<Arc<str>> = make()?.map(Arc::from);
        let mut kept = self.kept();
        if kept.bytes <= BYTES_MAX {
            let made = text.as_ref().map_or(0, |text| text.len());
            kept.bytes += size_of_val(&key) + name.len() + made;
            kept.texts.insert(key, text.clone());
        }
        Ok(text)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        locked(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> NodeId {
        digit.to_string().repeat(40).parse().expect("an id")
    }

    #[test]
    fn an_outline_is_made_once_for_each_content_and_name() {
        let (shelf, made) = (Shelf::lasting(), std::cell::Cell::new(0));
        let text = |digit, name: &[u8], text: Option<&str>| {
            let make = || {
                made.set(made.get() + 1);
                Ok::<_, ()>(text.map(str::to_owned))
            };
            Outlined::of(&shelf)
                .text(&id(digit), name, make)
                .expect("made")
        };
        for _ in 0..2 {
            assert_eq!(text('1', b"a.rs", Some("one")).as_deref(), Some("one"));
            assert_eq!(text('1', b"a.py", Some("two")).as_deref(), Some("two"));
            assert_eq!(text('2', b"a.rs", None), None);
        }
        assert_eq!(made.get(), 3);
        let absent = || Outlined::of(&shelf).text(&id('4'), b"a.rs", || Err("absent"));
        assert_eq!((absent(), absent()), (Err("absent"), Err("absent")));
        let long = "x".repeat(BYTES_MAX);
        assert!(text('3', b"a.rs", Some(&long)).is_some());
        assert!(text('1', b"a.rs", Some("one")).is_some());
        assert_eq!(made.get(), 5, "what grew too large is left behind");
    }
}

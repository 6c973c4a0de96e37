//! The words of all contents that this process has seen, by term: a question reads its own terms and no content.
//!
//! It only grows, content by content, so an edit adds one and a commit a few. When most of it is of snapshots that were left
//! behind, it is begun anew.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::files::{Content, Files};
use super::find::{Corpus, FindError};
use crate::base::cores::on_all_cores;
use crate::base::quick_hash::QuickHash;
use crate::base::{NodeId, Shelf};
use crate::find::{Hits, NOWHERE, Postings, Term};
use crate::git::Repository;
use crate::symbol::Language;

/// Contents that are read before they are added: their words wait in memory.
const READ_AT_ONCE: usize = 4_096;
/// Contents of other snapshots that may stand in it, beside as many as the snapshot has.
const LEFT_MAX: usize = 10_000;

/// See the module; shared by threads.
#[derive(Default)]
pub(super) struct Lexicon(RwLock<Known>);

#[derive(Default)]
struct Known {
    numbers: HashMap<(NodeId, Option<Language>), u32, QuickHash>,
    postings: Postings,
}

/// Where the contents of a snapshot stand, by their numbers in a lexicon.
struct Places {
    lexicon: Arc<Lexicon>,
    files: Arc<Files>,
    by_number: Vec<u32>,
}

impl Lexicon {
    /// The one of this process, for a snapshot with this many contents.
    ///
    /// One that is begun anew takes the other's place for those who come later: who holds the old one goes on with it.
    pub(super) fn on(shelf: &Shelf, contents: usize) -> Arc<Self> {
        let fits = |lexicon: &Self| lexicon.read().postings.len() <= 2 * contents + LEFT_MAX;
        shelf
            .find(fits)
            .unwrap_or_else(|| shelf.put(Arc::default(), 1))
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What each content has of some terms; what was not read before is read now. `None` for what this clone does not hold.
    pub(super) fn hits(
        self: &Arc<Self>,
        repo: &Repository,
        corpus: &Corpus,
        terms: &[Term],
        shelf: &Shelf,
    ) -> Result<Vec<Option<Hits>>, FindError> {
        let places = self.places(repo, corpus, shelf)?;
        let known = self.read();
        let count = corpus.files.contents.len();
        Ok(known.postings.hits(terms, &places.by_number, count))
    }

    /// Where each content stands in a snapshot; from the shelf where that is known.
    fn places(
        self: &Arc<Self>,
        repo: &Repository,
        corpus: &Corpus,
        shelf: &Shelf,
    ) -> Result<Arc<Places>, FindError> {
        let fits = |places: &Places| {
            Arc::ptr_eq(&places.lexicon, self) && Arc::ptr_eq(&places.files, &corpus.files)
        };
        if let Some(places) = shelf.find(fits) {
            return Ok(places);
        }
        self.add(repo, corpus)?;
        let known = self.read();
        let contents = &corpus.files.contents;
        let (mut by_number, mut is_whole) = (vec![NOWHERE; known.postings.len()], true);
        for (place, content) in contents.iter().enumerate() {
            match known.numbers.get(&(content.id, content.language)) {
                Some(number) => by_number[*number as usize] = place as u32,
                None => is_whole = false,
            }
        }
        let places = Arc::new(Places {
            lexicon: Arc::clone(self),
            files: Arc::clone(&corpus.files),
            by_number,
        });
        // What is not in this clone may come later.
        if is_whole {
            shelf.put(Arc::clone(&places), 1);
        }
        Ok(places)
    }

    /// Adds the contents of a snapshot that are not in it.
    fn add(&self, repo: &Repository, corpus: &Corpus) -> Result<(), FindError> {
        let contents = &corpus.files.contents;
        let is_new = |known: &Known, content: &Content| {
            !known.numbers.contains_key(&(content.id, content.language))
        };
        let new: Vec<&Content> = {
            let known = self.read();
            let contents = contents.iter();
            contents.filter(|content| is_new(&known, content)).collect()
        };
        for part in new.chunks(READ_AT_ONCE) {
            let work = |repo: &Repository, at: usize| corpus.words_of(repo, part[at]);
            let read = on_all_cores(part.len(), repo, || repo.fork(), work);
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            for (content, words) in part.iter().zip(read) {
                let failed = |source| corpus.files.failed(content, source);
                if let Some(words) = words.map_err(failed)?.filter(|_| is_new(&known, content)) {
                    let number = known.postings.add(&words);
                    known.numbers.insert((content.id, content.language), number);
                }
            }
        }
        if new.len() > READ_AT_ONCE {
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            known.postings.shrink();
        }
        Ok(())
    }
}

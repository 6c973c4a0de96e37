//! The derived index of a store: the head of every slot, every basis that has a frame, every path that is spoken of.
//!
//! Local, deletable at any time, never the truth: each lookup that it answers could be answered from the store's
//! trees, more slowly. It is one file, `index`, made for one commit of the store; what the store has gained since
//! stands in a second, small file (see `news`) until there is enough to write the first anew; what that does not know is found
//! by a tree diff. A foreign file
//! is rebuilt; so is a damaged one, but a large file is checked page by page, where it is read: ask
//! [`is_damaged`](Index::is_damaged) after the lookups and start again with [`Index::rebuild`] if so.
//!
//! Layout, little endian: magic (24) · commit (1 + 32) · slots length u32 · head count u32 · basis count u32 · place count
//! u32 · count of nodes that people speak about u32 · bad entries u32 · slots (`agent type\n`) · head table · basis table · place
//! table · table of those nodes · checksums of pages (see `table`).

use std::collections::{BTreeSet, HashSet};
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::commit::Committed;
use super::entry::{Entry, StoreError, read_entry};
use super::fault::Fault;
use super::listing::{self, Leaf, Listed};
use super::model::{BasisKind, Slot};
use super::news::News;
use super::record::{self, NO_FRAME, Record, WIDTHS, head_key, padded, place_of};
use super::store::Store;
use super::stored::Stored;
use super::table::{self, PageWriter, Pass, Shape, Source};
use crate::base::cores::on_all_cores;
use crate::base::limit::{STORE_ENTRIES_MAX, STORE_FAULTS_MAX};
use crate::base::number::{to_i64, to_index, to_u32};
use crate::base::{BasisId, FrameId, NodeId, TreePath};
use crate::git::{Repository, StateDir};

const MAGIC: &[u8; 24] = b"git-merkle store index 7";
/// The file, and the purpose of the key of its checksums.
const FILE_NAME: &str = "index";
const KEY_CONTEXT: &str = "git-merkle 2026 index page/2";
/// Far more than a store of ten million frames needs; a larger file is no index.
const FILE_BYTES_MAX: u64 = 4 << 30;
const HEADER_BYTES: usize = 24 + 33 + 6 * 4;
/// From this many news on the file is written anew: see [`Index::news_max`].
const NEWS_MIN: usize = 128;
const NEWS_MAX: usize = 2_048;
/// More entries than this are read on all cores.
const READ_ALONE_MAX: usize = 128;
/// Entries that are read at once, and those that the last directory of them has more.
const ENTRIES_AT_ONCE: usize = 8_192;
/// One lookup reads and checks two pages; a read of the whole file takes this many bytes in that time.
const LOOKUP_BYTES: u64 = 16 << 10;
/// The largest file that is read as a whole beside a walk that may turn out short.
const BESIDE_BYTES_MAX: u64 = 64 << 20;

/// Heads and bases of a store, from a file and what has come since.
pub struct Index {
    cache: StateDir,
    base: Option<Base>,
    slots: Vec<Slot>,
    news: News,
    commit: Option<NodeId>,
    /// Entries of the store that are no frames.
    faults: u32,
    is_damaged: AtomicBool,
}

struct Base {
    commit: NodeId,
    source: Source,
    heads: Shape,
    bases: Shape,
    places: Shape,
    said: Shape,
}

impl Index {
    /// Opens the index of a store from the directory of derived data, bringing it forward or building it.
    pub fn open(store: &Store<'_>, cache: &StateDir) -> Result<Self, StoreError> {
        let mut index = Self::load(cache).unwrap_or_else(|_| Self::empty(cache));
        index.read_news();
        let is_current = index.commit == store.commit();
        let is_whole = is_current || index.advance(store)? || {
            // The news may be of a newer commit than this store is at.
            index = Self::load(cache).unwrap_or_else(|_| Self::empty(cache));
            index.commit == store.commit() || index.advance(store)?
        };
        if !is_whole || index.is_damaged() {
            return Self::rebuild(store, cache);
        }
        if !is_current {
            index.save();
        }
        Ok(index)
    }

    /// Builds the index from the store alone.
    pub fn rebuild(store: &Store<'_>, cache: &StateDir) -> Result<Self, StoreError> {
        let mut index = Self::empty(cache);
        index.advance(store)?;
        index.save();
        Ok(index)
    }

    fn empty(cache: &StateDir) -> Self {
        let cache = cache.clone();
        let (slots, news, is_damaged) = (Vec::new(), News::default(), AtomicBool::new(false));
        Self {
            cache,
            base: None,
            slots,
            news,
            commit: None,
            faults: 0,
            is_damaged,
        }
    }

    /// How many entries of the store are no frames; `validate` names them.
    #[must_use]
    pub fn faults(&self) -> u32 {
        self.faults
    }

    /// True when the file turned out to be damaged: what was looked up may be incomplete.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Notes a failure to read the file.
    fn noted<T>(&self, read: io::Result<T>) -> Option<T> {
        read.inspect_err(|_| self.is_damaged.store(true, Ordering::Relaxed))
            .ok()
    }

    /// Reads the whole file into memory where that is less work than this many lookups.
    pub fn prepare(&mut self, lookups: usize) {
        let Some(Base {
            source: source @ Source::File(..),
            ..
        }) = &self.base
        else {
            return;
        };
        if (lookups as u64).saturating_mul(LOOKUP_BYTES) >= source.len() {
            self.read_whole();
        }
    }

    /// Reads the file into memory before it is known how many lookups there are, unless it is large: for a core that
    /// has nothing else to do.
    pub fn prepare_beside(&mut self) {
        let is_small = |base: &Base| base.source.len() <= BESIDE_BYTES_MAX;
        if self.base.as_ref().is_some_and(is_small) {
            self.read_whole();
        }
    }

    fn read_whole(&mut self) {
        let Some(Base {
            source: source @ Source::File(..),
            ..
        }) = &self.base
        else {
            return;
        };
        let bytes = self
            .noted(source.read(0, to_index(source.len())))
            .map(std::borrow::Cow::into_owned);
        if let (Some(base), Some(bytes)) = (&mut self.base, bytes) {
            base.source = Source::Memory(bytes);
        }
    }

    /// The commit that the index is of.
    #[must_use]
    pub fn commit(&self) -> Option<NodeId> {
        self.commit
    }

    /// The number by which [`find_head`](Self::find_head) knows a slot; `None` when the store has no such frames.
    #[must_use]
    pub fn slot(&self, slot: &Slot) -> Option<u16> {
        self.slots
            .iter()
            .position(|known| known == slot)
            .and_then(|at| u16::try_from(at).ok())
    }

    /// All slots that the store has frames of.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The head of a slot of a node.
    #[must_use]
    pub fn find_head(&self, node: &NodeId, slot: u16) -> Option<Record> {
        self.find_record(node, slot).filter(|record| record.seq > 0)
    }

    fn find_record(&self, node: &NodeId, slot: u16) -> Option<Record> {
        self.news.heads.get(&(*node, slot)).copied().or_else(|| {
            let (base, mut head) = (self.base.as_ref()?, None);
            let key = head_key(node, slot);
            self.noted(base.heads.find(&base.source, &key, |record| {
                head = head.or_else(|| record::decode_head(record));
            }))?;
            head
        })
    }

    /// A frame that was made from this basis, whatever its node: its id and blob. The largest id where there are more.
    #[must_use]
    pub fn find_basis(&self, basis: &BasisId) -> Option<(FrameId, NodeId)> {
        let stored = self.base.as_ref().and_then(|base| {
            let mut largest = None;
            self.noted(base.bases.find(&base.source, &basis.0.0, |record| {
                largest = largest.max(record::decode_basis(record));
            }))?;
            largest
        });
        self.news.bases.get(basis).copied().max(stored)
    }

    /// True when a slot has spoken about something at a path: what stands there now, or what stood there before.
    ///
    /// Known by the path that each frame names, so a file that was renamed since is not found under its new path.
    #[must_use]
    pub fn speaks_of(&self, slot: u16, path: &TreePath) -> bool {
        let Some(Slot { agent, frame_type }) = self.slots.get(usize::from(slot)) else {
            return false;
        };
        let place = place_of(agent, frame_type, path);
        if self.news.places.contains(&place) {
            return true;
        }
        let Some(base) = &self.base else { return false };
        let mut is_there = false;
        self.noted(base.places.find(&base.source, &place, |_| is_there = true))
            .is_some()
            && is_there
    }

    /// Every node that a person has said something about, or has ended something at, in order.
    #[must_use]
    pub fn said_by_people(&self) -> BTreeSet<NodeId> {
        let mut nodes: BTreeSet<NodeId> = self.news.said.iter().copied().collect();
        if let Some(base) = &self.base {
            let mut pass = |said: &[u8]| {
                nodes.extend(record::unpadded(said));
                Ok(())
            };
            let visited = base.said.visit(&base.source, &mut pass);
            self.noted(visited);
        }
        nodes
    }

    /// How many nodes have a head in a slot.
    #[must_use]
    pub fn count_heads(&self, slot: u16) -> u64 {
        let mut count = 0;
        self.any_head(slot, &mut |_| {
            count += 1;
            false
        });
        count
    }

    /// True when a slot has a head that remembers its policy: frames of its type are synthesized.
    #[must_use]
    pub fn is_synthesized(&self, slot: u16) -> bool {
        self.any_head(slot, &mut |head| head.has_policy)
    }

    /// Whether a head of a slot is such a one; looks at all of them.
    fn any_head(&self, slot: u16, is_such: &mut dyn FnMut(&Record) -> bool) -> bool {
        if self
            .news
            .heads
            .iter()
            .any(|((_, number), head)| *number == slot && head.seq > 0 && is_such(head))
        {
            return true;
        }
        let Some(base) = &self.base else {
            return false;
        };
        let id_len = base.commit.as_bytes().len();
        let mut is_such = |bytes: &[u8]| {
            bytes[32..34] == slot.to_le_bytes()
                && !self.is_replaced(bytes, id_len)
                && record::decode_head(bytes).is_some_and(|head| head.seq > 0 && is_such(&head))
        };
        let is_there = base.heads.any(&base.source, &mut is_such);
        self.noted(is_there).unwrap_or(false)
    }

    /// Adds a frame that has been stored.
    pub fn add(&mut self, stored: &Stored) {
        let name = &stored.name;
        // Only a hostile store has more slots than numbers; their frames stay in it and are in no index.
        let Some(slot) = self.slot_number(&Slot::new(&name.agent, &name.frame_type)) else {
            return;
        };
        let key = (name.node, slot);
        let is_end = stored.basis_kind == BasisKind::Invalidation;
        if is_end || stored.basis_kind == BasisKind::Written {
            self.news.said.insert(name.node);
        }
        let known = self.find_record(&name.node, slot);
        let mut invalidation = known.and_then(|record| record.invalidation);
        if is_end {
            invalidation = invalidation.max(Some((name.seq, name.frame)));
            let absent = Record {
                seq: 0,
                frame: NO_FRAME,
                ..stored.record(None)
            };
            let head = Record {
                invalidation,
                ..known.unwrap_or(absent)
            };
            self.news.heads.insert(key, head);
            return;
        }
        self.news.places.extend(stored.place);
        let newest = (name.frame, stored.blob);
        let of_basis = self.news.bases.entry(stored.basis).or_insert(newest);
        *of_basis = (*of_basis).max(newest);
        if known.is_some_and(|record| (record.seq, record.frame) > (name.seq, name.frame)) {
            return;
        }
        self.news.heads.insert(key, stored.record(invalidation));
    }

    /// Follows a commit of frames. One that was put on top of something else is caught up with at the next opening.
    pub fn follow(&mut self, committed: &Committed) {
        if committed.parent == self.commit {
            committed.frames.iter().for_each(|stored| self.add(stored));
            self.commit = committed.commit;
            self.save();
        }
    }

    fn slot_number(&mut self, slot: &Slot) -> Option<u16> {
        self.slot(slot).or_else(|| {
            let number = u16::try_from(self.slots.len()).ok()?;
            self.slots.push(slot.clone());
            Some(number)
        })
    }

    /// Adds what the store has gained since; false when it has lost something, so that a rebuild is needed.
    fn advance(&mut self, store: &Store<'_>) -> Result<bool, StoreError> {
        let repo = store.repository();
        let old = match self.commit {
            None => None,
            Some(commit) => match repo.tree_of(&commit) {
                Ok(tree) => Some(tree),
                Err(_) => return Ok(false),
            },
        };
        let changes = listing::changes(repo, old, store.tree())?;
        let (mut faults, mut reads_in_vain, mut entries) = (to_i64(changes.bad.len()), 0, 0);
        let (mut leaves, mut added) = (changes.leaves.into_iter().peekable(), Vec::new());
        while let Some(leaf) = leaves.next() {
            let Gained { new, more_faults } = gained(repo, leaf)?;
            let Some(new) = new else { return Ok(false) };
            entries += new.len() as u64;
            faults += more_faults;
            added.extend(new);
            if entries > STORE_ENTRIES_MAX {
                return Err(StoreError::Entries);
            }
            if added.len() < ENTRIES_AT_ONCE && leaves.peek().is_some() {
                continue;
            }
            for stored in read_all(repo, &std::mem::take(&mut added)) {
                match stored {
                    Ok(stored) => self.add(&stored),
                    Err(fault) if fault.is_lasting() => reads_in_vain += 1,
                    Err(_) => {}
                }
            }
            if reads_in_vain > STORE_FAULTS_MAX {
                return Err(StoreError::Faults);
            }
        }
        let faults = i64::from(self.faults) + faults + to_i64(reads_in_vain);
        self.faults = u32::try_from(faults.max(0)).unwrap_or(u32::MAX);
        self.commit = store.commit();
        Ok(true)
    }

    /// Keeps what is new: in the file of news, or by writing the index anew when there is much of it.
    ///
    /// Derived data: a read-only or full disk only costs the time of finding it again.
    fn save(&mut self) {
        let Some(commit) = self.commit else { return };
        match &self.base {
            Some(base) if self.news.len() <= self.news_max() => {
                let _ = self.news.write(
                    &self.cache,
                    [&base.commit, &commit],
                    &self.slots,
                    self.faults,
                );
            }
            _ => match self.write_anew(&commit) {
                Ok(()) => {
                    if let Ok(saved) = Self::load(&self.cache) {
                        *self = saved;
                    }
                }
                // The next to open it builds it again.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    drop(self.cache.remove(FILE_NAME));
                }
                Err(_) => {}
            },
        }
    }

    /// Between writing a file of `n` heads now and then and taking `k` news along each time, `k ~ √n` costs least.
    fn news_max(&self) -> usize {
        let heads = self
            .base
            .as_ref()
            .map_or(0, |base| base.heads.count as usize);
        (3 * heads.isqrt()).clamp(NEWS_MIN, NEWS_MAX)
    }

    fn load(cache: &StateDir) -> io::Result<Self> {
        let source = Source::open(
            cache.open(FILE_NAME, FILE_BYTES_MAX)?,
            cache.key(KEY_CONTEXT),
        )?;
        let header = source.read(0, HEADER_BYTES)?;
        let number = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let (slots_len, counts) = (
            number(57) as usize,
            [number(61), number(65), number(69), number(73)],
        );
        let faults = number(77);
        if header[..24] != *MAGIC {
            return Err(damaged());
        }
        let slots = source.read(HEADER_BYTES as u64, slots_len)?;
        let commit = NodeId::from_bytes(&header[25..25 + usize::from(header[24]).min(32)])
            .ok_or_else(damaged)?;
        let [heads, bases, places, said] = shapes(slots_len, counts);
        let slots = record::parse_slots(&slots)
            .filter(|_| said.end() == source.len())
            .ok_or_else(damaged)?;
        let mut index = Self::empty(cache);
        (index.slots, index.commit, index.faults) = (slots, Some(commit), faults);
        index.base = Some(Base {
            commit,
            source,
            heads,
            bases,
            places,
            said,
        });
        Ok(index)
    }

    /// Takes in the file of news, where there is one for this index.
    fn read_news(&mut self) {
        let found = self
            .base
            .as_ref()
            .and_then(|base| News::read(&self.cache, &base.commit, &self.slots));
        if let Some(found) = found {
            (self.slots, self.commit, self.news, self.faults) =
                (found.slots, Some(found.commit), found.news, found.faults);
        }
    }

    /// Writes base and news as one file, by rename; readers see the old one or the new one.
    ///
    /// Both are in order, so they are merged as they are written: in a large store the tables are tens of megabytes.
    fn write_anew(&self, commit: &NodeId) -> io::Result<()> {
        let mut counts = self.news.counts().map(to_u32);
        if self.base.is_some() {
            for (table, count) in counts.iter_mut().enumerate() {
                *count = 0;
                let news = self.news.encode(table);
                self.merged(table, &sorted(&news, table), &mut |_| {
                    *count += 1;
                    Ok(())
                })?;
            }
        }
        let slots = record::encode_slots(&self.slots);
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&padded(commit));
        for number in [to_u32(slots.len())]
            .into_iter()
            .chain(counts)
            .chain([self.faults])
        {
            header.extend_from_slice(&number.to_le_bytes());
        }
        let key = self.cache.key(KEY_CONTEXT);
        self.cache.replace(FILE_NAME, |file| {
            let mut out = PageWriter::new(BufWriter::with_capacity(1 << 16, file), key);
            out.write_all(&header)?;
            out.write_all(slots.as_bytes())?;
            for (table, shape) in shapes(slots.len(), counts).into_iter().enumerate() {
                let news = self.news.encode(table);
                let news = sorted(&news, table);
                table::write(&mut out, shape, &|pass| self.merged(table, &news, pass))?;
            }
            out.finish()
        })
    }

    /// Passes on what the file has in one of its tables, without heads that the news replace, and sorted news among them; of
    /// equal records one.
    fn merged(&self, table: usize, news: &[&[u8]], pass: &mut Pass<'_>) -> io::Result<()> {
        let mut news = news.iter().copied().peekable();
        if let Some(base) = &self.base {
            let id_len = base.commit.as_bytes().len();
            let shape = [base.heads, base.bases, base.places, base.said][table];
            shape.visit(&base.source, &mut |known| {
                while let Some(new) = news.next_if(|new| *new < known) {
                    pass(new)?;
                }
                if table > 0 || !self.is_replaced(known, id_len) {
                    let _ = news.next_if(|new| *new == known);
                    pass(known)?;
                }
                Ok(())
            })?;
        }
        news.try_for_each(pass)
    }

    fn is_replaced(&self, record: &[u8], id_len: usize) -> bool {
        record::head_of(record, id_len).is_some_and(|key| self.news.heads.contains_key(&key))
    }
}

/// What a directory of frames has gained.
struct Gained {
    /// `None` when it has lost something.
    new: Option<Vec<Entry>>,
    /// Entries whose names say that they are no frames: how many more there are.
    more_faults: i64,
}

fn gained(repo: &Repository, leaf: Leaf) -> Result<Gained, StoreError> {
    let listed = |tree: Option<NodeId>| {
        tree.map_or(Ok(Listed::default()), |tree| {
            listing::list(repo, leaf.place, &tree, None)
        })
    };
    let (before, mut now) = (listed(leaf.old)?, listed(leaf.new)?);
    let more_faults = to_i64(now.bad.len()) - to_i64(before.bad.len());
    if before.entries.is_empty() {
        return Ok(Gained {
            new: Some(now.entries),
            more_faults,
        });
    }
    let known: HashSet<(String, NodeId)> = before
        .entries
        .iter()
        .map(|entry| (entry.name.leaf(), entry.blob))
        .collect();
    let count = now.entries.len();
    now.entries
        .retain(|entry| !known.contains(&(entry.name.leaf(), entry.blob)));
    let is_whole = count - now.entries.len() == known.len();
    Ok(Gained {
        new: is_whole.then_some(now.entries),
        more_faults,
    })
}

/// Reads entries on all cores.
fn read_all(repo: &Repository, entries: &[Entry]) -> Vec<Result<Stored, Fault>> {
    let read = |repo: &Repository, entry: &Entry| {
        read_entry(repo, entry).map(|frame| Stored::of(&frame, entry.blob))
    };
    if entries.len() <= READ_ALONE_MAX {
        return entries.iter().map(|entry| read(repo, entry)).collect();
    }
    on_all_cores(
        entries.len(),
        repo,
        || repo.fork(),
        |repo, at| read(repo, &entries[at]),
    )
}

/// Where the tables stand, one behind the other, after the slots.
fn shapes(slots_len: usize, counts: [u32; 4]) -> [Shape; 4] {
    let mut at = (HEADER_BYTES + slots_len) as u64;
    std::array::from_fn(|number| {
        let shape = Shape {
            at,
            count: counts[number],
            width: WIDTHS[number],
        };
        at = shape.end();
        shape
    })
}

/// The records of a table, in order.
fn sorted(records: &[u8], table: usize) -> Vec<&[u8]> {
    let mut parts: Vec<&[u8]> = records.chunks_exact(WIDTHS[table] as usize).collect();
    parts.sort_unstable();
    parts
}

//! Gives back what was mapped of packs, so that resident memory does not grow with the bytes of a repository.
//!
//! gix maps a pack whole, and each page that was read stays with the process until the kernel needs it elsewhere: a run over
//! 100,000 files holds the whole pack in the end. There is no way to unmap a part, but a store that is opened anew has
//! nothing mapped yet. So all handles of a repository read through one store at a time. After [`READS_BETWEEN`] reads the first
//! one is left. When the process has more pages of files than [`WINDOW_BYTES`] above the least that it had with this store, the
//! next reader opens another one, the others follow with their next read, and the last to leave unmaps the old one. Short commands
//! never get there.
//!
//! Linux says how many pages there are; elsewhere the first store stays.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use gix::OdbHandle;

use crate::base::locked;

/// How much may be mapped and read with one store.
const WINDOW_BYTES: u64 = 16 * 1024 * 1024;
/// Reads of a handle between two questions about pages: each read may bring sixteen of them, an answer takes as long as one read.
const READS_BETWEEN: u32 = 64;

/// Most bytes of seven numbers of pages.
const STATM_BYTES_MAX: usize = 160;

/// What the handles of a repository have in common.
struct Shared {
    /// Number of the current store; 0 is the one that the repository was opened with.
    number: AtomicU32,
    current: Mutex<Option<OdbHandle>>,
    /// The least pages of files that the process had since the current store was opened, in bytes.
    least_bytes: AtomicU64,
}

/// A handle's place in the shared row of stores.
pub(super) struct Window {
    shared: Arc<Shared>,
    store: RefCell<(u32, Option<OdbHandle>)>,
    reads: Cell<u32>,
}

impl Window {
    /// The first of a repository's.
    pub(super) fn new() -> Self {
        Self::of(Arc::new(Shared {
            number: AtomicU32::new(0),
            current: Mutex::new(None),
            least_bytes: AtomicU64::new(u64::MAX),
        }))
    }

    fn of(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            store: RefCell::default(),
            reads: Cell::new(0),
        }
    }

    /// Another handle's, for another thread.
    pub(super) fn fork(&self) -> Self {
        Self::of(Arc::clone(&self.shared))
    }

    /// Hands over the store to read from; `None` for the one that the repository was opened with.
    ///
    /// Where `open` gives none, the current one stays.
    pub(super) fn with<R>(
        &self,
        open: impl FnOnce() -> Option<OdbHandle>,
        read: impl FnOnce(Option<&OdbHandle>) -> R,
    ) -> R {
        self.reads.set(self.reads.get() + 1);
        if self.reads.get().is_multiple_of(READS_BETWEEN)
            && let Some(bytes) = file_pages_bytes()
        {
            self.move_on(bytes, open);
        }
        self.follow();
        read(self.store.borrow().1.as_ref())
    }

    /// Opens the next store if the process has too many pages of files.
    fn move_on(&self, bytes: u64, open: impl FnOnce() -> Option<OdbHandle>) {
        let before = self.shared.least_bytes.fetch_min(bytes, Ordering::Relaxed);
        let least_bytes = before.min(bytes);
        // The store that the repository was opened with is never closed, so a process that reads much soon leaves it.
        let is_first = self.shared.number.load(Ordering::Relaxed) == 0;
        if !is_first && bytes <= least_bytes.saturating_add(WINDOW_BYTES) {
            return;
        }
        let current = self.current();
        // Another thread may have been quicker.
        if self.shared.least_bytes.load(Ordering::Relaxed) == least_bytes {
            self.replace(current, open);
        }
    }

    /// Leaves the store that was read from, so that nothing of packs is mapped until the next read; the first one stays.
    pub(super) fn leave(&self, open: impl FnOnce() -> Option<OdbHandle>) {
        if self.shared.number.load(Ordering::Relaxed) > 0 {
            self.replace(self.current(), open);
            self.follow();
        }
    }

    fn replace(
        &self,
        mut current: MutexGuard<'_, Option<OdbHandle>>,
        open: impl FnOnce() -> Option<OdbHandle>,
    ) {
        if let Some(next) = open() {
            *current = Some(next);
            self.shared.least_bytes.store(u64::MAX, Ordering::Relaxed);
            self.shared.number.fetch_add(1, Ordering::Release);
        }
    }

    /// Takes the current store, and leaves the one before.
    fn follow(&self) {
        let number = self.shared.number.load(Ordering::Acquire);
        if self.store.borrow().0 != number {
            let next = self.current().clone();
            *self.store.borrow_mut() = (number, next);
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<OdbHandle>> {
        locked(&self.shared.current)
    }
}

/// How many bytes of files the process has mapped and in memory, its own program included.
fn file_pages_bytes() -> Option<u64> {
    // Every handle reads it once in READS_BETWEEN reads, so the process keeps the file open.
    static COUNTS: OnceLock<File> = OnceLock::new();
    if !cfg!(target_os = "linux") {
        return None;
    }
    // The third number of `statm` counts them in pages. `status` has the same in a line among sixty that the kernel makes.
    let mut counts = [0; STATM_BYTES_MAX];
    let file = match COUNTS.get() {
        Some(file) => file,
        None => {
            let file = File::open("/proc/self/statm").ok()?;
            COUNTS.get_or_init(|| file)
        }
    };
    let length = rustix::io::pread(file, &mut counts, 0).ok()?;
    let counts = std::str::from_utf8(&counts[..length]).ok()?;
    let pages: u64 = counts.split(' ').nth(2)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::Fixture;
    use super::super::object::ObjectKind;
    use super::super::repo::Repository;
    use super::*;
    use crate::base::NodeId;

    /// Asks a handle's window to move on, as if the process had these pages of files.
    fn move_on(repo: &Repository, bytes: u64) -> u32 {
        let hash = repo.hash_kind().to_gix();
        let open = || super::super::repo::open_objects(&repo.objects_dir, hash).ok();
        repo.window.move_on(bytes, open);
        repo.window.shared.number.load(Ordering::Acquire)
    }

    /// One thing that happens to a repository that is being read.
    #[derive(Debug, Clone)]
    enum Step {
        Read { handle: usize, blob: usize },
        MoveOn { handle: usize, bytes: u64 },
        Leave { handle: usize },
        Fork,
        Add,
        Repack(&'static [&'static str]),
    }

    fn step() -> impl Strategy<Value = Step> {
        const REPACKS: [&[&str]; 3] = [&["repack", "-dq"], &["repack", "-adfq"], &["gc", "-q"]];
        prop_oneof![
            12 => (any::<usize>(), any::<usize>()).prop_map(|(handle, blob)| Step::Read { handle, blob }),
            6 => (any::<usize>(), 0..3 * WINDOW_BYTES).prop_map(|(handle, bytes)| Step::MoveOn { handle, bytes }),
            1 => any::<usize>().prop_map(|handle| Step::Leave { handle }),
            1 => Just(Step::Fork),
            1 => Just(Step::Add),
            1 => proptest::sample::select(&REPACKS[..]).prop_map(Step::Repack),
        ]
    }

    /// A repository with a commit for each text, so that a pack of all has long chains of deltas.
    struct Texts {
        fixture: Fixture,
        texts: Vec<(NodeId, Vec<u8>)>,
    }

    impl Texts {
        fn add(&mut self) {
            let number = self.texts.len();
            let lines = (0..40 + 7 * number).map(|line| format!("line {line} of many\n"));
            let text = lines.collect::<String>() + &format!("version {number}\n");
            self.fixture.file("text", &text);
            self.fixture.commit("another");
            self.texts
                .push((self.fixture.id("HEAD:text"), text.into_bytes()));
        }

        fn check(&self, repo: &Repository, at: usize) {
            let ((id, text), mut data) = (&self.texts[at % self.texts.len()], Vec::new());
            repo.read(id, ObjectKind::Blob, &mut data).expect("a blob");
            assert!(data == *text, "{id}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Whatever store a handle reads through, and whatever git does to the packs meanwhile, it reads the same bytes.
        #[test]
        fn stores_that_change_read_the_same(
            steps in proptest::collection::vec(step(), 1..60),
            is_sha256 in any::<bool>(),
        ) {
            let [sha1, sha256] = Fixture::both();
            let fixture = if is_sha256 { sha256 } else { sha1 };
            let mut texts = Texts { fixture, texts: Vec::new() };
            (0..12).for_each(|_| texts.add());
            texts.fixture.git(&["repack", "-adfq"]);
            let mut handles = vec![texts.fixture.open()];
            for step in steps {
                let count = handles.len();
                match step {
                    Step::Read { handle, blob } => texts.check(&handles[handle % count], blob),
                    Step::MoveOn { handle, bytes } => drop(move_on(&handles[handle % count], bytes)),
                    Step::Leave { handle } => handles[handle % count].leave_packs(),
                    Step::Fork => handles.push(handles[0].fork()),
                    Step::Add => texts.add(),
                    Step::Repack(arguments) => drop(texts.fixture.git(arguments)),
                }
            }
            // The same on threads, each of which moves the others on.
            let forks: Vec<Repository> = (0..3).map(|_| handles[0].fork()).collect();
            let texts = &texts;
            std::thread::scope(|scope| {
                for repo in forks {
                    scope.spawn(move || {
                        for at in 0..4 * texts.texts.len() {
                            texts.check(&repo, at);
                            move_on(&repo, (at as u64 % 4) * WINDOW_BYTES);
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn all_handles_move_on_to_a_store_that_has_nothing_mapped() {
        for fixture in Fixture::both() {
            let blob = fixture.git(&["hash-object", "-w", "--stdin"]);
            fixture.git(&["repack", "-adq"]);
            let (repo, id) = (fixture.open(), blob.parse().expect("an object id"));
            let other = repo.fork();
            let empty_tree = gix::ObjectId::empty_tree(repo.hash_kind().to_gix());
            let empty_tree = super::super::object::from_oid(&empty_tree);
            let move_on = |bytes| move_on(&repo, bytes);
            assert_eq!(move_on(100), 1, "the first store is left in any case");
            assert_eq!(move_on(100), 1, "nothing is known of the next one yet");
            assert_eq!(move_on(100 + WINDOW_BYTES), 1);
            assert_eq!(move_on(101 + WINDOW_BYTES), 2);
            assert_eq!(
                move_on(101 + WINDOW_BYTES),
                2,
                "the others have not left yet"
            );
            assert_eq!(move_on(100), 2);
            assert_eq!(move_on(101 + WINDOW_BYTES), 3);
            for handle in [&repo, &other, &repo.fork()] {
                let mut data = Vec::new();
                handle
                    .read(&id, ObjectKind::Blob, &mut data)
                    .expect("a blob");
                let read = handle.read(&empty_tree, ObjectKind::Tree, &mut data);
                read.expect("the empty tree is always there");
                assert_eq!(handle.window.store.borrow().0, 3);
            }
        }
    }

    #[test]
    fn linux_tells_how_many_pages_of_files_there_are() {
        let bytes = file_pages_bytes();
        assert_eq!(bytes.is_some(), cfg!(target_os = "linux"));
        assert!(bytes.is_none_or(|bytes| bytes > 1024 * 1024), "{bytes:?}");
    }
}

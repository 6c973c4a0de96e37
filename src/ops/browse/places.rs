//! Every path of a snapshot that gets a page: directories before what is in them, with their addresses.

use crate::base::TreePath;
use crate::base::number::{IndexVec, define_index_type, to_u32};
use crate::node::{NodeNumber, Scan};
use crate::site::address;

define_index_type! {
    /// The number of a path among all that get a page.
    pub(super) struct SpotNumber = u32;
}

/// The root's number.
pub(super) const ROOT: SpotNumber = SpotNumber::from_raw(0);

/// A path: an object that stands at several has a page for each.
pub(super) struct Spot {
    /// Its node in the scan.
    pub(super) node: NodeNumber,
    /// The directory that it stands in; the root stands in itself.
    pub(super) parent: SpotNumber,
    /// Of a directory: its children, which stand side by side.
    first: u32,
    count: u32,
    name: Box<[u8]>,
    /// What stands for the name in addresses; of a directory the folder of its page.
    coded: Box<str>,
}

/// All paths, level by level.
pub(super) struct Spots<'s> {
    pub(super) scan: &'s Scan,
    all: IndexVec<SpotNumber, Spot>,
    /// Where each level begins.
    levels: Vec<usize>,
}

impl<'s> Spots<'s> {
    /// The paths of a scan; `None` where there are more than `count_max`.
    pub(super) fn of(scan: &'s Scan, count_max: u64) -> Option<Self> {
        if count(scan) > count_max {
            return None;
        }
        let root = Spot {
            node: scan.root(),
            parent: ROOT,
            first: 0,
            count: 0,
            name: Box::default(),
            coded: Box::default(),
        };
        let mut spots = Self {
            scan,
            all: vec![root].into(),
            levels: Vec::new(),
        };
        let mut start = 0;
        while start < spots.all.len() {
            spots.levels.push(start);
            let end = spots.all.len();
            for at in start..end {
                spots.enter(SpotNumber::new(at));
            }
            start = end;
        }
        Some(spots)
    }

    fn enter(&mut self, at: SpotNumber) {
        let node = self.all[at].node;
        if !self.scan.node(node).is_directory {
            return;
        }
        let scan = self.scan;
        let entries = || {
            scan.entries(node)
                .filter_map(|entry| Some((entry.name, entry.node?)))
        };
        let is_directory = |node: NodeNumber| scan.node(node).is_directory;
        let named: Vec<_> = entries()
            .map(|(name, node)| (name, is_directory(node)))
            .collect();
        let names = address::names(named.into_iter());
        self.all[at].first = to_u32(self.all.len());
        self.all[at].count = to_u32(names.len());
        let path = self.path(at);
        for ((name, node), coded) in entries().zip(names) {
            let coded = if is_directory(node) {
                address::folder(&self.all[at].coded, &coded, path.join(name).as_bytes())
            } else {
                coded
            };
            self.all.push(Spot {
                node,
                parent: at,
                first: 0,
                count: 0,
                name: name.into(),
                coded: coded.into(),
            });
        }
    }

    /// The numbers of all paths, directories before what is in them.
    pub(super) fn numbers(&self) -> impl DoubleEndedIterator<Item = SpotNumber> + use<> {
        self.all.indices()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn spot(&self, number: SpotNumber) -> &Spot {
        &self.all[number]
    }

    pub(super) fn is_directory(&self, number: SpotNumber) -> bool {
        self.scan.node(self.spot(number).node).is_directory
    }

    /// The paths in a directory, in git's order.
    pub(super) fn children(&self, number: SpotNumber) -> impl Iterator<Item = SpotNumber> + use<> {
        let spot = self.spot(number);
        (spot.first..spot.first + spot.count).map(SpotNumber::from_raw)
    }

    /// The numbers of each level, the deepest first.
    pub(super) fn levels_up(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let ends = self.levels.iter().skip(1).copied();
        let ends = ends.chain([self.all.len()]);
        let levels: Vec<_> = self.levels.iter().copied().zip(ends).collect();
        levels.into_iter().rev().map(|(start, end)| start..end)
    }

    pub(super) fn name(&self, number: SpotNumber) -> &[u8] {
        &self.spot(number).name
    }

    /// The name for people, with a slash behind a directory's.
    pub(super) fn label(&self, number: SpotNumber) -> String {
        let slash = if self.is_directory(number) { "/" } else { "" };
        String::from_utf8_lossy(self.name(number)).into_owned() + slash
    }

    pub(super) fn path(&self, mut number: SpotNumber) -> TreePath {
        let mut names = Vec::new();
        while number != ROOT {
            names.push(self.name(number));
            number = self.spot(number).parent;
        }
        names
            .iter()
            .rev()
            .fold(TreePath::root(), |path, name| path.join(name))
    }

    /// The page's address.
    pub(super) fn address(&self, number: SpotNumber) -> String {
        let spot = self.spot(number);
        if self.is_directory(number) {
            address::directory(&spot.coded)
        } else {
            address::file(&self.spot(spot.parent).coded, &spot.coded)
        }
    }

    /// What stands at a path below a directory; `..` leads up, and never out.
    pub(super) fn find(&self, mut at: SpotNumber, path: &str) -> Option<SpotNumber> {
        for name in path.split('/') {
            at = match name {
                "" | "." => at,
                ".." if at == ROOT => return None,
                ".." => self.spot(at).parent,
                name => {
                    let is_it = |child: &SpotNumber| self.name(*child) == name.as_bytes();
                    self.children(at).find(is_it)?
                }
            };
        }
        Some(at)
    }
}

/// At how many paths files and directories stand; ten objects can stand at 10^10.
fn count(scan: &Scan) -> u64 {
    let mut counts = scan.list_of(1_u64);
    for &number in scan.bottom_up() {
        let below = scan.children(number);
        let below = below.map(|child| counts[child]);
        counts[number] = below.fold(1, u64::saturating_add);
    }
    counts[scan.root()]
}

//! Every path of a snapshot that gets a page: directories before what is in them, with their addresses.

use crate::base::TreePath;
use crate::base::number::to_u32;
use crate::node::Scan;
use crate::site::address;

/// The root's number.
pub(super) const ROOT: u32 = 0;

/// A path: an object that stands at several has a page for each.
pub(super) struct Spot {
    /// Its node in the scan.
    pub(super) node: u32,
    /// The directory that it stands in; the root stands in itself.
    pub(super) parent: u32,
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
    all: Vec<Spot>,
    /// Where each level begins.
    levels: Vec<u32>,
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
            all: vec![root],
            levels: Vec::new(),
        };
        let mut start = 0;
        while start < spots.all.len() {
            spots.levels.push(to_u32(start));
            let end = spots.all.len();
            for at in start..end {
                spots.enter(at);
            }
            start = end;
        }
        Some(spots)
    }

    fn enter(&mut self, at: usize) {
        let node = self.all[at].node;
        if !self.scan.node(node).is_directory {
            return;
        }
        let scan = self.scan;
        let entries = || {
            scan.entries(node)
                .filter_map(|entry| Some((entry.name, entry.node?)))
        };
        let is_directory = |node: u32| scan.node(node).is_directory;
        let named: Vec<_> = entries()
            .map(|(name, node)| (name, is_directory(node)))
            .collect();
        let names = address::names(named.into_iter());
        let number = to_u32(at);
        self.all[at].first = to_u32(self.all.len());
        self.all[at].count = to_u32(names.len());
        let path = self.path(number);
        for ((name, node), coded) in entries().zip(names) {
            let coded = if is_directory(node) {
                address::folder(&self.all[at].coded, &coded, path.join(name).as_bytes())
            } else {
                coded
            };
            self.all.push(Spot {
                node,
                parent: number,
                first: 0,
                count: 0,
                name: name.into(),
                coded: coded.into(),
            });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn spot(&self, number: u32) -> &Spot {
        &self.all[number as usize]
    }

    pub(super) fn is_directory(&self, number: u32) -> bool {
        self.scan.node(self.spot(number).node).is_directory
    }

    /// The paths in a directory, in git's order.
    pub(super) fn children(&self, number: u32) -> std::ops::Range<u32> {
        let spot = self.spot(number);
        spot.first..spot.first + spot.count
    }

    /// The levels, the deepest first.
    pub(super) fn levels_up(&self) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        let ends = self.levels.iter().skip(1).copied();
        let ends = ends.chain([to_u32(self.all.len())]);
        let levels: Vec<_> = self.levels.iter().copied().zip(ends).collect();
        levels.into_iter().rev().map(|(start, end)| start..end)
    }

    pub(super) fn name(&self, number: u32) -> &[u8] {
        &self.spot(number).name
    }

    /// The name for people, with a slash behind a directory's.
    pub(super) fn label(&self, number: u32) -> String {
        let slash = if self.is_directory(number) { "/" } else { "" };
        String::from_utf8_lossy(self.name(number)).into_owned() + slash
    }

    pub(super) fn path(&self, mut number: u32) -> TreePath {
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
    pub(super) fn address(&self, number: u32) -> String {
        let spot = self.spot(number);
        if self.is_directory(number) {
            address::directory(&spot.coded)
        } else {
            address::file(&self.spot(spot.parent).coded, &spot.coded)
        }
    }

    /// What stands at a path below a directory; `..` leads up, and never out.
    pub(super) fn find(&self, mut at: u32, path: &str) -> Option<u32> {
        for name in path.split('/') {
            at = match name {
                "" | "." => at,
                ".." if at == ROOT => return None,
                ".." => self.spot(at).parent,
                name => {
                    let is_it = |child: &u32| self.name(*child) == name.as_bytes();
                    self.children(at).find(is_it)?
                }
            };
        }
        Some(at)
    }
}

/// At how many paths files and directories stand; ten objects can stand at 10^10.
fn count(scan: &Scan) -> u64 {
    let mut counts = vec![1_u64; scan.len()];
    for &number in scan.bottom_up() {
        let below = scan.entries(number).filter_map(|entry| entry.node);
        let below = below.map(|child| counts[child as usize]);
        counts[number as usize] = below.fold(1, u64::saturating_add);
    }
    counts[scan.root() as usize]
}

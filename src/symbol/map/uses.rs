//! The names that one file uses, each with the declarations that use it.

/// Shortest name that is kept: what has one letter is a local variable or a type parameter.
pub(in crate::symbol) const NAME_BYTES_MIN: usize = 2;
/// Most names that are kept of one file.
pub(in crate::symbol) const USES_MAX: usize = 4_000;

/// The ways in which a name is used, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ways(u8);

impl Ways {
    /// On its own, called or written like a type: hardly a local variable.
    pub const BARE: Self = Self(1);
    /// Asked of something: behind `.`, `->` or `::`.
    pub const ASKED: Self = Self(2);
    /// Asked of something and called, or written like a type.
    pub const CALLED: Self = Self(4);

    /// Whether one of these is among them.
    #[must_use]
    pub fn has(self, ways: Self) -> bool {
        self.0 & ways.0 != 0
    }

    /// Both together.
    #[must_use]
    pub fn and(self, ways: Self) -> Self {
        Self(self.0 | ways.0)
    }

    /// The bits, below 8.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The ways of the lowest three bits.
    pub(super) fn from_bits(bits: u8) -> Self {
        Self(bits & 7)
    }
}

/// The names that one file uses, in order, each once.
///
/// Three flat lists instead of one of small ones: a repository has millions of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uses {
    names: String,
    heads: Vec<Head>,
    places: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    name_end: u32,
    places_end: u32,
    ways: Ways,
}

/// One name that a file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use<'u> {
    /// The name; with the type in front, as it is written, where something is asked of a type: `Digest::of`, `Math.min`.
    pub name: &'u str,
    /// How it is used, all places together.
    pub ways: Ways,
    /// The numbers of the declarations in which it is used.
    pub places: &'u [u32],
}

impl<'u> Use<'u> {
    /// The type that the name is asked of, and the name.
    #[must_use]
    pub fn parts(self) -> (Option<&'u str>, &'u str) {
        match self.name.rsplit_once("::").or_else(|| self.name.rsplit_once('.')) {
            Some((of, name)) => (Some(of), name),
            None => (None, self.name),
        }
    }
}

impl Uses {
    /// None yet, with room for so many names of so many bytes together.
    pub(super) fn with_room(count: usize, name_bytes: usize) -> Self {
        Self { names: String::with_capacity(name_bytes), heads: Vec::with_capacity(count), places: Vec::new() }
    }

    /// Adds a name, which must be greater than all before.
    pub(in crate::symbol) fn push(&mut self, name: &str, ways: Ways, places: &[u32]) {
        self.names.push_str(name);
        self.places.extend_from_slice(places);
        self.heads.push(Head { name_end: self.names.len() as u32, places_end: self.places.len() as u32, ways });
    }

    /// The greatest name.
    pub(super) fn last(&self) -> Option<&str> {
        self.len().checked_sub(1).map(|last| self.get(last).name)
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The name with this number.
    #[must_use]
    pub fn get(&self, number: usize) -> Use<'_> {
        let before = number.checked_sub(1).map(|before| self.heads[before]);
        let head = self.heads[number];
        let name_start = before.map_or(0, |before| before.name_end as usize);
        let places_start = before.map_or(0, |before| before.places_end as usize);
        Use {
            name: &self.names[name_start..head.name_end as usize],
            ways: head.ways,
            places: &self.places[places_start..head.places_end as usize],
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Use<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// True when a name is used.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.get(middle).name.cmp(name) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        false
    }
}

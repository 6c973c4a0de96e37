//! The names that one file uses, each with the declarations that use it.

use crate::base::number::{define_index_type, search, to_u32};

define_index_type! {
    /// The number of a name among those that one file uses.
    pub struct UseNumber = u32;
}

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
    /// As a member: behind `.`, `->` or `::`.
    pub const MEMBER: Self = Self(2);
    /// As a member that is called, or written like a type.
    pub const CALLED: Self = Self(4);
    /// Behind `[`, where C# writes attributes: `[Key]` may mean `KeyAttribute`.
    pub const ATTRIBUTE: Self = Self(8);

    /// How many bits there are.
    pub(super) const BITS: u32 = 4;

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

    /// The bits.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The ways of the lowest bits.
    pub(super) fn from_bits(bits: u8) -> Self {
        Self(bits & ((1 << Self::BITS) - 1))
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
    /// The name; with the type in front, as it is written, where it is a member of a type: `Digest::of`, `Math.min`.
    pub name: &'u str,
    /// How it is used, all places together.
    pub ways: Ways,
    /// The numbers of the declarations in which it is used.
    pub places: &'u [u32],
}

impl<'u> Use<'u> {
    /// The type that the name is a member of, and the name.
    #[must_use]
    pub fn parts(self) -> (Option<&'u str>, &'u str) {
        // Only types are written in front, and these start with a capital.
        let is_capital = self
            .name
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii_uppercase);
        let separator = || {
            self.name
                .bytes()
                .rposition(|byte| matches!(byte, b':' | b'.'))
        };
        let Some(at) = is_capital.then(separator).flatten() else {
            return (None, self.name);
        };
        let of = &self.name[..at];
        (
            Some(of.strip_suffix(':').unwrap_or(of)),
            &self.name[at + 1..],
        )
    }
}

impl Uses {
    /// None yet, with room for this many names.
    pub(super) fn with_room(count: usize) -> Self {
        Self {
            names: String::new(),
            heads: Vec::with_capacity(count),
            places: Vec::with_capacity(count),
        }
    }

    /// Adds a place to the name that comes next; false when it is not behind the last one.
    pub(super) fn push_place(&mut self, place: u32, is_first: bool) -> bool {
        let is_next = is_first || self.places.last().is_some_and(|last| *last < place);
        self.places.push(place);
        is_next
    }

    /// Adds the name that ends there, with the places that were added since the one before.
    pub(super) fn push_head(&mut self, name_end: u32, ways: Ways) {
        self.heads.push(Head {
            name_end,
            places_end: to_u32(self.places.len()),
            ways,
        });
    }

    /// The same with all names in one piece; `None` unless they are these, in order, each once.
    pub(super) fn with_names(self, names: String) -> Option<Self> {
        let ends = || self.heads.iter().map(|head| head.name_end as usize);
        let is_whole = ends().next_back().unwrap_or(0) == names.len()
            && ends().all(|end| names.is_char_boundary(end));
        let uses = is_whole.then_some(Self { names, ..self })?;
        let is_sorted = uses
            .iter()
            .zip(uses.iter().skip(1))
            .all(|(one, next)| one.name < next.name);
        is_sorted.then_some(uses)
    }

    /// All names in one piece.
    pub(super) fn names(&self) -> &str {
        &self.names
    }

    /// Adds a name, which must be greater than all before.
    pub(in crate::symbol) fn push(&mut self, name: &str, ways: Ways, places: &[u32]) {
        self.names.push_str(name);
        self.places.extend_from_slice(places);
        self.heads.push(Head {
            name_end: to_u32(self.names.len()),
            places_end: to_u32(self.places.len()),
            ways,
        });
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
    pub fn get(&self, number: UseNumber) -> Use<'_> {
        self.at(number.index())
    }

    fn at(&self, number: usize) -> Use<'_> {
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

    /// The numbers of all of them.
    pub fn numbers(&self) -> impl Iterator<Item = UseNumber> + use<> {
        (0..self.len()).map(UseNumber::new)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Use<'_>> {
        (0..self.len()).map(|number| self.at(number))
    }

    /// True when a name is used.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        search(self.len(), |number| self.at(number).name.cmp(name)).is_some()
    }
}

//! The names that one file uses, each with the declarations that use it.

/// Shortest name that is kept: what has one letter is a local variable or a type parameter.
pub(in crate::symbol) const NAME_BYTES_MIN: usize = 2;
/// Most names that are kept of one file.
pub(in crate::symbol) const USES_MAX: usize = 4_000;

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
    is_strong: bool,
}

/// One name that a file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use<'u> {
    /// The name.
    pub name: &'u str,
    /// True where it can hardly be a local variable: called, asked of something, or written like a type.
    pub is_strong: bool,
    /// The numbers of the declarations in which it is used.
    pub places: &'u [u32],
}

impl Uses {
    /// Adds a name, which must be greater than all before.
    pub(in crate::symbol) fn push(&mut self, name: &str, is_strong: bool, places: &[u32]) {
        self.names.push_str(name);
        self.places.extend_from_slice(places);
        self.heads.push(Head { name_end: self.names.len() as u32, places_end: self.places.len() as u32, is_strong });
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
            is_strong: head.is_strong,
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

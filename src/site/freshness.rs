//! How fresh the statements about a file or directory are: one word for each page, row and rectangle.

/// How what is said stands, what asks for attention last: the larger one of two counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Freshness {
    /// A model or a person has said something that holds.
    Fresh,
    /// Only the outline is there, and it holds.
    Outlined,
    /// Nothing is said.
    Missing,
    /// A person's note is about an earlier content.
    Carried,
    /// A statement would be made again.
    Outdated,
}

impl Freshness {
    /// All, in the order of a legend.
    pub const ALL: [Self; 5] = [
        Self::Fresh,
        Self::Outlined,
        Self::Outdated,
        Self::Carried,
        Self::Missing,
    ];

    /// The word for people, and the class of the style sheet.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.words()[0]
    }

    /// A sign that differs in its shape, for readers who do not tell colours apart.
    #[must_use]
    pub fn sign(self) -> &'static str {
        self.words()[1]
    }

    /// What the word means.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.words()[2]
    }

    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Fresh => [
                "fresh",
                "●",
                "a model or a person has said something that holds",
            ],
            Self::Outlined => ["outlined", "◒", "only the outline is there, and it holds"],
            Self::Missing => ["missing", "○", "nothing is said"],
            Self::Carried => [
                "carried",
                "◇",
                "a person's note is about an earlier content",
            ],
            Self::Outdated => ["outdated", "▲", "a statement would be made again"],
        }
    }
}

/// How many files stand how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FreshnessCounts([u64; 5]);

impl FreshnessCounts {
    /// One file.
    #[must_use]
    pub fn of(freshness: Freshness) -> Self {
        let mut counts = Self::default();
        counts.0[freshness as usize] = 1;
        counts
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// How many stand so.
    #[must_use]
    pub fn count(&self, freshness: Freshness) -> u64 {
        self.0[freshness as usize]
    }

    /// How those stand that ask for attention most.
    #[must_use]
    pub fn worst(&self) -> Freshness {
        let mut all = Freshness::ALL;
        all.sort();
        let is_there = |freshness: &&Freshness| self.count(**freshness) > 0;
        *all.iter()
            .rev()
            .find(is_there)
            .unwrap_or(&Freshness::Missing)
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }
}

//! What a map can show besides freshness: how much is covered, how old the oldest statement is, what it cost.
//!
//! Each is a step from 0 (nothing) to 4, which a style sheet gives a colour. Ages are those of the statements against the
//! commit, not against the clock, so the same commit gives the same pages.

/// How a rectangle is coloured, by what a map is to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shades {
    /// How many of the files have a statement of a model or a person.
    pub covered: u8,
    /// How old the oldest of these is.
    pub age: u8,
    /// What models have cost.
    pub cost: u8,
    /// What a review has to say of it.
    pub change: u8,
}

/// What statements below a path have in common with the map.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShadeFacts {
    /// Files.
    pub files: u64,
    /// Files about which a model or a person says something.
    pub covered: u64,
    /// The day on which the oldest of these statements was made, since 1970.
    pub oldest: Option<i64>,
    /// What they cost, in thousand-millionths of a dollar.
    pub cost: u64,
}

/// Days up to which an age is of the first step, of the second, and so on.
const DAYS: [i64; 3] = [30, 180, 365];
/// The same of costs, in thousand-millionths of a dollar.
const COSTS: [u64; 3] = [1_000_000, 10_000_000, 100_000_000];

impl ShadeFacts {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.covered += other.covered;
        self.cost = self.cost.saturating_add(other.cost);
        self.oldest = match (self.oldest, other.oldest) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// The steps, as of a day.
    #[must_use]
    pub fn shades(&self, today: i64) -> Shades {
        let days = self.oldest.map(|made| today - made);
        Shades {
            covered: match self.covered {
                0 => 0,
                covered => (1 + 3 * covered / self.files.max(1)).min(4) as u8,
            },
            age: days.map_or(0, |days| 1 + over(&DAYS, &days)),
            cost: match self.cost {
                0 => 0,
                cost => 1 + over(&COSTS, &cost),
            },
            change: 0,
        }
    }
}

/// How many of some bounds a value is over.
fn over<T: PartialOrd>(bounds: &[T], value: &T) -> u8 {
    bounds.iter().map(|most| u8::from(value > most)).sum()
}

/// A way to colour a map: its word, the letter of its classes, and what the steps mean.
#[derive(Debug, Clone, Copy)]
pub struct Colouring {
    /// The word.
    pub word: &'static str,
    /// The letter.
    pub letter: char,
    /// What the steps mean, from 0 on.
    pub steps: [&'static str; 5],
}

/// The ways beside freshness.
pub const COLOURINGS: [Colouring; 3] = [
    Colouring {
        word: "coverage",
        letter: 'c',
        steps: ["nothing said", "up to a third", "two thirds", "most", "all"],
    },
    Colouring {
        word: "age",
        letter: 'a',
        steps: [
            "nothing said",
            "up to 30 days",
            "180 days",
            "a year",
            "older",
        ],
    },
    Colouring {
        word: "cost",
        letter: 'k',
        steps: ["free", "up to 0.001 USD", "0.01 USD", "0.1 USD", "more"],
    },
];

/// The way of a review.
pub const CHANGES: Colouring = Colouring {
    word: "change",
    letter: 'h',
    steps: [
        "nothing declared",
        "tests, private, aside",
        "new or moved",
        "bodies",
        "what others see",
    ],
};

impl Shades {
    /// The classes of a rectangle in a map that has these colours.
    #[must_use]
    pub fn classes(&self, colourings: &[Colouring]) -> String {
        let class = |one: &Colouring| format!(" {}{}", one.letter, self.step(one));
        colourings.iter().map(class).collect()
    }

    fn step(self, colouring: &Colouring) -> u8 {
        match colouring.letter {
            'c' => self.covered,
            'a' => self.age,
            'k' => self.cost,
            _ => self.change,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_from_counts_ages_and_costs() {
        let today = 20_000;
        let facts = |covered, days: i64, cost| ShadeFacts {
            files: 9,
            covered,
            oldest: (days >= 0).then_some(today - days),
            cost,
        };
        for (facts, expected) in [
            (facts(0, -1, 0), [0, 0, 0]),
            (facts(1, 0, 1), [1, 1, 1]),
            (facts(3, 31, 1_000_001), [2, 2, 2]),
            (facts(6, 181, 10_000_001), [3, 3, 3]),
            (facts(9, 366, 100_000_001), [4, 4, 4]),
        ] {
            let Shades {
                covered, age, cost, ..
            } = facts.shades(today);
            assert_eq!([covered, age, cost], expected, "{facts:?}");
        }
        let mut both = facts(1, 10, 5);
        both.add(&facts(2, 20, 6));
        assert_eq!((both.files, both.covered, both.cost), (18, 3, 11));
        assert_eq!(both.oldest, Some(today - 20));
        let mut shades = both.shades(today);
        assert_eq!(shades.classes(&COLOURINGS), " c1 a1 k1");
        shades.change = 4;
        assert_eq!(shades.classes(&[CHANGES]), " h4");
    }
}

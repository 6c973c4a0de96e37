//! The rank of files and of the declarations in them: what a reader of a map wants to see first.
//!
//! | counts for a file | how |
//! |---|---|
//! | files that refer to it | each by its own standing: tests count a twentieth |
//! | files that it refers to | what puts others together is the way in |
//! | its public declarations | what offers much is used often |
//! | its standing | tests, examples, tools, what is generated or foreign, dotfiles and licences come last |
//!
//! The weight is the standing times the root of the product of the three. In a file the declarations come by the number of
//! files that refer to them, by what they are, overloads behind other names, and in the order of the text. Only products,
//! quotients and square roots are used, so that every machine has the same order.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::entries::{Entries, EntryNumber, Mark, Modifiers};
use super::file::{FileNumber, MapFiles};
use super::kept::{FileReferences, References};
use super::standing::standing;
use crate::base::number::{IndexVec, to_f64};
use crate::base::quick_hash::QuickHash;

/// What a declaration counts that no other file may use.
const PRIVATE: f64 = 0.3;
/// What a member counts against what it stands in.
const MEMBER: f64 = 0.6;

/// The order of files in a map: it follows from the files alone, whatever is shown of them.
#[derive(Debug, Default)]
pub struct MapOrder {
    /// What each file counts by its path.
    pub(super) standing: IndexVec<FileNumber, f64>,
    /// The numbers of files, those that matter most first.
    pub(super) ranked: Vec<FileNumber>,
    /// Which files declare something.
    pub(super) declares: IndexVec<FileNumber, bool>,
}

impl MapOrder {
    /// Ranks files; among equals they stay in their order.
    #[must_use]
    pub fn of(files: &MapFiles<'_>, references: &References) -> Self {
        let standing: IndexVec<_, f64> = files.iter().map(|file| standing(file.path)).collect();
        let mut referring: IndexVec<FileNumber, f64> = vec![0.0; standing.len()].into();
        let (mut declares, mut offers) = (IndexVec::new(), Vec::new());
        for (file, own) in references.looks().zip(&standing) {
            for target in &file.files {
                referring[*target] += own;
            }
            declares.push(!file.counts.is_empty());
            offers.push((to_f64(file.files.len() as u64), f64::from(file.public)));
        }
        let weights = standing.iter().zip(&referring).zip(&offers);
        let weights: IndexVec<FileNumber, f64> = weights
            .map(|((own, referring), (refers, public))| {
                own * ((1.0 + referring) * (1.0 + refers) * (1.0 + public)).sqrt()
            })
            .collect();
        let mut ranked: Vec<FileNumber> = standing.indices().collect();
        ranked.sort_by(|one, other| weights[*other].total_cmp(&weights[*one]));
        Self {
            standing,
            ranked,
            declares,
        }
    }
}

/// How many functions of the same name stand before each one in its class, the class itself before its constructors: the
/// second overload says less than the first function of another name.
fn overloads(entries: &Entries) -> IndexVec<EntryNumber, u32> {
    let mut names: HashMap<(Option<EntryNumber>, &str), u32, QuickHash> = HashMap::default();
    let mut open: Vec<EntryNumber> = Vec::new();
    let earlier = entries
        .numbers()
        .zip(entries.iter())
        .map(|(number, entry)| {
            open.truncate(usize::from(entry.form.depth));
            let owner = open.last().copied();
            open.push(number);
            if matches!(entry.form.mark, Mark::Function | Mark::Method) {
                let count = names.entry((owner, entry.name)).or_default();
                *count += 1;
                *count - 1
            } else {
                names.insert((Some(number), entry.name), 1);
                0
            }
        });
    earlier.collect()
}

/// The numbers of the declarations of a file, those that matter most first.
pub(super) fn by_use(entries: &Entries, references: &FileReferences) -> Vec<EntryNumber> {
    let earlier = overloads(entries);
    let weight = |(number, form): (EntryNumber, &Modifiers)| {
        let kind = match form.mark {
            Mark::Class => 3.0,
            Mark::Function => 2.0,
            Mark::Heading | Mark::Method => 1.5,
            Mark::Variable => 1.0,
            Mark::Property => 0.5,
        };
        let uses = f64::from(references.counts.get(number).copied().unwrap_or(0));
        let public = if form.is_public { 1.0 } else { PRIVATE };
        let depth = (0..form.depth).fold(1.0, |weight, _| weight * MEMBER);
        kind * public * depth * (1.0 + uses).sqrt() / f64::from(1 + earlier[number])
    };
    let numbers = entries.numbers().zip(entries.forms());
    // Numbers that are not negative are in the order of their bits.
    let order = numbers.map(|one| (Reverse(weight(one).to_bits()), one.0));
    let mut order: Vec<(Reverse<u64>, EntryNumber)> = order.collect();
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

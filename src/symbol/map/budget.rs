//! A map within a number of tokens: the best lines of all files, in one order that knows no budget.
//!
//! Every line that could be said has one place in that order: the rank of its file and its own rank within the file together
//! (see `rank.rs`). A map is the longest beginning of the order that fits, so a larger budget never shows less of a file, and
//! what is left over is less than one line. With the first line of a file comes its path, with a member what it stands in.
//! Behind all declarations of a file come its imports and what each declaration refers to.
//!
//! Aliases for directories are chosen anew whenever the number of files has doubled, and at the end: a beginning of the order
//! has the same aliases whatever the budget is.
//!
//! What was chosen is printed in the order of paths. A count of what is left out ends each file and the text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::entries::EntryNumber;
use super::excerpt::Excerpt;
use super::file::FileNumber;
use super::legend::{KEY, Legend};
use super::notation::{Detail, Level, SymbolMap};
use super::rank::by_use;
use crate::base::number::IndexVec;
use crate::base::token::estimate;

/// How many files at the front weigh about the same.
const FRONT_FILES: f64 = 4.0;
/// How many declarations at the front of a file weigh about the same.
const FRONT_LINES: f64 = 2.0;
/// What the path of a file without declarations weighs.
const PATH: f64 = 0.2;
/// Files with which aliases are chosen for the first time.
const ALIASED_FILES: usize = 8;

/// A file of a map that is kept from one request to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFile {
    /// Its number.
    pub number: FileNumber,
    /// How much of it.
    pub level: Level,
}

/// What an earlier map says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Previous {
    /// Just what this one would say at this level.
    Same(Level),
    /// Something else.
    Changed,
    /// Nothing.
    New,
}

impl Previous {
    fn order(self) -> u8 {
        match self {
            Self::Same(_) => 0,
            Self::Changed => 1,
            Self::New => 2,
        }
    }
}

/// What fits into a budget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    /// The files by their numbers, in the order of paths.
    pub files: BTreeMap<FileNumber, Excerpt>,
    /// How many found no place.
    pub left: usize,
    /// True when nothing is left out.
    pub is_whole: bool,
    /// Legend, blocks, and a line about the files that found no place; empty when not even the legend fits.
    pub text: String,
}

/// One line that a file can have, in the order in which a file has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Path,
    Entry(EntryNumber),
    Imports,
    Calls(EntryNumber),
}

impl SymbolMap<'_> {
    /// Chooses among some of the files, given in their order, what fits into this many tokens.
    #[must_use]
    pub fn within(&self, numbers: &[FileNumber], tokens_max: u64, detail: Detail) -> Chosen {
        let none = || Chosen {
            left: numbers.len(),
            ..Chosen::default()
        };
        let head = estimate(KEY) + estimate("\n") + estimate(&rest_line(numbers.len()));
        if numbers.is_empty() || head > tokens_max {
            return none();
        }
        let mut draft = Draft::new(self, detail, head);
        let (mut order, mut taken) = (self.order(numbers), Vec::new());
        while draft.tokens <= tokens_max
            && let Some((file, line)) = order.next_line(self)
        {
            taken.push((file, line));
            draft.take(file, line);
        }
        let is_whole = draft.tokens <= tokens_max;
        if is_whole {
            let text = self.texts(numbers, detail).concat();
            if estimate(&text) <= tokens_max {
                return Chosen {
                    files: draft.files,
                    left: 0,
                    is_whole,
                    text,
                };
            }
        } else {
            taken.pop();
        }
        // Lines are counted one by one; together they could still be more.
        while !taken.is_empty() {
            let mut draft = Draft::new(self, detail, head);
            for (file, line) in &taken {
                draft.take(*file, *line);
            }
            let text = draft.text(numbers.len());
            if estimate(&text) <= tokens_max {
                return Chosen {
                    left: numbers.len() - draft.files.len(),
                    files: draft.files,
                    is_whole: false,
                    text,
                };
            }
            taken.pop();
        }
        none()
    }

    /// What the beginning of a file costs in a map that is kept. It follows from its path and its content.
    #[must_use]
    pub fn brief_cost(&self, number: FileNumber) -> u64 {
        self.kept_cost(number, Level::Brief)
    }

    fn kept_cost(&self, number: FileNumber, level: Level) -> u64 {
        let detail = Detail {
            level,
            ..Detail::KEPT
        };
        estimate(&self.block(number, &Legend::default(), detail))
    }

    /// All lines of some files in their order.
    fn order(&self, numbers: &[FileNumber]) -> Order {
        let mut is_wanted = IndexVec::from_vec(vec![false; self.files().len()]);
        for number in numbers {
            is_wanted[*number] = true;
        }
        let ranked = self
            .ranked()
            .iter()
            .copied()
            .filter(|number| is_wanted[*number]);
        let heap = (0_u32..).zip(ranked).map(|(rank, number)| {
            // Of tests and documents there is less than their place alone would give.
            let weight = self.standing(number).sqrt() / (f64::from(rank) + FRONT_FILES);
            let has_entries = self.declares(number);
            let first = weight / FRONT_LINES * if has_entries { 1.0 } else { PATH };
            Next {
                weight: first.to_bits(),
                number: Reverse(number),
                file_weight: weight.to_bits(),
                place: 0,
            }
        });
        Order {
            heap: heap.collect(),
            open: BTreeMap::new(),
        }
    }

    /// The lines of one file, first the path where it has no declarations.
    fn lines_of(&self, number: FileNumber) -> Vec<Line> {
        let symbols = self.files()[number].symbols();
        let references = self.references().of(number);
        let entries = by_use(&symbols.entries, references);
        let calls = entries
            .iter()
            .filter(|entry| references.calls_of(**entry).next().is_some())
            .copied();
        let calls: Vec<EntryNumber> = calls.collect();
        let path = entries.is_empty().then_some(Line::Path);
        let imports = (!symbols.imports.is_empty()).then_some(Line::Imports);
        let entries = entries.into_iter().map(Line::Entry);
        path.into_iter()
            .chain(entries)
            .chain(imports)
            .chain(calls.into_iter().map(Line::Calls))
            .collect()
    }

    /// Chooses again, where an earlier map is to stay as it is: what it says is said again as long as that fits, then what has
    /// changed of it, then whatever else fits.
    ///
    /// `known` tells what the earlier map says of a file, `brief_cost` what [`SymbolMap::brief_cost`] does. Of what is new half of the room is for the beginnings of many files, the
    /// other for more of those that matter most, and what is left for further beginnings.
    #[must_use]
    pub fn again(
        &self,
        numbers: &[FileNumber],
        tokens_max: u64,
        known: &dyn Fn(FileNumber) -> Previous,
        brief_cost: &dyn Fn(FileNumber) -> u64,
    ) -> Vec<KeptFile> {
        let mut known_of = IndexVec::from_vec(vec![None; self.references().len()]);
        for number in numbers {
            known_of[*number] = Some(known(*number));
        }
        let mut order: Vec<(Previous, FileNumber)> = self
            .ranked()
            .iter()
            .filter_map(|number| Some((known_of[*number]?, *number)))
            .collect();
        order.sort_by_key(|(known, _)| known.order());
        let mut kept = Kept {
            map: self,
            brief_cost,
            tokens_left: tokens_max.saturating_sub(estimate(KEY)),
            files: BTreeMap::new(),
        };
        for (known, number) in &order {
            if let Previous::Same(level) = known {
                kept.show(*number, *level, 0);
            }
        }
        let new: Vec<FileNumber> = order
            .iter()
            .filter(|(known, _)| !matches!(known, Previous::Same(_)))
            .map(|(_, number)| *number)
            .collect();
        let half = kept.tokens_left / 2;
        for number in &new {
            kept.show(*number, Level::Brief, half);
        }
        for number in &new {
            if kept.files.contains_key(number) {
                kept.show(*number, Level::Public, 0);
                kept.show(*number, Level::Full, 0);
            }
        }
        for number in &new {
            if !kept.files.contains_key(number) {
                kept.show(*number, Level::Brief, 0);
            }
        }
        kept.files
            .into_iter()
            .map(|(number, (level, _))| KeptFile { number, level })
            .collect()
    }
}

/// The files of a map that is kept, each with its level and what it costs.
struct Kept<'k> {
    map: &'k SymbolMap<'k>,
    brief_cost: &'k dyn Fn(FileNumber) -> u64,
    tokens_left: u64,
    files: BTreeMap<FileNumber, (Level, u64)>,
}

impl Kept<'_> {
    /// Shows a file, or more of it, where that fits and leaves this many tokens.
    fn show(&mut self, number: FileNumber, level: Level, tokens_kept: u64) {
        let cost = match level {
            Level::Brief => (self.brief_cost)(number),
            _ => self.map.kept_cost(number, level),
        };
        let before = self.files.get(&number).map_or(0, |(_, cost)| *cost);
        if cost + tokens_kept <= self.tokens_left + before {
            self.tokens_left = self.tokens_left + before - cost;
            self.files.insert(number, (level, cost));
        }
    }
}

/// The file whose next line comes next.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    /// The weight of the line, as bits: numbers that are not negative are in the order of theirs.
    weight: u64,
    number: Reverse<FileNumber>,
    /// The weight of the file.
    file_weight: u64,
    /// The place of the line in its file.
    place: u32,
}

/// The lines that are still to come; those of a file are made when its first one comes.
struct Order {
    heap: BinaryHeap<Next>,
    open: BTreeMap<FileNumber, Vec<Line>>,
}

impl Order {
    fn next_line(&mut self, map: &SymbolMap<'_>) -> Option<(FileNumber, Line)> {
        while let Some(Next {
            number,
            file_weight,
            place,
            ..
        }) = self.heap.pop()
        {
            let lines = self
                .open
                .entry(number.0)
                .or_insert_with(|| map.lines_of(number.0));
            if let Some(line) = lines.get(place as usize) {
                let place = place + 1;
                let weight =
                    (f64::from_bits(file_weight) / (f64::from(place) + FRONT_LINES)).to_bits();
                self.heap.push(Next {
                    weight,
                    number,
                    file_weight,
                    place,
                });
                return Some((number.0, *line));
            }
        }
        None
    }
}

/// What was taken so far, and what it costs.
struct Draft<'d> {
    map: &'d SymbolMap<'d>,
    detail: Detail,
    /// What the legend without aliases and the last line cost.
    head: u64,
    legend: Legend,
    /// With how many files aliases are chosen next.
    aliased_at: usize,
    files: BTreeMap<FileNumber, Excerpt>,
    tokens: u64,
}

impl<'d> Draft<'d> {
    fn new(map: &'d SymbolMap<'d>, detail: Detail, head: u64) -> Self {
        let (legend, files) = (Legend::default(), BTreeMap::new());
        Self {
            map,
            detail,
            head,
            legend,
            aliased_at: ALIASED_FILES,
            files,
            tokens: head,
        }
    }

    /// Takes a line with what it stands in.
    fn take(&mut self, number: FileNumber, line: Line) {
        let before = self
            .files
            .get(&number)
            .map_or(0, |excerpt| estimate(&self.map.rest_of(number, excerpt)));
        let is_new = !self.files.contains_key(&number);
        let mut excerpt = self.files.remove(&number).unwrap_or_default();
        let mut tokens = if is_new {
            estimate(&self.map.path_line(number, &self.legend, self.detail))
        } else {
            0
        };
        match line {
            Line::Path => {}
            Line::Entry(entry) => {
                for entry in self.map.with_owners(number, entry) {
                    if excerpt.entries.insert(entry) {
                        tokens += estimate(&self.map.entry_line(number, entry, false, self.detail));
                    }
                }
            }
            Line::Imports => {
                excerpt.has_imports = true;
                tokens += estimate(&self.map.import_lines(number, &self.legend));
            }
            Line::Calls(entry) => {
                excerpt.calls.insert(entry);
                let cost =
                    |calls| estimate(&self.map.entry_line(number, entry, calls, self.detail));
                tokens += cost(true).saturating_sub(cost(false));
            }
        }
        self.tokens = (self.tokens + tokens + estimate(&self.map.rest_of(number, &excerpt)))
            .saturating_sub(before);
        self.files.insert(number, excerpt);
        if self.files.len() == self.aliased_at {
            self.choose_aliases();
        }
    }

    /// Chooses aliases for the files so far, and counts all again.
    fn choose_aliases(&mut self) {
        self.aliased_at *= 2;
        self.legend = self.map.legend_of(&self.files);
        let blocks = self.files.iter().map(|(number, excerpt)| {
            estimate(
                &self
                    .map
                    .excerpt(*number, excerpt, &self.legend, self.detail),
            )
        });
        let aliases = estimate(&self.legend.text()).saturating_sub(estimate(KEY));
        self.tokens = self.head + aliases + blocks.sum::<u64>();
    }

    fn text(&self, all: usize) -> String {
        let mut text = self.legend.text();
        text.push('\n');
        for (number, excerpt) in &self.files {
            text.push_str(
                &self
                    .map
                    .excerpt(*number, excerpt, &self.legend, self.detail),
            );
        }
        if self.files.len() < all {
            text.push_str(&rest_line(all - self.files.len()));
        }
        text
    }
}

/// The line about files that found no place.
fn rest_line(count: usize) -> String {
    format!("+{count} files\n")
}

//! The answer as a ladder that grows with its budget: paths, what files are for, signatures, names of everything else.
//!
//! Every line that could be said has a place in one order that does not depend on the budget: the nearer its file is to the
//! front, and its definition to the front within the file, the earlier. An answer is the longest beginning of that order
//! that fits. So more tokens never show less, and what is left over is less than one line. Names that are one word stand together in
//! the last line of their file, each once: there a name costs two tokens, and five in a line of its own.
//!
//! | line | when |
//! |---|---|
//! | path | with the first line of its file, or for itself when its turn comes |
//! | what is said, what it is for | right behind the path of a file at the front |
//! | signature with its lines | by the rank and score of the file times the rank of the definition within it |
//! | name | earlier than the signature would come, the more so the further back both stand; with its line where it has a word of the question |
//! | a test | later than what it tests would: hundreds of titles have the same words |

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::definition::{Definition, DefinitionNumber, Definitions};
use super::name::{Mentions, NameUse};
use super::question::Query;
use super::rank::Terms;
use super::term::{terms, whole_names};
use crate::base::number::{IndexSlice, IndexVec, floor, to_f64, to_u32};
use crate::base::printable::one_line;
use crate::base::token::estimate;
use crate::symbol::{Kind, first_sentence};

/// What a word of a name counts, against one of the text.
const NAME_WEIGHT: f64 = 3.0;
/// What fields, and the parts of a document or data file, count that have nothing of the question.
const PASSAGE_WEIGHT: f64 = 0.1;
/// The length of a definition that is neither long nor short, in terms.
const LENGTH: f64 = 50.0;
/// How long a signature with its owner may be, in bytes, before it weighs less: ten tokens with the number of its line.
const SIGNATURE_BYTES: usize = 32;
/// What stands before the names of a file that are one word each.
const ALSO: &str = "  also:";
/// What stands before the places of a file that use a name.
const USED: &str = "  used:";
/// What stands before the place of a file that has the question word by word.
const WRITTEN: &str = "  written:";
/// How much of a statement is shown, in bytes.
const SAID_BYTES_MAX: usize = 400;

/// When the lines of an answer come: the larger, the earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// How fast files lose weight with their rank: its power.
    pub fall: f64,
    /// How fast they lose it with their score, against that of the first: its power.
    pub score: f64,
    /// What a file weighs at least, through its rank: what is far behind in its score has room in a large answer.
    pub least: f64,
    /// How many definitions at the front of a file weigh about the same.
    pub definitions: f64,
    /// How much earlier the first signature of a file comes.
    pub best: f64,
    /// What a name weighs: this times the root of what its signature does, so that names gain the further back they stand.
    pub names: f64,
    /// When a path comes for itself.
    pub paths: f64,
    /// When the sentence about a file comes.
    pub about: f64,
    /// What a test counts, against what it tests.
    pub tests: f64,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            fall: 0.5,
            score: 2.0,
            least: 0.0625,
            definitions: 2.0,
            best: 3.0,
            names: 0.6,
            paths: 0.1,
            about: 0.3,
            tests: 0.2,
        }
    }
}

impl Steps {
    /// What a file weighs at a place, from 1, by its score's share of the first one's.
    fn file(&self, place: usize, share: f64) -> f64 {
        let place = to_f64(place as u64);
        (power(share, self.score) / power(place, self.fall)).max(self.least / place)
    }

    /// The most that a line of a file weighs at a place, from 1, whose score has at most this share of the first one's.
    #[must_use]
    pub fn most(&self, place: usize, share: f64) -> f64 {
        let file = self.file(place, share);
        let definition = file / self.definitions;
        // A statement weighs what its file does.
        let lines = [
            self.about * file,
            self.best.max(1.0) * definition,
            self.names * definition.sqrt(),
        ];
        lines.into_iter().fold(file, f64::max)
    }
}

/// A file that was found, with what can be shown of it.
#[derive(Debug, Clone, Default)]
pub struct Hit {
    /// Its path, as it is printed.
    pub path: String,
    /// Its score against that of the first file, 0 to 1.
    pub share: f64,
    /// What people and models say about it, one line each, with author and state.
    pub said: Vec<String>,
    /// What it defines.
    pub definitions: Arc<Definitions>,
    /// What it has of the name that the question is, where a file declares that name.
    pub mentions: Option<Mentions>,
    /// Where it has much of the question word by word.
    pub phrase: Option<NameUse>,
}

/// One line that an answer can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// The path of a file.
    Path,
    /// A statement about it, by its number.
    Statement(u32),
    /// What it is for.
    About,
    /// A definition with its signature, by its number.
    Signature(DefinitionNumber),
    /// A definition by its name and where it begins: it has a word of the question, in its name or its body.
    Place(DefinitionNumber),
    /// A definition by its name alone.
    Name(DefinitionNumber),
    /// Where it has much of the question word by word.
    Phrase,
    /// Where a definition uses the name that the question is, by its number.
    Use(u32),
}

impl Line {
    /// The definition that it only names.
    #[must_use]
    pub const fn named(self) -> Option<DefinitionNumber> {
        match self {
            Self::Place(at) | Self::Name(at) => Some(at),
            _ => None,
        }
    }
}

/// An answer: what of each file is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ladder {
    /// For each file, in the order of their rank, its lines; files without one are left out at the end.
    pub files: Vec<BTreeSet<Line>>,
    /// The text.
    pub text: String,
    /// Its tokens.
    pub tokens: u64,
    /// True when nothing found no room.
    pub is_whole: bool,
    /// What the first line weighs that found no room; 0 where there is none.
    pub cut: f64,
}

impl Ladder {
    /// Chooses what fits into a number of tokens. Files come in the order of their rank.
    #[must_use]
    pub fn within(
        files: &[Hit],
        question: &Query,
        rare: &Terms,
        tokens_max: u64,
        steps: &Steps,
    ) -> Self {
        let mut ladder = Self {
            files: vec![BTreeSet::new(); files.len()],
            is_whole: true,
            ..Self::default()
        };
        for (weight, number, line) in order(files, question, rare, steps) {
            let (file, shown) = (&files[number], &ladder.files[number]);
            let is_said = |at| shown.contains(&Line::Signature(at));
            if shown.contains(&line) || line.named().is_some_and(is_said) {
                continue;
            }
            let mut new = vec![line];
            if shown.is_empty() && line != Line::Path {
                new.push(Line::Path);
            }
            let mut lines: u64 = new.iter().map(|line| estimate(&file.line(*line))).sum();
            if file.is_in_row(line) && !shown.iter().any(|line| file.is_in_row(*line)) {
                lines += estimate(ALSO) + estimate("\n");
            }
            // A signature takes the place of the name.
            let name = match line {
                Line::Signature(at) => [Line::Place(at), Line::Name(at)]
                    .into_iter()
                    .find(|name| shown.contains(name)),
                _ => None,
            };
            let gone = name.map_or(0, |name| estimate(&file.line(name)));
            let tokens = ladder.tokens + lines.saturating_sub(gone);
            if tokens > tokens_max {
                ladder.is_whole = false;
                ladder.cut = weight;
                break;
            }
            ladder.tokens = tokens;
            ladder.files[number].extend(new);
            if let Some(name) = name {
                ladder.files[number].remove(&name);
            }
        }
        ladder.text = files
            .iter()
            .zip(&ladder.files)
            .map(|(file, lines)| file.text(lines))
            .collect();
        ladder
    }

    /// How many files are shown.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.files.iter().filter(|lines| !lines.is_empty()).count()
    }
}

/// Every line, with its weight and its file, in the order in which they are taken.
fn order(files: &[Hit], question: &Query, rare: &Terms, steps: &Steps) -> Vec<(f64, usize, Line)> {
    let mut all: Vec<(f64, usize, Line)> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let weight = steps.file(number + 1, file.share);
        if let Some(mentions) = &file.mentions {
            if !mentions.is_empty() {
                all.push((steps.paths * weight, number, Line::Path));
                all.extend(
                    by_name(file, mentions, weight, steps)
                        .map(|(weight, line)| (weight, number, line)),
                );
            }
            continue;
        }
        all.push((steps.paths * weight, number, Line::Path));
        all.extend((0..to_u32(file.said.len())).map(|at| (weight, number, Line::Statement(at))));
        if !file.about().is_empty() {
            all.push((steps.about * weight, number, Line::About));
        }
        if file.phrase.is_some() {
            all.push((weight, number, Line::Phrase));
        }
        let (mut keys, mut names) = (BTreeSet::new(), BTreeSet::new());
        for (place, (at, fits)) in by_question(&file.definitions.list, question, rare)
            .into_iter()
            .enumerate()
        {
            let definition = &file.definitions.list[at];
            let is_part = matches!(
                definition.kind,
                Kind::Heading | Kind::Key | Kind::Target | Kind::Instruction
            );
            let is_passage = is_part || definition.is_member();
            let less = match definition.kind {
                Kind::Test => steps.tests,
                _ if is_passage && !fits => PASSAGE_WEIGHT,
                _ => 1.0,
            };
            let weight = less * weight / (to_f64(place as u64) + steps.definitions);
            // The best of a file has its signature at once.
            let early = if place == 0 { steps.best } else { 1.0 };
            // Rows of a table have the same keys: the second says no more, unless its value is shown.
            let is_new = !is_part || keys.insert(definition.name.as_str());
            if is_new || definition.signature != definition.name {
                let weight = early * weight * definition.worth();
                all.push((weight, number, Line::Signature(at)));
            }
            // The keys of a file of data say nothing by their names alone.
            let is_key = definition.kind == Kind::Key && !fits;
            if is_new && !is_key && names.insert(definition.name.as_str()) {
                let line = if fits {
                    Line::Place(at)
                } else {
                    Line::Name(at)
                };
                all.push((steps.names * weight.sqrt(), number, line));
            }
        }
    }
    all.sort_by(|one, other| {
        other
            .0
            .total_cmp(&one.0)
            .then_with(|| (one.1, one.2).cmp(&(other.1, other.2)))
    });
    all
}

/// What is said of a file that has the name that the question is, and what it has of it.
fn by_name<'f>(
    file: &'f Hit,
    mentions: &'f Mentions,
    weight: f64,
    steps: &'f Steps,
) -> impl Iterator<Item = (f64, Line)> + 'f {
    let behind = move |place: usize| weight / (to_f64(place as u64) + steps.definitions);
    let said = (0..to_u32(file.said.len())).map(move |at| (weight, Line::Statement(at)));
    let about = (!file.about().is_empty()).then_some((steps.about * weight, Line::About));
    let signatures = mentions
        .declared
        .iter()
        .chain(&mentions.extending)
        .enumerate();
    let signatures = signatures.map(move |(place, at)| {
        let early = if place < mentions.declared.len() {
            steps.best
        } else {
            1.0
        };
        (
            early * behind(place) * file.definitions.list[*at].worth(),
            Line::Signature(*at),
        )
    });
    let uses = (0..mentions.uses.len())
        .map(move |place| (steps.names * behind(place).sqrt(), Line::Use(to_u32(place))));
    said.chain(about).chain(signatures).chain(uses)
}

/// A number to the power of halves: square roots are the same on every machine, other powers are not.
fn power(base: f64, exponent: f64) -> f64 {
    let halves = floor(2.0 * exponent);
    let whole = (0..halves / 2).fold(1.0, |product, _| product * base);
    if halves % 2 == 1 {
        whole * base.sqrt()
    } else {
        whole
    }
}

/// The numbers of definitions, and whether they have something of the question: those that fit it best first, then what
/// others may use, in the order of the text.
fn by_question(
    definitions: &IndexSlice<DefinitionNumber, [Definition]>,
    question: &Query,
    rare: &Terms,
) -> Vec<(DefinitionNumber, bool)> {
    let scores: IndexVec<DefinitionNumber, f64> = definitions
        .iter()
        .map(|definition| definition.fit(question, rare))
        .collect();
    let mut order: Vec<DefinitionNumber> = definitions.indices().collect();
    let is_small = |kind: Kind| {
        matches!(
            kind,
            Kind::Constant | Kind::Variable | Kind::Key | Kind::Module
        )
    };
    order.sort_by(|one, other| {
        let rest = |at: DefinitionNumber| {
            (
                definitions[at].is_member(),
                is_small(definitions[at].kind),
                Reverse(definitions[at].public),
                at,
            )
        };
        scores[*other]
            .total_cmp(&scores[*one])
            .then_with(|| rest(*one).cmp(&rest(*other)))
    });
    order.into_iter().map(|at| (at, scores[at] > 0.0)).collect()
}

impl Hit {
    fn about(&self) -> &str {
        first_sentence(&self.definitions.about)
    }

    /// A statement, by its number, as much of it as is shown.
    #[must_use]
    pub fn statement(&self, number: u32) -> String {
        let said = one_line(&self.said[number as usize]);
        let end = said.floor_char_boundary(SAID_BYTES_MAX);
        format!(
            "{}{}",
            &said[..end],
            if end < said.len() { "…" } else { "" }
        )
    }

    /// A line as it is printed, for its cost; what stands with others on one line has its part.
    fn line(&self, line: Line) -> String {
        match line {
            Line::Path => format!("{}\n", self.path),
            Line::Statement(at) => format!("  {}\n", self.statement(at)),
            Line::About => format!("  {}\n", one_line(self.about())),
            Line::Signature(at) => format!("  {}\n", self.definitions.list[at].shown()),
            Line::Phrase => {
                let shown = self.phrase.as_ref().map(NameUse::shown);
                format!("{WRITTEN}{}\n", shown.unwrap_or_default())
            }
            Line::Use(at) => self.used(at).map_or_else(String::new, NameUse::shown),
            Line::Place(at) | Line::Name(at) => {
                let Definition {
                    line: row, name, ..
                } = &self.definitions.list[at];
                match line {
                    _ if !self.is_word(line) => format!("  {row} {}\n", one_line(name)),
                    Line::Place(_) => format!(" {name}:{row}"),
                    _ => format!(" {name}"),
                }
            }
        }
    }

    /// Where a definition uses the name that the question is, by its number.
    #[must_use]
    pub fn used(&self, number: u32) -> Option<&NameUse> {
        self.mentions.as_ref()?.uses.get(number as usize)
    }

    /// True for what stands in a row with others.
    fn is_in_row(&self, line: Line) -> bool {
        matches!(line, Line::Use(_)) || self.is_word(line)
    }

    /// True for a name that can stand in a row with others; a heading or the title of a test cannot.
    fn is_word(&self, line: Line) -> bool {
        let is_gap = |char: char| char.is_whitespace() || char.is_control();
        line.named()
            .is_some_and(|at| !self.definitions.list[at].name.contains(is_gap))
    }

    fn text(&self, lines: &BTreeSet<Line>) -> String {
        let mut text = String::new();
        let mut definitions: Vec<(DefinitionNumber, Line)> = Vec::new();
        let mut used = String::new();
        for line in lines {
            match line {
                Line::Signature(at) | Line::Place(at) | Line::Name(at) => {
                    definitions.push((*at, *line));
                }
                Line::Use(_) => used.push_str(&self.line(*line)),
                _ => text.push_str(&self.line(*line)),
            }
        }
        definitions.sort_unstable();
        let (words, lines): (Vec<Line>, Vec<Line>) = definitions
            .into_iter()
            .map(|(_, line)| line)
            .partition(|line| self.is_word(*line));
        text.extend(lines.into_iter().map(|line| self.line(line)));
        if !words.is_empty() {
            text.push_str(ALSO);
            text.extend(words.into_iter().map(|line| self.line(line)));
            text.push('\n');
        }
        if !used.is_empty() {
            text.extend([USED, &used, "\n"]);
        }
        text
    }
}

impl Definition {
    /// How well its name and its own text fit a question.
    #[must_use]
    pub fn fit(&self, question: &Query, rare: &Terms) -> f64 {
        let mut named = vec![0_u32; question.terms.len()];
        let mut name = |term| {
            if let Some(at) = question.terms.iter().position(|wanted| *wanted == term) {
                named[at] += 1;
            }
        };
        terms(&self.name, |_, term| name(term));
        whole_names(&self.name, name);
        let held_back = 1.2 * (0.5 + 0.5 * f64::from(self.length()) / LENGTH);
        let mut score = 0.0;
        for ((term, rare), named) in question.terms.iter().zip(&rare.weights).zip(named) {
            let count = f64::from(self.count(*term)) + NAME_WEIGHT * f64::from(named);
            score += rare * count * 2.2 / (count + held_back);
        }
        score
    }

    /// What its signature is worth by its length: a long one takes the room of several, and says more than one of them.
    fn worth(&self) -> f64 {
        let bytes = (self.owner.len() + self.signature.len()).max(SIGNATURE_BYTES);
        (to_f64(SIGNATURE_BYTES as u64) / to_f64(bytes as u64)).sqrt()
    }

    /// Its lines, where it stands, and its signature.
    fn shown(&self) -> String {
        let mut shown = self.line.to_string();
        if self.line_end > self.line {
            let _ = write!(shown, "-{}", self.line_end);
        }
        shown.push(' ');
        if !self.owner.is_empty() {
            let _ = write!(shown, "{}: ", one_line(&self.owner));
        }
        shown.push_str(&one_line(&self.signature));
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::read;
    use crate::symbol::{Language, extract};
    use proptest::prelude::*;

    fn hit(path: &str, language: Language, text: &str) -> Hit {
        let text = text.as_bytes();
        Hit {
            path: path.to_owned(),
            share: 1.0,
            said: Vec::new(),
            definitions: Arc::new(read(&extract(Some(language), text), text).definitions),
            mentions: None,
            phrase: None,
        }
    }

    fn files() -> Vec<Hit> {
        let file = |number: usize| {
            let function = |at: usize| {
                format!("/// Doc.\npub fn f{at}_{number}(walk: u{at}) {{ hidden({at}) }}\n")
            };
            let functions = (0..12).map(function).collect::<Vec<_>>().concat();
            let text = format!("//! File {number}.\n{functions}");
            Hit {
                share: 1.0 / (1.0 + to_f64(number as u64) / 8.0),
                said: vec![format!("Said {number}.")],
                ..hit(&format!("src/file{number}.rs"), Language::Rust, &text)
            }
        };
        (0..20).map(file).collect()
    }

    fn within(files: &[Hit], tokens: u64) -> Ladder {
        answer("hidden f3", files, tokens)
    }

    fn answer(question: &str, files: &[Hit], tokens: u64) -> Ladder {
        let question = Query::of(question).expect("words");
        let rare = Terms {
            weights: vec![1.0; question.terms.len()],
            files: vec![1; question.terms.len()],
            is_declared: false,
        };
        Ladder::within(files, &question, &rare, tokens, &Steps::default())
    }

    #[test]
    fn what_fits_the_question_is_shown_first() {
        let ladder = within(&files(), 60);
        let first = "src/file0.rs\n  Said 0.\n  9 pub fn f3_0(walk: u3)\n";
        assert!(ladder.text.starts_with(first), "{}", ladder.text);
        let larger = within(&files(), 600).text;
        let is_name = |line: &str| line.starts_with("  also: f");
        let named = larger.lines().position(is_name).expect("names follow");
        let mut behind = larger.lines().skip(named);
        assert!(behind.any(|line| line.contains("fn ")), "{larger}");
        let none = within(&files(), 0);
        assert!(none.shown() == 0 && none.text.is_empty() && !none.is_whole && none.cut > 1.0);
    }

    /// Before, the second file had half of the weight of the first, however much less it had of the question.
    #[test]
    fn a_file_that_fits_much_less_waits() {
        let signatures_before = |share: f64| {
            let mut two: Vec<Hit> = files().into_iter().take(2).collect();
            two[1].share = share;
            let is_signature = |line: &Line| matches!(line, Line::Signature(_));
            let count =
                |lines: &BTreeSet<Line>| lines.iter().filter(|line| is_signature(line)).count();
            let found = (0..600).map(|tokens| within(&two, tokens).files);
            let mut found = found.map(|files| [count(&files[0]), count(&files[1])]);
            found.find(|[_, second]| *second > 0).expect("room for all")[0]
        };
        let (alike, less) = (signatures_before(1.0), signatures_before(0.2));
        assert!(alike <= 3 && less >= 6, "{alike} and {less}");
    }

    /// Before, a signature of ten lines came before ten signatures.
    #[test]
    fn a_long_signature_waits_for_short_ones() {
        let many = (0..60).map(|at| format!("parameter_{at}: Type{at}, "));
        let many = many.collect::<Vec<_>>().concat();
        let text = format!(
            "pub fn walk({many}) {{ walk() }}\n pub fn one() {{ walk() }}\npub fn two() {{ walk() }}\n"
        );
        let file = [hit("walk.rs", Language::Rust, &text)];
        for tokens in (0..1_200).step_by(20) {
            let text = answer("walk", &file, tokens).text;
            assert!(
                !text.contains("fn walk") || text.contains("fn one"),
                "{tokens}: {text}"
            );
        }
    }

    /// Before, an answer about a table in YAML was one key, forty times.
    #[test]
    fn keys_of_rows_are_named_once() {
        let row = |row: usize| format!("- case: hidden {row}\n  run: walk\n");
        let rows = (0..40).map(row).collect::<Vec<_>>().concat();
        let file = hit("table.yml", Language::Yaml, &rows);
        assert!(file.definitions.list.len() > 20, "{:?}", file.definitions);
        let text = within(&[file], 100).text;
        let names = text.split_whitespace().filter(|word| *word == "case");
        assert!(names.count() <= 1, "{text}");
    }

    /// Before, an answer ended with the names of what a package requires.
    #[test]
    fn keys_that_have_nothing_of_the_question_are_not_named() {
        let text = "name: till\nscripts:\n  lint: sell\n  hidden: walk\nlicence: MIT\n";
        let file = hit("till.yml", Language::Yaml, text);
        let text = within(&[file], 25).text;
        assert!(text.contains("hidden") && !text.contains("also:"), "{text}");
    }

    /// Before, each name had a line of its own with a number, five tokens for two.
    #[test]
    fn names_of_one_word_share_a_line() {
        let page = "# Walking\n\n## First steps\n\n## Paces\n\n## Paces\n";
        let file = hit("walk.md", Language::Markdown, page);
        let names = (0..4)
            .map(|at| Line::Name(DefinitionNumber::new(at)))
            .collect();
        assert_eq!(
            file.text(&names),
            "  3 First steps\n  also: Walking Paces Paces\n"
        );
        // What has a word of the question can be read at once.
        let place = [Line::Place(DefinitionNumber::new(0))].into();
        assert_eq!(file.text(&place), "  also: Walking:1\n");
        let shown = within(&[file], 60).text;
        assert_eq!(shown.matches("Paces").count(), 1, "{shown}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn more_tokens_never_show_less(one in 0_u64..3_000, more in 0_u64..500) {
            let files = files();
            let (small, large) = (within(&files, one), within(&files, one + more));
            prop_assert!(estimate(&small.text) <= one);
            if small.shown() < files.len() {
                let cost = |file: &Hit| estimate(&file.line(Line::Path)) + (0..12).map(|at| estimate(&file.line(Line::Signature(DefinitionNumber::new(at))))).max().unwrap_or(0);
                let longest = files.iter().map(cost).max().unwrap_or(0);
                prop_assert!(small.tokens + longest > one, "{} of {one}", small.tokens);
            }
            for (small, large) in small.files.iter().zip(&large.files) {
                let is_there = |line: &Line| large.contains(line)
                    || line.named().is_some_and(|at| large.contains(&Line::Signature(at)));
                prop_assert!(small.iter().all(is_there));
            }
        }
    }
}

//! The default payload: what a reader new to the repository needs first, fitted into a number of tokens. Pure.
//!
//! People's notes, statements about the root and its directories from the top, the symbol map, the beginning of the
//! README, the branch. Each but the map has a share that it does not pass; the map, whose files are chosen by how many
//! others refer to them, takes what is left. Where the map is whole, further statements and the rest of the README follow.

use std::sync::Arc;

use super::resource::{Body, Part, Resource};
use super::scope::ScopeSet;
use crate::base::count::counted;
use crate::base::fence::Fences;
use crate::base::token::estimate;

/// The parts of the room that each takes at most: one token in this number.
const NOTES_SHARE: u64 = 8;
const STATEMENTS_SHARE: u64 = 5;
const README_SHARE: u64 = 8;
const BRANCH_SHARE: u64 = 10;
/// Fewer tokens than these are no beginning of a statement.
const CUT_MIN: u64 = 30;
/// What the rule and the fences around a block take.
const AROUND: u64 = 14;
/// The same of the map, with its title.
const MAP_AROUND: u64 = 50;
/// How often the map is chosen again for what its short names have saved.
const MAP_TRIES: usize = 4;

/// A map within a budget.
#[derive(Debug, Clone, Default)]
pub struct MapPart {
    /// Its text; empty where nothing fits.
    pub text: String,
    /// Files in it.
    pub files: usize,
    /// Files that it leaves out.
    pub left: usize,
    /// True when every declaration of every file is in it.
    pub is_whole: bool,
    /// True when a question chose it.
    pub is_found: bool,
}

/// A README in two lengths.
#[derive(Debug, Clone)]
pub struct Readme {
    /// Its path.
    pub name: String,
    /// Its first section, without pictures and navigation.
    pub first: String,
    /// The same of all of it.
    pub whole: String,
}

/// A part with its tokens: it may be weighed several times for one document.
#[derive(Debug, Clone)]
pub struct CountedPart {
    part: Part,
    tokens: u64,
}

impl From<Part> for CountedPart {
    fn from(part: Part) -> Self {
        let tokens = cost(&part);
        Self { part, tokens }
    }
}

/// What a default payload is chosen from.
pub struct Overview<'m> {
    /// What people said, in the order of paths.
    pub notes: Vec<CountedPart>,
    /// The best statement about each directory, from the top.
    pub statements: Arc<Vec<CountedPart>>,
    /// The symbol map within this many tokens.
    pub map: &'m dyn Fn(u64) -> MapPart,
    /// The README of the root.
    pub readme: Option<Readme>,
    /// The branch, one line each.
    pub branch: Vec<String>,
    /// Files that none of this says anything of, as this clone does not hold them.
    pub absent: usize,
}

impl Overview<'_> {
    /// What fits into this many tokens, and true when that is all there is.
    #[must_use]
    pub fn fit(&self, tokens_max: u64) -> (Vec<Resource>, bool) {
        let mut shares = Shares {
            notes: tokens_max / NOTES_SHARE,
            statements: tokens_max / STATEMENTS_SHARE,
            readme: tokens_max / README_SHARE,
            branch: tokens_max / BRANCH_SHARE,
            cuts: false,
            whole_readme: false,
        };
        let (mut chosen, _) = self.choose(shares);
        let map = self.map_part(tokens_max.saturating_sub(chosen.tokens()));
        let mut is_all = false;
        let around_map = if map.text.is_empty() {
            0
        } else {
            estimate(&map.text) + MAP_AROUND
        };
        // One after the other: each may take what the map and those before it have left.
        for grown in [0, 1, 2, 3, 4] {
            let (left, now) = (
                tokens_max.saturating_sub(chosen.tokens() + around_map),
                chosen.shares(),
            );
            match grown {
                0 => shares.notes = shares.notes.max(now.notes + left),
                1 => shares.statements = shares.statements.max(now.statements + left),
                2 => shares.branch = shares.branch.max(now.branch + left),
                3 if map.is_whole => {
                    (shares.readme, shares.whole_readme) = (now.readme + left, true);
                }
                3 => shares.readme = shares.readme.max(now.readme + left),
                _ => (shares.statements, shares.cuts) = (now.statements + left, true),
            }
            (chosen, is_all) = self.choose(shares);
        }
        let map_is_whole = map.is_whole;
        let map = (!map.text.is_empty()).then(|| map_resource(&map));
        let Chosen {
            notes,
            statements,
            readme,
            branch,
        } = chosen;
        let parts = notes
            .into_iter()
            .chain(statements)
            .chain(map)
            .chain(readme)
            .chain(branch);
        (parts.map(resource).collect(), is_all && map_is_whole)
    }

    /// What fits into each share, and true when that is everything.
    fn choose(&self, shares: Shares) -> (Chosen, bool) {
        let (notes, has_notes) = within(&self.notes, shares.notes, false);
        let (statements, has_statements) = within(&self.statements, shares.statements, shares.cuts);
        let (branch, has_branch) = self.branch_part(shares.branch);
        let readme = self
            .readme
            .as_ref()
            .and_then(|readme| readme_part(readme, shares));
        let has_readme = self.readme.as_ref().is_none_or(|known| {
            readme
                .as_ref()
                .is_some_and(|part| *part.text == *known.whole)
        });
        (
            Chosen {
                notes,
                statements,
                readme,
                branch,
            },
            has_notes && has_statements && has_branch && has_readme,
        )
    }

    /// The map in this many tokens. Short names of directories make it shorter than was reckoned, so it is chosen again.
    fn map_part(&self, tokens_max: u64) -> MapPart {
        let room = tokens_max.saturating_sub(MAP_AROUND);
        let (mut ask, mut best) = (room, (self.map)(room));
        for _ in 0..MAP_TRIES {
            let used = estimate(&best.text);
            if best.is_whole || best.text.is_empty() || used + used / 20 >= room {
                break;
            }
            ask += room - used;
            let more = (self.map)(ask);
            if estimate(&more.text) > room {
                break;
            }
            best = more;
        }
        best
    }

    fn branch_part(&self, tokens_max: u64) -> (Option<Part>, bool) {
        let make = |lines: &[String], rest: &str| {
            let text: String = lines
                .iter()
                .flat_map(|line| [line, "\n"])
                .chain([rest])
                .collect();
            let title = "**Branch**: where this work stands.".to_owned();
            Part {
                name: "branch".to_owned(),
                title,
                language: "",
                text: text.into(),
            }
        };
        let whole = make(&self.branch, "");
        if self.branch.is_empty() || cost(&whole) <= tokens_max {
            return ((!self.branch.is_empty()).then_some(whole), true);
        }
        let mut left = tokens_max.saturating_sub(3 * AROUND);
        let fits = self.branch.iter().take_while(|line| {
            let rest = left.checked_sub(estimate(line) + 1);
            left = rest.unwrap_or_default();
            rest.is_some()
        });
        let count = fits.count();
        let rest = format!("… ({} more lines)\n", self.branch.len() - count);
        (
            (count > 0).then(|| make(&self.branch[..count], &rest)),
            false,
        )
    }
}

/// The most tokens of each.
#[derive(Debug, Clone, Copy)]
struct Shares {
    notes: u64,
    statements: u64,
    readme: u64,
    branch: u64,
    /// True when the first statement that does not fit is cut.
    cuts: bool,
    /// True when the README may be there in full.
    whole_readme: bool,
}

/// What was chosen besides the map.
struct Chosen {
    notes: Vec<Part>,
    statements: Vec<Part>,
    readme: Option<Part>,
    branch: Option<Part>,
}

impl Chosen {
    /// What each takes.
    fn shares(&self) -> Shares {
        let sum = |parts: &[Part]| parts.iter().map(cost).sum();
        let (notes, statements) = (sum(&self.notes), sum(&self.statements));
        Shares {
            notes,
            statements,
            readme: sum(self.readme.as_slice()),
            branch: sum(self.branch.as_slice()),
            cuts: false,
            whole_readme: false,
        }
    }

    fn tokens(&self) -> u64 {
        let Shares {
            notes,
            statements,
            readme,
            branch,
            ..
        } = self.shares();
        notes + statements + readme + branch
    }
}

/// The parts that fit, in their order, and true when those are all.
fn within(parts: &[CountedPart], tokens_max: u64, cuts: bool) -> (Vec<Part>, bool) {
    let (mut left, mut is_all) = (tokens_max, true);
    let mut chosen = Vec::new();
    for CountedPart { part, tokens } in parts {
        match left.checked_sub(*tokens) {
            Some(rest) => {
                left = rest;
                chosen.push(part.clone());
            }
            None => {
                let around = || estimate(&part.title) + 2 * AROUND;
                if cuts
                    && left >= CUT_MIN
                    && let Some(room) = left.checked_sub(around()).filter(|room| *room >= CUT_MIN)
                {
                    let text = first_lines(&part.text, room);
                    let title = format!("{} Its beginning.", part.title);
                    chosen.push(Part {
                        text: text.into(),
                        title,
                        ..part.clone()
                    });
                    left = 0;
                }
                is_all = false;
            }
        }
    }
    (chosen, is_all)
}

fn cost(part: &Part) -> u64 {
    estimate(&part.text) + estimate(&part.title) + AROUND
}

/// The README in this many tokens: all of it, its first section, or as many lines as fit; `None` where none does.
fn readme_part(readme: &Readme, shares: Shares) -> Option<Part> {
    let tokens_max = shares.readme;
    let title = |what: &str| {
        format!(
            "**README**, {what}: {}",
            super::markdown::code(&readme.name)
        )
    };
    let make = |what: &str, text: &str| Part {
        name: readme.name.clone(),
        title: title(what),
        language: "markdown",
        text: Arc::from(text),
    };
    let (whole, first) = (
        make("without pictures", &readme.whole),
        make("its first section", &readme.first),
    );
    let may_be_whole = shares.whole_readme || readme.whole == readme.first;
    let longest = [(may_be_whole, whole), (!shares.whole_readme, first)].into_iter();
    if let Some((_, part)) = longest
        .filter(|(may, _)| *may)
        .find(|(_, part)| cost(part) <= tokens_max)
    {
        return Some(part);
    }
    let text = if shares.whole_readme {
        &readme.whole
    } else {
        &readme.first
    };
    let lines = first_lines(text, tokens_max.saturating_sub(3 * AROUND));
    (!lines.is_empty()).then(|| make("its first lines", lines))
}

/// As many lines as fit into this many tokens.
fn first_lines(text: &str, tokens_max: u64) -> &str {
    let (mut left, mut end) = (tokens_max, 0);
    for line in text.split_inclusive('\n') {
        let Some(rest) = left.checked_sub(estimate(line)) else {
            break;
        };
        left = rest;
        end += line.len();
    }
    &text[..end]
}

fn map_resource(map: &MapPart) -> Part {
    if map.is_found {
        let title = format!(
            "**Found** for the question: what matters most in {}, the best first, each definition with its lines; {} words of it.",
            counted(map.files, "file", "files"),
            counted(map.left, "more file has", "more files have")
        );
        return Part {
            name: "found".to_owned(),
            title,
            language: "",
            text: map.text.as_str().into(),
        };
    }
    let title = match map.left {
        0 => "**Symbol map**: what every file declares and refers to.".to_owned(),
        left => format!(
            "**Symbol map**: what {} and refer to, those first that most others refer to; {left} more {} left out.",
            counted(map.files, "file declares", "files declare"),
            if left == 1 { "is" } else { "are" }
        ),
    };
    Part {
        name: "symbol map".to_owned(),
        title,
        language: "",
        text: map.text.as_str().into(),
    }
}

fn resource(part: Part) -> Resource {
    let name = part.name.clone().into_bytes();
    Resource {
        name,
        body: Body::Part(part),
        scopes: ScopeSet::default(),
        state: None,
        notes: Vec::new(),
    }
}

/// A README without what only pictures, badges and links to click on say: its first section, and all of it.
#[must_use]
pub fn readme_text(text: &str) -> (String, String) {
    let whole = plain_lines(text);
    (first_section(&whole), whole)
}

/// The lines of a text that say something by themselves.
fn plain_lines(text: &str) -> String {
    let (mut out, mut is_comment, mut was_empty) = (String::new(), false, true);
    let (text, mut fences) = (without_pictures(text), Fences::default());
    for line in text.lines() {
        let trimmed = line.trim();
        if !fences.takes(line) {
            if is_comment || trimmed.starts_with("<!--") {
                is_comment = !trimmed.contains("-->");
                continue;
            }
            if !trimmed.is_empty() && says_nothing(trimmed) {
                continue;
            }
        }
        if trimmed.is_empty() && was_empty {
            continue;
        }
        was_empty = trimmed.is_empty();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// A text without its pictures, those over several lines included; what stands in fences stays.
fn without_pictures(text: &str) -> String {
    let (mut out, mut is_fenced) = (String::with_capacity(text.len()), false);
    let (mut rest, mut is_start, mut fences) = (text, true, Fences::default());
    while let Some(c) = rest.chars().next() {
        if is_start {
            is_fenced = fences.takes(rest.lines().next().unwrap_or_default());
        }
        let picture = if is_fenced || !matches!(c, '[' | '!') {
            None
        } else {
            skip_picture(rest)
        };
        let is_one = |end: &usize| !rest[..*end].contains("\n\n");
        is_start = c == '\n';
        match picture.filter(is_one) {
            Some(end) => rest = &rest[end..],
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// True for a line of nothing but pictures, tags, targets of links, and links in a row.
fn says_nothing(line: &str) -> bool {
    if line.starts_with(".. image::")
        || line.starts_with(".. |")
        || line.starts_with(":target:")
        || line.starts_with(":alt:")
    {
        return true;
    }
    if line.starts_with('[')
        && line
            .split_once("]:")
            .is_some_and(|(label, _)| !label.contains(' '))
    {
        return true;
    }
    let (mut rest, mut words, mut links) = (line, 0, 0);
    while let Some(c) = rest.chars().next() {
        if let Some(end) = skip_tag(rest).or_else(|| skip_picture(rest)) {
            rest = &rest[end..];
        } else if let Some(end) = skip_link(rest) {
            links += 1;
            rest = &rest[end..];
        } else {
            words += usize::from(c.is_alphanumeric());
            rest = &rest[c.len_utf8()..];
        }
    }
    // One link alone may be a sentence of a list, unless it leads within the text; several in a row lead elsewhere.
    words == 0
        && (links != 1 || line.starts_with('<') || line.contains("](#"))
        && line.chars().any(|c| matches!(c, '<' | '[' | '!'))
}

fn skip_tag(text: &str) -> Option<usize> {
    let after = text.strip_prefix('<')?;
    let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    is_tag
        .then(|| near(text).find('>').map(|at| at + 1))
        .flatten()
}

/// As much of a text as is looked at for the end of a tag or link: in a README of nothing but beginnings each would be looked
/// for to the end of it.
fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(PART_BYTES_MAX)]
}

/// `![…](…)`, alone or as the text of a link.
fn skip_picture(text: &str) -> Option<usize> {
    if let Some(inner) = text
        .strip_prefix('[')
        .filter(|inner| inner.starts_with("!["))
    {
        let picture = 1 + skip_picture(inner)?;
        return text[picture..]
            .strip_prefix(']')
            .map(|_| picture + 1 + target_end(&text[picture + 1..]));
    }
    skip_link(text.strip_prefix('!')?).map(|end| end + 1)
}

/// `[…](…)` or `[…][…]`.
fn skip_link(text: &str) -> Option<usize> {
    let close = near(text.strip_prefix('[')?).find(']')? + 2;
    let target = target_end(&text[close..]);
    (target > 0).then_some(close + target)
}

/// The length of a target behind a link's text; 0 for none.
fn target_end(text: &str) -> usize {
    let close = match text.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return 0,
    };
    near(text).find(close).map_or(0, |at| at + 1)
}

/// Longest tag, picture or text of a link; a picture may stand in its target.
const PART_BYTES_MAX: usize = 16 * 1024;
/// Words of a first section that says enough.
const WORDS_MIN: usize = 40;

/// The text up to the heading after which enough has been said, at least one section.
fn first_section(text: &str) -> String {
    let (mut end, mut words, mut headings, mut fences) = (0, 0, 0, Fences::default());
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_end();
        let is_fenced = fences.takes(trimmed);
        let is_underlined = lines
            .get(at + 1)
            .is_some_and(|next| is_underline(next.trim_end()))
            && !trimmed.is_empty();
        if !is_fenced && (trimmed.starts_with('#') || is_underlined) {
            headings += 1;
            if headings > 1 && words >= WORDS_MIN {
                break;
            }
        } else {
            words += trimmed.split_whitespace().count();
        }
        end += line.len();
    }
    text[..end].to_owned()
}

fn is_underline(line: &str) -> bool {
    line.len() >= 3
        && ['=', '-', '~', '^']
            .iter()
            .any(|mark| line.chars().all(|c| c == *mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "\
<p align=\"center\"><img src=\"logo.svg\"></p>

# Beds

[![CI](https://ci.example/x.svg)](https://ci.example) ![docs](d.svg)
[Docs](https://d.example) | [Chat](https://c.example) · [Blog](https://b.example)

<!-- a comment
over lines -->
Plans a vegetable garden: what to sow, where, and when. It knows crops, beds and years, and says
what may follow what on the same bed, so that the soil stays healthy and nothing is sown twice in the
same place. See [the guide](https://g.example) for more.

## Install

    cargo install beds

[ci]: https://ci.example
";

    #[test]
    fn a_readme_is_left_with_what_it_says() {
        let (first, whole) = readme_text(README);
        assert!(
            first.starts_with("# Beds\n\nPlans a vegetable garden"),
            "{first}"
        );
        assert!(first.ends_with("for more.\n\n"), "{first}");
        assert!(
            whole.ends_with("## Install\n\n    cargo install beds\n"),
            "{whole}"
        );
        assert_eq!(
            readme_text("Name\n====\n\nshort\n\nUse\n---\n\nmore\n").0,
            "Name\n====\n\nshort\n\nUse\n---\n\nmore\n"
        );
        assert_eq!(
            readme_text("- [one](1)\n- [two](2) and words\n").1,
            "- [one](1)\n- [two](2) and words\n"
        );
    }

    fn part(name: &str, words: usize) -> Part {
        Part {
            name: name.to_owned(),
            title: format!("**{name}**"),
            language: "",
            text: "word ".repeat(words).into(),
        }
    }

    #[test]
    fn the_map_takes_what_the_shares_leave_and_the_rest_follows_a_whole_map() {
        let all = 2_000_usize;
        let map = |tokens_max: u64| {
            let files = all.min(crate::base::number::to_index(tokens_max / 10));
            let text = "word ".repeat(files * 10);
            MapPart {
                text,
                files,
                left: all - files,
                is_whole: files == all,
                is_found: false,
            }
        };
        let statements = (0..50)
            .map(|number| part(&format!("d{number}"), 200).into())
            .collect::<Vec<CountedPart>>();
        let (first, whole) = ("word ".repeat(100), "word ".repeat(3_000));
        let readme = Some(Readme {
            name: "README".to_owned(),
            first,
            whole,
        });
        let branch = vec!["line of a branch".to_owned(); 500];
        let overview = Overview {
            notes: vec![part("n", 30).into()],
            statements: Arc::new(statements),
            map: &map,
            readme,
            branch,
            absent: 0,
        };
        for tokens_max in [1_000, 3_000, 8_000, 24_000, 30_000, 40_000, 60_000] {
            let (resources, is_all) = overview.fit(tokens_max);
            let taken: u64 = resources
                .iter()
                .map(|resource| match &resource.body {
                    Body::Part(part) => cost(part),
                    _ => 0,
                })
                .sum();
            assert!(taken <= tokens_max, "{taken} of {tokens_max}");
            assert!(
                is_all || taken * 10 >= tokens_max * 9,
                "{taken} of {tokens_max}"
            );
            assert_eq!(is_all, tokens_max >= 40_000, "{tokens_max}");
        }
    }
}

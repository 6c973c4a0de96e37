//! The lines of a review, for terminals and Markdown alike: what is said, and in which tone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Changes, File, How, Refers, ReviewedNumber, Section};
use super::delta::{Piece, delta};
use super::listed::{all_of, list, shown};
use super::reason::reason;
use super::role::FileRole;
use super::signature::find_word;
use super::verdict::verdict;
use crate::base::TreePath;
use crate::base::count::counted;
use crate::base::number::IndexVec;
use crate::symbol::Kind;

/// What a text is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// What the line is about.
    Name,
    /// What went.
    Old,
    /// What came.
    New,
    /// What can be skipped by the eye.
    Dim,
}

/// One line, in pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledLine(pub Vec<(Tone, String)>);

impl StyledLine {
    fn of(tone: Tone, text: impl Into<String>) -> Self {
        Self(vec![(tone, text.into())])
    }

    fn add(&mut self, tone: Tone, text: impl Into<String>) -> &mut Self {
        self.0.push((tone, text.into()));
        self
    }

    /// Its text alone.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// Names on one line.
const NAMES_MAX: usize = 5;
/// Files that are named where they refer to something; of more their number is enough.
const REFERRING_MAX: usize = 3;

/// Lines of a review of which not more is shown; of more each part shows less.
const LINES_MAX: usize = 18;
/// Names of what follows.
const FOLLOWING_MAX: usize = 8;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// Of each section what is heaviest; the rest by its number and its files.
    Short,
    /// The same with less of each, for what is large.
    Tight,
    /// Everything.
    All,
}

/// What is said about changes; nothing where nothing differs.
#[must_use]
pub fn say(changes: &Changes, detail: Verbosity) -> Vec<StyledLine> {
    if changes.files.is_empty() {
        return Vec::new();
    }
    let verdict = StyledLine::of(Tone::Name, capital(&verdict(changes).line()));
    let mut parts = parts(changes, detail);
    let lines: usize = parts.iter().map(|part| part.lines.len()).sum();
    if detail == Verbosity::Short && lines > LINES_MAX {
        parts = self::parts(changes, Verbosity::Tight);
    }
    let parts = parts.into_iter();
    [verdict]
        .into_iter()
        .chain(parts.flat_map(|part| part.lines))
        .collect()
}

/// What the parts are about, in order; tests stand behind what else there is of code.
const TITLES: [(Section, &str); 8] = [
    (Section::Public, "What others see"),
    (Section::Body, "Bodies and internal signatures"),
    (Section::Added, "New"),
    (Section::Moved, "Moved"),
    (Section::Private, "Private"),
    (Section::Caller, "Callers"),
    (Section::Aside, "Examples, tools, what is generated"),
    (Section::Test, TESTS),
];
const SILENT: &str = "Code outside of declarations";
const TESTS: &str = "Tests";
const OTHERS: &str = "Other files";

/// The title of a part for each file, and a section.
type FileParts = IndexVec<ReviewedNumber, (&'static str, Option<Section>)>;

/// The first part that tells of each file, and the section of what changed in it, if any.
#[must_use]
pub fn parts_of_files(changes: &Changes) -> FileParts {
    let mut sections: IndexVec<_, Option<Section>> = vec![None; changes.files.len()].into();
    for change in &changes.list {
        for file in [Some(change.file), change.from].into_iter().flatten() {
            let known = &mut sections[file];
            *known = Some(known.map_or(change.section, |known| known.min(change.section)));
        }
    }
    let title = |(file, section): (&File, Option<Section>)| {
        let of_section = |wanted: Section| {
            let known = TITLES.iter().find(|(section, _)| *section == wanted);
            known.map_or(OTHERS, |(_, title)| *title)
        };
        let title = match section {
            Some(section) => of_section(section),
            None if file.role() == FileRole::Test && reason(file).is_none() => TESTS,
            None if file.is_code() && file.moved_from().is_some() => of_section(Section::Moved),
            None if file.is_code() || reason(file).is_some() => SILENT,
            None => OTHERS,
        };
        (title, section)
    };
    changes.files.iter().zip(sections).map(title).collect()
}

/// The lines of one part of a review, under what they are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewPart {
    /// What they are about.
    pub title: &'static str,
    /// At least one.
    pub lines: Vec<StyledLine>,
}

/// The same without the verdict, part by part in the order in which a reviewer reads.
#[must_use]
pub fn parts(changes: &Changes, detail: Verbosity) -> Vec<ReviewPart> {
    let mut parts: Vec<(&str, Vec<StyledLine>)> = Vec::new();
    for (section, title) in TITLES {
        let lines = match section {
            Section::Test => continue,
            section => section_lines(changes, section, detail),
        };
        parts.push((title, lines));
    }
    parts.push((SILENT, silent(changes)));
    parts.push((TESTS, tests(changes).into_iter().collect()));
    parts.push((OTHERS, others(changes, detail).into_iter().collect()));
    let parts = parts.into_iter().filter(|(_, lines)| !lines.is_empty());
    parts
        .map(|(title, lines)| ReviewPart { title, lines })
        .collect()
}

fn section_lines(changes: &Changes, section: Section, detail: Verbosity) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    if section == Section::Moved {
        lines.extend(renamed(changes));
    }
    let within: Vec<&Change> = changes
        .list
        .iter()
        .filter(|change| change.section == section)
        .collect();
    let groups = groups(&within);
    let most = lines_max(section, detail);
    // One line that says how many there are more would take the place of one.
    let shown = if groups.len() <= most.saturating_add(1) {
        groups.len()
    } else {
        most
    };
    if section == Section::Caller && shown < groups.len() {
        return vec![follow(changes, &groups, detail)];
    }
    lines.extend(
        groups[..shown]
            .iter()
            .map(|group| said(changes, group, detail)),
    );
    lines.extend(rest(changes, &groups[shown..]));
    lines
}

/// Lines of a section.
fn lines_max(section: Section, detail: Verbosity) -> usize {
    let [short, tight] = match section {
        Section::Public => [8, 5],
        Section::Body => [4, 3],
        Section::Added => [3, 1],
        Section::Moved => [3, 2],
        Section::Caller | Section::Private => [2, 1],
        Section::Aside | Section::Test => [1, 1],
    };
    match detail {
        Verbosity::Short => short,
        Verbosity::Tight => tight,
        Verbosity::All => usize::MAX,
    }
}

/// Much that follows: the names in one line.
fn follow(changes: &Changes, groups: &[Vec<&Change>], detail: Verbosity) -> StyledLine {
    let most = match detail {
        Verbosity::Tight => NAMES_MAX - 1,
        Verbosity::Short | Verbosity::All => FOLLOWING_MAX,
    };
    let all: Vec<&Change> = groups.iter().flatten().copied().collect();
    let mut line = StyledLine::default();
    names("", most, Tone::Name, &all, &mut line);
    let paths = paths(changes, &all);
    line.add(Tone::Dim, format!("   {}   follow", all_of(&paths)));
    line
}

/// The files of changes.
fn paths<'c>(changes: &'c Changes, all: &[&Change]) -> Vec<&'c TreePath> {
    let mut paths: Vec<&TreePath> = all.iter().map(|change| changes.path_of(change)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// What is not shown, by its number and its files: no file of code is left out.
fn rest(changes: &Changes, groups: &[Vec<&Change>]) -> Option<StyledLine> {
    let all: Vec<&Change> = groups.iter().flatten().copied().collect();
    let paths = paths(changes, &all);
    (!all.is_empty()).then(|| {
        StyledLine::of(
            Tone::Dim,
            format!("… {} more in {}", all.len(), all_of(&paths)),
        )
    })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// What is said in one line: signatures that changed alike, other changes of one kind in one file.
fn groups<'c>(list: &[&'c Change]) -> Vec<Vec<&'c Change>> {
    let mut keys: BTreeMap<(How, String), usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Change>> = Vec::new();
    for change in list {
        let file = change.file.raw();
        let key = match change.how {
            How::Signature if change.old.is_none() || change.new.is_none() => {
                let one = change.declaration();
                format!("{file} {} {}", one.name, change.new.is_some())
            }
            How::Signature | How::Value => match alike(change) {
                Some(text) => text,
                None => {
                    groups.push(vec![change]);
                    continue;
                }
            },
            How::Moved => format!("{file} {:?}", change.from),
            // Who relied on what is gone is told for each.
            How::Removed
                if change.section == Section::Public && !change.refers.files.is_empty() =>
            {
                format!("{file} {:?}", change.refers)
            }
            _ => file.to_string(),
        };
        let at = *keys.entry((change.how, key)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(change);
    }
    groups
}

/// The change of a signature without the name, where others may have the same.
fn alike(change: &Change) -> Option<String> {
    let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
    let pieces = without_name(delta(old, new), &new.name);
    let is_telling = pieces.iter().any(|piece| !matches!(piece, Piece::Same(_)));
    is_telling.then(|| format!("{pieces:?} {}", change.has_body))
}

/// The pieces without the name and without what stands for unchanged parameters.
fn without_name(pieces: Vec<Piece>, name: &str) -> Vec<Piece> {
    let mut is_named = false;
    let mut kept = |text: String| match find_word(&text, name).filter(|_| !is_named) {
        Some(at) => {
            is_named = true;
            [
                &text[..at],
                if at > 0 { "…" } else { "" },
                &text[at + name.len()..],
            ]
            .concat()
        }
        None => text,
    };
    let strip = |text: String| {
        text.replace("(…, ", "(")
            .replace(", …)", ")")
            .replace(", …, ", ", ")
    };
    let mut stripped: Vec<Piece> = Vec::new();
    for piece in pieces {
        let piece = match piece {
            Piece::Same(text) if stripped.is_empty() => {
                Piece::Same(strip(kept(text)).trim_start().to_owned())
            }
            Piece::Same(text) => Piece::Same(strip(kept(text))),
            other => other,
        };
        if piece != Piece::Same(String::new()) {
            stripped.push(piece);
        }
    }
    stripped
}

fn said(changes: &Changes, group: &[&Change], detail: Verbosity) -> StyledLine {
    let first = group[0];
    let mut line = StyledLine::default();
    let most = names_max(detail);
    match first.how {
        How::Signature | How::Value => signatures(group, most, &mut line),
        How::Removed => names("− ", most, Tone::Old, group, &mut line),
        How::Added => names("+ ", most, Tone::New, group, &mut line),
        How::Moved => names("moved: ", most, Tone::Plain, group, &mut line),
        How::Body | How::Order => names("", most, Tone::Name, group, &mut line),
    }
    line.add(Tone::Dim, format!("   {}", places(changes, group)));
    line.add(Tone::Dim, what(first.how, group.len()));
    let refers = together(group);
    if first.section < Section::Moved
        || !refers.files.is_empty() && first.section == Section::Private
    {
        referring(&refers, first.how, &mut line);
    }
    line
}

/// What of declarations is another, where neither a mark nor a signature says it.
fn what(how: How, count: usize) -> &'static str {
    match (how, count) {
        (How::Body, 1) => "   body",
        (How::Body, _) => "   bodies",
        (How::Order, _) => "   order of members",
        _ => "",
    }
}

fn names_max(detail: Verbosity) -> usize {
    match detail {
        Verbosity::All => usize::MAX,
        Verbosity::Short => NAMES_MAX,
        Verbosity::Tight => NAMES_MAX - 1,
    }
}

/// Names with what goes along, as in `class RequestContext (13 members)`; members of one owner behind its name.
fn names(mark: &str, most: usize, tone: Tone, group: &[&Change], line: &mut StyledLine) {
    line.add(Tone::Plain, mark);
    let mut owned: Vec<(String, Vec<String>)> = Vec::new();
    for change in group.iter().take(most) {
        let one = change.declaration();
        let title = title(change);
        let owner = one.name.strip_suffix(&one.own).unwrap_or_default();
        let own = title.strip_prefix(owner).filter(|_| !owner.is_empty());
        match (own, owned.iter_mut().find(|(known, _)| known == owner)) {
            (Some(own), Some((_, names))) => names.push(own.to_owned()),
            (Some(own), None) => owned.push((owner.to_owned(), vec![own.to_owned()])),
            (None, _) => owned.push((String::new(), vec![title])),
        }
    }
    let text = |(owner, names): &(String, Vec<String>)| match &names[..] {
        [one] => format!("{owner}{one}"),
        several => format!("{owner}{{{}}}", several.join(", ")),
    };
    for (at, part) in owned.iter().enumerate() {
        line.add(Tone::Plain, if at > 0 { ", " } else { "" });
        line.add(tone, text(part));
    }
    if let Some(more) = group.len().checked_sub(most).filter(|more| *more > 0) {
        line.add(Tone::Plain, format!(" and {more} more"));
    }
}

fn title(change: &Change) -> String {
    let one = change.declaration();
    let title = match one.kind {
        Kind::Implementation => one.signature.clone(),
        kind if !matches!(change.how, How::Body | How::Order) && is_type(kind) => {
            format!("{} {}", kind.words().0, one.name)
        }
        _ => one.name.clone(),
    };
    if change.members.is_empty() {
        return title;
    }
    let members = counted(change.members.len(), "member", "members");
    format!("{title} ({members})")
}

fn is_type(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Module | Kind::Macro
    )
}

/// What differs, and in which declarations where it is the same in several.
fn signatures(group: &[&Change], most: usize, line: &mut StyledLine) {
    let first = group[0];
    let (Some(old), Some(new)) = (&first.old, &first.new) else {
        return overloads(group, line);
    };
    let mut pieces = delta(old, new);
    let is_shown = pieces.iter().any(|piece| !matches!(piece, Piece::Same(_)));
    if group.len() > 1 {
        pieces = without_name(pieces, &new.name);
    }
    for (at, piece) in pieces.iter().enumerate() {
        let is_pair = matches!(pieces.get(at + 1), Some(Piece::New(_)));
        match piece {
            Piece::Same(text) => line.add(Tone::Name, text),
            Piece::Old(text) if is_pair => line.add(Tone::Old, text).add(Tone::Plain, "→"),
            Piece::Old(text) => line.add(Tone::Old, format!("−{text}")),
            Piece::New(text) if at > 0 && matches!(pieces[at - 1], Piece::Old(_)) => {
                line.add(Tone::New, text)
            }
            Piece::New(text) => line.add(Tone::New, format!("+{text}")),
        };
    }
    if !is_shown {
        line.add(
            Tone::Plain,
            if first.declaration().has_value() {
                " value"
            } else {
                " kind"
            },
        );
    }
    if first.has_body {
        line.add(Tone::Plain, ", body");
    }
    if group.len() > 1 {
        line.add(Tone::Plain, " in ");
        names("", most, Tone::Name, group, line);
    }
}

/// A name that is declared once more than before, or once less, or more often.
fn overloads(group: &[&Change], line: &mut StyledLine) {
    let one = group[0].declaration();
    let (tone, mark) = match group[0].new {
        Some(_) => (Tone::New, "+"),
        None => (Tone::Old, "−"),
    };
    line.add(Tone::Name, format!("{} ", one.name));
    let whole = match group {
        [_] => format!("{} {}", one.attributes.join(" "), one.signature),
        several => format!("{} overloads", several.len()),
    };
    line.add(tone, format!("{mark}{}", whole.trim()));
}

/// Where they stand, with the line where there is one.
fn places(changes: &Changes, group: &[&Change]) -> String {
    let first = group[0];
    let path = changes.path_of(first);
    if let (How::Moved, Some(from)) = (first.how, changes.source_of(first)) {
        return format!("{} → {}", shown(from), shown(path));
    }
    if let [one] = group
        && one.new.is_some()
    {
        return format!("{}:{}", shown(path), one.declaration().line);
    }
    list(&paths(changes, group))
}

fn together(group: &[&Change]) -> Refers {
    let mut files: Vec<TreePath> = group
        .iter()
        .flat_map(|change| change.refers.files.clone())
        .collect();
    files.sort();
    files.dedup();
    let tests = group
        .iter()
        .map(|change| change.refers.tests)
        .max()
        .unwrap_or(0);
    Refers { files, tests }
}

/// Who refers to it, or did.
fn referring(refers: &Refers, how: How, line: &mut StyledLine) {
    let tests = match refers.tests {
        0 => String::new(),
        count => counted(count, "test", "tests"),
    };
    let paths: Vec<&TreePath> = refers.files.iter().collect();
    let files = match paths.len() {
        0 => String::new(),
        1..=REFERRING_MAX => list(&paths),
        count => counted(count, "file", "files"),
    };
    let both = [files, tests]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    if !both.is_empty() {
        line.add(
            Tone::Dim,
            format!(
                "   {} {both}",
                if how == How::Removed { "was in" } else { "←" }
            ),
        );
    }
}

/// Files that stand elsewhere.
fn renamed(changes: &Changes) -> Vec<StyledLine> {
    let mut by_folder: BTreeMap<_, Vec<(&TreePath, &TreePath)>> = BTreeMap::new();
    for file in &changes.files {
        if let (Some(from), true) = (
            file.moved_from(),
            file.is_code() && file.role() != FileRole::Test,
        ) {
            let to = file.path();
            let folder = |path: &TreePath| path.parent().unwrap_or_default().as_bytes().to_vec();
            by_folder
                .entry((folder(from), folder(to)))
                .or_default()
                .push((from, to));
        }
    }
    let mut lines = Vec::new();
    let mut by_folder: Vec<_> = by_folder.into_iter().collect();
    by_folder.sort_by_key(|(_, files)| Reverse(files.len()));
    for ((_, to_folder), files) in by_folder {
        let is_named_alike = files.iter().all(|(from, to)| from.name() == to.name());
        if is_named_alike {
            let from: Vec<&TreePath> = files.iter().map(|(from, _)| *from).collect();
            lines.push(StyledLine::of(
                Tone::Plain,
                format!(
                    "moved: {} → {}/",
                    list(&from),
                    shown(&TreePath::new(to_folder))
                ),
            ));
        } else {
            let one = |(from, to): &(&TreePath, &TreePath)| {
                StyledLine::of(
                    Tone::Plain,
                    format!("moved: {} → {}", shown(from), shown(to)),
                )
            };
            lines.extend(files.iter().map(one));
        }
    }
    lines
}

/// Programs' files in which nothing that is declared has changed, by what else did; and those whose statements have.
fn silent(changes: &Changes) -> Vec<StyledLine> {
    let mut spoken = IndexVec::from_vec(vec![false; changes.files.len()]);
    for change in &changes.list {
        spoken[change.file] = true;
        if let Some(from) = change.from {
            spoken[from] = true;
        }
    }
    let mut by_reason: BTreeMap<&str, Vec<&TreePath>> = BTreeMap::new();
    for ((number, file), is_spoken) in changes.files.iter_enumerated().zip(spoken) {
        let reason = if changes.statements.contains(&number) {
            Some("statements")
        } else {
            reason(file).filter(|_| !is_spoken)
        };
        if let Some(reason) = reason {
            by_reason.entry(reason).or_default().push(file.path());
        }
    }
    let line = |(reason, paths): (&str, Vec<&TreePath>)| {
        StyledLine::of(Tone::Plain, format!("{reason}: {}", all_of(&paths)))
    };
    by_reason.into_iter().map(line).collect()
}

/// Tests in one line.
fn tests(changes: &Changes) -> Option<StyledLine> {
    let tests = || {
        changes
            .list
            .iter()
            .filter(|change| change.section == Section::Test)
    };
    let (mut added, mut removed, mut changed) = (0, 0, 0);
    for change in tests() {
        match change.how {
            How::Added => added += 1,
            How::Removed => removed += 1,
            _ => changed += 1,
        }
    }
    let has_tests: BTreeSet<_> = tests().map(|change| change.file).collect();
    let files = changes.files.iter_enumerated();
    let files =
        files.filter(|(number, file)| file.role() == FileRole::Test || has_tests.contains(number));
    let paths: Vec<&TreePath> = files.map(|(_, file)| file.path()).collect();
    if paths.is_empty() {
        return None;
    }
    let counts: Vec<String> = [(added, "added"), (removed, "removed"), (changed, "changed")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let place = if paths.len() > 1 {
        format!("{} files", paths.len())
    } else {
        list(&paths)
    };
    let said = if counts.is_empty() {
        place
    } else {
        format!("{} in {place}", counts.join(", "))
    };
    Some(StyledLine::of(Tone::Dim, format!("tests: {said}")))
}

/// Documents and data in one line.
fn others(changes: &Changes, detail: Verbosity) -> Option<StyledLine> {
    let is_other =
        |file: &&File| !file.is_code() && file.role() != FileRole::Test && reason(file).is_none();
    let of = |wanted: fn(&File) -> bool| -> Vec<&TreePath> {
        let files = changes.files.iter().filter(is_other);
        files.filter(|file| wanted(file)).map(File::path).collect()
    };
    let lists = [
        ("", of(|file| file.old.is_some() && file.new.is_some())),
        ("new ", of(|file| file.old.is_none())),
        ("gone ", of(|file| file.new.is_none())),
    ];
    let parts = lists.iter().filter(|(_, paths)| !paths.is_empty());
    let parts: Vec<String> = parts
        .map(|(mark, paths)| match detail {
            Verbosity::Tight => format!("{mark}{}", counted(paths.len(), "file", "files")),
            Verbosity::Short | Verbosity::All => format!("{mark}{}", list(paths)),
        })
        .collect();
    (!parts.is_empty()).then(|| StyledLine::of(Tone::Dim, format!("no code: {}", parts.join("; "))))
}

//! The notation of a map: a block of lines for each file, in the marks that the legend explains.
//!
//! Text from the repository never breaks a line, moves a cursor or reorders what is read: what could is escaped.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::entries::{EntryNumber, MapEntry, Mark, Parts};
use super::excerpt::Excerpt;
use super::file::{FileNumber, MapFile, MapFiles};
use super::import::Import;
use super::kept::FileReferences;
use super::kept::References;
use super::legend::Legend;
use super::rank::MapOrder;
use crate::base::TreePath;
use crate::base::cores::on_all_cores;
use crate::base::path::quote;
use crate::base::printable::printable;

/// Most imports of one sort on one line.
const IMPORTS_MAX: usize = 12;
/// Most names that one entry is said to refer to.
const CALLS_MAX: usize = 6;

/// Most parameters or bases of one entry.
const PARTS_MAX: usize = 12;
/// Declarations of a file of which little is said.
const BRIEF_MAX: usize = 12;

/// Room that is made for a line; most are shorter.
const LINE_BYTES: usize = 48;

/// How much is said about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Its path.
    Name,
    /// Its first public declarations, without members.
    Brief,
    /// Its public declarations, alone.
    Public,
    /// Everything.
    Full,
}

/// What a map tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// How much of each file.
    pub level: Level,
    /// Whether counts of references are given, which change with other files' edits.
    pub has_counts: bool,
    /// Whether lines are numbered, which changes with every edit above.
    pub has_lines: bool,
}

impl Detail {
    /// For people and single requests: everything but line numbers.
    pub const PRINTED: Self = Self {
        level: Level::Full,
        has_counts: true,
        has_lines: false,
    };
    /// For blocks that are kept in a message array: nothing that another file's edit changes often.
    pub const KEPT: Self = Self {
        level: Level::Full,
        has_counts: false,
        has_lines: false,
    };
}

/// What stands behind the path of a file whose content is not in this clone.
const ABSENT: &str = " (content missing)";

/// The files of a snapshot with their references, ready to be written.
pub struct SymbolMap<'m> {
    files: &'m MapFiles<'m>,
    references: &'m References,
    order: Arc<MapOrder>,
}

impl<'m> SymbolMap<'m> {
    /// Takes files in the order of their paths, and what was found about them.
    #[must_use]
    pub fn new(files: &'m MapFiles<'m>, references: &'m References) -> Self {
        let order = Arc::new(MapOrder::of(files, references));
        Self::ordered(files, references, order)
    }

    /// The same with an order that was made of just these files before.
    #[must_use]
    pub fn ordered(
        files: &'m MapFiles<'m>,
        references: &'m References,
        order: Arc<MapOrder>,
    ) -> Self {
        Self {
            files,
            references,
            order,
        }
    }

    /// The references of a file.
    #[must_use]
    pub fn references(&self) -> &'m References {
        self.references
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, number: FileNumber) -> TreePath {
        TreePath::new(self.files[number].path)
    }

    /// The path of a file as it is printed, without an alias.
    #[must_use]
    pub fn shown_path(&self, number: FileNumber) -> String {
        shown_path(self.files[number].path)
    }

    /// The legend for some of the files.
    #[must_use]
    pub fn legend(&self, numbers: &[FileNumber]) -> Legend {
        let imports =
            |number: &FileNumber| self.references.of(*number).imports.iter().take(IMPORTS_MAX);
        self.legend_with(
            numbers
                .iter()
                .flat_map(|number| std::iter::once(number).chain(imports(number))),
        )
    }

    /// The legend for what is shown of files.
    pub(super) fn legend_of(&self, files: &BTreeMap<FileNumber, Excerpt>) -> Legend {
        let imports = |number: FileNumber, excerpt: &Excerpt| {
            let count = if excerpt.has_imports { IMPORTS_MAX } else { 0 };
            self.references.of(number).imports.iter().take(count)
        };
        let numbers = files
            .iter()
            .flat_map(|(number, excerpt)| std::iter::once(number).chain(imports(*number, excerpt)));
        self.legend_with(numbers)
    }

    fn legend_with<'n>(&self, numbers: impl Iterator<Item = &'n FileNumber>) -> Legend {
        let shown: Vec<String> = numbers.map(|number| self.shown_path(*number)).collect();
        Legend::choose(shown.iter().map(String::as_str))
    }

    /// The numbers of files, those that matter most first; among equals in their order.
    #[must_use]
    pub fn ranked(&self) -> &[FileNumber] {
        &self.order.ranked
    }

    /// True for a file that declares something.
    #[must_use]
    pub fn declares(&self, number: FileNumber) -> bool {
        self.order.declares[number]
    }

    /// What a file counts by its path.
    pub(super) fn standing(&self, number: FileNumber) -> f64 {
        self.order.standing[number]
    }

    /// The files.
    pub(super) fn files(&self) -> &'m MapFiles<'m> {
        self.files
    }

    /// The legend and the blocks of some of the files, in their order; nothing for no file.
    #[must_use]
    pub fn texts(&self, numbers: &[FileNumber], detail: Detail) -> Vec<String> {
        if numbers.is_empty() {
            return Vec::new();
        }
        let legend = self.legend(numbers);
        let mut texts = self.blocks(numbers, &legend, detail);
        texts.insert(0, legend.text() + "\n");
        texts
    }

    /// The blocks of some of the files, in their order.
    #[must_use]
    pub fn blocks(&self, numbers: &[FileNumber], legend: &Legend, detail: Detail) -> Vec<String> {
        on_all_cores(
            numbers.len(),
            &(),
            || (),
            |(), at| self.block(numbers[at], legend, detail),
        )
    }

    /// The block of one file: its path, and a line for each of its declarations.
    #[must_use]
    pub fn block(&self, number: FileNumber, legend: &Legend, detail: Detail) -> String {
        let mut text =
            String::with_capacity(LINE_BYTES * (2 + self.files[number].symbols().entries.len()));
        self.push_block(&mut text, number, legend, detail);
        text
    }

    fn push_block(&self, out: &mut String, number: FileNumber, legend: &Legend, detail: Detail) {
        out.push_str(&self.path_line(number, legend, detail));
        if detail.level == Level::Name {
            return;
        }
        if detail.level == Level::Full {
            out.push_str(&self.import_lines(number, legend));
        }
        let (file, references) = (&self.files[number], self.references.of(number));
        let mut block = Block {
            out,
            references,
            detail,
            file,
            left_out: Vec::new(),
        };
        block.push_entries();
        let more = file.symbols().more;
        if more > 0 {
            let _ = writeln!(out, "  +{more}");
        }
    }

    /// What is shown of a file: its path, some of its lines, and how many declarations are left out.
    pub(super) fn excerpt(
        &self,
        number: FileNumber,
        excerpt: &Excerpt,
        legend: &Legend,
        detail: Detail,
    ) -> String {
        let mut out = self.path_line(number, legend, detail);
        if excerpt.has_imports {
            out.push_str(&self.import_lines(number, legend));
        }
        for entry in &excerpt.entries {
            out.push_str(&self.entry_line(number, *entry, excerpt.calls.contains(entry), detail));
        }
        out + &self.rest_of(number, excerpt)
    }

    /// How many declarations of a file are left out; nothing when none is.
    pub(super) fn rest_of(&self, number: FileNumber, excerpt: &Excerpt) -> String {
        let symbols = self.files[number].symbols();
        let left = (symbols.entries.len() - excerpt.entries.len()) as u64 + symbols.more;
        if left > 0 {
            format!("  +{left}\n")
        } else {
            String::new()
        }
    }

    pub(super) fn path_line(&self, number: FileNumber, legend: &Legend, detail: Detail) -> String {
        let (file, references) = (&self.files[number], self.references.of(number));
        let mut out = legend.shorten(&self.shown_path(number)).into_owned();
        push_count(&mut out, references.referring, detail);
        out.push_str(if file.symbols().is_absent { ABSENT } else { "" });
        out.push('\n');
        out
    }

    /// The line of one declaration, with what it refers to in other files or without.
    pub(super) fn entry_line(
        &self,
        number: FileNumber,
        entry: EntryNumber,
        has_calls: bool,
        detail: Detail,
    ) -> String {
        let (file, references) = (&self.files[number], self.references.of(number));
        let level = if has_calls {
            Level::Full
        } else {
            Level::Public
        };
        let mut out = String::with_capacity(LINE_BYTES);
        let mut block = Block {
            out: &mut out,
            references,
            detail: Detail { level, ..detail },
            file,
            left_out: Vec::new(),
        };
        block.push_entry(entry, file.symbols().entries.get(entry));
        out
    }

    /// A declaration and those that it stands in, the outermost first.
    pub(super) fn with_owners(&self, number: FileNumber, entry: EntryNumber) -> Vec<EntryNumber> {
        let entries = &self.files[number].symbols().entries;
        let mut found = vec![entry];
        let mut depth = entries.get(entry).form.depth;
        for above in entries.numbers().rev().skip_while(|above| *above >= entry) {
            if depth == 0 {
                break;
            }
            let form = entries.get(above).form;
            if form.depth < depth {
                depth = form.depth;
                found.push(above);
            }
        }
        found.reverse();
        found
    }

    /// One line for files of the snapshot, one for packages from outside.
    pub(super) fn import_lines(&self, number: FileNumber, legend: &Legend) -> String {
        let mut out = String::new();
        let (file, references) = (&self.files[number], self.references.of(number));
        let local = references
            .imports
            .iter()
            .map(|target| legend.shorten(&self.shown_path(*target)).into_owned());
        let directories = references.directories.iter().map(|directory| {
            legend
                .shorten(&shown_path(directory.as_bytes()))
                .into_owned()
        });
        push_list(
            &mut out,
            "  i→ ",
            &local.chain(directories).collect::<Vec<_>>(),
        );
        push_list(&mut out, "  i ", &packages(file, references));
        out
    }
}

/// The packages that the imports of a file lead to, each once, in order.
pub(super) fn packages(file: &MapFile<'_>, references: &FileReferences) -> Vec<String> {
    let Some(language) = file.symbols().language else {
        return Vec::new();
    };
    let outside = references
        .outside
        .iter()
        .filter_map(|at| file.symbols().imports.get(*at));
    let is_outside =
        |import: &&Import| !matches!(import.package(language), "crate" | "self" | "super" | "");
    let packages: BTreeSet<String> = outside
        .filter(is_outside)
        .map(|import| safe(import.package(language)).into_owned())
        .collect();
    packages.into_iter().collect()
}

fn push_list(out: &mut String, head: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    out.push_str(head);
    out.push_str(&items[..items.len().min(IMPORTS_MAX)].join(","));
    if items.len() > IMPORTS_MAX {
        let _ = write!(out, ",+{}", items.len() - IMPORTS_MAX);
    }
    out.push('\n');
}

fn push_count(out: &mut String, count: u32, detail: Detail) {
    if detail.has_counts && count > 0 {
        let _ = write!(out, " ←{count}");
    }
}

/// The lines of one file while they are written.
struct Block<'b> {
    out: &'b mut String,
    references: &'b FileReferences,
    detail: Detail,
    file: &'b MapFile<'b>,
    /// For each open level how many entries were left out.
    left_out: Vec<u32>,
}

impl Block<'_> {
    fn push_entries(&mut self) {
        let (mut hidden_from, mut shown) = (None, 0);
        let entries = &self.file.symbols().entries;
        for (number, entry) in entries.numbers().zip(entries.iter()) {
            let depth = usize::from(entry.form.depth);
            while self.left_out.len() > depth + 1 {
                self.close();
            }
            self.left_out.resize(depth + 1, 0);
            if hidden_from.is_some_and(|from| depth > from) {
                continue;
            }
            hidden_from = None;
            let is_hidden = match self.detail.level {
                Level::Brief => !entry.form.is_public || depth > 0 || shown == BRIEF_MAX,
                level => level == Level::Public && !entry.form.is_public,
            };
            if is_hidden {
                self.left_out[depth] += 1;
                hidden_from = Some(depth);
                continue;
            }
            shown += 1;
            self.push_entry(number, entry);
        }
        while !self.left_out.is_empty() {
            self.close();
        }
    }

    /// Ends a level: says how many of its entries are not shown.
    fn close(&mut self) {
        let depth = self.left_out.len();
        if let Some(count) = self.left_out.pop().filter(|count| *count > 0) {
            let _ = writeln!(self.out, "{:width$}+{count}", "", width = 2 * depth);
        }
    }

    fn push_entry(&mut self, number: EntryNumber, entry: MapEntry<'_>) {
        let form = entry.form;
        self.out
            .extend(std::iter::repeat_n("  ", usize::from(form.depth) + 1));
        self.out.push_str(if form.is_async { "a" } else { "" });
        self.out.push_str(mark(form.mark));
        self.out.push(' ');
        self.out.push_str(&safe(entry.name));
        if form.is_optional {
            self.out.push('?');
        }
        if form.has_parts {
            self.push_parts(entry.parts);
        }
        if !entry.result.is_empty() {
            self.out.push_str("->");
            self.out.push_str(&safe(entry.result));
        }
        if self.detail.has_lines && form.line > 0 {
            let _ = write!(self.out, " :{}", form.line);
            if form.line_end > form.line {
                let _ = write!(self.out, "-{}", form.line_end);
            }
        }
        push_count(
            self.out,
            self.references.counts.get(number).copied().unwrap_or(0),
            self.detail,
        );
        if self.detail.level == Level::Full {
            self.push_calls(number);
        }
        self.out.push('\n');
    }

    fn push_parts(&mut self, parts: Parts<'_>) {
        self.out.push('(');
        for (number, part) in parts.iter().take(PARTS_MAX).enumerate() {
            self.out.push_str(if number == 0 { "" } else { "," });
            self.out.push_str(&safe(part));
        }
        let more = parts.iter().skip(PARTS_MAX).count();
        if more > 0 {
            let _ = write!(self.out, ",+{more}");
        }
        self.out.push(')');
    }

    /// What an entry refers to in other files.
    fn push_calls(&mut self, number: EntryNumber) {
        let mut count = 0;
        let mut names = self
            .references
            .calls_of(number)
            .map(|name| self.file.symbols().uses.get(name))
            .peekable();
        while let Some(used) = names.next() {
            // `Digest::of` comes right behind `Digest`, and says it too.
            if names
                .peek()
                .is_some_and(|next| next.parts().0 == Some(used.name))
            {
                continue;
            }
            count += 1;
            if count <= CALLS_MAX {
                self.out.push_str(if count == 1 { " →" } else { "," });
                self.out.push_str(&safe(used.name));
            }
        }
        if count > CALLS_MAX {
            let _ = write!(self.out, ",+{}", count - CALLS_MAX);
        }
    }
}

/// The letter for a mark.
#[must_use]
pub fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Class => "c",
        Mark::Method => "m",
        Mark::Function => "f",
        Mark::Variable => "v",
        Mark::Property => "p",
        Mark::Heading => "#",
    }
}

/// Foreign text on one line, with everything active or invisible escaped.
fn safe(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        printable(text)
            .to_string()
            .replace('\n', "\\n")
            .replace('\t', "\\t"),
    )
}

/// A path on one line: quoted as git does it when it holds what git quotes, and when it could be taken for something else.
fn shown_path(path: &[u8]) -> String {
    let text = safe(&quote(path, false)).into_owned();
    let is_plain = text.starts_with('"')
        || !text.starts_with([' ', '@', '+'])
            && !text.contains(" ←")
            && !text.contains(ABSENT)
            && !text.ends_with(' ');
    if is_plain && !text.is_empty() {
        text
    } else {
        format!("\"{text}\"")
    }
}

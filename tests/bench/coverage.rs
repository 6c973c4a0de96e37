//! How much of a repository has words: the share of its text files, and of their bytes, whose outline says what is in them.
//!
//! `cargo bench --profile dev -- coverage <clone>…`: every file of HEAD by its extension. An outline says something when it has
//! a paragraph, a declaration, a heading, a key or an import; a language, a size and the first lines are nothing. Empty files and
//! files that are no text are counted and left out. The figures depend on the snapshots only, not on the machine.

use std::collections::BTreeMap;
use std::path::Path;

use git_merkle::config::Environment;
use git_merkle::context::tree::Tree;
use git_merkle::git::{EntryMode, Location, ObjectKind};
use git_merkle::node::Snapshot;
use git_merkle::symbol::{Content, Kind, Outline};
use git_merkle::synthesis::outline;
use git_merkle::workspace::Workspace;

use crate::measure::{Failure, failure};

/// Extensions that have a row of their own.
const ROWS_MAX: usize = 40;
/// Files without words that are named.
const EXAMPLES_MAX: usize = 10;

/// Files and their bytes.
#[derive(Default, Clone, Copy)]
struct Count {
    files: u64,
    bytes: u64,
}

impl Count {
    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }

    fn of(self, all: Self) -> String {
        let share = |part: u64, whole: u64| {
            if whole == 0 {
                100.0
            } else {
                100.0 * part as f64 / whole as f64
            }
        };
        format!(
            "{:.1} % | {:.1} %",
            share(self.files, all.files),
            share(self.bytes, all.bytes)
        )
    }
}

/// The files of one extension.
#[derive(Default, Clone, Copy)]
struct Row {
    text: Count,
    told: Count,
}

#[derive(Default)]
struct Table {
    rows: BTreeMap<String, Row>,
    all: Row,
    without_text: u64,
    silent: Vec<String>,
}

/// Prints a line for each clone, then a table of all extensions.
#[expect(
    clippy::print_stdout,
    reason = "the table is the answer of a bench run"
)]
pub(crate) fn run(paths: &[String]) -> Result<(), Failure> {
    let mut all = Table::default();
    println!("| | text files | with words | of the bytes | no text |\n|---|---|---|---|---|");
    for path in paths {
        let mut own = Table::default();
        own.read(path)?;
        let name = Path::new(path)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        println!(
            "| {name} | {} | {} | {} |",
            own.all.text.files,
            own.all.told.of(own.all.text),
            own.without_text
        );
        all.join(own, &name);
    }
    println!(
        "| **all** | {} | {} | {} |\n",
        all.all.text.files,
        all.all.told.of(all.all.text),
        all.without_text
    );
    let mut rows: Vec<(&String, &Row)> = all.rows.iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.text.files));
    println!("| extension | text files | with words | of the bytes |\n|---|---|---|---|");
    for (extension, row) in rows.iter().take(ROWS_MAX) {
        println!(
            "| {extension} | {} | {} |",
            row.text.files,
            row.told.of(row.text)
        );
    }
    let step = all.silent.len().div_ceil(EXAMPLES_MAX).max(1);
    println!("\n{} files without words, for example:", all.silent.len());
    for path in all.silent.iter().step_by(step) {
        println!("- {path}");
    }
    Ok(())
}

impl Table {
    fn read(&mut self, path: &str) -> Result<(), Failure> {
        let location = Location {
            directory: Path::new(path).to_owned(),
            git_dir: None,
            settings: Vec::new(),
        };
        let workspace =
            Workspace::open(&location, &Environment::capture(), [], None).map_err(failure)?;
        let root = workspace
            .root(&Snapshot::Revision("HEAD".to_owned()))
            .map_err(failure)?;
        let tree = Tree::read(&workspace.repository, workspace.state.shelf(), root.tree)
            .map_err(failure)?;
        let (mut all, mut data) = (tree.all(), Vec::new());
        while let Some(walked) = all.next_path() {
            let is_file = matches!(walked.entry.mode, EntryMode::File | EntryMode::Executable);
            // A clone may leave large files out.
            if is_file
                && workspace
                    .repository
                    .header(&walked.entry.id)
                    .map_err(failure)?
                    .is_some()
            {
                workspace
                    .repository
                    .read(&walked.entry.id, ObjectKind::Blob, &mut data)
                    .map_err(failure)?;
                self.add(walked.path, &walked.path[walked.name_at..], &data);
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &[u8], name: &[u8], data: &[u8]) {
        let outline = outline::outline(name, data);
        if matches!(outline.content, Content::Binary | Content::TooLarge)
            || data.trim_ascii().is_empty()
        {
            self.without_text += 1;
            return;
        }
        let row = self.rows.entry(extension(name)).or_default();
        for row in [row, &mut self.all] {
            row.text.add(outline.bytes);
            if says(&outline) {
                row.told.add(outline.bytes);
            }
        }
        if !says(&outline) {
            self.silent.push(String::from_utf8_lossy(path).into_owned());
        }
    }

    fn join(&mut self, other: Self, name: &str) {
        for (extension, row) in other.rows {
            self.rows.entry(extension).or_default().join(row);
        }
        self.all.join(other.all);
        self.without_text += other.without_text;
        self.silent.extend(
            other
                .silent
                .into_iter()
                .map(|path| format!("{name}: {path}")),
        );
    }
}

impl Row {
    fn join(&mut self, other: Self) {
        for (own, other) in [(&mut self.text, other.text), (&mut self.told, other.told)] {
            own.files += other.files;
            own.bytes += other.bytes;
        }
    }
}

/// Whether an outline has more than a language, a size and its first lines.
fn says(outline: &Outline) -> bool {
    let is_said = outline
        .symbols
        .iter()
        .any(|symbol| symbol.kind != Kind::Line);
    !outline.doc.is_empty() || is_said || outline.more > 0 || !outline.imports.is_empty()
}

/// What stands behind the last dot of a name, or the name where there is none.
fn extension(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).to_lowercase();
    match name.rsplit_once('.') {
        Some((_, extension)) => format!(".{extension}"),
        None => name,
    }
}

//! `git merkle map`: what the files of a snapshot declare and whom they refer to, in few tokens.

use serde::Serialize;

use super::find::no_room;
use crate::base::token;
use crate::cli::snapshot::{SnapshotArgs, filter};
use crate::cli::{CliError, Exit, Program, amount, json};
use crate::node::SnapshotRoot;
use crate::ops;
use crate::ops::files::Files;
use crate::ops::map::{FILES_MAX, SnapshotSymbols};
use crate::symbol::Language;
use crate::symbol::map::{
    Detail, EntryNumber, Excerpt, FileNumber, KEY, MapEntry, MapFiles, SymbolMap, mark,
};
use crate::workspace::{TargetError, Workspace};

/// Tokens that a hint offers where fewer hold nothing.
const BUDGET: u64 = 2_000;

/// Arguments of `map`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show only these files and directories, and what matches these pathspecs; references are counted in all files of a
    /// small snapshot, of one with more than 5,000 files in these and in what they import
    #[arg(value_name = "path")]
    paths: Vec<String>,
    /// Limit the map to this many tokens (an estimate); the most used declarations come first
    #[arg(long, value_name = "tokens", value_parser = amount::count)]
    budget: Option<u64>,
    /// Show the first and the last line of each declaration
    #[arg(long)]
    lines: bool,
    /// Count references in all files, however many there are
    #[arg(long)]
    everywhere: bool,
    /// List the supported languages, and how their imports are resolved
    #[arg(long, conflicts_with_all = ["paths", "budget", "lines", "everywhere", "rev", "index", "worktree"])]
    languages: bool,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document<'d> {
    tree: String,
    tokens: u64,
    left: usize,
    is_cut: bool,
    missing: usize,
    /// How many files references are counted in; absent where that is all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted_in: Option<usize>,
    files: Vec<File<'d>>,
}

#[derive(Serialize)]
struct File<'d> {
    path: String,
    missing: bool,
    language: Option<&'static str>,
    referring: u32,
    imports: Vec<String>,
    outside: Vec<&'d str>,
    refers_to: Vec<String>,
    symbols: Vec<Symbol<'d>>,
    more: u64,
}

#[derive(Serialize)]
struct Symbol<'d> {
    kind: &'static str,
    name: &'d str,
    depth: u8,
    line: u32,
    line_end: u32,
    public: bool,
    #[serde(rename = "async")]
    is_async: bool,
    optional: bool,
    parameters: Option<Vec<&'d str>>,
    returns: &'d str,
    referring: u32,
    refers_to: Vec<&'d str>,
}

#[derive(Serialize)]
struct Languages {
    languages: Vec<LanguageRow>,
}

#[derive(Serialize)]
struct LanguageRow {
    name: &'static str,
    title: &'static str,
    imports: &'static str,
}

/// Prints the map.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    if args.languages {
        return languages(program);
    }
    let workspace = program.open_paged()?;
    let mut wanted = Vec::new();
    let (found, root) = ops::map::symbols_of(
        &workspace.repository,
        &workspace.state,
        || {
            let root = args.snapshot.root_of_files(&workspace, &program.ui)?;
            Ok::<_, CliError>((root.tree, root))
        },
        |files, root| {
            wanted = self::wanted(args, &workspace, root, files)?;
            let is_part = !args.paths.is_empty() && !args.everywhere;
            Ok(is_part.then(|| wanted.clone()))
        },
    )?;
    let cut = found
        .is_cut
        .then(|| format!("only the first {FILES_MAX} files are in the map"));
    let absent = ops::absent::note(
        &workspace.repository,
        found.absent.len(),
        args.snapshot.revision(),
    );
    program.ui.warn_all(cut.iter().chain(&absent));
    let counted_line = found
        .counted_in()
        .map(|count| counted_line(count, found.len()));
    if args.budget.is_none() && !program.ui.is_json() {
        return write_all(args, found, &wanted, counted_line.as_deref(), program);
    }
    let files = found.files();
    let map = found.map(&files);
    let Shown {
        texts,
        files: shown,
        left,
    } = show(args, &map, &wanted, counted_line.as_deref());
    if let Some(budget) = args.budget.filter(|_| shown.is_empty() && left > 0) {
        return Err(no_room("nothing of the map", budget, BUDGET));
    }
    if program.ui.is_json() {
        let file = |(number, shown): &(FileNumber, Option<Excerpt>)| {
            file(&map, &files, *number, shown.as_ref())
        };
        let document = Document {
            tree: root.tree.to_string(),
            tokens: token::estimate(&texts.concat()),
            left,
            is_cut: found.is_cut,
            missing: found.absent.len(),
            counted_in: found.counted_in(),
            files: shown.iter().map(file).collect(),
        };
        program.ui.write_json("map", &document)?;
        return Ok(Exit::Done);
    }
    for text in &texts {
        program.ui.write_bytes(text.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// Writes the map of the wanted files as it is made. What comes from the repository was escaped when it was written there.
fn write_all(
    args: &Args,
    found: SnapshotSymbols,
    wanted: &[FileNumber],
    mut line: Option<&str>,
    program: &mut Program,
) -> Result<Exit, CliError> {
    found.each_text(wanted, detail(args), &mut |text| {
        let text = with_line(text, line.take());
        Ok::<_, CliError>(program.ui.write_bytes(text.as_bytes())?)
    })?;
    if program.ui.is_last() {
        // Nothing follows but the end of the process, which gives all of it back at once.
        std::mem::forget(found);
    }
    Ok(Exit::Done)
}

/// What is told of each file.
fn detail(args: &Args) -> Detail {
    Detail {
        has_lines: args.lines,
        ..Detail::PRINTED
    }
}

/// The first text of a map, with a line behind what the marks mean.
fn with_line(mut text: String, line: Option<&str>) -> String {
    if let Some(line) = line
        && text.starts_with(KEY)
    {
        text.insert_str(KEY.len(), line);
    }
    text
}

/// What is printed: texts, the files in them, each with what is shown of it where that is not all, and how many found no place.
struct Shown {
    texts: Vec<String>,
    files: Vec<(FileNumber, Option<Excerpt>)>,
    left: usize,
}

/// The map of the wanted files, all of it or what fits; `line` stands behind what the marks mean.
fn show(args: &Args, map: &SymbolMap<'_>, wanted: &[FileNumber], line: Option<&str>) -> Shown {
    let detail = detail(args);
    let mut shown = match args.budget {
        Some(tokens) => {
            let tokens = tokens.saturating_sub(line.map_or(0, token::estimate));
            let chosen = map.within(wanted, tokens, detail);
            let files = chosen.files.into_iter();
            Shown {
                texts: vec![chosen.text],
                files: files
                    .map(|(number, excerpt)| (number, Some(excerpt)))
                    .collect(),
                left: chosen.left,
            }
        }
        None => Shown {
            texts: map.texts(wanted, detail),
            files: wanted.iter().map(|number| (*number, None)).collect(),
            left: 0,
        },
    };
    if let Some(text) = shown.texts.first_mut() {
        *text = with_line(std::mem::take(text), line);
    }
    shown
}

/// The numbers of the files of the arguments, in order; all without arguments.
fn wanted(
    args: &Args,
    workspace: &Workspace,
    root: &SnapshotRoot,
    files: &Files,
) -> Result<Vec<FileNumber>, CliError> {
    let filter = filter(workspace, root, &args.paths)?;
    let numbers = files.paths.indices();
    let numbers = numbers.filter(|number| filter.wants(files.at(*number).0));
    let numbers: Vec<FileNumber> = numbers.collect();
    if numbers.is_empty() && !args.paths.is_empty() {
        return Err(TargetError::NoMatch(args.paths.join(" ")).into());
    }
    Ok(numbers)
}

/// What the key of a map adds where references are counted in some files alone.
fn counted_line(count: usize, of: usize) -> String {
    format!("references are those among {count} of {of} files: these and what they import\n")
}

/// One file; without an excerpt all of it.
fn file<'d>(
    map: &SymbolMap<'d>,
    files: &MapFiles<'d>,
    number: FileNumber,
    shown: Option<&Excerpt>,
) -> File<'d> {
    let (file, references) = (&files[number], map.references().of(number));
    let paths = |numbers: &[FileNumber]| {
        numbers
            .iter()
            .map(|number| json::path(files[*number].path))
            .collect::<Vec<_>>()
    };
    let entries = &file.symbols().entries;
    let entries = entries.numbers().zip(entries.iter());
    let entries = entries.filter(|(at, _)| shown.is_none_or(|shown| shown.entries.contains(at)));
    let symbol = |(at, entry): (EntryNumber, MapEntry<'d>)| Symbol {
        kind: mark(entry.form.mark),
        name: entry.name,
        depth: entry.form.depth,
        line: entry.form.line,
        line_end: entry.form.line_end,
        public: entry.form.is_public,
        is_async: entry.form.is_async,
        optional: entry.form.is_optional,
        parameters: entry.form.has_parts.then(|| entry.parts.iter().collect()),
        returns: entry.result,
        referring: references.counts[at],
        refers_to: references
            .calls_of(at)
            .map(|name| file.symbols().uses.get(name).name)
            .collect(),
    };
    File {
        path: json::path(file.path),
        missing: file.symbols().is_absent,
        language: file.symbols().language.map(Language::name),
        referring: references.referring,
        imports: paths(&references.imports)
            .into_iter()
            .chain(references.directories.clone())
            .collect(),
        outside: references
            .outside
            .iter()
            .map(|at| file.symbols().imports[*at].path.as_str())
            .collect(),
        refers_to: paths(&references.files),
        symbols: entries.map(symbol).collect(),
        more: file.symbols().more,
    }
}

/// What is known of a language's imports.
fn resolution(language: Language) -> &'static str {
    match language {
        Language::Rust => {
            "modules of the crate, of the crate beside a test, of other crates here by directory"
        }
        Language::Python => "relative, and absolute below any directory above, its src or lib",
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            "relative paths and their index files"
        }
        Language::Go => {
            "directories that end like the import; files of one directory see each other"
        }
        Language::Java => "classes and packages by path; files of one directory see each other",
        Language::C | Language::Cpp => {
            "beside the file, below include or src, or the only file that ends so"
        }
        Language::Ruby => "beside the file, or below lib",
        Language::Php => "classes by the end of their path, files by path",
        Language::Bash => "files by path",
        Language::CSharp => "none: by names that are declared once",
        _ => "",
    }
}

fn languages(program: &mut Program) -> Result<Exit, CliError> {
    let row = |language: &Language| LanguageRow {
        name: language.name(),
        title: language.title(),
        imports: resolution(*language),
    };
    let rows: Vec<LanguageRow> = Language::ALL
        .iter()
        .filter(|language| language.has_grammar())
        .map(row)
        .collect();
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("map-languages", &Languages { languages: rows })?;
        return Ok(Exit::Done);
    }
    for row in &rows {
        writeln!(ui, "{:<11} {}", row.title, row.imports)?;
    }
    writeln!(ui, "{:<11} headings", Language::Markdown.title())?;
    writeln!(
        ui,
        "of other languages and formats declarations and headings are listed, without references"
    )?;
    Ok(Exit::Done)
}

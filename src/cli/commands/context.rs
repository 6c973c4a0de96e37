//! `context`: what an agent needs to know for a turn, as one Markdown document.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{FrameType, TreePath, printable};
use crate::cli::progress::{Progress, ProgressStep};
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::ui::OutputError;
use crate::cli::{CliError, Exit, Program, Ui, amount, clipboard, given, json};
use crate::context::body::ABSENT;
use crate::context::document::SECTIONS;
use crate::context::pattern::{is_url, parse_revision};
use crate::context::{Document, List, Markup, Scope};
use crate::find::Query;
use crate::git::file::replace;
use crate::git::{Pathspec, Repository};
use crate::node::SnapshotRoot;
use crate::ops::{self, PageOptions, PayloadOptions, SecretPolicy};
use crate::session;
use crate::workspace::{Workspace, locate};

/// Most resources that are named on standard error because they cannot be shown.
const MISSING_SHOWN_MAX: usize = 20;

/// Arguments of `context`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to show: paths, globs, dir/, dir/**, <rev>:<path>, frame:<node>, <url>, *.context, or '-' to read entries from
    /// standard input, one per line
    #[arg(value_name = "list-or-path")]
    entries: Vec<OsString>,
    /// Show the definitions that 'find' chooses for this question instead of the symbol map; only where nothing is listed
    #[arg(long = "for", value_name = "question", conflicts_with_all = ["entries", "session"])]
    question: Option<String>,
    /// Also read the lists of this session
    #[arg(long, value_name = "name")]
    session: Option<String>,
    /// Also read the list of this turn of the session
    #[arg(long, value_name = "number", requires = "session")]
    turn: Option<String>,
    /// Print one section only
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u8).range(i64::from(*SECTIONS.start())..=i64::from(*SECTIONS.end())), hide_short_help = true)]
    section: Option<u8>,
    /// Limit the payload to this many tokens (an estimate; 8k works): resources are reduced to outline, frame or name. Default
    /// where nothing is listed: merkle.contextBudget, else 24000
    #[arg(long, value_name = "tokens", value_parser = amount::count)]
    budget: Option<u64>,
    /// Also show the frames of this type of everything listed
    #[arg(long, value_name = "type", hide_short_help = true)]
    frames: Option<FrameType>,
    /// Show web pages as HTML instead of Markdown
    #[arg(long, hide_short_help = true)]
    raw_url: bool,
    /// Replace likely secrets with markers instead of failing
    #[arg(long)]
    redact: bool,
    /// Exit with 0 even if a named resource cannot be shown
    #[arg(long, hide_short_help = true)]
    allow_missing: bool,
    #[command(flatten)]
    snapshot: SnapshotArgs,
    /// Leave out the machine's details, as merkle.contextSystem=false does
    #[arg(long)]
    no_system: bool,
    /// Markup of sections and resources
    #[arg(
        long,
        value_name = "style",
        value_enum,
        default_value_t,
        hide_default_value = true
    )]
    style: StyleName,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "file")]
    output: Option<PathBuf>,
    /// Copy to the clipboard instead, with wl-copy, xclip, xsel or pbcopy, else through the terminal
    #[arg(long, conflicts_with_all = ["output", "json"])]
    copy: bool,
}

/// The styles by their names on the command line.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum StyleName {
    #[default]
    Markdown,
    Xml,
}

impl From<StyleName> for Markup {
    fn from(name: StyleName) -> Self {
        match name {
            StyleName::Markdown => Self::Markdown,
            StyleName::Xml => Self::Xml,
        }
    }
}

#[derive(Serialize)]
struct JsonDocument {
    text: String,
    /// Counted with one vocabulary, an estimate for models with another.
    tokens_estimated: u64,
    /// What is named and cannot be shown.
    missing: Vec<MissingDocument>,
}

#[derive(Serialize)]
struct MissingDocument {
    name: String,
    reason: String,
}

/// Reads the lists, plans the document and writes it.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let is_heard = is_heard(args, &program.ui);
    let workspace = if args.output.is_some() || args.copy {
        program.open()?
    } else {
        program.open_paged()?
    };
    let root = args.snapshot.root_of_files(&workspace, &program.ui)?;
    let document = plan(args, program, &workspace, &root)?;
    for path in document.secrets() {
        program.ui.warn(&format!(
            "'{}' looks like a secret by its name",
            String::from_utf8_lossy(path)
        ));
    }
    let write = |out: &mut dyn Write| {
        if is_heard {
            document.write_counted(out, args.section)
        } else {
            document.write(out, args.section).map(|()| 0)
        }
    };
    let missing = missing(args, &document)?;
    let exit = Exit::no_if(!missing.is_empty() && !args.allow_missing);
    if args.output.is_none() && !args.copy && program.ui.is_json() {
        let mut text = Vec::new();
        let tokens_estimated = write(&mut text).map_err(OutputError::from)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let told = Told {
            workspace: &workspace,
            document: &document,
            missing: &missing,
        };
        tell_missing(args, &program.ui, &told);
        program.ui.write_json(
            "context",
            &JsonDocument {
                text,
                tokens_estimated,
                missing,
            },
        )?;
        return Ok(exit);
    }
    let tokens = write_out(args, program, write)?;
    if is_heard {
        program.ui.note(&format!("{tokens} tokens (estimate)"));
    }
    let told = Told {
        workspace: &workspace,
        document: &document,
        missing: &missing,
    };
    tell_missing(args, &program.ui, &told);
    Ok(exit)
}

/// Writes the document to the file, the clipboard or the terminal; the answer is its tokens.
fn write_out(
    args: &Args,
    program: &mut Program,
    write: impl Fn(&mut dyn Write) -> io::Result<u64>,
) -> Result<u64, CliError> {
    if let Some(path) = &args.output {
        return write_file(write, &program.global.resolve(path));
    }
    if args.copy {
        let mut text = Vec::new();
        let tokens = write(&mut text).map_err(OutputError::from)?;
        let taker = clipboard::copy(&text, &program.environment)?;
        program.ui.note(&format!("copied by {taker}"));
        return Ok(tokens);
    }
    let is_escaped = program.ui.is_on_screen();
    let tokens = write(&mut Answer {
        ui: &mut program.ui,
        is_escaped,
    })
    .map_err(OutputError::from)?;
    program.ui.flush()?;
    Ok(tokens)
}

/// What is named and cannot be shown; nothing where no resource would be.
fn missing(args: &Args, document: &Document<'_>) -> Result<Vec<MissingDocument>, CliError> {
    if matches!(args.section, Some(1..=3)) {
        return Ok(Vec::new());
    }
    let found = document.missing()?.into_iter();
    Ok(found
        .map(|(name, reason)| MissingDocument {
            name: json::path(name),
            reason,
        })
        .collect())
}

/// A document, and what it cannot show.
struct Told<'t, 'w> {
    workspace: &'w Workspace,
    document: &'t Document<'w>,
    missing: &'t [MissingDocument],
}

/// Names what cannot be shown, after the answer: a document of many pages would hide it.
fn tell_missing(args: &Args, ui: &Ui, told: &Told<'_, '_>) {
    let Told {
        workspace,
        document,
        missing,
    } = *told;
    for MissingDocument { name, reason } in missing.iter().take(MISSING_SHOWN_MAX) {
        ui.warn(&format!("'{name}' is not shown: {reason}"));
    }
    if missing.len() > MISSING_SHOWN_MAX {
        ui.warn(&format!(
            "{} more are not shown; the document names each with its reason",
            missing.len() - MISSING_SHOWN_MAX
        ));
    }
    let named = missing.iter();
    let named = named.filter(|missing| missing.reason == ABSENT).count();
    let absent = named + document.absent();
    if let Some(note) = ops::absent::note(&workspace.repository, absent, args.snapshot.revision()) {
        ui.warn(&note);
    }
}

/// True when the number of tokens is shown.
fn is_heard(args: &Args, ui: &Ui) -> bool {
    (ui.is_json() && args.output.is_none()) || (args.section.is_none() && !ui.is_quiet())
}

fn question(text: &str) -> Result<Query, CliError> {
    Query::of(text).ok_or_else(|| {
        CliError::new(
            Exit::Usage,
            "the question has no word of two letters or more",
        )
        .hint("git merkle context --for \"how are settings read\"")
    })
}

/// Plans the document; pages that are fetched for it are shown as progress.
fn plan<'w>(
    args: &Args,
    program: &Program,
    workspace: &'w Workspace,
    root: &SnapshotRoot,
) -> Result<Document<'w>, CliError> {
    let progress = RefCell::new(Progress::new(&program.ui));
    let on_done = |done: usize, all: usize| {
        let step = ProgressStep {
            position: done as u64,
            total: Some(all as u64),
            message: "pages",
        };
        progress.borrow_mut().show(step);
    };
    let pages = PageOptions {
        is_raw: args.raw_url,
        is_foreground: true,
        on_done: Some(&on_done),
    };
    let typed = args
        .session
        .as_deref()
        .map(|name| session::open::typed_pages(&workspace.state, name))
        .unwrap_or_default();
    let document = ops::payload(
        workspace,
        PayloadOptions {
            typed: &typed,
            root,
            is_session_own: args
                .session
                .as_deref()
                .is_none_or(|name| !session::open::is_delivered_session(workspace, name)),
            lists: lists(args, program, &workspace.repository)?,
            session: args.session.as_deref(),
            turn: args.turn.as_deref(),
            frames: args.frames.clone(),
            tokens_max: args.budget,
            has_overview: true,
            question: args.question.as_deref().map(question).transpose()?,
            style: args.style.into(),
            is_brief: args.no_system || !ops::overview::context_settings(&workspace.settings)?.1,
            secrets: secret_policy(args, program, workspace)?,
            pages,
        },
    )?;
    Ok(document)
}

/// Stops at secrets, unless they are to be taken out; in sections without bodies only names are looked at.
fn secret_policy(
    args: &Args,
    program: &Program,
    workspace: &Workspace,
) -> Result<SecretPolicy, CliError> {
    let allowed = program.allowed_secrets(workspace)?;
    let policy = if args.redact {
        SecretPolicy::Redact(allowed)
    } else {
        SecretPolicy::Stop(allowed)
    };
    Ok(if matches!(args.section, Some(1 | 2 | 4)) {
        SecretPolicy::Names(Box::new(policy))
    } else {
        policy
    })
}

/// What the arguments list: entries, and lists that they name.
fn lists(args: &Args, program: &Program, repo: &Repository) -> Result<Vec<List>, CliError> {
    let mut lists = vec![List {
        scope: Scope::Turn,
        name: String::new(),
        entries: Vec::new(),
        fault: None,
        is_personal: true,
    }];
    for argument in &args.entries {
        if argument == "-" {
            let text = given::at_most(Ok(io::stdin().lock()), "standard input", FILE_BYTES_MAX)?;
            let entries = List::parse(Scope::Turn, "-", &text).entries;
            lists[0]
                .entries
                .extend(entries.iter().map(|line| entry(repo, line)));
            continue;
        }
        match read_named_list(argument, program, repo)? {
            Some(list) => lists.push(list),
            None => lists[0].entries.push(entry(repo, argument.as_bytes())),
        }
    }
    Ok(lists)
}

/// A list that the user names is read where the user means it; one that is not on disk may stand in the snapshot.
fn read_named_list(
    argument: &OsString,
    program: &Program,
    repo: &Repository,
) -> Result<Option<List>, CliError> {
    let name = argument.to_string_lossy();
    if !name.ends_with(".context") || is_url(name.as_bytes()) {
        return Ok(None);
    }
    let file = program.global.resolve(Path::new(argument));
    let open = File::open(&file);
    if matches!(&open, Err(error) if error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = given::at_most(open, &name, FILE_BYTES_MAX)?;
    let path = String::from_utf8_lossy(&entry(repo, argument.as_bytes())).into_owned();
    // What stands in the work tree may have come with the repository.
    let is_within = repo
        .work_dir()
        .zip(file.canonicalize().ok())
        .is_none_or(|(root, file)| root.canonicalize().is_ok_and(|root| file.starts_with(root)));
    Ok(Some(List {
        is_personal: !is_within,
        ..List::parse(Scope::Turn, path, &text)
    }))
}

/// Arguments as lines of a list that is kept: paths are seen from the current directory.
pub(super) fn entries(
    workspace: &Workspace,
    arguments: &[String],
) -> Result<Vec<String>, CliError> {
    let line = |argument: &String| {
        let is_line = !argument.trim().is_empty()
            && !argument.starts_with('#')
            && !argument.contains(['\n', '\r']);
        let entry = entry(&workspace.repository, argument.as_bytes());
        if !is_line {
            return Err(CliError::new(
                Exit::Usage,
                format!("'{argument}' cannot be a line of a context list"),
            ));
        }
        Ok(String::from_utf8_lossy(&entry).into_owned())
    };
    arguments.iter().map(line).collect()
}

/// An argument as an entry of a list: paths are seen from the current directory, `<rev>:<path>` from the root, and
/// git's magic `:/docs` or `:(top,glob)src/*.rs` where a list can say the same.
///
/// An absolute path below the work tree is that of its file; any other is left as it is, and refused by name.
fn entry(repo: &Repository, argument: &[u8]) -> Vec<u8> {
    if argument.starts_with(b"/") {
        let Some(path) = locate(repo, &TreePath::root(), argument) else {
            return argument.to_vec();
        };
        return as_entry(&path, argument);
    }
    if is_url(argument) || parse_revision(argument).is_some() {
        return argument.to_vec();
    }
    if argument.starts_with(b":")
        && Pathspec::is_magic(argument)
        && let Ok(pathspec) = Pathspec::parse(repo, &repo.prefix(), argument)
        && let Some(glob) = pathspec.as_glob()
    {
        return as_entry(&glob, argument);
    }
    let has_parent = argument
        .split(|byte| *byte == b'/')
        .any(|name| name == b"..");
    match locate(repo, &repo.prefix(), argument).filter(|_| has_parent) {
        Some(path) => as_entry(&path, argument),
        None => from_directory(&repo.prefix(), argument),
    }
}

/// A path from the root as an entry; one that was written as a directory stays one.
fn as_entry(path: &TreePath, argument: &[u8]) -> Vec<u8> {
    let path_or_dot = if path.is_root() {
        b"."
    } else {
        path.as_bytes()
    };
    let end: &[u8] = if argument.ends_with(b"/") || path.is_root() {
        b"/"
    } else {
        b""
    };
    [path_or_dot, end].concat()
}

/// A relative path or pattern as it is seen from the root.
fn from_directory(prefix: &TreePath, argument: &[u8]) -> Vec<u8> {
    let (mut directory, mut rest) = (prefix.clone(), argument);
    while let (Some(below), Some(parent)) = (rest.strip_prefix(b"../"), directory.parent()) {
        (directory, rest) = (parent, below);
    }
    if directory.is_root() {
        rest.to_vec()
    } else {
        [directory.as_bytes(), b"/", rest].concat()
    }
}

/// The tokens of what was written.
fn write_file(
    write: impl Fn(&mut dyn Write) -> io::Result<u64>,
    path: &Path,
) -> Result<u64, CliError> {
    let failed = |error| CliError::io(format!("cannot write '{}'", path.display()), error);
    let mut tokens = 0;
    let mut fill = |file: &mut File| {
        let mut out = BufWriter::with_capacity(64 * 1024, file);
        tokens = write(&mut out)?;
        out.flush()
    };
    // A file that is there is whole until its successor is. A link, a device and a pipe are written to, and so is a file
    // whose folder takes no other, or that is mounted there.
    let there = fs::symlink_metadata(path).ok();
    let is_plain = |there: &&fs::Metadata| there.is_file() && there.nlink() == 1;
    let mut is_begun = false;
    let replaced = match there.as_ref().filter(is_plain) {
        Some(there) if path.file_name().is_some_and(|name| name.to_str().is_some()) => {
            File::options().write(true).open(path).map_err(failed)?;
            Some(replace(path, |file| {
                file.set_permissions(there.permissions())?;
                is_begun = true;
                fill(file)
            }))
        }
        _ => None,
    };
    let is_in_the_way =
        |error: &io::Error| !is_begun || error.kind() == io::ErrorKind::ResourceBusy;
    let written = match replaced {
        Some(Err(error)) if !is_in_the_way(&error) => Err(error),
        Some(Ok(())) => Ok(()),
        _ => File::create(path).and_then(|mut file| fill(&mut file)),
    };
    if let (Err(_), None) = (&written, there) {
        let _ = fs::remove_file(path);
    }
    written.map_err(failed)?;
    Ok(tokens)
}

/// Standard output as a writer: exact bytes for programs, escaped for the eyes of people.
struct Answer<'u> {
    ui: &'u mut Ui,
    is_escaped: bool,
}

impl Write for Answer<'_> {
    /// Takes everything; what is written in one piece is whole characters.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.is_escaped {
            write!(self.ui, "{}", printable(&String::from_utf8_lossy(bytes)))
        } else {
            self.ui.write_bytes(bytes)
        };
        written.map(|()| bytes.len()).map_err(|error| match error {
            OutputError::Closed => io::ErrorKind::BrokenPipe.into(),
            OutputError::Failed(error) => error,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_seen_from_the_directory() {
        let here = TreePath::from("src");
        for (argument, expected) in [
            ("lib.rs", "src/lib.rs"),
            ("**", "src/**"),
            ("../docs/*", "docs/*"),
            ("../../x", "../x"),
        ] {
            assert_eq!(
                from_directory(&here, argument.as_bytes()),
                expected.as_bytes(),
                "{argument}"
            );
        }
    }
}

//! `git merkle find`: the definitions that matter for a question, in few tokens.

mod evaluate;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::count::counted;
use crate::base::printable::printable;
use crate::base::token;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::{CliError, Exit, Program, Ui, amount, json};
use crate::find::{
    Definition, DefinitionNumber, FIELDS, Field, Hit, Line, NameUse, Query, Ranked, Weights,
};
use crate::git::PathFilter;
use crate::node::SnapshotRoot;
use crate::ops::find::FILES_MAX;
use crate::ops::{self, Findable, Ranking};
use crate::symbol::map::is_test;
use crate::workspace::{TargetError, Workspace, snapshot_filter};

/// Tokens of an answer where none are named.
const BUDGET: u64 = 1_000;
/// Fewest tokens of a file in an answer: more files than this says are not looked into.
const FILE_TOKENS_MIN: u64 = 4;
/// The part of a budget that notes on directories may take: one token in this number.
const NOTES_SHARE: u64 = 4;

/// Arguments of `find`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The question in plain words, as one quoted argument; or one name, for what declares and uses it
    #[arg(value_name = "question", required_unless_present = "evaluate")]
    question: Option<String>,
    /// Search only these files and directories, and what matches these pathspecs
    #[arg(value_name = "path")]
    paths: Vec<String>,
    /// Limit the answer to this many tokens (an estimate); a larger budget only adds lines
    #[arg(long, value_name = "tokens", default_value_t = BUDGET, value_parser = amount::count)]
    budget: u64,
    /// Print only paths, the best first
    #[arg(long, conflicts_with = "budget")]
    files: bool,
    /// Use the newest commits' messages as questions, and show how much of what they changed is found
    #[arg(long, value_name = "range", num_args = 0..=1, require_equals = true, default_missing_value = "HEAD", hide_short_help = true)]
    #[arg(conflicts_with_all = ["question", "paths", "budget", "files", "rev", "index", "worktree"])]
    evaluate: Option<String>,
    /// With --evaluate, let no test count as right: what the commits changed in the program itself
    #[arg(
        long,
        requires = "evaluate",
        conflicts_with = "question",
        hide_short_help = true
    )]
    without_tests: bool,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document<'d> {
    tree: String,
    words: Vec<Word<'d>>,
    tokens: u64,
    left: usize,
    missing: usize,
    /// What people say about directories that has much of the question.
    directories: &'d [DirectoryNote],
    files: Vec<File<'d>>,
}

#[derive(Serialize)]
struct DirectoryNote {
    path: String,
    said: String,
}

#[derive(Serialize)]
struct Word<'d> {
    word: &'d str,
    files: u32,
}

#[derive(Serialize)]
struct File<'d> {
    path: String,
    score: f64,
    text: f64,
    path_alone: f64,
    past: f64,
    said: f64,
    /// The part of the definition that fits best.
    definition: f64,
    /// The part of the longest phrase.
    phrase: f64,
    why: Vec<Why<'d>>,
    about: &'d str,
    statements: Vec<String>,
    definitions: Vec<Shown<'d>>,
    /// Where the name that the question is stands, or much of its words one after another; missing where neither does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<Used<'d>>,
}

/// The lines in one definition that use a name.
#[derive(Serialize)]
struct Used<'d> {
    /// The definition around them, with its owner; null at the level of the file.
    within: Option<&'d str>,
    lines: &'d [u32],
}

/// A word of the question and how often each sort of the file's text has it.
#[derive(Serialize)]
struct Why<'d> {
    word: &'d str,
    #[serde(flatten)]
    counts: BTreeMap<&'static str, u8>,
}

#[derive(Serialize)]
struct Shown<'d> {
    kind: &'static str,
    name: &'d str,
    owner: &'d str,
    line: u32,
    line_end: u32,
    public: bool,
    /// Missing where the answer has no more than the name.
    signature: Option<&'d str>,
    doc: &'d str,
}

/// Prints what was found.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    if let Some(range) = &args.evaluate {
        let is_right: fn(&[u8]) -> bool = if args.without_tests {
            |path| !is_test(path)
        } else {
            |_| true
        };
        return evaluate::run(range, is_right, program);
    }
    let Some(question) = args.question.as_deref().and_then(Query::of) else {
        return Err(CliError::new(
            Exit::Usage,
            "the question has no word of two letters or more",
        )
        .hint("git merkle find \"how are settings read\""));
    };
    if question.is_cut {
        program.ui.warn(&format!(
            "only the first {} words of the question count",
            question.terms.len()
        ));
    }
    let workspace = program.open_paged()?;
    let root = args.snapshot.root_of_files(&workspace, &program.ui)?;
    let wanted = wanted(args, &workspace, &root)?;
    let mut findable = ops::find::findable(
        &workspace.repository,
        &workspace.state,
        root.tree,
        root.history,
    )?;
    ops::find::add_said(&workspace, &mut findable, &root, &workspace.store()?)?;
    let sorted = if args.files {
        usize::MAX
    } else {
        files_max(args)
    };
    let wants = |path: &[u8]| wanted.wants(path);
    let mut ranking = findable.rank(&question, &wants, sorted, &Weights::default())?;
    if args.files {
        findable.keep_named(&question, &mut ranking)?;
    }
    warn_of_gaps(&program.ui, &findable, &workspace, args.snapshot.revision());
    note_undeclared(&mut program.ui, &question, &ranking);
    let is_none_there = || !findable.files().any(|(_, path)| wanted.wants(path));
    if ranking.files.is_empty() && !args.paths.is_empty() && is_none_there() {
        return Err(TargetError::NoMatch(args.paths.join(" ")).into());
    }
    let notes = Notes::of(args, &findable, &question);
    if ranking.files.is_empty() && notes.listed.is_empty() && !program.ui.is_json() {
        return Ok(nothing_found(&program.ui, &question));
    }
    if args.files && !program.ui.is_json() {
        return write_paths(&mut program.ui, &findable, &ranking);
    }
    answer(
        args,
        program,
        &findable,
        &Asked {
            question: &question,
            ranking: &ranking,
            notes,
        },
    )
}

/// What people say about directories, as it is printed above the files.
#[derive(Default)]
struct Notes {
    text: String,
    listed: Vec<DirectoryNote>,
    tokens: u64,
}

impl Notes {
    /// Those that take a quarter of the budget at most; none where the user names paths.
    fn of(args: &Args, findable: &Findable<'_>, question: &Query) -> Self {
        let mut within = Self::default();
        if !args.paths.is_empty() || args.files {
            return within;
        }
        for (path, said) in findable.directory_notes(question) {
            let text = format!("{}{path}\n  {said}\n", within.text);
            let tokens = token::estimate(&text);
            if tokens <= args.budget / NOTES_SHARE {
                let said = said.to_owned();
                within.listed.push(DirectoryNote { path, said });
                (within.text, within.tokens) = (text, tokens);
            }
        }
        within
    }
}

/// A question and what is found for it.
struct Asked<'a> {
    question: &'a Query,
    ranking: &'a Ranking,
    notes: Notes,
}

/// Says what of the snapshot was not looked at.
fn warn_of_gaps(ui: &Ui, findable: &Findable<'_>, workspace: &Workspace, revision: &str) {
    if findable.is_cut() {
        ui.warn(&format!("only the first {FILES_MAX} files are looked at"));
    }
    if let Some(note) = ops::absent::note(&workspace.repository, findable.absent(), revision) {
        ui.warn(&note);
    }
}

fn nothing_found(ui: &Ui, question: &Query) -> Exit {
    let words = question.words[..question.word_count].join(", ");
    ui.note(&format!("nothing is found for {words}"));
    Exit::No
}

/// Says that a name is answered by its words.
fn note_undeclared(ui: &mut Ui, question: &Query, ranking: &Ranking) {
    let is_undeclared = !ranking.terms.is_declared && !ranking.files.is_empty();
    if let Some(name) = question.name.as_ref().filter(|_| is_undeclared) {
        ui.note(&format!(
            "no file declares '{}'; these have its words",
            name.text
        ));
    }
}

/// Prints the paths alone.
fn write_paths(ui: &mut Ui, findable: &Findable<'_>, ranking: &Ranking) -> Result<Exit, CliError> {
    for ranked in &ranking.files {
        let path = ui.path(findable.path(ranked.number)).into_owned();
        ui.write_bytes(&path)?;
        ui.end_record()?;
    }
    Ok(Exit::Done)
}

/// The error for a budget that holds none of an answer.
pub(super) fn no_room(what: &str, budget: u64, usual: u64) -> CliError {
    let message = format!("{what} fits into {}", counted(budget, "token", "tokens"));
    CliError::new(Exit::Budget, message).hint(format!("allow more, such as '--budget {usual}'"))
}

/// How many files are looked into.
fn files_max(args: &Args) -> usize {
    if args.files {
        return 0;
    }
    usize::try_from(args.budget / FILE_TOKENS_MIN).unwrap_or(usize::MAX)
}

fn answer(
    args: &Args,
    program: &mut Program,
    findable: &Findable<'_>,
    asked: &Asked<'_>,
) -> Result<Exit, CliError> {
    let Asked {
        question,
        ranking,
        notes,
    } = asked;
    let mut best = ranking.best_files(files_max(args));
    let ladder = findable.answer(question, ranking, &mut best, args.budget - notes.tokens)?;
    let is_silent = ladder.text.is_empty() && notes.text.is_empty();
    if is_silent && !ranking.files.is_empty() && !args.files {
        return Err(no_room("nothing that is found", args.budget, BUDGET));
    }
    if !program.ui.is_json() {
        write!(
            program.ui,
            "{}{}",
            printable(&notes.text),
            printable(&ladder.text)
        )?;
        return Ok(Exit::Done);
    }
    let listed = if args.files {
        ranking.files.len()
    } else {
        ladder.shown()
    };
    let words = question.words.iter().zip(&ranking.terms.files);
    let words = words.map(|(word, files)| Word {
        word,
        files: *files,
    });
    let none = (Hit::default(), BTreeSet::new());
    let file = |(at, ranked): (usize, &Ranked)| {
        let lines = ladder.files.get(at).unwrap_or(&none.1);
        let why = why(question, ranking.counts(ranked.number));
        let path = findable.path(ranked.number);
        Ok(file(
            path,
            ranked,
            best.hits.get(at).unwrap_or(&none.0),
            lines,
            why,
        ))
    };
    let shown = ranking.files.iter().enumerate().filter(|(at, _)| {
        args.files || ladder.files.get(*at).is_some_and(|lines| !lines.is_empty())
    });
    let document = Document {
        tree: findable.tree.to_string(),
        words: words.collect(),
        tokens: ladder.tokens + notes.tokens,
        directories: &notes.listed,
        left: (ranking.files.len() - listed).saturating_sub(best.without_name()),
        missing: findable.absent(),
        files: shown.map(file).collect::<Result<_, CliError>>()?,
    };
    program.ui.write_json("find", &document)?;
    Ok(Exit::no_if(
        document.files.is_empty() && ranking.files.is_empty() && notes.listed.is_empty(),
    ))
}

/// The words that a file has, with how often each of its fields has them.
fn why(question: &Query, counts: Vec<[u8; FIELDS]>) -> Vec<Why<'_>> {
    let words = question.words.iter().zip(counts);
    let has_any = words.filter(|(_, counts)| counts.iter().any(|count| *count > 0));
    has_any
        .map(|(word, counts)| {
            let counts = Field::ALL.iter().map(|field| field.as_str()).zip(counts);
            Why {
                word,
                counts: counts.filter(|(_, count)| *count > 0).collect(),
            }
        })
        .collect()
}

fn file<'d>(
    path: &[u8],
    ranked: &Ranked,
    found: &'d Hit,
    lines: &BTreeSet<Line>,
    why: Vec<Why<'d>>,
) -> File<'d> {
    let mut definitions: Vec<(DefinitionNumber, bool)> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Signature(at) => Some((*at, true)),
            _ => Some((line.named()?, false)),
        })
        .collect();
    definitions.sort_unstable();
    let as_shown = |(at, is_whole)| shown(&found.definitions.list[at], is_whole);
    let statements = lines.iter().filter_map(|line| match line {
        Line::Statement(at) => Some(found.statement(*at)),
        _ => None,
    });
    let uses = lines.iter().filter_map(|line| match line {
        Line::Phrase => found.phrase.as_ref(),
        Line::Use(at) => found.used(*at),
        _ => None,
    });
    let [text, path_alone, past, said, definition, phrase] = ranked.parts;
    File {
        path: json::path(path),
        score: ranked.score,
        text,
        path_alone,
        past,
        said,
        definition,
        phrase,
        why,
        about: if lines.contains(&Line::About) {
            crate::symbol::first_sentence(&found.definitions.about)
        } else {
            ""
        },
        statements: statements.collect(),
        definitions: definitions.into_iter().map(as_shown).collect(),
        uses: uses.map(used).collect(),
    }
}

fn used(used: &NameUse) -> Used<'_> {
    Used {
        within: used.within.as_deref(),
        lines: &used.lines,
    }
}

fn shown(definition: &Definition, is_whole: bool) -> Shown<'_> {
    Shown {
        kind: definition.kind.words().0,
        name: &definition.name,
        owner: &definition.owner,
        line: definition.line,
        line_end: definition.line_end,
        public: definition.public,
        signature: is_whole.then_some(definition.signature.as_str()),
        doc: if is_whole { &definition.doc } else { "" },
    }
}

/// The paths of the arguments.
fn wanted(args: &Args, workspace: &Workspace, root: &SnapshotRoot) -> Result<PathFilter, CliError> {
    let (repo, prefix) = (&workspace.repository, workspace.prefix());
    let found = snapshot_filter(repo, root.tree, &prefix, &args.paths);
    found.map_err(|error| match error {
        // Most often a word of a question.
        TargetError::Unknown(word) if !word.contains(['/', '.']) => {
            CliError::from(TargetError::NotAPath(word)).hint("put the question in quotes")
        }
        TargetError::Unknown(path) => TargetError::NotAPath(path).into(),
        other => other.into(),
    })
}

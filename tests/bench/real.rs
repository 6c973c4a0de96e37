//! Every command on real repositories: `cargo bench -- real <clone>…`, by processor time, with the memory of each.
//!
//! A clone that `git gc --auto` would leave as it is lends its objects to the one that is measured; another one, and one that has
//! frames, is packed first, so that a first run has all of its objects to write. Without a clone, a corpus is made of
//! what cargo has fetched: crates with much C in front, with headers, macros and huge generated files, in deep directories.
//! Ratios are of processor time of whole processes, with all that they start, pair by pair. So they hold on a busy machine as
//! well, and a second thread saves nothing. Bounds in seconds are those for 100,000 files. First runs are taken once, and pairs
//! end after 20 seconds, so that 100,000 files take less than half an hour.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::case::{
    COMMIT_ALL, FRAMES_REF, PEAK_MIB_MAX, forget_caches, forget_frames, frame_blob, has_ctags,
    remove,
};
use crate::corpus::{self, Recipe, Scratch, note};
use crate::measure::{Failure, Pairs, Run, Usage, git, merkle, processor_time};
use crate::parsing;
use crate::report::{Report, Row};

/// Files of the corpus that is made where no clone is named.
const MIXED_FILES: usize = 10_000;
/// Files below the directory whose map is asked for: enough for a package, few for a repository.
const DIRECTORY_FILES_MAX: usize = 100;
/// Runs of a command that is measured by itself; the middle one counts.
const RUNS: usize = 3;
/// What `git gc --auto` leaves as it is.
const LOOSE_OBJECTS_MAX: usize = 6_700;
const PACKS_MAX: usize = 50;

/// A question that any repository has words for.
const QUESTION: &str = "where are files read and errors reported";

/// What a command is held against, and how many times as much it may take.
struct Yardstick<'y> {
    name: &'y str,
    run: &'y Run,
    ratio_max: f64,
}

/// A repository that is measured, and what is known of it.
struct Subject {
    name: String,
    /// Its objects without frames, lent to every clone; held while they borrow.
    origin: Origin,
    scratch: Scratch,
    /// A file in a language, from the middle of the list.
    file: String,
    /// A directory with some of these files.
    directory: String,
}

/// Measures clones, or a corpus made here, and prints the table.
pub(crate) fn run(paths: &[String]) -> Result<(), Failure> {
    let mut arguments = vec!["real".to_owned()];
    arguments.extend(paths.iter().map(|path| name_of(Path::new(path))));
    let mut report = Report::new(&arguments);
    let mixed = match paths {
        [] => vec![corpus::repository(MIXED_FILES, Recipe::Mixed)?],
        paths => paths.iter().map(PathBuf::from).collect(),
    };
    for path in mixed {
        let subject = Subject::of(&path)?;
        for (number, part) in PARTS {
            report.add(*number, part(&subject));
        }
    }
    report.print();
    Ok(())
}

/// A part of the table.
type Part = fn(&Subject) -> Result<Vec<Row>, Failure>;

/// The parts by the numbers of the benches, in the order in which one makes what the next one needs.
const PARTS: &[(u32, Part)] = &[
    (6, first_run),
    (1, nothing_to_do),
    (2, one_commit),
    (3, one_lookup),
    (16, map_of_a_directory),
    (6, maps),
    (12, requests),
    (5, payloads),
    (15, question),
    (4, whole_store),
    (13, after_a_fetch),
    (9, pages),
];

/// Where the objects are that clones borrow.
enum Origin {
    /// What was named has them as a user has them.
    Named(PathBuf),
    /// They were packed for the bench.
    Packed(Scratch),
}

impl Origin {
    fn of(path: &Path) -> Result<Self, Failure> {
        let counts = git().args(["count-objects", "-v"]).inside(path).output()?;
        let count = |name: &str| {
            let line = counts.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|number| number.trim().parse().ok())
                .unwrap_or(usize::MAX)
        };
        let frames = git()
            .args(["for-each-ref", FRAMES_REF])
            .inside(path)
            .output()?;
        let is_packed = count("count:") <= LOOSE_OBJECTS_MAX && count("packs:") <= PACKS_MAX;
        if is_packed && frames.is_empty() {
            return Ok(Self::Named(path.canonicalize()?));
        }
        let name = format!("real-{}.git", name_of(path));
        Ok(Self::Packed(Scratch::packed(&name, path)?))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Packed(scratch) => &scratch.path,
        }
    }
}

impl Subject {
    fn of(path: &Path) -> Result<Self, Failure> {
        let origin = Origin::of(path)?;
        let scratch = Scratch::shared(&format!("real-{}", name_of(path)), origin.path())?;
        let listed = git()
            .args([
                "ls-files", "-z", "*.c", "*.rs", "*.go", "*.py", "*.js", "*.java",
            ])
            .inside(&scratch.path)
            .output()?;
        let listed: Vec<&str> = listed.split_terminator('\0').collect();
        let file = *listed
            .get(listed.len() / 2)
            .ok_or_else(|| Failure(format!("'{}' has no sources", path.display())))?;
        let below = |directory: &str| {
            let inside = |name: &&&str| name.starts_with(&format!("{directory}/"));
            listed.iter().filter(inside).count()
        };
        // From the file upwards, the largest directory that is small.
        let directory = Path::new(file)
            .ancestors()
            .skip(1)
            .filter_map(Path::to_str)
            .filter(|directory| !directory.is_empty())
            .take_while(|directory| below(directory) <= DIRECTORY_FILES_MAX)
            .last()
            .unwrap_or(file);
        let count = git()
            .args(["ls-files", "-z"])
            .inside(&scratch.path)
            .output()?;
        let count = count.split_terminator('\0').count();
        Ok(Self {
            name: format!("{}, {count} files", name_of(path)),
            file: file.to_owned(),
            directory: directory.to_owned(),
            origin,
            scratch,
        })
    }

    fn path(&self) -> &Path {
        &self.scratch.path
    }

    fn work(&self, command: &str) -> String {
        format!("{}: {command}", self.name)
    }

    fn merkle(&self, arguments: &[&str]) -> Run {
        merkle().args(arguments).inside(self.path())
    }

    fn git(&self, arguments: &[&str]) -> Run {
        git().args(arguments).inside(self.path())
    }

    /// The row of one command's memory.
    fn memory(&self, command: &str, usage: Usage) -> Row {
        Row::peak(self.work(command), usage, PEAK_MIB_MAX)
    }

    /// A command against a yardstick, and its memory.
    fn pair(
        &self,
        command: &str,
        ours: &Run,
        yardstick: &Yardstick<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let Yardstick {
            name,
            run,
            ratio_max,
        } = yardstick;
        let pairs = Pairs::of_processor(ours, run)?;
        Ok(vec![
            Row::ratio(self.work(command), *name, &pairs, *ratio_max),
            self.memory(command, ours.usage()?),
        ])
    }

    /// A command by itself, warm: the middle of its runs, and its memory.
    fn alone(
        &self,
        command: &str,
        before: Option<&dyn Fn() -> Result<(), Failure>>,
        ours: &Run,
        seconds_max: f64,
    ) -> Result<Vec<Row>, Failure> {
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            before.map_or(Ok(()), |before| before())?;
            runs.push(ours.usage()?);
        }
        runs.sort_by_key(|usage| usage.processor);
        let middle = runs[RUNS / 2];
        Ok(vec![
            Row::seconds(
                self.work(command),
                middle.processor.as_secs_f64(),
                seconds_max,
            ),
            self.memory(command, middle),
        ])
    }
}

fn name_of(path: &Path) -> String {
    let path = path
        .strip_prefix(corpus::directory())
        .map_or(path, |_| Path::new("made here"));
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// A ratio of two processor times that were taken once.
fn once(work: String, against: &str, ours: Duration, theirs: Duration, ratio_max: f64) -> Row {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    Row {
        detail: format!(
            "{:.2} s, {:.2} s, once",
            ours.as_secs_f64(),
            theirs.as_secs_f64()
        ),
        ..Row::growth(work, against, ratio, ratio_max)
    }
}

/// The first `regenerate`, against parsing alone with the same allocator.
fn first_run(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("first run");
    forget_frames(subject.path())?;
    let usage = subject.merkle(&["regenerate"]).usage()?;
    Ok(vec![
        once(
            subject.work("first `regenerate`"),
            "tree-sitter parsing alone",
            usage.processor,
            parsing_alone(subject)?,
            1.25,
        ),
        subject.memory("first `regenerate`", usage),
    ])
}

fn parsing_alone(subject: &Subject) -> Result<Duration, Failure> {
    let texts = parsing::texts(subject.path())?;
    processor_time(|| parsing::time(&texts))
}

fn nothing_to_do(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("nothing to do");
    let listing = subject.git(&["ls-tree", "-r", "-t", "HEAD"]);
    let git_status = subject.git(&["status"]);
    let (listing_name, status_name) = ("`git ls-tree -r -t HEAD`", "`git status`");
    let mut rows = Vec::new();
    for (arguments, name, run, ratio_max) in [
        (&["regenerate", "--verify"][..], listing_name, &listing, 2.0),
        (&["regenerate"], listing_name, &listing, 0.3),
        (&["status"], status_name, &git_status, 1.0),
        (&["status", "--worktree"], status_name, &git_status, 1.5),
    ] {
        let command = format!("`{}`", arguments.join(" "));
        let yardstick = Yardstick {
            name,
            run,
            ratio_max,
        };
        rows.extend(subject.pair(&command, &subject.merkle(arguments), &yardstick)?);
    }
    Ok(rows)
}

fn one_commit(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("one commit");
    let edited = subject.path().join(&subject.file);
    let (ours, commit) = (subject.merkle(&["regenerate"]), subject.git(&COMMIT_ALL));
    let pairs = Pairs::take_in_order(
        || {
            let mut content = std::fs::read(&edited)?;
            content.push(b'\n');
            std::fs::write(&edited, content)?;
            Ok(commit.usage()?.processor)
        },
        || Ok(ours.usage()?.processor),
    )?;
    let work = subject.work("one-file commit: `regenerate`");
    Ok(vec![Row::ratio(work, "`git commit -q -a`", &pairs, 1.0)])
}

fn one_lookup(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("one frame");
    subject.git(&["gc", "-q"]).output()?;
    let blob = frame_blob(subject.path(), &subject.file)?;
    let theirs = subject.git(&["cat-file", "blob", &blob]);
    let yardstick = Yardstick {
        name: "`git cat-file blob`",
        run: &theirs,
        ratio_max: 1.5,
    };
    let mut rows = Vec::new();
    for command in ["get-head", "show"] {
        let ours = subject.merkle(&[command, &subject.file]);
        rows.extend(subject.pair(&format!("`{command}`"), &ours, &yardstick)?);
    }
    Ok(rows)
}

/// Before any symbol is known.
fn map_of_a_directory(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("map of a directory");
    let ours = subject.merkle(&["map", &subject.directory]);
    let forget = || forget_caches(subject.path());
    let mut rows = subject.alone("first `map <directory>`", Some(&forget), &ours, 1.0)?;
    rows.extend(subject.alone("`map <directory>`", None, &ours, 0.3)?);
    Ok(rows)
}

fn maps(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("maps");
    forget_caches(subject.path())?;
    let map = subject.merkle(&["map"]);
    let usage = map.usage()?;
    let mut rows = vec![
        once(
            subject.work("first `map`"),
            "tree-sitter parsing alone",
            usage.processor,
            parsing_alone(subject)?,
            1.25,
        ),
        subject.memory("first `map`", usage),
    ];
    if has_ctags() {
        let tags = Run::new("ctags")
            .args(["-R", "-f", "-", "."])
            .inside(subject.path());
        let yardstick = Yardstick {
            name: "`ctags -R`",
            run: &tags,
            ratio_max: 0.1,
        };
        rows.extend(subject.pair("`map`", &map, &yardstick)?);
    }
    let limited = subject.merkle(&["map", "--budget", "8000"]);
    rows.extend(subject.alone("`map --budget 8000`", None, &limited, 0.3)?);
    Ok(rows)
}

fn requests(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("prompt and tiers");
    let mut rows = Vec::new();
    for command in ["prompt", "tiers"] {
        let ours = subject.merkle(&[command, "-m", "explain this"]);
        rows.extend(subject.alone(&format!("`{command}`"), None, &ours, 0.3)?);
    }
    Ok(rows)
}

fn payloads(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("payloads");
    let one = subject.merkle(&["context", "--redact", &subject.file]);
    let quiet = subject.merkle(&["-q", "context", "--redact", &subject.file]);
    let default = subject.merkle(&["context", "--redact"]);
    let all = subject.merkle(&["context", "--redact", "**"]);
    let archive = Run::new("sh")
        .args(["-c", "git archive HEAD | cat"])
        .inside(subject.path());
    let pairs = Pairs::of_processor(&one, &quiet)?;
    let counting = Row::ratio(
        subject.work("`context <file>`"),
        "the same without a count of tokens",
        &pairs,
        1.5,
    );
    let mut rows = vec![counting, subject.memory("`context <file>`", one.usage()?)];
    forget_caches(subject.path())?;
    rows.push(subject.memory("first `context`", default.usage()?));
    let yardstick = Yardstick {
        name: "`git archive HEAD \\| cat`",
        run: &archive,
        ratio_max: 2.0,
    };
    rows.extend(subject.pair("`context` of all files", &all, &yardstick)?);
    Ok(rows)
}

fn question(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("a question");
    let find = subject.merkle(&["find", QUESTION]);
    forget_caches(subject.path())?;
    let mut rows = vec![subject.memory("first `find`", find.usage()?)];
    rows.extend(subject.alone("`find`", None, &find, 0.05)?);
    Ok(rows)
}

fn whole_store(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("the whole store");
    let (synthesize, validate) = (
        subject.merkle(&["synthesize", "."]),
        subject.merkle(&["validate"]),
    );
    let first = subject.memory("first `synthesize .`", synthesize.usage()?);
    let mut rows = vec![first];
    rows.extend(subject.alone("`synthesize .`, nothing new", None, &synthesize, 0.3)?);
    rows.extend(subject.alone("`validate`", None, &validate, 0.5)?);
    Ok(rows)
}

/// The first look of a clone that has fetched the frames and has made none.
fn after_a_fetch(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("after a fetch");
    let other = Scratch::shared("real-fetched", subject.origin.path())?;
    let from = subject.path().to_string_lossy();
    let frames = format!("{FRAMES_REF}:{FRAMES_REF}");
    git()
        .args(["fetch", "-q", &from, &frames])
        .inside(&other.path)
        .output()?;
    let status = merkle().args(["status"]).inside(&other.path);
    let forget = || remove(&other.path.join(".git/merkle"));
    subject.alone("first `status` after a fetch", Some(&forget), &status, 0.6)
}

fn pages(subject: &Subject) -> Result<Vec<Row>, Failure> {
    note("pages");
    let browse = subject.merkle(&["browse"]);
    Ok(vec![subject.memory("`browse`", browse.usage()?)])
}

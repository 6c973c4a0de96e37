//! The benches by number, each with its yardstick and what must hold.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::corpus::{Scratch, note};
use crate::measure::{Failure, Pairs, Run, git, merkle};
use crate::model::Model;
use crate::report::Row;
use crate::sample::{self, Bodies};
use crate::sharing::sharing;
use crate::{library, parsing};

/// The ref that holds the frames.
pub(crate) const FRAMES_REF: &str = "refs/merkle/frames";
/// Sizes at which cost must stay flat, in files.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// The size of everything that is measured at one size.
const LARGE: usize = 100_000;
/// The size for outlines: parsing a hundred thousand files would take minutes a run.
const MIDDLE: usize = 10_000;
/// The size for maps.
const MAPPED: usize = 5_000;
/// Resident memory of any command, in MiB.
pub(crate) const PEAK_MIB_MAX: u64 = 200;

/// Calls to a model at once, and how long it takes for each.
const CALLS_AT_ONCE: usize = 8;
const ANSWER_TIME: Duration = Duration::from_millis(200);
/// Files whose frames a model makes: a minute or so of waiting.
const ASKED: usize = 1_000;

/// One numbered bench.
pub(crate) struct Case {
    pub(crate) number: u32,
    pub(crate) run: fn(&mut World) -> Result<Vec<Row>, Failure>,
}

/// All benches, in order.
pub(crate) const CASES: &[Case] = &[
    Case {
        number: 0,
        run: noise,
    },
    Case {
        number: 1,
        run: nothing_to_do,
    },
    Case {
        number: 2,
        run: one_commit,
    },
    Case {
        number: 3,
        run: one_lookup,
    },
    Case {
        number: 4,
        run: write_frames,
    },
    Case {
        number: 5,
        run: context,
    },
    Case {
        number: 6,
        run: outlines,
    },
    Case {
        number: 7,
        run: hook,
    },
    Case {
        number: 8,
        run: model_calls,
    },
    Case {
        number: 9,
        run: peak_memory,
    },
    Case {
        number: 10,
        run: start_up,
    },
    Case {
        number: 11,
        run: union,
    },
    Case {
        number: 17,
        run: |_| sharing(),
    },
];

/// Repositories that several benches share, made when the first asks.
#[derive(Default)]
pub(crate) struct World {
    regenerated: BTreeMap<usize, Scratch>,
}

impl World {
    /// A checked-out repository of so many files whose frames are all there.
    fn regenerated(&mut self, files: usize) -> Result<PathBuf, Failure> {
        if let Some(scratch) = self.regenerated.get(&files) {
            return Ok(scratch.path.clone());
        }
        let scratch = Scratch::new(&files.to_string(), files)?;
        note(&format!("first regenerate of {files} files"));
        merkle().args(["regenerate"]).inside(&scratch.path).time()?;
        let path = scratch.path.clone();
        self.regenerated.insert(files, scratch);
        Ok(path)
    }

    /// The same, with a context list that names every file.
    fn with_context(&mut self, files: usize) -> Result<PathBuf, Failure> {
        let path = self.regenerated(files)?;
        std::fs::create_dir_all(path.join(".teddy"))?;
        std::fs::write(path.join(".teddy/global.context"), "**\n")?;
        Ok(path)
    }
}

fn noise(_: &mut World) -> Result<Vec<Row>, Failure> {
    let command = git().args(["--version"]);
    let pairs = Pairs::of(&command, &command)?;
    Ok(vec![Row::figure(
        "noise: `git --version`",
        "itself",
        format!("{:.2} ×", pairs.ratio()),
        &pairs,
    )])
}

fn nothing_to_do(world: &mut World) -> Result<Vec<Row>, Failure> {
    let path = world.regenerated(LARGE)?;
    let listing = git().args(["ls-tree", "-r", "-t", "HEAD"]).inside(&path);
    let walked = Pairs::of(
        &merkle().args(["regenerate", "--verify"]).inside(&path),
        &listing,
    )?;
    let remembered = Pairs::of(&merkle().args(["regenerate"]).inside(&path), &listing)?;
    let against = "`git ls-tree -r -t HEAD`";
    Ok(vec![
        Row::ratio(
            "nothing to do, full walk (`regenerate --verify`), 100,000 files",
            against,
            &walked,
            3.0,
        ),
        Row::ratio(
            "nothing to do, remembered (`regenerate`), 100,000 files",
            against,
            &remembered,
            0.3,
        ),
    ])
}

fn one_commit(world: &mut World) -> Result<Vec<Row>, Failure> {
    let mut measured = Vec::new();
    for files in SIZES {
        let path = world.regenerated(files)?;
        let edited = path.join(middle_file(&path)?);
        let (regenerate, commit) = (
            merkle().args(["regenerate"]).inside(&path),
            git().args(COMMIT_ALL).inside(&path),
        );
        // Both work on the same edit, so the order within a pair is given.
        let pairs = Pairs::take_in_order(
            || append(&edited).and_then(|()| commit.time()),
            || regenerate.time(),
        )?;
        measured.push((files, pairs));
    }
    Ok(flat_rows(
        "one-file commit: `regenerate`",
        "`git commit -q -a`",
        &measured,
        1.5,
    ))
}

fn one_lookup(world: &mut World) -> Result<Vec<Row>, Failure> {
    let mut measured = Vec::new();
    for files in SIZES {
        let path = world.regenerated(files)?;
        let file = middle_file(&path)?;
        let blob = frame_blob(&path, &file)?;
        let lookup = merkle().args(["get-head", &file]).inside(&path);
        let pairs = Pairs::of(
            &lookup,
            &git().args(["cat-file", "blob", &blob]).inside(&path),
        )?;
        measured.push((files, pairs));
    }
    Ok(flat_rows(
        "one frame: `get-head`",
        "`git cat-file blob`",
        &measured,
        2.0,
    ))
}

fn write_frames(_: &mut World) -> Result<Vec<Row>, Failure> {
    let bodies = Bodies::new()?;
    let stream = sample::stream(FRAMES_REF, None, 0..LARGE)?;
    let ours = || {
        let scratch = Scratch::empty("library")?;
        library::write_frames(&scratch.path, &bodies, LARGE)
    };
    let theirs = || {
        let scratch = Scratch::empty("fast-import")?;
        git()
            .args(["fast-import", "--quiet", "--done"])
            .inside(&scratch.path)
            .input(&stream.path)
            .time()
    };
    let pairs = Pairs::take(ours, theirs)?;
    Ok(vec![Row::ratio(
        "writing 100,000 frames",
        "`git fast-import` of such blobs at such paths",
        &pairs,
        0.8,
    )])
}

fn context(world: &mut World) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for files in [MIDDLE, LARGE] {
        let path = world.with_context(files)?;
        let (context, archive) = (
            merkle().args(["context", "--redact"]).inside(&path),
            piped_archive(&path),
        );
        let mut row = |state: &str, pairs: &Pairs| {
            let work = format!(
                "`context --redact` of all files, {} files{state}",
                grouped(files)
            );
            rows.push(Row::ratio(work, "`git archive HEAD \\| cat`", pairs, 3.0));
        };
        row("", &Pairs::of(&context, &archive)?);
        if files == MIDDLE {
            let cold = || forget_caches(&path).and_then(|()| context.time());
            row(", first", &Pairs::take(cold, || archive.time())?);
        }
    }
    Ok(rows)
}

fn hook(world: &mut World) -> Result<Vec<Row>, Failure> {
    let mut measured = Vec::new();
    for files in SIZES {
        let path = world.regenerated(files)?;
        // A worker that does not wait is gone by the next commit, so that each commit starts one: the dearest case.
        git()
            .args(["config", "--global", "merkle.hookQuiet", "1ms"])
            .inside(&path)
            .output()?;
        let ours = format!(
            "'{}' hooks run post-commit </dev/null >/dev/null 2>&1 || :",
            crate::measure::program().display()
        );
        let pairs = Pairs::of(
            &hooked_commit(&path, "ours", &ours)?,
            &hooked_commit(&path, "empty", ":")?,
        )?;
        measured.push((files, pairs));
    }
    let work = |files| format!("a commit with our hook, {} files", grouped(files));
    let against = "the same with an empty sh hook";
    let mut rows: Vec<Row> = measured
        .iter()
        .map(|(files, pairs)| Row::added(work(*files), against, pairs, 15.0))
        .collect();
    let added = |at: usize| measured[at].1.added_ms().max(0.1);
    rows.push(Row::growth(
        "what our hook adds, 100,000 files",
        "the same at 1,000 files",
        added(2) / added(0),
        2.0,
    ));
    Ok(rows)
}

/// An empty commit in a repository whose only hook is this line of sh.
fn hooked_commit(path: &Path, name: &str, line: &str) -> Result<Run, Failure> {
    let folder = path.join(".git").join(format!("bench-hooks-{name}"));
    std::fs::create_dir_all(&folder)?;
    let hook = folder.join("post-commit");
    std::fs::write(&hook, format!("#!/bin/sh\n{line}\n"))?;
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let setting = format!("core.hooksPath={}", folder.display());
    Ok(git()
        .args([
            "-c",
            &setting,
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "hooked",
        ])
        .inside(path))
}

fn model_calls(_: &mut World) -> Result<Vec<Row>, Failure> {
    let scratch = Scratch::new("model", ASKED)?;
    let path = &scratch.path;
    let model = Model::start(ANSWER_TIME)?;
    model.configure(path)?;
    let rounds = library::rounds_min(path, CALLS_AT_ONCE)?;
    let bound =
        ANSWER_TIME * u32::try_from(rounds).map_err(|_| Failure("too many rounds".to_owned()))?;
    let concurrency = CALLS_AT_ONCE.to_string();
    let asked = [
        "regenerate",
        "--agent",
        "docs",
        "--yes",
        "--force",
        "--concurrency",
        &concurrency,
    ];
    let pairs = Pairs::take(|| merkle().args(asked).inside(path).time(), || Ok(bound))?;
    let work = format!("a model that takes 200 ms, 8 at once, {ASKED} files");
    Ok(vec![Row::ratio(
        work,
        "the critical-path bound",
        &pairs,
        1.05,
    )])
}

fn outlines(_: &mut World) -> Result<Vec<Row>, Failure> {
    let scratch = Scratch::new("outlines", MIDDLE)?;
    let path = &scratch.path;
    let texts = parsing::texts(path)?;
    let regenerate = merkle().args(["regenerate"]).inside(path);
    let cold = Pairs::take(
        || forget_frames(path).and_then(|()| regenerate.time()),
        || parsing::time(&texts),
    )?;
    let megabytes = parsing::size_bytes(&texts) / 1_000_000;
    let work = format!("outlines, cold (first `regenerate`), {megabytes} MB of source");
    let mut rows = vec![Row::ratio(
        work,
        "tree-sitter parsing alone, all cores",
        &cold,
        1.25,
    )];
    if has_ctags() {
        let tags = Run::new("ctags").args(["-R", "-f", "-", "."]).inside(path);
        let (found, _) = library::cached_outlines(path)?;
        let warm = Pairs::take(
            || library::cached_outlines(path).map(|(_, time)| time),
            || tags.time(),
        )?;
        rows.push(Row::ratio(
            format!("outlines, warm: {} out of the cache", grouped(found)),
            "`ctags -R` (universal-ctags)",
            &warm,
            0.1,
        ));
    } else {
        rows.push(Row::unmeasured(
            "outlines, warm",
            "universal-ctags, which is not installed",
        ));
    }
    rows.extend(maps()?);
    Ok(rows)
}

/// The symbol map of a repository, read anew and out of the cache.
fn maps() -> Result<Vec<Row>, Failure> {
    let scratch = Scratch::new("maps", MAPPED)?;
    let path = &scratch.path;
    let texts = parsing::texts(path)?;
    let map = merkle().args(["map"]).inside(path);
    let cold = Pairs::take(
        || forget_frames(path).and_then(|()| map.time()),
        || parsing::time(&texts),
    )?;
    let work = |state: &str| {
        format!(
            "`map`, {state}, {} files, {} MB of source",
            grouped(MAPPED),
            parsing::size_bytes(&texts) / 1_000_000
        )
    };
    let mut rows = vec![Row::ratio(
        work("cold"),
        "tree-sitter parsing alone, all cores",
        &cold,
        1.25,
    )];
    if has_ctags() {
        map.time()?;
        // The index of a fresh clone is as old as its files, so that git reads them all at each look. Any `git status` ends that.
        git()
            .args(["status", "--porcelain"])
            .inside(path)
            .output()?;
        let tags = Run::new("ctags").args(["-R", "-f", "-", "."]).inside(path);
        rows.push(Row::ratio(
            work("warm"),
            "`ctags -R` (universal-ctags)",
            &Pairs::of(&map, &tags)?,
            0.1,
        ));
    } else {
        rows.push(Row::unmeasured(
            "`map`, warm",
            "universal-ctags, which is not installed",
        ));
    }
    Ok(rows)
}

pub(crate) fn has_ctags() -> bool {
    Run::new("ctags")
        .args(["--version"])
        .output()
        .is_ok_and(|text| text.starts_with("Universal Ctags"))
}

fn peak_memory(world: &mut World) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for files in [MIDDLE, LARGE] {
        let path = world.with_context(files)?;
        for arguments in [&["regenerate", "--verify"][..], &["context", "--redact"]] {
            let run = merkle().args(arguments).inside(&path);
            rows.push(Row::peak(
                format!("`{}`, {} files", arguments.join(" "), grouped(files)),
                run.usage()?,
                PEAK_MIB_MAX,
            ));
        }
    }
    Ok(rows)
}

fn start_up(_: &mut World) -> Result<Vec<Row>, Failure> {
    let pairs = Pairs::of(&merkle().args(["--version"]), &git().args(["--version"]))?;
    Ok(vec![Row::ratio(
        "start-up: `git-merkle --version`",
        "`git --version`",
        &pairs,
        2.0,
    )])
}

/// Two stores of 50,000 frames that share half of them.
fn union(_: &mut World) -> Result<Vec<Row>, Failure> {
    let scratch = Scratch::empty("union")?;
    let path = &scratch.path;
    for (reference, parent, numbers) in [
        ("refs/heads/base", None, 0..25_000),
        ("refs/heads/ours", Some("refs/heads/base"), 25_000..50_000),
        ("refs/heads/theirs", Some("refs/heads/base"), 50_000..75_000),
    ] {
        let stream = sample::stream(reference, parent, numbers)?;
        git()
            .args(["fast-import", "--quiet", "--done"])
            .inside(path)
            .input(&stream.path)
            .time()?;
    }
    // Each run has a clone that lacks the result: git writes no object that is there already.
    let pairs = Pairs::take(
        || library::union(&Scratch::bare("united", path)?.path, "ours", "theirs"),
        || {
            let merge = git().args(["merge-tree", "--write-tree", "ours", "theirs"]);
            merge.inside(&Scratch::bare("merged", path)?.path).time()
        },
    )?;
    Ok(vec![Row::ratio(
        "union of two stores of 50,000 frames",
        "`git merge-tree --write-tree`",
        &pairs,
        0.5,
    )])
}

pub(crate) const COMMIT_ALL: [&str; 5] = ["commit", "-q", "-a", "-m", "edit"];

/// A row per size, and one that compares the largest with the smallest.
fn flat_rows(work: &str, against: &str, measured: &[(usize, Pairs)], ratio_max: f64) -> Vec<Row> {
    let per_size = |(files, pairs): &(usize, Pairs)| {
        Row::ratio(
            format!("{work}, {} files", grouped(*files)),
            against,
            pairs,
            ratio_max,
        )
    };
    let mut rows: Vec<Row> = measured.iter().map(per_size).collect();
    if let [(small, first), .., (large, last)] = measured {
        let growth = last.ours_seconds() / first.ours_seconds();
        let (work, against) = (
            format!("{work}, {} files", grouped(*large)),
            format!("the same at {} files", grouped(*small)),
        );
        rows.push(Row::growth(work, against, growth, 2.0));
    }
    rows
}

/// `100000` as `100,000`; every size here is at least a thousand.
fn grouped(files: usize) -> String {
    format!("{},{:03}", files / 1_000, files % 1_000)
}

/// The Rust file in the middle of a repository's list.
fn middle_file(path: &Path) -> Result<String, Failure> {
    let names = git().args(["ls-files", "*.rs"]).inside(path).output()?;
    let names: Vec<&str> = names.lines().collect();
    let middle = names
        .get(names.len() / 2)
        .ok_or_else(|| Failure("a corpus without a Rust file".to_owned()))?;
    Ok((*middle).to_owned())
}

fn append(file: &Path) -> Result<(), Failure> {
    let mut file = std::fs::OpenOptions::new().append(true).open(file)?;
    Ok(writeln!(file, "/// An edit.\npub fn edited() {{}}")?)
}

/// The blob that stock git would read for the frame of a file.
pub(crate) fn frame_blob(path: &Path, file: &str) -> Result<String, Failure> {
    let node = git()
        .args(["rev-parse", &format!("HEAD:{file}")])
        .inside(path)
        .output()?;
    let (directory, rest) = (format!("{}/", &node[..2]), node[2..].trim());
    let listing = git()
        .args([
            "ls-tree",
            "--format=%(objectname) %(path)",
            FRAMES_REF,
            &directory,
        ])
        .inside(path)
        .output()?;
    let found = listing.lines().find_map(|line| {
        let (id, name) = line.split_once(' ')?;
        name.strip_prefix(&directory)?
            .starts_with(rest)
            .then(|| id.to_owned())
    });
    found.ok_or_else(|| Failure(format!("no frame for '{file}' in {FRAMES_REF}")))
}

/// Takes away frames, caches and memories, so that the next run is a first one.
pub(crate) fn forget_frames(path: &Path) -> Result<(), Failure> {
    git()
        .args(["update-ref", "-d", FRAMES_REF])
        .inside(path)
        .output()?;
    remove(&path.join(".git/merkle"))
}

/// Takes away what is only kept to be quicker the next time.
pub(crate) fn forget_caches(path: &Path) -> Result<(), Failure> {
    remove(&path.join(".git/merkle/cache"))
}

pub(crate) fn remove(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn piped_archive(path: &Path) -> Run {
    Run::new("sh")
        .args(["-c", "git archive HEAD | cat"])
        .inside(path)
}

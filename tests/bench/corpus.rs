//! The corpus: repositories of a wanted number of files, made of the crate sources that cargo has fetched.
//!
//! Crates are taken whole, in an order mixed by a digest of their names, and repeated until there are files enough;
//! each copy's files end in so many more empty lines, so that no two copies share a blob. Ten crates stand in a
//! numbered directory and ten of those in another, so that only the root grows with the size: `003/7/serde-1.0.0/…`.
//! A corpus is kept below the target directory under a name that changes with its recipe and the crates.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::measure::{Failure, git};

/// Part of the name of a kept corpus; raised when the recipe changes.
const RECIPE: u32 = 1;
/// Generated parsers and tables of many megabytes would outweigh everything that people write.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// A crate with more files than this would be most of a small corpus.
const CRATE_FILES_MAX: usize = 400;
/// The same for a mixed corpus, which has a few huge files among many small ones, as real repositories do.
const MIXED_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
const MIXED_CRATE_FILES_MAX: usize = 5_000;

/// What a corpus is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recipe {
    /// What people write by hand: the sources of crates, in loose packs as they were imported.
    Handwritten,
    /// Crates with most C in front, huge generated files among them, packed as `git gc` packs a repository.
    Mixed,
}

/// Where the benches keep their things, below the target directory.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench")
}

/// A bare repository with so many files in one commit on `main`; made when it is not there yet.
pub(crate) fn repository(files: usize, recipe: Recipe) -> Result<PathBuf, Failure> {
    let crates = crates(recipe)?;
    let names: Vec<&str> = crates.iter().map(|krate| krate.name.as_str()).collect();
    let key = &blake3::hash(names.join("\n").as_bytes()).to_hex()[..8];
    let word = match recipe {
        Recipe::Handwritten => "corpus",
        Recipe::Mixed => "mixed",
    };
    let kept = directory().join(format!("{word}-{RECIPE}-{key}-{files}.git"));
    if !kept.exists() {
        note(&format!(
            "making a corpus of {files} files from {} crates",
            crates.len()
        ));
        let unfinished = kept.with_extension("unfinished");
        drop(std::fs::remove_dir_all(&unfinished));
        git()
            .args(["init", "-q", "--bare", "-b", "main"])
            .args([&unfinished])
            .output()?;
        import(&crates, files, &unfinished)?;
        if recipe == Recipe::Mixed {
            git().args(["gc", "-q"]).inside(&unfinished).output()?;
        }
        std::fs::rename(&unfinished, &kept)?;
    }
    Ok(kept)
}

/// Says what takes long, to a person who waits.
#[expect(clippy::print_stderr, reason = "progress of a program that prints")]
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// A repository that borrows the objects of a corpus and may be written to; gone when this is dropped.
pub(crate) struct Scratch {
    /// Its work tree.
    pub(crate) path: PathBuf,
}

impl Scratch {
    /// A clone of the corpus of so many files, checked out.
    pub(crate) fn new(name: &str, files: usize) -> Result<Self, Failure> {
        let corpus = repository(files, Recipe::Handwritten)?;
        note(&format!("cloning the corpus of {files} files"));
        Self::cloned(name, &corpus, &["--shared"])
    }

    /// A repository without a work tree that has one pack of what another one's branches reach, as a clone brings it.
    pub(crate) fn packed(name: &str, of: &Path) -> Result<Self, Failure> {
        note(&format!("packing '{}'", of.display()));
        Self::cloned(name, of, &["--bare", "--no-local"])
    }

    /// A clone that borrows the objects of a repository, with an index that git has looked through.
    pub(crate) fn shared(name: &str, of: &Path) -> Result<Self, Failure> {
        note(&format!("cloning '{}'", of.display()));
        let scratch = Self::cloned(name, of, &["--shared"])?;
        git()
            .args(["status", "--porcelain"])
            .inside(&scratch.path)
            .output()?;
        Ok(scratch)
    }

    /// An empty repository.
    pub(crate) fn empty(name: &str) -> Result<Self, Failure> {
        let scratch = Self::named(name);
        git().args(["init", "-q"]).args([&scratch.path]).output()?;
        Ok(scratch)
    }

    /// A clone of a repository without a work tree, whose `HEAD` can be moved.
    pub(crate) fn bare(name: &str, of: &Path) -> Result<Self, Failure> {
        Self::cloned(name, of, &["--bare", "--shared"])
    }

    /// A clone that has nothing checked out, and shares the other's objects.
    pub(crate) fn unchecked(name: &str, of: &Path) -> Result<Self, Failure> {
        Self::cloned(name, of, &["--no-checkout", "--shared"])
    }

    fn cloned(name: &str, of: &Path, options: &[&str]) -> Result<Self, Failure> {
        let scratch = Self::named(name);
        git()
            .args(["clone", "-q"])
            .args(options)
            .args([of, &scratch.path])
            .output()?;
        Ok(scratch)
    }

    fn named(name: &str) -> Self {
        Self {
            path: directory().join(format!("scratch-{}-{name}", std::process::id())),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.path));
    }
}

struct Crate {
    name: String,
    /// Relative to the crate, in order, with the file behind each.
    files: Vec<(String, PathBuf)>,
}

impl Crate {
    fn files_of_c(&self) -> usize {
        let is_c = |(name, _): &&(String, PathBuf)| {
            let ending = Path::new(name).extension();
            ending.is_some_and(|ending| ending == "c" || ending == "h")
        };
        self.files.iter().filter(is_c).count()
    }
}

/// The first bytes of the crates' files, of those that are text and long enough.
pub(crate) fn source_texts(bytes: usize) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for (_, path) in crates(Recipe::Handwritten)?
        .iter()
        .flat_map(|krate| &krate.files)
        .take(20_000)
    {
        if let Ok(text) = std::fs::read_to_string(path)
            && text.len() >= bytes
        {
            texts.push(text[..text.floor_char_boundary(bytes)].to_owned());
        }
    }
    Ok(texts)
}

/// The crates in cargo's registry cache, in an order that mixes large and small ones and is the same everywhere.
fn crates(recipe: Recipe) -> Result<Vec<Crate>, Failure> {
    let registry = registry()?;
    let (files_max, bytes_max) = match recipe {
        Recipe::Handwritten => (CRATE_FILES_MAX, FILE_BYTES_MAX),
        Recipe::Mixed => (MIXED_CRATE_FILES_MAX, MIXED_FILE_BYTES_MAX),
    };
    let mut crates = Vec::new();
    for index in list(&registry)? {
        for path in list(&index)? {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let files = files_of(&path, bytes_max)?;
            if !files.is_empty() && files.len() <= files_max {
                crates.push(Crate { name, files });
            }
        }
    }
    if crates.is_empty() {
        return Err(Failure(format!(
            "no crate sources in '{}'",
            registry.display()
        )));
    }
    crates.sort_by_key(|krate| *blake3::hash(krate.name.as_bytes()).as_bytes());
    if recipe == Recipe::Mixed {
        crates.sort_by_key(|krate| std::cmp::Reverse(krate.files_of_c()));
    }
    Ok(crates)
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo says in the environment where its home is"
)]
fn registry() -> Result<PathBuf, Failure> {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let found = cargo_home
        .or(home)
        .ok_or_else(|| Failure("neither CARGO_HOME nor HOME is set".to_owned()))?;
    Ok(found.join("registry/src"))
}

/// The entries of a directory, in order.
pub(crate) fn list(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| Failure(format!("cannot read '{}': {error}", directory.display())))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, Failure>>()?;
    paths.sort();
    Ok(paths)
}

/// The files of a crate that a repository would have: not cargo's own, not those that steer git, not huge ones.
pub(crate) fn files_of(krate: &Path, bytes_max: u64) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut files = Vec::new();
    let mut pending = vec![krate.to_owned()];
    while let Some(directory) = pending.pop() {
        for path in list(&directory)? {
            let Some(relative) = path.strip_prefix(krate).ok().and_then(Path::to_str) else {
                continue;
            };
            let about = path.symlink_metadata()?;
            if about.is_dir() {
                pending.push(path);
            } else if about.is_file() && about.len() <= bytes_max && is_wanted(relative) {
                files.push((relative.to_owned(), path));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn is_wanted(relative: &str) -> bool {
    let name = relative.rsplit('/').next().unwrap_or(relative);
    let foreign = name.starts_with(".cargo")
        || name.starts_with(".git")
        || Path::new(name).extension().is_some_and(|e| e == "orig");
    !foreign && !relative.contains(['"', '\n', '\\'])
}

/// Streams the copies of the crates into one commit.
fn import(crates: &[Crate], files: usize, into: &Path) -> Result<(), Failure> {
    let run = git()
        .args([
            "-c",
            "core.compression=1",
            "fast-import",
            "--quiet",
            "--done",
        ])
        .inside(into);
    let mut child = run.command()?.stdin(Stdio::piped()).spawn()?;
    let mut stream = BufWriter::new(
        child
            .stdin
            .take()
            .ok_or_else(|| Failure("fast-import takes no input".to_owned()))?,
    );
    stream.write_all(b"commit refs/heads/main\ncommitter Bench <bench@example.org> 1800000000 +0000\ndata 7\ncorpus\n\n")?;
    let copies = crates.iter().cycle().enumerate();
    let all = copies
        .flat_map(|(number, krate)| krate.files.iter().map(move |file| (number, krate, file)));
    for (number, krate, (relative, source)) in all.take(files) {
        let mut content = std::fs::read(source)?;
        content.resize(content.len() + number / crates.len(), b'\n');
        let (hundreds, tens) = (number / 100, number / 10 % 10);
        writeln!(
            stream,
            "M 100644 inline {hundreds:03}/{tens}/{}/{relative}\ndata {}",
            krate.name,
            content.len()
        )?;
        stream.write_all(&content)?;
        stream.write_all(b"\n")?;
    }
    stream.write_all(b"done\n")?;
    drop(
        stream
            .into_inner()
            .map_err(|error| Failure(error.to_string()))?,
    );
    if child.wait()?.success() {
        Ok(())
    } else {
        Err(Failure("fast-import refused the corpus".to_owned()))
    }
}

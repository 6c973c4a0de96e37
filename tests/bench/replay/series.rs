//! A history made of the unpacked versions of one crate, as cargo keeps them.
//!
//! The first version is one commit. What each later one changes becomes a commit for each directory, of at most five
//! files, in an order that is mixed by a digest: a release changes too much at once to be one request to a model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::corpus::{Scratch, files_of, list};
use crate::measure::{Failure, git};

const FILES_PER_COMMIT: usize = 5;

/// The history of a directory of versions; `None` for a path that is a repository already.
pub(crate) fn repository(path: &Path) -> Result<Option<Scratch>, Failure> {
    if path.join(".git").exists() || path.join("HEAD").exists() {
        return Ok(None);
    }
    let mut versions: Vec<(Vec<u64>, PathBuf)> =
        list(path)?.into_iter().filter_map(|path| Some((version(&path)?, path))).collect();
    versions.sort();
    if versions.is_empty() {
        return Err(Failure(format!("'{}' is neither a repository nor a directory of versions", path.display())));
    }
    let scratch = Scratch::empty("series")?;
    for (number, (_, version)) in versions.iter().enumerate() {
        unpack(version, &scratch.path)?;
        if number == 0 {
            commit(&scratch.path, &["."])?;
        }
        for group in groups(&scratch.path)? {
            commit(&scratch.path, &group.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
    }
    Ok(Some(scratch))
}

/// `1.2.3` of `name-1.2.3`, as numbers; `None` where there are none.
fn version(path: &Path) -> Option<Vec<u64>> {
    let name = path.file_name()?.to_str()?;
    let (_, version) = name.rsplit_once('-')?;
    version.split('.').map(|number| number.parse().ok()).collect()
}

/// Puts the files of a version in the place of those of the one before.
fn unpack(version: &Path, into: &Path) -> Result<(), Failure> {
    for path in list(into)?.iter().filter(|path| path.file_name().is_none_or(|name| name != ".git")) {
        if path.is_dir() { std::fs::remove_dir_all(path)? } else { std::fs::remove_file(path)? }
    }
    for (relative, source) in files_of(version)? {
        let target = into.join(relative);
        std::fs::create_dir_all(target.parent().unwrap_or(into))?;
        std::fs::copy(source, target)?;
    }
    Ok(())
}

/// The paths that differ from `HEAD`, as they are to be committed together.
fn groups(repository: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let status = git().args(["status", "--porcelain", "-uall", "--no-renames"]).inside(repository).output()?;
    let mut directories: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Names that git would quote are not worth the trouble: they stay with the version before.
    for path in status.lines().filter_map(|line| line.get(3..)).filter(|path| !path.starts_with('"')) {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        directories.entry(directory.to_owned()).or_default().push(path.to_owned());
    }
    let mut groups: Vec<Vec<String>> = directories
        .into_values()
        .flat_map(|paths| paths.chunks(FILES_PER_COMMIT).map(<[_]>::to_vec).collect::<Vec<_>>())
        .collect();
    groups.sort_by_key(|paths| *blake3::hash(paths.join("\n").as_bytes()).as_bytes());
    Ok(groups)
}

fn commit(repository: &Path, paths: &[&str]) -> Result<(), Failure> {
    git().args(["add", "-A", "-f", "--"]).args(paths).inside(repository).output()?;
    git().args(["commit", "-q", "--allow-empty", "-m", "A change"]).inside(repository).output()?;
    Ok(())
}
